//! The frames of particles: a facoid is a cuboid, a pyramidoid a tetrahedron (docs/methods/particles.md).

use super::{Frame, FrameKind};
use crate::error::{Error, Result};
use crate::particles::shape::centre_from_origin;
use crate::particles::{Field, Particles, ShapeKind, check};

impl<const D: usize> Frame<D> {
    /// The frame of a facoid or pyramidoid in two or three dimensions, with the velocity of the particle.
    ///
    /// ```
    /// use carom::{Error, Frame, Particle, Particles, ShapeKind};
    /// let mut particles = Particles::new(2)?;
    /// particles.add(&Particle::new(2, ShapeKind::Facoid).with_velocity(&[3.0, 0.0]))?;
    /// let square = Frame::<2>::of_particle(&particles, 0)?;
    /// assert_eq!((square.origin, square.velocity), ([-0.5, -0.5], [3.0, 0.0]));
    /// particles.add(&Particle::sphere(&[0.0, 0.0], 1.0))?;
    /// assert_eq!(Frame::<2>::of_particle(&particles, 1), Err(Error::NoFrame { index: 1 }));
    /// # Ok::<(), carom::Error>(())
    /// ```
    pub fn of_particle(particles: &Particles, index: usize) -> Result<Self> {
        check_dimension::<D>(particles)?;
        check::index("particle", index, particles.len())?;
        let vector = |field: Field| -> [f64; D] {
            std::array::from_fn(|axis| particles.columns(field)[axis].as_slice()[index])
        };
        let around = Self::around_centre(particles, index).ok_or(Error::NoFrame { index })?;
        let centre = vector(Field::Position);
        let origin = std::array::from_fn(|axis| centre[axis] + around.origin[axis]);
        let frame = Self { origin, ..around.with_velocity(vector(Field::Velocity)) };
        frame.check(0.0, index)?;
        Ok(frame)
    }

    /// The frame of a particle at rest with its centre at 0; `None` for a spheroid. The particles must have `D`
    /// dimensions.
    pub(crate) fn around_centre(particles: &Particles, index: usize) -> Option<Self> {
        let shape = particles.kind_of(index);
        let kind = match shape {
            ShapeKind::Facoid => FrameKind::Cuboid,
            ShapeKind::Pyramidoid => FrameKind::Tetrahedron,
            ShapeKind::Spheroid => return None,
        };
        let axes = particles.axes_of(index);
        let to_centre = centre_from_origin(shape, &axes, D);
        Some(Self {
            kind,
            origin: std::array::from_fn(|axis| -to_centre[axis]),
            components: std::array::from_fn(|i| std::array::from_fn(|axis| axes[i * D + axis])),
            velocity: [0.0; D],
        })
    }
}

fn check_dimension<const D: usize>(particles: &Particles) -> Result<()> {
    if D != 2 && D != 3 {
        return Err(Error::BadDimension { found: D, expected: "2 or 3 for a frame" });
    }
    if particles.dim() != D {
        let expected = "the same for the particles and the frame";
        return Err(Error::BadDimension { found: particles.dim(), expected });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::{Particle, Shape};

    fn one(kind: ShapeKind, axes: &[f64], position: &[f64]) -> Particles {
        let shape = Shape { kind, axes: axes.to_vec() };
        let mut particles = Particles::new(position.len()).unwrap();
        particles.add(&Particle::with_shape(position, shape)).unwrap();
        particles
    }

    #[test]
    fn frames_lie_around_the_centre() {
        let facoid = one(ShapeKind::Facoid, &[2.0, 0.0, 1.0, 4.0], &[10.0, 20.0]);
        let frame = Frame::of_particle(&facoid, 0).unwrap();
        assert_eq!(frame, Frame::cuboid([8.5, 18.0], [[2.0, 0.0], [1.0, 4.0]]));
        let axes = [4.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 12.0];
        let pyramidoid = one(ShapeKind::Pyramidoid, &axes, &[1.0, 2.0, 3.0]);
        let frame = Frame::of_particle(&pyramidoid, 0).unwrap();
        let components = [[4.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 12.0]];
        assert_eq!(frame, Frame::tetrahedron([0.0, 0.0, 0.0], components));
    }

    #[test]
    fn what_has_no_frame_is_refused() {
        let sphere = one(ShapeKind::Spheroid, &[1.0, 0.0, 0.0, 1.0], &[0.0; 2]);
        assert_eq!(Frame::<2>::of_particle(&sphere, 0), Err(Error::NoFrame { index: 0 }));
        assert!(matches!(Frame::<2>::of_particle(&sphere, 1), Err(Error::BadIndex { index: 1, .. })));
        assert!(matches!(Frame::<3>::of_particle(&sphere, 0), Err(Error::BadDimension { found: 2, .. })));
        assert!(matches!(Frame::<4>::of_particle(&sphere, 0), Err(Error::BadDimension { found: 4, .. })));
        let flat = one(ShapeKind::Facoid, &[1.0, 1.0, 2.0, 2.0], &[0.0; 2]);
        assert_eq!(Frame::<2>::of_particle(&flat, 0), Err(Error::Degenerate { index: 0 }));
    }
}
