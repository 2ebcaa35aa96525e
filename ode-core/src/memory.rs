//! Memory for large arrays, which the process keeps for the next solve.
//!
//! Fresh memory costs a page fault for each page, which takes longer than filling the page. So
//! arrays of at least one megabyte use huge pages, if the system has them, and a dropped array
//! returns its memory to a pool. A device can page-lock such memory once and then copy to it
//! directly in every later solve.

use core::any::Any;
use core::fmt;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use ode_macros::inlined;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::error::{Memory, SolveError};
use crate::reserve::reserve;

/// The size of a huge page. Blocks are multiples of it.
const HUGE: usize = 2 << 20;

/// Arrays of fewer bytes are vectors.
const LEAST: usize = 1 << 20;

/// An array of numbers: a vector, or memory of the pool.
///
/// A buffer behaves as a slice. When a buffer is dropped, memory of the pool is kept for the next
/// solve.
///
/// ```
/// use ode_core::memory::ResultBuffer;
///
/// let mut numbers = ResultBuffer::from(vec![1.0, 2.0]);
/// numbers[1] = 3.0;
/// assert_eq!(numbers.iter().sum::<f64>(), 4.0);
/// ```
pub struct ResultBuffer<T> {
    start: NonNull<T>,
    len: usize,
    owner: Owner<T>,
}

/// The owner of the memory of a [`ResultBuffer`].
enum Owner<T> {
    /// A vector of this capacity.
    Vec(usize),
    /// A block; the memory is its beginning.
    Kept(Block),
    /// A buffer whose memory is divided among parts; nothing reads it as a whole.
    Part(Arc<ResultBuffer<T>>),
}

// SAFETY: a buffer owns its numbers, as a vector does. A part shares only the count of parts.
unsafe impl<T: Send> Send for ResultBuffer<T> {}
// SAFETY: a buffer owns its numbers, and shared references only read them.
unsafe impl<T: Sync> Sync for ResultBuffer<T> {}

impl<T> ResultBuffer<T> {
    /// Creates an empty array.
    #[must_use]
    pub const fn new() -> Self {
        ResultBuffer { start: NonNull::dangling(), len: 0, owner: Owner::Vec(0) }
    }

    /// Returns the number of numbers that fit into the memory.
    #[must_use]
    pub fn capacity(&self) -> usize {
        match &self.owner {
            Owner::Vec(capacity) => *capacity,
            Owner::Kept(block) => block.bytes / size_of::<T>(),
            Owner::Part(_) => self.len,
        }
    }

    /// Divides the memory into buffers of `len` numbers; the last one may be shorter.
    ///
    /// The memory is freed or kept after the last of them is dropped.
    pub(crate) fn into_parts(self, len: usize) -> impl ExactSizeIterator<Item = ResultBuffer<T>> {
        let (start, total) = (self.start, self.len);
        let whole = Arc::new(self);
        (0..total.div_ceil(len)).map(move |part| {
            let from = part * len;
            // SAFETY: the buffer owns `total` numbers from `start` on, and `from` is less.
            let start = unsafe { start.add(from) };
            // The ranges of two parts do not overlap, and nothing refers to the whole but its drop.
            ResultBuffer { start, len: len.min(total - from), owner: Owner::Part(whole.clone()) }
        })
    }

    /// Page-locks the memory for `device`, if that pays.
    ///
    /// Locking pays if the memory comes from an earlier array and is not locked yet. (Locking fresh
    /// memory takes longer than one copy through memory that is locked already.) The lock stays with
    /// the memory.
    pub fn lock(&mut self, device: &dyn PageLock) {
        if let Owner::Kept(block) = &mut self.owner
            && block.used
            && block.locked.is_none()
        {
            // SAFETY: the whole block, borrowed exclusively, of which every byte is initialised.
            let bytes = unsafe {
                core::slice::from_raw_parts_mut(self.start.as_ptr().cast::<u8>(), block.bytes)
            };
            block.locked = device.page_lock(bytes);
            // If locking fails, it is not tried again until another array has the memory.
            block.used = block.locked.is_some();
        }
    }
}

impl<T: Pod> ResultBuffer<T> {
    /// Creates an array of `len` numbers with arbitrary values.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn of(len: usize) -> Result<Self, SolveError> {
        Self::made(len, false)
    }

    /// As [`of`](Self::of), in memory that `device` has [locked](Self::lock), if possible.
    pub(crate) fn of_device(len: usize, device: &dyn PageLock) -> Result<Self, SolveError> {
        let mut buffer = ResultBuffer::made(len, true)?;
        buffer.lock(device);
        Ok(buffer)
    }

    /// As [`of`](Self::of), in memory that is [locked](Self::lock) already, if there is any.
    fn made(len: usize, locked: bool) -> Result<Self, SolveError> {
        let bytes = len.saturating_mul(size_of::<T>());
        if bytes < LEAST {
            let mut values = reserve(len)?;
            values.resize(len, T::zeroed());
            return Ok(ResultBuffer::from(values));
        }
        let mut block = take(bytes, locked)?;
        // The block begins with a huge page, which is aligned for every number.
        let start = NonNull::from(block.bytes_mut()).cast();
        Ok(ResultBuffer { start, len, owner: Owner::Kept(block) })
    }

    /// Sets the length.
    ///
    /// The memory is reused if it suffices, and the values are arbitrary. New memory is
    /// [locked](Self::lock) already if there is any.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn fit(&mut self, len: usize) -> Result<(), SolveError> {
        let suits = match &self.owner {
            // Numbers beyond the length are not initialised, or belong to another part.
            Owner::Vec(_) | Owner::Part(_) => len <= self.len,
            Owner::Kept(block) => block.suits(len.saturating_mul(size_of::<T>())),
        };
        if suits {
            self.len = len;
        } else {
            // The old contents are dropped first: nothing is copied, and both never exist together.
            *self = ResultBuffer::new();
            *self = ResultBuffer::made(len, true)?;
        }
        Ok(())
    }
}

impl<T> Drop for ResultBuffer<T> {
    fn drop(&mut self) {
        match core::mem::replace(&mut self.owner, Owner::Vec(0)) {
            Owner::Vec(capacity) => {
                // SAFETY: the pointer and the capacity are those of a vector (`From`). The length
                // may be less than the vector's, which forgets numbers that need no drop (`fit`
                // requires `Pod`).
                let values =
                    unsafe { Vec::from_raw_parts(self.start.as_ptr(), self.len, capacity) };
                drop(values);
            }
            Owner::Kept(block) => give_back(block),
            Owner::Part(whole) => drop(whole),
        }
    }
}

impl<T> Deref for ResultBuffer<T> {
    type Target = [T];

    #[inlined]
    fn deref(&self) -> &[T] {
        // SAFETY: the buffer owns `len` numbers from `start` on, alone even as a part. The numbers
        // belong to a vector, or are any bytes of a mapping, which are initialised and valid for a
        // `Pod` (`of`).
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for ResultBuffer<T> {
    #[inlined]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: the buffer owns `len` initialised numbers, as in `deref`, and the borrow is
        // exclusive.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl<T> From<Vec<T>> for ResultBuffer<T> {
    fn from(values: Vec<T>) -> Self {
        let mut values = ManuallyDrop::new(values);
        // A vector's pointer is never null.
        let start = NonNull::new(values.as_mut_ptr()).unwrap_or(NonNull::dangling());
        ResultBuffer { start, len: values.len(), owner: Owner::Vec(values.capacity()) }
    }
}

impl<T> Default for ResultBuffer<T> {
    fn default() -> Self {
        ResultBuffer::new()
    }
}

/// A copy is a vector.
impl<T: Clone> Clone for ResultBuffer<T> {
    fn clone(&self) -> Self {
        ResultBuffer::from(self.to_vec())
    }
}

impl<T: fmt::Debug> fmt::Debug for ResultBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for ResultBuffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'a, T> IntoIterator for &'a ResultBuffer<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A guard that unlocks page-locked memory when it is dropped.
pub type Locked = Box<dyn Any + Send + Sync>;

/// A device that page-locks memory, to copy from it and to it directly.
pub trait PageLock: Sync {
    /// Page-locks memory, if that is possible.
    ///
    /// The result unlocks the memory when it is dropped, before the memory is freed.
    fn page_lock(&self, memory: &mut [u8]) -> Option<Locked>;
}

impl<F: Fn(&mut [u8]) -> Option<Locked> + Sync> PageLock for F {
    fn page_lock(&self, memory: &mut [u8]) -> Option<Locked> {
        self(memory)
    }
}

/// Memory of whole huge pages.
struct Block {
    /// The lock, dropped before the memory.
    locked: Option<Locked>,
    /// Whether an earlier array used the block, so that its pages exist.
    used: bool,
    /// The offset of the first huge page.
    start: usize,
    bytes: usize,
    map: MmapMut,
}

impl Block {
    fn new(bytes: usize) -> Option<Block> {
        let whole = bytes.checked_add(HUGE)?;
        let map = MmapMut::map_anon(whole).ok()?;
        // If there are no huge pages, the system uses small ones.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let start = map.as_ptr().align_offset(HUGE).min(HUGE);
        Some(Block { locked: None, used: false, start, bytes, map })
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map[self.start..self.start + self.bytes]
    }

    /// Returns whether this many bytes fit without much waste.
    fn suits(&self, bytes: usize) -> bool {
        bytes <= self.bytes && self.bytes <= bytes.saturating_add(bytes / 2).max(2 * HUGE)
    }
}

/// Blocks that are not in use, the last returned at the end.
static POOL: Mutex<Vec<Block>> = Mutex::new(Vec::new());

fn pool() -> MutexGuard<'static, Vec<Block>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the smallest suitable block from the pool, or a new one.
///
/// Blocks whose lock is as requested come first.
fn take(bytes: usize, locked: bool) -> Result<Block, SolveError> {
    let bytes = bytes.checked_next_multiple_of(HUGE).unwrap_or(usize::MAX);
    {
        let mut pool = pool();
        let suited = pool.iter().enumerate().filter(|(_, block)| block.suits(bytes));
        let best = suited.min_by_key(|(_, block)| (block.locked.is_some() != locked, block.bytes));
        if let Some((index, _)) = best {
            return Ok(pool.remove(index));
        }
    }
    Block::new(bytes)
        .or_else(|| {
            trim();
            Block::new(bytes)
        })
        .ok_or(SolveError::OutOfMemory { bytes, memory: Memory::Host })
}

/// Returns a block to the pool, and frees the oldest blocks if the pool is full.
fn give_back(mut block: Block) {
    block.used = true;
    let most = most_kept();
    if block.bytes > most {
        return;
    }
    let mut old = Vec::new();
    let mut pool = pool();
    while pool.iter().map(|block| block.bytes).sum::<usize>() + block.bytes > most {
        old.push(pool.remove(0));
    }
    pool.push(block);
    // Unlocking takes a while, so the pool is released before.
    drop(pool);
}

/// The largest number of bytes in the pool.
///
/// The limit is an eighth of the memory that the process may have.
fn most_kept() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| {
        let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
            let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
            line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
        });
        let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max")
            .ok()
            .and_then(|text| text.trim().parse::<usize>().ok());
        let memory = machine.into_iter().chain(group).min();
        memory.unwrap_or(8 << 30) / 8
    })
}

/// Frees the memory that is kept for later solves.
///
/// ```
/// ode_core::memory::trim();
/// assert_eq!(ode_core::memory::kept(), 0);
/// ```
pub fn trim() {
    let blocks = core::mem::take(&mut *pool());
    drop(blocks);
}

/// Returns the number of bytes that are kept for later solves.
///
/// These bytes come from dropped solutions, and are at most an eighth of the memory that the
/// process may have. [`trim`] frees them.
#[must_use]
pub fn kept() -> usize {
    pool().iter().map(|block| block.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Serialises the tests that read the pool.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn small_arrays_are_vectors_and_large_ones_are_used_again() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        trim();
        let mut small = ResultBuffer::<u32>::of(1000).unwrap();
        small.fill(7);
        assert_eq!(small.len(), 1000);
        drop(small);
        assert_eq!(kept(), 0);

        let len = (5 << 20) / size_of::<f64>() + 1;
        let mut large = ResultBuffer::<f64>::of(len).unwrap();
        assert_eq!(large.as_ptr().align_offset(HUGE), 0);
        large.fill(1.5);
        let at = large.as_ptr().addr();
        large.fit(len - 3).unwrap();
        assert_eq!((large.len(), large.as_ptr().addr()), (len - 3, at));
        drop(large);
        assert_eq!(kept(), 6 << 20);
        // Another type of number, of about the same size.
        let again = ResultBuffer::<u8>::of(5 << 20).unwrap();
        assert_eq!((again.as_ptr().addr(), kept()), (at, 0));
        // A request that would waste most of the block does not get it.
        drop(again);
        let other = ResultBuffer::<u8>::of(1 << 20).unwrap();
        assert_ne!(other.as_ptr().addr(), at);
        drop(other);
        trim();
        assert_eq!(kept(), 0);
    }

    #[test]
    fn parts_free_the_memory_together() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        trim();
        for len in [7, 1 << 19] {
            let whole = ResultBuffer::<f32>::of(len).unwrap();
            let part = len / 3 + 1;
            let mut parts: Vec<_> = whole.into_parts(part).collect();
            let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
            assert_eq!(lengths, [part, part, len - 2 * part]);
            for (value, part) in parts.iter_mut().enumerate() {
                part.fill(value as f32);
            }
            let last = parts.pop().unwrap();
            assert_eq!((parts[1][0], last[0], last.capacity()), (1.0, 2.0, last.len()));
            drop(parts);
            assert_eq!(kept(), 0);
            drop(last);
            assert_eq!(kept(), if len == 7 { 0 } else { 2 << 20 });
        }
        trim();
    }

    /// Counts the locks.
    struct Guard(Arc<AtomicUsize>);

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn memory_is_locked_once_when_it_is_used_again() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        trim();
        let locked = Arc::new(AtomicUsize::new(0));
        let lock = |_: &mut [u8]| {
            locked.fetch_add(1, Ordering::Relaxed);
            Some(Box::new(Guard(locked.clone())) as Locked)
        };
        let count = || locked.load(Ordering::Relaxed);
        let mut first = ResultBuffer::<f32>::of(1 << 20).unwrap();
        first.lock(&lock);
        assert_eq!(count(), 0, "fresh memory");
        drop(first);
        for _ in 0..3 {
            let mut again = ResultBuffer::<f32>::new();
            again.fit(1 << 20).unwrap();
            again.lock(&lock);
            assert_eq!(count(), 1);
            // A request for memory without a lock takes other memory, if there is any.
            drop(ResultBuffer::<f32>::of(1 << 20).unwrap());
        }
        trim();
        assert_eq!(count(), 0, "unlocked before it is freed");
        // If locking fails, it is tried once for each array.
        let refused = AtomicUsize::new(0);
        let refuse = |_: &mut [u8]| {
            refused.fetch_add(1, Ordering::Relaxed);
            None
        };
        drop(ResultBuffer::<f32>::of(1 << 20).unwrap());
        let mut again = ResultBuffer::<f32>::of(1 << 20).unwrap();
        again.lock(&refuse);
        again.lock(&refuse);
        assert_eq!(refused.into_inner(), 1);
        drop(again);
        trim();
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for len in [usize::MAX / 8, 1 << 58, usize::MAX] {
            let error = ResultBuffer::<f64>::of(len).unwrap_err();
            let memory = matches!(error, SolveError::OutOfMemory { memory: Memory::Host, .. });
            assert!(memory, "{error}");
        }
    }
}
