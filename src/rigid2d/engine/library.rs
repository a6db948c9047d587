//! Definitions of shapes, shared by all spaces that are made from one prototype.

use super::growth::{bytes_of, reserve_row};
use super::reuse::Reuse;
use crate::error::{Error, Result};
use crate::geometry::{Aabb, Pose, Vec2};
use crate::rigid2d::shapes::outline::{LEAST_TURN_F32, MOST_VERTICES, Outline, least_turn};
use crate::rigid2d::shapes::{Geometry, Material};
use crate::soa::block::{LANES32, Real};

/// A shape as the engine uses it. Coordinates are those of the body, from its centre of mass.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Definition {
    /// Vertices of the core, unless they are those of the form because the centre of mass is at the origin.
    moved_core: Option<Box<[Vec2]>>,
    /// Rounding radius, in metres.
    pub(crate) radius: f64,
    /// Distance of the farthest vertex of the core from the centre of mass, in metres.
    pub(crate) swing: f64,
    /// Number of vertices as the lanes count them: a segment is a polygon of four. What the lanes cannot take has more than they
    /// can have.
    pub(crate) vertices: usize,
    /// Number of its outline, or of the circle that it is; none if it has too many vertices or too flat corners for the lanes.
    pub(crate) outline: Option<u32>,
    pub(crate) material: Material,
    /// The form in the coordinates of the body, and its centre of mass there.
    pub(crate) geometry: Geometry,
    pub(crate) centre_of_mass: Vec2,
}

impl Definition {
    /// Vertices of the core: one of a circle, two of a segment.
    #[inline]
    pub(crate) fn core(&self) -> &[Vec2] {
        match &self.moved_core {
            Some(core) => core,
            None => self.geometry.vertices(),
        }
    }

    /// Bytes of memory that its vertices have outside of it.
    fn vertex_bytes(&self) -> usize {
        let moved = self.moved_core.as_ref().map_or(0, |core| size_of_val::<[Vec2]>(core));
        let Geometry::Polygon(polygon) = &self.geometry else { return moved };
        moved + size_of_val(polygon.vertices()) + size_of_val(polygon.normals())
    }

    /// Whether it is a circle.
    pub(crate) fn is_round(&self) -> bool {
        matches!(self.geometry, Geometry::Circle(_))
    }

    /// The mean of the vertices, which is inside the shape.
    pub(crate) fn middle(&self) -> Vec2 {
        let share = 1.0 / self.core().len() as f64;
        self.core().iter().fold(Vec2::ZERO, |sum, &vertex| sum + vertex * share)
    }

    /// Half of the least width of the shape, in metres; of a polygon, the distance of the nearest edge from its middle.
    pub(crate) fn thickness(&self) -> f64 {
        let core = self.core();
        if core.len() < 3 {
            return self.radius;
        }
        let middle = self.middle();
        let distance = |n: usize| {
            let (from, to) = (core[n], *core.get(n + 1).unwrap_or(&core[0]));
            (middle - from).cross((from - to).normalized())
        };
        (0..core.len()).map(distance).fold(f64::INFINITY, f64::min) + self.radius
    }

    /// How far a point is in front of the face that it is farthest in front of; no more than its distance from the core.
    pub(crate) fn distance_of_faces(&self, point: Vec2) -> f64 {
        self.geometry.as_polygon(|vertices, normals| {
            let faces = vertices.iter().zip(normals);
            let distances =
                faces.map(|(&vertex, &normal)| (point - (vertex - self.centre_of_mass)).dot(normal));
            if normals.is_empty() { 0.0 } else { distances.fold(f64::NEG_INFINITY, f64::max) }
        })
    }

    /// The outline in double precision; none if it has too many vertices.
    pub(crate) fn exact_outline(&self) -> Option<Outline<f64>> {
        self.geometry.outline(self.centre_of_mass)
    }

    /// The box around the shape at a pose of its body's centre of mass.
    pub(crate) fn bounding_box(&self, pose: Pose) -> Aabb<2> {
        let mut aabb = Aabb::EMPTY;
        self.core().iter().for_each(|&vertex| aabb.include(&pose.point(vertex).into()));
        aabb.expanded(self.radius)
    }
}

/// Whether a polygon has a corner that is too flat for the lanes in this precision.
fn is_too_flat<R: Real>(geometry: &Geometry) -> bool {
    let Geometry::Polygon(polygon) = geometry else { return false };
    R::COUNT == LANES32 && least_turn(polygon.normals()) < LEAST_TURN_F32
}

/// Where the shapes of a prototype start in a library.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Start {
    pub(crate) definition: u32,
    pub(crate) outline: u32,
    pub(crate) circle: u32,
}

impl Start {
    /// The number of the first outline, or of the first circle.
    pub(crate) fn of(self, is_round: bool) -> u32 {
        if is_round { self.circle } else { self.outline }
    }
}

/// All definitions of a batch.
#[derive(Debug, Clone)]
pub(crate) struct Library<R: Real> {
    pub(crate) definitions: Vec<Definition>,
    /// Segments and polygons as the lanes read them. Equal ones that were added one after the other are there once.
    pub(crate) outlines: Vec<Outline<R>>,
    /// Per outline its first vertex and the rounding radius: `[x, y, radius, 0]`, in metres.
    pub(crate) discs: Vec<[R; 4]>,
    /// Circles as the lanes read them: `[x, y, radius, 0]`, in metres.
    pub(crate) circles: Vec<[R; 4]>,
    /// Which outlines and which circles are used.
    uses: [Reuse; 2],
    /// Definitions that are not used.
    free: Vec<u32>,
}

impl<R: Real> Library<R> {
    pub(crate) fn new() -> Self {
        Self {
            definitions: Vec::new(),
            outlines: Vec::new(),
            discs: Vec::new(),
            circles: Vec::new(),
            uses: Default::default(),
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
        reserve_row(&mut self.definitions)?;
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

    /// Bytes of memory held, vertices included.
    pub(crate) fn memory_bytes(&self) -> usize {
        let vertices = self.definitions.iter().map(Definition::vertex_bytes).sum::<usize>();
        vertices
            + bytes_of(&self.definitions)
            + bytes_of(&self.outlines)
            + bytes_of(&self.discs)
            + bytes_of(&self.circles)
            + bytes_of(&self.free)
            + self.uses.iter().map(Reuse::memory_bytes).sum::<usize>()
    }

    /// Makes the number of a definition free, and that of its outline if no other has it.
    pub(crate) fn remove(&mut self, number: u32) {
        let is_counted = self.count_uses().is_ok();
        let definition = &mut self.definitions[number as usize];
        let is_round = definition.is_round();
        if let Some(outline) = definition.outline.take().filter(|_| is_counted) {
            self.uses[usize::from(is_round)].give_back(outline);
        }
        // Without memory for the list the number is not used again.
        if reserve_row(&mut self.free).is_ok() {
            self.free.push(number);
        }
    }

    /// Counts which outlines and circles are used, unless that is known.
    fn count_uses(&mut self) -> Result<()> {
        let Self { definitions, outlines, circles, uses: [of_outlines, of_circles], .. } = self;
        let used = |is_round: bool| {
            let those = definitions.iter().filter(move |definition| definition.is_round() == is_round);
            those.filter_map(|definition| definition.outline)
        };
        of_outlines.count(outlines.len(), used(false))?;
        of_circles.count(circles.len(), used(true))
    }

    /// Appends another library and returns where it starts.
    pub(crate) fn append(&mut self, other: &Self) -> Result<Start> {
        let first = Start {
            definition: self.definitions.len() as u32,
            outline: self.outlines.len() as u32,
            circle: self.circles.len() as u32,
        };
        let failed = |_| Error::OutOfMemory { bytes: other.definitions.len() * size_of::<Definition>() };
        self.definitions.try_reserve(other.definitions.len()).map_err(failed)?;
        self.outlines.try_reserve(other.outlines.len()).map_err(failed)?;
        self.circles.try_reserve(other.circles.len()).map_err(failed)?;
        self.discs.try_reserve(other.discs.len()).map_err(failed)?;
        let moved = |definition: &Definition| Definition {
            outline: definition.outline.map(|number| number + first.of(definition.is_round())),
            ..definition.clone()
        };
        // They are counted anew if something is removed.
        self.uses = Default::default();
        self.definitions.extend(other.definitions.iter().map(moved));
        self.outlines.extend_from_slice(&other.outlines);
        self.circles.extend_from_slice(&other.circles);
        self.discs.extend_from_slice(&other.discs);
        Ok(first)
    }

    fn define(&mut self, geometry: Geometry, material: Material, centre_of_mass: Vec2) -> Result<Definition> {
        let outline = match &geometry {
            Geometry::Circle(circle) => {
                Some(self.circle(disc(circle.offset() - centre_of_mass, circle.radius()))?)
            }
            _ => match geometry.outline(centre_of_mass) {
                Some(outline) if !is_too_flat::<R>(&geometry) => {
                    Some(self.outline(&outline, geometry.radius())?)
                }
                _ => None,
            },
        };
        // What is subtracted is 0, and not -0.
        let is_at_origin = [centre_of_mass.x, centre_of_mass.y].map(f64::to_bits) == [0; 2];
        let moved = || geometry.vertices().iter().map(|&vertex| vertex - centre_of_mass);
        let swing = moved().map(Vec2::length).fold(0.0, f64::max);
        Ok(Definition {
            moved_core: if is_at_origin { None } else { Some(moved().collect()) },
            swing,
            radius: geometry.radius(),
            vertices: if outline.is_some() { geometry.outline_vertices() } else { MOST_VERTICES + 1 },
            outline,
            material,
            geometry,
            centre_of_mass,
        })
    }

    /// The number of a circle: of the same one among the last few, or of a new one.
    fn circle(&mut self, circle: [R; 4]) -> Result<u32> {
        let (rows, uses) = (self.circles.len(), &mut self.uses[1]);
        if let Some(number) = uses.find(rows, |n| self.circles[n] == circle) {
            return Ok(number);
        }
        reserve_row(&mut self.circles)?;
        let row = uses.take(rows)?;
        put(&mut self.circles, row, circle);
        Ok(row as u32)
    }

    /// The number of an outline: of the same one among the last few, or of a new one.
    fn outline(&mut self, outline: &Outline<f64>, radius: f64) -> Result<u32> {
        let narrow = |numbers: [f64; 8]| numbers.map(R::nearest);
        let disc = disc(Vec2::new(outline.x[0], outline.y[0]), radius);
        let outline = Outline {
            x: narrow(outline.x),
            y: narrow(outline.y),
            normal_x: narrow(outline.normal_x),
            normal_y: narrow(outline.normal_y),
        };
        let (rows, uses) = (self.outlines.len(), &mut self.uses[0]);
        let same = |n: usize| self.discs[n] == disc && self.outlines[n] == outline;
        if let Some(number) = uses.find(rows, same) {
            return Ok(number);
        }
        reserve_row(&mut self.outlines)?;
        reserve_row(&mut self.discs)?;
        let row = uses.take(rows)?;
        put(&mut self.outlines, row, outline);
        put(&mut self.discs, row, disc);
        Ok(row as u32)
    }
}

/// Replaces a row, or appends it if it is the next; there is room for it.
fn put<T>(rows: &mut Vec<T>, row: usize, value: T) {
    match rows.get_mut(row) {
        Some(place) => *place = value,
        None => rows.push(value),
    }
}

/// A point and a radius as the lanes read them.
fn disc<R: Real>(place: Vec2, radius: f64) -> [R; 4] {
    [place.x, place.y, radius, 0.0].map(R::nearest)
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

    #[test]
    fn outlines_that_are_no_longer_used_are_given_again() {
        let mut library = Library::<f64>::new();
        let add = |library: &mut Library<f64>, size: u32, is_round: bool| {
            let size = f64::from(size);
            let round = Geometry::circle(0.5 * size, Vec2::ZERO).unwrap();
            let geometry = if is_round { round } else { Geometry::rectangle(size, 1.0, 0.0).unwrap() };
            library.add(geometry, Material::default(), Vec2::ZERO).unwrap()
        };
        let size = |library: &Library<f64>, outline: usize| 2.0 * library.discs[outline][0].abs();
        let kept = [1, 2, 1, 1].map(|size| add(&mut library, size, false));
        let outlines =
            |library: &Library<f64>| kept.map(|n| library.definitions[n as usize].outline.unwrap());
        assert_eq!(outlines(&library), [0, 1, 0, 0], "equal ones are there once");
        for n in 3..100_003 {
            let numbers = [false, true].map(|is_round| add(&mut library, n, is_round));
            assert_eq!((size(&library, 2), 2.0 * library.circles[0][2]), (f64::from(n), f64::from(n)));
            numbers.iter().for_each(|&number| library.remove(number));
        }
        let rows =
            |library: &Library<f64>| (library.outlines.len(), library.discs.len(), library.circles.len());
        assert_eq!((rows(&library), library.definitions.len()), ((3, 3, 1), 6));
        assert_eq!(outlines(&library), [0, 1, 0, 0]);
        assert_eq!([0, 1].map(|outline| size(&library, outline)), [1.0, 2.0]);
        kept.iter().for_each(|&number| library.remove(number));
        let again = [4, 5, 5, 6].map(|size| add(&mut library, size, false));
        assert_eq!(again.map(|n| library.definitions[n as usize].outline.unwrap()), [0, 1, 1, 2]);
        assert_eq!(rows(&library), (3, 3, 1));
    }
}
