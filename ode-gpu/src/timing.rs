//! Device time: how long queued work took on the device itself.

use std::time::Duration;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, DriverError};

use crate::driver;
use crate::error::{DriverCall, GpuError};
use crate::memory::Stream;

/// Measures the work queued between two points of a stream, without host and launch overhead.
#[derive(Debug)]
pub struct Stopwatch {
    start: CudaEvent,
    stop: CudaEvent,
}

impl Stopwatch {
    /// Starts where the stream's queue ends now.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn start(stream: &Stream) -> Result<Stopwatch, GpuError> {
        let event = || stream.context().new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        let watch = Stopwatch {
            start: event().call("cuEventCreate")?,
            stop: event().call("cuEventCreate")?,
        };
        watch.start.record(stream.raw()).call("cuEventRecord")?;
        Ok(watch)
    }

    /// Stops where the stream's queue ends now. Waits for nothing.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn stop(&self, stream: &Stream) -> Result<(), GpuError> {
        self.stop.record(stream.raw()).call("cuEventRecord")
    }

    /// The time between the two points; waits until the second is reached.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or the watch was not stopped.
    pub fn elapsed(&self) -> Result<Duration, GpuError> {
        self.stop.synchronize().call("cuEventSynchronize")?;
        between(&self.start, &self.stop)
    }

    /// When this one was started and stopped, counted from the start of `origin`, which may be on
    /// another stream of the device; waits until it is stopped.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or a watch was not stopped.
    pub fn since(&self, origin: &Stopwatch) -> Result<(Duration, Duration), GpuError> {
        self.stop.synchronize().call("cuEventSynchronize")?;
        Ok((between(&origin.start, &self.start)?, between(&origin.start, &self.stop)?))
    }
}

/// The time between two points that were reached.
fn between(start: &CudaEvent, stop: &CudaEvent) -> Result<Duration, GpuError> {
    let Some(elapsed_time) = driver::event_elapsed_time() else { return Ok(Duration::ZERO) };
    let mut milliseconds = 0.0f32;
    // SAFETY: both events exist and were recorded; their context is current, since an event was
    // just waited for.
    let code = unsafe { elapsed_time(&mut milliseconds, start.cu_event(), stop.cu_event()) };
    if code != 0 {
        // Not ready or never recorded: the second point was not set.
        let error = DriverError(cudarc::driver::sys::CUresult::CUDA_ERROR_INVALID_HANDLE);
        return Err(GpuError::driver("cuEventElapsedTime", error));
    }
    Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
}
