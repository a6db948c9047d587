//! The search of cells along the path of a particle.

use super::candidates::{Candidates, LAST_PLACE};
use super::cells::{CellPosition, Cells, GridAxis, NONE, Slots};
use super::neighbour_lists::SINGLE_PRECISION_SLACK;
use crate::events::state::{FlightState, ROUNDER};
use crate::soa::block::{Doubles, LANES, LANES32, Lanes, Quantity, Singles, each};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// A stretch of the flight of a particle, one axis per lane; 0 in lanes that are no axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Path<B> {
    start: B,
    /// From start to end, in metres.
    displacement: B,
    /// Largest distance of the flight from the straight line, in metres.
    sagitta: f64,
}

impl<B: Doubles> Path<B> {
    /// No path at all.
    pub(crate) const NONE: Self = Self { start: B::ZERO, displacement: B::ZERO, sagitta: 0.0 };

    /// The flight from `now` until `end`; none if that is not later.
    #[inline(always)]
    pub(crate) fn new<const D: usize>(flight: &FlightState, now: f64, end: f64, down_gravity: f64) -> Self {
        let axes = B::mask_of(each!(k in [0, 1, 2, 3] => u8::from(k < D)));
        let velocity = B::new(flight.velocity_tag) & axes;
        let elapsed = now - flight.time();
        let mut start = (B::new(flight.position_time) & axes) + velocity * B::splat(elapsed);
        let falls = D > 1 && !flight.is_fixed() && down_gravity != 0.0;
        if falls {
            start -= along_gravity(0.5 * down_gravity * (elapsed * elapsed));
        }
        let rests = !falls && velocity.equals(B::ZERO).bits() == ALL_AXES;
        if rests || end <= now {
            return Self { start, displacement: B::ZERO, sagitta: 0.0 };
        }
        let duration = end - now;
        let mut displacement = velocity * B::splat(duration);
        if !falls {
            return Self { start, displacement, sagitta: 0.0 };
        }
        displacement -= along_gravity(down_gravity * (duration * (elapsed + 0.5 * duration)));
        Self { start, displacement, sagitta: 0.125 * down_gravity.abs() * (duration * duration) }
    }
}

/// A length along the axis of gravity.
#[inline(always)]
fn along_gravity<B: Doubles>(length: f64) -> B {
    B::new([0.0, length, 0.0, 0.0])
}

/// The bits of all lanes.
const ALL_AXES: u32 = (1 << LANES) - 1;

/// The axes of a grid of cells, one per lane; a lane without an axis has one cell that contains everything.
#[derive(Debug, Clone, Copy)]
pub(super) struct GridLanes {
    origin: [f64; LANES],
    edge: [f64; LANES],
    /// 1 / edge, or 0 without an axis.
    density: [f64; LANES],
    /// The least and the greatest number of a cell; infinite where cells repeat.
    least: [f64; LANES],
    greatest: [f64; LANES],
}

impl GridLanes {
    pub(super) fn new(axes: &[GridAxis; 3]) -> Self {
        let none = [0.0; LANES];
        let mut lanes = Self { origin: none, edge: none, density: none, least: none, greatest: none };
        for (k, axis) in axes.iter().enumerate().filter(|(_, axis)| !axis.flat) {
            (lanes.origin[k], lanes.edge[k], lanes.density[k]) = (axis.origin, axis.edge, axis.density);
            let ends =
                if axis.wraps { [f64::NEG_INFINITY, f64::INFINITY] } else { [0.0, (axis.count - 1) as f64] };
            [lanes.least[k], lanes.greatest[k]] = ends;
        }
        lanes
    }
}

/// The cells that a search visits, along each axis: the index of the first, and how many there are.
#[derive(Debug, Clone, Copy)]
struct Spans {
    first: [usize; 3],
    count: [usize; 3],
}

/// Farther from the origin, in cells, positions within cells are lost in rounding.
const FARTHEST_CELL: f64 = 1e9;

impl Cells {
    /// Finds all particles whose positions in cells are within a reach of a path, for each path.
    ///
    /// The cells of all paths are known before any is searched: the CPU need not wait for those of the second path when the
    /// first one is done.
    #[inline(always)]
    pub(super) fn find_along<S: Simd, const N: usize, const D: usize>(
        &self,
        paths: &[Path<S::Block>; N],
        reaches: [f64; N],
        found: &mut [Candidates; N],
    ) {
        let mut spans = [None; N];
        for n in 0..N {
            let reach = (reaches[n] + paths[n].sagitta) * SINGLE_PRECISION_SLACK;
            spans[n] = self.spans::<S>(&paths[n], reach);
        }
        for n in 0..N {
            match &spans[n] {
                Some((spans, near)) => {
                    S::call(SpanSearch::<D> { cells: self, spans, near, found: &mut found[n] });
                }
                None => S::call(Everything { cells: self, found: &mut found[n] }),
            }
        }
    }

    /// The cell of a position, and the position within it, as [`locate`](Self::locate) but for the rounding of positions.
    #[inline(always)]
    pub(super) fn locate_start<S: Simd, const D: usize>(&self, path: &Path<S::Block>) -> CellPosition {
        let (rounder, farthest) = (S::Block::splat(ROUNDER), S::Block::splat(FARTHEST_CELL));
        let from_origin = path.start - S::Block::new(self.lanes.origin);
        let number = from_origin * S::Block::new(self.lanes.density) - S::Block::splat(0.5);
        if ((-farthest).lt(number) & number.lt(farthest)).bits() != ALL_AXES {
            let [x, y, z, _] = path.start.to_array();
            return self.locate([x, y, z]);
        }
        let (least, greatest) = (S::Block::new(self.lanes.least), S::Block::new(self.lanes.greatest));
        let number = ((number + rounder) - rounder).max(least).min(greatest);
        let local = from_origin - number * S::Block::new(self.lanes.edge);
        let [x, y, z, ..] = S::to_single(local, S::Block::ZERO).to_array();
        let number = (number + rounder).to_array();
        let mut cell = 0;
        for k in 0..D {
            let index = index_around(number[k].to_bits() as u32 as i32, self.axes[k].count);
            cell += index * self.axes[k].stride;
        }
        CellPosition::new([x, y, z], cell as u32)
    }

    /// The cells within `reach` of a path, and the path relative to the first of them; `None` so far away that positions in
    /// cells mean nothing.
    #[inline(always)]
    fn spans<S: Simd>(&self, path: &Path<S::Block>, reach: f64) -> Option<(Spans, NearPath)> {
        let [origin, edge, density] = each!(n in [0, 1, 2] => S::Block::new(
            [self.lanes.origin, self.lanes.edge, self.lanes.density][n]
        ));
        let (from, to) = (path.start - origin, path.start + path.displacement - origin);
        let (below, above) = (from.min(to) - S::Block::splat(reach), from.max(to) + S::Block::splat(reach));
        // Half a cell less and rounded to the nearest, numbers of cells are rounded down, or up where that is the same cell
        // for all but the rounding of positions.
        let half = S::Block::splat(0.5);
        let (below, above) = (below * density - half, above * density - half);
        let farthest = S::Block::splat(FARTHEST_CELL);
        // Not for NaN either.
        if ((-farthest).lt(below) & above.lt(farthest)).bits() != ALL_AXES {
            return None;
        }
        let (least, greatest) = (S::Block::new(self.lanes.least), S::Block::new(self.lanes.greatest));
        let rounder = S::Block::splat(ROUNDER);
        let first = ((below + rounder) - rounder).max(least).min(greatest);
        let last = ((above + rounder) - rounder).max(least).min(greatest);
        let count = last - first + S::Block::ONE;
        let square = (path.displacement * path.displacement).sum();
        let inverse_square = if square > 0.0 { 1.0 / square } else { 0.0 };
        let over_square = path.displacement * S::Block::splat(inverse_square);
        let reach = (reach + 1e-6 * (count * edge).sum()) as f32;
        let near = NearPath {
            start: S::to_single(from - first * edge, S::Block::ZERO).to_array(),
            line: S::to_single(path.displacement, over_square).to_array(),
            square: reach * reach,
        };
        // The low bits of the sums are integers.
        let (first, count) = ((first + rounder).to_array(), (count + rounder).to_array());
        let first =
            each!(k in [0, 1, 2] => index_around(first[k].to_bits() as u32 as i32, self.axes[k].count));
        let count = each!(k in [0, 1, 2] => count[k].to_bits() as u32 as usize);
        Some((Spans { first, count }, near))
    }

    /// Calls `visit` with the slots of all cells of these spans, and with one bit per slot near the path: with two cells at
    /// once where a wide block has sixteen lanes.
    #[inline(always)]
    fn visit<S: Simd, const D: usize>(
        &self,
        spans: &Spans,
        near: &NearPath,
        mut visit: impl FnMut([&Slots; 2], u32),
    ) {
        let at_once = S::Wide32::COUNT / LANES32;
        let [along_x, along_y, along_z] = each!(k in [0, 1, 2] => self.axes[k]);
        let edges = each!(k in [0, 1, 2] => self.lanes.edge[k] as f32);
        let line = NearLine::<S::Wide32>::new(near);
        let after = |x: usize| if x + 1 == along_x.count { 0 } else { x + 1 };
        let mut start = [S::Wide32::ZERO; 3];
        let mut z = spans.first[2];
        for nz in 0..spans.count[2] {
            start[2] = S::Wide32::broadcast(near.start[2] - nz as f32 * edges[2]);
            let mut y = spans.first[1];
            for ny in 0..spans.count[1] {
                start[1] = S::Wide32::broadcast(near.start[1] - ny as f32 * edges[1]);
                let row = z * along_z.stride + y * along_y.stride;
                let (mut x, mut left) = (spans.first[0], spans.count[0]);
                // Whole numbers: which cells of the row these are.
                let mut numbers = S::Wide32::collect(|lane| if lane < LANES32 { 0.0 } else { 1.0 });
                while left > 0 {
                    start[0] =
                        numbers.fused(S::Wide32::broadcast(-edges[0]), S::Wide32::broadcast(near.start[0]));
                    numbers += S::Wide32::broadcast(at_once as f32);
                    let mut at = [row + x * along_x.stride; 2];
                    let mut used = FIRST_CELL;
                    if at_once == 2 {
                        x = after(x);
                        at[1] = if left > 1 { row + x * along_x.stride } else { at[0] };
                        used |= if left > 1 { FIRST_CELL << LANES32 } else { 0 };
                    }
                    (x, left) = (after(x), left.saturating_sub(at_once));
                    loop {
                        let slots = [&self.slots[at[0]], &self.slots[at[1]]];
                        visit(slots, line.bits::<S, D>(slots, &start) & used);
                        let more = [self.more[at[0]], self.more[at[1]]];
                        if more == [NONE; 2] {
                            break;
                        }
                        for n in 0..at_once {
                            if more[n] == NONE {
                                used &= !(FIRST_CELL << (LANES32 * n));
                            } else {
                                at[n] = more[n] as usize;
                            }
                        }
                        if at_once == 1 {
                            at[1] = at[0];
                        }
                    }
                }
                y = if y + 1 == along_y.count { 0 } else { y + 1 };
            }
            z = if z + 1 == along_z.count { 0 } else { z + 1 };
        }
    }
}

/// The bits of the slots of the first of two cells.
const FIRST_CELL: u32 = (1 << LANES32) - 1;

/// A number of a cell modulo their count.
#[inline(always)]
fn index_around(number: i32, count: usize) -> usize {
    let (number, count) = (i64::from(number), count as i64);
    let above = if number < 0 { number + count } else { number };
    let index = if above >= count { above - count } else { above };
    if (0..count).contains(&index) { index as usize } else { index_far_around(number, count) }
}

#[cold]
fn index_far_around(number: i64, count: i64) -> usize {
    number.rem_euclid(count) as usize
}

/// A path relative to the corner of the first cell of a search, and the square of the reach.
#[derive(Debug, Clone, Copy)]
struct NearPath {
    start: [f32; LANES32],
    /// The displacement, and the displacement over its square or 0.
    line: [f32; LANES32],
    square: f32,
}

/// The same in lanes, but for the start.
#[derive(Debug, Clone, Copy)]
struct NearLine<B> {
    /// The displacement backwards.
    back: [B; 3],
    over_square: [B; 3],
    square: B,
}

impl<B: Lanes<Number = f32>> NearLine<B> {
    #[inline(always)]
    fn new(near: &NearPath) -> Self {
        Self {
            back: each!(k in [0, 1, 2] => B::broadcast(-near.line[k])),
            over_square: each!(k in [0, 1, 2] => B::broadcast(near.line[LANES + k])),
            square: B::broadcast(near.square),
        }
    }

    /// One bit per slot within reach of the path: of its nearest point, between start and end.
    #[inline(always)]
    fn bits<S: Simd<Wide32 = B>, const D: usize>(&self, [first, second]: [&Slots; 2], start: &[B; 3]) -> u32 {
        let mut from_start = [B::ZERO; D];
        let mut along = B::ZERO;
        for k in 0..D {
            from_start[k] = S::join(&first.local[k], &second.local[k]) - start[k];
            let share = from_start[k] * self.over_square[k];
            along = if k == 0 { share } else { from_start[k].fused(self.over_square[k], along) };
        }
        let share = along.max(B::ZERO).min(B::ONE);
        let mut sum = B::ZERO;
        for k in 0..D {
            let apart = share.fused(self.back[k], from_start[k]);
            sum = if k == 0 { apart * apart } else { apart.fused(apart, sum) };
        }
        // In a free slot the sum is infinite or NaN.
        sum.le(self.square).bits()
    }
}

/// Finds all particles near a path in the cells of spans. A function of its own, so that all of it is in registers.
struct SpanSearch<'a, const D: usize> {
    cells: &'a Cells,
    spans: &'a Spans,
    near: &'a NearPath,
    found: &'a mut Candidates,
}

impl<const D: usize> Kernel for SpanSearch<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { cells, spans, near, found } = self;
        let mut len = found.len;
        cells.visit::<S, D>(
            spans,
            near,
            #[inline(always)]
            |[first, second], bits| len = found.put::<S>(len, [&first.rows, &second.rows], bits),
        );
        if len > LAST_PLACE {
            return S::call(LongSpanSearch::<D> { cells, spans, near, found });
        }
        found.len = len;
    }
}

/// The same for more particles than there is room for.
struct LongSpanSearch<'a, const D: usize> {
    cells: &'a Cells,
    spans: &'a Spans,
    near: &'a NearPath,
    found: &'a mut Candidates,
}

impl<const D: usize> Kernel for LongSpanSearch<'_, D> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { cells, spans, near, found } = self;
        cells.visit::<S, D>(
            spans,
            near,
            #[inline(always)]
            |[first, second], bits| found.add::<S>([&first.rows, &second.rows], bits),
        );
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
            self.found.add::<S>([&slots.rows; 2], used);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::enclosure::{Boundary, Enclosure};
    use crate::soa::level;

    /// Particles on lines in a box that is periodic, reflecting and open.
    struct Box3 {
        cells: Cells,
        positions: Vec<[f64; 3]>,
    }

    fn box_with(particles: usize) -> Box3 {
        let enclosure = Enclosure {
            lower: [0.0, -3.0, 0.0],
            upper: [9.0, 8.0, 0.0],
            boundaries: [Boundary::Periodic, Boundary::Reflecting, Boundary::Open],
        };
        let extent = [9.0, 11.0, 7.0];
        let cells = Cells::new(&enclosure, [0.0, -3.0, 0.0], extent, particles, 1.0, [false; 3]);
        let at = |n: usize, step: f64, k: usize| (n as f64 * step + 0.01 * k as f64).rem_euclid(extent[k]);
        let positions =
            (0..particles).map(|n| [at(n, 0.37, 0), at(n, 0.61, 1) - 3.0, at(n, 0.83, 2)]).collect();
        Box3 { cells, positions }
    }

    fn flight(position: [f64; 3], velocity: [f64; 3]) -> FlightState {
        FlightState::new(position, velocity, 0.0, false)
    }

    /// The places of positions by lanes.
    #[derive(Clone)]
    struct Places<'a>(&'a Cells, &'a [[f64; 3]]);

    impl Kernel for Places<'_> {
        type Output = Vec<CellPosition>;

        #[inline(always)]
        fn run<S: Simd>(self) -> Vec<CellPosition> {
            let mut places = Vec::new();
            for &position in self.1 {
                let path = Path::new::<3>(&flight(position, [0.0; 3]), 0.0, 0.0, 0.0);
                places.push(self.0.locate_start::<S, 3>(&path));
            }
            places
        }
    }

    #[test]
    fn places_in_lanes_are_those_of_scalars() {
        let Box3 { cells, mut positions } = box_with(200);
        positions.extend([[-0.5, 2.0, -20.0], [31.0, -3.5, 1e4], [0.3, 9.0, -1e4], [0.3, 1.0, 1e40]]);
        for found in level::run_at_each_level(&Places(&cells, &positions)) {
            for (&position, found) in positions.iter().zip(found) {
                let place = cells.locate(position);
                assert_eq!((found.local(), found.cell), (place.local(), place.cell), "{position:?}");
            }
        }
    }

    /// The particles that searches for the same path find, one after the other like those of several levels, in order.
    #[derive(Clone)]
    struct Search<'a> {
        cells: Cells,
        positions: &'a [[f64; 3]],
        flight: FlightState,
        reach: f64,
        searches: usize,
    }

    impl Kernel for Search<'_> {
        type Output = Vec<u32>;

        #[inline(always)]
        fn run<S: Simd>(mut self) -> Vec<u32> {
            for (row, &position) in self.positions.iter().enumerate() {
                self.cells.insert::<S>(row, &self.cells.locate(position));
            }
            let mut found = [Candidates::NONE];
            let path = Path::new::<3>(&self.flight, 0.0, 1.0, 0.0);
            for _ in 0..self.searches {
                self.cells.find_along::<S, 1, 3>(&[path], [self.reach], &mut found);
            }
            let mut rows: Vec<u32> = found[0].filled_up(1, 0).concat();
            rows.sort_unstable();
            rows
        }
    }

    #[test]
    fn searches_find_each_particle_near_a_path_once_and_no_other() {
        for (particles, reach) in [(30, 1.0), (400, 0.9), (2000, 1.7)] {
            let Box3 { cells, positions } = box_with(particles);
            let (start, displacement) = ([8.0, 1.0, 2.0], [2.5, -1.5, 1.0]);
            let near = |position: &[f64; 3]| {
                let apart = |t: f64| {
                    let gap = |k: usize| position[k] - start[k] - t * displacement[k];
                    let around = gap(0) - 9.0 * (gap(0) / 9.0).round();
                    (around * around + gap(1) * gap(1) + gap(2) * gap(2)).sqrt()
                };
                (0..=1000).map(|n| apart(0.001 * f64::from(n))).fold(f64::INFINITY, f64::min)
            };
            let flight = flight(start, displacement);
            let search = Search { cells, positions: &positions, flight, reach, searches: 1 };
            let distances: Vec<f64> = positions.iter().map(near).collect();
            for found in level::run_at_each_level(&search) {
                assert!(found.windows(2).all(|pair| pair[0] < pair[1]));
                for (row, &distance) in distances.iter().enumerate() {
                    let is_found = found.binary_search(&(row as u32)).is_ok();
                    assert!(is_found || distance > reach, "{row} at {distance}");
                    assert!(!is_found || distance < reach * 1.001, "{row} at {distance}");
                }
            }
        }
    }

    #[test]
    fn searches_after_one_that_filled_the_list_lose_no_particle() {
        let Box3 { cells, .. } = box_with(30);
        // All in one cell, which is the first and the last of a search.
        let centre = [4.6, 0.9, 3.6];
        for particles in 70..200 {
            let positions: Vec<_> =
                (0..particles).map(|n| [centre[0] + 1e-4 * f64::from(n), centre[1], centre[2]]).collect();
            let flight = flight(centre, [1e-3; 3]);
            let search =
                Search { cells: cells.clone(), positions: &positions, flight, reach: 0.1, searches: 3 };
            for found in level::run_at_each_level(&search) {
                assert_eq!(found, (0..particles as u32).flat_map(|row| [row; 3]).collect::<Vec<u32>>());
            }
        }
    }
}
