//! Attraction by direct sum against the f64 SIMD of `particular`, one core.

use std::hint::black_box;

use carom::particles::gravity;
use carom::soa::Column;
use carom::{Attraction, AttractionLaw, Context};
use particular::math::DVec3;
use particular::sequential::BruteForceSIMD;
use particular::{ComputeMethod, PointMass};

use crate::scene::Cloud;
use crate::table::{Table, best_times, thread_time};

const COUNT: usize = 4096;

pub(crate) fn measure(table: &mut Table) {
    let cloud = Cloud::new(COUNT, 1);
    let particles = cloud.spheres(0.01);
    let law = Attraction { constant: 1.0, law: AttractionLaw::Newton, softening: 0.0 };
    let mut out = vec![Column::filled(COUNT, 0.0, 0.0).expect("memory"); 3];
    let points: Vec<PointMass<DVec3, f64>> = (0..COUNT)
        .map(|i| {
            let [x, y, z] = cloud.position.each_ref().map(|column| column[i]);
            PointMass::new(DVec3::new(x, y, z), cloud.mass[i])
        })
        .collect();
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
