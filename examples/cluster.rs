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
//!
//! Ctrl-C and SIGTERM, which Slurm sends before the time limit, end the solve early. The process then
//! prints the number of solved trajectories and ends with status 75.

use std::error::Error;
use std::process::ExitCode;

use odes::cluster::{Arguments, Command};
use odes::prelude::*;
use odes::{CancellationToken, EnsembleWatched};

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    let [x, y, z] = *u;
    let [sigma, rho, beta] = *p;
    [sigma * (y - x), x * (rho - z) - y, x * y - beta * z]
}

const TRAJECTORIES: usize = 200_000;

/// The status of a process whose run is unfinished (`EX_TEMPFAIL` of `sysexits.h`).
const UNFINISHED: u8 = 75;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let backend = match Arguments::read().command()? {
        Command::Solve(backend) => backend,
        Command::Status(status) => {
            print!("{status}");
            return Ok(ExitCode::SUCCESS);
        }
    };
    let shard = backend.shard();
    let token = CancellationToken::new();
    let cancelled = token.clone();
    ctrlc::set_handler(move || cancelled.cancel())?;
    let backend = EnsembleWatched::new(backend).token(&token);

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
    let unsolved = solution.codes().filter(|&code| code == ReturnCode::Cancelled).count();
    if unsolved > 0 {
        let solved = solution.len() - unsolved;
        println!("{shard}: {solved} of {TRAJECTORIES} trajectories are solved");
        return Ok(ExitCode::from(UNFINISHED));
    }
    let bits = solution.iter().flat_map(|one| one.final_state()).map(f64::to_bits);
    println!("{shard}: sum {:016x}", bits.fold(0, u64::wrapping_add));
    Ok(ExitCode::SUCCESS)
}
