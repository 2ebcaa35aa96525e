//! Linear systems that one kernel solves, against the host.

use super::gpu;
use super::same::assert_same;
use odes::arrays::{Array, ArrayCpu, ArrayProblem, ArraySolution, Linear, Number, Tabulated};
use odes::methods::{Bs3, Dop853, Euler, Rk4};
use odes::prelude::*;
use odes::{Controller, StepSize};
use odes_skipped::needs;

/// Returns a problem of `n` numbers that oscillate and decay.
fn problem<T: Number>(n: usize, (t0, t1): (f64, f64)) -> ArrayProblem<Linear, T> {
    let a = Array::matrix(n, n, |row, column| {
        let part = ((row * 31 + column * 17) as f64).sin() / n as f64;
        T::narrow(2.0 * part - f64::from(row == column))
    });
    let u0 = (0..n).map(|i| T::narrow(1.0 + (i as f64).cos())).collect::<Vec<_>>();
    Linear::problem(a, Array::vector(u0), T::narrow(t0)..=T::narrow(t1)).unwrap()
}

/// Returns the solutions on the host and on the device.
fn both<T: Number, M: Tabulated>(
    method: M,
    problem: &ArrayProblem<Linear, T>,
    options: &SolveOptions,
) -> Option<[ArraySolution<T>; 2]> {
    let expected = problem.solve(method, ArrayCpu::new(), options).unwrap();
    Some([expected, problem.solve(method, gpu()?, options).unwrap()])
}

/// Compares the solutions of systems of several sizes.
///
/// One number has the host's bits. Several numbers are solved to the tolerance, and agree closely
/// if the steps are the same; products with other last digits may cause one step more.
fn same<T: Number, M: Tabulated>(method: M, options: &SolveOptions) {
    // Fixed and first steps point forwards.
    let backwards = matches!(options.step, StepSize::Adaptive).then_some((1.0, -2.0));
    for span in [(0.0, 3.0)].into_iter().chain(backwards) {
        let Some([expected, found]) = both(method, &problem::<T>(1, span), options) else { return };
        assert!(expected.counts().accepted > 2);
        assert_same(&expected, &found);
        for n in [3, 40, 200] {
            let problem = problem::<T>(n, span);
            let Some([expected, found]) = both(method, &problem, options) else { return };
            let steps = [&expected, &found].map(|solution| solution.counts().accepted);
            assert!(steps[0].abs_diff(steps[1]) <= 2, "{n} {steps:?}");
            assert_eq!(expected.code(), found.code(), "{n}");
            let alike = expected.counts() == found.counts();
            let most = if alike { 1e4 * T::epsilon().widen() } else { 1e-3 };
            let mut pairs = vec![(expected.final_state(), found.final_state())];
            if expected.times() == found.times() {
                let states = expected.states().iter().zip(found.states());
                pairs.extend(states.map(|(expected, found)| (&expected[..], &found[..])));
            } else {
                assert!(!alike, "{n}");
            }
            for (expected, found) in pairs {
                for (expected, found) in expected.iter().zip(found) {
                    let size = expected.widen().abs().max(1.0);
                    assert!((expected.widen() - found.widen()).abs() < most * size, "{n}");
                }
            }
        }
    }
}

/// Saved times by methods of all kinds.
///
/// The methods differ in the reuse of the last slope, in stages for the interpolant and in the
/// number of error estimates.
#[needs(gpu)]
#[test]
fn methods() {
    let options = SolveOptions::default().tolerance(1e-4).saveat(0.25);
    same::<f64, _>(Tsit5, &options);
    same::<f32, _>(Tsit5, &options);
    same::<f64, _>(Bs3, &options);
    same::<f64, _>(Vern7, &options);
    same::<f64, _>(Dop853, &options);
    same::<f64, _>(Euler, &SolveOptions::default().fixed_step(0.0625).saveat(0.1));
    same::<f64, _>(Rk4, &SolveOptions::default().fixed_step(0.1));
}

#[needs(gpu)]
#[test]
fn options() {
    let own = SolveOptions::default().tolerance(1e-6);
    for options in [
        own.clone().tstops([0.5, 0.75]).saveat(0.25),
        own.clone().first_step(0.01).dtmax(0.1),
        own.clone().max_steps(4).saveat(0.01),
        own.clone().controller(Controller::i()),
        own.clone().saveat(SaveAt::Steps),
        own.dtmin(1e-9).reltol(1e-3),
    ] {
        same::<f64, _>(Tsit5, &options);
    }
    // Tolerances of each number; the smallest one is in the middle.
    let problem = problem::<f64>(3, (0.0, 3.0));
    let own = SolveOptions::default().reltol(1e-12);
    let accepted = |options: &SolveOptions| {
        let solutions = both(Tsit5, &problem, options)?;
        Some(solutions.map(|solution| solution.counts().accepted))
    };
    let Some([expected, found]) = accepted(&own.clone().abstol([1e-3, 1e-9, 1e-3])) else { return };
    let Some([_, loose]) = accepted(&own.clone().abstol(1e-3)) else { return };
    let Some([_, tight]) = accepted(&own.abstol(1e-9)) else { return };
    assert!(expected.abs_diff(found) <= 2 && 2 * loose < found && found < tight);
}

/// Numbers that overflow end both solves in the same way.
#[needs(gpu)]
#[test]
fn what_has_no_solution() {
    let a = Array::matrix(2, 2, |row, column| if row == column { 3e38f32 } else { 1.0 });
    let problem = Linear::problem(a, Array::vector([1e30f32, 1.0]), 0.0..=1.0).unwrap();
    for options in [SolveOptions::default().saveat(0.1), SolveOptions::default().fixed_step(0.1)] {
        let Some([expected, found]) = both(Tsit5, &problem, &options) else { return };
        assert!(!expected.code().is_success());
        assert_eq!((expected.code(), expected.counts()), (found.code(), found.counts()));
        assert_eq!(expected.states().len(), found.states().len());
    }
}

/// A matrix stays on the device, and its problem is solved twice.
#[needs(gpu)]
#[test]
fn arrays_that_stay() {
    let Some(gpu) = gpu() else { return };
    let problem = problem::<f64>(40, (0.0, 3.0));
    let options = SolveOptions::default().tolerance(1e-6);
    let expected = problem.solve(Tsit5, &gpu, &options).unwrap();
    let (a, u0) = (gpu.array(&problem.p[0]).unwrap(), gpu.array(&problem.u0).unwrap());
    let stays = Linear::problem(a, u0, 0.0..=3.0).unwrap();
    for _ in 0..2 {
        assert_same(&expected, &stays.solve(Tsit5, &gpu, &options).unwrap());
    }
    assert!(problem.solve(Tsit5, ArrayCpu::new(), &options).unwrap().code().is_success());
    assert!(stays.solve(Tsit5, ArrayCpu::new(), &options).unwrap().code().is_success());
}

/// All tests above on simulated devices.
///
/// One device has two blocks for 200 rows, and the other cannot start all blocks at once.
#[cfg(target_os = "linux")]
#[needs(cpp)]
#[test]
fn on_a_simulated_device() {
    let tests = ["methods", "options", "what_has_no_solution", "arrays_that_stay"];
    let tests = tests.map(|test| format!("large::linear::{test}"));
    crate::driver::run(&tests.each_ref().map(String::as_str), &[]);
    crate::driver::run(&["large::linear::options"], &[("SIMULATED_COOPERATIVE", "0")]);
}
