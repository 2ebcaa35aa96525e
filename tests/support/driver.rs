//! A driver without a device, for GPU tests.
//!
//! The tests run in a process of their own that loads `tests/driver/cuda.cpp` instead of CUDA's
//! libraries.

use crate::cpp::HostCpp;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// The folder of this package's tests.
const TESTS: &str = env!("CARGO_MANIFEST_DIR");

/// The variable that marks a process with this driver.
const INSIDE: &str = "SIMULATED_FOLDER";

/// The folder of the driver, compiled again after a change, or `None` with a message.
fn folder() -> Option<&'static Path> {
    static FOLDER: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
        let cpp = HostCpp::find()?;
        let source = Path::new(TESTS).join("driver/cuda.cpp");
        let mut hasher = DefaultHasher::new();
        std::fs::read(&source).unwrap().hash(&mut hasher);
        let name = format!("driver/{:016x}", hasher.finish());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let library = folder.join("libcuda.so.1");
        if !library.exists() {
            std::fs::create_dir_all(&folder).unwrap();
            // Renamed when complete, since other processes may compile it too.
            let own = folder.join(std::process::id().to_string());
            let words = |target: &str| format!("{TESTS}/../ode-core/src/kernel/targets/{target}");
            let mut command = Command::new(cpp.path());
            command.args(["-std=c++17", "-O1", "-shared", "-fPIC"]);
            command.arg(format!("-DCUDA_WORDS=\"{}\"", words("cuda.hpp")));
            command.arg(format!("-DHOST_WORDS=\"{}\"", words("host.hpp")));
            let machine = if cfg!(target_arch = "x86_64") { "-mavx2 -mfma" } else { "" };
            command.arg(format!("-DMACHINE=\"{machine}\""));
            command.arg(&source).arg("-o").arg(&own).arg("-ldl");
            let output = command.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            std::fs::rename(own, library).unwrap();
        }
        Some(folder)
    });
    FOLDER.as_deref()
}

/// Runs tests of this program, by parts of their names, in a process with this driver.
///
/// `cuda.cpp` reads `variables`. All tests must pass, and each part must match a test.
pub(crate) fn run(tests: &[&str], variables: &[(&str, &str)]) {
    run_with(&[], tests, variables);
}

/// Runs tests with arguments of `libtest`.
fn run_with(arguments: &[&str], tests: &[&str], variables: &[(&str, &str)]) {
    let Some(folder) = folder() else { return };
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(tests).args(arguments);
    command.args(["--include-ignored", "--nocapture", "--test-threads=1"]);
    command.env("LD_LIBRARY_PATH", folder).env("ODES_NVRTC", folder.join("libcuda.so.1"));
    command.env("ODES_CUBLAS", folder.join("libcuda.so.1"));
    command.env(INSIDE, folder).env("ODES_CACHE", "off").env("ODES_REQUIRE_GPU", "1");
    if let Some(cpp) = HostCpp::find() {
        command.env("SIMULATED_COMPILER", cpp.path());
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let [text, errors] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    let passed = output.status.success() && text.contains("test result: ok.");
    assert!(passed, "{tests:?} with {variables:?}:\n{text}{errors}");
    // All tests that ran have passed, and none is ignored. The output of a test follows its name.
    let ran = || text.lines().filter_map(|line| line.strip_prefix("test ")?.split_once(" ... "));
    for part in tests {
        let found = ran().any(|(name, _)| name.contains(part));
        assert!(found, "there is no test `{part}` with {variables:?}:\n{text}{errors}");
    }
}

/// Runs `body` as the test of this name, in a process with this driver.
pub(crate) fn simulated(test: &str, variables: &[(&str, &str)], body: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        body();
    } else {
        run_with(&["--exact"], &[test], variables);
    }
}
