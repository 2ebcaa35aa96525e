//! The automatic choice of the first step.

use odes::methods::{Method, Rodas4, Tsit5Rodas4};
use odes::prelude::*;
use odes_models::robertson::{P, U0, robertson};

/// Asserts that the final state is right.
///
/// The reaction rate has the index `i` of 2^20 rates between 0.02 and 0.06.
fn arrives<M: Method>(method: M, i: u32, reltol: f64, abstol: f64) {
    let rate = 0.04 * (1.0 + 0.5 * (2.0 * f64::from(i) / 1_048_575.0 - 1.0));
    let problem = OdeProblem::new(robertson, U0, 0.0..=1e4, [rate, P[1], P[2]]);
    let options = SolveOptions::default().reltol(reltol).abstol(abstol);
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success, "{reltol:e}, {abstol:e}");
    let tight = SolveOptions::default().reltol(1e-10).abstol(1e-14);
    let exact = problem.solve(Rodas5P, &tight).unwrap().final_state();
    for (x, y) in solution.final_state().into_iter().zip(exact) {
        let error = (x - y).abs() / (y.abs() + abstol / reltol);
        assert!(error < 10.0 * reltol, "{reltol:e}, {abstol:e}: {x} and {y}");
    }
}

/// A step over fast reactions that the Jacobian at the start does not show.
///
/// Robertson's fast reactions have not begun at the start. A step of about 2.4e-3, five times their
/// duration, ends far from the solution. For some rates an error estimate is zero there, at a state
/// that explodes. At the rates below the first step is a hundred times Hairer's first guess.
#[test]
fn a_first_step_does_not_pass_over_what_the_jacobian_does_not_show() {
    arrives(Rodas4, 658_467, 1e-2, 1e-6);
    arrives(Rodas4, 720_045, 1e-3, 1e-7);
    arrives(Rodas4, 671_369, 1e-4, 1e-8);
    arrives(Tsit5Rodas4, 115_322, 1e-4, 1e-8);
    arrives(Tsit5Rodas4, 123_700, 1e-3, 1e-7);
    // Here ten times Hairer's first guess is already too long.
    arrives(Tsit5Rodas4, 138_085, 1e-4, 1e-7);
}

/// The first step may be long if the system is stiff and the derivatives at the start show it.
///
/// Implicit methods need not resolve such a fast decay.
#[test]
fn a_first_step_is_long_where_what_is_fast_is_shown() {
    let problem = OdeProblem::new(settles, [1.0 + 1e-6], 0.0..=1.0, [1e6]);
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let solution = problem.solve(Rodas5P, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    let steps = solution.accepted() + solution.rejected();
    assert!(steps < 6, "{steps}");
    assert!(f64::abs(solution.final_state()[0] - 1.0) < 1e-6);
}

#[ode_system]
fn settles(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], _t: f64) {
    du[0] = p[0] * (1.0 - u[0]);
}

/// A time so far from zero that no step is as short as the solution needs.
///
/// An L-stable method damps the fast part without an error estimate that shows it.
#[test]
fn a_first_step_that_time_does_not_have_is_not_taken() {
    let end = |from: f64, span: f64| {
        let problem = OdeProblem::new(oscillates, [1.0, 0.0], from..=from + span, []);
        problem.solve(Rodas4, &SolveOptions::default()).unwrap()
    };
    // One unit in the last place of these times is 2.1e6 and 1.5e-5.
    assert_eq!(end(-1e22, 1e22).code(), ReturnCode::DtMin);
    assert_eq!(end(-1e22, 1e22).accepted(), 0);
    let resolved = end(-1e11, 10.0);
    assert_eq!(resolved.code(), ReturnCode::Success);
    assert!((resolved.final_state()[0] - 10.0_f64.cos()).abs() < 1e-2);
}

#[ode_system]
fn oscillates(u: &[f64; 2]) -> [f64; 2] {
    [u[1], -u[0]]
}

/// Adsorption by Elovich.
#[ode_system]
fn adsorbs(q: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
    [p[0] * (-p[1] * q[0]).exp()]
}

/// Oxide growth by Deal and Grove.
#[ode_system]
fn oxidises(x: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
    [p[1] / (2.0 * x[0] + p[0])]
}

/// States that begin at zero, and transients of all rates, in all units of time.
///
/// Implicit methods must not pass over them. Exact solutions are closed forms.
#[test]
fn growth_from_nothing_is_followed_in_all_units_of_time() {
    fn each<M: Method>(method: M) {
        let name = M::PROPERTIES.name;
        for tolerance in [1e-3, 1e-6] {
            let options = SolveOptions::default().tolerance(tolerance);
            for decade in 0..6 {
                let rate = 10.0_f64.powi(3 * decade - 3);
                for unit in [1e-9, 1.0, 1e9] {
                    let end = 7.0 * unit;
                    let problem = OdeProblem::new(adsorbs, [0.0], 0.0..=end, [rate / unit, 2.0]);
                    let solution = problem.solve(method, &options).unwrap();
                    let exact = 0.5 * (14.0 * rate).ln_1p();
                    let error = (solution.final_state()[0] - exact).abs();
                    assert!(solution.code().is_success(), "{name}: {}", solution.code());
                    let bound = 100.0 * tolerance * (exact + 1e-3);
                    assert!(error < bound, "{name}, {rate:e}, {unit:e}: {error:e}");
                }
                // The scale of the growth is far below the tolerance.
                let a = 1e-4 / rate;
                let problem = OdeProblem::new(oxidises, [0.0], 0.0..=10.0, [a, 100.0]);
                let solution = problem.solve(method, &options).unwrap();
                let exact = 2000.0 / (a + (a * a + 4000.0).sqrt());
                let error = (solution.final_state()[0] - exact).abs();
                assert!(error < 100.0 * tolerance * exact, "{name}, {a:e}: {error:e}");
            }
        }
    }
    each(odes::Tsit5);
    each(Rodas5P);
    each(odes::methods::Kvaerno5);
}
