//! What the commands of pages do.

use std::path::Path;
use std::sync::Arc;

use carom::events::scenes::SCENES;
use carom::rigid2d::scenes as rigid_scenes;
use serde_json::{Value, json};

use super::advance::{Advance, Stopped};
use super::command::{Command, From, Number, Pace};
use super::describe::FRAME_STEP;
use super::history::Version;
use super::matter::{Done, Matter, Refusal, Start};
use super::session::Session;
use crate::cli::sim;
use crate::cli::sim::source::Source;

/// Simulated seconds per second, at least and at most.
const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

type Outcome = Result<Value, Refusal>;

impl Session {
    /// Does what a page says.
    pub(super) fn obey(&mut self, command: Command) -> Outcome {
        match command {
            Command::Start {} => {
                self.ended = None;
                self.set_running(true);
                Ok(done())
            }
            Command::Stop {} => {
                self.set_running(false);
                Ok(self.state())
            }
            Command::Event {} => self.step(f64::NAN),
            Command::Frame {} => {
                let speed = if let Pace::Times(speed) = self.pace { speed } else { 1.0 };
                self.step(self.matter.time() + FRAME_STEP * speed)
            }
            Command::Speed { speed } => self.set_pace(speed),
            Command::Seek { time: Number(time) } => {
                self.set_running(false);
                self.seek(time)
            }
            Command::Restart {} => {
                let running = self.running;
                let outcome = self.seek(self.history.from);
                self.set_running(running);
                outcome
            }
            Command::Scene { name } => self.show_scene(&name),
            Command::NextScene {} => self.show_neighbour(1),
            Command::PreviousScene {} => self.show_neighbour(-1),
            Command::Load { name, bytes } => self.load(&name, &bytes),
            Command::Undo {} => self.turn_back(true),
            Command::Redo {} => self.turn_back(false),
            Command::Save { from } => self.save(from.unwrap_or(From::Start)),
            Command::Quit {} => {
                self.quit();
                Ok(done())
            }
            Command::Refresh => {
                self.changed();
                Ok(done())
            }
            Command::Got { .. } | Command::Want(_) | Command::Select { .. } | Command::Control {} => {
                Ok(done())
            }
            edit => self.edit(&edit),
        }
    }

    /// Time and hash of the present state.
    fn state(&self) -> Value {
        json!({"ok": true, "time": self.matter.time(), "hash": self.hash()})
    }

    /// Stops and goes on to a time, in seconds, or to the next event if it is NaN; by one step if it advances in steps.
    fn step(&mut self, time: f64) -> Outcome {
        self.set_running(false);
        self.ended = None;
        let mut advance = Advance::new(&mut self.counts, None, self.description.span);
        let is_event = time.is_nan() || self.matter.dt().is_some();
        let stopped = if is_event {
            advance.run_to_event(&mut self.matter)
        } else {
            advance.run(&mut self.matter, time)
        };
        self.after_running(stopped)
    }

    /// The answer after a run to somewhere.
    fn after_running(&mut self, stopped: carom::Result<Stopped>) -> Outcome {
        self.history.note(&self.matter, &self.counts)?;
        self.set_clock();
        self.changed();
        match stopped {
            Ok(Stopped::Idle) => {
                let why = "nothing will ever happen again";
                self.ended = Some(why.into());
                Err(Refusal::new(why))
            }
            Ok(_) => Ok(self.state()),
            Err(error) => {
                self.ended = Some(error.to_string());
                Err(error.into())
            }
        }
    }

    fn set_pace(&mut self, pace: Pace) -> Outcome {
        if let Pace::Times(speed) = pace
            && !SPEEDS.contains(&speed)
        {
            let message =
                format!("speed is {speed}: it must be from {} to {}, or max", SPEEDS.start(), SPEEDS.end());
            return Err(Refusal::at("speed", message));
        }
        self.pace = pace;
        self.set_clock();
        self.changed();
        Ok(done())
    }

    /// Goes to a time of the present run: back to the last snapshot before it, and on from there.
    fn seek(&mut self, time: f64) -> Outcome {
        let (from, to) = (self.history.from, self.history.to.max(self.matter.time()));
        if !(from..=to).contains(&time) {
            return Err(Refusal::at("time", format!("time is {time}: it must be from {from} to {to}")));
        }
        let now = self.matter.time();
        let nearest = self.history.before(time);
        // On from here if that is nearer than any snapshot.
        if now > time || nearest.is_some_and(|moment| moment.time > now) {
            let (matter, counts) = match nearest {
                Some(moment) => (self.start.restore(&moment.snapshot)?, moment.counts.clone()),
                None => {
                    let matter = self.start.matter()?;
                    let counts = matter.no_counts();
                    (matter, counts)
                }
            };
            self.put(matter, counts);
        }
        let stopped = Advance::new(&mut self.counts, None, f64::INFINITY).run(&mut self.matter, time);
        self.after_running(stopped)
    }

    /// Changes the present state, which becomes the start of a new run.
    fn edit(&mut self, command: &Command) -> Outcome {
        let (start, matter, done) = self.matter.changed(&self.start, command)?;
        let set = if let Command::Set(change) = command { Some((change.ball, change.merge)) } else { None };
        let goes_on = set.is_some_and(|(ball, merge)| merge && self.last_set == Some(ball));
        let version = if goes_on { None } else { Some(self.version()?) };
        self.replace(start, matter, version);
        self.last_set = set.map(|(ball, _)| ball);
        Ok(match done {
            Done::Ball(ball) => json!({"ok": true, "ball": ball}),
            Done::Changed => json!({"ok": true}),
        })
    }

    /// Shows another run; undo leads back to `version`.
    fn replace(&mut self, start: Start, matter: Matter, version: Option<Version>) {
        match version {
            Some(version) => self.versions.push(version),
            None => self.versions.redo.clear(),
        }
        let (counts, time) = (matter.no_counts(), matter.time());
        self.last_set = None;
        self.begin(Arc::new(start), matter, counts, time);
    }

    /// Undoes the last change, or does it again.
    fn turn_back(&mut self, is_undo: bool) -> Outcome {
        let present = self.version()?;
        let [from, to] = if is_undo {
            [&mut self.versions.undo, &mut self.versions.redo]
        } else {
            [&mut self.versions.redo, &mut self.versions.undo]
        };
        let Some(version) = from.pop() else {
            return Err(Refusal::new(if is_undo {
                "there is nothing to undo"
            } else {
                "there is nothing to redo"
            }));
        };
        let matter = match version.start.restore(&version.moment.snapshot) {
            Ok(matter) => matter,
            Err(error) => {
                from.push(version);
                return Err(error.into());
            }
        };
        to.push(present);
        self.last_set = None;
        self.begin(version.start, matter, version.moment.counts, version.to);
        Ok(self.state())
    }

    /// Shows a ready-made scene.
    fn show_scene(&mut self, name: &str) -> Outcome {
        let known =
            SCENES.iter().map(|scene| scene.name).chain(rigid_scenes::SCENES.iter().map(|scene| scene.name));
        if !known.into_iter().any(|known| known == name) {
            return Err(Refusal::at("name", format!("{name} is not a ready-made scene")));
        }
        let mut arguments = sim::Arguments::default();
        arguments.start.scene = Some(name.into());
        self.show(Source::open(&arguments), "name")
    }

    /// Shows the ready-made scene before or after the present one, among those of its kind.
    fn show_neighbour(&mut self, step: isize) -> Outcome {
        let names: Vec<&str> = match self.matter {
            Matter::Bodies(_) => rigid_scenes::SCENES.iter().map(|scene| scene.name).collect(),
            _ => SCENES.iter().map(|scene| scene.name).collect(),
        };
        let present = names.iter().position(|name| *name == self.start.name);
        let next = match present {
            Some(present) => (present as isize + step).rem_euclid(names.len() as isize) as usize,
            None => 0,
        };
        self.show_scene(names[next])
    }

    /// Shows what a file of this name holds.
    fn load(&mut self, name: &str, bytes: &[u8]) -> Outcome {
        let mut arguments = sim::Arguments::default();
        arguments.start.endless = true;
        // A name without folders: nothing is read but these bytes.
        let name = Path::new(name).file_name().map_or("scene.toml".as_ref(), Path::new);
        self.show(Source::of_bytes(&arguments, name, bytes), "text")
    }

    fn show(&mut self, source: crate::cli::Result<Source>, field: &'static str) -> Outcome {
        let refused = |failure: crate::cli::Failure| Refusal::at(field, failure.0);
        let (start, matter) = source.and_then(Start::of_source).map_err(refused)?;
        let version = self.version()?;
        self.set_running(false);
        self.replace(start, matter, Some(version));
        Ok(json!({"ok": true}))
    }
}

fn done() -> Value {
    json!({"ok": true})
}
