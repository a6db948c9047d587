//! What a run comes to: printed at its end, for people or for scripts.

use std::fmt::Write as _;

use carom::World;
use serde::Serialize;

use super::figure;

/// What should stay the same without forces from outside.
pub(super) struct Totals {
    pub(super) kinetic_energy: f64,
    pub(super) total_energy: Option<f64>,
    momentum: Vec<f64>,
}

impl Totals {
    pub(super) fn of(world: &World) -> Self {
        let kinetic_energy = world.kinetic_energy();
        let total_energy = world.potential_energy().map(|potential| kinetic_energy + potential);
        Self { kinetic_energy, total_energy, momentum: world.momentum() }
    }

    pub(super) fn energy_drift(&self, start: &Self) -> Option<f64> {
        let (now, start) = (self.total_energy?, start.total_energy?);
        Some(relative((now - start).abs(), start.abs()))
    }

    pub(super) fn momentum_drift(&self, start: &Self) -> f64 {
        let change = self.momentum.iter().zip(&start.momentum).map(|(now, start)| now - start);
        relative(norm(change), norm(start.momentum.iter().copied()))
    }
}

fn relative(change: f64, base: f64) -> f64 {
    if base == 0.0 { change } else { change / base }
}

fn norm(components: impl Iterator<Item = f64>) -> f64 {
    components.map(|x| x * x).sum::<f64>().sqrt()
}

#[derive(Serialize)]
pub(super) struct Summary {
    /// World time reached, in seconds.
    pub(super) time: f64,
    pub(super) steps: u64,
    pub(super) collisions: u64,
    pub(super) particles: usize,
    /// In joules.
    pub(super) kinetic_energy: f64,
    /// In joules; null if the attraction has no potential.
    pub(super) total_energy: Option<f64>,
    /// Change of the total energy over its value at the start; in joules if that is 0.
    pub(super) energy_drift: Option<f64>,
    /// Change of the momentum over its value at the start; in newton seconds if that is 0.
    pub(super) momentum_drift: f64,
    /// Whether the run reached its end.
    pub(super) complete: bool,
    /// The file of the last state.
    pub(super) state: Option<String>,
    /// What happened, if it is not in tables.
    #[serde(skip)]
    pub(super) story: String,
}

impl Summary {
    /// One line of JSON.
    pub(super) fn as_json(&self) -> String {
        let line = serde_json::to_string(self).expect("numbers and strings always have a JSON form");
        line + "\n"
    }

    /// A few lines for people.
    pub(super) fn as_text(&self) -> String {
        let Self { story, time, steps, collisions, particles, momentum_drift, .. } = self;
        let mut text =
            format!("{story}t = {time} s: {steps} steps, {collisions} collisions, {particles} particles\n");
        let total = self.total_energy.map_or("unknown".into(), |energy| format!("{} J", figure(energy)));
        let drift = self.energy_drift.map_or("unknown".into(), |drift| format!("{drift:.1e}"));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "kinetic energy {} J, total energy {total}", figure(self.kinetic_energy));
        let _ = writeln!(
            text,
            "drift of the total energy {drift}, of the momentum {momentum_drift:.1e} (relative to the start)"
        );
        let _ = match &self.state {
            Some(path) => writeln!(text, "the last state is in {path}, the tables beside it"),
            None => {
                writeln!(text, "to keep the results say --out DIR; to run your own world, carom sim WORLD")
            }
        };
        text
    }
}
