//! Many pairs at once.

use std::ops::Range;

use super::locate::{self, Locate};
use super::search::{Abreast, CHUNK, OneWithAll, PairSource, Search, Tally, Task};
use crate::error::{Error, Result};
use crate::frames::Frames;
use crate::frames::rows::RowReader;
use crate::geometry::Aabb;
use crate::particles::check;
use crate::soa::Context;

/// What a test shall give besides the number of hits. What is not asked for costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Request {
    /// One bit a pair.
    pub bits: bool,
    /// The pairs that intersect, as a list.
    pub list: bool,
    /// For each entry of the list, the interval of time in which the frames overlap.
    pub times: bool,
    /// For each entry of the list, the tight box of the overlap in world coordinates.
    pub boxes: bool,
    /// For each entry of the list, the tight box of the overlap in the coordinates of the second frame.
    pub local_boxes: bool,
}

impl Request {
    /// Only how many pairs intersect.
    pub const COUNT: Self = Self { bits: false, list: false, times: false, boxes: false, local_boxes: false };
    /// Which pairs intersect, as bits and as a list.
    pub const HITS: Self = Self { bits: true, list: true, ..Self::COUNT };
    /// Everything.
    pub const ALL: Self = Self { times: true, boxes: true, local_boxes: true, ..Self::HITS };

    fn needs_regions(self) -> bool {
        self.times || self.boxes || self.local_boxes
    }

    fn needs_list(self) -> bool {
        self.list || self.needs_regions()
    }
}

/// Which frames of a set A are tested against which frames of a set B.
#[derive(Debug, Clone, Copy)]
pub enum Pairs<'a> {
    /// Frame `pair[0]` of A against frame `pair[1]` of B, for each pair.
    Listed(&'a [[u32; 2]]),
    /// The i-th frame of A against the i-th of B; both sets must be equally long.
    Paired,
    /// One frame of A against each of B.
    One(u32),
}

/// The outcome of tests: an object that keeps its memory, so that a test allocates nothing once it has grown.
///
/// Which pairs intersect is exact. Times and boxes are those of the overlap but for some roundings of the largest length of
/// the pair: sizes, distance and ways of its frames.
#[derive(Debug, Clone)]
pub struct Intersections<const D: usize> {
    request: Request,
    tested: usize,
    hits: usize,
    redone: u64,
    bits: Vec<u64>,
    tallies: Vec<Tally>,
    list: Vec<u32>,
    times: Vec<[f64; 2]>,
    boxes: Vec<Aabb<D>>,
    local_boxes: Vec<Aabb<D>>,
}

impl<const D: usize> Intersections<D> {
    /// No outcome yet; tests will give what is asked for.
    #[must_use]
    pub fn new(request: Request) -> Self {
        Self {
            request,
            tested: 0,
            hits: 0,
            redone: 0,
            bits: Vec::new(),
            tallies: Vec::new(),
            list: Vec::new(),
            times: Vec::new(),
            boxes: Vec::new(),
            local_boxes: Vec::new(),
        }
    }

    /// What tests give.
    #[must_use]
    pub fn request(&self) -> Request {
        self.request
    }

    /// Tests pairs of frames of `a` and of `b`, which may be one and the same set. The outcome replaces that of the test
    /// before; after an error there is none.
    ///
    /// If one of the sets moves the other may rest; if both move it must be for the same duration. There may be up to
    /// 2^32 - 1 pairs.
    pub fn test(&mut self, context: &Context, a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<()> {
        let outcome = self.renew(context, a, b, pairs);
        if outcome.is_err() {
            self.clear();
        }
        outcome
    }

    /// Of what is written as a whole the entries of the test before stay until then.
    fn renew(&mut self, context: &Context, a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<()> {
        self.bits.clear();
        self.tallies.clear();
        let count = count_pairs(a, b, pairs)?;
        let task = Task { a, b, records: [a.records()?, b.records()?], duration: a.common_duration(b)? };
        self.bits.resize(count.div_ceil(64), 0);
        self.tallies.resize(count.div_ceil(CHUNK), Tally::default());
        match pairs {
            Pairs::Listed(list) => self.find(context, &task, count, list),
            Pairs::Paired => self.find(context, &task, count, Abreast),
            Pairs::One(i) => self.find(context, &task, count, OneWithAll(i)),
        }
    }

    /// Fills in everything asked for.
    fn find(
        &mut self,
        context: &Context,
        task: &Task<D>,
        count: usize,
        source: impl PairSource,
    ) -> Result<()> {
        let search =
            Search { task, source, pairs: 0..count, bits: &mut self.bits, tallies: &mut self.tallies };
        context.run(search, CHUNK);
        if let Some(chunk) = self.tallies.iter().position(|tally| tally.astray) {
            return Err(stray_pair(task, source, chunk * CHUNK..count));
        }
        self.tested = count;
        self.hits = self.tallies.iter().map(|tally| tally.hits as usize).sum();
        self.redone = self.tallies.iter().map(|tally| u64::from(tally.redone)).sum();
        if self.request.needs_list() {
            self.list.resize(self.hits, 0);
            list_ones(&self.bits, &mut self.list);
        }
        if self.request.needs_regions() {
            self.locate(context, task, source);
        }
        if !self.request.bits {
            self.bits.clear();
        }
        Ok(())
    }

    /// Finds out where and when the pairs of the list overlap.
    fn locate(&mut self, context: &Context, task: &Task<D>, source: impl PairSource) {
        let room = |wanted: bool| if wanted { self.list.len() } else { 0 };
        self.times.resize(room(self.request.times), [0.0; 2]);
        self.boxes.resize(room(self.request.boxes), Aabb::EMPTY);
        self.local_boxes.resize(room(self.request.local_boxes), Aabb::EMPTY);
        // Frames at rest have no times.
        let is_trivial = task.duration.is_none() && !self.request.boxes && !self.request.local_boxes;
        let hits = if is_trivial { &[] } else { &self.list[..] };
        if is_trivial {
            self.times.fill([0.0; 2]);
        }
        let readers = readers(context, task, source, hits.len());
        let locate = Locate {
            task,
            readers: &readers,
            source,
            hits,
            times: &mut self.times,
            boxes: &mut self.boxes,
            local_boxes: &mut self.local_boxes,
        };
        context.run(locate, locate::CHUNK);
        if !self.request.list {
            self.list.clear();
        }
    }

    fn clear(&mut self) {
        (self.tested, self.hits, self.redone) = (0, 0, 0);
        self.bits.clear();
        self.tallies.clear();
        self.list.clear();
        self.times.clear();
        self.boxes.clear();
        self.local_boxes.clear();
    }

    /// Number of pairs tested.
    #[must_use]
    pub fn tested(&self) -> usize {
        self.tested
    }

    /// Number of pairs that intersect.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.hits
    }

    /// Number of pairs that were too close to call in floating point and were decided again in exact arithmetic.
    #[must_use]
    pub fn redone(&self) -> u64 {
        self.redone
    }

    /// One bit a pair: pair k intersects if bit `k % 64` of entry `k / 64` is set. Empty if not asked for.
    #[must_use]
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The numbers of the pairs that intersect, ascending. Empty if not asked for.
    #[must_use]
    pub fn list(&self) -> &[u32] {
        &self.list
    }

    /// For each entry of the list the first and last time of overlap, in seconds; `[0, 0]` for frames at rest. Empty if
    /// not asked for.
    #[must_use]
    pub fn times(&self) -> &[[f64; 2]] {
        &self.times
    }

    /// For each entry of the list the smallest box around the overlap over all times, in metres. Empty if not asked for.
    #[must_use]
    pub fn boxes(&self) -> &[Aabb<D>] {
        &self.boxes
    }

    /// For each entry of the list the smallest box around the overlap over all times, in the coordinates X of the frame of
    /// B, each from 0 to 1. Empty if not asked for.
    #[must_use]
    pub fn local_boxes(&self) -> &[Aabb<D>] {
        &self.local_boxes
    }
}

/// What reads the frames of hits.
fn readers<'a, const D: usize>(
    context: &Context,
    task: &Task<'a, D>,
    source: impl PairSource,
    hits: usize,
) -> [RowReader<'a, D>; 2] {
    let scattered = source.runs(0..hits).is_none();
    [task.a, task.b].map(|set| if scattered { set.rows_for_many(context, hits) } else { set.rows() })
}

/// The number of pairs. Those of a list may still name frames that do not exist.
fn count_pairs<const D: usize>(a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<usize> {
    let count = match pairs {
        Pairs::Listed(list) => list.len(),
        Pairs::Paired => {
            check::length("frames", 0, a.len(), b.len())?;
            a.len()
        }
        Pairs::One(i) => {
            a.check_index(i as usize)?;
            b.len()
        }
    };
    let fits = u32::try_from(count).is_ok();
    let too_many =
        || Error::OutOfRange { field: "pairs", value: count as f64, expected: "at most 4294967295" };
    if fits { Ok(count) } else { Err(too_many()) }
}

/// What is wrong with the first pair of a range that names a frame that does not exist.
fn stray_pair<const D: usize>(task: &Task<D>, source: impl PairSource, range: Range<usize>) -> Error {
    let check = |k: usize| {
        let [i, j] = source.pair(k);
        task.a.check_index(i as usize).and(task.b.check_index(j as usize)).err()
    };
    range.into_iter().find_map(check).expect("the search has met such a pair")
}

/// Writes the numbers of the bits that are set, ascending, of which there are as many as there is room.
fn list_ones(words: &[u64], list: &mut [u32]) {
    let mut places = list.iter_mut();
    for (&word, first) in words.iter().zip((0..).step_by(64)) {
        let mut rest = word;
        for place in places.by_ref().take(word.count_ones() as usize) {
            *place = first + rest.trailing_zeros();
            rest &= rest - 1;
        }
    }
}
