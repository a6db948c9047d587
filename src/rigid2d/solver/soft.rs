//! Soft contacts with substeps (Catto's soft step; docs/methods/rigid2d.md, section 3).

use super::constraints::Constraints;
use super::passes::{Push, Relax, StepNumbers, Warm, pass};
use super::states::States;
use crate::rigid2d::engine::totals::Totals;
use crate::soa::block::Real;
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Numbers of a step with soft contacts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SoftStep {
    /// Number of substeps.
    pub(crate) substeps: u32,
    /// How often the relaxation of a substep is repeated.
    pub(crate) relaxations: u32,
    /// Those of all passes; the duration is that of a substep.
    pub(crate) numbers: StepNumbers,
}

/// All substeps of a step, for the states and constraints of a tile.
#[derive(Debug)]
pub(crate) struct SoftSolve<'a, R: Real> {
    pub(crate) states: &'a mut States<R>,
    pub(crate) constraints: &'a mut Constraints<R>,
    pub(crate) totals: &'a mut Totals,
    pub(crate) step: SoftStep,
}

impl<R: Real> Kernel for SoftSolve<'_, R> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { states, constraints, totals, step } = self;
        let numbers = &step.numbers;
        let (h, half) = (numbers.h, R::nearest(0.5 * numbers.h));
        for substep in 0..step.substeps {
            if substep == 0 {
                states.begin();
                pass::<S, R, Warm>(states, constraints, numbers, 0.0);
            } else {
                states.go_on(half);
            }
            let elapsed = f64::from(substep) * h;
            pass::<S, R, Push>(states, constraints, numbers, elapsed);
            states.integrate(R::nearest(h));
            for _ in 0..step.relaxations {
                pass::<S, R, Relax>(states, constraints, numbers, elapsed + h);
            }
            totals.add_records(constraints);
        }
        states.end(half);
    }
}
