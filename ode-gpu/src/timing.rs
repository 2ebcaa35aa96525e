//! Device time: the duration of queued work on the device itself.

use std::time::Duration;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, DriverError};

use crate::driver;
use crate::error::{DriverCall, GpuError};
use crate::memory::Stream;

/// A stopwatch for queued work, without host and launch overhead.
///
/// It measures the device time between two points of a stream.
#[derive(Debug)]
pub struct Stopwatch {
    start: CudaEvent,
    stop: CudaEvent,
}

impl Stopwatch {
    /// Starts at the current end of the stream's queue.
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

    /// Stops at the current end of the stream's queue, without blocking.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn stop(&self, stream: &Stream) -> Result<(), GpuError> {
        self.stop.record(stream.raw()).call("cuEventRecord")
    }

    /// Returns the time between the two points; waits until the second is reached.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or the stopwatch was not stopped.
    pub fn elapsed(&self) -> Result<Duration, GpuError> {
        self.stop.synchronize().call("cuEventSynchronize")?;
        between(&self.start, &self.stop)
    }

    /// Returns the start and stop times, counted from the start of `origin`.
    ///
    /// `origin` may be on another stream of the device. The function waits until this stopwatch is
    /// stopped.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or a stopwatch was not stopped.
    pub fn since(&self, origin: &Stopwatch) -> Result<(Duration, Duration), GpuError> {
        self.stop.synchronize().call("cuEventSynchronize")?;
        Ok((between(&origin.start, &self.start)?, between(&origin.start, &self.stop)?))
    }
}

/// The time between two points that were reached.
fn between(start: &CudaEvent, stop: &CudaEvent) -> Result<Duration, GpuError> {
    let Some(elapsed_time) = driver::event_elapsed_time() else { return Ok(Duration::ZERO) };
    let mut milliseconds = 0.0f32;
    // SAFETY: both events exist and were recorded. Their context is current, since the caller has
    // just waited for an event.
    let code = unsafe { elapsed_time(&mut milliseconds, start.cu_event(), stop.cu_event()) };
    if code != 0 {
        // Not ready or never recorded: the second point was not set.
        let error = DriverError(cudarc::driver::sys::CUresult::CUDA_ERROR_INVALID_HANDLE);
        return Err(GpuError::driver("cuEventElapsedTime", error));
    }
    Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
}
