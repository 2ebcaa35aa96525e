//! Actions at events. Expected numbers are closed forms.

use crate::bouncing::bouncing;
use crate::systems::{
    ball, coincident, counted, dropped, impact, lifted, neuron, pushed, quadratic, racket, relay,
    tank, turning, walls,
};
use odes::methods::{Dop853, Rodas4, Rosenbrock23};
use odes::prelude::*;
use odes::{OdeSolution, Vern7};

fn tight() -> SolveOptions {
    SolveOptions::default().tolerance(1e-10)
}

/// The times of impacts are `t₁ (1 + 2 Σ eᵏ)`.
#[test]
fn a_ball_bounces() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=12.0, parameters);
    // After the twelfth impact the height is a parabola.
    let first = (20.0_f64 / 9.81).sqrt();
    let sum: f64 = (1..12).map(|k| 0.8_f64.powi(k)).sum();
    let last = first * (1.0 + 2.0 * sum);
    let speed = 9.81 * first * 0.8_f64.powi(12);
    let rest = 12.0 - last;
    let (height, velocity) = (speed * rest - 9.81 / 2.0 * rest * rest, speed - 9.81 * rest);
    let each = |solution: OdeSolution<bouncing::Model, f64, 2, 2>, what: &str| {
        assert_eq!(solution.code(), ReturnCode::Success, "{what}");
        assert_eq!(solution.event_count("ground"), Ok(12), "{what}");
        let end = solution.final_state();
        assert!((end.height - height).abs() < 1e-11, "{what}: {} {height}", end.height);
        assert!((end.velocity - velocity).abs() < 1e-11, "{what}: {} {velocity}", end.velocity);
    };
    each(problem.solve(Tsit5, &tight()).unwrap(), "Tsit5");
    each(problem.solve(Vern7, &tight()).unwrap(), "Vern7");
    each(problem.solve(Dop853, &tight()).unwrap(), "Dop853");
    each(problem.solve(Rodas5P, &tight()).unwrap(), "Rodas5P");
    each(problem.solve(Rosenbrock23, &tight()).unwrap(), "Rosenbrock23");
    each(problem.solve(Auto, &tight()).unwrap(), "Auto");
    each(problem.solve(Tsit5, &tight().tstops([1.0, 5.0])).unwrap(), "stops");
    let fixed = SolveOptions::default().fixed_step(0.25);
    each(problem.solve(Tsit5, &fixed).unwrap(), "fixed steps");
    each(problem.solve(Rodas5P, &fixed).unwrap(), "Rodas5P, fixed steps");
    let steps = problem.solve(Tsit5, &tight()).unwrap().accepted();
    assert!(steps <= 3 * 12 + 10, "{steps} steps for 12 bounces");
}

/// A fixed step with an event in it becomes two steps, and the ends of both are saved.
#[test]
fn fixed_steps_in_parts() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=8.0, parameters);
    let options = SolveOptions::default().fixed_step(0.25).saveat(SaveAt::Steps);
    // Each stop begins a new grid, with a shorter step before it: 4, 13 and 16 steps.
    for (grid, options) in [(32, options.clone()), (33, options.clone().tstops([0.9, 4.1]))] {
        let solution = problem.solve(Tsit5, &options).unwrap();
        let bounces = solution.event_count("ground").unwrap();
        assert!(bounces >= 4, "{bounces}");
        assert_eq!((solution.accepted(), solution.rejected()), (grid + bounces, 0));
        assert_eq!(solution.times().count(), (grid + bounces + 1) as usize);
        assert_eq!(solution.times().last(), Some(8.0));
    }
    // After five steps the ball falls to the ground in a part of the sixth step.
    let at = ball::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(ball, at, 0.0..=8.0, ball::Parameters { gravity: 9.81 });
    let solution = problem.solve(Tsit5, &options).unwrap();
    assert_eq!((solution.accepted(), solution.times().count()), (6, 7));
    assert_eq!(solution.times().last(), Some(solution.end_time()));
}

/// Fixed steps stay on their grid: saved times are grid points.
#[test]
fn saved_states_between_bounces() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=5.0, parameters);
    let first = (20.0_f64 / 9.81).sqrt();
    let exact = |t: f64| {
        let (mut begin, mut speed) = (first, 0.8 * 9.81 * first);
        if t < begin {
            return 10.0 - 9.81 / 2.0 * t * t;
        }
        while t > begin + 2.0 * speed / 9.81 {
            begin += 2.0 * speed / 9.81;
            speed *= 0.8;
        }
        speed * (t - begin) - 9.81 / 2.0 * (t - begin).powi(2)
    };
    for options in [tight(), SolveOptions::default().fixed_step(0.25)] {
        let solution = problem.solve(Tsit5, &options.saveat(0.1)).unwrap();
        assert_eq!(solution.times().count(), 51);
        for (t, state) in solution.times().zip(solution.states()) {
            assert!((state.height - exact(t)).abs() < 1e-10, "{t}: {} {}", state.height, exact(t));
        }
    }
}

/// Impacts accumulate at 12.85…: the solution ends there, and other trajectories continue.
#[test]
fn bounces_that_accumulate() {
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=20.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(9).vary(|problem, i| {
        let restitution = if i == 4 { 0.8 } else { 1.0 };
        problem.with_p(bouncing::Parameters { restitution, ..parameters })
    });
    for options in [tight(), SolveOptions::default().fixed_step(0.25)] {
        let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
        for (i, code) in solution.codes().enumerate() {
            let expected = if i == 4 { ReturnCode::TooManyEvents } else { ReturnCode::Success };
            assert_eq!(code, expected, "{i}");
        }
        let end = solution.trajectory(4).end_time();
        assert!((end - 12.85058810634358).abs() < 1e-6, "{end}");
        assert_eq!(solution.event_count("ground").unwrap()[0], 7);
    }
}

/// A ball that does not bounce lies on the ground; it must not fall through the ground with
/// success.
#[test]
fn a_ball_that_does_not_bounce() {
    let at = bouncing::State { height: 1.0, velocity: 0.0 };
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=3.0, parameters);
    let each = |solution: OdeSolution<bouncing::Model, f64, 2, 2>, what: &str| {
        assert_eq!(solution.code(), ReturnCode::TooManyEvents, "{what}");
        assert!((solution.end_time() - (2.0_f64 / 9.81).sqrt()).abs() < 1e-9, "{what}");
        assert_eq!(solution.final_state().height, 0.0, "{what}");
    };
    each(problem.solve(Tsit5, &tight()).unwrap(), "Tsit5");
    each(problem.solve(Vern7, &tight()).unwrap(), "Vern7");
    each(problem.solve(Rodas5P, &tight()).unwrap(), "Rodas5P");
    each(problem.solve(Tsit5, &SolveOptions::default().fixed_step(0.1)).unwrap(), "fixed steps");
}

/// Bounces that become shorter than the error of the place of an impact end in contact, too.
///
/// A ball with restitution `e` bounces at most `ln(ε) / ln(e)` times before its speed is `ε` of the
/// first one.
#[test]
fn bounces_below_the_error_of_their_places() {
    for (i, restitution) in [0.35_f64, 0.5, 0.65, 0.8, 0.95].into_iter().enumerate() {
        for (floor, drag) in [(0.0, 0.0), (0.0, 0.01), (0.0, 0.09), (73.3, 0.04)] {
            let at = dropped::State { height: floor + 0.5 + i as f64, velocity: 0.0 };
            let parameters = dropped::Parameters { floor, drag, restitution };
            let problem = OdeProblem::new(dropped, at, 0.0..=60.0, parameters);
            let most = 64.0 + 1e-16_f64.ln() / restitution.ln();
            for tolerance in [1e-3, 1e-6, 1e-10] {
                let each = |solution: OdeSolution<dropped::Model, f64, 2, 3>| {
                    let name = solution.method().name;
                    let what = format!("{name} {tolerance} {restitution} {floor} {drag}");
                    assert_eq!(solution.code(), ReturnCode::TooManyEvents, "{what}");
                    assert!((solution.final_state().height - floor).abs() < 1e-6, "{what}");
                    let count = solution.event_count("impact").unwrap();
                    assert!(f64::from(count) < 1.1 * most, "{what}: {count}");
                };
                let options = SolveOptions::default().tolerance(tolerance);
                each(problem.solve(Rodas4, &options).unwrap());
                each(problem.solve(Rosenbrock23, &options).unwrap());
            }
        }
    }
}

/// A state in contact does not pass through: on a floor at any height, on a racket, and at the
/// level of a relay.
#[test]
fn contact() {
    for i in 0..12 {
        let amplitude = 0.3 + 0.17 * f64::from(i);
        let cases =
            [(1.0, 0.0, 0.0), (1.0, 0.0, 0.5), (0.0, 0.0, 0.5), (1.0, 7.0, 0.0), (1.0, 7.0, 0.5)];
        for (from, frequency, restitution) in cases {
            let at = racket::State { height: amplitude + from, velocity: 0.0 };
            let parameters = racket::Parameters { amplitude, frequency, restitution };
            let problem = OdeProblem::new(racket, at, 0.0..=9.0, parameters);
            let each = |solution: OdeSolution<racket::Model, f64, 2, 3>| {
                let name = solution.method().name;
                let what = format!("{name}, {amplitude} {from} {frequency} {restitution}");
                let t = solution.end_time();
                let height = amplitude * (frequency * t).cos();
                assert!(solution.final_state().height > height - 1e-6, "{what}");
                // A moving racket throws the ball up again.
                assert!(frequency > 0.0 || solution.code() == ReturnCode::TooManyEvents, "{what}");
                assert!(frequency > 0.0 || solution.event_count("hit").unwrap() < 200, "{what}");
            };
            each(problem.solve(Tsit5, &SolveOptions::default()).unwrap());
            each(problem.solve(Vern7, &tight()).unwrap());
            each(problem.solve(Rodas5P, &tight()).unwrap());
        }
        for x in [-3.0, 3.0] {
            let modes = relay::Modes { on: if x < 0.0 { 1.0 } else { 0.0 } };
            let level = 0.1 * f64::from(i) - 0.5;
            let parameters = relay::Parameters { level, modes };
            let problem = OdeProblem::new(relay, relay::State { x }, 0.0..=20.0, parameters);
            let solution = problem.solve(Tsit5, &tight()).unwrap();
            assert_eq!(solution.code(), ReturnCode::TooManyEvents, "{i} {x}");
            assert!((solution.final_state().x - level).abs() < 1e-9, "{i} {x}");
        }
    }
}

/// An event at the time of an action occurs before the action, whatever the rounding.
#[test]
fn an_event_at_the_time_of_an_action() {
    for i in 0..40 {
        let (at, slope) = (0.5 + 0.19 * f64::from(i), 0.1 + 0.37 * f64::from(i % 7));
        let begin = lifted::State { y: slope * at, count: 0.0 };
        let parameters = lifted::Parameters { at, slope };
        let problem = OdeProblem::new(lifted, begin, 0.0..=at + 0.01, parameters);
        for options in [SolveOptions::default(), tight()] {
            let each = |solution: OdeSolution<lifted::Model, f64, 2, 2>| {
                let counts = ["zero", "lift"].map(|name| solution.event_count(name).unwrap());
                assert_eq!((counts, solution.final_state().count), ([1, 1], 1.0), "{i}");
            };
            each(problem.solve(Tsit5, &options).unwrap());
            each(problem.solve(Vern7, &options).unwrap());
            each(problem.solve(Rodas5P, &options).unwrap());
        }
    }
}

/// Events at the time of each other, and of an action, occur once, whatever the rounding.
///
/// Before the dose, `y` is below its limit. The dose moves it exactly to the limit, which it passes
/// afterwards.
#[test]
fn events_at_one_time_occur_once() {
    for i in 0..60 {
        let (at, speed) = (1.0 + 0.047 * f64::from(i), 0.5 + 0.017 * f64::from(i * 7 % 60));
        let begin = coincident::State { x: 0.0, y: -10.0, count: 0.0 };
        let parameters = coincident::Parameters { at, level: speed * at, speed };
        let problem = OdeProblem::new(coincident, begin, 0.0..=at + 1.0, parameters);
        let coarse = SolveOptions::default();
        for options in [coarse.clone(), coarse.clone().fixed_step(0.3), tight()] {
            let each = |solution: OdeSolution<coincident::Model, f64, 3, 3>| {
                let names = ["counted", "reached", "time", "limit", "dose"];
                let counts = names.map(|name| solution.event_count(name).unwrap());
                assert_eq!((solution.code(), counts), (ReturnCode::Success, [1; 5]), "{i}");
                assert_eq!(solution.final_state().count, 10_101.0, "{i}");
            };
            each(problem.solve(Tsit5, &options).unwrap());
            each(problem.solve(Vern7, &options).unwrap());
            each(problem.solve(Rodas5P, &options).unwrap());
        }
    }
}

/// An elastic ball from 50 m hits the ground 1565 times up to 10,000, and never falls through it.
///
/// SciML's `event_detection_tests.jl` allows 40 m below the ground.
#[test]
fn an_elastic_ball_for_long() {
    let parameters = turning::Parameters { gravity: 9.8 };
    let at = turning::State { height: 50.0, velocity: 0.0 };
    let problem = OdeProblem::new(turning, at, 0.0..=1e4, parameters);
    let options = SolveOptions::default().saveat(0.5);
    let solution = problem.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.event_count("ground"), Ok(1565));
    let least = solution.states().map(|state| state.height).fold(f64::INFINITY, f64::min);
    assert!(least > -1e-6, "{least}");
}

/// Two walls and the ground: SciML's `event_detection_tests.jl`.
#[test]
fn a_ball_between_walls() {
    let at = walls::State { x: 0.1, vx: 1.0, y: 50.0, vy: 0.0 };
    let problem = OdeProblem::new(walls, at, 0.0..=60.0, []);
    let solution = problem.solve(Tsit5, &tight()).unwrap();
    // At 9.9, then every 10 at a speed that is 0.9 times the last one.
    let mut times = vec![9.9];
    while *times.last().unwrap() < 60.0 {
        let k = times.len() as i32;
        times.push(times.last().unwrap() + 10.0 / 0.9_f64.powi(k));
    }
    let hits = times.iter().filter(|&&t| t < 60.0).count() as u32;
    assert_eq!(solution.event_count("wall"), Ok(hits));
    assert!(solution.final_state().x > 0.0 && solution.final_state().x < 10.0);
    assert!(solution.final_state().y > -1e-9);
}

/// Impact `n` is at `π/2 + (n - 1) π`, with the speed `0.9ⁿ⁻¹`; the action precedes the end.
#[test]
fn an_oscillator_hits_a_wall() {
    let at = impact::State { x: 1.0, v: 0.0 };
    let problem = OdeProblem::new(impact, at, 0.0..=100.0, impact::Parameters { restitution: 0.9 });
    let each = |solution: OdeSolution<impact::Model, f64, 2, 1>, what: &str| {
        assert_eq!(solution.code(), ReturnCode::Terminated, "{what}");
        assert_eq!(solution.event_count("wall"), Ok(20));
        let (t, v) = (solution.end_time(), solution.final_state().v);
        assert!((t - 61.261_056_745_000_97).abs() < 1e-7, "{what}: {t}");
        assert!((v - 0.9 * 0.135_085_171_767_299_2).abs() < 1e-8, "{what}: {v}");
    };
    each(problem.solve(Tsit5, &tight()).unwrap(), "Tsit5");
    each(problem.solve(Vern7, &tight()).unwrap(), "Vern7");
    each(problem.solve(Rodas5P, &tight()).unwrap(), "Rodas5P");
}

/// Spikes every `τ ln 4`.
#[test]
fn a_neuron_spikes() {
    let problem = OdeProblem::new(
        neuron,
        neuron::State { v: 0.0 },
        0.0..=1000.0,
        neuron::Parameters { current: 20.0 },
    );
    for (options, bound) in [(tight(), 1e-6), (SolveOptions::default(), 1.0)] {
        let solution = problem.solve(Tsit5, &options).unwrap();
        assert_eq!(solution.event_count("spike"), Ok(72));
        // The last spike, and the rise since then.
        let since = 1000.0 - 72.0 * 13.862943611198906;
        let exact = 20.0 * (1.0 - (-since / 10.0_f64).exp());
        let found = solution.final_state().v;
        assert!((found - exact).abs() < bound, "{found} {exact}");
    }
    let silent = OdeProblem::new(
        neuron,
        neuron::State { v: 0.0 },
        0.0..=1000.0,
        neuron::Parameters { current: 14.0 },
    );
    assert_eq!(silent.solve(Tsit5, &tight()).unwrap().event_count("spike"), Ok(0));
}

/// A step to an event may be shorter than the smallest step.
#[test]
fn a_smallest_step_is_no_end_at_an_event() {
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=12.0, parameters);
    let solution = problem.solve(Tsit5, &tight().dtmin(0.05).first_step(1.4278)).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    assert_eq!(solution.event_count("ground"), Ok(12));
}

/// Spikes every `2 atan 10`.
#[test]
fn a_quadratic_neuron_spikes() {
    let problem = OdeProblem::new(quadratic, quadratic::State { v: -10.0 }, 0.0..=100.0, []);
    let solution = problem.solve(Tsit5, &tight()).unwrap();
    assert_eq!(solution.event_count("spike"), Ok(33));
    let since: f64 = 100.0 - 33.0 * 2.9422553486074692 - 2.9422553486074692 / 2.0;
    assert!((solution.final_state().v - since.tan()).abs() < 1e-6);
}

/// Events of one function occur equally often, whatever rounding leaves after an action.
///
/// The oscillator falls back through the level after each of them.
#[test]
fn events_of_one_function() {
    for i in 0..100 {
        let at = pushed::State { x: -1.0, v: 0.0 };
        let level = 0.008 * f64::from(i);
        let problem = OdeProblem::new(pushed, at, 0.0..=20.0, pushed::Parameters { level });
        let each = |solution: odes::OdeSolution<pushed::Model, f64, 2, 1>| {
            let counts = ["passes", "seen", "back"].map(|name| solution.event_count(name).unwrap());
            assert_eq!(counts, [3; 3], "{level}");
        };
        for tolerance in [1e-3, 1e-6, 1e-9] {
            let options = SolveOptions::default().tolerance(tolerance);
            each(problem.solve(Tsit5, &options).unwrap());
            each(problem.solve(Vern7, &options).unwrap());
            each(problem.solve(Rodas5P, &options).unwrap());
        }
    }
}

/// An event without an action ends the trajectory at an impact that another event acts on.
#[test]
fn an_end_by_another_event() {
    let at = counted::State { height: 1.0, velocity: 0.0 };
    let problem = OdeProblem::new(counted, at, 0.0..=20.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(300).vary(|problem, i| {
        problem.with_u0(counted::State { height: 1.0 + 0.01 * i as f64, velocity: 0.0 })
    });
    for options in [SolveOptions::default(), SolveOptions::default().fixed_step(0.25)] {
        let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
        for i in 0..300 {
            assert_eq!(solution.code(i), ReturnCode::Terminated, "{i}");
            assert_eq!(solution.event_count("fifth").unwrap()[i], 5, "{i}");
            assert_eq!(solution.event_count("ground").unwrap()[i], 5, "{i}");
        }
    }
}

/// A valve closes once, and the level stays.
#[test]
fn a_valve_closes() {
    for i in 0..48 {
        let i = f64::from(i);
        let modes = tank::Modes { valve: 1.0 };
        let (inflow, full) = (1.0 + 0.037 * i, 1.0 + 0.011 * i);
        let parameters = tank::Parameters { inflow, full, modes };
        let problem = OdeProblem::new(tank, tank::State { level: 0.0 }, 0.0..=10.0, parameters);
        let each = |solution: odes::OdeSolution<tank::Model, f64, 1, 3>| {
            assert_eq!(solution.code(), ReturnCode::Success, "{i}");
            assert_eq!(solution.event_count("full"), Ok(1), "{i}");
            assert!((solution.final_state().level - full).abs() < 1e-13, "{i}");
        };
        let options = SolveOptions::default().max_steps(1000);
        each(problem.solve(Tsit5, &options).unwrap());
        each(problem.solve(Rodas5P, &options).unwrap());
        each(problem.solve(Tsit5, &options.fixed_step(0.3)).unwrap());
    }
}
