//! Page-locked host memory and its copies.
//!
//! The copy engines read and write page-locked memory at the full speed of the bus (55 GB/s on the
//! host of an H200) without the CPU. Other memory passes the driver's staging buffer at 8 to 16
//! GB/s, and the copy blocks. But page-locking costs 0.7 ms per MiB, more than a solve. Page-locked
//! blocks are therefore pooled for the life of the process. Results of many gigabytes stream
//! through a few small blocks: while the bus fills one, all CPU cores empty another
//! ([`Stream::download`]).
//!
//! The [`Transfer`] of a copy owns its block until the copy is done. Thus no code path, including
//! early returns, frees or reuses memory that the device still accesses.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex};

use cudarc::driver::sys;
use cudarc::driver::{
    CudaContext, CudaSlice, CudaView, DevicePtr, DevicePtrMut, DeviceSlice, result,
};
use rayon::prelude::*;

use crate::device::lock;
use crate::error::{self, DriverCall, GpuError};
use crate::event::Event;
use crate::idle::Purpose;
use crate::memory::{DeviceElement, Stream};

/// The capacity of the pool, in bytes; blocks returned beyond it are unlocked and freed.
const KEPT: usize = 1 << 30;

/// The granularity of block sizes, so that requests of similar size share blocks.
const GRAIN: usize = 1 << 18;

/// The bytes that a streamed copy moves at a time.
///
/// This is long enough (0.08 ms) to hide a launch, and short enough to be page-locked in 3 ms at
/// the first use.
pub(crate) const PIECE: usize = 4 << 20;

/// The number of copies in progress: one on the bus, one queued, one with the CPU.
pub(crate) const DEPTH: usize = 3;

/// The number of bytes below which the driver's own staging is faster.
const SMALL: usize = 1 << 16;

/// The direction of the copies of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the device: the memory is write-combined, fast for the bus, very slow for CPU reads.
    Upload,
    /// From the device: the memory is cached as usual.
    Download,
}

/// A block of page-locked memory, which is unlocked and freed on drop.
#[derive(Debug)]
struct Block {
    start: NonNull<u8>,
    bytes: usize,
    direction: Direction,
    context: Arc<CudaContext>,
}

// SAFETY: a block is plain memory, usable from any thread, with one owner.
unsafe impl Send for Block {}
// SAFETY: a shared reference to a block reads its fields, and never the memory at `start`.
unsafe impl Sync for Block {}

impl Block {
    fn new(
        context: &Arc<CudaContext>,
        bytes: usize,
        direction: Direction,
    ) -> Result<Block, GpuError> {
        context.bind_to_thread().call("cuCtxSetCurrent")?;
        // Portable: page-locked for the contexts of all devices, so that one pool serves all.
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE
            | match direction {
                Direction::Upload => sys::CU_MEMHOSTALLOC_WRITECOMBINED,
                Direction::Download => 0,
            };
        // SAFETY: the context is current. The memory is the driver's, mapped and zeroed by the
        // operating system, so reading it before writing is defined.
        let start = unsafe { result::malloc_host(bytes, flags) }.map_err(|e| {
            let (_, text) = error::describe(e);
            GpuError::OutOfPinnedMemory { needed: bytes as u64, code: e.0 as u32, text }
        })?;
        match NonNull::new(start.cast()) {
            Some(start) => Ok(Block { start, bytes, direction, context: context.clone() }),
            None => Err(GpuError::OutOfPinnedMemory {
                needed: bytes as u64,
                code: 0,
                text: "the driver returned a null pointer".to_owned(),
            }),
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.context.record_err(self.context.bind_to_thread());
        // SAFETY: allocated by `malloc_host`, freed once; no copy is under way, because a
        // `Transfer` owns its block until its copy is done.
        self.context.record_err(unsafe { result::free_host(self.start.as_ptr().cast()) });
    }
}

/// The idle blocks.
static POOL: Mutex<Vec<Block>> = Mutex::new(Vec::new());

/// Unlocks and frees all idle host memory of the pool.
pub fn trim_pinned() {
    let blocks = std::mem::take(&mut *lock(&POOL));
    drop(blocks);
}

/// Returns the bytes of idle page-locked host memory in the pool.
pub fn pooled_bytes() -> usize {
    lock(&POOL).iter().map(|b| b.bytes).sum()
}

/// Takes the smallest block that fits, unless it is wastefully large.
fn take_block(
    context: &Arc<CudaContext>,
    bytes: usize,
    direction: Direction,
) -> Result<Block, GpuError> {
    let bytes = bytes.max(1).checked_next_multiple_of(GRAIN).unwrap_or(usize::MAX);
    {
        let mut pool = lock(&POOL);
        let fits = |b: &Block| {
            b.direction == direction && b.bytes >= bytes && b.bytes / 8 <= bytes.max(PIECE)
        };
        let best = pool.iter().enumerate().filter(|(_, b)| fits(b)).min_by_key(|(_, b)| b.bytes);
        if let Some((index, _)) = best {
            return Ok(pool.swap_remove(index));
        }
    }
    Block::new(context, bytes, direction).or_else(|error| match error {
        GpuError::OutOfPinnedMemory { .. } => {
            trim_pinned();
            Block::new(context, bytes, direction)
        }
        other => Err(other),
    })
}

fn return_block(block: Block) {
    let mut pool = lock(&POOL);
    let kept: usize = pool.iter().map(|b| b.bytes).sum();
    if kept + block.bytes <= KEPT {
        pool.push(block);
    } else {
        // Freeing waits for the driver, so release the lock first.
        drop(pool);
        drop(block);
    }
}

/// An array in page-locked memory, which returns to the pool on drop.
#[derive(Debug)]
pub struct Pinned<T: DeviceElement> {
    /// The memory; `None` only during the drop.
    block: Option<Block>,
    start: NonNull<T>,
    len: usize,
    element: PhantomData<T>,
}

// SAFETY: an array owns its block, which is plain memory, and its numbers are `Send`.
unsafe impl<T: DeviceElement> Send for Pinned<T> {}
// SAFETY: a shared reference only reads the numbers, which are `Sync`.
unsafe impl<T: DeviceElement> Sync for Pinned<T> {}

impl<T: DeviceElement> Pinned<T> {
    /// Takes uninitialised memory for `len` numbers from the pool.
    ///
    /// # Errors
    /// [`GpuError::OutOfPinnedMemory`] if no more memory can be locked.
    pub fn new(stream: &Stream, len: usize, direction: Direction) -> Result<Self, GpuError> {
        let bytes = len.saturating_mul(size_of::<T>());
        let block = take_block(stream.context(), bytes, direction)?;
        // Page-locked memory starts at a page, which is aligned for every `DeviceElement`.
        let start = block.start.cast();
        Ok(Pinned { block: Some(block), start, len, element: PhantomData })
    }

    /// Changes the length within the size of the block; returns whether it fits.
    pub(crate) fn resize(&mut self, len: usize) -> bool {
        let fits = self.block.as_ref().is_some_and(|b| len <= b.bytes / size_of::<T>());
        if fits {
            self.len = len;
        }
        fits
    }
}

impl<T: DeviceElement> Deref for Pinned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: the block holds `len` elements, aligned; every pattern of bits is a valid
        // `T`; no copy touches it while it is not inside a `Transfer`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: DeviceElement> DerefMut for Pinned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the block holds `len` elements, aligned; every pattern of bits is a valid `T`. The
        // borrow is exclusive, and no copy touches the block while it is not inside a `Transfer`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T: DeviceElement> Drop for Pinned<T> {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            return_block(block);
        }
    }
}

/// A copy in progress, which owns the page-locked memory. Dropping it waits for the copy.
#[derive(Debug)]
#[must_use = "dropping a transfer waits for it"]
pub struct Transfer<T: DeviceElement> {
    /// The memory; `None` after `wait` returned it.
    pinned: Option<Pinned<T>>,
    done: Event,
}

impl<T: DeviceElement> Transfer<T> {
    /// Marks the end of a copy that was just queued.
    ///
    /// If that fails, it waits for the stream, because the memory must not return to the pool
    /// before the copy has ended.
    fn begin(stream: &Stream, pinned: Pinned<T>) -> Result<Self, GpuError> {
        match Event::record(stream, Purpose::End) {
            Ok(done) => Ok(Transfer { pinned: Some(pinned), done }),
            Err(error) => {
                if stream.raw().synchronize().is_err() {
                    std::mem::forget(pinned);
                }
                Err(GpuError::driver("cuEventRecord", error))
            }
        }
    }

    /// Waits until the copy is done, and returns the memory.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the copy, or work that was queued before it, failed.
    pub fn wait(mut self) -> Result<Pinned<T>, GpuError> {
        self.done.synchronize().call("cuEventSynchronize")?;
        match self.pinned.take() {
            Some(pinned) => Ok(pinned),
            // Unreachable: only this function takes `pinned`, and it consumes `self`.
            None => {
                Err(invalid("cuEventSynchronize", "the transfer was already waited for".to_owned()))
            }
        }
    }

    /// Returns whether the copy is done, without blocking.
    pub fn is_done(&self) -> bool {
        self.done.is_complete()
    }
}

impl<T: DeviceElement> Drop for Transfer<T> {
    fn drop(&mut self) {
        if let Some(pinned) = self.pinned.take()
            && let Err(error) = self.done.synchronize()
        {
            // The context is lost. The device may still write, so the memory is neither reused nor
            // freed.
            self.done.context().record_err(Err::<(), _>(error));
            std::mem::forget(pinned);
        }
    }
}

impl Stream {
    /// Queues a copy of `host` to `device[at..]` and returns at once.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the buffer belongs to another stream or the numbers do not fit, or
    /// if the driver does not queue the copy.
    pub fn start_upload<T: DeviceElement>(
        &self,
        host: Pinned<T>,
        device: &mut CudaSlice<T>,
        at: usize,
    ) -> Result<Transfer<T>, GpuError> {
        check_range("cuMemcpyHtoDAsync", at, host.len(), device.len())?;
        self.check_owner("cuMemcpyHtoDAsync", device)?;
        self.context().bind_to_thread().call("cuCtxSetCurrent")?;
        let (address, _order) = device.device_ptr_mut(self.raw());
        let to = address + (at * size_of::<T>()) as u64;
        // SAFETY: the range is inside the buffer. The buffer lives until the stream has done this
        // copy, since its freeing is queued behind the copy. The transfer owns `host`.
        unsafe { result::memcpy_htod_async(to, &host, self.raw().cu_stream()) }
            .call("cuMemcpyHtoDAsync")?;
        Transfer::begin(self, host)
    }

    /// Queues a copy of all of `device` to the start of `host` and returns at once.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the buffer belongs to another stream or the numbers do not fit, or
    /// if the driver does not queue the copy.
    pub fn start_download<T: DeviceElement>(
        &self,
        device: &CudaView<'_, T>,
        mut host: Pinned<T>,
    ) -> Result<Transfer<T>, GpuError> {
        check_range("cuMemcpyDtoHAsync", 0, device.len(), host.len())?;
        self.check_owner("cuMemcpyDtoHAsync", device)?;
        self.context().bind_to_thread().call("cuCtxSetCurrent")?;
        let len = device.len();
        let (address, _order) = device.device_ptr(self.raw());
        // SAFETY: the copy has as many elements as the buffer. The buffer lives until the stream
        // has done this copy, since its freeing is queued behind the copy. The transfer owns
        // `host`.
        unsafe { result::memcpy_dtoh_async(&mut host[..len], address, self.raw().cu_stream()) }
            .call("cuMemcpyDtoHAsync")?;
        Transfer::begin(self, host)
    }

    /// Copies `host` to new device memory; `host` may change afterwards.
    ///
    /// # Errors
    /// [`GpuError`] if memory is exhausted, or the driver fails.
    pub fn upload<T: DeviceElement>(&self, host: &[T]) -> Result<CudaSlice<T>, GpuError> {
        let mut device = self.allocate::<T>(host.len())?;
        self.upload_into(host, &mut device)?;
        Ok(device)
    }

    /// Copies `host` to the start of `device`; `host` may change afterwards.
    ///
    /// # Errors
    /// [`GpuError`] if the buffer belongs to another stream or the numbers do not fit, if there is
    /// no page-locked memory, or if the driver fails.
    pub fn upload_into<T: DeviceElement>(
        &self,
        host: &[T],
        device: &mut CudaSlice<T>,
    ) -> Result<(), GpuError> {
        check_range("cuMemcpyHtoDAsync", 0, host.len(), device.len())?;
        self.check_owner("cuMemcpyHtoDAsync", device)?;
        if host.is_empty() {
            return Ok(());
        }
        if size_of_val(host) <= SMALL {
            // The driver has read pageable memory when the call returns.
            return self.raw().memcpy_htod(host, device).call("cuMemcpyHtoDAsync");
        }
        let piece = (PIECE / size_of::<T>()).min(host.len());
        let mut under_way: VecDeque<Transfer<T>> = VecDeque::new();
        let mut at = 0;
        while at < host.len() {
            let len = piece.min(host.len() - at);
            let mut pinned = if under_way.len() < DEPTH {
                Pinned::new(self, piece, Direction::Upload)?
            } else {
                match under_way.pop_front() {
                    Some(transfer) => transfer.wait()?,
                    None => Pinned::new(self, piece, Direction::Upload)?,
                }
            };
            if !pinned.resize(len) {
                pinned = Pinned::new(self, len, Direction::Upload)?;
            }
            copy(&host[at..at + len], &mut pinned);
            under_way.push_back(self.start_upload(pinned, device, at)?);
            at += len;
        }
        under_way.into_iter().try_for_each(|transfer| transfer.wait().map(|_| ()))
    }

    /// Waits for earlier queued work and copies all of `device` to the start of `host`.
    ///
    /// # Errors
    /// [`GpuError`] if the buffer belongs to another stream or the numbers do not fit, if there is
    /// no page-locked memory, or if the driver or queued work fails.
    pub fn download<T: DeviceElement>(
        &self,
        device: &CudaView<'_, T>,
        host: &mut [T],
    ) -> Result<(), GpuError> {
        check_range("cuMemcpyDtoHAsync", 0, device.len(), host.len())?;
        self.download_pieces(device, |at, piece| copy(piece, &mut host[at..at + piece.len()]))
    }

    /// Waits for earlier queued work and passes all of `device` to `consume`.
    ///
    /// The numbers arrive in order, in slices, each with the index of its first number. The next
    /// slices are copied meanwhile, so a consumer that transposes or reduces needs no extra pass
    /// over memory.
    ///
    /// # Errors
    /// [`GpuError`] if the buffer belongs to another stream or the numbers do not fit, if there is
    /// no page-locked memory, or if the driver or queued work fails.
    pub fn download_pieces<T: DeviceElement>(
        &self,
        device: &CudaView<'_, T>,
        mut consume: impl FnMut(usize, &[T]),
    ) -> Result<(), GpuError> {
        let total = device.len();
        let piece = (PIECE / size_of::<T>()).min(total);
        let mut under_way: VecDeque<(usize, Transfer<T>)> = VecDeque::new();
        let mut spare: Option<Pinned<T>> = None;
        let mut next = 0;
        loop {
            while under_way.len() < DEPTH && next < total {
                let len = piece.min(total - next);
                let pinned = match spare.take() {
                    Some(pinned) => pinned,
                    None => Pinned::new(self, piece, Direction::Download)?,
                };
                let Some(view) = device.try_slice(next..next + len) else { break };
                under_way.push_back((next, self.start_download(&view, pinned)?));
                next += len;
            }
            let Some((at, transfer)) = under_way.pop_front() else { return Ok(()) };
            let pinned = transfer.wait()?;
            consume(at, &pinned[..piece.min(total - at)]);
            spare = Some(pinned);
        }
    }
}

/// Copies with all cores. New memory costs a page fault every 4 KiB, which one core cannot handle
/// as fast as the bus delivers.
fn copy<T: DeviceElement>(from: &[T], to: &mut [T]) {
    const PART: usize = 1 << 16;
    if from.len() <= PART {
        to.copy_from_slice(from);
    } else {
        to.par_chunks_mut(PART).zip(from.par_chunks(PART)).for_each(|(t, f)| t.copy_from_slice(f));
    }
}

impl Stream {
    /// Checks that the buffer belongs to this stream. A buffer of another stream could be freed or
    /// written during the copy.
    fn check_owner<T>(
        &self,
        call: &'static str,
        buffer: &impl DeviceSlice<T>,
    ) -> Result<(), GpuError> {
        if buffer.stream() == self.raw() {
            return Ok(());
        }
        Err(invalid(call, "the buffer belongs to another stream".to_owned()))
    }
}

/// Checks that `len` elements at `at` fit into `room`; the bindings would panic otherwise.
pub(crate) fn check_range(
    call: &'static str,
    at: usize,
    len: usize,
    room: usize,
) -> Result<(), GpuError> {
    if at.checked_add(len).is_some_and(|end| end <= room) {
        return Ok(());
    }
    Err(invalid(call, format!("{len} elements at offset {at} do not fit into {room} elements")))
}

fn invalid(call: &'static str, text: String) -> GpuError {
    let code = sys::CUresult::CUDA_ERROR_INVALID_VALUE as u32;
    GpuError::Driver { call, code, name: "CUDA_ERROR_INVALID_VALUE".to_owned(), text }
}
