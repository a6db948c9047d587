//! A world in time steps as a simulation.

use std::io::Write;
use std::ops::ControlFlow;

use super::step_times::{SLACK, StepTimes};
use super::{Impact, Limit, Matter, Observer, Quantity, Simulation, State, Stop, Surroundings, Totals};
use crate::error::{Error, Result};
use crate::events::EventKind;
use crate::io::{self, Format};
use crate::world::{Collision, World};

/// Collisions within a step from one call of [`Observer::within_step`] to the next.
const ASK_EVERY: u64 = 256;

/// A [`World`] that advances in time steps of one length, up to an end at which it arrives exactly.
///
/// Step ends are multiples of the step, so that a run that was interrupted goes through the same times. A
/// [`Limit`] of time does not shorten a step: the world stops at the end of the step that reaches it. At its end it is
/// [`Idle`](Stop::Idle).
#[derive(Debug, Clone)]
pub struct Stepped {
    world: World,
    steps: StepTimes,
    /// Steps taken.
    taken: u64,
    /// Whether the next one was stopped on its way.
    is_within_step: bool,
    collisions: u64,
    ignores_collisions: bool,
    format: Format,
    at_start: Totals,
}

impl Stepped {
    /// Steps of `dt` seconds, above 0, from the time of the world to the time `until`, in seconds; the last one may be
    /// shorter.
    ///
    /// It fails if `until` is before the time of the world, and if there are more than 10^15 steps.
    pub fn new(world: World, dt: f64, until: f64) -> Result<Self> {
        let steps = StepTimes::new(world.time(), until, dt)?;
        let at_start = totals(&world, 0);
        Ok(Self {
            world,
            steps,
            taken: 0,
            is_within_step: false,
            collisions: 0,
            ignores_collisions: false,
            format: Format::Json,
            at_start,
        })
    }

    /// The same, but particles pass through each other.
    #[must_use]
    pub fn ignoring_collisions(self, ignores_collisions: bool) -> Self {
        Self { ignores_collisions, ..self }
    }

    /// The same, but saved in this format; the default is [`Format::Json`].
    #[must_use]
    pub fn saved_as(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// Length of a step, in seconds.
    #[must_use]
    pub fn dt(&self) -> f64 {
        self.steps.dt
    }

    /// Whether particles pass through each other.
    #[must_use]
    pub fn ignores_collisions(&self) -> bool {
        self.ignores_collisions
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Takes one step and shows its collisions to the observer.
    fn step(&mut self, observer: &mut dyn Observer) -> Result<ControlFlow<()>> {
        let (number, mut flow) = (self.taken + 1, ControlFlow::Continue(()));
        let dt = self.next_length(number);
        if self.ignores_collisions {
            self.world.next(dt)?;
        } else {
            let mut time = self.world.time();
            let step = self.world.step_stoppable(dt, &mut |hit| {
                if let Some(hit) = hit {
                    self.collisions += 1;
                    time = hit.time;
                    let shown = observer.impact(&impact(hit));
                    flow = if shown.is_break() { shown } else { flow };
                }
                let asks = hit.is_none() || self.collisions.is_multiple_of(ASK_EVERY);
                if asks { observer.within_step(time) } else { ControlFlow::Continue(()) }
            })?;
            self.is_within_step = !step.is_complete;
            if self.is_within_step {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.world.set_time(self.steps.end(number))?;
        self.taken = number;
        Ok(flow)
    }

    /// Length of the next step, in seconds: of the rest of it, if it has been stopped.
    fn next_length(&self, number: u64) -> f64 {
        match self.is_within_step {
            true => (self.steps.end(number) - self.world.time()).max(0.0),
            false => self.steps.length(number),
        }
    }

    /// Whether a limit of time is reached; `None` if it never will be.
    fn has_reached(&self, time: f64) -> Option<bool> {
        if self.taken == self.steps.count() {
            return (time <= self.steps.until).then_some(true);
        }
        let slack = SLACK * self.steps.length(self.taken + 1);
        Some(time < self.steps.until && self.world.time() + slack >= time)
    }
}

impl Simulation for Stepped {
    fn dim(&self) -> usize {
        self.world.particles().dim()
    }

    fn time(&self) -> f64 {
        self.world.time()
    }

    fn particle_count(&self) -> usize {
        self.world.particles().len()
    }

    fn advance(&mut self, limit: Limit, observer: &mut dyn Observer) -> Result<Stop> {
        if limit.time.is_nan() {
            return Err(Error::NotFinite { field: "time", index: 0, value: limit.time });
        }
        let last = self.collisions.saturating_add(limit.collisions);
        loop {
            match self.has_reached(limit.time) {
                None => return Ok(Stop::Idle),
                Some(true) => return Ok(Stop::Time),
                Some(false) if self.collisions >= last => return Ok(Stop::Collisions),
                Some(false) => {}
            }
            let flow = self.step(observer)?;
            if self.is_within_step || observer.step(self.world.time()).is_break() || flow.is_break() {
                return Ok(Stop::Observer);
            }
        }
    }

    fn state(&mut self) -> State<'_> {
        State {
            time: self.world.time(),
            matter: Matter::Particles(self.world.particles()),
            totals: totals(&self.world, self.collisions),
            surroundings: Surroundings {
                extents: vec![None; self.dim()],
                down_gravity: self.world.settings().down_gravity,
            },
        }
    }

    fn quantities(&self) -> Vec<Quantity> {
        let now = totals(&self.world, self.collisions);
        vec![
            Quantity::number("energy_drift", energy_drift(&self.at_start, &now), ""),
            Quantity::number("momentum_drift", momentum_drift(&self.at_start, &now), ""),
            Quantity::count("steps", self.taken),
            Quantity::text("state_hash", format!("{:016x}", self.world.particles().state_hash())),
        ]
    }

    fn extension(&self) -> &'static str {
        self.format.extension()
    }

    fn save(&self, out: &mut dyn Write) -> Result<()> {
        io::write(&self.world, self.format, out)
    }
}

fn impact<'a>(hit: &Collision<'a>) -> Impact<'a> {
    Impact {
        time: hit.time,
        kind: EventKind::Collision,
        first: hit.first,
        second: hit.second,
        impulse: hit.impulse,
        normal: hit.normal,
    }
}

fn totals(world: &World, collisions: u64) -> Totals {
    Totals {
        kinetic_energy: world.kinetic_energy(),
        potential_energy: world.potential_energy(),
        momentum: world.momentum(),
        collisions,
        wall_collisions: 0,
    }
}

/// Change of the total energy over its value at the start; in joules if that is 0.
fn energy_drift(start: &Totals, now: &Totals) -> Option<f64> {
    let (start, now) = (start.total_energy()?, now.total_energy()?);
    Some(relative((now - start).abs(), start.abs()))
}

/// Change of the momentum over its value at the start; in newton seconds if that is 0.
fn momentum_drift(start: &Totals, now: &Totals) -> f64 {
    let change = now.momentum.iter().zip(&start.momentum).map(|(now, start)| now - start);
    relative(norm(change), norm(start.momentum.iter().copied()))
}

fn relative(change: f64, base: f64) -> f64 {
    if base == 0.0 { change } else { change / base }
}

fn norm(components: impl Iterator<Item = f64>) -> f64 {
    components.map(|x| x * x).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::particles::Particle;

    /// A ball between two others that come together: it collides some thousand times from 0.9 s on.
    fn pinched() -> World {
        let mut world = World::new(1).unwrap();
        let ball = |x: f64, m: f64, v: f64| Particle::sphere(&[x], 0.5).with_mass(m).with_velocity(&[v]);
        let balls = [ball(0.0, 1e7, 1.0), ball(2.0, 1.0, 0.0), ball(4.0, 1e7, -1.0)];
        world.particles_mut().add_many(&balls).unwrap();
        world.set_settings(world.settings().with_max_collisions(100_000)).unwrap();
        world
    }

    /// Two balls that collide at 1 s.
    fn head_on() -> World {
        let mut world = World::new(1).unwrap();
        let ball = |x: f64, v: f64| Particle::sphere(&[x], 0.5).with_mass(1.0).with_velocity(&[v]);
        world.particles_mut().add_many(&[ball(0.0, 1.0), ball(3.0, -1.0)]).unwrap();
        world
    }

    #[test]
    fn a_limit_of_time_completes_the_step_and_the_end_is_exact() {
        let mut stepped = Stepped::new(head_on(), 0.3, 2.0).unwrap();
        let mut times = Vec::new();
        let observer = &mut |impact: &Impact<'_>| {
            times.push(impact.time);
            ControlFlow::Continue(())
        };
        assert_eq!(stepped.advance(Limit::until(0.5), observer), Ok(Stop::Time));
        assert_eq!(stepped.time(), 0.6);
        assert_eq!(stepped.advance(Limit::until(0.6), observer), Ok(Stop::Time));
        assert_eq!(stepped.time(), 0.6);
        assert_eq!(stepped.advance(Limit { time: 2.0, collisions: 1 }, observer), Ok(Stop::Collisions));
        assert_eq!(stepped.time(), 1.2);
        assert_eq!(stepped.advance(Limit::until(2.0), observer), Ok(Stop::Time));
        assert_eq!(stepped.time(), 2.0);
        assert_eq!(stepped.advance(Limit::until(2.1), observer), Ok(Stop::Idle));
        assert_eq!(times.len(), 1);
        assert_eq!(stepped.quantities()[2], Quantity::count("steps", 7));
    }

    #[test]
    fn a_step_longer_than_the_run_by_far_ends_with_it() {
        let mut stepped = Stepped::new(head_on(), 1e12, 2.0).unwrap();
        let go_on = &mut |_: &Impact<'_>| ControlFlow::Continue(());
        assert_eq!(stepped.advance(Limit::until(0.5), go_on), Ok(Stop::Time));
        assert_eq!((stepped.time(), stepped.state().totals.collisions), (2.0, 1));
    }

    /// Breaks within a step as soon as it is asked, and keeps the times of impacts.
    #[derive(Default)]
    struct StopWithin(Vec<f64>);

    impl Observer for StopWithin {
        fn impact(&mut self, impact: &Impact<'_>) -> ControlFlow<()> {
            self.0.push(impact.time);
            ControlFlow::Continue(())
        }

        fn within_step(&mut self, _: f64) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }

    #[test]
    fn a_step_that_is_stopped_goes_on_to_its_own_end() {
        let mut stepped = Stepped::new(pinched(), 0.75, 3.0).unwrap();
        let mut seen = StopWithin::default();
        assert_eq!(stepped.advance(Limit::NONE, &mut seen), Ok(Stop::Observer));
        assert_eq!(seen.0.len() as u64, ASK_EVERY);
        assert_eq!(Some(&stepped.time()), seen.0.last(), "the time of the last collision");
        assert!(stepped.time() > 0.75 && stepped.time() < 1.5);
        let mut count = ASK_EVERY;
        let go_on = &mut |_: &Impact<'_>| {
            count += 1;
            ControlFlow::Continue(())
        };
        assert_eq!(stepped.advance(Limit::until(1.1), go_on), Ok(Stop::Time));
        assert_eq!(stepped.time(), 1.5, "the end of the step");
        assert_eq!(stepped.advance(Limit::until(3.0), go_on), Ok(Stop::Time));
        assert_eq!(stepped.quantities()[2], Quantity::count("steps", 4));
        // Momentum 0 and an energy of 1e7 J: both are as good as in a run without the stop.
        let totals = stepped.state().totals;
        assert!(totals.momentum[0].abs() < 1e-2 && (totals.kinetic_energy / 1e7 - 1.0).abs() < 1e-9);
        let mut whole = Stepped::new(pinched(), 0.75, 3.0).unwrap();
        assert_eq!(
            whole.advance(Limit::until(3.0), &mut |_: &Impact<'_>| ControlFlow::Continue(())),
            Ok(Stop::Time)
        );
        let expected = whole.state().totals.collisions;
        assert!(count.abs_diff(expected) < 8, "{count} collisions, {expected} without the stop");
    }

    #[test]
    fn an_observer_stops_after_the_step() {
        let mut stepped = Stepped::new(head_on(), 0.3, 2.0).unwrap();
        let stop = stepped.advance(Limit::NONE, &mut |_: &Impact<'_>| ControlFlow::Break(()));
        assert_eq!((stop, stepped.time()), (Ok(Stop::Observer), 1.2));
        let mut through = Stepped::new(head_on(), 0.3, 2.0).unwrap().ignoring_collisions(true);
        let stop = through.advance(Limit::until(2.0), &mut |_: &Impact<'_>| ControlFlow::Break(()));
        assert_eq!((stop, through.state().totals.collisions), (Ok(Stop::Time), 0));
    }
}
