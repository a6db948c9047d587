//! The distribution of a quantity in bounded memory, the same whatever the order of its values.
//!
//! Values are counted in bins [i 2^k, (i + 1) 2^k). k is the least exponent for which at most [`MOST_BINS`] bins are
//! occupied and every bin number fits 53 bits. Bins of one k are unions of bins of the k below, and a subset never
//! needs a coarser k than the whole, so k and the counts are a function of the set of values alone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::study::summary::Histogram;

/// Up to this many different values are held exactly.
const MOST_BINS: usize = 4096;
/// Slots of the smallest table. A table has a power of two of them, at least twice the bins it holds.
const FEWEST_SLOTS: usize = 64;

/// Counts of values in bins of one width.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub(crate) struct Sketch {
    /// k: bins are 2^k wide.
    exponent: i32,
    /// Bin and count, by a hash of the bin; a count of 0 is a free slot. Empty as long as there are no values.
    slots: Vec<(i64, u64)>,
    occupied: usize,
    count: u64,
    least: f64,
    greatest: f64,
    /// Whether all values are whole numbers.
    whole: bool,
}

/// A sketch in a file: the bins in rising order.
#[derive(Serialize, Deserialize)]
struct Stored {
    exponent: i32,
    bins: Vec<(i64, u64)>,
    range: Option<(f64, f64)>,
    whole: bool,
}

impl Sketch {
    /// No values yet.
    pub(crate) fn new() -> Self {
        Self::at(FINEST)
    }

    /// No values yet, in bins not finer than those of `like`: faster if the values are to be merged into it.
    pub(crate) fn for_merging_into(like: &Self) -> Self {
        Self::at(like.exponent)
    }

    fn at(exponent: i32) -> Self {
        let (least, greatest) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { exponent, slots: Vec::new(), occupied: 0, count: 0, least, greatest, whole: true }
    }

    /// How many values there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The least value, if there is any.
    pub(crate) fn least(&self) -> Option<f64> {
        (self.count > 0).then_some(self.least)
    }

    /// The greatest value, if there is any.
    pub(crate) fn greatest(&self) -> Option<f64> {
        (self.count > 0).then_some(self.greatest)
    }

    /// Counts these finite values; NaN is no value.
    pub(crate) fn add(&mut self, values: &[f64]) {
        let (mut least, mut greatest, mut whole) = (self.least, self.greatest, self.whole);
        for value in values.iter().copied().filter(|value| !value.is_nan()) {
            (least, greatest) = (least.min(value), greatest.max(value));
            whole &= value.fract() == 0.0;
        }
        (self.least, self.greatest, self.whole) = (least, greatest, whole);
        self.coarsen_to(self.coarsest_needed());
        for value in values.iter().copied().filter(|value| !value.is_nan()) {
            // Adding 0 makes one of the two zeros.
            self.insert(self.bin_of(value + 0.0), 1);
        }
    }

    /// Adds the values of another sketch.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.least = self.least.min(other.least);
        self.greatest = self.greatest.max(other.greatest);
        self.whole &= other.whole;
        self.coarsen_to(self.coarsest_needed().max(other.exponent));
        for (bin, count) in other.bins() {
            self.insert(bin >> (self.exponent - other.exponent).min(63), count);
        }
    }

    /// The value below which this share of all values is, to within a bin.
    pub(crate) fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.count as f64).ceil().max(1.0) as u64;
        self.bin_of_rank(rank).map(|bin| self.value_of(bin))
    }

    /// Bounds of the values of these ranks, from 1 for the least.
    pub(crate) fn between(&self, ranks: [u64; 2]) -> Option<[f64; 2]> {
        let [low, high] = [self.bin_of_rank(ranks[0])?, self.bin_of_rank(ranks[1])?];
        if self.is_narrow() {
            return Some([self.value_of(low), self.value_of(high)]);
        }
        let edge = |bin: i64| scaled(bin as f64, self.exponent).clamp(self.least, self.greatest);
        Some([edge(low), edge(high + 1)])
    }

    fn bin_of_rank(&self, rank: u64) -> Option<i64> {
        let mut below = 0;
        self.sorted().into_iter().find_map(|(bin, count)| {
            below += count;
            (below >= rank).then_some(bin)
        })
    }

    /// All values in rising order, to within a bin, with their counts.
    pub(super) fn values(&self) -> Vec<(f64, u64)> {
        self.sorted().into_iter().map(|(bin, count)| (self.value_of(bin), count)).collect()
    }

    /// Counts in bins of equal width over all values; whole numbers get bins around whole numbers.
    pub(crate) fn histogram(&self, bins: usize) -> Histogram {
        let range = self.greatest - self.least;
        let (start, width) = if self.count == 0 || bins == 0 {
            return Histogram { start: 0.0, width: 0.0, counts: Vec::new() };
        } else if self.whole {
            (self.least - 0.5, ((range + 1.0) / bins as f64).ceil().max(1.0))
        } else if range > 0.0 && range.is_finite() {
            (self.least, range / bins as f64)
        } else {
            (self.least, 1.0)
        };
        let last = if self.whole { ((range + 1.0) / width).ceil() as usize } else { bins }.clamp(1, bins) - 1;
        let mut counts = vec![0; last + 1];
        for (bin, count) in self.bins() {
            let place = (self.value_of(bin) - start) / width;
            counts[(place.max(0.0) as usize).min(last)] += count;
        }
        Histogram { start, width, counts }
    }

    /// The middle of a bin; its value where it can hold only one.
    fn value_of(&self, bin: i64) -> f64 {
        let place = if self.is_narrow() { bin as f64 } else { bin as f64 + 0.5 };
        let value = scaled(place, self.exponent).clamp(self.least, self.greatest);
        if self.whole { value.floor() } else { value }
    }

    /// Whether a bin is as good as a value.
    fn is_narrow(&self) -> bool {
        self.exponent <= if self.whole { 0 } else { FINEST.max(exponent_of(self.largest()) - 52) }
    }

    fn largest(&self) -> f64 {
        self.least.abs().max(self.greatest.abs())
    }

    /// The k that keeps bin numbers within 53 bits.
    fn coarsest_needed(&self) -> i32 {
        if self.least > self.greatest { FINEST } else { (exponent_of(self.largest()) - 52).max(FINEST) }
    }

    fn bin_of(&self, value: f64) -> i64 {
        scaled(value, -self.exponent).floor() as i64
    }

    fn insert(&mut self, mut bin: i64, count: u64) {
        if 2 * self.occupied >= self.slots.len() && self.occupied < MOST_BINS {
            self.rebuild(FEWEST_SLOTS.max(2 * self.slots.len()), 0);
        }
        let before = self.exponent;
        if self.occupied == MOST_BINS && !self.has(bin) {
            self.coarsen_to(self.exponent + 1);
            while self.occupied == MOST_BINS && !self.has(bin >> (self.exponent - before).min(63)) {
                self.coarsen_to(self.exponent + 1);
            }
            bin >>= (self.exponent - before).min(63);
        }
        self.place(bin, count);
        self.count += count;
    }

    fn place(&mut self, bin: i64, count: u64) {
        let slot = self.slot_of(bin);
        let (holder, held) = &mut self.slots[slot];
        if *held == 0 {
            *holder = bin;
            self.occupied += 1;
        }
        *held += count;
    }

    fn has(&self, bin: i64) -> bool {
        self.slots[self.slot_of(bin)].1 > 0
    }

    /// The slot of this bin, or the free one it would get.
    fn slot_of(&self, bin: i64) -> usize {
        let hash = (bin as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mask = self.slots.len() - 1;
        let mut slot = (hash >> 40) as usize & mask;
        while self.slots[slot].1 > 0 && self.slots[slot].0 != bin {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn coarsen_to(&mut self, exponent: i32) {
        let steps = exponent - self.exponent;
        if steps <= 0 {
            return;
        }
        self.exponent = exponent;
        if self.occupied > 0 {
            self.rebuild(self.slots.len(), steps);
        }
    }

    /// The same counts in a table of this many slots, of bins 2^steps times as wide.
    fn rebuild(&mut self, slots: usize, steps: i32) {
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); slots]);
        self.occupied = 0;
        for (bin, count) in old.into_iter().filter(|slot| slot.1 > 0) {
            self.place(bin >> steps.min(63), count);
        }
    }

    fn bins(&self) -> impl Iterator<Item = (i64, u64)> + '_ {
        self.slots.iter().copied().filter(|slot| slot.1 > 0)
    }

    fn sorted(&self) -> BTreeMap<i64, u64> {
        self.bins().collect()
    }
}

impl From<Sketch> for Stored {
    fn from(sketch: Sketch) -> Self {
        Self {
            exponent: sketch.exponent,
            bins: sketch.sorted().into_iter().collect(),
            range: sketch.least().zip(sketch.greatest()),
            whole: sketch.whole,
        }
    }
}

impl TryFrom<Stored> for Sketch {
    type Error = String;

    fn try_from(stored: Stored) -> Result<Self, String> {
        stored.check()?;
        let mut sketch = Self::at(stored.exponent);
        sketch.whole = stored.whole;
        if let Some((least, greatest)) = stored.range {
            (sketch.least, sketch.greatest) = (least, greatest);
            let [first, last] = [least, greatest].map(|value| sketch.bin_of(value));
            // Of a tiny value the number of a wide bin may round to that of its neighbour.
            let is_at =
                |bin: Option<&(i64, u64)>, place: i64| bin.is_some_and(|bin| bin.0.abs_diff(place) <= 1);
            if sketch.coarsest_needed() > stored.exponent
                || !is_at(stored.bins.first(), first)
                || !is_at(stored.bins.last(), last)
            {
                return Err("the range of a sketch does not fit its bins".into());
            }
        }
        for (bin, count) in stored.bins {
            sketch.insert(bin, count);
        }
        Ok(sketch)
    }
}

impl Stored {
    /// Checks that bins and range can be those of a sketch.
    fn check(&self) -> Result<(), String> {
        /// More values than any study has.
        const MOST_VALUES: u64 = 1 << 60;
        let most: u64 = 1 << 53;
        let rises = self.bins.is_sorted_by(|left, right| left.0 < right.0);
        let fits =
            |&(bin, count): &(i64, u64)| bin.unsigned_abs() <= most && (1..=MOST_VALUES).contains(&count);
        let count = self.bins.iter().try_fold(0_u64, |sum, bin| sum.checked_add(bin.1));
        if self.bins.len() > MOST_BINS
            || !rises
            || !self.bins.iter().all(fits)
            || count.is_none_or(|count| count > MOST_VALUES)
        {
            return Err("the bins of a sketch are not in rising order with counts".into());
        }
        let has_range = match self.range {
            None => self.bins.is_empty(),
            Some((least, greatest)) => {
                let is_whole = |value: f64| !self.whole || value.fract() == 0.0;
                !self.bins.is_empty()
                    && least.is_finite()
                    && greatest.is_finite()
                    && least <= greatest
                    && is_whole(least)
                    && is_whole(greatest)
            }
        };
        match has_range && (FINEST..=1023).contains(&self.exponent) {
            true => Ok(()),
            false => Err("the range of a sketch is impossible".into()),
        }
    }
}

/// The exponent of the least number above 0.
const FINEST: i32 = -1074;

/// The e with 2^e <= value < 2^(e + 1), for a value that is not negative; [`FINEST`] for 0.
fn exponent_of(value: f64) -> i32 {
    let biased = (value.to_bits() >> 52) as i32;
    if biased > 0 { biased - 1023 } else { FINEST }
}

/// value 2^exponent, exactly, unless it leaves the range: in two factors that are both in range.
fn scaled(value: f64, exponent: i32) -> f64 {
    let power = |e: i32| f64::from_bits(((e + 1023) as u64) << 52);
    let half = exponent / 2;
    value * power(half) * power(exponent - half)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sketch(values: &[f64]) -> Sketch {
        let mut sketch = Sketch::new();
        sketch.add(values);
        sketch
    }

    /// Compares what a file would hold: the table itself depends on the order of the values.
    fn stored(sketch: &Sketch) -> String {
        serde_json::to_string(sketch).unwrap()
    }

    #[test]
    fn few_values_are_held_as_they_are() {
        let values: Vec<f64> = (0..1000).map(|n| 1.63 + 1e-9 * f64::from((n * 377) % 1000)).collect();
        let sketch = sketch(&values);
        for (share, rank) in [(0.0, 0), (0.05, 49), (0.5, 499), (1.0, 999)] {
            assert_eq!(sketch.quantile(share), Some(1.63 + 1e-9 * f64::from(rank)), "{share}");
        }
        assert_eq!((sketch.least(), sketch.greatest()), (Some(1.63), Some(1.63 + 999e-9)));
    }

    #[test]
    fn many_values_are_held_to_a_thousandth_of_their_spread() {
        let values: Vec<f64> = (0..1_000_000_u64).map(|n| ((n * 7919) % 1_000_000) as f64 * 1e-6).collect();
        let sketch = sketch(&values);
        for share in [0.001, 0.25, 0.5, 0.999] {
            assert!((sketch.quantile(share).unwrap() - share).abs() < 1e-3, "{share}");
        }
        let [low, high] = sketch.between([250_001, 250_001]).unwrap();
        assert!(low <= 0.25 && 0.25 <= high && high - low < 1e-3, "{low} {high}");
        let histogram = sketch.histogram(10);
        assert_eq!(histogram.counts.iter().sum::<u64>(), 1_000_000);
        assert!(histogram.counts.iter().all(|count| (99_000..101_000).contains(count)), "{histogram:?}");
    }

    #[test]
    fn whole_numbers_stay_whole() {
        let values: Vec<f64> = (0..100_000).map(|n| f64::from(n % 7000)).collect();
        let wide = sketch(&values);
        assert_eq!(wide.quantile(0.5).map(f64::fract), Some(0.0));
        let narrow = sketch(&[3.0, 4.0, 4.0, 6.0]);
        assert_eq!(narrow.quantile(0.5), Some(4.0));
        let histogram = narrow.histogram(40);
        assert_eq!((histogram.start, histogram.width, &histogram.counts[..]), (2.5, 1.0, &[1, 2, 0, 1][..]));
    }

    #[test]
    fn a_sketch_that_no_values_have_is_refused() {
        let good = stored(&sketch(&[0.5, 1.5, 1.5, 7.25]));
        assert!(serde_json::from_str::<Sketch>(&good).is_ok());
        for (from, to) in [
            ("\"whole\":false", "\"whole\":true"),
            ("\"range\":[0.5,7.25]", "\"range\":null"),
            ("\"range\":[0.5,7.25]", "\"range\":[0.5,1e308]"),
            ("\"range\":[0.5,7.25]", "\"range\":[7.25,0.5]"),
            ("\"exponent\":-50", "\"exponent\":2147483647"),
            ("\"exponent\":-50", "\"exponent\":-2147483648"),
            (",2]", ",18446744073709551615]"),
            (",2]", ",0]"),
        ] {
            let bad = good.replace(from, to);
            assert_ne!(bad, good, "{from}");
            assert!(serde_json::from_str::<Sketch>(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nothing_and_one_value_and_extremes_are_fine() {
        assert_eq!((Sketch::new().quantile(0.5), Sketch::new().histogram(10).counts.len()), (None, 0));
        assert_eq!(sketch(&[-0.0, f64::NAN, 0.0]).quantile(0.5), Some(0.0));
        let wide = sketch(&[-1e300, 1e-300, 0.25, 1e300]);
        assert_eq!((wide.count(), wide.quantile(1.0), wide.quantile(0.0)), (4, Some(1e300), Some(-1e300)));
        assert_eq!(wide.histogram(4).counts.iter().sum::<u64>(), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn order_and_splits_do_not_matter(
            values in prop::collection::vec((-1e3..1e3_f64, 0_u32..3), 1..9000), cut in 0.0..1.0_f64,
        ) {
            let values: Vec<f64> = values.iter().map(|(x, e)| x * 10_f64.powi(-3 * *e as i32)).collect();
            let whole = sketch(&values);
            let (left, right) = values.split_at((cut * values.len() as f64) as usize);
            let mut merged = sketch(right);
            merged.merge(&sketch(left));
            prop_assert_eq!(stored(&merged), stored(&whole));
            let mut hinted = Sketch::for_merging_into(&sketch(left));
            hinted.add(right);
            let mut other = sketch(left);
            other.merge(&hinted);
            prop_assert_eq!(stored(&other), stored(&whole));
            let read: Sketch = serde_json::from_str(&stored(&whole)).unwrap();
            prop_assert_eq!(stored(&read), stored(&whole));
        }
    }
}
