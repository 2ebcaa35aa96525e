//! Events of systems that are functions, compared with closed forms and the same system as a
//! module.

use crate::everywhere::same_everywhere;
use core::f64::consts::PI;
use odes::prelude::*;

/// `cos t`, and its turning points.
#[ode_system]
#[event(both, log, turn = u[1])]
#[event(falling, stop = 3, zero = u[0])]
fn wave(u: &[f64; 2], _: &[f64; 1], _: f64) -> [f64; 2] {
    [u[1], -u[0]]
}

/// `e^t` up to a level, and up to a time; the function assigns its results to an argument.
#[ode_system]
#[event(grown = u[0] - p[0], rising, stop)]
#[event(rising, late = t - { let half = 0.5; half + 0.25 })]
fn growth(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], t: f64) {
    let _ = (p, t);
    du[0] = u[0];
}

/// A ball with restitution, doses of speed, and a condition; the values of an assignment refer to
/// the state before the action.
#[ode_system]
#[event(falling, log, ground = u[0])]
#[action(ground, u[0] = 0.0, u[1] = -p[0] * u[1], u[2] += u[1])]
#[at(kick, 2.0, p[1], u[1] += 0.5 * u[0], u[0] = u[0] + 0.25)]
#[at(tick, first = p[1], every = 0.75, count = 4, u[2] *= 0.5)]
#[after_step(fast = u[1].abs() > 3.0)]
#[after_step(stop = 2, late = t > 4.0)]
#[action(fast, u[1] = u[1] * 0.999)]
fn ball(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[1], -9.81, 0.0]
}

mod as_module {
    use odes::prelude::*;

    #[ode_system]
    pub(crate) mod ball {
        pub(crate) fn rhs(u: &[f64; 3], p: &[f64; 2]) -> [f64; 3] {
            let _ = p;
            [u[1], -9.81, 0.0]
        }

        #[event(falling, log)]
        fn ground(u: &[f64; 3]) -> f64 {
            u[0]
        }

        #[action(ground)]
        fn bounce(u: &[f64; 3], p: &[f64; 2]) -> [f64; 3] {
            [0.0, -p[0] * u[1], u[2] + u[1]]
        }

        #[at(2.0, p[1])]
        fn kick(u: &[f64; 3]) -> [f64; 3] {
            [u[0] + 0.25, u[1] + 0.5 * u[0], u[2]]
        }

        #[at(first = p[1], every = 0.75, count = 4)]
        fn tick(u: &[f64; 3]) -> [f64; 3] {
            [u[0], u[1], u[2] * 0.5]
        }

        #[after_step]
        fn fast(u: &[f64; 3]) -> bool {
            u[1].abs() > 3.0
        }

        #[after_step(stop = 2)]
        fn late(_: &[f64; 3], t: f64) -> bool {
            t > 4.0
        }

        #[action(fast)]
        fn drag(u: &[f64; 3]) -> [f64; 3] {
            [u[0], u[1] * 0.999, u[2]]
        }
    }

    #[ode_system]
    pub(crate) mod wave {
        pub(crate) fn rhs(u: &[f64; 2], _: &[f64; 1]) -> [f64; 2] {
            [u[1], -u[0]]
        }

        #[event(both, log)]
        fn turn(u: &[f64; 2]) -> f64 {
            u[1]
        }

        #[event(falling, stop = 3)]
        fn zero(u: &[f64; 2]) -> f64 {
            u[0]
        }
    }
}

#[test]
fn an_oscillator_turns() {
    let options = SolveOptions::default().tolerance(1e-10).event_log(20);
    let problem = OdeProblem::new(wave, [1.0, 0.0], 0.0..=100.0, [0.0]);
    let solution = problem.solve(Tsit5, &options).unwrap();
    // The third falling zero is at 9 π / 2; before it are the turns at π, 2 π, 3 π and 4 π.
    assert_eq!(solution.code(), ReturnCode::Terminated);
    assert!((solution.end_time() - 4.5 * PI).abs() < 1e-8, "{}", solution.end_time());
    let times: Vec<f64> = solution.log().unwrap().map(|event| event.time).collect();
    assert_eq!(times.len(), 4);
    for (n, time) in times.iter().enumerate() {
        assert!((time - PI * (n + 1) as f64).abs() < 1e-8, "{n}: {time}");
    }
    let module = OdeProblem::new(as_module::wave, [1.0, 0.0], 0.0..=100.0, [0.0]);
    let other = module.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.final_state(), other.final_state());
    assert_eq!(solution.end_time().to_bits(), other.end_time().to_bits());
    assert_eq!(times, other.log().unwrap().map(|event| event.time).collect::<Vec<_>>());
}

/// A log that does not fit into memory has a remedy of its own.
#[test]
fn a_log_that_does_not_fit_is_an_error() {
    let problem = OdeProblem::new(wave, [1.0, 0.0], 0.0..=1.0, [0.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(1_000_000);
    let options = SolveOptions::default().event_log(u32::MAX);
    let error = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap_err();
    assert!(error.to_string().contains("reduce the capacity of `event_log`"), "{error}");
}

#[test]
fn growth_to_a_level() {
    let options = SolveOptions::default().tolerance(1e-10);
    let problem = OdeProblem::new(growth, [1.0], 0.0..=10.0, [2.0]);
    let solution = problem.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.event_count("late"), Ok(0));
    assert!((solution.end_time() - 2f64.ln()).abs() < 1e-9, "{}", solution.end_time());
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(101)
        .vary(|problem, i| problem.with_p([2.0 + 0.1 * i as f64]));
    let expected = ensemble.solve(Rodas5P, EnsembleSerial, &options).unwrap();
    for (i, time) in expected.end_times().iter().enumerate() {
        assert!((time - (2.0 + 0.1 * i as f64).ln()).abs() < 1e-8, "{i}: {time}");
        let late = u64::from(*time > 0.75);
        assert_eq!(u64::from(expected.event_count("late").unwrap()[i]), late, "{i}");
    }
    same_everywhere(Rodas5P, &ensemble, &expected, &options);
}

/// Actions of a function have the results of the same actions in a module.
#[test]
fn a_ball_bounces_as_in_a_module() {
    let options = SolveOptions::default().tolerance(1e-8).event_log(20);
    let (u0, p) = ([1.0, 0.0, 1.0], [0.8, 1.25]);
    let solution = OdeProblem::new(ball, u0, 0.0..=10.0, p).solve(Tsit5, &options).unwrap();
    let module = OdeProblem::new(as_module::ball, u0, 0.0..=10.0, p);
    let other = module.solve(Tsit5, &options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Terminated);
    assert_eq!(solution.final_state(), other.final_state());
    assert_eq!(solution.end_time().to_bits(), other.end_time().to_bits());
    for name in ["ground", "kick", "tick", "fast", "late"] {
        let counts = [solution.event_count(name), other.event_count(name)].map(Result::unwrap);
        assert!(counts[0] == counts[1] && counts[0] > 0, "{name}: {counts:?}");
    }
    assert_eq!(solution.event_count("kick"), Ok(2));
    assert_eq!(solution.event_count("tick"), Ok(4));
    // The first impact, in closed form.
    let first = solution.log().unwrap().next().unwrap().time;
    assert!((first - (2.0 / 9.81_f64).sqrt()).abs() < 1e-6, "{first}");
}
