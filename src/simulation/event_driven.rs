//! The event-driven engine as a simulation.

use std::io::Write;

use super::{
    Extent, Impact, Limit, Matter, Observer, Quantity, Simulation, State, Stop, Surroundings, Totals, Value,
};
use crate::error::Result;
use crate::events::{AnyEngine, Boundary, Event, SpeedHistogram};

/// Bins of the histogram of speeds.
const SPEED_BINS: usize = 32;

impl Simulation for AnyEngine {
    fn dim(&self) -> usize {
        self.dim()
    }

    fn time(&self) -> f64 {
        self.time()
    }

    fn particle_count(&self) -> usize {
        self.len()
    }

    fn advance(&mut self, limit: Limit, observer: &mut dyn Observer) -> Result<Stop> {
        let dim = self.dim();
        self.run_observed(limit, &mut |event| observer.impact(&impact(event, dim)))
    }

    fn state(&mut self) -> State<'_> {
        self.synchronise();
        let measured = self.measurements();
        State {
            time: self.time(),
            matter: Matter::Particles(self.particles()),
            totals: Totals {
                kinetic_energy: measured.kinetic_energy,
                potential_energy: Some(measured.potential_energy),
                momentum: measured.momentum[..self.dim()].to_vec(),
                collisions: measured.collisions,
                wall_collisions: measured.wall_collisions,
            },
            surroundings: surroundings(self),
        }
    }

    fn quantities(&self) -> Vec<Quantity> {
        let measured = self.measurements();
        let pressure_unit = ["N", "N/m", "Pa"][self.dim() - 1];
        let SpeedHistogram { width, counts } = SpeedHistogram::new(&self.speeds(), SPEED_BINS);
        vec![
            Quantity::number("energy_drift", measured.energy_drift, ""),
            Quantity::number("momentum_drift", measured.momentum_drift, ""),
            Quantity::number("pressure", measured.virial_pressure.or(measured.wall_pressure), pressure_unit),
            Quantity::number("virial_pressure", measured.virial_pressure, pressure_unit),
            Quantity::number("wall_pressure", measured.wall_pressure, pressure_unit),
            Quantity::number("temperature", measured.temperature, "J"),
            Quantity::number("mean_free_path", measured.mean_free_path, "m"),
            Quantity::number("mean_free_time", measured.mean_free_time, "s"),
            Quantity::number("mean_square_displacement", measured.mean_square_displacement, "m^2"),
            Quantity { name: "speed_histogram", value: Value::Histogram { width, counts }, unit: "m/s" },
            Quantity::text("state_hash", format!("{:016x}", self.state_hash())),
        ]
    }

    fn show_next(&mut self, show: &mut dyn FnMut(&Impact<'_>)) {
        if let Some(event) = self.next_event() {
            show(&impact(&event, self.dim()));
        }
    }

    fn extension(&self) -> &'static str {
        "carom"
    }

    fn save(&self, out: &mut dyn Write) -> Result<()> {
        self.save(out)
    }
}

fn impact(event: &Event<3>, dim: usize) -> Impact<'_> {
    Impact {
        time: event.time,
        kind: event.kind,
        first: event.first,
        second: event.second,
        impulse: event.impulse,
        normal: &event.normal[..dim],
    }
}

fn surroundings(engine: &AnyEngine) -> Surroundings {
    let (lower, upper) = (engine.lower(), engine.upper());
    let extent = |(axis, boundary): (usize, &Boundary)| {
        let periodic = *boundary == Boundary::Periodic;
        let extent = Extent { lower: lower[axis], upper: upper[axis], periodic };
        (*boundary != Boundary::Open).then_some(extent)
    };
    Surroundings {
        extents: engine.boundaries().iter().enumerate().map(extent).collect(),
        down_gravity: engine.settings().down_gravity,
    }
}
