//! Polygons against polygons; segments are polygons, too.

use super::blocks::{BlockOfPairs, Class, Touch};
use super::edges::Edges;
use super::vector::Vector;
use crate::rigid2d::narrow::manifold::PREFERENCE;
use crate::soa::block::Lanes;

/// Two polygons of at most `N` vertices each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Polygons<const N: usize>;

impl<const N: usize> Class for Polygons<N> {
    const POINTS: usize = 2;
    const IS_ROUND: [bool; 2] = [false, false];

    #[inline(always)]
    fn touch<L: Lanes>(pairs: &BlockOfPairs<'_, L>) -> Touch<L> {
        let [vertices, normals] = pairs.polygon_a::<N>();
        let a = Polygon { vertices, normals };
        let [mut vertices, mut normals] = pairs.polygon_b::<N>();
        for i in 0..N {
            vertices[i] = pairs.pose.point(vertices[i]);
            normals[i] = pairs.pose.turn(normals[i]);
        }
        let b = Polygon { vertices, normals };

        let (best_a, best_b) = (a.best_normal(&b), b.best_normal(&a));
        let overlap = best_a.separation.max(best_b.separation).le(L::ZERO);
        let preference = (pairs.margin * L::splat(PREFERENCE)) & overlap;
        let b_is_reference = (best_a.separation + preference).lt(best_b.separation);
        let separation = b_is_reference.select(best_b.separation, best_a.separation);
        let normal = Vector::select(b_is_reference, best_b.normal, best_a.normal);
        let edge_a = a.edges(b_is_reference.select(a.facing(normal), best_a.edge));
        let edge_b = b.edges(b_is_reference.select(best_b.edge, b.facing(normal)));
        pairs.of_edges(&edge_a, &edge_b, b_is_reference, separation)
    }
}

/// A polygon per lane, in the frame of A.
struct Polygon<L, const N: usize> {
    vertices: [Vector<L>; N],
    normals: [Vector<L>; N],
}

/// The edge along whose normal the other polygon is farthest away.
struct Best<L> {
    /// Its number.
    edge: L,
    normal: Vector<L>,
    separation: L,
}

impl<L: Lanes, const N: usize> Polygon<L, N> {
    #[inline(always)]
    fn best_normal(&self, other: &Self) -> Best<L> {
        let separation = self.separation_along(0, other);
        let mut best = Best { edge: L::ZERO, normal: self.normals[0], separation };
        for i in 1..N {
            let separation = self.separation_along(i, other);
            let better = best.separation.lt(separation);
            best.edge = better.select(L::splat(i as f64), best.edge);
            best.normal = Vector::select(better, self.normals[i], best.normal);
            best.separation = better.select(separation, best.separation);
        }
        best
    }

    #[inline(always)]
    fn separation_along(&self, i: usize, other: &Self) -> L {
        let normal = self.normals[i];
        let mut least = normal.dot(other.vertices[0]);
        for j in 1..N {
            least = normal.dot(other.vertices[j]).min(least);
        }
        least - normal.dot(self.vertices[i])
    }

    /// The number of the edge whose normal is most opposed to this one. The length of the sum of both normals tells edges
    /// apart whose cosines are equal but for rounding.
    #[inline(always)]
    fn facing(&self, normal: Vector<L>) -> L {
        let (mut edge, mut least) = (L::ZERO, (normal + self.normals[0]).squared());
        for i in 1..N {
            let sum = (normal + self.normals[i]).squared();
            let better = sum.lt(least);
            edge = better.select(L::splat(i as f64), edge);
            least = better.select(sum, least);
        }
        edge
    }

    /// The edges with these numbers.
    #[inline(always)]
    fn edges(&self, numbers: L) -> Edges<L> {
        let [mut start, mut end, mut normal] = [self.vertices[0], self.vertices[1], self.normals[0]];
        for i in 1..N {
            let this = numbers.equals(L::splat(i as f64));
            start = Vector::select(this, self.vertices[i], start);
            end = Vector::select(this, self.vertices[(i + 1) % N], end);
            normal = Vector::select(this, self.normals[i], normal);
        }
        // The last edge ends at vertex 0, which is also what follows the last vertex as padding.
        let last = end.equals(self.vertices[0]);
        Edges { start, end, normal, vertices: [numbers, last.select(L::ZERO, numbers + L::ONE)] }
    }
}
