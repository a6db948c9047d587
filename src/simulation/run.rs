//! The one driver of all simulations, and the sinks that make something of a run.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use super::legs::{Legs, Plan, Reached};
use super::{Impact, Observer, Simulation, State, Stop};
use crate::error::{Error, Result};

/// Makes something of a run: a table, a picture, a progress bar.
///
/// What a sink does not need it leaves out. An error ends the run.
pub trait Sink {
    /// The state at the start of the run, at every row of its [plan](Plan), and at its end; never twice at one time.
    fn state(&mut self, state: &State<'_>) -> Result<()> {
        let _ = state;
        Ok(())
    }

    /// An impact, right after it has been resolved.
    fn impact(&mut self, impact: &Impact<'_>) -> Result<()> {
        let _ = impact;
        Ok(())
    }

    /// Called after each time step and after at most 50,000 impacts. A break ends the run.
    fn pulse(&mut self, progress: &Progress) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }

    /// Called within a time step of a world, after every 256 collisions and from time to time in a long search for them. A break
    /// ends the run there, at the time of the last collision: what goes on from it is not bit-identical to a run without the
    /// stop, as it is after a break of [`pulse`](Self::pulse).
    fn within_step(&mut self, progress: &Progress) -> ControlFlow<()> {
        let _ = progress;
        ControlFlow::Continue(())
    }

    /// Completes what the sink has made, after the run.
    fn finish(self: Box<Self>) -> Result<()> {
        Ok(())
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Progress {
    /// Time of the simulation, in seconds.
    pub time: f64,
    /// Impacts so far.
    pub impacts: u64,
    /// Share of the plan that is done, from 0 to 1.
    pub share: f64,
}

/// Why a run ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum End {
    /// The plan is done.
    Complete,
    /// Nothing will ever happen again, and the plan has no end in time.
    Idle,
    /// A sink stopped it.
    Stopped,
    /// The simulation cannot go on from here; its state is valid.
    Stuck(Error),
}

/// What [`run`] returns.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Ran {
    /// Why the run ended.
    pub end: End,
    /// Impacts during the run.
    pub impacts: u64,
    /// Impacts that were left to the end of the plan; `None` without a limit.
    pub left: Option<u64>,
    /// Time that the computation took, sinks included.
    pub duration: Duration,
}

/// Runs a simulation to the end of the plan, or as far as it goes, and shows it to the sinks.
///
/// It fails if a sink does. A simulation that cannot go on is an [`End`].
pub fn run(simulation: &mut dyn Simulation, plan: Plan, sinks: &mut [Box<dyn Sink + '_>]) -> Result<Ran> {
    let shown = Shown { sinks, plan, start: simulation.time(), impacts: 0, failure: None };
    let mut driver =
        Driver { simulation, legs: Legs::new(plan), shown, last_state: None, duration: Duration::ZERO };
    driver.show_state()?;
    let end = driver.run_legs()?;
    driver.show_state()?;
    Ok(Ran { end, impacts: driver.shown.impacts, left: driver.legs.left, duration: driver.duration })
}

struct Driver<'a, 'b> {
    simulation: &'a mut dyn Simulation,
    legs: Legs,
    shown: Shown<'a, 'b>,
    /// Time of the last state that the sinks have seen, in seconds.
    last_state: Option<f64>,
    duration: Duration,
}

impl Driver<'_, '_> {
    fn run_legs(&mut self) -> Result<End> {
        loop {
            if self.shown.pulse(self.simulation.time()).is_break() {
                return Ok(End::Stopped);
            }
            match self.run_leg()? {
                ControlFlow::Continue(Reached::Row) => self.show_state()?,
                ControlFlow::Continue(Reached::End) => return Ok(End::Complete),
                ControlFlow::Continue(Reached::Nothing) => {}
                ControlFlow::Break(end) => return Ok(end),
            }
        }
    }

    fn run_leg(&mut self) -> Result<ControlFlow<End, Reached>> {
        let (leg, before) = (self.legs.next(self.simulation.time()), self.shown.impacts);
        let clock = Instant::now();
        let stop = self.simulation.advance(leg, &mut self.shown);
        self.duration += clock.elapsed();
        if let Some(failure) = self.shown.failure.take() {
            return Err(failure);
        }
        let reached = self.legs.note(&leg, self.shown.impacts - before, matches!(stop, Ok(Stop::Time)));
        Ok(match stop {
            Ok(Stop::Time | Stop::Collisions) => ControlFlow::Continue(reached),
            Ok(Stop::Observer) => ControlFlow::Break(End::Stopped),
            Ok(Stop::Idle) => ControlFlow::Break(End::Idle),
            Err(error) => ControlFlow::Break(End::Stuck(error)),
        })
    }

    fn show_state(&mut self) -> Result<()> {
        let time = self.simulation.time();
        if self.last_state.replace(time) == Some(time) {
            return Ok(());
        }
        let state = self.simulation.state();
        self.shown.sinks.iter_mut().try_for_each(|sink| sink.state(&state))
    }
}

/// Passes what happens on to the sinks.
struct Shown<'a, 'b> {
    sinks: &'a mut [Box<dyn Sink + 'b>],
    plan: Plan,
    /// Time at the start, in seconds.
    start: f64,
    impacts: u64,
    failure: Option<Error>,
}

impl Shown<'_, '_> {
    fn pulse(&mut self, time: f64) -> ControlFlow<()> {
        let progress = self.progress(time);
        self.sinks.iter_mut().try_for_each(|sink| sink.pulse(&progress))
    }

    fn progress(&self, time: f64) -> Progress {
        Progress { time, impacts: self.impacts, share: self.share(time) }
    }

    fn share(&self, time: f64) -> f64 {
        let share = |part: f64, whole: f64| if whole > 0.0 && whole.is_finite() { part / whole } else { 0.0 };
        let in_impacts = self.plan.collisions.map_or(0.0, |most| share(self.impacts as f64, most as f64));
        share(time - self.start, self.plan.until - self.start).max(in_impacts)
    }
}

impl Observer for Shown<'_, '_> {
    fn impact(&mut self, impact: &Impact<'_>) -> ControlFlow<()> {
        self.impacts += 1;
        if self.failure.is_none() {
            self.failure = self.sinks.iter_mut().try_for_each(|sink| sink.impact(impact)).err();
        }
        if self.failure.is_none() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    fn within_step(&mut self, time: f64) -> ControlFlow<()> {
        if self.failure.is_some() {
            return ControlFlow::Break(());
        }
        let progress = self.progress(time);
        self.sinks.iter_mut().try_for_each(|sink| sink.within_step(&progress))
    }

    fn step(&mut self, time: f64) -> ControlFlow<()> {
        self.pulse(time)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::super::{Pace, Stepped};
    use super::*;
    use crate::events::scenes::Scene;
    use crate::particles::Particle;
    use crate::world::World;

    #[derive(Default)]
    struct Seen {
        states: Vec<f64>,
        impacts: Vec<f64>,
        stops_at_impact: bool,
        fails: bool,
    }

    /// A sink that leaves what it has seen to the test.
    struct Recorder<'a>(&'a RefCell<Seen>);

    impl Sink for Recorder<'_> {
        fn state(&mut self, state: &State<'_>) -> Result<()> {
            self.0.borrow_mut().states.push(state.time);
            Ok(())
        }

        fn impact(&mut self, impact: &Impact<'_>) -> Result<()> {
            let mut seen = self.0.borrow_mut();
            seen.impacts.push(impact.time);
            if seen.fails { Err(Error::OutOfMemory { bytes: 1 }) } else { Ok(()) }
        }

        fn pulse(&mut self, progress: &Progress) -> ControlFlow<()> {
            let stops = self.0.borrow().stops_at_impact && progress.impacts > 0;
            if stops { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }

    /// Two balls that collide at 0.5 s, in steps of 0.2 s.
    fn stepped() -> Stepped {
        let mut world = World::new(1).unwrap();
        let ball = |x: f64, v: f64| Particle::sphere(&[x], 0.5).with_mass(1.0).with_velocity(&[v]);
        world.particles_mut().add_many(&[ball(0.0, 1.0), ball(2.0, -1.0)]).unwrap();
        Stepped::new(world, 0.2, 1.0).unwrap()
    }

    fn record(simulation: &mut dyn Simulation, seen: &RefCell<Seen>) -> Result<Ran> {
        let plan = Plan::until(1.0).with_pace(Pace::Seconds(0.25));
        run(simulation, plan, &mut [Box::new(Recorder(seen))])
    }

    #[test]
    fn rows_are_the_first_states_at_or_after_multiples() {
        let seen = RefCell::default();
        let ran = record(&mut stepped(), &seen).unwrap();
        assert_eq!((ran.end, ran.impacts), (End::Complete, 1));
        assert_eq!(seen.take().states, [0.0, 0.4, 0.6000000000000001, 0.8, 1.0]);
        let mut engine = Scene::named("head-on-vertical").unwrap().engine().unwrap();
        record(&mut engine, &seen).unwrap();
        assert_eq!(seen.take().states, [0.0, 0.25, 0.5, 0.75, 1.0]);
    }

    #[test]
    fn a_sink_stops_a_run_after_the_step_and_its_error_ends_it() {
        let seen = RefCell::new(Seen { stops_at_impact: true, ..Seen::default() });
        let mut simulation = stepped();
        assert_eq!(record(&mut simulation, &seen).unwrap().end, End::Stopped);
        assert_eq!(
            (simulation.time(), seen.take().states),
            (0.6000000000000001, vec![0.0, 0.4, 0.6000000000000001])
        );
        let seen = RefCell::new(Seen { fails: true, ..Seen::default() });
        assert!(matches!(record(&mut stepped(), &seen), Err(Error::OutOfMemory { .. })));
        assert_eq!(seen.take().impacts.len(), 1);
    }
}
