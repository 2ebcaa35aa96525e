//! The compiler's report on a system.

use core::fmt;

use crate::system::info::{LinearEquations, Operations};
use crate::system::noise::NoiseInfo;
use crate::system::{System, linear};

/// A report on the compilation of a system.
///
/// `#[ode_system]` gives each system a function `report()`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report {
    /// The name of the function.
    pub name: &'static str,
    /// Names of the states.
    pub states: &'static [&'static str],
    /// Names of the parameters.
    pub parameters: &'static [&'static str],
    /// Whether the right-hand side depends on the time, by its numbers or by comparisons.
    pub depends_on_time: bool,
    /// The constant times at which the right-hand side changes its form.
    ///
    /// The middles of pulses and steps are included; see
    /// [`SystemInfo::time_breaks`](crate::system::SystemInfo::time_breaks).
    pub time_breaks: &'static [f64],
    /// Formulas of the times of form changes that depend on parameters.
    pub parameter_breaks: &'static [&'static str],
    /// Whether there are further times that the compiler cannot find.
    ///
    /// See [`SystemInfo::more_time_breaks`](crate::system::SystemInfo::more_time_breaks).
    pub more_time_breaks: bool,
    /// The divisors that are zero for some states, as formulas.
    ///
    /// See [`SystemInfo::poles`](crate::system::SystemInfo::poles).
    pub poles: &'static [&'static str],
    /// The states that grow from themselves.
    ///
    /// See [`SystemInfo::growing`](crate::system::SystemInfo::growing).
    pub growing: &'static [&'static str],
    /// Roots with derivatives that may not be finite, as formulas.
    ///
    /// See [`SystemInfo::steep`](crate::system::SystemInfo::steep).
    pub steep: &'static [&'static str],
    /// Numbers that jump when a state passes a value, as formulas.
    ///
    /// See [`SystemInfo::jumps`](crate::system::SystemInfo::jumps).
    pub jumps: &'static [&'static str],
    /// Whether there is a mass matrix other than the identity.
    pub mass_matrix: bool,
    /// The number of algebraic equations: zero rows of the mass matrix.
    pub algebraic: usize,
    /// Whether the system has a domain that solutions must not leave.
    pub domain: bool,
    /// The kind of the noise, if the equations have noise.
    pub noise: Option<NoiseInfo>,
    /// Names of the observables.
    pub observables: &'static [&'static str],
    /// Operations of the right-hand side as written, with unrolled loops, before simplification.
    pub written: u64,
    /// Operations of the right-hand side.
    pub rhs: Operations,
    /// The number of right-hand side operations with results that are used more than once.
    pub shared: usize,
    /// Operations of the Jacobian, on its own.
    pub jacobian: Operations,
    /// Operations of the derivatives with respect to the parameters, on their own.
    pub parameter_jacobian: Operations,
    /// Operations of the derivative with respect to time, on its own.
    pub time_gradient: Operations,
    /// The number of entries of the Jacobian that can be nonzero.
    pub jacobian_nonzeros: usize,
    /// How the linear equations of implicit methods are solved.
    pub linear: LinearEquations,
    /// The number of elements of the factors of their matrix.
    pub factor_nonzeros: usize,
    /// The number of entries of the parameter Jacobian that can be nonzero.
    pub parameter_nonzeros: usize,
}

impl Report {
    /// Returns the report of a system.
    #[must_use]
    pub fn of<S: System<N, P>, const N: usize, const P: usize>(system: &S) -> Report {
        let info = system.info();
        let [rhs, jacobian, parameter_jacobian, time_gradient] = info.operations;
        Report {
            name: info.name,
            states: info.states,
            parameters: info.parameters,
            depends_on_time: !S::AUTONOMOUS
                || S::STEPWISE
                || !info.time_breaks.is_empty()
                || !info.parameter_breaks.is_empty(),
            time_breaks: info.time_breaks,
            parameter_breaks: info.parameter_breaks,
            more_time_breaks: info.more_time_breaks,
            poles: info.poles,
            growing: info.growing,
            steep: info.steep,
            jumps: info.jumps,
            mass_matrix: S::MASS,
            algebraic: S::ALGEBRAIC,
            domain: S::HAS_DOMAIN,
            noise: info.noise,
            observables: info.observables,
            written: info.written,
            rhs,
            shared: info.shared,
            jacobian,
            parameter_jacobian,
            time_gradient,
            jacobian_nonzeros: info.jacobian_pattern.len(),
            linear: info.linear,
            factor_nonzeros: size_of::<S::Factors<f64>>() / size_of::<f64>(),
            parameter_nonzeros: info.parameter_pattern.len(),
        }
    }
}

impl Report {
    /// Formats the times to stop at.
    fn breaks(&self) -> String {
        let mut all: Vec<String> = self.time_breaks.iter().map(f64::to_string).collect();
        all.extend(self.parameter_breaks.iter().map(|formula| (*formula).to_owned()));
        match all.len() {
            0..=12 => all.join(", "),
            count => format!("{}, … {}", all[..4].join(", "), all[count - 1]),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, p) = (self.states.len(), self.parameters.len());
        let names = |names: &[&str]| match names.len() {
            0..=12 => names.join(", "),
            count => format!("{}, … {}", names[..4].join(", "), names[count - 1]),
        };
        writeln!(f, "{}", self.name)?;
        let list = |count: usize, what: &str, all: &[&str]| match count {
            0 => format!("no {what}s"),
            1 => format!("1 {what}: {}", all[0]),
            _ => format!("{count} {what}s: {}", names(all)),
        };
        writeln!(f, "  {}", list(n, "state", self.states))?;
        writeln!(f, "  {}", list(p, "parameter", self.parameters))?;
        let time = if self.depends_on_time { "depends" } else { "does not depend" };
        writeln!(f, "  the right-hand side {time} on the time")?;
        let found = !(self.time_breaks.is_empty() && self.parameter_breaks.is_empty());
        if found {
            writeln!(
                f,
                "  times to stop at, from comparisons, pulses and steps: {}",
                self.breaks()
            )?;
        }
        if self.more_time_breaks {
            let also = if found { " also" } else { "" };
            writeln!(
                f,
                "  the right-hand side{also} compares or rounds the time in ways whose times are \
                 not found, so steps may pass over them: give the known ones with `tstops`"
            )?;
        }
        let algebraic = match self.algebraic {
            0 => "no algebraic equation".to_owned(),
            1 => "1 algebraic equation".to_owned(),
            count => format!("{count} algebraic equations"),
        };
        match self.mass_matrix {
            false => writeln!(f, "  mass matrix: the identity")?,
            true => writeln!(f, "  mass matrix: constant, {algebraic}")?,
        }
        if let Some(noise) = self.noise {
            writeln!(f, "  {noise}")?;
        }
        if !self.poles.is_empty() && !self.domain {
            writeln!(
                f,
                "  divisors that are zero for some states: {}; if the solution comes near such \
                 states, exclude them with `is_out_of_domain`",
                names(self.poles)
            )?;
        }
        if !self.growing.is_empty() {
            writeln!(
                f,
                "  states that grow from themselves: {}; if one is below `abstol`, errors \
                 determine its later amount: set `abstol` far below the smallest amount that \
                 matters",
                names(self.growing)
            )?;
        }
        if !self.steep.is_empty() {
            writeln!(
                f,
                "  roots with infinite derivatives at zero: {}; if the solution reaches such a \
                 zero, use an explicit method, or add a small number under the root",
                names(self.steep)
            )?;
        }
        if !self.jumps.is_empty() {
            writeln!(
                f,
                "  expressions that jump with the state: {}; a solution that stays at a jump ends \
                 with `MaxSteps` or `DtMin`: smooth the jump, as with `tanh`, or write an event \
                 with a mode",
                names(self.jumps)
            )?;
        }
        if self.domain {
            writeln!(f, "  steps to states outside the domain are rejected")?;
        }
        if !self.observables.is_empty() {
            let count = self.observables.len();
            writeln!(f, "  {}", list(count, "observable", self.observables))?;
        }
        writeln!(
            f,
            "  right-hand side, {} operations as written: {}; {} used more than once",
            self.written, self.rhs, self.shared
        )?;
        writeln!(
            f,
            "  Jacobian: {} of {} entries: {}",
            self.jacobian_nonzeros,
            n * n,
            self.jacobian
        )?;
        let [eliminated, solved] = linear::operations(n as u64);
        let eliminated = eliminated + u64::from(self.jacobian.total());
        let loops = |how: &str| {
            format!(
                "loops over {} entries{how}, {eliminated} operations with the Jacobian and {solved} for \
                 each solution",
                n * n
            )
        };
        match &self.linear {
            LinearEquations::Nonzeros { factor, solve } => writeln!(
                f,
                "  linear equations: straight-line code over {} nonzeros, {} operations with the \
                 Jacobian and {} for each solution; loops over {} entries would take {eliminated} \
                 and {solved}",
                self.factor_nonzeros,
                factor.total(),
                solve.total(),
                n * n,
            )?,
            LinearEquations::Pivoting => {
                let loops = loops(" with partial pivoting");
                writeln!(f, "  linear equations: {loops}, and selections")?;
            }
            LinearEquations::Full => {
                writeln!(f, "  linear equations: {}; nearly all entries are nonzero", loops(""))?;
            }
            LinearEquations::Loops { limit } => writeln!(
                f,
                "  linear equations: {}; straight-line code over the nonzeros would take more than {limit}",
                loops(""),
            )?,
        }
        if p > 0 {
            writeln!(
                f,
                "  derivatives with respect to the parameters: {} of {} entries: {}",
                self.parameter_nonzeros,
                n * p,
                self.parameter_jacobian
            )?;
        }
        write!(f, "  derivatives with respect to the time: {}", self.time_gradient)
    }
}
