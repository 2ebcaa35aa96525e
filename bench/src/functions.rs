//! The cost of elementary functions with equal bits on all backends, on a GPU.

use odes::SolveOptions;
use odes::backend::Functions;
use odes::lane::Scalar;
use odes::prelude::*;
use serde::Serialize;

use crate::output::{Output, Row, median, significant};
use crate::workloads::Precision;
use crate::{Failure, Selection};

#[path = "../../tests/support/transcendental.rs"]
mod transcendental_system;

use transcendental_system::transcendental;

/// The measurements in one precision with one set of functions.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    precision: Precision,
    functions: &'static str,
    trajectories: usize,
    kernel_ms: f64,
    /// The time to get the machine code, from the compiler or the cache.
    compile_ms: f64,
    steps: u64,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("", 3),
        ("functions", 9),
        ("N", 8),
        ("kernel ms", 9),
        ("compile ms", 10),
        ("steps each", 10),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.precision.name().to_owned(),
            self.functions.to_owned(),
            self.trajectories.to_string(),
            significant(Some(self.kernel_ms), 4),
            significant(Some(self.compile_ms), 3),
            significant(Some(self.steps as f64 / self.trajectories as f64), 4),
        ]
    }
}

/// Compares the library's own functions with the device library's.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let gpu = EnsembleGpuKernel::all()?;
    println!("{}", gpu.devices()[0]);
    let n = if selection.quick { 1 << 14 } else { 1 << 20 };
    for precision in [Precision::F32, Precision::F64] {
        if selection.precision.is_some_and(|only| only != precision) {
            continue;
        }
        for functions in [Functions::Portable, Functions::Library] {
            let place = gpu.clone().functions(functions);
            let measured = match precision {
                Precision::F32 => measure::<f32>(place, n, precision, functions),
                Precision::F64 => measure::<f64>(place, n, precision, functions),
            };
            output.row(&measured?)?;
        }
    }
    Ok(())
}

fn measure<T: Scalar>(
    place: EnsembleGpuKernel,
    n: usize,
    precision: Precision,
    functions: Functions,
) -> Result<Measured, Failure> {
    let t = T::narrow;
    let base = OdeProblem::new(transcendental, [1.0, 0.0], 0.0..=20.0, [1.0, 0.1]).cast::<T>();
    let ensemble = EnsembleProblem::new(base).trajectories(n).vary(|q, i| {
        let x = i as f64 / n as f64;
        q.with_p([t(0.5 + x), t(0.1)])
    });
    let options = SolveOptions::default().abstol(1e-6).reltol(1e-6);
    let (mut kernel, mut compile_ms, mut steps) = (Vec::new(), 0.0, 0);
    for run in 0..7 {
        let solution = ensemble.solve(Tsit5, place.clone(), &options)?;
        let times = solution.timings();
        if run == 0 {
            compile_ms = times.compile.as_secs_f64() * 1e3;
            steps = crate::gpu::steps(&solution).0;
        } else {
            kernel.push(times.solve.as_secs_f64() * 1e3);
        }
    }
    Ok(Measured {
        bench: "gpu-functions",
        precision,
        functions: match functions {
            Functions::Portable => "portable",
            _ => "library",
        },
        trajectories: n,
        kernel_ms: median(kernel),
        compile_ms,
        steps,
    })
}
