//! The contact of one pair where four lanes are not exact enough: numbers too large or too small, edges or components that
//! are nearly parallel, overlaps so thin that no edge seems to reach the other frame.
//!
//! Lengths are scaled by a power of two, each edge by one of its own, and nothing cancels in products of edges.

use super::Contact;
use super::body::{Body, Careful, DIFFERENCES};
use super::directions::BodyPair;
use super::pair::{FrameNumbers, OrderedFrames, SLACK};
use crate::frames::{Frame, FrameKind};
use crate::soa::level::{self, Kernel};
use crate::soa::simd::Simd;

/// Lengths are not taken below this share of the largest, so that their inverses are finite.
const LEAST_LENGTH: f64 = f64::from_bits((1023 - 1000) << 52);

/// Growth of the slack until a point is found.
const GROWTH: f64 = 16.0;

/// The contact of two frames, which rest if there is no `duration`.
#[cold]
pub(super) fn contact<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Contact<D> {
    level::run(CarefulContact { a, b, duration })
}

#[derive(Clone)]
pub(super) struct CarefulContact<'a, const D: usize> {
    pub(super) a: &'a Frame<D>,
    pub(super) b: &'a Frame<D>,
    pub(super) duration: Option<f64>,
}

impl<const D: usize> Kernel for CarefulContact<'_, D> {
    type Output = Contact<D>;

    #[inline(always)]
    fn run<S: Simd>(self) -> Contact<D> {
        let Self { a, b, duration } = self;
        let are_tetrahedra = [a.kind == FrameKind::Tetrahedron, b.kind == FrameKind::Tetrahedron];
        let frames = OrderedFrames::new(&numbers(a), &numbers(b), are_tetrahedra);
        let scaled = ScaledPair::new(&frames, duration.is_some());
        let separation = scaled.pair.separation::<Careful<S>>();
        let mut common_time = separation.time;
        let mut time = common_time * (scaled.length / scaled.velocity);
        if time > duration.unwrap_or(0.0) {
            time = duration.unwrap_or(0.0);
            common_time = time / (scaled.length / scaled.velocity);
        }
        let place = scaled.common_place::<S>(common_time);
        let mut contact = Contact::NONE;
        contact.depth = separation.depth.max(0.0) * scaled.length;
        for axis in 0..D {
            contact.normal[axis] = frames.sign * separation.normal[axis] + 0.0;
            let from = frames.one.origin[axis] + frames.one.velocity[axis] * time;
            contact.point[axis] = from + place[axis] * scaled.length;
        }
        contact
    }
}

fn numbers<const D: usize>(frame: &Frame<D>) -> FrameNumbers<f64, D> {
    let Frame { origin, components, velocity, .. } = *frame;
    FrameNumbers { origin, components, velocity }
}

/// A pair in units in which its largest length and velocity are between 1 and 2.
struct ScaledPair<const D: usize> {
    pair: BodyPair<f64, D>,
    /// The units, in metres and in metres per second.
    length: f64,
    velocity: f64,
}

impl<const D: usize> ScaledPair<D> {
    fn new(frames: &OrderedFrames<f64, D>, is_moving: bool) -> Self {
        let OrderedFrames { one, two, are_tetrahedra, .. } = frames;
        let [offset, velocity] = frames.differences();
        let components = one.components.as_flattened().iter().chain(two.components.as_flattened());
        let length = power_of_two(largest(components.chain(&offset)));
        let unit = if is_moving { power_of_two(largest(&velocity)) } else { 1.0 };
        let pair = BodyPair {
            one: scaled_body(are_tetrahedra[0], &one.components, length),
            two: scaled_body(are_tetrahedra[1], &two.components, length),
            offset: offset.map(|x| x / length),
            velocity: velocity.map(|x| x / unit),
            is_moving,
        };
        Self { pair, length, velocity: unit }
    }

    /// A point of both bodies, with as little slack as that takes.
    #[inline(always)]
    fn common_place<S: Simd>(&self, time: f64) -> [f64; D] {
        let way: f64 = self.pair.velocity.iter().map(|x| x.abs() * time).sum();
        let mut slack = SLACK * (self.pair.reach() + way);
        while slack.is_finite() {
            let common = self.pair.common_point::<Careful<S>>(time, slack);
            if !common.is_missing {
                return common.place;
            }
            slack *= GROWTH;
        }
        [0.0; D]
    }
}

fn scaled_body<const D: usize>(is_tetrahedron: bool, components: &[[f64; D]; D], unit: f64) -> Body<f64, D> {
    let mut body = Body::new(is_tetrahedron, [[0.0; D]; D]);
    for (i, component) in components.iter().enumerate() {
        let own = power_of_two(largest(component));
        let length = (own / unit).max(LEAST_LENGTH);
        body.edges[i] = component.map(|x| x / own);
        body.components[i] = body.edges[i].map(|x| x * length);
        body.inverse_lengths[i] = 1.0 / length;
    }
    for (edge, [minus, plus]) in body.edges[D..].iter_mut().zip(DIFFERENCES).take(D * (D - 1) / 2) {
        let difference: [f64; D] =
            std::array::from_fn(|axis| components[plus][axis] - components[minus][axis]);
        let own = power_of_two(largest(&difference));
        *edge = difference.map(|x| x / own);
    }
    body
}

fn largest<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    numbers.into_iter().fold(0.0, |most, x| most.max(x.abs()))
}

/// The largest power of two that is not above a normal number; the least normal number for what is smaller, 1 for 0.
fn power_of_two(number: f64) -> f64 {
    if number == 0.0 {
        return 1.0;
    }
    f64::from_bits(number.to_bits() & 0x7FF0_0000_0000_0000).max(f64::MIN_POSITIVE)
}
