//! The norm of scaled errors, and its tolerances.

pub use device::*;

#[ode_macros::device(norm)]
mod device {
    use crate::lane::{Bits, Real};

    /// The tolerances that scale errors.
    #[derive(Clone, Copy, Debug)]
    pub struct Tolerances<R: Real, const N: usize> {
        /// The absolute tolerance of each component.
        pub abstol: [R; N],
        /// The relative tolerance.
        pub reltol: R,
        /// The remaining change, in tolerances, at the end of an iteration that stalls.
        ///
        /// An iteration that no longer converges may end with this change. Zero if a shorter step
        /// can replace the step.
        pub slack: R,
    }

    /// Makes [`Tolerances`].
    pub fn tolerances<R: Real, const N: usize>(abstol: [R; N], reltol: R) -> Tolerances<R, N> {
        Tolerances::<R, N> { abstol, reltol, slack: R::lit(0.0) }
    }

    /// Returns the tolerances of iterations in solves with fixed steps.
    ///
    /// Their errors are negligible beside the method's.
    pub fn tight<R: Real, const N: usize>(given: &Tolerances<R, N>) -> Tolerances<R, N> {
        let mut tight = *given;
        for d in 0..N {
            tight.abstol[d] = given.abstol[d] * R::lit(TIGHT);
        }
        tight.reltol = given.reltol * R::lit(TIGHT);
        tight.slack = R::lit(1.0 / TIGHT);
        tight
    }

    /// The ratio of [`tight`] tolerances to the tolerances of the options.
    pub const TIGHT: f64 = 1e-4;

    /// The largest squared norm; larger ones, infinities and NaNs count as this.
    pub const SQUARE_MAX: f64 = 1e30;
    /// The constant of a first approximation of `1/x`, for `f64`.
    ///
    /// The bit pattern of `x` is subtracted from it.
    pub const RECIPROCAL_DOUBLE: u64 = 9213914475919310848;
    /// [`RECIPROCAL_DOUBLE`] for `f32`.
    pub const RECIPROCAL_SINGLE: u64 = 2129867571;
    /// The Newton constant for these patterns.
    ///
    /// It would be 2 for an exact seed; it is a little more to balance the one-sided error.
    pub const RECIPROCAL_NEWTON: f64 = 2.0013;

    /// Returns about `1/x`, within 0.14%.
    ///
    /// `x` lies between `2^-125` and `2^125` (`f64`: `2^±1021`). The bit pattern of a reciprocal is
    /// nearly a constant less the pattern of `x`. One Newton step `r (c - x r)` follows. The
    /// constants were chosen together for the smallest maximum of the relative error. Outside the
    /// range the result is huge or a NaN, and a step with an error scaled by it is rejected.
    pub fn reciprocal<R: Real>(x: R) -> R {
        let seed = if R::DOUBLE {
            R::from_bits(<R::Bits as Bits>::lit(RECIPROCAL_DOUBLE).wrapping_sub(x.to_bits()))
        } else {
            R::from_bits(<R::Bits as Bits>::lit(RECIPROCAL_SINGLE).wrapping_sub(x.to_bits()))
        };
        seed * (-seed).mul_add(x, R::lit(RECIPROCAL_NEWTON))
    }

    /// Returns the sum over components of `(error / (abstol + reltol max(|u|, |u_new|)))²`.
    ///
    /// This is `N` times the square of the RMS norm. A NaN in any component gives a NaN.
    pub fn scaled_error_sq<R: Real, const N: usize>(
        error: &[R; N],
        u: &[R; N],
        new: &[R; N],
        tolerances: &Tolerances<R, N>,
    ) -> R {
        let mut sum = R::lit(0.0);
        for d in 0..N {
            let size = u[d].max_magnitude(new[d]);
            let scale = tolerances.reltol.mul_add(size, tolerances.abstol[d]);
            let scaled = error[d] * reciprocal(scale);
            sum = scaled.mul_add(scaled, sum);
        }
        sum
    }

    /// Returns the squared norm `e₁² / √(e₁² + 0.01 e₂²)` of two error estimates.
    ///
    /// The arguments are their squares (Hairer, Nørsett and Wanner I, II.10). The order of the norm
    /// is twice the order of `e₁` less the order of `e₂`. If `e₂` is not finite, `e₁` must not be
    /// finite either.
    pub fn both<R: Real>(first: R, second: R) -> R {
        let sum = second.mul_add(R::lit(SHARE_OF_SECOND), first);
        // Two zeros give zero.
        first * (first / sum.at_least(R::lit(BOTH_LEAST)))
    }

    /// `0.1²`.
    pub const SHARE_OF_SECOND: f64 = 0.01;
    /// A number far below all squared norms that matter to step sizes.
    pub const BOTH_LEAST: f64 = 1e-30;

    /// Returns whether all components are finite.
    pub fn is_finite<R: Real, const N: usize>(u: &[R; N]) -> R::Mask {
        let mut sum = R::lit(0.0);
        for d in 0..N {
            // A finite number times zero is zero. Otherwise the product is a NaN, and so is the
            // sum.
            sum = u[d].mul_add(R::lit(0.0), sum);
        }
        sum.equals(R::lit(0.0))
    }
}
