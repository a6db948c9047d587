//! Random velocities.

use crate::random::Random;

/// The distribution of the velocities of a group of balls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Velocities {
    /// All the same, in metres per second.
    Constant([f64; 3]),
    /// Every component between the negative of this and this, in metres per second.
    Uniform(f64),
    /// This speed in a random direction, in metres per second.
    Equal(f64),
    /// Maxwell's distribution at this temperature, in joules, with zero total momentum.
    Maxwell(f64),
}

impl Velocities {
    /// Velocities of balls of these masses, in metres per second; components from `dim` on are 0.
    pub(super) fn draw(&self, masses: &[f64], dim: usize, random: &mut Random) -> Vec<[f64; 3]> {
        let mut each = |draw: &mut dyn FnMut(&mut Random) -> [f64; 3]| {
            masses.iter().map(|_| draw(random)).collect::<Vec<_>>()
        };
        match *self {
            Self::Constant(velocity) => vec![velocity; masses.len()],
            Self::Uniform(bound) => each(&mut |random| vector(dim, || random.between(-bound, bound))),
            Self::Equal(length) => each(&mut |random| direction(dim, random).map(|x| x * length)),
            Self::Maxwell(temperature) => maxwell(masses, dim, temperature, random),
        }
    }
}

fn vector(dim: usize, mut component: impl FnMut() -> f64) -> [f64; 3] {
    let mut vector = [0.0; 3];
    vector[..dim].fill_with(&mut component);
    vector
}

/// A unit vector in a uniformly distributed direction.
fn direction(dim: usize, random: &mut Random) -> [f64; 3] {
    loop {
        let vector = vector(dim, || random.normal());
        let length = square(&vector).sqrt();
        if length > 0.0 {
            return vector.map(|x| x / length);
        }
    }
}

/// Velocities with zero total momentum whose mean of m v^2 / D is the temperature up to rounding.
fn maxwell(masses: &[f64], dim: usize, temperature: f64, random: &mut Random) -> Vec<[f64; 3]> {
    let mut velocities: Vec<[f64; 3]> = masses
        .iter()
        .map(|mass| {
            let spread = (temperature / mass).sqrt();
            vector(dim, || random.normal() * spread)
        })
        .collect();
    // A single ball without momentum would have no temperature.
    if velocities.len() > 1 {
        stop_drift(&mut velocities, masses);
    }
    let twice_energy: f64 =
        velocities.iter().zip(masses).map(|(velocity, mass)| mass * square(velocity)).sum();
    if twice_energy > 0.0 {
        let scale = ((dim * masses.len()) as f64 * temperature / twice_energy).sqrt();
        velocities.iter_mut().flatten().for_each(|component| *component *= scale);
    }
    velocities
}

/// Subtracts the velocity of the centre of mass.
fn stop_drift(velocities: &mut [[f64; 3]], masses: &[f64]) {
    let total: f64 = masses.iter().sum();
    let mut drift = [0.0; 3];
    for (velocity, mass) in velocities.iter().zip(masses) {
        for (drift, component) in drift.iter_mut().zip(velocity) {
            *drift += mass * component;
        }
    }
    for velocity in velocities {
        for (component, drift) in velocity.iter_mut().zip(drift) {
            *component -= drift / total;
        }
    }
}

fn square(vector: &[f64; 3]) -> f64 {
    vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn draw(velocities: Velocities, masses: &[f64], dim: usize) -> Vec<[f64; 3]> {
        velocities.draw(masses, dim, &mut Random::new(5, Purpose::Velocities))
    }

    #[test]
    fn a_gas_has_no_momentum_and_its_temperature() {
        let masses: Vec<f64> = (0..500).map(|n| if n % 3 == 0 { 1.0 } else { 0.125 }).collect();
        for dim in 1..=3 {
            let velocities = draw(Velocities::Maxwell(2.0), &masses, dim);
            let of = |f: &dyn Fn(&[f64; 3]) -> f64| -> f64 {
                velocities.iter().zip(&masses).map(|(velocity, mass)| mass * f(velocity)).sum()
            };
            assert!((0..3).all(|axis| of(&|velocity| velocity[axis]).abs() < 1e-12));
            assert!((of(&square) / (500 * dim) as f64 - 2.0).abs() < 1e-13);
            assert!(velocities.iter().all(|velocity| velocity[dim..].iter().all(|&x| x == 0.0)));
        }
    }

    #[test]
    fn one_ball_keeps_its_temperature_and_cold_balls_rest() {
        let alone = draw(Velocities::Maxwell(4.0), &[1.0], 2);
        assert!((square(&alone[0]) - 8.0).abs() < 1e-14);
        assert_eq!(draw(Velocities::Maxwell(0.0), &[1.0, 2.0], 3), [[0.0; 3]; 2]);
    }

    #[test]
    fn other_distributions_keep_what_they_say() {
        let masses = [1.0; 200];
        assert_eq!(draw(Velocities::Constant([1.0, 2.0, 0.0]), &masses[..2], 2), [[1.0, 2.0, 0.0]; 2]);
        let uniform = draw(Velocities::Uniform(3.0), &masses, 2);
        assert!(uniform.iter().all(|v| v[0].abs() <= 3.0 && v[1].abs() <= 3.0 && v[2] == 0.0));
        assert!(uniform.iter().any(|v| v[0] > 2.8) && uniform.iter().any(|v| v[1] < -2.8));
        let equal = draw(Velocities::Equal(3.0), &masses, 3);
        assert!(equal.iter().all(|v| (square(v).sqrt() - 3.0).abs() < 1e-14));
        assert!(draw(Velocities::Equal(3.0), &masses, 1).iter().all(|v| v[0].abs() == 3.0));
    }
}
