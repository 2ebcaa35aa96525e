//! Delayed actions. Expected numbers are closed forms.

use crate::everywhere::same_everywhere;
use odes::Vern7;
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::{Method, Tsit5Rodas4};
use odes::prelude::*;

/// A drug that is given some time after its amount falls below a level.
#[ode_system]
pub(crate) mod late {
    pub struct State {
        pub amount: f64,
    }

    pub struct Parameters {
        pub level: f64,
        pub lag: f64,
    }

    fn rhs(u: &State) -> State {
        State { amount: -u.amount }
    }

    #[event(falling, log)]
    fn low(u: &State, p: &Parameters) -> f64 {
        u.amount - p.level
    }

    #[action(low, after = p.lag)]
    fn dose(u: &State) -> State {
        State { amount: u.amount + 1.0 }
    }
}

/// The same drug as a function.
#[ode_system]
#[event(falling, log, low = u[0] - p[0])]
#[action(low, after = p[1], u[0] += 1.0)]
fn late_function(u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
    [-u[0]]
}

/// A neuron that integrates its input, spikes at 15, and rests after each spike.
#[ode_system]
pub(crate) mod refractory {
    pub struct State {
        pub v: f64,
    }

    pub struct Modes {
        pub awake: f64,
    }

    pub struct Parameters {
        pub input: f64,
        pub rest: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { v: p.modes.awake * (p.input - u.v) / 10.0 }
    }

    #[event(rising)]
    fn spike(u: &State) -> f64 {
        u.v - 15.0
    }

    #[action(spike)]
    fn reset(_: &State) -> (State, Modes) {
        (State { v: 0.0 }, Modes { awake: 0.0 })
    }

    #[action(spike, after = p.rest)]
    fn wake(_: &State, p: &Parameters) -> Modes {
        Modes { awake: p.modes.awake + 1.0 }
    }
}

/// An oscillator of which the position is added to a sum, some time after each of its zeros.
///
/// The delay depends on the time, the state and a mode.
#[ode_system]
pub(crate) mod echo {
    pub struct State {
        pub x: f64,
        pub v: f64,
        pub sum: f64,
    }

    pub struct Modes {
        pub sums: f64,
    }

    pub struct Parameters {
        pub lag: f64,
        pub slower: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, p: &Parameters, t: f64) -> State {
        State { x: u.v, v: -u.x, sum: 0.0 * (p.lag + t) }
    }

    #[event(both)]
    fn zero(u: &State) -> f64 {
        u.x
    }

    #[action(zero, after = p.lag + p.slower * (t + u.v))]
    fn add(u: &State, _: &Parameters, m: &Modes) -> (State, Modes) {
        (State { sum: u.sum + u.x, ..*u }, Modes { sums: m.sums + 1.0 })
    }

    #[observable]
    fn sums(_: &State, m: &Modes) -> f64 {
        m.sums
    }
}

/// A gene that is switched off some time after its product reaches a level, and on again.
#[ode_system]
pub(crate) mod gene {
    pub struct State {
        pub product: f64,
    }

    pub struct Modes {
        pub on: f64,
        pub lag: f64,
    }

    fn rhs(u: &State, m: &Modes) -> State {
        State { product: 2.0 * m.on - u.product }
    }

    #[event(rising)]
    fn high(u: &State) -> f64 {
        u.product - 1.0
    }

    #[action(high, after = m.lag)]
    fn off(_: &State, m: &Modes) -> Modes {
        Modes { on: 0.0, ..*m }
    }

    #[event(falling)]
    fn low(u: &State) -> f64 {
        u.product - 0.5
    }

    #[action(low, after = m.lag)]
    fn on(_: &State, m: &Modes) -> Modes {
        Modes { on: 1.0, ..*m }
    }
}

/// A fall that ends some time after the level is reached for the second time.
#[ode_system]
pub(crate) mod ending {
    pub struct State {
        pub x: f64,
        pub v: f64,
    }

    pub struct Parameters {
        pub lag: f64,
    }

    fn rhs(u: &State) -> State {
        State { x: u.v, v: -u.x }
    }

    #[event(both, stop = 2)]
    fn zero(u: &State) -> f64 {
        u.x
    }

    #[action(zero, after = p.lag)]
    fn mark(u: &State, p: &Parameters) -> State {
        State { v: u.v + 10.0, ..*u }
    }
}

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-12)
}

#[track_caller]
fn close(found: f64, expected: f64, most: f64) {
    assert!((found - expected).abs() <= most * expected.abs().max(1.0), "{found}, not {expected}");
}

/// Returns the events, and the amount at `end` with its begin at `amount`.
fn amounts(level: f64, lag: f64, mut amount: f64, end: f64) -> (Vec<f64>, f64) {
    let (mut t, mut events) = (0.0, Vec::new());
    loop {
        let event = t + (amount / level).ln();
        if amount < level || event > end {
            return (events, amount * (t - end).exp());
        }
        events.push(event);
        if event + lag >= end {
            return (events, level * (event - end).exp());
        }
        t = event + lag;
        amount = level * (-lag).exp() + 1.0;
    }
}

/// A system that is a function has the delayed actions of a module.
#[test]
fn a_function_has_delayed_actions() {
    for lag in [0.0, 0.4, 2.0] {
        let module = late_problem(0.3, lag, 10.0).solve(Tsit5, &tight()).unwrap();
        let problem = OdeProblem::new(late_function, [1.0], 0.0..=10.0, [0.3, lag]);
        let function = problem.solve(Tsit5, &tight()).unwrap();
        assert_eq!(function.final_state(), [module.final_state().amount]);
        assert_eq!(function.event_count("low"), module.event_count("low"));
        let (events, amount) = amounts(0.3, lag, 1.0, 10.0);
        assert_eq!(function.event_count("low"), Ok(events.len() as u32));
        close(function.final_state()[0], amount, 1e-9);
    }
}

fn late_problem(level: f64, lag: f64, end: f64) -> OdeProblem<late::Model, f64, 1, 2> {
    let parameters = late::Parameters { level, lag };
    OdeProblem::new(late, late::State { amount: 1.0 }, 0.0..=end, parameters)
}

#[test]
fn doses_after_a_lag() {
    for (lag, end) in [(0.7, 10.0), (0.01, 4.0), (0.0, 4.0), (30.0, 10.0), (2.0, 10.0)] {
        let (times, amount) = amounts(0.3, lag, 1.0, end);
        let problem = late_problem(0.3, lag, end);
        let options = tight().event_log(EventLog::new(9).with_states());
        let check = |solution: odes::OdeSolution<late::Model, f64, 1, 2>| {
            assert_eq!(solution.code(), ReturnCode::Success);
            assert_eq!(solution.event_count("low").unwrap() as usize, times.len());
            close(solution.final_state().amount, amount, 1e-10);
            for (event, time) in solution.log().unwrap().zip(&times) {
                close(event.time, *time, 1e-10);
                let [before, after] = [event.before, event.after].map(|state| state.unwrap());
                close(before.amount, 0.3, 1e-10);
                // The log has the states at the event, not those at the action.
                let dose = if lag == 0.0 { 1.0 } else { 0.0 };
                close(after.amount, before.amount + dose, 1e-15);
            }
        };
        check(problem.solve(Vern7, &options).unwrap());
        check(problem.solve(Tsit5, &options).unwrap());
        check(problem.solve(Tsit5, &options.fixed_step(0.003)).unwrap());
    }
    let lag = f64::INFINITY;
    let solution = late_problem(0.3, lag, 5.0).solve(Tsit5, &tight()).unwrap();
    close(solution.final_state().amount, (-5.0_f64).exp(), 1e-10);
}

/// The step sizes continue after an event with a delayed action, and after the action.
#[test]
fn few_steps() {
    let options = SolveOptions::default().tolerance(1e-9);
    let problem = late_problem(0.3, 30.0, 10.0);
    let without = problem.solve(Tsit5, &options).unwrap().as_ensemble().accepted(0);
    let problem = late_problem(1e-9, 30.0, 10.0);
    let with = problem.solve(Tsit5, &options).unwrap().as_ensemble().accepted(0);
    assert!(without <= with + 4, "{without} {with}");
}

/// A stiff method, and one that switches.
#[test]
fn other_methods() {
    let (_, amount) = amounts(0.3, 0.7, 1.0, 10.0);
    let problem = late_problem(0.3, 0.7, 10.0);
    let options = SolveOptions::default().tolerance(1e-9);
    close(problem.solve(Rodas5P, &options).unwrap().final_state().amount, amount, 1e-6);
    close(problem.solve(Tsit5Rodas4, &options).unwrap().final_state().amount, amount, 1e-6);
}

/// Time runs backwards: the amount grows, and falls in the order of the steps after each action.
#[test]
fn reversed_spans() {
    for options in [tight(), tight().fixed_step(-0.002)] {
        let parameters =
            echo::Parameters { lag: 8.0, slower: 0.0, modes: echo::Modes { sums: 0.0 } };
        let begin = echo::State { x: 0.0, v: 1.0, sum: 0.0 };
        let problem = OdeProblem::new(echo, begin, 0.0..=-20.0, parameters);
        let solution = problem.solve(Vern7, &options).unwrap();
        let due = (1..).map(|k| -PI * f64::from(k) - 8.0).take_while(|t| *t > -20.0);
        close(solution.final_state().sum, due.map(f64::sin).sum(), 1e-8);
        assert_eq!(solution.event_count("zero").unwrap(), 6);
    }
}

fn echoes(lag: f64, slower: f64, end: f64) -> OdeProblem<echo::Model, f64, 3, 3> {
    let parameters = echo::Parameters { lag, slower, modes: echo::Modes { sums: 0.0 } };
    let begin = echo::State { x: 0.0, v: 1.0, sum: 0.0 };
    OdeProblem::new(echo, begin, 0.0..=end, parameters)
}

/// Several actions wait at a time; the later ones may be due earlier.
#[test]
fn overlapping_delays() {
    for (lag, slower) in [(2.5 * PI, 0.0), (6.9 * PI, 0.0), (20.0, -0.6), (0.5, 0.4)] {
        let zeros = || (1..).map(|k| (PI * f64::from(k), if k % 2 == 0 { 1.0 } else { -1.0 }));
        let due = zeros().take_while(|(t, _)| *t < 30.0);
        let due = due.map(|(t, v)| t + lag + slower * (t + v));
        let due: Vec<f64> = due.filter(|t| *t < 30.0).collect();
        assert!(due.len() > 1);
        for options in [tight(), tight().fixed_step(0.005)] {
            let options = options.saveat([30.0]).saving(odes::Saving::Both);
            let solution = echoes(lag, slower, 30.0).solve(Vern7, &options).unwrap();
            assert_eq!(solution.code(), ReturnCode::Success);
            close(solution.final_state().sum, due.iter().copied().map(f64::sin).sum(), 1e-8);
            assert_eq!(solution.observable("sums").unwrap()[0], due.len() as f64);
        }
    }
}

/// The ninth action that waits ends the trajectory.
#[test]
fn too_many_delays() {
    for options in [tight(), tight().fixed_step(0.01)] {
        let solution = echoes(9.5 * PI, 0.0, 60.0).solve(Vern7, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::TooManyEvents);
        close(solution.end_time(), 9.0 * PI, 1e-8);
        // Actions after the end of the span do not wait.
        let solution = echoes(9.5 * PI, 0.0, 58.0).solve(Vern7, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        let solution = echoes(40.0, 0.0, 39.9).solve(Vern7, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        assert_eq!(solution.event_count("zero").unwrap(), 12);
    }
}

#[test]
fn wrong_delays() {
    for lag in [-1.0, f64::NEG_INFINITY] {
        for options in [tight(), tight().fixed_step(0.01)] {
            let solution = late_problem(0.3, lag, 5.0).solve(Tsit5, &options).unwrap();
            assert_eq!(solution.code(), ReturnCode::NonFinite);
            close(solution.end_time(), -f64::ln(0.3), 1e-8);
        }
    }
    // Infinity times a slope of zero.
    let solution = echoes(0.0, f64::INFINITY, 5.0).solve(Tsit5, &tight()).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    let solution = echoes(f64::INFINITY, f64::NEG_INFINITY, 5.0).solve(Tsit5, &tight()).unwrap();
    assert_eq!(solution.code(), ReturnCode::NonFinite);
}

/// States at the time of an event and of its action are those before it.
/// Members of a lockstep group would share the ends of segments.
#[test]
fn no_delays_in_lockstep() {
    let ensemble = EnsembleProblem::new(late_problem(5.0, 1.0, 10.0));
    let result = ensemble.solve(Tsit5, odes::EnsembleCpuArray, &tight());
    assert!(matches!(result, Err(SolveError::NoArrays { .. })), "{:?}", result.err());
}

#[test]
fn saved_states() {
    let event = -f64::ln(0.3);
    for options in [tight(), tight().fixed_step(0.003)] {
        let times = [event, 1.6, event + 0.5, 2.0];
        let options = options.saveat(times).tstops([1.5]);
        let solution = late_problem(0.3, 0.5, 2.0).solve(Vern7, &options).unwrap();
        let saved: Vec<f64> = solution.states().map(|state| state.amount).collect();
        for (amount, t) in saved.iter().zip(times).take(3) {
            close(*amount, (-t).exp(), 1e-11);
        }
        let expected = ((-event - 0.5).exp() + 1.0) * (event + 0.5 - 2.0).exp();
        close(saved[3], expected, 1e-11);
    }
}

/// A time to stop at may be the due time, or differ from it by rounding.
#[test]
fn stops_at_due_times() {
    let due = -f64::ln(0.3) + 0.5;
    let (_, amount) = amounts(0.3, 0.5, 1.0, 4.0);
    for unit in [-3.0, -1.0, 0.0, 1.0, 2.0, 1e4] {
        let stop = due + unit * f64::EPSILON;
        for options in [tight(), tight().fixed_step(0.003)] {
            let options = options.tstops([stop, 2.5]);
            let solution = late_problem(0.3, 0.5, 4.0).solve(Vern7, &options).unwrap();
            assert_eq!(solution.code(), ReturnCode::Success);
            close(solution.final_state().amount, amount, 1e-10);
        }
    }
    // The action at the end of the span does not take place.
    let solution = late_problem(0.3, 0.5, due).solve(Vern7, &tight()).unwrap();
    close(solution.final_state().amount, (-due).exp(), 1e-10);
}

#[test]
fn refractory_periods() {
    for (input, rest) in [(20.0, 2.0), (35.0, 7.5), (20.0, 0.0)] {
        let modes = refractory::Modes { awake: 1.0 };
        let parameters = refractory::Parameters { input, rest, modes };
        let begin = refractory::State { v: 0.0 };
        let problem = OdeProblem::new(refractory, begin, 0.0..=1000.0, parameters);
        let charge = 10.0 * (input / (input - 15.0)).ln();
        let spikes = ((1000.0 - charge) / (charge + rest)).floor() + 1.0;
        let since = 1000.0 - charge - (spikes - 1.0) * (charge + rest);
        let v = if since < rest { 0.0 } else { input * (1.0 - (-(since - rest) / 10.0).exp()) };
        for options in [tight(), tight().fixed_step(0.1)] {
            let solution = problem.solve(Vern7, &options).unwrap();
            assert_eq!(f64::from(solution.event_count("spike").unwrap()), spikes);
            close(solution.final_state().v, v, 1e-7);
        }
    }
}

/// The period of a gene with delayed switches.
#[test]
fn gene_switch() {
    let lag = 0.3;
    let begin = gene::State { product: 0.0 };
    let problem = OdeProblem::new(gene, begin, 0.0..=50.0, gene::Modes { on: 1.0, lag });
    // From the switch to the next one: to the level, and the lag.
    let top = 2.0 - (2.0 - 1.0) * f64::exp(-lag);
    let bottom = 0.5 * f64::exp(-lag);
    let fall = (top / 0.5).ln() + lag;
    let rise = (2.0 - bottom).ln() + lag;
    let first = f64::ln(2.0) + lag;
    let mut t = first;
    let mut on = false;
    let mut switches = [1, 0];
    loop {
        let next = t + if on { rise } else { fall };
        if next > 50.0 {
            break;
        }
        t = next;
        on = !on;
        switches[usize::from(on)] += 1;
    }
    let since = 50.0 - t;
    let product = match on {
        true => 2.0 - (2.0 - bottom) * f64::exp(-since),
        false => top * f64::exp(-since),
    };
    for options in [tight(), tight().fixed_step(0.01)] {
        let solution = problem.solve(Vern7, &options).unwrap();
        close(solution.final_state().product, product, 1e-8);
        let highs = solution.event_count("high").unwrap();
        assert!(highs >= 10 && (highs == switches[0] || highs == switches[0] + 1));
    }
}

/// A trajectory ends after the delayed action of the event that ends it.
#[test]
fn ends_after_the_action() {
    let problem = |lag: f64, end: f64| {
        let begin = ending::State { x: 1.0, v: 0.0 };
        OdeProblem::new(ending, begin, 0.0..=end, ending::Parameters { lag })
    };
    for options in [tight(), tight().fixed_step(0.01)] {
        // The first action, at 7, is before the second one.
        let solution = problem(7.0 - PI / 2.0, 20.0).solve(Vern7, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Terminated);
        close(solution.end_time(), 7.0 + PI, 1e-9);
        let t = 7.0 + PI;
        // Two impulses of 10: at 7 and at the end.
        let v = -t.sin() + 10.0 * (t - 7.0).cos() + 10.0;
        close(solution.final_state().v, v, 1e-8);
        let solution = problem(7.0 - PI / 2.0, 10.0).solve(Vern7, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Success);
        assert_eq!(solution.end_time(), 10.0);
        let solution = problem(0.0, 20.0).solve(Vern7, &options).unwrap();
        assert_eq!(solution.code(), ReturnCode::Terminated);
    }
}

fn delayed<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
    let begin = echo::State { x: 0.0, v: 1.0, sum: 0.0 };
    let parameters = echo::Parameters { lag: 0.0, slower: 0.0, modes: echo::Modes { sums: 0.0 } };
    let problem = OdeProblem::new(echo, begin, 0.0..=60.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(101).vary(|problem, i| {
        let lag = 0.4 * i as f64;
        problem.with_p([lag, -0.005 * lag, 0.0].map(T::narrow))
    });
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    for some in [ReturnCode::Success, ReturnCode::TooManyEvents] {
        assert!(expected.codes().any(|code| code == some), "{some} {}", T::NAME);
    }
    same_everywhere(method, &ensemble, &expected, options);
}

/// Lanes with due times at different times, and lanes that fail.
#[test]
fn same_bits() {
    let options = SolveOptions::default().saveat(0.5);
    delayed::<_, f64>(Tsit5, &options);
    delayed::<_, f32>(Tsit5, &options);
    delayed::<_, f64>(Rodas5P, &SolveOptions::default());
    let options = SolveOptions::default().fixed_step(0.0625).saveat(SaveAt::Steps);
    delayed::<_, f64>(Tsit5, &options);
    delayed::<_, f32>(Tsit5, &options.tstops([1.0, 3.3]));
}
