//! Collisions at the first contact of the shapes of particles instead of their bounding spheres (SPEC section 2).

use crate::error::{Error, Result};
use crate::fmb::{boxes, exact};
use crate::frames::Frame;
use crate::particles::{Field, Particles};

/// The frames of all particles, each around its own centre; `None` where the bounding sphere counts.
#[derive(Debug)]
pub(super) enum Shapes {
    Flat(Vec<Option<Frame<2>>>),
    Solid(Vec<Option<Frame<3>>>),
}

/// Where a particle is as seen from another, in metres, and how it moves, in metres per second: one number an axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relative<'a> {
    pub(super) place: &'a [f64],
    pub(super) velocity: &'a [f64],
}

impl Shapes {
    /// The frames of facoids and pyramidoids that collide. The error names a particle whose axes are dependent.
    pub(super) fn of(particles: &Particles) -> Result<Self> {
        match particles.dim() {
            2 => Ok(Self::Flat(frames(particles)?)),
            3 => Ok(Self::Solid(frames(particles)?)),
            found => Err(Error::BadDimension { found, expected: "2 or 3 for exact shapes" }),
        }
    }

    /// How long it takes the frames of two particles to meet, at most `horizon` seconds; infinity if they do not, and
    /// `None` if one of the two has no frame. The first particle is seen from the second.
    pub(super) fn contact(&self, pair: [u32; 2], relative: Relative, horizon: f64) -> Option<f64> {
        match self {
            Self::Flat(frames) => contact(frames, pair, relative, horizon),
            Self::Solid(frames) => contact(frames, pair, relative, horizon),
        }
    }
}

fn frames<const D: usize>(particles: &Particles) -> Result<Vec<Option<Frame<D>>>> {
    let mass = particles.columns(Field::Mass)[0].as_slice();
    let frame = |index: usize| {
        let frame = if mass[index] > 0.0 { Frame::around_centre(particles, index) } else { None };
        frame.map(|frame: Frame<D>| frame.check(0.0, index).map(|()| frame)).transpose()
    };
    (0..particles.len()).map(frame).collect()
}

#[cold]
fn contact<const D: usize>(
    frames: &[Option<Frame<D>>],
    pair: [u32; 2],
    relative: Relative,
    horizon: f64,
) -> Option<f64> {
    let [Some(one), Some(two)] = pair.map(|i| frames[i as usize].as_ref()) else { return None };
    let (duration, velocity) = match horizon > 0.0 {
        true => (Some(horizon), std::array::from_fn(|axis| relative.velocity[axis])),
        false => (None, [0.0; D]),
    };
    let origin = std::array::from_fn(|axis| relative.place[axis] + one.origin[axis]);
    let moved = Frame { origin, ..one.with_velocity(velocity) };
    Some(if exact::intersects(&moved, two, duration) {
        duration.map_or(0.0, |duration| boxes::times(&moved, two, duration)[0].clamp(0.0, horizon))
    } else {
        f64::INFINITY
    })
}
