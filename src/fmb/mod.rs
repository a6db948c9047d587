//! FMB: which frames intersect, when and where, by Fourier-Motzkin elimination (SPEC section 2).
//!
//! [`Intersections`] tests many pairs at once. Its answers are exact: lanes whose conditions come out within their own
//! rounding bound are decided again by [`exact`]. Frames that only touch do not intersect.
//!
//! ```
//! use carom::fmb::{Intersections, Pairs, Request};
//! use carom::{Context, Frame, Frames};
//!
//! let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
//! let mut frames = Frames::<2>::resting();
//! frames.add_many(&[square(0.0), square(0.5), square(1.0)])?;
//!
//! let mut found = Intersections::new(Request::HITS);
//! found.test(&Context::serial(), &frames, &frames, Pairs::Listed(&[[0, 1], [0, 2], [1, 2]]))?;
//! assert_eq!(found.list(), [0, 2]); // 0 and 2 only touch
//! # Ok::<(), carom::Error>(())
//! ```

pub mod batch;
pub mod boxes;
pub mod exact;
mod hits;
mod lists;
mod locate;
pub mod reference;
mod search;
mod upcoming;

pub use batch::{Intersections, Pairs, Request};
pub use boxes::Region;
pub use reference::{Reference, ReferenceBox};
