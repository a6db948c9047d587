//! Balls and walls from collision to collision, without a time step: an engine, its events, and a gas.
//!
//! ```text
//! cargo run --release --example events
//! ```

use std::ops::ControlFlow;

use carom::events::scenes::Gas;
use carom::{
    Enclosure, Engine, EventKind, EventSettings, Limit, Particle, Particles, STANDARD_GRAVITY, Stop,
};

fn main() -> carom::Result<()> {
    bouncing_ball()?;
    pressure_of_a_gas()
}

/// A ball falls on a floor and rises to 64% of the height each time, because heights go with the square of velocities.
fn bouncing_ball() -> carom::Result<()> {
    let mut particles = Particles::new(2)?;
    particles.add(&Particle::sphere(&[0.5, 2.1], 0.1).with_mass(1.0))?;

    // The dimension of an engine is a constant of its type, 1, 2 or 3; `AnyEngine` has it as a value.
    let room = Enclosure::reflecting([0.0, 0.0], [1.0, 5.0]);
    let settings = EventSettings::default().with_down_gravity(STANDARD_GRAVITY).with_wall_restitution(0.8);
    let mut engine = Engine::<2>::new(particles, room, settings)?;

    // The observer is called after each event and may end the run. Without time steps there is nothing between two events
    // that it could miss: every ball flies along a parabola that is known.
    let mut bounces = 0;
    let stop = engine.run_observed(Limit::until(10.0), &mut |event| {
        assert_eq!(event.kind, EventKind::Wall);
        bounces += 1;
        println!("bounce {bounces} at {:.4} s with {:.4} N s", event.time, event.impulse);
        if bounces == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    assert_eq!(stop, Stop::Observer);

    // Particles are brought to the current time only when they are needed, because each keeps the time of its last event.
    let height = engine.synchronise().get(0)?.position[1];
    println!("the ball is at {height} m, where it touches the floor");
    Ok(())
}

/// Hard spheres in a periodic box: the pressure follows from the impulses of collisions, and theory is there to compare.
fn pressure_of_a_gas() -> carom::Result<()> {
    let packing = 0.3;
    let gas = Gas::new(3).with_particles(864).with_packing(packing).with_seed(7);
    let mut engine = gas.scene()?.into_engine()?;

    // The balls start on a lattice, which is not a typical state: measure after some ten collisions per ball.
    engine.run(Limit::collisions(10_000))?;
    engine.reset_measurements();
    engine.run(Limit::collisions(100_000))?;

    let found = engine.measurements();
    let density = 864.0 / (engine.upper()[0] - engine.lower()[0]).powi(3);
    let pressure = found.virial_pressure.unwrap_or(f64::NAN) / (density * found.temperature);
    // The equation of state of Carnahan and Starling (docs/methods/events.md).
    let theory = (1.0 + packing + packing.powi(2) - packing.powi(3)) / (1.0 - packing).powi(3);
    println!("pressure over that of an ideal gas: {pressure:.2}, in theory {theory:.2}");
    println!("energy is conserved to {:.0e}", found.energy_drift.abs().max(1e-16));
    assert!(found.energy_drift.abs() < 1e-12 && (pressure / theory - 1.0).abs() < 0.02);
    Ok(())
}
