//! An ensemble that several devices or processes solve together has the bits of one process.

mod agreement;
mod devices;
mod faults;
mod folder;
#[path = "../support/gpu.rs"]
mod gpu;
#[allow(dead_code)]
#[path = "../support/learnt.rs"]
mod learnt;
mod messages;
mod processes;
#[path = "../support/same.rs"]
mod same;
mod scale;
mod shards;
#[path = "../support/simulated.rs"]
mod simulated;
mod survival;
mod watch;

use odes::backend::{Capabilities, EnsembleAlgorithm, Everything, Request, RunReport};
use odes::prelude::*;
use odes::problem::{Unvaried, Vary};
use odes::{EnsembleSolution, SolveError};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A system that depends on the time, and changes its form at a time that is a parameter.
#[ode_system]
fn forced(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
    let force = if t < p[0] { (3.0 * t).sin() } else { 2.0 };
    [u[1], force - p[1] * u[0] - 0.1 * u[1]]
}

type Solution = EnsembleSolution<forced, f64, 2, 2>;

fn problem() -> EnsembleProblem<forced, f64, Unvaried, 2, 2> {
    EnsembleProblem::new(OdeProblem::new(forced, [1.0, 0.5], 0.0..=2.0, [0.7, 4.0]))
}

/// Trajectories of unequal length, including one that fails.
fn ensemble(n: usize) -> EnsembleProblem<forced, f64, impl Vary<forced, f64, 2, 2> + Clone, 2, 2> {
    problem().trajectories(n).vary(|mut problem, i| {
        problem.p[1] = 1.0 + 0.25 * i as f64;
        problem.u0[0] = if i == 20 { f64::NAN } else { 1.0 };
        problem
    })
}

fn options() -> SolveOptions {
    SolveOptions::default().saveat(0.5)
}

/// Returns the solution of one process.
fn whole(n: usize) -> Solution {
    ensemble(n).solve(Tsit5, EnsembleSerial, &options()).unwrap()
}

/// A folder that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("cluster-{}-{number}", std::process::id());
        Folder(Path::new(env!("CARGO_TARGET_TMPDIR")).join(name))
    }

    /// Returns the marks of a solve's finished chunks, in order.
    fn chunks(&self, solve: usize) -> Vec<PathBuf> {
        let marks = self.0.join(format!("{solve:04}/finished/c"));
        let groups = if marks.exists() { files(&marks) } else { Vec::new() };
        let mut marks: Vec<PathBuf> = groups.iter().flat_map(|group| files(group)).collect();
        let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
        marks.sort_by_key(number);
        marks
    }

    /// Returns all that is in the folder, by its path: bytes of files, and `None` for folders.
    fn tree(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let (mut found, mut left) = (BTreeMap::new(), files(&self.0));
        while let Some(path) = left.pop() {
            let bytes = (!path.is_dir()).then(|| std::fs::read(&path).unwrap());
            if bytes.is_none() {
                left.extend(files(&path));
            }
            found.insert(path.strip_prefix(&self.0).unwrap().to_owned(), bytes);
        }
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the contents of a folder, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap();
    let mut all: Vec<PathBuf> = all.map(|file| file.unwrap().path()).collect();
    all.sort();
    all
}

/// A backend that fails after some calls.
struct Failing {
    after: usize,
    calls: AtomicUsize,
    delay: Duration,
    /// Whether the process exits with success instead.
    leaves: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("the device is lost")]
struct Lost;

impl Failing {
    fn after(after: usize) -> Self {
        Failing { after, calls: 0.into(), delay: Duration::ZERO, leaves: false }
    }

    fn leaving() -> Self {
        Failing { leaves: true, ..Failing::after(0) }
    }

    /// Delays each call.
    fn slow(self, delay: Duration) -> Self {
        Failing { delay, ..self }
    }

    fn call(&self) -> Result<(), SolveError> {
        std::thread::sleep(self.delay);
        match self.calls.fetch_add(1, Ordering::Relaxed) >= self.after {
            true if self.leaves => std::process::exit(0),
            true => Err(SolveError::Backend(std::sync::Arc::new(Lost))),
            false => Ok(()),
        }
    }
}

impl EnsembleAlgorithm for Failing {
    type Compiled = Everything;

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities::default()
    }

    fn run(&self, request: Request<'_>) -> Result<RunReport, SolveError> {
        self.call()?;
        EnsembleSerial.run(request)
    }
}
