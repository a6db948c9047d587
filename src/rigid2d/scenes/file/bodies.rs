//! Bodies of a scene file: one by one under `[[body]]`, many at once under `[[stack]]`, `[[pyramid]]`, `[[grid]]` and
//! `[[pile]]`.

use super::{Context, about, shapes, vector};
use crate::document::{Fields, Value};
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::scenes::generators::Streams;
use crate::rigid2d::scenes::{MOST_BODIES, Pile, Scene, SceneBody};
use crate::rigid2d::shapes::Shape;
use crate::rigid2d::space::{Body, BodyKind};

/// Keys of a body besides its place; `mass` and `data` are those of shapes, too.
const BODY: [&str; 8] =
    ["kind", "angle", "velocity", "angular_velocity", "moment", "centre_of_mass", "bullet", "shape"];
const PILE: [&str; 6] = ["count", "corner", "width", "sizes", "turned", "choice"];

const KINDS: [(&str, BodyKind); 3] =
    [("dynamic", BodyKind::Dynamic), ("kinematic", BodyKind::Kinematic), ("static", BodyKind::Static)];

/// All keys of a body, and these.
pub(super) fn keys(more: &[&'static str]) -> Vec<&'static str> {
    [more, &BODY, &shapes::keys()].concat()
}

/// All keys of a pile.
pub(super) fn pile_keys() -> Vec<&'static str> {
    keys(&PILE)
}

impl Context {
    /// A body with its place.
    pub(super) fn body(&self, fields: &Fields<'_>) -> Result<SceneBody> {
        let mut body = self.placeless(fields)?;
        if let Some(value) = fields.get("position") {
            body.body.position = vector(&value, self.units.length)?;
        }
        body.body.check().map_err(|error| about(fields, &error))?;
        Ok(body)
    }

    /// A body at the origin.
    fn placeless(&self, fields: &Fields<'_>) -> Result<SceneBody> {
        let shapes = self.shapes(fields)?;
        self.with_shapes(fields, shapes)
    }

    /// The one shape of the body itself, or all of `[[body.shape]]`.
    fn shapes(&self, fields: &Fields<'_>) -> Result<Vec<Shape>> {
        let listed = fields.tables("shape", &shapes::keys())?;
        match (Self::has_form(fields), listed.is_empty()) {
            (true, true) => Ok(vec![self.shape(fields)?]),
            (true, false) => Err(fields.need("shape")?.error("cannot be combined with a form beside it")),
            (false, true) => Err(fields.error(format!(
                "{} needs a shape: circle, box, segment or polygon, or a list of them under shape",
                fields.path()
            ))),
            (false, false) => {
                let shape = |shape: &Fields<'_>| self.shape(shape);
                listed.iter().map(shape).collect()
            }
        }
    }

    /// A body at the origin with these shapes.
    fn with_shapes(&self, fields: &Fields<'_>, mut shapes: Vec<Shape>) -> Result<SceneBody> {
        let units = &self.units;
        let mut body = Body::dynamic();
        if let Some(value) = fields.get("kind") {
            body.kind = value.choice(&KINDS)?;
        }
        if let Some(value) = fields.get("angle") {
            body.angle = units.angle.si(value.number()?);
        }
        if let Some(value) = fields.get("velocity") {
            body.velocity = vector(&value, units.velocity())?;
            refuse(&value, body.kind == BodyKind::Static && body.velocity != Vec2::ZERO, "static")?;
        }
        if let Some(value) = fields.get("angular_velocity") {
            body.angular_velocity = units.angular_velocity().si(value.number()?);
            refuse(&value, body.kind == BodyKind::Static && body.angular_velocity != 0.0, "static")?;
        }
        if let Some(value) = fields.get("bullet") {
            body.bullet = value.boolean()?;
        }
        if let Some(value) = fields.get("data") {
            body.user_data = value.count(0)?;
        }
        self.mass(fields, &mut body, &mut shapes)?;
        Ok(SceneBody::new(body, shapes))
    }

    /// Mass, moment and centre of mass: given for the body as a whole, or else those of its shapes.
    fn mass(&self, fields: &Fields<'_>, body: &mut Body, shapes: &mut [Shape]) -> Result<()> {
        let units = &self.units;
        let (mass, moment) = (fields.get("mass"), fields.get("moment"));
        if let Some(value) = &moment {
            refuse(value, body.kind != BodyKind::Dynamic, "not dynamic")?;
            let mass = mass.ok_or_else(|| value.error("needs a mass beside it"))?;
            body.mass = units.mass.si(mass.positive()?);
            body.moment =
                if value.is_infinite() { f64::INFINITY } else { units.moment().si(value.positive()?) };
            shapes.iter_mut().for_each(|shape| shape.mass = 0.0);
            if let Some(value) = fields.get("centre_of_mass") {
                body.centre_of_mass = vector(&value, units.length)?;
            }
            return Ok(());
        }
        if let Some(value) = fields.get("centre_of_mass") {
            return Err(
                value.error("needs a mass and a moment beside it: otherwise it is that of the shapes")
            );
        }
        if let Some(value) = mass.filter(|_| !Self::has_form(fields)) {
            self.spread(&value, shapes)?;
        }
        let total: f64 = shapes.iter().map(|shape| shape.mass).sum();
        if body.kind == BodyKind::Dynamic && total <= 0.0 {
            let detail = format!("{} needs a mass or a density above 0: it is dynamic", fields.path());
            return Err(fields.error(detail));
        }
        Ok(())
    }

    /// Gives several shapes their shares of a mass, by their areas.
    fn spread(&self, value: &Value<'_>, shapes: &mut [Shape]) -> Result<()> {
        let mass = self.units.mass.si(value.positive()?);
        if shapes.iter().any(|shape| shape.mass > 0.0) {
            return Err(value.error("cannot be combined with masses or densities of the shapes"));
        }
        let area: f64 = shapes.iter().map(|shape| shape.geometry.area()).sum();
        if area <= 0.0 {
            return Err(value.error("cannot be spread over shapes without an area: give each its mass"));
        }
        for shape in shapes {
            shape.mass = mass * (shape.geometry.area() / area);
        }
        Ok(())
    }

    fn base(&self, fields: &Fields<'_>) -> Result<Vec2> {
        fields.get("position").map_or(Ok(Vec2::ZERO), |value| vector(&value, self.units.length))
    }

    /// One gap for both axes, or one for each.
    fn gaps(&self, fields: &Fields<'_>) -> Result<[f64; 2]> {
        let Some(value) = fields.get("gap") else { return Ok([0.0; 2]) };
        if !value.is_list() {
            return Ok([self.units.length.si(value.non_negative()?); 2]);
        }
        let mut gaps = [0.0; 2];
        for (gap, item) in gaps.iter_mut().zip(value.list(2)?) {
            *gap = self.units.length.si(item.non_negative()?);
        }
        Ok(gaps)
    }

    pub(super) fn stack(&self, scene: &mut Scene, fields: &Fields<'_>) -> Result<()> {
        let (body, [_, gap]) = (self.placeless(fields)?, self.gaps(fields)?);
        let rows = fields.need("rows")?;
        let added = scene.add_stack(&body, count(&rows)?, self.base(fields)?, gap);
        added.map_err(|error| at(&rows, fields, &error))
    }

    pub(super) fn pyramid(&self, scene: &mut Scene, fields: &Fields<'_>) -> Result<()> {
        let (body, gaps) = (self.placeless(fields)?, self.gaps(fields)?);
        let rows = fields.need("rows")?;
        let added = scene.add_pyramid(&body, count(&rows)?, self.base(fields)?, gaps);
        added.map_err(|error| at(&rows, fields, &error))
    }

    pub(super) fn grid(&self, scene: &mut Scene, fields: &Fields<'_>) -> Result<()> {
        let (body, gaps) = (self.placeless(fields)?, self.gaps(fields)?);
        let (columns, rows) = (fields.need("columns")?, fields.need("rows")?);
        let numbers = [count(&columns)?, count(&rows)?];
        let added = scene.add_grid(&body, numbers, self.base(fields)?, gaps);
        added.map_err(|error| at(&rows, fields, &error))
    }

    pub(super) fn pile(&self, scene: &mut Scene, fields: &Fields<'_>, streams: &mut Streams) -> Result<()> {
        let units = &self.units;
        let (number, width) = (fields.need("count")?, fields.need("width")?);
        let corner = fields.get("corner").map_or(Ok(Vec2::ZERO), |value| vector(&value, units.length))?;
        let mut pile = Pile::new(count(&number)?, corner, units.length.si(width.positive()?));
        if let Some(value) = fields.get("sizes") {
            let [least, most, _] = value.vector(2)?;
            if !(least > 0.0 && least <= most) {
                return Err(value.error("must be a factor above 0 and one that is not smaller"));
            }
            pile.sizes = [least, most];
        }
        if let Some(value) = fields.get("turned") {
            pile.turned = value.boolean()?;
        }
        let choices = self.choices(fields)?;
        scene.add_pile_from(&choices, &pile, streams).map_err(|error| match &error {
            Error::OutOfRange { field: "width", expected, .. } => width.error(format!("must be {expected}")),
            _ => at(&number, fields, &error),
        })
    }

    /// What the bodies of a pile are copies of.
    fn choices(&self, fields: &Fields<'_>) -> Result<Vec<SceneBody>> {
        let Some(listed) = fields.get("choice") else { return Ok(vec![self.placeless(fields)?]) };
        if Self::has_form(fields) || fields.get("shape").is_some() {
            return Err(listed.error("cannot be combined with a shape beside it"));
        }
        let choice = |choice: &Fields<'_>| {
            let shape = self.shape(choice)?;
            if shape.mass <= 0.0 {
                let detail = format!("{} needs a mass or a density above 0", choice.path());
                return Err(choice.error(detail));
            }
            self.with_shapes(fields, vec![shape])
        };
        let choices: Vec<_> =
            fields.tables("choice", &shapes::keys())?.iter().map(choice).collect::<Result<_>>()?;
        if choices.is_empty() {
            Err(listed.error("is empty: it must have one shape at least"))
        } else {
            Ok(choices)
        }
    }
}

fn refuse(value: &Value<'_>, is_refused: bool, why: &str) -> Result<()> {
    if is_refused { Err(value.error(format!("must be left out: the body is {why}"))) } else { Ok(()) }
}

/// A number of bodies, rows or columns.
fn count(value: &Value<'_>) -> Result<usize> {
    match value.count(1)? {
        count if count > MOST_BODIES as u64 => {
            Err(value.error(format!("is {count}: it must be at most {MOST_BODIES}")))
        }
        count => Ok(count as usize),
    }
}

/// An error of a generator: about this number, if it is one of room, or about the table.
fn at(value: &Value<'_>, fields: &Fields<'_>, error: &Error) -> Error {
    match error {
        Error::OutOfRange { expected, .. } => value.error(format!("must be {expected}")),
        _ => about(fields, error),
    }
}
