//! What a test of many pairs computes.

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
}

impl Request {
    /// Only how many pairs intersect.
    pub const COUNT: Self = Self { bits: false, list: false, times: false, boxes: false, local_boxes: false };
    /// Which pairs intersect, as bits and as a list.
    pub const HITS: Self = Self { bits: true, list: true, ..Self::COUNT };
    /// Everything.
    pub const ALL: Self = Self { times: true, boxes: true, local_boxes: true, ..Self::HITS };

    /// The same with or without [`bits`](Self::bits).
    #[must_use]
    pub const fn with_bits(self, bits: bool) -> Self {
        Self { bits, ..self }
    }

    /// The same with or without the [`list`](Self::list).
    #[must_use]
    pub const fn with_list(self, list: bool) -> Self {
        Self { list, ..self }
    }

    /// The same with or without [`times`](Self::times).
    #[must_use]
    pub const fn with_times(self, times: bool) -> Self {
        Self { times, ..self }
    }

    /// The same with or without [`boxes`](Self::boxes).
    #[must_use]
    pub const fn with_boxes(self, boxes: bool) -> Self {
        Self { boxes, ..self }
    }

    /// The same with or without [`local_boxes`](Self::local_boxes).
    #[must_use]
    pub const fn with_local_boxes(self, local_boxes: bool) -> Self {
        Self { local_boxes, ..self }
    }

    pub(super) fn needs_regions(self) -> bool {
        self.times || self.boxes || self.local_boxes
    }

    pub(super) fn needs_list(self) -> bool {
        self.list || self.needs_regions()
    }
}
