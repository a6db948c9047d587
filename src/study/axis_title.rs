//! The axes of a sweep in words, with the units of the study file.

use toml::de::{DeTable, DeValue};

use super::kinds::parameters::{PARAMETERS, Parameter, Quantity};
use super::sweep::{Part, parts};

/// Title and unit of a swept parameter; both are empty if nothing is known about it.
pub(super) fn of(table: &DeTable<'_>, path: &str) -> (String, String) {
    let Some(steps) = steps(table, path) else { return Default::default() };
    let longest = PARAMETERS
        .iter()
        .filter_map(|parameter| found(parameter, &steps))
        .min_by_key(|found| found.rest.len());
    longest.map_or_else(Default::default, |found| found.title_and_unit(table))
}

/// The steps of a path from the table of its kind on: those of `[vary]` leave it out.
fn steps(table: &DeTable<'_>, path: &str) -> Option<Vec<Part>> {
    let mut steps = Vec::new();
    for part in parts(path).ok()? {
        match part {
            Part::Name(name) if name.contains(['.', '[']) => steps.extend(parts(&name).ok()?),
            part => steps.push(part),
        }
    }
    let is_vary = matches!(steps.first(), Some(Part::Name(name)) if name == "vary");
    if is_vary {
        steps.remove(0);
    }
    if is_vary
        || matches!(steps.first(), Some(Part::Name(name)) if ["ball", "particle", "physics"].contains(&name.as_str()))
    {
        let Some(DeValue::String(kind)) = table.get("kind").map(|kind| kind.get_ref()) else { return None };
        steps.insert(0, Part::Name(kind.to_string()));
    }
    Some(steps)
}

/// A parameter with what a path says beyond it.
struct Found<'s> {
    parameter: &'static Parameter,
    /// `a` or `b`.
    body: &'s str,
    /// The number of the entry, as in `ball[3]`.
    entry: Option<String>,
    rest: &'s [Part],
}

/// Whether the steps begin with the path of a parameter.
fn found<'s>(parameter: &'static Parameter, steps: &'s [Part]) -> Option<Found<'s>> {
    let (mut body, mut entry, mut at) = ("a", None, 0);
    for word in parameter.path.split('.') {
        let (name, has_entry) = word.strip_suffix("[N]").map_or((word, false), |name| (name, true));
        match steps.get(at)? {
            Part::Name(found) if found == name => {}
            Part::Name(found) if name == "a" && found == "b" => body = "b",
            _ => return None,
        }
        at += 1;
        if has_entry {
            let (Part::Entry(_) | Part::Every) = steps.get(at)? else { return None };
            entry = Some(steps[at].to_string().trim_start_matches("entry ").to_owned());
            at += 1;
        }
    }
    Some(Found { parameter, body, entry, rest: &steps[at..] })
}

impl Found<'_> {
    fn title_and_unit(&self, table: &DeTable<'_>) -> (String, String) {
        let Parameter { words, quantity, is_vector, .. } = *self.parameter;
        let mut words =
            words.replace(" N", &self.entry.as_ref().map_or_else(String::new, |entry| format!(" {entry}")));
        if self.body == "b" {
            words = words.strip_suffix('a').map_or(words.clone(), |rest| format!("{rest}b"));
        }
        let axis = match self.rest.last() {
            Some(Part::Entry(axis)) if is_vector => along(*axis),
            _ => String::new(),
        };
        let unit = || unit(quantity, unit_names(table), Some(dimension(table)));
        match measure(self.rest, is_vector) {
            Some("") => (words + &axis, unit()),
            Some(measure) => (format!("{measure} of the {words}{axis}"), unit()),
            // A weight, a sigma, an entry of a covariance: its own name, and no unit.
            None => (format!("{words}, {}", written(self.rest)), String::new()),
        }
    }
}

fn along(axis: usize) -> String {
    match ["x", "y", "z"].get(axis) {
        Some(name) => format!(" along {name}"),
        None => format!(", entry {axis}"),
    }
}

/// What a number of a distribution with the unit of its parameter is called; `Some("")` for the parameter itself.
fn measure(rest: &[Part], is_vector: bool) -> Option<&'static str> {
    let text = written(rest);
    let text = text.strip_prefix("add.").unwrap_or(&text);
    match text.trim_end_matches(']').split(['.', '[']).collect::<Vec<_>>()[..] {
        [""] => Some(""),
        ["", _] if is_vector => Some(""),
        ["", _, "uniform", "0"] | ["uniform", "0"] => Some("least value"),
        ["", _, "uniform", "1"] | ["uniform", "1"] => Some("greatest value"),
        ["", _, "normal", "0"] | ["normal", "0"] | ["normal", "mean", _] => Some("mean"),
        ["", _, "normal", "1"] | ["normal", "1"] | ["normal", "sd"] | ["normal", "sd", _] => {
            Some("standard deviation")
        }
        ["log_normal", "0"] => Some("median"),
        ["maxwell"] => Some("scale"),
        ["ball" | "sphere", "centre", _] => Some("centre"),
        ["ball" | "sphere", "radius"] => Some("largest change"),
        _ => None,
    }
}

/// The rest of a path, as it is written in a file.
fn written(rest: &[Part]) -> String {
    let mut text = String::new();
    for part in rest {
        match part {
            Part::Name(name) if text.is_empty() => text += name,
            Part::Name(name) => text += &format!(".{name}"),
            Part::Entry(number) => text += &format!("[{number}]"),
            Part::Every => text += "[*]",
        }
    }
    text
}

/// The names of the units of length, time and mass of a study file.
fn unit_names<'t>(table: &'t DeTable<'_>) -> [&'t str; 3] {
    let Some(DeValue::Table(units)) = table.get("units").map(|units| units.get_ref()) else {
        return ["m", "s", "kg"];
    };
    [("length", "m"), ("time", "s"), ("mass", "kg")].map(|(name, usual)| {
        match units.get(name).map(|unit| unit.get_ref()) {
            Some(DeValue::String(unit)) => unit,
            _ => usual,
        }
    })
}

/// The dimension of the model of a study file.
fn dimension(table: &DeTable<'_>) -> i32 {
    let Some(DeValue::String(kind)) = table.get("kind").map(|kind| kind.get_ref()) else { return 3 };
    let Some(DeValue::Table(model)) = table.get(&**kind).map(|model| model.get_ref()) else { return 3 };
    match model.get("dimension").map(|dimension| dimension.get_ref()) {
        Some(DeValue::Integer(dimension)) => dimension.as_str().parse().unwrap_or(3),
        _ => 3,
    }
}

/// A unit as it is written: `m/s2`, `1/m3`, `J`. Without a dimension D stands for it.
pub(super) fn unit(quantity: Quantity, names: [&str; 3], dim: Option<i32>) -> String {
    let Quantity { length, time, mass, volume } = quantity;
    if names == ["m", "s", "kg"] && (length, time, mass, volume) == (2, -2, 1, 0) {
        return "J".into();
    }
    let [metre, second, kilogram] = names;
    let factors = [(kilogram, mass), (metre, length + volume * dim.unwrap_or(0)), (second, time)];
    let power = |(name, power): &(&str, i32)| match power.abs() {
        1 => (*name).to_owned(),
        power => format!("{name}{power}"),
    };
    let above: Vec<String> = factors.iter().filter(|(_, power)| *power > 0).map(power).collect();
    let mut below: Vec<String> = factors.iter().filter(|(_, power)| *power < 0).map(power).collect();
    if dim.is_none() && volume == -1 {
        below.push(format!("{metre}^D"));
    }
    match (above.join(" "), &below[..]) {
        (above, []) => above,
        (above, [one]) => format!("{}/{one}", if above.is_empty() { "1" } else { &above }),
        (above, all) => format!("{}/({})", if above.is_empty() { "1" } else { &above }, all.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_words_and_the_units_of_the_file() {
        let text = "kind = \"scene\"\n[units]\nlength = \"cm\"\n[scene]\ndimension = 2\n";
        let table = DeTable::parse(text).unwrap();
        let title = |path: &str| {
            let (title, unit) = of(table.get_ref(), path);
            format!("{title} ({unit})")
        };
        assert_eq!(title("scene.ball[3].velocity[1]"), "velocity of ball 3 along y (cm/s)");
        assert_eq!(title("scene.physics.gravity"), "gravity (cm/s2)");
        assert_eq!(title("scene.gas.density"), "number density (1/cm2)");
        assert_eq!(title("ball[0].mass"), "mass of ball 0 (kg)");
        assert_eq!(
            title("vary.\"ball[*].velocity[1]\".normal[1]"),
            "standard deviation of the velocity of ball * along y (cm/s)"
        );
        assert_eq!(title("scene.elsewhere"), " ()");
        let table = DeTable::parse("kind = \"encounter\"\n").unwrap();
        let title = |path: &str| of(table.get_ref(), path);
        assert_eq!(title("encounter.b.radius"), ("radius of body b".into(), "m".into()));
        assert_eq!(
            title("encounter.a.position.normal.sd[1]"),
            ("standard deviation of the position of body a along y".into(), "m".into())
        );
        assert_eq!(
            title("encounter.a.radius.log_normal[1]"),
            ("radius of body a, log_normal[1]".into(), String::new())
        );
    }

    #[test]
    fn units_are_written_as_in_tables() {
        let si = |path: &str| {
            let parameter = PARAMETERS.iter().find(|parameter| parameter.path == path).unwrap();
            unit(parameter.quantity, ["m", "s", "kg"], Some(3))
        };
        assert_eq!(si("gas.temperature"), "J");
        assert_eq!(si("gas.density"), "1/m3");
        assert_eq!(si("stepped.physics.attraction"), "m3/(kg s2)");
        assert_eq!(si("stepped.particle[N].drag"), "1/s");
        assert_eq!(si("gas.packing"), "");
    }
}
