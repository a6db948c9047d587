//! The distance of two convex shapes: the algorithm of Gilbert, Johnson and Keerthi (1988), in the plane.
//!
//! All differences of a point of B and a point of A make a convex polygon, and the distance of the shapes is that of the
//! origin from it. If the origin is inside, [`epa`](super::epa) finds the nearest edge.

use super::epa;
use crate::geometry::Vec2;

/// Shapes whose cores are closer than this part of their size touch: the direction between two vertices has no more than
/// two digits then, so that it is taken from an edge.
pub(super) const TOUCHING: f64 = 1e-14;

/// Distances that differ by this part are the same but for rounding.
const SAME: f64 = 1e-15;

/// Steps of the search, at most. Three to six are usual, and rounding may lead in circles.
const MOST_STEPS: usize = 64;

/// All points within a radius of the convex hull of some points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Convex<'a> {
    /// One point or more: those of the core, in any order, in metres.
    pub(crate) vertices: &'a [Vec2],
    /// Rounding radius, in metres.
    pub(crate) radius: f64,
}

/// The closest points of two shapes; if they overlap, those which have to become one point to separate them by the shortest
/// translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closest {
    /// On the surface of the first shape, in metres.
    pub on_a: Vec2,
    /// On the surface of the second shape, in metres.
    pub on_b: Vec2,
    /// Unit vector from the first to the second shape, along which to move the second one to separate them.
    pub normal: Vec2,
    /// From `on_a` to `on_b` along the normal, in metres; negative if the shapes overlap.
    pub distance: f64,
}

/// Distance, closest points and normal of two shapes; exact but for rounding, some 1e-14 of their size.
///
/// Where nearly parallel edges meet, the direction changes long before the distance does: if the shapes overlap there, points
/// and normal are one of those with the same distance, and the way between the points may be off the normal by 1e-7 of the size.
pub(crate) fn distance(a: &Convex, b: &Convex) -> Closest {
    let difference = Difference::new(a.vertices, b.vertices);
    let cores = closest(&difference).unwrap_or_else(|| epa::closest(&difference));
    Closest {
        on_a: cores.on_a + cores.normal * a.radius,
        on_b: cores.on_b - cores.normal * b.radius,
        distance: cores.distance - (a.radius + b.radius),
        ..cores
    }
}

/// The polygon of all differences of a point of B and a point of A.
#[derive(Debug, Clone, Copy)]
pub(super) struct Difference<'a> {
    a: &'a [Vec2],
    b: &'a [Vec2],
    /// Largest magnitude of a coordinate, from the first vertex of A.
    pub(super) size: f64,
}

/// A vertex of it, or a point inside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) a: Vec2,
    pub(super) b: Vec2,
    /// From `a` to `b`.
    pub(super) way: Vec2,
}

impl Point {
    fn new(a: Vec2, b: Vec2) -> Self {
        Self { a, b, way: b - a }
    }
}

impl<'a> Difference<'a> {
    fn new(a: &'a [Vec2], b: &'a [Vec2]) -> Self {
        let size = |from: Vec2| f64::max(from.x.abs(), from.y.abs());
        let size = a.iter().chain(b).fold(0.0, |most, &vertex| f64::max(most, size(vertex - a[0])));
        Self { a, b, size }
    }

    /// How many vertices it has at most, with some for rounding.
    pub(super) fn most_vertices(&self) -> usize {
        self.a.len() + self.b.len() + 8
    }

    /// The vertex that is least along a direction.
    pub(super) fn least(&self, direction: Vec2) -> Point {
        Point::new(self.farthest(self.a, direction), self.farthest(self.b, -direction))
    }

    /// The first of the vertices that are farthest in a direction, compared near the shapes and not near the origin.
    fn farthest(&self, vertices: &[Vec2], direction: Vec2) -> Vec2 {
        let origin = self.a[0];
        let (mut farthest, mut most) = (vertices[0], (vertices[0] - origin).dot(direction));
        for &vertex in &vertices[1..] {
            let along = (vertex - origin).dot(direction);
            if along > most {
                (farthest, most) = (vertex, along);
            }
        }
        farthest
    }
}

impl Difference<'_> {
    /// Both ends of the edge with this inward normal. The edges of A and B may be parallel to it, or one of them.
    pub(super) fn edge(&self, normal: Vec2) -> [Point; 2] {
        let along = normal.perpendicular();
        [
            Point::new(self.end(self.a, normal, along), self.end(self.b, -normal, -along)),
            Point::new(self.end(self.a, normal, -along), self.end(self.b, -normal, along)),
        ]
    }

    /// Of the vertices that are farthest in a direction but for rounding, the one that is farthest along the edge.
    fn end(&self, vertices: &[Vec2], direction: Vec2, along: Vec2) -> Vec2 {
        let most = self.farthest(vertices, direction);
        let tolerance = TOUCHING * self.size;
        let is_at_end = |&vertex: &Vec2| (most - vertex).dot(direction) <= tolerance;
        let farther = |best: Vec2, vertex: Vec2| if (vertex - best).dot(along) > 0.0 { vertex } else { best };
        vertices.iter().copied().filter(is_at_end).fold(most, farther)
    }
}

/// A vertex, or an edge between two, and its point that is closest to the origin.
#[derive(Debug, Clone, Copy)]
struct Feature {
    ends: [Point; 2],
    /// Where between the ends the closest point is; none at a vertex, whose ends are the same.
    share: Option<f64>,
    /// Unit vector from the origin to the closest point.
    direction: Vec2,
    distance: f64,
}

impl Feature {
    fn vertex(point: Point) -> Self {
        let distance = point.way.length();
        Self { ends: [point; 2], share: None, direction: point.way.normalized(), distance }
    }

    fn edge(first: Point, second: Point) -> Self {
        let share = share(first, second);
        if share <= 0.0 {
            return Self::vertex(first);
        } else if share >= 1.0 {
            return Self::vertex(second);
        }
        let aside = (second.way - first.way).perpendicular().normalized();
        // The end that is closer to the origin has less of the rounding.
        let distance = if share < 0.5 { aside.dot(first.way) } else { aside.dot(second.way) };
        let direction = if distance < 0.0 { -aside } else { aside };
        Self { ends: [first, second], share: Some(share), direction, distance: distance.abs() }
    }

    /// Whether it is closer than another one. An edge is preferred to a vertex at the same distance: the direction to a point
    /// of an edge differs from that to its end long before the distance does.
    fn is_closer(&self, than: &Self) -> bool {
        match (self.share, than.share) {
            (Some(_), None) => self.distance < than.distance * (1.0 + SAME),
            (None, Some(_)) => self.distance < than.distance * (1.0 - SAME),
            _ => self.distance < than.distance,
        }
    }

    /// Whether the triangle of an edge and a point holds the origin.
    fn surrounds_origin_with(&self, third: Point) -> bool {
        let [p, q, r] = [self.ends[0].way, self.ends[1].way, third.way];
        let side = p.cross(q);
        // A vertex has no triangle.
        (side > 0.0 && q.cross(r) >= 0.0 && r.cross(p) >= 0.0)
            || (side < 0.0 && q.cross(r) <= 0.0 && r.cross(p) <= 0.0)
    }

    /// The closest of all edges that end at one of these vertices and at another one or at an end of this feature.
    fn with(&self, more: [Point; 3]) -> Self {
        let mut closest = Self::edge(self.ends[0], more[0]);
        for (i, &point) in more.iter().enumerate() {
            for &other in self.ends.iter().chain(&more[..i]) {
                let edge = Self::edge(other, point);
                if edge.is_closer(&closest) {
                    closest = edge;
                }
            }
        }
        closest
    }

    fn closest(&self) -> Closest {
        let [on_a, on_b] = at(self.ends[0], self.ends[1], self.share.unwrap_or(0.0));
        Closest { on_a, on_b, normal: self.direction, distance: self.distance }
    }
}

/// Where the origin is along an edge; 0 and 1 are its ends, which may be the same point.
pub(super) fn share(first: Point, second: Point) -> f64 {
    let along = second.way - first.way;
    let square = along.dot(along);
    if square > 0.0 { -first.way.dot(along) / square } else { 0.0 }
}

/// The points of A and of B at a share of an edge.
pub(super) fn at(first: Point, second: Point, share: f64) -> [Vec2; 2] {
    [first.a + (second.a - first.a) * share, first.b + (second.b - first.b) * share]
}

/// The closest points of two cores; `None` if they touch or overlap.
fn closest(difference: &Difference) -> Option<Closest> {
    let touching = TOUCHING * difference.size;
    let mut best = Feature::vertex(Point::new(difference.a[0], difference.b[0]));
    for _ in 0..MOST_STEPS {
        if best.distance <= touching {
            return None;
        }
        let least = difference.least(best.direction);
        let along = |point: Point| point.way.dot(best.direction);
        if along(least) >= f64::min(along(best.ends[0]), along(best.ends[1])) {
            break;
        }
        if best.surrounds_origin_with(least) {
            return None;
        }
        // Of several vertices that are equally far, one may lead nowhere: the ends of their edge are tried, too.
        let [first, second] = difference.edge(best.direction);
        let next = best.with([least, first, second]);
        // The same distance is progress, too: near parallel edges a direction changes long before the distance does.
        if next.distance > best.distance * (1.0 + SAME) || next.ends == best.ends {
            break;
        }
        best = next;
    }
    Some(best.closest())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Pose, Rotation};
    use crate::rigid2d::shapes::convex_hull;
    use proptest::prelude::*;

    /// The distance of a point from a segment.
    fn to_segment(point: Vec2, a: Vec2, b: Vec2) -> f64 {
        let along = b - a;
        let square = along.dot(along);
        let share = if square > 0.0 { ((point - a).dot(along) / square).clamp(0.0, 1.0) } else { 0.0 };
        ((a - point) + along * share).length()
    }

    /// The largest separation along the normal of an edge of `a`, and along `a` if it is a segment.
    fn separation_by_edges(a: &[Vec2], b: &[Vec2]) -> f64 {
        let mut most = f64::NEG_INFINITY;
        for (i, &start) in a.iter().enumerate() {
            let along = (a[(i + 1) % a.len()] - start).normalized();
            let normals: &[Vec2] = match a.len() {
                1 => &[],
                2 => &[-along.perpendicular(), -along],
                _ => &[-along.perpendicular()],
            };
            for &normal in normals {
                let least = b.iter().map(|&v| (v - start).dot(normal)).fold(f64::INFINITY, f64::min);
                most = f64::max(most, least);
            }
        }
        most
    }

    /// The distance by brute force: all pairs of a vertex and an edge, or all normals.
    fn by_brute_force(a: &[Vec2], b: &[Vec2]) -> f64 {
        let separation = f64::max(separation_by_edges(a, b), separation_by_edges(b, a));
        // Two points, or shapes without a normal that separates them from a vertex, are compared by distance.
        if separation <= 0.0 && a.len() + b.len() > 3 {
            return separation;
        }
        let all = |a: &[Vec2], b: &[Vec2]| {
            let edges = (0..b.len()).map(|j| (b[j], b[(j + 1) % b.len()]));
            let pairs = edges.flat_map(|(p, q)| a.iter().map(move |&vertex| to_segment(vertex, p, q)));
            pairs.fold(f64::INFINITY, f64::min)
        };
        f64::min(all(a, b), all(b, a))
    }

    fn cores(a: &[Vec2], b: &[Vec2]) -> Closest {
        distance(&Convex { vertices: a, radius: 0.0 }, &Convex { vertices: b, radius: 0.0 })
    }

    /// Checks the answer against brute force, and that it is consistent.
    fn check(a: &[Vec2], b: &[Vec2], tolerance: f64) -> Result<(), TestCaseError> {
        let found = cores(a, b);
        let expected = by_brute_force(a, b);
        prop_assert!((found.distance - expected).abs() <= tolerance, "{found:?} {expected} {a:?} {b:?}");
        prop_assert!((found.normal.length() - 1.0).abs() < 1e-14, "{found:?}");
        // The points are rounded where they are; along nearly flat parts of the boundary they are right to the root of it.
        let tolerance = tolerance + 1e-15 * (a[0].x.abs() + a[0].y.abs());
        let way = found.on_b - found.on_a;
        prop_assert!(
            (way.dot(found.normal) - found.distance).abs() <= 4.0 * tolerance,
            "{found:?} {a:?} {b:?}"
        );
        let size = a.iter().chain(b).map(|&vertex| vertex.distance(a[0])).fold(0.0, f64::max);
        prop_assert!(way.cross(found.normal).abs() <= 1e-7 * size + 4.0 * tolerance, "{found:?} {a:?} {b:?}");
        // The points are on the shapes, and the normal separates what is farther in.
        for (point, vertices) in [(found.on_a, a), (found.on_b, b)] {
            let outside = by_brute_force(&[point], vertices);
            prop_assert!(outside <= 4.0 * tolerance, "{found:?} {outside} {a:?} {b:?}");
        }
        let top = a.iter().map(|&v| (v - found.on_a).dot(found.normal)).fold(0.0, f64::max);
        let bottom = b.iter().map(|&v| (v - found.on_b).dot(found.normal)).fold(0.0, f64::min);
        // The normal of two vertices that nearly touch is turned by what their coordinates are rounded, over the distance.
        let farthest = a.iter().chain(b).map(|vertex| vertex.length()).fold(0.0, f64::max);
        let turn = if found.distance > 0.0 { 4.0 * f64::EPSILON * farthest / found.distance } else { 0.0 };
        let within = 4.0 * tolerance + size * turn.min(1e-3);
        prop_assert!(top <= within && bottom >= -within, "{found:?} {top} {bottom} {a:?} {b:?}");
        // The other way round the answer is the same but for its sign, unless several are equally good.
        let back = cores(b, a);
        prop_assert!((back.distance - found.distance).abs() <= tolerance);
        Ok(())
    }

    fn hull(points: &[(f64, f64)], scale: Vec2) -> Vec<Vec2> {
        let points: Vec<Vec2> = points.iter().map(|&(x, y)| Vec2::new(x * scale.x, y * scale.y)).collect();
        convex_hull(&points, 1e-9 * f64::max(scale.x, scale.y)).unwrap()
    }

    fn moved(vertices: &[Vec2], angle: f64, by: Vec2) -> Vec<Vec2> {
        let pose = Pose { position: by, rotation: Rotation::from_angle(angle) };
        vertices.iter().map(|&vertex| pose.point(vertex)).collect()
    }

    fn cloud() -> impl Strategy<Value = Vec<(f64, f64)>> {
        prop::collection::vec((-1.0..1.0, -1.0..1.0), 1..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 5000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn distances_are_those_of_brute_force(
            a in cloud(), b in cloud(), x in -3.0..3.0, y in -3.0..3.0, angle in -4.0..4.0,
            far in prop::sample::select(vec![0.0, 1.0, 1e6]),
        ) {
            let place = Vec2::new(far, -far);
            let a = moved(&hull(&a, Vec2::new(1.0, 1.0)), 0.0, place);
            let b = moved(&hull(&b, Vec2::new(1.0, 1.0)), angle, place + Vec2::new(x, y));
            check(&a, &b, 3e-14)?;
        }

        #[test]
        fn slivers_and_lattices_too(
            a in prop::collection::vec((-3i32..=3, -3i32..=3), 1..8),
            b in prop::collection::vec((-3i32..=3, -3i32..=3), 1..8),
            x in -6i32..=6, y in -6i32..=6,
            flat in prop::sample::select(vec![1.0, 1e-4, 1e-7]),
            angle in prop::sample::select(vec![0.0, 0.5, 1e-9, std::f64::consts::FRAC_PI_2]),
        ) {
            // Coordinates from a lattice, so that touching, parallel and equal edges are frequent.
            let real = |points: &[(i32, i32)]| points.iter().map(|&(x, y)| (f64::from(x), f64::from(y))).collect::<Vec<_>>();
            let a = hull(&real(&a), Vec2::new(1.0, flat));
            let b = hull(&real(&b), Vec2::new(1.0, flat));
            let b = moved(&b, angle, Vec2::new(f64::from(x), f64::from(y) * flat));
            check(&a, &b, 1e-13)?;
            check(&a, &a, 1e-13)?;
        }

        #[test]
        fn sizes_may_differ(a in cloud(), b in cloud(), x in -2.0..2.0, y in -2.0..2.0, angle in -4.0..4.0) {
            let a = hull(&a, Vec2::new(1e5, 1e5));
            let b = moved(&hull(&b, Vec2::new(1e-3, 1e-3)), angle, Vec2::new(x, y) * 1e5);
            check(&a, &b, 1e-8)?;
            // At a vertex, where they nearly touch.
            let b = moved(&b, 0.0, a[0] - b[0] + Vec2::new(x, y) * 1e-4);
            check(&a, &b, 1e-8)?;
        }
    }

    #[test]
    fn a_vertex_a_nanometre_above_a_sliver() {
        let b = [[-4.0, -4.02e-7], [-2.0, -1e-7], [-1.0 - 2.0 * f64::EPSILON, 2.01e-7]];
        check(&[Vec2::new(-1.0, 2e-7)], &b.map(|[x, y]| Vec2::new(x, y)), 1e-13).unwrap();
    }

    fn square(x: f64, y: f64) -> [Vec2; 4] {
        [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[u, v]| Vec2::new(x + u, y + v))
    }

    #[test]
    fn squares() {
        let at = |x, y| cores(&square(0.0, 0.0), &square(x, y));
        assert_eq!((at(3.0, 0.5).distance, at(3.0, 0.5).normal), (2.0, Vec2::X));
        assert_eq!((at(-1.0, 0.0).distance, at(-1.0, 0.0).normal), (0.0, -Vec2::X), "touching");
        assert_eq!((at(0.2, -0.75).distance, at(0.2, -0.75).normal), (-0.25, -Vec2::Y));
        assert_eq!(at(0.0, 0.0).distance, -1.0, "the same");
        assert_eq!((at(4.0, 5.0).distance, at(4.0, 5.0).on_a), (5.0, Vec2::new(1.0, 1.0)));
        assert_eq!(at(1.0, 1.0).distance, 0.0, "corner to corner");
    }

    #[test]
    fn radii_move_the_points_to_the_surfaces() {
        let (a, b) = ([Vec2::ZERO], [Vec2::new(3.0, 4.0)]);
        let found = distance(&Convex { vertices: &a, radius: 1.0 }, &Convex { vertices: &b, radius: 2.0 });
        assert_eq!(found.distance, 2.0);
        assert!(found.on_a.distance(Vec2::new(0.6, 0.8)) < 1e-15);
        assert!(found.on_b.distance(Vec2::new(1.8, 2.4)) < 1e-15);
        let same = distance(&Convex { vertices: &a, radius: 1.0 }, &Convex { vertices: &a, radius: 2.0 });
        assert_eq!((same.distance, same.normal.length()), (-3.0, 1.0));
    }

    #[test]
    fn segments_that_cross_are_separated_the_short_way() {
        let a = [Vec2::new(-10.0, 0.0), Vec2::new(10.0, 0.0)];
        let b = [Vec2::new(1.0, -0.5), Vec2::new(1.0, 3.0)];
        let found = cores(&a, &b);
        assert_eq!((found.distance, found.normal, found.on_b), (-0.5, Vec2::Y, b[0]));
        let on_line = [Vec2::new(5.0, 0.0), Vec2::new(15.0, 0.0)];
        let found = cores(&a, &on_line);
        assert_eq!((found.distance, found.normal.x), (0.0, 0.0), "on one line");
    }

    #[test]
    fn many_vertices() {
        let circle = |count: u32, by: Vec2| {
            let corner =
                |k: u32| Rotation::from_angle(f64::from(k) * std::f64::consts::TAU / f64::from(count));
            (0..count).map(|k| corner(k).turn(Vec2::X) + by).collect::<Vec<_>>()
        };
        for x in [0.0, 0.3, 1.9, 2.0, 2.1, 50.0] {
            let (a, b) = (circle(500, Vec2::ZERO), circle(333, Vec2::new(x, 0.1)));
            check(&a, &b, 1e-13).unwrap();
        }
    }
}
