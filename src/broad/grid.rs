//! A hierarchical grid of cells that wraps around.
//!
//! A box belongs to the level whose cells are just larger than itself, and to the cell of its centre. So two boxes of one
//! level can only touch if their cells are neighbours, and of each higher level only a few cells can hold boxes that touch
//! a small one: sizes may differ by any factor. Cells are numbered modulo the size of the table, so that space has no
//! bounds; boxes that share a slot because of this are distinguished by comparing the boxes themselves. A box far from 0
//! is put on a level whose cell numbers are still exact there, so that it does not coarsen the others.

use std::ops::Range;

use crate::error::Result;
use crate::geometry::Aabb;
use crate::soa::{Context, memory};

/// End of a list.
const NONE: u32 = u32::MAX;

/// Boxes per chunk when several threads search for pairs.
const CHUNK: usize = 1024;

/// The smallest level holds boxes this many halvings below the usual size, and all that are smaller.
const HALVINGS: i32 = 40;

/// The cells of a box are no smaller than this share of its largest coordinate, so that their numbers are exact.
const FINEST: f64 = 1.0 / (1_u64 << 40) as f64;

/// The usual size is taken no smaller than this share of the largest, so that levels have finite cells.
const FARTHEST_BELOW: f64 = 1e-250;

/// Cells of the usual level are no smaller than this, in metres, so that the number of cells per metre is finite on every level.
const SMALLEST: f64 = 1e-290;

/// Boxes in cells, to find those that [touch](Aabb::touches).
///
/// An axis that is not used is `[0, 0]`. Spaces of more than three dimensions use the first three axes: boxes that touch
/// there may still be apart, but no pair is lost.
#[derive(Debug, Default)]
pub struct Grid {
    /// Size of the cells of level 0: larger than most boxes.
    base: f64,
    /// From small to large cells.
    levels: Vec<Level>,
    /// Boxes that were inserted after the grid was built, as linked lists.
    loose: Vec<Loose>,
}

#[derive(Debug, Clone, Copy)]
struct GridEntry {
    bounds: Aabb<3>,
    id: u32,
}

#[derive(Debug)]
struct Loose {
    entry: GridEntry,
    next: u32,
}

/// All boxes of about one size.
#[derive(Debug, Default)]
struct Level {
    exponent: i32,
    /// Edge of a cell.
    size: f64,
    /// Cells per metre, `1 / size`.
    per_metre: f64,
    table: SlotTable,
    /// The boxes that belong here, before they are sorted.
    ids: Vec<u32>,
    /// The slot of each of them.
    slots: Vec<u32>,
    /// For each slot, where its entries start; one more than there are slots.
    starts: Vec<u32>,
    /// Sorted by slot.
    entries: Vec<GridEntry>,
    /// For each slot, its list of loose entries; empty until there is one.
    heads: Vec<u32>,
}

/// How cells are mapped to slots: modulo a power of two on each axis.
#[derive(Debug, Clone, Copy, Default)]
struct SlotTable {
    bits: [u32; 3],
}

impl Grid {
    /// Sorts boxes into cells. The i-th box has the id i; empty boxes are left out.
    pub fn new(boxes: &[Aabb<3>]) -> Result<Self> {
        let mut grid = Self::default();
        grid.rebuild(boxes)?;
        Ok(grid)
    }

    /// The same as [`new`](Self::new) in the memory of this grid, whose boxes are discarded.
    pub fn rebuild(&mut self, boxes: &[Aabb<3>]) -> Result<()> {
        self.rebuild_on(usual_size(boxes), boxes)
    }

    /// Sorts two sets of boxes into cells of the same sizes, as [`map_pairs_between`](Self::map_pairs_between) needs.
    pub fn rebuild_both(grids: [&mut Self; 2], boxes: [&[Aabb<3>]; 2]) -> Result<()> {
        let base = usual_size(boxes[0]).min(usual_size(boxes[1]));
        let base = boxes.into_iter().map(least_base).fold(base, f64::max);
        grids.into_iter().zip(boxes).try_for_each(|(grid, boxes)| grid.rebuild_on(base, boxes))
    }

    fn rebuild_on(&mut self, base: f64, boxes: &[Aabb<3>]) -> Result<()> {
        self.base = base.max(least_base(boxes));
        self.loose.clear();
        let mut spare = std::mem::take(&mut self.levels);
        for (id, bounds) in (0..).zip(boxes).filter(|(_, bounds)| !bounds.is_empty()) {
            let exponent = level_exponent(size(bounds), self.base);
            let at = self.levels.partition_point(|level| level.exponent < exponent);
            if self.levels.get(at).is_none_or(|level| level.exponent != exponent) {
                self.levels.insert(at, spare.pop().unwrap_or_default().cleared(exponent, self.base));
            }
            memory::push(&mut self.levels[at].ids, id)?;
        }
        self.levels.iter_mut().try_for_each(|level| level.sort(boxes))
    }

    /// Calls `visit` with chunks of work: each chunk, given a function of two ids, calls it for its share of the pairs
    /// of boxes that touch. Together the chunks visit every such pair once. Results come in a fixed order.
    pub fn map_pairs<T: Send>(&self, context: &Context, visit: impl Fn(GridPairs) -> T + Sync) -> Vec<T> {
        context.map_chunks(self.sorted(), CHUNK, |range| visit(GridPairs { grid: self, range }))
    }

    /// The same for the pairs of a box of this grid and a box of another, both made by
    /// [`rebuild_both`](Self::rebuild_both); the id of the box of this grid comes first.
    pub fn map_pairs_between<T: Send>(
        &self,
        other: &Self,
        context: &Context,
        visit: impl Fn(GridPairsBetween) -> T + Sync,
    ) -> Vec<T> {
        context.map_chunks(self.sorted() + other.sorted(), CHUNK, |range| {
            visit(GridPairsBetween { grids: [self, other], range })
        })
    }

    /// Number of boxes that were there when the grid was built.
    fn sorted(&self) -> usize {
        self.levels.iter().map(|level| level.entries.len()).sum()
    }

    /// Calls `visit` with the level and the entry of each of these boxes, counted through the levels.
    #[inline(always)]
    fn for_each_sorted(&self, range: Range<usize>, mut visit: impl FnMut(usize, usize)) {
        let mut first = 0;
        for (number, level) in self.levels.iter().enumerate() {
            let last = first + level.entries.len();
            (range.start.max(first)..range.end.min(last)).for_each(|at| visit(number, at - first));
            first = last;
        }
    }

    /// The levels whose cells are those of `exponent` or larger.
    fn levels_from(&self, exponent: i32) -> &[Level] {
        &self.levels[self.levels.partition_point(|level| level.exponent < exponent)..]
    }

    /// Adds a box with an id that may already be there; its other boxes stay.
    pub fn insert(&mut self, id: u32, bounds: Aabb<3>) -> Result<()> {
        let exponent = level_exponent(size(&bounds), self.base);
        let at = self.levels.partition_point(|level| level.exponent < exponent);
        if at == self.levels.len() {
            self.levels.push(Level::empty(exponent, self.base, self.levels.last())?);
        }
        let level = &mut self.levels[at];
        let slot = level.slot_of(&bounds);
        if level.heads.is_empty() {
            memory::resize(&mut level.heads, level.table.slots(), NONE)?;
        }
        memory::reserve(&mut self.loose, 1)?;
        let next = std::mem::replace(&mut level.heads[slot], self.loose.len() as u32);
        self.loose.push(Loose { entry: GridEntry { bounds, id }, next });
        Ok(())
    }

    /// Calls `found` with the id of every box that touches `bounds`; an id that has several boxes may come more than
    /// once.
    pub fn query(&self, bounds: &Aabb<3>, mut found: impl FnMut(u32)) {
        for level in &self.levels {
            level.rows(bounds, |slots| {
                for entry in level.entries_of(slots.clone()) {
                    if entry.bounds.touches(bounds) {
                        found(entry.id);
                    }
                }
                for &head in level.heads.get(slots).unwrap_or_default() {
                    self.loose_list(head)
                        .filter(|entry| entry.bounds.touches(bounds))
                        .for_each(|e| found(e.id));
                }
            });
        }
    }

    fn loose_list(&self, head: u32) -> impl Iterator<Item = &GridEntry> {
        let get = |at: u32| self.loose.get(at as usize);
        std::iter::successors(get(head), move |loose| get(loose.next)).map(|loose| &loose.entry)
    }
}

/// A share of the pairs of touching boxes of a [`Grid`].
#[derive(Debug)]
pub struct GridPairs<'a> {
    grid: &'a Grid,
    /// Which boxes, counted through the levels.
    range: Range<usize>,
}

impl GridPairs<'_> {
    /// Calls `found` with the ids of each pair.
    pub fn for_each(self, mut found: impl FnMut(u32, u32)) {
        self.grid.for_each_sorted(self.range, |number, at| {
            let level = &self.grid.levels[number];
            level.pairs_after(at, &mut found);
            for higher in &self.grid.levels[number + 1..] {
                higher.pairs_with(&level.entries[at], &mut found);
            }
        });
    }
}

/// A share of the pairs of touching boxes of two [`Grid`]s.
#[derive(Debug)]
pub struct GridPairsBetween<'a> {
    grids: [&'a Grid; 2],
    /// Which boxes, counted through the levels of the first grid, then of the second.
    range: Range<usize>,
}

impl GridPairsBetween<'_> {
    /// Calls `found` with the ids of each pair. The larger box is searched for in the cells around the smaller one, so
    /// that no large box visits many small cells; on the same level the cells around the box of the first grid are used.
    pub fn for_each(self, mut found: impl FnMut(u32, u32)) {
        let [one, two] = self.grids;
        let split = one.sorted();
        let (start, end) = (self.range.start, self.range.end);
        one.for_each_sorted(start.min(split)..end.min(split), |number, at| {
            let level = &one.levels[number];
            for other in two.levels_from(level.exponent) {
                other.pairs_with(&level.entries[at], &mut found);
            }
        });
        two.for_each_sorted(start.max(split) - split..end.max(split) - split, |number, at| {
            let level = &two.levels[number];
            for other in one.levels_from(level.exponent + 1) {
                other.pairs_with(&level.entries[at], &mut |second, first| found(first, second));
            }
        });
    }
}

impl Level {
    /// The level without boxes, for cells of this size.
    fn cleared(mut self, exponent: i32, base: f64) -> Self {
        self.exponent = exponent;
        self.size = cell_size(exponent, base);
        self.per_metre = 1.0 / self.size;
        self.ids.clear();
        self.slots.clear();
        self.starts.clear();
        self.entries.clear();
        self.heads.clear();
        self
    }

    /// A level without boxes, its table as large as that of its neighbour.
    fn empty(exponent: i32, base: f64, neighbour: Option<&Self>) -> Result<Self> {
        let mut level = Self::default().cleared(exponent, base);
        level.table = neighbour.map_or(SlotTable::default(), |level| level.table);
        memory::resize(&mut level.starts, level.table.slots() + 1, 0)?;
        Ok(level)
    }

    /// Counting sort of the boxes in `ids` by slot.
    fn sort(&mut self, boxes: &[Aabb<3>]) -> Result<()> {
        let per_metre = self.per_metre;
        self.table = SlotTable::fitting(
            self.ids.iter().map(|&id| centre_cell(&boxes[id as usize], per_metre)),
            self.ids.len(),
        );
        let table = self.table;
        let slot = |&id: &u32| table.slot(centre_cell(&boxes[id as usize], per_metre)) as u32;
        memory::reserve(&mut self.slots, self.ids.len())?;
        self.slots.extend(self.ids.iter().map(slot));
        // Counts go two slots ahead of their own, so that the last pass leaves each start where it belongs.
        memory::resize(&mut self.starts, table.slots() + 2, 0)?;
        for &slot in &self.slots {
            self.starts[slot as usize + 2] += 1;
        }
        for slot in 1..self.starts.len() {
            self.starts[slot] += self.starts[slot - 1];
        }
        memory::resize(&mut self.entries, self.ids.len(), GridEntry { bounds: Aabb::ORIGIN, id: NONE })?;
        for (&id, &slot) in self.ids.iter().zip(&self.slots) {
            let at = &mut self.starts[slot as usize + 1];
            self.entries[*at as usize] = GridEntry { bounds: boxes[id as usize], id };
            *at += 1;
        }
        Ok(())
    }

    fn slot_of(&self, bounds: &Aabb<3>) -> usize {
        self.table.slot(centre_cell(bounds, self.per_metre))
    }

    fn entries_of(&self, slots: Range<usize>) -> &[GridEntry] {
        &self.entries[self.starts[slots.start] as usize..self.starts[slots.end] as usize]
    }

    /// The pairs of one entry with those behind it on the same level.
    #[inline(always)]
    fn pairs_after(&self, at: usize, found: &mut impl FnMut(u32, u32)) {
        let entry = &self.entries[at];
        self.rows(&entry.bounds, |slots| {
            let (start, end) = (self.starts[slots.start] as usize, self.starts[slots.end] as usize);
            for other in &self.entries[start.max(at + 1).min(end)..end] {
                if entry.bounds.touches(&other.bounds) {
                    found(entry.id, other.id);
                }
            }
        });
    }

    /// The pairs of an entry of a lower level with those of this one.
    fn pairs_with(&self, entry: &GridEntry, found: &mut impl FnMut(u32, u32)) {
        self.rows(&entry.bounds, |slots| {
            for other in self.entries_of(slots) {
                if entry.bounds.touches(&other.bounds) {
                    found(entry.id, other.id);
                }
            }
        });
    }

    /// Calls `visit` with ranges of slots that together hold, once, every box of this level that may touch `bounds`:
    /// no box is larger than a cell, so that centres are at most half a cell away from `bounds`.
    #[inline(always)]
    fn rows(&self, bounds: &Aabb<3>, mut visit: impl FnMut(Range<usize>)) {
        let half = 0.5 * self.size;
        let mut first = [0_i64; 3];
        let mut count = [0_usize; 3];
        for axis in 0..3 {
            first[axis] = cell(bounds.min[axis] - half, self.per_metre);
            let steps = cell(bounds.max[axis] + half, self.per_metre).saturating_sub(first[axis]);
            count[axis] = (steps as usize).min((1 << self.table.bits[axis]) - 1) + 1;
        }
        let width = 1_usize << self.table.bits[0];
        let column = first[0] as usize & (width - 1);
        for z in 0..count[2] as i64 {
            for y in 0..count[1] as i64 {
                let row = self.table.slot([0, first[1].wrapping_add(y), first[2].wrapping_add(z)]);
                visit(row + column..row + (column + count[0]).min(width));
                if column + count[0] > width {
                    visit(row..row + column + count[0] - width);
                }
            }
        }
    }
}

impl SlotTable {
    /// A table with about two slots per box, on no axis larger than the range of the cells of the boxes.
    fn fitting(cells: impl Iterator<Item = [i64; 3]>, count: usize) -> Self {
        let (mut lo, mut hi) = ([i64::MAX; 3], [i64::MIN; 3]);
        for cell in cells {
            for axis in 0..3 {
                lo[axis] = lo[axis].min(cell[axis]);
                hi[axis] = hi[axis].max(cell[axis]);
            }
        }
        let mut bits: [u32; 3] = std::array::from_fn(|axis| {
            let span = (hi[axis] - lo[axis]) as u64 + 1;
            span.next_power_of_two().trailing_zeros()
        });
        let most = (2 * count).next_power_of_two().trailing_zeros();
        while bits.iter().sum::<u32>() > most {
            let widest = (0..3).max_by_key(|&axis| bits[axis]).expect("three axes");
            bits[widest] -= 1;
        }
        Self { bits }
    }

    fn slots(self) -> usize {
        1 << self.bits.iter().sum::<u32>()
    }

    #[inline(always)]
    fn slot(self, cell: [i64; 3]) -> usize {
        let wrapped = |axis: usize| cell[axis] as usize & ((1 << self.bits[axis]) - 1);
        wrapped(0) | wrapped(1) << self.bits[0] | wrapped(2) << (self.bits[0] + self.bits[1])
    }
}

/// The number of the cell a coordinate lies in; never smaller for a larger coordinate.
#[inline(always)]
fn cell(coordinate: f64, per_metre: f64) -> i64 {
    (coordinate * per_metre).floor() as i64
}

fn centre_cell(bounds: &Aabb<3>, per_metre: f64) -> [i64; 3] {
    std::array::from_fn(|axis| cell(bounds.centre(axis), per_metre))
}

/// Cells of a level are a little larger than its boxes, which absorbs the rounding of cell numbers.
fn cell_size(exponent: i32, base: f64) -> f64 {
    base * 2.0_f64.powi(exponent) * (1.0 + 1e-3)
}

/// How large the cells of a box must be: they hold the box, and their numbers are exact where it is.
fn size(bounds: &Aabb<3>) -> f64 {
    bounds.extent().max(FINEST * bounds.farthest())
}

/// The level whose cells, of `base * 2^exponent`, are just as large as `size`.
fn level_exponent(size: f64, base: f64) -> i32 {
    let exponent = (size / base).log2().ceil().clamp(f64::from(-HALVINGS), 1000.0) as i32;
    if base * 2.0_f64.powi(exponent) < size { exponent + 1 } else { exponent }
}

/// A size that most boxes do not exceed, from a sample: all of the sample if sizes hardly differ, so that one level
/// holds nearly everything; half more than nine in ten boxes have otherwise.
fn usual_size(boxes: &[Aabb<3>]) -> f64 {
    const SAMPLE: usize = 1000;
    let stride = (boxes.len() / SAMPLE).max(1);
    let sample = boxes.iter().step_by(stride).filter(|bounds| !bounds.is_empty());
    let mut sizes: Vec<f64> = sample.map(size).collect();
    if sizes.is_empty() {
        return 1.0;
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let most = sizes[sizes.len() * 9 / 10];
    let largest = sizes[sizes.len() - 1];
    (1.02 * largest).min(1.5 * most)
}

/// The smallest usual size with which all levels have finite cells.
fn least_base(boxes: &[Aabb<3>]) -> f64 {
    let sizes = boxes.iter().filter(|bounds| !bounds.is_empty()).map(size);
    sizes.fold(SMALLEST, |least, size| least.max(FARTHEST_BELOW * size))
}
