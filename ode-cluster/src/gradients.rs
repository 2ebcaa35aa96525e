//! Gradients of single trajectories on all ranks.
//!
//! Each rank computes consecutive trajectories with its inner backend. Then all ranks exchange the
//! arrays, so that each rank has the gradients of all trajectories. The bits are those of one
//! process, because a gradient depends on its trajectory alone.

use core::ops::Range;

use ode_core::ensemble::adjoint::AdjointKernel;
use ode_core::ensemble::raw_gradients::{GradientArray, RawCotangents, RawGradients};
use ode_core::ensemble::{AdjointJob, Job, run_job};
use ode_core::lane::Scalar;
use ode_core::persist;
use ode_core::problem::layout::Layout;
use ode_core::solution::ResultArray;
use ode_core::{Backend, EnsembleAlgorithm, RawResults, RunReport, Share, SolveError, Timings};

use crate::manifest;
use crate::mpi::World;
use crate::results_bytes;
use crate::{agree, error::ClusterError};

/// Computes an adjoint on all ranks of `world`.
///
/// # Errors
/// The error of a rank, on all ranks; [`ClusterError::Disagree`] if the ranks differ in their
/// requests.
pub(crate) fn on_ranks<T: Scalar>(
    world: &World,
    job: AdjointJob<'_, T>,
    inner: &dyn EnsembleAlgorithm,
) -> Result<RunReport, SolveError> {
    let (rank, of, n) = (world.rank(), world.of(), job.inputs.trajectories);
    agree::on(world, &persist::lines(&entries(&job)), Ok(()))?;
    agree::each(world, &manifest::stored(job.inputs))?;
    let trajectories = |rank: usize| n * rank / of..n * (rank + 1) / of;
    let mut timings = Timings::default();
    let mine = computed(&job, trajectories(rank), inner, &mut timings);
    let parts = agree::gathered(world, mine)?;
    let AdjointJob { results, gradients, .. } = job;
    let arrays = || {
        let sizes = ResultArray::ALL.map(ResultArray::size::<T>).into_iter();
        sizes.chain(GradientArray::ALL.map(GradientArray::size::<T>))
    };
    let mut rests: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    let whole = results.bytes_mut().into_iter().chain(gradients.bytes_mut());
    for (array, size) in whole.zip(arrays()) {
        for (rank, rest) in rests.iter_mut().enumerate() {
            let range = trajectories(rank);
            let bytes = array.len() / n.max(1) * range.len();
            let Some((part, behind)) = rest.split_at_checked(bytes) else {
                let message = "it sent too few gradients".to_owned();
                return Err(ClusterError::Rank { rank, message }.into());
            };
            *rest = behind;
            results_bytes::copy_rows(
                (part, range.len()),
                0..range.len(),
                (array, n),
                range.start,
                size,
            );
        }
    }
    let mut report = RunReport::new(Backend::Ranks { ranks: of }, timings);
    let share = |rank| Share::new(format!("rank {rank} of {of}"), trajectories(rank).len(), 1);
    report.shares = (0..of).map(share).collect();
    Ok(report)
}

/// Computes the gradients of some trajectories; returns the bytes of all arrays.
fn computed<T: Scalar>(
    job: &AdjointJob<'_, T>,
    range: Range<usize>,
    inner: &dyn EnsembleAlgorithm,
    timings: &mut Timings,
) -> Result<Vec<u8>, SolveError> {
    if range.is_empty() {
        return Ok(Vec::new());
    }
    let &AdjointJob { task, options, inputs, cotangents, .. } = job;
    let numbers = inputs.first + range.start as u64..inputs.first + range.end as u64;
    let inputs = inputs.range(numbers).to_inputs()?;
    let cut = |numbers: &[T]| -> Vec<T> {
        let rows = numbers.chunks_exact(cotangents.trajectories.max(1));
        rows.flat_map(|row| &row[range.clone()]).copied().collect()
    };
    let (saved, last) = (cut(cotangents.saved), cut(cotangents.last));
    let cotangents = &RawCotangents { saved: &saved, last: &last, trajectories: range.len() };
    let (mut results, mut gradients) = (RawResults::default(), RawGradients::default());
    results.fit(&Layout::of_adjoint(options, &inputs), range.len())?;
    gradients.fit(&task.shape(), range.len())?;
    let (to_results, to_gradients) = (&mut results, &mut gradients);
    let job = AdjointJob {
        task,
        options,
        inputs: &inputs,
        cotangents,
        results: to_results,
        gradients: to_gradients,
    };
    *timings = run_job(inner, Job::Adjoint(job))?.timings;
    Ok([results.bytes().concat(), gradients.bytes().concat()].concat())
}

/// The entries in which all ranks must agree.
fn entries<T: Scalar>(job: &AdjointJob<'_, T>) -> Vec<(String, String)> {
    let AdjointJob { task, options, inputs, cotangents, .. } = job;
    let kernel = |config: &_| task.kernel(AdjointKernel::Backward, config);
    let mut hasher = blake3::Hasher::new();
    for numbers in [cotangents.saved, cotangents.last] {
        hasher.update(&(numbers.len() as u64).to_le_bytes());
        hasher.update(bytemuck::cast_slice(numbers));
    }
    let mut entries = vec![
        ("method".to_owned(), options.method.name.to_owned()),
        ("precision".to_owned(), T::NAME.to_owned()),
        ("trajectories".to_owned(), inputs.trajectories.to_string()),
        ("first".to_owned(), inputs.first.to_string()),
    ];
    entries.extend(manifest::of_solve(options, inputs));
    entries.extend([
        ("cotangents".to_owned(), format!("numbers of hash {}", hasher.finalize())),
        ("program".to_owned(), manifest::program(kernel, options, inputs)),
    ]);
    entries
}
