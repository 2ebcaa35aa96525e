//! A progress bar, which appears only on a terminal and after one second.

use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on standard error, which disappears on drop.
pub struct Progress {
    bar: ProgressBar,
    /// Dropping the sender ends the thread that waits to show the bar.
    done: Option<Sender<()>>,
    waiter: Option<JoinHandle<()>>,
    reached: Mutex<u64>,
}

impl Progress {
    /// Creates a bar from 0 to `total`, for work that reports its progress.
    pub fn bar(what: &'static str, total: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template =
            "{msg} {wide_bar:.cyan/black} {human_pos}/{human_len} ({per_sec}, {eta} left)";
        Progress::start(bar, template, what)
    }

    /// Creates a spinner, for work that does not report its progress.
    pub fn spinner(what: &'static str) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Progress::start(bar, "{spinner:.cyan} {msg} ({elapsed})", what)
    }

    fn start(bar: ProgressBar, template: &str, what: &'static str) -> Progress {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        let (done, wait) = channel();
        let shown = bar.clone();
        let waiter = std::thread::spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                // Standard error draws nothing if it is not a terminal.
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Progress { bar, done: Some(done), waiter: Some(waiter), reached: Mutex::new(0) }
    }

    /// Sets the total progress. Threads may call it in any order.
    pub fn reach(&self, done: u64) {
        if let Ok(mut reached) = self.reached.lock()
            && done > *reached
        {
            *reached = done;
            self.bar.set_position(done);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.done.take());
        if let Some(waiter) = self.waiter.take() {
            let _ = waiter.join();
        }
        self.bar.finish_and_clear();
    }
}
