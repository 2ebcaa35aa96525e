//! Exponents by segments: forwards for the states, then backwards for the directions.

use super::directions::{orthonormalise, random};
use super::exponents::{BLOCKS, Growth, LyapunovExponents, block_of};
use super::request::Lyapunov;
use crate::ensemble::EnsembleAlgorithm;
use crate::ensemble::solver::Method;
use crate::error::{LyapunovError, SolveError};
use crate::gradient::refuse_mass;
use crate::lane::Scalar;
use crate::methods::Differentiable;
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::inputs::Inputs;
use crate::problem::ode::OdeProblem;
use crate::problem::options::{SaveAt, SolveOptions};
use crate::problem::prepared::PreparedSolve;
use crate::solution::{ReturnCode, RunReport};
use crate::system::quantities::quantities;
use crate::system::{Noise, PullBack, System};
use core::ops::Range;
use ndarray::Array2;
use std::time::Instant;

/// The memory of the states at the beginnings of segments.
const STATE_BYTES: usize = 256 << 20;

/// The largest number of directions with gradients that are computed together.
const TOGETHER: usize = 1 << 20;

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Computes the largest Lyapunov exponents of each trajectory.
    ///
    /// The time span is cut into [segments](Lyapunov::segments). For `k` exponents a segment costs
    /// about `1 + 4 k` solves of it. The system needs gradients: `#[ode_system(gradients = "on")]`.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
    /// # use ode_core::{Vary, methods::Tsit5, system::PullBack};
    /// use ode_core::lyapunov::Lyapunov;
    ///
    /// # fn of<S: PullBack<3, 3>, F: Vary<S, f64, 3, 3>>(
    /// #     ensemble: EnsembleProblem<S, f64, F, 3, 3>,
    /// # ) -> Result<(), SolveError> {
    /// let options = SolveOptions::default().tolerance(1e-8);
    /// let found = ensemble.lyapunov(Tsit5, EnsembleThreads, &options, &Lyapunov::new(3))?;
    /// for (largest, error) in found.exponents().column(0).iter().zip(found.standard_errors().column(0)) {
    ///     println!("{largest:.4} +- {error:.4}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The exponents are means of rates of growth over the time that counts: after the first
    /// [transient](Lyapunov::transient) and before the last one. They are per unit of time that
    /// passes, also if the span runs backwards. With all exponents their sum is the mean divergence
    /// of the right-hand side.
    ///
    /// The derivatives are those of the computed steps, as for [`pull_back`](Self::pull_back). Step
    /// sizes follow from the errors of the states, and not of the directions. Near an equilibrium
    /// states have no error, and a step can be as long as a segment. So set
    /// [`dtmax`](SolveOptions::dtmax) or more segments: a step must be short in comparison with the
    /// inverse of each exponent.
    ///
    /// The exponents have the same bits on all backends, except in
    /// [lockstep](struct@crate::EnsembleCpuArray). The states at the beginnings of segments take at
    /// most 256 MiB, unless one trajectory takes more.
    ///
    /// # Errors
    /// The errors of [`pull_back`](Self::pull_back), and [`SolveError::Lyapunov`] for an impossible
    /// request, for options that save states, for a system with noise, and for an ensemble with
    /// [stop times](Self::tstops) of each trajectory.
    pub fn lyapunov<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        request: &Lyapunov,
    ) -> Result<LyapunovExponents, SolveError>
    where
        S: PullBack<N, P>,
        M: Differentiable + Method,
        A: EnsembleAlgorithm,
    {
        let (segments, counting) = request.check(N)?;
        if options.save != SaveAt::Nothing {
            return Err(LyapunovError::Saves.into());
        }
        if self.tstops.is_some() {
            return Err(LyapunovError::Stops.into());
        }
        if <S::Noise as Noise<N, P>>::NOISES > 0 {
            return Err(LyapunovError::Noise.into());
        }
        refuse_mass::<S, N>()?;
        if S::MODES > 0 {
            // A segment would begin with the initial modes.
            return Err(SolveError::NoGradientsOf {
                what: "the segments of a span, in systems with modes",
                instead: "replace modes by states with a derivative of zero",
            });
        }
        let begin = Instant::now();
        let inputs = PreparedSolve::new(self, options, &M::PROPERTIES)?.inputs;
        let shape = Shape { states: N, exponents: request.exponents, segments, counting };
        let (mut growth, mut report) = (Vec::new(), None);
        let mut add = |run: RunReport| match &mut report {
            Some(report) => RunReport::add(report, run),
            none => *none = Some(run),
        };
        for range in shape.ranges(inputs.trajectories) {
            let segment = |segment: usize, states: &[T], copies: usize| {
                let states = states.to_vec();
                let (inputs, first) = (&inputs, range.start);
                EnsembleProblem::new(self.problem).trajectories(range.len() * copies).vary(
                    move |problem, i| {
                        let state = &states[i / copies * N..][..N];
                        piece(problem, inputs, first + i / copies, state, (segment, segments))
                    },
                )
            };
            let first = range.clone().flat_map(|i| inputs.u0.iter().map(move |u| u.get(i)));
            let first: Vec<T> = first.collect();
            let mut forwards = |s: usize, states: &[T]| {
                let solution = segment(s, states, 1).solve(method, &algorithm, options)?;
                add(solution.report().clone());
                let codes = (0..solution.len()).map(|i| solution.trajectory(i).code()).collect();
                Ok((solution.final_states().iter().copied().collect(), codes))
            };
            let walk = shape.forwards(first, &mut forwards)?;
            let mut backwards = |s: usize, states: &[T], directions: &[f64]| {
                let shape = (states.len() / N * request.exponents, N);
                let cotangents = directions.iter().map(|x| T::narrow(*x)).collect();
                let cotangents = Array2::from_shape_vec(shape, cotangents)
                    .unwrap_or_else(|error| unreachable!("there is a row for each: {error}"));
                let ensemble = segment(s, states, request.exponents);
                let gradient = ensemble.pull_back(method, &algorithm, options, cotangents)?;
                add(gradient.report().clone());
                Ok(gradient.all_u0().iter().map(|x| x.widen()).collect())
            };
            let durations = range.clone().map(|i| {
                (inputs.t1.get(i).widen() - inputs.t0.get(i).widen()).abs() / segments as f64
            });
            growth.extend(shape.backwards(&walk, durations, &mut backwards)?);
        }
        let Some(mut report) = report else { return Err(SolveError::NoTrajectories) };
        report.timings.total = begin.elapsed();
        let counted = shape.counting.len();
        Ok(LyapunovExponents::new((request.exponents, N), counted, &growth, report))
    }
}

/// Returns the problem of a segment of trajectory `i`, which begins at `state`.
fn piece<S, T, const N: usize, const P: usize>(
    problem: OdeProblem<S, T, N, P>,
    inputs: &Inputs<T>,
    i: usize,
    state: &[T],
    (segment, segments): (usize, usize),
) -> OdeProblem<S, T, N, P>
where
    S: System<N, P>,
    T: Scalar,
{
    let [t0, t1] = [&inputs.t0, &inputs.t1].map(|end| end.get(i).widen());
    let time = |segment: usize| match segment == segments {
        true => T::narrow(t1),
        false => T::narrow(t0 + (t1 - t0) * (segment as f64 / segments as f64)),
    };
    OdeProblem {
        u0: quantities(core::array::from_fn(|d| state[d])),
        p: quantities(core::array::from_fn(|d| inputs.p[d].get(i))),
        t0: time(segment),
        t1: time(segment + 1),
        ..problem
    }
}

/// The counts of a computation.
struct Shape {
    states: usize,
    exponents: usize,
    segments: usize,
    /// The segments that count.
    counting: Range<usize>,
}

/// Solves a segment from these states, and returns the final states and return codes.
type Forwards<'a, T> =
    &'a mut dyn FnMut(usize, &[T]) -> Result<(Vec<T>, Vec<ReturnCode>), SolveError>;

/// Multiplies directions by the transposed derivatives of a segment that begins at these states.
type Backwards<'a, T> = &'a mut dyn FnMut(usize, &[T], &[f64]) -> Result<Vec<f64>, SolveError>;

/// The states of some trajectories at the beginnings of the segments that directions go through.
struct Walk<T> {
    /// The states `[trajectory * states + component]`, from the first segment that counts on.
    states: Vec<Vec<T>>,
    codes: Vec<ReturnCode>,
}

impl Shape {
    /// Returns ranges of trajectories. The states of a range fit into memory.
    fn ranges(&self, trajectories: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let bytes = (self.segments - self.counting.start) * self.states * size_of::<f64>();
        let most = (STATE_BYTES / bytes).min(TOGETHER / self.exponents).max(1);
        (0..trajectories).step_by(most).map(move |i| i..(i + most).min(trajectories))
    }

    /// Solves all segments of trajectories that begin at `states`.
    fn forwards<T: Scalar>(
        &self,
        mut states: Vec<T>,
        solve: Forwards<'_, T>,
    ) -> Result<Walk<T>, SolveError> {
        let mut walk = Walk {
            states: Vec::new(),
            codes: vec![ReturnCode::Success; states.len() / self.states],
        };
        for segment in 0..self.segments {
            let (ends, codes) = solve(segment, &states)?;
            if segment >= self.counting.start {
                walk.states.push(states);
            }
            states = ends;
            for (first, code) in walk.codes.iter_mut().zip(codes) {
                if *first == ReturnCode::Success {
                    *first = code;
                }
            }
        }
        Ok(walk)
    }

    /// Takes directions through the segments, and returns the growth of each trajectory.
    fn backwards<T: Scalar>(
        &self,
        walk: &Walk<T>,
        durations: impl Iterator<Item = f64>,
        pull_back: Backwards<'_, T>,
    ) -> Result<Vec<Growth>, SolveError> {
        let begin = random(self.exponents, self.states);
        let mut directions = begin.repeat(walk.codes.len());
        let mut growth: Vec<Growth> = walk
            .codes
            .iter()
            .zip(durations)
            .map(|(&code, duration)| Growth {
                sums: vec![0.0; self.exponents * BLOCKS],
                duration,
                code,
            })
            .collect();
        for (k, states) in walk.states.iter().enumerate().rev() {
            let segment = self.counting.start + k;
            directions = pull_back(segment, states, &directions)?;
            let block = self.counting.contains(&segment).then(|| block_of(k, self.counting.len()));
            let own = directions.chunks_exact_mut(begin.len());
            for (growth, directions) in growth.iter_mut().zip(own) {
                orthonormalise(directions, self.states, |j, logarithm| {
                    if let Some(block) = block {
                        growth.sums[j * BLOCKS + block] += logarithm;
                    }
                });
            }
        }
        Ok(growth)
    }
}
