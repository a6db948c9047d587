//! A point of two bodies that overlap or touch: the mean of the middles of the parts of their edges that lie in the other
//! body.
//!
//! The corners of an overlap are ends of such parts, so that there is one, and a mean of points of both bodies is a point of
//! both (docs/methods/normals.md).

use super::body::{Arithmetic, Body, DIFFERENCES, dot, magnitude, norm, perpendicular};
use super::directions::BodyPair;
use crate::soa::block::{Mask, Quantity};

/// Most coordinates that bound a body: those of a tetrahedron and their sum.
const MOST_ROWS: usize = 4;

/// Changes of a coordinate along an edge are not taken below this, so that quotients are finite.
const LEAST_CHANGE: f64 = 1e-200;

/// Components are nearly dependent if the square of their determinant is below this share of the product of the squares of
/// their lengths.
const NEARLY_DEPENDENT: f64 = 1e-8;

/// A point of two bodies.
pub(super) struct CommonPoint<N: Quantity, const D: usize> {
    /// Seen from the origin of the first body; without meaning if `is_missing`.
    pub(super) place: [N; D],
    /// Whether no edge of one body seems to reach the other.
    pub(super) is_missing: N::Mask,
    /// Whether components are so nearly dependent that coordinates are far from exact.
    pub(super) is_vague: N::Mask,
}

impl<N: Quantity, const D: usize> BodyPair<N, D> {
    /// A point of both bodies at `time`. Bodies that are no farther apart than `slack` share one.
    #[inline(always)]
    pub(super) fn common_point<A: Arithmetic<N>>(&self, time: N, slack: N) -> CommonPoint<N, D> {
        let Self { one, two, velocity, is_moving, .. } = self;
        let mut offset = self.offset;
        let mut back = [N::ZERO; D];
        for axis in 0..D {
            if *is_moving {
                offset[axis] = offset[axis] + velocity[axis] * time;
            }
            back[axis] = -offset[axis];
        }
        let (in_one, one_is_vague) = Coordinates::new::<A>(one, slack);
        let (in_two, two_is_vague) = Coordinates::new::<A>(two, slack);
        let of_one = SharedEdges::new(one, &back, &in_two);
        let of_two = SharedEdges::new(two, &offset, &in_one);
        let count = of_one.count + of_two.count;
        let mut place = [N::ZERO; D];
        for axis in 0..D {
            let mut sum = of_two.count * offset[axis];
            for i in 0..D {
                sum =
                    sum + (of_one.sum[i] * one.components[i][axis] + of_two.sum[i] * two.components[i][axis]);
            }
            place[axis] = sum / count;
        }
        let is_missing = count.le(N::ZERO);
        CommonPoint { place, is_missing, is_vague: one_is_vague | two_is_vague }
    }
}

/// One value for each coordinate of a body.
type Values<N> = [N; MOST_ROWS];

/// The coordinates of a body: within it each is from 0 to 1.
struct Coordinates<N, const D: usize> {
    /// Their gradients; that of the sum after the others.
    rows: [[N; D]; MOST_ROWS],
    /// How far beyond 0 and 1 they may be.
    margins: Values<N>,
    count: usize,
}

impl<N: Quantity, const D: usize> Coordinates<N, D> {
    /// Also returns whether they are far from exact.
    #[inline(always)]
    fn new<A: Arithmetic<N>>(body: &Body<N, D>, slack: N) -> (Self, N::Mask) {
        let mut coordinates =
            Self { rows: [[N::ZERO; D]; MOST_ROWS], margins: [N::ZERO; MOST_ROWS], count: body.face_count() };
        let mut squares = N::splat(NEARLY_DEPENDENT);
        let mut determinant = N::ZERO;
        for k in 0..D {
            // In the plane the perpendicular of the other edge.
            let mut row = perpendicular::<N, A, D>(&body.edges[(k + 1) % D], &body.edges[(k + 2) % D]);
            let own = dot(&row, &body.edges[k]);
            if k == 0 {
                determinant = own;
            }
            squares = squares * dot(&body.edges[k], &body.edges[k]);
            let inverse = N::splat(1.0) / own;
            for axis in 0..D {
                row[axis] = row[axis] * inverse * body.inverse_lengths[k];
            }
            coordinates.rows[k] = row;
        }
        if body.is_tetrahedron {
            for k in 0..D {
                for axis in 0..D {
                    coordinates.rows[D][axis] = coordinates.rows[D][axis] + coordinates.rows[k][axis];
                }
            }
        }
        for k in 0..coordinates.count {
            coordinates.margins[k] = slack * norm(&coordinates.rows[k]);
        }
        (coordinates, (determinant * determinant).lt(squares))
    }

    /// The part of an edge that lies in the body, as a share of the edge: its middle, and whether there is one. Given are the
    /// coordinates where the edge starts and one over their changes along it.
    #[inline(always)]
    fn clip(&self, start: &Values<N>, inverse: &Values<N>) -> (N, N::Mask) {
        let (mut enter, mut leave) = (N::ZERO, N::splat(1.0));
        for row in 0..self.count {
            let low = (-self.margins[row] - start[row]) * inverse[row];
            let high = ((N::splat(1.0) + self.margins[row]) - start[row]) * inverse[row];
            enter = low.min(high).max(enter);
            leave = low.max(high).min(leave);
        }
        (N::splat(0.5) * (enter + leave), enter.le(leave))
    }
}

/// The parts of the edges of a body that lie in another.
struct SharedEdges<N, const D: usize> {
    /// The sum of the middles of all of them, in coordinates of the body.
    sum: [N; D],
    /// Their number.
    count: N,
}

impl<N: Quantity, const D: usize> SharedEdges<N, D> {
    /// `origin` is that of the body, seen from the origin of the other.
    #[inline(always)]
    fn new(body: &Body<N, D>, origin: &[N; D], other: &Coordinates<N, D>) -> Self {
        let mut edges = Self { sum: [N::ZERO; D], count: N::ZERO };
        let (mut start, mut along) = ([N::ZERO; MOST_ROWS], [[N::ZERO; MOST_ROWS]; D]);
        for row in 0..other.count {
            start[row] = dot(&other.rows[row], origin);
            for i in 0..D {
                along[i][row] = dot(&other.rows[row], &body.components[i]);
            }
        }
        if body.is_tetrahedron {
            edges.add_simplex(&start, &along, other);
        } else {
            edges.add_cuboid(&start, &along, other);
        }
        edges
    }

    /// The edges of a cuboid: along each component one from each corner of the face of the others.
    #[inline(always)]
    fn add_cuboid(&mut self, start: &Values<N>, along: &[Values<N>; D], other: &Coordinates<N, D>) {
        for i in 0..D {
            let inverse = inverse_changes(&along[i]);
            let others = [(i + 1) % D, (i + 2) % D];
            for corner in 0..1 << (D - 1) {
                let mut from = *start;
                for (n, k) in others.into_iter().enumerate().take(D - 1) {
                    if corner >> n & 1 == 1 {
                        from = sum(&from, &along[k]);
                    }
                }
                let (middle, is_shared) = other.clip(&from, &inverse);
                let one = is_shared.select(N::splat(1.0), N::ZERO);
                self.count = self.count + one;
                self.sum[i] = self.sum[i] + is_shared.select(middle, N::ZERO);
                for (n, k) in others.into_iter().enumerate().take(D - 1) {
                    if corner >> n & 1 == 1 {
                        self.sum[k] = self.sum[k] + one;
                    }
                }
            }
        }
    }

    /// The edges of a tetrahedron: its components, and from the end of one to that of another.
    #[inline(always)]
    fn add_simplex(&mut self, start: &Values<N>, along: &[Values<N>; D], other: &Coordinates<N, D>) {
        for i in 0..D {
            let (middle, is_shared) = other.clip(start, &inverse_changes(&along[i]));
            self.count = self.count + is_shared.select(N::splat(1.0), N::ZERO);
            self.sum[i] = self.sum[i] + is_shared.select(middle, N::ZERO);
        }
        for [minus, plus] in DIFFERENCES.into_iter().take(D * (D - 1) / 2) {
            let mut change = [N::ZERO; MOST_ROWS];
            for row in 0..MOST_ROWS {
                change[row] = along[plus][row] - along[minus][row];
            }
            let from = sum(start, &along[minus]);
            let (middle, is_shared) = other.clip(&from, &inverse_changes(&change));
            self.count = self.count + is_shared.select(N::splat(1.0), N::ZERO);
            self.sum[plus] = self.sum[plus] + is_shared.select(middle, N::ZERO);
            self.sum[minus] = self.sum[minus] + is_shared.select(N::splat(1.0) - middle, N::ZERO);
        }
    }
}

#[inline(always)]
fn sum<N: Quantity>(one: &Values<N>, two: &Values<N>) -> Values<N> {
    let mut sum = *one;
    for row in 0..MOST_ROWS {
        sum[row] = sum[row] + two[row];
    }
    sum
}

#[inline(always)]
fn inverse_changes<N: Quantity>(changes: &Values<N>) -> Values<N> {
    let mut inverse = *changes;
    for row in 0..MOST_ROWS {
        let is_faint = magnitude(changes[row]).lt(N::splat(LEAST_CHANGE));
        inverse[row] = N::splat(1.0) / is_faint.select(N::splat(LEAST_CHANGE), changes[row]);
    }
    inverse
}
