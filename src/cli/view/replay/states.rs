//! A run in time steps: places and angles of its states in steps of 1/65535 of their range.

use std::f64::consts::TAU;

use carom::rigid2d::Space;
use carom::{Field, Particles};
use data_encoding::BASE64;
use serde_json::{Value, json};

use super::super::frame::extent;

/// The states of a run.
pub(super) struct States {
    /// The box, axis by axis, where there is one.
    sides: Vec<Option<[f64; 2]>>,
    times: Vec<f64>,
    /// Coordinates by axis, state after state.
    places: Vec<Vec<f64>>,
    angles: Option<Vec<f64>>,
}

impl States {
    pub(super) fn new(sides: Vec<Option<[f64; 2]>>) -> Self {
        let places = vec![Vec::new(); sides.len()];
        Self { sides, times: Vec::new(), places, angles: None }
    }

    pub(super) fn add(&mut self, time: f64, particles: &Particles) -> carom::Result<()> {
        self.times.push(time);
        for (axis, column) in self.places.iter_mut().enumerate() {
            column.extend_from_slice(particles.column(Field::Position, axis)?);
        }
        Ok(())
    }

    pub(super) fn add_bodies(&mut self, time: f64, space: &Space) -> carom::Result<()> {
        self.times.push(time);
        let angles = self.angles.get_or_insert_default();
        for body in space.bodies() {
            let place = body.position();
            self.places[0].push(place.x);
            self.places[1].push(place.y);
            angles.push(body.angle());
        }
        Ok(())
    }

    /// The states, and the largest errors of coordinates and angles, in metres and radians.
    pub(super) fn encode(&self) -> (Value, [f64; 2]) {
        let ends: Vec<[f64; 2]> = self
            .sides
            .iter()
            .zip(&self.places)
            .map(|(side, column)| side.unwrap_or_else(|| extent(column)))
            .collect();
        let origin: Vec<f64> = ends.iter().map(|[low, _]| *low).collect();
        let scale: Vec<f64> = ends.iter().map(|[low, high]| (high - low) / 65535.0).collect();
        let count = self.places.first().map_or(0, Vec::len);
        let mut places = Vec::with_capacity(2 * count * scale.len());
        for row in 0..count {
            for (axis, column) in self.places.iter().enumerate() {
                let steps = if scale[axis] > 0.0 { (column[row] - origin[axis]) / scale[axis] } else { 0.0 };
                // A conversion from floating point saturates.
                places.extend_from_slice(&((steps + 0.5) as u16).to_le_bytes());
            }
        }
        let turns = |angle: &f64| ((angle / TAU).rem_euclid(1.0) * 65536.0).round() as u32 as u16;
        let angles: Option<Vec<u8>> = self
            .angles
            .as_ref()
            .map(|angles| angles.iter().flat_map(|angle| turns(angle).to_le_bytes()).collect());
        let times: Vec<u8> = self.times.iter().flat_map(|time| time.to_le_bytes()).collect();
        let error = 0.5 * scale.iter().fold(0.0_f64, |most, &step| most.max(step));
        let angle_error = if angles.is_some() { TAU / 131_072.0 } else { 0.0 };
        let states = json!({
            "count": self.times.len(), "times": BASE64.encode(&times), "origin": origin, "scale": scale,
            "positions": BASE64.encode(&places), "angles": angles.map(|angles| BASE64.encode(&angles)),
        });
        (states, [error, angle_error])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::rigid2d::scenes::{Parameters, Scene};

    #[test]
    fn states_are_within_their_errors() {
        let scene = Scene::named("tumbler", &Parameters::default().with_bodies(20)).unwrap();
        let mut space = scene.space().unwrap();
        let mut states = States::new(vec![None; 2]);
        for n in 0..30 {
            space.step(scene.dt).unwrap();
            states.add_bodies(f64::from(n), &space).unwrap();
        }
        let (json, [error, angle_error]) = states.encode();
        let decode = |name: &str| BASE64.decode(json[name].as_str().unwrap().as_bytes()).unwrap();
        let words = |name: &str| -> Vec<f64> {
            decode(name).chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]).into()).collect()
        };
        let (places, angles) = (words("positions"), words("angles"));
        assert_eq!((places.len(), angles.len()), (2 * states.places[0].len(), states.places[0].len()));
        for (n, pair) in places.chunks_exact(2).enumerate() {
            for axis in 0..2 {
                let origin = json["origin"][axis].as_f64().unwrap();
                let place = origin + pair[axis] * json["scale"][axis].as_f64().unwrap();
                assert!((place - states.places[axis][n]).abs() <= error * 1.000_001);
            }
            let turn = angles[n] / 65536.0 * TAU - states.angles.as_ref().unwrap()[n];
            assert!(
                ((turn + 3.0 * TAU / 2.0).rem_euclid(TAU) - TAU / 2.0).abs() <= angle_error * 1.000_001,
                "{turn}"
            );
        }
        assert!(error > 0.0 && error < 1e-3);
    }
}
