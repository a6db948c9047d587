//! Times of FMB over times of SAT on the same pairs.

use std::hint::black_box;
use std::time::Duration;

use carom::fmb::ReferenceTest;
use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::{Context, Frame, FrameField, Frames, sat};

use super::super::cases::{Case, Turned, draw_pair};
use super::super::clock;
use super::super::columns::Columns;
use super::super::{Failure, Result, empty_set};
use super::table::{ByOutcome, CLASSES, class};
use crate::cli::interrupt;

/// Ratios by class, the total first, and by outcome.
pub(super) type Measured = [ByOutcome; CLASSES.len()];

/// Rounds in which the contenders alternate on the same pairs; the best time of each counts.
const ROUNDS: usize = 3;
/// Time of one measurement of SAT on one pair, about: long compared with asking for the time.
const TURN: Duration = Duration::from_micros(12);
/// Pairs in a block of the batch test, at least, if there are as many.
const BLOCK: usize = 512;
/// Pairs of the batch test for each pair of the reference, which takes far longer.
pub(super) const BATCH_FACTOR: usize = 16;

/// One run of a case: its own random pairs.
pub(super) struct Run {
    pub(super) case: Case,
    pub(super) turned: Turned,
    pub(super) near: bool,
    pub(super) random: RandomFrames,
    /// How long it takes to ask for the time, which is taken off.
    pub(super) cost: Duration,
}

impl Run {
    /// The reference and SAT, pair by pair and in both orders, each test repeated until it can be timed.
    pub(super) fn reference<const D: usize>(&mut self, pairs: usize) -> Result<Measured> {
        let repeat = self.repeats::<D>();
        let mut measured = Measured::default();
        let mut reference = ReferenceTest::new();
        for _ in 0..pairs {
            if interrupt::is_requested() {
                break;
            }
            let [a, b] = self.draw::<D>();
            for pair in [[a, b], [b, a]] {
                let hit = self.agreed(&mut reference, &pair)?;
                let ratio = self.reference_ratio(&mut reference, &pair, repeat);
                add(&mut measured, &pair, hit, ratio, 1);
            }
        }
        Ok(measured)
    }

    /// The batch test and SAT, on blocks of pairs of one class and outcome, in both orders; without and with preparation of the
    /// frames.
    pub(super) fn batch<const D: usize>(&mut self, pairs: usize) -> Result<[Measured; 2]> {
        let mut groups: [[Vec<[Frame<D>; 2]>; 2]; CLASSES.len()] = Default::default();
        for _ in 0..pairs {
            if interrupt::is_requested() {
                break;
            }
            let [a, b] = self.draw::<D>();
            for pair in [[a, b], [b, a]] {
                groups[class_of(&pair)][usize::from(self.separating_axes(&pair))].push(pair);
            }
        }
        let mut measured = [Measured::default(); 2];
        for (hit, group) in groups.iter().flat_map(|group| [false, true].into_iter().zip(group)) {
            let blocks = (group.len() / BLOCK).max(1);
            for block in group.chunks(group.len().div_ceil(blocks).max(1)) {
                if interrupt::is_requested() {
                    break;
                }
                let ratios = self.batch_ratios(block, hit)?;
                for (measured, ratio) in measured.iter_mut().zip(ratios) {
                    add(measured, &block[0], hit, ratio, block.len() as u64);
                }
            }
        }
        Ok(measured)
    }

    fn draw<const D: usize>(&mut self) -> [Frame<D>; 2] {
        draw_pair(&mut self.random, self.case, self.near)
    }

    fn separating_axes<const D: usize>(&self, [a, b]: &[Frame<D>; 2]) -> bool {
        sat::intersects(black_box(a), black_box(b), self.case.duration())
    }

    /// How often SAT must be repeated on one pair to be timed.
    fn repeats<const D: usize>(&mut self) -> u32 {
        let pairs: Vec<_> = (0..256).map(|_| self.draw::<D>()).collect();
        let all = self.time(|| pairs.iter().filter(|pair| self.separating_axes(pair)).count());
        let one = all.as_secs_f64() / pairs.len() as f64;
        (TURN.as_secs_f64() / one.max(1e-9)).ceil() as u32
    }

    /// The answer that the reference and SAT give; that of SAT if frames touch.
    fn agreed<const D: usize>(&self, reference: &mut ReferenceTest<D>, pair: &[Frame<D>; 2]) -> Result<bool> {
        let hit = self.separating_axes(pair);
        if self.turned.touches() || reference.test(&pair[0], &pair[1], self.case.duration()).is_some() == hit
        {
            return Ok(hit);
        }
        let columns = Columns::<D> { moving: self.case.moving };
        let (names, line) = (columns.names().join(","), columns.line(pair));
        Err(Failure(format!("the reference and SAT differ on this pair; please report it\n{names}\n{line}")))
    }

    fn reference_ratio<const D: usize>(
        &self,
        reference: &mut ReferenceTest<D>,
        pair: &[Frame<D>; 2],
        repeat: u32,
    ) -> f64 {
        let [a, b] = pair;
        let duration = self.case.duration();
        let mut best = [Duration::MAX; 2];
        for _ in 0..ROUNDS {
            let fmb = self.time(|| {
                for _ in 0..repeat {
                    black_box(reference.test(black_box(a), black_box(b), duration));
                }
            });
            let sat = self.time(|| {
                for _ in 0..repeat {
                    black_box(self.separating_axes(pair));
                }
            });
            best = [best[0].min(fmb), best[1].min(sat)];
        }
        ratio(best)
    }

    /// Time of the batch test over that of SAT, without and with the preparation of its frames.
    fn batch_ratios<const D: usize>(&self, pairs: &[[Frame<D>; 2]], hit: bool) -> Result<[f64; 2]> {
        let set = |side: usize| {
            let mut set = empty_set(self.case.duration())?;
            set.add_many(&pairs.iter().map(|pair| pair[side]).collect::<Vec<_>>())?;
            Ok::<_, Failure>(set)
        };
        let (mut sets, context) = ([set(0)?, set(1)?], Context::serial());
        let mut found = Intersections::new(Request::COUNT.with_bits(true));
        // The first test allocates memory for the results.
        found.test(&context, &sets[0], &sets[1], Pairs::Paired)?;
        if found.hits() != if hit { pairs.len() } else { 0 } {
            let said = "the batch test and SAT differ on some pair; carom fmb validate may find it";
            return Err(Failure(said.into()));
        }
        let mut best = [Duration::MAX; 3];
        for _ in 0..ROUNDS {
            let prepare = self.prepare(&context, &mut sets)?;
            let (fmb, outcome) = clock::time(|| found.test(&context, &sets[0], &sets[1], Pairs::Paired));
            outcome?;
            let sat = self.time(|| pairs.iter().filter(|pair| self.separating_axes(pair)).count());
            let round = [prepare, fmb.saturating_sub(self.cost), sat];
            best.iter_mut().zip(round).for_each(|(best, time)| *best = (*best).min(time));
        }
        let [prepare, fmb, sat] = best;
        Ok([ratio([fmb, sat]), ratio([prepare + fmb, sat])])
    }

    /// Checking and packing all frames after a change.
    fn prepare<const D: usize>(&self, context: &Context, sets: &mut [Frames<D>; 2]) -> Result<Duration> {
        sets.iter_mut().try_fold(Duration::ZERO, |sum, set| {
            set.column_mut(FrameField::Origin, 0)?;
            let (elapsed, outcome) = clock::time(|| set.update(context));
            outcome?;
            Ok(sum + elapsed.saturating_sub(self.cost))
        })
    }

    /// Time of the processor that this thread needs for something.
    fn time<T>(&self, run: impl FnOnce() -> T) -> Duration {
        let (elapsed, outcome) = clock::time(run);
        black_box(outcome);
        elapsed.saturating_sub(self.cost)
    }
}

fn class_of<const D: usize>(pair: &[Frame<D>; 2]) -> usize {
    class(pair.map(|frame| frame.kind))
}

/// Adds a ratio to its class and to the total.
fn add<const D: usize>(measured: &mut Measured, pair: &[Frame<D>; 2], hit: bool, ratio: f64, pairs: u64) {
    for class in [0, class_of(pair)] {
        measured[class][usize::from(hit)].add(ratio, pairs);
    }
}

/// At least one tick, for a clock that is too coarse.
fn ratio([fmb, sat]: [Duration; 2]) -> f64 {
    fmb.as_nanos().max(1) as f64 / sat.as_nanos().max(1) as f64
}
