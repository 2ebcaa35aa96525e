//! Solutions that are saved at the end of every step.

use crate::everywhere::same_everywhere;
use odes::lane::Scalar;
use odes::methods::{Dop853, Kvaerno5, Method};
use odes::prelude::*;
use odes::{SaveAt, Saving, SolveError, StepSize, Vern7};

#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 1]) -> [f64; 3] {
    [10.0 * (u[1] - u[0]), u[0] * (p[0] - u[2]) - u[1], u[0] * u[1] - 8.0 / 3.0 * u[2]]
}

/// A rotation, driven at the beginning and at twice its own rate.
#[ode_system]
mod driven {
    pub struct State {
        pub x: f64,
        pub y: f64,
    }
    pub struct Parameters {
        pub drive: f64,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { x: u.y, y: p.drive * (2.0 * t).cos() - u.x }
    }

    #[observable]
    fn radius(u: &State) -> f64 {
        u.x * u.x + u.y * u.y
    }

    #[observable]
    fn time(_u: &State, t: f64) -> f64 {
        t
    }
}

#[ode_system]
fn explosion(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [p[0] * u[0] * u[0]]
}

/// Checks trajectories with different parameters, saved at every step.
fn saved<T: Scalar, M: Method>(method: M, options: &SolveOptions) {
    let x = T::narrow;
    let (name, adaptive) = (M::PROPERTIES.name, options.step == StepSize::Adaptive);
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.5..=3.0, [28.0]).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(67)
        .vary(|q, i| q.with_p([x(0.4 * i as f64)]).with_tspan(x(0.5)..=x(1.0 + 0.05 * i as f64)));
    let options = options.clone().saveat(SaveAt::Steps);
    let solution = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    assert!(solution.shared_times().is_none());
    for trajectory in &solution {
        let (t0, t1) = trajectory.tspan();
        let times: Vec<T> = trajectory.times().collect();
        assert_eq!(times.len(), trajectory.accepted() as usize + 1, "{name}");
        assert_eq!((times[0], *times.last().unwrap()), (t0, t1), "{name}");
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{name}");
        assert_eq!(trajectory.states().last(), Some(trajectory.final_state()), "{name}");
        // There is nothing after the last step of a trajectory, though others take more steps.
        let row = solution.all_states().slice_move(odes::ndarray::s![trajectory.index(), .., 0]);
        assert_eq!(row.iter().filter(|x| !x.widen().is_nan()).count(), times.len());
        // Separate solves with these saved times give the same states. (An f32 does not hold all
        // digits of a time, and fixed steps save within themselves.)
        if T::DOUBLE && adaptive {
            let alone = problem.with_p(trajectory.p()).with_tspan(t0..=t1);
            let times: Vec<f64> = times.iter().map(|t| t.widen()).collect();
            let again = alone.solve(method, &options.clone().saveat(times)).unwrap();
            assert!(
                again.states().eq(trajectory.states()),
                "{name}, trajectory {}",
                trajectory.index()
            );
        }
    }
    same_everywhere(method, &ensemble, &solution, &options);
}

#[test]
fn every_step_is_saved() {
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5);
    saved::<f64, _>(Tsit5, &options);
    saved::<f32, _>(Tsit5, &options);
    saved::<f64, _>(Dop853, &options);
    saved::<f64, _>(Rodas5P, &options);
    saved::<f64, _>(Kvaerno5, &options);
}

#[test]
fn fixed_steps_are_saved() {
    let options = SolveOptions::default().fixed_step(0.01);
    saved::<f64, _>(Tsit5, &options);
    saved::<f32, _>(Tsit5, &options.fixed_step(0.03));
}

#[test]
fn steps_between_stops_are_saved() {
    let problem = OdeProblem::new(driven, [1.0, 0.0], 0.0..=-3.0, [0.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(40);
    let ensemble = ensemble.vary(|q, i| q.with_p([0.1 * i as f64]));
    let stops = [-0.25, -1.5];
    let options = SolveOptions::default().saveat(SaveAt::Steps).tstops(stops);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for trajectory in &solution {
        let times: Vec<f64> = trajectory.times().collect();
        assert_eq!(times.len(), trajectory.accepted() as usize + 1);
        assert!(times.windows(2).all(|pair| pair[0] > pair[1]), "{times:?}");
        assert!(stops.iter().all(|stop| times.contains(stop)), "{times:?}");
        let observed = trajectory.observable("time").unwrap();
        assert!(observed.iter().eq(&times), "observables are told the ends of steps");
    }
    same_everywhere(Tsit5, &ensemble, &solution, &options);
    // Only requested values are saved.
    let options = options.saving(Saving::Observables).save_start(false);
    let observed = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for (few, all) in observed.iter().zip(&solution) {
        assert!(few.times().eq(all.times().skip(1)));
        assert!(
            few.observable("radius").unwrap().iter().eq(all
                .observable("radius")
                .unwrap()
                .iter()
                .skip(1))
        );
    }
    same_everywhere(Tsit5, &ensemble, &observed, &options);
}

#[test]
fn failures_and_spans_without_length_have_what_they_reached() {
    let problem = OdeProblem::new(explosion, [1.0], 0.0..=2.0, [0.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(40).vary(|q, i| {
        let end = if i % 5 == 0 { 0.0 } else { 2.0 };
        q.with_p([0.05 * i as f64]).with_tspan(0.0..=end)
    });
    let options = SolveOptions::default().saveat(SaveAt::Steps).max_steps(200);
    let solution = ensemble.solve(Vern7, EnsembleSerial, &options).unwrap();
    for trajectory in &solution {
        let times: Vec<f64> = trajectory.times().collect();
        assert_eq!(times.len(), trajectory.accepted() as usize + 1);
        if trajectory.code().is_success() {
            assert_eq!(times.last(), Some(&trajectory.tspan().1));
        } else {
            assert_eq!(times.last(), Some(&trajectory.end_time()));
        }
        assert_eq!(times.len() == 1, trajectory.tspan().1 == 0.0);
    }
    assert!(!solution.all_succeeded(), "or failures are not tested");
    same_everywhere(Vern7, &ensemble, &solution, &options);
    let no_end = options.save_end(false);
    let error = ensemble.solve(Vern7, EnsembleSerial, &no_end).unwrap_err();
    assert!(matches!(error, SolveError::StepsEnd), "{error}");
}

/// Returns the solution of `x'' = -x + d cos 2t`, `x(0) = 1`, `x'(0) = 0`.
fn exact(drive: f64, t: f64) -> [f64; 2] {
    let c = drive / 3.0;
    [(1.0 + c) * t.cos() - c * (2.0 * t).cos(), -(1.0 + c) * t.sin() + 2.0 * c * (2.0 * t).sin()]
}

/// Returns the largest error between saved times.
fn error_between<M: Method>(method: M, options: &SolveOptions) -> f64 {
    let problem = OdeProblem::new(driven, [1.0, 0.0], 0.0..=6.0, [0.7]);
    let solution = problem.solve(method, options).unwrap();
    let at = |i: usize| 0.006 * i as f64;
    let errors = (0..=1000).map(|i| {
        let (u, v) = (solution.at(at(i)).unwrap(), exact(0.7, at(i)));
        (u.x - v[0]).hypot(u.y - v[1])
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn states_between_saved_ones_are_of_the_sixth_order() {
    let order = |at: &dyn Fn(f64) -> f64| (at(0.5) / at(0.25)).log2();
    let explicit = |spacing| {
        error_between(Vern7, &SolveOptions::default().abstol(1e-13).reltol(1e-13).saveat(spacing))
    };
    let implicit = |spacing| {
        error_between(Rodas5P, &SolveOptions::default().abstol(1e-12).reltol(1e-12).saveat(spacing))
    };
    let orders = (order(&explicit), order(&implicit));
    assert!((orders.0 - 6.0).abs() < 0.2 && (orders.1 - 4.0).abs() < 0.2, "{orders:?}");
    // Sixth derivatives are less than 36, fourth ones less than 10.
    assert!(explicit(0.25) < 0.25f64.powi(6) / 46080.0 * 36.0);
    assert!(implicit(0.25) < 0.25f64.powi(4) / 384.0 * 10.0);
}

/// A decay, with a feed of one between two times.
#[ode_system]
fn pulse(u: &[f64; 1], p: &[f64; 2], t: f64) -> [f64; 1] {
    [if t >= p[0] && t < p[1] { 5.0 } else { 0.0 } - 0.7 * u[0]]
}

fn pulsed(t: f64) -> f64 {
    let (k, before, after) = (0.7f64, t.min(3.3), (t - 3.3).clamp(0.0, 0.5));
    let u = 0.2 * (-k * before).exp();
    let u = 5.0 / k + (u - 5.0 / k) * (-k * after).exp();
    u * (-k * (t - before - after)).exp()
}

/// Steps end at the jumps of the right-hand side, and states between saved ones belong to one side.
#[test]
fn jumps_are_not_seen_between_steps() {
    fn error<M: Method>(method: M) -> f64 {
        let problem = OdeProblem::new(pulse, [0.2], 0.0..=10.0, [3.3, 3.8]);
        let options = SolveOptions::default().abstol(1e-8).reltol(1e-8).saveat(SaveAt::Steps);
        let solution = problem.solve(method, &options).unwrap();
        let times = (0..=1000).map(|i| 0.01 * f64::from(i));
        times.map(|t| (solution.at(t).unwrap()[0] - pulsed(t)).abs()).fold(0.0, f64::max)
    }
    let (explicit, implicit) = (error(Tsit5), error(Rodas5P));
    assert!(explicit < 2e-8 && implicit < 1e-4, "{explicit:e}, {implicit:e}");
}

/// Between the steps of a method of order 5 the solution is as accurate as at their ends.
#[test]
fn steps_are_a_dense_output() {
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let options = SolveOptions::default().abstol(tolerance).reltol(tolerance);
        let between = error_between(Tsit5, &options.clone().saveat(SaveAt::Steps));
        let problem = OdeProblem::new(driven, [1.0, 0.0], 0.0..=6.0, [0.7]);
        let solution = problem.solve(Tsit5, &options.saveat(SaveAt::Steps)).unwrap();
        let ends = solution.times().zip(solution.states()).map(|(t, u)| {
            let v = exact(0.7, t);
            (u.x - v[0]).hypot(u.y - v[1])
        });
        let ends = ends.fold(0.0, f64::max);
        eprintln!("{tolerance:e}: {ends:.1e} at the ends of steps, {between:.1e} between");
        assert!(between < 2.0 * ends, "{tolerance:e}: {between:e} between, {ends:e} at ends");
    }
}
