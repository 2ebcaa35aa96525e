//! The guard looks beyond the end, and so detects growth that begins in the last step.
//!
//! The last step may be of a span or of its segment. References are closed forms.

use crate::everywhere::same_everywhere;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Rodas4, Tsit5Rodas4};
use odes::prelude::*;
use odes::{GrowthGuard, Solver};

/// The time at which `b` is used up.
const TURN: f64 = 5.0;

/// A titration: `a` is added at rate 1, and reacts immediately with 5 of `b`.
///
/// From `t = 5` on `a` grows: `a - b = t - 5` exactly, and `a b` is of the order of `1/k`.
#[ode_system]
fn titration(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    let r = p[0] * u[0] * u[1];
    [1.0 - r, -r]
}

/// The same with two reagents in the solution, one of which trickles in.
///
/// From `t = 50` on the other reagent is used up, and all of it has become the product.
#[ode_system]
fn trickle(u: &[f64; 3], p: &[f64; 2]) -> [f64; 3] {
    let r = p[0] * u[0] * u[1];
    [-r, p[1] - r, r]
}

/// A slow passage of a pitchfork: `x` decays, and grows from `t = 1/p[0]` on.
#[ode_system]
fn pitchfork(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    let [x, m] = *u;
    [m * x - x.powi(3), p[0]]
}

/// Returns `x` of the pitchfork that begins at `(x0, -1)`, by the solution of Bernoulli's equation.
///
/// `1/x² = exp(-2 M) (1/x0² + 2 ∫ exp(2 M))` with `M = -t + p t²/2`.
fn bernoulli(x0: f64, p: f64, t: f64) -> f64 {
    let m = |s: f64| -s + 0.5 * p * s * s;
    let n = 10_000;
    let h = t / f64::from(n);
    // Simpson's rule.
    let integral: f64 = (0..=n)
        .map(|i| {
            let weight = if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * f64::from(i % 2) };
            weight * h / 3.0 * (2.0 * (m(h * f64::from(i)) - m(t))).exp()
        })
        .sum();
    ((-2.0 * m(t)).exp() / (x0 * x0) + 2.0 * integral).sqrt().recip()
}

#[test]
fn the_reference_solves_the_equation() {
    let (x0, p) = (0.1, 0.01);
    assert!((bernoulli(x0, p, 1e-9) - x0).abs() < 1e-9);
    for t in [3.0, 150.0, 215.0, 250.0] {
        let x = bernoulli(x0, p, t);
        let slope = (bernoulli(x0, p, t + 1e-4) - bernoulli(x0, p, t - 1e-4)) / 2e-4;
        assert!((slope - ((p * t - 1.0) * x - x.powi(3))).abs() < 1e-6 * x.max(1e-3), "{t}");
    }
}

fn options(tolerance: Option<f64>) -> SolveOptions {
    tolerance.map_or(SolveOptions::default(), |t| SolveOptions::default().abstol(t).reltol(t))
}

/// The default options, and three tolerances.
const TOLERANCES: [Option<f64>; 4] = [None, Some(1e-3), Some(1e-6), Some(1e-9)];

fn titrates<M: Solver + Copy>(method: M) {
    for tolerance in TOLERANCES {
        for k in [1e4, 1e6, 1e8] {
            for end in [5.5, 7.0, 10.0, 30.0] {
                let problem = OdeProblem::new(titration, [0.0, 5.0], 0.0..=end, [k]);
                let solution = problem.solve(method, &options(tolerance)).unwrap();
                let [a, b] = solution.final_state();
                let what = format!("k = {k:e} to {end}, {tolerance:?}: {a} {b}");
                assert!(solution.code().is_success(), "{what}, {}", solution.code());
                assert!((a - (end - TURN)).abs() < 1e-2 && b.abs() < 1e-2, "{what}");
                assert!(!solution.held_unstable(), "{what}");
            }
        }
    }
}

#[test]
fn a_titration_passes_the_point_of_equivalence() {
    titrates(Auto);
    titrates(Rodas4);
    titrates(Kvaerno5);
}

#[test]
fn a_limiting_reagent_is_used_up() {
    fn check<M: Solver + Copy>(method: M) {
        for tolerance in TOLERANCES {
            for k in [1e4, 1e6, 1e8] {
                let problem = OdeProblem::new(trickle, [1.0, 0.5, 0.0], 0.0..=100.0, [k, 0.01]);
                let solution = problem.solve(method, &options(tolerance)).unwrap();
                let [a, b, c] = solution.final_state();
                let what = format!("k = {k:e}, {tolerance:?}: {a} {b} {c}");
                assert!(solution.code().is_success(), "{what}, {}", solution.code());
                assert!(
                    a.abs() < 1e-2 && (b - 0.5).abs() < 1e-2 && (c - 1.0).abs() < 1e-2,
                    "{what}"
                );
            }
        }
    }
    check(Auto);
    check(Rodas4);
}

/// Asserts that a branch of the pitchfork is reached, though its sign may be wrong.
///
/// While `x` is below the tolerance, a step may change its sign.
fn bifurcates<M: Solver + Copy, T: Scalar>(method: M, tolerances: &[f64], ends: &[f64], part: f64) {
    for &end in ends {
        let exact = bernoulli(0.1, 0.01, end);
        for &tolerance in tolerances {
            let problem = OdeProblem::new(pitchfork, [0.1, -1.0], 0.0..=end, [0.01]).cast::<T>();
            let options = options(Some(tolerance)).growth_guard(GrowthGuard::Reject);
            let solution = problem.solve(method, &options).unwrap();
            let x = solution.final_state()[0].widen();
            let what = format!("to {end} by {tolerance}: {x}, {exact}");
            assert!(solution.code().is_success(), "{what}");
            assert!((x.abs() / exact - 1.0).abs() < part, "{what}");
        }
    }
}

#[test]
fn an_unstable_branch_is_left() {
    let ends = [220.0, 230.0, 250.0, 300.0, 400.0];
    bifurcates::<_, f64>(Rodas5P, &[1e-5, 1e-6, 1e-7, 1e-9], &ends, 1e-2);
    bifurcates::<_, f64>(Rodas4, &[1e-4, 1e-5], &ends, 1e-2);
    bifurcates::<_, f32>(Rodas4, &[1e-4, 1e-5], &ends, 1e-2);
}

/// The end may leave only a short last step, with growth that began in the step before.
#[test]
fn a_short_last_step_hides_nothing() {
    let ends: Vec<f64> = (0..300).map(|i| 220.0 + 130.0 * f64::from(i) / 299.0).collect();
    bifurcates::<_, f64>(Rodas5P, &[1e-3, 1e-4], &ends, 5e-2);
}

/// At `1e-6` `Rodas5P` took 194 of 250 time units in one step, and ended at `1e-8`.
#[test]
fn the_last_step_does_not_stay_on_it() {
    let problem = OdeProblem::new(pitchfork, [0.1, -1.0], 0.0..=250.0, [0.01]);
    let solution = problem.solve(Rodas5P, &options(Some(1e-6))).unwrap();
    assert!((solution.final_state()[0] - bernoulli(0.1, 0.01, 250.0)).abs() < 1e-4);
    assert!(solution.guarded() > 0 && !solution.held_unstable());
}

/// The end of a segment counts as an end: states at stops are right, also backwards.
#[test]
fn parts_of_a_span_have_last_steps() {
    for tolerance in TOLERANCES {
        for (stop, end) in [(5.5, 6.0), (7.0, 10.0), (9.5, 10.0)] {
            for sign in [1.0, -1.0] {
                let problem =
                    OdeProblem::new(reversible, [0.0, 5.0], 0.0..=sign * end, [1e8, sign]);
                let options = options(tolerance).tstops([sign * stop]).saveat([sign * stop]);
                let solution = problem.solve(Rodas4, &options).unwrap();
                let what = format!("{stop}, {end}, {sign}, {tolerance:?}");
                let then = solution.states().next().unwrap();
                for (t, [a, b]) in [(stop, then), (end, solution.final_state())] {
                    assert!((a - (t - TURN)).abs() < 1e-2 && b.abs() < 1e-2, "{what}: {a} {b}");
                }
            }
        }
    }
}

/// The titration, also backwards in time.
#[ode_system]
fn reversible(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    let r = p[0] * u[0] * u[1];
    [p[1] * (1.0 - r), -p[1] * r]
}

/// If the guard only reports, as in `f32` by default, it reports that the end may be unstable.
///
/// The look is no step.
#[test]
fn the_look_is_reported() {
    let ends_unstable = |guard: GrowthGuard| {
        let problem = OdeProblem::new(titration, [0.0, 5.0], 0.0..=10.0, [1e8]).cast::<f32>();
        problem.solve(Rodas4, &options(Some(1e-3)).growth_guard(guard)).unwrap()
    };
    let (off, told) = (ends_unstable(GrowthGuard::Off), ends_unstable(GrowthGuard::Report));
    assert!(off.final_state()[1] < -4.0, "{:?}", off.final_state());
    assert_eq!(off.final_state().map(f32::to_bits), told.final_state().map(f32::to_bits));
    assert_eq!((off.accepted(), off.rejected()), (told.accepted(), told.rejected()));
    assert!(told.held_unstable() && told.guarded() > 0);
    let right = ends_unstable(GrowthGuard::Reject);
    let [a, b] = right.final_state();
    assert!((a - 5.0).abs() < 1e-2 && b.abs() < 1e-2, "{a} {b}");
}

/// A trajectory may reach its end with its last permitted step.
///
/// It then has no step left for a restart.
#[test]
fn the_look_is_no_step() {
    let problem = |end: f64| OdeProblem::new(titration, [0.0, 5.0], 0.0..=end, [1e8]);
    let options = options(Some(1e-3));
    let before = problem(4.0).solve(Rodas4, &options).unwrap();
    let steps = before.accepted() + before.rejected();
    assert!(before.code().is_success() && before.guarded() == 0);
    let just = problem(4.0).solve(Rodas4, &options.clone().max_steps(steps)).unwrap();
    assert!(just.code().is_success());
    assert_eq!(before.final_state().map(f64::to_bits), just.final_state().map(f64::to_bits));
    let few = problem(4.0).solve(Rodas4, &options.clone().max_steps(steps - 1)).unwrap();
    assert_eq!(few.code(), ReturnCode::MaxSteps);
    let unseen = options.clone().growth_guard(GrowthGuard::Off);
    let unseen = problem(10.0).solve(Rodas4, &unseen).unwrap();
    assert!(unseen.code().is_success());
    let steps = unseen.accepted() + unseen.rejected();
    let anew = problem(10.0).solve(Rodas4, &options.clone().max_steps(steps)).unwrap();
    assert_eq!(anew.code(), ReturnCode::MaxSteps);
    assert_eq!((anew.accepted(), anew.rejected()), (0, steps));
    let most = problem(10.0).solve(Rodas4, &options).unwrap();
    let enough = most.accepted() + most.rejected();
    let enough = problem(10.0).solve(Rodas4, &options.max_steps(enough)).unwrap();
    assert_eq!(most.final_state().map(f64::to_bits), enough.final_state().map(f64::to_bits));
}

/// Equal bits and counts on all backends, with stops.
///
/// The ends are before and after the point of equivalence.
#[test]
fn neighbours_change_no_look() {
    fn check<M: odes::methods::Method + Copy, T: Scalar>(method: M, options: &SolveOptions) {
        let t = T::narrow;
        let problem = OdeProblem::new(titration, [0.0, 5.0], 0.0..=1.0, [1e6]).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(200).vary(move |problem, i| {
            let k = 10_f64.powi(3 + (i % 6) as i32);
            problem.with_p([t(k)]).with_tspan(t(0.0)..=t(0.1 * (1 + i) as f64))
        });
        let solution = ensemble.solve(method, EnsembleSerial, options).unwrap();
        assert!(solution.iter().any(|trajectory| trajectory.guarded() > 0));
        assert!(solution.iter().any(|trajectory| trajectory.guarded() == 0));
        same_everywhere(method, &ensemble, &solution, options);
    }
    check::<_, f64>(Rodas4, &options(Some(1e-6)));
    check::<_, f64>(Kvaerno5, &options(Some(1e-3)).tstops([6.0]));
    check::<_, f64>(Tsit5Rodas4, &options(None));
    check::<_, f32>(Rodas4, &options(Some(1e-3)));
}
