//! Scene files of rigid bodies in TOML; `examples/scenes` has examples.

mod bodies;
mod shapes;
mod space;

use std::collections::BTreeMap;

use self::shapes::{MATERIAL, Stuff};
use super::generators::Streams;
use super::{Openings, Scene, Walls};
use crate::document::units::Units;
use crate::document::{Fields, Source, Value};
use crate::error::{Error, Result};
use crate::geometry::Vec2;

const FILE: [&str; 15] = [
    "name",
    "description",
    "dimension",
    "until",
    "seed",
    "units",
    "space",
    "material",
    "walls",
    "ground",
    "body",
    "stack",
    "pyramid",
    "grid",
    "pile",
];
/// Keys that no other kind of scene has.
const OWN: [&str; 9] = ["space", "material", "walls", "ground", "body", "stack", "pyramid", "grid", "pile"];
const WALLS: [&str; 5] = ["lower", "upper", "thickness", "open", "material"];

/// What the tables of a file refer to.
struct Context {
    units: Units,
    materials: BTreeMap<String, Stuff>,
}

/// Whether the text is a scene of rigid bodies: it has a key that only these have. What is no TOML is not.
#[must_use]
pub fn is_rigid(text: &str) -> bool {
    let source = Source::new(text, "scene");
    source.parse().is_ok_and(|table| OWN.iter().any(|key| table.get_ref().contains_key(*key)))
}

/// The scene in this text; `seed` replaces that of the file.
pub(super) fn read(text: &str, seed: Option<u64>) -> Result<Scene> {
    let source = Source::new(text, "scene");
    let table = source.parse()?;
    let fields = Fields::of_file(source, table.get_ref(), &FILE)?;
    let units = Units::with_angles(fields.get("units"))?;
    let mut scene = Scene::new("scene");
    header(&mut scene, &fields, &units)?;
    scene.seed = seed.map_or_else(|| fields.get("seed").map_or(Ok(1), |value| value.count(0)), Ok)?;
    if let Some(value) = fields.get("space") {
        space::read(&mut scene, value, &units)?;
    }
    let context = Context { units, materials: materials(fields.get("material"), &units)? };
    if let Some(value) = fields.get("walls") {
        let keys = [&WALLS[..], &MATERIAL].concat();
        walls(&mut scene, &value.fields(&keys)?, &context)?;
    }
    for ground in fields.tables("ground", &shapes::keys())? {
        scene.ground.push(context.shape(&ground)?);
    }
    for body in fields.tables("body", &bodies::keys(&["position"]))? {
        scene.check_room("bodies", 1).map_err(|error| about(&body, &error))?;
        scene.bodies.push(context.body(&body)?);
    }
    context.generate(&mut scene, &fields)?;
    check(&scene, &fields)?;
    Ok(scene)
}

impl Context {
    /// The bodies that are not given one by one.
    fn generate(&self, scene: &mut Scene, fields: &Fields<'_>) -> Result<()> {
        for stack in fields.tables("stack", &bodies::keys(&["position", "rows", "gap"]))? {
            self.stack(scene, &stack)?;
        }
        for pyramid in fields.tables("pyramid", &bodies::keys(&["position", "rows", "gap"]))? {
            self.pyramid(scene, &pyramid)?;
        }
        for grid in fields.tables("grid", &bodies::keys(&["position", "columns", "rows", "gap"]))? {
            self.grid(scene, &grid)?;
        }
        let mut streams = Streams::new(scene.seed);
        for pile in fields.tables("pile", &bodies::pile_keys())? {
            self.pile(scene, &pile, &mut streams)?;
        }
        Ok(())
    }
}

fn header(scene: &mut Scene, fields: &Fields<'_>, units: &Units) -> Result<()> {
    if let Some(name) = fields.get("name") {
        scene.name = name.text()?.to_owned();
    }
    if let Some(description) = fields.get("description") {
        scene.description = description.text()?.to_owned();
    }
    if let Some(until) = fields.get("until") {
        scene.until = units.time.si(until.non_negative()?);
    }
    match fields.get("dimension") {
        Some(value) if value.count(0)? != 2 => Err(value.error("must be 2: rigid bodies are in the plane")),
        _ => Ok(()),
    }
}

fn materials(value: Option<Value<'_>>, units: &Units) -> Result<BTreeMap<String, Stuff>> {
    let Some(value) = value else { return Ok(BTreeMap::new()) };
    let material = |(name, value): (&str, Value<'_>)| {
        Ok((name.to_owned(), Stuff::default().changed(&value.fields(&MATERIAL)?, units)?))
    };
    value.entries()?.into_iter().map(material).collect()
}

fn walls(scene: &mut Scene, fields: &Fields<'_>, context: &Context) -> Result<()> {
    let units = &context.units;
    let corner = |name: &str| vector(&fields.need(name)?, units.length);
    let mut walls = Walls::new(corner("lower")?, corner("upper")?);
    for (axis, lower, upper) in [(0, walls.lower.x, walls.upper.x), (1, walls.lower.y, walls.upper.y)] {
        if lower >= upper {
            let upper = fields.need("upper")?;
            return Err(upper.error(format!("must be above walls.lower on axis {axis}")));
        }
    }
    if let Some(value) = fields.get("thickness") {
        walls.thickness = units.length.si(value.positive()?);
    }
    if let Some(value) = fields.get("open") {
        walls.open = openings(&value)?;
    }
    walls.material = context.stuff(fields)?.material;
    scene.add_walls(&walls).map_err(|error| about(fields, &error))
}

fn openings(value: &Value<'_>) -> Result<Openings> {
    let sides = [("left", 0), ("right", 1), ("bottom", 2), ("top", 3)];
    let mut open = [false; 4];
    for item in value.items()? {
        open[item.choice(&sides)?] = true;
    }
    let [left, right, bottom, top] = open;
    Ok(Openings { left, right, bottom, top })
}

/// A vector in SI units.
fn vector(value: &Value<'_>, unit: crate::document::units::Unit) -> Result<Vec2> {
    let [x, y, _] = unit.si_vector(value.vector(2)?);
    Ok(Vec2::new(x, y))
}

/// An error about a table as a whole, with its name.
fn about(fields: &Fields<'_>, error: &Error) -> Error {
    fields.error(format!("{}: {error}", fields.path()))
}

/// Whether a space can be made and stepped: the last check, of what no single field shows.
fn check(scene: &Scene, fields: &Fields<'_>) -> Result<()> {
    scene.settings.check().map_err(|error| fields.error(error.to_string()))
}

#[cfg(test)]
mod tests;
