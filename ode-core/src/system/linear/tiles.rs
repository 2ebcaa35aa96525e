//! Elimination and substitution, several columns or rows at a time.
//!
//! Each entry of the factors is a sum of products. A tile computes the whole sum in a register,
//! while an outer loop over the pivots would load and store the entry for each pivot. The sums of a
//! tile are independent, so the latency of one product does not delay the others.

pub use device::*;

/// Declares the functions for tiles of `$width` entries: of a row, and of solutions.
macro_rules! tiles {
    (
        rows { $($wide:tt: $row:ident,)* }
        solutions { $($width:tt: $forward:ident $backward:ident,)* }
    ) => {
        #[ode_macros::device(tiles)]
        mod device {
            use crate::lane::Real;

            /// Returns the tile of 4 by 4 entries from `(i, first)` on, after elimination by the
            /// first `pivots`.
            pub fn sums<R: Real, const N: usize>(
                lu: &[[R; N]; N],
                i: usize,
                first: usize,
                pivots: usize,
            ) -> [[R; 4]; 4] {
                let mut sums = [[R::lit(0.0); 4]; 4];
                for r in 0..4 {
                    for j in 0..4 {
                        sums[r][j] = lu[i + r][first + j];
                    }
                }
                let mut k: usize = 0;
                while k < pivots {
                    for r in 0..4 {
                        let multiplier = lu[i + r][k];
                        for j in 0..4 {
                            sums[r][j] = multiplier.neg_mul_add(lu[k][first + j], sums[r][j]);
                        }
                    }
                    k += 1;
                }
                sums
            }

            /// Stores a tile.
            pub fn store<R: Real, const N: usize>(
                lu: &mut [[R; N]; N],
                i: usize,
                first: usize,
                tile: &[[R; 4]; 4],
            ) {
                for r in 0..4 {
                    for j in 0..4 {
                        lu[i + r][first + j] = tile[r][j];
                    }
                }
            }

            /// Eliminates the tile from `(i, first)` on, left of the diagonal.
            ///
            /// The entries become multipliers.
            pub fn left<R: Real, const N: usize>(lu: &mut [[R; N]; N], i: usize, first: usize) {
                let mut tile = sums::<R, N>(lu, i, first, first);
                for j in 0..4 {
                    for r in 0..4 {
                        for k in 0..j {
                            tile[r][j] = tile[r][k].neg_mul_add(lu[first + k][first + j], tile[r][j]);
                        }
                        tile[r][j] = tile[r][j] * lu[first + j][first + j];
                    }
                }
                store::<R, N>(lu, i, first, &tile);
            }

            /// Eliminates the tile from `(i, i)` on.
            pub fn diagonal<R: Real, const N: usize>(lu: &mut [[R; N]; N], i: usize) {
                let mut tile = sums::<R, N>(lu, i, i, i);
                for r in 0..4 {
                    for j in 0..4 {
                        for k in 0..4 {
                            if k < r && k < j {
                                tile[r][j] = tile[r][k].neg_mul_add(tile[k][j], tile[r][j]);
                            }
                        }
                        if j < r {
                            tile[r][j] = tile[r][j] * tile[j][j];
                        }
                    }
                    tile[r][r] = tile[r][r].reciprocal();
                }
                store::<R, N>(lu, i, i, &tile);
            }

            /// Eliminates a tile right of the diagonal, after the diagonal tile of these rows.
            pub fn right<R: Real, const N: usize>(lu: &mut [[R; N]; N], i: usize, first: usize) {
                let mut tile = sums::<R, N>(lu, i, first, i);
                for r in 0..4 {
                    for k in 0..r {
                        for j in 0..4 {
                            tile[r][j] = lu[i + r][i + k].neg_mul_add(tile[k][j], tile[r][j]);
                        }
                    }
                }
                store::<R, N>(lu, i, first, &tile);
            }

            $(
                /// Eliminates entries `first..` of row `i`, as many as the tile is wide.
                ///
                /// Entries left of the diagonal become multipliers.
                pub fn $row<R: Real, const N: usize>(lu: &mut [[R; N]; N], i: usize, first: usize) {
                    let mut sums = [R::lit(0.0); $wide];
                    for j in 0..$wide {
                        sums[j] = lu[i][first + j];
                    }
                    let mut k: usize = 0;
                    while k < i && k < first {
                        let multiplier = lu[i][k];
                        for j in 0..$wide {
                            sums[j] = multiplier.neg_mul_add(lu[k][first + j], sums[j]);
                        }
                        k += 1;
                    }
                    for j in 0..$wide {
                        for k in 0..j {
                            if first + k < i {
                                sums[j] = sums[k].neg_mul_add(lu[first + k][first + j], sums[j]);
                            }
                        }
                        if first + j < i {
                            sums[j] = sums[j] * lu[first + j][first + j];
                        }
                    }
                    for j in 0..$wide {
                        lu[i][first + j] = sums[j];
                    }
                }
            )*

            $(
                /// Solves equations `first..` of the lower triangle, as many as the tile is wide.
                ///
                /// `x` contains the unknowns before them.
                pub fn $forward<R: Real, const N: usize>(
                    lu: &[[R; N]; N],
                    x: &mut [R; N],
                    first: usize,
                ) {
                    let mut sums = [R::lit(0.0); $width];
                    for i in 0..$width {
                        sums[i] = x[first + i];
                    }
                    let mut k: usize = 0;
                    while k < first {
                        for i in 0..$width {
                            sums[i] = lu[first + i][k].neg_mul_add(x[k], sums[i]);
                        }
                        k += 1;
                    }
                    for i in 0..$width {
                        for k in 0..i {
                            sums[i] = lu[first + i][first + k].neg_mul_add(sums[k], sums[i]);
                        }
                    }
                    for i in 0..$width {
                        x[first + i] = sums[i];
                    }
                }

                /// Solves equations `first..` of the upper triangle, as many as the tile is wide.
                ///
                /// `x` contains the unknowns after them.
                pub fn $backward<R: Real, const N: usize>(
                    lu: &[[R; N]; N],
                    x: &mut [R; N],
                    first: usize,
                ) {
                    let mut sums = [R::lit(0.0); $width];
                    for i in 0..$width {
                        sums[i] = x[first + i];
                    }
                    let mut left = N;
                    while left > first + $width {
                        left -= 1;
                        for i in 0..$width {
                            sums[i] = lu[first + i][left].neg_mul_add(x[left], sums[i]);
                        }
                    }
                    for back in 0..$width {
                        let i = $width - 1 - back;
                        for done in 0..back {
                            let k = $width - 1 - done;
                            sums[i] = lu[first + i][first + k].neg_mul_add(sums[k], sums[i]);
                        }
                        sums[i] = sums[i] * lu[first + i][first + i];
                    }
                    for i in 0..$width {
                        x[first + i] = sums[i];
                    }
                }
            )*
        }
    };
}

tiles! {
    rows {
        4: row_4,
        1: row_1,
    }
    solutions {
        8: forward_8 backward_8,
        4: forward_4 backward_4,
        1: forward_1 backward_1,
    }
}
