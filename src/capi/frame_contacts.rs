//! How frames that intersect are in contact.

use super::failure::Result;
use super::frame_rows::{carom_frame, widened};
use super::frames::bad_dimension;
use super::guard::enter;
use super::handle::query;
use super::hits::{first, in_dimension};
use super::intersections::{AnyFound, carom_intersections, checked_pair};
use super::status::carom_status;
use crate::fmb::{self, Contact};

/// How two frames `a` and `b` that intersect are in contact: at rest, or at the first time of overlap if they move.
///
/// In 2D the third number of every vector is 0.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_frame_contact {
    /// Unit vector from `a` to `b`. Of frames that overlap at rest, or at time 0, the direction of the smallest translation
    /// of `b` that separates them; otherwise the normal at their first contact, along which they approach.
    pub normal: [f64; 3],
    /// How far that translation goes, in metres; never negative. 0 for frames that do not overlap at time 0.
    pub depth: f64,
    /// A point of both frames, in metres: in the middle of where they overlap or touch.
    pub point: [f64; 3],
}

impl<const D: usize> From<Contact<D>> for carom_frame_contact {
    fn from(Contact { normal, depth, point }: Contact<D>) -> Self {
        Self { normal: widened(&normal), depth, point: widened(&point) }
    }
}

/// Contacts of frames to be read.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct carom_normal_view {
    /// 2 * D + 1 numbers per contact: the D of its normal, its depth, and the D of its point, as in carom_frame_contact.
    /// NULL if there are none.
    pub data: *const f64,
    /// Number of contacts.
    pub length: usize,
}

fn normal_view<const D: usize>(contacts: &[Contact<D>]) -> carom_normal_view {
    const { assert!(size_of::<Contact<D>>() == (2 * D + 1) * size_of::<f64>()) };
    carom_normal_view { data: first(contacts).cast(), length: contacts.len() }
}

/// Shares the normals, depths and points of contact, in the order of the list. A normal points from the first frame of the
/// pair to the second.
///
/// If the second frame is moved along the normal by the depth and some roundings of the sizes and the distance of the
/// frames, they do not intersect any more.
///
/// The pointer is valid as long as that of carom_intersections_bits().
///
/// \param view Receives the contacts, one per hit; empty without CAROM_HIT_NORMALS.
/// \return CAROM_OK.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_intersections_normals(
    found: *const carom_intersections,
    view: *mut carom_normal_view,
) -> carom_status {
    entry!(query(found, ("view", view), |_, found| {
        Ok(in_dimension!(found, found => normal_view(found.outcome.normals())))
    }))
}

/// Whether two frames intersect, and how they are in contact then, without a set. For many use
/// carom_intersections_normals().
///
/// \param dim      Dimension D of the space: 2 or 3.
/// \param a        One frame; frame 0 in errors.
/// \param b        The other; frame 1 in errors.
/// \param duration How long they move, in seconds, counted from time 0. NULL, or 0: they rest.
/// \param hit      Receives 1 if they intersect, otherwise 0.
/// \param contact  Receives how they are in contact; left as it is if they do not intersect.
/// \return As carom_frame_intersects().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn carom_frame_find_contact(
    dim: usize,
    a: *const carom_frame,
    b: *const carom_frame,
    duration: *const f64,
    hit: *mut i32,
    contact: *mut carom_frame_contact,
) -> carom_status {
    entry!(enter(|caller| {
        let (hit, place) = (caller.out("hit", hit)?, caller.out("contact", contact)?);
        let pair = [caller.object("a", a)?, caller.object("b", b)?];
        let duration = caller.duration(duration)?;
        let found = match dim {
            2 => find::<2>(pair, duration)?,
            3 => find::<3>(pair, duration)?,
            _ => return Err(bad_dimension(dim).into()),
        };
        hit.set(found.is_some().into());
        if let Some(found) = found {
            place.set(found);
        }
        Ok(())
    }))
}

fn find<const D: usize>(
    pair: [&carom_frame; 2],
    duration: Option<f64>,
) -> Result<Option<carom_frame_contact>> {
    let [a, b] = checked_pair::<D>(pair, duration)?;
    let hit = fmb::intersects(&a, &b, duration);
    Ok(hit.then(|| fmb::contact(&a, &b, duration).into()))
}
