//! Circles against circles and polygons.

use super::blocks::{BlockOfPairs, Class, Touch, TouchPoint};
use super::edges::clearance;
use super::vector::Vector;
use crate::rigid2d::narrow::manifold::LEAST_DISTANCE_SQUARED;
use crate::soa::block::Lanes;

/// Two circles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circles;

impl Class for Circles {
    const POINTS: usize = 1;
    const IS_ROUND: [bool; 2] = [true, true];

    #[inline(always)]
    fn touch<L: Lanes>(pairs: &BlockOfPairs<'_, L>) -> Touch<L> {
        let ([radius_a, radius_b], centre_a, centre_b) = (pairs.radii, pairs.centre_a(), pairs.centre_b());
        let way = pairs.pose.point(centre_b) - centre_a;
        let squared = way.dot(way);
        let distance = squared.sqrt();
        let apart = L::splat(LEAST_DISTANCE_SQUARED).lt(squared);
        let any = Vector { x: L::ONE, y: L::ZERO };
        let normal = Vector::select(apart, way * (L::ONE / distance), any);
        let separation = distance - (radius_a + radius_b);
        let at_a = centre_a + normal * radius_a;
        let at_b = centre_b - pairs.pose.turn_back(normal) * radius_b;
        one_point(normal, at_a, at_b, separation, pairs.margin)
    }
}

/// A circle, which is A, and a polygon of at most `N` vertices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CircleAndPolygon<const N: usize>;

impl<const N: usize> Class for CircleAndPolygon<N> {
    const POINTS: usize = 1;
    const IS_ROUND: [bool; 2] = [true, false];

    #[inline(always)]
    fn touch<L: Lanes>(pairs: &BlockOfPairs<'_, L>) -> Touch<L> {
        let ([radius_a, radius_b], centre) = (pairs.radii, pairs.centre_a());
        let [vertices, normals] = pairs.polygon_b::<N>();
        let point = pairs.pose.local(centre);
        let mut face_separation = normals[0].dot(point) - normals[0].dot(vertices[0]);
        let [mut start, mut end, mut face_normal] = [vertices[0], vertices[1], normals[0]];
        for i in 1..N {
            let separation = normals[i].dot(point) - normals[i].dot(vertices[i]);
            let better = face_separation.lt(separation);
            face_separation = better.select(separation, face_separation);
            start = Vector::select(better, vertices[i], start);
            end = Vector::select(better, vertices[(i + 1) % N], end);
            face_normal = Vector::select(better, normals[i], face_normal);
        }
        let tangent = face_normal.perpendicular();
        let place = (point - start).dot(tangent);
        let beyond = (-place).max(place - (end - start).dot(tangent));
        let clear = (pairs.pose.position.size() + centre.size()) * clearance();
        let is_corner = L::ZERO.lt(face_separation) & clear.lt(beyond);

        let corner = Vector::select(place.lt(L::ZERO), start, end);
        let way = point - corner;
        let distance = way.dot(way).sqrt();
        let outward = Vector::select(is_corner, way * (L::ONE / distance), face_normal);
        let foot = Vector::select(is_corner, corner, point - face_normal * face_separation);
        let distance = is_corner.select(distance, face_separation);

        let normal = -pairs.pose.turn(outward);
        let separation = distance - (radius_a + radius_b);
        one_point(normal, centre + normal * radius_a, foot + outward * radius_b, separation, pairs.margin)
    }
}

/// The manifolds of round shapes: their only point has the id 0.
#[inline(always)]
fn one_point<L: Lanes>(normal: Vector<L>, a: Vector<L>, b: Vector<L>, separation: L, margin: L) -> Touch<L> {
    let first = TouchPoint { a, b, separation, id: L::ZERO, present: separation.le(margin) };
    Touch { normal, points: [first, TouchPoint { present: L::ZERO, ..first }], apart: separation }
}
