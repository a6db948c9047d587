//! Sums of impulses over the substeps of a step, of contacts that handlers see.

use super::growth::bytes_of;
use super::pairs::flag;
use super::tile::Tile;
use crate::rigid2d::solver::constraints::{Constraints, GROUPS, field, points_of, size_of_group};
use crate::soa::block::Real;

/// Sums of impulses.
#[derive(Debug, Clone, Default)]
pub(crate) struct Totals {
    /// Whether they are wanted.
    pub(crate) wanted: bool,
    /// By slot, in rising order.
    entries: Vec<Total>,
}

impl Totals {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        bytes_of(&self.entries)
    }
}

/// The sum of the impulses of a contact.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Total {
    slot: u32,
    /// Where its record is: the group, and the number of the contact in it.
    group: usize,
    place: usize,
    /// Along the normal at both points, and along the tangent; in newton seconds.
    pub(crate) impulses: [f64; 3],
}

impl Totals {
    /// The sum of a pair.
    pub(crate) fn get(&self, slot: u32) -> Option<[f64; 3]> {
        let place = self.entries.binary_search_by_key(&slot, |entry| entry.slot).ok()?;
        Some(self.entries[place].impulses)
    }

    /// Adds impulses of a pair that do not come from its record.
    pub(crate) fn add(&mut self, slot: u32, impulses: [f64; 3]) {
        if let Ok(place) = self.entries.binary_search_by_key(&slot, |entry| entry.slot) {
            self.entries[place].add(impulses);
        }
    }

    /// Adds what the records have after a substep.
    #[inline(always)]
    pub(crate) fn add_records<R: Real>(&mut self, constraints: &Constraints<R>) {
        for entry in &mut self.entries {
            let (group, size) = (entry.group, size_of_group(entry.group));
            let records = constraints.groups[group].records.as_slice();
            let start = entry.place / R::COUNT * size * R::COUNT + entry.place % R::COUNT;
            let read = |field: usize| records[start + field * R::COUNT].widen();
            let second = if points_of(group) > 1 { read(field::POINT[1] + field::IMPULSE) } else { 0.0 };
            entry.add([read(field::POINT[0] + field::IMPULSE), second, read(field::TANGENT_IMPULSE)]);
        }
    }
}

impl Total {
    #[inline(always)]
    fn add(&mut self, impulses: [f64; 3]) {
        for (sum, impulse) in self.impulses.iter_mut().zip(impulses) {
            *sum += impulse;
        }
    }
}

impl<R: Real> Tile<R> {
    /// Finds the contacts whose impulses are to be added up.
    pub(crate) fn begin_totals(&mut self) {
        self.totals.entries.clear();
        if !self.totals.wanted {
            return;
        }
        for group in 0..GROUPS {
            for (place, &slot) in self.constraints.groups[group].slots.as_slice().iter().enumerate() {
                // Unused lanes refer to a slot that no handler sees.
                if self.pairs.heads[slot as usize].flags & flag::WATCHED != 0 {
                    self.totals.entries.push(Total { slot, group, place, impulses: [0.0; 3] });
                }
            }
        }
        self.totals.entries.sort_unstable_by_key(|entry| entry.slot);
    }
}
