//! FMB as in its paper (docs/methods/fmb.md): one pair at a time, row by row.
//!
//! It is kept for comparison. It decides in plain floating point, so that its answer for frames that almost touch depends
//! on rounding, and for frames that touch also on their order: only the last variable must have an interval of more than
//! one point. Use [`Intersections`](super::Intersections) for exact answers.

use crate::frames::{Frame, FrameKind};
use crate::geometry::Aabb;
use crate::geometry::vector::dot;

/// Most variables a system has: three coordinates and the time.
const VARIABLES: usize = 4;

/// The inequality `coefficients` . X <= `bound`. Variables that were eliminated, or that do not exist, have the coefficient
/// 0.
#[derive(Debug, Clone, Copy)]
struct Inequality {
    coefficients: [f64; VARIABLES],
    bound: f64,
}

impl Inequality {
    /// coefficient X_variable <= bound
    fn of_variable(variable: usize, coefficient: f64, bound: f64) -> Self {
        let mut coefficients = [0.0; VARIABLES];
        coefficients[variable] = coefficient;
        Self { coefficients, bound }
    }

    /// No X in [0, 1]^n is a solution (paper (41)).
    #[inline(always)]
    fn is_inconsistent(&self) -> bool {
        self.bound < self.coefficients.iter().map(|x| x.min(0.0)).sum()
    }

    /// The same inequality with the coefficient 1 or -1 for this variable (paper (35)).
    fn normalised(&self, variable: usize) -> Self {
        let size = self.coefficients[variable].abs();
        Self { coefficients: self.coefficients.map(|x| x / size), bound: self.bound / size }
    }

    /// The sum of two inequalities, normalised so that the variable of interest cancels (paper (36)).
    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        let coefficients = std::array::from_fn(|i| self.coefficients[i] + other.coefficients[i]);
        Self { coefficients, bound: self.bound + other.bound }
    }
}

/// Where the algorithm of the paper finds an intersection.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceBox<const D: usize> {
    /// A box that holds the overlap, in the coordinates X of the second frame. It is loose, may extend beyond [0, 1], and
    /// depends on the order of the frames and of their components.
    pub local: Aabb<D>,
    /// First and last time of overlap in seconds, within rounding; `[0, 0]` for frames at rest.
    pub times: [f64; 2],
}

impl<const D: usize> ReferenceBox<D> {
    /// The box in world coordinates, in metres, that holds the local box as it moves with the second frame `b` (paper
    /// (39) and (40)).
    #[must_use]
    pub fn world(&self, b: &Frame<D>) -> Aabb<D> {
        let mut world = Aabb::EMPTY;
        for corner in 0..1 << D {
            let end = |i: usize| if corner >> i & 1 == 1 { self.local.max[i] } else { self.local.min[i] };
            for time in self.times {
                world.include(&std::array::from_fn(|axis| {
                    let spanned: f64 = (0..D).map(|i| b.components[i][axis] * end(i)).sum();
                    b.origin[axis] + spanned + b.velocity[axis] * time
                }));
            }
        }
        world
    }
}

/// The algorithm of the paper with its working memory, which grows with the systems, so that none is too large; a test
/// allocates nothing once it has grown.
///
/// ```
/// use carom::Frame;
/// use carom::fmb::ReferenceTest;
///
/// let square = |x: f64| Frame::cuboid([x, 0.0], [[1.0, 0.0], [0.0, 1.0]]);
/// let mut reference = ReferenceTest::new();
/// assert!(reference.test(&square(0.0), &square(0.5), None).is_some());
/// assert!(reference.test(&square(0.0), &square(1.5), None).is_none());
/// ```
#[derive(Debug, Clone, Default)]
pub struct ReferenceTest<const D: usize> {
    /// The k-th is what is left after k variables were eliminated.
    systems: [Vec<Inequality>; VARIABLES],
    /// Rows that bound the variable to eliminate from above and from below.
    above: Vec<Inequality>,
    below: Vec<Inequality>,
}

impl<const D: usize> ReferenceTest<D> {
    /// A workspace without rows.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether, and where, two frames intersect, at some time from 0 to `duration` seconds if they move. The box is in
    /// the coordinates of `b`.
    pub fn test(&mut self, a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> Option<ReferenceBox<D>> {
        let last = if duration.is_some() { D } else { D - 1 };
        if !self.set_up(a, b, duration) || !(0..last).all(|variable| self.eliminate(variable)) {
            return None;
        }
        let mut bounds = [[0.0, 1.0]; VARIABLES];
        bounds[last] = self.bounds_of_last(last);
        if bounds[last][0] >= bounds[last][1] {
            return None;
        }
        for variable in (0..last).rev() {
            bounds[variable] = self.bounds_of(variable, &bounds);
        }
        let local =
            Aabb { min: std::array::from_fn(|i| bounds[i][0]), max: std::array::from_fn(|i| bounds[i][1]) };
        Some(ReferenceBox { local, times: duration.map_or([0.0; 2], |t| bounds[D].map(|end| end * t)) })
    }

    /// Writes the first system (paper (13) to (16) at rest, (29) to (32) in motion; time is in units of the duration),
    /// and returns whether each of its rows can be satisfied.
    fn set_up(&mut self, a: &Frame<D>, b: &Frame<D>, duration: Option<f64>) -> bool {
        let system = &mut self.systems[0];
        system.clear();
        let rows = coordinates_in(a, b, duration.unwrap_or(0.0));
        let at_least_0 =
            rows.map(|row| Inequality { coefficients: row.coefficients.map(|x| -x), bound: row.bound });
        let at_most_1 =
            |row: Inequality| Inequality { coefficients: row.coefficients, bound: 1.0 - row.bound };
        system.extend(at_least_0);
        match a.kind {
            FrameKind::Cuboid => system.extend(rows.map(at_most_1)),
            FrameKind::Tetrahedron => {
                system.extend(rows.into_iter().reduce(|sum, row| sum.plus(&row)).map(at_most_1));
            }
        }
        if system.iter().any(Inequality::is_inconsistent) {
            return false;
        }
        match b.kind {
            FrameKind::Cuboid => system.extend((0..D).map(|i| Inequality::of_variable(i, 1.0, 1.0))),
            FrameKind::Tetrahedron => system.push(Inequality {
                coefficients: std::array::from_fn(|i| if i < D { 1.0 } else { 0.0 }),
                bound: 1.0,
            }),
        }
        system.extend((0..D).map(|i| Inequality::of_variable(i, -1.0, 0.0)));
        if duration.is_some() {
            system.extend([Inequality::of_variable(D, 1.0, 1.0), Inequality::of_variable(D, -1.0, 0.0)]);
        }
        true
    }

    /// Writes the next system, without this variable, and returns whether each of its rows can be satisfied (paper (36),
    /// (41)).
    fn eliminate(&mut self, variable: usize) -> bool {
        let (given, left) = self.systems.split_at_mut(variable + 1);
        let (given, left) = (&given[variable], &mut left[0]);
        left.clear();
        self.above.clear();
        self.below.clear();
        for row in given {
            let coefficient = row.coefficients[variable];
            if coefficient > 0.0 {
                self.above.push(row.normalised(variable));
            } else if coefficient < 0.0 {
                self.below.push(row.normalised(variable));
            } else {
                left.push(*row);
            }
        }
        for above in &self.above {
            for below in &self.below {
                let sum = above.plus(below);
                if sum.is_inconsistent() {
                    return false;
                }
                left.push(sum);
            }
        }
        true
    }

    /// The interval of the last variable, the only one left (paper (38)); empty if there is no solution.
    fn bounds_of_last(&self, last: usize) -> [f64; 2] {
        let mut bounds = [0.0_f64, 1.0_f64];
        for row in &self.systems[last] {
            let coefficient = row.coefficients[last];
            if coefficient > 0.0 {
                bounds[1] = bounds[1].min(row.bound / coefficient);
            } else if coefficient < 0.0 {
                bounds[0] = bounds[0].max(row.bound / coefficient);
            }
        }
        bounds
    }

    /// An interval that holds this variable, given those of the later ones.
    ///
    /// Paper (37) would narrow [0, 1]. Its section 3 instead widens it until it holds the weakest bound of each row, and
    /// so do the boxes that it prints.
    fn bounds_of(&self, variable: usize, later: &[[f64; 2]; VARIABLES]) -> [f64; 2] {
        let mut bounds = [0.0_f64, 1.0_f64];
        for row in self.systems[variable].iter().filter(|row| row.coefficients[variable] != 0.0) {
            let least: f64 = (variable + 1..VARIABLES)
                .map(|i| (row.coefficients[i], later[i]))
                .map(|(x, [min, max])| x * if x > 0.0 { min } else { max })
                .sum();
            let weakest = (row.bound - least) / row.coefficients[variable];
            bounds = [bounds[0].min(weakest), bounds[1].max(weakest)];
        }
        bounds
    }
}

/// The coordinates of a point of `b` in `a` (paper (5), (21)): the i-th is `coefficients` . (X, t) + `bound` of the i-th
/// row, with X the point's coordinates in `b` and t the time in units of the duration.
fn coordinates_in<const D: usize>(a: &Frame<D>, b: &Frame<D>, duration: f64) -> [Inequality; D] {
    let origin: [f64; D] = std::array::from_fn(|axis| b.origin[axis] - a.origin[axis]);
    let displacement = std::array::from_fn(|axis| (b.velocity[axis] - a.velocity[axis]) * duration);
    a.inverse().map(|inverse| {
        let mut coefficients = [0.0; VARIABLES];
        for (coefficient, column) in coefficients.iter_mut().zip(b.components.iter().chain([&displacement])) {
            *coefficient = dot(&inverse, column);
        }
        Inequality { coefficients, bound: dot(&inverse, &origin) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(x: f64, y: f64) -> Frame<2> {
        Frame::cuboid([x, y], [[1.0, 0.0], [0.0, 1.0]])
    }

    #[test]
    fn a_row_is_inconsistent_beyond_its_least_value() {
        let row = |bound| Inequality { coefficients: [-2.0, 3.0, -1.0, 0.0], bound };
        assert!(row(-3.1).is_inconsistent());
        assert!(!row(-3.0).is_inconsistent());
    }

    #[test]
    fn times_follow_the_duration() {
        let fast = square(-3.0, 0.0).with_velocity([4.0, 0.0]);
        let mut reference = ReferenceTest::new();
        let found = reference.test(&square(0.0, 0.0), &fast, Some(2.0)).unwrap();
        assert_eq!(found.times, [0.5, 1.0]);
        assert_eq!(reference.test(&square(0.0, 0.0), &fast, Some(0.4)), None);
        assert_eq!(reference.test(&square(0.0, 0.0), &fast, None), None);
    }

    #[test]
    fn the_world_box_holds_the_whole_motion() {
        let found = ReferenceBox { local: Aabb { min: [0.0, 0.5], max: [1.0, 1.0] }, times: [1.0, 2.0] };
        let frame = square(1.0, 1.0).with_velocity([1.0, -1.0]);
        assert_eq!(found.world(&frame), Aabb { min: [2.0, -0.5], max: [4.0, 1.0] });
    }

    #[test]
    fn an_answer_leaves_nothing_behind_for_the_next() {
        let mut used = ReferenceTest::new();
        for (x, y) in [(0.5, 0.5), (3.0, 0.0), (0.25, -0.5), (0.0, 1.5)] {
            let found = used.test(&square(0.0, 0.0), &square(x, y), None);
            assert_eq!(found, ReferenceTest::new().test(&square(0.0, 0.0), &square(x, y), None), "{x}, {y}");
        }
    }
}
