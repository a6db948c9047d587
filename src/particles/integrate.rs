//! Motion over a time without collisions (PBPhys equations 1 and 2, docs/methods/particles.md).

use super::store::Particles;
use crate::soa::Column;
use crate::soa::lanes::{self, Block, LANES};
use crate::soa::par::{Context, Divide};

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
            out: out.blocks_mut(),
            velocity: particles.velocity[axis].blocks(),
            acceleration: particles.acceleration[axis].blocks(),
            attraction: system.attraction.map(|columns| columns[axis].blocks()),
            uniform: system.uniform[axis],
            drag: particles.drag.blocks(),
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
    out: &'a mut [Block],
    velocity: &'a [Block],
    acceleration: &'a [Block],
    attraction: Option<&'a [Block]>,
    uniform: f64,
    drag: &'a [Block],
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
        let (uniform, half_dt) = (lanes::splat(self.uniform), lanes::splat(0.5 * self.dt));
        for (i, out) in self.out.iter_mut().enumerate() {
            let system = self.attraction.map_or(uniform, |column| uniform + column[i]);
            let acceleration = (self.acceleration[i] + system) - self.drag[i] * self.velocity[i];
            let fixed = fixed_mask(self.fixed, i);
            *out = lanes::select(fixed, Block::ZERO, self.velocity[i] + acceleration * half_dt);
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
        drag: particles.drag.blocks(),
        fixed: particles.fixed.padded(),
        dt,
    };
    context.run(work, CHUNK);
}

/// The part of the motion that one thread does.
struct Motion<'a, const D: usize> {
    position: [&'a mut [Block]; D],
    velocity: [&'a mut [Block]; D],
    acceleration: [&'a [Block]; D],
    attraction: Option<[&'a [Block]; D]>,
    uniform: [f64; D],
    drag: &'a [Block],
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

    /// Axis by axis: a chunk's drags and flags stay in the cache from one axis to the next.
    fn work(self) {
        let blocks = self.size();
        for (axis, (position, velocity)) in self.position.into_iter().zip(self.velocity).enumerate() {
            let attraction = self.attraction.map(|columns| &columns[axis][..blocks]);
            let axis = Axis {
                acceleration: &self.acceleration[axis][..blocks],
                uniform: lanes::splat(self.uniform[axis]),
                drag: self.drag,
                fixed: &self.fixed[..blocks * LANES],
                dt: self.dt,
            };
            match attraction {
                None => axis.advance(position, velocity, |_| axis.uniform),
                Some(column) => axis.advance(position, velocity, |i| axis.uniform + column[i]),
            }
        }
    }
}

/// One axis of a chunk, all slices of the same number of blocks.
struct Axis<'a> {
    acceleration: &'a [Block],
    uniform: Block,
    drag: &'a [Block],
    fixed: &'a [u8],
    dt: f64,
}

impl Axis<'_> {
    #[inline(always)]
    fn advance(&self, position: &mut [Block], velocity: &mut [Block], system: impl Fn(usize) -> Block) {
        let dt = lanes::splat(self.dt);
        let half_dt2 = lanes::splat(0.5 * self.dt * self.dt);
        let rows = position.iter_mut().zip(velocity).zip(self.acceleration).zip(self.drag);
        for (i, (((position, velocity), &user), &drag)) in rows.enumerate() {
            let fixed = fixed_mask(self.fixed, i);
            let acceleration = (user + system(i)) - drag * *velocity;
            let moved = *position + (*velocity * dt + acceleration * half_dt2);
            let faster = *velocity + acceleration * dt;
            *position = lanes::select(fixed, *position, moved);
            *velocity = lanes::select(fixed, *velocity, faster);
        }
    }
}

/// The mask of the fixed particles of block `i`.
#[inline(always)]
fn fixed_mask(flags: &[u8], i: usize) -> Block {
    let bytes = &flags[i * LANES..(i + 1) * LANES];
    lanes::mask_from_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

fn readable<const D: usize>(columns: &[Column<f64>]) -> [&[Block]; D] {
    std::array::from_fn(|axis| columns[axis].blocks())
}

fn writable<const D: usize>(columns: &mut [Column<f64>]) -> [&mut [Block]; D] {
    let mut columns = columns.iter_mut();
    std::array::from_fn(|_| columns.next().expect("one column per axis").blocks_mut())
}

fn split<const D: usize>(slices: [&[Block]; D], at: usize) -> ([&[Block]; D], [&[Block]; D]) {
    (slices.map(|slice| &slice[..at]), slices.map(|slice| &slice[at..]))
}

fn split_mut<const D: usize>(slices: [&mut [Block]; D], at: usize) -> ([&mut [Block]; D], [&mut [Block]; D]) {
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
