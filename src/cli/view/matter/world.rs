//! Changes of the particles of a world; its clock goes on.

use carom::Particle;
use carom::simulation::{Simulation, Stepped};

use super::super::command::{Command, Number};
use super::balls::{remove, set, vector};
use crate::cli::sim::source::FARTHEST;

use super::{Done, Matter, Origin, Refusal, Start};

pub(super) fn changed(
    stepped: &Stepped,
    start: &Start,
    command: &Command,
) -> Result<(Start, Matter, Done), Refusal> {
    let mut world = stepped.world().clone();
    let particles = world.particles_mut();
    let mut done = Done::Changed;
    match command {
        Command::Set(change) => drop(set(particles, change)?),
        Command::Delete { ball } => remove(particles, *ball)?,
        Command::Add(addition) => {
            let dim = particles.dim();
            let Some(position) = &addition.position else {
                return Err(Refusal::at("position", "a particle of a world needs a position"));
            };
            let radius = addition.radius.map_or(0.01, |radius| radius.0);
            let mut particle = Particle::sphere(&vector("position", position, dim)?, radius)
                .with_mass(addition.mass.map_or(0.01, |mass| mass.0));
            if let Some(velocity) = &addition.velocity {
                particle.velocity = vector("velocity", velocity, dim)?;
            }
            particle.fixed = addition.fixed.unwrap_or(false);
            done = Done::Ball(particles.add(&particle)?);
        }
        Command::Duplicate { ball, position } => {
            let mut copy = particles.get(*ball)?;
            let shift = 2.1 * particles.radii()[*ball];
            match position {
                Some(position) => copy.position = vector("position", position, particles.dim())?,
                None => copy.position[0] += shift,
            }
            done = Done::Ball(particles.add(&copy)?);
        }
        Command::Empty {} => particles.clear(),
        Command::Physics { gravity: Some(Number(gravity)), restitution: None, wall_restitution: None } => {
            let mut settings = *world.settings();
            settings.down_gravity = *gravity;
            world.set_settings(settings)?;
        }
        _ => {
            return Err(Refusal::new(
                "the particles of a world cannot be changed like that: it has no walls",
            ));
        }
    }
    let dt = stepped.dt();
    let far = world.time() + FARTHEST * dt;
    let changed = Stepped::new(world, dt, far)?.ignoring_collisions(stepped.ignores_collisions());
    let start = Start {
        name: start.name.clone(),
        description: start.description.clone(),
        time: changed.time(),
        until: start.until,
        options: start.options.clone(),
        origin: Origin::World(Box::new(changed.clone())),
    };
    Ok((start, Matter::World(changed), done))
}
