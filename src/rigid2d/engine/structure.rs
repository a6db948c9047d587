//! Bodies and shapes come and go.

use super::boxes::NO_SHAPE;
use super::growth::reserve_row;
use super::pairs::flag;
use super::tile::{ShapeRow, Tile};
use crate::error::Result;
use crate::geometry::Aabb;
use crate::soa::block::Real;
use crate::soa::memory;

impl<R: Real> Tile<R> {
    /// Makes room for one more body.
    pub(crate) fn add_body(&mut self) -> Result<()> {
        reserve_row(&mut self.boxes.first_shape)?;
        self.sleep.reserve(self.boxes.first_shape.len() + 1)?;
        self.boxes.first_shape.push(NO_SHAPE);
        self.bodies_per_space = self.boxes.first_shape.len();
        Ok(())
    }

    /// Adds a shape to a body and returns its row.
    pub(crate) fn add_shape(&mut self, body: u32, definition: u32) -> Result<u32> {
        let row = if self.unused_shapes > 0 { self.first_unused_shape() } else { None };
        let row = match row {
            Some(row) => {
                self.unused_shapes -= 1;
                row
            }
            None => self.append_shape()?,
        };
        self.shapes[row] = ShapeRow { body, definition };
        self.boxes.next_shape[row] = self.boxes.first_shape[body as usize];
        self.boxes.first_shape[body as usize] = row as u32;
        self.reindex(body);
        Ok(row as u32)
    }

    /// The first row of a shape that is not used; none before the one that was removed or given last.
    fn first_unused_shape(&mut self) -> Option<usize> {
        let unused = self.shapes.iter().skip(self.used_shapes).position(|row| !row.is_used());
        self.used_shapes += unused.unwrap_or(0);
        unused.map(|_| self.used_shapes)
    }

    fn append_shape(&mut self) -> Result<usize> {
        reserve_row(&mut self.shapes)?;
        reserve_row(&mut self.boxes.fat)?;
        reserve_row(&mut self.boxes.next_shape)?;
        self.shapes.push(ShapeRow::UNUSED);
        self.boxes.fat.push(Aabb::EMPTY);
        self.boxes.sweep.forget();
        self.boxes.next_shape.push(NO_SHAPE);
        self.shapes_per_space = self.shapes.len();
        Ok(self.shapes.len() - 1)
    }

    /// Removes a shape; its pairs end.
    pub(crate) fn remove_shape(&mut self, row: u32) {
        self.end_pairs_of_shape(row);
        // What a step that failed has not told may be of this shape.
        self.is_begun = false;
        let body = self.shapes[row as usize].body as usize;
        let next = self.boxes.next_shape[row as usize];
        if self.boxes.first_shape[body] == row {
            self.boxes.first_shape[body] = next;
        } else {
            let mut before = self.boxes.first_shape[body];
            while self.boxes.next_shape[before as usize] != row {
                before = self.boxes.next_shape[before as usize];
            }
            self.boxes.next_shape[before as usize] = next;
        }
        self.shapes[row as usize] = ShapeRow::UNUSED;
        self.forget_box(row as usize);
        self.unused_shapes += 1;
        self.used_shapes = self.used_shapes.min(row as usize);
    }

    /// Makes room for the end of all pairs between two steps.
    pub(crate) fn reserve_endings(&mut self) -> Result<()> {
        let pairs = self.pairs.slots();
        self.sleep.reserve_parted(pairs)?;
        memory::reserve(&mut self.ended, pairs)
    }

    /// Ends all pairs of a shape. They are made anew in the next step if the boxes still touch.
    pub(crate) fn end_pairs_of_shape(&mut self, row: u32) {
        for slot in 0..self.pairs.slots() {
            let head = self.pairs.heads[slot];
            if head.flags & flag::ALIVE != 0 && head.shapes.contains(&row) {
                self.end_pair(slot as u32);
            }
        }
    }

    /// Has the boxes of a body made anew in the next step.
    pub(crate) fn reindex(&mut self, body: u32) {
        self.boxes.reaches.forget(body as usize);
        self.idle = None;
    }
}
