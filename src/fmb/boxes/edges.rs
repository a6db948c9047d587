//! Two rows of one body and an edge of the other, in space and time.

use super::layout::{BodyLayout, DIRECTIONS};
use super::range::Range;
use super::relative::{LinearQuantity, RegionBlock, RegionNumber, RelativeBody};

/// Two rows of A that are constant along one of its edges, in terms of B, and a direction of B.
pub(super) struct EdgePair<'a, B> {
    pub(super) one: &'a LinearQuantity<B>,
    pub(super) two: &'a LinearQuantity<B>,
    /// Their errors.
    errors: [B; 2],
    j: usize,
}

impl<'a, B: RegionBlock> EdgePair<'a, B> {
    #[inline(always)]
    pub(super) fn new(body: &'a RelativeBody<B>, [k, l]: [usize; 2], j: usize) -> Self {
        let (one, two) = (&body.rows[k], &body.rows[l]);
        Self { one, two, errors: [body.errors[k], body.errors[l]], j }
    }

    #[inline(always)]
    pub(super) fn determinant(&self) -> B {
        let (one, two, j) = (self.one, self.two, self.j);
        B::determinant([one.along[j], one.in_time], [two.along[j], two.in_time])
    }

    /// The changes along the direction, each times the error of the other row.
    #[inline(always)]
    pub(super) fn by_edge(&self) -> B {
        let (one, two, j) = (self.one, self.two, self.j);
        one.along[j].abs() * self.errors[1] + two.along[j].abs() * self.errors[0]
    }

    /// The changes with time, each times the error of the other row.
    #[inline(always)]
    pub(super) fn by_time(&self) -> B {
        self.one.in_time.abs() * self.errors[1] + self.two.in_time.abs() * self.errors[0]
    }

    /// Where the determinant may be 0, shares can only grow without end along combinations of the two rows that change
    /// neither along the direction nor with time. The lanes in which the bodies surely overlap along these.
    #[inline(always)]
    pub(super) fn overlap_surely(&self, b_layout: &BodyLayout, j: usize) -> B {
        let (one, two) = (self.one, self.two);
        let along = [-two.along[j], one.along[j]];
        let in_time = [-two.in_time, one.in_time];
        (self.is_none(along) | self.overlap_along(b_layout, along))
            & (self.is_none(in_time) | self.overlap_along(b_layout, in_time))
    }

    /// The lanes in which changes of the two rows, given as by [`overlap_surely`](Self::overlap_surely), may both be 0.
    /// Then they are no direction, and those of the faces decide.
    #[inline(always)]
    fn is_none(&self, [of_two, of_one]: [B; 2]) -> B {
        let least = B::splat(B::Number::LEFT_OUT);
        of_one.abs().le(self.errors[0] * least) & of_two.abs().le(self.errors[1] * least)
    }

    /// The lanes in which the sum of the rows with these shares takes values within both bodies that differ by more than
    /// its error.
    #[inline(always)]
    fn overlap_along(&self, b_layout: &BodyLayout, [share, other_share]: [B; 2]) -> B {
        let (one, two) = (self.one, self.two);
        let mut sum = LinearQuantity::EMPTY;
        for i in 0..DIRECTIONS {
            sum.along[i] = share * one.along[i] + other_share * two.along[i];
        }
        sum.in_time = share * one.in_time + other_share * two.in_time;
        sum.origin = share * one.origin + other_share * two.origin;
        let mut range = Range::everything();
        range.confine_to_own_rows::<3, true>(b_layout, &sum);
        let (size, other_size) = (share.abs(), other_share.abs());
        let error = size * self.errors[0] + other_size * self.errors[1];
        let most = size + other_size - B::splat(2.0) * error;
        range.lo.lt(most) & (-most).lt(range.hi)
    }
}
