//! `carom fmb validate`: the batch test against the row-by-row reference and against SAT, on random pairs.

use std::fmt::Write as _;
use std::ops::Range;

use carom::fmb::ReferenceTest;
use carom::fmb::{Intersections, Pairs, Request};
use carom::{Context, Frame, sat};
use indicatif::ProgressBar;
use serde::Serialize;

use super::cases::{Case, Selection, Turned, draw_pair, stream};
use super::columns::Columns;
use super::{Outcome, Result, empty_set, progress_bar};
use crate::cli::{count, say};

const EXAMPLES: &str = "\
Examples:
  carom fmb validate                                       100,000 pairs of each of the four cases
  carom fmb validate --dim 3 --moving --pairs 1000000      as many as in the FMB paper, one case
  carom fmb validate --near --seed 7 --json                pairs with overlapping boxes, for scripts
  carom fmb validate --orientation upright --dim 3         boxes and tetrahedra that stand upright

Each frame is a cuboid or a tetrahedron with equal chance, its origin, components and velocity
uniform in [-100, 100] m (m/s), its determinant at least 0.1. Every pair is tested in both orders
by the batch test, by the row-by-row reference and by the separating axis theorem (SAT): six
answers that must be the same. Where they are not the pair is printed, in full, as a line for
carom fmb test, and the exit code is 1. The same seed gives the same pairs for any number of
threads. The memory used does not grow with the number of pairs.

Frames at right angles have sides of 40 to 160 m. Cells of a lattice touch; of such frames the
reference may say either, so that it is left out there and four answers must be the same.";

/// Pairs in memory at once.
const CHUNK: u64 = 1 << 16;
/// Pairs drawn or compared by one thread at once.
const PIECE: usize = 1 << 10;
/// Disagreements that are printed per case; all are counted.
const SHOWN: usize = 10;

/// Compares the batch test with the reference and with SAT on random pairs
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Arguments {
    /// Number of pairs of each case
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = count)]
    pairs: u64,
    /// Seed of the random pairs
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    selection: Selection,
    /// How the frames are turned
    #[arg(long, value_enum, default_value_t = Turned::Random)]
    orientation: Turned,
    /// Only pairs whose bounding boxes overlap
    #[arg(long)]
    near: bool,
    /// Number of threads, 0 for all cores
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,
    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Outcome> {
    let context = Context::with_threads(arguments.threads)?;
    let cases = arguments.selection.cases();
    let progress = progress_bar(arguments.pairs.saturating_mul(cases.len() as u64), "pairs");
    let mut reports = Vec::new();
    for case in cases {
        let Arguments { near, seed, orientation: turned, .. } = *arguments;
        let run = Run { case, turned, near, seed, context: &context };
        reports.push(match case.dim {
            2 => run.all::<2>(arguments.pairs, &progress)?,
            _ => run.all::<3>(arguments.pairs, &progress)?,
        });
    }
    progress.finish_and_clear();
    let agree = reports.iter().all(|report| report.disagreements == 0);
    let text = if arguments.json {
        let Arguments { seed, near, orientation, .. } = *arguments;
        let summary = Summary { seed, near, orientation: orientation.name(), agree, cases: &reports };
        serde_json::to_string(&summary).expect("numbers and strings always have a JSON form") + "\n"
    } else {
        reports.iter().map(Report::as_text).collect::<Vec<_>>().join("\n")
    };
    say(&text)?;
    Ok(if agree { Outcome::Success } else { Outcome::No })
}

#[derive(Serialize)]
struct Summary<'a> {
    seed: u64,
    near: bool,
    orientation: String,
    agree: bool,
    cases: &'a [Report],
}

/// The outcome of the validation of one case.
#[derive(Serialize)]
struct Report {
    #[serde(skip)]
    case: Case,
    #[serde(skip)]
    turned: Turned,
    dim: u8,
    moving: bool,
    pairs: u64,
    /// Tests that hit, of two for each pair: one in each order.
    intersections: u64,
    /// Tests that missed.
    no_intersections: u64,
    /// Tests of the batch that needed exact arithmetic.
    exact_redone: u64,
    /// Pairs whose answers differ.
    disagreements: u64,
    /// The names of the columns of the pairs shown.
    columns: String,
    /// The first pairs whose answers differ.
    shown: Vec<Disagreement>,
}

/// A pair, and the answers of the contenders.
#[derive(Serialize)]
struct Disagreement {
    pair: String,
    answers: Answers,
}

/// Whether the pair intersects, in the order given and the other way round.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
struct Answers {
    batch: [bool; 2],
    /// `None` where the reference is left out.
    reference: Option<[bool; 2]>,
    sat: [bool; 2],
}

impl Answers {
    fn agree(&self) -> bool {
        let all = [self.batch, self.reference.unwrap_or(self.batch), self.sat];
        all.as_flattened().iter().all(|answer| *answer == all[0][0])
    }
}

impl Report {
    fn new(case: Case, turned: Turned, pairs: u64) -> Self {
        let Case { dim, moving } = case;
        let columns = match dim {
            2 => Columns::<2> { moving }.names(),
            _ => Columns::<3> { moving }.names(),
        };
        Self {
            case,
            turned,
            dim,
            moving,
            pairs,
            intersections: 0,
            no_intersections: 0,
            exact_redone: 0,
            disagreements: 0,
            columns: columns.join(","),
            shown: Vec::new(),
        }
    }

    fn as_text(&self) -> String {
        let Self { pairs, intersections, no_intersections, exact_redone, disagreements, .. } = self;
        let (title, tag) = (self.case.title() + &self.turned.remark(), self.case.tag());
        let contenders = if self.turned.touches() { "batch and SAT" } else { "batch, reference and SAT" };
        let outcome = if *disagreements == 0 { "has succeeded" } else { "has failed" };
        let mut text = format!(
            "===== {title} =====\n\
             Validation{tag} {outcome}.\n\
             Tested {intersections} intersections and {no_intersections} no intersections\n\
             {pairs} pairs in both orders by {contenders}: {disagreements} disagreements\n\
             {exact_redone} tests of the batch were decided in exact arithmetic\n"
        );
        if let Some(hidden) =
            disagreements.checked_sub(self.shown.len() as u64).filter(|n| *n < *disagreements)
        {
            text += &self.columns;
            text.push('\n');
            self.shown.iter().for_each(|shown| shown.add_to(&mut text));
            if hidden > 0 {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "and {hidden} more");
            }
        }
        text
    }
}

impl Disagreement {
    fn add_to(&self, text: &mut String) {
        let Answers { batch, reference, sat } = self.answers;
        let said = |[forward, backward]: [bool; 2]| {
            let word = |hit| if hit { "intersection" } else { "no intersection" };
            format!("{}; the other way round {}", word(forward), word(backward))
        };
        let reference = reference.map_or_else(|| "left out".to_owned(), said);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}\n  batch: {}\n  reference: {reference}\n  SAT: {}",
            self.pair,
            said(batch),
            said(sat)
        );
    }
}

/// The validation of one case.
struct Run<'a> {
    case: Case,
    turned: Turned,
    near: bool,
    seed: u64,
    context: &'a Context,
}

impl Run<'_> {
    fn all<const D: usize>(&self, pairs: u64, progress: &ProgressBar) -> Result<Report> {
        let mut report = Report::new(self.case, self.turned, pairs);
        let mut sets = [empty_set::<D>(self.case.duration())?, empty_set(self.case.duration())?];
        let request = Request::COUNT.with_bits(true);
        let mut found = [Intersections::new(request), Intersections::new(request)];
        for start in (0..pairs).step_by(CHUNK as usize) {
            let count = (pairs - start).min(CHUNK);
            let frames = self.draw::<D>(start, count as usize);
            for (side, set) in sets.iter_mut().enumerate() {
                set.clear();
                set.add_many(&frames.iter().map(|pair| pair[side]).collect::<Vec<_>>())?;
            }
            found[0].test(self.context, &sets[0], &sets[1], Pairs::Paired)?;
            found[1].test(self.context, &sets[1], &sets[0], Pairs::Paired)?;
            self.compare(&frames, &found, &mut report);
            progress.inc(count);
        }
        Ok(report)
    }

    /// Pairs `start..start + count` of the run, the same however it is divided.
    fn draw<const D: usize>(&self, start: u64, count: usize) -> Vec<[Frame<D>; 2]> {
        let piece = |range: Range<usize>| {
            let first = start + range.start as u64;
            let parts = [self.case.number(), u64::from(self.near), first];
            let mut random = stream(self.seed, &parts, self.turned);
            range.map(|_| draw_pair(&mut random, self.case, self.near)).collect::<Vec<_>>()
        };
        self.context.map_chunks(count, PIECE, piece).concat()
    }

    fn compare<const D: usize>(
        &self,
        frames: &[[Frame<D>; 2]],
        found: &[Intersections<D>; 2],
        report: &mut Report,
    ) {
        let piece = |range: Range<usize>| {
            let mut reference = ReferenceTest::new();
            let answered = range.map(|pair| (pair, self.answers(pair, &frames[pair], found, &mut reference)));
            answered.filter(|(_, answers)| !answers.agree()).collect::<Vec<_>>()
        };
        let columns = Columns::<D> { moving: self.case.moving };
        for (pair, answers) in self.context.map_chunks(frames.len(), PIECE, piece).concat() {
            report.disagreements += 1;
            if report.shown.len() < SHOWN {
                report.shown.push(Disagreement { pair: columns.line(&frames[pair]), answers });
            }
        }
        for outcome in found {
            report.intersections += outcome.hits() as u64;
            report.no_intersections += (outcome.tested() - outcome.hits()) as u64;
            report.exact_redone += outcome.redone();
        }
    }

    fn answers<const D: usize>(
        &self,
        pair: usize,
        [a, b]: &[Frame<D>; 2],
        found: &[Intersections<D>; 2],
        reference: &mut ReferenceTest<D>,
    ) -> Answers {
        let duration = self.case.duration();
        let mut refer = |a, b| reference.test(a, b, duration).is_some();
        Answers {
            batch: found.each_ref().map(|found| found.bits()[pair / 64] >> (pair % 64) & 1 == 1),
            reference: (!self.turned.touches()).then(|| [refer(a, b), refer(b, a)]),
            sat: [sat::intersects(a, b, duration), sat::intersects(b, a, duration)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disagreement_is_told_in_full() {
        let case = Case { dim: 2, moving: false };
        let mut report = Report::new(case, Turned::Random, 10);
        assert!(report.as_text().contains("Validation2D has succeeded.\n"), "{}", report.as_text());
        let answers = Answers { batch: [true; 2], reference: Some([true; 2]), sat: [true, false] };
        assert!(!answers.agree() && Answers { sat: [true; 2], ..answers }.agree());
        report.shown.push(Disagreement { pair: "C,1.0".into(), answers });
        report.disagreements = 3;
        let told = report.as_text();
        assert!(told.contains("Validation2D has failed.\n"), "{told}");
        assert!(told.contains("a_type,a_o0,a_o1,a_c00,a_c01,a_c10,a_c11,b_type,"), "{told}");
        assert!(told.contains("C,1.0\n  batch: intersection; the other way round intersection\n"), "{told}");
        assert!(
            told.contains("  SAT: intersection; the other way round no intersection\nand 2 more\n"),
            "{told}"
        );
    }
}
