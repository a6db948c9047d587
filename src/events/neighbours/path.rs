//! The search of cells along the path of a particle.

use super::cells::{Cells, NONE, Slots, around};
use super::neighbour_lists::SINGLE_PRECISION_SLACK;
use crate::events::state::FlightState;
use crate::soa::block::{LANES, LANES32, Singles, each};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// A stretch of the flight of a particle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<const D: usize> {
    start: [f64; D],
    /// From start to end, in metres.
    displacement: [f64; D],
    /// Largest distance of the flight from the straight line, in metres.
    sagitta: f64,
}

impl<const D: usize> Path<D> {
    /// The flight from `now` until `end`; none if that is not later.
    #[inline(always)]
    pub(crate) fn new(flight: &FlightState, now: f64, end: f64, down_gravity: f64) -> Self {
        let (start, _) = flight.at::<D>(now, down_gravity);
        let falls = !flight.is_fixed() && down_gravity != 0.0;
        let rests = !falls && flight.velocity_tag[..D].iter().all(|&v| v == 0.0);
        if rests || end <= now {
            return Self { start, displacement: [0.0; D], sagitta: 0.0 };
        }
        let (mut displacement, _) = flight.at::<D>(end, down_gravity);
        for k in 0..D {
            displacement[k] -= start[k];
        }
        let duration = end - now;
        let sagitta = if falls { 0.125 * down_gravity.abs() * (duration * duration) } else { 0.0 };
        Self { start, displacement, sagitta }
    }
}

/// The rows that a search has found.
#[derive(Debug)]
pub(crate) struct Candidates {
    /// Rows beyond the capacity, moved here in whole blocks.
    many: Vec<[u32; LANES]>,
    few: [u32; CAPACITY],
    len: usize,
}

/// Rows for which a search needs no allocation.
const CAPACITY: usize = 96;

impl Candidates {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self { many: Vec::new(), few: [0; CAPACITY], len: 0 }
    }

    /// The rows in two groups of blocks, filled up with `row`.
    #[inline(always)]
    pub(crate) fn blocks(&mut self, row: usize) -> [&[[u32; LANES]]; 2] {
        if let Some(rest) = self.few[self.len..].first_chunk_mut::<LANES>() {
            *rest = [row as u32; LANES];
        }
        [&self.many, self.few[..self.len.next_multiple_of(LANES)].as_chunks().0]
    }

    pub(crate) fn clear(&mut self) {
        self.many.clear();
        self.len = 0;
    }

    /// Adds those of eight rows whose bits are set to `len` rows, and returns how many there are then.
    ///
    /// Without a branch on whether there are any, which would be mispredicted half of the time.
    #[inline(always)]
    fn add<S: Simd>(&mut self, mut len: usize, rows: &[u32; LANES32], bits: u32) -> usize {
        if len > CAPACITY - LANES32 - LANES {
            len = self.spill(len);
        }
        if let Some(out) = self.few[len..].first_chunk_mut() {
            S::compress(rows, bits, out);
        }
        len + bits.count_ones() as usize
    }

    /// Moves whole blocks of `len` rows away, and returns how many are left.
    #[cold]
    fn spill(&mut self, len: usize) -> usize {
        let (blocks, rest) = self.few[..len].as_chunks();
        self.many.extend_from_slice(blocks);
        let start = len - rest.len();
        self.few.copy_within(start..len, 0);
        len - start
    }
}

/// The cells along an axis that a search visits.
#[derive(Debug, Clone, Copy)]
struct Span {
    /// Index of the first cell, and how many there are.
    first: usize,
    count: usize,
    /// Start of the path from the lower corner of the first cell.
    start: f32,
}

/// Farther from the origin, in cells, positions within cells are lost in rounding.
const FARTHEST_CELL: f64 = 1e9;

impl Cells {
    /// Finds all particles whose positions in cells are within `reach` of a path.
    #[inline(always)]
    pub(super) fn find_along<S: Simd, const D: usize>(
        &self,
        path: &Path<D>,
        reach: f64,
        found: &mut Candidates,
    ) {
        let reach = (reach + path.sagitta) * SINGLE_PRECISION_SLACK;
        let (mut spans, mut longest) = ([Span { first: 0, count: 1, start: 0.0 }; 3], 0.0_f64);
        let mut square = 0.0;
        for k in 0..D {
            let Some(span) = self.span(k, path, reach) else {
                return S::call(Everything { cells: self, found });
            };
            spans[k] = span;
            longest = longest.max(span.count as f64 * self.axes[k].edge);
            square += path.displacement[k] * path.displacement[k];
        }
        let reach = (reach + 1e-6 * longest) as f32;
        let inverse_square = if square > 0.0 { 1.0 / square } else { 0.0 };
        let mut near = NearPath {
            start: [0.0; 3],
            displacement: [0.0; 3],
            over_square: [0.0; 3],
            square: reach * reach,
        };
        for k in 0..D {
            near.displacement[k] = path.displacement[k] as f32;
            near.over_square[k] = (path.displacement[k] * inverse_square) as f32;
        }
        self.find_in_spans::<S, D>(&spans, near, found);
    }

    /// Finds all particles near a path in the cells of these spans.
    #[inline(always)]
    fn find_in_spans<S: Simd, const D: usize>(
        &self,
        spans: &[Span; 3],
        mut near: NearPath,
        found: &mut Candidates,
    ) {
        let axes = each!(k in [0, 1, 2] => &self.axes[k]);
        let edges = each!(k in [0, 1, 2] => axes[k].edge as f32);
        // In a register: the compiler would keep the field in memory, from one cell to the next.
        let mut len = found.len;
        let mut z = spans[2].first;
        for nz in 0..spans[2].count {
            near.start[2] = spans[2].start - nz as f32 * edges[2];
            let mut y = spans[1].first;
            for ny in 0..spans[1].count {
                near.start[1] = spans[1].start - ny as f32 * edges[1];
                let line = z * axes[2].stride + y * axes[1].stride;
                let mut x = spans[0].first;
                for nx in 0..spans[0].count {
                    near.start[0] = spans[0].start - nx as f32 * edges[0];
                    let mut at = line + x * axes[0].stride;
                    loop {
                        let slots = &self.slots[at];
                        let bits = near.bits::<S::Block32, D>(slots);
                        len = found.add::<S>(len, &slots.rows, bits);
                        if self.more[at] == NONE {
                            break;
                        }
                        at = self.more[at] as usize;
                    }
                    x = if x + 1 == axes[0].count { 0 } else { x + 1 };
                }
                y = if y + 1 == axes[1].count { 0 } else { y + 1 };
            }
            z = if z + 1 == axes[2].count { 0 } else { z + 1 };
        }
        found.len = len;
    }

    /// The cells within `reach` of a path along an axis; `None` so far away that positions in cells mean nothing.
    #[inline(always)]
    fn span<const D: usize>(&self, k: usize, path: &Path<D>, reach: f64) -> Option<Span> {
        let axis = &self.axes[k];
        let (start, end) = (path.start[k], path.start[k] + path.displacement[k]);
        let from_origin = start - axis.origin;
        let mut first = ((start.min(end) - reach - axis.origin) * axis.density).floor();
        let mut last = ((start.max(end) + reach - axis.origin) * axis.density).floor();
        // Not for NaN either.
        if !(first > -FARTHEST_CELL && last < FARTHEST_CELL) {
            return None;
        }
        let index = if axis.wraps {
            around(first, axis.count)
        } else {
            let highest = (axis.count - 1) as f64;
            (first, last) = (first.clamp(0.0, highest), last.clamp(0.0, highest));
            first as usize
        };
        let count = (last - first) as usize + 1;
        Some(Span { first: index, count, start: (from_origin - first * axis.edge) as f32 })
    }
}

/// A path relative to the corner of a cell, and the square of the reach.
#[derive(Debug, Clone, Copy)]
struct NearPath {
    start: [f32; 3],
    displacement: [f32; 3],
    /// The displacement over its square, or 0.
    over_square: [f32; 3],
    square: f32,
}

impl NearPath {
    /// One bit per slot within reach of the path: of its nearest point, between start and end.
    #[inline(always)]
    fn bits<B: Singles, const D: usize>(&self, slots: &Slots) -> u32 {
        let mut from_start = [B::ZERO; D];
        let mut along = B::ZERO;
        for k in 0..D {
            from_start[k] = B::new(slots.local[k]) - B::broadcast(self.start[k]);
            along += from_start[k] * B::broadcast(self.over_square[k]);
        }
        let share = along.max(B::ZERO).min(B::ONE);
        let mut sum = B::ZERO;
        for k in 0..D {
            let apart = from_start[k] - share * B::broadcast(self.displacement[k]);
            sum += apart * apart;
        }
        // In a free slot the sum is infinite or NaN.
        sum.le(B::broadcast(self.square)).bits()
    }
}

/// Finds the particles of all cells.
struct Everything<'a> {
    cells: &'a Cells,
    found: &'a mut Candidates,
}

impl Kernel for Everything<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for slots in &self.cells.slots {
            let used = !S::equal_bits(&slots.rows, NONE) & ((1 << LANES32) - 1);
            self.found.len = self.found.add::<S>(self.found.len, &slots.rows, used);
        }
    }
}
