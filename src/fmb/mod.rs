//! FMB: which frames intersect, when and where, by Fourier-Motzkin elimination (docs/methods/fmb.md).
//!
//! [`Intersections`] tests many pairs at once; [`intersects`], [`region`] and [`contact`] test one. The answers are exact: pairs whose
//! conditions come out within their own rounding bound are decided again in exact arithmetic. Frames that only touch do
//! not intersect.
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

mod batch;
mod boxes;
mod exact;
mod hits;
mod locate;
mod normals;
mod pair_lists;
mod prefetch;
pub mod reference;
mod request;
mod rests;
mod search;
mod sort_by_kinds;

pub use batch::{Intersections, Pairs};
pub(crate) use boxes::overlap_times;
pub use boxes::{Region, region};
pub use exact::intersects;
pub use normals::{Contact, contact};
pub use reference::{ReferenceBox, ReferenceTest};
pub use request::Request;
