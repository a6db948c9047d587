//! The units of a scene or study file. Engines work in SI units.

use super::Value;
use crate::error::Result;

/// A unit as a ratio of whole numbers: 1 cm is 1 m over 100. To divide by 100 rounds once, to multiply by 0.01 twice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Unit {
    times: f64,
    over: f64,
}

impl Unit {
    /// The unit of pure numbers, and every SI unit.
    pub(crate) const ONE: Self = Self { times: 1.0, over: 1.0 };

    const fn times(times: f64) -> Self {
        Self { times, over: 1.0 }
    }

    const fn over(over: f64) -> Self {
        Self { times: 1.0, over }
    }

    /// A value in this unit, in SI units.
    pub(crate) fn si(self, value: f64) -> f64 {
        value * self.times / self.over
    }

    /// A vector in this unit, in SI units.
    pub(crate) fn si_vector(self, vector: [f64; 3]) -> [f64; 3] {
        vector.map(|component| self.si(component))
    }

    fn by(self, other: Self) -> Self {
        Self { times: self.times * other.times, over: self.over * other.over }
    }

    fn per(self, other: Self) -> Self {
        Self { times: self.times * other.over, over: self.over * other.times }
    }
}

const LENGTHS: [(&str, Unit); 6] = [
    ("m", Unit::ONE),
    ("km", Unit::times(1e3)),
    ("cm", Unit::over(1e2)),
    ("mm", Unit::over(1e3)),
    ("um", Unit::over(1e6)),
    ("nm", Unit::over(1e9)),
];
const TIMES: [(&str, Unit); 6] = [
    ("s", Unit::ONE),
    ("ms", Unit::over(1e3)),
    ("us", Unit::over(1e6)),
    ("ns", Unit::over(1e9)),
    ("min", Unit::times(60.0)),
    ("h", Unit::times(3600.0)),
];
const MASSES: [(&str, Unit); 4] =
    [("kg", Unit::ONE), ("g", Unit::over(1e3)), ("mg", Unit::over(1e6)), ("t", Unit::times(1e3))];

/// Degrees are a ratio with pi in it.
const ANGLES: [(&str, Unit); 2] =
    [("rad", Unit::ONE), ("deg", Unit { times: std::f64::consts::PI, over: 180.0 })];

/// The units of a file; SI units unless it says otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Units {
    pub(crate) length: Unit,
    pub(crate) time: Unit,
    pub(crate) mass: Unit,
    pub(crate) angle: Unit,
}

impl Units {
    pub(crate) fn read(value: Option<Value<'_>>) -> Result<Self> {
        Self::of_keys(value, &["length", "time", "mass"])
    }

    /// The units of a file in which there are angles.
    pub(crate) fn with_angles(value: Option<Value<'_>>) -> Result<Self> {
        Self::of_keys(value, &["length", "time", "mass", "angle"])
    }

    fn of_keys(value: Option<Value<'_>>, known: &[&str]) -> Result<Self> {
        let mut units = Self { length: Unit::ONE, time: Unit::ONE, mass: Unit::ONE, angle: Unit::ONE };
        let Some(value) = value else { return Ok(units) };
        let fields = value.fields(known)?;
        for (name, unit, choices) in [
            ("length", &mut units.length, &LENGTHS[..]),
            ("time", &mut units.time, &TIMES[..]),
            ("mass", &mut units.mass, &MASSES[..]),
            ("angle", &mut units.angle, &ANGLES[..]),
        ] {
            if let Some(value) = fields.get(name) {
                *unit = value.choice(choices)?;
            }
        }
        Ok(units)
    }

    pub(crate) fn velocity(&self) -> Unit {
        self.length.per(self.time)
    }

    pub(crate) fn acceleration(&self) -> Unit {
        self.velocity().per(self.time)
    }

    pub(crate) fn energy(&self) -> Unit {
        self.mass.by(self.velocity()).by(self.velocity())
    }

    pub(crate) fn angular_velocity(&self) -> Unit {
        self.angle.per(self.time)
    }

    /// The unit of moments of inertia.
    pub(crate) fn moment(&self) -> Unit {
        self.mass.by(self.length).by(self.length)
    }

    /// The unit of mass per area.
    pub(crate) fn area_density(&self) -> Unit {
        self.mass.per(self.length).per(self.length)
    }

    /// The unit of drag and of frequencies.
    pub(crate) fn rate(&self) -> Unit {
        Unit::ONE.per(self.time)
    }

    /// The unit of the gravitational constant.
    pub(crate) fn attraction(&self) -> Unit {
        self.length.by(self.length).by(self.acceleration()).per(self.mass)
    }

    /// The unit of a number density in `dim` dimensions.
    pub(crate) fn density(&self, dim: usize) -> Unit {
        (0..dim).fold(Unit::ONE, |unit, _| unit.per(self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_come_out_in_si_units() {
        let units = Units {
            length: Unit::over(1e2),
            time: Unit::over(1e3),
            mass: Unit::over(1e3),
            angle: ANGLES[1].1,
        };
        assert_eq!(units.length.si(30.5), 0.305);
        assert_eq!(units.velocity().si(3.0), 30.0);
        assert_eq!(units.acceleration().si(1.0), 1e4);
        assert_eq!(units.energy().si(2.0), 0.2);
        assert_eq!(units.density(2).si(1.0), 1e4);
        assert_eq!(units.density(1).si(1.0), 100.0);
        assert_eq!(units.rate().si(2.0), 2000.0);
        assert_eq!(units.area_density().si(1.0), 10.0);
        assert_eq!(units.moment().si(1.0), 1e-7);
        assert_eq!(units.angle.si(180.0), std::f64::consts::PI);
        assert!((units.angular_velocity().si(0.18) - std::f64::consts::PI).abs() < 1e-15);
        assert_eq!(units.attraction().si(1.0), 1e-4 * 1e4 * 1e3);
    }
}
