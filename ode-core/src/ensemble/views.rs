//! The inputs of a chunk of trajectories, as lanes read them.

use crate::ensemble::stack;
use crate::error::SolveError;
use crate::lane::{Scalar, each_precision};
use crate::problem::inputs::{InputRange, View};
use crate::solution::ResultSlices;

/// The inputs of a chunk of trajectories, indexed from its first one.
#[derive(Debug)]
pub(crate) struct Views<'f, T: Scalar> {
    pub(crate) u0: Vec<View<'f, T>>,
    pub(crate) p: Vec<View<'f, T>>,
    pub(crate) t0: View<'f, T>,
    pub(crate) t1: View<'f, T>,
}

impl<'f, T: Scalar> Views<'f, T> {
    pub(crate) fn new(range: InputRange<'f, T>) -> Self {
        let (columns, indices) = (range.inputs(), range.indices());
        Views {
            u0: columns.u0.iter().map(|column| column.view(indices.clone())).collect(),
            p: columns.p.iter().map(|column| column.view(indices.clone())).collect(),
            t0: columns.t0.view(indices.clone()),
            t1: columns.t1.view(indices),
        }
    }
}

/// A function of the views of a chunk's inputs, and of its results.
pub(super) type Run<'a, T> = &'a mut (dyn FnMut(&Views<'_, T>, &mut ResultSlices<'_, T>) + Send);

each_precision! {
    /// Calls `run` on a stack of at least `bytes` bytes.
    ///
    /// # Errors
    /// The errors of [`stack::with`].
    pub(super) fn on_stack<'a, 'b, T>(
        bytes: usize,
        range: InputRange<'a, T>,
        results: ResultSlices<'b, T>,
        run: Run<'a, T>,
    ) -> Result<(), SolveError> = with_views, with_views;
}

fn with_views<T: Scalar>(
    bytes: usize,
    range: InputRange<'_, T>,
    mut results: ResultSlices<'_, T>,
    run: Run<'_, T>,
) -> Result<(), SolveError> {
    stack::with(bytes, &mut || run(&Views::new(range), &mut results))
}
