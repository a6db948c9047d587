//! Frames as shapes of parry, the geometry library of the Rapier engine.

use carom::{Frame, FrameKind};

use super::pairs::DURATION;

/// A pair of frames, made into shapes beforehand.
pub(crate) trait Rival<const D: usize>: Sized {
    /// The pair as shapes.
    fn new(pair: &[Frame<D>; 2]) -> Self;

    /// Whether the shapes overlap where they are.
    fn overlap(&self) -> bool;

    /// Whether the shapes collide during their motion.
    fn collide(&self) -> bool;
}

macro_rules! rival {
    ($name:ident, $parry:ident, $dim:literal, $shape:ident) => {
        /// Two shapes, where they are and how they move.
        pub(crate) struct $name {
            shapes: [Box<dyn $parry::shape::Shape>; 2],
            poses: [$parry::math::Pose; 2],
            velocities: [$parry::math::Vector; 2],
        }

        impl Rival<$dim> for $name {
            fn new(pair: &[Frame<$dim>; 2]) -> Self {
                let vector = |values: [f64; $dim]| $parry::math::Vector::from(values);
                Self {
                    shapes: pair.each_ref().map($shape),
                    poses: pair.map(|frame| $parry::math::Pose::from_translation(vector(frame.origin))),
                    velocities: pair.map(|frame| vector(frame.velocity)),
                }
            }

            fn overlap(&self) -> bool {
                let ([a, b], [at, bt]) = (&self.shapes, &self.poses);
                $parry::query::intersection_test(at, &**a, bt, &**b).expect("known shapes").intersecting
            }

            fn collide(&self) -> bool {
                let ([a, b], [at, bt], [av, bv]) = (&self.shapes, &self.poses, self.velocities);
                let options = $parry::query::ShapeCastOptions {
                    max_time_of_impact: DURATION,
                    target_distance: 0.0,
                    stop_at_penetration: true,
                    compute_impact_geometry_on_penetration: false,
                };
                let hit = $parry::query::cast_shapes(at, av, &**a, bt, bv, &**b, options);
                hit.expect("known shapes").is_some()
            }
        }
    };
}

rival!(InPlane, parry2d_f64, 2, flat_shape);
rival!(InSpace, parry3d_f64, 3, solid_shape);

/// The vertices relative to the origin of the frame.
fn vertices<const D: usize>(frame: &Frame<D>) -> Vec<[f64; D]> {
    Frame { origin: [0.0; D], ..*frame }.vertices().collect()
}

fn flat_shape(frame: &Frame<2>) -> Box<dyn parry2d_f64::shape::Shape> {
    use parry2d_f64::shape::{ConvexPolygon, Triangle};
    let points: Vec<_> = vertices(frame).into_iter().map(parry2d_f64::math::Vector::from).collect();
    match (frame.kind, &points[..]) {
        (FrameKind::Tetrahedron, &[a, b, c]) => Box::new(Triangle::new(a, b, c)),
        _ => Box::new(ConvexPolygon::from_convex_hull(&points).expect("a parallelogram with an area")),
    }
}

fn solid_shape(frame: &Frame<3>) -> Box<dyn parry3d_f64::shape::Shape> {
    let points: Vec<_> = vertices(frame).into_iter().map(parry3d_f64::math::Vector::from).collect();
    let hull = parry3d_f64::shape::ConvexPolyhedron::from_convex_hull(&points);
    Box::new(hull.expect("a solid with a volume"))
}
