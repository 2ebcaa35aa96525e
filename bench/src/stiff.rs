//! Stiff systems on the first GPU, in double precision.
//!
//! - **D** Robertson, its first rate from 0.5 to 1.5 times its value, t in [0, 10^4], relative
//!   tolerance 1e-4, absolute 1e-8.
//! - **H** HIRES, with the same factors, t in [0, 321.8122], 1e-6 and 1e-8.
//! - **P** Pollution, its first rate from 0.8 to 1.2 times its value, t in [0, 60], 1e-6 and 1e-10.

use std::time::Duration;

use odes::backend::PreparedSolve;
use odes::methods::{Kvaerno3, Kvaerno5, Method, Rodas4, Rosenbrock23, TrBdf2, Tsit5Rodas4};
use odes::prelude::*;
use odes::system::{Quantities, System};
use odes::{KenCarp4, Rodas5P, SolveOptions};
use odes_models::{hires, pollution, robertson};
use serde::Serialize;

use crate::output::{Output, Row, median, significant};
use crate::{Failure, Selection, gpu};

/// The number of trajectories that are compared with a reference.
const SAMPLE: usize = 100;

/// The measurements of one system by one method.
#[derive(Debug, Serialize)]
struct Measured {
    bench: &'static str,
    device: String,
    workload: &'static str,
    method: &'static str,
    trajectories: usize,
    /// The median kernel time in milliseconds, by device events.
    kernel_ms: f64,
    /// The prototype's kernel time, if it had the method.
    prototype_ms: Option<f64>,
    host_to_host_ms: f64,
    first_call_ms: f64,
    /// The mean number of attempted steps of a trajectory.
    steps_each: f64,
    rejected_each: f64,
    failures: usize,
    /// The error of the worst component, relative to its size plus the ratio of the absolute to
    /// the relative tolerance.
    error_median: f64,
    error_max: f64,
    registers: u32,
    local_bytes: u32,
}

impl Row for Measured {
    const COLUMNS: &'static [(&'static str, usize)] = &[
        ("workload", 8),
        ("method", 12),
        ("N", 8),
        ("kernel ms", 9),
        ("prototype", 9),
        ("ratio", 6),
        ("host ms", 8),
        ("steps", 7),
        ("rejected", 8),
        ("error", 8),
        ("max error", 9),
        ("failed", 6),
        ("regs", 4),
        ("local", 5),
    ];

    fn cells(&self) -> Vec<String> {
        vec![
            self.workload.to_owned(),
            self.method.to_owned(),
            self.trajectories.to_string(),
            significant(Some(self.kernel_ms), 4),
            significant(self.prototype_ms, 3),
            self.prototype_ms
                .map_or("-".to_owned(), |prototype| format!("{:.3}", self.kernel_ms / prototype)),
            significant(Some(self.host_to_host_ms), 3),
            format!("{:.1}", self.steps_each),
            format!("{:.1}", self.rejected_each),
            significant(Some(self.error_median), 2),
            significant(Some(self.error_max), 2),
            self.failures.to_string(),
            self.registers.to_string(),
            self.local_bytes.to_string(),
        ]
    }
}

/// A system, its varied parameter, and the options of its solve.
struct Problem<S: System<N, P>, const N: usize, const P: usize> {
    name: &'static str,
    problem: OdeProblem<S, f64, N, P>,
    /// The largest relative change of the first parameter.
    spread: f64,
    trajectories: usize,
    abstol: f64,
    reltol: f64,
    /// The prototype's kernel times by Rosenbrock23, Rodas4 and Rodas5P, in milliseconds on one
    /// H200.
    prototypes: [f64; 3],
}

/// Measures all systems by all methods.
pub(crate) fn run(selection: &Selection, output: &mut Output) -> Result<(), Failure> {
    let quick = |n: usize| if selection.quick { n.min(1 << 12) } else { n };
    let d = Problem {
        name: "D",
        problem: OdeProblem::new(robertson::robertson, robertson::U0, 0.0..=1e4, robertson::P),
        spread: 0.5,
        trajectories: quick(1 << 20),
        abstol: 1e-8,
        reltol: 1e-4,
        prototypes: [1.30, 1.19, 1.18],
    };
    d.run(selection, output)?;
    let (begin, end) = hires::SPAN;
    let h = Problem {
        name: "H",
        problem: OdeProblem::new(hires::hires, hires::U0, begin..=end, hires::P),
        spread: 0.5,
        trajectories: quick(1 << 17),
        abstol: 1e-8,
        reltol: 1e-6,
        prototypes: [3.63, 1.46, 1.23],
    };
    h.run(selection, output)?;
    let (begin, end) = pollution::SPAN;
    let p = Problem {
        name: "P",
        problem: OdeProblem::new(pollution::pollution, pollution::U0, begin..=end, pollution::P),
        spread: 0.2,
        trajectories: quick(1 << 17),
        abstol: 1e-10,
        reltol: 1e-6,
        prototypes: [7.6, 3.73, 4.27],
    };
    p.run(selection, output)
}

impl<S: System<N, P>, const N: usize, const P: usize> Problem<S, N, P> {
    fn run(&self, selection: &Selection, output: &mut Output) -> Result<(), Failure> {
        if !selection.has(self.name) {
            return Ok(());
        }
        let reference = self.reference()?;
        let prototypes = self.prototypes.map(Some);
        let mut row = |measured: Result<Measured, Failure>| output.row(&measured?);
        row(self.by::<Rosenbrock23>(Rosenbrock23, &reference, prototypes[0]))?;
        row(self.by::<Rodas4>(Rodas4, &reference, prototypes[1]))?;
        row(self.by::<Rodas5P>(Rodas5P, &reference, prototypes[2]))?;
        row(self.by::<TrBdf2>(TrBdf2, &reference, None))?;
        row(self.by::<Kvaerno3>(Kvaerno3, &reference, None))?;
        row(self.by::<KenCarp4>(KenCarp4, &reference, None))?;
        row(self.by::<Kvaerno5>(Kvaerno5, &reference, None))?;
        // `Auto` chooses this pair at these tolerances.
        row(self.by::<Tsit5Rodas4>(Tsit5Rodas4, &reference, None))
    }

    /// Returns the problem of trajectory `i`.
    fn varied(&self, q: OdeProblem<S, f64, N, P>, i: usize) -> OdeProblem<S, f64, N, P> {
        let last = (self.trajectories - 1).max(1) as f64;
        let mut p = q.p.to_numbers();
        p[0] *= 1.0 + self.spread * (2.0 * i as f64 / last - 1.0);
        q.with_p(p)
    }

    /// Returns the indices of the compared trajectories.
    fn sample(&self) -> impl Iterator<Item = usize> + use<S, N, P> {
        (0..self.trajectories).step_by(self.trajectories.div_ceil(SAMPLE))
    }

    /// Returns the final states of the compared trajectories.
    fn reference(&self) -> Result<Vec<[f64; N]>, Failure> {
        let sample: Vec<usize> = self.sample().collect();
        let tight = SolveOptions::default().reltol(1e-10).abstol(1e-4 * self.abstol);
        let reference = EnsembleProblem::new(self.problem)
            .trajectories(sample.len())
            .vary(|q, k| self.varied(q, sample[k]))
            .solve(Rodas5P, EnsembleSerial, &tight)?;
        if !reference.all_succeeded() {
            return Err(format!("the reference fails: {:?}", reference.code_counts()).into());
        }
        Ok((0..sample.len()).map(|k| reference.final_state(k).to_numbers()).collect())
    }

    fn by<M: Method>(
        &self,
        method: M,
        reference: &[[f64; N]],
        prototype_ms: Option<f64>,
    ) -> Result<Measured, Failure> {
        let gpu = EnsembleGpuKernel::all()?;
        let options = SolveOptions::default().abstol(self.abstol).reltol(self.reltol);
        let n = self.trajectories;
        let ensemble =
            EnsembleProblem::new(self.problem).trajectories(n).vary(|q, i| self.varied(q, i));
        let first = ensemble.solve(method, gpu.clone(), &options)?;
        let (steps, rejected) = gpu::steps(&first);

        let floor = self.abstol / self.reltol;
        let errors: Vec<f64> = self
            .sample()
            .zip(reference)
            .map(|(i, exact)| {
                let off = |(u, exact): (&f64, &f64)| (u - exact).abs() / (exact.abs() + floor);
                first.final_state(i).to_numbers().iter().zip(exact).map(off).fold(0.0, f64::max)
            })
            .collect();

        let mut times = Vec::new();
        for _ in 0..9 {
            times.push(ensemble.solve(method, gpu.clone(), &options)?.timings());
        }
        let of = |part: fn(&odes::Timings) -> Duration| {
            median(times.iter().map(|t| part(t).as_secs_f64() * 1e3).collect())
        };
        let inputs = PreparedSolve::new(&ensemble, &options, &M::PROPERTIES)?;
        let report = gpu.report::<f64, S, M, N, P>(ensemble.system(), &inputs)?;
        Ok(Measured {
            bench: "gpu-stiff",
            device: gpu.devices()[0].name().to_owned(),
            workload: self.name,
            method: M::PROPERTIES.name,
            trajectories: n,
            kernel_ms: of(|t| t.solve),
            prototype_ms,
            host_to_host_ms: of(|t| t.total - t.setup),
            first_call_ms: first.timings().total.as_secs_f64() * 1e3,
            steps_each: steps as f64 / n as f64,
            rejected_each: rejected as f64 / n as f64,
            failures: first.codes().filter(|code| !code.is_success()).count(),
            error_median: median(errors.clone()),
            error_max: errors.into_iter().fold(0.0, f64::max),
            registers: report.registers,
            local_bytes: report.local_bytes,
        })
    }
}
