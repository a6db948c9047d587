//! Simulates the gas of a replica: from a lattice through equilibrium to the measurement.

use std::ops::ControlFlow;

use rand_chacha::rand_core::Rng;

use super::specification::Span;
use super::{GasModel, Measure};
use crate::error::{Error, Result};
use crate::events::scenes::Gas;
use crate::events::{Engine, EventKind, EventSettings, Limit, Measurements, Stop};
use crate::study::kinds::event_engine::{SLICE, any, write_all, write_event};
use crate::study::kinds::gas::theory::Theory;
use crate::study::kinds::sequential::{Replica, Simulator, Stopped, Trajectory};
use crate::study::model::ReplicaStart;
use crate::study::random::Streams;

pub(super) struct GasSimulator<'m, const D: usize> {
    pub(super) model: &'m GasModel,
    pub(super) seeds: Streams,
    pub(super) engine: Engine<D>,
}

/// Time scales of a gas, which say when no further collision is to be expected.
#[derive(Debug, Clone, Copy)]
struct Pace {
    /// Time between two collisions of a ball if the gas is dilute, in seconds.
    flight: f64,
    /// Simulated time between two checks for cancellation, in seconds.
    stride: f64,
}

/// The wait for a collision, in ages of the gas, after which none is expected.
const PATIENCE: f64 = 1000.0;

/// Crossings of the box between two checks for cancellation.
const CROSSINGS: f64 = 256.0;

impl<const D: usize> GasSimulator<'_, D> {
    fn begin(&mut self, replica: &Replica<'_>) -> Result<Pace> {
        let specification = &self.model.specification;
        let gas = specification.gas(replica.inputs, self.seeds.generator(replica.number).next_u64());
        let scene = gas.scene()?;
        self.engine.restart(scene.walls(), |particles| {
            particles.copy_from(&scene.particles)?;
            Ok(EventSettings { restitution: specification.restitution.of(replica.inputs), ..scene.settings })
        })?;
        let velocity = (gas.temperature / gas.mass).sqrt();
        let alike = Theory::of(&Gas { mix: None, ..gas });
        let flight = alike.map_or(f64::INFINITY, |theory| theory.dilute_flight());
        Ok(Pace { flight, stride: CROSSINGS * scene.enclosure[0].upper / velocity })
    }

    /// Advances the gas by a span, and records its collisions if there is a trajectory.
    fn pass(
        &mut self,
        span: Span,
        pace: Pace,
        replica: &Replica<'_>,
        trajectory: &mut Option<&mut Trajectory>,
    ) -> std::result::Result<(), Stopped> {
        let (mut left, end) = match span {
            Span::Collisions(count) => (count, f64::INFINITY),
            Span::Time(seconds) => (u64::MAX, self.engine.time() + seconds),
        };
        let mut last_collision = self.engine.time();
        while left > 0 {
            replica.check()?;
            let now = self.engine.time();
            let limit = Limit {
                time: end.min(now + pace.stride + 0.1 * now),
                collisions: if trajectory.is_some() { 1 } else { SLICE },
            };
            let (mut last, before) = (None, left);
            let stop = self.engine.run_with(limit, |event| {
                last = Some(*event);
                left -= u64::from(event.kind == EventKind::Collision);
                if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let (Some(trajectory), Some(event)) = (trajectory.as_deref_mut(), &last) {
                write_event(&mut self.engine, event, trajectory);
            }
            if trajectory.as_ref().is_some_and(|trajectory| trajectory.is_full()) {
                *trajectory = None;
            }
            if stop == Stop::Time && self.engine.time() >= end {
                break;
            }
            if left < before {
                last_collision = self.engine.time();
            } else if end == f64::INFINITY && is_idle(stop, self.engine.time(), last_collision, pace) {
                let expected = "such that balls collide: nothing happens any more";
                let value = self.model.specification.temperature.of(replica.inputs);
                return Err(Error::OutOfRange { field: "temperature", value, expected }.into());
            }
        }
        Ok(())
    }

    fn fill(&self, start: &Measurements<D>, values: &mut [f64]) {
        let found = self.engine.measurements();
        let count = self.engine.len() as f64;
        // N kT, the mean of start and end.
        let thermal = 0.5 * count * (start.temperature + found.temperature);
        let volume = self.engine.enclosure().volume();
        for (value, measure) in values.iter_mut().zip(&self.model.measures) {
            let number = match measure {
                Measure::Pressure => found.virial_pressure,
                Measure::Compressibility => found
                    .virial_pressure
                    .zip(volume)
                    .filter(|_| thermal > 0.0)
                    .map(|(pressure, volume)| pressure * volume / thermal),
                Measure::CollisionRate => {
                    (found.duration > 0.0).then(|| 2.0 * found.collisions as f64 / (count * found.duration))
                }
                Measure::MeanFreePath => found.mean_free_path,
                Measure::MeanFreeTime => found.mean_free_time,
                Measure::Diffusion => (found.duration > 0.0)
                    .then(|| found.mean_square_displacement / (2.0 * D as f64 * found.duration)),
                Measure::Msd => Some(found.mean_square_displacement),
                Measure::Temperature => Some(found.temperature),
                Measure::EnergyDrift => Some(found.energy_drift),
                Measure::WallPressure => found.wall_pressure,
            };
            *value = number.unwrap_or(f64::NAN);
        }
    }
}

/// Whether no further collision is to be expected, the last one having been at time `last`.
fn is_idle(stop: Stop, now: f64, last: f64, pace: Pace) -> bool {
    let waiting = now - last < PATIENCE * (last + pace.flight);
    stop == Stop::Idle || !waiting
}

impl<const D: usize> Simulator for GasSimulator<'_, D> {
    fn start(&mut self, replica: &Replica<'_>) -> Result<ReplicaStart> {
        self.begin(replica)?;
        Ok(ReplicaStart::Balls { engine: any(&mut self.engine)?, until: None })
    }

    fn simulate(
        &mut self,
        replica: &Replica<'_>,
        values: &mut [f64],
        mut trajectory: Option<&mut Trajectory>,
    ) -> std::result::Result<(), Stopped> {
        let pace = self.begin(replica)?;
        if let Some(trajectory) = trajectory.as_deref_mut() {
            write_all(&mut self.engine, trajectory);
        }
        self.pass(self.model.equilibrate, pace, replica, &mut trajectory)?;
        self.engine.reset_measurements();
        let start = self.engine.measurements();
        self.pass(self.model.span, pace, replica, &mut trajectory)?;
        self.fill(&start, values);
        if let Some(trajectory) = trajectory {
            write_all(&mut self.engine, trajectory);
        }
        Ok(())
    }
}
