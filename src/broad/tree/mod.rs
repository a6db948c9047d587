//! An incremental tree of boxes in the plane.
//!
//! A new leaf becomes the sibling of the node that makes the sum of all box sizes grow least, and nodes on its path swap
//! children where that makes the sum smaller (the surface-area heuristic with rotations of Box2D's dynamic tree: E. Catto,
//! "Dynamic bounding volume hierarchies", GDC 2019). Unlike there, the height has a bound whatever is inserted: a place
//! that would exceed it is not taken.
//!
//! The boxes of both children are stored in their parent, so that a visit reads one node, and as `f32`, so that it is
//! small: nodes only lead to leaves, whose boxes, as they were given, decide.

mod bounds;
mod each;
mod place;
mod query;
mod rebuild;
mod refit;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::geometry::Aabb;

use bounds::Bounds;

/// Which bit of a child says that it is a leaf; the others are its index.
const LEAF: u32 = 1 << 31;

/// No child, and the end of a list of free entries.
const NONE: u32 = u32::MAX;

/// The slot of the root.
const ROOT: u32 = u32::MAX;

/// The slot of a leaf that is not in use.
const FREE: u32 = u32::MAX - 1;

/// No tree is higher: [`Tree::height_limit`] of 2^31 leaves.
const MAX_HEIGHT: usize = 72;

/// Boxes in the plane, each with an item number, to find those that touch a box, a segment or each other.
///
/// The tree stores boxes as they are given. Who moves items often inserts boxes that are larger by a margin, and
/// [updates](Self::update) one only when its item has left it.
///
/// The same operations give the same tree on every CPU, and the order of answers depends on the tree alone.
///
/// ```
/// use std::ops::ControlFlow;
///
/// use carom::broad::Tree;
/// use carom::geometry::Aabb;
///
/// let square = |x: f64| Aabb { min: [x, 0.0], max: [x + 1.0, 1.0] };
/// let mut tree = Tree::new();
/// let nodes = [tree.insert(&square(0.0), 10)?, tree.insert(&square(5.0), 11)?];
/// tree.update(nodes[1], &square(0.5))?;
///
/// let mut found = Vec::new();
/// tree.query(&square(1.2), &mut |item| {
///     found.push(item);
///     ControlFlow::Continue(())
/// });
/// assert_eq!(found, [11]);
///
/// let mut pairs = Vec::new();
/// tree.pairs(&nodes[1..], &mut |a, b| pairs.push((a, b)));
/// assert_eq!(pairs, [(10, 11)]);
/// # Ok::<(), carom::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tree {
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
    /// The topmost child, if there is one.
    root: u32,
    /// Its box.
    bounds: Bounds,
    /// Its height.
    height: u8,
    /// What coordinates in nodes are relative to.
    origin: [f64; 2],
    free_node: u32,
    free_leaf: u32,
    len: usize,
    /// Number of refits since the tree was built.
    refits: u64,
    /// Leaves while the tree is rebuilt.
    scratch: Vec<(Bounds, u32)>,
    /// Nodes from the top down, while all are refitted.
    order: Vec<u32>,
}

/// A node with two children. The slot of a child is twice the index of its parent, plus its side.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Node {
    bounds: [Bounds; 2],
    children: [u32; 2],
    /// The slot of the node itself; of a free node, the next free one.
    slot: u32,
    /// Heights of the children; a leaf has height 0.
    heights: [u8; 2],
    /// While pairs are searched for: whether there are moved leaves below each child.
    moved: [bool; 2],
}

impl Node {
    const UNUSED: Self = Self {
        bounds: [Bounds::EMPTY; 2],
        children: [NONE; 2],
        slot: NONE,
        heights: [0; 2],
        moved: [false; 2],
    };

    #[inline(always)]
    fn height(&self) -> u8 {
        1 + self.heights[0].max(self.heights[1])
    }

    #[inline(always)]
    fn union(&self) -> Bounds {
        self.bounds[0].union(&self.bounds[1])
    }
}

#[derive(Debug, Clone, Copy)]
struct Leaf {
    /// As it was given.
    aabb: Aabb<2>,
    slot: u32,
    /// Of a free leaf, the next free one.
    item: u32,
    /// Whether it is in the list of moved leaves, while pairs are searched for.
    moved: bool,
}

/// A child as its parent stores it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    child: u32,
    bounds: Bounds,
    height: u8,
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

impl Tree {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
            + self.leaves.capacity() * size_of::<Leaf>()
            + self.scratch.capacity() * size_of::<(Bounds, u32)>()
            + self.order.capacity() * size_of::<u32>()
    }

    /// A tree without boxes.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            nodes: Vec::new(),
            leaves: Vec::new(),
            root: NONE,
            bounds: Bounds::EMPTY,
            height: 0,
            origin: [0.0; 2],
            free_node: NONE,
            free_leaf: NONE,
            len: 0,
            refits: 0,
            scratch: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Number of boxes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no box.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many nodes are between the root and the deepest box: 0 for one box, about the binary logarithm of their number
    /// for many, and never more than twice the logarithm plus 10.
    #[must_use]
    pub fn height(&self) -> usize {
        usize::from(self.height)
    }

    /// Whether there is a box with this node.
    #[must_use]
    pub fn contains(&self, node: u32) -> bool {
        self.leaves.get(node as usize).is_some_and(|leaf| leaf.slot != FREE)
    }

    /// The box of a node that [`insert`](Self::insert) returned, as it was last given; `None` if it was removed.
    #[must_use]
    pub fn aabb(&self, node: u32) -> Option<Aabb<2>> {
        self.contains(node).then(|| self.leaves[node as usize].aabb)
    }

    /// The item of a node that [`insert`](Self::insert) returned; `None` if it was removed.
    #[must_use]
    pub fn item(&self, node: u32) -> Option<u32> {
        self.contains(node).then(|| self.leaves[node as usize].item)
    }

    /// Makes sure that the tree can hold this many boxes without an allocation.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the allocation fails or there are more than 2^31 - 2 boxes.
    pub fn reserve(&mut self, boxes: usize) -> Result<()> {
        if boxes >= LEAF as usize - 1 {
            return Err(Error::OutOfMemory { bytes: usize::MAX });
        }
        reserve(&mut self.leaves, boxes)?;
        reserve(&mut self.nodes, boxes)
    }

    /// Adds a box and returns its node, which stays the same until the box is removed; several boxes may have one item.
    ///
    /// # Errors
    ///
    /// A box that is not finite or has no points, or [`Error::OutOfMemory`]. The tree is then unchanged.
    pub fn insert(&mut self, aabb: &Aabb<2>, item: u32) -> Result<u32> {
        check(aabb)?;
        let leaves = self.leaves.len() + usize::from(self.free_leaf == NONE);
        if leaves > self.leaves.capacity().min(self.nodes.capacity()) {
            self.reserve((2 * leaves).max(8))?;
        }
        let leaf = self.take_leaf(Leaf { aabb: *aabb, slot: ROOT, item, moved: false });
        self.place(leaf);
        self.len += 1;
        Ok(leaf)
    }

    /// Removes a box; its node may be given to a box that is inserted later.
    ///
    /// # Errors
    ///
    /// [`Error::BadIndex`] if there is no box with this node.
    pub fn remove(&mut self, node: u32) -> Result<()> {
        self.check_node(node)?;
        self.take_out(node);
        let leaf = &mut self.leaves[node as usize];
        (leaf.slot, leaf.item) = (FREE, self.free_leaf);
        self.free_leaf = node;
        self.len -= 1;
        Ok(())
    }

    /// Gives a node another box, and another place in the tree if it needs one.
    ///
    /// # Errors
    ///
    /// [`Error::BadIndex`] if there is no box with this node, or a box that is not finite or has no points. The tree is then
    /// unchanged.
    pub fn update(&mut self, node: u32, aabb: &Aabb<2>) -> Result<()> {
        self.check_node(node)?;
        check(aabb)?;
        let leaf = &mut self.leaves[node as usize];
        leaf.aabb = *aabb;
        let slot = leaf.slot;
        if self.parent_contains(slot, &Bounds::new(aabb, self.origin)) {
            self.set_bounds(slot, Bounds::new(aabb, self.origin));
        } else {
            self.take_out(node);
            self.place(node);
        }
        Ok(())
    }

    /// Gives a node another box and leaves it where it is: ten times faster than [`update`](Self::update), but queries
    /// become slower once boxes have moved far, until a [rebuild](Self::rebuild_if_due).
    ///
    /// # Errors
    ///
    /// As [`update`](Self::update).
    pub fn refit(&mut self, node: u32, aabb: &Aabb<2>) -> Result<()> {
        self.check_node(node)?;
        check(aabb)?;
        let leaf = &mut self.leaves[node as usize];
        leaf.aabb = *aabb;
        let slot = leaf.slot;
        self.set_bounds(slot, Bounds::new(aabb, self.origin));
        self.refits += 1;
        Ok(())
    }

    /// Removes all boxes and keeps the memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.leaves.clear();
        (self.free_node, self.free_leaf, self.len) = (NONE, NONE, 0);
        (self.root, self.bounds, self.height, self.refits) = (NONE, Bounds::EMPTY, 0, 0);
    }

    /// Becomes a copy of another tree, in which every later operation has the same answer as in that one.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; the tree is then unchanged.
    pub fn assign(&mut self, other: &Self) -> Result<()> {
        reserve(&mut self.nodes, other.nodes.len())?;
        reserve(&mut self.leaves, other.leaves.len())?;
        self.nodes.clear();
        self.nodes.extend_from_slice(&other.nodes);
        self.leaves.clear();
        self.leaves.extend_from_slice(&other.leaves);
        (self.root, self.bounds, self.height) = (other.root, other.bounds, other.height);
        (self.free_node, self.free_leaf, self.len) = (other.free_node, other.free_leaf, other.len);
        (self.origin, self.refits) = (other.origin, other.refits);
        Ok(())
    }

    fn check_node(&self, node: u32) -> Result<()> {
        if self.contains(node) {
            return Ok(());
        }
        Err(Error::BadIndex { field: "node", index: node as usize, len: self.leaves.len() })
    }

    /// Takes a free leaf or a new one, for which there is memory.
    fn take_leaf(&mut self, leaf: Leaf) -> u32 {
        if self.free_leaf == NONE {
            self.leaves.push(leaf);
            return self.leaves.len() as u32 - 1;
        }
        let index = self.free_leaf;
        self.free_leaf = std::mem::replace(&mut self.leaves[index as usize], leaf).item;
        index
    }
}

/// Makes sure that a list can hold `len` entries.
fn reserve<T>(list: &mut Vec<T>, len: usize) -> Result<()> {
    let bytes = len.saturating_mul(size_of::<T>());
    list.try_reserve_exact(len.saturating_sub(list.len())).map_err(|_| Error::OutOfMemory { bytes })
}

fn check(aabb: &Aabb<2>) -> Result<()> {
    for axis in 0..2 {
        for value in [aabb.min[axis], aabb.max[axis]] {
            if !value.is_finite() {
                return Err(Error::NotFinite { field: "aabb", index: axis, value });
            }
        }
        if aabb.min[axis] > aabb.max[axis] {
            let value = aabb.max[axis];
            return Err(Error::OutOfRange { field: "aabb", value, expected: "max at least min" });
        }
    }
    Ok(())
}
