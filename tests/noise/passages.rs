//! Events: the laws of passages and exits, directions, actions, and adaptive steps.

use crate::laws::near;
use crate::systems::{neuron, walk};
use odes::events::EventLog;
use odes::methods::{EulerMaruyama, Shark};
use odes::prelude::*;
use odes::system::System;

/// A Brownian motion without barriers.
const FREE: walk::Parameters = walk::Parameters {
    drift: 0.0,
    pull: 0.0,
    sd: 1.0,
    level: 1.0,
    low: f64::NEG_INFINITY,
    high: f64::INFINITY,
};

fn ensemble(start: f64, end: f64, parameters: walk::Parameters, n: usize) -> walk::Ensemble {
    EnsembleProblem::new(OdeProblem::new(walk, [start], 0.0..=end, parameters)).trajectories(n)
}

/// The integral of a function by Simpson's rule.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / 2000.0;
    let weight = |i: usize| if i % 2 == 1 { 4.0 } else { 2.0 };
    let inner: f64 = (1..2000).map(|i| weight(i) * f(from + i as f64 * h)).sum();
    (f(from) + inner + f(to)) * h / 3.0
}

/// The distribution function of the normal law.
fn normal(x: f64) -> f64 {
    let density = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt();
    0.5 + integral(0.0, x, density)
}

/// Checks the fraction of true values, within four standard errors.
fn likely(all: impl Iterator<Item = bool>, expected: f64, what: &str) {
    near(all.map(|is| f64::from(u8::from(is))), expected, expected * (1.0 - expected), what);
}

/// `P(max W > 1)` until the time 1 is `2 (1 - Φ(1))`.
///
/// The ends of the steps miss a tenth of the passages, which four standard errors show.
#[test]
fn excursions_within_steps_count() {
    let n = 40_000;
    let options = SolveOptions::default().fixed_step(2_f64.powi(-6)).noise_seed(3);
    let solution =
        ensemble(0.0, 1.0, FREE, n).solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let expected = 2.0 * (1.0 - normal(1.0));
    assert!((expected - 0.317_310_507_863).abs() < 1e-11);
    let passed = solution.event_count("passage").unwrap();
    likely(passed.iter().map(|&count| count > 0), expected, "passages");
    let seen = solution.event_count("beyond").unwrap();
    let seen = seen.iter().filter(|&&count| count > 0).count() as f64 / n as f64;
    let error = (expected * (1.0 - expected) / n as f64).sqrt();
    assert!(seen < expected - 8.0 * error, "{seen}");
    // The barrier is as if it were farther away.
    let shifted = 2.0 * (1.0 - normal(1.0 + 0.5826 / 8.0));
    assert!((seen - shifted).abs() < 4.0 * error, "{seen} {shifted}");
}

/// The first passage of a Brownian motion with drift has the inverse Gaussian law, exactly at the
/// ends of steps of any length.
#[test]
fn first_passages_have_the_inverse_gaussian_law() {
    let (n, drift, sd) = (10_000, 0.5, 0.8);
    let parameters = walk::Parameters { drift, sd, ..FREE };
    let options = SolveOptions::default().fixed_step(0.25).noise_seed(5).event_log(1);
    let solution =
        ensemble(0.0, 3.0, parameters, n).solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let first = |i: usize| solution.kept_log(i).unwrap().next().map_or(f64::INFINITY, |e| e.time);
    for time in [0.25, 1.0, 3.0_f64] {
        let spread = sd * time.sqrt();
        let back = (2.0 * drift / (sd * sd)).exp() * normal((-1.0 - drift * time) / spread);
        let expected = normal((drift * time - 1.0) / spread) + back;
        likely((0..n).map(|i| first(i) <= time), expected, "passages");
    }
}

/// From 0, a Brownian motion leaves `(-a, b)` at `b` with the probability `a/(a + b)`, after the
/// time `a b` on average.
#[test]
fn exits_from_an_interval() {
    let (n, a, b, h) = (10_000, 0.5, 1.0, 1.0 / 64.0);
    let parameters = walk::Parameters { low: -a, high: b, ..FREE };
    let options = SolveOptions::default().fixed_step(h).noise_seed(6).saveat(0.25);
    let solution =
        ensemble(0.0, 30.0, parameters, n).solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    assert!((0..n).all(|i| solution.code(i) == ReturnCode::Terminated));
    let [top, bottom] = ["top", "bottom"].map(|name| solution.event_count(name).unwrap());
    likely(top.iter().map(|&count| count == 1), a / (a + b), "exits at the top");
    assert!(top.iter().zip(&bottom).all(|(top, bottom)| top + bottom == 1));
    // The end of the step is half a step late. The variance is `a b (a² + b²)/3`.
    let times = solution.end_times();
    let variance = a * b * (a * a + b * b) / 3.0;
    near(times.iter().copied(), a * b + 0.5 * h, variance, "times of exits");
    // The trajectory ends at the end of a step, and nothing is saved afterwards.
    for i in 0..n {
        assert!((times[i] / h).fract() == 0.0);
        assert_eq!(solution.trajectory(i).len(), (times[i] / 0.25).floor() as usize + 1);
    }
}

/// An event occurs when its function leaves the side of its direction, by the end of a step or
/// within it.
#[test]
fn directions() {
    let n = 300;
    let parameters = walk::Parameters { low: 0.5, ..FREE };
    let options = SolveOptions::default().fixed_step(1.0 / 16.0).noise_seed(7);
    let options = options.saveat(SaveAt::Steps).event_log(EventLog::new(60).with_states());
    let solution =
        ensemble(1.25, 3.0, parameters, n).solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let (mut within, mut late) = (0, 0);
    for i in 0..n {
        let path: Vec<f64> = solution.trajectory(i).states().map(|u| u[0]).collect();
        let mut passages = 0;
        for entry in solution.log(i).unwrap() {
            let k = (entry.time * 16.0) as usize;
            let (before, after) = (path[k - 1], path[k]);
            match entry.name {
                "passage" => {
                    passages += 1;
                    assert!(entry.rising && before < 1.0, "{before}");
                    within += usize::from(after < 1.0);
                    assert_eq!(entry.before.unwrap()[0], after);
                }
                _ => {
                    assert!(!entry.rising && k == path.len() - 1 && before > 0.5);
                    assert_eq!(solution.code(i), ReturnCode::Terminated);
                    late += usize::from(after > 0.5);
                }
            }
        }
        let rises = path.windows(2).filter(|u| u[0] < 1.0 && u[1] > 1.0).count();
        assert!(passages >= rises && passages <= rises + path.len());
        assert_eq!(solution.event_count("passage").unwrap()[i], passages as u32);
    }
    assert!(within > 50 && late > 20, "{within} {late}");
}

/// A path that reaches the farther of two levels has reached the nearer one.
#[test]
fn levels_are_reached_in_order() {
    let n = 3000;
    let parameters = walk::Parameters { level: 0.9, high: 1.0, ..FREE };
    let options = SolveOptions::default().fixed_step(0.25).noise_seed(12);
    let solution =
        ensemble(0.0, 2.0, parameters, n).solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let [top, passage] = ["top", "passage"].map(|name| solution.event_count(name).unwrap());
    let mut within = 0;
    for i in (0..n).filter(|&i| top[i] > 0) {
        assert!(passage[i] > 0);
        within += usize::from(solution.final_state(i)[0] < 0.9);
    }
    assert!(within > 200, "{within}");
}

/// A path and its reflection at zero, by an action that moves the state back.
#[ode_system]
mod reflected {
    pub struct State {
        pub x: f64,
        pub w: f64,
    }

    fn rhs(_u: &State) -> State {
        State { x: 0.0, w: 0.0 }
    }

    #[noise]
    fn noise(_u: &State) -> [State; 1] {
        [State { x: 1.0, w: 1.0 }]
    }

    #[event(falling)]
    fn floor(u: &State) -> f64 {
        u.x
    }

    #[action(floor)]
    fn back(u: &State) -> State {
        State { x: u.x.max(0.0), w: u.w }
    }

    /// A scheduled jump over the level of `high`.
    #[at(0.6)]
    fn lift(u: &State) -> State {
        State { x: u.x + 10.0, w: u.w }
    }

    #[event(rising, log)]
    fn high(u: &State) -> f64 {
        u.x - 9.5
    }
}

#[test]
fn actions_reflect_paths_and_jump() {
    let start = reflected::State { x: 0.3, w: 0.0 };
    let problem = OdeProblem::new(reflected, start, 0.0..=1.0, []);
    let options = SolveOptions::default().fixed_step(0.0625).noise_seed(5);
    let options = options.saveat(SaveAt::Steps).event_log(2);
    let ensemble = EnsembleProblem::new(problem).trajectories(100);
    let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    let mut reflections = 0;
    for i in 0..100 {
        let trajectory = solution.trajectory(i);
        let mut last = (0.3, 0.0);
        // Saved states are those before actions.
        for (time, u) in trajectory.times().zip(trajectory.states()).skip(1) {
            let expected = last.0 + (u.w - last.1);
            assert!((u.x - expected).abs() < 1e-12, "{} {expected}", u.x);
            reflections += usize::from(u.x < 0.0);
            last = (u.x.max(0.0), u.w);
            if time == 0.6 {
                last.0 += 10.0;
            }
        }
        // The jump crosses the level, at its time.
        let entry = solution.kept_log(i).unwrap().next().unwrap();
        assert_eq!((entry.time, entry.name), (0.6, "high"));
    }
    assert!(reflections > 100, "{reflections}");
}

/// General noise and a curved level: the variance is the squared length of `gᵀ ∇(x y + t y²)`.
#[ode_system]
mod curved {
    fn rhs(_u: &[f64; 2]) -> [f64; 2] {
        [0.0; 2]
    }

    #[noise]
    fn noise(u: &[f64; 2], p: &[f64; 1]) -> [[f64; 2]; 3] {
        [[p[0] * u[1], u[0]], [1.0, 0.0], [0.5 * u[0], -2.0]]
    }

    #[event(both)]
    fn product(u: &[f64; 2], t: f64) -> f64 {
        u[0] * u[1] + t * u[1] * u[1] - 1.0
    }

    #[event(both)]
    fn noiseless(_u: &[f64; 2], t: f64) -> f64 {
        t - 1.0
    }
}

#[test]
fn variances_of_event_functions() {
    fn of<S: System<N, P>, const N: usize, const P: usize>(
        system: S,
        (u, p, t): ([f64; N], [f64; P], f64),
    ) -> [f64; 2] {
        [0, 1].map(|event| system.event_variance(event, &u, &p, t))
    }
    let (x, y, p, t) = (1.5, -0.7, 0.3, 2.0);
    let by = [y, x + 2.0 * t * y];
    let columns = [[p * y, x], [1.0, 0.0], [0.5 * x, -2.0]];
    let along = columns.map(|g| by[0] * g[0] + by[1] * g[1]);
    let expected: f64 = along.map(|a| a * a).iter().sum();
    let [found, none] = of(curved, ([x, y], [p], t));
    assert!((found - expected).abs() < 1e-14 * expected, "{found} {expected}");
    assert_eq!(none, 0.0);
}

/// Events are functions of the path: saved times, shards and other events change none.
#[test]
fn saved_times_and_shards_change_no_event() {
    let parameters = walk::Parameters { low: -1.0, level: 0.3, ..FREE };
    let options = SolveOptions::default().fixed_step(1.0 / 16.0).noise_seed(8).event_log(99);
    let all = ensemble(0.0, 3.0, parameters, 50);
    let expected = all.solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
    let saving = options.clone().saveat([0.3, 0.5, 0.51]);
    let saved = all.solve(EulerMaruyama, EnsembleSerial, &saving).unwrap();
    assert_eq!(expected.event_counts(), saved.event_counts());
    assert_eq!(expected.final_states(), saved.final_states());
    let shard = all.clone().shard((1, 2)).solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
    for (i, number) in shard.numbers().enumerate() {
        let number = number as usize;
        assert_eq!(shard.event_counts().row(i), expected.event_counts().row(number));
        let times = |log: &mut dyn Iterator<Item = f64>| log.collect::<Vec<f64>>();
        let found = times(&mut shard.log(i).unwrap().map(|entry| entry.time));
        assert_eq!(found, times(&mut expected.log(number).unwrap().map(|entry| entry.time)));
    }
}

/// The process of Ornstein and Uhlenbeck reaches 0 from `x` until `t` with the probability
/// `2 Φ(-x / (σ √((e^2t - 1)/2)))`.
#[test]
fn adaptive_steps_reach_a_level_in_law() {
    let n = 4000;
    let parameters = walk::Parameters { pull: 1.0, sd: 0.8, low: 0.0, ..FREE };
    let solved = |tolerance: f64| {
        let options = SolveOptions::default().tolerance(tolerance).noise_cell(0.25).noise_seed(9);
        let all = ensemble(0.8, 1.0, parameters, n);
        all.solve(Shark, EnsembleThreads, &options.event_log(1)).unwrap()
    };
    let expected = 2.0 * normal(-1.0 / ((2_f64.exp() - 1.0) / 2.0).sqrt());
    let loose = solved(1e-1);
    let tight = solved(1e-3);
    let steps = |solution: &EnsembleSolution<_, f64, 1, 6>| solution.trajectory(0).accepted();
    assert!(steps(&tight) > steps(&loose));
    for solution in [loose, tight] {
        let ended = (0..n).map(|i| solution.code(i) == ReturnCode::Terminated);
        likely(ended, expected, "passages");
        assert!(solution.iter().any(|trajectory| trajectory.rejected() > 0));
    }
}

/// The rate of a noisy neuron is that of Siegert's formula.
///
/// A. J. F. Siegert, *On the first passage time probability problem*, Physical Review 81 (1951) 617.
#[test]
fn a_neuron_fires_at_siegerts_rate() {
    let (n, h, end) = (400, 1.0 / 128.0, 50.0);
    let (input, sd, rest) = (0.8, 0.5, 0.3);
    let modes = neuron::Modes { awake: 1.0 };
    let parameters = neuron::Parameters { input, sd, rest, end, modes };
    let problem = OdeProblem::new(neuron, neuron::State { v: 0.0 }, 0.0..=99.0, parameters);
    let options = SolveOptions::default().fixed_step(h).noise_seed(4).event_log(400);
    let solution = EnsembleProblem::new(problem)
        .trajectories(n)
        .solve(EulerMaruyama, EnsembleThreads, &options)
        .unwrap();
    let erf = |x: f64| 2.0 * normal(x * 2_f64.sqrt()) - 1.0;
    let speed = |x: f64| std::f64::consts::PI.sqrt() * (x * x).exp() * (1.0 + erf(x));
    let period = rest + integral(-input / sd, (1.0 - input) / sd, speed);
    // The first spike may be the only one, and the last interval is cut off: so count the intervals
    // that begin in the first part of the span.
    let mut intervals = Vec::new();
    for i in 0..n {
        assert!(solution.end_times()[i] >= end && solution.end_times()[i] < end + h);
        assert_eq!(solution.code(i), ReturnCode::Terminated);
        let times: Vec<f64> = solution.log(i).unwrap().map(|entry| entry.time).collect();
        intervals.extend(times.windows(2).filter(|t| t[0] < 0.5 * end).map(|t| t[1] - t[0]));
        assert_eq!(solution.event_count("spike").unwrap()[i], times.len() as u32);
    }
    let mean = intervals.iter().sum::<f64>() / intervals.len() as f64;
    let squares = intervals.iter().map(|t| (t - mean).powi(2)).sum::<f64>();
    let variance = squares / intervals.len() as f64;
    eprintln!("{mean} {period} {variance} {}", intervals.len());
    near(intervals.into_iter(), period, variance, "intervals");
}
