//! Exact quantiles by several passes.

use core::sync::atomic::{AtomicU32, Ordering};
use odes::prelude::*;
use odes::summary::{Summaries, Summary, SummaryError};
use odes::{CancellationToken, EnsembleWatched, SolveError};

use crate::conditions::{Laps, TIMES, laps, options, problem, reduce, runners, shifted};

const LEVELS: [f64; 7] = [0.0, 0.001, 0.25, 0.5, 0.9, 0.999, 1.0];

fn exact() -> Summary {
    Summary::new().exact_quantiles(LEVELS)
}

/// Returns a quantile by NumPy's formulas.
fn numpy(values: &mut [f64], level: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let position = level * (values.len() - 1) as f64;
    let (a, b) = (values[position.floor() as usize], values[position.ceil() as usize]);
    let (t, difference) = (position - position.floor(), b - a);
    if t < 0.5 { a + difference * t } else { b - difference * (1.0 - t) }
}

/// Compares all quantiles with these of the stored solution.
fn compare(ensemble: &Laps, summary: &Summary, member: impl Fn(f64) -> bool) -> Summaries {
    let found = reduce(ensemble, summary);
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options()).unwrap();
    let states = solution.all_states();
    for (slot, d) in (0..TIMES.len()).flat_map(|slot| (0..5).map(move |d| (slot, d))) {
        let all = (0..solution.len()).filter(|i| solution.code(*i).is_success());
        let all = all.filter(|i| member(states[[*i, slot, 1]]));
        let of = |i: usize| match d {
            0 | 1 => states[[i, slot, d]],
            _ => solution.observables()[[i, slot, d - 2]],
        };
        let mut values: Vec<f64> = all.map(|i| of(i) + 0.0).collect();
        for (k, level) in LEVELS.iter().enumerate() {
            let quantile = found.exact_quantiles().unwrap()[[k, slot, d]];
            if values.is_empty() {
                assert!(quantile.is_nan(), "{slot} {d} {level}");
            } else {
                let expected = numpy(&mut values, *level);
                assert_eq!(quantile.to_bits(), expected.to_bits(), "{slot} {d} {level}");
            }
        }
    }
    found
}

/// Sorting the stored solution is the reference, for ties, heavy tails and absent values.
#[test]
fn quantiles_are_those_of_numpy() {
    compare(&shifted(3000, 0.3), &exact().quantile_bits(1), |_| true);
    let ensemble = runners(1000);
    let whole = compare(&ensemble, &exact(), |_| true);
    compare(&ensemble, &exact().given("y", 0.2..=0.5), |y| (0.2..=0.5).contains(&y));

    let summary = exact().batch_size(100);
    for batch in [1, 100] {
        let summary = exact().batch_size(batch);
        assert!(reduce(&ensemble, &summary) == whole);
        let lanes = ensemble.reduce(Tsit5, EnsembleThreads, &options(), &summary).unwrap();
        assert!(lanes == whole);
    }
    let text = serde_json::to_string(&whole).unwrap();
    assert!(serde_json::from_str::<Summaries>(&text).unwrap() == whole);

    let single = ensemble.cast::<f32>();
    let options = SolveOptions::default().tolerance(1e-5).saveat(TIMES);
    let found = single.reduce(Tsit5, EnsembleSerial, &options, &summary).unwrap();
    let solution = single.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let all = (0..solution.len()).filter(|i| solution.code(*i).is_success());
    let mut values: Vec<f64> = all.map(|i| f64::from(solution.all_states()[[i, 2, 1]])).collect();
    for (k, level) in LEVELS.iter().enumerate() {
        let expected = numpy(&mut values, *level);
        assert_eq!(found.exact_quantiles().unwrap()[[k, 2, 1]].to_bits(), expected.to_bits());
    }
}

#[test]
fn impossible_passes_are_errors() {
    let solved = |summary: Summary| {
        runners(50).reduce(Tsit5, EnsembleSerial, &options(), &summary).unwrap_err()
    };
    let weighted = solved(exact().weighted_by("x"));
    assert!(matches!(weighted, SolveError::Summary(SummaryError::ExactWeights)), "{weighted}");
    let level = solved(Summary::new().exact_quantiles([-0.1]));
    assert!(matches!(level, SolveError::Summary(SummaryError::Quantile { .. })), "{level}");
    let mut shard = reduce(&runners(50).shard((0, 2)), &exact());
    let other = reduce(&runners(50).shard((1, 2)), &exact());
    assert_eq!(shard.merge(&other), Err(SummaryError::ExactMerge));
    let plain = reduce(&runners(50), &Summary::new().quantiles([0.5]));
    assert!(matches!(plain.exact_quantiles(), Err(SummaryError::NotRequested { .. })));

    // A closure that counts its calls has other values in each pass.
    let calls = AtomicU32::new(0);
    let changing = problem(0.0).trajectories(50).vary(|problem, _| {
        let x = f64::from(calls.fetch_add(1, Ordering::Relaxed));
        problem.with_u0(laps::State { x, y: 0.0 })
    });
    let error = changing.reduce(Tsit5, EnsembleSerial, &options(), &exact()).unwrap_err();
    assert!(matches!(error, SolveError::Summary(SummaryError::Passes { .. })), "{error}");

    let token = CancellationToken::new();
    let stop = token.clone();
    let backend = EnsembleWatched::new(EnsembleSerial).token(&token).progress(move |progress| {
        if progress.finished == 50 {
            stop.cancel();
        }
    });
    let cancelled = runners(50).reduce(Tsit5, backend, &options(), &exact()).unwrap();
    assert_eq!(cancelled.exact_quantiles().unwrap_err(), SummaryError::Unfinished);
}
