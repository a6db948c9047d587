//! Cutting a long step into windows of time, so that the boxes swept in one of them stay small.

use super::tracks::Tracks;

/// A step has at most 2 to this power windows.
const MOST_DOUBLINGS: u32 = 24;

/// What sorting a particle into cells costs, in tests of a candidate pair.
const CELL_COST: f64 = 50.0;

/// Into how many windows of equal length a step is best cut, from a sample of the particles.
///
/// A particle of radius r that goes a way w sweeps a box of edge 2 r + w; in k windows, k boxes of edge 2 r + w / k.
/// Each window sorts all particles anew and tests each against those in its box.
pub(super) fn count<const D: usize>(tracks: &Tracks<D>) -> u32 {
    const SAMPLE: u32 = 1000;
    let sample: Vec<u32> = (0..tracks.len()).step_by((tracks.len() / SAMPLE).max(1) as usize).collect();
    let (radii, ways): (Vec<f64>, Vec<f64>) = sample.iter().filter_map(|&i| tracks.radius_and_way(i)).unzip();
    if radii.is_empty() {
        return 1;
    }
    let (diameter, way) = (2.0 * usual(radii), usual(ways));
    let spans = spans(tracks, &sample);
    let cost = |windows: u32| {
        let edge = diameter + way / f64::from(windows);
        let candidates = spans.iter().fold(f64::from(tracks.len()), |n, span| n * (edge / span.max(edge)));
        f64::from(windows) * (CELL_COST + candidates)
    };
    let choices = (0..=MOST_DOUBLINGS).map(|doublings| 1 << doublings);
    choices.min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
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
        let lo = boxes.iter().map(|b| b.min[axis]).fold(f64::INFINITY, f64::min);
        let hi = boxes.iter().map(|b| b.max[axis]).fold(f64::NEG_INFINITY, f64::max);
        hi - lo
    };
    (0..3).map(span).filter(|&span| span > 0.0).collect()
}
