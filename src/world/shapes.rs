//! Collisions at the first contact of the shapes of particles instead of their bounding spheres (docs/methods/particles.md).

use crate::error::{Error, Result};
use crate::fmb;
use crate::frames::Frame;
use crate::geometry::vector::dot;
use crate::particles::{Field, Particles};
use crate::soa::memory;

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
            found => Err(bad_dimension(found)),
        }
    }

    /// Whether both particles of a pair have a frame.
    #[inline(always)]
    pub(super) fn has_both(&self, pair: [u32; 2]) -> bool {
        match self {
            Self::Flat(frames) => pair.iter().all(|&i| frames[i as usize].is_some()),
            Self::Solid(frames) => pair.iter().all(|&i| frames[i as usize].is_some()),
        }
    }

    /// How long it takes the frames of two particles to touch; infinity if they do not, or overlap and do not approach.
    pub(super) fn contact_time(&self, pair: [u32; 2], motion: &RelativeMotion) -> f64 {
        match self {
            Self::Flat(frames) => contact_time(frames, pair, motion),
            Self::Solid(frames) => contact_time(frames, pair, motion),
        }
    }

    /// The normal of the contact of two particles, from the second to the first.
    pub(super) fn normal(&self, pair: [u32; 2], motion: &RelativeMotion) -> [f64; 3] {
        match self {
            Self::Flat(frames) => normal(frames, pair, motion),
            Self::Solid(frames) => normal(frames, pair, motion),
        }
    }
}

/// The motion of the first particle of a pair relative to the second; unused axes are 0.
pub(super) struct RelativeMotion {
    /// At its start, in metres.
    pub(super) place: [f64; 3],
    /// In metres per second.
    pub(super) velocity: [f64; 3],
    /// How long it lasts, in seconds.
    pub(super) horizon: f64,
}

/// The normal of two particles that are where the columns say as if they touched, from the second to the first; `None` if one
/// of them has no frame. The error names a particle whose axes are dependent.
pub(super) fn present_normal(particles: &Particles, pair: [usize; 2]) -> Result<Option<Vec<f64>>> {
    match particles.dim() {
        2 => present_normal_in::<2>(particles, pair),
        3 => present_normal_in::<3>(particles, pair),
        found => Err(bad_dimension(found)),
    }
}

fn present_normal_in<const D: usize>(particles: &Particles, pair: [usize; 2]) -> Result<Option<Vec<f64>>> {
    let [one, two] = pair.map(|index| checked_frame::<D>(particles, index));
    let (Some(one), Some(two)) = (one?, two?) else { return Ok(None) };
    let position = |index: usize, axis: usize| particles.columns(Field::Position)[axis].as_slice()[index];
    let place = |axis: usize| position(pair[0], axis) - position(pair[1], axis);
    let origin = std::array::from_fn(|axis| place(axis) + one.origin[axis]);
    let contact = fmb::contact(&Frame { origin, ..one }, &two, None);
    Ok(Some(contact.normal.map(|x| -x).to_vec()))
}

fn bad_dimension(found: usize) -> Error {
    Error::BadDimension { found, expected: "2 or 3 for exact shapes" }
}

fn frames<const D: usize>(particles: &Particles) -> Result<Vec<Option<Frame<D>>>> {
    let mass = particles.columns(Field::Mass)[0].as_slice();
    let frame = |index: usize| {
        if mass[index] > 0.0 { checked_frame(particles, index) } else { Ok(None) }
    };
    let mut frames = Vec::new();
    memory::reserve(&mut frames, particles.len())?;
    for index in 0..particles.len() {
        frames.push(frame(index)?);
    }
    Ok(frames)
}

/// The frame of a particle with its centre at 0; the error names a particle whose axes are dependent.
fn checked_frame<const D: usize>(particles: &Particles, index: usize) -> Result<Option<Frame<D>>> {
    let frame = Frame::<D>::around_centre(particles, index);
    frame.map(|frame| frame.check(0.0, index).map(|()| frame)).transpose()
}

/// The frame of the first particle, which moves relative to that of the second, this one, and for how long.
fn relative_frames<const D: usize>(
    frames: &[Option<Frame<D>>],
    pair: [u32; 2],
    motion: &RelativeMotion,
) -> (Frame<D>, Frame<D>, Option<f64>) {
    let [one, two] = pair.map(|i| frames[i as usize].expect("both have frames"));
    let RelativeMotion { place, velocity, horizon } = *motion;
    let (duration, velocity) = match horizon > 0.0 {
        true => (Some(horizon), std::array::from_fn(|axis| velocity[axis])),
        false => (None, [0.0; D]),
    };
    let origin = std::array::from_fn(|axis| place[axis] + one.origin[axis]);
    (Frame { origin, ..one.with_velocity(velocity) }, two, duration)
}

#[cold]
fn contact_time<const D: usize>(frames: &[Option<Frame<D>>], pair: [u32; 2], motion: &RelativeMotion) -> f64 {
    let (one, two, duration) = relative_frames(frames, pair, motion);
    if !fmb::intersects(&one, &two, duration) {
        return f64::INFINITY;
    }
    let first = |duration| fmb::overlap_times(&one, &two, duration)[0].clamp(0.0, motion.horizon);
    let time = duration.map_or(0.0, first);
    // Frames that come into contact approach along its normal; those that overlap already may not.
    let approaches = || dot(&normal(frames, pair, motion), &motion.velocity) < 0.0;
    if time > 0.0 || approaches() { time } else { f64::INFINITY }
}

fn normal<const D: usize>(frames: &[Option<Frame<D>>], pair: [u32; 2], motion: &RelativeMotion) -> [f64; 3] {
    let (one, two, duration) = relative_frames(frames, pair, motion);
    let contact = fmb::contact(&one, &two, duration);
    let mut normal = [0.0; 3];
    for (to, from) in normal.iter_mut().zip(contact.normal) {
        *to = -from;
    }
    normal
}
