//! Benchmarks on the first GPU.

use std::time::Duration;

use ode_gpu::Device;
use odes::backend::PreparedSolve;
use odes::lane::Scalar;
use odes::methods::{Dop853, Method, Rk4, Vern9};
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use odes::{EnsembleSolution, SolveOptions, Vern7};
use serde::Serialize;

use crate::output::{Output, Row, median, significant};
use crate::workloads::{self, By, Precision, Visitor, Workload};
use crate::{Failure, Selection, errors, prototypes};

/// The measurements of one workload in one precision.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    device: String,
    workload: &'static str,
    method: &'static str,
    precision: Precision,
    trajectories: usize,
    runs: usize,
    /// The median kernel time in milliseconds, by device events.
    kernel_ms: f64,
    kernel_ms_min: f64,
    /// The median time in milliseconds from prepared inputs to results in host memory.
    host_to_host_ms: f64,
    /// The time of the whole call, including the evaluation of the ensemble's problems.
    call_ms: f64,
    /// The time of the first call in this process, including the compiler or the disk cache.
    first_call_ms: f64,
    steps: u64,
    rejected: u64,
    steps_per_second: f64,
    failures: usize,
    error_median: f64,
    error_max: f64,
    reltol: Option<f64>,
    prototype_ms: Option<f64>,
    /// The kernel time divided by the prototype's.
    ratio: Option<f64>,
    registers: u32,
    local_bytes: u32,
    spill_bytes: u32,
    block: u32,
    occupancy: f64,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("workload", 8),
        ("method", 12),
        ("", 3),
        ("N", 8),
        ("kernel ms", 9),
        ("prototype", 9),
        ("ratio", 6),
        ("host ms", 8),
        ("call ms", 8),
        ("steps", 10),
        ("rejected", 9),
        ("steps/s", 8),
        ("error", 8),
        ("max error", 9),
        ("reltol", 7),
        ("failed", 6),
        ("regs", 4),
        ("local", 5),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.workload.to_owned(),
            self.method.to_owned(),
            self.precision.name().to_owned(),
            self.trajectories.to_string(),
            significant(Some(self.kernel_ms), 4),
            significant(self.prototype_ms, 3),
            self.ratio.map_or("-".to_owned(), |r| format!("{r:.3}")),
            significant(Some(self.host_to_host_ms), 3),
            significant(Some(self.call_ms), 3),
            self.steps.to_string(),
            self.rejected.to_string(),
            format!("{:.2e}", self.steps_per_second),
            significant(Some(self.error_median), 2),
            significant(Some(self.error_max), 2),
            significant(self.reltol, 2),
            self.failures.to_string(),
            self.registers.to_string(),
            self.local_bytes.to_string(),
        ]
    }
}

/// Measures the selected workloads.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let gpu = EnsembleGpuKernel::all()?;
    let device = gpu.devices()[0].clone();
    println!("{device}");
    let runs = if selection.quick { 3 } else { 9 };
    for (mut workload, precision) in selection.of(workloads::all())? {
        if selection.quick {
            workload.trajectories = workload.trajectories.min(1 << 16);
        }
        let bench = Bench { workload, precision, gpu: &gpu, device: &device, runs, method: () };
        let measured = match workload.by {
            By::Tsit5 => bench.run(Tsit5),
            By::Rk4 => bench.run(Rk4),
            By::Vern7 => bench.run(Vern7),
            By::Dop853 => bench.run(Dop853),
            By::Vern9 => bench.run(Vern9),
        }?;
        output.row(&measured)?;
    }
    Ok(())
}

struct Bench<'a, M> {
    workload: Workload,
    precision: Precision,
    gpu: &'a EnsembleGpuKernel,
    device: &'a Device,
    runs: usize,
    method: M,
}

/// A method together with its number of stored vectors.
struct Kept<M>(M);

impl Bench<'_, ()> {
    fn run<M: Method>(self, method: M) -> Result<Measured, Failure> {
        let Bench { workload, precision, gpu, device, runs, .. } = self;
        let method = Kept::<M>(method);
        let bench = Bench { workload, precision, gpu, device, runs, method };
        match precision {
            Precision::F32 => workload.visit::<f32, _>(bench),
            Precision::F64 => workload.visit::<f64, _>(bench),
        }
    }
}

/// Returns the attempted and the rejected steps of all trajectories together.
pub(crate) fn steps<S: System<N, P>, T: Scalar, const N: usize, const P: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
) -> (u64, u64) {
    let count = |i| (u64::from(solution.accepted(i)), u64::from(solution.rejected(i)));
    let sum = |(a, b): (u64, u64), (c, d): (u64, u64)| (a + c, b + d);
    let (accepted, rejected) = (0..solution.len()).map(count).fold((0, 0), sum);
    (accepted + rejected, rejected)
}

impl<M: Method> Visitor for Bench<'_, Kept<M>> {
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
        let Bench { workload, precision, gpu, device, runs, method: Kept(method) } = self;
        let solve = || ensemble.solve(method, gpu.clone(), options);
        let first = solve()?;
        let (steps, rejected) = steps(&first);
        let (error_median, error_max) = errors::relative(base, &first, workload.save)?;
        let failures = first.codes().filter(|code| !code.is_success()).count();
        let first_call_ms = first.timings().total.as_secs_f64() * 1e3;
        drop(first);
        // The first solves are not timed: clocks and memory pools have yet to settle.
        drop(solve()?);
        let mut times = Vec::new();
        for _ in 0..runs {
            times.push(solve()?.timings());
        }
        let of = |part: fn(&odes::Timings) -> Duration| {
            times.iter().map(|t| part(t).as_secs_f64() * 1e3).collect::<Vec<_>>()
        };
        let kernels = of(|t| t.solve);
        let kernel_ms = median(kernels.clone());
        let prototype_ms = prototypes::kernel_ms(workload.name, precision).filter(|_| {
            workloads::all()
                .iter()
                .any(|w| w.name == workload.name && w.trajectories == workload.trajectories)
        });

        let inputs = PreparedSolve::drawn(ensemble, options, &M::PROPERTIES)?;
        let report = gpu.report::<T, S, M, N, P>(ensemble.system(), &inputs)?;
        Ok(Measured {
            bench: "gpu",
            device: device.name().to_owned(),
            workload: workload.name,
            method: M::PROPERTIES.name,
            precision,
            trajectories: workload.trajectories,
            runs,
            kernel_ms,
            kernel_ms_min: kernels.into_iter().fold(f64::INFINITY, f64::min),
            host_to_host_ms: median(of(|t| t.total - t.setup)),
            call_ms: median(of(|t| t.total)),
            first_call_ms,
            steps,
            rejected,
            steps_per_second: steps as f64 / kernel_ms * 1e3,
            failures,
            error_median,
            error_max,
            reltol: workload.reltol(),
            prototype_ms,
            ratio: prototype_ms.map(|prototype| kernel_ms / prototype),
            registers: report.registers,
            local_bytes: report.local_bytes,
            spill_bytes: report.spill_bytes,
            block: report.block_size,
            occupancy: report.occupancy,
        })
    }
}
