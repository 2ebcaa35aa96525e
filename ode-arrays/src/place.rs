//! Where arrays are solved.

use crate::array::Array;
use crate::error::ArrayError;
use crate::number::Number;
use ode_core::{Memory, SolveError};
use rayon::ThreadPoolBuilder;

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ArrayCpu {}
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
    /// Sets the number of threads. With 0 it is that of rayon's current pool, as by default.
    #[must_use]
    pub fn threads(self, threads: usize) -> Self {
        ArrayCpu { threads: (threads > 0).then_some(threads) }
    }
}

impl ArrayPlace for ArrayCpu {
    fn bring<T: Number>(&self, array: &Array<T>) -> Result<Array<T>, ArrayError> {
        let mut copy = array.like(array.shape())?;
        copy.copy(array)?;
        Ok(copy)
    }

    fn with_threads(&self, work: &mut (dyn FnMut() + Send)) -> Result<(), ArrayError> {
        let Some(threads) = self.threads else {
            work();
            return Ok(());
        };
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        // A thread that is not made lacks memory for its stack.
        let out_of_memory = |_| SolveError::OutOfMemory { bytes: 2 << 20, memory: Memory::Host };
        pool.map_err(out_of_memory)?.install(work);
        Ok(())
    }
}
