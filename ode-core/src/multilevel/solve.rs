//! The solves of a mean by several step sizes.

use super::estimate::{Level, MultilevelMean, Orders, bias, needed};
use super::request::Multilevel;
use crate::ensemble::EnsembleAlgorithm;
use crate::ensemble::solver::Solver;
use crate::error::{MultilevelError, SolveError};
use crate::lane::Scalar;
use crate::problem::ensemble::EnsembleProblem;
use crate::problem::ode::OdeProblem;
use crate::problem::options::{SolveOptions, StepSize};
use crate::solution::{ReturnCode, Trajectory};
use crate::system::System;

/// The number of paths with one seed.
const TOGETHER: usize = 1 << 20;

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> OdeProblem<S, T, N, P> {
    /// Estimates the mean of a quantity of a stochastic equation, by several step sizes.
    ///
    /// The [fixed step](SolveOptions::fixed_step()) of the options is the coarsest one, and
    /// [`Multilevel::new`] receives the root mean square error. The closure computes the quantity
    /// from a trajectory, in any order and on several threads; it reads the final state, or what the
    /// options save. [`multilevel`](crate::multilevel) describes the estimate.
    ///
    /// ```
    /// # use ode_core::{EnsembleThreads, OdeProblem, SolveError, SolveOptions, system::System};
    /// # use ode_core::methods::EulerMaruyama;
    /// use ode_core::multilevel::Multilevel;
    ///
    /// # fn of<S: System<2, 5, State<f64> = [f64; 2]>>(
    /// #     problem: OdeProblem<S, f64, 2, 5>,
    /// # ) -> Result<(), SolveError> {
    /// let options = SolveOptions::default().fixed_step(0.25);
    /// let request = Multilevel::new(0.01);
    /// let call = problem.multilevel_mean(EulerMaruyama, EnsembleThreads, &options, &request, |path| {
    ///     (path.final_state()[0] - 100.0).max(0.0)
    /// })?;
    /// println!("{} ± {}", call.mean, call.standard_error);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Each level takes the given first number of paths, and then as many as its variance and its
    /// cost require. If the means of the last differences show a bias of the finest step above
    /// `1/√2` of the error, there is another level. The result has the same bits on all backends.
    ///
    /// # Errors
    /// The errors of [`solve`](Self::solve), and [`SolveError::Multilevel`] for an impossible
    /// request, without fixed steps, with options for the path, for a trajectory that fails or has
    /// no finite quantity, if the quantity has no variance, if a level needs too many paths, and if
    /// all levels leave too great a bias.
    pub fn multilevel_mean<M, A, G>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        request: &Multilevel,
        quantity: G,
    ) -> Result<MultilevelMean, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
        G: Fn(Trajectory<'_, S, T, N, P>) -> f64 + Sync,
    {
        request.check()?;
        let StepSize::Fixed(coarsest) = options.step else {
            return Err(MultilevelError::Adaptive.into());
        };
        let own = [
            ("noise_cell", options.noise_cell.is_some()),
            ("noise_paths", options.noise_paths.is_some()),
        ];
        if let Some((option, _)) = own.into_iter().find(|(_, set)| *set) {
            return Err(MultilevelError::Option { option }.into());
        }
        if S::JUMPS > 0 {
            return Err(MultilevelError::Jumps.into());
        }
        let properties = method.properties(options, N, S::MASS)?;
        let Some(stochastic) = properties.stochastic else {
            return Err(MultilevelError::Method { method: properties.name }.into());
        };
        let orders =
            Orders { of_means: stochastic.weak_order, of_variances: 2.0 * stochastic.strong_order };
        let span = self.t1.widen() - self.t0.widen();
        // Halves of a step that is longer than the span may be steps over the span, too.
        let coarsest = if span > 0.0 { coarsest.min(span) } else { coarsest };
        let count = (span / coarsest).ceil().max(1.0);
        let mut levels: Vec<Level> = Vec::new();
        let mut parts = vec![0; request.most_levels];
        loop {
            let l = levels.len();
            let step = coarsest / (l as f64).exp2();
            let steps = count * (l as f64).exp2() * if l == 0 { 1.0 } else { 1.5 };
            levels.push(Level { step, paths: 0, mean: 0.0, variance: 0.0, steps });
            if levels.len() < 3 {
                continue;
            }
            loop {
                let needed = needed(&levels, request, orders);
                let mut grown = false;
                for (l, level) in levels.iter_mut().enumerate() {
                    let target = needed[l].max(request.first_paths as f64);
                    if target > request.most_paths as f64 {
                        let (paths, most, error) = (target, request.most_paths, request.error);
                        return Err(MultilevelError::Paths { level: l, paths, most, error }.into());
                    }
                    let mut missing = target - level.paths as f64;
                    // The last hundredth of the paths changes nothing.
                    if level.paths > 0 && missing <= 0.01 * level.paths as f64 {
                        continue;
                    }
                    grown = true;
                    while missing > 0.0 {
                        let paths = missing.min(TOGETHER as f64) as usize;
                        let seed = seed_of(options.noise_seed, l as u64, parts[l]);
                        parts[l] += 1;
                        let options = options.clone().noise_seed(seed);
                        let pair = Pair { problem: self, method, algorithm: &algorithm };
                        level.add(&pair.differences(&options, l, level.step, paths, &quantity)?);
                        if !level.variance.is_finite() {
                            let number = level.variance;
                            return Err(MultilevelError::Variance { level: l, number }.into());
                        }
                        missing -= paths as f64;
                    }
                }
                if !grown {
                    break;
                }
            }
            if let Some(Level { paths, mean, variance: 0.0, .. }) = levels.first() {
                let (paths, quantity) = (*paths, *mean);
                return Err(MultilevelError::Equal { paths, quantity }.into());
            }
            let bias = bias(&levels, orders);
            if bias * 2_f64.sqrt() <= request.error {
                let mean = levels.iter().map(|level| level.mean).sum();
                let square = |level: &Level| level.variance / level.paths as f64;
                let standard_error = levels.iter().map(square).sum::<f64>().sqrt();
                return Ok(MultilevelMean { mean, standard_error, bias, levels });
            }
            if levels.len() == request.most_levels {
                let (levels, error) = (levels.len(), request.error);
                return Err(MultilevelError::Bias { levels, bias, error }.into());
            }
        }
    }
}

/// The solves of a level.
struct Pair<'a, S: System<N, P>, T: Scalar, M, A, const N: usize, const P: usize> {
    problem: &'a OdeProblem<S, T, N, P>,
    method: M,
    algorithm: &'a A,
}

impl<S, T, M, A, const N: usize, const P: usize> Pair<'_, S, T, M, A, N, P>
where
    S: System<N, P>,
    T: Scalar,
    M: Solver,
    A: EnsembleAlgorithm,
{
    /// Returns the quantity at the step of a level, less that at twice the step on the same path.
    fn differences<G>(
        &self,
        options: &SolveOptions,
        level: usize,
        step: f64,
        paths: usize,
        quantity: &G,
    ) -> Result<Vec<f64>, SolveError>
    where
        G: Fn(Trajectory<'_, S, T, N, P>) -> f64 + Sync,
    {
        if level == 0 {
            return self.quantities(options, level, paths, quantity);
        }
        let options = options.clone().noise_cell(2.0 * step);
        let fine = options.clone().fixed_step(step);
        let mut all = self.quantities(&fine, level, paths, quantity)?;
        let coarse = options.fixed_step(2.0 * step);
        let coarse = self.quantities(&coarse, level, paths, quantity)?;
        all.iter_mut().zip(coarse).for_each(|(fine, coarse)| *fine -= coarse);
        Ok(all)
    }

    /// Returns the quantity of each trajectory.
    fn quantities<G>(
        &self,
        options: &SolveOptions,
        level: usize,
        paths: usize,
        quantity: &G,
    ) -> Result<Vec<f64>, SolveError>
    where
        G: Fn(Trajectory<'_, S, T, N, P>) -> f64 + Sync,
    {
        let ensemble = EnsembleProblem::new(*self.problem).trajectories(paths);
        let of = |path: Trajectory<'_, S, T, N, P>| (path.code(), quantity(path));
        let found = ensemble.solve_each(self.method, self.algorithm, options).map(of).collect()?;
        if found.len() < paths {
            let code = ReturnCode::Cancelled.to_string();
            return Err(MultilevelError::Failed { level, code }.into());
        }
        let number = |(code, number): (ReturnCode, f64)| match code.is_success() {
            true if number.is_finite() => Ok(number),
            true => Err(MultilevelError::NotFinite { level, number }.into()),
            false => Err(MultilevelError::Failed { level, code: code.to_string() }.into()),
        };
        found.into_iter().map(number).collect()
    }
}

/// Returns the seed of further paths of a level.
///
/// Neighbouring numbers must give seeds without relation, since users count seeds (the finaliser of
/// G. L. Steele, D. Lea, C. H. Flood, *Fast splittable pseudorandom number generators*, OOPSLA
/// 2014).
fn seed_of(seed: u64, level: u64, part: u64) -> u64 {
    let mixed = |x: u64| {
        let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    };
    mixed(mixed(mixed(seed).wrapping_add(level)).wrapping_add(part))
}
