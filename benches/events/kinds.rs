//! Mixtures, thin gases and a large ball under gravity beside equal balls at density 0.5, all in turns in one run.

use carom::events::scenes::{Gas, Mix};
use carom::{AnyEngine, Boundary, EventSettings, Limit, Particle, Particles};

use crate::{TURNS, length, rate};

/// A line of the table: what runs, and what it must reach.
struct Case {
    name: &'static str,
    engine: AnyEngine,
    limit: Target,
    /// Collisions per turn, and the best rate so far.
    turn: u64,
    best: f64,
}

/// What a case must reach.
enum Target {
    /// Nothing: others are compared with it.
    Reference,
    /// This share of the rate of the reference before it.
    Share(f64),
    /// This many collisions per second.
    Rate(f64),
}

/// Prints the best rates of all turns and their ratios to those of equal balls.
pub(crate) fn measure() {
    let mut cases = cases();
    for case in &mut cases {
        case.turn = length(&mut |n| run(&mut case.engine, n));
    }
    for _ in 0..TURNS {
        for case in &mut cases {
            case.best = case.best.max(rate(&mut |n| run(&mut case.engine, n), case.turn));
        }
    }
    println!("{:<62} {:>14} {:>6} {:>8}", "run", "collisions/s", "ratio", "limit");
    let mut reference = 0.0;
    for Case { name, limit, best, .. } in &cases {
        match limit {
            Target::Reference => {
                reference = *best;
                println!("{name:<62} {best:>14.0}");
            }
            Target::Share(share) => {
                println!("{name:<62} {best:>14.0} {:>6.2} {share:>8}", best / reference);
            }
            Target::Rate(least) => println!("{name:<62} {best:>14.0} {:>6} {least:>8}", ""),
        }
    }
}

fn cases() -> Vec<Case> {
    let mix = Mix::new(0.9, 0.1);
    let disks = |count: usize| Gas::new(2).with_particles(count);
    let spheres = |count: usize| Gas::new(3).with_particles(count);
    // Equal balls at number density 0.5 and diameter 1 fill this share of the volume; so do the mixtures.
    let packing = [std::f64::consts::PI / 8.0, std::f64::consts::PI / 12.0];
    let gases = [
        ("1,024 disks, density 0.5", disks(1024), Target::Reference),
        (
            "90% of 1,024 disks ten times smaller, the same packing",
            disks(1024).with_mix(mix),
            Target::Share(0.6),
        ),
        ("1,024 disks, density 0.1", disks(1024).with_number_density(0.1), Target::Share(0.7)),
        ("10,000 disks, density 0.5", disks(10_000), Target::Reference),
        (
            "90% of 10,000 disks ten times smaller, the same packing",
            disks(10_000).with_mix(mix),
            Target::Share(0.6),
        ),
        ("10,000 disks, density 0.1", disks(10_000).with_number_density(0.1), Target::Share(0.7)),
        ("10,976 spheres, density 0.5", spheres(10_976), Target::Reference),
        (
            "90% of 10,976 spheres ten times smaller, the same packing",
            spheres(10_976).with_mix(mix),
            Target::Share(0.6),
        ),
        ("10,976 spheres, density 0.1", spheres(10_976).with_number_density(0.1), Target::Share(0.7)),
    ];
    let balls = [
        ("200 disks and a fixed one five times larger, gravity", under_gravity(2)),
        ("200 spheres and a fixed one five times larger, gravity", under_gravity(3)),
    ];
    let gases = gases.map(|(name, gas, limit)| {
        let gas = if gas.mix.is_some() { gas.with_packing(packing[gas.dim - 2]) } else { gas };
        let mut engine = gas.scene().and_then(|scene| scene.into_engine()).expect("the balls fit");
        run(&mut engine, 10 * gas.particles as u64);
        Case { name, engine, limit, turn: 0, best: 0.0 }
    });
    let balls = balls.map(|(name, mut engine)| {
        run(&mut engine, 20_000);
        Case { name, engine, limit: Target::Rate(200_000.0), turn: 0, best: 0.0 }
    });
    gases.into_iter().chain(balls).collect()
}

/// 200 elastic balls of diameter 1 that fall on a fixed one of diameter 5, in a box.
fn under_gravity(dim: usize) -> AnyEngine {
    const SIDE: f64 = 40.0;
    let mut particles = Particles::new(dim).expect("two or three dimensions");
    let mut centre = vec![0.5 * SIDE; dim];
    centre[1] = 8.0;
    let large = Particle::sphere(&centre, 2.5).with_mass(1.0).fixed();
    particles.add(&large).expect("a valid ball");
    for n in 0..200_usize {
        let (across, layer) = if dim == 2 { (20, n / 20) } else { (8, n / 64) };
        let mut position = vec![2.0 + (n % across) as f64 * 36.0 / across as f64; dim];
        position[1] = 14.0 + layer as f64 * 1.5;
        if dim == 3 {
            position[2] = 2.0 + (n / 8 % 8) as f64 * 4.5;
        }
        let velocity: Vec<f64> =
            (0..dim).map(|axis| ((n * 7919 + axis * 104_729) % 401) as f64 * 0.01 - 2.0).collect();
        let small = Particle::sphere(&position, 0.5).with_mass(1.0).with_velocity(&velocity);
        particles.add(&small).expect("a valid ball");
    }
    let settings = EventSettings::default().with_down_gravity(9.81);
    let walls = vec![Boundary::Reflecting; dim];
    AnyEngine::new(particles, &vec![0.0; dim], &vec![SIDE; dim], &walls, settings).expect("no overlaps")
}

fn run(engine: &mut AnyEngine, collisions: u64) {
    engine.run(Limit::collisions(collisions)).expect("elastic balls do not collapse");
}
