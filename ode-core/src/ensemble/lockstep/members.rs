//! Lockstep members in chunks for the threads of a CPU, in lanes on each.

use crate::ensemble::batches;
use crate::ensemble::lane_io::LaneIo;
use crate::ensemble::lockstep::attempt_io::{self, AttemptIo};
use crate::ensemble::lockstep::cells::Cells;
use crate::ensemble::lockstep::clock::{attempt_of, lane_of, leave_of, mask};
use crate::ensemble::lockstep::norm::{LockstepNorm, TOGETHER, sum_of_neighbours};
use crate::ensemble::loop_config::{StaticConfig, options};
use crate::ensemble::outlined::Outlined;
use crate::ensemble::stack;
use crate::ensemble::views::Views;
use crate::error::{Memory, SolveError};
use crate::evaluation::EvaluationThreads;
use crate::integrate::attempt::Attempt;
use crate::integrate::lane::Lane;
use crate::integrate::lockstep::{LockstepGroup, Told, lockstep, silence};
use crate::integrate::members::{self, Leave};
use crate::lane::dispatch::{self, InstructionSet, LaneProgram};
use crate::lane::{Bits, Mask, Real, Scalar};
use crate::methods::Definition;
use crate::problem::inputs::InputRange;
use crate::problem::resolved_options::ResolvedOptions;
use crate::solution::ResultSlices;
use crate::solution::{RawResults, WorstMember};
use crate::system::System;
use core::any::Any;
use core::marker::PhantomData;
use ode_macros::inlined;
use std::sync::{Mutex, PoisonError};

/// The options of a lockstep solve.
#[derive(Clone, Copy, Debug)]
pub struct LockstepOptions {
    /// The instruction set of each thread's lanes.
    pub instructions: InstructionSet,
    /// The norm that combines the errors of all members.
    pub norm: LockstepNorm,
    /// The number of threads that share the members, at least 1.
    pub threads: usize,
}

/// Consecutive members, which one thread works on at a time.
struct MemberChunk<'a, T: Scalar> {
    range: InputRange<'a, T>,
    views: Views<'a, T>,
    results: ResultSlices<'a, T>,
    /// [`Cells`] with the lanes of the instruction set.
    cells: Option<Box<dyn Any + Send>>,
    /// The last report of the chunk's members.
    told: Told<T>,
    /// The sums of their squared errors.
    sums: Vec<f64>,
    /// The number of members that continue.
    count: usize,
    worst: (usize, T),
    failed: Option<SolveError>,
}

/// An operation on all members.
#[derive(Clone, Copy)]
enum Work<T: Scalar> {
    Begin { how: u32 },
    Attempt { trial: Attempt<T> },
    PassesSoon { trial: Attempt<T>, ends: bool },
    Act { h: T, arrived: bool },
    Leave { why: Leave<T> },
    Finish,
}

/// All members, and the options of their solve.
pub(crate) struct Members<'a, S, M, T: Scalar, const N: usize, const P: usize, const ADAPTIVE: bool>
{
    system: S,
    settings: &'a ResolvedOptions<T>,
    range: InputRange<'a, T>,
    plan: LockstepOptions,
    chunks: Vec<Mutex<MemberChunk<'a, T>>>,
    /// The end of [`Cells`] that holds the current states.
    now: usize,
    /// Whether the last attempt was accepted.
    accepted: bool,
    /// The number of members that continue.
    count: usize,
    method: PhantomData<fn() -> M>,
}

impl<'a, S, M, T, const N: usize, const P: usize, const ADAPTIVE: bool>
    Members<'a, S, M, T, N, P, ADAPTIVE>
where
    S: System<N, P>,
    M: Definition,
    T: Scalar,
{
    /// Solves the trajectories of a batch in lockstep.
    ///
    /// Returns the member with the greatest error, as an index within the batch.
    pub(crate) fn solve(
        system: S,
        (settings, range): (&'a ResolvedOptions<T>, InputRange<'a, T>),
        results: &'a mut RawResults<T>,
        plan: LockstepOptions,
    ) -> Result<Option<WorstMember>, SolveError> {
        let batch = range.len().div_ceil(2 * plan.threads).next_multiple_of(TOGETHER);
        let batch = if plan.threads == 1 { range.len() } else { batch };
        let chunks = batches::chunks(range, results, batch).into_iter().map(|(range, results)| {
            Mutex::new(MemberChunk {
                range,
                views: Views::new(range),
                results,
                cells: None,
                told: silence(),
                sums: Vec::new(),
                count: 0,
                worst: (0, T::default()),
                failed: None,
            })
        });
        let mut members = Members::<S, M, T, N, P, ADAPTIVE> {
            system,
            settings,
            range,
            plan,
            chunks: chunks.collect(),
            now: 0,
            accepted: false,
            count: 0,
            method: PhantomData,
        };
        let o = options::<T, T, N>(settings, range, settings.saved.times > 0);
        let lanes = batches::lanes::<T>(plan.instructions, N);
        let bytes = const { stack::needed::<S, M, N, P>() }.saturating_mul(lanes * size_of::<T>());
        stack::with_pool(bytes, plan.threads, &mut || {
            lockstep::<T, Outlined<M, true>, _, StaticConfig<S, N, P, ADAPTIVE, true>, N>(
                &mut members,
                &o,
            );
        })?;
        let mut squares = Vec::new();
        for chunk in members.chunks {
            let chunk = chunk.into_inner().unwrap_or_else(PoisonError::into_inner);
            if let Some(error) = chunk.failed {
                return Err(error);
            }
            let (i, square) = chunk.worst;
            squares.push((chunk.range.numbers().start + i as u64, square.widen()));
        }
        Ok(WorstMember::of(N, squares.into_iter()).filter(|_| ADAPTIVE))
    }

    /// Runs an operation on all chunks and combines their reports.
    fn all(&mut self, clock: &Lane<T>, work: Work<T>) -> Told<T> {
        let threads = if self.chunks.len() == 1 {
            EvaluationThreads::Caller
        } else {
            EvaluationThreads::Pool
        };
        threads.each(self.chunks.len(), &|i| {
            let mut chunk = self.chunks[i].lock().unwrap_or_else(PoisonError::into_inner);
            let chunk = &mut *chunk;
            if chunk.failed.is_some() {
                return;
            }
            let (system, settings, plan) = (self.system, self.settings, self.plan);
            let (now, accepted, method) = (self.now, self.accepted, PhantomData::<fn() -> M>);
            let visit = Visit::<'_, 'a, S, M, T, N, P, ADAPTIVE> {
                system,
                settings,
                chunk,
                clock,
                work,
                now,
                accepted,
                method,
            };
            dispatch::run(plan.instructions, visit);
        });
        self.together()
    }

    /// Combines the last reports of all chunks.
    fn together(&mut self) -> Told<T> {
        let mut all = silence::<T>();
        let (mut sums, mut failed) = (Vec::new(), false);
        self.count = 0;
        for chunk in &mut self.chunks {
            let chunk = chunk.get_mut().unwrap_or_else(PoisonError::into_inner);
            let told = &chunk.told;
            all.square = Real::max(all.square, told.square);
            all.size = Real::min(all.size, told.size);
            all.nearest = Real::min(all.nearest, told.nearest);
            all.goes |= told.goes;
            all.hopeless |= told.hopeless;
            all.beyond |= told.beyond;
            all.fails |= told.fails;
            all.unsolved |= told.unsolved;
            all.grows |= told.grows;
            all.misses |= told.misses;
            all.happens |= told.happens;
            sums.append(&mut chunk.sums);
            self.count += chunk.count;
            failed |= chunk.failed.is_some();
        }
        if self.plan.norm == LockstepNorm::Mean {
            let mean = sum_of_neighbours(&mut sums) / self.count.max(1) as f64;
            all.square = T::narrow(mean);
        }
        all.goes &= !failed;
        all
    }
}

impl<S, M, T, const N: usize, const P: usize, const ADAPTIVE: bool> LockstepGroup<T>
    for Members<'_, S, M, T, N, P, ADAPTIVE>
where
    S: System<N, P>,
    M: Definition,
    T: Scalar,
{
    fn saves(&self) -> bool {
        self.range.inputs().save.slots() > 0 || self.settings.step_slots > 0
    }

    fn start(&self) -> T {
        self.range.inputs().t0.get(self.range.indices().start)
    }

    fn end(&self) -> T {
        self.range.inputs().t1.get(self.range.indices().start)
    }

    fn stop_time(&self, index: T::Bits) -> T {
        self.range.inputs().stops.get(self.range.indices().start, index.lane(0) as usize)
    }

    fn save_time(&self, index: T::Bits) -> T {
        let (save, slot) = (&self.range.inputs().save, index.lane(0) as usize);
        let unknown = save.slots()..save.slots() + self.settings.step_slots;
        let time = save.get(self.range.indices().start, slot);
        if unknown.contains(&slot) { T::nan() } else { time }
    }

    fn begin(&mut self, before: &Lane<T>, _lane: &Lane<T>, how: u32) -> Told<T> {
        let told = self.all(before, Work::Begin { how });
        self.accepted = false;
        told
    }

    fn attempt(&mut self, lane: &Lane<T>, trial: &Attempt<T>) -> Told<T> {
        let told = self.all(lane, Work::Attempt { trial: *trial });
        self.accepted = false;
        told
    }

    fn passes_soon(&mut self, lane: &Lane<T>, trial: &Attempt<T>, ends: bool) -> bool {
        self.all(lane, Work::PassesSoon { trial: *trial, ends }).grows
    }

    fn save(&mut self, _lane: &Lane<T>, _trial: &Attempt<T>, _ahead: T) {}

    fn accept(&mut self) {
        self.now = 1 - self.now;
        self.accepted = true;
    }

    fn act(&mut self, lane: &Lane<T>, h: T, arrived: bool) -> Told<T> {
        self.all(lane, Work::Act { h, arrived })
    }

    fn leave(&mut self, lane: &Lane<T>, why: &Leave<T>) -> bool {
        self.all(lane, Work::Leave { why: *why }).goes
    }

    fn finish(&mut self, lane: &Lane<T>) {
        self.all(lane, Work::Finish);
    }
}

/// An operation on the members of a chunk, as a program for lanes.
struct Visit<'v, 'a, S, M, T: Scalar, const N: usize, const P: usize, const ADAPTIVE: bool> {
    system: S,
    settings: &'a ResolvedOptions<T>,
    chunk: &'v mut MemberChunk<'a, T>,
    clock: &'v Lane<T>,
    work: Work<T>,
    now: usize,
    accepted: bool,
    method: PhantomData<fn() -> M>,
}

impl<S, M, T, const N: usize, const P: usize, const ADAPTIVE: bool> LaneProgram<T>
    for Visit<'_, '_, S, M, T, N, P, ADAPTIVE>
where
    S: System<N, P>,
    M: Definition,
    T: Scalar,
{
    type Output = ();
    const VECTORS: usize = dispatch::vectors(N);

    #[inlined]
    fn run<R: Real<Scalar = T>>(self) {
        let Visit { system, settings, chunk, clock, work, now, accepted, .. } = self;
        let n = chunk.range.len();
        let kept = chunk.cells.take().and_then(|cells| cells.downcast::<Cells<R, N, P>>().ok());
        let watches = const { S::EVENTS + S::CONDITIONS > 0 };
        let new = || Cells::<R, N, P>::new(n, watches).map(Box::new);
        let Some(mut cells) = kept.or_else(new) else {
            let bytes = Cells::<R, N, P>::bytes(n, watches);
            chunk.failed = Some(SolveError::OutOfMemory { bytes, memory: Memory::Host });
            chunk.told = silence();
            return;
        };
        let lane = lane_of::<R, T>(clock);
        let o = options::<R, T, N>(settings, chunk.range, settings.saved.times > 0);
        let inputs = (chunk.range, &chunk.views);
        let mut io = LaneIo::<S, T>::new(system, settings, inputs, &mut chunk.results, 0..n);
        let mut all = silence::<R>();
        for g in 0..cells.groups() {
            if let Work::Act { .. } = work
                && const { S::BOUNDS == 0 }
                && !cells.happens(g)
            {
                all.goes = all.goes | cells.goes(g);
                continue;
            }
            let mut group = cells.get(g, now);
            for lane in 0..R::LANES {
                let i = g * R::LANES + lane;
                // A lane without a member has the inputs of the last member, and does not continue.
                io.lanes[lane] = i.min(n - 1);
            }
            match work {
                Work::Begin { how } => {
                    let size = members::begin::<
                        R,
                        S,
                        Outlined<M, true>,
                        _,
                        StaticConfig<S, N, P, ADAPTIVE, true>,
                        N,
                        P,
                    >(system, &mut io, &o, &mut group, &lane, how);
                    cells.put(g, now, &group, accepted);
                    all.size = all.size.min(R::select(group.goes, size, all.size));
                }
                Work::Attempt { trial } => {
                    let trial = attempt_of::<R, T>(&trial);
                    let counted = cells.new_counts(g);
                    let mut io = AttemptIo { io: &mut io, counted };
                    let tried = members::attempt::<
                        R,
                        S,
                        Outlined<M, true>,
                        _,
                        StaticConfig<S, N, P, ADAPTIVE, true>,
                        N,
                        P,
                    >(system, &mut io, &o, &group, &lane, &trial);
                    // Events need the slopes of their functions at both ends of a step.
                    let keeps_du = M::FSAL || const { S::EVENTS > 0 };
                    cells.keep(g, now, &tried, accepted, keeps_du);
                    let counts = cells.counted(g).iter().any(|&counted| counted != 0);
                    all.happens = all.happens | tried.happens | R::Mask::splat(counts);
                    all.nearest = all.nearest.min(tried.nearest);
                    all.square = all.square.max(tried.square);
                    all.size = all.size.min(tried.longest);
                    all.hopeless = all.hopeless | tried.hopeless;
                    all.beyond = all.beyond | tried.beyond;
                    all.fails = all.fails | tried.fails;
                    all.unsolved = all.unsolved | tried.unsolved;
                    all.grows = all.grows | tried.grows;
                    all.misses = all.misses | tried.misses;
                }
                Work::PassesSoon { trial, ends } => {
                    let trial = attempt_of::<R, T>(&trial);
                    let new = cells.new_states(g, now);
                    let soon = members::passes_soon::<R, S, Outlined<M, true>, N, P>(
                        system,
                        &group,
                        &new,
                        &lane,
                        &trial,
                        mask::<R, T>(ends),
                    );
                    all.grows = all.grows | soon;
                }
                Work::Act { h, arrived } => {
                    let (h, arrived) = (R::lit(h.widen()), mask::<R, T>(arrived));
                    attempt_io::count::<R, T, _, N, P>(&mut io, cells.counted(g), S::EVENTS);
                    let acted = members::act::<
                        R,
                        S,
                        Outlined<M, true>,
                        _,
                        StaticConfig<S, N, P, ADAPTIVE, true>,
                        N,
                        P,
                    >(
                        system, &mut io, &o, &mut group, &lane, h, arrived
                    );
                    cells.put_acted(g, now, &group);
                    all.size = all.size.min(acted.longest);
                    all.nearest = all.nearest.min(acted.size);
                    all.happens = all.happens | acted.fired;
                }
                Work::Leave { why } => {
                    let (why, square) = (leave_of::<R, T>(&why), cells.square(g));
                    members::leave::<
                        R,
                        S,
                        Outlined<M, true>,
                        _,
                        StaticConfig<S, N, P, ADAPTIVE, true>,
                        N,
                        P,
                    >(&mut io, &o, &mut group, square, &lane, &why);
                    cells.put(g, now, &group, accepted);
                }
                Work::Finish => {
                    members::finish::<
                        R,
                        S,
                        Outlined<M, true>,
                        _,
                        StaticConfig<S, N, P, ADAPTIVE, true>,
                        N,
                        P,
                    >(&mut io, &group, &lane);
                }
            }
            all.goes = all.goes | group.goes;
        }
        let (mut square, mut size, mut nearest) = (T::default(), T::infinity(), T::infinity());
        for lane in 0..R::LANES {
            square = Real::max(square, all.square.lane(lane));
            size = Real::min(size, all.size.lane(lane));
            nearest = Real::min(nearest, all.nearest.lane(lane));
        }
        chunk.told = Told {
            square,
            size,
            nearest,
            goes: all.goes.any(),
            hopeless: all.hopeless.any(),
            beyond: all.beyond.any(),
            fails: all.fails.any(),
            unsolved: all.unsolved.any(),
            grows: all.grows.any(),
            misses: all.misses.any(),
            happens: all.happens.any(),
        };
        match work {
            Work::Begin { .. } | Work::Act { .. } | Work::Leave { .. } => {
                chunk.count = cells.count();
            }
            Work::Attempt { .. } => cells.sums(&mut chunk.sums),
            Work::PassesSoon { .. } => {}
            Work::Finish => chunk.worst = cells.worst(accepted),
        }
        chunk.cells = Some(cells);
    }
}
