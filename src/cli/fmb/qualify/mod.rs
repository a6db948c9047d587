//! `carom fmb qualify`: time of FMB over time of SAT, in tables and pictures (docs/methods/fmb.md, section 8 of the FMB paper).

mod headline;
mod page;
mod plot;
mod table;
mod timing;

use std::io::Write;
use std::path::{Path, PathBuf};

use carom::io::file::WholeFile;
use indicatif::ProgressBar;

use self::headline::Headline;
use self::table::{CLASSES, Contender, Row, Table};
use self::timing::{BATCH_FACTOR, Measured, Run};
use super::cases::{Case, Selection, Turned, stream};
use super::clock;
use super::machine::Machine;
use super::{Failure, Outcome, Result, progress_bar, rows};
use crate::cli::lock::FolderLock;
use crate::cli::{interrupt, refuse_to_replace, say, warn};

const EXAMPLES: &str = "\
Examples:
  carom fmb qualify --out qualification                     all cases, in less than a minute
  carom fmb qualify --out steadier --pairs 20000            steadier figures
  carom fmb qualify --out 3d --dim 3 --resting --no-near    one case
  carom fmb qualify --out upright --orientation upright     boxes that stand on the ground

Results, in the directory of --out:
  qualification2D.csv           ratios of all pairs: time of FMB over time of SAT, below 1 is faster
  qualification2DCC.csv, ...    by kinds: C for parallelogram or parallelepiped, T for triangle or
                                tetrahedron
  qualification2DTime.csv, ...  frames that move
  ...NearOnly.csv               only pairs whose bounding boxes overlap
  ..._batch.csv                 the batch test instead of the row-by-row reference
  ..._prepared.csv              the batch test with the preparation (checks, packing) of its frames
  *.svg, index.html             each table as a picture, and all of them on one page
Times are processor times of the thread, of the same pairs for FMB and SAT, each on one thread.
The columns are those of the paper (The FMB Algorithm, P. Baillehache, 2020): share of hits, counts,
and min, average and max of the ratio for hits (Inter), misses (NoInter) and both (Total). An empty
cell means no such pair. The files appear when all is measured; after Ctrl-C there are none, and the exit code is 3.";

/// Measures FMB against SAT and writes tables and plots
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Directory for the results
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Number of pairs per share of hits for the reference; 16 times as many for the batch test
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = rows)]
    pairs: u32,
    /// Number of shares of hits from 0.1 to 0.9, 2 to 81 of them, each with random pairs of its own
    #[arg(long, value_name = "R", default_value_t = 9, value_parser = clap::value_parser!(u32).range(2..=81))]
    runs: u32,
    /// Seed of the random pairs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    selection: Selection,
    /// How the frames are turned
    #[arg(long, value_enum, default_value_t = Turned::Random)]
    orientation: Turned,
    /// Only pairs whose bounding boxes overlap
    #[arg(long, conflicts_with = "no_near")]
    near_only: bool,
    /// Leave out the tables of pairs whose bounding boxes overlap
    #[arg(long)]
    no_near: bool,
    /// Replace results that are already in the directory
    #[arg(long)]
    force: bool,
}

impl Arguments {
    /// Cases, and whether only near pairs count, in the order in which they are shown.
    fn kinds_of_pairs(&self) -> Vec<(Case, bool)> {
        let near =
            [false, true].into_iter().filter(|near| if *near { !self.no_near } else { !self.near_only });
        let near: Vec<bool> = near.collect();
        let cases = self.selection.cases();
        cases.into_iter().flat_map(|case| near.iter().map(move |near| (case, *near))).collect()
    }

    fn settings(&self) -> String {
        let batch = self.pairs as usize * BATCH_FACTOR;
        format!(
            "carom {} on {}: {} pairs for each share of hits, {batch} for the batch test; {} on one thread each; seed {}{}.",
            env!("CARGO_PKG_VERSION"),
            Machine::here().describe(),
            self.pairs,
            clock::THREAD_CLOCK,
            self.seed,
            self.orientation.remark()
        )
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let kinds = arguments.kinds_of_pairs();
    let empty: Vec<Table> = kinds.iter().flat_map(|(case, near)| tables(*case, *near)).collect();
    interrupt::watch()?;
    let _lock = FolderLock::take(&arguments.out)?;
    check_directory(arguments, &empty)?;
    let progress = progress_bar(kinds.len() as u64 * u64::from(arguments.runs), "runs");
    let mut done = Vec::new();
    for (case, near) in kinds {
        done.extend(match case.dim {
            2 => measure::<2>(arguments, case, near, &progress)?,
            _ => measure::<3>(arguments, case, near, &progress)?,
        });
    }
    progress.finish_and_clear();
    if interrupt::is_requested() {
        warn("interrupted; nothing is written");
        return Ok(Outcome::Interrupted);
    }
    let (headline, settings) = (Headline::of(&done), arguments.settings());
    write_all(&arguments.out, &files(done, &headline, &settings)?)?;
    let page = arguments.out.join("index.html");
    say(&format!("{}{settings}\nsee {}\n", headline.as_text(), page.display()))?;
    Ok(Outcome::Success)
}

/// The tables of one case, without rows.
fn tables(case: Case, near: bool) -> Vec<Table> {
    let table = |contender, class| Table { case, near, contender, class, rows: Vec::new() };
    let classes = |contender| (0..CLASSES.len()).map(move |class| table(contender, class));
    Contender::ALL.into_iter().flat_map(classes).collect()
}

/// Results that are already there are kept unless they may be replaced.
fn check_directory(arguments: &Arguments, tables: &[Table]) -> Result<()> {
    let names = tables.iter().map(|table| format!("{}.csv", table.name())).chain(["index.html".into()]);
    for name in names {
        refuse_to_replace(&arguments.out.join(name), arguments.force, "choose another directory with --out")?;
    }
    Ok(())
}

fn measure<const D: usize>(
    arguments: &Arguments,
    case: Case,
    near: bool,
    progress: &ProgressBar,
) -> Result<Vec<Table>> {
    let mut tables = tables(case, near);
    for n in 0..arguments.runs {
        if interrupt::is_requested() {
            break;
        }
        let share = 0.1 + 0.8 * f64::from(n) / f64::from(arguments.runs - 1);
        let turned = arguments.orientation;
        let random = stream(arguments.seed, &[case.number(), u64::from(near), u64::from(n)], turned);
        let mut run = Run { case, turned, near, random, cost: clock::cost() };
        let pairs = arguments.pairs as usize;
        let reference = run.reference::<D>(pairs)?;
        let [batch, prepared] = run.batch::<D>(pairs * BATCH_FACTOR)?;
        let measured: [Measured; Contender::ALL.len()] = [reference, batch, prepared];
        for (table, ratios) in tables.iter_mut().zip(measured.as_flattened()) {
            table.rows.push(Row { share, ratios: *ratios });
        }
        progress.inc(1);
    }
    Ok(tables)
}

/// Names and contents of all files.
fn files(tables: Vec<Table>, headline: &Headline, settings: &str) -> Result<Vec<(String, String)>> {
    let pictures = tables.iter().map(plot::svg).collect::<Result<Vec<_>>>()?;
    let tables: Vec<(Table, String)> = tables.into_iter().zip(pictures).collect();
    let page = page::html(&tables, headline, settings);
    let files = tables.into_iter().flat_map(|(table, svg)| {
        let name = table.name();
        [(format!("{name}.csv"), table.csv()), (format!("{name}.svg"), svg)]
    });
    Ok(files.chain([("index.html".to_owned(), page)]).collect())
}

/// Writes all files under temporary names first, so that a full disk leaves what was there.
fn write_all(directory: &Path, files: &[(String, String)]) -> Result<()> {
    let mut written = Vec::new();
    for (name, content) in files {
        let path = directory.join(name);
        let mut file = WholeFile::create(&path)?;
        let outcome = file.write_all(content.as_bytes()).and_then(|()| file.flush());
        outcome.map_err(|error| Failure(format!("{}: {error}", path.display())))?;
        written.push(file);
    }
    Ok(written.into_iter().try_for_each(WholeFile::commit)?)
}
