//! A training in several processes started by MPI: four workers, their losses, and Adam.
//!
//! ```text
//! cargo build --release -p odes-examples --example distributed
//! pip install mpich
//! mpiexec -n 4 target/release/examples/distributed
//! ```
//!
//! A hundred trajectories of `u' = 1.01 u θ2` begin at `0.5 + i/100 θ1`, and the loss is the sum of
//! `(1 - u)²` at t = 0, 0.1, …, 1. (Source: "data-parallel training" of DiffEqGPU.jl's
//! documentation, over workers.) Each worker computes the sums of its shard, and all workers make
//! the same steps. Then one process trains alone. Losses and parameters have the same bits for any
//! number of workers.

use std::error::Error;

use odes::backend::EnsembleAlgorithm;
use odes::cluster::{Arguments, Command};
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

    let backend = match Arguments::read().command()? {
        Command::Solve(backend) => backend,
        Command::Status(status) => {
            print!("{status}");
            return Ok(());
        }
    };
    let shard = backend.shard();
    if shard.rank == 0 {
        println!("{} workers\n  gradients        θ1         θ2          loss", shard.size);
    }
    let together = train(&loss, backend, shard.rank == 0)?;
    let alone = train(&loss, EnsembleSerial, false)?;
    assert_eq!(together, alone, "the workers differ from one process");
    println!("{shard}: losses and parameters have the bits of one process");
    Ok(())
}

/// Trains with a backend; returns the bits of all losses and of the best point.
fn train(
    loss: &growth::EnsembleLoss,
    place: impl EnsembleAlgorithm,
    prints: bool,
) -> Result<Vec<u64>, SolveError> {
    let trained = Train::new(loss, growth::Theta { start: 3.0, rate: 1.0 })
        .adam(0.1)
        .iterations(100)
        .on_step(|step| {
            if prints && [1, 2, 10, 50, 100].contains(&(step.iteration + 1)) {
                let growth::Theta { start, rate } = step.theta;
                println!("  {:9}  {start:9.6}  {rate:9.6}  {:12.6}", step.iteration + 1, step.loss);
            }
        })
        .run(Tsit5, place, &SolveOptions::default().saveat(0.1).tolerance(1e-10))?;
    let growth::Theta { start, rate } = trained.theta;
    Ok(trained.losses.iter().chain(&[start, rate]).map(|number| number.to_bits()).collect())
}
