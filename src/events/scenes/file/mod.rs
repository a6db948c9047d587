//! Scene files in TOML; `examples/scenes` has examples.

mod balls;
mod lines;
mod write;

pub(super) use self::lines::place_of_ball;
pub(super) use self::write::write;

use self::balls::Balls;
use super::gas::{Filling, Gas, MOST_PARTICLES, Mix};
use super::{BoxAxis, Scene};
use crate::document::units::Units;
use crate::document::{Fields, Source, Value};
use crate::error::{Error, Result};
use crate::events::admission::LARGEST;
use crate::events::{Boundary, EventSettings};

const FILE: [&str; 11] =
    ["name", "description", "dimension", "seed", "until", "units", "box", "physics", "ball", "balls", "gas"];
const BOX: [&str; 3] = ["walls", "lower", "upper"];
pub(crate) const PHYSICS: [&str; 5] =
    ["gravity", "restitution", "wall_restitution", "max_rate", "contact_duration"];
const GAS: [&str; 8] = ["particles", "density", "packing", "radius", "mass", "temperature", "walls", "mix"];
pub(crate) const MIX: [&str; 3] = ["fraction", "radius_ratio", "mass_ratio"];

pub(crate) const WALLS: [(&str, Boundary); 3] =
    [("open", Boundary::Open), ("reflecting", Boundary::Reflecting), ("periodic", Boundary::Periodic)];

/// Keys at the top of a file that only scenes of balls have.
const OWN: [&str; 5] = ["dimension", "box", "physics", "ball", "balls"];

/// Whether the text is a scene of balls and walls: it has a key that only these have. What is no TOML is not.
#[must_use]
pub fn is_scene(text: &str) -> bool {
    let source = Source::new(text, "scene");
    source.parse().is_ok_and(|table| OWN.iter().any(|key| table.get_ref().contains_key(*key)))
}

/// The scene in this text; `seed` replaces that of the file.
pub(super) fn read(text: &str, seed: Option<u64>) -> Result<Scene> {
    let source = Source::new(text, "scene");
    let table = source.parse()?;
    let fields = Fields::of_file(source, table.get_ref(), &FILE)?;
    let units = Units::read(fields.get("units"))?;
    let seed = seed.map_or_else(|| fields.get("seed").map_or(Ok(1), |value| value.count(0)), Ok)?;
    let mut scene = of_tables(&fields, &units, seed)?;
    if let Some(name) = fields.get("name") {
        scene.name = name.text()?.to_owned();
    }
    if let Some(description) = fields.get("description") {
        scene.description = description.text()?.to_owned();
    }
    Ok(scene)
}

/// The keys of a scene that may be in any file.
pub(crate) const TABLES: [&str; 7] = ["dimension", "until", "box", "physics", "ball", "balls", "gas"];

/// The scene in these tables of any file.
pub(super) fn of_tables(fields: &Fields<'_>, units: &Units, seed: u64) -> Result<Scene> {
    let dim = dimension(&fields.need("dimension")?)?;
    let mut scene = match fields.get("gas") {
        Some(gas) => {
            refuse_beside_gas(fields)?;
            gas_scene(&gas.fields(&GAS)?, dim, units, seed)?
        }
        None => ball_scene(fields, dim, units, seed)?,
    };
    scene.settings = settings(fields.get("physics"), &scene.enclosure, units)?;
    if let Some(until) = fields.get("until") {
        scene.until = units.time.si(until.non_negative()?);
    }
    Ok(scene)
}

pub(crate) fn dimension(value: &Value<'_>) -> Result<usize> {
    match value.count(0)? {
        dim @ 1..=3 => Ok(dim as usize),
        other => Err(value.error(format!("is {other}: it must be 1, 2 or 3"))),
    }
}

fn settings(value: Option<Value<'_>>, enclosure: &[BoxAxis], units: &Units) -> Result<EventSettings> {
    let mut settings = EventSettings::default();
    let Some(value) = value else { return Ok(settings) };
    let fields = value.fields(&PHYSICS)?;
    if let Some(value) = fields.get("gravity") {
        settings.down_gravity = units.acceleration().si(value.number()?);
        if let Some(reason) = nowhere_to_fall(enclosure).filter(|_| settings.down_gravity != 0.0) {
            return Err(value.error(reason));
        }
    }
    if let Some(value) = fields.get("restitution") {
        settings.restitution = value.share()?;
    }
    if let Some(value) = fields.get("wall_restitution") {
        settings.wall_restitution = value.share()?;
    }
    if let Some(value) = fields.get("max_rate") {
        settings.max_rate = value.count(1)?;
    }
    if let Some(value) = fields.get("contact_duration") {
        settings.contact_duration = Some(units.time.si(value.non_negative()?));
    }
    Ok(settings)
}

/// The reason why there can be no gravity in this box, if so.
fn nowhere_to_fall(enclosure: &[BoxAxis]) -> Option<&'static str> {
    match enclosure.get(1) {
        None => Some("must be 0 in dimension 1, which has no second axis to fall along"),
        Some(BoxAxis { boundary: Boundary::Periodic, .. }) => {
            Some("must be 0 where axis 1 is periodic: a fall would never end")
        }
        Some(_) => None,
    }
}

/// Fails if there are a box or balls besides a gas, which has its own.
fn refuse_beside_gas(fields: &Fields<'_>) -> Result<()> {
    for name in ["box", "ball", "balls"] {
        if let Some(value) = fields.get(name) {
            return Err(value.error("cannot be combined with [gas], which has its own box and balls"));
        }
    }
    Ok(())
}

fn gas_scene(fields: &Fields<'_>, dim: usize, units: &Units, seed: u64) -> Result<Scene> {
    let mut gas = Gas { seed, ..Gas::new(dim) };
    if let Some(value) = fields.get("particles") {
        gas.particles = ball_count(&value)?;
    }
    gas.filling = match (fields.get("density"), fields.get("packing")) {
        (Some(_), Some(packing)) => {
            return Err(packing.error("cannot be combined with density"));
        }
        (Some(density), None) => Filling::NumberDensity(units.density(dim).si(density.positive()?)),
        (None, Some(packing)) => Filling::Packing(packing.positive()?),
        (None, None) => return Err(fields.error("gas needs a density or a packing".into())),
    };
    if let Some(value) = fields.get("radius") {
        gas.radius = units.length.si(value.positive()?);
    }
    if let Some(value) = fields.get("mass") {
        gas.mass = units.mass.si(value.positive()?);
    }
    if let Some(value) = fields.get("temperature") {
        gas.temperature = units.energy().si(value.non_negative()?);
    }
    if let Some(value) = fields.get("walls") {
        gas.boundary = value.choice(&WALLS[1..])?;
    }
    gas.mix = fields.get("mix").map(mix).transpose()?;
    gas.scene().map_err(|error| at_field(fields, &error))
}

fn mix(value: Value<'_>) -> Result<Mix> {
    let fields = value.fields(&MIX)?;
    let ratio = fields.need("radius_ratio")?;
    let radius_ratio = ratio.positive()?;
    if radius_ratio > 1.0 {
        return Err(
            ratio.error(format!("is {radius_ratio}: it must be at most 1, the ratio of small to large"))
        );
    }
    let mass_ratio = fields.get("mass_ratio").map(|value| value.positive()).transpose()?;
    Ok(Mix { fraction: fields.need("fraction")?.share()?, radius_ratio, mass_ratio })
}

/// An error of a gas about one of its fields, with the position of that field in the file.
pub(crate) fn at_field(fields: &Fields<'_>, error: &Error) -> Error {
    match error {
        Error::OutOfRange { field, expected, .. } => match fields.get(field) {
            Some(value) => value.error(format!("must be {expected}")),
            None => fields.error(format!("gas: {error}")),
        },
        _ => fields.error(format!("gas: {error}")),
    }
}

pub(crate) fn ball_count(value: &Value<'_>) -> Result<usize> {
    match value.count(1)? {
        count if count > MOST_PARTICLES as u64 => {
            Err(value.error(format!("is {count}: it must be at most {MOST_PARTICLES}")))
        }
        count => Ok(count as usize),
    }
}

/// Fails if a length or velocity in SI units is too large for the engine.
fn computable<const N: usize>(value: &Value<'_>, si: [f64; N]) -> Result<[f64; N]> {
    match si.iter().find(|x| x.abs() > LARGEST) {
        Some(x) => Err(value.error(format!("is too large: {x:e} in SI units; the maximum is {LARGEST:e}"))),
        None => Ok(si),
    }
}

fn ball_scene(fields: &Fields<'_>, dim: usize, units: &Units, seed: u64) -> Result<Scene> {
    let enclosure = enclosure(fields.get("box"), dim, units)?;
    let particles = Balls::read(fields, &enclosure, units)?.place(&enclosure, seed)?;
    Ok(Scene { seed, ..Scene::new("scene", particles, enclosure) })
}

fn enclosure(value: Option<Value<'_>>, dim: usize, units: &Units) -> Result<Vec<BoxAxis>> {
    let Some(value) = value else { return Ok(vec![BoxAxis::OPEN; dim]) };
    let fields = value.fields(&BOX)?;
    let walls = fields.need("walls")?;
    let boundaries = if walls.is_list() {
        walls.list(dim)?.iter().map(|wall| wall.choice(&WALLS)).collect::<Result<Vec<_>>>()?
    } else {
        vec![walls.choice(&WALLS)?; dim]
    };
    let corner = |value: &Value<'_>| -> Result<[f64; 3]> {
        let corner = value.vector(dim)?;
        computable(value, units.length.si_vector(corner))?;
        Ok(corner)
    };
    let lower = fields.get("lower").map_or(Ok([0.0; 3]), |lower| corner(&lower))?;
    let upper = fields.need("upper")?;
    let ends = corner(&upper)?;
    let mut axes = Vec::with_capacity(dim);
    for (axis, boundary) in boundaries.into_iter().enumerate() {
        if boundary == Boundary::Open {
            axes.push(BoxAxis::OPEN);
        } else if lower[axis] < ends[axis] {
            let (lower, upper) = (units.length.si(lower[axis]), units.length.si(ends[axis]));
            axes.push(BoxAxis { boundary, lower, upper });
        } else {
            let (lower, upper_end) = (lower[axis], ends[axis]);
            return Err(upper
                .error(format!("must be above box.lower on axis {axis}: {upper_end} is not above {lower}")));
        }
    }
    Ok(axes)
}

#[cfg(test)]
mod tests;
