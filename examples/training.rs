//! The example of DiffEqGPU.jl's page on data-parallel training, with its numbers.
//!
//! ```text
//! cargo run --release -p odes-examples --example training
//! ```
//!
//! A hundred trajectories of `u' = 1.01 u θ2` begin at `0.5 + i/100 θ1`. Their loss is the sum of
//! `(1 - u)²` at t = 0, 0.1, …, 1. Adam minimises it from θ = (3, 1) with a hundred gradients. The
//! same program runs on one thread, on all cores, and on the GPUs of the machine, with
//! bit-identical losses and parameters.

use std::error::Error;
use std::time::Instant;

use odes::backend::EnsembleAlgorithm;
use odes::gradient::{EnsembleLoss, Train};
use odes::prelude::*;

#[ode_system]
mod growth {
    /// The trained parameters, shared by all trajectories.
    pub struct Theta {
        pub start: f64,
        pub rate: f64,
    }

    /// The data of one trajectory.
    pub struct Item {
        pub scale: f64,
    }

    pub struct State {
        pub u: f64,
    }

    pub struct Parameters {
        pub rate: f64,
    }

    fn initial(theta: &Theta, item: &Item) -> State {
        State { u: 0.5 + item.scale * theta.start }
    }

    fn parameters(theta: &Theta) -> Parameters {
        Parameters { rate: theta.rate }
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State { u: 1.01 * u.u * p.rate }
    }

    #[loss]
    fn misfit(u: &State) -> f64 {
        (1.0 - u.u) * (1.0 - u.u)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let items = (1..=100).map(|i| growth::Item { scale: f64::from(i) / 100.0 });
    let loss = EnsembleLoss::new(growth, 0.0..=1.0, items);

    let serial = train(&loss, "one thread", EnsembleSerial)?;
    let threads = train(&loss, "all cores", EnsembleThreads)?;
    assert_eq!(serial, threads, "the backends differ");
    match EnsembleGpuKernel::all() {
        Ok(gpu) => {
            let on_gpu = train(&loss, "GPU", gpu)?;
            assert_eq!(serial, on_gpu, "the backends differ");
            println!("\nLosses and parameters have the same bits on all three backends.");
        }
        Err(error) => {
            println!("\nLosses and parameters have the same bits on both backends.");
            println!("No GPU was used, because {error}.");
        }
    }
    Ok(())
}

/// Trains with a backend; returns the bits of all losses and of the best point.
fn train(
    loss: &growth::EnsembleLoss,
    name: &str,
    place: impl EnsembleAlgorithm,
) -> Result<Vec<u64>, Box<dyn Error>> {
    println!("\n{name}\n  gradients        θ1         θ2          loss");
    let begin = Instant::now();
    let trained = Train::new(loss, growth::Theta { start: 3.0, rate: 1.0 })
        .adam(0.1)
        .iterations(100)
        .on_step(|step| {
            if [1, 2, 10, 50, 100].contains(&(step.iteration + 1)) {
                let growth::Theta { start, rate } = step.theta;
                println!("  {:9}  {start:9.6}  {rate:9.6}  {:12.6}", step.iteration + 1, step.loss);
            }
        })
        .run(Tsit5, place, &SolveOptions::default().saveat(0.1).tolerance(1e-10))?;
    println!("  {:.1} ms for a hundred gradients", 1e3 * begin.elapsed().as_secs_f64());
    let growth::Theta { start, rate } = trained.theta;
    Ok(trained.losses.iter().chain(&[start, rate]).map(|number| number.to_bits()).collect())
}
