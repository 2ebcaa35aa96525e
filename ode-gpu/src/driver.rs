//! The driver's library, probed before the bindings use it.
//!
//! The bindings look functions up at their first call, and panic if the library or a function is
//! missing. This crate therefore calls them only after [`init`] returned `Ok`. [`init`] opens the
//! library itself, checks that it has every function this crate uses, and starts the driver. The
//! outcome is stored, because a driver does not appear while a process runs.

use std::ffi::c_int;
use std::path::Path;
use std::sync::OnceLock;

use cudarc::driver::result;
use cudarc::driver::sys::CUresult;
use libloading::Library;

use crate::error::GpuError;
use crate::library;

/// The name of the library, which the bindings use too.
const NAME: &str = if cfg!(windows) { "nvcuda.dll" } else { "libcuda.so.1" };

/// Folders of the driver that the loaders of some systems do not search: WSL, NixOS, containers.
/// After a library was opened by path, opening it by name succeeds.
const FOLDERS: &[&str] = if cfg!(windows) {
    &[]
} else {
    &[
        "/usr/lib/wsl/lib",
        "/run/opengl-driver/lib",
        "/usr/local/nvidia/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
    ]
};

/// Every driver function that this crate calls through the bindings. All are in CUDA 11.2 and newer
/// drivers.
const FUNCTIONS: &[&str] = &[
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetDefaultMemPool",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRelease_v2",
    "cuDevicePrimaryCtxRetain",
    "cuDeviceTotalMem_v2",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventElapsedTime",
    "cuEventQuery",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncGetAttribute",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuInit",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuMemAllocAsync",
    "cuMemAlloc_v2",
    "cuMemFreeAsync",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolGetAttribute",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuModuleUnload",
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
    "cuStreamCreate",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// The driver's library, open until the process ends.
fn library() -> Result<&'static Library, GpuError> {
    static LIBRARY: OnceLock<Result<Library, GpuError>> = OnceLock::new();
    LIBRARY.get_or_init(find).as_ref().map_err(Clone::clone)
}

fn find() -> Result<Library, GpuError> {
    let mut found = library::open(NAME);
    for folder in FOLDERS {
        if found.is_ok() {
            break;
        }
        let path = Path::new(folder).join(NAME);
        if path.exists() {
            // Only useful if the name alone works from now on: the bindings use only the name.
            found = library::open(path).and_then(|_by_path| library::open(NAME));
        }
    }
    let library =
        found.map_err(|message| unavailable(format!("the loader reports {message:?}")))?;
    for name in FUNCTIONS {
        // SAFETY: the symbol is only looked up, neither read nor called.
        if unsafe { library.get::<*const ()>(*name) }.is_err() {
            return Err(unavailable(format!("the driver is too old: it lacks {name}")));
        }
    }
    Ok(library)
}

fn unavailable(reason: String) -> GpuError {
    let mut searched = vec!["the loader's default folders and LD_LIBRARY_PATH".to_owned()];
    searched.extend(FOLDERS.iter().map(|f| (*f).to_owned()));
    GpuError::Unavailable {
        missing: "the CUDA driver",
        looked_for: NAME.to_owned(),
        searched,
        reason,
        advice: "install NVIDIA's driver for the GPU of this machine, or solve on the CPU with \
                 EnsembleThreads"
            .to_owned(),
    }
}

/// Returns the CUDA version that the driver supports, if there is a driver, without starting it.
pub fn cuda_version() -> Option<(u32, u32)> {
    let library = library().ok()?;
    let mut version: c_int = 0;
    // SAFETY: the type is that of `cuda.h`; the driver allows this call before `cuInit`.
    let code = unsafe {
        library
            .get::<unsafe extern "C" fn(*mut c_int) -> c_int>("cuDriverGetVersion")
            .ok()
            .map(|get| get(&mut version))
    };
    let version = u32::try_from(version).ok().filter(|_| code == Some(0))?;
    Some((version / 1000, version % 1000 / 10))
}

/// Finds and starts the driver. The bindings may be used only after this returned `Ok`.
pub(crate) fn init() -> Result<(), GpuError> {
    static STARTED: OnceLock<Result<(), GpuError>> = OnceLock::new();
    STARTED
        .get_or_init(|| {
            library()?;
            result::init().map_err(|error| match error.0 {
                CUresult::CUDA_ERROR_NO_DEVICE => {
                    GpuError::NoDevice { driver: cuda_version().unwrap_or((0, 0)) }
                }
                CUresult::CUDA_ERROR_STUB_LIBRARY => unavailable(
                    "the library that was found is the toolkit's stub, which is for linking only \
                     (a folder named stubs is in LD_LIBRARY_PATH)"
                        .to_owned(),
                ),
                _ => GpuError::driver("cuInit", error),
            })
        })
        .clone()
}

/// Returns the newest form of the driver's `cuEventElapsedTime`. The bindings support only the
/// `_v2` form, which drivers before CUDA 12.8 lack.
pub(crate) fn event_elapsed_time() -> Option<ElapsedTime> {
    let library = library().ok()?;
    ["cuEventElapsedTime_v2", "cuEventElapsedTime"].iter().find_map(|name| {
        // SAFETY: both have this type in `cuda.h`; the library is never unloaded.
        unsafe { library.get::<ElapsedTime>(*name) }.ok().map(|f| *f)
    })
}

/// `CUresult cuEventElapsedTime(float *, CUevent, CUevent)`, the result as an integer.
pub(crate) type ElapsedTime = unsafe extern "C" fn(
    *mut f32,
    cudarc::driver::sys::CUevent,
    cudarc::driver::sys::CUevent,
) -> c_int;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_without_a_driver_says_what_where_and_what_now() {
        let text = unavailable("reason".to_owned()).to_string();
        for part in [NAME, "LD_LIBRARY_PATH", "install NVIDIA's driver", "EnsembleThreads"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn probing_never_panics() {
        match init() {
            Ok(()) => assert!(cuda_version().is_some()),
            Err(GpuError::Unavailable { missing, .. }) => assert_eq!(missing, "the CUDA driver"),
            Err(GpuError::Driver { call, .. }) => assert_eq!(call, "cuInit"),
            Err(error) => assert!(matches!(error, GpuError::NoDevice { .. }), "{error}"),
        }
    }
}
