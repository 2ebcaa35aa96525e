//! MPI by its standard ABI, loaded when a program runs.
//!
//! Since MPI 5.0 the standard says what the binary interface is: the library is `libmpi_abi.so.1`, and
//! handles are pointers of fixed values ("MPI: A Message-Passing Interface Standard, version 5.0",
//! chapter "Application Binary Interface"; the values are those of its `mpi.h`). So one binary runs with every MPI that has
//! this library, and building needs none. `pip install mpich` is one.

mod library;

use core::ffi::{c_int, c_void};
use core::fmt;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use library::{COMM_WORLD, Comm, Functions, Status};

/// The most that one message has: lengths are 32-bit numbers with a sign.
const MOST: usize = 1 << 30;

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// A rank asks rank 0 for work.
    Ask = 1,
    /// Rank 0 answers.
    Answer = 2,
    /// Something for all, by way of rank 0.
    Gather = 3,
}

/// All ranks that the launcher started.
pub(crate) struct World {
    functions: Functions,
    /// Messages of the program's own do not mix with these.
    comm: Comm,
    rank: usize,
    of: usize,
    local_rank: usize,
    /// Whether any thread may talk, one at a time; otherwise the one that started MPI.
    any_thread: bool,
    calls: Mutex<()>,
}

/// Why there is no MPI.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum NoMpi {
    /// No library.
    #[error("no MPI library was found: {0}")]
    Library(String),
    /// A function failed.
    #[error("{function} of {library} failed with error {code}")]
    Failed {
        /// The function.
        function: &'static str,
        /// What the library says it is.
        library: String,
        /// The number of the error.
        code: c_int,
    },
}

// SAFETY: handles are the library's, and its functions are called by one thread at a time (`calls`),
// which `MPI_THREAD_SERIALIZED` allows. Where the library gives less, `any_thread` says so, and the
// callers stay on one thread.
unsafe impl Send for World {}
// SAFETY: as above.
unsafe impl Sync for World {}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let World { rank, of, .. } = self;
        f.debug_struct("World").field("rank", rank).field("of", of).finish_non_exhaustive()
    }
}

/// All ranks of this program; MPI starts with the first call, and ends with the process.
pub(crate) fn world() -> Result<&'static World, NoMpi> {
    static WORLD: OnceLock<Result<World, NoMpi>> = OnceLock::new();
    WORLD.get_or_init(World::start).as_ref().map_err(Clone::clone)
}

impl World {
    fn start() -> Result<Self, NoMpi> {
        let functions = Functions::load().map_err(NoMpi::Library)?;
        let library = functions.version();
        let done = |function, code| match code {
            0 => Ok(()),
            code => Err(NoMpi::Failed { function, library: library.clone(), code }),
        };
        let (mut started, mut level) = (0, 0);
        // SAFETY: the library's functions, with arguments as the standard says; all are places of this
        // function that live while it is called.
        unsafe {
            done("MPI_Initialized", (functions.initialized)(&raw mut started))?;
            if started == 0 {
                let (argc, argv) = (core::ptr::null_mut(), core::ptr::null_mut());
                let init = (functions.init_thread)(argc, argv, library::SERIALIZED, &raw mut level);
                done("MPI_Init_thread", init)?;
                library::at_exit(finish);
            } else {
                done("MPI_Query_thread", (functions.query_thread)(&raw mut level))?;
            }
        }
        let (mut comm, mut local) = (COMM_WORLD, COMM_WORLD);
        let (mut rank, mut of, mut local_rank) = (0, 0, 0);
        // SAFETY: as above, between the start and the end of MPI.
        unsafe {
            done("MPI_Comm_dup", (functions.comm_dup)(COMM_WORLD, &raw mut comm))?;
            done("MPI_Comm_rank", (functions.comm_rank)(comm, &raw mut rank))?;
            done("MPI_Comm_size", (functions.comm_size)(comm, &raw mut of))?;
            let (shared, info) = (library::TYPE_SHARED, library::INFO_NULL);
            let split = (functions.comm_split_type)(comm, shared, 0, info, &raw mut local);
            done("MPI_Comm_split_type", split)?;
            done("MPI_Comm_rank", (functions.comm_rank)(local, &raw mut local_rank))?;
        }
        Ok(World {
            functions,
            comm,
            rank: rank as usize,
            of: of as usize,
            local_rank: local_rank as usize,
            any_thread: level >= library::SERIALIZED,
            calls: Mutex::new(()),
        })
    }

    /// The number of this process.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub(crate) fn of(&self) -> usize {
        self.of
    }

    /// The number of this process among those of its machine.
    pub(crate) fn local_rank(&self) -> usize {
        self.local_rank
    }

    /// Whether threads may talk that did not start MPI.
    pub(crate) fn any_thread(&self) -> bool {
        self.any_thread
    }

    fn calls(&self) -> MutexGuard<'_, ()> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends bytes to a rank.
    pub(crate) fn send(&self, to: usize, tag: Tag, bytes: &[u8]) {
        let _one_at_a_time = self.calls();
        let length = (bytes.len() as u64).to_le_bytes();
        for part in core::iter::once(&length[..]).chain(bytes.chunks(MOST)) {
            let (start, count) = (part.as_ptr().cast::<c_void>(), part.len() as c_int);
            // SAFETY: `start` are `count` bytes, which the call reads before it returns. An error ends
            // the program: that is the standard's default, which nobody changes.
            unsafe {
                let (byte, to, tag) = (library::BYTE, to as c_int, tag as c_int);
                (self.functions.send)(start, count, byte, to, tag, self.comm);
            }
        }
    }

    /// The rank of which a message has come, if there is one.
    pub(crate) fn probe(&self, tag: Tag) -> Option<usize> {
        self.probe_from(library::ANY_SOURCE, tag)
    }

    fn probe_from(&self, from: c_int, tag: Tag) -> Option<usize> {
        let _one_at_a_time = self.calls();
        let (mut flag, mut status) = (0, Status::default());
        // SAFETY: both places live while the function is called.
        unsafe {
            let (flag, status) = (&raw mut flag, &raw mut status);
            (self.functions.iprobe)(from, tag as c_int, self.comm, flag, status);
        }
        (flag != 0).then_some(status.source as usize)
    }

    /// The next message of a rank. A thread that waits sleeps, since what the machine has to compute
    /// needs the cores.
    pub(crate) fn receive(&self, from: usize, tag: Tag) -> Vec<u8> {
        let mut pause = Pause::default();
        while self.probe_from(from as c_int, tag).is_none() {
            pause.sleep();
        }
        let _one_at_a_time = self.calls();
        let mut length = [0; 8];
        self.fill(&mut length, from, tag);
        let mut bytes = vec![0; u64::from_le_bytes(length) as usize];
        bytes.chunks_mut(MOST).for_each(|part| self.fill(part, from, tag));
        bytes
    }

    fn fill(&self, part: &mut [u8], from: usize, tag: Tag) {
        let (start, count) = (part.as_mut_ptr().cast::<c_void>(), part.len() as c_int);
        // SAFETY: `start` are `count` bytes that nobody else has; the status may be left out.
        unsafe {
            let (byte, from, tag) = (library::BYTE, from as c_int, tag as c_int);
            let none = core::ptr::null_mut();
            (self.functions.recv)(start, count, byte, from, tag, self.comm, none);
        }
    }

    /// Gives all ranks the bytes that `root` has.
    pub(crate) fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) {
        let mut length = (bytes.len() as u64).to_le_bytes();
        let _one_at_a_time = self.calls();
        self.spread(root, &mut length);
        bytes.resize(u64::from_le_bytes(length) as usize, 0);
        bytes.chunks_mut(MOST).for_each(|part| self.spread(root, part));
    }

    fn spread(&self, root: usize, part: &mut [u8]) {
        let (start, count) = (part.as_mut_ptr().cast::<c_void>(), part.len() as c_int);
        // SAFETY: `start` are `count` bytes that nobody else has, and as many on all ranks.
        unsafe {
            (self.functions.bcast)(start, count, library::BYTE, root as c_int, self.comm);
        }
    }

    /// Gives all ranks what each has, in their order.
    pub(crate) fn gather(&self, mine: &[u8]) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        if self.rank == 0 {
            let mut put = |bytes: &[u8]| {
                all.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
                all.extend_from_slice(bytes);
            };
            put(mine);
            (1..self.of).for_each(|from| put(&self.receive(from, Tag::Gather)));
        } else {
            self.send(0, Tag::Gather, mine);
        }
        self.broadcast(0, &mut all);
        let (mut parts, mut rest) = (Vec::with_capacity(self.of), &all[..]);
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
    // SAFETY: MPI was started by this library, and nobody calls it any more.
    unsafe {
        if status == 0 {
            (world.functions.finalize)();
        } else {
            (world.functions.abort)(COMM_WORLD, status);
        }
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
