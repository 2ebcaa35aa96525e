//! Conditions at the ends of steps, compared with the steps of the same system without them.

use crate::everywhere::same_everywhere;
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;
use odes::{KenCarp4, Vern7};

/// A state that comes to rest at one.
#[ode_system]
pub(crate) mod resting {
    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        pub near: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { x: p.rate * (1.0 - u.x) }
    }

    #[after_step(stop, log)]
    fn settled(u: &State, p: &Parameters) -> bool {
        (p.rate * (1.0 - u.x)).abs() < p.near
    }

    #[after_step(log)]
    fn half(u: &State) -> bool {
        u.x > 0.5
    }
}

#[ode_system]
fn plain(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
    [p[0] * (1.0 - u[0])]
}

/// A circle, onto which each step is projected.
#[ode_system]
pub(crate) mod circle {
    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[1], u[0]]
    }

    #[after_step(log)]
    fn always(_: &[f64; 2]) -> bool {
        true
    }

    #[action(always)]
    fn project(u: &[f64; 2]) -> [f64; 2] {
        let norm = (u[0] * u[0] + u[1] * u[1]).sqrt();
        [u[0] / norm, u[1] / norm]
    }

    #[after_step(stop = 30)]
    fn above(u: &[f64; 2]) -> bool {
        u[1] > 0.0
    }
}

fn settling(rate: f64) -> OdeProblem<resting::Model, f64, 1, 2> {
    let parameters = resting::Parameters { rate, near: 1e-3 };
    OdeProblem::new(resting, resting::State { x: 0.0 }, 0.0..=100.0, parameters)
}

/// A remainder of a few units of the time, which rounding leaves, is no step of its own.
#[test]
fn no_step_of_a_few_units() {
    let parameters = resting::Parameters { rate: 0.0, near: -1.0 };
    let at = resting::State { x: 1.0 };
    for (size, steps) in [(0.1, 8), (0.1, 57), (0.3, 70), (0.07, 1000)] {
        for from in [0.0, 1.0, -3.0] {
            let span = from..=from + f64::from(steps) * size;
            let problem = OdeProblem::new(resting, at, span, parameters);
            let options = SolveOptions::default().dtmax(size).first_step(size);
            let solution = problem.solve(Tsit5, &options).unwrap();
            let found = [solution.accepted(), solution.event_count("half").unwrap()];
            assert!(found[0] <= steps as u32 + 1, "{from}, {steps} of {size}: {found:?}");
            assert_eq!(found, [steps as u32; 2], "{from}, {steps} of {size}");
        }
    }
}

/// A trajectory ends after the first step that ends at rest.
///
/// It has the bits of the trajectory without the condition.
#[test]
fn a_steady_state() {
    let each = |options: &SolveOptions| {
        let problem = OdeProblem::new(plain, [0.0], 0.0..=100.0, [1.0, 1e-3]);
        let steps = problem.solve(Tsit5, &options.clone().saveat(SaveAt::Steps)).unwrap();
        let states: Vec<f64> = steps.states().map(|[x]| x).collect();
        let first = states.iter().position(|x| (1.0 - x).abs() < 1e-3).unwrap();
        let solution = settling(1.0).solve(Tsit5, options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Terminated);
        assert_eq!(solution.end_time(), steps.times().nth(first).unwrap());
        assert_eq!(solution.final_state().x, states[first]);
        assert_eq!(solution.event_count("settled"), Ok(1));
        let above = states[1..=first].iter().filter(|x| **x > 0.5).count();
        assert_eq!(solution.event_count("half"), Ok(above as u32));
        // The log has the steps at which the conditions hold; both hold at the last one.
        let options = options.clone().event_log(EventLog::new(200).with_states());
        let logged = settling(1.0).solve(Tsit5, &options).unwrap();
        assert_eq!(logged.final_state(), solution.final_state());
        let log: Vec<_> = logged.log().unwrap().collect();
        let mut expected: Vec<_> = steps.times().zip(states).take(first + 1).collect();
        expected.retain(|(_, x)| *x > 0.5);
        assert_eq!(log.len(), expected.len() + 1);
        let last = log.len() - 2;
        assert_eq!((log[last].name, log[last].event), ("settled", 0));
        assert_eq!(log[last].time, logged.end_time());
        let half = log.iter().filter(|entry| entry.name == "half");
        for (entry, (time, x)) in half.zip(expected) {
            assert_eq!((entry.time, entry.event, entry.rising), (time, 1, true));
            assert_eq!((entry.before.unwrap().x, entry.after), (x, entry.before));
        }
    };
    each(&SolveOptions::default().tolerance(1e-8));
    each(&SolveOptions::default().fixed_step(0.125));
}

/// The norm is one at the end of every step, despite the loose tolerance.
#[test]
fn a_projection() {
    let problem = OdeProblem::new(circle, [1.0, 0.0], 0.0..=3.0, []);
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.2)] {
        let saved = options.clone().saveat(SaveAt::Steps);
        let solution = problem.solve(Tsit5, &saved).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        assert_eq!(solution.event_count("always").unwrap(), solution.accepted());
        let [x, y] = solution.final_state();
        assert!((x.hypot(y) - 1.0).abs() < 4e-16, "{x} {y}");
        // Saved states are from before the projection.
        let off = solution.states().map(|[x, y]| (x.hypot(y) - 1.0).abs()).fold(0.0, f64::max);
        assert!(off > 1e-12, "{off}");
        // The log has the states on both sides of each projection.
        let options = options.event_log(EventLog::new(1000).with_states());
        let logged = problem.solve(Tsit5, &options).unwrap();
        assert_eq!(logged.final_state(), solution.final_state());
        let log = logged.log().unwrap();
        assert_eq!(log.len(), solution.accepted() as usize);
        let mut moved = 0;
        for (entry, (time, state)) in log.zip(solution.times().zip(solution.states()).skip(1)) {
            let [x, y] = state;
            let norm = (x * x + y * y).sqrt();
            assert_eq!((entry.time, entry.name, entry.before), (time, "always", Some(state)));
            let [after_x, after_y] = entry.after.unwrap();
            let error = (after_x - x / norm).hypot(after_y - y / norm);
            assert!(error < 4e-16, "{error}");
            moved += usize::from([after_x, after_y] != state);
        }
        assert!(moved > solution.accepted() as usize / 2, "{moved}");
    }
}

#[test]
fn the_thirtieth_time() {
    let problem = OdeProblem::new(circle, [1.0, 0.0], 0.0..=1000.0, []);
    let solution = problem.solve(Vern7, &SolveOptions::default()).unwrap();
    assert_eq!(solution.code(), ReturnCode::Terminated);
    assert_eq!(solution.event_count("above"), Ok(30));
}

fn everywhere<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
    let problem = settling(1.0).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(101)
        .vary(|problem, i| problem.with_p([0.1 + 0.05 * i as f64, 1e-3].map(T::narrow)));
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert!((0..101).all(|i| expected.code(i) == ReturnCode::Terminated));
    same_everywhere(method, &ensemble, &expected, options);
    let problem = OdeProblem::new(circle, [1.0, 0.0], 0.0..=50.0, []).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(67)
        .vary(|problem, i| problem.with_u0([T::narrow(1.0 + 0.01 * i as f64), T::narrow(0.0)]));
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    same_everywhere(method, &ensemble, &expected, options);
}

#[test]
fn the_same_everywhere() {
    let log = EventLog::new(30).with_states();
    let options = SolveOptions::default().saveat(0.5).event_log(log);
    everywhere::<_, f64>(Tsit5, &options);
    everywhere::<_, f32>(Tsit5, &options);
    everywhere::<_, f64>(Vern7, &SolveOptions::default());
    everywhere::<_, f64>(Rodas5P, &SolveOptions::default());
    everywhere::<_, f32>(KenCarp4, &SolveOptions::default());
    everywhere::<_, f64>(Tsit5, &SolveOptions::default().fixed_step(0.05).saveat(0.5));
}
