//! A scene as the text of a scene file.

use std::fmt::Write as _;

use super::WALLS;
use crate::error::{Error, Result};
use crate::events::scenes::{BoxAxis, Scene};
use crate::events::{Boundary, EventSettings};
use crate::particles::Particle;

/// The text of a file with this scene. A number is written with the fewest digits that are read as its bits.
pub(in crate::events::scenes) fn write(scene: &Scene) -> Result<String> {
    let mut text = format!("name = {}\n", quoted(&scene.name));
    if !scene.description.is_empty() {
        text += &format!("description = {}\n", quoted(&scene.description));
    }
    text += &format!("dimension = {}\nuntil = {:?}\n", scene.dim(), scene.until);
    write_box(&mut text, &scene.enclosure);
    write_physics(&mut text, &scene.settings);
    for index in 0..scene.particles.len() {
        write_ball(&mut text, &scene.particles.get(index)?, scene.particles.radii()[index])?;
    }
    Ok(text)
}

fn write_box(text: &mut String, axes: &[BoxAxis]) {
    if axes.iter().all(|axis| axis.boundary == Boundary::Open) {
        return;
    }
    let name =
        |axis: &BoxAxis| WALLS.iter().find(|(_, wall)| *wall == axis.boundary).map_or("", |(name, _)| name);
    let walls: Vec<String> = axes.iter().map(|axis| quoted(name(axis))).collect();
    let lower: Vec<f64> = axes.iter().map(|axis| axis.lower).collect();
    let upper: Vec<f64> = axes.iter().map(|axis| axis.upper).collect();
    *text += &format!("\n[box]\nwalls = [{}]\nlower = {lower:?}\nupper = {upper:?}\n", walls.join(", "));
}

fn write_physics(text: &mut String, settings: &EventSettings) {
    let EventSettings { down_gravity, restitution, wall_restitution, max_rate, contact_duration } = settings;
    *text += &format!(
        "\n[physics]\ngravity = {down_gravity:?}\nrestitution = {restitution:?}\nwall_restitution = {wall_restitution:?}\n"
    );
    if *max_rate != EventSettings::default().max_rate {
        *text += &format!("max_rate = {}\n", (*max_rate).min(i64::MAX as u64));
    }
    if let Some(duration) = contact_duration {
        *text += &format!("contact_duration = {duration:?}\n");
    }
}

fn write_ball(text: &mut String, ball: &Particle, radius: f64) -> Result<()> {
    if radius <= 0.0 {
        let expected = "more than 0 in a scene file";
        return Err(Error::OutOfRange { field: "radius", value: radius, expected });
    }
    let Particle { position, velocity, mass, .. } = ball;
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "\n[[ball]]\nposition = {position:?}\nvelocity = {velocity:?}\nradius = {radius:?}\nmass = {mass:?}\n"
    );
    if ball.fixed {
        *text += "fixed = true\n";
    }
    if ball.data != 0 && i64::try_from(ball.data).is_ok() {
        *text += &format!("data = {}\n", ball.data);
    }
    Ok(())
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            control if control.is_control() => quoted += &format!("\\u{:04X}", u32::from(control)),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Limit;
    use crate::events::scenes::{Gas, SCENES};

    fn run(scene: &Scene) -> u64 {
        let mut engine = scene.engine().unwrap();
        engine.run(Limit::until(0.5)).unwrap();
        engine.state_hash()
    }

    #[test]
    fn written_scenes_run_to_the_same_bits() {
        let gas = Gas::new(2).with_particles(40).scene().unwrap();
        for scene in SCENES[..6].iter().map(|ready| ready.scene()).chain([gas]) {
            let read = Scene::from_toml(&scene.to_toml().unwrap(), None).unwrap();
            assert_eq!((&read.name, read.until), (&scene.name, scene.until));
            assert_eq!((&read.description, &read.enclosure), (&scene.description, &scene.enclosure));
            assert_eq!(read.settings, scene.settings);
            assert_eq!(run(&read), run(&scene), "{}", scene.name);
        }
    }

    #[test]
    fn a_state_between_collisions_is_a_start() {
        let mut engine = SCENES[5].scene().engine().unwrap();
        engine.run(Limit::until(0.3)).unwrap();
        let scene = Scene::of_engine("a \"break\"\n\\", &mut engine);
        assert_eq!(scene.particles.state_hash(), engine.state_hash());
        let read = Scene::from_toml(&scene.to_toml().unwrap(), None).unwrap();
        assert_eq!((read.name, read.particles.state_hash()), (scene.name, engine.state_hash()));
    }

    #[test]
    fn settings_fixed_balls_and_open_axes_are_written() {
        let text = "dimension = 2\n[box]\nwalls = [\"open\", \"reflecting\"]\nupper = [1, 2]\n[physics]\n\
                    gravity = 9.81\nrestitution = 0.3\nmax_rate = 7\ncontact_duration = 0.25\n[[ball]]\nposition = [0.1, 0.3]\n\
                    radius = 0.1\nmass = 1\nfixed = true\ndata = 5\n";
        let scene = Scene::from_toml(text, None).unwrap();
        let read = Scene::from_toml(&scene.to_toml().unwrap(), None).unwrap();
        assert_eq!((&read.enclosure, read.settings), (&scene.enclosure, scene.settings));
        assert_eq!(read.particles.get(0).unwrap(), scene.particles.get(0).unwrap());
    }

    #[test]
    fn points_are_refused() {
        let mut scene = SCENES[0].scene();
        scene.particles.add(&Particle::sphere(&[0.1, 0.1], 0.0).with_mass(1.0)).unwrap();
        assert!(matches!(scene.to_toml(), Err(Error::OutOfRange { field: "radius", .. })));
    }
}
