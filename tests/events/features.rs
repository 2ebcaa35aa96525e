//! Features: against closed forms, an additional state and equal bits on all backends.

use crate::everywhere::same_everywhere;
use crate::tone::tone;
use core::f64::consts::PI;
use odes::lane::Scalar;
use odes::methods::{Kvaerno5, Method, Vern9};
use odes::prelude::*;
use odes::system::{Quantities, System as _};

const PHASE: f64 = 0.3;

fn check<M: Method, T: Scalar>(method: M, options: &SolveOptions, tolerance: f64) {
    let at = tone::State { x: 0.0, v: 0.0, moment: 0.0 };
    let parameters = tone::Parameters { omega: 1.0, level: 0.5 };
    let problem = OdeProblem::new(tone, at, 0.0..=1.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(37).vary(|problem, i| {
        let omega = 1.0 + 0.1 * i as f64;
        let p = [omega, 0.5].map(T::narrow);
        let u = [PHASE.sin(), omega * PHASE.cos(), 0.0].map(T::narrow);
        // Up to the phase 6.4, a little more than a period.
        let end = T::narrow((6.4 - PHASE) / omega);
        problem.with_u0(u).with_p(p).with_tspan(T::narrow(0.0)..=end)
    });
    let solution = ensemble.solve(method, EnsembleSerial, options).unwrap();
    assert!(solution.all_succeeded());
    for trajectory in &solution {
        let [omega, level] = trajectory.p().to_numbers();
        let feature = |name| -> f64 { trajectory.feature(name).unwrap().widen() };
        let end = PHASE + omega * trajectory.end_time().widen();
        let known = [
            ("x.maximum", 1.0),
            ("x.time_of_maximum", (PI / 2.0 - PHASE) / omega),
            ("x.minimum", -1.0),
            ("x.time_of_minimum", (1.5 * PI - PHASE) / omega),
            ("x.integral", (PHASE.cos() - end.cos()) / omega),
            ("x.time_positive", (PI - PHASE + end - 2.0 * PI) / omega),
            ("above.time_positive", (PI - 2.0 * level.asin()) / omega),
            ("moment.integral", trajectory.final_state().to_numbers()[2]),
        ];
        for (name, expected) in known {
            let error = (feature(name) - expected).abs();
            let of = (M::PROPERTIES.name, T::NAME, name, omega);
            assert!(error < tolerance, "{of:?}: {} {expected}, {error:e}", feature(name));
        }
    }
    same_everywhere(method, &ensemble, &solution, options);
}

#[test]
fn an_oscillation_has_known_features() {
    let options = SolveOptions::default().tolerance(1e-9);
    check::<_, f64>(Tsit5, &options, 1e-7);
    check::<_, f64>(Vern9, &options, 1e-7);
    check::<_, f64>(Rodas5P, &options, 1e-6);
    check::<_, f64>(Kvaerno5, &options, 1e-6);
    check::<_, f32>(Tsit5, &SolveOptions::default().tolerance(1e-5), 1e-4);
}

/// Decay, with a window of time and a number that may be NaN.
#[ode_system(gradients = "on")]
mod decay {
    pub struct State {
        pub amount: f64,
    }

    pub struct Parameters {
        pub rate: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: -p.rate * u.amount }
    }

    #[feature(maximum, minimum, integral, time_positive)]
    fn amount(u: &State) -> f64 {
        u.amount
    }

    #[feature(integral, minimum)]
    fn early(u: &State, _: &Parameters, t: f64) -> f64 {
        if t < 1.0 { u.amount } else { 0.0 }
    }

    #[feature(maximum, minimum, integral, time_positive)]
    fn root(u: &State) -> f64 {
        (u.amount - 0.5).sqrt()
    }
}

fn decaying(from: f64, to: f64) -> OdeProblem<decay::Model, f64, 1, 1> {
    let (at, parameters) = (decay::State { amount: 1.0 }, decay::Parameters { rate: 0.5 });
    OdeProblem::new(decay, at, from..=to, parameters)
}

#[test]
fn a_decay_has_known_features() {
    let plain = SolveOptions::default().tolerance(1e-10);
    for (from, to) in [(0.0, 4.0), (4.0, 0.0)] {
        let fixed = SolveOptions::default().fixed_step((to - from) / 256.0);
        let all = [
            plain.clone(),
            plain.clone().saveat(0.3),
            plain.clone().tstops([0.7, 1.9]),
            plain.clone().tstops([1.0]),
            fixed.clone(),
            fixed.tstops([1.0]),
        ];
        for (i, options) in all.into_iter().enumerate() {
            let solution = decaying(from, to).solve(Tsit5, &options).unwrap();
            let feature = |name| solution.feature(name).unwrap();
            let last = solution.final_state().amount;
            let forward = to > from;
            let [most, least] = if forward { [1.0, last] } else { [last, 1.0] };
            // Monotone functions have their extremes at the ends, exactly.
            assert_eq!(feature("amount.maximum"), most);
            assert_eq!(feature("amount.minimum"), least);
            assert_eq!(feature("amount.time_of_maximum"), 0.0);
            assert_eq!(feature("amount.time_of_minimum"), 4.0);
            // On a reversed span, integrals have the opposite sign, and durations do not.
            let integral = (1.0 - last) / 0.5;
            assert!((feature("amount.integral") - integral).abs() < 1e-9, "{from} {options:?}");
            assert!((feature("amount.time_positive") - 4.0).abs() < 1e-14);
            // A NaN stays. On the reversed span there is none.
            for of in ["root.maximum", "root.minimum", "root.integral", "root.time_positive"] {
                assert_eq!(feature(of).is_nan(), forward, "{of}");
            }
            // Adaptive steps stop at the time of the comparison.
            if options.tstops.contains(&1.0) || i < 4 {
                let at = |t: f64| (-0.5 * (t - from)).exp();
                let early = (at(from) - at(1.0)) / 0.5;
                let early = if forward { early } else { (at(1.0) - at(0.0)) / 0.5 };
                let error = feature("early.integral") - early;
                assert!(error.abs() < 1e-9, "{error:e} {from} {options:?}");
            }
        }
    }
}

#[test]
fn a_span_of_no_length_has_features() {
    let solution = decaying(2.0, 2.0).solve(Tsit5, &SolveOptions::default()).unwrap();
    let feature = |name| solution.feature(name).unwrap();
    assert_eq!(feature("amount.maximum"), 1.0);
    assert_eq!(feature("amount.time_of_minimum"), 2.0);
    assert_eq!(feature("amount.integral"), 0.0);
    assert_eq!(feature("root.maximum"), 0.5_f64.sqrt());
}

/// A function that switches at the end of the span has its earlier value there.
#[test]
fn a_switch_at_the_end_comes_too_late() {
    for options in [
        SolveOptions::default(),
        SolveOptions::default().tstops([1.0]),
        SolveOptions::default().fixed_step(0.125).tstops([1.0]),
    ] {
        let solution = decaying(0.0, 1.0).solve(Tsit5, &options).unwrap();
        assert_eq!(solution.feature("early.minimum").unwrap(), solution.final_state().amount);
        assert_eq!(solution.feature("early.time_of_minimum").unwrap(), 1.0);
    }
}

#[test]
fn features_have_names() {
    let solution = decaying(0.0, 1.0).solve(Tsit5, &SolveOptions::default()).unwrap();
    let names = decay.info().features;
    assert_eq!(
        names[..4],
        ["amount.maximum", "amount.time_of_maximum", "root.maximum", "root.time_of_maximum"]
    );
    assert_eq!(solution.features().len(), names.len());
    for (&name, &feature) in names.iter().zip(solution.features()) {
        assert_eq!(solution.feature(name).unwrap().to_bits(), feature.to_bits());
    }
    let error = solution.feature("amount").unwrap_err();
    assert!(error.to_string().starts_with("decay has no feature `amount`; it has `amount.max"));
}

#[test]
fn lockstep_has_no_features() {
    let ensemble = EnsembleProblem::new(decaying(0.0, 1.0)).trajectories(3);
    let options = SolveOptions::default();
    let error = ensemble.solve(Tsit5, odes::EnsembleCpuArray, &options).unwrap_err();
    assert!(matches!(error, SolveError::NoArrays { method: "Tsit5", .. }));
    assert!(error.to_string().contains("of a system with features"), "{error}");
}

/// Features do not change gradients.
#[test]
fn features_leave_gradients_alone() {
    let ensemble = EnsembleProblem::new(decaying(0.0, 1.0)).trajectories(3);
    let options = SolveOptions::default().tolerance(1e-10);
    let by_last = odes::ndarray::Array2::ones((3, 1));
    let gradient = ensemble.pull_back(Tsit5, EnsembleSerial, &options, by_last).unwrap();
    assert!((gradient.u0(2)[0] - (-0.5_f64).exp()).abs() < 1e-9);
    assert!((gradient.p(2)[0] + (-0.5_f64).exp()).abs() < 1e-9);
}

/// A ball that is thrown up from the ground, and loses velocity at each of three impacts.
#[ode_system]
mod thrown {
    pub struct State {
        pub height: f64,
        pub velocity: f64,
    }

    pub struct Parameters {
        pub restitution: f64,
    }

    fn rhs(u: &State) -> State {
        State { height: u.velocity, velocity: -10.0 }
    }

    #[event(falling, stop = 3)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[action(ground)]
    fn bounce(u: &State, p: &Parameters) -> State {
        State { height: 0.0, velocity: -p.restitution * u.velocity }
    }

    #[feature(maximum, integral, time_positive)]
    fn height(u: &State) -> f64 {
        height_of(u)
    }

    #[feature(maximum, minimum, time_positive)]
    fn velocity(u: &State) -> f64 {
        u.velocity
    }

    fn height_of(u: &State) -> f64 {
        u.height
    }
}

fn throws<T: Scalar>(options: &SolveOptions, tolerance: f64) {
    let at = thrown::State { height: 0.0, velocity: 5.0 };
    let parameters = thrown::Parameters { restitution: 0.5 };
    let problem = OdeProblem::new(thrown, at, 0.0..=9.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(29)
        .vary(|problem, i| problem.with_p([0.25 + 0.05 * i as f64].map(T::narrow)));
    let solution = ensemble.solve(Tsit5, EnsembleSerial, options).unwrap();
    for trajectory in &solution {
        let [e] = trajectory.p().to_numbers();
        assert_eq!(trajectory.code(), ReturnCode::Terminated, "{e}");
        // A flight with the velocity `v` takes `v/5`, reaches `v²/20`, and covers `v³/150`.
        let v = [5.0, 5.0 * e, 5.0 * e * e, 5.0 * e * e * e];
        let last = f64::max(v[3], v[0]);
        let highest = (0..3).max_by(|&i, &j| v[i].total_cmp(&v[j])).unwrap();
        let before: f64 = v[..highest].iter().map(|v| v / 5.0).sum();
        let total: f64 = v[..3].iter().map(|v| v / 5.0).sum();
        let known = [
            ("height.maximum", v[highest] * v[highest] / 20.0),
            ("height.integral", v[..3].iter().map(|v| v * v * v / 150.0).sum()),
            // After an impact, before an impact, and after the last action.
            ("velocity.maximum", last),
            ("velocity.minimum", -v[highest]),
            ("velocity.time_positive", 0.5 * total),
        ];
        for (name, expected) in known {
            let found: f64 = trajectory.feature(name).unwrap().widen();
            let error = (found - expected).abs() / expected.abs();
            assert!(error < tolerance, "{} {name} {e}: {found} {expected} {error:e}", T::NAME);
        }
        if (e - 1.0).abs() > 0.01 {
            let time: f64 = trajectory.feature("height.time_of_maximum").unwrap().widen();
            let expected = before + v[highest] / 10.0;
            assert!((time - expected).abs() < tolerance * 3.0, "{e}: {time} {expected}");
            let time: f64 = trajectory.feature("velocity.time_of_maximum").unwrap().widen();
            let expected = if v[3] > v[0] { total } else { 0.0 };
            assert!((time - expected).abs() < tolerance * 3.0, "{e}: {time} {expected}");
        }
    }
    same_everywhere(Tsit5, &ensemble, &solution, options);
}

/// Extremes are on both sides of jumps.
#[test]
fn jumps_have_two_sides() {
    throws::<f64>(&SolveOptions::default().tolerance(1e-10), 1e-9);
    throws::<f64>(&SolveOptions::default().fixed_step(0.0625), 1e-9);
    throws::<f32>(&SolveOptions::default().tolerance(1e-5), 1e-4);
}

/// Doses of one at the times 0, 1 and 2.
#[ode_system]
mod doses {
    pub struct State {
        pub amount: f64,
    }

    pub struct Parameters {
        pub rate: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { amount: -p.rate * u.amount }
    }

    #[at(first = 0.0, every = 1.0, count = 3)]
    fn dose(u: &State) -> State {
        State { amount: u.amount + 1.0 }
    }

    #[feature(maximum, minimum, integral)]
    fn amount(u: &State) -> f64 {
        u.amount
    }
}

#[test]
fn doses_have_known_features() {
    let (at, parameters) = (doses::State { amount: 0.0 }, doses::Parameters { rate: 0.5 });
    let problem = OdeProblem::new(doses, at, 0.0..=3.0, parameters);
    for options in [
        SolveOptions::default().tolerance(1e-10),
        SolveOptions::default().fixed_step(0.015625).saveat(0.5),
    ] {
        let solution = problem.solve(Tsit5, &options).unwrap();
        let feature = |name| solution.feature(name).unwrap();
        let q = (-0.5_f64).exp();
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(close(feature("amount.maximum"), 1.0 + q + q * q));
        assert_eq!(feature("amount.time_of_maximum"), 2.0);
        assert!(close(feature("amount.minimum"), q), "{}", feature("amount.minimum"));
        assert!(close(feature("amount.time_of_minimum"), 1.0));
        assert!(close(feature("amount.integral"), (3.0 - q - q * q - q * q * q) / 0.5));
    }
}

/// The pendulum `x = sin t` with the algebraic unknown `y = x²`.
#[ode_system]
mod squared {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 2.0, 0.0];

    fn rhs(u: &[f64; 3]) -> [f64; 3] {
        let [x, v, y] = *u;
        [v, -2.0 * x, y - x * x]
    }

    #[feature(maximum, minimum, integral, time_positive)]
    fn y(u: &[f64; 3]) -> f64 {
        u[2]
    }
}

#[test]
fn algebraic_unknowns_have_features() {
    let problem = OdeProblem::new(squared, [0.6, 0.8, 0.36], 0.0..=2.0, []);
    let ensemble = EnsembleProblem::new(problem).trajectories(2);
    let options = SolveOptions::default().tolerance(1e-9);
    let solution = ensemble.solve(Rodas5P, EnsembleSerial, &options).unwrap();
    let phase = 0.6_f64.asin();
    let last = (2.0 + phase).sin();
    let known = [
        ("y.maximum", 1.0),
        ("y.time_of_maximum", PI / 2.0 - phase),
        ("y.minimum", last * last),
        ("y.time_of_minimum", 2.0),
        ("y.integral", 1.0 - ((2.0 * (2.0 + phase)).sin() - (2.0 * phase).sin()) / 4.0),
        ("y.time_positive", 2.0),
    ];
    for (name, expected) in known {
        let found = solution.feature(name).unwrap()[1];
        assert!((found - expected).abs() < 1e-6, "{name}: {found} {expected}");
    }
    same_everywhere(Rodas5P, &ensemble, &solution, &options);
}
