//! Pairs of shapes whose boxes touch, in stable slots.

use super::contacts::KEPT;
use super::growth::{reserve_row, reserve_rows};
use super::lookup::Lookup;
use crate::error::{Error, Result};
use crate::rigid2d::solver::constraints::ABSENT;
use crate::soa::Column;
use crate::soa::block::Real;

/// What is kept per pair besides its numbers: one cache line.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(align(64))]
pub(crate) struct Pair {
    /// Rows of the shapes, in the order in which the narrow phase takes them.
    pub(crate) shapes: [u32; 2],
    /// Rows of their bodies.
    pub(crate) bodies: [u32; 2],
    /// Numbers of their outlines, or of the circles that they are; 0 if they have none.
    pub(crate) outlines: [u32; 2],
    /// How far apart the shapes may be to have a manifold, in metres.
    pub(crate) margin: f32,
    /// Displacement of one body relative to the other up to which a manifold with points is kept, in metres.
    pub(crate) kept: f32,
    /// Displacement of one body relative to the other up to which the manifold that there is now is kept, in metres; negative if
    /// it is made anew in every step.
    pub(crate) limit: f32,
    /// Distance of the farthest vertex of the second shape from the centre of mass of its body, in metres.
    pub(crate) swing: f32,
    /// Coefficient of restitution: 0 if it does not bounce.
    pub(crate) restitution: f64,
    /// Features of both points, 16 bits each.
    pub(crate) ids: u32,
    /// Place in the list of its colour, of an active pair.
    pub(crate) place: u32,
    /// Which narrow phase.
    pub(crate) class: Class,
    /// Number of points of the manifold.
    pub(crate) count: u8,
    /// Of an active pair.
    pub(crate) colour: u8,
    /// Bits of [`flag`].
    pub(crate) flags: u16,
}

impl Pair {
    /// How much the contact gives way, as a share of what contacts of large bodies do. A spring of a given frequency gives
    /// way by a length, gravity over the square of its angular frequency: that of small bodies has to be a share of their size.
    pub(crate) fn give(&self) -> f64 {
        f64::from(self.kept) / KEPT
    }
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
    /// One of the shapes is a segment with neighbours, whose normals it must not have.
    pub(crate) const CHAIN: u16 = 512;
    /// The points are those of an impact in this step, which are together only when it comes.
    pub(crate) const IMPACT: u16 = 1024;
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

    /// Whether the first and the second shape are circles. Shapes of the last class have no numbers of outlines.
    pub(crate) fn is_round(self) -> [bool; 2] {
        match self {
            Self::Circles => [true, true],
            Self::CircleFour | Self::CircleEight => [true, false],
            Self::Fours | Self::Eights | Self::General => [false, false],
        }
    }

    /// Whether it takes less time to make a manifold anew than to find out that it can be kept.
    pub(crate) fn is_quick(self) -> bool {
        self == Self::Circles
    }
}

/// Rows of four numbers per pair.
pub(crate) mod row {
    /// `[normal x, normal y, impulse of point 1, impulse of point 2]`, the normal in the coordinates of the first body.
    pub(crate) const NORMAL: usize = 0;
    /// `[coefficient of friction, impulse along the tangent, of both points what is added to the separation]`: an absent point is
    /// far away.
    pub(crate) const TRAITS: usize = 1;
    /// Points `[on the first body, on the second body]`, each in the coordinates of its body. One that is absent is the
    /// same as the other.
    pub(crate) const POINT: [usize; 2] = [2, 3];
    /// Number of rows.
    pub(crate) const COUNT: usize = 4;
}

/// Heads, rows of four numbers and poses.
type Parts<'a, R> = (&'a mut [Pair], &'a mut [[R; 4]], &'a mut [[R; 4]]);

/// The slot that unused lanes refer to.
pub(crate) const NO_PAIR: u32 = 0;

/// Slots of pairs.
#[derive(Debug, Clone)]
pub(crate) struct Pairs<R: Real> {
    pub(crate) heads: Vec<Pair>,
    /// Shapes per slot in rising order, once more, to be read one after the other; of a free slot a shape with itself.
    keys: Vec<[u32; 2]>,
    /// [`row::COUNT`] rows of four numbers per slot.
    numbers: Column<R>,
    /// Per slot `[x, y, cos, sin]`: the pose of the second body in the coordinates of the first when the manifold was made.
    poses: Column<R>,
    /// Slots by class, in rising order, unless pairs have come or gone since they were listed.
    pub(crate) lists: [Vec<u32>; Class::ALL.len()],
    is_listed: bool,
    /// Number of pairs that bounce.
    pub(crate) elastic: usize,
    free: Vec<u32>,
    lookup: Lookup,
}

impl<R: Real> Pairs<R> {
    pub(crate) fn new() -> Self {
        Self {
            heads: Vec::new(),
            keys: Vec::new(),
            numbers: Column::new(R::nearest(0.0)),
            poses: Column::new(R::nearest(0.0)),
            lists: Default::default(),
            is_listed: false,
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

    /// Per slot the pose of the second body in the coordinates of the first when the manifold was made.
    #[inline(always)]
    pub(crate) fn poses(&self) -> &[[R; 4]] {
        self.poses.as_slice().as_chunks().0
    }

    /// The same, writable.
    pub(crate) fn poses_mut(&mut self) -> &mut [[R; 4]] {
        self.poses.as_mut_slice().as_chunks_mut().0
    }

    /// Heads, rows of four numbers and poses, writable.
    #[inline(always)]
    pub(crate) fn parts_mut(&mut self) -> Parts<'_, R> {
        let Self { heads, numbers, poses, .. } = self;
        (heads, numbers.as_mut_slice().as_chunks_mut().0, poses.as_mut_slice().as_chunks_mut().0)
    }

    /// Lists the slots by class.
    pub(crate) fn update_lists(&mut self) -> Result<()> {
        if self.is_listed {
            return Ok(());
        }
        let mut counts = [0; Class::ALL.len()];
        let is_alive = |head: &&Pair| head.flags & flag::ALIVE != 0;
        self.heads.iter().filter(is_alive).for_each(|head| counts[head.class as usize] += 1);
        for (list, count) in self.lists.iter_mut().zip(counts) {
            list.clear();
            reserve_rows(list, count)?;
        }
        for (slot, head) in self.heads.iter().enumerate() {
            if head.flags & flag::ALIVE != 0 {
                self.lists[head.class as usize].push(slot as u32);
            }
        }
        self.is_listed = true;
        Ok(())
    }

    /// The key of a pair: its shapes in rising order.
    pub(crate) fn key(&self, slot: u32) -> [u32; 2] {
        rising(self.heads[slot as usize].shapes)
    }

    /// Shapes per slot in rising order; of a free slot a shape with itself.
    pub(crate) fn keys(&self) -> &[[u32; 2]] {
        &self.keys
    }

    /// The slot of two shapes.
    pub(crate) fn find(&self, shapes: [u32; 2]) -> Option<u32> {
        self.lookup.get(rising(shapes), &self.keys)
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
        self.lookup.insert(rising(pair.shapes), slot, &self.keys)?;
        self.free.pop();
        let at = slot as usize;
        self.heads[at] = Pair { flags: pair.flags | flag::ALIVE, ..pair };
        self.is_listed = false;
        self.keys[at] = rising(pair.shapes);
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
        self.poses_mut()[at] = [zero; 4];
    }

    /// Takes the manifold of a slot away.
    pub(crate) fn clear_manifold(&mut self, at: usize) {
        let (zero, absent) = (R::nearest(0.0), R::nearest(ABSENT));
        let rows = &mut self.rows_mut()[row::COUNT * at..row::COUNT * (at + 1)];
        let [friction, ..] = rows[row::TRAITS];
        rows.fill([zero; 4]);
        rows[row::TRAITS] = [friction, zero, absent, absent];
        (self.heads[at].count, self.heads[at].ids) = (0, 0);
    }

    /// Removes a pair.
    pub(crate) fn remove(&mut self, slot: u32) {
        let head = &mut self.heads[slot as usize];
        head.flags = 0;
        let Pair { shapes, restitution, .. } = *head;
        self.elastic -= usize::from(restitution > 0.0);
        self.is_listed = false;
        self.lookup.remove(rising(shapes), &self.keys);
        self.keys[slot as usize] = [0; 2];
        // There is room for all slots.
        self.free.push(slot);
    }

    /// Appends a free slot, which is the next to be used.
    fn append(&mut self) -> Result<u32> {
        let slots = self.heads.len();
        let bytes = size_of::<Pair>() * (slots + 1);
        let slot = u32::try_from(slots).map_err(|_| Error::OutOfMemory { bytes })?;
        reserve_row(&mut self.heads)?;
        reserve_row(&mut self.keys)?;
        reserve_rows(&mut self.free, slots + 1)?;
        let zero = R::nearest(0.0);
        self.numbers.resize(4 * row::COUNT * (slots + 1), zero)?;
        self.poses.resize(4 * (slots + 1), zero)?;
        self.keys.push([0; 2]);
        self.heads.push(UNUSED);
        self.free.push(slot);
        Ok(slot)
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.heads.capacity() * size_of::<Pair>()
            + self.keys.capacity() * size_of::<[u32; 2]>()
            + self.numbers.memory_bytes()
            + self.poses.memory_bytes()
            + self.lists.iter().map(Vec::capacity).sum::<usize>() * 4
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
    limit: -1.0,
    swing: 0.0,
    restitution: 0.0,
    ids: 0,
    place: 0,
    class: Class::General,
    count: 0,
    colour: 0,
    flags: 0,
};

fn rising([a, b]: [u32; 2]) -> [u32; 2] {
    [a.min(b), a.max(b)]
}
