//! Periodic states, such as steady states of repeated doses. Expected numbers are closed forms.

use crate::delays::late;
use crate::modes::relay;
use odes::Vern7;
use odes::periodic::{PeriodicError, PeriodicOutcome, PeriodicSearch};
use odes::prelude::*;

/// A drug that is swallowed at the beginning of each interval, and absorbed from the gut.
#[ode_system]
mod oral {
    pub struct State {
        pub gut: f64,
        pub blood: f64,
    }

    pub struct Parameters {
        pub absorption: f64,
        pub elimination: f64,
        pub dose: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { gut: -p.absorption * u.gut, blood: p.absorption * u.gut - p.elimination * u.blood }
    }

    #[at(0.0)]
    fn dose(u: &State, p: &Parameters) -> State {
        State { gut: u.gut + p.dose, ..*u }
    }
}

/// A drug in blood and tissue.
#[ode_system]
mod tissue {
    pub struct State {
        pub blood: f64,
        pub tissue: f64,
    }

    pub struct Parameters {
        pub out: f64,
        pub to: f64,
        pub from: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let net = p.to * u.blood - p.from * u.tissue;
        State { blood: -p.out * u.blood - net, tissue: net }
    }

    #[at(0.0)]
    fn dose(u: &State) -> State {
        State { blood: u.blood + 100.0, ..*u }
    }
}

/// A drug with a largest rate of elimination.
#[ode_system]
mod saturated {
    pub struct State {
        pub amount: f64,
    }

    pub struct Parameters {
        pub most: f64,
        pub half: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: -p.most * u.amount / (p.half + u.amount) }
    }

    #[at(0.0)]
    fn dose(u: &State) -> State {
        State { amount: u.amount + 10.0 }
    }
}

#[ode_system]
fn driven(u: &[f64; 2], _p: &[f64; 0], t: f64) -> [f64; 2] {
    [u[1], -u[0] - 0.1 * u[1] + (2.0 * t).cos()]
}

#[ode_system]
fn explosion(u: &[f64; 1]) -> [f64; 1] {
    [u[0] * u[0]]
}

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-11)
}

#[track_caller]
fn close(found: f64, expected: f64, most: f64) {
    assert!((found - expected).abs() <= most * expected.abs().max(1.0), "{found}, not {expected}");
}

/// Each trajectory has its own interval.
#[test]
fn swallowed_doses() {
    let parameters = oral::Parameters { absorption: 1.0, elimination: 0.1, dose: 100.0 };
    let begin = oral::State { gut: 0.0, blood: 0.0 };
    let problem = OdeProblem::new(oral, begin, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(37).vary(|problem, i| {
        let elimination = 0.02 + 0.01 * i as f64;
        let parameters = oral::Parameters { elimination, ..parameters };
        problem.with_p(parameters).with_tspan(0.0..=6.0 + 0.5 * i as f64)
    });
    let search = PeriodicSearch::new();
    // Saved times have no effect on the search.
    let options = tight().saveat(1.0);
    let found = ensemble.periodic_states(Vern7, EnsembleThreads, &options, &search).unwrap();
    assert!(found.all_converged() && found.len() == 37);
    for i in 0..found.len() {
        let oral::Parameters { absorption: a, elimination: e, dose } = found.problem(i).p;
        let interval = found.problem(i).t1;
        let [absorbed, left] = [a, e].map(|rate| (-rate * interval).exp());
        let gut = dose / (1.0 - absorbed);
        let state = found.state(i);
        close(state.gut, gut * absorbed, 1e-8);
        close(state.blood, a * gut / (a - e) * (left - absorbed) / (1.0 - left), 1e-8);
        assert!(found.intervals(i) <= 6, "{}", found.intervals(i));
        assert!(found.residual(i) < 10.0);
    }
    // Solves from these states return to them.
    let solution = found.ensemble().solve(Vern7, EnsembleThreads, &tight()).unwrap();
    for (end, begin) in solution.final_states().iter().zip(found.states()) {
        close(*end, *begin, 1e-8);
    }
    let serial = ensemble.periodic_states(Vern7, EnsembleSerial, &tight(), &search).unwrap();
    assert_eq!(serial.states(), found.states());
}

/// The slower part shrinks by 1% in an interval: doses accumulate for hundreds of intervals.
#[test]
fn slow_elimination() {
    let parameters = tissue::Parameters { out: 0.05, to: 0.4, from: 0.02 };
    let tissue::Parameters { out, to, from } = parameters;
    let [sum, product] = [out + to + from, out * from];
    let fast = (sum + (sum * sum - 4.0 * product).sqrt()) / 2.0;
    let slow = product / fast;
    let interval = 0.01 / slow;
    let begin = tissue::State { blood: 0.0, tissue: 0.0 };
    let problem = OdeProblem::new(tissue, begin, 0.0..=interval, parameters);
    let ensemble = EnsembleProblem::new(problem);
    let search = PeriodicSearch::new();
    let found = ensemble.periodic_states(Tsit5, EnsembleSerial, &tight(), &search).unwrap();
    assert_eq!(found.outcome(0), PeriodicOutcome::Converged);
    assert!(found.intervals(0) <= 6, "{}", found.intervals(0));
    // In the basis of the rates, each part of a dose is `r / (1 - r)` times the dose.
    let part = |rate: f64| 1.0 / ((rate * interval).exp() - 1.0);
    let [of_fast, of_slow] = [fast - from, from - slow].map(|x| 100.0 * x / (fast - slow));
    close(found.state(0).blood, of_fast * part(fast) + of_slow * part(slow), 1e-8);
    let each = 100.0 * to / (fast - slow);
    close(found.state(0).tissue, each * (part(slow) - part(fast)), 1e-8);
    // Without corrections the search takes about 2000 intervals.
    let plain = PeriodicSearch::new().depth(0);
    let found = ensemble.periodic_states(Tsit5, EnsembleSerial, &tight(), &plain).unwrap();
    assert_eq!(found.outcome(0), PeriodicOutcome::NotConverged);
    assert_eq!(found.intervals(0), 100);
    assert!(found.residual(0) > 1e3);
}

/// `D + K ln((A + D) / A) = V T` for the amount `A` before a dose, by the integral of `1/A'`.
#[test]
fn saturated_elimination() {
    let begin = saturated::State { amount: 0.0 };
    let parameters = saturated::Parameters { most: 1.0, half: 5.0 };
    let problem = OdeProblem::new(saturated, begin, 0.0..=12.0, parameters);
    let most = [3.0, 1.5, 1.0, 0.87, 0.84, 0.83];
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(most.len())
        .vary(|problem, i| problem.with_p(saturated::Parameters { most: most[i], ..parameters }));
    let search = PeriodicSearch::new();
    let found = ensemble.periodic_states(Vern7, EnsembleThreads, &tight(), &search).unwrap();
    for (i, most) in most.into_iter().enumerate().take(5) {
        assert_eq!(found.outcome(i), PeriodicOutcome::Converged, "{most}");
        let trough = 10.0 / (((most * 12.0 - 10.0) / 5.0).exp() - 1.0);
        close(found.state(i).amount, trough, 1e-6);
        assert!(found.intervals(i) < 40, "{most}: {}", found.intervals(i));
    }
    // The doses exceed the largest elimination: amounts grow without a bound.
    assert_eq!(found.outcome(5), PeriodicOutcome::NotConverged);
    // One interval after the other gives the same state.
    let mut amount = 0.0;
    let parameters = saturated::Parameters { most: 1.5, ..parameters };
    for _ in 0..60 {
        let problem = problem.with_p(parameters).with_u0(saturated::State { amount });
        amount = problem.solve(Vern7, &tight()).unwrap().final_state().amount;
    }
    close(found.state(1).amount, amount, 1e-9);
}

/// The response of an oscillator with little damping to a force.
#[test]
fn forced_oscillations() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(driven, [3.0, -1.0], 0.0..=PI, []));
    let search = PeriodicSearch::new();
    let a = -1.0 / (3.0 + 0.04 / 3.0);
    let expected = [a, -0.4 * a / 3.0];
    let found = ensemble.periodic_states(Vern7, EnsembleSerial, &tight(), &search).unwrap();
    assert!(found.all_converged());
    for (found, expected) in found.state(0).into_iter().zip(expected) {
        close(found, expected, 1e-9);
    }
    let options = SolveOptions::default().tolerance(1e-5);
    let single = ensemble.cast::<f32>();
    let found = single.periodic_states(Tsit5, EnsembleThreads, &options, &search).unwrap();
    assert!(found.all_converged());
    for (found, expected) in found.state(0).into_iter().zip(expected) {
        assert!((f64::from(found) - expected).abs() < 1e-3, "{found} {expected}");
    }
}

#[test]
fn failures() {
    let ensemble = EnsembleProblem::new(OdeProblem::new(explosion, [1.0], 0.0..=2.0, []));
    let search = PeriodicSearch::new();
    let found = ensemble.periodic_states(Tsit5, EnsembleSerial, &tight(), &search).unwrap();
    let PeriodicOutcome::Failed(code) = found.outcome(0) else { panic!("{:?}", found.outcome(0)) };
    assert!(!code.is_success() && found.residual(0).is_nan() && !found.all_converged());

    let modes = relay::Modes { sign: 1.0 };
    let problem = OdeProblem::new(relay, relay::State { x: 1.0, v: 0.0 }, 0.0..=1.0, modes);
    let ensemble = EnsembleProblem::new(problem);
    let error = ensemble.periodic_states(Tsit5, EnsembleSerial, &tight(), &search).unwrap_err();
    assert!(matches!(error, SolveError::Periodic(PeriodicError::Modes)), "{error}");
    let parameters = late::Parameters { level: 0.3, lag: 1.0 };
    let problem = OdeProblem::new(late, late::State { amount: 1.0 }, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem);
    let error = ensemble.periodic_states(Tsit5, EnsembleSerial, &tight(), &search).unwrap_err();
    assert!(matches!(error, SolveError::Periodic(PeriodicError::Delays)), "{error}");
    let ensemble = EnsembleProblem::new(OdeProblem::new(explosion, [0.0], 0.0..=2.0, []));
    let few = PeriodicSearch::new().most_intervals(1);
    let error = ensemble.periodic_states(Tsit5, EnsembleSerial, &tight(), &few).unwrap_err();
    assert!(matches!(error, SolveError::Periodic(PeriodicError::Intervals { .. })), "{error}");
}
