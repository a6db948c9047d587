//! Where two forms touch.

use crate::geometry::{Pose, Vec2};
use crate::rigid2d::narrow::manifold::{Edge, Pair};
use crate::rigid2d::shapes::Geometry;
use crate::rigid2d::space::contact_set::ContactSet;

/// Where two forms with any number of vertices touch, at the poses of their coordinates.
pub(super) fn contacts(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> ContactSet {
    match (a, b) {
        (Geometry::Circle(circle), _) => of_circle(circle.radius(), pose_a.point(circle.offset()), b, pose_b),
        (_, Geometry::Circle(circle)) => {
            of_circle(circle.radius(), pose_b.point(circle.offset()), a, pose_a).swapped()
        }
        _ => of_polygons(a, pose_a, b, pose_b),
    }
}

fn of_circle(radius: f64, centre: Vec2, other: &Geometry, pose: Pose) -> ContactSet {
    let nearest = other.nearest(pose, centre);
    if nearest.distance > radius {
        return ContactSet::default();
    }
    let normal = -nearest.gradient;
    ContactSet::new(normal, &[[centre + normal * radius, nearest.point]])
}

/// The same rules as in the lanes, for any number of vertices.
fn of_polygons(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> ContactSet {
    let relative = pose_a.relative(pose_b);
    let edges_a = edges(a, Pose::default());
    let edges_b = edges(b, relative);
    let ((best_a, separation_a), (best_b, separation_b)) =
        (best_normal(&edges_a, &edges_b), best_normal(&edges_b, &edges_a));
    let pair = Pair { pose: relative, radii: [a.radius(), b.radius()], margin: 0.0 };
    let manifold = if separation_b > separation_a {
        let reference = &edges_b[best_b];
        pair.of_edges(&edges_a[facing(&edges_a, reference.normal)], reference, true, separation_b)
    } else {
        let reference = &edges_a[best_a];
        pair.of_edges(reference, &edges_b[facing(&edges_b, reference.normal)], false, separation_a)
    };
    let points = manifold.points.map(|point| [pose_a.point(point.a), pose_b.point(point.b)]);
    ContactSet::new(pose_a.rotation.turn(manifold.normal), &points[..usize::from(manifold.count)])
}

fn edges(geometry: &Geometry, pose: Pose) -> Vec<Edge> {
    geometry.as_polygon(|vertices, normals| {
        let n = vertices.len();
        (0..n)
            .map(|i| Edge {
                start: pose.point(vertices[i]),
                end: pose.point(vertices[(i + 1) % n]),
                normal: pose.rotation.turn(normals[i]),
                vertices: [i as u8, ((i + 1) % n) as u8],
            })
            .collect()
    })
}

/// The edge along whose normal the other form is farthest away, and how far.
fn best_normal(edges: &[Edge], other: &[Edge]) -> (usize, f64) {
    let separation = |edge: &Edge| {
        let least = other.iter().map(|vertex| edge.normal.dot(vertex.start)).fold(f64::INFINITY, f64::min);
        least - edge.normal.dot(edge.start)
    };
    let mut best = (0, f64::NEG_INFINITY);
    for (i, edge) in edges.iter().enumerate() {
        let separation = separation(edge);
        if separation > best.1 {
            best = (i, separation);
        }
    }
    best
}

/// The edge whose normal is most opposed to this one.
fn facing(edges: &[Edge], normal: Vec2) -> usize {
    let cosine = |i: usize| normal.dot(edges[i].normal);
    (1..edges.len()).fold(0, |best, i| if cosine(i) < cosine(best) { i } else { best })
}
