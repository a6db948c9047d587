//! Bodies from their columns to the kernels, in lanes.

use super::bodies::{BodiesMut, Kind, flag};
use crate::rigid2d::solver::states::States;
use crate::soa::block::{Doubles, LANES, Lanes, Quantity, Real, each};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Four entries of a column, from anywhere.
#[inline(always)]
pub(super) fn four<S: Simd>(column: &[f64], at: usize) -> S::Block {
    let entries = &column[at..at + LANES];
    S::Block::new(each!(lane in [0, 1, 2, 3] => entries[lane]))
}

/// Writes poses `[x, y, cos, sin]` and, if they are wanted, ways `[x, y, turn, 0]` of whole blocks of bodies. Returns how many.
pub(super) struct LoadPoses<'a, 'b, R: Real> {
    pub(super) bodies: &'a BodiesMut<'b>,
    pub(super) poses: &'a mut [[f64; 4]],
    pub(super) ways: &'a mut [[R; 4]],
    /// Duration of the step, in seconds.
    pub(super) dt: f64,
}

/// The farthest that a turn moves a point in a second, in metres.
pub(super) const MOST_TURN: f64 = 1e9;

impl<R: Real> Kernel for LoadPoses<'_, '_, R> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self) -> usize {
        let Self { bodies, poses, ways, dt } = self;
        let whole = bodies.len() / R::COUNT * R::COUNT;
        for first in (0..whole).step_by(LANES) {
            let columns = [
                four::<S>(bodies.x, first),
                four::<S>(bodies.y, first),
                four::<S>(bodies.cos, first),
                four::<S>(bodies.sin, first),
            ];
            let rows = S::Block::transpose(columns);
            let out = &mut poses[first..first + LANES];
            for lane in 0..LANES {
                out[lane] = rows[lane].to_array();
            }
        }
        if ways.is_empty() {
            return whole;
        }
        let dt = S::Block::splat(dt);
        for first in (0..whole).step_by(R::COUNT) {
            let mut halves = [[S::Block::ZERO; 4]; 2];
            for half in 0..R::COUNT / LANES {
                let at = first + half * LANES;
                let turn = (four::<S>(bodies.angular_velocity, at) * four::<S>(bodies.extent, at)).abs();
                halves[half] = [
                    four::<S>(bodies.velocity_x, at) * dt,
                    four::<S>(bodies.velocity_y, at) * dt,
                    turn.min(S::Block::splat(MOST_TURN)) * dt,
                    S::Block::ZERO,
                ];
            }
            let places = places::<R>(first, 1, 0);
            // SAFETY: there is a way for each body.
            unsafe { R::store_quads::<S>(ways, &places, R::join::<S, 4>(halves)) };
        }
        whole
    }
}

/// Rows of a block of bodies, with so many rows each.
#[inline(always)]
fn places<R: Real>(first: usize, rows: usize, row: usize) -> [u32; 8] {
    let mut places = [0; 8];
    for lane in 0..R::COUNT {
        places[lane] = (rows * (first + lane) + row) as u32;
    }
    places
}

/// What accelerates bodies.
#[derive(Clone, Copy)]
pub(super) struct Accelerations<'a> {
    /// Per space, in metres per second squared.
    pub(super) gravity: &'a [[f64; 2]],
    pub(super) bodies_per_space: usize,
    /// Whether there may be forces or torques.
    pub(super) forced: bool,
}

impl Accelerations<'_> {
    /// Those of four bodies by gravity, forces and torques: the lanes of `Tile::accelerate`, but for bodies whose velocity is
    /// integrated by the caller.
    #[inline(always)]
    pub(super) fn four<S: Simd>(&self, bodies: &BodiesMut<'_>, at: usize) -> [S::Block; 3] {
        let mut is_moved = [0; LANES];
        for lane in 0..LANES {
            let rests = bodies.flags[at + lane] & (flag::ASLEEP | flag::OWN_VELOCITY);
            is_moved[lane] = u8::from(bodies.kind[at + lane] == Kind::Dynamic as u8 && rests == 0);
        }
        let is_moved = S::Block::mask_of(is_moved);
        let [gx, gy] = self.gravity_of_four::<S>(at);
        // As a force of 0 is added.
        let zero = S::Block::ZERO;
        let mut by_forces = [gx + zero, gy + zero, zero];
        if self.forced {
            let (m, i) = (four::<S>(bodies.inverse_mass, at), four::<S>(bodies.inverse_moment, at));
            by_forces = [
                gx + m * four::<S>(bodies.force_x, at),
                gy + m * four::<S>(bodies.force_y, at),
                i * four::<S>(bodies.torque, at),
            ];
        }
        each!(axis in [0, 1, 2] => by_forces[axis] & is_moved)
    }

    #[inline(always)]
    fn gravity_of_four<S: Simd>(&self, at: usize) -> [S::Block; 2] {
        let first = if self.gravity.len() == 1 { 0 } else { at / self.bodies_per_space };
        let last = if self.gravity.len() == 1 { 0 } else { (at + LANES - 1) / self.bodies_per_space };
        if first == last {
            let [x, y] = self.gravity[first];
            return [S::Block::splat(x), S::Block::splat(y)];
        }
        let of = each!(lane in [0, 1, 2, 3] => self.gravity[(at + lane) / self.bodies_per_space]);
        each!(axis in [0, 1] => S::Block::new(each!(lane in [0, 1, 2, 3] => of[lane][axis])))
    }
}

/// Writes the states of whole blocks of bodies. Returns how many.
pub(super) struct LoadStates<'a, 'b, R: Real> {
    pub(super) bodies: &'a BodiesMut<'b>,
    pub(super) accelerations: Accelerations<'a>,
    /// Duration of a substep, in seconds.
    pub(super) h: f64,
    pub(super) states: &'a mut States<R>,
}

impl<R: Real> Kernel for LoadStates<'_, '_, R> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self) -> usize {
        let Self { bodies, accelerations, h, states } = self;
        let whole = bodies.len() / R::COUNT * R::COUNT;
        let h = S::Block::splat(h);
        let zero = R::Block::<S>::ZERO;
        let (rows, changes, smooths) = states.parts_to_set();
        for first in (0..whole).step_by(R::COUNT) {
            let mut halves = [[S::Block::ZERO; 9]; 2];
            for half in 0..R::COUNT / LANES {
                let at = first + half * LANES;
                let acceleration = accelerations.four::<S>(bodies, at);
                let [x, y, w] = each!(axis in [0, 1, 2] => acceleration[axis] * h);
                let turn = w * four::<S>(bodies.extent, at);
                halves[half] = [
                    four::<S>(bodies.velocity_x, at),
                    four::<S>(bodies.velocity_y, at),
                    four::<S>(bodies.angular_velocity, at),
                    four::<S>(bodies.inverse_mass, at),
                    four::<S>(bodies.inverse_moment, at),
                    x,
                    y,
                    w,
                    S::Block::splat(4.0) * (x * x + y * y + turn * turn),
                ];
            }
            let [vx, vy, w, m, i, cx, cy, cw, smooth] = R::join::<S, 9>(halves);
            // SAFETY: the states have rows for all bodies.
            unsafe {
                R::store_quads::<S>(rows, &places::<R>(first, 2, 0), [vx, vy, w, m]);
                R::store_quads::<S>(rows, &places::<R>(first, 2, 1), [zero, zero, zero, i]);
                R::store_quads::<S>(changes, &places::<R>(first, 1, 0), [cx, cy, cw, zero]);
            }
            let smooth: &[R] = bytemuck::cast_slice(std::slice::from_ref(&smooth));
            smooths[first..first + R::COUNT].copy_from_slice(smooth);
        }
        whole
    }
}
