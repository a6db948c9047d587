//! Shapes as the lanes read them.

use bytemuck::{Pod, Zeroable};

use crate::geometry::Vec2;
use crate::soa::block::Real;

/// Vertices of an outline that goes through the lanes, at most.
pub(crate) const MOST_VERTICES: usize = 8;

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
        let vertex = |i: usize| *vertices.get(i).unwrap_or(&vertices[0]) - centre_of_mass;
        let normal = |i: usize| *normals.get(i).or(normals.first()).unwrap_or(&Vec2::ZERO);
        Self {
            x: std::array::from_fn(|i| vertex(i).x),
            y: std::array::from_fn(|i| vertex(i).y),
            normal_x: std::array::from_fn(|i| normal(i).x),
            normal_y: std::array::from_fn(|i| normal(i).y),
        }
    }
}
