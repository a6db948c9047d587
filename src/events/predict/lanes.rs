//! The earliest meeting of a particle with its neighbours, four at a time.
//!
//! Lane by lane the same operations in the same order as [`Relative`](crate::events::predict::pair::Relative): the same bits.

use crate::events::schedule::plan::{Partner, Plan};
use crate::events::state::domain::{ROUNDER, Space};
use crate::events::state::flight_state::Record;
use crate::soa::lanes::{self, Block, LANES, each, splat};

/// How far the centres of a particle and its neighbours are apart when they touch.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Reach<'a> {
    /// All particles have the same radius: its double.
    Same(f64),
    /// The radius of the particle and those of all.
    Own(f64, &'a [f64]),
}

/// Blocks of neighbours whose times are kept while the earliest is looked for.
const KEPT: usize = 4;

/// What prediction looks at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a, const D: usize> {
    pub space: &'a Space<D>,
    pub records: &'a [Record],
    pub reach: Reach<'a>,
    pub now: f64,
}

impl<const D: usize> View<'_, D> {
    /// The first meeting of a particle with the neighbours in these blocks, if it comes before `best`.
    ///
    /// Meetings of which the neighbour will hear in time are left to it: its own plan falls due before. Blocks are filled
    /// up with the particle's own row, which it never meets. Not for pairs of which one falls and the other is fixed.
    #[inline(always)]
    pub(crate) fn first_meeting(&self, row: usize, blocks: &[[u32; LANES]], best: Plan) -> Plan {
        match self.reach {
            Reach::Same(reach) => {
                let square = splat(reach * reach);
                self.in_groups(row, blocks, best, |_| square)
            }
            Reach::Own(radius, radii) => self.in_groups(row, blocks, best, |others| {
                let reach = splat(radius) + Block::new(each!(n in [0, 1, 2, 3] => radii[others[n] as usize]));
                reach * reach
            }),
        }
    }

    #[inline(always)]
    fn in_groups(
        &self,
        row: usize,
        blocks: &[[u32; LANES]],
        mut best: Plan,
        square: impl Fn(&[u32; LANES]) -> Block,
    ) -> Plan {
        let straight = self.space.down_gravity == 0.0;
        let fresh = straight && self.records[row].time() == self.now;
        for group in blocks.chunks(KEPT) {
            let mut times = [splat(f64::INFINITY); KEPT];
            let known = fresh && self.times_of_fresh(row, group, &mut times, &square);
            if !known && straight {
                self.times_of::<false>(row, group, &mut times, &square);
            } else if !known {
                self.times_of::<true>(row, group, &mut times, &square);
            }
            best = self.first_of_group(row, group, &times, best);
        }
        best
    }

    /// Of the meetings at these times the first, if it comes before `best`; of several the one of the lowest rank.
    #[inline(always)]
    fn first_of_group(
        &self,
        row: usize,
        group: &[[u32; LANES]],
        times: &[Block; KEPT],
        mut best: Plan,
    ) -> Plan {
        let earliest = lanes::min(lanes::min(times[0], times[1]), lanes::min(times[2], times[3]));
        let [a, b, c, d] = earliest.to_array();
        // No time is NaN, so one instruction will do.
        let lesser = |x: f64, y: f64| if x < y { x } else { y };
        let least = lesser(lesser(a, b), lesser(c, d));
        if least > best.time || least == f64::INFINITY {
            return best;
        }
        let others = group.as_flattened();
        // All bits at once: where the earliest is cannot be guessed, that there is only one can.
        let bits = each!(n in [0, 1, 2, 3] => lanes::bits(lanes::eq(times[n], splat(least))) << (LANES * n));
        let mut bits = (bits[0] | bits[1]) | (bits[2] | bits[3]);
        while bits != 0 {
            let other = others[bits.trailing_zeros() as usize] as usize;
            let plan = Plan::new(least, Partner::ball(other), self.records[other].count());
            if plan.precedes(&best, row) {
                best = plan;
            }
            bits &= bits - 1;
        }
        best
    }

    /// When a particle meets the neighbours in a group of blocks; infinite where it does not, or where the other will look
    /// before.
    #[inline(always)]
    fn times_of<const FALL: bool>(
        &self,
        row: usize,
        group: &[[u32; LANES]],
        times: &mut [Block; KEPT],
        square: &impl Fn(&[u32; LANES]) -> Block,
    ) {
        let own = &self.records[row];
        for (others, time) in group.iter().zip(times) {
            let [place, motion] = self.columns(others);
            let since = lanes::max(place[3], splat(own.time()));
            let (own_dt, dt) = (since - splat(own.time()), since - place[3]);
            let elapsed = splat(self.now) - since;
            let (mut distance, mut relative) = ([splat(0.0); D], [splat(0.0); D]);
            for k in 0..D {
                let mut own_velocity = splat(own.motion[k]);
                let mut own_place = splat(own.place[k]) + own_velocity * own_dt;
                let mut velocity = motion[k];
                let mut other_place = place[k] + velocity * dt;
                if FALL && k == 1 {
                    let (g, half) = (splat(self.space.down_gravity), splat(0.5 * self.space.down_gravity));
                    own_place -= half * (own_dt * own_dt);
                    own_velocity -= g * own_dt;
                    other_place -= half * (dt * dt);
                    velocity -= g * dt;
                }
                let (d, w) = (own_place - other_place, own_velocity - velocity);
                (distance[k], relative[k]) = (d - self.image_shift(k, d + w * elapsed), w);
            }
            *time = meeting_times(distance, relative, square(others), since, motion[3]);
        }
    }

    /// The same, straight, for a particle whose record is of now: there is nothing to add to its place. False, with no times,
    /// if a neighbour has a later record.
    #[inline(always)]
    fn times_of_fresh(
        &self,
        row: usize,
        group: &[[u32; LANES]],
        times: &mut [Block; KEPT],
        square: &impl Fn(&[u32; LANES]) -> Block,
    ) -> bool {
        let own = &self.records[row];
        let since = splat(own.time());
        let mut latest = since;
        for (others, time) in group.iter().zip(times) {
            let [place, motion] = self.columns(others);
            latest = lanes::max(latest, place[3]);
            let dt = since - place[3];
            let (mut distance, mut relative) = ([splat(0.0); D], [splat(0.0); D]);
            for k in 0..D {
                let d = splat(own.place[k]) - (place[k] + motion[k] * dt);
                relative[k] = splat(own.motion[k]) - motion[k];
                distance[k] = d - self.image_shift(k, d);
            }
            *time = meeting_times(distance, relative, square(others), since, motion[3]);
        }
        lanes::bits(lanes::lt(since, latest)) == 0
    }

    /// Places and motions of four particles in lanes.
    #[inline(always)]
    fn columns(&self, others: &[u32; LANES]) -> [[Block; LANES]; 2] {
        let four = each!(n in [0, 1, 2, 3] => &self.records[others[n] as usize]);
        let place = lanes::load_columns(each!(n in [0, 1, 2, 3] => &four[n].place));
        let motion = lanes::load_columns(each!(n in [0, 1, 2, 3] => &four[n].motion));
        [place, motion]
    }

    /// As [`Space::image_shift`].
    #[inline(always)]
    fn image_shift(&self, axis: usize, distance: Block) -> Block {
        let turns = distance * self.space.frequency_lanes[axis];
        ((turns + splat(ROUNDER)) - splat(ROUNDER)) * self.space.period_lanes[axis]
    }
}

/// When distances become the square roots of `square`; infinite where that never happens or comes after `planned`.
#[inline(always)]
fn meeting_times<const D: usize>(
    distance: [Block; D],
    relative: [Block; D],
    square: Block,
    since: Block,
    planned: Block,
) -> Block {
    let zero = splat(0.0);
    let (mut a, mut b, mut c, mut miss) = (zero, zero, zero, zero);
    for k in 0..D {
        let (d, w) = (distance[k], relative[k]);
        a += w * w;
        b += d * w;
        c += d * d;
        for l in 0..k {
            let minor = distance[l] * w - d * relative[l];
            miss += minor * minor;
        }
    }
    c -= square;
    let discriminant = a * square - miss;
    let root = lanes::sqrt(lanes::max(discriminant, zero));
    let time = since + lanes::max(c / (root - b), zero);
    let meets = lanes::lt(b, zero) & lanes::le(zero, discriminant) & lanes::le(time, planned);
    lanes::select(meets, time, splat(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::enclosure::Enclosure;
    use crate::events::predict::pair::Relative;
    use crate::events::settings::EventSettings;

    /// 64 particles in a box of 6 with different times, and nothing planned.
    fn cloud(fall: bool) -> (Space<3>, Vec<Record>, Vec<f64>) {
        let mut seed = 3_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let settings = EventSettings { down_gravity: if fall { 3.0 } else { 0.0 }, ..Default::default() };
        let space = Space::new(Enclosure::periodic([0.0; 3], [6.0; 3]), &settings);
        let mut vector = |scale: f64, shift: f64| [(); 3].map(|()| scale * (uniform() - shift));
        let records: Vec<Record> = (0..64)
            .map(|_| {
                let [time, ..] = vector(0.1, 0.0);
                Record::new(vector(6.0, 0.0), vector(2.0, 0.5), time, false)
            })
            .collect();
        let radii = (0..64).map(|n| 0.1 + 0.01 * f64::from(n % 7)).collect();
        (space, records, radii)
    }

    fn by_scalars(view: &View<3>, row: usize, others: &[u32], reach: impl Fn(usize) -> f64) -> Plan {
        others.iter().map(|&other| other as usize).filter(|&other| other != row).fold(
            Plan::NOTHING,
            |best, other| {
                let relative = Relative::new(view.space, &view.records[row], &view.records[other]);
                let time = relative.nearest(view.space, view.now).meeting(reach(other));
                let plan = Plan::new(time, Partner::ball(other), view.records[other].count());
                if time < f64::INFINITY && plan.precedes(&best, row) { plan } else { best }
            },
        )
    }

    #[test]
    fn lanes_give_the_bits_of_scalars() {
        for fall in [false, true] {
            let (space, records, radii) = cloud(fall);
            let rows: Vec<u32> = (0..64).collect();
            let mut met = 0;
            for row in 0..64 {
                let same = View { space: &space, records: &records, reach: Reach::Same(0.7), now: 0.1 };
                let plan = same.first_meeting(row, rows.as_chunks().0, Plan::NOTHING);
                assert_eq!(plan, by_scalars(&same, row, &rows, |_| 0.7));
                let own = View { reach: Reach::Own(radii[row], &radii), ..same };
                let plan = own.first_meeting(row, rows.as_chunks().0, Plan::NOTHING);
                assert_eq!(plan, by_scalars(&own, row, &rows, |other| radii[row] + radii[other]));
                met += usize::from(plan.time < f64::INFINITY);
            }
            assert!(met > 5, "{met}");
        }
    }

    #[test]
    fn who_looks_before_is_left_to_look() {
        let (space, mut records, _) = cloud(false);
        let rows: Vec<u32> = (0..64).collect();
        let view = View { space: &space, records: &records, reach: Reach::Same(0.7), now: 0.1 };
        let plan_of = |row: usize| view.first_meeting(row, rows.as_chunks().0, Plan::NOTHING);
        let row = (0..64).find(|&row| plan_of(row).time < f64::INFINITY).expect("some meet");
        let plan = plan_of(row);
        let other = plan.partner.row().expect("a meeting with a ball");
        records[other].plan(plan.time * 0.99);
        let view = View { space: &space, records: &records, reach: Reach::Same(0.7), now: 0.1 };
        let next = view.first_meeting(row, rows.as_chunks().0, Plan::NOTHING);
        assert!(next.time >= plan.time && next.partner != plan.partner);
    }
}
