//! The CUDA devices of the machine.
//!
//! Listing devices starts the driver but creates no context. A context takes 0.2 to 0.6 s, and
//! names and sizes are available without one. The first use of a device creates its context
//! ([`Device::context`]).
//!
//! All work of this crate on a device runs in the device's primary context. There is one per device
//! and process, and other CUDA libraries of the process share it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use cudarc::driver::CudaContext;
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUdevice_attribute};
use ode_core::Shard;

use crate::driver;
use crate::error::{DriverCall, GpuError};
use crate::idle::Idle;
use crate::pool;

/// A handle to a CUDA device. Clones refer to the same device.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    ordinal: usize,
    handle: sys::CUdevice,
    name: String,
    capability: (u32, u32),
    memory: u64,
    multiprocessors: u32,
    threads_per_multiprocessor: u32,
    cooperative: bool,
    limits_kernels: bool,
    /// The context of this crate, without event tracking.
    context: Mutex<Option<Arc<CudaContext>>>,
    /// The same context for callers, with the bindings' event tracking.
    tracked: Mutex<Option<Arc<CudaContext>>>,
    idle: Mutex<Idle>,
}

/// Returns the devices of this machine, in the driver's order.
///
/// The function never panics: without a driver or a device it returns an error. `Ok` contains at
/// least one device. Later calls return the result of the first one.
///
/// # Errors
/// [`GpuError`] if there is no driver or no device. The error names the missing part.
pub fn devices() -> Result<Vec<Device>, GpuError> {
    static DEVICES: OnceLock<Result<Vec<Device>, GpuError>> = OnceLock::new();
    DEVICES.get_or_init(probe).clone()
}

/// Returns the device with this ordinal.
///
/// Ordinals count as in `nvidia-smi` and `CUDA_VISIBLE_DEVICES`.
///
/// # Errors
/// The errors of [`devices`], and [`GpuError::NoSuchDevice`].
pub fn device(ordinal: usize) -> Result<Device, GpuError> {
    let all = devices()?;
    let count = all.len();
    all.into_iter().nth(ordinal).ok_or(GpuError::NoSuchDevice { ordinal, count })
}

/// Returns the ordinal of the device of a process that solves a shard.
///
/// The index of the process on its machine chooses the device, or else its rank. If there are more
/// processes than devices, processes share devices.
///
/// # Errors
/// The errors of [`devices`].
pub fn ordinal_for_shard(shard: &Shard) -> Result<usize, GpuError> {
    let visible = devices()?.len().max(1);
    Ok(shard.local_rank.unwrap_or(shard.rank) % visible)
}

fn probe() -> Result<Vec<Device>, GpuError> {
    driver::init()?;
    let count = result::device::get_count().call("cuDeviceGetCount")?;
    let devices: Vec<Device> = (0..count).map(Device::probe).collect::<Result<_, _>>()?;
    if devices.is_empty() {
        return Err(GpuError::NoDevice { driver: driver::cuda_version().unwrap_or((0, 0)) });
    }
    Ok(devices)
}

impl Device {
    fn probe(ordinal: i32) -> Result<Device, GpuError> {
        let handle = result::device::get(ordinal).call("cuDeviceGet")?;
        let attribute = |which| {
            // SAFETY: the driver returned this handle just above.
            let value = unsafe { result::device::get_attribute(handle, which) };
            value.call("cuDeviceGetAttribute").map(|v| u32::try_from(v).unwrap_or(0))
        };
        use CUdevice_attribute as A;
        Ok(Device(Arc::new(Inner {
            ordinal: usize::try_from(ordinal).unwrap_or(0),
            handle,
            name: result::device::get_name(handle).call("cuDeviceGetName")?,
            capability: (
                attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            // SAFETY: the driver returned this handle just above.
            memory: unsafe { result::device::total_mem(handle) }.call("cuDeviceTotalMem")? as u64,
            multiprocessors: attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_multiprocessor: attribute(
                A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
            )?,
            cooperative: attribute(A::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? > 0,
            limits_kernels: attribute(A::CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT)? > 0,
            context: Mutex::new(None),
            tracked: Mutex::new(None),
            idle: Mutex::new(Idle::default()),
        })))
    }

    /// Returns the ordinal of the device in the driver's order.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// Returns the name of the device, for example `NVIDIA H200`.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the compute capability of the device, major and minor.
    pub fn compute_capability(&self) -> (u32, u32) {
        self.0.capability
    }

    /// Returns the memory of the device, in bytes.
    pub fn total_memory(&self) -> u64 {
        self.0.memory
    }

    /// Returns the number of multiprocessors.
    pub fn multiprocessors(&self) -> u32 {
        self.0.multiprocessors
    }

    /// Returns the maximal number of resident threads per multiprocessor.
    pub fn threads_per_multiprocessor(&self) -> u32 {
        self.0.threads_per_multiprocessor
    }

    /// Returns whether the device supports cooperative launches.
    ///
    /// All blocks of such a launch run at once, so they may wait for each other.
    pub(crate) fn is_cooperative(&self) -> bool {
        self.0.cooperative
    }

    /// Returns whether the driver ends kernels that take some seconds.
    ///
    /// This is the watchdog of a device with a display.
    pub(crate) fn limits_kernels(&self) -> bool {
        self.0.limits_kernels
    }

    /// Returns the device's primary context, created by the first call.
    ///
    /// If several streams use one buffer, the bindings order their work (the default).
    ///
    /// # Errors
    /// [`GpuError::Driver`] if the driver cannot create the context.
    pub fn context(&self) -> Result<Arc<CudaContext>, GpuError> {
        self.own_context()?;
        let mut slot = lock(&self.0.tracked);
        if let Some(context) = &*slot {
            return Ok(context.clone());
        }
        let context = self.retain()?;
        *slot = Some(context.clone());
        Ok(context)
    }

    /// Creates a handle to the primary context, with its own flags.
    fn retain(&self) -> Result<Arc<CudaContext>, GpuError> {
        CudaContext::new(self.0.ordinal).call("cuDevicePrimaryCtxRetain")
    }

    /// Returns the handle of this crate to the primary context.
    ///
    /// The handle has no event tracking. Memory that it allocates never reaches callers.
    pub(crate) fn own_context(&self) -> Result<Arc<CudaContext>, GpuError> {
        let mut slot = lock(&self.0.context);
        if let Some(context) = &*slot {
            return Ok(context.clone());
        }
        let context = self.retain()?;
        // SAFETY: without tracking, the bindings do not order two streams that use one buffer. A
        // solve uses each buffer only on the stream of its allocation (see `memory`). Streams and
        // buffers of this handle stay in the crate, and callers use the handle `tracked`. This
        // handle has allocated nothing yet.
        unsafe { context.disable_event_tracking() };
        pool::keep_freed_memory(self.0.handle, self.0.memory);
        *slot = Some(context.clone());
        Ok(context)
    }

    /// Returns whether the context exists or is being created.
    pub(crate) fn has_context(&self) -> bool {
        // If the lock is held, another thread is creating the context.
        self.0.context.try_lock().map_or(true, |slot| slot.is_some())
    }

    /// Starts to create the context on a separate thread, and returns at once.
    ///
    /// The driver takes about half a second. Meanwhile, the caller can prepare its problem. The
    /// first use of the context waits until the context exists. If the creation fails, the first
    /// use returns the error.
    pub fn warm_up(&self) -> WarmUp {
        if self.has_context() {
            return WarmUp(None);
        }
        let device = self.clone();
        // If the thread cannot be started, the first use creates the context.
        let thread = std::thread::Builder::new()
            .name("odes-cuda-context".to_owned())
            .spawn(move || drop(device.own_context()));
        WarmUp(thread.ok())
    }

    /// Returns the resources that earlier work left.
    pub(crate) fn idle(&self) -> MutexGuard<'_, Idle> {
        lock(&self.0.idle)
    }

    /// Returns the device in short form: `cuda:0 NVIDIA H200`.
    pub(crate) fn short(&self) -> String {
        format!("cuda:{} {}", self.0.ordinal, self.0.name)
    }

    /// Returns the driver's handle.
    pub(crate) fn handle(&self) -> sys::CUdevice {
        self.0.handle
    }
}

/// A context that is being created.
///
/// Dropping the handle waits for the end of the creation, because a program must not return from
/// `main` while the driver works on another thread.
#[derive(Debug)]
#[must_use = "dropping it waits for the context"]
pub struct WarmUp(Option<JoinHandle<()>>);

impl Drop for WarmUp {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            // The first use of the context returns the error.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device")
            .field("ordinal", &self.0.ordinal)
            .field("name", &self.0.name)
            .field("compute_capability", &self.0.capability)
            .field("total_memory", &self.0.memory)
            .field("multiprocessors", &self.0.multiprocessors)
            .finish_non_exhaustive()
    }
}

/// One line for the user: `cuda:0 NVIDIA H200 (sm_90, 132 multiprocessors, 139.8 GiB)`.
impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { ordinal, name, capability: (major, minor), multiprocessors, memory, .. } =
            &*self.0;
        let memory = crate::error::bytes(*memory);
        write!(
            f,
            "cuda:{ordinal} {name} (sm_{major}{minor}, {multiprocessors} multiprocessors, {memory})"
        )
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.0.ordinal == other.0.ordinal
    }
}

impl Eq for Device {}

/// Locks a mutex, even if a thread panicked while it held the lock.
///
/// In this crate such a thread leaves no inconsistent state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All calls return the same devices or, without a GPU, the same error.
    #[test]
    fn the_outcome_of_the_probe_is_kept() {
        match (devices(), devices()) {
            (Ok(a), Ok(b)) => assert!(!a.is_empty() && a == b),
            (Err(a), Err(b)) => {
                assert_eq!(a.to_string(), b.to_string());
                assert!(is_of_the_probe(&a), "{a}");
            }
            _ => panic!("two outcomes of one probe"),
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_an_error() {
        match (devices(), device(1_000_000).unwrap_err()) {
            (Ok(all), GpuError::NoSuchDevice { ordinal, count }) => {
                assert_eq!((ordinal, count), (1_000_000, all.len()));
            }
            (Err(probe), error) => assert_eq!(error.to_string(), probe.to_string()),
            (Ok(_), error) => panic!("{error}"),
        }
    }

    /// Returns whether the probe can fail with this error.
    ///
    /// The possible errors are a missing driver, a missing device, and a failed start.
    fn is_of_the_probe(error: &GpuError) -> bool {
        match error {
            GpuError::Unavailable { missing, searched, .. } => {
                *missing == "the CUDA driver" && !searched.is_empty()
            }
            GpuError::Driver { call, code, .. } => *call == "cuInit" && *code != 0,
            error => matches!(error, GpuError::NoDevice { .. }),
        }
    }
}
