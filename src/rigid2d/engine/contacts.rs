//! Manifolds of pairs: kept while bodies hardly move relative to each other, made anew otherwise.

use std::marker::PhantomData;

use super::library::Library;
use super::pairs::{Class, flag, row};
use super::recycle::{FindPoses, FindStale};
use super::settings::StepSettings;
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::geometry::Vec2;
use crate::rigid2d::narrow::lanes::{
    CircleAndPolygon, Circles, Collide, Manifolds, PairInput, PointColumns, Polygons,
};
use crate::rigid2d::narrow::{general, manifold};
use crate::rigid2d::solver::constraints::ABSENT;
use crate::soa::Column;
use crate::soa::block::Real;
use crate::soa::level;

/// Displacement of one body relative to the other below which a manifold with points is kept, in metres, and in parts of
/// the smaller extent.
const KEPT: f64 = 0.05;
const KEPT_SHARE: f64 = 0.1;

/// Share of the smaller extent up to which shapes are kept in the solver while they are apart.
const MARGIN_SHARE: f64 = 0.1;

/// Pairs whose manifolds are made at once: their columns fit into the first cache.
const CHUNK: usize = 128;

/// Memory of the narrow phase.
#[derive(Debug, Clone)]
pub(crate) struct Scratch<R: Real> {
    /// Slots of pairs whose manifold is made anew.
    pub(crate) stale: Vec<u32>,
    /// Slots of pairs that may begin or cease to touch.
    candidates: Vec<u32>,
    /// Slots of a chunk, in whole blocks.
    slots: Column<u32>,
    /// Outlines of a chunk.
    outlines: [Column<u32>; 2],
    /// `[x, y, cos, sin, margin]` of a chunk.
    input: [Column<R>; 5],
    /// The normal, and of each point both places and the separation.
    output: [Column<R>; 12],
    ids: Column<u32>,
    counts: Column<u8>,
}

impl<R: Real> Scratch<R> {
    pub(crate) fn new() -> Self {
        let zero = R::nearest(0.0);
        Self {
            stale: Vec::new(),
            candidates: Vec::new(),
            slots: Column::new(0),
            outlines: [Column::new(0), Column::new(0)],
            input: [(); 5].map(|()| Column::new(zero)),
            output: [(); 12].map(|()| Column::new(zero)),
            ids: Column::new(0),
            counts: Column::new(0),
        }
    }

    /// Makes room for a chunk.
    fn resize(&mut self) -> Result<()> {
        let zero = R::nearest(0.0);
        self.slots.resize(CHUNK, 0)?;
        self.outlines.iter_mut().try_for_each(|column| column.resize(CHUNK, 0))?;
        self.input.iter_mut().try_for_each(|column| column.resize(CHUNK, zero))?;
        self.output.iter_mut().try_for_each(|column| column.resize(CHUNK, zero))?;
        self.ids.resize(CHUNK, 0)?;
        self.counts.resize(CHUNK, 0)
    }

    /// Computes the manifolds of the first `len` pairs, which is a whole number of blocks.
    fn collide(&mut self, class: Class, library: &Library<R>, len: usize) {
        let [x, y, cos, sin, margin] = &self.input;
        let [shape_a, shape_b] = &self.outlines;
        let input = PairInput {
            outlines: &library.outlines,
            radii: &library.radii,
            shape_a: &shape_a.as_slice()[..len],
            shape_b: &shape_b.as_slice()[..len],
            x: &x.as_slice()[..len],
            y: &y.as_slice()[..len],
            cos: &cos.as_slice()[..len],
            sin: &sin.as_slice()[..len],
            margin: &margin.as_slice()[..len],
        };
        let mut columns = self.output.each_mut().map(|column| &mut column.as_mut_slice()[..len]).into_iter();
        let mut next = || columns.next().expect("twelve columns");
        let (normal_x, normal_y) = (next(), next());
        let points = [(); 2].map(|()| PointColumns {
            a_x: next(),
            a_y: next(),
            b_x: next(),
            b_y: next(),
            separation: next(),
        });
        let (ids, count) = (&mut self.ids.as_mut_slice()[..len], &mut self.counts.as_mut_slice()[..len]);
        let output = Manifolds { normal_x, normal_y, points, ids, count };
        match class {
            Class::Circles => level::run(Collide { input, output, class: PhantomData::<Circles> }),
            Class::CircleFour => {
                level::run(Collide { input, output, class: PhantomData::<CircleAndPolygon<4>> });
            }
            Class::CircleEight => {
                level::run(Collide { input, output, class: PhantomData::<CircleAndPolygon<8>> });
            }
            Class::Fours => level::run(Collide { input, output, class: PhantomData::<Polygons<4>> }),
            Class::Eights => level::run(Collide { input, output, class: PhantomData::<Polygons<8>> }),
            Class::General => unreachable!("not in the lanes"),
        }
    }
}

impl<R: Real> Tile<R> {
    /// Makes manifolds anew where they may have changed, and finds what has begun or ceased to touch.
    pub(crate) fn update_manifolds(&mut self, step: &Step<'_, R>) -> Result<()> {
        self.scratch.resize()?;
        self.scratch.candidates.clear();
        for class in Class::ALL {
            let all = std::mem::take(&mut self.pairs.lists[class as usize]);
            if class.is_recycled() {
                self.find_stale(&all);
                let stale = std::mem::take(&mut self.scratch.stale);
                self.make_all(class, &stale, step);
                self.scratch.stale = stale;
            } else {
                self.make_all(class, &all, step);
            }
            self.pairs.lists[class as usize] = all;
        }
        self.find_begun(step);
        let pairs = &self.pairs;
        self.begun.sort_unstable_by_key(|&slot| pairs.key(slot));
        self.ended.sort_unstable();
        Ok(())
    }

    fn find_stale(&mut self, slots: &[u32]) {
        let Scratch { stale, candidates: waiting, .. } = &mut self.scratch;
        stale.clear();
        let poses = self.poses.as_slice().as_chunks().0;
        level::run(FindStale { pairs: &self.pairs, poses, slots, stale, waiting });
    }

    fn make_all(&mut self, class: Class, slots: &[u32], step: &Step<'_, R>) {
        if class == Class::General {
            slots.iter().for_each(|&slot| self.make_general(slot, step));
        } else {
            slots.chunks(CHUNK).for_each(|slots| self.make_manifolds(class, slots, step));
        }
    }

    /// Makes the manifolds of a chunk of pairs of one class.
    fn make_manifolds(&mut self, class: Class, slots: &[u32], step: &Step<'_, R>) {
        let len = slots.len().next_multiple_of(R::COUNT);
        for n in 0..len {
            let slot = slots[n.min(slots.len() - 1)];
            let head = &self.pairs.heads[slot as usize];
            let reach = if head.restitution > 0.0 { reach(step, head.bodies) } else { 0.0 };
            let scratch = &mut self.scratch;
            scratch.slots.as_mut_slice()[n] = slot;
            scratch.outlines[0].as_mut_slice()[n] = head.outlines[0];
            scratch.outlines[1].as_mut_slice()[n] = head.outlines[1];
            scratch.input[4].as_mut_slice()[n] = R::nearest(f64::from(head.margin) + reach);
        }
        let Scratch { slots: padded, input: [x, y, cos, sin, _], .. } = &mut self.scratch;
        level::run(FindPoses {
            pairs: &self.pairs,
            poses: self.poses.as_slice().as_chunks().0,
            slots: &padded.as_slice()[..len],
            columns: [x, y, cos, sin].map(|column| &mut column.as_mut_slice()[..len]),
        });
        self.scratch.collide(class, step.library, len);
        for (n, &slot) in slots.iter().enumerate() {
            self.keep(slot as usize, n);
        }
    }

    /// Makes the manifold of a pair that is too large for the lanes.
    fn make_general(&mut self, slot: u32, step: &Step<'_, R>) {
        let head = self.pairs.heads[slot as usize];
        let pose = {
            let [a, b] = head.bodies.map(|body| step.bodies.pose(body as usize));
            a.relative(b)
        };
        let reach = if head.restitution > 0.0 { reach(step, head.bodies) } else { 0.0 };
        let definitions = head
            .shapes
            .map(|shape| &step.library.definitions[self.shapes[shape as usize].definition as usize]);
        let pair = manifold::Pair {
            pose,
            radii: definitions.map(|definition| definition.radius),
            margin: f64::from(head.margin) + reach,
        };
        let made = general::manifold(&definitions[0].core, &definitions[1].core, &pair);
        let scratch = &mut self.scratch;
        let numbers = [pose.position.x, pose.position.y, pose.rotation.cos, pose.rotation.sin];
        for (column, number) in scratch.input.iter_mut().zip(numbers) {
            column.as_mut_slice()[0] = R::nearest(number);
        }
        let points = made.points.map(|point| [point.a.x, point.a.y, point.b.x, point.b.y, point.separation]);
        let numbers = [made.normal.x, made.normal.y].into_iter().chain(points.into_iter().flatten());
        for (column, number) in scratch.output.iter_mut().zip(numbers) {
            column.as_mut_slice()[0] = R::nearest(number);
        }
        scratch.ids.as_mut_slice()[0] = u32::from(made.points[0].id) | u32::from(made.points[1].id) << 16;
        scratch.counts.as_mut_slice()[0] = made.count;
        self.keep(slot as usize, 0);
    }

    /// Stores the manifold that is at a place of the chunk; points that were there before keep their impulses.
    #[inline]
    fn keep(&mut self, slot: usize, at: usize) {
        let Scratch { input, output, ids, counts, candidates, .. } = &mut self.scratch;
        let (ids, count) = (ids.as_slice()[at], counts.as_slice()[at]);
        let head = &mut self.pairs.heads[slot];
        let (old_ids, old_count) = (head.ids, head.count);
        (head.ids, head.count) = (ids, count);
        if (count > 0) != (head.flags & flag::ACTIVE != 0) {
            candidates.push(slot as u32);
        }
        let limit = if count > 0 { head.kept } else { 0.9 * head.margin };
        let has_one_point = head.class.has_one_point();
        let number = |column: usize| output[column].as_slice()[at];
        let (zero, absent) = (R::nearest(0.0), R::nearest(ABSENT));
        let rows = &mut self.pairs.rows_mut()[row::COUNT * slot..row::COUNT * (slot + 1)];
        let [_, _, old_1, old_2] = rows[row::NORMAL];
        let impulse = |is_there: bool, id: u16| match () {
            () if !is_there => zero,
            () if old_count > 0 && id == old_ids as u16 => old_1,
            () if old_count > 1 && id == (old_ids >> 16) as u16 => old_2,
            () => zero,
        };
        let impulses = [impulse(count > 0, ids as u16), impulse(count > 1, (ids >> 16) as u16)];
        rows[row::NORMAL] = [number(0), number(1), impulses[0], impulses[1]];
        rows[row::POINT[0]] = [number(2), number(3), number(4), number(5)];
        if count != old_count {
            let [friction, tangent, _, _] = rows[row::TRAITS];
            let tangent = if count > 0 { tangent } else { zero };
            let offset = |is_there: bool| if is_there { zero } else { absent };
            rows[row::TRAITS] = [friction, tangent, offset(count > 0), offset(count > 1)];
        }
        if has_one_point {
            return;
        }
        rows[row::POINT[1]] =
            if count > 1 { [number(7), number(8), number(9), number(10)] } else { rows[row::POINT[0]] };
        rows[row::POSE] = [0, 1, 2, 3].map(|column: usize| input[column].as_slice()[at]);
        self.pairs.kept.as_mut_slice()[slot] = R::nearest(f64::from(limit * limit));
    }

    /// Pairs that touch or will do so in this step become active, those without a manifold cease to be.
    fn find_begun(&mut self, step: &Step<'_, R>) {
        for n in 0..self.scratch.candidates.len() {
            let slot = self.scratch.candidates[n];
            let head = self.pairs.heads[slot as usize];
            if head.count == 0 {
                self.deactivate(slot);
            } else if self.will_touch(slot as usize, step) {
                self.pairs.heads[slot as usize].flags |= flag::ACTIVE;
                self.begun.push(slot);
            }
        }
    }

    fn deactivate(&mut self, slot: u32) {
        if self.pairs.heads[slot as usize].flags & flag::SOLVED != 0 {
            self.colours.remove(&mut self.pairs, slot);
        }
        self.pairs.heads[slot as usize].flags &= !(flag::ACTIVE | flag::IGNORED);
        self.ended.push(self.pairs.key(slot));
        self.note_parted(self.pairs.heads[slot as usize].bodies);
    }

    /// Whether one of the points touches, or will do so in this step.
    fn will_touch(&self, slot: usize, step: &Step<'_, R>) -> bool {
        let head = &self.pairs.heads[slot];
        let rows = &self.pairs.rows()[row::COUNT * slot..row::COUNT * (slot + 1)];
        let poses = head.bodies.map(|body| step.bodies.pose(body as usize));
        let normal = poses[0].rotation.turn(vec2(&rows[row::NORMAL]));
        (0..usize::from(head.count)).any(|point| {
            let anchors = rows[row::POINT[point]];
            let locals = [vec2(&anchors), vec2(&[anchors[2], anchors[3], anchors[2], anchors[3]])];
            let velocity = |which: usize| {
                let body = head.bodies[which] as usize;
                let [ax, ay, _] = self.accelerate(step, body);
                let [vx, vy, w] = step.bodies.velocity(body);
                let arm = poses[which].rotation.turn(locals[which]);
                Vec2::new(vx + ax * step.dt, vy + ay * step.dt) + arm.perpendicular() * w
            };
            let approach = (velocity(1) - velocity(0)).dot(normal);
            let separation = (poses[1].position - poses[0].position + poses[1].rotation.turn(locals[1])
                - poses[0].rotation.turn(locals[0]))
            .dot(normal);
            separation + approach.min(0.0) * step.dt <= 0.0
        })
    }
}

/// The first two of four numbers.
pub(crate) fn vec2<R: Real>(row: &[R; 4]) -> Vec2 {
    Vec2::new(row[0].widen(), row[1].widen())
}

/// How far two bodies come closer in a step, at most, in metres.
fn reach<R: Real>(step: &Step<'_, R>, bodies: [u32; 2]) -> f64 {
    let [a, b] = bodies.map(|body| step.bodies.velocity(body as usize));
    let [turn_a, turn_b] = bodies
        .map(|body| (step.bodies.angular_velocity[body as usize] * step.bodies.extent[body as usize]).abs());
    (Vec2::new(b[0] - a[0], b[1] - a[1]).length() + turn_a.min(1e9) + turn_b.min(1e9)) * step.dt
}

/// How far apart the shapes of two bodies may be to have a manifold, and how far one may move relative to the other while a
/// manifold is kept; in metres, given the smaller extent.
pub(crate) fn margins(settings: &StepSettings, extent: f64) -> [f64; 2] {
    [(MARGIN_SHARE * extent).min(settings.margin), (KEPT_SHARE * extent).min(KEPT)]
}
