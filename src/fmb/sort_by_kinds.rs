//! The pairs that kernels must decide, sorted by the kinds of their frames.

use super::pair_lists::{ListsByKinds, PairList};
use crate::frames::records::BOX;
use crate::soa::block::{Singles, each};
use crate::soa::bytes;
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Signs of the sums of two boxes of [`FrameRecords`](crate::frames::records::FrameRecords): all of these are set if the boxes overlap.
const OVERLAP: u8 = 0x77;
/// Set if the frame of A, or of B, is a tetrahedron.
const TETRAHEDRON: [u8; 2] = [0x08, 0x80];

/// Sorts the pairs whose boxes overlap by kinds; the outcome is whether all indices are in range. Boxes that touch hold
/// frames that at most touch.
pub(super) struct SortByKinds<'s> {
    /// Of A and of B.
    pub(super) boxes: [&'s [[f32; BOX]]; 2],
    pub(super) pairs: &'s [[u32; 2]],
    pub(super) lists: &'s mut ListsByKinds,
}

impl Kernel for SortByKinds<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self { boxes: [a, b], pairs, lists } = self;
        let last = S::largest_of_pairs(pairs);
        if last[0] as usize >= a.len() || last[1] as usize >= b.len() {
            return false;
        }
        lists.clear();
        for (number, chunk) in pairs.chunks(64).enumerate() {
            let from = 64 * number;
            let mut signs = [0; 64];
            let (quads, rest) = chunk.as_chunks::<4>();
            for (signs, quad) in signs.as_chunks_mut().0.iter_mut().zip(quads) {
                // SAFETY: no index is larger than the last, which is in range.
                *signs = each!(n in [0, 1, 2, 3] => unsafe { signs_of::<S::Block32>(a, b, quad[n]) });
            }
            for (signs, &pair) in signs[4 * quads.len()..].iter_mut().zip(rest) {
                // SAFETY: as above.
                *signs = unsafe { signs_of::<S::Block32>(a, b, pair) };
            }
            let overlap = bytes::bytes_with(&signs, OVERLAP);
            let tetrahedra = each!(side in [0, 1] => bytes::bytes_with(&signs, TETRAHEDRON[side]));
            // SAFETY: a block has no more than `BLOCK` pairs, and those after the last do not overlap.
            unsafe { lists.append(overlap, tetrahedra, from) };
        }
        true
    }
}

/// Sorts all pairs by kinds, whether their boxes overlap or not; the outcome is whether all indices are in range.
///
/// For pairs at random of large sets in the plane: a kernel there takes little longer than boxes, and boxes and records that come
/// from memory take longer than both. What the kernel leaves undecided is for [`DismissApart`].
pub(super) struct SortAllByKinds<'s> {
    /// Of A and of B.
    pub(super) kinds: [&'s [u8]; 2],
    pub(super) pairs: &'s [[u32; 2]],
    pub(super) lists: &'s mut ListsByKinds,
}

impl Kernel for SortAllByKinds<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let Self { kinds: [a, b], pairs, lists } = self;
        let last = S::largest_of_pairs(pairs);
        if last[0] as usize >= a.len() || last[1] as usize >= b.len() {
            return false;
        }
        lists.clear();
        for (number, chunk) in pairs.chunks(64).enumerate() {
            let mut tetrahedra = [0; 2];
            for (n, &[i, j]) in chunk.iter().enumerate() {
                // SAFETY: no index is larger than the last, which is in range.
                let (of_a, of_b) = unsafe { (a.get_unchecked(i as usize), b.get_unchecked(j as usize)) };
                tetrahedra[0] |= u64::from(*of_a) << n;
                tetrahedra[1] |= u64::from(*of_b) << n;
            }
            // SAFETY: a block has no more than `BLOCK` pairs.
            unsafe { lists.append(u64::MAX >> (64 - chunk.len()), tetrahedra, 64 * number) };
        }
        true
    }
}

/// Removes the pairs of a list whose boxes do not overlap: frames that touch along the axes, mostly. Their indices must have
/// been checked.
pub(super) struct DismissApart<'s> {
    /// Of A and of B.
    pub(super) boxes: [&'s [[f32; BOX]]; 2],
    pub(super) pairs: &'s [[u32; 2]],
    pub(super) list: &'s mut PairList,
}

impl Kernel for DismissApart<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { boxes: [a, b], pairs, list } = self;
        list.retain(|number| {
            let pair = pairs[usize::from(number)];
            assert!((pair[0] as usize) < a.len() && (pair[1] as usize) < b.len(), "checked before");
            // SAFETY: both indices are in range.
            unsafe { signs_of::<S::Block32>(a, b, pair) & OVERLAP == OVERLAP }
        });
    }
}

/// The signs of the sums of the boxes of a pair.
///
/// # Safety
/// The indices must be in range.
#[inline(always)]
unsafe fn signs_of<B: Singles>(a: &[[f32; BOX]], b: &[[f32; BOX]], pair: [u32; 2]) -> u8 {
    // As an array: one load of both numbers, not two.
    let [i, j] = pair.map(|row| row as usize);
    // SAFETY: as the caller has promised.
    let (of_a, of_b) = unsafe { (a.get_unchecked(i), b.get_unchecked(j)) };
    bytes::swapped_sum_signs::<B>(of_a, of_b) as u8
}
