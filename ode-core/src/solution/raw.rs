//! Results as a place fills them in.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::inputs::Inputs;
use crate::problem::layout::Layout;
use crate::room::room;
use crate::solution::ReturnCode;

/// The results of consecutive trajectories, structure of arrays: what a place fills in and a
/// [`ResultSink`](crate::solution::ResultSink) gets. [`Layout`] says how many numbers there are.
#[derive(Clone, Debug, Default)]
pub struct RawResults<T> {
    /// Final states, `[component * n + trajectory]` with `n` trajectories.
    pub finals: Vec<T>,
    /// Saved states and observables, `[(save index * width + number) * n + trajectory]`;
    /// [`SavedRow`](crate::problem::options::SavedRow) has the width and says which number is what. What a trajectory did not reach
    /// is NaN.
    pub saved: Vec<T>,
    /// The times of the final states, one for each trajectory.
    pub ends: Vec<T>,
    /// The number of each trajectory's [`ReturnCode`], with the bits that methods which
    /// [switch](crate::step::switching) add; [`code`](RawResults::code) reads it.
    pub codes: Vec<u8>,
    /// Attempted steps of each trajectory.
    pub steps: Vec<u32>,
    /// Rejected steps of each trajectory, which are among the attempted ones.
    pub rejected: Vec<u32>,
    /// The number of saved times that each trajectory reached; empty where no times are saved.
    pub kept: Vec<u32>,
    /// The report of the growth [`guard`](crate::step::guard) on each trajectory; empty where it is off.
    pub guarded: Vec<u32>,
}

impl<T: Scalar> RawResults<T> {
    /// Makes these as many numbers as `n` trajectories have, in memory that is there already as far
    /// as it suffices. The numbers are any: a place writes all of them.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn fit(&mut self, layout: &Layout, n: usize) -> Result<(), SolveError> {
        fit(&mut self.finals, layout.states, n)?;
        fit(&mut self.ends, 1, n)?;
        fit(&mut self.saved, layout.saved(), n)?;
        fit(&mut self.codes, 1, n)?;
        fit(&mut self.steps, 1, n)?;
        fit(&mut self.rejected, 1, n)?;
        fit(&mut self.kept, layout.kept(), n)?;
        fit(&mut self.guarded, layout.guarded(), n)
    }

    /// How trajectory `i` of these ended.
    ///
    /// # Panics
    /// If there are no more than `i` trajectories.
    pub fn code(&self, i: usize) -> ReturnCode {
        ReturnCode::from_lane(self.codes[i])
    }

    /// Checks that there are as many numbers as `inputs` asks for.
    pub(super) fn check(&self, inputs: &Inputs<T>) -> Result<(), SolveError> {
        let layout = inputs.layout();
        let n = inputs.columns.trajectories;
        let shape = &inputs.columns.shape;
        let along = shape.iter().fold(1, |n: usize, m| n.saturating_mul(*m));
        let sizes = [
            ("shape", along, n),
            ("finals", self.finals.len(), layout.states.saturating_mul(n)),
            ("saved", self.saved.len(), layout.saved().saturating_mul(n)),
            ("ends", self.ends.len(), n),
            ("kept", self.kept.len(), layout.kept() * n),
            ("guarded", self.guarded.len(), layout.guarded() * n),
            ("codes", self.codes.len(), n),
            ("steps", self.steps.len(), n),
            ("rejected", self.rejected.len(), n),
        ];
        let slots = layout.slots;
        let kept = self.kept.iter().find(|kept| **kept as usize > slots);
        let kept = kept.map(|kept| ("kept of one", *kept as usize, slots));
        match sizes.into_iter().chain(kept).find(|(_, given, expected)| given != expected) {
            Some((what, given, expected)) => Err(SolveError::Results { what, given, expected }),
            None => Ok(()),
        }
    }
}

/// Makes `values` of length `rows * n`.
fn fit<V: Clone + Default>(values: &mut Vec<V>, rows: usize, n: usize) -> Result<(), SolveError> {
    let len = rows.saturating_mul(n);
    if values.capacity() < len {
        // What is there need not be copied.
        *values = Vec::new();
        *values = room(len)?;
    }
    values.resize(len, V::default());
    Ok(())
}
