//! Streams, small device memory and events of earlier work, which later work uses again.
//!
//! Their creation is a part of the time of a small solve, which takes some 45 µs on an H200.

use std::sync::Arc;

use cudarc::driver::{CudaEvent, CudaSlice, CudaStream};

/// The size in bytes of the largest device memory that an idle stream keeps.
const SMALL: usize = 4 << 20;

/// The largest number of idle events of a purpose.
const EVENTS: usize = 64;

/// The idle resources of a device.
#[derive(Default)]
pub(crate) struct Idle {
    streams: Vec<(Arc<CudaStream>, Option<CudaSlice<u8>>)>,
    /// By purpose.
    events: [Vec<Arc<CudaEvent>>; 2],
}

/// The purpose of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The time between events.
    Timing,
    /// Only the end of work.
    End,
}

impl Idle {
    /// Removes a stream with the memory that it keeps.
    pub(crate) fn take_stream(&mut self) -> Option<(Arc<CudaStream>, Option<CudaSlice<u8>>)> {
        self.streams.pop()
    }

    /// Stores a stream without work, and its memory if that is small.
    pub(crate) fn keep_stream(&mut self, stream: Arc<CudaStream>, memory: Option<CudaSlice<u8>>) {
        self.streams.push((stream, memory.filter(|memory| memory.len() <= SMALL)));
    }

    /// Returns the bytes of the memory of idle streams.
    pub(crate) fn memory(&self) -> usize {
        self.streams.iter().filter_map(|(_, memory)| memory.as_ref()).map(CudaSlice::len).sum()
    }

    /// Frees the memory of idle streams.
    pub(crate) fn free_memory(&mut self) {
        self.streams.iter_mut().for_each(|(_, memory)| *memory = None);
    }

    /// Removes an event.
    pub(crate) fn take_event(&mut self, purpose: Purpose) -> Option<Arc<CudaEvent>> {
        self.events[purpose as usize].pop()
    }

    /// Stores an event for later work.
    pub(crate) fn keep_event(&mut self, purpose: Purpose, event: Arc<CudaEvent>) {
        let events = &mut self.events[purpose as usize];
        if events.len() < EVENTS {
            events.push(event);
        }
    }
}
