//! Scenes of two to ten balls: what a replica costs beyond its collisions.

use std::hint::black_box;

use carom::study::Study;

use crate::best;

const REPLICAS: u64 = 1 << 17;

/// A row of balls with random velocities, in a box or in the open.
fn study(balls: usize, walls: bool, until: f64) -> Study {
    let mut text = format!(
        "kind = \"scene\"\nmeasure = [\"collisions\", \"wall_collisions\", \"first_collision\"]\n[scene]\ndimension = 3\n\
         until = {until}\n"
    );
    if walls {
        let length = balls + 1;
        text +=
            &format!("box = {{ walls = \"reflecting\", lower = [-1, -1, -1], upper = [{length}, 1, 1] }}\n");
    }
    for ball in 0..balls {
        text += &format!("[[scene.ball]]\nposition = [{ball}, 0, 0]\nradius = 0.3\nmass = 1\n");
    }
    text += "[vary]\n\"ball[*].velocity\" = { maxwell = 1 }\n";
    Study::from_toml(&text, None).expect("a study")
}

/// Seconds that a replica takes, and its collisions.
fn cost(study: &Study) -> (f64, f64) {
    let mut collisions = 0.0;
    let seconds = best(|| {
        collisions = 0.0;
        let mut count = |_: &[Vec<f64>], values: &[Vec<f64>]| {
            collisions += values[..2].iter().flatten().sum::<f64>();
        };
        study.each_batch(0, 0..REPLICAS, &mut count).expect("there is one point");
        black_box(collisions);
    });
    (seconds / REPLICAS as f64, collisions / REPLICAS as f64)
}

pub(crate) fn measure() {
    println!("small replicas in 3D: microseconds per replica with random velocities");
    println!(
        "{:>5} {:>6} {:>13} {:>9} {:>11} {:>12}",
        "balls", "walls", "no collision", "2 s", "collisions", "of each"
    );
    for (balls, walls) in [(2, false), (2, true), (5, false), (5, true), (10, false), (10, true)] {
        let (overhead, _) = cost(&study(balls, walls, 1e-6));
        let (whole, collisions) = cost(&study(balls, walls, 2.0));
        println!(
            "{balls:>5} {:>6} {:>13.2} {:>9.2} {collisions:>11.2} {:>12.3}",
            if walls { "yes" } else { "no" },
            1e6 * overhead,
            1e6 * whole,
            1e6 * (whole - overhead) / collisions,
        );
    }
}
