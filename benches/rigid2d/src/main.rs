//! Rigid bodies in the plane: engines side by side, on one thread.
//!
//! ```sh
//! cargo bench --bench rigid2d                        # carom and rapier, all scenes
//! cargo bench --bench rigid2d -- pyramid carom-f64   # one scene, one engine
//! cargo bench --bench rigid2d -- quick               # small scenes
//! cargo bench --bench rigid2d -- making              # time to make a small space
//! ```
//!
//! With Box2D it is a program of its own. It is run in its folder, whose cargo configuration gives the rivals their best:
//!
//! ```sh
//! cd benches/rigid2d
//! cargo run --release -- pyramid box2d
//! ```
//!
//! After a settling phase the engines take turns, and the best turn of each counts, in time of the thread: other work on the
//! machine can only slow them down.

mod engines;
mod penetration;
#[path = "../../common/processor_time.rs"]
mod processor_time;
mod scene;
mod scenes;

use carom::rigid2d::space::Precision;
use engines::{ENGINES, Engine, Layout, Rival};
use processor_time::processor_time;
use scene::{Pose, Scene};
use scenes::SCENES;

/// Turns of each engine.
const ROUNDS: usize = 9;

/// The measurement of the time to make a space, by the side of the scenes.
const MAKING: &str = "making";

/// Spaces that are made in one turn.
const MADE: usize = 200;

/// Spaces of a batch that is made from one of them.
const COPIES: usize = 4096;

/// What the command line asks for.
struct Request {
    scenes: Vec<String>,
    engines: Vec<Engine>,
    quick: bool,
}

fn main() {
    let request = Request::parse(std::env::args().skip(1));
    #[cfg(feature = "box2d")]
    engines::warn_of_assertions();
    if SCENES.iter().any(|(name, _)| request.wants(name)) {
        println!("| scene | engine | ms per step | ratio | deepest penetration, mm | highest centre, m |");
        println!("|---|---|---|---|---|---|");
    }
    for (name, scene) in SCENES {
        if request.wants(name) {
            run(&scene(request.quick), &request.engines);
        }
    }
    if request.wants(MAKING) {
        time_making(&request.engines);
    }
}

impl Request {
    fn parse(words: impl Iterator<Item = String>) -> Self {
        let mut request = Self { scenes: Vec::new(), engines: Vec::new(), quick: false };
        for word in words {
            if word == "quick" {
                request.quick = true;
            } else if word == "--bench" {
                // Cargo adds it.
                continue;
            } else if word == MAKING || SCENES.iter().any(|(name, _)| *name == word) {
                request.scenes.push(word);
            } else if let Some(engine) = ENGINES.iter().find(|engine| engine.name == word) {
                request.engines.push(*engine);
            } else {
                let scenes = SCENES.map(|(name, _)| name).join(", ");
                let engines: Vec<&str> = ENGINES.iter().map(|engine| engine.name).collect();
                let engines = engines.join(", ");
                eprintln!("{word} is none of quick, {scenes}, {MAKING}, {engines}");
                std::process::exit(2);
            }
        }
        if request.engines.is_empty() {
            request.engines = ENGINES.into();
        }
        request
    }

    fn wants(&self, name: &str) -> bool {
        self.scenes.is_empty() || self.scenes.iter().any(|scene| scene == name)
    }
}

/// An engine with a scene, and its best turn so far.
struct Contender {
    name: String,
    rival: Box<dyn Rival>,
    /// Seconds per step.
    best: f64,
}

/// Settles a scene in each engine, times them in turns and prints a line for each.
fn run(scene: &Scene, engines: &[Engine]) {
    let mut contenders = contenders(scene, engines);
    for contender in &mut contenders {
        (0..scene.settling).for_each(|_| contender.rival.step());
    }
    for _ in 0..ROUNDS {
        for Contender { rival, best, .. } in &mut contenders {
            let start = processor_time();
            (0..scene.steps).for_each(|_| rival.step());
            *best = best.min((processor_time() - start) / scene.steps as f64);
        }
    }
    let first = contenders.first().map_or(1.0, |contender| contender.best);
    for Contender { name, rival, best } in &contenders {
        let poses = rival.poses();
        println!(
            "| {} | {name} | {:.3} | {:.2} | {:.1} | {:.2} |",
            title(scene),
            1e3 * best,
            best / first,
            1e3 * penetration::deepest(scene, &poses),
            highest(scene, &poses),
        );
    }
}

fn contenders(scene: &Scene, engines: &[Engine]) -> Vec<Contender> {
    let mut contenders = Vec::new();
    for engine in engines {
        let layouts = if scene.spaces == 1 { &engine.layouts[..1] } else { engine.layouts };
        for &layout in layouts {
            let suffix = match layout {
                _ if scene.spaces == 1 => "",
                Layout::OneWorld => ", one world",
                Layout::WorldPerSpace => ", a world per space",
            };
            let rival = (engine.build)(scene, layout);
            contenders.push(Contender {
                name: format!("{}{suffix}", engine.name),
                rival,
                best: f64::INFINITY,
            });
        }
    }
    contenders
}

fn title(scene: &Scene) -> String {
    let bodies = scene.bodies.iter().filter(|body| body.kind == scene::Kind::Dynamic).count();
    if scene.spaces == 1 {
        return format!("{}, {bodies} bodies", scene.name);
    }
    format!("{}, {} spaces of {bodies}", scene.name, scene.spaces)
}

/// The height of the highest body that moves, in any space.
fn highest(scene: &Scene, poses: &[Pose]) -> f64 {
    let bodies = scene.bodies.iter().cycle().zip(poses);
    let moving = bodies.filter(|(body, _)| body.kind == scene::Kind::Dynamic);
    moving.map(|(_, pose)| pose.position[1]).fold(f64::NEG_INFINITY, f64::max)
}

/// Times how long it takes to make one space with eight bodies, and to drop it.
fn time_making(engines: &[Engine]) {
    let scene = scenes::small_space();
    let mut best = vec![[f64::INFINITY; 2]; engines.len()];
    for _ in 0..ROUNDS {
        for (engine, best) in engines.iter().zip(&mut best) {
            let start = processor_time();
            let made: Vec<_> = (0..MADE).map(|_| (engine.build)(&scene, Layout::OneWorld)).collect();
            let middle = processor_time();
            drop(made);
            best[0] = best[0].min((middle - start) / MADE as f64);
            best[1] = best[1].min((processor_time() - middle) / MADE as f64);
        }
    }
    println!("\n| engine | us to make a space of 8 bodies | ratio | us to drop it |\n|---|---|---|---|");
    for (engine, [make, drop]) in engines.iter().zip(&best) {
        println!("| {} | {:.1} | {:.2} | {:.1} |", engine.name, 1e6 * make, make / best[0][0], 1e6 * drop);
    }
    println!("\n| copies of one space in a batch | us per space |\n|---|---|");
    for (name, precision) in [("carom-f64", Precision::Double), ("carom-mixed", Precision::Mixed)] {
        let times = (0..ROUNDS).map(|_| engines::carom::time_of_copy(&scene, precision, COPIES));
        println!("| {name} | {:.2} |", 1e6 * times.fold(f64::INFINITY, f64::min));
    }
}
