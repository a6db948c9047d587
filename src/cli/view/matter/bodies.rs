//! Changes of rigid bodies; the clock of their space goes on.

use carom::geometry::Vec2;
use carom::rigid2d::{Body, BodyId, BodyKind, Geometry, Shape, Space, SpaceFormat};
use carom::simulation::{Rigid, Simulation};
use carom::{Error, Result as Carom};

use super::super::command::{Addition, Change, Command, Number, Physics};
use super::balls::vector;
use super::{Done, Matter, Origin, Refusal, Start, saved};

pub(super) fn changed(
    rigid: &Rigid,
    start: &Start,
    command: &Command,
) -> Result<(Start, Matter, Done), Refusal> {
    let bytes = saved(|out| rigid.space().save_as(SpaceFormat::Snapshot, out))?;
    let mut space = Space::from_bytes(&bytes)?;
    let done = change(&mut space, command)?;
    let bytes = saved(|out| space.save_as(SpaceFormat::Snapshot, out))?;
    let start = Start {
        name: start.name.clone(),
        description: start.description.clone(),
        time: rigid.time(),
        until: start.until,
        options: start.options.clone(),
        origin: Origin::Space(bytes, rigid.dt()),
    };
    let matter = start.matter()?;
    Ok((start, matter, done))
}

/// The gravity of a change of nothing else.
fn gravity_alone(physics: &Physics) -> Option<f64> {
    let gravity = physics.gravity;
    let is_alone = *physics == Physics { gravity, ..Physics::default() };
    gravity.filter(|_| is_alone).map(|number| number.0)
}

fn change(space: &mut Space, command: &Command) -> Result<Done, Refusal> {
    match command {
        Command::Set(change) => set(space, change)?,
        Command::Add(addition) => return add(space, addition),
        Command::Delete { ball } => space.remove_body(body(space, *ball)?)?,
        Command::Duplicate { ball, position } => return duplicate(space, *ball, position.as_deref()),
        Command::Empty {} => {
            let moving: Vec<BodyId> =
                space.bodies().filter(|body| body.kind() != BodyKind::Static).map(|body| body.id()).collect();
            moving.into_iter().try_for_each(|id| space.remove_body(id))?;
        }
        Command::Physics(physics) => {
            let Some(gravity) = gravity_alone(physics) else {
                return Err(Refusal::new("of a space of rigid bodies only gravity is changed here"));
            };
            let x = space.settings().gravity.x;
            let blamed = |error: Error| Refusal { field: Some("gravity"), ..error.into() };
            space.set_gravity(Vec2::new(x, -gravity)).map_err(blamed)?;
        }
        _ => {
            return Err(Refusal::new(
                "rigid bodies cannot be changed like that: change the scene file instead",
            ));
        }
    }
    Ok(Done::Changed)
}

/// The body of this number, in the order of the rows.
fn body(space: &Space, number: usize) -> Carom<BodyId> {
    let len = space.body_count();
    let found = space.bodies().nth(number).map(|body| body.id());
    found.ok_or(Error::BadIndex { field: "body", index: number, len })
}

fn set(space: &mut Space, change: &Change) -> Result<(), Refusal> {
    let id = body(space, change.ball)?;
    if change.radius.is_some() || change.fixed.is_some() {
        let message = "shapes of rigid bodies are changed in the scene file";
        return Err(Refusal::at("radius", message));
    }
    let mut body = space.body_mut(id)?;
    if let Some(position) = &change.position {
        body.set_position(plane("position", position)?)?;
    }
    if let Some(velocity) = &change.velocity {
        body.set_velocity(plane("velocity", velocity)?)?;
    }
    if let Some(Number(mass)) = change.mass {
        // The moment stays in proportion, as of the same form.
        let (old, moment) = (body.as_ref().mass(), body.as_ref().moment());
        body.set_mass(mass)?;
        if moment.is_finite() && old > 0.0 && mass > 0.0 {
            body.set_moment(moment * (mass / old))?;
        }
    }
    if let Some(Number(angle)) = change.angle {
        body.set_angle(angle)?;
    }
    if let Some(Number(angular_velocity)) = change.angular_velocity {
        body.set_angular_velocity(angular_velocity)?;
    }
    body.wake();
    Ok(())
}

/// Adds a disc: as large and heavy as the last body that moves, above all of them, unless the page says otherwise.
fn add(space: &mut Space, addition: &Addition) -> Result<Done, Refusal> {
    let last = space.bodies().rfind(|body| body.kind() == BodyKind::Dynamic);
    let usual = last.map_or((0.5, 1.0), |body| {
        let area: f64 = body.shapes().map(|shape| shape.area()).sum();
        ((area / std::f64::consts::PI).sqrt(), body.mass())
    });
    let radius = addition.radius.map_or(usual.0, |radius| radius.0);
    let mass = addition.mass.map_or(usual.1, |mass| mass.0);
    let place = match &addition.position {
        Some(position) => plane("position", position)?,
        None => above(space, radius),
    };
    let velocity =
        addition.velocity.as_deref().map_or(Ok(Vec2::ZERO), |velocity| plane("velocity", velocity))?;
    let kind =
        if addition.fixed == Some(true) { Body::fixed() } else { Body::dynamic().with_velocity(velocity) };
    let disc = Shape::new(Geometry::circle(radius, Vec2::ZERO)?).with_mass(mass);
    let added = space.add_body(&kind.with_position(place))?;
    space.add_shape(added, disc)?;
    Ok(Done::Ball(number_of(space, added)))
}

/// A place above all bodies that move.
fn above(space: &Space, radius: f64) -> Vec2 {
    let moving = space.bodies().filter(|body| body.kind() != BodyKind::Static);
    let tops = moving.flat_map(|body| {
        body.shapes().map(|shape| (shape.bounding_box().max[1], body.position().x)).collect::<Vec<_>>()
    });
    let highest = tops
        .fold(None, |most: Option<(f64, f64)>, one| Some(most.filter(|most| most.0 >= one.0).unwrap_or(one)));
    let (top, x) = highest.unwrap_or((radius, 0.0));
    Vec2::new(x, top + 1.5 * radius)
}

/// The number of a body, in the order of the rows.
fn number_of(space: &Space, id: BodyId) -> usize {
    space.bodies().position(|body| body.id() == id).unwrap_or(0)
}

fn plane(field: &'static str, numbers: &[Number]) -> Result<Vec2, Refusal> {
    let numbers = vector(field, numbers, 2)?;
    Ok(Vec2::new(numbers[0], numbers[1]))
}

fn duplicate(space: &mut Space, number: usize, position: Option<&[Number]>) -> Result<Done, Refusal> {
    let id = body(space, number)?;
    let original = space.body(id)?;
    if original.kind() == BodyKind::Static {
        return Err(Refusal::new("static bodies are added in the scene file"));
    }
    let shapes: Vec<_> = original.shapes().map(|shape| shape.to_shape()).collect();
    let reach = shapes.iter().map(|shape| shape.geometry.bounding_radius(Vec2::ZERO)).fold(0.0, f64::max);
    let place = match position {
        Some(position) => plane("position", position)?,
        None => original.position() + Vec2::new(0.0, 2.1 * reach),
    };
    let mut copy = if original.kind() == BodyKind::Dynamic { Body::dynamic() } else { Body::kinematic() };
    copy = copy.with_position(place).with_angle(original.angle());
    copy = copy.with_velocity(original.velocity()).with_angular_velocity(original.angular_velocity());
    let added = space.add_body(&copy)?;
    for shape in shapes {
        space.add_shape(added, shape)?;
    }
    Ok(Done::Ball(number_of(space, added)))
}
