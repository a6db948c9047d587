//! Fat boxes of shapes, and the pairs whose boxes part.

use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::OnceLock;

use super::bodies::{BodiesMut, Kind};
use super::contacts::margins;
use super::growth::reserve_rows;
use super::library::Library;
use super::pairs::flag;
use super::reach::{FindLeaving, Reach, Reaches};
use super::sweep::{FindTouching, Sweep};
use super::tile::{Step, Tile};
use crate::broad::Tree;
use crate::error::Result;
use crate::geometry::{Aabb, Vec2};
use crate::soa::block::Real;
use crate::soa::{level, memory};

/// Share of a body's extent by which its boxes are fatter while it hardly moves.
const FAT: f64 = 0.2;

/// Displacement in a step that makes this half as much, in parts of the extent. Bodies that move faster leave their boxes
/// soon in any case, and large boxes have many pairs.
const SLOW: f64 = 0.1;

/// Up to this number of shapes all pairs of a space are tested, which takes less time than a tree.
pub(crate) const FEW: usize = 40;

/// Fat boxes of the shapes of a tile, and where the bodies may go within them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Boxes {
    /// Per shape.
    pub(crate) fat: Vec<Aabb<2>>,
    /// Per body.
    pub(crate) reaches: Reaches,
    /// Per shape whose box has changed in this step, where the box that it had is in the list.
    pub(super) moved: Vec<Option<NonZeroU32>>,
    /// Shapes whose boxes have changed in this step, and the boxes that they had.
    old: Vec<(u32, Aabb<2>)>,
    /// Bodies that leave their boxes in this step.
    leaving: Vec<u32>,
    /// Shapes of a body: the first per body, the next per shape.
    pub(crate) first_shape: Vec<u32>,
    pub(crate) next_shape: Vec<u32>,
    /// Slots to be removed.
    gone: Vec<u32>,
    /// New pairs.
    pub(super) found: Vec<[u32; 2]>,
    /// The tree of a space with many shapes, and the nodes of its shapes. Tiles with several spaces have none.
    pub(super) tree: Tree,
    nodes: Vec<u32>,
    pub(super) moved_nodes: Vec<u32>,
    /// Steps since the tree had the boxes as they are; 0 if it has them.
    late: u32,
    /// The tree with the boxes as they are, if a query has asked for it while the other one is late.
    current: OnceLock<Option<Tree>>,
    pub(super) sweep: Sweep,
}

impl Boxes {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.fat.capacity() * size_of::<Aabb<2>>()
            + self.reaches.memory_bytes()
            + self.old.capacity() * size_of::<(u32, Aabb<2>)>()
            + 4 * (self.moved.capacity() + self.leaving.capacity())
            + 4 * (self.first_shape.capacity() + self.next_shape.capacity())
            + 4 * (self.gone.capacity() + self.nodes.capacity() + self.moved_nodes.capacity())
            + self.found.capacity() * size_of::<[u32; 2]>()
            + self.sweep.memory_bytes()
            + self.tree.memory_bytes()
    }

    /// The tree of a space with many shapes, if there is one since the last step and memory for it.
    pub(crate) fn index(&self) -> Option<&Tree> {
        match self.late {
            _ if self.nodes.is_empty() => None,
            0 => Some(&self.tree),
            _ => self.current.get_or_init(|| self.make_current().ok()).as_ref(),
        }
    }

    /// Steps since the tree had the boxes as they are.
    #[cfg(test)]
    pub(crate) fn late(&self) -> u32 {
        self.late
    }

    /// A copy of the tree, with the boxes as they are.
    fn make_current(&self) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.assign(&self.tree)?;
        tree.refit_many(self.all_nodes())?;
        Ok(tree)
    }

    /// The nodes of all shapes that are in the tree, with their boxes.
    fn all_nodes(&self) -> impl Iterator<Item = (u32, Aabb<2>)> + Clone {
        let nodes = self.nodes.iter().zip(&self.fat).filter(|(node, _)| **node != NO_NODE);
        nodes.map(|(&node, aabb)| (node, *aabb))
    }

    /// Leaves the tree as it is while sweeps find the pairs; now and then it gets the boxes as they are, so that it stays a good
    /// one.
    pub(super) fn postpone_tree(&mut self) -> Result<()> {
        /// Steps without it, at most.
        const LATEST: u32 = 32;
        let are_known = self
            .old
            .iter()
            .all(|&(shape, _)| self.nodes.get(shape as usize).is_some_and(|&node| node != NO_NODE));
        self.current.take();
        self.late += 1;
        if are_known && self.late < LATEST { Ok(()) } else { self.update_tree() }
    }

    /// Gives the tree the boxes as they are.
    pub(super) fn catch_up(&mut self) -> Result<()> {
        if self.late > 0 {
            let mut tree = std::mem::take(&mut self.tree);
            let refitted = tree.refit_many(self.all_nodes());
            self.tree = tree;
            refitted?;
            self.current.take();
            self.late = 0;
        }
        Ok(())
    }

    /// Drops the tree, which is made anew when it is needed.
    pub(crate) fn forget_tree(&mut self) {
        self.sweep.forget();
        self.tree.clear();
        self.nodes.clear();
        self.current.take();
        self.late = 0;
    }

    /// Whether so many boxes have changed in this step that all are looked at.
    pub(super) fn have_many_moved(&self) -> bool {
        4 * self.old.len() > self.fat.len()
    }

    /// Whether boxes of a range of shapes have changed in this step.
    pub(super) fn have_moved(&self, shapes: Range<usize>) -> bool {
        self.moved[shapes].iter().any(Option::is_some)
    }

    /// Whether the boxes of two shapes touched before those that have changed did so; then there is a pair already if there
    /// may be one.
    #[inline(always)]
    pub(super) fn touched(&self, a: usize, b: usize) -> bool {
        self.before(a).touches(self.before(b))
    }

    /// The box of a shape before this step.
    #[inline(always)]
    fn before(&self, shape: usize) -> &Aabb<2> {
        match self.moved[shape] {
            Some(place) => &self.old[place.get() as usize - 1].1,
            None => &self.fat[shape],
        }
    }

    /// Finds pairs whose boxes touch and did not before, of all shapes.
    pub(super) fn sweep(&mut self) -> Result<()> {
        let (mut sweep, mut found) = (std::mem::take(&mut self.sweep), std::mem::take(&mut self.found));
        let loaded = sweep.load(&self.fat, |shape| self.before(shape));
        let found_all = loaded.map(|()| level::run(FindTouching { sweep: &sweep, found: &mut found }));
        let outcome = found_all.and_then(|is_whole| whole(is_whole, &found));
        (self.sweep, self.found) = (sweep, found);
        outcome
    }

    /// Gives a shape another box. Without an old one all pairs of the shape are new.
    fn change(&mut self, shape: usize, aabb: Aabb<2>, is_new: bool) {
        let old = std::mem::replace(&mut self.fat[shape], aabb);
        self.old.push((shape as u32, if is_new { Aabb::EMPTY } else { old }));
        self.moved[shape] = NonZeroU32::new(self.old.len() as u32);
    }

    /// Has the boxes of this step made anew in the next one, which finds all of their pairs: this one has failed.
    fn forget_leaving(&mut self) {
        for n in 0..self.leaving.len() {
            self.reaches.forget(self.leaving[n] as usize);
        }
        self.found.clear();
        self.forget_tree();
    }

    /// No box has changed.
    fn forget_changes(&mut self) -> Result<()> {
        for &(shape, _) in &self.old {
            if let Some(moved) = self.moved.get_mut(shape as usize) {
                *moved = None;
            }
        }
        self.old.clear();
        memory::resize(&mut self.moved, self.fat.len(), None)
    }

    /// Brings the tree to the boxes that have changed, and lists their nodes.
    pub(super) fn update_tree(&mut self) -> Result<()> {
        self.moved_nodes.clear();
        if self.nodes.len() < self.fat.len() {
            let first = self.nodes.len();
            memory::resize(&mut self.nodes, self.fat.len(), NO_NODE)?;
            for shape in (first..self.fat.len()).filter(|&shape| self.moved[shape].is_none()) {
                if !self.fat[shape].is_empty() {
                    self.nodes[shape] = self.tree.insert(&self.fat[shape], shape as u32)?;
                }
            }
        }
        let was_late = self.late > 0;
        self.catch_up()?;
        memory::reserve(&mut self.moved_nodes, self.old.len())?;
        let Self { tree, nodes, old, fat, moved_nodes, .. } = self;
        for &(shape, _) in old.iter() {
            let (node, aabb) = (&mut nodes[shape as usize], &fat[shape as usize]);
            if *node == NO_NODE {
                *node = tree.insert(aabb, shape)?;
            } else if !was_late {
                tree.refit(*node, aabb)?;
            }
            moved_nodes.push(*node);
        }
        self.tree.rebuild_if_due()?;
        Ok(())
    }
}

/// An error if there was no memory for all pairs that were found.
pub(super) fn whole(is_whole: bool, found: &[[u32; 2]]) -> Result<()> {
    if is_whole { Ok(()) } else { Err(memory::failed::<[u32; 2]>(found.len())) }
}

/// No node, of a shape that is not in the tree.
const NO_NODE: u32 = u32::MAX;

/// No shape, in lists.
pub(crate) const NO_SHAPE: u32 = u32::MAX;

impl<R: Real> Tile<R> {
    /// Makes new boxes for bodies that have left theirs or would do so in this step, and updates the pairs.
    pub(crate) fn update_boxes(&mut self, step: &mut Step<'_, R>) -> Result<()> {
        let Boxes { reaches, leaving, .. } = &mut self.boxes;
        reaches.resize(step.bodies.len(), &Reach::NONE)?;
        leaving.clear();
        level::run(FindLeaving { bodies: &step.bodies, reaches, dt: step.dt, leaving });
        if self.boxes.leaving.is_empty() {
            return Ok(());
        }
        self.boxes.forget_changes()?;
        reserve_rows(&mut self.boxes.old, self.shapes.len())?;
        for n in 0..self.boxes.leaving.len() {
            self.make_boxes(self.boxes.leaving[n] as usize, step);
        }
        if let Err(error) = self.find_new_pairs().and_then(|()| self.expect_room(step.bodies.len())) {
            self.boxes.forget_leaving();
            return Err(error);
        }
        self.remove_parted_pairs();
        let added = self.add_found_pairs(step);
        if added.is_err() {
            self.boxes.forget_leaving();
        }
        added
    }

    /// Whether there is room for the rest of a step with the pairs that were found: what it allocates in many small pieces is not
    /// known before. It is checked when there is more of anything than ever before.
    fn expect_room(&mut self, bodies: usize) -> Result<()> {
        /// Bytes that a step holds per body, per shape and per pair, at most, with what vectors have in reserve.
        const BYTES: [usize; 3] = [1024, 512, 1536];
        let counts = [bodies, self.shapes.len(), self.pairs.slots() + self.boxes.found.len()];
        let more = |k: usize| counts[k].saturating_sub(self.room_for[k]) * BYTES[k];
        let bytes = more(0) + more(1) + more(2);
        if bytes > 0 {
            memory::expect_more(bytes)?;
            (0..3).for_each(|k| self.room_for[k] = self.room_for[k].max(counts[k]));
        }
        Ok(())
    }

    fn make_boxes(&mut self, body: usize, step: &Step<'_, R>) {
        let Step { bodies, library, .. } = step;
        let is_new = !self.boxes.reaches.get(body).is_made();
        let reach = self.reach(body, bodies, library, step.dt);
        self.boxes.reaches.set(body, &reach);
        // Pairs have contacts up to the smaller margin of both bodies.
        let is_static = bodies.kind(body) == Kind::Static;
        let margin = if is_static { 0.0 } else { margins(step.settings, bodies.extent[body])[0] };
        let mut pose = bodies.pose(body);
        pose.position = Vec2::new(reach.pose[0], reach.pose[1]);
        let mut shape = self.boxes.first_shape[body];
        while shape != NO_SHAPE {
            let definition = &library.definitions[self.shapes[shape as usize].definition as usize];
            let mut aabb = definition.bounding_box(pose);
            for (axis, limit) in reach.limits.into_iter().enumerate() {
                aabb.min[axis] -= f64::from(limit) + margin;
                aabb.max[axis] += f64::from(limit) + margin;
            }
            self.boxes.change(shape as usize, aabb, is_new);
            shape = self.boxes.next_shape[shape as usize];
        }
    }

    /// Where a body may be within the boxes that it gets now: they lie in the direction in which it moves.
    fn reach(&self, body: usize, bodies: &BodiesMut<'_>, library: &Library<R>, dt: f64) -> Reach {
        let (x, y, angle) = (bodies.x[body], bodies.y[body], bodies.angle[body]);
        if bodies.kind(body) == Kind::Static {
            return Reach { pose: [x, y, angle], limits: [0.0; 2], swing: 0.0 };
        }
        let mut swing: f64 = 0.0;
        let mut shape = self.boxes.first_shape[body];
        while shape != NO_SHAPE {
            swing = swing.max(library.definitions[self.shapes[shape as usize].definition as usize].swing);
            shape = self.boxes.next_shape[shape as usize];
        }
        let [vx, vy, w] = bodies.velocity(body);
        let (half, extent) = (0.5 * dt, SLOW * bodies.extent[body]);
        let turn = dt * w.abs() * swing;
        let way = dt * vx.abs().max(vy.abs()) + turn;
        let around = FAT * bodies.extent[body] * (extent / (extent + way)) + turn;
        Reach {
            pose: [x + half * vx, y + half * vy, angle],
            limits: [vx, vy].map(|v| (around + half * v.abs()) as f32),
            swing: swing as f32,
        }
    }

    fn remove_parted_pairs(&mut self) {
        let Boxes { fat, moved, gone, .. } = &mut self.boxes;
        gone.clear();
        for (slot, &shapes) in self.pairs.keys().iter().enumerate() {
            let [a, b] = shapes.map(|shape| shape as usize);
            if (moved[a].is_some() | moved[b].is_some()) && !fat[a].touches(&fat[b]) {
                gone.push(slot as u32);
            }
        }
        for n in 0..self.boxes.gone.len() {
            let slot = self.boxes.gone[n];
            if self.pairs.heads[slot as usize].flags & flag::ALIVE != 0 {
                self.end_pair(slot);
            }
        }
    }

    /// Takes a shape out of the tree.
    pub(crate) fn forget_box(&mut self, shape: usize) {
        let Boxes { fat, tree, nodes, sweep, current, .. } = &mut self.boxes;
        fat[shape] = Aabb::EMPTY;
        sweep.forget();
        current.take();
        if let Some(node) = nodes.get_mut(shape).filter(|node| **node != NO_NODE) {
            tree.remove(*node).expect("a node of the tree");
            *node = NO_NODE;
        }
    }

    /// Removes a pair.
    pub(crate) fn end_pair(&mut self, slot: u32) {
        let head = self.pairs.heads[slot as usize];
        if head.flags & flag::SOLVED != 0 {
            self.colours.remove(&mut self.pairs, slot);
        }
        if head.flags & flag::ACTIVE != 0 {
            self.ended.push(self.pairs.key(slot));
            // What rested on the other may fall now.
            self.note_parted(head.bodies);
        }
        self.pairs.remove(slot);
    }
}
