//! Parallel loops.
//!
//! A parallel loop that is generic over its body is compiled with all of its scheduling for each
//! body, which takes long. So bodies are `dyn Fn`, long enough to hide the indirect call, and each
//! type of values has one loop. Only code that depends on the precision alone calls these functions,
//! so a user's crate never compiles them.

use rayon::prelude::*;

use crate::error::SolveError;

/// The threads that evaluate the problems of an ensemble.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvaluationThreads {
    /// The calling thread alone.
    Caller,
    /// The threads of rayon's current pool.
    Pool,
}

impl EvaluationThreads {
    /// Returns the number of threads.
    pub(crate) fn count(self) -> usize {
        match self {
            EvaluationThreads::Caller => 1,
            EvaluationThreads::Pool => rayon::current_num_threads(),
        }
    }

    /// Calls `work(i)` for each `i` below `n`.
    pub(crate) fn each(self, n: usize, work: &(dyn Fn(usize) + Sync)) {
        match self {
            EvaluationThreads::Caller => (0..n).for_each(work),
            EvaluationThreads::Pool => (0..n).into_par_iter().for_each(work),
        }
    }

    /// As [`each`](Self::each), for a calling thread outside the pool, which calls `work(0)`.
    ///
    /// The caller begins at once, while the threads of the pool still wake.
    pub(crate) fn each_with_caller(self, n: usize, work: &(dyn Fn(usize) + Sync)) {
        match self {
            EvaluationThreads::Caller => (0..n).for_each(work),
            EvaluationThreads::Pool => rayon::in_place_scope(|scope| {
                scope.spawn(|_| (1..n).into_par_iter().for_each(work));
                work(0);
            }),
        }
    }

    /// Calls `work` with each of the values.
    pub(crate) fn each_of<V: Send>(self, values: Vec<V>, work: &(dyn Fn(V) + Sync)) {
        match self {
            EvaluationThreads::Caller => values.into_iter().for_each(work),
            EvaluationThreads::Pool => values.into_par_iter().for_each(work),
        }
    }

    /// As [`each_of`](Self::each_of), for work that may fail.
    ///
    /// If several calls fail, the error is the error of one of them. After a failure, further calls
    /// may be left out.
    pub(crate) fn try_each_of<V: Send>(
        self,
        values: Vec<V>,
        work: &(dyn Fn(V) -> Result<(), SolveError> + Sync),
    ) -> Result<(), SolveError> {
        match self {
            EvaluationThreads::Caller => values.into_iter().try_for_each(work),
            EvaluationThreads::Pool => values.into_par_iter().try_for_each(work),
        }
    }

    /// Returns `make(i)` for each `i` below `n`, in order.
    pub(crate) fn collect<V: Send>(self, n: usize, make: &(dyn Fn(usize) -> V + Sync)) -> Vec<V> {
        match self {
            EvaluationThreads::Caller => (0..n).map(make).collect(),
            EvaluationThreads::Pool => (0..n).into_par_iter().map(make).collect(),
        }
    }
}
