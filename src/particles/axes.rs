//! The axes of all particles, which are not stored as long as all of them are spheres.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use super::shape::{self, ShapeKind};
use crate::error::{Error, Result};
use crate::soa::Column;
use crate::soa::store::Rows;

/// The axes of each particle, in metres, stored only if they do not follow from the bounding radii.
///
/// The axes of a sphere are twice its radius times the unit vectors, and doubling is exact: as long as all particles are
/// [spheres to the bit](shape::is_sphere) nothing is stored, which in 3D saves 72 of 178 bytes per particle. The first
/// particle of another shape, or the first call that reads all axes as one slice, writes those of all particles out; they
/// stay so until [`drop_if_spheres`](Self::drop_if_spheres) finds that all are spheres.
///
/// The caller passes the radii, one per particle, which the store has as a column of its own.
#[derive(Debug, Clone)]
pub(super) struct Axes {
    dim: usize,
    /// `dim * dim` entries per particle: axis by axis. A lock, because readers on any thread may be the first to need it.
    written: OnceLock<Column<f64>>,
}

impl Axes {
    /// The axes of no particles.
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
            // If another thread was first, its axes are the same.
            let _ = self.written.set(self.of_spheres(radii)?);
        }
        Ok(self.written.get().map_or(&[], Column::as_slice))
    }

    /// Makes room for particles of any shape.
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

    /// Replaces the axes of one particle by those of a sphere.
    #[inline]
    pub(super) fn set_sphere(&mut self, index: usize, radius: f64) {
        let matrix = self.matrix();
        if let Some(column) = self.written.get_mut() {
            let axes = &mut column.as_mut_slice()[index * matrix..(index + 1) * matrix];
            shape::fill_diagonal(axes, self.dim, 2.0 * radius);
        }
    }

    /// Drops them if all particles, of these kinds, are spheres.
    pub(super) fn drop_if_spheres(&mut self, kinds: &[u8]) {
        let dim = self.dim;
        let is_sphere = |(axes, &kind): (&[f64], &u8)| {
            ShapeKind::from_code(kind).is_some_and(|kind| shape::is_sphere(kind, axes, dim))
        };
        let Some(column) = self.written.get() else { return };
        if column.as_slice().chunks_exact(self.matrix()).zip(kinds).all(is_sphere) {
            self.written.take();
        }
    }

    /// Whether they are stored, which they may be for spheres too.
    pub(super) fn are_written(&self) -> bool {
        self.written.get().is_some()
    }

    /// Whether no component differs by more than `tolerance` metres. Number and dimension of the particles are the same.
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

    fn matrix(&self) -> usize {
        self.dim * self.dim
    }

    fn entries(&self, count: usize) -> Result<usize> {
        count.checked_mul(self.matrix()).ok_or(Error::OutOfMemory { bytes: usize::MAX })
    }

    /// The axes of spheres.
    fn of_spheres(&self, radii: &[f64]) -> Result<Column<f64>> {
        let mut column = Column::filled(self.entries(radii.len())?, 0.0, 0.0)?;
        for (axes, radius) in column.as_mut_slice().chunks_exact_mut(self.matrix()).zip(radii) {
            shape::fill_diagonal(axes, self.dim, 2.0 * radius);
        }
        Ok(column)
    }
}

/// A row has `dim * dim` entries, or none as long as the axes are not written out.
impl Rows for Axes {
    fn row_capacity(&self) -> usize {
        self.written.get().map_or(usize::MAX, |column| column.capacity() / self.matrix())
    }

    fn row_bytes(&self) -> usize {
        self.written.get().map_or(0, Column::memory_bytes)
    }

    fn reserve_rows(&mut self, additional: usize) -> Result<()> {
        let entries = self.entries(additional)?;
        self.written.get_mut().map_or(Ok(()), |column| column.reserve_exact(entries))
    }

    #[inline]
    fn make_room(&mut self, additional: usize) -> Result<()> {
        if !self.are_written() {
            return Ok(());
        }
        let entries = self.entries(additional)?;
        self.written.get_mut().map_or(Ok(()), |column| column.reserve(entries))
    }

    #[inline]
    fn grow_rows(&mut self, count: usize) {
        let entries = count * self.matrix();
        if let Some(column) = self.written.get_mut() {
            column.grow(entries);
        }
    }

    fn resize_rows(&mut self, len: usize) -> Result<()> {
        let entries = self.entries(len)?;
        self.written.get_mut().map_or(Ok(()), |column| column.resize(entries, 0.0))
    }

    fn remove_rows(&mut self, rows: &[usize]) {
        let matrix = self.matrix();
        if let Some(column) = self.written.get_mut() {
            column.remove_groups(rows, matrix);
        }
    }

    fn swap_remove_row(&mut self, row: usize) {
        let matrix = self.matrix();
        if let Some(column) = self.written.get_mut() {
            column.swap_remove_group(row, matrix);
        }
    }

    fn overlaps_rows(&self, addresses: &Range<usize>) -> bool {
        self.written.get().is_some_and(|column| column.overlaps(addresses))
    }

    fn shrink_rows(&mut self) {
        if let Some(column) = self.written.get_mut() {
            column.shrink_to_fit();
        }
    }

    /// If `other` is written out, `self` must be, too.
    fn copy_rows(&mut self, other: &Self) {
        match (self.written.get_mut(), other.written.get()) {
            (Some(column), Some(from)) => column.copy_rows(from),
            _ => drop(self.written.take()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::particle::Particle;
    use super::super::shape::Shape;
    use super::super::store::{Batch, Particles};
    use super::*;

    /// A difference of radii that is exact.
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

    /// A copy whose axes are written out.
    fn written_out(particles: &Particles) -> Particles {
        let copy = particles.clone();
        copy.all_axes().unwrap();
        copy
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
        assert_eq!(particles.shape(191).unwrap(), Shape::sphere(2, 4.0));
        let four_reals_each = 192 * 4 * size_of::<f64>();
        particles.shrink_to_fit();
        assert_eq!(written_out(&particles).memory_bytes(), particles.memory_bytes() + four_reals_each);
        assert!(!Particles::with_rows(2, 9).unwrap().axes.are_written());
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
            // The smallest positive number, whose half rounds to 0.
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
        assert_eq!(compact, written_out(&compact));
        assert_eq!(written_out(&compact), compact);
        let mut other = written_out(&compact);
        other.set_shape(2, &Shape::sphere(2, 3.0 + STEP)).unwrap();
        assert_ne!(compact, other);
        assert!(compact.is_close(&other, 2.0 * STEP) && !compact.is_close(&other, STEP));
        other.shrink_to_fit();
        assert!(compact.is_close(&other, 2.0 * STEP) && !compact.is_close(&other, STEP));
    }

    #[test]
    fn removing_and_resizing_keep_the_rows_together() {
        for mut particles in [balls(4), written_out(&balls(4))] {
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
    fn reserved_room_is_enough_for_other_shapes() {
        let mut particles = written_out(&balls(8));
        particles.reserve(56).unwrap();
        let (bytes, axes) = (particles.memory_bytes(), particles.all_axes().unwrap().as_ptr());
        assert!(particles.capacity() >= 64);
        particles.add_many(&vec![brick(); 56]).unwrap();
        assert_eq!((particles.memory_bytes(), particles.all_axes().unwrap().as_ptr()), (bytes, axes));
        particles.clear();
        assert_eq!(particles.memory_bytes(), bytes, "memory is kept");
    }

    #[test]
    fn shrinking_drops_the_axes_of_spheres() {
        let mut particles = written_out(&balls(8));
        particles.add(&brick()).unwrap();
        particles.shrink_to_fit();
        assert_eq!(particles.get(8).unwrap(), brick());
        particles.remove(8).unwrap();
        particles.shrink_to_fit();
        let mut expected = balls(8);
        expected.shrink_to_fit();
        assert_eq!(particles.memory_bytes(), expected.memory_bytes());
        assert_eq!(particles, expected);
    }

    #[test]
    fn copies_are_as_the_original() {
        let mut mixed = balls(3);
        mixed.add(&brick()).unwrap();
        for from in [balls(2), balls(5), mixed.clone(), written_out(&balls(4))] {
            for mut to in [balls(4), mixed.clone(), Particles::new(2).unwrap()] {
                to.copy_from(&from).unwrap();
                assert_eq!(to, from);
                assert_eq!(to.axes.are_written(), from.axes.are_written());
            }
        }
    }

    #[test]
    fn a_failed_allocation_changes_nothing() {
        // More than any address space holds.
        let radii = vec![0.0; 1 << 24];
        let mut axes = Axes::new(1024);
        assert!(matches!(axes.write_out(&radii), Err(Error::OutOfMemory { .. })));
        assert!(axes.all(&radii).is_err());
        assert_eq!((axes.are_written(), &*axes.of(7, &radii)), (false, &shape::diagonal(1024, 0.0)[..]));
        axes.reserve_rows(1 << 24).unwrap();
        axes.write_out(&[2.0]).unwrap();
        assert!(matches!(axes.reserve_rows(1 << 44), Err(Error::OutOfMemory { .. })));
        assert!(matches!(axes.resize_rows(1 << 44), Err(Error::OutOfMemory { .. })));
        assert_eq!(axes.all(&[2.0]).unwrap(), shape::diagonal(1024, 4.0));
    }
}
