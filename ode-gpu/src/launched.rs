//! One launch: a chunk's upload, kernel and download.

use std::time::Duration;

use cudarc::driver::{CudaSlice, DevicePtr};
use ode_core::SolveError;
use ode_core::ensemble::work_queue::{Divisible, Lease};
use ode_core::ensemble::worker::Chunk;
use ode_core::lane::Scalar;
use ode_core::problem::resolved_options::ResolvedOptions;
use ode_core::solution::ResultArray;
use ode_core::solution::reduction::Reduction;

use crate::batch::{Batch, Place};
use crate::error::GpuError;
use crate::locked::is_locked;
use crate::memory::{Slot, Stream};
use crate::pinned::Transfer;
use crate::reduce::Reducing;
use crate::rows::locked_end;
use crate::timing::Stopwatch;

/// A chunk in progress. In every case the stream is synchronised before the lease returns.
pub(crate) struct Launched<'d, 'p, T: Scalar> {
    pub(crate) stream: Stream,
    /// Freed by its stream, behind all work that uses it. `None` before the upload.
    memory: Option<CudaSlice<u8>>,
    /// The result arrays that go through page-locked memory after the kernel.
    staged: Vec<(ResultArray, Place)>,
    watch: Option<Stopwatch>,
    /// The reduction behind the solve, which takes the place of results.
    reducing: Option<Reducing>,
    /// Owns the page-locked memory of the last uploads, which may be in progress.
    uploads: Vec<Transfer<u8>>,
    /// `None` after the stream was synchronised.
    lease: Option<Lease<'d, Chunk<'p, T>>>,
}

impl<'d, 'p, T: Scalar> Launched<'d, 'p, T> {
    pub(crate) fn new(slot: Slot, lease: Lease<'d, Chunk<'p, T>>) -> Self {
        let (Slot { stream, memory }, lease) = (slot, Some(lease));
        Launched {
            stream,
            memory,
            staged: Vec::new(),
            watch: None,
            reducing: None,
            uploads: Vec::new(),
            lease,
        }
    }

    /// Queues the upload of the chunk's inputs; returns the layout of its device memory.
    ///
    /// New memory has at least `room` bytes, if the device has so many.
    pub(crate) fn upload(
        &mut self,
        settings: &ResolvedOptions<T>,
        room: usize,
    ) -> Result<Option<Batch<'p, T>>, GpuError> {
        let Some(lease) = &mut self.lease else { return Ok(None) };
        let batch = Batch::new(settings, lease.work().inputs);
        let total = batch.total();
        let memory = match self.memory.take().filter(|memory| total <= memory.len()) {
            Some(memory) => memory,
            None => match self.stream.allocate::<u8>(total.max(room)) {
                Err(GpuError::OutOfMemory { .. }) if total < room => self.stream.allocate(total)?,
                allocated => allocated?,
            },
        };
        let memory = self.memory.insert(memory);
        let (sources, end) = batch.sources();
        let (staged, direct) = locked_end(&sources);
        let end = direct.first().map_or(end, |(at, _)| *at);
        self.uploads = self.stream.upload_rows(staged, end, memory)?;
        // SAFETY: the sources belong to the inputs of the lease. This value synchronises the stream
        // before it returns the lease.
        unsafe { self.stream.start_sources(direct, memory)? };
        Ok(Some(batch))
    }

    /// Returns the address of that memory.
    pub(crate) fn base(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.device_ptr(self.stream.raw()).0)
    }

    /// Stores the stopwatch of the queued kernel.
    pub(crate) fn computes(&mut self, watch: Stopwatch) {
        self.watch = Some(watch);
    }

    /// Stores the queued reduction.
    pub(crate) fn reduces(&mut self, reducing: Reducing) {
        self.reducing = Some(reducing);
    }

    /// Queues the download of results with page-locked host memory.
    ///
    /// [`finish`](Self::finish) downloads the other results.
    pub(crate) fn download(
        &mut self,
        places: &[Place; ResultArray::COUNT],
    ) -> Result<(), GpuError> {
        let base = self.base();
        let Some(lease) = &mut self.lease else { return Ok(()) };
        for (array, rows) in ResultArray::ALL.into_iter().zip(lease.work().results.bytes()) {
            let place = *array.of(places);
            if rows.iter().all(|row| is_locked(row)) {
                // SAFETY: this value owns the chunk, which owns these rows, until the stream was
                // synchronised. The device memory lives as long.
                unsafe { self.stream.start_rows(base + place.at as u64, place.row, rows)? };
            } else {
                self.staged.push((array, place));
            }
        }
        Ok(())
    }

    /// The number of trajectories.
    pub(crate) fn count(&mut self) -> usize {
        self.lease.as_mut().map_or(0, |lease| lease.work().count())
    }

    /// Returns the lease of a chunk that could not be queued completely.
    pub(crate) fn given_up(mut self) -> Option<Lease<'d, Chunk<'p, T>>> {
        self.wait();
        self.lease.take()
    }

    /// Waits for the results.
    ///
    /// `reduction` receives the statistics of a queued reduction.
    pub(crate) fn finish(
        mut self,
        computing: &mut Computing,
        reduction: Option<&dyn Reduction<T>>,
    ) -> Result<Slot, SolveError> {
        if let (Some(memory), Some(lease)) = (&self.memory, &mut self.lease) {
            let places = self.staged.iter().map(|(_, place)| place);
            let begin = places.clone().map(|place| place.at).min();
            let end = places.map(|place| place.at + place.row * place.rows).max();
            if let (Some(begin), Some(end)) = (begin, end) {
                let mut targets = Vec::new();
                for (array, rows) in ResultArray::ALL.into_iter().zip(lease.work().results.bytes())
                {
                    if let Some((_, place)) = self.staged.iter().find(|(index, _)| *index == array)
                    {
                        let at = |r: usize| place.at - begin + r * place.row;
                        targets.extend(rows.into_iter().enumerate().map(|(r, row)| (at(r), row)));
                    }
                }
                self.stream.download_rows(&memory.slice(begin..end), targets)?;
            }
        }
        self.stream.synchronize()?;
        if let Some(watch) = self.watch.take() {
            computing.add(watch)?;
        }
        if let (Some(reducing), Some(reduction)) = (self.reducing.take(), reduction) {
            reducing.finish(&self.stream, reduction)?;
        }
        if let Some(lease) = self.lease.take() {
            lease.done();
        }
        Ok(Slot { stream: self.stream.clone(), memory: self.memory.take() })
    }

    fn wait(&self) {
        // An error here has occurred before, or the context's next call returns it.
        let _ = self.stream.raw().synchronize();
    }
}

impl<T: Scalar> Drop for Launched<'_, '_, T> {
    fn drop(&mut self) {
        if self.lease.is_some() {
            self.wait();
        }
    }
}

/// The time during which at least one kernel ran.
///
/// Kernels of two streams overlap when one of them ends.
#[derive(Default)]
pub(crate) struct Computing {
    origin: Option<Stopwatch>,
    until: Duration,
    pub(crate) total: Duration,
}

impl Computing {
    /// Adds a kernel that has ended.
    pub(crate) fn add(&mut self, watch: Stopwatch) -> Result<(), GpuError> {
        match &self.origin {
            None => {
                self.total = watch.elapsed()?;
                self.until = self.total;
                self.origin = Some(watch);
            }
            Some(origin) => {
                let (start, stop) = watch.since(origin)?;
                self.total += stop.saturating_sub(start.max(self.until));
                self.until = self.until.max(stop);
            }
        }
        Ok(())
    }
}
