//! New boxes for many leaves at once.

use super::bounds::Bounds;
use super::{LEAF, NONE, ROOT, Tree, check, reserve};
use crate::error::Result;
use crate::geometry::Aabb;

impl Tree {
    /// Gives many nodes other boxes and leaves them where they are, like [`refit`](Self::refit) of each: but boxes above are
    /// computed only once, which takes less time if more than a few of all nodes have changed.
    ///
    /// # Errors
    ///
    /// As [`update`](Self::update); the tree is then unchanged.
    pub fn refit_many(&mut self, boxes: impl Iterator<Item = (u32, Aabb<2>)> + Clone) -> Result<()> {
        for (node, aabb) in boxes.clone() {
            self.check_node(node)?;
            check(&aabb)?;
        }
        reserve(&mut self.order, self.nodes.len())?;
        for (node, aabb) in boxes {
            let leaf = &mut self.leaves[node as usize];
            leaf.aabb = aabb;
            let slot = leaf.slot;
            let bounds = Bounds::new(&aabb, self.origin);
            match slot {
                ROOT => self.bounds = bounds,
                _ => self.nodes[(slot >> 1) as usize].bounds[(slot & 1) as usize] = bounds,
            }
            self.refits += 1;
        }
        self.refit_nodes();
        Ok(())
    }

    /// Computes the boxes of all nodes from those of their children.
    fn refit_nodes(&mut self) {
        if self.root == NONE || self.root & LEAF != 0 {
            return;
        }
        // Every node comes after its parent.
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.push(self.root);
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            order.extend(self.nodes[node as usize].children.iter().filter(|&&child| child & LEAF == 0));
        }
        for &node in order.iter().rev() {
            let node = &self.nodes[node as usize];
            let (slot, bounds) = (node.slot, node.union());
            match slot {
                ROOT => self.bounds = bounds,
                _ => self.nodes[(slot >> 1) as usize].bounds[(slot & 1) as usize] = bounds,
            }
        }
        self.order = order;
    }
}
