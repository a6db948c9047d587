//! What a test of many pairs computes.

use crate::setters::setters;

/// What a test computes besides the number of hits. What is not requested costs nothing.
///
/// ```
/// use carom::fmb::Request;
///
/// let wanted = Request::COUNT.with_list(true).with_times(true);
/// assert!(wanted.list && wanted.times && !wanted.boxes);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Request {
    /// One bit per pair.
    pub bits: bool,
    /// The pairs that intersect, as a list.
    pub list: bool,
    /// For each entry of the list, the interval of time in which the frames overlap.
    pub times: bool,
    /// For each entry of the list, the tight box of the overlap in world coordinates.
    pub boxes: bool,
    /// For each entry of the list, the tight box of the overlap in the coordinates of the second frame.
    pub local_boxes: bool,
    /// For each entry of the list, the normal, the depth and a point of contact.
    pub normals: bool,
    /// Times and boxes are computed in single precision, which takes less time: all their numbers are those of `f32`. They
    /// contain the exact ones, and exceed them at each end by at most 1e-3 of the duration, of the largest component of both
    /// frames, or of the frame in whose coordinates a box is, and four roundings of the number.
    pub single: bool,
}

impl Request {
    /// Only how many pairs intersect.
    pub const COUNT: Self = Self {
        bits: false,
        list: false,
        times: false,
        boxes: false,
        local_boxes: false,
        normals: false,
        single: false,
    };
    /// Which pairs intersect, as bits and as a list.
    pub const HITS: Self = Self { bits: true, list: true, ..Self::COUNT };
    /// Everything, in double precision.
    pub const ALL: Self = Self { times: true, boxes: true, local_boxes: true, normals: true, ..Self::HITS };

    setters! {
        /// The same with or without [`bits`](Self::bits).
        with_bits(bits: bool);
        /// The same with or without the [`list`](Self::list).
        with_list(list: bool);
        /// The same with or without [`times`](Self::times).
        with_times(times: bool);
        /// The same with or without [`boxes`](Self::boxes).
        with_boxes(boxes: bool);
        /// The same with or without [`local_boxes`](Self::local_boxes).
        with_local_boxes(local_boxes: bool);
        /// The same with or without [`normals`](Self::normals).
        with_normals(normals: bool);
        /// The same with times and boxes in [`single`](Self::single) or in double precision.
        with_single(single: bool);
    }

    pub(super) fn needs_regions(self) -> bool {
        self.times || self.boxes || self.local_boxes
    }

    pub(super) fn needs_list(self) -> bool {
        self.list || self.needs_regions() || self.normals
    }
}
