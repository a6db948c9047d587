//! One frame as a value.

use crate::error::{Error, Result};
use crate::geometry::Aabb;
use crate::geometry::vector::norm;
use crate::particles::check;

/// Which body the components of a frame span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FrameKind {
    /// Coordinates X in [0, 1] on every component: a parallelogram in 2D, a parallelepiped in 3D.
    Cuboid = 0,
    /// Also sum X <= 1: a triangle in 2D, a tetrahedron in 3D.
    Tetrahedron = 1,
}

impl FrameKind {
    /// The kind with this number, the same as in the C ABI.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        [Self::Cuboid, Self::Tetrahedron].into_iter().find(|&kind| kind as u8 == code)
    }
}

/// The points O + C X + V t: an origin, `D` component vectors, and a velocity that is 0 for a frame at rest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame<const D: usize> {
    /// Which body the components span.
    pub kind: FrameKind,
    /// The vertex O at time 0, in metres.
    pub origin: [f64; D],
    /// The edges C from the origin, in metres: `components[i]` is the i-th vector.
    pub components: [[f64; D]; D],
    /// Velocity V, in metres per second.
    pub velocity: [f64; D],
}

/// Largest coordinate and displacement of a frame, in metres: with larger ones boxes would not be finite.
pub const LARGEST_COORDINATE: f64 = 1e150;

/// Components whose determinant is at most this share of the product of their lengths are dependent.
pub(super) const DEPENDENT: f64 = 1e-12;

impl<const D: usize> Frame<D> {
    /// A parallelogram or parallelepiped at rest.
    #[must_use]
    pub fn cuboid(origin: [f64; D], components: [[f64; D]; D]) -> Self {
        Self { kind: FrameKind::Cuboid, origin, components, velocity: [0.0; D] }
    }

    /// A triangle or tetrahedron at rest.
    #[must_use]
    pub fn tetrahedron(origin: [f64; D], components: [[f64; D]; D]) -> Self {
        Self { kind: FrameKind::Tetrahedron, origin, components, velocity: [0.0; D] }
    }

    /// The same frame with this velocity.
    #[must_use]
    pub fn with_velocity(self, velocity: [f64; D]) -> Self {
        Self { velocity, ..self }
    }

    /// Checks a frame that moves for `duration` seconds; an error names it by `index`.
    #[inline]
    pub fn check(&self, duration: f64, index: usize) -> Result<()> {
        if self.is_in_range(duration) && !self.is_degenerate() {
            return Ok(());
        }
        self.check_each(duration, index)
    }

    /// Whether all numbers are finite and not too large.
    #[inline]
    fn is_in_range(&self, duration: f64) -> bool {
        // Without an early end, so that the compiler uses lanes. NaN is in no range.
        let within = |values: &[f64], factor: f64| {
            values.iter().fold(true, |all, x| all & (x.abs() * factor <= LARGEST_COORDINATE))
        };
        within(&self.origin, 1.0)
            & within(self.components.as_flattened(), 1.0)
            & within(&self.velocity, 1.0)
            & within(&self.velocity, duration)
    }

    /// The same one by one, to name what is bad.
    #[cold]
    fn check_each(&self, duration: f64, index: usize) -> Result<()> {
        for (field, values) in [("origin", &self.origin), ("velocity", &self.velocity)] {
            values.iter().try_for_each(|&value| check::finite(field, index, value))?;
        }
        self.components.as_flattened().iter().try_for_each(|&x| check::finite("components", index, x))?;
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let sizes = [
            ("origin", largest(&self.origin)),
            ("components", largest(self.components.as_flattened())),
            ("velocity", largest(&self.velocity).max(largest(&self.velocity) * duration)),
        ];
        if let Some(&(field, magnitude)) = sizes.iter().find(|(_, size)| *size > LARGEST_COORDINATE) {
            return Err(Error::Overflow { field, index: Some(index), magnitude });
        }
        if self.is_degenerate() { Err(Error::Degenerate { index }) } else { Ok(()) }
    }

    /// Whether the velocity is 0.
    #[must_use]
    #[inline]
    pub fn is_at_rest(&self) -> bool {
        self.velocity.iter().fold(true, |all, &v| all & (v == 0.0))
    }

    /// Whether the components are dependent: |det| <= 1e-12 times the product of their lengths.
    #[must_use]
    #[inline]
    pub fn is_degenerate(&self) -> bool {
        let squares = self.components.iter().map(|c| c.iter().map(|x| x * x).sum::<f64>());
        let mut product = 1.0;
        for square in squares {
            if !(1e-90..1e90).contains(&square) {
                return self.is_degenerate_at_any_scale();
            }
            product *= square;
        }
        let det = self.determinant();
        det * det <= DEPENDENT * DEPENDENT * product
    }

    /// The same for lengths whose products may overflow or underflow.
    #[cold]
    fn is_degenerate_at_any_scale(&self) -> bool {
        let scaled = self.components.map(|component| unit(&component));
        !scaled.iter().all(|component| component.iter().all(|x| x.is_finite()))
            || determinant(&scaled).abs() <= DEPENDENT
    }

    /// Determinant of the components: the signed area or volume of the cuboid they span.
    #[must_use]
    pub fn determinant(&self) -> f64 {
        determinant(&self.components)
    }

    /// The inverse of the matrix C whose columns are the components: `inverse()[i]` is the i-th row, so that
    /// X_i = `inverse()[i]` . (x - O).
    #[must_use]
    pub fn inverse(&self) -> [[f64; D]; D] {
        let det = self.determinant();
        cofactors(&self.components).map(|row| row.map(|x| x / det))
    }

    /// The vertices at time 0: the origin first, then for a tetrahedron the end of each component; for a cuboid
    /// vertex k has component i added where bit i of k is set.
    pub fn vertices(&self) -> impl Iterator<Item = [f64; D]> + '_ {
        (0..self.vertex_count()).map(|k| self.vertex(k))
    }

    pub(crate) fn vertex_count(&self) -> usize {
        match self.kind {
            FrameKind::Cuboid => 1 << D,
            FrameKind::Tetrahedron => D + 1,
        }
    }

    /// Vertex k, numbered as in [`vertices`](Self::vertices).
    pub(crate) fn vertex(&self, k: usize) -> [f64; D] {
        let takes = |i: usize| match self.kind {
            FrameKind::Cuboid => k >> i & 1 == 1,
            FrameKind::Tetrahedron => k == i + 1,
        };
        let chosen = self.components.iter().enumerate().filter(|(i, _)| takes(*i));
        chosen.fold(self.origin, |vertex, (_, component)| {
            std::array::from_fn(|axis| vertex[axis] + component[axis])
        })
    }

    /// The axis-aligned box around the frame from time 0 to `duration` seconds, within rounding.
    #[must_use]
    pub fn bounds(&self, duration: f64) -> Aabb<D> {
        let mut bounds = Aabb::EMPTY;
        for vertex in self.vertices() {
            bounds.include(&vertex);
            bounds.include(&std::array::from_fn(|axis| vertex[axis] + self.velocity[axis] * duration));
        }
        bounds
    }
}

/// A vector scaled to length 1; not finite if it is 0. Large and small entries neither overflow nor underflow.
fn unit<const D: usize>(vector: &[f64; D]) -> [f64; D] {
    let largest = vector.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let scaled = vector.map(|x| x / largest);
    let length = norm(&scaled);
    scaled.map(|x| x / length)
}

/// Determinant of the matrix with these columns.
pub(crate) fn determinant<const D: usize>(c: &[[f64; D]; D]) -> f64 {
    if D == 2 {
        c[0][0] * c[1][1] - c[0][1] * c[1][0]
    } else {
        let minor = |k: usize, l: usize| c[1][k] * c[2][l] - c[1][l] * c[2][k];
        c[0][0] * minor(1, 2) + c[0][1] * minor(2, 0) + c[0][2] * minor(0, 1)
    }
}

/// Rows of the adjugate: row i is orthogonal to every column but the i-th.
pub(crate) fn cofactors<const D: usize>(columns: &[[f64; D]; D]) -> [[f64; D]; D] {
    let c = columns;
    match D {
        2 => std::array::from_fn(|i| {
            let (other, sign) = (1 - i, if i == 0 { 1.0 } else { -1.0 });
            std::array::from_fn(|axis| if axis == 0 { sign * c[other][1] } else { -sign * c[other][0] })
        }),
        3 => std::array::from_fn(|i| {
            let (u, v) = (&c[(i + 1) % 3], &c[(i + 2) % 3]);
            std::array::from_fn(|axis| {
                let (k, l) = ((axis + 1) % 3, (axis + 2) % 3);
                u[k] * v[l] - u[l] * v[k]
            })
        }),
        _ => unreachable!("frames have two or three dimensions"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check of all numbers at once says what the check of each says.
    #[test]
    fn a_frame_passes_if_each_number_does() {
        let good = Frame::cuboid([1.0, -2.0], [[1.0, 0.0], [0.5, 2.0]]).with_velocity([3.0, -4.0]);
        let numbers = [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e150, -1e150, 1.1e150, 1e149, 0.0, -0.0];
        let durations = [0.0, 1.0, 100.0, -1.0, f64::INFINITY, f64::NAN];
        for (number, duration) in numbers.iter().flat_map(|&x| durations.map(|duration| (x, duration))) {
            let frames = [
                Frame { origin: [0.0, number], ..good },
                Frame { components: [[1.0, number], [0.5, 2.0]], ..good },
                good.with_velocity([number, 0.0]),
            ];
            for frame in frames {
                let (found, expected) = (frame.check(duration, 7), frame.check_each(duration, 7));
                assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{frame:?} {duration}");
            }
        }
    }

    #[test]
    fn the_inverse_undoes_the_components() {
        let frame = Frame::cuboid([0.0; 3], [[1.0, 2.0, 0.5], [0.0, -3.0, 1.0], [4.0, 1.0, 1.0]]);
        let inverse = frame.inverse();
        for (i, row) in inverse.iter().enumerate() {
            for (j, component) in frame.components.iter().enumerate() {
                let product: f64 = row.iter().zip(component).map(|(a, b)| a * b).sum();
                assert!((product - f64::from(u8::from(i == j))).abs() < 1e-15, "{i}, {j}: {product}");
            }
        }
        let flat = Frame::cuboid([0.0; 2], [[2.0, 1.0], [1.0, 3.0]]);
        assert_eq!(flat.determinant(), 5.0);
        assert_eq!(flat.inverse(), [[0.6, -0.2], [-0.2, 0.4]]);
    }

    #[test]
    fn bounds_follow_the_motion_and_the_kind() {
        let triangle = Frame::tetrahedron([1.0, 1.0], [[2.0, -1.0], [1.0, 3.0]]);
        assert_eq!(triangle.bounds(0.0), Aabb { min: [1.0, 0.0], max: [3.0, 4.0] });
        let cuboid = Frame { kind: FrameKind::Cuboid, ..triangle }.with_velocity([-1.0, 0.5]);
        assert_eq!(cuboid.bounds(2.0), Aabb { min: [-1.0, 0.0], max: [4.0, 5.0] });
    }

    #[test]
    fn dependent_components_are_found_at_any_scale() {
        for scale in [1e-150, 1e-20, 1.0, 1e20, 1e150] {
            let good = Frame::cuboid([0.0; 2], [[scale, 0.0], [0.3 * scale, 1e-9 * scale]]);
            assert!(!good.is_degenerate(), "{scale}");
            let flat = Frame::cuboid([0.0; 2], [[scale, scale], [0.5 * scale, 0.5 * scale]]);
            assert!(flat.is_degenerate(), "{scale}");
            let mixed = Frame::cuboid([0.0; 2], [[scale, 0.0], [0.0, 1e-150]]);
            assert!(!mixed.is_degenerate(), "{scale}");
        }
        assert!(Frame::cuboid([0.0; 2], [[0.0, 0.0], [0.0, 1.0]]).is_degenerate());
    }

    #[test]
    fn bad_numbers_are_named() {
        let good = Frame::cuboid([0.0; 2], [[1.0, 0.0], [0.0, 1.0]]);
        assert_eq!(good.check(1.0, 3), Ok(()));
        let nan = Frame { origin: [0.0, f64::NAN], ..good };
        assert!(matches!(nan.check(1.0, 3), Err(Error::NotFinite { field: "origin", index: 3, .. })));
        let far = good.with_velocity([1e149, 0.0]);
        assert!(matches!(
            far.check(100.0, 3),
            Err(Error::Overflow { field: "velocity", index: Some(3), .. })
        ));
        let flat = Frame { components: [[1.0, 1.0], [1.0, 1.0]], ..good };
        assert_eq!(flat.check(1.0, 3), Err(Error::Degenerate { index: 3 }));
    }
}
