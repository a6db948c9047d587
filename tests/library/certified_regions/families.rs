//! Families of pairs of frames whose overlap is hard to compute.

use carom::{Frame, FrameKind, fmb};

use crate::random::Random;
use crate::rational::agreement::kind;

/// A pair of frames and the duration of its motion, if it moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<const D: usize> {
    pub(crate) pair: [Frame<D>; 2],
    pub(crate) duration: Option<f64>,
}

/// What is hard about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    NearlyParallel,
    Slivers,
    FarFromOrigin,
    CommonVelocity,
    MixedScales,
    Needles,
    Instants,
    NoRelativeMotion,
    SubnormalAndHuge,
    LongDurations,
}

impl Family {
    pub(crate) const ALL: [Self; 10] = [
        Self::NearlyParallel,
        Self::Slivers,
        Self::FarFromOrigin,
        Self::CommonVelocity,
        Self::MixedScales,
        Self::Needles,
        Self::Instants,
        Self::NoRelativeMotion,
        Self::SubnormalAndHuge,
        Self::LongDurations,
    ];

    /// A pair that intersects and that the library accepts.
    pub(crate) fn hit<const D: usize>(self, random: &mut Random, is_moving: bool) -> Case<D> {
        loop {
            let case = self.case(random, is_moving);
            let [a, b] = &case.pair;
            let is_valid = case.pair.iter().all(|frame| frame.check(case.duration.unwrap_or(0.0), 0).is_ok());
            if is_valid && fmb::intersects(a, b, case.duration) {
                return case;
            }
        }
    }

    fn case<const D: usize>(self, random: &mut Random, is_moving: bool) -> Case<D> {
        let duration = is_moving.then(|| if random.chance(0.7) { 1.0 } else { power(random, -6.0, 40.0) });
        let mut pair = self.shapes(random);
        if is_moving {
            let speed = power(random, -3.0, 1.0);
            for frame in &mut pair {
                frame.velocity = vector(random, speed);
            }
        }
        if self != Self::Instants {
            bring_together(random, &mut pair);
        }
        match self {
            Self::FarFromOrigin => {
                let distance = power(random, 6.0, 12.0);
                let far: [f64; D] = vector(random, distance);
                pair = pair.map(|frame| moved_by(&frame, far));
            }
            Self::CommonVelocity => {
                let speed = power(random, 3.0, 12.0);
                let velocity: [f64; D] = vector(random, speed);
                pair = pair.map(|frame| Frame { velocity: added(frame.velocity, velocity), ..frame });
            }
            Self::NoRelativeMotion => {
                let velocity = if random.chance(0.3) { [0.0; D] } else { pair[0].velocity };
                pair = pair.map(|frame| Frame { velocity, ..frame });
                bring_together(random, &mut pair);
            }
            Self::SubnormalAndHuge => {
                let scale = 2.0_f64.powi((random.next_u64() % 1480) as i32 - 1000);
                let less = if random.chance(0.3) { 2.0_f64.powi(-60) } else { 1.0 };
                pair = pair.map(|frame| scaled(&frame, scale * less));
            }
            _ => {}
        }
        // Frames at rest have none: a set of them takes no others.
        let per_duration = |v: f64| duration.map_or(0.0, |duration| v / duration);
        pair = pair.map(|frame| Frame { velocity: frame.velocity.map(per_duration), ..frame });
        if random.chance(0.5) {
            pair.reverse();
        }
        Case { pair, duration }
    }

    /// Two frames at rest.
    fn shapes<const D: usize>(self, random: &mut Random) -> [Frame<D>; 2] {
        let mut one = unit_frame::<D>(random);
        let mut two = unit_frame::<D>(random);
        match self {
            Self::NearlyParallel => {
                // Some edges of one frame, turned by a tiny angle.
                let angle = power(random, -17.0, -6.0);
                for i in 0..D {
                    if random.chance(0.7) {
                        let (length, turn) = (random.real(0.3, 2.0), vector::<D>(random, angle));
                        two.components[i] = added(one.components[i].map(|x| x * length), turn);
                    }
                }
            }
            Self::Slivers => {
                for frame in [&mut one, &mut two] {
                    if random.chance(0.8) {
                        let thin = power(random, -12.1, -1.0);
                        let mut flat = vector::<D>(random, thin);
                        for i in 0..D - 1 {
                            let share = random.real(-1.0, 1.0);
                            flat = added(flat, frame.components[i].map(|x| x * share));
                        }
                        frame.components[D - 1] = flat;
                    }
                }
            }
            Self::MixedScales => {
                one = scaled(&one, power(random, -9.0, 9.0));
                two = scaled(&two, power(random, -9.0, 9.0));
            }
            Self::Needles => {
                for frame in [&mut one, &mut two] {
                    for component in &mut frame.components {
                        let length = power(random, -9.0, 0.0);
                        *component = component.map(|x| x * length);
                    }
                }
            }
            Self::Instants => return instants(random),
            Self::SubnormalAndHuge => {
                two = scaled(&two, power(random, -20.0, 20.0));
            }
            _ => {}
        }
        [one, two]
    }
}

/// Frames of small integers a few roundings from touching, so that they overlap for an instant, or hardly at all.
fn instants<const D: usize>(random: &mut Random) -> [Frame<D>; 2] {
    let whole = |random: &mut Random, size: u64| (random.next_u64() % (2 * size + 1)) as f64 - size as f64;
    let mut pair = [(); 2].map(|()| Frame {
        kind: kind(random),
        origin: std::array::from_fn(|_| whole(random, 2)),
        components: std::array::from_fn(|_| std::array::from_fn(|_| whole(random, 2))),
        velocity: [0.0; D],
    });
    let shift = if random.chance(0.5) { power(random, -17.0, -8.0) } else { 2.0_f64.powi(-50) };
    for x in &mut pair[0].origin {
        *x += shift * whole(random, 1);
    }
    pair
}

/// 10 to a power between the two.
fn power(random: &mut Random, least: f64, most: f64) -> f64 {
    10.0_f64.powf(random.real(least, most))
}

fn vector<const D: usize>(random: &mut Random, size: f64) -> [f64; D] {
    std::array::from_fn(|_| size * random.real(-1.0, 1.0))
}

fn added<const D: usize>(one: [f64; D], two: [f64; D]) -> [f64; D] {
    std::array::from_fn(|axis| one[axis] + two[axis])
}

/// A frame about as large as a metre that is far from flat.
fn unit_frame<const D: usize>(random: &mut Random) -> Frame<D> {
    loop {
        let (origin, components) = (vector(random, 1.0), [(); D].map(|()| vector(random, 1.0)));
        let frame = Frame { kind: kind(random), origin, components, velocity: [0.0; D] };
        if frame.determinant().abs() > 0.05 {
            return frame;
        }
    }
}

fn scaled<const D: usize>(frame: &Frame<D>, by: f64) -> Frame<D> {
    Frame {
        origin: frame.origin.map(|x| x * by),
        components: frame.components.map(|component| component.map(|x| x * by)),
        velocity: frame.velocity.map(|x| x * by),
        ..*frame
    }
}

pub(crate) fn moved_by<const D: usize>(frame: &Frame<D>, by: [f64; D]) -> Frame<D> {
    Frame { origin: added(frame.origin, by), ..*frame }
}

/// Moves the second frame so that one of its points coincides with one of the first at some time from 0 to 1.
fn bring_together<const D: usize>(random: &mut Random, [one, two]: &mut [Frame<D>; 2]) {
    let (p, q) = (point_of(random, one), point_of(random, two));
    let time = [0.0, 1.0, random.real(0.0, 1.0)][(random.next_u64() % 3) as usize];
    for axis in 0..D {
        two.origin[axis] += p[axis] - q[axis] + (one.velocity[axis] - two.velocity[axis]) * time;
    }
}

/// A point of a frame at time 0: inside, or on some of its faces.
fn point_of<const D: usize>(random: &mut Random, frame: &Frame<D>) -> [f64; D] {
    let mut shares: [f64; D] = std::array::from_fn(|_| match random.next_u64() % 5 {
        0 => 0.0,
        1 => 1.0,
        _ => random.real(0.0, 1.0),
    });
    let sum: f64 = shares.iter().sum();
    if frame.kind == FrameKind::Tetrahedron && sum > 1.0 {
        shares = shares.map(|share| share / sum);
    }
    std::array::from_fn(|axis| {
        frame.origin[axis] + (0..D).map(|i| shares[i] * frame.components[i][axis]).sum::<f64>()
    })
}
