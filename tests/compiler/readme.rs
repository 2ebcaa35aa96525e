//! The README's list of unsupported features, and the links of all pages.

use std::path::{Path, PathBuf};

use ode_codegen::{CompiledSystem, compile_str};
use odes::arrays::ArrayGpu;
use odes::methods::Differentiable;
use odes::methods::{Kvaerno3, Kvaerno5, Rosenbrock23, TrBdf2, Vern9};
use odes::ndarray::Array2;
use odes::prelude::*;
use odes::system::System;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The entries of the list, each with a function that fails if odes supports the entry.
const TRIALS: &[(&str, fn())] = &[
    ("GPUs from vendors other than NVIDIA.", other_gpus),
    (
        "Gradients through `Auto`, `Rosenbrock23` and the ESDIRK methods, and of systems with a \
         mass matrix",
        gradients,
    ),
    ("Features of stochastic equations; delay equations.", stochastic_and_delay_equations),
    ("Right-hand sides that become known at run time.", texts),
    ("One large system on several GPUs.", several_gpus),
    ("States between the saved times that are as accurate as the steps", dense_output),
];

/// An entry that becomes possible leaves the list, and a new entry needs a trial.
#[test]
fn what_odes_cannot_do_is_listed() {
    let readme = read("README.md");
    let (_, list) = readme.split_once("\n## What it cannot do yet\n").unwrap();
    let (list, _) = list.split_once("\n## ").unwrap();
    let entries = list.split("\n- ").skip(1).map(|entry| {
        let (name, _) = entry.strip_prefix("**").and_then(|rest| rest.split_once("**")).unwrap();
        name.split_whitespace().collect::<Vec<_>>().join(" ")
    });
    let names: Vec<&str> = TRIALS.iter().map(|(name, _)| *name).collect();
    assert_eq!(entries.collect::<Vec<_>>(), names);
    for (_, trial) in TRIALS {
        trial();
    }
}

/// Returns whether a type implements a trait: the type's constant takes precedence over the
/// trait's.
macro_rules! implements {
    ($type:ty: $($bound:tt)*) => {{
        struct Probe<T>(std::marker::PhantomData<T>);
        #[allow(dead_code)] // One of the two constants is not used.
        trait Otherwise {
            const IMPLEMENTED: bool = false;
        }
        impl<T> Otherwise for Probe<T> {}
        #[allow(dead_code)]
        impl<T: $($bound)*> Probe<T> {
            const IMPLEMENTED: bool = true;
        }
        <Probe<$type>>::IMPLEMENTED
    }};
}

/// The result of a function that does not exist.
struct Missing;

/// A function of one of these names takes precedence over the trait's, and does not return
/// `Missing`.
macro_rules! missing {
    ($type:ty: $($name:ident),*) => {{
        trait Otherwise: Sized {
            $(fn $name() -> Missing {
                Missing
            })*
        }
        impl Otherwise for $type {}
        $(let Missing = <$type>::$name();)*
    }};
}

fn mistakes(text: &str) -> String {
    let Err(mistakes) = compile_str(text) else { panic!("this is accepted: {text}") };
    mistakes.iter().map(ToString::to_string).collect()
}

#[ode_system(gradients = "on")]
mod oscillator {
    #[mass_matrix]
    const M: [f64; 2] = [2.0, 1.0];

    fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [2.0 * u[1], -u[0]]
    }
}

#[ode_system]
fn swinging(u: &[f64; 2]) -> [f64; 2] {
    [u[1], -u[0]]
}

/// A kernel target is a header. Targets other than CUDA are for CPUs, on which tests run kernels.
fn other_gpus() {
    let folder = root().join("ode-core/src/kernel/targets");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut targets: Vec<String> = files
        .map(|name| name.into_string().unwrap())
        .map(|name| name.trim_end_matches(".hpp").rsplit('_').next().unwrap().to_owned())
        .collect();
    targets.sort();
    targets.dedup();
    assert_eq!(targets, ["cuda", "host", "opencl"]);
}

fn gradients() {
    assert!(implements!(Tsit5: Differentiable) && implements!(Rodas5P: Differentiable));
    assert!(!implements!(Auto: Differentiable) && !implements!(Rosenbrock23: Differentiable));
    assert!(!implements!(TrBdf2: Differentiable) && !implements!(KenCarp4: Differentiable));
    assert!(!implements!(Kvaerno3: Differentiable) && !implements!(Kvaerno5: Differentiable));
    let (options, by) = (SolveOptions::default(), Array2::ones((1, 2)));
    let problem = OdeProblem::new(oscillator, [1.0, 0.0], 0.0..=1.0, []);
    let gradient = EnsembleProblem::new(problem).pull_back(Rodas5P, EnsembleSerial, &options, by);
    assert!(matches!(gradient, Err(SolveError::NoGradientsOf { .. })));
    // Forward sensitivities.
    missing!(EnsembleProblem<swinging, f64, odes::problem::Unvaried, 2, 0>: push_forward, sensitivities);
}

fn stochastic_and_delay_equations() {
    let noise = "mod walk {
        fn rhs(u: &[f64; 1]) -> [f64; 1] { [-u[0]] }
        #[noise]
        fn noise(u: &[f64; 1]) -> [f64; 1] { [0.1 * u[0]] }
        #[feature(maximum)]
        fn other(u: &[f64; 1]) -> f64 { u[0] - 1.0 }
    }";
    assert!(mistakes(noise).contains("this system has noise"));
    let random = "fn walk(u: &[f64; 1]) -> [f64; 1] { [rand::random::<f64>() - u[0]] }";
    assert!(!mistakes(random).is_empty());
    let delay = "fn delayed(u: &[f64; 1], p: &[f64; 1], t: f64, past: impl Fn(f64) -> [f64; 1]) \
                 -> [f64; 1] { [-past(t - p[0])[0]] }";
    assert!(!mistakes(delay).is_empty());
}

fn texts() {
    assert!(implements!(swinging: System<2, 0>));
    let text = compile_str("fn decay(u: &[f64; 1]) -> [f64; 1] { [-u[0]] }");
    let _: CompiledSystem = text.unwrap();
    assert!(!implements!(CompiledSystem: System<1, 0>));
}

fn several_gpus() {
    missing!(ArrayGpu: all, with_devices);
}

/// Interpolation between saved states has much larger errors than saved times.
///
/// Saved times, which are given before the solve, use the interpolant of the method.
fn dense_output() {
    let problem = OdeProblem::new(swinging, [0.0, 1.0], 0.0..=10.0, []);
    let options = SolveOptions::default().tolerance(1e-9);
    let times: Vec<f64> = (0..100).map(|i| 0.05 + 0.1 * f64::from(i)).collect();
    let before = problem.solve(Vern9, &options.clone().saveat(times.clone())).unwrap();
    let steps = problem.solve(Vern9, &options.saveat(SaveAt::Steps)).unwrap();
    let error = |state: [f64; 2], t: f64| (state[0] - t.sin()).abs();
    let given = times.iter().zip(before.states()).map(|(&t, u)| error(u, t)).fold(0.0, f64::max);
    let after = |&t: &f64| error(steps.at(t).unwrap(), t);
    let after = times.iter().map(after).fold(0.0, f64::max);
    assert!(after > 10.0 * given, "{after:e} after the solve, {given:e} before");
}

/// Returns the Rust file that shows each page in the documentation, and the lines before the page.
fn shown() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for host in ["src/lib.rs", "src/docs.rs"] {
        let text = read(host);
        let mut before = String::new();
        for line in text.lines() {
            let page =
                line.split_once("include_str!(\"../").and_then(|(_, rest)| rest.split_once('"'));
            match page {
                Some((page, _)) => pages.push((page.to_owned(), std::mem::take(&mut before))),
                None if line.starts_with("pub mod") => before.clear(),
                None => before.extend([line, "\n"]),
            }
        }
    }
    pages
}

/// Each link to a file of the repository has a label that leads to a page of the documentation.
///
/// Rustdoc shows pages at other addresses, so the file that includes a page defines the label
/// before the page.
#[test]
fn links_lead_to_pages_of_the_documentation() {
    let pages = shown();
    assert!(pages.len() > 10, "{pages:?}");
    for (page, before) in pages {
        let text = read(&page);
        let is_label = |line: &&str| line.starts_with('[') && line.contains("]: ");
        for line in text.lines().filter(is_label) {
            let (label, target) = line.split_once(": ").unwrap();
            let is_defined =
                before.contains(&format!(" {label}: ")) || before.contains(&format!("\"{label}: "));
            assert!(target.starts_with("http") || is_defined, "{page}: {label} is {target}");
        }
        for (_, link) in text.match_indices("](").map(|(at, _)| text[at..].split_at(2)) {
            let target = link.split(')').next().unwrap_or_default();
            let is_page = target.split('#').next().is_some_and(|file| file.ends_with(".md"));
            assert!(!is_page, "{page}: {target} has no label");
        }
    }
}
