//! Raw results, as a backend writes them.

use crate::error::{Memory, SolveError};
use crate::lane::Scalar;
use crate::problem::layout::Layout;
use crate::problem::prepared::PreparedSolve;
use crate::solution::ReturnCode;
use crate::table::{Holds, arrays_of_trajectories};
use core::fmt;
use rayon::prelude::*;

arrays_of_trajectories! {
    /// The results of consecutive trajectories, as a structure of arrays.
    ///
    /// A backend fills them and passes them to a [`ResultSink`](crate::solution::ResultSink).
    /// [`Layout`] has the lengths of the arrays.
    arrays RawResults;
    /// The slices for the results of consecutive trajectories.
    slices ResultSlices;
    /// An array of results.
    index ResultArray for Layout;

    /// The final states, `[component * n + trajectory]` with `n` trajectories.
    finals Finals: rows of T, |layout| layout.states;
    /// The saved states and observables, `[(save index * width + number) * n + trajectory]`.
    ///
    /// [`SavedRow`](crate::problem::options::SavedRow) has the width and the order of the numbers.
    /// Values at times that a trajectory did not reach are NaN.
    saved Saved: rows of T, |layout| layout.saved();
    /// The times of the final states, one for each trajectory.
    ends Ends: row of T, |_| 1;
    /// The number of each trajectory's [`ReturnCode`].
    ///
    /// Methods that [switch](crate::step::switching) add bits to it; [`RawResults::code`] decodes
    /// it.
    codes Codes: row of u8, |_| 1;
    /// The attempted steps of each trajectory.
    steps Steps: row of u32, |_| 1;
    /// The rejected steps of each trajectory, which are also among the attempted steps.
    rejected Rejected: row of u32, |_| 1;
    /// The number of saved times that each trajectory reached.
    ///
    /// Empty if no times are saved.
    kept Kept: row of u32, |layout| usize::from(layout.slots > 0);
    /// The report of the growth [`guard`](crate::step::guard) on each trajectory.
    ///
    /// Empty if the guard is off.
    guarded Guarded: row of u32, |layout| usize::from(layout.guarded);
    /// The count of each event, `[event * n + trajectory]`.
    ///
    /// Empty if the system has no events.
    events Events: rows of u32, |layout| layout.events;
    /// The logged events, `[(slot * width + number) * n + trajectory]`.
    ///
    /// [`LogRow`](crate::problem::options::LogRow) has the width and the order of the numbers.
    /// Numbers of slots that a trajectory did not reach are NaN. Empty if there is no log.
    log Log: rows of T, |layout| layout.logged();
}

impl Holds<ResultArray> for Layout {
    fn holds(&self, array: ResultArray) -> bool {
        self.wanted.contains(array)
    }

    fn memory(&self, array: ResultArray) -> Memory {
        if array == ResultArray::Log { Memory::Log } else { Memory::Host }
    }
}

/// A set of result arrays.
///
/// ```
/// use ode_core::solution::{ResultArray, ResultSet};
///
/// let wanted = ResultSet::from([ResultArray::Finals, ResultArray::Codes]);
/// assert!(wanted.contains(ResultArray::Finals) && !wanted.contains(ResultArray::Saved));
/// assert!(ResultSet::ALL.contains(ResultArray::Saved));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ResultSet(u16);

impl ResultSet {
    /// All arrays.
    pub const ALL: ResultSet = ResultSet((1 << ResultArray::COUNT) - 1);

    /// Returns whether the set contains an array.
    #[must_use]
    pub const fn contains(self, array: ResultArray) -> bool {
        self.0 >> array as u32 & 1 == 1
    }

    /// Returns the set with one more array.
    #[must_use]
    pub const fn with(self, array: ResultArray) -> Self {
        ResultSet(self.0 | 1 << array as u32)
    }
}

impl<const K: usize> From<[ResultArray; K]> for ResultSet {
    fn from(arrays: [ResultArray; K]) -> Self {
        ResultSet(arrays.iter().fold(0, |set, array| set | 1 << *array as u32))
    }
}

impl fmt::Debug for ResultSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arrays = ResultArray::ALL.into_iter().filter(|array| self.contains(*array));
        f.debug_set().entries(arrays).finish()
    }
}

impl ResultArray {
    /// Returns the bytes of all arrays for one trajectory, in precision `T`.
    #[must_use]
    pub fn bytes_of_trajectory<T>(layout: &Layout) -> usize {
        let bytes = |array: ResultArray| array.rows(layout).saturating_mul(array.size::<T>());
        Self::ALL.into_iter().map(bytes).fold(0, usize::saturating_add)
    }
}

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
        let sizes = ResultArray::ALL.into_iter().zip(self.lengths());
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
