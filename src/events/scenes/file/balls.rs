//! The balls of a scene file: one by one under `[[ball]]`, many at once under `[[balls]]`.

use super::computable;
use crate::document::units::Units;
use crate::document::{Fields, Value};
use crate::error::{Error, Result};
use crate::events::Boundary;
use crate::events::scenes::BoxAxis;
use crate::events::scenes::lattice::{self, Region};
use crate::events::scenes::random_places::PlacedBalls;
use crate::events::scenes::velocities::Velocities;
use crate::particles::{Particle, Particles};
use crate::random::{Purpose, Random};

pub(super) const BALL: [&str; 6] = ["position", "velocity", "radius", "mass", "fixed", "data"];
pub(super) const BALLS: [&str; 8] =
    ["count", "radius", "mass", "placement", "lower", "upper", "velocity", "fixed"];
pub(super) const VELOCITIES: [&str; 3] = ["uniform", "equal", "maxwell"];

/// A ball may extend beyond the box by this fraction of its radius, as rounding.
const ROUNDING: f64 = 1e-9;

#[derive(Debug, Clone, Copy)]
enum Placement {
    Uniform,
    Lattice,
}

/// The balls of a file, some of them still without positions.
pub(super) struct Balls<'a> {
    dim: usize,
    single: Vec<Particle>,
    groups: Vec<Group<'a>>,
}

/// Many equal balls.
struct Group<'a> {
    fields: Fields<'a>,
    count: usize,
    radius: f64,
    mass: f64,
    fixed: bool,
    placement: Placement,
    region: Region,
    velocities: Velocities,
}

impl<'a> Balls<'a> {
    pub(super) fn read(fields: &Fields<'a>, enclosure: &[BoxAxis], units: &Units) -> Result<Self> {
        let single = fields.tables("ball", &BALL)?;
        let groups = fields.tables("balls", &BALLS)?;
        Ok(Self {
            dim: enclosure.len(),
            single: single.iter().map(|ball| read_ball(ball, enclosure, units)).collect::<Result<_>>()?,
            groups: groups
                .into_iter()
                .map(|group| Group::read(group, enclosure, units))
                .collect::<Result<_>>()?,
        })
    }

    /// Draws the positions and velocities that are random.
    pub(super) fn place(self, enclosure: &[BoxAxis], seed: u64) -> Result<Particles> {
        let mut particles = Particles::new(self.dim)?;
        particles.add_many(&self.single)?;
        let mut placed_balls = self.placed_balls(enclosure);
        let mut places = Random::new(seed, Purpose::Places);
        let mut velocities = Random::new(seed, Purpose::Velocities);
        for group in &self.groups {
            let found = group.places(&mut placed_balls, &mut places)?;
            let drawn = group.velocities.draw(&vec![group.mass; group.count], self.dim, &mut velocities);
            let balls: Vec<Particle> = found
                .iter()
                .zip(&drawn)
                .map(|(place, velocity)| group.ball(place, velocity, self.dim))
                .collect();
            particles.add_many(&balls)?;
        }
        Ok(particles)
    }

    /// The balls with given positions.
    fn placed_balls(&self, enclosure: &[BoxAxis]) -> PlacedBalls {
        let mut periodic = [None; 3];
        for (ends, axis) in periodic.iter_mut().zip(enclosure) {
            *ends = (axis.boundary == Boundary::Periodic).then_some([axis.lower, axis.upper]);
        }
        let of_single = self.single.iter().map(radius_of);
        let largest = of_single.chain(self.groups.iter().map(|group| group.radius)).fold(0.0, f64::max);
        let mut placed_balls = PlacedBalls::new(self.dim, periodic, largest);
        for ball in &self.single {
            let mut place = [0.0; 3];
            place[..self.dim].copy_from_slice(&ball.position);
            placed_balls.add(place, radius_of(ball));
        }
        placed_balls
    }
}

fn radius_of(ball: &Particle) -> f64 {
    0.5 * ball.shape.axes[0]
}

fn read_ball(fields: &Fields<'_>, enclosure: &[BoxAxis], units: &Units) -> Result<Particle> {
    let dim = enclosure.len();
    let position = fields.need("position")?;
    let place = computable(&position, units.length.si_vector(position.vector(dim)?))?;
    let radius = read_radius(fields, units)?;
    let mass = units.mass.si(fields.need("mass")?.non_negative()?);
    check_inside(&position, &place, radius, enclosure)?;
    let mut ball = Particle::sphere(&place[..dim], radius).with_mass(mass);
    if let Some(velocity) = fields.get("velocity") {
        ball.velocity =
            computable(&velocity, units.velocity().si_vector(velocity.vector(dim)?))?[..dim].to_vec();
        if is_fixed(fields)? && ball.velocity.iter().any(|&component| component != 0.0) {
            return Err(velocity.error("must be 0: the ball is fixed"));
        }
    }
    ball.fixed = is_fixed(fields)?;
    ball.data = fields.get("data").map_or(Ok(0), |data| data.count(0))?;
    Ok(ball)
}

fn read_radius(fields: &Fields<'_>, units: &Units) -> Result<f64> {
    let radius = fields.need("radius")?;
    let [metres] = computable(&radius, [units.length.si(radius.positive()?)])?;
    Ok(metres)
}

fn is_fixed(fields: &Fields<'_>) -> Result<bool> {
    fields.get("fixed").map_or(Ok(false), |fixed| fixed.boolean())
}

fn check_inside(position: &Value<'_>, place: &[f64; 3], radius: f64, enclosure: &[BoxAxis]) -> Result<()> {
    for (number, (axis, &x)) in enclosure.iter().zip(place).enumerate() {
        let body = match axis.boundary {
            Boundary::Open => continue,
            Boundary::Reflecting => radius * (1.0 - ROUNDING),
            Boundary::Periodic => -radius * ROUNDING,
        };
        if x - body < axis.lower || x + body > axis.upper {
            let part = if axis.boundary == Boundary::Periodic { "the centre" } else { "the ball" };
            return Err(position.error(format!(
                "is outside of the box: along axis {number} {part} must be between {} m and {} m",
                axis.lower, axis.upper
            )));
        }
    }
    Ok(())
}

impl<'a> Group<'a> {
    fn read(fields: Fields<'a>, enclosure: &[BoxAxis], units: &Units) -> Result<Self> {
        let dim = enclosure.len();
        let mass = fields.need("mass")?;
        let choices = [("uniform", Placement::Uniform), ("lattice", Placement::Lattice)];
        let velocities = match fields.get("velocity") {
            Some(velocity) => read_velocities(velocity, dim, mass.number()?, units)?,
            None => Velocities::Constant([0.0; 3]),
        };
        let fixed = is_fixed(&fields)?;
        if fixed && velocities != Velocities::Constant([0.0; 3]) {
            return Err(fields.need("velocity")?.error("must be 0: the balls are fixed"));
        }
        Ok(Self {
            count: super::ball_count(&fields.need("count")?)?,
            radius: read_radius(&fields, units)?,
            mass: units.mass.si(mass.non_negative()?),
            fixed,
            placement: fields.need("placement")?.choice(&choices)?,
            region: read_region(&fields, enclosure, units)?,
            velocities,
            fields,
        })
    }

    fn places(&self, placed_balls: &mut PlacedBalls, random: &mut Random) -> Result<Vec<[f64; 3]>> {
        match self.placement {
            Placement::Uniform => (0..self.count)
                .map(|n| {
                    placed_balls
                        .place_randomly(&self.region, self.radius, random)
                        .ok_or_else(|| self.no_space(n))
                })
                .collect(),
            Placement::Lattice => {
                let places =
                    lattice::sites(&self.region, self.count, self.radius).ok_or_else(|| self.no_space(0))?;
                places.iter().for_each(|place| placed_balls.add(*place, self.radius));
                Ok(places)
            }
        }
    }

    fn no_space(&self, placed: usize) -> Error {
        let hint = match self.placement {
            Placement::Uniform => format!(
                "free positions were found for only {placed} of them; fewer or smaller balls, a larger region, or \
                 placement = \"lattice\" would help"
            ),
            Placement::Lattice => "on a lattice in this region they would overlap".into(),
        };
        match self.fields.get("count") {
            Some(count) => count.error(format!("is too large: {hint}")),
            None => self.fields.error(hint),
        }
    }

    fn ball(&self, place: &[f64; 3], velocity: &[f64; 3], dim: usize) -> Particle {
        let ball =
            Particle::sphere(&place[..dim], self.radius).with_mass(self.mass).with_velocity(&velocity[..dim]);
        Particle { fixed: self.fixed, ..ball }
    }
}

fn read_velocities(value: Value<'_>, dim: usize, mass: f64, units: &Units) -> Result<Velocities> {
    if !value.is_table() {
        return Ok(Velocities::Constant(computable(&value, units.velocity().si_vector(value.vector(dim)?))?));
    }
    let fields = value.fields(&VELOCITIES)?;
    let velocity = |value: Value<'_>| -> Result<f64> {
        let [velocity] = computable(&value, [units.velocity().si(value.non_negative()?)])?;
        Ok(velocity)
    };
    match (fields.get("uniform"), fields.get("equal"), fields.get("maxwell")) {
        (Some(bound), None, None) => Ok(Velocities::Uniform(velocity(bound)?)),
        (None, Some(length), None) => Ok(Velocities::Equal(velocity(length)?)),
        (None, None, Some(temperature)) if mass > 0.0 => {
            Ok(Velocities::Maxwell(units.energy().si(temperature.non_negative()?)))
        }
        (None, None, Some(temperature)) => Err(temperature.error("needs balls with a mass above 0")),
        _ => Err(fields.error("velocity needs exactly one of uniform, equal and maxwell".into())),
    }
}

/// The region of a group: the box, or the part of it between `lower` and `upper`.
fn read_region(fields: &Fields<'_>, enclosure: &[BoxAxis], units: &Units) -> Result<Region> {
    let dim = enclosure.len();
    let mut region = Region { lower: [0.0; 3], upper: [0.0; 3], walled: [true; 3], dim };
    let corner = |name: &str| -> Result<Option<[f64; 3]>> {
        let read = |value: Value<'_>| computable(&value, units.length.si_vector(value.vector(dim)?));
        fields.get(name).map(read).transpose()
    };
    let (lower, upper) = (corner("lower")?, corner("upper")?);
    for (number, axis) in enclosure.iter().enumerate() {
        let open = axis.boundary == Boundary::Open;
        if open && (lower.is_none() || upper.is_none()) {
            let detail = format!("balls need lower and upper: the box is open along axis {number}");
            return Err(fields.error(detail));
        }
        region.lower[number] = lower.map_or(axis.lower, |corner| corner[number]);
        region.upper[number] = upper.map_or(axis.upper, |corner| corner[number]);
        if !open && region.lower[number] < axis.lower {
            return Err(fields.need("lower")?.error(format!("is outside of the box along axis {number}")));
        }
        if !open && region.upper[number] > axis.upper {
            return Err(fields.need("upper")?.error(format!("is outside of the box along axis {number}")));
        }
        if region.lower[number] >= region.upper[number] {
            let bad = fields.get("upper").map_or_else(|| fields.need("lower"), Ok)?;
            return Err(bad.error(format!("leaves no room along axis {number}")));
        }
        let whole = region.lower[number] == axis.lower && region.upper[number] == axis.upper;
        region.walled[number] = !(axis.boundary == Boundary::Periodic && whole);
    }
    Ok(region)
}
