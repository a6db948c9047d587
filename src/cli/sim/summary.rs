//! The results of a run, printed at its end for people or for scripts.

use std::fmt::Write as _;

use carom::simulation::{End, Quantity, Ran, Simulation, Totals, Value};
use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{figure, story};

/// The results of a run, in SI units.
pub(super) struct Summary {
    /// What was simulated.
    pub(super) name: String,
    pub(super) dim: usize,
    pub(super) particles: usize,
    /// Whether it is one of rigid bodies, whose quantities have all sums.
    is_rigid: bool,
    /// Time that was reached, in seconds.
    pub(super) time: f64,
    pub(super) totals: Totals,
    /// What this kind of simulation measures.
    pub(super) quantities: Vec<Quantity>,
    /// Collisions, of particles and with walls, per second of computing.
    pub(super) events_per_second: f64,
    /// Seconds of computing, tables included.
    pub(super) seconds: f64,
    /// The level of instructions in use.
    pub(super) level: &'static str,
    /// Whether the run reached its end.
    pub(super) complete: bool,
    /// The file of the last state.
    pub(super) state: Option<String>,
}

impl Summary {
    pub(super) fn new(name: String, simulation: &mut dyn Simulation, ran: &Ran) -> Self {
        let seconds = ran.duration.as_secs_f64();
        let state = simulation.state();
        let (is_rigid, totals) = (state.space().is_some(), state.totals);
        Self {
            name,
            dim: simulation.dim(),
            particles: simulation.particle_count(),
            is_rigid,
            time: simulation.time(),
            totals,
            quantities: simulation.quantities(),
            events_per_second: if seconds > 0.0 { ran.impacts as f64 / seconds } else { 0.0 },
            seconds,
            level: crate::cli::level(),
            complete: matches!(ran.end, End::Complete | End::Idle),
            state: None,
        }
    }

    /// One line of JSON.
    pub(super) fn as_json(&self) -> String {
        let line = serde_json::to_string(self).expect("numbers and strings always have a JSON form");
        line + "\n"
    }

    /// A few lines for people, with the event that is next, if it is known.
    pub(super) fn as_text(&self, simulation: &mut dyn Simulation) -> String {
        let mut text = self.heading();
        for Quantity { name, value, unit, .. } in &self.quantities {
            let name = name.replace('_', " ");
            let _ = match value {
                Value::Number(Some(number)) if unit.is_empty() => {
                    writeln!(text, "{name} {number:.1e} (relative)")
                }
                Value::Number(Some(number)) => writeln!(text, "{name} {} {unit}", figure(*number)),
                Value::Count(count) => writeln!(text, "{name} {count}"),
                Value::Vector(vector) => {
                    let numbers: Vec<String> = vector.iter().map(|&number| figure(number)).collect();
                    writeln!(text, "{name} ({}) {unit}", numbers.join(", "))
                }
                Value::Text(word) => writeln!(text, "{name} {word}"),
                _ => Ok(()),
            };
        }
        simulation.show_next(&mut |impact| text += &format!("next, at {}", story::line(impact)));
        let rate = if self.is_rigid {
            String::new()
        } else {
            format!("{:.0} events per second, ", self.events_per_second)
        };
        let _ = writeln!(text, "{rate}{:.3} s, level {}", self.seconds, self.level);
        let _ = match &self.state {
            Some(path) => writeln!(text, "the last state is in {path}, the tables beside it"),
            None => writeln!(
                text,
                "to keep the results use --out DIR; for your own scene or world, carom sim FILE"
            ),
        };
        text
    }
}

impl Summary {
    /// The first lines for people.
    fn heading(&self) -> String {
        if self.is_rigid {
            return format!("{}: t = {} s\n", self.name, self.time);
        }
        let total = self.totals.total_energy().map_or("unknown".into(), |energy| figure(energy) + " J");
        format!(
            "{}, {} particles\nkinetic energy {} J, total energy {total}\n",
            title(&self.name, self.time, &self.totals),
            self.particles,
            figure(self.totals.kinetic_energy)
        )
    }
}

/// What was simulated, how far, and what happened: the line above a picture, too.
pub(super) fn title(name: &str, time: f64, totals: &Totals) -> String {
    let Totals { collisions, wall_collisions, .. } = totals;
    format!("{name}: t = {time} s, {collisions} collisions of particles, {wall_collisions} with walls")
}

/// The quantities stand beside what all simulations have, under their names.
impl Serialize for Summary {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("scene", &self.name)?;
        map.serialize_entry("dim", &self.dim)?;
        if self.is_rigid {
            map.serialize_entry("time", &self.time)?;
        } else {
            map.serialize_entry("particles", &self.particles)?;
            map.serialize_entry("time", &self.time)?;
            map.serialize_entry("collisions", &self.totals.collisions)?;
            map.serialize_entry("wall_collisions", &self.totals.wall_collisions)?;
            map.serialize_entry("kinetic_energy", &self.totals.kinetic_energy)?;
            map.serialize_entry("total_energy", &self.totals.total_energy())?;
        }
        for quantity in &self.quantities {
            map.serialize_entry(quantity.name, &quantity.value)?;
        }
        if !self.is_rigid {
            map.serialize_entry("events_per_second", &self.events_per_second)?;
        }
        map.serialize_entry("seconds", &self.seconds)?;
        map.serialize_entry("level", self.level)?;
        map.serialize_entry("complete", &self.complete)?;
        map.serialize_entry("state", &self.state)?;
        map.end()
    }
}
