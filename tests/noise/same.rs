//! Equal bits on all backends.

use crate::everywhere::succeeds_everywhere;
use crate::systems::{geometric, heston, relaxing};
use odes::lane::Scalar;
use odes::methods::{EulerMaruyama, Method};
use odes::prelude::*;

fn options() -> SolveOptions {
    SolveOptions::default().fixed_step(0.0625).noise_seed(u64::MAX - 5).saveat([0.25, 0.4, 1.0])
}

fn of_geometric<M: Method, T: Scalar>(method: M) {
    let parameters = geometric::Parameters { drift: 1.01, volatility: 0.87 };
    let start = geometric::State { x: 0.5, w: 0.0 };
    let problem = OdeProblem::new(geometric, start, 0.0..=1.03, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(203);
    succeeds_everywhere(method, &ensemble, &options());
}

fn of_relaxing<M: Method, T: Scalar>(method: M) {
    let parameters = relaxing::Parameters { rate: 1.0, mean: 1.2, sd: [0.3, 0.5] };
    let problem = OdeProblem::new(relaxing, [0.0; 2], 0.0..=1.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(203);
    succeeds_everywhere(method, &ensemble, &options());
}

fn of_heston<M: Method, T: Scalar>(method: M) {
    let parameters = heston::Parameters {
        rate: 0.05,
        reversion: 2.0,
        mean: 0.04,
        volatility: 0.3,
        correlation: -0.7,
    };
    let start = heston::State { price: 100.0, variance: 0.04 };
    let problem = OdeProblem::new(heston, start, 0.0..=1.0, parameters).cast::<T>();
    let ensemble = EnsembleProblem::new(problem).trajectories(203);
    succeeds_everywhere(method, &ensemble, &options());
}

#[test]
fn euler_maruyama() {
    of_geometric::<_, f64>(EulerMaruyama);
    of_relaxing::<_, f32>(EulerMaruyama);
    of_heston::<_, f32>(EulerMaruyama);
    of_heston::<_, f64>(EulerMaruyama);
}
