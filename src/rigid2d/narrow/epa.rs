//! How deep two convex shapes overlap: the expanding polytope algorithm (van den Bergen, 2001), in the plane.
//!
//! A polygon inside that of all differences grows where it is closest to the origin, until its nearest edge is an edge of
//! the whole. Then this is the nearest edge of all, and its distance the shortest translation that separates the shapes.

use std::cell::RefCell;

use super::gjk::{Closest, Difference, Point, TOUCHING, at, share};
use crate::geometry::Vec2;

/// A vertex that is beyond the line of an edge by less than this part of the size of the shapes is on it but for rounding.
const COLLINEAR: f64 = 1e-15;

thread_local! {
    /// The polygon that grows; kept, so that a step does not allocate once it has had its size.
    static POLYGON: RefCell<Vec<Point>> = const { RefCell::new(Vec::new()) };
}

/// The shortest translation that separates two cores that touch or overlap.
pub(super) fn closest(difference: &Difference) -> Closest {
    POLYGON.with_borrow_mut(|polygon| grow(polygon, difference))
}

fn grow(polygon: &mut Vec<Point>, difference: &Difference) -> Closest {
    let tolerance = TOUCHING * difference.size;
    start(polygon, difference, tolerance);
    if polygon.len() == 1 {
        let Point { a, b, way } = polygon[0];
        return Closest { on_a: a, on_b: b, normal: Vec2::X, distance: way.dot(Vec2::X) };
    }
    loop {
        let edge = nearest_edge(polygon, tolerance);
        let [first, second] = ends(polygon, edge);
        let normal = inward(first, second);
        let beyond = difference.least(normal);
        // A vertex that is farther out by no more than rounding is on the line of the edge.
        let is_last = (first.way - beyond.way).dot(normal) <= COLLINEAR * difference.size;
        if is_last || polygon.len() >= difference.most_vertices() {
            let distance = first.way.dot(normal);
            // What was found may be a part of the edge only, and the closest point in another part.
            let [first, second] = difference.edge(normal);
            let [on_a, on_b] = at(first, second, share(first, second).clamp(0.0, 1.0));
            return Closest { on_a, on_b, normal, distance };
        }
        polygon.insert(edge + 1, beyond);
    }
}

/// Starts with the lowest, rightmost, highest and leftmost vertices, counter-clockwise, without those that are the same.
fn start(polygon: &mut Vec<Point>, difference: &Difference, tolerance: f64) {
    polygon.clear();
    for direction in [Vec2::Y, -Vec2::X, -Vec2::Y, Vec2::X] {
        let point = difference.least(direction);
        if polygon.iter().all(|known| known.way.distance(point.way) > tolerance) {
            polygon.push(point);
        }
    }
}

fn ends(polygon: &[Point], edge: usize) -> [Point; 2] {
    [polygon[edge], polygon[(edge + 1) % polygon.len()]]
}

/// The inward unit normal of an edge: from A to B, as the origin is inside.
fn inward(first: Point, second: Point) -> Vec2 {
    (second.way - first.way).perpendicular().normalized()
}

/// The edge to which the origin is closest, or beyond which it is farthest; the first of several.
fn nearest_edge(polygon: &[Point], tolerance: f64) -> usize {
    let (mut nearest, mut least) = (0, f64::INFINITY);
    for edge in 0..polygon.len() {
        let distance = distance_inside(ends(polygon, edge), tolerance);
        if distance < least {
            (nearest, least) = (edge, distance);
        }
    }
    nearest
}

/// The distance of the origin from an edge; if it is beyond its line by more than rounding, that from the line, negative.
///
/// Inside a polygon the nearest edge is the one with the nearest line, too, but at an obtuse vertex several lines are equally
/// near, and the nearest point is on one of the edges only.
fn distance_inside([first, second]: [Point; 2], tolerance: f64) -> f64 {
    let depth = -first.way.dot(inward(first, second));
    if depth < -tolerance {
        return depth;
    }
    let share = share(first, second).clamp(0.0, 1.0);
    (first.way + (second.way - first.way) * share).length()
}
