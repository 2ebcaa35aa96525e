//! The interface to an MPI library.

/// The subject of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// A request for chunks to rank 0.
    Ask = 1,
    /// The answer of rank 0.
    Answer = 2,
    /// Bytes for all ranks, collected by rank 0.
    Gather = 3,
    /// A rank has ended; sent to rank 0, and by rank 0 to all.
    End = 4,
}

/// An MPI library that has started.
///
/// One thread at a time calls it: any thread if [`any_thread`](Started::any_thread) is set,
/// otherwise the thread that started it. An error ends the program, even if the program has set
/// another error handler.
///
/// Blocking functions call `rest` repeatedly, which sleeps and may let other threads call. MPI's
/// own blocking functions would occupy a core.
pub(super) trait Library: Send + Sync + Sized {
    /// The library with the launcher that starts connected ranks, for error messages.
    const WHOSE: &'static str;

    /// Starts MPI, or uses it if it is started.
    ///
    /// # Errors
    /// The reason why there is no MPI.
    fn start() -> Result<(Self, Started), String>;

    /// Sends bytes to a rank.
    fn send(&self, to: usize, tag: Tag, bytes: &[u8], rest: &mut dyn FnMut());

    /// Returns the sender of a message that has arrived, from the given rank or any.
    fn probe(&self, from: Option<usize>, tag: Tag) -> Option<usize>;

    /// Receives the next message of a rank, which has the length of `bytes`.
    fn receive(&self, from: usize, tag: Tag, bytes: &mut [u8], rest: &mut dyn FnMut());

    /// Broadcasts the bytes of `root` to all ranks; the length is the same on each.
    fn broadcast(&self, root: usize, bytes: &mut [u8], rest: &mut dyn FnMut());

    /// Returns when all ranks have called it.
    fn meet(&self, rest: &mut dyn FnMut());

    /// Ends MPI.
    fn finalize(&self);

    /// Aborts all ranks, with this status.
    fn abort(&self, status: i32) -> !;
}

/// The properties of this process in MPI.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    /// The rank of this process.
    pub(super) rank: usize,
    /// The number of processes.
    pub(super) of: usize,
    /// The index of this process on its machine.
    pub(super) local_rank: usize,
    /// Whether threads that did not start MPI may call it, one at a time.
    pub(super) any_thread: bool,
    /// Whether this crate started MPI. If the program started MPI, the program must end it too.
    pub(super) by_us: bool,
}
