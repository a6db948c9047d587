//! `carom view`: a simulation in the browser, while it runs.

mod address;
mod advance;
mod command;
mod describe;
mod exchange;
mod files;
mod forms;
mod frame;
mod history;
mod http;
mod matter;
mod obey;
pub(super) mod replay;
mod save;
mod server;
mod session;
mod socket;
mod statistics;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use carom::events::scenes::SCENES;
use carom::rigid2d::scenes as rigid_scenes;
use serde_json::{Value, json};

use self::exchange::Exchange;
use self::matter::Start;
use self::session::Session;
use super::sim;
use super::sim::source::Source;
use super::{Failure, Outcome, Result, interrupt, say, warn};

const EXAMPLES: &str = "\
Examples:
  carom view                                 a billiard break: Space starts it, ? shows all keys
  carom view gas --particles 1e5 --dim 2     a gas of discs
  carom view pyramid --rows 20               rigid bodies
  carom view oblique --no-open               prints the address of the page and opens no browser
  carom run --replay 12 --view               one replica of a study

The page is served on the loopback address of this machine only, and its address has a random
word without which nothing is answered. One page controls; others that open the address watch.
The tool ends with Ctrl-C, or when the page says so.";

/// The scene without SCENE.
const FIRST_SCENE: &str = "billiard-break";
/// Commands that wait for the simulation, at most.
const MOST_REQUESTS: usize = 64;
/// How often the end is looked for.
const TURN: Duration = Duration::from_millis(20);
/// How long pages are given to hear of the end.
const FAREWELL: Duration = Duration::from_millis(600);

/// Shows a simulation in the browser, while it runs: watch it, change it, go back in time
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    #[command(flatten)]
    page: PageOptions,
    // Last: options after it would stand under the heading of its last group.
    #[command(flatten)]
    start: sim::StartOptions,
}

/// Where the page is.
#[derive(Default, clap::Args)]
pub(super) struct PageOptions {
    /// Port of the page on the loopback address; 0 is a free one [default: 0]
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Print the address of the page and open no browser
    #[arg(long)]
    no_open: bool,
}

/// Options that `carom sim` has, too, in the words of the view.
pub(super) fn with_own_help(command: clap::Command) -> clap::Command {
    let scene = "A ready-made scene, a scene file, a saved run or a world; - for standard input; without it a billiard break";
    command
        .mut_arg("scene", |option| option.help(scene))
        .mut_arg("until", |option| {
            option
                .help("Time at which to stop, in seconds [default: none]")
                .long_help(clap::builder::Resettable::Reset)
        })
        .mut_arg("spaces", |option| option.hide(true))
}

pub(super) fn run(arguments: Arguments) -> Result<Outcome> {
    let Arguments { mut start, page } = arguments;
    start.scene.get_or_insert_with(|| FIRST_SCENE.into());
    start.endless = true;
    let until = start.until;
    let source = Source::open(&start.into())?;
    show(source, until, &page)
}

/// Shows a simulation until the user or a page ends it. It stops at the time `until`, in seconds.
pub(super) fn show(source: Source, until: Option<f64>, page: &PageOptions) -> Result<Outcome> {
    let (start, matter) = Start::of_source(source)?;
    let (listener, address) = address::listen(page.port)?;
    let (url, opening_url) = (address.url(), address.opening_url());
    interrupt::watch()?;
    let exchange = Arc::new(Exchange::default());
    let (sender, requests) = sync_channel(MOST_REQUESTS);
    let session = Session::new(start, matter, until, Arc::clone(&exchange));
    server::start(listener, address, Arc::clone(&exchange), sender)?;
    say(&format!("{url}\n"))?;
    if !page.no_open && !open(&opening_url) {
        warn("no browser could be opened: open the address above");
    }
    let simulation = std::thread::Builder::new()
        .name("simulation".into())
        .spawn(move || session.run(&requests))
        .map_err(|error| Failure(format!("cannot start the simulation: {error}")))?;
    while !interrupt::is_requested() && !exchange.is_ended() && !simulation.is_finished() {
        std::thread::sleep(TURN);
    }
    exchange.end();
    let start = Instant::now();
    while exchange.page_count() > 0 && start.elapsed() < FAREWELL {
        std::thread::sleep(TURN);
    }
    if simulation.is_finished() && simulation.join().is_err() {
        return Err(Failure("the simulation failed".into()));
    }
    Ok(Outcome::Success)
}

/// Names, descriptions and kinds of all ready-made scenes.
fn ready_made() -> Vec<Value> {
    let entry = |name: &str, description: &str, kind: &str| json!({"name": name, "description": description, "kind": kind});
    let balls = SCENES.iter().map(|scene| entry(scene.name, scene.description, "balls"));
    let bodies = rigid_scenes::SCENES.iter().map(|scene| entry(scene.name, scene.description, "bodies"));
    balls.chain(bodies).collect()
}

/// Opens an address in the browser of the user; `false` if there is none.
fn open(url: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut browser) = command.spawn() else { return false };
    // Its end is waited for, so that it does not stay behind as a process without a parent's notice.
    std::thread::spawn(move || browser.wait());
    true
}
