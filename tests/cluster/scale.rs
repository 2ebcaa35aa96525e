//! A simulation of thousands of ranks and millions of chunks.
//!
//! The queues are those of the library, and the simulated folder is in memory. `ODES_SCALE=all`
//! simulates 10,000 ranks and ten million chunks.

use ode_cluster::chunk_server::{ChunkServer, Reply};
use ode_cluster::folder_queue::{FinishedChunks, FinishedGroup, FolderQueue, GROUP};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;
use std::time::Instant;

/// Returns the numbers of ranks and of chunks.
fn size() -> (usize, u64) {
    match std::env::var_os("ODES_SCALE") {
        Some(_) => (10_000, 10_000_000),
        None => (300, 300_000),
    }
}

/// A simulated folder that counts its listings.
#[derive(Default)]
struct Folder {
    groups: Vec<FinishedGroup>,
    sealed: Vec<bool>,
    lists: u64,
    seals: u64,
}

impl FinishedChunks for Folder {
    type Error = Infallible;

    fn group(&mut self, group: u64) -> Result<FinishedGroup, Infallible> {
        self.lists += 1;
        Ok(self.groups[group as usize].clone())
    }

    fn sealed(&mut self) -> Result<Vec<u64>, Infallible> {
        self.lists += 1;
        Ok((0..).zip(&self.sealed).filter_map(|(group, sealed)| sealed.then_some(group)).collect())
    }

    fn seal(&mut self, group: u64) {
        self.seals += 1;
        self.sealed[group as usize] = true;
    }
}

/// Returns the milliseconds per chunk of rank `rank`: ranks have four speeds.
fn pace(rank: usize) -> u64 {
    200 * (1 + rank as u64 % 4)
}

/// Returns the time to finish all chunks if no rank ever waited.
fn ideal(chunks: u64, ranks: impl Iterator<Item = usize>) -> f64 {
    chunks as f64 / ranks.map(|rank| 1.0 / pace(rank) as f64).sum::<f64>()
}

#[test]
fn ranks_that_share_a_folder() {
    let (ranks, chunks) = size();
    let begin = Instant::now();
    let groups = chunks.div_ceil(GROUP) as usize;
    let mut folder = Folder { groups: vec![FinishedGroup::default(); groups], ..Folder::default() };
    folder.sealed = vec![false; groups];
    let mut queues: Vec<FolderQueue> =
        (0..ranks).map(|rank| FolderQueue::new(rank, ranks, chunks)).collect();
    // Ranks by the time of their next request for work, with their finished chunks.
    let start = |rank| Reverse((0, rank, 0, 0));
    let mut events: BinaryHeap<Reverse<(u64, usize, u64, u64)>> = (0..ranks).map(start).collect();
    // One rank in a hundred is lost after a while.
    let lost = |rank: usize, time: u64| rank % 100 == 7 && time > 20_000;
    let (mut computed, mut last) = (0, 0);
    while let Some(Reverse((time, rank, from, to))) = events.pop() {
        if lost(rank, time) {
            continue;
        }
        (from..to).for_each(|chunk| folder.groups[(chunk / GROUP) as usize].put(chunk % GROUP));
        computed += to - from;
        if to > from {
            let Ok(()) = queues[rank].is_done(&mut folder, &(from..to));
            last = time;
        }
        // As many chunks as take five seconds.
        let Ok(next) = queues[rank].next(&mut folder, 5000 / pace(rank));
        if let Some(next) = next {
            let time = time + (next.end - next.start) * pace(rank);
            events.push(Reverse((time, rank, next.start, next.end)));
        }
    }
    let done: u64 = folder.groups.iter().map(FinishedGroup::count).sum();
    assert_eq!(done, chunks);
    let there = (0..ranks).filter(|rank| rank % 100 != 7);
    let efficiency = ideal(chunks, there) / last as f64;
    let twice = computed - done;
    println!(
        "folder: {ranks} ranks, {chunks} chunks, {:.0} s for the last, efficiency {efficiency:.3}, {twice} chunks twice, \
         {} listings, {} files and {} folders, {} bytes a rank; simulated in {:.1} s",
        last as f64 / 1000.0,
        folder.lists,
        done + folder.sealed.iter().filter(|sealed| **sealed).count() as u64,
        groups,
        size_of::<FolderQueue>() + groups + 8 * groups,
        begin.elapsed().as_secs_f64(),
    );
    assert!(folder.sealed.iter().all(|sealed| *sealed));
    // Ranks that look for unfinished chunks cannot detect the chunks that others are computing.
    assert!(efficiency > 0.94, "{efficiency}");
    assert!(twice < chunks / 16, "{twice}");
    // A few listings for each request of a rank.
    assert!(folder.lists < chunks, "{}", folder.lists);
}

#[test]
fn ranks_to_which_rank_0_hands_chunks_out() {
    let (ranks, chunks) = size();
    let begin = Instant::now();
    let mut server = ChunkServer::new(Some(0..chunks), ranks);
    let mut events: BinaryHeap<Reverse<(u64, usize)>> =
        (0..ranks).map(|rank| Reverse((0, rank))).collect();
    let (mut last, mut turns, mut waiting) = (0, 0u64, Vec::new());
    while let Some(Reverse((time, rank))) = events.pop() {
        turns += 1;
        // MPI ends a job whose rank is killed; a rank whose device fails leaves the job.
        if rank % 100 == 7 && time > 20_000 {
            server.leaves(rank);
            events.extend(waiting.drain(..).map(|rank| Reverse((time, rank))));
            continue;
        }
        match server.reply(rank, 5000 / pace(rank)) {
            Reply::Take(range) => {
                let time = time + (range.end - range.start) * pace(rank);
                last = last.max(time);
                events.push(Reverse((time, rank)));
            }
            Reply::Wait => waiting.push(rank),
            Reply::End => {}
        }
    }
    assert!(server.is_over() && !server.has_left());
    assert!(server.owners().iter().all(|owner| (*owner as usize) < ranks));
    let efficiency = ideal(chunks, (0..ranks).filter(|rank| rank % 100 != 7)) / last as f64;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "rank 0: {ranks} ranks, {chunks} chunks, {:.0} s for the last, efficiency {efficiency:.3}, {turns} messages each way, \
         {:.2} us of each at rank 0, {} MB there; simulated in {seconds:.1} s",
        last as f64 / 1000.0,
        1e6 * seconds / turns as f64,
        4 * chunks / 1_000_000,
    );
    assert!(efficiency > 0.95, "{efficiency}");
}
