//! The earliest contact of a particle with its neighbours, a block at a time.
//!
//! Each lane does the operations of [`RelativeMotion`](crate::events::predict::pair::RelativeMotion) in the same order:
//! the results are bit-identical.

use crate::contact::Products;
use crate::events::schedule::{Plan, Target};
use crate::events::state::{Domain, FlightState, ROUNDER};
use crate::soa::block::Lanes;

/// The distance of the centres of a particle and its neighbours at contact: the sum of their radii.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ContactDistance<'a> {
    /// Twice the radius that all particles have.
    Equal(f64),
    /// The radius of the particle, and those of all particles.
    PerParticle(f64, &'a [f64]),
}

/// The input of a prediction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LanePredictor<'a, const D: usize> {
    pub domain: &'a Domain<D>,
    pub flights: &'a [FlightState],
    pub contact_distance: ContactDistance<'a>,
    pub now: f64,
}

impl<const D: usize> LanePredictor<'_, D> {
    /// The first contact of a particle with these neighbours, in whole blocks, if it comes before `best`. Times of `GROUP`
    /// blocks stay in registers until the earliest is chosen.
    ///
    /// Contacts after the planned event of the neighbour are left out: at that event the neighbour is predicted again, and
    /// finds them then. Blocks are filled up with the particle's own row, which gives no contact. Not for pairs of which one
    /// falls and the other is fixed.
    #[inline(always)]
    pub(crate) fn first_contact<B: Lanes<Number = f64>, const GROUP: usize>(
        &self,
        row: usize,
        others: &[u32],
        best: Plan,
    ) -> Plan {
        match self.contact_distance {
            ContactDistance::Equal(contact_distance) => {
                let square = B::splat(contact_distance * contact_distance);
                self.first_contact_in_groups::<B, GROUP>(
                    row,
                    others,
                    best,
                    #[inline(always)]
                    |_| square,
                )
            }
            ContactDistance::PerParticle(radius, radii) => self.first_contact_in_groups::<B, GROUP>(
                row,
                others,
                best,
                #[inline(always)]
                |others| {
                    let contact_distance = B::splat(radius)
                        + B::collect(
                            #[inline(always)]
                            |lane| radii[others[lane] as usize],
                        );
                    contact_distance * contact_distance
                },
            ),
        }
    }

    #[inline(always)]
    fn first_contact_in_groups<B: Lanes<Number = f64>, const GROUP: usize>(
        &self,
        row: usize,
        others: &[u32],
        mut best: Plan,
        square: impl Fn(&[u32]) -> B,
    ) -> Plan {
        let straight = self.domain.down_gravity == 0.0;
        let fresh = straight && self.flights[row].time() == self.now;
        for group in others.chunks(GROUP * B::COUNT) {
            let mut times = [B::splat(f64::INFINITY); GROUP];
            let known = fresh && self.times_from_now(row, group, &mut times, &square);
            if !known && straight {
                self.times_in_group::<_, GROUP, false>(row, group, &mut times, &square);
            } else if !known {
                self.times_in_group::<_, GROUP, true>(row, group, &mut times, &square);
            }
            best = self.first_in_group(row, group, &times, best);
        }
        best
    }

    /// The earliest of these contacts, if it comes before `best`; of several at the same time the one of the lowest rank.
    #[inline(always)]
    fn first_in_group<B: Lanes<Number = f64>, const GROUP: usize>(
        &self,
        row: usize,
        group: &[u32],
        times: &[B; GROUP],
        mut best: Plan,
    ) -> Plan {
        let mut earliest = times[0];
        for &time in &times[1..] {
            earliest = earliest.min(time);
        }
        let least = least_lane(earliest);
        if least > best.time || least == f64::INFINITY {
            return best;
        }
        // One mask of all lanes: a branch on the position of the minimum would be mispredicted, one on its uniqueness is not.
        let mut bits = 0;
        for (n, time) in times.iter().enumerate() {
            bits |= time.equals(B::splat(least)).bits() << (B::COUNT * n);
        }
        while bits != 0 {
            let other = group[bits.trailing_zeros() as usize] as usize;
            let plan = Plan::new(least, Target::ball(other), self.flights[other].event_count());
            if plan.precedes(&best, row) {
                best = plan;
            }
            bits &= bits - 1;
        }
        best
    }

    /// Times of contact with the neighbours in a group of blocks; infinite where there is none, or where the planned event of
    /// the neighbour comes before.
    #[inline(always)]
    fn times_in_group<B: Lanes<Number = f64>, const GROUP: usize, const FALL: bool>(
        &self,
        row: usize,
        group: &[u32],
        times: &mut [B; GROUP],
        square: &impl Fn(&[u32]) -> B,
    ) {
        let own = &self.flights[row];
        for (others, time) in group.chunks_exact(B::COUNT).zip(times) {
            let [position, velocities] = self.columns::<B>(others);
            let since = position[3].max(B::splat(own.time()));
            let (own_dt, dt) = (since - B::splat(own.time()), since - position[3]);
            let elapsed = B::splat(self.now) - since;
            let (mut distance, mut relative) = ([B::ZERO; D], [B::ZERO; D]);
            for k in 0..D {
                let mut own_velocity = B::splat(own.velocity_tag[k]);
                let mut own_position = B::splat(own.position_time[k]) + own_velocity * own_dt;
                let mut velocity = velocities[k];
                let mut other_position = position[k] + velocity * dt;
                if FALL && k == 1 {
                    let g = B::splat(self.domain.down_gravity);
                    let half = B::splat(0.5 * self.domain.down_gravity);
                    own_position -= half * (own_dt * own_dt);
                    own_velocity -= g * own_dt;
                    other_position -= half * (dt * dt);
                    velocity -= g * dt;
                }
                let (d, w) = (own_position - other_position, own_velocity - velocity);
                (distance[k], relative[k]) = (d - self.image_shift(k, d + w * elapsed), w);
            }
            *time = contact_times(distance, relative, square(others), since, velocities[3]);
        }
    }

    /// The same without gravity for a particle whose flight begins now, so that its own position needs no advance. Returns
    /// false, and the times are not valid, if the flight of a neighbour begins later.
    #[inline(always)]
    fn times_from_now<B: Lanes<Number = f64>, const GROUP: usize>(
        &self,
        row: usize,
        group: &[u32],
        times: &mut [B; GROUP],
        square: &impl Fn(&[u32]) -> B,
    ) -> bool {
        let own = &self.flights[row];
        let since = B::splat(own.time());
        let mut latest = since;
        for (others, time) in group.chunks_exact(B::COUNT).zip(times) {
            let [position, velocities] = self.columns::<B>(others);
            latest = latest.max(position[3]);
            let dt = since - position[3];
            let (mut distance, mut relative) = ([B::ZERO; D], [B::ZERO; D]);
            for k in 0..D {
                let d = B::splat(own.position_time[k]) - (position[k] + velocities[k] * dt);
                relative[k] = B::splat(own.velocity_tag[k]) - velocities[k];
                distance[k] = d - self.image_shift(k, d);
            }
            *time = contact_times(distance, relative, square(others), since, velocities[3]);
        }
        since.lt(latest).bits() == 0
    }

    /// Positions with times and velocities with tags of a block of particles, transposed into lanes.
    #[inline(always)]
    fn columns<B: Lanes<Number = f64>>(&self, others: &[u32]) -> [[B; 4]; 2] {
        let position = B::load_rows(
            #[inline(always)]
            |lane| &self.flights[others[lane] as usize].position_time,
        );
        let velocities = B::load_rows(
            #[inline(always)]
            |lane| &self.flights[others[lane] as usize].velocity_tag,
        );
        [position, velocities]
    }

    /// [`Domain::image_shift`] in lanes.
    #[inline(always)]
    fn image_shift<B: Lanes<Number = f64>>(&self, axis: usize, distance: B) -> B {
        let turns = distance * B::splat(self.domain.frequency[axis]);
        ((turns + B::splat(ROUNDER)) - B::splat(ROUNDER)) * B::splat(self.domain.period[axis])
    }
}

/// The least of all lanes, none of which is NaN.
#[inline(always)]
fn least_lane<B: Lanes<Number = f64>>(block: B) -> f64 {
    // Without NaN a minimum of one instruction is enough.
    let lesser = |x: f64, y: f64| if x < y { x } else { y };
    let mut least = [f64::INFINITY; 4];
    for four in block.numbers().chunks_exact(4) {
        for lane in 0..4 {
            least[lane] = lesser(least[lane], four[lane]);
        }
    }
    lesser(lesser(least[0], least[1]), lesser(least[2], least[3]))
}

/// When the distances become the square roots of `square`; infinite where that never happens or comes after `planned`.
#[inline(always)]
fn contact_times<B: Lanes<Number = f64>, const D: usize>(
    distance: [B; D],
    relative: [B; D],
    square: B,
    since: B,
    planned: B,
) -> B {
    let products = Products::new::<D>(
        D,
        #[inline(always)]
        |k| [distance[k], relative[k]],
    );
    let contact = products.contact(square);
    let time = since + contact.time;
    (contact.happens & time.le(planned)).select(time, B::splat(f64::INFINITY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::enclosure::Enclosure;
    use crate::events::predict::RelativeMotion;
    use crate::events::settings::EventSettings;
    use crate::soa::level::{self, Kernel};
    use crate::soa::simd::Simd;

    /// The first contact of a particle with others, without a plan.
    #[derive(Clone)]
    struct FirstContact<'a> {
        predictor: LanePredictor<'a, 3>,
        row: usize,
        others: &'a [u32],
    }

    impl Kernel for FirstContact<'_> {
        type Output = Plan;

        #[inline(always)]
        fn run<S: Simd>(self) -> Plan {
            let Self { predictor, row, others } = self;
            let plan = predictor.first_contact::<S::Wide, 2>(row, others, Plan::NOTHING);
            assert!(plan == predictor.first_contact::<S::Block, 4>(row, others, Plan::NOTHING));
            plan
        }
    }

    /// 64 particles in a box of side 6 whose flights begin at different times, without planned events.
    fn cloud(fall: bool) -> (Domain<3>, Vec<FlightState>, Vec<f64>) {
        let mut seed = 3_u64;
        let mut uniform = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let settings = EventSettings { down_gravity: if fall { 3.0 } else { 0.0 }, ..Default::default() };
        let domain = Domain::new(Enclosure::periodic([0.0; 3], [6.0; 3]), &settings);
        let mut vector = |scale: f64, shift: f64| [(); 3].map(|()| scale * (uniform() - shift));
        let flights: Vec<FlightState> = (0..64)
            .map(|_| {
                let [time, ..] = vector(0.1, 0.0);
                FlightState::new(vector(6.0, 0.0), vector(2.0, 0.5), time, false)
            })
            .collect();
        let radii = (0..64).map(|n| 0.1 + 0.01 * f64::from(n % 7)).collect();
        (domain, flights, radii)
    }

    fn by_scalars(
        view: &LanePredictor<3>,
        row: usize,
        others: &[u32],
        contact_distance: impl Fn(usize) -> f64,
    ) -> Plan {
        others.iter().map(|&other| other as usize).filter(|&other| other != row).fold(
            Plan::NOTHING,
            |best, other| {
                let relative = RelativeMotion::new(view.domain, &view.flights[row], &view.flights[other]);
                let time =
                    relative.nearest_image(view.domain, view.now).contact_time(contact_distance(other));
                let plan = Plan::new(time, Target::ball(other), view.flights[other].event_count());
                if time < f64::INFINITY && plan.precedes(&best, row) { plan } else { best }
            },
        )
    }

    #[test]
    fn lanes_give_the_bits_of_scalars() {
        for fall in [false, true] {
            let (domain, flights, radii) = cloud(fall);
            let rows: Vec<u32> = (0..64).collect();
            let mut contacts = 0;
            for row in 0..64 {
                let same = LanePredictor {
                    domain: &domain,
                    flights: &flights,
                    contact_distance: ContactDistance::Equal(0.7),
                    now: 0.1,
                };
                let plan = by_scalars(&same, row, &rows, |_| 0.7);
                let first = FirstContact { predictor: same, row, others: &rows };
                assert!(level::run_at_each_level(&first).into_iter().all(|found| found == plan));
                let own = LanePredictor {
                    contact_distance: ContactDistance::PerParticle(radii[row], &radii),
                    ..same
                };
                let plan = by_scalars(&own, row, &rows, |other| radii[row] + radii[other]);
                let first = FirstContact { predictor: own, row, others: &rows };
                assert!(level::run_at_each_level(&first).into_iter().all(|found| found == plan));
                contacts += usize::from(plan.time < f64::INFINITY);
            }
            assert!(contacts > 5, "{contacts}");
        }
    }

    #[test]
    fn contacts_after_the_planned_event_of_the_neighbour_are_left_out() {
        let (domain, mut flights, _) = cloud(false);
        let rows: Vec<u32> = (0..64).collect();
        let view = LanePredictor {
            domain: &domain,
            flights: &flights,
            contact_distance: ContactDistance::Equal(0.7),
            now: 0.1,
        };
        let plan_of = |row: usize| level::run(FirstContact { predictor: view, row, others: &rows });
        let row = (0..64).find(|&row| plan_of(row).time < f64::INFINITY).expect("some collide");
        let plan = plan_of(row);
        let other = plan.target.row().expect("a contact with a ball");
        flights[other].set_planned(plan.time * 0.99);
        let view = LanePredictor {
            domain: &domain,
            flights: &flights,
            contact_distance: ContactDistance::Equal(0.7),
            now: 0.1,
        };
        let next = level::run(FirstContact { predictor: view, row, others: &rows });
        assert!(next.time >= plan.time && next.target != plan.target);
    }
}
