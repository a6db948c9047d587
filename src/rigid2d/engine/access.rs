//! What a space reads and changes in its engine between the stages of a step.

use std::sync::Arc;

use super::Engine;
use super::bodies::{BodiesMut, Byte, Kind, Number, flag as body_flag};
use super::boxes::NO_SHAPE;
use super::contacts::ALWAYS;
use super::library::Definition;
use super::mixing::PairMaterial;
use super::pairs::{Pair, flag, row};
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::geometry::{Pose, Vec2};
use crate::rigid2d::shapes::{Geometry, Material};
use crate::soa::block::Real;

/// The contact of a pair as it is now, in world coordinates, from the first to the second body of the pair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Touch {
    pub(crate) normal: Vec2,
    /// Per point, on the surfaces of both shapes.
    pub(crate) points: [[Vec2; 2]; 2],
    /// Sums of the impulses of a step along the normal, per point, in newton seconds; those of contacts that no handler sees
    /// are those of the last substep, as often as there are substeps.
    pub(crate) impulses: [f64; 2],
    /// Sum of the impulses of a step along the tangent, which is the normal turned left.
    pub(crate) tangent_impulse: f64,
    pub(crate) count: usize,
}

impl<R: Real> Engine<R> {
    pub(super) fn parts(&mut self, dt: f64) -> (&mut Tile<R>, Step<'_, R>) {
        let Self { bodies, tile, library, settings } = self;
        let forced = bodies.forced;
        let (bodies, version) = bodies.for_step();
        (tile, Step { bodies, library, settings, dt, version, forced })
    }

    /// The definition of a shape.
    pub(crate) fn definition(&self, shape: u32) -> &Definition {
        &self.library.definitions[self.tile.shapes[shape as usize].definition as usize]
    }

    /// Adds a shape and returns its row.
    pub(crate) fn add_shape(
        &mut self,
        body: u32,
        geometry: Geometry,
        material: Material,
        centre_of_mass: Vec2,
    ) -> Result<u32> {
        let library = Arc::make_mut(&mut self.library);
        let number = library.add(geometry, material, centre_of_mass)?;
        let added = self.tile.add_shape(body, number);
        if added.is_err() {
            library.remove(number);
        } else {
            self.update_extent(body);
        }
        added
    }

    /// Removes a shape; its pairs end.
    pub(crate) fn remove_shape(&mut self, shape: u32) {
        let row = self.tile.shapes[shape as usize];
        self.tile.remove_shape(shape);
        Arc::make_mut(&mut self.library).remove(row.definition);
        self.update_extent(row.body);
    }

    /// Gives shapes of a body other forms, and all of them another centre of mass of the body. Either all change or none.
    pub(crate) fn redefine(
        &mut self,
        body: u32,
        shapes: &[u32],
        changed: Option<(u32, &Geometry)>,
        centre_of_mass: Vec2,
    ) -> Result<()> {
        let mut numbers = Vec::with_capacity(shapes.len());
        for &shape in shapes {
            let old = self.definition(shape);
            let (geometry, material) = match changed {
                Some((other, geometry)) if other == shape => (geometry.clone(), old.material),
                _ => (old.geometry.clone(), old.material),
            };
            let library = Arc::make_mut(&mut self.library);
            match library.add(geometry, material, centre_of_mass) {
                Ok(number) => numbers.push(number),
                Err(error) => {
                    numbers.iter().for_each(|&number| library.remove(number));
                    return Err(error);
                }
            }
        }
        let library = Arc::make_mut(&mut self.library);
        for (&shape, number) in shapes.iter().zip(numbers) {
            library.remove(std::mem::replace(&mut self.tile.shapes[shape as usize].definition, number));
        }
        self.update_extent(body);
        self.tile.reindex(body);
        Ok(())
    }

    /// Gives a shape another material.
    pub(crate) fn set_material(&mut self, shape: u32, material: Material) {
        let number = self.tile.shapes[shape as usize].definition as usize;
        Arc::make_mut(&mut self.library).definitions[number].material = material;
        self.update_materials(|pair| pair.shapes.contains(&shape));
    }

    /// Gives contacts what their shapes give now.
    pub(crate) fn update_materials(&mut self, concerned: impl Fn(&Pair) -> bool) {
        let (tile, step) = self.parts(0.0);
        for slot in 0..tile.pairs.slots() {
            if concerned(&tile.pairs.heads[slot]) {
                tile.update_material(&step, slot);
            }
        }
    }

    /// What the contact of a pair has.
    pub(crate) fn pair_material(&self, slot: u32) -> PairMaterial {
        self.tile.pair_material(&self.library, &self.settings, slot as usize)
    }

    /// Sets what the contact of a pair has, for this step.
    pub(crate) fn override_material(&mut self, slot: u32, material: &PairMaterial) {
        self.tile.override_material(slot, material);
    }

    fn update_extent(&mut self, body: u32) {
        let (mut extent, mut thickness): (f64, f64) = (0.0, f64::INFINITY);
        let mut shape = self.tile.boxes.first_shape[body as usize];
        while shape != NO_SHAPE {
            let definition = self.definition(shape);
            extent = extent.max(definition.swing + definition.radius);
            thickness = thickness.min(definition.thickness());
            shape = self.tile.boxes.next_shape[shape as usize];
        }
        self.bodies.set(body as usize, [(Number::extent, extent), (Number::thickness, thickness)]);
    }

    /// Makes pairs anew after a change of what they depend on: forms, filters, sensors or kinds of bodies. Those that touched
    /// stay active; those that may not exist any more end, and the keys of the active ones among them are returned.
    pub(crate) fn renew_pairs(&mut self, concerned: impl Fn(&Pair) -> bool) -> Result<Vec<[u32; 2]>> {
        let (tile, step) = self.parts(0.0);
        let mut ended = Vec::new();
        for slot in 0..tile.pairs.slots() {
            let head = tile.pairs.heads[slot];
            if head.flags & flag::ALIVE == 0 || !concerned(&head) {
                continue;
            }
            let key = tile.pairs.key(slot as u32);
            if head.flags & flag::SOLVED != 0 {
                tile.colours.remove(&mut tile.pairs, slot as u32);
            }
            tile.pairs.heads[slot].flags &= !flag::ACTIVE;
            tile.end_pair(slot as u32);
            tile.add_pair(key, &step)?;
            let was_active = head.flags & flag::ACTIVE != 0;
            match tile.pairs.find(key) {
                Some(slot) => {
                    let kept = flag::ACTIVE | flag::IGNORED | flag::WATCHED;
                    tile.pairs.heads[slot as usize].flags |= head.flags & kept;
                    tile.resume(slot);
                }
                None if was_active => ended.push(key),
                None => {}
            }
        }
        Ok(ended)
    }

    /// The contact of a pair.
    pub(crate) fn touch(&self, slot: u32) -> Touch {
        let head = &self.tile.pairs.heads[slot as usize];
        let rows = self.tile.rows_of(slot);
        let poses = self.poses(slot);
        let [x, y, impulse_1, impulse_2] = rows[row::NORMAL].map(R::widen);
        let mut touch = Touch { count: usize::from(head.count), ..Touch::default() };
        if touch.count == 0 {
            return touch;
        }
        touch.normal = poses[0].rotation.turn(Vec2::new(x, y));
        let [first, second, tangent] = self.tile.totals.get(slot).unwrap_or_else(|| {
            let parts = self.settings.parts();
            [impulse_1, impulse_2, rows[row::TRAITS][1].widen()].map(|impulse| parts * impulse)
        });
        touch.tangent_impulse = tangent;
        for point in 0..touch.count {
            let [ax, ay, bx, by] = rows[row::POINT[point]].map(R::widen);
            touch.points[point] = [poses[0].point(Vec2::new(ax, ay)), poses[1].point(Vec2::new(bx, by))];
            touch.impulses[point] = [first, second][point];
        }
        touch
    }

    /// Gives the contact of a pair another normal and other points, for this step; impulses stay.
    pub(crate) fn set_touch(&mut self, slot: u32, touch: &Touch) {
        let poses = self.poses(slot);
        let normal = poses[0].rotation.turn_back(touch.normal);
        let rows = self.tile.rows_of_mut(slot);
        rows[row::NORMAL][0] = R::nearest(normal.x);
        rows[row::NORMAL][1] = R::nearest(normal.y);
        for (point, &[a, b]) in touch.points[..touch.count].iter().enumerate() {
            let [a, b] = [poses[0].local(a), poses[1].local(b)];
            rows[row::POINT[point]] = [a.x, a.y, b.x, b.y].map(R::nearest);
        }
        // The manifold is made anew in the next step.
        self.tile.pairs.heads[slot as usize].limit = ALWAYS;
    }

    /// Poses of the centres of mass of a pair's bodies.
    fn poses(&self, slot: u32) -> [Pose; 2] {
        self.tile.pairs.heads[slot as usize].bodies.map(|body| self.bodies.pose(body as usize))
    }

    /// Reads the poses of bodies again, after some were moved between the halves of a step.
    pub(crate) fn reload_poses(&mut self) -> Result<()> {
        let (tile, step) = self.parts(0.0);
        tile.load_poses(&step)
    }

    /// Wakes a body and what it touches. What is not dynamic does not sleep, and wakes what lies on it.
    pub(crate) fn wake(&mut self, body: u32) {
        let row = body as usize;
        self.bodies.set(row, [(Number::rest_time, 0.0)]);
        let (flags, kind) = (self.bodies.flags()[row], self.bodies.kind(row));
        if flags & body_flag::ASLEEP != 0 {
            self.bodies.set_byte(row, Byte::flags, flags & !body_flag::ASLEEP);
            self.tile.request_wake(body);
        } else if kind != Kind::Dynamic && kind != Kind::None {
            self.tile.wake_neighbours(body, &self.bodies.as_mut());
        }
    }

    /// Lets a body and all that it touches, directly or through others, rest until something wakes them.
    pub(crate) fn sleep(&mut self, body: u32) {
        let (tile, step) = self.parts(0.0);
        let island = tile.island(body, &step.bodies);
        for body in island {
            let row = body as usize;
            step.bodies.flags[row] |= body_flag::ASLEEP;
            (step.bodies.velocity_x[row], step.bodies.velocity_y[row]) = (0.0, 0.0);
            step.bodies.angular_velocity[row] = 0.0;
        }
        for slot in 0..tile.pairs.slots() {
            let head = tile.pairs.heads[slot];
            let rests = head.bodies.iter().all(|&body| !step.bodies.is_awake(body as usize));
            if head.flags & flag::SOLVED != 0 && rests {
                tile.colours.remove(&mut tile.pairs, slot as u32);
            }
        }
        self.bodies.version += 1;
    }

    /// Whether a step would change nothing.
    pub(crate) fn is_idle(&self) -> bool {
        self.tile.idle == Some(self.bodies.version)
    }
}

impl<R: Real> Tile<R> {
    /// Acceleration of a body whose velocity is integrated by the caller, as it was set last.
    pub(crate) fn own_acceleration(&self, body: usize) -> [f64; 3] {
        let place = self.own_accelerations.binary_search_by_key(&(body as u32), |entry| entry.0);
        place.map_or([0.0; 3], |place| self.own_accelerations[place].1)
    }

    /// Leaves the contact of a pair out of the solver, in this step or until it is resumed.
    pub(crate) fn skip(&mut self, slot: u32) {
        if self.pairs.heads[slot as usize].flags & flag::SOLVED != 0 {
            self.colours.remove(&mut self.pairs, slot);
        }
        if let Some(place) = self.place_among_begun(slot) {
            self.begun.remove(place);
        }
        let zero = R::nearest(0.0);
        let rows = self.rows_of_mut(slot);
        (rows[row::NORMAL][2], rows[row::NORMAL][3], rows[row::TRAITS][1]) = (zero, zero, zero);
    }

    /// Where a pair is among those that began to touch in the last step, which are sorted.
    pub(crate) fn place_among_begun(&self, slot: u32) -> Option<usize> {
        let key = self.pairs.key(slot);
        self.begun.binary_search_by_key(&key, |&begun| self.pairs.key(begun)).ok()
    }

    /// Has the contact of a pair solved, if it is one that is.
    pub(crate) fn resume(&mut self, slot: u32) {
        let flags = self.pairs.heads[slot as usize].flags;
        if flags & flag::ACTIVE != 0 && flags & (flag::SENSOR | flag::IGNORED | flag::SOLVED) == 0 {
            self.colours.resize(self.boxes.first_shape.len());
            self.colours.add(&mut self.pairs, slot);
        }
    }

    /// Has sleeping bodies woken that touch a body which is not dynamic.
    fn wake_neighbours(&mut self, body: u32, bodies: &BodiesMut<'_>) {
        for slot in 0..self.pairs.slots() {
            let head = self.pairs.heads[slot];
            if head.flags & flag::ACTIVE != 0 && head.bodies.contains(&body) {
                let other = head.bodies[usize::from(head.bodies[0] == body)];
                if bodies.flags[other as usize] & body_flag::ASLEEP != 0 {
                    self.request_wake(other);
                }
            }
        }
    }

    /// Dynamic bodies that touch a body, directly or through others, and itself.
    fn island(&self, body: u32, bodies: &BodiesMut<'_>) -> Vec<u32> {
        let mut is_there = vec![false; bodies.len()];
        is_there[body as usize] = true;
        let mut island = vec![body];
        let mut next = 0;
        while let Some(&body) = island.get(next) {
            next += 1;
            for head in &self.pairs.heads {
                let touches = head.flags & flag::SOLVED != 0 && head.bodies.contains(&body);
                let other = head.bodies[usize::from(head.bodies[0] == body)] as usize;
                if touches && bodies.kind(other) == Kind::Dynamic && !is_there[other] {
                    is_there[other] = true;
                    island.push(other as u32);
                }
            }
        }
        island
    }

    /// Whether a handler has shapes pass through each other.
    pub(crate) fn lets_through(&self, shapes: [u32; 2]) -> bool {
        self.pairs.find(shapes).is_some_and(|slot| {
            let flags = self.pairs.heads[slot as usize].flags;
            let is_skipped = flags & (flag::ACTIVE | flag::SOLVED) == flag::ACTIVE;
            flags & flag::IGNORED != 0 || (flags & flag::WATCHED != 0 && is_skipped)
        })
    }

    fn rows_of(&self, slot: u32) -> &[[R; 4]] {
        &self.pairs.rows()[row::COUNT * slot as usize..row::COUNT * (slot as usize + 1)]
    }

    fn rows_of_mut(&mut self, slot: u32) -> &mut [[R; 4]] {
        &mut self.pairs.rows_mut()[row::COUNT * slot as usize..row::COUNT * (slot as usize + 1)]
    }
}
