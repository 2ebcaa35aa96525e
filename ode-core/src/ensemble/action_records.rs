//! The recorded actions of trajectories, for gradients.
//!
//! Actions are rare, so each lane has a list of its own: each action contains the index of the one
//! before it.

use crate::ensemble::lane_io::MOST_LANES;
use crate::reserve;
use ode_macros::inlined;

/// The index of no action.
pub(super) const NONE: usize = usize::MAX;

/// The recorded actions of some trajectories.
#[derive(Debug)]
pub(super) struct ActionRecords<T> {
    /// For each action: the state, the modes and the time.
    numbers: Vec<T>,
    pub(super) marks: Vec<Mark>,
    /// The last action of each lane.
    pub(super) last: [usize; MOST_LANES],
}

/// An action, apart from its numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    /// The number of the action; see [`recording`](crate::integrate::recording).
    pub(super) kind: u64,
    /// The number of rows of steps before the action.
    pub(super) row: usize,
    /// The action before this one in the same lane.
    pub(super) before: usize,
}

impl<T: Copy> ActionRecords<T> {
    pub(super) fn new() -> Self {
        ActionRecords { numbers: Vec::new(), marks: Vec::new(), last: [NONE; MOST_LANES] }
    }

    /// Removes all actions. Allocated memory stays.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.marks.clear();
        self.last = [NONE; MOST_LANES];
    }

    /// Adds an action of a lane, with `width` numbers.
    ///
    /// # Errors
    /// The bytes that could not be allocated.
    pub(super) fn push(
        &mut self,
        lane: usize,
        kind: u64,
        row: usize,
        width: usize,
        numbers: impl Iterator<Item = T>,
    ) -> Result<(), usize> {
        if self.numbers.capacity() - self.numbers.len() < width {
            reserve::grow(&mut self.numbers, width.max(1 << 8))?;
        }
        if self.marks.capacity() == self.marks.len() {
            reserve::grow(&mut self.marks, 1 << 6)?;
        }
        self.numbers.extend(numbers);
        let before = core::mem::replace(&mut self.last[lane], self.marks.len());
        self.marks.push(Mark { kind, row, before });
        Ok(())
    }

    /// Returns the last remaining action of a lane, with its `width` numbers.
    #[inlined]
    pub(super) fn last(&self, lane: usize, width: usize) -> Option<(Mark, &[T])> {
        let index = self.last[lane];
        let mark = self.marks.get(index)?;
        Some((*mark, &self.numbers[index * width..][..width]))
    }
}
