//! The axes of all particles, of which a store of spheres keeps none.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::shape::{self, ShapeKind};
use crate::error::{Error, Result};
use crate::soa::Column;

/// The axes of each particle, in metres, kept only where they say more than the bounding radii.
///
/// The axes of a sphere are twice its radius times the unit vectors, and doubling rounds nothing: as long as all
/// particles are [spheres to the bit](shape::is_sphere) there is nothing to keep, which in 3D spares 72 of 178 bytes a
/// particle. With the first particle of another shape, or when somebody wants to see all axes as one slice, those of all
/// particles are written out; they stay so until [`shrink_to_fit`](Self::shrink_to_fit) finds that all are spheres.
///
/// Whoever calls passes the radii, one a particle, because the store keeps them as a column of its own.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    dim: usize,
    /// `dim * dim` entries a particle: axis by axis. A cell, since those who only read may ask for it, on any thread.
    written: OnceLock<Column<f64>>,
}

impl Axes {
    /// Those of no particles yet.
    pub(super) fn new(dim: usize) -> Self {
        Self { dim, written: OnceLock::new() }
    }

    /// The axes of one particle: axis 0, then axis 1, ...
    pub(super) fn of(&self, index: usize, radii: &[f64]) -> Cow<'_, [f64]> {
        let matrix = self.matrix();
        match self.written.get() {
            Some(column) => Cow::Borrowed(&column.as_slice()[index * matrix..(index + 1) * matrix]),
            None => Cow::Owned(shape::diagonal(self.dim, 2.0 * radii[index])),
        }
    }

    /// The axes of all particles, written out from now on.
    pub(super) fn all(&self, radii: &[f64]) -> Result<&[f64]> {
        if !self.are_written() {
            // Whoever comes second finds the same axes there.
            let _ = self.written.set(self.spelled(radii)?);
        }
        Ok(self.written.get().map_or(&[], Column::as_slice))
    }

    /// Makes ready for particles of any shape.
    pub(super) fn write_out(&mut self, radii: &[f64]) -> Result<()> {
        self.all(radii).map(drop)
    }

    /// Replaces the axes of one particle. If they are not those of a sphere, all axes must have been written out.
    pub(super) fn set(&mut self, index: usize, axes: &[f64]) {
        let matrix = self.matrix();
        match self.written.get_mut() {
            Some(column) => {
                column.as_mut_slice()[index * matrix..(index + 1) * matrix].copy_from_slice(axes);
            }
            None => {
                debug_assert!(shape::is_sphere(ShapeKind::Spheroid, axes, self.dim), "axes would be lost");
            }
        }
    }

    /// Grows with axes of length 0, or shrinks, to `count` particles.
    pub(super) fn resize(&mut self, count: usize) -> Result<()> {
        let entries = self.entries(count)?;
        self.written.get_mut().map_or(Ok(()), |column| column.resize(entries, 0.0))
    }

    /// Makes room for exactly `additional` more particles; spheres need none.
    pub(super) fn reserve(&mut self, additional: usize) -> Result<()> {
        let entries = self.entries(additional)?;
        self.written.get_mut().map_or(Ok(()), |column| column.reserve_exact(entries))
    }

    /// Removes the axes of one particle and moves those behind it up.
    pub(super) fn remove(&mut self, index: usize) {
        let matrix = self.matrix();
        if let Some(column) = self.written.get_mut() {
            column.remove_range(index * matrix, matrix);
        }
    }

    /// Gives back memory that is not used: all of it if all particles are spheres.
    pub(super) fn shrink_to_fit(&mut self, kinds: &[u8]) {
        let (dim, matrix) = (self.dim, self.matrix());
        let Some(column) = self.written.get_mut() else { return };
        let mut shapes = column.as_slice().chunks_exact(matrix).zip(kinds);
        if shapes.all(|(axes, &kind)| {
            ShapeKind::from_code(kind).is_some_and(|kind| shape::is_sphere(kind, axes, dim))
        }) {
            self.written.take();
        } else {
            column.shrink_to_fit();
        }
    }

    /// Whether they are kept, be it for spheres.
    pub(super) fn are_written(&self) -> bool {
        self.written.get().is_some()
    }

    /// Becomes a copy of those of as many particles. If `other` are written out these must be, too.
    pub(super) fn copy_from(&mut self, other: &Self) {
        match (self.written.get_mut(), other.written.get()) {
            (Some(column), Some(from)) => column.as_mut_slice().copy_from_slice(from.as_slice()),
            _ => drop(self.written.take()),
        }
    }

    /// Whether no component differs by more than `tolerance` metres. Both have as many particles of the same dimension.
    pub(super) fn is_close(&self, radii: &[f64], other: &Self, other_radii: &[f64], tolerance: f64) -> bool {
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance;
        if !self.are_written() && !other.are_written() {
            return radii.iter().zip(other_radii).all(|(&r, &s)| close(2.0 * r, 2.0 * s));
        }
        (0..radii.len()).all(|index| {
            let (axes, others) = (self.of(index, radii), other.of(index, other_radii));
            axes.iter().zip(&*others).all(|(&a, &b)| close(a, b))
        })
    }

    /// Bytes of memory held.
    pub(super) fn memory_bytes(&self) -> usize {
        self.written.get().map_or(0, Column::memory_bytes)
    }

    fn matrix(&self) -> usize {
        self.dim * self.dim
    }

    fn entries(&self, count: usize) -> Result<usize> {
        count.checked_mul(self.matrix()).ok_or(Error::OutOfMemory { bytes: usize::MAX })
    }

    /// The axes of spheres.
    fn spelled(&self, radii: &[f64]) -> Result<Column<f64>> {
        let mut column = Column::filled(self.entries(radii.len())?, 0.0, 0.0)?;
        for (axes, radius) in column.as_mut_slice().chunks_exact_mut(self.matrix()).zip(radii) {
            shape::fill_diagonal(axes, self.dim, 2.0 * radius);
        }
        Ok(column)
    }
}

#[cfg(test)]
mod tests {
    use super::super::particle::Particle;
    use super::super::shape::Shape;
    use super::super::store::{Batch, Particles};
    use super::*;

    /// Bytes a particle of the columns that all particles have, in 2D: nine reals, user data, kind and flag.
    const OTHERS: usize = 10 * 8 + 2;

    /// A difference of radii that rounds nothing.
    const STEP: f64 = 1.0 / 1024.0;

    fn ball(radius: f64) -> Particle {
        Particle::sphere(&[1.0, 2.0], radius)
    }

    fn brick() -> Particle {
        Particle::with_shape(&[3.0, 4.0], Shape { kind: ShapeKind::Facoid, axes: vec![3.0, 0.0, 1.0, 2.0] })
    }

    /// `count` spheres of radii 1, 2, ...
    fn balls(count: usize) -> Particles {
        let mut particles = Particles::new(2).unwrap();
        particles.add_many(&(1..=count).map(|n| ball(n as f64)).collect::<Vec<_>>()).unwrap();
        particles
    }

    fn spelled(particles: &Particles) -> Particles {
        let copy = particles.clone();
        copy.all_axes().unwrap();
        copy
    }

    fn axes_bytes(particles: &Particles) -> usize {
        particles.axes.memory_bytes()
    }

    #[test]
    fn spheres_keep_no_axes() {
        let mut particles = balls(64);
        let radius = vec![0.25; 64];
        let zeros = [0.0; 64];
        let batch = Batch { position: &[&zeros, &zeros], radius: &radius, ..Batch::default() };
        particles.add_batch(&batch).unwrap();
        particles.add_batch(&Batch { radius: &[], axes: &[6.0, 0.0, 0.0, 6.0].repeat(64), ..batch }).unwrap();
        particles.set(3, &ball(7.0)).unwrap();
        particles.set_shape(4, &Shape::sphere(2, 0.0)).unwrap();
        particles.set_all_axes(&[8.0, 0.0, 0.0, 8.0].repeat(192)).unwrap();
        particles.reserve(64).unwrap();
        assert_eq!(particles.memory_bytes(), 256 * OTHERS);
        assert_eq!(particles.shape(191).unwrap(), Shape::sphere(2, 4.0));
        assert_eq!(axes_bytes(&Particles::with_rows(2, 9).unwrap()), 0);
    }

    #[test]
    fn the_first_other_shape_writes_all_axes_out() {
        let others = [
            Shape { kind: ShapeKind::Facoid, ..Shape::sphere(2, 1.0) },
            Shape { kind: ShapeKind::Pyramidoid, ..Shape::sphere(2, 1.0) },
            Shape { kind: ShapeKind::Spheroid, axes: vec![2.0, 0.0, 0.0, 1.0] },
            Shape { kind: ShapeKind::Spheroid, axes: vec![2.0, 0.0, -0.0, 2.0] },
            Shape { kind: ShapeKind::Spheroid, axes: vec![-2.0, 0.0, 0.0, -2.0] },
            Shape { kind: ShapeKind::Spheroid, axes: vec![-0.0, 0.0, 0.0, -0.0] },
            // Half of it is no number.
            Shape { kind: ShapeKind::Spheroid, axes: vec![5e-324, 0.0, 0.0, 5e-324] },
        ];
        for shape in others {
            let mut particles = balls(3);
            particles.set_shape(1, &shape).unwrap();
            let mut added = balls(1);
            added.add_many(&[Particle::with_shape(&[0.0; 2], shape.clone()), ball(3.0)]).unwrap();
            for particles in [particles, added] {
                let axes: Vec<u64> = particles.all_axes().unwrap().iter().map(|x| x.to_bits()).collect();
                let expected: Vec<u64> = [&[2.0, 0.0, 0.0, 2.0], &shape.axes[..], &[6.0, 0.0, 0.0, 6.0]]
                    .concat()
                    .iter()
                    .map(|x: &f64| x.to_bits())
                    .collect();
                assert_eq!(axes, expected);
                assert!(axes_bytes(&particles) > 0);
            }
        }
    }

    #[test]
    fn loaders_may_fill_rows_in_any_order() {
        let mut particles = Particles::with_rows(2, 3).unwrap();
        particles.set(2, &ball(1.0)).unwrap();
        particles.set(1, &brick()).unwrap();
        assert_eq!(particles.shape(0).unwrap(), Shape::sphere(2, 0.0));
        particles.set(0, &ball(2.0)).unwrap();
        let mut expected = Particles::new(2).unwrap();
        expected.add_many(&[ball(2.0), brick(), ball(1.0)]).unwrap();
        assert_eq!(particles, expected);
    }

    #[test]
    fn a_store_is_the_same_with_and_without_axes() {
        let compact = balls(5);
        assert_eq!(compact, spelled(&compact));
        assert_eq!(spelled(&compact), compact);
        let mut other = spelled(&compact);
        other.set_shape(2, &Shape::sphere(2, 3.0 + STEP)).unwrap();
        assert_ne!(compact, other);
        assert!(compact.is_close(&other, 2.0 * STEP) && !compact.is_close(&other, STEP));
        other.shrink_to_fit();
        assert!(compact.is_close(&other, 2.0 * STEP) && !compact.is_close(&other, STEP));
    }

    #[test]
    fn removing_and_resizing_keep_the_rows_together() {
        for mut particles in [balls(4), spelled(&balls(4))] {
            particles.remove(1).unwrap();
            particles.add(&ball(9.0)).unwrap();
            let radii: Vec<f64> = (0..4).map(|row| 0.5 * particles.shape(row).unwrap().axes[3]).collect();
            assert_eq!(radii, [1.0, 3.0, 4.0, 9.0]);
            particles.add(&brick()).unwrap();
            particles.remove(0).unwrap();
            assert_eq!(particles.get(3).unwrap(), brick());
            assert_eq!(particles.get(2).unwrap(), ball(9.0));
            particles.clear();
            assert_eq!(particles.all_axes().unwrap(), [0.0; 0]);
            particles.add(&ball(2.0)).unwrap();
            assert_eq!(particles.all_axes().unwrap(), [4.0, 0.0, 0.0, 4.0]);
        }
    }

    #[test]
    fn room_is_made_for_axes_that_are_written_out() {
        let mut particles = spelled(&balls(8));
        particles.reserve(56).unwrap();
        assert_eq!(axes_bytes(&particles), 64 * 32);
        particles.clear();
        assert_eq!(axes_bytes(&particles), 64 * 32, "memory is kept");
    }

    #[test]
    fn shrinking_forgets_the_axes_of_spheres() {
        let mut particles = spelled(&balls(8));
        particles.add(&brick()).unwrap();
        particles.shrink_to_fit();
        assert!(axes_bytes(&particles) >= 9 * 32);
        particles.remove(8).unwrap();
        particles.shrink_to_fit();
        assert_eq!(particles.memory_bytes(), 8 * 10 * 8 + 2 * 64);
        assert_eq!(particles, balls(8));
    }

    #[test]
    fn copies_are_as_the_original() {
        let mut mixed = balls(3);
        mixed.add(&brick()).unwrap();
        for from in [balls(2), balls(5), mixed.clone(), spelled(&balls(4))] {
            for mut to in [balls(4), mixed.clone(), Particles::new(2).unwrap()] {
                to.copy_from(&from).unwrap();
                assert_eq!(to, from);
                assert_eq!(axes_bytes(&to) == 0, axes_bytes(&from) == 0);
            }
        }
    }

    #[test]
    fn without_memory_all_is_as_before() {
        // More than any address space holds.
        let radii = vec![0.0; 1 << 24];
        let mut axes = Axes::new(1024);
        assert!(matches!(axes.write_out(&radii), Err(Error::OutOfMemory { .. })));
        assert!(axes.all(&radii).is_err());
        assert_eq!((axes.memory_bytes(), &*axes.of(7, &radii)), (0, &shape::diagonal(1024, 0.0)[..]));
        axes.reserve(1 << 24).unwrap();
        axes.write_out(&[2.0]).unwrap();
        assert!(matches!(axes.reserve(1 << 44), Err(Error::OutOfMemory { .. })));
        assert!(matches!(axes.resize(1 << 44), Err(Error::OutOfMemory { .. })));
        assert_eq!(axes.all(&[2.0]).unwrap(), shape::diagonal(1024, 4.0));
    }
}
