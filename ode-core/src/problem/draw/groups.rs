//! Values of quantities in groups of trajectories, one group for each base sample.
//!
//! # Saltelli's design
//!
//! Two independent matrices, A and B, have a row for each base sample and a column for each input.
//! Row `j` makes the trajectories with row `j` of A, with row `j` of B, and with row `j` of A in
//! which one input has its value of B, for each input in order (A. Saltelli, P. Annoni, I. Azzini,
//! F. Campolongo, M. Ratto, S. Tarantola, "Variance based sensitivity analysis of model output",
//! Computer Physics Communications 181 (2010) 259-270).
//!
//! # Morris's design
//!
//! Each input has `l` levels, the medians of `l` equally likely intervals. A path begins at random
//! levels. Each further point changes one input by `l / 2` levels, in a random order of the inputs
//! (M. D. Morris, "Factorial sampling plans for preliminary computational experiments",
//! Technometrics 33 (1991) 161-174).

use super::values::{self, Stream, Values};
use crate::random;

/// The purpose of the random words of paths.
const PATHS: u64 = 16;

/// The values of a sampled quantity in all trajectories.
#[derive(Clone, Debug)]
pub(super) enum Column {
    /// A function of the index of the trajectory.
    Each(Values),
    /// The column of an input in Saltelli's matrices.
    Matrices { values: [Values; 2], input: usize },
    /// The values of an input at its levels, for Morris's paths.
    Path { levels: Vec<f64>, input: usize },
}

impl Column {
    /// Returns whether all trajectories share the value.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self, Column::Each(Values::Constant(_)))
    }

    /// Writes the values of the trajectories from `first` on.
    ///
    /// `group` is the number of trajectories of a base sample.
    pub(super) fn write(&self, first: usize, group: usize, order: &PathOrder, out: &mut [f64]) {
        let last = first + out.len();
        let bases = first / group..last.div_ceil(group);
        let places = (first..last).map(|i| (i / group - bases.start, i % group));
        match self {
            Column::Each(values) => values::write(values, first as u64, out),
            Column::Matrices { values, input } => {
                let [own, other] = values.each_ref().map(|values| {
                    let mut column = vec![0.0; bases.len()];
                    values::write(values, bases.start as u64, &mut column);
                    column
                });
                for (value, (base, row)) in out.iter_mut().zip(places) {
                    let is_other = row == 1 || row == input + 2;
                    *value = if is_other { other[base] } else { own[base] };
                }
            }
            Column::Path { levels, input } => {
                let path = |j| (order.rank(j, *input), order.values(j, levels, *input));
                let paths: Vec<(usize, [f64; 2])> = bases.clone().map(path).collect();
                for (value, (base, point)) in out.iter_mut().zip(places) {
                    let (rank, values) = paths[base];
                    *value = values[usize::from(point > rank)];
                }
            }
        }
    }
}

/// The orders of the inputs that paths change, and the first levels of paths.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathOrder {
    seed: u64,
    inputs: usize,
}

impl PathOrder {
    /// Creates the paths of this seed.
    pub(crate) fn new(seed: u64, inputs: usize) -> Self {
        PathOrder { seed, inputs }
    }

    /// Returns the random words of an input in a path.
    fn words(&self, path: usize, input: usize) -> [u64; 4] {
        let stream = Stream { seed: self.seed, index: input as u64, purpose: PATHS };
        random::words::<f64>(path as u64, &stream.numbers())
    }

    /// Returns the number of inputs that a path changes before this one.
    fn rank(&self, path: usize, input: usize) -> usize {
        let key = |input: usize| (self.words(path, input)[0], input);
        let own = key(input);
        (0..self.inputs).filter(|other| key(*other) < own).count()
    }

    /// Returns the values of an input before and after its change.
    fn values(&self, path: usize, levels: &[f64], input: usize) -> [f64; 2] {
        let before = level(self.words(path, input), levels.len());
        [before, (before + levels.len() / 2) % levels.len()].map(|level| levels[level])
    }

    /// Returns the changes of all inputs by a path with this number of levels.
    pub(crate) fn changes(&self, path: usize, levels: usize) -> Vec<Change> {
        let words: Vec<_> = (0..self.inputs).map(|input| self.words(path, input)).collect();
        let change = |(input, own): (usize, &[u64; 4])| Change {
            rank: (words.iter().enumerate())
                .filter(|(other, words)| (words[0], *other) < (own[0], input))
                .count(),
            rises: level(*own, levels) < levels / 2,
        };
        words.iter().enumerate().map(change).collect()
    }
}

/// The change of an input by a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The number of inputs that change before.
    pub(crate) rank: usize,
    /// Whether the level rises, by half of the levels.
    pub(crate) rises: bool,
}

/// Returns the level at which an input begins, by the random words of the input in a path.
fn level([_, word, ..]: [u64; 4], levels: usize) -> usize {
    (word as usize * levels) >> 32
}
