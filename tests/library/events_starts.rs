//! Starts of event-driven runs: lattices, random mixtures, boxes. There are no transcendental functions, so that the
//! bits are the same on every machine.

use std::ops::ControlFlow;

use carom::events::{Boundary, Enclosure, Engine, Event, EventSettings, Limit};
use carom::{Field, Particle, Particles};
use proptest::test_runner::{Config as ProptestConfig, RngSeed};

use super::random::Random;

/// Properties are tested on the same cases in every run.
pub(crate) fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20),
        ..ProptestConfig::default()
    }
}

pub(crate) fn particles_of(list: &[Particle]) -> Particles {
    let mut particles = Particles::new(list[0].dim()).unwrap();
    particles.add_many(list).unwrap();
    particles
}

pub(crate) fn engine_of<const D: usize>(list: &[Particle], enclosure: Enclosure<D>) -> Engine<D> {
    Engine::new(particles_of(list), enclosure, EventSettings::default()).unwrap()
}

/// Corners of `cells^D` cubic cells of this side, and with `centred` the centres of their faces too (3D: FCC).
fn lattice<const D: usize>(cells: usize, side: f64, centred: bool) -> Vec<[f64; D]> {
    let corner = |n: usize| -> [f64; D] {
        std::array::from_fn(|axis| (n / cells.pow(axis as u32) % cells) as f64 * side)
    };
    let shifts: &[[f64; 3]] = &[[0.0; 3], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
    let shifts = if centred { shifts } else { &shifts[..1] };
    (0..cells.pow(D as u32))
        .flat_map(|n| shifts.iter().map(move |shift| (corner(n), shift)))
        .map(|(corner, shift)| std::array::from_fn(|axis| corner[axis] + (shift[axis] + 0.25) * side))
        .collect()
}

/// Unit spheres of unit mass at this number density on a lattice in the box [0, L]^D, at temperature 1 and without
/// momentum: FCC in 3D, else one per cell. Returns the particles and L.
pub(crate) fn lattice_gas<const D: usize>(
    cells: usize,
    density: f64,
    random: &mut Random,
) -> (Vec<Particle>, f64) {
    let a_cell = if D == 3 { 4.0 } else { 1.0 };
    let volume_of_cell: f64 = a_cell / density;
    let side = match D {
        1 => volume_of_cell,
        2 => volume_of_cell.sqrt(),
        _ => volume_of_cell.cbrt(),
    };
    let places = lattice::<D>(cells, side, D == 3);
    let mut velocities: Vec<[f64; D]> =
        places.iter().map(|_| std::array::from_fn(|_| random.real(-1.0, 1.0))).collect();
    thermalise(&mut velocities);
    let list = places
        .iter()
        .zip(&velocities)
        .map(|(place, velocity)| Particle::sphere(place, 0.5).with_mass(1.0).with_velocity(velocity))
        .collect();
    (list, cells as f64 * side)
}

/// Subtracts the mean of the velocities and scales them so that the mean of v^2 is D.
fn thermalise<const D: usize>(velocities: &mut [[f64; D]]) {
    let count = velocities.len() as f64;
    let mean: [f64; D] = std::array::from_fn(|axis| velocities.iter().map(|v| v[axis]).sum::<f64>() / count);
    for velocity in velocities.iter_mut() {
        *velocity = std::array::from_fn(|axis| velocity[axis] - mean[axis]);
    }
    let square: f64 = velocities.iter().flatten().map(|v| v * v).sum();
    let scale = (D as f64 * count / square).sqrt();
    velocities.iter_mut().flatten().for_each(|v| *v *= scale);
}

/// A lattice gas in its periodic box.
pub(crate) fn periodic_gas<const D: usize>(cells: usize, density: f64, seed: u64) -> Engine<D> {
    let (list, side) = lattice_gas::<D>(cells, density, &mut Random(seed));
    engine_of(&list, Enclosure::periodic([0.0; D], [side; D]))
}

/// The parameters of a random mixture.
#[derive(Clone, Copy)]
pub(crate) struct Mixture {
    pub(crate) count: usize,
    /// Radii are uniform from `1 - spread` to `1 + spread` half metres, masses likewise.
    pub(crate) spread: f64,
    pub(crate) fixed: f64,
    pub(crate) tracers: f64,
    /// Spacing of the square lattice, in metres.
    pub(crate) spacing: f64,
}

/// A mixture on a jittered square or cubic lattice in the box [0, L]^D, without overlaps. Returns the particles and L.
pub(crate) fn mixture<const D: usize>(what: Mixture, random: &mut Random) -> (Vec<Particle>, f64) {
    let side = (1..).find(|side: &usize| side.pow(D as u32) >= what.count).expect("a finite side");
    let slack = 0.49 * (what.spacing - 1.0 - what.spread);
    assert!(slack > 0.0, "the lattice is too narrow for the largest balls");
    let one = |n: usize| {
        let place: [f64; D] = std::array::from_fn(|axis| {
            ((n / side.pow(axis as u32) % side) as f64 + 0.5) * what.spacing + random.real(-slack, slack)
        });
        let radius = 0.5 * random.real(1.0 - what.spread, 1.0 + what.spread);
        let mass = random.real(1.0 - what.spread, 1.0 + what.spread);
        let velocity: [f64; D] = std::array::from_fn(|_| random.real(-1.0, 1.0));
        let ball = Particle::sphere(&place, radius).with_mass(mass).with_velocity(&velocity);
        match random.real(0.0, 1.0) {
            kind if kind < what.fixed => ball.fixed(),
            kind if kind < what.fixed + what.tracers => ball.with_mass(0.0),
            _ => ball,
        }
    };
    ((0..what.count).map(one).collect(), side as f64 * what.spacing)
}

/// Any mixture of faces for a box [0, side]^D.
pub(crate) fn some_box<const D: usize>(side: f64, kinds: &[Boundary], random: &mut Random) -> Enclosure<D> {
    let boundaries = std::array::from_fn(|_| kinds[random.next_u64() as usize % kinds.len()]);
    Enclosure { lower: [0.0; D], upper: [side; D], boundaries }
}

/// The bits of all positions and velocities and of the time.
pub(crate) fn bits<const D: usize>(engine: &mut Engine<D>) -> Vec<u64> {
    let time = engine.time();
    let particles = engine.synchronise();
    let columns = [Field::Position, Field::Velocity]
        .into_iter()
        .flat_map(|field| (0..D).map(move |axis| particles.column(field, axis).unwrap()));
    columns.flatten().map(|x| x.to_bits()).chain([time.to_bits()]).collect()
}

/// Row `index` of a vector column.
pub(crate) fn vector<const D: usize>(particles: &Particles, field: Field, index: usize) -> [f64; D] {
    std::array::from_fn(|axis| particles.column(field, axis).unwrap()[index])
}

/// The deepest overlap of two balls, and of a ball with a reflecting wall, in metres; negative if nothing overlaps.
/// Tracers and pairs of fixed balls do not count.
pub(crate) fn deepest_overlap<const D: usize>(engine: &mut Engine<D>) -> f64 {
    let enclosure = *engine.enclosure();
    let particles = engine.synchronise().clone();
    let (mass, radius) =
        (particles.column(Field::Mass, 0).unwrap(), particles.column(Field::Radius, 0).unwrap());
    let fixed = particles.fixed_flags();
    let solid: Vec<usize> = (0..particles.len()).filter(|&i| mass[i] > 0.0).collect();
    let places: Vec<[f64; D]> =
        (0..particles.len()).map(|i| vector(&particles, Field::Position, i)).collect();
    let mut deepest = f64::NEG_INFINITY;
    for (n, &i) in solid.iter().enumerate() {
        for &j in &solid[n + 1..] {
            if fixed[i] == 0 || fixed[j] == 0 {
                let gap =
                    nearest(&places[i], &places[j], &enclosure).iter().map(|x| x * x).sum::<f64>().sqrt();
                deepest = deepest.max(radius[i] + radius[j] - gap);
            }
        }
        for axis in (0..D).filter(|&axis| enclosure.boundaries[axis] == Boundary::Reflecting && fixed[i] == 0)
        {
            deepest = deepest.max(radius[i] - (places[i][axis] - enclosure.lower[axis]));
            deepest = deepest.max(radius[i] - (enclosure.upper[axis] - places[i][axis]));
        }
    }
    deepest
}

/// The shortest vector from `b` to `a`, through periodic faces.
pub(crate) fn nearest<const D: usize>(a: &[f64; D], b: &[f64; D], enclosure: &Enclosure<D>) -> [f64; D] {
    std::array::from_fn(|axis| {
        let apart = a[axis] - b[axis];
        if enclosure.boundaries[axis] == Boundary::Periodic {
            let side = enclosure.upper[axis] - enclosure.lower[axis];
            apart - side * (apart / side).round()
        } else {
            apart
        }
    })
}

/// Runs and returns the events.
pub(crate) fn events<const D: usize>(engine: &mut Engine<D>, limit: Limit) -> Vec<Event<D>> {
    let mut log = Vec::new();
    let mut note = |event: &Event<D>| {
        log.push(*event);
        ControlFlow::Continue(())
    };
    engine.run_observed(limit, &mut note).unwrap();
    log
}
