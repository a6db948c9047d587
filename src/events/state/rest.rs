//! Particles that lie on something at the start of a run (docs/methods/events.md, section 7.2).

use super::{ContactRule, Domain, FlightState};
use crate::events::enclosure::Boundary;
use crate::particles::{Field, Particles};

/// Two particles side by side, not one above the other: difference of their heights over their contact distance.
const LEVEL: f64 = 1e-9;

/// Begins the rest of all particles that lie on the floor, on a fixed particle or on one that lies: the bounce that gravity
/// ends after the duration of a contact. They count as having collided at the start of their flights.
///
/// Without a duration of contacts, or without gravity, nothing changes.
pub(crate) fn begin_rest<const D: usize>(
    particles: &Particles,
    domain: &Domain<D>,
    contact: &ContactRule,
    flights: &mut [FlightState],
) {
    if contact.is_instant() || domain.down_gravity == 0.0 {
        return;
    }
    let pile = Pile { domain, radii: particles.radii(), flights, up: domain.down_gravity.signum() };
    let lying = pile.lying(particles.columns(Field::Mass)[0].as_slice());
    for row in lying {
        let flight = &mut flights[row];
        flight.velocity_tag[1] = contact.least_rebound().copysign(domain.down_gravity);
        *flight = flight.after_collision();
    }
}

/// The particles at the start of a run.
struct Pile<'a, const D: usize> {
    domain: &'a Domain<D>,
    radii: &'a [f64],
    flights: &'a [FlightState],
    /// 1 or -1: the direction along axis 1 in which nothing falls.
    up: f64,
}

impl<const D: usize> Pile<'_, D> {
    /// The rows of all particles that lie on something.
    fn lying(&self, masses: &[f64]) -> Vec<usize> {
        let rows = || 0..self.flights.len();
        let mut lying: Vec<usize> = rows().filter(|&row| self.lies_on_floor(row)).collect();
        let fixed: Vec<usize> = rows().filter(|&row| self.flights[row].is_fixed()).collect();
        if lying.is_empty() && fixed.is_empty() {
            return lying;
        }
        let mut lies = vec![false; self.flights.len()];
        lying.iter().for_each(|&row| lies[row] = true);
        let resting =
            rows().filter(|&row| masses[row] > 0.0 && self.rests(row) && !self.flights[row].is_fixed());
        let grid = Grid::new(self, resting.collect());
        let mut supports: Vec<usize> = lying.iter().chain(&fixed).copied().collect();
        supports.retain(|&row| masses[row] > 0.0);
        while let Some(lower) = supports.pop() {
            grid.visit_near(self, lower, &mut |upper| {
                if !lies[upper] && self.lies_on(upper, lower) {
                    lies[upper] = true;
                    lying.push(upper);
                    supports.push(upper);
                }
            });
        }
        lying
    }

    fn rests(&self, row: usize) -> bool {
        self.flights[row].velocity_tag[..D].iter().all(|&v| v == 0.0)
    }

    /// Whether a particle touches the floor and does not move away from it or towards it.
    fn lies_on_floor(&self, row: usize) -> bool {
        let (flight, face) = (&self.flights[row], if self.up > 0.0 { 2 } else { 3 });
        let gap = (flight.position_time[1] - self.domain.wall_contact(face, self.radii[row])) * self.up;
        let enclosure = &self.domain.enclosure;
        let far = enclosure.lower[1].abs().max(enclosure.upper[1].abs());
        enclosure.is(1, Boundary::Reflecting)
            && !flight.is_fixed()
            && flight.velocity_tag[1] == 0.0
            && gap <= 8.0 * f64::EPSILON * far
    }

    /// Whether one particle touches another that is below it.
    fn lies_on(&self, upper: usize, lower: usize) -> bool {
        let (one, two) = (&self.flights[upper].position_time, &self.flights[lower].position_time);
        let contact_distance = self.radii[upper] + self.radii[lower];
        let (mut square, mut far) = (0.0, contact_distance);
        for axis in 0..D {
            let apart = one[axis] - two[axis];
            let nearest = apart - self.domain.image_shift(axis, apart);
            square += nearest * nearest;
            far = far.max(one[axis].abs());
        }
        let above = (one[1] - two[1]) * self.up;
        above > LEVEL * contact_distance && square.sqrt() <= contact_distance + 8.0 * f64::EPSILON * far
    }
}

/// Rows sorted by the cells of a grid whose edges are the largest contact distance.
struct Grid<const D: usize> {
    edges: [f64; D],
    /// Number of cells along periodic axes, else 0.
    counts: [i64; D],
    rows: Vec<([i64; D], usize)>,
}

impl<const D: usize> Grid<D> {
    fn new(pile: &Pile<D>, rows: Vec<usize>) -> Self {
        let largest = pile.radii.iter().fold(0.0_f64, |most, &radius| most.max(radius));
        let (mut edges, mut counts) = ([2.5 * largest; D], [0; D]);
        for axis in (0..D).filter(|&axis| pile.domain.period[axis] > 0.0) {
            let fitting = (pile.domain.period[axis] / edges[axis]).floor().max(1.0);
            edges[axis] = pile.domain.period[axis] / fitting;
            counts[axis] = fitting as i64;
        }
        let mut grid = Self { edges, counts, rows: Vec::new() };
        grid.rows = rows.into_iter().map(|row| (grid.cell(pile, row), row)).collect();
        grid.rows.sort_unstable();
        grid
    }

    fn cell(&self, pile: &Pile<D>, row: usize) -> [i64; D] {
        let position = &pile.flights[row].position_time;
        std::array::from_fn(|axis| self.around(axis, (position[axis] / self.edges[axis]).floor() as i64))
    }

    fn around(&self, axis: usize, index: i64) -> i64 {
        if self.counts[axis] > 0 { index.rem_euclid(self.counts[axis]) } else { index }
    }

    /// Calls `visit` with the rows in the cells around that of a particle.
    fn visit_near(&self, pile: &Pile<D>, row: usize, visit: &mut dyn FnMut(usize)) {
        let own = self.cell(pile, row);
        for number in 0..3_usize.pow(D as u32) {
            let cell: [i64; D] = std::array::from_fn(|axis| {
                let step = (number / 3_usize.pow(axis as u32) % 3) as i64 - 1;
                self.around(axis, own[axis].saturating_add(step))
            });
            let first = self.rows.partition_point(|(other, _)| *other < cell);
            let there = self.rows[first..].iter().take_while(|(other, _)| *other == cell);
            there.for_each(|&(_, other)| visit(other));
        }
    }
}
