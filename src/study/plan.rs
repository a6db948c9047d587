//! The batches of a round, over all points, in a fixed order.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The batches of one round, point by point in rising order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Plan {
    ranges: Vec<BatchRange>,
    items: u64,
}

/// Consecutive batches of a point, with equally many replicas each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct BatchRange {
    /// Items before it.
    before: u64,
    point: usize,
    batches: Range<u64>,
    rows: u64,
}

/// One batch to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) point: usize,
    pub(crate) batch: u64,
    pub(crate) rows: u64,
}

impl Plan {
    /// Appends batches.
    pub(crate) fn add(&mut self, point: usize, batches: Range<u64>, rows: u64) {
        if batches.is_empty() {
            return;
        }
        let before = self.items;
        self.items += batches.end - batches.start;
        self.ranges.push(BatchRange { before, point, batches, rows });
    }

    /// How many batches there are.
    pub(crate) fn len(&self) -> u64 {
        self.items
    }

    /// The batch of this number.
    pub(crate) fn item(&self, number: u64) -> Option<Item> {
        let range = self.ranges.partition_point(|range| range.before <= number).checked_sub(1)?;
        let BatchRange { before, point, batches, rows } = &self.ranges[range];
        let batch = batches.start + (number - before);
        (batch < batches.end).then_some(Item { point: *point, batch, rows: *rows })
    }

    /// The number of a batch of a point.
    pub(crate) fn number_of(&self, point: usize, batch: u64) -> Option<u64> {
        let place = |range: &BatchRange| (range.point, range.batches.start) <= (point, batch);
        let range = &self.ranges[self.ranges.partition_point(place).checked_sub(1)?];
        let inside = range.point == point && range.batches.contains(&batch);
        inside.then(|| range.before + (batch - range.batches.start))
    }

    /// Whether it is valid for a study with this many points.
    pub(crate) fn is_sound(&self, points: usize) -> bool {
        self.ranges.iter().all(|range| range.point < points && range.rows > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_numbered_point_by_point() {
        let mut plan = Plan::default();
        plan.add(0, 2..5, 16);
        plan.add(0, 9..10, 3);
        plan.add(1, 4..4, 16);
        plan.add(3, 0..2, 8);
        let items: Vec<Item> = (0..plan.len()).map(|number| plan.item(number).unwrap()).collect();
        let found: Vec<(usize, u64, u64)> =
            items.iter().map(|item| (item.point, item.batch, item.rows)).collect();
        assert_eq!(found, [(0, 2, 16), (0, 3, 16), (0, 4, 16), (0, 9, 3), (3, 0, 8), (3, 1, 8)]);
        assert_eq!(plan.item(6), None);
        for (number, item) in items.iter().enumerate() {
            assert_eq!(plan.number_of(item.point, item.batch), Some(number as u64));
        }
        assert_eq!((plan.number_of(0, 5), plan.number_of(1, 4), plan.number_of(3, 2)), (None, None, None));
        assert!(plan.is_sound(4) && !plan.is_sound(3));
        assert_eq!(Plan::default().item(0), None);
    }
}
