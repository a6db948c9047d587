//! The passes of the solvers against the plain equations of docs/methods/rigid2d.md, one contact after the other.

use std::marker::PhantomData;

use super::constraints::{Constraints, GROUPS, both_move, field, points_of, size_of_group};
use super::passes::{Mode, Push, Relax, Softness, StepNumbers, Warm, pass};
use super::states::States;
use crate::frames::random::SplitMix64;
use crate::soa::block::Real;
use crate::soa::level::{Kernel, run_at_each_level};
use crate::soa::simd::Simd;

const BODIES: usize = 60;
/// What keeps a system of two points regular.
const REGULAR: f64 = 1e-3;

/// A body: velocity, displacement, inverse masses along each of the three coordinates.
#[derive(Debug, Clone, Copy)]
struct Body {
    velocity: [f64; 3],
    displacement: [f64; 3],
    inverse: [f64; 3],
}

/// How an impulse acts on both bodies: a row of the Jacobian.
type Row = [[f64; 3]; 2];

/// A contact with its numbers in the order of the fields of a record.
#[derive(Debug, Clone)]
struct Contact {
    group: usize,
    bodies: [usize; 2],
    give: f64,
    record: Vec<f64>,
}

impl Contact {
    fn at(&self, field: usize) -> f64 {
        self.record[field]
    }

    /// The row of a direction: `[-n, -(r_a x n), n, r_b x n]`. A body that no impulse moves has none.
    fn row(&self, direction: [f64; 2], arm_a: f64, arm_b: f64) -> Row {
        let [x, y] = direction;
        let first = if both_move(self.group) { [-x, -y, -arm_a] } else { [0.0; 3] };
        [first, [x, y, arm_b]]
    }

    fn first(&self, n: usize) -> f64 {
        self.at(field::FIRST[points_of(self.group) - 1] + n)
    }

    fn normal_row(&self, point: usize) -> Row {
        let arm_a = if both_move(self.group) { self.first(1 + point) } else { 0.0 };
        let normal = [self.at(field::NORMAL_X), self.at(field::NORMAL_Y)];
        self.row(normal, arm_a, self.at(field::POINT[point] + field::ARM))
    }

    fn tangent_row(&self) -> Row {
        let arm_a = if both_move(self.group) { self.first(0) } else { 0.0 };
        let tangent = [-self.at(field::NORMAL_Y), self.at(field::NORMAL_X)];
        self.row(tangent, arm_a, self.at(field::TANGENT_ARM))
    }

    /// The velocity of a point of a fixed body along the normal.
    fn own(&self, point: usize) -> f64 {
        if both_move(self.group) { 0.0 } else { self.first(point) }
    }

    fn apply(&self, bodies: &mut [Body], row: &Row, impulse: f64) {
        for (side, &body) in self.bodies.iter().enumerate() {
            for axis in 0..3 {
                bodies[body].velocity[axis] += bodies[body].inverse[axis] * row[side][axis] * impulse;
            }
        }
    }

    /// A row times one of the vectors of both bodies.
    fn along(&self, bodies: &[Body], row: &Row, of: impl Fn(&Body) -> [f64; 3]) -> f64 {
        let of_side = |side: usize| {
            let vector = of(&bodies[self.bodies[side]]);
            (0..3).map(|axis| row[side][axis] * vector[axis]).sum::<f64>()
        };
        of_side(0) + of_side(1)
    }

    /// `J M^-1 J^T` of two rows.
    fn inverse_mass(&self, bodies: &[Body], one: &Row, other: &Row) -> f64 {
        let of_side = |side: usize| {
            let inverse = bodies[self.bodies[side]].inverse;
            (0..3).map(|axis| one[side][axis] * inverse[axis] * other[side][axis]).sum::<f64>()
        };
        of_side(0) + of_side(1)
    }

    /// The velocity that a point aims at, with its sign turned, and its softness.
    fn aim<M: Mode>(&self, separation: f64, step: &StepNumbers) -> (f64, f64) {
        let Softness { rate, softness } = if both_move(self.group) { step.moving } else { step.fixed };
        if separation > 0.0 {
            (separation / step.h, 0.0)
        } else if M::PUSH {
            (f64::max(rate * f64::min(separation + step.slop, 0.0), -step.push), softness * self.give)
        } else {
            (0.0, 0.0)
        }
    }

    /// The impulses along the normal and the system that they solve.
    fn normals<M: Mode>(
        &self,
        bodies: &[Body],
        step: &StepNumbers,
        elapsed: f64,
    ) -> (Vec<f64>, [[f64; 2]; 2]) {
        let points = points_of(self.group);
        let rows: Vec<Row> = (0..points).map(|point| self.normal_row(point)).collect();
        let mut system = [[1.0, 0.0], [0.0, 1.0]];
        let mut target = [0.0; 2];
        for i in 0..points {
            let at = field::POINT[i];
            let moved = self.along(bodies, &rows[i], |body| body.displacement) - self.own(i) * elapsed;
            let velocity = self.along(bodies, &rows[i], |body| body.velocity) - self.own(i);
            let (aim, softness) = self.aim::<M>(self.at(at + field::SEPARATION) + moved, step);
            let k = self.inverse_mass(bodies, &rows[i], &rows[i]);
            let regular = if points == 2 { REGULAR } else { 0.0 };
            for j in 0..points {
                system[i][j] = self.inverse_mass(bodies, &rows[i], &rows[j]);
            }
            system[i][i] += k * (softness + regular);
            let impulse = |point: usize| self.at(field::POINT[point] + field::IMPULSE);
            target[i] = -(velocity + aim + k * softness * impulse(i));
            target[i] += (0..points).map(|j| system[i][j] * impulse(j)).sum::<f64>();
        }
        (complementary(system, target)[..points].to_vec(), system)
    }

    /// The impulse of friction with an effective mass, within the cone.
    fn friction(&self, bodies: &[Body], mass: f64, normal_impulse: f64) -> f64 {
        let velocity = self.along(bodies, &self.tangent_row(), |body| body.velocity);
        let most = self.at(field::FRICTION) * normal_impulse;
        (self.at(field::TANGENT_IMPULSE) - mass * (velocity - self.at(field::SURFACE))).clamp(-most, most)
    }

    fn pass<M: Mode>(&mut self, bodies: &mut [Body], step: &StepNumbers, elapsed: f64) {
        let points = points_of(self.group);
        if M::WARM {
            for point in 0..points {
                self.apply(bodies, &self.normal_row(point), self.at(field::POINT[point] + field::IMPULSE));
            }
            self.apply(bodies, &self.tangent_row(), self.at(field::TANGENT_IMPULSE));
            return;
        }
        let (mut new, system) = self.normals::<M>(bodies, step, elapsed);
        for (point, &new) in new.iter().enumerate() {
            let old = self.at(field::POINT[point] + field::IMPULSE);
            self.apply(bodies, &self.normal_row(point), new - old);
        }
        if !M::PUSH {
            let tangent = self.tangent_row();
            let mut held = self.inverse_mass(bodies, &tangent, &tangent);
            // While both points press, they answer to friction: the Schur complement.
            let mut answer = [0.0; 2];
            if points == 2 && new.iter().all(|&impulse| impulse > 0.0) {
                let coupling = [0, 1].map(|n| self.inverse_mass(bodies, &self.normal_row(n), &tangent));
                answer = solve(system, coupling).map(|answer| -answer);
                held += coupling[0] * answer[0] + coupling[1] * answer[1];
            }
            let mass = if points == 1 { self.at(field::TANGENT_MASS) } else { 1.0 / held };
            let impulse = self.friction(bodies, mass, new.iter().sum());
            let change = impulse - self.at(field::TANGENT_IMPULSE);
            self.apply(bodies, &tangent, change);
            let more = answer.map(|answer| answer * change);
            if points == 2 && (0..2).all(|n| new[n] + more[n] >= 0.0) {
                for n in 0..2 {
                    self.apply(bodies, &self.normal_row(n), more[n]);
                    new[n] += more[n];
                }
            }
            self.record[field::TANGENT_IMPULSE] = impulse;
        }
        for (point, &new) in new.iter().enumerate() {
            self.record[field::POINT[point] + field::IMPULSE] = new;
        }
    }
}

/// The solution of two linear equations.
fn solve([[a, b], [c, d]]: [[f64; 2]; 2], [x, y]: [f64; 2]) -> [f64; 2] {
    let determinant = a * d - b * c;
    [(d * x - b * y) / determinant, (a * y - c * x) / determinant]
}

/// The numbers `x >= 0` for which `A x - z >= 0`, one of both being 0 in each row: of four cases the one that holds.
fn complementary(a: [[f64; 2]; 2], z: [f64; 2]) -> [f64; 2] {
    let both = solve(a, z);
    let alone = [z[0] / a[0][0], z[1] / a[1][1]];
    if both[0] >= 0.0 && both[1] >= 0.0 {
        both
    } else if alone[0] >= 0.0 && a[1][0] * alone[0] - z[1] >= 0.0 {
        [alone[0], 0.0]
    } else if alone[1] >= 0.0 && a[0][1] * alone[1] - z[0] >= 0.0 {
        [0.0, alone[1]]
    } else {
        [0.0, 0.0]
    }
}

/// Random bodies; one of mass infinity and one that stays at rest are among them.
fn random_bodies(random: &mut SplitMix64) -> Vec<Body> {
    let mut three = |scale: f64| [(); 3].map(|()| scale * random.real());
    let mut body = || {
        let [mass, moment, _] = three(1.0).map(|number| 0.1 + number.abs());
        Body { velocity: three(3.0), displacement: three(0.02), inverse: [mass, mass, moment] }
    };
    (0..BODIES).map(|_| body()).collect()
}

/// Contacts of all groups; those of one block have no body in common.
fn random_contacts<R: Real>(random: &mut SplitMix64, bodies: &[Body]) -> Vec<Contact> {
    let mut contacts = Vec::new();
    for group in 0..GROUPS {
        for block in 0..5 {
            let start = random.bits() as usize % BODIES;
            for lane in 0..R::COUNT {
                let body = |n: usize| (start + 7 * (2 * lane + n) + block) % BODIES;
                contacts.push(random_contact(random, group, [body(0), body(1)], bodies));
            }
        }
    }
    contacts
}

fn random_contact(random: &mut SplitMix64, group: usize, pair: [usize; 2], bodies: &[Body]) -> Contact {
    let direction = crate::geometry::Rotation::from_angle(3.2 * random.real());
    let mut record: Vec<f64> = (0..size_of_group(group)).map(|_| random.real()).collect();
    (record[field::NORMAL_X], record[field::NORMAL_Y]) = (direction.cos, direction.sin);
    record[field::FRICTION] = random.real().abs();
    for point in 0..points_of(group) {
        // Apart, touching, overlapping.
        record[field::POINT[point] + field::SEPARATION] = 0.03 * random.real();
        record[field::POINT[point] + field::IMPULSE] = f64::max(0.0, 2.0 * random.real());
    }
    let mut contact = Contact { group, bodies: pair, give: 0.5 + random.real().abs(), record };
    let row = contact.tangent_row();
    contact.record[field::TANGENT_MASS] = 1.0 / contact.inverse_mass(bodies, &row, &row);
    contact
}

/// One pass of the kernels over copies of states and constraints.
struct RunPass<'a, R: Real, M>(&'a States<R>, &'a Constraints<R>, StepNumbers, f64, PhantomData<M>);

impl<R: Real, M> Clone for RunPass<'_, R, M> {
    fn clone(&self) -> Self {
        Self(self.0, self.1, self.2, self.3, PhantomData)
    }
}

impl<R: Real, M: Mode> Kernel for RunPass<'_, R, M> {
    type Output = (States<R>, Constraints<R>);

    #[inline(always)]
    fn run<S: Simd>(self) -> (States<R>, Constraints<R>) {
        let (mut states, mut constraints) = (self.0.clone(), self.1.clone());
        pass::<S, R, M>(&mut states, &mut constraints, &self.2, self.3);
        (states, constraints)
    }
}

fn to_states<R: Real>(bodies: &[Body]) -> States<R> {
    let mut states = States::new();
    states.resize(bodies.len()).unwrap();
    for (n, body) in bodies.iter().enumerate() {
        states.set(n, body.velocity, [body.inverse[0], body.inverse[2]], [0.0; 3], 1.0);
        for axis in 0..3 {
            states.rows_mut()[2 * n + 1][axis] = R::nearest(body.displacement[axis]);
        }
    }
    states.set(bodies.len(), [0.0; 3], [1.0, 0.0], [0.0; 3], 0.0);
    states
}

/// The contacts in blocks; every group gets a block more, which is not used.
fn to_constraints<R: Real>(contacts: &[Contact]) -> Constraints<R> {
    let mut constraints = Constraints::new();
    for group in 0..GROUPS {
        let of_group: Vec<&Contact> = contacts.iter().filter(|contact| contact.group == group).collect();
        let size = size_of_group(group);
        let out = &mut constraints.groups[group];
        out.resize(of_group.len() / R::COUNT + 1).unwrap();
        out.fit_records(size).unwrap();
        out.first.as_mut_slice().fill(BODIES as u32);
        out.second.as_mut_slice().fill(BODIES as u32);
        for (at, contact) in of_group.iter().enumerate() {
            out.first.as_mut_slice()[at] = contact.bodies[0] as u32;
            out.second.as_mut_slice()[at] = contact.bodies[1] as u32;
            out.give.as_mut_slice()[at] = R::nearest(contact.give);
            for (n, &number) in contact.record.iter().enumerate() {
                out.records.as_mut_slice()[(at / R::COUNT * size + n) * R::COUNT + at % R::COUNT] =
                    R::nearest(number);
            }
        }
    }
    constraints
}

/// What the lanes read of a number.
fn round<R: Real>(number: f64) -> f64 {
    R::nearest(number).widen()
}

fn compare<R: Real, M: Mode>(seed: u64, tolerance: f64) {
    let mut random = SplitMix64(seed);
    let spring = |hertz: f64| Softness::new(hertz, 10.0, 1.0 / 240.0);
    let step =
        StepNumbers { h: 1.0 / 240.0, moving: spring(30.0), fixed: spring(60.0), slop: 0.005, push: 0.3 };
    let elapsed = 1.0 / 120.0;
    let narrow = |body: Body| Body {
        velocity: body.velocity.map(round::<R>),
        displacement: body.displacement.map(round::<R>),
        inverse: body.inverse.map(round::<R>),
    };
    let mut bodies: Vec<Body> = random_bodies(&mut random).into_iter().map(narrow).collect();
    let mut contacts = random_contacts::<R>(&mut random, &bodies);
    for contact in &mut contacts {
        contact.record.iter_mut().for_each(|number| *number = round::<R>(*number));
    }
    let (states, constraints) = (to_states::<R>(&bodies), to_constraints::<R>(&contacts));
    let found = run_at_each_level(&RunPass::<R, M>(&states, &constraints, step, elapsed, PhantomData));
    contacts.iter_mut().for_each(|contact| contact.pass::<M>(&mut bodies, &step, elapsed));
    for (states, constraints) in found {
        for (n, body) in bodies.iter().enumerate() {
            let velocity = states.get(n).velocity;
            for axis in 0..3 {
                let (found, expected) = (velocity[axis], body.velocity[axis]);
                let off = (found - expected).abs();
                assert!(off < tolerance * (1.0 + expected.abs()), "body {n}: {velocity:?} {body:?}");
            }
        }
        let mut next = [0; GROUPS];
        for contact in &contacts {
            let (group, at) = (contact.group, next[contact.group]);
            next[group] += 1;
            for (n, &expected) in contact.record.iter().enumerate() {
                let place = (at / R::COUNT * size_of_group(group) + n) * R::COUNT + at % R::COUNT;
                let found = constraints.groups[group].records.as_slice()[place].widen();
                let off = (found - expected).abs();
                assert!(off < tolerance * (1.0 + expected.abs()), "{group} {n}: {found} {contact:?}");
            }
        }
        assert_eq!(states.get(BODIES).velocity, [0.0; 3]);
    }
}

#[test]
fn passes_are_those_of_the_scalar_twin() {
    for seed in 0..40 {
        compare::<f64, Warm>(seed, 1e-12);
        compare::<f64, Push>(seed, 1e-11);
        compare::<f64, Relax>(seed, 1e-11);
        compare::<f32, Warm>(seed, 1e-5);
        compare::<f32, Push>(seed, 1e-3);
        compare::<f32, Relax>(seed, 1e-3);
    }
}
