//! Gradients through events have the same bits on all backends.

use crate::events::{ball_of, cell_of, doses, heater, pills};
use crate::same::same_gradients;
use odes::gradient::Cotangents;
use odes::methods::Rodas4;
use odes::ndarray::{Array2, Array3};
use odes::prelude::*;

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
        same_gradients(&balls, Tsit5, options, &saved(3));
    }
    same_gradients(&balls, Rodas4, &adaptive, &saved(3));

    let cells = EnsembleProblem::new(cell_of([0.1, 1.0, 1.3, 1.0, 0.6, 3.0], 2.0))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([1.3, 1.0 + part(i), 0.6, 2.0 + part(i)]));
    same_gradients(&cells, Tsit5, &adaptive, &saved(3));

    let modes = heater::Modes { power: 3.0, until: 100.0 };
    let p = heater::Parameters { modes, loss: 0.7, high: 2.0, rest: 0.2, gain: 2.5 };
    let heaters =
        EnsembleProblem::new(OdeProblem::new(heater, heater::State { warm: 0.5 }, 0.0..=2.0, p))
            .trajectories(count)
            .vary(move |problem, i| problem.with_u0([0.5 + part(i)]));
    same_gradients(&heaters, Tsit5, &adaptive, &saved(1));

    let p = doses::Parameters { k: 0.4, first: 0.3, gap: 0.5, amount: 2.0, until: 1.1, rate: 0.8 };
    let dosed = EnsembleProblem::new(OdeProblem::new(doses, doses::State { x: 0.5 }, 0.0..=2.0, p))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([0.4, 0.3 + 0.2 * part(i), 0.5, 2.0, 1.1, 0.8]));
    same_gradients(&dosed, Tsit5, &adaptive, &saved(1));

    let by = Array3::from_shape_fn((count, times.len(), 3), |(i, j, k)| (i + j + k) as f32);
    let single = Cotangents::saved(by);
    let p = pills::Parameters { k: 0.7, first: 0.3, amount: 2.0 };
    let taken = EnsembleProblem::new(OdeProblem::new(pills, pills::State { x: 0.5 }, 0.0..=2.0, p))
        .trajectories(count)
        .vary(move |problem, i| problem.with_p([0.7, 0.3 + 1.5 * part(i), 2.0]));
    same_gradients(&taken, Tsit5, &fixed, &saved(1));
    same_gradients(&balls.cast::<f32>(), Tsit5, &adaptive.tolerance(1e-4), &single);
}
