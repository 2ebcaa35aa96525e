//! `gpu_ode_discrete_callbacks.jl` and its counterpart for stiff methods, against the closed form.
//!
//! The problem is `u' = -u` from 10, with 10 added at given times. There, a callback compares the
//! time with a number, and `tstops` make steps end at that number. Here, the same is
//! `#[after_step]`, or `#[at]`, which needs no `tstops`. The bounds there are 2e-6 to 2e-2.

use super::{everywhere, for_each_method, ten};
use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;
use odes::system::{Quantities, System};

/// Additions at times that are parameters of the problem.
#[ode_system]
mod at {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[at(p[0], p[1])]
    fn add(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        let _ = p;
        [u[0] + 10.0]
    }
}

/// The same with conditions that the time at the end of a step equals a number.
#[ode_system]
mod compared {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[after_step]
    fn first(_: &[f64; 1], p: &[f64; 2], t: f64) -> bool {
        t == p[0]
    }

    #[action(first)]
    fn add(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 10.0]
    }

    #[after_step]
    fn second(_: &[f64; 1], p: &[f64; 2], t: f64) -> bool {
        t == p[1]
    }

    #[action(second)]
    fn add_again(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 10.0]
    }
}

/// The first addition is at its time, and the second one ends the trajectory.
#[ode_system]
mod ended {
    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[at(2.4)]
    fn add(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 10.0]
    }

    #[after_step(stop)]
    fn over(_: &[f64; 1], t: f64) -> bool {
        t == 4.0
    }
}

/// The time of an addition that does not take place.
const NEVER: f64 = f64::INFINITY;

/// Returns the exact state at `t`, before an addition at `t`.
fn exact(t: f64, added: [f64; 2]) -> f64 {
    let since = |begin: f64| if begin < t { 10.0 * (begin - t).exp() } else { 0.0 };
    10.0 * (-t).exp() + since(added[0]) + since(added[1])
}

fn at_times<T: Scalar>(times: [f64; 2]) -> OdeProblem<at::Model, T, 1, 2> {
    OdeProblem::new(at, [10.0], 0.0..=10.0, times).cast()
}

fn at_steps<T: Scalar>(times: [f64; 2]) -> OdeProblem<compared::Model, T, 1, 2> {
    OdeProblem::new(compared, [10.0], 0.0..=10.0, times).cast()
}

fn check<S: System<1, 2>, T: Scalar>(
    solution: &EnsembleSolution<S, T, 1, 2>,
    times: [f64; 2],
    bound: f64,
) {
    for i in 0..10 {
        assert_eq!(solution.code(i), ReturnCode::Success);
        let error = (solution.final_state(i).to_numbers()[0] - exact(10.0, times)).abs();
        assert!(error < bound, "{error} at the end");
    }
    for trajectory in solution {
        for (t, state) in trajectory.times().zip(trajectory.states()) {
            let error = (state.to_numbers()[0] - exact(t.widen(), times)).abs();
            assert!(error < bound, "{error} at {t}");
        }
    }
}

/// Solves both forms of the problem with these options.
fn both<M: Method, T: Scalar>(method: M, times: [f64; 2], options: &SolveOptions, bound: f64) {
    // Steps end at times in the precision of the solve.
    let times = times.map(|t| T::narrow(t).widen());
    for solution in everywhere(method, &ten(at_times::<T>(times)), options) {
        check(&solution, times, bound);
        let count = times.iter().filter(|t| t.is_finite()).count();
        assert!(solution.event_count("add").unwrap().iter().all(|&n| n as usize == count));
    }
    let stops: Vec<f64> = times.into_iter().filter(|t| t.is_finite()).collect();
    let options = options.clone().tstops(stops);
    for solution in everywhere(method, &ten(at_steps::<T>(times)), &options) {
        check(&solution, times, bound);
        assert!(solution.event_count("first").unwrap().iter().all(|&n| n == 1));
    }
}

/// DiffEqGPU.jl's steps of 1, with the method's error, at its times, alone and together.
fn fixed_steps<M: Method>(method: M) {
    let bound = if M::PROPERTIES.order < 4 { 0.3 } else { 2e-2 };
    for times in [[2.4, NEVER], [2.4, 4.0]] {
        both::<M, f32>(method, times, &SolveOptions::default().fixed_step(1.0), bound);
        let saved = SolveOptions::default().fixed_step(1.0).saveat([0.0, 6.0]);
        both::<M, f32>(method, times, &saved, bound);
    }
}

/// Steps of 0.01, with which DiffEqGPU.jl tests the rounding of times near a stop.
///
/// In `f32` the error is from the rounding of a thousand steps, and in `f64` from the method.
fn small_steps<M: Method>(method: M) {
    let options = SolveOptions::default().fixed_step(0.01);
    both::<M, f32>(method, [4.0, NEVER], &options, 1e-5);
    both::<M, f64>(
        method,
        [4.0, NEVER],
        &options,
        if M::PROPERTIES.order < 4 { 2e-5 } else { 1e-8 },
    );
}

fn adaptive_steps<M: Method>(method: M) {
    for times in [[4.0, NEVER], [2.4, 4.0]] {
        let options = SolveOptions::default().first_step(1.0).tolerance(1e-6);
        both::<M, f32>(method, times, &options, 2e-4);
        both::<M, f32>(method, times, &options.saveat([0.0, 2.4, 6.0]), 2e-4);
    }
}

/// Values known to 16 digits, in `f64` at 1e-10.
fn tight<M: Method>(method: M) {
    let options = SolveOptions::default().tolerance(1e-12).saveat([2.4]);
    let bound = if M::PROPERTIES.order < 4 { 1e-7 } else { 1e-10 };
    for solution in everywhere(method, &ten(at_times::<f64>([4.0, NEVER])), &options) {
        assert!((solution.final_state(3)[0] - 0.025_241_521_064_288_43).abs() < bound);
    }
    for solution in everywhere(method, &ten(at_times::<f64>([2.4, NEVER])), &options) {
        assert!((solution.final_state(3)[0] - 0.005_458_513_632_030_955).abs() < bound);
    }
}

/// An event that ends a trajectory ends it at its time, after an earlier addition.
fn terminated<M: Method>(method: M) {
    let problem = OdeProblem::new(ended, [10.0], 0.0..=10.0, []);
    for options in [
        SolveOptions::default().fixed_step(0.1).tstops([4.0]),
        SolveOptions::default().tolerance(1e-6).tstops([4.0]),
    ] {
        for solution in everywhere(method, &ten(problem), &options) {
            for i in 0..10 {
                assert_eq!(solution.code(i), ReturnCode::Terminated);
                assert_eq!(solution.end_times()[i], 4.0);
                let error = (solution.final_state(i)[0] - exact(4.0, [2.4, NEVER])).abs();
                assert!(error < if M::PROPERTIES.order < 4 { 5e-3 } else { 1e-4 }, "{error}");
            }
        }
    }
}

for_each_method! { all: [fixed_steps small_steps adaptive_steps tight terminated] }
