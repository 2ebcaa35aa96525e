//! Processes that make sums over trajectories together.

use crate::error::SolveError;

/// Several processes of one program, of which this is one. All of them make the same calls in the same
/// order, and each gets the same.
pub trait Ranks {
    /// The number of this process, from 0.
    fn rank(&self) -> usize;

    /// The number of processes.
    fn of(&self) -> usize;

    /// Makes sure that all processes have the same names and values, which say what they are to do.
    /// A process that cannot go on gives its error.
    ///
    /// # Errors
    /// On all processes: if one has an error, or what they have differs. A process that has an error
    /// gets its own.
    fn agree(&self, mine: Result<&[(&str, String)], SolveError>) -> Result<(), SolveError>;

    /// Has each process compute its numbers, which the place that has these ranks then does by itself,
    /// and gives all of them, in the order of the processes. `at` is what the numbers are a function of.
    ///
    /// # Errors
    /// If a process cannot compute its numbers, or they are not at the same `at`: then on all.
    fn gathered(
        &self,
        at: &[f64],
        compute: &mut dyn FnMut() -> Result<Vec<f64>, SolveError>,
    ) -> Result<Vec<f64>, SolveError>;
}
