//! `gpu_ode_continuous_callbacks.jl`, its counterpart for stiff methods, and
//! `callback_event_detection.jl`: a ball that bounces without loss, against its closed form. Each
//! defect of callbacks there has a test that passes here:
//!
//! | there | here |
//! |---|---|
//! | of several different continuous callbacks always the first one's action runs | [`each_event_has_its_action`], [`two_callbacks_of_one_condition`] |
//! | crossings inside a step are missed: only its ends are looked at | [`two_crossings_in_a_step`] |
//! | `affect_neg!` by the sign before, for all trajectories of a batch at once | [`directions_have_their_own_actions`] |
//! | a terminated trajectory is a `Success`, and its end is found in its saved times | [`the_end_is_told`] |
//! | the end of the span at an impact (#540) | [`an_impact_at_the_end`] |
//! | tolerances of an event are those of `f32`, whatever the precision | [`events_are_as_exact_as_the_precision`] |
//! | "out of dynamic GPU memory" with many threads (#219) | [`many_trajectories`] |
//! | after an event the index of the next saved state is rounded | [`fixed_steps_save_between_impacts`] |
//! | `save_positions` is an error, and events are saved nowhere | [`impacts_are_logged`] |
//! | a callback is ignored where `merge_callbacks` is not given | an event is a part of its system |

use super::{distance, everywhere, for_each_method, ten};
use crate::workloads::many;
use odes::EnsembleSolution;
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;

/// The ball of these tests: its velocity changes sign when its height goes through zero.
#[ode_system]
mod ball {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub gravity: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { height: u.velocity, velocity: -p.gravity }
    }

    #[event(both, log)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn turn(u: &State) -> State {
        State { velocity: -u.velocity, ..*u }
    }
}

/// The same ball with a second callback of the same condition, which counts in the state.
#[ode_system]
mod set {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
        pub impacts: f64,
    }

    fn rhs(u: &State) -> State {
        State { height: u.velocity, velocity: -10.0, impacts: 0.0 }
    }

    #[event(both)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn turn(u: &State) -> State {
        State { velocity: -u.velocity, ..*u }
    }

    #[event(both)]
    fn same(u: &State) -> f64 {
        u.height
    }

    #[action(same)]
    fn count(u: &State) -> State {
        State { impacts: u.impacts + 1.0, ..*u }
    }
}

/// A state with the speed 1 that meets events on its way; the second state records them.
#[ode_system]
mod marks {
    pub struct State {
        pub place: f64,
        pub sum: f64,
    }

    pub struct Parameters {
        pub speed: f64,
    }

    fn rhs(_: &State, p: &Parameters) -> State {
        State { place: p.speed, sum: 0.0 }
    }

    #[event(both)]
    fn first(u: &State) -> f64 {
        u.place - 0.3
    }

    #[action(first)]
    fn one(u: &State) -> State {
        State { sum: u.sum + 1.0, ..*u }
    }

    #[event(both)]
    fn second(u: &State) -> f64 {
        u.place - 0.6
    }

    #[action(second)]
    fn ten(u: &State) -> State {
        State { sum: u.sum + 10.0, ..*u }
    }

    #[event(rising)]
    fn up(u: &State) -> f64 {
        u.place
    }

    #[action(up)]
    fn hundred(u: &State) -> State {
        State { sum: u.sum + 100.0, ..*u }
    }

    #[event(falling)]
    fn down(u: &State) -> f64 {
        u.place
    }

    #[action(down)]
    fn thousand(u: &State) -> State {
        State { sum: u.sum - 1000.0, ..*u }
    }
}

/// A ball that is thrown up, passes a level on its way, and ends on the ground.
#[ode_system]
mod thrown {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub level: f64,
    }

    fn rhs(u: &State) -> State {
        State { height: u.velocity, velocity: -10.0 }
    }

    #[event(both)]
    fn passes(u: &State, p: &Parameters) -> f64 {
        u.height - p.level
    }

    #[event(falling, stop)]
    fn ground(u: &State) -> f64 {
        u.height
    }
}

/// A ball from 45 m with 10 m/s², on the ground after 3 s and then every 6 s.
fn bouncing<T: Scalar>(end: f64) -> OdeProblem<ball::Model, T, 2, 1> {
    let at = ball::State { height: 45.0, velocity: 0.0 };
    OdeProblem::new(ball, at, 0.0..=end, ball::Parameters { gravity: 10.0 }).cast()
}

/// Returns the exact state of that ball.
fn exact(t: f64) -> [f64; 2] {
    // Time since the last impact, or since the one before the beginning.
    let since = (t + 3.0) % 6.0;
    [30.0 * since - 5.0 * since * since, 30.0 - 10.0 * since]
}

fn check<T: Scalar>(solution: &EnsembleSolution<ball::Model, T, 2, 1>, end: f64, bound: f64) {
    for trajectory in solution {
        assert_eq!(trajectory.code(), ReturnCode::Success);
        let ball::State { height, velocity } = trajectory.final_state();
        let error = distance([height, velocity], exact(end));
        assert!(error < bound, "{error} at the end");
        for (t, state) in trajectory.times().zip(trajectory.states()) {
            let error = distance([state.height, state.velocity], exact(t.widen()));
            assert!(error < bound, "{error} at {t}");
        }
    }
}

/// The end is after the third impact: at 16.5, as in the tests of stiff methods.
fn fixed_steps<M: Method>(method: M) {
    for dt in [0.1, 1.0] {
        for solution in
            everywhere(method, &ten(bouncing::<f32>(16.5)), &SolveOptions::default().fixed_step(dt))
        {
            check(&solution, 16.5, 5e-4);
        }
    }
}

fn fixed_steps_save_between_impacts<M: Method>(method: M) {
    for (options, bound) in [
        (SolveOptions::default().fixed_step(1.0).saveat([0.0, 9.1]), 2e-4),
        (SolveOptions::default().fixed_step(0.1).saveat([0.0, 9.1]), 2e-4),
        // A few units in the last place of 45 m in `f32`, times the weights of an interpolant.
        (SolveOptions::default().fixed_step(0.1).saveat(0.4), 5e-4),
    ] {
        for solution in everywhere(method, &ten(bouncing::<f32>(16.5)), &options) {
            assert!(solution.iter().all(|trajectory| trajectory.len() >= 2));
            check(&solution, 16.5, bound);
        }
    }
}

fn adaptive_steps<M: Method>(method: M) {
    for dt in [0.1, 1.0] {
        let options = SolveOptions::default().first_step(dt);
        for solution in everywhere(method, &ten(bouncing::<f32>(16.5)), &options) {
            check(&solution, 16.5, 2e-3);
        }
        let options = options.tolerance(1e-6).saveat([0.0, 9.1]);
        for solution in everywhere(method, &ten(bouncing::<f32>(16.5)), &options) {
            assert!(solution.iter().all(|trajectory| trajectory.len() == 2));
            check(&solution, 16.5, 6e-4);
        }
    }
}

/// The end at the third impact: the ball is on the ground, before or after its velocity changes
/// sign.
fn an_impact_at_the_end<M: Method>(method: M) {
    for options in [
        SolveOptions::default().fixed_step(0.1),
        SolveOptions::default().fixed_step(1.0),
        SolveOptions::default().first_step(0.1).tolerance(1e-6),
    ] {
        for solution in everywhere(method, &ten(bouncing::<f32>(15.0)), &options) {
            for i in 0..10 {
                assert_eq!(solution.code(i), ReturnCode::Success);
                let ball::State { height, velocity } = solution.final_state(i);
                let error = distance([height, velocity.abs()], [0.0, 30.0]);
                assert!(error < 2e-3, "{error}");
                let impacts = solution.event_count("ground").unwrap()[i];
                assert_eq!(impacts, if velocity > 0.0 { 3 } else { 2 });
            }
        }
    }
}

/// In `f64` the parabola is exact.
fn events_are_as_exact_as_the_precision<M: Method>(method: M) {
    for options in [
        SolveOptions::default().fixed_step(0.1).saveat([0.0, 9.1]),
        SolveOptions::default().tolerance(1e-10).saveat([0.0, 9.1]),
    ] {
        for solution in everywhere(method, &ten(bouncing::<f64>(16.5)), &options) {
            check(&solution, 16.5, 1e-10);
        }
    }
}

for_each_method! {
    tsit5: odes::Tsit5, [fixed_steps fixed_steps_save_between_impacts adaptive_steps
        an_impact_at_the_end events_are_as_exact_as_the_precision]
}
for_each_method! {
    vern7: odes::Vern7, [fixed_steps fixed_steps_save_between_impacts adaptive_steps
        an_impact_at_the_end events_are_as_exact_as_the_precision]
}
for_each_method! {
    rosenbrock23: odes::methods::Rosenbrock23, [fixed_steps fixed_steps_save_between_impacts adaptive_steps
        an_impact_at_the_end events_are_as_exact_as_the_precision]
}
for_each_method! {
    rodas4: odes::methods::Rodas4, [fixed_steps fixed_steps_save_between_impacts adaptive_steps
        an_impact_at_the_end events_are_as_exact_as_the_precision]
}

/// `CallbackSet(cb, cb)` with two different actions: both run, in the order of their declaration.
#[test]
fn two_callbacks_of_one_condition() {
    let at = set::State { height: 45.0, velocity: 0.0, impacts: 0.0 };
    let problem = OdeProblem::new(set, at, 0.0..=16.5, []).cast::<f32>();
    for options in [SolveOptions::default().fixed_step(0.1), SolveOptions::default()] {
        for solution in everywhere(Tsit5, &ten(problem), &options) {
            let set::State { height, velocity, impacts } = solution.final_state(3);
            assert!(distance([height, velocity], exact(16.5)) < 2e-3);
            assert_eq!(impacts, 3.0);
            assert_eq!(solution.event_counts().row(3).to_vec(), [3, 3]);
        }
    }
}

/// Returns the final state after marks, which steps of their own, one step, or a backward solve
/// meets.
fn met(speed: f64, begin: f64, options: &SolveOptions) -> f64 {
    let at = marks::State { place: begin, sum: 0.0 };
    let problem = OdeProblem::new(marks, at, 0.0..=1.0, marks::Parameters { speed });
    let solutions = everywhere(Tsit5, &ten(problem.cast::<f32>()), options);
    let sums: Vec<f64> = solutions.iter().map(|solution| solution.final_state(7).sum).collect();
    assert!(sums.iter().all(|sum| *sum == sums[0]), "{sums:?}");
    sums[0]
}

#[test]
fn each_event_has_its_action() {
    for dt in [0.1, 0.25, 1.0] {
        let options = SolveOptions::default().fixed_step(dt);
        assert_eq!(met(1.0, 0.1, &options), 11.0);
        assert_eq!(met(0.4, 0.1, &options), 1.0);
        assert_eq!(met(0.4, 0.4, &options), 10.0);
        assert_eq!(met(-0.8, 0.9, &options), 11.0);
    }
}

#[test]
fn directions_have_their_own_actions() {
    for options in [SolveOptions::default().fixed_step(0.3), SolveOptions::default()] {
        assert_eq!(met(1.0, -0.9, &options), 100.0);
        assert_eq!(met(-1.0, 0.1, &options), -1000.0);
    }
}

/// A thrown ball is above a level for 0.2 s, in the middle of a step.
#[test]
fn two_crossings_in_a_step() {
    let at = thrown::State { height: 0.0, velocity: 25.0 };
    let problem = OdeProblem::new(thrown, at, 0.0..=4.0, thrown::Parameters { level: 31.2 });
    for options in
        [SolveOptions::default().fixed_step(1.0), SolveOptions::default().first_step(4.0)]
    {
        for solution in everywhere(Tsit5, &ten(problem.cast::<f32>()), &options) {
            assert!(solution.event_count("passes").unwrap().iter().all(|&count| count == 2));
        }
    }
}

/// `terminate!`, with and without saved times.
#[test]
fn the_end_is_told() {
    let at = thrown::State { height: 0.0, velocity: 25.0 };
    let problem = OdeProblem::new(thrown, at, 0.0..=9.0, thrown::Parameters { level: 40.0 });
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.3)] {
        for (options, saved) in [(options.clone(), 0), (options.saveat(0.5), 11)] {
            for solution in everywhere(Tsit5, &ten(problem.cast::<f32>()), &options) {
                for trajectory in &solution {
                    assert_eq!(trajectory.code(), ReturnCode::Terminated);
                    assert!((trajectory.end_time() - 5.0).abs() < 1e-5);
                    assert_eq!(trajectory.len(), saved);
                }
            }
        }
    }
}

/// `save_positions`: the times of impacts, and the states on both sides of them.
#[test]
fn impacts_are_logged() {
    let log = EventLog::new(3).with_states();
    for options in [SolveOptions::default().fixed_step(0.1), SolveOptions::default()] {
        for solution in everywhere(Tsit5, &ten(bouncing::<f32>(16.5)), &options.event_log(log)) {
            for trajectory in &solution {
                let events: Vec<_> = trajectory.log().unwrap().collect();
                assert_eq!(events.len(), 3);
                for (event, exact) in events.iter().zip([3.0, 9.0, 15.0]) {
                    let (before, after) = (event.before.unwrap(), event.after.unwrap());
                    assert!((f64::from(event.time) - exact).abs() < 1e-4, "{}", event.time);
                    assert!((before.velocity + 30.0).abs() < 2e-3 && !event.rising);
                    assert_eq!(after.velocity, -before.velocity);
                }
            }
        }
    }
}

/// More trajectories than a GPU has threads, each with its own impacts.
#[test]
fn many_trajectories() {
    let n = many(300_000);
    let ensemble =
        EnsembleProblem::new(bouncing::<f32>(16.5)).trajectories(n).vary(|problem, i| {
            problem
                .with_u0(ball::State { height: 20.0 + 60.0 * i as f64 / n as f64, velocity: 0.0 })
        });
    let options = SolveOptions::default().tolerance(1e-6);
    let mut all = vec![ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap()];
    if let Some(gpu) = crate::gpu::gpu() {
        all.push(ensemble.solve(Tsit5, gpu, &options).unwrap());
    }
    for solution in all {
        assert!(solution.all_succeeded());
        for (i, &count) in solution.event_count("ground").unwrap().iter().enumerate() {
            let first = (2.0 * (20.0 + 60.0 * i as f64 / n as f64) / 10.0_f64).sqrt();
            let impacts = (16.5 - first) / (2.0 * first) + 1.0;
            // An impact exactly at the end may count or not.
            let (least, most) = ((impacts - 1e-4).floor(), (impacts + 1e-4).floor());
            assert!((least..=most).contains(&f64::from(count)), "{i}: {count} {impacts}");
        }
    }
}
