//! Build costs of users: programs with one system and one method, run on one thread.
//!
//! `cargo build --release` compiles each program with no other flags. Each program is a package
//! binary of its own, and its dependencies are built before. The measurements are the CPU seconds
//! of the remaining build and the largest memory of one of its processes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::{Object, ObjectSymbol};
use serde::{Deserialize, Serialize};

use crate::Failure;
use crate::output::{Output, Row, significant};

pub(crate) mod kernels;
mod systems;

pub(crate) use systems::Case;

/// The programs to build, and the checkout to build them from.
#[derive(Debug, clap::Args)]
pub(crate) struct Selection {
    /// Only these programs
    #[arg(long, value_delimiter = ',', value_name = "lorenz,tanh10,…")]
    only: Vec<String>,

    /// The checkout of odes to build; by default this one
    #[arg(long, value_name = "FOLDER")]
    odes: Option<PathBuf>,

    /// Flags for the compiler, as a user would set RUSTFLAGS
    #[arg(long, value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    rustflags: String,

    /// The time limit of one build in seconds
    #[arg(long, default_value_t = 600)]
    seconds: u64,

    /// Write a line of JSON for each row to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Selection {
    /// The checkout to build.
    fn checkout(&self) -> io::Result<PathBuf> {
        self.odes.as_ref().map_or_else(workspace, |odes| odes.canonicalize())
    }
}

/// Returns the checkout that this program was built from.
fn workspace() -> io::Result<PathBuf> {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize()
}

/// The measurements of one program.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    program: String,
    method: String,
    /// CPU seconds of the build, user and system; `None` if the time limit stopped the build.
    cpu_seconds: Option<f64>,
    wall_seconds: f64,
    /// The largest memory of a process of the build, in MiB.
    mib: Option<f64>,
    /// The number of intrinsics that are functions of the program. Lanes call these functions; they
    /// should have instructions instead.
    calls: Option<usize>,
    #[serde(flatten)]
    ran: Option<Ran>,
}

/// The results that a program prints: milliseconds, the best of several runs on one thread.
#[derive(Debug, Serialize, Deserialize)]
struct Ran {
    trajectories: usize,
    serial_ms: f64,
    avx2_ms: Option<f64>,
    avx512_ms: Option<f64>,
    steps: u64,
    failures: usize,
    /// A hash of all final states and step counts; `same_bits` is true if all instruction sets had
    /// this hash.
    hash: String,
    same_bits: bool,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("program", 22),
        ("method", 8),
        ("CPU s", 7),
        ("wall s", 7),
        ("MiB", 6),
        ("calls", 5),
        ("serial ms", 10),
        ("AVX2", 8),
        ("AVX-512", 8),
        ("failed", 6),
        ("bits", 18),
    ];

    fn cells(&self) -> Vec<String> {
        let ran = self.ran.as_ref();
        let ms = |ms: Option<f64>| significant(ms, 3);
        vec![
            self.program.clone(),
            self.method.clone(),
            significant(self.cpu_seconds, 3),
            significant(Some(self.wall_seconds), 3),
            significant(self.mib, 3),
            self.calls.map_or("-".to_owned(), |calls| calls.to_string()),
            ms(ran.map(|ran| ran.serial_ms)),
            ms(ran.and_then(|ran| ran.avx2_ms)),
            ms(ran.and_then(|ran| ran.avx512_ms)),
            ran.map_or("-".to_owned(), |ran| ran.failures.to_string()),
            ran.map_or("-".to_owned(), |ran| {
                format!("{}{}", ran.hash, if ran.same_bits { "" } else { " DIFFER" })
            }),
        ]
    }
}

/// A cargo package with a binary for each case.
struct Package {
    folder: PathBuf,
    rustflags: String,
}

impl Package {
    /// Creates the package of the cases with `main`; `more` has further dependencies, as lines of
    /// its manifest.
    fn new(selection: &Selection, cases: &[Case], main: &str, more: &str) -> Result<Self, Failure> {
        let odes = selection.checkout()?;
        // A folder for each checkout and each set of flags, so that later runs reuse builds.
        let mut key = odes.display().to_string() + &selection.rustflags + more;
        key.retain(|c| c.is_ascii_alphanumeric());
        let folder = workspace()?.join("target/odes-build").join(key);
        fs::create_dir_all(folder.join("src/bin"))?;
        let manifest = format!(
            "[package]\nname = \"builds\"\nedition = \"2024\"\n\n[workspace]\n\n\
             [dependencies]\nodes = {{ path = {odes:?} }}\n{more}"
        );
        fs::write(folder.join("Cargo.toml"), manifest)?;
        // The same dependencies as the workspace's.
        fs::copy(odes.join("Cargo.lock"), folder.join("Cargo.lock"))?;
        fs::write(folder.join("src/lib.rs"), "pub use odes::prelude::*;\n")?;
        for case in cases {
            fs::write(folder.join(format!("src/bin/{}.rs", case.name)), case.program(&odes, main))?;
        }
        Ok(Package { folder, rustflags: selection.rustflags.clone() })
    }

    /// Returns the path of a case's program.
    fn program(&self, case: &Case) -> PathBuf {
        self.folder.join("target/release").join(&case.name)
    }

    fn cargo(&self) -> Command {
        let mut cargo = Command::new("cargo");
        cargo.current_dir(&self.folder).env_remove("CARGO_TARGET_DIR");
        cargo.env("RUSTFLAGS", &self.rustflags).args(["build", "--release", "--offline"]);
        cargo.stdout(Stdio::null()).stderr(Stdio::null());
        cargo
    }

    /// Builds and runs one program.
    fn measure(&self, case: &Case, seconds: u64) -> Result<Measured, Failure> {
        let source = self.folder.join(format!("src/bin/{}.rs", case.name));
        // Cargo builds again if a source is newer than its output.
        fs::OpenOptions::new()
            .append(true)
            .open(&source)?
            .set_modified(std::time::SystemTime::now())?;
        let usage = usage_of(self.cargo().args(["--bin", &case.name]), seconds)?;
        let program = self.program(case);
        let (mut calls, mut ran) = (None, None);
        if usage.success {
            calls = Some(calls_of_intrinsics(&program)?);
            let output = Command::new(program).env("RAYON_NUM_THREADS", "1").output()?;
            ran = Some(serde_json::from_slice(&output.stdout)?);
        }
        Ok(Measured {
            bench: "build",
            program: case.name.clone(),
            method: case.method.to_owned(),
            cpu_seconds: usage.success.then_some(usage.cpu_seconds),
            wall_seconds: usage.wall_seconds,
            mib: usage.success.then_some(usage.mib),
            calls,
            ran,
        })
    }
}

/// Counts the intrinsics that are functions of a program, except those by which the standard
/// library identifies the processor.
fn calls_of_intrinsics(program: &Path) -> Result<usize, Failure> {
    let bytes = fs::read(program)?;
    let file = object::File::parse(&*bytes)?;
    let names = file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_owned));
    let called = |name: &String| name.contains("core_arch") && !name.contains("xgetbv");
    Ok(names.filter(called).count())
}

struct Usage {
    success: bool,
    cpu_seconds: f64,
    wall_seconds: f64,
    mib: f64,
}

/// Returns the resources that a command and all its child processes used. After `seconds` all of
/// them are stopped.
fn usage_of(command: &mut Command, seconds: u64) -> io::Result<Usage> {
    use std::os::unix::process::CommandExt;

    let begin = std::time::Instant::now();
    let child = command.process_group(0).spawn()?;
    let group = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let limit = std::time::Duration::from_secs(seconds);
    loop {
        let mut status = 0;
        // SAFETY: zeros are a valid `rusage`, and both places are of the types that `wait4` writes.
        let (done, usage) = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            (libc::wait4(group, &raw mut status, libc::WNOHANG, &raw mut usage), usage)
        };
        if done < 0 {
            return Err(io::Error::last_os_error());
        }
        if done == group {
            let time = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 * 1e-6;
            return Ok(Usage {
                success: status == 0,
                cpu_seconds: time(usage.ru_utime) + time(usage.ru_stime),
                wall_seconds: begin.elapsed().as_secs_f64(),
                mib: usage.ru_maxrss as f64 / 1024.0,
            });
        }
        if begin.elapsed() > limit {
            // SAFETY: the group is the child's own, and no `wait` for the child has returned.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Builds the selected programs, one after the other.
pub(crate) fn run(selection: &Selection) -> Result<(), Failure> {
    let (package, cases) = prepare(selection, systems::SOLVE, "")?;
    let mut output = Output::new(selection.json.as_deref())?;
    for case in cases {
        output.row(&package.measure(&case, selection.seconds)?)?;
    }
    Ok(())
}

/// Returns the selected programs, with built dependencies.
fn prepare(selection: &Selection, main: &str, more: &str) -> Result<(Package, Vec<Case>), Failure> {
    let mut all = systems::all();
    if let Some(unknown) = selection.only.iter().find(|name| !all.iter().any(|c| c.name == **name))
    {
        let names: Vec<&str> = all.iter().map(|case| case.name.as_str()).collect();
        return Err(format!("there is no program {unknown}, of {}", names.join(", ")).into());
    }
    all.retain(|case| selection.only.is_empty() || selection.only.contains(&case.name));
    let package = Package::new(selection, &all, main, more)?;
    // Builds the dependencies; prints the reason if the build fails.
    if !package.cargo().arg("--lib").stderr(Stdio::inherit()).status()?.success() {
        return Err("the dependencies could not be built".into());
    }
    Ok((package, all))
}
