//! The grid finds exactly the pairs of boxes that overlap, whatever their sizes and places.

use std::collections::BTreeSet;

use carom::broad::Grid;
use carom::{Aabb, Context};
use proptest::prelude::*;

fn bounds(corner: [f64; 3], edges: [f64; 3]) -> Aabb<3> {
    Aabb { min: corner, max: std::array::from_fn(|axis| corner[axis] + edges[axis]) }
}

fn all_pairs(boxes: &[Aabb<3>]) -> Vec<(u32, u32)> {
    let overlap = |i: usize, j: usize| boxes[i].touches(&boxes[j]);
    let pairs = (0..boxes.len()).flat_map(|i| (i + 1..boxes.len()).map(move |j| (i, j)));
    pairs.filter(|&(i, j)| overlap(i, j)).map(|(i, j)| (i as u32, j as u32)).collect()
}

fn grid_pairs(grid: &Grid, context: &Context) -> Vec<(u32, u32)> {
    let chunks = grid.map_pairs(context, |pairs| {
        let mut found = Vec::new();
        pairs.for_each(|i, j| found.push((i.min(j), i.max(j))));
        found
    });
    let mut found = chunks.concat();
    found.sort_unstable();
    found
}

fn coordinates(axes: usize, spread: f64) -> impl Strategy<Value = [f64; 3]> {
    prop::array::uniform3(-spread..spread).prop_map(move |mut p| {
        p[axes..].fill(0.0);
        p
    })
}

/// Boxes whose edges range over many orders of magnitude, on one to three axes.
fn boxes() -> impl Strategy<Value = Vec<Aabb<3>>> {
    (1..=3_usize, prop_oneof![Just(1.0), Just(30.0), Just(1e9), Just(1e-9)]).prop_flat_map(
        |(axes, spread)| {
            let edge = prop_oneof![4 => -2.0..0.5, 1 => -14.0..3.0, 1 => Just(f64::NEG_INFINITY)];
            let edges = prop::array::uniform3(edge.prop_map(|power: f64| 10_f64.powf(power)));
            let one = (coordinates(axes, spread), edges).prop_map(move |(corner, mut edges)| {
                edges[axes..].fill(0.0);
                bounds(corner, edges)
            });
            prop::collection::vec(prop_oneof![30 => one, 1 => Just(Aabb::EMPTY)], 0..120)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn finds_every_overlapping_pair_once(boxes in boxes()) {
        prop_assert_eq!(grid_pairs(&Grid::new(&boxes).unwrap(), &Context::serial()), all_pairs(&boxes));
    }

    #[test]
    fn finds_boxes_that_are_inserted_later(boxes in boxes(), split in 0.0..1.0_f64) {
        let built = (boxes.len() as f64 * split) as usize;
        let mut grid = Grid::new(&boxes[..built]).unwrap();
        for (id, &bounds) in boxes.iter().enumerate().skip(built) {
            grid.insert(id as u32, bounds).unwrap();
        }
        for bounds in &boxes {
            let mut found = Vec::new();
            grid.query(bounds, |id| found.push(id));
            let unique: BTreeSet<u32> = found.iter().copied().collect();
            prop_assert_eq!(unique.len(), found.len(), "each box is found once");
            let expected: BTreeSet<u32> =
                (0..).zip(&boxes).filter(|(_, other)| bounds.touches(other)).map(|(id, _)| id).collect();
            prop_assert_eq!(unique, expected);
        }
    }
}

#[test]
fn the_order_of_pairs_does_not_depend_on_threads() {
    let boxes: Vec<Aabb<3>> = (0..5000_u32)
        .map(|i| bounds([f64::from(i % 71), f64::from(i % 53), f64::from(i % 31)], [1.2; 3]))
        .collect();
    let grid = Grid::new(&boxes).unwrap();
    let found = |threads| {
        grid.map_pairs(&Context::with_threads(threads).unwrap(), |pairs| {
            let mut found = Vec::new();
            pairs.for_each(|i, j| found.push((i, j)));
            found
        })
        .concat()
    };
    let serial = found(1);
    assert_eq!(serial.len(), all_pairs(&boxes).len());
    assert!(serial == found(2) && serial == found(5));
}

#[test]
fn points_in_one_place_all_touch() {
    for place in [0.0, 1e-300, 1.0] {
        let boxes = vec![bounds([place; 3], [0.0; 3]); 20];
        assert_eq!(grid_pairs(&Grid::new(&boxes).unwrap(), &Context::serial()).len(), 190, "at {place}");
    }
}

#[test]
fn huge_coordinates_lose_no_pair() {
    let mut boxes: Vec<Aabb<3>> =
        (0..50).map(|i| bounds([1e60 + f64::from(i) * 1e45; 3], [3e45; 3])).collect();
    boxes.extend((0..50).map(|i| bounds([f64::from(i) * 0.5; 3], [1.0; 3])));
    assert_eq!(grid_pairs(&Grid::new(&boxes).unwrap(), &Context::serial()), all_pairs(&boxes));
}
