//! Positions of events. Expected numbers are closed forms, or from references that are named.

use crate::systems::{ball, close, cubic, dip, limit_cycle, plain_wave, thrust, wave};
use core::f64::consts::{FRAC_PI_2, PI};
use odes::methods::{Dop853, Kvaerno5, Rodas4, Rosenbrock23, Vern9};
use odes::prelude::*;
use odes::{KenCarp4, Vern7};

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-10)
}

/// A parabola is exact for all methods of order at least two.
#[test]
fn a_ball_reaches_the_ground() {
    let at = ball::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(ball, at, 0.0..=5.0, ball::Parameters { gravity: 9.81 });
    let each = |solution: odes::OdeSolution<ball::Model, f64, 2, 1>, what: &str| {
        assert_eq!(solution.code(), ReturnCode::Terminated, "{what}");
        let (t, v) = (solution.end_time(), solution.final_state().velocity);
        assert!((t - 1.4278431229270645).abs() < 2e-13, "{what}: {t}");
        assert!((v + 14.007141035914502).abs() < 2e-12, "{what}: {v}");
        assert!(solution.final_state().height.abs() < 1e-12, "{what}");
        assert_eq!(solution.event_count("ground"), Ok(1), "{what}");
    };
    each(problem.solve(Tsit5, &tight()).unwrap(), "Tsit5");
    each(problem.solve(Vern7, &tight()).unwrap(), "Vern7");
    each(problem.solve(Dop853, &tight()).unwrap(), "Dop853");
    each(problem.solve(Rodas5P, &tight()).unwrap(), "Rodas5P");
    each(problem.solve(Rosenbrock23, &tight()).unwrap(), "Rosenbrock23");
    each(problem.solve(KenCarp4, &tight()).unwrap(), "KenCarp4");
    each(problem.solve(Kvaerno5, &tight()).unwrap(), "Kvaerno5");
    each(problem.solve(Auto, &tight()).unwrap(), "Auto");
    let fixed = SolveOptions::default().fixed_step(0.3);
    each(problem.solve(Tsit5, &fixed).unwrap(), "Tsit5, fixed steps");
    each(problem.solve(Rodas5P, &fixed).unwrap(), "Rodas5P, fixed steps");
    each(problem.solve(odes::methods::Rk4, &fixed).unwrap(), "Rk4, fixed steps");
}

/// A saved time after the end was not reached; a saved time at the end has the state there.
#[test]
fn saved_times_end_with_the_event() {
    let at = ball::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(ball, at, 0.0..=5.0, ball::Parameters { gravity: 9.81 });
    for options in [tight(), SolveOptions::default().fixed_step(0.3)] {
        let solution = problem.solve(Tsit5, &options.saveat(0.1)).unwrap();
        let times: Vec<f64> = solution.times().collect();
        assert_eq!(times.len(), 15);
        for (t, state) in times.iter().zip(solution.states()) {
            let exact = 10.0 - 9.81 / 2.0 * t * t;
            assert!((state.height - exact).abs() < 1e-11, "{t}: {} {exact}", state.height);
        }
    }
}

/// Backwards in time, the direction of an event is the direction of the integration.
#[test]
fn a_ball_that_is_thrown_backwards_in_time() {
    let at = ball::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(ball, at, 0.0..=-5.0, ball::Parameters { gravity: 9.81 });
    let solution = problem.solve(Tsit5, &tight()).unwrap();
    assert_eq!(solution.code(), ReturnCode::Terminated);
    assert!((solution.end_time() + 1.4278431229270645).abs() < 2e-13);
}

/// SciML's `ode_event_tests.jl`, 50 m.
#[test]
fn a_ball_from_fifty_metres() {
    let at = ball::State { height: 50.0, velocity: 0.0 };
    let problem = OdeProblem::new(ball, at, 0.0..=15.0, ball::Parameters { gravity: 9.81 });
    let solution = problem.solve(Tsit5, &tight()).unwrap();
    assert!((solution.end_time() - 3.1927542840705046).abs() < 1e-12);
}

/// The cosine has 318 zeros up to 1000, and counting them changes no bit of the solution.
#[test]
fn zeros_are_counted_and_change_nothing() {
    let span = 0.0..=1000.0;
    let level = 2.0;
    let at = wave::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(wave, at, span.clone(), wave::Parameters { level });
    let at = plain_wave::State { x: 1.0, v: 0.0 };
    let plain = OdeProblem::new(plain_wave, at, span, []);
    for options in [tight(), SolveOptions::default(), SolveOptions::default().fixed_step(0.1)] {
        let (a, b) =
            (problem.solve(Tsit5, &options).unwrap(), plain.solve(Tsit5, &options).unwrap());
        assert_eq!(a.event_count("zero"), Ok(318));
        assert_eq!(a.event_count("up"), Ok(159));
        assert_eq!(a.event_count("level"), Ok(0));
        assert_eq!([a.final_state().x, a.final_state().v], [b.final_state().x, b.final_state().v]);
        assert_eq!((a.accepted(), a.rejected()), (b.accepted(), b.rejected()));
    }
    let (a, b) =
        (problem.solve(Rodas5P, &tight()).unwrap(), plain.solve(Rodas5P, &tight()).unwrap());
    assert_eq!(a.event_count("zero"), Ok(318));
    assert_eq!((a.accepted(), a.final_state().x), (b.accepted(), b.final_state().x));
}

/// Two crossings around the top of the cosine, in one step.
#[test]
fn grazing_is_found() {
    let at = wave::State { x: 0.0, v: 1.0 };
    let count = |depth: f64, options: &SolveOptions, what: &str| {
        let parameters = wave::Parameters { level: 1.0 - depth };
        let problem = OdeProblem::new(wave, at, 0.0..=20.0 * PI, parameters);
        let count = |solution: odes::OdeSolution<wave::Model, f64, 2, 1>| {
            solution.event_count("level").unwrap()
        };
        let found = count(problem.solve(Tsit5, options).unwrap());
        // Ten tops.
        assert_eq!(found, if depth > 0.0 { 20 } else { 0 }, "{depth}, Tsit5, {what}");
        let found = count(problem.solve(Vern7, options).unwrap());
        assert_eq!(found, if depth > 0.0 { 20 } else { 0 }, "{depth}, Vern7, {what}");
    };
    let fixed = SolveOptions::default().fixed_step(0.5);
    // The interpolants of steps of 0.5 are wrong by some 1e-5.
    for depth in [1e-1, 1e-2, 1e-3, -1e-3, -1e-2] {
        count(depth, &fixed, "steps of 0.5");
    }
    for depth in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, -1e-7, -1e-5] {
        count(depth, &tight(), "1e-10");
    }
}

/// The position of an event within its step does not affect the order of events.
#[test]
fn the_first_of_several_ends_it() {
    let each = |span: core::ops::RangeInclusive<f64>, at: f64, event: [u32; 4], end: f64| {
        let problem = OdeProblem::new(close, close::State { u: at }, span, []);
        let step = 2.0 * if at < 0.0 { 1.0 } else { -1.0 };
        let solution = problem.solve(Tsit5, &SolveOptions::default().fixed_step(step)).unwrap();
        let names = ["first", "second", "third", "fourth"];
        assert_eq!(names.map(|name| solution.event_count(name).unwrap()), event);
        assert_eq!(solution.code(), ReturnCode::Terminated);
        // The last digits of a step of two.
        assert!((solution.end_time() - end).abs() < 4e-15, "{}", solution.end_time());
    };
    each(-1.0..=1.0, -1.0, [1, 1, 0, 0], 1e-8);
    each(1.0..=-1.0, 1.0, [0, 0, 1, 1], 2e-8);
}

/// Events that depend on the time, at the zeros of a polynomial.
#[test]
fn zeros_in_time() {
    for (squared, ends) in [(0.0, 0.4), (1.0, 0.4_f64.sqrt())] {
        for direction in [1.0, -1.0] {
            let (from, to) = if direction > 0.0 { (0.0, 1.0) } else { (1.0, 0.0) };
            let parameters = cubic::Parameters { squared };
            let problem = OdeProblem::new(cubic, cubic::State { u: 0.0 }, from..=to, parameters);
            let options = SolveOptions::default().fixed_step(0.25 * direction);
            let solution = problem.solve(Tsit5, &options).unwrap();
            assert_eq!(solution.event_count("second"), Ok(2));
            assert_eq!(solution.event_count("root"), Ok(2));
            assert!((solution.end_time() - ends).abs() < 1e-15, "{}", solution.end_time());
        }
    }
}

/// A cubic has up to three zeros in a step, or two around an extremum if it also turns elsewhere.
#[test]
fn all_zeros_of_a_cubic() {
    let each = |zeros: [f64; 3], to: f64, step: Option<f64>| {
        let [a, b, c] = zeros;
        // The height is `level + (t - a) (t - b) (t - c) / 6`.
        let (weight, level) = ((a + b + c) / 3.0, a * b * c / 6.0);
        let at = thrust::State { height: 0.0, speed: (a * b + a * c + b * c) / 6.0 };
        let ends = thrust::Parameters { weight, level, lowest: level };
        let passes = thrust::Parameters { lowest: -1e9, ..ends };
        let inside: Vec<f64> = zeros.into_iter().filter(|zero| *zero < to).collect();
        for tolerance in [1e-3, 1e-9] {
            let mut options = SolveOptions::default().tolerance(tolerance).event_log(9);
            if let Some(step) = step {
                options = options.fixed_step(step);
            }
            let each = |solution: odes::OdeSolution<thrust::Model, f64, 2, 3>, end: f64| {
                let what = format!("{} {tolerance:e} {zeros:?} {to}", solution.method().name);
                assert!((solution.end_time() - end).abs() < 1e-9, "{what}");
                let times: Vec<f64> = solution.log().unwrap().map(|event| event.time).collect();
                let expected = inside.iter().filter(|zero| **zero <= end);
                assert_eq!(times.len(), expected.clone().count(), "{what}: {times:?}");
                let off = times.iter().zip(expected).map(|(time, zero)| (time - zero).abs());
                assert!(off.fold(0.0, f64::max) < 1e-9, "{what}: {times:?}");
            };
            let problem = OdeProblem::new(thrust, at, 0.0..=to, ends);
            each(problem.solve(Tsit5, &options).unwrap(), b);
            each(problem.solve(Vern7, &options).unwrap(), b);
            each(problem.solve(Rodas5P, &options).unwrap(), b);
            let problem = OdeProblem::new(thrust, at, 0.0..=to, passes);
            let end = if c < to { c } else { to };
            each(problem.solve(Tsit5, &options).unwrap(), end);
            each(problem.solve(Vern7, &options).unwrap(), end);
            each(problem.solve(Rodas5P, &options).unwrap(), end);
        }
    };
    for zeros in [[2.0, 3.0, 7.0], [1.0, 5.5, 6.5], [0.5, 1.0, 1.75]] {
        for step in [None, Some(10.0), Some(2.5), Some(0.4)] {
            each(zeros, 10.0, step);
        }
        // One zero less.
        for step in [None, Some(10.0)] {
            each(zeros, zeros[2] - 0.1, step);
        }
    }
}

/// The period of Van der Pol's oscillator with μ = 1 (MPMATH, 30 digits).
#[test]
fn the_period_of_a_limit_cycle() {
    // A state on the cycle, where y has just fallen through zero.
    let at = limit_cycle::State { x: 2.0086198608748, y: 0.0 };
    let problem = OdeProblem::new(limit_cycle, at, 0.0..=100.0, []);
    let options = SolveOptions::default().tolerance(1e-12);
    let each = |t: f64, what: &str| {
        assert!((t - 2.0 * 6.663_286_859_323_13).abs() < 1e-9, "{what}: {t}");
    };
    each(problem.solve(Vern9, &options).unwrap().end_time(), "Vern9");
    each(problem.solve(Dop853, &options).unwrap().end_time(), "Dop853");
    each(problem.solve(Rodas5P, &options).unwrap().end_time(), "Rodas5P");
}

/// An event at the end of the span, and one at its beginning.
#[test]
fn events_at_the_ends_of_the_span() {
    let at = wave::State { x: 0.0, v: 1.0 };
    let problem = OdeProblem::new(wave, at, 0.0..=PI, wave::Parameters { level: 2.0 });
    let solution = problem.solve(Tsit5, &tight()).unwrap();
    // A function that is zero at the beginning has not gone through zero.
    assert_eq!(solution.event_count("up"), Ok(0));
    let short = problem.with_tspan(0.0..=FRAC_PI_2).solve(Tsit5, &tight()).unwrap();
    assert_eq!(short.event_count("zero"), Ok(0));
}

/// All methods find the zeros of a cosine, to the tolerance.
#[test]
fn all_methods_count_the_same() {
    let at = wave::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(wave, at, 0.0..=100.0, wave::Parameters { level: 0.5 });
    macro_rules! each {
        ($($method:ident)+) => { $({
            let options = SolveOptions::default().tolerance(1e-7);
            let solution = problem.solve(odes::methods::$method, &options).unwrap();
            let count = |name: &str| solution.event_count(name).unwrap();
            assert_eq!([count("zero"), count("up"), count("level")], [32, 16, 32], stringify!($method));
        })+ };
    }
    each!(Bs3 Dp5 Tsit5 Vern6 Vern7 Vern9 Dop853 Rosenbrock23 Rodas3 Rodas4 Rodas5P TrBdf2 KenCarp4
        Kvaerno3 Kvaerno5 Auto Tsit5Rodas4 Vern7Rodas5P);
}

/// A function goes through zero and back within a step, and is back at the end of the step.
///
/// Its events act, and are logged, once each.
#[test]
fn back_at_the_end_of_a_step() {
    let unit = f64::EPSILON / 4.0;
    let cases =
        [(0.25, 0.5), (0.25, 0.5 - unit), (0.25, 0.5 - 3.0 * unit), (0.3, 0.75), (0.25, 1.0)];
    for (from, to) in cases {
        let at = dip::State { u: 0.0, falls: 0.0, rises: 0.0 };
        let problem = OdeProblem::new(dip, at, 0.0..=1.5, dip::Parameters { from, to });
        let fixed = SolveOptions::default().fixed_step(0.5).event_log(9);
        let stops = tight().tstops([0.5]).event_log(9);
        for options in [fixed, stops] {
            let solution = problem.solve(Tsit5, &options).unwrap();
            let end = solution.final_state();
            let log: Vec<_> =
                solution.log().unwrap().map(|event| (event.name, event.time)).collect();
            assert_eq!((end.falls, end.rises), (1.0, 1.0), "{from} {to}: {log:?}");
            assert_eq!(solution.event_count("into"), Ok(1), "{from} {to}");
            assert_eq!(solution.event_count("out"), Ok(1), "{from} {to}");
            assert_eq!((log[0].0, log[1].0, log.len()), ("into", "out", 2), "{from} {to}");
            let near = |slot: usize, time: f64| (log[slot].1 - time).abs() < 4e-15;
            assert!(near(0, from) && near(1, to), "{log:?}");
        }
    }
}

/// A level that is lower within a window of the time, and another level that is lower near a time.
#[ode_system]
mod windows {
    pub struct State {
        pub x: f64,
    }

    pub struct Parameters {
        pub at: f64,
        pub width: f64,
    }

    fn rhs(_u: &State) -> State {
        State { x: 0.0 }
    }

    #[event(both)]
    fn window(u: &State, p: &Parameters, t: f64) -> f64 {
        u.x - if (t - p.at).abs() < p.width { 1.0 } else { 3.0 }
    }

    #[event(both)]
    fn bell(u: &State, p: &Parameters, t: f64) -> f64 {
        let x = (t - p.at) / p.width;
        u.x * (-x * x).exp() - 1.0
    }
}

/// Steps end at the times with which events compare the time.
#[test]
fn windows_of_events_are_not_missed() {
    let start = windows::State { x: 2.0 };
    for i in 0..50 {
        let at = 1.0 + 0.16 * f64::from(i);
        let parameters =
            windows::Parameters { at, width: 10.0_f64.powf(-4.0 + 0.06 * f64::from(i)) };
        let problem = OdeProblem::new(windows, start, 0.0..=10.0, parameters);
        for method in [AnyMethod::Tsit5, AnyMethod::Rodas5P] {
            let solution = problem.solve(method, &SolveOptions::default()).unwrap();
            let count = |name| solution.event_count(name).unwrap();
            assert_eq!([count("window"), count("bell")], [2, 2], "{method:?}, {i}");
        }
    }
}

/// A phase, in radians and in turns, and a wave of the time.
#[ode_system]
mod phase {
    pub struct State {
        pub phase: f64,
        pub rest: f64,
    }

    pub struct Parameters {
        pub speed: f64,
        pub level: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { phase: p.speed, rest: -u.rest }
    }

    #[event(rising)]
    fn swing(u: &State, p: &Parameters) -> f64 {
        u.phase.sin() - p.level
    }

    #[event(falling)]
    fn wave(_: &State, p: &Parameters, t: f64) -> f64 {
        (p.speed * t).sin() - p.level
    }

    #[event(both)]
    fn square(u: &State, p: &Parameters) -> f64 {
        u.phase.cos().powi(2) - p.level.abs()
    }

    #[event(rising)]
    fn turn(u: &State) -> f64 {
        (u.phase / std::f64::consts::TAU).fract() - 0.25
    }
}

/// Steps may span many periods of the phase, which goes from zero.
#[test]
fn events_of_a_phase_are_counted() {
    let rows: Vec<phase::Parameters> = (0..60)
        .map(|k| {
            let part = (f64::from(k) * 0.618).fract();
            phase::Parameters { speed: 0.5 * 10f64.powf(2.0 * part), level: 1.8 * (0.5 - part) }
        })
        .collect();
    let at = phase::State { phase: 0.0, rest: 1.0 };
    let problem = OdeProblem::new(phase, at, 0.0..=20.0, rows[0]);
    let ensemble = EnsembleProblem::new(problem).over(&rows);
    // Counts `first + k period` within the range of the phase, except at its beginning.
    let times = |way: f64, first: f64, period: f64| {
        let first = if first > 0.0 { first } else { first + period };
        ((way - first) / period).floor().max(-1.0) as u32 + 1
    };
    macro_rules! check {
        ($method:expr, $tolerance:expr) => {
            let options = SolveOptions::default().tolerance($tolerance);
            let solution = ensemble.solve($method, EnsembleSerial, &options).unwrap();
            let counts = ["swing", "wave", "square", "turn"];
            let counts = counts.map(|name| solution.event_count(name).unwrap());
            for (i, phase::Parameters { speed, level }) in rows.iter().enumerate() {
                let (way, angle) = (20.0 * speed, level.asin());
                let near = level.abs().sqrt().acos();
                let expected = [
                    times(way, angle, 2.0 * PI),
                    times(way, PI - angle, 2.0 * PI),
                    times(way, near, PI) + times(way, PI - near, PI),
                    times(way, FRAC_PI_2, 2.0 * PI),
                ];
                let found = std::array::from_fn(|event| counts[event][i]);
                assert_eq!(expected, found, "{speed} {level}, {}", $tolerance);
            }
        };
    }
    check!(Tsit5, 1e-4);
    check!(Rodas5P, 1e-8);
}

/// Functions of the time with jumps, kinks and poles.
#[ode_system]
mod edges {
    pub struct Parameters {
        pub speed: f64,
        pub level: f64,
    }

    fn rhs(u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }

    #[event(both)]
    fn tooth(_: &[f64; 1], p: &Parameters, t: f64) -> f64 {
        (p.speed * t) % 1.0 - p.level
    }

    #[event(falling, log)]
    fn jump(_: &[f64; 1], p: &Parameters, t: f64) -> f64 {
        (p.speed * t).fract() - 0.5
    }

    #[event(both)]
    fn fold(_: &[f64; 1], p: &Parameters, t: f64) -> f64 {
        (p.speed * t).sin().abs() - p.level
    }

    #[event(both)]
    fn pole(_: &[f64; 1], p: &Parameters, t: f64) -> f64 {
        (p.speed * t).tan() - p.level
    }
}

/// A jump over zero is an event, and hides no zero beside it.
#[test]
fn jumps_kinks_and_poles_are_counted() {
    let rows: Vec<edges::Parameters> = (0..60)
        .map(|k| {
            let part = (f64::from(k) * 0.618).fract();
            edges::Parameters { speed: 0.5 * 10f64.powf(part), level: 0.9 - 0.8 * part }
        })
        .collect();
    let problem = OdeProblem::new(edges, [1.0], 0.0..=20.0, rows[0]);
    let ensemble = EnsembleProblem::new(problem).over(&rows);
    let times = |way: f64, first: f64, period: f64| ((way - first) / period).floor() as u32 + 1;
    macro_rules! check {
        ($method:expr, $tolerance:expr) => {
            let options = SolveOptions::default().tolerance($tolerance).event_log(120);
            let solution = ensemble.solve($method, EnsembleSerial, &options).unwrap();
            let counts = ["tooth", "jump", "fold", "pole"];
            let counts = counts.map(|name| solution.event_count(name).unwrap());
            for (i, edges::Parameters { speed, level }) in rows.iter().enumerate() {
                let way = 20.0 * speed;
                let angle = level.asin();
                let expected = [
                    times(way, *level, 1.0) + times(way, 1.0, 1.0),
                    times(way, 1.0, 1.0),
                    times(way, angle, PI) + times(way, PI - angle, PI),
                    times(way, level.atan(), PI) + times(way, FRAC_PI_2, PI),
                ];
                let found = std::array::from_fn(|event| counts[event][i]);
                assert_eq!(expected, found, "{speed} {level}, {}", $tolerance);
                for (k, entry) in solution.log(i).unwrap().enumerate() {
                    let exact = (k + 1) as f64 / speed;
                    assert!((entry.time - exact).abs() < 1e-13 * exact, "{speed} {k}");
                }
            }
        };
    }
    check!(Tsit5, 1e-4);
    check!(Rodas5P, 1e-8);
}

/// An algebraic unknown that follows a forcing.
#[ode_system]
pub(crate) mod follows {
    #[mass_matrix]
    const M: [f64; 2] = [1.0, 0.0];

    pub struct State {
        pub x: f64,
        pub z: f64,
    }

    pub struct Parameters {
        pub level: f64,
    }

    fn rhs(u: &State, t: f64) -> State {
        State { x: -0.01 * u.x, z: (3.0 * t).sin() - u.z }
    }

    #[event(rising, stop)]
    fn high(u: &State, p: &Parameters) -> f64 {
        u.z - p.level
    }
}

/// The steps of implicit methods pass over whole oscillations of such an unknown, but not if events
/// are sought.
#[test]
fn an_event_of_an_algebraic_unknown_is_found() {
    fn each<M: odes::methods::Method>(method: M) {
        for level in [0.2, 0.5, 0.9] {
            let initial = follows::State { x: 1.0, z: 0.0 };
            let parameters = follows::Parameters { level };
            let problem = OdeProblem::new(follows, initial, 0.0..=10.0, parameters);
            for tolerance in [1e-3, 1e-6] {
                let options = SolveOptions::default().tolerance(tolerance);
                let solution = problem.solve(method, &options).unwrap();
                let off = (solution.end_time() - level.asin() / 3.0).abs();
                let name = M::PROPERTIES.name;
                assert_eq!(solution.code(), ReturnCode::Terminated, "{name}, {level}");
                assert!(off < 30.0 * tolerance, "{name}, {level}: {off:e}");
            }
        }
    }
    each(Rodas5P);
    each(Rodas4);
    each(Kvaerno5);
}
