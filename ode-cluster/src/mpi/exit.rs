//! The end of a process.

use core::ffi::{c_int, c_void};
use std::time::Duration;

unsafe extern "C" {
    // Of GNU's and BSD's C libraries; `atexit` does not tell the status.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Calls a function with the process's status when it ends.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn at_exit(function: extern "C" fn(c_int, *mut c_void)) {
    // SAFETY: the function lives as long as the process, and ignores its argument.
    let _ = unsafe { on_exit(function, core::ptr::null_mut()) };
}

/// Elsewhere MPI does not end before the process, which launchers report.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn at_exit(_: extern "C" fn(c_int, *mut c_void)) {}

/// Waits until what this process has printed has likely come through: launchers end without what they have
/// not passed on yet.
pub(super) fn let_text_through() {
    std::thread::sleep(Duration::from_millis(250));
}
