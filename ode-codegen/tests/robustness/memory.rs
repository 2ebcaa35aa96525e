//! How much memory is in use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The system's allocator, which counts.
struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let used = USED.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(used, Ordering::Relaxed);
        // Beyond any hope: the machine would be lost before the expansion ends.
        if used > 8 * crate::MEMORY {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller guarantees that the size of `layout` is not 0.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller guarantees that this allocator returned `pointer` for `layout`, and all
        // its memory comes from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Begins to watch.
pub(crate) fn start() {
    PEAK.store(USED.load(Ordering::Relaxed), Ordering::Relaxed);
}

/// The most that was in use since.
pub(crate) fn peak() -> usize {
    PEAK.load(Ordering::Relaxed)
}
