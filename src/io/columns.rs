//! Names of table columns: quantity, axis, unit, as in `position_x_m` or `kinetic_energy_J`.
//!
//! Every table that this library or its tool writes takes its names from here.

/// The name of the column of a number; the unit, as in `m/s` or `kg m/s`, is empty for pure numbers.
///
/// ```
/// use carom::io::columns::column_name;
///
/// assert_eq!(column_name("time", "s"), "time_s");
/// assert_eq!(column_name("drag", "1/s"), "drag_per_s");
/// assert_eq!(column_name("collisions", ""), "collisions");
/// ```
#[must_use]
pub fn column_name(quantity: &str, unit: &str) -> String {
    let unit = unit_suffix(unit);
    if unit.is_empty() { quantity.to_owned() } else { format!("{quantity}_{unit}") }
}

/// The names of the columns of a vector, one for each of `dim` axes.
///
/// ```
/// use carom::io::columns::vector_column_names;
///
/// assert_eq!(vector_column_names("velocity", 2, "m/s"), ["velocity_x_m_per_s", "velocity_y_m_per_s"]);
/// ```
#[must_use]
pub fn vector_column_names(quantity: &str, dim: usize, unit: &str) -> Vec<String> {
    (0..dim).map(|axis| column_name(&component_name(quantity, axis, dim), unit)).collect()
}

/// The name of one component of a vector, without its unit: `position_x`, and `position_3` in more than three dimensions.
#[must_use]
pub fn component_name(quantity: &str, axis: usize, dim: usize) -> String {
    match ["x", "y", "z"].get(axis).filter(|_| dim <= 3) {
        Some(letter) => format!("{quantity}_{letter}"),
        None => format!("{quantity}_{axis}"),
    }
}

/// A unit in letters, digits and underscores: `m/s` is `m_per_s`, `m3/(kg s2)` is `m3_per_kg_s2`, `1/m2` is `per_m2`.
fn unit_suffix(unit: &str) -> String {
    let words = unit.replace('/', " per ");
    let words = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '^').filter(|word| !word.is_empty());
    let words: Vec<String> = words.map(|word| word.replace('^', "")).collect();
    let numerator = usize::from(words.first().is_some_and(|word| word == "1"));
    words[numerator..].join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_written_in_letters_and_digits() {
        for (unit, suffix) in [
            ("", ""),
            ("m", "m"),
            ("Pa", "Pa"),
            ("m/s", "m_per_s"),
            ("kg m/s", "kg_m_per_s"),
            ("m2/s", "m2_per_s"),
            ("m^3", "m3"),
            ("1/s", "per_s"),
            ("1/m3", "per_m3"),
            ("m3/(kg s2)", "m3_per_kg_s2"),
        ] {
            assert_eq!(unit_suffix(unit), suffix, "{unit}");
        }
    }

    #[test]
    fn axes_have_letters_up_to_three_dimensions() {
        assert_eq!(vector_column_names("position", 3, "m"), ["position_x_m", "position_y_m", "position_z_m"]);
        let four = vector_column_names("velocity", 4, "m/s");
        assert_eq!((four[0].as_str(), four[3].as_str()), ("velocity_0_m_per_s", "velocity_3_m_per_s"));
        assert_eq!(component_name("angle", 0, 1), "angle_x");
    }
}
