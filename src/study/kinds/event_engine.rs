//! The event-driven engine as studies use it: begun anew for every replica, and written down as it goes.

use super::sequential::Trajectory;
use crate::events::{Enclosure, Engine, Event, EventKind, EventSettings};
use crate::particles::{Field, Particles};

/// Collisions between two looks at whether to go on.
pub(super) const SLICE: u64 = 4096;

/// An engine to be begun anew with whatever particles.
pub(super) fn empty_engine<const D: usize>() -> Engine<D> {
    let nothing = Particles::new(D).expect("the dimension is 1, 2 or 3");
    Engine::new(nothing, Enclosure::open(), EventSettings::default()).expect("nothing is wrong with nothing")
}

/// Writes down all balls as they are now.
pub(super) fn write_all<const D: usize>(engine: &mut Engine<D>, trajectory: &mut Trajectory) {
    let time = engine.time();
    let particles = engine.synchronise();
    (0..particles.len()).for_each(|row| write_ball::<D>(particles, time, row, trajectory));
}

/// Writes down the balls of a collision, right after it.
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
