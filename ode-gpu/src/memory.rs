//! Streams, and device memory on them.
//!
//! A [`Stream`] is a queue of work on one device. Memory belongs to the stream it was allocated
//! on: uploads, kernels and downloads on it happen in order, and freeing is a piece of queued
//! work like any other, so a buffer may be dropped while a kernel still uses it. That is the
//! whole discipline; it is why the bindings' per-buffer events are switched off for the streams of
//! a solve. Streams that callers make keep them, since callers may have other disciplines.
//!
//! Device memory comes from the driver's stream-ordered pool. By default the pool gives freed
//! memory back whenever the stream is waited for, and allocating it anew costs 50 to 900 µs; so
//! the pool is told to keep up to a quarter of the device's memory, and gives that back when an
//! allocation fails, before the failure is reported.

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

/// Numbers that may be exchanged with the device: every pattern of bits is a valid value, so
/// memory that nothing was written to yet can be read without harm.
pub trait Element:
    sealed::Sealed + DeviceRepr + ValidAsZeroBits + Copy + Default + Send + Sync + 'static
{
}

macro_rules! elements {
    ($($t:ty)*) => { $(
        impl sealed::Sealed for $t {}
        impl Element for $t {}
    )* };
}
elements!(f32 f64 u8 u16 i32 u32 i64 u64);

/// Free and total memory of a device, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryInfo {
    /// Bytes that can be allocated, fragmentation aside: free ones, and freed ones that the
    /// pool keeps.
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

impl Device {
    /// A new stream, independent of all others but where they use its buffers.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn new_stream(&self) -> Result<Stream, GpuError> {
        let stream = self.context()?.new_stream().call("cuStreamCreate")?;
        Ok(Stream { device: self.clone(), stream })
    }

    /// A new stream whose buffers are used by nothing else, and never leave this crate.
    pub(crate) fn own_stream(&self) -> Result<Stream, GpuError> {
        let stream = self.own_context()?.new_stream().call("cuStreamCreate")?;
        Ok(Stream { device: self.clone(), stream })
    }

    /// A stream as [`own_stream`](Self::own_stream) makes, of an earlier solve if there is one.
    pub(crate) fn idle_stream(&self) -> Result<Stream, GpuError> {
        let kept = self.streams().pop();
        kept.map_or_else(|| self.own_stream(), |stream| Ok(Stream { device: self.clone(), stream }))
    }

    /// Keeps a stream with nothing queued for later solves.
    pub(crate) fn keep_stream(&self, stream: Stream) {
        self.streams().push(stream.stream);
    }

    /// The free and the total memory of the device, now.
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
        Ok(MemoryInfo { free: free as u64 + kept, total: total as u64 })
    }

    /// Gives the memory that the pool keeps back to the system.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails, or work that was queued before.
    pub fn trim_memory(&self) -> Result<(), GpuError> {
        let context = self.own_context()?;
        context.synchronize().call("cuCtxSynchronize")?;
        let Some(pool) = pool::of(self.handle()) else { return Ok(()) };
        // SAFETY: the pool is the device's own, which lives as long as the driver.
        unsafe { mem_pool::trim_to(pool, 0) }.call("cuMemPoolTrimTo")
    }
}

impl Stream {
    /// A stream that the caller made with the bindings, of the primary context of a device.
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
    /// The errors of [`devices`](fn@crate::devices), and [`GpuError::ForeignContext`] if the stream is of
    /// another context.
    pub fn of(stream: Arc<CudaStream>) -> Result<Stream, GpuError> {
        let ordinal = stream.context().ordinal();
        let device = crate::device::device(ordinal)?;
        if device.context()? != *stream.context() {
            return Err(GpuError::ForeignContext { device: ordinal });
        }
        Ok(Stream { device, stream })
    }

    /// The device of the stream.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The bindings' stream, for launches.
    pub fn raw(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The context of the stream's device.
    pub(crate) fn context(&self) -> &Arc<CudaContext> {
        self.stream.context()
    }

    /// Waits until all queued work is done, and reports what failed in it.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails, or work that was queued before.
    pub fn synchronize(&self) -> Result<(), GpuError> {
        self.stream.synchronize().call("cuStreamSynchronize")?;
        self.context().check_err().call("a deferred call")
    }

    /// Memory for `len` numbers, whose values are whatever was there before. A length of 0
    /// gives room for one, since the driver has no empty allocations.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`] with the bytes needed and free, or [`GpuError::Driver`].
    pub fn allocate<T: Element>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
        let len = len.max(1);
        let needed = (len as u64).saturating_mul(size_of::<T>() as u64);
        // Beyond any address space; the bindings would multiply without a check.
        if isize::try_from(needed).is_err() {
            return Err(self.out_of_memory(needed));
        }
        // SAFETY: every pattern of bits is a valid `Element`.
        let first = unsafe { self.stream.alloc::<T>(len) };
        let error = match first {
            Ok(memory) => return Ok(memory),
            Err(error) if !is_out_of_memory(error) => {
                return Err(GpuError::driver("cuMemAllocAsync", error));
            }
            Err(error) => error,
        };
        // Freed memory that the pool keeps may lie in the way: it goes back, then once more.
        self.device.trim_memory()?;
        // SAFETY: as above.
        match unsafe { self.stream.alloc::<T>(len) } {
            Ok(memory) => Ok(memory),
            Err(again) if is_out_of_memory(again) => Err(self.out_of_memory(needed)),
            Err(_) => Err(GpuError::driver("cuMemAllocAsync", error)),
        }
    }

    /// Memory for `len` zeros.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
    pub fn zeros<T: Element>(&self, len: usize) -> Result<CudaSlice<T>, GpuError> {
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
