//! Copies between one piece of device memory and many pieces of host memory.
//!
//! An ensemble's columns are vectors of their own on the host, and a batch is a part of each. On
//! the device a batch is one piece of memory. These copies gather and scatter in the page-locked
//! blocks that the bus reads and writes anyway, so no number is copied once more than the bus
//! needs, and many small arrays cost no more calls than one large one.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, LazyLock, mpsc};

use cudarc::driver::sys;
use cudarc::driver::{CudaSlice, CudaView};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{DriverCall, GpuError};
use crate::memory::Stream;
use crate::pinned::{DEPTH, Direction, PIECE, Pinned, Transfer};

/// The number of bytes that one thread copies at a time.
const PART: usize = 1 << 18;

/// The size of a huge page. Threads that share a fresh one each seem to clear it (measured: 84 ms
/// for 1.3 GB, where parts of the same bytes that are pages each take 34 ms), so that the parts of
/// long copies are pages of where they go.
const HUGE: usize = 2 << 20;

/// How many pieces of a download are on their way: on the bus, or with threads that copy them.
const PIECES_DOWN: usize = 16;

/// The threads that copy between the memory of solves and page-locked memory. They are no other's:
/// a thread of rayon's pool may be waiting for the solve whose results they copy. `None` where no
/// threads can be had.
fn copiers() -> Option<&'static ThreadPool> {
    static COPIERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
        let name = |i| format!("odes-copy-{i}");
        ThreadPoolBuilder::new().thread_name(name).build().ok()
    });
    COPIERS.as_ref()
}

/// Bytes to upload to a place in device memory.
pub(crate) type Source<'a> = (usize, &'a [u8]);

/// A place in device memory, and where its bytes belong.
pub(crate) type Target<'a> = (usize, &'a mut [u8]);

impl Stream {
    /// Queues copies of `sources` to `device`. They are ordered by their places, do not overlap,
    /// and end before `end`; bytes of the device between them become anything. The host memory is
    /// free to change when this returns.
    pub(crate) fn upload_rows(
        &self,
        sources: &[Source<'_>],
        end: usize,
        device: &mut CudaSlice<u8>,
    ) -> Result<Vec<Transfer<u8>>, GpuError> {
        let piece = PIECE.min(end);
        let mut under_way: VecDeque<Transfer<u8>> = VecDeque::new();
        let mut at = 0;
        while at < end {
            let len = piece.min(end - at);
            let finished = if under_way.len() < DEPTH { None } else { under_way.pop_front() };
            let mut pinned = match finished {
                Some(transfer) => transfer.wait()?,
                None => Pinned::new(self, piece, Direction::Upload)?,
            };
            if !pinned.resize(len) {
                pinned = Pinned::new(self, len, Direction::Upload)?;
            }
            fill(&mut pinned, at, sources);
            under_way.push_back(self.start_upload(pinned, device, at)?);
            at += len;
        }
        Ok(under_way.into())
    }

    /// Waits for the work queued so far and copies `device` to `targets`, which are ordered by
    /// their places and do not overlap. When it returns, all of every target is written that lies
    /// within `device`.
    pub(crate) fn download_rows(
        &self,
        device: &CudaView<'_, u8>,
        targets: Vec<Target<'_>>,
    ) -> Result<(), GpuError> {
        let mut targets = VecDeque::from(targets);
        let total = device.len();
        let threads = copiers().filter(|_| total > PART);
        let Some(threads) = threads else {
            return self.download_pieces(device, |at, piece| {
                for (from, to) in parts_of(piece.len(), at, &mut targets) {
                    to.copy_from_slice(&piece[from..from + to.len()]);
                }
            });
        };
        let (empty, emptied) = mpsc::channel();
        threads.in_place_scope(|scope| {
            let mut under_way: VecDeque<(usize, Transfer<u8>)> = VecDeque::new();
            let (mut made, mut next) = (0, 0);
            loop {
                while next < total {
                    let len = PIECE.min(total - next);
                    let pinned = match emptied.try_recv() {
                        Ok(pinned) => pinned,
                        Err(_) if made < PIECES_DOWN => {
                            made += 1;
                            Pinned::new(self, PIECE.min(total), Direction::Download)?
                        }
                        // The copies that are under way come first; after them those who copy.
                        Err(_) if !under_way.is_empty() => break,
                        Err(_) => match emptied.recv() {
                            Ok(pinned) => pinned,
                            Err(_) => break,
                        },
                    };
                    let view = device.slice(next..next + len);
                    under_way.push_back((next, self.start_download(&view, pinned)?));
                    next += len;
                }
                let Some((at, transfer)) = under_way.pop_front() else { return Ok(()) };
                let piece = Arc::new(transfer.wait()?);
                let len = PIECE.min(total - at);
                for (from, to) in parts_of(len, at, &mut targets) {
                    let (piece, empty) = (piece.clone(), empty.clone());
                    scope.spawn(move |_| {
                        to.copy_from_slice(&piece[from..from + to.len()]);
                        if let Some(piece) = Arc::into_inner(piece) {
                            // Nobody waits for the last ones.
                            let _ = empty.send(piece);
                        }
                    });
                }
                if let Some(piece) = Arc::into_inner(piece) {
                    let _ = empty.send(piece);
                }
            }
        })
    }

    /// Queues copies from device memory at `from`, rows that are `pitch` bytes apart, to rows of
    /// page-locked host memory.
    ///
    /// # Safety
    /// The stream is waited for while the rows are still borrowed, and the device memory is there.
    pub(crate) unsafe fn start_rows(
        &self,
        from: u64,
        pitch: usize,
        mut rows: Vec<&mut [u8]>,
    ) -> Result<(), GpuError> {
        let Some(first) = rows.first_mut() else { return Ok(()) };
        let (width, begin) = (first.len(), first.as_mut_ptr());
        if width == 0 {
            return Ok(());
        }
        self.context().bind_to_thread().call("cuCtxSetCurrent")?;
        let apart = rows.get(1).map_or(width, |row| row.as_ptr().addr() - begin.addr());
        let even = rows
            .iter()
            .enumerate()
            .all(|(r, row)| row.len() == width && row.as_ptr().addr() == begin.addr() + r * apart);
        // The driver's largest distance between rows.
        if even && rows.len() > 1 && apart.max(pitch) <= i32::MAX as usize {
            let copy = sys::CUDA_MEMCPY2D {
                srcXInBytes: 0,
                srcY: 0,
                srcMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_DEVICE,
                srcHost: std::ptr::null(),
                srcDevice: from,
                srcArray: std::ptr::null_mut(),
                srcPitch: pitch,
                dstXInBytes: 0,
                dstY: 0,
                dstMemoryType: sys::CUmemorytype::CU_MEMORYTYPE_HOST,
                dstHost: begin.cast(),
                dstDevice: 0,
                dstArray: std::ptr::null_mut(),
                dstPitch: apart,
                WidthInBytes: width,
                Height: rows.len(),
            };
            // SAFETY: it writes the rows and nothing between them, which are borrowed exclusively;
            // they and the source outlive the copy (the caller's promise).
            let queued = unsafe { sys::cuMemcpy2DAsync_v2(&copy, self.raw().cu_stream()) };
            return queued.result().call("cuMemcpy2DAsync");
        }
        for (r, row) in rows.into_iter().enumerate() {
            let (to, from) = (row.as_mut_ptr(), from + (r * pitch) as u64);
            // SAFETY: as above, for one row.
            let queued = unsafe {
                sys::cuMemcpyDtoHAsync_v2(to.cast(), from, row.len(), self.raw().cu_stream())
            };
            queued.result().call("cuMemcpyDtoHAsync")?;
        }
        Ok(())
    }
}

/// What of `targets` lies in the window of `len` bytes at `at`: for each part where it begins in the
/// window. The parts end where huge pages of the host do. Targets before the window are left out.
fn parts_of<'a>(
    len: usize,
    at: usize,
    targets: &mut VecDeque<Target<'a>>,
) -> Vec<(usize, &'a mut [u8])> {
    let end = at + len;
    let mut parts = Vec::new();
    while let Some((place, target)) = targets.pop_front() {
        if place >= end {
            targets.push_front((place, target));
            break;
        }
        let to_page = HUGE - target.as_ptr().addr() % HUGE;
        let now = target.len().min(end - place).min(to_page);
        let (now, later) = target.split_at_mut(now);
        let behind = place + now.len();
        parts.push((place - at, now));
        if !later.is_empty() {
            targets.push_front((behind, later));
        }
    }
    parts
}

/// Copies what of `sources` lies in the window of `window.len()` bytes at `at`.
fn fill(window: &mut [u8], at: usize, sources: &[Source<'_>]) {
    let end = at + window.len();
    let first = sources.partition_point(|(place, bytes)| place + bytes.len() <= at);
    let (mut rest, mut here) = (window, at);
    let mut parts = Vec::new();
    for (place, bytes) in sources[first..].iter().take_while(|(place, _)| *place < end) {
        let (from, to) = ((*place).max(at), (place + bytes.len()).min(end));
        let (_, tail) = mem::take(&mut rest).split_at_mut(from - here);
        let (part, tail) = tail.split_at_mut(to - from);
        parts.push((&bytes[from - place..to - place], part));
        (rest, here) = (tail, to);
    }
    each_part(parts, |from, to| to.copy_from_slice(from));
}

/// Copies by all cores: one core can neither fill write-combined memory nor take the page faults
/// of fresh memory as fast as the bus goes.
fn each_part<A: Copy + Sync, B: Send>(
    parts: Vec<(&[A], &mut [B])>,
    copy: impl Fn(&[A], &mut [B]) + Sync,
) {
    let total: usize = parts.iter().map(|(from, _)| from.len()).sum();
    match copiers().filter(|_| total > PART) {
        None => parts.into_iter().for_each(|(from, to)| copy(from, to)),
        Some(threads) => threads.install(|| {
            parts
                .into_par_iter()
                .flat_map(|(from, to)| from.par_chunks(PART).zip(to.par_chunks_mut(PART)))
                .for_each(|(from, to)| copy(from, to));
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_take_their_part_of_every_source() {
        let data: Vec<u8> = (1..=200).collect();
        let sources: Vec<Source<'_>> =
            vec![(3, &data[..10]), (13, &data[10..11]), (20, &data[20..100]), (120, &data[100..])];
        let mut whole = vec![0; 230];
        fill(&mut whole, 0, &sources);
        for (place, bytes) in &sources {
            assert_eq!(&whole[*place..place + bytes.len()], *bytes);
        }
        assert_eq!(whole.iter().filter(|b| **b == 0).count(), 230 - 191);
        for piece in [1, 7, 64, 229] {
            let mut pieces = Vec::new();
            for at in (0..230).step_by(piece) {
                let mut window = vec![0; piece.min(230 - at)];
                fill(&mut window, at, &sources);
                pieces.extend(window);
            }
            assert_eq!(pieces, whole, "pieces of {piece}");
        }
    }

    /// Each byte goes to its row, whatever the windows and wherever pages end.
    #[test]
    fn windows_give_their_part_to_every_target() {
        let device: Vec<u8> = (0..5 << 20).map(|i| (i % 251) as u8).collect();
        let places = [(3, 10), (20, 3 << 20), ((4 << 20) + 7, 100), ((5 << 20) - 1, 1)];
        for window in [7 << 10, PIECE, 5 << 20] {
            let mut rows: Vec<Vec<u8>> = places.iter().map(|(_, len)| vec![0; *len]).collect();
            let targets = places.iter().zip(&mut rows).map(|((at, _), row)| (*at, &mut row[..]));
            let mut targets: VecDeque<Target<'_>> = targets.collect();
            for at in (0..device.len()).step_by(window) {
                let piece = &device[at..device.len().min(at + window)];
                for (from, to) in parts_of(piece.len(), at, &mut targets) {
                    let page = |address: usize| address / HUGE;
                    let begin = to.as_ptr().addr();
                    assert_eq!(page(begin), page(begin + to.len() - 1));
                    to.copy_from_slice(&piece[from..from + to.len()]);
                }
            }
            assert!(targets.is_empty());
            for ((at, len), row) in places.iter().zip(&rows) {
                assert!(device[*at..at + len] == row[..], "{at}");
            }
        }
    }
}
