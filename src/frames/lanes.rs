//! Several frames at once, one a lane.

use crate::soa::block::Lanes;
use crate::soa::lanes::{Block, each};

/// As many frames as a block has lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrameLanes<const D: usize, L = Block> {
    pub(crate) origin: [L; D],
    /// What rounding has taken from the origin; 0 in double precision.
    pub(crate) origin_rest: [L; D],
    /// Component by component.
    pub(crate) components: [[L; D]; D],
    /// The way in the whole duration, in metres; as gathered, the speed: the way in one second.
    pub(crate) way: [L; D],
}

/// Upper bounds of what frames are made of, for rounding bounds. Norms are sums of magnitudes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes<L> {
    /// Largest norm of a component.
    pub(crate) edge: L,
    /// Largest sum of the magnitudes of the products in a cofactor of the components.
    pub(crate) cofactor: L,
    /// Norm of the speed.
    pub(crate) speed: L,
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

impl<L: Lanes> Sizes<L> {
    #[inline(always)]
    pub(crate) fn of<const D: usize>(frames: &FrameLanes<D, L>) -> Self {
        if D == 2 {
            let FrameLanes { components: [a, b], way, .. } = frames.resized::<2>();
            let norm = |[x, y]: [L; 2]| x.abs() + y.abs();
            // A cofactor is one entry.
            let edge = norm(a).max(norm(b));
            return Self { edge, cofactor: edge, speed: norm(way) };
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
        let speed = (way[0].abs() + way[1].abs()) + way[2].abs();
        Self { edge: largest(norms), cofactor: largest(cofactors), speed }
    }
}
