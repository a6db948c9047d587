//! The margins of levels: how long a reference position holds (docs/methods/events.md, section 4.4).
//!
//! A large margin makes every search long, a small one makes searches frequent. The cost of both is estimated from numbers,
//! sizes and speeds, and the margins are those of the least cost. They change the time that a run takes, and nothing else.

/// The particles of a level.
#[derive(Debug, Clone, Copy)]
pub(super) struct Population {
    pub(super) count: usize,
    /// Largest radius, in metres.
    pub(super) radius: f64,
    /// Mean speed, in metres per second.
    pub(super) speed: f64,
    pub(super) fixed: bool,
}

/// Costs relative to each other: of a prediction without its search, of searching a level, of one of its cells, and of the
/// contact with a particle that was found. With these, of all that were tried, thin gases and mixtures are fastest.
const PREDICTION: f64 = 350.0;
const LEVEL: f64 = 15.0;
const CELL: f64 = 8.0;
const CONTACT: f64 = 15.0;

/// Particles per cell.
const PER_CELL: f64 = 4.5;

/// Margins are compared in steps of this factor.
const STEP: f64 = 1.15;

/// The least margin, over half the distance of neighbours: particles that hardly move may be set in motion.
const LEAST: f64 = 0.01;

/// Rounds in which each margin is improved while the others stay.
const ROUNDS: usize = 3;

/// The margin of each level, in metres, at most `most`; 0 of those that are fixed.
pub(super) fn margins<const D: usize>(all: &[Population], volume: f64, most: f64) -> Vec<f64> {
    let count: usize = all.iter().map(|population| population.count).sum();
    let half_distance = 0.5 * (volume / count.max(1) as f64).powf(1.0 / D as f64);
    let most = most.min(volume.powf(1.0 / D as f64));
    let first = |own: &Population| if own.fixed { 0.0 } else { half_distance.min(most) };
    let mut margins: Vec<f64> = all.iter().map(first).collect();
    let work = Work::<D> { all, volume };
    // Where nothing moves there is nothing to compare.
    if !work.total(&margins).is_finite() {
        return margins;
    }
    for _ in 0..ROUNDS {
        for level in (0..all.len()).filter(|&level| !all[level].fixed) {
            work.improve(&mut margins, level, [LEAST * half_distance, most]);
        }
    }
    margins
}

/// The work of a run, by estimate.
struct Work<'a, const D: usize> {
    all: &'a [Population],
    volume: f64,
}

impl<const D: usize> Work<'_, D> {
    /// Changes one margin within limits by steps, as long as the work becomes less.
    fn improve(&self, margins: &mut [f64], level: usize, [least_margin, most]: [f64; 2]) {
        let mut least = self.total(margins);
        for factor in [STEP, 1.0 / STEP] {
            loop {
                let before = margins[level];
                margins[level] = (before * factor).max(least_margin).min(most);
                let work = self.total(margins);
                if work < least {
                    least = work;
                } else {
                    // Where the work is NaN, too.
                    margins[level] = before;
                    break;
                }
            }
        }
    }

    /// Work per second of the run.
    fn total(&self, margins: &[f64]) -> f64 {
        let moving = (0..self.all.len()).filter(|&level| !self.all[level].fixed);
        moving.map(|level| self.of_level(margins, level)).sum()
    }

    /// The same for the predictions of one level.
    fn of_level(&self, margins: &[f64], level: usize) -> f64 {
        let own = &self.all[level];
        let rate: f64 = self.all.iter().map(|other| self.collision_rate(own, other)).sum();
        // Flights are as long as random ones: the share of those that last longer than a validity is exp(-x).
        let x = 2.0 * margins[level] * rate / own.speed;
        let predictions = rate * (1.0 + 1.0 / x.exp_m1());
        let searches = self.all.iter().zip(margins);
        let search: f64 =
            searches.map(|(other, &margin)| self.search(own, other, margin, 2.0 * margins[level])).sum();
        own.count as f64 * predictions * (PREDICTION + search)
    }

    /// Collisions per second of a particle with those of a level, as in a dilute gas.
    fn collision_rate(&self, own: &Population, other: &Population) -> f64 {
        let speed = (own.speed * own.speed + other.speed * other.speed).sqrt();
        self.density(other) * cross_section::<D>(own.radius + other.radius) * speed
    }

    /// Work for the search of a level along a path of this length.
    fn search(&self, own: &Population, other: &Population, margin: f64, path: f64) -> f64 {
        let reach = own.radius + other.radius + margin;
        let density = self.density(other);
        let edge = (PER_CELL / density).powf(1.0 / D as f64).max(2.0 * other.radius + margin);
        // The mean of the path along one axis.
        let along = path * [1.0, 2.0 / std::f64::consts::PI, 0.5][D - 1];
        let cells = ((2.0 * reach + along) / edge + 1.0).powi(D as i32);
        let found = density * (ball::<D>(reach) + path * cross_section::<D>(reach));
        LEVEL + CELL * cells + CONTACT * found
    }

    fn density(&self, population: &Population) -> f64 {
        population.count as f64 / self.volume
    }
}

/// Volume of a ball, in metres to the power of the dimension.
fn ball<const D: usize>(radius: f64) -> f64 {
    [2.0, std::f64::consts::PI, 4.0 * std::f64::consts::FRAC_PI_3][D - 1] * radius.powi(D as i32)
}

/// The area, or length, that a ball sweeps per metre.
fn cross_section<const D: usize>(radius: f64) -> f64 {
    [1.0, 2.0 * radius, std::f64::consts::PI * radius * radius][D - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAS: Population = Population { count: 1000, radius: 0.5, speed: 1.6, fixed: false };

    #[test]
    fn no_other_margins_need_less_work() {
        let small = Population { count: 9000, radius: 0.05, speed: 50.0, fixed: false };
        for all in [vec![GAS], vec![GAS, small]] {
            let best = margins::<3>(&all, 2000.0, f64::INFINITY);
            let work = Work::<3> { all: &all, volume: 2000.0 };
            let least = work.total(&best);
            for level in 0..all.len() {
                for factor in [0.5, 0.8, 1.25, 2.0] {
                    let mut other = best.clone();
                    other[level] *= factor;
                    assert!(work.total(&other) > least, "{best:?}: level {level} times {factor}");
                }
            }
        }
    }

    #[test]
    fn large_balls_among_fast_small_ones_have_small_margins() {
        let small = Population { count: 9000, radius: 0.05, speed: 50.0, fixed: false };
        let [large, small] = margins::<3>(&[GAS, small], 2000.0, f64::INFINITY)[..] else {
            panic!("two levels")
        };
        assert!(large < 0.2 * small, "{large} {small}");
        let alone = margins::<3>(&[GAS], 2000.0, f64::INFINITY)[0];
        assert!(alone > large);
    }

    #[test]
    fn thin_gases_have_large_margins_up_to_the_limit() {
        let margin = |volume: f64, most: f64| margins::<2>(&[GAS], volume, most)[0];
        assert!(margin(1e5, f64::INFINITY) > 2.0 * margin(1e4, f64::INFINITY));
        assert_eq!(margin(1e5, 0.75), 0.75);
    }

    #[test]
    fn fixed_balls_have_none_and_balls_at_rest_some() {
        let fixed = Population { fixed: true, speed: 0.0, ..GAS };
        let resting = Population { speed: 0.0, ..GAS };
        assert_eq!(margins::<2>(&[GAS, fixed], 1e4, f64::INFINITY)[1], 0.0);
        for all in [vec![resting], vec![GAS, resting], vec![resting, fixed]] {
            let found = margins::<2>(&all, 1e4, f64::INFINITY);
            let moving = found.iter().zip(&all).filter(|(_, population)| !population.fixed);
            assert!(moving.into_iter().all(|(&margin, _)| margin > 1e-3 && margin < 100.0), "{found:?}");
        }
    }
}
