//! Statistics of ensembles with sampled initial states.

use odes::prelude::*;
use odes::sample::{Normal, Samples};
use odes::summary::{Histogram, Summaries, Summary, SummaryError};
use odes::{EnsembleSolution, SaveAt, SolveError};

use crate::{Base, decay, ensemble};

const MEAN: f64 = 2.0;
const SD: f64 = 0.5;
const RATE: f64 = 0.7;
const TIMES: [f64; 3] = [0.0, 0.5, 1.0];
const QUANTILES: [f64; 5] = [0.0, 0.05, 0.5, 0.95, 1.0];

/// Returns an ensemble of normally distributed initial states that decay at the same rate.
fn normal(n: usize) -> Base {
    let problem = OdeProblem::new(decay, [1.0, 0.5], 0.0..=1.0, [RATE, 1.0, 1.0, 1.0]);
    let samples = Samples::seed(11).u0(0, Normal { mean: MEAN, sd: SD });
    EnsembleProblem::new(problem).trajectories(n).sample(samples)
}

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-9).saveat(TIMES)
}

fn all() -> Summary {
    Summary::new()
        .mean()
        .variance()
        .covariance()
        .extremes()
        .quantiles(QUANTILES)
        .histogram(Histogram::linear(0.5, 3.0, 25))
        .histogram_of("u1", Histogram::linear(0.0, 1.0, 7))
}

fn reduce(ensemble: &Base, summary: &Summary) -> Summaries {
    ensemble.reduce(Tsit5, EnsembleSerial, &options(), summary).unwrap()
}

/// The law of the states is known: `u(t)` is normal, with both parameters times `exp(-RATE t)`.
#[test]
fn statistics_are_those_of_the_law() {
    const N: u64 = 4000;
    let found = reduce(&normal(N as usize), &all());
    assert_eq!((found.trajectories(), found.successes()), (N, N));
    assert_eq!((found.times(), found.component("u0").unwrap()), (&TIMES[..], 0));
    let (mean, variance) = (found.mean().unwrap(), found.variance().unwrap());
    let n = N as f64;
    for (k, t) in TIMES.iter().enumerate() {
        let scale = (-RATE * t).exp();
        let sd = SD * scale;
        // Four standard errors: a law of this size fails in one of 16,000 samples.
        assert!((mean[[k, 0]] - MEAN * scale).abs() < 4.0 * sd / n.sqrt());
        assert!((variance[[k, 0]] / (sd * sd) - 1.0).abs() < 4.0 * (2.0 / n).sqrt());
        for (q, z, density) in
            [(0.05, -1.644_853_626_951_472_2, 0.103_135_6), (0.5, 0.0, 0.398_942_3)]
        {
            let exact = MEAN * scale + z * sd;
            let error = 4.0 * f64::sqrt(q * (1.0 - q) / n) * sd / density;
            let found = found.quantile(q).unwrap()[[k, 0]];
            assert!((found - exact).abs() < error + exact / 128.0, "{q} at {t}: {found} {exact}");
        }
        // The other component is the same for all, to the errors of steps.
        assert!(variance[[k, 1]] < 1e-18);
    }
}

/// Returns the values of a component at a saved time, of all successes.
fn values(solution: &EnsembleSolution<decay, f64, 2, 4>, k: usize, d: usize) -> Vec<(f64, u64)> {
    let successes = (0..solution.len()).filter(|i| solution.code(*i).is_success());
    successes.map(|i| (solution.all_states()[[i, k, d]], i as u64)).collect()
}

/// A reduction of chosen components has their names, and the statistics that they have among all.
#[test]
fn chosen_components_have_the_same_statistics() {
    let (ensemble, summary) = (normal(300), Summary::new().mean().quantiles(QUANTILES));
    let all = reduce(&ensemble, &summary);
    let options = options().save_only(["u1"]);
    let one = ensemble.reduce(Tsit5, EnsembleSerial, &options, &summary).unwrap();
    assert_eq!((one.component("u1").unwrap(), one.mean().unwrap().shape()), (0, &[3, 1][..]));
    assert!(one.component("u0").is_err());
    for k in 0..3 {
        assert_eq!(one.mean().unwrap()[[k, 0]], all.mean().unwrap()[[k, 1]]);
        assert_eq!(one.quantile(0.3).unwrap()[[k, 0]], all.quantile(0.3).unwrap()[[k, 1]]);
    }
}

/// The stored solution, by two passes, sorting and searches, is the reference. The trajectories
/// without a rate fail, and contribute nothing.
#[test]
fn statistics_are_those_of_the_solution() {
    let rate = |i: usize| if i % 10 == 3 { f64::NAN } else { 0.01 * (i * i % 300) as f64 };
    let rows: Vec<[f64; 4]> = (0..1000).map(|i| [rate(i), 1.0, 0.3, 0.2]).collect();
    let ensemble = ensemble().over(&rows);
    let found = reduce(&ensemble, &all());
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options()).unwrap();
    let codes: Vec<_> = found.code_counts().collect();
    assert_eq!(codes, [(ReturnCode::Success, 900), (ReturnCode::NonFinite, 100)]);
    let covariance = found.covariance().unwrap();
    for (k, d) in (0..3).flat_map(|k| [(k, 0), (k, 1)]) {
        let all = values(&solution, k, d);
        let n = all.len() as f64;
        assert_eq!(found.count()[[k, d]], 900);
        let mean = all.iter().map(|(x, _)| x).sum::<f64>() / n;
        let other = values(&solution, k, 0);
        let of_other = other.iter().map(|(x, _)| x).sum::<f64>() / n;
        let products = |a: &[(f64, u64)], ma: f64, b: &[(f64, u64)], mb: f64| {
            let terms = a.iter().zip(b).map(|((a, _), (b, _))| (a - ma) * (b - mb));
            terms.sum::<f64>() / (n - 1.0)
        };
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs() + 1e-15;
        assert!(near(found.mean().unwrap()[[k, d]], mean));
        let variance = products(&all, mean, &all, mean);
        assert!(near(found.variance().unwrap()[[k, d]], variance));
        assert_eq!(covariance[[k, d, d]], found.variance().unwrap()[[k, d]]);
        assert!(near(covariance[[k, d, 0]], products(&all, mean, &other, of_other)));
        assert_eq!(covariance[[k, d, 0]], covariance[[k, 0, d]]);

        let mut sorted = all.clone();
        // A stable sort: the lower index is first.
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let greatest = sorted.partition_point(|x| x.0 < sorted[899].0);
        assert_eq!(found.minimum().unwrap()[[k, d]], sorted[0].0);
        assert_eq!(found.minimum_index().unwrap()[[k, d]], Some(sorted[0].1));
        assert_eq!(found.maximum().unwrap()[[k, d]], sorted[greatest].0);
        assert_eq!(found.maximum_index().unwrap()[[k, d]], Some(sorted[greatest].1));
        for (q, level) in QUANTILES.iter().enumerate() {
            let position = level * (n - 1.0);
            let [low, high] = [position.floor(), position.ceil()].map(|k| sorted[k as usize].0);
            let exact = low + (high - low) * position.fract();
            let error = (found.quantiles().unwrap()[[q, k, d]] - exact).abs();
            assert!(error <= high.abs() / 128.0, "{level}");
        }
        let histogram = found.histogram(["u0", "u1"][d]).unwrap();
        let edges = histogram.grid.edges();
        let between = |lo: f64, hi: f64| sorted.iter().filter(|x| lo <= x.0 && x.0 < hi).count();
        let last = edges.len() - 2;
        for (bin, pair) in edges.windows(2).enumerate() {
            let on_edge = sorted.iter().filter(|x| bin == last && x.0 == pair[1]).count();
            let expected = between(pair[0], pair[1]) + on_edge;
            assert_eq!(histogram.counts[[k, bin]], expected as u64);
        }
        assert_eq!(histogram.below[k], between(f64::NEG_INFINITY, edges[0]) as u64);
        let inside = histogram.counts.row(k).sum();
        assert_eq!(inside + histogram.below[k] + histogram.above[k], 900);
    }
}

#[test]
fn batches_backends_and_shards_have_the_same_bits() {
    let ensemble = normal(1500);
    let whole = reduce(&ensemble, &all());
    for batch in [1, 7, 256, 1000, 10_000] {
        let summary = all().batch_size(batch);
        assert!(reduce(&ensemble, &summary) == whole, "batches of {batch}");
        let lanes = ensemble.reduce(Tsit5, EnsembleThreads, &options(), &summary).unwrap();
        assert!(lanes == whole, "batches of {batch} in lanes");
    }
    for of in [2, 3, 7] {
        let shard = |rank| reduce(&ensemble.clone().shard((rank, of)), &all().batch_size(100));
        let mut merged = shard(of - 1);
        assert!(merged != whole);
        (0..of - 1).for_each(|rank| merged.merge(&shard(rank)).unwrap());
        assert!(merged == whole, "{of} shards");
        assert_eq!((merged.ranges().len(), merged.trajectories()), (1, 1500));
    }
    // In single precision the states are rounded, and so are the statistics.
    let single = ensemble.cast::<f32>();
    let options = SolveOptions::default().tolerance(1e-5).saveat(TIMES);
    let found = single.reduce(Tsit5, EnsembleSerial, &options, &all()).unwrap();
    let [single, double] = [found, whole].map(|of| of.mean().unwrap()[[2, 0]]);
    assert!((single / double - 1.0).abs() < 1e-4);
}

#[test]
fn final_states_and_empty_shards() {
    let ensemble = normal(100);
    let ends = SolveOptions::default().tolerance(1e-9);
    let summary = Summary::new().mean().extremes().quantiles([0.5]).covariance();
    let of_ends = ensemble.reduce(Tsit5, EnsembleSerial, &ends, &summary).unwrap();
    let of_times = reduce(&ensemble, &summary);
    assert!(of_ends.times().is_empty());
    assert_eq!(of_ends.minimum_index().unwrap().row(0), of_times.minimum_index().unwrap().row(2));
    let means = [of_ends.mean().unwrap()[[0, 0]], of_times.mean().unwrap()[[2, 0]]];
    assert!((means[0] / means[1] - 1.0).abs() < 1e-8);

    let shard = |rank| reduce(&normal(2).shard((rank, 3)), &summary);
    let empty = shard(0);
    assert_eq!((empty.trajectories(), empty.ranges().len()), (0, 0));
    assert!(
        empty.mean().unwrap()[[0, 0]].is_nan() && empty.quantile(0.5).unwrap()[[0, 0]].is_nan()
    );
    assert!(empty.covariance().unwrap()[[0, 0, 1]].is_nan());
    assert_eq!(empty.maximum_index().unwrap()[[0, 0]], None);
    let mut merged = shard(2);
    merged.merge(&empty).unwrap();
    merged.merge(&shard(1)).unwrap();
    assert!(merged == reduce(&normal(2), &summary));
}

#[test]
fn impossible_requests_are_errors() {
    let reduced = |options: SolveOptions, summary: Summary| match normal(10).reduce(
        Tsit5,
        EnsembleSerial,
        &options,
        &summary,
    ) {
        Err(SolveError::Summary(error)) => error,
        other => panic!("{other:?}"),
    };
    let of = |summary: Summary| reduced(options(), summary);
    assert_eq!(of(Summary::new().batch_size(0)), SummaryError::BatchSize);
    let quantile = SummaryError::Quantile { quantile: 1.5 };
    assert_eq!(of(Summary::new().quantiles([0.5, 1.5])), quantile);
    assert!(matches!(of(Summary::new().quantiles([f64::NAN])), SummaryError::Quantile { .. }));
    assert!(matches!(of(Summary::new().quantile_bits(15)), SummaryError::Bits { bits: 15, .. }));
    let grid = || Histogram::linear(1.0, 0.0, 3);
    assert!(matches!(of(Summary::new().histogram(grid())), SummaryError::Histogram { .. }));
    let unknown = Summary::new().histogram_of("mass", Histogram::linear(0.0, 1.0, 3));
    let text = of(unknown).to_string();
    assert_eq!(text, "there is no component `mass` among the saved numbers, which are `u0`, `u1`");
    let steps = reduced(options().saveat(SaveAt::Steps), Summary::new());
    assert!(matches!(steps, SummaryError::Times { .. }));
    let own = normal(10).vary(|problem, i| problem.with_tspan((0.0, 1.0 + i as f64)));
    let error = own.reduce(Tsit5, EnsembleSerial, &options().saveat(0.5), &Summary::new());
    assert!(matches!(error, Err(SolveError::Summary(SummaryError::Times { .. }))));
}

#[test]
fn absent_statistics_and_foreign_summaries_are_errors() {
    let mut codes = reduce(&normal(10).shard((0, 2)), &Summary::new());
    assert_eq!(codes.successes(), 5);
    for error in [
        codes.mean().unwrap_err(),
        codes.standard_deviation().unwrap_err(),
        codes.covariance().unwrap_err(),
        codes.minimum().unwrap_err(),
        codes.quantile(0.5).unwrap_err(),
        codes.histogram("u0").unwrap_err(),
    ] {
        assert!(matches!(error, SummaryError::NotRequested { .. }), "{error}");
    }
    let text = codes.mean().unwrap_err().to_string();
    assert_eq!(text, "the summary has no mean; add `.mean()` to `Summary::new()`");
    let known = codes.clone();
    let other = reduce(&normal(10).shard((1, 2)), &Summary::new().mean());
    assert!(codes.merge(&other).unwrap_err().to_string().contains("`mean` is `true`"));
    let looser = options().tolerance(1e-8);
    let other = normal(10).shard((1, 2));
    let other = other.reduce(Tsit5, EnsembleSerial, &looser, &Summary::new()).unwrap();
    assert!(
        matches!(codes.merge(&other), Err(SummaryError::Different { what, .. }) if what == "abstol")
    );
    let other = reduce(&normal(10).shard((1, 3)), &Summary::new());
    assert_eq!(codes.merge(&other), Err(SummaryError::Overlap { both: 3..5 }));
    assert!(codes == known);
}

/// Files contain all bits, also of infinities and NaN.
#[test]
fn summaries_are_the_same_after_a_file() {
    let shard = |rank| reduce(&normal(300).shard((rank, 2)), &all());
    let text = serde_json::to_string(&shard(1)).unwrap();
    let mut merged: Summaries = serde_json::from_str(&text).unwrap();
    assert!(merged == shard(1) && merged.report().is_none());
    merged.merge(&shard(0)).unwrap();
    assert!(merged == reduce(&normal(300), &all()));
}

/// Each number of a file that is changed is found, and nothing panics.
#[test]
fn damaged_files_are_errors() {
    use serde_json::{Value, json};

    let summaries = reduce(&normal(300).shard((1, 2)), &all());
    let good = serde_json::to_value(&summaries).unwrap();
    let changes: [(&str, Value); 16] = [
        ("/codes", json!([150])),
        ("/codes/0", json!(149)),
        ("/cells", json!([])),
        ("/cells/0/count", json!(149)),
        ("/cells/1/extremes", Value::Null),
        ("/cells/1/extremes/minimum", Value::Null),
        ("/cells/0/counters/bits", json!(7)),
        ("/cells/0/counters/pages/0/key", json!(5000)),
        ("/cells/0/counters/pages/0/counts", json!([1])),
        ("/cells/0/bins/counts/3", json!(100_000)),
        ("/joint", Value::Null),
        ("/joint/1/0/row", json!([1, 2])),
        ("/cells/0/moments/0/level", json!(60)),
        ("/cells/0/moments/0/first", json!(151)),
        ("/ranges", json!([{ "start": 200, "end": 300 }, { "start": 150, "end": 200 }])),
        ("/statistics/quantiles/bits", json!(0)),
    ];
    for (path, value) in changes {
        let mut damaged = good.clone();
        *damaged.pointer_mut(path).unwrap_or_else(|| panic!("no {path}")) = value;
        assert!(serde_json::from_value::<Summaries>(damaged).is_err(), "{path}");
    }
    assert!(serde_json::from_value::<Summaries>(good).unwrap() == summaries);
}

#[ode_system]
mod falling {
    pub struct State {
        pub height: f64,
    }

    pub struct Parameters {
        pub speed: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let _ = u;
        State { height: -p.speed }
    }

    #[event(falling, stop)]
    fn ground(u: &State) -> f64 {
        u.height
    }

    #[observable]
    fn above_half(u: &State) -> f64 {
        (u.height - 0.5).sqrt()
    }
}

/// Trajectories that an event ended contribute at the times that they reached, and observables
/// that are NaN contribute nothing.
#[test]
fn values_that_are_absent_do_not_count() {
    let start = falling::State { height: 1.0 };
    let problem = OdeProblem::new(falling, start, 0.0..=1.0, falling::Parameters { speed: 1.0 });
    let rows = [0.1, 0.4, 0.75, 1.5, 3.0].map(|speed| falling::Parameters { speed });
    let ensemble = EnsembleProblem::new(problem).over(&rows);
    let options = SolveOptions::default().saveat([0.0, 0.5, 1.0]);
    let summary = Summary::new().mean().covariance();
    let found = ensemble.reduce(Tsit5, EnsembleSerial, &options, &summary).unwrap();
    assert_eq!(found.names(), ["height", "above_half"]);
    assert_eq!(found.successes(), 5);
    // At 0.5 the heights are 0.95, 0.8, 0.625, 0.25; at 1 they are 0.9, 0.6, 0.25.
    let count: Vec<u64> = found.count().iter().copied().collect();
    assert_eq!(count, [5, 5, 4, 3, 3, 2]);
    let mean = found.mean().unwrap();
    assert!((mean[[1, 0]] - 2.625 / 4.0).abs() < 1e-12);
    assert!((mean[[2, 1]] - (0.4_f64.sqrt() + 0.1_f64.sqrt()) / 2.0).abs() < 1e-12);
    // Covariances are those of trajectories with all values.
    let [a, b, c] = [0.95, 0.8, 0.625];
    let m = (a + b + c) / 3.0;
    let variance = [a, b, c].map(|x: f64| (x - m) * (x - m)).iter().sum::<f64>() / 2.0;
    assert!((found.covariance().unwrap()[[1, 0, 0]] - variance).abs() < 1e-12);
}
