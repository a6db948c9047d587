//! The event-driven engine in studies: restarted for every replica, with a record of its trajectory.

use super::sequential::Trajectory;
use crate::error::Result;
use crate::events::{AnyEngine, Enclosure, Engine, Event, EventKind, EventSettings};
use crate::particles::{Field, Particles};

/// Collisions between two checks for cancellation.
pub(super) const SLICE: u64 = 4096;

/// An engine without particles, to be restarted with those of a replica.
pub(super) fn empty_engine<const D: usize>() -> Engine<D> {
    let nothing = Particles::new(D).expect("the dimension is 1, 2 or 3");
    Engine::new(nothing, Enclosure::open(), EventSettings::default()).expect("an empty engine is valid")
}

/// A copy of an engine at its start.
pub(super) fn any<const D: usize>(engine: &mut Engine<D>) -> Result<AnyEngine> {
    let Enclosure { lower, upper, boundaries } = *engine.enclosure();
    let settings = *engine.settings();
    AnyEngine::new(engine.synchronise().clone(), &lower, &upper, &boundaries, settings)
}

/// Records the present state of all balls.
pub(super) fn write_all<const D: usize>(engine: &mut Engine<D>, trajectory: &mut Trajectory) {
    let time = engine.time();
    let particles = engine.synchronise();
    (0..particles.len()).for_each(|row| write_ball::<D>(particles, time, row, trajectory));
}

/// Records the balls of a collision right after it.
pub(super) fn write_event<const D: usize>(
    engine: &mut Engine<D>,
    event: &Event<D>,
    trajectory: &mut Trajectory,
) {
    let particles = engine.synchronise();
    write_ball::<D>(particles, event.time, event.first, trajectory);
    if event.kind == EventKind::Collision {
        write_ball::<D>(particles, event.time, event.second, trajectory);
    }
}

fn write_ball<const D: usize>(particles: &Particles, time: f64, row: usize, trajectory: &mut Trajectory) {
    let vector = |field: Field| -> [f64; D] {
        std::array::from_fn(|axis| particles.columns(field)[axis].as_slice()[row])
    };
    trajectory.push(time, row, &vector(Field::Position), &vector(Field::Velocity));
}
