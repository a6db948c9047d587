//! All boxes, and all pairs of boxes that touch.

use std::ops::ControlFlow;

use crate::geometry::Aabb;

use super::bounds::Bounds;
use super::query::Stack;
use super::{FREE, LEAF, Leaf, MAX_HEIGHT, ROOT, Tree};

impl Tree {
    /// Nodes, items and boxes, in the order of nodes.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u32, Aabb<2>)> + '_ {
        let used = (0_u32..).zip(&self.leaves).filter(|(_, leaf)| leaf.slot != FREE);
        used.map(|(node, leaf)| (node, leaf.item, leaf.aabb))
    }

    /// Calls `visit` once for each pair of items whose boxes touch and of which at least one has its node in the list.
    ///
    /// The order, also of the two items, depends on the tree and on which nodes are in the list, not on their order.
    /// Repetitions and nodes that were removed are skipped.
    pub fn pairs(&mut self, moved: &[u32], visit: &mut impl FnMut(u32, u32)) {
        for &node in moved {
            self.mark(node, true);
        }
        self.visit_pairs(visit);
        for &node in moved {
            self.mark(node, false);
        }
    }

    /// Marks a leaf and the nodes above as moved or not.
    fn mark(&mut self, node: u32, moved: bool) {
        if !self.contains(node) || std::mem::replace(&mut self.leaves[node as usize].moved, moved) == moved {
            return;
        }
        let mut slot = self.leaves[node as usize].slot;
        while slot != ROOT {
            let node = &mut self.nodes[(slot >> 1) as usize];
            let old = node.moved;
            node.moved[(slot & 1) as usize] = moved;
            // Above a node with a moved leaf all are marked.
            if (old[0] | old[1]) == (node.moved[0] | node.moved[1]) {
                return;
            }
            slot = node.slot;
        }
    }

    /// Visits the pairs of which at least one leaf is marked, by a descent to pairs of nodes that touch.
    fn visit_pairs(&self, visit: &mut impl FnMut(u32, u32)) {
        if self.root & LEAF != 0 {
            return;
        }
        // A pair of nodes is replaced by four at most, one level down, and a node by three.
        let mut stack = [(0, 0); 4 * MAX_HEIGHT];
        stack[0] = (self.root, self.root);
        let mut len = 1;
        while len > 0 {
            len -= 1;
            let (a, b) = stack[len];
            match (a & LEAF != 0, b & LEAF != 0) {
                (false, false) if a == b => {
                    let node = &self.nodes[a as usize];
                    let [first, second] = node.children;
                    stack[len] = (first, first);
                    len += usize::from(node.moved[0] & (first & LEAF == 0));
                    stack[len] = (second, second);
                    len += usize::from(node.moved[1] & (second & LEAF == 0));
                    stack[len] = (first, second);
                    let touch = node.bounds[0].touches(&node.bounds[1].opposite());
                    len += usize::from(touch & (node.moved[0] | node.moved[1]));
                }
                (false, false) => {
                    let [a, b] = [a, b].map(|node| &self.nodes[node as usize]);
                    for side in 0..2 {
                        let opposite = a.bounds[side].opposite();
                        for other in 0..2 {
                            stack[len] = (a.children[side], b.children[other]);
                            let touch = b.bounds[other].touches(&opposite);
                            len += usize::from(touch & (a.moved[side] | b.moved[other]));
                        }
                    }
                }
                (true, true) => {
                    let [a, b] = [a, b].map(|leaf| &self.leaves[(leaf & !LEAF) as usize]);
                    if a.aabb.touches(&b.aabb) {
                        visit(a.item, b.item);
                    }
                }
                (is_leaf, _) => {
                    let (leaf, node) = if is_leaf { (a, b) } else { (b, a) };
                    let (below, entry) = (&self.nodes[node as usize], &self.leaves[(leaf & !LEAF) as usize]);
                    let opposite = Bounds::new(&entry.aabb, self.origin).opposite();
                    for side in 0..2 {
                        stack[len] = (leaf, below.children[side]);
                        let touch = below.bounds[side].touches(&opposite);
                        len += usize::from(touch & (entry.moved | below.moved[side]));
                    }
                }
            }
        }
    }

    /// Calls `visit(item, other)` for each pair of an item in a list of nodes and an item of another tree whose boxes
    /// touch, in the order of the list and then of the other tree.
    ///
    /// Nodes that were removed are skipped.
    pub fn pairs_with(&self, moved: &[u32], other: &Self, visit: &mut impl FnMut(u32, u32)) {
        let mut stack = Stack::new();
        for &node in moved.iter().filter(|&&node| self.contains(node)) {
            let Leaf { aabb, item, .. } = self.leaves[node as usize];
            let _ = other.visit_leaves(&mut stack, &aabb, &mut |found| {
                visit(item, found);
                ControlFlow::Continue(())
            });
        }
    }
}
