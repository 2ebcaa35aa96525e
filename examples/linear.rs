//! `u' = A u` with a dense matrix, on the CPU and on a GPU.
//!
//! ```text
//! cargo run --release -p odes-examples --example linear
//! cargo run --release -p odes-examples --example linear -- 100 1000
//! cargo run --release -p odes-examples --example linear -- --place gpu --method Tsit5
//! ```
//!
//! A is `G/√n - I` with normal numbers in G, and t goes from 0 to 10. Both tolerances are 1e-6, or
//! the value of `--tolerance`, for comparisons at equal error. The precisions are `f32` and `f64`,
//! and the methods are `Tsit5` and `Rodas5P`. The sizes are n = 100, 1000 and 4000, or the arguments.
//!
//! Each line contains the attempted steps, the median time of a solve with arrays in the backend's
//! memory, and the time of a step. The time of a step is the additional time of a solve to t = 40,
//! divided by its additional steps. The last column is the greatest difference from `exp(A t) u0`,
//! which is computed in `f64` by Taylor polynomials over short times. A difference of more than 100
//! tolerances is an error.
//!
//! On the CPU `Rodas5P` has no line for more than 2000 rows. `--place gpu` without a GPU is an
//! error.

mod support;

use std::error::Error;
use std::time::Instant;

use clap::{Parser, ValueEnum};
use odes::arrays::{
    Array, ArrayCpu, ArrayError, ArrayGpu, ArrayPlace, ArrayProblem, ArraySolution, Linear, Number,
    Tabulated,
};
use odes::prelude::*;

use support::random::uniform;
use support::summary::median;

/// The end of the time span.
const END: f64 = 10.0;
/// The end of a longer span, for the time of a step.
const LATER: f64 = 40.0;
/// The most rows for an implicit method on a CPU; with more rows a step takes seconds.
const MOST_ON_CPU: usize = 2000;
/// The fewest timed solves of a line, and their shortest total time in seconds.
const ROUNDS: usize = 3;
const SECONDS: f64 = 1.0;

/// Solves `u' = A u` with a dense matrix.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
struct Options {
    /// Numbers of rows
    #[arg(value_name = "N", default_values_t = [100, 1000, 4000])]
    rows: Vec<usize>,

    /// The backend; by default both
    #[arg(long, value_enum)]
    place: Option<Where>,

    /// The method; by default both
    #[arg(long, value_enum)]
    method: Option<How>,

    /// Both tolerances
    #[arg(long, default_value_t = 1e-6)]
    tolerance: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Where {
    Cpu,
    Gpu,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "verbatim")]
enum How {
    Tsit5,
    Rodas5P,
}

impl Options {
    fn has_place(&self, place: Where) -> bool {
        self.place.is_none_or(|only| only == place)
    }

    fn has_method(&self, method: How) -> bool {
        self.method.is_none_or(|only| only == method)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut gpu = None;
    if options.has_place(Where::Gpu) {
        match ArrayGpu::device(0) {
            Ok(found) => {
                println!("GPU: {}", found.devices()[0]);
                gpu = Some(found);
            }
            Err(error) if options.place.is_none() => println!("no GPU: {error}"),
            Err(error) => return Err(error.into()),
        }
    }
    println!("| n | numbers | method | backend | steps | ms | µs per step | error |");
    println!("|---|---|---|---|---|---|---|---|");
    for &n in &options.rows {
        let system = System::new(n, options.tolerance)?;
        of_numbers::<f32>(&system, &options, gpu.as_ref())?;
        of_numbers::<f64>(&system, &options, gpu.as_ref())?;
    }
    Ok(())
}

/// A matrix, an initial state, the exact final state, and both tolerances of its solves.
struct System {
    n: usize,
    tolerance: f64,
    a: Array<f64>,
    u0: Vec<f64>,
    exact: Vec<f64>,
}

impl System {
    fn new(n: usize, tolerance: f64) -> Result<Self, ArrayError> {
        let scale = 1.0 / (n as f64).sqrt();
        let a = Array::matrix(n, n, |row, column| {
            scale * normal(column * n + row) - f64::from(row == column)
        });
        let u0: Vec<f64> = (0..n).map(|i| normal(n * n + i)).collect();
        let exact = exponential(&a, END, Array::vector(u0.clone()))?.to_vec()?;
        Ok(System { n, tolerance, a, u0, exact })
    }
}

/// Returns normal number `i` (G. E. P. Box and M. E. Muller, 1958).
fn normal(i: usize) -> f64 {
    let (x, y) = (uniform(3, 2 * i as u64), uniform(3, 2 * i as u64 + 1));
    (-2.0 * (1.0 - x).ln()).sqrt() * (core::f64::consts::TAU * y).cos()
}

/// Returns `exp(a t) u`, as a product over short times, each with the first terms of the series.
fn exponential(a: &Array<f64>, t: f64, mut u: Array<f64>) -> Result<Array<f64>, ArrayError> {
    // The matrix of a short time has a norm of about 1, so the error after 20 terms is about 1/20!.
    let parts = (3.0 * t).ceil() as usize;
    let h = t / parts as f64;
    for _ in 0..parts {
        let mut term = u.clone();
        for k in 1..=20 {
            let mut next = term.like(term.shape())?;
            next.product(h / f64::from(k), a, &term)?;
            u.add(1.0, &[(1.0, &next)])?;
            term = next;
        }
    }
    Ok(u)
}

/// Prints the lines of a precision.
fn of_numbers<T: Number>(
    system: &System,
    options: &Options,
    gpu: Option<&ArrayGpu>,
) -> Result<(), Box<dyn Error>> {
    let to_t = |numbers: Vec<f64>| numbers.into_iter().map(T::narrow).collect::<Vec<T>>();
    let a = Array::of(system.a.shape(), to_t(system.a.to_vec()?))?;
    let u0 = Array::vector(to_t(system.u0.clone()));
    if options.has_place(Where::Cpu) {
        if options.has_method(How::Tsit5) {
            line(Tsit5, "CPU", ArrayCpu::new(), system, &a, &u0)?;
        }
        if options.has_method(How::Rodas5P) && system.n <= MOST_ON_CPU {
            line(Rodas5P, "CPU", ArrayCpu::new(), system, &a, &u0)?;
        }
    }
    if let Some(gpu) = gpu {
        let (a, u0) = (gpu.array(&a)?, gpu.array(&u0)?);
        if options.has_method(How::Tsit5) {
            line(Tsit5, "GPU", gpu, system, &a, &u0)?;
        }
        if options.has_method(How::Rodas5P) {
            line(Rodas5P, "GPU", gpu, system, &a, &u0)?;
        }
    }
    Ok(())
}

/// Prints the line of a method and a backend.
fn line<T: Number, M: Tabulated>(
    method: M,
    name: &str,
    place: impl ArrayPlace,
    system: &System,
    a: &Array<T>,
    u0: &Array<T>,
) -> Result<(), Box<dyn Error>> {
    let options = SolveOptions::default().reltol(system.tolerance).abstol(system.tolerance);
    let problem = |t: f64| {
        let span = T::narrow(0.0)..=T::narrow(t);
        Linear::problem(a.clone(), u0.clone(), span)
    };
    let (short, solution) = timed(method, &problem(END)?, &place, &options)?;
    let (long, later) = timed(method, &problem(LATER)?, &place, &options)?;
    let steps = |solution: &ArraySolution<T>| {
        let counts = solution.counts();
        f64::from(counts.accepted + counts.rejected)
    };
    let each = 1e6 * (long - short) / (steps(&later) - steps(&solution));
    let both = solution.final_state().iter().zip(&system.exact);
    let error = both.map(|(u, exact)| (u.widen() - exact).abs()).fold(0.0, f64::max);
    println!(
        "| {} | {} | {} | {name} | {} | {:.3} | {each:.1} | {error:.1e} |",
        system.n,
        T::NAME,
        solution.method().name,
        steps(&solution),
        1e3 * short,
    );
    if !solution.code().is_success() || error.is_nan() || error >= 100.0 * system.tolerance {
        return Err(format!("{:?}, with an error of {error}", solution.code()).into());
    }
    Ok(())
}

/// Returns the median time of a solve in seconds, and the solution.
fn timed<T: Number, M: Tabulated>(
    method: M,
    problem: &ArrayProblem<Linear, T>,
    place: &impl ArrayPlace,
    options: &SolveOptions,
) -> Result<(f64, ArraySolution<T>), ArrayError> {
    // The first solve compiles kernels.
    let solution = problem.solve(method, place, options)?;
    let (begin, mut times) = (Instant::now(), Vec::new());
    while times.len() < ROUNDS || (begin.elapsed().as_secs_f64() < SECONDS && times.len() < 100) {
        let begin = Instant::now();
        problem.solve(method, place, options)?;
        times.push(begin.elapsed().as_secs_f64());
    }
    Ok((median(times), solution))
}
