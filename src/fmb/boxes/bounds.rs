//! The least and the largest value of a quantity over the overlap of two bodies.
//!
//! Every row of both bodies, and time, is confined to an interval. A quantity that is linear in place and time is a
//! linear combination of any D + 1 of them (D for frames at rest) that are independent, and lies within the same
//! combination of their intervals (docs/methods/fmb-regions.md). By the duality of linear programs the range of the
//! quantity is the intersection of the intervals of all such combinations. Which of them bound it need not be known.
//!
//! All values are doubled, so that a half width is the sum of the magnitudes of the coefficients.

use super::edges::EdgePair;
use super::layout::{BodyLayout, DIRECTIONS, ROWS, SYSTEMS, each_direction, each_row, unrolled};
use super::range::Range;
use super::relative::{Changes, LinearQuantity, RelativeBody};
use crate::soa::block::Doubles;

/// One of two bodies, with what its combinations with rows of the other share.
struct OverlappingBody<B> {
    /// In the coordinates of the other.
    relative: RelativeBody<B>,
    /// One over the change of each row of the other along each direction; NaN if that may be 0. Only boxes need it.
    inverse_along: [[B; DIRECTIONS]; ROWS],
    /// The same for the change with time.
    inverse_in_time: [B; ROWS],
}

impl<B: Doubles> OverlappingBody<B> {
    #[inline(always)]
    fn new<const MOVING: bool>(
        layout: &BodyLayout,
        other: &BodyLayout,
        relative: RelativeBody<B>,
        for_boxes: bool,
    ) -> Self {
        let (along, in_time) = ([[B::ZERO; DIRECTIONS]; ROWS], [B::ZERO; ROWS]);
        let mut body = Self { relative, inverse_along: along, inverse_in_time: in_time };
        each_row!(other, row => {
            let change = &body.relative.rows[row];
            let error = body.relative.errors[row] * B::splat(0.5);
            if for_boxes {
                each_direction!(layout, i => { body.inverse_along[row][i] = inverse_or_nan(change.along[i], error); });
            }
            if MOVING {
                body.inverse_in_time[row] = inverse_or_nan(change.in_time, error);
            }
        });
        body
    }

    /// Whether the body reaches into the other beyond every face, by more than the error of that row.
    #[inline(always)]
    fn reaches_in<const D: usize, const MOVING: bool>(&self, layout: &BodyLayout, other: &BodyLayout) -> B {
        let mut inside = self.relative.in_range;
        each_row!(other, row => {
            let mut range = Range::everything();
            range.confine_to_own_rows::<D, MOVING>(layout, &self.relative.rows[row]);
            let most = B::ONE - B::splat(2.0) * self.relative.errors[row];
            inside &= range.lo.lt(most) & (-most).lt(range.hi);
        });
        inside
    }

    /// The largest error of bounds by combinations with one row of the other body, for quantities with these changes.
    #[inline(always)]
    fn error<const MOVING: bool, const TIME: bool>(
        &self,
        layout: &BodyLayout,
        other: &BodyLayout,
        of: &Changes<B>,
    ) -> B {
        let mut worst = B::ZERO;
        each_row!(other, row => {
            let error = self.relative.errors[row];
            // NaN where there is no such combination.
            if !TIME {
                each_direction!(layout, i => {
                    worst = (self.inverse_along[row][i].abs() * (error * of.along[i])).max(worst);
                });
            }
            if MOVING {
                worst = (self.inverse_in_time[row].abs() * (error * of.in_time)).max(worst);
            }
        });
        worst
    }

    /// Combinations of all rows of a system but one, a row of the other body, and time.
    #[inline(always)]
    fn bound_with_time<const D: usize, const MOVING: bool, const SLACK: bool>(
        &self,
        layout: &BodyLayout,
        other: &BodyLayout,
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        each_direction!(layout, i => {
            each_row!(other, row => {
                let other_row = &self.relative.rows[row];
                let share = of.along[i] * self.inverse_along[row][i];
                let mut half_width = share.abs();
                let slack = if SLACK { half_width * self.relative.errors[row] } else { B::ZERO };
                if MOVING {
                    half_width += (of.in_time - share * other_row.in_time).abs();
                }
                unrolled!(n in [0, 1] below D - 1 => {
                    let k = layout.others[i][n];
                    half_width += (of.along[k] - share * other_row.along[k]).abs();
                });
                let system = layout.system[i];
                let centre = of.centres[system] - share * other_row.centres[system];
                range.confine::<SLACK>(centre, half_width, slack);
            });
        });
    }

    /// Combinations of as many rows of the body as there are dimensions, and a row of the other body.
    #[inline(always)]
    fn bound_with_other_row<const D: usize, const TIME: bool, const SLACK: bool>(
        &self,
        layout: &BodyLayout,
        other: &BodyLayout,
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        each_row!(other, row => {
            let other_row = &self.relative.rows[row];
            let share = if TIME { self.inverse_in_time[row] } else { of.in_time * self.inverse_in_time[row] };
            let slack = if SLACK { share.abs() * self.relative.errors[row] } else { B::ZERO };
            let mut change = [B::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                change[i] = rest::<B, TIME>(of.along[i], share * other_row.along[i]);
            });
            let origin = of.origin - share * other_row.origin;
            range.confine_to_body::<D, SLACK>(layout, origin, &change, share.abs(), slack);
        });
    }
}

/// Two bodies.
pub(super) struct Bodies<B> {
    a: OverlappingBody<B>,
    b: OverlappingBody<B>,
    /// For each pair of rows of A that a direction of A has, and each direction of B: one over the determinant of the
    /// changes of these rows along the direction and with time; NaN if that may be 0.
    inverse_determinants: [[B; DIRECTIONS]; DIRECTIONS],
}

impl<B: Doubles> Bodies<B> {
    /// `a` is in the coordinates of B and `b` in those of A. Only with `for_boxes` may [`range`](Self::range) be called.
    #[inline(always)]
    pub(super) fn new<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
        a: RelativeBody<B>,
        b: RelativeBody<B>,
        for_boxes: bool,
    ) -> Self {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let mut inverse_determinants = [[B::ZERO; DIRECTIONS]; DIRECTIONS];
        if MOVING && D == 3 {
            each_direction!(a_layout, i => {
                each_direction!(b_layout, j => {
                    let edges = EdgePair::new(&b, a_layout.constant_rows[i], j);
                    let error = (edges.by_edge() + edges.by_time()) * B::splat(0.5);
                    inverse_determinants[i][j] = inverse_or_nan(edges.determinant(), error);
                });
            });
        }
        let a = OverlappingBody::new::<MOVING>(a_layout, b_layout, a, for_boxes);
        let b = OverlappingBody::new::<MOVING>(b_layout, a_layout, b, for_boxes);
        Self { a, b, inverse_determinants }
    }

    /// The lanes in which combinations that are left out, because their pivot may be 0, cannot bound anything: the bodies
    /// overlap by more than rounding errors along every direction that such a combination belongs to.
    #[inline(always)]
    pub(super) fn overlap_surely<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
        &self,
    ) -> B {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let mut surely = self.a.reaches_in::<D, MOVING>(a_layout, b_layout);
        if D == 3 || MOVING {
            surely &= self.b.reaches_in::<D, MOVING>(b_layout, a_layout);
        }
        if D == 3 && MOVING {
            let mut none_left_out = surely;
            each_direction!(a_layout, i => {
                each_direction!(b_layout, j => {
                    none_left_out &= self.inverse_determinants[i][j].equals(self.inverse_determinants[i][j]);
                });
            });
            if none_left_out.bits() != surely.bits() {
                surely &= self.overlap_between_edges(a_layout, b_layout);
            }
        }
        surely
    }

    /// The same for the combinations of two rows of A and two rows of B. These loops are not unrolled: few pairs come here.
    #[inline(always)]
    fn overlap_between_edges(&self, a_layout: &BodyLayout, b_layout: &BodyLayout) -> B {
        let mut surely = self.b.relative.in_range;
        for i in 0..a_layout.directions {
            for j in 0..b_layout.directions {
                let inverse = self.inverse_determinants[i][j];
                let edges = EdgePair::new(&self.b.relative, a_layout.constant_rows[i], j);
                surely &= inverse.equals(inverse) | edges.overlap_surely(b_layout, j);
            }
        }
        surely
    }

    /// The largest error of a bound, in any combination, of quantities with these changes in terms of A and of B. It is not
    /// known where [`overlap_surely`](Self::overlap_surely) is not.
    #[inline(always)]
    pub(super) fn error<
        const D: usize,
        const A_TET: bool,
        const B_TET: bool,
        const MOVING: bool,
        const TIME: bool,
    >(
        &self,
        of_a: &Changes<B>,
        of_b: &Changes<B>,
    ) -> B {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let mut worst = self.a.error::<MOVING, TIME>(a_layout, b_layout, of_a);
        if D == 3 || MOVING {
            worst = self.b.error::<MOVING, TIME>(b_layout, a_layout, of_b).max(worst);
        }
        if D == 3 && MOVING {
            each_direction!(a_layout, i => {
                each_direction!(b_layout, j => {
                    let edges = EdgePair::new(&self.b.relative, a_layout.constant_rows[i], j);
                    let mut error = edges.by_edge() * of_b.in_time;
                    if !TIME {
                        error += edges.by_time() * of_b.along[j];
                    }
                    worst = (self.inverse_determinants[i][j].abs() * error).max(worst);
                });
            });
        }
        worst
    }

    /// The range of a quantity, which is given in terms of the edges of A and in terms of those of B, and its error: with
    /// `SLACK` that of the combinations that bound it, otherwise 0.
    #[inline(always)]
    pub(super) fn range<
        const D: usize,
        const A_TET: bool,
        const B_TET: bool,
        const MOVING: bool,
        const SLACK: bool,
    >(
        &self,
        of_a: &LinearQuantity<B>,
        of_b: &LinearQuantity<B>,
    ) -> ([B; 2], B) {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let mut range = Range::everything();
        range.confine_to_own_rows::<D, MOVING>(a_layout, of_a);
        range.confine_to_own_rows::<D, MOVING>(b_layout, of_b);
        range.start_slack();
        self.a.bound_with_time::<D, MOVING, SLACK>(a_layout, b_layout, of_a, &mut range);
        if D == 3 {
            // In 2D these are the same combinations.
            self.b.bound_with_time::<D, MOVING, SLACK>(b_layout, a_layout, of_b, &mut range);
        }
        if MOVING {
            self.bound_without_time::<D, A_TET, B_TET, false, SLACK>(of_a, of_b, &mut range);
        }
        range.halved::<SLACK>()
    }

    /// The range of the time in units of the duration, and its error as of [`range`](Self::range).
    #[inline(always)]
    pub(super) fn times<const D: usize, const A_TET: bool, const B_TET: bool, const SLACK: bool>(
        &self,
    ) -> ([B; 2], B) {
        let mut range = Range::between(B::ZERO, B::splat(2.0));
        let time = LinearQuantity {
            in_time: B::ONE,
            origin: B::ONE,
            centres: [B::ONE; SYSTEMS],
            ..LinearQuantity::EMPTY
        };
        self.bound_without_time::<D, A_TET, B_TET, true, SLACK>(&time, &time, &mut range);
        range.halved::<SLACK>()
    }

    /// All combinations without time. `TIME` says that the quantity is the time itself.
    #[inline(always)]
    fn bound_without_time<
        const D: usize,
        const A_TET: bool,
        const B_TET: bool,
        const TIME: bool,
        const SLACK: bool,
    >(
        &self,
        of_a: &LinearQuantity<B>,
        of_b: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        self.a.bound_with_other_row::<D, TIME, SLACK>(a_layout, b_layout, of_a, range);
        self.b.bound_with_other_row::<D, TIME, SLACK>(b_layout, a_layout, of_b, range);
        if D == 3 {
            each_direction!(b_layout, j => {
                each_direction!(a_layout, i => {
                    let rows = a_layout.constant_rows[i];
                    self.bound_at_edges::<TIME, SLACK>(rows, b_layout, [i, j], of_b, range);
                });
            });
        }
    }

    /// Combinations of two rows of A and two rows of B, in 3D: with the shares of A's rows there is no change along the
    /// direction j of B nor with time.
    #[inline(always)]
    fn bound_at_edges<const TIME: bool, const SLACK: bool>(
        &self,
        rows: [usize; 2],
        b_layout: &BodyLayout,
        [i, j]: [usize; 2],
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        let inverse = self.inverse_determinants[i][j];
        let edges = EdgePair::new(&self.b.relative, rows, j);
        let (one, two) = (edges.one, edges.two);
        let [share, other_share] = if TIME {
            [-two.along[j] * inverse, one.along[j] * inverse]
        } else {
            [
                (of.along[j] * two.in_time - of.in_time * two.along[j]) * inverse,
                (of.in_time * one.along[j] - of.along[j] * one.in_time) * inverse,
            ]
        };
        let mut slack = B::ZERO;
        if SLACK {
            // Of the products in the shares, which may cancel.
            slack = edges.by_edge() * of.in_time.abs();
            if !TIME {
                slack += edges.by_time() * of.along[j].abs();
            }
            slack *= inverse.abs();
        }
        let mut half_width = share.abs() + other_share.abs();
        unrolled!(n in [0, 1] below 2 => {
            let m = b_layout.others[j][n];
            half_width += rest::<B, TIME>(of.along[m], share * one.along[m] + other_share * two.along[m]).abs();
        });
        let system = b_layout.system[j];
        let centre = of.centres[system] - (share * one.centres[system] + other_share * two.centres[system]);
        range.confine::<SLACK>(centre, half_width, slack);
    }
}

/// The rest of a change; the time itself does not change along an edge.
#[inline(always)]
fn rest<B: Doubles, const TIME: bool>(change: B, taken: B) -> B {
    if TIME { -taken } else { change - taken }
}

/// One over a change; NaN if the change is no more than its error.
#[inline(always)]
fn inverse_or_nan<B: Doubles>(change: B, error: B) -> B {
    (B::ONE / change) | change.abs().le(error)
}
