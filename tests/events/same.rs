//! Events have equal bits on all backends, however trajectories are divided and scheduled.

use crate::bouncing::bouncing;
use crate::everywhere::same_everywhere;
use crate::systems::{neuron, turning, wave};
use odes::Vern7;
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::{Method, Rosenbrock23, TrBdf2, Tsit5Rodas4};
use odes::prelude::*;

fn bounces<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
    let at = bouncing::State { height: 10.0, velocity: 0.0 };
    let parameters = bouncing::Parameters { gravity: 9.81, restitution: 0.8 };
    let problem = OdeProblem::new(bouncing, at, 0.0..=9.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(101).vary(|problem, i| {
        let restitution = 0.5 + 0.005 * i as f64;
        problem.with_p([9.81, restitution].map(T::narrow))
    });
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    // The trajectories with the largest loss come to rest.
    assert_eq!(expected.code(0), ReturnCode::TooManyEvents, "{}", T::NAME);
    assert_eq!(expected.code(100), ReturnCode::Success, "{}", T::NAME);
    assert!(expected.event_count("ground").unwrap()[100] == 3, "{}", T::NAME);
    same_everywhere(method, &ensemble, &expected, options);
}

fn waves<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
    let parameters = wave::Parameters { level: 0.0 };
    let problem =
        OdeProblem::new(wave, wave::State { x: 1.0, v: 0.0 }, 0.0..=20.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(101)
        .vary(|problem, i| problem.with_p([T::narrow(0.0105 * i as f64)]));
    let expected = ensemble.solve(method, EnsembleSerial, options).unwrap();
    let counts = expected.event_count("level").unwrap();
    assert!(counts[0] >= 6 && counts[100] == 0, "{}: {counts}", T::NAME);
    same_everywhere(method, &ensemble, &expected, options);
}

/// Some trajectories have more events, others fewer.
fn logged(options: SolveOptions) -> SolveOptions {
    options.event_log(EventLog::new(7).with_states())
}

#[test]
fn adaptive_steps() {
    let options = logged(SolveOptions::default().saveat(0.5));
    bounces::<_, f64>(Tsit5, &options);
    bounces::<_, f32>(Tsit5, &options);
    waves::<_, f64>(Tsit5, &options);
    waves::<_, f32>(Tsit5, &options);
}

#[test]
fn fixed_steps() {
    let options = logged(SolveOptions::default().fixed_step(0.125).saveat(0.5));
    bounces::<_, f64>(Tsit5, &options);
    bounces::<_, f32>(Tsit5, &options);
    waves::<_, f32>(Tsit5, &options);
}

#[test]
fn other_methods() {
    let options = logged(SolveOptions::default());
    bounces::<_, f64>(Rodas5P, &options);
    let options = SolveOptions::default().event_log(3);
    bounces::<_, f64>(TrBdf2, &options);
    let options = SolveOptions::default();
    bounces::<_, f64>(Tsit5Rodas4, &options);
    let options = logged(options);
    waves::<_, f64>(Vern7, &options);
    waves::<_, f32>(Rosenbrock23, &options);
}

#[test]
fn other_options() {
    let options = SolveOptions::default().tstops([1.0, 3.0]).dtmax(0.3).saveat(SaveAt::Steps);
    bounces::<_, f64>(Tsit5, &options);
}

/// Trajectories with very different numbers of events, side by side.
#[test]
fn neurons() {
    let parameters = neuron::Parameters { current: 0.0 };
    let problem = OdeProblem::new(neuron, neuron::State { v: 0.0 }, 0.0..=200.0, parameters);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(203)
        .vary(|problem, i| problem.with_p(neuron::Parameters { current: 0.5 * i as f64 }));
    let options = SolveOptions::default();
    let expected = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for (i, &count) in expected.event_count("spike").unwrap().iter().enumerate() {
        let current = 0.5 * i as f64;
        let spikes = if current > 15.0 {
            // `τ ln(I / (I - 15))` from spike to spike.
            (200.0 / (10.0 * (current / (current - 15.0)).ln())).floor()
        } else {
            0.0
        };
        assert!((f64::from(count) - spikes).abs() <= 1.0, "{current}: {count} {spikes}");
    }
    same_everywhere(Tsit5, &ensemble, &expected, &options);
}

/// The state after rounding at the ground is on either side of the ground.
#[test]
fn turning_where_it_is_found() {
    let parameters = turning::Parameters { gravity: 9.8 };
    let at = turning::State { height: 5.0, velocity: 0.0 };
    let problem = OdeProblem::new(turning, at, 0.0..=50.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(100).vary(|problem, i| {
        problem.with_u0(turning::State { height: 1.0 + 0.37 * i as f64, velocity: 0.0 })
    });
    let options = SolveOptions::default();
    let expected = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    for (i, &count) in expected.event_count("ground").unwrap().iter().enumerate() {
        let first = (2.0 * (1.0 + 0.37 * i as f64) / 9.8).sqrt();
        let impacts = ((50.0 - first) / (2.0 * first)).floor() + 1.0;
        assert_eq!(f64::from(count), impacts, "{i}");
    }
    same_everywhere(Tsit5, &ensemble, &expected, &options);
}
