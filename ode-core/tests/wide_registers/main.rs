//! The step loop of a SIMD solve computes in full registers, and in nothing else.
//!
//! That lanes give the right bits other tests show, and they would give them from scalars too: an
//! operation that is not inlined, an array where a register should be, or a conversion by lane
//! costs speed only. So this test reads the machine code of its own binary. Nothing of it is
//! executed for that, so AVX-512 is looked at on machines without it.
//!
//! It sees what the profile under test made of the entry points of `ode_core::lane::dispatch`.

// The registers are those of x86-64, and the file read is an ELF file. The workspace's tests inline nothing
// where debug assertions are on, so these run with `--release`.
#![cfg(all(target_arch = "x86_64", target_os = "linux", not(debug_assertions)))]

mod machine_code;
mod probe;

use iced_x86::Instruction;
use machine_code::{Binary, Kind, hot_loop, kind, register_bytes};
use ode_core::lane::Scalar;
use ode_core::lane::dispatch::InstructionSet;
use probe::Solve;
use std::collections::BTreeSet;

/// Fewer arithmetic instructions make no step: Tsit5 on Lorenz takes about 100 for each register
/// with fixed steps and 60 more with adaptive ones, and a number is two registers.
const LEAST_ARITHMETIC: usize = 150;

/// Bytes of a register.
const ZMM: usize = 64;
const YMM: usize = 32;

/// Whether a solve's step loop computes in registers of `bytes` only, with at most `most_moves`
/// instructions that move numbers or truth values between lanes; a summary, or what is wrong.
fn judge(code: &[Instruction], bytes: usize, most_moves: usize) -> Result<String, String> {
    let arithmetic = |i: &Instruction| kind(i) == Kind::Arithmetic;
    let Some(hot) = hot_loop(code, arithmetic, LEAST_ARITHMETIC) else {
        return Err(format!("no loop has {LEAST_ARITHMETIC} packed operations"));
    };
    let all = |wanted: Kind| hot.iter().filter(move |i| kind(i) == wanted);
    let narrow = hot.iter().filter(|i| matches!(kind(i), Kind::Arithmetic | Kind::Vector));
    let narrow: Vec<_> = narrow.filter(|i| register_bytes(i) < bytes).collect();
    let scalar: Vec<_> = all(Kind::Scalar).collect();
    let calls: Vec<_> = all(Kind::Call).collect();
    let moves: Vec<_> = all(Kind::Move).collect();

    let names = |list: &[&Instruction]| {
        let distinct: BTreeSet<_> = list.iter().map(|i| format!("{:?}", i.mnemonic())).collect();
        format!("{} {distinct:?}", list.len())
    };
    let summary = format!(
        "{} instructions, {} arithmetic, calls: {}, scalar: {}, narrow: {}, between lanes: {}",
        hot.len(),
        all(Kind::Arithmetic).count(),
        names(&calls),
        names(&scalar),
        names(&narrow),
        names(&moves)
    );
    let pure = calls.is_empty() && scalar.is_empty() && narrow.is_empty();
    if pure && moves.len() <= most_moves { Ok(summary) } else { Err(summary) }
}

/// Judges both instruction sets, with the moves between lanes that are allowed in each.
fn check<T: Scalar, const ADAPTIVE: bool>(most_avx512: usize, most_avx2: usize) {
    let binary = Binary::of_this_process();
    let [avx2, avx512] = probe::wide_entries::<T, ADAPTIVE>();
    for (isa, entry, bytes, most) in
        [("AVX-512", avx512, ZMM, most_avx512), ("AVX2", avx2, YMM, most_avx2)]
    {
        let what = format!("{isa} {} adaptive {ADAPTIVE}", T::NAME);
        match judge(&binary.function(entry), bytes, most) {
            Ok(summary) => eprintln!("{what}: {summary}"),
            Err(problem) => panic!("{what}: {problem}"),
        }
    }
}

// Comparisons of AVX2 are vectors: whether a lane is in need takes a few instructions that pack
// them. Those of AVX-512 are mask registers.
const PACKED_MASKS: usize = 6;

#[test]
fn fixed_steps_in_double_precision() {
    check::<f64, false>(0, PACKED_MASKS);
}

#[test]
fn fixed_steps_in_single_precision() {
    check::<f32, false>(0, PACKED_MASKS);
}

#[test]
fn adaptive_steps_in_single_precision() {
    check::<f32, true>(0, PACKED_MASKS);
}

/// The controller computes in `f32`, of which one register accompanies two of `f64`: the error
/// goes there from both, and the factor back to both. AVX2 has no permutation of two registers,
/// takes several instructions where AVX-512 takes one, and sends its masks the same way.
#[test]
fn adaptive_steps_in_double_precision() {
    check::<f64, true>(2, 6 + PACKED_MASKS);
}

#[test]
fn other_code_is_refused() {
    let binary = Binary::of_this_process();
    let [avx2, avx512] = probe::wide_entries::<f64, false>();
    let most = usize::MAX;
    assert!(judge(&binary.function(avx2), ZMM, most).is_err(), "AVX2 passes for AVX-512");
    // The arrays of the baseline: their fused operations are calls.
    assert!(judge(&binary.function(probe::array_entry()), YMM, most).is_err(), "arrays pass");
    // The moves of the controller are more than none.
    let [_, adaptive] = probe::wide_entries::<f64, true>();
    assert!(judge(&binary.function(adaptive), ZMM, 0).is_err(), "moves between lanes pass");
    assert!(judge(&binary.function(avx512), ZMM, 0).is_ok());
}

/// The code that is looked at does the work.
#[test]
fn the_probe_solves() {
    fn solve<T: Scalar, const ADAPTIVE: bool>() {
        let reference = ode_core::lane::dispatch::run_scalar(Solve::<T, ADAPTIVE>::new(37));
        assert!(reference.iter().flatten().all(|x| x.is_finite() && *x != T::zero()));
        for isa in InstructionSet::available() {
            let finals = ode_core::lane::dispatch::run(isa, Solve::<T, ADAPTIVE>::new(37));
            assert!(finals == reference, "{isa:?} {} adaptive {ADAPTIVE}", T::NAME);
        }
    }
    solve::<f64, true>();
    solve::<f64, false>();
    solve::<f32, true>();
    solve::<f32, false>();
}
