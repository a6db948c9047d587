//! The particle store: rows come and go, every property reads and writes, bad input changes nothing.

use crate::random::Random;
use carom::{Batch, Context, Error, Field, MAX_DIM, Particle, Particles, Shape, ShapeKind};
use proptest::prelude::*;

fn sample(dim: usize, n: u64) -> Particle {
    let mut random = Random(n);
    let kind = ShapeKind::from_code((n % 3) as u8).unwrap();
    Particle::with_shape(
        &random.vector(dim, -9.0, 9.0),
        Shape { kind, axes: random.vector(dim * dim, -1.0, 1.0) },
    )
    .with_velocity(&random.vector(dim, -1.0, 1.0))
    .with_acceleration(&random.vector(dim, -1.0, 1.0))
    .with_mass(random.real(0.0, 2.0))
    .with_drag(random.real(0.0, 1.0))
    .with_data(random.next_u64())
}

fn store(dim: usize, count: u64) -> Particles {
    let mut particles = Particles::new(dim).unwrap();
    particles.add_many(&(0..count).map(|n| sample(dim, n)).collect::<Vec<_>>()).unwrap();
    particles
}

#[test]
fn the_default_particle_has_unit_axes_and_nothing_else() {
    let mut particles = Particles::new(3).unwrap();
    particles.add(&Particle::new(3, ShapeKind::Spheroid)).unwrap();
    let particle = particles.get(0).unwrap();
    assert_eq!(particle.shape.axes, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!((particle.mass, particle.drag, particle.fixed, particle.data), (0.0, 0.0, false, 0));
    assert_eq!(particles.radii(), [0.5]);
}

#[test]
fn what_is_added_can_be_read_back_in_any_dimension() {
    for dim in [1, 2, 3, 4, 7] {
        let particles = store(dim, 11);
        for n in 0..11 {
            assert_eq!(particles.get(n as usize).unwrap(), sample(dim, n));
        }
    }
}

#[test]
fn a_batch_is_the_same_as_its_particles_one_by_one() {
    let (x, y) = ([0.0, 1.0, 2.0], [5.0, 6.0, 7.0]);
    let (u, v) = ([1.0, 0.0, 3.0], [-1.0, 0.0, -3.0]);
    let mut by_batch = Particles::new(2).unwrap();
    let rows = by_batch.add_batch(&Batch {
        position: &[&x, &y],
        velocity: &[&u, &v],
        mass: &[1.0, 2.0, 3.0],
        radius: &[0.1, 0.2, 0.3],
        fixed: &[0, 1, 0],
        data: &[7, 8, 9],
        ..Batch::default()
    });
    assert_eq!(rows.unwrap(), 0..3);
    let mut one_by_one = Particles::new(2).unwrap();
    for i in 0..3 {
        let mut particle = Particle::sphere(&[x[i], y[i]], 0.1 * (i + 1) as f64).with_velocity(&[u[i], v[i]]);
        particle.shape = Shape::sphere(2, [0.1, 0.2, 0.3][i]);
        particle.fixed = i == 1;
        one_by_one.add(&particle.with_mass((i + 1) as f64).with_data(7 + i as u64)).unwrap();
    }
    assert_eq!(by_batch, one_by_one);
}

#[test]
fn every_property_of_one_particle_can_be_written() {
    let mut particles = store(2, 5);
    particles.set_value(Field::Position, 3, &[1.0, 2.0]).unwrap();
    particles.set_value(Field::Velocity, 3, &[3.0, 4.0]).unwrap();
    particles.set_value(Field::Acceleration, 3, &[5.0, 6.0]).unwrap();
    particles.set_value(Field::Mass, 3, &[7.0]).unwrap();
    particles.set_value(Field::Drag, 3, &[8.0]).unwrap();
    particles.set_shape(3, &Shape::sphere(2, 4.5)).unwrap();
    particles.user_data_mut()[3] = 10;
    let expected = Particle::sphere(&[1.0, 2.0], 4.5)
        .with_velocity(&[3.0, 4.0])
        .with_acceleration(&[5.0, 6.0])
        .with_mass(7.0)
        .with_drag(8.0)
        .with_data(10);
    assert_eq!(particles.get(3).unwrap(), expected);
    assert_eq!(particles.value(Field::Radius, 3).unwrap(), [4.5]);
    assert_eq!(particles.get(2).unwrap(), sample(2, 2), "the neighbours are untouched");
    particles.set(4, &expected).unwrap();
    assert_eq!(particles.get(4).unwrap(), expected);
}

#[test]
fn whole_columns_can_be_written() {
    let mut particles = store(2, 3);
    particles.set_column(Field::Velocity, 1, &[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(particles.column(Field::Velocity, 1).unwrap(), [1.0, 2.0, 3.0]);
    particles.set_all_axes(&[2.0, 0.0, 0.0, 2.0].repeat(3)).unwrap();
    assert_eq!(particles.radii()[1], 1.0, "row 1 is a spheroid");
    let column = particles.column(Field::Mass, 0).unwrap();
    assert_eq!(column.as_ptr().addr() % 64, 0);
}

#[test]
fn fixing_a_particle_stops_it() {
    let mut particles = store(3, 2);
    particles.set_fixed(0, true).unwrap();
    let fixed = particles.get(0).unwrap();
    assert!(fixed.fixed && particles.is_fixed(0).unwrap());
    assert_eq!((fixed.velocity, fixed.acceleration), (vec![0.0; 3], vec![0.0; 3]));
    let error = particles.set_value(Field::Velocity, 0, &[1.0, 0.0, 0.0]).unwrap_err();
    assert_eq!(error, Error::Fixed { field: "velocity", index: 0 });
    particles.set_fixed(0, false).unwrap();
    particles.set_value(Field::Velocity, 0, &[1.0, 0.0, 0.0]).unwrap();
}

#[test]
fn bad_input_is_named_and_changes_nothing() {
    let mut particles = store(2, 4);
    let before = particles.clone();
    let good = sample(2, 9);
    let bad = Particle { mass: -1.0, ..good.clone() };
    let outcomes = [
        (particles.add_many(&[good.clone(), bad]).map(drop), "mass[1] is -1: it must not be negative"),
        (
            particles.add(&Particle::sphere(&[0.0; 3], 1.0)).map(drop),
            "position[0] has 3 entries: it must have 2",
        ),
        (particles.add(&good.clone().with_drag(f64::NAN)).map(drop), "drag[0] is NaN: it must be finite"),
        (
            particles.set_value(Field::Position, 2, &[0.0, f64::INFINITY]),
            "position[2] is inf: it must be finite",
        ),
        (particles.set_value(Field::Mass, 4, &[1.0]), "particle index 4 out of range: there are 4"),
        (
            particles.set_column(Field::Mass, 0, &[1.0, 2.0, -3.0, 4.0]),
            "mass[2] is -3: it must not be negative",
        ),
        (particles.set_column(Field::Velocity, 2, &[0.0; 4]), "axis index 2 out of range: there are 2"),
        (particles.set_column(Field::Velocity, 0, &[0.0; 3]), "velocity[0] has 3 entries: it must have 4"),
        (particles.set_value(Field::Radius, 0, &[1.0]), "radius can only be read: it follows from the shape"),
        (
            particles.set_shape(1, &Shape { kind: ShapeKind::Facoid, axes: vec![1.7e308; 4] }),
            "radius[1] is inf: it must be finite",
        ),
        (particles.remove(4), "particle index 4 out of range: there are 4"),
        (particles.remove_many(&[2, 9, 1]), "particle index 9 out of range: there are 4"),
        (particles.remove_many(&[1, 3, 1]), "index is 1: it must be listed only once"),
        (
            particles
                .add_batch(&Batch { position: &[&[0.0, 1.0], &[0.0, 1.0]], mass: &[1.0], ..Batch::default() })
                .map(drop),
            "mass[0] has 1 entries: it must have 2",
        ),
        (
            particles.add_batch(&Batch { position: &[&[0.0], &[f64::NAN]], ..Batch::default() }).map(drop),
            "position[0] is NaN: it must be finite",
        ),
    ];
    for (outcome, message) in outcomes {
        assert_eq!(outcome.unwrap_err().to_string(), message);
    }
    assert_eq!(particles, before);
    for dim in [0, MAX_DIM + 1, usize::MAX] {
        assert!(matches!(Particles::new(dim), Err(Error::BadDimension { found, .. }) if found == dim));
    }
}

#[test]
fn a_sphere_in_three_dimensions_takes_106_bytes_and_any_other_shape_178() {
    let count = 1 << 17;
    let zeros = vec![0.0; count];
    for (kind, bytes) in [(ShapeKind::Spheroid, 106), (ShapeKind::Facoid, 178)] {
        let mut particles = Particles::new(3).unwrap();
        particles.reserve(count).unwrap();
        let position: &[&[f64]] = &[&zeros, &zeros, &zeros];
        particles.add_batch(&Batch { kind: Some(kind), position, ..Batch::default() }).unwrap();
        assert_eq!(particles.memory_bytes(), bytes * count, "{kind:?}");
    }
}

#[test]
fn no_memory_is_an_error_and_not_an_abort() {
    let mut particles = store(2, 1);
    let before = particles.clone();
    assert!(matches!(particles.reserve(usize::MAX / 16), Err(Error::OutOfMemory { .. })));
    assert_eq!(particles, before);
}

#[test]
fn equality_has_a_tolerance() {
    let particles = store(2, 3);
    let mut other = particles.clone();
    other.set_value(Field::Mass, 1, &[particles.value(Field::Mass, 1).unwrap()[0] + 1e-6]).unwrap();
    assert!(particles.is_close(&other, 1e-5) && !particles.is_close(&other, 1e-7) && particles != other);
    other.set_fixed(1, true).unwrap();
    assert!(!particles.is_close(&other, 1e9));
}

#[test]
fn shared_pointers_keep_the_checks_on_until_the_columns_move() {
    let mut particles = store(2, 3);
    let (pointer, capacity) = particles.column_ptr(Field::Velocity, 0).unwrap();
    assert!(capacity >= 3);
    particles.check(&Context::serial()).unwrap();
    // SAFETY: the column has three entries and has not moved since the pointer was taken.
    unsafe { pointer.add(1).write(f64::NAN) };
    let error = particles.check(&Context::serial()).unwrap_err();
    assert!(matches!(error, Error::NotFinite { field: "velocity", index: 1, .. }));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn removing_keeps_the_order_of_the_others(count in 1..40_u64, removals in prop::collection::vec(any::<u64>(), 0..20)) {
        let mut particles = store(2, count);
        let mut expected: Vec<Particle> = (0..count).map(|n| sample(2, n)).collect();
        for removal in removals.into_iter().take(count as usize) {
            let index = (removal % expected.len() as u64) as usize;
            particles.remove(index).unwrap();
            expected.remove(index);
            let found: Vec<Particle> = (0..particles.len()).map(|i| particles.get(i).unwrap()).collect();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn removing_many_is_the_same_as_removing_one_by_one(
        count in 0..200_usize,
        seed in any::<u64>(),
        share in 0.0..1.0_f64,
        spheres in any::<bool>(),
    ) {
        let mut random = Random(seed);
        let mut particles = store(2, if spheres { 0 } else { count as u64 });
        if spheres {
            let balls: Vec<_> = (0..count).map(|n| Particle::sphere(&[n as f64, 0.0], n as f64)).collect();
            particles.add_many(&balls).unwrap();
        }
        let mut indices: Vec<usize> = (0..count).filter(|_| random.real(0.0, 1.0) < share).collect();
        let mut one_by_one = particles.clone();
        indices.iter().rev().for_each(|&index| one_by_one.remove(index).unwrap());
        for i in (1..indices.len()).rev() {
            indices.swap(i, (random.next_u64() % (i as u64 + 1)) as usize);
        }
        particles.remove_many(&indices).unwrap();
        prop_assert_eq!(&particles, &one_by_one);
        prop_assert_eq!(particles.user_data(), one_by_one.user_data());
    }
}
