//! The solve of one large system: an array for the lockstep loop, and its clock.
//!
//! The lockstep loop solves the array as its only member. Its clock checks the options and decides
//! times and step sizes by the code of lanes. An array of one number therefore has the bits of a
//! lane, which `tests/cpu/lanes.rs` compares for all methods.

use crate::array::Array;
use crate::clock::{self, ArrayConfig};
use crate::error::ArrayError;
use crate::explicit::Explicit;
use crate::first_step;
use crate::number::Number;
use crate::persistent;
use crate::place::ArrayPlace;
use crate::rosenbrock::Rosenbrock;
use crate::scheme::{Scheme, Span, Work};
use crate::shape::Shape;
use crate::solution::{ArraySolution, Counts};
use crate::system::ArraySystem;
use ode_core::ensemble::loop_config::options;
use ode_core::integrate::attempt::Attempt;
use ode_core::integrate::lane::Lane;
use ode_core::integrate::lockstep::{LockstepGroup, Told, lockstep, silence};
use ode_core::integrate::members::Leave;
use ode_core::integrate::options::{End, Options};
use ode_core::integrate::{advance, begin, first_step as of_lanes, members};
use ode_core::lane::{Bits, Real};
use ode_core::methods::{Coefficients, Properties, Rodas5P, Tsit5};
use ode_core::problem::prepared::PreparedSolve;
use ode_core::step::explicit::Tableau;
use ode_core::step::guard::{self, Guarded};
use ode_core::step::{code, norm};
use ode_core::{ReturnCode, SolveError, SolveOptions};

/// The arguments of a solve.
pub(crate) struct ArraySolve<'a, T: Number> {
    pub(crate) system: &'a dyn ArraySystem<T>,
    pub(crate) u0: &'a Array<T>,
    pub(crate) span: (T, T),
    pub(crate) p: &'a [Array<T>],
    pub(crate) coefficients: Coefficients,
    pub(crate) method: &'a Properties,
    pub(crate) options: &'a SolveOptions,
}

/// Solves a problem with a backend.
pub(crate) fn solve<T: Number>(
    request: ArraySolve<'_, T>,
    place: &impl ArrayPlace,
) -> Result<ArraySolution<T>, ArrayError> {
    let ArraySolve { system, u0, span, p, coefficients, method, options } = request;
    if u0.is_empty() {
        return Err(ArrayError::Empty { shape: u0.shape() });
    }
    check_numbers("u0", u0, |number| number.widen().is_finite())?;
    for p in p {
        check_numbers("p", p, |number| !number.widen().is_nan())?;
    }
    system.check(u0, p)?;
    let (inputs, abstol) = clock::inputs(span, options, method, u0.len())?;
    let u0 = &place.bring(u0)?;
    let abstol = place.bring(&Array::vector(abstol))?;
    let p = p.iter().map(|p| place.bring(p)).collect::<Result<Vec<_>, _>>()?;
    if let Coefficients::Explicit(tableau) = coefficients
        && let Some(a) = system.matrix(&p)
        && let Some(solved) = in_one_launch((a, u0, &abstol), tableau, method, &inputs)?
    {
        return Ok(solved);
    }
    let mut u = u0.like(u0.shape())?;
    u.copy(u0)?;
    let scheme: Box<dyn Scheme<T>> = match coefficients {
        Coefficients::Explicit(tableau) => Box::new(Explicit::new(tableau, method.fsal, &u)?),
        Coefficients::Rosenbrock(tableau) => Box::new(Rosenbrock::new(tableau, &u)?),
    };
    let mut whole = Whole {
        work: Work { system, p, evaluations: 0 },
        u0,
        inputs: &inputs,
        abstol,
        new: u.like(u.shape())?,
        u,
        scheme,
        is_complete: false,
        within: None,
        begun: code::SUCCESS,
        cause: code::SUCCESS,
        times: Vec::new(),
        states: Vec::new(),
        end: None,
        failed: None,
    };
    place.with_threads(&mut || whole.run())?;
    whole.solution(method)
}

/// Solves a linear system in one launch, if it is on a device that holds its matrix.
fn in_one_launch<T: Number>(
    (a, u0, abstol): (&Array<T>, &Array<T>, &Array<T>),
    tableau: &'static Tableau,
    method: &Properties,
    inputs: &PreparedSolve<T>,
) -> Result<Option<ArraySolution<T>>, ArrayError> {
    let rows = u0.len();
    if (u0.shape(), a.shape()) != (Shape::vector(rows), Shape::matrix(rows, rows)) {
        return Ok(None);
    }
    let arrays = (a.numbers(), u0.numbers(), abstol.numbers());
    let (Some(a), Some(on_device), Some(abstol)) = arrays else { return Ok(None) };
    let request = persistent::PersistentSolve { a, u0: on_device, abstol, tableau, method, inputs };
    let Some(solved) = persistent::solve(request)? else { return Ok(None) };
    let persistent::Solved { code, end_time, end, saved, steps, rejected, evaluations } = solved;
    let times = (0..saved.len()).map(|slot| inputs.inputs.save.get(0, slot)).collect();
    let mut solution = ArraySolution {
        method: *method,
        shape: u0.shape(),
        code: ReturnCode::from_lane(code as u8),
        end_time,
        final_state: end,
        times,
        states: saved,
        counts: Counts { accepted: steps - rejected, rejected, evaluations, ..Counts::default() },
        held_unstable: false,
    };
    leave_out_lost(&mut solution.times, &mut solution.states);
    Ok(Some(solution))
}

/// Removes a state that has become NaN, and all states after it: lanes do not reach these either.
fn leave_out_lost<T: Number>(times: &mut Vec<T>, states: &mut Vec<Vec<T>>) {
    let is_lost = |u: &Vec<T>| u.iter().any(|u| u.widen().is_nan());
    if let Some(first) = states.iter().position(is_lost) {
        states.truncate(first);
        times.truncate(first);
    }
}

/// Checks the numbers of an array.
fn check_numbers<T: Number>(
    what: &'static str,
    array: &Array<T>,
    is_good: impl Fn(T) -> bool,
) -> Result<(), ArrayError> {
    // On a device, one number usually shows that an array is valid.
    if array.as_slice().is_none() && array.is_finite()? {
        return Ok(());
    }
    let copy = if array.as_slice().is_none() { array.to_vec()? } else { Vec::new() };
    let numbers = array.as_slice().unwrap_or(&copy);
    match numbers.iter().position(|&number| !is_good(number)) {
        None => Ok(()),
        Some(index) => {
            let value = numbers[index].widen();
            Err(SolveError::NonFinite { what, index, value }.into())
        }
    }
}

/// One array as the only member of the lockstep loop.
struct Whole<'a, T: Number> {
    work: Work<'a, T>,
    /// The initial state.
    u0: &'a Array<T>,
    inputs: &'a PreparedSolve<T>,
    abstol: Array<T>,
    u: Array<T>,
    /// The state at the end of the attempted step.
    new: Array<T>,
    scheme: Box<dyn Scheme<T>>,
    /// Whether the stages that only interpolation needs are those of the attempted step.
    is_complete: bool,
    /// Memory for a state within a step.
    within: Option<Array<T>>,
    /// The reason why the solve, or a segment of it, did not begin.
    begun: u64,
    /// The reason why the last step was too long, or with fixed steps the first failure.
    cause: u64,
    times: Vec<T>,
    states: Vec<Vec<T>>,
    end: Option<End<T>>,
    failed: Option<ArrayError>,
}

impl<'a, T: Number> Whole<'a, T> {
    fn run(&mut self) {
        let settings = &self.inputs.options;
        let every_step = settings.saved.times > 0;
        let o = options::<T, T, 1>(settings, self.inputs.inputs.all(), every_step);
        // The method type only selects whether the loop guards against growth.
        match (settings.method.solves > 0, settings.adaptive) {
            (false, true) => lockstep::<T, Tsit5, _, ArrayConfig<true>, 1>(self, &o),
            (false, false) => lockstep::<T, Tsit5, _, ArrayConfig<false>, 1>(self, &o),
            (true, true) => lockstep::<T, Rodas5P, _, ArrayConfig<true>, 1>(self, &o),
            (true, false) => lockstep::<T, Rodas5P, _, ArrayConfig<false>, 1>(self, &o),
        }
    }

    fn solution(mut self, method: &Properties) -> Result<ArraySolution<T>, ArrayError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        leave_out_lost(&mut self.times, &mut self.states);
        let (mut code, mut end_time) = (code::SUCCESS, self.inputs.inputs.t0.get(0));
        let mut guarded = Guarded::default();
        let mut counts = Counts {
            evaluations: self.work.evaluations,
            factorisations: self.scheme.factorisations(),
            ..Counts::default()
        };
        if let Some(end) = self.end {
            (code, end_time) = (end.code.lane(0), end.t);
            let [steps, rejected] = [end.steps, end.rejected].map(|count| count.lane(0) as u32);
            guarded = Guarded::from_lane(end.guarded.lane(0) as u32);
            let accepted = steps - rejected;
            counts = Counts { accepted, rejected, guarded: guarded.count, ..counts };
        }
        Ok(ArraySolution {
            method: *method,
            shape: self.u.shape(),
            code: ReturnCode::from_lane(code as u8),
            end_time,
            final_state: self.u.to_vec()?,
            times: self.times,
            states: self.states,
            counts,
            held_unstable: guarded.held,
        })
    }

    fn options(&self) -> Options<T, 1> {
        let settings = &self.inputs.options;
        options::<T, T, 1>(settings, self.inputs.inputs.all(), settings.saved.times > 0)
    }

    /// Appends a state of the solution.
    fn push(&mut self, t: T, u: Vec<T>) {
        self.times.push(t);
        self.states.push(u);
    }

    /// Begins at the start of the span, or at a stop time.
    fn try_begin(&mut self, lane: &Lane<T>, how: u32) -> Result<Told<T>, ArrayError> {
        let o = self.options();
        if how != members::NEXT {
            self.u.copy(self.u0)?;
            self.times.clear();
            self.states.clear();
            if lane.saved.lane(0) == 1 {
                let u = self.u.to_vec()?;
                self.push(lane.t0, u);
            }
        }
        let t = begin::first_time::<T, ArrayConfig<true>, 1>(&o, lane);
        self.scheme.begin(&mut self.work, &self.u, t)?;
        let mut told = Told { goes: true, ..silence() };
        if self.inputs.options.adaptive {
            let span = lane.t1 - lane.t0;
            let mut h = Real::abs(o.dt);
            let automatic = h.equals(T::default());
            if automatic {
                let order = self.inputs.options.method.order;
                let tolerances = (&self.abstol, o.tolerances.reltol);
                let at = (&self.u, self.scheme.derivative());
                h = first_step::size(&mut self.work, order, (t, span), at, tolerances)?;
            }
            if automatic && of_lanes::is_blind::<T>(h, lane.t0, span) {
                told.goes = false;
                self.begun = code::DT_MIN;
            }
            told.size = begin::within_limits::<T, 1>(&o, lane.t0, h);
        }
        Ok(told)
    }

    fn try_attempt(&mut self, trial: &Attempt<T>) -> Result<Told<T>, ArrayError> {
        let o = self.options();
        self.is_complete = false;
        let step = Span { at: trial.ask.at, h: trial.ask.h };
        let mut told = Told { goes: true, ..silence() };
        if trial.looks {
            let grows = self.scheme.looks(&mut self.work, &step, &self.u)?;
            return Ok(Told { grows, ..told });
        }
        let grows = self.scheme.step(&mut self.work, &step, &self.u, &mut self.new)?;
        told.grows = grows && o.guard != guard::OFF && self.new.is_finite()?;
        let step_code = self.scheme.code();
        if self.inputs.options.adaptive {
            let tolerances = (&self.abstol, o.tolerances.reltol);
            let square = self.scheme.mean_square(step.h, &self.u, &self.new, tolerances)?;
            let most = T::lit(norm::SQUARE_MAX);
            told.square = square.at_most(most);
            told.fails = !square.le(T::lit(1.0));
            told.beyond = told.fails && !square.lt(most);
            told.hopeless = told.fails && !self.scheme.derivative().is_finite()?;
            let step_code = <T::Bits as Bits>::lit(step_code);
            let cause = advance::cause::<T>(told.hopeless, square, step_code);
            self.cause = if told.fails { cause.lane(0) } else { code::SUCCESS };
        } else if self.cause == code::SUCCESS {
            self.cause = step_code;
        }
        Ok(told)
    }

    /// Saves a state within the accepted step, or at its end.
    fn try_save(&mut self, lane: &Lane<T>, trial: &Attempt<T>, ahead: T) -> Result<(), ArrayError> {
        let h = trial.ask.h;
        let every_step = self.inputs.options.saved.times > 0;
        if !every_step && !self.is_complete {
            let step = Span { at: trial.ask.at, h };
            self.scheme.complete(&mut self.work, &step, &self.u)?;
            self.is_complete = true;
        }
        let u = if ahead.equals(h) {
            self.new.to_vec()?
        } else {
            let mut within = match self.within.take() {
                Some(within) => within,
                None => self.u.like(self.u.shape())?,
            };
            self.scheme.interpolate(h, ahead / h, &self.u, &mut within)?;
            self.within.insert(within).to_vec()?
        };
        self.push(lane.save_at, u);
        Ok(())
    }

    /// Returns the values of an operation. After an error, they reject every step size.
    fn told(&mut self, told: Result<Told<T>, ArrayError>) -> Told<T> {
        told.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            let square = T::lit(norm::SQUARE_MAX);
            Told { square, hopeless: true, beyond: true, fails: true, ..silence() }
        })
    }

    /// Sets the end of the solution, with the counts of the clock.
    fn ended(&mut self, lane: &Lane<T>, cause: u64) {
        if self.end.is_some() || self.failed.is_some() {
            return;
        }
        let mut lane = *lane;
        if cause != code::SUCCESS {
            lane.code = <T::Bits as Bits>::lit(cause);
        }
        let finite = self.u.is_finite().unwrap_or_else(|error| {
            self.failed = Some(error);
            true
        });
        let u = [if finite { T::default() } else { T::nan() }];
        self.end = Some(if self.inputs.options.adaptive {
            begin::ending::<T, Tsit5, ArrayConfig<true>, 1>(&lane, &u)
        } else {
            begin::ending::<T, Tsit5, ArrayConfig<false>, 1>(&lane, &u)
        });
    }
}

impl<T: Number> LockstepGroup<T> for Whole<'_, T> {
    fn saves(&self) -> bool {
        self.inputs.inputs.save.slots() > 0 || self.inputs.options.saved.times > 0
    }

    fn start(&self) -> T {
        self.inputs.inputs.t0.get(0)
    }

    fn end(&self) -> T {
        self.inputs.inputs.t1.get(0)
    }

    fn stop_time(&self, index: T::Bits) -> T {
        self.inputs.inputs.stops.get(0, index.lane(0) as usize)
    }

    fn save_time(&self, index: T::Bits) -> T {
        let (save, slot) = (&self.inputs.inputs.save, index.lane(0) as usize);
        let unknown = self.inputs.options.saved.times > 0 && slot >= save.slots();
        if unknown { T::nan() } else { save.get(0, slot) }
    }

    fn begin(&mut self, _before: &Lane<T>, lane: &Lane<T>, how: u32) -> Told<T> {
        self.cause = code::SUCCESS;
        let told = self.try_begin(lane, how);
        self.told(told)
    }

    fn attempt(&mut self, _lane: &Lane<T>, trial: &Attempt<T>) -> Told<T> {
        if self.failed.is_some() {
            return Told { hopeless: true, fails: true, ..silence() };
        }
        let told = self.try_attempt(trial);
        self.told(told)
    }

    fn passes_soon(&mut self, _lane: &Lane<T>, trial: &Attempt<T>, ends: bool) -> bool {
        let step = Span { at: trial.ask.at, h: trial.ask.h };
        let from = (&self.u, ends.then_some(&self.new));
        let passes = self.new.is_finite().and_then(|is_finite| {
            Ok(is_finite && self.scheme.passes_soon(&mut self.work, &step, from)?)
        });
        passes.unwrap_or_else(|error| {
            self.failed.get_or_insert(error);
            false
        })
    }

    fn save(&mut self, lane: &Lane<T>, trial: &Attempt<T>, ahead: T) {
        if self.failed.is_none()
            && let Err(error) = self.try_save(lane, trial, ahead)
        {
            self.failed = Some(error);
        }
    }

    fn accept(&mut self) {
        if self.failed.is_none() {
            core::mem::swap(&mut self.u, &mut self.new);
            self.scheme.accept();
        }
    }

    /// A large system has no events.
    fn act(&mut self, _lane: &Lane<T>, _h: T, _arrived: bool) -> Told<T> {
        Told { goes: true, ..silence() }
    }

    fn leave(&mut self, lane: &Lane<T>, _why: &Leave<T>) -> bool {
        self.ended(lane, self.cause);
        false
    }

    fn finish(&mut self, lane: &Lane<T>) {
        let cause = if self.inputs.options.adaptive { self.begun } else { self.cause };
        self.ended(lane, cause);
    }
}
