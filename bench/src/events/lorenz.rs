//! B2 with an event that never occurs, to the same bits.

use odes::lane::Scalar;
use odes::prelude::*;
use odes::problem::Vary;
use odes::system::System;
use odes::{EnsembleSolution, SolveOptions};

use super::{Bench, Cost, Variant, all_ended, near};
use crate::output::Output;
use crate::workloads::{self, Visitor, Workload};
use crate::{Failure, errors};

#[ode_system]
mod counted {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }

    pub struct Parameters {
        pub sigma: f64,
        pub rho: f64,
        pub beta: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State {
            x: p.sigma * (u.y - u.x),
            y: u.x * (p.rho - u.z) - u.y,
            z: u.x * u.y - p.beta * u.z,
        }
    }

    #[event(rising)]
    fn far(u: &State) -> f64 {
        u.z - 1000.0
    }
}

#[ode_system]
mod stopped {
    pub struct State {
        pub x: f64,
        pub y: f64,
        pub z: f64,
    }

    pub struct Parameters {
        pub sigma: f64,
        pub rho: f64,
        pub beta: f64,
    }

    fn rhs(u: &State, p: &Parameters) -> State {
        State {
            x: p.sigma * (u.y - u.x),
            y: u.x * (p.rho - u.z) - u.y,
            z: u.x * u.y - p.beta * u.z,
        }
    }

    #[event(rising, stop)]
    fn far(u: &State) -> f64 {
        u.z - 1000.0
    }
}

/// Twice the median error of B2.
const MEDIAN_ERROR: f64 = 1e-6;

/// Measures the workload and its variants.
pub(super) fn measure<T: Scalar>(bench: &Bench, output: &mut Output) -> Result<(), Failure> {
    let b2 = workloads::all().into_iter().find(|workload| workload.name == "B2");
    let b2 = b2.ok_or("there is no workload B2")?;
    let workload = Workload { trajectories: bench.trajectories, ..b2 };
    workload.visit::<T, _>(Beside { bench, output })
}

struct Beside<'a> {
    bench: &'a Bench,
    output: &'a mut Output,
}

impl Visitor for Beside<'_> {
    type Output = Result<(), Failure>;

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
        let Beside { bench, output } = self;
        let plain = ensemble.solve(Tsit5, &bench.algorithm, options)?;
        let (error, _) = errors::relative(base, &plain, false)?;
        near("the median error", 0, error, 0.0, MEDIAN_ERROR)?;
        let n = bench.trajectories;
        let (u0, p) = ([1.0, 0.0, 0.0], |i| [10.0, workloads::rho(i, n), 8.0 / 3.0]);
        let counts = EnsembleProblem::new(OdeProblem::new(counted, u0, 0.0..=10.0, p(0)))
            .trajectories(n)
            .vary(|problem, i| problem.with_p(p(i)))
            .cast::<T>();
        let stops = EnsembleProblem::new(OdeProblem::new(stopped, u0, 0.0..=10.0, p(0)))
            .trajectories(n)
            .vary(|problem, i| problem.with_p(p(i)))
            .cast::<T>();
        let place = &bench.algorithm;
        let without = || ensemble.solve(Tsit5, place, options);
        let counts = || counts.solve(Tsit5, place, options);
        let stops = || stops.solve(Tsit5, place, options);
        let variants = [
            (Variant::new("no event", without, |s| same(s, &plain)), Cost::Nothing),
            (Variant::new("counted", counts, |s| same(s, &plain)), Cost::Beside(0)),
            (Variant::new("stop", stops, |s| same(s, &plain)), Cost::Beside(0)),
        ];
        bench.measure(&variants, output)
    }
}

/// Returns an error unless final states have the same bits.
fn same<S, R, T, const N: usize, const P: usize, const M: usize, const Q: usize>(
    solution: &EnsembleSolution<S, T, N, P>,
    plain: &EnsembleSolution<R, T, M, Q>,
) -> Result<(), Failure>
where
    S: System<N, P>,
    R: System<M, Q>,
    T: Scalar,
{
    all_ended(solution, ReturnCode::Success)?;
    if solution.event_counts().iter().any(|&count| count > 0) {
        return Err("an event that never happens happened".into());
    }
    if solution.final_states() == plain.final_states() {
        Ok(())
    } else {
        Err("an event that never happens changes the solution".into())
    }
}
