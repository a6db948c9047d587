//! The oracle itself, against answers worked out by hand and against brute force.

use carom::Frame;
use num_rational::BigRational;

use super::agreement::{SmallFrames, Still};
use super::enumeration::corners;
use super::{ContactKind, Overlap, OverlapExtent, exactly};
use crate::random::Random;

fn square(x: f64, y: f64) -> Frame<2> {
    Frame::cuboid([x, y], [[1.0, 0.0], [0.0, 1.0]])
}

fn cube(x: f64, y: f64, z: f64) -> Frame<3> {
    Frame::cuboid([x, y, z], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
}

/// A tetrahedron of the unit vectors, with the third one given.
fn corner(origin: [f64; 3], up: [f64; 3]) -> Frame<3> {
    Frame::tetrahedron(origin, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], up])
}

fn contact<const D: usize>(a: &Frame<D>, b: &Frame<D>) -> ContactKind {
    let there = Overlap::of(a, b, None).contact;
    assert_eq!(Overlap::of(b, a, None).contact, there, "in both orders");
    there
}

fn ends(values: [f64; 2]) -> [BigRational; 2] {
    values.map(exactly)
}

#[test]
fn squares_overlap_touch_or_are_apart() {
    let unit = square(0.0, 0.0);
    assert_eq!(contact(&unit, &unit), ContactKind::Overlapping);
    assert_eq!(contact(&unit, &square(0.5, 0.0)), ContactKind::Overlapping);
    assert_eq!(contact(&unit, &square(1.0, 0.0)), ContactKind::Touching);
    assert_eq!(contact(&unit, &square(1.0, 1.0)), ContactKind::Touching);
    assert_eq!(contact(&unit, &square(1.0, 1.0 + f64::EPSILON)), ContactKind::Apart);
    assert_eq!(contact(&unit, &square(1.0 - f64::EPSILON / 2.0, 0.5)), ContactKind::Overlapping);
}

#[test]
fn squares_that_overlap_by_half_have_the_expected_boxes() {
    let found = Overlap::of(&square(0.0, 0.0), &square(0.5, 0.25), None).extent();
    let world = [[0.5, 1.0], [0.25, 1.0]].map(ends);
    let local = [[0.0, 0.5], [0.0, 0.75]].map(ends);
    assert_eq!(found, OverlapExtent { times: ends([0.0, 0.0]), world, local });
}

#[test]
fn a_moving_square_arrives_at_a_quarter() {
    let mover = square(-2.0, 0.0).with_velocity([4.0, 0.0]);
    let overlap = Overlap::of(&square(0.0, 0.0), &mover, Some(1.0));
    assert_eq!(overlap.contact, ContactKind::Overlapping);
    let found = overlap.extent();
    assert_eq!(found.times, ends([0.25, 0.75]));
    assert_eq!(found.world, [[0.0, 1.0]; 2].map(ends));
    let touching = Overlap::of(&square(0.0, 0.0), &mover, Some(0.25));
    assert_eq!(touching.contact, ContactKind::Touching);
    assert_eq!(touching.extent().times, ends([0.25, 0.25]));
    assert_eq!(Overlap::of(&square(0.0, 0.0), &mover, Some(0.125)).contact, ContactKind::Apart);
}

#[test]
fn a_square_that_slides_along_another_never_enters() {
    let slider = square(-2.0, 1.0).with_velocity([4.0, 0.0]);
    assert_eq!(Overlap::of(&square(0.0, 0.0), &slider, Some(1.0)).contact, ContactKind::Touching);
    let passes_a_vertex = square(-2.0, 0.0).with_velocity([1.0, 1.0]);
    assert_eq!(Overlap::of(&square(0.0, 0.0), &passes_a_vertex, Some(2.0)).contact, ContactKind::Touching);
}

#[test]
fn tetrahedra_that_share_a_face_an_edge_or_a_vertex_only_touch() {
    let up = corner([0.0; 3], [0.0, 0.0, 1.0]);
    assert_eq!(contact(&up, &corner([0.0; 3], [0.0, 0.0, -1.0])), ContactKind::Touching);
    let beyond_an_edge = Frame::tetrahedron([0.0; 3], [[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, -1.0, 1.0]]);
    assert_eq!(contact(&up, &beyond_an_edge), ContactKind::Touching);
    assert_eq!(contact(&up, &corner([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])), ContactKind::Touching);
    assert_eq!(contact(&up, &corner([1.25, 0.0, 0.0], [0.0, 0.0, 1.0])), ContactKind::Apart);
    assert_eq!(contact(&up, &corner([0.0; 3], [0.5, 0.5, 1.0])), ContactKind::Overlapping);
}

#[test]
fn a_frame_within_another_overlaps_it() {
    let small = Frame::tetrahedron([0.25; 3], [[0.125, 0.0, 0.0], [0.0, 0.125, 0.0], [0.0, 0.0, 0.125]]);
    assert_eq!(contact(&cube(0.0, 0.0, 0.0), &small), ContactKind::Overlapping);
    let found = Overlap::of(&small, &cube(0.0, 0.0, 0.0), None).extent();
    assert_eq!(found.local, [[0.25, 0.375]; 3].map(ends));
    assert_eq!(found.world, found.local);
    let whole = Overlap::of(&cube(0.0, 0.0, 0.0), &small, None).extent();
    assert_eq!(whole.local, [[0.0, 1.0]; 3].map(ends));
}

#[test]
fn edges_that_cross_in_a_point_touch() {
    let ridge = Frame::tetrahedron([-1.0, 0.0, 0.0], [[2.0, 0.0, 0.0], [1.0, 1.0, -1.0], [1.0, -1.0, -1.0]]);
    let above =
        |z: f64| Frame::tetrahedron([0.0, -1.0, z], [[0.0, 2.0, 0.0], [1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]]);
    assert_eq!(contact(&ridge, &above(0.0)), ContactKind::Touching);
    assert_eq!(contact(&ridge, &above(1e-300)), ContactKind::Apart);
    assert_eq!(contact(&ridge, &above(-1e-300)), ContactKind::Overlapping);
}

/// Small frames, where all kinds of contact are common, by linear programs and by all corners.
fn brute_force_agrees<const D: usize>(pairs: usize, seed: u64) {
    let mut random = Random(seed);
    let small = SmallFrames { component: 2, origin: 1, velocity: 2 };
    let mut seen = [0; 3];
    for _ in 0..pairs {
        let [a, b] = [(); 2].map(|()| small.frame::<D>(&mut random, Still::No));
        let overlap = Overlap::of(&a, &b, Some(2.0));
        let (contact, extent) = corners(&a, &b, 2.0);
        assert_eq!(overlap.contact, contact, "{a:?} {b:?}");
        if let Some(extent) = extent {
            assert_eq!(overlap.extent(), extent, "{a:?} {b:?}");
        }
        seen[contact as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > pairs / 50), "apart, touching, overlapping: {seen:?}");
}

#[test]
fn all_corners_give_the_same_answers_in_two_dimensions() {
    brute_force_agrees::<2>(500, 1);
}

#[test]
fn all_corners_give_the_same_answers_in_three_dimensions() {
    brute_force_agrees::<3>(25, 2);
}
