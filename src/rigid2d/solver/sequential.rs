//! Sequential impulses with warm starting, as the Tamias2D document and its family have them (docs/methods/rigid2d.md,
//! section 4).

use super::constraints::{Constraints, both_move, field, points_of, size_of_group};
use super::passes::{Push, Relax, StepNumbers, Warm, pass};
use super::states::States;
use crate::soa::block::Real;
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// The impulses of a step.
#[derive(Debug)]
pub(crate) struct SequentialSolve<'a, R: Real> {
    pub(crate) states: &'a mut States<R>,
    pub(crate) constraints: &'a mut Constraints<R>,
    pub(crate) iterations: u32,
    pub(crate) numbers: StepNumbers,
}

impl<R: Real> Kernel for SequentialSolve<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { states, constraints, iterations, numbers } = self;
        states.begin();
        pass::<S, R, Warm>(states, constraints, &numbers, 0.0);
        for _ in 0..iterations {
            pass::<S, R, Relax>(states, constraints, &numbers, 0.0);
        }
        states.integrate(R::nearest(numbers.h));
        states.end(R::nearest(0.5 * numbers.h));
    }
}

/// Displacements that push overlapping bodies apart, by velocities of their own that last for this step only, so that no
/// energy is added. The impulses of the records are no longer needed and become those of these velocities.
#[derive(Debug)]
pub(crate) struct PushApart<'a, R: Real> {
    /// Velocities of the push, 0 at the start, and the displacements that the step has so far.
    pub(crate) pushes: &'a mut States<R>,
    pub(crate) constraints: &'a mut Constraints<R>,
    pub(crate) iterations: u32,
    pub(crate) numbers: StepNumbers,
}

impl<R: Real> Kernel for PushApart<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { pushes, constraints, iterations, numbers } = self;
        begin_push(constraints, R::nearest(numbers.h));
        for _ in 0..iterations {
            pass::<S, R, Push>(pushes, constraints, &numbers, 0.0);
        }
        pushes.integrate(R::nearest(numbers.h));
    }
}

/// Impulses become 0. Bodies that no impulse moves are where they are after `h` seconds, and at rest: their velocities must not
/// count once more.
fn begin_push<R: Real>(constraints: &mut Constraints<R>, h: R) {
    for (group, constraints) in constraints.groups.iter_mut().enumerate() {
        let (size, points) = (size_of_group(group), points_of(group));
        for record in constraints.records.as_mut_slice().chunks_exact_mut(size * R::COUNT) {
            for point in 0..points {
                let at = field::POINT[point] * R::COUNT;
                let own = (field::FIRST[points - 1] + point) * R::COUNT;
                for lane in 0..R::COUNT {
                    record[at + field::IMPULSE * R::COUNT + lane] = R::nearest(0.0);
                    if !both_move(group) {
                        let moved = record[own + lane] * h;
                        let separation = &mut record[at + field::SEPARATION * R::COUNT + lane];
                        *separation = *separation - moved;
                        record[own + lane] = R::nearest(0.0);
                    }
                }
            }
        }
    }
}
