//! Random frames as in the validation and qualification of FMB (docs/methods/fmb.md), the same on every machine.

use super::{Frame, FrameKind};

/// Origins, components and velocities are uniform between the negative of this and this.
pub const RANGE: f64 = 100.0;

/// Frames whose determinant has a smaller magnitude are drawn again.
pub const SMALLEST_DETERMINANT: f64 = 0.1;

/// A source of random frames and pairs of frames: the same seed gives the same frames.
///
/// ```
/// use carom::frames::random::RandomFrames;
///
/// let [a, b] = RandomFrames::new(1).pair::<3>(true);
/// assert_eq!([a, b], RandomFrames::new(1).pair(true));
/// ```
#[derive(Debug, Clone)]
pub struct RandomFrames {
    numbers: SplitMix64,
}

/// SplitMix64 (Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014): the state counts up by the
/// golden ratio of 2^64, and each number is a hash of it.
#[derive(Debug, Clone)]
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub(crate) fn real(&mut self) -> f64 {
        2.0 * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64) - 1.0
    }
}

impl RandomFrames {
    /// A source that starts from `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { numbers: SplitMix64(seed) }
    }

    /// Coordinates in [-[`RANGE`], [`RANGE`]).
    fn vector<const D: usize>(&mut self) -> [f64; D] {
        std::array::from_fn(|_| RANGE * self.numbers.real())
    }

    /// A cuboid or a tetrahedron with equal probability.
    pub fn kind(&mut self) -> FrameKind {
        if self.numbers.bits() >> 63 == 0 { FrameKind::Cuboid } else { FrameKind::Tetrahedron }
    }

    /// A frame of any kind, with a velocity if it is `moving`.
    pub fn frame<const D: usize>(&mut self, moving: bool) -> Frame<D> {
        let kind = self.kind();
        self.frame_of_kind(kind, moving)
    }

    /// A frame of this kind, with a velocity if it is `moving`.
    pub fn frame_of_kind<const D: usize>(&mut self, kind: FrameKind, moving: bool) -> Frame<D> {
        loop {
            let (origin, components) = (self.vector(), std::array::from_fn(|_| self.vector()));
            let velocity = if moving { self.vector() } else { [0.0; D] };
            let frame = Frame { kind, origin, components, velocity };
            if frame.determinant().abs() >= SMALLEST_DETERMINANT {
                return frame;
            }
        }
    }

    /// Two frames of any kinds.
    pub fn pair<const D: usize>(&mut self, moving: bool) -> [Frame<D>; 2] {
        [self.frame(moving), self.frame(moving)]
    }

    /// Two frames of these kinds.
    pub fn pair_of_kinds<const D: usize>(&mut self, kinds: [FrameKind; 2], moving: bool) -> [Frame<D>; 2] {
        kinds.map(|kind| self.frame_of_kind(kind, moving))
    }

    /// Two frames of any kinds that are near each other: the boxes around them overlap. If the frames move for `duration`
    /// seconds the boxes hold what they sweep; `None` is for frames at rest.
    pub fn near_pair<const D: usize>(&mut self, duration: Option<f64>) -> [Frame<D>; 2] {
        let kinds = [self.kind(), self.kind()];
        self.near_pair_of_kinds(kinds, duration)
    }

    /// Two frames of these kinds that are [near](Self::near_pair).
    pub fn near_pair_of_kinds<const D: usize>(
        &mut self,
        kinds: [FrameKind; 2],
        duration: Option<f64>,
    ) -> [Frame<D>; 2] {
        loop {
            let pair = self.pair_of_kinds(kinds, duration.is_some());
            let [a, b] = pair.map(|frame| frame.bounds(duration.unwrap_or(0.0)));
            if a.overlaps(&b) {
                return pair;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_is_splitmix64() {
        let mut numbers = SplitMix64(0);
        assert_eq!(numbers.bits(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(numbers.bits(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn coordinates_fill_their_range_evenly() {
        let mut random = RandomFrames::new(1);
        let frames: Vec<Frame<2>> = (0..10_000).map(|_| random.frame(true)).collect();
        let columns = |f: &Frame<2>| {
            [f.origin[0], f.origin[1], f.velocity[0], f.velocity[1], f.components[0][0], f.components[1][1]]
        };
        for column in 0..6 {
            let values = || frames.iter().map(|frame| columns(frame)[column]);
            let mean = values().sum::<f64>() / frames.len() as f64;
            assert!(mean.abs() < 2.5, "column {column}: mean {mean}");
            let (least, most) = values().fold((0.0_f64, 0.0_f64), |(lo, hi), x| (lo.min(x), hi.max(x)));
            assert!((-RANGE..-0.99 * RANGE).contains(&least), "column {column}: least {least}");
            assert!((0.99 * RANGE..RANGE).contains(&most), "column {column}: most {most}");
        }
        let cuboids = frames.iter().filter(|frame| frame.kind == FrameKind::Cuboid).count();
        assert!((4_800..5_200).contains(&cuboids), "{cuboids} cuboids");
        assert!(frames.iter().all(|frame| frame.determinant().abs() >= SMALLEST_DETERMINANT));
    }

    #[test]
    fn near_pairs_have_boxes_that_overlap() {
        let mut random = RandomFrames::new(2);
        for _ in 0..100 {
            let [a, b] = random.near_pair::<3>(None);
            assert!(a.bounds(0.0).overlaps(&b.bounds(0.0)));
            assert_eq!(a.velocity, [0.0; 3]);
            let [a, b] = random.near_pair::<2>(Some(0.5));
            assert!(a.bounds(0.5).overlaps(&b.bounds(0.5)));
        }
    }
}
