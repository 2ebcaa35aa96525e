//! The driver's memory pool of a device.

use cudarc::driver::result::{self, mem_pool};
use cudarc::driver::sys::{self, CUmemPool_attribute as PoolAttribute};

/// The default pool of the device, if it has one.
pub(crate) fn of(device: sys::CUdevice) -> Option<sys::CUmemoryPool> {
    // SAFETY: the handle comes from the driver.
    unsafe { result::device::get_default_mem_pool(device) }.ok()
}

/// Reads an attribute of a pool.
pub(crate) fn attribute(pool: sys::CUmemoryPool, which: PoolAttribute) -> Option<u64> {
    let mut value = 0u64;
    // SAFETY: the pool lives as long as the driver; all attributes that this module reads are of
    // type `cuuint64_t`.
    unsafe { mem_pool::get_attribute(pool, which, (&raw mut value).cast()) }.ok()?;
    Some(value)
}

/// Sets the pool to keep freed memory, at most a quarter of the device's. Has no effect on devices
/// without pools.
pub(crate) fn keep_freed_memory(device: sys::CUdevice, total: u64) {
    if let Some(pool) = of(device) {
        let mut threshold = total / 4;
        // SAFETY: the pool lives as long as the driver; the attribute is a `cuuint64_t`. If the
        // pool keeps its default, allocations are only slower.
        let _ = unsafe {
            mem_pool::set_attribute(
                pool,
                PoolAttribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
                (&raw mut threshold).cast(),
            )
        };
    }
}
