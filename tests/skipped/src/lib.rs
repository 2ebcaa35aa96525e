//! Reports of tests about missing requirements of this machine.
//!
//! A test that checks nothing without a GPU has the attribute [`needs`], and `cargo test` reports
//! it as ignored. A test that checks less without a GPU passes, but its success is no full proof.
//! Such a test therefore calls [`Needed::is_missing`], which prints the reason. It fails if the
//! machine is required to have a GPU, and appends a line to the file in `ODES_SKIPPED`. `.ci/run`
//! counts these lines at its end.
//!
//! ```
//! use odes_skipped::Needed;
//!
//! # fn gpu() -> Result<(), &'static str> { Err("no driver") }
//! if let Err(error) = gpu() {
//!     Needed::Gpu.is_missing(error);
//!     return;
//! }
//! ```

pub use odes_needs::needs;

use std::fmt::{self, Display};
use std::io::{self, Write as _};
use std::path::Path;

/// A requirement of a test besides a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needed {
    /// A CUDA GPU with its driver.
    Gpu,
    /// CUDA's run-time compiler.
    Nvrtc,
    /// A C++ compiler for this machine.
    Cpp,
    /// An OpenCL runtime that runs kernels on this machine's CPU.
    OpenCl,
    /// MPI with the standard's binary interface, and its `mpiexec`.
    Mpi,
}

impl Needed {
    /// Returns the variable that makes the absence a failure, unless it is empty or `0`.
    #[must_use]
    pub fn variable(self) -> &'static str {
        match self {
            Needed::Gpu => "ODES_REQUIRE_GPU",
            Needed::Nvrtc => "ODES_REQUIRE_NVRTC",
            Needed::Cpp => "ODES_REQUIRE_CPP",
            Needed::OpenCl => "ODES_REQUIRE_OPENCL",
            Needed::Mpi => "ODES_REQUIRE_MPI",
        }
    }

    /// Reports that the calling test checks nothing, or less than its name promises.
    ///
    /// `because` is the reason why the requirement is missing.
    ///
    /// # Panics
    /// If [`variable`](Needed::variable) requires it, or if the file of `ODES_SKIPPED` cannot be
    /// written.
    #[track_caller]
    pub fn is_missing(self, because: impl Display) {
        let required = std::env::var_os(self.variable()).is_some_and(|v| !v.is_empty() && v != "0");
        assert!(!required, "{} is set, but there is no {self}: {because}", self.variable());
        eprintln!("skipped: no {self}: {because}");
        if let Some(file) = std::env::var_os("ODES_SKIPPED").filter(|file| !file.is_empty()) {
            let written = note(Path::new(&file), &self.line());
            assert!(written.is_ok(), "ODES_SKIPPED={}: {written:?}", file.display());
        }
    }

    /// Returns a line with the missing requirement, the program and the test, separated by tabs.
    fn line(self) -> String {
        let program = std::env::current_exe().unwrap_or_default();
        // Cargo appends a dash and a hash.
        let program = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let program = program.rsplit_once('-').map_or(program.as_str(), |(name, _)| name);
        // The thread of a test has the test's name.
        let thread = std::thread::current();
        format!("no {self}\t{program}\t{}\n", thread.name().unwrap_or("a thread of a test"))
    }
}

impl Display for Needed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Needed::Gpu => "GPU",
            Needed::Nvrtc => "NVRTC",
            Needed::Cpp => "C++ compiler",
            Needed::OpenCl => "OpenCL runtime for CPUs",
            Needed::Mpi => "MPI",
        })
    }
}

/// Appends a line, in one call, so that lines of concurrent tests do not mix.
fn note(file: &Path, line: &str) -> io::Result<()> {
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(file)?;
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_is_missing_the_program_and_the_test() {
        let line = Needed::Cpp.line();
        let test = "tests::a_line_names_what_is_missing_the_program_and_the_test";
        assert_eq!(line, format!("no C++ compiler\todes_skipped\t{test}\n"));
    }

    #[test]
    fn lines_of_concurrent_tests_are_whole() {
        let file = std::env::temp_dir().join(format!("odes-skipped-{}", std::process::id()));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..50).for_each(|_| note(&file, "a line\n").unwrap()));
            }
        });
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(text, "a line\n".repeat(400));
    }
}
