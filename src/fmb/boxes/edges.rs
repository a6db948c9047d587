//! The least and the largest value of a quantity over the overlap of two tetrahedra at rest, from its vertices.
//!
//! A vertex of the overlap is an end of an edge of one body that is cut to the other body, as in the scalar twin. A
//! tetrahedron has as many edges as directions: cutting them once and looking at two ends each is less work than combining
//! rows for every quantity. Cuboids have four edges a direction, and with them the combinations are less.
//!
//! All values are taken twice, and places on an edge are from -1 to 1.

use super::GRAZING;
use super::shape::{DIRECTIONS, Shape, each_direction, each_row, unrolled};
use super::views::{Table, View};
use crate::soa::lanes::{Block, keep, le, lt, max, min, splat};

const SHAPE: &Shape = &Shape::new(3, true);

/// The part of an edge within the other body.
#[derive(Clone, Copy)]
struct Piece {
    /// Twice its middle; NaN if there is no such part.
    middle: Block,
    length: Block,
}

/// The pieces of all edges of a body.
struct Pieces([Piece; DIRECTIONS]);

impl Pieces {
    /// The edges of a body in the coordinates of the other.
    #[inline(always)]
    fn new(view: &View) -> Self {
        let mut cuts = [Cut { before: Block::ONE, after: Block::ONE, tolerance: Block::ZERO }; DIRECTIONS];
        each_row!(SHAPE, row => {
            let (table, rounding) = (&view.tables[row], view.rounding[row]);
            each_direction!(SHAPE, i => { cuts[i].cut(middle(table, i), table.along[i], rounding); });
        });
        let mut pieces = Self([Piece { middle: Block::ZERO, length: Block::ZERO }; DIRECTIONS]);
        each_direction!(SHAPE, i => { pieces.0[i] = cuts[i].piece(); });
        pieces
    }
}

/// Twice the value of a quantity in the middle of an edge.
#[inline(always)]
fn middle(of: &Table, i: usize) -> Block {
    let [one, two] = SHAPE.differences[i];
    of.origin + if i < 3 { of.along[i] } else { of.along[one] + of.along[two] }
}

/// How far an edge is within the rows seen so far, before and after its middle.
#[derive(Clone, Copy)]
struct Cut {
    before: Block,
    after: Block,
    /// Rounding error of places on the edge.
    tolerance: Block,
}

impl Cut {
    /// Cuts at both ends of a row, given twice its coordinate in the middle of the edge and its change.
    #[inline(always)]
    fn cut(&mut self, middle: Block, change: Block, rounding: Block) {
        // Along an edge that is parallel to the face the coordinate is constant but for its rounding error.
        let size = Block::ONE / max(change.abs(), rounding);
        let share = (rounding + rounding) * size;
        let reach = size + keep(lt(splat(2.0 * GRAZING), share), share);
        let place = (middle ^ (change & splat(-0.0))) * size;
        self.before = min(reach + place, self.before);
        self.after = min(reach - place, self.after);
        self.tolerance = max(share, self.tolerance);
    }

    #[inline(always)]
    fn piece(&self) -> Piece {
        let length = self.after + self.before;
        let is_there = le(Block::ZERO, length + min(self.tolerance, splat(2.0 * GRAZING)));
        Piece { middle: (self.after - self.before) | !is_there, length }
    }
}

/// Two tetrahedra.
pub(super) struct Edges {
    a: Pieces,
    b: Pieces,
}

impl Edges {
    /// `from_b` is A in the coordinates of B, `from_a` is B in those of A.
    #[inline(always)]
    pub(super) fn new(from_b: &View, from_a: &View) -> Self {
        Self { a: Pieces::new(from_b), b: Pieces::new(from_a) }
    }

    /// The range of a quantity as A sees it and as B sees it. Without any vertex its ends are in the wrong order.
    #[inline(always)]
    pub(super) fn range(&self, of_a: &Table, of_b: &Table) -> [Block; 2] {
        let (mut lo, mut hi) = (splat(f64::INFINITY), splat(f64::NEG_INFINITY));
        let mut include = |piece: &Piece, of: &Table, i: usize| {
            let half = of.along[i] * splat(0.5);
            let (centre, reach) = (middle(of, i) + piece.middle * half, piece.length * half.abs());
            (lo, hi) = (min(centre - reach, lo), max(centre + reach, hi));
        };
        each_direction!(SHAPE, i => {
            include(&self.a.0[i], of_a, i);
            include(&self.b.0[i], of_b, i);
        });
        [lo * splat(0.5), hi * splat(0.5)]
    }
}
