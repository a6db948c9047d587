//! The impulses of a step, by one of the solvers.

use super::settings::{Method, StepSettings};
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::rigid2d::solver::passes::{Softness, StepNumbers};
use crate::rigid2d::solver::sequential::{PushApart, SequentialSolve};
use crate::rigid2d::solver::soft::{SoftSolve, SoftStep};
use crate::soa::block::{Doubles, Real};
use crate::soa::functions;
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

impl<R: Real> Tile<R> {
    /// Computes and stores impulses, and the velocities and displacements of the states.
    pub(crate) fn compute_impulses(&mut self, step: &Step<'_, R>) -> Result<()> {
        match step.settings.method {
            Method::Soft => {
                let (states, constraints) = (&mut self.states, &mut self.constraints);
                let (totals, step) = (&mut self.totals, soft_step(step.settings, step.dt));
                level::run(SoftSolve { states, constraints, totals, step });
                self.store_impulses();
            }
            Method::Sequential { iterations, bias } => self.compute_sequentially(step, iterations, bias)?,
        }
        Ok(())
    }

    fn compute_sequentially(&mut self, step: &Step<'_, R>, iterations: u32, bias: f64) -> Result<()> {
        let rate = (1.0 - level::run(Power { base: bias, exponent: step.dt })) / step.dt;
        let rigid = Softness { rate, softness: 0.0 };
        let slop = step.settings.slop;
        let numbers = StepNumbers { h: step.dt, moving: rigid, fixed: rigid, slop, push: f64::MAX };
        let (states, constraints) = (&mut self.states, &mut self.constraints);
        level::run(SequentialSolve { states, constraints, iterations, numbers });
        self.totals.add_records(&self.constraints);
        self.store_impulses();
        let (pushes, constraints) = (&mut self.pushes, &mut self.constraints);
        pushes.copy_at_rest(&self.states)?;
        level::run(PushApart { pushes, constraints, iterations, numbers });
        self.states.copy_displacements(&self.pushes);
        Ok(())
    }
}

fn soft_step(settings: &StepSettings, dt: f64) -> SoftStep {
    let h = dt / f64::from(settings.substeps);
    // A spring cannot be faster than the substeps that compute it.
    let hertz = settings.contact_hertz.min(0.25 / h);
    SoftStep {
        substeps: settings.substeps,
        relaxations: settings.relaxations,
        numbers: StepNumbers {
            h,
            moving: Softness::new(hertz, settings.damping_ratio, h),
            fixed: Softness::new(2.0 * hertz, settings.damping_ratio, h),
            slop: settings.slop,
            push: settings.push_velocity,
        },
    }
}

/// A power of a number from 0 to 1, with the same bits on every machine.
struct Power {
    base: f64,
    exponent: f64,
}

impl Kernel for Power {
    type Output = f64;

    #[inline(always)]
    fn run<S: Simd>(self) -> f64 {
        if self.base < f64::MIN_POSITIVE {
            return 0.0;
        }
        let logarithm = functions::ln(S::Block::new([self.base; 4])).to_array()[0];
        functions::exp(S::Block::new([(logarithm * self.exponent).max(-700.0); 4])).to_array()[0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_those_of_the_library_of_the_system() {
        for (base, exponent) in [(0.9_f64, 60.0), (0.5, 1.0 / 60.0), (1.0, 3.0), (1e-300, 5.0), (0.0, 1.0)] {
            let power = level::run(Power { base, exponent });
            assert!((power - base.powf(exponent)).abs() < 1e-15, "{base}^{exponent}: {power}");
        }
    }
}
