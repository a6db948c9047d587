//! The least and the largest value of a quantity over the overlap of two bodies.
//!
//! Every row of both bodies, and time, is confined to an interval. A quantity that is linear in place and time is a
//! linear combination of any D + 1 of them (D for frames at rest) that are independent, and lies within the same
//! combination of their intervals (docs/methods/fmb.md). By the duality of linear programs the range of the quantity is
//! the intersection of the intervals of all such combinations. Which of them bound it need not be known; combinations
//! of nearly dependent rows are left out, because others bound the quantity then.
//!
//! All values are doubled, so that a half width is the sum of the magnitudes of the coefficients.

use super::layout::{BodyLayout, DIRECTIONS, ROWS, SYSTEMS, each_direction, each_row, unrolled};
use super::relative::{LinearQuantity, RelativeBody};
use crate::soa::block::Doubles;

/// One of two bodies, with what its combinations with rows of the other share.
struct OverlappingBody<B> {
    /// In the coordinates of the other.
    relative: RelativeBody<B>,
    /// One over the change of each row of the other along each direction; NaN if that may be rounding error. Only boxes
    /// need it.
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
            let (change, noise) = (&body.relative.rows[row], &body.relative.noise[row]);
            if for_boxes {
                each_direction!(layout, i => { body.inverse_along[row][i] = inverse_or_nan(change.along[i], noise.along[i]); });
            }
            if MOVING {
                body.inverse_in_time[row] = inverse_or_nan(change.in_time, noise.in_time);
            }
        });
        body
    }

    /// Combinations of as many rows of the body as there are dimensions, and time.
    #[inline(always)]
    fn bound_by_own_rows<const D: usize, const MOVING: bool>(
        layout: &BodyLayout,
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        let mut change = [B::ZERO; D];
        unrolled!(i in [0, 1, 2] below D => { change[i] = of.along[i]; });
        let half_width = if MOVING { of.in_time.abs() } else { B::ZERO };
        range.confine_to_body(layout, of.origin, &change, half_width);
    }

    /// Combinations of all rows of a system but one, a row of the other body, and time.
    #[inline(always)]
    fn bound_with_time<const D: usize, const MOVING: bool>(
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
                if MOVING {
                    half_width += (of.in_time - share * other_row.in_time).abs();
                }
                unrolled!(n in [0, 1] below D - 1 => {
                    let k = layout.others[i][n];
                    half_width += (of.along[k] - share * other_row.along[k]).abs();
                });
                let system = layout.system[i];
                range.confine(of.centres[system] - share * other_row.centres[system], half_width);
            });
        });
    }

    /// Combinations of as many rows of the body as there are dimensions, and a row of the other body.
    #[inline(always)]
    fn bound_with_other_row<const D: usize, const TIME: bool>(
        &self,
        layout: &BodyLayout,
        other: &BodyLayout,
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        each_row!(other, row => {
            let other_row = &self.relative.rows[row];
            let share = if TIME { self.inverse_in_time[row] } else { of.in_time * self.inverse_in_time[row] };
            let mut change = [B::ZERO; D];
            unrolled!(i in [0, 1, 2] below D => {
                change[i] = rest::<B, TIME>(of.along[i], share * other_row.along[i]);
            });
            range.confine_to_body(layout, of.origin - share * other_row.origin, &change, share.abs());
        });
    }
}

/// Two bodies.
pub(super) struct Bodies<B> {
    a: OverlappingBody<B>,
    b: OverlappingBody<B>,
    /// For each pair of rows of A that a direction of A has, and each direction of B: one over the determinant of the
    /// changes of these rows along the direction and with time; NaN if that may be rounding error.
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
                    inverse_determinants[i][j] = inverse_determinant(&b, a_layout.constant_rows[i], j);
                });
            });
        }
        let a = OverlappingBody::new::<MOVING>(a_layout, b_layout, a, for_boxes);
        let b = OverlappingBody::new::<MOVING>(b_layout, a_layout, b, for_boxes);
        Self { a, b, inverse_determinants }
    }

    /// The range of a quantity, which is given in terms of the edges of A and in terms of those of B.
    #[inline(always)]
    pub(super) fn range<const D: usize, const A_TET: bool, const B_TET: bool, const MOVING: bool>(
        &self,
        of_a: &LinearQuantity<B>,
        of_b: &LinearQuantity<B>,
    ) -> [B; 2] {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        let mut range = Range { lo: B::splat(f64::NEG_INFINITY), hi: B::splat(f64::INFINITY) };
        OverlappingBody::bound_by_own_rows::<D, MOVING>(a_layout, of_a, &mut range);
        OverlappingBody::bound_by_own_rows::<D, MOVING>(b_layout, of_b, &mut range);
        self.a.bound_with_time::<D, MOVING>(a_layout, b_layout, of_a, &mut range);
        if D == 3 {
            // In 2D these are the same combinations.
            self.b.bound_with_time::<D, MOVING>(b_layout, a_layout, of_b, &mut range);
        }
        if MOVING {
            self.bound_without_time::<D, A_TET, B_TET, false>(of_a, of_b, &mut range);
        }
        range.halved()
    }

    /// The range of the time in units of the duration.
    #[inline(always)]
    pub(super) fn times<const D: usize, const A_TET: bool, const B_TET: bool>(&self) -> [B; 2] {
        let mut range = Range { lo: B::ZERO, hi: B::splat(2.0) };
        let time = LinearQuantity {
            in_time: B::ONE,
            origin: B::ONE,
            centres: [B::ONE; SYSTEMS],
            ..LinearQuantity::EMPTY
        };
        self.bound_without_time::<D, A_TET, B_TET, true>(&time, &time, &mut range);
        range.halved()
    }

    /// All combinations without time. `TIME` says that the quantity is the time itself.
    #[inline(always)]
    fn bound_without_time<const D: usize, const A_TET: bool, const B_TET: bool, const TIME: bool>(
        &self,
        of_a: &LinearQuantity<B>,
        of_b: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        let (a_layout, b_layout) =
            (const { &BodyLayout::new(D, A_TET) }, const { &BodyLayout::new(D, B_TET) });
        self.a.bound_with_other_row::<D, TIME>(a_layout, b_layout, of_a, range);
        self.b.bound_with_other_row::<D, TIME>(b_layout, a_layout, of_b, range);
        if D == 3 {
            each_direction!(b_layout, j => {
                each_direction!(a_layout, i => {
                    self.bound_at_edges::<TIME>(a_layout.constant_rows[i], b_layout, [i, j], of_b, range);
                });
            });
        }
    }

    /// Combinations of two rows k and l of A and two rows of B, in 3D: with the shares of A's rows there is no change along
    /// the direction j of B nor with time.
    #[inline(always)]
    fn bound_at_edges<const TIME: bool>(
        &self,
        [k, l]: [usize; 2],
        b_layout: &BodyLayout,
        [i, j]: [usize; 2],
        of: &LinearQuantity<B>,
        range: &mut Range<B>,
    ) {
        let inverse = self.inverse_determinants[i][j];
        let (one, two) = (&self.b.relative.rows[k], &self.b.relative.rows[l]);
        let [share, other_share] = if TIME {
            [-two.along[j] * inverse, one.along[j] * inverse]
        } else {
            [
                (of.along[j] * two.in_time - of.in_time * two.along[j]) * inverse,
                (of.in_time * one.along[j] - of.along[j] * one.in_time) * inverse,
            ]
        };
        let mut half_width = share.abs() + other_share.abs();
        unrolled!(n in [0, 1] below 2 => {
            let m = b_layout.others[j][n];
            half_width += rest::<B, TIME>(of.along[m], share * one.along[m] + other_share * two.along[m]).abs();
        });
        let system = b_layout.system[j];
        let centre = of.centres[system] - (share * one.centres[system] + other_share * two.centres[system]);
        range.confine(centre, half_width);
    }
}

/// Twice the least and the largest value.
struct Range<B> {
    lo: B,
    hi: B,
}

impl<B: Doubles> Range<B> {
    /// Cuts off what is farther from a centre than `half_width`; nothing where that is NaN.
    #[inline(always)]
    fn confine(&mut self, centre: B, half_width: B) {
        self.lo = (centre - half_width).max(self.lo);
        self.hi = (centre + half_width).min(self.hi);
    }

    /// Cuts off what is farther than `half_width` from the values on a body, given by the value at its origin and the
    /// changes along its components. For a tetrahedron this covers all choices of its rows at once.
    #[inline(always)]
    fn confine_to_body<const D: usize>(
        &mut self,
        layout: &BodyLayout,
        origin: B,
        change: &[B; D],
        half_width: B,
    ) {
        if layout.is_tetrahedron {
            let (mut least, mut most) = (B::ZERO, B::ZERO);
            unrolled!(i in [0, 1, 2] below D => {
                (least, most) = (change[i].min(least), change[i].max(most));
            });
            self.lo = (origin + (least + least) - half_width).max(self.lo);
            self.hi = (origin + (most + most) + half_width).min(self.hi);
        } else {
            let (mut centre, mut half_width) = (origin, half_width);
            unrolled!(i in [0, 1, 2] below D => {
                centre += change[i];
                half_width += change[i].abs();
            });
            self.confine(centre, half_width);
        }
    }

    #[inline(always)]
    fn halved(&self) -> [B; 2] {
        [self.lo * B::splat(0.5), self.hi * B::splat(0.5)]
    }
}

/// The rest of a change; the time itself does not change along an edge.
#[inline(always)]
fn rest<B: Doubles, const TIME: bool>(change: B, taken: B) -> B {
    if TIME { -taken } else { change - taken }
}

/// One over a change; NaN if the change is no more than noise.
#[inline(always)]
fn inverse_or_nan<B: Doubles>(change: B, noise: B) -> B {
    (B::ONE / change) | change.abs().le(noise)
}

#[inline(always)]
fn inverse_determinant<B: Doubles>(body: &RelativeBody<B>, [k, l]: [usize; 2], j: usize) -> B {
    let (one, two) = (&body.rows[k], &body.rows[l]);
    let (noise, other_noise) = (&body.noise[k], &body.noise[l]);
    let determinant = one.along[j] * two.in_time - two.along[j] * one.in_time;
    let of_times = noise.along[j] * two.in_time.abs() + other_noise.along[j] * one.in_time.abs();
    let of_edges = noise.in_time * two.along[j].abs() + other_noise.in_time * one.along[j].abs();
    inverse_or_nan(determinant, of_times + of_edges)
}
