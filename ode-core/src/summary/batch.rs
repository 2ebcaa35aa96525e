//! The numbers of a batch of trajectories, and which trajectories contribute.

use super::condition::Subject;
use super::request::{Statistics, position};
use super::summaries::Summaries;
use crate::error::SummaryError;
use crate::lane::Scalar;
use core::ops::Range;

/// The numbers of trajectories in order, `[(time * width + component) * n + trajectory]`.
pub(super) struct Batch<'a, T> {
    pub(super) n: usize,
    /// The number of components.
    pub(super) width: usize,
    pub(super) values: &'a [T],
    /// The trajectories that contribute.
    pub(super) members: &'a Members,
}

/// The trajectories of a batch that contribute, with their weights.
pub(super) struct Members {
    /// Whether each trajectory contributes, for each time, or for all times together.
    pub(super) contribute: Vec<Vec<bool>>,
    /// The weights at each time; empty without weights.
    pub(super) weights: Vec<Vec<f64>>,
}

impl Members {
    /// Finds the trajectories that contribute to `summaries`.
    ///
    /// `first` is the index of the first trajectory, `successes` are the trajectories with results,
    /// and `events` are the counts of events, `[event * n + trajectory]`.
    pub(super) fn find<T: Scalar>(
        summaries: &Summaries,
        first: u64,
        successes: Vec<bool>,
        values: &[T],
        events: &[u32],
    ) -> Result<Self, SummaryError> {
        let Statistics { conditions, weight, .. } = &summaries.statistics;
        let (n, slots, names) = (successes.len(), summaries.slots(), &summaries.names);
        let row = |slot: usize, d: usize| &values[(slot * names.len() + d) * n..][..n];
        let mut contribute = vec![successes];
        let at_times =
            |condition: &super::condition::Condition| matches!(condition.subject, Subject::Same(_));
        if weight.is_some() || conditions.iter().any(at_times) {
            contribute = vec![contribute.swap_remove(0); slots];
        }
        for condition in conditions {
            let keep = |all: &mut [bool], row: &[T]| {
                all.iter_mut().zip(row).for_each(|(of, x)| *of &= condition.contains(x.widen()));
            };
            match &condition.subject {
                Subject::Same(name) => {
                    let d = position(names, name)?;
                    let all = contribute.iter_mut().enumerate();
                    all.for_each(|(slot, all)| keep(all, row(slot, d)));
                }
                Subject::Last(name) => {
                    let d = position(names, name)?;
                    contribute.iter_mut().for_each(|all| keep(all, row(slots - 1, d)));
                }
                Subject::Events(name) => {
                    let counts = &events[summaries.event(name)? * n..][..n];
                    for all in &mut contribute {
                        let all = all.iter_mut().zip(counts);
                        all.for_each(|(of, count)| *of &= condition.contains(f64::from(*count)));
                    }
                }
            }
        }
        let Some(name) = weight else { return Ok(Members { contribute, weights: Vec::new() }) };
        let d = position(names, name)?;
        let mut weights = Vec::with_capacity(slots);
        for (slot, all) in contribute.iter_mut().enumerate() {
            let of: Vec<f64> = row(slot, d).iter().map(|weight| weight.widen()).collect();
            for ((index, contributes), weight) in (first..).zip(all).zip(&of) {
                if *contributes && (*weight < 0.0 || weight.is_infinite()) {
                    let (name, weight) = (name.clone(), *weight);
                    return Err(SummaryError::Weight { name, weight, trajectory: index });
                }
                *contributes &= *weight > 0.0;
            }
            weights.push(of);
        }
        Ok(Members { contribute, weights })
    }

    /// Returns the trajectories that contribute at the last time.
    pub(super) fn last(&self) -> Self {
        let last = |of: &[f64]| of.to_vec();
        Members {
            contribute: self.contribute.last().cloned().into_iter().collect(),
            weights: self.weights.last().map(|of| last(of)).into_iter().collect(),
        }
    }

    /// Returns the same trajectories and weights at each of `slots` times.
    pub(super) fn at_all(mut self, slots: usize) -> Self {
        if let Some(of) = self.weights.pop() {
            self.weights = vec![of; slots];
        }
        self
    }

    /// Returns whether each trajectory contributes at a time.
    pub(super) fn at(&self, slot: usize) -> &[bool] {
        &self.contribute[slot.min(self.contribute.len() - 1)]
    }
}

impl<T: Scalar> Batch<'_, T> {
    /// Appends the values of some trajectories, with NaN for those that do not contribute.
    pub(super) fn append(
        &self,
        block: &mut Vec<f64>,
        slot: usize,
        component: usize,
        some: &Range<usize>,
    ) {
        let values = &self.values[(slot * self.width + component) * self.n..][some.clone()];
        let values = values.iter().map(|value| value.widen());
        let contribute = &self.members.at(slot)[some.clone()];
        if contribute.iter().fold(true, |all, of| all & of) {
            block.extend(values);
        } else {
            let values = values.zip(contribute);
            block.extend(values.map(|(value, of)| if *of { value } else { f64::NAN }));
        }
    }

    /// Returns the weights of some trajectories; `None` without weights.
    pub(super) fn weights(&self, slot: usize, some: &Range<usize>) -> Option<&[f64]> {
        self.members.weights.get(slot).map(|weights| &weights[some.clone()])
    }
}
