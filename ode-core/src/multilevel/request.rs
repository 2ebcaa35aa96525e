//! Requests for means by several step sizes.

use crate::error::MultilevelError;

/// A request for a mean by several step sizes.
///
/// ```
/// use ode_core::multilevel::Multilevel;
///
/// let request = Multilevel::new(0.01).most_levels(8).first_paths(4000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub struct Multilevel {
    pub(super) error: f64,
    pub(super) first_paths: usize,
    pub(super) most_levels: usize,
    pub(super) most_paths: u64,
}

/// The greatest number of levels: a cell of the noise divided by `2^k`.
const MOST_LEVELS: usize = 17;

impl Multilevel {
    /// Requests a mean with this root mean square error, in the units of the quantity.
    ///
    /// Half of its square is for the variance of the estimate, and half for the square of the bias
    /// of the finest step.
    pub fn new(error: f64) -> Self {
        Multilevel { error, first_paths: 1000, most_levels: 12, most_paths: 1 << 32 }
    }

    /// Sets the number of paths with which each level begins; 1000 by default.
    ///
    /// They decide how many more paths the level receives, so they must show the variance. If a
    /// quantity has heavy tails, or is zero for most paths, a level needs more of them.
    pub fn first_paths(self, paths: usize) -> Self {
        Multilevel { first_paths: paths, ..self }
    }

    /// Sets the greatest number of levels, from 3 to 17; 12 by default.
    ///
    /// The finest step is the first one divided by `2^(levels - 1)`.
    pub fn most_levels(self, levels: usize) -> Self {
        Multilevel { most_levels: levels, ..self }
    }

    /// Sets the greatest number of paths of a level; 2^32 by default.
    pub fn most_paths(self, paths: u64) -> Self {
        Multilevel { most_paths: paths, ..self }
    }

    pub(super) fn check(&self) -> Result<(), MultilevelError> {
        let Multilevel { error, first_paths, most_levels, .. } = *self;
        if !(error > 0.0 && error.is_finite()) {
            return Err(MultilevelError::Error { error });
        }
        if first_paths < 2 {
            return Err(MultilevelError::FirstPaths { paths: first_paths });
        }
        match (3..=MOST_LEVELS).contains(&most_levels) {
            true => Ok(()),
            false => Err(MultilevelError::Levels { levels: most_levels, most: MOST_LEVELS }),
        }
    }
}
