//! Attraction by direct sum against the f64 SIMD of `particular`, and by a tree against its tree, one core.

use std::hint::black_box;

use carom::particles::gravity;
use carom::soa::Column;
use carom::{Attraction, AttractionLaw, Context};
use particular::math::DVec3;
use particular::sequential::{BarnesHut, BruteForceSIMD};
use particular::{ComputeMethod, PointMass};

use crate::scene::Cloud;
use crate::table::{Table, best_times, thread_time};

const COUNT: usize = 4096;

pub(crate) fn measure(table: &mut Table) {
    let cloud = Cloud::new(COUNT, 1);
    let particles = cloud.spheres(0.01);
    let law = Attraction { constant: 1.0, law: AttractionLaw::Newton, softening: 0.0 };
    let mut out = vec![Column::filled(COUNT, 0.0, 0.0).expect("memory"); 3];
    let points = points(&cloud);
    let [ours, theirs] = best_times(
        thread_time,
        100,
        [
            &mut || {
                gravity::attraction(black_box(&particles), &law, &Context::serial(), &mut out)
                    .expect("memory");
            },
            &mut || {
                black_box(BruteForceSIMD::<4>.compute(black_box(points.as_slice())));
            },
        ],
    );
    let millis = |seconds: f64| format!("{:.2} ms", 1e3 * seconds);
    let work = format!("attraction, N = {COUNT}, 3D");
    table.add(
        &work,
        millis(ours),
        format!("`particular` {}", millis(theirs)),
        format!("{:.2}", theirs / ours),
        "1.8",
    );
    let error = relative_error(&cloud, &out);
    table.add(
        "its largest relative error",
        format!("{error:.1e}"),
        "compensated sum".into(),
        String::new(),
        "1e-14",
    );
}

/// Particles from which on a tree must be faster than the sum over all pairs.
const CROSSOVER: usize = 3000;
const OPENING: f64 = 0.8;

/// Openings among which is one of about the error that the tree of `particular` has with [`OPENING`].
const OPENINGS: [f64; 5] = [1.0, 0.95, 0.9, 0.85, OPENING];

/// The tree against all pairs and against the tree of `particular`, at the same opening and at about the same error.
pub(crate) fn measure_tree(table: &mut Table) {
    for (count, rounds) in [(CROSSOVER, 20), (10_000, 20), (100_000, 3)] {
        let cloud = Cloud::new(count, 1);
        let (particles, points) = (cloud.spheres(0.01), points(&cloud));
        let mut out = vec![Column::filled(count, 0.0, 0.0).expect("memory"); 3];
        let mut exact = out.clone();
        let compute = |law, out: &mut [Column<f64>]| {
            let law = Attraction { constant: 1.0, law, softening: 0.0 };
            gravity::attraction(black_box(&particles), &law, &Context::serial(), out).expect("memory");
        };
        let tree = |opening| AttractionLaw::BarnesHut { opening };
        let their_tree = || BarnesHut { theta: OPENING }.compute(black_box(points.as_slice()));
        compute(AttractionLaw::Newton, &mut exact);
        let felt = their_tree();
        let their_error = rms_error(&exact, |i| [felt[i].x, felt[i].y, felt[i].z]);
        let errors = OPENINGS.map(|opening| {
            compute(tree(opening), &mut out);
            rms_error(&exact, |i| std::array::from_fn(|axis| out[axis].as_slice()[i]))
        });
        let wide = errors.iter().position(|&error| error <= their_error).unwrap_or(OPENINGS.len() - 1);
        let mut wide_out = out.clone();
        let [ours, ours_wide, all_pairs, theirs] = best_times(
            thread_time,
            rounds,
            [
                &mut || compute(tree(OPENING), &mut out),
                &mut || compute(tree(OPENINGS[wide]), &mut wide_out),
                &mut || compute(AttractionLaw::Newton, &mut exact),
                &mut || {
                    black_box(their_tree());
                },
            ],
        );
        let millis = |seconds: f64| format!("{:.2} ms", 1e3 * seconds);
        let figure = |seconds, error| format!("{}, rms error {:.2}%", millis(seconds), 100.0 * error);
        let rival = format!("the tree of `particular`, opening {OPENING}, {}", figure(theirs, their_error));
        for (opening, seconds, error) in
            [(OPENING, ours, errors[OPENINGS.len() - 1]), (OPENINGS[wide], ours_wide, errors[wide])]
        {
            let work = format!("tree of opening {opening}, N = {count}, 3D");
            let all = format!("all pairs {}", millis(all_pairs));
            table.add(&work, figure(seconds, error), all, format!("{:.2}", all_pairs / seconds), "1");
            table.add(&work, figure(seconds, error), rival.clone(), format!("{:.2}", theirs / seconds), "3");
        }
    }
}

/// The root of the mean squared error over that of the mean squared acceleration.
fn rms_error(exact: &[Column<f64>], found: impl Fn(usize) -> [f64; 3]) -> f64 {
    let (mut errors, mut squares) = (0.0, 0.0);
    for i in 0..exact[0].len() {
        for (column, found) in exact.iter().zip(found(i)) {
            let exact = column.as_slice()[i];
            errors += (found - exact) * (found - exact);
            squares += exact * exact;
        }
    }
    f64::sqrt(errors / squares)
}

fn points(cloud: &Cloud) -> Vec<PointMass<DVec3, f64>> {
    let point = |i: usize| {
        let [x, y, z] = cloud.position.each_ref().map(|column| column[i]);
        PointMass::new(DVec3::new(x, y, z), cloud.mass[i])
    };
    (0..cloud.mass.len()).map(point).collect()
}

/// Largest difference from a compensated sum, relative to the acceleration of the particle.
fn relative_error(cloud: &Cloud, out: &[Column<f64>]) -> f64 {
    (0..COUNT)
        .map(|i| {
            let exact = compensated(cloud, i);
            let norm = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            norm(std::array::from_fn(|axis| out[axis].as_slice()[i] - exact[axis])) / norm(exact)
        })
        .fold(0.0, f64::max)
}

/// The acceleration of particle `i` by Neumaier's compensated sum.
fn compensated(cloud: &Cloud, i: usize) -> [f64; 3] {
    let (mut sums, mut lost) = ([0.0; 3], [0.0; 3]);
    for j in (0..COUNT).filter(|&j| j != i) {
        let d: [f64; 3] = std::array::from_fn(|axis| cloud.position[axis][j] - cloud.position[axis][i]);
        let square = d.iter().map(|x| x * x).sum::<f64>();
        for axis in 0..3 {
            let term = d[axis] * (cloud.mass[j] / (square * square.sqrt()));
            let sum: f64 = sums[axis] + term;
            lost[axis] += if sums[axis].abs() >= term.abs() {
                (sums[axis] - sum) + term
            } else {
                (term - sum) + sums[axis]
            };
            sums[axis] = sum;
        }
    }
    std::array::from_fn(|axis| sums[axis] + lost[axis])
}
