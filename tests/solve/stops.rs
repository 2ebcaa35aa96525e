//! Stops: every method has a step that ends at them, and the right-hand side may jump there.

use crate::everywhere::same_everywhere;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method, Rk4};
use odes::prelude::*;
use odes::{SolveError, StepSize, Vern7};

/// `u' = 1` while `p[0] <= t < p[1]`, otherwise 0.
#[ode_system]
fn pulse(_u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    [if t < p[0] {
        0.0
    } else if t < p[1] {
        1.0
    } else {
        0.0
    }]
}

/// A decay whose rate jumps between 1 and 2 every half unit of time.
#[ode_system]
fn switched(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    let phase = t - t.floor();
    let rate = if phase < 0.5 { p[0] } else { 2.0 * p[0] };
    [-rate * u[0], u[0] - u[1]]
}

fn pulse_of_one<T: Scalar, M: Method>(method: M) {
    let x = T::narrow;
    let name = M::PROPERTIES.name;
    for ([t0, t1], [from, to]) in [([0.0, 100.0], [50.0, 51.0]), ([100.0, 0.0], [50.0, 51.0])] {
        let problem = OdeProblem::new(pulse, [0.0], t0..=t1, [from, to]).cast::<T>();
        let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).save_end(true);
        // By default the compiler finds stops in the right-hand side.
        let found = problem.solve(method, &options).unwrap();
        let direction = x((t1 - t0).signum());
        let error = (found.final_state()[0] - direction).widen().abs();
        assert!(error < 1e-5, "{name} {}: {error} by default", T::NAME);
        let options = options.time_breaks(false);
        let missed = problem.solve(method, &options).unwrap();
        let error = (missed.final_state()[0].widen().abs() - 1.0).abs();
        assert!(error > 0.5, "{name} {}: {error}, so nothing is tested", T::NAME);
        // In any order, twice, and beyond the ends.
        let options = options.tstops([51.0, 50.0, 1e9, 50.0, -7.0, t0, t1]);
        let solution = problem.solve(method, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        let direction = (t1 - t0).signum();
        let error = (solution.final_state()[0].widen() - direction).abs();
        assert!(error < 1e-5, "{name} {}: {error}", T::NAME);
        let steps = solution.accepted() + solution.rejected();
        assert!(steps < 80, "{name} {}: {steps} steps", T::NAME);
        assert_eq!(solution.rejected(), 0, "{name} {}", T::NAME);
        assert_eq!(solution.end_time(), x(t1));
    }
}

#[test]
fn a_pulse_is_not_missed() {
    pulse_of_one::<f64, _>(Tsit5);
    pulse_of_one::<f32, _>(Tsit5);
    pulse_of_one::<f64, _>(Rodas5P);
    pulse_of_one::<f64, _>(Kvaerno5);
}

/// Returns the solution of [`switched`] at the end of ten periods; there `u[0]` is `exp(-15 p)`.
fn decayed(rate: f64, half_periods: i32) -> [f64; 2] {
    let mut u = [1.0f64, 0.0];
    for i in 0..half_periods {
        let (k, h) = (if i % 2 == 0 { rate } else { 2.0 * rate }, 0.5f64);
        // v' = u - v, u' = -k u.
        let c = u[0] / (1.0 - k);
        u = [u[0] * (-k * h).exp(), c * (-k * h).exp() + (u[1] - c) * (-h).exp()];
    }
    u
}

fn half_periods(n: i32) -> Vec<f64> {
    (1..n).map(|i| 0.5 * f64::from(i)).collect()
}

fn error<M: Method>(method: M, options: &SolveOptions) -> (f64, u32) {
    let problem = OdeProblem::new(switched, [1.0, 0.0], 0.0..=10.0, [0.3]);
    let solution = problem.solve(method, options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    let (ours, exact) = (solution.final_state(), decayed(0.3, 20));
    let error = (ours[0] - exact[0]).hypot(ours[1] - exact[1]);
    (error, solution.accepted() + solution.rejected())
}

/// Fixed steps whose size does not divide the time between jumps keep their order.
///
/// The steps are shortened to end at the jumps.
fn order_at_jumps<M: Method>(method: M, dts: [f64; 2]) {
    let of = |stops: &[f64]| {
        dts.map(|dt| {
            let options = SolveOptions::default().abstol(1e-13).reltol(1e-13);
            error(method, &options.fixed_step(dt).tstops(stops)).0
        })
    };
    let ([coarse, fine], [_, without]) = (of(&half_periods(20)), of(&[]));
    let order = (coarse / fine).ln() / (dts[0] / dts[1]).ln();
    let name = M::PROPERTIES.name;
    eprintln!("{name}: order {order:.2}, error {fine:.1e}, without stops {without:.1e}");
    assert!(order > M::PROPERTIES.order as f64 - 0.35, "{name}: {order}");
    assert!(without > 100.0 * fine, "{name}: {without}, so nothing is tested");
}

#[test]
fn orders_survive_jumps() {
    order_at_jumps(Rk4, [0.09, 0.045]);
    order_at_jumps(Tsit5, [0.17, 0.09]);
    order_at_jumps(Rodas5P, [0.17, 0.09]);
    order_at_jumps(Kvaerno5, [0.17, 0.09]);
}

fn adaptive_at_jumps<M: Method>(method: M) {
    let name = M::PROPERTIES.name;
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let (with, steps) = error(method, &options.clone().tstops(half_periods(20)));
    let (without, more) = error(method, &options);
    eprintln!("{name}: {with:.1e} in {steps}, without stops {without:.1e} in {more}");
    // Without stops, steps are rejected at each jump, or jumps are not detected.
    let worse = more > 2 * steps || without > 1e3 * with;
    assert!(with < 1e-6 && worse, "{name}: {with} in {steps}, else {without} in {more}");
}

#[test]
fn adaptive_steps_do_not_meet_jumps() {
    adaptive_at_jumps(Tsit5);
    adaptive_at_jumps(Vern7);
    adaptive_at_jumps(Rodas5P);
}

/// Trajectory `i` has its own pulse and stops.
#[allow(clippy::type_complexity)]
fn pulses<T: Scalar>(
    n: usize,
) -> EnsembleProblem<
    pulse,
    T,
    impl Fn(OdeProblem<pulse, T, 1, 2>, usize) -> OdeProblem<pulse, T, 1, 2> + Sync,
    1,
    2,
> {
    let x = T::narrow;
    let problem = OdeProblem::new(pulse, [0.0], 0.0..=100.0, [0.0, 1.0]).cast::<T>();
    EnsembleProblem::new(problem)
        .trajectories(n)
        .vary(move |q, i| q.with_p([x(5.5 + (i % 80) as f64), x(6.0 + (i % 80) as f64)]))
        .tstops(|q, i| match i % 7 {
            3 => q.p.iter().flat_map(|&t| [t, t]).collect(),
            _ => q.p.to_vec(),
        })
}

#[test]
fn trajectories_have_their_own() {
    let options =
        SolveOptions::default().abstol(1e-6).reltol(1e-6).saveat(1.0).tstops([20.0, 40.0]);
    let ensemble = pulses::<f64>(300);
    let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert!(serial.all_succeeded());
    for i in 0..300 {
        assert!((serial.final_state(i)[0] - 0.5).abs() < 1e-6, "{i}: {:?}", serial.final_state(i));
        let full = serial.trajectory(i).state(6 + i % 80)[0];
        assert!((full - 0.5).abs() < 1e-6, "{i}: {full}");
        assert_eq!(serial.trajectory(i).state(5 + i % 80), [0.0], "{i}");
    }
    same_everywhere(Tsit5, &ensemble, &serial, &options);
    let fixed = SolveOptions::default().fixed_step(0.3).saveat([10.0, 100.0]);
    let ensemble = pulses::<f32>(300);
    let serial = ensemble.solve(Tsit5, EnsembleSerial, &fixed).unwrap();
    assert!((serial.final_state(7)[0] - 0.5).abs() < 1e-6);
    same_everywhere(Tsit5, &ensemble, &serial, &fixed);
}

/// A solve with stops equals a sequence of solves, one for each segment.
#[test]
fn a_stop_is_a_new_beginning() {
    let options = SolveOptions::default().abstol(1e-7).reltol(1e-7);
    let problem = OdeProblem::new(switched, [1.0, 0.0], 0.0..=1.0, [0.3]);
    let options = options.tstops([0.5]);
    let whole = problem.solve(Vern7, &options).unwrap();
    let first = problem.with_tspan(0.0..=0.5).solve(Vern7, &options).unwrap();
    let second = problem.with_u0(first.final_state()).with_tspan(0.5..=1.0);
    let second = second.solve(Vern7, &options).unwrap();
    assert_eq!(whole.final_state(), second.final_state());
    assert_eq!(whole.accepted(), first.accepted() + second.accepted());
    // Steps are counted over all segments.
    let few = options.clone().max_steps(first.accepted() + 1);
    let stopped = problem.solve(Vern7, &few).unwrap();
    assert_eq!(stopped.code(), ReturnCode::MaxSteps);
    assert_eq!(stopped.accepted(), first.accepted() + 1);
    assert!(stopped.end_time() > 0.5 && stopped.end_time() < 1.0);
    let stopped = problem.solve(Vern7, &options.max_steps(first.accepted())).unwrap();
    assert_eq!((stopped.code(), stopped.end_time()), (ReturnCode::MaxSteps, 0.5));
}

/// The right-hand side jumps at the ends of the span, and is evaluated only inside.
#[test]
fn stops_at_the_ends() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6).tstops([50.0, 51.0]);
    for (t0, t1) in [(50.0, 51.0), (51.0, 50.0), (50.0, 50.5), (50.5, 50.0)] {
        let problem = OdeProblem::new(pulse, [0.0], t0..=t1, [50.0, 51.0]);
        for options in [options.clone(), options.clone().fixed_step(0.3f64.copysign(t1 - t0))] {
            let end = problem.solve(Tsit5, &options).unwrap().final_state()[0];
            assert!((end - (t1 - t0)).abs() < 1e-14, "{t0} to {t1}: {end}");
        }
    }
}

#[test]
fn stops_are_finite() {
    let problem = OdeProblem::new(switched, [1.0, 0.0], 0.0..=1.0, [0.3]);
    for wrong in [f64::NAN, f64::INFINITY] {
        let options = SolveOptions::default().tstops([0.5, wrong]);
        let error = problem.solve(Tsit5, &options).unwrap_err();
        assert!(matches!(error, SolveError::StopTime { .. }), "{error}");
        assert!(error.to_string().starts_with(&format!("tstops contains {wrong}")), "{error}");
    }
}

/// Pulses of area `w`, far apart, with beginnings and ends that depend on parameters.
///
/// Each pulse has another notation.
#[ode_system]
fn windows(du: &mut [f64; 6], _u: &[f64; 6], p: &[f64; 3], t: f64) {
    let [a, w, k] = *p;
    let on = |condition: bool| if condition { 1.0 } else { 0.0 };
    // The pulse begins and ends at sums.
    du[0] = on(t > a + k && t < a + k + w);
    // The middle of the pulse is a product.
    du[1] = 0.5 * on((t - a * k).abs() < w);
    // The pulse is written with signs.
    du[2] = 0.5 * ((t - 5.0 * a).signum() - (t - 5.0 * a - w).signum());
    // The pulse is a hat function.
    du[3] = (w - (t - 6.0 * a).abs()).max(0.0) / w;
    // The pulse is at a quotient, in other units of time.
    du[4] = on((k * t).clamp(7.0 * a * k, (7.0 * a + w) * k) == k * t);
    // The pulse begins at a time that parameters select, and ends where two numbers have the same
    // sign.
    let from = if k > a { a } else { 8.0 * a };
    let since = t - from;
    du[5] = if t > from && (w - since).is_sign_positive() {
        since.copysign(1.0) * 2.0 / w
    } else {
        0.0
    };
}

fn windows_of_parameters<T: Scalar>() {
    let x = T::narrow;
    let p = |i: usize| [10.0 + 0.25 * (i % 9) as f64, 0.03125, 3.0];
    let problem = OdeProblem::new(windows, [0.0; 6], 0.0..=100.0, p(0)).cast::<T>();
    let ensemble =
        EnsembleProblem::new(problem).trajectories(60).vary(move |q, i| q.with_p(p(i).map(x)));
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).save_end(true);
    let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    // Polynomials between stops are exact, except for the last digits of times of about 100.
    let bound = if T::NAME == "f32" { 256.0 * f64::from(f32::EPSILON) / p(0)[1] } else { 1e-9 };
    let threads = EnsembleThreads::new().threads(2);
    let parallel = ensemble.solve(Tsit5, &threads, &options).unwrap();
    for solution in [&serial, &parallel] {
        assert!(solution.all_succeeded());
        for i in 0..60 {
            for (way, area) in solution.final_state(i).iter().enumerate() {
                let error = (area.widen() / p(i)[1] - 1.0).abs();
                assert!(error < bound, "{}, {i}, way {way}: error {error}", T::NAME);
            }
        }
    }
    let missed = ensemble.solve(Tsit5, &threads, &options.time_breaks(false)).unwrap();
    assert!(missed.all_succeeded());
    for (way, area) in missed.final_state(0).iter().enumerate() {
        assert_eq!(area.widen(), 0.0, "{}: way {way} is found anyway", T::NAME);
    }
}

#[test]
fn pulses_between_functions_of_parameters_are_not_missed() {
    windows_of_parameters::<f64>();
    windows_of_parameters::<f32>();
}

/// A stop that `f32` cannot represent, and one that does not exist with some parameters.
#[ode_system]
fn unbounded(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    [if t < 1e300 && p[0] * t < 1.0 { 1.0 } else { 0.0 }]
}

#[test]
fn times_beyond_all_numbers_are_none() {
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    for (p, end) in [(0.0, 4.0), (1e-30, 4.0), (0.5, 2.0)] {
        let problem = OdeProblem::new(unbounded, [0.0], 0.0..=4.0, [p]).cast::<f32>();
        let solution = problem.solve(Tsit5, &options).unwrap();
        assert!((solution.final_state()[0] - end).abs() < 1e-5, "{p}");
    }
}

/// Each trajectory ends at its own time, forwards or backwards.
///
/// The end is within its pulse, before it or after it, or at the beginning.
#[test]
fn spans_end_at_different_times() {
    let problem = OdeProblem::new(pulse, [0.0], 0.0..=1.0, [1.0, 2.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(100).vary(|q, i| {
        let length = (i % 9) as f64 / 3.0;
        if i % 5 == 4 { q.with_tspan(length..=0.0) } else { q.with_tspan(0.0..=length) }
    });
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-9);
    for (options, more) in [(options.clone(), false), (options.tstops([0.5, 1.5]), true)] {
        let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        assert!(serial.all_succeeded());
        for i in 0..100 {
            let length = (i % 9) as f64 / 3.0;
            let area = (length - 1.0).clamp(0.0, 1.0);
            let exact = if i % 5 == 4 { -area } else { area };
            let u = serial.final_state(i)[0];
            assert!((u - exact).abs() < 1e-9, "{i}, more stops {more}: {u}, not {exact}");
        }
        same_everywhere(Tsit5, &ensemble, &serial, &options);
    }
}

/// A state that follows a constant; the constant changes at the end of the span, or just beyond it.
#[ode_system]
fn switched_at_the_end(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    [p[0] * (if t < p[1] { 80.0 } else { 20.0 } - u[0])]
}

fn ends_at_a_switch<T: Scalar, M: Method>(method: M) {
    let rate = |i: usize| 10.0_f64.powf(i as f64 / 10.0 - 1.0);
    let problem = OdeProblem::new(switched_at_the_end, [20.0], 0.0..=24.0, [1.0, 24.0]).cast::<T>();
    // In `f32`, steps at larger rates are as short as the distance of representable times.
    let n = if T::DOUBLE { 60 } else { 45 };
    let ensemble = EnsembleProblem::new(problem).trajectories(n).vary(|problem, i| {
        let end = T::narrow(24.0 + 0.37 * i as f64);
        let beyond = T::narrow(end.widen() * (1.0 + T::epsilon().widen()));
        let at = if i % 3 == 0 { beyond } else { end };
        problem.with_p([T::narrow(rate(i)), at]).with_tspan(T::narrow(0.0)..=end)
    });
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.01)] {
        let solution = ensemble.solve(method, EnsembleSerial, &options).unwrap();
        for (i, trajectory) in solution.iter().enumerate() {
            let exact = 80.0 - 60.0 * (-rate(i) * trajectory.end_time().widen()).exp();
            let end = trajectory.final_state()[0].widen();
            // Long explicit steps are unstable.
            let unstable = M::PROPERTIES.solves == 0 && rate(i) > 200.0;
            let fails = unstable && matches!(options.step, StepSize::Fixed(_));
            let case = format!("{} {} {i} {:?}", M::PROPERTIES.name, T::NAME, options.step);
            assert!(fails || (end - exact).abs() < 0.5, "{case}: {end} for {exact}");
        }
    }
}

#[test]
fn a_switch_at_the_end_is_beyond_it() {
    ends_at_a_switch::<f64, _>(Tsit5);
    ends_at_a_switch::<f32, _>(Tsit5);
    ends_at_a_switch::<f64, _>(Rodas5P);
    ends_at_a_switch::<f64, _>(Kvaerno5);
    ends_at_a_switch::<f32, _>(Kvaerno5);
}

/// `u = sin t`, for every rate.
#[ode_system]
fn towards_sine(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    [t.cos() - p[0] * (u[0] - t.sin())]
}

/// Lanes without a trajectory, in which right-hand sides are NaN, change nothing.
fn ends_of_functions_of_time<T: Scalar, M: Method>(method: M) {
    let x = T::narrow;
    let problem = OdeProblem::new(towards_sine, [0.0], 0.0..=1.0, [1.0]).cast::<T>();
    for (n, stop) in [(1, 0.5), (2, 0.5), (9, 9.0), (57, 0.5)] {
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(n)
            .vary(|q, i| q.with_tspan(x(0.0)..=x(0.25 * (i % 7) as f64)));
        let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).tstops([stop]).dtmin(1e-9);
        let serial = ensemble.solve(method, EnsembleSerial, &options).unwrap();
        assert!(serial.all_succeeded());
        for trajectory in &serial {
            let t = trajectory.end_time().widen();
            let u = trajectory.final_state()[0].widen();
            assert!((u - t.sin()).abs() < 1e-4, "{}: {u} at {t}", M::PROPERTIES.name);
        }
        same_everywhere(method, &ensemble, &serial, &options);
    }
}

#[test]
fn nobody_works_on_trajectories_that_there_are_not() {
    ends_of_functions_of_time::<f64, _>(Vern7);
    ends_of_functions_of_time::<f32, _>(Rodas5P);
}
