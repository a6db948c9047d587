//! Cutting a long step into windows of time, so that the boxes swept in one of them stay small.

use super::tracks::Tracks;

/// Candidates a particle that are worth a further cut.
const MANY: f64 = 4.0;

/// Most windows of one step.
const MOST: u32 = 1 << 24;

/// Into how many windows of equal length a step is best cut, from a sample of the particles.
///
/// A particle of radius r that goes a way w sweeps a box of edge 2 r + w; in k windows, 2 r + w / k. More windows pay
/// while a box holds many other particles and is mostly way.
pub(super) fn count<const D: usize>(tracks: &Tracks<D>) -> u32 {
    const SAMPLE: u32 = 1000;
    let sample: Vec<u32> = (0..tracks.len()).step_by((tracks.len() / SAMPLE).max(1) as usize).collect();
    let (reaches, ways): (Vec<f64>, Vec<f64>) =
        sample.iter().filter_map(|&i| tracks.reach_and_way(i)).unzip();
    if reaches.is_empty() {
        return 1;
    }
    let (diameter, way) = (2.0 * usual(reaches), usual(ways));
    let spans = spans(tracks, &sample);
    let candidates = |windows: u32| {
        let edge = diameter + way / f64::from(windows);
        // A span can be no wider than the box itself: then every particle is a candidate on that axis.
        spans.iter().fold(f64::from(tracks.len()), |n, span| n * (edge / span.max(edge)))
    };
    let mut windows = 1;
    while windows < MOST && candidates(windows) > MANY && way / f64::from(windows) > 0.5 * diameter {
        windows *= 2;
    }
    windows
}

/// A value that nine in ten do not exceed.
fn usual(mut values: Vec<f64>) -> f64 {
    let at = values.len() * 9 / 10;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// How far the sampled particles spread on each axis at the start of the step.
fn spans<const D: usize>(tracks: &Tracks<D>, sample: &[u32]) -> Vec<f64> {
    let boxes: Vec<_> =
        sample.iter().map(|&i| tracks.bounds(i, 0.0, 0.0)).filter(|bounds| !bounds.is_empty()).collect();
    let span = |axis: usize| {
        let lo = boxes.iter().map(|b| b.lo[axis]).fold(f64::INFINITY, f64::min);
        let hi = boxes.iter().map(|b| b.hi[axis]).fold(f64::NEG_INFINITY, f64::max);
        hi - lo
    };
    (0..3).map(span).filter(|&span| span > 0.0).collect()
}
