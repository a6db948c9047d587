//! Positions for balls of two sizes: on one lattice, or small balls in the gaps between large ones.

use super::lattice::{self, CLEARANCE, Region};
use super::random_places::PlacedBalls;

/// Ratio of the numbers of sites of a lattice for the small balls and the one tried before.
const FINER: f64 = 1.15;

/// Two kinds of balls in a region.
pub(super) struct Mixture<'a> {
    /// Whether each ball is small.
    pub(super) small: &'a [bool],
    /// Radius of a large ball, in metres.
    pub(super) large_radius: f64,
    /// Radius of a small ball, in metres; at most that of a large one.
    pub(super) small_radius: f64,
}

impl Mixture<'_> {
    /// Centres of all balls, in their order; `None` if they do not fit.
    ///
    /// First choice is a lattice on which large balls fit at all sites. In dense mixtures of very different radii there is
    /// none: then the large balls have a lattice of their own, and the small ones the free sites of a finer lattice.
    pub(super) fn positions(&self, region: &Region) -> Option<Vec<[f64; 3]>> {
        lattice::sites(region, self.small.len(), self.large_radius).or_else(|| self.small_in_gaps(region))
    }

    fn small_in_gaps(&self, region: &Region) -> Option<Vec<[f64; 3]>> {
        let small = self.small.iter().filter(|&&small| small).count();
        if small == 0 {
            return None;
        }
        let large_positions = lattice::sites(region, self.small.len() - small, self.large_radius)?;
        let mut placed_balls = PlacedBalls::new(region.dim, region.periodic(), CLEARANCE * self.large_radius);
        large_positions
            .iter()
            .for_each(|&position| placed_balls.add(position, CLEARANCE * self.large_radius));
        let small_positions = self.free_sites(region, small, &placed_balls)?;
        let (mut large_positions, mut small_positions) =
            (large_positions.into_iter(), small_positions.into_iter());
        self.small
            .iter()
            .map(|&small| if small { small_positions.next() } else { large_positions.next() })
            .collect()
    }

    /// Sites for `count` small balls on the coarsest lattice that has enough of them outside of the large balls.
    fn free_sites(&self, region: &Region, count: usize, placed_balls: &PlacedBalls) -> Option<Vec<[f64; 3]>> {
        let mut wanted = count;
        loop {
            let mut sites = lattice::sites(region, wanted, self.small_radius)?;
            sites.retain(|position| placed_balls.is_free(position, CLEARANCE * self.small_radius));
            if sites.len() >= count {
                return Some(lattice::spread(count, sites.len()).map(|site| sites[site]).collect());
            }
            wanted = (wanted as f64 * FINER) as usize + 1;
        }
    }
}
