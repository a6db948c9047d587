//! Pairs of shapes whose boxes touch, in stable slots.

use super::lookup::Lookup;
use crate::error::{Error, Result};
use crate::rigid2d::solver::constraints::ABSENT;
use crate::soa::Column;
use crate::soa::block::Real;

/// What is kept per pair besides its numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pair {
    /// Rows of the shapes, in the order in which the narrow phase takes them.
    pub(crate) shapes: [u32; 2],
    /// Rows of their bodies.
    pub(crate) bodies: [u32; 2],
    /// Numbers of their outlines; 0 if they have none.
    pub(crate) outlines: [u32; 2],
    /// How far apart the shapes may be to have a manifold, in metres.
    pub(crate) margin: f32,
    /// Displacement of one body relative to the other up to which a manifold with points is kept, in metres.
    pub(crate) kept: f32,
    /// Coefficient of restitution: 0 if it does not bounce.
    pub(crate) restitution: f64,
    /// Features of both points, 16 bits each.
    pub(crate) ids: u32,
    /// Place in the list of its colour, of an active pair.
    pub(crate) place: u32,
    /// Place in the list of its class.
    pub(crate) listed: u32,
    /// Which narrow phase.
    pub(crate) class: Class,
    /// Number of points of the manifold.
    pub(crate) count: u8,
    /// Of an active pair.
    pub(crate) colour: u8,
    /// Bits of [`flag`].
    pub(crate) flags: u16,
}

/// Bits of a pair.
pub(crate) mod flag {
    /// The shapes touch or will do so in this step: the pair is in the solver, or a sensor has detected something.
    pub(crate) const ACTIVE: u16 = 1;
    /// No impulse moves the first body.
    pub(crate) const FIXED_FIRST: u16 = 2;
    /// No impulse moves the second body.
    pub(crate) const FIXED_SECOND: u16 = 4;
    /// One of the shapes is a sensor.
    pub(crate) const SENSOR: u16 = 8;
    /// A handler has told to ignore the contact until the shapes separate.
    pub(crate) const IGNORED: u16 = 16;
    /// A handler sees the pair in every step.
    pub(crate) const WATCHED: u16 = 32;
    /// It is in the solver, in the list of its colour.
    pub(crate) const SOLVED: u16 = 64;
    /// The slot is used.
    pub(crate) const ALIVE: u16 = 128;
    /// One of the surfaces moves.
    pub(crate) const SURFACE: u16 = 256;
}

/// Which narrow phase a pair takes, by the number of vertices. The order within a pair is that of the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Two circles.
    Circles = 0,
    /// A circle and a polygon with at most 4 vertices, or a segment.
    CircleFour = 1,
    /// A circle and a polygon with at most 8 vertices.
    CircleEight = 2,
    /// Two polygons with at most 4 vertices.
    Fours = 3,
    /// Two polygons with at most 8 vertices.
    Eights = 4,
    /// Anything else.
    General = 5,
}

impl Class {
    /// All classes, in the order of their numbers.
    pub(crate) const ALL: [Self; 6] =
        [Self::Circles, Self::CircleFour, Self::CircleEight, Self::Fours, Self::Eights, Self::General];

    /// The class of shapes with these numbers of vertices, and whether they change places.
    pub(crate) fn of(first: usize, second: usize) -> (Self, bool) {
        match (first, second) {
            (1, 1) => (Self::Circles, false),
            (1, ..=4) => (Self::CircleFour, false),
            (1, ..=8) => (Self::CircleEight, false),
            (..=8, 1) => (Self::of(second, first).0, true),
            (..=4, ..=4) => (Self::Fours, false),
            (..=8, ..=8) => (Self::Eights, false),
            _ => (Self::General, false),
        }
    }

    /// Whether there is never more than one point.
    pub(crate) fn has_one_point(self) -> bool {
        matches!(self, Self::Circles | Self::CircleFour | Self::CircleEight)
    }

    /// Whether the manifold is kept while the shapes hardly move; it is cheaper to compute that of a circle again.
    pub(crate) fn is_recycled(self) -> bool {
        !self.has_one_point()
    }
}

/// Rows of four numbers per pair.
pub(crate) mod row {
    /// `[normal x, normal y, impulse of point 1, impulse of point 2]`, the normal in the coordinates of the first body.
    pub(crate) const NORMAL: usize = 0;
    /// `[coefficient of friction, impulse along the tangent, of both points what makes an absent one far away]`.
    pub(crate) const TRAITS: usize = 1;
    /// Points `[on the first body, on the second body]`, each in the coordinates of its body. One that is absent is the
    /// same as the other.
    pub(crate) const POINT: [usize; 2] = [2, 3];
    /// The pose of the second body in the coordinates of the first when the manifold was made.
    pub(crate) const POSE: usize = 4;
    /// Number of rows.
    pub(crate) const COUNT: usize = 5;
}

/// The slot that unused lanes refer to.
pub(crate) const NO_PAIR: u32 = 0;

/// Slots of pairs.
#[derive(Debug, Clone)]
pub(crate) struct Pairs<R: Real> {
    pub(crate) heads: Vec<Pair>,
    /// [`row::COUNT`] rows of four numbers per slot.
    numbers: Column<R>,
    /// Square of the displacement up to which the manifold is kept, per slot and in whole blocks; negative if it is not.
    pub(crate) kept: Column<R>,
    /// Slots by class.
    pub(crate) lists: [Vec<u32>; Class::ALL.len()],
    /// Number of pairs that bounce.
    pub(crate) elastic: usize,
    free: Vec<u32>,
    lookup: Lookup,
}

impl<R: Real> Pairs<R> {
    pub(crate) fn new() -> Self {
        Self {
            heads: Vec::new(),
            numbers: Column::new(R::nearest(0.0)),
            kept: Column::new(R::nearest(-1.0)),
            lists: Default::default(),
            elastic: 0,
            free: Vec::new(),
            lookup: Lookup::default(),
        }
    }

    /// Number of slots, free ones included.
    pub(crate) fn slots(&self) -> usize {
        self.heads.len()
    }

    /// Rows of four numbers.
    #[inline(always)]
    pub(crate) fn rows(&self) -> &[[R; 4]] {
        self.numbers.as_slice().as_chunks().0
    }

    /// Rows of four numbers, writable.
    #[inline(always)]
    pub(crate) fn rows_mut(&mut self) -> &mut [[R; 4]] {
        self.numbers.as_mut_slice().as_chunks_mut().0
    }

    /// The key of a pair: its shapes in rising order.
    pub(crate) fn key(&self, slot: u32) -> [u32; 2] {
        rising(self.heads[slot as usize].shapes)
    }

    /// The slot of two shapes.
    pub(crate) fn find(&self, shapes: [u32; 2]) -> Option<u32> {
        self.lookup.get(rising(shapes))
    }

    /// Adds a pair and returns its slot.
    pub(crate) fn insert(&mut self, pair: Pair) -> Result<u32> {
        if self.heads.is_empty() {
            self.append()?;
            self.free.pop();
            self.clear(NO_PAIR as usize);
        }
        let slot = match self.free.last() {
            Some(&slot) => slot,
            None => self.append()?,
        };
        let list = &mut self.lists[pair.class as usize];
        list.try_reserve(1).map_err(|_| Error::OutOfMemory { bytes: 4 * list.len() })?;
        self.lookup.insert(rising(pair.shapes), slot)?;
        self.free.pop();
        let at = slot as usize;
        let list = &mut self.lists[pair.class as usize];
        self.heads[at] = Pair { flags: pair.flags | flag::ALIVE, listed: list.len() as u32, ..pair };
        list.push(slot);
        self.elastic += usize::from(pair.restitution > 0.0);
        self.clear(at);
        Ok(slot)
    }

    /// Sets the numbers of a slot to those of no contact.
    fn clear(&mut self, at: usize) {
        let zero = R::nearest(0.0);
        let rows = &mut self.rows_mut()[row::COUNT * at..row::COUNT * (at + 1)];
        rows.fill([zero; 4]);
        rows[row::TRAITS] = [zero, zero, R::nearest(ABSENT), R::nearest(ABSENT)];
        self.kept.as_mut_slice()[at] = R::nearest(-1.0);
    }

    /// Removes a pair.
    pub(crate) fn remove(&mut self, slot: u32) {
        let head = &mut self.heads[slot as usize];
        head.flags = 0;
        let Pair { shapes, class, listed, restitution, .. } = *head;
        self.elastic -= usize::from(restitution > 0.0);
        let list = &mut self.lists[class as usize];
        list.swap_remove(listed as usize);
        if let Some(&moved) = list.get(listed as usize) {
            self.heads[moved as usize].listed = listed;
        }
        self.kept.as_mut_slice()[slot as usize] = R::nearest(-1.0);
        self.lookup.remove(rising(shapes));
        // There is room for all slots.
        self.free.push(slot);
    }

    /// Appends a free slot, which is the next to be used.
    fn append(&mut self) -> Result<u32> {
        let slots = self.heads.len();
        let bytes = size_of::<Pair>() * (slots + 1);
        let slot = u32::try_from(slots).map_err(|_| Error::OutOfMemory { bytes })?;
        self.heads.try_reserve(1).map_err(|_| Error::OutOfMemory { bytes })?;
        self.free.try_reserve(slots + 1 - self.free.len()).map_err(|_| Error::OutOfMemory { bytes })?;
        let zero = R::nearest(0.0);
        self.numbers.resize(4 * row::COUNT * (slots + 1), zero)?;
        self.kept.resize(slots + 1, R::nearest(-1.0))?;
        self.heads.push(UNUSED);
        self.free.push(slot);
        Ok(slot)
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Pair>()
            + self.numbers.memory_bytes()
            + self.kept.memory_bytes()
            + self.free.capacity() * 4
            + self.lookup.memory_bytes()
    }
}

const UNUSED: Pair = Pair {
    shapes: [0; 2],
    bodies: [0; 2],
    outlines: [0; 2],
    margin: 0.0,
    kept: 0.0,
    restitution: 0.0,
    ids: 0,
    place: 0,
    listed: 0,
    class: Class::General,
    count: 0,
    colour: 0,
    flags: 0,
};

fn rising([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
