//! The normal and the points of a contact, and how two edges give them.
//!
//! The rules and why they hold are in docs/methods/manifolds.md. Everything is in the frame of A, the first shape of a pair; the lanes compute the same in the same order, to the bit.

use crate::geometry::{Pose, Vec2};
use crate::soa::block::Quantity;

/// A corner counts as apart from an edge only beyond this part of the size of the coordinates. It is far above the
/// rounding of `f64`, so that the direction between two corners is right to 1e-5, and an error of the distance below it
/// is harmless.
pub(crate) const CLEARANCE: f64 = 1.0 / (1_u64 << 36) as f64;

/// The same for `f32`.
pub(crate) const CLEARANCE_F32: f64 = 1.0 / (1_u64 << 16) as f64;

/// How much less two shapes must overlap along the best normal of B than along that of A for B to become the reference,
/// in parts of the margin. Where both are equal but for rounding, as in a stack of equal boxes, the reference thus stays;
/// the depth differs from the least one by no more than this, which is far below what a solver leaves. Shapes that are
/// disjoint have no such preference: only the best normal leads to the closest points.
pub(crate) const PREFERENCE: f64 = 1e-3;

/// Centres closer than the square root of this, in metres, have no direction between them.
pub(crate) const LEAST_DISTANCE_SQUARED: f64 = 1e-30;

/// One point of a manifold.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct ManifoldPoint {
    /// On the surface of A, rounding radius included, in the frame of A; in metres.
    pub(crate) a: Vec2,
    /// On the surface of B, rounding radius included, in the frame of B; in metres.
    pub(crate) b: Vec2,
    /// From `a` to `b` along the normal, in metres; negative if the shapes overlap there.
    pub(crate) separation: f64,
    /// Vertex of A in the upper byte, vertex of B in the lower one; see [`Edge::vertices`].
    pub(crate) id: u16,
}

/// Where two shapes touch or nearly touch.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Manifold {
    /// Unit vector from A to B, in the frame of A; 0 if there are no points.
    pub(crate) normal: Vec2,
    /// The first [`count`](Self::count) are there, the others are 0.
    pub(crate) points: [ManifoldPoint; 2],
    /// Points that are there.
    pub(crate) count: u8,
}

/// An edge of a convex shape, counter-clockwise, in the frame of A.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    /// First vertex, in metres.
    pub(crate) start: Vec2,
    /// Second vertex, in metres; at the end of a segment the same as the first.
    pub(crate) end: Vec2,
    /// Outward unit normal.
    pub(crate) normal: Vec2,
    /// Numbers of both vertices, modulo 256. The points of two edges have the ids (start of A, end of B) and (end of A,
    /// start of B), whichever is the reference: so they stay when the reference changes, and when two edges of the same
    /// length slide past each other.
    pub(crate) vertices: [u8; 2],
}

/// What two shapes have in common, apart from their vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// Of B in the frame of A.
    pub(crate) pose: Pose,
    /// Rounding radii of A and B, in metres.
    pub(crate) radii: [f64; 2],
    /// Points with a larger separation are left out, in metres.
    pub(crate) margin: f64,
}

/// A point of a manifold before the rounding radii are taken into account.
#[derive(Debug, Clone, Copy)]
struct CorePoint {
    /// On the outline of A, in the frame of A.
    a: Vec2,
    /// On the outline of B, in the frame of A.
    b: Vec2,
    separation: f64,
    id: u16,
}

/// The closest vertices of two edges.
#[derive(Debug, Clone, Copy)]
struct Corners {
    a: Vec2,
    b: Vec2,
    squared: f64,
    id: u16,
    /// The place of these two among the points of the edges, if they are at the same end.
    place: Option<usize>,
}

/// What clipping gives: the normal from A to B, and the points in the order of the edge of A.
#[derive(Debug, Clone, Copy)]
struct Clipped {
    normal: Vec2,
    points: [CorePoint; 2],
    /// Whether both are one point, as at the end of a segment.
    single: bool,
}

impl Pair {
    /// The manifold of the edges that are closest, or that overlap least: the incident edge clipped to the sides of the
    /// reference edge, with the normal of the latter; or with the direction between two vertices if these are closer than
    /// anything else.
    ///
    /// `separation` is that of the cores along the normal of the reference edge, which is `b` if `b_is_reference`.
    #[inline(always)]
    pub(crate) fn of_edges(&self, a: &Edge, b: &Edge, b_is_reference: bool, separation: f64) -> Manifold {
        let corners = closest_corners(a, b);
        let clear = self.clearance(&corners);
        let clipped = if b_is_reference { clip(b, a, true, clear) } else { clip(a, b, false, clear) };
        if separation > 0.0 && are_closest(a, b, &corners, clear) {
            self.of_corners(&clipped, &corners)
        } else {
            let [first, second] = clipped.points;
            self.finish(clipped.normal, [first, second], clipped.single, second.separation < first.separation)
        }
    }

    /// Lengths along edges up to this one are rounding.
    #[inline(always)]
    fn clearance(&self, corners: &Corners) -> f64 {
        let position = self.pose.position;
        let size = (position.x.abs() + position.y.abs()) + (corners.a.x.abs() + corners.a.y.abs());
        size * CLEARANCE
    }

    /// One point between two vertices; and if these are at the same end of edges that lie beside each other, as in a stack
    /// of rounded boxes, the point at the other end, too.
    #[inline(always)]
    fn of_corners(&self, clipped: &Clipped, corners: &Corners) -> Manifold {
        let distance = corners.squared.sqrt();
        let normal = (corners.b - corners.a) * (1.0 / distance);
        let mut points = clipped.points;
        for point in &mut points {
            point.separation = normal.dot(point.b - point.a);
        }
        let Corners { a, b, id, place, .. } = *corners;
        points[place.unwrap_or(0)] = CorePoint { a, b, separation: distance, id };
        self.finish(normal, points, clipped.single || place.is_none(), place == Some(1))
    }

    /// Moves points from the cores to the surfaces, and leaves out those that are too far apart. If they are a single one,
    /// only the second one stays, or only the first one.
    #[inline(always)]
    fn finish(&self, normal: Vec2, points: [CorePoint; 2], single: bool, second: bool) -> Manifold {
        let mut manifold = Manifold { normal, ..Manifold::default() };
        for (k, core) in points.iter().enumerate() {
            let [radius_a, radius_b] = self.radii;
            let separation = core.separation - (radius_a + radius_b);
            let stays = !single || second == (k == 1);
            if stays && separation <= self.margin {
                let a = core.a + normal * radius_a;
                let b = self.pose.local(core.b - normal * radius_b);
                manifold.points[usize::from(manifold.count)] =
                    ManifoldPoint { a, b, separation, id: core.id };
                manifold.count += 1;
            }
        }
        if manifold.count == 0 { Manifold::default() } else { manifold }
    }
}

/// Whether no other points of the edges are closer than these vertices.
///
/// A convex function has its least value where no way along an edge leads down, so it is sufficient that each vertex is
/// beyond the end of the other edge.
#[inline(always)]
fn are_closest(a: &Edge, b: &Edge, corners: &Corners, clear: f64) -> bool {
    beyond(a, corners.b) > clear && beyond(b, corners.a) > clear
}

/// The points of `incident` within the sides of `reference`, with separations along the normal of `reference`.
///
/// A vertex that is beyond a side by rounding only stays: if the incident edge is steep, the tip of a needle, the point where
/// it crosses the side is far away from there.
#[inline(always)]
fn clip(reference: &Edge, incident: &Edge, b_is_reference: bool, clear: f64) -> Clipped {
    let (normal, tangent) = (reference.normal, reference.normal.perpendicular());
    let along = (reference.end - reference.start).dot(tangent);
    // The incident edge goes the other way: from `high` to `low`.
    let high = (incident.start - reference.start).dot(tangent);
    let low = (incident.end - reference.start).dot(tangent);
    let width = high - low;
    let share = |beyond: f64| if width > 0.0 && beyond > clear { clamp(beyond / width) } else { 0.0 };
    let [from_low, from_high] = [share(-low), share(high - along)];
    let at_low = incident.end + (incident.start - incident.end) * from_low;
    let at_high = incident.start + (incident.end - incident.start) * from_high;
    let at = |incident_point: Vec2, [of_reference, of_incident]: [u8; 2]| {
        let separation = (incident_point - reference.start).dot(normal);
        let foot = incident_point - normal * separation;
        if b_is_reference {
            CorePoint { a: incident_point, b: foot, separation, id: id(of_incident, of_reference) }
        } else {
            CorePoint { a: foot, b: incident_point, separation, id: id(of_reference, of_incident) }
        }
    };
    let ([r_start, r_end], [i_start, i_end]) = (reference.vertices, incident.vertices);
    let [low_point, high_point] = [at(at_low, [r_start, i_end]), at(at_high, [r_end, i_start])];
    let single = Quantity::min(along, high) <= Quantity::max(0.0, low);
    // The order is that of the edge of A, so that it does not depend on the reference.
    if b_is_reference {
        Clipped { normal: -normal, points: [high_point, low_point], single }
    } else {
        Clipped { normal, points: [low_point, high_point], single }
    }
}

#[inline(always)]
fn closest_corners(a: &Edge, b: &Edge) -> Corners {
    let ([a_start, a_end], [b_start, b_end]) = (a.vertices, b.vertices);
    let corners = |a: Vec2, vertex_a, b: Vec2, vertex_b, place| Corners {
        a,
        b,
        squared: (b - a).dot(b - a),
        id: id(vertex_a, vertex_b),
        place,
    };
    let closer = |one: Corners, other: Corners| if other.squared < one.squared { other } else { one };
    let same_end = closer(
        corners(a.start, a_start, b.end, b_end, Some(0)),
        corners(a.end, a_end, b.start, b_start, Some(1)),
    );
    let other_end =
        closer(corners(a.start, a_start, b.start, b_start, None), corners(a.end, a_end, b.end, b_end, None));
    closer(same_end, other_end)
}

/// How far a point is beyond the nearer end of an edge, along the edge; negative between the ends.
#[inline(always)]
fn beyond(edge: &Edge, point: Vec2) -> f64 {
    let tangent = edge.normal.perpendicular();
    let place = (point - edge.start).dot(tangent);
    Quantity::max(-place, place - (edge.end - edge.start).dot(tangent))
}

/// The id of a point.
pub(crate) fn id(vertex_a: u8, vertex_b: u8) -> u16 {
    u16::from(vertex_a) << 8 | u16::from(vertex_b)
}

/// The nearest number from 0 to 1.
fn clamp(number: f64) -> f64 {
    Quantity::min(Quantity::max(number, 0.0), 1.0)
}
