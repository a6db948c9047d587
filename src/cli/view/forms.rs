//! The outlines of what is not a sphere: shapes of rigid bodies, and facoids, ellipsoids and pyramidoids of worlds.

use std::collections::HashMap;
use std::f64::consts::{PI, TAU};

use carom::rigid2d::{Geometry, Space};
use carom::{Particles, ShapeKind};
use serde_json::{Value, json};

/// Corners of an ellipse: at most 0.22% of its size is cut off.
const AROUND: usize = 48;
/// Corners around an ellipsoid, and rings of corners from one pole to the other.
const MERIDIANS: usize = 16;
const RINGS: usize = 7;
/// Axes of an ellipsoid that differ by less than this part are those of a sphere.
const ROUND: f64 = 1e-9;

/// The shapes of all rows: of each the row and the form. Empty if all rows are spheres.
#[derive(Default)]
pub(super) struct Forms {
    pub(super) row: Vec<u32>,
    pub(super) form: Vec<u32>,
    /// What the page draws: `vertices` in metres from the place of the row, the `radius` around them and, in space, the
    /// `faces` as lists of vertices. One vertex is a disc or a sphere, two are a capsule.
    pub(super) forms: Vec<Value>,
}

/// Forms that are known already, by the numbers they are made of.
type Known = HashMap<Vec<u64>, u32>;

impl Forms {
    pub(super) fn of_bodies(space: &Space) -> Self {
        let (mut forms, mut known) = (Self::default(), Known::new());
        for (number, body) in space.bodies().enumerate() {
            for shape in body.shapes() {
                let (geometry, is_sensor) = (shape.geometry(), shape.material().sensor);
                forms.add(&mut known, number, body_key(geometry, is_sensor), || {
                    body_form(geometry, is_sensor)
                });
            }
        }
        forms
    }

    /// Those of particles in the plane or in space, unless all of them are spheres.
    pub(super) fn of_particles(particles: &Particles) -> carom::Result<Self> {
        let dim = particles.dim();
        if !(2..=3).contains(&dim) || (0..particles.len()).all(|row| is_sphere(particles, row)) {
            return Ok(Self::default());
        }
        let (mut forms, mut known) = (Self::default(), Known::new());
        for row in 0..particles.len() {
            let shape = particles.shape(row)?;
            let mut key = vec![shape.kind as u64];
            key.extend(shape.axes.iter().map(|x| x.to_bits()));
            forms.add(&mut known, row, key, || particle_form(shape.kind, &shape.axes, dim));
        }
        Ok(forms)
    }

    fn add(&mut self, known: &mut Known, row: usize, key: Vec<u64>, make: impl FnOnce() -> Value) {
        let form = *known.entry(key).or_insert_with(|| {
            self.forms.push(make());
            self.forms.len() as u32 - 1
        });
        self.row.push(row as u32);
        self.form.push(form);
    }
}

/// The numbers that the form of a shape of a body is made of.
fn body_key(geometry: &Geometry, is_sensor: bool) -> Vec<u64> {
    let mut key = vec![geometry.radius().to_bits(), is_sensor.into()];
    key.extend(geometry.vertices().iter().flat_map(|vertex| [vertex.x.to_bits(), vertex.y.to_bits()]));
    key
}

fn body_form(geometry: &Geometry, is_sensor: bool) -> Value {
    let vertices: Vec<[f64; 2]> = geometry.vertices().iter().map(|&vertex| vertex.into()).collect();
    json!({"radius": geometry.radius(), "vertices": vertices, "sensor": is_sensor})
}

fn is_sphere(particles: &Particles, row: usize) -> bool {
    particles.shape(row).is_ok_and(|shape| is_round(shape.kind, &shape.axes, particles.dim()))
}

/// Whether these are the axes of a sphere: of one length, and orthogonal.
fn is_round(kind: ShapeKind, axes: &[f64], dim: usize) -> bool {
    let dot = |a: usize, b: usize| (0..dim).map(|c| axes[a * dim + c] * axes[b * dim + c]).sum::<f64>();
    let square = dot(0, 0);
    let is_near = |a: usize, b: usize| {
        let wanted = if a == b { square } else { 0.0 };
        (dot(a, b) - wanted).abs() <= ROUND * square
    };
    kind == ShapeKind::Spheroid && (0..dim).all(|a| (0..=a).all(|b| is_near(a, b)))
}

fn particle_form(kind: ShapeKind, axes: &[f64], dim: usize) -> Value {
    if is_round(kind, axes, dim) {
        let radius = 0.5 * axes[..dim].iter().map(|x| x * x).sum::<f64>().sqrt();
        return json!({"radius": radius, "vertices": [vec![0.0; dim]]});
    }
    let (shares, faces) = outline(kind, dim);
    let vertex = |shares: &Vec<f64>| -> Vec<f64> {
        (0..dim)
            .map(|c| shares.iter().enumerate().map(|(k, share)| share * axes[k * dim + c]).sum())
            .collect()
    };
    let mut vertices: Vec<Vec<f64>> = shares.iter().map(vertex).collect();
    // In the plane corners go around against the clock, also if the axes do not.
    if dim == 2 && axes[0] * axes[3] < axes[1] * axes[2] {
        vertices.reverse();
    }
    json!({"radius": 0.0, "vertices": vertices, "faces": faces})
}

/// The corners of a kind as shares of its axes, and in space its faces.
fn outline(kind: ShapeKind, dim: usize) -> (Vec<Vec<f64>>, Vec<Vec<usize>>) {
    let faces = |faces: &[&[usize]]| faces.iter().map(|face| face.to_vec()).collect();
    match (kind, dim) {
        (ShapeKind::Facoid, 2) => (corners(&[0, 1, 3, 2], 2), Vec::new()),
        (ShapeKind::Facoid, _) => (
            corners(&[0, 1, 2, 3, 4, 5, 6, 7], 3),
            faces(&[
                &[0, 1, 3, 2],
                &[4, 5, 7, 6],
                &[0, 1, 5, 4],
                &[2, 3, 7, 6],
                &[0, 2, 6, 4],
                &[1, 3, 7, 5],
            ]),
        ),
        (ShapeKind::Pyramidoid, 2) => (simplex(2), Vec::new()),
        (ShapeKind::Pyramidoid, _) => (simplex(3), faces(&[&[0, 1, 2], &[0, 1, 3], &[0, 2, 3], &[1, 2, 3]])),
        (ShapeKind::Spheroid, 2) => {
            let angle = |n: usize| TAU * n as f64 / AROUND as f64;
            ((0..AROUND).map(|n| vec![0.5 * angle(n).cos(), 0.5 * angle(n).sin()]).collect(), Vec::new())
        }
        (ShapeKind::Spheroid, _) => globe(),
    }
}

/// Corners of a parallelepiped around its centre: axis k is added where bit k is set, else subtracted.
fn corners(bits: &[usize], dim: usize) -> Vec<Vec<f64>> {
    let share = |bits: usize, k: usize| if bits >> k & 1 == 1 { 0.5 } else { -0.5 };
    bits.iter().map(|&bits| (0..dim).map(|k| share(bits, k)).collect()).collect()
}

/// The origin of a simplex and the ends of its axes, around their mean.
fn simplex(dim: usize) -> Vec<Vec<f64>> {
    let mean = 1.0 / (dim as f64 + 1.0);
    (0..=dim).map(|end| (0..dim).map(|k| if end == k + 1 { 1.0 - mean } else { -mean }).collect()).collect()
}

/// A sphere of diameter 1 as poles and rings, with its faces.
fn globe() -> (Vec<Vec<f64>>, Vec<Vec<usize>>) {
    let mut vertices = vec![vec![0.0, 0.0, -0.5], vec![0.0, 0.0, 0.5]];
    for ring in 1..=RINGS {
        let tilt = PI * ring as f64 / (RINGS + 1) as f64;
        vertices.extend((0..MERIDIANS).map(|n| {
            let turn = TAU * n as f64 / MERIDIANS as f64;
            vec![0.5 * tilt.sin() * turn.cos(), 0.5 * tilt.sin() * turn.sin(), -0.5 * tilt.cos()]
        }));
    }
    let at = |ring: usize, n: usize| 2 + ring * MERIDIANS + n % MERIDIANS;
    let mut faces = Vec::new();
    for n in 0..MERIDIANS {
        faces.push(vec![0, at(0, n), at(0, n + 1)]);
        faces.push(vec![1, at(RINGS - 1, n), at(RINGS - 1, n + 1)]);
        faces.extend((1..RINGS).map(|r| vec![at(r - 1, n), at(r - 1, n + 1), at(r, n + 1), at(r, n)]));
    }
    (vertices, faces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::geometry::vector::dot;
    use carom::{Particle, Shape};

    fn particles(dim: usize, shapes: &[(ShapeKind, Vec<f64>)]) -> Particles {
        let mut particles = Particles::new(dim).unwrap();
        for (kind, axes) in shapes {
            let mut particle = Particle::sphere(&vec![0.0; dim], 1.0);
            particle.shape = Shape { kind: *kind, axes: axes.clone() };
            particles.add(&particle).unwrap();
        }
        particles
    }

    fn vertices(form: &Value) -> Vec<Vec<f64>> {
        serde_json::from_value(form["vertices"].clone()).unwrap()
    }

    #[test]
    fn spheres_alone_have_no_forms() {
        let spheres = particles(2, &[(ShapeKind::Spheroid, vec![1.0, 0.0, 0.0, 1.0])]);
        assert!(Forms::of_particles(&spheres).unwrap().row.is_empty());
    }

    #[test]
    fn outlines_reach_as_far_as_the_bounding_radius() {
        let square = vec![2.0, 0.5, -0.25, 1.0];
        let space = vec![2.0, 0.5, 0.0, -0.25, 1.0, 0.1, 0.3, 0.2, 1.5];
        for kind in [ShapeKind::Facoid, ShapeKind::Pyramidoid] {
            for (dim, axes) in [(2, &square), (3, &space)] {
                let particles = particles(dim, &[(kind, axes.clone())]);
                let forms = Forms::of_particles(&particles).unwrap();
                let farthest = vertices(&forms.forms[0]).iter().map(|v| dot(v, v).sqrt()).fold(0.0, f64::max);
                assert!((farthest - particles.radii()[0]).abs() < 1e-12, "{kind:?} in {dim}");
            }
        }
    }

    #[test]
    fn corners_in_the_plane_go_against_the_clock() {
        // Axes that go with the clock, and area of what they span.
        let axes = vec![0.0, 2.0, 3.0, 0.0];
        for (kind, area) in
            [(ShapeKind::Facoid, 6.0), (ShapeKind::Pyramidoid, 3.0), (ShapeKind::Spheroid, 1.5 * PI)]
        {
            let forms = Forms::of_particles(&particles(2, &[(kind, axes.clone())])).unwrap();
            let corners = vertices(&forms.forms[0]);
            let next = corners.iter().cycle().skip(1);
            let twice: f64 = corners.iter().zip(next).map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
            assert!((0.5 * twice / area - 1.0).abs() < 0.01, "{kind:?}: {twice}");
        }
    }

    #[test]
    fn faces_close_around_the_volume() {
        let axes = vec![2.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.5, 0.0, 1.0];
        for (kind, volume) in
            [(ShapeKind::Facoid, 6.0), (ShapeKind::Pyramidoid, 1.0), (ShapeKind::Spheroid, PI)]
        {
            let forms = Forms::of_particles(&particles(3, &[(kind, axes.clone())])).unwrap();
            let corners = vertices(&forms.forms[0]);
            let faces: Vec<Vec<usize>> = serde_json::from_value(forms.forms[0]["faces"].clone()).unwrap();
            // The centre is inside, so that the volume is that of the pyramids over all faces.
            let pyramid = |a: &[f64], b: &[f64], c: &[f64]| {
                let cross = |i: usize, j: usize| b[i] * c[j] - b[j] * c[i];
                (a[0] * cross(1, 2) + a[1] * cross(2, 0) + a[2] * cross(0, 1)).abs() / 6.0
            };
            let over = |face: &Vec<usize>| -> f64 {
                (2..face.len())
                    .map(|n| pyramid(&corners[face[0]], &corners[face[n - 1]], &corners[face[n]]))
                    .sum()
            };
            let sum: f64 = faces.iter().map(over).sum();
            assert!((sum / volume - 1.0).abs() < 0.08, "{kind:?}: {sum}");
        }
    }

    #[test]
    fn equal_shapes_are_sent_once() {
        let facoid = (ShapeKind::Facoid, vec![1.0, 0.0, 0.0, 1.0]);
        let sphere = (ShapeKind::Spheroid, vec![1.0, 0.0, 0.0, 1.0]);
        let forms = Forms::of_particles(&particles(2, &[facoid.clone(), sphere, facoid])).unwrap();
        assert_eq!((&forms.row[..], &forms.form[..]), (&[0, 1, 2][..], &[0, 1, 0][..]));
        assert_eq!(forms.forms[1], json!({"radius": 0.5, "vertices": [[0.0, 0.0]]}));
    }
}
