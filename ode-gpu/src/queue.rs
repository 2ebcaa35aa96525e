//! Arrays in device memory, and the operations on them in one stream.
//!
//! A [`DeviceQueue`] is a stream whose buffers nothing else uses. It runs its work in order:
//! copies, kernels over all numbers of an array, and matrix products (`blas`).

use std::sync::{Arc, Mutex};

use cudarc::driver::{CudaSlice, DevicePtr, DeviceRepr, LaunchConfig, PushKernelArg};
use ode_core::kernel::{KernelArguments, KernelConfig, SHARED_BYTES};
use ode_core::lane::Scalar;
use ode_core::problem::inputs::Inputs;
use ode_core::problem::resolved_options::ResolvedOptions;

use crate::batch::{Batch, bytes_of};
use crate::blas::{Blas, Matrices, ProductShape};
use crate::device::{Device, lock};
use crate::error::{DriverCall, GpuError};
use crate::kernel::Kernel;
use crate::memory::{DeviceElement, Stream};
use crate::pinned::Transfer;

/// The threads of a block.
const THREADS: u32 = 256;
/// The largest number of blocks of a launch for each multiprocessor; in larger arrays threads take
/// several numbers.
const BLOCKS: u32 = 32;

/// A queue of work on arrays of one device, in order. Clones are handles to the same queue.
#[derive(Clone, Debug)]
pub struct DeviceQueue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    stream: Stream,
    /// Created at the first product.
    blas: Mutex<Option<Blas>>,
    tf32: bool,
}

/// Numbers in the memory of a queue's device.
#[derive(Debug)]
pub struct DeviceBuffer<T> {
    memory: CudaSlice<T>,
    len: usize,
}

impl<T: DeviceElement> DeviceBuffer<T> {
    /// Returns the number of numbers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the buffer is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the address of the first number, for kernels.
    #[must_use]
    pub fn address(&self) -> u64 {
        // The streams of queues have no events to wait for.
        self.memory.device_ptr(self.memory.stream()).0
    }
}

/// Times and options of a solve in device memory, for kernels with the loop.
///
/// A kernel of an array gets these arguments besides its own.
#[derive(Debug)]
pub struct Clockwork<T> {
    /// The first argument; its results belong to one trajectory.
    pub arguments: KernelArguments<T>,
    /// The second argument.
    pub shared: [u8; SHARED_BYTES],
    _memory: CudaSlice<u8>,
    _uploads: Vec<Transfer<u8>>,
}

impl DeviceQueue {
    /// Creates a queue on a device.
    ///
    /// With `tf32`, products of `f32` may round their factors to 10 bits.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn new(device: &Device, tf32: bool) -> Result<DeviceQueue, GpuError> {
        Ok(DeviceQueue(Arc::new(Inner {
            stream: device.own_stream()?,
            blas: Mutex::new(None),
            tf32,
        })))
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.0.stream.device()
    }

    /// Returns whether both are handles to the same queue.
    #[must_use]
    pub fn is(&self, other: &DeviceQueue) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn stream(&self) -> &Stream {
        &self.0.stream
    }

    /// Allocates uninitialised memory for `len` numbers.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], and [`GpuError::Driver`] if the driver fails.
    pub fn allocate<T: DeviceElement>(&self, len: usize) -> Result<DeviceBuffer<T>, GpuError> {
        Ok(DeviceBuffer { memory: self.stream().allocate(len)?, len })
    }

    /// Allocates memory for `len` zeros.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
    pub fn zeros<T: DeviceElement>(&self, len: usize) -> Result<DeviceBuffer<T>, GpuError> {
        Ok(DeviceBuffer { memory: self.stream().zeros(len)?, len })
    }

    /// Copies numbers of the host to a new buffer.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate), and [`GpuError::OutOfPinnedMemory`].
    pub fn upload<T: DeviceElement>(&self, numbers: &[T]) -> Result<DeviceBuffer<T>, GpuError> {
        Ok(DeviceBuffer { memory: self.stream().upload(numbers)?, len: numbers.len() })
    }

    /// Waits for queued work, and copies the first numbers of a buffer to the host.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or the buffer has fewer numbers.
    pub fn download<T: DeviceElement>(
        &self,
        from: &DeviceBuffer<T>,
        to: &mut [T],
    ) -> Result<(), GpuError> {
        if to.is_empty() {
            return Ok(());
        }
        let view = from.memory.slice(..from.memory.len().min(to.len()));
        if size_of_val(to) > SMALL {
            return self.stream().download(&view, to);
        }
        // The driver has written pageable memory when the call returns.
        self.stream().raw().memcpy_dtoh(&view, to).call("cuMemcpyDtoHAsync")?;
        self.stream().synchronize()
    }

    /// Copies all numbers of a buffer to another one that has at least as many.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn copy<T: DeviceElement>(
        &self,
        from: &DeviceBuffer<T>,
        to: &mut DeviceBuffer<T>,
    ) -> Result<(), GpuError> {
        let len = from.len.min(to.len);
        if len == 0 {
            return Ok(());
        }
        let (from, mut to) = (from.memory.slice(..len), to.memory.slice_mut(..len));
        self.stream().raw().memcpy_dtod(&from, &mut to).call("cuMemcpyDtoDAsync")
    }

    /// Sets all numbers of a buffer to zero.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn clear<T: DeviceElement>(&self, buffer: &mut DeviceBuffer<T>) -> Result<(), GpuError> {
        self.stream().raw().memset_zeros(&mut buffer.memory).call("cuMemsetD8Async")
    }

    /// Queues a kernel with the arguments `work` and `count` for the indices from 0 to `count`.
    ///
    /// # Safety
    /// The kernel takes a value of the layout of `work`, and a `u64`. For these indices it reads
    /// and writes only buffers of this queue, and it writes no number that another thread may read.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub unsafe fn launch<W: Copy>(
        &self,
        kernel: &Kernel,
        work: W,
        count: u64,
    ) -> Result<(), GpuError> {
        if count == 0 {
            return Ok(());
        }
        let most = self.device().multiprocessors().max(1) * BLOCKS;
        let blocks = count.div_ceil(u64::from(THREADS)).min(u64::from(most)) as u32;
        let work = Argument(work);
        let mut launch = self.stream().raw().launch_builder(kernel.function());
        launch.arg(&work).arg(&count);
        // SAFETY: the caller guarantees that the kernel takes these two arguments, accesses only
        // buffers of this queue, and writes no number that another thread may read. The driver
        // copies the arguments before it returns.
        unsafe { launch.launch(blocks_of(blocks, THREADS)) }.call("cuLaunchKernel").map(|_| ())
    }

    /// Queues a kernel with three arguments, `blocks` blocks of `threads` threads.
    ///
    /// With `together` the launch is cooperative: all blocks run at once and may wait for each
    /// other.
    ///
    /// # Safety
    /// The kernel takes values of these layouts. It reads and writes only buffers of this queue, and
    /// writes no number that another kernel or the host may read. Without `together`, no block waits
    /// for another one.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails. With `together`, [`GpuError::NotCooperative`], and
    /// [`GpuError::Driver`] if the device does not hold so many threads.
    pub unsafe fn launch_blocks<A: Copy, B: Copy, C: Copy>(
        &self,
        kernel: &Kernel,
        (a, b, c): (A, B, C),
        blocks: u32,
        threads: u32,
        together: bool,
    ) -> Result<(), GpuError> {
        let device = self.device();
        if together && !device.is_cooperative() {
            return Err(GpuError::NotCooperative { device: device.ordinal() });
        }
        let (config, a, b, c) = (blocks_of(blocks, threads), Argument(a), Argument(b), Argument(c));
        let mut launch = self.stream().raw().launch_builder(kernel.function());
        launch.arg(&a).arg(&b).arg(&c);
        // SAFETY: the caller guarantees that the kernel takes these three arguments, accesses only
        // buffers of this queue, and writes no number that another kernel or the host may read. The
        // driver copies the arguments before it returns.
        let queued = unsafe {
            if together {
                launch.launch_cooperative(config).call("cuLaunchCooperativeKernel")
            } else {
                launch.launch(config).call("cuLaunchKernel")
            }
        };
        queued.map(|_| ())
    }

    /// Uploads the options and times of a solve for a kernel of this configuration.
    ///
    /// # Errors
    /// The errors of [`allocate`](Self::allocate).
    pub fn clockwork<T: Scalar>(
        &self,
        kernel_config: &KernelConfig,
        settings: &ResolvedOptions<T>,
        columns: &Inputs<T>,
    ) -> Result<Clockwork<T>, GpuError> {
        let batch = Batch::new(settings, columns.all());
        let mut memory = self.stream().allocate::<u8>(batch.total())?;
        let (sources, end) = batch.sources();
        let uploads = self.stream().upload_rows(&sources, end, &mut memory)?;
        let base = memory.device_ptr(self.stream().raw()).0;
        let mut shared = [0; SHARED_BYTES];
        let numbers = kernel_config.shared_numbers(columns);
        let bytes = bytes_of(&numbers);
        shared[..bytes.len()].copy_from_slice(bytes);
        Ok(Clockwork {
            arguments: batch.arguments(base),
            shared,
            _memory: memory,
            _uploads: uploads,
        })
    }

    /// Returns how many blocks of `threads` threads of a kernel the device holds at a time.
    ///
    /// Returns 0 if blocks cannot wait for each other.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn blocks_at_once(&self, kernel: &Kernel, threads: u32) -> Result<u32, GpuError> {
        if self.device().is_cooperative() {
            kernel.blocks_at_once(self.device(), threads)
        } else {
            Ok(0)
        }
    }

    /// Queues `out = beta out + alpha a b`.
    ///
    /// # Safety
    /// The matrices are in buffers of this queue, and `out` overlaps neither factor.
    ///
    /// # Errors
    /// [`GpuError::Unavailable`] without cuBLAS, [`GpuError::Blas`] if cuBLAS fails, and
    /// [`GpuError::TooLargeForBlas`].
    pub unsafe fn product<T: Scalar>(
        &self,
        shape: ProductShape,
        alpha: T,
        factors: (Matrices, Matrices),
        beta: T,
        out: Matrices,
    ) -> Result<(), GpuError> {
        // SAFETY: the caller guarantees that the matrices are in buffers of this queue, which are
        // memory of its stream, and that `out` overlaps neither factor. `with_blas` has made the
        // context current.
        self.with_blas(|blas| unsafe { blas.product(shape, alpha, factors, beta, out) })
    }

    /// Calls `work` with the library of products, which the first call loads.
    fn with_blas(&self, work: impl FnOnce(&Blas) -> Result<(), GpuError>) -> Result<(), GpuError> {
        let mut blas = lock(&self.0.blas);
        let blas = match &mut *blas {
            Some(blas) => blas,
            none => none.insert(Blas::new(self.stream(), self.0.tf32)?),
        };
        self.stream().context().bind_to_thread().call("cuCtxSetCurrent")?;
        work(blas)
    }
}

/// The size in bytes up to which copies to the host need no buffer.
const SMALL: usize = 1 << 16;

/// Returns the configuration of a launch.
fn blocks_of(blocks: u32, threads: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes: 0 }
}

/// A wrapper of a kernel argument that is passed by value.
#[repr(transparent)]
struct Argument<W>(W);

// SAFETY: the caller of a launch guarantees that the kernel takes a value of this layout.
unsafe impl<W: Copy> DeviceRepr for Argument<W> {}
