//! Raw results, as a backend writes them: return codes and checks.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::layout::{Layout, RawResults, ResultArray, ResultSet, ResultSlices};
use crate::problem::prepared::PreparedSolve;
use crate::solution::{EnsembleSolution, ReturnCode};
use crate::step::code;
use crate::system::System;
use rayon::prelude::*;

impl<T: Scalar> RawResults<T> {
    /// Returns the return code of trajectory `i`, counted from the first of these.
    ///
    /// # Panics
    /// If there is no such trajectory, or if the results lack [`ResultArray::Codes`].
    pub fn code(&self, i: usize) -> ReturnCode {
        ReturnCode::from_lane(self.codes[i])
    }

    /// Checks that the results have this layout for `n` trajectories.
    ///
    /// # Errors
    /// [`SolveError::Results`] if an array has another length, or if a trajectory reached more
    /// saved times than there are.
    pub fn check(&self, layout: &Layout, n: usize) -> Result<(), SolveError> {
        self.check_arrays(ResultSet::ALL, layout, n)
    }

    /// Checks the arrays that the layout contains; others need not be empty.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check).
    pub(crate) fn check_wanted(&self, layout: &Layout, n: usize) -> Result<(), SolveError> {
        self.check_arrays(layout.wanted, layout, n)
    }

    fn check_arrays(&self, arrays: ResultSet, layout: &Layout, n: usize) -> Result<(), SolveError> {
        let sizes = ResultArray::ALL.into_iter().zip(self.lengths());
        let sizes = sizes.filter(|(array, _)| arrays.contains(*array));
        let sizes =
            sizes.map(|(array, given)| (array.name(), given, array.rows(layout).saturating_mul(n)));
        let slots = layout.slots;
        let most = largest(&self.kept) as usize;
        let kept = (most > slots).then_some(("kept of one", most, slots));
        match sizes.chain(kept).find(|(_, given, expected)| given != expected) {
            Some((what, given, expected)) => Err(SolveError::Results { what, given, expected }),
            None => Ok(()),
        }
    }

    /// Checks that the results fit `inputs`.
    pub(super) fn check_inputs(&self, inputs: &PreparedSolve<T>) -> Result<(), SolveError> {
        let n = inputs.inputs.trajectories;
        let shape = &inputs.inputs.shape;
        let along = shape.iter().fold(1, |n: usize, m| n.saturating_mul(*m));
        if along != n {
            return Err(SolveError::Results { what: "shape", given: along, expected: n });
        }
        self.check(&inputs.layout(), n)
    }
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Returns the results as the backend wrote them, as a structure of arrays.
    ///
    /// [`ResultArray`] lists the arrays, so programs can compare or store whole solutions without a
    /// list of getters:
    ///
    /// ```
    /// # use ode_core::{EnsembleSolution, solution::ResultArray, system::System};
    /// # fn of<S: System<2, 2>>(solution: &EnsembleSolution<S, f64, 2, 2>) {
    /// let results = solution.raw_results();
    /// for array in ResultArray::ALL {
    ///     println!("{}: {} bytes", array.name(), array.of(&results.bytes()).len());
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn raw_results(&self) -> &RawResults<T> {
        &self.raw
    }
}

impl<T: Scalar> ResultSlices<'_, T> {
    /// Writes the results of trajectories that are not solved because the solve was cancelled.
    ///
    /// The code is [`ReturnCode::Cancelled`]. States, times and logged numbers are NaN, and counts
    /// are 0.
    pub fn cancel(&mut self) {
        let nan = T::narrow(f64::NAN);
        let ResultSlices {
            finals,
            saved,
            ends,
            codes,
            steps,
            rejected,
            kept,
            guarded,
            events,
            log,
            features,
            modes,
        } = self;
        let numbers = [finals, saved, log, features, modes].into_iter().flatten();
        numbers.for_each(|row| row.fill(nan));
        ends.fill(nan);
        codes.fill(code::CANCELLED as u8);
        events.iter_mut().for_each(|row| row.fill(0));
        [steps, rejected, kept, guarded].into_iter().for_each(|counts| counts.fill(0));
    }
}

/// Returns the largest of some numbers.
///
/// Many numbers take all threads, because no other thread works during this pass over the results.
fn largest(numbers: &[u32]) -> u32 {
    const PART: usize = 1 << 16;
    let largest = |numbers: &[u32]| numbers.iter().copied().max().unwrap_or(0);
    if numbers.len() <= PART {
        return largest(numbers);
    }
    numbers.par_chunks(PART).map(largest).max().unwrap_or(0)
}
