//! The effect of the library's own choices on the first GPU: schedules, batches, register limits.

use odes::SolveOptions;
use odes::backend::Schedule;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use serde::Serialize;

use crate::output::{Output, Row, median, significant};
use crate::workloads::{self, By, Precision, Visitor};
use crate::{Failure, Selection};

/// The measurements of one workload with one choice.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    workload: &'static str,
    precision: Precision,
    schedule: String,
    /// The number of batches of the ensemble.
    batches: usize,
    /// The largest number of registers of a thread, if it is limited.
    registers: Option<u32>,
    kernel_ms: f64,
    host_to_host_ms: f64,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("workload", 8),
        ("", 3),
        ("schedule", 8),
        ("batches", 7),
        ("regs", 4),
        ("kernel ms", 9),
        ("host ms", 8),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.workload.to_owned(),
            self.precision.name().to_owned(),
            self.schedule.clone(),
            self.batches.to_string(),
            self.registers.map_or("-".to_owned(), |r| r.to_string()),
            significant(Some(self.kernel_ms), 4),
            significant(Some(self.host_to_host_ms), 3),
        ]
    }
}

/// Measures the selected workloads with all choices.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let gpu = EnsembleGpuKernel::all()?;
    let all = workloads::all().into_iter().filter(|workload| workload.by == By::Tsit5).collect();
    for (mut workload, precision) in selection.of(all)? {
        if selection.quick {
            workload.trajectories = workload.trajectories.min(1 << 16);
        }
        let n = workload.trajectories;
        let schedules = [Schedule::Auto, Schedule::Static, Schedule::Refill];
        let mut ways: Vec<(Schedule, usize, Option<u32>)> =
            schedules.into_iter().map(|s| (s, 1, None)).collect();
        ways.extend([2, 4, 8].map(|batches| (Schedule::Auto, batches, None)));
        ways.extend([40, 48, 56, 64, 72, 80, 96, 128].map(|r| (Schedule::Auto, 1, Some(r))));
        for (schedule, batches, registers) in ways {
            let mut place = gpu.clone().schedule(schedule).batch(n.div_ceil(batches));
            if let Some(registers) = registers {
                place = place.compiler_options([format!("--maxrregcount={registers}")]);
            }
            let times = match precision {
                Precision::F32 => workload.visit::<f32, _>(Times(place)),
                Precision::F64 => workload.visit::<f64, _>(Times(place)),
            }?;
            output.row(&Measured {
                bench: "gpu-tune",
                workload: workload.name,
                precision,
                schedule: format!("{schedule:?}"),
                batches,
                registers,
                kernel_ms: times.0,
                host_to_host_ms: times.1,
            })?;
        }
    }
    Ok(())
}

/// Returns the median kernel and host-to-host times, in milliseconds.
struct Times(EnsembleGpuKernel);

impl Visitor for Times {
    type Output = Result<(f64, f64), Failure>;

    fn visit<S, T, F, const N: usize, const P: usize>(
        self,
        _: OdeProblem<S, f64, N, P>,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
    ) -> Self::Output
    where
        S: System<N, P>,
        T: Scalar,
        F: Vary<S, T, N, P>,
    {
        let (mut kernel, mut host) = (Vec::new(), Vec::new());
        for run in 0..6 {
            let times = ensemble.solve(Tsit5, self.0.clone(), options)?.timings();
            if run > 0 {
                kernel.push(times.solve.as_secs_f64() * 1e3);
                host.push((times.total - times.setup).as_secs_f64() * 1e3);
            }
        }
        Ok((median(kernel), median(host)))
    }
}
