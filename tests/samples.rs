//! Ensembles with inputs that rules sample.

#[path = "samples/closures.rs"]
mod closures;
#[path = "samples/conditions.rs"]
mod conditions;
#[path = "support/cpp.rs"]
mod cpp;
#[path = "samples/exact.rs"]
mod exact;
#[path = "samples/reductions.rs"]
mod reductions;
#[path = "samples/sensitivity.rs"]
mod sensitivity;
#[path = "../ode-core/tests/random/series.rs"]
mod series;

use cpp::HostCpp;
use ode_gpu::{Cache, KernelSource, Nvrtc};
use odes::backend::{
    Capabilities, EnsembleAlgorithm, EvaluationThreads, Input, Inputs, Job, PreparedSolve, Request,
    RequestVisitor, RunReport, SolveJob, Text, run_job,
};
use odes::internals::kernel::{KERNEL_NAME, KernelConfig};
use odes::lane::Scalar;
use odes::methods::{Method, Properties};
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{
    Choice, Design, Linspace, LogNormal, LogUniform, Logspace, Normal, Samples, Scrambling, Uniform,
};
use odes::sweep::Axis;
use odes::system::System;
use odes::{EnsembleSolution, SolveError, Trajectory};
use odes_skipped::{Needed, needs};
use std::sync::Mutex;
use std::time::Instant;

#[ode_system]
fn decay(u: &[f64; 2], p: &[f64; 4]) -> [f64; 2] {
    [-p[0] * u[0], p[1] * p[2] * p[3] - u[1]]
}

const METHOD: &Properties = &Tsit5::PROPERTIES;

type Base = EnsembleProblem<decay, f64, odes::problem::Unvaried, 2, 4>;

fn ensemble() -> Base {
    EnsembleProblem::new(OdeProblem::new(decay, [1.0, 0.5], 0.0..=1.0, [1.0, 2.0, 3.0, 4.0]))
}

fn columns<S, T, F, const N: usize, const P: usize>(
    ensemble: &EnsembleProblem<S, T, F, N, P>,
) -> Inputs<T>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    PreparedSolve::new(ensemble, &SolveOptions::default(), METHOD).unwrap().inputs
}

/// Returns parameter `d` of all trajectories.
fn parameter<F: Vary<decay, f64, 2, 4>>(
    ensemble: &EnsembleProblem<decay, f64, F, 2, 4>,
    d: usize,
) -> Vec<f64> {
    let columns = columns(ensemble);
    (0..columns.trajectories).map(|i| columns.p[d].get(i)).collect()
}

/// Returns every rule, by name and by index.
fn rules(design: Design) -> Samples {
    Samples::seed(0xfeed_0123_4567_89ab)
        .design(design)
        .p("p0", Uniform(-1.0, 3.0))
        .p(1, Normal { mean: 2.0, sd: 0.5 })
        .p(2, LogNormal { mu: 1.0, sigma: 0.25 })
        .p("p3", Choice([1.0, 2.0, 4.0, 8.0, 16.0]))
        .u0("u0", LogUniform(1e-3, 10.0))
        .u0(1, Linspace(1.0, 2.0))
}

const DESIGNS: [Design; 5] = [
    Design::Random,
    Design::LatinHypercube,
    Design::Sobol(Scrambling::None),
    Design::Sobol(Scrambling::Shift),
    Design::Sobol(Scrambling::Owen),
];

/// Returns all numbers of a range of trajectories, as bits.
fn bits<T: Scalar>(columns: &Inputs<T>) -> Vec<Vec<u64>> {
    let row = |i: usize| columns.quantities().map(|c| c.get(i).widen().to_bits()).collect();
    (0..columns.trajectories).map(row).collect()
}

#[test]
fn threads_and_parts_have_the_same_bits() {
    for design in DESIGNS {
        let ensemble = ensemble().trajectories(10_007).sample(rules(design));
        let whole = bits(&columns(&ensemble));
        let options = SolveOptions::default();
        let serial =
            PreparedSolve::by(EvaluationThreads::Caller, &ensemble, &options, METHOD).unwrap();
        assert!(bits(&serial.inputs) == whole, "{design:?}");
        for of in [2, 3, 7, 1000] {
            let shard = |rank| bits(&columns(&ensemble.clone().shard((rank, of))));
            let joined: Vec<Vec<u64>> = (0..of).flat_map(shard).collect();
            assert!(joined == whole, "{design:?} in {of} shards");
        }
    }
}

/// Solves on one lane, in SIMD lanes and in shards.
#[test]
fn places_have_the_same_bits() {
    let ensemble = ensemble().trajectories(301).sample(rules(Design::default()));
    let options = SolveOptions::default();
    let whole = ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap();
    let lanes = ensemble.solve(Tsit5, EnsembleThreads.batch(17), &options).unwrap();
    assert_eq!(whole.final_states(), lanes.final_states());
    let shard = ensemble.shard((1, 3)).solve(Tsit5, EnsembleThreads, &options).unwrap();
    for trajectory in &shard {
        let of_whole = whole.trajectory(trajectory.number() as usize);
        assert_eq!((trajectory.p(), trajectory.u0()), (of_whole.p(), of_whole.u0()));
        assert_eq!(trajectory.final_state(), of_whole.final_state());
    }
    assert!(whole.all_succeeded());
}

/// Returns the first number of an input and a trajectory, computed with plain integers.
fn philox(seed: u64, kind: u32, index: u32, number: u64) -> f64 {
    let words = |x: u64| [x as u32, (x >> 32) as u32];
    let ([mut k0, mut k1], [low, high]) = (words(seed), words(number));
    let mut c = [index, kind, low, high];
    for _ in 0..10 {
        let [a, b] = [0xd251_1f53 * u64::from(c[0]), 0xcd9e_8d57 * u64::from(c[2])];
        c = [(b >> 32) as u32 ^ c[1] ^ k0, b as u32, (a >> 32) as u32 ^ c[3] ^ k1, a as u32];
        k0 = k0.wrapping_add(0x9e37_79b9);
        k1 = k1.wrapping_add(0xbb67_ae85);
    }
    let fraction = u64::from(c[0]) << 20 | u64::from(c[1]) >> 12;
    (fraction as f64 + 0.5) / 2_f64.powi(52)
}

/// The random numbers are Philox's, also for indices far beyond 32 bits.
#[test]
fn random_numbers_are_those_of_the_generator() {
    let seed = 0x0123_4567_89ab_cdef;
    let samples = Samples::seed(seed).p(2, Uniform(0.0, 1.0)).u0(1, Uniform(0.0, 1.0));
    for (n, shard) in
        [(100, (0, 1)), (1 << 40, ((1 << 34) - 1, 1 << 34)), (1 << 40, (1 << 26, 1 << 34))]
    {
        let ensemble = ensemble().trajectories(n).sample(samples.clone()).shard(shard);
        let columns = columns(&ensemble);
        for i in 0..columns.trajectories {
            let number = columns.first + i as u64;
            assert_eq!(columns.p[2].get(i), philox(seed, 1, 2, number), "{number}");
            assert_eq!(columns.u0[1].get(i), philox(seed, 0, 1, number), "{number}");
        }
        assert!(columns.p[1].shared().is_some() && columns.trajectories >= 64);
    }
}

/// A value depends neither on other rules nor on the number of trajectories.
#[test]
fn values_are_a_function_of_seed_quantity_and_number() {
    let one = |seed, n| {
        let samples = Samples::seed(seed).p(1, Normal { mean: 0.0, sd: 1.0 });
        parameter(&ensemble().trajectories(n).sample(samples), 1)
    };
    let other = Samples::seed(5).u0(0, Uniform(0.0, 1.0)).p(0, Uniform(0.0, 1.0));
    let both = other.p(1, Normal { mean: 0.0, sd: 1.0 });
    let both = ensemble().trajectories(50).sample(both);
    assert_eq!(one(5, 50), parameter(&both, 1));
    assert_eq!(one(5, 50)[..20], one(5, 20));
    assert!(one(5, 50).iter().zip(one(6, 50)).all(|(a, b)| *a != b));
    assert!(one(5, 50).iter().zip(one(5 + (1 << 32), 50)).all(|(a, b)| *a != b));
    assert!(
        parameter(&both, 0)
            .iter()
            .zip(columns(&both).u0[0].numbers(0..50).concat())
            .all(|(a, b)| *a != b)
    );
}

/// Every distribution by every design.
///
/// The test bounds the greatest distance between its distribution function and the values' one.
#[test]
fn distributions_combine_with_designs() {
    let n = 1 << 14;
    for design in DESIGNS {
        let columns = columns(&ensemble().trajectories(n).sample(rules(design)));
        // Random numbers: 1.95 in 1000 (Kolmogorov, Smirnov). Designs: each of `n` equal cells
        // contains one number.
        let bound = match design {
            Design::Random => 1.95 / (n as f64).sqrt(),
            _ => 1.000_001 / n as f64,
        };
        let check = |name: &str, values: &[f64], distribution: &dyn Fn(f64) -> f64| {
            let mut sorted = values.to_vec();
            sorted.sort_by(f64::total_cmp);
            for (i, &x) in sorted.iter().enumerate() {
                let (f, below, above) = (distribution(x), i as f64, (i + 1) as f64);
                let distance = (f - below / n as f64).max(above / n as f64 - f);
                assert!(distance < bound, "{name} by {design:?}: {distance:e} at {x}");
            }
        };
        check("Uniform", &columns.p[0].numbers(0..n).concat(), &|x| (x + 1.0) / 4.0);
        check("Normal", &columns.p[1].numbers(0..n).concat(), &|x| series::normal((x - 2.0) / 0.5));
        check("LogNormal", &columns.p[2].numbers(0..n).concat(), &|x| {
            series::normal((x.ln() - 1.0) / 0.25)
        });
        check("LogUniform", &columns.u0[0].numbers(0..n).concat(), &|x| {
            (x / 1e-3).ln() / 1e4_f64.ln()
        });
        let mut counts = [0; 5];
        for value in columns.p[3].numbers(0..n).concat() {
            assert!([1.0, 2.0, 4.0, 8.0, 16.0].contains(&value));
            counts[value.log2() as usize] += 1;
        }
        let expected = n as f64 / 5.0;
        let spread = if design == Design::Random { 4.0 * (0.8 * expected).sqrt() } else { 1.0 };
        assert!(
            counts.iter().all(|&count| (f64::from(count) - expected).abs() < spread),
            "{design:?}"
        );
        // Linspace is not random, so it is equal by every design.
        assert_eq!(columns.u0[1].get(0), 1.0);
        assert_eq!(columns.u0[1].get(n - 1), 2.0);
        // Inputs are not correlated.
        let centred =
            |values: &[f64], mean: f64| values.iter().map(|x| x - mean).collect::<Vec<_>>();
        let [x, y] = [
            centred(&columns.p[0].numbers(0..n).concat(), 1.0),
            centred(&columns.p[1].numbers(0..n).concat(), 2.0),
        ];
        let correlation = x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>() / n as f64;
        let correlation = correlation / (16.0 / 12.0_f64).sqrt() / 0.5;
        assert!(correlation.abs() < 4.0 / (n as f64).sqrt(), "{design:?}: {correlation}");
    }
}

/// The mean of a product over a square has a much smaller error with Sobol' points.
#[test]
fn designs_are_better_at_means() {
    let error = |design: Design| {
        let squares = (0..16).map(|seed| {
            let samples = Samples::seed(seed).design(design);
            let samples = samples.p(0, Uniform(0.0, 1.0)).p(1, Uniform(0.0, 1.0));
            let columns = columns(&ensemble().trajectories(1024).sample(samples));
            let value = |i: usize| (columns.p[0].get(i) * columns.p[1].get(i)).exp();
            let mean = (0..1024).map(value).sum::<f64>() / 1024.0;
            // The sum of 1 / (n! (n + 1)^2).
            (mean - 1.317_902_151_454_404).powi(2)
        });
        (squares.sum::<f64>() / 16.0).sqrt()
    };
    let [random, latin, shift, owen] = [DESIGNS[0], DESIGNS[1], DESIGNS[3], DESIGNS[4]].map(error);
    println!("{random:e} {latin:e} {shift:e} {owen:e}");
    // A Latin hypercube removes the part of the variance from functions of one input each (Stein
    // 1987), here three quarters.
    assert!(latin < random / 1.5 && shift < random / 10.0 && owen < random / 50.0);
}

/// The values of NumPy's `linspace` and `geomspace`, within a unit or two in the last place.
#[test]
fn values_evenly_apart() {
    let samples = Samples::seed(0).p(0, Linspace(0.1, 0.7)).p(1, 7.0);
    let columns = columns(&ensemble().trajectories(7).sample(samples));
    for (i, expected) in [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7].into_iter().enumerate() {
        assert!((columns.p[0].get(i) - expected).abs() < 1.2e-16, "{i}");
    }
    assert_eq!((columns.p[0].get(0), columns.p[0].get(6)), (0.1, 0.7));
    assert_eq!(columns.p[1].shared(), Some(7.0));
    let logspace = parameter(
        &ensemble().trajectories(6).sample(Samples::seed(0).p(0, Logspace(1e-3, 2e4))),
        0,
    );
    let expected = [
        0.001,
        0.02885399811814427,
        0.8325532074018732,
        24.022488679628626,
        693.1448431551464,
        20000.0,
    ];
    for (value, expected) in logspace.iter().zip(expected) {
        assert!((value / expected - 1.0).abs() < 2e-15, "{value}");
    }
    assert_eq!((logspace[0], logspace[5]), (0.001, 20000.0));
    // For one trajectory the result is the first value; the direction may be downwards.
    let one = Samples::seed(0).p(0, Linspace(3.0, 1.0)).p(1, Logspace(3.0, 1.0));
    let columns = crate::columns(&ensemble().trajectories(1).sample(one.clone()));
    assert_eq!([columns.p[0].get(0), columns.p[1].get(0)], [3.0, 3.0]);
    let columns = crate::columns(&ensemble().trajectories(3).sample(one));
    assert_eq!([0, 1, 2].map(|i| columns.p[0].get(i)), [3.0, 2.0, 1.0]);
    assert!((columns.p[1].get(1) - 3_f64.sqrt()).abs() < 5e-16);
}

#[test]
fn single_precision_rounds_the_same_values() {
    for design in DESIGNS {
        let ensemble = ensemble().trajectories(500).sample(rules(design));
        let (double, single) = (columns(&ensemble), columns(&ensemble.cast::<f32>()));
        for (double, single) in double.quantities().zip(single.quantities()) {
            for i in 0..500 {
                assert_eq!(single.get(i), double.get(i) as f32);
            }
        }
    }
}

/// The order is rows and axes, then samples, then the function.
#[test]
fn samples_replace_rows_and_are_seen_by_vary() {
    let rows: Vec<[f64; 4]> = (0..10).map(|i| [f64::from(i), -1.0, f64::NAN, 0.0]).collect();
    let samples = Samples::seed(3).p(1, Uniform(5.0, 6.0)).p(2, 1.5);
    let rows = ensemble().over(&rows).sample(samples.clone());
    let varied = rows.clone().vary(|mut problem, i| {
        problem.p[3] = problem.p[1] * i as f64;
        problem
    });
    for (of, is_varied) in [(columns(&rows), false), (columns(&varied), true)] {
        for i in 0..10 {
            assert_eq!((of.p[0].get(i), of.p[2].get(i)), (i as f64, 1.5));
            let sampled = of.p[1].get(i);
            assert!((5.0..6.0).contains(&sampled));
            assert_eq!(of.p[3].get(i), if is_varied { sampled * i as f64 } else { 0.0 });
        }
    }
    // In single precision the function receives the rounded numbers that are solved.
    let single = columns(&varied.cast::<f32>());
    for i in 0..10 {
        let sampled = f64::from(single.p[1].get(i));
        assert_eq!(single.p[3].get(i), (sampled * i as f64) as f32);
    }
    let grid =
        ensemble().grid([Axis::p(0, [1.0, 2.0]), Axis::u0(0, [0.1, 0.2, 0.3])]).sample(samples);
    let columns = columns(&grid);
    assert_eq!(columns.shape, [2, 3]);
    assert_eq!((columns.p[0].get(5), columns.u0[0].get(5)), (2.0, 0.3));
    assert!(columns.p[1].shared().is_none());
}

/// Sampled inputs may have any value in the problem.
#[test]
fn sampled_quantities_need_no_value() {
    let problem = OdeProblem::new(decay, [f64::NAN, 0.5], 0.0..=1.0, [1.0, f64::NAN, 3.0, 4.0]);
    let samples = Samples::seed(3).u0(0, Uniform(0.0, 1.0)).p(1, 2.0);
    let ensemble = EnsembleProblem::new(problem).trajectories(3);
    assert!(columns(&ensemble.clone().sample(samples.clone())).p[1].shared() == Some(2.0));
    let options = SolveOptions::default();
    let error =
        PreparedSolve::new(&ensemble.sample(samples.u0(1, 1.0)).cast::<f32>(), &options, METHOD);
    assert!(error.is_ok());
    let error =
        PreparedSolve::new(&EnsembleProblem::new(problem).trajectories(3), &options, METHOD);
    assert!(matches!(error, Err(SolveError::NonFinite { what: "u0", index: 0, .. })));
}

fn error(ensemble: Base) -> SolveError {
    ensemble.solve(Tsit5, EnsembleSerial, &SolveOptions::default()).unwrap_err()
}

fn refused(samples: Samples) -> SolveError {
    error(ensemble().trajectories(10).sample(samples))
}

#[test]
fn wrong_numbers_are_errors() {
    let seed = || Samples::seed(1);
    let negative = refused(seed().p("p1", Normal { mean: 1.0, sd: -0.5 }));
    assert!(matches!(
        negative,
        SolveError::Rule { name: "p1", rule: "Normal", number: "sd", value: -0.5, .. }
    ));
    assert_eq!(
        negative.to_string(),
        "the parameter `p1` of decay is sampled by Normal, whose sd is -0.5; it must not be negative"
    );
    let order = refused(seed().u0(1, Uniform(2.0, 1.0)));
    assert!(matches!(
        order,
        SolveError::RuleOrder { kind: "state", rule: "Uniform", low: 2.0, high: 1.0, .. }
    ));
    assert_eq!(
        order.to_string(),
        "the state `u1` of decay is sampled by Uniform(2, 1); give the lower end first"
    );
    let empty = refused(seed().p(0, Choice([0.0; 0])));
    assert!(matches!(empty, SolveError::NoChoice { name: "p0", .. }));
    assert_eq!(
        empty.to_string(),
        "the parameter `p0` of decay is sampled by a Choice without values; give at least one value"
    );
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let rules: [odes::sample::Rule; 16] = [
        nan.into(),
        Linspace(0.0, nan).into(),
        Linspace(infinite, 0.0).into(),
        Linspace(-1e308, 1e308).into(),
        Logspace(0.0, 1.0).into(),
        Logspace(1.0, -1.0).into(),
        Uniform(nan, 1.0).into(),
        Uniform(0.0, infinite).into(),
        Uniform(-1e308, 1e308).into(),
        LogUniform(0.0, 1.0).into(),
        LogUniform(1.0, nan).into(),
        Normal { mean: nan, sd: 1.0 }.into(),
        Normal { mean: 0.0, sd: infinite }.into(),
        LogNormal { mu: nan, sigma: 1.0 }.into(),
        LogNormal { mu: 0.0, sigma: -1e-9 }.into(),
        Choice(vec![1.0, nan]).into(),
    ];
    for rule in rules {
        let error = refused(seed().p(0, rule.clone()));
        assert!(matches!(error, SolveError::Rule { .. }), "{rule:?}: {error}");
    }
    assert!(matches!(refused(seed().p(0, LogUniform(2.0, 1.0))), SolveError::RuleOrder { .. }));
    // These are valid distributions.
    let narrow = seed().p(0, Uniform(2.0, 2.0)).p(1, Normal { mean: 3.0, sd: 0.0 }).p(2, infinite);
    let columns = columns(&ensemble().trajectories(10).sample(narrow));
    assert_eq!([0, 1, 2].map(|d| columns.p[d].shared()), [Some(2.0), Some(3.0), Some(infinite)]);
}

#[test]
fn wrong_quantities_are_errors() {
    let seed = || Samples::seed(1);
    let name = refused(seed().p("rho", Uniform(0.0, 1.0)));
    assert_eq!(name.to_string(), "decay has no parameter `rho`; it has `p0`, `p1`, `p2`, `p3`");
    assert!(matches!(refused(seed().u0(2, 1.0)), SolveError::Axis { kind: "state", .. }));
    let twice = refused(seed().p(1, 1.0).p("p1", 2.0));
    assert!(matches!(twice, SolveError::SampledTwice { name: "p1", index: 1, on_axis: false, .. }));
    assert_eq!(
        twice.to_string(),
        "the parameter `p1` (index 1) of decay is sampled by two rules; remove one of the two"
    );
    let grid = ensemble().grid([Axis::p(1, [1.0, 2.0])]).sample(seed().p(1, 1.0));
    let on_axis = error(grid);
    assert!(matches!(on_axis, SolveError::SampledTwice { on_axis: true, .. }));
    assert_eq!(
        on_axis.to_string(),
        "the parameter `p1` (index 1) of decay is sampled and is on an axis of the grid; remove \
         one of the two"
    );
    let same = seed().p(1, 1.0).u0(1, 1.0);
    assert!(columns(&ensemble().trajectories(2).sample(same)).p[1].shared() == Some(1.0));
}

#[test]
fn wrong_numbers_of_trajectories_are_errors() {
    let samples = Samples::seed(1).p(1, Uniform(0.0, 1.0));
    assert!(matches!(error(ensemble().sample(samples.clone())), SolveError::HowMany));
    let most = 1_usize << 32;
    for (design, name) in [(DESIGNS[1], "LatinHypercube"), (DESIGNS[4], "Sobol")] {
        let of = |n: usize| ensemble().trajectories(n).sample(samples.clone().design(design));
        let error = error(of(most + 1).shard((0, 1 << 20)));
        assert!(matches!(error, SolveError::Design { of: "trajectories", .. }));
        assert_eq!(
            error.to_string(),
            format!(
                "{name} supports at most 4294967296 trajectories, and there are 4294967297; use \
                 `Design::Random`"
            )
        );
        // The last one of the largest permitted number of trajectories.
        let columns = columns(&of(most).shard(((1 << 26) - 1, 1 << 26)));
        assert_eq!((columns.first, columns.trajectories), (most as u64 - 64, 64));
        let mut values: Vec<f64> = (0..64).map(|i| columns.p[1].get(i)).collect();
        values.sort_by(f64::total_cmp);
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{name}");
        assert!(values[0] > 0.0 && values[63] < 1.0);
    }
}

/// A backend that draws inputs itself, in lanes, if it can.
///
/// It draws all rules of ordinary ensembles, and none if something else reads them.
struct Drawing<A> {
    place: A,
    drawn: usize,
}

impl<A: EnsembleAlgorithm> Drawing<A> {}

impl<A: EnsembleAlgorithm> RequestVisitor for Drawing<A> {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let columns = job.inputs;
        let is_drawn = |column: &&Input<T>| column.shared().is_none() && !column.is_stored();
        assert_eq!(columns.quantities().filter(is_drawn).count(), self.drawn);
        run_job(&self.place, Job::Solve(job))
    }
}

impl<A: EnsembleAlgorithm> EnsembleAlgorithm for Drawing<A> {
    type Compiled = A::Compiled;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { draws_samples: true, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}

/// Returns the contents of a solution as bits: problem, result and counts of each trajectory.
fn shown<T: Scalar>(solution: &EnsembleSolution<decay, T, 2, 4>) -> Vec<Vec<u64>> {
    let bits = |x: T| x.widen().to_bits();
    let of = |one: Trajectory<'_, decay, T, 2, 4>| {
        let numbers = one.u0().into_iter().chain(one.p()).chain(one.final_state());
        let steps = [u64::from(one.accepted()), u64::from(one.rejected()), one.number()];
        numbers.map(bits).chain(steps).collect()
    };
    solution.iter().map(of).collect()
}

fn drawn_as_evaluated<T: Scalar>(design: Design) {
    let samples = rules(design);
    let ensemble = ensemble().trajectories(3001).sample(samples).cast::<T>();
    let options = SolveOptions::default().tolerance(1e-4);
    let expected = shown(&ensemble.solve(Tsit5, EnsembleSerial, &options).unwrap());
    let lanes = Drawing { place: EnsembleThreads.batch(999), drawn: 6 };
    assert!(shown(&ensemble.solve(Tsit5, &lanes, &options).unwrap()) == expected, "{design:?}");
    let shard = ensemble.clone().shard((1, 3)).solve(Tsit5, &lanes, &options).unwrap();
    assert!(shown(&shard) == expected[1000..2000], "{design:?}");
    let Some(cpp) = HostCpp::find() else { return };
    let cpp = Drawing { place: cpp, drawn: 6 };
    assert!(shown(&ensemble.solve(Tsit5, &cpp, &options).unwrap()) == expected, "{design:?}");
    let shard = ensemble.shard((1, 3)).solve(Tsit5, &cpp, &options).unwrap();
    assert!(shown(&shard) == expected[1000..2000], "{design:?}");
}

/// The backend draws sampled inputs, in lanes or by a kernel's text.
///
/// The bits equal those of inputs evaluated in advance, and the solution contains the drawn values.
#[test]
fn places_draw_samples() {
    for design in DESIGNS {
        drawn_as_evaluated::<f64>(design);
    }
    drawn_as_evaluated::<f32>(Design::Random);
    drawn_as_evaluated::<f32>(Design::LatinHypercube);
}

/// The other rules, and inputs beside them from rows and axes.
#[test]
fn places_draw_beside_rows() {
    let samples = Samples::seed(7)
        .p(0, Logspace(0.5, 2.0))
        .p(1, 1.5)
        .p(2, Choice((0..4096).map(f64::from)))
        .p(3, Choice((0..4097).map(f64::from)));
    let rows: Vec<[f64; 2]> = (0..500).map(|i| [f64::from(i), 1.0 / f64::from(i + 1)]).collect();
    let rows = ensemble().over_u0(&rows).sample(samples.clone());
    let options = SolveOptions::default().fixed_step(0.25);
    let expected = shown(&rows.solve(Tsit5, EnsembleSerial, &options).unwrap());
    // The host reads the longer table.
    let lanes = Drawing { place: EnsembleThreads, drawn: 2 };
    assert!(shown(&rows.solve(Tsit5, lanes, &options).unwrap()) == expected);
    if let Some(cpp) = HostCpp::find() {
        let cpp = Drawing { place: cpp, drawn: 2 };
        assert!(shown(&rows.solve(Tsit5, cpp, &options).unwrap()) == expected);
    }
    let grid = ensemble().grid([Axis::u0(0, [0.1, 0.2, 0.3]), Axis::u0(1, [1.0, 2.0])]);
    let grid = grid.sample(samples);
    let expected = shown(&grid.solve(Tsit5, EnsembleSerial, &options).unwrap());
    let lanes = Drawing { place: EnsembleThreads, drawn: 2 };
    assert!(shown(&grid.solve(Tsit5, lanes, &options).unwrap()) == expected);
}

/// Closures and stops receive sampled values before the solve.
#[test]
fn what_is_read_before_is_evaluated() {
    let options = SolveOptions::default().fixed_step(0.25);
    let ensemble = ensemble().trajectories(10).sample(rules(Design::Random));
    let evaluated = |drawn| Drawing { place: EnsembleSerial, drawn };
    let expected = shown(&ensemble.solve(Tsit5, evaluated(6), &options).unwrap());
    let varied = ensemble.clone().vary(|problem, _| problem);
    assert!(shown(&varied.solve(Tsit5, evaluated(0), &options).unwrap()) == expected);
    let stopped =
        ensemble.tstops(|problem: &OdeProblem<decay, f64, 2, 4>, _| [problem.p[3] / 32.0]);
    let adaptive = SolveOptions::default();
    let lanes = stopped.solve(Tsit5, evaluated(0), &adaptive).unwrap();
    assert!(shown(&lanes) == shown(&stopped.solve(Tsit5, EnsembleSerial, &adaptive).unwrap()));
}

/// Prints the device compiler's report of kernels that draw, and of kernels that load.
#[needs(nvrtc)]
#[test]
fn kernels_that_draw_compile() {
    fn resources<T: Scalar>(samples: Samples) {
        let options = SolveOptions::default();
        let solve = |draws: bool| {
            let ensemble = ensemble().trajectories(10).sample(samples.clone()).cast::<T>();
            let seen = Mutex::new(String::new());
            let place = Compiling { draws, seen: &seen };
            let failed = ensemble.solve(Tsit5, place, &options);
            assert!(matches!(failed, Err(SolveError::NotPrepared)));
            seen.into_inner().unwrap()
        };
        let (drawn, loaded) = (solve(true), solve(false));
        eprintln!("{}: drawn {drawn}\n     loaded {loaded}", T::NAME);
    }
    if let Err(error) = Nvrtc::get() {
        return Needed::Nvrtc.is_missing(error);
    }
    let one = Samples::seed(1).p(0, Uniform(0.0, 1.0));
    resources::<f32>(one.clone());
    resources::<f64>(one);
    for design in DESIGNS {
        eprintln!("{design:?}");
        resources::<f32>(rules(design));
        resources::<f64>(rules(design));
    }
}

/// A backend that compiles the kernel for a device, and then fails.
struct Compiling<'a> {
    draws: bool,
    seen: &'a Mutex<String>,
}

impl Compiling<'_> {}

impl RequestVisitor for Compiling<'_> {
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError> {
        let SolveJob { task, options: settings, inputs: columns, sink: _ } = job;
        let text = task.kernel(&KernelConfig::new(settings, columns, true))?;
        let begin = Instant::now();
        let compiled =
            KernelSource::new(KERNEL_NAME, &text).compile("sm_90", &Cache::off()).unwrap();
        let seen = format!("{:?} in {:.2?}", compiled.resources, begin.elapsed());
        *self.seen.lock().unwrap() = seen;
        Err(SolveError::NotPrepared)
    }
}

impl EnsembleAlgorithm for Compiling<'_> {
    type Compiled = Text;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { draws_samples: self.draws, ..Capabilities::default() }
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        request.visit(self)
    }
}
