//! The solve of ranks that MPI started. Rank 0 distributes chunks, and also computes some.

use core::ops::Range;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};

use ode_core::lane::Scalar;
use ode_core::{ResultSink, Share, SolveError, SolveWatch, Warning};

use crate::by_folder;
use crate::chunk_bytes::ChunkBytes;
use crate::chunk_server::{ChunkServer, Reply};
use crate::distributed_solve::{ComputedChunk, DistributedSolve};
use crate::error::ClusterError;
use crate::folder_queue::{FinishedChunks as _, GROUP};
use crate::manifest::Manifest;
use crate::mpi::{Pause, Tag, World};
use crate::results_bytes;
use crate::store::Store;

/// The connection of a rank to rank 0.
enum Talk<'w> {
    /// Messages.
    Messages(&'w World),
    /// Channels, on rank 0 itself.
    Here(Sender<Ask>, Mutex<Receiver<Answer>>),
}

/// A request of a rank to rank 0.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ask {
    /// The lease is finished; the rank takes at most this number of new chunks.
    More(u64),
    /// The lease failed, for this reason. The rank takes no more chunks.
    Leave(String),
    /// The rank cancels the solve. Of its lease, it has finished these chunks.
    Cancel(Vec<u64>),
}

/// The first number of a message that cancels the solve.
const CANCEL: u64 = u64::MAX;

impl Ask {
    fn encode(&self) -> Vec<u8> {
        match self {
            Ask::More(most) => most.to_le_bytes().to_vec(),
            Ask::Leave(why) => [&0u64.to_le_bytes()[..], why.as_bytes()].concat(),
            Ask::Cancel(done) => {
                [CANCEL].iter().chain(done).flat_map(|number| number.to_le_bytes()).collect()
            }
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        let (most, why) = bytes.split_first_chunk::<8>().unwrap_or((&[0; 8], bytes));
        match u64::from_le_bytes(*most) {
            0 => Ask::Leave(String::from_utf8_lossy(why).into_owned()),
            CANCEL => Ask::Cancel(numbers(why).collect()),
            most => Ask::More(most),
        }
    }
}

/// The answer of rank 0: chunks to compute; empty at the end.
type Answer = Range<u64>;

fn encode(answer: &Answer) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&answer.start.to_le_bytes());
    bytes[8..].copy_from_slice(&answer.end.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Answer {
    let mut numbers = numbers(bytes);
    let (start, end) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    start..end
}

/// Returns the numbers of a message.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.as_chunks::<8>().0.iter().map(|number| u64::from_le_bytes(*number))
}

impl Talk<'_> {
    fn ask(&self, ask: &Ask) -> Answer {
        match self {
            Talk::Messages(world) => {
                world.send(0, Tag::Ask, &ask.encode());
                decode(&world.receive(0, Tag::Answer))
            }
            Talk::Here(to, from) => {
                // The receiver lives until it has answered.
                let _ = to.send(ask.clone());
                from.lock().ok().and_then(|from| from.recv().ok()).unwrap_or(0..0)
            }
        }
    }
}

/// The outcome of a solve by all ranks.
#[derive(Debug, Default)]
struct Outcome {
    /// For each rank, the computed trajectories and the number of leases.
    computed: Vec<[u64; 2]>,
    /// The rank that computed each chunk, if results travel as messages.
    owners: Vec<u32>,
    /// The ranks that left, with their reasons.
    left: Vec<(usize, String)>,
    /// Whether some chunks were not computed.
    unfinished: bool,
    /// Whether a rank cancelled the solve.
    cancelled: bool,
}

impl Outcome {
    /// The outcome of a work queue.
    fn of(
        server: &ChunkServer,
        manifest: &Manifest,
        ranks: usize,
        left: Vec<(usize, String)>,
    ) -> Self {
        let mut computed: Vec<[u64; 2]> =
            (0..ranks).map(|rank| [0, server.leases_of(rank)]).collect();
        for (chunk, owner) in (0u64..).zip(server.owners()) {
            if let Some([trajectories, _]) = computed.get_mut(*owner as usize) {
                *trajectories += manifest.trajectories_of(chunk..chunk + 1).len() as u64;
            }
        }
        let (owners, unfinished) = (server.owners().to_vec(), server.has_left());
        Outcome { computed, owners, left, unfinished, cancelled: server.is_cancelled() }
    }

    fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.unfinished) | u8::from(self.cancelled) << 1];
        for length in [self.computed.len(), self.owners.len()] {
            bytes.extend_from_slice(&(length as u64).to_le_bytes());
        }
        bytes.extend_from_slice(bytemuck::cast_slice(&self.computed));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.owners));
        for (rank, why) in &self.left {
            bytes.extend_from_slice(format!("{rank} {}\n", why.replace('\n', " ")).as_bytes());
        }
        bytes
    }

    /// The inverse of [`encode`](Self::encode); `None` for other bytes.
    fn decode(bytes: &[u8]) -> Option<Self> {
        let (flags, rest) = bytes.split_first()?;
        let (computed, rest) = rest.split_first_chunk::<8>()?;
        let (owners, rest) = rest.split_first_chunk::<8>()?;
        let length = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes) as usize;
        let (computed, rest) = rest.split_at_checked(16 * length(computed))?;
        let (owners, rest) = rest.split_at_checked(4 * length(owners))?;
        let text = String::from_utf8_lossy(rest);
        let left = text.lines().filter_map(|line| {
            let (rank, why) = line.split_once(' ')?;
            Some((rank.parse().ok()?, why.to_owned()))
        });
        Some(Outcome {
            computed: bytemuck::allocation::pod_collect_to_vec(computed),
            owners: bytemuck::allocation::pod_collect_to_vec(owners),
            left: left.collect(),
            unfinished: flags & 1 == 1,
            cancelled: flags & 2 == 2,
        })
    }
}

/// Computes all chunks together with the other ranks, and passes all results to `sink`.
///
/// A `store` contains the chunks of earlier runs and receives the new ones. Without a store,
/// results travel as messages. Returns the share of each rank.
pub(crate) fn solve<T: Scalar>(
    world: &World,
    manifest: &Manifest,
    store: Option<&Store<'_>>,
    solve: &mut DistributedSolve<'_, T>,
    sink: &mut dyn ResultSink<T>,
) -> Result<Vec<Share>, SolveError> {
    let mut kept: HashMap<u64, Vec<u8>> = HashMap::new();
    let mut failed = None;
    let wanted = solve.layout.wanted;
    let mut commit = |chunks: &[ComputedChunk<'_, T>]| match store {
        Some(store) => store.commit(chunks).map_err(SolveError::from),
        None => {
            kept.extend(chunks.iter().map(|computed| {
                let results = (computed.results, computed.lease.len());
                (computed.chunk, results_bytes::encode(wanted, results, computed.within.clone()))
            }));
            Ok(())
        }
    };
    let watch = solve.watch.clone();
    let mut compute = |talk: &Talk<'_>| {
        let mut finished = Vec::new();
        let mut commit = |chunks: &[ComputedChunk<'_, T>], finished: &mut Vec<u64>| {
            commit(chunks)?;
            finished.extend(chunks.iter().map(|computed| computed.chunk));
            Ok(())
        };
        let ask = |solve: &DistributedSolve<'_, T>, finished: Vec<u64>| match solve.is_cancelled() {
            true => talk.ask(&Ask::Cancel(finished)),
            false => talk.ask(&Ask::More(solve.most())),
        };
        let mut next = ask(solve, Vec::new());
        while !next.is_empty() {
            finished.clear();
            let mut commit = |chunks: &[ComputedChunk<'_, T>]| commit(chunks, &mut finished);
            next = match solve.compute(next, &mut commit) {
                Ok(()) => ask(solve, finished.clone()),
                Err(error) => {
                    let why = error.to_string();
                    failed = Some(error);
                    talk.ask(&Ask::Leave(why))
                }
            };
        }
    };
    let mut bytes = Vec::new();
    if world.rank() == 0 {
        let missing = match store {
            Some(store) => missing(store),
            None => Ok(Vec::from_iter(Some(0..manifest.chunks()))),
        };
        let outcome = match missing {
            Err(error) => {
                // No rank has sent a request yet, and every rank will.
                let mut served = ChunkServer::new([], world.of());
                serve(world, &mut served, &watch, None);
                let left = vec![(0, error.to_string())];
                Outcome { left, unfinished: true, ..Outcome::default() }
            }
            Ok(missing) => {
                let mut server = ChunkServer::new(missing, world.of());
                let left = if world.any_thread() || world.of() == 1 {
                    std::thread::scope(|scope| {
                        let (to, asks) = mpsc::channel();
                        let (answers, from) = mpsc::channel();
                        let (server, watch) = (&mut server, &watch);
                        let here = move || serve(world, server, watch, Some((asks, answers)));
                        let served = scope.spawn(here);
                        compute(&Talk::Here(to, Mutex::new(from)));
                        served.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                    })
                } else {
                    server.leaves(0);
                    serve(world, &mut server, &watch, None)
                };
                let mut outcome = Outcome::of(&server, manifest, world.of(), left);
                if store.is_some() {
                    outcome.owners.clear();
                }
                outcome
            }
        };
        bytes = outcome.encode();
    } else {
        compute(&Talk::Messages(world));
    }
    world.broadcast(0, &mut bytes);
    // The bytes from rank 0 are complete, since MPI guarantees delivery.
    let outcome = Outcome::decode(&bytes).unwrap_or_default();
    solve.cancelled = outcome.cancelled && outcome.unfinished;
    if outcome.unfinished && !outcome.cancelled {
        let (rank, message) = outcome.left.first().cloned().unwrap_or_default();
        let other = || ClusterError::Rank { rank, message }.into();
        return Err(failed.unwrap_or_else(other));
    }
    for (rank, why) in &outcome.left {
        let error = match &failed {
            Some(error) if *rank == world.rank() => error.clone(),
            _ => ClusterError::Rank { rank: *rank, message: why.clone() }.into(),
        };
        solve.done.warnings.push(Warning::Lost { worker: name(*rank, world.of()), error });
    }
    let share = |(rank, [trajectories, leases]): (usize, &[u64; 2])| {
        Share::new(name(rank, world.of()), *trajectories as usize, *leases as usize)
    };
    let shares = outcome.computed.iter().enumerate().map(share).collect();
    if let Some(store) = store {
        // All chunks exist; a network file system may show a file later.
        by_folder::hand_over(store, solve, !outcome.unfinished, sink)?;
        return Ok(shares);
    }
    let mut bytes = ChunkBytes::new(world, manifest, &outcome.owners, kept);
    let handed = solve.hand_over(sink, &mut |solve, chunk, results| {
        let Some(bytes) = bytes.next().unwrap_or(Some(Vec::new())) else { return Ok(false) };
        results.fit(&solve.layout, solve.range(chunk..chunk + 1).len())?;
        let short = ClusterError::Short { chunk, bytes: bytes.len() };
        results_bytes::decode(&bytes, results).map(|()| true).ok_or(short.into())
    });
    // A rank that needs no more results still takes part in the messages to the others.
    bytes.for_each(drop);
    handed.map(|()| shares)
}

/// Leases chunks until none are left, or the solve is cancelled. Returns the ranks that left, with
/// their reasons.
fn serve(
    world: &World,
    server: &mut ChunkServer,
    watch: &SolveWatch,
    here: Option<(Receiver<Ask>, Sender<Answer>)>,
) -> Vec<(usize, String)> {
    let (mut left, mut pause) = (Vec::new(), Pause::default());
    // Ranks that wait for an answer, with their largest number of chunks.
    let mut waiting: Vec<(usize, Option<u64>)> = Vec::new();
    let (mut answered, mut over) = (0, false);
    let answer = |rank: usize, range: Range<u64>| match (&here, rank) {
        (Some((_, to)), 0) => drop(to.send(range)),
        _ => world.send(rank, Tag::Answer, &encode(&range)),
    };
    let all = world.of() - usize::from(here.is_none());
    while answered < all {
        let mut asked = Vec::new();
        match here.as_ref().map(|(asks, _)| asks.try_recv()) {
            Some(Ok(ask)) => asked.push((0, ask)),
            // The computing thread of rank 0 has panicked, which ends the process and all ranks.
            Some(Err(TryRecvError::Disconnected)) if !over => return left,
            Some(Err(_)) | None => {}
        }
        while let Some(rank) = world.probe(Tag::Ask) {
            asked.push((rank, Ask::decode(&world.receive(rank, Tag::Ask))));
        }
        if asked.is_empty() {
            world.rest(&mut pause);
            continue;
        }
        pause = Pause::default();
        if watch.is_cancelled() {
            server.cancel();
        }
        for (rank, ask) in asked {
            match ask {
                Ask::More(most) => waiting.push((rank, Some(most))),
                Ask::Leave(why) => {
                    server.leaves(rank);
                    left.push((rank, why));
                    waiting.push((rank, None));
                }
                Ask::Cancel(done) => {
                    server.cancelled_by(rank, &done);
                    waiting.push((rank, None));
                }
            }
        }
        // A rank that left may have returned chunks for which others wait.
        waiting.retain(|(rank, most)| match most.map(|most| server.reply(*rank, most)) {
            Some(Reply::Take(range)) => {
                answer(*rank, range);
                false
            }
            Some(Reply::Wait | Reply::End) | None => true,
        });
        over = server.is_over();
        if over {
            answered += waiting.len();
            waiting.drain(..).for_each(|(rank, _)| answer(rank, 0..0));
        }
    }
    left
}

/// Returns the chunks that are not in a folder.
fn missing(mut store: &Store<'_>) -> Result<Vec<Range<u64>>, ClusterError> {
    let chunks = store.manifest().chunks();
    let mut missing: Vec<Range<u64>> = Vec::new();
    for group in 0..chunks.div_ceil(GROUP) {
        let found = store.group(group)?;
        for chunk in group * GROUP..chunks.min((group + 1) * GROUP) {
            match missing.last_mut() {
                _ if found.has(chunk % GROUP) => {}
                Some(last) if last.end == chunk => last.end += 1,
                _ => missing.push(chunk..chunk + 1),
            }
        }
    }
    Ok(missing)
}

fn name(rank: usize, of: usize) -> String {
    format!("rank {rank} of {of}")
}
