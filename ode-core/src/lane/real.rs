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
    /// Returns a mask with the same truth value in every lane.
    fn splat(value: bool) -> Self;
    /// Returns whether any lane is true.
    ///
    /// On a GPU thread, which has one lane, this function is the identity.
    fn any(self) -> bool;
    /// Returns the lanes as bits: bit `i` is lane `i`. There are at most 64 lanes.
    fn to_bitmask(self) -> u64;
    /// Inverts [`Mask::to_bitmask`]; bits beyond the last lane are ignored.
    fn from_bitmask(bits: u64) -> Self;
}

/// An unsigned integer per lane, as wide as the corresponding real number.
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
    /// Returns the same number in every lane, truncated to the width.
    fn lit(value: u64) -> Self;
    /// Returns the number in lane `i`.
    fn lane(&self, i: usize) -> u64;
    /// Returns the sum, wrapping around.
    fn wrapping_add(self, other: Self) -> Self;
    /// Returns the difference, wrapping around.
    fn wrapping_sub(self, other: Self) -> Self;
    /// Returns the lower 32 bits of the product of the lower 32 bits of both.
    fn mul_low(self, other: Self) -> Self;
    /// Returns the upper 32 bits of the 64-bit product of the lower 32 bits of both.
    fn mul_high(self, other: Self) -> Self;
    /// Shifts left by `BY` bits.
    fn shl<const BY: u32>(self) -> Self;
    /// Shifts right by `BY` bits, with zeros from the left.
    fn shr<const BY: u32>(self) -> Self;
    /// Returns whether the numbers are equal.
    fn equals(self, other: Self) -> Self::Mask;
    /// Returns whether `self` is less than `other`, as unsigned integers.
    fn less_than(self, other: Self) -> Self::Mask;
    /// Returns whether a count that goes up to `end` has reached it.
    ///
    /// The result is not defined for a count above `end`.
    ///
    /// One lane shares the comparison with `!self.less_than(end)`. Lanes of AVX2 do not: the shared
    /// mask would be packed, and is needed as a vector.
    #[inlined]
    fn reaches(self, end: Self) -> Self::Mask {
        self.equals(end)
    }
    /// Selects `a` if the mask is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
}

/// The scalar type of a [`Real`]: `f32` or `f64`, and nothing else.
#[diagnostic::on_unimplemented(
    message = "the precision of a solve is `f32` or `f64`, not `{Self}`",
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
    /// Returns the value as `f64`, exactly.
    fn widen(self) -> f64;
    /// Returns the nearest value of this precision.
    fn narrow(value: f64) -> Self;
    /// Calls the version of `F` for this precision with `given`.
    #[doc(hidden)]
    fn call<'a, 'b: 'a, F: EachPrecision>(given: F::Given<'a, 'b, Self>) -> F::Output<'a, Self>;
}

/// A computation in lanes of precision `T`, for any number of lanes.
pub trait LaneProgram<T: Scalar> {
    /// The result.
    type Output;
    /// The number of vectors of one number, 1 or 2.
    ///
    /// See [`vectors`](crate::lane::dispatch::vectors).
    const VECTORS: usize;
    /// Computes the result. Implementations are `#[inline(always)]`.
    fn run<R: Real<Scalar = T>>(self) -> Self::Output;
}

/// The entry points of one precision.
///
/// Only [`Family`](crate::lane::dispatch::Family) implements this trait.
pub trait SimdFamily<T: Scalar>: crate::sealed::Sealed {
    /// Runs a program in lanes of arrays, for machines without explicit vectors in this crate.
    fn portable<P: LaneProgram<T>>(program: P) -> P::Output;
    /// Runs a program in lanes of AVX2.
    ///
    /// # Safety
    /// The machine has AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx2<P: LaneProgram<T>>(program: P) -> P::Output;
    /// Runs a program in lanes of AVX-512.
    ///
    /// # Safety
    /// The machine has AVX-512 F, DQ, VL and BW.
    #[cfg(target_arch = "x86_64")]
    unsafe fn avx512<P: LaneProgram<T>>(program: P) -> P::Output;
}

/// A function with a version for each precision; [`Scalar::call`] selects one.
pub trait EachPrecision {
    /// The arguments.
    type Given<'a, 'b: 'a, T: Scalar>;
    /// The result.
    type Output<'a, T: Scalar>;
    /// Calls the function in `f32`.
    fn single<'a, 'b: 'a>(given: Self::Given<'a, 'b, f32>) -> Self::Output<'a, f32>;
    /// Calls the function in `f64`.
    fn double<'a, 'b: 'a>(given: Self::Given<'a, 'b, f64>) -> Self::Output<'a, f64>;
}

/// Declares the elementary functions as methods of [`Real`], called if numbers are wide.
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

/// Declares the elementary functions as functions of any number.
macro_rules! functions {
    ($($(#[$documentation:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        /// Lane programs of the elementary functions, with the names of the methods of [`Real`].
        ///
        /// The methods of [`Real`] call these functions, which are programs on numbers. This trait
        /// avoids a circle between files: [`Real`] does not name [`crate::math`].
        pub trait Functions {
            $(
                $(#[$documentation])*
                fn $name<R: Real>($x: R $(, $y: R)?) -> R;
            )*
        }
    };
}
crate::elementary_functions! { functions }

/// A real number per lane: the number type of lane programs.
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
    /// An `f32` for each lane: the number type of the step-size controller.
    ///
    /// For an `f32` number this type is the number's own type.
    type Single: Real<Scalar = f32>;

    /// The number of lanes.
    const LANES: usize;
    /// Whether a lane is an `f64`; otherwise it is an `f32`.
    const DOUBLE: bool;

    /// Whether a fused multiply-add is a library call, so that fast code around it gains nothing.
    const SLOW: bool = false;

    /// Returns the nearest number to `value`, in every lane.
    fn lit(value: f64) -> Self;
    /// Returns the nearest number to `double` or `single`, in every lane.
    ///
    /// If lanes are `f64`, the number is `double`, else `single`. A branch on
    /// [`DOUBLE`](Real::DOUBLE) is equivalent, but there are so many of these constants that the
    /// branches alone take minutes to compile.
    #[inlined]
    fn lit_of(double: f64, single: f64) -> Self {
        Self::lit(if Self::DOUBLE { double } else { single })
    }
    /// Returns `K` vectors that are written before they are read.
    ///
    /// They are zeros on a CPU and uninitialised on a GPU, which would need time to clear the
    /// memory.
    #[inlined]
    fn blank<const N: usize, const K: usize>() -> [[Self; N]; K] {
        [[Self::lit(0.0); N]; K]
    }
    /// Computes `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Computes `b - self * a`, rounded once, in one instruction.
    ///
    /// The result equals `(-self).mul_add(a, b)`, except for the sign of a NaN.
    #[inlined]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        (-self).mul_add(a, b)
    }
    /// Computes `self + other`, by reference.
    ///
    /// Arithmetic by reference, here and in the next five methods, is for generated code. Arguments
    /// by value are copied, and LLVM would spend most of its time on removing these copies.
    #[inlined]
    fn add_ref(&self, other: &Self) -> Self {
        *self + *other
    }
    /// Computes `self - other`, by reference.
    #[inlined]
    fn sub_ref(&self, other: &Self) -> Self {
        *self - *other
    }
    /// Computes `self * other`, by reference.
    #[inlined]
    fn mul_ref(&self, other: &Self) -> Self {
        *self * *other
    }
    /// Computes `self / other`, by reference.
    #[inlined]
    fn div_ref(&self, other: &Self) -> Self {
        *self / *other
    }
    /// Computes `self * a + b`, rounded once, as [`mul_add`](Real::mul_add).
    #[inlined]
    fn mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        self.mul_add(*a, *b)
    }
    /// Computes `b - self * a`, rounded once, as [`neg_mul_add`](Real::neg_mul_add).
    #[inlined]
    fn neg_mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        self.neg_mul_add(*a, *b)
    }
    /// Computes the square root.
    fn sqrt(self) -> Self;
    /// Computes `1 / self`, correctly rounded.
    ///
    /// The result is not finite for a zero, and a NaN for an infinity, so no linear system with
    /// such a pivot seems to have a solution. A GPU divides with a branch for numbers as large as
    /// `2^1021` (`f32`: `2^125`) or as small as the inverse of that, and meanwhile executes nothing
    /// else. This function has no such branch; for such numbers the result is not defined.
    #[inlined]
    fn reciprocal(self) -> Self {
        self.mul_add(Self::lit(0.0), Self::lit(1.0) / self)
    }
    /// Returns the magnitude: clears the sign bit.
    fn abs(self) -> Self;
    /// Returns the magnitude of `self` with the sign bit of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Rounds to the nearest integer, ties to even.
    fn round_even(self) -> Self;
    /// Returns the greatest integer not above `self`.
    fn floor(self) -> Self;
    /// Returns whether `self < other`; false if either is a NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// Returns whether `self <= other`; false if either is a NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// Returns whether `self > other`; false if either is a NaN.
    fn gt(self, other: Self) -> Self::Mask;
    /// Returns whether `self >= other`; false if either is a NaN.
    fn ge(self, other: Self) -> Self::Mask;
    /// Returns whether `self == other`; false if either is a NaN.
    fn equals(self, other: Self) -> Self::Mask;
    /// Selects `a` if the mask is true, else `b`.
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self;
    /// Returns `if self < other { self } else { other }`: `other` if either is a NaN.
    fn min(self, other: Self) -> Self;
    /// Returns `if self > other { self } else { other }`: `other` if either is a NaN.
    fn max(self, other: Self) -> Self;
    /// Returns the larger of `|self|` and `|other|`, by one instruction on a GPU.
    ///
    /// If either is a NaN, the choice is not defined.
    fn max_magnitude(self, other: Self) -> Self;
    /// Returns `self`, but at most `cap`; `cap` if `self` is a NaN.
    ///
    /// `cap` must be neither a NaN nor a zero.
    fn at_most(self, cap: Self) -> Self;
    /// Returns `self`, but at least `floor`; `floor` if `self` is a NaN.
    ///
    /// `floor` must be neither a NaN nor a zero.
    fn at_least(self, floor: Self) -> Self;
    /// Returns the bit pattern of each lane.
    fn to_bits(self) -> Self::Bits;
    /// Returns the number with the given bit pattern.
    fn from_bits(bits: Self::Bits) -> Self;
    /// Converts the bit pattern of the magnitude, as a 32-bit integer, to `f32`.
    ///
    /// The conversion rounds to nearest. For an `f64` the integer is the upper half of the pattern.
    /// The result is the binary logarithm of the magnitude, piecewise linear, scaled and shifted;
    /// see [`control`](crate::step::control). A NaN of either sign gives at least the result of
    /// infinity.
    fn bits_to_single(self) -> Self::Single;
    /// Inverts [`Real::bits_to_single`].
    ///
    /// `value` is converted to a 32-bit signed integer (towards zero). The integer becomes the bit
    /// pattern, or its upper half for an `f64`. The value must lie within the range of positive
    /// finite numbers.
    fn single_to_bits(value: Self::Single) -> Self;
    /// Returns the number as `f32`, rounded to nearest.
    fn to_single(self) -> Self::Single;
    /// Converts an `f32` to this type, exactly.
    fn from_single(value: Self::Single) -> Self;
    /// Returns the mask of the `f32` lanes.
    fn single_mask(mask: Self::Mask) -> <Self::Single as Real>::Mask;

    /// Returns the entry of `table` at the integer `index`, narrowed to the precision of a lane.
    ///
    /// A negative index and a NaN give the first entry, an index beyond the end gives the last.
    ///
    /// Each lane loads by itself: a gather by one instruction would need a table in each precision.
    #[inlined]
    fn lookup(table: &[f64], index: Self) -> Self {
        let mut entries = index;
        for lane in 0..Self::LANES {
            // The cast saturates; a NaN becomes zero.
            let index = (index.lane(lane).widen() as usize).min(table.len() - 1);
            entries.set_lane(lane, Self::Scalar::narrow(table[index]));
        }
        entries
    }

    /// Computes `f` in a called function that is compiled for the instruction set of this type.
    ///
    /// A lane program is compiled for the instruction set of the function that it is inlined into,
    /// as one function for each entry point. `outline` makes a part of the program a separate
    /// function, compiled once for each type. In return, the arguments and results of that function
    /// go through memory. `f` and all functions that it calls must be `#[inline(always)]`:
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
    /// Computes `f` as [`outline`](Real::outline) does, for a part that is seldom needed.
    ///
    /// The compiler leaves the registers to the code around the call.
    #[inlined]
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
        call_cold(f)
    }
    /// Computes a short `f` as [`outline`](Real::outline) does, if a number is one or two SIMD
    /// registers.
    ///
    /// With one lane, calls of such a function cost more time at run time than they save in
    /// compilation, so `f` is inlined.
    #[inlined]
    fn outline_wide<O>(f: impl FnOnce() -> O) -> O {
        f()
    }

    crate::elementary_functions! { methods }

    /// Returns the number in lane `i`.
    fn lane(&self, i: usize) -> Self::Scalar;
    /// Returns the numbers of all lanes.
    fn lanes(&self) -> &[Self::Scalar];
    /// Replaces the number in lane `i`.
    fn set_lane(&mut self, i: usize, value: Self::Scalar);
}
