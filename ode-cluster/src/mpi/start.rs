//! The start of MPI, in which each rank waits for all others.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::exit;

/// The waiting time of a rank, unless `ODES_MPI_WAIT` sets the seconds.
const WAIT: Duration = Duration::from_secs(600);

/// Calls `start`, and ends the process after too long a wait.
///
/// Some rank has then ended before it reached the start, and the libraries would wait for it
/// forever.
pub(super) fn within_limit<V>(start: impl FnOnce() -> V) -> V {
    let seconds = std::env::var("ODES_MPI_WAIT").ok().and_then(|text| text.trim().parse().ok());
    let wait = seconds.map_or(WAIT, Duration::from_secs);
    let (started, is_started) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if is_started.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            exit::report(&format!(
                "this rank waited {} s for all ranks to start MPI, so it exits: another rank may \
                 have exited before; set `ODES_MPI_WAIT=N` to wait N seconds",
                wait.as_secs()
            ));
            std::process::exit(1);
        }
    });
    let found = start();
    drop(started);
    found
}
