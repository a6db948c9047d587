//! Several frames at once, one per lane.

use super::frame::{DEPENDENT, Frame};
use crate::soa::block::Lanes;
use crate::soa::lanes::{self, Block, Block32, each};

/// As many frames as a block has lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameLanes<const D: usize, L = Block> {
    pub(crate) origin: [L; D],
    /// The rounding error of the origin; 0 in double precision.
    pub(crate) origin_rest: [L; D],
    /// Component by component.
    pub(crate) components: [[L; D]; D],
    /// In metres per second as gathered, in metres per duration after [`FrameLanes::measure_time_in`].
    pub(crate) velocity: [L; D],
}

/// Upper bounds of the sizes of frames, for rounding bounds. Norms are sums of magnitudes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes<L> {
    /// Largest norm of a component; in the plane the sum of both.
    pub(crate) edge: L,
    /// Largest sum of the magnitudes of the products in a cofactor of the components.
    pub(crate) cofactor: L,
    /// Norm of the velocity.
    pub(crate) velocity: L,
}

impl<L: Lanes, const D: usize> FrameLanes<D, L> {
    pub(crate) const ZERO: Self = Self {
        origin: [L::ZERO; D],
        origin_rest: [L::ZERO; D],
        components: [[L::ZERO; D]; D],
        velocity: [L::ZERO; D],
    };

    /// The same frames in code for one dimension `E`, which must be `D`.
    #[inline(always)]
    pub(crate) fn resized<const E: usize>(&self) -> FrameLanes<E, L> {
        let mut lanes = FrameLanes::ZERO;
        for axis in 0..D.min(E) {
            lanes.origin[axis] = self.origin[axis];
            lanes.origin_rest[axis] = self.origin_rest[axis];
            lanes.velocity[axis] = self.velocity[axis];
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
            velocity: frame.velocity.map(lanes::splat),
            ..Self::ZERO
        }
    }

    /// Makes a duration, in seconds, the unit of time: velocities become displacements over the whole duration.
    #[inline(always)]
    pub(crate) fn measure_time_in(&mut self, duration: f64) {
        for axis in 0..D {
            self.velocity[axis] *= lanes::splat(duration);
        }
    }
}

/// The range in which a precision certifies frames as valid.
pub(crate) trait ValidRange: Lanes {
    /// Squared lengths are above the first and below the second, in square metres; products of three neither underflow nor
    /// overflow.
    const SQUARES: [f64; 2];
    /// Square of the least determinant, in units of the product of the lengths, that is far above rounding errors and the
    /// limit of dependent components.
    const SHARE: f64;
}

impl ValidRange for Block {
    const SQUARES: [f64; 2] = [1e-80, 1e80];
    const SHARE: f64 = 16.0 * DEPENDENT * DEPENDENT;
}

impl ValidRange for Block32 {
    const SQUARES: [f64; 2] = [1e-10, 1e10];
    const SHARE: f64 = 1e-8;
}

impl<L: ValidRange, const D: usize> FrameLanes<D, L> {
    /// Whether all of the frames surely pass [`Frame::check`](super::Frame::check) if they move for `duration` seconds. If
    /// not, each must be checked alone.
    #[inline(always)]
    pub(super) fn are_surely_valid(&self, duration: f64) -> bool {
        let FrameLanes { origin, components, velocity, .. } = self.resized::<3>();
        let swept = L::splat(duration.max(1.0));
        let mut total = L::ZERO;
        for axis in 0..D {
            total = total + (origin[axis].abs() + velocity[axis].abs() * swept);
        }
        // Rounding matters little here: frames near a limit are checked alone.
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
        let in_range = least.lt(shortest) & longest.lt(most);
        let valid = in_range & share.lt(determinant * determinant) & total.lt(most);
        valid.bits() == (1 << L::COUNT) - 1
    }
}

impl<L: Lanes> Sizes<L> {
    #[inline(always)]
    pub(crate) fn of<const D: usize>(frames: &FrameLanes<D, L>) -> Self {
        if D == 2 {
            let FrameLanes { components: [a, b], velocity, .. } = frames.resized::<2>();
            let norm = |[x, y]: [L; 2]| x.abs() + y.abs();
            // A cofactor is one entry.
            let edge = norm(a) + norm(b);
            return Self { edge, cofactor: edge, velocity: norm(velocity) };
        }
        let FrameLanes { components, velocity, .. } = frames.resized::<3>();
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
        let velocity = (velocity[0].abs() + velocity[1].abs()) + velocity[2].abs();
        Self { edge: largest(norms), cofactor: largest(cofactors), velocity }
    }
}
