//! Where there is room for another ball.

use carom::events::Boundary;
use carom::events::scenes::BoxAxis;
use carom::{Field, Particles};

/// Directions on a circle that are tried.
const DIRECTIONS: usize = 16;
/// Distances that are tried.
const RINGS: usize = 64;
/// Distance of two balls over the sum of their radii.
const APART: f64 = 1.05;

/// A free place beside a ball, for a ball of the same radius.
pub(super) fn beside(particles: &Particles, enclosure: &[BoxAxis], ball: usize) -> Option<Vec<f64>> {
    let radius = *particles.radii().get(ball)?;
    let centre = particles.value(Field::Position, ball).ok()?;
    search(particles, enclosure, &centre, radius, 1)
}

/// A free place near the middle of the box, or of the balls if there is no box.
pub(super) fn near_the_middle(particles: &Particles, enclosure: &[BoxAxis], radius: f64) -> Option<Vec<f64>> {
    let middle = |(axis, side): (usize, &BoxAxis)| match side.boundary {
        Boundary::Open => extent(particles, axis).iter().sum::<f64>() / 2.0,
        _ => 0.5 * (side.lower + side.upper),
    };
    let centre: Vec<f64> = enclosure.iter().enumerate().map(middle).collect();
    search(particles, enclosure, &centre, radius, 0)
}

/// From the lowest to the highest end of all balls along an axis, in metres.
pub(super) fn extent(particles: &Particles, axis: usize) -> [f64; 2] {
    let column = particles.column(Field::Position, axis).unwrap_or_default();
    let ends = column.iter().zip(particles.radii());
    let ends = ends.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], (&x, &radius)| {
        [low.min(x - radius), high.max(x + radius)]
    });
    if ends[0] < ends[1] { ends } else { [0.0, 1.0] }
}

fn search(
    particles: &Particles,
    enclosure: &[BoxAxis],
    centre: &[f64],
    radius: f64,
    first: usize,
) -> Option<Vec<f64>> {
    (first..RINGS).find_map(|ring| {
        let distance = 2.0 * APART * radius * ring as f64;
        directions(centre.len()).find_map(|direction| {
            let place: Vec<f64> = centre.iter().zip(direction).map(|(x, part)| x + distance * part).collect();
            is_free(particles, enclosure, &place, radius).then_some(place)
        })
    })
}

/// Unit vectors: of the first two axes, or of the only one.
fn directions(dim: usize) -> impl Iterator<Item = [f64; 3]> {
    let count = if dim == 1 { 2 } else { DIRECTIONS };
    (0..count).map(move |n| {
        let angle = std::f64::consts::TAU * n as f64 / count as f64;
        [angle.cos(), if dim == 1 { 0.0 } else { angle.sin() }, 0.0]
    })
}

fn is_free(particles: &Particles, enclosure: &[BoxAxis], place: &[f64], radius: f64) -> bool {
    let is_inside = enclosure.iter().zip(place).all(|(side, &x)| match side.boundary {
        Boundary::Open => true,
        Boundary::Periodic => side.lower <= x && x < side.upper,
        _ => side.lower <= x - radius && x + radius <= side.upper,
    });
    let is_apart = |index: usize| {
        let square = place.iter().zip(enclosure).enumerate().fold(0.0, |sum, (axis, (x, side))| {
            let other = particles.column(Field::Position, axis).map_or(0.0, |column| column[index]);
            let mut gap = (x - other).abs();
            if side.boundary == Boundary::Periodic {
                gap = gap.min(side.upper - side.lower - gap);
            }
            sum + gap * gap
        });
        square.sqrt() > radius + particles.radii()[index]
    };
    is_inside && (0..particles.len()).all(is_apart)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom::Particle;

    #[test]
    fn places_are_free_and_inside() {
        let enclosure = [BoxAxis::reflecting(0.0, 1.0), BoxAxis::periodic(0.0, 1.0)];
        let mut particles = Particles::new(2).unwrap();
        for _ in 0..12 {
            let place = near_the_middle(&particles, &enclosure, 0.1).unwrap();
            assert!(is_free(&particles, &enclosure, &place, 0.1) && place[0] >= 0.1 && place[0] <= 0.9);
            particles.add(&Particle::sphere(&place, 0.1)).unwrap();
        }
        assert_eq!(near_the_middle(&particles, &enclosure, 0.4), None);
        let beside = beside(&particles, &enclosure, 3).unwrap();
        assert!(is_free(&particles, &enclosure, &beside, 0.1));
    }

    #[test]
    fn on_a_line_there_are_two_directions() {
        let mut particles = Particles::new(1).unwrap();
        particles.add(&Particle::sphere(&[2.0], 1.0)).unwrap();
        assert_eq!(beside(&particles, &[BoxAxis::OPEN], 0), Some(vec![4.1]));
        assert_eq!(extent(&particles, 0), [1.0, 3.0]);
    }
}
