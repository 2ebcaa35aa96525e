//! The cost of a gradient relative to a solve of the same trajectories, on each backend.

use std::time::{Duration, Instant};

use odes::backend::EnsembleAlgorithm;
use odes::gradient::EnsembleLoss;
use odes::lane::Scalar;
use odes::prelude::*;
use serde::Serialize;

use crate::Failure;
use crate::output::{Output, Row, median, significant};
use crate::workloads::Precision;

/// Lorenz (1963). The loss is the square of the final state.
#[ode_system]
mod lorenz {
    pub struct Theta {
        pub sigma: f64,
        pub beta: f64,
    }
    pub struct Item {
        pub rho: f64,
    }
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }
    pub struct Parameters {
        pub sigma: f64,
        pub rho: f64,
        pub beta: f64,
    }

    fn initial(_theta: &Theta) -> State {
        State { x: 1.0, y: 0.0, z: 0.0 }
    }

    fn parameters(theta: &Theta, item: &Item) -> Parameters {
        Parameters { sigma: theta.sigma, rho: item.rho, beta: theta.beta }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State {
            x: p.sigma * (u.y - u.x),
            y: u.x * (p.rho - u.z) - u.y,
            z: u.x * u.y - p.beta * u.z,
        }
    }

    #[loss]
    fn square(u: &State) -> f64 {
        u.x * u.x + u.y * u.y + u.z * u.z
    }
}

/// A gradient on a backend.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    precision: Precision,
    steps: &'static str,
    place: String,
    trajectories: usize,
    /// The median times of a solve for final states: on the backend alone, and of the whole call.
    solve_ms: [f64; 2],
    /// The same times of a gradient.
    gradient_ms: [f64; 2],
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("", 3),
        ("steps", 8),
        ("N", 8),
        ("place", 12),
        ("solve ms", 9),
        ("call", 8),
        ("gradient", 9),
        ("call", 8),
        ("ratio", 6),
        ("of calls", 8),
    ];

    fn cells(&self) -> Vec<String> {
        let [solve, gradient] = [self.solve_ms, self.gradient_ms];
        let three = |number: f64| significant(Some(number), 3);
        vec![
            self.precision.name().to_owned(),
            self.steps.to_owned(),
            self.trajectories.to_string(),
            self.place.clone(),
            three(solve[0]),
            three(solve[1]),
            three(gradient[0]),
            three(gradient[1]),
            three(gradient[0] / solve[0]),
            three(gradient[1] / solve[1]),
        ]
    }
}

/// Measures all backends.
pub(crate) fn run(quick: bool, output: &mut Output) -> Result<(), Failure> {
    for (name, options) in [
        ("1e-6", SolveOptions::default().tolerance(1e-6)),
        ("1e-8", SolveOptions::default().tolerance(1e-8)),
        ("1000", SolveOptions::default().fixed_step(1e-3)),
    ] {
        for trajectories in [2048, 32_768, 1 << 20] {
            of(Precision::F64, name, &options, trajectories, quick, output, |loss| loss)?;
            if name != "1e-8" {
                of(Precision::F32, name, &options, trajectories, quick, output, |loss| {
                    loss.cast::<f32>()
                })?;
            }
        }
    }
    Ok(())
}

type Loss<T> = lorenz::EnsembleLoss<T>;

fn of<T: Scalar>(
    precision: Precision,
    steps: &'static str,
    options: &SolveOptions,
    trajectories: usize,
    quick: bool,
    output: &mut Output,
    cast: impl Fn(Loss<f64>) -> Loss<T>,
) -> Result<(), Failure> {
    let rho = |i: usize| 21.0 * i as f64 / trajectories as f64;
    let items = (0..trajectories).map(|i| lorenz::Item { rho: rho(i) });
    let loss = cast(EnsembleLoss::new(lorenz, 0.0..=1.0, items));
    let theta = lorenz::Theta { sigma: 10.0, beta: 8.0 / 3.0 };
    let saved = options.clone().saveat([1.0]);
    let mut places: Vec<(String, Box<dyn EnsembleAlgorithm>)> = Vec::new();
    if trajectories <= 32_768 {
        places.push(("1 thread".to_owned(), Box::new(EnsembleThreads.threads(1))));
    }
    if let Ok(gpu) = EnsembleGpuKernel::device(0) {
        places.push(("GPU".to_owned(), Box::new(gpu)));
    }
    for (place, algorithm) in places {
        let ensemble = loss.ensemble(theta);
        let solve = || {
            let timings = ensemble.solve(Tsit5, &algorithm, options)?.timings();
            Ok::<_, Failure>([timings.solve, timings.total])
        };
        let gradient = || {
            let begin = Instant::now();
            let found = loss.gradient(Tsit5, &algorithm, &saved, theta)?;
            assert_eq!(found.failed, 0, "all trajectories are to count");
            let solve = found.trajectories().report().timings.solve;
            Ok::<_, Failure>([solve, begin.elapsed()])
        };
        let of = |call: &dyn Fn() -> Result<[Duration; 2], Failure>| {
            // The first call compiles a kernel; the second one reserves no memory any more.
            call()?;
            call()?;
            let runs = if quick { 1 } else { 7 };
            let times = (0..runs).map(|_| call()).collect::<Result<Vec<_>, _>>()?;
            let seconds = |k: usize| times.iter().map(|t| t[k].as_secs_f64()).collect::<Vec<_>>();
            Ok::<_, Failure>([0, 1].map(|k| 1e3 * median(seconds(k))))
        };
        let (solve_ms, gradient_ms) = (of(&solve)?, of(&gradient)?);
        output.row(&Measured {
            bench: "gradients",
            precision,
            steps,
            place,
            trajectories,
            solve_ms,
            gradient_ms,
        })?;
    }
    Ok(())
}
