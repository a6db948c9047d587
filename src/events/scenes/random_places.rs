//! Random positions without overlap, one ball after the other.

use std::collections::HashMap;

use super::lattice::Region;
use crate::random::Random;

/// Number of attempts to place one ball.
const TRIES: usize = 10_000;

/// The balls placed so far, in cells so that only neighbours are compared.
pub(super) struct PlacedBalls {
    dim: usize,
    /// Lower end and length of the box along periodic axes, in metres.
    periodic: [Option<[f64; 2]>; 3],
    /// Sides of a cell, in metres: at least the largest diameter.
    cell: [f64; 3],
    balls: Vec<([f64; 3], f64)>,
    cells: HashMap<[i64; 3], Vec<usize>>,
}

impl PlacedBalls {
    /// No balls yet. `periodic` has the lower and upper end of the box along periodic axes, `largest` is the largest radius of
    /// all balls to come, in metres.
    pub(super) fn new(dim: usize, periodic: [Option<[f64; 2]>; 3], largest: f64) -> Self {
        let size = |axis: usize| match periodic[axis] {
            Some([lower, upper]) => (upper - lower) / ((upper - lower) / (2.0 * largest)).floor().max(1.0),
            None => 2.0 * largest,
        };
        let cell = [size(0), size(1), size(2)];
        let periodic = periodic.map(|ends| ends.map(|[lower, upper]| [lower, upper - lower]));
        Self { dim, periodic, cell, balls: Vec::new(), cells: HashMap::new() }
    }

    /// Adds a ball at this position without a check.
    pub(super) fn add(&mut self, position: [f64; 3], radius: f64) {
        self.cells.entry(self.cell_of(&position)).or_default().push(self.balls.len());
        self.balls.push((position, radius));
    }

    /// Adds a ball at a random free position of a region; `None` if none is found.
    pub(super) fn place_randomly(
        &mut self,
        region: &Region,
        radius: f64,
        random: &mut Random,
    ) -> Option<[f64; 3]> {
        let gap = |axis: usize| if region.walled[axis] { radius } else { 0.0 };
        if (0..self.dim).any(|axis| region.upper[axis] - region.lower[axis] < 2.0 * gap(axis)) {
            return None;
        }
        for _ in 0..TRIES {
            let mut position = [0.0; 3];
            for (axis, x) in position.iter_mut().enumerate().take(self.dim) {
                *x = random.between(region.lower[axis] + gap(axis), region.upper[axis] - gap(axis));
            }
            if self.is_free(&position, radius) {
                self.add(position, radius);
                return Some(position);
            }
        }
        None
    }

    /// Whether a ball at this position would overlap no other.
    pub(super) fn is_free(&self, position: &[f64; 3], radius: f64) -> bool {
        let home = self.cell_of(position);
        (0..3_usize.pow(self.dim as u32)).all(|mut neighbour| {
            let mut cell = home;
            for (axis, index) in cell.iter_mut().enumerate().take(self.dim) {
                *index = self.wrap(axis, *index + (neighbour % 3) as i64 - 1);
                neighbour /= 3;
            }
            let inside = self.cells.get(&cell).map_or(&[][..], Vec::as_slice);
            inside.iter().all(|&ball| {
                let (other, other_radius) = &self.balls[ball];
                let contact_distance = radius + other_radius;
                self.square_distance(position, other) > contact_distance * contact_distance
            })
        })
    }

    fn cell_of(&self, position: &[f64; 3]) -> [i64; 3] {
        let mut cell = [0; 3];
        for axis in 0..self.dim {
            let lower = self.periodic[axis].map_or(0.0, |[lower, _]| lower);
            cell[axis] = self.wrap(axis, ((position[axis] - lower) / self.cell[axis]).floor() as i64);
        }
        cell
    }

    fn wrap(&self, axis: usize, index: i64) -> i64 {
        match self.periodic[axis] {
            Some([_, side]) => index.rem_euclid((side / self.cell[axis]).round() as i64),
            None => index,
        }
    }

    fn square_distance(&self, one: &[f64; 3], two: &[f64; 3]) -> f64 {
        let mut square = 0.0;
        for axis in 0..self.dim {
            let mut difference = (one[axis] - two[axis]).abs();
            if let Some([_, side]) = self.periodic[axis] {
                difference = difference.min((side - difference).abs());
            }
            square += difference * difference;
        }
        square
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn square(side: f64, walled: bool) -> Region {
        Region { lower: [0.0; 3], upper: [side, side, 0.0], walled: [walled; 3], dim: 2 }
    }

    #[test]
    fn balls_of_two_sizes_never_overlap() {
        for periodic in [false, true] {
            let ends = periodic.then_some([0.0, 10.0]);
            let mut placed_balls = PlacedBalls::new(2, [ends, ends, None], 0.6);
            let mut random = Random::new(1, Purpose::Places);
            let region = square(10.0, !periodic);
            for n in 0..60 {
                let radius = if n % 2 == 0 { 0.6 } else { 0.3 };
                assert!(placed_balls.place_randomly(&region, radius, &mut random).is_some());
            }
            for (n, (one, r)) in placed_balls.balls.iter().enumerate() {
                assert!(periodic || one[..2].iter().all(|x| (*r..=10.0 - r).contains(x)));
                for (two, s) in &placed_balls.balls[..n] {
                    assert!(placed_balls.square_distance(one, two) > (r + s) * (r + s));
                }
            }
        }
    }

    #[test]
    fn a_full_region_is_refused() {
        let mut placed_balls = PlacedBalls::new(2, [None; 3], 0.5);
        let mut random = Random::new(1, Purpose::Places);
        assert!(placed_balls.place_randomly(&square(0.9, true), 0.5, &mut random).is_none());
        let region = square(3.0, true);
        let placed =
            (0..10).take_while(|_| placed_balls.place_randomly(&region, 0.5, &mut random).is_some()).count();
        assert!((3..9).contains(&placed), "{placed}");
    }

    #[test]
    fn overlap_is_detected_through_periodic_faces() {
        let mut placed_balls = PlacedBalls::new(1, [Some([0.0, 4.0]), None, None], 0.5);
        placed_balls.add([0.1, 0.0, 0.0], 0.5);
        assert!(!placed_balls.is_free(&[3.9, 0.0, 0.0], 0.5) && placed_balls.is_free(&[2.0, 0.0, 0.0], 0.5));
    }
}
