//! Passes over all contacts, which solvers are made of.

use super::constraints::{Constraints, Group, field, record_size};
use super::states::States;
use crate::soa::block::{Lanes, Quantity, Real};
use crate::soa::simd::Simd;

/// How stiff contacts are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Softness {
    /// Velocity per metre of overlap with which bodies are pushed apart, in 1/s.
    pub(crate) rate: f64,
    /// Softness relative to the stiffness of a rigid contact: 1/c with c = h omega (2 zeta + h omega).
    pub(crate) softness: f64,
}

impl Softness {
    /// A contact as a spring with this frequency in hertz and damping ratio, in substeps of `h` seconds.
    pub(crate) fn new(hertz: f64, damping_ratio: f64, h: f64) -> Self {
        let omega = std::f64::consts::TAU * hertz;
        let damped = 2.0 * damping_ratio + h * omega;
        Self { rate: omega / damped, softness: 1.0 / (h * omega * damped) }
    }
}

/// Numbers of a pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct StepNumbers {
    /// Duration of a step or a substep, in seconds.
    pub(crate) h: f64,
    /// Of contacts between moving bodies.
    pub(crate) moving: Softness,
    /// Of contacts with a body that no impulse moves.
    pub(crate) fixed: Softness,
    /// Overlap that is left alone, in metres.
    pub(crate) slop: f64,
    /// Largest velocity at which bodies are pushed apart, in metres per second.
    pub(crate) push: f64,
}

/// What a pass over all contacts does.
pub(crate) trait Mode {
    /// Applies the impulses of the last step.
    const WARM: bool;
    /// Pushes bodies apart that overlap.
    const PUSH: bool;
}

/// Applies the impulses of the last step.
pub(crate) struct Warm;
impl Mode for Warm {
    const WARM: bool = true;
    const PUSH: bool = false;
}

/// Finds impulses along the normal that also push overlapping bodies apart.
pub(crate) struct Push;
impl Mode for Push {
    const WARM: bool = false;
    const PUSH: bool = true;
}

/// Finds impulses along the normal and the tangent, without the velocity that the push added.
pub(crate) struct Relax;
impl Mode for Relax {
    const WARM: bool = false;
    const PUSH: bool = false;
}

/// A pass over all contacts, with displacements that are those after `elapsed` seconds of the step.
#[inline(always)]
pub(crate) fn pass<S: Simd, R: Real, M: Mode>(
    states: &mut States<R>,
    constraints: &mut Constraints<R>,
    step: &StepNumbers,
    elapsed: f64,
) {
    let rows = states.rows_mut();
    let [two, one, fixed_two_points, fixed_one_point] = &mut constraints.groups;
    moving_two::<S, R, M>(rows, two, step);
    moving_one::<S, R, M>(rows, one, step);
    fixed_two::<S, R, M>(rows, fixed_two_points, step, elapsed);
    fixed_one::<S, R, M>(rows, fixed_one_point, step, elapsed);
}

/// The numbers of a pass, in all lanes.
#[derive(Clone, Copy)]
struct Numbers<B> {
    rate: B,
    softness: B,
    /// 1 / h.
    per_substep: B,
    slop: B,
    push: B,
    /// Keeps a system of two points regular that lie on top of each other; it changes how fast impulses converge, not
    /// where to.
    regular: B,
}

impl<B: Lanes> Numbers<B> {
    #[inline(always)]
    fn new(step: &StepNumbers, softness: Softness) -> Self {
        Self {
            rate: B::splat(softness.rate),
            softness: B::splat(softness.softness),
            per_substep: B::splat(1.0 / step.h),
            slop: B::splat(step.slop),
            push: B::splat(-step.push),
            regular: B::splat(1e-3),
        }
    }

    /// The velocity that a point aims at, with its sign turned, and its softness.
    #[inline(always)]
    fn aim<M: Mode>(&self, separation: B, give: B) -> [B; 2] {
        let is_apart = B::ZERO.lt(separation);
        let approach = separation * self.per_substep;
        if M::PUSH {
            let push = ((separation + self.slop).min(B::ZERO) * self.rate).max(self.push);
            [is_apart.select(approach, push), is_apart.select(B::ZERO, self.softness * give)]
        } else {
            [is_apart.select(approach, B::ZERO), B::ZERO]
        }
    }

    /// The impulse of one point, given its inverse mass, velocity, separation, how much it gives way, and impulse so far.
    #[inline(always)]
    fn one_point<M: Mode>(&self, inverse_mass: B, velocity: B, separation: B, give: B, impulse: B) -> B {
        let [aim, softness] = self.aim::<M>(separation, give);
        let soft = inverse_mass * softness;
        let change = (velocity + aim + soft * impulse) / (inverse_mass + soft);
        (impulse - change).max(B::ZERO)
    }

    /// The impulses of two points, both at least 0, by the solution of their linear complementarity problem: those for
    /// which each point has the velocity it aims at, or moves away faster and has no impulse.
    #[inline(always)]
    fn two_points<M: Mode>(
        &self,
        k: [B; 3],
        velocity: [B; 2],
        separation: [B; 2],
        give: B,
        impulse: [B; 2],
    ) -> Normals<B> {
        let [k11, k12, k22] = k;
        let [aim_1, soft_1] = self.aim::<M>(separation[0], give);
        let [aim_2, soft_2] = self.aim::<M>(separation[1], give);
        let (soft_1, soft_2) = (k11 * soft_1, k22 * soft_2);
        let a11 = k11 + (soft_1 + k11 * self.regular);
        let a22 = k22 + (soft_2 + k22 * self.regular);
        let z1 = a11 * impulse[0] + k12 * impulse[1] - (velocity[0] + aim_1 + soft_1 * impulse[0]);
        let z2 = k12 * impulse[0] + a22 * impulse[1] - (velocity[1] + aim_2 + soft_2 * impulse[1]);
        // In this form products of two inverse masses are the largest and smallest numbers, which single precision holds.
        let inverse = B::ONE / (a11 * a22);
        let rest = B::ONE / (B::ONE - (k12 * k12) * inverse);
        let solution = inverse * rest;
        let x1 = (a22 * z1 - k12 * z2) * solution;
        let x2 = (a11 * z2 - k12 * z1) * solution;
        let alone_1 = (z1 * (a22 * inverse)).max(B::ZERO);
        let alone_2 = (z2 * (a11 * inverse)).max(B::ZERO);
        let (negative_1, negative_2) = (x1.lt(B::ZERO), x2.lt(B::ZERO));
        let impulses =
            [negative_2.select(alone_1, x1.max(B::ZERO)), negative_1.select(alone_2, x2.max(B::ZERO))];
        Normals { impulses, a11, k12, a22, solution }
    }
}

/// The impulses of two points along the normal, and the linear system that they solve.
#[derive(Clone, Copy)]
struct Normals<B> {
    impulses: [B; 2],
    a11: B,
    k12: B,
    a22: B,
    /// Inverse of the determinant.
    solution: B,
}

impl<B: Lanes> Normals<B> {
    /// The changes of all three impulses by friction, given the inverse mass along the tangent, how an impulse along the
    /// tangent changes the velocities of both points along the normal, and the velocity along the tangent.
    ///
    /// While both points press, the body cannot turn about them: they answer to friction, which then has to move the body
    /// only along the tangent (Schur complement). Otherwise friction would take several substeps to hold a body that
    /// begins to rest on an incline.
    #[inline(always)]
    fn friction(&self, record: &[B], inverse_mass: B, coupling: [B; 2], velocity: B) -> [B; 3] {
        let [n1, n2] = self.impulses;
        let answer_1 = (self.k12 * coupling[1] - self.a22 * coupling[0]) * self.solution;
        let answer_2 = (self.k12 * coupling[0] - self.a11 * coupling[1]) * self.solution;
        let both = B::ZERO.lt(n1) & B::ZERO.lt(n2);
        let (answer_1, answer_2) = (answer_1 & both, answer_2 & both);
        let held = inverse_mass + (coupling[0] * answer_1 + coupling[1] * answer_2);
        let change = friction(record, B::ONE / held, velocity, n1 + n2) - record[field::TANGENT_IMPULSE];
        let (change_1, change_2) = (answer_1 * change, answer_2 * change);
        let press = B::ZERO.le(n1 + change_1) & B::ZERO.le(n2 + change_2);
        [change_1 & press, change_2 & press, change]
    }
}

/// The impulse of friction, given the mass and the velocity along the tangent and the impulse along the normal.
#[inline(always)]
fn friction<B: Lanes>(record: &[B], mass: B, velocity: B, normal_impulse: B) -> B {
    let most = record[field::FRICTION] * normal_impulse;
    let impulse = record[field::TANGENT_IMPULSE] - mass * (velocity - record[field::SURFACE]);
    impulse.min(most).max(-most)
}

/// The record of a block.
#[inline(always)]
fn record_of<B: Lanes>(records: &mut [B], block: usize, size: usize) -> &mut [B] {
    &mut records[block * size..(block + 1) * size]
}

/// Rows of the velocities and of the displacements of a block of bodies.
#[inline(always)]
fn places<R: Real>(bodies: &[u32], block: usize) -> [[u32; 8]; 2] {
    let mut places = [[0; 8]; 2];
    for lane in 0..R::COUNT {
        let body = bodies[block * R::COUNT + lane];
        places[0][lane] = 2 * body;
        places[1][lane] = 2 * body + 1;
    }
    places
}

#[inline(always)]
fn moving_two<S: Simd, R: Real, M: Mode>(rows: &mut [[R; 4]], group: &mut Group<R>, step: &StepNumbers) {
    const SIZE: usize = record_size(2, true);
    const P: usize = field::POINT[0];
    const Q: usize = field::POINT[1];
    const FIRST: usize = field::FIRST[1];
    let numbers = Numbers::<R::Block<S>>::new(step, step.moving);
    let blocks = group.blocks();
    let give = group.give.blocks::<R::Block<S>>();
    let records = R::Block::<S>::blocks_mut(group.records.as_mut_slice());
    for block in 0..blocks {
        let record = record_of(records, block, SIZE);
        let (at_a, at_b) =
            (places::<R>(group.first.as_slice(), block), places::<R>(group.second.as_slice(), block));
        // SAFETY: the bodies of a group are rows of the states, `Tile::prepare` sees to it.
        let [[vxa, vya, wa, ma], [vxb, vyb, wb, mb]] =
            unsafe { [R::load_quads::<S>(rows, &at_a[0]), R::load_quads::<S>(rows, &at_b[0])] };
        // SAFETY: as above.
        let [[dxa, dya, ta, ia], [dxb, dyb, tb, ib]] =
            unsafe { [R::load_quads::<S>(rows, &at_a[1]), R::load_quads::<S>(rows, &at_b[1])] };
        let (nx, ny) = (record[field::NORMAL_X], record[field::NORMAL_Y]);
        let (tangent_a, tangent_b) = (record[FIRST], record[field::TANGENT_ARM]);
        let (a1, a2) = (record[FIRST + 1], record[FIRST + 2]);
        let (b1, b2) = (record[P + field::ARM], record[Q + field::ARM]);
        let (old_1, old_2) = (record[P + field::IMPULSE], record[Q + field::IMPULSE]);
        let old_t = record[field::TANGENT_IMPULSE];
        let (mut vxa, mut vya, mut wa, mut vxb, mut vyb, mut wb) = (vxa, vya, wa, vxb, vyb, wb);
        let mut change_t = old_t;
        let [mut change_1, mut change_2] = [old_1, old_2];
        if !M::WARM {
            let along = (dxb - dxa) * nx + (dyb - dya) * ny;
            let s1 = record[P + field::SEPARATION] + (along + (tb * b1 - ta * a1));
            let s2 = record[Q + field::SEPARATION] + (along + (tb * b2 - ta * a2));
            let along = (vxb - vxa) * nx + (vyb - vya) * ny;
            let v1 = along + (wb * b1 - wa * a1);
            let v2 = along + (wb * b2 - wa * a2);
            let m = ma + mb;
            let [ia1, ib1, ia2, ib2] = [ia * a1, ib * b1, ia * a2, ib * b2];
            let k = [m + (ia1 * a1 + ib1 * b1), m + (ia1 * a2 + ib1 * b2), m + (ia2 * a2 + ib2 * b2)];
            let normals = numbers.two_points::<M>(k, [v1, v2], [s1, s2], give[block], [old_1, old_2]);
            let [new_1, new_2] = normals.impulses;
            [change_1, change_2] = [new_1 - old_1, new_2 - old_2];
            if M::PUSH {
                [record[P + field::IMPULSE], record[Q + field::IMPULSE]] = [new_1, new_2];
            } else {
                let turn_b = wb + (ib1 * change_1 + ib2 * change_2);
                let turn_a = wa - (ia1 * change_1 + ia2 * change_2);
                // Impulses along the normal do not change the velocity of the centres along the tangent.
                let velocity =
                    ((vyb - vya) * nx - (vxb - vxa) * ny) + (turn_b * tangent_b - turn_a * tangent_a);
                let inverse = m + ((ia * tangent_a) * tangent_a + (ib * tangent_b) * tangent_b);
                let coupling = [ia1 * tangent_a + ib1 * tangent_b, ia2 * tangent_a + ib2 * tangent_b];
                let [more_1, more_2, by_friction] = normals.friction(record, inverse, coupling, velocity);
                change_t = by_friction;
                [change_1, change_2] = [change_1 + more_1, change_2 + more_2];
                [record[P + field::IMPULSE], record[Q + field::IMPULSE]] = [new_1 + more_1, new_2 + more_2];
                record[field::TANGENT_IMPULSE] = old_t + change_t;
            }
        }
        let normal = change_1 + change_2;
        let (mut px, mut py) = (nx * normal, ny * normal);
        let (mut turn_a, mut turn_b) = (a1 * change_1 + a2 * change_2, b1 * change_1 + b2 * change_2);
        if !M::PUSH {
            (px, py) = (px - ny * change_t, py + nx * change_t);
            (turn_a, turn_b) = (turn_a + tangent_a * change_t, turn_b + tangent_b * change_t);
        }
        (vxa, vya, wa) = (vxa - ma * px, vya - ma * py, wa - ia * turn_a);
        (vxb, vyb, wb) = (vxb + mb * px, vyb + mb * py, wb + ib * turn_b);
        // SAFETY: as above.
        unsafe {
            R::store_quads::<S>(rows, &at_a[0], [vxa, vya, wa, ma]);
            R::store_quads::<S>(rows, &at_b[0], [vxb, vyb, wb, mb]);
        }
    }
}

#[inline(always)]
fn moving_one<S: Simd, R: Real, M: Mode>(rows: &mut [[R; 4]], group: &mut Group<R>, step: &StepNumbers) {
    const SIZE: usize = record_size(1, true);
    const P: usize = field::POINT[0];
    const FIRST: usize = field::FIRST[0];
    let numbers = Numbers::<R::Block<S>>::new(step, step.moving);
    let blocks = group.blocks();
    let give = group.give.blocks::<R::Block<S>>();
    let records = R::Block::<S>::blocks_mut(group.records.as_mut_slice());
    for block in 0..blocks {
        let record = record_of(records, block, SIZE);
        let (at_a, at_b) =
            (places::<R>(group.first.as_slice(), block), places::<R>(group.second.as_slice(), block));
        // SAFETY: the bodies of a group are rows of the states, `Tile::prepare` sees to it.
        let [[vxa, vya, wa, ma], [vxb, vyb, wb, mb]] =
            unsafe { [R::load_quads::<S>(rows, &at_a[0]), R::load_quads::<S>(rows, &at_b[0])] };
        // SAFETY: as above.
        let [[dxa, dya, ta, ia], [dxb, dyb, tb, ib]] =
            unsafe { [R::load_quads::<S>(rows, &at_a[1]), R::load_quads::<S>(rows, &at_b[1])] };
        let (nx, ny) = (record[field::NORMAL_X], record[field::NORMAL_Y]);
        let (tangent_a, tangent_b) = (record[FIRST], record[field::TANGENT_ARM]);
        let (a1, b1) = (record[FIRST + 1], record[P + field::ARM]);
        let old = record[P + field::IMPULSE];
        let old_t = record[field::TANGENT_IMPULSE];
        let (mut vxa, mut vya, mut wa, mut vxb, mut vyb, mut wb) = (vxa, vya, wa, vxb, vyb, wb);
        let change = if M::WARM {
            old
        } else {
            let along = (dxb - dxa) * nx + (dyb - dya) * ny;
            let separation = record[P + field::SEPARATION] + (along + (tb * b1 - ta * a1));
            let velocity = ((vxb - vxa) * nx + (vyb - vya) * ny) + (wb * b1 - wa * a1);
            let k = (ma + mb) + ((ia * a1) * a1 + (ib * b1) * b1);
            let new = numbers.one_point::<M>(k, velocity, separation, give[block], old);
            record[P + field::IMPULSE] = new;
            new - old
        };
        let (px, py) = (nx * change, ny * change);
        (vxa, vya, wa) = (vxa - ma * px, vya - ma * py, wa - ia * (a1 * change));
        (vxb, vyb, wb) = (vxb + mb * px, vyb + mb * py, wb + ib * (b1 * change));
        if !M::PUSH {
            let change = if M::WARM {
                old_t
            } else {
                let velocity = ((vyb - vya) * nx - (vxb - vxa) * ny) + (wb * tangent_b - wa * tangent_a);
                let new = friction(record, record[field::TANGENT_MASS], velocity, record[P + field::IMPULSE]);
                record[field::TANGENT_IMPULSE] = new;
                new - old_t
            };
            let (px, py) = (ny * change, nx * change);
            (vxa, vya, wa) = (vxa + ma * px, vya - ma * py, wa - ia * (tangent_a * change));
            (vxb, vyb, wb) = (vxb - mb * px, vyb + mb * py, wb + ib * (tangent_b * change));
        }
        // SAFETY: as above.
        unsafe {
            R::store_quads::<S>(rows, &at_a[0], [vxa, vya, wa, ma]);
            R::store_quads::<S>(rows, &at_b[0], [vxb, vyb, wb, mb]);
        }
    }
}

/// The velocities of the fixed body's points are in the record: `elapsed` seconds of them are a displacement.
#[inline(always)]
fn fixed_two<S: Simd, R: Real, M: Mode>(
    rows: &mut [[R; 4]],
    group: &mut Group<R>,
    step: &StepNumbers,
    elapsed: f64,
) {
    const SIZE: usize = record_size(2, false);
    const P: usize = field::POINT[0];
    const Q: usize = field::POINT[1];
    const FIRST: usize = field::FIRST[1];
    let numbers = Numbers::<R::Block<S>>::new(step, step.fixed);
    let elapsed = R::Block::<S>::splat(elapsed);
    let blocks = group.blocks();
    let give = group.give.blocks::<R::Block<S>>();
    let records = R::Block::<S>::blocks_mut(group.records.as_mut_slice());
    for block in 0..blocks {
        let record = record_of(records, block, SIZE);
        let at = places::<R>(group.second.as_slice(), block);
        // SAFETY: the bodies of a group are rows of the states, `Tile::prepare` sees to it.
        let [[vx, vy, w, m], [dx, dy, t, i]] =
            unsafe { [R::load_quads::<S>(rows, &at[0]), R::load_quads::<S>(rows, &at[1])] };
        let (nx, ny) = (record[field::NORMAL_X], record[field::NORMAL_Y]);
        let tangent = record[field::TANGENT_ARM];
        let (b1, b2) = (record[P + field::ARM], record[Q + field::ARM]);
        let (own_1, own_2) = (record[FIRST], record[FIRST + 1]);
        let (old_1, old_2) = (record[P + field::IMPULSE], record[Q + field::IMPULSE]);
        let old_t = record[field::TANGENT_IMPULSE];
        let (mut vx, mut vy, mut w) = (vx, vy, w);
        let mut change_t = old_t;
        let [mut change_1, mut change_2] = [old_1, old_2];
        if !M::WARM {
            let along = dx * nx + dy * ny;
            let s1 = record[P + field::SEPARATION] + (along + (t * b1 - own_1 * elapsed));
            let s2 = record[Q + field::SEPARATION] + (along + (t * b2 - own_2 * elapsed));
            let along = vx * nx + vy * ny;
            let v1 = along + (w * b1 - own_1);
            let v2 = along + (w * b2 - own_2);
            let [i1, i2] = [i * b1, i * b2];
            let k = [m + i1 * b1, m + i1 * b2, m + i2 * b2];
            let normals = numbers.two_points::<M>(k, [v1, v2], [s1, s2], give[block], [old_1, old_2]);
            let [new_1, new_2] = normals.impulses;
            [change_1, change_2] = [new_1 - old_1, new_2 - old_2];
            if M::PUSH {
                [record[P + field::IMPULSE], record[Q + field::IMPULSE]] = [new_1, new_2];
            } else {
                let turn = w + (i1 * change_1 + i2 * change_2);
                let velocity = (vy * nx - vx * ny) + turn * tangent;
                let coupling = [i1 * tangent, i2 * tangent];
                let inverse = m + (i * tangent) * tangent;
                let [more_1, more_2, by_friction] = normals.friction(record, inverse, coupling, velocity);
                change_t = by_friction;
                [change_1, change_2] = [change_1 + more_1, change_2 + more_2];
                [record[P + field::IMPULSE], record[Q + field::IMPULSE]] = [new_1 + more_1, new_2 + more_2];
                record[field::TANGENT_IMPULSE] = old_t + change_t;
            }
        }
        let normal = change_1 + change_2;
        let (mut px, mut py) = (nx * normal, ny * normal);
        let mut turn = b1 * change_1 + b2 * change_2;
        if !M::PUSH {
            (px, py) = (px - ny * change_t, py + nx * change_t);
            turn += tangent * change_t;
        }
        (vx, vy, w) = (vx + m * px, vy + m * py, w + i * turn);
        // SAFETY: as above.
        unsafe { R::store_quads::<S>(rows, &at[0], [vx, vy, w, m]) };
    }
}

#[inline(always)]
fn fixed_one<S: Simd, R: Real, M: Mode>(
    rows: &mut [[R; 4]],
    group: &mut Group<R>,
    step: &StepNumbers,
    elapsed: f64,
) {
    const SIZE: usize = record_size(1, false);
    const P: usize = field::POINT[0];
    const FIRST: usize = field::FIRST[0];
    let numbers = Numbers::<R::Block<S>>::new(step, step.fixed);
    let elapsed = R::Block::<S>::splat(elapsed);
    let blocks = group.blocks();
    let give = group.give.blocks::<R::Block<S>>();
    let records = R::Block::<S>::blocks_mut(group.records.as_mut_slice());
    for block in 0..blocks {
        let record = record_of(records, block, SIZE);
        let at = places::<R>(group.second.as_slice(), block);
        // SAFETY: the bodies of a group are rows of the states, `Tile::prepare` sees to it.
        let [[vx, vy, w, m], [dx, dy, t, i]] =
            unsafe { [R::load_quads::<S>(rows, &at[0]), R::load_quads::<S>(rows, &at[1])] };
        let (nx, ny) = (record[field::NORMAL_X], record[field::NORMAL_Y]);
        let (tangent, b1, own) = (record[field::TANGENT_ARM], record[P + field::ARM], record[FIRST]);
        let old = record[P + field::IMPULSE];
        let old_t = record[field::TANGENT_IMPULSE];
        let (mut vx, mut vy, mut w) = (vx, vy, w);
        let change = if M::WARM {
            old
        } else {
            let separation = record[P + field::SEPARATION] + ((dx * nx + dy * ny) + (t * b1 - own * elapsed));
            let velocity = (vx * nx + vy * ny) + (w * b1 - own);
            let new = numbers.one_point::<M>(m + (i * b1) * b1, velocity, separation, give[block], old);
            record[P + field::IMPULSE] = new;
            new - old
        };
        (vx, vy, w) = (vx + m * (nx * change), vy + m * (ny * change), w + i * (b1 * change));
        if !M::PUSH {
            let change = if M::WARM {
                old_t
            } else {
                let new = friction(
                    record,
                    record[field::TANGENT_MASS],
                    (vy * nx - vx * ny) + w * tangent,
                    record[P + field::IMPULSE],
                );
                record[field::TANGENT_IMPULSE] = new;
                new - old_t
            };
            (vx, vy, w) = (vx - m * (ny * change), vy + m * (nx * change), w + i * (tangent * change));
        }
        // SAFETY: as above.
        unsafe { R::store_quads::<S>(rows, &at[0], [vx, vy, w, m]) };
    }
}
