//! Many pairs at once.

use super::boxes::{self, Region};
use super::exact;
use crate::error::Result;
use crate::frames::{Aabb, Frames};
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
#[derive(Debug, Clone)]
pub struct Intersections<const D: usize> {
    request: Request,
    tested: usize,
    hits: usize,
    redone: u64,
    bits: Vec<u64>,
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
    /// If one of the sets moves the other may rest; if both move it must be for the same duration.
    pub fn test(&mut self, context: &Context, a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<()> {
        let _ = context;
        self.clear();
        let count = check_pairs(a, b, pairs)?;
        let duration = a.common_duration(b)?;
        (a.packed()?, b.packed()?);
        self.tested = count;
        self.bits.resize(count.div_ceil(64), 0);
        for k in 0..count {
            let [i, j] = nth(pairs, k).map(|i| i as usize);
            let (one, two) = (a.read(i), b.read(j));
            self.redone += 1;
            if exact::intersects(&one, &two, duration) {
                self.hits += 1;
                self.bits[k / 64] |= 1 << (k % 64);
                self.list.push(k as u32);
                let Region { times, world, local } = boxes::region(&one, &two, duration);
                self.times.push(times);
                self.boxes.push(world);
                self.local_boxes.push(local);
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        (self.tested, self.hits, self.redone) = (0, 0, 0);
        self.bits.clear();
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

/// The number of pairs, all of which name frames that exist.
fn check_pairs<const D: usize>(a: &Frames<D>, b: &Frames<D>, pairs: Pairs<'_>) -> Result<usize> {
    match pairs {
        Pairs::Listed(list) => {
            for &[i, j] in list {
                a.check_index(i as usize)?;
                b.check_index(j as usize)?;
            }
            Ok(list.len())
        }
        Pairs::Paired => {
            check::length("frames", 0, a.len(), b.len())?;
            Ok(a.len())
        }
        Pairs::One(i) => {
            a.check_index(i as usize)?;
            Ok(b.len())
        }
    }
}

/// The indices of the k-th pair.
fn nth(pairs: Pairs<'_>, k: usize) -> [u32; 2] {
    match pairs {
        Pairs::Listed(list) => list[k],
        Pairs::Paired => [k as u32; 2],
        Pairs::One(i) => [i, k as u32],
    }
}
