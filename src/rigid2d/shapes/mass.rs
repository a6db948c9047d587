//! Area, centroid and moment of rounded shapes, exact and with the same bits on every machine.

use std::f64::consts::PI;

use super::{Geometry, Segment};
use crate::geometry::{Vec2, angle};

/// How the mass of a shape of uniform density is distributed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// The area, in square metres.
    pub area: f64,
    /// The centre of mass, in the coordinates of the body, in metres.
    pub centroid: Vec2,
    /// The moment of inertia about the centroid per unit of mass, in square metres.
    pub moment_per_mass: f64,
}

impl MassProperties {
    /// The moment of inertia of this mass about a point, in kg m^2 (Steiner's theorem).
    #[must_use]
    pub fn moment(&self, mass: f64, about: Vec2) -> f64 {
        let arm = self.centroid - about;
        mass * (self.moment_per_mass + arm.dot(arm))
    }

    fn of_circle(radius: f64, centre: Vec2) -> Self {
        Self { area: PI * radius * radius, centroid: centre, moment_per_mass: 0.5 * radius * radius }
    }

    fn of_segment(segment: &Segment) -> Self {
        let (radius, length) = (segment.radius(), segment.a().distance(segment.b()));
        // A rectangle and two half discs; all divided by the radius, so that a rod is the limit.
        let area = 2.0 * length + PI * radius;
        let rectangle = length * (length * length + 4.0 * radius * radius) / 6.0;
        let discs =
            radius * (PI * (0.5 * radius * radius + 0.25 * length * length) + length * radius * (4.0 / 3.0));
        Self {
            area: radius * area,
            centroid: segment.a().lerp(segment.b(), 0.5),
            moment_per_mass: (rectangle + discs) / area,
        }
    }

    /// Those of a convex polygon with these vertices, normals and rounding radius.
    pub(super) fn of_polygon(vertices: &[Vec2], normals: &[Vec2], radius: f64) -> Self {
        let near = vertices[0];
        let rough = Moments::of(vertices, normals, radius, near);
        let centroid = near + rough.first * (1.0 / rough.area);
        // Once more about the centroid, so that nothing large is subtracted.
        let moments = Moments::of(vertices, normals, radius, centroid);
        Self {
            area: moments.area,
            centroid: centroid + moments.first * (1.0 / moments.area),
            moment_per_mass: moments.second / moments.area,
        }
    }
}

/// Integrals over a shape.
struct Moments {
    /// Of 1.
    area: f64,
    /// Of the vector from the origin.
    first: Vec2,
    /// Of its square.
    second: f64,
}

impl Moments {
    /// The integrals over a rounded polygon about a point: of the core, of a rectangle on every edge, and of a sector of a
    /// disc at every vertex.
    fn of(vertices: &[Vec2], normals: &[Vec2], r: f64, origin: Vec2) -> Self {
        let mut sum = Self { area: 0.0, first: Vec2::ZERO, second: 0.0 };
        let mut before = normals[normals.len() - 1];
        for (i, (&vertex, &normal)) in vertices.iter().zip(normals).enumerate() {
            let (a, b) = (vertex - origin, *vertices.get(i + 1).unwrap_or(&vertices[0]) - origin);
            sum.add_triangle(a, b);
            // Without a radius the rest adds 0.
            if r > 0.0 {
                sum.add_rectangle(a, b, normal, r);
                sum.add_sector(a, [before, normal], r);
                before = normal;
            }
        }
        sum
    }

    /// The triangle between the origin and an edge, negative if the edge is clockwise about the origin.
    fn add_triangle(&mut self, a: Vec2, b: Vec2) {
        let twice = a.cross(b);
        self.area += 0.5 * twice;
        self.first += (a + b) * (twice * (1.0 / 6.0));
        self.second += twice * (a.dot(a) + a.dot(b) + b.dot(b)) * (1.0 / 12.0);
    }

    fn add_rectangle(&mut self, a: Vec2, b: Vec2, normal: Vec2, r: f64) {
        let length = a.distance(b);
        let area = length * r;
        let centre = a.lerp(b, 0.5) + normal * (0.5 * r);
        self.area += area;
        self.first += centre * area;
        self.second += area * ((length * length + r * r) * (1.0 / 12.0) + centre.dot(centre));
    }

    /// The sector of a disc around a vertex between two normals.
    fn add_sector(&mut self, vertex: Vec2, [from, to]: [Vec2; 2], r: f64) {
        let turn = angle::angle_of(from.dot(to), from.cross(to));
        let area = 0.5 * r * r * turn;
        // The integral of the unit vector over the angle needs no angle.
        let own = Vec2::new(to.y - from.y, from.x - to.x) * (r * r * r * (1.0 / 3.0));
        self.area += area;
        self.first += vertex * area + own;
        self.second += area * (0.5 * r * r + vertex.dot(vertex)) + 2.0 * vertex.dot(own);
    }
}

impl Geometry {
    /// Area, centroid and moment of the whole shape, rounding included.
    #[must_use]
    pub fn mass_properties(&self) -> MassProperties {
        match self {
            Self::Circle(circle) => MassProperties::of_circle(circle.radius(), circle.offset()),
            Self::Segment(segment) => MassProperties::of_segment(segment),
            Self::Polygon(polygon) => polygon.mass_properties(),
        }
    }

    /// The area, rounding included, in square metres.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.mass_properties().area
    }

    /// The centroid of the whole shape, in metres.
    #[must_use]
    pub fn centroid(&self) -> Vec2 {
        self.mass_properties().centroid
    }

    /// The moment of inertia about a point of a body of this shape and mass, in kg m^2.
    #[must_use]
    pub fn moment(&self, mass: f64, about: Vec2) -> f64 {
        self.mass_properties().moment(mass, about)
    }

    /// The area between two circles with the same centre, in square metres.
    #[must_use]
    pub fn ring_area(inner: f64, outer: f64) -> f64 {
        PI * (outer + inner) * (outer - inner).abs()
    }

    /// The moment of inertia about the origin of a ring of this mass between two circles around `centre`, in kg m^2.
    #[must_use]
    pub fn ring_moment(mass: f64, inner: f64, outer: f64, centre: Vec2) -> f64 {
        mass * (0.5 * (inner * inner + outer * outer) + centre.dot(centre))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Affine, Pose, Rotation};

    /// Integrates over rows that are cut exactly: the shape is the points with a signed distance of at most 0.
    fn integrate(geometry: &Geometry) -> MassProperties {
        let at_rest = Pose::default();
        let bounds = geometry.bounding_box(at_rest);
        let distance = |x: f64, y: f64| geometry.nearest(at_rest, Vec2::new(x, y)).distance;
        let rows = 4000;
        let step = (bounds.max[1] - bounds.min[1]) / f64::from(rows);
        let [mut area, mut x_sum, mut y_sum, mut squares] = [0.0; 4];
        for row in 0..rows {
            let y = bounds.min[1] + (f64::from(row) + 0.5) * step;
            // The distance along a row is convex: golden section finds its least, bisection the ends.
            let inside = least(|x| distance(x, y), bounds.min[0], bounds.max[0]);
            if distance(inside, y) > 0.0 {
                continue;
            }
            let left = bisect(|x| distance(x, y), inside, bounds.min[0] - 1e-3);
            let right = bisect(|x| distance(x, y), inside, bounds.max[0] + 1e-3);
            area += step * (right - left);
            x_sum += step * (right * right - left * left) / 2.0;
            y_sum += step * (right - left) * y;
            squares +=
                step * ((right.powi(3) - left.powi(3)) / 3.0 + (right - left) * (y * y + step * step / 12.0));
        }
        let centroid = Vec2::new(x_sum, y_sum) * (1.0 / area);
        MassProperties { area, centroid, moment_per_mass: squares / area - centroid.dot(centroid) }
    }

    fn least(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
        for _ in 0..60 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if f(a) <= f(b) { high = b } else { low = a }
        }
        0.5 * (low + high)
    }

    fn bisect(f: impl Fn(f64) -> f64, mut inside: f64, mut outside: f64) -> f64 {
        for _ in 0..50 {
            let middle = 0.5 * (inside + outside);
            if f(middle) <= 0.0 { inside = middle } else { outside = middle }
        }
        inside
    }

    fn assert_near(a: &MassProperties, b: &MassProperties, tolerance: f64) {
        assert!((a.area - b.area).abs() <= tolerance * a.area.abs(), "{a:?} {b:?}");
        assert!(a.centroid.distance(b.centroid) <= tolerance, "{a:?} {b:?}");
        assert!(
            (a.moment_per_mass - b.moment_per_mass).abs() <= tolerance * a.moment_per_mass,
            "{a:?} {b:?}"
        );
    }

    fn skewed() -> Vec<Vec2> {
        [[0.0, 0.0], [3.0, -0.5], [3.5, 1.0], [1.0, 2.0], [-0.5, 1.5]].map(Vec2::from).to_vec()
    }

    #[test]
    fn rounded_shapes_match_numerical_integration() {
        for geometry in [
            Geometry::circle(0.7, Vec2::new(1.0, 2.0)).unwrap(),
            Geometry::segment(Vec2::new(-1.0, 0.3), Vec2::new(2.0, 1.0), 0.4).unwrap(),
            Geometry::polygon(&skewed(), 0.0).unwrap(),
            Geometry::polygon(&skewed(), 0.6).unwrap(),
            Geometry::polygon(&[Vec2::ZERO, Vec2::new(4.0, 0.0), Vec2::new(4.0, 0.1)], 0.05).unwrap(),
            Geometry::rectangle(2.0, 1.0, 0.3).unwrap(),
        ] {
            assert_near(&geometry.mass_properties(), &integrate(&geometry), 3e-5);
        }
    }

    #[test]
    fn formulas_of_textbooks() {
        let rectangle = Geometry::rectangle(3.0, 2.0, 0.0).unwrap();
        assert_eq!(rectangle.area(), 6.0);
        assert!((rectangle.moment(5.0, Vec2::ZERO) - 5.0 * 13.0 / 12.0).abs() < 1e-14);
        let rounded = Geometry::rectangle(3.0, 2.0, 0.5).unwrap();
        assert!((rounded.area() - (6.0 + 10.0 * 0.5 + PI * 0.25)).abs() < 1e-14);
        assert!(rounded.centroid().length() < 1e-15);
        let rod = Geometry::segment(Vec2::ZERO, Vec2::new(3.0, 4.0), 0.0).unwrap();
        assert_eq!((rod.area(), rod.centroid()), (0.0, Vec2::new(1.5, 2.0)));
        assert!((rod.moment(2.0, Vec2::ZERO) - 2.0 * 25.0 / 3.0).abs() < 1e-13);
        let circle = Geometry::circle(2.0, Vec2::new(3.0, 4.0)).unwrap();
        assert_eq!(circle.moment(2.0, Vec2::ZERO), 54.0);
        assert_eq!(circle.moment(2.0, Vec2::ZERO), Geometry::ring_moment(2.0, 0.0, 2.0, Vec2::new(3.0, 4.0)));
        assert_eq!(circle.area(), Geometry::ring_area(0.0, 2.0));
        assert!((Geometry::ring_area(1.0, 2.0) - 3.0 * PI).abs() < 1e-14);
    }

    #[test]
    fn a_thin_rounded_polygon_is_a_capsule() {
        let (a, b) = (Vec2::new(1.0, 1.0), Vec2::new(4.0, 5.0));
        let side = Vec2::new(4.0, -3.0) * 1e-8;
        let thin = Geometry::polygon(&[a - side, b, a + side], 0.7).unwrap();
        let capsule = Geometry::segment(a, b, 0.7).unwrap();
        assert_near(&thin.mass_properties(), &capsule.mass_properties(), 1e-7);
    }

    #[test]
    fn a_moved_shape_has_the_same_moment() {
        let here = Geometry::polygon(&skewed(), 0.25).unwrap().mass_properties();
        let pose = Pose { position: Vec2::new(1e6, -1e6), rotation: Rotation::from_angle(2.0) };
        let there = Geometry::polygon_under(&skewed(), &Affine::rigid(pose), 0.25).unwrap().mass_properties();
        assert!((here.area - there.area).abs() < 1e-8);
        assert!((here.moment_per_mass - there.moment_per_mass).abs() < 1e-8);
        assert!(pose.point(here.centroid).distance(there.centroid) < 1e-8);
        // Steiner: about any other point the moment is larger by the square of the distance.
        let (about, mass) = (Vec2::new(-7.0, 2.0), 3.0);
        let arm = about.distance(here.centroid);
        assert!(
            (here.moment(mass, about) - (here.moment(mass, here.centroid) + mass * arm * arm)).abs() < 1e-12
        );
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = Geometry::rectangle(4.0, 2.0, 0.0).unwrap().mass_properties();
        let part = |x: f64| {
            let sides = crate::geometry::Aabb { min: [x, -1.0], max: [x + 2.0, 1.0] };
            Geometry::rectangle_from(&sides, 0.0).unwrap().moment(0.5, Vec2::ZERO)
        };
        assert!((whole.moment(1.0, Vec2::ZERO) - part(-2.0) - part(0.0)).abs() < 1e-14);
    }
}
