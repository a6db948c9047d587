//! The state of one space of a tile: taken out, put in, anywhere and as often as needed.

use super::bodies::Bodies;
use super::boxes::NO_SHAPE;
use super::colours::COLOURS;
use super::growth::bytes_of;
use super::library::Start;
use super::pairs::{Pair, flag, row};
use super::reach::Reach;
use super::tile::{ShapeRow, Tile};
use crate::error::{Error, Result};
use crate::geometry::Aabb;
use crate::soa::block::Real;

/// Everything of a space that its future depends on. Rows are those of the space, from 0.
#[derive(Debug, Clone)]
pub(crate) struct SpaceState<R: Real> {
    pub(crate) gravity: [f64; 2],
    pub(crate) bodies: Bodies,
    /// Per body, where it may be within its boxes.
    pub(crate) reaches: Vec<Reach>,
    /// Per body, its first shape.
    pub(crate) first_shape: Vec<u32>,
    pub(crate) shapes: Vec<ShapeRow>,
    /// Per shape.
    pub(crate) fat: Vec<Aabb<2>>,
    /// Per shape, the next one of its body.
    pub(crate) next_shape: Vec<u32>,
    /// Pairs with their numbers, in the order of their shapes.
    pub(crate) pairs: Vec<PairState<R>>,
}

/// A pair of a space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PairState<R: Real> {
    pub(crate) head: Pair,
    pub(crate) rows: [[R; 4]; row::COUNT],
    /// The pose of the second body in the coordinates of the first when the manifold was made.
    pub(crate) pose: [R; 4],
}

impl<R: Real> SpaceState<R> {
    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.bodies.memory_bytes()
            + bytes_of(&self.reaches)
            + bytes_of(&self.first_shape)
            + bytes_of(&self.shapes)
            + bytes_of(&self.fat)
            + bytes_of(&self.next_shape)
            + bytes_of(&self.pairs)
    }

    /// The same state with definitions, outlines and circles counted from those of its prototype, which start there.
    pub(crate) fn with_own_library(mut self, start: Start) -> Self {
        for shape in &mut self.shapes {
            *shape = shape.moved_by(0, -i64::from(start.definition));
        }
        for Pair { outlines, class, .. } in self.pairs.iter_mut().map(|pair| &mut pair.head) {
            for (number, is_round) in outlines.iter_mut().zip(class.is_round()) {
                *number = number.wrapping_sub(start.of(is_round));
            }
        }
        self
    }
}

impl<R: Real> Tile<R> {
    /// Rows of bodies and of shapes where a space starts.
    fn starts(&self, space: usize) -> [usize; 2] {
        [space * self.bodies_per_space, space * self.shapes_per_space]
    }

    /// The state of a space. The rows of the tile's bodies start at `base`.
    pub(crate) fn take_out(&self, space: usize, bodies: &Bodies, base: usize) -> Result<SpaceState<R>> {
        let [body, shape] = self.starts(space);
        let (count, shapes) = (self.bodies_per_space, self.shapes_per_space);
        let mut own = Bodies::new();
        own.grow(count)?;
        own.copy_from(0, bodies, base + body..base + body + count);
        let local = |of: u32| if of == NO_SHAPE { NO_SHAPE } else { of - shape as u32 };
        let rows = self.shapes[shape..shape + shapes].iter();
        Ok(SpaceState {
            gravity: self.gravity[space],
            bodies: own,
            reaches: (body..body + count).map(|body| self.boxes.reaches.get(body)).collect(),
            first_shape: self.boxes.first_shape[body..body + count].iter().map(|&of| local(of)).collect(),
            shapes: rows.map(|row| row.moved_by(-(body as i64), 0)).collect(),
            fat: self.boxes.fat[shape..shape + shapes].to_vec(),
            next_shape: self.boxes.next_shape[shape..shape + shapes].iter().map(|&of| local(of)).collect(),
            pairs: self.pairs_of(space),
        })
    }

    fn pairs_of(&self, space: usize) -> Vec<PairState<R>> {
        let [body, shape] = self.starts(space);
        let shapes = shape as u32..(shape + self.shapes_per_space) as u32;
        let alive = |slot: &usize| {
            let head = &self.pairs.heads[*slot];
            head.flags & flag::ALIVE != 0 && shapes.contains(&head.shapes[0])
        };
        let mut slots: Vec<usize> = (0..self.pairs.slots()).filter(alive).collect();
        slots.sort_unstable_by_key(|&slot| self.pairs.key(slot as u32));
        let state = |slot: usize| {
            let rows = &self.pairs.rows()[row::COUNT * slot..row::COUNT * (slot + 1)];
            PairState {
                head: self.pairs.heads[slot].moved_by(-(body as i64), -(shape as i64)),
                rows: std::array::from_fn(|n| rows[n]),
                pose: self.pairs.poses()[slot],
            }
        };
        slots.into_iter().map(state).collect()
    }

    /// Replaces a space. The rows of the tile's bodies start at `base`, and what it has of the library starts there.
    pub(crate) fn put_in(
        &mut self,
        space: usize,
        bodies: &mut Bodies,
        base: usize,
        state: &SpaceState<R>,
        start: Start,
    ) -> Result<()> {
        self.remove_pairs_of(space);
        self.boxes.forget_tree();
        let [body, shape] = self.starts(space);
        self.gravity[space] = state.gravity;
        let moved = |of: u32| if of == NO_SHAPE { NO_SHAPE } else { of + shape as u32 };
        self.boxes.reaches.resize(self.boxes.first_shape.len(), &Reach::NONE)?;
        // A state of a batch has as many rows as the largest of its prototypes.
        let rows = state.bodies.len().min(self.bodies_per_space);
        bodies.copy_from(base + body, &state.bodies, 0..rows);
        for row in 0..self.bodies_per_space {
            let reach = state.reaches.get(row).unwrap_or(&Reach::EVERYWHERE);
            self.boxes.reaches.set(body + row, reach);
        }
        let (first, unused) = self.boxes.first_shape[body..body + self.bodies_per_space].split_at_mut(rows);
        first.iter_mut().zip(&state.first_shape).for_each(|(to, &of)| *to = moved(of));
        unused.fill(NO_SHAPE);
        let (used, all) = (
            shape..shape + state.shapes.len().min(self.shapes_per_space),
            shape..shape + self.shapes_per_space,
        );
        self.shapes[all.clone()].fill(ShapeRow::UNUSED);
        for (to, row) in self.shapes[used.clone()].iter_mut().zip(&state.shapes) {
            *to = row.moved_by(body as i64, i64::from(start.definition));
        }
        self.boxes.fat[all.clone()].fill(Aabb::EMPTY);
        self.boxes.fat[used.clone()].copy_from_slice(&state.fat[..used.len()]);
        self.boxes.next_shape[all].fill(NO_SHAPE);
        for (to, &of) in self.boxes.next_shape[used].iter_mut().zip(&state.next_shape) {
            *to = moved(of);
        }
        self.colours.resize(self.gravity.len() * self.bodies_per_space);
        for pair in &state.pairs {
            self.put_pair(pair, [body, shape], start)?;
        }
        Ok(())
    }

    fn put_pair(&mut self, pair: &PairState<R>, [body, shape]: [usize; 2], start: Start) -> Result<()> {
        let mut head = pair.head.moved_by(body as i64, shape as i64);
        for (number, is_round) in head.outlines.iter_mut().zip(head.class.is_round()) {
            *number = number.wrapping_add(start.of(is_round));
        }
        let is_solved = head.flags & flag::SOLVED != 0;
        head.flags &= !flag::SOLVED;
        let slot = self.pairs.insert(head)?;
        let at = slot as usize;
        self.pairs.rows_mut()[row::COUNT * at..row::COUNT * (at + 1)].copy_from_slice(&pair.rows);
        self.pairs.poses_mut()[at] = pair.pose;
        if is_solved {
            self.colours.add_with(&mut self.pairs, slot, usize::from(head.colour).min(COLOURS));
        }
        Ok(())
    }

    fn remove_pairs_of(&mut self, space: usize) {
        let [_, shape] = self.starts(space);
        let shapes = shape as u32..(shape + self.shapes_per_space) as u32;
        // A free slot has a shape with itself.
        let is_there = |&[a, b]: &[u32; 2]| shapes.contains(&a) & (a != b);
        let mut slot = 0;
        while let Some(next) = self.pairs.keys()[slot..].iter().position(is_there) {
            slot += next;
            if self.pairs.heads[slot].flags & flag::SOLVED != 0 {
                self.colours.remove(&mut self.pairs, slot as u32);
            }
            self.pairs.remove(slot as u32);
        }
    }

    /// Makes room for this many spaces with these numbers of bodies and shapes each, all of them unused.
    pub(crate) fn resize(&mut self, spaces: usize, bodies: usize, shapes: usize) -> Result<()> {
        let (all_bodies, all_shapes) = (spaces * bodies, spaces * shapes);
        let bytes = all_bodies * size_of::<u32>() + all_shapes * size_of::<Aabb<2>>();
        let failed = |_| Error::OutOfMemory { bytes };
        (self.bodies_per_space, self.shapes_per_space) = (bodies, shapes);
        self.boxes.first_shape.try_reserve(all_bodies).map_err(failed)?;
        self.shapes.try_reserve(all_shapes).map_err(failed)?;
        self.boxes.fat.try_reserve(all_shapes).map_err(failed)?;
        self.boxes.next_shape.try_reserve(all_shapes).map_err(failed)?;
        self.gravity.resize(spaces, [0.0; 2]);
        self.boxes.reaches.resize(all_bodies, &Reach::EVERYWHERE)?;
        self.boxes.first_shape.resize(all_bodies, NO_SHAPE);
        self.shapes.resize(all_shapes, ShapeRow::UNUSED);
        self.boxes.fat.resize(all_shapes, Aabb::EMPTY);
        self.boxes.next_shape.resize(all_shapes, NO_SHAPE);
        Ok(())
    }
}

impl ShapeRow {
    /// The same shape with other numbers of its body and its definition.
    fn moved_by(self, body: i64, definition: i64) -> Self {
        if !self.is_used() {
            return self;
        }
        Self {
            body: (i64::from(self.body) + body) as u32,
            definition: (i64::from(self.definition) + definition) as u32,
        }
    }
}

impl Pair {
    /// The same pair with other numbers of its bodies and shapes.
    fn moved_by(self, body: i64, shape: i64) -> Self {
        Self {
            bodies: self.bodies.map(|row| (i64::from(row) + body) as u32),
            shapes: self.shapes.map(|row| (i64::from(row) + shape) as u32),
            ..self
        }
    }
}
