//! From a lane program to the instructions of this machine.
//!
//! A [`Program`] is generic over [`Real`]; [`run`] instantiates it inside a function that is
//! compiled for an instruction set (`#[target_feature]`) and chosen at run time, so that a plain
//! `cargo build --release` is fast on any machine. Everything between that entry point and the
//! arithmetic is `#[inline(always)]`: a call that is not inlined would be compiled for the baseline
//! and pass its vectors through memory.

use crate::lane::{Lanes, Portable, Real, Scalar, Two};

/// The instruction sets that lanes are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InstructionSet {
    /// What every machine of the target has. Without fused multiply-add in hardware (x86-64) it
    /// gives the same bits, slowly.
    Baseline,
    /// x86-64 with AVX2 and FMA (2013 and later).
    Avx2,
    /// x86-64 with AVX-512 F, DQ, VL and BW.
    Avx512,
}

impl InstructionSet {
    /// Those that this machine has, slowest first.
    #[must_use]
    pub fn available() -> Vec<InstructionSet> {
        #[allow(unused_mut)]
        let mut all = vec![InstructionSet::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(InstructionSet::Avx2);
                let avx512 = is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw");
                if avx512 {
                    all.push(InstructionSet::Avx512);
                }
            }
        }
        all
    }

    /// The best one of this machine.
    #[must_use]
    pub fn best() -> InstructionSet {
        static BEST: std::sync::OnceLock<InstructionSet> = std::sync::OnceLock::new();
        *BEST
            .get_or_init(|| Self::available().into_iter().max().unwrap_or(InstructionSet::Baseline))
    }

    /// Whether this machine has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        Self::available().contains(&self)
    }
}

/// Something to compute in lanes of precision `T`.
pub trait Program<T: Scalar> {
    /// What it gives.
    type Output;
    /// How many vectors one number should be made of (see [`vectors`]); 1 or 2.
    const VECTORS: usize;
    /// The computation. Implementations are `#[inline(always)]`.
    fn run<R: Real<Scalar = T>>(self) -> Self::Output;
}

/// Vectors per number for a system of `n` equations: two hide the latency of the arithmetic while
/// the state, its stages and the intermediate results still fit the registers.
#[must_use]
pub const fn vectors(n: usize) -> usize {
    if n <= 4 { 2 } else { 1 }
}

/// Runs `program` in one lane, with FMA where the machine has it.
pub fn run_scalar<T: Scalar, P: Program<T>>(program: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    if InstructionSet::Avx2.is_available() {
        // SAFETY: `is_available` has just found the features of the entry point.
        return unsafe { scalar_fma::<T, P>(program) };
    }
    program.run::<T>()
}

/// Runs `program` in the lanes of `isa`. An instruction set that this machine lacks is replaced by
/// the baseline, which gives the same bits.
pub fn run<T: Scalar, P: Program<T>>(isa: InstructionSet, program: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    {
        match if isa.is_available() { isa } else { InstructionSet::Baseline } {
            // Without FMA there is nothing to gain from arrays: their products are library calls.
            InstructionSet::Baseline => program.run::<T>(),
            // SAFETY: `is_available` has just found the features of the entry point.
            InstructionSet::Avx2 => unsafe { T::Simd::avx2(program) },
            // SAFETY: as above.
            InstructionSet::Avx512 => unsafe { T::Simd::avx512(program) },
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = isa;
        T::Simd::portable(program)
    }
}

/// One lane, compiled with FMA: without it a fused multiply-add is a library call.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn scalar_fma<T: Scalar, P: Program<T>>(program: P) -> P::Output {
    program.run::<T>()
}

/// The entry points of one precision. Implemented by [`Family`] only.
pub trait SimdFamily<T: Scalar> {
    /// Arrays.
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

/// The vectors of one precision.
#[derive(Clone, Copy, Debug)]
pub struct Family<T>(core::marker::PhantomData<T>);

/// Something on the stack that must begin a cache line.
#[cfg(target_arch = "x86_64")]
#[repr(align(64))]
struct CacheLine([u8; 64]);

/// Aligns the stack of the function it is inlined into.
///
/// LLVM aligns the stack for local variables, but not for registers that it spills later: where there
/// are only those, every access to one crosses a cache line (measured: up to half the speed).
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn align_stack() {
    // Mutable, or it would be a constant elsewhere.
    let mut line = CacheLine([0; 64]);
    core::hint::black_box(&mut line.0);
}

macro_rules! family {
    ($scalar:ident, $portable:literal, $avx2:ident, $avx512:ident) => {
        impl SimdFamily<$scalar> for Family<$scalar> {
            fn portable<P: Program<$scalar>>(program: P) -> P::Output {
                program.run::<Lanes<Portable<$scalar, $portable>>>()
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
            unsafe fn avx2<P: Program<$scalar>>(program: P) -> P::Output {
                use crate::lane::x86::$avx2;
                align_stack();
                if P::VECTORS > 1 {
                    program.run::<Lanes<Two<$avx2>>>()
                } else {
                    program.run::<Lanes<$avx2>>()
                }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(
                enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
            )]
            unsafe fn avx512<P: Program<$scalar>>(program: P) -> P::Output {
                use crate::lane::x86::$avx512;
                align_stack();
                if P::VECTORS > 1 {
                    program.run::<Lanes<Two<$avx512>>>()
                } else {
                    program.run::<Lanes<$avx512>>()
                }
            }
        }
    };
}
family!(f32, 8, F32x8, F32x16);
family!(f64, 4, F64x4, F64x8);
