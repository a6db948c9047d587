//! Random frames and the pairs of them that are tested.

use carom::fmb::Pairs;
use carom::frames::random::RandomFrames;
use carom::{Error, Frame, FrameKind, Frames};
use clap::ValueEnum;

use super::cases::{Case, GOLDEN, Turned, scatter, stream};
use super::{Failure, Result, empty_set};

/// Kinds of the two frames of a pair.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Mix {
    /// either kind with equal chance
    #[value(name = "mix")]
    Any,
    /// two cuboids
    #[value(name = "CC")]
    Cc,
    /// cuboid against tetrahedron
    #[value(name = "CT")]
    Ct,
    /// tetrahedron against cuboid
    #[value(name = "TC")]
    Tc,
    /// two tetrahedra
    #[value(name = "TT")]
    Tt,
}

impl Mix {
    /// The kinds of the first and the second frame, if they are given.
    fn kinds(self) -> [Option<FrameKind>; 2] {
        let (cuboid, tetrahedron) = (Some(FrameKind::Cuboid), Some(FrameKind::Tetrahedron));
        match self {
            Self::Any => [None, None],
            Self::Cc => [cuboid, cuboid],
            Self::Ct => [cuboid, tetrahedron],
            Self::Tc => [tetrahedron, cuboid],
            Self::Tt => [tetrahedron, tetrahedron],
        }
    }
}

/// How frames and pairs are drawn.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub(super) case: Case,
    pub(super) mix: Mix,
    /// Only pairs whose boxes overlap.
    pub(super) near: bool,
    pub(super) turned: Turned,
    pub(super) seed: u64,
}

/// Frames and pairs of them.
pub(super) struct Workload<const D: usize> {
    pub(super) a: Frames<D>,
    /// The second set; pairs of one set have none.
    b: Option<Frames<D>>,
    list: Vec<[u32; 2]>,
}

impl<const D: usize> Workload<D> {
    /// Two sets of `count` frames, the i-th against the i-th.
    pub(super) fn paired(drawn: Drawn, count: usize) -> Result<Self> {
        let Drawn { case, mix, near, turned, seed } = drawn;
        let mut random = stream(seed, &[case.number()], turned);
        let [mut a, mut b] = [room(count)?, room(count)?];
        while a.len() < count {
            let pair = mix.kinds().map(|kind| draw(&mut random, kind, case.moving));
            if !near || case.are_near(&pair) {
                a.push(pair[0]);
                b.push(pair[1]);
            }
        }
        Ok(Self { a: set(case, &a)?, b: Some(set(case, &b)?), list: Vec::new() })
    }

    /// One set of `frames` frames and `count` random pairs of them. If the two frames of a pair are to be of different
    /// kinds, the first half of the set is of the first kind.
    pub(super) fn listed(drawn: Drawn, count: usize, frames: usize) -> Result<Self> {
        let Drawn { case, mix, near, turned, seed } = drawn;
        let mut random = stream(seed, &[case.number()], turned);
        let [first, second] = mix.kinds();
        let half = frames / 2;
        let kind = |row: usize| if row < half { first } else { second };
        let all: Vec<_> = (0..frames).map(|row| draw(&mut random, kind(row), case.moving)).collect();
        let sides = if first == second { [0..frames, 0..frames] } else { [0..half, half..frames] };
        let mut rows = Rows(seed);
        let (mut list, mut misses) = (room(count)?, 0_u64);
        while list.len() < count {
            let [i, j] = sides.clone().map(|side| side.start + rows.below(side.len()));
            if i != j && (!near || case.are_near(&[all[i], all[j]])) {
                list.push([i as u32, j as u32]);
            } else {
                misses += 1;
            }
            if list.is_empty() && misses > HOPELESS {
                return Err(Failure(format!(
                    "no boxes of these {frames} frames overlap: choose more with --frames N"
                )));
            }
        }
        Ok(Self { a: set(case, &all)?, b: None, list })
    }

    pub(super) fn second(&self) -> &Frames<D> {
        self.b.as_ref().unwrap_or(&self.a)
    }

    pub(super) fn pairs(&self) -> Pairs<'_> {
        if self.b.is_some() { Pairs::Paired } else { Pairs::Listed(&self.list) }
    }

    /// The first pairs alone, at most `most`, of frames of the same case.
    pub(super) fn head(&self, case: Case, most: usize) -> Result<Self> {
        let Some(b) = &self.b else {
            let all = (0..self.a.len()).map(|row| self.a.get(row)).collect::<carom::Result<Vec<_>>>()?;
            let list = self.list[..most.min(self.list.len())].to_vec();
            return Ok(Self { a: set(case, &all)?, b: None, list });
        };
        let first = |frames: &Frames<D>| {
            let rows = (0..most.min(frames.len())).map(|row| frames.get(row));
            set(case, &rows.collect::<carom::Result<Vec<_>>>()?)
        };
        Ok(Self { a: first(&self.a)?, b: Some(first(b)?), list: Vec::new() })
    }

    /// The frames to be prepared: one set, or two.
    pub(super) fn sets_mut(&mut self) -> impl Iterator<Item = &mut Frames<D>> {
        std::iter::once(&mut self.a).chain(self.b.as_mut())
    }

    /// The first pairs as values, at most `most`.
    pub(super) fn first_pairs(&self, most: usize) -> Result<Vec<[Frame<D>; 2]>> {
        let count = if self.b.is_some() { self.a.len() } else { self.list.len() };
        let pair = |k: usize| {
            let [i, j] = self.list.get(k).map_or([k, k], |pair| pair.map(|row| row as usize));
            Ok([self.a.get(i)?, self.second().get(j)?])
        };
        (0..count.min(most)).map(pair).collect()
    }
}

/// Pairs drawn without a near one before the search is given up.
const HOPELESS: u64 = 1_000_000;

/// An empty list with room for `count` entries.
fn room<T>(count: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    let bytes = count.saturating_mul(size_of::<T>());
    list.try_reserve_exact(count).map_err(|_| Error::OutOfMemory { bytes })?;
    Ok(list)
}

fn draw<const D: usize>(random: &mut RandomFrames, kind: Option<FrameKind>, moving: bool) -> Frame<D> {
    match kind {
        Some(kind) => random.frame_of_kind(kind, moving),
        None => random.frame(moving),
    }
}

fn set<const D: usize>(case: Case, frames: &[Frame<D>]) -> Result<Frames<D>> {
    let mut set = empty_set(case.duration())?;
    set.add_many(frames)?;
    Ok(set)
}

/// Random rows, by SplitMix64.
struct Rows(u64);

impl Rows {
    /// A row below `count`, which is so far below 2^32 that the bias is negligible.
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(GOLDEN);
        (((scatter(self.0) >> 32) * count as u64) >> 32) as usize
    }
}
