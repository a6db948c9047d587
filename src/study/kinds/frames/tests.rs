use std::sync::atomic::AtomicBool;

use super::{SmallDeterminants, is_small, preset_body};
use crate::fmb;
use crate::frames::{Frame, FrameKind};
use crate::sat;
use crate::soa::level::run_at_each_level;
use crate::study::file::Study;
use crate::study::inputs::Inputs;
use crate::study::model::{BatchColumns, Model};
use crate::study::random::{Purpose, Streams};
use crate::study::testing::batch;

fn model(text: &str) -> Box<dyn Model> {
    Study::from_toml(&format!("kind = \"frames\"\n{text}"), None).unwrap().points.remove(0).model
}

fn run(model: &dyn Model, count: u64) -> BatchColumns {
    batch(model, 1, 0, 0..count)
}

/// The two frames of a replica of the preset, from its inputs.
fn frames_of<const D: usize>(block: &BatchColumns, row: usize, is_moving: bool) -> [Frame<D>; 2] {
    let mut inputs = block.inputs.iter().map(|column| column[row]);
    [0, 1].map(|_| {
        let mut next = || inputs.next().unwrap();
        let kind = FrameKind::from_code(next() as u8).unwrap();
        let origin = std::array::from_fn(|_| next());
        let components = std::array::from_fn(|_| std::array::from_fn(|_| next()));
        let velocity = std::array::from_fn(|_| if is_moving { next() } else { 0.0 });
        Frame { kind, origin, components, velocity }
    })
}

fn agrees_with_its_rival<const D: usize>(duration: Option<f64>) {
    let moving = duration.map_or(String::new(), |duration| format!("duration = {duration}\n"));
    let text = format!(
        "measure = {}\n[frames]\ndimension = {D}\n{moving}",
        match duration {
            Some(_) => r#"["hit", "first_contact", "overlap_time", "overlap_box"]"#,
            None => r#"["hit", "overlap_box"]"#,
        }
    );
    let block = run(&*model(&text), 403);
    let mut hits = 0;
    for row in 0..403 {
        let [a, b] = frames_of::<D>(&block, row, duration.is_some());
        let values: Vec<f64> = block.values.iter().map(|column| column[row]).collect();
        let hit = sat::intersects(&a, &b, duration);
        assert_eq!(values[0], f64::from(u8::from(hit)), "row {row}");
        if !hit {
            assert!(values[1..].iter().all(|value| value.is_nan()));
            continue;
        }
        hits += 1;
        let region = fmb::region(&a, &b, duration);
        let content: f64 = (0..D).map(|axis| region.world.max[axis] - region.world.min[axis]).product();
        assert!((values.last().unwrap() / content - 1.0).abs() < 1e-6, "row {row}");
        if duration.is_some() {
            let [first, last] = region.times;
            assert!(
                (values[1] - first).abs() < 1e-9 && (values[2] - (last - first)).abs() < 1e-9,
                "row {row}"
            );
        }
    }
    assert!(hits > 40, "{hits} hits");
}

#[test]
fn frames_of_the_document_hit_as_the_separating_axes_say() {
    agrees_with_its_rival::<2>(None);
    agrees_with_its_rival::<2>(Some(0.5));
    agrees_with_its_rival::<3>(None);
    agrees_with_its_rival::<3>(Some(1.0));
}

#[test]
fn frames_with_a_small_determinant_are_drawn_again() {
    let model = model("[frames]\ndimension = 2\n");
    let mut inputs = Inputs::new();
    for name in ["a", "b"] {
        preset_body::<2>(name, None, false, &mut inputs);
    }
    let streams = Streams::new(2, 0, Purpose::Inputs);
    let (mut block, mut first, mut redrawn) = (BatchColumns::default(), Vec::new(), 0);
    let mut worker = model.worker(2, 0);
    for batch in 0..64 {
        let range = batch * 1024..(batch + 1) * 1024;
        inputs.draw(&streams, range.clone(), &mut first);
        assert!(worker.run(range, &AtomicBool::new(false), &mut block));
        for row in 0..1024 {
            for frame in frames_of::<2>(&block, row, false) {
                assert!(frame.determinant().abs() >= 0.1);
            }
            let is_first = block.inputs.iter().zip(&first).all(|(now, first)| now[row] == first[row]);
            redrawn += usize::from(!is_first);
        }
    }
    assert!((1..20).contains(&redrawn), "{redrawn}");
}

/// Drawn from few numbers, so that many rows are dependent.
fn small_determinants_are_found<const D: usize>() {
    let mut seed = 1_u64;
    let mut digit = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 % 5.0 - 2.0
    };
    let columns: [Vec<f64>; 9] = std::array::from_fn(|_| (0..1003).map(|_| 0.4 * digit()).collect());
    let components = columns.each_ref().map(|column| &column[..]);
    let expected: Vec<usize> =
        (0..1003).filter(|&row| is_small::<D>(&components.map(|column| column[row]))).collect();
    assert!((50..900).contains(&expected.len()), "{} of 1003", expected.len());
    for found in run_at_each_level(&SmallDeterminants::<D> { components }) {
        assert_eq!(found, expected);
    }
}

#[test]
fn small_determinants_are_found_at_every_level() {
    small_determinants_are_found::<2>();
    small_determinants_are_found::<3>();
}

#[test]
fn a_frame_that_cannot_be_is_a_failure_of_its_replica() {
    let body = |origin: &str| {
        format!(
            "origin = {origin}\ncomponents = [[1, 0], {{ choice = [[0, 1], [1, 0]], weights = [3, 1] }}]\n"
        )
    };
    let text = format!(
        "[frames]\ndimension = 2\nkinds = \"CC\"\n[frames.a]\n{}[frames.b]\n{}",
        body("[0, 0]"),
        body("[0.5, 0.5]")
    );
    let block = run(&*model(&text), 2000);
    let share = block.failures.len() as f64 / 2000.0;
    assert!((share - 7.0 / 16.0).abs() < 0.05, "{share}");
    for row in 0..2000 {
        let failed = block.failures.iter().any(|failure| failure.replica == row as u64);
        let value = block.values[0][row];
        assert!(if failed { value.is_nan() } else { value == 1.0 }, "row {row}: {value}");
    }
    assert!(block.failures[0].message.contains("dependent"), "{}", block.failures[0].message);
    assert!(block.failures.is_sorted_by_key(|failure| failure.replica));
}

#[test]
fn only_near_pairs_count_if_asked_for() {
    let text = "[frames]\ndimension = 2\nmoving = true\n";
    let (all, near) = (run(&*model(text), 500), run(&*model(&format!("{text}near = true\n")), 500));
    assert_eq!(all.inputs, near.inputs);
    let mut distant = 0;
    for row in 0..500 {
        let [a, b] = frames_of::<2>(&near, row, true).map(|frame| frame.bounds(1.0));
        let value = near.values[0][row];
        assert!(if a.overlaps(&b) { value == all.values[0][row] } else { value.is_nan() }, "row {row}");
        distant += usize::from(value.is_nan());
    }
    assert!((20..480).contains(&distant), "{distant}");
}

#[test]
fn turned_boxes_keep_their_sides() {
    let body = "sides = [1, { uniform = [2, 3] }, 4]\nrotation = \"random\"\n";
    let text = format!(
        "[frames]\nduration = 2\nkinds = \"TC\"\n[frames.a]\norigin = [0, 0, 0]\n{body}\
         [frames.b]\norigin = {{ ball = {{ radius = 5 }} }}\n{body}velocity = {{ maxwell = 1 }}\n"
    );
    let model = model(&text);
    let replay = model.replay(3, 0, 21).unwrap();
    assert_eq!(replay.columns, ["time_s", "body", "vertex", "position_x_m", "position_y_m", "position_z_m"]);
    let vertex = |body: f64, number: f64| {
        let found = replay.rows.iter().find(|row| row[..3] == [0.0, body, number]).unwrap();
        [found[3], found[4], found[5]]
    };
    let middle = |name: &str| replay.inputs.iter().find(|input| input.0 == name).unwrap().2;
    for (body, numbers, side) in
        [(0.0, [1.0, 2.0, 3.0], "frames.a.sides_y"), (1.0, [1.0, 2.0, 4.0], "frames.b.sides_y")]
    {
        let origin = vertex(body, 0.0);
        let edges =
            numbers.map(|number| std::array::from_fn::<f64, 3, _>(|k| vertex(body, number)[k] - origin[k]));
        let dot = |u: [f64; 3], v: [f64; 3]| u.iter().zip(v).map(|(x, y)| x * y).sum::<f64>();
        let lengths = edges.map(|edge| dot(edge, edge).sqrt());
        for (length, expected) in lengths.iter().zip([1.0, middle(side), 4.0]) {
            assert!((length - expected).abs() < 1e-13);
        }
        assert!(dot(edges[0], edges[1]).abs() < 1e-13 && dot(edges[1], edges[2]).abs() < 1e-13);
    }
    let mut block = BatchColumns::default();
    model.worker(3, 0).run(16..40, &AtomicBool::new(false), &mut block);
    for (value, column) in replay.values.iter().zip(&block.values) {
        assert_eq!(value.to_bits(), column[5].to_bits());
    }
}

#[test]
fn what_makes_no_sense_is_named() {
    for (text, expected) in [
        ("[frames]\ndimension = 4", "frames.dimension is 4: it must be 2 or 3"),
        ("[frames]\nmoving = false\nduration = 1", "frames.moving is false, but there is a duration"),
        ("[frames]\nkinds = \"CX\"", "frames.kinds is \"CX\"; did you mean CC?"),
        ("[frames]\n[frames.a]\norigin = [0, 0, 0]\nsides = [1, 1, 1]", "frames.b is missing"),
        (
            "[frames]\n[frames.a]\norigin = [0, 0, 0]\nsides = [1, 1, { normal = [1, 1] }]",
            "frames.a.sides[2] may come out negative: it is a length",
        ),
        (
            "[frames]\n[frames.a]\norigin = [0, 0, 0]\nsides = [1, 1, 1]\nvelocity = [1, 0, 0]",
            "frames.a.velocity is for frames that move: give moving or duration",
        ),
        (
            "[frames]\npreset = \"document\"\n[frames.a]\n",
            "frames.preset stands beside distributions of frames: give one of them",
        ),
    ] {
        let error = Study::from_toml(&format!("kind = \"frames\"\n{text}"), None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn hits_by_type_are_the_hits_of_the_pairs_of_that_type() {
    let names = ["CC", "CT", "TC", "TT"];
    let measure = r#"measure = ["hit", "hit_CC", "hit_CT", "hit_TC", "hit_TT"]"#;
    let block = run(&*model(&format!("{measure}\n[frames]\ndimension = 2")), 800);
    let mut observed = [0; 4];
    for row in 0..800 {
        let letter = |frame: Frame<2>| if frame.kind == FrameKind::Cuboid { 'C' } else { 'T' };
        let mine: String = frames_of::<2>(&block, row, false).map(letter).iter().collect();
        for (which, name) in names.iter().enumerate() {
            let value = block.values[1 + which][row];
            if *name == mine {
                assert_eq!(value, block.values[0][row], "row {row}");
                observed[which] += 1;
            } else {
                assert!(value.is_nan(), "row {row} is {mine}, not {name}");
            }
        }
    }
    assert!(observed.iter().all(|count| (140..260).contains(count)), "{observed:?}");
}
