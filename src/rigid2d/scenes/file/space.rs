//! The table `[space]`: settings.

use super::vector;
use crate::document::Value;
use crate::document::units::Units;
use crate::error::Result;
use crate::rigid2d::scenes::Scene;
use crate::rigid2d::space::{MOST_ITERATIONS, MOST_SUBSTEPS, Mixing, Precision, Solver};

pub(super) const SPACE: [&str; 16] = [
    "gravity",
    "dt",
    "solver",
    "precision",
    "substeps",
    "iterations",
    "slop",
    "bias",
    "persistence",
    "friction_mixing",
    "restitution_mixing",
    "bounce_speed",
    "sleep_time",
    "contact_hertz",
    "damping_ratio",
    "push_velocity",
];

const MIXINGS: [(&str, Mixing); 5] = [
    ("multiply", Mixing::Multiply),
    ("minimum", Mixing::Minimum),
    ("maximum", Mixing::Maximum),
    ("mean", Mixing::Mean),
    ("geometric-mean", Mixing::GeometricMean),
];

/// The solvers by their names in files and options.
pub(crate) const SOLVERS: [(&str, Solver); 2] = [("soft", Solver::Soft), ("sequential", Solver::Sequential)];
/// The precisions by their names in files and options.
pub(crate) const PRECISIONS: [(&str, Precision); 2] =
    [("f64", Precision::Double), ("mixed", Precision::Mixed)];

pub(super) fn read(scene: &mut Scene, value: Value<'_>, units: &Units) -> Result<()> {
    let fields = value.fields(&SPACE)?;
    let settings = &mut scene.settings;
    if let Some(value) = fields.get("gravity") {
        settings.gravity = vector(&value, units.acceleration())?;
    }
    if let Some(value) = fields.get("dt") {
        scene.dt = units.time.si(value.positive()?);
    }
    if let Some(value) = fields.get("solver") {
        settings.solver = value.choice(&SOLVERS)?;
    }
    if let Some(value) = fields.get("precision") {
        settings.precision = value.choice(&PRECISIONS)?;
    }
    for (name, least, most, number) in [
        ("substeps", 1, MOST_SUBSTEPS, &mut settings.substeps),
        ("iterations", 1, MOST_ITERATIONS, &mut settings.iterations),
        ("persistence", 0, u32::MAX, &mut settings.persistence),
    ] {
        if let Some(value) = fields.get(name) {
            *number = small(&value, least, most)?;
        }
    }
    if let Some(value) = fields.get("bias") {
        settings.bias = value.share()?;
    }
    if let Some(value) = fields.get("slop") {
        settings.slop = units.length.si(value.non_negative()?);
    }
    if let Some(value) = fields.get("friction_mixing") {
        settings.friction_mixing = value.choice(&MIXINGS)?;
    }
    if let Some(value) = fields.get("restitution_mixing") {
        settings.restitution_mixing = value.choice(&MIXINGS)?;
    }
    if let Some(value) = fields.get("bounce_speed") {
        settings.bounce_speed = Some(units.velocity().si(value.non_negative()?));
    }
    if let Some(value) = fields.get("sleep_time") {
        settings.sleep_time = Some(units.time.si(value.non_negative()?));
    }
    if let Some(value) = fields.get("contact_hertz") {
        settings.contact_hertz = units.rate().si(value.positive()?);
    }
    if let Some(value) = fields.get("damping_ratio") {
        settings.damping_ratio = value.non_negative()?;
    }
    if let Some(value) = fields.get("push_velocity") {
        settings.push_velocity = units.velocity().si(value.non_negative()?);
    }
    Ok(())
}

/// A whole number from `least` to `most`.
pub(super) fn small(value: &Value<'_>, least: u64, most: u32) -> Result<u32> {
    let number = value.count(least)?;
    let small = u32::try_from(number).ok().filter(|&number| number <= most);
    small.ok_or_else(|| value.error(format!("is {number}: it must be at most {most}")))
}
