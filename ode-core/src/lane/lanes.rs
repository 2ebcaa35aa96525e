//! Vectors of one instruction set as one number: the fast CPU path.
//!
//! With one vector per operation the floating-point units wait for the previous result. Two
//! independent vectors hide that latency (40 to 47% faster on three equations), and four need more
//! registers than there are. So the number of vectors depends on the size of the system
//! ([`crate::lane::dispatch::vectors`]).

use super::{Bits, Mask, Real, Scalar};
use core::fmt::{self, Debug};
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};
use ode_macros::inlined;

/// One SIMD register of real numbers, or an array in place of one.
///
/// The methods are the primitives of [`Lanes`], with the meaning of the methods of the same name of
/// [`Real`], [`Bits`] and [`Mask`].
#[allow(missing_docs)]
pub trait Vector: crate::sealed::Sealed + Copy + Send + Sync + 'static {
    type Scalar: Scalar;
    type Mask: Copy;
    type Bits: Copy;
    const WIDTH: usize;

    fn splat(x: Self::Scalar) -> Self;
    /// Returns the lanes, in order.
    ///
    /// A copy of the vector for each lane would be a store that the read of the lane waits for.
    #[inlined]
    fn lanes(&self) -> &[Self::Scalar] {
        const { assert!(size_of::<Self>() == Self::WIDTH * size_of::<Self::Scalar>()) }
        // SAFETY: implementations are registers or arrays of this crate (`Sealed`), or two of these
        // in the order of C. They consist of their lanes, in order, and any bits are a number.
        unsafe { core::slice::from_raw_parts(core::ptr::from_ref(self).cast(), Self::WIDTH) }
    }
    /// Replaces lane `i` in registers.
    ///
    /// A read of a vector after stores of its single lanes would wait for these stores.
    #[inlined]
    fn set(&mut self, i: usize, x: Self::Scalar) {
        *self = Self::select(Self::mask_from_bits(1 << i), Self::splat(x), *self);
    }
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn neg(self) -> Self;
    fn mul_add(self, a: Self, b: Self) -> Self;
    #[inlined]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        self.neg().mul_add(a, b)
    }
    #[inlined]
    fn add_ref(&self, b: &Self) -> Self {
        self.add(*b)
    }
    #[inlined]
    fn sub_ref(&self, b: &Self) -> Self {
        self.sub(*b)
    }
    #[inlined]
    fn mul_ref(&self, b: &Self) -> Self {
        self.mul(*b)
    }
    #[inlined]
    fn div_ref(&self, b: &Self) -> Self {
        self.div(*b)
    }
    #[inlined]
    fn mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        self.mul_add(*a, *b)
    }
    #[inlined]
    fn neg_mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        self.neg_mul_add(*a, *b)
    }
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    fn copysign(self, sign: Self) -> Self;
    fn round_even(self) -> Self;
    fn floor(self) -> Self;
    fn lt(self, b: Self) -> Self::Mask;
    fn le(self, b: Self) -> Self::Mask;
    fn equals(self, b: Self) -> Self::Mask;
    fn select(m: Self::Mask, a: Self, b: Self) -> Self;
    fn min(self, b: Self) -> Self;
    fn max(self, b: Self) -> Self;
    fn to_bits(self) -> Self::Bits;
    fn from_bits(b: Self::Bits) -> Self;

    fn bits_splat(x: u64) -> Self::Bits;
    /// Returns the number with the bits of lane `i`.
    fn bits_lane(bits: &Self::Bits, i: usize) -> Self::Scalar;
    fn bits_add(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_sub(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_mul_low(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_mul_high(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_and(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_or(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_xor(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_shl<const BY: u32>(a: Self::Bits) -> Self::Bits;
    fn bits_shr<const BY: u32>(a: Self::Bits) -> Self::Bits;
    fn bits_equals(a: Self::Bits, b: Self::Bits) -> Self::Mask;
    fn bits_less_than(a: Self::Bits, b: Self::Bits) -> Self::Mask;
    fn bits_select(m: Self::Mask, a: Self::Bits, b: Self::Bits) -> Self::Bits;

    fn mask_splat(x: bool) -> Self::Mask;
    fn mask_and(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn mask_or(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn mask_not(a: Self::Mask) -> Self::Mask;
    fn mask_any(a: Self::Mask) -> bool;
    fn mask_to_bits(a: Self::Mask) -> u64;
    fn mask_from_bits(a: u64) -> Self::Mask;

    /// Calls `f` as [`Real::outline`] does.
    fn outline<O>(f: impl FnOnce() -> O) -> O;
    /// Calls `f` as [`Real::outline_cold`] does.
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O;
    /// Calls `f` as [`Real::outline_wide`] does.
    fn outline_leaf<O>(f: impl FnOnce() -> O) -> O;
}

/// The `f32` lanes beside some lanes, and the conversions between them.
#[allow(missing_docs)]
pub trait WithSingle: crate::sealed::Sealed + Sized {
    type Mask;
    type Single: Real<Scalar = f32>;
    fn bits_to_single(self) -> Self::Single;
    fn single_to_bits(value: Self::Single) -> Self;
    fn to_single(self) -> Self::Single;
    fn from_single(value: Self::Single) -> Self;
    fn single_mask(mask: Self::Mask) -> <Self::Single as Real>::Mask;
}

/// A vector, or [`Two`] of them: a real number of `V::WIDTH` lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Lanes<V: Vector>(pub V);

impl<V: Vector> crate::sealed::Sealed for Lanes<V> {}

/// A truth value for each lane of [`Lanes`].
#[derive(Clone, Copy)]
pub struct LaneMask<V: Vector>(pub V::Mask);

/// A bit pattern for each lane of [`Lanes`].
#[derive(Clone, Copy)]
pub struct LaneBits<V: Vector>(pub V::Bits);

/// Two vectors side by side: twice the lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Two<V>(pub V, pub V);

impl<V> crate::sealed::Sealed for Two<V> {}

impl<V: Vector> Vector for Two<V> {
    type Scalar = V::Scalar;
    type Mask = (V::Mask, V::Mask);
    type Bits = (V::Bits, V::Bits);
    const WIDTH: usize = 2 * V::WIDTH;

    #[inlined]
    fn splat(x: V::Scalar) -> Self {
        Two(V::splat(x), V::splat(x))
    }
    #[inlined]
    fn add(self, b: Self) -> Self {
        Two(V::add(self.0, b.0), V::add(self.1, b.1))
    }
    #[inlined]
    fn sub(self, b: Self) -> Self {
        Two(V::sub(self.0, b.0), V::sub(self.1, b.1))
    }
    #[inlined]
    fn mul(self, b: Self) -> Self {
        Two(V::mul(self.0, b.0), V::mul(self.1, b.1))
    }
    #[inlined]
    fn div(self, b: Self) -> Self {
        Two(V::div(self.0, b.0), V::div(self.1, b.1))
    }
    #[inlined]
    fn neg(self) -> Self {
        Two(V::neg(self.0), V::neg(self.1))
    }
    #[inlined]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Two(V::mul_add(self.0, a.0, b.0), V::mul_add(self.1, a.1, b.1))
    }
    #[inlined]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Two(V::neg_mul_add(self.0, a.0, b.0), V::neg_mul_add(self.1, a.1, b.1))
    }
    #[inlined]
    fn add_ref(&self, b: &Self) -> Self {
        Two(V::add_ref(&self.0, &b.0), V::add_ref(&self.1, &b.1))
    }
    #[inlined]
    fn sub_ref(&self, b: &Self) -> Self {
        Two(V::sub_ref(&self.0, &b.0), V::sub_ref(&self.1, &b.1))
    }
    #[inlined]
    fn mul_ref(&self, b: &Self) -> Self {
        Two(V::mul_ref(&self.0, &b.0), V::mul_ref(&self.1, &b.1))
    }
    #[inlined]
    fn div_ref(&self, b: &Self) -> Self {
        Two(V::div_ref(&self.0, &b.0), V::div_ref(&self.1, &b.1))
    }
    #[inlined]
    fn mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        Two(V::mul_add_ref(&self.0, &a.0, &b.0), V::mul_add_ref(&self.1, &a.1, &b.1))
    }
    #[inlined]
    fn neg_mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        Two(V::neg_mul_add_ref(&self.0, &a.0, &b.0), V::neg_mul_add_ref(&self.1, &a.1, &b.1))
    }
    #[inlined]
    fn sqrt(self) -> Self {
        Two(V::sqrt(self.0), V::sqrt(self.1))
    }
    #[inlined]
    fn abs(self) -> Self {
        Two(V::abs(self.0), V::abs(self.1))
    }
    #[inlined]
    fn round_even(self) -> Self {
        Two(V::round_even(self.0), V::round_even(self.1))
    }
    #[inlined]
    fn floor(self) -> Self {
        Two(V::floor(self.0), V::floor(self.1))
    }
    #[inlined]
    fn copysign(self, sign: Self) -> Self {
        Two(V::copysign(self.0, sign.0), V::copysign(self.1, sign.1))
    }
    #[inlined]
    fn lt(self, b: Self) -> Self::Mask {
        (V::lt(self.0, b.0), V::lt(self.1, b.1))
    }
    #[inlined]
    fn le(self, b: Self) -> Self::Mask {
        (V::le(self.0, b.0), V::le(self.1, b.1))
    }
    #[inlined]
    fn equals(self, b: Self) -> Self::Mask {
        (V::equals(self.0, b.0), V::equals(self.1, b.1))
    }
    #[inlined]
    fn select(m: Self::Mask, a: Self, b: Self) -> Self {
        Two(V::select(m.0, a.0, b.0), V::select(m.1, a.1, b.1))
    }
    #[inlined]
    fn min(self, b: Self) -> Self {
        Two(V::min(self.0, b.0), V::min(self.1, b.1))
    }
    #[inlined]
    fn max(self, b: Self) -> Self {
        Two(V::max(self.0, b.0), V::max(self.1, b.1))
    }
    #[inlined]
    fn to_bits(self) -> Self::Bits {
        (V::to_bits(self.0), V::to_bits(self.1))
    }
    #[inlined]
    fn from_bits(b: Self::Bits) -> Self {
        Two(V::from_bits(b.0), V::from_bits(b.1))
    }
    #[inlined]
    fn bits_lane(bits: &Self::Bits, i: usize) -> V::Scalar {
        let (first, second) = bits;
        if i < V::WIDTH { V::bits_lane(first, i) } else { V::bits_lane(second, i - V::WIDTH) }
    }
    #[inlined]
    fn bits_splat(x: u64) -> Self::Bits {
        (V::bits_splat(x), V::bits_splat(x))
    }
    #[inlined]
    fn bits_add(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_add(a.0, b.0), V::bits_add(a.1, b.1))
    }
    #[inlined]
    fn bits_sub(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_sub(a.0, b.0), V::bits_sub(a.1, b.1))
    }
    #[inlined]
    fn bits_mul_low(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_mul_low(a.0, b.0), V::bits_mul_low(a.1, b.1))
    }
    #[inlined]
    fn bits_mul_high(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_mul_high(a.0, b.0), V::bits_mul_high(a.1, b.1))
    }
    #[inlined]
    fn bits_and(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_and(a.0, b.0), V::bits_and(a.1, b.1))
    }
    #[inlined]
    fn bits_or(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_or(a.0, b.0), V::bits_or(a.1, b.1))
    }
    #[inlined]
    fn bits_xor(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_xor(a.0, b.0), V::bits_xor(a.1, b.1))
    }
    #[inlined]
    fn bits_shl<const BY: u32>(a: Self::Bits) -> Self::Bits {
        (V::bits_shl::<BY>(a.0), V::bits_shl::<BY>(a.1))
    }
    #[inlined]
    fn bits_shr<const BY: u32>(a: Self::Bits) -> Self::Bits {
        (V::bits_shr::<BY>(a.0), V::bits_shr::<BY>(a.1))
    }
    #[inlined]
    fn bits_equals(a: Self::Bits, b: Self::Bits) -> Self::Mask {
        (V::bits_equals(a.0, b.0), V::bits_equals(a.1, b.1))
    }
    #[inlined]
    fn bits_less_than(a: Self::Bits, b: Self::Bits) -> Self::Mask {
        (V::bits_less_than(a.0, b.0), V::bits_less_than(a.1, b.1))
    }
    #[inlined]
    fn bits_select(m: Self::Mask, a: Self::Bits, b: Self::Bits) -> Self::Bits {
        (V::bits_select(m.0, a.0, b.0), V::bits_select(m.1, a.1, b.1))
    }
    #[inlined]
    fn mask_splat(x: bool) -> Self::Mask {
        (V::mask_splat(x), V::mask_splat(x))
    }
    #[inlined]
    fn mask_and(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        (V::mask_and(a.0, b.0), V::mask_and(a.1, b.1))
    }
    #[inlined]
    fn mask_or(a: Self::Mask, b: Self::Mask) -> Self::Mask {
        (V::mask_or(a.0, b.0), V::mask_or(a.1, b.1))
    }
    #[inlined]
    fn mask_not(a: Self::Mask) -> Self::Mask {
        (V::mask_not(a.0), V::mask_not(a.1))
    }
    #[inlined]
    fn mask_any(a: Self::Mask) -> bool {
        V::mask_any(V::mask_or(a.0, a.1))
    }
    #[inlined]
    fn mask_to_bits(a: Self::Mask) -> u64 {
        V::mask_to_bits(a.0) | V::mask_to_bits(a.1) << V::WIDTH
    }
    #[inlined]
    fn mask_from_bits(a: u64) -> Self::Mask {
        (V::mask_from_bits(a), V::mask_from_bits(a >> V::WIDTH))
    }
    #[inlined]
    fn outline<O>(f: impl FnOnce() -> O) -> O {
        V::outline(f)
    }
    #[inlined]
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
        V::outline_cold(f)
    }
    #[inlined]
    fn outline_leaf<O>(f: impl FnOnce() -> O) -> O {
        V::outline_leaf(f)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $type:ident, $primitive:ident) => {
        impl<V: Vector> $trait for $type<V> {
            type Output = Self;
            #[inlined]
            fn $method(self, other: Self) -> Self {
                $type(V::$primitive(self.0, other.0))
            }
        }
    };
}
operator!(Add, add, Lanes, add);
operator!(Sub, sub, Lanes, sub);
operator!(Mul, mul, Lanes, mul);
operator!(Div, div, Lanes, div);
operator!(BitAnd, bitand, LaneMask, mask_and);
operator!(BitOr, bitor, LaneMask, mask_or);
operator!(BitAnd, bitand, LaneBits, bits_and);
operator!(BitOr, bitor, LaneBits, bits_or);
operator!(BitXor, bitxor, LaneBits, bits_xor);

impl<V: Vector> Neg for Lanes<V> {
    type Output = Self;
    #[inlined]
    fn neg(self) -> Self {
        Lanes(self.0.neg())
    }
}

impl<V: Vector> Not for LaneMask<V> {
    type Output = Self;
    #[inlined]
    fn not(self) -> Self {
        LaneMask(V::mask_not(self.0))
    }
}

impl<V: Vector> Not for LaneBits<V> {
    type Output = Self;
    #[inlined]
    fn not(self) -> Self {
        self ^ LaneBits(V::bits_splat(u64::MAX))
    }
}

impl<V: Vector> Mask for LaneMask<V> {
    #[inlined]
    fn splat(value: bool) -> Self {
        LaneMask(V::mask_splat(value))
    }
    #[inlined]
    fn any(self) -> bool {
        V::mask_any(self.0)
    }
    #[inlined]
    fn to_bitmask(self) -> u64 {
        V::mask_to_bits(self.0)
    }
    #[inlined]
    fn from_bitmask(bits: u64) -> Self {
        LaneMask(V::mask_from_bits(bits))
    }
}

impl<V: Vector> Bits for LaneBits<V> {
    type Mask = LaneMask<V>;
    #[inlined]
    fn lit(value: u64) -> Self {
        LaneBits(V::bits_splat(value))
    }
    #[inlined]
    fn lane(&self, i: usize) -> u64 {
        Bits::lane(&Real::to_bits(V::bits_lane(&self.0, i)), 0)
    }
    #[inlined]
    fn wrapping_add(self, other: Self) -> Self {
        LaneBits(V::bits_add(self.0, other.0))
    }
    #[inlined]
    fn wrapping_sub(self, other: Self) -> Self {
        LaneBits(V::bits_sub(self.0, other.0))
    }
    #[inlined]
    fn mul_low(self, other: Self) -> Self {
        LaneBits(V::bits_mul_low(self.0, other.0))
    }
    #[inlined]
    fn mul_high(self, other: Self) -> Self {
        LaneBits(V::bits_mul_high(self.0, other.0))
    }
    #[inlined]
    fn shl<const BY: u32>(self) -> Self {
        LaneBits(V::bits_shl::<BY>(self.0))
    }
    #[inlined]
    fn shr<const BY: u32>(self) -> Self {
        LaneBits(V::bits_shr::<BY>(self.0))
    }
    #[inlined]
    fn equals(self, other: Self) -> Self::Mask {
        LaneMask(V::bits_equals(self.0, other.0))
    }
    #[inlined]
    fn less_than(self, other: Self) -> Self::Mask {
        LaneMask(V::bits_less_than(self.0, other.0))
    }
    #[inlined]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        LaneBits(V::bits_select(mask.0, a.0, b.0))
    }
}

impl<V: Vector> Real for Lanes<V>
where
    Self: WithSingle<Mask = LaneMask<V>>,
{
    type Scalar = V::Scalar;
    type Mask = LaneMask<V>;
    type Bits = LaneBits<V>;
    type Single = <Self as WithSingle>::Single;
    const LANES: usize = V::WIDTH;
    const DOUBLE: bool = <V::Scalar as Real>::DOUBLE;

    #[inlined]
    fn lit(value: f64) -> Self {
        Lanes(V::splat(V::Scalar::narrow(value)))
    }
    #[inlined]
    fn lit_of(double: f64, single: f64) -> Self {
        let value = <V::Scalar as Real>::lit_of(double, single);
        Lanes(V::splat(value))
    }
    #[inlined]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Lanes(self.0.mul_add(a.0, b.0))
    }
    #[inlined]
    fn neg_mul_add(self, a: Self, b: Self) -> Self {
        Lanes(self.0.neg_mul_add(a.0, b.0))
    }
    #[inlined]
    fn add_ref(&self, b: &Self) -> Self {
        Lanes(V::add_ref(&self.0, &b.0))
    }
    #[inlined]
    fn sub_ref(&self, b: &Self) -> Self {
        Lanes(V::sub_ref(&self.0, &b.0))
    }
    #[inlined]
    fn mul_ref(&self, b: &Self) -> Self {
        Lanes(V::mul_ref(&self.0, &b.0))
    }
    #[inlined]
    fn div_ref(&self, b: &Self) -> Self {
        Lanes(V::div_ref(&self.0, &b.0))
    }
    #[inlined]
    fn mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        Lanes(V::mul_add_ref(&self.0, &a.0, &b.0))
    }
    #[inlined]
    fn neg_mul_add_ref(&self, a: &Self, b: &Self) -> Self {
        Lanes(V::neg_mul_add_ref(&self.0, &a.0, &b.0))
    }
    #[inlined]
    fn sqrt(self) -> Self {
        Lanes(self.0.sqrt())
    }
    #[inlined]
    fn abs(self) -> Self {
        Lanes(self.0.abs())
    }
    #[inlined]
    fn copysign(self, sign: Self) -> Self {
        Lanes(self.0.copysign(sign.0))
    }
    #[inlined]
    fn round_even(self) -> Self {
        Lanes(self.0.round_even())
    }
    #[inlined]
    fn floor(self) -> Self {
        Lanes(self.0.floor())
    }
    #[inlined]
    fn lt(self, other: Self) -> Self::Mask {
        LaneMask(self.0.lt(other.0))
    }
    #[inlined]
    fn le(self, other: Self) -> Self::Mask {
        LaneMask(self.0.le(other.0))
    }
    #[inlined]
    fn gt(self, other: Self) -> Self::Mask {
        Real::lt(other, self)
    }
    #[inlined]
    fn ge(self, other: Self) -> Self::Mask {
        Real::le(other, self)
    }
    #[inlined]
    fn equals(self, other: Self) -> Self::Mask {
        LaneMask(self.0.equals(other.0))
    }
    #[inlined]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Lanes(V::select(mask.0, a.0, b.0))
    }
    #[inlined]
    fn min(self, other: Self) -> Self {
        Lanes(self.0.min(other.0))
    }
    #[inlined]
    fn max(self, other: Self) -> Self {
        Lanes(self.0.max(other.0))
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
    fn to_bits(self) -> Self::Bits {
        LaneBits(self.0.to_bits())
    }
    #[inlined]
    fn from_bits(bits: Self::Bits) -> Self {
        Lanes(V::from_bits(bits.0))
    }
    #[inlined]
    fn bits_to_single(self) -> Self::Single {
        WithSingle::bits_to_single(self.abs())
    }
    #[inlined]
    fn single_to_bits(value: Self::Single) -> Self {
        <Self as WithSingle>::single_to_bits(value)
    }
    #[inlined]
    fn to_single(self) -> Self::Single {
        WithSingle::to_single(self)
    }
    #[inlined]
    fn from_single(value: Self::Single) -> Self {
        <Self as WithSingle>::from_single(value)
    }
    #[inlined]
    fn single_mask(mask: Self::Mask) -> <Self::Single as Real>::Mask {
        <Self as WithSingle>::single_mask(mask)
    }
    #[inlined]
    fn outline<O>(f: impl FnOnce() -> O) -> O {
        V::outline(f)
    }
    #[inlined]
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
        V::outline_cold(f)
    }
    #[inlined]
    fn outline_wide<O>(f: impl FnOnce() -> O) -> O {
        V::outline_leaf(f)
    }
    #[inlined]
    fn lane(&self, i: usize) -> V::Scalar {
        self.0.lanes()[i]
    }
    #[inlined]
    fn lanes(&self) -> &[V::Scalar] {
        self.0.lanes()
    }
    #[inlined]
    fn set_lane(&mut self, i: usize, value: V::Scalar) {
        self.0.set(i, value);
    }
}

impl<V: Vector> Debug for Lanes<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.lanes()).finish()
    }
}

impl<V: Vector> Debug for LaneMask<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#b}", self.to_bitmask())
    }
}

impl<V: Vector> Debug for LaneBits<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..V::WIDTH).map(|i| Bits::lane(self, i))).finish()
    }
}
