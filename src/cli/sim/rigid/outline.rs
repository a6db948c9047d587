//! Outlines of shapes, for pictures.

use carom::geometry::{Pose, Rotation, Vec2};
use carom::rigid2d::Geometry;

use super::super::paths::Point;

/// Turn from one point of an arc to the next, in radians, at most.
const ARC: f64 = std::f64::consts::PI / 8.0;

/// The outline of a shape of a body at this pose, counter-clockwise.
pub(super) fn outline(geometry: &Geometry, pose: Pose) -> Vec<Point> {
    let core: Vec<Vec2> = geometry.vertices().iter().map(|&vertex| pose.point(vertex)).collect();
    let radius = geometry.radius();
    let points = if radius == 0.0 { core } else { rounded(&core, radius) };
    points.into_iter().map(<[f64; 2]>::from).collect()
}

/// The points within a radius of a convex polygon, or of a segment or a point.
fn rounded(core: &[Vec2], radius: f64) -> Vec<Vec2> {
    let n = core.len();
    let normal = |edge: usize| {
        let along = core[(edge + 1) % n] - core[edge % n];
        if along == Vec2::ZERO { Vec2::X } else { -along.normalized().perpendicular() }
    };
    let mut points = Vec::new();
    for (vertex, &corner) in core.iter().enumerate() {
        let (from, to) = (normal(vertex + n - 1), normal(vertex));
        let turn = from.cross(to).atan2(from.dot(to));
        // A point turns all the way, and both ends of a segment by half of it.
        let turn = if n == 1 {
            std::f64::consts::TAU
        } else if turn <= 0.0 {
            std::f64::consts::PI
        } else {
            turn
        };
        let pieces = (turn / ARC).ceil().max(1.0) as u32;
        for piece in 0..=pieces {
            let angle = turn * f64::from(piece) / f64::from(pieces);
            points.push(corner + Rotation::from_angle(angle).turn(from) * radius);
        }
    }
    points
}

/// The part of a convex polygon between two corners of a rectangle (Sutherland and Hodgman).
pub(super) fn clipped(polygon: &[Point], lower: Point, upper: Point) -> Vec<Point> {
    let mut points = polygon.to_vec();
    for axis in 0..2 {
        for (bound, sign) in [(lower[axis], 1.0), (upper[axis], -1.0)] {
            let inside = |point: &Point| sign * (point[axis] - bound) >= 0.0;
            let mut kept = Vec::new();
            for (n, end) in points.iter().enumerate() {
                let start = &points[(n + points.len() - 1) % points.len()];
                if inside(start) != inside(end) {
                    let share = (bound - start[axis]) / (end[axis] - start[axis]);
                    let mut cut = [0, 1].map(|k| start[k] + share * (end[k] - start[k]));
                    cut[axis] = bound;
                    kept.push(cut);
                }
                if inside(end) {
                    kept.push(*end);
                }
            }
            points = kept;
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_are_cut_at_the_sides_of_a_rectangle() {
        let square = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert_eq!(clipped(&square, [-1.0; 2], [3.0; 2]), square);
        let mut cut = clipped(&square, [1.0; 2], [3.0; 2]);
        cut.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(cut, [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]);
        assert!(clipped(&square, [5.0; 2], [6.0; 2]).is_empty());
    }

    #[test]
    fn outlines_are_as_far_out_as_the_radius() {
        let pose = Pose { position: Vec2::new(1.0, 0.0), rotation: Rotation::NONE };
        for (geometry, width, height) in [
            (Geometry::circle(0.5, Vec2::ZERO).unwrap(), 1.0, 1.0),
            (Geometry::segment(Vec2::ZERO, Vec2::X, 0.25).unwrap(), 1.5, 0.5),
            (Geometry::rectangle(2.0, 1.0, 0.5).unwrap(), 3.0, 2.0),
            (Geometry::rectangle(2.0, 1.0, 0.0).unwrap(), 2.0, 1.0),
        ] {
            let points = outline(&geometry, pose);
            let extent = |axis: usize| {
                let of =
                    |start: f64, pick: fn(f64, f64) -> f64| points.iter().map(|p| p[axis]).fold(start, pick);
                of(f64::NEG_INFINITY, f64::max) - of(f64::INFINITY, f64::min)
            };
            assert!((extent(0) - width).abs() < 1e-9 && (extent(1) - height).abs() < 1e-9, "{geometry:?}");
        }
    }
}
