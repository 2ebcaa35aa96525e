//! The numbers of all trajectories, structure of arrays.

use crate::controller;
use crate::ensemble::room;
use crate::error::SolveError;
use crate::guard::GrowthGuard;
use crate::host::Asked;
use crate::lane::Scalar;
use crate::methods::{Properties, auto};
use crate::options::{AbsTol, SolveOptions, StepSize};
use crate::problem::{EnsembleProblem, Vary};
use crate::sweep;
use crate::system::System;
pub use crate::workers::Workers;

/// One quantity (a component of the state, a parameter, an end of the time span) of all
/// trajectories.
#[derive(Clone, Debug, PartialEq)]
pub enum Column<T> {
    /// The same for all.
    Shared(T),
    /// One value for each.
    Each(Vec<T>),
}

impl<T: Copy> Column<T> {
    /// The value of trajectory `i`.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        match self {
            Column::Shared(value) => *value,
            Column::Each(values) => values[i],
        }
    }
}

/// Times of the trajectories: at which to save, or to stop.
#[derive(Clone, Debug, PartialEq)]
pub enum SaveTimes<T> {
    /// The same for all trajectories.
    Shared(Vec<T>),
    /// `slots` times for each of `n` trajectories, `[slot * n + trajectory]`; a trajectory with
    /// fewer has infinities in the end.
    Each {
        /// The largest number of times that a trajectory has.
        slots: usize,
        /// The times.
        times: Vec<T>,
    },
}

impl<T: Scalar> SaveTimes<T> {
    /// Time number `slot` of trajectory `i` of `n`, infinite after the last one.
    ///
    /// # Panics
    /// If there is no such trajectory.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, n: usize, i: usize, slot: usize) -> T {
        match self {
            SaveTimes::Shared(times) => times.get(slot).copied().unwrap_or(T::infinity()),
            SaveTimes::Each { slots, .. } if slot >= *slots => T::infinity(),
            SaveTimes::Each { times, .. } => times[slot * n + i],
        }
    }

    /// The number of times, of the trajectory that has most.
    #[must_use]
    pub fn slots(&self) -> usize {
        match self {
            SaveTimes::Shared(times) => times.len(),
            SaveTimes::Each { slots, .. } => *slots,
        }
    }
}

/// How many numbers are saved at a time: states, then observables, then the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SavedRow {
    /// States: all of them, or none.
    pub states: usize,
    /// Observables: all of them, or none.
    pub observables: usize,
    /// One where it is not known before: that of a step's end.
    pub times: usize,
}

impl SavedRow {
    /// All together.
    #[must_use]
    #[inline(always)]
    pub fn width(self) -> usize {
        self.states + self.observables + self.times
    }

    /// Which of the numbers are observables.
    #[must_use]
    pub fn of_observables(self) -> core::ops::Range<usize> {
        self.states..self.states + self.observables
    }
}

/// Everything a solve reads.
#[derive(Clone, Debug)]
pub struct Inputs<T> {
    /// Number of trajectories.
    pub trajectories: usize,
    /// The same along each axis of a grid.
    pub shape: Vec<usize>,
    /// Initial states, a column for each component.
    pub u0: Vec<Column<T>>,
    /// Parameters, a column for each.
    pub p: Vec<Column<T>>,
    /// Beginnings of the time spans.
    pub t0: Column<T>,
    /// Ends of the time spans.
    pub t1: Column<T>,
    /// The times to save that are known.
    pub save: SaveTimes<T>,
    /// How many ends of steps are saved at most, after those.
    pub step_slots: usize,
    /// The times within the spans to stop at.
    pub stops: SaveTimes<T>,
    /// Whether there may be such times, at the ends of spans too.
    pub stopping: bool,
    /// What is saved at each time to save.
    pub saved: SavedRow,
    /// Absolute tolerances, where each component has its own.
    pub abstols: Vec<Column<T>>,
    /// Absolute tolerance of all components, where they have none of their own.
    pub abstol: T,
    /// Relative tolerance.
    pub reltol: T,
    /// Step size; 0: automatic.
    pub dt: T,
    /// Whether step sizes follow the error.
    pub adaptive: bool,
    /// Smallest step size, of adaptive steps; 0 where there is none.
    pub dtmin: T,
    /// Largest step size, of adaptive steps; infinite where there is none.
    pub dtmax: T,
    /// The [`Law`](crate::controller::Law) of step sizes.
    pub law: [f32; controller::LAW_NUMBERS],
    /// The same for the implicit one of two methods.
    pub stiff_law: [f32; controller::LAW_NUMBERS],
    /// The method that they are for.
    pub method: Properties,
    /// Which kind of law it is.
    pub law_kind: u32,
    /// Most steps of a trajectory.
    pub max_steps: u32,
    /// What becomes of steps that may pass over growth, as [`guard`](crate::guard) has it.
    pub guard: u32,
}

/// Trajectories are built in parallel, so many at a time; fewer are not worth a thread.
const BLOCK: usize = 4096;

/// Numbers of the problems that are written at a time.
const ROWS_NUMBERS: usize = 1024;

/// Indices travel as 32-bit numbers on a GPU.
const MOST: usize = i32::MAX as usize;

impl<T: Scalar> Inputs<T> {
    /// All columns: initial states, parameters, beginnings and ends of the time spans, and the absolute
    /// tolerances where each component has its own.
    pub fn columns(&self) -> impl Iterator<Item = &Column<T>> {
        self.u0.iter().chain(&self.p).chain([&self.t0, &self.t1]).chain(&self.abstols)
    }

    /// The absolute tolerance of component `d`.
    #[must_use]
    #[inline(always)]
    pub fn abstol(&self, d: usize) -> T {
        self.abstols.get(d).map_or(self.abstol, |column| column.get(0))
    }

    /// Whether there is a smallest or a largest step size.
    #[must_use]
    pub fn limited(&self) -> bool {
        self.dtmin > T::default() || self.dtmax < T::infinity()
    }

    /// How many times a trajectory is saved at most.
    #[must_use]
    pub fn slots(&self) -> usize {
        self.save.slots().saturating_add(self.step_slots)
    }

    /// The numbers saved of a trajectory, at all times together.
    #[must_use]
    pub fn saved_numbers(&self) -> usize {
        self.saved.width().saturating_mul(self.slots())
    }

    /// Evaluates the ensemble's problems, on the threads of rayon's current pool, and checks them
    /// together with the options and the method.
    ///
    /// # Errors
    /// Every [`SolveError`] except those of a place.
    pub fn new<S, F, const N: usize, const P: usize>(
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        F: Vary<S, T, N, P>,
    {
        Self::by(Workers::Pool, ensemble, options, method)
    }

    /// The same by `workers`. The calling thread does little work alone in any case.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn by<S, F, const N: usize, const P: usize>(
        workers: Workers,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        F: Vary<S, T, N, P>,
    {
        T::inputs(workers, &ensemble.asked(), options, method)
    }

    /// [`Host::inputs`](crate::host::Host::inputs) of both precisions.
    pub(crate) fn of(
        workers: Workers,
        ensemble: &Asked<'_, T>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError> {
        let system = &ensemble.system;
        let (states, parameters) = (system.states.len(), system.parameters.len());
        options.check::<T>()?;
        if system.mass && method.solves == 0 {
            return Err(SolveError::MassMatrix { method: method.name, system: system.name });
        }
        let (abstol, abstols) = tolerances(&options.abstol, states)?;
        let controller = options.controller.unwrap_or(method.controller);
        let stiff_law = method
            .switches_to
            .map(|method| options.controller.unwrap_or(auto::CONTROLLER).law::<T>(states, method));
        let law = controller.law::<T>(states, method);
        let growth_guard = options.growth_guard.unwrap_or_else(GrowthGuard::default_for::<T>);
        let saved = options.saved_row(system)?;
        let n = ensemble.trajectories;
        if n == 0 {
            return Err(SolveError::NoTrajectories);
        }
        if n > MOST {
            return Err(SolveError::TooManyTrajectories { trajectories: n, most: MOST });
        }
        let (axes, shape) = sweep::checked(ensemble.axes, ensemble.sweep, system, n)?;
        check_finite("u0", ensemble.u0)?;
        check_finite("p", ensemble.p)?;

        let width = states + parameters + 2;
        let workers = if n > BLOCK { workers } else { Workers::Caller };
        let blocks = workers.collect(n.div_ceil(BLOCK), |b| {
            let range = b * BLOCK..n.min((b + 1) * BLOCK);
            let mut block = Block::new(width, range.len());
            // So many at a time that a call for them does not count, and that they stay in the cache.
            let some = (ROWS_NUMBERS / width).clamp(1, range.len());
            let mut rows = vec![T::default(); some * width];
            for from in range.clone().step_by(some) {
                let to = range.end.min(from + some);
                let rows = &mut rows[..(to - from) * width];
                ensemble.problems.write(&axes, from..to, rows);
                for row in rows.chunks_exact(width) {
                    block.push(row)?;
                }
            }
            Ok(block)
        });
        let blocks: Vec<Block<T>> = blocks.into_iter().collect::<Result<_, SolveError>>()?;
        let columns = workers.collect(width, |c| Block::column(&blocks, c, n, workers));
        let mut columns: Vec<Column<T>> = columns.into_iter().collect::<Result<_, _>>()?;
        drop(blocks);

        let (Some(t1), Some(t0)) = (columns.pop(), columns.pop()) else { unreachable!() };
        let p = columns.split_off(states);
        check_spans(&t0, &t1, n)?;
        let spans = distinct_spans(&t0, &t1, n);
        let span = |i: usize| (t0.get(i), t1.get(i));
        let adaptive = !matches!(options.step, StepSize::Fixed(_));
        let breaks = adaptive && options.time_breaks;
        let shared: Vec<T> = match breaks {
            true => system.time_breaks.iter().filter_map(|time| within_range(*time)).collect(),
            false => Vec::new(),
        };
        let of_parameters = breaks && system.parameter_breaks;
        let stops = if !ensemble.stops && !of_parameters {
            lists(spans, n, workers, &|i| options.stop_times(&shared, span(i)))?
        } else {
            lists(n, n, workers, &|i| {
                let problem = columns.iter().chain(&p).chain([&t0, &t1]);
                let problem: Vec<T> = problem.map(|column| column.get(i)).collect();
                let mut times = shared.clone();
                if of_parameters {
                    let put = &mut |time| times.extend(within_range::<T>(time));
                    ensemble.problems.breaks(&problem, put);
                }
                if ensemble.stops {
                    times.extend(ensemble.problems.stops(&problem, i));
                }
                options.stop_times(&times, span(i))
            })?
        };
        let asked = !options.tstops.is_empty() || ensemble.stops;
        let stopping = asked || stops.slots() > 0;
        let (dt, adaptive) = check_steps(options, &t0, &t1, n, stops.slots())?;
        if adaptive && !method.adaptive() {
            return Err(SolveError::NotAdaptive { method: method.name });
        }
        room_for_times(options, &t0, &t1, n)?;
        let save = lists(spans, n, workers, &|i| options.save_times(t0.get(i), t1.get(i)))?;
        Ok(Inputs {
            trajectories: n,
            shape,
            u0: columns,
            p,
            t0,
            t1,
            save,
            step_slots: 0,
            stops,
            stopping,
            saved,
            abstol,
            abstols,
            reltol: T::narrow(options.reltol),
            dt: T::narrow(dt),
            adaptive,
            dtmin: T::narrow(options.dtmin),
            dtmax: options.dtmax.map_or(T::infinity(), T::narrow),
            law,
            stiff_law: stiff_law.unwrap_or(law),
            method: *method,
            law_kind: controller.kind(),
            max_steps: options.max_steps,
            guard: growth_guard.number(method),
        })
    }
}

/// Some trajectories' numbers, by column; a column that has not varied yet is one number.
struct Block<T> {
    columns: Vec<Column<T>>,
    len: usize,
    capacity: usize,
}

impl<T: Scalar> Block<T> {
    fn new(width: usize, capacity: usize) -> Self {
        Block { columns: vec![Column::Shared(T::default()); width], len: 0, capacity }
    }

    fn push(&mut self, row: &[T]) -> Result<(), SolveError> {
        for (column, &value) in self.columns.iter_mut().zip(row) {
            match column {
                Column::Shared(shared) if self.len == 0 => *shared = value,
                Column::Shared(shared) if same(*shared, value) => {}
                Column::Shared(shared) => {
                    let mut values = room(self.capacity)?;
                    values.resize(self.len, *shared);
                    values.push(value);
                    *column = Column::Each(values);
                }
                Column::Each(values) => values.push(value),
            }
        }
        self.len += 1;
        Ok(())
    }

    /// Column `c` of all blocks.
    fn column(
        blocks: &[Block<T>],
        c: usize,
        n: usize,
        workers: Workers,
    ) -> Result<Column<T>, SolveError> {
        let first = match blocks.first().map(|b| &b.columns[c]) {
            Some(Column::Shared(value)) => Some(*value),
            _ => None,
        };
        let all_same = |value: T| {
            blocks.iter().all(|b| matches!(&b.columns[c], Column::Shared(x) if same(*x, value)))
        };
        match first {
            Some(value) if all_same(value) => Ok(Column::Shared(value)),
            _ => {
                let value = |i: usize| blocks[i / BLOCK].columns[c].get(i % BLOCK);
                Ok(Column::Each(workers.numbers(n, &value)?))
            }
        }
    }
}

/// Equality of bits, as far as a solve can tell: NaN is NaN, and zeros have signs.
fn same<T: Scalar>(a: T, b: T) -> bool {
    a.widen().to_bits() == b.widen().to_bits()
}

/// The absolute tolerance of all `n` components, and those that they have of their own.
fn tolerances<T: Scalar>(abstol: &AbsTol, n: usize) -> Result<(T, Vec<Column<T>>), SolveError> {
    match abstol {
        AbsTol::All(number) => Ok((T::narrow(*number), Vec::new())),
        AbsTol::Each(numbers) if numbers.len() == n => {
            let columns = numbers.iter().map(|number| Column::Shared(T::narrow(*number)));
            Ok((T::default(), columns.collect()))
        }
        AbsTol::Each(numbers) => {
            Err(SolveError::Tolerances { tolerances: numbers.len(), components: n })
        }
    }
}

fn check_finite<T: Scalar>(what: &'static str, values: &[T]) -> Result<(), SolveError> {
    match values.iter().position(|v| !v.widen().is_finite()) {
        Some(index) => Err(SolveError::NonFinite { what, index, value: values[index].widen() }),
        None => Ok(()),
    }
}

/// The trajectories that stand for all: the first one where the spans are shared.
fn distinct_spans<T: Scalar>(t0: &Column<T>, t1: &Column<T>, n: usize) -> usize {
    match (t0, t1) {
        (Column::Shared(_), Column::Shared(_)) => 1,
        _ => n,
    }
}

fn check_spans<T: Scalar>(t0: &Column<T>, t1: &Column<T>, n: usize) -> Result<(), SolveError> {
    for i in 0..distinct_spans(t0, t1, n) {
        let (from, to) = (t0.get(i).widen(), t1.get(i).widen());
        if !(from.is_finite() && to.is_finite()) {
            return Err(SolveError::TimeSpan { trajectory: i, t0: from, t1: to });
        }
        if !(t1.get(i) - t0.get(i)).widen().is_finite() {
            return Err(SolveError::TimeSpanTooLong {
                trajectory: i,
                t0: from,
                t1: to,
                precision: T::NAME,
            });
        }
    }
    Ok(())
}

fn check_steps<T: Scalar>(
    options: &SolveOptions,
    t0: &Column<T>,
    t1: &Column<T>,
    n: usize,
    stops: usize,
) -> Result<(f64, bool), SolveError> {
    let mut size = (0.0, true);
    for i in 0..distinct_spans(t0, t1, n) {
        size = options.step_size(t0.get(i), t1.get(i), stops)?;
    }
    Ok(size)
}

/// A time in the precision of the solve, unless that has no such number: no span has it either.
fn within_range<T: Scalar>(time: f64) -> Option<T> {
    let time = T::narrow(time);
    time.widen().is_finite().then_some(time)
}

/// Whether there is memory for the times of trajectories that have times of their own: they are
/// counted before any is worked out.
fn room_for_times<T: Scalar>(
    options: &SolveOptions,
    t0: &Column<T>,
    t1: &Column<T>,
    n: usize,
) -> Result<(), SolveError> {
    let distinct = distinct_spans(t0, t1, n);
    let most = (0..distinct).map(|i| options.most_saves(t0.get(i), t1.get(i))).max();
    room::<T>(most.unwrap_or(0).saturating_mul(distinct)).map(drop)
}

/// The times that `list` gives trajectories: `n` of them, or one that stands for all where `distinct` is 1.
fn lists<T: Scalar>(
    distinct: usize,
    n: usize,
    workers: Workers,
    list: &(dyn Fn(usize) -> Result<Vec<T>, SolveError> + Sync),
) -> Result<SaveTimes<T>, SolveError> {
    if distinct == 1 {
        return Ok(SaveTimes::Shared(list(0)?));
    }
    let own = workers.collect(n, list);
    let own: Vec<Vec<T>> = own.into_iter().collect::<Result<_, _>>()?;
    if own.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(SaveTimes::Shared(own.into_iter().next().unwrap_or_default()));
    }
    let slots = own.iter().map(Vec::len).max().unwrap_or(0);
    let mut times = room(slots.saturating_mul(n))?;
    times.resize(slots * n, T::infinity());
    for (i, own) in own.iter().enumerate() {
        for (slot, &t) in own.iter().enumerate() {
            times[slot * n + i] = t;
        }
    }
    Ok(SaveTimes::Each { slots, times })
}
