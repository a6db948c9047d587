//! One pair of frames, by the vertices of its overlap.

use std::array::from_fn;

use super::{FLAT, ROUNDING, Region};
use crate::frames::frame::cofactors;
use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;
use crate::geometry::vector::dot;

/// If rounding may move the point where a line crosses a face by more than this share of the line, the line counts as
/// nearly parallel to the face, and is cut where it leaves the body enlarged by the rounding error.
const GRAZING: f64 = 1e-9;

/// If rounding may move the point where edges cross by more than this share of one of them, the crossing is ignored.
const UNKNOWN: f64 = 0.1;

/// When and where two frames that intersect overlap; `duration` is `None` for frames at rest.
///
/// If faces or edges are parallel up to some 1e-9, boxes may be larger than the overlap, and of moving frames in 3D a
/// vertex may be missing. For frames that do not intersect the outcome is finite and ordered.
pub(crate) fn region<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let unit = unit_of_length(a, b, duration.unwrap_or(0.0));
    let found = region_in_range(&scaled(a, 1.0 / unit), &scaled(b, 1.0 / unit), duration);
    let known = common_bounds(a, b, duration).world;
    let within = |axis: usize, x: f64| (x * unit).clamp(known.min[axis], known.max[axis]);
    let world = Aabb {
        min: from_fn(|axis| within(axis, found.world.min[axis])),
        max: from_fn(|axis| within(axis, found.world.max[axis])),
    };
    Region { world, ..found }
}

/// A power of two of the order of the largest length if products of lengths would overflow or underflow, and 1
/// otherwise.
fn unit_of_length<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: f64) -> f64 {
    let lengths = |frame: &Frame<D>| {
        let displacement = frame.velocity.map(|v| v * duration);
        let all = frame.origin.iter().chain(frame.components.as_flattened()).chain(&displacement);
        all.fold(0.0_f64, |largest, x| largest.max(x.abs()))
    };
    let largest = lengths(a).max(lengths(b));
    if (1e-30..1e30).contains(&largest) { 1.0 } else { 2.0_f64.powi(largest.log2().floor() as i32) }
}

fn scaled<const D: usize>(frame: &Frame<D>, by: f64) -> Frame<D> {
    Frame {
        kind: frame.kind,
        origin: frame.origin.map(|x| x * by),
        components: frame.components.map(|component| component.map(|x| x * by)),
        velocity: frame.velocity.map(|x| x * by),
    }
}

/// The same for lengths whose products are finite.
fn region_in_range<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let pair = BodyPair::new(a, b, duration);
    // An overlap thinner than the rounding error may have no vertex that is computed to be inside both bodies.
    let errors =
        std::iter::successors(Some(ROUNDING), |error| Some(error * 16.0)).take_while(|&error| error < 1.0);
    let found = errors.map(|error| pair.vertices(error)).find(Vertices::is_bounded);
    found.map_or_else(|| common_bounds(a, b, duration), |vertices| vertices.region(a, duration))
}

/// The vertices of the overlap found so far: times in units of the duration, `world` relative to the origin of A at
/// time 0.
struct Vertices<const D: usize> {
    times: [f64; 2],
    world: Aabb<D>,
    local: Aabb<D>,
}

impl<const D: usize> Vertices<D> {
    fn include(&mut self, time: f64, world: &[f64; D], local: &[f64; D]) {
        self.times = [self.times[0].min(time), self.times[1].max(time)];
        self.world.include(world);
        self.local.include(local);
    }

    /// Whether there are any, and nothing has overflowed.
    fn is_bounded(&self) -> bool {
        let ends = [&self.world.min, &self.world.max, &self.local.min, &self.local.max];
        self.times[0] <= self.times[1] && ends.iter().all(|end| end.iter().all(|x| x.is_finite()))
    }

    fn region(&self, a: &Frame<D>, duration: Option<f64>) -> Region<D> {
        let seconds = |time: f64| time.clamp(0.0, 1.0) * duration.unwrap_or(0.0);
        let placed = |point: &[f64; D]| from_fn(|axis| point[axis] + a.origin[axis]);
        let clamped = |point: [f64; D]| point.map(|x| x.clamp(0.0, 1.0));
        Region {
            times: self.times.map(seconds),
            world: Aabb { min: placed(&self.world.min), max: placed(&self.world.max) },
            local: Aabb { min: clamped(self.local.min), max: clamped(self.local.max) },
        }
    }
}

/// What is known without vertices.
fn common_bounds<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Region<D> {
    let duration = duration.unwrap_or(0.0);
    let (one, two) = (a.bounds(duration), b.bounds(duration));
    let min: [f64; D] = from_fn(|axis| one.min[axis].max(two.min[axis]));
    let max = from_fn(|axis| one.max[axis].min(two.max[axis]).max(min[axis]));
    let local = Aabb { min: [0.0; D], max: [1.0; D] };
    Region { times: [0.0, duration], world: Aabb { min, max }, local }
}

/// Two bodies, with all positions relative to the origin of one of them, so that the distance from the origin of the world
/// costs no digits.
struct BodyPair<const D: usize> {
    a: ScalarBody<D>,
    b: ScalarBody<D>,
    /// From the origin of B to that of A at time 0.
    offset: [f64; D],
    /// Displacement of A relative to B over the whole duration.
    displacement: [f64; D],
    /// Sum of the magnitudes of everything that coordinates are computed from, on each axis.
    magnitude: [f64; D],
    is_moving: bool,
}

impl<const D: usize> BodyPair<D> {
    fn new(a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Self {
        let [a_body, b_body] = [a, b].map(|frame| ScalarBody::new(frame, duration.unwrap_or(0.0)));
        let offset: [f64; D] = from_fn(|axis| a.origin[axis] - b.origin[axis]);
        let displacement: [f64; D] = from_fn(|axis| a_body.displacement[axis] - b_body.displacement[axis]);
        let edges =
            |axis: usize| a.components.iter().chain(&b.components).map(move |c| c[axis].abs()).sum::<f64>();
        let magnitude = from_fn(|axis| offset[axis].abs() + displacement[axis].abs() + edges(axis));
        Self { a: a_body, b: b_body, offset, displacement, magnitude, is_moving: duration.is_some() }
    }

    /// All vertices of the overlap, if coordinates have this relative rounding error.
    fn vertices(&self, error: f64) -> Vertices<D> {
        let mut found =
            Vertices { times: [f64::INFINITY, f64::NEG_INFINITY], world: Aabb::EMPTY, local: Aabb::EMPTY };
        let (a, b, offset, displacement) = (&self.a, &self.b, &self.offset, &self.displacement);
        for line in a.lines(self.is_moving) {
            let relative_to_b = Segment {
                from: moved(&moved(&line.from, 1.0, offset), line.start, displacement),
                along: moved(&line.along, line.lasts, displacement),
                ..line
            };
            for share in b.clip(&relative_to_b, &self.magnitude, error).into_iter().flatten() {
                let [from_a, from_b] =
                    [&line, &relative_to_b].map(|line| moved(&line.from, share, &line.along));
                let time = line.start + share * line.lasts;
                found.include(time, &moved(&from_a, time, &a.displacement), &b.coordinates(&from_b));
            }
        }
        for line in b.lines(self.is_moving) {
            let relative_to_a = Segment {
                from: moved(&moved(&line.from, -1.0, offset), -line.start, displacement),
                along: moved(&line.along, -line.lasts, displacement),
                ..line
            };
            for share in a.clip(&relative_to_a, &self.magnitude, error).into_iter().flatten() {
                let from_b = moved(&line.from, share, &line.along);
                self.include_of_b(&mut found, line.start + share * line.lasts, &from_b);
            }
        }
        if D == 3 && self.is_moving {
            self.include_crossings(&mut found, error);
        }
        found
    }

    /// Includes a point that is given relative to the origin of B.
    fn include_of_b(&self, found: &mut Vertices<D>, time: f64, point: &[f64; D]) {
        let at_start = moved(point, -1.0, &self.offset);
        found.include(time, &moved(&at_start, time, &self.b.displacement), &self.b.coordinates(point));
    }

    /// Includes the points where an edge of A crosses an edge of B: p + s e + offset + t displacement = q + u f.
    fn include_crossings(&self, found: &mut Vertices<D>, error: f64) {
        for one in self.a.edges() {
            let from = moved(&one.from, 1.0, &self.offset);
            for two in self.b.edges() {
                let apart = moved(&two.from, -1.0, &from);
                let columns = from_fn(|i| [one.along, two.along.map(|x| -x), self.displacement][i.min(2)]);
                if let Some([_, u, t]) = self.crossing(&columns, &apart, error) {
                    self.include_of_b(found, t, &moved(&two.from, u, &two.along));
                }
            }
        }
    }

    /// The shares, each from 0 to 1, by which the columns add up to a vector.
    fn crossing(&self, columns: &[[f64; D]; D], vector: &[f64; D], error: f64) -> Option<[f64; 3]> {
        let rows = cofactors(columns);
        let determinant = dot(&rows[0], &columns[0]);
        let sizes = columns.map(|column| size(&column));
        let product = sizes.iter().product::<f64>();
        let rounding = error * size(&self.magnitude) * product / determinant.abs();
        let shares = from_fn(|i| dot(&rows[i], vector) / determinant);
        let is_on = |i: usize| {
            let tolerance = rounding / sizes[i];
            tolerance < UNKNOWN && (shares[i] - 0.5).abs() <= 0.5 + tolerance
        };
        let is_flat = determinant.abs() * FLAT <= error * product;
        (!is_flat && (0..3).all(is_on)).then(|| shares.map(|share| share.clamp(0.0, 1.0)))
    }
}

/// A segment in space and time, from `start` on; both ends are relative to the moving origin of a body.
#[derive(Clone, Copy)]
struct Segment<const D: usize> {
    from: [f64; D],
    along: [f64; D],
    start: f64,
    lasts: f64,
}

/// A frame without its position.
struct ScalarBody<const D: usize> {
    /// With the origin at 0.
    frame: Frame<D>,
    /// Displacement over the whole duration.
    displacement: [f64; D],
    inverse: [[f64; D]; D],
}

impl<const D: usize> ScalarBody<D> {
    fn new(frame: &Frame<D>, duration: f64) -> Self {
        let displacement = frame.velocity.map(|x| x * duration);
        Self { frame: Frame { origin: [0.0; D], ..*frame }, displacement, inverse: inverse(frame) }
    }

    /// Coordinates X of a point relative to the origin.
    fn coordinates(&self, point: &[f64; D]) -> [f64; D] {
        from_fn(|i| dot(&self.inverse[i], point))
    }

    /// A point is in the body if its product with each of these rows is from 0 to 1: the coordinates, and for a
    /// tetrahedron also their sum.
    fn rows(&self) -> impl Iterator<Item = [f64; D]> + '_ {
        let sum = from_fn(|axis| self.inverse.iter().map(|row| row[axis]).sum());
        self.inverse.iter().copied().chain((self.frame.kind == FrameKind::Tetrahedron).then_some(sum))
    }

    /// Whether two vertices, given by their numbers, are the ends of an edge.
    fn is_edge(&self, [one, two]: [usize; 2]) -> bool {
        match self.frame.kind {
            FrameKind::Cuboid => one < two && (one ^ two).is_power_of_two(),
            FrameKind::Tetrahedron => one < two,
        }
    }

    /// The edges at time 0, relative to the origin.
    fn edges(&self) -> impl Iterator<Item = Segment<D>> + '_ {
        let count = self.frame.vertex_count();
        let pairs = (0..count).flat_map(move |one| (0..count).map(move |two| [one, two]));
        pairs.filter(|&pair| self.is_edge(pair)).map(|[one, two]| {
            let (from, to) = (self.frame.vertex(one), self.frame.vertex(two));
            let along = match self.frame.kind {
                FrameKind::Cuboid => self.frame.components[(one ^ two).trailing_zeros() as usize],
                FrameKind::Tetrahedron => moved(&to, -1.0, &from),
            };
            Segment { from, along, start: 0.0, lasts: 0.0 }
        })
    }

    /// The edges of the body in space and time: its edges at the first and at the last time, and the paths of its vertices.
    fn lines(&self, is_moving: bool) -> impl Iterator<Item = Segment<D>> + '_ {
        let paths = self.frame.vertices();
        let paths = paths.map(|from| Segment { from, along: [0.0; D], start: 0.0, lasts: 1.0 });
        let last = self.edges().map(|edge| Segment { start: 1.0, ..edge });
        self.edges().chain(last.chain(paths).filter(move |_| is_moving))
    }

    /// The shares of a line at which it enters and leaves the body; `None` if it misses.
    fn clip(&self, line: &Segment<D>, magnitude: &[f64; D], error: f64) -> Option<[f64; 2]> {
        let (mut enters, mut leaves, mut tolerance) = (0.0_f64, 1.0_f64, 0.0_f64);
        for row in self.rows() {
            let rounding = error * dot(&row.map(f64::abs), magnitude);
            let (from_middle, along) = (dot(&row, &line.from) - 0.5, dot(&row, &line.along));
            if along.abs() <= rounding {
                if from_middle.abs() > 0.5 + rounding {
                    return None;
                }
                continue;
            }
            let share = rounding / along.abs();
            let (middle, half) = (-from_middle / along, 0.5 / along.abs());
            let grown = if share > GRAZING { half + share } else { half };
            tolerance = tolerance.max(share.min(GRAZING));
            (enters, leaves) = (enters.max(middle - grown), leaves.min(middle + grown));
        }
        (enters <= leaves + tolerance).then_some([enters, leaves])
    }
}

/// [`Frame::inverse`] of components of any length: they are scaled first, so that the determinant stays in range.
fn inverse<const D: usize>(frame: &Frame<D>) -> [[f64; D]; D] {
    let sizes = frame.components.map(|component| component.iter().fold(0.0_f64, |m, x| m.max(x.abs())));
    let exponents = sizes.map(|size| 2.0_f64.powi(size.log2().floor() as i32));
    let components = from_fn(|i| frame.components[i].map(|x| x / exponents[i]));
    let inverse = Frame { components, ..*frame }.inverse();
    from_fn(|i| inverse[i].map(|x| x / exponents[i]))
}

fn moved<const D: usize>(point: &[f64; D], share: f64, by: &[f64; D]) -> [f64; D] {
    from_fn(|axis| point[axis] + share * by[axis])
}

fn size<const D: usize>(vector: &[f64; D]) -> f64 {
    vector.iter().map(|x| x.abs()).sum()
}
