//! Several frames at once, one a lane.

use super::frame::{DEPENDENT, Frame};
use crate::soa::block::Lanes;
use crate::soa::lanes::{self, Block, Block32, each};

/// As many frames as a block has lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameLanes<const D: usize, L = Block> {
    pub(crate) origin: [L; D],
    /// What rounding has taken from the origin; 0 in double precision.
    pub(crate) origin_rest: [L; D],
    /// Component by component.
    pub(crate) components: [[L; D]; D],
    /// The way in the whole duration, in metres; as gathered, the velocity: the way in one second.
    pub(crate) way: [L; D],
}

/// Upper bounds of what frames are made of, for rounding bounds. Norms are sums of magnitudes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes<L> {
    /// Largest norm of a component; in the plane the sum of both.
    pub(crate) edge: L,
    /// Largest sum of the magnitudes of the products in a cofactor of the components.
    pub(crate) cofactor: L,
    /// Norm of the speed.
    pub(crate) velocity: L,
}

impl<L: Lanes, const D: usize> FrameLanes<D, L> {
    pub(crate) const ZERO: Self = Self {
        origin: [L::ZERO; D],
        origin_rest: [L::ZERO; D],
        components: [[L::ZERO; D]; D],
        way: [L::ZERO; D],
    };

    /// The same for code that knows its dimension, which must be `D`.
    #[inline(always)]
    pub(crate) fn resized<const E: usize>(&self) -> FrameLanes<E, L> {
        let mut lanes = FrameLanes::ZERO;
        for axis in 0..D.min(E) {
            lanes.origin[axis] = self.origin[axis];
            lanes.origin_rest[axis] = self.origin_rest[axis];
            lanes.way[axis] = self.way[axis];
            lanes.components.iter_mut().zip(&self.components).for_each(|(to, from)| to[axis] = from[axis]);
        }
        lanes
    }
}

impl<const D: usize> FrameLanes<D> {
    /// The same frame in all lanes, with its velocity.
    pub(crate) fn of_one(frame: &Frame<D>) -> Self {
        Self {
            origin: frame.origin.map(lanes::splat),
            components: frame.components.map(|component| component.map(lanes::splat)),
            way: frame.velocity.map(lanes::splat),
            ..Self::ZERO
        }
    }

    /// Takes velocities as gathered to the ways in some seconds.
    #[inline(always)]
    pub(crate) fn move_for(&mut self, duration: f64) {
        for axis in 0..D {
            self.way[axis] *= lanes::splat(duration);
        }
    }
}

/// Where a precision can tell that frames are sound.
pub(crate) trait Soundness: Lanes {
    /// Lengths squared are above the first and below the second, in square metres; products of three neither vanish nor
    /// overflow.
    const SQUARES: [f64; 2];
    /// Square of the least determinant in units of the product of lengths that is far from rounding errors, and from
    /// what is refused.
    const SHARE: f64;
}

impl Soundness for Block {
    const SQUARES: [f64; 2] = [1e-80, 1e80];
    const SHARE: f64 = 16.0 * DEPENDENT * DEPENDENT;
}

impl Soundness for Block32 {
    const SQUARES: [f64; 2] = [1e-10, 1e10];
    const SHARE: f64 = 1e-8;
}

impl<L: Soundness, const D: usize> FrameLanes<D, L> {
    /// Whether all of the frames would pass [`Frame::check`](super::Frame::check) by far, with the velocities of a motion of
    /// `duration` seconds. If not, each must be looked at alone.
    #[inline(always)]
    pub(super) fn are_surely_sound(&self, duration: f64) -> bool {
        let FrameLanes { origin, components, way, .. } = self.resized::<3>();
        let swept = L::splat(duration.max(1.0));
        let mut total = L::ZERO;
        for axis in 0..D {
            total = total + (origin[axis].abs() + way[axis].abs() * swept);
        }
        // All that is computed here only tells which way a check goes.
        let square = |v: [L; 3]| v[0].fused(v[0], v[1].fused(v[1], v[2] * v[2]));
        let [a, b, c] = components;
        let (a_square, b_square, c_square) = (square(a), square(b), square(c));
        let (determinant, product, shortest, longest) = if D == 2 {
            let area = a[0].fused_minus(b[1], a[1] * b[0]);
            (area, a_square * b_square, a_square.min(b_square), a_square.max(b_square))
        } else {
            let minor = |k: usize, l: usize| b[k].fused_minus(c[l], b[l] * c[k]);
            let volume = a[0].fused(minor(1, 2), a[1].fused(minor(2, 0), a[2] * minor(0, 1)));
            let shortest = a_square.min(b_square).min(c_square);
            (volume, a_square * b_square * c_square, shortest, a_square.max(b_square).max(c_square))
        };
        let (least, most) = (L::splat(L::SQUARES[0]), L::splat(L::SQUARES[1]));
        let share = L::splat(L::SHARE) * product;
        let sizes = least.lt(shortest) & longest.lt(most);
        let sound = sizes & share.lt(determinant * determinant) & total.lt(most);
        sound.bits() == (1 << L::COUNT) - 1
    }
}

impl<L: Lanes> Sizes<L> {
    #[inline(always)]
    pub(crate) fn of<const D: usize>(frames: &FrameLanes<D, L>) -> Self {
        if D == 2 {
            let FrameLanes { components: [a, b], way, .. } = frames.resized::<2>();
            let norm = |[x, y]: [L; 2]| x.abs() + y.abs();
            // A cofactor is one entry.
            let edge = norm(a) + norm(b);
            return Self { edge, cofactor: edge, velocity: norm(way) };
        }
        let FrameLanes { components, way, .. } = frames.resized::<3>();
        let magnitudes = each!(i in [0, 1, 2] => each!(axis in [0, 1, 2] => components[i][axis].abs()));
        let norms = each!(i in [0, 1, 2] => (magnitudes[i][0] + magnitudes[i][1]) + magnitudes[i][2]);
        let largest = |[x, y, z]: [L; 3]| x.max(y).max(z);
        let cofactors = each!(i in [0, 1, 2] => {
            let (u, v) = (magnitudes[i], magnitudes[(i + 1) % 3]);
            largest(each!(axis in [0, 1, 2] => {
                let next = (axis + 1) % 3;
                u[axis].fused(v[next], u[next] * v[axis])
            }))
        });
        let velocity = (way[0].abs() + way[1].abs()) + way[2].abs();
        Self { edge: largest(norms), cofactor: largest(cofactors), velocity }
    }
}
