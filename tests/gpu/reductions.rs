//! A GPU reduces ensembles to the statistics of the CPU, with the same bits.

use crate::gpu::gpu;
use crate::observed::{Observed, observed_sweep};
use crate::workloads::lorenz_sweep;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::summary::{Histogram, Summaries, Summary};
use odes::system::System;
use odes_skipped::needs;

/// All statistics that a device computes.
fn all() -> Summary {
    Summary::new()
        .mean()
        .covariance()
        .extremes()
        .quantiles([0.05, 0.5, 0.95])
        .histogram(Histogram::linear(-20.0, 20.0, 37))
        .histogram_of("x", Histogram::with_edges([-30.0, -1.0, 0.0, 0.5, 8.0, 19.0]))
}

/// Compares with the statistics of [`EnsembleSerial`], in one launch and in several.
fn same_statistics<S, T, F, const N: usize, const P: usize>(
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    options: &SolveOptions,
    summary: &Summary,
) -> Option<Summaries>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P> + Clone,
{
    let gpu = gpu()?;
    let serial = ensemble.reduce(Tsit5, EnsembleSerial, options, summary).unwrap();
    let n = serial.trajectories() as usize;
    let check = |found: Summaries, case: &str| {
        assert!(found == serial, "{case}\n{found:#?}\n{serial:#?}");
    };
    check(ensemble.reduce(Tsit5, gpu.clone(), options, summary).unwrap(), "one launch");
    let several = gpu.clone().batch(n / 4 + 1);
    check(ensemble.reduce(Tsit5, several, options, summary).unwrap(), "several launches");
    let beside = gpu.clone().batch(n / 3 + 1).with_cpu_threads(2);
    check(ensemble.reduce(Tsit5, beside, options, summary).unwrap(), "CPU threads beside");
    // The nodes of shards begin at any index.
    let shard =
        |k| ensemble.clone().shard((k, 3)).reduce(Tsit5, gpu.clone(), options, summary).unwrap();
    let mut merged = shard(2);
    merged.merge(&shard(0)).unwrap();
    merged.merge(&shard(1)).unwrap();
    check(merged, "three shards");
    Some(serial)
}

#[needs(gpu)]
#[test]
fn statistics_of_saved_states() {
    let options = SolveOptions::default().saveat([0.0, 0.3, 1.0]);
    same_statistics(&lorenz_sweep::<f64>(5000, 1.0), &options, &all());
    same_statistics(&lorenz_sweep::<f32>(700, 1.0), &options, &all());
}

#[needs(gpu)]
#[test]
fn statistics_of_final_states() {
    for n in [1, 31, 300] {
        same_statistics(&lorenz_sweep::<f64>(n, 1.0), &SolveOptions::default(), &all());
    }
    let counts = Summary::new();
    same_statistics(&lorenz_sweep::<f32>(900, 1.0), &SolveOptions::default(), &counts);
}

/// One kernel for each precision and set of statistics.
#[needs(gpu)]
#[test]
fn statistics_with_other_counters() {
    let options = SolveOptions::default().saveat([0.5]);
    let ensemble = lorenz_sweep::<f32>(500, 1.0);
    for bits in [1, 10, 14] {
        same_statistics(&ensemble, &options, &Summary::new().quantile_bits(bits));
    }
    let fine = Summary::new().histogram(Histogram::linear(-20.0, 20.0, 5000));
    same_statistics(&ensemble, &options, &fine);
}

/// Observables are NaN where they have no value, and failed trajectories do not count.
#[needs(gpu)]
#[test]
fn statistics_without_some_values() {
    let ensemble = observed_sweep::<f64>(600, 3.0);
    let options = SolveOptions::default().saveat([0.0, 1.0, 2.0]).saving(odes::Saving::Both);
    let Some(found) = same_statistics::<Observed, _, _, 3, 3>(&ensemble, &options, &all()) else {
        return;
    };
    assert!(found.count().iter().any(|count| *count < 600));
    let few = options.max_steps(40);
    let found = same_statistics(&ensemble, &few, &all()).unwrap();
    assert!(found.successes() > 0 && found.successes() < 600, "{}", found.successes());
}
