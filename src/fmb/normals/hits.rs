//! The contacts of the pairs that intersect: a pass of its own over the hits, if they are requested.

use super::lanes::ContactsOf;
use super::{Contact, careful};
use crate::fmb::locate::{self, CHUNK};
use crate::fmb::search::{PairSource, TestedSets};
use crate::frames::rows::RowReader;
use crate::soa::block::{LANES, each};
use crate::soa::level::{self, Kernel};
use crate::soa::par::Divide;
use crate::soa::simd::Simd;

/// A share of the hits.
pub(in crate::fmb) struct ContactsOfHits<'a, const D: usize, P> {
    pub(in crate::fmb) sets: &'a TestedSets<'a, D>,
    /// The frames of A and those of B.
    pub(in crate::fmb) rows: &'a [RowReader<'a, D>; 2],
    pub(in crate::fmb) source: P,
    /// Numbers of the pairs.
    pub(in crate::fmb) hits: &'a [u32],
    /// One per hit.
    pub(in crate::fmb) contacts: &'a mut [Contact<D>],
}

impl<const D: usize, P: PairSource> Divide for ContactsOfHits<'_, D, P> {
    fn size(&self) -> usize {
        self.hits.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { sets, rows, source, hits, contacts } = self;
        let (hits, more_hits) = hits.split_at(at);
        let (contacts, more_contacts) = contacts.split_at_mut(at);
        (
            Self { sets, rows, source, hits, contacts },
            Self { sets, rows, source, hits: more_hits, contacts: more_contacts },
        )
    }

    fn work(self) {
        let Self { sets, rows, source, hits, contacts } = self;
        let mut pairs = [[0; 2]; CHUNK];
        for (pair, &k) in pairs.iter_mut().zip(hits) {
            *pair = source.pair(k as usize);
        }
        let count = hits.len().min(CHUNK);
        level::run(FindContacts { sets, rows, pairs: &pairs[..count], contacts });
    }
}

/// The contacts of a share of the hits. It does not depend on the source of the pairs, so that its kernels are compiled once.
struct FindContacts<'a, const D: usize> {
    sets: &'a TestedSets<'a, D>,
    rows: &'a [RowReader<'a, D>; 2],
    /// The indices of the frames of all hits.
    pairs: &'a [[u32; 2]],
    contacts: &'a mut [Contact<D>],
}

impl<const D: usize> Kernel for FindContacts<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let mut lists = locate::sorted_by_kinds(self.sets, self.pairs);
        // The order of the lists.
        let kinds = [[false, false], [true, false], [false, true], [true, true]];
        for (list, are_tetrahedra) in lists.0.iter_mut().zip(kinds) {
            self.find::<S>(list.groups(), are_tetrahedra);
        }
    }
}

impl<const D: usize> FindContacts<'_, D> {
    /// Finds the contacts of hits of the same kinds, four at a time. A group that is not full holds its last hit several
    /// times.
    #[inline(always)]
    fn find<S: Simd>(&mut self, groups: &[[u16; LANES]], are_tetrahedra: [bool; 2]) {
        let duration = self.sets.duration;
        let [a_rows, b_rows] = self.rows;
        for (number, positions) in groups.iter().enumerate() {
            if let Some(soon) = groups.get(number + 1) {
                for [i, j] in self.pairs_of(soon) {
                    a_rows.prefetch(i);
                    b_rows.prefetch(j);
                }
            }
            let pairs = self.pairs_of(positions);
            let [a, b] = each!(side in [0, 1] => each!(lane in [0, 1, 2, 3] => pairs[lane][side]));
            // In metres per second: differences of velocities come before products with a time.
            let a = &a_rows.gather_stored::<S::Block>(a);
            let b = &b_rows.gather_stored::<S::Block>(b);
            let lanes = S::call(ContactsOf { a, b, are_tetrahedra, duration });
            for lane in 0..LANES {
                self.contacts[usize::from(positions[lane])] =
                    if lanes.open >> lane & 1 == 1 { self.find_alone(pairs[lane]) } else { lanes.lane(lane) };
            }
        }
    }

    /// The indices of the frames of a group.
    #[inline(always)]
    fn pairs_of(&self, positions: &[u16; LANES]) -> [[u32; 2]; LANES] {
        each!(lane in [0, 1, 2, 3] => self.pairs[usize::from(positions[lane])])
    }

    #[cold]
    fn find_alone(&self, [i, j]: [u32; 2]) -> Contact<D> {
        let (a, b) = (self.sets.a.read(i as usize), self.sets.b.read(j as usize));
        careful::contact(&a, &b, self.sets.duration)
    }
}
