//! The Lorenz system, ten thousand times.
//!
//! ```text
//! cargo run --release --example lorenz
//! cargo run --release --example lorenz -- --trajectories 1000000 --plot million.png
//! cargo run --release --features save --example lorenz -- --out lorenz.npz
//! ```
//!
//! Every trajectory starts at (1, 0, 0), is solved to t = 100, and is saved at every unit of time.
//! Its parameters are uniform between zero and Lorenz's (10, 28, 8/3). The example runs on a CUDA
//! GPU if the machine has one, otherwise on all cores of the CPU.

/// The modules of the examples' common code that this example uses.
#[allow(dead_code, unreachable_pub)]
mod support {
    pub mod canvas;
    pub mod picture;
    pub mod place;
    pub mod random;
    pub mod summary;
}

use std::collections::BTreeMap;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use lexopt::{Arg, Parser, ValueExt};
use odes::prelude::*;
use odes::{EnsembleSolution, SolveError};

use support::picture::{Curve, End, Picture};
use support::place::{Backend, Place};
use support::random::uniform;
use support::summary::{Summary, grouped, moments, seconds};

const HELP: &str = "\
Solves the Lorenz system many times, prints a summary and draws a picture.

Options:
  --trajectories N     number of trajectories [default: 10000]
  --backend NAME       auto (the GPU if there is one), gpu, threads or serial [default: auto]
  --abstol TOL         absolute tolerance [default: 1e-6]
  --reltol TOL         relative tolerance [default: 1e-6]
  --seed N             seed of the random parameters [default: 1]
  --plot FILE.png      write a picture to this file [default: lorenz.png]
  --no-plot            draw nothing
  --out FILE.npz       write the solution to a NumPy archive (needs the feature `save`)";

/// The command line.
struct Options {
    trajectories: usize,
    backend: Backend,
    abstol: f64,
    reltol: f64,
    seed: u64,
    plot: Option<PathBuf>,
    out: Option<PathBuf>,
}

impl Options {
    /// Parses the command line; returns `None` if it requests the help.
    fn parse() -> Result<Option<Options>, lexopt::Error> {
        let mut options = Options {
            trajectories: 10_000,
            backend: Backend::Auto,
            abstol: 1e-6,
            reltol: 1e-6,
            seed: 1,
            plot: Some("lorenz.png".into()),
            out: None,
        };
        let mut parser = Parser::from_env();
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("trajectories") => options.trajectories = parser.value()?.parse()?,
                Arg::Long("backend") => options.backend = parser.value()?.parse()?,
                Arg::Long("abstol") => options.abstol = parser.value()?.parse()?,
                Arg::Long("reltol") => options.reltol = parser.value()?.parse()?,
                Arg::Long("seed") => options.seed = parser.value()?.parse()?,
                Arg::Long("plot") => options.plot = Some(parser.value()?.into()),
                Arg::Long("no-plot") => options.plot = None,
                Arg::Long("out") if cfg!(feature = "save") => {
                    options.out = Some(parser.value()?.into());
                }
                Arg::Long("out") => {
                    return Err("--out needs the feature `save`: \
                                cargo run --release --features save --example lorenz"
                        .into());
                }
                Arg::Short('h') | Arg::Long("help") => return Ok(None),
                _ => return Err(argument.unexpected()),
            }
        }
        Ok(Some(options))
    }
}

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 3], _t: f64) {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    du[0] = sigma * (y - x);
    du[1] = x * (rho - z) - y;
    du[2] = x * y - beta * z;
}

/// Returns the parameters of trajectory `i`.
fn parameters(seed: u64, i: usize) -> [f64; 3] {
    let random = |k| uniform(seed, 3 * i as u64 + k);
    [10.0 * random(0), 28.0 * random(1), 8.0 / 3.0 * random(2)]
}

fn main() -> ExitCode {
    let begin = Instant::now();
    let outcome = match Options::parse() {
        Ok(Some(options)) => run(&options, begin),
        Ok(None) => {
            println!("{HELP}");
            Ok(())
        }
        Err(error) => Err(error.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Solves, reports and draws.
fn run(options: &Options, begin: Instant) -> Result<(), Box<dyn Error>> {
    let how = SolveOptions::default().abstol(options.abstol).reltol(options.reltol);
    let place = Place::choose(options.backend)?;
    let solution = solve(options.seed, options.trajectories, &place, &how.clone().saveat(1.0))?;
    let summary = summarize(&solution, begin);
    println!("{summary}");
    let [found, expected] = at_rest(options.seed, &solution);
    println!("  check    {found} of {expected} trajectories are at the origin, as theory demands");
    #[cfg(feature = "save")]
    if let Some(path) = &options.out {
        solution.write_npz(path)?;
        println!("  archive  {}", path.display());
    }
    if let Some(path) = &options.plot {
        draw(options, &how, &solution, &summary)?.save(path)?;
        println!("  picture  {}", path.display());
    }
    Ok(())
}

type Solution = EnsembleSolution<lorenz, f64, 3, 3>;

/// Solves the first `trajectories` trajectories of a seed.
fn solve(
    seed: u64,
    trajectories: usize,
    place: &Place,
    how: &SolveOptions,
) -> Result<Solution, SolveError> {
    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=100.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem)
        .trajectories(trajectories)
        .vary(|problem, i| problem.with_p(parameters(seed, i)));
    ensemble.solve(Tsit5, &place.algorithm, how)
}

fn summarize(solution: &Solution, begin: Instant) -> Summary {
    let n = solution.len();
    let counts = solution.code_counts();
    let codes = counts.iter().map(|(code, n)| (code.to_string(), *n)).collect::<BTreeMap<_, _>>();
    let good = (0..n).filter(|&i| solution.code(i).is_success());
    let (mean, std) = moments(good.map(|i| solution.final_state(i)));
    let times = solution.timings();
    let solving = (times.total - times.compile).as_secs_f64();
    Summary {
        device: solution.backend().to_string(),
        trajectories: n,
        codes,
        steps_accepted: (0..n).map(|i| u64::from(solution.accepted(i))).sum(),
        steps_rejected: (0..n).map(|i| u64::from(solution.rejected(i))).sum(),
        seconds_compile: times.compile.as_secs_f64(),
        seconds_solve: solving,
        seconds_total: begin.elapsed().as_secs_f64(),
        trajectories_per_second: n as f64 / solving,
        mean: mean.to_vec(),
        std: std.to_vec(),
    }
}

/// Counts the trajectories with ρ < 1 that end at the origin, and those that must.
///
/// For ρ < 1 all solutions tend to the origin (Lorenz 1963, section 7), in the end as slowly as the
/// slowest eigenvalue of the Jacobian there. A trajectory must be at the origin if this eigenvalue
/// reduces the initial distance by a factor below 1e-6.
fn at_rest(seed: u64, solution: &Solution) -> [usize; 2] {
    let must = |i: &usize| {
        let [sigma, rho, beta] = parameters(seed, *i);
        let sum = sigma + 1.0;
        let slow = (sum - (sum * sum - 4.0 * sigma * (1.0 - rho)).sqrt()) / 2.0;
        rho < 1.0 && slow.min(beta) * 100.0 > 14.0
    };
    let is = |i: &usize| solution.final_state(*i).iter().all(|x| x.abs() < 1e-3);
    let expected: Vec<usize> = (0..solution.len()).filter(must).collect();
    [expected.iter().filter(|i| is(i)).count(), expected.len()]
}

/// Draws the picture of a solution.
///
/// Its curves need more points than one per unit of time, so some trajectories are solved again
/// with more points.
fn draw(
    options: &Options,
    how: &SolveOptions,
    solution: &Solution,
    summary: &Summary,
) -> Result<Picture, SolveError> {
    let few = solution.len().min(300);
    let dense = solve(options.seed, few, &Place::threads(), &how.clone().saveat(0.01))?;
    let rho = |i: usize| parameters(options.seed, i)[1];
    let curves = dense
        .iter()
        .enumerate()
        .map(|(i, trajectory)| Curve { parameter: rho(i), points: trajectory.states().collect() });
    let end = |i| End { parameter: rho(i), state: solution.final_state(i) };
    let picture = Picture {
        title: "Lorenz 1963".to_owned(),
        subtitle: format!(
            "{} trajectories, σ, ρ, β uniform up to 10, 28, 8/3, t from 0 to 100 · Tsit5, f64 · {} \
             in {}",
            grouped(solution.len() as u64),
            summary.device,
            seconds(summary.seconds_solve)
        ),
        components: ["x", "y", "z"],
        parameter: "ρ",
        range: [0.0, 28.0],
        curves: curves.collect(),
        ends: (0..solution.len()).filter(|&i| solution.code(i).is_success()).map(end).collect(),
    };
    Ok(picture)
}
