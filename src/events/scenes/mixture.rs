//! Places for balls of two sizes: on one lattice, or small balls in the gaps between large ones.

use super::lattice::{self, CLEARANCE, Room};
use super::places::Crowd;

/// How much finer each lattice for the small balls is than the one before, in sites.
const FINER: f64 = 1.15;

/// Two kinds of balls in a room.
pub(super) struct Mixture<'a> {
    /// Whether each ball is small.
    pub(super) small: &'a [bool],
    /// Radius of a large ball, in metres.
    pub(super) large_radius: f64,
    /// Radius of a small ball, in metres; no more than the other.
    pub(super) small_radius: f64,
}

impl Mixture<'_> {
    /// Centres of all balls, in their order; `None` if there is no room.
    ///
    /// A lattice that has room for large balls everywhere is taken first. In dense mixtures of very different balls there is
    /// none: then the large ones get a lattice to themselves, and the small ones the free sites of a finer lattice.
    pub(super) fn places(&self, room: &Room) -> Option<Vec<[f64; 3]>> {
        lattice::sites(room, self.small.len(), self.large_radius).or_else(|| self.small_in_gaps(room))
    }

    fn small_in_gaps(&self, room: &Room) -> Option<Vec<[f64; 3]>> {
        let small = self.small.iter().filter(|&&small| small).count();
        if small == 0 {
            return None;
        }
        let large_places = lattice::sites(room, self.small.len() - small, self.large_radius)?;
        let mut crowd = Crowd::new(room.dim, room.periodic(), CLEARANCE * self.large_radius);
        large_places.iter().for_each(|&place| crowd.add(place, CLEARANCE * self.large_radius));
        let small_places = self.free_sites(room, small, &crowd)?;
        let (mut large_places, mut small_places) = (large_places.into_iter(), small_places.into_iter());
        self.small
            .iter()
            .map(|&small| if small { small_places.next() } else { large_places.next() })
            .collect()
    }

    /// Sites for `count` small balls on the coarsest lattice that has enough of them outside of the large balls.
    fn free_sites(&self, room: &Room, count: usize, crowd: &Crowd) -> Option<Vec<[f64; 3]>> {
        let mut wanted = count;
        loop {
            let mut sites = lattice::sites(room, wanted, self.small_radius)?;
            sites.retain(|place| crowd.is_free(place, CLEARANCE * self.small_radius));
            if sites.len() >= count {
                return Some(lattice::spread(count, sites.len()).map(|site| sites[site]).collect());
            }
            wanted = (wanted as f64 * FINER) as usize + 1;
        }
    }
}
