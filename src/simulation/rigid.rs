//! Spaces of rigid bodies as simulations: one, or many at once.

use std::io::Write;
use std::time::Duration;

use super::clock::{process_time, thread_time};
use super::{Limit, Matter, Observer, Quantity, Simulation, State, Stop, Surroundings, Totals};
use crate::error::{Error, Result};
use crate::geometry::Vec2;
use crate::rigid2d::{BodyKind, Space, SpaceFormat, Spaces};
use crate::soa::Context;

/// A time that is missed by less than this share of a step counts as reached.
const SLACK: f64 = 1e-6;

/// A [`Space`] that advances in equal time steps.
///
/// A [`Limit`] of time does not shorten a step: the space stops at the end of the step that reaches it. So a run that was
/// interrupted goes through the same states.
#[derive(Debug)]
pub struct Rigid {
    space: Space,
    dt: f64,
    taken: u64,
    elapsed: Duration,
    format: SpaceFormat,
}

impl Rigid {
    /// Steps of `dt` seconds, above 0.
    pub fn new(space: Space, dt: f64) -> Result<Self> {
        check_step(dt)?;
        Ok(Self { space, dt, taken: 0, elapsed: Duration::ZERO, format: SpaceFormat::Snapshot })
    }

    /// The same, but saved in this format; the default is [`SpaceFormat::Snapshot`].
    #[must_use]
    pub fn saved_as(self, format: SpaceFormat) -> Self {
        Self { format, ..self }
    }

    /// Length of a step, in seconds.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The space.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }
}

fn check_step(dt: f64) -> Result<()> {
    if dt > 0.0 && dt.is_finite() {
        return Ok(());
    }
    Err(Error::OutOfRange { field: "dt", value: dt, expected: "more than 0" })
}

/// The time of a space that has taken steps of `dt`, in seconds: the multiple that their sum stands for.
fn time_of(sum: f64, dt: f64) -> f64 {
    let steps = (sum / dt).round();
    if (sum / dt - steps).abs() < SLACK { steps * dt } else { sum }
}

/// Takes steps up to the limit. `step` takes one and returns the time after it.
fn advance(
    limit: Limit,
    dt: f64,
    mut time: f64,
    observer: &mut dyn Observer,
    mut step: impl FnMut() -> Result<f64>,
) -> Result<Stop> {
    if limit.time.is_nan() {
        return Err(Error::NotFinite { field: "time", index: 0, value: limit.time });
    }
    while time + SLACK * dt < limit.time {
        time = step()?;
        if observer.step(time).is_break() {
            return Ok(Stop::Observer);
        }
    }
    Ok(Stop::Time)
}

impl Simulation for Rigid {
    fn dim(&self) -> usize {
        2
    }

    fn time(&self) -> f64 {
        time_of(self.space.time(), self.dt)
    }

    fn particle_count(&self) -> usize {
        self.space.bodies().filter(|body| body.kind() != BodyKind::Static).count()
    }

    fn advance(&mut self, limit: Limit, observer: &mut dyn Observer) -> Result<Stop> {
        let (dt, time) = (self.dt, self.time());
        advance(limit, dt, time, observer, || {
            let start = thread_time();
            self.space.step(dt)?;
            self.elapsed += thread_time().saturating_sub(start);
            self.taken += 1;
            Ok(self.time())
        })
    }

    fn state(&mut self) -> State<'_> {
        State {
            time: self.time(),
            totals: totals(&self.space),
            surroundings: surroundings(&self.space),
            matter: Matter::Bodies(&self.space),
        }
    }

    fn quantities(&self) -> Vec<Quantity> {
        let mut sums = Sums::default();
        sums.add(&self.space);
        let hashes = [self.space.state_hash(), self.space.state_hash()];
        sums.quantities(1, self.taken, self.elapsed, hashes)
    }

    fn extension(&self) -> &'static str {
        self.format.extension()
    }

    fn save(&self, out: &mut dyn Write) -> Result<()> {
        self.space.save_as(self.format, out)
    }
}

/// Makes the space of a number as it is at first.
pub type Prototype = Box<dyn Fn(usize) -> Result<Space>>;

/// Many [`Spaces`] that advance together in equal time steps.
///
/// Its state is that of the first space; its quantities are sums over all of them.
pub struct RigidBatch {
    spaces: Spaces,
    prototype: Prototype,
    first: Space,
    start: f64,
    dt: f64,
    elapsed: Duration,
    is_serial: bool,
}

impl std::fmt::Debug for RigidBatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RigidBatch")
            .field("spaces", &self.spaces)
            .field("dt", &self.dt)
            .finish_non_exhaustive()
    }
}

impl RigidBatch {
    /// This many spaces in steps of `dt` seconds. Space `k` is what `prototype` makes of `k`, which is asked again at the end
    /// and must then make the same.
    pub fn new(prototype: Prototype, count: usize, dt: f64, context: Context) -> Result<Self> {
        let made = (0..count).map(&prototype).collect::<Result<Vec<Space>>>()?;
        let numbers: Vec<u32> = (0..count as u32).collect();
        let spaces = Spaces::from_prototypes(&made.iter().collect::<Vec<_>>(), &numbers)?;
        Self::of(spaces, prototype, dt, context)
    }

    /// This many copies of a space in steps of `dt` seconds.
    pub fn copies(space: Space, count: usize, dt: f64, context: Context) -> Result<Self> {
        let spaces = Spaces::new(&space, count)?;
        Self::of(spaces, Box::new(move |_| Ok(space.without_callbacks())), dt, context)
    }

    fn of(mut spaces: Spaces, prototype: Prototype, dt: f64, context: Context) -> Result<Self> {
        check_step(dt)?;
        let is_serial = context.threads() == 1;
        spaces.set_context(context);
        let first = prototype(0)?;
        let start = first.time();
        Ok(Self { spaces, prototype, first, start, dt, elapsed: Duration::ZERO, is_serial })
    }

    /// A space as it is now.
    fn space(&self, number: usize) -> Result<Space> {
        self.spaces.space(number, &(self.prototype)(number)?)
    }
}

impl Simulation for RigidBatch {
    fn dim(&self) -> usize {
        2
    }

    fn time(&self) -> f64 {
        time_of(self.start + self.spaces.time(), self.dt)
    }

    fn particle_count(&self) -> usize {
        self.spaces.len() * self.spaces.bodies_per_space()
    }

    fn advance(&mut self, limit: Limit, observer: &mut dyn Observer) -> Result<Stop> {
        let (dt, time) = (self.dt, self.time());
        let clock = if self.is_serial { thread_time } else { process_time };
        advance(limit, dt, time, observer, || {
            let start = clock();
            self.spaces.step(dt)?;
            self.elapsed += clock().saturating_sub(start);
            Ok(self.time())
        })
    }

    fn state(&mut self) -> State<'_> {
        if let Ok(first) = self.space(0) {
            self.first = first;
        }
        State {
            time: self.time(),
            totals: totals(&self.first),
            surroundings: surroundings(&self.first),
            matter: Matter::Bodies(&self.first),
        }
    }

    fn quantities(&self) -> Vec<Quantity> {
        let mut sums = Sums::default();
        (0..self.spaces.len())
            .filter_map(|number| self.space(number).ok())
            .for_each(|space| sums.add(&space));
        let hashes = [self.spaces.state_hash(0).unwrap_or(0), self.spaces.batch_hash()];
        sums.quantities(self.spaces.len(), self.spaces.step_count(), self.elapsed, hashes)
    }

    fn extension(&self) -> &'static str {
        SpaceFormat::Snapshot.extension()
    }

    /// Writes the first space.
    fn save(&self, out: &mut dyn Write) -> Result<()> {
        self.space(0)?.save_as(SpaceFormat::Snapshot, out)
    }
}

fn totals(space: &Space) -> Totals {
    Totals {
        kinetic_energy: space.kinetic_energy(),
        potential_energy: Some(space.potential_energy()),
        momentum: <[f64; 2]>::from(space.momentum()).to_vec(),
        collisions: 0,
        wall_collisions: 0,
    }
}

fn surroundings(space: &Space) -> Surroundings {
    Surroundings { extents: vec![None; 2], down_gravity: -space.settings().gravity.y }
}

/// Sums over all spaces.
#[derive(Default)]
struct Sums {
    bodies: usize,
    contacts: usize,
    max_penetration: f64,
    kinetic_energy: f64,
    momentum: Vec2,
    angular_momentum: f64,
    asleep: usize,
}

impl Sums {
    fn add(&mut self, space: &Space) {
        self.bodies += space.bodies().filter(|body| body.kind() == BodyKind::Dynamic).count();
        self.contacts += space.contact_count();
        self.max_penetration = self.max_penetration.max(space.max_penetration());
        self.kinetic_energy += space.kinetic_energy();
        self.momentum += space.momentum();
        self.angular_momentum += space.angular_momentum();
        self.asleep += space.asleep_count();
    }

    fn quantities(
        &self,
        spaces: usize,
        steps: u64,
        elapsed: Duration,
        [state, batch]: [u64; 2],
    ) -> Vec<Quantity> {
        let milliseconds = 1e3 * elapsed.as_secs_f64();
        let per_step = (steps > 0).then(|| milliseconds / steps as f64);
        vec![
            Quantity::count("bodies", self.bodies as u64),
            Quantity::count("spaces", spaces as u64),
            Quantity::count("steps", steps),
            Quantity::count("contacts", self.contacts as u64),
            Quantity::number("max_penetration", self.max_penetration, "m"),
            Quantity::number("kinetic_energy", self.kinetic_energy, "J"),
            Quantity::vector("momentum", &<[f64; 2]>::from(self.momentum), "kg m/s"),
            Quantity::number("angular_momentum", self.angular_momentum, "kg m^2/s"),
            Quantity::count("asleep", self.asleep as u64),
            Quantity::number("ms_per_step", per_step, "ms"),
            Quantity::text("state_hash", format!("{state:016x}")),
            Quantity::text("batch_hash", format!("{batch:016x}")),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rigid2d::scenes::{Parameters, Scene};
    use crate::simulation::{Impact, Value};
    use std::ops::ControlFlow;

    fn scene(seed: u64) -> Scene {
        Scene::named("bin", &Parameters::default().with_bodies(12).with_seed(Some(seed))).unwrap()
    }

    fn go(simulation: &mut dyn Simulation, until: f64) -> Stop {
        let mut watch = |_: &Impact<'_>| ControlFlow::Continue(());
        simulation.advance(Limit::until(until), &mut watch).unwrap()
    }

    fn text(simulation: &dyn Simulation, name: &str) -> Value {
        let found = simulation.quantities().into_iter().find(|quantity| quantity.name == name);
        found.unwrap().value
    }

    #[test]
    fn steps_are_equal_and_times_are_multiples() {
        let mut rigid = Rigid::new(scene(1).space().unwrap(), 1.0 / 60.0).unwrap();
        assert_eq!(go(&mut rigid, 0.5), Stop::Time);
        assert_eq!((rigid.time(), text(&rigid, "steps")), (0.5, Value::Count(30)));
        assert_eq!(go(&mut rigid, 0.501), Stop::Time);
        assert_eq!((rigid.time(), text(&rigid, "steps")), (31.0 * (1.0 / 60.0), Value::Count(31)));
        go(&mut rigid, 5.0);
        assert_eq!((rigid.time(), rigid.state().time), (5.0, 5.0));
        assert!(Rigid::new(scene(1).space().unwrap(), 0.0).is_err());
    }

    #[test]
    fn a_batch_has_the_same_bits_as_its_spaces_alone() {
        let prototype = || -> Prototype { Box::new(|k| scene(3 + k as u64).space()) };
        let batch = |threads| {
            let context = Context::with_threads(threads).unwrap();
            let mut batch = RigidBatch::new(prototype(), 5, 1.0 / 60.0, context).unwrap();
            go(&mut batch, 1.0);
            batch
        };
        let (one, two) = (batch(1), batch(2));
        assert_eq!(text(&one, "batch_hash"), text(&two, "batch_hash"));
        assert_eq!(text(&one, "bodies"), Value::Count(60));
        let mut energy = 0.0;
        for k in 0..5 {
            let mut alone = Rigid::new(prototype()(k).unwrap(), 1.0 / 60.0).unwrap();
            go(&mut alone, 1.0);
            let in_batch = one.space(k).unwrap();
            assert_eq!(in_batch.state_hash(), alone.space.state_hash(), "space {k}");
            assert_eq!(in_batch.max_penetration(), alone.space.max_penetration());
            assert_eq!((in_batch.time(), in_batch.step_count()), (alone.space.time(), 60));
            energy += alone.space.kinetic_energy();
            if k == 0 {
                assert_eq!(text(&one, "state_hash"), text(&alone, "state_hash"));
            }
        }
        assert_eq!(text(&one, "kinetic_energy"), Value::Number(Some(energy)));
    }
}
