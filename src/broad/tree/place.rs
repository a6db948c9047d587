//! Where a box is put into the tree, and how it is taken out.

use super::bounds::Bounds;
use super::{Entry, LEAF, MAX_HEIGHT, NONE, Node, ROOT, Tree};

/// A child that a descent has reached.
#[derive(Clone, Copy)]
struct Reached {
    slot: u32,
    entry: Entry,
    /// Number of nodes above.
    depth: usize,
    /// By how much the boxes above grow, and its own.
    growth: f32,
}

impl Reached {
    /// Height of the tree along this path if a leaf becomes the sibling of this child.
    fn height_with_sibling(&self) -> usize {
        self.depth + usize::from(self.entry.height) + 1
    }
}

impl Tree {
    /// The height that no operation exceeds: twice the logarithm of the largest number of boxes so far, plus 10.
    pub(super) fn height_limit(&self) -> usize {
        2 * self.leaves.len().max(1).ilog2() as usize + 10
    }

    /// Puts a leaf where it costs least.
    pub(super) fn place(&mut self, leaf: u32) {
        let aabb = &self.leaves[leaf as usize].aabb;
        if self.root == NONE {
            self.origin = [aabb.centre(0), aabb.centre(1)];
            let bounds = Bounds::new(aabb, self.origin);
            self.set(ROOT, Entry { child: leaf | LEAF, bounds, height: 0 });
            return;
        }
        let bounds = &Bounds::new(aabb, self.origin);
        let entry = Entry { child: leaf | LEAF, bounds: *bounds, height: 0 };
        let limit = self.height_limit();
        let (slot, depth) = self.best_slot(bounds, limit);
        let sibling = self.entry(slot);
        let node = self.take_node();
        self.set(2 * node, sibling);
        self.set(2 * node + 1, entry);
        self.set(
            slot,
            Entry { child: node, bounds: sibling.bounds.union(bounds), height: sibling.height + 1 },
        );
        self.grow_above(slot, depth, bounds, limit);
    }

    /// Takes a leaf out of the tree; its parent becomes free.
    pub(super) fn take_out(&mut self, leaf: u32) {
        let slot = self.leaves[leaf as usize].slot;
        if slot == ROOT {
            (self.root, self.bounds, self.height) = (NONE, Bounds::EMPTY, 0);
            return;
        }
        let sibling = self.entry(slot ^ 1);
        let parent = slot >> 1;
        let above = self.nodes[parent as usize].slot;
        self.nodes[parent as usize].slot = self.free_node;
        self.free_node = parent;
        self.set(above, sibling);
        self.refit_above(above);
    }

    /// Whether the parent of a child already contains a box.
    pub(super) fn parent_contains(&self, slot: u32, bounds: &Bounds) -> bool {
        slot != ROOT && self.entry(self.nodes[(slot >> 1) as usize].slot).bounds.contains(bounds)
    }

    /// Changes the box of a child and the boxes above.
    pub(super) fn set_bounds(&mut self, slot: u32, bounds: Bounds) {
        match slot {
            ROOT => self.bounds = bounds,
            _ => self.nodes[(slot >> 1) as usize].bounds[(slot & 1) as usize] = bounds,
        }
        self.refit_above(slot);
    }

    /// Computes boxes and heights above a child that has changed.
    fn refit_above(&mut self, mut slot: u32) {
        while slot != ROOT {
            let node = self.nodes[(slot >> 1) as usize];
            let (bounds, height) = (node.union(), node.height());
            let old = self.entry(node.slot);
            if old.bounds == bounds && old.height == height {
                return;
            }
            self.set_measure(node.slot, bounds, height);
            slot = node.slot;
        }
    }

    /// Lets all boxes above a child grow around a new one, with rotations where they make boxes smaller.
    fn grow_above(&mut self, mut slot: u32, mut depth: usize, bounds: &Bounds, limit: usize) {
        while slot != ROOT {
            let index = slot >> 1;
            depth -= 1;
            self.rotate(index, limit - depth);
            let node = &self.nodes[index as usize];
            let (above, height) = (node.slot, node.height());
            let grown = self.entry(above).bounds.union(bounds);
            self.set_measure(above, grown, height);
            slot = above;
        }
    }

    /// The child whose sibling a box should become, and its depth.
    ///
    /// The cost of a place is the size of the new parent plus the growth of all boxes above. The descent goes to the child
    /// with the smaller lower bound of it, and ends where no deeper place can be better. Of equal places the deepest is
    /// taken, and of equal children the nearer, then the less high, so that many equal boxes form a balanced tree.
    pub(super) fn best_slot(&self, bounds: &Bounds, limit: usize) -> (u32, usize) {
        let size = bounds.size();
        let mut at = Reached { slot: ROOT, entry: self.entry(ROOT), depth: 0, growth: 0.0 };
        let mut with = at.entry.bounds.union(bounds).size();
        at.growth = with - at.entry.bounds.size();
        let mut best = None;
        let mut best_cost = f32::INFINITY;
        // The cost without the growth of the child itself, which a new parent replaces.
        let mut above = 0.0;
        loop {
            let allowed = at.height_with_sibling() <= limit;
            let cost = above + with;
            if allowed && (best.is_none() || cost <= best_cost) {
                (best, best_cost) = (Some((at.slot, at.depth)), cost);
            }
            if at.entry.child & LEAF != 0 {
                break;
            }
            above = at.growth;
            let [first, second] = [0, 1].map(|side| self.lower_bound(&at, side, bounds, size));
            let tight = [first, second].map(|(reached, _, _)| reached.height_with_sibling() > limit);
            let is_second = match (best.is_none(), tight) {
                (true, [true, false]) => true,
                (true, [false, true]) => false,
                _ => second_is_better(&first, &second, bounds),
            };
            let (reached, lower, size_with) = if is_second { second } else { first };
            if best.is_some() && best_cost < lower {
                break;
            }
            (at, with) = (reached, size_with);
        }
        best.unwrap_or_else(|| self.any_slot(limit))
    }

    /// A child of a node; the lowest cost of a place at it or below; the size of its box with the new one.
    #[inline(always)]
    fn lower_bound(&self, at: &Reached, side: usize, bounds: &Bounds, size: f32) -> (Reached, f32, f32) {
        let entry = self.entry(2 * at.entry.child + side as u32);
        let old = entry.bounds.size();
        let with = entry.bounds.union(bounds).size();
        let growth = at.growth + (with - old);
        let lower = if entry.child & LEAF != 0 { at.growth + with } else { growth + old.min(size) };
        let slot = 2 * at.entry.child + side as u32;
        (Reached { slot, entry, depth: at.depth + 1, growth }, lower, with)
    }

    /// A place at which a leaf does not make the tree too high, for the rare case that a descent found none.
    ///
    /// There always is one: a tree with every leaf at the limit has more leaves than the limit allows for.
    pub(super) fn any_slot(&self, limit: usize) -> (u32, usize) {
        let mut stack = [(0, 0); MAX_HEIGHT + 2];
        stack[0] = (ROOT, 0);
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (slot, depth) = stack[len];
            let entry = self.entry(slot);
            if (Reached { slot, entry, depth, growth: 0.0 }).height_with_sibling() <= limit {
                return (slot, depth);
            }
            if entry.child & LEAF == 0 {
                stack[len] = (2 * entry.child, depth + 1);
                stack[len + 1] = (2 * entry.child + 1, depth + 1);
                len += 2;
            }
        }
        unreachable!("a tree within its height limit has room");
    }

    /// Swaps a child of a node with a child of its other child where that makes the box of the latter smaller most.
    ///
    /// The node may become `limit` high at most.
    fn rotate(&mut self, index: u32, limit: usize) {
        let node = self.nodes[index as usize];
        let mut best = None;
        let mut best_gain = 0.0;
        for side in 0..2 {
            let child = node.children[side];
            if child & LEAF != 0 {
                continue;
            }
            let lower = &self.nodes[child as usize];
            let other = 1 - side;
            let size = node.bounds[side].size();
            for swapped in 0..2 {
                let kept = 1 - swapped;
                let gain = size - lower.bounds[kept].union(&node.bounds[other]).size();
                let height = 1 + lower.heights[kept].max(node.heights[other]);
                let fits = usize::from(1 + height.max(lower.heights[swapped])) <= limit;
                if gain > best_gain && fits {
                    (best, best_gain) = (Some((child, side, swapped)), gain);
                }
            }
        }
        let Some((child, side, swapped)) = best else { return };
        let upper_slot = 2 * index + 1 - side as u32;
        let lower_slot = 2 * child + swapped as u32;
        let (upper, lower) = (self.entry(upper_slot), self.entry(lower_slot));
        self.set(upper_slot, lower);
        self.set(lower_slot, upper);
        let changed = &self.nodes[child as usize];
        let (bounds, height) = (changed.union(), changed.height());
        self.set_measure(2 * index + side as u32, bounds, height);
    }

    #[inline(always)]
    pub(super) fn entry(&self, slot: u32) -> Entry {
        if slot == ROOT {
            return Entry { child: self.root, bounds: self.bounds, height: self.height };
        }
        let (node, side) = (&self.nodes[(slot >> 1) as usize], (slot & 1) as usize);
        Entry { child: node.children[side], bounds: node.bounds[side], height: node.heights[side] }
    }

    #[inline(always)]
    pub(super) fn set(&mut self, slot: u32, entry: Entry) {
        if slot == ROOT {
            self.root = entry.child;
        } else {
            self.nodes[(slot >> 1) as usize].children[(slot & 1) as usize] = entry.child;
        }
        self.set_measure(slot, entry.bounds, entry.height);
        match entry.child & LEAF {
            0 => self.nodes[entry.child as usize].slot = slot,
            _ => self.leaves[(entry.child & !LEAF) as usize].slot = slot,
        }
    }

    #[inline(always)]
    fn set_measure(&mut self, slot: u32, bounds: Bounds, height: u8) {
        if slot == ROOT {
            (self.bounds, self.height) = (bounds, height);
            return;
        }
        let (node, side) = (&mut self.nodes[(slot >> 1) as usize], (slot & 1) as usize);
        (node.bounds[side], node.heights[side]) = (bounds, height);
    }

    /// Takes a free node or a new one, for which there is memory: there are never more nodes than leaves.
    pub(super) fn take_node(&mut self) -> u32 {
        if self.free_node == NONE {
            self.nodes.push(Node::UNUSED);
            return self.nodes.len() as u32 - 1;
        }
        let index = self.free_node;
        self.free_node = self.nodes[index as usize].slot;
        index
    }
}

/// Whether the second of two children that a descent can go to is better.
#[inline(always)]
fn second_is_better(first: &(Reached, f32, f32), second: &(Reached, f32, f32), bounds: &Bounds) -> bool {
    if first.1 != second.1 {
        return second.1 < first.1;
    }
    let [to_first, to_second] = [first, second].map(|(reached, _, _)| reached.entry.bounds.distance(bounds));
    if to_first != to_second {
        return to_second < to_first;
    }
    second.0.entry.height < first.0.entry.height
}
