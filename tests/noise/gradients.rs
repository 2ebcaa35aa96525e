//! Gradients of stochastic equations: laws, differences on the same paths, and a fit of a law.

use crate::same_gradients::{same_gradients, same_gradients_in_cpp};
use odes::gradient::{
    Adam, Cotangents, EnsembleGradient, EnsembleLoss, Evaluation, Optimiser, Train,
};
use odes::lane::Scalar;
use odes::lyapunov::Lyapunov;
use odes::methods::{
    Differentiable, EulerMaruyama, Method, Milstein, Shark, Siea, Spark, Sra1, Sriw1,
    StochasticHeun,
};
use odes::ndarray::{Array2, Array3, ArrayView1, Axis, s};
use odes::prelude::*;
use odes::system::{PullBack, Quantities};

/// Geometric Brownian motion.
#[ode_system(gradients = "on")]
mod growth {
    fn rhs(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [p[0] * u[0]]
    }

    #[noise]
    fn noise(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [p[1] * u[0]]
    }
}

/// Diagonal noise of two processes.
#[ode_system(gradients = "on")]
mod own {
    fn rhs(u: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
        [p[0] * u[1].sin() - u[0] * t, p[1] - u[0] * u[1]]
    }

    #[noise]
    fn noise(u: &[f64; 2], p: &[f64; 4], t: f64) -> [f64; 2] {
        [p[2] * (1.0 + u[0] * u[0]).sqrt() * t.cos(), p[3] * (1.0 + 0.5 * u[1].sin())]
    }
}

/// One process that drives both components.
#[ode_system(gradients = "on")]
mod shared {
    fn rhs(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
        [p[0] * (t - u[0]), u[0] * u[0] - u[1]]
    }

    #[noise]
    fn noise(u: &[f64; 2], p: &[f64; 2], t: f64) -> [[f64; 2]; 1] {
        [[p[1] * u[1] * t.cos(), (p[1] - u[0] * u[1]).sin()]]
    }
}

/// Two processes that do not commute, in Stratonovich's calculus.
#[ode_system(gradients = "on")]
mod crossed {
    fn rhs(u: &[f64; 2], p: &[f64; 3], t: f64) -> [f64; 2] {
        [p[0] * u[1].sin() - u[0] * t, p[1] - u[0] * u[1]]
    }

    #[noise(stratonovich)]
    fn noise(u: &[f64; 2], p: &[f64; 3], t: f64) -> [[f64; 2]; 2] {
        [[p[1] * u[1], p[2] * (u[0] + t).cos()], [0.3 * u[0] * u[1], p[1] * p[2]]]
    }
}

/// Additive noise of two processes, which depends on the time and on parameters.
#[ode_system(gradients = "on")]
mod forced {
    fn rhs(u: &[f64; 2], p: &[f64; 3], t: f64) -> [f64; 2] {
        [p[0] * u[1].sin() - u[0] * t, p[1] - u[0] * u[1]]
    }

    #[noise]
    fn noise(_u: &[f64; 2], p: &[f64; 3], t: f64) -> [[f64; 2]; 2] {
        [[p[1] * (1.0 + t).sqrt(), p[2] * p[2]], [0.2, p[0] * p[2] * t]]
    }
}

/// General noise of three processes, with doses at given times, which also change a mode, and an
/// end at a threshold.
#[ode_system(gradients = "on")]
mod dosed {
    pub struct State {
        pub a: f64,
        pub b: f64,
    }

    pub struct Modes {
        pub change: f64,
    }

    pub struct Parameters {
        pub birth: f64,
        pub death: f64,
        pub dose: f64,
        pub limit: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let changed = p.modes.change * u.a;
        State { a: p.birth - changed, b: changed - p.death * u.b }
    }

    #[noise]
    fn noise(u: &State, p: &Parameters) -> [State; 3] {
        let changed = (p.modes.change * u.a).max(0.0).sqrt();
        [
            State { a: p.birth.sqrt(), b: 0.0 },
            State { a: -changed, b: changed },
            State { a: 0.0, b: -(p.death * u.b).max(0.0).sqrt() },
        ]
    }

    #[at(0.3, 0.7)]
    fn dose(u: &State, p: &Parameters) -> (State, Modes) {
        (State { a: u.a + p.dose, b: u.b }, Modes { change: 1.5 * p.modes.change })
    }

    #[after_step(stop)]
    fn high(u: &State, p: &Parameters) -> bool {
        u.a > p.limit
    }

    #[loss]
    fn second(u: &State) -> f64 {
        u.b
    }
}

/// Returns the derivatives with respect to initial states and parameters of trajectory `i`.
fn of<T: Scalar, const N: usize, const P: usize>(
    gradient: &EnsembleGradient<T, N, P>,
    i: usize,
) -> Vec<T> {
    [&gradient.u0(i)[..], &gradient.p(i)[..]].concat()
}

/// Compares gradients with differences of order four on the same paths.
///
/// The loss is half the sum of squares of all saved numbers, and a weighted final state.
fn check<S, M, const N: usize, const P: usize>(
    problem: OdeProblem<S, f64, N, P>,
    method: M,
    options: &SolveOptions,
) where
    S: PullBack<N, P>,
    M: Method + Differentiable,
{
    const PATHS: usize = 5;
    let ensemble = |problem| EnsembleProblem::new(problem).trajectories(PATHS);
    let weight = |d: usize| 0.4 - 1.1 * d as f64;
    let u0: [f64; N] = problem.u0.to_numbers();
    let p: [f64; P] = problem.p.to_numbers();
    let losses = |k: usize, shift: f64| -> Vec<f64> {
        let (mut u0, mut p) = (u0, p);
        match k.checked_sub(N) {
            Some(k) => p[k] += shift,
            None => u0[k] += shift,
        }
        let problem = problem.with_u0(u0).with_p(p);
        let solution = ensemble(problem).solve(method, EnsembleSerial, options).unwrap();
        assert!(solution.all_succeeded());
        let (saved, ends) = (solution.all_states(), solution.final_states());
        let of = |i: usize| {
            // A trajectory that ends early has no states at later times.
            let saved = saved.index_axis(Axis(0), i);
            let squares: f64 = saved.iter().filter(|u| !u.is_nan()).map(|u| 0.5 * u * u).sum();
            squares + (0..N).map(|d| weight(d) * ends[[i, d]]).sum::<f64>()
        };
        (0..PATHS).map(of).collect()
    };
    let solution = ensemble(problem).solve(method, EnsembleSerial, options).unwrap();
    let last = Array2::from_shape_fn((PATHS, N), |(_, d)| weight(d));
    let by = Cotangents::saved(solution.all_states().to_owned()).last(last);
    let found = ensemble(problem).pull_back(method, EnsembleSerial, options, by).unwrap();
    assert_eq!(found.failed(), 0);
    for k in 0..N + P {
        let all = [-2.0, -1.0, 1.0, 2.0].map(|step| losses(k, step * 1e-3));
        for i in 0..PATHS {
            let [below, before, after, above] = all.each_ref().map(|losses| losses[i]);
            let expected = (8.0 * (after - before) - (above - below)) / 12e-3;
            let found = of(&found, i)[k];
            let error = (found - expected).abs() / expected.abs().max(1.0);
            let name = M::PROPERTIES.name;
            assert!(error < 1e-9, "{name}, {k} of path {i}: {found}, not {expected}: {error:e}");
        }
    }
}

/// Saved times at both ends of the span, at the end of a step, and within steps.
const SAVED: [f64; 7] = [0.0, 0.125, 0.13, 0.3, 0.31, 0.9, 1.0];

fn options() -> SolveOptions {
    SolveOptions::default().fixed_step(0.0625).noise_seed(9).saveat(SAVED)
}

#[test]
fn gradients_are_those_of_each_path() {
    // The last step of this span is shorter.
    let problem = OdeProblem::new(own, [0.4, -0.3], 0.0..=1.03, [0.7, 0.2, 0.5, 0.6]);
    check(problem, EulerMaruyama, &options());
    check(problem, Milstein, &options());
    check(problem, Sriw1, &options());
    let problem = OdeProblem::new(shared, [0.4, -0.3], 0.0..=1.03, [0.7, 0.6]);
    check(problem, Siea, &options());
    check(problem, Milstein, &options());
    let problem = OdeProblem::new(crossed, [0.4, -0.3], 0.0..=1.03, [0.7, 0.2, 0.5]);
    check(problem, StochasticHeun, &options());
    check(problem, Spark, &options());
    let problem = OdeProblem::new(forced, [0.4, -0.3], 0.0..=1.03, [0.7, 0.2, 0.5]);
    check(problem, Shark, &options());
    check(problem, Sra1, &options().noise_cell(0.25));
}

fn dosed_problem(u0: [f64; 2]) -> dosed::Problem {
    let modes = dosed::Modes { change: 0.5 };
    let p = dosed::Parameters { birth: 20.0, death: 1.0, dose: 4.0, limit: 36.0, modes };
    OdeProblem::new(dosed, u0, 0.0..=1.03, p)
}

/// Also with saved times at an action, and soon after it.
#[test]
fn gradients_pass_through_actions() {
    let problem = dosed_problem([14.0, 8.0]);
    let ends = EnsembleProblem::new(problem).trajectories(5);
    let ends = ends.solve(EulerMaruyama, EnsembleSerial, &options()).unwrap();
    let early = ends.codes().filter(|code| *code == ReturnCode::Terminated).count();
    assert!((1..5).contains(&early), "{early}");
    check(problem, EulerMaruyama, &options());
}

/// The adjoint computes each saved state again, with the same bits: also at ends of steps and at
/// actions, where rounding moves times.
#[test]
fn losses_are_those_of_the_saved_states() {
    fn check<T: Scalar>() {
        let problem = dosed_problem([14.0, 8.0]).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(5);
        let around = [0.1, 0.3, 0.5, 0.6, 0.7, 0.9].map(f64::next_up);
        for time in [0.0, 0.1, 0.3, 0.31, 0.35, 0.6, 0.7, 0.75, 1.0, 1.03].into_iter().chain(around)
        {
            for cell in [0.1, 0.2] {
                let options =
                    SolveOptions::default().fixed_step(0.1).noise_cell(cell).saveat([time]);
                let solution = ensemble.solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
                let found = ensemble.gradient(EulerMaruyama, EnsembleSerial, &options).unwrap();
                for i in 0..5 {
                    let state = solution.all_states()[[i, 0, 1]].widen();
                    let loss = found.losses()[i].widen();
                    let ended = state.is_nan() && loss == 0.0;
                    assert!(ended || loss == state, "{time}, {cell}, {i}: {loss}, not {state}");
                }
            }
        }
    }
    check::<f64>();
    check::<f32>();
}

/// Mean and mean square of geometric Brownian motion by Euler's method: `u0 m^n` and `u0² q^n`,
/// with `m = 1 + a h` and `q = m² + b² h`.
#[test]
fn mean_gradients_are_those_of_the_moments() {
    const PATHS: usize = 10_000;
    let (u0, a, b, h, n) = (0.5, 1.01, 0.87, 1.0 / 16.0, 16);
    let problem = OdeProblem::new(growth, [u0], 0.0..=1.0, [a, b]);
    let ensemble = EnsembleProblem::new(problem).trajectories(PATHS);
    let options = SolveOptions::default().fixed_step(h).noise_seed(4);
    let m: f64 = 1.0 + a * h;
    let q = m * m + b * b * h;
    let power = |base: f64, k: i32| base.powi(n - k) * f64::from(n).powi(k);
    let mean = [m.powi(n), u0 * power(m, 1) * h, 0.0];
    let by_q = u0 * u0 * power(q, 1);
    let square = [2.0 * u0 * q.powi(n), by_q * 2.0 * m * h, by_q * 2.0 * b * h];
    let ends = ensemble.solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
    let ends = ends.final_states().to_owned();
    for (by, expected) in [(Array2::ones((PATHS, 1)), mean), (2.0 * ends, square)] {
        let found = ensemble.pull_back(EulerMaruyama, EnsembleSerial, &options, by).unwrap();
        for (k, expected) in expected.into_iter().enumerate() {
            let each: Vec<f64> = (0..PATHS).map(|i| of(&found, i)[k]).collect();
            let mean = each.iter().sum::<f64>() / PATHS as f64;
            let squares: f64 = each.iter().map(|x| (x - mean) * (x - mean)).sum();
            let error = squares.sqrt() / PATHS as f64;
            assert!((mean - expected).abs() < 4.0 * error, "{k}: {mean}, not {expected} ± {error}");
            assert!(error < 0.15 * expected.abs().max(0.5), "{k}: {expected} ± {error}");
        }
    }
}

/// Noise of each kind, actions, and paths with a tree in each cell.
#[test]
fn bits_are_equal() {
    const PATHS: usize = 130;
    fn by<T: Scalar>() -> Cotangents<T> {
        let saved = |(i, j, k): (usize, usize, usize)| T::narrow((1 + i + 2 * j + 3 * k) as f64);
        let last = |(i, d): (usize, usize)| T::narrow(1.0 - (i * d) as f64);
        Cotangents::saved(Array3::from_shape_fn((PATHS, SAVED.len(), 2), saved))
            .last(Array2::from_shape_fn((PATHS, 2), last))
    }
    fn ensemble<S: PullBack<2, P>, const P: usize>(
        problem: OdeProblem<S, f64, 2, P>,
    ) -> EnsembleProblem<S, f64, odes::problem::Unvaried, 2, P> {
        EnsembleProblem::new(problem).trajectories(PATHS)
    }
    let options = options();
    let cells = options.clone().noise_cell(0.25);
    let start = [0.4, -0.3];
    let paths = ensemble(dosed_problem([14.0, 8.0]));
    same_gradients(&paths, EulerMaruyama, &options, &by::<f64>());
    same_gradients(&paths.clone().cast::<f32>(), EulerMaruyama, &cells, &by::<f32>());
    let paths = ensemble(OdeProblem::new(own, start, 0.0..=1.03, [0.7, 0.2, 0.5, 0.6]));
    same_gradients(&paths.clone().cast::<f32>(), Sriw1, &options, &by::<f32>());
    same_gradients_in_cpp(&paths, Milstein, &options, &by::<f64>());
    let paths = ensemble(OdeProblem::new(crossed, start, 0.0..=1.03, [0.7, 0.2, 0.5]));
    same_gradients(&paths, Spark, &cells, &by::<f64>());
    let paths = ensemble(OdeProblem::new(forced, start, 0.0..=1.03, [0.7, 0.2, 0.5]));
    same_gradients_in_cpp(&paths, Shark, &options, &by::<f64>());
}

/// A process whose drift is a network with four hidden units.
#[ode_system(gradients = "on")]
mod learnt {
    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub inner: [f64; 4],
        pub bias: [f64; 4],
        pub outer: [f64; 4],
        pub rest: f64,
        /// The logarithm of the noise.
        pub log_sd: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let mut drift = p.rest;
        for k in 0..4 {
            drift += p.outer[k] * (p.inner[k] * u.x + p.bias[k]).tanh();
        }
        State { x: drift }
    }

    #[noise]
    fn noise(_u: &State, p: &Parameters) -> State {
        State { x: p.log_sd.exp() }
    }
}

/// A network learns the stationary law of Ornstein and Uhlenbeck's process
/// `dx = 2 (0.5 - x) dt + 0.8 dW`: the mean 0.5 and the variance `0.8² / 4`.
#[test]
fn a_network_learns_a_stationary_law() {
    const PATHS: usize = 128;
    const TIMES: [f64; 3] = [2.0, 2.5, 3.0];
    let (mean, variance) = (0.5, 0.16);
    let mut p = [1.0, -0.5, 0.7, 0.3, 0.1, 0.4, -0.3, 0.0, -0.4, 0.2, -0.1, -0.3, 0.0, -1.0];
    let ensemble = |p: &[f64], paths: usize| {
        let p: [f64; 14] = p.try_into().unwrap();
        EnsembleProblem::new(OdeProblem::new(learnt, [0.0], 0.0..=3.0, p)).trajectories(paths)
    };
    let options = SolveOptions::default().fixed_step(0.125).saveat(TIMES);
    let moments = |states: ArrayView1<'_, f64>| {
        let mean = states.mean().unwrap();
        (mean, states.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / states.len() as f64)
    };
    // A short memory: the first gradients are large.
    let mut adam = Adam::new(0.05);
    adam.beta2 = 0.9;
    for iteration in 0..80 {
        // New paths for each gradient.
        let options = options.clone().noise_seed(iteration);
        let ensemble = ensemble(&p, PATHS);
        let solution = ensemble.solve(Shark, EnsembleSerial, &options).unwrap();
        let states = solution.all_states();
        let mut by = Array3::zeros(states.dim());
        let mut loss = 0.0;
        for time in 0..TIMES.len() {
            let (m, v) = moments(states.slice(s![.., time, 0]));
            loss += (m - mean).powi(2) + (v - variance).powi(2);
            for i in 0..PATHS {
                let x = states[[i, time, 0]];
                let by_v = 2.0 * (v - variance) * 2.0 * (x - m);
                by[[i, time, 0]] = (2.0 * (m - mean) + by_v) / PATHS as f64;
            }
        }
        let found = ensemble.pull_back(Shark, EnsembleSerial, &options, by).unwrap();
        let gradient = found.sum_p();
        let found = Evaluation { loss, gradient: &gradient, failed: found.failed() };
        assert!(adam.step(&mut p, &found).is_continue());
    }
    let fresh = ensemble(&p, 2000);
    let solution = fresh.solve(Shark, EnsembleSerial, &options.noise_seed(1000)).unwrap();
    for time in 0..TIMES.len() {
        let (m, v) = moments(solution.all_states().slice(s![.., time, 0]));
        assert!((m - mean).abs() < 0.05, "{time}: mean {m}");
        assert!((v - variance).abs() < 0.03, "{time}: variance {v}");
    }
}

/// A process that returns to a learnt mean.
#[ode_system]
mod level {
    pub struct Theta {
        pub mean: f64,
    }

    pub struct Item {
        pub start: f64,
    }

    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub mean: f64,
    }

    fn initial(_: &Theta, item: &Item) -> State {
        State { x: item.start }
    }

    fn parameters(theta: &Theta) -> Parameters {
        Parameters { mean: theta.mean }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: 2.0 * (p.mean - u.x) }
    }

    #[noise]
    fn noise(_: &State) -> State {
        State { x: 0.5 }
    }

    #[loss]
    fn distance(u: &State) -> f64 {
        (u.x - 1.0).powi(2)
    }
}

/// All final states depend on the mean by the same factor, so the best mean makes their mean one.
#[test]
fn training_finds_the_minimum_of_fixed_paths() {
    let items = (0..50).map(|i| [0.02 * f64::from(i)]);
    let loss = EnsembleLoss::new(level, 0.0..=1.0, items);
    let options = SolveOptions::default().fixed_step(0.125).noise_seed(3).saveat([1.0]);
    let train = Train::new(&loss, level::Theta { mean: 0.0 }).lbfgs().iterations(20);
    let trained = train.run(Shark, EnsembleSerial, &options).unwrap();
    let solution = loss.ensemble(trained.theta).solve(Shark, EnsembleSerial, &options).unwrap();
    let mean = solution.final_states().mean().unwrap();
    assert!((mean - 1.0).abs() < 1e-9, "{mean}");
}

#[test]
fn combinations_without_gradients() {
    let problem = OdeProblem::new(growth, [0.5], 0.0..=1.0, [1.01, 0.87]);
    let paths = EnsembleProblem::new(problem).trajectories(2);
    let options = SolveOptions::default().fixed_step(0.125);
    let found = paths.lyapunov(EulerMaruyama, EnsembleSerial, &options, &Lyapunov::new(1));
    assert!(found.unwrap_err().to_string().contains("this system has noise"));
    let by = Array2::ones((2, 1));
    let stopping = options.tstops([0.3]);
    let found = paths.pull_back(EulerMaruyama, EnsembleSerial, &stopping, by);
    assert!(found.unwrap_err().to_string().contains("leave `tstops` out"));
    let problem = OdeProblem::new(forced, [0.4, -0.3], 0.0..=1.0, [0.7, 0.2, 0.5]);
    let (paths, by) = (EnsembleProblem::new(problem), Array2::ones((1, 2)));
    let found = paths.pull_back(Shark, EnsembleSerial, &SolveOptions::default(), by);
    assert!(found.unwrap_err().to_string().contains("use fixed steps"));
}
