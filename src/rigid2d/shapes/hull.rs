//! Convex hulls of points.

use crate::error::Result;
use crate::geometry::{Aabb, Vec2};
use crate::soa::check;

/// Corners of a polygon stand out by more than this share of its largest extent along an axis.
pub const HULL_TOLERANCE: f64 = 1e-9;

/// The corners of the convex hull of any points, counter-clockwise from the one that is lowest of the leftmost.
///
/// Every point that was left out is within `tolerance`, in metres, of the polygon of the corners, but for rounding; and
/// every corner is farther than that from the line through its neighbours. Points on a line give two corners, and equal
/// points give one.
pub fn convex_hull(points: &[Vec2], tolerance: f64) -> Result<Vec<Vec2>> {
    super::check_points("points", points)?;
    check::non_negative("tolerance", 0, tolerance)?;
    Ok(hull(points, tolerance))
}

/// The largest extent of points along an axis.
pub(super) fn extent(points: &[Vec2]) -> f64 {
    let mut bounds = Aabb::EMPTY;
    points.iter().for_each(|&point| bounds.include(&point.into()));
    bounds.extent()
}

/// As [`convex_hull`], of finite points.
pub(super) fn hull(points: &[Vec2], tolerance: f64) -> Vec<Vec2> {
    let order = |a: &&Vec2, b: &&Vec2| (a.x, a.y).partial_cmp(&(b.x, b.y)).expect("points are finite");
    let (Some(&first), Some(&last)) = (points.iter().min_by(order), points.iter().max_by(order)) else {
        return Vec::new();
    };
    if first.distance(last) <= tolerance {
        return vec![first];
    }
    let mut corners = vec![first];
    append_chain(first, last, points, tolerance, &mut corners);
    corners.push(last);
    append_chain(last, first, points, tolerance, &mut corners);
    drop_flat(&mut corners, tolerance);
    corners
}

/// What is left to do on one side of the hull.
enum Task {
    /// Find the corners to the right of the line between two corners, among these points.
    Chain(Vec2, Vec2, Vec<Vec2>),
    Corner(Vec2),
}

/// Appends the corners to the right of the line from `a` to `b`, in this order (quickhull).
fn append_chain(a: Vec2, b: Vec2, points: &[Vec2], tolerance: f64, corners: &mut Vec<Vec2>) {
    let beyond = |a: Vec2, b: Vec2, points: &[Vec2]| {
        points.iter().copied().filter(|&p| height(a, p, b) > tolerance).collect::<Vec<_>>()
    };
    // A list of tasks instead of recursion, whose depth would depend on the points.
    let mut tasks = vec![Task::Chain(a, b, beyond(a, b, points))];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Corner(corner) => corners.push(corner),
            Task::Chain(a, b, points) => {
                let Some(far) = farthest(a, b, &points) else { continue };
                tasks.push(Task::Chain(far, b, beyond(far, b, &points)));
                tasks.push(Task::Corner(far));
                tasks.push(Task::Chain(a, far, beyond(a, far, &points)));
            }
        }
    }
}

/// The point farthest to the right of the line from `a` to `b`; of several the one that is first along the line.
fn farthest(a: Vec2, b: Vec2, points: &[Vec2]) -> Option<Vec2> {
    let place = |p: Vec2| (height(a, p, b), (a - p).dot(b - a));
    points.iter().copied().reduce(|best, p| if place(p) > place(best) { p } else { best })
}

/// How far `corner` is to the right of the line from `a` to `b`; from `a` if they are the same.
pub(super) fn height(a: Vec2, corner: Vec2, b: Vec2) -> f64 {
    let along = b - a;
    let length = along.length();
    if length > 0.0 { (corner - a).cross(along) / length } else { 0.0 }
}

/// The corner that stands out least, with its height over the line through its neighbours.
pub(super) fn flattest(corners: &[Vec2]) -> (usize, f64) {
    let n = corners.len();
    let height_of = |i: usize| {
        let before = if i == 0 { n - 1 } else { i - 1 };
        height(corners[before], corners[i], *corners.get(i + 1).unwrap_or(&corners[0]))
    };
    let mut flattest = (0, height_of(0));
    for i in 1..n {
        let height = height_of(i);
        if height < flattest.1 {
            flattest = (i, height);
        }
    }
    flattest
}

/// Takes corners away, the flattest first, until all stand out or two are left.
fn drop_flat(corners: &mut Vec<Vec2>, tolerance: f64) {
    while corners.len() > 2 {
        let (index, height) = flattest(corners);
        if height > tolerance {
            return;
        }
        corners.remove(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use proptest::prelude::*;

    fn points(list: &[[f64; 2]]) -> Vec<Vec2> {
        list.iter().map(|&p| p.into()).collect()
    }

    #[test]
    fn inner_doubled_and_collinear_points_are_left_out() {
        let given = points(&[
            [1.0, 1.0],
            [0.0, 0.0],
            [2.0, 2.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [0.0, 2.0],
            [2.0, 1.0],
            [0.0, 0.0],
            [2.0, 2.0],
            [2.0 + 1e-12, 0.3],
        ]);
        let expected = points(&[[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        assert_eq!(convex_hull(&given, 1e-9).unwrap(), expected);
        let backwards: Vec<Vec2> = given.iter().rev().copied().collect();
        assert_eq!(convex_hull(&backwards, 1e-9).unwrap(), expected);
    }

    #[test]
    fn flat_sets_have_few_corners() {
        assert_eq!(convex_hull(&[], 0.0).unwrap(), []);
        assert_eq!(convex_hull(&[Vec2::X; 5], 0.0).unwrap(), [Vec2::X]);
        let line: Vec<Vec2> = (0..9).map(|k| Vec2::new(f64::from(k), 0.1 * f64::from(k))).collect();
        assert_eq!(convex_hull(&line, 1e-12).unwrap(), [line[0], line[8]]);
    }

    #[test]
    fn bad_points_are_named() {
        let bad = convex_hull(&[Vec2::X, Vec2::new(0.0, f64::INFINITY)], 0.0);
        assert_eq!(bad, Err(Error::NotFinite { field: "points", index: 1, value: f64::INFINITY }));
        let bad = convex_hull(&[Vec2::X], -1.0);
        assert_eq!(bad, Err(Error::Negative { field: "tolerance", index: 0, value: -1.0 }));
    }

    #[test]
    fn a_fine_circle_is_kept_within_the_tolerance() {
        let corner =
            |k: i32| crate::geometry::Rotation::from_angle(f64::from(k) * std::f64::consts::TAU / 1e5);
        let circle: Vec<Vec2> = (0..100_000).map(|k| corner(k).turn(Vec2::X)).collect();
        let hull = convex_hull(&circle, 1e-6).unwrap();
        assert!((1500..5000).contains(&hull.len()), "{}", hull.len());
        let inner = hull.iter().zip(hull.iter().cycle().skip(1)).map(|(&a, &b)| a.lerp(b, 0.5).length());
        assert!(inner.fold(1.0, f64::min) > 1.0 - 1.01e-6);
    }

    proptest! {
        #[test]
        fn hulls_are_convex_and_hold_the_points(list in prop::collection::vec((-5i32..=5, -5i32..=5), 3..30), scale in 1e-3..1e3) {
            let given: Vec<Vec2> = list.iter().map(|&(x, y)| Vec2::new(f64::from(x), f64::from(y)) * scale).collect();
            let tolerance = 1e-9 * scale;
            let hull = convex_hull(&given, tolerance).unwrap();
            prop_assert!(hull.iter().all(|corner| given.contains(corner)));
            if hull.len() > 2 {
                prop_assert!(flattest(&hull).1 > tolerance);
                for (i, &a) in hull.iter().enumerate() {
                    let b = hull[(i + 1) % hull.len()];
                    prop_assert!(given.iter().all(|&p| height(a, p, b) <= 1.1 * tolerance));
                }
            } else {
                let (a, b) = (hull[0], hull[hull.len() - 1]);
                prop_assert!(given.iter().all(|&p| height(a, p, b).abs() <= 1.1 * tolerance));
            }
        }
    }
}
