//! Laws that the impulses of a step keep as a whole: the angular momentum of bodies that touch nothing fixed, the motion of
//! their common centre of mass, and that contacts only take energy (docs/methods/rigid2d.md, section 7).
//!
//! The solver freezes lever arms and normals within a step. Where bodies move along each other meanwhile, opposite impulses
//! that act on the same line at the start of the step are a little apart at its end. What that changes is known exactly
//! after the step, and is taken back from each island as a turn about its centre of mass.

use super::bodies::{BodiesMut, Kind};
use super::islands::Islands;
use super::loading::four;
use super::pairs::{NO_PAIR, flag};
use super::tile::{Step, Tile};
use crate::geometry::Vec2;
use crate::rigid2d::solver::constraints::{GROUPS, both_move};
use crate::soa::block::{Doubles, LANES, Lanes, Quantity, Real};
use crate::soa::simd::Simd;

/// Work of contacts that is rounding, in parts of the kinetic energy.
const ROUNDING: f64 = 1e-10;

/// Work of contacts that is too small to matter, in parts of the energy that forces give to a resting body in a step.
const SMALL: f64 = 1e-6;

/// Share of the kinetic energy that may be taken in a step because bodies were pushed against a force. All of it would stop a
/// pile in which one body is pushed out of another.
const PUSHED: f64 = 1e-3;

/// A change of velocity or place that is rounding, in parts of the velocity or the way.
const NO_CHANGE: f64 = 1e-13;

/// Memory of the laws.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conservation {
    /// Of the contacts that are solved.
    islands: Islands,
    /// Per body, the number of its island.
    island_of: Vec<u32>,
    /// Per body, whether its island touches something fixed.
    grounded: Vec<bool>,
    /// Per body, in this step.
    gains: Vec<Gain>,
    /// Bodies to which contacts have given energy.
    gained: Vec<u32>,
    /// Bodies of islands that touch nothing fixed.
    free: Vec<Change>,
    /// Per island.
    sums: Vec<Sums>,
    /// Number of islands.
    count: usize,
}

/// Energies that bodies have gained in a step, in joules.
#[derive(Debug, Clone, Copy, Default)]
struct Gain {
    /// Kinetic energy.
    kinetic: f64,
    /// Besides the work of forces along the way that belongs to the velocities.
    by_impulses: f64,
    /// Besides the work of forces along the actual way.
    along_way: f64,
}

impl Gain {
    fn add(&mut self, other: Self) {
        self.by_impulses += other.by_impulses;
        self.along_way += other.along_way;
    }

    /// Leaves alone that a body is lifted out of an overlap without getting faster.
    fn lift(&mut self) {
        self.by_impulses = self.by_impulses.min(self.kinetic);
        self.along_way = self.by_impulses;
    }

    /// What contacts have given too much to bodies with this kinetic energy.
    fn excess(&self, kinetic: f64) -> f64 {
        self.by_impulses.max(self.along_way.min(PUSHED * kinetic))
    }
}

/// What impulses did to a body in a step.
#[derive(Debug, Clone, Copy)]
struct Change {
    /// Root of its island.
    root: u32,
    body: u32,
    /// Of its velocity, in metres and radians per second.
    velocity: Vec2,
    spin: f64,
    /// Of its displacement, in metres.
    way: Vec2,
    /// The velocity at the end of the step without them.
    without: Vec2,
    /// By forces, in metres per second squared.
    acceleration: Vec2,
    /// Energy that the body has gained besides the work of forces, in joules.
    gain: f64,
}

/// Sums over the bodies of an island.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    gain: Gain,
    /// Kinetic energy at the end.
    kinetic: f64,
    /// Contacts have given energy to one of its bodies.
    gained: bool,
    /// Something moves it that has energy without end: a kinematic body, a moving surface, a restitution above 1.
    driven: bool,
}

/// What [`StoreStates`](super::storing::StoreStates) writes down of bodies whose islands touch something fixed.
pub(super) struct Noted<'a> {
    /// Per body.
    pub(super) grounded: &'a [bool],
    gains: &'a mut [Gain],
    gained: &'a mut Vec<u32>,
}

impl Noted<'_> {
    /// Notes what impulses did to those of four bodies that are chosen, none of which is elastic, given their velocities before and
    /// after, and the acceleration by forces: the lanes of [`Tile::note_change`].
    #[inline(always)]
    pub(super) fn note<S: Simd>(
        &mut self,
        bodies: &BodiesMut<'_>,
        at: usize,
        chosen: [u8; LANES],
        dt: S::Block,
        [start, velocity, acceleration]: [[S::Block; 3]; 3],
    ) {
        let (mass, moment) = (four::<S>(bodies.mass, at), four::<S>(bodies.moment, at));
        let zero = S::Block::ZERO;
        let [mut faster, mut by_impulses, mut kinetic, mut forced] = [zero; 4];
        for axis in 0..3 {
            let inertia = if axis < 2 { mass } else { moment };
            let is_finite = inertia.lt(S::Block::splat(f64::INFINITY));
            let by_forces = acceleration[axis] * dt;
            let change = velocity[axis] - start[axis] - by_forces;
            let mean = S::Block::splat(0.5) * (start[axis] + velocity[axis]);
            let squares = start[axis] * start[axis] + velocity[axis] * velocity[axis];
            faster += (inertia * ((velocity[axis] - start[axis]) * mean)) & is_finite;
            by_impulses += (inertia * (change * mean)) & is_finite;
            kinetic += (inertia * squares) & is_finite;
            forced += (inertia * by_forces * by_forces) & is_finite;
        }
        let lifted = by_impulses.min(faster);
        let limit = S::Block::splat(ROUNDING) * kinetic + S::Block::splat(SMALL) * forced;
        let gained = limit.lt(lifted).bits();
        let (faster, lifted) = (faster.to_array(), lifted.to_array());
        for lane in 0..LANES {
            if chosen[lane] != 0 {
                self.gains[at + lane] =
                    Gain { kinetic: faster[lane], by_impulses: lifted[lane], along_way: lifted[lane] };
                if gained >> lane & 1 != 0 {
                    self.gained.push((at + lane) as u32);
                }
            }
        }
    }
}

impl Conservation {
    /// Makes room for this many bodies.
    pub(crate) fn resize(&mut self, bodies: usize) {
        self.grounded.resize(bodies, false);
        self.gains.resize(bodies, Gain::default());
    }

    /// Whether the island of a body touches something fixed.
    #[inline(always)]
    pub(crate) fn is_grounded(&self, body: usize) -> bool {
        self.grounded[body]
    }

    pub(super) fn noted(&mut self) -> Noted<'_> {
        let Self { grounded, gains, gained, .. } = self;
        Noted { grounded, gains, gained }
    }

    /// Bytes of memory held.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.islands.memory_bytes()
            + self.island_of.capacity() * size_of::<u32>()
            + self.grounded.capacity()
            + self.gains.capacity() * size_of::<Gain>()
            + self.free.capacity() * size_of::<Change>()
            + self.gained.capacity() * size_of::<u32>()
            + self.sums.capacity() * size_of::<Sums>()
    }
}

impl<R: Real> Tile<R> {
    /// Finds the islands of the contacts that are solved, after their layout has changed.
    pub(crate) fn link_islands(&mut self, bodies: usize) {
        let Conservation { islands, island_of, grounded, gains, count, .. } = &mut self.conservation;
        islands.reset(bodies);
        grounded.clear();
        grounded.resize(bodies, false);
        gains.resize(bodies, Gain::default());
        for group in (0..GROUPS).filter(|&group| both_move(group)) {
            let group = &self.constraints.groups[group];
            for (&first, &second) in group.first.as_slice().iter().zip(group.second.as_slice()) {
                if first != second {
                    islands.join([first, second]);
                }
            }
        }
        for group in (0..GROUPS).filter(|&group| !both_move(group)) {
            let group = &self.constraints.groups[group];
            for &second in group.second.as_slice().iter().filter(|&&second| (second as usize) < bodies) {
                grounded[islands.root(second)] = true;
            }
        }
        *count = 0;
        island_of.clear();
        for body in 0..bodies {
            // A root comes before the other bodies of its island.
            let root = islands.root(body as u32);
            grounded[body] = grounded[root];
            island_of.push(if root == body { *count as u32 } else { island_of[root] });
            *count += usize::from(root == body);
        }
    }

    /// Notes what impulses did to a body, which still has the velocity it had before.
    #[inline(always)]
    pub(crate) fn note_change(
        &mut self,
        step: &Step<'_, R>,
        body: usize,
        velocity: [f64; 3],
        displacement: [f64; 3],
    ) {
        if step.bodies.kind(body) != Kind::Dynamic {
            return;
        }
        let (start, acceleration) = (step.bodies.velocity(body), self.accelerate(step, body));
        let inertia = [step.bodies.mass[body], step.bodies.mass[body], step.bodies.moment[body]];
        let [late, jump] = self.bounces.of(body);
        let (mut gain, mut kinetic, mut forced) = (Gain::default(), 0.0, 0.0);
        let mut change = [0.0; 3];
        for axis in 0..3 {
            let by_forces = acceleration[axis] * step.dt;
            change[axis] = velocity[axis] - start[axis] - by_forces;
            // A moment without end turns nothing.
            if inertia[axis].is_finite() {
                // Forces work along the way that belongs to these velocities, with impacts at their times.
                let ahead = 0.5 * jump[axis] * step.dt - late[axis];
                let mean = 0.5 * (start[axis] + velocity[axis]);
                let faster = (velocity[axis] - start[axis]) * mean;
                gain.kinetic += inertia[axis] * faster;
                gain.by_impulses += inertia[axis] * (change[axis] * mean - acceleration[axis] * ahead);
                gain.along_way += inertia[axis] * (faster - acceleration[axis] * displacement[axis]);
                kinetic += inertia[axis] * (start[axis] * start[axis] + velocity[axis] * velocity[axis]);
                forced += inertia[axis] * by_forces * by_forces;
            }
        }
        let along_way = gain.along_way;
        if !self.bounces.is_elastic(body) {
            gain.lift();
        }
        self.conservation.gains[body] = gain;
        if gain.excess(kinetic) > ROUNDING * kinetic + SMALL * forced {
            self.conservation.gained.push(body as u32);
        }
        if !self.conservation.grounded[body] {
            let flight = |axis: usize| (start[axis] + 0.5 * acceleration[axis] * step.dt) * step.dt;
            let without = |axis: usize| start[axis] + acceleration[axis] * step.dt;
            self.conservation.free.push(Change {
                root: 0,
                body: body as u32,
                velocity: Vec2::new(change[0], change[1]),
                spin: change[2],
                way: Vec2::new(displacement[0] - flight(0), displacement[1] - flight(1)),
                without: Vec2::new(without(0), without(1)),
                acceleration: Vec2::new(acceleration[0], acceleration[1]),
                gain: along_way,
            });
        }
    }

    /// Makes the changes of this step keep the laws.
    pub(crate) fn conserve(&mut self, step: &mut Step<'_, R>) {
        self.conserve_free_islands(step);
        if !self.conservation.gained.is_empty() {
            self.limit_energy(step);
        }
    }

    fn conserve_free_islands(&mut self, step: &mut Step<'_, R>) {
        let Conservation { islands, free, .. } = &mut self.conservation;
        free.retain_mut(|change| {
            change.root = islands.root(change.body) as u32;
            let speed = change.without.length() + change.velocity.length();
            change.velocity.length() > NO_CHANGE * speed || change.way.length() > NO_CHANGE * speed * step.dt
        });
        free.sort_unstable_by_key(|change| (change.root, change.body));
        for island in free.chunk_by(|a, b| a.root == b.root).filter(|island| island.len() > 1) {
            let before = step.bodies.kinetic_energy(island);
            let gain = step.bodies.keep_centre(island).max(0.0);
            step.bodies.keep_angular_momentum(island);
            let turned = step.bodies.kinetic_energy(island) - before;
            if (turned + gain).abs() > ROUNDING * before {
                step.bodies.take_energy(island, turned + gain);
            }
        }
        free.clear();
    }

    /// Contacts with what is fixed only take energy: velocities of an island that has gained some become smaller.
    fn limit_energy(&mut self, step: &mut Step<'_, R>) {
        self.find_driven(step);
        let Conservation { island_of, grounded, gains, sums, gained, .. } = &mut self.conservation;
        let bodies = &mut step.bodies;
        for body in gained.drain(..) {
            sums[island_of[body as usize] as usize].gained = true;
        }
        // Bodies that were added since have no contacts.
        for (body, &island) in island_of.iter().enumerate() {
            let sum = &mut sums[island as usize];
            if grounded[body] && sum.gained && !sum.driven {
                sum.gain.add(gains[body]);
                sum.kinetic += bodies.kinetic_energy_of(body);
            }
        }
        for (body, &island) in island_of.iter().enumerate() {
            let Sums { gain, kinetic, gained, driven } = sums[island as usize];
            let excess = gain.excess(kinetic);
            if grounded[body] && gained && !driven && excess > ROUNDING * kinetic {
                let share = (1.0 - excess / kinetic).max(0.0).sqrt();
                bodies.velocity_x[body] *= share;
                bodies.velocity_y[body] *= share;
                bodies.angular_velocity[body] *= share;
            }
        }
    }

    /// Finds the islands that something drives.
    fn find_driven(&mut self, step: &Step<'_, R>) {
        let Conservation { island_of, sums, count, .. } = &mut self.conservation;
        sums.clear();
        sums.resize(*count, Sums::default());
        // Contacts of moving bodies drive only if surfaces move or if they bounce.
        let may_drive = |group: usize| !both_move(group) || self.has_surfaces || self.pairs.elastic > 0;
        for group in (0..GROUPS).filter(|&group| may_drive(group)) {
            let contacts = &self.constraints.groups[group];
            for (at, &slot) in contacts.slots.as_slice().iter().enumerate() {
                let head = &self.pairs.heads[slot as usize];
                let first = contacts.first.as_slice()[at] as usize;
                let moves = || !both_move(group) && step.bodies.kind(first) == Kind::Kinematic;
                if slot != NO_PAIR && (head.flags & flag::SURFACE != 0 || head.restitution > 1.0 || moves()) {
                    sums[island_of[contacts.second.as_slice()[at] as usize] as usize].driven = true;
                }
            }
        }
    }
}

impl BodiesMut<'_> {
    fn kinetic_energy_of(&self, body: usize) -> f64 {
        let [x, y, w] = self.velocity(body);
        let turning = if w == 0.0 { 0.0 } else { self.moment[body] * w * w };
        let energy = 0.5 * (self.mass[body] * (x * x + y * y) + turning);
        if energy.is_finite() { energy } else { 0.0 }
    }

    fn kinetic_energy(&self, island: &[Change]) -> f64 {
        island.iter().map(|change| self.kinetic_energy_of(change.body as usize)).sum()
    }

    /// Mass, centre of mass and its velocity.
    fn centre(&self, island: &[Change]) -> (f64, Vec2, Vec2) {
        let (mut mass, mut centre, mut momentum) = (0.0, Vec2::ZERO, Vec2::ZERO);
        for body in island.iter().map(|change| change.body as usize) {
            mass += self.mass[body];
            centre += Vec2::new(self.x[body], self.y[body]) * self.mass[body];
            momentum += Vec2::new(self.velocity_x[body], self.velocity_y[body]) * self.mass[body];
        }
        (mass, centre * (1.0 / mass), momentum * (1.0 / mass))
    }

    /// Moves an island so that its centre of mass is where it is without contacts. Returns the energy that it has gained.
    fn keep_centre(&mut self, island: &[Change]) -> f64 {
        let (mut mass, mut off, mut force, mut gain) = (0.0, Vec2::ZERO, Vec2::ZERO, 0.0);
        for change in island {
            let own = self.mass[change.body as usize];
            mass += own;
            off += change.way * own;
            force += change.acceleration * own;
            gain += change.gain;
        }
        let off = off * (1.0 / mass);
        for body in island.iter().map(|change| change.body as usize) {
            self.x[body] -= off.x;
            self.y[body] -= off.y;
        }
        gain + force.dot(off)
    }

    /// Turns the velocities of an island about its centre of mass so that contacts have kept its angular momentum.
    fn keep_angular_momentum(&mut self, island: &[Change]) {
        let (_, centre, velocity) = self.centre(island);
        let (mut off, mut of_centres, mut of_spins) = (0.0, 0.0, 0.0);
        for change in island {
            let body = change.body as usize;
            let (mass, moment) = (self.mass[body], self.moment[body]);
            let arm = Vec2::new(self.x[body], self.y[body]) - centre;
            // Torque of the impulses at the end, and of the change of place on the momentum that was there without them.
            off += mass * (arm.cross(change.velocity) + change.way.cross(change.without - velocity));
            of_centres += mass * arm.dot(arm);
            if moment.is_finite() {
                off += moment * change.spin;
                of_spins += moment;
            }
        }
        // Spins stay as they are, which are 0 of frictionless discs for ever, unless all centres are close together.
        let with_spins = of_centres < of_spins;
        let turn = off / if with_spins { of_centres + of_spins } else { of_centres };
        if !turn.is_finite() {
            return;
        }
        for body in island.iter().map(|change| change.body as usize) {
            let arm = Vec2::new(self.x[body], self.y[body]) - centre;
            self.velocity_x[body] += turn * arm.y;
            self.velocity_y[body] -= turn * arm.x;
            if with_spins && self.moment[body].is_finite() {
                self.angular_velocity[body] -= turn;
            }
        }
    }

    /// Takes energy from the velocities of an island relative to a common turn, so that its momenta stay: from those of the
    /// centres if they have enough, otherwise from spins too.
    fn take_energy(&mut self, island: &[Change], energy: f64) {
        let (_, centre, velocity) = self.centre(island);
        for with_spins in [false, true] {
            let turn = self.common_turn(island, centre, velocity, with_spins);
            let rest = self.energy_beside(island, centre, velocity, turn, with_spins);
            if energy > rest && !with_spins {
                continue;
            }
            let share = if rest > 0.0 { (1.0 - energy / rest).max(0.0).sqrt() } else { 1.0 };
            for body in island.iter().map(|change| change.body as usize) {
                let [arm, relative] = self.relative(body, centre, velocity);
                let common = arm.perpendicular() * turn;
                let new = velocity + common + (relative - common) * share;
                (self.velocity_x[body], self.velocity_y[body]) = (new.x, new.y);
                if with_spins && self.moment[body].is_finite() {
                    self.angular_velocity[body] = turn + (self.angular_velocity[body] - turn) * share;
                }
            }
            return;
        }
    }

    /// The angular velocity at which an island would turn as one body with the same angular momentum, that of spins included
    /// or not.
    fn common_turn(&self, island: &[Change], centre: Vec2, velocity: Vec2, with_spins: bool) -> f64 {
        let (mut turning, mut inertia) = (0.0, 0.0);
        for body in island.iter().map(|change| change.body as usize) {
            let [arm, relative] = self.relative(body, centre, velocity);
            turning += self.mass[body] * arm.cross(relative);
            inertia += self.mass[body] * arm.dot(arm);
            if with_spins && self.moment[body].is_finite() {
                turning += self.moment[body] * self.angular_velocity[body];
                inertia += self.moment[body];
            }
        }
        if inertia > 0.0 { turning / inertia } else { 0.0 }
    }

    /// Kinetic energy of an island beside that of its centre of mass and of a common turn.
    fn energy_beside(
        &self,
        island: &[Change],
        centre: Vec2,
        velocity: Vec2,
        turn: f64,
        with_spins: bool,
    ) -> f64 {
        let mut energy = 0.0;
        for body in island.iter().map(|change| change.body as usize) {
            let [arm, relative] = self.relative(body, centre, velocity);
            let own = relative - arm.perpendicular() * turn;
            energy += 0.5 * self.mass[body] * own.dot(own);
            if with_spins && self.moment[body].is_finite() {
                let own = self.angular_velocity[body] - turn;
                energy += 0.5 * self.moment[body] * own * own;
            }
        }
        energy
    }

    /// Place and velocity of a body relative to those of a centre.
    fn relative(&self, body: usize, centre: Vec2, velocity: Vec2) -> [Vec2; 2] {
        [
            Vec2::new(self.x[body], self.y[body]) - centre,
            Vec2::new(self.velocity_x[body], self.velocity_y[body]) - velocity,
        ]
    }
}
