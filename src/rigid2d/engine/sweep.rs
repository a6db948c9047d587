//! New pairs of boxes by sweeps along x, strip by strip, for steps in which many boxes have changed.

use std::ops::RangeInclusive;

use crate::error::Result;
use crate::geometry::Aabb;
use crate::soa::Column;
use crate::soa::block::{LANES, Lanes, Quantity, each};
use crate::soa::level::Kernel;
use crate::soa::memory;
use crate::soa::simd::Simd;

/// Height of a strip, in mean heights of boxes: lower ones have fewer pairs to test, higher ones fewer boxes in two of them.
const STRIP: f64 = 3.0;

/// Strips, at most.
const MOST_STRIPS: usize = 256;

/// Boxes in strips along x, each in the order of their lowest x, as they are and as they were before this step. A box is in every
/// strip that it touches.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    /// Shapes with a box; empty if shapes have come or gone.
    order: Vec<u32>,
    /// The rows of each strip: where it starts, which is a whole block, and where it ends.
    strips: Vec<[u32; 2]>,
    /// Per row its shape.
    shapes: Vec<u32>,
    /// `[min x, min y, max x, max y]` per row. What is between two strips touches nothing.
    now: [Column<f64>; 4],
    before: [Column<f64>; 4],
}

/// A box that touches nothing.
const NOWHERE: [f64; 4] = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];

impl Default for Sweep {
    fn default() -> Self {
        let columns = || NOWHERE.map(Column::new);
        Self { order: Vec::new(), strips: Vec::new(), shapes: Vec::new(), now: columns(), before: columns() }
    }
}

impl Sweep {
    /// Shapes have come or gone.
    pub(crate) fn forget(&mut self) {
        self.order.clear();
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        let columns = self.now.iter().chain(&self.before);
        4 * (self.order.capacity() + 2 * self.strips.capacity() + self.shapes.capacity())
            + columns.map(Column::memory_bytes).sum::<usize>()
    }

    /// Sorts the shapes and writes their boxes down; `before` gives that of a shape before this step.
    pub(crate) fn load<'a>(
        &mut self,
        boxes: &'a [Aabb<2>],
        before: impl Fn(usize) -> &'a Aabb<2>,
    ) -> Result<()> {
        if self.order.is_empty() {
            memory::reserve(&mut self.order, boxes.len())?;
            self.order.extend((0..boxes.len() as u32).filter(|&shape| !boxes[shape as usize].is_empty()));
            self.order.sort_unstable_by(|&a, &b| lowest(boxes, a).total_cmp(&lowest(boxes, b)));
        } else {
            sort_nearly_sorted(&mut self.order, boxes);
        }
        let heights = Heights::of(self.order.iter().map(|&shape| &boxes[shape as usize]));
        let rows = self.lay_out(boxes, &heights)?;
        for column in self.now.iter_mut().chain(&mut self.before) {
            column.resize(rows, 0.0)?;
        }
        self.shapes.clear();
        memory::resize(&mut self.shapes, rows, 0)?;
        let mut columns =
            [self.now.each_mut(), self.before.each_mut()].map(|four| four.map(Column::as_mut_slice));
        for &shape in &self.order {
            let now = &boxes[shape as usize];
            let both = [now, before(shape as usize)].map(|aabb| [aabb.min, aabb.max]);
            for strip in heights.strips(now) {
                let row = self.strips[strip][1] as usize;
                self.strips[strip][1] += 1;
                self.shapes[row] = shape;
                for (columns, [min, max]) in columns.iter_mut().zip(both) {
                    write(columns, row, [min[0], min[1], max[0], max[1]]);
                }
            }
        }
        for &[_, end] in &self.strips {
            for row in end as usize..(end as usize).next_multiple_of(LANES) {
                columns.iter_mut().for_each(|columns| write(columns, row, NOWHERE));
            }
        }
        Ok(())
    }

    /// Finds out where the strips start, each with no rows yet, and how many rows there are.
    fn lay_out(&mut self, boxes: &[Aabb<2>], heights: &Heights) -> Result<usize> {
        self.strips.clear();
        memory::resize(&mut self.strips, heights.count, [0; 2])?;
        for &shape in &self.order {
            for strip in heights.strips(&boxes[shape as usize]) {
                self.strips[strip][1] += 1;
            }
        }
        let mut rows = 0;
        for strip in &mut self.strips {
            let count = strip[1] as usize;
            *strip = [rows as u32; 2];
            rows += count.next_multiple_of(LANES);
        }
        Ok(rows)
    }
}

/// How the plane is divided into strips of equal height. The first and the last one have no end.
struct Heights {
    /// Where the first strip would begin, and strips per metre.
    start: f64,
    scale: f64,
    count: usize,
}

impl Heights {
    /// Strips for some boxes, most of which lie within four mean deviations of their mean.
    fn of<'a>(boxes: impl Iterator<Item = &'a Aabb<2>> + Clone) -> Self {
        let (mut sum, mut height, mut count) = (0.0, 0.0, 0.0);
        for aabb in boxes.clone() {
            sum += 0.5 * (aabb.min[1] + aabb.max[1]);
            height += aabb.max[1] - aabb.min[1];
            count += 1.0;
        }
        let mean = sum / count;
        let deviation =
            boxes.map(|aabb| (0.5 * (aabb.min[1] + aabb.max[1]) - mean).abs()).sum::<f64>() / count;
        let strips = 8.0 * deviation * count / (STRIP * height);
        // Not finite if there are no boxes, or if they are too far away.
        if !(strips >= 1.0 && strips.is_finite() && mean.is_finite()) {
            return Self { start: 0.0, scale: 0.0, count: 1 };
        }
        let strips = strips.min(MOST_STRIPS as f64).floor();
        Self { start: mean - 4.0 * deviation, scale: strips / (8.0 * deviation), count: strips as usize }
    }

    /// The strips that a box touches.
    fn strips(&self, aabb: &Aabb<2>) -> RangeInclusive<usize> {
        let last = (self.count - 1) as f64;
        let strip = |y: f64| ((y - self.start) * self.scale).clamp(0.0, last) as usize;
        strip(aabb.min[1])..=strip(aabb.max[1])
    }
}

fn lowest(boxes: &[Aabb<2>], shape: u32) -> f64 {
    boxes[shape as usize].min[0]
}

/// Sorts by insertion: few boxes pass each other in a step. Where many do, all are sorted.
fn sort_nearly_sorted(order: &mut [u32], boxes: &[Aabb<2>]) {
    /// Places by which a shape moves, on average, up to which this takes less time.
    const FEW: usize = 24;
    let mut left = FEW * order.len();
    for n in 1..order.len() {
        let (shape, key) = (order[n], lowest(boxes, order[n]));
        let mut at = n;
        while at > 0 && lowest(boxes, order[at - 1]) > key {
            order[at] = order[at - 1];
            at -= 1;
        }
        order[at] = shape;
        if n - at > left {
            order.sort_unstable_by(|&a, &b| lowest(boxes, a).total_cmp(&lowest(boxes, b)));
            return;
        }
        left -= n - at;
    }
}

#[inline(always)]
fn write(columns: &mut [&mut [f64]; 4], row: usize, numbers: [f64; 4]) {
    for (column, number) in columns.iter_mut().zip(numbers) {
        column[row] = number;
    }
}

/// Finds the pairs of shapes whose boxes touch and did not before.
#[derive(Debug)]
pub(crate) struct FindTouching<'a> {
    pub(crate) sweep: &'a Sweep,
    /// Pairs, each in rising order; those in several strips as often as that.
    pub(crate) found: &'a mut Vec<[u32; 2]>,
}

impl Kernel for FindTouching<'_> {
    /// Whether there was memory for all pairs.
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self { sweep: Sweep { strips, shapes, now, before, .. }, found } = self;
        let [min_x, min_y, _, max_y] = each!(k in [0, 1, 2, 3] => S::Block::blocks(now[k].padded()));
        let [old_min_x, old_min_y, old_max_x, old_max_y] =
            each!(k in [0, 1, 2, 3] => S::Block::blocks(before[k].padded()));
        for &[start, end] in strips {
            for n in start as usize..end as usize {
                let [_, low, right, high] = each!(k in [0, 1, 2, 3] => S::Block::splat(now[k].padded()[n]));
                let [old_left, old_low, old_right, old_high] =
                    each!(k in [0, 1, 2, 3] => S::Block::splat(before[k].padded()[n]));
                // The first block may begin with boxes up to this one, whose bits do not count.
                let mut block = (n + 1) / LANES;
                let mut counted = u32::MAX << ((n + 1) % LANES);
                while block * LANES < end as usize {
                    let starts = min_x[block].le(right);
                    let touch = starts & min_y[block].le(high) & low.le(max_y[block]);
                    let touched = old_min_x[block].le(old_right)
                        & old_left.le(old_max_x[block])
                        & old_min_y[block].le(old_high)
                        & old_low.le(old_max_y[block]);
                    let mut new = touch.bits() & !touched.bits() & counted;
                    while new != 0 {
                        let other = shapes[block * LANES + new.trailing_zeros() as usize];
                        if memory::push(found, [shapes[n].min(other), shapes[n].max(other)]).is_err() {
                            return false;
                        }
                        new &= new - 1;
                    }
                    if starts.bits() != (1 << LANES) - 1 {
                        break;
                    }
                    counted = u32::MAX;
                    block += 1;
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::SplitMix64;
    use crate::soa::level;

    /// Boxes of different sizes, one in fifty without points.
    fn boxes(random: &mut SplitMix64, count: usize) -> Vec<Aabb<2>> {
        let one = |k: usize| {
            let [x, y] = [random.real(), random.real()];
            let [w, h] = [0.03 * random.real().abs(), 0.05 * random.real().abs()];
            let wide = if k.is_multiple_of(17) { 1.0 } else { w };
            if k % 50 == 3 { Aabb::EMPTY } else { Aabb { min: [x, y], max: [x + wide, y + h] } }
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn finds_the_pairs_that_all_tests_find() {
        let mut random = SplitMix64(7);
        for count in [0, 1, 2, 3, 5, 8, 200] {
            let mut sweep = Sweep::default();
            let mut old = vec![Aabb::EMPTY; count];
            let mut now = boxes(&mut random, count);
            for step in 0..4 {
                sweep.load(&now, |shape| &old[shape]).unwrap();
                let mut found = Vec::new();
                assert!(level::run(FindTouching { sweep: &sweep, found: &mut found }));
                found.sort_unstable();
                found.dedup();
                let mut expected = Vec::new();
                for b in 0..count {
                    for a in 0..b {
                        if now[a].touches(&now[b]) && !old[a].touches(&old[b]) {
                            expected.push([a as u32, b as u32]);
                        }
                    }
                }
                expected.sort_unstable();
                assert_eq!(found, expected, "{count} {step}");
                assert!(count < 200 || found.len() > 5, "{}", found.len());
                old.clone_from(&now);
                // In the last step all are somewhere else.
                let far = if step == 2 { 1.0 } else { 0.05 };
                for aabb in now.iter_mut().filter(|aabb| !aabb.is_empty()) {
                    let by = [far * random.real(), far * random.real()];
                    for axis in 0..2 {
                        aabb.min[axis] += by[axis];
                        aabb.max[axis] += by[axis];
                    }
                }
            }
        }
    }
}
