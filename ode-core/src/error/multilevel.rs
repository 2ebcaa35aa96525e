//! Errors of means by several step sizes.

use super::{debug_as_display, short};

debug_as_display!(MultilevelError);

/// The error of a mean by several step sizes.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MultilevelError {
    /// The root mean square error is not positive and finite.
    #[error("an error of {} for a mean; it must be positive and finite", short(*error))]
    Error {
        /// The given number.
        error: f64,
    },
    /// The levels begin with too few paths.
    #[error("{paths} paths to begin a level with; a variance needs at least 2")]
    FirstPaths {
        /// The given number.
        paths: usize,
    },
    /// The number of levels is out of range.
    #[error("at most {levels} levels for a mean; choose a number from 3 to {most}")]
    Levels {
        /// The given number.
        levels: usize,
        /// The greatest number.
        most: usize,
    },
    /// The steps are adaptive.
    #[error("a mean by several step sizes needs the coarsest one: set `.fixed_step(dt)`")]
    Adaptive,
    /// An option of paths is set, and the levels set it themselves.
    #[error("`{option}` is set, and a mean by several step sizes sets it itself; remove it")]
    Option {
        /// The name of the option.
        option: &'static str,
    },
    /// The method solves equations without noise.
    #[error(
        "{method} solves equations without noise; a mean by several step sizes needs a method for \
         noise, such as `EulerMaruyama`"
    )]
    Method {
        /// The name of the method.
        method: &'static str,
    },
    /// The system has random jumps.
    #[error(
        "this system has random jumps, which cut the paths of two step sizes differently, so that \
         their difference has a large variance; compute the mean of an ensemble by `reduce`"
    )]
    Jumps,
    /// A trajectory failed.
    #[error(
        "a trajectory of level {level} ended with {code}; means need all trajectories: set a \
         smaller coarsest step, or limit the state in drift and noise"
    )]
    Failed {
        /// The level, counted from the coarsest step.
        level: usize,
        /// The return code.
        code: String,
    },
    /// The quantity of a trajectory is not finite.
    #[error("the quantity of a trajectory of level {level} is {number}; it must be finite")]
    NotFinite {
        /// The level, counted from the coarsest step.
        level: usize,
        /// The quantity.
        number: f64,
    },
    /// The variance of a level is not finite.
    #[error(
        "the variance of level {level} is {number}, because squares of the quantity overflow; \
         scale it"
    )]
    Variance {
        /// The level, counted from the coarsest step.
        level: usize,
        /// The variance.
        number: f64,
    },
    /// All paths of the coarsest step have the same quantity, so nothing shows its variance.
    #[error(
        "the quantity is {quantity} on all {paths} paths of the coarsest step, which show no \
         variance; set more `first_paths`, and for a quantity without noise solve one trajectory"
    )]
    Equal {
        /// The number of paths.
        paths: usize,
        /// The quantity.
        quantity: f64,
    },
    /// A level needs too many paths.
    #[error(
        "an error of {} needs {paths:.1e} paths of level {level}, and at most {most} are allowed; \
         choose a greater error, or set `most_paths`", short(*error)
    )]
    Paths {
        /// The level, counted from the coarsest step.
        level: usize,
        /// The number of paths that the variances of the first paths require.
        paths: f64,
        /// The greatest number of paths of a level.
        most: u64,
        /// The root mean square error of the request.
        error: f64,
    },
    /// The bias of the finest step is too great.
    #[error(
        "the bias with {levels} levels is about {}, and the error is to be {}; set a smaller \
         coarsest step, or allow more levels", short(*bias), short(*error)
    )]
    Bias {
        /// The number of levels.
        levels: usize,
        /// The estimate of the bias.
        bias: f64,
        /// The root mean square error of the request.
        error: f64,
    },
}
