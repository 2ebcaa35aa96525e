//! `adaptive_endpoint.jl`: adaptive steps end exactly at the end of the time span.
//!
//! The original has stops and callbacks before the end; these tests have saved times instead.

use super::{everywhere, for_each_method, straight, ten};
use crate::cases::lines;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;

/// `u' = 1`.
const STRAIGHT: [f64; 4] = [1.0, 0.0, 1.0, 0.0];

/// Spans with ends at three rates, with a first step at least as long as the span.
fn every_end<M: Method, T: Scalar>(method: M) {
    let end = |i: usize| 0.05 + 1.95 * (i / 3) as f64 / 199.0;
    let rate = |i: usize| [1.0, 10.0, 100.0][i % 3];
    let ensemble = EnsembleProblem::new(straight::<T>(1.0, (0.0, 1.0), [0.0; 4]))
        .trajectories(600)
        .vary(|q, i| {
            let t = T::narrow;
            q.with_tspan(t(0.0)..=t(end(i))).with_p([0.0, -1.0, 0.0, -rate(i)].map(t))
        });
    let rounding = if T::NAME == "f32" { 2e-5 } else { 0.0 };
    for reltol in [1e-3, 1e-4, 1e-6] {
        let options = SolveOptions::default().abstol(reltol / 1e3).reltol(reltol).first_step(2.0);
        for solution in everywhere(method, &ensemble, &options) {
            assert!(solution.all_succeeded(), "{:?}", solution.code_counts());
            for i in 0..600 {
                let end = T::narrow(end(i)).widen();
                for (u, exact) in solution.final_state(i).into_iter().zip([-end, -rate(i) * end]) {
                    let (u, exact) = (u.widen(), exact.exp());
                    let most = 2000.0 * reltol * (exact + 1e-3) + rounding;
                    assert!((u - exact).abs() <= most, "{i} at {reltol:e}: {u} and {exact}");
                }
            }
        }
    }
}
fn every_end_in_f32<M: Method>(method: M) {
    every_end::<M, f32>(method);
}
fn every_end_in_f64<M: Method>(method: M) {
    every_end::<M, f64>(method);
}

/// No step covers the last unit in the last place, by which `t1` exceeds `t0 + (t1 - t0)`.
fn one_step_to_the_end<M: Method>(method: M) {
    let (begin, end) = (2.094_426e7f32, 9.442_869_6e7f32);
    assert_ne!(begin + (end - begin), end);
    let options =
        SolveOptions::default().abstol(1e-9).reltol(1e-6).first_step(f64::from(end - begin));
    let problem = straight::<f32>(1.0, (begin.into(), end.into()), STRAIGHT);
    for solution in everywhere(method, &ten(problem), &options) {
        assert!(solution.all_succeeded());
        assert_eq!((solution.accepted(0), solution.rejected(0)), (1, 0));
        let exact = 1.0 + (end - begin);
        for u in solution.final_state(0) {
            assert!((u - exact).abs() <= 64.0 * f32::EPSILON * exact, "{u} and {exact}");
        }
    }
}

/// If a unit of time in the last place is 8, a state can be saved one unit after the begin.
fn coarse_time<M: Method, T: Scalar>(method: M, begin: f64) {
    let options = SolveOptions::default()
        .reltol(1e-3)
        .abstol(1e-6)
        .first_step(32.0)
        .saveat([begin, begin + 8.0]);
    let problem = straight::<T>(0.0, (begin, begin + 32.0), STRAIGHT);
    for solution in everywhere(method, &ten(problem), &options) {
        assert!(solution.all_succeeded());
        let trajectory = solution.trajectory(0);
        let saved: Vec<f64> = trajectory.states().map(|[u, _]| u.widen()).collect();
        let end = trajectory.final_state()[0].widen();
        for (u, exact) in saved.into_iter().chain([end]).zip([0.0, 8.0, 32.0]) {
            assert!((u - exact).abs() < 1e-4, "{u} and {exact}");
        }
    }
}
fn coarse_time_in_f32<M: Method>(method: M) {
    coarse_time::<M, f32>(method, 67_108_864.0);
}
fn coarse_time_in_f64<M: Method>(method: M) {
    coarse_time::<M, f64>(method, f64::powi(2.0, 55));
}

/// A state that decays within two units of coarse time.
fn decay_in_coarse_time<M: Method>(method: M) {
    let begin = 67_108_864.0;
    let problem = straight::<f32>(1.0, (begin, begin + 16.0), [0.0, -0.1, 0.0, -0.1]);
    for solution in
        everywhere(method, &ten(problem), &SolveOptions::default().abstol(1e-5).reltol(1e-5))
    {
        assert!(solution.all_succeeded(), "{:?}", solution.code_counts());
        let error = f64::from(solution.final_state(0)[0]) - (-1.6f64).exp();
        assert!(error.abs() < 1e-4, "{error:e}");
    }
}

/// Errors are below 2000 times the tolerance on a grid of cases.
///
/// The cases differ in the length of the span, the decay within it, the first step and the saved
/// times near the end.
fn property_grid<M: Method>(method: M) {
    const DECAYS: [f64; 3] = [0.1, 1.0, 4.0];
    for length in [1e-13f64, 1e-3, 1.0] {
        let problem = straight::<f64>(1.0, (0.0, length), [0.0; 4]);
        let ensemble = EnsembleProblem::new(problem)
            .trajectories(DECAYS.len())
            .vary(|q, i| q.with_p([0.0, -DECAYS[i] / length, 0.0, -DECAYS[i] / length]));
        for reltol in [1e-6, 1e-9] {
            for share in [0.5, 0.999, 1.0] {
                let options = SolveOptions::default().reltol(reltol).abstol(reltol / 1e3);
                let options = options.first_step(share * length);
                let near = [length / 4.0, length * 0.99, length - 5e-15, length.next_down()];
                let mut kinds = vec![options.clone()];
                kinds.extend(near.map(|t| options.clone().saveat([t])));
                kinds.push(options.saveat([length.next_down(), length]));
                for options in kinds {
                    for solution in everywhere(method, &ensemble, &options) {
                        assert!(solution.all_succeeded(), "{:?}", solution.code_counts());
                        for (trajectory, decay) in solution.iter().zip(DECAYS) {
                            let saved = trajectory.times().zip(trajectory.states());
                            for (t, [u, _]) in saved.chain([(length, trajectory.final_state())]) {
                                let exact = (-decay * t / length).exp();
                                let error = (u - exact).abs() / exact;
                                assert!(
                                    error <= 2000.0 * reltol,
                                    "{error:e} at {t:e} of {length:e}, {decay}, {reltol:e}, {share}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The saved state at the end of the span is the state at the end of the last step.
///
/// It is also near the state saved just before the end.
fn saved_next_to_the_end<M: Method>(method: M) {
    let end = 1.0f64;
    let problem = straight::<f64>(1.0, (0.0, end), [0.0, -1.0, 0.0, -1.0]);
    let options = SolveOptions::default().abstol(1e-8).reltol(1e-8).saveat([end.next_down(), end]);
    for solution in everywhere(method, &ten(problem), &options) {
        let trajectory = solution.trajectory(0);
        assert_eq!(trajectory.len(), 2);
        assert_eq!(trajectory.state(1), trajectory.final_state());
        let (before, after) = (trajectory.state(0)[0], trajectory.state(1)[0]);
        assert!((before - after).abs() < 1e-13, "{before} and {after}");
        assert!((after - (-1.0f64).exp()).abs() < 2000.0 * 1e-8);
    }
}

/// Asserts that all successful trajectories ended within `share` of `exact`.
fn right_or_failed<M: Method, T: Scalar>(
    method: M,
    problem: OdeProblem<lines, T, 2, 4>,
    options: &SolveOptions,
    (exact, share): (f64, f64),
) {
    for solution in everywhere(method, &ten(problem), options) {
        for trajectory in solution.iter().filter(|trajectory| trajectory.code().is_success()) {
            for u in trajectory.final_state() {
                let error = (u.widen() / exact - 1.0).abs();
                assert!(error <= share, "{error:e} of {exact:e} in {}", T::NAME);
            }
        }
    }
}

/// A rejected step to the end of a span that is shorter than DiffEqGPU.jl's least step.
///
/// DiffEqGPU.jl's methods fail here. The rest of the span must not be left out.
fn shorter_than_its_least_step<M: Method>(method: M) {
    let problem = straight::<f64>(1.0, (0.0, 4e-15), [0.0, -1e15, 0.0, -1e15]);
    let options = SolveOptions::default().abstol(1e-9).reltol(1e-6).first_step(4e-15);
    right_or_failed(method, problem, &options, ((-4.0f64).exp(), 2000.0 * 1e-6));
}

/// Spans near the smallest numbers, with an overflow of `1/h`.
fn next_to_nothing<M: Method>(method: M) {
    let p = [1e14, 0.0, 1e14, 0.0];
    let options = SolveOptions::default().abstol(1e-12).reltol(1e-3).first_step(1e-14);
    let end = f64::from(5e-38f32);
    let single = (1e14 * end, 128.0 * f64::from(f32::EPSILON));
    right_or_failed(method, straight::<f32>(0.0, (0.0, end), p), &options, single);
    let double = (1e14 * 1e-307, 128.0 * f64::EPSILON);
    right_or_failed(method, straight::<f64>(0.0, (0.0, 1e-307), p), &options, double);
}

/// `u' = 1`, except at the time `p`, where it is NaN.
#[ode_system]
fn undefined_at(_u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let left = p[0] - t;
    [left * (1.0 / left)]
}

fn undefined_at_the_end<M: Method>(method: M) {
    let problem = OdeProblem::new(undefined_at, [0.0], 0.0..=0.125, [0.125]);
    let options = SolveOptions::default().abstol(1e-12).reltol(1e-3).first_step(0.5);
    for solution in everywhere(method, &ten(problem), &options) {
        let end = solution.final_state(0)[0];
        // The right-hand side is not evaluated at a time of a comparison or at a pole.
        assert!(solution.code(0).is_success() && (end - 0.125).abs() < 1e-4, "{end}");
    }
}

for_each_method! {
    all: [
        every_end_in_f32 every_end_in_f64 one_step_to_the_end coarse_time_in_f32 coarse_time_in_f64
        decay_in_coarse_time property_grid saved_next_to_the_end shorter_than_its_least_step
        next_to_nothing undefined_at_the_end
    ]
}
