//! New pairs of shapes whose boxes touch.

use std::ops::Range;

use super::bodies::Kind;
use super::boxes::{FEW, whole};
use super::contacts::{ALWAYS, margins};
use super::pairs::{Class, Pair, flag, row};
use super::tile::{ShapeRow, Step, Tile};
use crate::error::Result;
use crate::geometry::Vec2;
use crate::soa::block::Real;
use crate::soa::memory;

impl<R: Real> Tile<R> {
    /// Lists pairs of shapes whose boxes touch and did not before.
    pub(super) fn find_new_pairs(&mut self) -> Result<()> {
        let per_space = self.shapes_per_space.max(1);
        if self.gravity.len() == 1 && per_space > FEW {
            return self.find_pairs_of_all();
        }
        for space in 0..self.gravity.len() {
            let range = space * per_space..((space + 1) * per_space).min(self.shapes.len());
            if self.boxes.have_moved(range.clone()) {
                self.find_pairs_among(range)?;
            }
        }
        Ok(())
    }

    /// Pairs of shapes of a range whose boxes touch and did not before.
    fn find_pairs_among(&mut self, range: Range<usize>) -> Result<()> {
        let boxes = &mut self.boxes;
        for i in range.clone().filter(|&i| boxes.moved[i].is_some()) {
            for j in range.clone() {
                let is_first = boxes.moved[j].is_none() || i < j;
                if is_first && i != j && boxes.fat[i].touches(&boxes.fat[j]) && !boxes.touched(i, j) {
                    memory::push(&mut boxes.found, [i.min(j) as u32, i.max(j) as u32])?;
                }
            }
        }
        Ok(())
    }

    /// The same for all shapes: by a tree, or by sweeps where so many boxes have changed that these take less time.
    fn find_pairs_of_all(&mut self) -> Result<()> {
        if self.boxes.have_many_moved() {
            self.boxes.postpone_tree()?;
            return self.boxes.sweep();
        }
        self.boxes.update_tree()?;
        let mut found = std::mem::take(&mut self.boxes.found);
        let mut tree = std::mem::take(&mut self.boxes.tree);
        let boxes = &self.boxes;
        let mut is_whole = true;
        tree.pairs(&boxes.moved_nodes, &mut |a, b| {
            if !boxes.touched(a as usize, b as usize) {
                is_whole &= memory::push(&mut found, [a.min(b), a.max(b)]).is_ok();
            }
        });
        let outcome = whole(is_whole, &found);
        (self.boxes.tree, self.boxes.found) = (tree, found);
        outcome
    }

    /// Adds the pairs that were found, in the order of their shapes, which does not depend on how they were found.
    pub(super) fn add_found_pairs(&mut self, step: &Step<'_, R>) -> Result<()> {
        self.boxes.found.sort_unstable();
        self.boxes.found.dedup();
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
        let kinds = rows.map(|row| step.bodies.kind(row.body as usize));
        let moves = kinds.map(|kind| kind == Kind::Dynamic);
        let [first, second] = rows.map(|row| &step.library.definitions[row.definition as usize]);
        let is_sensor = first.material.sensor || second.material.sensor;
        let is_solid = moves[0] || moves[1];
        // A sensor detects kinematic bodies, too, wherever it is.
        let is_pair = is_solid || (is_sensor && kinds.contains(&Kind::Kinematic));
        if !is_pair || !first.material.filter.accepts(second.material.filter) {
            return Ok(());
        }
        let (class, swap) = Class::of(first.vertices, second.vertices);
        let order = |pair: [u32; 2]| if swap { [pair[1], pair[0]] } else { pair };
        let mut flags = 0;
        let moves_in_order = if swap { [moves[1], moves[0]] } else { moves };
        flags |= if moves_in_order[0] { 0 } else { flag::FIXED_FIRST };
        flags |= if moves_in_order[1] { 0 } else { flag::FIXED_SECOND };
        flags |= if is_sensor { flag::SENSOR } else { 0 };
        let carried = first.material.surface_velocity - second.material.surface_velocity;
        flags |= if carried == Vec2::ZERO { 0 } else { flag::SURFACE };
        self.has_surfaces |= carried != Vec2::ZERO;
        let chained = first.geometry.has_neighbours() || second.geometry.has_neighbours();
        flags |= if chained { flag::CHAIN } else { 0 };
        let extent = |which: usize| {
            let counts = moves[which] || (!is_solid && kinds[which] == Kind::Kinematic);
            if counts { step.bodies.extent[rows[which].body as usize] } else { f64::INFINITY }
        };
        let [margin, kept] = margins(step.settings, extent(0).min(extent(1)));
        let pair = Pair {
            shapes: order(shapes),
            bodies: order([a.body, b.body]),
            outlines: order([first.outline.unwrap_or(0), second.outline.unwrap_or(0)]),
            margin: margin as f32,
            kept: kept as f32,
            limit: ALWAYS,
            swing: (if swap { first.swing } else { second.swing }) as f32,
            restitution: step.settings.restitution.mix(first.material.elasticity, second.material.elasticity),
            ids: 0,
            place: 0,
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
