//! Vectors of any dimension as slices: dot product and length.

/// The dot product, summed from axis 0 up.
#[inline(always)]
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The Euclidean length of a vector whose squares neither overflow nor underflow.
#[inline(always)]
#[must_use]
pub fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_lengths() {
        assert_eq!(dot(&[1.0, 2.0, 3.0], &[4.0, -5.0, 6.0]), 12.0);
        assert_eq!(norm(&[3.0, 0.0, -4.0]), 5.0);
        assert_eq!(norm(&[]), 0.0);
    }
}
