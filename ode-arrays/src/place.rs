//! Where arrays are solved.

use crate::array::Array;
use crate::device::Place;
use crate::error::ArrayError;
use crate::number::Number;
use ode_core::{Memory, SolveError};
use ode_gpu::{Device, GpuError};
use rayon::ThreadPoolBuilder;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ArrayCpu {}
    impl Sealed for super::ArrayGpu {}
    impl<P: Sealed> Sealed for &P {}
}

/// A place where an [`ArrayProblem`](crate::ArrayProblem) is solved.
pub trait ArrayPlace: sealed::Sealed {
    /// An array of the host's, copied to the memory of the place.
    #[doc(hidden)]
    fn bring<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError>;

    /// Does some work with the threads of the place.
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

/// The threads of this machine's CPU: those of rayon's current pool, unless a number is set. Results
/// have the same bits for any number.
///
/// ```
/// use ode_arrays::ArrayCpu;
///
/// let all = ArrayCpu::default();
/// let one = ArrayCpu::default().threads(1);
/// assert_ne!(all, one);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArrayCpu {
    threads: Option<usize>,
}

impl ArrayCpu {
    /// Sets the number of threads. With 0 it is that of rayon's current pool, as by default. More than
    /// 1024, or than there are cores, are [`SolveError::TooManyThreads`] at a solve.
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
        // A thread that is not made lacks memory for its stack.
        let out_of_memory = |_| SolveError::OutOfMemory { bytes: 2 << 20, memory: Memory::Host };
        pool.map_err(out_of_memory)?.install(work);
        Ok(())
    }
}

/// An NVIDIA GPU. All arrays of a problem are in its memory, and all operations are done there.
///
/// The steps are decided by the host, which waits for the error of each step. A [linear](crate::Linear) system
/// whose state is a vector is solved by one kernel instead, by explicit methods, if the device's registers
/// hold its matrix, and ends of steps are not saved. Operations on numbers are kernels, which NVRTC compiles when they are first needed, and which are kept in memory and on disk
/// (`ODES_CACHE_DIR`); they have the bits of the host. Products of matrices are those of cuBLAS, which is
/// loaded when the first product is made (`ODES_CUBLAS` names its file). Their last digits depend on its
/// version and on the device; on one device, with one version, they are the same each time, as NVIDIA
/// says.
///
/// ```
/// use ode_arrays::{Array, ArrayError, ArrayGpu, Linear};
/// use ode_core::{SolveOptions, methods::Tsit5};
///
/// # fn main() -> Result<(), ArrayError> {
/// let a = Array::matrix(2, 2, |row, column| if row == column { -1.0 } else { 0.5 });
/// let problem = Linear::problem(a, Array::vector([1.0, 1.0]), 0.0..=2.0)?;
/// match ArrayGpu::new() {
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
    /// The first GPU that the process sees.
    ///
    /// # Errors
    /// [`GpuError`] if there is no driver, no device, or no compiler for the device; the error says which,
    /// and where was searched.
    pub fn new() -> Result<Self, GpuError> {
        Self::device(0)
    }

    /// The GPU of number `ordinal`, from 0.
    ///
    /// # Errors
    /// The errors of [`new`](Self::new), and [`GpuError::NoSuchDevice`].
    pub fn device(ordinal: usize) -> Result<Self, GpuError> {
        let device = ode_gpu::device(ordinal)?;
        // A missing compiler is an error here and not in the middle of a solve.
        device.arch()?;
        let place = Place::new(&device, false)?;
        Ok(ArrayGpu { device, place })
    }

    /// Lets products of `f32` round the numbers that they multiply to 10 bits (TF32), which is faster for
    /// large matrices. Without this they are not rounded.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn allow_tf32(self) -> Result<Self, GpuError> {
        let place = Place::new(&self.device, true)?;
        Ok(ArrayGpu { place, ..self })
    }

    /// An array in the memory of the device. A problem that has it as its initial state or as a parameter
    /// does not copy it again for each solve there.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`], and what fails on the device.
    pub fn array<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError> {
        array.on_device(&self.place)
    }

    /// The device.
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
