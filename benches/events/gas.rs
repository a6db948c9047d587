//! A gas of hard spheres of unit diameter and mass in a periodic cube.

use carom::{Batch, Enclosure, Engine, EventSettings, Limit, Particles};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Spheres per volume of a cube of one diameter.
const DENSITY: f64 = 0.5;

/// Collisions per sphere before the measurement starts.
const COLLISIONS_EACH: u64 = 20;

/// Edge of the cube with this many spheres.
pub(crate) fn edge(spheres: usize) -> f64 {
    (spheres as f64 / DENSITY).cbrt()
}

/// A gas of `4 cells^3` spheres in equilibrium.
pub(crate) fn mixed(cells: usize) -> Engine<3> {
    let particles = on_lattice(cells);
    let (spheres, edge) = (particles.len() as u64, edge(particles.len()));
    let cube = Enclosure::periodic([0.0; 3], [edge; 3]);
    let mut engine =
        Engine::new(particles, cube, EventSettings::default()).expect("a lattice has no overlaps");
    engine.run(Limit::collisions(COLLISIONS_EACH * spheres / 2)).expect("an elastic gas does not collapse");
    engine
}

/// Spheres on a face-centred cubic lattice with Maxwell speeds of unit temperature.
fn on_lattice(cells: usize) -> Particles {
    const BASIS: [[f64; 3]; 4] =
        [[0.25, 0.25, 0.25], [0.75, 0.75, 0.25], [0.75, 0.25, 0.75], [0.25, 0.75, 0.75]];
    let spheres = 4 * cells.pow(3);
    let spacing = edge(spheres) / cells as f64;
    let place = |n: usize, axis: usize| {
        let cell = n / 4 / cells.pow(axis as u32) % cells;
        (cell as f64 + BASIS[n % 4][axis]) * spacing
    };
    let mut random = ChaCha8Rng::seed_from_u64(2022);
    let positions: [Vec<f64>; 3] = std::array::from_fn(|axis| (0..spheres).map(|n| place(n, axis)).collect());
    let velocities: [Vec<f64>; 3] =
        std::array::from_fn(|_| (0..spheres).map(|_| normal(&mut random)).collect());
    let (mass, radius) = (vec![1.0; spheres], vec![0.5; spheres]);
    let mut particles = Particles::new(3).expect("three dimensions");
    let batch = Batch {
        position: &positions.each_ref().map(Vec::as_slice),
        velocity: &velocities.each_ref().map(Vec::as_slice),
        mass: &mass,
        radius: &radius,
        ..Batch::default()
    };
    particles.add_batch(&batch).expect("finite numbers");
    particles.shrink_to_fit();
    particles
}

/// A normal deviate, after Box and Muller.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    let (u, v): (f64, f64) = (1.0 - random.random::<f64>(), random.random());
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}
