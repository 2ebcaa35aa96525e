//! The MPI library that the program was built with, by the crate `mpi`: the feature `linked-mpi`.
//!
//! Libraries before MPI 5.0 have individual binary interfaces, which only their headers define:
//! Open MPI 4 and MPICH 4 differ. Such programs must be built on the machine where they run.

use std::sync::{Mutex, PoisonError};

use mpi::environment::{self, Threading, Universe};
use mpi::ffi;
use mpi::request::{Request, Scope, scope};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{
    AsRaw as _, Communicator as _, CommunicatorCollectives as _, Destination as _, Root as _,
    Source as _,
};

use super::library::{Library, Started, Tag};

/// The linked library.
pub(super) struct Mpi {
    /// Ends MPI on drop; `None` if the program does it.
    universe: Mutex<Option<Universe>>,
    /// A duplicate communicator, which separates these messages from the program's own.
    comm: SimpleCommunicator,
}

// SAFETY: a communicator is a number or an address from the library, which accepts it from any
// thread, one call at a time, if it was started for this. `Library` restricts the callers.
unsafe impl Send for Mpi {}
// SAFETY: a shared reference only passes the communicator to the library, and locks `universe`.
// `Library` lets one thread at a time call.
unsafe impl Sync for Mpi {}

/// Completes an operation. Between its polls, it calls `rest`.
fn complete<'a, D: ?Sized, S: Scope<'a>>(mut request: Request<'a, D, S>, rest: &mut dyn FnMut()) {
    while let Err(unfinished) = request.test() {
        rest();
        request = unfinished;
    }
}

impl Library for Mpi {
    const WHOSE: &'static str = "the MPI that this program was built with";

    fn start() -> Result<(Self, Started), String> {
        let begun = environment::initialize_with_threading(Threading::Serialized);
        let universe = begun.map(|(universe, _)| universe);
        let comm = SimpleCommunicator::world().duplicate();
        // The duplicate inherits the program's handler, which may return errors.
        // SAFETY: between the start and the end of MPI, for a communicator of its own.
        let fatal =
            unsafe { ffi::MPI_Comm_set_errhandler(comm.as_raw(), ffi::RSMPI_ERRORS_ARE_FATAL) };
        if fatal != ffi::MPI_SUCCESS as i32 {
            return Err(format!("MPI_Comm_set_errhandler failed with error {fatal}"));
        }
        let started = Started {
            rank: comm.rank() as usize,
            of: comm.size() as usize,
            local_rank: comm.split_shared(0).rank() as usize,
            any_thread: environment::threading_support() >= Threading::Serialized,
            by_us: universe.is_some(),
        };
        Ok((Mpi { universe: Mutex::new(universe), comm }, started))
    }

    fn send(&self, to: usize, tag: Tag, bytes: &[u8], rest: &mut dyn FnMut()) {
        let to = self.comm.process_at_rank(to as i32);
        scope(|scope| complete(to.immediate_send_with_tag(scope, bytes, tag as i32), rest));
    }

    fn probe(&self, from: Option<usize>, tag: Tag) -> Option<usize> {
        let status = match from {
            Some(from) => {
                self.comm.process_at_rank(from as i32).immediate_probe_with_tag(tag as i32)
            }
            None => self.comm.any_process().immediate_probe_with_tag(tag as i32),
        };
        status.map(|status| status.source_rank() as usize)
    }

    fn receive(&self, from: usize, tag: Tag, bytes: &mut [u8], rest: &mut dyn FnMut()) {
        let from = self.comm.process_at_rank(from as i32);
        scope(|scope| {
            complete(from.immediate_receive_into_with_tag(scope, bytes, tag as i32), rest);
        });
    }

    fn broadcast(&self, root: usize, bytes: &mut [u8], rest: &mut dyn FnMut()) {
        let root = self.comm.process_at_rank(root as i32);
        scope(|scope| complete(root.immediate_broadcast_into(scope, bytes), rest));
    }

    fn meet(&self, rest: &mut dyn FnMut()) {
        complete(self.comm.immediate_barrier(), rest);
    }

    fn finalize(&self) {
        drop(self.universe.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    fn abort(&self, status: i32) -> ! {
        SimpleCommunicator::world().abort(status)
    }
}
