//! The peak of a core, measured with fused multiply-adds on registers.

use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

use odes::backend::InstructionSet;

/// The number of independent chains: enough for two units of latency four, and few enough for 16
/// registers.
const CHAINS: u64 = 12;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{CHAINS, black_box};
    use core::arch::x86_64::*;

    macro_rules! chains {
        ($name:ident, $features:literal, $set:ident, $fma:ident) => {
            #[target_feature(enable = $features)]
            pub(super) fn $name(rounds: u64) {
                let factor = $set(black_box(0.999_9));
                let term = $set(black_box(1e-4));
                let mut x = [$set(black_box(1.0)); CHAINS as usize];
                for _ in 0..rounds {
                    for chain in &mut x {
                        *chain = $fma(*chain, factor, term);
                    }
                }
                black_box(x);
            }
        };
    }
    chains!(avx2_f32, "avx2,fma", _mm256_set1_ps, _mm256_fmadd_ps);
    chains!(avx2_f64, "avx2,fma", _mm256_set1_pd, _mm256_fmadd_pd);
    chains!(avx512_f32, "avx512f", _mm512_set1_ps, _mm512_fmadd_ps);
    chains!(avx512_f64, "avx512f", _mm512_set1_pd, _mm512_fmadd_pd);
}

/// Runs the chains the given number of times and returns the number of operations.
///
/// Returns 0 if the instruction set is not available or has no fused multiply-add.
fn chains(instructions: InstructionSet, double: bool, rounds: u64) -> f64 {
    #[cfg(target_arch = "x86_64")]
    if instructions.is_available() {
        let (run, lanes): (unsafe fn(u64), u64) = match (instructions, double) {
            (InstructionSet::Avx2, false) => (x86::avx2_f32, 8),
            (InstructionSet::Avx2, true) => (x86::avx2_f64, 4),
            (InstructionSet::Avx512, false) => (x86::avx512_f32, 16),
            (InstructionSet::Avx512, true) => (x86::avx512_f64, 8),
            _ => return 0.0,
        };
        // SAFETY: the line above tested that the machine has the instruction set.
        unsafe { run(rounds) };
        return (2 * CHAINS * lanes * rounds) as f64;
    }
    let _ = (instructions, double, rounds);
    0.0
}

/// Returns the operations per second of `threads` threads together: the best of a few short runs.
///
/// `double`: whether the numbers are of double precision.
pub(crate) fn flops(instructions: InstructionSet, double: bool, threads: usize) -> f64 {
    const ROUNDS: u64 = 4_000_000;
    let barrier = Barrier::new(threads);
    let once = || {
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads)
                .map(|_| {
                    scope.spawn(|| {
                        chains(instructions, double, ROUNDS / 10);
                        barrier.wait();
                        let begin = Instant::now();
                        let operations = chains(instructions, double, ROUNDS);
                        operations / begin.elapsed().as_secs_f64()
                    })
                })
                .collect();
            workers.into_iter().filter_map(|w| w.join().ok()).sum::<f64>()
        })
    };
    (0..5).map(|_| once()).fold(0.0, f64::max)
}
