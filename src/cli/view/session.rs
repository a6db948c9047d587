//! The simulation in its own thread: it owns the state, runs it, changes it on command and publishes it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::advance::{Advance, Stopped};
use super::command::{Command, Pace};
use super::describe::Description;
use super::exchange::Exchange;
use super::history::{History, Moment, Version, Versions};
use super::matter::{Matter, Refusal, Start};
use super::{frame, statistics};

/// At most so many frames a second.
const FRAMES: f64 = 60.0;
/// Time from one message of statistics to the next.
const STATS_EVERY: Duration = Duration::from_millis(100);
/// While the simulation is as fast as it can be, a frame or statistics that took some time are followed by so many times that
/// time of nothing but simulation: together they cost it at most 5% of its speed.
const FRAME_REST: u32 = 40;
const STATS_REST: u32 = 100;
/// Statistics of very many balls do not wait longer than this: a page whose numbers stand still looks dead.
const STATS_AT_LATEST: Duration = Duration::from_secs(2);
/// The longest time until commands are looked at, while it runs.
const SLICE: Duration = Duration::from_millis(5);
/// The same while it is stopped.
const IDLE: Duration = Duration::from_millis(50);

/// A command of a page, and where the answer goes.
pub(super) struct Request {
    pub(super) id: Option<u64>,
    pub(super) command: Command,
    pub(super) answers: Sender<String>,
}

pub(super) struct Session {
    pub(super) start: Arc<Start>,
    pub(super) matter: Matter,
    /// Collisions of each ball in this run.
    pub(super) counts: Vec<u32>,
    pub(super) history: History,
    pub(super) versions: Versions,
    pub(super) description: Description,
    pub(super) revision: u32,
    pub(super) running: bool,
    pub(super) pace: Pace,
    /// Where it stops, in seconds, if the command line says so.
    pub(super) stop_at: Option<f64>,
    /// Why it cannot go on.
    pub(super) ended: Option<String>,
    /// Whether the last slice ended before the time that it was to reach.
    is_late: bool,
    /// The ball of the last change, if a change of it can be continued.
    pub(super) last_set: Option<usize>,
    exchange: Arc<Exchange>,
    clock: Clock,
    meter: Meter,
    publisher: Publisher,
}

/// Which time belongs to which instant.
struct Clock {
    at: Instant,
    time: f64,
}

/// Simulated time and events per second.
struct Meter {
    at: Instant,
    time: f64,
    events: u64,
    rate: f64,
    events_per_second: f64,
    /// Events since the start of the tool.
    total: u64,
}

/// When frames and statistics were last made, and how long that took.
struct Publisher {
    frame_at: Instant,
    frame_cost: Duration,
    stats_at: Instant,
    stats_cost: Duration,
    /// Whether something has changed since the last frame, and the last statistics.
    is_new: [bool; 2],
    spare: Vec<u8>,
}

impl Session {
    pub(super) fn new(
        start: Start,
        mut matter: Matter,
        stop_at: Option<f64>,
        exchange: Arc<Exchange>,
    ) -> Self {
        let description = Description::of(&mut matter, &start, 1);
        let (now, time) = (Instant::now(), matter.time());
        let mut session = Self {
            start: Arc::new(start),
            counts: matter.no_counts(),
            history: History::new(time),
            matter,
            versions: Versions::default(),
            description,
            revision: 1,
            running: false,
            pace: Pace::Times(1.0),
            stop_at,
            ended: None,
            is_late: false,
            last_set: None,
            exchange,
            clock: Clock { at: now, time },
            meter: Meter { at: now, time, events: 0, rate: 0.0, events_per_second: 0.0, total: 0 },
            publisher: Publisher {
                frame_at: now,
                frame_cost: Duration::ZERO,
                stats_at: now,
                stats_cost: Duration::ZERO,
                is_new: [true; 2],
                spare: Vec::new(),
            },
        };
        session.publish_scene();
        session.publish_frame();
        session.publish_stats();
        session
    }

    /// Runs until the exchange ends.
    pub(super) fn run(mut self, requests: &Receiver<Request>) {
        while !self.exchange.is_ended() {
            let patience = if self.running { self.until_due() } else { IDLE };
            match requests.recv_timeout(patience) {
                Ok(request) => {
                    self.answer(request);
                    // What was sent meanwhile belongs to the same state.
                    while let Ok(request) = requests.try_recv() {
                        self.answer(request);
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.running {
                self.advance();
            }
            self.publish();
        }
    }

    /// How long there is nothing to do while it runs: until the next step, or until half a frame has passed.
    fn until_due(&self) -> Duration {
        let Pace::Times(speed) = self.pace else { return Duration::ZERO };
        let ahead = self.matter.dt().unwrap_or(speed / FRAMES).min(speed / FRAMES) * 0.5;
        let seconds = (self.matter.time() + ahead - self.target()) / speed;
        Duration::from_secs_f64(seconds.clamp(0.0, SLICE.as_secs_f64()))
    }

    /// The time that should be reached now, in seconds.
    fn target(&self) -> f64 {
        match self.pace {
            Pace::Times(speed) => self.clock.time + speed * self.clock.at.elapsed().as_secs_f64(),
            Pace::Max => f64::INFINITY,
        }
    }

    fn answer(&mut self, request: Request) {
        let Request { id, command, answers } = request;
        let outcome = self.obey(command);
        let Some(id) = id else { return };
        let mut answer = match outcome {
            Ok(fields) => fields,
            Err(Refusal { message, field }) => json!({"ok": false, "error": message, "field": field}),
        };
        answer["type"] = "answer".into();
        answer["id"] = id.into();
        // The page may be gone.
        let _ = answers.send(answer.to_string());
    }

    /// Sets when and at which time it goes on from now.
    pub(super) fn set_clock(&mut self) {
        self.clock = Clock { at: Instant::now(), time: self.matter.time() };
    }

    pub(super) fn set_running(&mut self, running: bool) {
        self.running = running;
        self.set_clock();
        let now = Instant::now();
        self.meter = Meter { at: now, time: self.matter.time(), events: self.meter.total, ..self.meter };
        if !running {
            (self.meter.rate, self.meter.events_per_second) = (0.0, 0.0);
        }
        self.changed();
    }

    /// There is something new to show.
    pub(super) fn changed(&mut self) {
        self.publisher.is_new = [true; 2];
    }

    /// Goes on for a slice of time.
    fn advance(&mut self) {
        let deadline = Instant::now() + SLICE;
        let target = self.stop_at.map_or(self.target(), |stop| self.target().min(stop));
        let mut advance = Advance::new(&mut self.counts, Some(deadline), self.description.span);
        let stopped = advance.run(&mut self.matter, target);
        self.meter.total += advance.events();
        self.publisher.is_new = [true; 2];
        if let Err(error) = self.history.note(&self.matter, &self.counts) {
            self.end(error.to_string());
            return;
        }
        self.is_late = stopped == Ok(Stopped::Deadline);
        match stopped {
            Ok(Stopped::Deadline) => {
                // It is slower than asked for: the time that was lost is not made up for.
                if matches!(self.pace, Pace::Times(_)) {
                    self.set_clock();
                }
            }
            Ok(Stopped::Time) if self.stop_at.is_some_and(|stop| self.matter.time() >= stop) => {
                self.stop_at = None;
                self.set_running(false);
            }
            Ok(Stopped::Time) => {}
            Ok(Stopped::Idle) => self.end("nothing will ever happen again".into()),
            Err(error) => self.end(error.to_string()),
        }
    }

    fn end(&mut self, why: String) {
        self.ended = Some(why);
        self.set_running(false);
    }

    /// Makes this the present state of the present run, at rest.
    pub(super) fn put(&mut self, matter: Matter, counts: Vec<u32>) {
        (self.matter, self.counts, self.ended) = (matter, counts, None);
        self.set_clock();
        self.changed();
    }

    /// The present version, to return to.
    pub(super) fn version(&self) -> carom::Result<Version> {
        let moment = Moment::of(&self.matter, &self.counts)?;
        Ok(Version { start: Arc::clone(&self.start), moment, to: self.history.to })
    }

    /// Shows another run.
    pub(super) fn begin(&mut self, start: Arc<Start>, matter: Matter, counts: Vec<u32>, to: f64) {
        self.revision += 1;
        self.stop_at = None;
        self.start = start;
        self.put(matter, counts);
        self.history = History::new(self.start.time);
        self.history.to = to.max(self.matter.time());
        self.description = Description::of(&mut self.matter, &self.start, self.revision);
        self.publish_scene();
    }

    /// Publishes what is new, not too often.
    fn publish(&mut self) {
        let now = Instant::now();
        let [frame_rest, stats_rest] = if self.is_late { [FRAME_REST, STATS_REST] } else { [1, 1] };
        let Publisher { frame_at, frame_cost, stats_at, stats_cost, is_new, .. } = self.publisher;
        let interval = Duration::from_secs_f64(1.0 / FRAMES).max(frame_cost * frame_rest);
        let is_due = !self.running || now.duration_since(frame_at) >= interval;
        if is_new[0] && is_due && (self.exchange.is_frame_wanted() || !self.running) {
            self.publish_frame();
        }
        let interval = STATS_EVERY.max((stats_cost * stats_rest).min(STATS_AT_LATEST));
        let is_due = !self.running || now.duration_since(stats_at) >= interval;
        if is_new[1] && is_due && (self.exchange.page_count() > 0 || !self.running) {
            self.publish_stats();
        }
    }

    /// Publishes a new revision.
    pub(super) fn publish_scene(&mut self) {
        let fields = &mut self.description.fields;
        fields["undo"] = self.versions.undo.len().into();
        fields["redo"] = self.versions.redo.len().into();
        let (scene, fixed, revision): (Arc<str>, _, _) =
            (fields.to_string().into(), Arc::new(std::mem::take(&mut self.description.fixed)), self.revision);
        // With its first frame, so that no page has to wait for it.
        let frame = self.encode_frame();
        self.exchange.publish(|newest| {
            (newest.revision, newest.scene, newest.fixed) = (revision, scene, fixed);
            newest.frame_number = newest.frame_number.wrapping_add(1);
            newest.frame = frame;
        });
        self.changed();
    }

    fn encode_frame(&mut self) -> Arc<Vec<u8>> {
        let number = self.exchange.newest().frame_number.wrapping_add(1);
        let content = (self.exchange.sections(), &self.counts[..]);
        let spare = std::mem::take(&mut self.publisher.spare);
        Arc::new(frame::encode(
            &mut self.matter,
            [self.revision, number],
            content,
            &self.description.sides,
            spare,
        ))
    }

    fn publish_frame(&mut self) {
        let start = Instant::now();
        self.exchange.frame_given();
        let frame = self.encode_frame();
        let mut old = Arc::default();
        self.exchange.publish(|newest| {
            newest.frame_number = newest.frame_number.wrapping_add(1);
            old = std::mem::replace(&mut newest.frame, frame);
        });
        self.publisher.spare = Arc::try_unwrap(old).unwrap_or_default();
        self.publisher.is_new[0] = false;
        (self.publisher.frame_at, self.publisher.frame_cost) = (start, start.elapsed());
    }

    pub(super) fn publish_stats(&mut self) {
        let start = Instant::now();
        self.measure(start);
        let selected = self.exchange.selected();
        let mut fields = statistics::of(&mut self.matter, &self.description, &selected, &self.counts);
        let hash = (!self.running).then(|| self.hash());
        for (name, value) in [
            ("type", Value::from("stats")),
            ("revision", self.revision.into()),
            ("time", self.matter.time().into()),
            ("running", self.running.into()),
            (
                "speed",
                match self.pace {
                    Pace::Times(speed) => speed.into(),
                    Pace::Max => "max".into(),
                },
            ),
            ("rate", self.meter.rate.into()),
            ("events_per_second", self.meter.events_per_second.into()),
            ("history", json!({"from": self.history.from, "to": self.history.to.max(self.matter.time())})),
            ("hash", hash.into()),
            ("ended", self.ended.clone().into()),
        ] {
            fields[name] = value;
        }
        let stats: Arc<str> = fields.to_string().into();
        self.exchange.publish(|newest| {
            newest.stats_number = newest.stats_number.wrapping_add(1);
            newest.stats = stats;
        });
        self.publisher.is_new[1] = false;
        (self.publisher.stats_at, self.publisher.stats_cost) = (start, start.elapsed());
    }

    /// Measures how fast it goes.
    fn measure(&mut self, now: Instant) {
        let seconds = now.duration_since(self.meter.at).as_secs_f64();
        if !self.running || seconds < 0.5 * STATS_EVERY.as_secs_f64() {
            return;
        }
        let (time, total) = (self.matter.time(), self.meter.total);
        self.meter.rate = (time - self.meter.time) / seconds;
        self.meter.events_per_second = (total - self.meter.events) as f64 / seconds;
        (self.meter.at, self.meter.time, self.meter.events) = (now, time, total);
    }

    /// The hash of the present state, as `carom sim` prints it.
    pub(super) fn hash(&self) -> String {
        format!("{:016x}", self.matter.state_hash())
    }

    /// Ends the tool.
    pub(super) fn quit(&self) {
        self.exchange.end();
    }
}
