//! Gradients through events have the same bits on all backends.

use crate::cpp::HostCpp;
use crate::events::{ball_of, cell_of, doses, heater, pills};
use crate::gpu::gpu;
use odes::backend::{InstructionSet, Schedule};
use odes::gradient::{Cotangents, EnsembleGradient};
use odes::methods::{Differentiable, Rodas4};
use odes::ndarray::{Array2, Array3};
use odes::prelude::*;

fn bits<T, const N: usize, const P: usize>(found: &EnsembleGradient<T, N, P>) -> Vec<u64>
where
    T: odes::lane::Scalar + Into<f64>,
{
    let (by_u0, by_p) = (found.all_u0(), found.all_p());
    by_u0.iter().chain(by_p.iter()).map(|number| (*number).into().to_bits()).collect()
}

/// All backends of a CPU, C++ and a GPU give the bits of one lane.
fn bits_of<S, T, M, F, const N: usize, const P: usize>(
    ensemble: &EnsembleProblem<S, T, F, N, P>,
    method: M,
    options: &SolveOptions,
    by: &Cotangents<T>,
) where
    S: odes::system::PullBack<N, P>,
    T: odes::lane::Scalar + Into<f64>,
    M: Differentiable + Copy,
    F: odes::problem::Vary<S, T, N, P>,
{
    let serial = ensemble.pull_back(method, EnsembleSerial, options, by.clone()).unwrap();
    let expected = bits(&serial);
    assert!(expected.iter().filter(|bits| **bits != 0).count() * 2 > expected.len());
    assert_eq!(serial.failed(), 0);
    let check = |found: EnsembleGradient<T, N, P>, place: &str| {
        assert!(bits(&found) == expected, "{place}");
    };
    for set in InstructionSet::available() {
        let place = EnsembleThreads.threads(2).instructions(set).batch(37);
        check(ensemble.pull_back(method, place, options, by.clone()).unwrap(), &format!("{set:?}"));
    }
    if let Some(cpp) = HostCpp::find() {
        check(ensemble.pull_back(method, cpp, options, by.clone()).unwrap(), "C++");
    }
    if let Some(gpu) = gpu() {
        for schedule in [Schedule::Static, Schedule::Refill] {
            let gpu = gpu.clone().schedule(schedule).batch(100);
            check(ensemble.pull_back(method, gpu, options, by.clone()).unwrap(), "GPU");
        }
    }
}

#[test]
fn bits_are_equal() {
    let count = 130;
    let part = move |i: usize| i as f64 / count as f64;
    let times = [0.0, 0.45, 1.0, 1.8, 2.0];
    let saved = |n: usize| {
        let by =
            Array3::from_shape_fn((count, times.len(), n), |(i, j, k)| (i + 2 * j + 3 * k) as f64);
        Cotangents::saved(by).last(Array2::from_shape_fn((count, n), |(i, d)| 1.0 + (i * d) as f64))
    };
    let fixed = SolveOptions::default().fixed_step(0.07).saveat(times);
    let adaptive = SolveOptions::default().tolerance(1e-7).saveat(times);

    let balls = EnsembleProblem::new(ball_of([1.0, 0.0, 9.8, 0.8], 2.0))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([9.8, 0.72 + 0.2 * part(i)]));
    for options in [&adaptive, &fixed] {
        bits_of(&balls, Tsit5, options, &saved(3));
    }
    bits_of(&balls, Rodas4, &adaptive, &saved(3));

    let cells = EnsembleProblem::new(cell_of([0.1, 1.0, 1.3, 1.0, 0.6, 3.0], 2.0))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([1.3, 1.0 + part(i), 0.6, 2.0 + part(i)]));
    bits_of(&cells, Tsit5, &adaptive, &saved(3));

    let modes = heater::Modes { power: 3.0, until: 100.0 };
    let p = heater::Parameters { modes, loss: 0.7, high: 2.0, rest: 0.2, gain: 2.5 };
    let heaters =
        EnsembleProblem::new(OdeProblem::new(heater, heater::State { warm: 0.5 }, 0.0..=2.0, p))
            .trajectories(count)
            .vary(move |problem, i| problem.with_u0([0.5 + part(i)]));
    bits_of(&heaters, Tsit5, &adaptive, &saved(1));

    let p = doses::Parameters { k: 0.4, first: 0.3, gap: 0.5, amount: 2.0, until: 1.1, rate: 0.8 };
    let dosed = EnsembleProblem::new(OdeProblem::new(doses, doses::State { x: 0.5 }, 0.0..=2.0, p))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([0.4, 0.3 + 0.2 * part(i), 0.5, 2.0, 1.1, 0.8]));
    bits_of(&dosed, Tsit5, &adaptive, &saved(1));

    let by = Array3::from_shape_fn((count, times.len(), 3), |(i, j, k)| (i + j + k) as f32);
    let single = Cotangents::saved(by);
    let p = pills::Parameters { k: 0.7, first: 0.3, amount: 2.0 };
    let taken = EnsembleProblem::new(OdeProblem::new(pills, pills::State { x: 0.5 }, 0.0..=2.0, p))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([0.7, 0.3 + 1.5 * part(i), 2.0]));
    bits_of(&taken, Tsit5, &fixed, &saved(1));
    bits_of(&balls.cast::<f32>(), Tsit5, &adaptive.tolerance(1e-4), &single);
}
