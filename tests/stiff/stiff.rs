//! Stiff ensembles: equal bits on all backends, and failures that do not affect other trajectories.

use crate::everywhere::succeeds_everywhere;
use crate::workloads::assert_same_bits;
use odes::KenCarp4;
use odes::backend::Schedule;
use odes::lane::Scalar;
use odes::methods::{Kvaerno3, Kvaerno5, Method, Rodas3, Rodas4, Rosenbrock23, TrBdf2};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;

/// Robertson's reactions at a temperature that changes with the time; nothing is rounded twice.
#[ode_system]
fn reactions(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 4], t: f64) {
    let [a, b, c] = *u;
    let [k1, k2, k3, cooling] = *p;
    let slow = k1 * a / (1.0 + cooling * t);
    let fast = k2 * b * b;
    let back = k3 * b * c;
    du[0] = back - slow;
    du[1] = slow - back - fast;
    du[2] = fast;
}

/// The same reactions without the time.
#[ode_system]
fn robertson(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 4], _t: f64) {
    let [a, b, c] = *u;
    let slow = p[0] * a;
    let fast = p[1] * b * b;
    let back = p[2] * b * c;
    du[0] = back - slow;
    du[1] = slow - back - fast;
    du[2] = fast;
}

/// Returns reactions of different speeds, in mixed order.
fn sweep<S: System<3, 4>, T: Scalar>(
    system: S,
    n: usize,
    end: f64,
) -> EnsembleProblem<S, T, impl Vary<S, T, 3, 4>, 3, 4> {
    let x = T::narrow;
    let problem =
        OdeProblem::new(system, [1.0, 0.0, 0.0], 0.0..=end, [0.04, 3e7, 1e4, 1e-3]).cast::<T>();
    EnsembleProblem::new(problem).trajectories(n).vary(
        move |problem: OdeProblem<S, T, 3, 4>, i: usize| {
            let share = ((i * 377) % n) as f64 / n as f64;
            let k1 = 0.04 * f64::powi(10.0, (3.0 * share) as i32 - 1) * (1.0 + share);
            problem.with_p([x(k1), x(3e7), x(1e4 * (1.0 + share)), x(1e-3 * share)])
        },
    )
}

fn same_everywhere<M, S, T>(method: M, system: S, end: f64, options: &SolveOptions)
where
    M: Method + Copy,
    S: System<3, 4>,
    T: Scalar,
{
    succeeds_everywhere(method, &sweep::<S, T>(system, 700, end), options);
}

#[test]
fn rosenbrock23_has_the_same_bits() {
    let options = SolveOptions::default().reltol(1e-4).abstol(1e-8).saveat([0.1, 40.0, 4000.0]);
    same_everywhere::<_, _, f64>(Rosenbrock23, robertson, 1e4, &options);
    same_everywhere::<_, _, f64>(Rosenbrock23, reactions, 1e4, &options);
    same_everywhere::<_, _, f32>(Rosenbrock23, reactions, 1e4, &options);
}

#[test]
fn rodas5p_has_the_same_bits() {
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-10).saveat([0.1, 40.0, 4000.0]);
    same_everywhere::<_, _, f64>(Rodas5P, robertson, 1e4, &options);
    same_everywhere::<_, _, f64>(Rodas5P, reactions, 1e4, &options);
    let options = SolveOptions::default().reltol(1e-4).abstol(1e-8);
    same_everywhere::<_, _, f32>(Rodas5P, reactions, 1e4, &options);
    let options = SolveOptions::default().fixed_step(1e-4).saveat(0.004);
    same_everywhere::<_, _, f64>(Rodas5P, reactions, 0.03, &options);
}

#[test]
fn kvaerno5_has_the_same_bits() {
    let options = SolveOptions::default().reltol(1e-6).abstol(1e-10).saveat([0.1, 40.0, 4000.0]);
    same_everywhere::<_, _, f64>(Kvaerno5, robertson, 1e4, &options);
    same_everywhere::<_, _, f64>(Kvaerno5, reactions, 1e4, &options);
    let options = SolveOptions::default().reltol(1e-3).abstol(1e-7);
    same_everywhere::<_, _, f32>(Kvaerno5, reactions, 1e4, &options);
    let options = SolveOptions::default().fixed_step(1e-4).saveat(0.004);
    same_everywhere::<_, _, f64>(Kvaerno5, reactions, 0.03, &options);
}

/// `y` decays if `a < 1`; otherwise it blows up at `ln(a/(a-1))/2`.
///
/// `x` follows the square of `y`, `p[0]` times as fast.
#[ode_system]
fn follower(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let [x, y] = *u;
    let [speed, a] = *p;
    du[0] = speed * (y * y - x);
    du[1] = -y + a * y * y * y;
}

/// One trajectory in a hundred blows up, one is 1000 times stiffer, one begins with a NaN.
fn failures_harm_nobody<M: Method + Copy>(method: M) {
    let n = 1000;
    let p = |i: usize| [1e3, 0.9 * (i % 97) as f64 / 97.0];
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).saveat(0.25);
    let problem = OdeProblem::new(follower, [1.0, 1.0], 0.0..=3.0, [1e3, 0.5]);
    let healthy = EnsembleProblem::new(problem).trajectories(n).vary(|q, i| q.with_p(p(i)));
    let reference = healthy.solve(method, EnsembleSerial, &options).unwrap();
    assert!(reference.all_succeeded(), "{:?}", reference.code_counts());
    let mixed = EnsembleProblem::new(problem).trajectories(n).vary(|q, i| {
        let q = q.with_p(p(i));
        match i % 100 {
            7 => q.with_p([1e3, 2.0]),
            23 => q.with_p([1e6, p(i)[1]]),
            61 => q.with_u0([1.0, f64::NAN]),
            _ => q,
        }
    });
    let serial = mixed.solve(method, EnsembleSerial, &options).unwrap();
    for solution in [
        mixed.solve(method, EnsembleThreads::new().threads(2).batch(128), &options).unwrap(),
        mixed.solve(method, EnsembleThreads::new().schedule(Schedule::Static), &options).unwrap(),
    ] {
        assert_same_bits(&serial, &solution);
    }
    for i in 0..n {
        let (code, what) = (serial.code(i), M::PROPERTIES.name);
        match i % 100 {
            7 => {
                assert!(
                    matches!(
                        code,
                        ReturnCode::DtMin | ReturnCode::NonFinite | ReturnCode::NewtonDiverged
                    ),
                    "{what}: {code:?}"
                );
                // Up to the pole at ln(2)/2.
                assert_eq!(serial.trajectory(i).len(), 2, "{what}");
            }
            61 => assert_eq!(code, ReturnCode::NonFinite, "{what}"),
            23 => {
                assert_eq!(code, ReturnCode::Success, "{what}");
                let [x, y] = serial.final_state(i);
                assert!((x - y * y).abs() < 1e-4, "{what}: {x} {y}");
            }
            _ => {
                assert_eq!(code, ReturnCode::Success, "{what}");
                assert_eq!(serial.final_state(i), reference.final_state(i), "{what}: {i}");
                assert!(serial.trajectory(i).states().eq(reference.trajectory(i).states()));
                assert_eq!(serial.accepted(i), reference.accepted(i), "{what}: {i}");
            }
        }
    }
}

/// A function with a finite derivative whose second derivative is infinite.
#[ode_system]
fn root(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    du[0] = p[0] + u[0].sqrt();
    du[1] = u[0] - u[1];
}

/// `W = I/(γ h) - p` with `p = 1/(γ h)` exactly: no solution with this step.
fn singular<M: Method + Copy>(method: M, scale: impl Fn(f64) -> f64) {
    let problem = OdeProblem::new(root, [0.0, 1.0], 0.0..=1.0, [1.0]);
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.125)] {
        let solution = problem.solve(method, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Singular, "{}", M::PROPERTIES.name);
    }
    let single = OdeProblem::new(root, [0.0, 1.0], 0.0..=1.0, [1.0]).cast::<f32>();
    let solution = single.solve(method, &SolveOptions::default()).unwrap();
    assert_eq!(solution.code(), ReturnCode::Singular, "{} in f32", M::PROPERTIES.name);

    let dt = 0.5;
    let scale = scale(dt);
    let problem = OdeProblem::new(growth, [1.0], 0.0..=1.0, [scale]);
    let options = SolveOptions::default().fixed_step(dt);
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Singular, "{}", M::PROPERTIES.name);
    // With adaptive steps another step size is tried.
    let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).first_step(dt);
    let solution = problem.solve(method, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success, "{}", M::PROPERTIES.name);
    assert!(solution.rejected() > 0);
    let error = solution.final_state()[0] / scale.exp() - 1.0;
    assert!(error.abs() < 1e-2, "{}: {error:e}", M::PROPERTIES.name);
}

/// `u' = p u`.
#[ode_system]
fn growth(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    [p[0] * u[0]]
}

macro_rules! methods {
    ($($module:ident: $method:ident, $scale:expr;)*) => { $(
        mod $module {
            #[test]
            fn failures_harm_nobody() {
                super::failures_harm_nobody(super::$method);
            }
            #[test]
            fn singular_equations_end_a_trajectory() {
                super::singular(super::$method, $scale);
            }
        }
    )* };
}

methods! {
    rosenbrock23: Rosenbrock23, |dt| 1.0 / odes::internals::methods::rosenbrock23::D / dt;
    rodas3: Rodas3, |dt| 1.0 / dt * (1.0 / odes::internals::methods::rodas3::GAMMA);
    rodas4: Rodas4, |dt| 1.0 / dt * (1.0 / odes::internals::methods::rodas4::GAMMA);
    rodas5p: Rodas5P, |dt| 1.0 / dt * (1.0 / odes::internals::methods::rodas5p::GAMMA);
    trbdf2: TrBdf2, |dt| 1.0 / (dt * odes::internals::methods::trbdf2::GAMMA);
    kvaerno3: Kvaerno3, |dt| 1.0 / (dt * odes::internals::methods::kvaerno3::GAMMA);
    kvaerno5: Kvaerno5, |dt| 1.0 / (dt * odes::internals::methods::kvaerno5::GAMMA);
    kencarp4: KenCarp4, |dt| 1.0 / (dt * odes::internals::methods::kencarp4::GAMMA);
}
