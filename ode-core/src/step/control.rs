//! Step-size control: the next step size from the norm of an error.
//!
//! A [`Controller`](crate::Controller) is a control law. The host computes its coefficients once,
//! as the [`Law`] of the lanes. The law uses logarithms of the *squared* norm, and so needs neither
//! a square root nor a `pow`.
//!
//! A controller needs few digits, but the same ones everywhere. So the logarithm is the bit pattern
//! itself, read as an integer (piecewise linear in the mantissa, off by at most 0.086). The
//! exponential is `(1 + y + ½y²)⁴` with `y = ¼ x ln 2`, within 0.4% for factors between ½ and 2.
//! That polynomial is a square, except for a constant: `z² + ½` with `z = (1 + y)/√2`. So all
//! logarithms are stored in the scale of `z`, the *root* of the factor. Both functions are computed
//! in `f32` for either precision. On a GPU, they run beside the `f64` pipe; on a CPU, they need
//! half the registers. Step counts stay within 0.5% of the exact formula's (tested).
//!
//! The same digits everywhere have a cost, which was measured on an H200 (`bench/HISTORY.md`)
//! against the hardware's approximations. An adaptive solve takes 1 to 2% longer in `f32`, and no
//! longer in `f64`.

pub use device::*;

// The C++ text has no names for the constants of std.
#[allow(clippy::approx_constant)]
#[ode_macros::device(control)]
mod device {
    use crate::lane::Real;
    use crate::step::norm;

    /// The slope of a root, `ln 2 / (4 √2)`.
    ///
    /// A factor of `2^x` has the root `ROOT_SLOPE x + ROOT_ONE`.
    pub const ROOT_SLOPE: f64 = 0.12253226793356839;
    /// The constant term of a root, `1/√2`; see [`ROOT_SLOPE`].
    pub const ROOT_ONE: f64 = 0.7071067811865476;

    /// Returns the reciprocal of the bit pattern's units per octave.
    pub fn octave<R: Real>() -> R::Single {
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

    /// Returns the bit pattern of a squared norm: a scaled and shifted logarithm.
    ///
    /// The result is at most `cap`. A NaN counts as `cap`.
    fn pattern<R: Real>(square: R, cap: R::Single) -> R::Single {
        // Clamped as an `f32`, off the `f64` pipe.
        square.bits_to_single().at_most(cap)
    }

    /// Returns the binary logarithm of `square / n`, piecewise linear.
    ///
    /// A NaN counts as [`SQUARE_MAX`](norm::SQUARE_MAX).
    pub fn log2_of_mean<R: Real>(square: R, n: R) -> R::Single {
        // The exponents' biases cancel.
        let cap = R::lit(norm::SQUARE_MAX).bits_to_single();
        (pattern(square, cap) - n.bits_to_single()) * octave::<R>()
    }

    /// Returns about `2^x` from its root.
    pub fn factor_of_root<R: Real>(root: R) -> R {
        let y = root.mul_add(root, R::lit(0.5));
        let y = y * y;
        y * y
    }

    /// Returns about `2^x` for any `x`, piecewise linear: within 6%.
    pub fn exp2_wide<R: Real>(x: R::Single) -> R {
        let one = R::lit(1.0).bits_to_single();
        R::single_to_bits(x.mul_add(per_octave::<R>(), one))
    }

    /// Returns the bit pattern's units per octave.
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

    /// A step-size control law, for one method and number of components.
    ///
    /// It consists of the coefficients of a [`Controller`](crate::Controller). The root of the
    /// factor is linear in the bit patterns of the squared norms of this step and of earlier ones.
    #[derive(Clone, Copy, Debug)]
    pub struct Law<R: Real> {
        /// The largest pattern; greater ones count as this.
        pub cap: R::Single,
        /// The amount that a unit of this step's pattern subtracts from the root.
        pub beta1: R::Single,
        /// The amount that a unit of the last step's pattern adds to the root.
        pub beta2: R::Single,
        /// The amount that a unit of the pattern before the last one adds.
        pub beta3: R::Single,
        /// The root without memory, before this step's pattern is subtracted.
        pub level: R::Single,
        /// The constant in the sum with `beta2` and `beta3` times patterns.
        pub base: R::Single,
        /// The memory before the first step.
        pub fresh: R::Single,
        /// The smallest pattern that the memory stores.
        pub floor: R::Single,
        /// The root of the smallest factor.
        pub min_root: R::Single,
        /// The root of the greatest factor.
        pub max_root: R::Single,
    }

    /// Makes a [`Law`] from its numbers, in the order of its fields.
    pub fn law<R: Real>(numbers: [R::Single; LAW_NUMBERS]) -> Law<R> {
        let [cap, beta1, beta2, beta3, level, base, fresh, floor, min_root, max_root] = numbers;
        Law::<R> { cap, beta1, beta2, beta3, level, base, fresh, floor, min_root, max_root }
    }

    /// The number of fields of a [`Law`].
    pub const LAW_NUMBERS: usize = 10;

    /// The kind of laws that store one error.
    pub const KIND_PI: u32 = 0;
    /// The kind of laws that store two errors.
    pub const KIND_PID: u32 = 1;
    /// The kind of laws that store an error and the change of the step size.
    pub const KIND_PREDICTIVE: u32 = 2;

    /// The memory of a controller of accepted steps.
    #[derive(Clone, Copy, Debug)]
    pub struct Memory<R: Real> {
        /// The root without this step's error.
        ///
        /// For a predictive controller, the amount that it adds to the root of an integrating one.
        pub root: R::Single,
        /// The pattern of the last accepted step, for laws that store two errors.
        pub last: R::Single,
    }

    /// Returns the memory before the first step.
    pub fn fresh<R: Real>(law: &Law<R>) -> Memory<R> {
        Memory::<R> { root: law.fresh, last: law.floor }
    }

    /// Returns the memory `a` if the mask is true, else `b`.
    pub fn choose_memory<R: Real>(mask: R::Mask, a: &Memory<R>, b: &Memory<R>) -> Memory<R> {
        let mask = R::single_mask(mask);
        Memory::<R> {
            root: <R::Single as Real>::select(mask, a.root, b.root),
            last: <R::Single as Real>::select(mask, a.last, b.last),
        }
    }

    /// Returns the law `a` if the mask is true, else `b`.
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
            min_root: <R::Single as Real>::select(mask, a.min_root, b.min_root),
            max_root: <R::Single as Real>::select(mask, a.max_root, b.max_root),
        }
    }

    /// The decision on an attempted step.
    #[derive(Clone, Copy, Debug)]
    pub struct Decision<R: Real> {
        /// Whether the error is small enough.
        pub accept: R::Mask,
        /// The next step size as a multiple of this one.
        pub factor: R::Single,
        /// The controller's memory after the step.
        pub memory: Memory<R>,
    }

    /// Returns the decision on a step, by a law of this `kind`.
    ///
    /// `square` is the [`scaled_error_sq`](norm::scaled_error_sq) of its error estimate, with `n`
    /// components.
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
        // Computed before this step's error is available, off the critical path.
        let mut remembered = law.level;
        if kind != KIND_PREDICTIVE {
            remembered = <R::Single as Real>::select(good, memory.root, law.level);
        }
        let mut root = bits.mul_add(-law.beta1, remembered);
        if kind == KIND_PREDICTIVE {
            // The shorter step of two laws. A rejected step has no trend.
            let trend = bits.mul_add(-law.beta1, root + memory.root);
            root = <R::Single as Real>::select(good, root.min(trend), root);
        }
        if kind != KIND_PI {
            root = root.at_least(law.min_root);
        }
        let root = root.at_most(law.max_root);
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
            // Rejected steps add to the change since the last accepted one.
            let refused = memory.root + change;
            next = <R::Single as Real>::select(good, next, refused);
        } else {
            next = <R::Single as Real>::select(good, next, memory.root);
        }
        let memory = Memory::<R> { root: next, last };
        Decision::<R> { accept, factor, memory }
    }
}
