//! Advances what is shown up to a time, an event or a deadline, and counts the collisions of each ball.

use std::ops::ControlFlow;
use std::time::Instant;

use carom::events::EventKind;
use carom::simulation::{Impact, Limit, Observer, Stop};

use super::matter::Matter;

/// Events between two looks at the clock.
const LOOK_EVERY: u64 = 64;

/// Why it stopped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The time, or the event, was reached.
    Time,
    /// The deadline was reached before.
    Deadline,
    /// Nothing will happen any more.
    Idle,
}

pub(super) struct Advance<'a> {
    counts: &'a mut [u32],
    deadline: Option<Instant>,
    /// How far ahead a collision is looked for, in seconds.
    span: f64,
    events: u64,
    /// Whether it stops after a step.
    is_single: bool,
}

impl<'a> Advance<'a> {
    /// `counts` has an entry per ball; none for bodies, of which steps are counted.
    pub(super) fn new(counts: &'a mut [u32], deadline: Option<Instant>, span: f64) -> Self {
        Self { counts, deadline, span, events: 0, is_single: false }
    }

    /// Collisions, or steps of rigid bodies.
    pub(super) fn events(&self) -> u64 {
        self.events
    }

    /// Up to this time, in seconds; at infinity only the deadline stops it.
    pub(super) fn run(&mut self, matter: &mut Matter, time: f64) -> carom::Result<Stopped> {
        if time <= matter.time() {
            return Ok(Stopped::Time);
        }
        let limit = match matter {
            // In a periodic box a run without any limit might never return.
            Matter::Balls(engine) => time.min(engine.time() + self.span),
            _ => time,
        };
        let stop = matter.simulation().advance(Limit::until(limit), self)?;
        Ok(match stop {
            Stop::Observer => Stopped::Deadline,
            Stop::Idle => Stopped::Idle,
            _ if limit < time => self.beyond(matter),
            _ => Stopped::Time,
        })
    }

    /// The horizon was reached: it is idle if there was no event on the way to it.
    fn beyond(&self, matter: &mut Matter) -> Stopped {
        match matter {
            Matter::Balls(engine) if self.events == 0 => {
                let next = engine.next_event_until(engine.time() + self.span);
                if next.is_none() { Stopped::Idle } else { Stopped::Deadline }
            }
            _ => Stopped::Deadline,
        }
    }

    /// To the next event and no farther: a collision, or a time step.
    pub(super) fn run_to_event(&mut self, matter: &mut Matter) -> carom::Result<Stopped> {
        let limit = match matter {
            Matter::Balls(engine) => Limit::until(engine.time() + self.span).or_collisions(1),
            _ => Limit::until(f64::INFINITY),
        };
        if let Matter::Balls(engine) = matter
            && engine.next_event_until(limit.time).is_none()
        {
            return Ok(Stopped::Idle);
        }
        self.is_single = true;
        Ok(match matter.simulation().advance(limit, self)? {
            Stop::Idle => Stopped::Idle,
            _ => Stopped::Time,
        })
    }

    fn look(&self, every: u64) -> ControlFlow<()> {
        let is_late = self.events.is_multiple_of(every)
            && self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if is_late || (self.is_single && every == 1) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

impl Observer for Advance<'_> {
    fn impact(&mut self, impact: &Impact<'_>) -> ControlFlow<()> {
        let mut count = |ball: usize| {
            if let Some(count) = self.counts.get_mut(ball) {
                *count = count.saturating_add(1);
            }
        };
        count(impact.first);
        if impact.kind == EventKind::Collision {
            count(impact.second);
        }
        self.events += 1;
        self.look(LOOK_EVERY)
    }

    fn step(&mut self, _time: f64) -> ControlFlow<()> {
        if self.counts.is_empty() {
            self.events += 1;
        }
        self.look(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::events::scenes::{Gas, Scene};
    use carom::rigid2d::scenes::{Parameters, Scene as RigidScene};
    use carom::simulation::Rigid;
    use std::time::Duration;

    #[test]
    fn collisions_are_counted_for_each_ball() {
        let mut matter = Matter::Balls(Scene::named("head-on-vertical").unwrap().engine().unwrap());
        let mut counts = [0; 2];
        let mut advance = Advance::new(&mut counts, None, 1e3);
        assert_eq!(advance.run_to_event(&mut matter), Ok(Stopped::Time));
        assert!((matter.time() - 0.2).abs() < 1e-12 && advance.events() == 1);
        assert_eq!(counts, [1, 1]);
        let mut advance = Advance::new(&mut counts, None, 1e3);
        assert_eq!(advance.run(&mut matter, 0.6), Ok(Stopped::Time));
        assert_eq!((matter.time(), advance.events()), (0.6, 1));
        assert_eq!(counts.iter().sum::<u32>(), 3);
    }

    #[test]
    fn deadlines_stop_a_run_and_rest_ends_it() {
        let gas = Gas::new(2).with_particles(400).scene().unwrap();
        let mut matter = Matter::Balls(gas.engine().unwrap());
        let mut counts = vec![0; 400];
        let mut advance = Advance::new(&mut counts, Some(Instant::now() + Duration::from_millis(1)), 1e3);
        assert_eq!(advance.run(&mut matter, f64::INFINITY), Ok(Stopped::Deadline));
        let mut empty = Matter::Balls(Scene::named("empty").unwrap().engine().unwrap());
        assert_eq!(Advance::new(&mut [], None, 1e3).run(&mut empty, f64::INFINITY), Ok(Stopped::Idle));
        assert_eq!(Advance::new(&mut [], None, 1e3).run_to_event(&mut empty), Ok(Stopped::Idle));
    }

    #[test]
    fn bodies_advance_by_steps() {
        let scene = RigidScene::named("stack", &Parameters::default()).unwrap();
        let mut matter = Matter::Bodies(Rigid::new(scene.space().unwrap(), scene.dt).unwrap());
        assert_eq!(Advance::new(&mut [], None, 1e3).run_to_event(&mut matter), Ok(Stopped::Time));
        assert_eq!(matter.time(), scene.dt);
        let mut advance = Advance::new(&mut [], None, 1e3);
        assert_eq!(advance.run(&mut matter, 10.0 * scene.dt), Ok(Stopped::Time));
        assert_eq!(advance.events(), 9);
    }
}
