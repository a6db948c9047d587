//! Changes of balls and walls: the present state, changed, is the scene of a new run at time 0.

use carom::events::scenes::{BoxAxis, Scene};
use carom::events::{AnyEngine, Boundary, EventSettings};
use carom::{Error, Field, Particle, Particles, Shape};

use super::super::command::{Addition, Change, Command, ContactDuration, Number, Physics, numbers};
use super::{Done, Matter, Origin, Refusal, Start, places};

/// Radius in metres and mass in kilograms of the first ball in an empty box, as in the ready-made scenes.
const FIRST: f64 = 0.01;

pub(super) fn changed(
    engine: &mut AnyEngine,
    start: &Start,
    command: &Command,
) -> Result<(Start, Matter, Done), Refusal> {
    let mut scene = Scene::of_engine(&start.name, engine);
    scene.description.clone_from(&start.description);
    scene.until = start.until;
    let (done, blamed) = change(&mut scene, command)?;
    let matter = Matter::Balls(scene.engine().map_err(|error| Refusal::of(&error, blamed))?);
    let (name, description, until) = (scene.name.clone(), scene.description.clone(), scene.until);
    let origin = Origin::Scene(Box::new(scene));
    Ok((Start { name, description, time: 0.0, until, options: String::new(), origin }, matter, done))
}

/// Changes a scene. Gives the field to blame if the engine refuses it.
fn change(scene: &mut Scene, command: &Command) -> Result<(Done, Option<&'static str>), Refusal> {
    match command {
        Command::Add(addition) => add(scene, addition).map(|ball| (Done::Ball(ball), Some("position"))),
        Command::Set(change) => set(&mut scene.particles, change).map(|blamed| (Done::Changed, blamed)),
        Command::Duplicate { ball, position } => {
            let ball = duplicate(scene, *ball, position.as_deref())?;
            Ok((Done::Ball(ball), Some("position")))
        }
        Command::Delete { ball } => {
            remove(&mut scene.particles, *ball)?;
            Ok((Done::Changed, None))
        }
        Command::Walls { axis, boundary, lower, upper } => {
            let blamed = if upper.is_some() {
                "upper"
            } else if lower.is_some() {
                "lower"
            } else {
                "boundary"
            };
            set_walls(scene, *axis, boundary.as_deref(), [*lower, *upper])?;
            Ok((Done::Changed, Some(blamed)))
        }
        Command::Physics(physics) => {
            scene.settings = settings(&scene.settings, physics)?;
            Ok((Done::Changed, None))
        }
        Command::Empty {} => {
            scene.particles.clear();
            Ok((Done::Changed, None))
        }
        _ => Err(Refusal::new("balls cannot be changed like that")),
    }
}

/// The settings with a change.
fn settings(old: &EventSettings, physics: &Physics) -> Result<EventSettings, Refusal> {
    let Physics {
        gravity,
        restitution,
        wall_restitution,
        contact_duration,
        integrator: None,
        attraction: None,
        law: None,
        opening: None,
        softening: None,
        max_collisions: None,
    } = physics
    else {
        return Err(Refusal::new("balls attract nothing and move exactly: only worlds have these settings"));
    };
    let set = |old: f64, new: &Option<Number>| new.map_or(old, |number| number.0);
    let contact_duration = match contact_duration {
        None => old.contact_duration,
        Some(ContactDuration::Auto) => None,
        Some(ContactDuration::Seconds(seconds)) => Some(*seconds),
    };
    Ok(old
        .with_down_gravity(set(old.down_gravity, gravity))
        .with_restitution(set(old.restitution, restitution))
        .with_wall_restitution(set(old.wall_restitution, wall_restitution))
        .with_contact_duration(contact_duration))
}

fn add(scene: &mut Scene, addition: &Addition) -> Result<usize, Refusal> {
    let dim = scene.dim();
    let last = scene.particles.len().checked_sub(1);
    let last = last.map(|index| {
        (scene.particles.radii()[index], scene.particles.get(index).map_or(FIRST, |ball| ball.mass))
    });
    let (radius, mass) = last.unwrap_or((FIRST, FIRST));
    let radius = positive_radius(addition.radius.map_or(radius, |radius| radius.0))?;
    let position = match &addition.position {
        Some(position) => vector("position", position, dim)?,
        None => places::near_the_middle(&scene.particles, &scene.enclosure, radius).ok_or_else(|| {
            Refusal::at("position", "there is no free place for this ball: give it a position")
        })?,
    };
    let mut ball = Particle::sphere(&position, radius).with_mass(addition.mass.map_or(mass, |mass| mass.0));
    if let Some(velocity) = &addition.velocity {
        ball.velocity = vector("velocity", velocity, dim)?;
    }
    ball.fixed = addition.fixed.unwrap_or(false);
    Ok(scene.particles.add(&ball)?)
}

/// Changes a ball. Gives the field that an overlap is due to.
pub(super) fn set(particles: &mut Particles, change: &Change) -> Result<Option<&'static str>, Refusal> {
    let Change {
        ball,
        position,
        velocity,
        mass,
        radius,
        fixed,
        with_radius,
        angle,
        angular_velocity,
        merge: _,
    } = change;
    let (ball, dim) = (*ball, particles.dim());
    let old = particles.get(ball)?;
    if angle.is_some() || angular_velocity.is_some() {
        return Err(Refusal::at("angle", "balls do not turn: only rigid bodies have an angle"));
    }
    let mut blamed = None;
    if let Some(fixed) = fixed {
        if *fixed {
            particles.set_value(Field::Velocity, ball, &vec![0.0; dim])?;
        }
        particles.set_fixed(ball, *fixed)?;
        blamed = Some("fixed");
    }
    if let Some(velocity) = velocity {
        particles.set_value(Field::Velocity, ball, &vector("velocity", velocity, dim)?)?;
    }
    if let Some(Number(mass)) = mass {
        particles.set_value(Field::Mass, ball, &[*mass])?;
        if *with_radius {
            if old.mass <= 0.0 {
                return Err(Refusal::at("mass", "the ball has no mass: set mass and radius one by one"));
            }
            let radius = particles.radii()[ball] * (mass / old.mass);
            set_radius(particles, ball, radius)
                .map_err(|refusal| Refusal { field: Some("mass"), ..refusal })?;
            blamed = Some("mass");
        }
    }
    if let Some(Number(radius)) = radius {
        set_radius(particles, ball, *radius)?;
        blamed = Some("radius");
    }
    if let Some(position) = position {
        particles.set_value(Field::Position, ball, &vector("position", position, dim)?)?;
        blamed = Some("position");
    }
    Ok(blamed)
}

fn set_radius(particles: &mut Particles, ball: usize, radius: f64) -> Result<(), Refusal> {
    let shape = Shape::sphere(particles.dim(), positive_radius(radius)?);
    Ok(particles.set_shape(ball, &shape)?)
}

fn positive_radius(radius: f64) -> Result<f64, Refusal> {
    if radius > 0.0 && radius.is_finite() {
        return Ok(radius);
    }
    Err(Error::OutOfRange { field: "radius", value: radius, expected: "more than 0 and finite" }.into())
}

/// Removes a ball; those behind it keep their order.
pub(super) fn remove(particles: &mut Particles, ball: usize) -> Result<(), Refusal> {
    particles.get(ball)?;
    let balls: Result<Vec<Particle>, Error> =
        (0..particles.len()).filter(|&index| index != ball).map(|index| particles.get(index)).collect();
    let balls = balls?;
    particles.clear();
    particles.add_many(&balls)?;
    Ok(())
}

fn duplicate(scene: &mut Scene, ball: usize, position: Option<&[Number]>) -> Result<usize, Refusal> {
    let mut copy = scene.particles.get(ball)?;
    copy.position = match position {
        Some(position) => vector("position", position, scene.dim())?,
        None => places::beside(&scene.particles, &scene.enclosure, ball).ok_or_else(|| {
            Refusal::at("position", "there is no free place beside this ball: give it a position")
        })?,
    };
    Ok(scene.particles.add(&copy)?)
}

fn set_walls(
    scene: &mut Scene,
    axis: usize,
    boundary: Option<&str>,
    [lower, upper]: [Option<Number>; 2],
) -> Result<(), Refusal> {
    let len = scene.enclosure.len();
    if axis >= len {
        return Err(Error::BadIndex { field: "axis", index: axis, len }.into());
    }
    let old = scene.enclosure[axis];
    let boundary = match boundary {
        None => old.boundary,
        Some("open") => Boundary::Open,
        Some("reflecting") => Boundary::Reflecting,
        Some("periodic") => Boundary::Periodic,
        Some(other) => {
            let message = format!("boundary is {other}: it must be open, reflecting or periodic");
            return Err(Refusal::at("boundary", message));
        }
    };
    // Walls that are new stand around all balls unless the page says where.
    let around = if old.boundary == Boundary::Open {
        places::extent(&scene.particles, axis)
    } else {
        [old.lower, old.upper]
    };
    let lower = lower.map_or(around[0], |number| number.0);
    let upper = upper.map_or(around[1], |number| number.0);
    for (field, value) in [("lower", lower), ("upper", upper)] {
        if !value.is_finite() {
            return Err(Error::NotFinite { field, index: axis, value }.into());
        }
    }
    scene.enclosure[axis] = match boundary {
        Boundary::Open => BoxAxis::OPEN,
        _ => BoxAxis { boundary, lower, upper },
    };
    Ok(())
}

/// A vector with one number per axis, all finite.
pub(super) fn vector(field: &'static str, vector: &[Number], dim: usize) -> Result<Vec<f64>, Refusal> {
    let found = vector.len();
    if found != dim {
        return Err(Error::WrongLength { field, index: 0, expected: dim, found }.into());
    }
    Ok(numbers(vector))
}
