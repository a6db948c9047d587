use super::*;
use crate::geometry::Vec2;
use crate::rigid2d::scenes::{Parameters, Pile, Scene, SceneBody, Walls};
use crate::rigid2d::space::{Precision, Solver};
use crate::rigid2d::{Body, Geometry, Material, Shape};

/// A pile of circles, boxes, hexagons and capsules that bounce and slide in a box.
fn busy(precision: Precision) -> Scene {
    let mut scene = Scene::new("busy");
    scene.settings = scene.settings.with_gravity(Vec2::new(0.0, -10.0)).with_precision(precision);
    let material = Material::default().with_friction(0.6).with_elasticity(0.4);
    scene.add_walls(&Walls::new(Vec2::new(-3.0, 0.0), Vec2::new(3.0, 30.0)).with_material(material)).unwrap();
    let hexagon: Vec<Vec2> = [[2, 0], [1, 2], [-1, 2], [-2, 0], [-1, -2], [1, -2]]
        .map(|[x, y]: [i32; 2]| Vec2::new(0.15 * f64::from(x), 0.13 * f64::from(y)))
        .to_vec();
    let forms = [
        Geometry::circle(0.3, Vec2::new(0.1, 0.0)).unwrap(),
        Geometry::rectangle(0.6, 0.4, 0.05).unwrap(),
        Geometry::polygon(&hexagon, 0.0).unwrap(),
        Geometry::segment(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.1), 0.1).unwrap(),
    ];
    let solid = |form: Geometry| SceneBody::of(Shape::new(form).with_material(material).with_density(2.0));
    let pile = Pile::new(60, Vec2::new(-3.0, 0.5), 6.0).with_sizes([0.5, 1.0]);
    scene.add_pile(&forms.map(solid), &pile).unwrap();
    scene
}

fn step(space: &mut Space, steps: usize) {
    for _ in 0..steps {
        space.step(1.0 / 60.0).unwrap();
    }
}

fn snapshot(space: &Space) -> Vec<u8> {
    let mut bytes = Vec::new();
    space.save(&mut bytes).unwrap();
    bytes
}

fn json(space: &Space) -> Vec<u8> {
    let mut bytes = Vec::new();
    space.save_json(&mut bytes).unwrap();
    bytes
}

/// Bits of all poses and velocities.
fn bits(space: &Space) -> Vec<[u64; 8]> {
    let of = |body: crate::rigid2d::space::BodyRef<'_>| {
        let (place, turn, velocity) = (body.world_centre_of_mass(), body.rotation(), body.velocity());
        let [x, y] = <[f64; 2]>::from(place);
        [x, y, body.angle(), turn.cos, turn.sin, velocity.x, velocity.y, body.angular_velocity()]
            .map(f64::to_bits)
    };
    space.bodies().map(of).collect()
}

#[test]
fn a_loaded_space_has_the_same_future() {
    for precision in [Precision::Double, Precision::Mixed] {
        for solver in [Solver::Soft, Solver::Sequential] {
            let mut scene = busy(precision);
            scene.settings.solver = solver;
            let mut space = scene.space().unwrap();
            step(&mut space, 90);
            let loaded = [snapshot(&space), json(&space)].map(|bytes| Space::load(&mut &bytes[..]).unwrap());
            for mut other in loaded {
                assert_eq!(bits(&other), bits(&space));
                assert_eq!(snapshot(&other), snapshot(&space));
                assert_eq!((other.time(), other.step_count()), (space.time(), space.step_count()));
                let mut same = Space::load(&mut &snapshot(&space)[..]).unwrap();
                for n in 0..200 {
                    step(&mut other, 1);
                    step(&mut same, 1);
                    assert_eq!(bits(&other), bits(&same), "{precision:?} {solver:?} step {n}");
                }
                let mut whole = scene.space().unwrap();
                step(&mut whole, 290);
                assert_eq!(bits(&other), bits(&whole), "{precision:?} {solver:?}");
                assert_eq!(other.settings(), whole.settings());
            }
        }
    }
}

#[test]
fn sleeping_spaces_wake_as_without_a_stop() {
    let mut scene = Scene::named("pyramid", &Parameters::default().with_rows(4)).unwrap();
    scene.settings.sleep_time = Some(0.25);
    let mut space = scene.space().unwrap();
    step(&mut space, 60);
    assert_eq!(space.asleep_count(), 10);
    let mut copy = Space::load(&mut &snapshot(&space)[..]).unwrap();
    assert_eq!(copy.asleep_count(), 10);
    for space in [&mut space, &mut copy] {
        let lowest: Vec<_> = space.bodies().skip(1).take(2).map(|body| body.id()).collect();
        lowest.into_iter().for_each(|id| space.remove_body(id).unwrap());
    }
    // The contacts that were removed have not woken anything yet.
    let mut later = Space::load(&mut &snapshot(&space)[..]).unwrap();
    for space in [&mut space, &mut copy, &mut later] {
        step(space, 100);
    }
    assert_eq!(bits(&space), bits(&copy));
    assert_eq!(bits(&space), bits(&later));
    assert!(space.bodies().any(|body| body.angle().abs() > 0.1), "it has collapsed");
}

#[test]
fn ids_and_free_rows_are_kept() {
    let mut scene = busy(Precision::Double);
    scene.bodies.truncate(10);
    let mut space = scene.space().unwrap();
    step(&mut space, 30);
    let ids: Vec<_> = space.bodies().map(|body| body.id()).collect();
    for &n in &[3, 7, 5] {
        space.remove_body(ids[n]).unwrap();
    }
    let shape = space.body(ids[2]).unwrap().shapes().next().unwrap().id();
    space.remove_shape(shape).unwrap();
    space.body_mut(ids[2]).unwrap().set_mass(1.0).unwrap();
    space.body_mut(ids[2]).unwrap().set_moment(f64::INFINITY).unwrap();
    for bytes in [snapshot(&space), json(&space)] {
        let mut other = Space::load(&mut &bytes[..]).unwrap();
        assert!(!other.contains_body(ids[3]) && other.contains_body(ids[4]) && !other.contains_shape(shape));
        assert_eq!(other.body(ids[2]).unwrap().moment(), f64::INFINITY);
        let mut mine = Space::load(&mut &snapshot(&space)[..]).unwrap();
        for space in [&mut other, &mut mine] {
            for _ in 0..4 {
                let body = space.add_body(&Body::dynamic().with_position(Vec2::new(0.0, 20.0))).unwrap();
                let ball = Geometry::circle(0.2, Vec2::ZERO).unwrap();
                space.add_shape(body, Shape::new(ball).with_mass(1.0)).unwrap();
            }
            step(space, 60);
        }
        let ids =
            |space: &Space| -> Vec<_> { space.shapes().map(|shape| (shape.id(), shape.body())).collect() };
        assert_eq!(ids(&other), ids(&mine));
        assert_eq!(bits(&other), bits(&mine));
    }
}

#[test]
fn queries_find_the_same_after_a_load() {
    let mut space = busy(Precision::Double).space().unwrap();
    step(&mut space, 40);
    let other = Space::load(&mut &snapshot(&space)[..]).unwrap();
    let all = crate::rigid2d::Filter::ALL;
    let of = |space: &Space, x: f64| {
        let (start, end) = (Vec2::new(x, 30.0), Vec2::new(-x, -1.0));
        space.segment_query(start, end, 0.05, all).unwrap()
    };
    for x in [-2.0, -0.5, 0.1, 1.7] {
        assert!(!of(&space, x).is_empty());
        assert_eq!(of(&other, x), of(&space, x));
    }
}

#[test]
fn forms_and_materials_are_kept() {
    let mut space = busy(Precision::Double).space().unwrap();
    let thin = Geometry::rectangle(100.0, 1e-12, 0.0).unwrap();
    let segment = crate::rigid2d::shapes::Segment::new(Vec2::ZERO, Vec2::X, 0.25).unwrap();
    let chain = segment.with_neighbours(Some(-Vec2::X), Some(Vec2::new(2.0, 1.0))).unwrap();
    let filter = crate::rigid2d::Filter { group: 3, categories: 1 << 40, mask: u64::MAX - 1 };
    let material =
        Material::default().with_surface_velocity(Vec2::X).with_collision_type(9).with_sensor(true);
    for geometry in [thin, Geometry::Segment(chain)] {
        let shape = Shape::new(geometry).with_material(material.with_filter(filter)).with_user_data(u64::MAX);
        space.add_shape(space.static_body(), shape).unwrap();
    }
    for bytes in [snapshot(&space), json(&space)] {
        let other = Space::load(&mut &bytes[..]).unwrap();
        let shapes = |space: &Space| -> Vec<Shape> { space.shapes().map(|shape| shape.to_shape()).collect() };
        assert_eq!(shapes(&other), shapes(&space));
        assert!(shapes(&other).len() > 60);
    }
}

#[test]
fn every_truncation_and_every_changed_byte_is_an_error() {
    let mut scene = Scene::named("stack", &Parameters::default().with_rows(2)).unwrap();
    scene.settings.sleep_time = Some(1.0);
    let mut space = scene.space().unwrap();
    step(&mut space, 3);
    let bytes = snapshot(&space);
    for length in 0..bytes.len() {
        let error = Space::load(&mut &bytes[..length]).unwrap_err();
        assert!(matches!(error, Error::Truncated { .. } | Error::Corrupt { .. }), "{length}: {error}");
    }
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 0x41;
        assert!(Space::load(&mut &changed[..]).is_err(), "byte {at}");
    }
    let text = json(&space);
    for length in (0..text.len() - 2).step_by(7) {
        let error = Space::load(&mut &text[..length]).unwrap_err();
        assert!(matches!(error, Error::Truncated { .. } | Error::Syntax { .. }), "{length}: {error}");
    }
    let newer = SEAL.header(2, 0, 0);
    assert!(matches!(Space::load(&mut &newer[..]), Err(Error::NewerVersion { found: 2, .. })));
    for other in [&b"CAROMRUN of another kind"[..], b"  nothing at all"] {
        assert!(matches!(Space::load(&mut &other[..]), Err(Error::UnknownFormat { .. })));
    }
}

/// A payload with valid checksums and any changed bytes either loads and steps, or is an error.
#[test]
fn changed_payloads_never_panic() {
    let mut space = busy(Precision::Mixed).space().unwrap();
    step(&mut space, 60);
    let bytes = snapshot(&space);
    let (_, payload) = SEAL.open(&bytes).unwrap();
    let mut random = crate::random::Random::new(5, crate::random::Purpose::Places);
    let (mut loaded, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut changed = payload.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(changed.len());
            changed[at] = if random.below(2) == 0 {
                random.below(256) as u8
            } else {
                changed[at] ^ 1 << random.below(8)
            };
        }
        if random.below(10) == 0 {
            changed.truncate(random.below(changed.len()));
        }
        let mut file = SEAL.header(1, changed.len() as u64, crc32fast::hash(&changed)).to_vec();
        file.extend_from_slice(&changed);
        match Space::load(&mut &file[..]) {
            Ok(mut space) => {
                loaded += 1;
                // A step may fail, as of a space with huge numbers, but does not panic.
                for _ in 0..2 {
                    let _ = space.step(1.0 / 60.0);
                }
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, Error::Corrupt { .. } | Error::Truncated { .. }), "{error}");
            }
        }
    }
    assert!(loaded > 100 && refused > 100, "{loaded} {refused}");
}

#[test]
fn mistakes_in_json_are_named() {
    let mut space = Scene::named("stack", &Parameters::default().with_rows(2)).unwrap().space().unwrap();
    step(&mut space, 5);
    let good = String::from_utf8(json(&space)).unwrap();
    let said = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        Space::load(&mut good.replacen(from, to, 1).as_bytes()).unwrap_err().to_string()
    };
    assert!(said("\"version\": 1", "\"version\": 9").contains("version 9"));
    assert!(said("carom-space", "carom-world").contains("instead of \"carom-space\""));
    let unknown = said("\"time\":", "\"tme\":");
    assert!(unknown.contains("line ") && unknown.contains("tme"), "{unknown}");
    assert!(said("\"kind\": \"dynamic\"", "\"kind\": \"heavy\"").contains("heavy"));
    assert!(said("\"substeps\": 4", "\"substeps\": 0").contains("substeps is 0"));
    assert!(said("\"static_body\": 0", "\"static_body\": 7").contains("body 7, which does not exist"));
    assert!(said("\"static_body\": 0", "\"static_body\": 1").contains("not static"));
    assert!(said("\"cos\": 1.0", "\"cos\": 2.0").contains("rotation of length"));
    assert!(said("\"radius\": 0.0", "\"radius\": -1.0").contains("shape 0: radius"));
    assert!(said("\"shapes\": [0]", "\"shapes\": []").contains("in the list of no body"));
    assert!(said("\"mass\": 1.0", "\"mass\": 1e999").contains("out of range"));
    assert!(is_saved_space(good.as_bytes()) && is_saved_space(&snapshot(&space)[..10]));
    assert!(
        !is_saved_space(b"{\"format\": \"carom-world\"}")
            && !is_saved_space(b"CAROMRUN")
            && !is_saved_space(b"")
    );
}

#[test]
fn json_has_a_line_per_body_shape_and_contact() {
    let mut space = Scene::named("stack", &Parameters::default().with_rows(2)).unwrap().space().unwrap();
    step(&mut space, 5);
    let text = String::from_utf8(json(&space)).unwrap();
    let starts = |start: &str| text.lines().filter(|line| line.trim_start().starts_with(start)).count();
    assert_eq!((starts("{\"generation\""), starts("{\"shapes\": [0, 1]"), starts("\"time\": ")), (6, 1, 1));
    assert!(text.starts_with("{\n  \"format\": \"carom-space\",\n") && text.ends_with("  }\n}\n"), "{text}");
}
