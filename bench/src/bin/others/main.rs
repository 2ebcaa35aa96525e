//! Ensembles with figures that other projects publish, with the errors that the solves achieve.
//!
//! - **cubie**: Van der Pol from the [first page of CuBIE][cubie] 0.17, 1,048,576 runs in 25 to 29
//!   ms on an RTX 4070 SUPER.
//! - **sciml**: Lorenz from the [page of SciMLBenchmarks][sciml] about DiffEqGPU 3.21, gradsolve
//!   and diffrax, on a V100.
//! - **paper**: Lorenz from [GPUODEBenchmarks][paper], in single precision, with fixed and adaptive
//!   steps.
//! - **fork**: the same and the ring modulator from its [newest fork][fork], in both its forms.
//!
//! Each line has two errors at the end of the span: the greatest `|u - v| / max(|v|, 1)` of 257
//! trajectories with the reference `v`, as on the page of SciMLBenchmarks, and the root mean square of
//! all their components, as in GPUODEBenchmarks. References are solves with tight tolerances. With
//! `--golden FOLDER` they are the fork's golden files, for all their 1,024 trajectories.
//!
//! `cargo run --release -p odes-bench --bin others`
//!
//! [cubie]: https://pypi.org/project/cubie/0.17.0/
//! [sciml]: https://github.com/SciML/SciMLBenchmarksOutput/blob/1912e25a48c176dc6f98f9654b4065e654639358/markdown/DiffEqGPU/lorenz_workprecision.md
//! [paper]: https://github.com/utkarsh530/GPUODEBenchmarks
//! [fork]: https://github.com/ccam80/GPUODEBenchmarks

mod circuits;

use circuits::{ring_modulator, without_capacitances};
use clap::Parser;
use odes::EnsembleSolution;
use odes::backend::EnsembleAlgorithm;
use odes::lane::Scalar;
use odes::methods::{Dp5, Method};
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{Linspace, Logspace, Rule, Samples};
use odes::sweep::Axis;
use odes::system::{Quantities, System};
use odes_models::lorenz::lorenz;
use odes_models::van_der_pol::van_der_pol;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Solves ensembles of other projects.
#[derive(Parser)]
struct Arguments {
    /// Solves by the threads of the CPU, and divides the numbers of trajectories by 64.
    #[arg(long)]
    cpu: bool,
    /// Divides the numbers of trajectories by 1024, and solves once, as a test of the program.
    #[arg(long)]
    quick: bool,
    /// Only cases whose name contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// Compares with the golden files `golden_ne_*_1024.csv` in this folder, and measures no time.
    #[arg(long)]
    golden: Option<PathBuf>,
}

type Found<V> = Result<V, Box<dyn Error>>;
type Done = Found<()>;

/// The number of trajectories that are compared with a reference.
const COMPARED: usize = 257;
/// A case is not repeated after this time in seconds.
const ENOUGH: f64 = 3.0;

struct Bench {
    backend: Box<dyn EnsembleAlgorithm>,
    arguments: Arguments,
    divisor: usize,
    repeat: usize,
}

/// An ensemble with one varied parameter, and its golden file.
struct Case<S: System<N, P>, const N: usize, const P: usize> {
    name: &'static str,
    problem: OdeProblem<S, f64, N, P>,
    /// The index of the parameter, and its values.
    varied: (usize, Rule),
    trajectories: usize,
    golden: &'static str,
    /// Solves with tight tolerances.
    reference: Reference<S, N, P>,
}

/// A function that returns final states of problems.
type Reference<S, const N: usize, const P: usize> =
    fn(&[OdeProblem<S, f64, N, P>]) -> Found<Vec<[f64; N]>>;

fn main() -> Done {
    let arguments = Arguments::parse();
    let backend: Box<dyn EnsembleAlgorithm> = if arguments.cpu {
        Box::new(EnsembleThreads)
    } else {
        let gpu = EnsembleGpuKernel::device(0)?;
        println!("{}", gpu.devices()[0]);
        Box::new(gpu)
    };
    let (divisor, repeat) = match (arguments.quick, arguments.cpu) {
        (true, _) => (1024, 1),
        (false, true) => (64, 3),
        (false, false) => (1, 7),
    };
    let bench = Bench { backend, arguments, divisor, repeat };
    println!(
        "{:34} {:>7} {:>10} {:>10} {:>10} {:>8} {:>8} {:>6}",
        "case", "N", "steps", "kernels ms", "call ms", "max err", "rms err", "failed"
    );
    cubie::<f32>(&bench)?;
    cubie::<f64>(&bench)?;
    sciml::<f32>(&bench, &[1e-3, 1e-4, 1e-5, 1e-6, 1e-7], 1e-5)?;
    sciml::<f64>(&bench, &[1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9], 1e-7)?;
    of_lorenz(&bench)?;
    of_ring_modulator(&bench)
}

fn cubie<T: Scalar>(bench: &Bench) -> Done {
    const SIDE: usize = 1024;
    if bench.arguments.golden.is_some() {
        return Ok(());
    }
    // A part of the grid has all initial states.
    let rates = (SIDE / bench.divisor).max(2);
    let between = |from: f64, to: f64, n: usize| {
        (0..n).map(move |i| from + (to - from) * i as f64 / (n - 1) as f64)
    };
    let problem = OdeProblem::new(van_der_pol, [1.0, 0.0], 0.0..=20.0, [1.5]);
    let ensemble = EnsembleProblem::new(problem)
        .grid([Axis::u0(0, between(1.0, 2.0, SIDE)), Axis::p(0, between(1.0, 3.0, rates))])
        .cast::<T>();
    let all = |tols: &[f64]| tols.iter().map(|tol| relative(*tol)).collect::<Vec<_>>();
    bench.rows("cubie", Dp5, &ensemble, &all(&[1e-3]), None, explicit)?;
    bench.rows("cubie", Tsit5, &ensemble, &all(&[1e-3, 1e-6]), None, explicit)
}

/// Lorenz with rho from 0 to 21.
fn rho(name: &'static str, trajectories: usize) -> Case<lorenz, 3, 3> {
    Case {
        name,
        problem: OdeProblem::new(lorenz, [1.0, 0.0, 0.0], 0.0..=1.0, [10.0, 0.0, 8.0 / 3.0]),
        varied: (1, Linspace(0.0, 21.0).into()),
        trajectories,
        golden: "lorenz",
        reference: explicit,
    }
}

fn sciml<T: Scalar>(bench: &Bench, tolerances: &[f64], middle: f64) -> Done {
    let all = |tols: &[f64]| tols.iter().map(|tol| relative(*tol)).collect::<Vec<_>>();
    let case = rho("sciml", 1 << 20);
    bench.case::<T, _, _, _, _>(&case, Tsit5, &all(tolerances))?;
    for n in [1 << 13, 1 << 21] {
        bench.case::<T, _, _, _, _>(&rho("sciml call", n), Tsit5, &all(&[middle]))?;
    }
    if T::NAME == "f64" {
        bench.case::<T, _, _, _, _>(&case, Vern7, &all(&[1e-5, 1e-6, 1e-7, 1e-8]))?;
    }
    Ok(())
}

fn of_lorenz(bench: &Bench) -> Done {
    // In single precision, the paper's tolerance of 1e-8 is below the rounding errors.
    let case = rho("paper", 1 << 23);
    bench.case::<f32, _, _, _, _>(&case, Tsit5, &[fixed(1e-3), equal(6e-8)])?;
    bench.case::<f64, _, _, _, _>(&case, Tsit5, &[equal(1e-8)])?;
    let case = rho("fork", 1 << 23);
    bench.case::<f32, _, _, _, _>(&case, Tsit5, &[fixed(1.0 / 1024.0), equal(1e-5)])?;
    bench.case::<f64, _, _, _, _>(&case, Vern7, &[equal(1e-5), equal(1e-9)])
}

fn of_ring_modulator(bench: &Bench) -> Done {
    let tolerances = [equal(1e-3), equal(1e-5), equal(1e-7)];
    let ring = Case {
        name: "fork ring",
        problem: OdeProblem::new(ring_modulator, [0.0; 15], 0.0..=1e-3, [2e-12]),
        varied: (0, Logspace(2e-13, 2e-9).into()),
        trajectories: 1 << 17,
        golden: "ring_modulator",
        reference: implicit,
    };
    bench.case::<f64, _, _, _, _>(&ring, Rodas5P, &tolerances)?;
    let index_2 = Case {
        name: "fork ring, index 2",
        problem: OdeProblem::new(without_capacitances, [0.0; 15], 0.0..=1e-3, [0.5]),
        varied: (0, Linspace(0.0, 0.5).into()),
        trajectories: 1 << 17,
        golden: "ring_modulator_index2",
        reference: implicit,
    };
    bench.case::<f64, _, _, _, _>(&index_2, Rodas5P, &tolerances)
}

/// Equal absolute and relative tolerances, with their label.
fn equal(tolerance: f64) -> (String, SolveOptions) {
    (format!("{tolerance:.0e}"), SolveOptions::default().tolerance(tolerance))
}

/// A relative tolerance, and a thousandth of it as absolute tolerance.
fn relative(reltol: f64) -> (String, SolveOptions) {
    let options = SolveOptions::default().reltol(reltol).abstol(reltol / 1000.0);
    (format!("{reltol:.0e}"), options)
}

fn fixed(step: f64) -> (String, SolveOptions) {
    ("fixed".to_owned(), SolveOptions::default().fixed_step(step))
}

/// Returns the final states of `problems` by Vern7, with tolerances of 1e-13.
fn explicit<S: System<N, P>, const N: usize, const P: usize>(
    problems: &[OdeProblem<S, f64, N, P>],
) -> Found<Vec<[f64; N]>> {
    finals(problems, Vern7, 1e-13)
}

/// Returns the final states of `problems` by Rodas5P, with tolerances of 1e-9.
///
/// In reverse direction a diode conducts so little that rounding errors of its current move its
/// voltage by about 1e-10.
fn implicit<S: System<N, P>, const N: usize, const P: usize>(
    problems: &[OdeProblem<S, f64, N, P>],
) -> Found<Vec<[f64; N]>> {
    finals(problems, Rodas5P, 1e-9)
}

fn finals<S: System<N, P>, M: Method, const N: usize, const P: usize>(
    problems: &[OdeProblem<S, f64, N, P>],
    method: M,
    tolerance: f64,
) -> Found<Vec<[f64; N]>> {
    let options = SolveOptions::default().tolerance(tolerance).max_steps(100_000_000);
    let solution = EnsembleProblem::new(problems[0])
        .trajectories(problems.len())
        .vary(|_, i| problems[i])
        .solve(method, EnsembleThreads, &options)?;
    if !solution.all_succeeded() {
        return Err(format!("the reference fails: {:?}", solution.code_counts()).into());
    }
    Ok((0..problems.len()).map(|i| solution.final_state(i).to_numbers()).collect())
}

/// Returns the rows of a golden file: the parameter and the final state.
fn golden<const N: usize>(folder: &Path, name: &str) -> Found<Vec<(f64, [f64; N])>> {
    let path = folder.join(format!("golden_ne_{name}_1024.csv"));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let row = |line: &str| -> Found<(f64, [f64; N])> {
        let numbers = line.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>()?;
        let state = numbers[1..].try_into().map_err(|_| format!("{name}: {line}"))?;
        Ok((numbers[0], state))
    };
    text.lines().map(row).collect()
}

impl Bench {
    /// Solves a case with each of some options.
    fn case<T, S, M, const N: usize, const P: usize>(
        &self,
        case: &Case<S, N, P>,
        method: M,
        options: &[(String, SolveOptions)],
    ) -> Done
    where
        T: Scalar,
        S: System<N, P>,
        M: Method,
    {
        let problem = case.problem.cast::<T>();
        let (index, ref rule) = case.varied;
        let Some(folder) = &self.arguments.golden else {
            let samples = Samples::seed(0).p(index, rule.clone());
            let n = (case.trajectories / self.divisor).max(COMPARED);
            let ensemble = EnsembleProblem::new(problem).trajectories(n).sample(samples);
            return self.rows(case.name, method, &ensemble, options, None, case.reference);
        };
        let rows = golden::<N>(folder, case.golden)?;
        let ensemble = EnsembleProblem::new(problem).trajectories(rows.len()).vary(|problem, i| {
            let mut p = case.problem.p.to_numbers();
            p[index] = rows[i].0;
            problem.with_p(p.map(T::narrow))
        });
        let states = rows.iter().map(|row| row.1).collect();
        self.rows(case.name, method, &ensemble, options, Some(states), case.reference)
    }

    /// Solves with each of some options, and prints medians of times, and errors.
    ///
    /// The errors are those from the golden final states, or from a reference.
    fn rows<T, S, M, F, const N: usize, const P: usize>(
        &self,
        case: &str,
        method: M,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &[(String, SolveOptions)],
        golden: Option<Vec<[f64; N]>>,
        reference: Reference<S, N, P>,
    ) -> Done
    where
        T: Scalar,
        S: System<N, P>,
        M: Method,
        F: Vary<S, T, N, P>,
    {
        let mut exact = golden;
        for (label, options) in options {
            let name = format!("{} {case} {} {label}", T::NAME, M::PROPERTIES.name);
            if !name.contains(&self.arguments.only) {
                continue;
            }
            // The first call compiles a kernel and reserves memory.
            let solution = ensemble.solve(method, &self.backend, options)?;
            let n = solution.len();
            let steps = (0..n)
                .map(|i| u64::from(solution.accepted(i)) + u64::from(solution.rejected(i)))
                .sum::<u64>();
            let failed = solution.codes().filter(|code| !code.is_success()).count();
            let all = self.arguments.golden.is_some();
            let count = if all { n } else { COMPARED };
            let compared: Vec<_> = (0..count).map(|k| k * (n - 1) / (count - 1)).collect();
            if exact.is_none() {
                exact = Some(reference(&rounded(ensemble.system(), &solution, &compared))?);
            }
            let (greatest, mean) = errors(&solution, &compared, exact.as_deref().unwrap_or(&[]));
            drop(solution);
            let mut times = Vec::new();
            let begin = Instant::now();
            let repeat = if all { 0 } else { self.repeat };
            while times.len() < repeat && begin.elapsed().as_secs_f64() < ENOUGH {
                let begin = Instant::now();
                let solution = ensemble.solve(method, &self.backend, options)?;
                let call = begin.elapsed().as_secs_f64();
                times.push([solution.timings().solve.as_secs_f64(), call]);
            }
            let [kernels, call] = [0, 1].map(|k| {
                let mut all: Vec<f64> = times.iter().map(|time| 1e3 * time[k]).collect();
                all.sort_by(f64::total_cmp);
                all.get(all.len() / 2).map_or_else(|| "-".to_owned(), |time| format!("{time:.3}"))
            });
            println!(
                "{name:34} {n:7} {:10.1} {kernels:>10} {call:>10} {greatest:8.1e} {mean:8.1e} \
                 {failed:6}",
                steps as f64 / n as f64,
            );
        }
        Ok(())
    }
}

/// Returns the problems of some trajectories, in double precision.
fn rounded<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    system: S,
    solution: &EnsembleSolution<S, T, N, P>,
    compared: &[usize],
) -> Vec<OdeProblem<S, f64, N, P>> {
    let problem = |&i: &usize| {
        let one = solution.trajectory(i);
        let (start, end) = one.tspan();
        let u0 = one.u0().to_numbers().map(Scalar::widen);
        let p = one.p().to_numbers().map(Scalar::widen);
        OdeProblem::new(system, u0, start.widen()..=end.widen(), p)
    };
    compared.iter().map(problem).collect()
}

/// Returns the greatest error relative to the larger of one and the norm of the state, and the root
/// mean square of all components.
fn errors<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
    compared: &[usize],
    exact: &[[f64; N]],
) -> (f64, f64) {
    let (mut greatest, mut squares) = (0.0_f64, 0.0);
    for (&i, exact) in compared.iter().zip(exact) {
        let found = solution.final_state(i).to_numbers();
        let square = |x: &[f64; N]| x.iter().map(|x| x * x).sum::<f64>();
        let off = square(&std::array::from_fn(|k| found[k].widen() - exact[k]));
        let error = off.sqrt() / square(exact).sqrt().max(1.0);
        greatest = if error <= greatest { greatest } else { error };
        squares += off;
    }
    (greatest, (squares / (N * compared.len()) as f64).sqrt())
}
