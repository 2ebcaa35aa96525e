//! Step-size control: the error norm and what follows from it.
//!
//! A [`Controller`] says which law; its coefficients are worked out once, on the host, as a [`Law`] of
//! the lanes. All is in logarithms of the *squared* norm, so that neither a square root nor a `pow` is
//! needed.
//!
//! A controller needs few digits, but the same ones everywhere. So the logarithm is the bit
//! pattern itself, read as an integer (piecewise linear in the mantissa, off by at most 0.086),
//! and the exponential is `(1 + y + ½y²)⁴` with `y = ¼ x ln 2`, within 0.4% for factors between
//! ½ and 2. That polynomial is a square, but for a constant: `z² + ½` with `z = (1 + y)/√2`. So all
//! logarithms are kept in the scale of `z`, the *root* of the factor. Both are computed in `f32` for
//! either precision: on a GPU beside the `f64` pipe, on a CPU in half the registers. Step counts stay
//! within 0.5% of the exact formula's (tested).

#[cfg(feature = "serde")]
mod written;

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::methods::Properties;

pub use device::*;

// A constant of std's would be one that C++ does not know.
#[allow(clippy::approx_constant)]
#[ode_macros::device(controller)]
mod device {
    use crate::lane::{Bits, Real};
    use crate::methods::stepper;

    /// Squared norms beyond this, infinities and NaNs count as this when the first step is chosen.
    pub const SQUARE_MAX: f64 = 1e30;
    /// A root is `ROOT_SLOPE x + ROOT_ONE` for a factor of `2^x`: `ln 2 / (4 √2)` and `1/√2`.
    pub const ROOT_SLOPE: f64 = 0.12253226793356839;
    /// See [`ROOT_SLOPE`].
    pub const ROOT_ONE: f64 = 0.7071067811865476;

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
        tolerances: &stepper::Tolerances<R, N>,
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
        // Clamped as an `f32`, off the `f64` pipe.
        square.bits_to_single().at_most(cap)
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

    /// The coefficients of a [`Controller`](super::Controller), for one method and number of components.
    ///
    /// The factor's root is linear in bit patterns of squared norms, this step's and what is
    /// remembered.
    #[derive(Clone, Copy, Debug)]
    pub struct Law<R: Real> {
        /// Squared norms of greater patterns count as this one.
        pub cap: R::Single,
        /// What a unit of this step's pattern takes off the root.
        pub beta1: R::Single,
        /// What a unit of the pattern of the step before adds.
        pub beta2: R::Single,
        /// What a unit of the pattern of the one before that adds.
        pub beta3: R::Single,
        /// The root where nothing is remembered, before this step's pattern is taken off.
        pub level: R::Single,
        /// What `beta2` and `beta3` times patterns are added to.
        pub base: R::Single,
        /// The first memory.
        pub fresh: R::Single,
        /// The smallest pattern that is remembered.
        pub floor: R::Single,
        /// The root of the smallest factor.
        pub least: R::Single,
        /// The root of the greatest factor.
        pub most: R::Single,
    }

    /// A [`Law`] of its numbers, in the order of its fields.
    pub fn law<R: Real>(numbers: [R::Single; LAW_NUMBERS]) -> Law<R> {
        let [cap, beta1, beta2, beta3, level, base, fresh, floor, least, most] = numbers;
        Law::<R> { cap, beta1, beta2, beta3, level, base, fresh, floor, least, most }
    }

    /// How many numbers a [`Law`] is.
    pub const LAW_NUMBERS: usize = 10;

    /// Laws that remember one error.
    pub const KIND_PI: u32 = 0;
    /// Laws that remember two errors.
    pub const KIND_PID: u32 = 1;
    /// Laws that remember an error and how the step size changed.
    pub const KIND_PREDICTIVE: u32 = 2;

    /// What a controller remembers of accepted steps.
    #[derive(Clone, Copy, Debug)]
    pub struct Memory<R: Real> {
        /// The root but for this step's error; of a predictive controller what it adds to that of an
        /// integrating one.
        pub root: R::Single,
        /// The pattern of the last accepted step's squared norm, for those that remember two.
        pub last: R::Single,
    }

    /// The memory before the first step.
    pub fn fresh<R: Real>(law: &Law<R>) -> Memory<R> {
        Memory::<R> { root: law.fresh, last: law.floor }
    }

    /// The memory `a` where the mask is true, else `b`.
    pub fn choose_memory<R: Real>(mask: R::Mask, a: &Memory<R>, b: &Memory<R>) -> Memory<R> {
        let mask = R::single_mask(mask);
        Memory::<R> {
            root: <R::Single as Real>::select(mask, a.root, b.root),
            last: <R::Single as Real>::select(mask, a.last, b.last),
        }
    }

    /// The law `a` where the mask is true, else `b`.
    pub fn choose_law<R: Real>(mask: R::Mask, a: &Law<R>, b: &Law<R>) -> Law<R> {
        let mask = R::single_mask(mask);
        Law::<R> {
            cap: <R::Single as Real>::select(mask, a.cap, b.cap),
            beta1: <R::Single as Real>::select(mask, a.beta1, b.beta1),
            beta2: <R::Single as Real>::select(mask, a.beta2, b.beta2),
            beta3: <R::Single as Real>::select(mask, a.beta3, b.beta3),
            level: <R::Single as Real>::select(mask, a.level, b.level),
            base: <R::Single as Real>::select(mask, a.base, b.base),
            fresh: <R::Single as Real>::select(mask, a.fresh, b.fresh),
            floor: <R::Single as Real>::select(mask, a.floor, b.floor),
            least: <R::Single as Real>::select(mask, a.least, b.least),
            most: <R::Single as Real>::select(mask, a.most, b.most),
        }
    }

    /// What an attempted step leads to.
    #[derive(Clone, Copy, Debug)]
    pub struct Decision<R: Real> {
        /// Whether the error is small enough.
        pub accept: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R::Single,
        /// The controller's memory after the step.
        pub memory: Memory<R>,
    }

    /// Decides on a step from [`square_norm`] of its error estimate, of `n` components, by a law of the
    /// `kind` given.
    pub fn decide<R: Real>(
        square: R,
        n: R,
        memory: &Memory<R>,
        law: &Law<R>,
        kind: u32,
    ) -> Decision<R> {
        let accept = square.le(n);
        let good = R::single_mask(accept);
        let bits = pattern(square, law.cap);
        // What does not need this step's error is ready before it: it is on no critical path.
        let mut remembered = law.level;
        if kind != KIND_PREDICTIVE {
            remembered = <R::Single as Real>::select(good, memory.root, law.level);
        }
        let mut root = bits.mul_add(-law.beta1, remembered);
        if kind == KIND_PREDICTIVE {
            // Of two laws the shorter step. A refused one says nothing of the trend.
            let trend = bits.mul_add(-law.beta1, root + memory.root);
            root = <R::Single as Real>::select(good, root.min(trend), root);
        }
        if kind != KIND_PI {
            root = root.at_least(law.least);
        }
        let root = root.at_most(law.most);
        let factor = factor_of_root(root);

        let mut next = bits.mul_add(law.beta2, law.base).at_least(law.fresh);
        let mut last = memory.last;
        if kind == KIND_PID {
            let kept = bits.at_least(law.floor);
            next = kept.mul_add(law.beta2, law.beta3.mul_add(memory.last, law.base));
            last = <R::Single as Real>::select(good, kept, last);
        }
        if kind == KIND_PREDICTIVE {
            let change = root - <R::Single as Real>::lit(ROOT_ONE);
            next = bits.at_least(law.floor).mul_add(law.beta1, change);
            // Refused steps add to the change since the last accepted one.
            let refused = memory.root + change;
            next = <R::Single as Real>::select(good, next, refused);
        } else {
            next = <R::Single as Real>::select(good, next, memory.root);
        }
        let memory = Memory::<R> { root: next, last };
        Decision::<R> { accept, factor, memory }
    }
}

/// How the next step size follows from the estimated errors.
///
/// With `e` the RMS norm of the estimated error in units of the tolerance, `k` the order of that
/// estimate plus one, and `e₋₁`, `e₋₂` those of the accepted steps before:
///
/// | | factor between step sizes |
/// |---|---|
/// | [`i`](Controller::i) | `safety e^(-1/k)` |
/// | [`pi`](Controller::pi) | `safety e^(-β₁/k) e₋₁^(β₂/k)` (Gustafsson 1988; Hairer and Wanner II, IV.2) |
/// | [`pid`](Controller::pid) | `safety e^(-β₁/k) e₋₁^(-β₂/k) e₋₂^(-β₃/k)` (Söderlind 2003) |
/// | [`predictive`](Controller::predictive) | the lesser of the first one and `safety e^(-1/k) (h/h₋₁) (e₋₁/e)^(1/k)` (Gustafsson 1994; Hairer and Wanner II, IV.8) |
///
/// within [limits](Controller::factors). After a rejection the errors of steps before are left out.
/// Errors are remembered as `1e-4` at least, with explicit methods as so much that an accepted step is followed
/// by one of 0.52 times its size or more.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "written::Written", into = "written::Written"))]
#[must_use]
pub struct Controller {
    kind: Kind,
    safety: f64,
    factors: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Pi([f64; 2]),
    Pid([f64; 3]),
    Predictive,
}

impl Controller {
    const fn new(kind: Kind) -> Self {
        Controller { kind, safety: 0.9, factors: [0.2, 10.0] }
    }

    /// By this step's error alone.
    pub const fn i() -> Self {
        Controller::pi(1.0, 0.0)
    }

    /// By the last two errors. `pi(0.7, 0.4)` is usual for explicit methods.
    pub const fn pi(beta1: f64, beta2: f64) -> Self {
        Controller::new(Kind::Pi([beta1, beta2]))
    }

    /// By the last three errors. In this convention the usual `pi(0.7, 0.4)` is `pid(0.7, -0.4, 0.0)`.
    pub const fn pid(beta1: f64, beta2: f64, beta3: f64) -> Self {
        Controller::new(Kind::Pid([beta1, beta2, beta3]))
    }

    /// By the errors and step sizes of the last two steps: follows an error that grows.
    pub const fn predictive() -> Self {
        Controller::new(Kind::Predictive)
    }

    /// Aims at an error of this fraction of the tolerance, as far as the step size says; 0.9 by default.
    pub const fn safety(self, safety: f64) -> Self {
        Controller { safety, ..self }
    }

    /// The least and the greatest factor between successive step sizes; 0.2 and 10 by default. The least
    /// lies between 0.1 and 1, the greatest between 1 and 10.
    pub const fn factors(self, least: f64, greatest: f64) -> Self {
        Controller { factors: [least, greatest], ..self }
    }

    /// Which of the lanes' laws it is.
    #[must_use]
    pub fn kind(&self) -> u32 {
        match self.kind {
            Kind::Pi(_) => KIND_PI,
            Kind::Pid(_) => KIND_PID,
            Kind::Predictive => KIND_PREDICTIVE,
        }
    }

    /// Whether its numbers make sense.
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        let wrong = |name, value| Err(SolveError::Controller { name, value });
        let [least, greatest] = self.factors;
        let exponents: &[f64] = match &self.kind {
            Kind::Pi(exponents) => exponents,
            Kind::Pid(exponents) => exponents,
            Kind::Predictive => &[],
        };
        if let Some(&value) = exponents.iter().find(|value| value.is_nan() || value.abs() > 4.0) {
            return wrong("an exponent", value);
        }
        if let Some(&first) = exponents.first().filter(|first| **first < 0.05) {
            return wrong("the exponent of this step's error", first);
        }
        if let Kind::Pi([_, second]) = self.kind
            && second < 0.0
        {
            return wrong("the second exponent of `pi`", second);
        }
        if !(self.safety > 0.0 && self.safety <= 1.0) {
            return wrong("the safety factor", self.safety);
        }
        if !(0.1..1.0).contains(&least) {
            return wrong("the least factor", least);
        }
        if !(greatest > 1.0 && greatest <= 10.0) {
            return wrong("the greatest factor", greatest);
        }
        Ok(())
    }

    /// The numbers of its [`Law`], for `n` components of type `T` and the error estimate of `method`.
    #[must_use]
    pub fn law<T: Scalar>(&self, n: usize, method: &Properties) -> [f32; LAW_NUMBERS] {
        // The root of the factor, and of a binary logarithm.
        let root_of = |factor: f64| (factor.sqrt().sqrt() - 0.5).sqrt();
        let root = |log2: f64| ROOT_SLOPE * log2 + ROOT_ONE;
        // The norm is squared: half the exponents.
        let half = 0.5 / method.error as f64;
        let betas = match self.kind {
            Kind::Pi([beta1, beta2]) => [beta1, beta2, 0.0],
            Kind::Pid([beta1, beta2, beta3]) => [beta1, -beta2, -beta3],
            Kind::Predictive => [1.0, 0.0, 0.0],
        };
        let per_octave = if T::DOUBLE { PER_OCTAVE_DOUBLE } else { PER_OCTAVE_SINGLE };
        let one = f64::from(T::lit(n as f64).bits_to_single());
        let [beta1, beta2, beta3] = betas.map(|beta| beta * half * ROOT_SLOPE / per_octave);
        let safety = root(self.safety.log2());
        let [least, most] = self.factors;
        let falls = (safety - root_of(least)) / (beta1 * per_octave);
        // By how much small errors of steps before can shorten the next one.
        let shorten = match self.kind {
            Kind::Pi([_, beta2]) => beta2.max(0.0),
            Kind::Pid([_, beta2, beta3]) => (-beta2).max(0.0) + (-beta3).max(0.0),
            Kind::Predictive => 0.0,
        };
        // Implicit methods refuse a step of no length: it divides.
        let explicit = method.solves == 0 || method.switches_to.is_some();
        let enough = (LEAST_ACCEPTED / self.safety).log2().min(0.0) / (shorten * half);
        let smallest = if explicit { enough.max(OLD_LOG2_MIN) } else { OLD_LOG2_MIN };
        let smallest = smallest * per_octave + one;
        let (base, fresh) = match self.kind {
            // Nothing is remembered as the smallest error.
            Kind::Pi(_) => {
                let base = safety + (beta1 - beta2) * one;
                (base, base + beta2 * smallest)
            }
            Kind::Pid(_) => {
                let base = safety + (beta1 - beta2 - beta3) * one;
                (base, base + (beta2 + beta3) * smallest)
            }
            // No trend.
            Kind::Predictive => (0.0, NO_TREND),
        };
        let numbers: [f64; LAW_NUMBERS] = [
            // Greater errors would shrink the step more than is allowed. Accepted ones never do.
            falls.min(MOST_SQUARE_OCTAVES) * per_octave + one,
            beta1,
            beta2,
            beta3,
            safety + beta1 * one,
            base,
            fresh,
            smallest,
            root_of(least),
            root_of(most),
        ];
        numbers.map(|number| number as f32)
    }
}

/// However small the errors of steps before, with explicit methods that of an accepted step asks for a next one of
/// so many times its size at least: more than half. So a step of one unit of the time in its last place is followed
/// by another, until errors grow and one is refused, and not by none.
const LEAST_ACCEPTED: f64 = 0.52;
/// Binary logarithm of the square of the smallest norm that is remembered, `1e-4`.
const OLD_LOG2_MIN: f64 = -26.575424759098898;
/// `f32` ends at 128 octaves.
const MOST_SQUARE_OCTAVES: f64 = 100.0;
/// A predictive controller's memory before it has one: a root that is never the lesser one.
const NO_TREND: f64 = 1e9;
