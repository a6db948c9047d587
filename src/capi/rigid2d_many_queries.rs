//! Many questions about a space at once, on several threads.

use super::context::carom_context;
use super::failure::Result;
use super::guard::enter;
use super::handle::Handle;
use super::memory::{Caller, Plain, RowsMut};
use super::rigid2d_geometry::carom_geometry;
use super::rigid2d_ids::{carom_bounds, carom_shape, carom_vec2};
use super::rigid2d_queries::{carom_filter, carom_point_hit, carom_segment_hit, carom_shape_hit, pose};
use super::rigid2d_space::carom_space;
use super::status::carom_status;
use crate::rigid2d::space::{BoxQuery, Many, PointQuery, SegmentQuery, ShapeQuery};
use crate::rigid2d::{Geometry, Space};
use crate::soa::{Context, memory};

/// Which shapes are near a point.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_point_query {
    /// In metres.
    pub point: carom_vec2,
    /// How far the surface of a shape may be from it, in metres, at least 0; may be infinity.
    pub distance: f64,
    /// Which shapes count.
    pub filter: carom_filter,
}

/// Which shapes a circle hits on its way along a segment.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_segment_query {
    /// Where the segment starts, in metres.
    pub start: carom_vec2,
    /// Where it ends, in metres.
    pub end: carom_vec2,
    /// Radius of the circle, in metres, at least 0; 0 is a ray.
    pub radius: f64,
    /// Which shapes count.
    pub filter: carom_filter,
}

/// Which shapes a form touches.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_shape_query {
    /// The form.
    pub geometry: *const carom_geometry,
    /// Where the origin of its coordinates is, in metres.
    pub position: carom_vec2,
    /// How it is turned, in radians.
    pub angle: f64,
    /// Which shapes count.
    pub filter: carom_filter,
}

/// Which bounding boxes touch a box.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_box_query {
    /// In metres.
    pub bounds: carom_bounds,
    /// Which shapes count.
    pub filter: carom_filter,
}

// SAFETY: made of integers and floats.
unsafe impl Plain for carom_point_query {}
// SAFETY: made of integers and floats.
unsafe impl Plain for carom_segment_query {}
// SAFETY: made of integers and floats.
unsafe impl Plain for carom_box_query {}
// SAFETY: made of a raw pointer, integers and floats.
unsafe impl Plain for carom_shape_query {}

/// A question of the caller, as the library asks it.
trait Question: Plain {
    type Asked;

    fn asked(&self) -> Result<Self::Asked>;
}

impl Question for carom_point_query {
    type Asked = PointQuery;

    fn asked(&self) -> Result<PointQuery> {
        Ok(PointQuery { point: self.point.into(), distance: self.distance, filter: self.filter.filter()? })
    }
}

impl Question for carom_segment_query {
    type Asked = SegmentQuery;

    fn asked(&self) -> Result<SegmentQuery> {
        let (start, end) = (self.start.into(), self.end.into());
        Ok(SegmentQuery { start, end, radius: self.radius, filter: self.filter.filter()? })
    }
}

impl Question for carom_box_query {
    type Asked = BoxQuery;

    fn asked(&self) -> Result<BoxQuery> {
        Ok(BoxQuery { aabb: self.bounds.into(), filter: self.filter.filter()? })
    }
}

/// Bytes per question: the question, its form, and the hits that it may have.
const ROOM_PER_QUERY: usize = 1024;

/// Questions of the caller, and the threads that answer them.
struct Asked<C> {
    space: *const carom_space,
    context: *const carom_context,
    queries: *const C,
    count: usize,
}

impl<C: Question> Asked<C> {
    fn queries(&self, caller: &Caller) -> Result<Vec<C::Asked>> {
        memory::expect_room(self.count.saturating_mul(ROOM_PER_QUERY))?;
        caller.slice("queries", self.queries, self.count)?.iter().map(C::asked).collect()
    }

    /// An entry that answers every question with one thing.
    ///
    /// # Safety
    /// As [`enter`].
    unsafe fn one_each<H, T: Plain + From<H>>(
        self,
        hits: *mut T,
        answer: impl FnOnce(&Space, &Context, &[C::Asked]) -> Result<Vec<H>>,
    ) -> carom_status {
        // SAFETY: by the contract of this function.
        unsafe {
            enter(|caller| {
                let context = caller.context(self.context)?;
                let rows = caller.rows_mut("hits", hits, 0, 1, self.count)?;
                let queries = self.queries(caller)?;
                let space = caller.object("space", self.space)?;
                let found = space.read(|space| answer(space, &context, &queries))?;
                for (row, hit) in found.into_iter().enumerate() {
                    rows.put(row, 0, hit.into());
                }
                Ok(())
            })
        }
    }

    /// An entry that answers every question with any number of things, one question after the other.
    ///
    /// # Safety
    /// As [`enter`].
    unsafe fn many_each<H: Copy, T: Plain>(
        self,
        (hits, capacity): (*mut T, usize),
        ends: *mut usize,
        convert: impl Fn(H) -> T,
        answer: impl FnOnce(&Space, &Context, &[C::Asked]) -> Result<Many<H>>,
    ) -> carom_status {
        // SAFETY: by the contract of this function.
        unsafe {
            enter(|caller| {
                let context = caller.context(self.context)?;
                let rows = caller.rows_mut("hits", hits, 0, 1, capacity)?;
                let ends = caller.rows_mut("ends", ends, 0, 1, self.count)?;
                let queries = self.queries(caller)?;
                let space = caller.object("space", self.space)?;
                let found = space.read(|space| answer(space, &context, &queries))?;
                write_hits(&found, capacity, &rows, &ends, convert);
                Ok(())
            })
        }
    }
}

/// Writes as many hits as fit, and where those of every question end.
fn write_hits<H: Copy, T: Plain>(
    found: &Many<H>,
    capacity: usize,
    rows: &RowsMut<T>,
    ends: &RowsMut<usize>,
    convert: impl Fn(H) -> T,
) {
    for (row, &hit) in found.hits().iter().take(capacity).enumerate() {
        rows.put(row, 0, convert(hit));
    }
    ends.write(found.ends());
}

/// Lists the shapes near many points: for each what carom_space_point_query() lists, one point after the other.
///
/// \param queries  The points. May be NULL if `count` is 0.
/// \param count    Number of points.
/// \param context  Threads that share the work; NULL: the calling thread. The answers do not depend on it.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param ends     Receives for every point where its hits end, whether they fit or not; they start where those of the
///                 point before end. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for a filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_point_queries(
    space: *const carom_space,
    queries: *const carom_point_query,
    count: usize,
    context: *const carom_context,
    hits: *mut carom_point_hit,
    capacity: usize,
    ends: *mut usize,
) -> carom_status {
    entry!(Asked { space, context, queries, count }.many_each(
        (hits, capacity),
        ends,
        |hit| Some(hit).into(),
        |space, context, queries| Ok(space.point_queries(context, queries)?)
    ))
}

/// The shapes nearest to many points: for each what carom_space_point_query_nearest() finds.
///
/// \param queries The points. May be NULL if `count` is 0.
/// \param count   Number of points.
/// \param context Threads that share the work; NULL: the calling thread. The answers do not depend on it.
/// \param hits    Receives one answer per point. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for a filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_point_queries_nearest(
    space: *const carom_space,
    queries: *const carom_point_query,
    count: usize,
    context: *const carom_context,
    hits: *mut carom_point_hit,
) -> carom_status {
    entry!(
        Asked { space, context, queries, count }
            .one_each(hits, |space, context, queries| Ok(space.point_queries_nearest(context, queries)?))
    )
}

/// Lists what many circles hit on their ways along segments: for each what carom_space_segment_query() lists, one segment after
/// the other.
///
/// \param queries  The segments. May be NULL if `count` is 0.
/// \param count    Number of segments.
/// \param context  Threads that share the work; NULL: the calling thread. The answers do not depend on it.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param ends     Receives for every segment where its hits end, whether they fit or not; they start where those of the
///                 segment before end. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for a filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_segment_queries(
    space: *const carom_space,
    queries: *const carom_segment_query,
    count: usize,
    context: *const carom_context,
    hits: *mut carom_segment_hit,
    capacity: usize,
    ends: *mut usize,
) -> carom_status {
    entry!(Asked { space, context, queries, count }.many_each(
        (hits, capacity),
        ends,
        |hit| Some(hit).into(),
        |space, context, queries| Ok(space.segment_queries(context, queries)?)
    ))
}

/// What many circles hit first on their ways along segments: for each what carom_space_segment_query_first() finds.
///
/// \param queries The segments. May be NULL if `count` is 0.
/// \param count   Number of segments.
/// \param context Threads that share the work; NULL: the calling thread. The answers do not depend on it.
/// \param hits    Receives one answer per segment. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_UNKNOWN_VALUE for a filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_segment_queries_first(
    space: *const carom_space,
    queries: *const carom_segment_query,
    count: usize,
    context: *const carom_context,
    hits: *mut carom_segment_hit,
) -> carom_status {
    entry!(
        Asked { space, context, queries, count }
            .one_each(hits, |space, context, queries| Ok(space.segment_queries_first(context, queries)?))
    )
}

/// Lists the shapes whose bounding boxes touch many boxes: for each what carom_space_box_query() lists, one box after the other.
///
/// \param queries  The boxes. May be NULL if `count` is 0.
/// \param count    Number of boxes.
/// \param context  Threads that share the work; NULL: the calling thread. The answers do not depend on it.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param ends     Receives for every box where its hits end, whether they fit or not; they start where those of the box
///                 before end. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, CAROM_UNKNOWN_VALUE for a filter.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_box_queries(
    space: *const carom_space,
    queries: *const carom_box_query,
    count: usize,
    context: *const carom_context,
    hits: *mut carom_shape,
    capacity: usize,
    ends: *mut usize,
) -> carom_status {
    entry!(Asked { space, context, queries, count }.many_each(
        (hits, capacity),
        ends,
        carom_shape::from,
        |space, context, queries| Ok(space.box_queries(context, queries)?)
    ))
}

/// Lists the shapes that many forms touch: for each what carom_space_shape_query() lists, one form after the other.
///
/// \param queries  The forms. May be NULL if `count` is 0.
/// \param count    Number of forms.
/// \param context  Threads that share the work; NULL: the calling thread. The answers do not depend on it.
/// \param hits     Receives as many as fit. May be NULL if `capacity` is 0.
/// \param capacity Capacity of `hits`.
/// \param ends     Receives for every form where its hits end, whether they fit or not; they start where those of the form
///                 before end. May be NULL if `count` is 0.
/// \return CAROM_OK, CAROM_NOT_FINITE, CAROM_NEGATIVE, CAROM_OUT_OF_RANGE, CAROM_NOT_CONVEX, CAROM_UNKNOWN_VALUE.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_space_shape_queries(
    space: *const carom_space,
    queries: *const carom_shape_query,
    count: usize,
    context: *const carom_context,
    hits: *mut carom_shape_hit,
    capacity: usize,
    ends: *mut usize,
) -> carom_status {
    entry!(enter(|caller| {
        let context = caller.context(context)?;
        let rows = caller.rows_mut("hits", hits, 0, 1, capacity)?;
        let ends = caller.rows_mut("ends", ends, 0, 1, count)?;
        let asked = caller.slice("queries", queries, count)?;
        memory::expect_room(count.saturating_mul(ROOM_PER_QUERY))?;
        let forms = asked.iter().map(|query| caller.geometry(query.geometry)).collect::<Result<Vec<_>>>()?;
        let question = |(query, geometry)| placed(query, geometry);
        let queries = asked.iter().zip(&forms).map(question).collect::<Result<Vec<_>>>()?;
        let space = caller.object("space", space)?;
        let found = space.read(|space| Ok(space.shape_queries(&context, &queries)?))?;
        write_hits(&found, capacity, &rows, &ends, carom_shape_hit::from);
        Ok(())
    }))
}

/// A form where the caller has put it.
fn placed<'a>(query: &carom_shape_query, geometry: &'a Geometry) -> Result<ShapeQuery<'a>> {
    Ok(ShapeQuery { geometry, pose: pose(query.position, query.angle)?, filter: query.filter.filter()? })
}
