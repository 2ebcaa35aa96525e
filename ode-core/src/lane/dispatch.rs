//! Run-time selection of the instruction set of a lane program.
//!
//! A [`LaneProgram`] is generic over [`Real`](crate::lane::Real). [`run`] instantiates it in a
//! function that is compiled for an instruction set (`#[target_feature]`) and selected at run time,
//! so a plain `cargo build --release` is fast on any machine. All code between that entry point and
//! the arithmetic is `#[inline(always)]`, or called by
//! [`Real::outline`](crate::lane::Real::outline). Any other call would be compiled for the
//! baseline, in which intrinsics are calls, too.

pub use super::real::{LaneProgram, SimdFamily};
#[cfg(target_arch = "x86_64")]
use crate::lane::entry::{align_stack, with_fma};
#[cfg(target_arch = "x86_64")]
use crate::lane::{Fused, Two};
use crate::lane::{Lanes, Portable, Scalar};

/// The instruction sets that lanes are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum InstructionSet {
    /// The instructions of every machine of the target.
    ///
    /// If these lack fused multiply-add (x86-64), the bits are the same but the solve is slow, since
    /// each product is a call. It is so even if the machine has the instruction.
    Baseline,
    /// x86-64 with AVX2 and FMA (2013 and later).
    Avx2,
    /// x86-64 with AVX-512 F, DQ, VL and BW.
    Avx512,
}

impl InstructionSet {
    /// Returns the instruction sets that are available, slowest first.
    ///
    /// This machine has them, and this library is compiled for them (the features `avx2` and
    /// `avx512`).
    #[must_use]
    pub fn available() -> Vec<InstructionSet> {
        use InstructionSet::{Avx2, Avx512, Baseline};
        [Baseline, Avx2, Avx512].into_iter().filter(|set| set.is_available()).collect()
    }

    /// Returns the fastest of the [available](InstructionSet::available) instruction sets.
    #[must_use]
    pub fn best() -> InstructionSet {
        Self::available().into_iter().max().unwrap_or(InstructionSet::Baseline)
    }

    /// Returns whether this machine has the instruction set and this library is compiled for it.
    #[must_use]
    pub fn is_available(self) -> bool {
        let compiled = match self {
            InstructionSet::Baseline => true,
            InstructionSet::Avx2 => cfg!(feature = "avx2"),
            InstructionSet::Avx512 => cfg!(feature = "avx512"),
        };
        compiled && self <= Self::of_machine()
    }

    /// Returns the largest instruction set of this machine, which contains the smaller ones.
    fn of_machine() -> InstructionSet {
        #[cfg(target_arch = "x86_64")]
        {
            static OF_MACHINE: std::sync::OnceLock<InstructionSet> = std::sync::OnceLock::new();
            *OF_MACHINE.get_or_init(|| match (avx2!(detected), avx512!(detected)) {
                (_, true) => InstructionSet::Avx512,
                (true, false) => InstructionSet::Avx2,
                (false, false) => InstructionSet::Baseline,
            })
        }
        #[cfg(not(target_arch = "x86_64"))]
        InstructionSet::Baseline
    }
}

/// Returns the number of vectors per number for a system of `n` equations.
///
/// Two vectors hide the latency of the arithmetic, as long as the state, its stages and the
/// intermediate results fit into the registers.
#[must_use]
pub const fn vectors(n: usize) -> usize {
    if n <= 4 { 2 } else { 1 }
}

/// Runs `program` in one lane, with FMA if the machine has it.
pub fn run_scalar<T: Scalar, P: LaneProgram<T>>(program: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    if !cfg!(target_feature = "fma") && InstructionSet::of_machine() >= InstructionSet::Avx2 {
        // SAFETY: `of_machine` has found the features of the entry point.
        return unsafe {
            with_fma(
                #[inline(always)]
                || program.run::<Fused<T>>(),
            )
        };
    }
    program.run::<T>()
}

/// Runs `program` in the lanes of `isa`.
///
/// If this machine lacks the instruction set, the baseline replaces it and gives the same bits.
pub fn run<T: Scalar, P: LaneProgram<T>>(isa: InstructionSet, program: P) -> P::Output {
    #[cfg(target_arch = "x86_64")]
    {
        match if isa.is_available() { isa } else { InstructionSet::Baseline } {
            // Without FMA arrays gain nothing: their products are library calls. Machines with FMA
            // have AVX2, so a copy of the program for one lane with FMA would never run.
            #[cfg(feature = "avx2")]
            InstructionSet::Baseline => program.run::<T>(),
            #[cfg(not(feature = "avx2"))]
            InstructionSet::Baseline => run_scalar(program),
            #[cfg(feature = "avx2")]
            // SAFETY: `is_available` has found the features of the entry point.
            InstructionSet::Avx2 => unsafe { T::Simd::avx2(program) },
            #[cfg(feature = "avx512")]
            // SAFETY: `is_available` has found the features of the entry point.
            InstructionSet::Avx512 => unsafe { T::Simd::avx512(program) },
            // Instruction sets that are not compiled are never available.
            #[cfg(not(all(feature = "avx2", feature = "avx512")))]
            _ => run_scalar(program),
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = isa;
        T::Simd::portable(program)
    }
}

/// The vectors of one precision.
#[derive(Clone, Copy, Debug)]
pub struct Family<T>(core::marker::PhantomData<T>);

impl<T> crate::sealed::Sealed for Family<T> {}

macro_rules! family {
    ($scalar:ident, $portable:literal, $avx2:ident, $avx512:ident) => {
        impl SimdFamily<$scalar> for Family<$scalar> {
            fn portable<P: LaneProgram<$scalar>>(program: P) -> P::Output {
                program.run::<Lanes<Portable<$scalar, $portable>>>()
            }
            #[cfg(target_arch = "x86_64")]
            avx2! { family_entry avx2: $scalar, $avx2 }
            #[cfg(target_arch = "x86_64")]
            avx512! { family_entry avx512: $scalar, $avx512 }
        }
    };
}

#[cfg(target_arch = "x86_64")]
macro_rules! family_entry {
    ([$($feature:tt)*] $name:ident: $scalar:ident, $vector:ident) => {
        #[target_feature($(enable = $feature),*)]
        unsafe fn $name<P: LaneProgram<$scalar>>(program: P) -> P::Output {
            use crate::lane::x86::$vector;
            align_stack();
            // A constant condition: the branch that never runs is not compiled.
            if const { P::VECTORS > 1 } {
                program.run::<Lanes<Two<$vector>>>()
            } else {
                program.run::<Lanes<$vector>>()
            }
        }
    };
}
family!(f32, 8, F32x8, F32x16);
family!(f64, 4, F64x4, F64x8);
