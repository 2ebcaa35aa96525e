//! Results as a place fills them in.

use crate::ensemble::room;
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::columns::Columns;
use crate::problem::inputs::Inputs;
use crate::problem::settings::{SavedRow, Settings};
use crate::step::guard;

/// How many numbers the results of a trajectory are: the same for all trajectories of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// The components of the final state.
    pub states: usize,
    /// The numbers that are saved at each saved time.
    pub row: SavedRow,
    /// The largest number of times at which a trajectory is saved.
    pub slots: usize,
    /// Whether the growth [`guard`] reports on each trajectory.
    pub guarded: bool,
}

impl Layout {
    /// The layout of a solve's results.
    #[must_use]
    pub fn new<T: Scalar>(settings: &Settings<T>, columns: &Columns<T>) -> Self {
        Layout {
            states: columns.u0.len(),
            row: settings.saved,
            slots: columns.save.slots().saturating_add(settings.step_slots),
            guarded: settings.guard != guard::OFF,
        }
    }

    /// The number of numbers that are saved of a trajectory, at all times together.
    #[must_use]
    pub fn saved(&self) -> usize {
        self.row.width().saturating_mul(self.slots)
    }

    /// One where the number of saved times that a trajectory reached is counted, that is, where
    /// times are saved; otherwise none.
    #[must_use]
    pub fn kept(&self) -> usize {
        usize::from(self.slots > 0)
    }

    /// One where the growth [`guard`] reports; otherwise none.
    #[must_use]
    pub fn guarded(&self) -> usize {
        usize::from(self.guarded)
    }
}

/// The results of consecutive trajectories, structure of arrays: what a place fills in and a
/// [`ResultSink`](crate::solution::ResultSink) gets. [`Layout`] says how many numbers there are.
#[derive(Clone, Debug, Default)]
pub struct RawResults<T> {
    /// Final states, `[component * n + trajectory]` with `n` trajectories.
    pub finals: Vec<T>,
    /// Saved states and observables, `[(save index * width + number) * n + trajectory]`;
    /// [`SavedRow`] has the width and says which number is what. What a trajectory did not reach
    /// is NaN.
    pub saved: Vec<T>,
    /// The times of the final states, one for each trajectory.
    pub ends: Vec<T>,
    /// The [`code`](crate::step::code) of each trajectory, with the bits that methods which
    /// [switch](crate::step::switching) add.
    pub codes: Vec<u8>,
    /// Attempted steps of each trajectory.
    pub steps: Vec<u32>,
    /// Rejected steps of each trajectory, which are among the attempted ones.
    pub rejected: Vec<u32>,
    /// The number of saved times that each trajectory reached; empty where no times are saved.
    pub kept: Vec<u32>,
    /// The report of the growth [`guard`] on each trajectory; empty where it is off.
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
