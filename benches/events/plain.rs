//! The reference: the same dynamics with a binary heap of all predicted events, and a search of all spheres in the 27
//! cells around one by one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use carom::{Field, Particles};

#[derive(Clone, Copy)]
struct Sphere {
    place: [f64; 3],
    velocity: [f64; 3],
    time: f64,
    cell: [usize; 3],
    count: u32,
}

/// The bits of a time, which have the same order for times that are not negative; the sphere, its partner (or the face of
/// the cell), and their event counts.
type Event = Reverse<(u64, u32, u32, u32, u32)>;

/// Marks a sphere that leaves its cell.
const LEAVES: u32 = u32::MAX - 6;

pub(crate) struct Plain {
    spheres: Vec<Sphere>,
    cells: Vec<Vec<u32>>,
    heap: BinaryHeap<Event>,
    side: usize,
    width: f64,
    edge: f64,
}

impl Plain {
    /// A copy of spheres of unit diameter and mass in a periodic cube.
    pub(crate) fn new(particles: &Particles, edge: f64) -> Self {
        let side = edge.floor() as usize;
        let width = edge / side as f64;
        let spheres: Vec<Sphere> =
            (0..particles.len()).map(|row| sphere(particles, row, width, side)).collect();
        let (cells, heap) = (vec![Vec::new(); side.pow(3)], BinaryHeap::new());
        let mut plain = Self { spheres, cells, heap, side, width, edge };
        for row in 0..plain.spheres.len() {
            let cell = plain.number(plain.spheres[row].cell);
            plain.cells[cell].push(row as u32);
        }
        (0..plain.spheres.len()).for_each(|row| plain.foresee(row, 0.0, None));
        plain
    }

    /// Runs for this many collisions.
    pub(crate) fn run(&mut self, collisions: u64) {
        let mut done = 0;
        while done < collisions {
            let Reverse((bits, first, second, first_count, second_count)) =
                self.heap.pop().expect("a gas never rests");
            let (time, row) = (f64::from_bits(bits), first as usize);
            if self.spheres[row].count != first_count {
                continue;
            }
            if second >= LEAVES {
                self.change_cell(row, (second - LEAVES) as usize, time);
            } else if self.spheres[second as usize].count == second_count {
                self.collide(row, second as usize, time);
                done += 1;
            }
        }
    }

    fn number(&self, cell: [usize; 3]) -> usize {
        (cell[2] * self.side + cell[1]) * self.side + cell[0]
    }

    fn advance(&mut self, row: usize, time: f64) {
        let edge = self.edge;
        let sphere = &mut self.spheres[row];
        for k in 0..3 {
            let x = sphere.place[k] + sphere.velocity[k] * (time - sphere.time);
            sphere.place[k] = if x < 0.0 {
                x + edge
            } else if x >= edge {
                x - edge
            } else {
                x
            };
        }
        sphere.time = time;
    }

    /// First minus second at the time of the first, to the nearest image.
    fn apart(&self, first: &Sphere, second: &Sphere) -> [f64; 3] {
        let mut apart = first.place;
        for (k, d) in apart.iter_mut().enumerate() {
            *d -= second.place[k] + second.velocity[k] * (first.time - second.time);
            *d -= self.edge * (*d / self.edge).round();
        }
        apart
    }

    fn collide(&mut self, i: usize, j: usize, time: f64) {
        self.advance(i, time);
        self.advance(j, time);
        let apart = self.apart(&self.spheres[i], &self.spheres[j]);
        let approach: f64 =
            (0..3).map(|k| (self.spheres[i].velocity[k] - self.spheres[j].velocity[k]) * apart[k]).sum();
        let square: f64 = apart.iter().map(|d| d * d).sum();
        for (k, d) in apart.into_iter().enumerate() {
            let change = approach / square * d;
            self.spheres[i].velocity[k] -= change;
            self.spheres[j].velocity[k] += change;
        }
        for row in [i, j] {
            self.spheres[row].count += 1;
        }
        self.foresee(i, time, None);
        self.foresee(j, time, Some(i as u32));
    }

    fn change_cell(&mut self, row: usize, face: usize, time: f64) {
        self.advance(row, time);
        let (axis, up) = (face / 2, face % 2 == 1);
        let old = self.number(self.spheres[row].cell);
        self.cells[old].retain(|&other| other != row as u32);
        let sphere = &mut self.spheres[row];
        let index = sphere.cell[axis];
        sphere.cell[axis] = if up { (index + 1) % self.side } else { (index + self.side - 1) % self.side };
        sphere.count += 1;
        let new = self.number(self.spheres[row].cell);
        self.cells[new].push(row as u32);
        self.foresee(row, time, None);
    }

    /// Puts all predicted events of a sphere into the heap.
    fn foresee(&mut self, row: usize, now: f64, except: Option<u32>) {
        let sphere = self.spheres[row];
        let (leaving, face) = self.leaving(&sphere);
        self.heap.push(Reverse(((now + leaving).to_bits(), row as u32, LEAVES + face, sphere.count, 0)));
        for n in 0..27 {
            let mut cell = sphere.cell;
            for (index, step) in cell.iter_mut().zip([n % 3, n / 3 % 3, n / 9]) {
                *index = (*index + self.side + step - 1) % self.side;
            }
            for &other in &self.cells[self.number(cell)] {
                if other as usize == row || Some(other) == except {
                    continue;
                }
                let partner = self.spheres[other as usize];
                if let Some(wait) = self.contact_time(&sphere, &partner) {
                    let event = ((now + wait).to_bits(), row as u32, other, sphere.count, partner.count);
                    self.heap.push(Reverse(event));
                }
            }
        }
    }

    fn leaving(&self, sphere: &Sphere) -> (f64, u32) {
        let mut first = (f64::INFINITY, 0);
        for k in 0..3 {
            let lower = sphere.cell[k] as f64 * self.width;
            let mut inside = sphere.place[k] - lower;
            inside -= self.edge * (inside / self.edge).round();
            let v = sphere.velocity[k];
            let wait = if v < 0.0 { inside.max(0.0) / -v } else { (self.width - inside).max(0.0) / v };
            if wait < first.0 {
                first = (wait, 2 * k as u32 + u32::from(v > 0.0));
            }
        }
        first
    }

    fn contact_time(&self, first: &Sphere, second: &Sphere) -> Option<f64> {
        let d = self.apart(first, second);
        let (mut a, mut b, mut c) = (0.0, 0.0, -1.0);
        for (k, d) in d.iter().enumerate() {
            let w = first.velocity[k] - second.velocity[k];
            a += w * w;
            b += d * w;
            c += d * d;
        }
        let discriminant = b * b - a * c;
        (b < 0.0 && discriminant >= 0.0).then(|| (c / (discriminant.sqrt() - b)).max(0.0))
    }
}

fn sphere(particles: &Particles, row: usize, width: f64, side: usize) -> Sphere {
    let value = |field: Field, axis: usize| particles.column(field, axis).expect("three axes")[row];
    let place: [f64; 3] = std::array::from_fn(|axis| value(Field::Position, axis));
    Sphere {
        place,
        velocity: std::array::from_fn(|axis| value(Field::Velocity, axis)),
        time: 0.0,
        cell: place.map(|x| ((x / width) as usize).min(side - 1)),
        count: 0,
    }
}
