//! Bodies as the solver sees them.

use crate::error::Result;
use crate::soa::Column;
use crate::soa::block::Real;

/// Velocities and displacements of bodies, two rows of four numbers each:
/// `[v_x, v_y, omega, inverse mass]` and `[d_x, d_y, angle, inverse moment]`.
///
/// There is one body more than there are bodies: it stays at rest, and unused lanes refer to it.
#[derive(Debug, Clone)]
pub(crate) struct States<R: Real> {
    rows: Column<R>,
    /// Per body `[v_x, v_y, omega, inverse mass]` at the start of the substep.
    starts: Column<R>,
    /// Per body the change of velocity by forces in a substep, `[v_x, v_y, omega, 0]`.
    changes: Column<R>,
    /// Per body the square of the largest change of velocity that still counts as smooth.
    smooth: Column<R>,
}

/// The rows of states, the velocities at the start of the substep, and the changes by forces.
type Parts<'a, R> = (&'a mut [[R; 4]], &'a mut [[R; 4]], &'a [[R; 4]]);

/// Both rows of each body, the velocities at the start of the substep, and the squares of the largest smooth changes.
type PairsOfRows<'a, R> = (&'a mut [[[R; 4]; 2]], &'a mut [[R; 4]], &'a [R]);

/// One body of [`States`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct State {
    /// `[v_x, v_y, omega]`, in metres and radians per second.
    pub(crate) velocity: [f64; 3],
    /// `[d_x, d_y, angle]` since the start of the step, in metres and radians.
    pub(crate) displacement: [f64; 3],
}

impl<R: Real> States<R> {
    pub(crate) fn new() -> Self {
        let zeros = || Column::new(R::nearest(0.0));
        Self { rows: zeros(), starts: zeros(), changes: zeros(), smooth: zeros() }
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let columns = [&self.rows, &self.starts, &self.changes, &self.smooth];
        columns.into_iter().map(Column::memory_bytes).sum()
    }

    /// Makes room for this many bodies, and one that stays at rest.
    pub(crate) fn resize(&mut self, bodies: usize) -> Result<()> {
        let zero = R::nearest(0.0);
        self.rows.resize(8 * (bodies + 1), zero)?;
        self.starts.resize(4 * (bodies + 1), zero)?;
        self.changes.resize(4 * (bodies + 1), zero)?;
        self.smooth.resize(bodies + 1, zero)
    }

    /// Sets a body at the start of a step: its velocity, its inverse mass and moment, and the change of velocity by forces
    /// in a substep.
    #[inline(always)]
    pub(crate) fn set(
        &mut self,
        body: usize,
        velocity: [f64; 3],
        inverse: [f64; 2],
        change: [f64; 3],
        extent: f64,
    ) {
        let near = R::nearest;
        let [x, y, w] = velocity;
        let turn = change[2] * extent;
        // Twice the change by forces.
        let smooth = 4.0 * (change[0] * change[0] + change[1] * change[1] + turn * turn);
        let rows = self.rows.as_mut_slice().as_chunks_mut::<4>().0;
        rows[2 * body] = [near(x), near(y), near(w), near(inverse[0])];
        rows[2 * body + 1] = [near(0.0), near(0.0), near(0.0), near(inverse[1])];
        self.changes.as_mut_slice().as_chunks_mut::<4>().0[body] =
            [near(change[0]), near(change[1]), near(change[2]), near(0.0)];
        self.smooth.as_mut_slice()[body] = near(smooth);
    }

    /// Rows, changes by forces and limits of smooth ones, to be written as [`set`](Self::set) does.
    #[inline(always)]
    pub(crate) fn parts_to_set(&mut self) -> (&mut [[R; 4]], &mut [[R; 4]], &mut [R]) {
        let Self { rows, changes, smooth, .. } = self;
        let rows = rows.as_mut_slice().as_chunks_mut().0;
        (rows, changes.as_mut_slice().as_chunks_mut().0, smooth.as_mut_slice())
    }

    /// A body.
    #[inline(always)]
    pub(crate) fn get(&self, body: usize) -> State {
        let rows = self.rows.as_slice().as_chunks::<4>().0;
        let wide = |row: [R; 4]| [row[0].widen(), row[1].widen(), row[2].widen()];
        State { velocity: wide(rows[2 * body]), displacement: wide(rows[2 * body + 1]) }
    }

    /// Adds to the velocity of a body.
    #[inline(always)]
    pub(crate) fn push(&mut self, body: usize, change: [f64; 3]) {
        let row = &mut self.rows.as_mut_slice().as_chunks_mut::<4>().0[2 * body];
        for axis in 0..3 {
            row[axis] = row[axis] + R::nearest(change[axis]);
        }
    }

    /// The rows, two per body.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &[[R; 4]] {
        self.rows.as_slice().as_chunks().0
    }

    /// The rows, two per body, writable.
    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> &mut [[R; 4]] {
        self.rows.as_mut_slice().as_chunks_mut().0
    }

    /// As many bodies as another, with the same masses and displacements, at rest.
    pub(crate) fn copy_at_rest(&mut self, other: &Self) -> Result<()> {
        let zero = R::nearest(0.0);
        self.rows.resize(other.rows.len(), zero)?;
        let bodies = self.rows.as_mut_slice().as_chunks_mut::<8>().0;
        for (body, from) in bodies.iter_mut().zip(other.rows.as_slice().as_chunks::<8>().0) {
            *body = *from;
            body[..3].fill(zero);
        }
        Ok(())
    }

    /// Takes over the displacements of another, body by body.
    pub(crate) fn copy_displacements(&mut self, other: &Self) {
        let bodies = self.rows.as_mut_slice().as_chunks_mut::<8>().0;
        for (body, from) in bodies.iter_mut().zip(other.rows.as_slice().as_chunks::<8>().0) {
            body[4..7].copy_from_slice(&from[4..7]);
        }
    }

    /// The first half of the first substep: velocities change by forces.
    #[inline(always)]
    pub(crate) fn begin(&mut self) {
        let (rows, starts, changes) = self.parts();
        for body in 0..starts.len() {
            let row = &mut rows[2 * body];
            starts[body] = *row;
            // The last entry is that of masses, to which 0 is added.
            for axis in 0..4 {
                row[axis] = row[axis] + changes[body][axis];
            }
        }
    }

    /// The start of every further substep. Forces and, since the constraints are frozen, the impulses that were applied in
    /// the last substep change velocities as they did then: the warm start is one sum. Displacements, which were integrated
    /// with the velocity at the end of that substep, become exact for a constant acceleration, unless it was an impact.
    #[inline(always)]
    pub(crate) fn go_on(&mut self, half_substep: R) {
        let (bodies, starts, smooth) = self.pairs_of_rows();
        for ((body, start), &smooth) in bodies.iter_mut().zip(starts).zip(smooth) {
            let velocity = body[0];
            let by = minus(velocity, *start);
            *start = velocity;
            body[1] = corrected(body[1], by, smooth, half_substep);
            for axis in 0..4 {
                body[0][axis] = velocity[axis] + by[axis];
            }
        }
    }

    /// The end of the last substep.
    #[inline(always)]
    pub(crate) fn end(&mut self, half_substep: R) {
        let (bodies, starts, smooth) = self.pairs_of_rows();
        for ((body, start), &smooth) in bodies.iter_mut().zip(starts).zip(smooth) {
            body[1] = corrected(body[1], minus(body[0], *start), smooth, half_substep);
        }
    }

    /// Moves all bodies with their velocities for a substep.
    #[inline(always)]
    pub(crate) fn integrate(&mut self, substep: R) {
        // The last entry is that of inverse moments, which stay as they are.
        let substep = [substep, substep, substep, R::nearest(0.0)];
        for body in self.rows.as_mut_slice().as_chunks_mut::<8>().0 {
            for axis in 0..4 {
                body[4 + axis] = body[4 + axis] + substep[axis] * body[axis];
            }
        }
    }

    #[inline(always)]
    fn parts(&mut self) -> Parts<'_, R> {
        let rows = self.rows.as_mut_slice().as_chunks_mut().0;
        let starts = self.starts.as_mut_slice().as_chunks_mut().0;
        (rows, starts, self.changes.as_slice().as_chunks().0)
    }

    #[inline(always)]
    fn pairs_of_rows(&mut self) -> PairsOfRows<'_, R> {
        let rows: &mut [[R; 4]] = self.rows.as_mut_slice().as_chunks_mut().0;
        let starts = self.starts.as_mut_slice().as_chunks_mut().0;
        (rows.as_chunks_mut().0, starts, self.smooth.as_slice())
    }
}

/// The difference of two rows; that of the masses in the last entry is 0.
#[inline(always)]
fn minus<R: Real>(a: [R; 4], b: [R; 4]) -> [R; 4] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

/// Takes half of what the velocity changed in a substep back from the displacement, which was integrated with the velocity
/// at its end: then the motion under a constant acceleration is exact. An impact is no acceleration.
#[inline(always)]
fn corrected<R: Real>(displacement: [R; 4], by: [R; 4], smooth: R, half_substep: R) -> [R; 4] {
    let square = by[0] * by[0] + by[1] * by[1];
    let share = if square <= smooth { half_substep } else { R::nearest(0.0) };
    let mut corrected = displacement;
    for axis in 0..4 {
        corrected[axis] = displacement[axis] - share * by[axis];
    }
    corrected
}
