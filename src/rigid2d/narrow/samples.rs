//! Shapes and poses for the tests of the narrow phase, and distances found by trying everything.

use super::manifold::{Manifold, Pair};
use crate::frames::random::SplitMix64;
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::shapes::outline::{MOST_VERTICES, Outline, least_turn};

/// A shape of a test: its vertices, which are padded on the way to an outline, and its rounding radius.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) vertices: Vec<Vec2>,
    pub(super) radius: f64,
}

impl Sample {
    pub(super) fn circle(centre: Vec2, radius: f64) -> Self {
        Self { vertices: vec![centre], radius }
    }

    pub(super) fn segment(a: Vec2, b: Vec2, radius: f64) -> Self {
        Self { vertices: vec![a, b, b, a], radius }
    }

    pub(super) fn polygon(vertices: &[[f64; 2]], radius: f64) -> Self {
        Self { vertices: vertices.iter().map(|&vertex| vertex.into()).collect(), radius }
    }

    /// A box around the origin.
    pub(super) fn rectangle(width: f64, height: f64, radius: f64) -> Self {
        let (x, y) = (width / 2.0, height / 2.0);
        Self::polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]], radius)
    }

    /// A random convex polygon with 3 to `most` vertices on an ellipse.
    pub(super) fn random_polygon(random: &mut SplitMix64, most: usize) -> Self {
        let count = 3 + random.bits() as usize % (most - 2);
        let ([width, height], turned) =
            ([0.2 + size(random), 0.2 + size(random)], rotation(random.real() * 3.0));
        let radius = if random.bits().is_multiple_of(2) { 0.0 } else { 0.1 * size(random) };
        let first = random.real();
        let vertices = (0..count).map(|i| {
            let angle = first + (i as f64 + 0.35 * random.real()) * std::f64::consts::TAU / count as f64;
            turned.turn(Vec2::new(width * angle.cos(), height * angle.sin()))
        });
        Self { vertices: vertices.collect(), radius }
    }

    pub(super) fn random_segment(random: &mut SplitMix64) -> Self {
        let [a, b] = [vector(random), vector(random)];
        let radius = if random.bits().is_multiple_of(2) { 0.0 } else { 0.1 * size(random) };
        Self::segment(a, b, radius)
    }

    pub(super) fn random_circle(random: &mut SplitMix64) -> Self {
        Self::circle(vector(random) * 0.5, size(random))
    }

    pub(super) fn outline(&self) -> Outline<f64> {
        let count = self.vertices.len();
        let mut outline = Outline {
            x: [0.0; MOST_VERTICES],
            y: [0.0; MOST_VERTICES],
            normal_x: [0.0; 8],
            normal_y: [0.0; 8],
        };
        for i in 0..MOST_VERTICES {
            let [vertex, normal] = [
                self.vertices[i % count * usize::from(i < count)],
                self.normal(i % count * usize::from(i < count)),
            ];
            (outline.x[i], outline.y[i]) = (vertex.x, vertex.y);
            (outline.normal_x[i], outline.normal_y[i]) = (normal.x, normal.y);
        }
        outline
    }

    /// The sine of the least turn at a corner.
    pub(super) fn least_turn(&self) -> f64 {
        let normals: Vec<Vec2> = (0..self.vertices.len()).map(|i| self.normal(i)).collect();
        least_turn(&normals)
    }

    /// The outward normal of an edge; at the end of a segment, where the edge has no length, along the segment.
    fn normal(&self, i: usize) -> Vec2 {
        let count = self.vertices.len();
        let edge = self.vertices[(i + 1) % count] - self.vertices[i];
        let before = self.vertices[i] - self.vertices[(i + count - 1) % count];
        if edge == Vec2::ZERO { before.normalized() } else { -edge.perpendicular().normalized() }
    }
}

pub(super) fn rotation(angle: f64) -> Rotation {
    Rotation { cos: angle.cos(), sin: angle.sin() }
}

pub(super) fn pose(x: f64, y: f64, angle: f64) -> Pose {
    Pose { position: Vec2::new(x, y), rotation: rotation(angle) }
}

pub(super) fn pair(a: &Sample, b: &Sample, pose: Pose, margin: f64) -> Pair {
    Pair { pose, radii: [a.radius, b.radius], margin }
}

/// From 0 to 1.
pub(super) fn size(random: &mut SplitMix64) -> f64 {
    random.real().abs()
}

/// Within a square.
pub(super) fn vector(random: &mut SplitMix64) -> Vec2 {
    Vec2::new(random.real(), random.real())
}

/// A pose at which shapes of some 1 m overlap, nearly touch or are apart.
pub(super) fn random_pose(random: &mut SplitMix64) -> Pose {
    let reach = 2.5 * size(random);
    let position = vector(random) * reach;
    // Every fourth one is turned by right angles only, so that edges are parallel.
    let angle = if random.bits().is_multiple_of(4) { 0.0 } else { 3.2 * random.real() };
    pose(position.x, position.y, angle)
}

/// The vertices of B in the frame of A.
pub(super) fn moved(b: &Sample, pose: Pose) -> Vec<Vec2> {
    b.vertices.iter().map(|&vertex| pose.point(vertex)).collect()
}

/// The distance of two outlines that do not overlap: the least one of all pairs of edges.
pub(super) fn distance(a: &[Vec2], b: &[Vec2]) -> f64 {
    let one_way = |edges: &[Vec2], points: &[Vec2]| {
        let each = (0..edges.len()).flat_map(|i| {
            let [start, end] = [edges[i], edges[(i + 1) % edges.len()]];
            points.iter().map(move |&point| from_segment(start, end, point))
        });
        each.fold(f64::INFINITY, f64::min)
    };
    one_way(a, b).min(one_way(b, a))
}

fn from_segment(start: Vec2, end: Vec2, point: Vec2) -> f64 {
    let along = end - start;
    let squared = along.dot(along);
    let part = if squared > 0.0 { ((point - start).dot(along) / squared).clamp(0.0, 1.0) } else { 0.0 };
    (point - (start + along * part)).length()
}

/// How far `b` must move along `direction`, a unit vector, to be clear of `a`; negative if it is already.
pub(super) fn overlap_along(a: &[Vec2], b: &[Vec2], direction: Vec2) -> f64 {
    let most = a.iter().map(|vertex| vertex.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
    let least = b.iter().map(|vertex| vertex.dot(direction)).fold(f64::INFINITY, f64::min);
    most - least
}

/// The least separation of a manifold.
pub(super) fn deepest(manifold: &Manifold) -> f64 {
    assert!(manifold.count > 0);
    manifold.points[..usize::from(manifold.count)]
        .iter()
        .map(|point| point.separation)
        .fold(f64::INFINITY, f64::min)
}
