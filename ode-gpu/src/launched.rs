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
use crate::error::{DriverCall, GpuError};
use crate::event::Event;
use crate::idle::Purpose;
use crate::locked::is_locked;
use crate::memory::{Slot, Stream};
use crate::pinned::{Direction, Pinned, Transfer};
use crate::reduce::Reducing;
use crate::rows::locked_end;
use crate::timing::Stopwatch;

/// The time between two queries of the progress of a kernel: that of a copy of half a megabyte.
const POLLING: Duration = Duration::from_micros(10);

/// A chunk in progress. In every case the stream is synchronised before the lease returns.
pub(crate) struct Launched<'d, 'p, T: Scalar> {
    pub(crate) stream: Stream,
    /// Freed by its stream, behind all work that uses it. `None` before the upload.
    memory: Option<CudaSlice<u8>>,
    /// The result arrays that go through page-locked memory after the kernel.
    staged: Vec<(ResultArray, Place)>,
    watch: Option<Stopwatch>,
    /// The stream of copies while the kernel runs.
    beside: Option<Slot>,
    /// The number of saved times that the running kernel has passed.
    progress: Option<Pinned<u32>>,
    /// The rows of saved states that were copied while the kernel ran.
    copied: usize,
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
            beside: None,
            progress: None,
            copied: 0,
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
        for (array, mut rows) in ResultArray::ALL.into_iter().zip(lease.work().results.bytes()) {
            let mut place = *array.of(places);
            if array == ResultArray::Saved {
                rows.drain(..self.copied);
                place = place.after(self.copied);
            }
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

    /// Returns the address of a word for the number of saved times that the kernel has passed.
    ///
    /// Returns `None` if the host memory of saved states is not page-locked.
    pub(crate) fn progress(&mut self) -> Result<Option<u64>, GpuError> {
        let Some(lease) = &mut self.lease else { return Ok(None) };
        let rows = &lease.work().results.bytes()[ResultArray::Saved as usize];
        if !rows.iter().all(|row| is_locked(row)) {
            return Ok(None);
        }
        let mut word = Pinned::new(&self.stream, 1, Direction::Download)?;
        word[0] = 0;
        Ok(Some(self.progress.insert(word).as_ptr().addr() as u64))
    }

    /// Downloads saved states until the kernel has ended, if there is a word for its progress.
    ///
    /// There are `width` rows of `saved` for each saved time. [`download`](Self::download) queues
    /// the remaining rows.
    pub(crate) fn download_beside(&mut self, saved: Place, width: usize) -> Result<(), GpuError> {
        let base = self.base();
        let (Some(lease), Some(progress)) = (&mut self.lease, &self.progress) else {
            return Ok(());
        };
        let end = Event::record(&self.stream, Purpose::End).call("cuEventRecord")?;
        let beside = self.beside.insert(self.stream.device().idle_slot()?);
        loop {
            let over = end.try_is_complete().call("cuEventQuery")?;
            // SAFETY: the word belongs to this value. The kernel writes it at once.
            let passed = unsafe { progress.as_ptr().read_volatile() } as usize;
            let until = (passed * width).min(saved.rows);
            if until > self.copied {
                let rows =
                    std::mem::take(&mut lease.work().results.bytes()[ResultArray::Saved as usize]);
                let rows = rows.into_iter().take(until).skip(self.copied).collect();
                let from = base + saved.after(self.copied).at as u64;
                // SAFETY: this value owns the chunk, which owns these rows, until both streams were
                // synchronised. The device memory lives as long. The kernel has written these rows
                // and does not change them any more.
                unsafe { beside.stream.start_rows(from, saved.row, rows)? };
                self.copied = until;
            }
            if over {
                return Ok(());
            }
            std::thread::sleep(POLLING);
        }
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
        if let Some(beside) = &self.beside {
            beside.stream.synchronize()?;
        }
        if let Some(watch) = self.watch.take() {
            computing.add(watch)?;
        }
        if let (Some(reducing), Some(reduction)) = (self.reducing.take(), reduction) {
            reducing.finish(&self.stream, reduction)?;
        }
        if let Some(lease) = self.lease.take() {
            lease.done();
        }
        if let Some(beside) = self.beside.take() {
            self.stream.device().keep_slot(beside);
        }
        Ok(Slot { stream: self.stream.clone(), memory: self.memory.take() })
    }

    fn wait(&self) {
        // An error here has occurred before, or the context's next call returns it.
        let _ = self.stream.raw().synchronize();
        if let Some(beside) = &self.beside {
            let _ = beside.stream.raw().synchronize();
        }
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
