//! Events over whose zeros actions carry the state. Expected numbers are closed forms.

use crate::everywhere::same_everywhere;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method, Tsit5Rodas4};
use odes::prelude::*;

/// Doses over a limit, which leave the limit within long steps, or stand still.
#[ode_system]
mod overdose {
    pub struct State {
        pub amount: f64,
        pub alarms: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        pub dose: f64,
        pub limit: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: -p.rate * u.amount, alarms: 0.0 }
    }

    #[at(first = 1.0, every = 2.0, count = 3.0, log)]
    fn dose(u: &State, p: &Parameters) -> State {
        State { amount: u.amount + p.dose, ..*u }
    }

    #[event(rising, log)]
    fn over(u: &State, p: &Parameters) -> f64 {
        u.amount - p.limit
    }

    #[action(over)]
    fn alarm(u: &State) -> State {
        State { alarms: u.alarms + 1.0, ..*u }
    }

    #[event(both, log)]
    fn crossed(u: &State, p: &Parameters) -> f64 {
        u.amount - p.limit
    }

    #[event(falling)]
    fn under(u: &State, p: &Parameters) -> f64 {
        u.amount - p.limit
    }

    #[event(both, no_jumps)]
    fn passed(u: &State, p: &Parameters) -> f64 {
        u.amount - p.limit
    }
}

fn counts<M: Method + Copy, T: Scalar>(method: M, everywhere: bool) {
    let problem = OdeProblem::new(overdose, [0.5, 0.0], 0.0..=6.5, [1.0, 2.0, 1.0]).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(40).vary(|problem, i| {
        // From amounts that stand still to amounts that leave the limit within a step.
        let rate = [0.0, 1.0, 3.0, 20.0][i % 4];
        let dose = if i % 5 == 4 { 0.25 } else { 2.0 + 0.01 * i as f64 };
        problem.with_p([rate, dose, 1.0].map(T::narrow))
    });
    let options = SolveOptions::default().event_log(20);
    let solution = ensemble.solve(method, EnsembleSerial, &options).unwrap();
    let name = M::PROPERTIES.name;
    for (i, trajectory) in solution.iter().enumerate() {
        let rate = [0.0, 1.0, 3.0, 20.0][i % 4];
        let case = format!("{name} {} {i}", T::NAME);
        let count = |name| trajectory.event_count(name).unwrap();
        let [over, crossed, under, passed] = ["over", "crossed", "under", "passed"].map(count);
        // Small doses do not reach the limit, except the third one, which adds to the first two.
        let small = i % 5 == 4;
        let above = if small {
            u32::from(rate == 0.0)
        } else if rate == 0.0 {
            1
        } else {
            3
        };
        let below = if small || rate == 0.0 { 0 } else { 3 };
        // The third of the small doses that stand still reaches 1.25, the second 1.0.
        assert_eq!([over, under], [above, below], "{case}");
        assert_eq!([crossed, passed], [above + below, below], "{case}");
        assert_eq!(trajectory.final_state().alarms.widen(), f64::from(over), "{case}");
        let times: Vec<f64> = trajectory
            .log()
            .unwrap()
            .filter(|event| event.name == "over")
            .map(|event| event.time.widen())
            .collect();
        let expected = [1.0, 3.0, 5.0];
        if above == 3 {
            assert_eq!(times, expected, "{case}");
        }
        // Each dose is logged before the events that it causes.
        let names = match (small, rate == 0.0) {
            (true, false) => vec!["dose"; 3],
            (true, true) => ["dose", "dose", "dose", "over", "crossed"].to_vec(),
            (false, true) => ["dose", "over", "crossed", "dose", "dose"].to_vec(),
            (false, false) => ["dose", "over", "crossed", "crossed"].repeat(3),
        };
        let log: Vec<_> = trajectory.log().unwrap().collect();
        assert!(log.iter().map(|entry| entry.name).eq(names), "{case}: {log:?}");
        let doses = log.iter().filter(|entry| entry.name == "dose");
        let doses = doses.map(|entry| (entry.time.widen(), entry.event, entry.rising));
        assert!(doses.eq(expected.map(|time| (time, 4, true))), "{case}: {log:?}");
    }
    if everywhere {
        same_everywhere(method, &ensemble, &solution, &options);
    }
}

#[test]
fn doses_over_a_limit_count() {
    counts::<_, f64>(Tsit5, false);
    counts::<_, f32>(Tsit5, true);
    counts::<_, f64>(Rodas5P, true);
    counts::<_, f64>(Kvaerno5, false);
    counts::<_, f64>(Tsit5Rodas4, false);
}

/// A clock kicks `x`; the second kick over one ends the trajectory, after a chain of actions.
#[ode_system]
mod chain {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub clock: f64,
    }

    pub struct Parameters {
        pub kick: f64,
    }

    fn rhs(_u: &State) -> State {
        State { x: 0.0, y: 0.0, clock: 1.0 }
    }

    #[event(rising)]
    fn ticks(u: &State) -> f64 {
        u.clock - 1.0
    }

    #[action(ticks)]
    fn kick(u: &State, p: &Parameters) -> State {
        State { x: u.x + p.kick, clock: u.clock - 1.0, ..*u }
    }

    #[event(rising)]
    fn high(u: &State) -> f64 {
        u.x - 1.0
    }

    #[action(high)]
    fn lower(u: &State) -> State {
        State { x: u.x - 2.0, y: u.y + 1.0, ..*u }
    }

    #[event(both, stop = 3)]
    fn whole(u: &State) -> f64 {
        u.y - 0.5
    }

    #[event(falling)]
    fn low(u: &State) -> f64 {
        u.x + 0.25
    }

    #[action(low)]
    fn raise(u: &State) -> State {
        State { y: 0.0, ..*u }
    }
}

/// The expected chain: `x` is 0.75, 1.5 and then -0.5, and there `y` is 1 and then 0.
///
/// These are the first two crossings of `whole`. Then `x` is 0.25, 1.0, 1.75 and -0.25, 0.5, 1.25,
/// and then -0.75.
#[test]
fn actions_that_jump_make_chains() {
    let start = chain::State { x: 0.0, y: 0.0, clock: 0.0 };
    let problem = OdeProblem::new(chain, start, 0.0..=20.0, chain::Parameters { kick: 0.75 });
    for method in [AnyMethod::Tsit5, AnyMethod::Rodas4] {
        for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.3)] {
            let solution = problem.solve(method, &options).unwrap();
            let count = |name| solution.event_count(name).unwrap();
            assert_eq!(solution.code(), ReturnCode::Terminated);
            assert!((solution.end_time() - 5.0).abs() < 1e-12, "{}", solution.end_time());
            assert_eq!(["ticks", "high", "low", "whole"].map(count), [5, 2, 1, 3]);
        }
    }
}

/// Two actions that kick a state back and forth forever, from a given time or clock value.
#[ode_system]
mod table_tennis {
    pub struct State {
        pub x: f64,
        pub clock: f64,
    }

    fn rhs(_u: &State) -> State {
        State { x: 0.0, clock: 1.0 }
    }

    #[at(1.0)]
    fn serve(u: &State) -> State {
        State { x: 1.0, ..*u }
    }

    #[event(rising)]
    fn noon(u: &State) -> f64 {
        u.clock
    }

    #[action(noon)]
    fn start(u: &State) -> State {
        State { x: 1.0, ..*u }
    }

    #[event(rising)]
    fn right(u: &State) -> f64 {
        u.x - 0.5
    }

    #[action(right)]
    fn back(u: &State) -> State {
        State { x: -1.0, ..*u }
    }

    #[event(falling)]
    fn left(u: &State) -> f64 {
        u.x + 0.5
    }

    #[action(left)]
    fn forth(u: &State) -> State {
        State { x: 1.0, ..*u }
    }
}

#[test]
fn chains_end() {
    // The clock starts the second solve within a step of a grid, and the third at the end of its
    // first step.
    for (clock, end) in [(-10.0, 1.0), (-0.7, 0.7), (-0.4, 0.4), (-0.1, 0.1)] {
        let start = table_tennis::State { x: 0.0, clock };
        let problem = OdeProblem::new(table_tennis, start, 0.0..=2.0, []);
        for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.4)] {
            let solution = problem.solve(Tsit5, &options).unwrap();
            assert_eq!(solution.code(), ReturnCode::TooManyEvents);
            assert!((solution.end_time() - end).abs() < 1e-12, "{end}: {}", solution.end_time());
            let expected = clock + end;
            let reached = solution.final_state().clock;
            assert!((reached - expected).abs() < 1e-12, "{end}: {reached}");
        }
    }
}

/// Pushes move `x`, and with it its root `y`, over a limit.
#[ode_system]
pub(crate) mod pushed_root {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    pub struct State {
        pub x: f64,
        pub y: f64,
    }

    pub struct Parameters {
        pub push: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: 0.0, y: u.y * u.y - u.x }
    }

    #[at(1.0)]
    fn push(u: &State, p: &Parameters) -> State {
        State { x: u.x + p.push, ..*u }
    }

    #[event(rising, stop)]
    fn high(u: &State) -> f64 {
        u.y - 1.5
    }
}

/// A jump ends the trajectory, and so does a push without a root, at the time of the push.
#[test]
fn trajectories_with_algebraic_unknowns_end_at_the_push() {
    let start = pushed_root::State { x: 1.0, y: 1.0 };
    for (push, code, y) in [
        (3.0, ReturnCode::Terminated, 2.0),
        (-3.0, ReturnCode::Inconsistent, 1.0),
        (0.44, ReturnCode::Success, 1.2),
    ] {
        let p = pushed_root::Parameters { push };
        let problem = OdeProblem::new(pushed_root, start, 0.0..=2.0, p);
        for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.4)] {
            let solution = problem.solve(Rodas5P, &options).unwrap();
            assert_eq!(solution.code(), code, "{push}");
            let end = if code == ReturnCode::Success { 2.0 } else { 1.0 };
            assert_eq!(solution.end_time(), end, "{push}");
            assert!((solution.final_state().y - y).abs() < 1e-6, "{push}");
        }
    }
}
