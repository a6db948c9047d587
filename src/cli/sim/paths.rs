//! The paths of particles, from their start and their collisions.

use carom::events::EventKind;
use carom::simulation::{Impact, State};
use carom::{Field, Particles, Result};

/// Corners of all paths together, at most: larger pictures overtax the programs that show them.
const MOST_POINTS: usize = 200_000;
/// Straight pieces that stand for a parabola between two collisions.
const PIECES: u32 = 16;

/// A point of a picture: the first two axes in metres; in one dimension, place (m) and time (s).
pub(super) type Point = [f64; 2];

/// Where every particle has been. Paths are not wrapped at periodic faces.
///
/// Between impacts particles fly freely, so that the start and the impulses determine the paths: no other state is needed.
pub(super) struct Paths {
    /// Corners of the path of each particle.
    pub(super) lines: Vec<Vec<Point>>,
    /// Time from which on nothing was kept because there are too many corners, in seconds.
    pub(super) full_at: Option<f64>,
    flights: Vec<Flight>,
    down_gravity: f64,
    dim: usize,
    points: usize,
}

/// The free flight of a particle since its last impact.
struct Flight {
    time: f64,
    place: Point,
    velocity: Point,
    /// 0 for a fixed particle.
    inverse_mass: f64,
    falls: bool,
}

impl Paths {
    /// The paths from this state on.
    pub(super) fn new(state: &State<'_>) -> Result<Self> {
        let (time, dim) = (state.time, state.surroundings.extents.len());
        let flights = state.particles().map_or(Ok(Vec::new()), |particles| flights(particles, time))?;
        let mut paths = Self {
            lines: vec![Vec::new(); flights.len()],
            full_at: None,
            flights,
            down_gravity: state.surroundings.down_gravity,
            dim,
            points: 0,
        };
        for index in 0..paths.flights.len() {
            paths.push(index, paths.flights[index].place, time);
        }
        Ok(paths)
    }

    /// The particles of an impact change their velocities.
    pub(super) fn add(&mut self, impact: &Impact<'_>) {
        if self.full_at.is_some() {
            return;
        }
        if self.points > MOST_POINTS {
            self.full_at = Some(impact.time);
            return;
        }
        self.bend(impact.first, impact, impact.impulse);
        if impact.kind == EventKind::Collision {
            self.bend(impact.second, impact, -impact.impulse);
        }
    }

    /// All particles fly on to the end, at this time in seconds.
    pub(super) fn finish(&mut self, time: f64) {
        if self.full_at.is_none() {
            (0..self.flights.len()).for_each(|index| self.fly(index, time));
        }
    }

    fn bend(&mut self, index: usize, impact: &Impact<'_>, impulse: f64) {
        self.fly(index, impact.time);
        let flight = &mut self.flights[index];
        for axis in 0..self.dim.min(2) {
            flight.velocity[axis] += impulse * flight.inverse_mass * impact.normal[axis];
        }
    }

    /// Draws the flight of a particle to this time.
    fn fly(&mut self, index: usize, time: f64) {
        let Flight { time: start, place, velocity, falls, .. } = self.flights[index];
        let gravity = if falls { self.down_gravity } else { 0.0 };
        let pieces = if gravity == 0.0 { 1 } else { PIECES };
        let at = |t: f64| [place[0] + velocity[0] * t, place[1] + velocity[1] * t - 0.5 * gravity * t * t];
        let duration = time - start;
        for piece in 1..=pieces {
            let t = duration * f64::from(piece) / f64::from(pieces);
            self.push(index, at(t), start + t);
        }
        let flight = &mut self.flights[index];
        flight.place = at(duration);
        flight.velocity[1] -= gravity * duration;
        flight.time = time;
    }

    fn push(&mut self, index: usize, place: Point, time: f64) {
        let point = if self.dim == 1 { [place[0], time] } else { place };
        if self.lines[index].last() != Some(&point) {
            self.lines[index].push(point);
            self.points += 1;
        }
    }
}

/// The flights of all particles from this time on, in seconds.
fn flights(particles: &Particles, time: f64) -> Result<Vec<Flight>> {
    let mut flights = Vec::with_capacity(particles.len());
    for index in 0..particles.len() {
        let vector = |field| -> Result<Point> {
            let values = particles.value(field, index)?;
            Ok([values[0], if particles.dim() > 1 { values[1] } else { 0.0 }])
        };
        let particle = particles.get(index)?;
        let inverse_mass = if particle.fixed || particle.mass == 0.0 { 0.0 } else { particle.mass.recip() };
        flights.push(Flight {
            time,
            place: vector(Field::Position)?,
            velocity: vector(Field::Velocity)?,
            inverse_mass,
            falls: !particle.fixed,
        });
    }
    Ok(flights)
}

/// A path cut at the faces of periodic axes and put back into the box. `period` has lower end and length of such an axis.
pub(super) fn wrapped(line: &[Point], period: &[Option<[f64; 2]>; 2]) -> Vec<Vec<Point>> {
    let mut parts: Vec<Vec<Point>> = Vec::new();
    for ends in line.windows(2) {
        for piece in cut(ends[0], ends[1], period) {
            match parts.last_mut() {
                Some(part) if part.last() == Some(&piece[0]) => part.push(piece[1]),
                _ => parts.push(piece.to_vec()),
            }
        }
    }
    parts
}

/// The pieces of a straight line between two faces, each shifted into the box.
fn cut(start: Point, end: Point, period: &[Option<[f64; 2]>; 2]) -> Vec<[Point; 2]> {
    let mut cuts = vec![0.0, 1.0];
    for axis in 0..2 {
        let Some([lower, length]) = period[axis] else { continue };
        let cell = |x: f64| ((x - lower) / length).floor();
        let (from, to) = (cell(start[axis].min(end[axis])), cell(start[axis].max(end[axis])));
        let mut face = from + 1.0;
        while face <= to {
            cuts.push((lower + face * length - start[axis]) / (end[axis] - start[axis]));
            face += 1.0;
        }
    }
    cuts.sort_by(f64::total_cmp);
    let at = |share: f64| [0, 1].map(|axis| start[axis] + share * (end[axis] - start[axis]));
    let shift = |point: Point, middle: Point| {
        [0, 1].map(|axis| match period[axis] {
            Some([lower, length]) => point[axis] - ((middle[axis] - lower) / length).floor() * length,
            None => point[axis],
        })
    };
    let piece = |ends: &[f64]| {
        let middle = at(0.5 * (ends[0] + ends[1]));
        [shift(at(ends[0]), middle), shift(at(ends[1]), middle)]
    };
    cuts.windows(2).filter(|ends| ends[1] > ends[0]).map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::events::scenes::Scene;
    use carom::events::{AnyEngine, Limit};
    use carom::simulation::Simulation;
    use std::ops::ControlFlow;

    fn ends(engine: &mut AnyEngine, until: f64) -> Vec<Point> {
        let mut paths = Paths::new(&engine.state()).unwrap();
        let observer = &mut |impact: &Impact<'_>| {
            paths.add(impact);
            ControlFlow::Continue(())
        };
        engine.advance(Limit::until(until), observer).unwrap();
        paths.finish(engine.time());
        paths.lines.iter().map(|line| *line.last().unwrap()).collect()
    }

    #[test]
    fn paths_end_where_the_particles_are() {
        for name in ["head-on-horizontal", "oblique", "three-balls", "billiard-break"] {
            let mut engine = Scene::named(name).unwrap().engine().unwrap();
            let ends = ends(&mut engine, 1.0);
            let particles = engine.synchronise();
            for (index, end) in ends.iter().enumerate() {
                let place = particles.value(Field::Position, index).unwrap();
                assert!((place[0] - end[0]).abs() < 1e-9 && (place[1] - end[1]).abs() < 1e-9, "{name}");
            }
        }
    }

    #[test]
    fn falling_balls_draw_parabolas() {
        let mut scene = Scene::named("head-on-vertical").unwrap();
        scene.settings.down_gravity = 9.81;
        scene.settings.wall_restitution = 0.5;
        let mut engine = scene.engine().unwrap();
        let ends = ends(&mut engine, 0.2);
        let place = engine.synchronise().value(Field::Position, 0).unwrap();
        assert!((place[1] - ends[0][1]).abs() < 1e-9, "{place:?} {ends:?}");
    }

    #[test]
    fn paths_through_periodic_faces_come_back_on_the_other_side() {
        let period = [Some([0.0, 1.0]), None];
        let parts = wrapped(&[[0.5, 0.0], [2.5, 2.0]], &period);
        let expected = [[[0.5, 0.0], [1.0, 0.5]], [[0.0, 0.5], [1.0, 1.5]], [[0.0, 1.5], [0.5, 2.0]]];
        assert_eq!(parts, expected.map(|part| part.to_vec()));
        let back = wrapped(&[[0.25, 0.0], [-0.25, 1.0], [0.25, 2.0]], &period);
        let expected = [
            vec![[0.25, 0.0], [0.0, 0.5]],
            vec![[1.0, 0.5], [0.75, 1.0], [1.0, 1.5]],
            vec![[0.0, 1.5], [0.25, 2.0]],
        ];
        assert_eq!(back, expected);
        assert_eq!(wrapped(&[[0.1, 0.0], [0.2, 5.0]], &[None; 2]), [vec![[0.1, 0.0], [0.2, 5.0]]]);
    }
}
