//! SAT: which frames intersect, by the separating axis test (docs/methods/fmb.md).
//!
//! The qualification of [`fmb`](crate::fmb) compares with it, and tests use it as an independent oracle: the two share no
//! code. It computes in plain floating point: for frames that almost touch the answer depends on rounding.

use crate::frames::{Frame, FrameKind};
use crate::geometry::vector::dot;

/// Edges whose normal is shorter than this share of the product of their lengths count as parallel: the normal is noise.
const PARALLEL: f64 = 1e-12;

/// A frame has at most six edges of different directions: those of a tetrahedron.
const MOST_EDGES: usize = 6;

/// Whether the insides of two frames share a point, at some time from 0 to `duration` seconds if they move. Frames whose
/// projections on an axis only touch are separated.
///
/// For coordinates between 1e-70 and 1e70: lengths are squared twice.
///
/// ```
/// use carom::{Frame, sat};
///
/// let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
/// assert!(sat::intersects(&square(0.0), &square(0.5), None));
/// assert!(!sat::intersects(&square(0.0), &square(1.0), None));
/// ```
#[must_use]
pub fn intersects<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
    let pair = SatPair::new(a, b, duration);
    match D {
        2 => !pair.is_separated_in_plane(),
        3 => !pair.is_separated_in_space(),
        _ => unreachable!("frames have two or three dimensions"),
    }
}

/// Two frames relative to the first one, which is at rest at the origin.
struct SatPair<'a, const D: usize> {
    a: &'a Frame<D>,
    b: &'a Frame<D>,
    /// From the origin of `a` to that of `b`.
    apart: [f64; D],
    /// Displacement of `b` relative to `a`, unless it is 0.
    displacement: Option<Edge<D>>,
}

/// A direction, and its squared length.
#[derive(Clone, Copy)]
struct Edge<const D: usize> {
    along: [f64; D],
    squared: f64,
}

impl<const D: usize> Edge<D> {
    fn new(along: [f64; D]) -> Self {
        Self { along, squared: dot(&along, &along) }
    }
}

/// The directions of the edges of a frame.
struct FrameEdges<const D: usize> {
    edges: [Edge<D>; MOST_EDGES],
    count: usize,
}

impl<const D: usize> FrameEdges<D> {
    /// The components; of a tetrahedron also their differences.
    fn of(frame: &Frame<D>) -> Self {
        let mut edges = Self { edges: [Edge { along: [0.0; D], squared: 0.0 }; MOST_EDGES], count: 0 };
        for (i, component) in frame.components.iter().enumerate() {
            edges.push(*component);
            if frame.kind == FrameKind::Tetrahedron {
                frame.components[..i].iter().for_each(|other| edges.push(minus(component, other)));
            }
        }
        edges
    }

    fn push(&mut self, along: [f64; D]) {
        self.edges[self.count] = Edge::new(along);
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = &Edge<D>> {
        self.edges[..self.count].iter()
    }
}

impl<'a, const D: usize> SatPair<'a, D> {
    fn new(a: &'a Frame<D>, b: &'a Frame<D>, duration: Option<f64>) -> Self {
        let displacement = duration
            .map(|duration| Edge::new(minus(&b.velocity, &a.velocity).map(|velocity| velocity * duration)));
        Self {
            a,
            b,
            apart: minus(&b.origin, &a.origin),
            displacement: displacement.filter(|displacement| displacement.squared > 0.0),
        }
    }

    /// The axes of the plane: the normals of the edges of both frames and of the displacement.
    fn is_separated_in_plane(&self) -> bool {
        let separates = |edge: &Edge<D>| self.is_separated_on(&turned(&edge.along));
        FrameEdges::of(self.a).iter().any(separates)
            || FrameEdges::of(self.b).iter().any(separates)
            || self.displacement.iter().any(separates)
    }

    /// The axes of space: the normals of the faces of both frames, of an edge of each, and of an edge and the displacement.
    fn is_separated_in_space(&self) -> bool {
        if self.is_separated_by_face_of(self.a) || self.is_separated_by_face_of(self.b) {
            return true;
        }
        let (of_a, of_b) = (FrameEdges::of(self.a), FrameEdges::of(self.b));
        of_a.iter().any(|one| of_b.iter().any(|two| self.is_separated_by_edges(one, two)))
            || self.displacement.iter().any(|moved| {
                of_a.iter().chain(of_b.iter()).any(|edge| self.is_separated_by_edges(edge, moved))
            })
    }

    fn is_separated_by_face_of(&self, frame: &Frame<D>) -> bool {
        let [first, .., last] = &frame.components[..] else { unreachable!("a frame has components") };
        let middle = &frame.components[1];
        let far_face = || cross(&minus(middle, first), &minus(last, first));
        self.is_separated_on(&cross(first, middle))
            || self.is_separated_on(&cross(middle, last))
            || self.is_separated_on(&cross(last, first))
            || (frame.kind == FrameKind::Tetrahedron && self.is_separated_on(&far_face()))
    }

    #[inline(always)]
    fn is_separated_by_edges(&self, one: &Edge<D>, two: &Edge<D>) -> bool {
        let axis = cross(&one.along, &two.along);
        let parallel = dot(&axis, &axis) <= PARALLEL * PARALLEL * (one.squared * two.squared);
        !parallel && self.is_separated_on(&axis)
    }

    /// Whether the projections of both frames on an axis share no more than a point.
    #[inline(always)]
    fn is_separated_on(&self, axis: &[f64; D]) -> bool {
        let [a_min, a_max] = projection(self.a, axis);
        let [b_min, b_max] = projection(self.b, axis);
        let apart = dot(&self.apart, axis);
        let moved = self.displacement.as_ref().map_or(0.0, |moved| dot(&moved.along, axis));
        apart + b_min + moved.min(0.0) >= a_max || a_min >= apart + b_max + moved.max(0.0)
    }
}

/// Least and largest projection of the vertices of a frame, relative to its origin. A vertex of a cuboid is the sum of any
/// of the components, a vertex of a tetrahedron of at most one.
#[inline(always)]
fn projection<const D: usize>(frame: &Frame<D>, axis: &[f64; D]) -> [f64; 2] {
    let along = frame.components.map(|component| dot(&component, axis));
    match frame.kind {
        FrameKind::Cuboid => {
            along.iter().fold([0.0, 0.0], |[min, max], x| [min + x.min(0.0), max + x.max(0.0)])
        }
        FrameKind::Tetrahedron => along.iter().fold([0.0, 0.0], |[min, max], x| [x.min(min), x.max(max)]),
    }
}

#[inline(always)]
fn minus<const D: usize>(u: &[f64; D], v: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| u[axis] - v[axis])
}

/// A vector of the plane, turned by a right angle.
#[inline(always)]
fn turned<const D: usize>(u: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| if axis == 0 { -u[1] } else { u[0] })
}

/// The cross product of vectors of space.
#[inline(always)]
fn cross<const D: usize>(u: &[f64; D], v: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| {
        let (k, l) = ((axis + 1) % D, (axis + 2) % D);
        u[k] * v[l] - u[l] * v[k]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CUBE: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    fn agree<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>, expected: bool) {
        assert_eq!(intersects(a, b, duration), expected);
        assert_eq!(intersects(b, a, duration), expected);
    }

    #[test]
    fn cubes_that_touch_are_separated() {
        let at = |x: f64, y: f64, z: f64| Frame::cuboid([x, y, z], CUBE);
        agree(&at(0.0, 0.0, 0.0), &at(0.5, 0.5, 0.5), None, true);
        for touching in [at(1.0, 0.0, 0.0), at(-1.0, 0.5, 0.0), at(0.5, 1.0, 1.0), at(1.0, 1.0, -1.0)] {
            agree(&at(0.0, 0.0, 0.0), &touching, None, false);
        }
    }

    #[test]
    fn only_the_normal_of_two_edges_separates_crossed_wedges() {
        // Two tetrahedra whose sharp edges cross at right angles, 2 * gap apart.
        let wedge = |gap: f64| {
            Frame::tetrahedron([-1.0, 0.0, gap], [[2.0, 0.0, 0.0], [1.0, 1.0, 2.0], [1.0, -1.0, 2.0]])
        };
        let other = |gap: f64| {
            Frame::tetrahedron([0.0, -1.0, -gap], [[0.0, 2.0, 0.0], [1.0, 1.0, -2.0], [-1.0, 1.0, -2.0]])
        };
        agree(&wedge(0.01), &other(0.01), None, false);
        agree(&wedge(-0.01), &other(-0.01), None, true);
    }

    #[test]
    fn the_triangle_ends_at_its_long_edge() {
        let triangle = Frame::tetrahedron([0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
        let square = |at: f64| Frame::cuboid([at, at], [[1.0, 0.0], [0.0, 1.0]]);
        agree(&triangle, &square(0.49), None, true);
        agree(&triangle, &square(0.51), None, false);
    }

    #[test]
    fn a_motion_past_a_corner_is_separated_by_its_own_normal() {
        let square = |x: f64, y: f64| Frame::cuboid([x, y], [[1.0, 0.0], [0.0, 1.0]]);
        let passing = |offset: f64| square(-2.0 - offset, 0.0 + offset).with_velocity([2.0, 2.0]);
        agree(&square(0.0, 0.0), &passing(0.1), Some(1.0), false);
        agree(&square(0.0, 0.0), &passing(-0.1), Some(1.0), true);
        agree(&square(0.0, 0.0), &passing(-0.1), Some(0.4), false);
        agree(&square(0.0, 0.0), &passing(-0.1), None, false);
    }

    #[test]
    fn noise_of_parallel_edges_separates_nothing() {
        let third = 1.0 / 3.0;
        let turned = [[0.6 * third, 0.8 * third, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.1, third]];
        let scaled = turned.map(|edge| edge.map(|x| 0.7 * x));
        agree(&Frame::cuboid([0.1; 3], turned), &Frame::cuboid([0.1; 3], scaled), None, true);
    }

    #[test]
    fn frames_that_move_together_are_as_at_rest() {
        let cube = |x: f64| Frame::cuboid([x, 0.0, 0.0], CUBE).with_velocity([3.0, -1.0, 2.0]);
        agree(&cube(0.0), &cube(0.9), Some(1.0), true);
        agree(&cube(0.0), &cube(1.1), Some(1.0), false);
    }
}
