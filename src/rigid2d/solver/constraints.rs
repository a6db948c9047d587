//! Contacts as the solver sees them: blocks of records in the order of colours.

use crate::error::Result;
use crate::soa::Column;
use crate::soa::block::Real;

/// Separation of a point that is absent, in metres: so far away that it never takes part.
pub(crate) const ABSENT: f64 = 1e6;

/// Fields of a record that all groups have, in this order: the normal, the impulse and the lever arm of friction, the
/// coefficient of friction, the velocity of the surface and the inverse of the tangential mass.
pub(crate) mod field {
    pub(crate) const NORMAL_X: usize = 0;
    pub(crate) const NORMAL_Y: usize = 1;
    /// Coefficient of friction.
    pub(crate) const FRICTION: usize = 2;
    /// Velocity along the tangent that friction aims at, in metres per second.
    pub(crate) const SURFACE: usize = 3;
    /// Effective mass along the tangent, in kilograms.
    pub(crate) const TANGENT_MASS: usize = 4;
    /// Impulse along the tangent in a substep, in newton seconds.
    pub(crate) const TANGENT_IMPULSE: usize = 5;
    /// Lever arm of the tangent at the second body, in metres.
    pub(crate) const TANGENT_ARM: usize = 6;
    /// The first point: separation in metres, impulse in newton seconds, lever arm of the normal at the second body.
    pub(crate) const POINT: [usize; 2] = [7, 10];
    pub(crate) const SEPARATION: usize = 0;
    pub(crate) const IMPULSE: usize = 1;
    pub(crate) const ARM: usize = 2;
    /// Where what belongs to the first body starts: of moving ones the lever arms of the tangent and of the normal of each
    /// point; of fixed ones the velocities of the points along the normal.
    pub(crate) const FIRST: [usize; 2] = [10, 13];
}

/// Contacts that are solved by one kernel: with one or two points, between two bodies that move or with one that does
/// not.
#[derive(Debug, Clone)]
pub(crate) struct Group<R: Real> {
    /// Rows of the first bodies, in whole blocks.
    pub(crate) first: Column<u32>,
    /// Rows of the second bodies, in whole blocks.
    pub(crate) second: Column<u32>,
    /// Slots of the pairs, in whole blocks.
    pub(crate) slots: Column<u32>,
    /// 1 where the bodies have changed places, so that the one that no impulse moves is the first; otherwise 0.
    pub(crate) turned: Column<R>,
    /// 1 where the points are those of an impact, which are together only when it comes; otherwise 0.
    pub(crate) impact: Column<R>,
    /// How much the contacts give way, as a share of what contacts of large bodies do.
    pub(crate) give: Column<R>,
    /// Blocks of records: of each field a block.
    pub(crate) records: Column<R>,
}

/// Numbers of a record of a group.
pub(crate) const fn record_size(points: usize, moves: bool) -> usize {
    field::FIRST[points - 1] + if moves { 1 + points } else { points }
}

impl<R: Real> Group<R> {
    pub(crate) fn new() -> Self {
        let zeros = || Column::new(R::nearest(0.0));
        let [first, second, slots] = [(); 3].map(|()| Column::new(0));
        Self { first, second, slots, turned: zeros(), impact: zeros(), give: zeros(), records: zeros() }
    }

    /// Makes room for this many blocks.
    pub(crate) fn resize(&mut self, blocks: usize) -> Result<()> {
        self.first.resize(blocks * R::COUNT, 0)?;
        self.second.resize(blocks * R::COUNT, 0)?;
        self.slots.resize(blocks * R::COUNT, 0)?;
        self.turned.resize(blocks * R::COUNT, R::nearest(0.0))?;
        self.impact.resize(blocks * R::COUNT, R::nearest(0.0))?;
        self.give.resize(blocks * R::COUNT, R::nearest(0.0))
    }

    /// Makes room for the records of all blocks.
    pub(crate) fn fit_records(&mut self, record_size: usize) -> Result<()> {
        self.records.resize(self.first.len() * record_size, R::nearest(0.0))
    }

    /// Bytes of memory held.
    fn memory_bytes(&self) -> usize {
        let rows = [&self.first, &self.second, &self.slots].map(Column::memory_bytes);
        rows.iter().sum::<usize>()
            + self.turned.memory_bytes()
            + self.impact.memory_bytes()
            + self.give.memory_bytes()
            + self.records.memory_bytes()
    }

    /// Number of blocks.
    pub(crate) fn blocks(&self) -> usize {
        self.first.len() / R::COUNT
    }
}

/// All contacts of a step, by the number of points and by whether both bodies move, in the order in which they are solved:
/// of two moving bodies with two points and with one, then against a body that no impulse moves.
#[derive(Debug, Clone)]
pub(crate) struct Constraints<R: Real> {
    pub(crate) groups: [Group<R>; GROUPS],
}

/// Groups of contacts, each with its own kernel and its own colours.
pub(crate) const GROUPS: usize = 4;

/// Points of the contacts of a group.
pub(crate) const fn points_of(group: usize) -> usize {
    2 - group % 2
}

/// Whether impulses move both bodies of the contacts of a group.
pub(crate) const fn both_move(group: usize) -> bool {
    group < 2
}

/// Numbers of a record of a group.
pub(crate) const fn size_of_group(group: usize) -> usize {
    record_size(points_of(group), both_move(group))
}

impl<R: Real> Constraints<R> {
    pub(crate) fn new() -> Self {
        Self { groups: [(); GROUPS].map(|()| Group::new()) }
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.groups.iter().map(Group::memory_bytes).sum()
    }
}
