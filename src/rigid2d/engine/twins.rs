//! Kernels of the engine against plain scalar formulas, on contacts of scenes that move.

use super::Engine;
use super::pairs::{Class, NO_PAIR, Pairs, flag, row};
use super::recycle::{FindStale, MOVED, UNMOVED_COSINE, relative_poses};
use super::tile::{Step, Tile};
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::scenes::{Parameters, Scene};
use crate::rigid2d::solver::constraints::{GROUPS, both_move, field, points_of, size_of_group};
use crate::rigid2d::space::Precision;
use crate::rigid2d::space::any::AnyEngine;
use crate::soa::block::Real;
use crate::soa::level::{Kernel, run_at_each_level};
use crate::soa::simd::Simd;

const DT: f64 = 1.0 / 60.0;

/// The engines of scenes in the middle of a run, in a precision.
fn engines(precision: Precision) -> Vec<AnyEngine> {
    let scenes = [("tumbler", 60, 80), ("bin", 60, 100), ("dominoes", 9, 60), ("card-house", 2, 30)];
    let engine = |(name, count, steps): (&str, usize, usize)| {
        let is_house = name == "card-house";
        let parameters = Parameters::default();
        let parameters = if is_house { parameters.with_rows(count) } else { parameters.with_bodies(count) };
        let mut scene = Scene::named(name, &parameters).unwrap();
        scene.settings.precision = precision;
        let mut space = scene.space().unwrap();
        let ids: Vec<_> = space.shapes().map(|shape| shape.id()).collect();
        // Some surfaces move.
        for id in ids.into_iter().step_by(5) {
            space.shape_mut(id).unwrap().set_surface_velocity(Vec2::new(0.7, -0.3)).unwrap();
        }
        for _ in 0..steps {
            space.step(DT).unwrap();
        }
        space.core.engine.find_contacts(DT).unwrap();
        space.core.engine
    };
    scenes.into_iter().map(engine).collect()
}

fn in_double() -> Vec<Engine<f64>> {
    let engines = engines(Precision::Double).into_iter();
    engines
        .map(|engine| if let AnyEngine::Double(engine) = engine { engine } else { unreachable!() })
        .collect()
}

fn in_single() -> Vec<Engine<f32>> {
    let engines = engines(Precision::Mixed).into_iter();
    engines
        .map(|engine| if let AnyEngine::Mixed(engine) = engine { engine } else { unreachable!() })
        .collect()
}

/// The record of a contact, field by field.
fn record<R: Real>(tile: &Tile<R>, step: &Step<'_, R>, slot: usize, group: usize) -> Vec<f64> {
    let mut contact = tile.contact(step, slot);
    let (points, moves) = (points_of(group), both_move(group));
    let rows = &tile.pairs.rows()[row::COUNT * slot..row::COUNT * (slot + 1)];
    if contact.count < points {
        // A point that is absent is the other one, far away.
        let (separation, on_first, on_second) = contact.points[0];
        let offsets = [2, 3].map(|n| rows[row::TRAITS][n].widen());
        contact.points[1] = (separation - offsets[0] + offsets[1], on_first, on_second);
    }
    let (normal, tangent) = (contact.normal, contact.normal.perpendicular());
    let [first, second] = contact.bodies.map(|body| body as usize);
    let mean = |arm: fn(&(f64, Vec2, Vec2)) -> Vec2| {
        let arms = contact.points[..points].iter().map(arm);
        arms.fold(Vec2::ZERO, |sum, arm| sum + arm) * (1.0 / points as f64)
    };
    let (arm_a, arm_b) = (mean(|point| point.1).cross(tangent), mean(|point| point.2).cross(tangent));
    let inverse =
        |body: usize, arm: f64| step.bodies.inverse_mass[body] + step.bodies.inverse_moment[body] * arm * arm;
    let [x, y, turn] = step.bodies.velocity(first);
    let along = |direction: Vec2, arm: f64| Vec2::new(x, y).dot(direction) + turn * arm;
    let mut record = vec![0.0; size_of_group(group)];
    (record[field::NORMAL_X], record[field::NORMAL_Y]) = (normal.x, normal.y);
    record[field::FRICTION] = contact.friction;
    record[field::TANGENT_IMPULSE] = rows[row::TRAITS][1].widen();
    record[field::TANGENT_ARM] = arm_b;
    let own = &mut record[field::FIRST[points - 1]..];
    if moves {
        own[0] = arm_a;
    }
    for (n, &(_, on_first, _)) in contact.points[..points].iter().enumerate() {
        let arm = on_first.cross(normal);
        own[n + usize::from(moves)] = if moves { arm } else { along(normal, arm) };
    }
    for (n, &(separation, _, on_second)) in contact.points[..points].iter().enumerate() {
        let at = field::POINT[n];
        record[at + field::SEPARATION] = separation;
        record[at + field::IMPULSE] = rows[row::NORMAL][2 + n].widen();
        record[at + field::ARM] = on_second.cross(normal);
    }
    let of_first = if moves { inverse(first, arm_a) } else { 0.0 };
    record[field::TANGENT_MASS] = 1.0 / (of_first + inverse(second, arm_b));
    record[field::SURFACE] = contact.surface + if moves { 0.0 } else { along(tangent, arm_a) };
    record
}

/// Compares all records of a tile, and counts them by group.
fn compare_records<R: Real>(mut engine: Engine<R>, tolerance: f64) -> [usize; GROUPS] {
    let (tile, mut step) = engine.parts(DT);
    tile.update_colours(&step.bodies).unwrap();
    tile.load_states(&mut step).unwrap();
    tile.prepare(&step).unwrap();
    let mut seen = [0; GROUPS];
    for group in 0..GROUPS {
        let layout = &tile.constraints.groups[group];
        let (size, records) = (size_of_group(group), layout.records.as_slice());
        for (at, &slot) in layout.slots.as_slice().iter().enumerate().filter(|(_, slot)| **slot != NO_PAIR) {
            let expected = record(tile, &step, slot as usize, group);
            for (n, &expected) in expected.iter().enumerate() {
                let found = records[(at / R::COUNT * size + n) * R::COUNT + at % R::COUNT].widen();
                let off = (found - expected).abs();
                assert!(off <= tolerance * (1.0 + expected.abs()), "{group} {n}: {found} {expected}");
            }
            seen[group] += 1;
        }
    }
    seen
}

#[test]
fn records_are_those_of_the_scalar_twin() {
    let sum = |seen: Vec<[usize; GROUPS]>| {
        let all = seen.iter().fold([0; GROUPS], |sum, seen| std::array::from_fn(|n| sum[n] + seen[n]));
        assert!(all.iter().all(|&count| count > 4), "{all:?}");
    };
    sum(in_double().into_iter().map(|engine| compare_records(engine, 1e-12)).collect());
    sum(in_single().into_iter().map(|engine| compare_records(engine, 2e-5)).collect());
}

fn pose([x, y, cos, sin]: [f64; 4]) -> Pose {
    Pose { position: Vec2::new(x, y), rotation: Rotation { cos, sin } }
}

/// The pose of the second body of a pair in the coordinates of the first, rounded to a precision.
fn relative<R: Real>(pairs: &Pairs<R>, poses: &[[f64; 4]], slot: u32) -> [R; 4] {
    let [a, b] = pairs.heads[slot as usize].bodies.map(|body| pose(poses[body as usize]));
    let Pose { position, rotation } = a.relative(b);
    [position.x, position.y, rotation.cos, rotation.sin].map(R::nearest)
}

/// How far two bodies come closer in a step, at most.
fn reach<R: Real>(ways: &[[R; 4]], [a, b]: [u32; 2]) -> R {
    let [[xa, ya, turn_a, _], [xb, yb, turn_b, _]] = [ways[a as usize], ways[b as usize]];
    let (x, y) = (xb - xa, yb - ya);
    root(x * x + y * y) + turn_a + turn_b
}

/// The square root, rounded to a precision.
fn root<R: Real>(square: R) -> R {
    R::nearest(square.widen().sqrt())
}

/// Whether a manifold is kept, and whether its bodies have moved.
fn is_kept<R: Real>(pairs: &Pairs<R>, poses: &[[f64; 4]], ways: &[[R; 4]], slot: u32) -> [bool; 2] {
    let head = &pairs.heads[slot as usize];
    let [x, y, cos, sin] = relative(pairs, poses, slot);
    let [old_x, old_y, old_cos, old_sin] = pairs.poses()[slot as usize];
    let (dx, dy) = (x - old_x, y - old_y);
    let cosine = cos * old_cos + sin * old_sin;
    let (zero, two) = (R::nearest(0.0), R::nearest(2.0));
    let square = two - two * cosine;
    let chord = root(if square > zero { square } else { zero });
    let free = match head.count {
        0 => R::nearest(f64::from(head.swing)) * chord + reach(ways, head.bodies),
        _ => zero,
    };
    let way = root(dx * dx + dy * dy) + free;
    let limit = R::nearest(f64::from(head.limit));
    let has_moved = limit * R::nearest(MOVED) <= way || cosine <= R::nearest(UNMOVED_COSINE);
    [way < limit && R::nearest(0.98) < cosine, has_moved]
}

/// What [`FindStale`] finds.
#[derive(Clone, Copy)]
struct Stale<'a, R: Real> {
    pairs: &'a Pairs<R>,
    poses: &'a [[f64; 4]],
    ways: &'a [[R; 4]],
    slots: &'a [u32],
}

impl<R: Real> Kernel for Stale<'_, R> {
    type Output = [Vec<u32>; 3];

    #[inline(always)]
    fn run<S: Simd>(self) -> [Vec<u32>; 3] {
        let Self { pairs, poses, ways, slots } = self;
        let [mut stale, mut waiting, mut ageing] = [const { Vec::new() }; 3];
        let lists = (&mut stale, &mut waiting, &mut ageing);
        FindStale { pairs, poses, ways, slots, stale: lists.0, waiting: lists.1, ageing: lists.2 }.run::<S>();
        [stale, waiting, ageing]
    }
}

/// What [`relative_poses`] finds, pair by pair, of whole blocks.
#[derive(Clone, Copy)]
struct RelativePoses<'a, R: Real>(Stale<'a, R>);

impl<R: Real> Kernel for RelativePoses<'_, R> {
    type Output = Vec<[R; 4]>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<[R; 4]> {
        let Stale { pairs, poses, slots, .. } = self.0;
        let mut found = Vec::new();
        for slots in slots.chunks(R::COUNT) {
            let bodies = |which: usize| -> Vec<u32> {
                slots.iter().map(|&slot| pairs.heads[slot as usize].bodies[which]).collect()
            };
            // SAFETY: the bodies of pairs are rows of the poses.
            let (columns, _) = unsafe { relative_poses::<S, R>(poses, &bodies(0), &bodies(1)) };
            let column = |n: usize| bytemuck::cast_slice::<_, R>(std::slice::from_ref(&columns[n]));
            found.extend((0..R::COUNT).map(|lane| [0, 1, 2, 3].map(|n| column(n)[lane])));
        }
        found
    }
}

/// Compares which manifolds are stale, with bodies moved a little since they were made. Returns how many are and are not.
fn compare_stale<R: Real>(engine: &Engine<R>, moved: f64) -> [usize; 2] {
    let pairs = &engine.tile.pairs;
    let mut poses = engine.tile.poses.as_slice().as_chunks::<4>().0.to_vec();
    for (n, entry) in poses.iter_mut().enumerate() {
        let [x, y, turn] = [1.0, 2.0, 3.0].map(|k| moved * (k * n as f64 * 1.7 % 1.0 - 0.5));
        let by = Rotation::from_angle(turn);
        let Rotation { cos, sin } = pose(*entry).rotation.then(by);
        *entry = [entry[0] + x, entry[1] + y, cos, sin];
    }
    let ways = engine.tile.ways.as_slice().as_chunks().0;
    let mut counts = [0; 2];
    for class in Class::ALL {
        let slots = pairs.lists[class as usize].as_slice();
        // All, none, one, and one less than a block.
        for slots in [slots, &[], &slots[..slots.len().min(1)], &slots[..slots.len().min(R::COUNT - 1)]] {
            let input = Stale { pairs, poses: &poses, ways, slots };
            let (kept, stale): (Vec<u32>, Vec<u32>) =
                slots.iter().partition(|&&slot| is_kept(pairs, &poses, ways, slot)[0]);
            let waits = |slot: &u32| {
                let head = &pairs.heads[*slot as usize];
                head.count > 0 && head.flags & flag::ACTIVE == 0
            };
            let waiting: Vec<u32> = kept.iter().copied().filter(waits).collect();
            let ages =
                |slot: &u32| pairs.heads[*slot as usize].count > 0 && is_kept(pairs, &poses, ways, *slot)[1];
            let ageing: Vec<u32> = kept.iter().copied().filter(ages).collect();
            for found in run_at_each_level(&input) {
                assert_eq!(found, [stale.clone(), waiting.clone(), ageing.clone()]);
            }
            counts = [counts[0] + stale.len(), counts[1] + kept.len()];
        }
        let mut padded = slots.to_vec();
        padded.resize(slots.len().next_multiple_of(R::COUNT), slots.last().copied().unwrap_or(0));
        let expected: Vec<[R; 4]> = padded.iter().map(|&slot| relative(pairs, &poses, slot)).collect();
        for found in run_at_each_level(&RelativePoses(Stale { pairs, poses: &poses, ways, slots: &padded })) {
            assert_eq!(found, expected);
        }
    }
    counts
}

#[test]
fn stale_manifolds_and_relative_poses_are_those_of_the_scalar_twin() {
    let mut all = [0; 2];
    for moved in [0.0, 0.02, 0.2] {
        let double = in_double().into_iter().map(|engine| compare_stale(&engine, moved));
        for counts in double.chain(in_single().into_iter().map(|engine| compare_stale(&engine, moved))) {
            all = [all[0] + counts[0], all[1] + counts[1]];
        }
    }
    assert!(all.iter().all(|&count| count > 500), "{all:?}");
}

/// Compares the manifolds that the lanes make and keep with those of the scalar twins. Returns how many have points.
fn compare_manifolds(mut engine: Engine<f64>) -> usize {
    let mut with_points = 0;
    let mut expected = engine.clone();
    let (tile, step) = expected.parts(DT);
    let (lanes, _) = engine.parts(DT);
    for class in Class::ALL.into_iter().filter(|&class| class != Class::General) {
        let slots = tile.pairs.lists[class as usize].clone();
        lanes.make_all(class, &slots, &step);
        for &slot in &slots {
            let at = slot as usize;
            let [a, b] = tile.pairs.heads[at].bodies.map(|body| step.bodies.pose(body as usize));
            let pose = a.relative(b);
            let made = tile.manifold_at(at, &step, pose);
            tile.keep(at, &made, pose);
            let ([head, found], points) =
                ([&tile.pairs, &lanes.pairs].map(|pairs| &pairs.heads[at]), made.count);
            assert_eq!(
                (head.count, head.ids, head.flags),
                (found.count, found.ids, found.flags),
                "{class:?}"
            );
            let rows = if class.has_one_point() { 3 } else { 4 };
            for row in row::COUNT * at..row::COUNT * at + rows {
                assert_eq!(tile.pairs.rows()[row], lanes.pairs.rows()[row], "{class:?} {points} {row}");
            }
            assert_eq!(tile.pairs.poses()[at], lanes.pairs.poses()[at]);
            with_points += usize::from(points > 0);
        }
    }
    with_points
}

#[test]
fn manifolds_are_kept_as_by_the_scalar_twin() {
    assert!(in_double().into_iter().map(compare_manifolds).sum::<usize>() > 100);
}
