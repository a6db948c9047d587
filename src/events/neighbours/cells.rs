//! A grid of cells with the reference positions of the particles, for the search of neighbours.

use super::path::GridLanes;
use super::search_result::SearchResult;
use crate::events::enclosure::{Boundary, Enclosure};
use crate::soa::block::{LANES32, Lanes, Singles, each};
use crate::soa::huge_pages;
use crate::soa::level::Kernel;
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// A position in a cell: distances from its lower corner in metres, the indices of the cell along the axes, and its number.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct CellPosition {
    local: [f32; 3],
    index: [u32; 3],
    pub(super) cell: u32,
}

impl CellPosition {
    /// Without the indices along the axes, which searches around it would need.
    #[inline(always)]
    pub(super) fn new(local: [f32; 3], cell: u32) -> Self {
        Self { local, index: [0; 3], cell }
    }

    #[cfg(test)]
    pub(super) fn local(&self) -> [f32; 3] {
        self.local
    }
}

/// Eight particles of a cell, in lanes.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Slots {
    pub(super) local: [[f32; LANES32]; 3],
    pub(super) rows: [u32; LANES32],
}

/// The row of a free slot.
pub(super) const FREE: u32 = u32::MAX;

/// The index of slots that are none.
pub(super) const NONE: u32 = u32::MAX;

/// A free slot is infinitely far from everything.
const EMPTY: Slots = Slots { local: [[f32::INFINITY; LANES32]; 3], rows: [FREE; LANES32] };

/// One axis of the grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct GridAxis {
    pub(super) origin: f64,
    pub(super) edge: f64,
    /// 1 / edge.
    pub(super) density: f64,
    pub(super) count: usize,
    pub(super) stride: usize,
    /// Whether the first cell follows the last one. That is so on open axes too: particles that fly away are in the cell that
    /// an infinite grid would have there, modulo the count.
    pub(super) wraps: bool,
    /// Whether it is periodic.
    periodic: bool,
    /// Whether positions along it do not count.
    pub(super) flat: bool,
}

impl GridAxis {
    const FLAT: Self = Self {
        origin: 0.0,
        edge: 1.0,
        density: 1.0,
        count: 1,
        stride: 0,
        wraps: false,
        periodic: false,
        flat: true,
    };
}

/// A grid of cells whose edges are at least as long as the cutoff of searches.
#[derive(Debug, Clone)]
pub(crate) struct Cells {
    pub(super) axes: [GridAxis; 3],
    /// The same in lanes.
    pub(super) lanes: GridLanes,
    /// First the slots of all cells, then further ones of cells with more than eight particles.
    pub(super) slots: Vec<Slots>,
    /// Index of the further slots of the same cell.
    pub(super) more: Vec<u32>,
    unused: Vec<u32>,
    /// Bound on the rounding of distances in cells, in metres.
    pub rounding: f64,
}

impl Cells {
    /// Empty cells for this many particles in the region of size `extent` from `lower` on, searched up to `cutoff` metres.
    /// Positions along flat axes do not count; at least one axis is not flat.
    pub(crate) fn new<const D: usize>(
        enclosure: &Enclosure<D>,
        lower: [f64; D],
        extent: [f64; D],
        particles: usize,
        cutoff: f64,
        flat: [bool; D],
    ) -> Self {
        let divided = || (0..D).filter(|&k| !flat[k]);
        // With 4.5 particles per cell on average the eight slots are well used and seldom overflow.
        let volume: f64 = divided().map(|k| extent[k].max(cutoff)).product();
        let wanted =
            (4.5 * volume / particles.max(1) as f64).powf(1.0 / divided().count() as f64).max(cutoff);
        let mut axes = [GridAxis::FLAT; 3];
        let mut cells = 1;
        for k in divided() {
            let wraps = !enclosure.is(k, Boundary::Reflecting);
            let most = (2 * particles + 64) as f64;
            let fitting = (extent[k] / wanted).round().min((extent[k] / cutoff).floor());
            let fitting = fitting.clamp(if wraps { 3.0 } else { 1.0 }, most);
            // Along an open axis the edge is free: the grid repeats itself beyond the extent.
            let edge = if enclosure.is(k, Boundary::Open) { wanted } else { extent[k] / fitting };
            let count = fitting as usize;
            let periodic = enclosure.is(k, Boundary::Periodic);
            let (origin, density, stride) = (lower[k], 1.0 / edge, cells);
            axes[k] = GridAxis { origin, edge, density, count, stride, wraps, periodic, flat: false };
            cells *= count;
        }
        let mut slots = huge_pages::with_capacity(cells + cells / 64);
        slots.resize(cells, EMPTY);
        let longest = axes.iter().filter(|axis| axis.count > 1).fold(0.0, |most, axis| axis.edge.max(most));
        let lanes = GridLanes::new(&axes);
        Self { axes, lanes, slots, more: vec![NONE; cells], unused: Vec::new(), rounding: 1e-6 * longest }
    }

    /// The cell of a position, and the position within it.
    #[inline(always)]
    pub(crate) fn locate<const D: usize>(&self, position: [f64; D]) -> CellPosition {
        let mut located = CellPosition::default();
        let mut cell = 0;
        for (k, axis) in self.axes.iter().enumerate().take(D).filter(|(_, axis)| !axis.flat) {
            let from_origin = position[k] - axis.origin;
            let number = (from_origin * axis.density).floor();
            let (index, start) = if axis.wraps {
                (around(number, axis.count), number)
            } else {
                let inside = number.clamp(0.0, (axis.count - 1) as f64);
                (inside as usize, inside)
            };
            located.local[k] = (from_origin - start * axis.edge) as f32;
            located.index[k] = index as u32;
            cell += index * axis.stride;
        }
        located.cell = cell as u32;
        located
    }

    /// Square of a distance, to the nearest image along periodic axes.
    #[inline(always)]
    pub(crate) fn square_around<const D: usize>(&self, apart: [f64; D]) -> f64 {
        let mut sum = 0.0;
        for (axis, apart) in self.axes.iter().zip(apart).filter(|(axis, _)| !axis.flat) {
            let around = axis.count as f64 * axis.edge;
            let turns = if axis.periodic { (apart / around).round_ties_even() } else { 0.0 };
            let nearest = apart - turns * around;
            sum += nearest * nearest;
        }
        sum
    }

    #[inline(always)]
    pub(crate) fn insert<S: Simd>(&mut self, row: usize, position: &CellPosition) {
        let mut at = position.cell as usize;
        loop {
            let free = S::equal_bits(&self.slots[at].rows, FREE);
            if free != 0 {
                self.slots[at].put(free.trailing_zeros() as usize, row as u32, position.local);
                return;
            }
            if self.more[at] == NONE {
                self.more[at] = self.further_slots();
            }
            at = self.more[at] as usize;
        }
    }

    #[cold]
    fn further_slots(&mut self) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            huge_pages::reserve(&mut self.slots, 1);
            self.slots.push(EMPTY);
            huge_pages::reserve(&mut self.more, 1);
            self.more.push(NONE);
            (self.slots.len() - 1) as u32
        })
    }

    #[inline(always)]
    fn find<S: Simd>(&self, row: usize, cell: u32) -> (usize, usize) {
        let mut at = cell as usize;
        loop {
            let bits = S::equal_bits(&self.slots[at].rows, row as u32);
            if bits != 0 {
                return (at, bits.trailing_zeros() as usize);
            }
            at = self.more[at] as usize;
        }
    }

    /// Removes a particle from its cell; the last one of the cell moves into its slot.
    #[inline(always)]
    pub(crate) fn remove<S: Simd>(&mut self, row: usize, cell: u32) {
        let (at, slot) = self.find::<S>(row, cell);
        let (mut before, mut last) = (NONE, at);
        while self.more[last] != NONE {
            before = last as u32;
            last = self.more[last] as usize;
        }
        if before == NONE && last != cell as usize {
            before = self.before(cell, last);
        }
        // One bit above the last slot is set, in case all are in use.
        let free = S::equal_bits(&self.slots[last].rows, FREE) | 1 << LANES32;
        let used = free.trailing_zeros() as usize - 1;
        let moved = self.slots[last];
        let local = [moved.local[0][used], moved.local[1][used], moved.local[2][used]];
        self.slots[at].put(slot, moved.rows[used], local);
        self.slots[last].put(used, FREE, [f32::INFINITY; 3]);
        if used == 0 && before != NONE {
            self.more[before as usize] = NONE;
            self.unused.push(last as u32);
        }
    }

    /// Moves a particle from a cell to a position.
    #[inline(always)]
    pub(crate) fn relocate<S: Simd>(&mut self, row: usize, from: u32, to: &CellPosition) {
        if from == to.cell {
            let (at, slot) = self.find::<S>(row, from);
            self.slots[at].put(slot, row as u32, to.local);
        } else {
            self.remove::<S>(row, from);
            self.insert::<S>(row, to);
        }
    }

    #[cold]
    fn before(&self, cell: u32, last: usize) -> u32 {
        let mut at = cell;
        while self.more[at as usize] as usize != last {
            at = self.more[at as usize];
        }
        at
    }

    /// Finds all particles within `cutoff` of a position.
    #[inline(always)]
    pub(crate) fn find_near<S: Simd, const D: usize>(
        &self,
        position: &CellPosition,
        cutoff: f32,
        found: &mut SearchResult,
    ) {
        let square = S::Block32::broadcast(cutoff * cutoff);
        let mut steps = [[(0_usize, 0.0_f32); 3]; 3];
        let mut counts = [1_usize; 3];
        for k in 0..D {
            counts[k] = self.steps(k, position, cutoff, &mut steps[k]);
        }
        let rows = found.buffer();
        let (mut len, mut crowded) = (0, false);
        for &(z, at_z) in &steps[2][..counts[2]] {
            for &(y, at_y) in &steps[1][..counts[1]] {
                for &(x, at_x) in &steps[0][..counts[0]] {
                    let slots = &self.slots[x + y + z];
                    let bits = slots.within::<S::Block32, D>([at_x, at_y, at_z], square);
                    if let Some(out) = rows[len..].first_chunk_mut() {
                        S::compress(&slots.rows, bits, out);
                    }
                    len += bits.count_ones() as usize;
                    crowded |= slots.rows[LANES32 - 1] != FREE;
                }
            }
        }
        found.len = len;
        if crowded {
            let steps = each!(k in [0, 1, 2] => &steps[k][..counts[k]]);
            S::call(FurtherSearch::<D> { cells: self, steps, cutoff, found });
        }
        found.pad();
    }

    /// Prefetches the cells within `cutoff` of a position.
    #[inline(always)]
    pub(crate) fn prefetch_near<const D: usize>(&self, position: &CellPosition, cutoff: f32) {
        let mut steps = [[(0_usize, 0.0_f32); 3]; 3];
        let mut counts = [1_usize; 3];
        for k in 0..D {
            counts[k] = self.steps(k, position, cutoff, &mut steps[k]);
        }
        for &(z, _) in &steps[2][..counts[2]] {
            for &(y, _) in &steps[1][..counts[1]] {
                for &(x, _) in &steps[0][..counts[0]] {
                    prefetch::near(&self.slots, x + y + z);
                    prefetch::end(&self.slots, x + y + z);
                }
            }
        }
    }

    /// The cells along an axis within the cutoff: their contribution to the cell number, and the position relative to each.
    #[inline(always)]
    fn steps(&self, k: usize, position: &CellPosition, cutoff: f32, steps: &mut [(usize, f32); 3]) -> usize {
        let (axis, index, local) = (&self.axes[k], position.index[k] as usize, position.local[k]);
        let edge = axis.edge as f32;
        steps[0] = (index * axis.stride, local);
        let mut count = 1;
        if local < cutoff && (index > 0 || axis.wraps) {
            let below = if index == 0 { axis.count - 1 } else { index - 1 };
            steps[count] = (below * axis.stride, local + edge);
            count += 1;
        }
        if local + cutoff > edge && (index + 1 < axis.count || axis.wraps) {
            let above = if index + 1 == axis.count { 0 } else { index + 1 };
            steps[count] = (above * axis.stride, local - edge);
            count += 1;
        }
        count
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.slots.capacity() * size_of::<Slots>() + (self.more.capacity() + self.unused.capacity()) * 4
    }
}

/// Continues a search with the further slots of cells with more than eight particles.
struct FurtherSearch<'a, const D: usize> {
    cells: &'a Cells,
    steps: [&'a [(usize, f32)]; 3],
    cutoff: f32,
    found: &'a mut SearchResult,
}

impl<const D: usize> Kernel for FurtherSearch<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { cells, steps: [x, y, z], cutoff, found } = self;
        let square = S::Block32::broadcast(cutoff * cutoff);
        for &(z, at_z) in z {
            for &(y, at_y) in y {
                for &(x, at_x) in x {
                    let mut at = cells.more[x + y + z];
                    while at != NONE {
                        let slots = &cells.slots[at as usize];
                        found
                            .add::<S>(&slots.rows, slots.within::<S::Block32, D>([at_x, at_y, at_z], square));
                        at = cells.more[at as usize];
                    }
                }
            }
        }
    }
}

impl Slots {
    #[inline(always)]
    fn put(&mut self, slot: usize, row: u32, local: [f32; 3]) {
        self.rows[slot] = row;
        for (lanes, x) in self.local.iter_mut().zip(&local) {
            lanes[slot] = *x;
        }
    }

    /// One bit per slot whose squared distance from a position is at most `square`.
    #[inline(always)]
    fn within<B: Singles, const D: usize>(&self, position: [f32; 3], square: B) -> u32 {
        let mut sum = B::ZERO;
        for (&local, x) in self.local.iter().zip(position).take(D) {
            let apart = B::new(local) - B::broadcast(x);
            sum += apart * apart;
        }
        sum.le(square).bits()
    }
}

/// A whole number modulo a count, not negative.
#[inline(always)]
fn around(number: f64, count: usize) -> usize {
    if number >= 0.0 && number < count as f64 {
        // The low bits of the sum are the integer.
        return (number + (1_u64 << 52) as f64).to_bits() as u32 as usize;
    }
    far_around(number, count)
}

#[cold]
fn far_around(number: f64, count: usize) -> usize {
    (number.rem_euclid(count as f64) as usize).min(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::soa::level;

    /// Puts particles into cells, moves some of them, and searches around several positions.
    #[derive(Clone)]
    struct Searches<'a> {
        cells: Cells,
        references: &'a [[f64; 2]],
        moves: &'a [(usize, [f64; 2])],
        around: &'a [[f64; 2]],
        cutoff: f32,
    }

    impl Kernel for Searches<'_> {
        type Output = Vec<Vec<u32>>;

        #[inline(always)]
        fn run<S: Simd>(mut self) -> Vec<Vec<u32>> {
            let mut rows = Vec::new();
            for (row, &reference) in self.references.iter().enumerate() {
                self.cells.insert::<S>(row, &self.cells.locate(reference));
            }
            for &(row, to) in self.moves {
                let (from, to) = (self.cells.locate(self.references[row]), self.cells.locate(to));
                self.cells.relocate::<S>(row, from.cell, &to);
            }
            for &position in self.around {
                let mut found = SearchResult::default();
                self.cells.find_near::<S, 2>(&self.cells.locate(position), self.cutoff, &mut found);
                assert!(found.blocks().as_flattened()[found.rows().len()..].iter().all(|&row| row == FREE));
                rows.push(found.rows().to_vec());
                rows.last_mut().expect("one was added").sort_unstable();
            }
            rows
        }
    }

    #[test]
    fn crowded_cells_lose_no_particle() {
        let enclosure = Enclosure::periodic([0.0; 2], [9.0; 2]);
        let searches = Searches {
            cells: Cells::new(&enclosure, [0.0; 2], [9.0; 2], 20, 1.0, [false; 2]),
            references: &std::array::from_fn::<_, 50, _>(|row| [0.001 * row as f64, 0.1]),
            moves: &[3, 17, 49, 0, 8].map(|row| (row, [6.0, 6.0])),
            around: &[[6.0, 6.0], [0.1, 0.1]],
            cutoff: 0.9,
        };
        for found in level::run_at_each_level(&searches) {
            assert_eq!(found[0], [0, 3, 8, 17, 49]);
            assert_eq!(found[1].len(), 45);
        }
    }

    #[test]
    fn sites_are_seen_through_periodic_faces_and_from_afar() {
        let enclosure = Enclosure {
            lower: [0.0, 0.0],
            upper: [10.0, 0.0],
            boundaries: [Boundary::Periodic, Boundary::Open],
        };
        let searches = Searches {
            cells: Cells::new(&enclosure, [0.0, -5.0], [10.0, 10.0], 100, 1.0, [false; 2]),
            references: &[[9.9, 1e6]],
            moves: &[],
            around: &[[0.3, 1e6 + 0.5]],
            cutoff: 1.0,
        };
        for found in level::run_at_each_level(&searches) {
            assert_eq!(found, [[0]]);
        }
    }
}
