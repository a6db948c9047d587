//! Which pairs of random frames are tested, cut into parts that take well below a millisecond.

use carom::fmb::{Intersections, Pairs};
use carom::frames::random::RandomFrames;
use carom::{Context, Frame, Frames};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How long moving frames move, in seconds.
pub(crate) const DURATION: f64 = 1.0;

/// Frames from which pairs are drawn: their records fit into the L2 cache.
const FRAMES: usize = 4096;

/// Pairs in a part.
pub(crate) const PART: usize = 1 << 14;

/// Where the pairs come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairOrigin {
    /// Any two of few frames.
    Random,
    /// Two of few frames whose boxes overlap.
    Near,
    /// The i-th frames of two sets that do not fit into a cache.
    Paired,
}

impl PairOrigin {
    pub(crate) const ALL: [Self; 3] = [Self::Random, Self::Near, Self::Paired];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Random => "random among 4,096",
            Self::Near => "near ones among 4,096",
            Self::Paired => "2^18 side by side",
        }
    }

    fn parts(self) -> usize {
        match self {
            Self::Random | Self::Near => 8,
            Self::Paired => 16,
        }
    }
}

/// A part of the pairs, as a call of the batch test takes them.
enum PairsOfPart<const D: usize> {
    Listed(Vec<[u32; 2]>),
    SideBySide(Box<[Frames<D>; 2]>),
}

/// Pairs of frames that all rest or all move for [`DURATION`].
pub(crate) struct Work<const D: usize> {
    pub(crate) frames: Frames<D>,
    parts: Vec<PairsOfPart<D>>,
}

impl<const D: usize> Work<D> {
    pub(crate) fn new(source: PairOrigin, moving: bool) -> Self {
        let mut random = RandomFrames::new(D as u64);
        let mut set = |count: usize| random_set(&mut random, count, moving);
        let frames = set(FRAMES);
        let mut list =
            RandomPairs { random: ChaCha8Rng::seed_from_u64(1), near_only: source == PairOrigin::Near };
        let part = |_| match source {
            PairOrigin::Paired => PairsOfPart::SideBySide(Box::new([set(PART), set(PART)])),
            PairOrigin::Random | PairOrigin::Near => PairsOfPart::Listed(list.draw(&frames)),
        };
        let parts = (0..source.parts()).map(part).collect();
        Self { frames, parts }
    }

    pub(crate) fn parts(&self) -> usize {
        self.parts.len()
    }

    pub(crate) fn pairs(&self) -> usize {
        self.parts() * PART
    }

    /// Tests the pairs of one part.
    pub(crate) fn test(&self, part: usize, context: &Context, found: &mut Intersections<D>) {
        let outcome = match &self.parts[part] {
            PairsOfPart::Listed(list) => found.test(context, &self.frames, &self.frames, Pairs::Listed(list)),
            PairsOfPart::SideBySide(sets) => found.test(context, &sets[0], &sets[1], Pairs::Paired),
        };
        outcome.expect("valid frames");
    }

    /// The first pairs as a list of indices, if they are listed.
    pub(crate) fn listed(&self, count: usize) -> Vec<[u32; 2]> {
        let lists = self.parts.iter().filter_map(|part| match part {
            PairsOfPart::Listed(list) => Some(list),
            PairsOfPart::SideBySide(_) => None,
        });
        lists.flatten().copied().take(count).collect()
    }

    /// The first pairs as values.
    pub(crate) fn first(&self, count: usize) -> Vec<[Frame<D>; 2]> {
        let pair = |k: usize| match &self.parts[k / PART] {
            PairsOfPart::Listed(list) => list[k % PART].map(|row| value(&self.frames, row as usize)),
            PairsOfPart::SideBySide(sets) => sets.each_ref().map(|set| value(set, k % PART)),
        };
        (0..count).map(pair).collect()
    }
}

fn value<const D: usize>(frames: &Frames<D>, row: usize) -> Frame<D> {
    frames.get(row).expect("a frame of the set")
}

/// A set of random frames.
fn random_set<const D: usize>(random: &mut RandomFrames, count: usize, moving: bool) -> Frames<D> {
    let list: Vec<_> = (0..count).map(|_| random.frame(moving)).collect();
    set_of(&list, moving.then_some(DURATION))
}

/// A set of these frames.
pub(crate) fn set_of<const D: usize>(list: &[Frame<D>], duration: Option<f64>) -> Frames<D> {
    let mut frames = duration.map_or_else(Frames::resting, |t| Frames::moving(t).expect("a duration"));
    frames.add_many(list).expect("valid frames");
    frames
}

/// A source of pairs of two different frames.
struct RandomPairs {
    random: ChaCha8Rng,
    near_only: bool,
}

impl RandomPairs {
    fn draw<const D: usize>(&mut self, frames: &Frames<D>) -> Vec<[u32; 2]> {
        let bounds: Vec<_> = (0..frames.len()).map(|row| frames.bounds(row).expect("a frame")).collect();
        let fits = |[i, j]: [u32; 2]| {
            i != j && (!self.near_only || bounds[i as usize].overlaps(&bounds[j as usize]))
        };
        let rows = 0..frames.len() as u32;
        let pairs = std::iter::repeat_with(|| [(); 2].map(|()| self.random.random_range(rows.clone())));
        pairs.filter(|&pair| fits(pair)).take(PART).collect()
    }
}
