//! A neural differential equation that learns a spiral: SciML's example, from many initial states.
//!
//! ```text
//! cargo run --release -p odes-examples --example neural_ode -- --plot neural_ode.png
//! cargo run --release -p odes-examples --example neural_ode -- --starts 64 --iterations 5000
//! ```
//!
//! The right-hand side is a network with two inputs, fifty hidden numbers and two outputs. Its
//! training data are only the states of the spiral at 30 times. The loss is the sum of squared
//! differences, and Adam follows its gradient.
//!
//! At the end a table shows the gradients of a trajectory per second on 1, 2, … threads and 1, 2, …
//! GPUs. For strong scaling, all of them share a fixed number of trajectories. For weak scaling,
//! each of them has that number.

mod support;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use odes::SolveError;
use odes::backend::EnsembleAlgorithm;
use odes::gradient::{Adam, Evaluation, Optimiser};
use odes::ndarray::{Array3, ArrayView3};
use odes::prelude::*;

use support::fit::Fit;

use support::place::{Backend, Place};
use support::progress::Progress;
use support::random::uniform;
use support::summary::{grouped, seconds};

/// The target system.
#[ode_system]
fn spiral(u: &[f64; 2]) -> [f64; 2] {
    let [x, y] = [u[0].powi(3), u[1].powi(3)];
    [-0.1 * x + 2.0 * y, -2.0 * x - 0.1 * y]
}

/// The trained network. Its weights are the parameters of all trajectories.
#[ode_system(gradients = "on")]
mod network {
    const HIDDEN: usize = 50;

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

const END: f64 = 1.5;
/// The number of times with data.
const TIMES: usize = 30;
const WEIGHTS: usize = 252;

/// Trains a network to follow a spiral.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
struct Options {
    /// Number of initial states, on a circle
    #[arg(long, value_name = "N", default_value_t = 8)]
    starts: usize,

    /// Number of gradients
    #[arg(long, value_name = "N", default_value_t = 2000)]
    iterations: usize,

    /// The learning rate of Adam
    #[arg(long, default_value_t = 0.01)]
    rate: f64,

    /// The backend: auto (the GPU if there is one), gpu, threads or serial
    #[arg(long, default_value = "threads")]
    backend: Backend,

    /// Trajectories for the table of gradients per second; 0 for no table
    #[arg(long, value_name = "N", default_value_t = 4096)]
    measure: usize,

    /// Write a picture of the fit and the loss to this file
    #[arg(long, value_name = "FILE.png")]
    plot: Option<PathBuf>,
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

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let place = Place::choose(options.backend)?;
    let begin = Instant::now();
    let trained = train(options, &place.algorithm)?;
    let (first, last) = (trained.losses.first(), trained.losses.last());
    if let (Some(first), Some(last)) = (first, last) {
        let (n, time) = (trained.losses.len(), seconds(begin.elapsed().as_secs_f64()));
        println!("loss {first:.3} before the first of {n} gradients, {last:.5} before the last");
        println!("time {time} on {}, trajectories: {}", place.name, options.starts);
    }
    if let Some(path) = &options.plot {
        draw(options, &trained)?.save(path)?;
    }
    if options.measure > 0 {
        throughput(options.measure, &trained.weights)?;
    }
    Ok(())
}

/// Prints a table of gradients per second: of `n` trajectories on a whole backend, and of `n` for
/// each thread or GPU.
fn throughput(n: usize, weights: &[f64; WEIGHTS]) -> Result<(), Box<dyn Error>> {
    let numbers = [grouped(n as u64), format!("{} each", grouped(n as u64))];
    println!("\ngradients of a trajectory per second\n");
    println!("{:12}{:>16}{:>16}", "backend", numbers[0], numbers[1]);
    let row = |name: &str, parts: usize, place: &dyn EnsembleAlgorithm| -> Result<(), SolveError> {
        let [strong, weak] = [n, n * parts].map(|n| measure(place, n, weights));
        println!("{name:12}{:>16}{:>16}", grouped(strong?), grouped(weak?));
        Ok(())
    };
    let all = std::thread::available_parallelism()?.get();
    let doubled = std::iter::successors(Some(1), |k| Some(2 * k)).take_while(|k| *k < all);
    for threads in doubled.chain([all]) {
        row(&counted(threads, "thread"), threads, &EnsembleThreads.threads(threads))?;
    }
    match EnsembleGpuKernel::all() {
        Ok(all) => {
            for gpus in 1..=all.devices().len() {
                row(&counted(gpus, "GPU"), gpus, &EnsembleGpuKernel::with_devices(0..gpus)?)?;
            }
        }
        Err(error) => println!("GPUs        not measured, because {error}"),
    }
    Ok(())
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

fn solving() -> SolveOptions {
    SolveOptions::default().tolerance(1e-5).saveat(END / (TIMES - 1) as f64)
}

/// Returns initial states on a circle; SciML's is the first.
fn starts(n: usize) -> Vec<[f64; 2]> {
    let angle = |i: usize| TAU * i as f64 / n as f64;
    (0..n).map(|i| [2.0 * angle(i).cos(), 2.0 * angle(i).sin()]).collect()
}

type Ensemble = EnsembleProblem<network::Model, f64, odes::problem::Unvaried, 2, WEIGHTS>;

fn ensemble(starts: &[[f64; 2]], weights: &[f64; WEIGHTS]) -> Ensemble {
    EnsembleProblem::new(OdeProblem::new(network, [0.0; 2], 0.0..=END, *weights)).over_u0(starts)
}

struct Trained {
    weights: [f64; WEIGHTS],
    /// The loss before each step.
    losses: Vec<f64>,
}

fn train(options: &Options, place: &dyn EnsembleAlgorithm) -> Result<Trained, SolveError> {
    let starts = starts(options.starts);
    let data = data(&starts)?;
    // Glorot's choice: uniform, with a scale from the numbers of inputs and outputs; the biases are
    // zero.
    let mut weights = std::array::from_fn(|k| match k {
        0..100 | 150..250 => (6.0_f64 / 52.0).sqrt() * (2.0 * uniform(1, k as u64) - 1.0),
        _ => 0.0,
    });
    let (mut adam, mut losses) = (Adam::new(options.rate), Vec::new());
    let progress = Progress::bar("training", options.iterations as u64);
    for iteration in 0..options.iterations {
        let ensemble = ensemble(&starts, &weights);
        let solution = ensemble.solve(Tsit5, place, &solving())?;
        let missed = &solution.all_states() - &data;
        let gradient = ensemble.pull_back(Tsit5, place, &solving(), 2.0 * &missed)?;
        let loss = missed.iter().map(|x| x * x).sum();
        losses.push(loss);
        let (by_weights, failed) = (gradient.sum_p(), gradient.failed());
        let found = Evaluation { loss, gradient: &by_weights, failed };
        if adam.step(&mut weights, &found).is_break() {
            break;
        }
        progress.reach(iteration as u64 + 1);
    }
    Ok(Trained { weights, losses })
}

/// Returns the states of the spiral: trajectory, time, component.
fn data(starts: &[[f64; 2]]) -> Result<Array3<f64>, SolveError> {
    let problem = OdeProblem::new(spiral, [0.0; 2], 0.0..=END, []);
    let ensemble = EnsembleProblem::new(problem).over_u0(starts);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &solving().tolerance(1e-9))?;
    Ok(solution.all_states().to_owned())
}

/// Returns how many gradients of a trajectory a backend computes per second.
fn measure(
    place: &dyn EnsembleAlgorithm,
    trajectories: usize,
    weights: &[f64; WEIGHTS],
) -> Result<u64, SolveError> {
    let ensemble = ensemble(&starts(trajectories), weights);
    let by = Array3::from_elem((trajectories, TIMES, 2), 1.0);
    let mut best = f64::INFINITY;
    // The first one compiles.
    for _ in 0..4 {
        let begin = Instant::now();
        ensemble.pull_back(Tsit5, place, &solving(), by.clone())?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    Ok((trajectories as f64 / best).round() as u64)
}

fn draw(options: &Options, trained: &Trained) -> Result<Fit, SolveError> {
    let starts = starts(options.starts);
    let points = |states: ArrayView3<'_, f64>| {
        states.outer_iter().map(|of| of.outer_iter().map(|u| [u[0], u[1]]).collect()).collect()
    };
    let fine = solving().saveat(END / 300.0);
    let learnt = ensemble(&starts, &trained.weights).solve(Tsit5, EnsembleThreads, &fine)?;
    Ok(Fit {
        title: "A network learns a spiral".to_owned(),
        subtitle: format!(
            "2-50-2, {WEIGHTS} weights · {} trajectories · Tsit5, discrete adjoints · {} steps of Adam",
            starts.len(),
            trained.losses.len()
        ),
        components: ["first component", "second component"],
        points: points(data(&starts)?.view()),
        curves: points(learnt.all_states()),
        losses: trained.losses.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The network learns, with the same result on all backends.
    #[test]
    fn the_loss_becomes_small() {
        let options = Options::parse_from([
            "neural_ode",
            "--starts",
            "1",
            "--iterations",
            "60",
            "--rate",
            "0.05",
        ]);
        let [serial, threads] = [&EnsembleSerial as &dyn EnsembleAlgorithm, &EnsembleThreads]
            .map(|place| train(&options, place).unwrap());
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        assert_eq!(bits(&serial.weights), bits(&threads.weights));
        assert_eq!(bits(&serial.losses), bits(&threads.losses));
        let (first, last) = (serial.losses[0], serial.losses[59]);
        assert!(last < 0.1 * first, "{first} {last}");
        let path = std::env::temp_dir().join(format!("odes-neural-{}.png", std::process::id()));
        draw(&options, &serial).unwrap().save(&path).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() > 10_000);
        std::fs::remove_file(&path).unwrap();
    }
}
