//! Sequential impulses with warm starting, as the Tamias2D document and its family have them (docs/methods/rigid2d.md,
//! section 4).

use super::constraints::{Constraints, field, points_of, size_of_group};
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
    /// Velocities of the push, 0 at the start.
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
        clear_impulses(constraints);
        for _ in 0..iterations {
            pass::<S, R, Push>(pushes, constraints, &numbers, 0.0);
        }
        pushes.integrate(R::nearest(numbers.h));
    }
}

fn clear_impulses<R: Real>(constraints: &mut Constraints<R>) {
    for (group, constraints) in constraints.groups.iter_mut().enumerate() {
        let size = size_of_group(group) * R::COUNT;
        for record in constraints.records.as_mut_slice().chunks_exact_mut(size) {
            for point in 0..points_of(group) {
                let at = (field::POINT[point] + field::IMPULSE) * R::COUNT;
                record[at..at + R::COUNT].fill(R::nearest(0.0));
            }
        }
    }
}
