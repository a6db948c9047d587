//! Contacts of four pairs of frames at once.

use super::Contact;
use super::pair::{ContactNumbers, FrameNumbers, contact};
use crate::frames::lanes::{FrameLanes, Stored, StoredFrames};
use crate::frames::{Frame, FrameKind};
use crate::soa::block::{Doubles, Lanes};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// The contacts of four pairs of frames of the same kinds that are known to intersect.
#[derive(Clone, Copy)]
pub(super) struct ContactsOf<'a, const D: usize> {
    pub(super) a: &'a StoredFrames<D>,
    pub(super) b: &'a StoredFrames<D>,
    /// Whether the frames of A, and those of B, are tetrahedra.
    pub(super) are_tetrahedra: [bool; 2],
    /// In seconds; `None` if the frames rest.
    pub(super) duration: Option<f64>,
}

/// [`Contact`] of four pairs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContactLanes<const D: usize> {
    /// One bit for each lane that the careful twin must compute.
    pub(super) open: u32,
    normal: [Stored; D],
    depth: Stored,
    point: [Stored; D],
}

impl<const D: usize> Kernel for ContactsOf<'_, D> {
    type Output = ContactLanes<D>;

    #[inline(always)]
    fn run<S: Simd>(self) -> ContactLanes<D> {
        let Self { a, b, are_tetrahedra, duration } = self;
        let (a, b) = (numbers::<S::Block, D>(a), numbers::<S::Block, D>(b));
        let ContactNumbers { normal, depth, point, is_open } = contact(&a, &b, are_tetrahedra, duration);
        let mut lanes = ContactLanes {
            open: is_open.bits(),
            normal: [Stored::ZERO; D],
            depth: Stored::of(depth),
            point: [Stored::ZERO; D],
        };
        for axis in 0..D {
            lanes.normal[axis] = Stored::of(normal[axis]);
            lanes.point[axis] = Stored::of(point[axis]);
        }
        lanes
    }
}

#[inline(always)]
fn numbers<B: Doubles, const D: usize>(frames: &StoredFrames<D>) -> FrameNumbers<B, D> {
    let FrameLanes { origin, components, velocity, .. } = frames.load();
    FrameNumbers { origin, components, velocity }
}

impl<const D: usize> ContactLanes<D> {
    /// The contact of one lane.
    #[inline(always)]
    pub(super) fn lane(&self, lane: usize) -> Contact<D> {
        let mut contact = Contact { depth: self.depth.0[lane], ..Contact::NONE };
        for axis in 0..D {
            contact.normal[axis] = self.normal[axis].0[lane];
            contact.point[axis] = self.point[axis].0[lane];
        }
        contact
    }
}

/// The contact of one pair; `None` if the careful twin must compute it.
pub(super) fn contact_of_pair<const D: usize>(
    a: &Frame<D>,
    b: &Frame<D>,
    duration: Option<f64>,
) -> Option<Contact<D>> {
    level::run(ContactOfPair { a, b, duration })
}

struct ContactOfPair<'a, const D: usize> {
    a: &'a Frame<D>,
    b: &'a Frame<D>,
    duration: Option<f64>,
}

impl<const D: usize> Kernel for ContactOfPair<'_, D> {
    type Output = Option<Contact<D>>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Option<Contact<D>> {
        let Self { a, b, duration } = self;
        let are_tetrahedra = [a.kind == FrameKind::Tetrahedron, b.kind == FrameKind::Tetrahedron];
        let a = &StoredFrames::of(&FrameLanes::<D, S::Block>::of_one(a));
        let b = &StoredFrames::of(&FrameLanes::<D, S::Block>::of_one(b));
        let lanes = S::call(ContactsOf { a, b, are_tetrahedra, duration });
        (lanes.open & 1 == 0).then(|| lanes.lane(0))
    }
}
