//! Frames in the caller's memory, on their way into a set.

use std::ops::Range;

use super::failure::{Failure, Result};
use super::frame_rows::{carom_frame, carom_frame_kind, frame_kind};
use super::memory::{Caller, Rows};
use super::numbers::Numbers;
use crate::frames::source::FrameSource;
use crate::frames::{Frame, FrameField, FrameKind, Frames};
use crate::soa::memory;

/// One number of each frame: where it is, and which entry there.
#[derive(Clone, Copy)]
pub(super) struct Place(pub(super) Numbers, pub(super) usize);

/// The kinds of frames.
pub(super) enum Kinds {
    /// All of the same kind.
    Same(FrameKind),
    /// A byte each.
    Bytes(Rows<u8>),
    /// A word each.
    Words(Rows<u32>),
    /// A word each, and a second one that is 0.
    Reserved(Rows<u32>),
}

/// Frames in the caller's memory: where each of their numbers is. Numbers that are nowhere are 0.
pub(super) struct CallerFrames<const D: usize> {
    pub(super) count: usize,
    pub(super) kinds: Kinds,
    pub(super) origin: [Option<Place>; D],
    pub(super) components: [[Option<Place>; D]; D],
    pub(super) velocity: [Option<Place>; D],
}

/// A vector whose numbers follow each other.
pub(super) fn vector<const D: usize>(numbers: Option<Numbers>) -> [Option<Place>; D] {
    std::array::from_fn(|axis| numbers.map(|numbers| Place(numbers, axis)))
}

impl<const D: usize> CallerFrames<D> {
    /// An array of frames, or of structures that begin with one.
    pub(super) fn of_structs(
        caller: &Caller,
        argument: &'static str,
        (values, stride): (*const carom_frame, usize),
        count: usize,
    ) -> Result<Self> {
        let stride = if stride == 0 { size_of::<carom_frame>() } else { stride };
        // Checks the pointer, the stride and the size for all of the rest.
        caller.rows(argument, values, stride, 1, count)?;
        let field = |offset: usize| values.wrapping_byte_add(offset).cast::<f64>();
        let rows = |offset| {
            Ok::<_, Failure>(Some(Numbers::Double(caller.rows(argument, field(offset), stride, 3, count)?)))
        };
        let component =
            |i: usize| rows(std::mem::offset_of!(carom_frame, components) + i * size_of::<[f64; 3]>());
        let mut components = [[None; D]; D];
        for (i, component_places) in components.iter_mut().enumerate() {
            *component_places = vector(component(i)?);
        }
        Ok(Self {
            count,
            kinds: Kinds::Reserved(caller.rows(argument, values.cast(), stride, 2, count)?),
            origin: vector(rows(std::mem::offset_of!(carom_frame, origin))?),
            components,
            velocity: vector(rows(std::mem::offset_of!(carom_frame, velocity))?),
        })
    }

    /// Adds the frames to a set and returns the index of the first.
    pub(super) fn add_to(&self, frames: &mut Frames<D>) -> Result<usize> {
        if self.places().any(|place| frames.holds(&place.0.addresses())) {
            // The columns may move: the frames are copied first.
            return Ok(frames.add_many(&self.to_frames()?)?.start);
        }
        Ok(frames.add_from(self, 0)?.start)
    }

    fn places(&self) -> impl Iterator<Item = &Place> {
        self.origin.iter().chain(self.components.as_flattened()).chain(&self.velocity).flatten()
    }

    fn to_frames(&self) -> Result<Vec<Frame<D>>> {
        let number = |field, axis, row| {
            let mut number = [0.0];
            self.copy_numbers(field, axis, row, &mut number);
            number[0]
        };
        let frame = |row: usize| -> Result<Frame<D>> {
            let vector = |field| std::array::from_fn(|axis| number(field, axis, row));
            let mut kind = [0];
            self.copy_kinds(row, &mut kind)?;
            Ok(Frame {
                kind: frame_kind(kind[0].into())?,
                origin: vector(FrameField::Origin),
                components: std::array::from_fn(|i| vector(FrameField::Component(i))),
                velocity: vector(FrameField::Velocity),
            })
        };
        let mut frames = Vec::new();
        memory::reserve(&mut frames, self.count)?;
        for row in 0..self.count {
            frames.push(frame(row)?);
        }
        Ok(frames)
    }

    fn place(&self, field: FrameField, axis: usize) -> Option<Place> {
        match field {
            FrameField::Origin => self.origin[axis],
            FrameField::Component(i) => self.components[i][axis],
            FrameField::Velocity => self.velocity[axis],
        }
    }
}

impl<const D: usize> FrameSource<D> for CallerFrames<D> {
    type Error = Failure;

    fn len(&self) -> usize {
        self.count
    }

    fn copy_kinds(&self, first: usize, kinds: &mut [u8]) -> Result<()> {
        let rows = first..first + kinds.len();
        match &self.kinds {
            Kinds::Same(kind) => {
                kinds.fill(*kind as u8);
                Ok(())
            }
            Kinds::Bytes(codes) => copy_known(codes, rows, kinds),
            Kinds::Words(codes) => copy_known(codes, rows, kinds),
            Kinds::Reserved(codes) => {
                if !codes.all(1, rows.clone(), |reserved| reserved == 0) {
                    let value = codes.first(1, rows, |reserved| reserved != 0).map_or(0, u64::from);
                    return Err(Failure::UnknownValue { argument: "reserved", value });
                }
                copy_known(codes, rows, kinds)
            }
        }
    }

    fn copy_numbers(&self, field: FrameField, axis: usize, first: usize, numbers: &mut [f64]) {
        match self.place(field, axis) {
            Some(Place(rows, k)) => rows.copy(k, first, numbers),
            None => numbers.fill(0.0),
        }
    }

    fn are_at_rest(&self, first: usize, count: usize) -> bool {
        self.velocity.iter().flatten().all(|Place(rows, k)| rows.are_zero(*k, first, count))
    }
}

/// Copies codes of kinds, all of which must be known.
fn copy_known<T>(codes: &Rows<T>, rows: Range<usize>, kinds: &mut [u8]) -> Result<()>
where
    T: super::memory::Plain + Into<carom_frame_kind>,
{
    let is_known = |code: T| code.into() <= FrameKind::Tetrahedron as u32;
    if let Some(unknown) = codes.first(0, rows.clone(), |code| !is_known(code)) {
        frame_kind(unknown.into())?;
    }
    for (kind, row) in kinds.iter_mut().zip(rows) {
        *kind = codes.at(row, 0).into() as u8;
    }
    Ok(())
}
