//! Shapes as the lanes read them.

use bytemuck::{Pod, Zeroable};

use crate::geometry::Vec2;
use crate::soa::block::Real;

/// Vertices of an outline that goes through the lanes, at most.
pub(crate) const MOST_VERTICES: usize = 8;

/// Corners of what goes through the lanes in single precision turn by more than this, in radians. At a corner that is flatter
/// rounding decides which of its two edges is nearer, and distances from it are wrong by up to 2e-7 of the size over the turn.
pub(crate) const LEAST_TURN_F32: f64 = 1.0 / 256.0;

/// The sine of the least turn at a corner of a polygon whose edges have these normals; 1 if all turn by a right angle or more.
pub(crate) fn least_turn(normals: &[Vec2]) -> f64 {
    let next = normals.iter().cycle().skip(1);
    let turns = normals.iter().zip(next).filter(|(a, b)| a.dot(**b) > 0.0).map(|(a, b)| a.cross(*b));
    turns.fold(1.0, f64::min)
}

/// The vertices of a convex shape, counter-clockwise, with the outward unit normal of the edge from vertex `i` to vertex
/// `i + 1`. The shape is all that is within the rounding radius of these points, which is kept elsewhere.
///
/// A circle has its centre as vertex 0 and no normal. A segment from `a` to `b` has the vertices `a, b, b, a`, and its
/// ends are edges of length 0. The rest of the arrays holds vertex 0 and normal 0 again, which changes no largest and no
/// smallest. Coordinates are those of the body, from its centre of mass.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Outline<R> {
    /// Of vertices, in metres.
    pub(crate) x: [R; MOST_VERTICES],
    /// Of vertices, in metres.
    pub(crate) y: [R; MOST_VERTICES],
    /// Of normals.
    pub(crate) normal_x: [R; MOST_VERTICES],
    /// Of normals.
    pub(crate) normal_y: [R; MOST_VERTICES],
}

// SAFETY: four arrays of the same type without padding between them; 256 or 128 bytes, a multiple of the alignment.
unsafe impl<R: Real> Zeroable for Outline<R> {}
// SAFETY: as above, and every pattern of bits is a number.
unsafe impl<R: Real> Pod for Outline<R> {}

impl Outline<f64> {
    /// The outline with at most [`MOST_VERTICES`] vertices and the normals of the edges after them, if there are edges; in
    /// coordinates from `centre_of_mass`.
    pub(super) fn new(vertices: &[Vec2], normals: &[Vec2], centre_of_mass: Vec2) -> Self {
        let first = vertices[0] - centre_of_mass;
        let first_normal = normals.first().copied().unwrap_or(Vec2::ZERO);
        let mut outline = Self {
            x: [first.x; MOST_VERTICES],
            y: [first.y; MOST_VERTICES],
            normal_x: [first_normal.x; MOST_VERTICES],
            normal_y: [first_normal.y; MOST_VERTICES],
        };
        for (i, &vertex) in vertices.iter().enumerate().take(MOST_VERTICES) {
            let vertex = vertex - centre_of_mass;
            (outline.x[i], outline.y[i]) = (vertex.x, vertex.y);
        }
        for (i, normal) in normals.iter().enumerate().take(MOST_VERTICES) {
            (outline.normal_x[i], outline.normal_y[i]) = (normal.x, normal.y);
        }
        outline
    }
}
