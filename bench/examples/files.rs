//! The time to write a solution to a Zarr folder, beside `dd`.
//!
//! ```text
//! cargo run --release -p odes-bench --example files
//! cargo run --release -p odes-bench --example files -- /scratch 10
//! ```
//!
//! The arguments are the folder of the disk, by default `target`, and the number of rounds, by
//! default 5. Each round writes 1.3 GB to a Zarr folder in its default chunks, then the same number
//! of bytes by `dd` to one file, in blocks of the size of the largest chunks. Both flush all bytes
//! to the disk (`conv=fdatasync`). Before each write the disk is idle (`sync`).

use std::error::Error;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use odes::prelude::*;

/// Lorenz (1963), "Deterministic nonperiodic flow".
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 1]) -> [f64; 3] {
    let [x, y, z] = *u;
    [10.0 * (y - x), x * (p[0] - z) - y, x * y - 8.0 / 3.0 * z]
}

const TRAJECTORIES: usize = 1 << 19;

/// Runs a program.
fn run(program: &str, arguments: &[&OsStr]) -> Result<(), Box<dyn Error>> {
    let output = Command::new(program).args(arguments).output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// Returns the duration of `write` on an idle disk.
fn timed(write: impl FnOnce() -> Result<(), Box<dyn Error>>) -> Result<Duration, Box<dyn Error>> {
    run("sync", &[])?;
    let begin = Instant::now();
    write()?;
    Ok(begin.elapsed())
}

/// Returns the sizes of all files in a folder.
fn sizes(folder: &Path) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            all.extend(sizes(&path)?);
        } else {
            all.push(path.metadata()?.len());
        }
    }
    Ok(all)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let disk = arguments.next().map_or(PathBuf::from("target"), PathBuf::from);
    let rounds = arguments.next().map_or(Ok(5), |count| count.to_string_lossy().parse::<u32>())?;
    let [folder, file] = ["files.zarr", "files.dd"].map(|name| disk.join(name));

    let problem = OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=1.0, [21.0]);
    let ensemble =
        EnsembleProblem::new(problem).trajectories(TRAJECTORIES).vary(|mut problem, i| {
            problem.p[0] = 21.0 * i as f64 / TRAJECTORIES as f64;
            problem
        });
    let options = SolveOptions::default().fixed_step(0.01).saveat(0.01);
    let solution = ensemble.solve(Tsit5, EnsembleThreads, &options)?;

    for _ in 0..rounds {
        let by_odes = timed(|| Ok(solution.write_zarr(&folder)?))?;
        let sizes = sizes(&folder)?;
        fs::remove_dir_all(&folder)?;
        let (bytes, largest) = (sizes.iter().sum::<u64>(), sizes.iter().max().copied());
        let block = largest.unwrap_or(0).max(1);
        let count = bytes.div_ceil(block);
        let [block, count] = [format!("bs={block}"), format!("count={count}")];
        let to = format!("of={}", file.display());
        let arguments = ["if=/dev/zero", &to, &block, &count, "conv=fdatasync"].map(OsStr::new);
        let by_dd = timed(|| run("dd", &arguments))?;
        fs::remove_file(&file)?;
        let [odes, dd] = [by_odes, by_dd].map(|time| time.as_secs_f64());
        let speed = |seconds: f64| bytes as f64 / 1e9 / seconds;
        println!(
            "{} files, {:.2} GB: {odes:.2} s ({:.2} GB/s), dd {dd:.2} s ({:.2} GB/s), ratio {:.2}",
            sizes.len(),
            bytes as f64 / 1e9,
            speed(odes),
            speed(dd),
            odes / dd
        );
    }
    Ok(())
}
