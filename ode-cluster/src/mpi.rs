//! All ranks that MPI has started, whatever library it is.
//!
//! | feature | library | file |
//! |---|---|---|
//! | none | that with the standard's binary interface, loaded when the program runs | `mpi/abi.rs` |
//! | `linked-mpi` | that which the program was built with, by the crate `mpi` | `mpi/linked.rs` |

#[cfg(not(feature = "linked-mpi"))]
mod abi;
mod exit;
mod library;
#[cfg(feature = "linked-mpi")]
mod linked;

use core::ffi::{c_int, c_void};
use core::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

#[cfg(not(feature = "linked-mpi"))]
use abi::Mpi;
pub(crate) use library::Tag;
use library::{Library, Started};
#[cfg(feature = "linked-mpi")]
use linked::Mpi;

/// Whose launcher starts ranks that reach each other, for messages.
pub(crate) const WHOSE: &str = Mpi::WHOSE;

/// The most that one message has: lengths are 32-bit numbers with a sign.
const MOST: usize = 1 << 30;

/// All ranks that the launcher started.
pub(crate) struct World {
    mpi: Mpi,
    started: Started,
    /// One thread calls at a time.
    calls: Mutex<()>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("started", &self.started).finish_non_exhaustive()
    }
}

/// All ranks of this program; MPI starts with the first call, and ends with the process.
///
/// # Errors
/// Why there is no MPI.
pub(crate) fn world() -> Result<&'static World, String> {
    static WORLD: OnceLock<Result<World, String>> = OnceLock::new();
    let start = || {
        let (mpi, started) = Mpi::start()?;
        if started.by_us {
            exit::at_exit(finish);
        }
        Ok(World { mpi, started, calls: Mutex::new(()) })
    };
    WORLD.get_or_init(start).as_ref().map_err(Clone::clone)
}

impl World {
    /// The number of this process.
    pub(crate) fn rank(&self) -> usize {
        self.started.rank
    }

    /// The number of processes.
    pub(crate) fn of(&self) -> usize {
        self.started.of
    }

    /// The number of this process among those of its machine.
    pub(crate) fn local_rank(&self) -> usize {
        self.started.local_rank
    }

    /// Whether threads may talk that did not start MPI.
    pub(crate) fn any_thread(&self) -> bool {
        self.started.any_thread
    }

    fn calls(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends bytes to a rank.
    pub(crate) fn send(&self, to: usize, tag: Tag, bytes: &[u8]) {
        let _one_at_a_time = self.calls();
        let length = (bytes.len() as u64).to_le_bytes();
        for part in core::iter::once(&length[..]).chain(bytes.chunks(MOST)) {
            self.mpi.send(to, tag, part);
        }
    }

    /// The rank of which a message has come, if there is one.
    pub(crate) fn probe(&self, tag: Tag) -> Option<usize> {
        self.probe_from(None, tag)
    }

    fn probe_from(&self, from: Option<usize>, tag: Tag) -> Option<usize> {
        let _one_at_a_time = self.calls();
        self.mpi.probe(from, tag)
    }

    /// The next message of a rank. A thread that waits sleeps, since what the machine has to compute
    /// needs the cores.
    pub(crate) fn receive(&self, from: usize, tag: Tag) -> Vec<u8> {
        let mut pause = Pause::default();
        while self.probe_from(Some(from), tag).is_none() {
            pause.sleep();
        }
        let _one_at_a_time = self.calls();
        let mut length = [0; 8];
        self.mpi.receive(from, tag, &mut length);
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        bytes.chunks_mut(MOST).for_each(|part| self.mpi.receive(from, tag, part));
        bytes
    }

    /// Gives all ranks the bytes that `root` has.
    pub(crate) fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) {
        let mut length = (bytes.len() as u64).to_le_bytes();
        let _one_at_a_time = self.calls();
        self.mpi.broadcast(root, &mut length);
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        bytes.chunks_mut(MOST).for_each(|part| self.mpi.broadcast(root, part));
    }

    /// Gives all ranks what each has, in their order.
    pub(crate) fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        if self.rank() == 0 {
            let mut put = |bytes: &[u8]| {
                all.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                all.extend_from_slice(bytes);
            };
            put(mine);
            (1..self.of()).for_each(|from| put(&self.receive(from, Tag::Gather)));
        } else {
            self.send(0, Tag::Gather, mine);
        }
        self.broadcast(0, &mut all);
        let (mut parts, mut rest) = (Vec::with_capacity(self.of()), &all[..]);
        while let Some((length, behind)) = rest.split_first_chunk::<8>() {
            let (part, behind) = behind.split_at(u64::from_le_bytes(*length) as usize);
            parts.push(part.to_vec());
            rest = behind;
        }
        parts
    }
}

/// Ends MPI with the process. A rank that has failed ends the others, too, which would wait for it.
extern "C" fn finish(status: c_int, _: *mut c_void) {
    let Ok(world) = world() else { return };
    let _one_at_a_time = world.calls();
    if status == 0 {
        world.mpi.finalize();
    } else {
        world.mpi.abort(status);
    }
}

/// Ever longer pauses.
#[derive(Debug)]
pub(crate) struct Pause(Duration);

impl Default for Pause {
    fn default() -> Self {
        Pause(Duration::from_micros(5))
    }
}

impl Pause {
    pub(crate) fn sleep(&mut self) {
        std::thread::sleep(self.0);
        self.0 = (self.0 * 2).min(Duration::from_millis(1));
    }
}
