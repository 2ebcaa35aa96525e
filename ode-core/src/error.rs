//! Errors of solves, observables, events and checkpoints.
//!
//! Every error is a sentence with the values in it, and its `Debug` is that sentence too: a `main`
//! that returns `Result<(), Box<dyn Error>>` prints errors by `Debug`.

mod lyapunov;
mod multilevel;
mod periodic;
mod sensitivity;
mod summary;

pub use lyapunov::LyapunovError;
pub use multilevel::MultilevelError;
pub use periodic::PeriodicError;
pub use sensitivity::SensitivityError;
pub use summary::SummaryError;

use core::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// Implements a `Debug` that reads like `Display`, for errors.
#[doc(hidden)]
#[macro_export]
macro_rules! debug_as_display {
    ($($error:ty),+) => { $(
        impl ::core::fmt::Debug for $error {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                ::core::fmt::Display::fmt(self, f)
            }
        }
    )+ };
}
pub(crate) use debug_as_display;

debug_as_display!(SolveError, ObservableError, EventError, FeatureError, CheckpointError);

/// Returns the methods with an error estimate, for equations that `method` solves.
fn with_estimate(method: &str) -> &'static str {
    match method {
        "EulerMaruyama" | "Milstein" | "Siea" => {
            "a method that has one: `Shark` or `Sra1` for additive noise, `Sriw1` for diagonal or \
             scalar noise, `Spark` or `StochasticHeun` for equations in Stratonovich's calculus"
        }
        _ => "another method",
    }
}

/// The error of a solve that did not begin, or that failed as a whole.
///
/// A failure *within* a trajectory is its [`ReturnCode`](crate::ReturnCode) instead. Messages
/// contain the values and a remedy:
///
/// ```
/// # use ode_core::{OdeProblem, SolveOptions, methods::Rk4, system::System};
/// use ode_core::SolveError;
/// # fn of<S: System<2, 1>>(problem: OdeProblem<S, f64, 2, 1>) {
///
/// match problem.solve(Rk4, &SolveOptions::default()) {
///     Ok(solution) => println!("{:?}", solution.final_state()),
///     Err(SolveError::NotAdaptive { method }) => println!("{method} needs fixed steps"),
///     Err(error) => println!("{error}"),
/// }
/// # }
///
/// let error = SolveError::NotAdaptive { method: "Rk4" };
/// assert!(error.to_string().contains("`.fixed_step(dt)`"));
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum SolveError {
    /// The ensemble has no trajectories, or a sweep has no values.
    ///
    /// This is an error and not an empty solution, because its cause is nearly always an empty file
    /// or a filter that nothing passed.
    #[error(
        "the ensemble has 0 trajectories; set their number with `.trajectories(n)`, or give a sweep at \
         least one value"
    )]
    NoTrajectories,
    /// A loss has no items, or a minibatch no indices.
    #[error(
        "the loss has 0 items, and each item makes a trajectory; give the loss at least one item, \
         or `of` at least one index"
    )]
    NoItems,
    /// The number of trajectories is missing.
    ///
    /// [`vary`](crate::EnsembleProblem::vary) or [`sample`](crate::EnsembleProblem::sample) makes
    /// problems by their index, so the ensemble needs a number of trajectories.
    #[error(
        "the number of trajectories is missing, because `vary` and `sample` make a problem for \
         any index; call `.trajectories(n)`, or give rows or a grid"
    )]
    HowMany,
    /// There are more trajectories than can be counted.
    #[error(
        "{trajectories} trajectories are too many for one solve, which takes at most {most}; \
         solve the ensemble in shards"
    )]
    TooManyTrajectories {
        /// The requested number.
        trajectories: usize,
        /// The largest possible number.
        most: usize,
    },
    /// More threads are requested than can share work.
    #[error(
        "threads({threads}) exceeds the maximum of {most} threads; more threads than cores make \
         no solve faster: leave `threads` out to use all cores"
    )]
    TooManyThreads {
        /// The requested number.
        threads: usize,
        /// The largest possible number on this machine.
        most: usize,
    },
    /// There is no such [shard](crate::EnsembleProblem::shard) of the ensemble.
    #[error(
        "there is no shard {rank} of {size}; the index of a shard starts at 0 and is below the \
         number of shards"
    )]
    Shard {
        /// The index of the shard.
        rank: usize,
        /// The number of shards.
        size: usize,
    },
    /// A sweep has another number of rows or combinations than trajectories.
    #[error(
        "the sweep has {values} values for {trajectories} trajectories; rows, grids and \
         `.trajectories(n)` each set the number of trajectories, so their numbers must agree"
    )]
    Sweep {
        /// The number of rows or combinations.
        values: usize,
        /// The number of trajectories.
        trajectories: usize,
    },
    /// The system has no such quantity for an axis of a grid, for a sample, or to save.
    #[error("{system} has no {kind} {which}; it has `{}`", .known.join("`, `"))]
    Axis {
        /// The name of the system.
        system: &'static str,
        /// `parameter`, `state`, or `state or observable`.
        kind: &'static str,
        /// The requested name or index.
        which: String,
        /// The names that the system has.
        known: Vec<String>,
    },
    /// Two axes of a grid have values of the same quantity.
    #[error(
        "axes {} and {} of the grid both vary the {kind} `{name}` (index {index}) of {system}; \
         put all its values on one axis",
        .axes[0], .axes[1]
    )]
    AxisTwice {
        /// The name of the system.
        system: &'static str,
        /// `parameter` or `state`.
        kind: &'static str,
        /// The name of the quantity.
        name: &'static str,
        /// The index of the quantity.
        index: usize,
        /// The indices of the two axes, from 0.
        axes: [usize; 2],
    },
    /// A quantity is sampled twice, or also lies on an axis of the grid.
    #[error(
        "the {kind} `{name}` (index {index}) of {system} is sampled {}; remove one of the two",
        if *on_axis { "and is on an axis of the grid" } else { "by two rules" }
    )]
    SampledTwice {
        /// The name of the system.
        system: &'static str,
        /// `parameter` or `state`.
        kind: &'static str,
        /// The name of the quantity.
        name: &'static str,
        /// The index of the quantity.
        index: usize,
        /// Whether the quantity is on an axis; otherwise there are two rules.
        on_axis: bool,
    },
    /// A number of a sampling rule makes no distribution.
    #[error(
        "the {kind} `{name}` of {system} is sampled by {rule}, whose {number} is {}; it must {must}",
        short(*value)
    )]
    Rule {
        /// The name of the system.
        system: &'static str,
        /// `parameter` or `state`.
        kind: &'static str,
        /// The name of the quantity.
        name: &'static str,
        /// The name of the rule.
        rule: &'static str,
        /// The name of the rule's number.
        number: &'static str,
        /// The given value.
        value: f64,
        /// The requirement on the value.
        must: &'static str,
    },
    /// The ends of an interval of a sampling rule are in the wrong order.
    #[error(
        "the {kind} `{name}` of {system} is sampled by {rule}({}, {}); give the lower end first",
        short(*low), short(*high)
    )]
    RuleOrder {
        /// The name of the system.
        system: &'static str,
        /// `parameter` or `state`.
        kind: &'static str,
        /// The name of the quantity.
        name: &'static str,
        /// The name of the rule.
        rule: &'static str,
        /// The end given first.
        low: f64,
        /// The end given second.
        high: f64,
    },
    /// A quantity is sampled by a [`Choice`](crate::Choice) without values.
    #[error(
        "the {kind} `{name}` of {system} is sampled by a Choice without values; give at least one \
         value"
    )]
    NoChoice {
        /// The name of the system.
        system: &'static str,
        /// `parameter` or `state`.
        kind: &'static str,
        /// The name of the quantity.
        name: &'static str,
    },
    /// A [`Design`](crate::Design) does not have as many trajectories or quantities.
    #[error("{design} supports at most {most} {of}, and there are {given}; use `Design::Random`")]
    Design {
        /// The design.
        design: &'static str,
        /// The things that are counted, such as trajectories.
        of: &'static str,
        /// The requested number.
        given: usize,
        /// The largest possible number.
        most: usize,
    },
    /// The base problem contains a number that is not finite.
    ///
    /// This is a NaN or an infinity in the initial state, or a NaN among the parameters, and all
    /// trajectories take it from there. Such a number in a row of a sweep, on an axis of a grid or
    /// from `vary` affects one trajectory only. This trajectory ends with
    /// [`ReturnCode::NonFinite`](crate::ReturnCode::NonFinite).
    #[error(
        "{what}[{index}] is {value}; initial states must be finite, and parameters must not be NaN"
    )]
    NonFinite {
        /// `u0` or `p`.
        what: &'static str,
        /// The index of the component, from 0.
        index: usize,
        /// The given value.
        value: f64,
    },
    /// The base problem's time span has an end that is not finite.
    ///
    /// All trajectories take it from there. Such a time span from `vary` affects one trajectory
    /// only, which ends with [`ReturnCode::NonFinite`](crate::ReturnCode::NonFinite).
    #[error("the time span is {}..={}; both ends must be finite", short(*t0), short(*t1))]
    TimeSpan {
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
    },
    /// The base problem's time span is too long for the precision.
    ///
    /// The ends are finite numbers of the precision, but the length is not. Such a time span from
    /// `vary` affects one trajectory only, as for [`TimeSpan`](Self::TimeSpan).
    #[error(
        "the time span is {}..={}, and its length exceeds the largest number of {precision}; \
         measure time in a larger unit{}",
        short(*t0), short(*t1), or_double(.precision)
    )]
    TimeSpanTooLong {
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// The relative tolerance is 1 or more.
    #[error(
        "reltol is {}; a relative tolerance of 1 or more accepts errors as large as the state: \
         write 1e-3 for three digits",
        short(*reltol)
    )]
    RelTol {
        /// The given value.
        reltol: f64,
    },
    /// A tolerance is negative or not finite.
    #[error("{name} is {}; tolerances must be finite in {precision}, and not negative", short(*value))]
    Tolerance {
        /// `abstol` or `reltol`.
        name: &'static str,
        /// The given value.
        value: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// The absolute tolerance of a component and the relative tolerance are both zero.
    #[error(
        "{0} and reltol are 0, so {1} must be exact; set one of the two tolerances above 0",
        component.map_or("abstol".to_owned(), |index| format!("abstol[{index}]")),
        component.map_or("every component".to_owned(), |index| format!("component {index}"))
    )]
    ZeroTolerance {
        /// The index of the component, if components have absolute tolerances of their own.
        component: Option<usize>,
    },
    /// A step size is zero, not finite, or of the wrong sign.
    ///
    /// The wrong sign points away from the end of the time span.
    #[error(
        "{option}({}) on the time span {}..={}: a step must be finite and nonzero in {precision}, \
         and point from the start of the time span to its end",
        short(*dt), short(*t0), short(*t1)
    )]
    Step {
        /// `fixed_step` or `first_step`.
        option: &'static str,
        /// The step size.
        dt: f64,
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// A tolerance or a largest step is too small for the precision.
    #[error(
        "{name} is {}, which is too small for {precision}; use at least {}{}",
        short(*value), short(*least), or_double(.precision)
    )]
    TooSmall {
        /// `abstol`, `reltol` or `dtmax`.
        name: &'static str,
        /// The given value.
        value: f64,
        /// The smallest possible value.
        ///
        /// For a relative tolerance it is half a unit in the last place, the rounding of every
        /// number. For others it is the smallest normal number.
        least: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// Two times are not distinct in the precision.
    ///
    /// The times are the ends of a time span, times to save, or times of an action.
    #[error(
        "the times {} and {} of {of} are too close for {precision}, whose numbers are {} apart \
         there; measure time from the start of the problem{}",
        .times[0], .times[1], short(*unit), or_double(.precision)
    )]
    TimesTooClose {
        /// The source of the times.
        ///
        /// The source is `the time span`, `saveat` alone or with its spacing, an action with its
        /// period, or `the times to stop at of different trajectories`.
        of: String,
        /// Both times; the times of a spacing are neighbours.
        times: [f64; 2],
        /// The distance between neighbouring numbers at these times.
        unit: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// There would be more fixed steps than can be counted, or saved.
    #[error(
        "fixed_step({}) needs {} steps for this time span; the maximum for {of} is {most}: use \
         larger steps{}",
        short(*dt), short(*steps), or_double(.of)
    )]
    TooManySteps {
        /// The step size.
        dt: f64,
        /// The number of steps.
        steps: f64,
        /// The largest possible number.
        most: f64,
        /// The origin of the limit: `f32`, `f64`, or `SaveAt::Steps`.
        of: &'static str,
    },
    /// `dtmin` is negative or not finite.
    #[error("dtmin is {}; it must be finite in {precision} and not negative", short(*dtmin))]
    DtMin {
        /// The given value.
        dtmin: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// `dtmax` is NaN, or not larger than `dtmin`.
    #[error(
        "dtmax is {}; it must be larger than dtmin, which is {}",
        short(*dtmax), short(*dtmin)
    )]
    DtMax {
        /// The given value.
        dtmax: f64,
        /// The smallest step size.
        dtmin: f64,
    },
    /// The number of absolute tolerances is neither one nor the number of components.
    #[error(
        "abstol has {tolerances} values for {components} components; give one value, or one for \
         each component"
    )]
    Tolerances {
        /// The number of tolerances.
        tolerances: usize,
        /// The number of components of the state.
        components: usize,
    },
    /// A number of the controller is out of range.
    #[error(
        "{name} of the controller is {}; exponents lie in [-4, 4] (the exponent of this step's \
         error is at least 0.05, the second exponent of `pi` at least 0), the safety factor in \
         (0, 1], the smallest factor between steps in [0.1, 1), and the largest in (1, 10]",
        short(*value)
    )]
    Controller {
        /// The name of the number.
        name: &'static str,
        /// The given value.
        value: f64,
    },
    /// `max_steps` is 0.
    #[error("max_steps is 0; allow at least one step")]
    MaxSteps,
    /// The spacing of saved times is invalid.
    ///
    /// The spacing is not positive and finite, or makes more than 1e8 times.
    #[error(
        "saveat({}) on the time span {}..={}: the spacing must be positive and give at most 1e8 times",
        short(*spacing), short(*t0), short(*t1)
    )]
    SaveSpacing {
        /// The spacing.
        spacing: f64,
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
    },
    /// [`SaveAt::Steps`](crate::SaveAt::Steps) contradicts `save_end(false)`.
    #[error(
        "save_end(false) contradicts SaveAt::Steps, because the last step ends at the end of the \
         time span; leave one of the two options out"
    )]
    StepsEnd,
    /// The log of events has no capacity.
    #[error(
        "event_log(0) stores no events; give the maximum number of events to log per trajectory, \
         or leave `event_log` out"
    )]
    EmptyLog,
    /// A log was requested, but the system logs no event.
    #[error(
        "{system} has no event to log; write `#[event(rising, log)]` before the function of an \
         event, `#[at(…, log)]` or `#[after_step(log)]`, or leave `event_log` out"
    )]
    NothingToLog {
        /// The name of the system.
        system: &'static str,
    },
    /// A time to save is outside the time span.
    #[error(
        "saveat contains {}, which is outside the time span {}..={} of trajectory {trajectory}",
        short(*time), short(*t0), short(*t1)
    )]
    SaveOutside {
        /// The first trajectory whose time span does not contain the time.
        trajectory: usize,
        /// The time.
        time: f64,
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
    },
    /// Times to save are out of order, or one occurs twice.
    #[error(
        "saveat has {} {}; times must run from the beginning of the time span to its end",
        short(*time), if time == before { "twice".to_owned() } else { format!("after {}", short(*before)) }
    )]
    SaveOrder {
        /// The earlier entry of the list.
        before: f64,
        /// The entry after it.
        time: f64,
    },
    /// Abscissae of a table are not finite and in ascending order.
    #[error(
        "the abscissae of `interp_linear_at` must ascend, but {} = {} precedes {} = {}: sort the \
         points of each trajectory by their abscissae",
        names[0], short(values[0]), names[1], short(values[1])
    )]
    TableOrder {
        /// Formulas of two neighbouring abscissae.
        names: [&'static str; 2],
        /// Their values.
        values: [f64; 2],
    },
    /// A time to stop at is infinite or NaN.
    #[error("tstops contains {}; times to stop at must be finite", short(*time))]
    StopTime {
        /// The time.
        time: f64,
    },
    /// A scheduled action occurs too often in the time span.
    #[error(
        "a scheduled action every {} occurs {} times in the time span from {} to {}; the maximum \
         is {most}: give a longer period, or a `count`",
        short(*every), short(*times), short(*t0), short(*t1)
    )]
    TooManyActions {
        /// The period.
        every: f64,
        /// The number of times.
        times: f64,
        /// The beginning of the time span.
        t0: f64,
        /// The end of the time span.
        t1: f64,
        /// The largest possible number.
        most: f64,
    },
    /// The method has no error estimate for adaptive steps.
    #[error(
        "{method} has no error estimate, so it cannot choose step sizes; set one with \
         `.fixed_step(dt)`, or use {}",
        with_estimate(.method)
    )]
    NotAdaptive {
        /// The method.
        method: &'static str,
    },
    /// The method does not take fixed steps.
    ///
    /// The method switches by its errors and step sizes, as [`Auto`](crate::Auto) does.
    #[error(
        "{method} does not take fixed steps, because it chooses methods by error estimates and \
         step sizes; name one method for fixed steps"
    )]
    NotFixed {
        /// The name of the method that switches.
        method: &'static str,
    },
    /// The method does not solve the noise of the system.
    #[error("{method} cannot solve {system}, which has {found}: {why}")]
    Noise {
        /// The method.
        method: &'static str,
        /// The name of the system.
        system: &'static str,
        /// The noise of the system.
        found: String,
        /// The cause, and a remedy.
        why: String,
    },
    /// The cells of the noise's paths have no length.
    #[error("`noise_cell` is {cell:e}; it must be positive and finite, in units of time")]
    NoiseCellLength {
        /// The given number.
        cell: f64,
    },
    /// The cells of the noise's paths do not fit the fixed or first steps.
    #[error(
        "`noise_cell` is {cell} and the step size is {dt}; a cell has 2^k steps, with a whole \
         number k from 0 to 16: set the step to the cell divided by a power of two"
    )]
    NoiseCell {
        /// The length of a cell.
        cell: f64,
        /// The fixed or first step.
        dt: f64,
    },
    /// The noise has no path.
    #[error(
        "`noise_paths` is 0: set the number of paths that the trajectories share, or leave the \
         option out for a path of each trajectory"
    )]
    NoisePaths,
    /// The time span has too many cells of the noise's paths.
    #[error(
        "the time span has {} cells of the noise's paths, of length {}; the maximum for \
         {precision} is {most}: set a longer cell by `.noise_cell(length)`",
        short(*cells), short(*cell)
    )]
    NoiseCells {
        /// The length of a cell.
        cell: f64,
        /// The number of cells.
        cells: f64,
        /// The largest possible number.
        most: f64,
        /// `f32` or `f64`.
        precision: &'static str,
    },
    /// The system has a mass matrix, and the method is explicit.
    #[error(
        "{method} cannot solve {system}, which has a mass matrix; use a Rosenbrock or an ESDIRK \
         method, such as `Rodas5P`"
    )]
    MassMatrix {
        /// The method.
        method: &'static str,
        /// The name of the system.
        system: &'static str,
    },
    /// A device backend has no device text for the system.
    ///
    /// The system has no text, or the text of a system of other sizes; see
    /// [`System::device_source`](crate::system::System::device_source).
    #[error(
        "{system} has no device source{}; solve it with `EnsembleThreads`, or define it with \
         `#[ode_system]`", of_others(*of)
    )]
    NoDeviceSource {
        /// The name of the system.
        system: &'static str,
        /// The numbers of states, parameters and observables of the system's text, if it has one.
        of: Option<[usize; 3]>,
    },
    /// A backend ran a task on the CPU, but compiled only kernel text.
    ///
    /// The backend's [`Compiled`](crate::ensemble::task::CompiledLanes) is `Text`.
    #[error(
        "the backend that runs {system} by {method} compiled only kernel text; set its `Compiled` \
         to `Everything`, `Lanes` or `OneLane`"
    )]
    TextOnly {
        /// The name of the system.
        system: &'static str,
        /// The method.
        method: &'static str,
    },
    /// [`Saving`](crate::Saving) requests observables, but the system has none.
    #[error(
        "{system} has no observables to save; give it a function with `#[observable]`, or save its \
         states"
    )]
    NoObservables {
        /// The name of the system.
        system: &'static str,
    },
    /// [`SolveOptions::save_only`](crate::SolveOptions::save_only) lists no components, or one of
    /// them twice.
    #[error("`save_only` does not fit {system}: {why}")]
    SaveOnly {
        /// The name of the system.
        system: &'static str,
        /// The reason, and a remedy.
        why: String,
    },
    /// Inputs or results do not fit into memory.
    #[error(
        "the solve cannot allocate {bytes} bytes of {memory}; {}",
        memory.remedy(*bytes, "save fewer states, or solve the ensemble in shards")
    )]
    OutOfMemory {
        /// The size of the allocation that failed.
        bytes: usize,
        /// The kind of memory.
        memory: Memory,
    },
    /// The inputs belong to another system.
    #[error(
        "the inputs have {given} values of `{what}` for each trajectory, and the system has \
         {expected}; use inputs of this system"
    )]
    Shape {
        /// The quantity.
        what: &'static str,
        /// The given count of numbers.
        given: usize,
        /// The system's count of numbers.
        expected: usize,
    },
    /// An [`EnsembleAlgorithm`](crate::EnsembleAlgorithm) returned too few or too many numbers.
    #[error("the backend returned {given} {}, and the inputs require {expected}", counted(.what))]
    Results {
        /// The field of [`RawResults`](crate::RawResults) or of
        /// [`RawGradients`](crate::ensemble::raw_gradients::RawGradients), `trajectories`, or the
        /// shape of the inputs.
        what: &'static str,
        /// The returned count.
        given: usize,
        /// The count that the inputs require.
        expected: usize,
    },
    /// An [`EnsembleAlgorithm`](crate::EnsembleAlgorithm) skipped or repeated trajectories, or
    /// returned a batch of another size.
    #[error(
        "the backend returned the trajectories {given:?} {}; it must pass all trajectories to its \
         sink once, in order, and in batches of `ResultSink::batch`", instead(.expected)
    )]
    Batch {
        /// The indices of the trajectories of the batch.
        given: Range<u64>,
        /// The indices of the trajectories of the next batch; empty after the last one.
        expected: Range<u64>,
    },
    /// The arrays of a [`Job`](crate::ensemble::Job) do not fit its trajectories.
    #[error(
        "the size of `{of}.{what}` is {given}, and the job requires {expected}; {}",
        fit(.of)
    )]
    JobSize {
        /// The part of the job: `inputs`, `cotangents`, `results`, `gradients` or `reduction`.
        of: &'static str,
        /// The field of the part.
        what: &'static str,
        /// The given size.
        given: usize,
        /// The size that the inputs, the options and the task require.
        expected: usize,
    },
    /// The backend did not evaluate the ensemble's problems.
    ///
    /// Its pool returned from [`install`](crate::ensemble::EvaluationPool::install) without calling
    /// the argument.
    #[error(
        "the backend did not evaluate the ensemble's problems; `install` of its `EvaluationPool` \
         must call its argument once"
    )]
    NotPrepared,
    /// There is no [lockstep solve](struct@crate::EnsembleCpuArray) of this task.
    #[error("there is no lockstep solve by {method} {why}")]
    NoArrays {
        /// The method.
        method: &'static str,
        /// The circumstance, and the remedy.
        why: &'static str,
    },
    /// Trajectories of a [lockstep solve](struct@crate::EnsembleCpuArray) differ in their times.
    ///
    /// The members of a lockstep solve share one time.
    #[error(
        "the members of a lockstep solve share one time, and the trajectories differ in {what}; \
         use `EnsembleThreads` or `EnsembleGpuKernel`, where each trajectory has its own time"
    )]
    ColumnsDiffer {
        /// `their time spans`, `their times to save` or `their times to stop at`.
        what: &'static str,
    },
    /// The backend computes no gradients.
    #[error(
        "this backend computes no gradients; use `EnsembleSerial`, `EnsembleThreads` or \
         `EnsembleGpuKernel`"
    )]
    NoGradients,
    /// Gradients do not cover a feature of the solve.
    #[error("there are no gradients of {what}; {instead}")]
    NoGradientsOf {
        /// The feature.
        what: &'static str,
        /// The remedy.
        instead: &'static str,
    },
    /// The cotangents do not have the shape of the saved states.
    #[error(
        "the cotangents of the {what} have shape {given:?} instead of {expected:?}: {}",
        axes(.expected)
    )]
    Cotangents {
        /// The states of the cotangents.
        what: &'static str,
        /// The given shape.
        given: Vec<usize>,
        /// The shape of the states.
        expected: Vec<usize>,
    },
    /// A cotangent of a trajectory that succeeded is infinite or NaN.
    #[error(
        "the cotangent of the {what} of trajectory {trajectory} is {} at {}component {component}; \
         the trajectory succeeded, so the derivative of the loss must be finite there",
        short(*value), save.map_or_else(String::new, |save| format!("save {save}, "))
    )]
    NonFiniteCotangent {
        /// The states of the cotangent.
        what: &'static str,
        /// The index of the trajectory.
        trajectory: usize,
        /// The index of the saved time; `None` for final states.
        save: Option<usize>,
        /// The index of the component.
        component: usize,
        /// The cotangent.
        value: f64,
    },
    /// The optimiser compares losses, so it cannot use minibatches.
    #[error(
        "this optimiser compares losses, so each loss must cover all trajectories; leave \
         `.minibatch(n)` out, or use `.adam(rate)`"
    )]
    Minibatch,
    /// A training cannot succeed with a value of a setting.
    #[error("{setting} is {}; {must}", short(*value))]
    Training {
        /// The setting: `the rate of Adam`, `the size of minibatches`, or a component of `Theta`.
        setting: &'static str,
        /// The given value.
        value: f64,
        /// The admissible values.
        must: &'static str,
    },
    /// All trajectories of a training failed in all iterations, so no loss exists.
    #[error(
        "{}, so there is no loss to minimise; solve `loss.ensemble(theta)` to see the return \
         code{}",
        all_failed(*trajectories, *iterations), if *trajectories == 1 { "" } else { "s" }
    )]
    NothingLearnt {
        /// The number of trajectories of an iteration.
        trajectories: usize,
        /// The number of iterations.
        iterations: usize,
    },
    /// A gradient of a loss was [cancelled](crate::EnsembleWatched), or its time was over.
    ///
    /// A sum over some of the trajectories is not the loss.
    #[error(
        "the gradient was cancelled, or its time was over, before {unsolved} of {trajectories} \
         trajectories were solved; compute it again with a new token or a longer time limit"
    )]
    Cancelled {
        /// The number of trajectories that were not solved.
        unsolved: usize,
        /// The number of trajectories.
        trajectories: usize,
    },
    /// The checkpoint file of a training cannot be used.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A summary cannot be computed.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// A sensitivity analysis cannot be computed.
    #[error(transparent)]
    Sensitivity(#[from] SensitivityError),
    /// Lyapunov exponents cannot be computed.
    #[error(transparent)]
    Lyapunov(#[from] LyapunovError),
    /// The mean by several step sizes cannot be estimated.
    #[error(transparent)]
    Multilevel(#[from] MultilevelError),
    /// Periodic states cannot be searched.
    #[error(transparent)]
    Periodic(#[from] PeriodicError),
    /// The backend failed for a reason of its own: no device, no compiler.
    ///
    /// `downcast_ref` returns the error.
    #[error(transparent)]
    Backend(Arc<dyn std::error::Error + Send + Sync>),
    /// The [`ResultSink`](crate::ResultSink) could not store results, for example on a full disk.
    ///
    /// `downcast_ref` returns the error.
    #[error(transparent)]
    Sink(Arc<dyn std::error::Error + Send + Sync>),
}

/// The error of a training's [checkpoint file](crate::gradient::Train::checkpoint).
///
/// The training can neither be continued from the file nor stored in it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file cannot be read or written.
    #[error("the checkpoint {} cannot be {done}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// `read` or `written`.
        done: &'static str,
        /// The error of the operating system.
        error: Arc<std::io::Error>,
    },
    /// The content of the file is damaged.
    #[error(
        "{} is damaged, or not a checkpoint; remove it to restart the training, or name another \
         file", path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to another training.
    #[error(
        "{} is the checkpoint of another training: its {what} is `{found}`, and this training has \
         `{expected}`; remove it to restart the training, or name another file", path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The first difference.
        what: String,
        /// The value in the file.
        found: String,
        /// The value of this training.
        expected: String,
    },
}

impl SolveError {
    /// The reason why there is no lockstep solve by a backend that is chosen at run time.
    pub(crate) const NOT_COMPILED: &str = "on a backend behind a `Box`, an `Arc` or a `dyn`, for \
        which it is not compiled, because most programs would not use it; pass `solve` the \
        `EnsembleCpuArray` itself, or a reference to it";
    /// The reason why there is no lockstep solve of systems with delayed actions.
    pub(crate) const DELAYED: &str = "of a system with delayed actions, because the members of a \
        group share the ends of segments; use `EnsembleThreads` or `EnsembleGpuKernel`";
    /// The reason why there is no lockstep solve of systems with noise.
    pub(crate) const NOISE: &str = "of a system with noise, because the members of a group would \
        share paths; use `EnsembleThreads` or `EnsembleGpuKernel`";
    /// The reason why there is no lockstep solve of systems with random jumps.
    pub(crate) const JUMPS: &str = "of a system with random jumps, because the members of a group \
        share the ends of segments; use `EnsembleThreads` or `EnsembleGpuKernel`";
    /// The reason why there is no lockstep solve of systems with features.
    pub(crate) const FEATURES: &str = "of a system with features, because lockstep \
        does not compute them; use `EnsembleThreads` or `EnsembleGpuKernel`";

    /// Checks the size of a part of a [`Job`](crate::ensemble::Job).
    ///
    /// The error is [`SolveError::JobSize`].
    pub(crate) fn check_size(
        of: &'static str,
        what: &'static str,
        given: usize,
        expected: usize,
    ) -> Result<(), SolveError> {
        match given == expected {
            true => Ok(()),
            false => Err(SolveError::JobSize { of, what, given, expected }),
        }
    }

    /// Refuses more threads than can share work.
    ///
    /// The error is [`SolveError::TooManyThreads`]. Idle threads search all others for work, again
    /// and again. The time for that grows by the third power of their number. On two cores 1,000
    /// threads start in 1 s and 3,000 in 20 s.
    #[doc(hidden)]
    pub fn check_threads(threads: usize) -> Result<(), SolveError> {
        let most = std::thread::available_parallelism().map_or(1, usize::from).max(1024);
        match threads > most {
            true => Err(SolveError::TooManyThreads { threads, most }),
            false => Ok(()),
        }
    }

    /// Names `memory` in an error of the machine's memory; other errors stay.
    pub(crate) fn of_memory(self, memory: Memory) -> Self {
        match self {
            SolveError::OutOfMemory { bytes, memory: Memory::Host } => {
                SolveError::OutOfMemory { bytes, memory }
            }
            other => other,
        }
    }

    /// Refuses a setting of a training below 0, or not below `most`.
    pub(crate) fn check_setting(
        setting: &'static str,
        value: f64,
        most: f64,
    ) -> Result<(), SolveError> {
        if value >= 0.0 && value < most {
            return Ok(());
        }
        let must = match most.is_infinite() {
            true => "it must be finite and not negative",
            false => "it must be at least 0 and below 1",
        };
        Err(SolveError::Training { setting, value, must })
    }

    /// The reason why there is no lockstep solve by a method that switches.
    pub(crate) const SWITCHES: &str = "because it chooses a method for each trajectory; use \
        `Tsit5`, `Vern7`, `Rodas4` or `Rodas5P`";
}

/// A kind of memory that is too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Memory {
    /// The memory of the machine.
    Host,
    /// The memory of the machine, for the step records of a gradient.
    Steps,
    /// The memory of the machine, for the log of events.
    Log,
    /// Page-locked memory of the machine, for copies to and from a GPU.
    PageLocked,
    /// The memory of a device.
    Device {
        /// The index of the device.
        ordinal: usize,
        /// The number of free bytes.
        free: u64,
    },
}

impl Memory {
    /// Returns the remedy if `bytes` of this memory cannot be allocated.
    ///
    /// If the memory is too small, the remedy is `smaller`.
    #[doc(hidden)]
    #[must_use]
    pub fn remedy(&self, bytes: usize, smaller: &'static str) -> &'static str {
        match self {
            Memory::Device { free, .. } if *free >= bytes as u64 => {
                "a limit of this process (ulimit -v) may be too low, or the free memory is \
                 fragmented"
            }
            Memory::Steps => {
                "take fewer steps, or compute the gradients of fewer trajectories at a time"
            }
            Memory::Log => "reduce the capacity of `event_log`, or solve the ensemble in shards",
            Memory::Host | Memory::PageLocked | Memory::Device { .. } => smaller,
        }
    }
}

impl core::fmt::Display for Memory {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Memory::Host => f.write_str("memory"),
            Memory::Steps => f.write_str("memory for the steps of a gradient"),
            Memory::Log => f.write_str("memory for the log of events"),
            Memory::PageLocked => f.write_str("page-locked memory"),
            Memory::Device { ordinal, free } => {
                write!(f, "the memory of device {ordinal}, which has {free} bytes free")
            }
        }
    }
}

/// The error of an observable or a state without values in a solution.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ObservableError {
    /// The system has no observable of this name.
    #[error("{system} has no observable `{name}`; it has {}", listed(.known))]
    Unknown {
        /// The name of the system.
        system: &'static str,
        /// The requested name.
        name: String,
        /// The names that the system has.
        known: &'static [&'static str],
    },
    /// The options of the solve did not save the observable or the state.
    #[error(
        "`{name}` was not saved; select it by `SolveOptions::saving` or `SolveOptions::save_only`"
    )]
    NotSaved {
        /// The requested name.
        name: &'static str,
    },
    /// The system has no state and no observable of this name.
    #[error("{system} has no state or observable `{name}`; it has {}", listed(.known))]
    UnknownComponent {
        /// The name of the system.
        system: &'static str,
        /// The requested name.
        name: String,
        /// The names that the system has.
        known: Vec<&'static str>,
    },
}

/// The error of an event without counts, or of a log, in a solution.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// The system has no event of this name.
    #[error("{system} has no event `{name}`; it has {}", listed(.known))]
    Unknown {
        /// The name of the system.
        system: &'static str,
        /// The requested name.
        name: String,
        /// The names that the system has.
        known: &'static [&'static str],
    },
    /// The solve had no log.
    #[error("the solution has no event log; request one with `SolveOptions::event_log`")]
    NoLog,
    /// A trajectory had more events than the capacity of its log.
    #[error(
        "the log of trajectory {trajectory} holds {kept} events, and {happened} occurred; raise \
         the capacity of `event_log`, or read the first ones with `kept_log`"
    )]
    LogFull {
        /// The index of the trajectory.
        trajectory: usize,
        /// The number of events in the log.
        kept: usize,
        /// The number of events that occurred.
        happened: u64,
    },
}

/// The error of a name that no feature of a solution's system has.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{system} has no feature `{name}`; it has {}", listed(.known))]
#[non_exhaustive]
pub struct FeatureError {
    /// The name of the system.
    pub system: &'static str,
    /// The requested name.
    pub name: String,
    /// The names that the system has.
    pub known: &'static [&'static str],
}

/// Formats a number, with an exponent if it would have many zeros.
fn short(number: f64) -> String {
    let plain = number == 0.0 || (1e-4..1e9).contains(&number.abs());
    if plain { format!("{number}") } else { format!("{number:e}") }
}

/// Returns the sentence that all trajectories failed in all iterations.
fn all_failed(trajectories: usize, iterations: usize) -> String {
    let who = match trajectories {
        1 => "the only trajectory".to_owned(),
        _ => format!("all {trajectories} trajectories"),
    };
    match iterations {
        1 => format!("{who} failed in the only iteration"),
        _ => format!("{who} failed in each of {iterations} iterations"),
    }
}

/// Returns further advice for solves in `f32`.
fn or_double(precision: &str) -> &'static str {
    if precision == "f32" { ", or solve in f64" } else { "" }
}

/// Returns the sizes of a text for devices, if it belongs to another system.
fn of_others(sizes: Option<[usize; 3]>) -> String {
    sizes.map_or_else(String::new, |[states, parameters, observables]| {
        format!(
            " for its sizes, but one for {states} states, {parameters} parameters and \
             {observables} observables"
        )
    })
}

/// Returns the relation of a wrong batch to the expected one.
fn instead(expected: &Range<u64>) -> String {
    match expected.is_empty() {
        true => "after the last batch".to_owned(),
        false => format!("instead of {expected:?}"),
    }
}

/// Returns the name of a count of results.
fn counted(what: &str) -> String {
    match what {
        "trajectories" => what.to_owned(),
        array => format!("numbers of `{array}`"),
    }
}

/// Returns the remedy for a part of a job that does not fit its trajectories.
fn fit(part: &str) -> &'static str {
    match part {
        "inputs" => "`InputRange::to_inputs` returns the inputs of fewer trajectories",
        "cotangents" => {
            "cut the rows of the cotangents to the trajectories of the inputs, or leave an array \
             empty"
        }
        "results" => {
            "call `results.fit(&Layout::of_adjoint(options, inputs), inputs.trajectories)`"
        }
        _ => "call `gradients.fit(&task.shape(), inputs.trajectories)`",
    }
}

/// Returns the names of the axes of an array of states of this shape.
fn axes(shape: &[usize]) -> &'static str {
    match shape {
        [_, _] => "trajectories, components",
        [_, 0, _] => {
            "trajectories, saved times, components; without `saveat` there are only final states, \
             whose cotangents have two axes"
        }
        _ => "trajectories, saved times, components",
    }
}

fn listed<S: AsRef<str>>(names: &[S]) -> String {
    match names {
        [] => "none".to_owned(),
        names => {
            let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
            format!("`{}`", names.join("`, `"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_trajectory_is_singular() {
        let text = |trajectories, iterations| {
            SolveError::NothingLearnt { trajectories, iterations }.to_string()
        };
        assert!(text(1, 1).starts_with("the only trajectory failed in the only iteration, so"));
        assert!(text(1, 1).ends_with("the return code"));
        assert!(text(6, 3).starts_with("all 6 trajectories failed in each of 3 iterations, so"));
        assert!(text(6, 3).ends_with("the return codes"));
    }

    #[test]
    fn the_remedy_fits_the_use_of_the_memory() {
        let text = |memory| SolveError::OutOfMemory { bytes: 64, memory }.to_string();
        let steps = "the solve cannot allocate 64 bytes of memory for the steps of a gradient; take \
            fewer steps, or compute the gradients of fewer trajectories at a time";
        assert_eq!(text(Memory::Steps), steps);
        assert!(text(Memory::Log).contains("`event_log`"));
        assert!(text(Memory::Host).contains("save fewer states"));
    }

    /// The output of `fn main() -> Result<(), Box<dyn Error>>`.
    #[test]
    fn errors_print_as_sentences() {
        let solve = SolveError::SaveOutside { trajectory: 3, time: 2.0, t0: 0.0, t1: 1.0 };
        let text = "saveat contains 2, which is outside the time span 0..=1 of trajectory 3";
        assert_eq!(format!("{solve:?}"), text);
        let boxed: Box<dyn std::error::Error> = solve.into();
        assert_eq!(format!("{boxed:?}"), text);
        let observable = ObservableError::NotSaved { name: "energy" };
        assert_eq!(format!("{observable:?}"), observable.to_string());
    }
}
