//! `K` vectors of one instruction set as one number: the fast CPU path.
//!
//! One vector per operation leaves the floating-point units waiting for the previous result; two
//! independent vectors hide that latency (40 to 47% faster on three equations), and four run out
//! of registers. So the number of vectors is a property of the system's size
//! ([`crate::simd::vectors`]).

use super::{Bits, Mask, Real, Scalar};
use core::fmt::{self, Debug};
use core::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

/// One SIMD register of real numbers, or an array that stands for one.
///
/// The primitives that [`Lanes`] is made of; their meaning is that of the [`Real`], [`Bits`] and
/// [`Mask`] methods of the same name.
#[allow(missing_docs)]
pub trait Vector: Copy + Send + Sync + 'static {
    type Scalar: Scalar;
    type Mask: Copy;
    type Bits: Copy;
    /// `[Scalar; WIDTH]`.
    type Array: AsRef<[Self::Scalar]> + AsMut<[Self::Scalar]> + Debug;
    const WIDTH: usize;

    fn splat(x: Self::Scalar) -> Self;
    fn to_array(self) -> Self::Array;
    fn from_array(a: Self::Array) -> Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    fn neg(self) -> Self;
    fn mul_add(self, a: Self, b: Self) -> Self;
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
    fn bits_add(a: Self::Bits, b: Self::Bits) -> Self::Bits;
    fn bits_sub(a: Self::Bits, b: Self::Bits) -> Self::Bits;
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
    fn mask_to_bits(a: Self::Mask) -> u64;
    fn mask_from_bits(a: u64) -> Self::Mask;
}

/// The `f32` lanes that accompany some lanes, and the conversions between them.
#[allow(missing_docs)]
pub trait WithSingle: Sized {
    type Mask;
    type Single: Real<Scalar = f32>;
    fn bits_to_single(self) -> Self::Single;
    fn single_to_bits(value: Self::Single) -> Self;
    fn to_single(self) -> Self::Single;
    fn from_single(value: Self::Single) -> Self;
    fn single_mask(mask: Self::Mask) -> <Self::Single as Real>::Mask;
}

/// `K` vectors: a real number of `K * V::WIDTH` lanes.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Lanes<V: Vector, const K: usize>(pub [V; K]);

/// A truth value for each lane of [`Lanes`].
#[derive(Clone, Copy)]
pub struct LaneMask<V: Vector, const K: usize>(pub [V::Mask; K]);

/// A bit pattern for each lane of [`Lanes`].
#[derive(Clone, Copy)]
pub struct LaneBits<V: Vector, const K: usize>(pub [V::Bits; K]);

/// `[f(0), …, f(K-1)]`, written out: a loop would be unrolled too late for LLVM to keep the
/// array in registers.
macro_rules! each {
    ($first:expr, |$k:ident| $value:expr) => {{
        let mut out = [$first; K];
        if K > 1 {
            let $k = 1;
            out[$k] = $value;
        }
        if K > 2 {
            let $k = 2;
            out[$k] = $value;
        }
        if K > 3 {
            let $k = 3;
            out[$k] = $value;
        }
        const { assert!(K >= 1 && K <= 4) };
        out
    }};
}
macro_rules! map {
    (|$k:ident| $value:expr) => {{
        let first = {
            let $k = 0;
            $value
        };
        each!(first, |$k| $value)
    }};
}

macro_rules! operator {
    ($trait:ident, $method:ident, $type:ident, $primitive:ident) => {
        impl<V: Vector, const K: usize> $trait for $type<V, K> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                $type(map!(|k| V::$primitive(self.0[k], other.0[k])))
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

impl<V: Vector, const K: usize> Neg for Lanes<V, K> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(map!(|k| self.0[k].neg()))
    }
}

impl<V: Vector, const K: usize> Not for LaneMask<V, K> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        LaneMask(map!(|k| V::mask_not(self.0[k])))
    }
}

impl<V: Vector, const K: usize> Not for LaneBits<V, K> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self ^ LaneBits(map!(|_k| V::bits_splat(u64::MAX)))
    }
}

impl<V: Vector, const K: usize> Mask for LaneMask<V, K> {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        LaneMask(map!(|_k| V::mask_splat(value)))
    }
    #[inline(always)]
    fn any(self) -> bool {
        let mut all = self.0[0];
        for k in 1..K {
            all = V::mask_or(all, self.0[k]);
        }
        V::mask_to_bits(all) != 0
    }
    #[inline(always)]
    fn to_bitmask(self) -> u64 {
        let mut bits = 0;
        for k in 0..K {
            bits |= V::mask_to_bits(self.0[k]) << (k * V::WIDTH);
        }
        bits
    }
    #[inline(always)]
    fn from_bitmask(bits: u64) -> Self {
        LaneMask(map!(|k| V::mask_from_bits(bits >> (k * V::WIDTH))))
    }
}

impl<V: Vector, const K: usize> Bits for LaneBits<V, K> {
    type Mask = LaneMask<V, K>;
    #[inline(always)]
    fn lit(value: u64) -> Self {
        LaneBits(map!(|_k| V::bits_splat(value)))
    }
    #[inline(always)]
    fn lane(self, i: usize) -> u64 {
        let vector = V::from_bits(self.0[i / V::WIDTH]);
        Bits::lane(Real::to_bits(vector.to_array().as_ref()[i % V::WIDTH]), 0)
    }
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        LaneBits(map!(|k| V::bits_add(self.0[k], other.0[k])))
    }
    #[inline(always)]
    fn wrapping_sub(self, other: Self) -> Self {
        LaneBits(map!(|k| V::bits_sub(self.0[k], other.0[k])))
    }
    #[inline(always)]
    fn shl<const BY: u32>(self) -> Self {
        LaneBits(map!(|k| V::bits_shl::<BY>(self.0[k])))
    }
    #[inline(always)]
    fn shr<const BY: u32>(self) -> Self {
        LaneBits(map!(|k| V::bits_shr::<BY>(self.0[k])))
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        LaneMask(map!(|k| V::bits_equals(self.0[k], other.0[k])))
    }
    #[inline(always)]
    fn less_than(self, other: Self) -> Self::Mask {
        LaneMask(map!(|k| V::bits_less_than(self.0[k], other.0[k])))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        LaneBits(map!(|k| V::bits_select(mask.0[k], a.0[k], b.0[k])))
    }
}

impl<V: Vector, const K: usize> Real for Lanes<V, K>
where
    Self: WithSingle<Mask = LaneMask<V, K>>,
{
    type Scalar = V::Scalar;
    type Mask = LaneMask<V, K>;
    type Bits = LaneBits<V, K>;
    type Single = <Self as WithSingle>::Single;
    const LANES: usize = K * V::WIDTH;
    const DOUBLE: bool = <V::Scalar as Real>::DOUBLE;

    #[inline(always)]
    fn lit(value: f64) -> Self {
        Lanes(map!(|_k| V::splat(V::Scalar::narrow(value))))
    }
    #[inline(always)]
    fn lit_of(double: f64, single: f64) -> Self {
        let value = <V::Scalar as Real>::lit_of(double, single);
        Lanes(map!(|_k| V::splat(value)))
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Lanes(map!(|k| self.0[k].mul_add(a.0[k], b.0[k])))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(map!(|k| self.0[k].sqrt()))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(map!(|k| self.0[k].abs()))
    }
    #[inline(always)]
    fn copysign(self, sign: Self) -> Self {
        Lanes(map!(|k| self.0[k].copysign(sign.0[k])))
    }
    #[inline(always)]
    fn round_even(self) -> Self {
        Lanes(map!(|k| self.0[k].round_even()))
    }
    #[inline(always)]
    fn floor(self) -> Self {
        Lanes(map!(|k| self.0[k].floor()))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        LaneMask(map!(|k| self.0[k].lt(other.0[k])))
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        LaneMask(map!(|k| self.0[k].le(other.0[k])))
    }
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        Real::lt(other, self)
    }
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        Real::le(other, self)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        LaneMask(map!(|k| self.0[k].equals(other.0[k])))
    }
    #[inline(always)]
    fn select(mask: Self::Mask, a: Self, b: Self) -> Self {
        Lanes(map!(|k| V::select(mask.0[k], a.0[k], b.0[k])))
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Lanes(map!(|k| self.0[k].min(other.0[k])))
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Lanes(map!(|k| self.0[k].max(other.0[k])))
    }
    #[inline(always)]
    fn max_magnitude(self, other: Self) -> Self {
        Real::max(Real::abs(self), Real::abs(other))
    }
    #[inline(always)]
    fn at_most(self, cap: Self) -> Self {
        Real::min(self, cap)
    }
    #[inline(always)]
    fn at_least(self, floor: Self) -> Self {
        Real::max(self, floor)
    }
    #[inline(always)]
    fn to_bits(self) -> Self::Bits {
        LaneBits(map!(|k| self.0[k].to_bits()))
    }
    #[inline(always)]
    fn from_bits(bits: Self::Bits) -> Self {
        Lanes(map!(|k| V::from_bits(bits.0[k])))
    }
    #[inline(always)]
    fn bits_to_single(self) -> Self::Single {
        WithSingle::bits_to_single(self)
    }
    #[inline(always)]
    fn single_to_bits(value: Self::Single) -> Self {
        <Self as WithSingle>::single_to_bits(value)
    }
    #[inline(always)]
    fn to_single(self) -> Self::Single {
        WithSingle::to_single(self)
    }
    #[inline(always)]
    fn from_single(value: Self::Single) -> Self {
        <Self as WithSingle>::from_single(value)
    }
    #[inline(always)]
    fn single_mask(mask: Self::Mask) -> <Self::Single as Real>::Mask {
        <Self as WithSingle>::single_mask(mask)
    }
    #[inline(always)]
    fn lane(self, i: usize) -> V::Scalar {
        self.0[i / V::WIDTH].to_array().as_ref()[i % V::WIDTH]
    }
    #[inline(always)]
    fn set_lane(&mut self, i: usize, value: V::Scalar) {
        let vector = &mut self.0[i / V::WIDTH];
        let mut array = vector.to_array();
        array.as_mut()[i % V::WIDTH] = value;
        *vector = V::from_array(array);
    }
}

impl<V: Vector, const K: usize> Debug for Lanes<V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|v| v.to_array())).finish()
    }
}

impl<V: Vector, const K: usize> Debug for LaneMask<V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#b}", self.to_bitmask())
    }
}

impl<V: Vector, const K: usize> Debug for LaneBits<V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|b| V::from_bits(*b).to_array())).finish()
    }
}
