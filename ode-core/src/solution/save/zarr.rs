//! Solutions as Zarr folders, version 3.
//!
//! ```python
//! ds = xarray.open_zarr("lorenz.zarr", consolidated=False)
//! ds.u.sel(state="x", trajectory=42).plot()
//! ```

use super::error::SaveError;
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::persist;
use crate::problem::inputs::InputRange;
use crate::problem::layout::Layout;
use crate::solution::zarr::{ZarrGroup, ZarrHeader};
use crate::solution::{
    EnsembleSolution, RawResults, ResultSet, ResultSink, ReturnCode, RunReport, SolveHeader,
};
use crate::system::System;
use core::ops::ControlFlow;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest size of the chunks of the largest array in bytes, if the user sets none.
const CHUNK_BYTES: usize = 32 << 20;

/// The target size of a batch in bytes, if the user sets none.
const BATCH_BYTES: usize = 256 << 20;

/// A Zarr folder that receives the results of an ensemble, batch by batch.
///
/// The results of all trajectories need not fit into memory:
///
/// ```
/// # use ode_core::{EnsembleProblem, EnsembleThreads, SolveOptions, Unvaried};
/// # use ode_core::{methods::Tsit5, system::System};
/// use ode_core::save::ZarrFolder;
/// # fn of<S: System<2, 1>>(
/// #     ensemble: &EnsembleProblem<S, f64, Unvaried, 2, 1>,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
///
/// let mut folder = ZarrFolder::create("lorenz.zarr")?;
/// let options = SolveOptions::default().saveat(0.1);
/// ensemble.solve_into(Tsit5, EnsembleThreads, &options, &mut folder)?;
/// # Ok(())
/// # }
/// ```
///
/// [`write_zarr`](EnsembleSolution::write_zarr) writes the same folder from memory, and lists its
/// arrays. Chunks do not depend on the backend or on the size of batches.
///
/// The folder has the attribute `complete`: 0 until all trajectories are solved, then 1. Before
/// that, and after a failure, trajectories without results have the return code 255, and values
/// NaN.
///
/// A cancelled solve ([`EnsembleWatched`](crate::EnsembleWatched)) also ends with `complete` 0. The
/// attribute `solved` is then the number of trajectories with results. The others have the code
/// [`Cancelled`](crate::ReturnCode::Cancelled) or 255.
#[derive(Debug)]
pub struct ZarrFolder {
    path: PathBuf,
    chunk: Option<usize>,
    batch: Option<usize>,
    content: Option<Content>,
}

/// The content of a folder during the solve.
#[derive(Debug)]
struct Content {
    group: ZarrGroup,
    layout: Layout,
    /// The number of trajectories of a batch, a multiple of the number of a chunk.
    batch: usize,
    /// The number of trajectories that are stored.
    stored: usize,
    /// The number of stored trajectories that were not cancelled.
    solved: usize,
}

impl ZarrFolder {
    /// Creates the folder.
    ///
    /// If no solve begins, the folder is removed when the value is dropped.
    ///
    /// # Errors
    /// If the path exists, with [`ErrorKind::AlreadyExists`], or if the folder cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        let path = path.as_ref().to_owned();
        match fs::create_dir(&path) {
            Ok(()) => Ok(ZarrFolder { path, chunk: None, batch: None, content: None }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let error = "it exists; remove it, or name another folder";
                Err(SaveError { path, error: io::Error::new(ErrorKind::AlreadyExists, error) })
            }
            Err(error) => Err(SaveError { path, error }),
        }
    }

    /// Sets the number of trajectories of each chunk.
    ///
    /// A chunk is a file for each array. By default the number is the largest power of two for
    /// which no file exceeds 32 MiB, but at most the number of trajectories. A number of 0 acts
    /// as 1.
    #[must_use]
    pub fn chunk(mut self, trajectories: usize) -> Self {
        self.chunk = Some(trajectories.max(1));
        self
    }

    /// Sets the number of trajectories that are in memory together.
    ///
    /// The number is rounded up to whole chunks. By default the results of a batch take about
    /// 256 MiB, or one chunk if it is larger. Several batches may be in memory at a time.
    #[must_use]
    pub fn batch(mut self, trajectories: usize) -> Self {
        self.batch = Some(trajectories);
        self
    }

    /// Writes the metadata, and the arrays that do not depend on the trajectory.
    fn write_header<T: Scalar>(&mut self, header: &SolveHeader<'_, T>) -> io::Result<()> {
        if self.content.is_some() {
            let error = "it contains another solve; create a folder for each solve";
            return Err(io::Error::new(ErrorKind::AlreadyExists, error));
        }
        let SolveHeader { system, inputs: prepared, axes } = *header;
        let (options, inputs) = (&prepared.options, &prepared.inputs);
        let wanted = ResultSet::ALL;
        let group = ZarrGroup::new(&ZarrHeader { system, options, inputs, axes, wanted });
        let (largest, all) = group.bytes_of_trajectory();
        let fit = (CHUNK_BYTES / largest).max(1);
        let group = group.chunk(self.chunk.unwrap_or(1 << fit.ilog2()));
        let chunk = group.chunk_len();
        let batch = self.batch.unwrap_or((BATCH_BYTES / all / chunk).saturating_mul(chunk));
        let batch = batch.max(1).div_ceil(chunk).saturating_mul(chunk);
        let layout = prepared.layout();
        let content = Content { group, layout, batch, stored: 0, solved: 0 };
        let content = self.content.insert(content);
        write(&self.path, "zarr.json", &[content.group.metadata(false).as_bytes()])?;
        content.group.arrays().try_for_each(|array| fs::create_dir(self.path.join(array)))?;
        content.group.files().try_for_each(|(path, bytes)| write(&self.path, &path, &[&bytes]))
    }

    /// Writes the chunks of a batch.
    fn write_batch<T: Scalar>(
        &mut self,
        batch: InputRange<'_, T>,
        results: &RawResults<T>,
    ) -> io::Result<()> {
        let Some(content) = &mut self.content else { return Err(not_forwarded()) };
        let (indices, n, chunk) = (batch.indices(), batch.len(), content.group.chunk_len());
        if indices.start != content.stored || !content.stored.is_multiple_of(chunk) {
            return Err(not_forwarded());
        }
        for arrays in content.group.chunk_arrays() {
            let chunks = (0..n).step_by(chunk);
            let files = chunks.flat_map(|from| arrays.clone().map(move |array| (from, array)));
            persist::each(files, &|(from, array)| {
                let (index, range) = ((content.stored + from) / chunk, from..n.min(from + chunk));
                let file = content.group.chunk_file(array, index, (batch, results), range);
                write(&self.path, &file.path, &file.parts())
            })?;
        }
        content.stored += n;
        let is_solved = |&i: &usize| results.code(i) != ReturnCode::Cancelled;
        content.solved += (0..n).filter(is_solved).count();
        Ok(())
    }

    /// Writes the number of solved trajectories, and whether these are all.
    fn close(&self, run: &RunReport) -> io::Result<()> {
        let Some(content) = &self.content else { return Err(not_forwarded()) };
        let text = content.group.metadata_of_run(content.solved, run);
        write(&self.path, "zarr.json", &[text.as_bytes()])
    }

    fn error(&self, error: io::Error) -> SaveError {
        SaveError { path: self.path.clone(), error }
    }
}

/// Returns the error of a sink that passes only some of its calls to the folder.
fn not_forwarded() -> io::Error {
    let error = "a `ResultSink` around the folder must forward `begin`, `batch`, `wants` and all \
        batches";
    io::Error::new(ErrorKind::InvalidInput, error)
}

impl Drop for ZarrFolder {
    fn drop(&mut self) {
        if self.content.is_none() {
            // Fails if another process uses the folder, which then stays.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

impl<T: Scalar> ResultSink<T> for ZarrFolder {
    fn begin(&mut self, header: &SolveHeader<'_, T>) -> Result<(), SolveError> {
        Ok(self.write_header(header).map_err(|error| self.error(error))?)
    }

    fn batch(&self) -> u64 {
        // Before the solve begins, a batch contains step counts only.
        self.content.as_ref().map_or(1 << 20, |content| content.batch as u64)
    }

    fn store(
        &mut self,
        batch: InputRange<'_, T>,
        results: &mut RawResults<T>,
    ) -> Result<ControlFlow<()>, SolveError> {
        if let Some(content) = &self.content {
            // A sink around the folder may want fewer arrays.
            results.check(&content.layout, batch.len())?;
        }
        self.write_batch(batch, results).map_err(|error| self.error(error))?;
        Ok(ControlFlow::Continue(()))
    }

    fn finish(&mut self, run: &RunReport) -> Result<(), SolveError> {
        Ok(self.close(run).map_err(|error| self.error(error))?)
    }
}

impl From<SaveError> for SolveError {
    fn from(error: SaveError) -> Self {
        SolveError::Sink(Arc::new(error))
    }
}

/// Writes a file of the group atomically.
fn write(group: &Path, path: &str, parts: &[&[u8]]) -> io::Result<()> {
    let path = group.join(path);
    persist::replace(&path, path.parent().unwrap_or(group), parts)
}

impl<S: System<N, P>, T: Scalar, const N: usize, const P: usize> EnsembleSolution<S, T, N, P> {
    /// Writes the whole solution to a new Zarr folder (version 3), which xarray opens.
    ///
    /// [`ZarrFolder`] receives the results during the solve instead, in constant memory.
    ///
    /// The arrays have the names of [`write_npz`](Self::write_npz). The first axis is the
    /// trajectory. Each file ends with a checksum (codec `crc32c`), which readers verify.
    ///
    /// | array | further axes | content |
    /// |---|---|---|
    /// | `u0`, `u_end` | `state` | initial and final states |
    /// | `modes_end` | `mode` | final modes; absent without modes |
    /// | `t_end` | | times of the final states |
    /// | `p` | `parameter` | parameters |
    /// | `tspan` | `end` | both ends of the time spans |
    /// | `u` | `time`, `state` | saved states; absent if not saved. After [`save_only`](crate::SolveOptions::save_only) the axis is `saved_state` |
    /// | `observables` | `time`, `observable` | saved observables; absent if not saved |
    /// | `saved_count` | | numbers of saved times that were reached; absent without saved times |
    /// | `code` | | return codes; `flag_values` and `flag_meanings` are their numbers and names |
    /// | `accepted`, `rejected` | | numbers of steps |
    /// | `used_stiff_method` | | 1 or 0; absent unless the method switches |
    /// | `stiff_at_end` | | 1 if the implicit method was chosen at the end, else 0; absent unless the method switches |
    /// | `guarded`, `held_unstable` | | as in [`write_npz`](Self::write_npz); absent if the guard is off |
    /// | `guard_care` | | 0 if the [guard](crate::SolveOptions::growth_guard()) did not restart the trajectory, else 1 to 3; absent if the guard is off |
    /// | `event_counts` | `event` | counts of events; absent without events |
    /// | `features` | `feature` | features; absent without features |
    /// | `log` | `log_slot`, `log_number` | logged events; absent without a log |
    ///
    /// Values at times that a trajectory did not reach are NaN. The coordinate `time` has the saved
    /// times. If trajectories have different times, `time` has the axes `trajectory` and `save`, and
    /// `save` replaces the axis `time` of saved values. The coordinates `state`,
    /// `saved_state`, `parameter`, `observable`, `event`, `feature`, `mode` and
    /// `log_number` are names.
    ///
    /// Attributes of the group: `complete` (0 if the solve was cancelled, otherwise 1), `solved`
    /// (the number of trajectories that were not cancelled), `source` (the version of odes),
    /// `system`, `method`, `precision`, `backend`, `seconds` (of the solve), `states`,
    /// `parameters`, `observables`, `events`, `features`, `modes`, `trajectories`, `first_trajectory` (the index in the
    /// whole ensemble), `grid_shape`, `grid_axes`, and options by their names (`abstol`, `reltol`,
    /// `fixed_step`, `first_step`, `dtmin`, `dtmax`, `max_steps`), without unused ones.
    ///
    /// # Errors
    /// If the folder exists, or cannot be written. A folder with `complete` 0 remains after a
    /// failure.
    pub fn write_zarr(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let mut folder = ZarrFolder::create(path)?;
        self.zarr(&mut folder).map_err(|error| folder.error(error))
    }

    fn zarr(&self, folder: &mut ZarrFolder) -> io::Result<()> {
        let system = self.system.info();
        folder.write_header(&SolveHeader { system, inputs: &self.inputs, axes: &self.axes })?;
        folder.write_batch(self.inputs.inputs.all(), &self.raw)?;
        folder.close(&self.run)
    }
}
