//! Processes that compute sums over trajectories together.

use crate::error::SolveError;

/// The processes of one program that compute together, including this one.
///
/// All processes make the same calls in the same order, and each gets the same results.
pub trait Ranks {
    /// Returns the rank of this process, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of processes.
    fn of(&self) -> usize;

    /// Checks that all processes have the same names and values, which describe their task.
    ///
    /// A process that cannot continue passes its error.
    ///
    /// # Errors
    /// On all processes, if one of them has an error or their entries differ. A process with an
    /// error returns its own error.
    fn agree(&self, mine: Result<&[(&str, String)], SolveError>) -> Result<(), SolveError>;

    /// Computes numbers on each process and returns the numbers of all, in rank order.
    ///
    /// During `compute` the backend of these ranks solves by itself, without the other processes.
    /// `at`: the point at which the function is evaluated.
    ///
    /// # Errors
    /// On all processes, if one of them cannot compute its numbers or their `at` differ.
    fn gathered(
        &self,
        at: &[f64],
        compute: &mut dyn FnMut() -> Result<Vec<f64>, SolveError>,
    ) -> Result<Vec<f64>, SolveError>;
}
