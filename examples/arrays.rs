//! The Lorenz ensemble of SciML's examples, in lockstep and with one step size for each trajectory.
//!
//! ```text
//! cargo run --release -p odes-examples --example arrays
//! cargo run --release -p odes-examples --example arrays -- 100000
//! ```
//!
//! The example solves 10,000 trajectories, or as many as the argument requests, to t = 100 with 101
//! saved states. Parameters are uniform up to (10, 28, 8/3). The precision is `f32`, and the
//! methods are `Tsit5`, `Rodas5P` and `TrBdf2`.
//!
//! Each line contains the median time of a solve, the most steps that a trajectory attempted, and
//! the attempted steps of all trajectories. For lockstep it also contains the greatest error of a
//! step, in units of the tolerance. Without a GPU, its lines state the reason.

mod support;

use std::error::Error;
use std::time::Instant;

use odes::backend::{EnsembleAlgorithm, LockstepNorm};
use odes::lane::Scalar;
use odes::methods::{Method, TrBdf2};
use odes::prelude::*;
use odes::problem::Vary;

use support::random::uniform;
use support::summary::median;

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

type Ensemble<F> = EnsembleProblem<lorenz, f32, F, 3, 3>;

/// The number of timed solves of each line.
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse())?;
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=100.0, [10.0, 28.0, 8.0 / 3.0]);
    let random = |i: usize, k: usize| uniform(7, (3 * i + k) as u64);
    let p = |i| [10.0 * random(i, 0), 28.0 * random(i, 1), 8.0 / 3.0 * random(i, 2)];
    let ensemble = EnsembleProblem::new(problem.cast::<f32>())
        .trajectories(n)
        .vary(move |problem, i| problem.with_p(p(i).map(f32::narrow)));
    println!("{n} trajectories, f32, reltol 1e-3, abstol 1e-6, 101 saved states");
    println!("| method | backend | ms | most steps | all steps | worst |");
    println!("|---|---|---|---|---|---|");
    by(Tsit5, &ensemble)?;
    by(Rodas5P, &ensemble)?;
    by(TrBdf2, &ensemble)?;
    match EnsembleGpuArray::device(0) {
        Ok(array) => println!("GPU: {}", array.devices()[0]),
        Err(error) => println!("no GPU: {error}"),
    }
    Ok(())
}

/// Prints the lines of a method.
fn by<M, F>(method: M, ensemble: &Ensemble<F>) -> Result<(), Box<dyn Error>>
where
    M: Method,
    F: Vary<lorenz, f32, 3, 3>,
{
    line(method, ensemble, "EnsembleThreads", Some(EnsembleThreads))?;
    line(method, ensemble, "EnsembleCpuArray", Some(EnsembleCpuArray))?;
    let mean = EnsembleCpuArray::new().norm(LockstepNorm::Mean);
    line(method, ensemble, "EnsembleCpuArray, mean", Some(mean))?;
    line(method, ensemble, "EnsembleGpuKernel", EnsembleGpuKernel::device(0).ok())?;
    let array = EnsembleGpuArray::device(0).ok();
    line(method, ensemble, "EnsembleGpuArray", array.clone())?;
    let mean = array.map(|array| array.norm(LockstepNorm::Mean));
    line(method, ensemble, "EnsembleGpuArray, mean", mean)
}

/// Solves several times, and prints a line of the table; `place` is `None` if there is no device.
fn line<M, F, A>(
    method: M,
    ensemble: &Ensemble<F>,
    name: &str,
    place: Option<A>,
) -> Result<(), Box<dyn Error>>
where
    M: Method,
    F: Vary<lorenz, f32, 3, 3>,
    A: EnsembleAlgorithm,
{
    let method_name = M::PROPERTIES.name;
    let Some(place) = place else {
        println!("| {method_name} | {name} | no GPU | | | |");
        return Ok(());
    };
    let options = SolveOptions::default().saveat(1.0);
    let mut times = Vec::new();
    let mut solution = ensemble.solve(method, &place, &options)?;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        solution = ensemble.solve(method, &place, &options)?;
        times.push(begin.elapsed().as_secs_f64());
    }
    let steps = (0..solution.len()).map(|i| solution.accepted(i) + solution.rejected(i));
    let most = steps.clone().max().unwrap_or(0);
    let steps: u64 = steps.map(u64::from).sum();
    let worst = solution.worst_member();
    let worst = worst.map_or("".to_owned(), |worst| format!("{:.2}", worst.error));
    let ms = 1e3 * median(times);
    println!("| {method_name} | {name} | {ms:.1} | {most} | {steps} | {worst} |");
    if !solution.all_succeeded() {
        println!("of these {:?}", solution.code_counts());
    }
    Ok(())
}
