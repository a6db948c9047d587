//! What a run of events comes to: printed at its end, for people or for scripts.

use std::fmt::Write as _;
use std::time::Duration;

use carom::events::{AnyEngine, Event, Measurements, SpeedHistogram};
use serde::Serialize;

use super::figure;

/// Bins of the histogram of speeds.
const SPEED_BINS: usize = 32;

/// Figures at the end of a run, in SI units. Counts and means are since its start, also if it was interrupted.
#[derive(Serialize)]
pub(super) struct EventSummary {
    pub(super) scene: String,
    pub(super) dim: usize,
    pub(super) particles: usize,
    /// World time reached, in seconds.
    pub(super) time: f64,
    /// Of two balls.
    pub(super) collisions: u64,
    pub(super) wall_collisions: u64,
    /// By the virial, or else by the walls; null if neither is defined. In pascals, N/m in 2D, N in 1D.
    pub(super) pressure: Option<f64>,
    pub(super) virial_pressure: Option<f64>,
    pub(super) wall_pressure: Option<f64>,
    /// Mean of m v^2 / D, in joules.
    pub(super) temperature: f64,
    /// In joules.
    pub(super) kinetic_energy: f64,
    /// In joules.
    pub(super) total_energy: f64,
    /// Error of the total energy, relative.
    pub(super) energy_drift: f64,
    /// Error of the momentum, relative.
    pub(super) momentum_drift: f64,
    /// In metres; null without collisions.
    pub(super) mean_free_path: Option<f64>,
    /// In seconds; null without collisions.
    pub(super) mean_free_time: Option<f64>,
    /// In square metres.
    pub(super) mean_square_displacement: f64,
    /// How many of the particles that move and collide are how fast at the end.
    pub(super) speed_histogram: Histogram,
    /// Collisions of balls and with walls, a second of computing.
    pub(super) events_per_second: f64,
    /// Seconds of computing, tables included.
    pub(super) seconds: f64,
    /// Whether the run reached its end.
    pub(super) complete: bool,
    /// The file of the last state.
    pub(super) state: Option<String>,
}

/// Counts in bins of equal width from 0 on.
#[derive(Serialize)]
pub(super) struct Histogram {
    /// Of a bin, in metres per second.
    width: f64,
    counts: Vec<u64>,
}

impl Histogram {
    fn of(speeds: &[f64]) -> Self {
        let SpeedHistogram { width, counts, .. } = SpeedHistogram::new(speeds, SPEED_BINS);
        Self { width, counts }
    }
}

impl EventSummary {
    pub(super) fn new(scene: String, engine: &AnyEngine, measured: &Measurements<3>) -> Self {
        Self {
            scene,
            dim: engine.dim(),
            particles: engine.len(),
            time: engine.time(),
            collisions: measured.collisions,
            wall_collisions: measured.wall_collisions,
            pressure: measured.virial_pressure.or(measured.wall_pressure),
            virial_pressure: measured.virial_pressure,
            wall_pressure: measured.wall_pressure,
            temperature: measured.temperature,
            kinetic_energy: measured.kinetic_energy,
            total_energy: measured.kinetic_energy + measured.potential_energy,
            energy_drift: measured.energy_drift,
            momentum_drift: measured.momentum_drift,
            mean_free_path: measured.mean_free_path,
            mean_free_time: measured.mean_free_time,
            mean_square_displacement: measured.mean_square_displacement,
            speed_histogram: Histogram::of(&engine.speeds()),
            events_per_second: 0.0,
            seconds: 0.0,
            complete: false,
            state: None,
        }
    }

    /// Notes that so many events took so long to compute.
    pub(super) fn set_speed(&mut self, events: u64, time: Duration) {
        self.seconds = time.as_secs_f64();
        self.events_per_second = if self.seconds > 0.0 { events as f64 / self.seconds } else { 0.0 };
    }

    /// The line above a picture.
    pub(super) fn title(&self) -> String {
        let Self { scene, time, collisions, wall_collisions, .. } = self;
        format!("{scene}: t = {time} s, {collisions} collisions of balls, {wall_collisions} with walls")
    }

    /// One line of JSON.
    pub(super) fn as_json(&self) -> String {
        let line = serde_json::to_string(self).expect("numbers and strings always have a JSON form");
        line + "\n"
    }

    /// A few lines for people; `next` is what will happen next.
    pub(super) fn as_text(&self, next: Option<&Event<3>>) -> String {
        let Self { particles, energy_drift, momentum_drift, .. } = self;
        let mut text = format!("{}, {particles} particles\n", self.title());
        // Writing to a string cannot fail.
        let (kinetic, total) = (figure(self.kinetic_energy), figure(self.total_energy));
        let _ = writeln!(text, "kinetic energy {kinetic} J, total energy {total} J");
        let _ = writeln!(
            text,
            "error of the total energy {energy_drift:.1e}, of the momentum {momentum_drift:.1e} (relative)"
        );
        if let Some(pressure) = self.pressure {
            let unit = ["N", "N/m", "Pa"][self.dim.clamp(1, 3) - 1];
            let (pressure, temperature) = (figure(pressure), figure(self.temperature));
            let _ = writeln!(text, "pressure {pressure} {unit}, temperature {temperature} J");
        }
        if let (Some(path), Some(time)) = (self.mean_free_path, self.mean_free_time) {
            let (path, time) = (figure(path), figure(time));
            let displacement = figure(self.mean_square_displacement);
            let _ = writeln!(text, "mean free path {path} m, mean free time {time} s");
            let _ = writeln!(text, "mean square displacement {displacement} m^2");
        }
        if let Some(event) = next {
            let _ = write!(text, "next, at {}", super::events::told(event));
        }
        let _ = writeln!(text, "{:.0} events a second, {:.3} s", self.events_per_second, self.seconds);
        let _ = match &self.state {
            Some(path) => writeln!(text, "the last state is in {path}, the tables beside it"),
            None => writeln!(text, "to keep the results say --out DIR; for a picture, --svg FILE"),
        };
        text
    }
}
