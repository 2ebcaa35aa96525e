//! Vectors of x86-64: AVX-512 and AVX2 with FMA.
//!
//! LLVM turns arrays into vectors by the heuristics of the SLP vectoriser, and some widths come out
//! shuffled or scalar without a warning; an intrinsic is one instruction.
//!
//! The types are visible in this crate only. Their values are created inside the entry points of
//! [`crate::lane::dispatch`], which run only if the machine has their instruction set. For this
//! reason the intrinsics below are safe to call, and a debug build is as correct as an optimised
//! one.

use super::Real;
use super::lanes::{LaneMask, Lanes, Two, Vector, WithSingle};
use crate::lane::entry::align_stack;
use core::arch::x86_64::*;
use ode_macros::inlined;

/// Calls an intrinsic on registers.
macro_rules! isa {
    ($($call:tt)*) => {{
        // SAFETY: values of the types of this file exist only inside the entry points of `dispatch`,
        // which run only if the machine has their instruction set. The intrinsics access no memory,
        // and have no other requirement.
        #[allow(unused_unsafe)]
        unsafe { $($call)* }
    }};
}

/// Declares a vector type by its required features and the names of its intrinsics.
macro_rules! vector {
    (
        [$($feature:tt)*]
        $(#[$doc:meta])* $name:ident: $register:ty, $scalar:ty, $width:literal, bits: $bits:ty, $word:ty,
        splat $splat:ident, add $add:ident, sub $sub:ident, mul $mul:ident, div $div:ident,
        fma $fma:ident, fnma $fnma:ident, sqrt $sqrt:ident, min $min:ident, max $max:ident,
        round $round:ident, cast $to_bits:ident $from_bits:ident,
        bits_splat $bits_splat:ident, bits_add $bits_add:ident, bits_sub $bits_sub:ident,
        and $and:ident, or $or:ident, xor $xor:ident, sll $sll:ident, srl $srl:ident,
        long $long_splat:ident $long_mul:ident $long_sll:ident $long_srl:ident,
        $($masks:tt)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $name($register);

        impl crate::sealed::Sealed for $name {}

        impl Vector for $name {
            type Scalar = $scalar;
            type Bits = $bits;
            const WIDTH: usize = $width;

            #[inlined]
            fn splat(x: $scalar) -> Self {
                $name(isa!($splat(x)))
            }
            #[inlined]
            fn add(self, b: Self) -> Self {
                $name(isa!($add(self.0, b.0)))
            }
            #[inlined]
            fn sub(self, b: Self) -> Self {
                $name(isa!($sub(self.0, b.0)))
            }
            #[inlined]
            fn mul(self, b: Self) -> Self {
                $name(isa!($mul(self.0, b.0)))
            }
            #[inlined]
            fn div(self, b: Self) -> Self {
                $name(isa!($div(self.0, b.0)))
            }
            #[inlined]
            fn neg(self) -> Self {
                let sign = Self::bits_splat((-0.0 as $scalar).to_bits() as u64);
                Self::from_bits(Self::bits_xor(self.to_bits(), sign))
            }
            #[inlined]
            fn mul_add(self, a: Self, b: Self) -> Self {
                $name(isa!($fma(self.0, a.0, b.0)))
            }
            #[inlined]
            fn neg_mul_add(self, a: Self, b: Self) -> Self {
                $name(isa!($fnma(self.0, a.0, b.0)))
            }
            #[inlined]
            fn add_ref(&self, b: &Self) -> Self {
                $name(isa!($add(self.0, b.0)))
            }
            #[inlined]
            fn sub_ref(&self, b: &Self) -> Self {
                $name(isa!($sub(self.0, b.0)))
            }
            #[inlined]
            fn mul_ref(&self, b: &Self) -> Self {
                $name(isa!($mul(self.0, b.0)))
            }
            #[inlined]
            fn div_ref(&self, b: &Self) -> Self {
                $name(isa!($div(self.0, b.0)))
            }
            #[inlined]
            fn mul_add_ref(&self, a: &Self, b: &Self) -> Self {
                $name(isa!($fma(self.0, a.0, b.0)))
            }
            #[inlined]
            fn neg_mul_add_ref(&self, a: &Self, b: &Self) -> Self {
                $name(isa!($fnma(self.0, a.0, b.0)))
            }
            #[inlined]
            fn sqrt(self) -> Self {
                $name(isa!($sqrt(self.0)))
            }
            #[inlined]
            fn abs(self) -> Self {
                let sign = Self::bits_splat(!(-0.0 as $scalar).to_bits() as u64);
                Self::from_bits(Self::bits_and(self.to_bits(), sign))
            }
            #[inlined]
            fn copysign(self, sign: Self) -> Self {
                let bit = Self::bits_splat((-0.0 as $scalar).to_bits() as u64);
                let magnitude = self.abs().to_bits();
                Self::from_bits(Self::bits_or(magnitude, Self::bits_and(sign.to_bits(), bit)))
            }
            #[inlined]
            fn round_even(self) -> Self {
                $name(isa!($round::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(self.0)))
            }
            #[inlined]
            fn floor(self) -> Self {
                $name(isa!($round::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(self.0)))
            }
            // The instructions are `a < b ? a : b` and `a > b ? a : b`, as `Real` defines them.
            #[inlined]
            fn min(self, b: Self) -> Self {
                $name(isa!($min(self.0, b.0)))
            }
            #[inlined]
            fn max(self, b: Self) -> Self {
                $name(isa!($max(self.0, b.0)))
            }
            #[inlined]
            fn to_bits(self) -> $bits {
                isa!($to_bits(self.0))
            }
            #[inlined]
            fn from_bits(b: $bits) -> Self {
                $name(isa!($from_bits(b)))
            }

            #[inlined]
            fn bits_lane(bits: &$bits, i: usize) -> $scalar {
                // SAFETY: a register consists of its lanes, in order, and any bits are a number.
                let lanes: &[$scalar; $width] = unsafe { &*core::ptr::from_ref(bits).cast() };
                lanes[i]
            }
            #[inlined]
            fn bits_splat(x: u64) -> $bits {
                isa!($bits_splat(x as $word))
            }
            #[inlined]
            fn bits_add(a: $bits, b: $bits) -> $bits {
                isa!($bits_add(a, b))
            }
            #[inlined]
            fn bits_sub(a: $bits, b: $bits) -> $bits {
                isa!($bits_sub(a, b))
            }
            #[inlined]
            fn bits_and(a: $bits, b: $bits) -> $bits {
                isa!($and(a, b))
            }
            #[inlined]
            fn bits_or(a: $bits, b: $bits) -> $bits {
                isa!($or(a, b))
            }
            #[inlined]
            fn bits_xor(a: $bits, b: $bits) -> $bits {
                isa!($xor(a, b))
            }
            // The instruction multiplies the even words of 32 bits; LLVM merges two equal
            // instructions.
            #[inlined]
            fn bits_mul_low(a: $bits, b: $bits) -> $bits {
                let words = isa!($long_splat(u32::MAX as i64));
                let even = isa!($and($long_mul(a, b), words));
                if <$scalar as Real>::DOUBLE {
                    return even;
                }
                let by = isa!(_mm_cvtsi32_si128(32));
                let odd = isa!($long_mul($long_srl(a, by), $long_srl(b, by)));
                isa!($or(even, $long_sll(odd, by)))
            }
            #[inlined]
            fn bits_mul_high(a: $bits, b: $bits) -> $bits {
                let by = isa!(_mm_cvtsi32_si128(32));
                let even = isa!($long_srl($long_mul(a, b), by));
                if <$scalar as Real>::DOUBLE {
                    return even;
                }
                let odd = isa!($long_mul($long_srl(a, by), $long_srl(b, by)));
                isa!($or(even, $and(odd, $long_splat(!(u32::MAX as i64)))))
            }
            // Shifts by a register with a known value: LLVM turns them into shifts by a literal.
            #[inlined]
            fn bits_shl<const BY: u32>(a: $bits) -> $bits {
                isa!($sll(a, _mm_cvtsi32_si128(BY as i32)))
            }
            #[inlined]
            fn bits_shr<const BY: u32>(a: $bits) -> $bits {
                isa!($srl(a, _mm_cvtsi32_si128(BY as i32)))
            }

            vector_masks!($($masks)*);

            #[inlined]
            fn outline<O>(f: impl FnOnce() -> O) -> O {
                #[target_feature($(enable = $feature),*)]
                #[inline(never)]
                fn call<O, F: FnOnce() -> O>(f: F) -> O {
                    align_stack();
                    f()
                }
                isa!(call(f))
            }
            #[inlined]
            fn outline_cold<O>(f: impl FnOnce() -> O) -> O {
                #[target_feature($(enable = $feature),*)]
                #[cold]
                #[inline(never)]
                fn call<O, F: FnOnce() -> O>(f: F) -> O {
                    f()
                }
                isa!(call(f))
            }
            #[inlined]
            fn outline_leaf<O>(f: impl FnOnce() -> O) -> O {
                #[target_feature($(enable = $feature),*)]
                #[inline(never)]
                fn call<O, F: FnOnce() -> O>(f: F) -> O {
                    f()
                }
                isa!(call(f))
            }
        }
    };
}

/// Masks: a register of truth values (AVX-512), or a vector of all-ones and zeros (AVX2).
macro_rules! vector_masks {
    (
        register $mask:ty, compare $compare:ident, blend $blend:ident,
        bits_equals $bits_equals:ident, bits_less $bits_less:ident, bits_blend $bits_blend:ident
    ) => {
        type Mask = $mask;
        #[inlined]
        fn lt(self, b: Self) -> $mask {
            isa!($compare::<_CMP_LT_OQ>(self.0, b.0))
        }
        #[inlined]
        fn le(self, b: Self) -> $mask {
            isa!($compare::<_CMP_LE_OQ>(self.0, b.0))
        }
        #[inlined]
        fn equals(self, b: Self) -> $mask {
            isa!($compare::<_CMP_EQ_OQ>(self.0, b.0))
        }
        #[inlined]
        fn select(m: $mask, a: Self, b: Self) -> Self {
            Self(isa!($blend(m, b.0, a.0)))
        }
        #[inlined]
        fn bits_equals(a: Self::Bits, b: Self::Bits) -> $mask {
            isa!($bits_equals(a, b))
        }
        #[inlined]
        fn bits_less_than(a: Self::Bits, b: Self::Bits) -> $mask {
            isa!($bits_less(a, b))
        }
        #[inlined]
        fn bits_select(m: $mask, a: Self::Bits, b: Self::Bits) -> Self::Bits {
            isa!($bits_blend(m, b, a))
        }
        #[inlined]
        fn mask_splat(x: bool) -> $mask {
            if x { !0 } else { 0 }
        }
        #[inlined]
        fn mask_and(a: $mask, b: $mask) -> $mask {
            a & b
        }
        #[inlined]
        fn mask_or(a: $mask, b: $mask) -> $mask {
            a | b
        }
        #[inlined]
        fn mask_not(a: $mask) -> $mask {
            !a
        }
        #[inlined]
        fn mask_any(a: $mask) -> bool {
            a != 0
        }
        #[inlined]
        fn mask_to_bits(a: $mask) -> u64 {
            a as u64
        }
        #[inlined]
        fn mask_from_bits(a: u64) -> $mask {
            a as $mask
        }
    };
    (
        vector $mask:ty, compare $compare:ident, blend $blend:ident,
        and $and:ident, or $or:ident, xor $xor:ident, movemask $movemask:ident,
        to_mask $to_mask:ident, bits_equals $bits_equals:ident, bits_greater $bits_greater:ident,
        lanes $lanes:expr
    ) => {
        type Mask = $mask;
        #[inlined]
        fn lt(self, b: Self) -> $mask {
            isa!($compare::<_CMP_LT_OQ>(self.0, b.0))
        }
        #[inlined]
        fn le(self, b: Self) -> $mask {
            isa!($compare::<_CMP_LE_OQ>(self.0, b.0))
        }
        #[inlined]
        fn equals(self, b: Self) -> $mask {
            isa!($compare::<_CMP_EQ_OQ>(self.0, b.0))
        }
        #[inlined]
        fn select(m: $mask, a: Self, b: Self) -> Self {
            Self(isa!($blend(b.0, a.0, m)))
        }
        #[inlined]
        fn bits_equals(a: Self::Bits, b: Self::Bits) -> $mask {
            isa!($to_mask($bits_equals(a, b)))
        }
        #[inlined]
        fn bits_less_than(a: Self::Bits, b: Self::Bits) -> $mask {
            // AVX2 compares signed integers; flipping the top bits gives the order of unsigned
            // ones.
            let top = Self::splat(-0.0).to_bits();
            isa!($to_mask($bits_greater(Self::bits_xor(b, top), Self::bits_xor(a, top))))
        }
        #[inlined]
        fn bits_select(m: $mask, a: Self::Bits, b: Self::Bits) -> Self::Bits {
            Self::select(m, Self::from_bits(a), Self::from_bits(b)).to_bits()
        }
        #[inlined]
        fn mask_splat(x: bool) -> $mask {
            Self::from_bits(Self::bits_splat(if x { u64::MAX } else { 0 })).0
        }
        #[inlined]
        fn mask_and(a: $mask, b: $mask) -> $mask {
            isa!($and(a, b))
        }
        #[inlined]
        fn mask_or(a: $mask, b: $mask) -> $mask {
            isa!($or(a, b))
        }
        #[inlined]
        fn mask_not(a: $mask) -> $mask {
            isa!($xor(a, Self::mask_splat(true)))
        }
        #[inlined]
        fn mask_any(a: $mask) -> bool {
            isa!($movemask(a)) != 0
        }
        #[inlined]
        fn mask_to_bits(a: $mask) -> u64 {
            isa!($movemask(a)) as u64
        }
        #[inlined]
        fn mask_from_bits(a: u64) -> $mask {
            let mut lanes = [0.0; Self::WIDTH];
            for i in 0..Self::WIDTH {
                lanes[i] = if (a >> i) & 1 != 0 { $lanes } else { 0.0 };
            }
            // SAFETY: a register consists of its lanes, in order, and any bits are a mask.
            unsafe { core::mem::transmute::<[_; Self::WIDTH], $mask>(lanes) }
        }
    };
}

avx512! { vector
    /// Eight `f64` in one AVX-512 register.
    F64x8: __m512d, f64, 8, bits: __m512i, i64,
    splat _mm512_set1_pd, add _mm512_add_pd, sub _mm512_sub_pd, mul _mm512_mul_pd,
    div _mm512_div_pd, fma _mm512_fmadd_pd, fnma _mm512_fnmadd_pd, sqrt _mm512_sqrt_pd, min _mm512_min_pd,
    max _mm512_max_pd, round _mm512_roundscale_pd, cast _mm512_castpd_si512 _mm512_castsi512_pd,
    bits_splat _mm512_set1_epi64, bits_add _mm512_add_epi64, bits_sub _mm512_sub_epi64,
    and _mm512_and_si512, or _mm512_or_si512, xor _mm512_xor_si512,
    sll _mm512_sll_epi64, srl _mm512_srl_epi64,
    long _mm512_set1_epi64 _mm512_mul_epu32 _mm512_sll_epi64 _mm512_srl_epi64,
    register __mmask8, compare _mm512_cmp_pd_mask, blend _mm512_mask_blend_pd,
    bits_equals _mm512_cmpeq_epu64_mask, bits_less _mm512_cmplt_epu64_mask,
    bits_blend _mm512_mask_blend_epi64
}

avx512! { vector
    /// Sixteen `f32` in one AVX-512 register.
    F32x16: __m512, f32, 16, bits: __m512i, i32,
    splat _mm512_set1_ps, add _mm512_add_ps, sub _mm512_sub_ps, mul _mm512_mul_ps,
    div _mm512_div_ps, fma _mm512_fmadd_ps, fnma _mm512_fnmadd_ps, sqrt _mm512_sqrt_ps, min _mm512_min_ps,
    max _mm512_max_ps, round _mm512_roundscale_ps, cast _mm512_castps_si512 _mm512_castsi512_ps,
    bits_splat _mm512_set1_epi32, bits_add _mm512_add_epi32, bits_sub _mm512_sub_epi32,
    and _mm512_and_si512, or _mm512_or_si512, xor _mm512_xor_si512,
    sll _mm512_sll_epi32, srl _mm512_srl_epi32,
    long _mm512_set1_epi64 _mm512_mul_epu32 _mm512_sll_epi64 _mm512_srl_epi64,
    register __mmask16, compare _mm512_cmp_ps_mask, blend _mm512_mask_blend_ps,
    bits_equals _mm512_cmpeq_epu32_mask, bits_less _mm512_cmplt_epu32_mask,
    bits_blend _mm512_mask_blend_epi32
}

avx2! { vector
    /// Four `f64` in one AVX2 register.
    F64x4: __m256d, f64, 4, bits: __m256i, i64,
    splat _mm256_set1_pd, add _mm256_add_pd, sub _mm256_sub_pd, mul _mm256_mul_pd,
    div _mm256_div_pd, fma _mm256_fmadd_pd, fnma _mm256_fnmadd_pd, sqrt _mm256_sqrt_pd, min _mm256_min_pd,
    max _mm256_max_pd, round _mm256_round_pd, cast _mm256_castpd_si256 _mm256_castsi256_pd,
    bits_splat _mm256_set1_epi64x, bits_add _mm256_add_epi64, bits_sub _mm256_sub_epi64,
    and _mm256_and_si256, or _mm256_or_si256, xor _mm256_xor_si256,
    sll _mm256_sll_epi64, srl _mm256_srl_epi64,
    long _mm256_set1_epi64x _mm256_mul_epu32 _mm256_sll_epi64 _mm256_srl_epi64,
    vector __m256d, compare _mm256_cmp_pd, blend _mm256_blendv_pd,
    and _mm256_and_pd, or _mm256_or_pd, xor _mm256_xor_pd, movemask _mm256_movemask_pd,
    to_mask _mm256_castsi256_pd, bits_equals _mm256_cmpeq_epi64,
    bits_greater _mm256_cmpgt_epi64, lanes f64::from_bits(u64::MAX)
}

avx2! { vector
    /// Eight `f32` in one AVX2 register.
    F32x8: __m256, f32, 8, bits: __m256i, i32,
    splat _mm256_set1_ps, add _mm256_add_ps, sub _mm256_sub_ps, mul _mm256_mul_ps,
    div _mm256_div_ps, fma _mm256_fmadd_ps, fnma _mm256_fnmadd_ps, sqrt _mm256_sqrt_ps, min _mm256_min_ps,
    max _mm256_max_ps, round _mm256_round_ps, cast _mm256_castps_si256 _mm256_castsi256_ps,
    bits_splat _mm256_set1_epi32, bits_add _mm256_add_epi32, bits_sub _mm256_sub_epi32,
    and _mm256_and_si256, or _mm256_or_si256, xor _mm256_xor_si256,
    sll _mm256_sll_epi32, srl _mm256_srl_epi32,
    long _mm256_set1_epi64x _mm256_mul_epu32 _mm256_sll_epi64 _mm256_srl_epi64,
    vector __m256, compare _mm256_cmp_ps, blend _mm256_blendv_ps,
    and _mm256_and_ps, or _mm256_or_ps, xor _mm256_xor_ps, movemask _mm256_movemask_ps,
    to_mask _mm256_castsi256_ps, bits_equals _mm256_cmpeq_epi32,
    bits_greater _mm256_cmpgt_epi32, lanes f32::from_bits(u32::MAX)
}

avx2! { vector
    /// Four `f32`: the controller's numbers beside [`F64x4`].
    F32x4: __m128, f32, 4, bits: __m128i, i32,
    splat _mm_set1_ps, add _mm_add_ps, sub _mm_sub_ps, mul _mm_mul_ps,
    div _mm_div_ps, fma _mm_fmadd_ps, fnma _mm_fnmadd_ps, sqrt _mm_sqrt_ps, min _mm_min_ps,
    max _mm_max_ps, round _mm_round_ps, cast _mm_castps_si128 _mm_castsi128_ps,
    bits_splat _mm_set1_epi32, bits_add _mm_add_epi32, bits_sub _mm_sub_epi32,
    and _mm_and_si128, or _mm_or_si128, xor _mm_xor_si128,
    sll _mm_sll_epi32, srl _mm_srl_epi32,
    long _mm_set1_epi64x _mm_mul_epu32 _mm_sll_epi64 _mm_srl_epi64,
    vector __m128, compare _mm_cmp_ps, blend _mm_blendv_ps,
    and _mm_and_ps, or _mm_or_ps, xor _mm_xor_ps, movemask _mm_movemask_ps,
    to_mask _mm_castsi128_ps, bits_equals _mm_cmpeq_epi32,
    bits_greater _mm_cmpgt_epi32, lanes f32::from_bits(u32::MAX)
}

/// Declares single-precision lanes as their own singles.
macro_rules! own_single {
    ($type:ty, |$x:ident| $to_single:expr, |$y:ident| $from_single:expr) => {
        impl WithSingle for Lanes<$type> {
            type Mask = LaneMask<$type>;
            type Single = Self;
            #[inlined]
            fn bits_to_single(self) -> Self {
                let $x = self.0;
                Lanes($to_single)
            }
            #[inlined]
            fn single_to_bits(value: Self) -> Self {
                let $y = value.0;
                Lanes($from_single)
            }
            #[inlined]
            fn to_single(self) -> Self {
                self
            }
            #[inlined]
            fn from_single(value: Self) -> Self {
                value
            }
            #[inlined]
            fn single_mask(mask: Self::Mask) -> Self::Mask {
                mask
            }
        }
    };
}

/// Declares the conversions between numbers and their bits as integers, in single precision.
macro_rules! conversions {
    ($vector:ident, $to_single:ident, $to_int:ident) => {
        impl $vector {
            #[inlined]
            fn convert_bits(self) -> Self {
                $vector(isa!($to_single(self.to_bits())))
            }
            #[inlined]
            fn convert_to_bits(self) -> Self {
                $vector::from_bits(isa!($to_int(self.0)))
            }
        }
        own_single!($vector, |x| x.convert_bits(), |x| x.convert_to_bits());
        own_single!(Two<$vector>, |x| Two(x.0.convert_bits(), x.1.convert_bits()), |x| Two(
            x.0.convert_to_bits(),
            x.1.convert_to_bits()
        ));
    };
}
conversions!(F32x16, _mm512_cvtepi32_ps, _mm512_cvttps_epi32);
conversions!(F32x8, _mm256_cvtepi32_ps, _mm256_cvttps_epi32);
conversions!(F32x4, _mm_cvtepi32_ps, _mm_cvttps_epi32);

impl WithSingle for Lanes<Two<F64x8>> {
    type Mask = LaneMask<Two<F64x8>>;
    type Single = Lanes<F32x16>;
    #[inlined]
    fn bits_to_single(self) -> Self::Single {
        // The odd 32-bit words of both registers, in order.
        let high = isa!(_mm512_permutex2var_epi32(
            self.0.0.to_bits(),
            _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31),
            self.0.1.to_bits(),
        ));
        Lanes(F32x16(isa!(_mm512_cvtepi32_ps(high))))
    }
    #[inlined]
    fn single_to_bits(value: Self::Single) -> Self {
        let words = isa!(_mm512_cvttps_epi32(value.0.0));
        let (low, high) =
            isa!((_mm512_castsi512_si256(words), _mm512_extracti64x4_epi64::<1>(words)));
        let top = |w| isa!(_mm512_castsi512_pd(_mm512_slli_epi64::<32>(_mm512_cvtepu32_epi64(w))));
        Lanes(Two(F64x8(top(low)), F64x8(top(high))))
    }
    #[inlined]
    fn to_single(self) -> Self::Single {
        let (low, high) = isa!((_mm512_cvtpd_ps(self.0.0.0), _mm512_cvtpd_ps(self.0.1.0)));
        Lanes(F32x16(isa!(_mm512_insertf32x8::<1>(_mm512_castps256_ps512(low), high))))
    }
    #[inlined]
    fn from_single(value: Self::Single) -> Self {
        let all = value.0.0;
        let (low, high) = isa!((_mm512_castps512_ps256(all), _mm512_extractf32x8_ps::<1>(all)));
        Lanes(Two(F64x8(isa!(_mm512_cvtps_pd(low))), F64x8(isa!(_mm512_cvtps_pd(high)))))
    }
    #[inlined]
    fn single_mask(mask: Self::Mask) -> LaneMask<F32x16> {
        LaneMask(isa!(_mm512_kunpackb(mask.0.1 as u16, mask.0.0 as u16)))
    }
}

impl WithSingle for Lanes<F64x8> {
    type Mask = LaneMask<F64x8>;
    type Single = Lanes<F32x8>;
    #[inlined]
    fn bits_to_single(self) -> Self::Single {
        let high = F64x8::bits_shr::<32>(self.0.to_bits());
        Lanes(F32x8(isa!(_mm256_cvtepi32_ps(_mm512_cvtepi64_epi32(high)))))
    }
    #[inlined]
    fn single_to_bits(value: Self::Single) -> Self {
        let words = isa!(_mm512_cvtepu32_epi64(_mm256_cvttps_epi32(value.0.0)));
        Lanes(F64x8::from_bits(F64x8::bits_shl::<32>(words)))
    }
    #[inlined]
    fn to_single(self) -> Self::Single {
        Lanes(F32x8(isa!(_mm512_cvtpd_ps(self.0.0))))
    }
    #[inlined]
    fn from_single(value: Self::Single) -> Self {
        Lanes(F64x8(isa!(_mm512_cvtps_pd(value.0.0))))
    }
    #[inlined]
    fn single_mask(mask: Self::Mask) -> LaneMask<F32x8> {
        LaneMask(isa!(_mm256_castsi256_ps(_mm256_movm_epi32(mask.0))))
    }
}

/// Returns the upper halves of the four 64-bit words.
#[inlined]
fn high_words(x: F64x4) -> __m128i {
    isa!({
        let low = _mm256_castsi256_si128(x.to_bits());
        let high = _mm256_extracti128_si256::<1>(x.to_bits());
        let odd = _mm_shuffle_ps::<0b11_01_11_01>(_mm_castsi128_ps(low), _mm_castsi128_ps(high));
        _mm_castps_si128(odd)
    })
}

/// Returns the lower halves of four 64-bit masks.
#[inlined]
fn narrow_mask(m: __m256d) -> __m128 {
    isa!({
        let m = _mm256_castpd_ps(m);
        let (low, high) = (_mm256_castps256_ps128(m), _mm256_extractf128_ps::<1>(m));
        _mm_shuffle_ps::<0b10_00_10_00>(low, high)
    })
}

#[inlined]
fn top_words(w: __m128i) -> F64x4 {
    F64x4::from_bits(isa!(_mm256_slli_epi64::<32>(_mm256_cvtepu32_epi64(w))))
}

impl WithSingle for Lanes<Two<F64x4>> {
    type Mask = LaneMask<Two<F64x4>>;
    type Single = Lanes<F32x8>;
    #[inlined]
    fn bits_to_single(self) -> Self::Single {
        let (low, high) = (high_words(self.0.0), high_words(self.0.1));
        Lanes(F32x8(isa!(_mm256_cvtepi32_ps(_mm256_set_m128i(high, low)))))
    }
    #[inlined]
    fn single_to_bits(value: Self::Single) -> Self {
        let words = isa!(_mm256_cvttps_epi32(value.0.0));
        let (low, high) =
            isa!((_mm256_castsi256_si128(words), _mm256_extracti128_si256::<1>(words)));
        Lanes(Two(top_words(low), top_words(high)))
    }
    #[inlined]
    fn to_single(self) -> Self::Single {
        let (low, high) = isa!((_mm256_cvtpd_ps(self.0.0.0), _mm256_cvtpd_ps(self.0.1.0)));
        Lanes(F32x8(isa!(_mm256_set_m128(high, low))))
    }
    #[inlined]
    fn from_single(value: Self::Single) -> Self {
        let all = value.0.0;
        let (low, high) = isa!((_mm256_castps256_ps128(all), _mm256_extractf128_ps::<1>(all)));
        Lanes(Two(F64x4(isa!(_mm256_cvtps_pd(low))), F64x4(isa!(_mm256_cvtps_pd(high)))))
    }
    #[inlined]
    fn single_mask(mask: Self::Mask) -> LaneMask<F32x8> {
        let (low, high) = (narrow_mask(mask.0.0), narrow_mask(mask.0.1));
        LaneMask(isa!(_mm256_set_m128(high, low)))
    }
}

impl WithSingle for Lanes<F64x4> {
    type Mask = LaneMask<F64x4>;
    type Single = Lanes<F32x4>;
    #[inlined]
    fn bits_to_single(self) -> Self::Single {
        Lanes(F32x4(isa!(_mm_cvtepi32_ps(high_words(self.0)))))
    }
    #[inlined]
    fn single_to_bits(value: Self::Single) -> Self {
        Lanes(top_words(isa!(_mm_cvttps_epi32(value.0.0))))
    }
    #[inlined]
    fn to_single(self) -> Self::Single {
        Lanes(F32x4(isa!(_mm256_cvtpd_ps(self.0.0))))
    }
    #[inlined]
    fn from_single(value: Self::Single) -> Self {
        Lanes(F64x4(isa!(_mm256_cvtps_pd(value.0.0))))
    }
    #[inlined]
    fn single_mask(mask: Self::Mask) -> LaneMask<F32x4> {
        LaneMask(narrow_mask(mask.0))
    }
}
