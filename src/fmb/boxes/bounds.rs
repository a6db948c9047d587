//! The least and the largest value of a quantity over the overlap of two bodies.
//!
//! Every row of both bodies, and time, is confined to an interval. A quantity that is linear in place and time is a
//! linear combination of any D + 1 of them (D for frames at rest) that are independent, and lies where the combination of
//! their intervals does: SPEC section 2. By the duality of linear programs the intersection of the intervals of all such
//! combinations is the range of the quantity. Whether an interval is reached need not be known, and combinations of rows
//! that are nearly dependent are left out: others bound the quantity then.
//!
//! All values are taken twice, so that a half width is the sum of the magnitudes of the coefficients.

use super::shape::{DIRECTIONS, ROWS, SYSTEMS, Shape, each_direction, each_row, unrolled};
use super::views::{Table, View};
use crate::soa::lanes::{Block, le, max, min, splat};

/// What the combinations of rows of a body with one row of the other share.
struct Side {
    /// The body in the coordinates of the other.
    view: View,
    /// One over the change of each row of the other along each direction; NaN if that may be rounding error. Times do
    /// without.
    over_along: [[Block; DIRECTIONS]; ROWS],
    /// The same for the change with time.
    over_way: [Block; ROWS],
}

impl Side {
    #[inline(always)]
    fn new<const MOVING: bool>(shape: &Shape, other: &Shape, view: View, for_boxes: bool) -> Self {
        let mut side =
            Self { view, over_along: [[Block::ZERO; DIRECTIONS]; ROWS], over_way: [Block::ZERO; ROWS] };
        each_row!(other, row => {
            let (table, noise) = (&side.view.tables[row], &side.view.noise[row]);
            if for_boxes {
                each_direction!(shape, i => { side.over_along[row][i] = over(table.along[i], noise.along[i]); });
            }
            if MOVING {
                side.over_way[row] = over(table.way, noise.way);
            }
        });
        side
    }

    /// As many rows of the body as there are dimensions, and time.
    #[inline(always)]
    fn bound_alone<const D: usize, const MOVING: bool>(&self, shape: &Shape, of: &Table, range: &mut Range) {
        let mut change = [Block::ZERO; D];
        unrolled!(i in [0, 1, 2] below D => { change[i] = of.along[i]; });
        let reach = if MOVING { of.way.abs() } else { Block::ZERO };
        range.confine_to_body(shape, of.origin, &change, reach);
    }

    /// All rows of a system but one, a row of the other body, and time.
    #[inline(always)]
    fn bound_at_a_time<const D: usize, const MOVING: bool>(
        &self,
        shape: &Shape,
        other: &Shape,
        of: &Table,
        range: &mut Range,
    ) {
        each_direction!(shape, i => {
            each_row!(other, row => {
                let table = &self.view.tables[row];
                let share = of.along[i] * self.over_along[row][i];
                let mut reach = share.abs();
                if MOVING {
                    reach += (of.way - share * table.way).abs();
                }
                unrolled!(n in [0, 1] below D - 1 => {
                    let k = shape.others[i][n];
                    reach += (of.along[k] - share * table.along[k]).abs();
                });
                let system = shape.system[i];
                range.confine(of.centres[system] - share * table.centres[system], reach);
            });
        });
    }

    /// As many rows of the body as there are dimensions, and a row of the other body.
    #[inline(always)]
    fn bound_on_the_way<const D: usize, const TIME: bool>(
        &self,
        shape: &Shape,
        other: &Shape,
        of: &Table,
        range: &mut Range,
    ) {
        each_row!(other, row => {
            let table = &self.view.tables[row];
            let share = if TIME { self.over_way[row] } else { of.way * self.over_way[row] };
            let mut change = [Block::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                change[i] = rest::<TIME>(of.along[i], share * table.along[i]);
            });
            range.confine_to_body(shape, of.origin - share * table.origin, &change, share.abs());
        });
    }
}

/// Two bodies.
pub(super) struct Bodies {
    a: Side,
    b: Side,
    /// For each pair of rows of A that a direction of A has, and each direction of B: one over the determinant of the
    /// changes of these rows along the direction and with time; NaN if that may be rounding error.
    over_determinants: [[Block; DIRECTIONS]; DIRECTIONS],
}

impl Bodies {
    /// `from_b` is A in the coordinates of B, `from_a` is B in those of A; only `for_boxes` may ranges of places be asked
    /// for.
    #[inline(always)]
    pub(super) fn new<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
        from_b: View,
        from_a: View,
        for_boxes: bool,
    ) -> Self {
        let (a_shape, b_shape) = (const { &Shape::new(D, A_TET) }, const { &Shape::new(D, B_TET) });
        let mut over_determinants = [[Block::ZERO; DIRECTIONS]; DIRECTIONS];
        if MOVING && D == 3 {
            each_direction!(a_shape, i => {
                each_direction!(b_shape, j => {
                    over_determinants[i][j] = over_determinant(&from_a, a_shape.constant_rows[i], j);
                });
            });
        }
        let a = Side::new::<MOVING>(a_shape, b_shape, from_b, for_boxes);
        let b = Side::new::<MOVING>(b_shape, a_shape, from_a, for_boxes);
        Self { a, b, over_determinants }
    }

    /// The range of a quantity as A sees it and as B sees it.
    #[inline(always)]
    pub(super) fn range<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
        &self,
        of_a: &Table,
        of_b: &Table,
    ) -> [Block; 2] {
        let (a_shape, b_shape) = (const { &Shape::new(D, A_TET) }, const { &Shape::new(D, B_TET) });
        let mut range = Range { lo: splat(f64::NEG_INFINITY), hi: splat(f64::INFINITY) };
        self.a.bound_alone::<D, MOVING>(a_shape, of_a, &mut range);
        self.b.bound_alone::<D, MOVING>(b_shape, of_b, &mut range);
        self.a.bound_at_a_time::<D, MOVING>(a_shape, b_shape, of_a, &mut range);
        if D == 3 {
            // In 2D these are the same combinations.
            self.b.bound_at_a_time::<D, MOVING>(b_shape, a_shape, of_b, &mut range);
        }
        if MOVING {
            self.bound_over_time::<D, A_TET, B_TET, false>(of_a, of_b, &mut range);
        }
        range.halved()
    }

    /// The range of the time in units of the duration.
    #[inline(always)]
    pub(super) fn times<const D: usize, const A_TET: bool, const B_TET: bool>(&self) -> [Block; 2] {
        let mut range = Range { lo: Block::ZERO, hi: splat(2.0) };
        let time =
            Table { way: Block::ONE, origin: Block::ONE, centres: [Block::ONE; SYSTEMS], ..Table::EMPTY };
        self.bound_over_time::<D, A_TET, B_TET, true>(&time, &time, &mut range);
        range.halved()
    }

    /// All combinations without time. `TIME` says that the quantity is the time itself.
    #[inline(always)]
    fn bound_over_time<const D: usize, const A_TET: bool, const B_TET: bool, const TIME: bool>(
        &self,
        of_a: &Table,
        of_b: &Table,
        range: &mut Range,
    ) {
        let (a_shape, b_shape) = (const { &Shape::new(D, A_TET) }, const { &Shape::new(D, B_TET) });
        self.a.bound_on_the_way::<D, TIME>(a_shape, b_shape, of_a, range);
        self.b.bound_on_the_way::<D, TIME>(b_shape, a_shape, of_b, range);
        if D == 3 {
            each_direction!(b_shape, j => {
                each_direction!(a_shape, i => {
                    self.bound_at_edges::<TIME>(a_shape.constant_rows[i], b_shape, [i, j], of_b, range);
                });
            });
        }
    }

    /// Two rows k and l of A and two rows of B, in 3D: the shares of A's rows leave no change along the direction j of B
    /// nor with time.
    #[inline(always)]
    fn bound_at_edges<const TIME: bool>(
        &self,
        [k, l]: [usize; 2],
        b_shape: &Shape,
        [i, j]: [usize; 2],
        of: &Table,
        range: &mut Range,
    ) {
        let over = self.over_determinants[i][j];
        let (one, two) = (&self.b.view.tables[k], &self.b.view.tables[l]);
        let [share, other_share] = if TIME {
            [-two.along[j] * over, one.along[j] * over]
        } else {
            [
                (of.along[j] * two.way - of.way * two.along[j]) * over,
                (of.way * one.along[j] - of.along[j] * one.way) * over,
            ]
        };
        let mut reach = share.abs() + other_share.abs();
        unrolled!(n in [0, 1] below 2 => {
            let m = b_shape.others[j][n];
            reach += rest::<TIME>(of.along[m], share * one.along[m] + other_share * two.along[m]).abs();
        });
        let system = b_shape.system[j];
        let centre = of.centres[system] - (share * one.centres[system] + other_share * two.centres[system]);
        range.confine(centre, reach);
    }
}

/// Twice the least and the largest value.
struct Range {
    lo: Block,
    hi: Block,
}

impl Range {
    /// Cuts off what is farther from a centre than `reach`; nothing where that is NaN.
    #[inline(always)]
    fn confine(&mut self, centre: Block, reach: Block) {
        self.lo = max(centre - reach, self.lo);
        self.hi = min(centre + reach, self.hi);
    }

    /// Cuts off what is farther than `reach` from the values on a body, given at its origin and by the changes along its
    /// components: of a tetrahedron this does all choices of its rows at once.
    #[inline(always)]
    fn confine_to_body<const D: usize>(
        &mut self,
        shape: &Shape,
        origin: Block,
        change: &[Block; D],
        reach: Block,
    ) {
        if shape.is_tetrahedron {
            let (mut least, mut most) = (Block::ZERO, Block::ZERO);
            unrolled!(i in [0, 1, 2] below D => {
                (least, most) = (min(change[i], least), max(change[i], most));
            });
            self.lo = max(origin + (least + least) - reach, self.lo);
            self.hi = min(origin + (most + most) + reach, self.hi);
        } else {
            let (mut centre, mut reach) = (origin, reach);
            unrolled!(i in [0, 1, 2] below D => {
                centre += change[i];
                reach += change[i].abs();
            });
            self.confine(centre, reach);
        }
    }

    #[inline(always)]
    fn halved(&self) -> [Block; 2] {
        [self.lo * splat(0.5), self.hi * splat(0.5)]
    }
}

/// What is left of a change; the time itself does not change along an edge.
#[inline(always)]
fn rest<const TIME: bool>(change: Block, taken: Block) -> Block {
    if TIME { -taken } else { change - taken }
}

/// One over a change; NaN if that is no more than noise.
#[inline(always)]
fn over(change: Block, noise: Block) -> Block {
    (Block::ONE / change) | le(change.abs(), noise)
}

#[inline(always)]
fn over_determinant(view: &View, [k, l]: [usize; 2], j: usize) -> Block {
    let (one, two) = (&view.tables[k], &view.tables[l]);
    let (noise, other_noise) = (&view.noise[k], &view.noise[l]);
    let determinant = one.along[j] * two.way - two.along[j] * one.way;
    let of_ways = noise.along[j] * two.way.abs() + other_noise.along[j] * one.way.abs();
    let of_edges = noise.way * two.along[j].abs() + other_noise.way * one.along[j].abs();
    over(determinant, of_ways + of_edges)
}
