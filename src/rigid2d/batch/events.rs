//! What began and ceased to touch.

use crate::rigid2d::engine::batch::Batch;
use crate::soa::block::Real;

/// Two shapes of a space of a batch began or ceased to touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct SpaceEvent {
    /// Number of the space.
    pub space: u32,
    /// Indices of both shapes in their space, in rising order.
    pub shapes: [u32; 2],
    /// Whether they began to touch; otherwise they ceased to.
    pub begins: bool,
}

/// Lists the events of the last step, sorted.
pub(super) fn list<R: Real>(batch: &Batch<R>, events: &mut Vec<SpaceEvent>) {
    events.clear();
    let mut first_space = 0;
    for tile in &batch.tiles {
        let per_space = tile.shapes_per_space.max(1) as u32;
        let mut push = |[a, b]: [u32; 2], begins: bool| {
            let space = a / per_space;
            let start = space * per_space;
            events.push(SpaceEvent { space: first_space + space, shapes: [a - start, b - start], begins });
        };
        tile.begun.iter().for_each(|&slot| push(tile.pairs.key(slot), true));
        tile.ended.iter().for_each(|&shapes| push(shapes, false));
        first_space += tile.gravity.len() as u32;
    }
    events.sort_unstable();
}
