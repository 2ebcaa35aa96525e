//! Several who solve together: devices, threads of the CPU beside them, simulated ones in tests.
//!
//! Each [`Engine`] takes pieces from one queue, as fast as it can, on a thread of its own. One that
//! fails leaves, and the others solve what it could not.

use core::ops::ControlFlow;

use crate::ensemble::dispenser::{Appetite, Desk, Dispenser, Divisible, Done};
pub use crate::ensemble::feed::Results;
use crate::ensemble::pieces::{batch_size, lanes};
use crate::ensemble::schedule::Schedule;
use crate::ensemble::task::{In, Task};
use crate::error::SolveError;
use crate::lane::Scalar;
use crate::lane::dispatch::InstructionSet;
use crate::memory::Lock;
use crate::problem::columns::{ColumnRange, Columns};
use crate::problem::layout::Layout;
use crate::problem::settings::Settings;
use crate::solution::{RawResults, ResultSink, Share, Warning};

/// Consecutive trajectories to solve, and where their results go.
#[derive(Debug)]
pub struct Piece<'a, T> {
    /// The trajectories.
    pub columns: ColumnRange<'a, T>,
    /// The places of their results.
    pub results: Results<'a, T>,
}

impl<T: Scalar> Divisible for Piece<'_, T> {
    fn count(&self) -> usize {
        self.columns.len()
    }

    fn split(self, count: usize) -> (Self, Self) {
        let (columns, later) = self.columns.split(count);
        let (results, behind) = self.results.split(count);
        (Piece { columns, results }, Piece { columns: later, results: behind })
    }
}

/// One of those who solve an ensemble together.
pub trait Engine<T: Scalar>: Send {
    /// Its name, for people.
    fn name(&self) -> String;

    /// How many trajectories it takes at a time, of a block of so many.
    fn appetite(&self, trajectories: usize) -> Appetite;

    /// Takes pieces and solves them until there are no more.
    ///
    /// # Errors
    /// Why it takes no more. Pieces that are not done go back.
    fn run(&mut self, desk: &Desk<'_, Piece<'_, T>>) -> Result<(), SolveError>;
}

/// What engines did together.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What each of them solved, in their order.
    pub shares: Vec<Share>,
    /// What went wrong without harm to the solution.
    pub warnings: Vec<Warning>,
}

/// Has engines solve the trajectories of `columns` and hands the results to `sink`, block by block.
/// `lock` page-locks memory for results, where engines copy to such memory directly.
///
/// A block is stored while the next one is solved.
///
/// # Errors
/// What an engine failed with, if all failed; and what `sink` returns.
pub fn run<T: Scalar>(
    engines: &mut [&mut dyn Engine<T>],
    settings: &Settings<T>,
    columns: &Columns<T>,
    sink: &mut dyn ResultSink<T>,
    lock: Option<&Lock<'_>>,
) -> Result<Outcome, SolveError> {
    let layout = Layout::new(settings, columns);
    let names: Vec<String> = engines.iter().map(|engine| engine.name()).collect();
    let mut outcome = Outcome::default();
    let mut done = vec![Done::default(); engines.len()];
    // The engines that have not failed, by their numbers.
    let mut there: Vec<usize> = (0..engines.len()).collect();
    // The memory of the block before.
    let mut spare: Option<RawResults<T>> = None;
    let mut solved: Option<(ColumnRange<'_, T>, RawResults<T>)> = None;
    for block in columns.blocks(sink.block()) {
        let mut results = spare.take().unwrap_or_default();
        results.fit(&layout, block.len())?;
        if let Some(lock) = lock {
            results.lock(lock);
        }
        let whole = Piece { columns: block, results: Results::whole(&mut results, block.len()) };
        let mut left = vec![whole];
        let mut stored = None;
        let mut failed = None;
        while !left.is_empty() {
            let mut team: Vec<(usize, &mut dyn Engine<T>)> = Vec::new();
            for (index, engine) in engines.iter_mut().enumerate() {
                if there.contains(&index) {
                    team.push((index, &mut **engine));
                }
            }
            // To know what fits may take a call of a driver.
            let appetites = team.iter().map(|(_, engine)| engine.appetite(block.len()));
            let mut appetites: Vec<Appetite> = appetites.collect();
            let Some(first) = appetites.first() else {
                return Err(failed.unwrap_or(SolveError::NotPrepared));
            };
            // What the first takes at a time is not worth the others' threads.
            if block.len() <= first.least {
                team.truncate(1);
                appetites.truncate(1);
            }
            let dispenser = Dispenser::new(left, appetites);
            let last = solved.take().map(|(block, results)| (block, spare.insert(results)));
            let to = &mut *sink;
            let mut last = last.map(|(block, results)| move || to.store(block, results));
            let store = last.as_mut().map(|store| store as &mut dyn FnMut() -> Stored);
            let (ends, flow) = together(&mut team, &dispenser, store);
            stored = stored.or(flow);
            let parts: Vec<Done> = (0..ends.len()).map(|seat| dispenser.done_by(seat)).collect();
            left = dispenser.into_left();
            for (seat, (end, part)) in ends.into_iter().zip(parts).enumerate() {
                let index = team[seat].0;
                done[index].trajectories += part.trajectories;
                done[index].pieces += part.pieces;
                if !left.is_empty() || end.is_err() {
                    there.retain(|&other| other != index);
                }
                if let Err(error) = end {
                    let engine = names[index].clone();
                    failed.get_or_insert_with(|| error.clone());
                    outcome.warnings.push(Warning::Lost { engine, error });
                }
            }
        }
        drop(left);
        if stored.transpose()?.is_some_and(|flow| flow.is_break()) {
            solved = None;
            break;
        }
        solved = Some((block, results));
    }
    if let Some((block, mut results)) = solved {
        let _ = sink.store(block, &mut results)?;
    }
    let shares = names.into_iter().zip(done);
    outcome.shares = shares
        .map(|(engine, Done { trajectories, pieces })| Share::new(engine, trajectories, pieces))
        .collect();
    Ok(outcome)
}

/// What storing a block returns.
type Stored = Result<ControlFlow<()>, SolveError>;

/// Runs the engines of a team, and `store` on the calling thread. One engine with nothing beside it
/// runs there itself.
fn together<T: Scalar>(
    team: &mut [(usize, &mut dyn Engine<T>)],
    dispenser: &Dispenser<Piece<'_, T>>,
    store: Option<&mut dyn FnMut() -> Stored>,
) -> (Vec<Result<(), SolveError>>, Option<Stored>) {
    if let ([(_, engine)], None) = (&mut *team, &store) {
        // A thread takes longer to start than a small solve takes.
        return (vec![engine.run(&dispenser.desk(0))], None);
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for (seat, (_, engine)) in team.iter_mut().enumerate() {
            let desk = dispenser.desk(seat);
            let run = move || engine.run(&desk);
            threads.push(std::thread::Builder::new().spawn_scoped(scope, run));
        }
        let stored = store.map(|store| store());
        let joined = threads.into_iter().map(|thread| match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => Err(SolveError::Backend(std::sync::Arc::new(error))),
        });
        (joined.collect(), stored)
    })
}

/// A thread of the CPU as an engine: it solves in SIMD lanes.
pub struct LaneEngine<'a, T> {
    task: &'a dyn Task<T>,
    settings: &'a Settings<T>,
    states: usize,
    /// The number of this thread, for its name, and how many there are.
    thread: (usize, usize),
}

impl<'a, T: Scalar> LaneEngine<'a, T> {
    /// `count` threads, for systems of `states` states.
    #[must_use]
    pub fn threads(
        task: &'a dyn Task<T>,
        settings: &'a Settings<T>,
        states: usize,
        count: usize,
    ) -> Vec<Self> {
        let thread = |k| LaneEngine { task, settings, states, thread: (k, count) };
        (0..count).map(thread).collect()
    }
}

impl<T> core::fmt::Debug for LaneEngine<'_, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LaneEngine").field("thread", &self.thread).finish_non_exhaustive()
    }
}

impl<T: Scalar> Engine<T> for LaneEngine<'_, T> {
    fn name(&self) -> String {
        format!("CPU thread {}", self.thread.0)
    }

    fn appetite(&self, trajectories: usize) -> Appetite {
        let lanes = lanes::<T>(InstructionSet::best(), self.states);
        let most = batch_size(trajectories, self.thread.1, lanes);
        Appetite { least: (2 * lanes).min(most), most }
    }

    fn run(&mut self, desk: &Desk<'_, Piece<'_, T>>) -> Result<(), SolveError> {
        let set = InstructionSet::best();
        let schedule = Schedule::Auto.of_lanes(self.settings.adaptive);
        while let Some(mut taken) = desk.take() {
            let Piece { columns, results } = taken.work();
            let results = results.reborrow();
            self.task.run(In::Lanes(set), self.settings, *columns, results, schedule)?;
            taken.done();
        }
        Ok(())
    }
}
