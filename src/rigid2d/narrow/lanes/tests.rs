//! Every lane kernel against its scalar twin, at every level of instructions.

use std::marker::PhantomData;

use super::columns::{Collide, Manifolds, PairInput, PointColumns};
use super::{CircleAndPolygon, Circles, Class, Polygons, Shapes};
use crate::frames::random::SplitMix64;
use crate::geometry::{Pose, Rotation, Vec2};
use crate::rigid2d::narrow::manifold::{Manifold, ManifoldPoint, PREFERENCE, Pair};
use crate::rigid2d::narrow::samples::{Sample, deepest, moved, overlap_along, pose, random_pose};
use crate::rigid2d::narrow::scalar;
use crate::rigid2d::shapes::outline::Outline;
use crate::soa::Column;
use crate::soa::block::Real;
use crate::soa::level::{Kernel, run_at_each_level};
use crate::soa::simd::Simd;

/// Pairs of shapes in columns, padded to whole blocks of either precision.
pub(super) struct Batch<R: Real> {
    samples: Vec<Sample>,
    outlines: Vec<Outline<R>>,
    discs: Vec<[R; 4]>,
    shapes: [Vec<u32>; 2],
    /// Position, cosine and sine, and margin.
    numbers: [Column<R>; 5],
}

impl<R: Real> Batch<R> {
    pub(super) fn new(pairs: &[(Sample, Sample, Pose, f64)]) -> Self {
        let samples: Vec<Sample> = pairs.iter().flat_map(|(a, b, ..)| [a.clone(), b.clone()]).collect();
        let narrow = |numbers: [f64; 8]| numbers.map(R::nearest);
        let outlines = samples.iter().map(|sample| {
            let Outline { x, y, normal_x, normal_y } = sample.outline();
            Outline { x: narrow(x), y: narrow(y), normal_x: narrow(normal_x), normal_y: narrow(normal_y) }
        });
        let rows: Vec<usize> =
            (0..pairs.len().next_multiple_of(8)).map(|row| row.min(pairs.len() - 1)).collect();
        let column = |number: &dyn Fn(&Pose, f64) -> f64| {
            let mut column = Column::filled(rows.len(), R::nearest(0.0), R::nearest(0.0)).unwrap();
            for (entry, &row) in column.as_mut_slice().iter_mut().zip(&rows) {
                *entry = R::nearest(number(&pairs[row].2, pairs[row].3));
            }
            column
        };
        Self {
            outlines: outlines.collect(),
            discs: samples
                .iter()
                .map(|sample| {
                    let Outline { x, y, .. } = sample.outline();
                    [x[0], y[0], sample.radius, 0.0].map(R::nearest)
                })
                .collect(),
            shapes: [0, 1].map(|side| rows.iter().map(|&row| 2 * row as u32 + side).collect()),
            numbers: [
                column(&|pose, _| pose.position.x),
                column(&|pose, _| pose.position.y),
                column(&|pose, _| pose.rotation.cos),
                column(&|pose, _| pose.rotation.sin),
                column(&|_, margin| margin),
            ],
            samples,
        }
    }

    pub(super) fn input(&self) -> PairInput<'_, R> {
        let [x, y, cos, sin, margin] = &self.numbers;
        PairInput {
            shapes: Shapes { outlines: &self.outlines, discs: &self.discs, circles: &self.discs },
            shape_a: &self.shapes[0],
            shape_b: &self.shapes[1],
            x: x.as_slice(),
            y: y.as_slice(),
            cos: cos.as_slice(),
            sin: sin.as_slice(),
            margin: margin.as_slice(),
        }
    }

    /// A pair as the lanes read it, in double precision.
    pub(super) fn pair(&self, row: usize) -> (Outline<f64>, Outline<f64>, Pair) {
        let [a, b] = [0, 1].map(|side| self.shapes[side][row] as usize);
        let [x, y, cos, sin, margin] = [0, 1, 2, 3, 4].map(|k| self.numbers[k].as_slice()[row].widen());
        let pose = Pose { position: Vec2::new(x, y), rotation: Rotation { cos, sin } };
        let wide = |outline: &Outline<R>| Outline {
            x: outline.x.map(R::widen),
            y: outline.y.map(R::widen),
            normal_x: outline.normal_x.map(R::widen),
            normal_y: outline.normal_y.map(R::widen),
        };
        let radii = [self.discs[a][2].widen(), self.discs[b][2].widen()];
        (wide(&self.outlines[a]), wide(&self.outlines[b]), Pair { pose, radii, margin })
    }
}

/// A kernel with columns of its own to write to.
pub(super) struct Run<'a, R, C>(pub(super) PairInput<'a, R>, pub(super) PhantomData<C>);

impl<R: Real, C> Clone for Run<'_, R, C> {
    fn clone(&self) -> Self {
        Self(self.0, PhantomData)
    }
}

impl<R: Real, C: Class> Kernel for Run<'_, R, C> {
    type Output = Vec<Manifold>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<Manifold> {
        let rows = self.0.x.len();
        let mut columns: [Column<R>; 12] =
            std::array::from_fn(|_| Column::filled(rows, R::nearest(7.0), R::nearest(0.0)).unwrap());
        let (mut ids, mut count) = (vec![7; rows], vec![7; rows]);
        {
            let mut slices = columns.each_mut().map(Column::as_mut_slice).into_iter();
            let mut next = || slices.next().unwrap();
            let [normal_x, normal_y] = [next(), next()];
            let points = [0, 1].map(|_| PointColumns {
                a_x: next(),
                a_y: next(),
                b_x: next(),
                b_y: next(),
                separation: next(),
            });
            let output = Manifolds { normal_x, normal_y, points, ids: &mut ids, count: &mut count };
            Collide { input: self.0, output, class: PhantomData::<C> }.run::<S>();
        }
        let at = |column: usize, row: usize| columns[column].as_slice()[row].widen();
        let vector = |column, row| Vec2::new(at(column, row), at(column + 1, row));
        let manifold = |row| Manifold {
            normal: vector(0, row),
            points: [0, 1].map(|k| ManifoldPoint {
                a: vector(2 + 5 * k, row),
                b: vector(4 + 5 * k, row),
                separation: at(6 + 5 * k, row),
                id: (ids[row] >> (16 * k)) as u16,
            }),
            count: count[row],
        };
        (0..rows).map(manifold).collect()
    }
}

type Twin = fn(&Outline<f64>, &Outline<f64>, &Pair) -> Manifold;

/// All bits of a manifold.
fn bits(manifold: &Manifold) -> Vec<u64> {
    let mut numbers = vec![manifold.normal.x, manifold.normal.y];
    for ManifoldPoint { a, b, separation, id } in manifold.points {
        numbers.extend([a.x, a.y, b.x, b.y, separation, f64::from(id)]);
    }
    numbers.into_iter().map(f64::to_bits).chain([u64::from(manifold.count)]).collect()
}

fn compare<C: Class>(twin: Twin, pairs: &[(Sample, Sample, Pose, f64)]) {
    let batch = Batch::<f64>::new(pairs);
    let expected: Vec<Manifold> = (0..batch.shapes[0].len())
        .map(|row| {
            let (a, b, pair) = batch.pair(row);
            twin(&a, &b, &pair)
        })
        .collect();
    for found in run_at_each_level(&Run::<f64, C>(batch.input(), PhantomData)) {
        assert_eq!(found.len(), expected.len());
        for (row, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(bits(found), bits(expected), "{row}: {found:?}\n{expected:?}\n{:?}", batch.pair(row));
        }
    }
    compare_single::<C>(twin, pairs);
}

/// In single precision the same distances and depths to 1e-5 of the size, along normals that are as good.
fn compare_single<C: Class>(twin: Twin, pairs: &[(Sample, Sample, Pose, f64)]) {
    let batch = Batch::<f32>::new(pairs);
    let mut levels = run_at_each_level(&Run::<f32, C>(batch.input(), PhantomData));
    let found = levels.pop().unwrap();
    for other in levels {
        assert!(found.iter().zip(&other).all(|(a, b)| bits(a) == bits(b)));
    }
    for (row, manifold) in found.iter().enumerate() {
        let (a, b, pair) = batch.pair(row);
        let twin_at = |margin: f64| twin(&a, &b, &Pair { margin, ..pair });
        let context = || format!("{manifold:?}\n{:?}\n{:?}", twin_at(pair.margin), batch.pair(row));
        if manifold.count == 0 {
            assert_eq!(twin_at(pair.margin - 1e-5).count, 0, "{}", context());
            continue;
        }
        let exact = twin_at(pair.margin + 1e-5);
        let allowed = 1e-5 + PREFERENCE * pair.margin;
        assert!((deepest(manifold) - deepest(&exact)).abs() < allowed, "{}", context());
        let [shape_a, shape_b] = [0, 1].map(|side| &batch.samples[batch.shapes[side][row] as usize]);
        let depth = overlap_along(&shape_a.vertices, &moved(shape_b, pair.pose), manifold.normal);
        assert!((depth + deepest(manifold) + pair.radii[0] + pair.radii[1]).abs() < allowed, "{}", context());
        for point in &manifold.points[..usize::from(manifold.count)] {
            let between = pair.pose.point(point.b) - point.a;
            assert!((manifold.normal.dot(between) - point.separation).abs() < 2e-6, "{}", context());
        }
    }
}

/// Poses at which shapes of some 1 m have edges or corners at the same place.
fn awkward_poses() -> Vec<Pose> {
    let mut poses = Vec::new();
    for x in [0.0, 0.5, -1.0, 1.0, 1.0 + 1e-12, 1.3] {
        for y in [0.0, 1.0, -0.75, 1.0 + 1e-9] {
            for angle in [0.0, 1e-9, -1e-4, std::f64::consts::FRAC_PI_2, std::f64::consts::FRAC_PI_4] {
                poses.push(pose(x, y, angle));
            }
        }
    }
    poses
}

fn awkward_polygons() -> Vec<Sample> {
    vec![
        Sample::rectangle(1.0, 1.0, 0.0),
        Sample::rectangle(1.0, 1.0, 0.1),
        Sample::rectangle(3.0, 0.01, 0.0),
        Sample::segment(Vec2::new(-0.5, 0.5), Vec2::new(0.5, 0.5), 0.0),
        Sample::segment(Vec2::ZERO, Vec2::Y, 0.25),
        Sample::polygon(&[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 0.0),
        Sample::polygon(&[[0.0, 0.0], [1.0, -1e-3], [1.0, 1e-3]], 0.02),
    ]
}

/// Pairs of shapes made by these functions at random poses, and of `awkward` ones at awkward poses.
fn pairs(
    mut random_a: impl FnMut(&mut SplitMix64) -> Sample,
    mut random_b: impl FnMut(&mut SplitMix64) -> Sample,
    awkward: &[(Sample, Sample)],
) -> Vec<(Sample, Sample, Pose, f64)> {
    let mut random = SplitMix64(7);
    let margins = [0.0, 0.02, 0.3];
    let mut pairs: Vec<_> = (0..3001)
        .map(|round| {
            let [a, b] = [random_a(&mut random), random_b(&mut random)];
            (a, b, random_pose(&mut random), margins[round % 3])
        })
        .collect();
    for (a, b) in awkward {
        let at = awkward_poses().into_iter().enumerate();
        pairs.extend(at.map(|(n, pose)| (a.clone(), b.clone(), pose, margins[n % 3])));
    }
    pairs
}

fn all_pairs(a: &[Sample], b: &[Sample]) -> Vec<(Sample, Sample)> {
    a.iter().flat_map(|a| b.iter().map(|b| (a.clone(), b.clone()))).collect()
}

fn polygon_or_segment(random: &mut SplitMix64, most: usize) -> Sample {
    if random.bits().is_multiple_of(4) {
        Sample::random_segment(random)
    } else {
        Sample::random_polygon(random, most)
    }
}

#[test]
fn circles_are_those_of_the_scalar_twin() {
    let awkward = [Sample::circle(Vec2::ZERO, 0.5), Sample::circle(Vec2::X, 0.0)];
    let pairs = pairs(Sample::random_circle, Sample::random_circle, &all_pairs(&awkward, &awkward));
    compare::<Circles>(scalar::circles, &pairs);
    compare::<Circles>(scalar::circles, &pairs[..1]);
}

#[test]
fn circles_and_polygons_are_those_of_the_scalar_twin() {
    let circles = [Sample::circle(Vec2::ZERO, 0.5), Sample::circle(Vec2::new(0.0, 0.5), 0.0)];
    let awkward = all_pairs(&circles, &awkward_polygons());
    let quads = pairs(Sample::random_circle, |random| polygon_or_segment(random, 4), &awkward);
    compare::<CircleAndPolygon<4>>(scalar::circle_and_polygon::<4>, &quads);
    let octagons = pairs(Sample::random_circle, |random| polygon_or_segment(random, 8), &awkward);
    compare::<CircleAndPolygon<8>>(scalar::circle_and_polygon::<8>, &octagons);
}

#[test]
fn polygons_are_those_of_the_scalar_twin() {
    let awkward = all_pairs(&awkward_polygons(), &awkward_polygons());
    let quads =
        pairs(|random| polygon_or_segment(random, 4), |random| polygon_or_segment(random, 4), &awkward);
    compare::<Polygons<4>>(scalar::polygons::<4>, &quads);
    compare::<Polygons<4>>(scalar::polygons::<4>, &quads[..7]);
    let octagons =
        pairs(|random| polygon_or_segment(random, 8), |random| polygon_or_segment(random, 4), &awkward);
    compare::<Polygons<8>>(scalar::polygons::<8>, &octagons);
}

#[test]
fn no_pairs_are_no_manifolds() {
    let batch = Batch::<f64>::new(&[(
        Sample::circle(Vec2::ZERO, 1.0),
        Sample::circle(Vec2::ZERO, 1.0),
        Pose::default(),
        0.0,
    )]);
    let none = PairInput {
        shape_a: &[],
        shape_b: &[],
        x: &[],
        y: &[],
        cos: &[],
        sin: &[],
        margin: &[],
        ..batch.input()
    };
    for found in run_at_each_level(&Run::<f64, Circles>(none, PhantomData)) {
        assert!(found.is_empty());
    }
}
