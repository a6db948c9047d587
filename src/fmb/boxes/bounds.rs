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
use super::relative::{Changes, LinearQuantity, RegionBlock, RegionNumber, RelativeBody};

/// One of two bodies, with what its combinations with rows of the other share.
struct OverlappingBody<B> {
    /// In the coordinates of the other.
    relative: RelativeBody<B>,
    /// One over the change of each row of the other along each direction; NaN if that may be 0. Only boxes need it.
    inverse_along: [[B; DIRECTIONS]; ROWS],
    /// The same for the change with time.
    inverse_in_time: [B; ROWS],
    /// Errors of bounds by combinations with one row of the other.
    worst: Worst<B>,
    /// Twice the errors of the rows of the other.
    slacks: [B; ROWS],
}

/// The largest errors of bounds by some combinations, for a quantity that changes by 1.
#[derive(Clone, Copy)]
struct Worst<B> {
    /// Along a direction.
    along: [B; DIRECTIONS],
    /// With time.
    in_time: B,
}

impl<B: RegionBlock> Worst<B> {
    const NONE: Self = Self { along: [B::ZERO; DIRECTIONS], in_time: B::ZERO };

    /// The largest error for quantities with these changes. It is infinite where a pivot may be wrong by more than a fifth:
    /// then the shares are not known well enough.
    #[inline(always)]
    fn error<const MOVING: bool, const TIME: bool>(&self, layout: &BodyLayout, of: &Changes<B>) -> B {
        let (mut largest, mut error) = (B::ZERO, B::ZERO);
        if !TIME {
            each_direction!(layout, i => {
                largest = largest.max(self.along[i]);
                error = error.max(self.along[i] * of.along[i]);
            });
        }
        if MOVING {
            largest = largest.max(self.in_time);
            error = error.max(self.in_time * of.in_time);
        }
        largest.le(B::splat(LARGEST_SHARE_OF_PIVOT)).select(error, B::splat(f64::INFINITY))
    }
}

/// Twice the largest error of a pivot, in units of it.
const LARGEST_SHARE_OF_PIVOT: f64 = 0.4;

/// What is compared with half of the promise: three quarters of the errors, with 0.94 of the promise.
const SHARE_OF_ERROR: f64 = 0.4;

impl<B: RegionBlock> OverlappingBody<B> {
    #[inline(always)]
    fn new<const MOVING: bool>(
        layout: &BodyLayout,
        other: &BodyLayout,
        relative: RelativeBody<B>,
        for_boxes: bool,
    ) -> Self {
        let (along, in_time) = ([[B::ZERO; DIRECTIONS]; ROWS], [B::ZERO; ROWS]);
        let slacks = [B::ZERO; ROWS];
        let mut body =
            Self { relative, inverse_along: along, inverse_in_time: in_time, worst: Worst::NONE, slacks };
        each_row!(other, row => {
            let change = &body.relative.rows[row];
            let error = body.relative.errors[row];
            body.slacks[row] = error + error;
            let least = least_change(error);
            if for_boxes {
                each_direction!(layout, i => {
                    let inverse = inverse_or_nan(change.along[i], least);
                    body.inverse_along[row][i] = inverse;
                    // Where there is no such combination this is NaN, which is passed over.
                    body.worst.along[i] = (inverse.abs() * error).max(body.worst.along[i]);
                });
            }
            if MOVING {
                let inverse = inverse_or_nan(change.in_time, least);
                body.inverse_in_time[row] = inverse;
                body.worst.in_time = (inverse.abs() * error).max(body.worst.in_time);
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
                let slack = if SLACK { half_width * self.slacks[row] } else { B::ZERO };
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
            let slack = if SLACK { share.abs() * self.slacks[row] } else { B::ZERO };
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
    /// Errors of bounds by combinations with two rows of each.
    worst_at_edges: Worst<B>,
    /// The same for each of these combinations, doubled, for a quantity that changes by 1 with time, and along the direction.
    slacks_at_edges: [[[B; 2]; DIRECTIONS]; DIRECTIONS],
    /// The sum of the magnitudes of all inverse determinants: NaN if one of them is.
    sum_of_inverses: B,
}

impl<B: RegionBlock> Bodies<B> {
    /// `a` is in the coordinates of B and `b` in those of A. Only with `for_boxes` may [`range`](Self::range) be called.
    #[inline(always)]
    pub(super) fn new<
        const D: usize,
        const A_TET: bool,
        const B_TET: bool,
        const MOVING: bool,
        const SLACK: bool,
    >(
        a: RelativeBody<B>,
        b: RelativeBody<B>,
        for_boxes: bool,
    ) -> Self {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let mut inverse_determinants = [[B::ZERO; DIRECTIONS]; DIRECTIONS];
        let mut slacks_at_edges = [[[B::ZERO; 2]; DIRECTIONS]; DIRECTIONS];
        let (mut worst, mut sum_of_inverses) = (Worst::NONE, B::ZERO);
        if MOVING && D == 3 {
            each_direction!(a_layout, i => {
                each_direction!(b_layout, j => {
                    let edges = EdgePair::new(&b, a_layout.constant_rows[i], j);
                    let (by_edge, by_time) = (edges.by_edge(), edges.by_time());
                    let inverse = inverse_or_nan(edges.determinant(), least_change(by_edge + by_time));
                    inverse_determinants[i][j] = inverse;
                    sum_of_inverses += inverse.abs();
                    // Of the products in the shares, which may cancel.
                    let (along, in_time) = (inverse.abs() * by_time, inverse.abs() * by_edge);
                    if SLACK {
                        slacks_at_edges[i][j] = [in_time + in_time, along + along];
                    } else {
                        worst.along[j] = along.max(worst.along[j]);
                        worst.in_time = in_time.max(worst.in_time);
                    }
                });
            });
        }
        let a = OverlappingBody::new::<MOVING>(a_layout, b_layout, a, for_boxes);
        let b = OverlappingBody::new::<MOVING>(b_layout, a_layout, b, for_boxes);
        Self { a, b, inverse_determinants, worst_at_edges: worst, slacks_at_edges, sum_of_inverses }
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
            // If the sum is known all of them are.
            if (surely & is_known(self.sum_of_inverses)).bits() != surely.bits() {
                // Copies, because only what is indexed at run time needs a place in memory.
                let (b, inverses) = (self.b.relative, self.inverse_determinants);
                surely &= overlap_between_edges(&b, &inverses, a_layout, b_layout);
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
        let mut worst = self.a.worst.error::<MOVING, TIME>(a_layout, of_a);
        if D == 3 || MOVING {
            worst = worst.max(self.b.worst.error::<MOVING, TIME>(b_layout, of_b));
        }
        if D == 3 && MOVING {
            worst = worst.max(self.error_at_edges::<TIME>(b_layout, of_b));
        }
        worst * B::splat(SHARE_OF_ERROR)
    }

    /// The same for the combinations with two rows of each.
    #[inline(always)]
    fn error_at_edges<const TIME: bool>(&self, b_layout: &BodyLayout, of: &Changes<B>) -> B {
        let Worst { along, in_time } = self.worst_at_edges;
        let (mut largest, mut error) = (B::ZERO, B::ZERO);
        each_direction!(b_layout, j => {
            largest = largest.max(along[j]);
            if !TIME {
                error = error.max(along[j] * of.along[j]);
            }
        });
        let is_known = (largest + in_time).le(B::splat(LARGEST_SHARE_OF_PIVOT));
        is_known.select(error + in_time * of.in_time, B::splat(f64::INFINITY))
    }

    /// The range of a quantity, which is given in terms of the edges of A and in terms of those of B, with `SLACK` also as far as
    /// errors leave it possible. Where masks are given for the rows of A, and one is set, the quantity is that row itself: its
    /// combinations with two rows of each say nothing that is not certain without them, but with errors that may be large.
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
        is_row: Option<&[B; ROWS]>,
    ) -> Range<B> {
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
            self.bound_without_time::<D, A_TET, B_TET, false, SLACK>(of_a, of_b, is_row, &mut range);
        }
        range
    }

    /// The range of the time in units of the duration, as [`range`](Self::range) gives it.
    #[inline(always)]
    pub(super) fn times<const D: usize, const A_TET: bool, const B_TET: bool, const SLACK: bool>(
        &self,
    ) -> Range<B> {
        let mut range = Range::between(B::ZERO, B::splat(2.0));
        let time = LinearQuantity {
            in_time: B::ONE,
            origin: B::ONE,
            centres: [B::ONE; SYSTEMS],
            ..LinearQuantity::EMPTY
        };
        self.bound_without_time::<D, A_TET, B_TET, true, SLACK>(&time, &time, None, &mut range);
        range
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
        is_row: Option<&[B; ROWS]>,
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
                    let mut inverse = self.inverse_determinants[i][j];
                    if let Some(is_row) = is_row {
                        inverse |= is_row[rows[0]] | is_row[rows[1]];
                    }
                    self.bound_at_edges::<TIME, SLACK>(rows, b_layout, [i, j], inverse, of_b, range);
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
        inverse: B,
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
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
            let [in_time, along] = self.slacks_at_edges[i][j];
            slack = if TIME { in_time } else { in_time * of.in_time.abs() + along * of.along[j].abs() };
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

/// What [`Bodies::overlap_surely`] tells, for the combinations of two rows of A and two rows of B. These loops are not
/// unrolled: few pairs come here.
#[inline(always)]
fn overlap_between_edges<B: RegionBlock>(
    b: &RelativeBody<B>,
    inverse_determinants: &[[B; DIRECTIONS]; DIRECTIONS],
    a_layout: &BodyLayout,
    b_layout: &BodyLayout,
) -> B {
    let mut surely = b.in_range;
    for i in 0..a_layout.directions {
        for j in 0..b_layout.directions {
            let inverse = inverse_determinants[i][j];
            let edges = EdgePair::new(b, a_layout.constant_rows[i], j);
            let exists = inverse.equals(inverse);
            surely &= is_known(inverse) | exists.select(B::ZERO, edges.overlap_surely(b_layout, j));
        }
    }
    surely
}

/// The rest of a change; the time itself does not change along an edge.
#[inline(always)]
fn rest<B: RegionBlock, const TIME: bool>(change: B, taken: B) -> B {
    if TIME { -taken } else { change - taken }
}

/// The largest change that is taken as 0.
#[inline(always)]
fn least_change<B: RegionBlock>(error: B) -> B {
    if B::Number::LEFT_OUT == 0.0 { B::ZERO } else { error * B::splat(B::Number::LEFT_OUT) }
}

/// The lanes in which a determinant exists and is not too small to be known.
#[inline(always)]
fn is_known<B: RegionBlock>(inverse: B) -> B {
    let largest = B::Number::LARGEST_INVERSE;
    if largest == f64::INFINITY { inverse.equals(inverse) } else { inverse.abs().le(B::splat(largest)) }
}

/// One over a change; NaN if the change is no more than its error.
#[inline(always)]
fn inverse_or_nan<B: RegionBlock>(change: B, error: B) -> B {
    (B::ONE / change) | change.abs().le(error)
}
