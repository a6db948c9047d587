//! Definitions of shapes, shared by all spaces that are made from one prototype.

use crate::error::{Error, Result};
use crate::geometry::{Aabb, Pose, Vec2};
use crate::rigid2d::shapes::outline::{LEAST_TURN_F32, MOST_VERTICES, Outline, least_turn};
use crate::rigid2d::shapes::{Geometry, Material};
use crate::soa::block::{LANES32, Real};

/// A shape as the engine uses it. Coordinates are those of the body, from its centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    /// Vertices of the core: one of a circle, two of a segment.
    pub(crate) core: Box<[Vec2]>,
    /// Rounding radius, in metres.
    pub(crate) radius: f64,
    /// Distance of the farthest vertex of the core from the centre of mass, in metres.
    pub(crate) swing: f64,
    /// Number of vertices as the lanes count them: a segment is a polygon of four. What the lanes cannot take has more than they
    /// can have.
    pub(crate) vertices: usize,
    /// Number of its outline; none if it has too many vertices or too flat corners for the lanes.
    pub(crate) outline: Option<u32>,
    pub(crate) material: Material,
    /// The form in the coordinates of the body, and its centre of mass there.
    pub(crate) geometry: Geometry,
    pub(crate) centre_of_mass: Vec2,
}

impl Definition {
    /// The mean of the vertices, which is inside the shape.
    pub(crate) fn middle(&self) -> Vec2 {
        let share = 1.0 / self.core.len() as f64;
        self.core.iter().fold(Vec2::ZERO, |sum, &vertex| sum + vertex * share)
    }

    /// Half of the least width of the shape, in metres; of a polygon, the distance of the nearest edge from its middle.
    pub(crate) fn thickness(&self) -> f64 {
        let count = self.core.len();
        if count < 3 {
            return self.radius;
        }
        let middle = self.middle();
        let distance = |n: usize| {
            let (from, to) = (self.core[n], self.core[(n + 1) % count]);
            (middle - from).cross((from - to).normalized())
        };
        (0..count).map(distance).fold(f64::INFINITY, f64::min) + self.radius
    }

    /// The box around the shape at a pose of its body's centre of mass.
    pub(crate) fn bounding_box(&self, pose: Pose) -> Aabb<2> {
        let mut aabb = Aabb::EMPTY;
        self.core.iter().for_each(|&vertex| aabb.include(&pose.point(vertex).into()));
        aabb.expanded(self.radius)
    }
}

/// Whether a polygon has a corner that is too flat for the lanes in this precision.
fn is_too_flat<R: Real>(geometry: &Geometry) -> bool {
    let Geometry::Polygon(polygon) = geometry else { return false };
    R::COUNT == LANES32 && least_turn(polygon.normals()) < LEAST_TURN_F32
}

/// All definitions of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Library<R: Real> {
    pub(crate) definitions: Vec<Definition>,
    /// Shapes as the lanes read them. Equal ones are there once.
    pub(crate) outlines: Vec<Outline<R>>,
    /// Per outline its first vertex, which is the centre of a circle, and the rounding radius: `[x, y, radius, 0]`, in metres.
    pub(crate) discs: Vec<[R; 4]>,
    /// The outlines in double precision.
    pub(crate) exact: Vec<Outline<f64>>,
    /// Definitions that are not used.
    free: Vec<u32>,
}

impl<R: Real> Library<R> {
    pub(crate) fn new() -> Self {
        Self {
            definitions: Vec::new(),
            outlines: Vec::new(),
            discs: Vec::new(),
            exact: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Adds a definition and returns its number.
    pub(crate) fn add(
        &mut self,
        geometry: Geometry,
        material: Material,
        centre_of_mass: Vec2,
    ) -> Result<u32> {
        let bytes = size_of::<Definition>() + size_of::<Outline<f64>>();
        let failed = |_| Error::OutOfMemory { bytes };
        self.definitions.try_reserve(1).map_err(failed)?;
        self.free.try_reserve(self.definitions.len() + 1).map_err(failed)?;
        let definition = self.define(geometry, material, centre_of_mass)?;
        match self.free.pop() {
            Some(number) => {
                self.definitions[number as usize] = definition;
                Ok(number)
            }
            None => {
                self.definitions.push(definition);
                Ok(self.definitions.len() as u32 - 1)
            }
        }
    }

    /// Makes the number of a definition free.
    pub(crate) fn remove(&mut self, number: u32) {
        self.free.push(number);
    }

    /// Appends another library and returns the numbers of its first definition and of its first outline.
    pub(crate) fn append(&mut self, other: &Self) -> Result<[u32; 2]> {
        let first = [self.definitions.len() as u32, self.outlines.len() as u32];
        let failed = |_| Error::OutOfMemory { bytes: other.definitions.len() * size_of::<Definition>() };
        self.definitions.try_reserve(other.definitions.len()).map_err(failed)?;
        self.outlines.try_reserve(other.outlines.len()).map_err(failed)?;
        self.exact.try_reserve(other.exact.len()).map_err(failed)?;
        self.discs.try_reserve(other.discs.len()).map_err(failed)?;
        let moved = |definition: &Definition| Definition {
            outline: definition.outline.map(|outline| outline + first[1]),
            ..definition.clone()
        };
        self.definitions.extend(other.definitions.iter().map(moved));
        self.outlines.extend_from_slice(&other.outlines);
        self.exact.extend_from_slice(&other.exact);
        self.discs.extend_from_slice(&other.discs);
        Ok(first)
    }

    fn define(&mut self, geometry: Geometry, material: Material, centre_of_mass: Vec2) -> Result<Definition> {
        let outline = match geometry.outline(centre_of_mass) {
            Some(outline) if !is_too_flat::<R>(&geometry) => Some(self.outline(outline, geometry.radius())?),
            _ => None,
        };
        let core: Box<[Vec2]> = geometry.vertices().iter().map(|&vertex| vertex - centre_of_mass).collect();
        let swing = core.iter().map(|vertex| vertex.length()).fold(0.0, f64::max);
        Ok(Definition {
            core,
            swing,
            radius: geometry.radius(),
            vertices: if outline.is_some() { geometry.outline_vertices() } else { MOST_VERTICES + 1 },
            outline,
            material,
            geometry,
            centre_of_mass,
        })
    }

    /// The number of an outline: of the same one among the last few, or of a new one.
    fn outline(&mut self, outline: Outline<f64>, radius: f64) -> Result<u32> {
        /// How many outlines are compared; equal shapes are mostly made one after the other.
        const COMPARED: usize = 8;
        let first = self.exact.len().saturating_sub(COMPARED);
        let radius = R::nearest(radius);
        if let Some(n) =
            (first..self.exact.len()).rev().find(|&n| self.exact[n] == outline && self.discs[n][2] == radius)
        {
            return Ok(n as u32);
        }
        let failed = |_| Error::OutOfMemory { bytes: size_of::<Outline<f64>>() };
        self.exact.try_reserve(1).map_err(failed)?;
        self.outlines.try_reserve(1).map_err(failed)?;
        self.discs.try_reserve(1).map_err(failed)?;
        let narrow = |numbers: [f64; 8]| numbers.map(R::nearest);
        self.outlines.push(Outline {
            x: narrow(outline.x),
            y: narrow(outline.y),
            normal_x: narrow(outline.normal_x),
            normal_y: narrow(outline.normal_y),
        });
        self.exact.push(outline);
        self.discs.push([R::nearest(outline.x[0]), R::nearest(outline.y[0]), radius, R::nearest(0.0)]);
        Ok(self.exact.len() as u32 - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_flat_corners_stay_out_of_the_lanes_in_single_precision() {
        let roof = |height: f64| {
            let corners = [[-1.0, 0.0], [0.0, -height], [1.0, 0.0], [0.0, 1.0]].map(Vec2::from);
            Geometry::convex_polygon(&corners, 0.0).unwrap()
        };
        let vertices = |geometry: Geometry| {
            let of = |geometry| (geometry, Material::default(), Vec2::ZERO);
            let (a, b, c) = of(geometry);
            let (mut double, mut single) = (Library::<f64>::new(), Library::<f32>::new());
            let double = double.define(a.clone(), b, c).unwrap();
            let single = single.define(a, b, c).unwrap();
            [double, single].map(|definition| (definition.vertices, definition.outline.is_some()))
        };
        assert_eq!(vertices(roof(0.1)), [(4, true); 2]);
        assert_eq!(vertices(roof(1e-3)), [(4, true), (9, false)]);
        assert_eq!(vertices(roof(1e-8)), [(4, true), (9, false)]);
        assert_eq!(vertices(Geometry::rectangle(1.0, 1e-6, 0.0).unwrap()), [(4, true); 2]);
    }
}
