//! A network as a right-hand side: matrix products over all columns, or lanes.
//!
//! ```text
//! cargo run --release -p odes-examples --example networks
//! cargo run --release -p odes-examples --example networks -- --widths 16,64 --columns 1024,131072
//! ```
//!
//! The system `u' = W2 tanh(W1 u + b1) + b2` has two numbers in each column, and the same weights
//! for all columns. The example solves it in `f32` by fixed steps of `Tsit5`, on the CPU and on the
//! first GPU, in two forms. A `Network` over a matrix has layers that are matrix products (`gemm`).
//! A system of lanes has the weights as parameters.
//!
//! A table contains the nanoseconds of a step for each column. This is the additional time of a
//! solve of many steps, compared with a solve of few. The last column is the greatest difference
//! between final states; a large difference is an error. Below the table is the width from which
//! products are faster.
//!
//! The macro expands a network of lanes weight by weight, and compilers take too long for wide
//! ones. The program therefore contains only the networks of lanes in `lanes!`; other widths have
//! only products. On the CPU there are no lines for networks with more than `--most` hidden numbers
//! in all columns together.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use odes::SolveError;
use odes::arrays::{Array, ArrayCpu, ArrayGpu, ArrayPlace, ArrayProblem, Function, Network};
use odes::backend::EnsembleAlgorithm;
use odes::prelude::*;
use odes::system::System;

use support::random::uniform;
use support::summary::{grouped, median};

mod support;

/// The size of a step.
const STEP: f64 = 1.0 / 32.0;
/// The numbers of steps of a short solve and of a long one.
const FEW: usize = 8;
const MANY: usize = 40;
/// The shortest total time of timed solves in seconds, and their largest number.
const SECONDS: f64 = 0.3;
const ROUNDS: usize = 15;
/// The greatest difference of final states that rounding can cause.
const ROUNDING: f64 = 1e-4;

/// Networks of lanes: a module for each width.
macro_rules! lanes {
    ($($name:ident: $hidden:literal,)*) => {
        $(
            #[ode_system]
            mod $name {
                const HIDDEN: usize = $hidden;

                pub struct State {
                    pub u: [f64; 2],
                }

                pub struct Parameters {
                    pub w1: [[f64; 2]; HIDDEN],
                    pub b1: [f64; HIDDEN],
                    pub w2: [[f64; HIDDEN]; 2],
                    pub b2: [f64; 2],
                }

                fn rhs(state: &State, p: &Parameters) -> State {
                    let hidden: [f64; HIDDEN] = std::array::from_fn(|k| {
                        (p.w1[k][0] * state.u[0] + p.w1[k][1] * state.u[1] + p.b1[k]).tanh()
                    });
                    let mut u = p.b2;
                    for d in 0..2 {
                        for k in 0..HIDDEN {
                            u[d] += p.w2[d][k] * hidden[k];
                        }
                    }
                    State { u }
                }
            }
        )*

        /// Solves by lanes; returns `None` if there are no lanes of this width.
        fn by_lanes(
            job: &Job,
            place: &dyn EnsembleAlgorithm,
            steps: usize,
        ) -> Result<Option<Solved>, SolveError> {
            match job.width {
                $($hidden => ensemble::<_, { weights_of($hidden) }>($name, job, place, steps).map(Some),)*
                _ => Ok(None),
            }
        }
    };
}

lanes! {
    width_16: 16,
    width_50: 50,
    width_64: 64,
    width_128: 128,
}

/// The number of weights of a network of this width.
const fn weights_of(width: usize) -> usize {
    5 * width + 2
}

/// Compares networks by products of matrices with networks of lanes.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
struct Options {
    /// Widths of the networks: their hidden numbers
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "H,…",
        default_value = "16,50,64,128,256,1024"
    )]
    widths: Vec<usize>,

    /// Numbers of columns
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "N,…",
        default_value = "1024,16384,131072,1048576"
    )]
    columns: Vec<usize>,

    /// Maximum of hidden numbers in all columns to measure on the CPU
    #[arg(long, value_name = "N", default_value_t = 1 << 23)]
    most: usize,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A network and its initial states.
struct Job {
    width: usize,
    /// The weights: `W1` row by row, `b1`, `W2` row by row, `b2`.
    weights: Vec<f32>,
    starts: Vec<[f32; 2]>,
}

impl Job {
    fn new(width: usize, columns: usize) -> Self {
        // Glorot's scale of the first layer, also for biases and the last layer.
        let scale = (6.0 / (2.0 + width as f64)).sqrt();
        let number = |seed, i| 2.0 * uniform(seed, i as u64) - 1.0;
        let weights = (0..weights_of(width)).map(|i| (scale * number(1, i)) as f32).collect();
        let starts =
            (0..columns).map(|i| [2 * i, 2 * i + 1].map(|i| number(2, i) as f32)).collect();
        Job { width, weights, starts }
    }
}

/// The time of a solve, and its final states.
struct Solved {
    seconds: f64,
    states: Vec<[f32; 2]>,
}

fn options() -> SolveOptions {
    SolveOptions::default().fixed_step(STEP)
}

fn end(steps: usize) -> f64 {
    steps as f64 * STEP
}

/// Solves by matrix products.
fn by_products(job: &Job, place: &impl ArrayPlace, steps: usize) -> Result<Solved, Box<dyn Error>> {
    let (width, weights) = (job.width, &job.weights);
    let (w1, rest) = weights.split_at(2 * width);
    let (b1, rest) = rest.split_at(width);
    let (w2, b2) = rest.split_at(2 * width);
    let p = [
        Array::matrix(width, 2, |row, column| w1[2 * row + column]),
        Array::vector(b1),
        Array::matrix(2, width, |row, column| w2[width * row + column]),
        Array::vector(b2),
    ];
    let u0 = Array::matrix(2, job.starts.len(), |row, column| job.starts[column][row]);
    let problem = ArrayProblem::new(Network::new(Function::Tanh), u0, 0.0..=end(steps) as f32, p);
    let begin = Instant::now();
    let solution = problem.solve(Tsit5, place, &options())?;
    let seconds = begin.elapsed().as_secs_f64();
    let states = solution.final_state().chunks_exact(2).map(|u| [u[0], u[1]]).collect();
    Ok(Solved { seconds, states })
}

/// Solves by lanes of one width.
fn ensemble<S: System<2, P>, const P: usize>(
    system: S,
    job: &Job,
    place: &dyn EnsembleAlgorithm,
    steps: usize,
) -> Result<Solved, SolveError> {
    let p: [f64; P] = std::array::from_fn(|i| f64::from(job.weights[i]));
    let problem = OdeProblem::new(system, [0.0; 2], 0.0..=end(steps), p).cast::<f32>();
    let ensemble = EnsembleProblem::new(problem).over_u0(&job.starts);
    let begin = Instant::now();
    let solution = ensemble.solve(Tsit5, place, &options())?;
    let seconds = begin.elapsed().as_secs_f64();
    let states = solution.final_states().outer_iter().map(|u| [u[0], u[1]]).collect();
    Ok(Solved { seconds, states })
}

/// The columns of the table.
const PLACES: [&str; 4] = [
    "gemm, `ArrayCpu`",
    "lanes, `EnsembleThreads`",
    "gemm, `ArrayGpu`",
    "lanes, `EnsembleGpuKernel`",
];

/// The available backends.
struct Places {
    gpu: Option<(ArrayGpu, EnsembleGpuKernel)>,
}

impl Places {
    fn find() -> Self {
        let gpu =
            ArrayGpu::device(0).and_then(|arrays| Ok((arrays, EnsembleGpuKernel::device(0)?)));
        match &gpu {
            Ok((arrays, _)) => println!("GPU: {}", arrays.devices()[0]),
            Err(error) => println!("Only the CPU is measured, because there is no GPU: {error}"),
        }
        Places { gpu: gpu.ok() }
    }

    /// Solves by one of [`PLACES`]; returns `None` if it is not available.
    fn solve(
        &self,
        place: usize,
        job: &Job,
        steps: usize,
        most: usize,
    ) -> Result<Option<Solved>, Box<dyn Error>> {
        if place < 2 && job.width.saturating_mul(job.starts.len()) > most {
            return Ok(None);
        }
        Ok(match (place, &self.gpu) {
            (0, _) => Some(by_products(job, &ArrayCpu::new(), steps)?),
            (1, _) => by_lanes(job, &EnsembleThreads, steps)?,
            (2, Some((gpu, _))) => Some(by_products(job, gpu, steps)?),
            (_, Some((_, gpu))) => by_lanes(job, gpu, steps)?,
            (_, None) => None,
        })
    }

    /// Returns the seconds of a step, and the final states of a long solve.
    fn measure(
        &self,
        place: usize,
        job: &Job,
        most: usize,
    ) -> Result<Option<Solved>, Box<dyn Error>> {
        // The first solve compiles.
        if self.solve(place, job, FEW, most)?.is_none() {
            return Ok(None);
        }
        let (begin, mut few, mut many, mut states) = (Instant::now(), vec![], vec![], vec![]);
        while few.is_empty() || (begin.elapsed().as_secs_f64() < SECONDS && few.len() < ROUNDS) {
            for (steps, times) in [(FEW, &mut few), (MANY, &mut many)] {
                let Some(solved) = self.solve(place, job, steps, most)? else { return Ok(None) };
                times.push(solved.seconds);
                states = solved.states;
            }
        }
        let seconds = (median(many) - median(few)) / (MANY - FEW) as f64;
        Ok(Some(Solved { seconds, states }))
    }
}

/// Returns the greatest difference between two numbers of the same index.
fn difference(a: &[[f32; 2]], b: &[[f32; 2]]) -> f64 {
    let both = a.as_flattened().iter().zip(b.as_flattened());
    let each = both.map(|(&a, &b)| (f64::from(a) - f64::from(b)).abs());
    each.fold(0.0, |most, each| if each.is_nan() { f64::INFINITY } else { most.max(each) })
}

/// A line of the table.
struct Line {
    width: usize,
    columns: usize,
    /// Seconds of a step, for each of [`PLACES`].
    seconds: [Option<f64>; 4],
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let places = Places::find();
    println!("f32, {} steps of Tsit5; nanoseconds per step and column\n", MANY - FEW);
    println!("| columns | width | {} | difference |", PLACES.join(" | "));
    println!("|---|---|---|---|---|---|---|");
    let mut lines = Vec::new();
    for &columns in &options.columns {
        for &width in &options.widths {
            lines.push(line(&places, &Job::new(width, columns), options.most)?);
        }
    }
    println!();
    for &columns in &options.columns {
        let lines: Vec<&Line> = lines.iter().filter(|line| line.columns == columns).collect();
        for (name, of) in [("CPU", 0), ("GPU", 2)] {
            if let Some(verdict) = verdict(&lines, of) {
                println!("{} columns, {name}: {verdict}", grouped(columns as u64));
            }
        }
    }
    Ok(())
}

/// Measures and prints a line.
fn line(places: &Places, job: &Job, most: usize) -> Result<Line, Box<dyn Error>> {
    let (width, columns) = (job.width, job.starts.len());
    let (mut seconds, mut first, mut differs) = ([None; 4], None::<Vec<[f32; 2]>>, 0.0_f64);
    for place in 0..PLACES.len() {
        let Some(solved) = places.measure(place, job, most)? else { continue };
        seconds[place] = Some(solved.seconds);
        match &first {
            Some(first) => differs = differs.max(difference(first, &solved.states)),
            None => first = Some(solved.states),
        }
    }
    let each = seconds.map(|seconds| {
        seconds.map_or(String::new(), |seconds| format!("{:.3}", 1e9 * seconds / columns as f64))
    });
    println!("| {} | {width} | {} | {differs:.1e} |", grouped(columns as u64), each.join(" | "));
    if differs > ROUNDING {
        return Err(format!("final states differ by {differs}").into());
    }
    Ok(Line { width, columns, seconds })
}

/// Returns the width from which products are faster, for the backends `of` and `of + 1`.
///
/// Returns `None` if nothing was compared.
fn verdict(lines: &[&Line], of: usize) -> Option<String> {
    let mut compared: Vec<(usize, bool)> = lines
        .iter()
        .filter_map(|line| Some((line.width, line.seconds[of]? < line.seconds[of + 1]?)))
        .collect();
    compared.sort_unstable();
    let &(widest, _) = compared.last()?;
    let winning = compared.iter().rev().take_while(|(_, wins)| *wins).last();
    Some(match winning {
        Some((width, _)) => format!("gemm wins from a width of {width}"),
        None => format!("lanes win up to a width of {widest}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a state after some steps of the classical method of order 4, in `f64`, without the
    /// library.
    fn reference(job: &Job, start: [f32; 2], t: f64) -> [f64; 2] {
        let (h, w) = (job.width, |i: usize| f64::from(job.weights[i]));
        let rhs = |u: [f64; 2]| {
            let mut du = [w(5 * h), w(5 * h + 1)];
            for k in 0..h {
                let hidden = (w(2 * k) * u[0] + w(2 * k + 1) * u[1] + w(2 * h + k)).tanh();
                du[0] += w(3 * h + k) * hidden;
                du[1] += w(4 * h + k) * hidden;
            }
            du
        };
        let steps = 500;
        let dt = t / f64::from(steps);
        let add = |u: [f64; 2], by: f64, k: [f64; 2]| [u[0] + by * k[0], u[1] + by * k[1]];
        let mut u = start.map(f64::from);
        for _ in 0..steps {
            let k1 = rhs(u);
            let k2 = rhs(add(u, dt / 2.0, k1));
            let k3 = rhs(add(u, dt / 2.0, k2));
            let k4 = rhs(add(u, dt, k3));
            for (k, weight) in [(k1, 1.0), (k2, 2.0), (k3, 2.0), (k4, 1.0)] {
                u = add(u, weight * dt / 6.0, k);
            }
        }
        u
    }

    /// All backends return the correct states.
    #[test]
    fn a_sequential_evaluation_has_the_same_states() {
        let places = Places::find();
        for width in [16, 50, 64, 128, 200] {
            let job = Job::new(width, 70);
            let mut solved = 0;
            for place in 0..PLACES.len() {
                let Some(of_place) = places.solve(place, &job, MANY, 1 << 20).unwrap() else {
                    continue;
                };
                solved += 1;
                for (i, state) in of_place.states.iter().enumerate() {
                    let exact = reference(&job, job.starts[i], end(MANY));
                    for (found, exact) in state.iter().zip(exact) {
                        let error = (f64::from(*found) - exact).abs();
                        assert!(error < 2e-5, "{width} {place} {i}: {found} {exact}");
                    }
                }
                let moved = difference(&of_place.states, &job.starts);
                assert!(moved > 0.1, "{moved}");
            }
            let of_cpu = if width == 200 { 1 } else { 2 };
            assert!(solved >= of_cpu, "{solved} places");
        }
    }

    #[test]
    fn the_table_has_its_lines() {
        let options = Options::parse_from(["networks", "--widths", "16,20", "--columns", "64,3"]);
        run(&options).unwrap();
    }

    #[test]
    fn the_verdict_is_the_least_width_from_which_products_win() {
        let line = |width, gemm, lanes| Line {
            width,
            columns: 1,
            seconds: [Some(gemm), lanes, None, None],
        };
        let verdict = |lines: &[Line]| verdict(&lines.iter().collect::<Vec<_>>(), 0);
        let lost = line(16, 2.0, Some(1.0));
        assert_eq!(verdict(&[line(64, 2.0, None)]), None);
        assert_eq!(verdict(&[lost]).unwrap(), "lanes win up to a width of 16");
        let lines = [
            line(8, 1.0, Some(2.0)),
            line(16, 2.0, Some(1.0)),
            line(64, 1.0, Some(2.0)),
            line(99, 1.0, None),
        ];
        assert_eq!(verdict(&lines).unwrap(), "gemm wins from a width of 64");
    }
}
