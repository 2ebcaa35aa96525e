//! One ensemble in several processes, started by MPI or sharing a folder.
//!
//! ```text
//! cargo build --release -p odes-examples --example cluster
//! target/release/examples/cluster                                 # one process
//! mpiexec -n 4 target/release/examples/cluster                    # four, by MPI
//! target/release/examples/cluster --out out --rank 0/2            # two that share a folder: this one
//! target/release/examples/cluster --out out --rank 1/2            # in one shell, and this in another
//! srun -n 8 target/release/examples/cluster --out out             # as many as Slurm starts
//! target/release/examples/cluster --out out --status              # how far they are
//! ```
//!
//! The ensemble has 200,000 Lorenz trajectories, saved at every unit of time. Each process prints
//! its own share, and a sum of the bits of all final states, which does not depend on the
//! processes. After processes were killed, start any number of them again: trajectories in the
//! folder are not computed again. On a machine with GPUs each process uses the GPU of its local
//! rank.

use std::error::Error;

use odes::cluster::{Arguments, Command};
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
    let backend = match Arguments::read().command()? {
        Command::Solve(backend) => backend,
        Command::Status(status) => {
            print!("{status}");
            return Ok(());
        }
    };
    let shard = backend.shard();

    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=10.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble =
        EnsembleProblem::new(problem).trajectories(TRAJECTORIES).vary(|mut problem, i| {
            problem.p[1] = 28.0 * (i + 1) as f64 / TRAJECTORIES as f64;
            problem
        });
    let options = SolveOptions::default().tolerance(1e-6).saveat(1.0);
    let solution = ensemble.solve(Tsit5, &backend, &options)?;

    for share in solution.shares() {
        println!("{}: {} trajectories", share.worker, share.trajectories);
    }
    let bits = solution.iter().flat_map(|one| one.final_state()).map(f64::to_bits);
    println!("{shard}: sum {:016x}", bits.fold(0, u64::wrapping_add));
    Ok(())
}
