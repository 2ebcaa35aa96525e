//! The end of a process.

use core::ffi::{c_int, c_void};
use std::io::Write;
use std::time::Duration;

unsafe extern "C" {
    // In the C libraries of GNU and BSD; `atexit` does not provide the status.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Registers a function that is called with the exit status when the process ends.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn at_exit(function: extern "C" fn(c_int, *mut c_void)) {
    // SAFETY: the function lives as long as the process, and ignores its argument.
    let _ = unsafe { on_exit(function, core::ptr::null_mut()) };
}

/// On other systems MPI does not end before the process, which launchers report.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn at_exit(_: extern "C" fn(c_int, *mut c_void)) {}

/// Waits until the output of this process has probably arrived: launchers end without forwarding
/// the rest.
pub(super) fn let_text_through() {
    std::thread::sleep(Duration::from_millis(250));
}

/// Reports why this process ends, and [waits](let_text_through).
///
/// Several ranks may report at once. In one write, their texts do not mix.
pub(super) fn report(reason: &str) {
    let _ = std::io::stderr().write_all(format!("odes: {reason}\n").as_bytes());
    let_text_through();
}
