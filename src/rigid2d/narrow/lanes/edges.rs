//! The manifolds of two edges per lane, as [`Pair::of_edges`](super::super::manifold::Pair::of_edges) computes them.

use super::blocks::{BlockOfPairs, Touch, TouchPoint};
use super::vector::Vector;
use crate::rigid2d::narrow::manifold::{CLEARANCE, CLEARANCE_F32};
use crate::soa::block::{LANES, Lanes};

/// An edge per lane, in the frame of A.
#[derive(Clone, Copy)]
pub(super) struct Edges<L> {
    pub(super) start: Vector<L>,
    pub(super) end: Vector<L>,
    pub(super) normal: Vector<L>,
    /// Numbers of both vertices.
    pub(super) vertices: [L; 2],
}

impl<L: Lanes> Edges<L> {
    #[inline(always)]
    pub(super) fn select(mask: L, yes: &Self, no: &Self) -> Self {
        Self {
            start: Vector::select(mask, yes.start, no.start),
            end: Vector::select(mask, yes.end, no.end),
            normal: Vector::select(mask, yes.normal, no.normal),
            vertices: [
                mask.select(yes.vertices[0], no.vertices[0]),
                mask.select(yes.vertices[1], no.vertices[1]),
            ],
        }
    }

    /// How far a point is beyond the nearer end, along the edge; negative between the ends.
    #[inline(always)]
    fn beyond(&self, point: Vector<L>) -> L {
        let tangent = self.normal.perpendicular();
        let place = (point - self.start).dot(tangent);
        (-place).max(place - (self.end - self.start).dot(tangent))
    }
}

/// The closest vertices of two edges.
#[derive(Clone, Copy)]
struct Corners<L> {
    a: Vector<L>,
    b: Vector<L>,
    squared: L,
    id: L,
}

impl<L: Lanes> Corners<L> {
    #[inline(always)]
    fn new(a: Vector<L>, vertex_a: L, b: Vector<L>, vertex_b: L) -> Self {
        Self { a, b, squared: (b - a).dot(b - a), id: id(vertex_a, vertex_b) }
    }

    /// The closer ones, and the lanes in which these are the others.
    #[inline(always)]
    fn closer(self, other: Self) -> (Self, L) {
        let closer = other.squared.lt(self.squared);
        let corners = Self {
            a: Vector::select(closer, other.a, self.a),
            b: Vector::select(closer, other.b, self.b),
            squared: closer.select(other.squared, self.squared),
            id: closer.select(other.id, self.id),
        };
        (corners, closer)
    }
}

#[inline(always)]
fn id<L: Lanes>(vertex_a: L, vertex_b: L) -> L {
    vertex_a * L::splat(256.0) + vertex_b
}

/// What counts as apart, as part of the size of the coordinates.
#[inline(always)]
pub(super) fn clearance<L: Lanes>() -> L {
    L::splat(if L::COUNT == LANES { CLEARANCE } else { CLEARANCE_F32 })
}

/// A block of points before the rounding radii are taken into account.
#[derive(Clone, Copy)]
struct CorePoint<L> {
    a: Vector<L>,
    b: Vector<L>,
    separation: L,
    id: L,
}

impl<L: Lanes> CorePoint<L> {
    #[inline(always)]
    fn select(mask: L, yes: &Self, no: &Self) -> Self {
        Self {
            a: Vector::select(mask, yes.a, no.a),
            b: Vector::select(mask, yes.b, no.b),
            separation: mask.select(yes.separation, no.separation),
            id: mask.select(yes.id, no.id),
        }
    }

    /// The separation along this normal in the lanes of the mask.
    #[inline(always)]
    fn with_normal(self, normal: Vector<L>, mask: L) -> Self {
        let separation = mask.select(normal.dot(self.b - self.a), self.separation);
        Self { separation, ..self }
    }
}

/// What clipping gives: the normal from A to B, and the points in the order of the edge of A.
struct Clipped<L> {
    normal: Vector<L>,
    points: [CorePoint<L>; 2],
    /// The lanes in which both are one point.
    single: L,
}

impl<L: Lanes> BlockOfPairs<'_, L> {
    /// The manifolds of the edges that are closest, or that overlap least. `separation` is that of the cores along the
    /// normal of the reference edge, which is `b` in the lanes of `b_is_reference`.
    #[inline(always)]
    pub(super) fn of_edges(&self, a: &Edges<L>, b: &Edges<L>, b_is_reference: L, separation: L) -> Touch<L> {
        let ([a_start, a_end], [b_start, b_end]) = (a.vertices, b.vertices);
        let (same_end, at_second) =
            Corners::new(a.start, a_start, b.end, b_end).closer(Corners::new(a.end, a_end, b.start, b_start));
        let (other_end, _) =
            Corners::new(a.start, a_start, b.start, b_start).closer(Corners::new(a.end, a_end, b.end, b_end));
        let (corners, alone) = same_end.closer(other_end);
        let at_second = alone.select(L::ZERO, at_second);

        let clear = (self.pose.position.size() + corners.a.size()) * clearance();
        let Clipped { normal: face_normal, points: [first, second], single } =
            clip(a, b, b_is_reference, clear);
        let are_closest =
            L::ZERO.lt(separation) & clear.lt(a.beyond(corners.b)) & clear.lt(b.beyond(corners.a));
        let distance = corners.squared.sqrt();
        let way = (corners.b - corners.a) * (L::ONE / distance);
        let normal = Vector::select(are_closest, way, face_normal);
        let between = CorePoint { a: corners.a, b: corners.b, separation: distance, id: corners.id };
        let [first, second] =
            [first.with_normal(normal, are_closest), second.with_normal(normal, are_closest)];

        let single = single | (alone & are_closest);
        let only_second = are_closest.select(at_second, second.separation.lt(first.separation));
        let to_second = at_second & are_closest;
        let to_first = at_second.select(L::ZERO, are_closest);
        let first = CorePoint::select(to_first, &between, &first);
        let second = CorePoint::select(to_second, &between, &second);
        let [mut first, mut second] = [self.on_surfaces(normal, &first), self.on_surfaces(normal, &second)];
        first.present = (single & only_second).select(L::ZERO, first.present);
        second.present = only_second.select(L::ZERO, single).select(L::ZERO, second.present);
        let apart = are_closest.select(distance, separation) - (self.radii[0] + self.radii[1]);
        Touch { normal, points: [first, second], apart }
    }

    /// Moves a point from the cores to the surfaces.
    #[inline(always)]
    fn on_surfaces(&self, normal: Vector<L>, core: &CorePoint<L>) -> TouchPoint<L> {
        let [radius_a, radius_b] = self.radii;
        let separation = core.separation - (radius_a + radius_b);
        TouchPoint {
            a: core.a + normal * radius_a,
            b: self.pose.local(core.b - normal * radius_b),
            separation,
            id: core.id,
            present: separation.le(self.margin),
        }
    }
}

/// The points of the incident edge within the sides of the reference edge; a vertex that is beyond a side by no more than
/// `clear` stays.
#[inline(always)]
fn clip<L: Lanes>(a: &Edges<L>, b: &Edges<L>, b_is_reference: L, clear: L) -> Clipped<L> {
    let reference = Edges::select(b_is_reference, b, a);
    let incident = Edges::select(b_is_reference, a, b);
    let (normal, tangent) = (reference.normal, reference.normal.perpendicular());
    let along = (reference.end - reference.start).dot(tangent);
    let high = (incident.start - reference.start).dot(tangent);
    let low = (incident.end - reference.start).dot(tangent);
    let width = high - low;
    let (wide, beyond) = (L::ZERO.lt(width), high - along);
    let from_low = clamp(-low / width) & wide & clear.lt(-low);
    let from_high = clamp(beyond / width) & wide & clear.lt(beyond);
    let at_low = incident.end + (incident.start - incident.end) * from_low;
    let at_high = incident.start + (incident.end - incident.start) * from_high;

    // The order is that of the edge of A, so that it does not depend on the reference.
    let first = Vector::select(b_is_reference, at_high, at_low);
    let second = Vector::select(b_is_reference, at_low, at_high);
    let points = [
        at(first, &reference, b_is_reference, id(a.vertices[0], b.vertices[1])),
        at(second, &reference, b_is_reference, id(a.vertices[1], b.vertices[0])),
    ];
    let single = along.min(high).le(L::ZERO.max(low));
    Clipped { normal: Vector::select(b_is_reference, -normal, normal), points, single }
}

/// The point of contact at a point of the incident edge.
#[inline(always)]
fn at<L: Lanes>(place: Vector<L>, reference: &Edges<L>, b_is_reference: L, id: L) -> CorePoint<L> {
    let separation = (place - reference.start).dot(reference.normal);
    let foot = place - reference.normal * separation;
    CorePoint {
        a: Vector::select(b_is_reference, place, foot),
        b: Vector::select(b_is_reference, foot, place),
        separation,
        id,
    }
}

/// The nearest number from 0 to 1.
#[inline(always)]
fn clamp<L: Lanes>(number: L) -> L {
    number.max(L::ZERO).min(L::ONE)
}
