//! All ranks that MPI started, with any MPI library.
//!
//! | feature | library | file |
//! |---|---|---|
//! | none | the library with the standard's binary interface, loaded at run time | `mpi/abi.rs` |
//! | `linked-mpi` | the library that the program was built with, by the crate `mpi` | `mpi/linked.rs` |
//!
//! MPI's blocking functions occupy a core while they wait, and computing ranks may need that core.
//! So all operations are nonblocking, and a waiting rank sleeps for 50 µs to 1 ms between two
//! polls.
//!
//! MPI libraries block forever on a rank that has exited normally. So each rank counts the
//! broadcasts, which are collective. When a rank ends, it sends its count to rank 0, and rank 0
//! sends its own count to all. A rank that waits for a rank with a lower count aborts the job.

#[cfg(not(feature = "linked-mpi"))]
mod abi;
mod exit;
mod library;
#[cfg(feature = "linked-mpi")]
mod linked;
mod start;

use core::cmp::Ordering;
use core::ffi::{c_int, c_void};
use core::fmt;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

#[cfg(not(feature = "linked-mpi"))]
use abi::Mpi;
pub(crate) use library::Tag;
use library::{Library, Started};
#[cfg(feature = "linked-mpi")]
use linked::Mpi;

/// The library with the launcher that starts connected ranks, for error messages.
pub(crate) const WHOSE: &str = Mpi::WHOSE;

/// The largest number of bytes of a message: MPI's lengths are signed 32-bit integers.
const MOST: usize = 1 << 30;

/// All ranks that the launcher started.
pub(crate) struct World {
    mpi: Mpi,
    started: Started,
    /// The lock that lets one thread call MPI at a time, with the state of the collective
    /// operations.
    calls: Mutex<Rounds>,
}

/// The collective operations so far. If a rank ended before one of them, the others would wait
/// forever.
#[derive(Debug, Default)]
struct Rounds {
    /// The number of broadcasts so far, which are collective.
    done: u64,
    /// The known ended ranks, with their number of broadcasts.
    ended: BTreeMap<usize, u64>,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").field("started", &self.started).finish_non_exhaustive()
    }
}

/// Returns all ranks of this program. MPI starts with the first call, and ends with the process.
///
/// # Errors
/// The reason why there is no MPI.
pub(crate) fn world() -> Result<&'static World, String> {
    static WORLD: OnceLock<Result<World, String>> = OnceLock::new();
    let begin = || {
        let (mpi, started) = start::within_limit(Mpi::start)?;
        if started.by_us {
            exit::at_exit(finish);
        }
        Ok(World { mpi, started, calls: Mutex::default() })
    };
    WORLD.get_or_init(begin).as_ref().map_err(Clone::clone)
}

impl World {
    /// The rank of this process.
    pub(crate) fn rank(&self) -> usize {
        self.started.rank
    }

    /// The number of processes.
    pub(crate) fn of(&self) -> usize {
        self.started.of
    }

    /// The index of this process on its machine.
    pub(crate) fn local_rank(&self) -> usize {
        self.started.local_rank
    }

    /// Whether threads that did not start MPI may call it.
    pub(crate) fn any_thread(&self) -> bool {
        self.started.any_thread
    }

    fn calls(&self) -> MutexGuard<'_, Rounds> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls a blocking MPI operation. Between its polls, other threads may call, and ended ranks
    /// are detected.
    fn waiting<V>(&self, call: impl FnOnce(&mut dyn FnMut()) -> V) -> (V, MutexGuard<'_, Rounds>) {
        let (mut calls, mut pause) = (Some(self.calls()), Pause::default());
        let value = call(&mut || {
            calls = None;
            self.rest(&mut pause);
            calls = Some(self.calls());
        });
        (value, calls.unwrap_or_else(|| self.calls()))
    }

    /// Sends bytes to a rank.
    pub(crate) fn send(&self, to: usize, tag: Tag, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for part in core::iter::once(&length[..]).chain(bytes.chunks(MOST)) {
            drop(self.waiting(|rest| self.mpi.send(to, tag, part, rest)));
        }
    }

    /// Returns the sender of a message that has arrived, if there is one.
    pub(crate) fn probe(&self, tag: Tag) -> Option<usize> {
        let _one_at_a_time = self.calls();
        self.mpi.probe(None, tag)
    }

    /// Receives the next message of a rank.
    pub(crate) fn receive(&self, from: usize, tag: Tag) -> Vec<u8> {
        let mut length = [0; 8];
        self.receive_into(from, tag, &mut length);
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        bytes.chunks_mut(MOST).for_each(|part| self.receive_into(from, tag, part));
        bytes
    }

    fn receive_into(&self, from: usize, tag: Tag, bytes: &mut [u8]) {
        drop(self.waiting(|rest| self.mpi.receive(from, tag, bytes, rest)));
    }

    /// Broadcasts the bytes of `root` to all ranks.
    pub(crate) fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) {
        let ((), mut calls) = self.waiting(|rest| self.mpi.meet(rest));
        // No rank leaves before the end of the broadcast: a thread that ends its process waits for
        // the lock.
        let mut length = (bytes.len() as u64).to_le_bytes();
        self.mpi.broadcast(root, &mut length, &mut Pause::default().sleeping());
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        for part in bytes.chunks_mut(MOST) {
            self.mpi.broadcast(root, part, &mut Pause::default().sleeping());
        }
        calls.done += 1;
    }

    /// Pauses a thread that waits for ranks. It sleeps, since computing threads need the cores. If
    /// a rank that must take part has ended, MPI ends the job.
    pub(crate) fn rest(&self, pause: &mut Pause) {
        let mut calls = self.calls();
        self.hear(&mut calls);
        // This rank is in a collective operation that is not finished.
        let missing = calls.ended.iter().find(|(_, done)| **done <= calls.done);
        if let Some((rank, _)) = missing {
            self.is_missing(*rank, self.rank());
        }
        drop(calls);
        pause.sleep();
    }

    /// Receives the messages of ranks that have ended.
    fn hear(&self, calls: &mut Rounds) {
        while let Some(rank) = self.mpi.probe(None, Tag::End) {
            let mut done = [0; 8];
            self.mpi.receive(rank, Tag::End, &mut done, &mut Pause::default().sleeping());
            calls.ended.insert(rank, u64::from_le_bytes(done));
        }
    }

    /// Aborts all ranks, because another rank waits for one that has ended.
    fn is_missing(&self, ended: usize, waits: usize) -> ! {
        if !IS_OVER.swap(true, SeqCst) {
            let of = self.of();
            exit::report(&format!(
                "rank {ended} of {of} has exited and takes no part in the solve of rank {waits}, \
                 so MPI ends all ranks"
            ));
            self.mpi.abort(1);
        }
        // The first thread ends the process.
        loop {
            std::thread::park();
        }
    }

    /// Finalises MPI together with the other ranks, after all have ended at the same broadcast.
    fn leave(&self) {
        let others = if self.rank() == 0 { 1..self.of() } else { 0..1 };
        let calls = self.calls();
        let done = calls.done;
        for rank in others.clone() {
            self.mpi.send(rank, Tag::End, &done.to_le_bytes(), &mut Pause::default().sleeping());
        }
        drop(calls);
        let mut pause = Pause::default();
        loop {
            let mut calls = self.calls();
            self.hear(&mut calls);
            for (rank, theirs) in &calls.ended {
                match theirs.cmp(&done) {
                    Ordering::Less => self.is_missing(*rank, self.rank()),
                    Ordering::Equal => {}
                    Ordering::Greater => self.is_missing(self.rank(), *rank),
                }
            }
            // Other ranks begin an operation in which this rank takes no part.
            for tag in [Tag::Ask, Tag::Gather] {
                if let Some(rank) = self.mpi.probe(None, tag) {
                    self.is_missing(self.rank(), rank);
                }
            }
            if calls.ended.len() == others.len() {
                break;
            }
            drop(calls);
            pause.sleep();
        }
        let _one_at_a_time = self.calls();
        self.mpi.finalize();
    }

    /// Gathers the bytes of each rank on all ranks, in order.
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

/// Whether this process already ends MPI: the library may then end the process itself.
static IS_OVER: AtomicBool = AtomicBool::new(false);

/// Ends MPI with the process. A failed rank aborts the others, which would wait for it.
extern "C" fn finish(status: c_int, _: *mut c_void) {
    let Ok(world) = world() else { return };
    if status == 0 {
        if !IS_OVER.load(SeqCst) {
            world.leave();
        }
    } else if !IS_OVER.swap(true, SeqCst) {
        exit::let_text_through();
        let _one_at_a_time = world.calls();
        world.mpi.abort(status);
    }
}

/// Increasing pauses. The first one only yields to another thread.
#[derive(Debug, Default)]
pub(crate) struct Pause(Duration);

impl Pause {
    pub(crate) fn sleep(&mut self) {
        if self.0.is_zero() {
            std::thread::yield_now();
        } else {
            std::thread::sleep(self.0);
        }
        self.0 = (2 * self.0).clamp(Duration::from_micros(50), Duration::from_millis(1));
    }

    /// Returns a function that sleeps.
    fn sleeping(mut self) -> impl FnMut() {
        move || self.sleep()
    }
}
