//! Tallies of batches, merged in an order that does not depend on threads, processes or time
//! (docs/methods/statistics.md).
//!
//! A leaf is a batch. The node of level l and index i covers the leaves from i 2^l to (i + 1) 2^l and is always the
//! merger of its left child with its right one. Siblings are merged as soon as both are there, up to the least level
//! at which all leaves held would fill at most [`MOST_BLOCKS`] nodes. That level never falls, so what is held in the
//! end depends on the set of leaves alone, and there are never many more nodes than [`MOST_BLOCKS`].

use std::collections::BTreeMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::soundness::{Expected, Sound, check_tallies, ensure, within};
use super::statistics::Tally;

/// Nodes of the highest level are merged when there are more than this.
const MOST_BLOCKS: u64 = 64;

/// Tallies of full batches of one point.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct TallyTree {
    /// By the first leaf of the node.
    nodes: BTreeMap<u64, Node>,
    leaves: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Node {
    level: u32,
    /// One for each observable.
    tallies: Vec<Tally>,
}

impl Node {
    fn size(&self) -> u64 {
        1 << self.level
    }

    /// This node followed by its right sibling.
    fn join(self, right: &Self) -> Self {
        Self { level: self.level + 1, tallies: merge_all(&self.tallies, &right.tallies) }
    }
}

impl TallyTree {
    /// Takes in a batch that is not there yet.
    pub(crate) fn insert(&mut self, leaf: u64, tallies: Vec<Tally>) {
        let level = self.top_level();
        self.leaves += 1;
        self.place(leaf, Node { level: 0, tallies });
        if self.top_level() > level {
            self.coarsen();
        }
    }

    /// Takes in batches none of which is there yet.
    pub(crate) fn merge(&mut self, other: Self) {
        self.leaves += other.leaves;
        self.coarsen();
        for (start, node) in other.nodes {
            self.place(start, node);
        }
    }

    /// How many batches are held.
    pub(crate) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The number after the last batch held.
    pub(crate) fn end(&self) -> u64 {
        self.nodes.last_key_value().map_or(0, |(start, node)| start + node.size())
    }

    /// The batches of `range` that are not held.
    pub(crate) fn missing(&self, range: Range<u64>) -> Vec<Range<u64>> {
        let mut gaps = Vec::new();
        let mut at = range.start;
        for held in self.ranges() {
            let gap = at..held.start.min(range.end);
            if !gap.is_empty() {
                gaps.push(gap);
            }
            at = at.max(held.end);
        }
        if at < range.end {
            gaps.push(at..range.end);
        }
        gaps
    }

    /// The first batch that both hold.
    pub(crate) fn first_common(&self, other: &Self) -> Option<u64> {
        let first_held = |range: Range<u64>| {
            let gaps = self.missing(range.clone());
            let start =
                gaps.first().filter(|gap| gap.start == range.start).map_or(range.start, |gap| gap.end);
            (start < range.end).then_some(start)
        };
        other.ranges().find_map(first_held)
    }

    /// Blocks of as many consecutive batches each, in order: the nodes of the highest level.
    pub(crate) fn blocks(&self, observable: usize) -> Vec<Tally> {
        let top = self.top_level();
        let level = |node: &&Node| node.level == top;
        self.nodes.values().filter(level).map(|node| node.tallies[observable]).collect()
    }

    /// The first batches, ever more of them; the last entry is the total.
    pub(crate) fn prefixes(&self, observable: usize) -> Vec<Tally> {
        let mut sum: Option<Tally> = None;
        let grow = |node: &Node| {
            let tally = node.tallies[observable];
            *sum.insert(sum.map_or(tally, |sum| sum.merge(&tally)))
        };
        self.nodes.values().map(grow).collect()
    }

    /// All batches, in order; `None` without any.
    pub(crate) fn total(&self, observable: usize) -> Option<Tally> {
        let tallies = self.nodes.values().map(|node| node.tallies[observable]);
        tallies.reduce(|sum, tally| sum.merge(&tally))
    }

    /// Checks that the nodes are those that this type makes of their leaves, with tallies that fit.
    pub(super) fn check(&self, expected: &Expected) -> Sound {
        let most = expected.goal / expected.size;
        let (mut end, mut leaves) = (0, 0);
        for (&start, node) in &self.nodes {
            let fits = node.level < 48 && start <= most && start % node.size() == 0 && start >= end;
            ensure(fits, || format!("nodes.{start} cannot have level {}", node.level))?;
            end = start + node.size();
            ensure(end <= most, || format!("nodes.{start} has replicas from number {} on", expected.goal))?;
            leaves += node.size();
            let rows = node.size().saturating_mul(expected.size);
            within(format_args!("nodes.{start}."), check_tallies(&node.tallies, rows, expected))?;
        }
        ensure(leaves == self.leaves, || format!("leaves is {}, its nodes have {leaves}", self.leaves))?;
        let top = self.top_level();
        let is_merged = |(start, node): (&u64, &Node)| {
            let sibling = self.nodes.get(&(start ^ node.size()));
            node.level == top || (node.level < top && sibling.is_none_or(|other| other.level != node.level))
        };
        match self.nodes.iter().find(|entry| !is_merged(*entry)) {
            Some((start, node)) => {
                Err(format!("nodes.{start} of level {} is not merged as others are", node.level))
            }
            None => Ok(()),
        }
    }

    /// How many batches below this number are held.
    pub(super) fn held_below(&self, end: u64) -> u64 {
        self.ranges().map(|range| range.end.min(end).saturating_sub(range.start)).sum()
    }

    /// Whether this batch is held.
    pub(super) fn holds(&self, leaf: u64) -> bool {
        self.nodes.range(..=leaf).next_back().is_some_and(|(start, node)| leaf - start < node.size())
    }

    /// What is held, in order.
    fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.nodes.iter().map(|(&start, node)| start..start + node.size())
    }

    /// The least level at which all leaves fill at most [`MOST_BLOCKS`] nodes.
    fn top_level(&self) -> u32 {
        let full = self.leaves.div_ceil(MOST_BLOCKS).max(1);
        full.next_power_of_two().trailing_zeros()
    }

    fn place(&mut self, mut start: u64, mut node: Node) {
        let top = self.top_level();
        while node.level < top {
            let other = start ^ node.size();
            if self.nodes.get(&other).is_none_or(|sibling| sibling.level != node.level) {
                break;
            }
            let Some(sibling) = self.nodes.remove(&other) else { break };
            node = if other < start { sibling.join(&node) } else { node.join(&sibling) };
            start = start.min(other);
        }
        self.nodes.insert(start, node);
    }

    fn coarsen(&mut self) {
        for (start, node) in std::mem::take(&mut self.nodes) {
            self.place(start, node);
        }
    }
}

fn merge_all(left: &[Tally], right: &[Tally]) -> Vec<Tally> {
    left.iter().zip(right).map(|(left, right)| left.merge(right)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::study::model::ObservableKind;

    /// Values whose sums depend on the order in which they are added.
    fn leaf(number: u64) -> Vec<Tally> {
        let value = |k: u64| (number * 5 + k).wrapping_mul(0x9E37_79B9_7F4A_7C15) as f64 * 1e-17 / 3.0;
        let values: Vec<f64> = (0..5).map(value).collect();
        let hits: Vec<f64> = values.iter().map(|value| f64::from(u8::from(*value > 30.0))).collect();
        vec![Tally::of(ObservableKind::Quantity, &values), Tally::of(ObservableKind::Chance, &hits)]
    }

    fn expected() -> Expected {
        Expected { empty: leaf(0), inputs: 0, size: 5, keep: 0, goal: 1 << 40 }
    }

    fn blocks(leaves: impl IntoIterator<Item = u64>) -> TallyTree {
        let mut blocks = TallyTree::default();
        leaves.into_iter().for_each(|number| blocks.insert(number, leaf(number)));
        blocks
    }

    #[test]
    fn few_nodes_hold_many_batches() {
        for count in [1, 64, 65, 1000, 4096, 5001] {
            let blocks = blocks(0..count);
            assert!(blocks.nodes.len() as u64 <= MOST_BLOCKS + 16, "{count}: {}", blocks.nodes.len());
            let equal = blocks.blocks(0);
            assert!(equal.iter().all(|block| block.samples() == equal[0].samples()));
            assert!(count < 64 || (32..=64).contains(&equal.len()), "{count}: {}", equal.len());
            let prefixes = blocks.prefixes(1);
            assert!(prefixes.windows(2).all(|pair| pair[0].samples() < pair[1].samples()));
            assert_eq!(prefixes.last(), blocks.total(1).as_ref());
            assert_eq!(blocks.total(0).unwrap().samples(), 5 * count);
            assert_eq!(blocks.check(&expected()), Ok(()));
        }
        assert_eq!(TallyTree::default().total(0), None);
    }

    #[test]
    fn gaps_and_overlaps_are_found() {
        let held = blocks((3..10).chain(12..13));
        assert_eq!(held.missing(0..20), [0..3, 10..12, 13..20]);
        assert_eq!(held.missing(4..8), []);
        assert_eq!(held.missing(5..12).as_slice(), std::slice::from_ref(&(10..12)));
        assert_eq!((held.end(), held.leaves()), (13, 8));
        assert_eq!(held.first_common(&blocks(9..14)), Some(9));
        assert_eq!(held.first_common(&blocks(11..14)), Some(12));
        assert_eq!(held.first_common(&blocks((0..3).chain(10..12))), None);
    }

    #[test]
    fn what_cannot_be_is_not_sound() {
        let mut wrong = blocks(0..8);
        wrong.leaves = 9;
        assert!(wrong.check(&expected()).is_err());
        let good = blocks(0..8);
        let fewer = Expected { empty: leaf(0)[..1].to_vec(), ..expected() };
        assert!(good.check(&fewer).unwrap_err().contains("tallies has 2 entries"));
        let text = serde_json::to_string(&good).unwrap();
        let misplaced: TallyTree =
            serde_json::from_str(&text.replacen("\"level\":0", "\"level\":1", 2)).unwrap();
        assert!(misplaced.check(&expected()).is_err());
        let more: TallyTree =
            serde_json::from_str(&text.replacen("\"trials\":5", "\"trials\":6", 1)).unwrap();
        assert_eq!(more.check(&expected()), Err("nodes.0.tallies[1] is not that of 5 replicas".into()));
    }

    #[test]
    fn held_batches_are_found_and_counted() {
        let held = blocks((3..10).chain(12..300));
        let all: Vec<u64> = (0..310).filter(|leaf| held.holds(*leaf)).collect();
        assert_eq!(all, (3..10).chain(12..300).collect::<Vec<_>>());
        assert_eq!((held.held_below(5), held.held_below(12), held.held_below(400)), (2, 7, 295));
    }

    proptest! {
        #[test]
        fn order_splits_and_growth_give_the_same_bits(
            count in 1..400_u64, seed in any::<u64>(), cuts in prop::collection::vec(0.0..1.0_f64, 0..4),
            first in 0.0..1.0_f64,
        ) {
            let whole = blocks(0..count);
            let mut shuffled: Vec<u64> = (0..count).collect();
            shuffled.sort_by_key(|number| (number ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
            prop_assert_eq!(&blocks(shuffled), &whole);

            let mut ends: Vec<u64> = cuts.iter().map(|cut| (cut * count as f64) as u64).collect();
            ends.extend([0, count]);
            ends.sort_unstable();
            let mut shards: Vec<TallyTree> = ends.windows(2).map(|pair| blocks(pair[0]..pair[1])).collect();
            shards.rotate_left(seed as usize % ends.len().min(2));
            let mut merged = TallyTree::default();
            shards.into_iter().for_each(|shard| merged.merge(shard));
            prop_assert_eq!(&merged, &whole);

            let text = serde_json::to_string(&blocks(0..(first * count as f64) as u64)).unwrap();
            let mut grown: TallyTree = serde_json::from_str(&text).unwrap();
            (grown.leaves()..count).for_each(|number| grown.insert(number, leaf(number)));
            prop_assert_eq!(&grown, &whole);
        }
    }
}
