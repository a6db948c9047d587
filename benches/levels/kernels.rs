//! The kernels that are measured, each on data that stays in a cache, in nanoseconds per item.

use std::hint::black_box;

use carom::events::scenes::Gas;
use carom::fmb::{Intersections, Pairs, Request};
use carom::frames::random::RandomFrames;
use carom::particles::gravity;
use carom::soa::Column;
use carom::study::Study;
use carom::{Attraction, Context, Frame, FrameField, FrameKind, Frames, Limit, Particle, Particles, World};

use crate::encounters::{BOXES, CONJUNCTION};
use crate::processor_time::processor_time;

/// Seconds for which each kernel is repeated at least; the best round counts.
const LONG_ENOUGH: f64 = 0.15;

/// Pairs of frames in a set.
const PAIRS: usize = 4096;

/// A kernel, its name, and what it took per item in nanoseconds.
pub(crate) type Figure = (&'static str, f64);

/// Measures all kernels.
pub(crate) fn measure() -> Vec<Figure> {
    let mut figures = Vec::new();
    frames(&mut figures);
    particles(&mut figures);
    events(&mut figures);
    studies(&mut figures);
    figures
}

/// The best of several rounds of work on `items` items, in nanoseconds per item.
fn best(items: usize, mut work: impl FnMut()) -> f64 {
    let (start, mut least, mut rounds) = (processor_time(), f64::INFINITY, 0);
    while rounds < 5 || processor_time() - start < LONG_ENOUGH {
        let before = processor_time();
        work();
        least = least.min(processor_time() - before);
        rounds += 1;
    }
    1e9 * least / items as f64
}

fn frames(figures: &mut Vec<Figure>) {
    figures.push(("frames 2D", random::<2>(false).test(Request::COUNT)));
    figures.push(("frames 2D moving", random::<2>(true).test(Request::COUNT)));
    figures.push(("frames 3D", random::<3>(false).test(Request::COUNT)));
    figures.push(("frames 3D moving", random::<3>(true).test(Request::COUNT)));
    figures.push(("frames 2D moving, near", near::<2>().test(Request::COUNT)));
    figures.push(("frames 3D, near", near::<3>().test(Request::COUNT)));
    figures.push(("times and boxes 2D moving", near::<2>().test(Request::ALL.with_normals(false))));
    figures.push(("times and boxes 3D moving", near::<3>().test(Request::ALL.with_normals(false))));
    figures.push(("lattice 3D", lattice().test(Request::COUNT)));
    figures.push(("records 3D moving", random::<3>(true).pack()));
}

/// Two sets of as many frames: the i-th of one is tested with the i-th of the other.
struct Sets<const D: usize>([Frames<D>; 2]);

impl<const D: usize> Sets<D> {
    fn test(&self, request: Request) -> f64 {
        let [a, b] = &self.0;
        let mut found = Intersections::new(request);
        let context = Context::serial();
        best(a.len(), || {
            found.test(&context, a, b, Pairs::Paired).expect("memory");
            black_box(found.hits());
        })
    }

    /// Records and boxes of one set, written anew after a change.
    fn pack(self) -> f64 {
        let [mut frames, _] = self.0;
        let context = Context::serial();
        best(frames.len(), || {
            let column = frames.column_mut(FrameField::Origin, 0).expect("a column");
            column[0] = black_box(column[0]);
            frames.update(&context).expect("sound frames");
        })
    }
}

fn empty<const D: usize>(moving: bool) -> Frames<D> {
    if moving { Frames::moving(1.0).expect("a duration") } else { Frames::resting() }
}

fn random<const D: usize>(moving: bool) -> Sets<D> {
    let mut random = RandomFrames::new(1);
    Sets([(); 2].map(|()| {
        let mut set = empty(moving);
        for _ in 0..PAIRS {
            set.add(&random.frame(moving)).expect("a sound frame");
        }
        set
    }))
}

/// Moving frames whose boxes overlap.
fn near<const D: usize>() -> Sets<D> {
    let mut random = RandomFrames::new(5);
    let mut sets = [empty::<D>(true), empty::<D>(true)];
    for _ in 0..PAIRS {
        let pair = random.near_pair::<D>(Some(1.0));
        sets.iter_mut().zip(&pair).for_each(|(set, frame)| {
            set.add(frame).expect("a sound frame");
        });
    }
    Sets(sets)
}

/// Unit cubes on a lattice, whose faces touch: exact arithmetic decides.
fn lattice() -> Sets<3> {
    let cube = |n: usize, step: usize| Frame::<3> {
        kind: FrameKind::Cuboid,
        origin: [(n * step % 5) as f64, (n / 5 % 5) as f64, (n / 25 % 5) as f64].map(|x| 0.5 * x),
        components: std::array::from_fn(|i| std::array::from_fn(|k| f64::from(u8::from(i == k)))),
        velocity: [0.0; 3],
    };
    Sets([1, 3].map(|step| {
        let mut set = Frames::resting();
        for n in 0..PAIRS / 8 {
            set.add(&cube(n, step)).expect("a sound frame");
        }
        set
    }))
}

/// Spheres on a jittered lattice, apart from each other.
fn cloud(edge: usize) -> Particles {
    let mut state = 7_u64;
    let mut uniform = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let mut particles = Particles::new(3).expect("a dimension");
    for n in 0..edge * edge * edge {
        let place = [n % edge, n / edge % edge, n / edge / edge].map(|k| k as f64 + 0.2 * uniform());
        let velocity = [uniform(), uniform(), uniform()];
        let sphere = Particle::sphere(&place, 0.3).with_mass(1.0).with_velocity(&velocity);
        particles.add(&sphere).expect("a sound particle");
    }
    particles
}

fn particles(figures: &mut Vec<Figure>) {
    let context = Context::serial();
    let particles = cloud(12);
    let count = particles.len();
    let attraction = Attraction { constant: 1.0, ..Attraction::default() };
    let mut pulls: Vec<Column<f64>> =
        (0..3).map(|_| Column::filled(count, 0.0, 0.0).expect("memory")).collect();
    let pairs = count * (count - 1) / 2;
    let gravity = best(pairs, || {
        gravity::attraction(&particles, &attraction, &context, &mut pulls).expect("memory");
        black_box(&pulls);
    });
    figures.push(("gravity 3D, per pair", gravity));
    let mut free = World::from_particles(particles.clone());
    figures.push(("motion 3D", best(count, || free.next(1e-9).expect("a sound world"))));
    let mut world = World::from_particles(particles.clone());
    let earliest = best(pairs, || {
        black_box(world.earliest_collision(1e-3).expect("a sound world"));
    });
    figures.push(("earliest collision 3D, per pair", earliest));
    let mut times = vec![0.0; count];
    let one = best(count, || {
        world.times_against_all(5, 1e-3, &mut times).expect("a particle");
        black_box(&times);
    });
    figures.push(("times of one with all 3D", one));
    let energy = best(count, || {
        black_box(particles.kinetic_energy(&context));
    });
    figures.push(("kinetic energy 3D", energy));
}

fn events(figures: &mut Vec<Figure>) {
    for (name, dim) in [("events 2D", 2), ("events 3D", 3)] {
        let gas = Gas::new(dim).with_particles(1000).with_number_density(0.5).with_seed(3);
        let mut engine = gas.scene().expect("a gas").engine().expect("no overlaps");
        let collisions = 5000;
        figures.push((name, best(collisions as usize, || drop(engine.run(Limit::collisions(collisions))))));
    }
}

fn studies(figures: &mut Vec<Figure>) {
    let cases = [
        ("study of encounters", CONJUNCTION),
        ("study of turned boxes", BOXES),
        ("study of frames 3D", "kind = \"frames\"\nmeasure = [\"hit\"]\n[frames]\ndimension = 3\n"),
    ];
    for (name, text) in cases {
        let study = Study::from_toml(text, None).expect("a study");
        let replicas = 1 << 15;
        let figure = best(replicas, || {
            let outcome = study.each_batch(0, 0..replicas as u64, |_, values| {
                black_box(values);
            });
            outcome.expect("there is one point");
        });
        figures.push((name, figure));
    }
}
