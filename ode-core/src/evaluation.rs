//! Parallel loops.
//!
//! A parallel loop that is generic over its body is compiled with all of its scheduling for each
//! body, which takes long. So bodies are `dyn Fn`, long enough to hide the indirect call. Only code
//! that depends on the precision alone calls these functions, so a user's crate never compiles
//! them.

use std::sync::{Mutex, PoisonError};

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
    /// Calls `work(i)` for each `i` below `n`.
    pub(crate) fn each(self, n: usize, work: &(dyn Fn(usize) + Sync)) {
        match self {
            EvaluationThreads::Caller => (0..n).for_each(work),
            EvaluationThreads::Pool => (0..n).into_par_iter().for_each(work),
        }
    }

    /// Calls `work` with each of the values.
    pub(crate) fn each_of<V: Send>(self, values: Vec<V>, work: impl Fn(V) + Sync) {
        let values: Vec<Mutex<Option<V>>> =
            values.into_iter().map(|value| Mutex::new(Some(value))).collect();
        self.each(values.len(), &|i| {
            let value = values[i].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(value) = value {
                work(value);
            }
        });
    }

    /// As [`each_of`](Self::each_of), for work that may fail.
    ///
    /// If several calls fail, the error is the error of one of them.
    pub(crate) fn try_each_of<V: Send>(
        self,
        values: Vec<V>,
        work: impl Fn(V) -> Result<(), SolveError> + Sync,
    ) -> Result<(), SolveError> {
        let failed = Mutex::new(Ok(()));
        self.each_of(values, |value| {
            if let Err(error) = work(value) {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns `make(i)` for each `i` below `n`, in order.
    pub(crate) fn collect<V: Send>(self, n: usize, make: impl Fn(usize) -> V + Sync) -> Vec<V> {
        if self == EvaluationThreads::Caller {
            return (0..n).map(make).collect();
        }
        let mut values: Vec<Option<V>> = Vec::new();
        values.resize_with(n, || None);
        self.each_of(values.iter_mut().enumerate().collect(), |(i, place)| *place = Some(make(i)));
        values.into_iter().flatten().collect()
    }
}
