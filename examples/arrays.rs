//! The Lorenz ensemble of SciML's examples, as columns with one step size and as trajectories with
//! steps of their own.
//!
//! ```text
//! cargo run --release --example arrays
//! cargo run --release --example arrays -- 100000
//! ```
//!
//! 10,000 trajectories, or as many as the argument says, with parameters uniform up to (10, 28, 8/3), to
//! t = 100 with 101 saved states, in `f32` by `Tsit5`, `Rodas5P` and `TrBdf2`. Each line has the median
//! time of a solve, steps of all trajectories together, and for columns the greatest error of a step in
//! units of the tolerance.

mod support;

use std::error::Error;
use std::time::Instant;

use odes::lane::Scalar;
use odes::prelude::*;
use odes::{EnsembleAlgorithm, Method, Vary};

use support::random::uniform;

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

type Ensemble<F> = EnsembleProblem<lorenz, f32, F, 3, 3>;

/// How often each solve is timed.
const ROUNDS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let n = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse())?;
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=100.0, [10.0, 28.0, 8.0 / 3.0]);
    let random = |i: usize, k: usize| uniform(7, (3 * i + k) as u64);
    let p = |i| [10.0 * random(i, 0), 28.0 * random(i, 1), 8.0 / 3.0 * random(i, 2)];
    let ensemble = EnsembleProblem::new(problem.cast::<f32>())
        .trajectories(n)
        .vary(move |problem, i| problem.with_p(p(i).map(f32::narrow)));
    println!("{n} trajectories, f32, reltol 1e-3, abstol 1e-6, 101 saved states");
    println!("| method | place | ms | steps | worst |");
    println!("|---|---|---|---|---|");
    by(Tsit5, &ensemble)?;
    by(Rodas5P, &ensemble)?;
    by(TrBdf2, &ensemble)
}

/// The lines of a method.
fn by<M, F>(method: M, ensemble: &Ensemble<F>) -> Result<(), Box<dyn Error>>
where
    M: Method,
    F: Vary<lorenz, f32, 3, 3>,
{
    line(method, ensemble, "EnsembleThreads", EnsembleThreads)?;
    line(method, ensemble, "EnsembleCpuArray", EnsembleCpuArray)?;
    let mean = EnsembleCpuArray::new().norm(ArrayNorm::Mean);
    line(method, ensemble, "EnsembleCpuArray, mean", mean)
}

/// Solves some times, and prints a line of the table.
fn line<M, F, A>(
    method: M,
    ensemble: &Ensemble<F>,
    name: &str,
    place: A,
) -> Result<(), Box<dyn Error>>
where
    M: Method,
    F: Vary<lorenz, f32, 3, 3>,
    A: EnsembleAlgorithm,
{
    let options = SolveOptions::default().saveat(1.0);
    let mut times = Vec::new();
    let mut solution = ensemble.solve(method, &place, &options)?;
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        solution = ensemble.solve(method, &place, &options)?;
        times.push(begin.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let steps = (0..solution.len()).map(|i| solution.accepted(i) + solution.rejected(i));
    let steps: u64 = steps.map(u64::from).sum();
    let worst = solution.worst_column();
    let worst = worst.map_or("".to_owned(), |worst| format!("{:.2}", worst.error));
    let ms = 1e3 * times[ROUNDS / 2];
    println!("| {} | {name} | {ms:.1} | {steps} | {worst} |", M::PROPERTIES.name);
    if !solution.all_succeeded() {
        println!("of these {:?}", solution.code_counts());
    }
    Ok(())
}
