//! Streams, small device memory and events of earlier work, which later work uses again.
//!
//! The driver creates and destroys each of them in up to a microsecond or two, and a solve of a
//! thousand trajectories takes forty.

use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::sys::CUevent_flags;
use cudarc::driver::{CudaEvent, CudaSlice, CudaStream, DriverError};

use crate::device::Device;
use crate::error::GpuError;
use crate::memory::Stream;

/// The size in bytes of the largest device memory that an idle stream keeps.
const SMALL: usize = 4 << 20;

/// The largest number of idle events of a kind.
const EVENTS: usize = 64;

/// The idle resources of a device.
#[derive(Default)]
pub(crate) struct Idle {
    streams: Vec<(Arc<CudaStream>, Option<CudaSlice<u8>>)>,
    /// By purpose.
    events: [Vec<Arc<CudaEvent>>; 2],
}

/// A stream with device memory, which chunks of a solve use one after the other.
pub(crate) struct Slot {
    pub(crate) stream: Stream,
    /// `None` before the first chunk.
    pub(crate) memory: Option<CudaSlice<u8>>,
}

impl Device {
    /// Returns an idle slot of an earlier solve, or else one with a new stream.
    pub(crate) fn idle_slot(&self) -> Result<Slot, GpuError> {
        let idle = self.idle().streams.pop();
        match idle {
            Some((stream, memory)) => Ok(Slot { stream: Stream::owned(self, stream), memory }),
            None => Ok(Slot { stream: self.own_stream()?, memory: None }),
        }
    }

    /// Stores a slot without work for later solves.
    pub(crate) fn keep_slot(&self, slot: Slot) {
        let memory = slot.memory.filter(|memory| memory.len() <= SMALL);
        self.idle().streams.push((slot.stream.raw().clone(), memory));
    }

    /// Returns the bytes of the memory of idle slots.
    pub(crate) fn idle_memory(&self) -> usize {
        let idle = self.idle();
        idle.streams.iter().filter_map(|(_, memory)| memory.as_ref()).map(CudaSlice::len).sum()
    }

    /// Frees the memory of idle slots.
    pub(crate) fn free_idle_memory(&self) {
        self.idle().streams.iter_mut().for_each(|(_, memory)| *memory = None);
    }
}

/// The purpose of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The time between events.
    Timing,
    /// Only the end of work.
    End,
}

/// A point in the work of a stream.
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
        let idle = device.idle().events[purpose as usize].pop();
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
        let mut idle = self.device.idle();
        let events = &mut idle.events[self.purpose as usize];
        if events.len() < EVENTS {
            events.push(self.event.clone());
        }
    }
}
