//! Orthonormal directions.

use crate::lane::Real;
use crate::problem::draw::values::Stream;
use crate::random;

/// The purpose of the random words of directions.
const DIRECTIONS: u64 = 18;

/// The fraction of a direction that must remain outside the earlier ones.
///
/// The remainder of a smaller fraction consists of rounding.
const LEAST: f64 = 1e-12;

/// Returns `k` random orthonormal directions of `n` components, one after the other.
pub(super) fn random(k: usize, n: usize) -> Vec<f64> {
    let component = |at: usize| {
        let stream = Stream { seed: 0, index: (at / n) as u64, purpose: DIRECTIONS };
        random::independent::<f64>((at % n) as u64, &stream.numbers()) - 0.5
    };
    let mut directions: Vec<f64> = (0..k * n).map(component).collect();
    orthonormalise(&mut directions, n, |_, _| {});
    directions
}

/// Makes directions of `n` components orthonormal, and passes the logarithm of the growth of each to
/// `put`.
///
/// The method is modified Gram-Schmidt. The growth is the length of the part of a direction that is
/// orthogonal to all earlier ones. If rounding dominates this part, the growth is NaN, and the
/// direction and all later ones become zero.
pub(super) fn orthonormalise(directions: &mut [f64], n: usize, mut put: impl FnMut(usize, f64)) {
    let mut is_lost = false;
    for j in 0..directions.len() / n {
        let (earlier, own) = directions.split_at_mut(j * n);
        let own = &mut own[..n];
        let before = length(own);
        for other in earlier.chunks_exact(n) {
            let along: f64 = other.iter().zip(own.iter()).map(|(a, b)| a * b).sum();
            own.iter_mut().zip(other).for_each(|(own, other)| *own -= along * other);
        }
        let after = length(own);
        // The comparison is false for a NaN.
        is_lost |= !(after > LEAST * before && after.is_finite());
        if is_lost {
            own.fill(0.0);
            put(j, f64::NAN);
        } else {
            own.iter_mut().for_each(|component| *component /= after);
            put(j, Real::ln(after));
        }
    }
}

/// Returns the Euclidean norm; squares neither overflow nor underflow.
fn length(direction: &[f64]) -> f64 {
    let largest = direction.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let squares: f64 = direction.iter().map(|x| (x / largest) * (x / largest)).sum();
    largest * squares.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_orthonormal() {
        for (k, n) in [(1, 1), (2, 2), (3, 3), (4, 7)] {
            let directions = random(k, n);
            for (i, a) in directions.chunks_exact(n).enumerate() {
                for (j, b) in directions.chunks_exact(n).enumerate() {
                    let product: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-14);
                }
            }
        }
    }

    /// The lengths of the edges of a parallelepiped: their product is the determinant.
    #[test]
    fn growth_is_the_part_that_is_orthogonal() {
        let mut directions = [3e200, 4e200, 0.0, 3e-200, 9e-200, 0.0];
        let mut growth = [0.0; 2];
        orthonormalise(&mut directions, 3, |j, logarithm| growth[j] = logarithm);
        let determinant = 3.0 * 9.0 - 4.0 * 3.0_f64;
        assert!((growth[0] - 5e200_f64.ln()).abs() < 1e-12);
        assert!((growth[0] + growth[1] - determinant.ln()).abs() < 1e-12);
    }

    #[test]
    fn parallel_directions_are_lost() {
        let mut directions = [1.0, 1.0, 0.0, 1.0, 1.0 + 1e-14, 0.0, 0.0, 0.0, 1.0];
        let mut growth = [0.0; 3];
        orthonormalise(&mut directions, 3, |j, logarithm| growth[j] = logarithm);
        assert!((growth[0] - 2.0_f64.ln() / 2.0).abs() < 1e-15);
        assert!(growth[1].is_nan() && growth[2].is_nan());
        assert_eq!(directions[3..], [0.0; 6]);
    }
}
