//! One lane with fused multiply-add, for architectures on which some machines lack it.

use super::{Real, Scalar};
use core::ops::{Add, Div, Mul, Neg, Sub};
use ode_macros::inlined;

/// A number of one lane, `f32` or `f64`, for a machine with FMA.
///
/// Its [outlined](Real::outline) functions are compiled for such a machine: on x86-64 the scalars
/// themselves are for all machines.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub(crate) struct Fused<T>(T);

macro_rules! operator {
    ($($trait:ident::$method:ident,)*) => {
        $(impl<T: Scalar> $trait for Fused<T> {
            type Output = Self;
            #[inlined]
            fn $method(self, other: Self) -> Self {
                Fused($trait::$method(self.0, other.0))
            }
        })*
    };
}
operator! { Add::add, Sub::sub, Mul::mul, Div::div, }

impl<T: Scalar> Neg for Fused<T> {
    type Output = Self;
    #[inlined]
    fn neg(self) -> Self {
        Fused(-self.0)
    }
}

/// Declares methods that forward to the scalar.
macro_rules! same {
    ($($method:ident($($argument:ident),*) -> $result:ident;)*) => {
        $(same! { @ $result $method($($argument),*) })*
    };
    (@ number $method:ident($($argument:ident),*)) => {
        #[inlined]
        fn $method(self, $($argument: Self),*) -> Self {
            Fused(Real::$method(self.0, $($argument.0),*))
        }
    };
    (@ mask $method:ident($other:ident)) => {
        #[inlined]
        fn $method(self, $other: Self) -> T::Mask {
            Real::$method(self.0, $other.0)
        }
    };
}

impl<T: Scalar> Real for Fused<T> {
    type Scalar = T;
    type Mask = T::Mask;
    type Bits = T::Bits;
    type Single = Fused<f32>;
    const LANES: usize = 1;
    const DOUBLE: bool = T::DOUBLE;

    same! {
        mul_add(a, b) -> number;
        sqrt() -> number;
        abs() -> number;
        copysign(sign) -> number;
        round_even() -> number;
        floor() -> number;
        lt(other) -> mask;
        le(other) -> mask;
        gt(other) -> mask;
        ge(other) -> mask;
        equals(other) -> mask;
        min(other) -> number;
        max(other) -> number;
        max_magnitude(other) -> number;
        at_most(cap) -> number;
        at_least(floor) -> number;
    }
    #[inlined]
    fn lit(value: f64) -> Self {
        Fused(T::lit(value))
    }
    #[inlined]
    fn lit_of(double: f64, single: f64) -> Self {
        Fused(T::lit_of(double, single))
    }
    #[inlined]
    fn select(mask: T::Mask, a: Self, b: Self) -> Self {
        Fused(<T as Real>::select(mask, a.0, b.0))
    }
    #[inlined]
    fn to_bits(self) -> T::Bits {
        self.0.to_bits()
    }
    #[inlined]
    fn from_bits(bits: T::Bits) -> Self {
        Fused(T::from_bits(bits))
    }
    #[inlined]
    fn bits_to_single(self) -> Fused<f32> {
        Fused(self.0.bits_to_single())
    }
    #[inlined]
    fn single_to_bits(value: Fused<f32>) -> Self {
        Fused(T::single_to_bits(value.0))
    }
    #[inlined]
    fn to_single(self) -> Fused<f32> {
        Fused(self.0.to_single())
    }
    #[inlined]
    fn from_single(value: Fused<f32>) -> Self {
        Fused(T::from_single(value.0))
    }
    #[inlined]
    fn single_mask(mask: T::Mask) -> bool {
        T::single_mask(mask)
    }
    #[inlined]
    fn outline<O>(f: impl FnOnce() -> O) -> O {
        // SAFETY: numbers of this type exist in `dispatch::run_scalar` only, which has checked the
        // features.
        unsafe { crate::lane::entry::with_fma(f) }
    }
    #[inlined]
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
        // SAFETY: numbers of this type exist in `dispatch::run_scalar` only, which has checked the
        // features.
        unsafe { crate::lane::entry::seldom_with_fma(f) }
    }
    #[inlined]
    fn lane(&self, _: usize) -> T {
        self.0
    }
    #[inlined]
    fn lanes(&self) -> &[T] {
        core::slice::from_ref(&self.0)
    }
    #[inlined]
    fn set_lane(&mut self, _: usize, value: T) {
        self.0 = value;
    }
}
