//! Memory for many numbers, which the process keeps for the next solve.
//!
//! Fresh memory costs a page fault for each page, which takes longer than filling it. So arrays of
//! a megabyte and more lie in huge pages, where the system has them, and a dropped array leaves its
//! memory in a pool. A device can page-lock such memory once and then copy to it directly, solve
//! after solve.

use core::any::Any;
use core::fmt;
use core::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::error::{Memory, SolveError};
use crate::room::room;

/// The size of a huge page, of which blocks are multiples.
const HUGE: usize = 2 << 20;

/// Arrays of fewer bytes are vectors.
const LEAST: usize = 1 << 20;

/// An array of numbers: a vector, or memory that goes to the next solve when it is dropped. It is a
/// slice in all but its owner.
///
/// ```
/// use ode_core::memory::Buffer;
///
/// let mut numbers = Buffer::from(vec![1.0, 2.0]);
/// numbers[1] = 3.0;
/// assert_eq!(numbers.iter().sum::<f64>(), 4.0);
/// ```
pub struct Buffer<T>(Kind<T>);

enum Kind<T> {
    Vec(Vec<T>),
    Kept(Box<dyn Numbers<T>>),
}

impl<T> Buffer<T> {
    /// No numbers.
    #[must_use]
    pub const fn new() -> Self {
        Buffer(Kind::Vec(Vec::new()))
    }
}

impl<T: Pod + Send + Sync> Buffer<T> {
    /// An array of `len` numbers, whose values are arbitrary.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn of(len: usize) -> Result<Self, SolveError> {
        let mut numbers = Buffer::new();
        numbers.fit(len)?;
        Ok(numbers)
    }

    /// Sets the length. The memory is used again if it suffices, and the values are arbitrary.
    ///
    /// # Errors
    /// [`SolveError::OutOfMemory`].
    pub fn fit(&mut self, len: usize) -> Result<(), SolveError> {
        let bytes = len.saturating_mul(size_of::<T>());
        match &mut self.0 {
            Kind::Kept(numbers) => {
                if numbers.set_len(len) {
                    return Ok(());
                }
            }
            Kind::Vec(values) => {
                if values.capacity() >= len {
                    values.resize(len, T::zeroed());
                    return Ok(());
                }
            }
        }
        // The old contents need not be copied, nor be there at the same time.
        self.0 = Kind::Vec(Vec::new());
        if bytes < LEAST {
            let mut values = room(len)?;
            values.resize(len, T::zeroed());
            self.0 = Kind::Vec(values);
        } else {
            let block = Some(take(bytes)?);
            self.0 = Kind::Kept(Box::new(Kept { block, len }));
        }
        Ok(())
    }

    /// The number of numbers that the memory has room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        match &self.0 {
            Kind::Vec(values) => values.capacity(),
            Kind::Kept(numbers) => numbers.capacity(),
        }
    }

    /// Has `lock` page-lock the memory where that pays: where it comes from an earlier array and is
    /// not locked yet. (Locking fresh memory takes longer than one copy through memory that is
    /// locked already.) What `lock` returns stays with the memory, and unlocks it when dropped.
    pub fn lock(&mut self, lock: &dyn Fn(&mut [u8]) -> Option<Locked>) {
        if let Kind::Kept(numbers) = &mut self.0 {
            numbers.lock(lock);
        }
    }
}

impl<T> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Kind::Vec(values) => values,
            Kind::Kept(numbers) => numbers.get(),
        }
    }
}

impl<T> DerefMut for Buffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Kind::Vec(values) => values,
            Kind::Kept(numbers) => numbers.get_mut(),
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Buffer(Kind::Vec(values))
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Buffer::new()
    }
}

/// A copy is a vector.
impl<T: Clone> Clone for Buffer<T> {
    fn clone(&self) -> Self {
        Buffer::from(self.to_vec())
    }
}

impl<T: fmt::Debug> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: PartialEq> PartialEq for Buffer<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<'a, T> IntoIterator for &'a Buffer<T> {
    type Item = &'a T;
    type IntoIter = core::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// What unlocks page-locked memory when it is dropped.
pub type Locked = Box<dyn Any + Send + Sync>;

/// Numbers in memory that is kept. The trait is there so that a [`Buffer`] asks nothing of its
/// numbers' type.
trait Numbers<T>: Send + Sync {
    fn get(&self) -> &[T];
    fn get_mut(&mut self) -> &mut [T];
    /// Whether there is room for so many, without much waste.
    fn set_len(&mut self, len: usize) -> bool;
    fn capacity(&self) -> usize;
    fn lock(&mut self, lock: &dyn Fn(&mut [u8]) -> Option<Locked>);
}

/// The first numbers of a block.
struct Kept {
    /// `None` only while it is being dropped.
    block: Option<Block>,
    len: usize,
}

impl<T: Pod> Numbers<T> for Kept {
    fn get(&self) -> &[T] {
        self.block.as_ref().map_or(&[], |block| bytemuck::cast_slice(block.first::<T>(self.len)))
    }

    fn get_mut(&mut self) -> &mut [T] {
        let len = self.len;
        self.block
            .as_mut()
            .map_or(&mut [], |block| bytemuck::cast_slice_mut(block.first_mut::<T>(len)))
    }

    fn set_len(&mut self, len: usize) -> bool {
        let fits = self
            .block
            .as_ref()
            .is_some_and(|block| block.suits(len.saturating_mul(size_of::<T>())));
        if fits {
            self.len = len;
        }
        fits
    }

    fn capacity(&self) -> usize {
        self.block.as_ref().map_or(0, |block| block.bytes / size_of::<T>())
    }

    fn lock(&mut self, lock: &dyn Fn(&mut [u8]) -> Option<Locked>) {
        if let Some(block) = &mut self.block
            && block.used
            && block.locked.is_none()
        {
            block.locked = lock(block.bytes_mut());
            // One that cannot be locked is not asked for again until it is another array's.
            block.used = block.locked.is_some();
        }
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(mut block) = self.block.take() {
            block.used = true;
            give_back(block);
        }
    }
}

/// Memory of whole huge pages.
struct Block {
    /// Dropped before the memory is.
    locked: Option<Locked>,
    /// Whether an earlier array had it, so that its pages are there.
    used: bool,
    /// Where the first huge page begins.
    start: usize,
    bytes: usize,
    map: MmapMut,
}

impl Block {
    fn new(bytes: usize) -> Option<Block> {
        let whole = bytes.checked_add(HUGE)?;
        let map = MmapMut::map_anon(whole).ok()?;
        // Where there are no huge pages, small ones do.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        let start = map.as_ptr().align_offset(HUGE).min(HUGE);
        Some(Block { locked: None, used: false, start, bytes, map })
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.map[self.start..self.start + self.bytes]
    }

    fn first<T>(&self, len: usize) -> &[u8] {
        &self.map[self.start..self.start + len * size_of::<T>()]
    }

    fn first_mut<T>(&mut self, len: usize) -> &mut [u8] {
        &mut self.map[self.start..self.start + len * size_of::<T>()]
    }

    /// Whether so many bytes fit without much waste.
    fn suits(&self, bytes: usize) -> bool {
        bytes <= self.bytes && self.bytes <= bytes.saturating_add(bytes / 2).max(2 * HUGE)
    }
}

/// Blocks that are not in use, the one that came back last at the end.
static POOL: Mutex<Vec<Block>> = Mutex::new(Vec::new());

fn pool() -> MutexGuard<'static, Vec<Block>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a block from the pool: one that is locked if there is one, the smallest of these.
fn take(bytes: usize) -> Result<Block, SolveError> {
    let bytes = bytes.checked_next_multiple_of(HUGE).unwrap_or(usize::MAX);
    {
        let mut pool = pool();
        let suited = pool.iter().enumerate().filter(|(_, block)| block.suits(bytes));
        let best = suited.min_by_key(|(_, block)| (block.locked.is_none(), block.bytes));
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

/// Puts a block into the pool. The ones that have waited longest make room for it.
fn give_back(block: Block) {
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
    // Unlocking takes a while: not while others wait for the pool.
    drop(pool);
}

/// The most bytes that the pool keeps: an eighth of the memory that the process may have.
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

/// Gives the memory that is kept for later solves back to the system.
///
/// ```
/// ode_core::memory::trim();
/// assert_eq!(ode_core::memory::kept(), 0);
/// ```
pub fn trim() {
    let blocks = core::mem::take(&mut *pool());
    drop(blocks);
}

/// The number of bytes that are kept for later solves: of dropped solutions, an eighth of the
/// machine's memory at most. [`trim`] gives them back.
#[must_use]
pub fn kept() -> usize {
    pool().iter().map(|block| block.bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Tests that look at the pool take turns.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn small_arrays_are_vectors_and_large_ones_are_used_again() {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        trim();
        let mut small = Buffer::<u32>::of(1000).unwrap();
        small.fill(7);
        assert_eq!(small.len(), 1000);
        drop(small);
        assert_eq!(kept(), 0);

        let len = (5 << 20) / size_of::<f64>() + 1;
        let mut large = Buffer::<f64>::of(len).unwrap();
        assert_eq!(large.as_ptr().align_offset(HUGE), 0);
        large.fill(1.5);
        let at = large.as_ptr().addr();
        large.fit(len - 3).unwrap();
        assert_eq!((large.len(), large.as_ptr().addr()), (len - 3, at));
        drop(large);
        assert_eq!(kept(), 6 << 20);
        // Another type of number, of about the same size.
        let again = Buffer::<u8>::of(5 << 20).unwrap();
        assert_eq!((again.as_ptr().addr(), kept()), (at, 0));
        // One that would waste most of it does not get it.
        drop(again);
        let other = Buffer::<u8>::of(1 << 20).unwrap();
        assert_ne!(other.as_ptr().addr(), at);
        drop(other);
        trim();
        assert_eq!(kept(), 0);
    }

    /// Counts what is locked.
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
        let mut first = Buffer::<f32>::of(1 << 20).unwrap();
        first.lock(&lock);
        assert_eq!(count(), 0, "fresh memory");
        drop(first);
        for _ in 0..3 {
            let mut again = Buffer::<f32>::of(1 << 20).unwrap();
            again.lock(&lock);
            assert_eq!(count(), 1);
        }
        trim();
        assert_eq!(count(), 0, "unlocked before it is freed");
        // What cannot be locked is asked for once for each array.
        let refused = AtomicUsize::new(0);
        let refuse = |_: &mut [u8]| {
            refused.fetch_add(1, Ordering::Relaxed);
            None
        };
        drop(Buffer::<f32>::of(1 << 20).unwrap());
        let mut again = Buffer::<f32>::of(1 << 20).unwrap();
        again.lock(&refuse);
        again.lock(&refuse);
        assert_eq!(refused.into_inner(), 1);
        drop(again);
        trim();
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        for len in [usize::MAX / 8, 1 << 58, usize::MAX] {
            let error = Buffer::<f64>::of(len).unwrap_err();
            let memory = matches!(error, SolveError::OutOfMemory { memory: Memory::Host, .. });
            assert!(memory, "{error}");
        }
    }
}
