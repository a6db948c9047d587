//! The simplest event-driven simulation, as an oracle for the engine: all pairs, all images and all walls are predicted
//! again after each event, and all particles advanced. No gravity.

use carom::events::{Boundary, Enclosure, EventKind, EventSettings};
use carom::{Field, Particles};

use super::events_starts::vector;

#[derive(Debug, Clone, Copy)]
struct Ball<const D: usize> {
    place: [f64; D],
    velocity: [f64; D],
    radius: f64,
    /// Inverse mass: 0 for a fixed ball.
    lightness: f64,
    tracer: bool,
}

/// One event: time, kind, particle, partner or face.
pub(crate) type Happening = (f64, EventKind, usize, usize);

pub(crate) struct Oracle<const D: usize> {
    balls: Vec<Ball<D>>,
    enclosure: Enclosure<D>,
    settings: EventSettings,
    time: f64,
}

impl<const D: usize> Oracle<D> {
    pub(crate) fn new(particles: &Particles, enclosure: Enclosure<D>, settings: EventSettings) -> Self {
        assert_eq!(settings.down_gravity, 0.0);
        let ball = |index: usize| {
            let particle = particles.get(index).unwrap();
            Ball {
                place: vector(particles, Field::Position, index),
                velocity: vector(particles, Field::Velocity, index),
                radius: particles.column(Field::Radius, 0).unwrap()[index],
                lightness: if particle.fixed { 0.0 } else { 1.0 / particle.mass },
                tracer: particle.mass == 0.0,
            }
        };
        Self { balls: (0..particles.len()).map(ball).collect(), enclosure, settings, time: 0.0 }
    }

    /// Executes the next event, if there is one before this time.
    pub(crate) fn step(&mut self, before: f64) -> Option<Happening> {
        while self.time < before {
            let horizon = self.horizon().min(before - self.time);
            let next = self.earliest().filter(|next| next.0 < horizon);
            let Some((wait, kind, first, second, image)) = next else {
                self.fly(horizon);
                continue;
            };
            self.fly(wait);
            match kind {
                EventKind::Collision => self.collide(first, second, image),
                EventKind::Wall => {
                    self.balls[first].velocity[second / 2] *= -self.settings.wall_restitution;
                }
                other => panic!("{other:?}"),
            }
            return Some((self.time, kind, first, second));
        }
        None
    }

    fn fly(&mut self, seconds: f64) {
        self.time += seconds;
        for ball in &mut self.balls {
            ball.place = std::array::from_fn(|axis| ball.place[axis] + ball.velocity[axis] * seconds);
        }
    }

    /// The time within which only the images that are searched can collide: no ball travels a quarter of a period.
    fn horizon(&self) -> f64 {
        let periods = (0..D)
            .filter(|&axis| self.enclosure.boundaries[axis] == Boundary::Periodic)
            .map(|axis| self.enclosure.upper[axis] - self.enclosure.lower[axis]);
        let fastest =
            self.balls.iter().map(|ball| dot(&ball.velocity, &ball.velocity).sqrt()).fold(0.0, f64::max);
        0.25 * periods.fold(f64::INFINITY, f64::min) / fastest
    }

    pub(crate) fn velocity(&self, index: usize) -> [f64; D] {
        self.balls[index].velocity
    }

    fn earliest(&self) -> Option<(f64, EventKind, usize, usize, [f64; D])> {
        let mut best: Option<(f64, EventKind, usize, usize, [f64; D])> = None;
        let mut offer = |wait: f64, kind, first, second, image| {
            if wait.is_finite() && best.is_none_or(|(least, ..)| wait < least) {
                best = Some((wait, kind, first, second, image));
            }
        };
        for first in 0..self.balls.len() {
            for axis in 0..D {
                let (wait, face) = self.wall(first, axis);
                offer(wait, EventKind::Wall, first, face, [0.0; D]);
            }
            for second in first + 1..self.balls.len() {
                for image in self.images(first, second) {
                    offer(
                        self.contact_time(first, second, &image),
                        EventKind::Collision,
                        first,
                        second,
                        image,
                    );
                }
            }
        }
        best
    }

    fn wall(&self, index: usize, axis: usize) -> (f64, usize) {
        let ball = &self.balls[index];
        let (place, velocity) = (ball.place[axis], ball.velocity[axis]);
        if self.enclosure.boundaries[axis] != Boundary::Reflecting || velocity == 0.0 {
            return (f64::INFINITY, 0);
        }
        let (face, room) = if velocity > 0.0 {
            (2 * axis + 1, self.enclosure.upper[axis] - ball.radius - place)
        } else {
            (2 * axis, place - ball.radius - self.enclosure.lower[axis])
        };
        ((room / velocity.abs()).max(0.0), face)
    }

    /// The shifts of the first ball by whole boxes to the image nearest to the second, and to those around it.
    fn images(&self, first: usize, second: usize) -> Vec<[f64; D]> {
        let mut images = vec![[0.0; D]];
        for axis in (0..D).filter(|&axis| self.enclosure.boundaries[axis] == Boundary::Periodic) {
            let side = self.enclosure.upper[axis] - self.enclosure.lower[axis];
            let apart = self.balls[first].place[axis] - self.balls[second].place[axis];
            let nearest = -side * (apart / side).round();
            images = images
                .into_iter()
                .flat_map(|image| [-side, 0.0, side].map(|more| (image, nearest + more)))
                .map(|(mut image, shift)| {
                    image[axis] = shift;
                    image
                })
                .collect();
        }
        images
    }

    /// The smaller root of |d|^2 + 2 (d.w) t + |w|^2 t^2 = R^2 for an approaching pair (docs/methods/contacts.md).
    fn contact_time(&self, first: usize, second: usize, image: &[f64; D]) -> f64 {
        let (one, two) = (&self.balls[first], &self.balls[second]);
        if one.tracer || two.tracer {
            return f64::INFINITY;
        }
        let d: [f64; D] = std::array::from_fn(|axis| one.place[axis] - two.place[axis] + image[axis]);
        let w: [f64; D] = std::array::from_fn(|axis| one.velocity[axis] - two.velocity[axis]);
        let (a, b, c) = (dot(&w, &w), dot(&d, &w), dot(&d, &d) - (one.radius + two.radius).powi(2));
        let discriminant = b * b - a * c;
        if b >= 0.0 || discriminant < 0.0 {
            return f64::INFINITY;
        }
        (c / (-b + discriminant.sqrt())).max(0.0)
    }

    fn collide(&mut self, first: usize, second: usize, image: [f64; D]) {
        let (one, two) = (self.balls[first], self.balls[second]);
        let d: [f64; D] = std::array::from_fn(|axis| one.place[axis] - two.place[axis] + image[axis]);
        let w: [f64; D] = std::array::from_fn(|axis| one.velocity[axis] - two.velocity[axis]);
        let impulse =
            -(1.0 + self.settings.restitution) * dot(&d, &w) / dot(&d, &d) / (one.lightness + two.lightness);
        for (axis, along) in d.into_iter().enumerate() {
            self.balls[first].velocity[axis] += impulse * one.lightness * along;
            self.balls[second].velocity[axis] -= impulse * two.lightness * along;
        }
    }
}

pub(crate) fn dot<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
