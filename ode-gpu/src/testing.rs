//! Helpers of several unit tests.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// Creates a new, empty folder for one test.
pub(crate) fn temp_dir(name: &str) -> PathBuf {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let n = COUNTER.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("odes-{name}-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}
