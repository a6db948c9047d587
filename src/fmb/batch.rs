//! Many pairs at once.

use std::ops::Range;

use super::Request;
use super::locate::{self, LocateHits};
use super::normals::{Contact, ContactsOfHits};
use super::prefetch::NextPairs;
use super::search::{CHUNK, ChunkCounts, HitSearch, OneWithAll, PairSource, SameIndex, TestedSets};
use crate::error::{Error, Result};
use crate::frames::Frames;
use crate::frames::rows::RowReader;
use crate::geometry::Aabb;
use crate::particles::check;
use crate::soa::{Context, memory};

/// Which frames of a set A are tested against which frames of a set B.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
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
/// Which pairs intersect is exact. Times are those of the overlap within 1e-9 of the duration, boxes within 1e-8 of the
/// largest component of both frames and a rounding of the coordinate, boxes in the coordinates of a frame within 1e-8. Times
/// and boxes in the world do not depend on the order of a pair, to the bit, and no result on what else is requested.
#[derive(Debug, Clone)]
pub struct Intersections<const D: usize> {
    request: Request,
    tested: usize,
    hits: usize,
    redone: u64,
    bounds_redone: u64,
    bits: Vec<u64>,
    chunks: Vec<ChunkCounts>,
    redone_of_chunks: Vec<u32>,
    list: Vec<u32>,
    times: Vec<[f64; 2]>,
    boxes: Vec<Aabb<D>>,
    local_boxes: Vec<Aabb<D>>,
    normals: Vec<Contact<D>>,
}

impl<const D: usize> Intersections<D> {
    /// An empty outcome; tests will compute what is requested.
    #[must_use]
    pub fn new(request: Request) -> Self {
        Self {
            request,
            tested: 0,
            hits: 0,
            redone: 0,
            bounds_redone: 0,
            bits: Vec::new(),
            chunks: Vec::new(),
            redone_of_chunks: Vec::new(),
            list: Vec::new(),
            times: Vec::new(),
            boxes: Vec::new(),
            local_boxes: Vec::new(),
            normals: Vec::new(),
        }
    }

    /// What tests compute.
    #[must_use]
    pub fn request(&self) -> Request {
        self.request
    }

    /// Tests pairs of frames of `a` and of `b`, which may be one and the same set. The outcome replaces that of the previous
    /// test; after an error it is empty.
    ///
    /// If one of the sets moves the other may be at rest; if both move it must be for the same duration. There may be up
    /// to 2^32 - 1 pairs.
    pub fn test(&mut self, context: &Context, a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<()> {
        let outcome = self.renew(context, a, b, pairs);
        if outcome.is_err() {
            self.clear();
        }
        outcome
    }

    /// Lists that are overwritten as a whole keep their old entries until then.
    fn renew(&mut self, context: &Context, a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<()> {
        self.bits.clear();
        self.chunks.clear();
        let count = count_pairs(a, b, pairs)?;
        let sets =
            TestedSets { a, b, records: [a.records()?, b.records()?], duration: a.common_duration(b)? };
        memory::resize(&mut self.bits, count.div_ceil(64), 0)?;
        memory::resize(&mut self.chunks, count.div_ceil(CHUNK), ChunkCounts::default())?;
        match pairs {
            Pairs::Listed(list) => self.find(context, &sets, count, list),
            Pairs::Paired => self.find(context, &sets, count, SameIndex),
            Pairs::One(i) => self.find(context, &sets, count, OneWithAll(i)),
        }
    }

    /// Fills in everything that is requested.
    fn find(
        &mut self,
        context: &Context,
        sets: &TestedSets<D>,
        count: usize,
        source: impl PairSource,
    ) -> Result<()> {
        let search =
            HitSearch { sets, source, pairs: 0..count, bits: &mut self.bits, chunks: &mut self.chunks };
        context.run(search, CHUNK);
        if let Some(chunk) = self.chunks.iter().position(|chunk| chunk.has_bad_index) {
            return Err(bad_pair(sets, source, chunk * CHUNK..count));
        }
        self.tested = count;
        self.hits = self.chunks.iter().map(|chunk| chunk.hits as usize).sum();
        self.redone = self.chunks.iter().map(|chunk| u64::from(chunk.redone)).sum();
        self.bounds_redone = 0;
        if self.request.needs_list() {
            memory::resize(&mut self.list, self.hits, 0)?;
            list_ones(&self.bits, &mut self.list);
        }
        if self.request.needs_regions() {
            self.locate(context, sets, source)?;
        }
        if self.request.normals {
            self.find_normals(context, sets, source)?;
        }
        if !self.request.list {
            self.list.clear();
        }
        if !self.request.bits {
            self.bits.clear();
        }
        Ok(())
    }

    /// Computes when and where the pairs of the list overlap.
    fn locate(&mut self, context: &Context, sets: &TestedSets<D>, source: impl PairSource) -> Result<()> {
        let room = |wanted: bool| if wanted { self.list.len() } else { 0 };
        memory::resize(&mut self.times, room(self.request.times), [0.0; 2])?;
        memory::resize(&mut self.boxes, room(self.request.boxes), Aabb::EMPTY)?;
        memory::resize(&mut self.local_boxes, room(self.request.local_boxes), Aabb::EMPTY)?;
        // The times of frames at rest are 0.
        let is_trivial = sets.duration.is_none() && !self.request.boxes && !self.request.local_boxes;
        let hits = if is_trivial { &[] } else { &self.list[..] };
        if is_trivial {
            self.times.fill([0.0; 2]);
        }
        self.redone_of_chunks.clear();
        memory::resize(&mut self.redone_of_chunks, hits.len().div_ceil(locate::CHUNK), 0)?;
        let rows = rows_of_hits(context, sets, source, hits.len());
        let locate = LocateHits {
            sets,
            rows: &rows,
            source,
            single: self.request.single,
            hits,
            times: &mut self.times,
            boxes: &mut self.boxes,
            local_boxes: &mut self.local_boxes,
            redone: &mut self.redone_of_chunks,
        };
        context.run(locate, locate::CHUNK);
        self.bounds_redone = self.redone_of_chunks.iter().map(|&redone| u64::from(redone)).sum();
        Ok(())
    }

    /// Computes how the pairs of the list are in contact.
    fn find_normals(
        &mut self,
        context: &Context,
        sets: &TestedSets<D>,
        source: impl PairSource,
    ) -> Result<()> {
        memory::resize(&mut self.normals, self.list.len(), Contact::NONE)?;
        let rows = rows_of_hits(context, sets, source, self.list.len());
        let (hits, contacts) = (&self.list[..], &mut self.normals[..]);
        let find = ContactsOfHits { sets, rows: &rows, source, hits, contacts };
        context.run(find, locate::CHUNK);
        Ok(())
    }

    fn clear(&mut self) {
        (self.tested, self.hits, self.redone, self.bounds_redone) = (0, 0, 0, 0);
        self.bits.clear();
        self.chunks.clear();
        self.list.clear();
        self.times.clear();
        self.boxes.clear();
        self.local_boxes.clear();
        self.normals.clear();
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

    /// Number of pairs that rounded numbers left undecided and that were decided in exact arithmetic.
    #[must_use]
    pub fn redone(&self) -> u64 {
        self.redone
    }

    /// Number of hits whose times or boxes the lanes could not give as exactly as promised and that were computed again with
    /// more precision.
    #[must_use]
    pub fn bounds_redone(&self) -> u64 {
        self.bounds_redone
    }

    /// One bit per pair: pair k intersects if bit `k % 64` of entry `k / 64` is set. Empty if not requested.
    #[must_use]
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The numbers of the pairs that intersect, ascending. Empty if not requested.
    #[must_use]
    pub fn list(&self) -> &[u32] {
        &self.list
    }

    /// For each entry of the list the first and last time of overlap, in seconds; `[0, 0]` for frames at rest. Empty if
    /// not requested.
    #[must_use]
    pub fn times(&self) -> &[[f64; 2]] {
        &self.times
    }

    /// For each entry of the list the smallest box around the overlap over all times, in metres. Empty if not requested.
    #[must_use]
    pub fn boxes(&self) -> &[Aabb<D>] {
        &self.boxes
    }

    /// For each entry of the list the smallest box around the overlap over all times, in the coordinates X of the frame of
    /// B, each from 0 to 1. Empty if not requested.
    #[must_use]
    pub fn local_boxes(&self) -> &[Aabb<D>] {
        &self.local_boxes
    }

    /// For each entry of the list how the frames are in contact: its normal points from the frame of A to that of B. Empty
    /// if not requested.
    #[must_use]
    pub fn normals(&self) -> &[Contact<D>] {
        &self.normals
    }
}

/// The frames of both sets, as it pays to read those of hits.
fn rows_of_hits<'a, const D: usize>(
    context: &Context,
    sets: &TestedSets<'a, D>,
    source: impl PairSource,
    hits: usize,
) -> [RowReader<'a, D>; 2] {
    let scattered = matches!(source.next(0..hits), NextPairs::Listed(_));
    [sets.a, sets.b].map(|set| if scattered { set.rows_for_many(context, hits) } else { set.rows() })
}

/// The number of pairs. Those of a list may still have indices out of range.
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

/// The error of the first pair of a range that has an index out of range.
fn bad_pair<const D: usize>(sets: &TestedSets<D>, source: impl PairSource, range: Range<usize>) -> Error {
    let check = |k: usize| {
        let [i, j] = source.pair(k);
        sets.a.check_index(i as usize).and(sets.b.check_index(j as usize)).err()
    };
    range.into_iter().find_map(check).expect("the search has found such a pair")
}

/// Writes the numbers of the bits that are set, ascending; the list has as many entries.
fn list_ones(words: &[u64], list: &mut [u32]) {
    let mut entries = list.iter_mut();
    for (&word, first) in words.iter().zip((0..).step_by(64)) {
        let mut rest = word;
        for entry in entries.by_ref().take(word.count_ones() as usize) {
            *entry = first + rest.trailing_zeros();
            rest &= rest - 1;
        }
    }
}
