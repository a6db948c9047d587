//! Segments with a rounding radius: capsules.

use crate::error::Result;
use crate::geometry::Vec2;

/// Normals that lean by less than this angle, in radians, are those of the segment but for rounding, in single precision, too.
const LEANING: f64 = 1e-5;

/// All points within a radius of the segment between two points.
///
/// The segments of a chain have neighbours: the points at which the chain goes on beyond either end. Where it does, contacts
/// at the end have no normal that belongs to the neighbour, so that nothing catches on the joints of a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    ends: [Vec2; 2],
    radius: f64,
    normal: Vec2,
    previous: Option<Vec2>,
    next: Option<Vec2>,
}

impl Segment {
    /// The segment from `a` to `b`, which must differ by at least 1e-60 m, with a rounding radius that may be 0.
    pub fn new(a: Vec2, b: Vec2, radius: f64) -> Result<Self> {
        super::check_points("a", &[a])?;
        super::check_points("b", &[b])?;
        super::check_radius(radius)?;
        let along = b - a;
        super::check_extent("length", along.length())?;
        let normal = -along.normalized().perpendicular();
        Ok(Self { ends: [a, b], radius, normal, previous: None, next: None })
    }

    /// With the points of a chain before `a` and after `b`; `None` where the chain ends.
    pub fn with_neighbours(self, previous: Option<Vec2>, next: Option<Vec2>) -> Result<Self> {
        super::check_points("previous", previous.as_slice())?;
        super::check_points("next", next.as_slice())?;
        Ok(Self { previous, next, ..self })
    }

    /// The same segment with another rounding radius.
    pub fn with_radius(self, radius: f64) -> Result<Self> {
        super::check_radius(radius)?;
        Ok(Self { radius, ..self })
    }

    /// The first end.
    #[must_use]
    pub fn a(&self) -> Vec2 {
        self.ends[0]
    }

    /// The second end.
    #[must_use]
    pub fn b(&self) -> Vec2 {
        self.ends[1]
    }

    /// Both ends.
    #[must_use]
    pub fn ends(&self) -> &[Vec2; 2] {
        &self.ends
    }

    /// The unit normal to the right of the way from `a` to `b`.
    #[must_use]
    pub fn normal(&self) -> Vec2 {
        self.normal
    }

    /// The rounding radius, in metres.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The point of the chain before `a`.
    #[must_use]
    pub fn previous(&self) -> Option<Vec2> {
        self.previous
    }

    /// The point of the chain after `b`.
    #[must_use]
    pub fn next(&self) -> Option<Vec2> {
        self.next
    }

    /// Whether an outward unit normal belongs to a neighbour: it leans out over an end at which the chain goes on, and towards
    /// the neighbour there, which has a better normal for the same contact.
    pub(crate) fn hides(&self, normal: Vec2) -> bool {
        let along = self.normal.perpendicular();
        let leans = |end: Vec2, out: Vec2, neighbour: Option<Vec2>| {
            neighbour.is_some_and(|point| normal.dot(out) > LEANING && normal.dot(point - end) > 0.0)
        };
        leans(self.a(), -along, self.previous) || leans(self.b(), along, self.next)
    }

    /// The segment as a polygon without area, whose ends are edges of length 0: vertices, and normals of the edges after them.
    pub(crate) fn as_polygon(&self) -> ([Vec2; 4], [Vec2; 4]) {
        let ([a, b], normal) = (self.ends, self.normal);
        let along = normal.perpendicular();
        ([a, b, b, a], [normal, along, -normal, -along])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn normals_are_outward_and_counter_clockwise() {
        let segment = Segment::new(Vec2::ZERO, Vec2::new(2.0, 0.0), 0.5).unwrap();
        assert_eq!(segment.normal(), -Vec2::Y);
        let (vertices, normals) = segment.as_polygon();
        assert_eq!(vertices, [segment.a(), segment.b(), segment.b(), segment.a()]);
        assert_eq!(normals, [-Vec2::Y, Vec2::X, Vec2::Y, -Vec2::X]);
    }

    #[test]
    fn normals_of_neighbours_are_hidden() {
        let segment = Segment::new(Vec2::ZERO, Vec2::X, 0.0).unwrap();
        let leaning = Vec2::new(0.6, 0.8);
        let with_next = |x, y| segment.with_neighbours(None, Some(Vec2::new(x, y))).unwrap();
        assert!(!segment.hides(leaning), "it is alone");
        assert!(with_next(2.0, 0.0).hides(leaning) && with_next(2.0, 0.0).hides(Vec2::X));
        assert!(with_next(1.5, 1.0).hides(leaning), "in a corner");
        assert!(!with_next(1.5, -1.0).hides(leaning), "on a ridge");
        assert!(!with_next(2.0, 0.0).hides(Vec2::new(-0.6, 0.8)), "at the other end");
        assert!(!with_next(1.5, 1.0).hides(Vec2::Y), "its own normal");
        let with_previous = segment.with_neighbours(Some(-Vec2::X), None).unwrap();
        assert!(with_previous.hides(Vec2::new(-0.6, 0.8)) && !with_previous.hides(leaning));
    }

    #[test]
    fn bad_segments_are_refused() {
        let refused = |a, b, radius| Segment::new(a, b, radius).unwrap_err();
        assert_eq!(
            refused(Vec2::X, Vec2::X, 1.0),
            Error::OutOfRange { field: "length", value: 0.0, expected: "at least 1e-60" }
        );
        assert_eq!(
            refused(Vec2::X, Vec2::Y, -1.0),
            Error::Negative { field: "radius", index: 0, value: -1.0 }
        );
        assert!(matches!(
            refused(Vec2::X, Vec2::new(0.0, f64::NAN), 1.0),
            Error::NotFinite { field: "b", index: 0, .. }
        ));
        assert!(matches!(refused(Vec2::new(1e70, 0.0), Vec2::X, 1.0), Error::OutOfRange { field: "a", .. }));
        let segment = Segment::new(Vec2::X, Vec2::Y, 0.0).unwrap();
        assert!(segment.with_neighbours(Some(Vec2::new(f64::NAN, 0.0)), None).is_err());
        let chained = segment.with_neighbours(None, Some(Vec2::ZERO)).unwrap();
        assert_eq!((chained.previous(), chained.next()), (None, Some(Vec2::ZERO)));
    }
}
