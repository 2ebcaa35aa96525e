//! Vectors as arrays, for machines without explicit vectors in this crate.
//!
//! On aarch64, with NEON and fused multiply-add in its baseline, LLVM vectorises these loops. On
//! x86-64 without FMA they are exact and slow, because a fused multiply-add is then a library call.

use super::lanes::{LaneMask, Lanes, Vector, WithSingle};
use super::{Bits, Real, Scalar};
use ode_macros::inlined;

/// `W` numbers in an array.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Portable<T, const W: usize>([T; W]);

impl<T, const W: usize> crate::sealed::Sealed for Portable<T, W> {}

macro_rules! all {
    (|$i:ident| $value:expr) => {
        core::array::from_fn(
            #[inline(always)]
            |$i| $value,
        )
    };
}

impl<T: Scalar<Mask = bool>, const W: usize> Vector for Portable<T, W> {
    type Scalar = T;
    type Mask = [bool; W];
    type Bits = [T::Bits; W];
    const WIDTH: usize = W;

    #[inlined]
    fn splat(x: T) -> Self {
        Portable([x; W])
    }
    #[inlined]
    fn set(&mut self, i: usize, x: T) {
        self.0[i] = x;
    }
    #[inlined]
    fn add(self, b: Self) -> Self {
        Portable(all!(|i| self.0[i] + b.0[i]))
    }
    #[inlined]
    fn sub(self, b: Self) -> Self {
        Portable(all!(|i| self.0[i] - b.0[i]))
    }
    #[inlined]
    fn mul(self, b: Self) -> Self {
        Portable(all!(|i| self.0[i] * b.0[i]))
    }
    #[inlined]
    fn div(self, b: Self) -> Self {
        Portable(all!(|i| self.0[i] / b.0[i]))
    }
    #[inlined]
    fn neg(self) -> Self {
        Portable(all!(|i| -self.0[i]))
    }
    #[inlined]
    fn mul_add(self, a: Self, b: Self) -> Self {
        Portable(all!(|i| Real::mul_add(self.0[i], a.0[i], b.0[i])))
    }
    #[inlined]
    fn sqrt(self) -> Self {
        Portable(all!(|i| Real::sqrt(self.0[i])))
    }
    #[inlined]
    fn abs(self) -> Self {
        Portable(all!(|i| Real::abs(self.0[i])))
    }
    #[inlined]
    fn copysign(self, sign: Self) -> Self {
        Portable(all!(|i| Real::copysign(self.0[i], sign.0[i])))
    }
    #[inlined]
    fn round_even(self) -> Self {
        Portable(all!(|i| self.0[i].round_even()))
    }
    #[inlined]
    fn floor(self) -> Self {
        Portable(all!(|i| Real::floor(self.0[i])))
    }
    #[inlined]
    fn lt(self, b: Self) -> [bool; W] {
        all!(|i| self.0[i] < b.0[i])
    }
    #[inlined]
    fn le(self, b: Self) -> [bool; W] {
        all!(|i| self.0[i] <= b.0[i])
    }
    #[inlined]
    fn equals(self, b: Self) -> [bool; W] {
        all!(|i| self.0[i] == b.0[i])
    }
    #[inlined]
    fn select(m: [bool; W], a: Self, b: Self) -> Self {
        Portable(all!(|i| if m[i] { a.0[i] } else { b.0[i] }))
    }
    #[inlined]
    fn min(self, b: Self) -> Self {
        Portable(all!(|i| Real::min(self.0[i], b.0[i])))
    }
    #[inlined]
    fn max(self, b: Self) -> Self {
        Portable(all!(|i| Real::max(self.0[i], b.0[i])))
    }
    #[inlined]
    fn to_bits(self) -> Self::Bits {
        all!(|i| Real::to_bits(self.0[i]))
    }
    #[inlined]
    fn from_bits(b: Self::Bits) -> Self {
        Portable(all!(|i| Real::from_bits(b[i])))
    }

    #[inlined]
    fn bits_lane(bits: &Self::Bits, i: usize) -> T {
        T::from_bits(bits[i])
    }
    #[inlined]
    fn bits_splat(x: u64) -> Self::Bits {
        [T::Bits::lit(x); W]
    }
    #[inlined]
    fn bits_add(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i].wrapping_add(b[i]))
    }
    #[inlined]
    fn bits_sub(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i].wrapping_sub(b[i]))
    }
    #[inlined]
    fn bits_mul_low(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i].mul_low(b[i]))
    }
    #[inlined]
    fn bits_mul_high(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i].mul_high(b[i]))
    }
    #[inlined]
    fn bits_and(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i] & b[i])
    }
    #[inlined]
    fn bits_or(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i] | b[i])
    }
    #[inlined]
    fn bits_xor(a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| a[i] ^ b[i])
    }
    #[inlined]
    fn bits_shl<const BY: u32>(a: Self::Bits) -> Self::Bits {
        all!(|i| a[i].shl::<BY>())
    }
    #[inlined]
    fn bits_shr<const BY: u32>(a: Self::Bits) -> Self::Bits {
        all!(|i| a[i].shr::<BY>())
    }
    #[inlined]
    fn bits_equals(a: Self::Bits, b: Self::Bits) -> [bool; W] {
        all!(|i| a[i].equals(b[i]))
    }
    #[inlined]
    fn bits_less_than(a: Self::Bits, b: Self::Bits) -> [bool; W] {
        all!(|i| a[i].less_than(b[i]))
    }
    #[inlined]
    fn bits_select(m: [bool; W], a: Self::Bits, b: Self::Bits) -> Self::Bits {
        all!(|i| if m[i] { a[i] } else { b[i] })
    }

    #[inlined]
    fn mask_splat(x: bool) -> [bool; W] {
        [x; W]
    }
    #[inlined]
    fn mask_and(a: [bool; W], b: [bool; W]) -> [bool; W] {
        all!(|i| a[i] & b[i])
    }
    #[inlined]
    fn mask_or(a: [bool; W], b: [bool; W]) -> [bool; W] {
        all!(|i| a[i] | b[i])
    }
    #[inlined]
    fn mask_not(a: [bool; W]) -> [bool; W] {
        all!(|i| !a[i])
    }
    #[inlined]
    fn mask_any(a: [bool; W]) -> bool {
        a.contains(&true)
    }
    #[inlined]
    fn mask_to_bits(a: [bool; W]) -> u64 {
        a.iter().enumerate().fold(0, |bits, (i, &set)| bits | (set as u64) << i)
    }
    #[inlined]
    fn mask_from_bits(a: u64) -> [bool; W] {
        all!(|i| (a >> i) & 1 != 0)
    }

    #[inlined]
    fn outline<O>(f: impl FnOnce() -> O) -> O {
        super::real::call(f)
    }
    #[inlined]
    fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
        super::real::call_cold(f)
    }
    #[inlined]
    fn outline_leaf<O>(f: impl FnOnce() -> O) -> O {
        super::real::call(f)
    }
}

impl<T, const W: usize> WithSingle for Lanes<Portable<T, W>>
where
    T: Scalar<Mask = bool, Single = f32>,
{
    type Mask = LaneMask<Portable<T, W>>;
    type Single = Lanes<Portable<f32, W>>;
    #[inlined]
    fn bits_to_single(self) -> Self::Single {
        Lanes(Portable(all!(|i| self.0.0[i].bits_to_single())))
    }
    #[inlined]
    fn single_to_bits(value: Self::Single) -> Self {
        Lanes(Portable(all!(|i| T::single_to_bits(value.0.0[i]))))
    }
    #[inlined]
    fn to_single(self) -> Self::Single {
        Lanes(Portable(all!(|i| self.0.0[i].to_single())))
    }
    #[inlined]
    fn from_single(value: Self::Single) -> Self {
        Lanes(Portable(all!(|i| T::from_single(value.0.0[i]))))
    }
    #[inlined]
    fn single_mask(mask: Self::Mask) -> LaneMask<Portable<f32, W>> {
        LaneMask(mask.0)
    }
}
