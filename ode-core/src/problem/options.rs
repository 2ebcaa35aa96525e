//! Options of a solve: tolerances, step sizes, and what to save.

mod saving;
mod times;
#[cfg(feature = "serde")]
mod written;

pub use saving::{IntoSaveAt, SaveAt, SavedRow, Saving};
pub use times::{TimeList, tstops_for, tstops_of};

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::options::times::merge;
use crate::step::controller::Controller;
use crate::step::guard::GrowthGuard;
use crate::step::timeline;
use crate::system::facts::Facts;

/// Options of a solve. Every one has a default; [`SolveOptions::default`] saves the final states
/// only.
///
/// Each option is a method that sets it and a field of the same name that shows it. Both ways of
/// writing make the same options; in the second, end with `..Default::default()`, since releases
/// add options:
///
/// ```
/// use ode_core::SolveOptions;
///
/// let options = SolveOptions::default().reltol(1e-6).max_steps(10_000);
/// assert_eq!(options, SolveOptions { reltol: 1e-6, max_steps: 10_000, ..Default::default() });
/// assert_eq!(options.reltol, 1e-6);
/// ```
///
/// What makes no sense (a negative tolerance, say) is an error of the solve. With the feature
/// `serde` options can be written and read, in JSON, TOML and other formats that describe
/// themselves. A file may leave out what it does not change, and a name that is none of an option
/// is an error. In JSON:
///
/// ```json
/// {
///     "abstol": [1e-8, 1e-14, 1e-6],
///     "reltol": 1e-6,
///     "step": { "adaptive_from": 1e-3 },
///     "controller": { "kind": "pi", "exponents": [0.7, 0.4], "safety": 0.9, "factors": [0.2, 10.0] },
///     "tstops": [50.0, 51.0],
///     "saveat": 0.5,
///     "saving": "states"
/// }
/// ```
///
/// `abstol` is a number or a list of one for each component; `step` is `"adaptive"`,
/// `{ "adaptive_from": dt }` or `{ "fixed": dt }`; `saveat` a spacing, a list of times, `"steps"`
/// or `null`; `saving` `"states"`, `"observables"` or `"both"`. The `kind` of a controller is the
/// name of the function that makes it; its safety factor and factors may be left out, and a
/// controller without exponents may be its name alone, `"predictive"`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
pub struct SolveOptions {
    /// Absolute tolerance, in the units of the states; 1e-6. See [`abstol`](Self::abstol()).
    pub abstol: AbsTol,
    /// Relative tolerance, as a fraction of each component, below 1; 1e-3. See
    /// [`reltol`](Self::reltol()).
    pub reltol: f64,
    /// How step sizes are chosen; adaptively, with an automatic first step.
    pub step: StepSize,
    /// The step size at or below which a trajectory is given up, in units of time; 0. See
    /// [`dtmin`](Self::dtmin()).
    pub dtmin: f64,
    /// The largest adaptive step, in units of time; no limit. See [`dtmax`](Self::dtmax()).
    pub dtmax: Option<f64>,
    /// The step-size controller, in place of the method's own one.
    pub controller: Option<Controller>,
    /// The largest number of adaptive steps, accepted or rejected, that a trajectory may attempt;
    /// 1,000,000.
    pub max_steps: u32,
    /// How steps of implicit methods that may pass over growth are treated, in place of the default
    /// of the precision; see [`growth_guard`](Self::growth_guard()).
    pub growth_guard: Option<GrowthGuard>,
    /// Times at which every trajectory ends a step and starts again; none. See
    /// [`tstops`](Self::tstops()).
    pub tstops: Vec<f64>,
    /// Whether adaptive steps also stop where the right-hand side compares the time with numbers,
    /// and in the middle of pulses and steps in closed form; `true`. See
    /// [`time_breaks`](Self::time_breaks()).
    pub time_breaks: bool,
    /// The times at which states and observables are saved; none. Set by
    /// [`saveat`](Self::saveat()).
    #[cfg_attr(feature = "serde", serde(rename = "saveat"))]
    pub save: SaveAt,
    /// Whether to save the initial state; see [`save_start`](Self::save_start()).
    pub save_start: Option<bool>,
    /// Whether to save the final state among the saved ones; see [`save_end`](Self::save_end()).
    pub save_end: Option<bool>,
    /// What to save at the saved times; states and observables. See [`saving`](Self::saving()).
    pub saving: Option<Saving>,
}

/// Absolute tolerance: the admissible error of a component whose value is near zero.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "written::Numbers", into = "written::Numbers"))]
#[non_exhaustive]
pub enum AbsTol {
    /// One number for all components.
    All(f64),
    /// One number for each component of the state.
    Each(Vec<f64>),
}

impl AbsTol {
    /// The tolerances: one for all components, or one for each.
    pub(crate) fn numbers(&self) -> &[f64] {
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

/// How step sizes are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum StepSize {
    /// Adaptively, by the error estimate; the first step is chosen automatically.
    Adaptive,
    /// Adaptively, by the error estimate, with a first step of this size.
    AdaptiveFrom(f64),
    /// Fixed steps of this size. The last step ends at `t1`, and is shorter where the span is not a
    /// multiple of the size. (A remainder of a few units of the times in their last place makes no
    /// step of its own.)
    Fixed(f64),
}

impl Default for SolveOptions {
    /// `abstol` 1e-6, `reltol` 1e-3, adaptive steps with an automatic first one, at most
    /// 1,000,000 steps for a trajectory, final states only.
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
        }
    }
}

impl SolveOptions {
    /// Sets the absolute tolerance, in the units of the states: one number for all components, or
    /// one for each, as an array, a vector, or a reference to one.
    ///
    /// A step is accepted where the root of the mean square over the components of
    /// `error / (abstol + reltol |u|)`, the scaled error norm, is at most 1.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let all = SolveOptions::default().abstol(1e-8);
    /// let each = SolveOptions::default().abstol([1e-8, 1e-14, 1e-6]);
    /// ```
    ///
    /// As many numbers as components, or one, else the solve is
    /// [`SolveError::Tolerances`](crate::SolveError::Tolerances); negative or infinite ones are
    /// [`SolveError::Tolerance`](crate::SolveError::Tolerance).
    pub fn abstol(self, abstol: impl Into<AbsTol>) -> Self {
        SolveOptions { abstol: abstol.into(), ..self }
    }

    /// Sets the relative tolerance: the admissible error as a fraction of the component. It must be
    /// below 1, and at least half a unit in the last place of the precision where steps are
    /// adaptive.
    pub fn reltol(self, reltol: f64) -> Self {
        SolveOptions { reltol, ..self }
    }

    /// Sets both tolerances, absolute and relative, to the same number.
    pub fn tolerance(self, tolerance: f64) -> Self {
        self.abstol(tolerance).reltol(tolerance)
    }

    /// Takes fixed steps of size `dt`, in units of time, negative for a reversed time span. The
    /// last step is shortened to end at `t1`, and so is a step that would pass a time to [stop
    /// at](Self::tstops()). Methods that iterate solve their nonlinear equations to a
    /// ten-thousandth of the tolerances, or as accurately as rounding permits.
    pub fn fixed_step(self, dt: f64) -> Self {
        SolveOptions { step: StepSize::Fixed(dt), ..self }
    }

    /// Takes adaptive steps with a first one of size `dt`, in units of time, negative for a
    /// reversed time span; also the first one after each time to [stop at](Self::tstops()).
    pub fn first_step(self, dt: f64) -> Self {
        SolveOptions { step: StepSize::AdaptiveFrom(dt), ..self }
    }

    /// Gives a trajectory up ([`ReturnCode::DtMin`](crate::ReturnCode::DtMin)) when an error
    /// demands a next step of this size or below, after a step that was accepted too. Trajectories
    /// that would need steps far below a unit of the time in its last place are given up in any
    /// case. A step may be shorter than this to end on the end of the span, a time to save or one
    /// to [stop at](Self::tstops); the first one is not.
    pub fn dtmin(self, dtmin: f64) -> Self {
        SolveOptions { dtmin, ..self }
    }

    /// The largest adaptive step, for a system that would not notice what a longer one steps over:
    /// forcing with pulses at times that nobody knows beforehand, and that the compiler cannot
    /// [read in the right-hand side](Self::time_breaks()). A limit of the width `w` of the
    /// narrowest pulse (that of `exp(-(t / w)²)`, 0.6 times the full width at half the height)
    /// missed none in 7,200 solves of random pulses by nine methods, one of twice the width 0.2%,
    /// of four times 1%, of six times 6%. It holds for the whole span, so that it costs at least a
    /// step each `dtmax`.
    ///
    /// Infinity takes the limit away.
    pub fn dtmax(self, dtmax: f64) -> Self {
        SolveOptions { dtmax: (dtmax != f64::INFINITY).then_some(dtmax), ..self }
    }

    /// Sets the step-size controller, in place of the method's own one; see [`Controller`].
    pub fn controller(self, controller: Controller) -> Self {
        SolveOptions { controller: Some(controller), ..self }
    }

    /// Gives a trajectory up ([`ReturnCode::MaxSteps`](crate::ReturnCode::MaxSteps)) after so many
    /// attempted steps. Fixed steps are not limited.
    pub fn max_steps(self, max_steps: u32) -> Self {
        SolveOptions { max_steps, ..self }
    }

    /// Says how steps of implicit methods are treated that may pass over a solution that grows from
    /// almost nothing: an ignition, an epidemic, a departure from an unstable state. An L-stable
    /// step damps such growth as soon as it is long enough, and while what grows is below
    /// [`abstol`](Self::abstol()) no estimate of the error shows it, in any adaptive code. Here the
    /// sign of the determinant of a step's matrix does; see [`guard`](crate::step::guard) for the
    /// rule.
    ///
    /// By default such steps are refused in `f64`, and counted in `f32`, where rounding may make a
    /// sign wrong. [`EnsembleSolution::guarded`](crate::EnsembleSolution::guarded) has how many
    /// there were, and [`held_unstable`](crate::EnsembleSolution::held_unstable) tells whether the
    /// solution may rest on an unstable state. Steps of a given size are counted in any case.
    /// Explicit methods cannot pass over growth in this way, but are late. What is not seen, and
    /// what helps, is in [What a success
    /// means](https://docs.rs/odes/latest/odes/what_success_means/index.html).
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// use ode_core::GrowthGuard;
    ///
    /// // To reach a steady state that need not be stable, as fast as possible:
    /// let options = SolveOptions::default().growth_guard(GrowthGuard::Off);
    /// ```
    pub fn growth_guard(self, growth_guard: GrowthGuard) -> Self {
        SolveOptions { growth_guard: Some(growth_guard), ..self }
    }

    /// Sets times at which every trajectory ends a step exactly and starts again, with a new
    /// derivative and first step size: times where the right-hand side jumps or has a kink, and
    /// where something happens that a long step would not notice (a dose, a pulse, a stimulus). In
    /// any order; those outside of a trajectory's time span are left out.
    /// [`EnsembleProblem::tstops`](crate::EnsembleProblem::tstops) has others for each trajectory.
    ///
    /// Right-hand sides are told times between stops, never those of the stops themselves (by a few
    /// units in their last place). So `if t < 50.0 { 0.0 } else { 1.0 }` with a stop at 50 is
    /// solved as two smooth problems, in either direction, and with `<=` as well.
    ///
    /// ```
    /// # use ode_core::SolveOptions;
    /// let doses = (0..14).map(|day| 24.0 * f64::from(day));
    /// let options = SolveOptions::default().tstops(doses);
    /// let pulse = SolveOptions::default().tstops([50.0, 51.0]);
    /// ```
    ///
    /// An array, a vector, a reference to one, or an iterator of numbers: see [`TimeList`]. Times
    /// that differ by a few units in their last place are one.
    pub fn tstops(self, times: impl TimeList<f64>) -> Self {
        SolveOptions { tstops: times.times(), ..self }
    }

    /// Whether adaptive steps stop, as by [`tstops`](Self::tstops), at the times that the compiler
    /// reads in the right-hand side, as [`tstops_for`](crate::tstops_for) lists them. By
    /// default they do: a pulse that a step passes over leaves no error to be seen. These times are
    ///
    /// * where the right-hand side changes its form, since it compares the time with functions of
    ///   constants and parameters: `if t < p[0]`, `(t - 2.0).abs() < p[1]`;
    /// * where a pulse or a step in closed form has its middle: `p[0]` of
    ///   `(-((t - p[0]) / p[1]).powi(2)).exp()`, of `((t - p[0]) / p[1]).tanh()`, and of the
    ///   logistic, `1 / cosh²` and rational forms of it.
    ///
    /// A stop where nothing happens costs an adaptive trajectory 3 to 4 steps. There is no limit to
    /// their number: times that depend on parameters take the place of a number each, for each
    /// trajectory of an ensemble.
    ///
    /// Not among them are times that depend on the state, those of `t % period`, and comparisons
    /// with functions such as `t.sin()`, of which `report()` tells whether there are any; nor
    /// pulses that are given by tables, by functions of functions that are not affine in the time,
    /// such as `(k * (t.cos() - 1.0)).exp()`, or from outside: for those there are
    /// [`tstops`](Self::tstops) and [`dtmax`](Self::dtmax()). Fixed steps stop at
    /// [`tstops`](Self::tstops) only.
    pub fn time_breaks(self, time_breaks: bool) -> Self {
        SolveOptions { time_breaks, ..self }
    }

    /// Saves states and observables at a spacing (at `t0`, `t0 + spacing`, …, and at `t1`), or at a
    /// list of times, ordered from `t0` to `t1`. Steps are not shortened for it: the method's own
    /// interpolant is evaluated.
    ///
    /// ```
    /// # use ode_core::{SaveAt, SolveOptions};
    /// let spacing = SolveOptions::default().saveat(0.5);
    /// let list = SolveOptions::default().saveat([0.5, 2.0, 10.0]);
    /// let steps = SolveOptions::default().saveat(SaveAt::Steps);
    /// ```
    ///
    /// A list may be an array, a vector, a reference to one, or an iterator of numbers: see
    /// [`TimeList`]. [`SaveAt::Steps`] saves at the end of every step.
    pub fn saveat<K: ?Sized>(self, save: impl IntoSaveAt<K>) -> Self {
        SolveOptions { save: save.into_save_at(), ..self }
    }

    /// Whether to save the initial state. By default a spacing and [`SaveAt::Steps`] do, and a list
    /// does not, unless it contains `t0`.
    pub fn save_start(self, save_start: bool) -> Self {
        SolveOptions { save_start: Some(save_start), ..self }
    }

    /// Whether to save the final state among the saved states. By default a spacing does and a list
    /// does not, unless it contains `t1`. ([`SaveAt::Steps`] does: it is where the last step ends.)
    pub fn save_end(self, save_end: bool) -> Self {
        SolveOptions { save_end: Some(save_end), ..self }
    }

    /// Says what to save at the saved times: states, observables or both. By default states and, if
    /// the system has any, observables.
    pub fn saving(self, saving: Saving) -> Self {
        SolveOptions { saving: Some(saving), ..self }
    }

    /// The numbers that are saved of a system at each time.
    pub(crate) fn saved_row(&self, system: &Facts) -> Result<SavedRow, SolveError> {
        let (all, known) = (system.info.states.len(), system.observables);
        let (states, observables) = match self.saving {
            None => (all, known),
            Some(Saving::States) => (all, 0),
            Some(_) if known == 0 => {
                return Err(SolveError::NoObservables { system: system.info.name });
            }
            Some(Saving::Observables) => (0, known),
            Some(Saving::Both) => (all, known),
        };
        let times = usize::from(self.save == SaveAt::Steps);
        Ok(SavedRow { states, observables, times })
    }

    /// Checks everything that does not depend on the time span, as numbers of `T`.
    pub(crate) fn check<T: Scalar>(&self) -> Result<(), SolveError> {
        let abstol = self.abstol.numbers();
        let each = abstol.iter().map(|&value| ("abstol", value));
        for (name, value) in each.chain([("reltol", self.reltol)]) {
            if !(value >= 0.0 && T::narrow(value).widen().is_finite()) {
                return Err(SolveError::Tolerance { name, value, precision: T::NAME });
            }
        }
        if self.reltol >= 1.0 {
            return Err(SolveError::RelTol { reltol: self.reltol });
        }
        if abstol.contains(&0.0) && self.reltol == 0.0 {
            let name = "each of abstol and reltol";
            return Err(SolveError::Tolerance { name, value: 0.0, precision: T::NAME });
        }
        let normal = T::min_positive_value().widen();
        let rounding = 0.5 * T::epsilon().widen();
        // Fixed steps have no errors to compare with, and iterations end where rounding lets them.
        let adaptive = !matches!(self.step, StepSize::Fixed(_));
        let reltol = if adaptive { rounding } else { normal };
        let each = abstol.iter().map(|&value| ("abstol", value, normal));
        let others =
            [("reltol", self.reltol, reltol), ("dtmax", self.dtmax.unwrap_or(0.0), normal)];
        for (name, value, least) in each.chain(others) {
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
        if self.save == SaveAt::Steps && self.save_end == Some(false) {
            return Err(SolveError::StepsEnd);
        }
        Ok(())
    }

    /// The step size, checked against the span `t0` to `t1` with so many times to stop at:
    /// `(dt, adaptive)`, `dt` 0 for automatic. The span is checked, too.
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
            // Lanes count in numbers of `T`, results in `u32`.
            let whole =
                if T::DOUBLE { timeline::MAX_WHOLE_DOUBLE } else { timeline::MAX_WHOLE_SINGLE };
            let counted = (whole - 1.0).min(f64::from(u32::MAX));
            // Each part of the span ends with a step of its own.
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

    /// An upper bound of the number of times to save on the span `t0` to `t1`.
    pub(crate) fn most_saves<T: Scalar>(&self, t0: T, t1: T) -> usize {
        let within = match &self.save {
            SaveAt::Nothing | SaveAt::Steps => 0,
            // Spacings that are too small, or not even positive, are an error of `save_times`.
            SaveAt::Every(spacing) => {
                let count = ((t1.widen() - t0.widen()) / spacing).abs();
                if count <= times::MOST_SAVES { count as usize + 1 } else { 0 }
            }
            SaveAt::Times(list) => list.len(),
        };
        within + 2
    }

    /// The times to stop at within the span from `t0` to `t1`, in the order in which a trajectory
    /// passes them: those of the options, and its `own`, near-equal ones once.
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
            if if forward { t0 < t && t < t1 } else { t1 < t && t < t0 } {
                stops.push(t);
            }
        }
        merge(&mut stops);
        if !forward {
            stops.reverse();
        }
        Ok(stops)
    }

    /// The times to save on the span `t0` to `t1` of a trajectory that are known before it is
    /// solved.
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
