//! Numbers for readers: as many digits as they are worth.

/// The sign between thousands: a narrow space that does not break.
const THOUSANDS: char = '\u{202f}';

/// How the numbers of one quantity are written: as multiples of a power of ten, with a number of decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) exponent: i32,
    pub(crate) decimals: usize,
}

impl Format {
    /// For a value known to about `resolution`, of which two digits are shown. Numbers from 0.001 to a million are
    /// written in full.
    pub(crate) fn new(magnitude: f64, resolution: f64) -> Self {
        let leading = leading_digit(magnitude);
        let exponent = if (-3..6).contains(&leading) { 0 } else { leading };
        let last = if resolution > 0.0 { leading_digit(resolution) - 1 } else { leading - 5 };
        Self { exponent, decimals: (exponent - last).clamp(0, 12) as usize }
    }

    /// For numbers that stand side by side, such as a value and the ends of its interval.
    pub(super) fn of_interval(low: f64, high: f64) -> Self {
        Self::new(low.abs().max(high.abs()), (high - low) / 2.0)
    }

    pub(super) fn write(self, value: f64) -> String {
        let mantissa = minus(&format!("{:.*}", self.decimals, value / power(self.exponent)));
        match self.exponent {
            0 => mantissa,
            exponent => format!("{mantissa}×{}", power_of_ten(exponent)),
        }
    }
}

/// A number by its significant digits, without zeros at its end.
pub(super) fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let leading = leading_digit(value);
    let format = Format::new(value.abs(), 0.0);
    let decimals = (format.exponent - leading + digits - 1).clamp(0, 12) as usize;
    let written = format!("{:.*}", decimals, value / power(format.exponent));
    let short =
        if written.contains('.') { written.trim_end_matches('0').trim_end_matches('.') } else { &written };
    match format.exponent {
        0 => minus(short),
        exponent => format!("{}×{}", minus(short), power_of_ten(exponent)),
    }
}

/// A count, with its thousands apart.
pub(super) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(THOUSANDS);
        }
        text.push(digit);
    }
    text
}

/// A share in percent, with three digits.
pub(super) fn percent(share: f64) -> String {
    format!("{}%", significant(share * 100.0, 3))
}

/// A time in the units that people use.
pub(super) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{} s", significant(seconds, 3)),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", count(whole / 3600), whole % 3600 / 60),
    }
}

/// `10` with its exponent raised.
pub(super) fn power_of_ten(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digit = |c: char| c.to_digit(10).map_or('⁻', |digit| RAISED[digit as usize]);
    format!("10{}", exponent.to_string().chars().map(digit).collect::<String>())
}

/// A unit with its powers raised: m2/s as m²/s.
pub(super) fn raised(unit: &str) -> String {
    unit.replace('2', "²").replace('3', "³")
}

/// The true minus sign, and none before a zero.
pub(super) fn minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
        Some(rest) => format!("−{rest}"),
        None => text.to_owned(),
    }
}

/// The power of ten of the first digit of a number; 0 for zero.
pub(super) fn leading_digit(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 }
}

pub(crate) fn power(exponent: i32) -> f64 {
    10.0_f64.powi(exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_digits_that_their_interval_is_worth() {
        let format = Format::of_interval(0.12345, 0.12385);
        assert_eq!(format.write(0.12365), "0.12365");
        assert_eq!(Format::of_interval(1.5e-7, 1.74e-7).write(1.6e-7), "1.60×10⁻⁷");
        assert_eq!(Format::of_interval(0.0, 3.7e-6).write(0.0), "0.0×10⁻⁶");
        assert_eq!(Format::of_interval(-0.5, 0.3).write(-0.1), "−0.10");
        assert_eq!(Format::of_interval(12_345_678.0, 12_345_679.0).write(12_345_678.4), "1.234567840×10⁷");
        assert_eq!(Format::of_interval(2.0, 2.0).write(2.0), "2.00000");
        assert_eq!(Format::of_interval(1000.0, 3000.0).write(2000.0), "2000");
    }

    #[test]
    fn short_numbers_have_no_useless_zeros() {
        assert_eq!(significant(0.25, 3), "0.25");
        assert_eq!(significant(1234.5, 3), "1234");
        assert_eq!(significant(-1.5e-5, 3), "−1.5×10⁻⁵");
        assert_eq!(significant(100.0, 3), "100");
        assert_eq!(significant(0.0, 3), "0");
        assert_eq!(significant(2.5e12, 3), "2.5×10¹²");
        assert_eq!(percent(0.012_345), "1.23%");
    }

    #[test]
    fn counts_and_times_are_for_people() {
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!((count(0), count(999)), ("0".into(), "999".into()));
        assert_eq!(duration(1.234), "1.23 s");
        assert_eq!(duration(125.2), "2 min 5 s");
        assert_eq!(duration(3.0 * 3600.0 + 61.0), "3 h 1 min");
        assert_eq!(duration(59.7), "1 min 0 s");
    }

    #[test]
    fn nothing_is_minus_zero() {
        assert_eq!(minus("-0.00"), "0.00");
        assert_eq!(minus("-0.01"), "−0.01");
    }
}
