//! One arithmetic: every way to run an ensemble gives the same bits.

use crate::everywhere::{fused, same_on_lanes};
use crate::workloads::*;
use odes::Vern7;
use odes::backend::{InstructionSet, Schedule};
use odes::lane::Scalar;
use odes::methods::{Bs3, Dop853, Method};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;

/// Asserts equal bits with all instruction sets with FMA, and any number of threads, batch and
/// schedule.
fn same_on_all_lanes<M, S, T, F, const N: usize, const P: usize>(
    method: M,
    ensemble: EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
) where
    M: Method,
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    let reference = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert!(reference.all_succeeded(), "{:?}", reference.code_counts());
    let cuts = [(1, 977, Schedule::Auto), (2, 64, Schedule::Static), (3, 5000, Schedule::Refill)];
    same_on_lanes(method, &ensemble, &reference, options, (&fused(), &cuts));
}

#[test]
fn lorenz_sweeps() {
    let adaptive = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let fixed = SolveOptions::default().fixed_step(0.01);
    for options in [adaptive, fixed] {
        same_on_all_lanes(
            Tsit5,
            lorenz_sweep::<f64>(many(10_000), 10.0),
            &options.clone().saveat(1.0),
        );
        same_on_all_lanes(Tsit5, lorenz_sweep::<f32>(many(10_000), 10.0), &options.saveat(1.0));
    }
}

/// Methods of several kinds.
///
/// They have one error estimate or two, reuse their last stage or not, and have stages for the
/// interpolant or not.
#[test]
fn other_methods() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).saveat(1.0);
    same_on_all_lanes(Bs3, lorenz_sweep::<f64>(many(2000), 5.0), &options);
    same_on_all_lanes(Bs3, lorenz_sweep::<f32>(many(2000), 5.0), &options);
    same_on_all_lanes(Vern7, lorenz_sweep::<f64>(many(2000), 5.0), &options);
    same_on_all_lanes(Vern7, lorenz_sweep::<f32>(many(2000), 5.0), &options);
    same_on_all_lanes(Dop853, lorenz_sweep::<f64>(many(2000), 5.0), &options);
    same_on_all_lanes(Dop853, lorenz_sweep::<f32>(many(2000), 5.0), &options);
}

#[test]
fn van_der_pol_in_random_order() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5);
    same_on_all_lanes(Tsit5, van_der_pol_sweep::<f64>(many(2000)), &options);
}

#[test]
fn elementary_functions() {
    let options = SolveOptions::default().abstol(1e-7).reltol(1e-7).saveat(0.5);
    same_on_all_lanes(Tsit5, transcendental_sweep::<f64>(many(2000)), &options);
}

/// Without FMA in hardware the bits are the same, and the solve is slow.
#[test]
fn baseline() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let ensemble = lorenz_sweep::<f64>(20, 10.0);
    let reference = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let place = EnsembleThreads::new().instructions(InstructionSet::Baseline);
    assert_same_bits(&reference, &ensemble.solve(Tsit5, place, &options).unwrap());
}

/// A trajectory that ends early keeps its state while its lane waits for others.
#[test]
fn trajectories_that_are_given_up() {
    let too_few = SolveOptions::default().abstol(1e-6).reltol(1e-6).max_steps(300);
    let too_large = SolveOptions::default().abstol(1e-6).reltol(1e-6).dtmin(2e-2);
    for (options, code) in [(too_few, ReturnCode::MaxSteps), (too_large, ReturnCode::DtMin)] {
        let ensemble = lorenz_sweep::<f64>(1000, 10.0);
        let reference = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        assert!(reference.codes().any(|c| c == code), "{:?}", reference.code_counts());
        let place = EnsembleThreads::new().schedule(Schedule::Refill);
        assert_same_bits(&reference, &ensemble.solve(Tsit5, place, &options).unwrap());
    }
}

/// A trajectory that fails does not affect its neighbours in the lanes.
#[test]
fn failures_harm_nobody() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0);
    let n = 1000;
    let healthy = lorenz_sweep::<f64>(n, 10.0);
    let reference = healthy.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let broken = |i: usize| i % 10 == 3;
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]);
    let some = EnsembleProblem::new(problem).trajectories(n).vary(|q, i| {
        let q = q.with_p(reference.trajectory(i).p());
        match i % 30 {
            3 => q.with_u0([f64::NAN, 0.0, 0.0]),
            13 => q.with_u0([1e200, 1e200, 1.0]),
            23 => q.with_p([f64::INFINITY, 1.0, 1.0]),
            _ => q,
        }
    });
    for solution in [
        some.solve(Tsit5, EnsembleSerial, &options).unwrap(),
        some.solve(Tsit5, EnsembleThreads::new(), &options).unwrap(),
    ] {
        for i in 0..n {
            if broken(i) {
                assert_eq!(solution.code(i), ReturnCode::NonFinite, "trajectory {i}");
                assert!(solution.trajectory(i).len() < 11);
            } else {
                assert_eq!(solution.code(i), ReturnCode::Success);
                assert_eq!(solution.final_state(i), reference.final_state(i), "trajectory {i}");
                assert_eq!(solution.accepted(i), reference.accepted(i));
            }
        }
    }
}
