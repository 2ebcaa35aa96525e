//! Options of the steps: tolerances of components, largest steps, controllers, domains.

use crate::everywhere::same_everywhere;
use crate::textbook;
use crate::textbook::{Before, Controlled, PROPORTIONAL};
use crate::workloads::{assert_same_bits, lorenz, lorenz_sweep, van_der_pol};
use odes::internals::methods::tsit5;
use odes::lane::Scalar;
use odes::methods::{Bs3, Method, Rodas4, Rosenbrock23, TrBdf2};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use odes::{Controller, EnsembleSolution, SolveError};

/// Three uncoupled oscillators, one of them fast.
#[ode_system]
fn oscillators(u: &[f64; 4], p: &[f64; 2]) -> [f64; 4] {
    [u[1], -p[0] * u[0], u[3], -p[1] * u[2]]
}

const OSCILLATORS: ([f64; 4], [f64; 2]) = ([1.0, 0.0, 1.0, 0.0], [1.0, 100.0]);

#[test]
fn components_have_their_own_tolerances() {
    let (u0, p) = OSCILLATORS;
    let problem = OdeProblem::new(oscillators, u0, 0.0..=10.0, p);
    let by = |abstol: [f64; 4]| {
        let options = SolveOptions::default().reltol(0.0).abstol(abstol);
        let solution = problem.solve(Tsit5, &options).unwrap();
        let [x, _, y, _] = solution.final_state();
        let errors = [x - 10.0_f64.cos(), y - 100.0_f64.cos()].map(f64::abs);
        (solution.accepted() + solution.rejected(), errors)
    };
    let (both, tight) = by([1e-9; 4]);
    let (slow, loose) = by([1e-9, 1e-9, 1e-3, 1e-3]);
    let (fast, _) = by([1e-3, 1e-3, 1e-9, 1e-9]);
    eprintln!("{both} {tight:?}, {slow} {loose:?}, {fast}");
    // The slow oscillator takes only its own steps, and the fast one takes nearly all of them.
    assert!(4 * slow < both && 10 * fast > 9 * both, "{both} {slow} {fast}");
    assert!(tight[0] < 1e-7 && tight[1] < 1e-6, "{tight:?}");
    assert!(loose[0] < 1e-7 && loose[1] > 1e-4, "{loose:?}");
}

#[test]
fn equal_tolerances_are_one() {
    let ensemble = lorenz_sweep::<f64>(200, 5.0);
    for options in
        [SolveOptions::default().reltol(1e-5).saveat(0.5), SolveOptions::default().fixed_step(0.01)]
    {
        let one = options.clone().abstol(1e-7);
        let expected = ensemble.solve(Rodas5P, EnsembleSerial, &one).unwrap();
        for three in [
            options.clone().abstol([1e-7; 3]),
            options.clone().abstol(vec![1e-7; 3]),
            options.clone().abstol([1e-7; 3].as_slice()),
        ] {
            assert_same_bits(&expected, &ensemble.solve(Rodas5P, EnsembleSerial, &three).unwrap());
        }
    }
}

fn error_of(options: &SolveOptions) -> SolveError {
    let (u0, p) = OSCILLATORS;
    OdeProblem::new(oscillators, u0, 0.0..=10.0, p).solve(Tsit5, options).unwrap_err()
}

#[test]
fn there_is_a_tolerance_for_each_component() {
    for count in [0, 1, 3, 5] {
        let error = error_of(&SolveOptions::default().abstol(vec![1e-6; count]));
        assert!(matches!(
            error,
            SolveError::Tolerances { tolerances, components: 4 } if tolerances == count
        ));
        let text = format!(
            "abstol has {count} values for 4 components; give one value, or one for each component"
        );
        assert_eq!(error.to_string(), text);
    }
    for wrong in [f64::NAN, -1.0, f64::INFINITY] {
        let error = error_of(&SolveOptions::default().abstol([1e-6, 1e-6, wrong, 1e-6]));
        assert!(matches!(error, SolveError::Tolerance { name: "abstol", .. }), "{error}");
    }
    let error = error_of(&SolveOptions::default().abstol([1e-6, 0.0, 1e-6, 1e-6]).reltol(0.0));
    assert!(matches!(error, SolveError::ZeroTolerance { component: Some(1) }), "{error}");
    let text = "abstol[1] and reltol are 0, so component 1 must be exact; ";
    assert!(error.to_string().starts_with(text), "{error}");
}

/// `u' = p`: without errors, every step is as large as the options permit.
#[ode_system]
fn straight(_u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [p[0]]
}

fn steps<T: Scalar>(t0: f64, t1: f64, options: &SolveOptions) -> u64 {
    let problem = OdeProblem::new(straight, [0.0], t0..=t1, [3.0]).cast::<T>();
    let solution = problem.solve(Tsit5, options).unwrap();
    assert_eq!(solution.code(), ReturnCode::Success);
    assert_eq!(solution.rejected(), 0);
    let error = solution.final_state()[0].widen() - 3.0 * (t1 - t0);
    assert!(error.abs() < 1e-5, "{error}");
    u64::from(solution.accepted())
}

#[test]
fn the_largest_step_is_not_exceeded() {
    // A binary fraction, so that sums of steps are exact.
    let dtmax = 0.125;
    for (t0, t1) in [(0.0, 8.0), (8.0, 0.0), (-1.0, 1.0)] {
        let least = f64::abs(t1 - t0) / dtmax;
        let options = SolveOptions::default().dtmax(dtmax);
        for options in [options.clone(), options.clone().first_step(f64::copysign(4.0, t1 - t0))] {
            for count in [steps::<f64>(t0, t1, &options), steps::<f32>(t0, t1, &options)] {
                // The first steps may be smaller, by a factor of 10 each.
                assert!((least..least + 12.0).contains(&(count as f64)), "{count} of {least}");
            }
        }
        let unlimited = SolveOptions::default();
        assert!(steps::<f64>(t0, t1, &unlimited) < 12);
        // Fixed steps are not changed.
        let fixed = unlimited.dtmax(dtmax).fixed_step(f64::copysign(0.5, t1 - t0));
        assert_eq!(steps::<f64>(t0, t1, &fixed) as f64, f64::abs(t1 - t0) / 0.5);
    }
}

#[test]
fn largest_steps_are_larger_than_smallest() {
    for (dtmin, dtmax) in [(0.0, 0.0), (0.0, -1.0), (0.0, f64::NAN), (0.5, 0.5), (0.5, 0.1)] {
        let error = error_of(&SolveOptions::default().dtmin(dtmin).dtmax(dtmax));
        assert!(matches!(error, SolveError::DtMax { .. }), "{error}");
        let text = format!("dtmax is {dtmax}; it must be larger than dtmin, which is {dtmin}");
        assert_eq!(error.to_string(), text);
    }
}

fn integral(e: f64, order: f64, _: &Before) -> f64 {
    0.9 * e.powf(-1.0 / order)
}

/// Söderlind's H211PI in this form.
fn derivative(e: f64, order: f64, before: &Before) -> f64 {
    let [last, before] = before.errors;
    0.9 * e.powf(-0.49 / order) * last.powf(0.34 / order) * before.powf(-0.1 / order)
}

fn predictive(e: f64, order: f64, before: &Before) -> f64 {
    let plain = integral(e, order, before);
    let trend = plain * before.growth * (before.errors[0] / e).powf(1.0 / order);
    plain.min(trend)
}

const LAWS: [(Controller, Controlled); 4] = [
    (Controller::i(), (integral, 1.0, 0.0)),
    (Controller::pi(0.7, 0.4), PROPORTIONAL),
    (Controller::pid(0.49, -0.34, 0.1), (derivative, 0.49, 0.34)),
    (Controller::predictive(), (predictive, 1.0, 0.0)),
];

fn compare<S: System<N, P>, const N: usize, const P: usize>(
    system: S,
    problems: &[([f64; N], [f64; P], f64)],
    tolerance: f64,
) {
    let mut counts = LAWS.map(|(controller, law)| {
        eprintln!("{controller:?}");
        let options = SolveOptions::default().controller(controller);
        let method = (Tsit5, &tsit5::TABLEAU);
        textbook::compare(method, system, problems, tolerance, &options, law)
    });
    // These are different control laws.
    counts.sort_unstable();
    assert!(counts.windows(2).all(|pair| pair[0] != pair[1]), "{counts:?}");
}

#[test]
fn controllers_are_the_textbooks() {
    let p = |i| [10.0, 21.0 * f64::from(i) / 199.0, 8.0 / 3.0];
    let problems: Vec<_> = (0..200).map(|i| ([1.0, 0.0, 0.0], p(i), 10.0)).collect();
    compare(lorenz, &problems, 1e-6);
    let p = |i| [10f64.powf(f64::from(i) / 100.0)];
    let problems: Vec<_> = (0..100).map(|i| ([2.0, 0.0], p(i), 20.0)).collect();
    compare(van_der_pol, &problems, 1e-5);
}

/// In the convention of `pid` the usual `pi` has another sign.
#[test]
fn pid_is_pi_without_its_last_exponent() {
    let problem = OdeProblem::new(van_der_pol, [2.0, 0.0], 0.0..=20.0, [5.0]);
    let by = |controller| {
        let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).controller(controller);
        problem.solve(Tsit5, &options).unwrap()
    };
    let (pi, pid) = (by(Controller::pi(0.7, 0.4)), by(Controller::pid(0.7, -0.4, 0.0)));
    assert_eq!(pi.accepted(), pid.accepted());
    assert_eq!(pi.rejected(), pid.rejected());
    for (a, b) in pi.final_state().into_iter().zip(pid.final_state()) {
        assert!((a - b).abs() < 1e-6 * a.abs(), "{a} {b}");
    }
    let other = by(Controller::pid(0.7, 0.4, 0.0));
    assert_ne!(pi.accepted() + pi.rejected(), other.accepted() + other.rejected());
}

#[test]
fn controllers_have_sensible_numbers() {
    for (controller, what) in [
        (Controller::pi(f64::NAN, 0.4), "an exponent"),
        (Controller::pid(0.7, 0.4, f64::INFINITY), "an exponent"),
        (Controller::pid(5.0, 0.0, 0.0), "an exponent"),
        (Controller::pi(0.0, 0.0), "the exponent of this step's error"),
        (Controller::pid(-0.7, 0.0, 0.0), "the exponent of this step's error"),
        (Controller::pi(0.7, -0.4), "the second exponent of `pi`"),
        (Controller::i().safety(0.0), "the safety factor"),
        (Controller::i().safety(1.1), "the safety factor"),
        (Controller::i().safety(f64::NAN), "the safety factor"),
        (Controller::predictive().factors(1.0, 5.0), "the smallest factor"),
        (Controller::predictive().factors(0.0, 5.0), "the smallest factor"),
        (Controller::predictive().factors(0.2, 1.0), "the largest factor"),
        (Controller::predictive().factors(0.2, f64::NAN), "the largest factor"),
    ] {
        let error = error_of(&SolveOptions::default().controller(controller));
        let SolveError::Controller { name, .. } = error else { panic!("{error}") };
        assert_eq!(name, what);
    }
    for sensible in [
        Controller::i().safety(1.0).factors(0.1, 10.0),
        Controller::pid(0.05, -4.0, 4.0),
        Controller::pi(4.0, 0.0),
    ] {
        let (u0, p) = OSCILLATORS;
        let problem = OdeProblem::new(oscillators, u0, 0.0..=0.1, p);
        assert!(problem.solve(Tsit5, &SolveOptions::default().controller(sensible)).is_ok());
    }
}

/// Step sizes do not shrink or grow by more than the allowed factors.
#[test]
fn factors_limit_the_steps() {
    let most = |greatest: f64| {
        let options = SolveOptions::default().first_step(1e-3);
        steps::<f64>(0.0, 1000.0, &options.controller(Controller::i().factors(0.5, greatest)))
    };
    // (g^n - 1)/(g - 1) first steps; the factor is within 0.4% of the requested one.
    for greatest in [2.0_f64, 5.0, 10.0] {
        let sum = |n: i32| 1e-3 * (greatest.powi(n) - 1.0) / (greatest - 1.0);
        let expected = (1..).find(|n| sum(*n) >= 1000.0).map(|n| n as u64);
        assert_eq!(Some(most(greatest)), expected, "{greatest}");
    }
}

#[test]
fn options_have_the_same_bits_everywhere() {
    let options = SolveOptions::default().reltol(1e-5).abstol([1e-6, 1e-5, 1e-7]).dtmax(0.04);
    for controller in [Controller::pid(0.49, -0.34, 0.1), Controller::predictive()] {
        let options = options.clone().controller(controller).saveat(0.5);
        let ensemble = lorenz_sweep::<f64>(300, 5.0);
        let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        same_everywhere(Tsit5, &ensemble, &serial, &options);
        let ensemble = lorenz_sweep::<f32>(300, 5.0);
        let serial = ensemble.solve(Rodas4, EnsembleSerial, &options).unwrap();
        same_everywhere(Rodas4, &ensemble, &serial, &options);
    }
}

/// Two decaying concentrations; the domain is the nonnegative numbers.
#[ode_system]
mod decay {
    fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
        [-p[0] * u[0], -u[1]]
    }

    fn is_out_of_domain(u: &[f64; 2]) -> bool {
        u[0] < 0.0 || u[1] < 0.0
    }
}

/// The same equation without a domain.
#[ode_system]
fn decay_anywhere(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [-p[0] * u[0], -u[1]]
}

/// Returns the states at the ends of spans, which are ends of steps.
fn ends<S: System<2, 1>, T: Scalar, M: Method>(
    method: M,
    system: S,
) -> EnsembleSolution<S, T, 2, 1> {
    let x = T::narrow;
    let problem = OdeProblem::new(system, [1.0, 1.0], 0.0..=1.0, [1.0]).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(500).vary(move |q, i| {
        let rate = f64::powf(10.0, (i % 50) as f64 / 10.0);
        q.with_p([x(rate)]).with_tspan(x(0.0)..=x(0.1 * (1.0 + (i / 50) as f64)))
    });
    ensemble
        .solve(method, EnsembleSerial, &SolveOptions::default().abstol(1e-2).reltol(1e-2))
        .unwrap()
}

fn positive<T: Scalar, M: Method + Copy>(method: M) {
    let negative = |u: [T; 2]| u.iter().any(|x| x.widen() < 0.0);
    let anywhere = ends::<_, T, _>(method, decay_anywhere);
    let count = (0..500).filter(|&i| negative(anywhere.final_state(i))).count();
    assert!(count > 5, "{} in {}: {count}", M::PROPERTIES.name, T::NAME);
    let inside = ends::<_, T, _>(method, decay);
    assert!(inside.all_succeeded(), "{:?}", inside.code_counts());
    for i in 0..500 {
        let (there, here) = (anywhere.final_state(i), inside.final_state(i));
        assert!(!negative(here), "{} in {}: {here:?}", M::PROPERTIES.name, T::NAME);
        // The error is small.
        assert!((0..2).all(|d| (there[d].widen() - here[d].widen()).abs() < 0.1), "{i}");
    }
}

#[test]
fn adaptive_steps_end_in_the_domain() {
    positive::<f64, _>(Bs3);
    positive::<f64, _>(Rosenbrock23);
    positive::<f32, _>(Rosenbrock23);
    positive::<f64, _>(TrBdf2);
}

/// `u' = p[0]`, between walls given by parameters; the upper wall moves.
#[ode_system]
mod walls {
    fn rhs(_u: &[f64; 1], p: &[f64; 2]) -> [f64; 1] {
        [p[0]]
    }

    fn is_out_of_domain(u: &[f64; 1], p: &[f64; 2], t: f64) -> bool {
        u[0] < -p[1] || u[0] > p[1] * (1.0 + t)
    }
}

fn between<T: Scalar>(
    n: usize,
    broken: bool,
) -> EnsembleProblem<walls::Model, T, impl Vary<walls::Model, T, 1, 2>, 1, 2> {
    let x = T::narrow;
    let problem = OdeProblem::new(walls, [0.0], 0.0..=2.0, [0.25, 1.0]).cast::<T>();
    EnsembleProblem::new(problem).trajectories(n).vary(
        move |q: OdeProblem<_, T, 1, 2>, i: usize| {
            let share = i as f64 / n as f64;
            match i % 10 {
                3 if broken => q.with_p([x(-1.0 - share), x(1.0)]),
                7 if broken => q.with_p([x(2.0 + share), x(1.0)]),
                _ => q.with_p([x(share - 0.5), x(1.0 + share)]),
            }
        },
    )
}

#[test]
fn solutions_that_leave_are_given_up_where_they_do() {
    fn check<T: Scalar, M: Method + Copy>(method: M, near: f64) {
        let n = 200;
        let options = SolveOptions::default().abstol(1e-5).reltol(1e-5).saveat(0.125);
        let healthy = between::<T>(n, false).solve(method, EnsembleSerial, &options).unwrap();
        assert!(healthy.all_succeeded());
        let ensemble = between::<T>(n, true);
        let serial = ensemble.solve(method, EnsembleSerial, &options).unwrap();
        same_everywhere(method, &ensemble, &serial, &options);
        for (i, trajectory) in serial.iter().enumerate() {
            let [u] = trajectory.final_state().map(Scalar::widen);
            let slope = trajectory.p()[0].widen();
            // The time at which `p t` is -1, or `1 + t`.
            let wall = match i % 10 {
                3 => -1.0,
                7 => slope / (slope - 1.0),
                _ => {
                    let expected = healthy.trajectory(i);
                    assert_eq!(trajectory.final_state(), expected.final_state());
                    assert!(trajectory.states().eq(expected.states()));
                    assert_eq!(trajectory.accepted(), expected.accepted());
                    continue;
                }
            };
            assert_eq!(trajectory.code(), ReturnCode::OutOfDomain, "{i}");
            let beyond = u.abs() - f64::abs(wall);
            assert!((-near..20.0 * T::epsilon().widen()).contains(&beyond), "{i}: {u} {wall}");
            let reached = (wall / slope / 0.125).floor() as usize + 1;
            assert!((reached - 1..=reached).contains(&trajectory.len()), "{i}");
        }
    }
    check::<f64, _>(Tsit5, 1e-12);
    check::<f64, _>(Rodas4, 1e-12);
    check::<f32, _>(Tsit5, 1e-5);
}

#[test]
fn fixed_steps_tell_that_they_left() {
    let options = SolveOptions::default().fixed_step(0.25).saveat(0.5);
    let ensemble = between::<f64>(100, true);
    let serial = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    same_everywhere(Tsit5, &ensemble, &serial, &options);
    for (i, trajectory) in serial.iter().enumerate() {
        let leaves = matches!(i % 10, 3 | 7);
        assert_eq!(trajectory.code() == ReturnCode::OutOfDomain, leaves, "{i}");
        // The others continue.
        let [u] = trajectory.final_state();
        assert!((u - 2.0 * trajectory.p()[0]).abs() < 1e-12);
        assert_eq!(trajectory.len(), 5);
    }
}
