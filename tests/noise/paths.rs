//! Paths do not depend on saved times, shards and the end of the span.

use crate::systems::{geometric, relaxing};
use odes::lane::Scalar;
use odes::methods::{EulerMaruyama, Sriw1};
use odes::prelude::*;

fn ensemble(end: f64) -> geometric::Ensemble {
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    EnsembleProblem::new(OdeProblem::new(geometric, start, 0.0..=end, parameters)).trajectories(37)
}

#[test]
fn saved_times_shards_and_ends_change_no_path() {
    let options = SolveOptions::default().fixed_step(0.125).noise_seed(0x1234_5678_9abc_def0);
    let expected = ensemble(1.0).solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
    let saving = options.clone().saveat([0.125, 0.3, 0.31, 0.5]);
    let saved = ensemble(1.0).solve(EulerMaruyama, EnsembleSerial, &saving).unwrap();
    assert_eq!(expected.final_states(), saved.final_states());
    for rank in 0..3 {
        let shard = ensemble(1.0).shard((rank, 3));
        let shard = shard.solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
        for (i, number) in shard.numbers().enumerate() {
            assert_eq!(shard.final_states().row(i), expected.final_states().row(number as usize));
        }
    }
    // The state at a saved time is the end of a shorter span.
    for (slot, end) in [0.125, 0.3, 0.31, 0.5].into_iter().enumerate() {
        let short = ensemble(end).solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
        for i in 0..37 {
            for d in 0..2 {
                let (a, b) = (saved.all_states()[[i, slot, d]], short.final_states()[[i, d]]);
                assert!((a - b).abs() < 1e-6, "{end}: {a} {b}");
            }
        }
    }
    let steps = options.clone().saveat(SaveAt::Steps);
    let steps = ensemble(1.0).solve(EulerMaruyama, EnsembleSerial, &steps).unwrap();
    assert!(steps.iter().all(|trajectory| trajectory.len() == 9));
    for i in 0..37 {
        let ends = [(1, 0), (4, 3)].map(|(step, slot)| {
            (0..2).all(|d| steps.all_states()[[i, step, d]] == saved.all_states()[[i, slot, d]])
        });
        assert_eq!(ends, [true; 2]);
    }
    let other = options.noise_seed(0x1234_5678_9abc_def1);
    let other = ensemble(1.0).solve(EulerMaruyama, EnsembleSerial, &other).unwrap();
    assert!((0..37).all(|i| other.final_states().row(i) != expected.final_states().row(i)));
}

/// A solve that continues from final states has increments of its own, which follow the law of
/// Brownian motion: the increment of `0..=1` and that of `1..=2` are independent.
#[test]
fn later_beginnings_have_other_paths() {
    fn check<T: Scalar>() {
        let n = 2000;
        let increments = |t0: f64, options: &SolveOptions| {
            let span = t0..=t0 + 1.0;
            let start = geometric::State { x: 0.5, w: 0.0 };
            let problem = OdeProblem::new(geometric, start, span, [0.0, 0.1]).cast::<T>();
            let ensemble = EnsembleProblem::new(problem).trajectories(n);
            let found = ensemble.solve(Sriw1, EnsembleThreads, options).unwrap();
            (0..n).map(|i| found.final_states()[[i, 1]].widen()).collect::<Vec<f64>>()
        };
        let fixed = SolveOptions::default().fixed_step(0.125);
        for options in [fixed, SolveOptions::default().tolerance(1e-2)] {
            let all = [0.0, 1.0, 1e-3, -1.0].map(|t0| increments(t0, &options));
            for (a, b) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
                let product: f64 = all[a].iter().zip(&all[b]).map(|(a, b)| a * b).sum();
                // The standard deviation of the mean product is 1/sqrt(n).
                assert!((product / n as f64).abs() < 4.0 / (n as f64).sqrt(), "{a} {b} {product}");
            }
            assert_eq!(all[0], increments(-0.0, &options));
        }
    }
    check::<f64>();
    check::<f32>();
}

/// Trajectories with the same path differ by their parameters alone, in shards too.
#[test]
fn trajectories_share_paths() {
    let own = ensemble(1.0);
    let options = SolveOptions::default().fixed_step(0.125).noise_seed(3);
    let expected = own.solve(EulerMaruyama, EnsembleSerial, &options).unwrap();
    let shared = options.clone().noise_paths(5);
    for rank in 0..2 {
        let shard = ensemble(1.0).shard((rank, 2));
        let shard = shard.solve(EulerMaruyama, EnsembleSerial, &shared).unwrap();
        for (i, number) in shard.numbers().enumerate() {
            let path = number as usize % 5;
            assert_eq!(shard.final_states().row(i), expected.final_states().row(path));
        }
    }
    let error = own.solve(EulerMaruyama, EnsembleSerial, &options.noise_paths(0)).unwrap_err();
    assert!(matches!(error, SolveError::NoisePaths), "{error}");
}

/// Rounding puts the multiples of a step beside the ends of the steps. The path moves by the root of
/// the time between the two, far more than rounding moves a solution.
#[test]
fn multiples_of_the_step_are_ends_of_steps() {
    fn check<T: Scalar>() {
        let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd: [0.3, 0.5] };
        for (t0, h) in [(0.0, 0.1), (-3.0, 0.01), (0.0, 1.0 / 3.0)] {
            let count = (1.0_f64 / h).round() as usize;
            let problem = OdeProblem::new(relaxing, [0.0; 2], t0..=t0 + 1.0, parameters);
            let ensemble = EnsembleProblem::new(problem.cast::<T>()).trajectories(3);
            let options = SolveOptions::default().fixed_step(h);
            let times = (0..count).map(|k| t0 + k as f64 * h).collect::<Vec<_>>();
            let saved =
                ensemble.solve(EulerMaruyama, EnsembleSerial, &options.clone().saveat(times));
            let steps = options.saveat(SaveAt::Steps);
            let steps = ensemble.solve(EulerMaruyama, EnsembleSerial, &steps).unwrap();
            let saved = saved.unwrap();
            for (i, k, d) in (0..6 * count).map(|n| (n % 3, n / 6, n / 3 % 2)) {
                let [left, right] = [&saved, &steps].map(|found| found.all_states()[[i, k, d]]);
                assert_eq!(left, right, "{}: {t0}, {h}, {k}", T::NAME);
            }
        }
    }
    check::<f64>();
    check::<f32>();
}
