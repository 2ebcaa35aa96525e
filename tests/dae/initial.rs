//! Consistent initial states: the solver finds states that solve the algebraic equations.
//!
//! If no such state exists, the return code reports it.

use crate::everywhere::same_everywhere;
use odes::SolveError;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method, Rosenbrock23, TrBdf2};
use odes::prelude::*;
use odes::problem::Vary;

/// `z² = p` and `x' = -x z`: there is no real `z` if `p` is negative.
#[ode_system]
mod root {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
        let [x, z] = *u;
        [-x * z, z * z - p[0]]
    }
}

/// Two algebraic unknowns that depend on each other, one of them on the time.
///
/// `y = 2 cos t`, `z = x² + y³`, and `x' = z - x² - y³ - x`.
#[ode_system]
mod chain {
    #[mass_matrix]
    const M: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 3.0, 0.0]];

    fn rhs(u: &[f64; 3], t: f64) -> [f64; 3] {
        let [z, x, y] = *u;
        let rest = z - x * x - y.powi(3);
        [rest + y - 2.0 * t.cos(), rest, 3.0 * (rest - x)]
    }
}

/// No column of the mass matrix is zero: `(x + z)' = -x`, `x = z³`.
#[ode_system]
mod together {
    #[mass_matrix]
    const M: [[f64; 2]; 2] = [[1.0, 1.0], [0.0, 0.0]];

    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        let [x, z] = *u;
        [-x, x - z.powi(3)]
    }
}

/// A mass matrix whose third row is three tenths of the first row and seven tenths of the second.
///
/// The third equation is the same sum with `x + y = 2 cos t` added, so `x - y` and `z` decay as
/// `e^-t`.
#[ode_system]
mod dependent {
    #[mass_matrix]
    const M: [[f64; 3]; 3] = [[1.0, -1.0, 0.0], [0.0, 0.0, 2.0], [0.3, -0.3, 1.4]];

    fn rhs(u: &[f64; 3], t: f64) -> [f64; 3] {
        let [x, y, z] = *u;
        let (first, second) = (y - x, -2.0 * z);
        [first, second, 0.3 * first + 0.7 * second + 5.0 * (x + y - 2.0 * t.cos())]
    }
}

fn corrected<M: Method + Copy>(method: M) {
    for options in [
        SolveOptions::default().abstol(1e-7).reltol(1e-7).saveat([0.0, 1.0]),
        SolveOptions::default().abstol(1e-7).reltol(1e-7).saveat([0.0, 1.0]).fixed_step(0.01),
    ] {
        for guess in [0.3, 2.0001, 7.0, 1e4_f64] {
            let x = 0.1 + 1.0 / guess;
            let problem = OdeProblem::new(root, [x, guess], 0.0..=1.0, [4.0]);
            let solution = problem.solve(method, &options).unwrap();
            assert_eq!(solution.code(), ReturnCode::Success);
            let states: Vec<_> = solution.states().collect();
            assert_eq!(states[0][0], x);
            assert!((states[0][1] - 2.0).abs() < 1e-13, "{guess}: {states:?}");
            assert!((states[1][0] / x - (-2.0_f64).exp()).abs() < 1e-4, "{guess}: {states:?}");
        }
    }
}

#[test]
fn guesses_are_corrected() {
    corrected(Rosenbrock23);
    corrected(Rodas5P);
    corrected(Kvaerno5);
}

#[test]
fn consistent_states_are_kept() {
    let options = SolveOptions::default().saveat([0.0]);
    let problem = OdeProblem::new(root, [0.7, 2.0], 0.0..=1.0, [4.0]);
    let first = |solution: odes::OdeSolution<_, f64, 2, 1>| solution.states().next();
    assert_eq!(first(problem.solve(Rodas5P, &options).unwrap()), Some([0.7, 2.0]));
    // The root of 3 to rounding error, for every tolerance.
    for tolerance in [1e-3, 1e-8, 1e-15] {
        let problem = OdeProblem::new(root, [0.7, 1.7], 0.0..=1e-3, [3.0]);
        let options = options.clone().abstol(tolerance).reltol(tolerance).max_steps(100_000);
        let [x, z] = first(problem.solve(Rodas5P, &options).unwrap()).unwrap();
        assert!(x == 0.7 && (z - 3.0_f64.sqrt()).abs() < 1e-15 + 1e-3 * tolerance, "{x} {z}");
    }
}

#[test]
fn several_unknowns_and_the_time() {
    // From 1 to 3 and back.
    for (begin, end) in [(1.0, 3.0), (3.0, 1.0)] {
        let options = SolveOptions::default().abstol(1e-9).reltol(1e-9).saveat([begin, end]);
        let problem = OdeProblem::new(chain, [0.0, 0.5, 0.0], begin..=end, []);
        let solution = problem.solve(Kvaerno5, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        for (t, [z, x, y]) in solution.times().zip(solution.states()) {
            assert!((y - 2.0 * t.cos()).abs() < 1e-8, "{t}: {y}");
            assert!((z - x * x - y.powi(3)).abs() < 1e-8, "{t}: {z}");
            assert!((x - 0.5 * (begin - t).exp()).abs() < 1e-6, "{t}: {x}");
        }
        assert_eq!(solution.states().next().map(|u| u[1]), Some(0.5));
    }
}

/// Initialisation does not change the differential part, here `x + z`.
#[test]
fn unknowns_that_cannot_be_told_apart() {
    let problem = OdeProblem::new(together, [1.5, 0.5], 0.0..=1.0, []);
    let solution = problem.solve(Rodas5P, &SolveOptions::default().saveat([0.0])).unwrap();
    assert_eq!(solution.states().next(), Some([1.0, 1.0]));
    assert_eq!(solution.code(), ReturnCode::Success);
}

fn follows_dependent<M: Method + Copy>(method: M, most: f64) {
    let options = SolveOptions::default().abstol(1e-7).reltol(1e-7).saveat([0.0, 2.0]);
    let problem = OdeProblem::new(dependent, [2.0, 0.5, 3.0], 0.0..=2.0, []);
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    for (t, u) in solution.times().zip(solution.states()) {
        let decay = (-t).exp();
        // Initialisation does not change the quantities with derivatives: the difference of x and
        // y, and z.
        let expected = [t.cos() + 0.75 * decay, t.cos() - 0.75 * decay, 3.0 * decay];
        for (u, expected) in u.into_iter().zip(expected) {
            assert!((u - expected).abs() < most, "{} at {t}: {u} {expected}", M::PROPERTIES.name);
        }
    }
}

#[test]
fn equations_whose_rows_depend_on_others_are_algebraic() {
    assert_eq!(dependent::report().algebraic, 1);
    follows_dependent(Rodas5P, 2e-7);
    follows_dependent(Rosenbrock23, 1e-4);
    follows_dependent(TrBdf2, 1e-4);
    follows_dependent(Kvaerno5, 2e-6);
}

/// Returns the root of trajectory `i`; each trajectory has its own guess and root.
fn zero_of(i: usize) -> f64 {
    0.5 + i as f64 / 100.0
}

fn guess<T: Scalar>(i: usize) -> [T; 2] {
    [T::narrow(1.0 + zero_of(i)), T::narrow(3.0 - 0.01 * i as f64)]
}

/// Returns an ensemble; trajectories for which `broken` is true have no root or begin with a NaN.
fn ensemble<T: Scalar>(
    broken: bool,
) -> EnsembleProblem<root::Model, T, impl Vary<root::Model, T, 2, 1>, 2, 1> {
    let x = T::narrow;
    let problem = OdeProblem::new(root, guess(0), 0.0..=1.0, [1.0]).cast::<T>();
    EnsembleProblem::new(problem).trajectories(200).vary(
        move |q: OdeProblem<_, T, 2, 1>, i: usize| {
            let q = q.with_p([x(zero_of(i).powi(2))]).with_u0(guess(i));
            match i % 20 {
                3 if broken => q.with_p([x(-zero_of(i))]),
                8 if broken => q.with_u0([x(1.0), T::nan()]),
                13 if broken => q.with_p([T::nan()]),
                17 if broken => q.with_u0([T::infinity(), x(1.0)]),
                _ => q,
            }
        },
    )
}

fn told<T: Scalar, M: Method + Copy>(method: M) {
    let adaptive = SolveOptions::default().abstol(1e-4).reltol(1e-4).saveat(0.25);
    for options in [adaptive.clone(), adaptive.fixed_step(0.05)] {
        let healthy = ensemble::<T>(false).solve(method, EnsembleSerial, &options).unwrap();
        assert!(healthy.all_succeeded(), "{:?}", healthy.code_counts());
        let mixed = ensemble::<T>(true);
        let serial = mixed.solve(method, EnsembleSerial, &options).unwrap();
        same_everywhere(method, &mixed, &serial, &options);
        for (i, trajectory) in serial.iter().enumerate() {
            let code = trajectory.code();
            match i % 20 {
                3 => {
                    assert_eq!(code, ReturnCode::Inconsistent, "{i}");
                    assert_eq!(trajectory.final_state(), guess(i), "{i}");
                    assert_eq!((trajectory.len(), trajectory.accepted()), (0, 0), "{i}");
                }
                8 | 13 | 17 => assert_eq!(code, ReturnCode::NonFinite, "{i}"),
                _ => {
                    assert_eq!(code, ReturnCode::Success, "{i}");
                    let expected = healthy.trajectory(i);
                    assert!(trajectory.states().eq(expected.states()), "{i}");
                    assert_eq!(trajectory.accepted(), expected.accepted(), "{i}");
                    let [x, z] = trajectory.state(0);
                    assert_eq!(x, guess::<T>(i)[0], "{i}");
                    assert!((z.widen() - zero_of(i)).abs() < 1e-6, "{i}: {z:?}");
                }
            }
        }
    }
}

#[test]
fn impossible_ones_are_told_and_harm_nobody() {
    told::<f64, _>(Rodas5P);
    told::<f64, _>(Kvaerno5);
    told::<f32, _>(Rodas5P);
}

#[test]
fn explicit_methods_are_refused() {
    let problem = OdeProblem::new(root, [1.0, 1.0], 0.0..=1.0, [1.0]);
    let error = problem.solve(Tsit5, &SolveOptions::default()).unwrap_err();
    assert!(matches!(error, SolveError::MassMatrix { method: "Tsit5", system: "root" }));
    assert_eq!(
        error.to_string(),
        "Tsit5 cannot solve root, which has a mass matrix; use a Rosenbrock or an ESDIRK method, \
         such as `Rodas5P`"
    );
}
