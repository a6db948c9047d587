//! A run in time steps: places and angles of its states in steps of 1/65535 of their range.

use std::f64::consts::TAU;

use carom::rigid2d::Space;
use carom::{Field, Particles};
use data_encoding::BASE64;
use serde_json::{Value, json};

use super::super::frame::{Touch, extent, touches};

/// Most contacts of all states that a page keeps; of more it keeps none.
const MOST_CONTACTS: usize = 500_000;

/// The states of a run.
pub(super) struct States {
    /// The box, axis by axis, where there is one.
    sides: Vec<Option<[f64; 2]>>,
    times: Vec<f64>,
    /// Coordinates by axis, state after state.
    places: Vec<Vec<f64>>,
    angles: Option<Vec<f64>>,
    contacts: Contacts,
}

/// Where bodies touched, state after state.
#[derive(Default)]
struct Contacts {
    /// Number in each state.
    counts: Vec<usize>,
    /// Number in all states.
    total: usize,
    /// All of them, unless they are too many.
    touches: Vec<Touch>,
}

impl States {
    pub(super) fn new(sides: Vec<Option<[f64; 2]>>) -> Self {
        let places = vec![Vec::new(); sides.len()];
        Self { sides, times: Vec::new(), places, angles: None, contacts: Contacts::default() }
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
        self.contacts.add(space);
        Ok(())
    }

    /// The states, and the largest errors of coordinates and angles, in metres and radians.
    pub(super) fn encode(&self) -> (Value, [f64; 2]) {
        let ends = self.sides.iter().zip(&self.places);
        let (origin, scale): (Vec<f64>, Vec<f64>) =
            ends.map(|(side, column)| steps_of(side.unwrap_or_else(|| extent(column)))).unzip();
        let count = self.places.first().map_or(0, Vec::len);
        let mut places = Vec::with_capacity(2 * count * scale.len());
        for row in 0..count {
            for (axis, column) in self.places.iter().enumerate() {
                places.extend_from_slice(&quantised(column[row], origin[axis], scale[axis]));
            }
        }
        let angles: Option<Vec<u8>> =
            self.angles.as_ref().map(|angles| angles.iter().flat_map(|&angle| turn(angle)).collect());
        let times: Vec<u8> = self.times.iter().flat_map(|time| time.to_le_bytes()).collect();
        let error = 0.5 * scale.iter().fold(0.0_f64, |most, &step| most.max(step));
        let angle_error = if angles.is_some() { TAU / 131_072.0 } else { 0.0 };
        let states = json!({
            "count": self.times.len(), "times": BASE64.encode(&times), "origin": origin, "scale": scale,
            "positions": BASE64.encode(&places), "angles": angles.map(|angles| BASE64.encode(&angles)),
            "contacts": self.contacts.encode(),
        });
        (states, [error, angle_error])
    }
}

impl Contacts {
    fn add(&mut self, space: &Space) {
        let found = touches(space);
        self.counts.push(found.len());
        self.total += found.len();
        if self.total <= MOST_CONTACTS {
            self.touches.extend(found);
        } else {
            self.touches = Vec::new();
        }
    }

    /// Place, direction of the normal and impulse of every contact in steps of 16 bits; null if there are none or too many.
    fn encode(&self) -> Value {
        if self.touches.is_empty() {
            return Value::Null;
        }
        let column = |pick: fn(&Touch) -> f64| self.touches.iter().map(pick).collect::<Vec<f64>>();
        let columns =
            [column(|touch| touch.place.x), column(|touch| touch.place.y), column(|touch| touch.impulse)];
        let ends = columns.each_ref().map(|column| steps_of(extent(column)));
        let mut bytes = Vec::with_capacity(8 * self.total);
        for (n, touch) in self.touches.iter().enumerate() {
            bytes.extend(quantised(columns[0][n], ends[0].0, ends[0].1));
            bytes.extend(quantised(columns[1][n], ends[1].0, ends[1].1));
            bytes.extend(turn(touch.normal.y.atan2(touch.normal.x)));
            bytes.extend(quantised(columns[2][n], ends[2].0, ends[2].1));
        }
        let counts: Vec<u8> = self.counts.iter().flat_map(|&count| (count as u32).to_le_bytes()).collect();
        json!({
            "counts": BASE64.encode(&counts), "origin": ends.map(|end| end.0), "scale": ends.map(|end| end.1),
            "data": BASE64.encode(&bytes),
        })
    }
}

/// The lower end of a range, and the step of which it has 65535.
fn steps_of([low, high]: [f64; 2]) -> (f64, f64) {
    (low, (high - low) / 65535.0)
}

/// A number in steps from the origin.
fn quantised(x: f64, origin: f64, scale: f64) -> [u8; 2] {
    let steps = if scale > 0.0 { (x - origin) / scale } else { 0.0 };
    // A conversion from floating point saturates.
    ((steps + 0.5) as u16).to_le_bytes()
}

/// An angle in parts of 1/65536 of a turn.
fn turn(angle: f64) -> [u8; 2] {
    (((angle / TAU).rem_euclid(1.0) * 65536.0).round() as u32 as u16).to_le_bytes()
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

    #[test]
    fn contacts_are_kept_with_their_places_and_impulses() {
        let scene = Scene::named("stack", &Parameters::default().with_rows(2)).unwrap();
        let mut space = scene.space().unwrap();
        let mut states = States::new(vec![None; 2]);
        assert_eq!(states.encode().0["contacts"], Value::Null);
        for n in 0..60 {
            space.step(scene.dt).unwrap();
            states.add_bodies(f64::from(n), &space).unwrap();
        }
        let json = states.encode().0["contacts"].take();
        let decode = |name: &str| BASE64.decode(json[name].as_str().unwrap().as_bytes()).unwrap();
        let (counts, data) = (decode("counts"), decode("data"));
        assert_eq!((counts.len(), data.len()), (4 * 60, 8 * states.contacts.touches.len()));
        assert_eq!(counts[4 * 59..], 4_u32.to_le_bytes());
        let number = |name: &str, k: usize| json[name][k].as_f64().unwrap();
        for (touch, bytes) in states.contacts.touches.iter().zip(data.chunks_exact(8)) {
            let word = |k: usize| f64::from(u16::from_le_bytes([bytes[2 * k], bytes[2 * k + 1]]));
            let value = |word: f64, k: usize| number("origin", k) + word * number("scale", k);
            assert!((value(word(0), 0) - touch.place.x).abs() <= number("scale", 0));
            assert!((value(word(1), 1) - touch.place.y).abs() <= number("scale", 1));
            assert!((value(word(3), 2) - touch.impulse).abs() <= number("scale", 2));
            let angle = word(2) / 65536.0 * TAU;
            assert!(
                (angle.cos() - touch.normal.x).abs() < 1e-4 && (angle.sin() - touch.normal.y).abs() < 1e-4
            );
        }
    }
}
