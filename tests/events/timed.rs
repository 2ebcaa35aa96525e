//! Actions at given times. Expected numbers are closed forms.

use crate::everywhere::same_everywhere;
use odes::events::{EventError, EventLog};
use odes::lane::Scalar;
use odes::methods::{Dop853, Method, Tsit5Rodas4};
use odes::prelude::*;
use odes::{KenCarp4, Vern7};

/// A drug that is eliminated, and given again and again.
#[ode_system]
pub(crate) mod doses {
    pub struct State {
        pub amount: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        pub dose: f64,
        pub first: f64,
        pub every: f64,
        pub count: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: -p.rate * u.amount }
    }

    #[at(first = p.first, every = p.every, count = p.count, log)]
    fn dose(u: &State, p: &Parameters) -> State {
        State { amount: u.amount + p.dose }
    }
}

/// The same with times that are parameters; an infinite time means no dose.
#[ode_system]
pub(crate) mod listed {
    pub struct State {
        pub amount: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        pub times: [f64; 3],
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: -p.rate * u.amount }
    }

    #[at(p.times)]
    fn dose(u: &State) -> State {
        State { amount: u.amount + 1.0 }
    }

    #[at(2.5, log, p.times[1] / 2.0)]
    fn twice(u: &State) -> State {
        State { amount: 2.0 * u.amount }
    }
}

/// An infusion between two times.
#[ode_system]
pub(crate) mod infusion {
    pub struct State {
        pub amount: f64,
        pub rate: f64,
    }

    pub struct Parameters {
        pub elimination: f64,
        pub begin: f64,
        pub duration: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: u.rate - p.elimination * u.amount, rate: 0.0 }
    }

    #[at(p.begin)]
    fn on(u: &State) -> State {
        State { rate: 10.0, ..*u }
    }

    #[at(p.begin + p.duration)]
    fn off(u: &State) -> State {
        State { rate: 0.0, ..*u }
    }
}

const GIVEN: doses::Parameters =
    doses::Parameters { rate: 0.1, dose: 100.0, first: 0.0, every: 12.0, count: f64::INFINITY };

fn given(end: f64) -> OdeProblem<doses::Model, f64, 1, 5> {
    OdeProblem::new(doses, doses::State { amount: 0.0 }, 0.0..=end, GIVEN)
}

/// Returns the amount at `t` after the doses at 0, 12, … before `t`.
fn amount(t: f64) -> f64 {
    let times = (0..).map(|k| 12.0 * f64::from(k)).take_while(|time| *time < t);
    times.map(|time| 100.0 * (-0.1 * (t - time)).exp()).sum()
}

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-12)
}

fn close(found: f64, expected: f64, most: f64, what: &str) {
    assert!((found - expected).abs() <= most * expected.abs(), "{what}: {found}, not {expected}");
}

/// The peaks of five and of ten doses, from the literature's sum of a geometric series.
#[test]
fn doses_accumulate() {
    let after = |number: f64| given(12.0 * (number - 1.0) + 1e-9);
    for (number, peak) in [(5.0, 142.74656346979272), (10.0, 143.10039682470511)] {
        let each = |end: doses::State, count: u32, what: &str| {
            assert_eq!(f64::from(count), number, "{what}");
            close(end.amount, peak * (-1e-10_f64).exp(), 1e-12, what);
        };
        let run = |solution: odes::OdeSolution<doses::Model, f64, 1, 5>, what: &str| {
            assert_eq!(solution.code(), ReturnCode::Success, "{what}");
            each(solution.final_state(), solution.event_count("dose").unwrap(), what);
        };
        run(after(number).solve(Vern7, &tight()).unwrap(), "Vern7");
        run(after(number).solve(Dop853, &tight()).unwrap(), "Dop853");
        run(after(number).solve(Tsit5, &tight()).unwrap(), "Tsit5");
        run(after(number).solve(Auto, &tight()).unwrap(), "Auto");
        run(after(number).solve(Tsit5, &tight().fixed_step(0.01)).unwrap(), "fixed steps");
    }
    for (method, end) in [
        ("Rodas5P", after(5.0).solve(Rodas5P, &tight()).unwrap().final_state()),
        ("KenCarp4", after(5.0).solve(KenCarp4, &tight()).unwrap().final_state()),
    ] {
        close(end.amount, 142.74656346979272, 1e-9, method);
    }
}

/// A saved time at an action has the state before the action, and so has the end of the span.
///
/// The beginning has the initial state.
#[test]
fn states_before_actions() {
    let problem = given(24.0);
    for options in [tight(), tight().fixed_step(0.01)] {
        let solution = problem.solve(Vern7, &options.saveat([0.0, 12.0, 18.0, 24.0])).unwrap();
        let saved: Vec<f64> = solution.states().map(|state| state.amount).collect();
        assert_eq!(saved[0], 0.0);
        for (state, t) in saved.iter().zip([0.0, 12.0, 18.0, 24.0]).skip(1) {
            close(*state, amount(t), 1e-11, &t.to_string());
        }
        close(solution.final_state().amount, amount(24.0), 1e-11, "the end");
        // An action at the end time belongs to the span that begins there.
        assert_eq!(solution.event_count("dose"), Ok(2));
    }
    // Two consecutive spans are therefore equivalent to one.
    let middle = problem.solve(Vern7, &tight()).unwrap().final_state();
    let rest = problem.with_u0(middle).with_tspan((24.0, 48.0)).solve(Vern7, &tight()).unwrap();
    close(rest.final_state().amount, amount(48.0), 1e-11, "two spans");
}

/// Hours in days: rounding moves some saved times to before or after the dose of that hour.
///
/// A seventh of the saved times is before the dose, and a seventh after it.
#[test]
fn states_before_actions_but_for_rounding() {
    let [hour, rate, dose] = [1.0 / 24.0, 2.4, 100.0];
    let hours: Vec<f64> = (0..=72).map(|k| f64::from(k) * hour).collect();
    for period in [1, 3, 5, 6, 7] {
        let every = f64::from(period) / 24.0;
        // Sums of hours differ from their products by rounding.
        let summed = (0..72).scan(0.0, |t, _| {
            *t += hour;
            Some(*t)
        });
        for times in [hours.clone(), summed.collect()] {
            let parameters = [rate, dose, 0.0, every, f64::INFINITY];
            let problem =
                OdeProblem::new(doses, doses::State { amount: 0.0 }, 0.0..=3.0, parameters);
            for options in [tight(), tight().fixed_step(0.01)] {
                let solution = problem.solve(Vern7, &options.saveat(times.clone())).unwrap();
                assert_eq!(solution.states().count(), times.len());
                for (state, t) in solution.states().zip(&times) {
                    let given = (0..).map(|k| every * f64::from(k));
                    let given = given.take_while(|time| *time < t - 1e-9);
                    let expected: f64 = given.map(|time| dose * (rate * (time - t)).exp()).sum();
                    assert!((state.amount - expected).abs() < 1e-8, "every {period} h, at {t}");
                }
            }
        }
    }
}

/// Each trajectory has its own times, in any order, some of them outside the span.
#[test]
fn times_of_each_trajectory() {
    let parameters = listed::Parameters { rate: 0.0, times: [0.0; 3] };
    let problem = OdeProblem::new(listed, listed::State { amount: 0.0 }, 0.0..=10.0, parameters);
    let none = f64::INFINITY;
    let all = [
        // Doses at 1, 3 and 5, doublings at 1.5 and 2.5: ((0 + 1) 2 2 + 1 + 1).
        ([1.0, 3.0, 5.0], 6.0, [3, 2]),
        // The order in the list does not matter.
        ([5.0, 3.0, 1.0], 6.0, [3, 2]),
        // An infinite time and a time outside the span have no effect.
        ([none, 3.0, none], 1.0, [1, 2]),
        ([-1.0, 30.0, 11.0], 0.0, [0, 1]),
        // Equal times count once, and their actions run in the order of their functions: (0 + 1) 2
        // + 0.
        ([2.5, 2.5, 2.5], 2.0, [1, 2]),
        // Times that differ only by rounding count as one.
        ([2.5 + 4e-16, 2.5, 2.5 - 4e-16], 2.0, [1, 2]),
        // An action at the beginning of the span runs, and one at its end does not, whatever the
        // rounding: the dose at 0, then the doubling at 0 and the doubling at 2.5.
        ([0.0, 0.0, 10.0], 4.0, [1, 2]),
        ([-0.0, 20.0, 10.0 - 1e-15], 2.0, [1, 1]),
    ];
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(all.len())
        .vary(|problem, i| problem.with_p(listed::Parameters { times: all[i].0, ..parameters }));
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.3)] {
        let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
        for (i, (times, end, [given, doubled])) in all.iter().enumerate() {
            let counts = solution.event_counts();
            assert_eq!(solution.code(i), ReturnCode::Success, "{times:?}");
            assert_eq!([counts[[i, 0]], counts[[i, 1]]], [*given, *doubled], "{times:?}");
            assert_eq!(solution.final_state(i).amount, *end, "{times:?}");
        }
    }
}

/// The log has the times of all doses, and the amounts before and after each.
#[test]
fn doses_are_logged() {
    let log = EventLog::new(5).with_states();
    for options in [tight(), tight().fixed_step(0.01)] {
        let logged = options.clone().event_log(log);
        let solution = given(50.0).solve(Vern7, &logged).unwrap();
        let log = solution.log().unwrap();
        assert_eq!(log.len(), 5);
        for (k, entry) in log.enumerate() {
            let time = 12.0 * k as f64;
            assert_eq!((entry.time, entry.name, entry.event), (time, "dose", 0));
            assert!(entry.rising);
            let [before, after] = [entry.before, entry.after].map(|state| state.unwrap().amount);
            close(before, amount(time), 1e-11, "before a dose");
            assert_eq!(after, before + 100.0);
        }
        // A log does not change the bits of the solution.
        let plain = given(50.0).solve(Vern7, &options).unwrap();
        assert_eq!(plain.final_state(), solution.final_state());
    }
}

/// Each trajectory has the times of its own doses; a log may be full.
#[test]
fn logs_of_each_trajectory() {
    let ensemble = EnsembleProblem::new(given(50.0)).trajectories(20).vary(|problem, i| {
        let (first, every) = (1.5 * i as f64, 3.0 + i as f64);
        problem.with_p(doses::Parameters { first, every, ..GIVEN })
    });
    let options = SolveOptions::default().event_log(12);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
    for i in 0..20 {
        let (first, every) = (1.5 * i as f64, 3.0 + i as f64);
        let times = (0..).map(|k| first + every * f64::from(k)).take_while(|time| *time < 50.0);
        let times: Vec<f64> = times.collect();
        let found: Vec<f64> = solution.kept_log(i).unwrap().map(|entry| entry.time).collect();
        assert_eq!(found, times[..times.len().min(12)], "{i}");
        match solution.log(i) {
            Ok(log) => assert_eq!(log.len(), times.len(), "{i}"),
            Err(error) => {
                let happened = times.len() as u64;
                assert_eq!(error, EventError::LogFull { trajectory: i, kept: 12, happened });
                assert!(happened > 12, "{i}");
            }
        }
    }
    assert!(solution.log(0).is_err() && solution.log(19).is_ok());
}

/// Only actions with `log` are logged; their number is the index among all events.
#[test]
fn one_of_two_actions_is_logged() {
    let parameters = listed::Parameters { rate: 0.0, times: [1.0, 3.0, 5.0] };
    let problem = OdeProblem::new(listed, listed::State { amount: 0.0 }, 0.0..=10.0, parameters);
    let options = SolveOptions::default().event_log(EventLog::new(3).with_states());
    let solution = problem.solve(Tsit5, &options).unwrap();
    let log = solution.log().unwrap();
    let log: Vec<_> = log.map(|entry| (entry.time, entry.name, entry.event)).collect();
    assert_eq!(log, [(1.5, "twice", 1), (2.5, "twice", 1)]);
    let amounts: Vec<_> =
        solution.log().unwrap().map(|entry| entry.after.unwrap().amount).collect();
    assert_eq!(amounts, [2.0, 4.0]);
    let numbers = solution.as_ensemble().all_logs();
    assert_eq!((numbers[[0, 1, 1]], numbers.dim()), (2.0, (1, 3, 4)));
    assert!(numbers[[0, 2, 0]].is_nan());
}

/// A NaN as a time ends its own trajectory only.
#[test]
fn times_that_are_not_numbers() {
    for field in 0..3 {
        let problem = given(40.0);
        let ensemble = EnsembleProblem::new(problem).trajectories(3).vary(|problem, i| {
            let mut p = [0.1, 100.0, 0.0, 12.0, 3.0];
            if i == 1 {
                p[2 + field] = f64::NAN;
            }
            problem.with_p(p)
        });
        let solution = ensemble.solve(Tsit5, EnsembleThreads, &SolveOptions::default()).unwrap();
        let codes = [ReturnCode::Success, ReturnCode::NonFinite, ReturnCode::Success];
        assert_eq!([0, 1, 2].map(|i| solution.code(i)), codes);
    }
    // A NaN that is computed from valid numbers.
    let parameters =
        infusion::Parameters { elimination: 0.3, begin: f64::INFINITY, duration: -f64::INFINITY };
    let at = infusion::State { amount: 1.0, rate: 0.0 };
    let problem = OdeProblem::new(infusion, at, 0.0..=1.0, parameters);
    let solution = problem.solve(Tsit5, &SolveOptions::default()).unwrap();
    assert_eq!(solution.code(), ReturnCode::NonFinite);
}

#[test]
fn an_infusion() {
    let parameters = infusion::Parameters { elimination: 0.3, begin: 0.0, duration: 2.0 };
    let at = infusion::State { amount: 0.0, rate: 0.0 };
    let problem = OdeProblem::new(infusion, at, 0.0..=10.0, parameters);
    for options in [tight(), tight().fixed_step(0.01)] {
        let solution = problem.solve(Vern7, &options.saveat([2.0, 10.0])).unwrap();
        let saved: Vec<f64> = solution.states().map(|state| state.amount).collect();
        close(saved[0], 15.039612130199119, 1e-12, "2 h");
        close(saved[1], 1.3643628307182853, 1e-12, "10 h");
    }
}

/// `u' = -u` from 10, with 10 more at 4: the discrete callback of DiffEqGPU's tests.
#[test]
fn one_dose() {
    let parameters =
        doses::Parameters { rate: 1.0, dose: 10.0, first: 4.0, every: 1.0, count: 1.0 };
    let problem = OdeProblem::new(doses, doses::State { amount: 10.0 }, 0.0..=10.0, parameters);
    let end = problem.solve(Tsit5, &tight()).unwrap().final_state();
    close(end.amount, 0.025_241_521_064_288_43, 1e-10, "10");
    let at = doses::State { amount: 0.0 };
    let short = doses::Parameters { first: 2.4 - 7.5, ..parameters };
    assert_eq!(problem.with_u0(at).with_p(short).solve(Tsit5, &tight()).unwrap().final_state(), at);
}

/// The whole span backwards; a dose is then subtracted.
#[test]
fn backwards() {
    let parameters = doses::Parameters { rate: 0.1, dose: -100.0, ..GIVEN };
    let begin = doses::State { amount: amount(40.0) };
    let problem = OdeProblem::new(doses, begin, 40.0..=0.0, parameters);
    let solution = problem.solve(Vern7, &tight().saveat([36.0, 30.0, 6.0, 0.0])).unwrap();
    // The doses at 36, 24 and 12; the dose at 0 is at the end.
    assert_eq!(solution.event_count("dose"), Ok(3));
    let saved: Vec<f64> = solution.states().map(|state| state.amount).collect();
    // A saved time at a dose has the state before the dose in the direction of integration.
    close(saved[0], amount(36.0) + 100.0, 1e-10, "36");
    close(saved[1], amount(30.0), 1e-10, "30");
    close(saved[2], amount(6.0), 1e-9, "6");
    close(saved[3], 100.0, 1e-9, "0");
}

/// After an action steps continue with the size from before the action's time shortened one.
///
/// A system that the action does not affect has no ramp from a small first step.
#[test]
fn steps_go_on() {
    let parameters = doses::Parameters { dose: 0.0, ..GIVEN };
    let at = doses::State { amount: 100.0 };
    let problem = OdeProblem::new(doses, at, 0.0..=120.0, parameters);
    let options = SolveOptions::default().tolerance(1e-8);
    let without = problem.with_p(doses::Parameters { count: 0.0, ..parameters });
    let smooth = without.solve(Tsit5, &options).unwrap();
    let cut = problem.solve(Tsit5, &options).unwrap();
    let stops = options.clone().tstops((1..10).map(|k| 12.0 * f64::from(k)));
    let stopped = without.solve(Tsit5, &stops).unwrap();
    let steps = [&smooth, &cut, &stopped].map(odes::OdeSolution::accepted);
    // Nine actions each divide a step in two; a restart as at the beginning of a span takes more
    // steps.
    assert!(steps[1] <= steps[0] + 2 * 9 && steps[1] + 9 < steps[2], "{steps:?}");
    assert_eq!(cut.rejected(), smooth.rejected());
}

/// Too many times are an error; no array of gigabytes is allocated.
#[test]
fn a_period_that_is_too_short() {
    let short = given(40.0).with_p(doses::Parameters { every: 1e-7, ..GIVEN });
    let error = short.solve(Tsit5, &SolveOptions::default()).unwrap_err();
    assert!(matches!(error, SolveError::TooManyActions { every: 1e-7, .. }), "{error}");
}

fn everywhere<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
    let problem = given(50.0).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(101).vary(|problem, i| {
        let i = i as f64;
        problem.with_p([0.1, 100.0, 0.7 * (i % 7.0), 3.0 + 0.1 * i, i % 9.0].map(T::narrow))
    });
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    for i in 0..101 {
        let (first, every) = (0.7 * (i % 7) as f64, 3.0 + 0.1 * i as f64);
        let within = (0..i % 9).filter(|k| first + every * (*k as f64) < 50.0).count();
        assert_eq!(expected.event_counts()[[i, 0]] as usize, within, "{i} in {}", T::NAME);
    }
    same_everywhere(method, &ensemble, &expected, options);
}

#[test]
fn the_same_everywhere() {
    let log = EventLog::new(4).with_states();
    let options = SolveOptions::default().saveat(0.5).event_log(log);
    everywhere::<_, f64>(Tsit5, &options);
    everywhere::<_, f32>(Tsit5, &options);
    everywhere::<_, f64>(Rodas5P, &SolveOptions::default());
    everywhere::<_, f32>(KenCarp4, &SolveOptions::default());
    everywhere::<_, f64>(Tsit5, &SolveOptions::default().fixed_step(0.3).saveat(0.5));
    everywhere::<_, f32>(Tsit5, &SolveOptions::default().fixed_step(0.3).event_log(3));
    everywhere::<_, f64>(
        Tsit5Rodas4,
        &SolveOptions::default().saveat(SaveAt::Steps).tstops([1.0, 12.0]),
    );
}

/// A surface that is clean until a valve opens.
#[ode_system]
mod valve {
    pub struct State {
        pub q: f64,
    }

    pub struct Modes {
        pub open: f64,
    }

    pub struct Parameters {
        pub rate: f64,
        pub modes: Modes,
    }

    fn rhs(u: &State, p: &Parameters, m: &Modes) -> State {
        State { q: m.open * p.rate * (-2.0 * u.q).exp() }
    }

    #[at(10.0)]
    fn opens(_: &State) -> Modes {
        Modes { open: 1.0 }
    }
}

/// The previous step size is far too long if an action begins a fast process.
#[test]
fn what_an_action_begins_is_followed() {
    fn each<M: Method>(method: M) {
        for decade in 0..9 {
            let rate = 10.0_f64.powi(decade);
            let parameters = valve::Parameters { rate, modes: valve::Modes { open: 0.0 } };
            let problem = OdeProblem::new(valve, valve::State { q: 0.0 }, 0.0..=20.0, parameters);
            let solution = problem.solve(method, &SolveOptions::default()).unwrap();
            let exact = 0.5 * (20.0 * rate).ln_1p();
            let error = (solution.final_state().q - exact).abs();
            assert!(solution.code().is_success() && error < 0.1 * exact, "{rate:e}: {error:e}");
        }
    }
    each(Rodas5P);
    each(odes::methods::Kvaerno5);
}
