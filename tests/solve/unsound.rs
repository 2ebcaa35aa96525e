//! Rows that cannot be solved: they affect no other row, and have one return code on all backends.

use crate::everywhere::same_everywhere;
use odes::SaveAt;
use odes::lane::Scalar;
use odes::methods::{Method, Rodas4};
use odes::prelude::*;
use odes::problem::Vary;

/// A dose until `p[1]`; the rate of its removal only compares `p[0]`.
#[ode_system]
fn switched(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    let rate = if p[0] > 1.0 { 2.0 } else { 0.5 };
    let dose = if t < p[1] { 1.0 } else { 0.0 };
    [dose - rate * u[0]]
}

/// Returns ten rows; seven cannot be solved, unless all are `healthy`.
fn rows<T: Scalar>(
    n: usize,
    healthy: bool,
) -> EnsembleProblem<switched, T, impl Vary<switched, T, 1, 2>, 1, 2> {
    let problem = OdeProblem::new(switched, [1.0], 0.0..=2.0, [1.0, 1.0]).cast::<T>();
    let (nan, infinity, most) = (T::narrow(f64::NAN), T::infinity(), T::max_value());
    let zero = T::default();
    EnsembleProblem::new(problem).trajectories(n).vary(
        move |q: OdeProblem<_, T, 1, 2>, i: usize| {
            let share = T::narrow(i as f64 / n as f64);
            let p = [share + share, share + T::narrow(0.25)];
            let q = q.with_p(p);
            match i % 10 {
                _ if healthy => q,
                1 => q.with_p([nan, p[1]]),
                2 => q.with_p([p[0], nan]),
                3 => q.with_tspan(zero..=nan),
                4 => q.with_tspan(zero..=infinity),
                5 => q.with_tspan(nan..=p[1]),
                7 => q.with_tspan(infinity..=infinity),
                8 => q.with_tspan(-most..=most),
                _ => q,
            }
        },
    )
}

fn check<T: Scalar, M: Method + Copy>(method: M, options: &SolveOptions) {
    let n = 200;
    let healthy = rows::<T>(n, true).solve(method, EnsembleSerial, options).unwrap();
    assert!(healthy.all_succeeded(), "{:?}", healthy.code_counts());
    let ensemble = rows::<T>(n, false);
    let serial = ensemble.solve(method, EnsembleSerial, options).unwrap();
    for (i, trajectory) in serial.iter().enumerate() {
        let expected = healthy.trajectory(i);
        if matches!(i % 10, 0 | 6 | 9) {
            assert_eq!(trajectory.code(), ReturnCode::Success, "{i}");
            assert_eq!(trajectory.final_state(), expected.final_state(), "{i}");
            assert!(trajectory.states().eq(expected.states()), "{i}");
            assert!(trajectory.times().eq(expected.times()), "{i}");
            assert_eq!(trajectory.accepted(), expected.accepted(), "{i}");
        } else {
            // The trajectory ends at its beginning.
            assert_eq!(trajectory.code(), ReturnCode::NonFinite, "{i}");
            assert_eq!(trajectory.final_state(), expected.u0(), "{i}");
            assert_eq!((trajectory.accepted(), trajectory.rejected()), (0, 0), "{i}");
            assert!(trajectory.len() <= 1, "{i}");
            let [t0, end] = [trajectory.tspan().0, trajectory.end_time()].map(Scalar::widen);
            assert!(end == t0 || (end.is_nan() && t0.is_nan()), "{i}");
        }
    }
    same_everywhere(method, &ensemble, &serial, options);
}

#[test]
fn rows_that_cannot_be_solved_harm_no_other() {
    let options = SolveOptions::default().tolerance(1e-5);
    check::<f64, _>(Tsit5, &options);
    check::<f64, _>(Rodas4, &options.clone().saveat(0.25));
    check::<f32, _>(Tsit5, &options.clone().saveat([0.0, 0.5, 1.5]).tstops([0.75]));
    check::<f64, _>(Tsit5, &options.clone().saveat(SaveAt::Steps));
    check::<f64, _>(Tsit5, &SolveOptions::default().fixed_step(0.125).saveat(0.5));
    check::<f32, _>(Rodas4, &SolveOptions::default().fixed_step(0.125));
}

/// Stops of a row that cannot be solved are not evaluated, because they may be NaN.
#[test]
fn rows_that_cannot_be_solved_stop_nowhere() {
    let ensemble = rows::<f64>(200, false).tstops(|problem, _| [problem.p[1], problem.t1 / 2.0]);
    let options = SolveOptions::default().tolerance(1e-5);
    let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for (i, code) in serial.codes().enumerate() {
        assert_eq!(code.is_success(), matches!(i % 10, 0 | 6 | 9), "{i}");
    }
    same_everywhere(Tsit5, &ensemble, &serial, &options);
}

/// An ensemble without any solvable row is no error either.
#[test]
fn no_row_can_be_solved() {
    let problem = OdeProblem::new(switched, [1.0], 0.0..=2.0, [1.0, 1.0]);
    for wrong in [f64::NAN, f64::INFINITY] {
        let ensemble = EnsembleProblem::new(problem).trajectories(20);
        let ensemble = ensemble.vary(|q, _| q.with_tspan(0.0..=wrong));
        let options = SolveOptions::default().tolerance(1e-5);
        let spaced = options.clone().saveat(0.25);
        for options in [options, spaced, SolveOptions::default().fixed_step(0.125)] {
            let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
            assert!(serial.codes().all(|code| code == ReturnCode::NonFinite));
            same_everywhere(Tsit5, &ensemble, &serial, &options);
        }
    }
}
