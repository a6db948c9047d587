//! Boxes that touch a box, a segment or a disc.

use std::ops::ControlFlow;

use crate::geometry::{Aabb, Vec2};

use super::bounds::Bounds;
use super::{LEAF, MAX_HEIGHT, NONE, Tree};

/// Nodes that are still to be visited: at most one per level, and no tree is higher than [`MAX_HEIGHT`].
pub(super) struct Stack<T = u32> {
    entries: [T; MAX_HEIGHT],
    len: usize,
}

impl<T: Copy + Default> Stack<T> {
    pub(super) fn new() -> Self {
        Self { entries: [T::default(); MAX_HEIGHT], len: 0 }
    }

    #[inline(always)]
    fn push(&mut self, entry: T) {
        self.entries[self.len] = entry;
        self.len += 1;
    }

    #[inline(always)]
    fn pop(&mut self) -> Option<T> {
        self.len = self.len.checked_sub(1)?;
        Some(self.entries[self.len])
    }
}

/// Number of leaves that a query finds before it visits them.
const FOUND: usize = 32;

/// What a search along a line or around a point asks of boxes.
trait Probe {
    /// Where a box begins, as a fraction or a distance; `None` if it begins beyond the limit or is missed.
    fn reach(&self, aabb: &Aabb<2>, limit: f64) -> Option<f64>;
}

impl Tree {
    /// Visits the items whose boxes [touch](Aabb::touches) a box, until a visit breaks.
    pub fn query(&self, aabb: &Aabb<2>, visit: &mut impl FnMut(u32) -> ControlFlow<()>) -> ControlFlow<()> {
        self.visit_leaves(&mut Stack::new(), aabb, visit)
    }

    /// Visits the items whose boxes, grown by a radius on all sides, touch the segment from `a` to `b`, nearer branches
    /// first.
    ///
    /// `visit` gets an item and the fraction of the segment up to which the search goes, 1 at first, and returns the fraction
    /// up to which it is to go on: the fraction of the first hit found, the one it got to go on as before, or a negative one to
    /// end. Boxes that miss the segment by a rounding error may be visited, too.
    pub fn query_segment(&self, a: Vec2, b: Vec2, radius: f64, visit: &mut impl FnMut(u32, f64) -> f64) {
        self.visit_near(&Ray::new(a, b, radius, self.origin), 1.0, visit);
    }

    /// Visits the items whose boxes are no farther from a point than a distance, nearer branches first.
    ///
    /// `visit` gets an item and the distance up to which the search goes, and returns the distance up to which it is to go
    /// on: that of the nearest hit found, the one it got to go on as before, or a negative one to end. Boxes that are too
    /// far by a rounding error may be visited, too.
    pub fn query_nearest(&self, point: Vec2, distance: f64, visit: &mut impl FnMut(u32, f64) -> f64) {
        let farthest =
            f64::max(point.x.abs(), point.y.abs()).max(self.origin[0].abs()).max(self.origin[1].abs());
        let error = 16.0 * f64::EPSILON * (farthest + distance);
        self.visit_near(&Point { point, error }, distance, visit);
    }

    /// Visits the items of leaves whose boxes touch a box.
    #[inline(always)]
    pub(super) fn visit_leaves(
        &self,
        stack: &mut Stack,
        aabb: &Aabb<2>,
        visit: &mut impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut visit = |leaf: &u32| {
            let leaf = &self.leaves[*leaf as usize];
            if leaf.aabb.touches(aabb) { visit(leaf.item) } else { ControlFlow::Continue(()) }
        };
        let opposite = Bounds::new(aabb, self.origin).opposite();
        if self.root == NONE || !self.bounds.touches(&opposite) {
            return ControlFlow::Continue(());
        }
        if self.root & LEAF != 0 {
            return visit(&(self.root & !LEAF));
        }
        stack.len = 0;
        stack.push(self.root);
        let mut found = [0; FOUND];
        let mut count = 0;
        while let Some(index) = stack.pop() {
            let node = &self.nodes[index as usize];
            // Without branches: whether a box is hit cannot be predicted. What is not hit is overwritten by the next.
            for side in [1, 0] {
                let child = node.children[side];
                let (hit, leaf) = (usize::from(node.bounds[side].touches(&opposite)), (child >> 31) as usize);
                stack.entries[stack.len] = child;
                stack.len += hit & (1 - leaf);
                found[count] = child & !LEAF;
                count += hit & leaf;
            }
            if count > FOUND - 2 {
                found[..count].iter().try_for_each(&mut visit)?;
                count = 0;
            }
        }
        found[..count].iter().try_for_each(&mut visit)
    }

    /// Visits the leaves that a probe reaches within a limit, which visits lower.
    fn visit_near(&self, probe: &impl Probe, mut limit: f64, visit: &mut impl FnMut(u32, f64) -> f64) {
        let mut stack = Stack::<(u32, f64)>::new();
        if self.root != NONE
            && let Some(start) = probe.reach(&self.bounds.aabb(self.origin), limit)
        {
            stack.push((self.root, start));
        }
        while let Some((child, start)) = stack.pop() {
            if start > limit {
                continue;
            }
            if child & LEAF != 0 {
                let leaf = &self.leaves[(child & !LEAF) as usize];
                if probe.reach(&leaf.aabb, limit).is_some() {
                    limit = visit(leaf.item, limit).min(limit);
                }
                if limit < 0.0 {
                    return;
                }
                continue;
            }
            let node = &self.nodes[child as usize];
            let starts = [0, 1].map(|side| probe.reach(&node.bounds[side].aabb(self.origin), limit));
            match starts {
                [Some(first), Some(second)] => {
                    let nearer = usize::from(second < first);
                    let farther = 1 - nearer;
                    stack.push((node.children[farther], first.max(second)));
                    stack.push((node.children[nearer], first.min(second)));
                }
                [Some(first), None] => stack.push((node.children[0], first)),
                [None, Some(second)] => stack.push((node.children[1], second)),
                [None, None] => {}
            }
        }
    }
}

/// A segment with a radius.
struct Ray {
    start: [f64; 2],
    /// 1 divided by the displacement on each axis; 0 if there is none.
    inverse: [f64; 2],
    /// The radius, and more than the rounding errors of [`Ray::reach`].
    radius: f64,
}

impl Ray {
    fn new(a: Vec2, b: Vec2, radius: f64, origin: [f64; 2]) -> Self {
        let (start, end): ([f64; 2], [f64; 2]) = (a.into(), b.into());
        let farthest =
            start.iter().chain(&end).chain(&origin).fold(radius, |farthest, x| farthest.max(x.abs()));
        let mut inverse = [0.0; 2];
        for axis in 0..2 {
            let displacement = (end[axis] - start[axis]).clamp(f64::MIN, f64::MAX);
            if displacement.abs() > SHORTEST {
                inverse[axis] = 1.0 / displacement;
            }
        }
        Self { start, inverse, radius: radius + 16.0 * f64::EPSILON * farthest + SHORTEST }
    }
}

/// Displacements below this, in metres, count as none.
const SHORTEST: f64 = 1e-300;

impl Probe for Ray {
    #[inline(always)]
    fn reach(&self, aabb: &Aabb<2>, limit: f64) -> Option<f64> {
        let (mut first, mut last) = (0.0_f64, limit);
        for axis in 0..2 {
            let low = aabb.min[axis] - self.start[axis] - self.radius;
            let high = aabb.max[axis] - self.start[axis] + self.radius;
            if self.inverse[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
                continue;
            }
            let (a, b) = (low * self.inverse[axis], high * self.inverse[axis]);
            first = first.max(a.min(b));
            last = last.min(a.max(b));
        }
        (first <= last).then_some(first)
    }
}

/// The centre of a disc.
struct Point {
    point: Vec2,
    /// More than the rounding errors of [`Point::reach`].
    error: f64,
}

impl Probe for Point {
    #[inline(always)]
    fn reach(&self, aabb: &Aabb<2>, limit: f64) -> Option<f64> {
        let Aabb { min, max } = aabb;
        let x = (min[0] - self.point.x).max(self.point.x - max[0]).max(0.0);
        let y = (min[1] - self.point.y).max(self.point.y - max[1]).max(0.0);
        let distance = Vec2::new(x, y).length() - self.error;
        (distance <= limit).then_some(distance.max(0.0))
    }
}
