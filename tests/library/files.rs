//! Files of every format: exact round trips, and every way a file can be bad.

use std::fs;
use std::path::Path;

use crate::directory::names;
use carom::io::{self, Format};
use carom::{Attraction, AttractionLaw, Error, Field, Particle, Settings, Shape, ShapeKind, World};

const ALL: [Format; 5] =
    [Format::Json, Format::JsonCompact, Format::PbPhys, Format::PbPhysCompact, Format::Snapshot];
const EXACT: [Format; 3] = [Format::Json, Format::JsonCompact, Format::Snapshot];

fn written(world: &World, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    io::write(world, format, &mut bytes).unwrap();
    bytes
}

/// Every bit of the state, for comparison: == would take -0 for 0.
fn bits(world: &World) -> Vec<u8> {
    written(world, Format::Snapshot)
}

fn text(world: &World, format: Format) -> String {
    String::from_utf8(written(world, format)).unwrap()
}

/// Two spheres of numbers that are hard to write down.
fn awkward() -> World {
    let mut world = World::new(2).unwrap();
    let particles = world.particles_mut();
    let tiny = Particle::sphere(&[f64::from_bits(1), -0.0], 1.0 / 3.0).with_data(u64::MAX);
    let huge = Particle::with_shape(
        &[1e308, -f64::MAX],
        Shape { kind: ShapeKind::Spheroid, axes: vec![1e308, -0.0, 0.1 + 0.2, f64::MIN_POSITIVE] },
    );
    particles.add(&tiny.with_mass(1e-308).with_velocity(&[-1e-320, 6.02214076e23])).unwrap();
    particles.add(&huge.with_acceleration(&[-0.0, 123_456_789.123_456_79]).with_drag(0.1)).unwrap();
    particles.add(&Particle::new(2, ShapeKind::Spheroid).with_mass(2.0).fixed()).unwrap();
    world.set_time(1.0 / 7.0).unwrap();
    world
}

/// Everything a world can hold: all shapes and settings.
fn complete() -> World {
    let mut world = awkward();
    let particles = world.particles_mut();
    for kind in [ShapeKind::Facoid, ShapeKind::Pyramidoid] {
        let shape = Shape { kind, axes: vec![1.0, 0.3, -0.1, 2.0] };
        particles.add(&Particle::with_shape(&[0.1, -7.7], shape).with_data(42)).unwrap();
    }
    let attraction = Attraction { constant: -1e-11, law: AttractionLaw::AsPrinted, softening: 1e-3 };
    let settings = Settings::default()
        .with_dt(0.003)
        .with_down_gravity(9.80665)
        .with_attraction(attraction)
        .with_restitution(0.5)
        .with_max_collisions(u64::MAX)
        .with_exact_shapes(true);
    world.set_settings(settings).unwrap();
    world
}

/// Balls in a heap that collide and attract each other.
fn busy() -> World {
    let mut world = World::new(2).unwrap();
    for n in 0..30_u32 {
        let (x, y) = (f64::from(n % 6) * 1.1, f64::from(n / 6) * 1.1);
        let velocity = [f64::from(n * 7 % 13) - 6.0, f64::from(n * 5 % 11) - 5.0];
        let ball =
            Particle::sphere(&[x, y], 0.5).with_mass(1.0 + f64::from(n % 3) / 3.0).with_velocity(&velocity);
        world.particles_mut().add(&ball).unwrap();
    }
    let attraction = Attraction { constant: 0.3, ..Attraction::default() };
    world
        .set_settings(
            Settings::default().with_down_gravity(1.0).with_attraction(attraction).with_restitution(0.9),
        )
        .unwrap();
    world
}

/// A small world that PBPhys can hold.
fn small() -> World {
    let mut world = World::new(2).unwrap();
    world.particles_mut().add(&Particle::sphere(&[0.5, 0.25], 0.5).with_mass(1.0)).unwrap();
    let brick = Particle::new(2, ShapeKind::Facoid).with_velocity(&[1.0, -2.0]);
    world.particles_mut().add(&brick).unwrap();
    world
}

#[test]
fn carom_formats_keep_every_bit_of_everything() {
    let world = complete();
    for format in EXACT {
        let loaded = io::from_bytes(&written(&world, format)).unwrap();
        assert_eq!(bits(&loaded), bits(&world), "{format:?}");
        assert_eq!(loaded.particles().user_data(), world.particles().user_data());
        assert_eq!(loaded.particles().radii(), world.particles().radii());
    }
}

#[test]
fn pbphys_keeps_every_bit_of_spheroids() {
    let mut world = awkward();
    world.particles_mut().user_data_mut().fill(0);
    for format in [Format::PbPhys, Format::PbPhysCompact] {
        let loaded = io::from_bytes(&written(&world, format)).unwrap();
        assert_eq!(bits(&loaded), bits(&world), "{format:?}");
    }
}

#[test]
fn pbphys_keeps_the_corner_of_facoids_and_pyramidoids() {
    for (kind, corner) in [(ShapeKind::Facoid, "-0.500000"), (ShapeKind::Pyramidoid, "-0.250000")] {
        let mut world = World::new(3).unwrap();
        world.particles_mut().add(&Particle::new(3, kind)).unwrap();
        let text = text(&world, Format::PbPhysCompact);
        assert!(text.contains(&format!("\"_val\":[\"{corner}\",\"{corner}\",\"{corner}\"]")), "{text}");
        assert_eq!(bits(&io::from_bytes(text.as_bytes()).unwrap()), bits(&world));
    }
}

#[test]
fn a_corner_beyond_the_range_of_numbers_is_refused() {
    let mut world = World::new(1).unwrap();
    let shape = Shape { kind: ShapeKind::Facoid, axes: vec![1e308] };
    world.particles_mut().add(&Particle::with_shape(&[-1.7e308], shape)).unwrap();
    let mut out = Vec::new();
    let error = io::write(&world, Format::PbPhys, &mut out).unwrap_err();
    assert!(matches!(error, Error::Overflow { field: "position", .. }), "{error}");
    assert!(out.is_empty());
}

#[test]
fn stepping_after_loading_is_stepping_without_saving() {
    for format in EXACT {
        let mut straight = busy();
        let mut collisions = 0;
        for _ in 0..20 {
            collisions += straight.step(0.01).unwrap();
        }
        let mut resumed = io::from_bytes(&written(&straight, format)).unwrap();
        for _ in 0..20 {
            collisions += straight.step(0.01).unwrap();
            resumed.step(0.01).unwrap();
        }
        assert!(collisions > 20, "only {collisions} collisions");
        assert_eq!(bits(&resumed), bits(&straight), "{format:?}");
    }
}

#[test]
fn worlds_without_particles_and_of_many_dimensions_come_back() {
    for dim in [1, 2, 7, 40, carom::MAX_DIM] {
        let mut world = World::new(dim).unwrap();
        for count in 0..2 {
            for format in ALL {
                let loaded = io::from_bytes(&written(&world, format)).unwrap();
                assert_eq!(bits(&loaded), bits(&world), "{format:?}, {count} particles of dimension {dim}");
            }
            if dim <= 40 {
                world.particles_mut().add(&Particle::new(dim, ShapeKind::Spheroid)).unwrap();
            }
        }
    }
}

#[test]
fn the_pbphys_example_loads() {
    let world = io::load(Path::new("tests/data/three_balls.pbphys.json")).unwrap();
    assert_eq!((world.particles().dim(), world.particles().len()), (2, 3));
    assert_eq!(world.settings().dt, 0.05);
    assert_eq!(world.particles().column(Field::Mass, 0).unwrap(), [1.0, 1.0, 2.0]);
    assert_eq!(world.particles().radii(), [0.5, 0.5, 1.0]);
    assert_eq!(world.particles().value(Field::Velocity, 1).unwrap(), [0.5, -0.5]);
    assert!(!world.particles().is_fixed(2).unwrap());
}

#[test]
fn handwritten_json_may_leave_out_what_has_a_default() {
    let text = r#"{"particles": [{"axes": [[2]], "position": [-3]}], "format": "carom-world",
                   "settings": {"restitution": 0.5}, "dim": 1, "version": 1}"#;
    let world = io::from_bytes(text.as_bytes()).unwrap();
    assert_eq!(world.particles().get(0).unwrap(), Particle::sphere(&[-3.0], 1.0));
    assert_eq!(*world.settings(), Settings::default().with_restitution(0.5));
    assert_eq!(world.time(), 0.0);
    let marked = format!("\u{feff}{text}");
    assert_eq!(bits(&io::from_bytes(marked.as_bytes()).unwrap()), bits(&world));
}

#[test]
fn readable_json_has_a_line_per_field() {
    let expected = include_str!("../data/small.json");
    assert_eq!(text(&small(), Format::Json), expected);
    assert_eq!(bits(&io::from_bytes(expected.as_bytes()).unwrap()), bits(&small()));
    let earlier = expected.replace("velocity", "speed");
    assert_eq!(
        bits(&io::from_bytes(earlier.as_bytes()).unwrap()),
        bits(&small()),
        "a file of an earlier version"
    );
    let compact = text(&small(), Format::JsonCompact);
    assert_eq!(compact.lines().count(), 1);
    assert!(!compact.contains(' '));
}

#[test]
fn every_truncation_is_an_error() {
    for format in ALL {
        let bytes = written(&small(), format);
        let complete = bytes.trim_ascii_end().len();
        for length in 0..complete {
            let error = io::from_bytes(&bytes[..length]).unwrap_err();
            match (length, &error) {
                (0, Error::UnknownFormat { .. }) => {}
                (_, Error::Truncated { offset, .. }) => assert_eq!(*offset, length, "{format:?}"),
                _ => panic!("{format:?} cut to {length} of {complete} bytes: {error}"),
            }
        }
        assert!(io::from_bytes(&bytes[..complete]).is_ok());
    }
}

#[test]
fn every_corruption_of_one_byte_of_a_snapshot_is_found() {
    let bytes = written(&small(), Format::Snapshot);
    for at in 0..bytes.len() {
        for change in [0x01, 0x80, 0xff, 0x38] {
            let mut bad = bytes.clone();
            bad[at] ^= change;
            let error = io::from_bytes(&bad).unwrap_err();
            let is_foreign = matches!(error, Error::UnknownFormat { .. } | Error::Syntax { .. });
            assert!(matches!(error, Error::Corrupt { .. }) || at < 8 && is_foreign, "byte {at}: {error}");
        }
    }
}

#[test]
fn corruption_of_text_never_panics() {
    for format in [Format::JsonCompact, Format::PbPhysCompact] {
        let bytes = written(&small(), format);
        for at in 0..bytes.len() {
            for new in *b"\0\"{}[],:9-e\\\xff" {
                let mut bad = bytes.clone();
                bad[at] = new;
                if let Ok(world) = io::from_bytes(&bad) {
                    assert_eq!(world.particles().validate(world.context()), Ok(()));
                }
            }
        }
    }
}

/// The snapshot with another payload and the header to match.
fn reheaded(payload: &[u8]) -> Vec<u8> {
    let mut bytes = io::snapshot::header(1, payload.len() as u64, crc32fast::hash(payload)).to_vec();
    bytes.extend_from_slice(payload);
    bytes
}

fn detail(bytes: &[u8]) -> String {
    match io::from_bytes(bytes).unwrap_err() {
        Error::Corrupt { detail, .. } => detail,
        other => panic!("not corrupt: {other}"),
    }
}

#[test]
fn a_snapshot_that_contradicts_itself_says_where() {
    let bytes = written(&small(), Format::Snapshot);
    let with = |at: usize, new: &[u8]| {
        let mut payload = bytes[32..].to_vec();
        payload[at..at + new.len()].copy_from_slice(new);
        detail(&reheaded(&payload))
    };
    assert!(with(0, &[0; 4]).contains("the dimension is 0"));
    assert!(with(0, &u32::MAX.to_le_bytes()).contains("the dimension is 4294967295"));
    assert!(with(0, &[3]).contains("2 particles of dimension 3 take"));
    assert!(with(4, &u64::MAX.to_le_bytes()).contains("18446744073709551615 particles"));
    assert!(with(12, &f64::NAN.to_le_bytes()).contains("time[0] is NaN"));
    assert!(with(52, &2.0_f64.to_le_bytes()).contains("restitution is 2"));
    assert!(with(60, &[9]).contains("law of attraction 9"));
    assert!(with(72, &[3]).contains("particle 0 has a shape of kind 3"));
    assert!(with(75, &[2]).contains("particle 1 has the fixed flag 2"));
    assert!(with(75, &[1]).contains("velocity[1] must be 0"));
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(detail(&longer).contains("1 bytes follow"));
    assert!(detail(&reheaded(&bytes[32..40])).contains("number of particles at byte 36"));
}

#[test]
fn a_newer_file_says_so() {
    let mut bytes = written(&small(), Format::Snapshot);
    bytes[8..12].copy_from_slice(&7_u32.to_le_bytes());
    let checksum = crc32fast::hash(&bytes[..28]);
    bytes[28..32].copy_from_slice(&checksum.to_le_bytes());
    let json = br#"{"format":"carom-world","version":7,"novelty":true}"#.to_vec();
    for (bytes, newest) in [(bytes, 3), (json, 1)] {
        let error = io::from_bytes(&bytes).unwrap_err();
        let is_newer =
            matches!(error, Error::NewerVersion { found: 7, supported, .. } if supported == newest);
        assert!(is_newer, "{error}");
    }
}

#[test]
fn a_foreign_file_says_so() {
    for text in
        ["", " \n", "PK\u{3}", "[1,2]", "hello", "{}", r#"{"a":1}"#, r#"{"format":"other"}"#, "\u{1f980}"]
    {
        let error = io::from_bytes(text.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::UnknownFormat { .. }), "{text}: {error}");
    }
}

fn syntax(text: &str) -> (usize, usize, String) {
    match io::from_bytes(text.as_bytes()).unwrap_err() {
        Error::Syntax { line, column, detail, .. } => (line, column, detail),
        other => panic!("not a syntax error: {other}"),
    }
}

#[test]
fn bad_text_is_placed_by_line_column_and_field() {
    let good = text(&small(), Format::Json);
    let (line, column, detail) = syntax(&good.replacen("\"mass\": 0.0", "\"mass\": \"0\"", 1));
    let wanted = good.lines().position(|line| line.contains("\"mass\": 0.0")).unwrap() + 1;
    assert_eq!((line, column), (wanted, 17));
    assert!(detail.starts_with("particles[1].mass: invalid type: string \"0\""), "{detail}");

    let (_, _, detail) = syntax(&good.replacen("\"drag\"", "\"grad\"", 1));
    assert!(detail.starts_with("particles[0]: unknown field `grad`"), "{detail}");
    let (_, _, detail) = syntax(&good.replacen("\"data\": 0", "\"fixed\": true", 1));
    assert!(detail.starts_with("particles[0]: duplicate field `fixed`"), "{detail}");
    let (_, _, detail) = syntax(&good.replacen("[0.0, 1.0]]", "[1.0]]", 1));
    assert!(detail.starts_with("particles[0].axes[1]: invalid length 1"), "{detail}");
    let (_, _, detail) = syntax(&good.replacen("\"restitution\"", "\"bounce\"", 1));
    assert!(detail.starts_with("settings: unknown field `bounce`"), "{detail}");
    let (_, _, detail) = syntax(r#"{"format":"carom-world","version":1,"dim":2}"#);
    assert_eq!(detail, "missing field `particles`");
    let (_, _, detail) = syntax(&format!("{good}x"));
    assert_eq!(detail, "trailing characters");
    let (_, _, detail) = syntax(&good.replacen("1.0", "1e999", 1));
    assert!(detail.contains("number out of range"), "{detail}");

    let pbphys = text(&small(), Format::PbPhys);
    let (_, _, detail) = syntax(&pbphys.replacen("\"1.000000\"", "\"one\"", 1));
    assert!(
        detail.starts_with("_particles[0]._shape._axis[0]._val[0]: invalid value: string \"one\""),
        "{detail}"
    );
    let (_, _, detail) = syntax(&pbphys.replacen("\"_drag\"", "\"_lag\"", 1));
    assert!(detail.starts_with("_particles[0]: missing field `_drag`"), "{detail}");
}

#[test]
fn text_with_bad_values_names_field_and_index() {
    let json = text(&small(), Format::Json);
    let pbphys = text(&small(), Format::PbPhys);
    for (good, from, to, expected) in [
        (
            &json,
            "\"mass\": 0.0",
            "\"mass\": -1",
            "mass[1] is -1: it must not be negative (read up to line 40)",
        ),
        (&json, "\"position\": [0.5, 0.25]", "\"position\": [0.5]", "position[0] has 1 entries"),
        (&json, "\"dim\": 2", "\"dim\": 3", "position[0] has 2 entries: it must have 3"),
        (&json, "\"dim\": 2", "\"dim\": 1025", "position[0] has 2 entries"),
        (&json, "\"version\": 1", "\"version\": 0", "version is 0"),
        (&json, "\"dt\": 0.01", "\"dt\": -1", "dt[0] is -1"),
        (
            &pbphys,
            "\"_nbParticle\": \"2\"",
            "\"_nbParticle\": \"3\"",
            "_particles[0] has 2 entries: it must have 3",
        ),
        (&pbphys, "\"_type\": \"0\"", "\"_type\": \"1\"", "_type is 1"),
        (&pbphys, "\"_type\": \"0\"", "\"_type\": \"3\"", "_type is 3"),
        (&pbphys, "\"_val\": [\"1.000000\"", "\"_val\": [\"inf\"", "axes[0] is inf"),
        (&pbphys, "\"_mass\": \"0.000000\"", "\"_mass\": \"nan\"", "mass[1] is NaN"),
        (&pbphys, "\"_fixed\": \"0\"\n    }\n  ]", "\"_fixed\": \"1\"\n    }\n  ]", "velocity[1] must be 0"),
    ] {
        assert!(good.contains(from), "no {from} in {good}");
        let found = detail(good.replacen(from, to, 1).as_bytes());
        assert!(found.contains(expected), "{from} -> {to}: {found}");
    }
}

#[test]
fn a_dimension_that_does_not_exist_is_refused_without_particles() {
    for dim in [0_u64, 1025, u64::MAX] {
        let text = format!(r#"{{"format":"carom-world","version":1,"dim":{dim},"particles":[]}}"#);
        assert!(detail(text.as_bytes()).contains(&format!("the dimension is {dim}")));
    }
}

#[test]
fn what_is_not_valid_is_not_saved() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("world.json");
    let mut world = small();
    io::save(&world, Format::Json, &path).unwrap();
    let before = fs::read(&path).unwrap();
    world.particles_mut().column_mut(Field::Velocity, 1).unwrap()[1] = f64::NAN;
    for format in ALL {
        let error = io::save(&world, format, &path).unwrap_err();
        assert!(matches!(error, Error::NotFinite { field: "velocity", index: 1, .. }), "{error}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(names(directory.path()), ["world.json"]);
}

#[test]
fn saving_replaces_a_file_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("world.carom");
    fs::write(&path, "old").unwrap();
    // A reader that has the old file open keeps it: the new one is another file.
    let mut old = fs::File::open(&path).unwrap();
    io::save(&small(), Format::Snapshot, &path).unwrap();
    let mut seen = String::new();
    std::io::Read::read_to_string(&mut old, &mut seen).unwrap();
    assert_eq!(seen, "old");
    assert_eq!(bits(&io::load(&path).unwrap()), bits(&small()));
    assert_eq!(names(directory.path()), ["world.carom"]);
}

#[cfg(unix)]
#[test]
fn saving_keeps_who_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("private.json");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    io::save(&small(), Format::Json, &path).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[cfg(unix)]
#[test]
fn saving_through_a_link_keeps_the_link() {
    let directory = tempfile::tempdir().unwrap();
    let (file, link) = (directory.path().join("file.json"), directory.path().join("link.json"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    io::save(&small(), Format::Json, &link).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(bits(&io::load(&file).unwrap()), bits(&small()));
}

#[test]
fn what_the_system_refuses_names_the_path() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("no/such/world.json");
    for error in [
        io::save(&small(), Format::Json, &missing).unwrap_err(),
        io::load(&missing).unwrap_err(),
        io::save(&small(), Format::Json, directory.path()).unwrap_err(),
    ] {
        assert!(
            matches!(&error, Error::Io { path, .. } if path.starts_with(directory.path().to_str().unwrap()))
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    for format in ALL {
        let error = io::save(&small(), format, Path::new("/dev/full")).unwrap_err();
        assert!(matches!(&error, Error::Io { path, .. } if path == "/dev/full"), "{error}");
        let mut full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert!(matches!(io::write(&small(), format, &mut full), Err(Error::Io { .. })));
        assert!(matches!(io::print(&small(), &mut full), Err(Error::Io { .. })));
    }
    assert!(!fs::metadata("/dev/full").unwrap().is_file(), "the device is still one");
}

#[test]
fn extensions_stand_for_formats() {
    for (name, format) in [
        ("a.json", Some(Format::Json)),
        ("dir/A.JSON", Some(Format::Json)),
        ("a.pbphys", Some(Format::PbPhys)),
        ("a.pbphys.json", Some(Format::PbPhys)),
        ("a.carom", Some(Format::Snapshot)),
        ("a.txt", None),
        ("json", None),
    ] {
        assert_eq!(Format::from_extension(Path::new(name)), format, "{name}");
    }
}

#[test]
fn what_pbphys_cannot_hold_is_known() {
    assert!(io::pbphys::lost(&small()).is_empty());
    let lost = io::pbphys::lost(&complete());
    assert_eq!(lost.len(), 6, "{lost:?}");
}

#[test]
fn a_world_prints_like_pbphys() {
    let mut world = World::new(2).unwrap();
    world.particles_mut().add(&Particle::new(2, ShapeKind::Spheroid)).unwrap();
    world.particles_mut().add(&Particle::new(2, ShapeKind::Facoid).with_mass(1.0).fixed()).unwrap();
    let mut out = Vec::new();
    io::print(&world, &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), include_str!("../data/printed.txt"));
    let mut out = Vec::new();
    io::print_particle(world.particles(), 1, &mut out).unwrap();
    assert!(include_str!("../data/printed.txt").ends_with(std::str::from_utf8(&out).unwrap()));
    assert!(matches!(
        io::print_particle(world.particles(), 2, &mut Vec::new()),
        Err(Error::BadIndex { index: 2, .. })
    ));
}
