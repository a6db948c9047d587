//! Where any two shapes touch, whatever the number of their vertices: the direction by GJK and EPA, then the points of the
//! two edges that face each other.

use std::cell::RefCell;

use super::gjk::{self, Closest, Convex};
use super::manifold::{Edge, Manifold, ManifoldPoint, PREFERENCE, Pair};
use crate::geometry::{Pose, Vec2};
use crate::rigid2d::shapes::Geometry;
use crate::rigid2d::space::ContactSet;

/// Where the shapes of two bodies at these poses touch: a normal and up to two points; none if they are apart.
///
/// ```
/// use carom::geometry::{Pose, Vec2};
/// use carom::rigid2d::{Geometry, shapes_collide};
///
/// let square = Geometry::rectangle(2.0, 2.0, 0.0)?;
/// let above = Pose { position: Vec2::new(0.5, 1.75), ..Pose::default() };
/// let contact = shapes_collide(&square, Pose::default(), &square, above);
/// assert_eq!((contact.normal, contact.points().len()), (Vec2::Y, 2));
/// assert_eq!(contact.points()[0].depth, 0.25);
/// # Ok::<(), carom::Error>(())
/// ```
#[must_use]
pub fn shapes_collide(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> ContactSet {
    let pair = Pair { pose: pose_a.relative(pose_b), radii: [a.radius(), b.radius()], margin: 0.0 };
    let (manifold, _) = manifold_and_distance(a.vertices(), b.vertices(), &pair);
    let normal_in_b = pair.pose.rotation.turn_back(manifold.normal);
    if a.hides(manifold.normal) || b.hides(-normal_in_b) {
        return ContactSet::default();
    }
    let points = manifold.points.map(|point| [pose_a.point(point.a), pose_b.point(point.b)]);
    ContactSet::new(pose_a.rotation.turn(manifold.normal), &points[..usize::from(manifold.count)])
}

/// The closest points of the shapes of two bodies at these poses, and the way to separate them if they overlap.
#[must_use]
pub fn closest_points(a: &Geometry, pose_a: Pose, b: &Geometry, pose_b: Pose) -> Closest {
    // In the frame of A, where coordinates are small.
    let mut vertices = Vec::new();
    move_to(&mut vertices, b.vertices(), pose_a.relative(pose_b));
    let closest = gjk::distance(
        &Convex { vertices: a.vertices(), radius: a.radius() },
        &Convex { vertices: &vertices, radius: b.radius() },
    );
    Closest {
        on_a: pose_a.point(closest.on_a),
        on_b: pose_a.point(closest.on_b),
        normal: pose_a.rotation.turn(closest.normal),
        ..closest
    }
}

/// Lists that are filled anew for every pair.
#[derive(Default)]
struct Lists {
    /// Vertices of B in the frame of A.
    moved: Vec<Vec2>,
    edges: [Vec<Edge>; 2],
}

thread_local! {
    /// Kept, so that a step does not allocate once they have grown.
    static LISTS: RefCell<Lists> = RefCell::default();
}

/// The manifold of two cores with any number of vertices, each in its own frame.
#[cfg(test)]
fn manifold(a: &[Vec2], b: &[Vec2], pair: &Pair) -> Manifold {
    manifold_and_distance(a, b, pair).0
}

/// The manifold of two cores with any number of vertices, each in its own frame, and how far the shapes are apart.
pub(crate) fn manifold_and_distance(a: &[Vec2], b: &[Vec2], pair: &Pair) -> (Manifold, f64) {
    LISTS.with_borrow_mut(|lists| manifold_with(lists, a, b, pair))
}

fn manifold_with(
    Lists { moved: b, edges }: &mut Lists,
    a: &[Vec2],
    of_b: &[Vec2],
    pair: &Pair,
) -> (Manifold, f64) {
    move_to(b, of_b, pair.pose);
    let [radius_a, radius_b] = pair.radii;
    let closest =
        gjk::distance(&Convex { vertices: a, radius: radius_a }, &Convex { vertices: b, radius: radius_b });
    let manifold = if closest.distance > pair.margin {
        Manifold::default()
    } else if a.len() == 1 || b.len() == 1 {
        of_closest(&closest, pair)
    } else {
        let [edges_a, edges_b] = edges;
        list_edges(edges_a, a);
        list_edges(edges_b, b);
        of_edges(edges_a, edges_b, closest.normal, pair)
    };
    (manifold, closest.distance)
}

/// Lists vertices in another frame.
fn move_to(moved: &mut Vec<Vec2>, vertices: &[Vec2], pose: Pose) {
    moved.clear();
    moved.extend(vertices.iter().map(|&vertex| pose.point(vertex)));
}

/// The manifold of a round shape: one point, which has the id 0, so that it persists while the shape rolls.
fn of_closest(closest: &Closest, pair: &Pair) -> Manifold {
    let b = pair.pose.local(closest.on_b);
    let point = ManifoldPoint { a: closest.on_a, b, separation: closest.distance, id: 0 };
    Manifold { normal: closest.normal, points: [point, ManifoldPoint::default()], count: 1 }
}

/// The manifold of two shapes with edges, given the direction of least distance or depth. Of the two edges that face it the
/// one with the larger separation is the reference (docs/methods/manifolds.md, section 1).
fn of_edges(a: &[Edge], b: &[Edge], direction: Vec2, pair: &Pair) -> Manifold {
    let [reference_a, reference_b] = [facing(a, -direction), facing(b, direction)];
    let separation = [separation(reference_a, b), separation(reference_b, a)];
    let overlap = f64::max(separation[0], separation[1]) <= 0.0;
    let preference = if overlap { pair.margin * PREFERENCE } else { 0.0 };
    if separation[1] > separation[0] + preference {
        pair.of_edges(facing(a, reference_b.normal), reference_b, true, separation[1])
    } else {
        pair.of_edges(reference_a, facing(b, reference_a.normal), false, separation[0])
    }
}

/// Lists the edges of a polygon, or of a segment as a polygon without area.
fn list_edges(edges: &mut Vec<Edge>, vertices: &[Vec2]) {
    edges.clear();
    if let &[a, b] = vertices {
        let along = (b - a).normalized();
        let right = -along.perpendicular();
        let edge = |start, end, normal, vertices| Edge { start, end, normal, vertices };
        edges.extend([
            edge(a, b, right, [0, 1]),
            edge(b, b, along, [1, 2]),
            edge(b, a, -right, [2, 3]),
            edge(a, a, -along, [3, 0]),
        ]);
        return;
    }
    let edge = |i: usize| {
        let next = (i + 1) % vertices.len();
        let (start, end) = (vertices[i], vertices[next]);
        let normal = -(end - start).normalized().perpendicular();
        Edge { start, end, normal, vertices: [i as u8, next as u8] }
    };
    edges.extend((0..vertices.len()).map(edge));
}

/// The edge whose normal is most opposed to a unit vector.
fn facing(edges: &[Edge], direction: Vec2) -> &Edge {
    let squared = |edge: &Edge| (edge.normal + direction).dot(edge.normal + direction);
    let more_opposed = |best, edge| if squared(edge) < squared(best) { edge } else { best };
    edges.iter().fold(&edges[0], more_opposed)
}

/// How far the other shape is beyond the line of an edge.
fn separation(edge: &Edge, other: &[Edge]) -> f64 {
    let beyond = other.iter().map(|other| (other.start - edge.start).dot(edge.normal));
    beyond.fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::SplitMix64;
    use crate::geometry::Rotation;
    use crate::rigid2d::narrow::samples::{Sample, deepest, pair, random_pose};
    use crate::rigid2d::narrow::{scalar, tests};
    use crate::rigid2d::shapes::Segment;

    fn core(sample: &Sample) -> &[Vec2] {
        // A segment of the samples has four vertices, of which two pairs are equal.
        let vertices = &sample.vertices;
        if vertices.len() == 4 && vertices[1] == vertices[2] { &vertices[..2] } else { vertices }
    }

    fn random_sample(random: &mut SplitMix64, most: usize) -> Sample {
        match random.bits() % 6 {
            0 => Sample::random_circle(random),
            1 => Sample::random_segment(random),
            2 => Sample::rectangle(1.0, 0.5, 0.0),
            _ => Sample::random_polygon(random, most),
        }
    }

    #[test]
    fn shapes_with_many_vertices_have_the_least_distance_or_depth() {
        let mut random = SplitMix64(3);
        for most in [4, 8, 40] {
            let mut counts = [0; 3];
            for _ in 0..1500 {
                let [a, b] = [random_sample(&mut random, most), random_sample(&mut random, most)];
                let pose = random_pose(&mut random);
                let mut pair = pair(&a, &b, pose, 10.0);
                // Without a preference, which depends on the margin.
                if gjk_distance(&a, &b, pose) < -(a.radius + b.radius) {
                    pair.margin = 0.0;
                }
                let found = manifold(core(&a), core(&b), &pair);
                counts[usize::from(found.count)] += 1;
                tests::check(&a, &b, pose, &found);
            }
            assert!(counts[0] == 0 && counts[1] > 100 && counts[2] > 100, "{counts:?}");
        }
    }

    fn gjk_distance(a: &Sample, b: &Sample, pose: Pose) -> f64 {
        let mut vertices = Vec::new();
        move_to(&mut vertices, &b.vertices, pose);
        gjk::distance(
            &Convex { vertices: &a.vertices, radius: a.radius },
            &Convex { vertices: &vertices, radius: b.radius },
        )
        .distance
    }

    #[test]
    fn small_polygons_have_the_manifold_of_the_lanes() {
        let mut random = SplitMix64(4);
        let mut same = 0;
        for _ in 0..3000 {
            let [a, b] = [Sample::random_polygon(&mut random, 8), Sample::random_polygon(&mut random, 8)];
            let pose = random_pose(&mut random);
            let pair = pair(&a, &b, pose, 0.05);
            let found = manifold(&a.vertices, &b.vertices, &pair);
            let known = scalar::polygons::<8>(&a.outline(), &b.outline(), &pair);
            assert_eq!(found.count == 0, known.count == 0);
            if found.count > 0 {
                assert!((deepest(&found) - deepest(&known)).abs() < 0.05 * PREFERENCE + 1e-12);
            }
            let distance = |n: usize| found.points[n].a.distance(known.points[n].a);
            let near =
                found.normal.distance(known.normal) < 1e-12 && distance(0) < 1e-12 && distance(1) < 1e-12;
            same +=
                i32::from(near && found.points.map(|point| point.id) == known.points.map(|point| point.id));
        }
        assert!(same > 2950, "{same}");
    }

    #[test]
    fn the_order_of_shapes_does_not_matter() {
        let hexagon: Vec<Vec2> = (0..12).map(|k| Rotation::from_angle(f64::from(k)).turn(Vec2::X)).collect();
        let a = Geometry::polygon(&hexagon, 0.1).unwrap();
        let b = Geometry::segment(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.5), 0.2).unwrap();
        let pose = |x, y, angle| Pose { position: Vec2::new(x, y), rotation: Rotation::from_angle(angle) };
        let (pose_a, pose_b) = (pose(1e3, 2.0, 0.3), pose(1e3 + 0.4, 3.1, 2.0));
        let [here, there] = [shapes_collide(&a, pose_a, &b, pose_b), shapes_collide(&b, pose_b, &a, pose_a)];
        assert!(here.normal.distance(-there.normal) < 1e-12);
        assert_eq!(here.points().len(), there.points().len());
        let depth = |set: &ContactSet| set.points().iter().map(|point| point.depth).fold(0.0, f64::max);
        assert!(depth(&here) > 0.1 && (depth(&here) - depth(&there)).abs() < 1e-12);
        let closest = closest_points(&a, pose_a, &b, pose_b);
        assert!((closest.distance + depth(&here)).abs() < 1e-12);
        assert!(shapes_collide(&a, pose_a, &b, pose(1e3, 9.0, 0.0)).points().is_empty());
    }

    #[test]
    fn circles() {
        let circle = |radius: f64, x: f64| Geometry::circle(radius, Vec2::new(x, 0.0)).unwrap();
        let contact = shapes_collide(&circle(1.0, 0.0), Pose::default(), &circle(2.0, 2.5), Pose::default());
        assert_eq!((contact.normal, contact.points().len()), (Vec2::X, 1));
        assert_eq!((contact.points()[0].point_a.x, contact.points()[0].depth), (1.0, 0.5));
        let same = shapes_collide(&circle(1.0, 0.0), Pose::default(), &circle(2.0, 0.0), Pose::default());
        assert_eq!((same.normal, same.points()[0].depth), (Vec2::X, 3.0));
    }

    #[test]
    fn nothing_catches_on_the_joints_of_a_chain() {
        // A chain along the first axis with a joint at the origin, which a box crosses, 1 cm deep.
        let ground = |from: f64, previous: Option<f64>, next: Option<f64>| {
            let point = |x: f64| Vec2::new(x, 0.0);
            let segment = Segment::new(point(from), point(from + 5.0), 0.0).unwrap();
            Geometry::Segment(segment.with_neighbours(previous.map(point), next.map(point)).unwrap())
        };
        let [left, right] = [ground(-5.0, None, Some(5.0)), ground(0.0, Some(-5.0), None)];
        let crate_on_it = Geometry::rectangle(1.0, 1.0, 0.0).unwrap();
        for step in -80..80 {
            let place = Vec2::new(f64::from(step) * 0.0101, 0.49);
            let pose = Pose { position: place, ..Pose::default() };
            let contacts = [&left, &right].map(|g| shapes_collide(g, Pose::default(), &crate_on_it, pose));
            assert!(contacts.iter().any(|contact| !contact.points().is_empty()), "{step}");
            for contact in contacts.iter().filter(|contact| !contact.points().is_empty()) {
                assert!(contact.normal.distance(Vec2::Y) < 1e-12, "{step} {contact:?}");
            }
        }
        // Without neighbours the end of a segment is in the way.
        let alone = ground(0.0, None, None);
        let pose = Pose { position: Vec2::new(-0.495, 0.49), ..Pose::default() };
        assert_eq!(shapes_collide(&alone, Pose::default(), &crate_on_it, pose).normal, -Vec2::X);
        assert!(shapes_collide(&right, Pose::default(), &crate_on_it, pose).points().is_empty());
    }
}
