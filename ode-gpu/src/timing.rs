//! Device time: the duration of queued work on the device itself.

use std::sync::OnceLock;
use std::time::Duration;

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaEvent, DriverError};

use crate::driver;
use crate::error::{DriverCall, GpuError};
use crate::event::Event;
use crate::idle::Purpose;
use crate::memory::Stream;

/// A stopwatch for queued work, without host and launch overhead.
///
/// It measures the device time between two points of a stream.
#[derive(Debug)]
pub struct Stopwatch {
    start: Event,
    stop: OnceLock<Event>,
}

impl Stopwatch {
    /// Starts at the current end of the stream's queue.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn start(stream: &Stream) -> Result<Stopwatch, GpuError> {
        let start = Event::record(stream, Purpose::Timing).call("cuEventRecord")?;
        Ok(Stopwatch { start, stop: OnceLock::new() })
    }

    /// Stops at the current end of the stream's queue, without blocking.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver fails.
    pub fn stop(&self, stream: &Stream) -> Result<(), GpuError> {
        if let Some(stop) = self.stop.get() {
            return stop.record(stream.raw()).call("cuEventRecord");
        }
        let stop = Event::record(stream, Purpose::Timing).call("cuEventRecord")?;
        // If another thread has stopped it just now, that is the stop.
        let _ = self.stop.set(stop);
        Ok(())
    }

    /// Returns the time between the two points; waits until the second is reached.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or the stopwatch was not stopped.
    pub fn elapsed(&self) -> Result<Duration, GpuError> {
        between(&self.start, self.stopped()?)
    }

    /// Returns the start and stop times, counted from the start of `origin`.
    ///
    /// `origin` may be on another stream of the device. The function waits until this stopwatch is
    /// stopped.
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver or queued work fails, or a stopwatch was not stopped.
    pub fn since(&self, origin: &Stopwatch) -> Result<(Duration, Duration), GpuError> {
        let stop = self.stopped()?;
        Ok((between(&origin.start, &self.start)?, between(&origin.start, stop)?))
    }

    /// Returns the second point; waits until it is reached.
    fn stopped(&self) -> Result<&Event, GpuError> {
        let never = DriverError(CUresult::CUDA_ERROR_INVALID_HANDLE);
        let stop = self.stop.get().ok_or_else(|| GpuError::driver("cuEventSynchronize", never))?;
        stop.synchronize().call("cuEventSynchronize")?;
        Ok(stop)
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
        // The origin was never reached.
        let error = DriverError(CUresult::CUDA_ERROR_INVALID_HANDLE);
        return Err(GpuError::driver("cuEventElapsedTime", error));
    }
    Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
}
