//! Covariance matrices.

/// Variances below this share of what they are differences of count as 0.
const NEGLIGIBLE: f64 = 1e-12;

/// The same of standard deviations.
const NEGLIGIBLE_ROOT: f64 = 1e-6;

/// The lower triangle L of a symmetric, positive semidefinite matrix C = L L^T (Cholesky); `None` if it is not
/// semidefinite.
pub(super) fn cholesky(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let dim = matrix.len();
    let mut factor = vec![vec![0.0; dim]; dim];
    for column in 0..dim {
        let rest = |row: usize| {
            (0..column).fold(matrix[row][column], |rest, k| rest - factor[row][k] * factor[column][k])
        };
        let scale = |row: usize| (matrix[row][row] * matrix[column][column]).abs().sqrt();
        let below: Vec<f64> = (column..dim).map(rest).collect();
        let variance = below[0];
        if variance > NEGLIGIBLE * scale(column) {
            let deviation = variance.sqrt();
            (column..dim).zip(below).for_each(|(row, rest)| factor[row][column] = rest / deviation);
        } else if variance < -NEGLIGIBLE * scale(column)
            || (column..dim).zip(below).any(|(row, rest)| rest.abs() > NEGLIGIBLE_ROOT * scale(row))
        {
            return None;
        }
    }
    Some(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_multiply_to_their_matrix() {
        let matrices = [
            vec![vec![4.0, 2.0, 0.6], vec![2.0, 2.0, 0.5], vec![0.6, 0.5, 3.0]],
            // Of rank 1 and 2: the last components depend on the others.
            vec![vec![1.0, 2.0], vec![2.0, 4.0]],
            vec![vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0], vec![1.0, 1.0, 2.0]],
            vec![vec![0.0, 0.0], vec![0.0, 1e-20]],
        ];
        for matrix in matrices {
            let factor = cholesky(&matrix).unwrap();
            for (i, row) in matrix.iter().enumerate() {
                for (j, entry) in row.iter().enumerate() {
                    let product: f64 = factor[i].iter().zip(&factor[j]).map(|(a, b)| a * b).sum();
                    assert!((product - entry).abs() <= 1e-14 * entry.abs(), "{matrix:?}: {product}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_covariance_is_refused() {
        assert_eq!(cholesky(&[vec![1.0, 2.0], vec![2.0, 1.0]]), None);
        assert_eq!(cholesky(&[vec![-1.0]]), None);
        assert_eq!(cholesky(&[vec![0.0, 1.0], vec![1.0, 1.0]]), None);
    }
}
