//! Collisions at the first contact of the shapes of particles instead of their bounding spheres (docs/methods/particles.md).

use crate::error::{Error, Result};
use crate::fmb;
use crate::frames::Frame;
use crate::particles::{Field, Particles};

/// The frames of all particles, each around its own centre; `None` where the bounding sphere counts.
#[derive(Debug)]
pub(super) enum Shapes {
    Flat(Vec<Option<Frame<2>>>),
    Solid(Vec<Option<Frame<3>>>),
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

    /// How long it takes the frames of two particles to touch, at most `horizon` seconds; infinity if they do not, and
    /// `None` if one of the two has no frame. `place`, in metres, and `velocity`, in metres per second, are those of the
    /// first minus those of the second.
    pub(super) fn contact(
        &self,
        pair: [u32; 2],
        place: &[f64],
        velocity: &[f64],
        horizon: f64,
    ) -> Option<f64> {
        match self {
            Self::Flat(frames) => contact(frames, pair, [place, velocity], horizon),
            Self::Solid(frames) => contact(frames, pair, [place, velocity], horizon),
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
    [place, velocity]: [&[f64]; 2],
    horizon: f64,
) -> Option<f64> {
    let [Some(one), Some(two)] = pair.map(|i| frames[i as usize].as_ref()) else { return None };
    let (duration, velocity) = match horizon > 0.0 {
        true => (Some(horizon), std::array::from_fn(|axis| velocity[axis])),
        false => (None, [0.0; D]),
    };
    let origin = std::array::from_fn(|axis| place[axis] + one.origin[axis]);
    let moved = Frame { origin, ..one.with_velocity(velocity) };
    Some(if fmb::intersects(&moved, two, duration) {
        duration.map_or(0.0, |duration| fmb::overlap_times(&moved, two, duration)[0].clamp(0.0, horizon))
    } else {
        f64::INFINITY
    })
}
