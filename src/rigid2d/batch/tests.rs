use super::*;
use crate::frames::random::SplitMix64;
use crate::rigid2d::space::Precision;
use crate::rigid2d::{Body, Geometry, Material, Shape, SpaceSettings};

/// A bin with mixed shapes at random places.
fn bin(seed: u64, precision: Precision) -> Space {
    let settings = SpaceSettings::default().with_gravity(Vec2::new(0.0, -10.0)).with_precision(precision);
    let mut space = Space::new(&settings).unwrap();
    let mut random = SplitMix64(seed);
    for (a, b) in [([-3.0, 0.0], [3.0, 0.0]), ([-3.0, 0.0], [-3.0, 12.0]), ([3.0, 0.0], [3.0, 12.0])] {
        let wall = Geometry::segment(a.into(), b.into(), 0.1).unwrap();
        let material = Material::default().with_friction(0.7).with_elasticity(0.8);
        space.add_shape(space.static_body(), Shape::new(wall).with_material(material)).unwrap();
    }
    for n in 0..3 + seed % 7 {
        let place = Vec2::new(1.5 * random.real(), 1.0 + 1.2 * n as f64);
        let body = space.add_body(&Body::dynamic().with_position(place).with_angle(random.real())).unwrap();
        let form = match n % 3 {
            0 => Geometry::circle(0.5, Vec2::ZERO),
            1 => Geometry::rectangle(0.9, 0.7, 0.0),
            _ => Geometry::polygon(
                &[[0.0, 0.5], [-0.5, 0.0], [-0.3, -0.4], [0.4, -0.4], [0.5, 0.1]].map(Vec2::from),
                0.05,
            ),
        };
        let material = Material::default().with_friction(0.5).with_elasticity(0.3 * (n % 2) as f64);
        let shape = Shape::new(form.unwrap()).with_density(1.0).with_material(material);
        space.add_shape(body, shape).unwrap();
    }
    space
}

#[test]
fn a_space_has_the_same_bits_alone_and_in_any_batch() {
    for precision in [Precision::Double, Precision::Mixed] {
        let mut alone: Vec<Space> = (0..30).map(|seed| bin(seed, precision)).collect();
        let mut batches: Vec<Spaces> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let prototypes: Vec<&Space> = alone.iter().collect();
                // In another order, with unrelated spaces between.
                let which: Vec<u32> = (0..30_u32).flat_map(|n| [29 - n, n / 2]).collect();
                let mut batch = Spaces::from_prototypes(&prototypes, &which).unwrap();
                batch.set_context(Context::with_threads(threads).unwrap());
                batch
            })
            .collect();
        for step in 0..200 {
            alone.iter_mut().for_each(|space| space.step(1.0 / 60.0).unwrap());
            for batch in &mut batches {
                batch.step(1.0 / 60.0).unwrap();
                for (n, space) in alone.iter().enumerate() {
                    let hash = batch.state_hash(2 * (29 - n)).unwrap();
                    assert_eq!(hash, space.state_hash(), "{precision:?}, step {step}, space {n}");
                }
            }
        }
    }
}

/// Rows of spaces that do not bounce are in lanes or not, depending on where they are.
#[test]
fn forces_and_gravities_have_the_same_bits_alone_and_in_a_batch() {
    for precision in [Precision::Double, Precision::Mixed] {
        let mut alone: Vec<Space> = (0..9).map(|seed| bin(seed, precision)).collect();
        for (n, space) in alone.iter_mut().enumerate() {
            let shapes: Vec<_> = space.shapes().map(|shape| shape.id()).collect();
            for shape in shapes {
                space.shape_mut(shape).unwrap().set_elasticity(0.0).unwrap();
            }
            space.set_gravity(Vec2::new(0.3 * n as f64, if n == 4 { 0.0 } else { -10.0 })).unwrap();
        }
        let prototypes: Vec<&Space> = alone.iter().collect();
        let mut batch = Spaces::from_prototypes(&prototypes, &[8, 7, 6, 5, 4, 3, 2, 1, 0]).unwrap();
        let rows = batch.bodies_per_space();
        for step in 0..150 {
            for (n, space) in alone.iter_mut().enumerate() {
                for field in [BodyField::ForceX, BodyField::Torque] {
                    let force = |row: usize| 3.0 * f64::from((7 * row + step) as u32 % 5) - 6.0;
                    let is_dynamic = |row: usize| space.column(BodyField::Y).len() > row && row > 0;
                    let count = space.column(field).len();
                    let forces: Vec<f64> =
                        (0..count).map(|row| if is_dynamic(row) { force(row) } else { 0.0 }).collect();
                    if (step + n) % 3 == 0 {
                        let of_space = &mut batch.column_mut(field)[(8 - n) * rows..][..count];
                        of_space.copy_from_slice(&forces);
                        space.set_column(field, &forces).unwrap();
                    }
                }
                space.step(1.0 / 60.0).unwrap();
            }
            batch.step(1.0 / 60.0).unwrap();
            for (n, space) in alone.iter().enumerate() {
                assert_eq!(
                    batch.state_hash(8 - n).unwrap(),
                    space.state_hash(),
                    "{precision:?}, step {step}, space {n}"
                );
            }
        }
    }
}

#[test]
fn from_a_snapshot_the_future_is_the_same() {
    let space = bin(3, Precision::Double);
    let mut batch = Spaces::new(&space, 9).unwrap();
    let fresh = batch.state_hash(4).unwrap();
    (0..60).for_each(|_| batch.step(1.0 / 60.0).unwrap());
    let snapshot = batch.snapshot(4).unwrap();
    (0..60).for_each(|_| batch.step(1.0 / 60.0).unwrap());
    let later = batch.state_hash(4).unwrap();
    batch.restore(7, &snapshot).unwrap();
    batch.reset(&[4]).unwrap();
    assert_eq!(batch.state_hash(4).unwrap(), fresh);
    (0..60).for_each(|_| batch.step(1.0 / 60.0).unwrap());
    assert_eq!(batch.state_hash(7).unwrap(), later);
    (0..60).for_each(|_| batch.step(1.0 / 60.0).unwrap());
    assert_eq!(batch.state_hash(4).unwrap(), later);
}

#[test]
fn columns_are_spaces_by_bodies_and_are_checked() {
    let mut batch = Spaces::new(&bin(5, Precision::Double), 3).unwrap();
    let rows = batch.bodies_per_space();
    assert_eq!(batch.column(BodyField::X).len(), 3 * rows);
    batch.column_mut(BodyField::Angle)[rows + 2] = 1.0;
    batch.column_mut(BodyField::VelocityX)[rows + 2] = f64::NAN;
    let before = batch.batch_hash();
    let error = batch.step(0.01).unwrap_err();
    assert!(
        matches!(error, Error::NotFinite { field: "velocity x", index, .. } if index == rows + 2),
        "{error}"
    );
    assert_eq!(batch.batch_hash(), before);
    batch.column_mut(BodyField::VelocityX)[rows + 2] = 0.0;
    batch.step(0.01).unwrap();
    assert_eq!(batch.state_hash(0), batch.state_hash(2));
    assert_ne!(batch.state_hash(0), batch.state_hash(1));
}

#[test]
fn events_come_by_space() {
    let mut batch = Spaces::new(&bin(0, Precision::Double), 4).unwrap();
    let mut seen = 0;
    for _ in 0..120 {
        batch.step(1.0 / 60.0).unwrap();
        let events = batch.events();
        assert!(events.is_sorted());
        let of = |space: u32| events.iter().filter(move |event| event.space == space);
        for space in 1..4 {
            assert!(of(0).zip(of(space)).all(|(a, b)| a.shapes == b.shapes && a.begins == b.begins));
            assert_eq!(of(0).count(), of(space).count());
        }
        seen += events.len();
    }
    assert!(seen >= 4 * 3, "{seen}");
}

#[test]
fn misuse_is_an_error() {
    let space = bin(1, Precision::Double);
    let single = bin(1, Precision::Mixed);
    assert!(matches!(
        Spaces::from_prototypes(&[&space], &[0, 1]),
        Err(Error::BadIndex { index: 1, len: 1, .. })
    ));
    assert!(Spaces::from_prototypes(&[&space, &single], &[0, 1]).is_err());
    let mut batch = Spaces::new(&space, 2).unwrap();
    assert!(batch.reset(&[0, 2]).is_err() && batch.snapshot(2).is_err() && batch.state_hash(9).is_err());
    assert!(batch.step(f64::NAN).is_err() && batch.step(-1.0).is_err());
    assert!(batch.set_gravity(0, Vec2::new(f64::NAN, 0.0)).is_err());
    assert!(Spaces::new(&space, 0).unwrap().is_empty());
}
