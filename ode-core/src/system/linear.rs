//! Dense linear equations of implicit methods, solved by loops.
//!
//! The loops serve right-hand sides for which straight-line code over the nonzeros (`ode-codegen`'s
//! `factor`) would be too long. `ode-codegen` then also determines which equation has which pivot.
//! The functions with partial pivoting serve systems that request it.

pub mod tiles;

pub use device::*;

/// Returns the numbers of operations for `n` equations.
///
/// The first number counts [`from_jacobian`] and [`factor`] together, the second [`solve`].
pub(crate) fn operations(n: u64) -> [u64; 2] {
    [(n * n * n - n) / 3 + 3 * n, n * n]
}

#[ode_macros::device(linear)]
mod device {
    use super::tiles;
    use crate::lane::Real;
    use crate::system::MassMatrix;

    /// Computes `scale M - J` from the Jacobian `J` of a system, in place.
    pub fn from_jacobian<R: Real, S: MassMatrix<N>, const N: usize>(
        system: S,
        w: &mut [[R; N]; N],
        scale: R,
    ) {
        let mut i: usize = 0;
        while i < N {
            let mut j: usize = 0;
            while j < N {
                w[i][j] = -w[i][j];
                j += 1;
            }
            i += 1;
        }
        let mut j: usize = 0;
        while j < N {
            if S::MASS {
                let mut unit = [R::lit(0.0); N];
                unit[j] = scale;
                let column = system.mass(&unit);
                let mut i: usize = 0;
                while i < N {
                    w[i][j] = w[i][j] + column[i];
                    i += 1;
                }
            } else {
                w[j][j] = w[j][j] + scale;
            }
            j += 1;
        }
    }

    /// Factorises a matrix in place by Gaussian elimination with the pivots on the diagonal.
    ///
    /// If a step size makes a pivot small, the step is rejected. The factors replace the matrix:
    /// `L` below the diagonal, the reciprocals of the pivots on it, and `U` above. There is no
    /// second matrix, since it would not fit into a GPU's caches.
    pub fn factor<R: Real, const N: usize>(lu: &mut [[R; N]; N]) {
        let mut i: usize = 0;
        while i + 4 <= N {
            let mut first: usize = 0;
            while first < i {
                tiles::left::<R, N>(lu, i, first);
                first += 4;
            }
            tiles::diagonal::<R, N>(lu, i);
            first += 4;
            while first + 4 <= N {
                tiles::right::<R, N>(lu, i, first);
                first += 4;
            }
            let mut r: usize = 0;
            while r < 4 {
                let mut rest = first;
                while rest < N {
                    tiles::row_1::<R, N>(lu, i + r, rest);
                    rest += 1;
                }
                r += 1;
            }
            i += 4;
        }
        while i < N {
            let mut first: usize = 0;
            while first + 4 <= N {
                tiles::row_4::<R, N>(lu, i, first);
                first += 4;
            }
            while first < N {
                tiles::row_1::<R, N>(lu, i, first);
                first += 1;
            }
            lu[i][i] = lu[i][i].reciprocal();
            i += 1;
        }
    }

    /// Returns whether a matrix that [`factor`] has factorised has a negative determinant.
    pub fn negative<R: Real, const N: usize>(lu: &[[R; N]; N]) -> R::Mask {
        let mut signs = lu[0][0].to_bits();
        let mut i: usize = 1;
        while i < N {
            signs = signs ^ lu[i][i].to_bits();
            i += 1;
        }
        R::lit(1.0).copysign(R::from_bits(signs)).lt(R::lit(0.0))
    }

    /// Returns whether a matrix that [`factor_pivoted`] has factorised has a negative determinant.
    pub fn negative_pivoted<R: Real, const N: usize>(w: &Pivoted<R, N>) -> R::Mask {
        // Each exchange changes the sign.
        let mut sign = R::select(negative::<R, N>(&w.lu), R::lit(-1.0), R::lit(1.0));
        let mut i: usize = 1;
        while i < N {
            let mut k: usize = 0;
            while k < i {
                let exchanged = w.exchanged[i][k].gt(R::lit(0.0));
                sign = R::select(exchanged, -sign, sign);
                k += 1;
            }
            i += 1;
        }
        sign.lt(R::lit(0.0))
    }

    /// The factors of a matrix with exchanged rows.
    #[derive(Clone, Copy, Debug)]
    pub struct Pivoted<R: Real, const N: usize> {
        /// The factors of the matrix with its rows in their new order, in the layout of [`factor`].
        pub lu: [[R; N]; N],
        /// Below the diagonal: 1 if the row was exchanged with the pivot's row, else 0.
        ///
        /// Exchanges take place in the order of the columns, and of the rows from the pivot on.
        pub exchanged: [[R; N]; N],
    }

    /// Factorises a matrix by Gaussian elimination with partial pivoting.
    ///
    /// If the entry of a row below the pivot's row is greater, the two rows are exchanged, lane by
    /// lane.
    pub fn factor_pivoted<R: Real, const N: usize>(matrix: &[[R; N]; N]) -> Pivoted<R, N> {
        let mut lu = *matrix;
        let mut exchanged = [[R::lit(0.0); N]; N];
        let mut k: usize = 0;
        while k < N {
            let mut i = k + 1;
            while i < N {
                let greater = lu[i][k].abs().gt(lu[k][k].abs());
                exchanged[i][k] = R::select(greater, R::lit(1.0), R::lit(0.0));
                let mut j: usize = 0;
                while j < N {
                    let above = lu[k][j];
                    let below = lu[i][j];
                    lu[k][j] = R::select(greater, below, above);
                    lu[i][j] = R::select(greater, above, below);
                    j += 1;
                }
                i += 1;
            }
            lu[k][k] = lu[k][k].reciprocal();
            let mut i = k + 1;
            while i < N {
                let multiplier = lu[i][k] * lu[k][k];
                lu[i][k] = multiplier;
                let mut j = k + 1;
                while j < N {
                    lu[i][j] = (-multiplier).mul_add(lu[k][j], lu[i][j]);
                    j += 1;
                }
                i += 1;
            }
            k += 1;
        }
        Pivoted::<R, N> { lu, exchanged }
    }

    /// Solves equations that [`factor_pivoted`] has factorised.
    pub fn solve_pivoted<R: Real, const N: usize>(w: &Pivoted<R, N>, b: &[R; N]) -> [R; N] {
        let mut x = *b;
        let mut k: usize = 0;
        while k < N {
            let mut i = k + 1;
            while i < N {
                let greater = w.exchanged[i][k].gt(R::lit(0.0));
                let above = x[k];
                x[k] = R::select(greater, x[i], above);
                x[i] = R::select(greater, above, x[i]);
                i += 1;
            }
            k += 1;
        }
        solve::<R, N>(&w.lu, &x)
    }

    /// Solves equations that [`factor`] has factorised.
    pub fn solve<R: Real, const N: usize>(lu: &[[R; N]; N], b: &[R; N]) -> [R; N] {
        let mut x = *b;
        let mut first: usize = 0;
        while first + 8 <= N {
            tiles::forward_8::<R, N>(lu, &mut x, first);
            first += 8;
        }
        if first + 4 <= N {
            tiles::forward_4::<R, N>(lu, &mut x, first);
            first += 4;
        }
        while first < N {
            tiles::forward_1::<R, N>(lu, &mut x, first);
            first += 1;
        }
        let mut left = N;
        while left >= 8 {
            left -= 8;
            tiles::backward_8::<R, N>(lu, &mut x, left);
        }
        if left >= 4 {
            left -= 4;
            tiles::backward_4::<R, N>(lu, &mut x, left);
        }
        while left > 0 {
            left -= 1;
            tiles::backward_1::<R, N>(lu, &mut x, left);
        }
        x
    }
}
