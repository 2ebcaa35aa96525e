//! The attribute of tests that check nothing without a device, a library or a program.
//!
//! `libtest` decides at compile time which tests it ignores. The attribute therefore reads the
//! variables `ODES_REQUIRE_…` when it is expanded, and rustc records that it did: Cargo compiles a
//! test binary again if a variable changes. A build script would compile all tests of its package.

use proc_macro::{Delimiter, TokenStream, TokenTree};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;

/// A requirement of whole tests.
struct Requirement {
    /// The requirement's word in the attribute.
    word: &'static str,
    /// The requirement's name in reports.
    name: &'static str,
    /// Names and usual values of variables: each one that is neither empty nor `0` enables the
    /// tests.
    variables: &'static [(&'static str, &'static str)],
    /// Returns whether this machine meets the requirement, by a quick check.
    is_here: fn() -> bool,
}

const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        word: "gpu",
        name: "a GPU",
        variables: &[("ODES_REQUIRE_GPU", "1")],
        is_here: has_gpu,
    },
    Requirement {
        word: "gpu_or_opencl",
        name: "a GPU or all places by OpenCL",
        variables: &[("ODES_REQUIRE_GPU", "1"), ("ODES_OPENCL", "all")],
        is_here: has_gpu,
    },
    Requirement {
        word: "cpp",
        name: "a C++ compiler",
        variables: &[("ODES_REQUIRE_CPP", "1")],
        is_here: has_cpp,
    },
    Requirement {
        word: "nvrtc",
        name: "NVRTC",
        variables: &[("ODES_REQUIRE_NVRTC", "1")],
        is_here: || false,
    },
    Requirement {
        word: "opencl",
        name: "an OpenCL runtime",
        variables: &[("ODES_REQUIRE_OPENCL", "1")],
        is_here: || false,
    },
    Requirement {
        word: "mpi",
        name: "MPI",
        variables: &[("ODES_REQUIRE_MPI", "1")],
        is_here: || false,
    },
    Requirement {
        word: "xarray",
        name: "Python with xarray and zarr",
        variables: &[("ODES_PYTHON", "FILE")],
        is_here: || false,
    },
    Requirement {
        word: "mount",
        name: "the permission to mount a file system",
        variables: &[("ODES_REQUIRE_MOUNT", "1")],
        is_here: can_mount,
    },
];

/// Returns whether the driver of an NVIDIA GPU created its device files.
fn has_gpu() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"].iter().any(|file| Path::new(file).exists())
}

/// Returns whether a process may mount a file system, in namespaces of its own.
fn can_mount() -> bool {
    static MOUNTS: LazyLock<bool> = LazyLock::new(|| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "disk"]);
        command.arg(std::env::temp_dir()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    });
    *MOUNTS
}

/// Returns whether `$CXX` or a compiler with a usual name runs.
fn has_cpp() -> bool {
    static RUNS: LazyLock<bool> = LazyLock::new(|| {
        let named = std::env::var("CXX").ok().into_iter();
        let runs = |name: String| {
            let mut command = Command::new(name);
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        named.chain(["c++", "g++", "clang++"].map(String::from)).any(runs)
    });
    *RUNS
}

impl Requirement {
    fn is_met(&self) -> bool {
        let is_set = |(name, _): &(&str, _)| {
            std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
        };
        self.variables.iter().any(is_set) || (self.is_here)()
    }

    /// Returns the reason that a report gives for an ignored test.
    fn reason(&self) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        format!("needs {} ({})", self.name, variables.collect::<Vec<_>>().join(" or "))
    }
}

/// Ignores a test that checks nothing without a requirement that is missing.
///
/// The requirements are `gpu`, `gpu_or_opencl`, `cpp`, `nvrtc`, `opencl`, `mpi`, `xarray` and
/// `mount`.
///
/// A variable at compile time enables the test: `ODES_PYTHON=FILE` for `xarray`, and
/// `ODES_REQUIRE_…=1` for all others. Without the variable the attribute looks for a GPU, a C++
/// compiler or the permission to mount; the scripts that install the other requirements print their
/// variables. `--include-ignored` runs all tests, wherever the binary was compiled.
///
/// ```
/// use odes_needs::needs;
///
/// #[needs(gpu)]
/// #[test]
/// fn a_gpu_has_the_bits_of_the_cpu() {}
/// ```
///
/// Another word is an error, and so is a missing `#[test]` after the attribute:
///
/// ```compile_fail
/// #[odes_needs::needs(gpus)]
/// #[test]
/// fn a_gpu_has_the_bits_of_the_cpu() {}
/// ```
#[allow(clippy::test_attr_in_doctest)]
#[proc_macro_attribute]
pub fn needs(words: TokenStream, test: TokenStream) -> TokenStream {
    match ignored(&words.to_string(), &test) {
        Ok(ignored) => ignored.into_iter().chain(test).collect(),
        Err(message) => format!("compile_error!({message:?});").parse().expect("an item"),
    }
}

/// Returns the attribute `ignore` if a requirement is missing.
///
/// Before the attribute are items by which rustc records the variables.
fn ignored(words: &str, test: &TokenStream) -> Result<TokenStream, String> {
    let (mut text, mut reasons) = (String::new(), Vec::new());
    for word in words.split(',').map(str::trim) {
        let Some(needed) = REQUIREMENTS.iter().find(|needed| needed.word == word) else {
            let words: Vec<_> = REQUIREMENTS.iter().map(|needed| needed.word).collect();
            return Err(format!("`{word}` is not one of {}", words.join(", ")));
        };
        for (variable, _) in needed.variables {
            text += &format!(
                "const _: ::core::option::Option<&str> = ::core::option_env!({variable:?});"
            );
        }
        if !needed.is_met() {
            reasons.push(needed.reason());
        }
    }
    if !is_test(test) {
        return Err("`#[test]` must come after `#[needs(…)]`".to_owned());
    }
    if !reasons.is_empty() {
        text += &format!("#[ignore = {:?}]", reasons.join(", "));
    }
    Ok(text.parse().expect("items and an attribute"))
}

/// Returns whether an item has the attribute `test`.
fn is_test(item: &TokenStream) -> bool {
    item.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            group.stream().to_string() == "test"
        }
        _ => false,
    })
}
