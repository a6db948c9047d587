//! The plan of a particle: its next predicted event.

/// The next event of a particle. Each particle has one plan at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// Time of the event, in seconds of the epoch; infinite if there is none.
    pub due: f64,
    /// Time of the contact with the target. If it is later than `due` the event is a neighbour update before the contact.
    pub time: f64,
    /// The particle or wall of the contact.
    pub target: Target,
    /// [`event_count`](crate::events::state::flight_state::FlightState::event_count) of the target for which this holds.
    pub target_events: u32,
}

/// The row of a particle, or one of a few numbers above all rows for walls and neighbour updates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Target(u32);

/// What a [`Target`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TargetKind {
    /// The row of a particle.
    Ball(usize),
    /// A face of the box.
    Wall(usize),
    /// No contact: the neighbours of the particle must be found again.
    NeighbourUpdate,
}

const FIRST_WALL: u32 = u32::MAX - 8;
const NEIGHBOUR_UPDATE: u32 = u32::MAX;

/// Rows are below this number.
pub(crate) const MOST_ROWS: usize = FIRST_WALL as usize;

impl Target {
    pub(crate) const NEIGHBOUR_UPDATE: Self = Self(NEIGHBOUR_UPDATE);

    #[inline(always)]
    pub(crate) fn ball(row: usize) -> Self {
        Self(row as u32)
    }

    pub(crate) fn wall(face: usize) -> Self {
        Self(FIRST_WALL + face as u32)
    }

    #[inline(always)]
    pub(crate) fn kind(self) -> TargetKind {
        match self.0 {
            NEIGHBOUR_UPDATE => TargetKind::NeighbourUpdate,
            wall if wall >= FIRST_WALL => TargetKind::Wall((wall - FIRST_WALL) as usize),
            row => TargetKind::Ball(row as usize),
        }
    }

    /// The row, if it is a particle.
    #[inline(always)]
    pub(crate) fn row(self) -> Option<usize> {
        (self.0 < FIRST_WALL).then_some(self.0 as usize)
    }

    /// Events at the same time are executed in the order of these numbers: by lower row, then by higher row or face.
    #[inline(always)]
    pub(crate) fn rank(self, row: usize) -> u64 {
        let row = row as u32;
        let (first, second) = if self.0 < row { (self.0, row) } else { (row, self.0) };
        u64::from(first) << 32 | u64::from(second)
    }
}

impl Plan {
    pub(crate) const NOTHING: Self = Self::new(f64::INFINITY, Target::NEIGHBOUR_UPDATE, 0);

    /// A contact without a neighbour update before it.
    #[inline(always)]
    pub(crate) const fn new(time: f64, target: Target, target_events: u32) -> Self {
        Self { due: time, time, target, target_events }
    }

    /// The target of the event at `due`: that of the contact or a neighbour update.
    #[inline(always)]
    pub(crate) fn next(&self) -> Target {
        // All bits set make a neighbour update of any target, without a branch that would be mispredicted.
        Target(self.target.0 | u32::from(self.due < self.time).wrapping_neg())
    }

    /// Whether this contact comes before that of another plan of the same particle.
    #[inline(always)]
    pub(crate) fn precedes(&self, other: &Self, row: usize) -> bool {
        self.time < other.time || self.time == other.time && self.target.rank(row) < other.target.rank(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_go_by_rows_then_faces() {
        let ranks = [
            Target::ball(0).rank(1),
            Target::ball(2).rank(0),
            Target::wall(0).rank(0),
            Target::wall(5).rank(0),
            Target::NEIGHBOUR_UPDATE.rank(0),
            Target::ball(2).rank(1),
        ];
        assert!(ranks.is_sorted());
        assert_eq!(Target::ball(7).rank(3), Target::ball(3).rank(7));
    }

    #[test]
    fn partners_say_what_they_are() {
        assert_eq!(Target::ball(12).kind(), TargetKind::Ball(12));
        assert_eq!(Target::wall(5).kind(), TargetKind::Wall(5));
        assert_eq!(Target::NEIGHBOUR_UPDATE.kind(), TargetKind::NeighbourUpdate);
    }
}
