//! Random jumps: laws against closed forms, and equal bits on all backends.

use crate::everywhere::{same_everywhere, succeeds_everywhere};
use crate::jumping::{bursts, expression, merton};
use crate::laws::near;
use odes::lane::Scalar;
use odes::methods::{Euler, EulerMaruyama, Shark};
use odes::multilevel::Multilevel;
use odes::periodic::PeriodicSearch;
use odes::prelude::*;

const LAW: expression::Parameters = expression::Parameters {
    birth: 10.0,
    death: 1.0,
    make: 2.0,
    decay: 1.5,
    pulse: 4.0,
    factor: 1.0,
};

fn expressed(parameters: expression::Parameters, molecules: f64) -> expression::Problem {
    let start = expression::State { molecules, protein: 0.0 };
    OdeProblem::new(expression, start, 0.0..=2.0, parameters)
}

/// The means and the second central moments of molecules and protein at time 2, from no molecules.
fn moments(p: &expression::Parameters) -> [f64; 5] {
    let slope = |[m, q, v, c, w]: [f64; 5]| {
        [
            p.birth - p.death * m,
            p.make * m - p.decay * q,
            p.birth + p.death * (m - 2.0 * v),
            p.make * v - (p.death + p.decay) * c,
            2.0 * (p.make * c - p.decay * w),
        ]
    };
    let h = 1.0 / 512.0;
    (0..1024).fold([0.0; 5], |x, _| {
        let add = |by: f64, k: [f64; 5]| core::array::from_fn(|i| x[i] + by * k[i]);
        let a = slope(x);
        let b = slope(add(h / 2.0, a));
        let c = slope(add(h / 2.0, b));
        let d = slope(add(h, c));
        core::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]))
    })
}

/// Births and deaths give Poisson's law, and the protein has the moments of its linear equations.
#[test]
fn gene_expression_has_its_law() {
    let [mean, protein, variance, covariance, of_protein] = moments(&LAW);
    // The closed form of the reference.
    assert!((mean - 8.64664716763).abs() < 1e-9 && (variance - mean).abs() < 1e-9);
    const N: usize = 20_000;
    let solve = |factor: f64, seed: u64| {
        let ensemble =
            EnsembleProblem::new(expressed(expression::Parameters { factor, ..LAW }, 0.0));
        let options = SolveOptions::default().tolerance(1e-4).noise_seed(seed);
        let solution = ensemble.trajectories(N).solve(Tsit5, EnsembleThreads, &options).unwrap();
        assert!(solution.all_succeeded());
        solution
    };
    // Bounds of twice the rate reject half of the candidates, and change no law.
    for (factor, seed) in [(1.0, 1), (2.0, 2)] {
        let solution = solve(factor, seed);
        let ends = solution.final_states();
        let of = |d: usize| ends.column(d).into_iter().copied();
        near(of(0), mean, variance, "molecules");
        // The fourth central moment of Poisson's law is m + 3 m².
        let square = mean + 2.0 * mean * mean;
        near(of(0).map(|x| (x - mean).powi(2)), mean, square, "variance of molecules");
        near(of(1), protein, of_protein, "protein");
        // Nearly normal.
        let spread = 2.5 * of_protein * of_protein;
        near(of(1).map(|x| (x - protein).powi(2)), of_protein, spread, "variance of protein");
        let both = of(0).zip(of(1)).map(|(x, y)| (x - mean) * (y - protein));
        let spread = 2.0 * (mean * of_protein + covariance * covariance);
        near(both, covariance, spread, "covariance");
        let mut probability = (-mean).exp();
        for k in 0..20 {
            let count = of(0).filter(|&x| x == f64::from(k)).count() as f64;
            let sd = (N as f64 * probability * (1.0 - probability)).sqrt();
            let expected = N as f64 * probability;
            assert!((count - expected).abs() < 4.0 * sd + 3.0, "{k}: {count} {expected}");
            probability *= mean / f64::from(k + 1);
        }
        // The rate of pulses varies in time: ∫ 4 (1 + sin 3t) dt, and their mean time.
        let pulses = solution.event_count("pulse").unwrap();
        let integral = |t: f64| 4.0 * (t + (1.0 - (3.0 * t).cos()) / 3.0);
        let expected = integral(2.0);
        near(pulses.iter().map(|&n| f64::from(n)), expected, expected, "pulses");
        let births = solution.event_count("birth").unwrap();
        near(births.iter().map(|&n| f64::from(n)), 20.0, 20.0, "births");
        // A candidate takes one step, and hardly more.
        let candidates = factor * (20.0 + (20.0 - mean) + 16.0);
        let steps = (0..N).map(|i| f64::from(solution.accepted(i))).sum::<f64>() / N as f64;
        assert!(steps > candidates && steps < 1.2 * candidates + 10.0, "{steps} {candidates}");
    }
}

/// Without births, the survivors have a binomial law; fixed steps need not contain candidates.
#[test]
fn decay_is_binomial() {
    let parameters = expression::Parameters { birth: 0.0, pulse: 0.0, factor: 1.5, ..LAW };
    let ensemble = EnsembleProblem::new(expressed(parameters, 12.0)).trajectories(20_000);
    let options = SolveOptions::default().fixed_step(0.5).noise_seed(3);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
    assert!(solution.all_succeeded());
    let left = (-2.0_f64).exp();
    let (mean, variance) = (12.0 * left, 12.0 * left * (1.0 - left));
    let ends = solution.final_states();
    let of = || ends.column(0).into_iter().copied();
    near(of(), mean, variance, "survivors");
    let fourth = variance * (1.0 + 3.0 * (1.0 - 2.0 / 12.0) * variance);
    near(of().map(|x| (x - mean).powi(2)), variance, fourth - variance * variance, "variance");
    assert_eq!(solution.event_counts().column(0).sum(), 0);
}

/// The log has the times of jumps, in order; saved states change nothing.
#[test]
fn jumps_are_logged() {
    let ensemble = EnsembleProblem::new(expressed(LAW, 3.0)).trajectories(500);
    let options = SolveOptions::default().event_log(60).noise_seed(4);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &options).unwrap();
    let mut times = Vec::new();
    for i in 0..500 {
        let of_one: Vec<f64> = solution.log(i).unwrap().map(|jump| jump.time).collect();
        assert_eq!(of_one.len(), solution.event_count("pulse").unwrap()[i] as usize);
        assert!(of_one.is_sorted() && solution.log(i).unwrap().all(|jump| jump.name == "pulse"));
        times.extend(of_one);
    }
    // The density of the times is proportional to the rate.
    let total = 2.0 + (1.0 - 6.0_f64.cos()) / 3.0;
    let of_third = (1.0 - (2.0_f64).cos()) / 3.0 + 2.0 / 3.0;
    let early = times.iter().filter(|&&t| t < 2.0 / 3.0).count() as f64;
    let (n, share) = (times.len() as f64, of_third / total);
    assert!((early - n * share).abs() < 4.0 * (n * share * (1.0 - share)).sqrt());
    let other = options.saveat(0.1);
    let saved = ensemble.solve(Tsit5, EnsembleThreads, &other).unwrap();
    assert_eq!(saved.event_counts(), solution.event_counts());
    let bits = |all: ndarray::ArrayView3<'_, f64>| all.mapv(f64::to_bits);
    assert_eq!(bits(saved.all_logs()), bits(solution.all_logs()));
    assert_eq!(saved.final_states(), solution.final_states());
}

/// The price of a call in Merton's model, against his series of Black and Scholes's prices.
#[test]
fn merton_prices_a_call() {
    let (rate, volatility, intensity, jump_mean, jump_sd) = (0.05, 0.2, 0.8, -0.15, 0.3);
    let relative = f64::exp(jump_mean + jump_sd * jump_sd / 2.0) - 1.0;
    let drift = rate - volatility * volatility / 2.0 - intensity * relative;
    let parameters = merton::Parameters { drift, volatility, rate: intensity, jump_mean, jump_sd };
    let start = merton::State { log_price: 100.0_f64.ln() };
    let problem = OdeProblem::new(merton, start, 0.0..=1.0, parameters);
    let ensemble = EnsembleProblem::new(problem).trajectories(40_000);
    let options = SolveOptions::default().fixed_step(0.25).noise_seed(5);
    let solution = ensemble.solve(EulerMaruyama, EnsembleThreads, &options).unwrap();
    assert!(solution.all_succeeded());
    let payoffs = solution
        .final_states()
        .column(0)
        .into_iter()
        .map(|x| (-rate).exp() * (x.exp() - 100.0).max(0.0))
        .collect::<Vec<f64>>();
    let normal = |x: f64| 0.5 * erfc(-x / std::f64::consts::SQRT_2);
    let (mut price, mut weight) = (0.0, (-intensity * (1.0 + relative)).exp());
    for n in 0..40 {
        let jumps = f64::from(n);
        let sd = (volatility * volatility + jumps * jump_sd * jump_sd).sqrt();
        let short = rate - intensity * relative + jumps * (1.0 + relative).ln();
        let d = (short + sd * sd / 2.0) / sd;
        let call = 100.0 * normal(d) - 100.0 * (-short).exp() * normal(d - sd);
        price += weight * call;
        weight *= intensity * (1.0 + relative) / (jumps + 1.0);
    }
    let squares = payoffs.iter().map(|x| x * x).sum::<f64>() / 40_000.0;
    near(payoffs.into_iter(), price, squares - price * price, "call");
    let crashes = solution.event_count("crash").unwrap();
    near(crashes.iter().map(|&n| f64::from(n)), intensity, intensity, "crashes");
    // Adaptive steps continue on a path after each candidate.
    let options = SolveOptions::default().noise_seed(6).saveat([0.3, 1.0]);
    let adaptive = ensemble.solve(Shark, EnsembleThreads, &options).unwrap();
    let states = adaptive.all_states();
    for (slot, time) in [0.3, 1.0].into_iter().enumerate() {
        let x = || (0..40_000).map(|i| states[[i, slot, 0]] - 100.0_f64.ln());
        let mean = (drift + intensity * jump_mean) * time;
        let square = jump_mean * jump_mean + jump_sd * jump_sd;
        let variance = (volatility * volatility + intensity * square) * time;
        near(x(), mean, variance, "mean");
        // The fourth cumulant of the jumps.
        let (m, d) = (jump_mean * jump_mean, jump_sd * jump_sd);
        let fourth = intensity * time * (m * m + 6.0 * m * d + 3.0 * d * d);
        let spread = 2.0 * variance * variance + fourth;
        near(x().map(|x| (x - mean).powi(2)), variance, spread, "variance");
    }
}

/// The complementary error function, by the trapezoidal rule.
fn erfc(x: f64) -> f64 {
    let h = 1.0 / 256.0;
    let sum: f64 = (0..4096).map(|i| (-(x + (f64::from(i) + 0.5) * h).powi(2)).exp()).sum();
    sum * h * std::f64::consts::FRAC_2_SQRT_PI
}

fn bursting<T: Scalar>(factor: f64) -> OdeProblem<bursts::Model, T, 2, 5> {
    let modes = bursts::Modes { on: 1.0 };
    let parameters = bursts::Parameters { switch: 2.0, burst: 3.0, limit: 2.5, factor, modes };
    let start = bursts::State { amount: 1.0, total: 0.0 };
    OdeProblem::new(bursts, start, 0.5..=4.0, parameters).cast::<T>()
}

#[test]
fn jumps_have_the_same_bits_everywhere() {
    fn check<T: Scalar>() {
        let ensemble = EnsembleProblem::new(bursting::<T>(1.0)).trajectories(99);
        let options = SolveOptions::default().tolerance(1e-4).saveat([1.0, 1.25, 3.7]);
        let options = options.noise_seed(11).event_log(12);
        let expected = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
        assert!(expected.all_succeeded());
        for name in ["switch", "burst", "full"] {
            assert!(expected.event_count(name).unwrap().iter().sum::<u32>() > 99, "{name}");
        }
        same_everywhere(Tsit5, &ensemble, &expected, &options);
        succeeds_everywhere(Tsit5, &ensemble, &options.fixed_step(0.2));
    }
    check::<f64>();
    check::<f32>();
    let parameters =
        merton::Parameters { drift: 0.0, volatility: 0.2, rate: 3.0, jump_mean: 0.0, jump_sd: 0.3 };
    let problem = OdeProblem::new(merton, merton::State { log_price: 0.0 }, 0.0..=1.0, parameters);
    let options = SolveOptions::default().fixed_step(0.25).noise_paths(10);
    let ensemble = EnsembleProblem::new(problem.cast::<f32>()).trajectories(99);
    succeeds_everywhere(EulerMaruyama, &ensemble, &options);
}

/// Other bounds, precisions and steps give the same law, also with events, modes and actions at
/// times: the means of two ensembles agree.
#[test]
fn bounds_change_no_law() {
    fn means<T: Scalar>(factor: f64, options: &SolveOptions) -> [[f64; 2]; 5] {
        let ensemble = EnsembleProblem::new(bursting::<T>(factor)).trajectories(10_000);
        let solution = ensemble.solve(Tsit5, EnsembleThreads, options).unwrap();
        assert!(solution.all_succeeded());
        let of_events = ["switch", "burst", "full"].map(|name| {
            let counts = solution.event_count(name).unwrap();
            counts.iter().map(|&n| f64::from(n)).collect::<Vec<f64>>()
        });
        let ends = solution.final_states();
        let of_states = [0, 1].map(|d| ends.column(d).iter().map(|x| x.widen()).collect());
        let all: Vec<Vec<f64>> = of_events.into_iter().chain(of_states).collect();
        core::array::from_fn(|k| {
            let n = all[k].len() as f64;
            let mean = all[k].iter().sum::<f64>() / n;
            let square = all[k].iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            [mean, square / n]
        })
    }
    let options = SolveOptions::default().tolerance(1e-4).noise_seed(21);
    let expected = means::<f64>(1.0, &options);
    let others = [
        means::<f64>(3.0, &options.clone().noise_seed(22)),
        means::<f32>(1.0, &options.clone().noise_seed(23)),
        means::<f64>(1.5, &options.fixed_step(0.1).noise_seed(24)),
    ];
    for (which, found) in others.iter().enumerate() {
        for (k, (a, b)) in expected.iter().zip(found).enumerate() {
            let error = (a[1] + b[1]).sqrt();
            assert!((a[0] - b[0]).abs() < 4.0 * error, "{which} {k}: {a:?} {b:?}");
        }
    }
}

/// Rates above their bounds, bounds that are no rates, and too many candidates.
#[test]
fn wrong_rates_end_with_codes() {
    let code = |parameters: expression::Parameters, options: &SolveOptions| {
        expressed(parameters, 5.0).solve(Euler, options).unwrap().code()
    };
    let options = SolveOptions::default().fixed_step(0.5);
    let with = |factor: f64| expression::Parameters { factor, ..LAW };
    assert_eq!(code(with(1.0), &options), ReturnCode::Success);
    assert_eq!(code(with(0.99), &options), ReturnCode::RateOutOfBounds);
    assert_eq!(code(with(-1.0), &options), ReturnCode::RateOutOfBounds);
    assert_eq!(code(with(f64::INFINITY), &options), ReturnCode::RateOutOfBounds);
    let negative = expression::Parameters { death: 0.0, birth: -1.0, factor: -1.0, ..LAW };
    assert_eq!(code(negative, &options), ReturnCode::RateOutOfBounds);
    assert_eq!(code(with(1e3), &options.clone().max_steps(50)), ReturnCode::MaxSteps);
    let none = expression::Parameters { birth: 0.0, death: 0.0, pulse: 0.0, ..LAW };
    let solution = expressed(none, 5.0).solve(Euler, &options).unwrap();
    assert_eq!((solution.code(), solution.accepted()), (ReturnCode::Success, 4));
}

/// Arrivals in a queue, whose system has a loss.
#[ode_system]
mod arrivals {
    pub(crate) fn rhs(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
        [-p[0] * u[0]]
    }

    #[jump(bound = p[0])]
    pub(crate) fn arrival(_u: &[f64; 1], p: &[f64; 1]) -> f64 {
        p[0]
    }

    #[action(arrival)]
    pub(crate) fn arrived(u: &[f64; 1]) -> [f64; 1] {
        [u[0] + 1.0]
    }

    #[loss]
    pub(crate) fn loss(u: &[f64; 1]) -> f64 {
        u[0]
    }
}

#[test]
fn refused_combinations() {
    let problem = OdeProblem::new(arrivals, [1.0], 0.0..=1.0, [2.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(4);
    let options = SolveOptions::default().fixed_step(0.5).saveat([1.0]);
    let error = ensemble.gradient(Euler, EnsembleSerial, &options).unwrap_err();
    assert!(matches!(error, SolveError::NoGradientsOf { .. }), "{error}");
    assert!(error.to_string().contains("random jumps"), "{error}");
    let error = ensemble.solve(Euler, EnsembleCpuArray, &options).unwrap_err();
    assert!(matches!(error, SolveError::NoArrays { .. }), "{error}");
    let back = OdeProblem::new(arrivals, [1.0], (1.0, 0.0), [2.0]);
    let error = back.solve(Euler, &options).unwrap_err();
    assert!(matches!(error, SolveError::Noise { .. }), "{error}");
    assert!(error.to_string().contains("has random jumps"), "{error}");
    let search = PeriodicSearch::new();
    let error = ensemble.periodic_states(Euler, EnsembleSerial, &options, &search).unwrap_err();
    assert!(error.to_string().contains("random jumps"), "{error}");
    let parameters =
        merton::Parameters { drift: 0.0, volatility: 0.2, rate: 3.0, jump_mean: 0.0, jump_sd: 0.3 };
    let problem = OdeProblem::new(merton, merton::State { log_price: 0.0 }, 0.0..=1.0, parameters);
    let request = Multilevel::new(0.1);
    let found = problem.multilevel_mean(EulerMaruyama, EnsembleSerial, &options, &request, |_| 0.0);
    assert!(found.unwrap_err().to_string().contains("random jumps"));
}
