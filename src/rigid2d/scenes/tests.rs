use super::*;
use crate::rigid2d::shapes::Material;

fn named(name: &str) -> Scene {
    Scene::named(name, &Parameters::default()).unwrap()
}

fn run(scene: &Scene) -> Space {
    let mut space = scene.space().unwrap();
    for _ in 0..(scene.until / scene.dt).round() as usize {
        space.step(scene.dt).unwrap();
    }
    space
}

/// Positions and angles of all bodies but the ground.
fn poses(space: &Space) -> Vec<(Vec2, f64)> {
    space.bodies().skip(1).map(|body| (body.position(), body.angle())).collect()
}

#[test]
fn names_and_parameters_are_checked() {
    for ready in &SCENES {
        let scene = named(ready.name);
        assert_eq!((scene.name.as_str(), scene.description.as_str()), (ready.name, ready.description));
        assert_eq!(ready.c_name.to_str(), Ok(ready.name));
        assert!(scene.until > 0.0 && scene.dynamic_count() > 0);
        scene.space().unwrap().step(scene.dt).unwrap();
        for (name, parameters) in [
            ("rows", Parameters::default().with_rows(2)),
            ("bodies", Parameters::default().with_bodies(2)),
            ("angle", Parameters::default().with_angle(0.1)),
            ("friction", Parameters::default().with_friction(0.1)),
        ] {
            let made = ready.scene(&parameters);
            assert_eq!(made.is_ok(), ready.parameters.contains(&name), "{} {name}", ready.name);
        }
    }
    let error = |name: &str, parameters| Scene::named(name, &parameters).unwrap_err().to_string();
    let none = Parameters::default();
    assert_eq!(error("stack", none.with_rows(0)), "rows is 0: it must be from 1 to 1,000,000");
    assert!(error("pyramid", none.with_rows(1_000_000)).starts_with("rows is 500000500000: it must be such"));
    assert!(error("card-house", none.with_rows(100_000)).starts_with("rows is"));
    assert!(error("galton", none.with_rows(100_000)).starts_with("rows is"));
    assert!(error("bullet", none.with_rows(3)).ends_with("the scene has no such parameter"));
    assert!(error("incline", none.with_angle(1.6)).starts_with("angle is 1.6"));
    assert!(error("incline", none.with_angle(f64::NAN)).starts_with("angle is NaN"));
    assert!(error("incline", none.with_friction(-1.0)).starts_with("friction[0] is -1"));
    assert!(
        error("snooker", none).starts_with("unknown scene of rigid bodies \"snooker\": it must be one of")
    );
}

#[test]
fn sizes_are_as_chosen() {
    let none = Parameters::default();
    for (name, parameters, count) in [
        ("stack", none.with_rows(3), 3),
        ("pyramid", none.with_rows(55), 1540),
        ("bin", none.with_bodies(7), 7),
        ("tumbler", none.with_bodies(10), 10),
        ("cradle", none.with_bodies(1), 1),
        ("dominoes", none.with_bodies(4), 4),
        ("card-house", none.with_rows(5), 40),
        ("galton", none.with_rows(3).with_bodies(5), 5),
    ] {
        assert_eq!(Scene::named(name, &parameters).unwrap().dynamic_count(), count, "{name}");
    }
}

#[test]
fn a_seed_makes_the_same_scene_again_and_another_one_a_different_one() {
    for ready in &SCENES {
        let of = |seed| ready.scene(&Parameters::default().with_seed(seed)).unwrap();
        assert_eq!(of(Some(7)), of(Some(7)), "{}", ready.name);
        assert_ne!(of(Some(7)).bodies, of(Some(8)).bodies, "{}", ready.name);
        assert_eq!(of(Some(1)).bodies == of(None).bodies, ready.is_random, "{}", ready.name);
    }
}

#[test]
fn stack_and_pyramid_stand() {
    for scene in [named("stack"), named("pyramid"), named("card-house")] {
        let space = run(&scene);
        for (start, (end, angle)) in scene.bodies.iter().zip(poses(&space)) {
            let moved = start.body.position.distance(end);
            assert!(moved < 0.02 && (start.body.angle - angle).abs() < 0.05, "{}: {moved}", scene.name);
        }
        assert!(space.kinetic_energy() < 1e-6);
    }
}

#[test]
fn balls_stay_in_bin_and_tumbler() {
    let scene = Scene::named("bin", &Parameters::default().with_bodies(60)).unwrap();
    let half = scene.ground[0].geometry.vertices()[1].x - 1.0;
    for (place, _) in poses(&run(&scene)) {
        assert!(place.x.abs() < half && place.y > 0.35, "{place:?}");
    }
    let mut scene = Scene::named("tumbler", &Parameters::default().with_bodies(100)).unwrap();
    scene.until = 4.0;
    let space = run(&scene);
    let (half, turn) = (20.0 / 9.0 + 0.3, space.bodies().nth(1).unwrap().rotation());
    for (place, _) in poses(&space) {
        let local = turn.turn_back(place);
        assert!(local.x.abs() < half && local.y.abs() < half, "{local:?}");
    }
    assert!((turn.angle() - 4.0 * 25.0_f64.to_radians()).abs() < 1e-9);
}

#[test]
fn answers_that_are_known_come_out() {
    let space = run(&named("incline"));
    let (end, _) = poses(&space)[0];
    let start = named("incline").bodies[0].body.position;
    let expected = 0.5 * 9.81 * (0.5 - 0.3 * 0.75_f64.sqrt()) * 9.0;
    assert!((end.distance(start) / expected - 1.0).abs() < 2e-3);
    let space = run(&named("cradle"));
    let speeds: Vec<f64> = space.bodies().skip(1).map(|body| body.velocity().x).collect();
    assert!(speeds[..4].iter().all(|speed| speed.abs() < 1e-9) && (speeds[4] - 5.0).abs() < 1e-9);
    let (ball, _) = poses(&run(&named("bullet")))[0];
    assert!(ball.x < -0.09, "{ball:?}");
    assert!(poses(&run(&named("dominoes"))).iter().all(|(_, angle)| *angle < -1.2));
}

#[test]
fn a_galton_board_has_most_balls_in_the_middle() {
    let scene = named("galton");
    let places = poses(&run(&scene));
    assert!(places.iter().all(|(place, _)| place.y > 0.0 && place.y < 3.3), "all have left the pegs");
    let near = places.iter().filter(|(place, _)| place.x.abs() < 0.75).count();
    assert!(near > 55, "{near} of 100 in five of eleven slots");
}

fn cube() -> SceneBody {
    SceneBody::of(Shape::new(Geometry::rectangle(2.0, 1.0, 0.0).unwrap()).with_mass(1.0))
}

fn places(scene: &Scene) -> Vec<[f64; 2]> {
    scene.bodies.iter().map(|body| body.body.position.into()).collect()
}

#[test]
fn generators_count_from_the_middle_of_the_lowest_edge() {
    let base = Vec2::new(10.0, 5.0);
    let mut scene = Scene::new("test");
    scene.add_stack(&cube(), 2, base, 0.25).unwrap();
    assert_eq!(places(&scene), [[10.0, 5.5], [10.0, 6.75]]);
    let mut scene = Scene::new("test");
    scene.add_pyramid(&cube(), 2, base, [0.5, 0.0]).unwrap();
    assert_eq!(places(&scene), [[8.75, 5.5], [11.25, 5.5], [10.0, 6.5]]);
    let mut scene = Scene::new("test");
    scene.add_grid(&cube(), [2, 1], base, [0.0; 2]).unwrap();
    assert_eq!(places(&scene), [[9.0, 5.5], [11.0, 5.5]]);
    // The box of a body may be anywhere in its coordinates.
    let ball = SceneBody::of(Shape::new(Geometry::circle(1.0, Vec2::new(3.0, 4.0)).unwrap()).with_mass(1.0));
    let mut scene = Scene::new("test");
    scene.add_stack(&ball, 1, base, 0.0).unwrap();
    assert_eq!(places(&scene), [[7.0, 2.0]]);
    assert!(scene.add_stack(&cube(), 2_000_000, base, 0.0).is_err());
    assert!(scene.add_grid(&cube(), [usize::MAX, 2], base, [0.0; 2]).is_err());
    assert!(scene.add_stack(&cube(), 1, base, -1.0).is_err());
    assert!(scene.add_stack(&SceneBody::new(Body::dynamic(), Vec::new()), 1, base, 0.0).is_err());
    assert_eq!(scene.bodies.len(), 1);
}

#[test]
fn bodies_of_a_pile_do_not_overlap() {
    let mut scene = Scene::new("test");
    let choices =
        [cube(), SceneBody::of(Shape::new(Geometry::circle(0.5, Vec2::ZERO).unwrap()).with_mass(1.0))];
    let pile = Pile::new(50, Vec2::new(-3.0, 1.0), 12.0).with_sizes([0.5, 1.5]);
    scene.add_pile(&choices, &pile).unwrap();
    assert_eq!(scene.bodies.len(), 50);
    for (n, one) in scene.bodies.iter().enumerate() {
        let (place, radius) = (one.body.position, one.bounding_radius());
        assert!(place.x - radius >= -3.0 && place.x + radius <= 9.0 && place.y - radius >= 1.0);
        for other in &scene.bodies[..n] {
            let apart = place.distance(other.body.position);
            assert!(apart > radius + other.bounding_radius(), "{apart}");
        }
    }
    let circles = scene.bodies.iter().filter(|body| body.shapes[0].geometry.vertices().len() == 1).count();
    assert!((10..40).contains(&circles));
    assert!(scene.bodies.iter().any(|body| body.body.angle > 1.0));
    assert!(scene.add_pile(&choices, &Pile::new(1, Vec2::ZERO, 1.0)).is_err());
    assert!(scene.add_pile(&[], &Pile::new(1, Vec2::ZERO, 1.0)).is_err());
    assert!(scene.add_pile(&choices, &pile.with_sizes([2.0, 1.0])).is_err());
}

#[test]
fn walls_close_a_box() {
    let walls = Walls::new(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 3.0)).with_thickness(0.5);
    let boxes = |walls: &Walls| -> Vec<Aabb<2>> {
        let none = Pose { position: Vec2::ZERO, rotation: Rotation::NONE };
        walls.shapes().unwrap().iter().map(|shape| shape.geometry.bounding_box(none)).collect()
    };
    let rough = Material::default().with_friction(0.5);
    assert_eq!(walls.with_material(rough).shapes().unwrap()[3].material, rough);
    let all = boxes(&walls);
    assert_eq!(all[0], Aabb { min: [-1.5, -0.5], max: [1.5, 0.0] });
    assert_eq!(all[1], Aabb { min: [-1.5, 0.0], max: [-1.0, 3.0] });
    assert_eq!(all[2], Aabb { min: [1.0, 0.0], max: [1.5, 3.0] });
    assert_eq!(all[3], Aabb { min: [-1.5, 3.0], max: [1.5, 3.5] });
    let open = Openings { top: true, left: true, ..Openings::default() };
    assert_eq!(boxes(&walls.with_open(open)), [all[0], all[2]]);
    assert!(Walls::new(Vec2::X, Vec2::X).shapes().is_err());
    assert!(walls.with_thickness(0.0).shapes().is_err() && walls.with_thickness(f64::NAN).shapes().is_err());
}
