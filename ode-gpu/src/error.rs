//! Errors of the CUDA backends.
//!
//! Every variant's `Display` is a sentence for the user at the terminal: the attempted operation,
//! its outcome, and the remedy. The fields contain the same facts for programs. Errors are `Clone`,
//! because a failed probe (no driver, no compiler) is stored and returned to every later caller.

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::diagnostic;

ode_core::debug_as_display!(GpuError);

/// An error of the CUDA backends.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum GpuError {
    /// A part of the CUDA installation is missing or cannot be used.
    #[error("{missing} is not available: looked for {looked_for} in {}; {reason}; {advice}", .searched.join(", "))]
    Unavailable {
        /// The missing part: the driver, or the run-time compiler.
        missing: &'static str,
        /// The file names of the search.
        looked_for: String,
        /// The folders that were searched, in order.
        searched: Vec<String>,
        /// The outcome of the search: no file, or the loader's message.
        reason: String,
        /// The software to install, or the variable to set.
        advice: String,
    },

    /// The driver works, but reports no device.
    #[error(
        "the CUDA driver (CUDA {}.{}) reports no usable device{}; check nvidia-smi, or solve on \
         the CPU with EnsembleThreads", .driver.0, .driver.1, visible_devices()
    )]
    NoDevice {
        /// The CUDA version that the driver supports.
        driver: (u32, u32),
    },

    /// There is no device with this ordinal.
    #[error(
        "there is no CUDA device {ordinal}: the driver reports {count}, and indices start at 0"
    )]
    NoSuchDevice {
        /// The requested device.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },

    /// The installed compiler cannot produce code for the device.
    #[error(
        "NVRTC {}.{} ({library}) cannot compile for {arch}, only for {}; install {}",
        .version.0, .version.1, .supported.join(", "), other_compiler(*.newer_needed)
    )]
    UnsupportedArch {
        /// The architecture of the device, for example `sm_90`.
        arch: String,
        /// The architectures that the compiler supports.
        supported: Vec<String>,
        /// The compiler's version.
        version: (u32, u32),
        /// The compiler's library.
        library: String,
        /// Whether a newer compiler is needed; otherwise an older one.
        newer_needed: bool,
    },

    /// The compiler rejected a generated kernel.
    ///
    /// This is a defect of this library, unless the source was written by hand. The message
    /// contains the whole log and the source lines that the log mentions.
    #[error(
        "NVRTC rejected kernel `{kernel}` for {arch}\n{}",
        diagnostic::explain(.log, .kernel, .source_text)
    )]
    Compile {
        /// The kernel's name.
        kernel: String,
        /// The architecture of the compilation.
        arch: String,
        /// The unchanged log of the compiler.
        log: String,
        /// The whole source that was compiled.
        source_text: std::sync::Arc<str>,
    },

    /// A compiler option that would change the text of a kernel.
    #[error(
        "the compiler option `{option}` changes the text of kernels, which only the library may \
         change; leave the option out"
    )]
    OptionOfText {
        /// The option.
        option: String,
    },

    /// An NVRTC call failed for another reason than the source.
    #[error("NVRTC's {call} failed with {code} ({text}){}", detail(.log))]
    Nvrtc {
        /// The function that failed.
        call: &'static str,
        /// The `nvrtcResult` of the call.
        code: i32,
        /// NVRTC's own name for the code.
        text: String,
        /// The compiler's log, if there is one.
        log: String,
    },

    /// The driver rejected a compiled kernel.
    #[error(
        "the CUDA driver (CUDA {}.{}) cannot load kernel `{kernel}`, compiled for {arch} by NVRTC \
         {}.{}: {code} ({text}){}", .driver.0, .driver.1, .nvrtc.0, .nvrtc.1,
        mismatch(.driver, .nvrtc)
    )]
    Load {
        /// The kernel's name.
        kernel: String,
        /// The architecture it was compiled for.
        arch: String,
        /// The CUDA version that the driver supports.
        driver: (u32, u32),
        /// The compiler's version.
        nvrtc: (u32, u32),
        /// The driver's `CUresult`.
        code: u32,
        /// The driver's own description of the code.
        text: String,
    },

    /// A device allocation failed.
    #[error(
        "device {device} is out of memory: {} needed, {} free; {}", bytes(*.needed), bytes(*.free),
        room(*.needed, *.free)
    )]
    OutOfMemory {
        /// The ordinal of the device.
        device: usize,
        /// The number of bytes of the allocation.
        needed: u64,
        /// The bytes that the driver could allocate at that time.
        free: u64,
    },

    /// The driver could not page-lock host memory.
    #[error(
        "the driver cannot page-lock {} of host memory: {code} ({text}); use smaller batches or \
         raise the limit on locked memory (ulimit -l)", bytes(*.needed)
    )]
    OutOfPinnedMemory {
        /// The number of bytes of the allocation.
        needed: u64,
        /// The driver's `CUresult`.
        code: u32,
        /// The driver's own description of the code.
        text: String,
    },

    /// The list of devices is empty.
    #[error(
        "the list of devices is empty; name at least one, or use EnsembleGpuKernel::all() for all \
         devices"
    )]
    EmptyList,

    /// A device occurs twice in the list.
    #[error("device {ordinal} is in the list twice; name each device once")]
    DeviceTwice {
        /// The ordinal of the device.
        ordinal: usize,
    },

    /// A device without cooperative launches, which arrays and lockstep solves need.
    #[error(
        "device {device} does not support cooperative launches, which arrays and lockstep solves \
         need; solve on the CPU, or an ensemble with EnsembleGpuKernel"
    )]
    NotCooperative {
        /// The ordinal of the device.
        device: usize,
    },

    /// An argument is in the memory of the wrong device.
    #[error("{what} is on device {given}; it must be on device {}", list(.expected))]
    WrongDevice {
        /// The argument.
        what: &'static str,
        /// The ordinal of its device.
        given: usize,
        /// The ordinals of the devices that are allowed.
        expected: Vec<usize>,
    },

    /// A stream of another context than the device's primary one.
    ///
    /// Kernels are loaded in the primary context.
    #[error(
        "the stream does not belong to the primary context of device {device}; create the stream \
         in the context of CudaContext::new({device})"
    )]
    ForeignContext {
        /// The ordinal of the device.
        device: usize,
    },

    /// An input of a [`DeviceEnsemble`](crate::DeviceEnsemble) has the wrong length.
    ///
    /// The length must be the number of trajectories.
    #[error(
        "component {index} of {kind} has {given} values for {expected} trajectories; give one \
         value for each trajectory"
    )]
    WrongLength {
        /// `u0` or `p`.
        kind: &'static str,
        /// The index of the component.
        index: usize,
        /// The length of the argument.
        given: usize,
        /// The number of trajectories.
        expected: usize,
    },

    /// A [`DeviceEnsemble`](crate::DeviceEnsemble) has no input for this component.
    #[error(
        "component {index} of {kind} has no stored input: {}", no_column(*.index, *.count)
    )]
    NoInput {
        /// `u0` or `p`.
        kind: &'static str,
        /// The index of the component.
        index: usize,
        /// The number of components.
        count: usize,
    },

    /// An ensemble cannot stay on a device, because each solve needs work of the host.
    #[error("the ensemble cannot stay on a device: {because}; use EnsembleProblem::solve")]
    NotResident {
        /// The reason.
        because: &'static str,
    },

    /// A call of cuBLAS failed.
    #[cfg(feature = "arrays")]
    #[error("cuBLAS's {call} failed with {code}{}", of_blas(*.code))]
    Blas {
        /// cuBLAS's function, without its precision.
        call: &'static str,
        /// The `cublasStatus_t` of the call.
        code: i32,
    },

    /// A matrix is larger than cuBLAS accepts.
    #[cfg(feature = "arrays")]
    #[error("cuBLAS's {call} accepts sizes up to 2147483647, and an array has the size {size}")]
    TooLargeForBlas {
        /// cuBLAS's function, without its precision.
        call: &'static str,
        /// The size.
        size: usize,
    },

    /// Another call of the driver failed.
    #[error("the CUDA driver's {call} failed with {code} ({name}: {text}){}", remedy(.call, *.code))]
    Driver {
        /// The driver's function.
        call: &'static str,
        /// The `CUresult` of the call.
        code: u32,
        /// The driver's name for the code, as `CUDA_ERROR_ILLEGAL_ADDRESS`.
        name: String,
        /// The driver's own description of the code.
        text: String,
    },
}

impl GpuError {
    /// Wraps the failure of the driver function `call`.
    pub(crate) fn driver(call: &'static str, error: DriverError) -> Self {
        let (name, text) = describe(error);
        GpuError::Driver { call, code: error.0 as u32, name, text }
    }

    /// Returns whether the context is unusable after this error.
    ///
    /// After a fault in a kernel every later call fails too, and only a new process helps.
    pub fn is_fatal(&self) -> bool {
        matches!(self, GpuError::Driver { code, .. } if is_fatal(*code))
    }
}

/// Returns the driver's name for an error, and its description.
pub(crate) fn describe(error: DriverError) -> (String, String) {
    let text = |r: Result<&std::ffi::CStr, DriverError>| {
        r.map_or_else(|_| "unknown".to_owned(), |s| s.to_string_lossy().into_owned())
    };
    (text(error.error_name()), text(error.error_string()))
}

/// Conversion of a driver result into [`GpuError`], with the name of the driver function.
pub(crate) trait DriverCall<T> {
    /// Converts the result of the driver function `name`.
    fn call(self, name: &'static str) -> Result<T, GpuError>;
}

impl<T> DriverCall<T> for Result<T, DriverError> {
    fn call(self, name: &'static str) -> Result<T, GpuError> {
        self.map_err(|error| GpuError::driver(name, error))
    }
}

/// Whether CUDA documents that the context, and hence the process, is unusable after this error.
fn is_fatal(code: u32) -> bool {
    [
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
        CUresult::CUDA_ERROR_ASSERT,
        CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
        CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
        CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
        CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
        CUresult::CUDA_ERROR_INVALID_PC,
        CUresult::CUDA_ERROR_LAUNCH_FAILED,
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    ]
    .iter()
    .any(|fatal| *fatal as u32 == code)
}

fn remedy(call: &str, code: u32) -> &'static str {
    let no_memory = code == CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32;
    if is_fatal(code) {
        "; the device's context is lost: start a new process"
    } else if no_memory && ["cuInit", "cuDevicePrimaryCtxRetain"].contains(&call) {
        "; other programs fill the device, or a limit of this process (ulimit -v) is too low"
    } else {
        ""
    }
}

/// The meaning of a cuBLAS code.
#[cfg(feature = "arrays")]
fn of_blas(code: i32) -> &'static str {
    match code {
        1 => " (cuBLAS could not start, mostly because device memory is exhausted)",
        3 => " (cuBLAS could not allocate device memory)",
        8 => " (cuBLAS does not support this kind of device)",
        13 => " (cuBLAS could not run one of its kernels)",
        _ => "",
    }
}

/// The remedy if device memory cannot be allocated. Another program may hold the memory.
fn room(needed: u64, free: u64) -> &'static str {
    if needed > free {
        "use smaller batches, save fewer states, or end other programs on the device"
    } else {
        "a limit of this process (ulimit -v) may be too low, or the free memory is fragmented"
    }
}

fn other_compiler(newer: bool) -> &'static str {
    if newer {
        "a newer CUDA toolkit or nvidia-cuda-nvrtc wheel"
    } else {
        "NVRTC 12 (CUDA toolkit 12, or the wheel nvidia-cuda-nvrtc-cu12), the last that supports it"
    }
}

fn mismatch(driver: &(u32, u32), nvrtc: &(u32, u32)) -> &'static str {
    if nvrtc.0 > driver.0 {
        "; this compiler is newer than the driver: update the driver, or install an NVRTC of the \
         driver's CUDA version and set ODES_NVRTC to its path"
    } else {
        ""
    }
}

fn list(ordinals: &[usize]) -> String {
    ordinals.iter().map(usize::to_string).collect::<Vec<_>>().join(" or ")
}

fn no_column(index: usize, count: usize) -> String {
    if index < count {
        "all trajectories share one value, or the values are sampled; use \
         DeviceEnsemble::with_all_inputs"
            .to_owned()
    } else {
        format!("there are {count} components, counted from 0")
    }
}

fn detail(log: &str) -> String {
    let log = log.trim();
    if log.is_empty() { String::new() } else { format!(": {log}") }
}

/// The message names `CUDA_VISIBLE_DEVICES`, the most frequent reason for hidden devices.
fn visible_devices() -> String {
    match std::env::var("CUDA_VISIBLE_DEVICES") {
        Ok(value) => format!(" (CUDA_VISIBLE_DEVICES is {value:?})"),
        Err(_) => String::new(),
    }
}

/// Formats a number of bytes for the user.
pub(crate) fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if n < 1024 {
        return format!("{n} bytes");
    }
    let mut value = n as f64 / 1024.0;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_readable() {
        assert_eq!(bytes(12), "12 bytes");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(139 << 30), "139.0 GiB");
    }

    #[test]
    fn out_of_memory_names_both_sizes() {
        let e = GpuError::OutOfMemory { device: 1, needed: 2 << 30, free: 1 << 20 };
        let text = e.to_string();
        assert!(text.contains("device 1") && text.contains("2.0 GiB needed, 1.0 MiB free"));
    }

    /// The message does not blame the device if it has enough free memory.
    #[test]
    fn limits_of_the_process_are_named() {
        let text = GpuError::OutOfMemory { device: 0, needed: 1 << 20, free: 1 << 30 }.to_string();
        assert!(text.contains("1.0 MiB needed, 1.0 GiB free; a limit of this process"), "{text}");
        let failed = |call| {
            let code = CUresult::CUDA_ERROR_OUT_OF_MEMORY as u32;
            GpuError::Driver { call, code, name: String::new(), text: String::new() }.to_string()
        };
        assert!(failed("cuInit").contains("ulimit -v") && !failed("x").contains("ulimit"));
    }

    #[test]
    fn a_compiler_newer_than_the_driver_is_named_as_the_cause() {
        let e = GpuError::Load {
            kernel: "k".into(),
            arch: "sm_90".into(),
            driver: (12, 4),
            nvrtc: (13, 0),
            code: 200,
            text: "device kernel image is invalid".into(),
        };
        assert!(e.to_string().contains("newer than the driver"));
    }

    /// Errors in the arguments of an ensemble on a device contain the remedy.
    #[test]
    fn what_an_ensemble_on_a_device_gets_is_named() {
        let what = "the memory";
        let text = GpuError::WrongDevice { what, given: 2, expected: vec![0, 1] }.to_string();
        assert_eq!(text, "the memory is on device 2; it must be on device 0 or 1");
        let text = GpuError::WrongLength { kind: "p", index: 1, given: 9, expected: 10 };
        assert_eq!(
            text.to_string(),
            "component 1 of p has 9 values for 10 trajectories; give one value for each trajectory"
        );
        let of = |index| GpuError::NoInput { kind: "u0", index, count: 3 }.to_string();
        assert!(of(3).ends_with("has no stored input: there are 3 components, counted from 0"));
        assert!(of(2).ends_with("use DeviceEnsemble::with_all_inputs"));
    }

    #[test]
    fn a_fault_in_a_kernel_is_fatal() {
        let code = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS as u32;
        let e = GpuError::Driver { call: "x", code, name: String::new(), text: String::new() };
        assert!(e.is_fatal() && e.to_string().contains("start a new process"));
    }
}
