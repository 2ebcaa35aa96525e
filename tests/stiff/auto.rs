//! Methods that switch.
//!
//! The tests check the method of each trajectory, errors that follow tolerances, and results that
//! depend on no neighbour.

use crate::everywhere::succeeds_everywhere;
use odes::SolveError;
use odes::internals::methods::{tsit5, vern7};
use odes::methods::{Method, Rodas4, Tsit5Rodas4, Vern7Rodas5P};
use odes::prelude::*;

/// Returns `R(z)` of an explicit method for `u' = z u`.
fn stability(tableau: &odes::internals::methods::explicit::Tableau, z: f64) -> f64 {
    let mut stages = vec![1.0];
    let dot = |row: &[f64], stages: &[f64]| -> f64 {
        1.0 + z * row.iter().zip(stages).map(|(a, y)| a * y).sum::<f64>()
    };
    for row in tableau.stages {
        stages.push(dot(row.coefficients, &stages));
    }
    match tableau.solution {
        [] => stages[stages.len() - 1],
        [row, ..] => dot(row.coefficients, &stages),
    }
}

/// The declared bounds of stability are the tableaus', and the compared stages are at the same
/// time.
#[test]
fn the_explicit_methods_are_stable_as_far_as_is_said() {
    for (tableau, stable, [a, b]) in [
        (&tsit5::TABLEAU, odes::internals::methods::tsit5_rodas4::STABLE, [6, 7]),
        (&vern7::TABLEAU, odes::internals::methods::vern7_rodas5p::STABLE, [9, 10]),
    ] {
        assert_eq!(tableau.nodes[a - 1], tableau.nodes[b - 1]);
        let end = (1..).map(|i| 1e-4 * f64::from(i));
        let end = end.take_while(|x| stability(tableau, -x).abs() <= 1.0).last().unwrap();
        assert!((end / stable - 1.0).abs() < 2e-3, "{end} and {stable}");
    }
}

/// Van der Pol's oscillator of any stiffness, over a few of its periods.
#[ode_system]
fn van_der_pol(u: &[f64; 2], p: &[f64; 1], _t: f64) -> [f64; 2] {
    let [x, y] = *u;
    [y, p[0] * ((1.0 - x * x) * y) - x]
}

fn oscillators(
    n: usize,
) -> EnsembleProblem<van_der_pol, f64, impl odes::problem::Vary<van_der_pol, f64, 2, 1>, 2, 1> {
    let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=20.0, [1.0]);
    EnsembleProblem::new(problem).trajectories(n).vary(move |problem, i| {
        // Every tenth trajectory is stiff.
        let share = i as f64 / n as f64;
        let mu = if i % 10 == 3 { 1e3 * (1.0 + share) } else { 0.5 + share };
        problem.with_p([mu])
    })
}

fn options(tolerance: f64) -> SolveOptions {
    SolveOptions::default().abstol(tolerance).reltol(tolerance)
}

/// Only lanes with stiff trajectories switch, and all results are right.
#[test]
fn only_stiff_trajectories_change() {
    let ensemble = oscillators(200);
    let exact = ensemble.solve(Rodas5P, EnsembleThreads::new(), &options(1e-10)).unwrap();
    for tolerance in [1e-4, 1e-6, 1e-8] {
        let solution = ensemble.solve(Auto, EnsembleThreads::new(), &options(tolerance)).unwrap();
        assert!(solution.all_succeeded(), "{:?}", solution.code_counts());
        let names =
            if tolerance >= 1e-6 { ["Tsit5Rodas4", "Rodas4"] } else { ["Vern7Rodas5P", "Rodas5P"] };
        let method = solution.method();
        assert_eq!([method.name, method.switches_to.unwrap().name], names);
        for i in 0..200 {
            assert_eq!(solution.used_stiff_method(i), i % 10 == 3, "{i}");
            for (x, y) in solution.final_state(i).into_iter().zip(exact.final_state(i)) {
                assert!((x - y).abs() < 300.0 * tolerance * (1.0 + y.abs()), "{i}: {x} and {y}");
            }
        }
        // Trajectories that are not stiff have the bits of the explicit method.
        let alone = match tolerance >= 1e-6 {
            true => ensemble.solve(Tsit5, EnsembleSerial, &options(tolerance).max_steps(3000)),
            false => {
                ensemble.solve(odes::Vern7, EnsembleSerial, &options(tolerance).max_steps(3000))
            }
        };
        let alone = alone.unwrap();
        for i in (0..200).filter(|i| i % 10 != 3) {
            assert_eq!(solution.final_state(i), alone.final_state(i), "{i}");
            assert_eq!(solution.accepted(i), alone.accepted(i), "{i}");
        }
    }
}

/// Equal bits at every width, in C++ and on a GPU, with states saved by both methods.
fn same_everywhere<M: Method + Copy>(method: M, tolerance: f64) {
    succeeds_everywhere(method, &oscillators(300), &options(tolerance).saveat(2.5));
}

#[test]
fn tsit5_rodas4_has_the_same_bits() {
    same_everywhere(Tsit5Rodas4, 1e-5);
}

#[test]
fn vern7_rodas5p_has_the_same_bits() {
    same_everywhere(Vern7Rodas5P, 1e-8);
}

/// States saved by either method are right.
#[test]
fn saved_states_are_interpolated_by_the_method_that_made_the_step() {
    let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=20.0, [300.0]);
    let times: Vec<f64> = (1..200).map(|i| 0.1 * f64::from(i)).collect();
    let exact = problem.solve(Rodas5P, &options(1e-11).saveat(&times[..])).unwrap();
    for tolerance in [1e-5, 1e-8] {
        let solution = problem.solve(Auto, &options(tolerance).saveat(&times[..])).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        for (x, y) in solution.states().zip(exact.states()) {
            assert!((x[0] - y[0]).abs() < 200.0 * tolerance, "{x:?} and {y:?}");
        }
    }
}

/// A problem that is always stiff takes about as many steps as with the implicit method alone.
///
/// It takes far fewer steps than with the explicit method.
#[test]
fn steps() {
    use odes_models::robertson::{P, U0, robertson};
    let problem = OdeProblem::new(robertson, U0, 0.0..=1e4, P);
    let options = SolveOptions::default().reltol(1e-5).abstol(1e-9).max_steps(20_000);
    let steps = |solution: &odes::OdeSolution<robertson, f64, 3, 3>| {
        (solution.accepted() + solution.rejected(), solution.code())
    };
    let (implicit, _) = steps(&problem.solve(Rodas4, &options).unwrap());
    let (auto, code) = steps(&problem.solve(Auto, &options).unwrap());
    let (_, explicit) = steps(&problem.solve(Tsit5, &options).unwrap());
    eprintln!("{implicit} steps by Rodas4, {auto} by Auto");
    assert_eq!((code, explicit), (ReturnCode::Success, ReturnCode::MaxSteps));
    assert!(auto < 2 * implicit + 40, "{auto} and {implicit}");
}

#[test]
fn fixed_steps_are_refused() {
    let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=1.0, [1.0]);
    let error = problem.solve(Auto, &SolveOptions::default().fixed_step(0.1)).unwrap_err();
    assert!(matches!(error, SolveError::NotFixed { method: "Auto" }), "{error}");
}
