//! Contents and times of logs. Expected numbers are closed forms, or from references that are
//! named.

use crate::bouncing::bouncing;
use crate::systems::{
    cosines, henon_heiles, impact, marks, neuron, pendulum, plain_wave, units, walls, wave,
};
use core::f64::consts::{FRAC_PI_2, PI};
use odes::events::{EventError, Log};
use odes::methods::{Dop853, Vern9};
use odes::prelude::*;
use odes::{KenCarp4, Vern7};
use std::io::Read;

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-10).event_log(1000)
}

/// Returns the names and the times of a log.
fn entries<S: odes::System<N, P>, const N: usize, const P: usize>(
    log: Result<Log<'_, S, f64, N, P>, EventError>,
) -> Vec<(&'static str, f64)> {
    let log = log.unwrap();
    assert_eq!(log.len(), log.clone().count());
    let entries: Vec<(&str, f64)> = log.map(|event| (event.name, event.time)).collect();
    assert!(entries.is_sorted_by(|a, b| a.1 <= b.1) || entries.is_sorted_by(|a, b| a.1 >= b.1));
    entries
}

/// The zeros of a cosine up to 1000, by all of these methods, with the steps of a solve without a
/// log.
#[test]
fn zeros_of_a_cosine() {
    let at = wave::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(wave, at, 0.0..=1000.0, wave::Parameters { level: 2.0 });
    let at = plain_wave::State { x: 1.0, v: 0.0 };
    let plain = OdeProblem::new(plain_wave, at, 0.0..=1000.0, []);
    macro_rules! each {
        ($($method:ident)+) => { $({
            let solution = problem.solve($method, &tight()).unwrap();
            let log: Vec<_> = solution.log().unwrap().collect();
            // Each zero, and every second one a second time.
            assert_eq!(log.len(), 318 + 159, stringify!($method));
            let zeros = log.iter().filter(|event| event.name == "zero");
            for (k, event) in zeros.enumerate() {
                let exact = (k as f64 + 0.5) * PI;
                assert!((event.time - exact).abs() < 3e-7, "{}: {}", stringify!($method), event.time - exact);
                assert_eq!(event.rising, k % 2 == 1);
                assert_eq!((event.event, event.before, event.after), (0, None, None));
            }
            let ups = log.iter().filter(|event| event.name == "up");
            for (k, event) in ups.enumerate() {
                let exact = (2.0 * k as f64 + 1.5) * PI;
                assert!((event.time - exact).abs() < 3e-7 && event.rising && event.event == 1);
            }
            let options = SolveOptions { event_log: None, ..tight() };
            let plain = plain.solve($method, &options).unwrap();
            let (a, b) = (solution.final_state(), plain.final_state());
            assert_eq!([a.x, a.v], [b.x, b.v]);
            assert_eq!(solution.accepted(), plain.accepted());
        })+ };
    }
    each!(Tsit5 Vern7 Dop853 Rodas5P KenCarp4);
}

/// The nearest `f32`, within the errors of the state.
#[test]
fn single_precision() {
    let at = wave::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(wave, at, 0.0..=30.0, wave::Parameters { level: 2.0 });
    let options = SolveOptions::default().tolerance(1e-6).event_log(20);
    let solution = problem.cast::<f32>().solve(Tsit5, &options).unwrap();
    let zeros = solution.log().unwrap().filter(|event| event.name == "zero");
    for (k, event) in zeros.enumerate() {
        let exact = (k as f64 + 0.5) * PI;
        assert!((f64::from(event.time) - exact).abs() < 2e-5, "{}", event.time);
    }
    // Late times: a unit in the last place is 1/16 of a second.
    let late = problem.with_tspan(1e6..=1e6 + 30.0).cast::<f32>();
    let solution = late.solve(Tsit5, &options).unwrap();
    let zeros = solution.log().unwrap().filter(|event| event.name == "zero");
    for (k, event) in zeros.enumerate() {
        let exact = 1e6 + (k as f64 + 0.5) * PI;
        assert_eq!(event.time, exact as f32);
    }
    assert_eq!(solution.event_count("zero"), Ok(10));
}

/// The section of heyoka's benchmark of events; heyoka 7 computed its times with a tolerance of
/// 1e-18.
#[test]
fn a_section_of_henon_and_heiles() {
    let at = henon_heiles::State {
        vx: -0.2525875586263492,
        vy: -0.2178423952983717,
        x: 0.0,
        y: 0.2587703282931232,
    };
    let problem = OdeProblem::new(henon_heiles, at, 0.0..=2000.0, []);
    let options = SolveOptions::default().tolerance(1e-13).event_log(310);
    let each = |times: Vec<f64>| {
        assert_eq!(times.len(), 306);
        let known = [(0, 4.220833483017), (1, 10.552008560026), (2, 15.887489913812)];
        for (n, time) in known {
            assert!((times[n] - time).abs() < 1e-11, "{n}: {}", times[n]);
        }
        assert!((times[305] - 1996.8851814224).abs() < 1e-6, "{}", times[305]);
    };
    let solution = problem.solve(Vern9, &options).unwrap();
    each(solution.log().unwrap().map(|event| event.time).collect());
    let solution = problem.solve(Dop853, &options).unwrap();
    each(solution.log().unwrap().map(|event| event.time).collect());
}

/// heyoka's pendulum. A function that is zero at the beginning has not gone through zero.
#[test]
fn a_pendulum_turns() {
    let at = pendulum::State { angle: 0.05, speed: 0.0 };
    let problem = OdeProblem::new(pendulum, at, 0.0..=5.0, []);
    let half = 1.003_701_787_940_065;
    let (before, after) = (1.003_699_746_272_244, 1.003_703_829_606_799);
    let first = 2.041_666_914_753_826e-6;
    let mut expected = vec![("slow", first)];
    for k in 0..4 {
        let more = f64::from(k) * half;
        expected.extend([("slow", before + more), ("turn", half + more), ("slow", after + more)]);
    }
    let each = |log: Vec<(&str, f64)>, what: &str| {
        assert_eq!(log.len(), expected.len(), "{what}: {log:?}");
        for (found, expected) in log.iter().zip(&expected) {
            assert_eq!(found.0, expected.0, "{what}: {log:?}");
            assert!((found.1 - expected.1).abs() < 1e-8, "{what}: {found:?} {expected:?}");
        }
    };
    let options = SolveOptions::default().tolerance(1e-12).event_log(20);
    each(entries(problem.solve(Tsit5, &options).unwrap().log()), "Tsit5");
    each(entries(problem.solve(Vern9, &options).unwrap().log()), "Vern9");
    each(entries(problem.solve(Dop853, &options).unwrap().log()), "Dop853");
    each(entries(problem.solve(Rodas5P, &options).unwrap().log()), "Rodas5P");
}

/// Four events in one step, in the order of their times: SciML's `callback_detection.jl`.
#[test]
fn four_in_a_step() {
    let options = SolveOptions::default().event_log(9);
    let names = ["first", "second", "third", "fourth"];
    let times = [0.0, 1e-8, 2e-8, 2e-7];
    for (span, at, step) in [(-1.0..=1.0, -1.0, 2.0), (1.0..=-1.0, 1.0, -2.0)] {
        let problem = OdeProblem::new(marks, marks::State { u: at }, span, []);
        let solution = problem.solve(Tsit5, &options.clone().fixed_step(step)).unwrap();
        let mut log = entries(solution.log());
        assert!(solution.log().unwrap().all(|event| event.rising == (step > 0.0)));
        assert_eq!(solution.event_count("silent"), Ok(1));
        if step < 0.0 {
            log.reverse();
        }
        let found: Vec<&str> = log.iter().map(|event| event.0).collect();
        assert_eq!(found, names);
        for (found, exact) in log.iter().zip(times) {
            assert!((found.1 - exact).abs() < 4e-15, "{log:?}");
        }
    }
}

/// Polynomials in time, to the last digits of the step, in both directions.
#[test]
fn zeros_of_polynomials() {
    let options = SolveOptions::default().event_log(9);
    let roots = [0.1, 0.4, 0.8_f64];
    for back in [false, true] {
        let (first, second) = ((2.0, 3.0), (4.0, 5.0));
        for ((from, to), name) in [(first, "root"), (second, "square")] {
            let (from, to, dt) = if back { (to, from, -0.25) } else { (from, to, 0.25) };
            let problem = OdeProblem::new(marks, marks::State { u: from }, from..=to, []);
            let solution = problem.solve(Tsit5, &options.clone().fixed_step(dt)).unwrap();
            let mut log = entries(solution.log());
            if back {
                log.reverse();
            }
            assert_eq!(log.len(), 3, "{log:?}");
            for (found, root) in log.iter().zip(roots) {
                let exact = if name == "root" { 2.0 + root } else { 4.0 + root.sqrt() };
                assert_eq!(found.0, name);
                assert!((found.1 - exact).abs() <= 2.0 * f64::EPSILON * exact, "{found:?} {exact}");
            }
        }
    }
}

/// Zeros of two cosines, some of them at the same time.
#[test]
fn zeros_of_two_cosines() {
    let at = cosines::State { fast: 1.0, slow: 1.0 };
    let problem = OdeProblem::new(cosines, at, 0.0..=2.0 * PI, []);
    let log = entries(problem.solve(Vern7, &tight()).unwrap().log());
    let times = [1.0, 3.0, 3.0, 5.0, 7.0, 9.0, 9.0, 11.0].map(|k| k * PI / 6.0);
    assert_eq!(log.len(), 8, "{log:?}");
    for (found, exact) in log.iter().zip(times) {
        assert!((found.1 - exact).abs() < 1e-8, "{found:?} {exact}");
    }
    let names = |pair: &[(&'static str, f64)]| {
        let mut names = [pair[0].0, pair[1].0];
        names.sort_unstable();
        names
    };
    for pair in [&log[1..3], &log[5..7]] {
        assert_eq!(names(pair), ["one", "three"]);
    }
    for k in [0, 3, 4, 7] {
        assert_eq!(log[k].0, "three");
    }
}

/// Events that are a few units of the time apart, each once: SciML's `event_repeat_tests.jl`.
#[test]
fn a_few_units_apart() {
    let unit = f64::EPSILON;
    let problem = OdeProblem::new(units, units::State { u: 1.0 }, 0.0..=100.0 * unit, []);
    let options = SolveOptions::default().fixed_step(4.7 * unit).event_log(9);
    let log = entries(problem.solve(Tsit5, &options).unwrap().log());
    let names: Vec<&str> = log.iter().map(|event| event.0).collect();
    assert_eq!(names, ["fifty", "sixty", "seventy", "eighty", "ninety"]);
}

/// Impacts, with the states before and after them, against a closed form.
#[test]
fn impacts_of_a_ball() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=12.0, parameters);
    let log = odes::events::EventLog::new(20).with_states();
    for options in [tight().event_log(log), SolveOptions::default().fixed_step(0.25).event_log(log)]
    {
        let solution = problem.solve(Tsit5, &options).unwrap();
        let log = solution.log().unwrap();
        assert_eq!(log.len(), 12);
        let first = (20.0_f64 / 9.81).sqrt();
        let mut time = first;
        for (n, event) in log.enumerate() {
            let speed = 9.81 * first * 0.8_f64.powi(n as i32);
            assert!(!event.rising && event.name == "ground");
            assert!((event.time - time).abs() < 1e-12 * time, "{n}: {} {time}", event.time);
            let (before, after) = (event.before.unwrap(), event.after.unwrap());
            assert!((before.velocity + speed).abs() < 1e-10, "{n}: {before:?}");
            assert!(before.height.abs() < 1e-10);
            assert_eq!(after.velocity, -0.8 * before.velocity);
            assert_eq!(after.height, 0.0);
            time += 2.0 * 0.8 * speed / 9.81;
        }
    }
}

/// An archive names the numbers of a logged event, in their order.
#[test]
fn archives_name_the_numbers_of_logs() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=2.0, parameters);
    let path = std::env::temp_dir().join(format!("odes-log-{}.npz", std::process::id()));
    let states = ["before.height", "before.velocity", "after.height", "after.velocity"];
    for (log, expected) in [
        (odes::events::EventLog::new(1), ["time", "event"].to_vec()),
        (odes::events::EventLog::new(1).with_states(), [&["time", "event"][..], &states].concat()),
    ] {
        let solution = problem.solve(Tsit5, &tight().event_log(log)).unwrap();
        solution.as_ensemble().write_npz(&path).unwrap();
        let mut archive = zip::ZipArchive::new(std::fs::File::open(&path).unwrap()).unwrap();
        let mut bytes = Vec::new();
        archive.by_name("log_names.npy").unwrap().read_to_end(&mut bytes).unwrap();
        let characters = bytes[128..].as_chunks().0.iter().map(|&code| u32::from_le_bytes(code));
        let text: String = characters.filter_map(char::from_u32).collect();
        let length = expected.iter().map(|name| name.len()).max().unwrap();
        let padded: String = expected.iter().map(|name| format!("{name:\0<length$}")).collect();
        assert_eq!(text, padded);
        let numbers: usize = solution.as_ensemble().all_logs().shape()[2];
        assert_eq!(numbers, expected.len());
    }
    std::fs::remove_file(path).unwrap();
}

/// Two kinds of events; one acts within the steps of the other.
#[test]
fn two_walls_and_the_ground() {
    let at = walls::State { x: 0.1, vx: 1.0, y: 50.0, vy: 0.0 };
    let problem = OdeProblem::new(walls, at, 0.0..=15.0, []);
    let log = odes::events::EventLog::new(50).with_states();
    let solution = problem.solve(Tsit5, &tight().event_log(log)).unwrap();
    let fall = (100.0_f64 / 9.8).sqrt();
    let wall = 9.9;
    let found: Vec<_> = solution.log().unwrap().collect();
    // SciML's `event_detection_tests.jl` has 3 and 2 events; the second wall is beyond the span here.
    let grounds = [fall, fall * (1.0 + 2.0 * 0.9), fall * (1.0 + 2.0 * (0.9 + 0.81))];
    let expected: Vec<f64> = {
        let mut all: Vec<f64> = grounds.into_iter().chain([wall]).filter(|t| *t < 15.0).collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let later = found.iter().map(|event| event.time).take(expected.len());
    for (found, expected) in later.zip(&expected) {
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }
    let hit = found.iter().find(|event| event.name == "wall").unwrap();
    assert!(hit.rising && (hit.before.unwrap().vx, hit.after.unwrap().vx) == (1.0, -0.9));
    // The ground does not affect the other motion.
    let ground = found.iter().find(|event| event.name == "ground").unwrap();
    assert_eq!(ground.before.unwrap().x, ground.after.unwrap().x);
}

/// The last entry is the event that ends the trajectory; its action precedes the end.
#[test]
fn the_end_is_logged() {
    let at = impact::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(impact, at, 0.0..=100.0, impact::Parameters { restitution: 0.9 });
    let log = odes::events::EventLog::new(20).with_states();
    let solution = problem.solve(Vern7, &tight().event_log(log)).unwrap();
    assert_eq!(solution.code(), ReturnCode::Terminated);
    let log = solution.log().unwrap();
    assert_eq!(log.len(), 20);
    for (n, event) in log.clone().enumerate() {
        let exact = FRAC_PI_2 + n as f64 * PI;
        assert!((event.time - exact).abs() < 1e-7, "{n}: {}", event.time);
        let speed = 0.9_f64.powi(n as i32);
        assert!((event.before.unwrap().v + speed).abs() < 1e-8);
    }
    let last = log.clone().next_back().unwrap();
    assert_eq!(last.time, solution.end_time());
    assert_eq!(last.after, Some(solution.final_state()));
}

/// More events than entries: the log contains the first ones, all are counted, and other
/// trajectories' logs are complete.
#[test]
fn a_full_log() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=12.0, parameters);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(9)
        .vary(|problem, i| problem.with_tspan(0.0..=if i == 5 { 12.0 } else { 5.0 }));
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &tight().event_log(4)).unwrap();
    for i in 0..9 {
        let trajectory = solution.trajectory(i);
        assert_eq!(trajectory.event_count("ground"), Ok(if i == 5 { 12 } else { 2 }));
        if i == 5 {
            let error = EventError::LogFull { trajectory: 5, kept: 4, happened: 12 };
            assert_eq!(trajectory.log().unwrap_err(), error);
            assert!(error.to_string().contains("holds 4 events, and 12 occurred"), "{error}");
            assert_eq!(trajectory.kept_log().unwrap().len(), 4);
        } else {
            assert_eq!(trajectory.log().unwrap().len(), 2);
        }
    }
    let shape = solution.all_logs().shape().to_vec();
    assert_eq!(shape, [9, 4, 2]);
    let numbers = solution.all_logs();
    assert_eq!(numbers[[5, 3, 1]], -1.0);
    assert!(numbers[[4, 1, 0]].is_finite() && numbers[[4, 2, 0]].is_nan());
}

#[test]
fn without_a_log() {
    let at = wave::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(wave, at, 0.0..=5.0, wave::Parameters { level: 2.0 });
    let solution = problem.solve(Tsit5, &SolveOptions::default()).unwrap();
    assert_eq!(solution.log().unwrap_err(), EventError::NoLog);
    assert_eq!(solution.kept_log().unwrap_err(), EventError::NoLog);
    let error = problem.solve(Tsit5, &SolveOptions::default().event_log(0)).unwrap_err();
    assert!(matches!(error, SolveError::EmptyLog), "{error}");
    let neurons = OdeProblem::new(
        neuron,
        neuron::State { v: 0.0 },
        0.0..=10.0,
        neuron::Parameters { current: 20.0 },
    );
    let error = neurons.solve(Tsit5, &SolveOptions::default().event_log(9)).unwrap_err();
    assert!(matches!(error, SolveError::NothingToLog { system: "neuron" }));
    assert_eq!(
        error.to_string(),
        "neuron has no event to log; write `#[event(rising, log)]` before the function of an \
         event, `#[at(…, log)]` or `#[after_step(log)]`, or leave `event_log` out"
    );
}
