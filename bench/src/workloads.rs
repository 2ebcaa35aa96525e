//! The workloads of the benchmarks.
//!
//! - **A** Lorenz, sigma = 10, beta = 8/3, rho from 0 to 21 in order, u0 = (1, 0, 0), t in [0, 1],
//!   1000 fixed steps, final states. **Ark4**: by the classical Runge–Kutta method.
//! - **B2** the same with adaptive steps, both tolerances 1e-6, t in [0, 10]. **B2s**: rho in
//!   random order. **B2r**: random rho, drawn by the backend (`sample`).
//! - **C** as B2, saved at t = 0, 1, …, 10.
//! - **R3, R6, R8** Lorenz, f64, t in [0, 1], relative tolerance 1e-3, 1e-6, 1e-8, absolute a
//!   thousandth of the relative one; 524288 trajectories. **R3s, R6s, R8s**: 2048 trajectories.
//! - **E9** as R, by methods of several orders, each with the tolerance at which the median error
//!   is just below 1e-9. **E9s**: 2048 trajectories. **EB2**: as B2 in f64, at the error of B2 by
//!   Tsit5, 5.2e-7.
//! - **V** Van der Pol, u0 = (2, 0), t in [0, 20], both tolerances 1e-5, mu = 10^(2x) with x
//!   uniform in [0, 1], in random order: step counts differ by a factor of 20.

use odes::SolveOptions;
use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::sample::{Samples, Uniform};
use odes::system::System;
use odes_models::lorenz::lorenz;
use odes_models::van_der_pol::van_der_pol;

use crate::random::Random;

/// The precision of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Precision {
    /// Single precision
    F32,
    /// Double precision
    F64,
}

impl Precision {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Precision::F32 => "f32",
            Precision::F64 => "f64",
        }
    }
}

/// The system of a workload and its varied parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sweep {
    /// Lorenz with rho from 0 to 21, in order.
    Rho,
    /// Lorenz with rho from 0 to 21, in random order.
    RhoShuffled,
    /// Lorenz with rho between 0 and 21, drawn by a rule.
    RhoSampled,
    /// Van der Pol with mu from 1 to 100, in random order.
    Mu,
}

/// The choice of step sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Steps {
    Fixed(f64),
    Adaptive { abstol: f64, reltol: f64 },
}

/// The method of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Tsit5,
    Rk4,
    Vern7,
    Dop853,
    Vern9,
}

/// An ensemble and the options of its solve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Workload {
    pub(crate) name: &'static str,
    pub(crate) by: By,
    pub(crate) sweep: Sweep,
    pub(crate) trajectories: usize,
    pub(crate) end: f64,
    pub(crate) steps: Steps,
    pub(crate) save: bool,
    pub(crate) precisions: &'static [Precision],
}

/// The numbers of trajectories of R and of Rs.
const R_TRAJECTORIES: [usize; 2] = [524_288, 2048];

/// Returns all workloads, in their sizes for a GPU.
pub(crate) fn all() -> Vec<Workload> {
    let (n, both) = (1 << 22, &[Precision::F32, Precision::F64]);
    let tolerance = |t| Steps::Adaptive { abstol: t, reltol: t };
    let b2 = Workload {
        name: "B2",
        by: By::Tsit5,
        sweep: Sweep::Rho,
        trajectories: n,
        end: 10.0,
        steps: tolerance(1e-6),
        save: false,
        precisions: both,
    };
    let f64_only = &[Precision::F64];
    let mut all = vec![
        Workload { name: "A", end: 1.0, steps: Steps::Fixed(0.001), ..b2 },
        Workload { name: "Ark4", by: By::Rk4, end: 1.0, steps: Steps::Fixed(0.001), ..b2 },
        b2,
        Workload { name: "B2s", sweep: Sweep::RhoShuffled, ..b2 },
        Workload { name: "B2r", sweep: Sweep::RhoSampled, ..b2 },
        Workload { name: "C", save: true, ..b2 },
        Workload {
            name: "V",
            sweep: Sweep::Mu,
            trajectories: 1 << 20,
            end: 20.0,
            steps: tolerance(1e-5),
            ..b2
        },
    ];
    for (names, reltol) in [(["R3", "R3s"], 1e-3), (["R6", "R6s"], 1e-6), (["R8", "R8s"], 1e-8)] {
        for (name, trajectories) in names.into_iter().zip(R_TRAJECTORIES) {
            let steps = Steps::Adaptive { abstol: reltol * 1e-3, reltol };
            all.push(Workload { name, trajectories, end: 1.0, steps, precisions: f64_only, ..b2 });
        }
    }
    for (name, trajectories) in ["E9", "E9s"].into_iter().zip(R_TRAJECTORIES) {
        for (by, reltol) in
            [(By::Tsit5, 2.8e-8), (By::Vern7, 2.4e-7), (By::Dop853, 1.9e-8), (By::Vern9, 4.5e-7)]
        {
            let steps = Steps::Adaptive { abstol: reltol * 1e-3, reltol };
            let precisions = f64_only;
            all.push(Workload { name, by, trajectories, end: 1.0, steps, precisions, ..b2 });
        }
    }
    for (by, t) in [(By::Vern7, 2.5e-5), (By::Dop853, 7e-6)] {
        all.push(Workload { name: "EB2", by, steps: tolerance(t), precisions: f64_only, ..b2 });
    }
    all
}

/// An operation on a workload's ensemble, generic over its types.
pub(crate) trait Visitor {
    /// The result.
    type Output;
    /// Performs the operation. `base` is the ensemble's problem in double precision.
    fn visit<S, T, F, const N: usize, const P: usize>(
        self,
        base: OdeProblem<S, f64, N, P>,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
    ) -> Self::Output
    where
        S: System<N, P>,
        T: Scalar,
        F: Vary<S, T, N, P>;
}

impl Workload {
    /// Returns the options of a solve: the defaults, with the steps and tolerances of the workload.
    pub(crate) fn options(&self) -> SolveOptions {
        let options = match self.steps {
            Steps::Fixed(dt) => SolveOptions::default().fixed_step(dt),
            Steps::Adaptive { abstol, reltol } => {
                SolveOptions::default().abstol(abstol).reltol(reltol)
            }
        };
        if self.save { options.saveat(1.0) } else { options }
    }

    /// Returns the relative tolerance of the workload.
    pub(crate) fn reltol(&self) -> Option<f64> {
        match self.steps {
            Steps::Fixed(_) => None,
            Steps::Adaptive { reltol, .. } => Some(reltol),
        }
    }

    /// Calls `visitor` with the ensemble in precision `T`.
    pub(crate) fn visit<T: Scalar, V: Visitor>(&self, visitor: V) -> V::Output {
        let options = self.options();
        let (n, t) = (self.trajectories, T::narrow);
        let span = 0.0..=self.end;
        match self.sweep {
            Sweep::Rho | Sweep::RhoShuffled => {
                let p = |rho| [10.0, rho, 8.0 / 3.0];
                let u0 = [1.0, 0.0, 0.0];
                let base = OdeProblem::new(lorenz, u0, 0.0..=self.end, p(0.0));
                let order = (self.sweep == Sweep::RhoShuffled).then(|| shuffled(n));
                let problem = OdeProblem::new(lorenz, u0, span, p(0.0)).cast::<T>();
                let ensemble = EnsembleProblem::new(problem).trajectories(n).vary(|q, i| {
                    let i = order.as_ref().map_or(i, |order| order[i] as usize);
                    q.with_p(p(rho(i, n)).map(t))
                });
                visitor.visit(base, &ensemble, &options)
            }
            Sweep::RhoSampled => {
                let (u0, p) = ([1.0, 0.0, 0.0], [10.0, 0.0, 8.0 / 3.0]);
                let base = OdeProblem::new(lorenz, u0, 0.0..=self.end, p);
                let problem = OdeProblem::new(lorenz, u0, span, p).cast::<T>();
                let samples = Samples::seed(1).p(1, Uniform(0.0, 21.0));
                let ensemble = EnsembleProblem::new(problem).trajectories(n).sample(samples);
                visitor.visit(base, &ensemble, &options)
            }
            Sweep::Mu => {
                let u0 = [2.0, 0.0];
                let base = OdeProblem::new(van_der_pol, u0, 0.0..=self.end, [1.0]);
                let problem = OdeProblem::new(van_der_pol, u0, span, [1.0]).cast::<T>();
                let ensemble = EnsembleProblem::new(problem)
                    .trajectories(n)
                    .vary(|q, i| q.with_p([t(10f64.powf(2.0 * uniform(i as u64)))]));
                visitor.visit(base, &ensemble, &options)
            }
        }
    }

    /// Returns the floating-point operations of an attempted step.
    ///
    /// They are counted in the arithmetic of the method and the right-hand side, for three states
    /// and Tsit5 only.
    pub(crate) fn flops(&self) -> Option<f64> {
        match (self.by, self.sweep, self.steps) {
            (By::Tsit5, Sweep::Mu, _) => None,
            (By::Tsit5, _, Steps::Fixed(_)) => Some(174.0),
            (By::Tsit5, _, Steps::Adaptive { .. }) => Some(292.0),
            _ => None,
        }
    }
}

/// Returns the `i`-th of `n` parameters rho from 0 to 21, in order.
pub(crate) fn rho(i: usize, n: usize) -> f64 {
    21.0 * i as f64 / (n - 1).max(1) as f64
}

/// Returns the `i`-th random number in [0, 1).
pub(crate) fn uniform(i: u64) -> f64 {
    Random::after(i).uniform(0.0, 1.0)
}

/// Returns the numbers below `n` in random order (Fisher and Yates).
fn shuffled(n: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..n as u32).collect();
    for i in (1..n).rev() {
        order.swap(i, (uniform(i as u64) * (i + 1) as f64) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_loses_nothing() {
        let order = shuffled(1000);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_ne!(order, sorted);
        assert!(sorted.into_iter().eq(0..1000));
    }
}
