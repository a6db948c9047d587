//! Many queries at once.

use super::{PointHit, RayHit, ShapeHit};
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Pose, Vec2};
use crate::rigid2d::shapes::{Filter, Geometry};
use crate::rigid2d::space::{Core, ShapeId, Space};
use crate::soa::{Context, memory};

/// Which shapes are near a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointQuery {
    /// In metres.
    pub point: Vec2,
    /// How far shapes may be from it, in metres; may be infinite.
    pub distance: f64,
    /// Which shapes count.
    pub filter: Filter,
}

/// Which shapes a circle hits that moves along a segment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SegmentQuery {
    /// In metres.
    pub start: Vec2,
    /// In metres.
    pub end: Vec2,
    /// Radius of the circle, in metres; 0 for a ray.
    pub radius: f64,
    /// Which shapes count.
    pub filter: Filter,
}

/// Which bounding boxes touch a box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoxQuery {
    /// In metres.
    pub aabb: Aabb<2>,
    /// Which shapes count.
    pub filter: Filter,
}

/// Which shapes a form touches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeQuery<'a> {
    /// The form, in coordinates of its own.
    pub geometry: &'a Geometry,
    /// Where it is.
    pub pose: Pose,
    /// Which shapes count.
    pub filter: Filter,
}

/// The results of many queries, each with any number of hits.
#[derive(Debug, Clone, PartialEq)]
pub struct Many<T> {
    hits: Vec<T>,
    /// Where the hits of each query end.
    ends: Vec<usize>,
}

impl<T> Many<T> {
    /// Number of queries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there were no queries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The hits of a query.
    pub fn get(&self, query: usize) -> Result<&[T]> {
        let len = self.len();
        let end = *self.ends.get(query).ok_or(Error::BadIndex { field: "query", index: query, len })?;
        let start = if query == 0 { 0 } else { self.ends[query - 1] };
        Ok(&self.hits[start..end])
    }

    /// The hits of each query, in the order of the queries.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[T]> {
        (0..self.len()).map(|query| self.get(query).expect("it is in range"))
    }

    /// All hits, one query after the other.
    #[must_use]
    pub fn hits(&self) -> &[T] {
        &self.hits
    }

    /// Where the hits of each query end.
    #[must_use]
    pub fn ends(&self) -> &[usize] {
        &self.ends
    }
}

/// Queries that a thread takes at once.
const CHUNK: usize = 64;

/// The answer to each query, in order.
fn each<Q: Sync, T: Send>(
    context: &Context,
    queries: &[Q],
    answer: impl Fn(&Q) -> T + Sync,
) -> Result<Vec<T>> {
    expect_chunks(queries.len())?;
    let chunks = context.map_chunks(queries.len(), CHUNK, |range| {
        memory::collect(range.len(), queries[range].iter().map(&answer))
    });
    let mut all = Vec::new();
    memory::reserve(&mut all, queries.len())?;
    for chunk in chunks {
        all.extend(chunk?);
    }
    Ok(all)
}

/// The answers to each query, in order.
fn all<Q: Sync, T: Send>(
    context: &Context,
    queries: &[Q],
    answer: impl Fn(&Q, &mut Vec<T>) -> Result<()> + Sync,
) -> Result<Many<T>> {
    expect_chunks(queries.len())?;
    let chunks = context.map_chunks(queries.len(), CHUNK, |range| {
        let mut many = Many { hits: Vec::new(), ends: Vec::new() };
        memory::reserve(&mut many.ends, range.len())?;
        for query in &queries[range] {
            answer(query, &mut many.hits)?;
            many.ends.push(many.hits.len());
        }
        Ok(many)
    });
    let mut sum = Many { hits: Vec::new(), ends: Vec::new() };
    memory::reserve(&mut sum.ends, queries.len())?;
    for chunk in chunks {
        let chunk: Many<T> = chunk?;
        let before = sum.hits.len();
        memory::reserve(&mut sum.hits, chunk.hits.len())?;
        sum.ends.extend(chunk.ends.iter().map(|end| before + end));
        sum.hits.extend(chunk.hits);
    }
    Ok(sum)
}

/// Whether there is room for the lists of the chunks of so many queries, and for the work of threads.
fn expect_chunks(queries: usize) -> Result<()> {
    /// Bytes per chunk besides its hits.
    const PER_CHUNK: usize = 512;
    memory::expect_some(PER_CHUNK * queries.div_ceil(CHUNK))
}

fn check_all<Q>(queries: &[Q], check: impl Fn(&Q, usize) -> Result<()>) -> Result<()> {
    queries.iter().enumerate().try_for_each(|(index, query)| check(query, index))
}

impl Space {
    /// As [`point_query`](Self::point_query), for many points.
    pub fn point_queries(&self, context: &Context, queries: &[PointQuery]) -> Result<Many<PointHit>> {
        check_all(queries, PointQuery::check)?;
        let core: &Core = &self.core;
        all(context, queries, |query, hits| core.points(query, hits))
    }

    /// As [`point_query_nearest`](Self::point_query_nearest), for many points.
    pub fn point_queries_nearest(
        &self,
        context: &Context,
        queries: &[PointQuery],
    ) -> Result<Vec<Option<PointHit>>> {
        check_all(queries, PointQuery::check)?;
        let core: &Core = &self.core;
        each(context, queries, |query| core.nearest(query))
    }

    /// As [`segment_query`](Self::segment_query), for many segments.
    pub fn segment_queries(&self, context: &Context, queries: &[SegmentQuery]) -> Result<Many<RayHit>> {
        check_all(queries, SegmentQuery::check)?;
        let core: &Core = &self.core;
        all(context, queries, |query, hits| core.rays(query, hits))
    }

    /// As [`segment_query_first`](Self::segment_query_first), for many segments.
    pub fn segment_queries_first(
        &self,
        context: &Context,
        queries: &[SegmentQuery],
    ) -> Result<Vec<Option<RayHit>>> {
        check_all(queries, SegmentQuery::check)?;
        let core: &Core = &self.core;
        each(context, queries, |query| core.first(query))
    }

    /// As [`box_query`](Self::box_query), for many boxes.
    pub fn box_queries(&self, context: &Context, queries: &[BoxQuery]) -> Result<Many<ShapeId>> {
        check_all(queries, BoxQuery::check)?;
        let core: &Core = &self.core;
        all(context, queries, |query, hits| core.boxes(query, hits))
    }

    /// As [`shape_query`](Self::shape_query), for many forms.
    pub fn shape_queries(&self, context: &Context, queries: &[ShapeQuery<'_>]) -> Result<Many<ShapeHit>> {
        check_all(queries, |query, index| query.check(index))?;
        let core: &Core = &self.core;
        all(context, queries, |query, hits| core.touches(query, hits))
    }
}
