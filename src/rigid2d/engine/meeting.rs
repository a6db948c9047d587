//! When fast shapes first meet, in lanes, one pair per lane: conservative advancement with the narrow phase of each class.
//! The scalar twin is [`advance`](super::continuous::advance).

use std::marker::PhantomData;

use bytemuck::Zeroable;

use super::continuous::MOST_STEPS;
use super::library::Definition;
use super::pairs::Class;
use crate::geometry::angle::cos_sin_of_blocks;
use crate::rigid2d::narrow::lanes::{self, BlockOfPairs, CircleAndPolygon, Circles, Polygons, Shapes};
use crate::rigid2d::shapes::outline::Outline;
use crate::soa::block::{Doubles, LANES, each};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// Two shapes of a class of the lanes that move in a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    /// `[x, y]` from the first body to the second at the start of the step, and by how much that changes in it; in metres.
    pub(super) way: [f64; 4],
    /// `[cos, sin]` of both bodies at the start.
    pub(super) rotations: [f64; 4],
    /// By how much both bodies turn, in radians, how far that moves their farthest vertices, both together, and the distance at
    /// which they count as touching, in metres.
    pub(super) turns: [f64; 4],
    /// Numbers of their definitions.
    pub(super) definitions: [u32; 2],
    /// Rounding radii, in metres.
    pub(super) radii: [f64; 2],
    /// Which result it is.
    pub(super) place: u32,
}

/// Writes the shares of the step after which shapes of a class first meet to their places; 1 if they do not.
pub(super) fn find_shares(
    class: Class,
    meetings: &[Meeting],
    definitions: &[Definition],
    shares: &mut [f64],
) {
    match class {
        _ if meetings.is_empty() => {}
        Class::Circles => find::<Circles>(meetings, definitions, shares),
        Class::CircleFour => find::<CircleAndPolygon<4>>(meetings, definitions, shares),
        Class::CircleEight => find::<CircleAndPolygon<8>>(meetings, definitions, shares),
        Class::Fours => find::<Polygons<4>>(meetings, definitions, shares),
        Class::Eights => find::<Polygons<8>>(meetings, definitions, shares),
        Class::General => unreachable!("the lanes do not have this class"),
    }
}

fn find<C: lanes::Class>(meetings: &[Meeting], definitions: &[Definition], shares: &mut [f64]) {
    level::run(FindShares { meetings, definitions, shares, class: PhantomData::<C> });
}

struct FindShares<'a, C> {
    meetings: &'a [Meeting],
    definitions: &'a [Definition],
    shares: &'a mut [f64],
    class: PhantomData<C>,
}

impl<C: lanes::Class> Kernel for FindShares<'_, C> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        for some in self.meetings.chunks(LANES) {
            let found = Block::<S::Block>::load(some, self.definitions).share::<C>();
            let found: &[f64] = bytemuck::cast_slice(std::slice::from_ref(&found));
            for (meeting, &share) in some.iter().zip(found) {
                self.shares[meeting.place as usize] = share;
            }
        }
    }
}

/// The numbers of the outlines of a block.
const NUMBERS: [[u32; LANES]; 2] = [[0, 1, 2, 3], [4, 5, 6, 7]];

/// A block of meetings.
struct Block<L> {
    outlines: [Outline<f64>; 2 * LANES],
    discs: [[f64; 4]; 2 * LANES],
    way: [L; 4],
    rotations: [L; 4],
    turns: [L; 2],
    turning: L,
    touching: L,
}

impl<L: Doubles> Block<L> {
    /// The last meeting fills what is left of the lanes.
    #[inline(always)]
    fn load(some: &[Meeting], definitions: &[Definition]) -> Self {
        let last = some.len() - 1;
        let way = L::load_rows(
            #[inline(always)]
            |lane| &some[lane.min(last)].way,
        );
        let rotations = L::load_rows(
            #[inline(always)]
            |lane| &some[lane.min(last)].rotations,
        );
        let [turn_a, turn_b, turning, touching] = L::load_rows(
            #[inline(always)]
            |lane| &some[lane.min(last)].turns,
        );
        let mut block = Self {
            outlines: [Outline::zeroed(); 2 * LANES],
            discs: [[0.0; 4]; 2 * LANES],
            way,
            rotations,
            turns: [turn_a, turn_b],
            turning,
            touching,
        };
        for row in 0..2 * LANES {
            let (which, meeting) = (row / LANES, &some[(row % LANES).min(last)]);
            let outline = definitions[meeting.definitions[which] as usize].exact_outline();
            let outline = outline.expect("the classes of the lanes have outlines");
            block.outlines[row] = outline;
            block.discs[row] = [outline.x[0], outline.y[0], meeting.radii[which], 0.0];
        }
        block
    }

    /// The shares at which the shapes come as close as counts as touching; 1 if they do not.
    #[inline(always)]
    fn share<C: lanes::Class>(&self) -> L {
        let (mut share, mut done) = (L::ZERO, L::ZERO);
        for _ in 0..MOST_STEPS {
            let (apart, approach) = self.apart_at::<C>(share);
            done = done | apart.le(self.touching);
            // As in the scalar twin.
            let next = share + (apart - self.touching * L::splat(0.5)) / approach.max(L::ZERO);
            share = done.select(share, next.min(L::ONE));
            done = done | L::ONE.le(share);
            if done.bits() == (1 << LANES) - 1 {
                break;
            }
        }
        share
    }

    /// How far the shapes are apart at a share of the step, and how far they come closer along their normal in all of it, at most.
    #[inline(always)]
    fn apart_at<C: lanes::Class>(&self, share: L) -> (L, L) {
        let [[ca, sa], [cb, sb]] = each!(which in [0, 1] => {
            let [cos, sin] = cos_sin_of_blocks(self.turns[which] * share);
            let [c, s] = [self.rotations[2 * which], self.rotations[2 * which + 1]];
            [c * cos - s * sin, s * cos + c * sin]
        });
        let [x, y, way_x, way_y] = self.way;
        let (x, y) = (x + way_x * share, y + way_y * share);
        let pose = [ca * x + sa * y, ca * y - sa * x, cb * ca + sb * sa, sb * ca - cb * sa];
        let shapes = Shapes { outlines: &self.outlines, discs: &self.discs, circles: &self.discs };
        let touch = C::touch(&BlockOfPairs::new::<C>(shapes, [&NUMBERS[0], &NUMBERS[1]], pose, L::ZERO));
        let (along_x, along_y) = (ca * way_x + sa * way_y, ca * way_y - sa * way_x);
        let approach = self.turning - (along_x * touch.normal.x + along_y * touch.normal.y);
        (touch.apart, approach)
    }
}
