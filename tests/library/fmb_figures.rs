//! Every unit case that the FMB paper prints (docs/methods/fmb.md).

use carom::fmb::{self, Intersections, Pairs, ReferenceTest, Request};
use carom::{Aabb, Context, Frame, FrameKind, Frames, sat};
use serde_json::Value;

const TOLERANCE: f64 = 1e-5;

/// Two frames, the duration of their motion, and what the paper prints for them.
struct PrintedCase<const D: usize> {
    a: Frame<D>,
    b: Frame<D>,
    duration: Option<f64>,
    /// The box, in world coordinates, and the times; `None` if the frames do not intersect.
    printed: Option<(Aabb<D>, [f64; 2])>,
}

fn vector<const D: usize>(value: &Value) -> [f64; D] {
    std::array::from_fn(|axis| value[axis].as_f64().expect("a number"))
}

fn frame<const D: usize>(value: &Value) -> Frame<D> {
    let kind = match value["type"].as_str() {
        Some("cuboid") => FrameKind::Cuboid,
        Some("tetrahedron") => FrameKind::Tetrahedron,
        other => panic!("no such frame: {other:?}"),
    };
    Frame {
        kind,
        origin: vector(&value["origin"]),
        components: std::array::from_fn(|i| vector(&value["components"][i])),
        velocity: value.get("velocity").map_or([0.0; D], vector),
    }
}

fn case<const D: usize>(value: &Value, duration: Option<f64>) -> PrintedCase<D> {
    let ends = [&value["box_min"], &value["box_max"]];
    let times = || duration.map_or([0.0; 2], |_| ends.map(|end| end[D].as_f64().expect("a time")));
    let printed = value["intersects"]
        .as_bool()
        .expect("an answer")
        .then(|| (Aabb { min: vector(ends[0]), max: vector(ends[1]) }, times()));
    PrintedCase { a: frame(&value["a"]), b: frame(&value["b"]), duration, printed }
}

fn cases<const D: usize>(group: &str) -> Vec<PrintedCase<D>> {
    let file: Value = serde_json::from_str(include_str!("../data/fmb_unit_cases.json")).unwrap();
    let duration = group.ends_with("dynamic").then_some(1.0);
    file["cases"][group].as_array().unwrap().iter().map(|value| case(value, duration)).collect()
}

/// Calls a check of two and of three dimensions with every case and its name.
macro_rules! for_each_case {
    ($check:ident) => {
        let mut count = 0;
        for group in ["2d_static", "2d_dynamic"] {
            for (index, case) in cases::<2>(group).iter().enumerate() {
                $check(case, &format!("{group} {index}"));
                count += 1;
            }
        }
        for group in ["3d_static", "3d_dynamic"] {
            for (index, case) in cases::<3>(group).iter().enumerate() {
                $check(case, &format!("{group} {index}"));
                count += 1;
            }
        }
        assert_eq!(count, 84);
    };
}

fn assert_close(found: &[f64], printed: &[f64], name: &str) {
    for (found, printed) in found.iter().zip(printed) {
        assert!((found - printed).abs() <= TOLERANCE, "{name}: {found} is not {printed}");
    }
}

/// The part of a box that lies in another one.
fn clipped<const D: usize>(aabb: &Aabb<D>, to: &Aabb<D>) -> Aabb<D> {
    Aabb {
        min: std::array::from_fn(|axis| aabb.min[axis].max(to.min[axis])),
        max: std::array::from_fn(|axis| aabb.max[axis].min(to.max[axis])),
    }
}

#[test]
fn the_reference_answers_as_printed() {
    fn check<const D: usize>(case: &PrintedCase<D>, name: &str) {
        let found = ReferenceTest::new().test(&case.a, &case.b, case.duration);
        assert_eq!(found.is_some(), case.printed.is_some(), "{name}");
    }
    for_each_case!(check);
}

/// Before it prints the box of frames at rest, the paper clips it to the boxes around both frames.
#[test]
fn the_reference_has_the_printed_box_and_times() {
    fn check<const D: usize>(case: &PrintedCase<D>, name: &str) {
        let Some((aabb, times)) = &case.printed else { return };
        let found = ReferenceTest::new().test(&case.a, &case.b, case.duration).expect("an intersection");
        let mut world = found.world(&case.b);
        if case.duration.is_none() {
            world = clipped(&clipped(&world, &case.a.bounds(0.0)), &case.b.bounds(0.0));
        }
        assert_close(&world.min, &aabb.min, name);
        assert_close(&world.max, &aabb.max, name);
        assert_close(&found.times, times, name);
    }
    for_each_case!(check);
}

#[test]
fn separating_axes_answer_as_printed() {
    fn check<const D: usize>(case: &PrintedCase<D>, name: &str) {
        assert_eq!(sat::intersects(&case.a, &case.b, case.duration), case.printed.is_some(), "{name}");
    }
    for_each_case!(check);
}

#[test]
fn exact_arithmetic_answers_as_printed() {
    fn check<const D: usize>(case: &PrintedCase<D>, name: &str) {
        assert_eq!(fmb::intersects(&case.a, &case.b, case.duration), case.printed.is_some(), "{name}");
    }
    for_each_case!(check);
}

fn set<const D: usize>(frame: &Frame<D>, duration: Option<f64>) -> Frames<D> {
    let mut frames = duration.map_or_else(Frames::resting, |duration| Frames::moving(duration).unwrap());
    frames.add(frame).unwrap();
    frames
}

/// Tests a case in both orders.
fn tested<const D: usize>(case: &PrintedCase<D>) -> [Intersections<D>; 2] {
    [[&case.a, &case.b], [&case.b, &case.a]].map(|[a, b]| {
        let mut found = Intersections::new(Request::ALL);
        let [a, b] = [a, b].map(|frame| set(frame, case.duration));
        found.test(&Context::serial(), &a, &b, Pairs::Paired).unwrap();
        found
    })
}

#[test]
fn the_batch_answers_as_printed_in_both_orders() {
    fn check<const D: usize>(case: &PrintedCase<D>, name: &str) {
        for found in tested(case) {
            let hits = usize::from(case.printed.is_some());
            assert_eq!(
                (found.hits(), found.list().len(), found.bits()),
                (hits, hits, &[hits as u64][..]),
                "{name}"
            );
        }
    }
    for_each_case!(check);
}

#[test]
fn the_tight_box_of_the_batch_lies_in_the_printed_one() {
    fn check<const D: usize>(case: &PrintedCase<D>, name: &str) {
        let Some((aabb, times)) = &case.printed else { return };
        for found in tested(case) {
            let tight = found.boxes()[0];
            assert!((0..D).all(|axis| tight.min[axis] < tight.max[axis]), "{name}: {tight:?} is empty");
            assert!(tight.is_within(aabb, TOLERANCE), "{name}: {tight:?} is not within {aabb:?}");
            assert_close(&found.times()[0], times, name);
        }
    }
    for_each_case!(check);
}
