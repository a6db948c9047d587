//! When fast shapes first meet, in lanes, one pair per lane: conservative advancement with the narrow phase of each class.
//! The scalar twin is [`advance`](super::continuous::advance).

use std::marker::PhantomData;

use bytemuck::Zeroable;

use super::continuous::{MOST_STEPS, Motion};
use super::library::Definition;
use super::pairs::Class;
use crate::geometry::Rotation;
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

impl Meeting {
    /// Of two shapes, given the numbers of their definitions, and the motions of their bodies with their rotations at the start.
    pub(super) fn new(
        motions: &[Motion; 2],
        [first, second]: [Rotation; 2],
        numbers: [u32; 2],
        definitions: &[Definition],
        touching: f64,
        place: u32,
    ) -> Self {
        let shapes = numbers.map(|number| &definitions[number as usize]);
        let between = motions[1].start - motions[0].start;
        let way = motions[1].displacement - motions[0].displacement;
        let turns = motions.map(|motion| motion.turn);
        let turning = turns[0].abs() * shapes[0].swing + turns[1].abs() * shapes[1].swing;
        Self {
            way: [between.x, between.y, way.x, way.y],
            rotations: [first.cos, first.sin, second.cos, second.sin],
            turns: [turns[0], turns[1], turning, touching],
            definitions: numbers,
            radii: shapes.map(|shape| shape.radius),
            place,
        }
    }
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
            done |= apart.le(self.touching);
            // As in the scalar twin.
            let next = share + (apart - self.touching * L::splat(0.5)) / approach.max(L::ZERO);
            share = done.select(share, next.min(L::ONE));
            done |= L::ONE.le(share);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::random::SplitMix64;
    use crate::geometry::Vec2;
    use crate::rigid2d::engine::continuous::{Advanced, Form, Motion, advance};
    use crate::rigid2d::engine::library::{Definition, Library};
    use crate::rigid2d::shapes::{Geometry, Material};

    const TOUCHING: f64 = 2e-5;

    /// A circle beside the centre of its body, a segment, or a polygon with some corners.
    fn form(random: &mut SplitMix64, corners: usize) -> Geometry {
        let radius = 0.1 * random.real().abs();
        let centre = Vec2::new(0.3 * random.real(), 0.3 * random.real());
        match corners {
            1 => Geometry::circle(0.1 + radius, centre).unwrap(),
            2 => Geometry::segment(Vec2::new(-0.4, 0.0), centre + Vec2::new(0.7, 0.0), radius).unwrap(),
            _ => {
                let turn = std::f64::consts::TAU / corners as f64;
                let corner =
                    |n: usize| Rotation::from_angle(turn * n as f64).turn(Vec2::new(0.5, 0.0)) + centre;
                Geometry::polygon(&(0..corners).map(corner).collect::<Vec<_>>(), radius).unwrap()
            }
        }
    }

    fn motion(random: &mut SplitMix64, definition: &Definition, start: Vec2) -> Motion {
        Motion {
            start,
            displacement: Vec2::new(random.real(), random.real()),
            angle: 3.0 * random.real(),
            turn: 0.5 * random.real(),
            extent: definition.swing,
        }
    }

    /// The shares that the scalar twin and the lanes find, of random motions of two forms.
    fn shares(random: &mut SplitMix64, corners: [usize; 2]) -> Vec<[f64; 2]> {
        let mut library = Library::<f64>::new();
        let numbers = corners.map(|n| library.add(form(random, n), Material::default(), Vec2::ZERO).unwrap());
        let definitions = numbers.map(|number| &library.definitions[number as usize]);
        let (class, is_swapped) = Class::of(definitions[0].vertices, definitions[1].vertices);
        assert!(!is_swapped && class != Class::General);
        let (mut scalar, mut meetings) = (Vec::new(), Vec::new());
        for place in 0..50 {
            let far = Vec2::new(2.0 * random.real(), 2.0 * random.real());
            let motions = [motion(random, definitions[0], Vec2::ZERO), motion(random, definitions[1], far)];
            let rotations = motions.map(|motion| motion.pose(0.0).rotation);
            let mut cores = [Vec::new(), Vec::new()];
            scalar.push(match advance(definitions.map(Form::new), &motions, TOUCHING, 1.0, &mut cores) {
                Advanced::Touches(_) => 0.0,
                Advanced::To(share) | Advanced::Meets(share, _) => share,
            });
            meetings.push(Meeting::new(&motions, rotations, numbers, &library.definitions, TOUCHING, place));
        }
        let mut lanes = vec![f64::NAN; 50];
        find_shares(class, &meetings, &library.definitions, &mut lanes);
        scalar.into_iter().zip(lanes).map(|(scalar, lanes)| [scalar, lanes]).collect()
    }

    #[test]
    fn shapes_meet_when_the_scalar_twin_says_so() {
        let mut random = SplitMix64(3);
        let mut counts = [0; 3];
        for corners in [[1, 1], [1, 2], [1, 4], [1, 7], [2, 2], [2, 4], [3, 4], [3, 8], [6, 2], [8, 8]] {
            for _ in 0..20 {
                for [scalar, lanes] in shares(&mut random, corners) {
                    assert!((scalar - lanes).abs() < 1e-6, "{corners:?} {scalar} {lanes}");
                    counts[if lanes == 0.0 { 0 } else { 1 + usize::from(lanes == 1.0) }] += 1;
                }
            }
        }
        assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
    }
}
