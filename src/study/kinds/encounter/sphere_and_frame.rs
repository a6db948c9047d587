//! When a sphere that moves in a straight line first touches a frame (docs/methods/statistics.md, section 9).
//!
//! The distance of a point on a straight line from a convex body is a convex function of time. Newton's method from the left
//! therefore never passes the first time at which it is the radius.

use crate::frames::{Frame, FrameKind};

/// Steps of Newton's method: at a grazing contact each halves the rest.
const MOST_STEPS: u32 = 100;
/// A distance is that of contact within this share of the lengths that it is the difference of.
const PRECISION: f64 = 1e-13;

/// When a sphere with this centre and velocity, relative to the frame, first touches it within `duration` seconds; 0 if it
/// does so from the start.
pub(super) fn first_contact<const D: usize>(
    frame: &Frame<D>,
    centre: [f64; D],
    velocity: [f64; D],
    radius: f64,
    duration: f64,
) -> Option<f64> {
    let mut time = 0.0;
    for _ in 0..MOST_STEPS {
        let at = along(centre, velocity, time);
        let gap = difference(at, nearest(frame, at));
        let distance = dot(gap, gap).sqrt();
        if distance - radius <= PRECISION * (distance + radius) {
            return Some(time);
        }
        let approach = -dot(gap, velocity) / distance;
        let next = time + (distance - radius) / approach;
        if approach <= 0.0 || next > duration {
            return None;
        }
        if next <= time {
            return Some(time);
        }
        time = next;
    }
    Some(time)
}

/// A sphere around the centre of mass of the frame that contains it: its radius.
pub(super) fn bounding_radius<const D: usize>(frame: &Frame<D>) -> f64 {
    frame.components.iter().map(|edge| dot(*edge, *edge).sqrt()).sum()
}

/// The point of a frame that is nearest to another point: the nearest of those points of its faces, edges and vertices that
/// are perpendicular below it.
fn nearest<const D: usize>(frame: &Frame<D>, point: [f64; D]) -> [f64; D] {
    let mut best = (f64::INFINITY, point);
    each_face(frame, |base, edges, is_share| {
        if let Some(foot) = foot(base, edges, point, is_share) {
            let gap = difference(point, foot);
            // A point inside is its own nearest point.
            let square = if edges.len() == D { 0.0 } else { dot(gap, gap) };
            if square < best.0 {
                best = (square, if edges.len() == D { point } else { foot });
            }
        }
    });
    best.1
}

/// Whether coordinates along the edges of a face are those of a point of it.
type IsShare = fn(&[f64]) -> bool;

/// A vertex, the edges from it, and the rule for coordinates of every face of any dimension, the frame itself first.
fn each_face<const D: usize>(frame: &Frame<D>, mut see: impl FnMut([f64; D], &[[f64; D]], IsShare)) {
    let mut edges = Vec::with_capacity(D);
    match frame.kind {
        FrameKind::Cuboid => {
            // Every coordinate is free, 0 or 1.
            for face in 0..3_usize.pow(D as u32) {
                edges.clear();
                let (mut base, mut digits) = (frame.origin, face);
                for edge in frame.components {
                    match digits % 3 {
                        0 => edges.push(edge),
                        1 => {}
                        _ => base = along(base, edge, 1.0),
                    }
                    digits /= 3;
                }
                see(base, &edges, |shares| shares.iter().all(|share| (0.0..=1.0).contains(share)));
            }
        }
        FrameKind::Tetrahedron => {
            let vertex = |k: usize| match k {
                0 => frame.origin,
                _ => along(frame.origin, frame.components[k - 1], 1.0),
            };
            // Every set of vertices is a face.
            for face in (1..1_usize << (D + 1)).rev() {
                edges.clear();
                let first = face.trailing_zeros() as usize;
                let others = (first + 1..=D).filter(|k| face >> k & 1 == 1);
                edges.extend(others.map(|k| difference(vertex(k), vertex(first))));
                see(vertex(first), &edges, |shares| {
                    shares.iter().all(|share| *share >= 0.0) && shares.iter().sum::<f64>() <= 1.0
                });
            }
        }
    }
}

/// The foot of the perpendicular from a point to the face with these edges, if it is on the face.
fn foot<const D: usize>(
    base: [f64; D],
    edges: &[[f64; D]],
    point: [f64; D],
    is_share: IsShare,
) -> Option<[f64; D]> {
    let count = edges.len();
    let offset = difference(point, base);
    // The normal equations of least squares, by elimination: their matrix is positive definite.
    let mut rows = [[0.0; 4]; 3];
    for (row, edge) in rows.iter_mut().zip(edges) {
        for (entry, other) in row.iter_mut().zip(edges) {
            *entry = dot(*edge, *other);
        }
        row[count] = dot(*edge, offset);
    }
    let mut shares = [0.0; 3];
    for pivot in 0..count {
        for below in pivot + 1..count {
            let factor = rows[below][pivot] / rows[pivot][pivot];
            for column in pivot..=count {
                rows[below][column] -= factor * rows[pivot][column];
            }
        }
    }
    for row in (0..count).rev() {
        let rest = (row + 1..count).fold(rows[row][count], |rest, k| rest - rows[row][k] * shares[k]);
        shares[row] = rest / rows[row][row];
    }
    let shares = &shares[..count];
    is_share(shares)
        .then(|| edges.iter().zip(shares).fold(base, |foot, (edge, share)| along(foot, *edge, *share)))
}

fn along<const D: usize>(from: [f64; D], direction: [f64; D], by: f64) -> [f64; D] {
    std::array::from_fn(|axis| from[axis] + direction[axis] * by)
}

fn difference<const D: usize>(one: [f64; D], two: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| one[axis] - two[axis])
}

fn dot<const D: usize>(one: [f64; D], two: [f64; D]) -> f64 {
    one.iter().zip(two).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::RandomFrames;

    /// A box along the axes from 0 to these lengths.
    fn upright<const D: usize>(sides: [f64; D]) -> Frame<D> {
        let edge = |k: usize| std::array::from_fn(|axis| if axis == k { sides[k] } else { 0.0 });
        Frame::cuboid([0.0; D], std::array::from_fn(edge))
    }

    #[test]
    fn the_nearest_point_of_a_box_is_found_axis_by_axis() {
        let frame = upright([2.0, 3.0, 4.0]);
        for n in 0..500_u32 {
            let point = [1.7, 2.3, 3.1].map(|scale| (f64::from(n) * scale).sin() * 6.0);
            let known: [f64; 3] = std::array::from_fn(|axis| point[axis].clamp(0.0, [2.0, 3.0, 4.0][axis]));
            let gap = difference(nearest(&frame, point), known);
            assert!(dot(gap, gap) < 1e-24, "{point:?}");
        }
    }

    /// No point of a fine grid within the frame is nearer, and the nearest point is one of the frame.
    fn check_nearest<const D: usize>(frame: &Frame<D>, point: [f64; D]) {
        let is_tetrahedron = frame.kind == FrameKind::Tetrahedron;
        let found = nearest(frame, point);
        let gap = difference(point, found);
        let steps = 12_usize;
        for number in 0..(steps + 1).pow(D as u32) {
            let shares: [f64; D] = std::array::from_fn(|axis| {
                (number / (steps + 1).pow(axis as u32) % (steps + 1)) as f64 / steps as f64
            });
            if is_tetrahedron && shares.iter().sum::<f64>() > 1.0 {
                continue;
            }
            let other =
                frame.components.iter().zip(shares).fold(frame.origin, |at, (edge, by)| along(at, *edge, by));
            // The angle at the nearest point of a convex body is never acute.
            let scale = 1.0 + dot(point, point);
            assert!(dot(gap, difference(other, found)) < 1e-9 * scale, "{frame:?} {point:?}");
        }
    }

    #[test]
    fn the_nearest_point_of_any_frame_has_the_frame_behind_it() {
        let mut random = RandomFrames::new(5);
        for n in 0..60_u32 {
            let point = |scale: f64| (f64::from(n) * scale).sin() * 150.0;
            check_nearest(&random.frame::<3>(false), [point(1.1), point(2.3), point(0.7)]);
            check_nearest(&random.frame::<2>(false), [point(1.1), point(2.3)]);
        }
    }

    #[test]
    fn spheres_touch_faces_edges_and_corners() {
        let frame = upright([2.0, 2.0, 2.0]);
        let contact = |centre, velocity, duration| first_contact(&frame, centre, velocity, 0.5, duration);
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-12;
        // A face, an edge and a corner, each head on.
        assert!(near(contact([-3.0, 1.0, 1.0], [1.0, 0.0, 0.0], 10.0), 2.5));
        let half = 0.5_f64.sqrt();
        assert!(near(contact([-3.0, -3.0, 1.0], [half, half, 0.0], 10.0), 18_f64.sqrt() - 0.5));
        let third = 3_f64.sqrt().recip();
        assert!(near(contact([-3.0; 3], [third; 3], 10.0), 27_f64.sqrt() - 0.5));
        // Past an edge: 0.4 beside it, so that the sphere of 0.5 touches 0.3 before it.
        assert!(near(contact([-3.0, -0.4, 1.0], [1.0, 0.0, 0.0], 10.0), 2.7));
        assert_eq!(contact([-3.0, -0.6, 1.0], [1.0, 0.0, 0.0], 10.0), None);
        assert_eq!(contact([-3.0, 1.0, 1.0], [1.0, 0.0, 0.0], 2.4), None);
        assert_eq!(contact([-3.0, 1.0, 1.0], [-1.0, 0.0, 0.0], 10.0), None);
        assert_eq!(contact([-3.0, 1.0, 1.0], [0.0; 3], 10.0), None);
        assert_eq!(contact([1.0; 3], [1.0, 0.0, 0.0], 10.0), Some(0.0));
        assert_eq!(contact([-0.3, 1.0, 1.0], [-1.0, 0.0, 0.0], 10.0), Some(0.0));
    }

    #[test]
    fn a_sphere_is_at_its_radius_when_it_first_touches() {
        let mut random = RandomFrames::new(8);
        let mut hits = 0;
        for n in 0..300_u32 {
            let frame = random.frame::<3>(false);
            let sine = |scale: f64| (f64::from(n) * scale).sin();
            let centre = [sine(1.3), sine(0.9), sine(2.1)].map(|x| 200.0 * x);
            let velocity = centre.map(|x| -x + 30.0 * sine(3.3));
            let Some(time) = first_contact(&frame, centre, velocity, 7.0, 2.0) else { continue };
            hits += 1;
            let distance = |time: f64| {
                let at = along(centre, velocity, time);
                let gap = difference(at, nearest(&frame, at));
                dot(gap, gap).sqrt()
            };
            assert!(time == 0.0 || (distance(time) - 7.0).abs() < 1e-9, "{n}");
            assert!((0..20).all(|k| time == 0.0 || distance(time * f64::from(k) / 20.0) > 7.0), "{n}");
            assert!(bounding_radius(&frame) > 0.0);
        }
        assert!(hits > 40, "{hits}");
    }
}
