//! The time of a call as a function of the number of trajectories, on each backend.
//!
//! The table shows from which size a GPU pays, and how much a second GPU gains.

use odes::backend::EnsembleAlgorithm;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use serde::Serialize;

use crate::output::{Output, Row, median, significant};
use crate::workloads::{self, Precision, Visitor, Workload};
use crate::{Failure, Selection};

/// The time of one backend for one workload and number of trajectories.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    workload: &'static str,
    precision: Precision,
    place: String,
    trajectories: usize,
    /// The median time of a call, from the ensemble to results in host memory, in milliseconds.
    call_ms: f64,
    trajectories_per_second: f64,
    /// The speed relative to the first backend, in trajectories per second.
    speedup: f64,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("workload", 8),
        ("", 3),
        ("N", 9),
        ("place", 24),
        ("call ms", 9),
        ("traj/s", 10),
        ("speed-up", 8),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.workload.to_owned(),
            self.precision.name().to_owned(),
            self.trajectories.to_string(),
            self.place.clone(),
            significant(Some(self.call_ms), 3),
            format!("{:.3e}", self.trajectories_per_second),
            significant(Some(self.speedup), 3),
        ]
    }
}

/// Measures the selected workloads among B2, B2r and C.
///
/// The backends are one thread, all threads, and 1, 2, ... all GPUs.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let names = ["B2", "B2r", "C"];
    let all = workloads::all().into_iter().filter(|workload| names.contains(&workload.name));
    let last = if selection.quick { 12 } else { 26 };
    for (workload, precision) in selection.of(all.collect())? {
        for power in (6..=last).step_by(2) {
            // Some machines have too little memory for 11 states of more trajectories.
            if workload.save && power > 24 {
                continue;
            }
            let workload = Workload { trajectories: 1 << power, ..workload };
            let bench = Bench { workload, precision, output: &mut *output };
            match precision {
                Precision::F32 => workload.visit::<f32, _>(bench),
                Precision::F64 => workload.visit::<f64, _>(bench),
            }?;
        }
    }
    Ok(())
}

/// A backend with its name.
type Place = (String, Box<dyn EnsembleAlgorithm>);

/// Returns the backends. CPU threads take minutes for many trajectories.
fn places(trajectories: usize) -> Result<Vec<Place>, Failure> {
    let mut places: Vec<Place> = Vec::new();
    if trajectories <= 1 << 16 {
        places.push(("1 thread".to_owned(), Box::new(EnsembleThreads.threads(1))));
    }
    if trajectories <= 1 << 22 {
        let threads = std::thread::available_parallelism()?;
        places.push((format!("{threads} threads"), Box::new(EnsembleThreads)));
    }
    let gpus = EnsembleGpuKernel::all().map_or(0, |gpus| gpus.devices().len());
    for count in 1..=gpus {
        let gpu = EnsembleGpuKernel::with_devices(0..count)?;
        let name = if count == 1 { "1 GPU".to_owned() } else { format!("{count} GPUs") };
        places.push((name, Box::new(gpu)));
    }
    Ok(places)
}

struct Bench<'a> {
    workload: Workload,
    precision: Precision,
    output: &'a mut Output,
}

impl Visitor for Bench<'_> {
    type Output = Result<(), Failure>;

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
        let Bench { workload, precision, output } = self;
        let mut first = None;
        for (place, algorithm) in places(workload.trajectories)? {
            let call = || {
                let times = ensemble.solve(Tsit5, &algorithm, options)?.timings();
                Ok::<_, Failure>(times.total.as_secs_f64())
            };
            // The first call compiles a kernel, and the second one page-locks memory.
            call()?;
            call()?;
            let times = (0..7).map(|_| call()).collect::<Result<Vec<_>, _>>()?;
            let seconds = median(times);
            let trajectories_per_second = workload.trajectories as f64 / seconds;
            let first = *first.get_or_insert(trajectories_per_second);
            output.row(&Measured {
                bench: "scaling",
                workload: workload.name,
                precision,
                place,
                trajectories: workload.trajectories,
                call_ms: seconds * 1e3,
                trajectories_per_second,
                speedup: trajectories_per_second / first,
            })?;
        }
        Ok(())
    }
}
