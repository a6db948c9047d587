//! Many particles replaced at once, from slices.

use std::ops::Range;

use super::check;
use super::columns::Field;
use super::store::{Batch, Particles};
use crate::error::Result;

impl Particles {
    /// Replaces what a batch has of the particles `rows`; what it lacks stays as it is. If one value is bad nothing changes,
    /// and the error names it by its place in the batch.
    ///
    /// The kind is that of the batch if there are radii or axes. Particles that become fixed come to rest.
    pub(crate) fn set_batch(&mut self, rows: Range<usize>, batch: &Batch) -> Result<()> {
        self.check_rows(&rows)?;
        self.check_batch(&rows, batch)?;
        let has_shapes = !batch.radius.is_empty() || !batch.axes.is_empty();
        if has_shapes {
            self.make_room_for_shapes(batch)?;
        }
        for (row, &flag) in rows.clone().zip(batch.fixed) {
            self.set_fixed(row, flag != 0)?;
        }
        for field in Field::WRITABLE {
            self.write_columns(field, &rows, batch.columns(field));
        }
        if !batch.data.is_empty() {
            self.data.as_mut_slice()[rows.clone()].copy_from_slice(batch.data);
        }
        if has_shapes {
            self.write_shapes(rows, batch);
        }
        Ok(())
    }

    /// Whether the particles `rows`, which exist, may get these values.
    fn check_batch(&self, rows: &Range<usize>, batch: &Batch) -> Result<()> {
        let fixed = if batch.fixed.is_empty() { &self.fixed.as_slice()[rows.clone()] } else { batch.fixed };
        for (field, found) in [("fixed", batch.fixed.len()), ("data", batch.data.len())] {
            check::optional_length(field, rows.len(), found)?;
        }
        for field in Field::WRITABLE {
            let (spec, columns) = (field.spec(), batch.columns(field));
            check::optional_length(spec.name, spec.width(self.dim), columns.len())?;
            for (axis, column) in columns.iter().enumerate() {
                check::length(spec.name, axis, rows.len(), column.len())?;
                spec.check_column(column, fixed)?;
            }
        }
        if batch.radius.is_empty() && batch.axes.is_empty() {
            return Ok(());
        }
        check::batch_shapes(batch, self.dim, rows.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::particles::{Particle, ShapeKind};

    fn balls() -> Particles {
        let mut particles = Particles::new(2).unwrap();
        let ball =
            |n: u32| Particle::sphere(&[f64::from(n), 0.0], 1.0).with_velocity(&[1.0, 2.0]).with_data(7);
        particles.add_many(&(0..5).map(ball).collect::<Vec<_>>()).unwrap();
        particles
    }

    #[test]
    fn only_what_a_batch_has_is_replaced() {
        let mut particles = balls();
        let batch = Batch { mass: &[3.0, 4.0], fixed: &[0, 1], ..Batch::default() };
        particles.set_batch(1..3, &batch).unwrap();
        assert_eq!(particles.column(Field::Mass, 0).unwrap(), [0.0, 3.0, 4.0, 0.0, 0.0]);
        assert_eq!(particles.column(Field::Velocity, 0).unwrap(), [1.0, 1.0, 0.0, 1.0, 1.0]);
        assert_eq!(particles.fixed_flags(), [0, 0, 1, 0, 0]);
        assert_eq!(particles.user_data(), [7; 5]);
        let cubes = Batch { kind: Some(ShapeKind::Facoid), radius: &[0.5], data: &[9], ..Batch::default() };
        particles.set_batch(4..5, &cubes).unwrap();
        assert_eq!(particles.shape(4).unwrap().kind, ShapeKind::Facoid);
        assert_eq!(particles.shape(3).unwrap().axes, [2.0, 0.0, 0.0, 2.0]);
        assert_eq!(particles.user_data()[4], 9);
    }

    #[test]
    fn nothing_is_replaced_if_a_value_is_bad() {
        let mut particles = balls();
        particles.set_fixed(1, true).unwrap();
        let before = particles.clone();
        let all = [1.0; 2];
        for (batch, error) in [
            (Batch { mass: &all, drag: &[1.0, -1.0], ..Batch::default() }, "negative"),
            (Batch { mass: &all, velocity: &[&all, &all], ..Batch::default() }, "fixed"),
            (Batch { mass: &all, radius: &[1.0, f64::NAN], ..Batch::default() }, "finite"),
            (Batch { mass: &all, data: &[1], ..Batch::default() }, "data"),
        ] {
            let found = particles.set_batch(1..3, &batch).unwrap_err();
            assert!(found.to_string().contains(error), "{found}");
            assert_eq!(particles, before);
        }
        let batch = Batch { mass: &all, ..Batch::default() };
        assert!(matches!(particles.set_batch(4..6, &batch), Err(Error::BadIndex { index: 5, .. })));
    }
}
