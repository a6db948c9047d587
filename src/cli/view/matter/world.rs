//! Changes of the particles of a world; its clock goes on.

use carom::simulation::{Simulation, Stepped};
use carom::{Attraction, AttractionLaw, Integrator, Particle, Settings};

use super::super::command::{Command, Number, Physics};
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
        Command::Physics(physics) => world.set_settings(settings(world.settings(), physics)?)?,
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

/// The opening of a tree that the page has not given one, as that of C callers.
const OPENING: f64 = 0.5;
/// Collisions of a step are counted in whole numbers up to this one, which a page can write.
const MOST_COLLISIONS: f64 = 9_007_199_254_740_992.0;

/// The settings with a change.
fn settings(old: &Settings, physics: &Physics) -> Result<Settings, Refusal> {
    let Physics { gravity, restitution, integrator, max_collisions, .. } = physics;
    if physics.wall_restitution.is_some() || physics.contact_duration.is_some() {
        return Err(Refusal::new("a world has no walls, and its contacts last no time"));
    }
    let set = |old: f64, new: &Option<Number>| new.map_or(old, |number| number.0);
    let mut new = old
        .with_down_gravity(set(old.down_gravity, gravity))
        .with_restitution(set(old.restitution, restitution))
        .with_attraction(attraction(&old.attraction, physics)?);
    if let Some(name) = integrator {
        // By the names of files.
        let integrator: Integrator = serde_json::from_value(name.as_str().into())
            .map_err(|_| unknown("integrator", name, "euler, velocity-verlet or fourth-order"))?;
        new = new.with_integrator(integrator);
    }
    if let Some(Number(most)) = max_collisions {
        if !(0.0..=MOST_COLLISIONS).contains(most) || most.fract() != 0.0 {
            let message = format!("max_collisions is {most}: it must be a whole number, 0 for the usual one");
            return Err(Refusal::at("max_collisions", message));
        }
        new = new.with_max_collisions(*most as u64);
    }
    Ok(new)
}

fn attraction(old: &Attraction, physics: &Physics) -> Result<Attraction, Refusal> {
    let set = |old: f64, new: Option<Number>| new.map_or(old, |number| number.0);
    let old_opening = if let AttractionLaw::BarnesHut { opening } = old.law { Some(opening) } else { None };
    let opening = set(old_opening.unwrap_or(OPENING), physics.opening);
    let law = match physics.law.as_deref() {
        None if physics.opening.is_none() => old.law,
        None if old_opening.is_none() => {
            return Err(Refusal::at("opening", "only the tree of Barnes and Hut has an opening"));
        }
        None | Some("barnes-hut") => AttractionLaw::BarnesHut { opening },
        Some("newton") => AttractionLaw::Newton,
        Some("as-printed") => AttractionLaw::AsPrinted,
        Some(other) => return Err(unknown("law", other, "newton, as-printed or barnes-hut")),
    };
    let constant = set(old.constant, physics.attraction);
    Ok(Attraction { constant, law, softening: set(old.softening, physics.softening) })
}

fn unknown(field: &'static str, name: &str, known: &str) -> Refusal {
    Refusal::at(field, format!("{field} is {name}: it must be {known}"))
}
