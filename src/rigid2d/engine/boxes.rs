//! Fat boxes of shapes, and the pairs whose boxes touch.

use std::ops::Range;

use super::bodies::{BodiesMut, Kind};
use super::contacts::margins;
use super::library::Library;
use super::pairs::{Class, Pair, flag, row};
use super::tile::{ShapeRow, Step, Tile};
use crate::broad::Tree;
use crate::error::Result;
use crate::geometry::{Aabb, Vec2};
use crate::soa::block::Real;

/// Share of a body's extent by which its boxes are fatter.
const FAT: f64 = 0.2;

/// Up to this number of shapes all pairs of a space are tested, which takes less time than a tree.
pub(crate) const FEW: usize = 40;

/// Fat boxes of the shapes of a tile, and where the bodies were when they were made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Boxes {
    /// Per shape.
    pub(crate) fat: Vec<Aabb<2>>,
    /// Per body: `[x, y, angle]` when its boxes were made, and how far it may go from there.
    pub(crate) reference: Vec<[f64; 4]>,
    /// Per shape, whether its box has changed in this step.
    moved: Vec<bool>,
    /// Bodies that have left their boxes in this step.
    bodies: Vec<u32>,
    /// Shapes of a body: the first per body, the next per shape.
    pub(crate) first_shape: Vec<u32>,
    pub(crate) next_shape: Vec<u32>,
    /// Slots to be removed.
    gone: Vec<u32>,
    /// New pairs of one space.
    found: Vec<[u32; 2]>,
    /// The tree of a space with many shapes, and the nodes of its shapes. Tiles with several spaces have none.
    tree: Tree,
    nodes: Vec<u32>,
    moved_nodes: Vec<u32>,
}

impl Boxes {
    /// Bytes of memory held, but for the tree.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.fat.capacity() * size_of::<Aabb<2>>()
            + self.reference.capacity() * size_of::<[f64; 4]>()
            + self.moved.capacity()
            + 4 * (self.bodies.capacity() + self.first_shape.capacity() + self.next_shape.capacity())
            + 4 * (self.gone.capacity() + self.nodes.capacity() + self.moved_nodes.capacity())
            + self.found.capacity() * size_of::<[u32; 2]>()
    }

    /// The tree of a space with many shapes.
    pub(crate) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The same, if there is one since the last step.
    pub(crate) fn index(&self) -> Option<&Tree> {
        if self.nodes.is_empty() { None } else { Some(&self.tree) }
    }
}

/// No node, of a shape that is not in the tree.
const NO_NODE: u32 = u32::MAX;

/// No shape, in lists.
pub(crate) const NO_SHAPE: u32 = u32::MAX;

impl<R: Real> Tile<R> {
    /// Makes new boxes for bodies that have left theirs or may do so in this step, and updates the pairs.
    pub(crate) fn update_boxes(&mut self, step: &mut Step<'_, R>) -> Result<()> {
        self.find_moved_bodies(&step.bodies, step.dt);
        if self.boxes.bodies.is_empty() {
            return Ok(());
        }
        self.boxes.moved.clear();
        self.boxes.moved.resize(self.shapes.len(), false);
        for n in 0..self.boxes.bodies.len() {
            self.make_boxes(self.boxes.bodies[n] as usize, &step.bodies, step.library, step.dt);
        }
        self.remove_parted_pairs();
        self.find_new_pairs(step)
    }

    fn find_moved_bodies(&mut self, bodies: &BodiesMut<'_>, dt: f64) {
        let Boxes { reference, bodies: moved, .. } = &mut self.boxes;
        moved.clear();
        for body in 0..bodies.len() {
            let [x, y, angle, reach] = reference[body];
            let turned = (bodies.angle[body] - angle).abs() + bodies.angular_velocity[body].abs() * dt;
            let way_x = (bodies.x[body] - x).abs() + bodies.velocity_x[body].abs() * dt;
            let way_y = (bodies.y[body] - y).abs() + bodies.velocity_y[body].abs() * dt;
            if way_x.max(way_y) + turned * bodies.extent[body] > reach {
                moved.push(body as u32);
            }
        }
    }

    fn make_boxes(&mut self, body: usize, bodies: &BodiesMut<'_>, library: &Library<R>, dt: f64) {
        let speed = bodies.velocity_x[body].abs().max(bodies.velocity_y[body].abs());
        let turn = bodies.angular_velocity[body].abs() * bodies.extent[body];
        let moves = bodies.kind(body) != Kind::Static;
        let reach = if moves { FAT * bodies.extent[body] + 2.0 * (speed + turn) * dt } else { 0.0 };
        self.boxes.reference[body] = [bodies.x[body], bodies.y[body], bodies.angle[body], reach];
        let pose = bodies.pose(body);
        let mut shape = self.boxes.first_shape[body];
        while shape != NO_SHAPE {
            let definition = &library.definitions[self.shapes[shape as usize].definition as usize];
            let mut aabb = definition.bounding_box(pose);
            for axis in 0..2 {
                aabb.min[axis] -= reach;
                aabb.max[axis] += reach;
            }
            self.boxes.fat[shape as usize] = aabb;
            self.boxes.moved[shape as usize] = true;
            shape = self.boxes.next_shape[shape as usize];
        }
    }

    fn remove_parted_pairs(&mut self) {
        let Boxes { fat, moved, gone, .. } = &mut self.boxes;
        gone.clear();
        for (slot, head) in self.pairs.heads.iter().enumerate() {
            let [a, b] = head.shapes.map(|shape| shape as usize);
            if head.flags & flag::ALIVE != 0 && (moved[a] || moved[b]) && !fat[a].touches(&fat[b]) {
                gone.push(slot as u32);
            }
        }
        for n in 0..self.boxes.gone.len() {
            self.end_pair(self.boxes.gone[n]);
        }
    }

    /// Takes a shape out of the tree.
    pub(crate) fn forget_box(&mut self, shape: usize) {
        let Boxes { fat, tree, nodes, .. } = &mut self.boxes;
        fat[shape] = Aabb::EMPTY;
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

    fn find_new_pairs(&mut self, step: &Step<'_, R>) -> Result<()> {
        let per_space = self.shapes_per_space.max(1);
        if self.gravity.len() == 1 && per_space > FEW {
            self.find_pairs_by_tree()?;
            return self.add_found_pairs(step);
        }
        for space in 0..self.gravity.len() {
            let range = space * per_space..((space + 1) * per_space).min(self.shapes.len());
            if self.boxes.moved[range.clone()].contains(&true) {
                self.find_pairs_among(range);
                self.add_found_pairs(step)?;
            }
        }
        Ok(())
    }

    /// Pairs of shapes of a range whose boxes touch, of which one has moved.
    fn find_pairs_among(&mut self, range: Range<usize>) {
        let Boxes { fat, moved, found, .. } = &mut self.boxes;
        for i in range.clone().filter(|&i| moved[i]) {
            for j in range.clone() {
                let is_first = !moved[j] || i < j;
                if is_first && i != j && fat[i].touches(&fat[j]) {
                    found.push([i.min(j) as u32, i.max(j) as u32]);
                }
            }
        }
    }

    /// The same for all shapes, by a tree.
    fn find_pairs_by_tree(&mut self) -> Result<()> {
        let Boxes { fat, moved, found, tree, nodes, moved_nodes, .. } = &mut self.boxes;
        nodes.resize(fat.len(), NO_NODE);
        moved_nodes.clear();
        for (shape, node) in nodes.iter_mut().enumerate() {
            let is_new = *node == NO_NODE;
            if fat[shape].is_empty() || !(is_new || moved[shape]) {
                continue;
            }
            if is_new {
                *node = tree.insert(&fat[shape], shape as u32)?;
            } else {
                tree.refit(*node, &fat[shape])?;
            }
            moved_nodes.push(*node);
        }
        tree.rebuild_if_due()?;
        tree.pairs(moved_nodes, &mut |a, b| {
            if fat[a as usize].touches(&fat[b as usize]) {
                found.push([a.min(b), a.max(b)]);
            }
        });
        Ok(())
    }

    /// Adds the pairs that were found, in the order of their shapes, which does not depend on how they were found.
    fn add_found_pairs(&mut self, step: &Step<'_, R>) -> Result<()> {
        self.boxes.found.sort_unstable();
        for n in 0..self.boxes.found.len() {
            self.add_pair(self.boxes.found[n], step)?;
        }
        self.boxes.found.clear();
        Ok(())
    }

    pub(crate) fn add_pair(&mut self, shapes: [u32; 2], step: &Step<'_, R>) -> Result<()> {
        let rows: [ShapeRow; 2] = shapes.map(|shape| self.shapes[shape as usize]);
        let [a, b] = rows;
        if !a.is_used() || !b.is_used() || a.body == b.body || self.pairs.find(shapes).is_some() {
            return Ok(());
        }
        let moves = rows.map(|row| step.bodies.kind(row.body as usize) == Kind::Dynamic);
        let [first, second] = rows.map(|row| &step.library.definitions[row.definition as usize]);
        if !(moves[0] || moves[1]) || !first.material.filter.accepts(second.material.filter) {
            return Ok(());
        }
        let (class, swap) = Class::of(first.vertices, second.vertices);
        let order = |pair: [u32; 2]| if swap { [pair[1], pair[0]] } else { pair };
        let mut flags = 0;
        let moves_in_order = if swap { [moves[1], moves[0]] } else { moves };
        flags |= if moves_in_order[0] { 0 } else { flag::FIXED_FIRST };
        flags |= if moves_in_order[1] { 0 } else { flag::FIXED_SECOND };
        flags |= if first.material.sensor || second.material.sensor { flag::SENSOR } else { 0 };
        let carried = first.material.surface_velocity - second.material.surface_velocity;
        flags |= if carried == Vec2::ZERO { 0 } else { flag::SURFACE };
        self.has_surfaces |= carried != Vec2::ZERO;
        let extent = |which: usize| {
            if moves[which] { step.bodies.extent[rows[which].body as usize] } else { f64::INFINITY }
        };
        let [margin, kept] = margins(step.settings, extent(0).min(extent(1)));
        let pair = Pair {
            shapes: order(shapes),
            bodies: order([a.body, b.body]),
            outlines: order([first.outline.unwrap_or(0), second.outline.unwrap_or(0)]),
            margin: margin as f32,
            kept: kept as f32,
            restitution: step.settings.restitution.mix(first.material.elasticity, second.material.elasticity),
            ids: 0,
            place: 0,
            listed: 0,
            class,
            count: 0,
            colour: 0,
            flags,
        };
        let slot = self.pairs.insert(pair)? as usize;
        let friction = step.settings.friction.mix(first.material.friction, second.material.friction);
        self.pairs.rows_mut()[row::COUNT * slot + row::TRAITS][0] = R::nearest(friction);
        Ok(())
    }
}
