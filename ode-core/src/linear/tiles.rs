//! Elimination and substitution, some columns or rows at a time.
//!
//! Each entry of the factors is a sum of products, and is computed in a register from the first to the
//! last: what a loop over the pivots outside of one over the entries would load and store at each. The sums of a
//! tile do not depend on one another, so that none waits for the last product of its own.

pub use device::*;

/// The functions for tiles of `$width`.
macro_rules! tiles {
    ($($width:tt: $row:ident $forward:ident $backward:ident,)*) => {
        #[ode_macros::device(tiles)]
        mod device {
            use crate::lane::Real;

            $(
                /// Eliminates entries `first..` of row `i`, as many as the tile is wide: those left of the
                /// diagonal become multipliers.
                pub fn $row<R: Real, const N: usize>(lu: &mut [[R; N]; N], i: usize, first: usize) {
                    let mut sums = [R::lit(0.0); $width];
                    for j in 0..$width {
                        sums[j] = lu[i][first + j];
                    }
                    let mut k: usize = 0;
                    while k < i && k < first {
                        let multiplier = lu[i][k];
                        for j in 0..$width {
                            sums[j] = multiplier.neg_mul_add(lu[k][first + j], sums[j]);
                        }
                        k += 1;
                    }
                    for j in 0..$width {
                        for k in 0..j {
                            if first + k < i {
                                sums[j] = sums[k].neg_mul_add(lu[first + k][first + j], sums[j]);
                            }
                        }
                        if first + j < i {
                            sums[j] = sums[j] * lu[first + j][first + j];
                        }
                    }
                    for j in 0..$width {
                        lu[i][first + j] = sums[j];
                    }
                }

                /// Solves equations `first..` of the lower triangle, as many as the tile is wide; `x` has the
                /// unknowns before them.
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

                /// Solves equations `first..` of the upper triangle, as many as the tile is wide; `x` has the
                /// unknowns after them.
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
    8: row_8 forward_8 backward_8,
    4: row_4 forward_4 backward_4,
    1: row_1 forward_1 backward_1,
}
