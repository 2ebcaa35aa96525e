//! Equal bits on all backends.

use crate::everywhere::same_everywhere;
use crate::everywhere::succeeds_everywhere;
use crate::systems::{
    births, double_well, forced, geometric, heston, kicked, neuron, relaxing, stratonovich, walk,
};
use odes::events::EventLog;
use odes::lane::Scalar;
use odes::methods::{
    EulerMaruyama, Method, Milstein, Shark, Siea, Spark, Sra1, Sriw1, StochasticHeun,
};
use odes::prelude::*;
use odes::sample::{Samples, Uniform};

fn options() -> SolveOptions {
    SolveOptions::default().fixed_step(0.0625).noise_seed(u64::MAX - 5).saveat([0.25, 0.4, 1.0])
}

fn of_geometric<M: Method, T: Scalar>(method: M) {
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(geometric, start, 0.0..=1.03, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(203);
    succeeds_everywhere(method, &ensemble, &options());
}

fn of_relaxing<M: Method, T: Scalar>(method: M) {
    let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd: [0.3, 0.5] };
    let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=1.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(203);
    succeeds_everywhere(method, &ensemble, &options());
}

fn of_heston<M: Method, T: Scalar>(method: M) {
    let parameters = heston::Parameters {
        rate: 0.05,
        reversion: 2.0,
        mean: 0.04,
        volatility: 0.3,
        correlation: -0.7,
    };
    let start = heston::State { price: 100.0, variance: 0.04 };
    let problem = OdeProblem::new(heston, start, 0.0..=1.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(203);
    succeeds_everywhere(method, &ensemble, &options());
}

#[test]
fn euler_maruyama() {
    of_geometric::<_, f64>(EulerMaruyama);
    of_relaxing::<_, f32>(EulerMaruyama);
    of_heston::<_, f32>(EulerMaruyama);
    of_heston::<_, f64>(EulerMaruyama);
}

#[test]
fn methods_of_order_3_2() {
    of_relaxing::<_, f64>(Sriw1);
    of_geometric::<_, f32>(Sriw1);
    let problem = OdeProblem::new(double_well, [0.5], 0.0..=1.03, [0.5]).cast::<f32>();
    let ensemble = EnsembleProblem::new(problem).trajectories(99);
    // A path with a tree in each cell.
    succeeds_everywhere(Shark, &ensemble, &options().noise_cell(0.25));
    let problem = OdeProblem::new(forced, [1.0, 0.0], 0.0..=1.0, [0.1, 0.05]);
    let shared = options().noise_paths(20);
    succeeds_everywhere(Sra1, &EnsembleProblem::new(problem).trajectories(99), &shared);
}

#[test]
fn other_methods() {
    of_geometric::<_, f64>(Milstein);
    of_relaxing::<_, f32>(Siea);
    let parameters = stratonovich::Parameters { drift: 1.01, volatility: 0.87 };
    let start = stratonovich::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(stratonovich, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(99);
    succeeds_everywhere(StochasticHeun, &ensemble, &options());
    succeeds_everywhere(Spark, &ensemble, &options());
    succeeds_everywhere(Milstein, &ensemble, &options());
}

/// Adaptive steps, which differ between lanes, with saved times and stops within nodes.
#[test]
fn adaptive_steps() {
    let options = || {
        let options = SolveOptions::default().tolerance(1e-2).noise_cell(0.25).noise_seed(7);
        options.saveat([0.25, 0.4, 1.0])
    };
    fn of_forced<T: Scalar>(options: &SolveOptions) {
        let problem = OdeProblem::new(forced, [1.0, 0.0], 0.0..=1.03, [0.1, 5.0]).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(99);
        succeeds_everywhere(Sra1, &ensemble, &options.clone().tstops([0.6]));
    }
    of_forced::<f64>(&options());
    of_forced::<f32>(&options());
    let parameters = stratonovich::Parameters { drift: 1.01, volatility: 0.87 };
    let start = stratonovich::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(stratonovich, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem.cast::<f32>()).trajectories(99);
    succeeds_everywhere(Spark, &ensemble, &options().dtmax(0.1));
    succeeds_everywhere(StochasticHeun, &ensemble, &options().tolerance(1e-1));
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(geometric, start, 0.0..=1.03, parameters);
    succeeds_everywhere(Sriw1, &EnsembleProblem::new(problem).trajectories(99), &options());
    let problem = OdeProblem::new(kicked, [0.0; 2], 0.0..=1.0, [2.5]);
    let ensemble = EnsembleProblem::new(problem).trajectories(99);
    let expected = ensemble.solve(Shark, EnsembleSerial, &options()).unwrap();
    let stopped = expected.event_count("high").unwrap().iter().filter(|&&n| n > 0).count();
    assert!((5..95).contains(&stopped), "{stopped}");
    same_everywhere(Shark, &ensemble, &expected, &options());
}

/// Five processes, samples that the backend draws, actions at times and after steps.
#[test]
fn samples_and_actions() {
    fn check<T: Scalar>() {
        let parameters =
            births::Parameters { birth: 20.0, death: 1.0, change: 0.5, dose: 4.0, limit: 26.0 };
        let start = births::State { a: 10.0, b: 8.0 };
        let problem = OdeProblem::new(births, start, 0.0..=1.0, parameters).cast::<T>();
        let samples = Samples::seed(3).p("birth", Uniform(10.0, 30.0));
        let ensemble = EnsembleProblem::new(problem).trajectories(203).sample(samples);
        let expected = ensemble.solve(EulerMaruyama, EnsembleSerial, &options()).unwrap();
        let stopped = expected.event_count("high").unwrap().iter().filter(|&&n| n > 0).count();
        assert!((5..195).contains(&stopped), "{stopped}");
        same_everywhere(EulerMaruyama, &ensemble, &expected, &options());
    }
    check::<f64>();
    check::<f32>();
}

/// Crossings and excursions that stop, act, wait and are logged.
#[test]
fn events() {
    fn of_walk<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
        let parameters =
            walk::Parameters { drift: 0.1, pull: 0.5, sd: 1.0, level: 0.5, low: -0.5, high: 1.5 };
        let problem = OdeProblem::new(walk, [0.2], 0.0..=2.03, parameters).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(203);
        let options = options.clone().saveat([0.4, 2.0]).tstops([0.6]);
        let options = options.event_log(EventLog::new(3).with_states());
        let expected = ensemble.solve(method, EnsembleSerial, &options).unwrap();
        for name in ["top", "bottom", "passage"] {
            let some = expected.event_count(name).unwrap().iter().filter(|&&n| n > 0).count();
            assert!((20..200).contains(&some), "{name}: {some}");
        }
        same_everywhere(method, &ensemble, &expected, &options);
    }
    let fixed = SolveOptions::default().fixed_step(0.0625).noise_seed(7);
    of_walk::<_, f64>(EulerMaruyama, &fixed);
    of_walk::<_, f32>(EulerMaruyama, &fixed.clone().noise_cell(0.25));
    let adaptive = SolveOptions::default().tolerance(3e-2).noise_cell(0.25).noise_seed(7);
    of_walk::<_, f64>(Shark, &adaptive);
    of_walk::<_, f32>(Shark, &adaptive);

    fn of_neuron<M: Method, T: Scalar>(method: M, options: &SolveOptions) {
        let modes = neuron::Modes { awake: 1.0 };
        let parameters = neuron::Parameters { input: 0.9, sd: 0.8, rest: 0.33, end: 3.4, modes };
        let start = neuron::State { v: 0.0 };
        let problem = OdeProblem::new(neuron, start, 0.0..=4.0, parameters).cast::<T>();
        let ensemble = EnsembleProblem::new(problem).trajectories(99);
        let options = options.clone().saveat(0.5).event_log(EventLog::new(4).with_states());
        let expected = ensemble.solve(method, EnsembleSerial, &options).unwrap();
        let spikes = expected.event_count("spike").unwrap();
        assert!(spikes.iter().sum::<u32>() > 99, "{spikes}");
        same_everywhere(method, &ensemble, &expected, &options);
    }
    of_neuron::<_, f64>(EulerMaruyama, &fixed);
    of_neuron::<_, f32>(EulerMaruyama, &fixed);
    of_neuron::<_, f64>(Shark, &adaptive);
}
