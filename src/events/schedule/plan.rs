//! What a particle expects to happen to it next.

/// The next event of a particle: one at a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Plan {
    /// When it falls due, in seconds of the epoch; infinite if nothing is expected.
    pub due: f64,
    /// When the particle meets its partner. If that is later it only looks around when the plan falls due.
    pub time: f64,
    /// With whom or what.
    pub partner: Partner,
    /// The [count](crate::events::state::flight_state::Record::count) of the partner that this relies on.
    pub count: u32,
}

/// A row, or one of a few numbers above all rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Partner(u32);

/// What a [`Partner`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meeting {
    Ball(usize),
    Wall(usize),
    /// Nothing but the need to look around again.
    Look,
}

const FIRST_WALL: u32 = u32::MAX - 8;
const LOOK: u32 = u32::MAX;

/// Rows are below this number.
pub(crate) const MOST_ROWS: usize = FIRST_WALL as usize;

impl Partner {
    pub(crate) const LOOK: Self = Self(LOOK);

    #[inline(always)]
    pub(crate) fn ball(row: usize) -> Self {
        Self(row as u32)
    }

    pub(crate) fn wall(face: usize) -> Self {
        Self(FIRST_WALL + face as u32)
    }

    #[inline(always)]
    pub(crate) fn meeting(self) -> Meeting {
        match self.0 {
            LOOK => Meeting::Look,
            wall if wall >= FIRST_WALL => Meeting::Wall((wall - FIRST_WALL) as usize),
            row => Meeting::Ball(row as usize),
        }
    }

    /// The row, if it is a particle.
    #[inline(always)]
    pub(crate) fn row(self) -> Option<usize> {
        (self.0 < FIRST_WALL).then_some(self.0 as usize)
    }

    /// Events at the same time happen in the order of these numbers: by lower row, then by higher row or face.
    #[inline(always)]
    pub(crate) fn rank(self, row: usize) -> u64 {
        let row = row as u32;
        let (first, second) = if self.0 < row { (self.0, row) } else { (row, self.0) };
        u64::from(first) << 32 | u64::from(second)
    }
}

impl Plan {
    pub(crate) const NOTHING: Self = Self::new(f64::INFINITY, Partner::LOOK, 0);

    /// A meeting, with nothing to be done before.
    #[inline(always)]
    pub(crate) const fn new(time: f64, partner: Partner, count: u32) -> Self {
        Self { due: time, time, partner, count }
    }

    /// What there is to do when it falls due.
    #[inline(always)]
    pub(crate) fn next(&self) -> Partner {
        // All bits set make a look of any partner: who comes first cannot be guessed.
        Partner(self.partner.0 | u32::from(self.due < self.time).wrapping_neg())
    }

    /// Whether this meeting comes before that of another plan of the same particle.
    #[inline(always)]
    pub(crate) fn precedes(&self, other: &Self, row: usize) -> bool {
        self.time < other.time || self.time == other.time && self.partner.rank(row) < other.partner.rank(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_go_by_rows_then_faces() {
        let ranks = [
            Partner::ball(0).rank(1),
            Partner::ball(2).rank(0),
            Partner::wall(0).rank(0),
            Partner::wall(5).rank(0),
            Partner::LOOK.rank(0),
            Partner::ball(2).rank(1),
        ];
        assert!(ranks.is_sorted());
        assert_eq!(Partner::ball(7).rank(3), Partner::ball(3).rank(7));
    }

    #[test]
    fn partners_say_what_they_are() {
        assert_eq!(Partner::ball(12).meeting(), Meeting::Ball(12));
        assert_eq!(Partner::wall(5).meeting(), Meeting::Wall(5));
        assert_eq!(Partner::LOOK.meeting(), Meeting::Look);
    }
}
