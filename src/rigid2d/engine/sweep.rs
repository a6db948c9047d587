//! New pairs of boxes by one sweep along x, for steps in which many boxes have changed.

use crate::error::Result;
use crate::geometry::Aabb;
use crate::soa::Column;
use crate::soa::block::{LANES, Lanes, Quantity, each};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Boxes in the order of their lowest x, as they are and as they were before this step.
#[derive(Debug, Clone)]
pub(crate) struct Sweep {
    /// Shapes with a box; empty if shapes have come or gone.
    order: Vec<u32>,
    /// `[min x, min y, max x, max y]` in this order.
    now: [Column<f64>; 4],
    before: [Column<f64>; 4],
}

impl Default for Sweep {
    fn default() -> Self {
        // What is beyond the end touches nothing.
        let columns =
            || [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY].map(Column::new);
        Self { order: Vec::new(), now: columns(), before: columns() }
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
        4 * self.order.capacity() + columns.map(Column::memory_bytes).sum::<usize>()
    }

    /// Sorts the shapes and writes their boxes down; `before` gives that of a shape before this step.
    pub(crate) fn load<'a>(
        &mut self,
        boxes: &'a [Aabb<2>],
        before: impl Fn(usize) -> &'a Aabb<2>,
    ) -> Result<()> {
        if self.order.is_empty() {
            self.order.extend((0..boxes.len() as u32).filter(|&shape| !boxes[shape as usize].is_empty()));
            self.order.sort_unstable_by(|&a, &b| lowest(boxes, a).total_cmp(&lowest(boxes, b)));
        } else {
            sort_nearly_sorted(&mut self.order, boxes);
        }
        for column in self.now.iter_mut().chain(&mut self.before) {
            column.resize(self.order.len(), 0.0)?;
        }
        write(&mut self.now, self.order.iter().map(|&shape| &boxes[shape as usize]));
        write(&mut self.before, self.order.iter().map(|&shape| before(shape as usize)));
        Ok(())
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

fn write<'a>(columns: &mut [Column<f64>; 4], boxes: impl Iterator<Item = &'a Aabb<2>>) {
    let [min_x, min_y, max_x, max_y] = columns.each_mut().map(Column::as_mut_slice);
    for (n, aabb) in boxes.enumerate() {
        [min_x[n], min_y[n]] = aabb.min;
        [max_x[n], max_y[n]] = aabb.max;
    }
}

/// Finds the pairs of shapes whose boxes touch and did not before.
#[derive(Debug)]
pub(crate) struct FindTouching<'a> {
    pub(crate) sweep: &'a Sweep,
    /// Pairs, each in rising order.
    pub(crate) found: &'a mut Vec<[u32; 2]>,
}

impl Kernel for FindTouching<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { sweep: Sweep { order, now, before }, found } = self;
        let [min_x, min_y, _, max_y] = each!(k in [0, 1, 2, 3] => S::Block::blocks(now[k].padded()));
        let [old_min_x, old_min_y, old_max_x, old_max_y] =
            each!(k in [0, 1, 2, 3] => S::Block::blocks(before[k].padded()));
        for (n, &shape) in order.iter().enumerate() {
            let [_, low, end, high] = each!(k in [0, 1, 2, 3] => S::Block::splat(now[k].padded()[n]));
            let [old_left, old_low, old_right, old_high] =
                each!(k in [0, 1, 2, 3] => S::Block::splat(before[k].padded()[n]));
            // The first block may begin with boxes up to this one, whose bits do not count.
            let mut block = (n + 1) / LANES;
            let mut counted = u32::MAX << ((n + 1) % LANES);
            while block * LANES < order.len() {
                let starts = min_x[block].le(end);
                let touch = starts & min_y[block].le(high) & low.le(max_y[block]);
                let touched = old_min_x[block].le(old_right)
                    & old_left.le(old_max_x[block])
                    & old_min_y[block].le(old_high)
                    & old_low.le(old_max_y[block]);
                let mut new = touch.bits() & !touched.bits() & counted;
                while new != 0 {
                    let other = order[block * LANES + new.trailing_zeros() as usize];
                    found.push([shape.min(other), shape.max(other)]);
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
                level::run(FindTouching { sweep: &sweep, found: &mut found });
                found.sort_unstable();
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
