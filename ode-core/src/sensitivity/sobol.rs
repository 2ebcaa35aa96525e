//! Sobol' indices by Saltelli's design.

use super::groups::Rows;
use super::indices::SobolIndices;
use super::solve::{Request, analysed};
use crate::ensemble::EnsembleAlgorithm;
use crate::ensemble::solver::Solver;
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::options::SolveOptions;
use crate::problem::samples::Arrangement;
use crate::system::System;
use std::sync::Arc;

/// The options of Sobol' indices, for [`EnsembleProblem::sobol`](crate::EnsembleProblem::sobol).
///
/// ```
/// use ode_core::sensitivity::Sobol;
///
/// let sobol = Sobol::new().batch_size(100_000);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Sobol {
    batch: Option<usize>,
}

impl Sobol {
    /// Returns the default options.
    pub fn new() -> Self {
        Sobol::default()
    }

    /// Sets the number of trajectories that the analysis receives together, at least 1.
    ///
    /// A batch has whole base samples, at least one. By default
    /// the results of a batch take at most 128 MiB. The number changes no bit of the indices, except
    /// in [lockstep](struct@crate::EnsembleCpuArray).
    pub fn batch_size(self, trajectories: usize) -> Self {
        Sobol { batch: Some(trajectories) }
    }
}

impl<S, T, F, const N: usize, const P: usize> EnsembleProblem<S, T, F, N, P>
where
    S: System<N, P>,
    T: Scalar,
    F: Vary<S, T, N, P>,
{
    /// Computes Sobol' indices of the saved numbers at each saved time, by Saltelli's design.
    ///
    /// The inputs are the quantities that [`sample`](Self::sample) gives a distribution. They are
    /// independent. [`trajectories`](Self::trajectories) sets the number `n` of base samples. With
    /// `d` inputs the analysis solves `n (d + 2)` trajectories. The first `n` are the trajectories
    /// of the ensemble itself, the matrix A, and `n` others are the matrix B. For each input there
    /// are `n` more: this input has its values of B, and all others have their values of A.
    ///
    /// ```
    /// # use ode_core::{EnsembleProblem, EnsembleThreads, OdeProblem, SolveError, SolveOptions};
    /// # use ode_core::{Design, Samples, Scrambling, Uniform, methods::Tsit5, system::System};
    /// use ode_core::sensitivity::Sobol;
    ///
    /// # fn of<S: System<2, 2>>(problem: OdeProblem<S, f64, 2, 2>) -> Result<(), SolveError> {
    /// let samples = Samples::seed(1)
    ///     .design(Design::Sobol(Scrambling::Owen))
    ///     .p("rate", Uniform(0.5, 1.5))
    ///     .u0("amount", Uniform(0.9, 1.1));
    /// let ensemble = EnsembleProblem::new(problem).trajectories(4096).sample(samples);
    /// let options = SolveOptions::default().saveat([1.0, 2.0]);
    /// let indices = ensemble.sobol(Tsit5, EnsembleThreads, &options, &Sobol::new())?;
    /// let (rate, amount) = (indices.input("p.rate")?, indices.component("amount")?);
    /// println!("{} at t = 2", indices.total()[[rate, 1, amount]]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// With [`Design::Sobol`](crate::Design::Sobol) the rows of A and B are the two halves of points
    /// in `2 d` dimensions, and the error falls faster than with random values.
    ///
    /// [`vary`](Self::vary) receives each sampled problem, so the problem can depend on the inputs in
    /// any way. Its index counts the trajectories of the analysis, and the problem should not depend
    /// on the index.
    ///
    /// The memory does not grow with the number of trajectories. The indices have the same bits on
    /// all backends, for any batch size. In [lockstep](struct@crate::EnsembleCpuArray) all
    /// trajectories are one batch unless the options set a size. If an
    /// [`EnsembleWatched`](crate::EnsembleWatched) cancels the solve, the indices are of the batches
    /// that were finished.
    ///
    /// # Errors
    /// The errors of [`solve`](Self::solve), and [`SolveError::Sensitivity`] if there are no inputs,
    /// if a rule is a [`Linspace`](crate::Linspace) or [`Logspace`](crate::Logspace), if the ensemble
    /// has rows, a grid or a shard, or if the saved times differ between trajectories.
    pub fn sobol<M, A>(
        &self,
        method: M,
        algorithm: A,
        options: &SolveOptions,
        sobol: &Sobol,
    ) -> Result<SobolIndices, SolveError>
    where
        M: Solver,
        A: EnsembleAlgorithm,
    {
        let request = Request {
            arrangement: Arrangement::Saltelli,
            batch: sobol.batch,
            rows: &|_, inputs| Arc::new(SobolRows { inputs }),
        };
        self.erased(method, algorithm, options, |ensemble, properties, compiled| {
            let analysis = analysed(ensemble, options, properties, compiled, &request)?;
            Ok(SobolIndices { analysis })
        })
    }
}

/// The sums of Sobol' indices.
///
/// A row of `n` base samples is `[n, m, v, d.., c.., t..]`: the mean `m` and the sum of the squares
/// of the deviations `v` of the `2 n` outputs of A and B, and for each input the sums of
/// `f(AB) - f(A)`, of `(f(B) - m) (f(AB) - f(A))` and of `(f(AB) - f(A))^2`. Deviations from the mean
/// keep their digits if the mean is far from zero; see `summary/moments.rs`.
#[derive(Debug)]
struct SobolRows {
    inputs: usize,
}

impl SobolRows {
    /// Returns the sums of one row, each with a number for each input.
    fn sums<'r>(&self, row: &'r [f64]) -> [&'r [f64]; 3] {
        let (differences, rest) = row[3..].split_at(self.inputs);
        let (products, squares) = rest.split_at(self.inputs);
        [differences, products, squares]
    }
}

impl Rows for SobolRows {
    fn len(&self) -> usize {
        3 + 3 * self.inputs
    }

    fn leaf(&self, _: u64, outputs: &[f64], row: &mut [f64]) {
        let (a, b) = (outputs[0], outputs[1]);
        let half = (b - a) / 2.0;
        row[..3].copy_from_slice(&[1.0, a + half, 2.0 * half * half]);
        for (input, ab) in outputs[2..].iter().enumerate() {
            let difference = ab - a;
            row[3 + input] = difference;
            row[3 + self.inputs + input] = half * difference;
            row[3 + 2 * self.inputs + input] = difference * difference;
        }
    }

    fn join(&self, left: &mut [f64], right: &[f64]) {
        let (a, b) = (left[0], right[0]);
        let n = a + b;
        let shift = right[1] - left[1];
        left[0] = n;
        left[1] += shift * (b / n);
        left[2] += right[2] + 2.0 * shift * (shift * (a * b / n));
        let [differences, products, squares] = self.sums(right);
        for input in 0..self.inputs {
            let [own, other] = [left[3 + input], differences[input]];
            left[3 + input] = own + other;
            let product = &mut left[3 + self.inputs + input];
            *product += products[input] + shift * ((a * other - b * own) / n);
            left[3 + 2 * self.inputs + input] += squares[input];
        }
    }

    fn repeat(&self, row: &mut [f64], times: f64) {
        let mean = row[1];
        row.iter_mut().for_each(|sum| *sum *= times);
        row[1] = mean;
    }

    fn results(&self) -> usize {
        2
    }

    fn write_results(&self, row: &[f64], out: &mut [f64]) {
        if row[0] < 2.0 {
            return out.fill(f64::NAN);
        }
        let [_, products, squares] = self.sums(row);
        let (first_order, total) = out.split_at_mut(self.inputs);
        for input in 0..self.inputs {
            first_order[input] = 2.0 * products[input] / row[2];
            total[input] = squares[input] / row[2];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stub::{Model, analyse, ensemble};
    use super::*;
    use crate::methods::tsit5::PROPERTIES;
    use crate::problem::samples::{Design, Linspace, Normal, Samples, Scrambling, Uniform};
    use crate::problem::sweep::Axis;
    use crate::sensitivity::SobolIntervals;
    use core::f64::consts::PI;

    fn request(batch: Option<usize>) -> Request<'static> {
        Request {
            arrangement: Arrangement::Saltelli,
            batch,
            rows: &|_, inputs| Arc::new(SobolRows { inputs }),
        }
    }

    fn indices(
        bases: usize,
        samples: &Samples,
        model: Model<'_>,
        batch: Option<usize>,
    ) -> SobolIndices {
        let analysis =
            analyse(&ensemble(bases, Some(samples)), model, &request(batch), &PROPERTIES, None)
                .unwrap();
        SobolIndices { analysis }
    }

    fn uniform(seed: u64, inputs: usize, [low, high]: [f64; 2]) -> Samples {
        let samples = Samples::seed(seed);
        (0..inputs).fold(samples, |samples, k| samples.p(k, Uniform(low, high)))
    }

    /// The function of T. Ishigami and T. Homma, "An importance quantification technique in
    /// uncertainty analysis for computer models", ISUMA 1990, 398-403; shifted far from zero too.
    fn ishigami([a, b, c, _]: [f64; 4]) -> Option<[f64; 2]> {
        let y = a.sin() + 7.0 * b.sin().powi(2) + 0.1 * c.powi(4) * a.sin();
        Some([y, y + 1e9])
    }

    /// Returns mean, variance, first-order and total indices of [`ishigami`], in closed form.
    fn ishigami_indices() -> (f64, f64, [f64; 3], [f64; 3]) {
        let (a, b) = (7.0_f64, 0.1_f64);
        let first = (1.0 + b * PI.powi(4) / 5.0).powi(2) / 2.0;
        let second = a * a / 8.0;
        let both = b * b * PI.powi(8) * (1.0 / 18.0 - 1.0 / 50.0);
        let variance = first + second + both;
        let [first, second, both] = [first, second, both].map(|part| part / variance);
        (a / 2.0, variance, [first, second, 0.0], [first + both, second, both])
    }

    #[test]
    fn ishigami_has_its_indices() {
        let (mean, variance, first, total) = ishigami_indices();
        for (design, tolerance) in [
            (Design::Sobol(Scrambling::Owen), 0.004),
            (Design::LatinHypercube, 0.03),
            (Design::Random, 0.03),
        ] {
            let samples = uniform(3, 3, [-PI, PI]).design(design);
            let found = indices(1 << 13, &samples, &ishigami, None);
            assert_eq!(found.inputs(), ["p.a", "p.b", "p.c"]);
            assert_eq!((found.base_samples(), found.left_out()), (8192, 0));
            assert_eq!(found.code_counts().map(|(_, n)| n).sum::<u64>(), 5 * 8192);
            assert!((found.variance()[[0, 0]] / variance - 1.0).abs() < tolerance);
            assert!((found.mean()[[0, 0]] - mean).abs() < 4.0 * tolerance);
            for (array, exact) in [(found.first_order(), first), (found.total(), total)] {
                assert_eq!(array.shape(), [3, 1, 2]);
                for (input, exact) in exact.into_iter().enumerate() {
                    let value = array[[input, 0, 0]];
                    assert!(
                        (value - exact).abs() < tolerance,
                        "{design:?} {input}: {value} {exact}"
                    );
                    // The outputs have rounded to 1e-7.
                    assert!((array[[input, 0, 1]] - value).abs() < 1e-6);
                }
            }
        }
    }

    /// The g-function of Saltelli and Sobol' (1995): `prod (|4 x - 2| + a) / (1 + a)`.
    #[test]
    fn the_g_function_has_its_indices() {
        const A: [f64; 4] = [0.0, 1.0, 4.5, 9.0];
        let model = |x: [f64; 4]| {
            let factors = x.iter().zip(A).map(|(x, a)| ((4.0 * x - 2.0).abs() + a) / (1.0 + a));
            Some([factors.product(), 1.0])
        };
        let parts = A.map(|a| 1.0 / (3.0 * (1.0 + a).powi(2)));
        let product =
            |skip: usize| (0..4).filter(|k| *k != skip).map(|k| 1.0 + parts[k]).product::<f64>();
        let variance = product(4) - 1.0;
        let samples = uniform(5, 4, [0.0, 1.0]).design(Design::Sobol(Scrambling::Owen));
        let found = indices(1 << 13, &samples, &model, None);
        for k in 0..4 {
            let (first, total) = (parts[k] / variance, parts[k] * product(k) / variance);
            assert!((found.first_order()[[k, 0, 0]] - first).abs() < 0.005);
            assert!((found.total()[[k, 0, 0]] - total).abs() < 0.005);
            // An output without variance has no indices.
            assert!(found.first_order()[[k, 0, 1]].is_nan() && found.total()[[k, 0, 1]].is_nan());
        }
    }

    /// All rows of the matrices, in order: the outputs of A, B and AB.
    fn stored(bases: usize, samples: &Samples, model: Model<'_>) -> Vec<Vec<f64>> {
        let rows = std::sync::Mutex::new(Vec::new());
        let keep = |p| {
            rows.lock().unwrap().push((p, model(p)));
            model(p)
        };
        let _ = indices(bases, samples, &keep, None);
        let rows: Vec<([f64; 4], Option<[f64; 2]>)> = rows.into_inner().unwrap();
        let d = samples.count_inputs();
        for group in rows.chunks_exact(d + 2) {
            let (a, b) = (group[0].0, group[1].0);
            for (k, row) in group[2..].iter().enumerate() {
                assert_ne!(a[k], b[k]);
                assert!((0..4).all(|i| row.0[i] == if i == k { b[i] } else { a[i] }));
            }
        }
        let output = |row: &([f64; 4], Option<[f64; 2]>)| row.1.map_or(f64::NAN, |y| y[0]);
        rows.chunks_exact(d + 2).map(|group| group.iter().map(output).collect()).collect()
    }

    /// Returns the indices of stored outputs, by the formulas; base samples with NaN are left out.
    fn by_definition(groups: &[&Vec<f64>]) -> Vec<[f64; 2]> {
        let groups: Vec<_> = groups.iter().filter(|g| g.iter().all(|y| y.is_finite())).collect();
        let n = groups.len() as f64;
        let all = || groups.iter().flat_map(|group| &group[..2]);
        let mean = all().sum::<f64>() / (2.0 * n);
        let variance = all().map(|y| (y - mean).powi(2)).sum::<f64>() / (2.0 * n);
        let sum = |f: &dyn Fn(&[f64]) -> f64| groups.iter().map(|group| f(group)).sum::<f64>();
        (2..groups[0].len())
            .map(|k| {
                let first = sum(&|y| (y[1] - mean) * (y[k] - y[0])) / n;
                let total = sum(&|y| (y[0] - y[k]).powi(2)) / (2.0 * n);
                [first / variance, total / variance]
            })
            .collect()
    }

    /// A model that fails in some trajectories, and has outputs that are not finite in others.
    fn failing(p: [f64; 4]) -> Option<[f64; 2]> {
        let [y, _] = ishigami(p)?;
        match p[0] {
            ..-3.1 => None,
            3.1.. => Some([f64::NAN, y]),
            _ => Some([y, y]),
        }
    }

    #[test]
    fn indices_are_those_of_stored_outputs() {
        let samples = uniform(9, 3, [-PI, PI]);
        for bases in [2, 63, 64, 65, 1000] {
            let stored = stored(bases, &samples, &failing);
            let exact = by_definition(&stored.iter().collect::<Vec<_>>());
            let found = indices(bases, &samples, &failing, None);
            let failed = stored.iter().filter(|g| !g.iter().all(|y| y.is_finite())).count() as u64;
            assert_eq!(found.count()[[0, 0]] + failed, bases as u64);
            assert_eq!(found.count()[[0, 1]] + found.left_out(), bases as u64);
            for (k, [first, total]) in exact.into_iter().enumerate() {
                assert!((found.first_order()[[k, 0, 0]] - first).abs() < 1e-12, "{bases}");
                assert!((found.total()[[k, 0, 0]] - total).abs() < 1e-12, "{bases}");
            }
        }
    }

    #[test]
    fn batches_and_ranges_change_no_bit() {
        let samples = uniform(1, 3, [-PI, PI]);
        let whole = indices(700, &samples, &failing, None);
        assert!(whole.left_out() > 0);
        for batch in [1, 5, 6, 64, 999] {
            assert!(indices(700, &samples, &failing, Some(batch)) == whole, "{batch}");
        }
        let request = request(Some(64));
        for together in [5, 65, 1000] {
            let spec = ensemble(700, Some(&samples));
            let analysis = analyse(&spec, &failing, &request, &PROPERTIES, Some(together)).unwrap();
            assert!(SobolIndices { analysis } == whole, "{together}");
        }
        assert!(indices(700, &uniform(2, 3, [-PI, PI]), &failing, None) != whole);
    }

    /// Up to 64 base samples are groups of their own, so a resample repeats base samples.
    #[test]
    fn intervals_are_percentiles_of_resamples() {
        let samples = uniform(4, 3, [-PI, PI]);
        let stored = stored(50, &samples, &ishigami);
        let found = indices(50, &samples, &ishigami, None);
        let mut all: Vec<f64> = (0..201)
            .map(|resample| {
                let times = found.analysis.groups.resample(4, resample, 50);
                assert_eq!(times.iter().sum::<u32>(), 50);
                let repeated = stored.iter().zip(times);
                let repeated: Vec<_> =
                    repeated.flat_map(|(group, times)| (0..times).map(move |_| group)).collect();
                by_definition(&repeated)[1][0]
            })
            .collect();
        all.sort_by(f64::total_cmp);
        let intervals = found.intervals(0.9, 201).unwrap().first_order;
        let index = [1, 0, 0];
        assert!((intervals.low[index] - all[10]).abs() < 1e-12);
        assert!((intervals.high[index] - all[190]).abs() < 1e-12);
        assert_eq!(found.intervals(0.9, 201).unwrap().first_order, intervals);
    }

    /// One base sample that counts has no indices, and one group has no intervals.
    #[test]
    fn one_base_sample_is_too_few() {
        let samples = uniform(4, 3, [-PI, PI]);
        let all_nan = |array: &ndarray::Array3<f64>| array.iter().all(|x| x.is_nan());
        let missing = |found: &SobolIndices| {
            let SobolIntervals { first_order, total } = found.intervals(0.9, 100).unwrap();
            let ends = [first_order.low, first_order.high, total.low, total.high];
            ([found.first_order(), found.total()].iter().all(all_nan), ends.iter().all(all_nan))
        };
        let one = indices(1, &samples, &ishigami, None);
        assert_eq!((one.count()[[0, 0]], missing(&one)), (1, (true, true)));
        assert!(one.mean()[[0, 0]].is_finite());
        // One of three base samples counts.
        let first = stored(3, &samples, &ishigami).remove(0);
        let fails = |p| ishigami(p).filter(|y| first.contains(&y[0]));
        let failed = indices(3, &samples, &fails, None);
        assert_eq!((failed.left_out(), missing(&failed)), (2, (true, true)));
        // The two base samples that count are one of 50 groups.
        let pair = stored(100, &samples, &ishigami)[..2].concat();
        let fails = |p| ishigami(p).filter(|y| pair.contains(&y[0]));
        let failed = indices(100, &samples, &fails, None);
        assert_eq!((failed.count()[[0, 0]], missing(&failed)), (2, (false, true)));
        assert_eq!(missing(&indices(2, &samples, &ishigami, None)), (false, false));
    }

    /// Intervals contain the exact indices about as often as their level states.
    #[test]
    fn intervals_cover_the_indices() {
        let (.., first, total) = ishigami_indices();
        let (mut inside, mut all) = (0, 0);
        for seed in 0..60 {
            let found = indices(1000, &uniform(seed, 3, [-PI, PI]), &ishigami, None);
            let intervals = found.intervals(0.95, 200).unwrap();
            for (interval, exact) in [(intervals.first_order, first), (intervals.total, total)] {
                for (input, exact) in exact.into_iter().enumerate() {
                    let index = [input, 0, 0];
                    let ends = interval.low[index]..=interval.high[index];
                    inside += u32::from(ends.contains(&exact));
                    all += 1;
                }
            }
        }
        let fraction = f64::from(inside) / f64::from(all);
        assert!((0.9..=0.98).contains(&fraction), "{fraction}");
    }

    /// A sum of normal variables has indices that are their shares of the variance.
    #[test]
    fn distributions_and_constants_are_inputs_as_sampled() {
        let samples = Samples::seed(8)
            .design(Design::Sobol(Scrambling::Owen))
            .p("b", Normal { mean: 5.0, sd: 3.0 })
            .p("c", 2.0)
            .p("a", Normal { mean: 1.0, sd: 4.0 });
        let model = |[a, b, c, _]: [f64; 4]| Some([a + b + c, c]);
        let found = indices(1 << 12, &samples, &model, None);
        assert_eq!(found.inputs(), ["p.b", "p.a"]);
        assert!((found.mean()[[0, 0]] - 8.0).abs() < 0.01);
        for (input, exact) in [("p.a", 16.0 / 25.0), ("p.b", 9.0 / 25.0)] {
            let k = found.input(input).unwrap();
            assert!((found.first_order()[[k, 0, 0]] - exact).abs() < 0.01);
            assert!((found.total()[[k, 0, 0]] - exact).abs() < 0.01);
        }
    }

    #[test]
    fn errors_name_their_cause() {
        let sampled = uniform(1, 2, [0.0, 1.0]);
        let text = |change: &dyn Fn(&mut crate::problem::ensemble_spec::EnsembleSpec<'_, f64>)| {
            let mut spec = ensemble(10, Some(&sampled));
            change(&mut spec);
            analyse(&spec, &ishigami, &request(None), &PROPERTIES, None).unwrap_err().to_string()
        };
        assert!(text(&|spec| spec.samples = None).contains("no random inputs"));
        assert!(text(&|spec| spec.trajectories = None).contains("number of trajectories"));
        assert!(text(&|spec| spec.trajectories = Some(usize::MAX / 3)).contains("too many"));
        assert!(text(&|spec| spec.sweep = [None, Some(10)]).contains("has rows"));
        assert!(text(&|spec| spec.shard = (0, 2).into()).contains("has a shard"));
        let fails = |samples: &Samples, batch| {
            analyse(&ensemble(10, Some(samples)), &ishigami, &request(batch), &PROPERTIES, None)
                .unwrap_err()
                .to_string()
        };
        assert!(fails(&Samples::seed(1).p("a", 1.0), None).contains("no random inputs"));
        let line = sampled.clone().p("c", Linspace(0.0, 1.0));
        assert!(fails(&line, None).contains("the values of `c` follow `Linspace`"));
        assert!(fails(&sampled.clone().p("e", 1.0), None).contains("`e`"));
        assert!(fails(&sampled, Some(0)).contains("batch_size"));
        let axes = [Axis::p("a", [1.0])];
        let mut grid = ensemble(10, Some(&sampled));
        grid.axes = &axes;
        let error = analyse(&grid, &ishigami, &request(None), &PROPERTIES, None).unwrap_err();
        assert!(error.to_string().contains("has a grid"));
        let found = indices(10, &sampled, &ishigami, None);
        assert!(found.input("p.e").unwrap_err().to_string().contains("`p.a`, `p.b`"));
        assert!(found.component("x").unwrap_err().to_string().contains("no component `x`"));
        assert!(found.intervals(1.0, 100).unwrap_err().to_string().contains("level 1 "));
        assert!(found.intervals(0.95, 1).unwrap_err().to_string().contains("1 resamples"));
    }
}
