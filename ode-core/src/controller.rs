//! Step-size control: the error norm and what follows from it.
//!
//! The PI controller of OrdinaryDiffEq.jl and DiffEqGPU.jl (Gustafsson 1988; Hairer and Wanner,
//! volume II, IV.2), in logarithms of the *squared* norm, so that neither a square root nor a
//! `pow` is needed:
//!
//! `q = 0.9 · EEst^(-β₁) · EEst_old^β₂`, `β₁ = 7/(10k)`, `β₂ = 2/(5k)` for a method of order `k`,
//! clamped to `[1/5, 10]`; after a rejection the factor of `EEst_old` is left out.
//!
//! A controller needs few digits, but the same ones everywhere. So the logarithm is the bit
//! pattern itself, read as an integer (piecewise linear in the mantissa, off by at most 0.086),
//! and the exponential is `(1 + y + ½y²)⁴` with `y = ¼ x ln 2`, within 0.4% for factors between
//! ½ and 2. That polynomial is a square, but for a constant: `z² + ½` with `z = (1 + y)/√2`. So all
//! logarithms are kept in the scale of `z`, the *root* of the factor. Both are computed in `f32` for
//! either precision: on a GPU beside the `f64` pipe, on a CPU in half the registers. Step counts stay
//! within 0.5% of the exact formula's (tested).

pub use device::*;

// A constant of std's would be one that C++ does not know.
#[allow(clippy::approx_constant)]
#[ode_macros::device(controller)]
mod device {
    use crate::lane::{Bits, Real};

    /// Binary logarithm of the safety factor 0.9.
    pub const GAMMA_LOG2: f64 = -0.15200309344504997;
    /// Binary logarithm of the smallest factor between successive step sizes, 1/5: the one for which
    /// [`factor_of_root`] gives it.
    pub const Q_MIN_LOG2: f64 = -2.4183561492123173;
    /// Largest factor between successive step sizes.
    pub const Q_MAX: f64 = 10.0;
    /// Binary logarithm of the square of the smallest `EEst` that is remembered, `1e-4`.
    pub const OLD_LOG2_MIN: f64 = -26.575424759098898;
    /// Squared norms beyond this, infinities and NaNs count as this when the first step is chosen.
    pub const SQUARE_MAX: f64 = 1e30;
    /// A root is `ROOT_SLOPE x + ROOT_ONE` for a factor of `2^x`: `ln 2 / (4 √2)` and `1/√2`.
    pub const ROOT_SLOPE: f64 = 0.12253226793356839;
    /// See [`ROOT_SLOPE`].
    pub const ROOT_ONE: f64 = 0.7071067811865476;
    /// `f32` ends at 128 octaves.
    pub const MOST_SQUARE_OCTAVES: f64 = 100.0;

    /// The bit patterns whose difference with that of `x` begins the reciprocal of `x`.
    pub const RECIPROCAL_DOUBLE: u64 = 9213914475919310848;
    /// As [`RECIPROCAL_DOUBLE`], for `f32`.
    pub const RECIPROCAL_SINGLE: u64 = 2129867571;
    /// The Newton constant that goes with them: 2 for an exact seed, a little more to balance the
    /// one-sided error.
    pub const RECIPROCAL_NEWTON: f64 = 2.0013;

    /// About `1/x`, within 0.14%, for `x` between `2^-125` and `2^125` (`f64`: `2^±1021`).
    ///
    /// The bit pattern of a reciprocal is nearly a constant less that of `x`; one Newton step
    /// `r (c - x r)` follows, with the constants chosen together for the smallest greatest
    /// relative error. Outside the range the result is huge or a NaN, and a step whose error it
    /// scales is rejected.
    pub fn reciprocal<R: Real>(x: R) -> R {
        let seed = if R::DOUBLE {
            R::from_bits(<R::Bits as Bits>::lit(RECIPROCAL_DOUBLE).wrapping_sub(x.to_bits()))
        } else {
            R::from_bits(<R::Bits as Bits>::lit(RECIPROCAL_SINGLE).wrapping_sub(x.to_bits()))
        };
        seed * (-seed).mul_add(x, R::lit(RECIPROCAL_NEWTON))
    }

    /// Sum over the components of `(error / (abstol + reltol max(|u|, |u_new|)))²`: `N` times the
    /// square of the RMS norm. A NaN in any component gives a NaN.
    pub fn square_norm<R: Real, const N: usize>(
        error: &[R; N],
        u: &[R; N],
        new: &[R; N],
        abstol: R,
        reltol: R,
    ) -> R {
        let mut sum = R::lit(0.0);
        for d in 0..N {
            let scale = reltol.mul_add(u[d].max_magnitude(new[d]), abstol);
            let scaled = error[d] * reciprocal(scale);
            sum = scaled.mul_add(scaled, sum);
        }
        sum
    }

    /// The square of the norm `e₁² / √(e₁² + 0.01 e₂²)` that two error estimates give, from the squares
    /// of theirs (Hairer, Nørsett and Wanner I, II.10). Its order is twice that of `e₁` less that of
    /// `e₂`. Where the second is not finite, the first must not be either.
    pub fn both<R: Real>(first: R, second: R) -> R {
        let sum = second.mul_add(R::lit(SHARE_OF_SECOND), first);
        // Two zeros give zero.
        first * (first / sum.at_least(R::lit(BOTH_LEAST)))
    }

    /// `0.1²`.
    pub const SHARE_OF_SECOND: f64 = 0.01;
    /// Far below what any step size follows.
    pub const BOTH_LEAST: f64 = 1e-30;

    /// One over the bit pattern's units per octave.
    fn octave<R: Real>() -> R::Single {
        if R::DOUBLE {
            <R::Single as Real>::lit(OCTAVE_DOUBLE)
        } else {
            <R::Single as Real>::lit(OCTAVE_SINGLE)
        }
    }

    /// `2^-20`: the upper half of an `f64` has 20 bits of mantissa.
    pub const OCTAVE_DOUBLE: f64 = 0.00000095367431640625;
    /// `2^-23`.
    pub const OCTAVE_SINGLE: f64 = 0.00000011920928955078125;

    /// The bit pattern of a squared norm, at most `cap`, which a NaN counts as: its logarithm, up to
    /// scale and shift.
    fn pattern<R: Real>(square: R, cap: R::Single) -> R::Single {
        if R::DOUBLE {
            // Clamped as an `f32`, off the `f64` pipe. The sign of a NaN is arbitrary.
            square.abs().bits_to_single().at_most(cap)
        } else {
            square.at_most(R::single_to_bits(cap)).bits_to_single()
        }
    }

    /// The binary logarithm of `square / n`, piecewise linear; a NaN counts as [`SQUARE_MAX`].
    pub fn log2_of_mean<R: Real>(square: R, n: R) -> R::Single {
        // The exponents' biases cancel.
        let cap = R::lit(SQUARE_MAX).bits_to_single();
        (pattern(square, cap) - n.bits_to_single()) * octave::<R>()
    }

    /// About `2^x` from its root.
    pub fn factor_of_root<R: Real>(root: R) -> R {
        let y = root.mul_add(root, R::lit(0.5));
        let y = y * y;
        y * y
    }

    /// About `2^x` for any `x`, piecewise linear: within 6%.
    pub fn exp2_wide<R: Real>(x: R::Single) -> R {
        let one = R::lit(1.0).bits_to_single();
        R::single_to_bits(x.mul_add(per_octave::<R>(), one))
    }

    /// The bit pattern's units per octave.
    pub fn per_octave<R: Real>() -> R::Single {
        if R::DOUBLE {
            <R::Single as Real>::lit(PER_OCTAVE_DOUBLE)
        } else {
            <R::Single as Real>::lit(PER_OCTAVE_SINGLE)
        }
    }

    /// `2^20`.
    pub const PER_OCTAVE_DOUBLE: f64 = 1048576.0;
    /// `2^23`.
    pub const PER_OCTAVE_SINGLE: f64 = 8388608.0;

    /// What an attempted step leads to.
    #[derive(Clone, Copy, Debug)]
    pub struct Decision<R: Real> {
        /// Whether the error is small enough.
        pub accept: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R::Single,
        /// The controller's memory after the step.
        pub memory: R::Single,
    }

    /// The root of the step-size factor where the error is exactly the tolerance and nothing is
    /// remembered, plus what turns a bit pattern into a logarithm.
    fn level<R: Real>(n: R, beta1: R::Single) -> R::Single {
        // Plain products and sums, which compilers for a GPU fold, and fused ones they do not.
        let level = n.bits_to_single() * octave::<R>() * beta1;
        (level + <R::Single as Real>::lit(GAMMA_LOG2)) * <R::Single as Real>::lit(ROOT_SLOPE)
            + <R::Single as Real>::lit(ROOT_ONE)
    }

    /// The memory before the first step: the smallest error that is remembered.
    pub fn fresh_memory<R: Real>(n: R, beta1: R::Single, beta2: R::Single) -> R::Single {
        let remembered = beta2 * <R::Single as Real>::lit(OLD_LOG2_MIN);
        level::<R>(n, beta1) + remembered * <R::Single as Real>::lit(ROOT_SLOPE)
    }

    /// Decides on a step from [`square_norm`] of its error estimate, of `n` components. `beta1`
    /// and `beta2` are halved exponents, since the norm is squared.
    ///
    /// The factor is `2^(level - beta1 L + beta2 L_old)`, `L` the logarithm of the squared norm;
    /// the memory is `level + beta2 L_old`, as a root. All that is constant folds.
    pub fn decide<R: Real>(
        square: R,
        n: R,
        memory: R::Single,
        beta1: R::Single,
        beta2: R::Single,
    ) -> Decision<R> {
        let accept = square.le(n);
        let good = R::single_mask(accept);
        // Greater errors would shrink the step more than is allowed. Accepted ones never do.
        let most = <R::Single as Real>::lit(GAMMA_LOG2 - Q_MIN_LOG2) / beta1;
        let most = most.min(<R::Single as Real>::lit(MOST_SQUARE_OCTAVES));
        let bits = pattern(square, most * per_octave::<R>() + n.bits_to_single());
        let per_unit = octave::<R>() * <R::Single as Real>::lit(ROOT_SLOPE);
        let level = level::<R>(n, beta1);
        // What does not need this step's error is ready before it: it is on no critical path.
        let remembered = <R::Single as Real>::select(good, memory, level);
        let factor = factor_of_root(bits.mul_add(-(beta1 * per_unit), remembered));
        let factor = factor.at_most(<R::Single as Real>::lit(Q_MAX));
        let slope = beta2 * per_unit;
        let base = level - n.bits_to_single() * slope;
        let next = bits.mul_add(slope, base).at_least(fresh_memory::<R>(n, beta1, beta2));
        let memory = <R::Single as Real>::select(good, next, memory);
        Decision::<R> { accept, factor, memory }
    }
}
