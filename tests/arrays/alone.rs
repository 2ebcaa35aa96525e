//! A lockstep ensemble of equal members has the bits of a single trajectory.
//!
//! The lockstep loop makes the decisions of the loop of lanes, with every method and every option.

use crate::systems::{constrained, forced, hyperbola};
use crate::workloads::assert_same_bits;
use odes::backend::LockstepNorm;
use odes::lane::Scalar;
use odes::methods::{Method, Rk4, TrBdf2};
use odes::prelude::*;
use odes::system::System;
use odes::{Controller, EnsembleSolution, GrowthGuard, Saving, StepSize};

/// Solves one trajectory in one lane, and lockstep ensembles of some sizes with equal members.
fn same<M: Method, S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    method: M,
    problem: &OdeProblem<S, T, N, P>,
    options: &SolveOptions,
) -> EnsembleSolution<S, T, N, P> {
    let name = M::PROPERTIES.name;
    let ensemble = |n| EnsembleProblem::new(*problem).trajectories(n);
    for (n, norm) in
        [(1, LockstepNorm::Greatest), (1, LockstepNorm::Mean), (64, LockstepNorm::Mean)]
    {
        eprintln!("{name}, {n} columns, {norm:?}, {options:?}");
        let expected = ensemble(n).solve(method, EnsembleSerial, options).unwrap();
        let array = EnsembleCpuArray::new().norm(norm).threads(2);
        let found = ensemble(n).solve(method, &array, options).unwrap();
        assert_same_bits(&expected, &found);
        let worst = found.worst_member();
        let fixed = matches!(options.step, StepSize::Fixed(_));
        assert_eq!(worst.is_none(), fixed);
        assert!(worst.is_none_or(|worst| worst.error <= 1.0), "{worst:?}");
    }
    ensemble(1).solve(method, EnsembleSerial, options).unwrap()
}

/// All options, by a method of each kind.
fn all_options<M: Method, T: Scalar>(method: M) {
    let adaptive = SolveOptions::default().tolerance(1e-5);
    let problem = OdeProblem::new(forced, [1.0, 0.5], 0.0..=4.0, [4.0, 0.3]).cast::<T>();
    for options in [
        adaptive.clone(),
        adaptive.clone().saveat(0.25).saving(Saving::Both),
        adaptive.clone().saveat(0.25).save_only([2, 1]),
        adaptive.clone().saveat(SaveAt::Steps).tstops([1.5, 2.0]),
        adaptive.clone().saveat([0.0, 0.1, 1.5, 4.0]).tstops([1.5]).first_step(0.01).dtmax(0.2),
        adaptive.clone().max_steps(7).saveat(0.1),
        adaptive.clone().dtmin(0.05).saveat(0.5),
        adaptive.controller(Controller::i()),
        SolveOptions::default().fixed_step(0.03).saveat(0.1),
        SolveOptions::default().fixed_step(0.03).saveat(SaveAt::Steps).tstops([1.5]),
    ] {
        same(method, &problem, &options);
    }
    // Backwards, at times far from zero, and into the wall.
    let adaptive = SolveOptions::default().tolerance(1e-5).saveat(0.25);
    let back = OdeProblem::new(forced, [1.0, 0.5], 4.0..=0.0, [4.0, 0.3]).cast::<T>();
    same(method, &back, &adaptive);
    let out = OdeProblem::new(forced, [49.0, 5.0], 0.0..=4.0, [0.0, 0.3]).cast::<T>();
    assert_eq!(same(method, &out, &adaptive).code(0), ReturnCode::OutOfDomain);
    let none = OdeProblem::new(forced, [1.0, 0.5], 2.0..=2.0, [4.0, 0.3]).cast::<T>();
    same(method, &none, &SolveOptions::default().saveat([2.0]));
}

#[test]
fn explicit() {
    all_options::<_, f64>(Tsit5);
    all_options::<_, f32>(Tsit5);
}

#[test]
fn rosenbrock() {
    all_options::<_, f64>(Rodas5P);
    all_options::<_, f32>(Rodas5P);
}

#[test]
fn esdirk() {
    all_options::<_, f64>(TrBdf2);
    all_options::<_, f32>(TrBdf2);
}

/// Methods without error estimates, and those that compute stages for their interpolants.
#[test]
fn other_explicit_methods() {
    let problem = OdeProblem::new(forced, [1.0, 0.5], 0.0..=4.0, [4.0, 0.3]);
    same(Rk4, &problem, &SolveOptions::default().fixed_step(0.1).saveat(0.25));
    same(Vern7, &problem, &SolveOptions::default().tolerance(1e-8).saveat(0.25));
}

/// The guard finds growth from almost zero, and an algebraic unknown is made consistent.
#[test]
fn growth_and_constraints() {
    let problem = OdeProblem::new(constrained, [1e-12, 1e-12, 0.5], 0.0..=100.0, [1.0]);
    for guard in [GrowthGuard::Reject, GrowthGuard::Report, GrowthGuard::Off] {
        let options = SolveOptions::default().tolerance(1e-5).saveat(10.0).growth_guard(guard);
        let refused = same(Rodas5P, &problem, &options);
        assert_eq!(refused.guarded(0) > 0, guard != GrowthGuard::Off);
        let grown = (refused.final_states()[[0, 0]] - 1.0).abs() < 1e-3;
        assert!(grown || guard != GrowthGuard::Reject);
        same(Rodas5P, &problem, &options.clone().tstops([20.0, 60.0]));
        same(TrBdf2, &problem, &options);
    }
}

/// A solution that ends within the span ends in the same way.
#[test]
fn blow_up() {
    let problem = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [1.0]);
    let options = SolveOptions::default().tolerance(1e-6).saveat(0.1);
    for code in [
        same(Tsit5, &problem, &options).code(0),
        same(Rodas5P, &problem, &options).code(0),
        same(TrBdf2, &problem.cast::<f32>(), &options).code(0),
    ] {
        assert!(!code.is_success(), "{code}");
    }
    let endless = OdeProblem::new(hyperbola, [1.0], 0.0..=2.0, [f64::INFINITY]);
    assert_eq!(same(Tsit5, &endless, &options).code(0), ReturnCode::NonFinite);
}
