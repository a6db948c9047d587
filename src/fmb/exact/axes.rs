//! The axes that can separate two frames, and the test along each of them, written once for every kind of number.
//!
//! The insides of A and B share a point at some time if and only if 0 lies inside the convex body (B - A) +
//! \[0, T\] (V_B - V_A). If it does not, one of finitely many axes separates them: the normals of the facets of that
//! body, which are normals of faces, or products of two edges, or of an edge and the relative velocity.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use crate::frames::{Frame, FrameKind};

/// A number with a bound of its error.
pub(in crate::fmb) trait Arithmetic:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self>
{
    /// Exactly 0.
    const ZERO: Self;

    /// The number `value` / 2^`unit`. Floating-point numbers keep their own exponent and ignore the unit.
    fn read(value: f64, unit: i32) -> Self;

    /// How it compares with 0, if that is certain.
    fn sign(self) -> Option<Ordering>;

    /// The lower of two numbers.
    fn lower(self, other: Self) -> Self;

    /// The higher of two numbers.
    fn higher(self, other: Self) -> Self;

    /// The difference of two numbers that were just read.
    fn difference(self, other: Self) -> Self {
        self - other
    }
}

/// The units in which lengths, velocities and the duration are read, as exponents of 2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::fmb) struct BinaryUnits {
    pub(in crate::fmb) length: i32,
    pub(in crate::fmb) velocity: i32,
    pub(in crate::fmb) time: i32,
}

/// Two frames, and the duration if they move relative to each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct FramePair<'a, const D: usize> {
    pub(super) a: &'a Frame<D>,
    pub(super) b: &'a Frame<D>,
    pub(super) duration: Option<f64>,
}

impl<'a, const D: usize> FramePair<'a, D> {
    pub(super) fn new(a: &'a Frame<D>, b: &'a Frame<D>, duration: Option<f64>) -> Self {
        let duration = duration.filter(|&duration| duration != 0.0 && a.velocity != b.velocity);
        Self { a, b, duration }
    }

    /// Every coordinate of the origins and components.
    pub(super) fn lengths(&self) -> impl Iterator<Item = f64> {
        let of = |frame: &'a Frame<D>| frame.origin.iter().chain(frame.components.as_flattened());
        of(self.a).chain(of(self.b)).copied()
    }

    /// Every coordinate of the velocities.
    pub(super) fn velocities(&self) -> impl Iterator<Item = f64> {
        self.a.velocity.iter().chain(&self.b.velocity).copied()
    }

    /// Every number that the answer depends on.
    pub(super) fn numbers(&self) -> impl Iterator<Item = f64> {
        let moving = if self.duration.is_some() { 2 * D } else { 0 };
        self.lengths().chain(self.velocities().take(moving)).chain(self.duration)
    }

    /// How many of the axes are coordinate axes and normals of faces. They come first.
    pub(super) fn face_count(&self) -> usize {
        D + faces::<D>(self.a.kind).len() + faces::<D>(self.b.kind).len()
    }

    /// The axes, cheap ones first.
    pub(super) fn axes(&self) -> impl Iterator<Item = SeparatingAxis> {
        let (a, b) = (edge_count::<D>(self.a.kind), edge_count::<D>(self.b.kind));
        let edges = |from: usize, count: usize| (from..from + count).map(|edge| edge as u8);
        let coordinates = (0..D).map(|k| [COORDINATE, k as u8]);
        let faces_of_b = faces::<D>(self.b.kind).iter().map(|face| face.map(|edge| edge + SECOND as u8));
        let faces = faces::<D>(self.a.kind).iter().copied().chain(faces_of_b);
        let pairs = edges(0, if D == 2 { 0 } else { a })
            .flat_map(move |one| edges(SECOND, b).map(move |two| [one, two]));
        let swept = match (self.duration, D) {
            (None, _) => 0,
            (_, 2) => 1,
            _ => a + b,
        };
        let sweeps = edges(0, a).chain(edges(SECOND, b)).map(|edge| [VELOCITY as u8, edge]).take(swept);
        coordinates.chain(faces).chain(pairs).chain(sweeps)
    }
}

/// An axis as the two vectors of a [`NumericPair`] that it is perpendicular to, of which only the first counts in
/// 2D. Or [`COORDINATE`] and the number of a coordinate axis.
pub(super) type SeparatingAxis = [u8; 2];

/// Marks a coordinate axis. These are tested first, and other axes parallel to them are skipped: frames that lie along the
/// coordinate axes, which are common, need no others.
const COORDINATE: u8 = u8::MAX;

/// More axes than any two frames have: 3 coordinates, 8 faces, 36 pairs of edges, 12 of an edge and the
/// velocity.
const MOST_AXES: usize = 64;

/// A list of axes.
pub(super) struct AxisList {
    list: [SeparatingAxis; MOST_AXES],
    len: usize,
}

impl AxisList {
    pub(super) const NONE: Self = Self { list: [[0; 2]; MOST_AXES], len: 0 };

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    pub(super) fn push(&mut self, axis: SeparatingAxis) {
        self.list[self.len] = axis;
        self.len += 1;
    }

    pub(super) fn as_slice(&self) -> &[SeparatingAxis] {
        &self.list[..self.len]
    }
}

/// Most edge directions of a frame: those of a tetrahedron.
const MOST_EDGES: usize = 6;
/// Where the edges of the second frame begin among the vectors of a [`NumericPair`].
const SECOND: usize = MOST_EDGES;
/// Where the relative velocity is among the vectors of a [`NumericPair`].
const VELOCITY: usize = 2 * MOST_EDGES;

/// Edge directions that are not components but differences of two.
const DIAGONALS: [[usize; 2]; 3] = [[1, 0], [2, 0], [2, 1]];

fn edge_count<const D: usize>(kind: FrameKind) -> usize {
    match kind {
        FrameKind::Cuboid => D,
        FrameKind::Tetrahedron => D + D * (D - 1) / 2,
    }
}

/// For each face, two edges in it.
fn faces<const D: usize>(kind: FrameKind) -> &'static [SeparatingAxis] {
    let (all, straight): (&[SeparatingAxis], _) = match D {
        2 => (&[[0, 0], [1, 1], [2, 2]], 2),
        _ => (&[[0, 1], [0, 2], [1, 2], [3, 4]], 3),
    };
    match kind {
        FrameKind::Cuboid => &all[..straight],
        FrameKind::Tetrahedron => all,
    }
}

/// Two frames as numbers of one type.
#[derive(Clone, Copy)]
pub(super) struct NumericPair<N, const D: usize> {
    kinds: [FrameKind; 2],
    /// O_B - O_A.
    offset: [N; D],
    /// The edges of A, those of B from [`SECOND`] on, and [`VELOCITY`]. A frame's components come first among
    /// its edges.
    vectors: [[N; D]; VELOCITY + 1],
    /// The relative velocity times the duration.
    displacement: Option<[N; D]>,
}

/// All of it is inlined, because products of [`Tracked`](super::tracked::Tracked) are those of a level of instructions.
impl<N: Arithmetic, const D: usize> NumericPair<N, D> {
    #[inline(always)]
    pub(super) fn read(frames: &FramePair<'_, D>, units: BinaryUnits) -> Self {
        let FramePair { a, b, duration } = *frames;
        let mut pair = Self {
            kinds: [a.kind, b.kind],
            offset: read_difference(&b.origin, &a.origin, units.length),
            vectors: [[N::ZERO; D]; VELOCITY + 1],
            displacement: None,
        };
        read_edges(a, units.length, &mut pair.vectors[..SECOND]);
        read_edges(b, units.length, &mut pair.vectors[SECOND..VELOCITY]);
        if let Some(duration) = duration {
            let velocity = read_difference(&b.velocity, &a.velocity, units.velocity);
            let (duration, mut displacement) = (N::read(duration, units.time), velocity);
            for x in &mut displacement {
                *x = *x * duration;
            }
            pair.vectors[VELOCITY] = velocity;
            pair.displacement = Some(displacement);
        }
        pair
    }

    /// Whether an axis separates the frames, if that is certain. An axis of length 0 does not.
    #[inline(always)]
    pub(super) fn separates(&self, axis: SeparatingAxis) -> Option<bool> {
        if axis[0] == COORDINATE {
            return self.separates_along(
                #[inline(always)]
                |vector| vector[usize::from(axis[1])],
            );
        }
        let normal = perpendicular(&self.vectors[usize::from(axis[0])], &self.vectors[usize::from(axis[1])]);
        let (mut zeros, mut is_clear) = (0, false);
        for x in normal {
            match x.sign() {
                Some(Ordering::Equal) => zeros += 1,
                Some(_) => is_clear = true,
                None => {}
            }
        }
        if zeros + 1 >= D {
            return Some(false); // nothing, or a coordinate axis
        }
        if !is_clear {
            return None;
        }
        self.separates_along(
            #[inline(always)]
            |vector| dot(&normal, vector),
        )
    }

    /// Whether 0 is outside or at the end of the projection of (B - A) + \[0, T\] (V_B - V_A) on a direction.
    #[inline(always)]
    fn separates_along(&self, along: impl Fn(&[N; D]) -> N) -> Option<bool> {
        let offset = along(&self.offset);
        let [a_low, a_high] = extent(self.kinds[0], &self.vectors, 0, &along);
        let [b_low, b_high] = extent(self.kinds[1], &self.vectors, SECOND, &along);
        let (mut low, mut high) = (offset + (b_low - a_high), offset + (b_high - a_low));
        if let Some(displacement) = &self.displacement {
            let displacement = along(displacement);
            low = low + displacement.lower(N::ZERO);
            high = high + displacement.higher(N::ZERO);
        }
        let (low, high) = (low.sign(), high.sign());
        match (low, high) {
            (Some(Ordering::Less), Some(Ordering::Greater)) => Some(false),
            (Some(Ordering::Equal | Ordering::Greater), _) => Some(true),
            (_, Some(Ordering::Equal | Ordering::Less)) => Some(true),
            _ => None,
        }
    }
}

#[inline(always)]
fn read_difference<N: Arithmetic, const D: usize>(from: &[f64; D], take: &[f64; D], unit: i32) -> [N; D] {
    let mut difference = [N::ZERO; D];
    for k in 0..D {
        difference[k] = N::read(from[k], unit).difference(N::read(take[k], unit));
    }
    difference
}

#[inline(always)]
fn read_edges<N: Arithmetic, const D: usize>(frame: &Frame<D>, unit: i32, edges: &mut [[N; D]]) {
    let components = &frame.components;
    for (edge, component) in edges.iter_mut().zip(components) {
        for (to, from) in edge.iter_mut().zip(component) {
            *to = N::read(*from, unit);
        }
    }
    let diagonals = edge_count::<D>(frame.kind) - D;
    for (edge, &[to, from]) in edges[D..].iter_mut().zip(&DIAGONALS[..diagonals]) {
        *edge = read_difference(&components[to], &components[from], unit);
    }
}

/// The lowest and the highest point of a frame relative to its origin, along a direction.
#[inline(always)]
fn extent<N: Arithmetic, const D: usize>(
    kind: FrameKind,
    vectors: &[[N; D]; VELOCITY + 1],
    first: usize,
    along: impl Fn(&[N; D]) -> N,
) -> [N; 2] {
    let mut heights = [N::ZERO; D];
    for (i, height) in heights.iter_mut().enumerate() {
        *height = along(&vectors[first + i]);
    }
    let [mut low, mut high] = [N::ZERO; 2];
    match kind {
        FrameKind::Cuboid => {
            for height in heights {
                (low, high) = (low + height.lower(N::ZERO), high + height.higher(N::ZERO));
            }
        }
        FrameKind::Tetrahedron => {
            for height in heights {
                (low, high) = (low.lower(height), high.higher(height));
            }
        }
    }
    [low, high]
}

/// A vector perpendicular to two in 3D, to the first in 2D.
#[inline(always)]
fn perpendicular<N: Arithmetic, const D: usize>(one: &[N; D], two: &[N; D]) -> [N; D] {
    let mut normal = [N::ZERO; D];
    for (k, x) in normal.iter_mut().enumerate() {
        *x = match D {
            2 if k == 0 => N::ZERO - one[1],
            2 => one[0],
            _ => {
                let (next, last) = ((k + 1) % D, (k + 2) % D);
                one[next] * two[last] - one[last] * two[next]
            }
        };
    }
    normal
}

#[inline(always)]
fn dot<N: Arithmetic, const D: usize>(one: &[N; D], two: &[N; D]) -> N {
    let mut sum = one[0] * two[0];
    for k in 1..D {
        sum = sum + one[k] * two[k];
    }
    sum
}
