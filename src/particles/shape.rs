//! The shapes of particles: facoid, spheroid, pyramidoid (docs/methods/particles.md).

use serde::{Deserialize, Serialize};

use crate::geometry::vector::{self, dot};

/// Which body the axes of a particle span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum ShapeKind {
    /// A parallelepiped: the axes are its edges.
    Facoid = 0,
    /// An ellipsoid: the axes are its diameters.
    Spheroid = 1,
    /// A simplex: the axes are the edges from its origin.
    Pyramidoid = 2,
}

impl ShapeKind {
    /// The kind with this number, the same as in PBPhys files and in the C ABI.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::Facoid, Self::Spheroid, Self::Pyramidoid].into_iter().find(|&kind| kind as u8 == code)
    }
}

/// A body around the centre of a particle: its kind and the axes, one after the other (axis, component).
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Which body the axes span.
    pub kind: ShapeKind,
    /// The `D * D` components of the axes in metres: axis 0, then axis 1, ...
    pub axes: Vec<f64>,
}

impl Shape {
    /// A body with the unit vectors as its axes: the default of a particle.
    #[must_use]
    pub fn unit(dim: usize, kind: ShapeKind) -> Self {
        Self { kind, axes: diagonal(dim, 1.0) }
    }

    /// A sphere with this radius in metres.
    #[must_use]
    pub fn sphere(dim: usize, radius: f64) -> Self {
        Self { kind: ShapeKind::Spheroid, axes: diagonal(dim, 2.0 * radius) }
    }
}

/// The axes `scale` times the unit vectors.
pub(crate) fn diagonal(dim: usize, scale: f64) -> Vec<f64> {
    let mut axes = vec![0.0; dim * dim];
    fill_diagonal(&mut axes, dim, scale);
    axes
}

/// Overwrites `axes` with `scale` times the unit vectors.
pub(crate) fn fill_diagonal(axes: &mut [f64], dim: usize, scale: f64) {
    axes.fill(0.0);
    axes.iter_mut().step_by(dim + 1).for_each(|entry| *entry = scale);
}

/// Whether these are, to the bit, the axes that [`Shape::sphere`] makes of the bounding radius.
pub(super) fn is_sphere(kind: ShapeKind, axes: &[f64], dim: usize) -> bool {
    // Neither a negative number nor -0, and a number whose half is exact.
    let length = 2.0 * (0.5 * axes[0].abs());
    let expected = |place: usize| if place.is_multiple_of(dim + 1) { length } else { 0.0 };
    kind == ShapeKind::Spheroid
        && axes.iter().enumerate().all(|(place, x)| x.to_bits() == expected(place).to_bits())
}

/// The centre relative to the point that PBPhys stores: the corner from which the axes of a facoid or pyramidoid
/// start, or the centre itself of a spheroid.
pub(crate) fn centre_from_origin(kind: ShapeKind, axes: &[f64], dim: usize) -> Vec<f64> {
    let share = match kind {
        ShapeKind::Facoid => 0.5,
        ShapeKind::Spheroid => 0.0,
        ShapeKind::Pyramidoid => 1.0 / (dim as f64 + 1.0),
    };
    (0..dim).map(|c| share * axes.chunks_exact(dim).map(|axis| axis[c]).sum::<f64>()).collect()
}

/// Radius of the smallest sphere around the centre that holds the body, in metres (docs/methods/particles.md).
///
/// Beyond [`CORNER_DIMS`] dimensions a facoid with oblique axes has too many corners to visit: its radius is then an
/// upper bound, half the sum of the lengths of its axes.
#[must_use]
pub fn bounding_radius(kind: ShapeKind, axes: &[f64], dim: usize) -> f64 {
    match kind {
        ShapeKind::Spheroid => 0.5 * axes.chunks_exact(dim).map(norm).fold(0.0, f64::max),
        ShapeKind::Facoid => facoid_radius(axes, dim),
        ShapeKind::Pyramidoid => pyramidoid_radius(axes, dim),
    }
}

/// The largest dimension in which [`bounding_radius`] visits the corners of a facoid with oblique axes.
pub const CORNER_DIMS: usize = 16;

fn facoid_radius(axes: &[f64], dim: usize) -> f64 {
    if are_orthogonal(axes, dim) {
        return 0.5 * norm(axes);
    }
    if dim > CORNER_DIMS {
        return 0.5 * axes.chunks_exact(dim).map(norm).sum::<f64>();
    }
    // Corners come in opposite pairs: axis 0 may keep its sign.
    let corners = 1_u32 << (dim - 1);
    0.5 * (0..corners).map(|signs| norm(&signed_sum(axes, dim, signs << 1))).fold(0.0, f64::max)
}

/// The sum of the axes, axis k negated where bit k of `signs` is set.
fn signed_sum(axes: &[f64], dim: usize, signs: u32) -> Vec<f64> {
    let mut total = vec![0.0; dim];
    for (k, axis) in axes.chunks_exact(dim).enumerate() {
        let sign = if signs >> k & 1 == 1 { -1.0 } else { 1.0 };
        total.iter_mut().zip(axis).for_each(|(sum, component)| *sum += sign * component);
    }
    total
}

fn pyramidoid_radius(axes: &[f64], dim: usize) -> f64 {
    let centre = centre_from_origin(ShapeKind::Pyramidoid, axes, dim);
    let to_vertex = |axis: &[f64]| norm(&axis.iter().zip(&centre).map(|(a, c)| a - c).collect::<Vec<_>>());
    axes.chunks_exact(dim).map(to_vertex).fold(norm(&centre), f64::max)
}

fn are_orthogonal(axes: &[f64], dim: usize) -> bool {
    let axis = |k: usize| &axes[k * dim..(k + 1) * dim];
    (0..dim).all(|i| (0..i).all(|j| dot(axis(i), axis(j)) == 0.0))
}

/// Euclidean length, safe from overflow and underflow of the squares.
fn norm(v: &[f64]) -> f64 {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    if (1e-140..1e140).contains(&largest) {
        return vector::norm(v);
    }
    largest * v.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn radius(kind: ShapeKind, axes: &[f64]) -> f64 {
        bounding_radius(kind, axes, axes.len().isqrt())
    }

    #[test]
    fn radius_of_the_unit_shapes() {
        let unit = diagonal(2, 1.0);
        assert_eq!(radius(ShapeKind::Spheroid, &unit), 0.5);
        assert_eq!(radius(ShapeKind::Facoid, &unit), 0.5_f64.sqrt());
        // Triangle (0,0), (1,0), (0,1): centre (1/3, 1/3), farthest corner at distance sqrt(5)/3.
        assert!((radius(ShapeKind::Pyramidoid, &unit) - 5.0_f64.sqrt() / 3.0).abs() < 1e-15);
    }

    #[test]
    fn radius_of_an_oblique_facoid_is_its_longer_diagonal() {
        let radius = radius(ShapeKind::Facoid, &[2.0, 0.0, 1.0, 1.0]);
        assert!((radius - 0.5 * 10.0_f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn radius_bounds_every_corner_in_many_dimensions() {
        for dim in [CORNER_DIMS + 1, 40] {
            let mut axes = diagonal(dim, 1.0);
            assert!(
                (bounding_radius(ShapeKind::Facoid, &axes, dim) - 0.5 * (dim as f64).sqrt()).abs() < 1e-12
            );
            axes[1] = 0.25;
            let longest: f64 = norm(&signed_sum(&axes, dim, 0)) * 0.5;
            assert!(bounding_radius(ShapeKind::Facoid, &axes, dim) >= longest);
        }
    }

    #[test]
    fn norm_neither_overflows_nor_underflows() {
        assert!((norm(&[3e200, 4e200]) / 5e200 - 1.0).abs() < 1e-15);
        assert!((norm(&[3e-200, 4e-200]) / 5e-200 - 1.0).abs() < 1e-15);
        assert_eq!(norm(&[0.0, 0.0]), 0.0);
    }
}
