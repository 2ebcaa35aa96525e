//! Events: points in the work of a stream.

use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, DriverError};

use crate::device::Device;
use crate::idle::Purpose;
use crate::memory::Stream;

/// A point in the work of a stream. Later work uses the event again after the drop.
#[derive(Debug)]
pub(crate) struct Event {
    event: Arc<CudaEvent>,
    purpose: Purpose,
    device: Device,
}

impl Event {
    /// Marks the current end of the stream's queue.
    pub(crate) fn record(stream: &Stream, purpose: Purpose) -> Result<Event, DriverError> {
        let device = stream.device().clone();
        let idle = device.idle().take_event(purpose);
        let flags = match purpose {
            Purpose::Timing => CUevent_flags::CU_EVENT_DEFAULT,
            Purpose::End => CUevent_flags::CU_EVENT_DISABLE_TIMING,
        };
        let event = match idle {
            Some(event) => event,
            None => Arc::new(stream.context().new_event(Some(flags))?),
        };
        let event = Event { event, purpose, device };
        event.record(stream.raw())?;
        Ok(event)
    }
}

impl Deref for Event {
    type Target = CudaEvent;

    fn deref(&self) -> &CudaEvent {
        &self.event
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        self.device.idle().keep_event(self.purpose, self.event.clone());
    }
}
