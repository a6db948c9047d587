//! Pairs of frames in space that share directions, exactly or nearly, and are so close to contact that rounding matters.

use carom::{Frame, FrameKind, fmb};

use crate::random::Random;

type Vector = [f64; 3];

/// What the pairs of a family have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// B is turned relative to A by 1e-6 to 1e-16.
    SmallAngles,
    /// B is turned relative to A by 1e-1 to 1e-9: where single precision ends.
    SingleAngles,
    /// The components of B are those of A, or multiples of them.
    Aligned,
    /// A face of B lies in the plane of a face of A, but for a few roundings.
    Coplanar,
    /// A component of B is the difference of two of A, as the edges of a tetrahedron are.
    Diagonals,
    /// The relative motion is along an edge of A or B, but for a few roundings or a small angle.
    AlongEdges,
    /// Both move fast, and relative to each other by a few roundings only.
    Together,
    /// Frames with small whole numbers, of which many touch.
    Integers,
    /// Needles, plates and frames of very different sizes that share directions.
    Unequal,
}

impl Family {
    pub(crate) const ALL: [Self; 9] = [
        Self::SmallAngles,
        Self::SingleAngles,
        Self::Aligned,
        Self::Coplanar,
        Self::Diagonals,
        Self::AlongEdges,
        Self::Together,
        Self::Integers,
        Self::Unequal,
    ];

    /// Whether the frames of all pairs move.
    pub(crate) fn always_moves(self) -> bool {
        matches!(self, Self::AlongEdges | Self::Together)
    }

    /// A pair that nearly touches, or overlaps or misses by some part of its size.
    pub(crate) fn pair(self, random: &mut Random, duration: Option<f64>) -> [Frame<3>; 2] {
        loop {
            let pair = self.near_contact(random, duration);
            if pair.iter().all(|frame| frame.check(duration.unwrap_or(1.0), 0).is_ok()) {
                return pair;
            }
        }
    }

    fn near_contact(self, random: &mut Random, duration: Option<f64>) -> [Frame<3>; 2] {
        let [a, b] = self.overlapping(random, duration);
        if self == Self::Integers || !fmb::intersects(&a, &b, duration) {
            return [a, b];
        }
        let along = match (self, random.next_u64() % 4) {
            (Self::Coplanar, _) => cross(&a.components[0], &a.components[1]),
            (_, 0) => a.components[(random.next_u64() % 3) as usize],
            (_, 1) => b.components[(random.next_u64() % 3) as usize],
            _ => vector(random, 1.0),
        };
        let at_contact = leaving(&a, &b, &along, duration);
        [a, moved(&b, &along, nearby(random, at_contact))]
    }

    /// Frames that mostly overlap.
    fn overlapping(self, random: &mut Random, duration: Option<f64>) -> [Frame<3>; 2] {
        let axes = axes(random);
        let a = scaled(random, &axes, self == Self::Unequal);
        let b = match self {
            Self::Integers => return [(); 2].map(|()| integers(random, duration.is_some())),
            Self::SmallAngles => turned(random, &axes, [-16.0, -6.0]),
            Self::SingleAngles => turned(random, &axes, [-9.0, -1.0]),
            Self::AlongEdges | Self::Together if random.chance(0.3) => turned(random, &axes, [-16.0, -6.0]),
            Self::AlongEdges | Self::Together => scaled(random, &axes, false),
            Self::Aligned | Self::Coplanar => multiples(random, &a),
            Self::Diagonals => with_diagonal(random, &a),
            Self::Unequal => {
                let size = power_of_ten(random, [-6.0, 6.0]);
                scaled(random, &axes, true).map(|v| v.map(|x| size * x))
            }
        };
        let far = if random.chance(0.3) { power_of_ten(random, [0.0, 9.0]) } else { 0.0 };
        let origin = vector(random, far);
        let shortest = a.iter().chain(&b).map(|v| dot(v, v).sqrt()).fold(f64::INFINITY, f64::min);
        let shift = vector(random, 0.5 * shortest);
        let [mut a, mut b] = [(a, origin), (b, std::array::from_fn(|i| origin[i] + shift[i]))]
            .map(|(components, origin)| Frame { kind: kind(random), origin, components, velocity: [0.0; 3] });
        if duration.is_some() {
            [a.velocity, b.velocity] = self.velocities(random, &a, &b);
        }
        [a, b]
    }

    fn velocities(self, random: &mut Random, a: &Frame<3>, b: &Frame<3>) -> [Vector; 2] {
        let speed = if random.chance(0.5) { power_of_ten(random, [0.0, 6.0]) } else { 0.0 };
        let common = vector(random, speed);
        let relative = match self {
            Self::Together => common.map(|x| x * f64::EPSILON * (random.real(-3.0, 3.0)).round()),
            _ if self == Self::AlongEdges || random.chance(0.3) => {
                let frame = if random.chance(0.5) { a } else { b };
                let edge = edge(random, frame);
                let factor = if random.chance(0.3) { 1.0 } else { random.real(-3.0, 3.0) };
                let off = if random.chance(0.5) { power_of_ten(random, [-17.0, -5.0]) } else { 0.0 };
                let aside = vector(random, off);
                std::array::from_fn(|i| factor * edge[i] + aside[i])
            }
            _ => {
                let speed = power_of_ten(random, [-3.0, 1.0]);
                vector(random, speed)
            }
        };
        [common, std::array::from_fn(|i| common[i] + relative[i])]
    }
}

fn vector(random: &mut Random, size: f64) -> Vector {
    std::array::from_fn(|_| random.real(-size, size))
}

fn power_of_ten(random: &mut Random, [least, most]: [f64; 2]) -> f64 {
    10_f64.powf(random.real(least, most))
}

fn kind(random: &mut Random) -> FrameKind {
    if random.chance(0.5) { FrameKind::Cuboid } else { FrameKind::Tetrahedron }
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn cross(a: &Vector, b: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (k, l) = ((i + 1) % 3, (i + 2) % 3);
        a[k] * b[l] - a[l] * b[k]
    })
}

fn unit(v: Vector) -> Vector {
    let length = dot(&v, &v).sqrt();
    v.map(|x| x / length)
}

/// Axes at right angles: along those of space, upright, or tilted; or slanted ones.
fn axes(random: &mut Random) -> [Vector; 3] {
    let choice = random.next_u64() % 4;
    if choice == 0 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let up = if choice == 1 { [0.0, 0.0, 1.0] } else { unit(vector(random, 1.0)) };
    let x = unit(cross(&up, &unit(vector(random, 1.0))));
    let y = cross(&up, &x);
    if choice == 3 { [x, std::array::from_fn(|i| y[i] + 0.4 * x[i]), up] } else { [x, y, up] }
}

/// Components along axes.
fn scaled(random: &mut Random, axes: &[Vector; 3], is_extreme: bool) -> [Vector; 3] {
    axes.map(|axis| {
        let side = if is_extreme { power_of_ten(random, [-3.0, 3.0]) } else { random.real(0.5, 2.0) };
        axis.map(|x| side * x)
    })
}

/// Components along axes turned by an angle of which the logarithm is within a range, some of them or all alike.
fn turned(random: &mut Random, axes: &[Vector; 3], range: [f64; 2]) -> [Vector; 3] {
    let (about, angle) = (unit(vector(random, 1.0)), power_of_ten(random, range));
    let all = random.chance(0.7);
    let axes = axes.map(|axis| {
        let across = cross(&about, &axis);
        let angle = if all || random.chance(0.5) { angle } else { 0.0 };
        std::array::from_fn(|i| axis[i] + angle * across[i])
    });
    scaled(random, &axes, false)
}

/// The same components, perhaps halved, doubled, negated or in another order, or scaled so that they are rounded.
fn multiples(random: &mut Random, components: &[Vector; 3]) -> [Vector; 3] {
    let first = (random.next_u64() % 3) as usize;
    std::array::from_fn(|i| {
        let factor = match random.next_u64() % 4 {
            0 => 1.0,
            1 => 0.5,
            2 => -1.0,
            _ => random.real(0.3, 2.0),
        };
        components[(first + i) % 3].map(|x| factor * x)
    })
}

/// Components of which one or more are differences of those of another frame.
fn with_diagonal(random: &mut Random, [x, y, z]: &[Vector; 3]) -> [Vector; 3] {
    let minus = |a: &Vector, b: &Vector| -> Vector { std::array::from_fn(|i| a[i] - b[i]) };
    let factor = if random.chance(0.5) { 1.0 } else { random.real(0.3, 2.0) };
    let components = match random.next_u64() % 3 {
        0 => [minus(y, x), minus(z, x), *x],
        1 => [minus(y, x), minus(z, y), minus(x, &z.map(|z| -z))],
        _ => [*x, minus(y, z), *z],
    };
    components.map(|v| v.map(|x| factor * x))
}

/// A frame of small whole numbers.
fn integers(random: &mut Random, moves: bool) -> Frame<3> {
    loop {
        let mut numbers = |size: u64| -> Vector {
            std::array::from_fn(|_| (random.next_u64() % (2 * size + 1)) as f64 - size as f64)
        };
        let (origin, components) = (numbers(1), std::array::from_fn(|_| numbers(1)));
        let velocity = if moves { numbers(2) } else { [0.0; 3] };
        let frame = Frame { kind: kind(random), origin, components, velocity };
        if frame.determinant() != 0.0 {
            return frame;
        }
    }
}

/// An edge of a frame: a component or the difference of two.
fn edge(random: &mut Random, frame: &Frame<3>) -> Vector {
    let i = (random.next_u64() % 3) as usize;
    let (one, two) = (frame.components[i], frame.components[(i + 1) % 3]);
    if random.chance(0.6) { one } else { std::array::from_fn(|axis| two[axis] - one[axis]) }
}

fn moved(frame: &Frame<3>, along: &Vector, by: f64) -> Frame<3> {
    Frame { origin: std::array::from_fn(|i| frame.origin[i] + by * along[i]), ..*frame }
}

/// How far B can be moved along a direction until it leaves A, to the last digit.
fn leaving(a: &Frame<3>, b: &Frame<3>, along: &Vector, duration: Option<f64>) -> f64 {
    let intersects = |by: f64| fmb::intersects(a, &moved(b, along, by), duration);
    let (mut inside, mut outside) = (0.0, 1.0);
    while intersects(outside) {
        outside *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (inside + outside);
        if intersects(middle) { inside = middle } else { outside = middle }
    }
    outside
}

/// The same number, or one that is a few roundings or some part of it away.
fn nearby(random: &mut Random, x: f64) -> f64 {
    if random.chance(0.5) {
        return x * (1.0 + f64::EPSILON * random.real(-6.0, 6.0).round());
    }
    let part = power_of_ten(random, [-16.0, -1.0]);
    x * if random.chance(0.5) { 1.0 + part } else { 1.0 - part }
}
