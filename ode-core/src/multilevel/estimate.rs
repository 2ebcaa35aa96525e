//! Means by several step sizes.

use super::request::Multilevel;

/// A mean by several step sizes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MultilevelMean {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean, from the variances and the numbers of paths of all levels.
    pub standard_error: f64,
    /// An estimate of the bias of the finest step, without its sign.
    ///
    /// If differences fall as the method's weak order `a` says, it is `1/(2^a - 1)` of the last
    /// one. The estimate takes the greatest of the last three differences, each extrapolated.
    pub bias: f64,
    /// The levels, from the coarsest step to the finest.
    pub levels: Vec<Level>,
}

impl MultilevelMean {
    /// Returns the number of steps of all solves.
    #[must_use]
    pub fn steps(&self) -> f64 {
        self.levels.iter().map(|level| level.steps * level.paths as f64).sum()
    }
}

/// The paths with one pair of step sizes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Level {
    /// The fine step; the coarse one is twice as long. The first level has no coarse step.
    pub step: f64,
    /// The number of paths.
    pub paths: usize,
    /// The mean of the differences; of the quantity itself in the first level.
    pub mean: f64,
    /// The variance of the differences, or of the quantity itself.
    pub variance: f64,
    /// The number of steps for each path: of both solves.
    pub steps: f64,
}

impl Level {
    /// Adds the differences of further paths.
    pub(super) fn add(&mut self, differences: &[f64]) {
        let (n, more) = (self.paths as f64, differences.len() as f64);
        let mean = differences.iter().sum::<f64>() / more;
        let squares = differences.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        // T. F. Chan, G. H. Golub, R. J. LeVeque, *Algorithms for computing the sample variance*
        // (The American Statistician 37, 1983).
        let apart = (mean - self.mean).powi(2) * n * more / (n + more);
        let before = self.variance * (n - 1.0).max(0.0);
        self.mean += (mean - self.mean) * more / (n + more);
        self.variance = (before + squares + apart) / (n + more - 1.0).max(1.0);
        self.paths += differences.len();
    }
}

/// The orders with which means and variances of differences fall.
#[derive(Clone, Copy, Debug)]
pub(super) struct Orders {
    /// The weak order of the method.
    pub of_means: f64,
    /// Twice its strong order.
    pub of_variances: f64,
}

/// Returns the bias of the finest step; infinite with fewer than three levels.
pub(super) fn bias(levels: &[Level], orders: Orders) -> f64 {
    let ratio = orders.of_means.exp2();
    if levels.len() < 3 {
        return f64::INFINITY;
    }
    let last = levels.iter().skip(1).rev().take(3).enumerate();
    let each = last.map(|(k, level)| level.mean.abs() / ratio.powi(k as i32));
    each.fold(0.0, f64::max) / (ratio - 1.0)
}

/// Returns the number of paths of each level that give the least cost for a variance of half of the
/// error's square.
pub(super) fn needed(levels: &[Level], request: &Multilevel, orders: Orders) -> Vec<f64> {
    // A few paths may show too little variance.
    let mut variances: Vec<f64> = levels.iter().map(|level| level.variance).collect();
    for l in 2..levels.len() {
        let expected = variances[l - 1] / orders.of_variances.exp2();
        variances[l] = variances[l].max(0.5 * expected);
    }
    let each = || variances.iter().zip(levels);
    let sum: f64 = each().map(|(variance, level)| (variance * level.steps).sqrt()).sum();
    let scale = 2.0 / (request.error * request.error) * sum;
    each().map(|(variance, level)| (scale * (variance / level.steps).sqrt()).ceil()).collect()
}

#[cfg(test)]
mod tests {
    use super::{Level, Multilevel, Orders, bias, needed};

    fn level(mean: f64, variance: f64, steps: f64) -> Level {
        Level { step: 1.0 / steps, paths: 100, mean, variance, steps }
    }

    #[test]
    fn moments_do_not_depend_on_their_division() {
        let numbers: Vec<f64> = (0..50).map(|i| 1e3 + f64::from(i * i % 17)).collect();
        let empty = || Level { paths: 0, ..level(0.0, 0.0, 4.0) };
        let (mut whole, mut divided) = (empty(), empty());
        whole.add(&numbers);
        for part in numbers.chunks(7) {
            divided.add(part);
        }
        let mean = numbers.iter().sum::<f64>() / 50.0;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 49.0;
        for level in [whole, divided] {
            assert_eq!(level.paths, 50);
            assert!((level.mean - mean).abs() < 1e-10 && (level.variance - variance).abs() < 1e-10);
        }
    }

    /// The numbers of paths give the variance exactly, and any exchange between levels costs more.
    #[test]
    fn numbers_of_paths_are_cheapest() {
        let orders = Orders { of_means: 1.0, of_variances: 1.0 };
        let levels = [level(1.0, 2.0, 4.0), level(0.1, 0.3, 12.0), level(0.05, 0.16, 24.0)];
        let request = Multilevel::new(0.001);
        let paths = needed(&levels, &request, orders);
        let variance = |paths: &[f64]| -> f64 {
            levels.iter().zip(paths).map(|(level, n)| level.variance / n).sum()
        };
        let cost = |paths: &[f64]| -> f64 {
            levels.iter().zip(paths).map(|(level, n)| level.steps * n).sum()
        };
        assert!((variance(&paths) / 0.5e-6 - 1.0).abs() < 1e-4);
        for [from, to] in [[0, 1], [1, 2], [2, 0]] {
            let mut other = paths.clone();
            other[from] *= 0.9;
            // As many more paths of the other level as keep the variance.
            let less = levels[from].variance / other[from] - levels[from].variance / paths[from];
            other[to] = levels[to].variance / (levels[to].variance / paths[to] - less);
            assert!((variance(&other) / variance(&paths) - 1.0).abs() < 1e-9);
            assert!(cost(&other) > cost(&paths), "{from} {to}");
        }
    }

    #[test]
    fn biases_are_extrapolated() {
        let orders = Orders { of_means: 2.0, of_variances: 2.0 };
        let of = |means: &[f64]| {
            let levels: Vec<Level> = means.iter().map(|mean| level(*mean, 1.0, 1.0)).collect();
            bias(&levels, orders)
        };
        // Means of `1 + h²` with steps 1, 1/2, 1/4: differences of 3/4 and 3/16, and 1/16 remains.
        assert!((of(&[2.0, -0.75, -0.1875]) - 0.0625).abs() < 1e-15);
        // A difference that is small by chance counts no less than the one before.
        assert!((of(&[2.0, -0.75, 1e-9]) - 0.0625).abs() < 1e-15);
        assert_eq!(of(&[2.0, 0.0]), f64::INFINITY);
    }
}
