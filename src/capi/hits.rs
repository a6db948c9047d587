//! The outcome of tests, shared with the caller without a copy.

use bytemuck::{Pod, Zeroable};

use super::handle::query;
use super::intersections::{AnyFound, carom_frame_pair, carom_intersections};
use super::status::carom_status;
use crate::geometry::Aabb;

/// Does the same in either dimension.
macro_rules! in_dimension {
    ($any:expr, $found:ident => $body:expr) => {
        match $any {
            AnyFound::Two($found) => $body,
            AnyFound::Three($found) => $body,
        }
    };
}
pub(super) use in_dimension;

/// An interval of time.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct carom_interval {
    /// Where it begins, in seconds.
    pub first: f64,
    /// Where it ends, in seconds.
    pub last: f64,
}

/// Bits to be read, 64 per entry.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_bit_view {
    /// The first entry; bit k is `data[k / 64] >> (k % 64) & 1`. NULL if there are none.
    pub data: *const u64,
    /// Number of entries.
    pub length: usize,
}

/// Indices to be read.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_index_view {
    /// The first entry. NULL if there are none.
    pub data: *const u32,
    /// Number of entries.
    pub length: usize,
}

/// Pairs of frames to be read.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_pair_view {
    /// The first entry. NULL if there are none.
    pub data: *const carom_frame_pair,
    /// Number of entries.
    pub length: usize,
}

/// Intervals of time to be read.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_interval_view {
    /// The first entry. NULL if there are none.
    pub data: *const carom_interval,
    /// Number of entries.
    pub length: usize,
}

/// Boxes to be read.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_box_view {
    /// 2 * D numbers per box: its lower corner, then its upper corner. NULL if there are none.
    pub data: *const f64,
    /// Number of boxes.
    pub length: usize,
}

/// The first entry; null if there are none.
pub(super) fn first<T>(entries: &[T]) -> *const T {
    if entries.is_empty() { std::ptr::null() } else { entries.as_ptr() }
}

pub(super) fn pair_view(pairs: &[[u32; 2]]) -> carom_pair_view {
    carom_pair_view { data: first(pairs).cast(), length: pairs.len() }
}

fn box_view<const D: usize>(boxes: &[Aabb<D>]) -> carom_box_view {
    carom_box_view { data: first(boxes).cast(), length: boxes.len() }
}

/// Dimension D of the frames that can be tested.
///
/// \param dim Receives the dimension: 2 or 3.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_dim(
    found: *const carom_intersections,
    dim: *mut usize,
) -> carom_status {
    entry!(query(found, ("dim", dim), |_, found| Ok(found.dim())))
}

/// Number of pairs that the last test has tested; of those that a search has found by their boxes.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_tested(
    found: *const carom_intersections,
    count: *mut usize,
) -> carom_status {
    entry!(query(found, ("count", count), |_, found| Ok(
        in_dimension!(found, found => found.outcome.tested())
    )))
}

/// Number of pairs that intersect.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_hits(
    found: *const carom_intersections,
    count: *mut usize,
) -> carom_status {
    entry!(query(found, ("count", count), |_, found| Ok(in_dimension!(found, found => found.outcome.hits()))))
}

/// Number of pairs that floating point could not decide and exact arithmetic decided.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_redone(
    found: *const carom_intersections,
    count: *mut u64,
) -> carom_status {
    entry!(query(found, ("count", count), |_, found| Ok(
        in_dimension!(found, found => found.outcome.redone())
    )))
}

/// Number of hits whose times or boxes were computed again with more precision, to keep what is promised of them.
///
/// \param count Receives the number.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_bounds_redone(
    found: *const carom_intersections,
    count: *mut u64,
) -> carom_status {
    entry!(query(found, ("count", count), |_, found| Ok(
        in_dimension!(found, found => found.outcome.bounds_redone())
    )))
}

/// Shares one bit per pair that was tested: pair k intersects if bit k is set.
///
/// The pointer is valid until the next test or search or carom_intersections_destroy().
///
/// \param view Receives the bits; empty without CAROM_HIT_BITS.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_bits(
    found: *const carom_intersections,
    view: *mut carom_bit_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| {
        let bits = in_dimension!(found, found => found.outcome.bits());
        Ok(carom_bit_view { data: first(bits), length: bits.len() })
    }))
}

/// Shares the numbers of the pairs that intersect, ascending.
///
/// The pointer is valid as long as that of carom_intersections_bits().
///
/// \param view Receives the numbers, one per hit; empty if only CAROM_HIT_BITS, or nothing, is asked for.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_list(
    found: *const carom_intersections,
    view: *mut carom_index_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| {
        let list = in_dimension!(found, found => found.outcome.list());
        Ok(carom_index_view { data: first(list), length: list.len() })
    }))
}

/// Shares the indices of the frames that intersect, in the order of the list.
///
/// The pointer is valid as long as that of carom_intersections_bits().
///
/// \param view Receives the pairs, one per hit; empty without CAROM_HIT_PAIRS.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_pairs(
    found: *const carom_intersections,
    view: *mut carom_pair_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| Ok(pair_view(
        in_dimension!(found, found => &found.pairs)
    ))))
}

/// Shares the times of overlap, in the order of the list. They are exact within 1e-9 of the duration.
///
/// The pointer is valid as long as that of carom_intersections_bits().
///
/// \param view Receives the first and last time of overlap, one interval per hit, both 0 for frames at rest; empty
///             without CAROM_HIT_TIMES.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_times(
    found: *const carom_intersections,
    view: *mut carom_interval_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| {
        let times = in_dimension!(found, found => found.outcome.times());
        Ok(carom_interval_view { data: first(times).cast(), length: times.len() })
    }))
}

/// Shares the smallest boxes around the overlaps over all times, in the order of the list. They are exact within 1e-8 of
/// the largest component of both frames and a rounding of the coordinate.
///
/// The pointer is valid as long as that of carom_intersections_bits().
///
/// \param view Receives the boxes in metres, one per hit; empty without CAROM_HIT_BOXES.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_boxes(
    found: *const carom_intersections,
    view: *mut carom_box_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| {
        Ok(in_dimension!(found, found => box_view(found.outcome.boxes())))
    }))
}

/// Shares the smallest boxes around the overlaps over all times in the coordinates X of the second frame of the pair,
/// each from 0 to 1, in the order of the list. They are exact within 1e-8.
///
/// The pointer is valid as long as that of carom_intersections_bits().
///
/// \param view Receives the boxes, one per hit; empty without CAROM_HIT_LOCAL_BOXES.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_local_boxes(
    found: *const carom_intersections,
    view: *mut carom_box_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| {
        Ok(in_dimension!(found, found => box_view(found.outcome.local_boxes())))
    }))
}
