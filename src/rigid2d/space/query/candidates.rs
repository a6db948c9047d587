//! Which shapes a query must look at: those whose fat boxes it reaches, and all of bodies that have left theirs.

use std::ops::ControlFlow;

use super::SegmentQuery;
use crate::broad::Tree;
use crate::error::Result;
use crate::geometry::{Aabb, Vec2};
use crate::rigid2d::engine::growth::{bytes_of, reserve_rows};
use crate::rigid2d::engine::reach::Reach;
use crate::rigid2d::space::Core;

impl Core {
    /// Calls a function with every shape whose bounding box may touch a box.
    pub(super) fn visit_box(&self, aabb: &Aabb<2>, visit: &mut impl FnMut(u32)) {
        let Some(tree) = self.tree() else {
            return self.shapes.iter().for_each(|(shape, ..)| visit(shape));
        };
        let _ = tree.query(aabb, &mut |shape| {
            if !self.is_outside(shape) {
                visit(shape);
            }
            ControlFlow::Continue(())
        });
        self.outside_shapes().for_each(visit);
    }

    /// Calls a function with every shape that may be hit by a circle that moves along a segment, and with the share of the
    /// segment that matters; it returns the share that matters from then on.
    pub(super) fn visit_segment(&self, query: &SegmentQuery, visit: &mut impl FnMut(u32, f64) -> f64) {
        let SegmentQuery { start, end, radius, .. } = *query;
        let mut limit = 1.0;
        match self.tree() {
            Some(tree) => {
                self.outside_shapes().for_each(|shape| limit = visit(shape, limit));
                tree.query_segment(start, end, radius, &mut |shape, share| {
                    limit = if self.is_outside(shape) {
                        limit.min(share)
                    } else {
                        visit(shape, limit.min(share))
                    };
                    limit
                });
            }
            None => self.shapes.iter().for_each(|(shape, ..)| limit = visit(shape, limit)),
        }
    }

    /// Calls a function with every shape that may be no farther from a point than a distance, and with the distance that
    /// matters; it returns the distance that matters from then on.
    pub(super) fn visit_nearest(&self, point: Vec2, distance: f64, visit: &mut impl FnMut(u32, f64) -> f64) {
        /// By how much the distance grows from one search to the next.
        const GROWTH: f64 = 64.0;
        let mut limit = distance;
        let Some(tree) = self.tree() else {
            return self.shapes.iter().for_each(|(shape, ..)| limit = visit(shape, limit));
        };
        self.outside_shapes().for_each(|shape| limit = visit(shape, limit));
        // The bounds of rounding errors grow with the distance, so that a large one would reach every box.
        let mut within = 1.0;
        while within < limit && within < 1e30 {
            if self.visit_within(tree, point, within, &mut limit, visit) {
                return;
            }
            within *= GROWTH;
        }
        if limit < 1e30 {
            self.visit_within(tree, point, limit, &mut limit, visit);
        } else {
            self.shapes.iter().for_each(|(shape, ..)| limit = visit(shape, limit));
        }
    }

    /// Visits what may be within a distance; whether something within it was found.
    fn visit_within(
        &self,
        tree: &Tree,
        point: Vec2,
        within: f64,
        limit: &mut f64,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> bool {
        tree.query_nearest(point, within, &mut |shape, reach| {
            if !self.is_outside(shape) {
                *limit = visit(shape, *limit);
            }
            reach.min(*limit)
        });
        *limit <= within
    }

    fn tree(&self) -> Option<&Tree> {
        self.engine.boxes().index()
    }

    /// Whether the body of a shape has left its boxes.
    fn is_outside(&self, shape: u32) -> bool {
        self.outside.contains(self.shapes.at(shape).body)
    }

    fn outside_shapes(&self) -> impl Iterator<Item = u32> {
        let all = if self.outside.are_listed { 0 } else { self.bodies.rows() as u32 };
        (0..all)
            .chain(self.outside.bodies.iter().copied())
            .filter_map(|body| self.bodies.get_row(body))
            .flat_map(|entry| entry.shapes.iter())
            .copied()
    }

    /// Has the boxes of a body made anew in the next step; until then queries take its shapes as they are.
    pub(in crate::rigid2d::space) fn reindex(&mut self, body: u32) {
        self.engine.reindex(body);
        self.outside.insert(body);
    }

    /// Finds the bodies that have left their boxes, after a step. Returns whether one of them may be beyond all numbers.
    pub(in crate::rigid2d::space) fn find_outside(&mut self) -> bool {
        self.outside.clear();
        let mut is_lost = false;
        let columns = self.engine.bodies();
        let (x, y, angles) = (columns.x(), columns.y(), columns.angle());
        let reaches = &self.engine.boxes().reaches;
        for body in 0..columns.len() {
            let Reach { pose: [at_x, at_y, at_angle], limits: [limit_x, limit_y], swing } = reaches.get(body);
            let turned = (angles[body] - at_angle).abs() * f64::from(swing);
            let (dx, dy) = ((x[body] - at_x).abs(), (y[body] - at_y).abs());
            let is_inside = dx + turned <= f64::from(limit_x) && dy + turned <= f64::from(limit_y);
            if !is_inside {
                self.outside.insert(body as u32);
                is_lost |= !(dx + dy + turned).is_finite();
            }
        }
        is_lost
    }
}

/// Bodies that have left their boxes, or have none.
#[derive(Debug, Clone, Default)]
pub(in crate::rigid2d::space) struct Outside {
    /// Whether they are listed, as they are from the first step on. Before it no body has boxes.
    are_listed: bool,
    bodies: Vec<u32>,
    /// Per row.
    is_there: Vec<bool>,
}

impl Outside {
    /// Bytes of memory held.
    pub(in crate::rigid2d::space) fn memory_bytes(&self) -> usize {
        bytes_of(&self.bodies) + bytes_of(&self.is_there)
    }

    /// Makes room for so many bodies.
    pub(in crate::rigid2d::space) fn reserve(&mut self, rows: usize) -> Result<()> {
        reserve_rows(&mut self.bodies, rows)?;
        reserve_rows(&mut self.is_there, rows)
    }

    fn contains(&self, body: u32) -> bool {
        !self.are_listed || self.is_there.get(body as usize).copied().unwrap_or(false)
    }

    fn insert(&mut self, body: u32) {
        if !self.are_listed {
            return;
        }
        let row = body as usize;
        if row >= self.is_there.len() {
            self.is_there.resize(row + 1, false);
        }
        if !std::mem::replace(&mut self.is_there[row], true) {
            self.bodies.push(body);
        }
    }

    fn clear(&mut self) {
        self.are_listed = true;
        self.bodies.drain(..).for_each(|body| self.is_there[body as usize] = false);
    }
}
