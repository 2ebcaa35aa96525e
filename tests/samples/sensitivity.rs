//! Sensitivity analyses of an equation whose indices are known at all times.

use super::{Base, conditions, ensemble};
use ndarray::{Array3, ArrayView2, Axis};
use odes::prelude::*;
use odes::sample::{Design, Normal, Samples, Scrambling, Uniform};
use odes::sensitivity::{Morris, Sobol};

/// `u0 = a exp(-k t)`, with `a` and `k` between 0.5 and 1.5.
fn sampled(bases: usize) -> Base {
    let samples = Samples::seed(20)
        .design(Design::Sobol(Scrambling::Owen))
        .u0(0, Uniform(0.5, 1.5))
        .p(0, Uniform(0.5, 1.5));
    ensemble().trajectories(bases).sample(samples)
}

fn options() -> SolveOptions {
    SolveOptions::default().tolerance(1e-9).saveat([0.0, 0.5, 1.0])
}

/// Returns the mean, the variance, and the first-order and total indices of `a` and `k`.
fn exact(t: f64) -> ([f64; 2], [[f64; 2]; 2]) {
    // The means of exp(-k t) and of exp(-2 k t).
    let mean = |t: f64| if t == 0.0 { 1.0 } else { ((-0.5 * t).exp() - (-1.5 * t).exp()) / t };
    let [once, twice] = [mean(t), mean(2.0 * t)];
    let variance = 13.0 / 12.0 * twice - once * once;
    let [a, k] = [once * once / 12.0, twice - once * once].map(|part| part / variance);
    ([once, variance], [[a, k], [1.0 - k, 1.0 - a]])
}

/// The numbers at t = 1 were computed by an independent program.
#[test]
fn references_agree() {
    let ([mean, variance], [first, total]) = exact(1.0);
    let found = [mean, variance, first[0], first[1], total[0], total[1]];
    let references = [
        0.383_400_499_564,
        0.025_304_092_203,
        0.484_098_059_1,
        0.476_217_176_2,
        0.523_782_823_8,
        0.515_901_940_9,
    ];
    for (found, reference) in found.into_iter().zip(references) {
        assert!((found - reference).abs() < 1e-10, "{found} {reference}");
    }
}

#[test]
fn sobol_indices_are_known_at_all_times() {
    let found = sampled(1 << 12).sobol(Tsit5, EnsembleThreads, &options(), &Sobol::new()).unwrap();
    assert_eq!(
        (found.inputs(), found.times()),
        (&["u0.u0", "p.p0"].map(String::from)[..], &[0.0, 0.5, 1.0][..])
    );
    assert_eq!(found.names(), ["u0", "u1"]);
    assert_eq!((found.base_samples(), found.left_out()), (4096, 0));
    let intervals = found.intervals(0.999, 300).unwrap();
    for (time, t) in found.times().iter().enumerate() {
        let ([mean, variance], indices) = exact(*t);
        assert!((found.mean()[[time, 0]] - mean).abs() < 1e-4);
        assert!((found.variance()[[time, 0]] - variance).abs() < 1e-4);
        // The other state depends on the inputs only by step sizes.
        assert!(found.variance()[[time, 1]] < 1e-17);
        let arrays = [found.first_order(), found.total()];
        let ends = [&intervals.first_order, &intervals.total];
        for ((array, ends), exact) in arrays.iter().zip(ends).zip(indices) {
            for (input, exact) in exact.into_iter().enumerate() {
                let at = [input, time, 0];
                assert!((array[at] - exact).abs() < 1e-3, "{at:?}: {} {exact}", array[at]);
                let [low, high] = [ends.low[at] - 1e-12, ends.high[at] + 1e-12];
                assert!((low..=high).contains(&exact), "{at:?}: {low} {exact} {high}");
            }
        }
    }
}

/// Indices of final states, in one precision and on several backends.
#[test]
fn backends_have_the_same_bits() {
    let ensemble = sampled(301);
    let options = SolveOptions::default();
    let whole = ensemble.sobol(Tsit5, EnsembleSerial, &options, &Sobol::new()).unwrap();
    assert_eq!((whole.times(), whole.total().shape()), (&[][..], &[2, 1, 2][..]));
    let threads = EnsembleThreads.batch(17);
    for sobol in [Sobol::new(), Sobol::new().batch_size(100)] {
        assert!(ensemble.sobol(Tsit5, &threads, &options, &sobol).unwrap() == whole);
    }
    // The matrix A has the samples of the ensemble.
    let solution = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let mean = solution.final_states().column(0).mean().unwrap();
    assert!((whole.mean()[[0, 0]] - mean).abs() < 0.01);
}

/// The effect of the amount on `u0 = a exp(-k t)` is a mean of decays, and the rate lowers it.
#[test]
fn effects_are_known_at_all_times() {
    let ensemble = sampled(400);
    let morris = |algorithm: &dyn odes::backend::EnsembleAlgorithm, morris: &Morris| {
        ensemble.morris(Tsit5, algorithm, &options(), morris).unwrap()
    };
    let found = morris(&EnsembleSerial, &Morris::new());
    assert_eq!((found.inputs(), found.left_out()), (&["u0.u0", "p.p0"].map(String::from)[..], 0));
    let levels = [0.625, 0.875, 1.125, 1.375];
    for (time, t) in found.times().iter().enumerate() {
        let decays = levels.map(|k| (-k * t).exp());
        let amount = decays.iter().sum::<f64>() / 4.0;
        // The change between levels 0 and 2, or 1 and 3, and the mean amount is 1.
        let rate = (decays[2] + decays[3] - decays[0] - decays[1]) / 2.0 / 0.5;
        let [mu, mu_star] = [found.mu(), found.mu_star()];
        assert!((mu[[0, time, 0]] - amount).abs() < 0.02, "{t}: {}", mu[[0, time, 0]]);
        assert!((mu[[1, time, 0]] - rate).abs() < 0.03, "{t}: {} {rate}", mu[[1, time, 0]]);
        assert_eq!(mu_star[[1, time, 0]], -mu[[1, time, 0]]);
    }
    assert!(morris(&EnsembleThreads, &Morris::new().batch_size(50)) == found);
    assert!(morris(&EnsembleThreads, &Morris::new().levels(2)) != found);
}

/// A closure receives the sampled problem, so it can make inputs dependent.
#[test]
fn closures_change_the_sampled_problem() {
    let ensemble = sampled(1 << 11).vary(|mut problem, _| {
        problem.p[0] *= 0.0;
        problem
    });
    let options = SolveOptions::default();
    let found = ensemble.sobol(Tsit5, EnsembleSerial, &options, &Sobol::new()).unwrap();
    assert!((found.total()[[0, 0, 0]] - 1.0).abs() < 0.01);
    assert_eq!(found.total()[[1, 0, 0]], 0.0);
}

#[test]
fn different_times_are_an_error() {
    let ensemble =
        sampled(8).vary(|problem, i| problem.with_tspan((0.0, if i < 20 { 1.0 } else { 2.0 })));
    let options = SolveOptions::default().saveat(0.25);
    let error = ensemble.sobol(Tsit5, EnsembleSerial, &options, &Sobol::new()).unwrap_err();
    assert!(error.to_string().contains("same saved times"), "{error}");
    let options = options.saveat(odes::SaveAt::Steps);
    let error = sampled(8).sobol(Tsit5, EnsembleSerial, &options, &Sobol::new()).unwrap_err();
    assert!(error.to_string().contains("ends of steps"), "{error}");
}

/// Chosen components have the results that they have among all components.
#[test]
fn chosen_components_have_their_names() {
    let samples =
        Samples::seed(6).u0("x", Normal { mean: 1.0, sd: 0.5 }).p("speed", Uniform(0.2, 0.9));
    let ensemble = conditions::problem(0.5).trajectories(40).sample(samples);
    let analyses = |options: &SolveOptions| {
        let sobol = ensemble.sobol(Tsit5, EnsembleSerial, options, &Sobol::new()).unwrap();
        (sobol, ensemble.morris(Tsit5, EnsembleSerial, options, &Morris::new()).unwrap())
    };
    let bits = |array: ArrayView2<'_, f64>, component| -> Vec<u64> {
        array.column(component).iter().map(|x| x.to_bits()).collect()
    };
    let (all, all_effects) = analyses(&conditions::options());
    assert_eq!(all.names(), ["x", "y", "ratio", "away", "heavy"]);
    for (chosen, names) in [
        (&["y", "x"][..], &["y", "x"][..]),
        (&["y"], &["y"]),
        (&["heavy", "ratio"], &["heavy", "ratio"]),
        (&["away", "y", "ratio"], &["y", "away", "ratio"]),
    ] {
        let options = conditions::options().save_only(chosen.iter().copied());
        let (some, effects) = analyses(&options);
        assert_eq!(some.names(), names);
        assert_eq!(effects.names(), names);
        for (k, name) in names.iter().enumerate() {
            let d = all.component(name).unwrap();
            assert_eq!(bits(some.mean().view(), k), bits(all.mean().view(), d), "{name}");
            for input in 0..2 {
                let of = |array: Array3<f64>, component| {
                    bits(array.index_axis(Axis(0), input), component)
                };
                assert_eq!(of(some.total(), k), of(all.total(), d), "{name}");
                assert_eq!(of(effects.mu(), k), of(all_effects.mu(), d), "{name}");
            }
        }
    }
    // Final states are all states, in the order of the system.
    let ends = SolveOptions::default().save_only(["y"]);
    assert_eq!(analyses(&ends).0.names(), ["x", "y"]);
}
