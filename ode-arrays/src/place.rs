//! Backends for arrays.

use crate::array::Array;
use crate::device::Place;
use crate::error::ArrayError;
use crate::number::Number;
use ode_core::{Memory, Shard, SolveError};
use ode_gpu::{Device, GpuError, ordinal_for_shard};
use rayon::ThreadPoolBuilder;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ArrayCpu {}
    impl Sealed for super::ArrayGpu {}
    impl<P: Sealed> Sealed for &P {}
}

/// A backend for an [`ArrayProblem`](crate::ArrayProblem).
pub trait ArrayPlace: sealed::Sealed {
    /// Copies an array to the backend's memory.
    #[doc(hidden)]
    fn bring<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError>;

    /// Runs `work` on the threads of the backend.
    #[doc(hidden)]
    fn with_threads(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), ArrayError>;
}

impl<P: ArrayPlace> ArrayPlace for &P {
    fn bring<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError> {
        (**self).bring(array)
    }

    fn with_threads(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), ArrayError> {
        (**self).with_threads(work)
    }
}

/// A backend on the CPU threads of this machine.
///
/// By default it uses rayon's current pool. Results have the same bits for any number of threads.
///
/// ```
/// use ode_arrays::ArrayCpu;
///
/// let all = ArrayCpu::new();
/// let one = ArrayCpu::new().threads(1);
/// assert_ne!(all, one);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayCpu {
    threads: Option<usize>,
}

impl ArrayCpu {
    /// Returns a backend on rayon's current pool.
    #[must_use]
    pub const fn new() -> Self {
        ArrayCpu { threads: None }
    }

    /// Sets the number of threads.
    ///
    /// With 0, the default, it is the number of threads of rayon's current pool. A solve fails with
    /// [`SolveError::TooManyThreads`] if the number exceeds both 1024 and the number of cores.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        ArrayCpu { threads: (threads > 0).then_some(threads) }
    }
}

impl ArrayPlace for ArrayCpu {
    fn bring<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError> {
        array.on_host()
    }

    fn with_threads(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), ArrayError> {
        let Some(threads) = self.threads else {
            work();
            return Ok(());
        };
        SolveError::check_threads(threads)?;
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        // If a thread cannot be created, memory for its stack is missing.
        let out_of_memory = |_| SolveError::OutOfMemory { bytes: 2 << 20, memory: Memory::Host };
        pool.map_err(out_of_memory)?.install(work);
        Ok(())
    }
}

/// A backend on an NVIDIA GPU, with all arrays in device memory.
///
/// The device executes all operations. The host decides on the steps, and waits for the error of
/// each step. Some [linear](crate::Linear) systems are instead solved by a single kernel. This
/// requires a vector as the state, an explicit method, a matrix that fits into the device's
/// registers, and no saved ends of steps.
///
/// A step launches many kernels, so small systems are faster on the CPU. By `Rodas5P`, 100 equations
/// took 5 times as long on an H200 as on its host, and 300 equations a third of the host's time.
///
/// Operations on numbers are kernels, which NVRTC compiles at their first use. They are stored in
/// memory and on disk (`ODES_CACHE_DIR`), and have the bits of the host. Products of matrices use
/// cuBLAS, which is loaded at the first product (`ODES_CUBLAS` sets its path). The last digits of
/// products depend on the version of cuBLAS and on the device. On one device with one version they
/// are the same each time, according to NVIDIA.
///
/// ```
/// use ode_arrays::{Array, ArrayError, ArrayGpu, Linear};
/// use ode_core::{SolveOptions, methods::Tsit5};
///
/// # fn main() -> Result<(), ArrayError> {
/// let a = Array::matrix(2, 2, |row, column| if row == column { -1.0 } else { 0.5 });
/// let problem = Linear::problem(a, Array::vector([1.0, 1.0]), 0.0..=2.0)?;
/// match ArrayGpu::device(0) {
///     Ok(gpu) => println!("{:?}", problem.solve(Tsit5, gpu, &SolveOptions::default())?.counts()),
///     Err(error) => println!("solving on the CPU: {error}"),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ArrayGpu {
    device: Device,
    place: Place,
}

impl ArrayGpu {
    /// Uses the GPU `ordinal`, counted from 0.
    ///
    /// The order is the one of [`EnsembleGpuKernel::device`](ode_gpu::EnsembleGpuKernel::device).
    ///
    /// # Errors
    /// [`GpuError`] if there is no driver, no device, or no compiler for the device. The error
    /// names the missing part and the searched folders. [`GpuError::NoSuchDevice`] if no device has
    /// this ordinal.
    pub fn device(ordinal: usize) -> Result<Self, GpuError> {
        let device = ode_gpu::device(ordinal)?;
        // A missing compiler is an error here, not in the middle of a solve.
        device.arch()?;
        let place = Place::new(&device, false)?;
        Ok(ArrayGpu { device, place })
    }

    /// Uses the GPU of one of several processes.
    ///
    /// Each process solves problems of its own. The device is chosen by the index of the process on
    /// its machine, or else by its rank. If there are more processes than devices, processes share
    /// devices.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use ode_arrays::ArrayGpu;
    /// use ode_core::Shard;
    ///
    /// let shard = Shard::from_launcher()?;
    /// let gpu = ArrayGpu::for_shard(&shard)?;
    /// eprintln!("{shard} on {}", gpu.devices()[0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// The errors of [`device`](Self::device).
    pub fn for_shard(shard: &Shard) -> Result<Self, GpuError> {
        Self::device(ordinal_for_shard(shard)?)
    }

    /// Lets products of `f32` round their factors to 10 bits (TF32).
    ///
    /// This is faster for large matrices. By default factors are not rounded.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn allow_tf32(self) -> Result<Self, GpuError> {
        let place = Place::new(&self.device, true)?;
        Ok(ArrayGpu { place, ..self })
    }

    /// Copies an array to device memory.
    ///
    /// A problem with the copy as its initial state or parameter does not copy it again at each
    /// solve.
    ///
    /// # Errors
    /// [`ArrayError::OutOfMemory`], and errors of the device.
    pub fn array<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError> {
        array.on_device(&self.place)
    }

    /// Returns the device, as a slice of one.
    #[must_use]
    pub fn devices(&self) -> &[Device] {
        std::slice::from_ref(&self.device)
    }
}

impl ArrayPlace for ArrayGpu {
    fn bring<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError> {
        array.on_device(&self.place)
    }

    fn with_threads(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), ArrayError> {
        work();
        Ok(())
    }
}
