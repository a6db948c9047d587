//! The scalar twins of the lane kernels: one pair of shapes at a time.

use super::manifold::{CLEARANCE, Edge, LEAST_DISTANCE_SQUARED, Manifold, ManifoldPoint, PREFERENCE, Pair};
use crate::geometry::Vec2;
use crate::rigid2d::shapes::outline::Outline;
use crate::soa::block::Quantity;

/// Two circles.
pub(crate) fn circles(a: &Outline<f64>, b: &Outline<f64>, pair: &Pair) -> Manifold {
    let ([radius_a, radius_b], centre_a, centre_b) = (pair.radii, vertex(a, 0), vertex(b, 0));
    let way = pair.pose.point(centre_b) - centre_a;
    let squared = way.dot(way);
    let distance = squared.sqrt();
    let normal = if squared > LEAST_DISTANCE_SQUARED { way * (1.0 / distance) } else { Vec2::X };
    let separation = distance - (radius_a + radius_b);
    let at_a = centre_a + normal * radius_a;
    let at_b = centre_b - pair.pose.rotation.turn_back(normal) * radius_b;
    one_point(normal, at_a, at_b, separation, pair.margin)
}

/// A circle, which is A, and a polygon of at most `N` vertices.
pub(crate) fn circle_and_polygon<const N: usize>(
    circle: &Outline<f64>,
    polygon: &Outline<f64>,
    pair: &Pair,
) -> Manifold {
    let ([radius_a, radius_b], centre) = (pair.radii, vertex(circle, 0));
    // In the frame of the polygon.
    let point = pair.pose.local(centre);
    let separation_from = |i| normal(polygon, i).dot(point) - normal(polygon, i).dot(vertex(polygon, i));
    let (mut best, mut face_separation) = (0, separation_from(0));
    for i in 1..N {
        let separation = separation_from(i);
        if separation > face_separation {
            (best, face_separation) = (i, separation);
        }
    }
    let [start, end] = [vertex(polygon, best), vertex(polygon, (best + 1) % N)];
    let (face_normal, tangent) = (normal(polygon, best), normal(polygon, best).perpendicular());
    let place = (point - start).dot(tangent);
    let beyond = Quantity::max(-place, place - (end - start).dot(tangent));
    let position = pair.pose.position;
    let size = (position.x.abs() + position.y.abs()) + (centre.x.abs() + centre.y.abs());
    let (outward, foot, distance) = if face_separation > 0.0 && beyond > size * CLEARANCE {
        let corner = if place < 0.0 { start } else { end };
        let way = point - corner;
        let distance = way.length();
        (way * (1.0 / distance), corner, distance)
    } else {
        (face_normal, point - face_normal * face_separation, face_separation)
    };
    let normal = -pair.pose.rotation.turn(outward);
    let separation = distance - (radius_a + radius_b);
    one_point(normal, centre + normal * radius_a, foot + outward * radius_b, separation, pair.margin)
}

/// Two polygons of at most `N` vertices each; segments are polygons, too.
///
/// The best normal of both is next to the direction of least distance, or is the direction of least depth, and the edge of
/// the other polygon that faces it has the closest vertex (docs/methods/manifolds.md, section 1).
pub(crate) fn polygons<const N: usize>(a: &Outline<f64>, b: &Outline<f64>, pair: &Pair) -> Manifold {
    let a: [Edge; N] = edges(a, |vertex| vertex, |normal| normal);
    let b: [Edge; N] = edges(b, |vertex| pair.pose.point(vertex), |normal| pair.pose.rotation.turn(normal));
    let ((best_a, separation_a), (best_b, separation_b)) = (best_normal(&a, &b), best_normal(&b, &a));
    let overlap = Quantity::max(separation_a, separation_b) <= 0.0;
    let preference = if overlap { pair.margin * PREFERENCE } else { 0.0 };
    if separation_b > separation_a + preference {
        let reference = &b[best_b];
        pair.of_edges(&a[facing(&a, reference.normal)], reference, true, separation_b)
    } else {
        let reference = &a[best_a];
        pair.of_edges(reference, &b[facing(&b, reference.normal)], false, separation_a)
    }
}

/// The edge along whose normal `other` is farthest away, and how far.
fn best_normal<const N: usize>(edges: &[Edge; N], other: &[Edge; N]) -> (usize, f64) {
    let separation_along = |edge: &Edge| {
        let mut least = edge.normal.dot(other[0].start);
        for vertex in &other[1..] {
            least = Quantity::min(edge.normal.dot(vertex.start), least);
        }
        least - edge.normal.dot(edge.start)
    };
    let mut best = (0, separation_along(&edges[0]));
    for (i, edge) in edges.iter().enumerate().skip(1) {
        let separation = separation_along(edge);
        if separation > best.1 {
            best = (i, separation);
        }
    }
    best
}

/// The edge whose normal is most opposed to this one. The length of the sum of both normals tells edges apart whose cosines
/// are equal but for rounding.
fn facing<const N: usize>(edges: &[Edge; N], normal: Vec2) -> usize {
    let squared = |edge: &Edge| (normal + edge.normal).dot(normal + edge.normal);
    let (mut best, mut least) = (0, squared(&edges[0]));
    for (i, edge) in edges.iter().enumerate().skip(1) {
        let sum = squared(edge);
        if sum < least {
            (best, least) = (i, sum);
        }
    }
    best
}

/// The first `N` edges of an outline, with every vector put through one of these; the last edge ends at vertex 0.
fn edges<const N: usize>(
    outline: &Outline<f64>,
    point: impl Fn(Vec2) -> Vec2,
    turn: impl Fn(Vec2) -> Vec2,
) -> [Edge; N] {
    let vertices: [Vec2; N] = std::array::from_fn(|i| point(vertex(outline, i)));
    std::array::from_fn(|i| {
        let next = (i + 1) % N;
        // Padding is vertex 0 again.
        let end = if vertices[next] == vertices[0] { 0 } else { next };
        let normal = turn(normal(outline, i));
        Edge { start: vertices[i], end: vertices[next], normal, vertices: [i as u8, end as u8] }
    })
}

fn vertex(outline: &Outline<f64>, i: usize) -> Vec2 {
    Vec2::new(outline.x[i], outline.y[i])
}

fn normal(outline: &Outline<f64>, i: usize) -> Vec2 {
    Vec2::new(outline.normal_x[i], outline.normal_y[i])
}

/// The manifold of a round shape: its only point has the id 0, so that it persists while the shape rolls.
fn one_point(normal: Vec2, a: Vec2, b: Vec2, separation: f64, margin: f64) -> Manifold {
    if separation <= margin {
        let point = ManifoldPoint { a, b, separation, id: 0 };
        Manifold { normal, points: [point, ManifoldPoint::default()], count: 1 }
    } else {
        Manifold::default()
    }
}
