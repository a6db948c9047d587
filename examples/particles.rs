//! Particles in a world: add them, step, watch collisions, read columns, save.
//!
//! ```text
//! cargo run --release --example particles
//! ```

use carom::io::{self, Format};
use carom::{Field, Particle, World};

fn main() -> carom::Result<()> {
    // The dimension is chosen at run time, from 1 to `carom::MAX_DIM`. All quantities are in SI units.
    let mut world = World::new(2)?;

    // A ball flies towards one at rest, behind which a fixed one acts as a wall. Rows are numbered in the order in which
    // particles are added. A particle without a mass would be a tracer, which never collides.
    let ball = |x: f64| Particle::sphere(&[x, 0.0], 0.5).with_mass(2.0);
    let particles = world.particles_mut();
    particles.add(&ball(0.0).with_velocity(&[1.0, 0.0]))?;
    particles.add(&ball(2.0))?;
    particles.add(&ball(4.0).fixed())?;

    // The length of a step is the interval at which the caller wants to see the world, not the precision of collisions:
    // within a step each collision is resolved at its own time, in order. Here three of them happen in five steps.
    let before = world.kinetic_energy();
    for _ in 0..5 {
        let count = world.step_observed(0.75, &mut |collision| {
            let (i, j, t) = (collision.first, collision.second, collision.time);
            println!("{i} and {j} collide at {t:.3} s with {:.3} N s", collision.impulse);
        })?;
        println!("t = {} s, collisions in this step: {count}", world.time());
    }
    assert_eq!(world.kinetic_energy(), before, "elastic collisions conserve the energy");

    // Each field and axis is one contiguous column, so that a loop over all particles reads memory in order.
    let x = world.particles().column(Field::Position, 0)?;
    let velocity = world.particles().column(Field::Velocity, 0)?;
    for (row, (x, velocity)) in x.iter().zip(velocity.iter()).enumerate() {
        println!("particle {row}: x = {x:.3} m, velocity {velocity:.3} m/s");
    }

    // Forces and rules are settings. They are changed as a whole, because they are checked as a whole.
    let mut settings = *world.settings();
    settings.down_gravity = carom::STANDARD_GRAVITY;
    world.set_settings(settings)?;
    world.step(1.0)?;
    println!("after one second of gravity particle 0 is at {:.3} m", world.particles().get(0)?.position[1]);

    // JSON is exact: what is loaded equals what was saved in every bit. `io::save` and `io::load` do the same with files.
    let mut bytes = Vec::new();
    io::write(&world, Format::Json, &mut bytes)?;
    assert_eq!(io::from_bytes(&bytes)?.particles(), world.particles());
    println!("saved and loaded without loss");

    // What goes wrong is an error that names the field and the row; the world is as it was before the call.
    let refused = world.particles_mut().add(&Particle::sphere(&[f64::NAN, 0.0], 0.5));
    println!("refused: {}", refused.expect_err("NaN is no position"));
    Ok(())
}
