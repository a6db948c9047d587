//! Shapes and materials of a scene file.

use super::space::small;
use super::{Context, vector};
use crate::document::units::Units;
use crate::document::{Fields, Value, hint};
use crate::error::{Error, Result};
use crate::geometry::{Affine, Rotation, Vec2};
use crate::rigid2d::shapes::{Geometry, Material, Segment, Shape};

/// Keys of a material, which a shape may have as well.
pub(super) const MATERIAL: [&str; 9] = [
    "friction",
    "elasticity",
    "density",
    "surface_velocity",
    "collision_type",
    "sensor",
    "group",
    "categories",
    "mask",
];
/// Forms, of which a shape has one.
const FORMS: [&str; 4] = ["circle", "box", "segment", "polygon"];
const OTHERS: [&str; 3] = ["material", "mass", "data"];

/// All keys of a shape.
pub(super) fn keys() -> Vec<&'static str> {
    [&FORMS[..], &OTHERS, &MATERIAL].concat()
}

/// A material and its density.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stuff {
    pub(super) material: Material,
    /// In kilograms per square metre; none if it is not said.
    pub(super) density: Option<f64>,
}

impl Stuff {
    /// The same with what these fields say.
    pub(super) fn changed(mut self, fields: &Fields<'_>, units: &Units) -> Result<Self> {
        let Self { material, density } = &mut self;
        if let Some(value) = fields.get("friction") {
            material.friction = value.non_negative()?;
        }
        if let Some(value) = fields.get("elasticity") {
            material.elasticity = value.non_negative()?;
        }
        if let Some(value) = fields.get("density") {
            *density = Some(units.area_density().si(value.non_negative()?));
        }
        if let Some(value) = fields.get("surface_velocity") {
            material.surface_velocity = vector(&value, units.velocity())?;
        }
        if let Some(value) = fields.get("collision_type") {
            material.collision_type = value.count(0)?;
        }
        if let Some(value) = fields.get("sensor") {
            material.sensor = value.boolean()?;
        }
        if let Some(value) = fields.get("group") {
            material.filter.group = small(&value, 0, u32::MAX)?;
        }
        if let Some(value) = fields.get("categories") {
            material.filter.categories = value.count(0)?;
        }
        if let Some(value) = fields.get("mask") {
            material.filter.mask = value.count(0)?;
        }
        Ok(self)
    }
}

impl Context {
    /// The material of this name with what the other fields say.
    pub(super) fn stuff(&self, fields: &Fields<'_>) -> Result<Stuff> {
        let Some(value) = fields.get("material") else {
            return Stuff::default().changed(fields, &self.units);
        };
        let name = value.text()?;
        let Some(stuff) = self.materials.get(name) else {
            let known: Vec<&str> = self.materials.keys().map(String::as_str).collect();
            let hint = if known.is_empty() { format!("write [material.{name}]") } else { hint(name, &known) };
            return Err(value.error(format!("is {name:?}, which is not defined; {hint}")));
        };
        stuff.changed(fields, &self.units)
    }

    /// The shape in these fields.
    pub(super) fn shape(&self, fields: &Fields<'_>) -> Result<Shape> {
        let geometry = self.form(fields)?;
        let Stuff { material, density } = self.stuff(fields)?;
        let shape = Shape::new(geometry).with_material(material);
        let mut shape = match (fields.get("mass"), fields.get("density")) {
            (Some(mass), Some(_)) => return Err(mass.error("cannot be combined with density")),
            (Some(mass), None) => shape.with_mass(self.units.mass.si(mass.non_negative()?)),
            (None, _) => shape.with_density(density.unwrap_or(0.0)),
        };
        if let Some(data) = fields.get("data") {
            shape.user_data = data.count(0)?;
        }
        shape.check().map_err(|error| super::about(fields, &error))?;
        Ok(shape)
    }

    /// Whether the fields have a form.
    pub(super) fn has_form(fields: &Fields<'_>) -> bool {
        FORMS.iter().any(|form| fields.get(form).is_some())
    }

    fn form(&self, fields: &Fields<'_>) -> Result<Geometry> {
        let mut forms = FORMS.iter().filter_map(|&name| Some((name, fields.get(name)?)));
        let Some((name, value)) = forms.next() else {
            let detail = format!("{} needs one of {}", fields.path(), FORMS.join(", "));
            return Err(fields.error(detail));
        };
        if let Some((_, other)) = forms.next() {
            return Err(other.error(format!("cannot be combined with {name}: a shape has one form")));
        }
        let made = match name {
            "circle" => self.circle(&value)?,
            "box" => self.rectangle(&value)?,
            "segment" => self.segment(&value)?,
            _ => self.polygon(&value)?,
        };
        made.map_err(|error: Error| value.error(format!("is not valid: {error}")))
    }

    fn length(&self, value: &Value<'_>) -> Result<f64> {
        Ok(self.units.length.si(value.non_negative()?))
    }

    fn radius(&self, fields: &Fields<'_>) -> Result<f64> {
        fields.get("radius").map_or(Ok(0.0), |value| self.length(&value))
    }

    fn place(&self, fields: &Fields<'_>, name: &str) -> Result<Option<Vec2>> {
        fields.get(name).map(|value| vector(&value, self.units.length)).transpose()
    }

    /// A radius, or a table.
    fn circle(&self, value: &Value<'_>) -> Result<Result<Geometry>> {
        if !value.is_table() {
            return Ok(Geometry::circle(self.units.length.si(value.positive()?), Vec2::ZERO));
        }
        let fields = value.clone().fields(&["radius", "offset"])?;
        let radius = self.units.length.si(fields.need("radius")?.positive()?);
        Ok(Geometry::circle(radius, self.place(&fields, "offset")?.unwrap_or(Vec2::ZERO)))
    }

    /// Width and height, or a table.
    fn rectangle(&self, value: &Value<'_>) -> Result<Result<Geometry>> {
        let sides = |value: &Value<'_>| -> Result<[f64; 2]> {
            let [width, height] = [0, 1].map(|axis| value.list(2).map(|mut sides| sides.swap_remove(axis)));
            Ok([self.units.length.si(width?.positive()?), self.units.length.si(height?.positive()?)])
        };
        if !value.is_table() {
            let [width, height] = sides(value)?;
            return Ok(Geometry::rectangle(width, height, 0.0));
        }
        let fields = value.clone().fields(&["size", "radius", "offset", "angle"])?;
        let [width, height] = sides(&fields.need("size")?)?;
        let radius = self.radius(&fields)?;
        let (offset, angle) = (self.place(&fields, "offset")?, fields.get("angle"));
        if offset.is_none() && angle.is_none() {
            return Ok(Geometry::rectangle(width, height, radius));
        }
        let angle = angle.map_or(Ok(0.0), |angle| angle.number())?;
        let turn = Rotation::from_angle(self.units.angle.si(angle));
        let map = Affine {
            x_axis: Vec2::new(turn.cos, turn.sin),
            y_axis: Vec2::new(-turn.sin, turn.cos),
            translation: offset.unwrap_or(Vec2::ZERO),
        };
        let (w, h) = (0.5 * width, 0.5 * height);
        let corners = [[-w, -h], [w, -h], [w, h], [-w, h]].map(Vec2::from);
        Ok(Geometry::polygon_under(&corners, &map, radius))
    }

    fn segment(&self, value: &Value<'_>) -> Result<Result<Geometry>> {
        let fields = value.clone().fields(&["a", "b", "radius", "previous", "next"])?;
        let [a, b] = ["a", "b"].map(|name| vector(&fields.need(name)?, self.units.length));
        let (previous, next) = (self.place(&fields, "previous")?, self.place(&fields, "next")?);
        let segment = Segment::new(a?, b?, self.radius(&fields)?);
        Ok(segment.and_then(|segment| segment.with_neighbours(previous, next)).map(Geometry::Segment))
    }

    /// Points, or a table. The polygon is their convex hull.
    fn polygon(&self, value: &Value<'_>) -> Result<Result<Geometry>> {
        let points = |value: &Value<'_>| -> Result<Vec<Vec2>> {
            value.items()?.iter().map(|point| vector(point, self.units.length)).collect()
        };
        if !value.is_table() {
            return Ok(Geometry::polygon(&points(value)?, 0.0));
        }
        let fields = value.clone().fields(&["points", "radius"])?;
        Ok(Geometry::polygon(&points(&fields.need("points")?)?, self.radius(&fields)?))
    }
}
