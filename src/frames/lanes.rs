//! Several frames at once, one per lane.

use super::frame::{DEPENDENT, Frame};
use crate::soa::block::{Doubles, LANES, Lanes, Real, each};

/// As many frames as a block has lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameLanes<const D: usize, L> {
    pub(crate) origin: [L; D],
    /// The rounding error of the origin; 0 in double precision.
    pub(crate) origin_rest: [L; D],
    /// Component by component.
    pub(crate) components: [[L; D]; D],
    /// In metres per second.
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
            for i in 0..D.min(E) {
                lanes.components[i][axis] = self.components[i][axis];
            }
        }
        lanes
    }
}

impl<B: Lanes<Number = f64>, const D: usize> FrameLanes<D, B> {
    /// The same frame in all lanes, with its velocity.
    #[inline(always)]
    pub(crate) fn of_one(frame: &Frame<D>) -> Self {
        let mut lanes = Self::ZERO;
        for axis in 0..D {
            lanes.origin[axis] = B::splat(frame.origin[axis]);
            lanes.velocity[axis] = B::splat(frame.velocity[axis]);
            for i in 0..D {
                lanes.components[i][axis] = B::splat(frame.components[i][axis]);
            }
        }
        lanes
    }
}

/// A block in memory, of the same type at every level of instructions.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))]
pub(crate) struct Stored(pub(crate) [f64; LANES]);

impl Stored {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    pub(crate) fn of<B: Doubles>(block: B) -> Self {
        Self(block.to_array())
    }

    #[inline(always)]
    pub(crate) fn load<B: Doubles>(self) -> B {
        B::new(self.0)
    }
}

/// Four frames in memory, for a kernel that is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredFrames<const D: usize> {
    origin: [Stored; D],
    components: [[Stored; D]; D],
    velocity: [Stored; D],
}

impl<const D: usize> StoredFrames<D> {
    #[inline(always)]
    pub(crate) fn of<B: Doubles>(frames: &FrameLanes<D, B>) -> Self {
        let zero = [Stored::ZERO; D];
        let mut stored = Self { origin: zero, components: [zero; D], velocity: zero };
        for axis in 0..D {
            stored.origin[axis] = Stored::of(frames.origin[axis]);
            stored.velocity[axis] = Stored::of(frames.velocity[axis]);
            for i in 0..D {
                stored.components[i][axis] = Stored::of(frames.components[i][axis]);
            }
        }
        stored
    }

    #[inline(always)]
    pub(crate) fn load<B: Doubles>(&self) -> FrameLanes<D, B> {
        let mut frames = FrameLanes::ZERO;
        for axis in 0..D {
            let (origin, components, velocity) = self.along(axis);
            (frames.origin[axis], frames.velocity[axis]) = (origin, velocity);
            for (to, component) in frames.components.iter_mut().zip(components) {
                to[axis] = component;
            }
        }
        frames
    }

    /// One axis of the origins, of all components and of the velocities.
    #[inline(always)]
    pub(crate) fn along<B: Doubles>(&self, axis: usize) -> (B, [B; D], B) {
        let mut components = [B::ZERO; D];
        for (to, component) in components.iter_mut().zip(&self.components) {
            *to = component[axis].load();
        }
        (self.origin[axis].load(), components, self.velocity[axis].load())
    }
}

/// The range in which a precision certifies frames as valid.
pub(crate) trait ValidRange: Real {
    /// Squared lengths are above the first and below the second, in square metres; products of three neither underflow nor
    /// overflow.
    const SQUARES: [f64; 2];
    /// Square of the least determinant, in units of the product of the lengths, that is far above rounding errors and the
    /// limit of dependent components.
    const SHARE: f64;
}

impl ValidRange for f64 {
    const SQUARES: [f64; 2] = [1e-80, 1e80];
    const SHARE: f64 = 16.0 * DEPENDENT * DEPENDENT;
}

impl ValidRange for f32 {
    const SQUARES: [f64; 2] = [1e-10, 1e10];
    const SHARE: f64 = 1e-8;
}

impl<L: Lanes<Number: ValidRange>, const D: usize> FrameLanes<D, L> {
    /// Whether all of the frames surely pass [`Frame::check`](super::Frame::check) if they move for `duration` seconds. If
    /// not, each must be checked alone.
    #[inline(always)]
    pub(super) fn are_surely_valid(&self, duration: f64) -> bool {
        let FrameLanes { origin, components, velocity, .. } = self.resized::<3>();
        let swept = L::splat(duration.max(1.0));
        let mut total = L::ZERO;
        for axis in 0..D {
            total += origin[axis].abs() + velocity[axis].abs() * swept;
        }
        // Rounding matters little here: frames near a limit are checked alone.
        let [a, b, c] = components;
        let (a_square, b_square, c_square) = (square(a), square(b), square(c));
        let (determinant, product, shortest, longest) = if D == 2 {
            let area = a[0].fused_minus(b[1], a[1] * b[0]);
            (area, a_square * b_square, a_square.min(b_square), a_square.max(b_square))
        } else {
            let minors = each!(k in [0, 1, 2] => {
                let (l, m) = ((k + 1) % 3, (k + 2) % 3);
                b[l].fused_minus(c[m], b[m] * c[l])
            });
            let volume = a[0].fused(minors[0], a[1].fused(minors[1], a[2] * minors[2]));
            let shortest = a_square.min(b_square).min(c_square);
            (volume, a_square * b_square * c_square, shortest, a_square.max(b_square).max(c_square))
        };
        let (least, most) = (L::splat(L::Number::SQUARES[0]), L::splat(L::Number::SQUARES[1]));
        let share = L::splat(L::Number::SHARE) * product;
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
            // A cofactor is one entry.
            let edge = norm_in_plane(a) + norm_in_plane(b);
            return Self { edge, cofactor: edge, velocity: norm_in_plane(velocity) };
        }
        let FrameLanes { components, velocity, .. } = frames.resized::<3>();
        let magnitudes = each!(i in [0, 1, 2] => each!(axis in [0, 1, 2] => components[i][axis].abs()));
        let norms = each!(i in [0, 1, 2] => (magnitudes[i][0] + magnitudes[i][1]) + magnitudes[i][2]);
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

/// The square of the length. Rounding matters little.
#[inline(always)]
fn square<L: Lanes>(v: [L; 3]) -> L {
    v[0].fused(v[0], v[1].fused(v[1], v[2] * v[2]))
}

#[inline(always)]
fn norm_in_plane<L: Lanes>([x, y]: [L; 2]) -> L {
    x.abs() + y.abs()
}

#[inline(always)]
fn largest<L: Lanes>([x, y, z]: [L; 3]) -> L {
    x.max(y).max(z)
}
