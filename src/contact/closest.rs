//! The closest approach of two points that move uniformly.

use super::Products;
use crate::soa::block::{Mask, Quantity};

/// When two points are closest to each other, and how close.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClosestApproach<N> {
    /// In seconds.
    pub(crate) time: N,
    /// In metres.
    pub(crate) distance: N,
}

impl<N: Quantity> ClosestApproach<N> {
    /// Within `duration` seconds from now; `position` and `velocity` are relative, and `products` are theirs.
    ///
    /// The distance is that of the positions at that time: a difference of squares would cancel at large distances.
    #[inline(always)]
    pub(crate) fn new<const D: usize>(
        products: &Products<N>,
        position: &[N; D],
        velocity: &[N; D],
        duration: N,
    ) -> Self {
        // The quotient is NaN for points at relative rest, which are always at their closest.
        let unlimited = N::ZERO.lt(products.ww).select(-products.dw / products.ww, N::ZERO);
        let time = unlimited.max(N::ZERO).min(duration);
        let mut square = N::ZERO;
        for k in 0..D {
            let x = position[k] + velocity[k] * time;
            square = square + x * x;
        }
        Self { time, distance: square.sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn closest(d: [f64; 2], w: [f64; 2], duration: f64) -> [f64; 2] {
        let products = Products::new::<2>(2, |k| [d[k], w[k]]);
        let ClosestApproach { time, distance } = ClosestApproach::new(&products, &d, &w, duration);
        [time, distance]
    }

    #[test]
    fn closest_in_the_past_the_future_and_after_the_end() {
        assert_eq!(closest([-6.0, 3.0], [2.0, 0.0], 10.0), [3.0, 3.0]);
        assert_eq!(closest([4.0, 3.0], [2.0, 0.0], 10.0), [0.0, 5.0]);
        assert_eq!(closest([-6.0, 3.0], [2.0, 0.0], 1.0), [1.0, 5.0]);
        assert_eq!(closest([3.0, 4.0], [0.0, 0.0], 1.0), [0.0, 5.0]);
    }
}
