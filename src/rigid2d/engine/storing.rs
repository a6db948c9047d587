//! Bodies from the solver back to their columns, in lanes.

use super::bodies::{BodiesMut, Kind};
use super::colours::Colours;
use super::conservation::Noted;
use super::continuous::SLOW;
use super::loading::{Accelerations, four};
use crate::geometry::angle::cos_sin_of_blocks;
use crate::soa::block::{Doubles, LANES, Lanes, Mask, Quantity, Real, each};
use crate::soa::level::Kernel;
use crate::soa::simd::Simd;

/// Moves whole blocks of bodies to where the solver has them, and those without contacts in closed form. Returns how many.
///
/// No body has an impact that bounces, and none has its velocity integrated by the caller.
pub(super) struct StoreStates<'a, 'b, R: Real> {
    pub(super) bodies: &'a mut BodiesMut<'b>,
    pub(super) accelerations: Accelerations<'a>,
    /// Duration of the step, in seconds.
    pub(super) dt: f64,
    /// Rows of the states.
    pub(super) rows: &'a [[R; 4]],
    pub(super) colours: &'a Colours,
    pub(super) noted: Noted<'a>,
    /// Per body, by how much it has turned.
    pub(super) turns: &'a mut [f64],
    /// Bodies that have moved fast.
    pub(super) fast: &'a mut Vec<u32>,
}

impl<R: Real> Kernel for StoreStates<'_, '_, R> {
    type Output = usize;

    #[inline(always)]
    fn run<S: Simd>(self) -> usize {
        let Self { bodies, accelerations, dt, rows, colours, mut noted, turns, fast } = self;
        let whole = bodies.len() / LANES * LANES;
        let dt = S::Block::splat(dt);
        let half = S::Block::splat(0.5);
        for at in (0..whole).step_by(LANES) {
            let (mut moves, mut free, mut notes) = ([0; LANES], [0; LANES], [0; LANES]);
            for lane in 0..LANES {
                let body = at + lane;
                let kind = bodies.kind[body];
                let is_free = colours.is_free(body);
                moves[lane] = u8::from(kind >= Kind::Kinematic as u8);
                free[lane] = u8::from(is_free);
                notes[lane] = u8::from(!is_free & (kind == Kind::Dynamic as u8) & noted.grounded[body]);
            }
            if moves == [0; LANES] {
                continue;
            }
            let (is_moving, is_free) = (S::Block::mask_of(moves), S::Block::mask_of(free));
            let start = [
                four::<S>(bodies.velocity_x, at),
                four::<S>(bodies.velocity_y, at),
                four::<S>(bodies.angular_velocity, at),
            ];
            let acceleration = accelerations.four::<S>(bodies, at);
            let states = each!(lane in [0, 1, 2, 3] => rows[2 * (at + lane)].map(R::widen));
            let ways = each!(lane in [0, 1, 2, 3] => rows[2 * (at + lane) + 1].map(R::widen));
            let states = S::Block::load_columns(each!(lane in [0, 1, 2, 3] => &states[lane]));
            let ways = S::Block::load_columns(each!(lane in [0, 1, 2, 3] => &ways[lane]));
            let velocity = each!(axis in [0, 1, 2] => {
                is_free.select(start[axis] + acceleration[axis] * dt, states[axis])
            });
            let way = each!(axis in [0, 1, 2] => {
                is_free.select((start[axis] + half * acceleration[axis] * dt) * dt, ways[axis])
            });
            if notes != [0; LANES] {
                noted.note::<S>(bodies, at, notes, dt, [start, velocity, acceleration]);
            }
            store::<S>(bodies.velocity_x, at, is_moving, velocity[0]);
            store::<S>(bodies.velocity_y, at, is_moving, velocity[1]);
            store::<S>(bodies.angular_velocity, at, is_moving, velocity[2]);
            let (x, y) = (four::<S>(bodies.x, at) + way[0], four::<S>(bodies.y, at) + way[1]);
            store::<S>(bodies.x, at, is_moving, x);
            store::<S>(bodies.y, at, is_moving, y);
            store::<S>(turns, at, is_moving, way[2]);
            let is_fixed = way[2].equals(S::Block::ZERO);
            let turns = is_fixed.select(S::Block::ZERO, is_moving);
            if turns.bits() != 0 {
                let angle = four::<S>(bodies.angle, at) + way[2];
                let [cos, sin] = cos_sin_of_blocks(angle);
                store::<S>(bodies.angle, at, turns, angle);
                store::<S>(bodies.cos, at, turns, cos);
                store::<S>(bodies.sin, at, turns, sin);
            }
            let length = (way[0] * way[0] + way[1] * way[1]).sqrt();
            let farthest = length + way[2].abs() * four::<S>(bodies.extent, at);
            let slow = S::Block::splat(SLOW) * four::<S>(bodies.thickness, at);
            let is_fast = (slow.lt(farthest) & is_moving).bits();
            if is_fast != 0 {
                fast.extend(
                    (0..LANES).filter(|lane| is_fast >> lane & 1 != 0).map(|lane| (at + lane) as u32),
                );
            }
        }
        whole
    }
}

/// Writes four entries of a column where the mask is set.
#[inline(always)]
fn store<S: Simd>(column: &mut [f64], at: usize, mask: S::Block, new: S::Block) {
    let entries = mask.select(new, four::<S>(column, at)).to_array();
    column[at..at + LANES].copy_from_slice(&entries);
}
