//! Events of lockstep ensembles, in which all members share the steps.

use crate::after_step::{circle, resting};
use crate::bouncing::bouncing;
use crate::crossings::follows;
use crate::jumps::pushed_root;
use crate::modes::thermostat;
use crate::systems::{ball, dip, impact, neuron, racket, relay, wave};
use crate::timed::{doses, listed};
use crate::workloads::assert_same_bits;
use odes::backend::{InstructionSet, LockstepNorm};
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::Method;
use odes::prelude::*;
use odes::system::System;
use odes::{EnsembleSolution, Saving};

/// Compares lockstep ensembles of equal members with trajectories that have their own steps.
fn same<M: Method, S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    method: M,
    problem: &OdeProblem<S, T, N, P>,
    options: &SolveOptions,
) -> EnsembleSolution<S, T, N, P> {
    let ensemble = |n| EnsembleProblem::new(*problem).trajectories(n);
    for (n, norm) in [(1, LockstepNorm::Greatest), (40, LockstepNorm::Mean)] {
        eprintln!("{} by {}, {n} members, {options:?}", T::NAME, M::PROPERTIES.name);
        let expected = ensemble(n).solve(method, EnsembleSerial, options).unwrap();
        let array = EnsembleCpuArray::new().norm(norm).threads(2);
        assert_same_bits(&expected, &ensemble(n).solve(method, &array, options).unwrap());
    }
    ensemble(1).solve(method, EnsembleSerial, options).unwrap()
}

fn logged(options: SolveOptions) -> SolveOptions {
    options.event_log(EventLog::new(30).with_states())
}

const HIGH: bouncing::State = bouncing::State { height: 10.0, velocity: 0.0 };

fn bounces<T: Scalar>(restitution: f64) -> OdeProblem<bouncing::Model, T, 2, 2> {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution };
    OdeProblem::new(bouncing, HIGH, 0.0..=9.0, parameters).cast()
}

/// Members that are equal have the bits of a single trajectory, with all kinds of events.
#[test]
fn equal_members() {
    fn of<T: Scalar>() {
        let adaptive = logged(SolveOptions::default());
        for options in [
            adaptive.clone(),
            adaptive.clone().saveat(0.25).tstops([1.0, 3.0]).dtmax(0.3),
            adaptive.clone().saveat(SaveAt::Steps).first_step(0.01),
            adaptive.clone().max_steps(20),
            adaptive.dtmin(0.01),
            logged(SolveOptions::default().fixed_step(0.125).saveat(0.5)),
        ] {
            same(Tsit5, &bounces::<T>(0.8), &options);
        }
        let at = wave::State { x: 1.0, v: 0.0 };
        let waves = OdeProblem::new(wave, at, 0.0..=20.0, wave::Parameters { level: 0.5 });
        same(Tsit5, &waves.cast::<T>(), &logged(SolveOptions::default()).saveat(0.5));
        same(Tsit5, &waves.cast::<T>(), &logged(SolveOptions::default()).fixed_step(0.3));
    }
    of::<f64>();
    of::<f32>();
    // Bounces that accumulate.
    let rest = same(Tsit5, &bounces::<f64>(0.5), &SolveOptions::default());
    assert_eq!(rest.code(0), ReturnCode::TooManyEvents);
    let at = impact::State { x: 1.0, v: 0.0 };
    let walls = OdeProblem::new(impact, at, 0.0..=100.0, impact::Parameters { restitution: 0.9 });
    let ended = same(Tsit5, &walls, &logged(SolveOptions::default()));
    assert_eq!((ended.code(0), ended.log(0).unwrap().count()), (ReturnCode::Terminated, 20));
    let at = dip::State { u: 0.0, falls: 0.0, rises: 0.0 };
    let dips = OdeProblem::new(dip, at, 0.0..=3.0, dip::Parameters { from: 1.0, to: 1.0 + 1e-9 });
    same(Tsit5, &dips, &logged(SolveOptions::default()));
    // An event function that limits the steps.
    let at = racket::State { height: 1.0, velocity: 0.0 };
    let hits = racket::Parameters { amplitude: 0.1, frequency: 7.0, restitution: 0.8 };
    same(Tsit5, &OdeProblem::new(racket, at, 0.0..=5.0, hits), &SolveOptions::default());
    let modes = relay::Modes { on: 1.0 };
    let relays = relay::Parameters { level: 0.5, modes };
    same(
        Tsit5,
        &OdeProblem::new(relay, relay::State { x: 0.0 }, 0.0..=5.0, relays),
        &SolveOptions::default(),
    );
}

/// The same for conditions, scheduled actions and an implicit method.
#[test]
fn equal_members_with_other_actions() {
    let each = |options: SolveOptions| {
        same(Tsit5, &OdeProblem::new(circle, [1.0, 0.0], 0.0..=300.0, []), &options);
        let parameters = resting::Parameters { rate: 1.0, near: 1e-3 };
        let at = resting::State { x: 0.0 };
        let ended = same(Tsit5, &OdeProblem::new(resting, at, 0.0..=100.0, parameters), &options);
        assert_eq!(ended.code(0), ReturnCode::Terminated);
        let parameters =
            doses::Parameters { rate: 0.1, dose: 100.0, first: 0.0, every: 12.0, count: 5.0 };
        let at = doses::State { amount: 0.0 };
        let options = options.saveat(6.0);
        same(Tsit5, &OdeProblem::new(doses, at, 0.0..=100.0, parameters), &options);
    };
    each(SolveOptions::default());
    each(SolveOptions::default().fixed_step(0.125));
    same(Rodas5P, &bounces::<f64>(0.8), &logged(SolveOptions::default().saveat(0.5)));
    same(Rodas5P, &bounces::<f32>(0.8), &logged(SolveOptions::default()));
}

/// Algebraic unknowns: steps are halved to find events, and states after actions are consistent.
#[test]
fn members_with_algebraic_unknowns() {
    let at = follows::State { x: 1.0, z: 0.0 };
    let levels = [0.2, 0.5, 0.9];
    let of = |i: usize| follows::Parameters { level: levels[i] };
    let problem = OdeProblem::new(follows, at, 0.0..=10.0, of(1));
    let options = SolveOptions::default().tolerance(1e-6);
    same(Rodas5P, &problem, &options);
    let ensemble =
        EnsembleProblem::new(problem).trajectories(3).vary(|problem, i| problem.with_p(of(i)));
    let found = ensemble.solve(Rodas5P, EnsembleCpuArray, &options).unwrap();
    for (i, level) in levels.iter().enumerate() {
        assert_eq!(found.code(i), ReturnCode::Terminated, "{level}");
        assert!((found.end_time(i) - level.asin() / 3.0).abs() < 3e-5, "{level}");
    }
    let at = pushed_root::State { x: 1.0, y: 1.0 };
    let ends = [(3.0, ReturnCode::Terminated), (-3.0, ReturnCode::Inconsistent)];
    let ends = [ends[0], ends[1], (0.44, ReturnCode::Success)];
    let of = |i: usize| pushed_root::Parameters { push: ends[i].0 };
    let problem = OdeProblem::new(pushed_root, at, 0.0..=2.0, of(0));
    let ensemble =
        EnsembleProblem::new(problem).trajectories(3).vary(|problem, i| problem.with_p(of(i)));
    for options in [options, SolveOptions::default().fixed_step(0.4)] {
        same(Rodas5P, &problem, &options);
        let found = ensemble.solve(Rodas5P, EnsembleCpuArray, &options).unwrap();
        for (i, (push, code)) in ends.into_iter().enumerate() {
            assert_eq!(found.code(i), code, "{push}");
            let end = if code == ReturnCode::Success { 2.0 } else { 1.0 };
            assert_eq!(found.end_time(i), end, "{push}");
        }
    }
}

/// Members end at their own times, with their own states, and the others go on.
#[test]
fn ends_of_different_members() {
    let height = |i: usize| 1.0 + 0.25 * i as f64;
    let at = ball::State { height: 1.0, velocity: 0.0 };
    let problem = OdeProblem::new(ball, at, 0.0..=2.0, ball::Parameters { gravity: 9.81 });
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(90)
        .vary(|problem, i| problem.with_u0(ball::State { height: height(i), velocity: 0.0 }));
    for norm in [LockstepNorm::Greatest, LockstepNorm::Mean] {
        for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.125)] {
            let array = EnsembleCpuArray::new().norm(norm).threads(3);
            let found = ensemble.solve(Tsit5, &array, &options.saveat(0.5)).unwrap();
            for i in 0..90 {
                let end = (2.0 * height(i) / 9.81).sqrt();
                let falls = end < 2.0;
                assert_eq!(found.event_count("ground").unwrap()[i], u32::from(falls), "{i}");
                let code = if falls { ReturnCode::Terminated } else { ReturnCode::Success };
                assert_eq!(found.code(i), code, "{i}");
                let time = found.end_time(i);
                assert!((time - end.min(2.0)).abs() < 1e-9, "{i}: {time} {end}");
                let velocity = found.final_state(i).velocity;
                assert!((velocity + 9.81 * end.min(2.0)).abs() < 1e-9, "{i}: {velocity}");
                let saved = found.trajectory(i).times().count();
                assert_eq!(saved, 1 + (end.min(2.0) / 0.5 + 1e-9) as usize, "{i}");
            }
        }
    }
}

/// Events that are only logged have their own times, and do not change the steps of the members.
#[test]
fn logs_of_different_members() {
    let level = |i: usize| 0.03 * i as f64;
    let at = wave::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(wave, at, 0.0..=20.0, wave::Parameters { level: 0.0 });
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(50)
        .vary(|problem, i| problem.with_p(wave::Parameters { level: level(i) }));
    let options = SolveOptions::default().tolerance(1e-10).event_log(40);
    let found = ensemble.solve(Tsit5, EnsembleCpuArray.threads(2), &options).unwrap();
    for i in 0..50 {
        let log: Vec<_> = found.log(i).unwrap().filter(|event| event.name == "level").collect();
        // `cos t = level`, at `±arccos level` in each period.
        let expected: Vec<f64> = (0..8)
            .map(|n| {
                let period = f64::from((n + 1) / 2) * core::f64::consts::TAU;
                period + level(i).acos() * if n % 2 == 0 { 1.0 } else { -1.0 }
            })
            .filter(|t| level(i) < 1.0 && *t < 20.0)
            .collect();
        assert_eq!(log.len(), expected.len(), "{i}");
        for (event, expected) in log.iter().zip(expected) {
            let tolerance = 1e-8 / (1.0 - level(i) * level(i)).sqrt();
            assert!((event.time - expected).abs() < tolerance, "{i}: {} {expected}", event.time);
        }
    }
    // The level has no influence on the steps, so all members have those of the first.
    let alone = EnsembleProblem::new(problem).solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert!((0..50).all(|i| found.final_state(i) == alone.final_state(0)));
    assert_eq!(found.accepted(7), alone.accepted(0));
}

/// Actions change only the members whose event it is.
#[test]
fn actions_of_different_members() {
    let restitution = |i: usize| 0.6 + 0.005 * i as f64;
    let ensemble = EnsembleProblem::new(bounces::<f64>(0.0)).trajectories(40).vary(|problem, i| {
        let parameters = bouncing::Parameters { gravity: 9.81, restitution: restitution(i) };
        problem.with_p(parameters)
    });
    let options = SolveOptions::default().event_log(10).saveat(0.5);
    let found = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let alone = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for i in 0..40 {
        let first = (2.0 * HIGH.height / 9.81_f64).sqrt();
        let times: Vec<f64> =
            found.kept_log(i).into_iter().flatten().map(|event| event.time).collect();
        for (n, time) in times.into_iter().enumerate() {
            // Flights last `2 first e`, `2 first e²`, …
            let flights: f64 = (1..=n).map(|k| 2.0 * restitution(i).powi(k as i32)).sum();
            let expected = first * (1.0 + flights);
            assert!((time - expected).abs() < 1e-8, "{i}, {n}: {time} {expected}");
        }
        assert_eq!(found.code(i), alone.code(i), "{i}");
        if found.code(i).is_success() {
            let counts = [&found, &alone].map(|s| s.event_count("ground").unwrap()[i]);
            assert_eq!(counts[0], counts[1], "{i}");
            let [a, b] = [&found, &alone].map(|solution| solution.final_state(i));
            let off = (a.height - b.height).abs() + (a.velocity - b.velocity).abs();
            assert!(off < 1e-6, "{i}: {a:?} {b:?}");
        } else {
            assert!((found.end_time(i) - alone.end_time(i)).abs() < 1e-6, "{i}");
        }
    }
}

/// Each member has its own modes.
#[test]
fn modes_of_different_members() {
    let modes = thermostat::Modes { heater: 1.0 };
    let of = |i: usize| thermostat::Parameters { cold: 18.0, hot: 20.0 + 0.1 * i as f64, modes };
    let at = thermostat::State { temperature: 15.0 };
    let problem = OdeProblem::new(thermostat, at, 0.0..=60.0, of(0));
    let ensemble =
        EnsembleProblem::new(problem).trajectories(30).vary(|problem, i| problem.with_p(of(i)));
    let options = SolveOptions::default().tolerance(1e-8).saveat(1.0).saving(Saving::Observables);
    let found = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let alone = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for name in ["cold", "hot"] {
        assert_eq!(found.event_count(name).unwrap(), alone.event_count(name).unwrap(), "{name}");
    }
    assert_eq!(found.observable("heater").unwrap(), alone.observable("heater").unwrap());
    for i in 0..30 {
        let [a, b] = [&found, &alone].map(|solution| solution.final_state(i).temperature);
        assert!((a - b).abs() < 1e-6, "{i}: {a} {b}");
    }
}

/// Spikes of neurons with very different currents, and the end by a condition.
#[test]
fn counts_of_different_members() {
    let parameters = neuron::Parameters { current: 0.0 };
    let problem = OdeProblem::new(neuron, neuron::State { v: 0.0 }, 0.0..=100.0, parameters);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(40)
        .vary(|problem, i| problem.with_p(neuron::Parameters { current: 10.0 + 0.5 * i as f64 }));
    let options = SolveOptions::default();
    let found = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let alone = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    assert_eq!(found.event_count("spike").unwrap(), alone.event_count("spike").unwrap());

    let at = resting::State { x: 0.0 };
    let of = |i: usize| resting::Parameters { rate: 0.5 + 0.1 * i as f64, near: 1e-3 };
    let problem = OdeProblem::new(resting, at, 0.0..=100.0, of(0));
    let ensemble =
        EnsembleProblem::new(problem).trajectories(30).vary(|problem, i| problem.with_p(of(i)));
    let found = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let mut ends: Vec<f64> = Vec::new();
    for i in 0..30 {
        assert_eq!(found.code(i), ReturnCode::Terminated, "{i}");
        assert_eq!(found.event_count("settled").unwrap()[i], 1);
        // `rate (1 - x) = rate exp(-rate t)` falls below `near`.
        let rate = of(i).rate;
        let earliest = (rate / 1e-3).ln() / rate;
        assert!(found.end_time(i) > earliest - 1e-3 && found.end_time(i) < earliest + 5.0, "{i}");
        assert!((rate * (1.0 - found.final_state(i).x)).abs() < 1e-3, "{i}");
        ends.push(found.end_time(i));
    }
    assert!(ends[0] > ends[29]);
}

/// Threads and instruction sets change no bit.
#[test]
fn threads_and_lanes_change_nothing() {
    let ensemble = EnsembleProblem::new(bounces::<f64>(0.0)).trajectories(37).vary(|problem, i| {
        let restitution = 0.75 + 0.005 * i as f64;
        problem.with_p(bouncing::Parameters { gravity: 9.81, restitution })
    });
    let options = logged(SolveOptions::default()).saveat(0.5);
    let baseline = EnsembleCpuArray::new().threads(1).instructions(InstructionSet::Baseline);
    let expected = ensemble.solve(Tsit5, baseline, &options).unwrap();
    for threads in [1, 3] {
        for instructions in InstructionSet::available() {
            let array = EnsembleCpuArray::new().threads(threads).instructions(instructions);
            let found = ensemble.solve(Tsit5, array, &options).unwrap();
            assert_same_bits(&expected, &found);
            assert_eq!(expected.worst_member(), found.worst_member());
        }
    }
}

/// Members with the same schedule and different doses, and with different schedules.
#[test]
fn doses_of_different_members() {
    let of = |i: usize| doses::Parameters {
        rate: 0.1,
        dose: 10.0 * i as f64,
        first: 0.0,
        every: 12.0,
        count: 5.0,
    };
    let at = doses::State { amount: 0.0 };
    let problem = OdeProblem::new(doses, at, 0.0..=60.0, of(0));
    let ensemble =
        EnsembleProblem::new(problem).trajectories(20).vary(|problem, i| problem.with_p(of(i)));
    let options = SolveOptions::default().tolerance(1e-10);
    let found = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let sum: f64 = (0..5).map(|k| (-0.1 * (60.0 - 12.0 * f64::from(k))).exp()).sum();
    for i in 0..20 {
        assert_eq!(found.event_count("dose").unwrap()[i], 5);
        let expected = 10.0 * i as f64 * sum;
        assert!((found.final_state(i).amount - expected).abs() <= 1e-8 * expected, "{i}");
    }
    let at = listed::State { amount: 1.0 };
    let parameters = |i: usize| listed::Parameters { rate: 0.1, times: [1.0, 2.0, 3.0 + i as f64] };
    let problem = OdeProblem::new(listed, at, 0.0..=10.0, parameters(0));
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(3)
        .vary(|problem, i| problem.with_p(parameters(i)));
    let found = ensemble.solve(Tsit5, EnsembleCpuArray, &options).unwrap();
    let alone = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for name in ["dose", "twice"] {
        assert_eq!(found.event_count(name).unwrap(), alone.event_count(name).unwrap(), "{name}");
    }
    for i in 0..3 {
        let [a, b] = [&found, &alone].map(|solution| solution.final_state(i).amount);
        assert!((a - b).abs() < 1e-8, "{i}: {a} {b}");
    }
}
