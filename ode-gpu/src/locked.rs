//! Memory of the process that devices read and write directly.
//!
//! A device page-locks memory of inputs and results when a solve uses it a second time, and then
//! copies rows directly. Other rows go through blocks that are page-locked already, and threads copy
//! to or from there (`rows.rs`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use cudarc::driver::CudaContext;
use cudarc::driver::sys;
use ode_core::memory::{Locked, PageLock};

use crate::device::{Device, lock};
use crate::error::DriverCall;

/// The page-locked ranges: the end of each, by its beginning.
static RANGES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// Whether one range of the memory that is page-locked for all devices contains `memory`.
pub(crate) fn is_locked(memory: &[u8]) -> bool {
    let begin = memory.as_ptr().addr();
    let ranges = lock(&RANGES);
    let range = ranges.range(..=begin).next_back();
    range.is_some_and(|(_, end)| begin + memory.len() <= *end)
}

/// A range that is page-locked until it is dropped.
struct Range {
    begin: *mut u8,
    context: Arc<CudaContext>,
}

// SAFETY: the pointer is never dereferenced; it identifies the range.
unsafe impl Send for Range {}
// SAFETY: no function takes a shared reference to a range. The pointer is never dereferenced.
unsafe impl Sync for Range {}

impl PageLock for Device {
    /// Page-locks memory for all devices.
    ///
    /// Returns `None` if there is no context, or if the system locks no more. Copies then go through
    /// memory that is locked already.
    fn page_lock(&self, memory: &mut [u8]) -> Option<Locked> {
        let context = self.own_context().ok()?;
        context.bind_to_thread().ok()?;
        let begin = memory.as_mut_ptr();
        // SAFETY: the memory is borrowed exclusively. The caller stores the result with the memory,
        // and drops it (which unlocks the range) before the memory is freed (`ode_core::memory`).
        let locked = unsafe {
            sys::cuMemHostRegister_v2(begin.cast(), memory.len(), sys::CU_MEMHOSTREGISTER_PORTABLE)
        };
        locked.result().call("cuMemHostRegister").ok()?;
        lock(&RANGES).insert(begin.addr(), begin.addr() + memory.len());
        Some(Box::new(Range { begin, context }))
    }
}

impl Drop for Range {
    fn drop(&mut self) {
        lock(&RANGES).remove(&self.begin.addr());
        self.context.record_err(self.context.bind_to_thread());
        // SAFETY: registered by `page_lock`, and unlocked once. The memory still exists, and no
        // copy is in progress, since leases return only after their copies have ended.
        let unlocked = unsafe { sys::cuMemHostUnregister(self.begin.cast()) };
        self.context.record_err(unlocked.result());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_by_what_lies_in_them() {
        let memory = vec![0u8; 1000];
        let begin = memory.as_ptr().addr();
        lock(&RANGES).insert(begin + 100, begin + 200);
        let found =
            [(100, 200), (100, 101), (199, 200), (99, 101), (199, 201), (0, 10), (200, 201)]
                .map(|(from, to)| is_locked(&memory[from..to]));
        lock(&RANGES).remove(&(begin + 100));
        assert_eq!(found, [true, true, true, false, false, false, false]);
        assert!(!is_locked(&memory[100..200]));
    }
}
