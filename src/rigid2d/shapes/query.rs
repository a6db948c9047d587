//! Questions about one shape: the nearest point, and where a circle that moves along a segment touches it first.

use super::Geometry;
use crate::geometry::{Pose, Vec2};

/// The point of the surface of a shape that is nearest to a given point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// The nearest point of the surface, in metres.
    pub point: Vec2,
    /// The distance from the surface, in metres; negative inside.
    pub distance: f64,
    /// The unit vector in which the distance grows fastest; where there are several, one of them.
    pub gradient: Vec2,
}

/// Where a circle that moves along a segment touches a shape first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentHit {
    /// The share of the segment that is before the contact, from 0 to 1; 0 if they touch at the start.
    pub fraction: f64,
    /// The point of the surface of the shape, in metres.
    pub point: Vec2,
    /// The outward unit normal there.
    pub normal: Vec2,
}

impl Geometry {
    /// The nearest point of the surface of the shape of a body at this pose.
    #[must_use]
    pub fn nearest(&self, pose: Pose, point: Vec2) -> Nearest {
        let local = pose.local(point);
        let (to_core, gradient) =
            self.as_polygon(|vertices, normals| nearest_of_core(vertices, normals, local));
        let distance = to_core - self.radius();
        let gradient = pose.rotation.turn(gradient);
        Nearest { point: point - gradient * distance, distance, gradient }
    }

    /// The first contact of the shape of a body at this pose with a circle of this radius, in metres, that moves from `start`
    /// to `end`.
    #[must_use]
    pub fn segment_query(&self, pose: Pose, start: Vec2, end: Vec2, radius: f64) -> Option<SegmentHit> {
        let (local, way) = (pose.local(start), pose.rotation.turn_back(end - start));
        let rounding = self.radius() + radius;
        let (fraction, to_core, normal) = self.as_polygon(|vertices, normals| {
            let (distance, gradient) = nearest_of_core(vertices, normals, local);
            if distance <= rounding {
                return Some((0.0, distance, gradient));
            }
            let (fraction, normal) = first_contact(vertices, normals, local, way, rounding)?;
            Some((fraction, rounding, normal))
        })?;
        let normal = pose.rotation.turn(normal);
        let centre = start.lerp(end, fraction);
        Some(SegmentHit { fraction, point: centre - normal * (to_core - self.radius()), normal })
    }
}

/// The signed distance of a point from a core, and its gradient.
fn nearest_of_core(vertices: &[Vec2], normals: &[Vec2], point: Vec2) -> (f64, Vec2) {
    let Some(edge) = nearest_edge(vertices, normals, point) else {
        return from_vertex(vertices[0], point, Vec2::Y);
    };
    let normal = normals[edge];
    let separation = normal.dot(point - vertices[edge]);
    match vertex_beside(vertices, normal, edge, point) {
        Some(vertex) if separation > 0.0 => from_vertex(vertex, point, normal),
        _ => (separation, normal),
    }
}

/// The edge from whose line a point is farthest out. The nearest point of the polygon is on it or an end of it: the line of an
/// edge is nearer than a vertex by the cosine of an angle, which is smallest at the edges beside the nearest vertex.
fn nearest_edge(vertices: &[Vec2], normals: &[Vec2], point: Vec2) -> Option<usize> {
    let separation = |i: usize| normals[i].dot(point - vertices[i]);
    (0..normals.len()).reduce(|best, i| if separation(i) > separation(best) { i } else { best })
}

/// The end of an edge beyond which a point is.
fn vertex_beside(vertices: &[Vec2], normal: Vec2, edge: usize, point: Vec2) -> Option<Vec2> {
    let (a, b) = (vertices[edge], vertices[(edge + 1) % vertices.len()]);
    let along = normal.perpendicular();
    if along.dot(point - a) < 0.0 {
        Some(a)
    } else if along.dot(point - b) > 0.0 {
        Some(b)
    } else {
        None
    }
}

/// Distance and direction from a vertex; `otherwise` is the direction if the point is there.
fn from_vertex(vertex: Vec2, point: Vec2, otherwise: Vec2) -> (f64, Vec2) {
    let away = point - vertex;
    let distance = away.length();
    if distance > 0.0 { (distance, away * (1.0 / distance)) } else { (0.0, otherwise) }
}

/// The share of the way at which a point reaches the rounded polygon from outside, and the normal there.
fn first_contact(
    vertices: &[Vec2],
    normals: &[Vec2],
    start: Vec2,
    way: Vec2,
    rounding: f64,
) -> Option<(f64, Vec2)> {
    let round_vertex = |vertex: Vec2| {
        let fraction = enter_circle(start - vertex, way, rounding)?;
        Some((fraction, (start + way * fraction - vertex).normalized()))
    };
    if normals.is_empty() {
        return round_vertex(vertices[0]);
    }
    let (fraction, edge) = enter_planes(vertices, normals, start, way, rounding)?;
    // Between the planes of two edges and the rounded vertex there is nothing else to touch.
    match vertex_beside(vertices, normals[edge], edge, start + way * fraction) {
        Some(vertex) if rounding > 0.0 => round_vertex(vertex),
        _ => Some((fraction, normals[edge])),
    }
}

/// Where a segment that starts outside enters the polygon whose edges are moved outwards by `rounding`, and through which edge.
fn enter_planes(
    vertices: &[Vec2],
    normals: &[Vec2],
    start: Vec2,
    way: Vec2,
    rounding: f64,
) -> Option<(f64, usize)> {
    let (mut enter, mut leave, mut edge) = (0.0, 1.0, None);
    for (i, &normal) in normals.iter().enumerate() {
        let height = normal.dot(start - vertices[i]) - rounding;
        let approach = -normal.dot(way);
        if approach > 0.0 {
            let fraction = height / approach;
            if fraction > enter || (edge.is_none() && fraction >= 0.0) {
                (enter, edge) = (fraction, Some(i));
            }
        } else if approach < 0.0 {
            leave = f64::min(leave, height / approach);
        } else if height > 0.0 {
            return None;
        }
    }
    // A start that is outside none of these planes is beside a rounded vertex.
    let edge = edge.or_else(|| nearest_edge(vertices, normals, start))?;
    (enter <= leave).then_some((enter, edge))
}

/// The share of the way at which a point enters a circle around the origin from outside.
fn enter_circle(start: Vec2, way: Vec2, radius: f64) -> Option<f64> {
    let square = way.dot(way);
    let aside = start.cross(way);
    let below = radius * radius * square - aside * aside;
    let approach = -start.dot(way);
    if below < 0.0 || approach <= 0.0 {
        return None;
    }
    // Without the difference of numbers that may be nearly equal: the product of both solutions is known.
    let outside = (start.length() - radius) * (start.length() + radius);
    let fraction = outside / (approach + below.sqrt());
    (fraction <= 1.0).then(|| fraction.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Rotation;
    use proptest::prelude::*;

    fn pose() -> Pose {
        Pose { position: Vec2::new(1.0, -2.0), rotation: Rotation::from_angle(0.5) }
    }

    fn shapes() -> Vec<Geometry> {
        let skewed = [[0.0, 0.0], [3.0, -0.5], [3.5, 1.0], [1.0, 2.0], [-0.5, 1.5]].map(Vec2::from);
        vec![
            Geometry::circle(0.7, Vec2::new(1.0, 2.0)).unwrap(),
            Geometry::segment(Vec2::new(-1.0, 0.3), Vec2::new(2.0, 1.0), 0.0).unwrap(),
            Geometry::segment(Vec2::new(-1.0, 0.3), Vec2::new(2.0, 1.0), 0.4).unwrap(),
            Geometry::polygon(&skewed, 0.0).unwrap(),
            Geometry::polygon(&skewed, 0.6).unwrap(),
            Geometry::rectangle(2.0, 1.0, 0.0).unwrap(),
        ]
    }

    /// The distance by looking at every edge.
    fn by_edges(geometry: &Geometry, point: Vec2) -> f64 {
        let vertices = geometry.vertices();
        let n = vertices.len();
        let to_edge = |i: usize| {
            let (a, b) = (vertices[i], vertices[(i + 1) % n]);
            let square = (b - a).dot(b - a);
            let share = if square > 0.0 { ((point - a).dot(b - a) / square).clamp(0.0, 1.0) } else { 0.0 };
            a.lerp(b, share).distance(point)
        };
        let distance = (0..n).map(to_edge).fold(f64::INFINITY, f64::min);
        let inside =
            n > 2 && (0..n).all(|i| (vertices[(i + 1) % n] - vertices[i]).cross(point - vertices[i]) >= 0.0);
        (if inside { -distance } else { distance }) - geometry.radius()
    }

    proptest! {
        #[test]
        fn nearest_points_are_on_the_surface(x in -5.0..5.0, y in -5.0..5.0) {
            for geometry in shapes() {
                let point = Vec2::new(x, y);
                let nearest = geometry.nearest(pose(), point);
                prop_assert!((nearest.distance - by_edges(&geometry, pose().local(point))).abs() < 1e-13);
                prop_assert!((nearest.gradient.length() - 1.0).abs() < 1e-14);
                prop_assert!(geometry.nearest(pose(), nearest.point).distance.abs() < 1e-13);
                prop_assert!((nearest.point + nearest.gradient * nearest.distance).distance(point) < 1e-13);
            }
        }

        #[test]
        fn segments_stop_at_the_surface(
            from in (-6.0..6.0, -6.0..6.0),
            to in (-6.0..6.0, -6.0..6.0),
            radius in prop::sample::select(vec![0.0, 0.3]),
        ) {
            let (start, end) = (Vec2::new(from.0, from.1), Vec2::new(to.0, to.1));
            for geometry in shapes() {
                let distance = |share: f64| geometry.nearest(pose(), start.lerp(end, share)).distance - radius;
                let least = (0..=400).map(|k| distance(f64::from(k) / 400.0)).fold(f64::INFINITY, f64::min);
                let Some(hit) = geometry.segment_query(pose(), start, end, radius) else {
                    prop_assert!(least > -1e-12, "{geometry:?}");
                    continue;
                };
                if hit.fraction == 0.0 {
                    prop_assert!(distance(0.0) <= 1e-13);
                    prop_assert_eq!(hit.normal, geometry.nearest(pose(), start).gradient);
                } else {
                    prop_assert!(distance(hit.fraction).abs() < 1e-12, "{geometry:?} {hit:?}");
                    let before = (0..100).map(|k| distance(f64::from(k) / 100.0 * hit.fraction));
                    prop_assert!(before.fold(f64::INFINITY, f64::min) > -1e-12, "{geometry:?} {hit:?}");
                    prop_assert!(hit.normal.dot(end - start) <= 1e-12);
                }
                prop_assert!(geometry.nearest(pose(), hit.point).distance.abs() < 1e-12);
            }
        }
    }

    #[test]
    fn segments_against_a_rectangle() {
        let rectangle = Geometry::rectangle(2.0, 2.0, 0.0).unwrap();
        let query =
            |a: [f64; 2], b: [f64; 2], r| rectangle.segment_query(Pose::default(), a.into(), b.into(), r);
        let hit = query([-3.0, 0.5], [1.0, 0.5], 0.0).unwrap();
        assert_eq!((hit.fraction, hit.point, hit.normal), (0.5, Vec2::new(-1.0, 0.5), -Vec2::X));
        let hit = query([-3.0, 0.5], [1.0, 0.5], 1.0).unwrap();
        assert_eq!((hit.fraction, hit.point), (0.25, Vec2::new(-1.0, 0.5)));
        assert_eq!(query([-3.0, 0.5], [-1.5, 0.5], 0.25), None, "too short");
        assert_eq!(query([-3.0, 1.0], [3.0, 1.0], 0.0).unwrap().fraction, 1.0 / 3.0, "along a side");
        let corner = query([-1.0, 3.0], [3.0, -1.0], 0.0).unwrap();
        assert_eq!((corner.fraction, corner.point), (0.5, Vec2::new(1.0, 1.0)));
        assert_eq!(query([-1.0, 3.1], [3.1, -1.0], 0.0), None, "past a corner");
        let still = query([1.5, 0.0], [1.5, 0.0], 0.5).unwrap();
        assert_eq!((still.fraction, still.point, still.normal), (0.0, Vec2::X, Vec2::X));
        assert_eq!(query([1.5, 0.0], [1.5, 0.0], 0.25), None);
    }

    #[test]
    fn the_centre_of_a_circle_has_some_gradient() {
        let circle = Geometry::circle(2.0, Vec2::X).unwrap();
        let nearest = circle.nearest(Pose::default(), Vec2::X);
        assert_eq!((nearest.distance, nearest.point), (-2.0, Vec2::new(1.0, -2.0) + Vec2::Y * 4.0));
    }
}
