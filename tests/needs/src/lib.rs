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
    /// The attribute's word.
    word: &'static str,
    /// What it is called in reports.
    name: &'static str,
    /// Names and usual values: each of them, unless it is empty or `0`, has the tests run.
    variables: &'static [(&'static str, &'static str)],
    /// Whether this machine has it, as far as a quick look shows.
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
];

/// Whether the driver of an NVIDIA GPU has made its device files.
fn has_gpu() -> bool {
    ["/dev/nvidiactl", "/dev/dxg"].iter().any(|file| Path::new(file).exists())
}

/// Whether `$CXX` or a compiler of the usual names runs.
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

    /// The reason that a report gives for an ignored test.
    fn reason(&self) -> String {
        let variables = self.variables.iter().map(|(name, value)| format!("{name}={value}"));
        format!("needs {} ({})", self.name, variables.collect::<Vec<_>>().join(" or "))
    }
}

/// Ignores a test that checks nothing without one of `gpu`, `gpu_or_opencl`, `cpp`, `nvrtc`,
/// `opencl` and `mpi`, where that is missing.
///
/// A variable `ODES_REQUIRE_…=1` at compile time has the test run. Without it a GPU and a C++
/// compiler are looked for; the scripts that install the others print their variables.
/// `--include-ignored` runs all tests, wherever the binary was compiled.
///
/// ```
/// use odes_needs::needs;
///
/// #[needs(gpu)]
/// #[test]
/// fn a_gpu_has_the_bits_of_the_cpu() {}
/// ```
///
/// Another word, and a `#[test]` that does not come after it, are errors:
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

/// The attribute `ignore`, if a requirement is missing; before it, items by which rustc records
/// the variables.
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

/// Whether the attribute `test` is on an item.
fn is_test(item: &TokenStream) -> bool {
    item.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            group.stream().to_string() == "test"
        }
        _ => false,
    })
}
