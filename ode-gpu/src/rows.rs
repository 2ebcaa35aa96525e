//! Copies between one range of device memory and many ranges of host memory.
//!
//! On the host, the inputs of an ensemble are separate vectors, and a batch is a slice of each. On
//! the device a batch is one range of memory. These copies gather and scatter in the page-locked
//! blocks that the bus uses anyway. They therefore need no extra copy, and many small arrays cost
//! as few calls as a large one.

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, LazyLock, mpsc};

use cudarc::driver::sys;
use cudarc::driver::{CudaSlice, CudaView, DevicePtrMut};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::{DriverCall, GpuError};
use crate::locked::is_locked;
use crate::memory::Stream;
use crate::pinned::{DEPTH, Direction, PIECE, Pinned, Transfer, check_range};

/// The number of bytes that one thread copies at a time.
const PART: usize = 1 << 18;

/// The size of a huge page.
///
/// Threads that share a new page each seem to clear it. For 1.3 GB this took 84 ms, compared with
/// 34 ms if each thread's bytes are a whole page. Long copies are therefore cut at the pages of
/// their destination.
const HUGE: usize = 2 << 20;

/// The number of transfers of a download in progress: on the bus, or being copied by threads.
const PIECES_DOWN: usize = 16;

/// The threads that copy between the memory of solves and page-locked memory.
///
/// They are separate from rayon's pool, because its threads may be waiting for the solve whose
/// results are copied. `None` if no threads can be created.
fn copiers() -> Option<&'static ThreadPool> {
    static COPIERS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
        let name = |i| format!("odes-copy-{i}");
        ThreadPoolBuilder::new().thread_name(name).build().ok()
    });
    COPIERS.as_ref()
}

/// An offset in device memory, and the bytes to upload to it.
pub(crate) type Source<'a> = (usize, &'a [u8]);

/// An offset in device memory, and the destination of its bytes.
pub(crate) type Target<'a> = (usize, &'a mut [u8]);

impl Stream {
    /// Queues copies of `sources` to `device`.
    ///
    /// The sources are ordered by offset, do not overlap, and end before `end`. Bytes of the device
    /// between them become undefined. The caller may change the host memory after the return.
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

    /// Queues copies of page-locked `sources` to `device`.
    ///
    /// # Safety
    /// The caller must synchronise the stream while the sources are still borrowed.
    pub(crate) unsafe fn start_sources(
        &self,
        sources: &[Source<'_>],
        device: &mut CudaSlice<u8>,
    ) -> Result<(), GpuError> {
        self.context().bind_to_thread().call("cuCtxSetCurrent")?;
        let room = device.len();
        let (base, _order) = device.device_ptr_mut(self.raw());
        for run in sources.chunk_by(follows) {
            let Some((at, first)) = run.first() else { continue };
            let len = run.iter().map(|(_, bytes)| bytes.len()).sum();
            check_range("cuMemcpyHtoDAsync", *at, len, room)?;
            let (to, from) = (base + *at as u64, first.as_ptr().cast());
            // SAFETY: the range is inside the buffer, which is freed behind this copy. The sources of
            // a run follow each other in memory, and outlive the copy (the caller's promise). They
            // are in one page-locked range: `ode_core::memory` leaves a huge page between blocks.
            let queued =
                unsafe { sys::cuMemcpyHtoDAsync_v2(to, from, len, self.raw().cu_stream()) };
            queued.result().call("cuMemcpyHtoDAsync")?;
        }
        Ok(())
    }

    /// Waits for earlier queued work and copies `device` to `targets`.
    ///
    /// The targets are ordered by offset and do not overlap. After the return, the bytes of every
    /// target within `device` are written.
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
                        // Wait for the transfers in progress first, and then for the copying
                        // threads.
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
                            // The receiver no longer needs the last buffers.
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

    /// Queues copies from device memory at `from` to rows of page-locked host memory.
    ///
    /// The rows are `pitch` bytes apart in device memory.
    ///
    /// # Safety
    /// The caller must synchronise the stream while the rows are still borrowed and the device
    /// memory is allocated.
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
            // SAFETY: the copy writes only the rows, which are borrowed exclusively. The rows and
            // the source outlive the copy (the caller's promise).
            let queued = unsafe { sys::cuMemcpy2DAsync_v2(&copy, self.raw().cu_stream()) };
            return queued.result().call("cuMemcpy2DAsync");
        }
        for (r, row) in rows.into_iter().enumerate() {
            let (to, from) = (row.as_mut_ptr(), from + (r * pitch) as u64);
            // SAFETY: the copy writes only this row, which is borrowed exclusively. The row and the
            // source outlive the copy (the caller's promise).
            let queued = unsafe {
                sys::cuMemcpyDtoHAsync_v2(to.cast(), from, row.len(), self.raw().cu_stream())
            };
            queued.result().call("cuMemcpyDtoHAsync")?;
        }
        Ok(())
    }
}

/// Whether a source follows another one in device memory and in host memory.
fn follows((at, bytes): &Source<'_>, (next_at, next): &Source<'_>) -> bool {
    at + bytes.len() == *next_at && bytes.as_ptr_range().end == next.as_ptr()
}

/// Returns the sources before the page-locked ones at the end, and these.
pub(crate) fn locked_end<'s, 'a>(
    sources: &'s [Source<'a>],
) -> (&'s [Source<'a>], &'s [Source<'a>]) {
    let locked = sources.iter().rev().take_while(|(_, bytes)| is_locked(bytes)).count();
    sources.split_at(sources.len() - locked)
}

/// Returns the slices of `targets` in the window of `len` bytes at `at`, with their offsets in it.
///
/// The slices end at the host's huge pages. Targets before the window are left out.
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

/// Copies the bytes of `sources` within the window of `window.len()` bytes at `at`.
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

/// Copies with all cores. One core can neither fill write-combined memory nor handle the page
/// faults of new memory at the speed of the bus.
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

    /// Each byte reaches its row, for all windows and page boundaries.
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
