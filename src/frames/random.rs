//! Random frames as in the validation and qualification of FMB (docs/methods/fmb.md), the same on every machine.

use super::{Frame, FrameKind};

/// Origins, components and velocities are uniform between the negative of this and this.
pub const RANGE: f64 = 100.0;

/// Frames whose determinant has a smaller magnitude are drawn again.
pub const SMALLEST_DETERMINANT: f64 = 0.1;

/// Which directions the components of random frames have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Orientation {
    /// Any: each component is a random vector, as in the paper.
    #[default]
    Random,
    /// At right angles, each frame turned by a random rotation of its own.
    Tilted,
    /// At right angles, each frame turned about the vertical only; along the coordinate axes in 2D.
    Upright,
    /// At right angles, all frames turned by one random rotation.
    Aligned,
    /// Cells of one lattice at right angles, in which neighbours touch: all coordinates are whole numbers. Velocities lead
    /// from cell to cell in one second.
    Lattice,
}

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
    orientation: Orientation,
    /// The rotation of all frames, if they are aligned.
    common: Rotation,
}

/// A rotation as a unit quaternion: the real part, then those of the three axes.
type Rotation = [f64; 4];

const NO_ROTATION: Rotation = [1.0, 0.0, 0.0, 0.0];

/// The sides of frames at right angles are uniform between these, in metres.
const SIDES: [f64; 2] = [40.0, 160.0];

/// The sides of a cell of the lattice in 2D and in 3D. All of one dimension are equally long and at right angles.
const CELL_2D: [[f64; 2]; 2] = [[24.0, 32.0], [-32.0, 24.0]];
const CELL_3D: [[f64; 3]; 3] = [[8.0, 16.0, 16.0], [16.0, 8.0, -16.0], [16.0, -16.0, 8.0]];

/// Cells of the lattice from the first to the last along each of its directions, and as many that a velocity may lead to.
const CELLS: u64 = 6;
const JUMPS: u64 = 5;

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
        Self { numbers: SplitMix64(seed), orientation: Orientation::Random, common: NO_ROTATION }
    }

    /// The same source with frames of this orientation. Aligned frames get their common rotation here.
    #[must_use]
    pub fn with_orientation(mut self, orientation: Orientation) -> Self {
        self.orientation = orientation;
        if orientation == Orientation::Aligned {
            self.common = self.rotation([true; 4]);
        }
        self
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
        match self.orientation {
            Orientation::Random => self.any_frame(kind, moving),
            Orientation::Lattice => self.cell(kind, moving),
            Orientation::Tilted | Orientation::Upright | Orientation::Aligned => {
                self.right_angled(kind, moving)
            }
        }
    }

    /// A frame with components in all directions.
    fn any_frame<const D: usize>(&mut self, kind: FrameKind, moving: bool) -> Frame<D> {
        loop {
            let (origin, components) = (self.vector(), std::array::from_fn(|_| self.vector()));
            let velocity = if moving { self.vector() } else { [0.0; D] };
            let frame = Frame { kind, origin, components, velocity };
            if frame.determinant().abs() >= SMALLEST_DETERMINANT {
                return frame;
            }
        }
    }

    /// A frame whose components are at right angles.
    fn right_angled<const D: usize>(&mut self, kind: FrameKind, moving: bool) -> Frame<D> {
        let [w, _, _, z] = self.common;
        let rotation = match (self.orientation, D) {
            (Orientation::Aligned, 2) => about_third_axis(w, z),
            (Orientation::Aligned, _) => self.common,
            (Orientation::Upright, 2) => NO_ROTATION,
            (Orientation::Upright, _) | (_, 2) => self.rotation([true, false, false, true]),
            _ => self.rotation([true; 4]),
        };
        let (origin, mut components) = (self.vector(), rotated_axes(rotation));
        for component in &mut components {
            let side = SIDES[0] + (SIDES[1] - SIDES[0]) * 0.5 * (1.0 + self.numbers.real());
            component.iter_mut().for_each(|x| *x *= side);
        }
        let velocity = if moving { self.vector() } else { [0.0; D] };
        Frame { kind, origin, components, velocity }
    }

    /// A random rotation with these of its four numbers, the others 0. Square roots are the same on every machine, sines are
    /// not.
    fn rotation(&mut self, used: [bool; 4]) -> Rotation {
        loop {
            let numbers = used.map(|used| if used { self.numbers.real() } else { 0.0 });
            let square: f64 = numbers.iter().map(|x| x * x).sum();
            if (0.01..=1.0).contains(&square) {
                return numbers.map(|x| x / square.sqrt());
            }
        }
    }

    /// A cell of the lattice.
    fn cell<const D: usize>(&mut self, kind: FrameKind, moving: bool) -> Frame<D> {
        let components = std::array::from_fn(|i| {
            std::array::from_fn(|axis| if D == 2 { CELL_2D[i][axis] } else { CELL_3D[i][axis] })
        });
        let origin = self.steps(&components, CELLS);
        let velocity = if moving { self.steps(&components, JUMPS) } else { [0.0; D] };
        Frame { kind, origin, components, velocity }
    }

    /// A place in the lattice, one of `count` along each of its directions, as many to either side of 0.
    fn steps<const D: usize>(&mut self, components: &[[f64; D]; D], count: u64) -> [f64; D] {
        let mut place = [0.0; D];
        for component in components {
            // The bias is negligible.
            let steps = (((self.numbers.bits() >> 32) * count) >> 32) as f64 - (count / 2) as f64;
            place.iter_mut().zip(component).for_each(|(x, side)| *x += steps * side);
        }
        place
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

/// A rotation about the third axis; its two numbers are not both 0.
fn about_third_axis(w: f64, z: f64) -> Rotation {
    let length = (w * w + z * z).sqrt();
    [w / length, 0.0, 0.0, z / length]
}

/// The coordinate axes, rotated; in the plane the rotation must be about the third axis.
fn rotated_axes<const D: usize>([w, x, y, z]: Rotation) -> [[f64; D]; D] {
    let axes = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)],
        [2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + w * x)],
        [2.0 * (x * z + w * y), 2.0 * (y * z - w * x), 1.0 - 2.0 * (x * x + y * y)],
    ];
    std::array::from_fn(|i| std::array::from_fn(|axis| axes[i][axis]))
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

    fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
        a.iter().zip(b).map(|(x, y)| x * y).sum()
    }

    fn frames_of<const D: usize>(orientation: Orientation) -> Vec<Frame<D>> {
        let mut random = RandomFrames::new(3).with_orientation(orientation);
        (0..200).map(|_| random.frame(true)).collect()
    }

    fn are_right_angled<const D: usize>() {
        for orientation in
            [Orientation::Tilted, Orientation::Upright, Orientation::Aligned, Orientation::Lattice]
        {
            for Frame { components, .. } in frames_of::<D>(orientation) {
                for (i, one) in components.iter().enumerate() {
                    assert!((24.0..=160.001).contains(&dot(one, one).sqrt()), "{orientation:?}");
                    assert!(components[..i].iter().all(|other| dot(one, other).abs() < 1e-10));
                }
            }
        }
    }

    #[test]
    fn oriented_frames_are_boxes() {
        are_right_angled::<2>();
        are_right_angled::<3>();
    }

    #[test]
    fn orientations_share_what_they_promise() {
        let direction = |v: &[f64; 3]| v.map(|x| x / dot(v, v).sqrt());
        let aligned = frames_of::<3>(Orientation::Aligned);
        let first = direction(&aligned[0].components[0]);
        assert!(aligned.iter().all(|frame| dot(&direction(&frame.components[0]), &first) > 1.0 - 1e-14));
        let tilted = frames_of::<3>(Orientation::Tilted);
        assert!(tilted[1..].iter().all(|frame| dot(&direction(&frame.components[0]), &first) < 0.999));
        for Frame { components: [x, y, z], .. } in frames_of::<3>(Orientation::Upright) {
            assert!(z[0] == 0.0 && z[1] == 0.0 && x[2] == 0.0 && y[2] == 0.0 && x[1] != 0.0);
        }
        assert!(frames_of::<2>(Orientation::Upright).iter().all(|frame| frame.components[0][1] == 0.0));
        for Frame { origin, components, velocity, .. } in frames_of::<3>(Orientation::Lattice) {
            assert_eq!(components, CELL_3D);
            for side in components {
                let steps = [&origin, &velocity].map(|v| dot(v, &side) / dot(&side, &side));
                assert!(steps.iter().all(|steps| steps.fract() == 0.0), "{steps:?}");
                assert!((-3.0..=2.0).contains(&steps[0]) && (-2.0..=2.0).contains(&steps[1]), "{steps:?}");
            }
        }
    }
}
