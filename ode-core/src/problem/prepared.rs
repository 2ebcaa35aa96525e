//! The inputs of a solve: an ensemble's evaluated problems, and its resolved options.

use crate::error::SolveError;
use crate::evaluation::EvaluationThreads;
use crate::lane::{Scalar, each_precision};
use crate::memory::PageLock;
use crate::problem::actions;
use crate::problem::draw::Draw;
use crate::problem::ensemble::{EnsembleProblem, Vary};
use crate::problem::ensemble_spec::{Clock, EnsembleSpec};
use crate::problem::evaluate::{BLOCK, Guess, Later};
use crate::problem::inputs::{Input, Inputs, SaveTimes};
use crate::problem::layout::Layout;
use crate::problem::options::{AbsTol, SolveOptions, StepSize, times};
use crate::problem::resolved_options::ResolvedOptions;
use crate::problem::sweep::{self, Axis, Quantity};
use crate::problem::tables;
use crate::reserve::reserve;
use crate::step::properties::Properties;
use crate::step::timeline;
use crate::system::System;
use core::ops::Range;

/// The inputs of a solve: common to all trajectories, and of each trajectory.
#[derive(Clone, Debug)]
pub struct PreparedSolve<T> {
    /// The resolved options.
    pub options: ResolvedOptions<T>,
    /// The trajectories.
    pub inputs: Inputs<T>,
}

/// The input evaluation that a backend can take over.
#[derive(Clone, Copy, Default)]
pub(crate) struct Abilities<'a> {
    /// The backend can wait for numbers that are still being evaluated.
    pub(crate) early: bool,
    /// The device that reads these numbers directly from page-locked memory.
    pub(crate) lock: Option<&'a dyn PageLock>,
    /// The backend draws samples itself.
    pub(crate) draws: bool,
    /// All trajectories stop at the times of each.
    pub(crate) couples: bool,
}

/// With fewer trajectories, solving the first ones early gains nothing.
const EARLY: usize = 1 << 18;

/// GPUs receive indices as 32-bit numbers.
const MOST: usize = i32::MAX as usize;

impl<T: Scalar> PreparedSolve<T> {
    /// Returns the numbers of results of a trajectory.
    #[must_use]
    pub fn layout(&self) -> Layout {
        Layout::new(&self.options, &self.inputs)
    }

    /// Returns the saved times that all trajectories share; `None` if they differ.
    ///
    /// The ends of steps are not among them.
    pub(crate) fn shared_times(&self) -> Option<Vec<f64>> {
        let times = self.inputs.save.shared()?;
        Some(times.iter().map(|time| time.widen()).collect())
    }

    /// Evaluates the ensemble's problems, and checks them with the options and the method.
    ///
    /// The evaluation uses the threads of rayon's current pool.
    ///
    /// # Errors
    /// Every [`SolveError`] except the errors of a backend.
    pub fn new<S, F, const N: usize, const P: usize>(
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        F: Vary<S, T, N, P>,
    {
        Self::by(EvaluationThreads::Pool, ensemble, options, method)
    }

    /// Evaluates and checks the ensemble's problems on the threads of `threads`.
    ///
    /// Otherwise as [`new`](Self::new).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn by<S, F, const N: usize, const P: usize>(
        threads: EvaluationThreads,
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        F: Vary<S, T, N, P>,
    {
        inputs(threads, &ensemble.spec(), options, method, Abilities::default())
    }

    /// Evaluates the inputs for a backend that draws samples itself.
    ///
    /// See [`draws_samples`](crate::ensemble::Capabilities::draws_samples).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn drawn<S, F, const N: usize, const P: usize>(
        ensemble: &EnsembleProblem<S, T, F, N, P>,
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError>
    where
        S: System<N, P>,
        F: Vary<S, T, N, P>,
    {
        let able = Abilities { draws: true, ..Abilities::default() };
        inputs(EvaluationThreads::Pool, &ensemble.spec(), options, method, able)
    }

    /// Checks options, method and time span of a solve that evaluates its equations by itself.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_clock(
        (t0, t1): (T, T),
        options: &SolveOptions,
        method: &Properties,
    ) -> Result<Self, SolveError> {
        let clock = Clock { t0, t1 };
        all(EvaluationThreads::Caller, &clock.spec(), options, method, Abilities::default())
    }

    /// Returns the inputs, and the evaluation that remains.
    ///
    /// An evaluation remains only if the backend can wait for inputs, and if their evaluation takes
    /// long.
    pub(crate) fn of<'a>(
        threads: EvaluationThreads,
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &SolveOptions,
        method: &Properties,
        place: Abilities<'a>,
    ) -> Result<(Self, Option<Early<'a, T>>), SolveError> {
        let system = &ensemble.system;
        let (states, parameters) = (system.info.states.len(), system.info.parameters.len());
        let mut settings = ResolvedOptions::of(system, options, method)?;
        let abstols = own_tolerances(&options.abstol);
        let Some(whole) = ensemble.trajectories else { return Err(SolveError::HowMany) };
        if whole == 0 {
            return Err(SolveError::NoTrajectories);
        }
        let numbers = ensemble.numbers(whole)?;
        // An empty shard takes the times of one trajectory, so that its arrays have the shape of
        // others.
        let (trajectories, n) = (numbers.len(), numbers.len().max(1));
        let first = numbers.start.min(whole - 1);
        if n > MOST {
            return Err(SolveError::TooManyTrajectories { trajectories: n, most: MOST });
        }
        let (axes, shape) = sweep::checked(ensemble.axes, ensemble.sweep, system, whole)?;
        let shape = if trajectories == whole { shape } else { vec![trajectories] };
        let on_axis = |quantity, index| is_on_axis(&axes, quantity, index);
        let mut draw = Draw::checked(ensemble.samples, &on_axis, system, whole)?;
        check_common(ensemble, &axes, &draw)?;

        let width = states + parameters + 2;
        let threads = if n > BLOCK { threads } else { EvaluationThreads::Caller };
        let adaptive = !matches!(options.step, StepSize::Fixed(_));
        let breaks = adaptive && options.time_breaks;
        let of_parameters = breaks && !system.info.parameter_breaks.is_empty();
        // The times of each trajectory depend on its parameters.
        let own_times = of_parameters || system.timed || system.tables || ensemble.stops;
        // The host must not need samples that the device draws.
        let drawn = match place.draws && !ensemble.varies && !own_times {
            true => draw.take_for_device(first as u64, states),
            false => Vec::new(),
        };
        let write = |range: Range<usize>, rows: &mut [T]| {
            let numbers = first + range.start..first + range.end;
            ensemble.problems.write(&axes, &draw, numbers, rows);
        };
        // If nothing else differs, there is one problem to evaluate.
        let swept = ensemble.sweep != [None; 2] || !axes.is_empty();
        let n_evaluated = match ensemble.varies || swept || !draw.is_constant() {
            true => n,
            false => 1,
        };
        let guess = Guess::new(n_evaluated, width, &write);
        // The computations per trajectory below need the inputs of all trajectories.
        let alike = !own_times && settings.saved.times == 0;
        let (mut columns, later) = if place.early
            && n_evaluated >= EARLY
            && alike
            && !(width - 2..width).any(|c| guess.differs(c))
        {
            let (columns, later) = guess.later(place.lock)?;
            (columns, Some(later))
        } else {
            (guess.columns(threads, &write)?, None)
        };
        for (index, column) in drawn {
            columns[index] = column;
        }

        let (Some(t1), Some(t0)) = (columns.pop(), columns.pop()) else { unreachable!() };
        let p = columns.split_off(states);
        let spans = distinct_spans(&t0, &t1, n);
        let span = |i: usize| (t0.get(i), t1.get(i));
        let is_sound = |i: usize| is_span(t0.get(i), t1.get(i));
        if (system.info.noise.is_some() || system.jumps)
            && (0..spans).any(|i| t1.get(i) < t0.get(i))
        {
            return Err(method.refuses_reversed_time(system.info));
        }
        let shared: Vec<T> = match breaks {
            true => system.info.time_breaks.iter().filter_map(|time| within_range(*time)).collect(),
            false => Vec::new(),
        };
        let stops_of = |problem: &[T], number: usize, span: (T, T)| {
            let mut times = shared.clone();
            if system.tables {
                tables::check(ensemble.problems, problem)?;
            }
            if of_parameters {
                let put = &mut |time| times.extend(within_range::<T>(time));
                ensemble.problems.breaks(problem, put);
            }
            if system.timed {
                actions::times(ensemble.problems, problem, span, &mut times)?;
            }
            if ensemble.stops {
                times.extend(ensemble.problems.stops(problem, number));
            }
            options.stop_times(&times, span)
        };
        let stops = if !own_times {
            lists(spans, n, threads, &is_sound, &|i| options.stop_times(&shared, span(i)))?
        } else {
            let is_solved = |i: usize| {
                let is_number = |column: &Input<T>| !column.get(i).widen().is_nan();
                is_sound(i) && columns.iter().chain(&p).all(is_number)
            };
            lists(n, n, threads, &is_solved, &|i| {
                let problem = columns.iter().chain(&p).chain([&t0, &t1]);
                let problem: Vec<T> = problem.map(|column| column.get(i)).collect();
                stops_of(&problem, first + i, span(i))
            })?
        };
        let stops = match place.couples && stops.shared().is_none() {
            true => {
                let mut union = times::union(stops.of_all())?;
                if span(0).1 < span(0).0 {
                    union.reverse();
                }
                SaveTimes::all(union)
            }
            false => stops,
        };
        let asked = !options.tstops.is_empty() || ensemble.stops;
        let asked = asked || system.timed || system.delayed || system.jumps;
        // A right-hand side that compares the time may jump at an end of the span.
        let info = system.info;
        let jumps = info.more_time_breaks
            || !(info.time_breaks.is_empty() && info.parameter_breaks.is_empty());
        settings.stopping = asked || jumps;
        let (dt, adaptive) = check_steps(options, &t0, &t1, n, stops.slots())?;
        method.check_steps(adaptive)?;
        (settings.lane.dt, settings.adaptive) = (T::narrow(dt), adaptive);
        if info.noise.is_some() {
            let (dt, levels) = options.noise_levels(dt, adaptive)?;
            settings.lane.dt = T::narrow(dt);
            settings.lane.noise[2] = levels;
            if adaptive && dt > 0.0 {
                let cell = dt * f64::from(1_u32 << levels);
                let longest = (0..spans).map(|i| (t1.get(i) - t0.get(i)).widen());
                check_cells::<T>(cell, longest.fold(0.0, f64::max))?;
            }
        }
        room_for_times(options, &t0, &t1, n)?;
        let times = |i: usize| options.save_times(first + i, t0.get(i), t1.get(i));
        let save = lists(spans, n, threads, &is_sound, &times)?;
        let (first, u0) = (numbers.start as u64, columns);
        let columns = Inputs { trajectories, first, shape, u0, p, t0, t1, save, stops, abstols };
        let later = later.map(|later| Early { later, ensemble, axes, draw });
        Ok((PreparedSolve { options: settings, inputs: columns }, later))
    }
}

each_precision! {
    /// Returns the inputs of an ensemble.
    fn inputs<'a, T>(
        threads: EvaluationThreads,
        ensemble: &'a EnsembleSpec<'a, T>,
        options: &'a SolveOptions,
        method: &'a Properties,
        place: Abilities<'a>,
    ) -> Result<PreparedSolve<T>, SolveError> = all, all;
}

/// Returns the inputs of an ensemble, all evaluated except the ones that the backend draws.
fn all<T: Scalar>(
    threads: EvaluationThreads,
    ensemble: &EnsembleSpec<'_, T>,
    options: &SolveOptions,
    method: &Properties,
    place: Abilities<'_>,
) -> Result<PreparedSolve<T>, SolveError> {
    PreparedSolve::of(threads, ensemble, options, method, place).map(|(inputs, _)| inputs)
}

/// Inputs that are still to be evaluated, with everything that this takes.
#[derive(Debug)]
pub(crate) struct Early<'a, T> {
    later: Later<T>,
    ensemble: &'a EnsembleSpec<'a, T>,
    axes: Vec<(&'a Axis, usize)>,
    draw: Draw,
}

impl<T: Scalar> Early<'_, T> {
    /// Evaluates the inputs.
    ///
    /// Returns whether the inputs are wrong: the guess missed an input that differs between
    /// trajectories.
    pub(crate) fn evaluate(self, columns: &Inputs<T>) -> bool {
        let Early { later, ensemble, axes, draw } = self;
        let quantities: Vec<&Input<T>> = columns.quantities().collect();
        let first = columns.first as usize;
        let write = |range: Range<usize>, rows: &mut [T]| {
            let numbers = first + range.start..first + range.end;
            ensemble.problems.write(&axes, &draw, numbers, rows);
        };
        later.evaluate(EvaluationThreads::Pool, &quantities, &write)
    }
}

/// Returns the absolute tolerances of each component: all, or none.
fn own_tolerances<T: Scalar>(abstol: &AbsTol) -> Vec<Input<T>> {
    match abstol {
        AbsTol::All(_) => Vec::new(),
        AbsTol::Each(numbers) => {
            numbers.iter().map(|&number| Input::all(T::narrow(number))).collect()
        }
    }
}

/// Whether one of the axes of a grid has values of this quantity.
fn is_on_axis(axes: &[(&Axis, usize)], quantity: Quantity, index: usize) -> bool {
    axes.iter().any(|&(axis, i)| axis.quantity() == quantity && i == index)
}

/// Checks the numbers of the base problem that no row, axis, sample or closure replaces.
///
/// All trajectories share these numbers. Other numbers belong to one trajectory, and if they are
/// invalid its return code reports it.
fn check_common<T: Scalar>(
    ensemble: &EnsembleSpec<'_, T>,
    axes: &[(&Axis, usize)],
    draw: &Draw,
) -> Result<(), SolveError> {
    if ensemble.varies {
        return Ok(());
    }
    let [u0, p] = ensemble.sweep;
    let common = |quantity: Quantity, rows: Option<usize>, index: usize| {
        rows.is_none() && !is_on_axis(axes, quantity, index) && !draw.has(quantity, index)
    };
    check("u0", &ensemble.u0, |i, x| !common(Quantity::InitialState, u0, i) || x.is_finite())?;
    check("p", &ensemble.p, |i, x| !common(Quantity::Parameter, p, i) || !x.is_nan())?;
    let (t0, t1) = ensemble.span;
    let (from, to) = (t0.widen(), t1.widen());
    if !(from.is_finite() && to.is_finite()) {
        return Err(SolveError::TimeSpan { t0: from, t1: to });
    }
    if !is_span(t0, t1) {
        return Err(SolveError::TimeSpanTooLong { t0: from, t1: to, precision: T::NAME });
    }
    Ok(())
}

/// Checks numbers, each with its index.
fn check<T: Scalar>(
    what: &'static str,
    values: &[T],
    is_valid: impl Fn(usize, f64) -> bool,
) -> Result<(), SolveError> {
    let mut values = values.iter().map(|value| value.widen()).enumerate();
    match values.find(|&(index, value)| !is_valid(index, value)) {
        Some((index, value)) => Err(SolveError::NonFinite { what, index, value }),
        None => Ok(()),
    }
}

/// Whether both ends of a time span and its length are finite.
///
/// If not, the loop ends the trajectory at its beginning.
fn is_span<T: Scalar>(t0: T, t1: T) -> bool {
    (t1 - t0).widen().is_finite()
}

/// Returns the number of distinct time spans: 1 if all trajectories share one.
fn distinct_spans<T: Scalar>(t0: &Input<T>, t1: &Input<T>, n: usize) -> usize {
    if t0.shared().is_some() && t1.shared().is_some() { 1 } else { n }
}

fn check_steps<T: Scalar>(
    options: &SolveOptions,
    t0: &Input<T>,
    t1: &Input<T>,
    n: usize,
    stops: usize,
) -> Result<(f64, bool), SolveError> {
    let mut size = None;
    for i in 0..distinct_spans(t0, t1, n) {
        if is_span(t0.get(i), t1.get(i)) {
            size = Some(options.step_size(t0.get(i), t1.get(i), stops)?);
        }
    }
    let none = T::default();
    size.map_or_else(|| options.step_size(none, none, stops), Ok)
}

/// Checks that the cells of the noise's paths can be counted, on a time span of this length.
fn check_cells<T: Scalar>(cell: f64, span: f64) -> Result<(), SolveError> {
    // Counters have words of 32 bits, and lanes of `f32` count in their numbers.
    let most = if T::DOUBLE { f64::from(u32::MAX) } else { timeline::MAX_WHOLE_SINGLE - 1.0 };
    let cells = span / cell;
    match span.is_finite() && cells > most {
        true => Err(SolveError::NoiseCells { cell, cells, most, precision: T::NAME }),
        false => Ok(()),
    }
}

/// Converts a time to the precision of the solve.
///
/// Returns `None` if the time is beyond the range of the precision, because no span contains it.
fn within_range<T: Scalar>(time: f64) -> Option<T> {
    let time = T::narrow(time);
    time.widen().is_finite().then_some(time)
}

/// Checks that there is memory for the times of all trajectories.
///
/// The times are counted here, before any list of times is built.
fn room_for_times<T: Scalar>(
    options: &SolveOptions,
    t0: &Input<T>,
    t1: &Input<T>,
    n: usize,
) -> Result<(), SolveError> {
    let distinct = distinct_spans(t0, t1, n);
    let sound = (0..distinct).filter(|&i| is_span(t0.get(i), t1.get(i)));
    let most = sound.map(|i| options.most_saves(t0.get(i), t1.get(i))).max();
    reserve::<T>(most.unwrap_or(0).saturating_mul(distinct)).map(drop)
}

/// Collects the times that `list` returns for each of `n` trajectories.
///
/// If `distinct` is 1, one list stands for all. Trajectories that are not solved have no times, or
/// the times that all others share.
fn lists<T: Scalar>(
    distinct: usize,
    n: usize,
    threads: EvaluationThreads,
    is_solved: &(dyn Fn(usize) -> bool + Sync),
    list: &(dyn Fn(usize) -> Result<Vec<T>, SolveError> + Sync),
) -> Result<SaveTimes<T>, SolveError> {
    let own = threads.collect(distinct, &|i| is_solved(i).then(|| list(i)).transpose());
    let own: Vec<Option<Vec<T>>> = own.into_iter().collect::<Result<_, _>>()?;
    let mut solved = own.iter().flatten();
    let first = solved.next();
    if solved.all(|own| Some(own) == first) {
        return Ok(SaveTimes::all(first.cloned().unwrap_or_default()));
    }
    let slots = own.iter().flatten().map(Vec::len).max().unwrap_or(0);
    let mut times = reserve(slots.saturating_mul(n))?;
    times.resize(slots * n, T::infinity());
    for (i, own) in own.iter().enumerate() {
        for (slot, &t) in own.iter().flatten().enumerate() {
            times[slot * n + i] = t;
        }
    }
    Ok(SaveTimes::each(slots, n, times))
}
