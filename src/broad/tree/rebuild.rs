//! The tree made anew, from the top down.

use crate::error::Result;
use crate::geometry::Aabb;

use super::bounds::Bounds;
use super::{Entry, FREE, LEAF, MAX_HEIGHT, NONE, ROOT, Tree, reserve};

/// Number of intervals along the longer axis between which leaves are divided.
const BINS: usize = 16;

/// So few leaves are halved without regard to their boxes.
const FEW: usize = 8;

/// Number of refits per box after which a tree is rebuilt.
const REFITS: u64 = 8;

/// Leaves that will be below one slot.
#[derive(Clone, Copy, Default)]
struct Part {
    slot: u32,
    start: usize,
    end: usize,
    depth: usize,
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: Bounds,
    count: usize,
}

impl Tree {
    /// Makes the tree anew from its boxes. Nodes stay as they are; queries become faster if many boxes have been
    /// [refitted](Self::refit).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the tree is then unchanged.
    pub fn rebuild(&mut self) -> Result<()> {
        let mut leaves = std::mem::take(&mut self.scratch);
        leaves.clear();
        let reserved = reserve(&mut leaves, self.len);
        if reserved.is_ok() && self.len > 0 {
            self.origin = self.middle();
            let used = (0_u32..).zip(&self.leaves).filter(|(_, leaf)| leaf.slot != FREE);
            leaves.extend(used.map(|(index, leaf)| (Bounds::new(&leaf.aabb, self.origin), index)));
            self.nodes.clear();
            (self.free_node, self.refits) = (NONE, 0);
            self.build(&mut leaves);
        }
        self.scratch = leaves;
        reserved
    }

    /// Rebuilds the tree if boxes have been [refitted](Self::refit) eight times each on average since the last time, and
    /// returns whether it did. Called once per step, this keeps a tree good at the least cost where all boxes move.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the tree is then unchanged.
    pub fn rebuild_if_due(&mut self) -> Result<bool> {
        let due = self.refits >= REFITS * self.len as u64 && self.refits > 0;
        if due {
            self.rebuild()?;
        }
        Ok(due)
    }

    /// The centre of all boxes.
    fn middle(&self) -> [f64; 2] {
        let mut all = Aabb::EMPTY;
        for leaf in self.leaves.iter().filter(|leaf| leaf.slot != FREE) {
            all.include(&leaf.aabb.min);
            all.include(&leaf.aabb.max);
        }
        [all.centre(0), all.centre(1)]
    }

    fn build(&mut self, leaves: &mut [(Bounds, u32)]) {
        let limit = self.height_limit();
        let mut parts = [Part::default(); MAX_HEIGHT + 2];
        parts[0] = Part { slot: ROOT, start: 0, end: leaves.len(), depth: 0 };
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let Part { slot, start, end, depth } = parts[len];
            let part = &mut leaves[start..end];
            if let [(bounds, leaf)] = *part {
                self.set(slot, Entry { child: leaf | LEAF, bounds, height: 0 });
                continue;
            }
            let bounds = part.iter().fold(Bounds::EMPTY, |all, (bounds, _)| all.union(bounds));
            let middle = start + divide(part, limit - depth);
            let node = self.take_node();
            self.set(slot, Entry { child: node, bounds, height: 0 });
            // The first part is on top, so that nodes follow each other as queries visit them.
            parts[len] = Part { slot: 2 * node + 1, start: middle, end, depth: depth + 1 };
            parts[len + 1] = Part { slot: 2 * node, start, end: middle, depth: depth + 1 };
            len += 2;
        }
        self.set_heights();
    }

    /// Computes all heights; every node comes after its parent.
    fn set_heights(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            let height = self.nodes[index].height();
            match self.nodes[index].slot {
                ROOT => self.height = height,
                slot => self.nodes[(slot >> 1) as usize].heights[(slot & 1) as usize] = height,
            }
        }
    }
}

/// Divides two leaves or more into two parts and returns the size of the first; the tree above both may become `limit` high.
///
/// Which leaves are in a part depends on the leaves alone, not on their order.
fn divide(leaves: &mut [(Bounds, u32)], limit: usize) -> usize {
    let (axis, low, extent) = longer_axis(leaves);
    if leaves.len() <= FEW {
        return halve(leaves, axis);
    }
    let bin = |bounds: &Bounds| {
        let place = (bounds.middle()[axis] - low) * (BINS as f32 / extent);
        (place as usize).min(BINS - 1)
    };
    let mut bins = [Bin { bounds: Bounds::EMPTY, count: 0 }; BINS];
    for (bounds, _) in &*leaves {
        let bin = &mut bins[bin(bounds)];
        bin.bounds = bin.bounds.union(bounds);
        bin.count += 1;
    }
    let Some((first, count)) = cheapest(&bins) else { return halve(leaves, axis) };
    if least_height(count.max(leaves.len() - count)) + 1 > limit {
        return halve(leaves, axis);
    }
    let mut end = 0;
    for index in 0..leaves.len() {
        if bin(&leaves[index].0) <= first {
            leaves.swap(end, index);
            end += 1;
        }
    }
    end
}

/// The axis on which centres extend farther, twice the smallest centre on it and twice the extent.
fn longer_axis(leaves: &[(Bounds, u32)]) -> (usize, f32, f32) {
    let mut low = [f32::INFINITY; 2];
    let mut high = [f32::NEG_INFINITY; 2];
    for middle in leaves.iter().map(|(bounds, _)| bounds.middle()) {
        for axis in 0..2 {
            low[axis] = low[axis].min(middle[axis]);
            high[axis] = high[axis].max(middle[axis]);
        }
    }
    let axis = usize::from(high[1] - low[1] > high[0] - low[0]);
    (axis, low[axis], high[axis] - low[axis])
}

/// The last bin of the first part, and how many leaves are in it, for the least sum of counts times sizes of boxes.
fn cheapest(bins: &[Bin; BINS]) -> Option<(usize, usize)> {
    let mut after = [Bin { bounds: Bounds::EMPTY, count: 0 }; BINS];
    for bin in (0..BINS - 1).rev() {
        let (next, rest) = (&bins[bin + 1], &after[bin + 1]);
        after[bin] = Bin { bounds: next.bounds.union(&rest.bounds), count: next.count + rest.count };
    }
    let mut best = None;
    let mut best_cost = f32::INFINITY;
    let mut first = Bin { bounds: Bounds::EMPTY, count: 0 };
    for bin in 0..BINS - 1 {
        first = Bin { bounds: first.bounds.union(&bins[bin].bounds), count: first.count + bins[bin].count };
        if first.count == 0 || after[bin].count == 0 {
            continue;
        }
        let cost =
            first.count as f32 * first.bounds.size() + after[bin].count as f32 * after[bin].bounds.size();
        if cost < best_cost {
            (best, best_cost) = (Some((bin, first.count)), cost);
        }
    }
    best
}

/// Divides leaves at the median of their centres; equal ones are in the order of nodes.
fn halve(leaves: &mut [(Bounds, u32)], axis: usize) -> usize {
    let half = leaves.len() / 2;
    leaves.select_nth_unstable_by(half, |(a, first), (b, second)| {
        a.middle()[axis].total_cmp(&b.middle()[axis]).then(first.cmp(second))
    });
    half
}

/// The height of the least high tree with this many leaves.
fn least_height(count: usize) -> usize {
    count.next_power_of_two().ilog2() as usize
}
