//! What is asked of an MPI library.

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// A rank asks rank 0 for work.
    Ask = 1,
    /// Rank 0 answers.
    Answer = 2,
    /// Something for all, by way of rank 0.
    Gather = 3,
    /// A rank has ended: it says so to rank 0, and rank 0 to all.
    End = 4,
}

/// An MPI library that has started. One thread at a time calls it: any thread if it gives
/// [`any_thread`](Started::any_thread), otherwise the one that started it. An error ends the program, whatever
/// handler of errors the program has set.
///
/// Functions that wait call `rest` again and again, which sleeps and may let other threads call. MPI's own functions that
/// wait use a core meanwhile.
pub(super) trait Library: Send + Sync + Sized {
    /// Whose launcher starts ranks that reach each other by it, for messages.
    const WHOSE: &'static str;

    /// Starts MPI, or finds it started.
    ///
    /// # Errors
    /// Why there is no MPI.
    fn start() -> Result<(Self, Started), String>;

    /// Sends bytes to a rank.
    fn send(&self, to: usize, tag: Tag, bytes: &[u8], rest: &mut dyn FnMut());

    /// The rank of which a message has come, of one or of any, if there is one.
    fn probe(&self, from: Option<usize>, tag: Tag) -> Option<usize>;

    /// The next message of a rank, which has so many bytes.
    fn receive(&self, from: usize, tag: Tag, bytes: &mut [u8], rest: &mut dyn FnMut());

    /// Gives all ranks the bytes of `root`, which are as many on each.
    fn broadcast(&self, root: usize, bytes: &mut [u8], rest: &mut dyn FnMut());

    /// Returns when all ranks are here.
    fn meet(&self, rest: &mut dyn FnMut());

    /// Ends MPI.
    fn finalize(&self);

    /// Ends all ranks, with this status.
    fn abort(&self, status: i32) -> !;
}

/// What a library says of this process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Started {
    /// The number of this process.
    pub(super) rank: usize,
    /// The number of processes.
    pub(super) of: usize,
    /// The number of this process among those of its machine.
    pub(super) local_rank: usize,
    /// Whether threads may talk that did not start MPI, one at a time.
    pub(super) any_thread: bool,
    /// Whether it was not the program that started MPI. Then the program does not end it either.
    pub(super) by_us: bool,
}
