//! Conditional and weighted statistics, and statistics of the counts of events.

use odes::prelude::*;
use odes::problem::Unvaried;
use odes::sample::{Normal, Samples};
use odes::summary::{Histogram, Summaries, Summary, SummaryError};
use odes::{SolveError, Trajectory};

#[ode_system]
pub(crate) mod laps {
    pub struct State {
        /// Constant.
        pub x: f64,
        /// The position on a lap.
        pub y: f64,
    }

    pub struct Parameters {
        pub speed: f64,
        pub shift: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        let _ = u;
        State { x: 0.0, y: p.speed }
    }

    #[event(rising, log)]
    fn half(u: &State) -> f64 {
        u.y - 0.5
    }

    #[event(rising, log)]
    fn lap(u: &State) -> f64 {
        u.y - 1.0
    }

    #[action(lap)]
    fn back(u: &State) -> State {
        State { x: u.x, y: 0.0 }
    }

    /// The ratio of the densities of the normal laws with the means 0 and `shift`, at `x`.
    #[observable]
    fn ratio(u: &State, p: &Parameters) -> f64 {
        (0.5 * p.shift * p.shift - p.shift * u.x).exp()
    }

    /// A number of either sign.
    #[observable]
    fn away(u: &State) -> f64 {
        u.y - 0.4
    }

    /// A number with heavy tails.
    #[observable]
    fn heavy(u: &State) -> f64 {
        1.0 / (u.y - 0.4123)
    }
}

pub(crate) type Laps = EnsembleProblem<laps::Model, f64, Unvaried, 2, 2>;

type Runner<'a> = Trajectory<'a, laps::Model, f64, 2, 2>;

pub(crate) const TIMES: [f64; 4] = [0.0, 0.4, 0.7, 1.0];

pub(crate) fn problem(shift: f64) -> Laps {
    let start = laps::State { x: 0.0, y: 0.0 };
    let parameters = laps::Parameters { speed: 1.0, shift };
    EnsembleProblem::new(OdeProblem::new(laps, start, 0.0..=1.0, parameters))
}

/// Returns an ensemble in which `x` is normal with the mean `shift`.
pub(crate) fn shifted(n: usize, shift: f64) -> Laps {
    let samples = Samples::seed(5).u0("x", Normal { mean: shift, sd: 1.0 });
    problem(shift).trajectories(n).sample(samples)
}

/// Returns an ensemble with speeds from 0 to 3.9; trajectories without a speed fail.
pub(crate) fn runners(n: usize) -> Laps {
    let samples = Samples::seed(8).u0("x", Normal { mean: 1.0, sd: 0.5 });
    let rows: Vec<laps::Parameters> = (0..n)
        .map(|i| {
            let speed = if i % 13 == 5 { f64::NAN } else { 0.003 * (i * i % 1301) as f64 };
            laps::Parameters { speed, shift: 0.7 }
        })
        .collect();
    problem(0.0).over(&rows).sample(samples)
}

pub(crate) fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-9).saveat(TIMES)
}

pub(crate) fn reduce(ensemble: &Laps, summary: &Summary) -> Summaries {
    ensemble.reduce(Tsit5, EnsembleSerial, &options(), summary).unwrap()
}

fn all() -> Summary {
    let grid = || Histogram::linear(0.0, 1.0, 10);
    let all = Summary::new().mean().covariance().extremes().quantiles([0.1, 0.5, 0.9]);
    all.histogram(grid()).event_counts()
}

/// The normal law beyond four standard deviations, from samples around that bound.
#[test]
fn importance_sampling_has_the_probability_of_a_tail() {
    const EXACT: f64 = 3.167_124_183_311_992e-5;
    const N: usize = 4000;
    let ensemble = shifted(N, 4.0);
    let tail = Summary::new().mean().weighted_by("ratio").given("x", 4.0..);
    let found = reduce(&ensemble, &tail).total_weight().unwrap()[[0, 0]] / N as f64;
    // The weight beyond the bound has the relative standard deviation 2.05.
    assert!((found / EXACT - 1.0).abs() < 4.0 * 2.05 / (N as f64).sqrt(), "{found}");
    let grid = Histogram::with_edges([-1.0, 4.0, 40.0]);
    let weighted = Summary::new().weighted_by("ratio").histogram_of("x", grid);
    let histogram = reduce(&ensemble, &weighted).weighted_histogram("x").unwrap();
    assert!((histogram.weights[[2, 1]] / N as f64 / found - 1.0).abs() < 1e-12);
}

/// Weights turn samples of one law into statistics of another.
#[test]
fn weighted_statistics_are_those_of_the_law() {
    const N: f64 = 4000.0;
    const SHIFT: f64 = 0.5;
    let summary = Summary::new().mean().covariance().quantiles([0.5]).weighted_by("ratio");
    let found = reduce(&shifted(N as usize, SHIFT), &summary);
    // The mean square of the weights.
    let square = (SHIFT * SHIFT).exp();
    let effective = found.effective_count().unwrap()[[3, 0]];
    assert!((effective * square / N - 1.0).abs() < 0.1, "{effective}");
    // Four standard errors of the effective number, which is a bound to a factor of 1.5 here.
    let error = 6.0 / effective.sqrt();
    assert!(found.mean().unwrap()[[3, 0]].abs() < error);
    assert!((found.covariance().unwrap()[[3, 0, 0]] - 1.0).abs() < 1.5 * error);
    assert!((found.total_weight().unwrap()[[3, 0]] / N - 1.0).abs() < error);
    for (q, exact) in [(0.025, -1.959_964), (0.5, 0.0), (0.975, 1.959_964)] {
        let found = found.quantile(q).unwrap()[[3, 0]];
        assert!((found - exact).abs() < 3.0 * error, "{q}: {found}");
    }
}

/// The value of a component and its weight in the trajectories that contribute.
fn members(
    ensemble: &Laps,
    slot: usize,
    component: usize,
    weight: Option<usize>,
    given: impl Fn(&Runner<'_>, usize) -> bool,
) -> Vec<(f64, f64)> {
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options()).unwrap();
    let number = |i: usize, d: usize| match d {
        0 | 1 => solution.all_states()[[i, slot, d]],
        _ => solution.observables()[[i, slot, d - 2]],
    };
    let all = (0..solution.len()).filter(|i| solution.code(*i).is_success());
    let all = all.filter(|i| given(&solution.trajectory(*i), slot));
    let all = all.map(|i| (number(i, component), weight.map_or(1.0, |d| number(i, d))));
    all.filter(|(_, weight)| *weight > 0.0).collect()
}

/// Two passes over the stored solution, sorting and searches are the reference.
#[test]
fn statistics_are_those_of_the_members() {
    let ensemble = runners(700);
    type Given<'a> = &'a dyn Fn(&Runner<'_>, usize) -> bool;
    let y = |of: &Runner<'_>, slot: usize| of.state(slot).y;
    let count = |of: &Runner<'_>| of.event_count("lap").unwrap();
    let cases: [(Summary, Option<usize>, Given<'_>); 5] = [
        (all().given("y", 0.1..0.6), None, &|of, slot| (0.1..0.6).contains(&y(of, slot))),
        (all().given_last("y", ..=0.5), Some(2), &|of, _| y(of, 3) <= 0.5),
        (all().given_event_count("lap", 1..3), None, &|of, _| (1..3).contains(&count(of))),
        (all().given("y", 0.2..).given_last("x", 1.0..), Some(1), &|of, slot| {
            y(of, slot) >= 0.2 && of.state(3).x >= 1.0
        }),
        (all(), Some(1), &|_, _| true),
    ];
    for (case, (summary, weight, given)) in cases.into_iter().enumerate() {
        let summary = match weight {
            Some(d) => summary.weighted_by(["x", "y", "ratio"][d]),
            None => summary,
        };
        let found = reduce(&ensemble, &summary);
        assert_eq!((found.trajectories(), found.successes()), (700, 646));
        for (slot, d) in (0..4).flat_map(|slot| [(slot, 0), (slot, 1), (slot, 3)]) {
            let name = format!("case {case}, time {slot}, component {d}");
            let mut of = members(&ensemble, slot, d, weight, given);
            assert_eq!(found.count()[[slot, d]], of.len() as u64, "{name}");
            if of.is_empty() {
                assert!(found.mean().unwrap()[[slot, d]].is_nan(), "{name}");
                assert_eq!(found.effective_count().unwrap()[[slot, d]], 0.0, "{name}");
                continue;
            }
            let sum = |f: &dyn Fn(f64) -> f64| of.iter().map(|(x, w)| w * f(*x)).sum::<f64>();
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs() + 1e-15;
            let total = sum(&|_| 1.0);
            let mean = sum(&|x| x) / total;
            let squares: f64 = of.iter().map(|(_, w)| w * w).sum();
            let variance = sum(&|x| (x - mean) * (x - mean)) / (total - squares / total);
            assert!(near(found.mean().unwrap()[[slot, d]], mean), "{name}");
            assert!(near(found.total_weight().unwrap()[[slot, d]], total), "{name}");
            let effective = total * total / squares;
            assert!(near(found.effective_count().unwrap()[[slot, d]], effective), "{name}");
            assert!(near(found.variance().unwrap()[[slot, d]], variance), "{name}");
            assert!(near(found.covariance().unwrap()[[slot, d, d]], variance), "{name}");
            of.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(found.minimum().unwrap()[[slot, d]], of[0].0, "{name}");
            assert_eq!(found.maximum().unwrap()[[slot, d]], of[of.len() - 1].0, "{name}");
            if weight.is_some() {
                for q in [0.1, 0.5, 0.9] {
                    let mut below = 0.0;
                    let exact = of.iter().find(|(_, w)| {
                        below += w;
                        below >= q * total
                    });
                    let exact = exact.unwrap().0;
                    let error = found.quantile(q).unwrap()[[slot, d]] - exact;
                    assert!(error.abs() <= exact.abs() / 128.0, "{name}, {q}: {error} {exact}");
                }
                let histogram = found.weighted_histogram(["x", "y", "", "away"][d]).unwrap();
                for (bin, edges) in histogram.grid.edges().windows(2).enumerate().take(9) {
                    let inside = |(x, _): &&(f64, f64)| edges[0] <= *x && *x < edges[1];
                    let expected: f64 = of.iter().filter(inside).map(|(_, w)| w).sum();
                    assert!(near(histogram.weights[[slot, bin]], expected), "{name}, {bin}");
                }
                let below: f64 = of.iter().filter(|(x, _)| *x < 0.0).map(|(_, w)| w).sum();
                assert!(near(histogram.below[slot], below), "{name}");
            }
        }
    }
}

#[test]
fn batches_lanes_shards_and_files_have_the_same_bits() {
    let ensemble = runners(900);
    let summary = || {
        all().weighted_by("ratio").given("y", ..0.8).given_event_count("half", ..3).quantiles([0.5])
    };
    let whole = reduce(&ensemble, &summary());
    for batch in [1, 100, 256] {
        let summary = summary().batch_size(batch);
        assert!(reduce(&ensemble, &summary) == whole, "batches of {batch}");
        let lanes = ensemble.reduce(Tsit5, EnsembleThreads, &options(), &summary).unwrap();
        assert!(lanes == whole, "batches of {batch} in lanes");
    }
    let shard = |rank| reduce(&ensemble.clone().shard((rank, 3)), &summary());
    let text = serde_json::to_string(&shard(2)).unwrap();
    let mut merged: Summaries = serde_json::from_str(&text).unwrap();
    merged.merge(&shard(0)).unwrap();
    merged.merge(&shard(1)).unwrap();
    assert!(merged == whole);
    let counts = merged.event_counts().unwrap();
    assert_eq!((counts.trajectories(), counts.successes()), (900, whole.successes()));
    let other = reduce(&ensemble.shard((0, 3)), &summary().given("y", ..0.9));
    assert!(merged.merge(&other).unwrap_err().to_string().contains("`conditions`"));

    let mut damaged = serde_json::to_value(&whole).unwrap();
    *damaged.pointer_mut("/events/codes/0").unwrap() = 5.into();
    assert!(serde_json::from_value::<Summaries>(damaged).is_err());
    let mut damaged = serde_json::to_value(&whole).unwrap();
    damaged.pointer_mut("/cells/0/bins/weights").unwrap().as_array_mut().unwrap().pop();
    assert!(serde_json::from_value::<Summaries>(damaged).is_err());
}

/// Laps are the integer part of the speed, and lines at half of a lap that of the speed plus 0.5.
#[test]
fn events_are_counted() {
    let speeds: Vec<f64> = (0..200).map(|i| 0.017 * f64::from(i)).collect();
    let row = |speed: &f64| laps::Parameters { speed: *speed, shift: 0.0 };
    let ensemble = problem(0.0).over(&speeds.iter().map(row).collect::<Vec<_>>());
    let grid = Histogram::linear(-0.5, 4.5, 5);
    let summary = Summary::new().mean().quantiles([0.25, 0.5, 0.9]).extremes();
    let summary = summary.covariance().event_counts().histogram_of("lap", grid);
    let found = reduce(&ensemble, &summary);
    let counts = found.event_counts().unwrap();
    assert_eq!(counts.names(), ["half", "lap"]);
    let lap = counts.component("lap").unwrap();
    for (event, offset) in [(0, 0.5), (1, 0.0)] {
        let mut exact: Vec<f64> = speeds.iter().map(|speed| (speed + offset).floor()).collect();
        let total: f64 = exact.iter().sum();
        assert_eq!(counts.mean().unwrap()[[0, event]], total / 200.0);
        exact.sort_by(f64::total_cmp);
        for (k, position) in [(0, 49.75), (1, 99.5), (2, 179.1)] {
            let [low, high] = [f64::floor, f64::ceil].map(|of| exact[of(position) as usize]);
            let expected = low + (high - low) * (position - f64::floor(position));
            let found = counts.quantiles().unwrap()[[k, 0, event]];
            assert!((found - expected).abs() < 1e-12, "{event} {k}: {found} {expected}");
        }
        assert_eq!(counts.maximum().unwrap()[[0, event]], exact[199]);
    }
    let histogram = counts.histogram("lap").unwrap();
    let of = |count: f64| speeds.iter().filter(|speed| speed.floor() == count).count() as u64;
    assert_eq!(histogram.counts.row(0).to_vec(), [0.0, 1.0, 2.0, 3.0, 4.0].map(of));
    assert!(counts.covariance().unwrap()[[0, 0, lap]] > 0.5);
    // Final states have no times.
    let ends = SolveOptions::default();
    let of_ends = ensemble.reduce(Tsit5, EnsembleSerial, &ends, &summary).unwrap();
    assert!(of_ends.event_counts().unwrap() == counts);
}

/// Laps end at multiples of the time of one, and runners are at half of a lap in between.
#[test]
fn events_have_times() {
    let speeds: Vec<f64> = (0..200).map(|i| 0.017 * f64::from(i)).collect();
    let row = |speed: &f64| laps::Parameters { speed: *speed, shift: 0.0 };
    let ensemble = problem(0.0).over(&speeds.iter().map(row).collect::<Vec<_>>());
    let grid = Histogram::linear(0.0, 1.0, 4);
    let summary = Summary::new().mean().extremes().event_times(3).histogram_of("lap", grid);
    let logged = |slots| options().event_log(slots);
    let found = ensemble.reduce(Tsit5, EnsembleSerial, &logged(6), &summary).unwrap();
    let times = found.event_times().unwrap();
    assert_eq!(
        (times.names(), times.times()),
        (&["half", "lap"].map(String::from)[..], &[1.0, 2.0, 3.0][..])
    );
    for (event, offset) in [(0, 0.5), (1, 0.0)] {
        for k in 0..3 {
            let position = k as f64 + 1.0 - offset;
            let exact = speeds.iter().filter(|speed| **speed > position);
            let exact: Vec<f64> = exact.map(|speed| position / speed).collect();
            let (count, total) = (exact.len(), exact.iter().sum::<f64>());
            let at = [k, event];
            assert_eq!(times.count()[at], count as u64, "{at:?}");
            assert!((times.mean().unwrap()[at] - total / count as f64).abs() < 1e-9, "{at:?}");
            // The fastest runner is the first one.
            assert_eq!(times.minimum_index().unwrap()[at], Some(199));
            assert!((times.minimum().unwrap()[at] - position / speeds[199]).abs() < 1e-9);
            if event == 1 {
                let late = exact.iter().filter(|time| **time >= 0.75).count();
                assert_eq!(times.histogram("lap").unwrap().counts[[k, 3]], late as u64);
            }
        }
    }
    let error =
        |options: &SolveOptions| match ensemble.reduce(Tsit5, EnsembleSerial, options, &summary) {
            Err(SolveError::Summary(error)) => error,
            other => panic!("{other:?}"),
        };
    assert!(matches!(error(&options()), SummaryError::NoLog));
    // The fastest runners have more than four events. The fifth one is the third half.
    let full = error(&logged(4));
    assert!(matches!(full, SummaryError::LogFull { trajectory: 148, slots: 4 }), "{full}");
    assert!(matches!(
        reduce(&ensemble, &Summary::new()).event_times(),
        Err(SummaryError::NotRequested { .. })
    ));

    // Failures do not contribute, and shards, batches and files have the same bits.
    let ensemble = runners(300);
    let summary = || Summary::new().mean().quantiles([0.5]).event_times(2).given("y", ..0.8);
    let summary = || summary().weighted_by("ratio");
    let reduce = |ensemble: &Laps, summary: &Summary| {
        ensemble.reduce(Tsit5, EnsembleThreads, &logged(8), summary).unwrap()
    };
    let whole = reduce(&ensemble, &summary());
    let lap = whole.event_times().unwrap().component("lap").unwrap();
    let counts = whole.event_times().unwrap().count();
    assert!(counts[[0, lap]] > counts[[1, lap]] && counts[[1, lap]] > 0, "{counts}");
    assert!(reduce(&ensemble, &summary().batch_size(7)) == whole);
    let shard = |rank| reduce(&ensemble.clone().shard((rank, 2)), &summary());
    let text = serde_json::to_string(&shard(1)).unwrap();
    let mut merged: Summaries = serde_json::from_str(&text).unwrap();
    merged.merge(&shard(0)).unwrap();
    assert!(merged == whole);
    let mut damaged = serde_json::to_value(&whole).unwrap();
    *damaged.pointer_mut("/event_times/codes/0").unwrap() = 5.into();
    assert!(serde_json::from_value::<Summaries>(damaged).is_err());
}

#[test]
fn impossible_conditions_and_weights_are_errors() {
    let error =
        |summary: Summary| match runners(50).reduce(Tsit5, EnsembleSerial, &options(), &summary) {
            Err(SolveError::Summary(error)) => error,
            other => panic!("{other:?}"),
        };
    assert!(matches!(error(all().given("z", 0.0..)), SummaryError::Unknown { .. }));
    assert!(matches!(error(all().given_last("lap", 0.0..)), SummaryError::Unknown { .. }));
    assert!(matches!(error(all().weighted_by("z")), SummaryError::Unknown { .. }));
    let text = error(all().given_event_count("y", 1..)).to_string();
    let expected = "there is no event `y` among the events of the system, which are `half`, `lap`";
    assert_eq!(text, expected);
    assert!(matches!(error(all().given("x", 1.0..0.0)), SummaryError::Condition { .. }));
    let error = error(all().weighted_by("away"));
    let expected = "the weight `away` of trajectory 0 is -0.4; weights are finite and not negative, \
                    and 0 leaves a trajectory out";
    assert_eq!(error.to_string(), expected);
    // At the shift of 13 the ratios of the densities are below the resolution.
    let far = reduce(&shifted(50, 13.0), &all().weighted_by("ratio"));
    assert!(matches!(far.quantile(0.5), Err(SummaryError::WeightScale { count: 50, .. })));
    assert!(matches!(far.weighted_histogram("y"), Err(SummaryError::WeightScale { .. })));
    assert!((far.mean().unwrap()[[3, 0]] - 11.0).abs() < 2.0);
    let plain = reduce(&runners(50), &Summary::new());
    assert!(matches!(plain.event_counts(), Err(SummaryError::NotRequested { .. })));
    assert!(matches!(plain.weighted_histogram("y"), Err(SummaryError::NotRequested { .. })));
}
