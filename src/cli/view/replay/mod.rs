//! A run as one page that plays in any browser, without the tool: `carom sim --html`.

mod bundle;
mod events;
mod states;

use std::path::{Path, PathBuf};

use carom::Error;
use carom::io::file::WholeFile;
use carom::simulation::{Impact, Matter as Shown, Sink, State};
use data_encoding::BASE64;
use serde_json::{Value, json};
use std::io::Write;

use self::events::Events;
use self::states::States;
use super::describe::Description;
use super::files;
use super::matter::{Matter, Origin, Start};
use crate::cli::sim::source::Subject;
use crate::cli::{Failure, Result, refuse_to_replace};

/// Most points of the curves beside the picture.
const MOST_POINTS: usize = 500;
/// States a second of what advances in time steps.
const STATES_PER_SECOND: f64 = 60.0;
/// Most bytes of all states of a run, about.
const MOST_STATE_BYTES: f64 = 64e6;
/// Rows of the curves of what runs from collision to collision.
const CURVE_ROWS: u64 = 200;

/// Curves of rigid bodies.
const OF_BODIES: [&str; 5] = ["contacts", "max_penetration", "asleep", "steps", "angular_momentum"];

/// Makes the page of a run.
pub(in crate::cli) struct Replay {
    path: PathBuf,
    fields: Value,
    dim: usize,
    recorded: Recorded,
    curves: Curves,
    /// First and last time, in seconds.
    times: Option<[f64; 2]>,
}

/// What the page computes places from.
enum Recorded {
    Events(Events),
    States(States),
}

/// Energies and counts in the course of the run.
#[derive(Default)]
struct Curves {
    time: Vec<f64>,
    kinetic: Vec<f64>,
    potential: Vec<Option<f64>>,
    collisions: Vec<u64>,
    wall_collisions: Vec<u64>,
    /// Of rigid bodies: contacts, deepest penetration in metres, bodies asleep, steps, angular momentum.
    bodies: Vec<[f64; 5]>,
}

/// States that a page needs of a run from `start` to `until`, in seconds.
pub(in crate::cli) fn rows(subject: &Subject, particles: usize, start: f64, until: f64) -> u64 {
    if matches!(subject, Subject::Balls(_)) {
        return CURVE_ROWS;
    }
    let most = MOST_STATE_BYTES / (8.0 * particles.max(1) as f64);
    ((until - start) * STATES_PER_SECOND).ceil().clamp(1.0, most.clamp(2.0, 1e5)) as u64
}

impl Replay {
    /// A page in this file, which replaces an older one only if `replace`. Gives back what is to be run.
    pub(in crate::cli) fn new(
        path: &Path,
        [name, description]: [&str; 2],
        subject: Subject,
        replace: bool,
    ) -> Result<(Self, Subject)> {
        refuse_to_replace(path, replace, "choose another file with --html")?;
        let mut matter = match subject {
            Subject::Balls(engine) => Matter::Balls(engine),
            Subject::World(stepped) => Matter::World(stepped),
            Subject::Bodies(rigid) => Matter::Bodies(rigid),
            Subject::Spaces(_) => return Err(Failure("--html is for one space: leave --spaces out".into())),
        };
        if matter.dim() > 3 {
            return Err(Failure(format!(
                "--html: dimension {} cannot be shown: it must be 1, 2 or 3",
                matter.dim()
            )));
        }
        let start = Start {
            name: name.into(),
            description: description.into(),
            time: matter.time(),
            until: f64::INFINITY,
            options: String::new(),
            origin: Origin::Run(Vec::new()),
        };
        let Description { mut fields, fixed, sides, .. } = Description::of(&mut matter, &start, 1);
        fields["static"] = BASE64.encode(&fixed).into();
        let dim = matter.dim();
        let recorded = match &matter {
            Matter::Balls(engine) => Recorded::Events(Events::new(engine.settings().down_gravity)),
            _ => Recorded::States(States::new(sides)),
        };
        let subject = match matter {
            Matter::Balls(engine) => Subject::Balls(engine),
            Matter::World(stepped) => Subject::World(stepped),
            Matter::Bodies(rigid) => Subject::Bodies(rigid),
        };
        let replay =
            Self { path: path.into(), fields, dim, recorded, curves: Curves::default(), times: None };
        Ok((replay, subject))
    }

    /// The data of the page.
    fn data(&mut self) -> carom::Result<Value> {
        let mut fields = self.fields.take();
        if let Some(fields) = fields.as_object_mut() {
            fields.retain(|name, _| {
                !["type", "revision", "editable", "step", "until"].contains(&name.as_str())
            });
        }
        let [start, end] = self.times.unwrap_or([0.0; 2]);
        let (events, states, errors) = match &mut self.recorded {
            Recorded::Events(events) => (events.encode(self.dim), Value::Null, [0.0; 2]),
            Recorded::States(states) => {
                let (states, errors) = states.encode();
                (Value::Null, states, errors)
            }
        };
        for (name, value) in [
            ("format", Value::from("carom-replay")),
            ("version", 1.into()),
            ("start", start.into()),
            ("end", end.into()),
            ("series", self.curves.series()),
            ("error", errors[0].into()),
            ("angle_error", errors[1].into()),
            ("events", events),
            ("states", states),
        ] {
            fields[name] = value;
        }
        Ok(fields)
    }
}

impl Sink for Replay {
    fn state(&mut self, state: &State<'_>) -> carom::Result<()> {
        let start = self.times.map_or(state.time, |times| times[0]);
        self.times = Some([start, state.time]);
        self.curves.add(state);
        match (&mut self.recorded, state.matter) {
            (Recorded::Events(events), Shown::Particles(particles)) => events.begin(particles, state.time),
            (Recorded::States(states), Shown::Particles(particles)) => states.add(state.time, particles),
            (Recorded::States(states), Shown::Bodies(space)) => states.add_bodies(state.time, space),
            _ => Ok(()),
        }
    }

    fn impact(&mut self, impact: &Impact<'_>) -> carom::Result<()> {
        match &mut self.recorded {
            Recorded::Events(events) => events.add(impact),
            Recorded::States(_) => Ok(()),
        }
    }

    fn finish(mut self: Box<Self>) -> carom::Result<()> {
        let data = self.data()?.to_string();
        let mut file = WholeFile::create(&self.path)?;
        let failed = |error: std::io::Error| Error::io(self.path.display(), error);
        file.write_all(page(&data).as_bytes()).map_err(failed)?;
        file.commit()
    }
}

impl Curves {
    fn add(&mut self, state: &State<'_>) {
        self.time.push(state.time);
        self.kinetic.push(state.totals.kinetic_energy);
        self.potential.push(state.totals.potential_energy);
        self.collisions.push(state.totals.collisions);
        self.wall_collisions.push(state.totals.wall_collisions);
        if let Shown::Bodies(space) = state.matter {
            let [contacts, asleep] = [space.contact_count(), space.asleep_count()].map(|count| count as f64);
            let steps = space.step_count() as f64;
            self.bodies.push([contacts, space.max_penetration(), asleep, steps, space.angular_momentum()]);
        }
    }

    /// At most [`MOST_POINTS`] points, evenly chosen, the last among them.
    fn series(&self) -> Value {
        let len = self.time.len();
        let points = len.min(MOST_POINTS);
        let chosen: Vec<usize> = (1..=points).map(|n| n * len / points - 1).collect();
        let pick = |column: &[f64]| chosen.iter().map(|&n| column[n]).collect::<Vec<f64>>();
        let counts = |column: &[u64]| chosen.iter().map(|&n| column[n]).collect::<Vec<u64>>();
        let potential: Option<Vec<f64>> = chosen.iter().map(|&n| self.potential[n]).collect();
        let mut series = json!({
            "time": pick(&self.time), "kinetic": pick(&self.kinetic), "potential": potential,
            "collisions": counts(&self.collisions), "wall_collisions": counts(&self.wall_collisions),
        });
        if self.bodies.len() == len {
            for (k, name) in OF_BODIES.iter().enumerate() {
                series[*name] = chosen.iter().map(|&n| self.bodies[n][k]).collect();
            }
        }
        series
    }
}

/// The page with this data, and with everything that it needs.
fn page(data: &str) -> String {
    let text = |name: &str| files::find(name).map_or("", files::File::text);
    // `<` would end the script in which the data is.
    let data = data.replace('<', "\\u003c");
    let script = bundle::bundle("replay.js", &text).unwrap_or_default();
    text("replay.html")
        .replace("<!-- carom:style -->", &format!("<style>\n{}</style>", text("style.css")))
        .replace("<!-- carom:script -->", &format!("<script type=\"module\">\n{script}</script>"))
        .replace(
            "<!-- carom:data -->",
            &format!("<script type=\"application/json\" id=\"carom-replay\">{data}</script>"),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_are_thinned_and_keep_their_end() {
        let mut curves = Curves::default();
        for n in 0..1234 {
            curves.time.push(f64::from(n));
            curves.kinetic.push(1.0);
            curves.potential.push(Some(2.0));
            curves.collisions.push(n as u64);
            curves.wall_collisions.push(0);
        }
        let series = curves.series();
        let times = series["time"].as_array().unwrap();
        assert_eq!(
            (times.len(), times[499].as_f64(), series["collisions"][499].as_u64()),
            (500, Some(1233.0), Some(1233))
        );
        curves.potential[1233] = None;
        assert_eq!(curves.series()["potential"], Value::Null);
        assert_eq!(Curves::default().series()["time"], json!([]));
    }
}
