//! The broad phase of frames yields exactly the pairs whose boxes touch, so that no intersection is lost.

use carom::broad::{self, Candidates};
use carom::fmb::{Intersections, Request};
use carom::{Aabb, Context, Error, Frame, FrameField, FrameKind, Frames};

use crate::random::Random;

/// The distribution of a set of random frames.
#[derive(Debug, Clone, Copy)]
struct SampleOfFrames {
    count: usize,
    /// Origins are uniform in a cube of this half-width, in metres.
    spread: f64,
    /// Middle of that cube on every axis.
    middle: f64,
    /// Components have entries up to this.
    size: f64,
    /// Sizes are reduced by up to this many powers of ten.
    decades: f64,
    /// Origins lie around this many points; 0 = anywhere.
    clusters: usize,
}

const EVEN: SampleOfFrames =
    SampleOfFrames { count: 150, spread: 10.0, middle: 0.0, size: 1.0, decades: 0.0, clusters: 0 };

const SAMPLES: [SampleOfFrames; 8] = [
    EVEN,
    SampleOfFrames { decades: 6.0, spread: 1.0, ..EVEN },
    SampleOfFrames { decades: 30.0, size: 10.0, spread: 3.0, ..EVEN },
    SampleOfFrames { clusters: 5, spread: 1000.0, ..EVEN },
    SampleOfFrames { middle: 1e9, ..EVEN },
    SampleOfFrames { middle: 1e9, size: 1e-6, spread: 1e-5, ..EVEN },
    SampleOfFrames { size: 1e-9, spread: 1e-8, ..EVEN },
    SampleOfFrames { size: 1e-140, spread: 1e-139, ..EVEN },
];

impl SampleOfFrames {
    fn frames<const D: usize>(&self, random: &mut Random, duration: Option<f64>) -> Vec<Frame<D>> {
        let centres: Vec<[f64; D]> = (0..self.clusters.max(1)).map(|_| self.place(random)).collect();
        let mut frames = Vec::new();
        while frames.len() < self.count {
            let size = self.size * 10_f64.powf(-self.decades * random.real(0.0, 1.0));
            let origin = if self.clusters == 0 {
                self.place(random)
            } else {
                let near: [f64; D] = vector(random, 2.0 * self.size);
                let centre = centres[frames.len() % self.clusters];
                std::array::from_fn(|axis| centre[axis] + near[axis])
            };
            let components = std::array::from_fn(|_| vector(random, size));
            let kind = if random.chance(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron };
            let displacement: [f64; D] = vector(random, 2.0 * size);
            let velocity = duration.map_or([0.0; D], |duration| displacement.map(|x| x / duration));
            let frame = Frame { kind, origin, components, velocity };
            if frame.check(duration.unwrap_or(0.0), 0).is_ok() {
                frames.push(frame);
            }
        }
        frames
    }

    fn place<const D: usize>(&self, random: &mut Random) -> [f64; D] {
        vector::<D>(random, self.spread).map(|x| self.middle + x)
    }
}

fn vector<const D: usize>(random: &mut Random, size: f64) -> [f64; D] {
    std::array::from_fn(|_| random.real(-size, size))
}

fn set<const D: usize>(frames: &[Frame<D>], duration: Option<f64>) -> Frames<D> {
    let mut set = duration.map_or_else(Frames::resting, |duration| Frames::moving(duration).unwrap());
    set.add_many(frames).unwrap();
    set
}

/// Whether boxes share a point if both are enlarged by a share of their coordinates.
fn touch<const D: usize>(a: &Aabb<D>, b: &Aabb<D>, share: f64) -> bool {
    (0..D).all(|axis| {
        let slack = |x: f64, y: f64| share * (x.abs() + y.abs()) + share.min(1e-300);
        a.min[axis] - slack(a.min[axis], b.max[axis]) <= b.max[axis]
            && b.min[axis] - slack(b.min[axis], a.max[axis]) <= a.max[axis]
    })
}

/// Whether the convex bodies with these vertices overlap by more than rounding along every axis that may separate them.
fn overlap<const D: usize>(a: &Frame<D>, b: &Frame<D>, time: f64) -> bool {
    let at = |frame: &Frame<D>| -> Vec<[f64; D]> {
        let moved = |vertex: [f64; D]| -> [f64; D] {
            std::array::from_fn(|k| (vertex[k] - a.origin[k]) + frame.velocity[k] * time)
        };
        frame.vertices().map(moved).collect()
    };
    let (one, two) = (at(a), at(b));
    let edges: Vec<[f64; D]> = [a, b].into_iter().flat_map(edges_of).collect();
    axes(&edges).iter().all(|axis| {
        let shadow = |vertices: &[[f64; D]]| {
            let along = vertices.iter().map(|v| v.iter().zip(axis).map(|(x, y)| x * y).sum::<f64>());
            along.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [lo.min(x), hi.max(x)])
        };
        let ([a_lo, a_hi], [b_lo, b_hi]) = (shadow(&one), shadow(&two));
        let slack = 1e-9 * (a_hi - a_lo + b_hi - b_lo);
        a_lo + slack < b_hi && b_lo + slack < a_hi
    })
}

fn edges_of<const D: usize>(frame: &Frame<D>) -> Vec<[f64; D]> {
    let mut edges = frame.components.to_vec();
    if frame.kind == FrameKind::Tetrahedron {
        for i in 0..D {
            for j in 0..i {
                edges.push(std::array::from_fn(|k| frame.components[i][k] - frame.components[j][k]));
            }
        }
    }
    // Of length about 1, so that products of tiny edges do not vanish.
    let largest = |edge: &[f64; D]| edge.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    edges.into_iter().map(|edge| edge.map(|x| x / largest(&edge))).collect()
}

/// All normals of edges in 2D, all cross products of two edges in 3D: faces and edge pairs alike.
fn axes<const D: usize>(edges: &[[f64; D]]) -> Vec<[f64; D]> {
    if D == 2 {
        return edges.iter().map(|e| std::array::from_fn(|k| if k == 0 { -e[1] } else { e[0] })).collect();
    }
    let cross = |u: &[f64; D], v: &[f64; D]| -> [f64; D] {
        std::array::from_fn(|k| u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3])
    };
    let pairs = (0..edges.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let all = pairs.map(|(i, j)| cross(&edges[i], &edges[j]));
    all.filter(|axis| axis.iter().any(|x| x.abs() > 1e-6)).collect()
}

fn intersect_at_some_time<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
    let samples = if duration.is_some() { 6 } else { 0 };
    let time = |k: i32| duration.unwrap_or(0.0) * f64::from(k) / f64::from(samples.max(1));
    (0..=samples).any(|k| overlap(a, b, time(k)))
}

/// Checks pairs against all those that `wanted` allows.
fn check_pairs<const D: usize>(
    pairs: &[[u32; 2]],
    (a, b): (&Frames<D>, &Frames<D>),
    wanted: impl Fn(u32, u32) -> bool,
    what: &str,
) {
    assert!(pairs.is_sorted() && pairs.windows(2).all(|two| two[0] != two[1]), "{what}: sorted, each once");
    let duration = a.common_duration(b).unwrap();
    let bounds =
        |set: &Frames<D>| -> Vec<Aabb<D>> { (0..set.len()).map(|i| set.bounds(i).unwrap()).collect() };
    let (boxes, others) = (bounds(a), bounds(b));
    let mut found = pairs.iter().copied().peekable();
    let mut true_hits = 0;
    for i in 0..a.len() as u32 {
        for j in (0..b.len() as u32).filter(|&j| wanted(i, j)) {
            let is_found = found.next_if_eq(&[i, j]).is_some();
            let (one, two) = (&boxes[i as usize], &others[j as usize]);
            assert!(is_found || !touch(one, two, 0.0), "{what}: {i}, {j} is lost");
            assert!(!is_found || touch(one, two, 1e-14), "{what}: {i}, {j} is far apart");
            let (one, two) = (a.get(i as usize).unwrap(), b.get(j as usize).unwrap());
            let hit = touch(&boxes[i as usize], &others[j as usize], 1e-9)
                && intersect_at_some_time(&one, &two, duration);
            assert!(is_found || !hit, "{what}: {i}, {j} intersect");
            true_hits += usize::from(hit);
        }
    }
    assert_eq!(found.next(), None, "{what}: an unexpected pair");
    assert!(true_hits <= pairs.len());
}

fn of_set<const D: usize>(threads: usize, set: &Frames<D>) -> Vec<[u32; 2]> {
    let context = Context::with_threads(threads).unwrap();
    Candidates::new().of_set(&context, set).unwrap().to_vec()
}

fn between<const D: usize>(threads: usize, a: &Frames<D>, b: &Frames<D>) -> Vec<[u32; 2]> {
    let context = Context::with_threads(threads).unwrap();
    Candidates::new().between(&context, a, b).unwrap().to_vec()
}

fn check_sets<const D: usize>() {
    let mut random = Random(11);
    for (number, sample) in SAMPLES.iter().enumerate() {
        for duration in [None, Some(1.0), Some(0.3)] {
            let frames = set::<D>(&sample.frames(&mut random, duration), duration);
            let pairs = of_set(1, &frames);
            let what = format!("{D}D, sample {number}, duration {duration:?}");
            check_pairs(&pairs, (&frames, &frames), |i, j| i < j, &what);
            assert!(!pairs.is_empty(), "{what}: frames are dense enough to touch");
            assert_eq!(pairs, of_set(3, &frames), "{what}");
        }
    }
}

#[test]
fn pairs_of_a_set_are_those_whose_boxes_touch() {
    check_sets::<2>();
    check_sets::<3>();
}

fn check_two_sets<const D: usize>() {
    let mut random = Random(12);
    let durations = [(None, None), (Some(0.5), Some(0.5)), (None, Some(2.0)), (Some(2.0), None)];
    for (number, sample) in SAMPLES.iter().enumerate() {
        for (one, two) in durations {
            // The second set has fewer and smaller frames.
            let fewer = SampleOfFrames { count: sample.count / 3, decades: sample.decades + 0.5, ..*sample };
            let a = set::<D>(&sample.frames(&mut random, one), one);
            let b = set::<D>(&fewer.frames(&mut random, two), two);
            let what = format!("{D}D, sample {number}, durations {one:?} and {two:?}");
            let pairs = between(1, &a, &b);
            check_pairs(&pairs, (&a, &b), |_, _| true, &what);
            assert_eq!(pairs, between(3, &a, &b), "{what}");
            let mut turned: Vec<_> = between(1, &b, &a).iter().map(|&[j, i]| [i, j]).collect();
            turned.sort_unstable();
            assert_eq!(pairs, turned, "{what}: in both orders");
        }
    }
}

#[test]
fn pairs_between_sets_are_those_whose_boxes_touch() {
    check_two_sets::<2>();
    check_two_sets::<3>();
}

/// Squares of side 1 in a plane, or cubes in space, about `density` of them per unit of area or volume.
fn at_density<const D: usize>(count: usize, density: f64, seed: u64) -> Vec<Frame<D>> {
    let mut random = Random(seed);
    let half = 0.5 * (count as f64 / density).powf(1.0 / D as f64);
    let edges = std::array::from_fn(|i| std::array::from_fn(|k| if i == k { 1.0 } else { 0.0 }));
    (0..count).map(|_| Frame::cuboid(vector(&mut random, half), edges)).collect()
}

fn scaled<const D: usize>(frame: &Frame<D>, factor: f64) -> Frame<D> {
    Frame { components: frame.components.map(|c| c.map(|x| x * factor)), ..*frame }
}

#[test]
fn one_huge_frame_touches_all_and_changes_no_other_pair() {
    for huge in [1e3, 1e9, 1e30, 1e149] {
        let small = at_density::<3>(3000, 0.2, 5);
        let alone = of_set(2, &set(&small, None));
        let mut frames = small.clone();
        frames.insert(700, Frame { origin: [-0.4 * huge; 3], ..scaled(&small[0], huge) });
        let with_huge = of_set(2, &set(&frames, None));
        let (with_the_huge, others): (Vec<_>, Vec<_>) =
            with_huge.into_iter().partition(|pair| pair.contains(&700));
        assert_eq!(with_the_huge.len(), 3000, "{huge:e}");
        let renumbered = others.iter().map(|pair| pair.map(|i| i - u32::from(i > 700)));
        assert!(renumbered.eq(alone), "{huge:e}");
        let one = set(&frames[700..=700], None);
        assert!(between(2, &one, &set(&small, None)).iter().copied().eq((0..3000).map(|j| [0, j])));
    }
}

#[test]
fn a_far_frame_costs_the_others_nothing() {
    // If cells were as coarse as the far frame needs, all frames near 0 would share one, and this would not end.
    let mut frames = at_density::<2>(200_000, 0.05, 6);
    let alone = of_set(2, &set(&frames, None)).len();
    frames.push(Frame { origin: [1e140, -1e140], ..frames[0] });
    assert_eq!(of_set(2, &set(&frames, None)).len(), alone);
}

#[test]
fn large_frames_are_found_from_the_cells_of_small_ones() {
    // If all small cells that a large frame covers were searched, each would visit the whole table.
    let large = set(&at_density::<2>(50_000, 0.1, 7), None);
    let small: Vec<_> = at_density::<2>(50_000, 0.1, 8).iter().map(|frame| scaled(frame, 1e-9)).collect();
    let pairs = between(2, &large, &set(&small, None));
    // A point lies in a square of side 1 with the probability of the density.
    assert!((4_000..6_000).contains(&pairs.len()), "{}", pairs.len());
}

#[test]
fn identical_frames_all_touch() {
    for place in [0.0, 1e9, -1e-12] {
        let frames = vec![Frame { origin: [place; 2], ..at_density::<2>(1, 1.0, 1)[0] }; 60];
        let set = set(&frames, None);
        let expected: Vec<_> = (0..60).flat_map(|i| (i + 1..60).map(move |j| [i, j])).collect();
        assert_eq!(of_set(1, &set), expected);
        assert_eq!(between(3, &set, &set).len(), 3600);
    }
}

#[test]
fn candidates_grow_with_the_number_of_frames() {
    let per_frame =
        |count: usize| of_set(2, &set(&at_density::<3>(count, 0.5, 9), None)).len() as f64 / count as f64;
    let (few, many) = (per_frame(4_000), per_frame(64_000));
    // Half of density times the volume (2^3) of positions where unit cubes touch, less the missing pairs at the surface.
    assert!(many < 2.0 && few < many && many < 1.15 * few, "{few} and {many} per frame");
}

#[test]
fn frames_that_touch_are_candidates() {
    let squares: Vec<_> =
        (0..100).map(|i| Frame { origin: [f64::from(i) * 0.1, 0.0], ..square(0.1) }).collect();
    let pairs = of_set(1, &set(&squares, None));
    assert!((0..99).all(|i| pairs.contains(&[i, i + 1])));
}

fn square(side: f64) -> Frame<2> {
    Frame::cuboid([0.0; 2], [[side, 0.0], [0.0, side]])
}

#[test]
fn empty_sets_have_no_pairs() {
    let none = Frames::<2>::resting();
    let some = set(&[square(1.0), square(2.0)], None);
    assert!(of_set(1, &none).is_empty());
    assert!(between(1, &none, &some).is_empty() && between(1, &some, &none).is_empty());
    assert!(between(1, &none, &none).is_empty());
}

#[test]
fn bad_sets_are_refused_and_leave_no_pairs() {
    let context = Context::serial();
    let mut candidates = Candidates::new();
    let mut some = set(&[square(1.0), square(2.0)], Some(1.0));
    assert_eq!(candidates.of_set(&context, &some).unwrap(), [[0, 1]]);
    let longer = set(&[square(1.0)], Some(2.0));
    assert!(matches!(
        candidates.between(&context, &some, &longer),
        Err(Error::OutOfRange { field: "duration", .. })
    ));
    assert!(candidates.pairs().is_empty());
    candidates.of_set(&context, &some).unwrap();
    some.column_mut(FrameField::Origin, 0).unwrap()[0] = 7.0;
    assert_eq!(candidates.of_set(&context, &some).unwrap_err(), Error::Stale);
    assert!(candidates.pairs().is_empty());
    assert_eq!(candidates.between(&context, &longer, &longer).map(<[_]>::len), Ok(1));
    let mut found = Intersections::new(Request::HITS);
    assert_eq!(
        broad::intersections_of_set(&context, &some, &mut candidates, &mut found).unwrap_err(),
        Error::Stale
    );
    some.update(&context).unwrap();
    assert!(candidates.of_set(&context, &some).unwrap().is_empty());
}

#[test]
fn the_memory_of_a_search_serves_the_next() {
    let context = Context::serial();
    let mut candidates = Candidates::new();
    let mut random = Random(3);
    for sample in SAMPLES.into_iter().chain(SAMPLES.into_iter().rev()) {
        let frames = set::<2>(&sample.frames(&mut random, None), None);
        assert_eq!(candidates.of_set(&context, &frames).unwrap(), of_set(1, &frames));
        let few = set::<2>(&SampleOfFrames { count: 7, ..sample }.frames(&mut random, None), None);
        assert_eq!(candidates.between(&context, &few, &frames).unwrap(), between(1, &few, &frames));
    }
}

#[test]
fn all_intersections_of_a_set_number_its_candidates() {
    let context = Context::with_threads(2).unwrap();
    let (mut candidates, mut found) = (Candidates::new(), Intersections::new(Request::HITS));
    let boxes = at_density::<2>(300, 0.3, 10);
    let frames = set(&boxes, None);
    broad::intersections_of_set(&context, &frames, &mut candidates, &mut found).unwrap();
    assert_eq!(found.tested(), candidates.pairs().len());
    let hits = |found: &Intersections<2>, candidates: &Candidates| -> Vec<[u32; 2]> {
        found.list().iter().map(|&k| candidates.pairs()[k as usize]).collect()
    };
    let truth = |a: &[Frame<2>], b: &[Frame<2>]| -> Vec<[u32; 2]> {
        let all = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| [i, j]));
        let hits = all.filter(|&[i, j]| overlap(&a[i], &b[j], 0.0));
        hits.map(|pair| pair.map(|i| i as u32)).collect()
    };
    let expected: Vec<_> = truth(&boxes, &boxes).into_iter().filter(|[i, j]| i < j).collect();
    assert_eq!(hits(&found, &candidates), expected);
    let others = at_density::<2>(100, 0.3, 13);
    broad::intersections_between(&context, &frames, &set(&others, None), &mut candidates, &mut found)
        .unwrap();
    assert_eq!(hits(&found, &candidates), truth(&boxes, &others));
}
