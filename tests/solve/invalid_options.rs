//! Invalid options and problems: each is a typed error that contains the value, or has the natural
//! result.

use crate::cases;
use crate::cases::growth;
use odes::SolveError;
use odes::prelude::*;
use odes::problem::Vary;
use odes::sweep::Axis;

fn problem() -> OdeProblem<growth, f64, 1, 1> {
    OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.5])
}

fn error_of(problem: OdeProblem<growth, f64, 1, 1>, options: SolveOptions) -> SolveError {
    problem.solve(Tsit5, &options).unwrap_err()
}

#[test]
fn non_finite_numbers() {
    let error = error_of(problem().with_u0([f64::NAN]), SolveOptions::default());
    assert!(
        matches!(error, SolveError::NonFinite { what: "u0", index: 0, value } if value.is_nan())
    );
    let error = error_of(problem().with_u0([f64::INFINITY]), SolveOptions::default());
    assert!(matches!(error, SolveError::NonFinite { what: "u0", index: 0, .. }));
    let error = error_of(problem().with_p([f64::NAN]), SolveOptions::default());
    assert_eq!(
        error.to_string(),
        "p[0] is NaN; initial states must be finite, and parameters must not be NaN"
    );
    let error = error_of(problem().with_tspan(0.0..=f64::NAN), SolveOptions::default());
    assert!(matches!(error, SolveError::TimeSpan { t0: 0.0, .. }));
    assert_eq!(error.to_string(), "the time span is 0..=NaN; both ends must be finite");
}

/// A NaN in one trajectory of an ensemble fails only this trajectory, whatever its source.
#[test]
fn non_finite_numbers_of_single_trajectories() {
    fn second_fails<F: Vary<growth, f64, 1, 1>>(ensemble: EnsembleProblem<growth, f64, F, 1, 1>) {
        let solution = ensemble.solve(Tsit5, EnsembleSerial, &SolveOptions::default()).unwrap();
        let codes = [ReturnCode::Success, ReturnCode::NonFinite, ReturnCode::Success];
        assert!(solution.codes().eq(codes));
    }
    let all = || EnsembleProblem::new(problem());
    for wrong in [f64::NAN, f64::INFINITY] {
        second_fails(all().over(&[[0.5], [wrong], [0.25]]));
        second_fails(all().over_u0(&[[1.0], [wrong], [2.0]]));
        second_fails(all().grid([Axis::p(0, [0.5, wrong, 0.25])]));
        second_fails(all().grid([Axis::u0(0, [1.0, wrong, 2.0])]));
        let vary = |i| if i == 1 { wrong } else { 0.5 };
        second_fails(all().trajectories(3).vary(|problem, i| problem.with_p([vary(i)])));
    }
}

/// Numbers that all trajectories replace are not checked.
#[test]
fn numbers_that_no_trajectory_has_harm_none() {
    let nothing = problem().with_u0([f64::NAN]).with_p([f64::NAN]);
    let options = SolveOptions::default();
    let rows = EnsembleProblem::new(nothing).over(&[[0.5], [0.25]]).over_u0(&[[1.0], [2.0]]);
    assert!(rows.solve(Tsit5, EnsembleSerial, &options).unwrap().all_succeeded());
    let nothing = nothing.with_tspan(0.0..=f64::NAN);
    let varied = EnsembleProblem::new(nothing).trajectories(2).vary(|_, _| problem());
    assert!(varied.solve(Tsit5, EnsembleSerial, &options).unwrap().all_succeeded());
}

/// Invalid numbers that no row, axis or closure replaces are an error.
#[test]
fn numbers_that_all_trajectories_have_are_errors() {
    let error = |ensemble: EnsembleProblem<growth, f64, _, 1, 1>| {
        ensemble.solve(Tsit5, EnsembleSerial, &SolveOptions::default()).unwrap_err()
    };
    let of = EnsembleProblem::new;
    let state = problem().with_u0([f64::NAN]);
    let parameter = problem().with_p([f64::NAN]);
    for ensemble in [of(state).over(&[[0.5], [0.25]]), of(state).grid([Axis::p(0, [0.5, 0.25])])] {
        assert!(matches!(error(ensemble), SolveError::NonFinite { what: "u0", index: 0, .. }));
    }
    for ensemble in [of(parameter).over_u0(&[[1.0]]), of(parameter).grid([Axis::u0(0, [1.0])])] {
        assert!(matches!(error(ensemble), SolveError::NonFinite { what: "p", index: 0, .. }));
    }
    for end in [f64::NAN, f64::INFINITY] {
        let ensemble = of(problem().with_tspan(0.0..=end)).over(&[[0.5], [0.25]]);
        assert!(matches!(error(ensemble), SolveError::TimeSpan { t0: 0.0, .. }));
    }
}

/// A dose from the beginning to `p[1]`, removed at the rate `p[0]`.
#[ode_system]
fn dose(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    [if t < p[1] { 1.0 } else { 0.0 } - p[0] * u[0]]
}

/// A time that never comes is infinite.
#[test]
fn parameters_may_be_infinite() {
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-9);
    let never = OdeProblem::new(dose, [0.0], 0.0..=10.0, [0.5, f64::INFINITY]);
    let expected = 2.0 * (1.0 - (-5.0_f64).exp());
    let solution = never.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    assert!((solution.final_state()[0] - expected).abs() < 1e-8, "{:?}", solution.final_state());
    let ends = [5.0, f64::INFINITY, f64::NEG_INFINITY];
    let rows = EnsembleProblem::new(never).over(&ends.map(|end| [0.5, end]));
    let until_five = 2.0 * ((-2.5_f64).exp() - (-5.0_f64).exp());
    for solution in [
        rows.solve(Tsit5, EnsembleSerial, &options).unwrap(),
        rows.solve(Tsit5, EnsembleThreads, &options).unwrap(),
        rows.solve(Rodas5P, EnsembleThreads, &options).unwrap(),
    ] {
        for (trajectory, expected) in solution.iter().zip([until_five, expected, 0.0]) {
            let end = trajectory.final_state()[0];
            assert!(trajectory.code().is_success() && (end - expected).abs() < 1e-8, "{end}");
        }
    }
}

#[test]
fn vary_needs_a_number_of_trajectories() {
    let varied = EnsembleProblem::new(problem()).vary(|problem, _| problem);
    let options = SolveOptions::default();
    let error = varied.solve(Tsit5, EnsembleSerial, &options).unwrap_err();
    assert!(matches!(error, SolveError::HowMany), "{error}");
    let cast = varied.clone().cast::<f32>().solve(Tsit5, EnsembleSerial, &options).unwrap_err();
    assert!(matches!(cast, SolveError::HowMany), "{cast}");
    // In either order, and by rows or axes.
    assert_eq!(
        varied.clone().trajectories(3).solve(Tsit5, EnsembleSerial, &options).unwrap().len(),
        3
    );
    let rows = varied.clone().over(&[[0.5], [0.25]]);
    assert_eq!(rows.solve(Tsit5, EnsembleSerial, &options).unwrap().len(), 2);
    let grid = varied.grid([Axis::p(0, [0.5])]);
    assert_eq!(grid.solve(Tsit5, EnsembleSerial, &options).unwrap().len(), 1);
    let one = EnsembleProblem::new(problem()).solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert_eq!(one.len(), 1);
}

/// A span with finite ends may have an infinite length.
#[test]
fn time_spans_are_not_too_long() {
    for (t0, t1) in [(-1e308, 1e308), (1e308, -1e308)] {
        let error = error_of(problem().with_tspan(t0..=t1), SolveOptions::default());
        assert_eq!(
            error.to_string(),
            format!(
                "the time span is {t0:e}..={t1:e}, and its length exceeds the largest number of \
                 f64; measure time in a larger unit"
            )
        );
    }
    let single = OdeProblem::new(growth, [1.0], -3e38..=3e38, [0.5]).cast::<f32>();
    let error = single.solve(Tsit5, &SolveOptions::default()).unwrap_err();
    assert!(matches!(error, SolveError::TimeSpanTooLong { precision: "f32", .. }));
    assert!(
        error.to_string().ends_with("measure time in a larger unit, or solve in f64"),
        "{error}"
    );
    // A shorter span is valid.
    let still = problem().with_p([0.0]).with_tspan(0.0..=1e308);
    assert!(still.solve(Tsit5, &SolveOptions::default()).unwrap().code().is_success());
}

#[test]
fn step_sizes() {
    for dt in [0.0, -0.1, f64::NAN, f64::INFINITY] {
        for options in
            [SolveOptions::default().fixed_step(dt), SolveOptions::default().first_step(dt)]
        {
            let error = error_of(problem(), options);
            assert!(matches!(error, SolveError::Step { .. }), "dt {dt}: {error}");
        }
    }
    // For a reversed span, the other sign.
    let backwards = problem().with_tspan(1.0..=0.0);
    assert!(matches!(
        error_of(backwards, SolveOptions::default().fixed_step(0.1)),
        SolveError::Step { option: "fixed_step", dt: 0.1, t0: 1.0, t1: 0.0, .. }
    ));
    let error = error_of(backwards, SolveOptions::default().first_step(1e-300));
    assert_eq!(
        error.to_string(),
        "first_step(1e-300) on the time span 1..=0: a step must be finite and nonzero in f64, and \
         point from the start of the time span to its end"
    );
    let solution = backwards.solve(Tsit5, &SolveOptions::default().fixed_step(-0.1)).unwrap();
    assert_eq!(solution.accepted(), 10);
    assert!((solution.final_state()[0] - (-0.5f64).exp()).abs() < 1e-8);
    // Longer than the span: one step to its end.
    let long = problem().solve(Tsit5, &SolveOptions::default().fixed_step(100.0)).unwrap();
    assert_eq!((long.accepted(), long.end_time()), (1, 1.0));
    // More steps than can be counted.
    let single = OdeProblem::new(growth, [1.0], 0.0..=1.0, [0.5]).cast::<f32>();
    let error = single.solve(Tsit5, &SolveOptions::default().fixed_step(1e-8)).unwrap_err();
    assert!(matches!(error, SolveError::TooManySteps { of: "f32", .. }), "{error}");
    // More states than can be saved, which is detected before any step.
    let every = SolveOptions::default().saveat(SaveAt::Steps).fixed_step(1e-9);
    let error = error_of(problem(), every);
    assert!(matches!(error, SolveError::TooManySteps { of: "SaveAt::Steps", .. }), "{error}");
}

#[test]
fn tolerances_and_limits() {
    for (abstol, reltol) in [(-1e-6, 1e-3), (1e-6, f64::NAN)] {
        let options = SolveOptions::default().abstol(abstol).reltol(reltol);
        assert!(matches!(error_of(problem(), options), SolveError::Tolerance { .. }));
    }
    let error = error_of(problem(), SolveOptions::default().tolerance(0.0));
    let text = "abstol and reltol are 0, so every component must be exact; set one of the two \
        tolerances above 0";
    assert_eq!(error.to_string(), text);
    // A message has the given number, not a tolerance derived from it.
    for (value, text) in [(-1e-6, "reltol is -1e-6; "), (1e-18, "reltol is 1e-18, ")] {
        let error = error_of(problem(), SolveOptions::default().tolerance(value));
        assert!(error.to_string().starts_with(text), "{error}");
    }
    for reltol in [1.0, 2.0] {
        let error = error_of(problem(), SolveOptions::default().reltol(reltol));
        let text = format!(
            "reltol is {reltol}; a relative tolerance of 1 or more accepts errors as large as the \
             state: write 1e-3 for three digits"
        );
        assert_eq!(error.to_string(), text);
    }
    problem().solve(Tsit5, &SolveOptions::default().reltol(0.999)).unwrap();
    assert!(matches!(
        error_of(problem(), SolveOptions::default().max_steps(0)),
        SolveError::MaxSteps
    ));
    let error = error_of(problem(), SolveOptions::default().dtmin(-1.0));
    assert!(matches!(error, SolveError::DtMin { dtmin: -1.0, .. }));
}

/// A pool of so many threads would take minutes to start.
#[test]
fn too_many_threads() {
    let ensemble = EnsembleProblem::new(problem()).trajectories(10);
    let options = SolveOptions::default();
    let most = std::thread::available_parallelism().unwrap().get().max(1024);
    let threads = EnsembleThreads.threads(most + 1);
    let error = ensemble.solve(Tsit5, threads, &options).unwrap_err();
    assert!(matches!(error, SolveError::TooManyThreads { threads, most: m } if threads == m + 1));
    assert!(error.to_string().starts_with(&format!("threads({}) exceeds", most + 1)), "{error}");
    let array = EnsembleCpuArray.threads(most + 1);
    let error = ensemble.solve(Tsit5, array, &options).unwrap_err();
    assert!(matches!(error, SolveError::TooManyThreads { .. }), "{error}");
    let large = odes::arrays::ArrayCpu::new().threads(most + 1);
    let matrix = odes::arrays::Array::matrix(1, 1, |_, _| -1.0);
    let one = odes::arrays::Array::vector([1.0]);
    let linear = odes::arrays::Linear::problem(matrix, one, 0.0..=1.0).unwrap();
    let error = linear.solve(Tsit5, large, &options).unwrap_err();
    assert!(error.to_string().contains("exceeds the maximum of"), "{error}");
}

#[test]
fn times_to_save() {
    let options = SolveOptions::default().saveat([0.5, 1.5]);
    assert!(matches!(
        error_of(problem(), options),
        SolveError::SaveOutside { trajectory: 0, time: 1.5, t0: 0.0, t1: 1.0 }
    ));
    let options = SolveOptions::default().saveat([0.5, 0.25]);
    assert!(matches!(
        error_of(problem(), options),
        SolveError::SaveOrder { before: 0.5, time: 0.25 }
    ));
    let twice = error_of(problem(), SolveOptions::default().saveat([0.5, 0.5]));
    assert!(twice.to_string().starts_with("saveat has 0.5 twice; "), "{twice}");
    for spacing in [0.0, -1.0, f64::NAN, 1e-12] {
        let error = error_of(problem(), SolveOptions::default().saveat(spacing));
        assert!(matches!(error, SolveError::SaveSpacing { .. }), "{error}");
    }
}

#[test]
fn no_trajectories() {
    let none = EnsembleProblem::new(problem()).trajectories(0);
    let error = none.solve(Tsit5, EnsembleSerial, &SolveOptions::default()).unwrap_err();
    assert!(matches!(error, SolveError::NoTrajectories));
}

/// The solution of an empty span is the initial state.
#[test]
fn no_time() {
    let none = |i: usize| i % 3 == 1;
    let some = EnsembleProblem::new(problem())
        .trajectories(100)
        .vary(|q, i| if none(i) { q.with_tspan(2.0..=2.0) } else { q });
    let options = SolveOptions::default().saveat(0.5);
    for options in [options.clone(), options.fixed_step(0.1)] {
        for solution in [
            some.solve(Tsit5, EnsembleSerial, &options).unwrap(),
            some.solve(Tsit5, EnsembleThreads::new(), &options).unwrap(),
            some.solve(Rodas5P, EnsembleThreads::new(), &options).unwrap(),
        ] {
            for (i, trajectory) in solution.iter().enumerate() {
                assert_eq!(trajectory.code(), ReturnCode::Success);
                if none(i) {
                    assert_eq!(trajectory.final_state(), [1.0]);
                    assert_eq!(trajectory.accepted(), 0);
                    assert_eq!(trajectory.times().collect::<Vec<_>>(), [2.0]);
                    assert_eq!(trajectory.states().collect::<Vec<_>>(), [[1.0]]);
                } else {
                    assert!((trajectory.final_state()[0] - 0.5_f64.exp()).abs() < 1e-3);
                    assert_eq!(trajectory.len(), 3);
                }
            }
        }
    }
}

#[test]
fn limits_end_a_trajectory() {
    let options = SolveOptions::default().abstol(1e-12).reltol(1e-12).max_steps(3).saveat(0.25);
    let solution = problem().solve(Tsit5, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::MaxSteps);
    assert_eq!(solution.accepted() + solution.rejected(), 3);
    assert!(solution.times().count() < 5);
    let options = SolveOptions::default().abstol(1e-12).reltol(1e-12).first_step(0.9).dtmin(0.5);
    assert_eq!(problem().solve(Tsit5, &options).unwrap().code(), ReturnCode::DtMin);
}

/// `u' = u²` in disguise grows beyond all numbers before the end; the solve must end.
#[test]
fn blow_up() {
    let problem = OdeProblem::new(cases::decay_of_time, [-1.0], 0.0..=2.0, []);
    let solution = problem.solve(Tsit5, &SolveOptions::default()).unwrap();
    assert!(
        matches!(solution.code(), ReturnCode::DtMin | ReturnCode::NonFinite),
        "{}",
        solution.code()
    );
}

#[test]
fn interpolation_between_saved_states() {
    let solution = problem()
        .solve(Tsit5, &SolveOptions::default().abstol(1e-9).reltol(1e-9).saveat(0.1))
        .unwrap();
    assert_eq!((solution.len(), solution.is_empty()), (11, false));
    for t in [0.0, 0.05, 0.3, 0.777, 1.0] {
        let [u] = solution.at(t).unwrap();
        assert!((u - (0.5 * t).exp()).abs() < 1e-7, "{u} at {t}");
    }
    assert_eq!(solution.at(1.1), None);
    assert_eq!(solution.at(-0.1), None);
}
