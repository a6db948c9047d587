//! Collisions at the same time are resolved in the order of their indices (docs/methods/events.md, section 3.3).

use carom::events::{Enclosure, Limit};
use carom::{Field, Particle, World};

use super::events_starts::{engine_of, events, particles_of, vector};

/// A ball flies at two that touch each other, at the middle between them; `sides` says where each of the two lies.
fn break_of_three(sides: [f64; 2]) -> [Particle; 3] {
    let ball = |x: f64, y: f64| Particle::sphere(&[x, y], 0.5).with_mass(1.0);
    [ball(-3.0, 0.0).with_velocity(&[1.0, 0.0]), ball(0.0, 0.5 * sides[0]), ball(0.0, 0.5 * sides[1])]
}

fn after_events(list: &[Particle]) -> [[f64; 2]; 3] {
    let mut engine = engine_of::<2>(list, Enclosure::open());
    let log = events(&mut engine, Limit::NONE);
    assert_eq!(log.iter().map(|e| (e.first, e.second)).collect::<Vec<_>>(), [(0, 1), (0, 2)]);
    assert_eq!(log[0].time.to_bits(), log[1].time.to_bits(), "both contacts are at the same time");
    let particles = engine.synchronise();
    std::array::from_fn(|n| vector(particles, Field::Velocity, n))
}

fn after_steps(list: &[Particle]) -> [[f64; 2]; 3] {
    let mut world = World::from_particles(particles_of(list));
    let mut pairs = Vec::new();
    world.step_observed(5.0, &mut |hit| pairs.push((hit.first, hit.second))).unwrap();
    assert_eq!(pairs, [(0, 1), (0, 2)]);
    std::array::from_fn(|n| vector(world.particles(), Field::Velocity, n))
}

#[test]
fn a_ball_into_two_that_touch_hits_the_lower_index_first() {
    for after in [after_events, after_steps] {
        let found = after(&break_of_three([1.0, -1.0]));
        // Along the lines of centres, 30 degrees to either side: the first takes 3/4 of the energy, the second 3/16.
        let root = 3.0_f64.sqrt();
        let expected = [[-0.125, -root / 8.0], [0.75, root / 4.0], [0.375, -root / 8.0]];
        for (found, expected) in found.iter().flatten().zip(expected.iter().flatten()) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        let energy: f64 = found.iter().flatten().map(|v| v * v).sum();
        assert!((energy - 1.0).abs() < 1e-15);
    }
}

#[test]
fn the_mirrored_start_with_exchanged_indices_leaves_mirror_images() {
    for after in [after_events, after_steps] {
        let (found, mirrored) = (after(&break_of_three([1.0, -1.0])), after(&break_of_three([-1.0, 1.0])));
        assert_eq!(found.map(|[x, y]| [x, -y]), mirrored, "to the bit");
    }
}
