//! Copies between one piece of device memory and many pieces of host memory.
//!
//! An ensemble's columns are vectors of their own on the host, and a batch is a part of each. On
//! the device a batch is one piece of memory. These copies gather and scatter in the page-locked
//! blocks that the bus reads and writes anyway, so no number is copied once more than the bus
//! needs, and many small arrays cost no more calls than one large one.

use std::collections::VecDeque;
use std::mem::{self, MaybeUninit};

use cudarc::driver::{CudaSlice, CudaView};
use rayon::prelude::*;

use crate::error::GpuError;
use crate::memory::Stream;
use crate::pinned::{DEPTH, Direction, PIECE, Pinned, Transfer};

/// The number of bytes that one thread copies at a time.
const PART: usize = 1 << 18;

/// The size of a page, or less than it.
const PAGE: usize = 4096;

/// Bytes to upload to a place in device memory.
pub(crate) type Source<'a> = (usize, &'a [u8]);

/// A place in device memory, and where its bytes belong.
pub(crate) type Target<'a> = (usize, &'a mut [MaybeUninit<u8>]);

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
        self.download_pieces(device, |at, piece| {
            let end = at + piece.len();
            let mut parts = Vec::new();
            while let Some((place, target)) = targets.pop_front() {
                if place >= end {
                    targets.push_front((place, target));
                    break;
                }
                let (now, later) = target.split_at_mut(target.len().min(end - place));
                parts.push((&piece[place - at..place - at + now.len()], now));
                if !later.is_empty() {
                    targets.push_front((end, later));
                    break;
                }
            }
            each_part(parts, |from, to| {
                to.write_copy_of_slice(from);
            });
        })
    }
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
    if total <= PART {
        parts.into_iter().for_each(|(from, to)| copy(from, to));
    } else {
        parts
            .into_par_iter()
            .flat_map(|(from, to)| from.par_chunks(PART).zip(to.par_chunks_mut(PART)))
            .for_each(|(from, to)| copy(from, to));
    }
}

/// Takes the page faults of fresh memory now, while the device computes, and not while the bus
/// waits: they cost more than the copy.
pub(crate) fn touch(memory: &mut [MaybeUninit<u8>]) {
    let touch = |part: &mut [MaybeUninit<u8>]| {
        part.iter_mut().step_by(PAGE).for_each(|byte| {
            byte.write(0);
        });
    };
    if memory.len() <= PART {
        touch(memory);
    } else {
        memory.par_chunks_mut(PART).for_each(touch);
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

    /// A byte of each page is written, whether one thread does it or many; and nothing else is.
    #[test]
    fn touching_writes_a_byte_of_each_page() {
        for len in [0, 1, PAGE, PAGE + 1, PART, 3 * PART + 5] {
            let mut memory = vec![MaybeUninit::new(7u8); len];
            touch(&mut memory);
            for (i, byte) in memory.into_iter().enumerate() {
                // SAFETY: each was made with a value.
                let byte = unsafe { byte.assume_init() };
                assert_eq!(byte, if i % PAGE == 0 { 0 } else { 7 }, "byte {i} of {len}");
            }
        }
    }
}
