//! `[vary]`: the numbers of a scene or a world that are drawn for every replica.
//!
//! Keys are paths such as `"ball[3].velocity[0]"`, `"ball[*].position"` or `"physics.restitution"`, values distributions. `[*]`
//! draws for every ball independently. `{ add = DISTRIBUTION }` adds to what the scene has.

use super::Common;
use super::parameter::{ANY, Bounds, NOT_NEGATIVE, Number, SHARE, within};
use super::parameters::{Drawn, PARAMETERS, Parameter};
use crate::document::units::{Unit, Units};
use crate::document::{self, Value};
use crate::error::Result;
use crate::io::columns::component_name;
use crate::particles::{Field, Particles};
use crate::study::distribution::VectorDistribution;
use crate::study::inputs::Inputs;

/// A number of the rules of a scene or world that may vary.
pub(crate) struct Rule<S> {
    /// Its name after `physics.`.
    pub(crate) name: &'static str,
    /// Its SI unit, empty for pure numbers.
    pub(crate) unit: &'static str,
    /// Its unit in the file.
    pub(crate) scale: fn(&Units) -> Unit,
    /// The least and the greatest that it may be, in SI units.
    pub(crate) range: Bounds,
    /// Where it is.
    pub(crate) place: fn(&mut S) -> &mut f64,
}

impl<S> Rule<S> {
    /// The acceleration along axis 1.
    pub(crate) const fn gravity(place: fn(&mut S) -> &mut f64) -> Self {
        Self { name: "gravity", unit: "m/s2", scale: Units::acceleration, range: ANY, place }
    }

    /// A coefficient of restitution.
    pub(crate) const fn restitution(name: &'static str, place: fn(&mut S) -> &mut f64) -> Self {
        Self { name, unit: "", scale: |_| Unit::ONE, range: SHARE, place }
    }
}

/// What there is to vary.
pub(crate) struct Subject<'a, S: 'static> {
    /// What paths call a body: `ball` or `particle`.
    pub(crate) body: &'static str,
    pub(crate) particles: &'a Particles,
    pub(crate) rules: &'static [Rule<S>],
}

/// The changes to make to a scene or world for every replica.
pub(crate) struct Vary<S: 'static> {
    changes: Vec<Change<S>>,
}

struct Change<S: 'static> {
    target: Target<S>,
    /// Whether to add to what is there.
    add: bool,
}

enum Target<S: 'static> {
    /// From this column of the inputs on.
    Vector {
        field: Field,
        row: usize,
        column: usize,
    },
    Component {
        field: Field,
        row: usize,
        axis: usize,
        drawn: Number,
    },
    Mass {
        row: usize,
        drawn: Number,
    },
    Radius {
        row: usize,
        drawn: Number,
    },
    Rule(fn(&mut S) -> &mut f64, Number),
}

const FIELDS: [&str; 4] = ["position", "velocity", "radius", "mass"];

/// A path taken apart: `body[index].field[axis]`.
struct Path<'a> {
    index: Option<usize>,
    field: &'a str,
    axis: Option<usize>,
}

impl<S> Vary<S> {
    /// Resolves the paths of `[vary]`, if there is one, and notes their distributions in the inputs.
    pub(crate) fn read(common: &Common<'_>, subject: &Subject<'_, S>, inputs: &mut Inputs) -> Result<Self> {
        let (units, mut changes) = (&common.units, Vec::new());
        let Some(value) = &common.vary else { return Ok(Self { changes }) };
        for (path, value) in value.entries()? {
            // `physics.gravity = 1` without quotes is a table in TOML.
            if path == "physics" {
                for (name, value) in value.entries()? {
                    changes.push(subject.rule(name, value, units, inputs)?);
                }
            } else if let Some(name) = path.strip_prefix("physics.") {
                changes.push(subject.rule(name, value, units, inputs)?);
            } else {
                changes.extend(subject.bodies(path, value, units, inputs)?);
            }
        }
        Ok(Self { changes })
    }

    /// Whether nothing varies.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// Makes the changes for a replica with these inputs.
    pub(crate) fn apply(&self, inputs: &[f64], particles: &mut Particles, rules: &mut S) -> Result<()> {
        self.changes.iter().try_for_each(|change| change.apply(inputs, particles, rules))
    }
}

impl<S> Change<S> {
    fn apply(&self, inputs: &[f64], particles: &mut Particles, rules: &mut S) -> Result<()> {
        let changed = |old: f64, drawn: f64| if self.add { old + drawn } else { drawn };
        match self.target {
            Target::Vector { field, row, column } => {
                let (mut vector, dim) = (vector(particles, field, row), particles.dim());
                for (component, &drawn) in vector[..dim].iter_mut().zip(&inputs[column..]) {
                    *component = changed(*component, drawn);
                }
                particles.set_value(field, row, &vector[..dim])
            }
            Target::Component { field, row, axis, drawn } => {
                let mut vector = vector(particles, field, row);
                vector[axis] = changed(vector[axis], drawn.of(inputs));
                particles.set_value(field, row, &vector[..particles.dim()])
            }
            Target::Mass { row, drawn } => {
                let mass = changed(vector(particles, Field::Mass, row)[0], drawn.of(inputs));
                particles.set_value(Field::Mass, row, &[mass])
            }
            Target::Radius { row, drawn } => {
                particles.set_sphere(row, changed(particles.radii()[row], drawn.of(inputs)))
            }
            Target::Rule(place, drawn) => {
                let rule = place(rules);
                *rule = changed(*rule, drawn.of(inputs));
                Ok(())
            }
        }
    }
}

/// The value of a field of one particle; entries that it does not have are 0.
fn vector(particles: &Particles, field: Field, row: usize) -> [f64; 3] {
    let columns = particles.columns(field);
    std::array::from_fn(|axis| columns.get(axis).map_or(0.0, |column| column.as_slice()[row]))
}

impl<S> Subject<'_, S> {
    fn rule(&self, name: &str, value: Value<'_>, units: &Units, inputs: &mut Inputs) -> Result<Change<S>> {
        let Some(rule) = self.rules.iter().find(|rule| rule.name == name) else {
            let names: Vec<&str> = self.rules.iter().map(|rule| rule.name).collect();
            return Err(value.error(format!("is unknown; {}", document::hint(name, &names))));
        };
        let (value, add) = added(value)?;
        let range = if add { ANY } else { rule.range };
        let distribution = within(&value, (rule.scale)(units), range)?;
        let drawn = Number::new(distribution, &format!("physics.{name}"), rule.unit, inputs);
        Ok(Change { target: Target::Rule(rule.place, drawn), add })
    }

    /// The changes of one path: one, or one for each body.
    fn bodies(
        &self,
        path: &str,
        value: Value<'_>,
        units: &Units,
        inputs: &mut Inputs,
    ) -> Result<Vec<Change<S>>> {
        let path = Path::parse(path, self.body).ok_or_else(|| value.error(self.forms()))?;
        self.check(&path, &value)?;
        let rows = match path.index {
            Some(row) => row..row + 1,
            None => 0..self.particles.len(),
        };
        let rows = rows.filter(|&row| !self.is_held(&path, row));
        let (value, add) = added(value)?;
        let (field, axis) = (path.field, path.axis);
        let name = |row: usize| format!("{}[{row}].{field}", self.body);
        let (scale, unit, range) = match field {
            "position" => (units.length, "m", ANY),
            "velocity" => (units.velocity(), "m/s", ANY),
            "mass" => (units.mass, "kg", NOT_NEGATIVE),
            _ => (units.length, "m", NOT_NEGATIVE),
        };
        let motion = if field == "velocity" { Field::Velocity } else { Field::Position };
        if is_vector(field) && axis.is_none() {
            let drawn = VectorDistribution::read(value, self.particles.dim(), scale)?;
            let change = |row| {
                let column = inputs.vector(&name(row), unit, drawn.clone());
                Change { target: Target::Vector { field: motion, row, column }, add }
            };
            return Ok(rows.map(change).collect());
        }
        let distribution = within(&value, scale, if add { ANY } else { range })?;
        let change = |row| {
            let name =
                axis.map_or_else(|| name(row), |axis| component_name(&name(row), axis, self.particles.dim()));
            let drawn = Number::new(distribution.clone(), &name, unit, inputs);
            let target = match (field, axis) {
                ("mass", _) => Target::Mass { row, drawn },
                (_, Some(axis)) => Target::Component { field: motion, row, axis, drawn },
                _ => Target::Radius { row, drawn },
            };
            Change { target, add }
        };
        Ok(rows.map(change).collect())
    }

    fn forms(&self) -> String {
        let body = self.body;
        let kind = if body == "ball" { "scene." } else { "stepped." };
        let varies = |parameter: &&Parameter| parameter.drawn == Drawn::ByVary;
        let names =
            PARAMETERS.iter().filter(varies).filter_map(|parameter| parameter.path.strip_prefix(kind));
        let names: Vec<String> = names.map(|name| name.replace("[N]", "[0]")).collect();
        format!(
            "is unknown: write {}; also {body}[*] for all, and [1] after a vector for one axis",
            names.join(", ")
        )
    }

    fn check(&self, path: &Path<'_>, value: &Value<'_>) -> Result<()> {
        let (count, dim, body) = (self.particles.len(), self.particles.dim(), self.body);
        let wrong = |detail: String| Err(value.error(detail));
        if !FIELDS.contains(&path.field) {
            let hint = document::hint(path.field, &FIELDS);
            return wrong(format!("is unknown: a {body} has no {}; {hint}", path.field));
        }
        match path.axis {
            Some(_) if !is_vector(path.field) => {
                return wrong(format!("is unknown: a {} has no axes", path.field));
            }
            Some(axis) if axis >= dim => {
                return wrong(format!("is out of range: there are {dim} axes, from 0 on"));
            }
            _ => (),
        }
        match path.index {
            Some(index) if index >= count => wrong(format!("is out of range: there are {count}, from 0 on")),
            Some(index) if self.is_held(path, index) => wrong(format!("cannot vary: the {body} is fixed")),
            _ if path.field == "radius" => self.check_spheres(path, value),
            _ => Ok(()),
        }
    }

    fn check_spheres(&self, path: &Path<'_>, value: &Value<'_>) -> Result<()> {
        let mut rows = (0..self.particles.len()).filter(|&row| path.index.is_none_or(|index| index == row));
        match rows.find(|&row| !self.particles.is_sphere(row)) {
            Some(row) => Err(value.error(format!("cannot vary: {} {row} is no sphere", self.body))),
            None => Ok(()),
        }
    }

    /// Whether the body is fixed and the path is that of its velocity.
    fn is_held(&self, path: &Path<'_>, row: usize) -> bool {
        path.field == "velocity" && self.particles.fixed_flags()[row] != 0
    }
}

/// What stands under `add`, if that is there, and whether it is.
fn added(value: Value<'_>) -> Result<(Value<'_>, bool)> {
    let adds = value.is_table() && value.entries()?.iter().any(|(key, _)| *key == "add");
    if adds { Ok((value.fields(&["add"])?.need("add")?, true)) } else { Ok((value, false)) }
}

fn is_vector(field: &str) -> bool {
    field == "position" || field == "velocity"
}

/// The name of a field that a file written before a key was renamed calls `name`.
fn present_name(name: &str) -> &str {
    FIELDS.into_iter().find(|now| document::earlier_name(now) == Some(name)).unwrap_or(name)
}

impl<'a> Path<'a> {
    fn parse(path: &'a str, body: &str) -> Option<Self> {
        let (index, field) = path.strip_prefix(body)?.strip_prefix('[')?.split_once("].")?;
        let index = if index == "*" { None } else { Some(index.parse().ok()?) };
        match field.split_once('[') {
            Some((field, axis)) => {
                let field = present_name(field);
                let axis = Some(axis.strip_suffix(']')?.parse().ok()?);
                Some(Self { index, field, axis })
            }
            None => Some(Self { index, field: present_name(field), axis: None }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_name_a_body_a_field_and_an_axis() {
        let parts = |path| Path::parse(path, "ball").map(|path| (path.index, path.field, path.axis));
        assert_eq!(parts("ball[3].velocity[0]"), Some((Some(3), "velocity", Some(0))));
        assert_eq!(parts("ball[3].speed[0]"), Some((Some(3), "velocity", Some(0))));
        assert_eq!(parts("ball[*].position"), Some((None, "position", None)));
        for bad in [
            "ball.velocity",
            "ball[x].velocity",
            "ball[1]velocity",
            "balls[1].velocity",
            "ball[1].velocity[",
            "ball[-1].mass",
        ] {
            assert_eq!(parts(bad), None, "{bad}");
        }
    }
}
