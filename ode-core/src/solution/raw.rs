//! Raw results, as a backend writes them.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::memory::{Lock, ResultBuffer};
use crate::problem::layout::Layout;
use crate::problem::prepared::PreparedSolve;
use crate::solution::ReturnCode;
use rayon::prelude::*;

/// The results of consecutive trajectories, as a structure of arrays.
///
/// A backend fills them and passes them to a [`ResultSink`](crate::solution::ResultSink).
/// [`Layout`] has the lengths of the arrays.
#[derive(Clone, Debug, Default)]
pub struct RawResults<T> {
    /// The final states, `[component * n + trajectory]` with `n` trajectories.
    pub finals: ResultBuffer<T>,
    /// The saved states and observables, `[(save index * width + number) * n + trajectory]`.
    ///
    /// [`SavedRow`](crate::problem::options::SavedRow) has the width and the order of the numbers.
    /// Values at times that a trajectory did not reach are NaN.
    pub saved: ResultBuffer<T>,
    /// The times of the final states, one for each trajectory.
    pub ends: ResultBuffer<T>,
    /// The number of each trajectory's [`ReturnCode`].
    ///
    /// Methods that [switch](crate::step::switching) add bits to it; [`code`](RawResults::code)
    /// decodes it.
    pub codes: ResultBuffer<u8>,
    /// The attempted steps of each trajectory.
    pub steps: ResultBuffer<u32>,
    /// The rejected steps of each trajectory, which are also among the attempted steps.
    pub rejected: ResultBuffer<u32>,
    /// The number of saved times that each trajectory reached.
    ///
    /// Empty if no times are saved.
    pub kept: ResultBuffer<u32>,
    /// The report of the growth [`guard`](crate::step::guard) on each trajectory.
    ///
    /// Empty if the guard is off.
    pub guarded: ResultBuffer<u32>,
    /// The count of each event, `[event * n + trajectory]`.
    ///
    /// Empty if the system has no events.
    pub events: ResultBuffer<u32>,
    /// The logged events, `[(slot * width + number) * n + trajectory]`.
    ///
    /// [`LogRow`](crate::problem::options::LogRow) has the width and the order of the numbers.
    /// Numbers of slots that a trajectory did not reach are NaN. Empty if there is no log.
    pub log: ResultBuffer<T>,
}

impl<T: Scalar> RawResults<T> {
    /// Sets the lengths of the arrays for `n` trajectories.
    ///
    /// The arrays reuse their memory if it suffices. The contents are arbitrary: a backend writes
    /// every number.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn fit(&mut self, layout: &Layout, n: usize) -> Result<(), SolveError> {
        let rows = |rows: usize| rows.saturating_mul(n);
        self.finals.fit(rows(layout.states))?;
        self.ends.fit(n)?;
        self.saved.fit(rows(layout.saved()))?;
        self.codes.fit(n)?;
        self.steps.fit(n)?;
        self.rejected.fit(n)?;
        self.kept.fit(rows(layout.kept()))?;
        self.guarded.fit(rows(layout.guarded()))?;
        self.events.fit(rows(layout.events))?;
        self.log.fit(rows(layout.logged()))
    }

    /// Page-locks the arrays by `lock`, where [that pays](ResultBuffer::lock).
    pub fn lock(&mut self, lock: &Lock<'_>) {
        self.finals.lock(lock);
        self.ends.lock(lock);
        self.saved.lock(lock);
        self.codes.lock(lock);
        self.steps.lock(lock);
        self.rejected.lock(lock);
        self.kept.lock(lock);
        self.guarded.lock(lock);
        self.events.lock(lock);
        self.log.lock(lock);
    }

    /// Returns the return code of trajectory `i`, counted from the first of these.
    ///
    /// # Panics
    /// If there is no such trajectory.
    pub fn code(&self, i: usize) -> ReturnCode {
        ReturnCode::from_lane(self.codes[i])
    }

    /// Checks that the results have this layout for `n` trajectories.
    ///
    /// # Errors
    /// [`SolveError::Results`] if an array has another length, or if a trajectory reached more
    /// saved times than there are.
    pub fn check(&self, layout: &Layout, n: usize) -> Result<(), SolveError> {
        let sizes = [
            ("finals", self.finals.len(), layout.states.saturating_mul(n)),
            ("saved", self.saved.len(), layout.saved().saturating_mul(n)),
            ("ends", self.ends.len(), n),
            ("kept", self.kept.len(), layout.kept() * n),
            ("guarded", self.guarded.len(), layout.guarded() * n),
            ("events", self.events.len(), layout.events.saturating_mul(n)),
            ("log", self.log.len(), layout.logged().saturating_mul(n)),
            ("codes", self.codes.len(), n),
            ("steps", self.steps.len(), n),
            ("rejected", self.rejected.len(), n),
        ];
        let slots = layout.slots;
        let most = largest(&self.kept) as usize;
        let kept = (most > slots).then_some(("kept of one", most, slots));
        match sizes.into_iter().chain(kept).find(|(_, given, expected)| given != expected) {
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
