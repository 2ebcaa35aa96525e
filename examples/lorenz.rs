//! The Lorenz system, ten thousand times.
//!
//! ```text
//! cargo run --release --example lorenz
//! cargo run --release --example lorenz -- --trajectories 1000000 --precision f32 --json
//! cargo run --release --example lorenz -- --plot lorenz.png --out lorenz.npz
//! ```
//!
//! Every trajectory starts at (1, 0, 0) and has parameters of its own, uniform between zero and
//! Lorenz's (10, 28, 8/3); it is followed to t = 100 and saved at every unit of time. With a CUDA
//! GPU in the machine it is solved there, otherwise on all cores of the CPU.

mod support;

use std::collections::BTreeMap;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::{EnsembleSolution, SolveError};

use support::options::{Options, Precision};
use support::picture::{Curve, End, Picture};
use support::place::Place;
use support::progress::Progress;
use support::random::uniform;
use support::summary::{Summary, grouped, moments, seconds};

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    du[0] = sigma * (y - x);
    du[1] = x * (rho - z) - y;
    du[2] = x * y - beta * z;
}

/// The parameters of trajectory `i`.
fn parameters(seed: u64, i: usize) -> [f64; 3] {
    let random = |k| uniform(seed, 3 * i as u64 + k);
    [10.0 * random(0), 28.0 * random(1), 8.0 / 3.0 * random(2)]
}

fn main() -> ExitCode {
    let begin = Instant::now();
    let options = Options::parse();
    let outcome = match options.precision {
        Precision::F32 => run::<f32>(&options, begin),
        Precision::F64 => run::<f64>(&options, begin),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Solves and reports in precision `T`.
fn run<T: Scalar>(options: &Options, begin: Instant) -> Result<(), Box<dyn Error>> {
    let mut how = SolveOptions::default().abstol(options.abstol).reltol(options.reltol);
    if let Some(dt) = options.dt {
        how = how.fixed_step(dt);
    }
    let place = Place::choose(options.backend)?;
    let progress = Progress::spinner("solving");
    let solution =
        solve::<T>(options.seed, options.trajectories, &place, &how.clone().saveat(1.0))?;
    drop(progress);

    let summary = summarize(options, &place, &solution, begin);
    if let Some(path) = &options.out {
        // The feature `save`.
        solution.write_npz(path)?;
    }
    if let Some(path) = &options.plot {
        draw(options, &how, &solution, &summary)?.save(path)?;
    }
    if options.json {
        println!("{}", summary.json());
    } else {
        println!("{summary}");
    }
    Ok(())
}

type Solution<T> = EnsembleSolution<lorenz, T, 3, 3>;

/// The first `trajectories` trajectories of a seed.
fn solve<T: Scalar>(
    seed: u64,
    trajectories: usize,
    place: &Place,
    how: &SolveOptions,
) -> Result<Solution<T>, SolveError> {
    let problem =
        OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=100.0, [10.0, 28.0, 8.0 / 3.0]).cast::<T>();
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(trajectories)
        .vary(|problem, i| problem.with_p(parameters(seed, i).map(T::narrow)));
    ensemble.solve(Tsit5, &place.algorithm, how)
}

fn summarize<T: Scalar>(
    options: &Options,
    place: &Place,
    solution: &Solution<T>,
    begin: Instant,
) -> Summary {
    let n = solution.len();
    let counts = solution.code_counts();
    let codes = counts.iter().map(|(code, n)| (code.to_string(), *n)).collect::<BTreeMap<_, _>>();
    let successes = counts.iter().filter(|(code, _)| code.is_success()).map(|(_, n)| n).sum();
    let good = (0..n).filter(|&i| solution.code(i).is_success());
    let (mean, std) = moments(good.map(|i| solution.final_state(i).map(T::widen)));
    let times = solution.timings();
    let solving = times.total - times.compile;
    Summary {
        backend: place.name.to_owned(),
        device: solution.backend().to_string(),
        precision: options.precision.name().to_owned(),
        trajectories: n,
        successes,
        codes,
        steps_accepted: (0..n).map(|i| u64::from(solution.accepted(i))).sum(),
        steps_rejected: (0..n).map(|i| u64::from(solution.rejected(i))).sum(),
        seconds_compile: times.compile,
        seconds_solve: solving,
        seconds_total: begin.elapsed().as_secs_f64(),
        trajectories_per_second: n as f64 / solving,
        mean: mean.to_vec(),
        std: std.to_vec(),
    }
}

/// The picture of a solution. Its curves need more points than one per unit of time, so some
/// trajectories are solved again with more.
fn draw<T: Scalar>(
    options: &Options,
    how: &SolveOptions,
    solution: &Solution<T>,
    summary: &Summary,
) -> Result<Picture, SolveError> {
    let progress = Progress::spinner("drawing");
    let few = solution.len().min(300);
    let dense = solve::<T>(options.seed, few, &Place::threads(), &how.clone().saveat(0.01))?;
    let rho = |i: usize| parameters(options.seed, i)[1];
    let curves = dense.iter().enumerate().map(|(i, trajectory)| Curve {
        parameter: rho(i),
        points: trajectory.states().map(|u| u.map(T::widen)).collect(),
    });
    let end = |i| End { parameter: rho(i), state: solution.final_state(i).map(T::widen) };
    let picture = Picture {
        title: "Lorenz 1963".to_owned(),
        subtitle: format!(
            "{} trajectories, σ, ρ, β uniform up to 10, 28, 8/3, t from 0 to 100 · Tsit5, {} · {} \
             in {}",
            grouped(solution.len() as u64),
            summary.precision,
            summary.device,
            seconds(summary.seconds_solve)
        ),
        components: ["x", "y", "z"],
        parameter: "ρ",
        range: [0.0, 28.0],
        curves: curves.collect(),
        ends: (0..solution.len()).filter(|&i| solution.code(i).is_success()).map(end).collect(),
    };
    drop(progress);
    Ok(picture)
}
