//! Rigid bodies in the plane: one space, or thousands at once.
//!
//! A [`Space`] has bodies with shapes and advances them in steps; [`Spaces`] steps many copies of prototypes together, each
//! with the bits it has alone. [`scenes`] has ready-made ones. The page `docs/rigid2d.md` is a guide with pictures, and how a
//! step is computed is on the page `docs/methods/rigid2d.md`.
//!
//! ```
//! use carom::geometry::Vec2;
//! use carom::rigid2d::{Body, Geometry, Shape, Space, SpaceSettings};
//!
//! let mut space = Space::new(&SpaceSettings::default().with_gravity(Vec2::new(0.0, -9.81)))?;
//! let ground = Geometry::segment(Vec2::new(-5.0, 0.0), Vec2::new(5.0, 0.0), 0.0)?;
//! space.add_shape(space.static_body(), Shape::new(ground))?;
//! let crate_ = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 3.0)))?;
//! space.add_shape(crate_, Shape::new(Geometry::rectangle(1.0, 1.0, 0.0)?).with_density(1.0))?;
//! for _ in 0..180 {
//!     space.step(1.0 / 60.0)?;
//! }
//! assert!((space.body(crate_)?.position().y - 0.5).abs() < 1e-3);
//! # Ok::<(), carom::Error>(())
//! ```

mod batch;
mod engine;
mod narrow;
pub mod scenes;
pub mod shapes;
mod solver;
pub mod space;

pub use batch::{BodyField, SpaceEvent, SpaceSnapshot, Spaces};
pub use narrow::general::{closest_points, shapes_collide};
pub use narrow::gjk::Closest;
pub use shapes::{Filter, Geometry, Material, Shape};
pub use space::{
    Arbiter, Body, BodyId, BodyKind, Handler, Mixing, Precision, ShapeId, Solver, Space, SpaceFormat,
    SpaceSettings, is_saved_space,
};
