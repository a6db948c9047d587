//! Boxes as nodes store them.

use crate::geometry::Aabb;

/// A box in `f32` as `[min x, min y, -max x, -max y]`: the union of two is the smaller number in all four places.
///
/// Coordinates are relative to an origin and rounded. Rounding keeps the order of numbers, so that boxes which touch do
/// so here, too; whether two that touch here really do is decided by the boxes as they were given.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(16))]
pub(super) struct Bounds(pub(super) [f32; 4]);

impl Bounds {
    pub(super) const EMPTY: Self = Self([f32::INFINITY; 4]);

    #[inline(always)]
    pub(super) fn new(aabb: &Aabb<2>, origin: [f64; 2]) -> Self {
        let [x, y] = origin;
        Self([
            (aabb.min[0] - x) as f32,
            (aabb.min[1] - y) as f32,
            -((aabb.max[0] - x) as f32),
            -((aabb.max[1] - y) as f32),
        ])
    }

    /// A box around everything that is rounded to this one.
    #[inline(always)]
    pub(super) fn aabb(&self, origin: [f64; 2]) -> Aabb<2> {
        let mut ends = [0.0; 4];
        for k in 0..4 {
            ends[k] = f64::from(self.0[k].next_down());
        }
        Aabb {
            min: [ends[0] + origin[0], ends[1] + origin[1]],
            max: [origin[0] - ends[2], origin[1] - ends[3]],
        }
    }

    #[inline(always)]
    pub(super) fn union(&self, other: &Self) -> Self {
        let mut both = [0.0; 4];
        for k in 0..4 {
            both[k] = if self.0[k] < other.0[k] { self.0[k] } else { other.0[k] };
        }
        Self(both)
    }

    /// What [`touches`](Self::touches) compares with: `[max x, max y, -min x, -min y]`.
    #[inline(always)]
    pub(super) fn opposite(&self) -> [f32; 4] {
        let [min_x, min_y, max_x, max_y] = self.0;
        [-max_x, -max_y, -min_x, -min_y]
    }

    /// Whether the closed box shares a point with the one that has this opposite.
    #[inline(always)]
    pub(super) fn touches(&self, opposite: &[f32; 4]) -> bool {
        let mut all = true;
        for k in 0..4 {
            all &= self.0[k] <= opposite[k];
        }
        all
    }

    #[inline(always)]
    pub(super) fn contains(&self, other: &Self) -> bool {
        let mut all = true;
        for k in 0..4 {
            all &= self.0[k] <= other.0[k];
        }
        all
    }

    /// Width plus height, the measure of the surface-area heuristic in the plane.
    #[inline(always)]
    pub(super) fn size(&self) -> f32 {
        let [min_x, min_y, max_x, max_y] = self.0;
        -((min_x + max_x) + (min_y + max_y))
    }

    /// Twice the centre.
    #[inline(always)]
    pub(super) fn middle(&self) -> [f32; 2] {
        let [min_x, min_y, max_x, max_y] = self.0;
        [min_x - max_x, min_y - max_y]
    }

    /// Twice the distance of the centres, as the sum over both axes.
    #[inline(always)]
    pub(super) fn distance(&self, other: &Self) -> f32 {
        let ([x, y], [other_x, other_y]) = (self.middle(), other.middle());
        (x - other_x).abs() + (y - other_y).abs()
    }
}
