//! Normals, depths and points of contact, checked by exact decisions: what a translation by the depth separates, what less of
//! it does not, and which points both frames hold.

use carom::fmb::{self, Contact, Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::{Context, Frame, FrameKind, Frames};

use super::random::{Random, hash};

type FramePair<const D: usize> = [Frame<D>; 2];

fn norm<const D: usize>(vector: &[f64; D]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn dot<const D: usize>(one: &[f64; D], two: &[f64; D]) -> f64 {
    one.iter().zip(two).map(|(x, y)| x * y).sum()
}

/// Sizes, distance and displacements together, and a rounding of the coordinates in units of this.
fn reach<const D: usize>([a, b]: &FramePair<D>, duration: Option<f64>) -> f64 {
    let size = |frame: &Frame<D>| frame.components.iter().map(norm).sum::<f64>();
    let offset: [f64; D] = std::array::from_fn(|axis| b.origin[axis] - a.origin[axis]);
    let velocity: [f64; D] = std::array::from_fn(|axis| b.velocity[axis] - a.velocity[axis]);
    let far = norm(&a.origin) + norm(&b.origin);
    size(a) + size(b) + norm(&offset) + norm(&velocity) * duration.unwrap_or(0.0) + 1e-2 * far
}

fn moved<const D: usize>(frame: &Frame<D>, direction: &[f64; D], by: f64) -> Frame<D> {
    Frame { origin: std::array::from_fn(|axis| frame.origin[axis] + direction[axis] * by), ..*frame }
}

fn stopped<const D: usize>(frame: &Frame<D>, time: f64) -> Frame<D> {
    moved(frame, &frame.velocity, time).with_velocity([0.0; D])
}

/// Whether a frame comes within `radius` of a point on every axis.
fn is_near<const D: usize>(frame: &Frame<D>, point: &[f64; D], radius: f64) -> bool {
    let components =
        std::array::from_fn(|i| std::array::from_fn(|axis| if i == axis { 2.0 * radius } else { 0.0 }));
    let cube = Frame::cuboid(point.map(|x| x - radius), components);
    fmb::intersects(frame, &cube, None)
}

/// Directions along which less than the depth must not separate two frames: those of faces and edges, and random ones.
fn directions<const D: usize>([a, b]: &FramePair<D>, random: &mut Random) -> Vec<[f64; D]> {
    let mut edges = [a, b].map(|frame| frame.components.to_vec());
    for (edges, frame) in edges.iter_mut().zip([a, b]) {
        if frame.kind == FrameKind::Tetrahedron {
            for (i, j) in [(0, 1), (0, 2), (1, 2)].into_iter().filter(|&(_, j)| j < D) {
                edges.push(std::array::from_fn(|axis| frame.components[j][axis] - frame.components[i][axis]));
            }
        }
    }
    let mut found: Vec<[f64; D]> = (0..8).map(|_| std::array::from_fn(|_| random.real(-1.0, 1.0))).collect();
    let all = edges.concat();
    for one in &all {
        for two in &all {
            found.push(std::array::from_fn(|axis| match D {
                2 => [-one[1], one[0]][axis],
                _ => {
                    let (k, l) = ((axis + 1) % 3, (axis + 2) % 3);
                    one[k] * two[l] - one[l] * two[k]
                }
            }));
        }
    }
    let lengths = found.iter().map(norm).collect::<Vec<_>>();
    let real = found.iter().zip(lengths).filter(|(_, length)| *length > 0.0);
    real.flat_map(|(n, length)| [n.map(|x| x / length), n.map(|x| -x / length)]).collect()
}

fn assert_opposite<const D: usize>(pair: &FramePair<D>, duration: Option<f64>, found: &Contact<D>) {
    let other = fmb::contact(&pair[1], &pair[0], duration);
    assert_eq!(other.normal, found.normal.map(|x| -x), "{pair:?}");
    assert_eq!(other.depth.to_bits(), found.depth.to_bits(), "{pair:?}");
    assert_eq!(other.point.map(f64::to_bits), found.point.map(f64::to_bits), "{pair:?}");
}

/// What holds for all frames that intersect. `precise` is the share of the sizes up to which the depth is the least.
fn assert_contact<const D: usize>(pair: &FramePair<D>, precise: f64, random: &mut Random) {
    let [a, b] = pair;
    let (found, reach) = (fmb::contact(a, b, None), reach(pair, None));
    let what = || format!("{a:?}\n{b:?}\n{found:?}");
    assert!(found.depth >= 0.0 && found.depth.is_finite(), "{}", what());
    assert!(found.point.iter().all(|x| x.is_finite()), "{}", what());
    assert!((norm(&found.normal) - 1.0).abs() < 1e-15, "{}", what());
    assert!(!fmb::intersects(a, &moved(b, &found.normal, found.depth + 1e-13 * reach), None), "{}", what());
    let less = 0.999 * found.depth - precise * reach;
    if less > 0.0 {
        assert!(fmb::intersects(a, &moved(b, &found.normal, less), None), "{}", what());
        for direction in directions(pair, random) {
            let part = moved(b, &direction, less);
            assert!(fmb::intersects(a, &part, None), "{direction:?} separates sooner\n{}", what());
        }
    }
    assert!(pair.iter().all(|frame| is_near(frame, &found.point, 1e-12 * reach)), "{}", what());
    assert_opposite(pair, None, &found);
}

fn assert_moving_contact<const D: usize>(pair: &FramePair<D>, duration: f64) {
    let [a, b] = pair;
    let (found, reach) = (fmb::contact(a, b, Some(duration)), reach(pair, Some(duration)));
    let what = || format!("{a:?}\n{b:?}\n{found:?}");
    assert_opposite(pair, Some(duration), &found);
    let resting = pair.map(|frame| frame.with_velocity([0.0; D]));
    let at_once = fmb::contact(&resting[0], &resting[1], None);
    if fmb::intersects(&resting[0], &resting[1], None) && at_once.depth > 1e-12 * reach {
        assert_eq!(found, at_once, "the smallest translation at time 0");
        return;
    }
    let time = fmb::region(a, b, Some(duration)).times[0];
    let approach = dot(&found.normal, &a.velocity) - dot(&found.normal, &b.velocity);
    assert!(approach > 0.0 && found.depth <= 1e-12 * reach, "{}", what());
    let [a, b] = [stopped(a, time), stopped(b, time)];
    let apart = moved(&b, &found.normal, 1e-11 * reach);
    assert!(!fmb::intersects(&a, &apart, None), "still together at {time}\n{}", what());
    let near = [a, b].iter().all(|frame| is_near(frame, &found.point, 1e-10 * reach));
    assert!(near, "no common point at {time}\n{}", what());
}

fn random_hits<const D: usize>(seed: u64, count: usize, moving: bool) -> Vec<FramePair<D>> {
    let mut random = RandomFrames::new(seed);
    let duration = moving.then_some(1.0);
    let pairs = std::iter::repeat_with(|| random.pair::<D>(moving));
    pairs.filter(|[a, b]| fmb::intersects(a, b, duration)).take(count).collect()
}

const COUNT: usize = if cfg!(debug_assertions) { 20 } else { 500 };

#[test]
fn a_translation_by_the_depth_separates_and_less_does_not() {
    let mut random = Random(1);
    random_hits::<2>(1, 2 * COUNT, false).iter().for_each(|pair| assert_contact(pair, 1e-10, &mut random));
    random_hits::<3>(2, COUNT, false).iter().for_each(|pair| assert_contact(pair, 1e-10, &mut random));
}

#[test]
fn frames_that_come_into_contact_have_the_normal_of_that_time() {
    random_hits::<2>(3, 2 * COUNT, true).iter().for_each(|pair| assert_moving_contact(pair, 1.0));
    random_hits::<3>(4, 2 * COUNT, true).iter().for_each(|pair| assert_moving_contact(pair, 1.0));
}

/// A unit vector and two perpendicular to it.
fn basis(random: &mut Random) -> [[f64; 3]; 3] {
    let unit = |v: [f64; 3]| v.map(|x| x / norm(&v));
    let cross = |u: &[f64; 3], v: &[f64; 3]| {
        [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    };
    let vector = |random: &mut Random| std::array::from_fn(|_| random.real(-1.0, 1.0));
    let first = unit(vector(random));
    let second = unit(cross(&first, &vector(random)));
    [first, second, cross(&first, &second)]
}

/// Axes turned by an angle about a direction in their span, roughly.
fn turned(axes: &[[f64; 3]; 3], angle: f64, random: &mut Random) -> [[f64; 3]; 3] {
    let axis: [f64; 3] = std::array::from_fn(|_| random.real(-1.0, 1.0));
    axes.map(|v| {
        let turn = [
            axis[1] * v[2] - axis[2] * v[1],
            axis[2] * v[0] - axis[0] * v[2],
            axis[0] * v[1] - axis[1] * v[0],
        ];
        std::array::from_fn(|k| v[k] + angle * turn[k])
    })
}

fn kind(random: &mut Random) -> FrameKind {
    if random.chance(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron }
}

/// Two bodies whose axes differ by an angle, of sizes from `scales`, whose origins are about a size apart.
fn alike(angle: f64, scales: [f64; 2], random: &mut Random) -> FramePair<3> {
    let axes = basis(random);
    let other = turned(&axes, angle, random);
    let mut body = |axes: &[[f64; 3]; 3], scale: f64| {
        let components = axes.map(|axis| {
            let length = scale * random.real(0.2, 1.0);
            axis.map(|x| x * length)
        });
        let origin = std::array::from_fn(|_| random.real(-0.6, 0.6) * scales[0].max(scales[1]));
        Frame { kind: kind(random), origin, components, velocity: [0.0; 3] }
    };
    [body(&axes, scales[0]), body(&other, scales[1])]
}

fn hits_of(count: usize, mut draw: impl FnMut() -> FramePair<3>) -> Vec<FramePair<3>> {
    std::iter::repeat_with(&mut draw).filter(|[a, b]| fmb::intersects(a, b, None)).take(count).collect()
}

#[test]
fn nearly_parallel_frames_have_true_normals() {
    for angle in [0.0_f64, 1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-12, 1e-14, 1e-16] {
        let mut random = Random(angle.to_bits());
        let pairs = hits_of(COUNT / 5, || alike(angle, [1.0; 2], &mut random));
        // Differences of components of a tetrahedron are rounded: their product with a nearly parallel edge turns.
        pairs.iter().for_each(|pair| {
            let cuboids = pair.iter().all(|frame| frame.kind == FrameKind::Cuboid);
            assert_contact(pair, if cuboids { 1e-11 } else { 1e-7 }, &mut random);
        });
    }
}

#[test]
fn sizes_and_distances_may_differ_by_any_factor() {
    let mut random = Random(5);
    for [large, small] in
        [[1.0, 1e-3], [1e9, 1e-9], [1e-9, 1e-9], [1e150, 1e150], [1e-150, 1e-150], [1e40, 1e20]]
    {
        let pairs = hits_of(COUNT / 10, || alike(0.7, [large, small], &mut random));
        pairs.iter().for_each(|pair| assert_contact(pair, 1e-10, &mut random));
    }
    // Far from the origin, where coordinates are coarse.
    let far = hits_of(COUNT / 10, || {
        alike(0.7, [1.0; 2], &mut random).map(|frame| moved(&frame, &[1e9, -1e9, 1e9], 1.0))
    });
    far.iter().for_each(|pair| assert_contact(pair, 1e-10, &mut random));
}

/// A cuboid or tetrahedron whose components are nearly dependent.
fn sliver(share: f64, random: &mut Random) -> Frame<3> {
    let axes = basis(random);
    let [a, b, c] = axes;
    let components = [a, std::array::from_fn(|k| a[k] + share * b[k]), c];
    let origin = std::array::from_fn(|_| random.real(-0.5, 0.5));
    Frame { kind: kind(random), origin, components, velocity: [0.0; 3] }
}

#[test]
fn slivers_are_separated_and_share_a_point() {
    for share in [1e-2_f64, 1e-4, 1e-6, 1e-8, 1e-10] {
        let mut random = Random(share.to_bits());
        let pairs = hits_of(COUNT / 10, || {
            let [_, other] = alike(0.7, [1.0; 2], &mut random);
            [sliver(share, &mut random), other]
        });
        // A point may be beyond several faces by a rounding, and their corner is then far from it.
        for pair in &pairs {
            let (found, reach) = (fmb::contact(&pair[0], &pair[1], None), reach(pair, None));
            let apart = moved(&pair[1], &found.normal, found.depth + 1e-13 * reach);
            assert!(!fmb::intersects(&pair[0], &apart, None), "{pair:?}\n{found:?}");
            let near = pair.iter().all(|frame| is_near(frame, &found.point, 1e-12 / share * reach));
            assert!(near, "{pair:?}\n{found:?}");
            assert_opposite(pair, None, &found);
        }
    }
}

/// Frames of small integers: many faces and edges coincide, and equal depths are common.
fn integer_pair<const D: usize>(random: &mut Random) -> FramePair<D> {
    let mut frame = || loop {
        let mut vector = |size: f64| std::array::from_fn(|_| random.real(-size, size).round());
        let (origin, components) = (vector(3.0), [(); D].map(|()| vector(2.0)));
        let kind = if random.chance(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron };
        let frame = Frame { kind, origin, components, velocity: [0.0; D] };
        if frame.check(0.0, 0).is_ok() {
            return frame;
        }
    };
    [frame(), frame()]
}

fn assert_unchanged_by_translation<const D: usize>(seed: u64) {
    let mut random = Random(seed);
    let mut tested = 0;
    while tested < COUNT {
        let pair = integer_pair::<D>(&mut random);
        // Of two equal frames none is the first.
        if pair[0] == pair[1] || !fmb::intersects(&pair[0], &pair[1], None) {
            continue;
        }
        tested += 1;
        assert_contact(&pair, 1e-10, &mut random);
        let found = fmb::contact(&pair[0], &pair[1], None);
        let by: [f64; D] = std::array::from_fn(|_| random.real(-1e6, 1e6).round());
        let [a, b] = pair.map(|frame| moved(&frame, &by, 1.0));
        let other = fmb::contact(&a, &b, None);
        assert_eq!((other.normal, other.depth), (found.normal, found.depth), "{pair:?}");
        let point: [f64; D] = std::array::from_fn(|axis| found.point[axis] + by[axis]);
        assert!((0..D).all(|axis| (other.point[axis] - point[axis]).abs() < 1e-9), "{pair:?}");
    }
}

#[test]
fn an_exact_translation_of_both_changes_nothing() {
    assert_unchanged_by_translation::<2>(6);
    assert_unchanged_by_translation::<3>(7);
}

#[test]
fn a_common_velocity_changes_nothing() {
    let mut random = Random(8);
    let mut tested = 0;
    while tested < COUNT {
        let mut draw = || std::array::from_fn(|_| random.real(-4.0, 4.0).round());
        let velocities: [[f64; 3]; 2] = [draw(), draw()];
        let common: [f64; 3] = draw().map(|x| x * 65536.0);
        let pair = integer_pair::<3>(&mut random);
        let pair = [pair[0].with_velocity(velocities[0]), pair[1].with_velocity(velocities[1])];
        if !fmb::intersects(&pair[0], &pair[1], Some(1.0)) {
            continue;
        }
        tested += 1;
        let faster = pair.map(|frame| {
            frame.with_velocity(std::array::from_fn(|axis| frame.velocity[axis] + common[axis]))
        });
        let found = fmb::contact(&pair[0], &pair[1], Some(1.0));
        let other = fmb::contact(&faster[0], &faster[1], Some(1.0));
        assert_eq!((other.normal, other.depth), (found.normal, found.depth), "{pair:?}");
    }
}

fn sets<const D: usize>(moving: bool) -> [Frames<D>; 2] {
    [1, 2].map(|seed| {
        let mut random = RandomFrames::new(seed);
        let mut frames = if moving { Frames::moving(1.0).unwrap() } else { Frames::resting() };
        for _ in 0..4 * COUNT {
            frames.add(&random.frame(moving)).unwrap();
        }
        frames
    })
}

/// The contacts of a batch, which are those of its pairs alone, as one number.
fn batch<const D: usize>(moving: bool, threads: usize) -> u64 {
    let [a, b] = sets::<D>(moving);
    let mut found = Intersections::new(Request::COUNT.with_list(true).with_normals(true));
    found.test(&Context::with_threads(threads).unwrap(), &a, &b, Pairs::Paired).unwrap();
    assert!(found.hits() > COUNT / 10 && found.normals().len() == found.hits());
    for (&k, contact) in found.list().iter().zip(found.normals()) {
        let [one, two] = [&a, &b].map(|set| set.get(k as usize).unwrap());
        assert_eq!(*contact, fmb::contact(&one, &two, moving.then_some(1.0)));
    }
    let numbers = found.normals().iter().flat_map(|contact| {
        contact.normal.into_iter().chain([contact.depth]).chain(contact.point).map(f64::to_bits)
    });
    hash(&numbers.collect::<Vec<_>>())
}

#[test]
fn batches_have_the_contacts_of_their_pairs_for_any_number_of_threads() {
    for moving in [false, true] {
        let [plane, space] = [batch::<2>(moving, 1), batch::<3>(moving, 1)];
        for threads in [2, 5] {
            assert_eq!([batch::<2>(moving, threads), batch::<3>(moving, threads)], [plane, space]);
        }
    }
}

#[test]
fn only_what_is_requested_is_given() {
    let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
    let mut frames = Frames::<2>::resting();
    frames.add_many(&[square(0.0), square(0.75), square(1.0)]).unwrap();
    let pairs = Pairs::Listed(&[[0, 1], [0, 2], [1, 0]]);
    let context = Context::serial();
    let mut found = Intersections::new(Request::HITS);
    found.test(&context, &frames, &frames, pairs).unwrap();
    assert!(found.normals().is_empty());
    let mut found = Intersections::new(Request::COUNT.with_normals(true));
    found.test(&context, &frames, &frames, pairs).unwrap();
    // The second pair only touches; without the list the contacts are still in its order.
    assert!(found.list().is_empty() && found.hits() == 2);
    assert_eq!(found.normals()[0], Contact { normal: [1.0, 0.0], depth: 0.25, point: [0.875, 0.5] });
    assert_eq!(found.normals()[1].normal, [-1.0, 0.0]);
    found.test(&context, &frames, &frames, Pairs::Listed(&[[7, 0]])).unwrap_err();
    assert!(found.normals().is_empty());
}
