//! One lane: `f32` and `f64` themselves, the reference for tests.

use super::{Bits, EachPrecision, Mask, Real, Scalar};
use ode_macros::inlined;

impl Mask for bool {
    #[inlined]
    fn splat(value: bool) -> Self {
        value
    }
    #[inlined]
    fn any(self) -> bool {
        self
    }
    #[inlined]
    fn to_bitmask(self) -> u64 {
        self as u64
    }
    #[inlined]
    fn from_bitmask(bits: u64) -> Self {
        bits & 1 != 0
    }
}

macro_rules! scalar {
    ($float:ident, $bits:ident, double: $double:literal, call: $precision:ident, of: |$d:ident, $s:ident| $of:expr, device: $device:literal,
     high: |$h:ident| $high:expr, from_high: |$g:ident| $from_high:expr) => {
        impl Bits for $bits {
            type Mask = bool;
            #[inlined]
            fn lit(value: u64) -> Self {
                value as $bits
            }
            #[inlined]
            fn lane(&self, _: usize) -> u64 {
                *self as u64
            }
            #[inlined]
            fn wrapping_add(self, other: Self) -> Self {
                $bits::wrapping_add(self, other)
            }
            #[inlined]
            fn wrapping_sub(self, other: Self) -> Self {
                $bits::wrapping_sub(self, other)
            }
            #[inlined]
            fn mul_low(self, other: Self) -> Self {
                (self as u32).wrapping_mul(other as u32) as $bits
            }
            #[inlined]
            fn mul_high(self, other: Self) -> Self {
                ((self as u32 as u64 * other as u32 as u64) >> 32) as $bits
            }
            #[inlined]
            fn shl<const BY: u32>(self) -> Self {
                self << BY
            }
            #[inlined]
            fn shr<const BY: u32>(self) -> Self {
                self >> BY
            }
            #[inlined]
            fn equals(self, other: Self) -> bool {
                self == other
            }
            #[inlined]
            fn less_than(self, other: Self) -> bool {
                self < other
            }
            #[inlined]
            fn reaches(self, end: Self) -> bool {
                self >= end
            }
            #[inlined]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
        }

        impl crate::sealed::Sealed for $float {}

        impl Scalar for $float {
            #[inlined]
            fn call<'a, 'b: 'a, F: EachPrecision>(
                given: F::Given<'a, 'b, Self>,
            ) -> F::Output<'a, Self> {
                F::$precision(given)
            }

            type Simd = crate::lane::dispatch::Family<$float>;
            type Functions = crate::math::Programs;
            const NAME: &'static str = stringify!($float);
            const DEVICE_NAME: &'static str = $device;
            #[inlined]
            fn widen(self) -> f64 {
                self as f64
            }
            #[inlined]
            fn narrow(value: f64) -> Self {
                value as $float
            }
        }

        impl Real for $float {
            type Scalar = $float;
            type Mask = bool;
            type Bits = $bits;
            type Single = f32;
            const LANES: usize = 1;
            const DOUBLE: bool = $double;
            const SLOW: bool = cfg!(all(target_arch = "x86_64", not(target_feature = "fma")));

            #[inlined]
            fn lit(value: f64) -> Self {
                value as $float
            }
            #[inlined]
            fn lit_of($d: f64, $s: f64) -> Self {
                $of as $float
            }
            #[inlined]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $float::mul_add(self, a, b)
            }
            #[inlined]
            fn sqrt(self) -> Self {
                $float::sqrt(self)
            }
            #[inlined]
            fn abs(self) -> Self {
                $float::abs(self)
            }
            #[inlined]
            fn copysign(self, sign: Self) -> Self {
                $float::copysign(self, sign)
            }
            #[inlined]
            fn round_even(self) -> Self {
                $float::round_ties_even(self)
            }
            #[inlined]
            fn floor(self) -> Self {
                $float::floor(self)
            }
            #[inlined]
            fn lt(self, other: Self) -> bool {
                self < other
            }
            #[inlined]
            fn le(self, other: Self) -> bool {
                self <= other
            }
            #[inlined]
            fn gt(self, other: Self) -> bool {
                self > other
            }
            #[inlined]
            fn ge(self, other: Self) -> bool {
                self >= other
            }
            #[inlined]
            fn equals(self, other: Self) -> bool {
                self == other
            }
            #[inlined]
            fn select(mask: bool, a: Self, b: Self) -> Self {
                if mask { a } else { b }
            }
            #[inlined]
            fn min(self, other: Self) -> Self {
                if self < other { self } else { other }
            }
            #[inlined]
            fn max(self, other: Self) -> Self {
                if self > other { self } else { other }
            }
            #[inlined]
            fn max_magnitude(self, other: Self) -> Self {
                Real::max(Real::abs(self), Real::abs(other))
            }
            #[inlined]
            fn at_most(self, cap: Self) -> Self {
                Real::min(self, cap)
            }
            #[inlined]
            fn at_least(self, floor: Self) -> Self {
                Real::max(self, floor)
            }
            #[inlined]
            fn to_bits(self) -> $bits {
                $float::to_bits(self)
            }
            #[inlined]
            fn from_bits(bits: $bits) -> Self {
                $float::from_bits(bits)
            }
            #[inlined]
            fn bits_to_single(self) -> f32 {
                let $h = $float::to_bits(self.abs());
                ($high as i32) as f32
            }
            #[inlined]
            fn single_to_bits(value: f32) -> Self {
                let $g = value as i32;
                $float::from_bits($from_high)
            }
            #[inlined]
            fn to_single(self) -> f32 {
                self as f32
            }
            #[inlined]
            fn from_single(value: f32) -> Self {
                value as $float
            }
            #[inlined]
            fn single_mask(mask: bool) -> bool {
                mask
            }
            #[inlined]
            fn lane(&self, _: usize) -> $float {
                *self
            }
            #[inlined]
            fn lanes(&self) -> &[$float] {
                core::slice::from_ref(self)
            }
            #[inlined]
            fn set_lane(&mut self, _: usize, value: $float) {
                *self = value;
            }
        }
    };
}

scalar!(f32, u32, double: false, call: single, of: |_double, single| single, device: "float", high: |b| b, from_high: |i| i as u32);
scalar!(f64, u64, double: true, call: double, of: |double, _single| double, device: "double", high: |b| b >> 32, from_high: |i| (i as u64) << 32);
