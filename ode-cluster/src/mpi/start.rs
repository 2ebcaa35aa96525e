//! The start of MPI, in which each rank waits for all others.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::exit;

/// How long a rank waits, if `ODES_MPI_WAIT` does not say how many seconds.
const WAIT: Duration = Duration::from_secs(600);

/// Calls what starts MPI. A process that has waited too long in it ends: some rank has ended before it came
/// there, and the libraries would wait for it for ever.
pub(super) fn within_limit<V>(start: impl FnOnce() -> V) -> V {
    let seconds = std::env::var("ODES_MPI_WAIT").ok().and_then(|text| text.trim().parse().ok());
    let wait = seconds.map_or(WAIT, Duration::from_secs);
    let (started, is_started) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if is_started.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
            eprintln!(
                "odes: this rank has waited {} s for all ranks to start MPI, so it ends: another one may have ended \
                 before; `ODES_MPI_WAIT=N` makes it wait N seconds",
                wait.as_secs()
            );
            exit::let_text_through();
            std::process::exit(1);
        }
    });
    let found = start();
    drop(started);
    found
}
