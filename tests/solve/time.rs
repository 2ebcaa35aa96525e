//! Time: far from zero, in steps below its resolution, at the limit of resolution, and in fixed
//! steps.

use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method, Rk4};
use odes::prelude::*;
use odes::problem::Vary;
use odes::{Controller, SolveError, Vern7};

#[ode_system]
fn rotate(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[1], p[0] * u[0]]
}

/// A time in seconds since 1970.
const NOW: f64 = 1.7e9;

/// Returns the greatest error of a rotation over 100 radians from `t0`.
///
/// The errors are at the end and at 50 times between. Times are rounded to the precision.
fn rotation<M: Method>(
    method: M,
    t0: f64,
    w: f64,
    options: &SolveOptions,
) -> Result<f64, ReturnCode> {
    let t1 = t0 + 100.0 / w;
    let times: Vec<f64> = (1..50).map(|i| t0 + 2.0 * f64::from(i) / w).collect();
    let problem = OdeProblem::new(rotate, [1.0, 0.0], t0..=t1, [w]);
    let solution = problem.solve(method, &options.clone().saveat(times)).unwrap();
    if solution.code() != ReturnCode::Success {
        return Err(solution.code());
    }
    let error = |t: f64, [x, y]: [f64; 2]| {
        let (sin, cos) = (w * (t - t0)).sin_cos();
        (x - cos).hypot(y - sin)
    };
    let saved = solution.times().zip(solution.states()).map(|(t, u)| error(t, u));
    Ok(saved.fold(error(t1, solution.final_state()), f64::max))
}

fn as_exact_as_at_zero<M: Method>(method: M) {
    let name = M::PROPERTIES.name;
    let adaptive = SolveOptions::default().abstol(1e-8).reltol(1e-8);
    for w in [1e3, 1e4, 1e5] {
        let here = rotation(method, 0.0, w, &adaptive).unwrap();
        let there = rotation(method, NOW, w, &adaptive).unwrap();
        assert!(there < 1.5 * here, "{name}, w = {w}: {there}, at zero {here}");
        let fixed = adaptive.clone().fixed_step(0.05 / w);
        let here = rotation(method, 0.0, w, &fixed).unwrap();
        let there = rotation(method, NOW, w, &fixed).unwrap();
        assert!(there < 1.5 * here + 1e-12, "{name} fixed, w = {w}: {there}, at zero {here}");
    }
    // Steps below the resolution of time, 2.4e-7.
    let problem = OdeProblem::new(rotate, [1.0, 0.0], NOW..=NOW + 1e-3, [1e8]);
    let solution = problem.solve(method, &adaptive).unwrap();
    assert_eq!(solution.code(), ReturnCode::DtMin, "{name}");
}

/// When the steps of state and time differed, errors were 1e-3, 0.2 and 1.9.
#[test]
fn rotations_are_as_exact_far_from_zero() {
    as_exact_as_at_zero(Tsit5);
    as_exact_as_at_zero(Vern7);
    as_exact_as_at_zero(Rodas5P);
    as_exact_as_at_zero(Kvaerno5);
}

/// `u' = cos(w (t - 4096))`, a small fast oscillation.
#[ode_system]
fn shaken(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    [(p[0] * (t - 4096.0)).cos()]
}

/// In `f32` the times of stages are rounded once.
///
/// Here steps are shorter than a unit in the last place of `t`, which is 4.9e-4. If the rounding
/// error of `t` were lost, the force would be shifted by a part of that unit.
#[test]
fn f32_stages_know_the_time() {
    let unit = 4096f32.next_up() - 4096.0;
    // Fractions whose multiples are evenly distributed. Without the low part of the time errors are
    // 0.28 and 0.46 units.
    for (w, share) in [(100.0, 0.618), (100.0, 0.382)] {
        let problem = OdeProblem::new(shaken, [0.0], 4096.0..=4100.0, [w]).cast::<f32>();
        let dt = f64::from(unit) * share;
        // Fixed steps: the rounded force is a staircase, and its errors should not control the
        // steps.
        let adaptive = SolveOptions::default().abstol(1.0).dtmax(dt);
        for options in [adaptive, SolveOptions::default().fixed_step(dt)] {
            let times: Vec<f64> = (1..40).map(|i| 4096.0 + 0.1 * f64::from(i)).collect();
            let solution = problem.solve(Tsit5, &options.saveat(times)).unwrap();
            let mut worst = 0.0f64;
            for (t, [u]) in solution.times().zip(solution.states()) {
                let exact = (w * (f64::from(t) - 4096.0)).sin() / w;
                worst = worst.max((f64::from(u) - exact).abs());
            }
            eprintln!("w = {w}, {share} units: {worst:e} of a unit {unit:e}");
            assert!(worst < 0.1 * f64::from(unit), "w = {w}, {share} units: {worst:e}");
        }
    }
}

/// `u' = u²`, infinite at `t = 1`.
#[ode_system]
fn square(u: &[f64; 1]) -> [f64; 1] {
    [u[0] * u[0]]
}

fn ends_at_the_pole<T: Scalar, M: Method>(method: M, tolerance: f64) {
    let problem = OdeProblem::new(square, [1.0], 0.0..=2.0, []).cast::<T>();
    let solution = problem
        .solve(method, &SolveOptions::default().abstol(tolerance).reltol(tolerance))
        .unwrap();
    let (name, u) = (M::PROPERTIES.name, solution.final_state()[0].widen());
    let end = solution.end_time().widen();
    // The nonlinear iteration may fail first, or have a factor of exactly zero: there, steps are a
    // few units in the last place.
    let codes = [ReturnCode::DtMin, ReturnCode::NewtonDiverged, ReturnCode::Singular];
    let codes = &codes[..if M::PROPERTIES.iterates { 3 } else { 1 }];
    assert!(codes.contains(&solution.code()), "{name} {tolerance}: {} {u} {end}", solution.code());
    // The remaining time is 1/u: a few units in the last place, or in `f32` the resolution of the
    // pair.
    assert!(u > 1e5 && u < 1e17, "{name} {tolerance}: {u} at {end}");
    assert!((end - 1.0).abs() < 10.0 * tolerance, "{name} {tolerance}: {u} at {end}");
}

#[test]
fn solutions_end_where_time_does() {
    for tolerance in [1e-3, 1e-8] {
        ends_at_the_pole::<f64, _>(Tsit5, tolerance);
        ends_at_the_pole::<f64, _>(Rodas5P, tolerance);
        ends_at_the_pole::<f64, _>(Kvaerno5, tolerance);
    }
    ends_at_the_pole::<f32, _>(Tsit5, 1e-4);
}

/// Solutions that are infinite at a time `T`, as `1/(T - t)`, `4/(T - t)²` and `-ln(T - t)`.
#[ode_system]
fn singular(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [if p[0] == 0.0 {
        u[0] * u[0]
    } else if p[0] == 1.0 {
        u[0] * u[0].abs().sqrt()
    } else {
        u[0].exp()
    }]
}

/// Asserts that trajectories end soon after steps no longer advance time.
fn is_soon_seen<T: Scalar, M: Method>(method: M) {
    for t0 in [0.0, 0.3, 1e3, -7e5] {
        for (i, name) in ["pole", "second", "logarithm"].into_iter().enumerate() {
            for tolerance in [1e-3, 1e-5] {
                let p = [i as f64];
                let problem = OdeProblem::new(singular, [1.0], t0..=t0 + 3.0, p).cast::<T>();
                let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
                let solution = problem.solve(method, &options).unwrap();
                let (code, steps) = (solution.code(), solution.accepted() + solution.rejected());
                let what = format!("{} {name} {t0} {tolerance}", M::PROPERTIES.name);
                assert!(
                    ![ReturnCode::Success, ReturnCode::MaxSteps].contains(&code),
                    "{what}: {code}"
                );
                assert!(steps < 2000, "{what}: {code} after {steps} steps");
            }
        }
    }
}

#[ode_system]
fn runaway(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [p[0] * u[0].exp()]
}

/// A runaway on which a few trajectories in a thousand once took a million steps.
///
/// In those trajectories, a step followed a far better one, and its size was half a unit of the
/// time.
fn nobody_stays<T: Scalar>(options: &SolveOptions) {
    fn of<T: Scalar, F: Vary<runaway, T, 1, 1>, M: Method>(
        method: M,
        ensemble: &EnsembleProblem<runaway, T, F, 1, 1>,
        options: &SolveOptions,
    ) {
        let solution = ensemble.solve(method, EnsembleThreads, options).unwrap();
        for i in 0..3000 {
            let (code, steps) = (solution.code(i), solution.accepted(i) + solution.rejected(i));
            let what = format!("{} {} {i}", M::PROPERTIES.name, T::NAME);
            assert!(!code.is_success() && code != ReturnCode::MaxSteps, "{what}: {code}");
            assert!(steps < 1000, "{what}: {code} after {steps} steps");
        }
    }
    let x = T::narrow;
    let problem = OdeProblem::new(runaway, [0.0], 0.0..=10.0, [0.0]).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3000)
        .vary(|q, i| q.with_p([x(0.5 + i as f64 / 1500.0)]));
    of(Tsit5, &ensemble, options);
    of(odes::methods::Dp5, &ensemble, options);
    of(odes::methods::Bs3, &ensemble, options);
    let pid = options.clone().controller(Controller::pid(0.7, -0.4, 0.1));
    of(Tsit5, &ensemble, &pid);
}

#[test]
fn nobody_stays_at_a_singularity() {
    for tolerance in [1e-2, 1e-3] {
        nobody_stays::<f64>(&SolveOptions::default().abstol(tolerance).reltol(tolerance));
        nobody_stays::<f32>(&SolveOptions::default().abstol(tolerance).reltol(tolerance));
    }
}

#[test]
fn singularities_are_soon_seen() {
    is_soon_seen::<f64, _>(Tsit5);
    is_soon_seen::<f32, _>(Tsit5);
    is_soon_seen::<f64, _>(odes::methods::Bs3);
    is_soon_seen::<f32, _>(odes::methods::Bs3);
    is_soon_seen::<f64, _>(Vern7);
    is_soon_seen::<f64, _>(odes::methods::Rosenbrock23);
    is_soon_seen::<f64, _>(Rodas5P);
    is_soon_seen::<f32, _>(Rodas5P);
    is_soon_seen::<f64, _>(Kvaerno5);
    is_soon_seen::<f32, _>(Kvaerno5);
}

#[ode_system]
fn near_a_pole(_u: &[f64; 1], _p: &[f64; 0], t: f64) -> [f64; 1] {
    let d = 1.001 - t;
    [1.0 / (d * d)]
}

fn smallest_step<M: Method>(method: M) {
    let problem = OdeProblem::new(near_a_pole, [0.0], 0.0..=1.0, []);
    let options = SolveOptions::default().abstol(1e-8).reltol(1e-8);
    let free = problem.solve(method, &options).unwrap();
    assert_eq!(free.code(), ReturnCode::Success);
    // The mean step: the errors of the last steps require a tenth of it.
    let limited = problem.solve(method, &options.clone().dtmin(1e-2)).unwrap();
    assert_eq!(limited.code(), ReturnCode::DtMin, "{}", M::PROPERTIES.name);
    let end = limited.end_time();
    assert!(end > 0.5 && end < 0.999, "{}: {end}", M::PROPERTIES.name);
    // Only the last step is shorter than this one, because it has to end at the end of the span.
    let steps = f64::from(free.accepted());
    let loose = problem.with_tspan(0.0..=0.5).solve(method, &options.dtmin(0.01 / steps)).unwrap();
    assert_eq!(loose.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
}

#[test]
fn accepted_steps_are_not_below_the_smallest() {
    smallest_step(Tsit5);
    smallest_step(Kvaerno5);
    // The span is shorter than the smallest step, and takes one step.
    let problem = OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1e-3, [1.0]);
    let solution = problem.solve(Tsit5, &SolveOptions::default().dtmin(0.1)).unwrap();
    assert_eq!((solution.code(), solution.accepted()), (ReturnCode::Success, 1));
    // The first step is not shorter either, though nothing here requires a longer one.
    let problem = OdeProblem::new(rotate, [0.0, 0.0], 0.0..=1.0, [1.0]);
    let solution = problem.solve(Tsit5, &SolveOptions::default().dtmin(0.1)).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    assert!(solution.accepted() <= 10, "{}", solution.accepted());
}

fn error_of<T: Scalar>(options: &SolveOptions) -> SolveError {
    let problem = OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]).cast::<T>();
    problem.solve(Tsit5, options).unwrap_err()
}

#[test]
fn a_precision_holds_what_is_asked_of_it() {
    let options = SolveOptions::default;
    for (error, text) in [
        (
            error_of::<f32>(&options().abstol(1e-10).reltol(1e-10)),
            "reltol is 1e-10, which is too small for f32; use at least 5.960464477539063e-8, or \
             solve in f64",
        ),
        (
            error_of::<f64>(&options().abstol(1e-17).reltol(1e-17)),
            "reltol is 1e-17, which is too small for f64; use at least 1.1102230246251565e-16",
        ),
    ] {
        assert!(matches!(error, SolveError::TooSmall { name: "reltol", .. }), "{error}");
        assert_eq!(error.to_string(), text);
    }
    let small = |options: &SolveOptions| match error_of::<f32>(options) {
        SolveError::TooSmall { name, value, least, precision: "f32" } => (name, value, least),
        error => panic!("{error}"),
    };
    let normal = f64::from(f32::MIN_POSITIVE);
    assert_eq!(small(&options().abstol(1e-50)), ("abstol", 1e-50, normal));
    assert_eq!(small(&options().abstol([1e-6, 1e-40])), ("abstol", 1e-40, normal));
    assert_eq!(small(&options().dtmax(1e-50)), ("dtmax", 1e-50, normal));
    for huge in [1e40, 1e300] {
        let error = error_of::<f32>(&options().abstol(huge));
        assert!(matches!(error, SolveError::Tolerance { name: "abstol", .. }), "{error}");
        let error = error_of::<f32>(&options().dtmin(huge));
        assert!(matches!(error, SolveError::DtMin { .. }), "{error}");
        let error = error_of::<f32>(&options().fixed_step(huge));
        assert!(matches!(error, SolveError::Step { .. }), "{error}");
    }
    // The absolute tolerance alone may suffice, and iterations of fixed steps end independently.
    let problem = OdeProblem::new(rotate, [1.0, 0.0], 0.0..=1.0, [1.0]).cast::<f32>();
    for fine in [
        options().reltol(0.0).abstol(1e-3),
        options().abstol(0.0).reltol(1e-4),
        options().abstol(1e-12).reltol(1e-12).fixed_step(0.1),
        options().abstol(1e-7).reltol(1e-7),
    ] {
        assert_eq!(problem.solve(Tsit5, &fine).unwrap().code(), ReturnCode::Success);
    }
}

/// Takes fixed steps by one method from `t0` to `t1`; returns their number and the error.
fn fixed<T: Scalar, M: Method>(method: M, t0: f64, t1: f64, dt: f64) -> (u32, f64) {
    let x = T::narrow;
    let problem = OdeProblem::new(rotate, [1.0, 0.0], t0..=t1, [1.0]).cast::<T>();
    let options = SolveOptions::default().fixed_step(dt).save_end(true);
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    assert_eq!(solution.times().collect::<Vec<_>>(), [x(t1)]);
    assert_eq!(solution.states().collect::<Vec<_>>(), [solution.final_state()]);
    let exact = (x(t1).widen() - x(t0).widen()).cos();
    (solution.accepted(), (solution.final_state()[0].widen() - exact).abs())
}

#[test]
fn fixed_steps_are_not_longer_than_asked_for() {
    for (t0, t1, dt, steps) in [
        (0.0, 1.0, 0.3, 4),
        (0.0, 1.0, 0.4, 3),
        (0.0, 2.5, 1.0, 3),
        (0.0, 3.5, 1.0, 4),
        (1.0, 0.0, -0.3, 4),
        (0.0, 1.0, 10.0, 1),
        (0.0, 1.0, 0.7, 2),
        (0.0, 1.0, 0.001, 1000),
        (0.0, 1.0, 1.0 / 3.0, 3),
        (0.0, 0.3, 0.1, 3),
        (0.1, 1.1, 0.1, 10),
        (-0.3, 0.6, 0.1, 9),
        (1000.1, 1001.1, 0.1, 10),
    ] {
        let (count, error) = fixed::<f64, _>(Tsit5, t0, t1, dt);
        assert_eq!(count, steps, "f64: {t0} to {t1} by {dt}");
        assert!(error < 5e-4, "{error}");
        let (count, error) = fixed::<f32, _>(Tsit5, t0, t1, dt);
        assert_eq!(count, steps, "f32: {t0} to {t1} by {dt}");
        assert!(error < 5e-4, "{error}");
        assert_eq!(fixed::<f64, _>(Rk4, t0, t1, dt).0, steps, "Rk4: {t0} to {t1} by {dt}");
        assert_eq!(fixed::<f64, _>(Kvaerno5, t0, t1, dt).0, steps);
    }
    let (count, _) = fixed::<f64, _>(Tsit5, NOW, NOW + 1.0, 0.001);
    assert_eq!(count, 1000);
    // A remainder beyond rounding is a step of its own.
    assert_eq!(fixed::<f64, _>(Tsit5, 0.0, 1.0 + 1e-9, 0.001).0, 1001);
    assert_eq!(fixed::<f32, _>(Tsit5, 0.0, 1.0 + 1e-4, 0.001).0, 1001);
}

/// The error of RK4 with steps that do not divide the span has the method's order.
#[test]
fn a_shortened_step_keeps_the_order() {
    let (_, coarse) = fixed::<f64, _>(Rk4, 0.0, 1.0, 0.0301);
    let (_, fine) = fixed::<f64, _>(Rk4, 0.0, 1.0, 0.01505);
    assert!((coarse / fine).log2() > 3.8, "{coarse} {fine}");
}

#[test]
fn counts_are_not_cut() {
    for (error, most, advice) in [
        (error_of::<f64>(&SolveOptions::default().fixed_step(1e-10)), 4294967295.0, "steps"),
        (
            error_of::<f32>(&SolveOptions::default().fixed_step(1e-7)),
            8388607.0,
            "steps, or solve in f64",
        ),
    ] {
        assert!(error.to_string().ends_with(&format!("{most}: use larger {advice}")), "{error}");
        let SolveError::TooManySteps { steps, most: limit, .. } = error else { panic!("{error}") };
        assert_eq!(limit, most);
        assert!(steps > most);
    }
}
