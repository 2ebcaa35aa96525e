//! Defects of DiffEqGPU.jl's kernels, each with a test that passes here.
//!
//! The defects are from its code, its issues and its later tests. Tests without a file name are in
//! this file.
//!
//! | there | here |
//! |---|---|
//! | fixed steps: 1001 instead of 1000 in `f32`, the end overshot, a write out of bounds | [`fixed_steps_are_counted`], `gpu_ode_regression::fixed_steps` |
//! | a first step beyond the end (#535), an end that is missed by rounding | `adaptive_endpoint::every_end_…`, `one_step_to_the_end` |
//! | endless steps where a step no longer advances `f32` time | `adaptive_endpoint::coarse_time_…`, `decay_in_coarse_time`; `tsit5.rs: f32_time_keeps_small_steps` |
//! | a NaN is accepted, and a success | [`failures_have_codes`], `adaptive_endpoint::undefined_at_the_end` |
//! | a step below 1e-14 ends the launch, for all trajectories | [`failures_have_codes`], `adaptive_endpoint::shorter_than_its_least_step` |
//! | no limit of steps: one trajectory holds up all (#376) | [`failures_have_codes`], `bits.rs: trajectories_that_are_given_up` |
//! | one trajectory without results fails the batch (#161) | [`failures_have_codes`]; `stiff.rs: failures_harm_nobody` |
//! | spans backwards fail (#352) | [`backwards`] |
//! | spans of their own need as many saved states (#216) | [`spans_of_their_own`] |
//! | a stop within a step leaves the slope before it; states saved change steps | [`saving_changes_no_step`] |
//! | a spacing of saved times that does not divide the span is changed | `conversions::saved_times` |
//! | states between saved ones are on straight lines | `invalid_options.rs: interpolation_between_saved_states` |
//! | Vern7's states next to the ends of steps (#554) | `adaptive_endpoint::saved_next_to_the_end`, `property_grid` |
//! | time gradients get lost: lower orders on forced problems | `rosenbrock.rs`, `convergence.rs`: orders on problems that depend on the time |
//! | derivatives by finite differences with absolute steps | `finite_diff::no_jacobian_by_hand`, `derivatives.rs` |
//! | a Jacobian in `f32` for problems in `f64` | `rosenbrock.rs`: orders down to errors of 1e-10 |
//! | `1/(γ h)` overflows or equations are singular, and the result is not a number | `adaptive_endpoint::next_to_nothing`; `stiff.rs: singular_equations_end_a_trajectory` |
//! | wrong results with a mass matrix (#530); a mass matrix or the time gradient beside it that is dropped | `dae/problems.rs: issue_530`, `masses_only_scale`; `dae/convergence.rs` |
//! | one initial state without a consistent one near it fails the batch | `dae/initial.rs: impossible_ones_are_told_and_harm_nobody` |
//! | no more than 32 states (#326) | `models.rs`: Lorenz 96 |
//! | options that are not understood are ignored | they do not compile: `SolveOptions` has no other |
//! | options that make no sense are not looked at | `invalid_options.rs` |
//! | results depend on batches and on what else is solved | `bits.rs`, `gpu.rs` |

use super::{everywhere, for_each_method, straight, ten};
use crate::cases::hyperbola;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;

/// The number of fixed steps is right, and the last step ends at `t1`.
///
/// The last step is shorter if the span is no multiple of the step size. In `u' = u` each step
/// counts.
fn fixed_steps<M: Method, T: Scalar>(method: M, cases: &[(f64, f64, u32)]) {
    for &(end, dt, count) in cases {
        let problem = straight::<T>(1.0, (0.0, end), [0.0, 1.0, 0.0, 1.0]);
        let options = SolveOptions::default().fixed_step(dt);
        for solution in everywhere(method, &ten(problem), &options) {
            assert_eq!(solution.accepted(2), count, "{end}, {dt}");
            // A tenth of the effect of one more step.
            let (u, exact) = (solution.final_state(2)[0].widen(), end.exp());
            assert!((u - exact).abs() < 0.1 * dt * exact, "{u} and {exact} with {dt}");
        }
    }
}
fn fixed_steps_are_counted<M: Method>(method: M) {
    fixed_steps::<M, f32>(method, &[(1.0, 0.001, 1000), (1.0, 0.01, 100), (1.0, 0.03, 34)]);
    fixed_steps::<M, f64>(method, &[(10.0, 0.1, 100), (1.0, 0.1, 10), (1.0, 0.03, 34)]);
}

/// Trajectories that fail in several ways, and others that succeed.
///
/// One begins with a NaN, one has an infinite slope, one grows beyond all numbers, and some take
/// too many steps.
fn failures_have_codes<M: Method>(method: M) {
    let growth = |rate: f64| [0.0, rate, 0.0, -1.0];
    let problem = straight::<f64>(1.0, (0.0, 1.0), growth(-1.0));
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).saveat(0.25);
    let others = |i: usize| problem.with_p(growth(-(i as f64) / 50.0));
    let healthy = EnsembleProblem::new(problem).trajectories(50).vary(|_, i| others(i));
    let mixed = EnsembleProblem::new(problem).trajectories(50).vary(|_, i| match i {
        3 => others(i).with_u0([f64::NAN, 1.0]),
        14 => others(i).with_p(growth(f64::INFINITY)),
        25 => others(i).with_p(growth(1e3)),
        _ => others(i),
    });
    let healthy = everywhere(method, &healthy, &options);
    for (healthy, mixed) in healthy.into_iter().zip(everywhere(method, &mixed, &options)) {
        assert!(healthy.all_succeeded());
        for i in 0..50 {
            let code = mixed.code(i);
            match i {
                3 | 14 => assert_eq!(code, ReturnCode::NonFinite, "{i}"),
                // The code depends on the method.
                25 => assert!(!code.is_success()),
                _ => {
                    assert_eq!(code, ReturnCode::Success);
                    assert_eq!(mixed.final_state(i), healthy.final_state(i));
                    assert!(mixed.trajectory(i).states().eq(healthy.trajectory(i).states()));
                }
            }
        }
    }
    let few = options.abstol(1e-9).reltol(1e-9).max_steps(3);
    for solution in everywhere(method, &ten(problem.with_p(growth(-100.0))), &few) {
        assert!(solution.codes().all(|code| code == ReturnCode::MaxSteps));
        assert_eq!(solution.accepted(0) + solution.rejected(0), 3);
    }
}

/// A solve forwards, and backwards again.
fn backwards<M: Method>(method: M) {
    let problem = straight::<f64>(1.0, (3.0, 1.0), [0.0, 0.7, 0.0, 0.7]);
    for options in [
        SolveOptions::default().abstol(1e-8).reltol(1e-8),
        SolveOptions::default().fixed_step(-0.001),
    ] {
        let options = options.saveat([3.0, 2.5, 1.25, 1.0]);
        for solution in everywhere(method, &ten(problem), &options) {
            assert!(solution.all_succeeded());
            let trajectory = solution.trajectory(1);
            assert_eq!(trajectory.len(), 4);
            for (t, [u, _]) in trajectory.times().zip(trajectory.states()) {
                let exact = (0.7 * (t - 3.0)).exp();
                assert!((u - exact).abs() < 1e-6, "{u} and {exact} at {t}");
            }
            assert_eq!(trajectory.state(3), trajectory.final_state());
        }
    }
}

/// Each trajectory has its own begin and end.
fn spans_of_their_own<M: Method>(method: M) {
    let problem = straight::<f64>(1.0, (0.0, 1.0), [0.0, -1.0, 0.0, -1.0]);
    let span = |i: usize| (0.01 * i as f64, 1.0 + 0.02 * i as f64);
    let ensemble = EnsembleProblem::new(problem).trajectories(50).vary(|q, i| {
        let (begin, end) = span(i);
        q.with_tspan(begin..=end)
    });
    for options in [
        SolveOptions::default().abstol(1e-8).reltol(1e-8),
        SolveOptions::default().fixed_step(0.001),
    ] {
        for solution in everywhere(method, &ensemble, &options) {
            assert!(solution.all_succeeded());
            for i in 0..50 {
                let (begin, end) = span(i);
                let (u, exact) = (solution.final_state(i)[0], (begin - end).exp());
                assert!((u - exact).abs() < 1e-6, "{u} and {exact}");
            }
        }
    }
}

/// Saved times change no steps.
fn saving_changes_no_step<M: Method>(method: M) {
    let problem = OdeProblem::new(hyperbola, [10.0], 0.0..=10.0, [-1.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(20)
        .vary(|q, i| q.with_p([-0.1 * (1.0 + i as f64)]));
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let without = everywhere(method, &ensemble, &options);
    let with = everywhere(method, &ensemble, &options.saveat(0.01));
    for (without, with) in without.into_iter().zip(with) {
        for i in 0..20 {
            assert_eq!(without.final_state(i), with.final_state(i));
            assert_eq!(without.accepted(i), with.accepted(i));
            assert_eq!(without.rejected(i), with.rejected(i));
            assert_eq!(with.trajectory(i).len(), 1001);
        }
    }
}

for_each_method! {
    all: [
        fixed_steps_are_counted failures_have_codes backwards spans_of_their_own
        saving_changes_no_step
    ]
}
