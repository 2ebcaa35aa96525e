//! Options of a solve: tolerances, step sizes, and saved values.

#[cfg(feature = "serde")]
mod file_format;
mod logging;
mod saved_row;
mod saving;
pub(crate) mod times;

pub use logging::{EventLog, LogRow};
pub use saving::{IntoSaveAt, SaveAt, SavedComponents, SavedRow, Saving};
pub use times::{TimeList, tstops_for, tstops_of};

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::options::times::merge;
use crate::step::controller::Controller;
use crate::step::guard::GrowthGuard;
use crate::step::timeline;

/// The binary logarithm of the number of automatic first steps in a cell of the noise's path.
///
/// Lanes compute automatic cells ([`dyadic`](crate::integrate::dyadic)) with the same number.
const FIRST_LEVEL: u32 = 6;

/// Options of a solve.
///
/// Every option has a default. [`SolveOptions::default`] saves only the final states.
///
/// ```
/// use ode_core::SolveOptions;
///
/// let adaptive = SolveOptions::default().tolerance(1e-6).saveat(0.5);
/// let fixed = SolveOptions::default().fixed_step(0.01).saveat([1.0, 2.0]);
///
/// // Methods and fields make the same options.
/// let options = SolveOptions::default().reltol(1e-6).max_steps(10_000);
/// assert_eq!(options, SolveOptions { reltol: 1e-6, max_steps: 10_000, ..Default::default() });
/// assert_eq!(options.reltol, 1e-6);
/// ```
///
/// A method sets each option, and a field holds it. Most fields have the name of their method.
/// There are four exceptions: [`saveat`](Self::saveat()) sets `save`,
/// [`save_only`](Self::save_only()) sets `saving`,
/// [`fixed_step`](Self::fixed_step()) and [`first_step`](Self::first_step()) set `step`, and
/// [`tolerance`](Self::tolerance()) sets both `abstol` and `reltol`. End a struct literal with
/// `..Default::default()`, because releases add options.
///
/// An invalid option, such as a negative tolerance, is an error when the solve begins.
///
/// # Options in files
///
/// The feature `serde` reads and writes options in JSON, TOML and other self-describing formats. A
/// file may leave out any option. An unknown name is an error. In JSON:
///
/// ```json
/// {
///     "abstol": [1e-8, 1e-14, 1e-6],
///     "reltol": 1e-6,
///     "step": { "adaptive_from": 1e-3 },
///     "controller": { "kind": "pi", "exponents": [0.7, 0.4], "safety": 0.9 },
///     "tstops": [50.0, 51.0],
///     "saveat": 0.5,
///     "saving": "states"
/// }
/// ```
///
/// | option | value |
/// |---|---|
/// | `abstol` | a number, or a list with a number for each component |
/// | `step` | `"adaptive"`, `{ "adaptive_from": dt }` or `{ "fixed": dt }` |
/// | `saveat`, or `save` | a spacing, a list of times, `"steps"` or `null` |
/// | `saving` | `"states"`, `"observables"`, `"both"`, a list of names and indices, or `null` |
/// | `event_log` | `100` for times alone, `{ "capacity": 100, "states": true }` or `null` |
/// | `growth_guard` | `"reject"`, `"report"`, `"off"` or `null` |
/// | `controller` | as above, or `null`; `kind` names a function of [`Controller`] |
///
/// A controller may leave out `safety` and `factors`. A controller without exponents may be its
/// name alone, `"predictive"`. An error names the option and the values that it takes.
#[derive(Clone, Debug, PartialEq)]
// `remote` derives functions, which `file_format` calls.
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(remote = "Self", default, deny_unknown_fields))]
#[must_use]
pub struct SolveOptions {
    /// The absolute tolerance, in the units of the states.
    ///
    /// Default: 1e-6. See [`abstol`](Self::abstol()).
    pub abstol: AbsTol,
    /// The relative tolerance, a fraction of each component, below 1.
    ///
    /// Default: 1e-3. See [`reltol`](Self::reltol()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::reltol"))]
    pub reltol: f64,
    /// The choice of step sizes.
    ///
    /// Default: adaptive steps with an automatic first step. See [`fixed_step`](Self::fixed_step())
    /// and [`first_step`](Self::first_step()).
    pub step: StepSize,
    /// The step size at or below which a trajectory is given up.
    ///
    /// In units of time. Default: 0. See [`dtmin`](Self::dtmin()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::dtmin"))]
    pub dtmin: f64,
    /// The largest adaptive step, in units of time.
    ///
    /// Default: no limit. See [`dtmax`](Self::dtmax()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::dtmax"))]
    pub dtmax: Option<f64>,
    /// The step-size controller.
    ///
    /// Default: the method's own.
    pub controller: Option<Controller>,
    /// The largest number of attempted adaptive steps of a trajectory.
    ///
    /// Accepted and rejected steps count. Default: 1,000,000.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::max_steps"))]
    pub max_steps: u32,
    /// The treatment of implicit steps that may pass over growth.
    ///
    /// The default depends on the precision. See [`growth_guard`](Self::growth_guard()).
    pub growth_guard: Option<GrowthGuard>,
    /// Times at which every trajectory ends a step and starts again.
    ///
    /// Default: none. See [`tstops`](Self::tstops()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::tstops"))]
    pub tstops: Vec<f64>,
    /// Whether adaptive steps also stop at times found by the compiler.
    ///
    /// The compiler finds these times in the right-hand side. Default: `true`. See
    /// [`time_breaks`](Self::time_breaks()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::time_breaks"))]
    pub time_breaks: bool,
    /// The times at which states and observables are saved.
    ///
    /// Default: none. Set by [`saveat`](Self::saveat()).
    #[cfg_attr(feature = "serde", serde(rename = "saveat", alias = "save"))]
    pub save: SaveAt,
    /// Whether to save the initial state.
    ///
    /// See [`save_start`](Self::save_start()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::save_start"))]
    pub save_start: Option<bool>,
    /// Whether to save the final state among the saved states.
    ///
    /// See [`save_end`](Self::save_end()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::save_end"))]
    pub save_end: Option<bool>,
    /// The values to save at the saved times.
    ///
    /// Default: states and observables. See [`saving`](Self::saving()).
    pub saving: Option<Saving>,
    /// The log of events.
    ///
    /// Default: none. See [`event_log`](Self::event_log()).
    pub event_log: Option<EventLog>,
    /// The seed of the noise of stochastic equations.
    ///
    /// Default: 0. See [`noise_seed`](Self::noise_seed()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::noise_seed"))]
    pub noise_seed: u64,
    /// The length of the cells of the noise's paths, in units of time.
    ///
    /// Default: the fixed step. See [`noise_cell`](Self::noise_cell()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::noise_cell"))]
    pub noise_cell: Option<f64>,
    /// The number of the noise's paths.
    ///
    /// Default: one for each trajectory. See [`noise_paths`](Self::noise_paths()).
    #[cfg_attr(feature = "serde", serde(deserialize_with = "file_format::noise_paths"))]
    pub noise_paths: Option<u32>,
}

/// The absolute tolerance: the admissible error of a component near zero.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(into = "file_format::Numbers"))]
#[non_exhaustive]
pub enum AbsTol {
    /// One number for all components.
    All(f64),
    /// A number for each component of the state.
    Each(Vec<f64>),
}

impl AbsTol {
    /// Returns the tolerances: one for all components, or one for each.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        match self {
            AbsTol::All(number) => core::slice::from_ref(number),
            AbsTol::Each(numbers) => numbers,
        }
    }
}

impl From<f64> for AbsTol {
    fn from(number: f64) -> Self {
        AbsTol::All(number)
    }
}

impl From<Vec<f64>> for AbsTol {
    fn from(numbers: Vec<f64>) -> Self {
        AbsTol::Each(numbers)
    }
}

impl From<&[f64]> for AbsTol {
    fn from(numbers: &[f64]) -> Self {
        AbsTol::Each(numbers.to_vec())
    }
}

impl<const N: usize> From<[f64; N]> for AbsTol {
    fn from(numbers: [f64; N]) -> Self {
        AbsTol::Each(numbers.to_vec())
    }
}

impl From<&Vec<f64>> for AbsTol {
    fn from(numbers: &Vec<f64>) -> Self {
        AbsTol::Each(numbers.clone())
    }
}

impl<const N: usize> From<&[f64; N]> for AbsTol {
    fn from(numbers: &[f64; N]) -> Self {
        AbsTol::Each(numbers.to_vec())
    }
}

/// The choice of step sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepSize {
    /// Adaptive steps by the error estimate, with an automatic first step.
    Adaptive,
    /// Adaptive steps by the error estimate, with a first step of this size.
    AdaptiveFrom(f64),
    /// Fixed steps of this size.
    ///
    /// The last step ends at `t1`, so it is shorter if the span is not a multiple of the size. (A
    /// remainder of a few units in the last place of the times makes no step of its own.)
    Fixed(f64),
}

impl Default for SolveOptions {
    /// Returns the default options.
    ///
    /// `abstol` is 1e-6 and `reltol` 1e-3. Steps are adaptive with an automatic first step, at most
    /// 1,000,000 in each trajectory. Only final states are saved.
    fn default() -> Self {
        SolveOptions {
            abstol: AbsTol::All(1e-6),
            reltol: 1e-3,
            step: StepSize::Adaptive,
            dtmin: 0.0,
            dtmax: None,
            controller: None,
            growth_guard: None,
            max_steps: 1_000_000,
            tstops: Vec::new(),
            time_breaks: true,
            save: SaveAt::Nothing,
            save_start: None,
            save_end: None,
            saving: None,
            event_log: None,
            noise_seed: 0,
            noise_cell: None,
            noise_paths: None,
        }
    }
}

/// Returns the name and the value of each field of `SolveOptions`, which are listed completely.
macro_rules! entries {
    ($options:ident: $($field:ident)*) => {{
        let SolveOptions { $($field),* } = $options;
        vec![$((stringify!($field), format!("{:?}", $field))),*]
    }};
}

impl SolveOptions {
    /// Returns the names and values of the options.
    pub(crate) fn entries(&self) -> Vec<(&'static str, String)> {
        entries!(self: abstol reltol step dtmin dtmax controller max_steps growth_guard tstops
            time_breaks save save_start save_end saving event_log noise_seed noise_cell
            noise_paths)
    }

    /// Sets the absolute tolerance, in the units of the states.
    ///
    /// The tolerance is one number for all components, or one number for each as an array, a vector
    /// or a reference to one.
    ///
    /// A step is accepted if its scaled error norm is at most 1. This norm is the root mean square
    /// of `error / (abstol + reltol |u|)` over the components.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let all = SolveOptions::default().abstol(1e-8);
    /// let each = SolveOptions::default().abstol([1e-8, 1e-14, 1e-6]);
    /// ```
    ///
    /// Any other count of numbers is the error
    /// [`SolveError::Tolerances`](crate::SolveError::Tolerances). Negative or infinite numbers are
    /// [`SolveError::Tolerance`](crate::SolveError::Tolerance), and two zeros for a component are
    /// [`SolveError::ZeroTolerance`](crate::SolveError::ZeroTolerance).
    pub fn abstol(self, abstol: impl Into<AbsTol>) -> Self {
        SolveOptions { abstol: abstol.into(), ..self }
    }

    /// Sets the relative tolerance: the admissible error as a fraction of the component.
    ///
    /// The tolerance must be below 1. With adaptive steps it must be at least half a unit in the
    /// last place of the precision, or 0 with a positive [`abstol`](Self::abstol()).
    pub fn reltol(self, reltol: f64) -> Self {
        SolveOptions { reltol, ..self }
    }

    /// Sets [`reltol`](Self::reltol()) to this number, and [`abstol`](Self::abstol()) to a
    /// thousandth.
    ///
    /// The defaults are `tolerance(1e-3)`.
    ///
    /// With an absolute tolerance of 1e-3, amounts below 1e-3 do not matter. That is wrong more
    /// often than it is right. With both tolerances equal, Robertson's reactions are off by 110 to
    /// 83,000 relative tolerances in their smallest component. With this ratio they are off by 23
    /// to 230, for up to twice the steps (`Rodas5P`, 1e-3 to 1e-7). Problems of one magnitude take
    /// 5 to 30% more steps.
    pub fn tolerance(self, tolerance: f64) -> Self {
        self.abstol(tolerance / 1000.0).reltol(tolerance)
    }

    /// Takes fixed steps of size `dt`, in units of time.
    ///
    /// If the time span is reversed, `dt` is negative. The last step is shortened to end at `t1`. A
    /// step that would pass a [time to stop at](Self::tstops()) is also shortened. Methods that
    /// iterate solve their nonlinear equations to a ten-thousandth of the tolerances, or as
    /// accurately as rounding permits.
    ///
    /// If `dt` is longer than the time span, one step covers the whole span. This is no error,
    /// because spans may differ between trajectories. A `dt` in a wrong unit shows in the number of
    /// steps, [`accepted`](crate::EnsembleSolution::accepted).
    ///
    /// The options `dtmin`, [`dtmax`](Self::dtmax()), `controller` and `max_steps` have no effect.
    /// Steps have no bound by event functions that oscillate or jump: a `dt` that is not far below
    /// their period misses events. This method and [`first_step`](Self::first_step()) set the same
    /// option, so the last call decides.
    pub fn fixed_step(self, dt: f64) -> Self {
        SolveOptions { step: StepSize::Fixed(dt), ..self }
    }

    /// Takes adaptive steps with a first step of size `dt`.
    ///
    /// `dt` is in units of time. If the time span is reversed, `dt` is negative. The first step
    /// after each [time to stop at](Self::tstops()) has the same size. If `dt` is longer than the
    /// time span, the first step ends at the end of the span, if errors allow it.
    ///
    /// This method and [`fixed_step`](Self::fixed_step()) set the same option, so the last call
    /// decides.
    pub fn first_step(self, dt: f64) -> Self {
        SolveOptions { step: StepSize::AdaptiveFrom(dt), ..self }
    }

    /// Sets the step size at or below which a trajectory is given up.
    ///
    /// A trajectory is given up if its error demands a next step of at most this size, even after
    /// an accepted step. The trajectory ends with [`ReturnCode::DtMin`](crate::ReturnCode::DtMin).
    /// A trajectory that needs steps far below a unit in the last place of the time is given up in
    /// any case. A step may be shorter than `dtmin` to end at the end of the span or at a [time to
    /// stop at](Self::tstops()). The first step is not shorter.
    pub fn dtmin(self, dtmin: f64) -> Self {
        SolveOptions { dtmin, ..self }
    }

    /// Sets the largest adaptive step.
    ///
    /// This option is for forcing with short pulses at times that you do not know and that the
    /// compiler cannot [find in the right-hand side](Self::time_breaks()): a longer step can pass
    /// over a pulse without an error.
    ///
    /// Set it to the width `w` of the narrowest pulse, as in `exp(-(t / w)²)`; this width is 0.6
    /// times the full width at half maximum. This limit missed no pulse in 7,200 solves of random
    /// pulses by nine methods. `2 w` missed 0.2%, `4 w` 1% and `6 w` 6%. The limit holds for the
    /// whole span, so it costs at least one step per `dtmax`. (The last step of a span may be
    /// longer by `2^-16` of itself, so that rounding leaves no step of its own.)
    ///
    /// Infinity removes the limit. [Fixed steps](Self::fixed_step()) have no limit.
    pub fn dtmax(self, dtmax: f64) -> Self {
        SolveOptions { dtmax: (dtmax != f64::INFINITY).then_some(dtmax), ..self }
    }

    /// Sets the step-size controller, in place of the method's own.
    ///
    /// See [`Controller`].
    pub fn controller(self, controller: Controller) -> Self {
        SolveOptions { controller: Some(controller), ..self }
    }

    /// Gives a trajectory up after this many attempted steps.
    ///
    /// The trajectory ends with [`ReturnCode::MaxSteps`](crate::ReturnCode::MaxSteps). Default:
    /// 1,000,000. Fixed steps are not limited, except by candidates of random jumps.
    pub fn max_steps(self, max_steps: u32) -> Self {
        SolveOptions { max_steps, ..self }
    }

    /// Sets the treatment of implicit steps that may pass over growth.
    ///
    /// This is growth from almost nothing. Examples are an ignition, an epidemic, and a departure
    /// from an unstable state. An L-stable method damps such growth if its steps are long enough.
    /// While the growing amount is below [`abstol`](Self::abstol()), no error estimate shows this,
    /// in any adaptive code. The sign of the determinant of the step's matrix does;
    /// [`guard`](crate::step::guard) has the rule.
    ///
    /// By default such steps are rejected in `f64`. In `f32` they are only counted, because
    /// rounding may change the sign. Fixed steps are also only counted.
    /// [`EnsembleSolution::guarded`](crate::EnsembleSolution::guarded) returns the counts, and
    /// [`held_unstable`](crate::EnsembleSolution::held_unstable) returns whether the solution may
    /// rest on an unstable state. Explicit methods do not pass over growth in this way, but they
    /// are late. The page `odes::docs::what_success_means` lists the cases that the guard does not
    /// find, and their remedies.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// use ode_core::GrowthGuard;
    ///
    /// // Reaches a steady state as fast as possible, stable or not.
    /// let options = SolveOptions::default().growth_guard(GrowthGuard::Off);
    /// ```
    pub fn growth_guard(self, growth_guard: GrowthGuard) -> Self {
        SolveOptions { growth_guard: Some(growth_guard), ..self }
    }

    /// Sets times to stop at.
    ///
    /// At each of them every trajectory ends a step exactly and starts again, with a new derivative
    /// and a new first step. Stop where the right-hand side jumps or has a kink, and where a long
    /// step could pass over an event (a dose, a pulse, a stimulus). The times may be in any order.
    /// Times outside a trajectory's time span are ignored.
    /// [`EnsembleProblem::tstops`](crate::EnsembleProblem::tstops) adds times for each trajectory.
    ///
    /// Right-hand sides are evaluated between stops, never at them: the times differ by a few units
    /// in their last place. So a solve of `if t < 50.0 { 0.0 } else { 1.0 }` with a stop at 50 is
    /// two smooth problems. The same holds for `<=` and for a reversed time span.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let doses = (0..14).map(|day| 24.0 * f64::from(day));
    /// let options = SolveOptions::default().tstops(doses);
    /// let pulse = SolveOptions::default().tstops([50.0, 51.0]);
    /// ```
    ///
    /// The times may be an array, a vector, a reference to one, or an iterator of numbers: see
    /// [`TimeList`]. Times that differ by a few units in their last place are merged.
    pub fn tstops(self, times: impl TimeList<f64>) -> Self {
        SolveOptions { tstops: times.into_times(), ..self }
    }

    /// Sets whether adaptive steps stop at times found by the compiler.
    ///
    /// The compiler finds these times in the right-hand side, and steps stop there as at
    /// [`tstops`](Self::tstops()). By default steps stop there, because a step that passes over a
    /// pulse shows no error. [`tstops_for`](crate::tstops_for) lists the times:
    ///
    /// * **Switches.** The right-hand side compares the time with functions of constants and
    ///   parameters: `if t < p[0]`, `(t - 2.0).abs() < p[1]`.
    /// * **Centres of pulses and steps in closed form.** The centre of
    ///   `(-((t - p[0]) / p[1]).powi(2)).exp()` and of `((t - p[0]) / p[1]).tanh()` is `p[0]`. The
    ///   logistic, `1 / cosh²` and rational forms have centres, too.
    ///
    /// A needless stop costs an adaptive trajectory 3 to 4 steps. The number of stops is not
    /// limited. A time that depends on parameters takes the memory of one number in each
    /// trajectory.
    ///
    /// The compiler does not find these times; pass them as [`tstops`](Self::tstops()), or limit
    /// the step by [`dtmax`](Self::dtmax()):
    ///
    /// * times that depend on the state, times of `t % period`, and comparisons of functions such
    ///   as `t.sin()` (`report()` shows whether the right-hand side has any of these);
    /// * pulses from outside, and pulses of arguments that are not affine in the time, such as
    ///   `(k * (t.cos() - 1.0)).exp()`.
    ///
    /// Two things do not depend on this option. Steps end at the knots of tables of the time.
    /// Right-hand sides with such times are evaluated strictly within the span: if a right-hand
    /// side switches at the end of the span, its value there is the value before the switch.
    ///
    /// Fixed steps stop only at [`tstops`](Self::tstops()).
    pub fn time_breaks(self, time_breaks: bool) -> Self {
        SolveOptions { time_breaks, ..self }
    }

    /// Sets the times at which states and observables are saved.
    ///
    /// The times are a spacing (`t0`, `t0 + spacing`, …, and `t1`), a list ordered from `t0` to
    /// `t1`, or the end of every step ([`SaveAt::Steps`]). Saving does not shorten steps: the
    /// method's own interpolant is evaluated. Sets the field `save`.
    ///
    /// ```
    /// # use ode_core::{SaveAt, SolveOptions};
    /// let spacing = SolveOptions::default().saveat(0.5);
    /// let list = SolveOptions::default().saveat([0.5, 2.0, 10.0]);
    /// let steps = SolveOptions::default().saveat(SaveAt::Steps);
    /// ```
    ///
    /// A list may be an array, a vector, a reference to one, or an iterator of numbers: see
    /// [`TimeList`].
    pub fn saveat<K: ?Sized>(self, save: impl IntoSaveAt<K>) -> Self {
        SolveOptions { save: save.into_save_at(), ..self }
    }

    /// Sets whether to save the initial state.
    ///
    /// By default a spacing and [`SaveAt::Steps`] save it. A list saves it only if it contains
    /// `t0`.
    pub fn save_start(self, save_start: bool) -> Self {
        SolveOptions { save_start: Some(save_start), ..self }
    }

    /// Sets whether to save the final state among the saved states.
    ///
    /// By default a spacing saves it. A list saves it only if it contains `t1`. [`SaveAt::Steps`]
    /// always saves it, as the end of the last step.
    pub fn save_end(self, save_end: bool) -> Self {
        SolveOptions { save_end: Some(save_end), ..self }
    }

    /// Logs the first events with the word `log` of each trajectory.
    ///
    /// The log is in the order of the times.
    /// [`EnsembleSolution::log`](crate::EnsembleSolution::log) returns it.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// use ode_core::EventLog;
    ///
    /// let times = SolveOptions::default().event_log(100);
    /// let states = SolveOptions::default().event_log(EventLog::new(100).with_states());
    /// ```
    ///
    /// A trajectory with more events than the capacity continues and counts them. The log of this
    /// trajectory is then the error [`EventError::LogFull`](crate::EventError::LogFull), and
    /// [`kept_log`](crate::EnsembleSolution::kept_log) returns the events that fitted.
    ///
    /// Logging changes neither the steps nor a bit of the solution. Each slot of each trajectory
    /// takes the memory of two numbers, and of the states if they are logged.
    ///
    /// If the system logs no event, the solve returns an error.
    pub fn event_log(self, log: impl Into<EventLog>) -> Self {
        SolveOptions { event_log: Some(log.into()), ..self }
    }

    /// Sets the seed of the noise of stochastic equations, and of random jumps.
    ///
    /// The Brownian path of a trajectory is a function of this seed, of the trajectory's index in
    /// the whole ensemble, of the time at which it begins, and of the time since then. It has the
    /// same bits on every backend, whatever is saved and however trajectories are divided. Another
    /// seed gives independent paths, and so does another beginning. The seed also
    /// selects random jumps. It has no effect on other systems.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let options = SolveOptions::default().fixed_step(0.01).noise_seed(42);
    /// ```
    pub fn noise_seed(self, seed: u64) -> Self {
        SolveOptions { noise_seed: seed, ..self }
    }

    /// Sets the length of the cells of the noise's paths, in units of time.
    ///
    /// Solves with the same cells have the same paths, to rounding, if their fixed steps are the
    /// cell divided by powers of two. So the errors of two step sizes can be compared path by path,
    /// and the difference of two levels has a small variance (multilevel Monte Carlo). Each power
    /// costs another pair of random numbers in each step and process. Without this option a cell is
    /// one step, and step `k` has the same random numbers for all step sizes.
    ///
    /// After a [time to stop at](Self::tstops()) between two steps of the grid, the paths of
    /// different step sizes differ: a step that a stop cuts counts as a whole one.
    ///
    /// With adaptive steps, a cell is the longest step. A step is a cell divided by a power of two,
    /// up to 2^22, so solves with any tolerance have the same path. It is the path of fixed steps
    /// if there are no times to stop at. The first step is 1/64 of a cell, so without this option a
    /// cell is 64 times the [first step](Self::first_step()), or 1/16 of a trajectory's time span.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let coarse = SolveOptions::default().noise_cell(0.1).fixed_step(0.1);
    /// let fine = SolveOptions::default().noise_cell(0.1).fixed_step(0.1 / 8.0);
    /// let adaptive = SolveOptions::default().noise_cell(0.1).tolerance(1e-3);
    /// ```
    ///
    /// # Errors of the solve
    /// [`SolveError::NoiseCellLength`] if the length is not positive and finite.
    /// [`SolveError::NoiseCell`] if a cell has not 2^k fixed or first steps, with a whole number k
    /// from 0 to 16. [`SolveError::NoiseCells`] if the time span has more cells than can be counted.
    pub fn noise_cell(self, length: f64) -> Self {
        SolveOptions { noise_cell: Some(length), ..self }
    }

    /// Sets the number of paths of noise and random jumps: trajectory `i` has path `i % count`.
    ///
    /// Trajectories that begin at different times have different paths all the same.
    /// Without this option each trajectory has a path of its own. With common paths the difference
    /// of two trajectories shows the effect of their parameters, at a fraction of the variance. So
    /// an ensemble of parameters and paths has the path as the index that varies fastest, and all
    /// trajectories have the same path for 1. Path `j` is the one of trajectory `j` without this
    /// option. The index is that in the whole ensemble, so shards and batches change no path.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// // Trajectory `1000 * k + j` has parameters `k` and path `j`.
    /// let options = SolveOptions::default().fixed_step(0.01).noise_paths(1000);
    /// ```
    ///
    /// # Errors of the solve
    /// [`SolveError::NoisePaths`] for 0.
    pub fn noise_paths(self, count: u32) -> Self {
        SolveOptions { noise_paths: Some(count), ..self }
    }

    /// Returns the size of fixed or first steps, and the binary logarithm of their number in a cell
    /// of the noise.
    ///
    /// `dt` is that size, or 0 if it is automatic. If the result is 0, the cell is automatic, too.
    ///
    /// # Errors
    /// [`SolveError::NoiseCell`]
    pub(crate) fn noise_levels(&self, dt: f64, adaptive: bool) -> Result<(f64, u32), SolveError> {
        let Some(cell) = self.noise_cell else {
            return Ok((dt, if adaptive && dt != 0.0 { FIRST_LEVEL } else { 0 }));
        };
        if dt == 0.0 {
            return Ok((cell / f64::from(1_u32 << FIRST_LEVEL), FIRST_LEVEL));
        }
        let steps = (0..=16_u32).find(|&k| {
            let length = dt * f64::from(1_u32 << k);
            (length / cell - 1.0).abs() <= 1e-6
        });
        steps.map(|levels| (dt, levels)).ok_or(SolveError::NoiseCell { cell, dt })
    }

    /// Checks all options that do not depend on the time span, in the precision `T`.
    ///
    /// Every solve calls this function.
    #[doc(hidden)]
    pub fn check<T: Scalar>(&self) -> Result<(), SolveError> {
        let abstol = self.abstol.numbers();
        let each = abstol.iter().map(|&value| ("abstol", value));
        // The number that `tolerance` receives is `reltol`, so an error of both names `reltol`.
        for (name, value) in [("reltol", self.reltol)].into_iter().chain(each) {
            if !(value >= 0.0 && T::narrow(value).widen().is_finite()) {
                return Err(SolveError::Tolerance { name, value, precision: T::NAME });
            }
        }
        if let Some(cell) = self.noise_cell
            && !(cell > 0.0 && cell.is_finite())
        {
            return Err(SolveError::NoiseCellLength { cell });
        }
        if self.noise_paths == Some(0) {
            return Err(SolveError::NoisePaths);
        }
        if self.reltol >= 1.0 {
            return Err(SolveError::RelTol { reltol: self.reltol });
        }
        if self.reltol == 0.0
            && let Some(index) = abstol.iter().position(|&value| value == 0.0)
        {
            let component = matches!(self.abstol, AbsTol::Each(_)).then_some(index);
            return Err(SolveError::ZeroTolerance { component });
        }
        let normal = T::min_positive_value().widen();
        let rounding = 0.5 * T::epsilon().widen();
        // Fixed steps compare no errors with the tolerance, and iterations stop at rounding.
        let adaptive = !matches!(self.step, StepSize::Fixed(_));
        let reltol = if adaptive { rounding } else { normal };
        let each = abstol.iter().map(|&value| ("abstol", value, normal));
        let others =
            [("reltol", self.reltol, reltol), ("dtmax", self.dtmax.unwrap_or(0.0), normal)];
        for (name, value, least) in others.into_iter().chain(each) {
            if value > 0.0 && value < least {
                return Err(SolveError::TooSmall { name, value, least, precision: T::NAME });
            }
        }
        let dtmin = T::narrow(self.dtmin).widen();
        if !(dtmin >= 0.0 && dtmin.is_finite()) {
            return Err(SolveError::DtMin { dtmin: self.dtmin, precision: T::NAME });
        }
        if let Some(dtmax) = self.dtmax
            && (dtmax.is_nan() || T::narrow(dtmax).widen() <= dtmin)
        {
            return Err(SolveError::DtMax { dtmax, dtmin: self.dtmin });
        }
        if self.max_steps == 0 {
            return Err(SolveError::MaxSteps);
        }
        if let Some(controller) = &self.controller {
            controller.check()?;
        }
        if let Some(EventLog { capacity: 0, .. }) = self.event_log {
            return Err(SolveError::EmptyLog);
        }
        if self.save == SaveAt::Steps && self.save_end == Some(false) {
            return Err(SolveError::StepsEnd);
        }
        Ok(())
    }

    /// Returns the step size `(dt, adaptive)`; `dt` is 0 if it is automatic.
    ///
    /// Checks the size against the span `t0` to `t1` with this many times to stop at, and checks
    /// the span.
    pub(crate) fn step_size<T: Scalar>(
        &self,
        t0: T,
        t1: T,
        stops: usize,
    ) -> Result<(f64, bool), SolveError> {
        times::check_span(t0, t1)?;
        let (dt, adaptive) = match self.step {
            StepSize::Adaptive => return Ok((0.0, true)),
            StepSize::AdaptiveFrom(dt) => (dt, true),
            StepSize::Fixed(dt) => (dt, false),
        };
        let size = T::narrow(dt).widen();
        let (start, end) = (t0.widen(), t1.widen());
        let span = end - start;
        let wrong_sign = span != 0.0 && (span < 0.0) != (dt < 0.0);
        if !size.is_finite() || size == 0.0 || wrong_sign {
            let option = if adaptive { "first_step" } else { "fixed_step" };
            let precision = T::NAME;
            return Err(SolveError::Step { option, dt, t0: start, t1: end, precision });
        }
        if !adaptive {
            // Lanes count steps in numbers of `T`, and results count them in `u32`.
            let whole =
                if T::DOUBLE { timeline::MAX_WHOLE_DOUBLE } else { timeline::MAX_WHOLE_SINGLE };
            let counted = (whole - 1.0).min(f64::from(u32::MAX));
            // Each segment of the span ends with a step of its own.
            let steps = timeline::steps(t0, t1, T::narrow(dt.abs())).widen() + stops as f64;
            let saved = if self.save == SaveAt::Steps { times::MOST_SAVES } else { counted };
            for (most, of) in [(counted, T::NAME), (saved, "SaveAt::Steps")] {
                if steps > most {
                    return Err(SolveError::TooManySteps { dt, steps, most, of });
                }
            }
        }
        Ok((dt, adaptive))
    }

    /// Returns an upper bound of the number of times to save on the span `t0` to `t1`.
    pub(crate) fn most_saves<T: Scalar>(&self, t0: T, t1: T) -> usize {
        let within = match &self.save {
            SaveAt::Nothing | SaveAt::Steps => 0,
            // `save_times` refuses spacings that are too small or not positive.
            SaveAt::Every(spacing) => {
                let count = ((t1.widen() - t0.widen()) / spacing).abs();
                if count <= times::MOST_SAVES { count as usize + 1 } else { 0 }
            }
            SaveAt::Times(list) => list.len(),
        };
        within + 2
    }

    /// Returns the times to stop at within the span, in the order of the trajectory.
    ///
    /// These are the times of the options and the `own` times, with near-equal times merged. A time
    /// near an end of the span counts as that end, so it is left out.
    pub(crate) fn stop_times<T: Scalar>(
        &self,
        own: &[T],
        (t0, t1): (T, T),
    ) -> Result<Vec<T>, SolveError> {
        let forward = t0 <= t1;
        let times = self.tstops.iter().copied().chain(own.iter().map(|t| t.widen()));
        let mut stops = Vec::new();
        for time in times {
            if !time.is_finite() {
                return Err(SolveError::StopTime { time });
            }
            let t = T::narrow(time);
            let within = if forward { t0 < t && t < t1 } else { t1 < t && t < t0 };
            if within && !times::is_near(t, t0) && !times::is_near(t, t1) {
                stops.push(t);
            }
        }
        merge(&mut stops);
        if !forward {
            stops.reverse();
        }
        Ok(stops)
    }

    /// Returns the times to save on the span `t0` to `t1` of a trajectory.
    ///
    /// The ends of steps ([`SaveAt::Steps`]) are not known before the solve and not among them.
    pub(crate) fn save_times<T: Scalar>(
        &self,
        trajectory: usize,
        t0: T,
        t1: T,
    ) -> Result<Vec<T>, SolveError> {
        let (mut times, by_default) = match &self.save {
            SaveAt::Nothing => {
                let keep = |at: Option<bool>, t: T| at.unwrap_or(false).then_some(t);
                let mut ends: Vec<T> = keep(self.save_start, t0).into_iter().collect();
                if t0 != t1 || ends.is_empty() {
                    ends.extend(keep(self.save_end, t1));
                }
                return Ok(ends);
            }
            SaveAt::Steps => {
                return Ok(self.save_start.unwrap_or(true).then_some(t0).into_iter().collect());
            }
            SaveAt::Every(spacing) => (times::spaced(*spacing, t0, t1)?, true),
            SaveAt::Times(list) => (times::ordered(list, trajectory, t0, t1)?, false),
        };
        let contains = |times: &[T], t: T| times.contains(&t);
        let starts = contains(&times, t0);
        match self.save_start.unwrap_or(by_default || starts) {
            true if !starts => times.insert(0, t0),
            false if starts => times.retain(|&t| t != t0),
            _ => {}
        }
        let ends = contains(&times, t1);
        match self.save_end.unwrap_or(by_default || ends) {
            true if !ends => times.push(t1),
            false if ends => times.retain(|&t| t != t1),
            _ => {}
        }
        Ok(times)
    }
}
