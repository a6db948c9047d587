//! A study in parts: shards of job arrays.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// One of the equal parts into which a study is cut: the same range of the replicas of every point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored")]
pub struct Shard {
    number: u64,
    count: u64,
}

/// A shard in a file, which may be wrong.
#[derive(Deserialize)]
struct Stored {
    number: u64,
    count: u64,
}

impl TryFrom<Stored> for Shard {
    type Error = Error;

    fn try_from(Stored { number, count }: Stored) -> Result<Self> {
        Self::new(number, count)
    }
}

impl Shard {
    /// Part `number` of `count`, counted from 1.
    pub fn new(number: u64, count: u64) -> Result<Self> {
        if count == 0 || number == 0 || number > count {
            return Err(Error::OutOfRange {
                field: "shard",
                value: number as f64,
                expected: "a number from 1 to the number of shards, as in 2/8",
            });
        }
        Ok(Self { number, count })
    }

    /// The number of the part, from 1.
    #[must_use]
    pub fn number(self) -> u64 {
        self.number
    }

    /// How many parts there are.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count
    }

    /// Its part of `batches` batches.
    pub(crate) fn part(self, batches: u64) -> Range<u64> {
        let cut = |number: u64| (u128::from(batches) * u128::from(number) / u128::from(self.count)) as u64;
        cut(self.number - 1)..cut(self.number)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

impl FromStr for Shard {
    type Err = Error;

    /// Reads `2/8`.
    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.trim().parse().unwrap_or(0);
        let (number, count) =
            text.split_once('/').map_or((0, 0), |(first, second)| (number(first), number(second)));
        Self::new(number, count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_follow_each_other_without_gaps() {
        for (batches, count) in [(10, 3), (2, 5), (u64::MAX, 7), (0, 2)] {
            let mut end = 0;
            for number in 1..=count {
                let part = Shard::new(number, count).unwrap().part(batches);
                assert_eq!(part.start, end);
                end = part.end;
            }
            assert_eq!(end, batches);
        }
    }

    #[test]
    fn shards_are_written_as_fractions() {
        let shard: Shard = "2/8".parse().unwrap();
        assert_eq!((shard.number(), shard.count(), shard.to_string().as_str()), (2, 8, "2/8"));
        for wrong in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", ""] {
            assert!(
                matches!(wrong.parse::<Shard>(), Err(Error::OutOfRange { field: "shard", .. })),
                "{wrong}"
            );
        }
    }
}
