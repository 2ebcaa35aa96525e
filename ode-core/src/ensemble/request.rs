//! The request to a backend: one object with all that a backend reads and writes.

use crate::ensemble::adjoint::AdjointTask;
use crate::ensemble::raw_gradients::{GradientArray, RawCotangents, RawGradients};
use crate::ensemble::task::Task;
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::inputs::Inputs;
use crate::problem::layout::Layout;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::{RawResults, ResultArray, ResultSink, ReturnCode, RunReport};
use crate::step::code;
use core::fmt;

/// A request to a backend: a [`Job`] in one of the precisions.
///
/// A wrapper passes the request to its inner backend. A backend that solves by itself implements
/// [`RequestVisitor`], generic over the precision, and calls [`visit`](Self::visit).
#[derive(Debug)]
pub enum Request<'a> {
    /// A job in `f32`.
    Single(Job<'a, f32>),
    /// A job in `f64`.
    Double(Job<'a, f64>),
}

impl Request<'_> {
    /// [Checks](Job::check) the job, and calls the function of `visitor` for its kind and precision.
    ///
    /// # Errors
    /// The errors of the check and of the function.
    pub fn visit(self, visitor: &impl RequestVisitor) -> Result<RunReport, SolveError> {
        match self {
            Request::Single(job) => job.visit(visitor),
            Request::Double(job) => job.visit(visitor),
        }
    }

    /// Returns the number of trajectories.
    #[must_use]
    pub fn trajectories(&self) -> usize {
        match self {
            Request::Single(job) => job.inputs().trajectories,
            Request::Double(job) => job.inputs().trajectories,
        }
    }

    /// Returns whether the request is an adjoint.
    #[must_use]
    pub fn is_adjoint(&self) -> bool {
        matches!(self, Request::Single(Job::Adjoint(_)) | Request::Double(Job::Adjoint(_)))
    }
}

/// The work of a [`Request`], in precision `T`.
#[derive(Debug)]
pub enum Job<'a, T> {
    /// A forward solve.
    Solve(SolveJob<'a, T>),
    /// A solve and its adjoint, for gradients.
    Adjoint(AdjointJob<'a, T>),
}

impl<'a, T: Scalar> Job<'a, T> {
    /// Returns the inputs of all trajectories.
    #[must_use]
    pub fn inputs(&self) -> &'a Inputs<T> {
        match self {
            Job::Solve(job) => job.inputs,
            Job::Adjoint(job) => job.inputs,
        }
    }

    /// Checks that the parts of the job fit together; see [`SolveJob::check`] and
    /// [`AdjointJob::check`].
    ///
    /// # Errors
    /// [`SolveError::Shape`] and [`SolveError::JobSize`].
    pub fn check(&self) -> Result<(), SolveError> {
        match self {
            Job::Solve(job) => job.check(),
            Job::Adjoint(job) => job.check(),
        }
    }

    fn visit(self, visitor: &impl RequestVisitor) -> Result<RunReport, SolveError> {
        self.check()?;
        match self {
            Job::Solve(job) => visitor.solve(job),
            Job::Adjoint(job) => visitor.adjoint(job),
        }
    }
}

/// A forward solve of all trajectories of `inputs`.
pub struct SolveJob<'a, T> {
    /// The system and the method.
    pub task: &'a dyn Task<T>,
    /// The options.
    pub options: &'a ResolvedOptions<T>,
    /// The trajectories.
    pub inputs: &'a Inputs<T>,
    /// The consumer of the results.
    ///
    /// The results arrive batch by batch and in order, until there are no more trajectories or the
    /// sink has [enough](ResultSink::store).
    pub sink: &'a mut dyn ResultSink<T>,
}

/// A solve of all trajectories of `inputs`, and its adjoint.
pub struct AdjointJob<'a, T> {
    /// The system and the method.
    pub task: &'a dyn AdjointTask<T>,
    /// The options.
    pub options: &'a ResolvedOptions<T>,
    /// The trajectories.
    pub inputs: &'a Inputs<T>,
    /// The derivatives of the loss with respect to the states.
    pub cotangents: &'a RawCotangents<'a, T>,
    /// The results of all trajectories; [`Layout::of_adjoint`] has the lengths of the arrays.
    ///
    /// Each trajectory needs a code: [`run_job`](super::run_job) removes all codes before, and
    /// checks them afterwards.
    pub results: &'a mut RawResults<T>,
    /// The gradients of all trajectories; the shape of the task has the lengths of the arrays.
    pub gradients: &'a mut RawGradients<T>,
}

impl<T: Scalar> SolveJob<'_, T> {
    /// Checks that the inputs fit the task, and have values for all trajectories.
    ///
    /// The time is proportional to the number of inputs.
    ///
    /// # Errors
    /// [`SolveError::Shape`] and [`SolveError::JobSize`].
    pub fn check(&self) -> Result<(), SolveError> {
        self.task.shape().check(self.options, self.inputs)?;
        self.inputs.check_lengths()
    }
}

impl<T: Scalar> AdjointJob<'_, T> {
    /// Checks that the inputs fit the task, and that all arrays fit the inputs.
    ///
    /// The time is proportional to the number of inputs.
    ///
    /// # Errors
    /// [`SolveError::Shape`] and [`SolveError::JobSize`].
    pub fn check(&self) -> Result<(), SolveError> {
        let (shape, n) = (self.task.shape(), self.inputs.trajectories);
        shape.check(self.options, self.inputs)?;
        self.inputs.check_lengths()?;

        let RawCotangents { saved, last, trajectories } = *self.cotangents;
        SolveError::check_size("cotangents", "trajectories", trajectories, n)?;
        let finals = shape.states.saturating_mul(n);
        let all = finals.saturating_mul(self.inputs.save.slots());
        for (what, given, expected) in [("saved", saved.len(), all), ("last", last.len(), finals)] {
            // An array without cotangents is empty.
            if given > 0 {
                SolveError::check_size("cotangents", what, given, expected)?;
            }
        }

        let layout = Layout::of_adjoint(self.options, self.inputs);
        for (array, given) in ResultArray::ALL.into_iter().zip(self.results.lengths()) {
            let expected = array.rows(&layout).saturating_mul(n);
            SolveError::check_size("results", array.name(), given, expected)?;
        }
        for (array, given) in GradientArray::ALL.into_iter().zip(self.gradients.lengths()) {
            let expected = array.rows(&shape).saturating_mul(n);
            SolveError::check_size("gradients", array.name(), given, expected)?;
        }
        Ok(())
    }

    /// Returns the job with a shorter borrow of its results.
    pub(super) fn reborrow(&mut self) -> AdjointJob<'_, T> {
        AdjointJob { results: &mut *self.results, gradients: &mut *self.gradients, ..*self }
    }

    /// Marks all trajectories as unsolved, for [`check_results`](Self::check_results).
    pub(super) fn unsolve(&mut self) {
        self.results.codes.fill(code::UNSOLVED as u8);
    }

    /// Checks the results of a backend: all arrays, and the code of each trajectory.
    ///
    /// # Errors
    /// [`SolveError::Results`] if an array has another length, or if a trajectory has no code.
    pub(super) fn check_results(&self) -> Result<(), SolveError> {
        let n = self.inputs.trajectories;
        self.results.check(&Layout::of_adjoint(self.options, self.inputs), n)?;
        self.gradients.check(&self.task.shape(), n)?;
        let is_solved = |code: &&u8| ReturnCode::decoded(**code).is_some();
        match self.results.codes.iter().filter(is_solved).count() {
            given if given < n => {
                Err(SolveError::Results { what: "trajectories", given, expected: n })
            }
            _ => Ok(()),
        }
    }
}

impl<T> fmt::Debug for SolveJob<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trajectories = self.inputs.trajectories;
        f.debug_struct("SolveJob").field("trajectories", &trajectories).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for AdjointJob<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let trajectories = self.inputs.trajectories;
        f.debug_struct("AdjointJob").field("trajectories", &trajectories).finish_non_exhaustive()
    }
}

/// The functions of a backend for the jobs of a [`Request`], generic over the precision.
pub trait RequestVisitor {
    /// Integrates the trajectories and passes the results to the sink.
    ///
    /// # Errors
    /// If the results do not fit into memory, or if the backend or the sink fails.
    fn solve<T: Scalar>(&self, job: SolveJob<'_, T>) -> Result<RunReport, SolveError>;

    /// Integrates the trajectories and computes the derivatives with respect to initial states and
    /// parameters.
    ///
    /// # Errors
    /// [`SolveError::NoGradients`], unless the backend overrides this function; and the errors of
    /// [`solve`](Self::solve).
    fn adjoint<T: Scalar>(&self, job: AdjointJob<'_, T>) -> Result<RunReport, SolveError> {
        let _ = job;
        Err(SolveError::NoGradients)
    }
}
