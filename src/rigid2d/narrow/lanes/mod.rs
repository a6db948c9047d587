//! The narrow phase in lanes, one pair of shapes per lane, for each of the classes [`Circles`], [`CircleAndPolygon`] and
//! [`Polygons`]. The results in `f64` are those of the scalar twins, to the bit.

mod blocks;
#[cfg(test)]
mod columns;
mod edges;
#[cfg(test)]
mod oracle;
mod polygons;
mod round;
#[cfg(test)]
mod tests;
mod vector;

pub(crate) use blocks::{BlockOfPairs, Class, Shapes};
pub(crate) use polygons::Polygons;
pub(crate) use round::{CircleAndPolygon, Circles};
pub(crate) use vector::Vector;
