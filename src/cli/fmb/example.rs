//! `carom fmb test --example`: a table of pairs to start from.

use carom::frames::random::RandomFrames;

use super::cases::{Case, draw_pair};
use super::columns::Columns;

/// Pairs of the table, of which about half intersect.
const PAIRS: usize = 16;
const SEED: u64 = 1;

/// The table for frames of this dimension, at rest or moving.
pub(super) fn table(dim: u8, moving: bool) -> String {
    if dim == 2 { of::<2>(moving) } else { of::<3>(moving) }
}

fn of<const D: usize>(moving: bool) -> String {
    let (columns, case) = (Columns::<D> { moving }, Case { dim: D as u8, moving });
    let mut random = RandomFrames::new(SEED);
    let mut text = columns.names().join(",") + "\n";
    for _ in 0..PAIRS {
        text += &columns.line(&draw_pair(&mut random, case, true));
        text.push('\n');
    }
    text
}
