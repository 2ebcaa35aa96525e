//! Streams and their device memory.
//!
//! A [`Stream`] is a queue of work on one device. Memory belongs to the stream of its allocation:
//! uploads, kernels and downloads run in order. Freeing is queued like other work, so a buffer may
//! be dropped while a kernel still uses it. Because of this rule, the per-buffer events of the
//! bindings are switched off for the streams of a solve. Streams of callers keep these events,
//! since callers may follow other rules.
//!
//! Device memory comes from the driver's stream-ordered pool. By default the pool releases freed
//! memory whenever the stream is synchronised, and a new allocation costs 50 to 900 µs. This crate
//! therefore sets the pool to keep at most a quarter of the device's memory. If an allocation
//! fails, the pool is trimmed before the failure is reported.

use std::sync::Arc;

use cudarc::driver::result::mem_pool;
use cudarc::driver::sys::{CUmemPool_attribute as PoolAttribute, CUresult};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, DeviceRepr, DriverError, ValidAsZeroBits,
};

use crate::device::Device;
use crate::error::{DriverCall, GpuError};
use crate::pool;

mod sealed {
    pub trait Sealed {}
}

/// A number type that host and device can exchange.
///
/// Every pattern of bits is a valid value, so reading uninitialised memory is harmless.
pub trait DeviceElement:
    sealed::Sealed + DeviceRepr + ValidAsZeroBits + Copy + Default + Send + Sync + 'static
{
}

macro_rules! elements {
    ($($t:ty)*) => { $(
        impl sealed::Sealed for $t {}
        impl DeviceElement for $t {}
    )* };
}
elements!(f32 f64 u8 u16 i32 u32 i64 u64);

/// Free and total memory of a device, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Bytes that can be allocated, apart from fragmentation: free memory, freed memory in the
    /// pool, and memory of idle streams.
    pub free: u64,
    /// The total number of bytes.
    pub total: u64,
}

/// A queue of work on one device.
#[derive(Debug, Clone)]
pub struct Stream {
    device: Device,
    stream: Arc<CudaStream>,
}

/// A stream with device memory, which chunks of a solve use one after the other.
pub(crate) struct Slot {
    pub(crate) stream: Stream,
    /// `None` before the first chunk.
    pub(crate) memory: Option<CudaSlice<u8>>,
}

impl Device {
    /// Creates a stream that is independent of all others, unless they use its buffers.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn new_stream(&self) -> Result<Stream, GpuError> {
        let stream = self.context()?.new_stream().call("cuStreamCreate")?;
        Ok(Stream { device: self.clone(), stream })
    }

    /// Creates a stream whose buffers nothing else uses, and which never leave this crate.
    pub(crate) fn own_stream(&self) -> Result<Stream, GpuError> {
        let stream = self.own_context()?.new_stream().call("cuStreamCreate")?;
        Ok(Stream { device: self.clone(), stream })
    }

    /// Returns an idle slot of an earlier solve, or else one with a new stream.
    pub(crate) fn idle_slot(&self) -> Result<Slot, GpuError> {
        let idle = self.idle().take_stream();
        let Some((stream, memory)) = idle else {
            return Ok(Slot { stream: self.own_stream()?, memory: None });
        };
        Ok(Slot { stream: Stream { device: self.clone(), stream }, memory })
    }

    /// Stores a slot without work for later solves.
    pub(crate) fn keep_slot(&self, slot: Slot) {
        self.idle().keep_stream(slot.stream.stream, slot.memory);
    }

    /// Returns the free and the total memory of the device.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn memory_info(&self) -> Result<MemoryInfo, GpuError> {
        let (free, total) = self.own_context()?.mem_get_info().call("cuMemGetInfo")?;
        let kept = pool::of(self.handle()).map_or(0, |pool| {
            let read = |which| pool::attribute(pool, which).unwrap_or(0);
            let reserved = read(PoolAttribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
            reserved.saturating_sub(read(PoolAttribute::CU_MEMPOOL_ATTR_USED_MEM_CURRENT))
        });
        let idle = self.idle().memory() as u64;
        Ok(MemoryInfo { free: free as u64 + kept + idle, total: total as u64 })
    }

    /// Releases the memory of the pool and of idle streams to the system.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or earlier queued work fails.
    pub fn trim_memory(&self) -> Result<(), GpuError> {
        let context = self.own_context()?;
        self.idle().free_memory();
        context.synchronize().call("cuCtxSynchronize")?;
        let Some(pool) = pool::of(self.handle()) else { return Ok(()) };
        // SAFETY: the pool is the device's own, which lives as long as the driver.
        unsafe { mem_pool::trim_to(pool, 0) }.call("cuMemPoolTrimTo")
    }
}

impl Stream {
    /// Wraps a stream that the caller created with the bindings.
    ///
    /// The stream must belong to the primary context of a device.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ode_gpu::Stream;
    /// use ode_gpu::cudarc::driver::CudaContext;
    ///
    /// let own = CudaContext::new(0)?.new_stream()?;
    /// let stream = Stream::of(own.clone())?;
    /// assert_eq!(stream.device().ordinal(), 0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`devices`](fn@crate::devices), and [`GpuError::ForeignContext`] if the stream
    /// belongs to another context.
    pub fn of(stream: Arc<CudaStream>) -> Result<Stream, GpuError> {
        let ordinal = stream.context().ordinal();
        let device = crate::device::device(ordinal)?;
        if device.context()? != *stream.context() {
            return Err(GpuError::ForeignContext { device: ordinal });
        }
        Ok(Stream { device, stream })
    }

    /// Returns the device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the stream of the bindings, for launches.
    pub fn raw(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// Returns the context of the stream's device.
    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        self.stream.context()
    }

    /// Waits until all queued work is done, and returns its errors.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or earlier queued work fails.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        self.stream.synchronize().call("cuStreamSynchronize")?;
        self.context().check_err().call("a deferred call")
    }

    /// Allocates uninitialised memory for `len` numbers.
    ///
    /// If `len` is 0, the allocation has one number, since the driver has no empty allocations.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with the bytes needed and free, or [`GpuError::Driver`].
    pub fn allocate<T: DeviceElement>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        let len = len.max(1);
        let needed = (len as u64).saturating_mul(size_of::<T>() as u64);
        // Beyond any address space; the bindings would multiply without a check.
        if isize::try_from(needed).is_err() {
            return Err(self.out_of_memory(needed));
        }
        // SAFETY: every pattern of bits is a valid `DeviceElement`.
        let first = unsafe { self.stream.alloc::<T>(len) };
        let error = match first {
            Ok(memory) => return Ok(memory),
            Err(error) if !is_out_of_memory(error) => {
                return Err(GpuError::driver("cuMemAllocAsync", error));
            }
            Err(error) => error,
        };
        // Freed memory in the pool may fragment the device memory, so release it and try once more.
        self.device.trim_memory()?;
        // SAFETY: every pattern of bits is a valid `DeviceElement`.
        match unsafe { self.stream.alloc::<T>(len) } {
            Ok(memory) => Ok(memory),
            Err(again) if is_out_of_memory(again) => Err(self.out_of_memory(needed)),
            Err(_) => Err(GpuError::driver("cuMemAllocAsync", error)),
        }
    }

    /// Allocates memory for `len` numbers and sets them to zero.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
    pub fn zeros<T: DeviceElement>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        let mut memory = self.allocate::<T>(len)?;
        self.stream.memset_zeros(&mut memory).call("cuMemsetD8Async")?;
        Ok(memory)
    }

    fn out_of_memory(&self, needed: u64) -> GpuError {
        let free = self.device.memory_info().map_or(0, |info| info.free);
        GpuError::OutOfMemory { device: self.device.ordinal(), needed, free }
    }
}

fn is_out_of_memory(error: DriverError) -> bool {
    error.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY
}
