//! The traits of numbers, which refer to each other.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};
use ode_macros::inlined;

/// Calls `f`.
#[inline(never)]
pub(super) fn call<O>(f: impl FnOnce() -> O) -> O {
    f()
}

/// Calls `f`, on a path that is seldom taken.
#[cold]
#[inline(never)]
pub(super) fn call_cold<O>(f: impl FnOnce() -> O) -> O {
    f()
}

/// A truth value for each lane.
pub trait Mask:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// The same truth value in every lane.
    fn splat(value: bool) -> Self;
    /// Whether any lane is true. On a GPU thread, which has one lane, this is the identity.
    fn any(self) -> bool;
    /// Bit `i` is lane `i`; at most 64 lanes.
    fn to_bitmask(self) -> u64;
    /// The inverse of [`Mask::to_bitmask`]; bits beyond the last lane are ignored.
    fn from_bitmask(bits: u64) -> Self;
}

/// An unsigned integer per lane, of the width of the real number whose bits it is.
///
/// Arithmetic wraps. Shifts are by a literal.
pub trait Bits:
    Copy
    + Debug
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    /// The truth values of the same lanes.
    type Mask: Mask;
    /// The same number in every lane, truncated to the width.
    fn lit(value: u64) -> Self;
    /// The number in lane `i`.
    fn lane(self, i: usize) -> u64;
    /// The sum, wrapping around.
    fn wrapping_add(self, other: Self) -> Self;
    /// The difference, wrapping around.
    fn wrapping_sub(self, other: Self) -> Self;
    /// The lower 32 bits of the product of the lower 32 bits of both.
    fn mul_low(self, other: Self) -> Self;
    /// The upper 32 bits of that product, which has 64.
    fn mul_high(self, other: Self) -> Self;
    /// Logical shift left by `BY` bits.
    fn shl<const BY: u32>(self) -> Self;
    /// Logical shift right by `BY` bits.
    fn shr<const BY: u32>(self) -> Self;
    /// Whether the numbers are equal.
    fn equals(self, other: Self) -> Self::Mask;
    /// Unsigned comparison.
    fn less_than(self, other: Self) -> Self::Mask;
    /// Whether a count that goes up to `end` is there. Not defined where it is greater.
    ///
    /// One lane shares the comparison with `!self.less_than(end)`. Lanes of AVX2 do not: the shared
    /// mask would be packed, and is needed as a vector.
    #[inlined]
    fn reaches(self, end: Self) -> Self::Mask {
        self.equals(end)
    }
    /// `a` where the mask is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
}

/// The scalar behind a [`Real`]: `f32` or `f64`, and nothing else.
#[diagnostic::on_unimplemented(
    message = "systems are solved in `f32` or `f64`, not in `{Self}`",
    label = "write floats: `0.0`, not `0`"
)]
pub trait Scalar:
    crate::sealed::Sealed
    + Real<Scalar = Self, Mask = bool, Bits: Send + Sync, Single = f32>
    + num_traits::Float
    + bytemuck::Pod
    + Default
    + core::fmt::Display
{
    /// The SIMD types of this precision.
    type Simd: SimdFamily<Self>;
    /// The elementary functions of all numbers with lanes of this type.
    #[doc(hidden)]
    type Functions: Functions;
    /// `"f32"` or `"f64"`.
    const NAME: &'static str;
    /// The C++ name of the type.
    const DEVICE_NAME: &'static str;
    /// The value as `f64`, exactly.
    fn widen(self) -> f64;
    /// The nearest value of this precision.
    fn narrow(value: f64) -> Self;
    /// What the version of `F` for this precision makes of `given`.
    #[doc(hidden)]
    fn call<F: EachPrecision>(given: F::Given<'_, Self>) -> F::Output<Self>;
}

/// A computation in lanes of precision `T`, whatever their number.
pub trait Program<T: Scalar> {
    /// The result.
    type Output;
    /// The number of vectors that one number is made of, 1 or 2: see
    /// [`vectors`](crate::lane::dispatch::vectors).
    const VECTORS: usize;
    /// Computes the result. Implementations are `#[inline(always)]`.
    fn run<R: Real<Scalar = T>>(self) -> Self::Output;
}

/// The entry points of one precision. Implemented by [`Family`](crate::lane::dispatch::Family) only.
pub trait SimdFamily<T: Scalar>: crate::sealed::Sealed {
    /// The lanes of arrays, for machines without explicit vectors here.
    fn portable<P: Program<T>>(program: P) -> P::Output;
    /// # Safety
    /// The machine has AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx2<P: Program<T>>(program: P) -> P::Output;
    /// # Safety
    /// The machine has AVX-512 F, DQ, VL and BW.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx512<P: Program<T>>(program: P) -> P::Output;
}

/// A function with a version for each precision; [`Scalar::call`] chooses one.
pub trait EachPrecision {
    /// The arguments.
    type Given<'a, T: Scalar>;
    /// The result.
    type Output<T: Scalar>;
    /// The function in `f32`.
    fn single(given: Self::Given<'_, f32>) -> Self::Output<f32>;
    /// The function in `f64`.
    fn double(given: Self::Given<'_, f64>) -> Self::Output<f64>;
}

/// The elementary functions as methods of [`Real`], called where numbers are wide.
macro_rules! methods {
    ($($(#[$documentation:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        $(
            $(#[$documentation])*
            ///
            /// See [`crate::math`].
            #[inlined]
            fn $name(self $(, $y: Self)?) -> Self {
                Self::outline_wide(
                    #[inline(always)]
                    || <<Self::Scalar as Scalar>::Functions as Functions>::$name(self $(, $y)?),
                )
            }
        )*
    };
}

/// The elementary functions as functions of any number.
macro_rules! functions {
    ($($(#[$documentation:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        /// Lane programs for the elementary functions, by the names of the methods of [`Real`] that
        /// call them.
        ///
        /// Numbers have these functions, which are programs on numbers. With a trait between them
        /// [`Real`] does not name [`crate::math`], and files do not use each other in a circle.
        pub trait Functions {
            $(
                $(#[$documentation])*
                fn $name<R: Real>($x: R $(, $y: R)?) -> R;
            )*
        }
    };
}
crate::elementary_functions! { functions }

/// A real number per lane: the type that lane programs compute with.
///
/// `+ - * /`, [`sqrt`](Real::sqrt) and [`mul_add`](Real::mul_add) are correctly rounded.
///
/// ```
/// use ode_core::lane::Real;
///
/// /// The positive part of `x`, in as many lanes as `R` has.
/// fn positive_part<R: Real>(x: R) -> R {
///     let zero = R::lit(0.0);
///     R::select(x.gt(zero), x, zero)
/// }
/// assert_eq!(positive_part(-2.0_f64), 0.0);
/// assert_eq!(positive_part(3.0_f32), 3.0);
/// ```
pub trait Real:
    Copy
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The type of one lane.
    type Scalar: Scalar;
    /// A truth value for each lane.
    type Mask: Mask;
    /// The bit pattern of each lane: 32 or 64 bits.
    type Bits: Bits<Mask = Self::Mask>;
    /// An `f32` for each lane: what the step-size controller computes with. For an `f32` number
    /// it is the type itself.
    type Single: Real<Scalar = f32>;

    /// The number of lanes.
    const LANES: usize;
    /// Whether a lane is an `f64`; otherwise it is an `f32`.
    const DOUBLE: bool;

    /// Whether a fused multiply-add is a library call, so that fast code around it gains nothing.
    const SLOW: bool = false;

    /// The nearest number to `value`, in every lane.
    fn lit(value: f64) -> Self;
    /// The nearest number to `double` where a lane is an `f64`, else to `single`, in every lane.
    ///
    /// A branch on [`DOUBLE`](Real::DOUBLE) says the same, but there are so many of these that the
    /// branches alone take minutes to compile away.
    #[inlined]
    fn lit_of(double: f64, single: f64) -> Self {
        Self::lit(if Self::DOUBLE { double } else { single })
    }
    /// `K` vectors that are written before they are read: zeros on a CPU, and uninitialised on a
    /// GPU, where clearing memory would take time.
    #[inlined]
    fn blank<const N: usize, const K: usize>() -> [[Self; N]; K] {
        [[Self::lit(0.0); N]; K]
    }
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b - self * a`, rounded once: `(-self).mul_add(a, b)`, but for the sign of a NaN, in one
    /// instruction.
    #[inlined]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        (-self).mul_add(a, b)
    }
    /// `self + other`. Arithmetic by reference, here and in the next five methods, is for generated
    /// code: numbers that are passed by value are copied, and LLVM takes most of its time to see
    /// that the copies are not needed.
    #[inlined]
    fn add_ref(&self, other: &Self) -> Self {
        *self + *other
    }
    /// `self - other`.
    #[inlined]
    fn sub_ref(&self, other: &Self) -> Self {
        *self - *other
    }
    /// `self * other`.
    #[inlined]
    fn mul_ref(&self, other: &Self) -> Self {
        *self * *other
    }
    /// `self / other`.
    #[inlined]
    fn div_ref(&self, other: &Self) -> Self {
        *self / *other
    }
    /// `self * a + b`, rounded once, as [`mul_add`](Real::mul_add).
    #[inlined]
    fn mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        self.mul_add(*a, *b)
    }
    /// `b - self * a`, rounded once, as [`neg_mul_add`](Real::neg_mul_add).
    #[inlined]
    fn neg_mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        self.neg_mul_add(*a, *b)
    }
    /// The square root.
    fn sqrt(self) -> Self;
    /// `1 / self`, correctly rounded; not finite for a zero, and a NaN for an infinity, so that
    /// no linear system with such a pivot seems to have a solution. A GPU divides with a
    /// branch for numbers as large as `2^1021` (`f32`: `2^125`) or as small as one over that, which
    /// keeps it from doing anything else meanwhile; this has none, and for such numbers the result
    /// is not defined.
    #[inlined]
    fn reciprocal(self) -> Self {
        self.mul_add(Self::lit(0.0), Self::lit(1.0) / self)
    }
    /// The magnitude: clears the sign bit.
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign bit of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// The nearest integer, ties to even.
    fn round_even(self) -> Self;
    /// The greatest integer not above.
    fn floor(self) -> Self;
    /// `self < other`; false where either is a NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self <= other`; false where either is a NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `self > other`; false where either is a NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// `self >= other`; false where either is a NaN.
    fn ge(self, other: Self) -> Self::Mask;
    /// `self == other`; false where either is a NaN.
    fn equals(self, other: Self) -> Self::Mask;
    /// `a` where the mask is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// `if self < other { self } else { other }`: `other` where either is a NaN.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: `other` where either is a NaN.
    fn max(self, other: Self) -> Self;
    /// The larger of `|self|` and `|other|`, one instruction on a GPU. Which of the two it is where
    /// one is a NaN is not defined.
    fn max_magnitude(self, other: Self) -> Self;
    /// `self`, but at most `cap`; `cap` where `self` is a NaN. `cap` must not be a NaN or a zero.
    fn at_most(self, cap: Self) -> Self;
    /// `self`, but at least `floor`; `floor` where `self` is a NaN. `floor` must not be a NaN or
    /// a zero.
    fn at_least(self, floor: Self) -> Self;
    /// The bit pattern of each lane.
    fn to_bits(self) -> Self::Bits;
    /// The number with the given bit pattern.
    fn from_bits(bits: Self::Bits) -> Self;
    /// The bit pattern of the magnitude, as a 32-bit integer, converted to `f32` (rounded to
    /// nearest): for an `f64`, of the upper half of the pattern. This is its binary logarithm,
    /// piecewise linear, scaled and shifted; see [`control`](crate::step::control). A NaN of either
    /// sign gives at least what infinity does.
    fn bits_to_single(self) -> Self::Single;
    /// The inverse of [`Real::bits_to_single`]: `value` is converted to a 32-bit signed integer
    /// (towards zero), which becomes the bit pattern, or the upper half of it for an `f64`.
    /// The value must lie within the range of positive finite numbers.
    fn single_to_bits(value: Self::Single) -> Self;
    /// The number as `f32`, rounded to nearest.
    fn to_single(self) -> Self::Single;
    /// An `f32` as this type; exact.
    fn from_single(value: Self::Single) -> Self;
    /// The mask of the `f32` lanes.
    fn single_mask(mask: Self::Mask) -> <Self::Single as Real>::Mask;

    /// The entry of `table` at the integer `index`, narrowed to the precision of a lane. An index
    /// below 0 and a NaN give the first entry, one beyond the end gives the last.
    ///
    /// One load for each lane: a gather by one instruction would need a table in each precision.
    #[inlined]
    fn lookup(table: &[f64], index: Self) -> Self {
        let mut entries = index;
        for lane in 0..Self::LANES {
            // The cast saturates; of a NaN it is zero.
            let index = (index.lane(lane).widen() as usize).min(table.len() - 1);
            entries.set_lane(lane, Self::Scalar::narrow(table[index]));
        }
        entries
    }

    /// Computes `f` in a function that is called rather than inlined, and that is compiled for the
    /// instruction set of this type.
    ///
    /// A lane program is compiled for the instruction set of the function that it is inlined into:
    /// as one function for each place where it runs. This makes a part of it a function of its
    /// own, compiled once for each type; in return its arguments and results go through memory.
    /// `f`, and all that it calls, must be `#[inline(always)]`:
    ///
    /// ```
    /// # use ode_core::lane::Real;
    /// #[inline(always)]
    /// fn cube<R: Real>(x: R) -> R {
    ///     R::outline(#[inline(always)] || x * x * x)
    /// }
    /// assert_eq!(cube(2.0), 8.0);
    /// ```
    #[inlined]
    fn outline<O>(f: impl FnOnce() -> O) -> O {
        call(f)
    }
    /// The same for a part that is seldom needed: the compiler leaves the registers to the code
    /// around it.
    #[inlined]
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
        call_cold(f)
    }
    /// The same for a short function, and only where a number is a SIMD register or two: one lane
    /// takes longer to call such a function, and less to compile it.
    #[inlined]
    fn outline_wide<O>(f: impl FnOnce() -> O) -> O {
        f()
    }

    crate::elementary_functions! { methods }

    /// The number in lane `i`.
    fn lane(self, i: usize) -> Self::Scalar;
    /// Replaces the number in lane `i`.
    fn set_lane(&mut self, i: usize, value: Self::Scalar);
}
