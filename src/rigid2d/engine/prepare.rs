//! Contacts from their slots to the solver and back.

use super::colours::COLOURS;
use super::contacts::vec2;
use super::pairs::{NO_PAIR, Pair, Pairs, flag, row};
use super::tile::{Step, Tile};
use crate::error::Result;
use crate::geometry::Vec2;
use crate::rigid2d::solver::constraints::{
    ABSENT, GROUPS, Group, field, points_of, record_size, size_of_group,
};
use crate::soa::block::{LANES, Lanes, Quantity, Real};
use crate::soa::level::{self, Kernel};
use crate::soa::prefetch;
use crate::soa::simd::Simd;

/// A contact in world directions.
#[derive(Debug, Clone)]
pub(crate) struct Contact {
    /// Rows of the bodies; one that no impulse moves is the first.
    pub(crate) bodies: [u32; 2],
    /// From the first body to the second.
    pub(crate) normal: Vec2,
    /// Per point: separation, and the points from the centres of mass of both bodies.
    pub(crate) points: [(f64, Vec2, Vec2); 2],
    pub(crate) count: usize,
    pub(crate) friction: f64,
    pub(crate) restitution: f64,
    /// Relative velocity along the tangent that friction aims at, in metres per second.
    pub(crate) surface: f64,
}

impl<R: Real> Tile<R> {
    /// Writes the records of all contacts that are solved.
    pub(crate) fn prepare(&mut self, step: &Step<'_, R>) -> Result<()> {
        if self.colours.changed {
            self.colours.sort(&mut self.pairs);
            for group in 0..GROUPS {
                self.lay_out(group, step.bodies.len() as u32)?;
            }
            self.colours.changed = false;
            self.link_islands(step.bodies.len());
        }
        for (n, group) in self.constraints.groups.iter_mut().enumerate() {
            group.fit_records(size_of_group(n))?;
        }
        let [two, one, fixed_two, fixed_one] = &mut self.constraints.groups;
        let (pairs, states) = (&self.pairs, self.states.rows());
        let poses = self.poses.as_slice().as_chunks().0;
        level::run(Prepare::<R, 2, true> { group: two, pairs, poses, states });
        level::run(Prepare::<R, 1, true> { group: one, pairs, poses, states });
        level::run(Prepare::<R, 2, false> { group: fixed_two, pairs, poses, states });
        level::run(Prepare::<R, 1, false> { group: fixed_one, pairs, poses, states });
        self.move_surfaces(step);
        Ok(())
    }

    /// Writes down which contact is in which lane of a group, colour after colour. Contacts without a colour have a block of
    /// their own.
    fn lay_out(&mut self, group: usize, nobody: u32) -> Result<()> {
        let lists = &self.colours.lists[group];
        let coloured: usize = lists[..COLOURS].iter().map(|list| list.len().div_ceil(R::COUNT)).sum();
        let out = &mut self.constraints.groups[group];
        out.resize(coloured + lists[COLOURS].len())?;
        let Group { first, second, slots, turned, give, impact, .. } = out;
        let (first, second) = (first.as_mut_slice(), second.as_mut_slice());
        let (slots, turned) = (slots.as_mut_slice(), turned.as_mut_slice());
        let (give, impact) = (give.as_mut_slice(), impact.as_mut_slice());
        let mut at = 0;
        for (colour, list) in lists.iter().enumerate() {
            let lanes = if colour == COLOURS { 1 } else { R::COUNT };
            for block in list.chunks(lanes) {
                for lane in 0..R::COUNT {
                    let slot = block.get(lane).copied();
                    let head = slot.map(|slot| &self.pairs.heads[slot as usize]);
                    let turns = head.is_some_and(|head| head.flags & flag::FIXED_SECOND != 0);
                    let bodies = head.map_or([nobody; 2], |head| head.bodies);
                    slots[at] = slot.unwrap_or(NO_PAIR);
                    turned[at] = R::nearest(f64::from(u8::from(turns)));
                    let is_impact = head.is_some_and(|head| head.flags & flag::IMPACT != 0);
                    impact[at] = R::nearest(f64::from(u8::from(is_impact)));
                    give[at] = R::nearest(head.map_or(0.0, Pair::give));
                    (first[at], second[at]) =
                        if turns { (bodies[1], bodies[0]) } else { (bodies[0], bodies[1]) };
                    at += 1;
                }
            }
        }
        Ok(())
    }

    /// Friction aims at the velocity of surfaces that move.
    fn move_surfaces(&mut self, step: &Step<'_, R>) {
        if !self.has_surfaces {
            return;
        }
        for group in 0..GROUPS {
            let size = size_of_group(group);
            for at in 0..self.constraints.groups[group].slots.len() {
                let slot = self.constraints.groups[group].slots.as_slice()[at] as usize;
                if self.pairs.heads[slot].flags & flag::SURFACE != 0 {
                    let surface = self.contact(step, slot).surface;
                    let place = (at / R::COUNT * size + field::SURFACE) * R::COUNT + at % R::COUNT;
                    let number = &mut self.constraints.groups[group].records.as_mut_slice()[place];
                    *number = *number + R::nearest(surface);
                }
            }
        }
    }

    /// A contact in world directions: the scalar twin of [`Prepare`].
    pub(crate) fn contact(&self, step: &Step<'_, R>, slot: usize) -> Contact {
        let head = &self.pairs.heads[slot];
        let rows = &self.pairs.rows()[row::COUNT * slot..row::COUNT * (slot + 1)];
        let poses = head.bodies.map(|body| step.bodies.pose(body as usize));
        let normal = poses[0].rotation.turn(vec2(&rows[row::NORMAL]));
        let between = poses[1].position - poses[0].position;
        let mut points = [(ABSENT, Vec2::ZERO, Vec2::ZERO); 2];
        for (point, out) in points.iter_mut().enumerate().take(usize::from(head.count)) {
            let [ax, ay, bx, by] = rows[row::POINT[point]].map(R::widen);
            let on_a = poses[0].rotation.turn(Vec2::new(ax, ay));
            let on_b = poses[1].rotation.turn(Vec2::new(bx, by));
            let separation = (between + on_b - on_a).dot(normal) + rows[row::TRAITS][2 + point].widen();
            // One point for both, so that impulses keep the angular momentum.
            let from_a = (on_a + on_b + between) * 0.5;
            *out = if head.flags & flag::IMPACT != 0 {
                (separation, on_a, on_b)
            } else {
                (separation, from_a, from_a - between)
            };
        }
        let mut contact = Contact {
            bodies: head.bodies,
            normal,
            points,
            count: usize::from(head.count),
            friction: rows[row::TRAITS][0].widen(),
            restitution: head.restitution,
            surface: self.carried(step.library, slot).dot(normal.perpendicular()),
        };
        if head.flags & flag::FIXED_SECOND != 0 {
            contact.turn_round();
        }
        contact
    }

    /// Impulses from the records back to the slots.
    pub(crate) fn store_impulses(&mut self) {
        for group in 0..GROUPS {
            let (size, points) = (size_of_group(group), points_of(group));
            let Group { slots, records, .. } = &self.constraints.groups[group];
            for (at, &slot) in slots.as_slice().iter().enumerate() {
                if slot == NO_PAIR {
                    continue;
                }
                let start = at / R::COUNT * size * R::COUNT + at % R::COUNT;
                let read = |field: usize| records.as_slice()[start + field * R::COUNT];
                let rows = &mut self.pairs.rows_mut()[row::COUNT * slot as usize..];
                for point in 0..points {
                    rows[row::NORMAL][2 + point] = read(field::POINT[point] + field::IMPULSE);
                }
                rows[row::TRAITS][1] = read(field::TANGENT_IMPULSE);
            }
        }
    }
}

impl Contact {
    /// Exchanges the bodies. The tangent turns with the normal, so what is along it keeps its sign.
    fn turn_round(&mut self) {
        self.bodies.swap(0, 1);
        self.normal = -self.normal;
        for (_, a, b) in &mut self.points {
            std::mem::swap(a, b);
        }
    }
}

/// Contacts between the one whose slot is prefetched and the one that is written.
const AHEAD: usize = 32;

/// Writes the records of a group from the slots of its pairs.
#[derive(Debug)]
struct Prepare<'a, R: Real, const POINTS: usize, const MOVES: bool> {
    group: &'a mut Group<R>,
    pairs: &'a Pairs<R>,
    /// Per body `[x, y, cos, sin]`.
    poses: &'a [[f64; 4]],
    /// Rows of the states.
    states: &'a [[R; 4]],
}

impl<R: Real, const POINTS: usize, const MOVES: bool> Kernel for Prepare<'_, R, POINTS, MOVES> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let Self { group, pairs, poses, states } = self;
        let size = record_size(POINTS, MOVES);
        let blocks = group.blocks();
        let Group { first, second, slots, turned, impact, records, .. } = group;
        let (first, second, slots) = (first.as_slice(), second.as_slice(), slots.as_slice());
        let (turned, impact) = (turned.blocks::<R::Block<S>>(), impact.blocks::<R::Block<S>>());
        let records = R::Block::<S>::blocks_mut(records.as_mut_slice());
        for block in 0..blocks {
            let lanes = block * R::COUNT..(block + 1) * R::COUNT;
            let record = &mut records[block * size..(block + 1) * size];
            let zero = R::Block::<S>::ZERO;
            let masks = [zero.lt(turned[block]), zero.lt(impact[block])];
            for &slot in slots.get(lanes.start + AHEAD..).unwrap_or(&[]).iter().take(R::COUNT) {
                prefetch::near(pairs.rows(), row::COUNT * slot as usize);
                prefetch::near(pairs.rows(), row::COUNT * slot as usize + row::POINT[POINTS - 1]);
            }
            let (first, second) = (&first[lanes.clone()], &second[lanes.clone()]);
            // SAFETY: slots, poses and states of a layout exist.
            unsafe {
                let places = Places::new::<R>(first, second, &slots[lanes]);
                let world = World::<R::Block<S>>::load::<S, R>(poses, first, second);
                write::<S, R, POINTS, MOVES>(record, &world, masks, pairs.rows(), states, &places);
            }
        }
    }
}

/// Rows of a block of contacts.
struct Places {
    first: [u32; 8],
    second: [u32; 8],
    pair: [u32; 8],
}

impl Places {
    #[inline(always)]
    fn new<R: Real>(first: &[u32], second: &[u32], slots: &[u32]) -> Self {
        let mut places = Self { first: [0; 8], second: [0; 8], pair: [0; 8] };
        for lane in 0..R::COUNT {
            places.first[lane] = 2 * first[lane];
            places.second[lane] = 2 * second[lane];
            places.pair[lane] = row::COUNT as u32 * slots[lane];
        }
        places
    }

    /// One of the rows of the pairs.
    ///
    /// # Safety
    /// All rows must exist.
    #[inline(always)]
    unsafe fn load_pair<S: Simd, R: Real>(&self, pairs: &[[R; 4]], row: usize) -> [R::Block<S>; 4] {
        // SAFETY: by the contract of this function.
        unsafe { R::load_quads::<S>(pairs, &Self::after(&self.pair, row)) }
    }

    /// The same row of all, some rows after the first.
    #[inline(always)]
    fn after(rows: &[u32; 8], by: usize) -> [u32; 8] {
        let mut places = *rows;
        for lane in 0..8 {
            places[lane] += by as u32;
        }
        places
    }
}

/// A vector per lane.
#[derive(Clone, Copy)]
struct Vectors<L>(L, L);

impl<L: Lanes> Vectors<L> {
    #[inline(always)]
    fn dot(self, other: Self) -> L {
        self.0 * other.0 + self.1 * other.1
    }

    #[inline(always)]
    fn cross(self, other: Self) -> L {
        self.0 * other.1 - self.1 * other.0
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }

    #[inline(always)]
    fn half(self) -> Self {
        Self(self.0 * L::splat(0.5), self.1 * L::splat(0.5))
    }

    /// Turned by an angle with this cosine and sine.
    #[inline(always)]
    fn turned(self, by: Self) -> Self {
        Self(by.0 * self.0 - by.1 * self.1, by.1 * self.0 + by.0 * self.1)
    }

    #[inline(always)]
    fn select(mask: L, yes: Self, no: Self) -> Self {
        Self(mask.select(yes.0, no.0), mask.select(yes.1, no.1))
    }
}

/// Where a block of pairs of bodies is.
struct World<L> {
    /// From the first body to the second.
    between: Vectors<L>,
    /// Cosine and sine of both bodies.
    turns: [Vectors<L>; 2],
}

impl<L: Lanes> World<L> {
    /// # Safety
    /// There must be a body for each lane, and all of them must have poses.
    #[inline(always)]
    unsafe fn load<S: Simd, R: Real<Block<S> = L>>(
        poses: &[[f64; 4]],
        first: &[u32],
        second: &[u32],
    ) -> Self {
        let mut halves = [[S::Block::ZERO; 6]; 2];
        for half in 0..R::COUNT / LANES {
            let lanes = half * LANES..;
            // SAFETY: by the contract of this function.
            let [[xa, ya, ca, sa], [xb, yb, cb, sb]] = unsafe {
                [
                    f64::load_quads::<S>(poses, &first[lanes.clone()]),
                    f64::load_quads::<S>(poses, &second[lanes]),
                ]
            };
            halves[half] = [xb - xa, yb - ya, ca, sa, cb, sb];
        }
        let [x, y, ca, sa, cb, sb] = R::join::<S, 6>(halves);
        Self { between: Vectors(x, y), turns: [Vectors(ca, sa), Vectors(cb, sb)] }
    }
}

/// # Safety
/// All rows must exist.
#[inline(always)]
unsafe fn write<S: Simd, R: Real, const POINTS: usize, const MOVES: bool>(
    record: &mut [R::Block<S>],
    world: &World<R::Block<S>>,
    [turned, impact]: [R::Block<S>; 2],
    pairs: &[[R; 4]],
    states: &[[R; 4]],
    places: &Places,
) {
    let one = R::Block::<S>::ONE;
    // SAFETY: by the contract of this function.
    let ([nx, ny, impulse_1, impulse_2], [friction, impulse_t, offset_1, offset_2]) = unsafe {
        (places.load_pair::<S, R>(pairs, row::NORMAL), places.load_pair::<S, R>(pairs, row::TRAITS))
    };
    let [turn_a, turn_b] = if MOVES {
        world.turns
    } else {
        let [first, second] = world.turns;
        [Vectors::select(turned, second, first), Vectors::select(turned, first, second)]
    };
    let mut normal = Vectors(nx, ny).turned(turn_a);
    if !MOVES {
        normal = Vectors::select(turned, Vectors(-normal.0, -normal.1), normal);
    }
    let tangent = Vectors(-normal.1, normal.0);
    // SAFETY: by the contract of this function.
    let [[vx, vy, w, ma], [_, _, _, ia]] = unsafe {
        [
            R::load_quads::<S>(states, &places.first),
            R::load_quads::<S>(states, &Places::after(&places.first, 1)),
        ]
    };
    let velocity = Vectors(vx, vy);
    let mut arms = [[Vectors(one, one); 2]; 2];
    for point in 0..POINTS {
        // SAFETY: by the contract of this function.
        let [ax, ay, bx, by] = unsafe { places.load_pair::<S, R>(pairs, row::POINT[point]) };
        let (on_a, on_b) = (Vectors(ax, ay).turned(turn_a), Vectors(bx, by).turned(turn_b));
        let (on_first, on_second) = if MOVES {
            (on_a, on_b)
        } else {
            (Vectors::select(turned, on_b, on_a), Vectors::select(turned, on_a, on_b))
        };
        let separation = world.between.plus(on_second).minus(on_first).dot(normal);
        let from_first = on_first.plus(on_second).plus(world.between).half();
        // The points of an impact are together when it comes, not yet now.
        arms[point] = [
            Vectors::select(impact, on_first, from_first),
            Vectors::select(impact, on_second, from_first.minus(world.between)),
        ];
        let at = field::POINT[point];
        record[at + field::SEPARATION] = separation + [offset_1, offset_2][point];
        record[at + field::IMPULSE] = [impulse_1, impulse_2][point];
        record[at + field::ARM] = arms[point][1].cross(normal);
        let arm = arms[point][0].cross(normal);
        record[field::FIRST[POINTS - 1] + point + usize::from(MOVES)] =
            if MOVES { arm } else { velocity.dot(normal) + w * arm };
    }
    let mut middle = arms[0];
    if POINTS == 2 {
        middle = [arms[0][0].plus(arms[1][0]).half(), arms[0][1].plus(arms[1][1]).half()];
    }
    let (arm_a, arm_b) = (middle[0].cross(tangent), middle[1].cross(tangent));
    // SAFETY: by the contract of this function.
    let [[_, _, _, mb], [_, _, _, ib]] = unsafe {
        [
            R::load_quads::<S>(states, &places.second),
            R::load_quads::<S>(states, &Places::after(&places.second, 1)),
        ]
    };
    record[field::NORMAL_X] = normal.0;
    record[field::NORMAL_Y] = normal.1;
    record[field::FRICTION] = friction;
    record[field::TANGENT_IMPULSE] = impulse_t;
    record[field::TANGENT_ARM] = arm_b;
    if MOVES {
        record[field::FIRST[POINTS - 1]] = arm_a;
        record[field::SURFACE] = R::Block::<S>::ZERO;
        record[field::TANGENT_MASS] = one / ((ma + mb) + ((ia * arm_a) * arm_a + (ib * arm_b) * arm_b));
    } else {
        record[field::SURFACE] = velocity.dot(tangent) + w * arm_a;
        record[field::TANGENT_MASS] = one / (mb + (ib * arm_b) * arm_b);
    }
}
