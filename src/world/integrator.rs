//! How a world moves particles over a step without collisions (docs/methods/particles.md, section 3).

use serde::{Deserialize, Serialize};

/// The rule by which positions and velocities follow from accelerations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u32)]
pub enum Integrator {
    /// The rule of PBPhys, an explicit Euler step whose positions have the term of second order: accelerations at the start
    /// of the step hold for all of it. Of first order, and a body on an orbit gains energy all the time.
    #[default]
    Euler = 0,
    /// Velocity Verlet: half a kick, a drift, half a kick. Of second order, reversible in time and symplectic, with one
    /// computation of the attraction per step, as the first.
    VelocityVerlet = 1,
    /// A composition of five kicks and four drifts by Omelyan, Mryglod and Folk (VEFRL). Of fourth order, reversible and
    /// symplectic, with four computations of the attraction per step.
    FourthOrder = 2,
}

/// All of them with their names in files.
pub(crate) const INTEGRATORS: [(&str, Integrator); 3] = [
    ("euler", Integrator::Euler),
    ("velocity-verlet", Integrator::VelocityVerlet),
    ("fourth-order", Integrator::FourthOrder),
];

/// Kicks and drifts in turns, as shares of the step; each ends with a kick at the positions of the end.
pub(super) struct Scheme {
    pub(super) kicks: &'static [f64],
    pub(super) drifts: &'static [f64],
}

/// The parameters of VEFRL (Omelyan, Mryglod and Folk 2002, velocity form of the extended Forest-Ruth composition).
const XI: f64 = 0.164_498_651_557_576;
const LAMBDA: f64 = -0.020_943_339_103_989_89;
const CHI: f64 = 1.235_692_651_138_917;

const VERLET: Scheme = Scheme { kicks: &[0.5, 0.5], drifts: &[1.0] };
const FOURTH_ORDER: Scheme = Scheme {
    kicks: &[XI, CHI, 1.0 - 2.0 * (CHI + XI), CHI, XI],
    drifts: &[0.5 - LAMBDA, LAMBDA, LAMBDA, 0.5 - LAMBDA],
};

impl Integrator {
    /// The composition; `None` for the rule of PBPhys.
    pub(super) fn scheme(self) -> Option<Scheme> {
        match self {
            Self::Euler => None,
            Self::VelocityVerlet => Some(VERLET),
            Self::FourthOrder => Some(FOURTH_ORDER),
        }
    }
}

impl Scheme {
    /// The weight of the accelerations of a kick in the constant acceleration that gives the same displacement over the step:
    /// twice its share times the drifts that follow.
    pub(super) fn weight(&self, kick: usize) -> f64 {
        2.0 * self.kicks[kick] * self.drifts[kick..].iter().sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_symmetric_and_consistent() {
        for scheme in [VERLET, FOURTH_ORDER] {
            let mirrored = |shares: &[f64]| shares.iter().rev().copied().collect::<Vec<_>>();
            assert_eq!(
                (mirrored(scheme.kicks), mirrored(scheme.drifts)),
                (scheme.kicks.to_vec(), scheme.drifts.to_vec())
            );
            for shares in [scheme.kicks, scheme.drifts] {
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            }
            let weights: f64 = (0..scheme.kicks.len()).map(|kick| scheme.weight(kick)).sum();
            assert!((weights - 1.0).abs() < 1e-15);
        }
        assert_eq!([0, 1].map(|kick| VERLET.weight(kick)), [1.0, 0.0]);
    }
}
