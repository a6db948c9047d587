//! The C ABI, used from C and C++.

use std::fmt::Write;
use std::mem::offset_of;
use std::path::Path;

use crate::support::{Language, SANITIZE, build, command, has, has_sanitizer, library_dir, root, run};
use carom::capi::batch::{carom_batch, carom_source};
use carom::capi::collisions::{carom_approach, carom_collision, carom_pair};
use carom::capi::columns::{
    carom_byte_column, carom_column, carom_column_mut, carom_data_column, carom_data_column_mut,
};
use carom::capi::events::{carom_enclosure, carom_event_settings};
use carom::capi::events_run::{carom_event, carom_limit, carom_measurements};
use carom::capi::frame_columns::carom_frame_batch;
use carom::capi::frame_contacts::{carom_frame_contact, carom_normal_view};
use carom::capi::frame_rows::{carom_box, carom_frame};
use carom::capi::frame_structs::carom_frame_layout;
use carom::capi::hit_structs::carom_hit_layout;
use carom::capi::hits::{
    carom_bit_view, carom_box_view, carom_index_view, carom_interval, carom_interval_view, carom_pair_view,
};
use carom::capi::intersections::{carom_frame_pair, carom_overlap};
use carom::capi::particle_structs::carom_particle_layout;
use carom::capi::particles::carom_particle_desc;
use carom::capi::rigid2d_bodies::carom_body_options;
use carom::capi::rigid2d_contacts::{carom_contact, carom_contact_point, carom_contact_set};
use carom::capi::rigid2d_forms::{carom_closest, carom_mass_properties};
use carom::capi::rigid2d_geometry::{carom_affine, carom_geometry, carom_shape_options};
use carom::capi::rigid2d_handlers::carom_handler;
use carom::capi::rigid2d_ids::{carom_body, carom_bounds, carom_shape, carom_vec2};
use carom::capi::rigid2d_many_queries::{
    carom_box_query, carom_point_query, carom_segment_query, carom_shape_query,
};
use carom::capi::rigid2d_queries::{carom_filter, carom_point_hit, carom_segment_hit, carom_shape_hit};
use carom::capi::rigid2d_space::carom_space_options;
use carom::capi::rigid2d_spaces::carom_space_event;
use carom::capi::rigid2d_updates::{carom_position_update, carom_velocity_update};
use carom::capi::status::CAROM_UNSUPPORTED_CPU;
use carom::capi::study::{carom_estimate, carom_study_options, carom_study_progress};
use carom::capi::world::carom_settings;

const COMPILERS: &str = "a C and a C++ compiler (gcc and g++, or clang)";

fn has_compilers() -> bool {
    has("cc", COMPILERS) && has("c++", COMPILERS)
}

/// Builds and runs a test in C: as C99, as C++17 and under sanitizers, which also find leaks.
fn run_c_test(name: &str) {
    if !has_compilers() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let sanitizer: &[&str] = if has_sanitizer(dir.path()) { &["", SANITIZE] } else { &[""] };
    run_c_test_with(name, dir.path(), &Language::ALL, sanitizer);
}

/// Builds and runs a test in C in these languages with these flags.
fn run_c_test_with(name: &str, dir: &Path, languages: &[Language], sanitizer: &[&str]) {
    let source = root().join("tests/c").join(name).with_extension("c");
    let program = dir.join(name);
    for &language in languages {
        for flag in sanitizer {
            let flags: Vec<&str> = flag.split_whitespace().collect();
            build(language, &source, &program, &flags);
            let said = run(command(&program, &[]).current_dir(dir));
            let calls = said.strip_prefix(&format!("{name}: all as expected\n"));
            let calls = calls.and_then(|calls| calls.strip_suffix(" calls\n")?.parse::<usize>().ok());
            assert!(calls.is_some_and(|calls| calls > 0), "{language:?} {flag}: {said}");
        }
    }
}

#[test]
fn misuse_gives_a_status_and_changes_nothing() {
    run_c_test("misuse");
}

#[test]
fn input_without_an_end_gives_a_status() {
    run_c_test("endless");
}

#[test]
fn a_callback_stops_a_step() {
    run_c_test("stopping");
}

#[test]
fn const_handles_are_shared_by_threads() {
    run_c_test("threads");
}

#[test]
fn frames_come_back_as_they_went_in_and_are_tested() {
    run_c_test("frames");
}

#[test]
fn misuse_of_frames_gives_a_status_and_changes_nothing() {
    run_c_test("frame_misuse");
}

#[test]
fn structures_of_floats_come_and_go() {
    run_c_test("structs");
}

#[test]
fn misuse_of_runs_gives_a_status_and_changes_nothing() {
    run_c_test("events_misuse");
}

#[test]
fn misuse_of_rigid_bodies_gives_a_status_and_changes_nothing() {
    run_c_test("rigid_misuse");
}

#[test]
fn callbacks_of_rigid_bodies_can_do_no_harm() {
    run_c_test("rigid_callbacks");
}

#[test]
fn spaces_in_batches_and_files_keep_their_bits() {
    run_c_test("rigid_batches");
}

#[test]
fn a_const_space_is_shared_by_threads() {
    run_c_test("rigid_threads");
}

#[test]
fn every_exception_of_the_document_has_its_status() {
    run_c_test("rigid_exceptions");
}

#[test]
fn misuse_of_studies_gives_a_status_and_changes_nothing() {
    run_c_test("study_misuse");
}

#[test]
fn numbers_in_shared_columns_are_checked_by_every_call() {
    run_c_test("shared_columns");
}

/// Sanitizers have threads of their own, which a child does not have either.
#[test]
#[cfg(target_os = "linux")]
fn a_context_is_refused_in_a_child_of_its_process() {
    if has_compilers() {
        let dir = tempfile::tempdir().unwrap();
        run_c_test_with("fork", dir.path(), &Language::ALL, &[""]);
    }
}

/// Sanitizers map more address space than any limit allows, and a walk takes its time: it is made once.
#[cfg(target_os = "linux")]
fn run_c_test_under_limits(name: &str) {
    if has_compilers() {
        let dir = tempfile::tempdir().unwrap();
        run_c_test_with(name, dir.path(), &[Language::C99], &[""]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn out_of_memory_is_a_status_under_every_limit() {
    run_c_test_under_limits("no_memory");
}

#[test]
#[cfg(target_os = "linux")]
fn out_of_memory_is_a_status_of_rigid_bodies_under_every_limit() {
    run_c_test_under_limits("no_memory_rigid");
}

#[test]
#[cfg(target_os = "linux")]
fn out_of_memory_is_a_status_of_every_function() {
    run_c_test_under_limits("without_memory");
}

/// Functions that are not called without memory: they return a number or a pointer that is there, or give memory back.
const NOT_CALLED_WITHOUT_MEMORY: [&str; 12] = [
    "carom_version",
    "carom_level",
    "carom_abi_version",
    "carom_status_string",
    "carom_world_particles",
    "carom_world_particles_const",
    "carom_events_particles",
    "carom_input_limit",
    "carom_input_set_limit",
    "carom_scene_name",
    "carom_space_scene_name",
    // The study that is called has no axes.
    "carom_study_parameter",
];

/// `tests/c/without_memory.c` and the sweep of rigid bodies call every function of the header.
#[test]
#[cfg(target_os = "linux")]
fn every_function_is_called_without_memory() {
    if !has_compilers() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let program = dir.path().join("without_memory");
    build(Language::C99, &root().join("tests/c/without_memory.c"), &program, &[]);
    let listed = run(&mut command(&program, &["--list"]));
    let swept = crate::sweep::names();
    let mut called: Vec<&str> = listed.lines().chain(swept.iter().map(String::as_str)).collect();
    called.extend(NOT_CALLED_WITHOUT_MEMORY);
    called.sort_unstable();
    assert!(called.windows(2).all(|pair| pair[0] != pair[1]), "a function is named twice");
    let header = std::fs::read_to_string(root().join("include/carom.h")).unwrap();
    let declared = functions_of(&header);
    assert!(declared.len() > 300, "{}", declared.len());
    for name in &declared {
        let is_called = called.binary_search(name).is_ok();
        assert!(is_called || name.ends_with("_destroy"), "{name} is not called without memory");
    }
    for name in called {
        assert!(declared.contains(&name), "{name} is not in the header");
    }
}

/// Names of the functions that a header declares.
fn functions_of(header: &str) -> Vec<&str> {
    let is_code = |line: &&str| !line.starts_with([' ', '/', '#', '}']) && !line.starts_with("typedef");
    let name = |line: &'_ str| -> Option<(usize, usize)> {
        let end = line.find('(')?;
        let start = line[..end].rfind([' ', '*'])? + 1;
        line[start..end].starts_with("carom_").then_some((start, end))
    };
    header
        .lines()
        .filter(is_code)
        .filter_map(|line| name(line).map(|(start, end)| &line[start..end]))
        .collect()
}

#[test]
fn every_property_comes_back_as_it_went_in() {
    run_c_test("properties");
}

const FRAME_PAIRS: &str = "\
4 of 5 pairs intersect
frames 0 and 1: 0.500 s to 1.000 s, within (0.000, 0.000) to (1.000, 1.000)
frames 0 and 2: 0.000 s to 1.000 s, within (0.250, 0.250) to (0.750, 0.750)
frames 1 and 2: 0.625 s to 1.000 s, within (0.250, 0.250) to (0.750, 0.750)
frames 1 and 3: 0.000 s to 1.000 s, within (1.000, 0.000) to (2.000, 1.000)
";

const MOVING_SET: &str = "\
after 2.1875 ms: the bullet hits crate 0
after 7.1875 ms: the bullet hits crate 1
after 12.1875 ms: the bullet hits crate 2
after 7.8125 ms: the falling crate hits crate 10
";

const FLOATS: &str = "\
crate 0 is hit after 3.6667 ms, between y = 0.700 m and 1.000 m
crate 1 is hit after 10.3333 ms, between y = 0.700 m and 1.000 m
body 0 now flies at 300 m/s
";

/// What every example must print, whichever compiler made it.
fn check_example(name: &str, said: &str) {
    let has = |text: &str| assert!(said.contains(text), "{name} does not say {text:?}:\n{said}");
    match name.trim_end_matches("-cxx") {
        "first" => assert_eq!(said, "1 collision; ball 0 now moves at (-1, 0) m/s\n"),
        "cloud" => check_cloud(said),
        "collisions" => {
            has("t = 0.339767 s: balls 1 and 2 exchange 1.911628 N s\n");
            has("t = 0.506603 s: balls 0 and 2 exchange 2.884633 N s\n");
            has("t = 3.000000 s: no more collisions, kinetic energy 3.250000 J\n");
        }
        "save_load" => {
            has("nb particles: 1\n");
            has("the same to the bit: JSON file 1, snapshot file 1, stream 1, memory 1\n");
        }
        "frame_pairs" => assert_eq!(said, FRAME_PAIRS),
        "moving_set" => assert_eq!(said, MOVING_SET),
        "floats" => assert_eq!(said, FLOATS),
        "frames" => {
            has("box 0 is in wall 1 from 0.50 s to 1.00 s, normal (1, 0)\n");
            has("box 1 is in wall 1 from 0.50 s to 1.00 s, normal (-1, 0)\nstatus 29: ");
            has("box 0 is in wall 0 from 0.25 s to 0.75 s, normal (-1, 0)\n1 of 2 candidates intersect\n");
            has(
                "1 tile is left, at x = 2.5 m\nthey overlap up to x = 1.00 m\nthey touch at (1.00, 1.50) m\nstatus 27: ",
            );
        }
        "raii" => {
            has("t = 2 s: 7 collides with 8, normal (-1, 0)\n1 collision, kinetic energy 0.5 J\n");
            has("ball 1 is at x = 14 m\n");
            has("status 2: mass[0] is -1: it must not be negative\ncaught: enough\n");
        }
        "billiard_break" => {
            has("the first collision will be at t = 0.");
            has(": ball 0 hits ball 1 with ");
            has("\nkinetic energy 5.440000 J, drift below 1e-12: yes\nball 0 is at (");
        }
        "gas_pressure" => {
            has("864 spheres, packing 0.2618, 172800 collisions in ");
            has("virial series 3.2691, Carnahan-Starling 3.2624\n");
        }
        "conjunction" => {
            assert!(said.ends_with("\ncomplete in the JSON: yes\n"), "{said}");
            has("\ncomplete\nhit: 0.0");
            has(", 400000 samples\nhit: 0.0");
            has(" without sampling\nmiss_distance: ");
        }
        "events" => {
            has(
                "the ball will reach the floor at t = 0.5 s\nstopped by the observer after 3 bounces at t = 2.5 s\n",
            );
            has(
                "1 ball at 4.0 to 5.0 m/s\nt = 3 s: the ball is 1.750 m high\nthe same to the bit: yes\n2 balls now\nstatus 31: ",
            );
            has("balls 0 and 1 overlap\ncaught: enough, after 1 event\n");
        }
        "rigid_stack" => check_stack(said),
        "rigid_handlers" => {
            has("remove it at once: the space is in the middle of a step; do it in a post-step callback\n");
            has("1 coin; it is gone\nthe player stands on the platform, at y = 2.6");
        }
        "rigid_batch" => {
            has("4096 spaces: between a tenth and all of the towers fell: yes\n");
            has("space 1000 alone: the same to the bit\n");
        }
        "rigid_cpp" => {
            has("t = 4.0 s: the parcel moves at 1.00 m/s, 1 time through the gate\n");
            has("the ray hits the parcel after 4.00 m; within 1 m there is nothing\n");
            has("saved and loaded: the same to the bit\n");
            has("100 spaces: space 7 repeats itself, alone too\n");
            has("caught: it was stolen; it is gone\nstatus 38: body 1 does not exist");
        }
        _ => panic!("no expectation for the example {name}"),
    }
}

fn check_cloud(said: &str) {
    let lines: Vec<&str> = said.lines().collect();
    let numbers = |line: &str| -> Vec<f64> {
        line.split([' ', ',', ':', '(', ')']).filter_map(|word| word.parse().ok()).collect()
    };
    let [spheres, steps, collisions, bounces] = numbers(lines[0])[..] else { panic!("{said}") };
    assert_eq!((spheres, steps), (10_000.0, 20.0));
    assert!(collisions > 100.0 && bounces > 10.0, "{said}");
    let [after, before] = numbers(lines[1])[..] else { panic!("{said}") };
    assert!((after / before - 1.0).abs() < 1e-8 && before > 0.0, "{said}");
}

/// The stack stands, and the yardstick allows 20 mm for ten boxes.
fn check_stack(said: &str) {
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines[0], "after 10.0 s: 10 contacts, the stack stands still", "{said}");
    let sag = |line: &str| line.split(' ').nth_back(3).and_then(|word| word.parse::<f64>().ok());
    let sags: Vec<f64> = lines[1..].iter().filter_map(|line| sag(line)).collect();
    assert!(sags.len() == 4 && sags.is_sorted() && sags[0] >= 0.0 && sags[3] < 20.0, "{said}");
}

fn run_example(program: &Path) {
    let name = program.file_name().unwrap().to_str().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let argument = if name.starts_with("cloud") { "20" } else { scratch.path().to_str().unwrap() };
    check_example(name, &run(&mut command(program, &[argument])));
}

const EXAMPLES: [&str; 30] = [
    "first",
    "first-cxx",
    "cloud",
    "cloud-cxx",
    "collisions",
    "collisions-cxx",
    "save_load",
    "save_load-cxx",
    "frame_pairs",
    "frame_pairs-cxx",
    "moving_set",
    "moving_set-cxx",
    "floats",
    "floats-cxx",
    "billiard_break",
    "billiard_break-cxx",
    "gas_pressure",
    "gas_pressure-cxx",
    "conjunction",
    "conjunction-cxx",
    "rigid_stack",
    "rigid_stack-cxx",
    "rigid_handlers",
    "rigid_handlers-cxx",
    "rigid_batch",
    "rigid_batch-cxx",
    "raii",
    "frames",
    "events",
    "rigid_cpp",
];

#[test]
fn examples_build_with_make_and_run() {
    if !has_compilers() || !has("make", "make") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let sanitizer: &[&str] = if has_sanitizer(dir.path()) { &["", SANITIZE] } else { &[""] };
    for flag in sanitizer {
        let mut make = command("make", &["-C"]);
        make.arg(root().join("c_examples")).arg("--always-make");
        make.arg(format!("CAROM_LIBDIR={}", library_dir().display())).arg(format!("SANITIZE={flag}"));
        run(make.arg(format!("BUILD={}", dir.path().display())));
        EXAMPLES.iter().for_each(|name| run_example(&dir.path().join(name)));
    }
}

#[test]
fn examples_build_with_cmake_and_run() {
    if !has_compilers() || !has("cmake", "cmake") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut configure = command("cmake", &["-S"]);
    configure
        .arg(root().join("c_examples"))
        .arg("-B")
        .arg(dir.path())
        .arg("-DCMAKE_DISABLE_FIND_PACKAGE_carom=ON");
    run(configure.arg(format!("-DCAROM_LIBDIR={}", library_dir().display())));
    run(command("cmake", &["--build"]).arg(dir.path()));
    EXAMPLES.iter().for_each(|name| run_example(&dir.path().join(name)));
}

#[test]
fn every_example_is_built_and_the_first_is_short() {
    for file in std::fs::read_dir(root().join("c_examples")).unwrap() {
        let path = file.unwrap().path();
        let is_program = path.extension().is_some_and(|extension| extension == "c" || extension == "cpp");
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(!is_program || EXAMPLES.contains(&name), "{name} is not in the test");
    }
    let first = std::fs::read_to_string(root().join("c_examples/first.c")).unwrap();
    assert!(first.lines().count() <= 35);
}

/// The commands for single programs run as they stand in a copy of the folders that they name.
#[test]
fn commands_for_single_examples_run_as_printed() {
    if !has_compilers() || !has("make", "make") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for folder in ["c_examples", "include"] {
        std::fs::create_dir(dir.path().join(folder)).unwrap();
        for file in std::fs::read_dir(root().join(folder)).unwrap().map(Result::unwrap) {
            if file.file_type().unwrap().is_file() {
                std::fs::copy(file.path(), dir.path().join(folder).join(file.file_name())).unwrap();
            }
        }
    }
    let readme = std::fs::read_to_string(root().join("c_examples/README.md")).unwrap();
    let printed: Vec<&str> =
        readme.lines().filter(|line| line.starts_with("make -C c_examples build/")).collect();
    assert!(printed.len() >= 4, "{printed:?}");
    for line in printed {
        let said = run(command("sh", &["-ec", line])
            .current_dir(dir.path())
            .env("CAROM_LIBDIR", library_dir())
            .env("MAKEFLAGS", "-s --no-print-directory"));
        let name = line.split(['/', ' ']).nth(4).unwrap();
        check_example(name, &said);
    }
}

/// Every program has a row in the table of the folder.
#[test]
fn every_example_is_described() {
    let readme = std::fs::read_to_string(root().join("c_examples/README.md")).unwrap();
    for file in std::fs::read_dir(root().join("c_examples")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_program = name.ends_with(".c") || name.ends_with(".cpp");
        assert!(!is_program || readme.contains(&format!("\n| `{name}` | ")), "{name} has no row");
    }
}

#[test]
fn the_program_in_the_readme_runs() {
    if !has_compilers() {
        return;
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let (program, _) = readme.split_once("```c\n").unwrap().1.split_once("```").unwrap();
    for language in Language::ALL {
        assert_eq!(run_source(language, program, "readme").1, "1 collision\n", "{language:?}");
    }
}

/// Name, size and (field, offset) of a struct as Rust lays it out; the pattern makes sure that no field is left out.
macro_rules! layout {
    ($($name:ident { $($field:ident),* })*) => {
        vec![$({
            let _all_fields = |value: $name| { let $name { $($field: _),* } = value; };
            (stringify!($name), size_of::<$name>(), vec![$((stringify!($field), offset_of!($name, $field))),*])
        }),*]
    };
}

#[test]
fn structs_are_laid_out_alike_in_c_and_rust() {
    if !has_compilers() {
        return;
    }
    let structs = layout! {
        carom_particle_desc { struct_size, kind, position, velocity, acceleration, axes, radius, mass, drag, user_data,
            fixed, reserved }
        carom_source { data, columns, stride }
        carom_batch { struct_size, kind, count, position, velocity, acceleration, mass, drag, radius, axes, fixed,
            fixed_stride, user_data, user_data_stride }
        carom_column { data, length, capacity }
        carom_column_mut { data, length, capacity }
        carom_byte_column { data, length }
        carom_data_column { data, length }
        carom_data_column_mut { data, length }
        carom_particle_layout { struct_size, numbers, stride, position, velocity, acceleration, mass, drag, radius,
            axes, fixed, user_data, kind, reserved }
        carom_settings { struct_size, attraction_law, dt, down_gravity, attraction, softening, restitution,
            max_collisions, exact_shapes, integrator, opening }
        carom_collision { time, first, second, impulse, normal, dim }
        carom_approach { time, first, second, found, reserved }
        carom_pair { first, second }
        carom_frame { kind, reserved, origin, components, velocity }
        carom_box { min, max }
        carom_frame_batch { struct_size, kind, count, origin, components, velocity, kinds, kinds_stride }
        carom_frame_layout { struct_size, numbers, stride, origin, components, component_stride, velocity, kinds, kind,
            reserved }
        carom_frame_pair { first, second }
        carom_interval { first, last }
        carom_overlap { times, world, local }
        carom_frame_contact { normal, depth, point }
        carom_bit_view { data, length }
        carom_index_view { data, length }
        carom_pair_view { data, length }
        carom_interval_view { data, length }
        carom_box_view { data, length }
        carom_normal_view { data, length }
        carom_hit_layout { struct_size, numbers, stride, pair_number, pair, times, bounds, local_bounds }
        carom_enclosure { struct_size, boundaries, lower, upper }
        carom_event_settings { struct_size, reserved, down_gravity, restitution, wall_restitution, max_rate,
            contact_duration }
        carom_event { time, kind, found, first, second, impulse, normal }
        carom_limit { struct_size, reserved, time, collisions }
        carom_measurements { struct_size, reserved, collisions, wall_collisions, duration, kinetic_energy,
            potential_energy, momentum, energy_drift, momentum_drift, temperature, virial_pressure, wall_pressure,
            mean_free_path, mean_free_time, mean_square_displacement }
        carom_vec2 { x, y }
        carom_bounds { min, max }
        carom_body { index, generation }
        carom_shape { index, generation }
        carom_space_options { struct_size, precision, solver, iterations, substeps, persistence, restitution_mixing,
            friction_mixing, gravity, slop, bias, bounce_speed, sleep_time, contact_hertz, damping_ratio, push_velocity }
        carom_body_options { struct_size, kind, position, angle, velocity, angular_velocity, mass, moment,
            centre_of_mass, force, torque, bullet, reserved, user_data }
        carom_affine { x_axis, y_axis, translation }
        carom_geometry { struct_size, kind, radius, a, b, points, count, transform, exact, reserved }
        carom_shape_options { struct_size, sensor, elasticity, friction, surface_velocity, collision_type, group,
            reserved, categories, mask, mass, density, user_data }
        carom_contact_point { a, b, depth }
        carom_contact_set { normal, points, count }
        carom_contact { shape_a, shape_b, body_a, body_b, state, sensor, set, restitution, friction,
            surface_velocity, impulse, energy_lost }
        carom_handler { struct_size, reserved, begin, pre_solve, post_solve, separate, user }
        carom_velocity_update { body, time_step, gravity, mass, moment, position, angle, force, torque,
            usual_velocity, usual_angular_velocity, velocity, angular_velocity }
        carom_position_update { body, time_step, velocity, angular_velocity, usual_position, usual_angle, position,
            angle }
        carom_space_event { space, shape_a, shape_b, begins }
        carom_filter { group, reserved, categories, mask }
        carom_point_hit { shape, found, reserved, point, distance, gradient }
        carom_segment_hit { shape, found, reserved, fraction, point, normal }
        carom_shape_hit { shape, set }
        carom_point_query { point, distance, filter }
        carom_segment_query { start, end, radius, filter }
        carom_box_query { bounds, filter }
        carom_shape_query { geometry, position, angle, filter }
        carom_mass_properties { area, centroid, moment_per_mass }
        carom_closest { on_a, on_b, normal, distance }
        carom_study_options { struct_size, threads, replicas, seed, has_seed, reserved, relative, absolute }
        carom_study_progress { replicas, planned, failed, round, seconds }
        carom_estimate { struct_size, found, value, low, high, samples, hits, deviation, reference }
    };
    let (mut program, mut expected) = (String::from("#include <carom.h>\nint main(void) {\n"), String::new());
    for (name, size, fields) in structs {
        writeln!(program, "printf(\"{name} %d\\n\", (int)sizeof({name}));").unwrap();
        writeln!(expected, "{name} {size}").unwrap();
        for (field, offset) in fields {
            writeln!(program, "printf(\"{field} %d\\n\", (int)offsetof({name}, {field}));").unwrap();
            writeln!(expected, "{field} {offset}").unwrap();
        }
    }
    program.push_str("return 0;\n}\n");
    for language in Language::ALL {
        assert_eq!(run_source(language, &program, "layout").1, expected, "{language:?}");
    }
}

/// Builds and runs a generated program; returns where it is, with its folder, and what it says.
fn run_source(language: Language, program: &str, name: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().unwrap();
    let source = dir.path().join(name).with_extension("c");
    std::fs::write(&source, program).unwrap();
    build(language, &source, &dir.path().join(name), &[]);
    let said = run(&mut command(dir.path().join(name), &[]));
    (dir, said)
}

/// A program that calls the functions of the header with nulls and zeros and prints what comes back.
fn call() -> String {
    let header = std::fs::read_to_string(root().join("include/carom.h")).unwrap();
    let mut program = String::from("#include <carom.h>\nint main(void) {\n");
    for declaration in header.split("\ncarom_status ").skip(1) {
        let (name, rest) = declaration.split_once('(').unwrap();
        let (parameters, _) = rest.split_once(')').unwrap();
        let arguments: Vec<&str> = parameters.split(',').map(nothing).collect();
        writeln!(program, "printf(\"{name} %d\\n\", {name}({}));", arguments.join(", ")).unwrap();
    }
    program + "return 0;\n}\n"
}

/// The null or zero of a parameter.
fn nothing(parameter: &str) -> &'static str {
    let parameter = parameter.trim();
    match parameter {
        _ if parameter.contains('*') || parameter.contains("_callback ") => "NULL",
        _ if parameter.starts_with("double ") => "0.0",
        _ if parameter.starts_with("struct carom_bounds ") => "(carom_bounds){{0.0, 0.0}, {0.0, 0.0}}",
        _ if parameter.starts_with("struct carom_vec2 ") => "(carom_vec2){0.0, 0.0}",
        _ if parameter.starts_with("struct carom_body ") => "(carom_body){0, 0}",
        _ if parameter.starts_with("struct carom_shape ") => "(carom_shape){0, 0}",
        _ => "0",
    }
}

#[test]
fn every_function_survives_nulls_on_every_cpu() {
    if !has_compilers() {
        return;
    }
    let (dir, said) = run_source(Language::C99, &call(), "nulls");
    assert!(said.lines().count() > 110, "{said}");
    let succeeded: Vec<&str> = said.lines().filter(|line| line.ends_with(" 0")).collect();
    assert_eq!(
        succeeded,
        ["carom_last_error 0"],
        "without any argument only the last error can be asked for"
    );
    if cfg!(target_arch = "x86_64") && has("qemu-x86_64", "qemu-user") {
        let mut older = command("qemu-x86_64", &["-cpu", "Nehalem"]);
        let older = run(older.arg(dir.path().join("nulls")).env_remove("CAROM_LEVEL"));
        assert_eq!(older, said, "a CPU without AVX");
    }
    let refused = run(command(dir.path().join("nulls"), &[]).env("CAROM_LEVEL", "avx9"));
    let kept = ["carom_last_error ", "carom_last_overlaps "];
    let of_the_level = refused.lines().filter(|line| !kept.iter().any(|name| line.starts_with(name)));
    let status = format!(" {CAROM_UNSUPPORTED_CPU}");
    assert!(of_the_level.clone().count() > 100, "{refused}");
    assert!(of_the_level.into_iter().all(|line| line.ends_with(&status)), "{refused}");
}
