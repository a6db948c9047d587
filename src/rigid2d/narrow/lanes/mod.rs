//! The narrow phase in lanes, one pair of shapes per lane: [`Collide`] with one of the classes [`Circles`],
//! [`CircleAndPolygon`] and [`Polygons`]. The results in `f64` are those of the scalar twins, to the bit.

mod columns;
mod edges;
mod polygons;
mod round;
#[cfg(test)]
mod tests;
mod vector;

pub(crate) use columns::{Collide, Manifolds, PairInput, PointColumns};
pub(crate) use polygons::Polygons;
pub(crate) use round::{CircleAndPolygon, Circles};
