//! One hash of the results of every method, which is the same on every machine.
//!
//! ```text
//! cargo run --example golden
//! cargo run --example golden -- --each
//! cargo run --release --example golden -- --threads
//! ```
//!
//! `--each` also prints a hash for each solve. On a machine with another hash, the first line that
//! differs names the system and the method. `--threads` solves in SIMD lanes on all threads.
//!
//! The hash covers saved states, times, counts of steps and of events, and logs of events. Numbers
//! are little-endian `f64` or `u32`, with one NaN for all NaNs.

use std::process::ExitCode;

use odes::backend::EnsembleAlgorithm;
use odes::lane::Scalar;
use odes::methods::{
    Bs3, Dop853, Dp5, Euler, Heun, Kvaerno3, Kvaerno5, Ralston, Rk4, Rodas3, Rodas4, Rosenbrock23,
    TrBdf2, Tsit5Rodas4, Vern6, Vern7Rodas5P, Vern9,
};
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{LogNormal, LogUniform, Normal, Samples, Uniform};
use odes::system::System;
use odes::{Solver, StepSize};

/// The hash that every machine must compute.
const HASH: &str = "d1ea51253dd4d3ca2365e1c2ac9bfb58d37ba7514f7791f4d66489a89113e417";

/// A system that is not stiff.
#[ode_system]
fn lorenz(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
    [p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]]
}

/// A stiff system.
#[ode_system]
fn van_der_pol(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [u[1], p[0] * ((1.0 - u[0] * u[0]) * u[1] - u[0])]
}

/// A system of elementary functions, with a forcing.
#[ode_system]
fn elementary(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
    let [x, v] = *u;
    let friction = (v * v + 0.01).powf(0.75) * v.tanh() + x.atan() * (0.1 * v).sinh();
    [
        v * (-0.1 * x * x).exp() + 0.01 * (1.5 + x.sin()).ln(),
        -p[0] * x.sin() - p[1] * friction + (0.7 * t).cos() + (0.2 * t.sin()).tan(),
    ]
}

/// Robertson's reactions with an algebraic equation.
#[ode_system]
mod robertson {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 1.0, 0.0];

    fn rhs(u: &[f64; 3], p: &[f64; 3]) -> [f64; 3] {
        let [a, b, c] = *u;
        let rate = p[0] * a - p[2] * b * c;
        [-rate, rate - p[1] * b * b, a + b + c - 1.0]
    }
}

/// A ball that loses some of its speed at the ground, in air.
#[ode_system]
mod bouncing {
    fn rhs(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
        [u[1], -p[0] - 0.01 * u[1] * u[1].abs()]
    }

    #[event(falling, log)]
    fn ground(u: &[f64; 2]) -> f64 {
        u[0]
    }

    #[action(ground)]
    fn bounce(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
        [0.0, -p[1] * u[1]]
    }
}

/// The name of each solve, and its hash.
#[derive(Default)]
struct Golden {
    lines: Vec<(String, blake3::Hash)>,
}

impl Golden {
    /// Solves an ensemble with each of the options.
    fn add<A, M, S, T, F, const N: usize, const P: usize>(
        &mut self,
        place: &A,
        (name, method): (&str, M),
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &[SolveOptions],
    ) -> Result<(), SolveError>
    where
        A: EnsembleAlgorithm,
        M: Solver,
        S: System<N, P>,
        T: Scalar,
        F: Vary<S, T, N, P>,
    {
        for options in options {
            let solution = ensemble.solve(method, place, options)?;
            let steps =
                if matches!(options.step, StepSize::Fixed(_)) { "fixed" } else { "adaptive" };
            let system = ensemble.system().info().name;
            let line = format!("{system} {name} {} {steps}", T::NAME);
            assert!(solution.all_succeeded(), "{line}: {:?}", solution.code_counts());
            self.lines.push((line, hash(&solution)));
        }
        Ok(())
    }

    /// Returns the hash of all solves.
    fn all(&self) -> blake3::Hash {
        let mut all = blake3::Hasher::new();
        for (line, hash) in &self.lines {
            all.update(line.as_bytes()).update(hash.as_bytes());
        }
        all.finalize()
    }
}

fn hash<S, T, const N: usize, const P: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
) -> blake3::Hash
where
    S: System<N, P>,
    T: Scalar,
{
    let mut hasher = blake3::Hasher::new();
    let floats = solution.all_states().into_iter().chain(solution.final_states());
    for x in floats.chain(solution.end_times()).chain(solution.all_logs()) {
        let bits = if x.is_nan() { 0x7ff8_0000_0000_0000 } else { x.widen().to_bits() };
        hasher.update(&bits.to_le_bytes());
    }
    for i in 0..solution.len() {
        for count in [solution.accepted(i), solution.rejected(i), solution.guarded(i)] {
            hasher.update(&count.to_le_bytes());
        }
    }
    for count in solution.event_counts() {
        hasher.update(&count.to_le_bytes());
    }
    hasher.finalize()
}

/// Solves one ensemble by each of the methods.
macro_rules! each {
    (($golden:ident, $place:ident), $ensemble:expr, $options:expr; $($method:ident)*) => {
        $($golden.add(&$place, (stringify!($method), $method), $ensemble, $options)?;)*
    };
}

/// Every method in both precisions, with adaptive and with fixed steps.
fn solve(place: impl EnsembleAlgorithm) -> Result<Golden, SolveError> {
    let mut golden = Golden::default();
    let adaptive = |tolerance| SolveOptions::default().tolerance(tolerance).saveat(0.25);
    let fixed = |dt| SolveOptions::default().fixed_step(dt).saveat(0.25);

    let samples = Samples::seed(1)
        .p(0, Normal { mean: 10.0, sd: 0.5 })
        .p(1, Uniform(0.0, 28.0))
        .p(2, LogNormal { mu: 1.0, sigma: 0.1 })
        .u0(0, LogUniform(0.1, 10.0));
    let problem = OdeProblem::new(lorenz, [1.0, 0.5, 0.0], 0.0..=1.0, [10.0, 28.0, 8.0 / 3.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(24).sample(samples);
    let single = ensemble.clone().cast::<f32>();
    let both = [adaptive(1e-5), fixed(0.01)];
    each!((golden, place), &ensemble, &both[1..]; Euler Rk4);
    each!((golden, place), &single, &both[1..]; Euler Rk4);
    each!((golden, place), &ensemble, &both; Heun Ralston Bs3 Dp5 Tsit5 Vern6 Vern7 Dop853 Vern9);
    each!((golden, place), &single, &both; Heun Ralston Bs3 Dp5 Tsit5 Vern6 Vern7 Dop853 Vern9);

    let samples = Samples::seed(2).p(0, LogUniform(1.0, 100.0));
    let problem = OdeProblem::new(van_der_pol, [2.0, -0.6], 0.0..=2.0, [1.0]);
    let ensemble = EnsembleProblem::new(problem).trajectories(24).sample(samples);
    let single = ensemble.clone().cast::<f32>();
    let both = [adaptive(1e-4), fixed(0.005)];
    each!((golden, place), &ensemble, &both; Rosenbrock23 Rodas3 Rodas4 Rodas5P);
    each!((golden, place), &ensemble, &both; TrBdf2 Kvaerno3 Kvaerno5 KenCarp4);
    each!((golden, place), &single, &both; Rosenbrock23 Rodas3 Rodas4 Rodas5P);
    each!((golden, place), &single, &both; TrBdf2 Kvaerno3 Kvaerno5 KenCarp4);
    each!((golden, place), &ensemble, &both[..1]; Tsit5Rodas4 Vern7Rodas5P Auto);
    each!((golden, place), &single, &both[..1]; Tsit5Rodas4 Vern7Rodas5P Auto);

    let samples = Samples::seed(3).p(0, Uniform(0.5, 5.5)).p(1, Uniform(0.0, 0.3));
    let problem = OdeProblem::new(elementary, [1.5, 0.0], 0.0..=5.0, [1.0, 0.1]);
    let ensemble = EnsembleProblem::new(problem).trajectories(24).sample(samples);
    let both = [adaptive(1e-6), fixed(0.05)];
    each!((golden, place), &ensemble, &both; Tsit5 Rodas4);
    each!((golden, place), &ensemble.cast::<f32>(), &both; Tsit5);

    let samples = Samples::seed(4).p(0, LogUniform(0.01, 0.1));
    let problem = OdeProblem::new(robertson, [1.0, 0.0, 0.0], 0.0..=100.0, [0.04, 3e7, 1e4]);
    let ensemble = EnsembleProblem::new(problem).trajectories(24).sample(samples);
    each!((golden, place), &ensemble, &[adaptive(1e-6).saveat(10.0)]; Rodas5P Kvaerno3);

    let samples = Samples::seed(5).u0(0, Uniform(5.0, 10.0)).p(1, Uniform(0.7, 0.9));
    let problem = OdeProblem::new(bouncing, [10.0, 0.0], 0.0..=3.0, [9.81, 0.8]);
    let ensemble = EnsembleProblem::new(problem).trajectories(24).sample(samples);
    let both = [adaptive(1e-6), fixed(0.05)].map(|options| options.event_log(8));
    each!((golden, place), &ensemble, &both; Tsit5 Rodas5P);
    each!((golden, place), &ensemble.cast::<f32>(), &both; Tsit5);
    Ok(golden)
}

/// The backend of `--threads`. A debug build has one lane, which compiles in a fifth of the time.
#[cfg(not(debug_assertions))]
const THREADS: Option<EnsembleThreads> = Some(EnsembleThreads);
#[cfg(debug_assertions)]
const THREADS: Option<EnsembleSerial> = None;

fn main() -> Result<ExitCode, SolveError> {
    let has = |option| std::env::args().any(|argument| argument == option);
    let golden = match THREADS {
        Some(threads) if has("--threads") => solve(threads)?,
        None if has("--threads") => {
            eprintln!("--threads needs a release build");
            return Ok(ExitCode::FAILURE);
        }
        _ => solve(EnsembleSerial)?,
    };
    if has("--each") {
        golden.lines.iter().for_each(|(line, hash)| println!("{hash} {line}"));
    }
    let all = golden.all().to_hex();
    println!("{all}");
    if all.as_str() != HASH {
        eprintln!("the hash on other machines is {HASH}");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_the_hash_of_all_others() {
        assert_eq!(solve(EnsembleSerial).unwrap().all().to_hex().as_str(), HASH);
    }

    /// The README contains both the command and the hash, or neither.
    #[test]
    fn the_readme_has_the_hash() {
        let readme = include_str!("../README.md");
        assert_eq!(readme.contains("--example golden"), readme.contains(HASH));
    }

    #[test]
    fn every_method_is_solved_in_both_precisions() {
        let golden = solve(EnsembleSerial).unwrap();
        for method in odes::methods::ALL {
            for precision in ["f32", "f64"] {
                let part = format!(" {} {precision} ", method.name);
                assert!(golden.lines.iter().any(|(line, _)| line.contains(&part)), "{part}");
            }
        }
    }
}
