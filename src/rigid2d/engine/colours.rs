//! Colours of contacts: those of one colour have no moving body in common, so that lanes can solve them at once.

use super::bodies::BodiesMut;
use super::pairs::{Pairs, flag};
use super::tile::Tile;
use crate::error::Result;
use crate::rigid2d::solver::constraints::GROUPS;
use crate::soa::block::Real;

/// Colours of a group. Contacts of a body that has them all are solved one after the other.
pub(crate) const COLOURS: usize = 32;

/// The colour of contacts that found no other.
pub(crate) const OVERFLOW: u8 = COLOURS as u8;

/// The lists of contacts by group and colour.
#[derive(Debug, Clone)]
pub(crate) struct Colours {
    /// Slots of pairs, per group and colour; the last colour is for what found no other.
    pub(crate) lists: [Vec<Vec<u32>>; GROUPS],
    /// Per body and group, the colours that its contacts have.
    taken: Vec<[u32; GROUPS]>,
    /// Per body, how many of its contacts found no colour.
    without: Vec<u32>,
    /// Per group and colour, how often its list has changed since it was in the order of bodies.
    disorder: [[u32; COLOURS]; GROUPS],
    /// Whether the lists have changed since constraints were last laid out.
    pub(crate) changed: bool,
}

impl Default for Colours {
    fn default() -> Self {
        Self {
            lists: [(); GROUPS].map(|()| Vec::new()),
            taken: Vec::new(),
            without: Vec::new(),
            disorder: [[0; COLOURS]; GROUPS],
            changed: true,
        }
    }
}

/// The group of a pair.
pub(crate) fn group_of<R: Real>(pairs: &Pairs<R>, slot: u32) -> usize {
    let head = &pairs.heads[slot as usize];
    let fixed = head.flags & (flag::FIXED_FIRST | flag::FIXED_SECOND) != 0;
    2 * usize::from(fixed) + usize::from(head.class.has_one_point())
}

impl Colours {
    pub(crate) fn resize(&mut self, bodies: usize) {
        if self.lists[0].is_empty() {
            self.lists.iter_mut().for_each(|lists| lists.resize(COLOURS + 1, Vec::new()));
        }
        self.taken.resize(bodies, [0; GROUPS]);
        self.without.resize(bodies, 0);
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let slots: usize = self.lists.iter().flatten().map(Vec::capacity).sum();
        4 * (slots + self.without.capacity()) + self.taken.capacity() * size_of::<[u32; GROUPS]>()
    }

    /// Whether a body has no contact that is solved.
    #[inline(always)]
    pub(crate) fn is_free(&self, body: usize) -> bool {
        self.taken[body] == [0; GROUPS] && self.without[body] == 0
    }

    /// Gives a contact the first colour that none of its moving bodies has in its group.
    pub(crate) fn add<R: Real>(&mut self, pairs: &mut Pairs<R>, slot: u32) {
        let group = group_of(pairs, slot);
        let bodies = moving_bodies(pairs, slot);
        let mut taken = 0;
        for body in bodies.into_iter().flatten() {
            taken |= self.taken[body][group];
        }
        let colour = (!taken).trailing_zeros() as usize;
        self.add_with(pairs, slot, colour);
    }

    /// Puts a contact into the list of a colour that none of its moving bodies has in its group.
    pub(crate) fn add_with<R: Real>(&mut self, pairs: &mut Pairs<R>, slot: u32, colour: usize) {
        let group = group_of(pairs, slot);
        for body in moving_bodies(pairs, slot).into_iter().flatten() {
            if colour < COLOURS {
                self.taken[body][group] |= 1 << colour;
            } else {
                self.without[body] += 1;
            }
        }
        let list = &mut self.lists[group][colour];
        let head = &mut pairs.heads[slot as usize];
        (head.colour, head.place) = (colour as u8, list.len() as u32);
        head.flags |= flag::SOLVED;
        list.push(slot);
        self.note_disorder(group, colour);
        self.changed = true;
    }

    /// Takes a contact out of its list.
    pub(crate) fn remove<R: Real>(&mut self, pairs: &mut Pairs<R>, slot: u32) {
        let group = group_of(pairs, slot);
        let (colour, place) = {
            let head = &mut pairs.heads[slot as usize];
            head.flags &= !flag::SOLVED;
            (head.colour, head.place as usize)
        };
        for body in moving_bodies(pairs, slot).into_iter().flatten() {
            if colour == OVERFLOW {
                self.without[body] -= 1;
            } else {
                self.taken[body][group] &= !(1 << colour);
            }
        }
        let list = &mut self.lists[group][usize::from(colour)];
        list.swap_remove(place);
        if let Some(&moved) = list.get(place) {
            pairs.heads[moved as usize].place = place as u32;
        }
        self.note_disorder(group, usize::from(colour));
        self.changed = true;
    }

    fn note_disorder(&mut self, group: usize, colour: usize) {
        if colour < COLOURS {
            self.disorder[group][colour] += 1;
        }
    }

    /// Brings lists that have changed often into the order of bodies, so that the solver reads bodies that are close in memory one
    /// after the other. Within a colour the order of contacts does not matter.
    pub(crate) fn sort<R: Real>(&mut self, pairs: &mut Pairs<R>) {
        /// Contacts of a list per change after which it is sorted, and the length of lists that are not.
        const PER_CHANGE: usize = 4;
        const SHORT: usize = 32;
        for (lists, disorder) in self.lists.iter_mut().zip(&mut self.disorder) {
            for (list, changes) in lists.iter_mut().zip(disorder) {
                if list.len() > SHORT && PER_CHANGE * *changes as usize > list.len() {
                    *changes = 0;
                    list.sort_unstable_by_key(|&slot| pairs.heads[slot as usize].bodies);
                    for (place, &slot) in list.iter().enumerate() {
                        pairs.heads[slot as usize].place = place as u32;
                    }
                }
            }
        }
    }
}

/// The bodies of a pair that impulses move.
fn moving_bodies<R: Real>(pairs: &Pairs<R>, slot: u32) -> [Option<usize>; 2] {
    let head = &pairs.heads[slot as usize];
    let body = |which: usize, fixed: u16| (head.flags & fixed == 0).then_some(head.bodies[which] as usize);
    [body(0, flag::FIXED_FIRST), body(1, flag::FIXED_SECOND)]
}

impl<R: Real> Tile<R> {
    /// Brings the contacts that are to be solved into their lists.
    pub(crate) fn update_colours(&mut self, bodies: &BodiesMut<'_>) -> Result<()> {
        self.colours.resize(bodies.len());
        for n in 0..self.begun.len() {
            let slot = self.begun[n];
            let flags = self.pairs.heads[slot as usize].flags;
            if flags & flag::ACTIVE != 0 && flags & (flag::SENSOR | flag::IGNORED | flag::SOLVED) == 0 {
                self.colours.add(&mut self.pairs, slot);
            }
        }
        if self.colours.changed {
            self.sort_overflow();
        }
        Ok(())
    }

    /// The order of contacts without a colour matters: it is that of their shapes.
    fn sort_overflow(&mut self) {
        for group in 0..GROUPS {
            let list = &mut self.colours.lists[group][COLOURS];
            if list.len() < 2 {
                continue;
            }
            let pairs = &mut self.pairs;
            list.sort_unstable_by_key(|&slot| pairs.key(slot));
            for (place, &slot) in list.iter().enumerate() {
                pairs.heads[slot as usize].place = place as u32;
            }
        }
    }
}
