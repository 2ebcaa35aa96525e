//! Leaky integrate-and-fire neurons, with spikes in closed form.

use odes::EnsembleSolution;
use odes::lane::Scalar;
use odes::prelude::*;

use super::{Bench, Cost, Variant, all_ended, near};
use crate::Failure;
use crate::output::Output;
use crate::workloads::uniform;

#[ode_system]
mod neuron {
    pub struct State {
        pub v: f64,
    }

    pub struct Parameters {
        /// The limit of the potential without spikes.
        pub drive: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { v: (p.drive - u.v) / 10.0 }
    }

    #[event(rising, log)]
    fn spike(u: &State) -> f64 {
        u.v - 15.0
    }

    #[action(spike)]
    fn reset(_: &State) -> State {
        State { v: 0.0 }
    }
}

const END: f64 = 1000.0;
/// The number of spikes of each neuron.
const SPIKES: u32 = 72;
/// The largest number of neurons with logged spikes.
const LOGGED: usize = 1 << 17;

/// Returns the drive of neuron `i`: all neurons spike equally often, at different times.
fn drive(i: usize) -> f64 {
    20.0 + 0.1 * uniform(i as u64)
}

/// Returns the time between spikes.
fn interval(drive: f64) -> f64 {
    10.0 * (drive / (drive - 15.0)).ln()
}

/// Measures neurons without and with a log of their spikes.
pub(super) fn measure<T: Scalar>(bench: &Bench, output: &mut Output) -> Result<(), Failure> {
    let single = bench.single();
    let off = if single { 1e-3 } else { 1e-6 };
    let options = SolveOptions::default().tolerance(if single { 1e-6 } else { 1e-8 });
    let ensemble = |n| {
        let problem = OdeProblem::new(neuron, [0.0], 0.0..=END, [20.0]);
        let ensemble = EnsembleProblem::new(problem).trajectories(n);
        ensemble.vary(|problem, i| problem.with_p([drive(i)])).cast::<T>()
    };
    let (n, place) = (bench.trajectories, &bench.algorithm);
    let all = ensemble(n);
    let counted = Variant::new(
        "counted",
        || all.solve(Tsit5, place, &options),
        |s| check(s, |i| Ok(last_by_state(s, i)), off),
    );
    bench.measure(&[(counted, Cost::Events)], output)?;
    let algorithm = bench.place.algorithm()?;
    let bench = Bench { trajectories: n.min(LOGGED), algorithm, ..*bench };
    let (some, options) = (ensemble(bench.trajectories), options.event_log(SPIKES));
    let logged = Variant::new(
        "logged",
        || some.solve(Tsit5, &bench.algorithm, &options),
        |s| {
            let last = |i| Ok(s.log(i)?.last().map_or(f64::NAN, |spike| spike.time.widen()));
            check(s, last, off)
        },
    );
    bench.measure(&[(logged, Cost::Events)], output)
}

type Solution<T> = EnsembleSolution<neuron::Model, T, 1, 1>;

/// Returns the time of the last spike, from the rise of the potential since then.
fn last_by_state<T: Scalar>(solution: &Solution<T>, i: usize) -> f64 {
    let v = solution.final_states()[[i, 0]].widen();
    END + 10.0 * (-v / drive(i)).ln_1p()
}

/// Compares the numbers of spikes and the times of the last spikes with the closed form.
fn check<T: Scalar>(
    solution: &Solution<T>,
    last: impl Fn(usize) -> Result<f64, Failure>,
    off: f64,
) -> Result<(), Failure> {
    all_ended(solution, ReturnCode::Success)?;
    let counts = solution.event_counts();
    for i in 0..solution.len() {
        let interval = interval(drive(i));
        let spikes = (END / interval).floor();
        near("spikes", i, f64::from(counts[[i, 0]]), spikes, 0.0)?;
        near("the time of the last spike", i, last(i)?, spikes * interval, off)?;
    }
    Ok(())
}
