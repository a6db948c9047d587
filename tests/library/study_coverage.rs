//! Intervals cover the true value as often as their confidence says, on problems with known answers.
//!
//! `cargo run --release --example coverage` does the same with 2,000 studies.

#[path = "../../examples/coverage/counting.rs"]
mod counting;

/// 0.95 within four standard errors of 400 studies.
const ALLOWED: std::ops::RangeInclusive<f64> = 0.906..=0.994;

#[test]
fn intervals_cover_the_truth_as_often_as_they_say() {
    for (name, share) in counting::coverage(400) {
        assert!(ALLOWED.contains(&share), "{name}: {share}");
    }
}
