//! Motion over a time without collisions (PBPhys equations 1 and 2, docs/methods/particles.md).

use super::store::Particles;
use crate::soa::Column;
use crate::soa::block::{Doubles, LANES, Mask, Quantity, each};
use crate::soa::level::{self, Kernel};
use crate::soa::par::{Context, Divide};
use crate::soa::simd::Simd;

/// The numbers of a block.
type Quad = [f64; LANES];

/// Blocks per chunk: the columns of a chunk fit into the L2 cache.
const CHUNK: usize = 1024;

/// The system acceleration: the same for all particles, plus what attraction adds to each.
#[derive(Debug, Clone, Copy)]
pub struct System<'a> {
    /// one number per axis, in metres per second squared.
    pub uniform: &'a [f64],
    /// one column per axis, in metres per second squared.
    pub attraction: Option<&'a [Column<f64>]>,
}

impl System<'_> {
    /// The system acceleration of one particle on one axis.
    #[inline(always)]
    #[must_use]
    pub fn at(&self, axis: usize, index: usize) -> f64 {
        match self.attraction {
            Some(columns) => self.uniform[axis] + columns[axis].as_slice()[index],
            None => self.uniform[axis],
        }
    }
}

/// Total acceleration `A + system - k S` on one axis.
#[inline(always)]
#[must_use]
pub fn total_acceleration(user: f64, system: f64, drag: f64, velocity: f64) -> f64 {
    (user + system) - drag * velocity
}

/// Position and velocity on one axis after `dt` seconds of constant acceleration.
#[inline(always)]
#[must_use]
pub fn advance(position: f64, velocity: f64, acceleration: f64, dt: f64) -> (f64, f64) {
    (position + (velocity * dt + acceleration * (0.5 * dt * dt)), velocity + acceleration * dt)
}

/// Mean velocity of that motion, W = displacement / dt, on one axis.
#[inline(always)]
#[must_use]
pub fn mean_velocity(velocity: f64, acceleration: f64, dt: f64) -> f64 {
    velocity + acceleration * (0.5 * dt)
}

/// Moves all particles that are not fixed by `dt` seconds.
pub fn integrate(particles: &mut Particles, system: &System, dt: f64, context: &Context) {
    match particles.dim() {
        1 => run::<1>(particles, 0, system, dt, context),
        2 => run::<2>(particles, 0, system, dt, context),
        3 => run::<3>(particles, 0, system, dt, context),
        dim => (0..dim).for_each(|axis| run::<1>(particles, axis, system, dt, context)),
    }
}

/// The scalar twin of [`integrate`].
#[doc(hidden)]
pub fn integrate_scalar(particles: &mut Particles, system: &System, dt: f64) {
    for index in (0..particles.len()).filter(|&i| particles.fixed.as_slice()[i] == 0).collect::<Vec<_>>() {
        for axis in 0..particles.dim() {
            let velocity = particles.velocity[axis].as_slice()[index];
            let acceleration = acceleration_at(particles, system, axis, index);
            let (position, velocity) =
                advance(particles.position[axis].as_slice()[index], velocity, acceleration, dt);
            particles.position[axis].as_mut_slice()[index] = position;
            particles.velocity[axis].as_mut_slice()[index] = velocity;
        }
    }
}

/// Total acceleration of one particle on one axis.
fn acceleration_at(particles: &Particles, system: &System, axis: usize, index: usize) -> f64 {
    let row = |column: &Column<f64>| column.as_slice()[index];
    total_acceleration(
        row(&particles.acceleration[axis]),
        system.at(axis, index),
        row(&particles.drag),
        row(&particles.velocity[axis]),
    )
}

/// Fills `out`, one column per axis, with the mean velocity W of every particle over `dt`; 0 for fixed ones.
pub fn mean_velocities(
    particles: &Particles,
    system: &System,
    dt: f64,
    context: &Context,
    out: &mut [Column<f64>],
) {
    for (axis, out) in out.iter_mut().enumerate() {
        let work = Means {
            out: out.quads_mut(),
            velocity: particles.velocity[axis].quads(),
            acceleration: particles.acceleration[axis].quads(),
            attraction: system.attraction.map(|columns| columns[axis].quads()),
            uniform: system.uniform[axis],
            drag: particles.drag.quads(),
            fixed: particles.fixed.padded(),
            dt,
        };
        context.run(work, CHUNK);
    }
}

/// The scalar twin of [`mean_velocities`]: for each axis one slice.
#[doc(hidden)]
pub fn mean_velocities_scalar(particles: &Particles, system: &System, dt: f64, out: &mut [Vec<f64>]) {
    for (axis, out) in out.iter_mut().enumerate() {
        for (index, out) in out.iter_mut().enumerate() {
            let velocity = particles.velocity[axis].as_slice()[index];
            let acceleration = acceleration_at(particles, system, axis, index);
            let fixed = particles.fixed.as_slice()[index] != 0;
            *out = if fixed { 0.0 } else { mean_velocity(velocity, acceleration, dt) };
        }
    }
}

/// The part of the mean velocities on one axis that one thread does.
struct Means<'a> {
    out: &'a mut [Quad],
    velocity: &'a [Quad],
    acceleration: &'a [Quad],
    attraction: Option<&'a [Quad]>,
    uniform: f64,
    drag: &'a [Quad],
    fixed: &'a [u8],
    dt: f64,
}

impl Divide for Means<'_> {
    fn size(&self) -> usize {
        self.out.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (out, out_rest) = self.out.split_at_mut(at);
        let (attraction, attraction_rest) = self.attraction.map(|column| column.split_at(at)).unzip();
        (
            Self { out, attraction, ..self },
            Self {
                out: out_rest,
                velocity: &self.velocity[at..],
                acceleration: &self.acceleration[at..],
                attraction: attraction_rest,
                drag: &self.drag[at..],
                fixed: &self.fixed[at * LANES..],
                ..self
            },
        )
    }

    fn work(self) {
        level::run(self);
    }
}

impl Kernel for Means<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let (uniform, half_dt) = (S::Block::splat(self.uniform), S::Block::splat(0.5 * self.dt));
        let [velocity, user, drag] =
            each!(n in [0, 1, 2] => S::Block::of_quads([self.velocity, self.acceleration, self.drag][n]));
        let attraction = self.attraction.map(S::Block::of_quads);
        for (i, out) in S::Block::of_quads_mut(self.out).iter_mut().enumerate() {
            let system = match attraction {
                Some(column) => uniform + column[i],
                None => uniform,
            };
            let acceleration = (user[i] + system) - drag[i] * velocity[i];
            let fixed: S::Block = fixed_mask(self.fixed, i);
            *out = fixed.select(S::Block::ZERO, velocity[i] + acceleration * half_dt);
        }
    }
}

fn run<const D: usize>(
    particles: &mut Particles,
    first_axis: usize,
    system: &System,
    dt: f64,
    context: &Context,
) {
    let axes = first_axis..first_axis + D;
    let work = Motion::<D> {
        position: writable(&mut particles.position[axes.clone()]),
        velocity: writable(&mut particles.velocity[axes.clone()]),
        acceleration: readable(&particles.acceleration[axes.clone()]),
        attraction: system.attraction.map(|columns| readable(&columns[axes.clone()])),
        uniform: std::array::from_fn(|axis| system.uniform[first_axis + axis]),
        drag: particles.drag.quads(),
        fixed: particles.fixed.padded(),
        dt,
    };
    context.run(work, CHUNK);
}

/// The part of the motion that one thread does.
struct Motion<'a, const D: usize> {
    position: [&'a mut [Quad]; D],
    velocity: [&'a mut [Quad]; D],
    acceleration: [&'a [Quad]; D],
    attraction: Option<[&'a [Quad]; D]>,
    uniform: [f64; D],
    drag: &'a [Quad],
    fixed: &'a [u8],
    dt: f64,
}

impl<const D: usize> Divide for Motion<'_, D> {
    fn size(&self) -> usize {
        self.drag.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (position, position_rest) = split_mut(self.position, at);
        let (velocity, velocity_rest) = split_mut(self.velocity, at);
        let (acceleration, acceleration_rest) = split(self.acceleration, at);
        let (attraction, attraction_rest) = self.attraction.map(|columns| split(columns, at)).unzip();
        let (drag, drag_rest) = self.drag.split_at(at);
        let (fixed, fixed_rest) = self.fixed.split_at(at * LANES);
        let (uniform, dt) = (self.uniform, self.dt);
        (
            Self { position, velocity, acceleration, attraction, uniform, drag, fixed, dt },
            Self {
                position: position_rest,
                velocity: velocity_rest,
                acceleration: acceleration_rest,
                attraction: attraction_rest,
                uniform,
                drag: drag_rest,
                fixed: fixed_rest,
                dt,
            },
        )
    }

    fn work(self) {
        level::run(self);
    }
}

impl<const D: usize> Kernel for Motion<'_, D> {
    type Output = ();

    /// Axis by axis: a chunk's drags and flags stay in the cache from one axis to the next.
    #[inline(always)]
    fn run<S: Simd>(self) {
        let blocks = self.drag.len();
        for (axis, (position, velocity)) in self.position.into_iter().zip(self.velocity).enumerate() {
            let (position, velocity) = (S::Block::of_quads_mut(position), S::Block::of_quads_mut(velocity));
            let axis_of_chunk = Axis {
                acceleration: &S::Block::of_quads(self.acceleration[axis])[..blocks],
                uniform: S::Block::splat(self.uniform[axis]),
                drag: S::Block::of_quads(self.drag),
                fixed: &self.fixed[..blocks * LANES],
                dt: self.dt,
            };
            match self.attraction {
                None => axis_of_chunk.advance::<false>(position, velocity, &[]),
                Some(columns) => {
                    let column = &S::Block::of_quads(columns[axis])[..blocks];
                    axis_of_chunk.advance::<true>(position, velocity, column);
                }
            }
        }
    }
}

/// One axis of a chunk, all slices of the same number of blocks.
struct Axis<'a, B> {
    acceleration: &'a [B],
    uniform: B,
    drag: &'a [B],
    fixed: &'a [u8],
    dt: f64,
}

impl<B: Doubles> Axis<'_, B> {
    /// `attraction` is as long as the other slices if the particles are attracted.
    #[inline(always)]
    fn advance<const ATTRACTED: bool>(&self, position: &mut [B], velocity: &mut [B], attraction: &[B]) {
        let dt = B::splat(self.dt);
        let half_dt2 = B::splat(0.5 * self.dt * self.dt);
        let rows = position.iter_mut().zip(velocity).zip(self.acceleration).zip(self.drag);
        for (i, (((position, velocity), &user), &drag)) in rows.enumerate() {
            let fixed: B = fixed_mask(self.fixed, i);
            let system = if ATTRACTED { self.uniform + attraction[i] } else { self.uniform };
            let acceleration = (user + system) - drag * *velocity;
            let moved = *position + (*velocity * dt + acceleration * half_dt2);
            let faster = *velocity + acceleration * dt;
            *position = fixed.select(*position, moved);
            *velocity = fixed.select(*velocity, faster);
        }
    }
}

/// The mask of the fixed particles of block `i`.
#[inline(always)]
fn fixed_mask<B: Doubles>(flags: &[u8], i: usize) -> B {
    let bytes = &flags[i * LANES..(i + 1) * LANES];
    B::mask_of([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn readable<const D: usize>(columns: &[Column<f64>]) -> [&[Quad]; D] {
    std::array::from_fn(|axis| columns[axis].quads())
}

fn writable<const D: usize>(columns: &mut [Column<f64>]) -> [&mut [Quad]; D] {
    let mut columns = columns.iter_mut();
    std::array::from_fn(|_| columns.next().expect("one column per axis").quads_mut())
}

fn split<const D: usize>(slices: [&[Quad]; D], at: usize) -> ([&[Quad]; D], [&[Quad]; D]) {
    (slices.map(|slice| &slice[..at]), slices.map(|slice| &slice[at..]))
}

fn split_mut<const D: usize>(slices: [&mut [Quad]; D], at: usize) -> ([&mut [Quad]; D], [&mut [Quad]; D]) {
    let mut first = [const { None }; D];
    let second = {
        let mut slots = first.iter_mut();
        slices.map(|slice| {
            let (head, tail) = slice.split_at_mut(at);
            *slots.next().expect("one slot an axis") = Some(head);
            tail
        })
    };
    (first.map(|head| head.expect("every slot is filled")), second)
}
