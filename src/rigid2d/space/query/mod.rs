//! Questions about a space: which shapes are at a point, along a segment, in a box or in contact with another shape.
//!
//! All of them see bodies where they are now, also those that were moved or added since the last step, and change nothing.
//! Results are in an order that does not depend on how they were found.

mod batch;
mod candidates;

pub(super) use candidates::Outside;

pub use batch::{BoxQuery, Many, PointQuery, SegmentQuery, ShapeQuery};

use super::body::check_vector;
use super::contact_set::ContactSet;
use super::{Core, ShapeId, Space};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Pose, Vec2};
use crate::rigid2d::narrow::general::shapes_collide;
use crate::rigid2d::shapes::{Filter, Geometry};
use crate::soa::{check, memory};

/// A shape near a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointHit {
    /// The shape.
    pub shape: ShapeId,
    /// The nearest point of its surface, in metres.
    pub point: Vec2,
    /// The distance from its surface, in metres; negative inside.
    pub distance: f64,
    /// The unit vector in which the distance grows fastest.
    pub gradient: Vec2,
}

/// A shape that a segment, or a circle that moves along it, hits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayHit {
    /// The shape.
    pub shape: ShapeId,
    /// The share of the segment that is before the contact, from 0 to 1; 0 if they touch at the start.
    pub fraction: f64,
    /// The point of the surface of the shape, in metres.
    pub point: Vec2,
    /// The outward unit normal there.
    pub normal: Vec2,
}

/// A shape that touches a given one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeHit {
    /// The shape.
    pub shape: ShapeId,
    /// Where they touch, from the given shape to this one.
    pub contacts: ContactSet,
}

/// A list of hits to which there may be no memory to add.
struct HitList<'a, T> {
    hits: &'a mut Vec<T>,
    is_whole: bool,
}

impl<'a, T> HitList<'a, T> {
    fn new(hits: &'a mut Vec<T>) -> Self {
        Self { hits, is_whole: true }
    }

    fn add(&mut self, hit: Option<T>) {
        if let Some(hit) = hit {
            self.is_whole &= memory::push(self.hits, hit).is_ok();
        }
    }

    /// An error if there was no memory for all hits.
    fn finish(self) -> Result<()> {
        if self.is_whole { Ok(()) } else { Err(memory::failed::<T>(self.hits.len())) }
    }
}

impl Core {
    /// The pose of the body of a shape.
    fn pose_of_shape(&self, shape: u32) -> Pose {
        self.pose(self.shapes.at(shape).body)
    }

    fn accepts(&self, shape: u32, filter: Filter) -> bool {
        self.engine.definition(shape).material.filter.accepts(filter)
    }

    fn is_sensor(&self, shape: u32) -> bool {
        self.engine.definition(shape).material.sensor
    }

    fn point_hit(&self, shape: u32, point: Vec2) -> PointHit {
        let nearest = self.engine.definition(shape).geometry.nearest(self.pose_of_shape(shape), point);
        PointHit {
            shape: self.shape_id(shape),
            point: nearest.point,
            distance: nearest.distance,
            gradient: nearest.gradient,
        }
    }

    fn ray_hit(&self, shape: u32, query: &SegmentQuery) -> Option<RayHit> {
        let SegmentQuery { start, end, radius, .. } = *query;
        let geometry = &self.engine.definition(shape).geometry;
        let hit = geometry.segment_query(self.pose_of_shape(shape), start, end, radius)?;
        Some(RayHit {
            shape: self.shape_id(shape),
            fraction: hit.fraction,
            point: hit.point,
            normal: hit.normal,
        })
    }

    fn points(&self, query: &PointQuery, hits: &mut Vec<PointHit>) -> Result<()> {
        let first = hits.len();
        let mut list = HitList::new(hits);
        let PointQuery { point, distance, filter } = *query;
        let around = Aabb { min: point.into(), max: point.into() }.expanded(distance);
        self.visit_box(&around, &mut |shape| {
            if self.accepts(shape, filter) {
                let hit = self.point_hit(shape, point);
                list.add((hit.distance <= distance).then_some(hit));
            }
        });
        list.finish()?;
        hits[first..].sort_unstable_by_key(|hit| hit.shape);
        Ok(())
    }

    fn nearest(&self, query: &PointQuery) -> Option<PointHit> {
        let PointQuery { point, distance, filter } = *query;
        let mut best: Option<PointHit> = None;
        self.visit_nearest(point, distance, &mut |shape, limit| {
            if !self.accepts(shape, filter) || self.is_sensor(shape) {
                return limit;
            }
            let hit = self.point_hit(shape, point);
            let is_better = |old: PointHit| (hit.distance, hit.shape.index) < (old.distance, old.shape.index);
            if hit.distance <= distance && best.is_none_or(is_better) {
                best = Some(hit);
            }
            // Where the point is inside of one shape, only boxes around it matter.
            best.map_or(limit, |best| best.distance.max(0.0).min(limit))
        });
        best
    }

    fn rays(&self, query: &SegmentQuery, hits: &mut Vec<RayHit>) -> Result<()> {
        let first = hits.len();
        let mut list = HitList::new(hits);
        self.visit_segment(query, &mut |shape, limit| {
            if self.accepts(shape, query.filter) {
                list.add(self.ray_hit(shape, query));
            }
            limit
        });
        list.finish()?;
        hits[first..].sort_unstable_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.shape.cmp(&b.shape)));
        Ok(())
    }

    fn first(&self, query: &SegmentQuery) -> Option<RayHit> {
        let mut best: Option<RayHit> = None;
        self.visit_segment(query, &mut |shape, limit| {
            if !self.accepts(shape, query.filter) || self.is_sensor(shape) {
                return limit;
            }
            if let Some(hit) = self.ray_hit(shape, query)
                && best.is_none_or(|old| (hit.fraction, hit.shape.index) < (old.fraction, old.shape.index))
            {
                best = Some(hit);
            }
            best.map_or(limit, |best| best.fraction)
        });
        best
    }

    fn boxes(&self, query: &BoxQuery, hits: &mut Vec<ShapeId>) -> Result<()> {
        let first = hits.len();
        let mut list = HitList::new(hits);
        self.visit_box(&query.aabb, &mut |shape| {
            let geometry = &self.engine.definition(shape).geometry;
            if self.accepts(shape, query.filter)
                && geometry.bounding_box(self.pose_of_shape(shape)).touches(&query.aabb)
            {
                list.add(Some(self.shape_id(shape)));
            }
        });
        list.finish()?;
        hits[first..].sort_unstable();
        Ok(())
    }

    fn touches(&self, query: &ShapeQuery<'_>, hits: &mut Vec<ShapeHit>) -> Result<()> {
        let first = hits.len();
        let mut list = HitList::new(hits);
        let ShapeQuery { geometry, pose, filter } = *query;
        self.visit_box(&geometry.bounding_box(pose), &mut |shape| {
            if self.accepts(shape, filter) {
                let other = &self.engine.definition(shape).geometry;
                let contacts = shapes_collide(geometry, pose, other, self.pose_of_shape(shape));
                if !contacts.points().is_empty() {
                    list.add(Some(ShapeHit { shape: self.shape_id(shape), contacts }));
                }
            }
        });
        list.finish()?;
        hits[first..].sort_unstable_by_key(|hit| hit.shape);
        Ok(())
    }
}

impl PointQuery {
    fn check(&self, index: usize) -> Result<()> {
        check_vector("point", index, self.point)?;
        if self.distance == f64::INFINITY {
            return Ok(());
        }
        check::non_negative("distance", index, self.distance)
    }
}

impl SegmentQuery {
    fn check(&self, index: usize) -> Result<()> {
        check_vector("start", index, self.start)?;
        check_vector("end", index, self.end)?;
        check::non_negative("radius", index, self.radius)
    }
}

impl BoxQuery {
    fn check(&self, index: usize) -> Result<()> {
        for axis in 0..2 {
            check::finite("min", index, self.aabb.min[axis])?;
            check::finite("max", index, self.aabb.max[axis])?;
            if self.aabb.min[axis] > self.aabb.max[axis] {
                let value = self.aabb.min[axis];
                return Err(Error::OutOfRange { field: "min", value, expected: "at most max" });
            }
        }
        Ok(())
    }
}

impl ShapeQuery<'_> {
    fn check(&self, index: usize) -> Result<()> {
        check_vector("position", index, self.pose.position)?;
        let Pose { rotation, .. } = self.pose;
        check::finite("rotation", index, rotation.cos)?;
        check::finite("rotation", index, rotation.sin)?;
        let length = Vec2::new(rotation.cos, rotation.sin).length();
        if (length - 1.0).abs() > 1e-6 {
            return Err(Error::OutOfRange { field: "length of the rotation", value: length, expected: "1" });
        }
        Ok(())
    }
}

impl Space {
    /// All shapes, sensors included, that are no farther from a point than a distance, in metres; in the order of their rows.
    pub fn point_query(&self, point: Vec2, distance: f64, filter: Filter) -> Result<Vec<PointHit>> {
        let query = PointQuery { point, distance, filter };
        query.check(0)?;
        let mut hits = Vec::new();
        self.core.points(&query, &mut hits)?;
        Ok(hits)
    }

    /// The shape, other than sensors, whose surface is nearest to a point and no farther than a distance, in metres, which may
    /// be infinite. Inside of shapes it is the one whose surface is farthest away.
    pub fn point_query_nearest(
        &self,
        point: Vec2,
        distance: f64,
        filter: Filter,
    ) -> Result<Option<PointHit>> {
        let query = PointQuery { point, distance, filter };
        query.check(0)?;
        Ok(self.core.nearest(&query))
    }

    /// All shapes, sensors included, that a circle of this radius, in metres, hits on its way from `start` to `end`; in the order
    /// in which it does.
    pub fn segment_query(&self, start: Vec2, end: Vec2, radius: f64, filter: Filter) -> Result<Vec<RayHit>> {
        let query = SegmentQuery { start, end, radius, filter };
        query.check(0)?;
        let mut hits = Vec::new();
        self.core.rays(&query, &mut hits)?;
        Ok(hits)
    }

    /// The shape, other than sensors, that a circle of this radius, in metres, hits first on its way from `start` to `end`.
    pub fn segment_query_first(
        &self,
        start: Vec2,
        end: Vec2,
        radius: f64,
        filter: Filter,
    ) -> Result<Option<RayHit>> {
        let query = SegmentQuery { start, end, radius, filter };
        query.check(0)?;
        Ok(self.core.first(&query))
    }

    /// All shapes, sensors included, whose bounding boxes touch a box; in the order of their rows.
    pub fn box_query(&self, aabb: &Aabb<2>, filter: Filter) -> Result<Vec<ShapeId>> {
        let query = BoxQuery { aabb: *aabb, filter };
        query.check(0)?;
        let mut hits = Vec::new();
        self.core.boxes(&query, &mut hits)?;
        Ok(hits)
    }

    /// All shapes, sensors included, that a form at a pose touches, with their contacts; in the order of their rows.
    pub fn shape_query(&self, geometry: &Geometry, pose: Pose, filter: Filter) -> Result<Vec<ShapeHit>> {
        let query = ShapeQuery { geometry, pose, filter };
        query.check(0)?;
        // Two large polygons are compared in memory of their own.
        memory::expect_little()?;
        let mut hits = Vec::new();
        self.core.touches(&query, &mut hits)?;
        Ok(hits)
    }
}
