//! Kernels at each level of instructions that this CPU has: `cargo bench --bench levels`, or `-- 3` for three processes
//! of each level instead of ten.
//!
//! The levels take turns in processes of their own, because the place of the stack alone changes the speed of equal code by
//! several percent; the median of the processes counts. With `-- one` this process measures itself and prints a line
//! per kernel, for comparisons of builds.

#[path = "../common/encounters.rs"]
mod encounters;
mod kernels;
#[path = "../common/processor_time.rs"]
mod processor_time;

use std::process::Command;

use carom::Level;
use carom::soa::level::VARIABLE;

/// Processes of each level.
const PROCESSES: usize = 10;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    match words.first().map(String::as_str) {
        None => compare(PROCESSES),
        Some("one") => kernels::measure().iter().for_each(|(name, figure)| println!("{figure:.4}\t{name}")),
        Some(count) => match count.parse() {
            Ok(processes) if processes > 0 => compare(processes),
            _ => {
                eprintln!("{count}: give a number of processes, or \"one\"");
                std::process::exit(2);
            }
        },
    }
}

/// Nanoseconds per item, kernel by kernel, of one process.
type Figures = Vec<(String, f64)>;

fn compare(processes: usize) {
    let levels: Vec<Level> = Level::ALL.into_iter().filter(|level| level.is_available()).collect();
    let mut found: Vec<Vec<Figures>> = vec![Vec::new(); levels.len()];
    for _ in 0..processes {
        for (&level, found) in levels.iter().zip(&mut found) {
            found.push(measured_by_process(level));
        }
    }
    let names = levels.iter().map(|level| format!(" {level} | of portable |")).collect::<String>();
    println!("| ns per item, median of {processes} processes |{names}");
    println!("|---|{}", "---|---|".repeat(levels.len()));
    for (kernel, (name, _)) in found[0][0].iter().enumerate() {
        let medians = found.iter().map(|processes| median(processes, kernel)).collect::<Vec<_>>();
        let cells = medians.iter().map(|figure| format!(" {figure:.2} | {:.2} |", figure / medians[0]));
        println!("| {name} |{}", cells.collect::<String>());
    }
}

fn measured_by_process(level: Level) -> Figures {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new(program).arg("one").env(VARIABLE, level.name()).output();
    let output = output.expect("this program can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let figure = |line: &str| {
        let (figure, name) = line.split_once('\t').expect("two columns");
        (name.to_owned(), figure.parse().expect("a number"))
    };
    text.lines().map(figure).collect()
}

fn median(processes: &[Figures], kernel: usize) -> f64 {
    let mut figures: Vec<f64> = processes.iter().map(|figures| figures[kernel].1).collect();
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
