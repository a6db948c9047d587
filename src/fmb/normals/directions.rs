//! Along which direction two bodies are separated by the smallest translation, or come into contact.
//!
//! The candidates are those of the conditions of Fourier-Motzkin elimination: normals of faces and, in space, of an edge of
//! each body. Any direction gives a translation that separates the bodies, so that a rounded candidate can make the outcome
//! larger than necessary, but never wrong (docs/methods/normals.md).

use super::body::{Arithmetic, Body, dot, magnitude, perpendicular, select};
use crate::soa::block::{Mask, Quantity};

/// Two bodies, the second relative to the first.
#[derive(Clone, Copy)]
pub(super) struct BodyPair<N, const D: usize> {
    pub(super) one: Body<N, D>,
    pub(super) two: Body<N, D>,
    /// From the origin of the first to that of the second at time 0.
    pub(super) offset: [N; D],
    /// Of the second relative to the first.
    pub(super) velocity: [N; D],
    pub(super) is_moving: bool,
}

/// Where two bodies separate, or come into contact.
#[derive(Clone, Copy)]
pub(super) struct Separation<N: Quantity, const D: usize> {
    /// From the first body to the second, of length 1.
    pub(super) normal: [N; D],
    /// How far the second must be moved along the normal; negative if the bodies are apart and never come into contact.
    pub(super) depth: N,
    /// When they come into contact; 0 if they overlap at time 0.
    pub(super) time: N,
    /// Whether two edges are so nearly parallel that their normal is far from exact, and not so nearly that normals of faces
    /// take its place.
    pub(super) is_vague: N::Mask,
}

/// Squares of the sines of angles between which edges are nearly parallel: above, the rounding of a product of edges turns
/// it by less than 1e-12; below, a normal of a face is as near.
const NEARLY_PARALLEL: [f64; 2] = [1e-24, 1e-8];

impl<N: Quantity, const D: usize> BodyPair<N, D> {
    /// Tries all candidates.
    #[inline(always)]
    pub(super) fn separation<A: Arithmetic<N>>(&self) -> Separation<N, D> {
        let mut search = Search::new(self);
        for face in 0..self.one.face_count() {
            search.consider(&self.one.face::<A>(face));
        }
        for face in 0..self.two.face_count() {
            search.consider(&self.two.face::<A>(face));
        }
        let mut is_vague = N::ZERO.lt(N::ZERO);
        if D == 3 {
            for i in 0..self.one.edge_count() {
                let one = &self.one.edges[i];
                for j in 0..self.two.edge_count() {
                    let two = &self.two.edges[j];
                    let square = search.consider(&perpendicular::<N, A, D>(one, two));
                    if !A::IS_CAREFUL {
                        let squares = dot(one, one) * dot(two, two);
                        let [least, most] = NEARLY_PARALLEL;
                        let is_near = square.lt(squares * N::splat(most));
                        is_vague = is_vague | (is_near & (squares * N::splat(least)).lt(square));
                    }
                }
            }
        }
        search.finish(is_vague)
    }
}

/// The best candidates so far. Quotients are compared by products, so that only the last one is divided by its length.
struct Search<'a, N, const D: usize> {
    pair: &'a BodyPair<N, D>,
    /// The direction of the smallest overlap of the projections.
    nearest: Candidate<N, D>,
    /// The direction along which a gap is closed last.
    last: Candidate<N, D>,
    /// How fast that gap is closed, in units of the length of its direction.
    closing: N,
}

#[derive(Clone, Copy)]
struct Candidate<N, const D: usize> {
    direction: [N; D],
    /// 1 if the direction points from the first body to the second, otherwise -1.
    sign: N,
    /// Square of the length of the direction.
    square: N,
    /// Overlap of the projections, negative if there is a gap; in units of the length of the direction.
    overlap: N,
}

impl<'a, N: Quantity, const D: usize> Search<'a, N, D> {
    #[inline(always)]
    fn new(pair: &'a BodyPair<N, D>) -> Self {
        let one = N::splat(1.0);
        // Of infinite depth, and closed before time 0.
        let none = Candidate { direction: [N::ZERO; D], sign: one, square: N::ZERO, overlap: one };
        Self { pair, nearest: none, last: none, closing: one }
    }

    /// Considers a direction and its opposite. Returns the square of its length; one of length 0 changes nothing.
    #[inline(always)]
    fn consider(&mut self, direction: &[N; D]) -> N {
        let BodyPair { one, two, offset, velocity, is_moving } = self.pair;
        let square = dot(direction, direction);
        let ([one_low, one_high], [two_low, two_high]) = (one.extent(direction), two.extent(direction));
        let offset = dot(direction, offset);
        let (ahead, back) = ((one_high - two_low) - offset, (two_high - one_low) + offset);
        let is_ahead = ahead.le(back);
        let overlap = is_ahead.select(ahead, back);
        let sign = is_ahead.select(N::splat(1.0), N::splat(-1.0));
        let candidate = Candidate { direction: *direction, sign, square, overlap };

        // overlap / sqrt(square) < nearest.overlap / sqrt(nearest.square), where overlaps may be negative
        let near = &self.nearest;
        let (weight, near_weight) = (overlap * magnitude(overlap), near.overlap * magnitude(near.overlap));
        let is_nearer = (weight * near.square).lt(near_weight * square);
        self.nearest = Candidate::choose(is_nearer, &candidate, near);

        if *is_moving {
            let rate = dot(direction, velocity);
            let closing = is_ahead.select(-rate, rate);
            // -overlap / closing > -last.overlap / self.closing
            let has_gap = overlap.le(N::ZERO) & N::ZERO.lt(closing);
            let is_later = has_gap & (overlap * self.closing).lt(self.last.overlap * closing);
            self.last = Candidate::choose(is_later, &candidate, &self.last);
            self.closing = is_later.select(closing, self.closing);
        }
        square
    }

    #[inline(always)]
    fn finish(self, is_vague: N::Mask) -> Separation<N, D> {
        let Self { pair, nearest, last, closing } = self;
        let meets = last.overlap.le(N::ZERO);
        let chosen = if pair.is_moving { Candidate::choose(meets, &last, &nearest) } else { nearest };
        let length = chosen.square.sqrt();
        let mut normal = chosen.direction;
        for axis in 0..D {
            // The sum makes a 0 positive.
            normal[axis] = chosen.sign * chosen.direction[axis] / length + N::ZERO;
        }
        let (mut depth, mut time) = (chosen.overlap / length, N::ZERO);
        if pair.is_moving {
            depth = meets.select(N::ZERO, depth);
            time = meets.select(-last.overlap / closing, N::ZERO);
        }
        Separation { normal, depth, time, is_vague }
    }
}

impl<N: Quantity, const D: usize> Candidate<N, D> {
    #[inline(always)]
    fn choose(mask: N::Mask, yes: &Self, no: &Self) -> Self {
        Self {
            direction: select(mask, &yes.direction, &no.direction),
            sign: mask.select(yes.sign, no.sign),
            square: mask.select(yes.square, no.square),
            overlap: mask.select(yes.overlap, no.overlap),
        }
    }
}
