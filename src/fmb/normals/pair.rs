//! The contact of two frames, written once for a number and for a block of lanes.

use super::body::{Body, Plain, dot, norm, select};
use super::directions::BodyPair;
use crate::soa::block::{Mask, Quantity};

/// One frame, or one per lane.
#[derive(Clone, Copy)]
pub(super) struct FrameNumbers<N, const D: usize> {
    pub(super) origin: [N; D],
    pub(super) components: [[N; D]; D],
    /// In metres per second.
    pub(super) velocity: [N; D],
}

/// The contact of two frames A and B.
pub(super) struct ContactNumbers<N: Quantity, const D: usize> {
    /// From A to B.
    pub(super) normal: [N; D],
    pub(super) depth: N,
    pub(super) point: [N; D],
    /// Whether the careful twin must compute it.
    pub(super) is_open: N::Mask,
}

/// Bodies whose gap is no more than this share of their sizes and distance together may touch: above the rounding error of a
/// gap.
pub(super) const SLACK: f64 = 64.0 * f64::EPSILON;

/// Squares of the lengths of edges below this, and sizes or velocities above these, may underflow or overflow.
const LEAST_SQUARE: f64 = 1e-36;
const LARGEST_REACH: f64 = 1e25;
const LARGEST_VELOCITY: f64 = 1e100;

/// Two frames in an order that does not depend on which is A, so that no rounding and no choice between equal depths does.
pub(super) struct OrderedFrames<N, const D: usize> {
    pub(super) one: FrameNumbers<N, D>,
    pub(super) two: FrameNumbers<N, D>,
    pub(super) are_tetrahedra: [bool; 2],
    /// 1 if the first is A, -1 if it is B.
    pub(super) sign: N,
}

impl<N: Quantity, const D: usize> OrderedFrames<N, D> {
    #[inline(always)]
    pub(super) fn new(a: &FrameNumbers<N, D>, b: &FrameNumbers<N, D>, are_tetrahedra: [bool; 2]) -> Self {
        let sign = N::splat(1.0);
        match are_tetrahedra {
            [false, true] => Self { one: *a, two: *b, are_tetrahedra, sign },
            [true, false] => Self { one: *b, two: *a, are_tetrahedra: [false, true], sign: -sign },
            _ => {
                let b_first = b.precedes(a);
                let (one, two) = (FrameNumbers::choose(b_first, b, a), FrameNumbers::choose(b_first, a, b));
                Self { one, two, are_tetrahedra, sign: b_first.select(-sign, sign) }
            }
        }
    }

    /// From the origin of the first to that of the second, and the same for their velocities.
    #[inline(always)]
    pub(super) fn differences(&self) -> [[N; D]; 2] {
        let mut differences = [[N::ZERO; D]; 2];
        for axis in 0..D {
            differences[0][axis] = self.two.origin[axis] - self.one.origin[axis];
            differences[1][axis] = self.two.velocity[axis] - self.one.velocity[axis];
        }
        differences
    }
}

impl<N: Quantity, const D: usize> FrameNumbers<N, D> {
    /// Whether the first number that differs is smaller: coordinates of the origin first, then the others.
    #[inline(always)]
    fn precedes(&self, other: &Self) -> N::Mask {
        let mut order = Order { less: N::ZERO.lt(N::ZERO), equal: N::ZERO.le(N::ZERO) };
        order.go_on(&self.origin, &other.origin);
        for i in 0..D {
            order.go_on(&self.components[i], &other.components[i]);
        }
        order.go_on(&self.velocity, &other.velocity);
        order.less
    }

    #[inline(always)]
    fn choose(mask: N::Mask, yes: &Self, no: &Self) -> Self {
        let mut chosen = *no;
        chosen.origin = select(mask, &yes.origin, &no.origin);
        chosen.velocity = select(mask, &yes.velocity, &no.velocity);
        for i in 0..D {
            chosen.components[i] = select(mask, &yes.components[i], &no.components[i]);
        }
        chosen
    }
}

/// How two lists of numbers compare so far.
struct Order<N: Quantity> {
    /// The first number that differs is smaller.
    less: N::Mask,
    /// None differs.
    equal: N::Mask,
}

impl<N: Quantity> Order<N> {
    #[inline(always)]
    fn go_on<const D: usize>(&mut self, one: &[N; D], two: &[N; D]) {
        for axis in 0..D {
            let (x, y) = (one[axis], two[axis]);
            self.less = self.less | (self.equal & x.lt(y));
            self.equal = self.equal & (x.le(y) & y.le(x));
        }
    }
}

/// The contact of A and B, which rest if there is no `duration`.
#[inline(always)]
pub(super) fn contact<N: Quantity, const D: usize>(
    a: &FrameNumbers<N, D>,
    b: &FrameNumbers<N, D>,
    are_tetrahedra: [bool; 2],
    duration: Option<f64>,
) -> ContactNumbers<N, D> {
    let frames = OrderedFrames::new(a, b, are_tetrahedra);
    let [offset, velocity] = frames.differences();
    let pair = BodyPair {
        one: Body::new(frames.are_tetrahedra[0], frames.one.components),
        two: Body::new(frames.are_tetrahedra[1], frames.two.components),
        offset,
        velocity,
        is_moving: duration.is_some(),
    };
    let separation = pair.separation::<Plain>();
    let mut reach = pair.reach();
    let mut is_open = separation.is_vague | pair.is_out_of_range(reach);
    let mut time = N::ZERO;
    if let Some(duration) = duration {
        time = separation.time.min(N::splat(duration));
        reach = reach + norm(&velocity) * time;
        // Frames that intersect later but not now come into contact.
        is_open = is_open | separation.depth.lt(-(reach * N::splat(SLACK)));
    }
    let common = pair.common_point::<Plain>(time, reach * N::splat(SLACK));
    let (mut normal, mut point) = (separation.normal, frames.one.origin);
    for axis in 0..D {
        normal[axis] = frames.sign * normal[axis] + N::ZERO;
        if duration.is_some() {
            point[axis] = point[axis] + frames.one.velocity[axis] * time;
        }
        point[axis] = point[axis] + common.place[axis];
    }
    is_open = is_open | (common.is_missing | common.is_vague);
    ContactNumbers { normal, depth: separation.depth.max(N::ZERO), point, is_open }
}

impl<N: Quantity, const D: usize> BodyPair<N, D> {
    /// Sizes and distance together.
    #[inline(always)]
    pub(super) fn reach(&self) -> N {
        (self.one.size() + self.two.size()) + norm(&self.offset)
    }

    #[inline(always)]
    fn is_out_of_range(&self, reach: N) -> N::Mask {
        let mut least = N::splat(1.0);
        for body in [&self.one, &self.two] {
            for i in 0..body.edge_count() {
                least = dot(&body.edges[i], &body.edges[i]).min(least);
            }
        }
        let is_large = N::splat(LARGEST_REACH).le(reach);
        let is_fast = N::splat(LARGEST_VELOCITY).le(norm(&self.velocity));
        least.lt(N::splat(LEAST_SQUARE)) | (is_large | is_fast)
    }
}
