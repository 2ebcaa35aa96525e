//! One ensemble in several processes, which share a folder.
//!
//! ```text
//! cargo build --release --features cluster --example cluster
//! target/release/examples/cluster out                          # one process
//! ODES_RANK=0/2 target/release/examples/cluster out            # two: this one in one shell,
//! ODES_RANK=1/2 target/release/examples/cluster out            # and this one in another
//! srun -n 8 target/release/examples/cluster out                # as many as Slurm starts
//! ```
//!
//! 200,000 Lorenz trajectories, saved at every unit of time. Each process prints what it computed,
//! and a sum of the bits of all final states, which is the same whoever computed them. A process that
//! is killed is started again, with any number of others: what is in the folder is not computed again.
//! On a machine with GPUs each process takes that of its local rank.

use std::error::Error;

use odes::EnsembleAlgorithm;
use odes::cluster::EnsembleDistributed;
use odes::prelude::*;

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

const TRAJECTORIES: usize = 200_000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: cluster FOLDER")?;
    let part = Part::from_launcher()?;
    let device: Box<dyn EnsembleAlgorithm> = match EnsembleGpuKernel::for_part(&part) {
        Ok(gpu) => Box::new(gpu),
        Err(_) => Box::new(EnsembleThreads),
    };
    let place = EnsembleDistributed::new(device)?.folder(folder);

    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble =
        EnsembleProblem::new(problem).trajectories(TRAJECTORIES).vary(|mut problem, i| {
            problem.p[1] = 28.0 * (i + 1) as f64 / TRAJECTORIES as f64;
            problem
        });
    let options = SolveOptions::default().tolerance(1e-6).saveat(1.0);
    let solution = ensemble.solve(Tsit5, &place, &options)?;

    for share in solution.shares() {
        println!("{}: {} trajectories", share.engine, share.trajectories);
    }
    let bits = solution.iter().flat_map(|one| one.final_state()).map(f64::to_bits);
    println!("{part}: sum {:016x}", bits.fold(0, u64::wrapping_add));
    Ok(())
}
