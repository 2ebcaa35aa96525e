//! The pool that the driver takes a device's memory from.

use cudarc::driver::result::{self, mem_pool};
use cudarc::driver::sys::{self, CUmemPool_attribute as PoolAttribute};

/// The device's own pool, on devices that have one.
pub(crate) fn of(device: sys::CUdevice) -> Option<sys::CUmemoryPool> {
    // SAFETY: the handle comes from the driver.
    unsafe { result::device::get_default_mem_pool(device) }.ok()
}

/// A number that the driver tells of a pool.
pub(crate) fn attribute(pool: sys::CUmemoryPool, which: PoolAttribute) -> Option<u64> {
    let mut value = 0u64;
    // SAFETY: the pool lives as long as the driver; the attributes asked for in this module are
    // all of type `cuuint64_t`.
    unsafe { mem_pool::get_attribute(pool, which, (&raw mut value).cast()) }.ok()?;
    Some(value)
}

/// Tells the pool to keep freed memory, a quarter of the device's at most. On a device without
/// pools nothing changes.
pub(crate) fn keep_freed_memory(device: sys::CUdevice, total: u64) {
    if let Some(pool) = of(device) {
        let mut threshold = total / 4;
        // SAFETY: the pool lives as long as the driver; the attribute is a `cuuint64_t`.
        // A pool that keeps its default is slower, no more.
        let _ = unsafe {
            mem_pool::set_attribute(
                pool,
                PoolAttribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut threshold).cast(),
            )
        };
    }
}
