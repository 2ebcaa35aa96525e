//! Benchmarks on the CPU, with every instruction set, on one thread and on all.

use odes::SolveOptions;
use odes::backend::InstructionSet;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use serde::Serialize;

use crate::gpu::steps;
use crate::output::{Output, Row, significant};
use crate::workloads::{self, Precision, Visitor, Workload};
use crate::{Failure, Selection, errors, peak};

/// The measurements of one workload, precision, instruction set and thread count.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    workload: &'static str,
    precision: Precision,
    instructions: String,
    threads: usize,
    trajectories: usize,
    /// Trajectories per second of all threads together, the best of several runs.
    trajectories_per_second: f64,
    trajectories_per_second_per_core: f64,
    steps_per_second: f64,
    /// Floating-point operations of the steps per second, divided by the peak of the same cores.
    share_of_peak: Option<f64>,
    /// The peak: fused multiply-adds on registers, two operations each, all threads together.
    peak_gflops: Option<f64>,
    steps: u64,
    rejected: u64,
    failures: usize,
    error_median: f64,
    error_max: f64,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("workload", 8),
        ("", 3),
        ("lanes", 8),
        ("threads", 7),
        ("N", 8),
        ("traj/s/core", 11),
        ("traj/s", 9),
        ("steps/s", 9),
        ("of peak", 7),
        ("GFLOP/s", 8),
        ("error", 8),
        ("max error", 9),
        ("failed", 6),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.workload.to_owned(),
            self.precision.name().to_owned(),
            self.instructions.clone(),
            self.threads.to_string(),
            self.trajectories.to_string(),
            format!("{:.0}", self.trajectories_per_second_per_core),
            format!("{:.0}", self.trajectories_per_second),
            format!("{:.2e}", self.steps_per_second),
            self.share_of_peak.map_or("-".to_owned(), |s| format!("{:.1}%", 100.0 * s)),
            significant(self.peak_gflops, 3),
            significant(Some(self.error_median), 2),
            significant(Some(self.error_max), 2),
            self.failures.to_string(),
        ]
    }
}

/// Measures the selected workloads among A, B2, C and V.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if all > 1 { vec![1, all] } else { vec![1] };
    let sets = InstructionSet::available();
    // Emulated fused multiply-adds are measured only if the processor has no real ones.
    let sets: Vec<_> = sets.iter().skip(usize::from(sets.len() > 1)).copied().collect();
    let here = ["A", "B2", "C", "V"];
    let of_the_cpu = workloads::all().into_iter().filter(|w| here.contains(&w.name)).collect();
    for (workload, precision) in selection.of(of_the_cpu)? {
        for &threads in &threads {
            for &instructions in &sets {
                let per_thread = if selection.quick { 1 << 12 } else { 1 << 16 };
                let trajectories = (per_thread * threads).min(1 << 21);
                let workload = Workload { trajectories, ..workload };
                let runs = if selection.quick { 2 } else { 5 };
                let bench = Bench { workload, precision, instructions, threads, runs };
                let measured = match precision {
                    Precision::F32 => workload.visit::<f32, _>(bench),
                    Precision::F64 => workload.visit::<f64, _>(bench),
                }?;
                output.row(&measured)?;
            }
        }
    }
    Ok(())
}

struct Bench {
    workload: Workload,
    precision: Precision,
    instructions: InstructionSet,
    threads: usize,
    runs: usize,
}

impl Visitor for Bench {
    type Output = Result<Measured, Failure>;

    fn visit<S, T, F, const N: usize, const P: usize>(
        self,
        base: OdeProblem<S, f64, N, P>,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
    ) -> Self::Output
    where
        S: System<N, P>,
        T: Scalar,
        F: Vary<S, T, N, P>,
    {
        let Bench { workload, precision, instructions, threads, runs } = self;
        let place = EnsembleThreads::new().instructions(instructions).threads(threads);
        let solution = ensemble.solve(Tsit5, &place, options)?;
        let (steps, rejected) = steps(&solution);
        let (error_median, error_max) = errors::relative(base, &solution, workload.save)?;
        let failures = solution.codes().filter(|code| !code.is_success()).count();
        drop(solution);
        // The peak is measured before and after, because clocks and other work on the machine
        // change it.
        let before = peak::flops(instructions, T::DOUBLE, threads);
        let mut seconds = f64::INFINITY;
        for _ in 0..runs {
            let times = ensemble.solve(Tsit5, &place, options)?.timings();
            seconds = seconds.min(times.solve.as_secs_f64());
        }
        let peak = before.max(peak::flops(instructions, T::DOUBLE, threads));
        let peak = (peak > 0.0).then_some(peak);
        let rate = workload.trajectories as f64 / seconds;
        let steps_per_second = steps as f64 / seconds;
        Ok(Measured {
            bench: "cpu",
            workload: workload.name,
            precision,
            instructions: format!("{instructions:?}").to_lowercase(),
            threads,
            trajectories: workload.trajectories,
            trajectories_per_second: rate,
            trajectories_per_second_per_core: rate / threads as f64,
            steps_per_second,
            share_of_peak: workload
                .flops()
                .zip(peak)
                .map(|(flops, peak)| steps_per_second * flops / peak),
            peak_gflops: peak.map(|peak| peak / 1e9),
            steps,
            rejected,
            failures,
            error_median,
            error_max,
        })
    }
}
