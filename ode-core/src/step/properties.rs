//! The properties of methods.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::step::control::LAW_NUMBERS;
use crate::step::controller::Controller;
use crate::system::{Calculus, NoiseInfo, SystemInfo};
use core::fmt;

/// The properties of a method: orders, stages and costs.
///
/// Its `Display` is a row of [`table`](crate::methods::table).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Properties {
    /// The name of the method.
    pub name: &'static str,
    /// The order of the solution.
    pub order: usize,
    /// The orders of the embedded solutions, which give the error estimate.
    ///
    /// Without them, the method is for fixed steps.
    pub embedded: &'static [usize],
    /// The number of stages of a step.
    pub stages: usize,
    /// Whether the last stage is the next step's first (first same as last).
    pub fsal: bool,
    /// The order of the estimated local error, which controls step sizes.
    ///
    /// It is the order of the solution, or of the embedded one, plus one.
    pub error: usize,
    /// The step-size controller, unless the options contain another one.
    pub controller: Controller,
    /// The order of the solution between the ends of a step.
    pub interpolant: usize,
    /// Evaluations of the right-hand side in a step, without [`Properties::extra`].
    pub evaluations: usize,
    /// Further evaluations for the interpolant, in steps with a saved state within them.
    pub extra: usize,
    /// Systems of linear equations in a step.
    ///
    /// All of them have one matrix, which is factorised once.
    pub solves: usize,
    /// Whether stages are found by iteration.
    ///
    /// Each further iteration of a stage takes an evaluation and a linear system. Both counts are
    /// those of one iteration for each stage.
    pub iterates: bool,
    /// The implicit method of a method that [switches](crate::step::switching).
    ///
    /// The implicit method takes over stiff trajectories. All other fields describe the explicit
    /// method.
    pub switches_to: Option<&'static Properties>,
    /// The region of stability for `u' = λ u`.
    pub stability: Stability,
    /// The noise that the method solves; `None` for ordinary equations.
    pub stochastic: Option<Stochastic>,
}

/// The properties of a method for stochastic equations.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Stochastic {
    /// The calculus of the method; `None` for both.
    pub calculus: Option<Calculus>,
    /// The noise that the method solves.
    pub noise: NoiseClass,
    /// The order of the error of each path, for noise of the greatest class.
    pub strong_order: f64,
    /// The order of the error of means.
    pub weak_order: f64,
}

/// A class of noise, by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoiseClass {
    /// Noise that does not depend on the state.
    Additive,
    /// Noise with one process for each component, or one process for all.
    DiagonalOrScalar,
    /// [Commutative](NoiseInfo::commutative) noise, which includes diagonal and scalar noise.
    Commutative,
    /// Noise of any kind.
    Any,
}

impl NoiseClass {
    /// Returns whether the class contains this noise.
    #[must_use]
    pub const fn contains(self, noise: &NoiseInfo) -> bool {
        match self {
            NoiseClass::Additive => noise.additive,
            NoiseClass::DiagonalOrScalar => noise.diagonal || noise.is_scalar(),
            NoiseClass::Commutative => noise.commutative,
            NoiseClass::Any => true,
        }
    }
}

impl fmt::Display for NoiseClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            NoiseClass::Additive => "additive",
            NoiseClass::DiagonalOrScalar => "diagonal or scalar",
            NoiseClass::Commutative => "commutative",
            NoiseClass::Any => "any",
        })
    }
}

/// The region of stability: the `z = λ h` with steps that do not grow.
///
/// Steps of size `h` solve `u' = λ u`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stability {
    /// A bounded region: stiff systems take many steps.
    Bounded,
    /// A-stable: the whole left half plane, all `z` with solutions that do not grow.
    A,
    /// L-stable: A-stable, and steps tend to zero for `z` towards minus infinity.
    L,
}

impl fmt::Display for Stability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stability::Bounded => "bounded",
            Stability::A => "A",
            Stability::L => "L",
        })
    }
}

/// Returns the simplest method for all noise of a calculus.
fn first_method(calculus: Calculus) -> &'static str {
    match calculus {
        Calculus::Ito => "EulerMaruyama",
        Calculus::Stratonovich => "StochasticHeun",
    }
}

impl Properties {
    /// Returns whether the method estimates its error; otherwise it is for fixed steps only.
    #[must_use]
    pub const fn adaptive(&self) -> bool {
        !self.embedded.is_empty()
    }

    /// Checks that the method can make adaptive or fixed steps.
    ///
    /// A method without an error estimate cannot choose step sizes. A method that
    /// [switches](crate::step::switching) decides by its errors and step sizes, so it must choose
    /// them.
    ///
    /// # Errors [`SolveError::NotAdaptive`] and [`SolveError::NotFixed`] if the method cannot.
    pub(crate) fn check_steps(&self, adaptive: bool) -> Result<(), SolveError> {
        match adaptive {
            true if !self.adaptive() => Err(SolveError::NotAdaptive { method: self.name }),
            false if self.switches_to.is_some() => Err(SolveError::NotFixed { method: self.name }),
            _ => Ok(()),
        }
    }

    /// Returns the error for a solve with noise against the direction of time.
    pub(crate) fn refuses_reversed_time(&self, system: &SystemInfo) -> SolveError {
        let found = system.noise.map_or("random jumps".to_owned(), |noise| noise.to_string());
        let why = "stochastic equations are solved forwards in time; exchange the ends of the \
                   time span"
            .to_owned();
        SolveError::Noise { method: self.name, system: system.name, found, why }
    }

    /// Checks that the method solves the noise of a system, or its lack of noise.
    ///
    /// # Errors
    /// [`SolveError::Noise`] if the method does not.
    pub(crate) fn check_noise(&self, system: &SystemInfo) -> Result<(), SolveError> {
        let refuse = |why: String| {
            let found = system.noise.map_or("no noise".to_owned(), |noise| noise.to_string());
            Err(SolveError::Noise { method: self.name, system: system.name, found, why })
        };
        let (noise, method) = match (system.noise, self.stochastic) {
            (None, None) => return Ok(()),
            (Some(noise), Some(method)) => (noise, method),
            (Some(noise), None) => {
                let other = first_method(noise.calculus);
                return refuse(format!(
                    "the method solves ordinary equations; use a method for noise, such as \
                     `{other}`"
                ));
            }
            (None, Some(_)) => {
                let why = "the method solves stochastic equations; use another one, such as \
                           `Tsit5`, or add a function with `#[noise]` to the system";
                return refuse(why.to_owned());
            }
        };
        if !method.noise.contains(&noise) {
            let (class, other) = (method.noise, first_method(noise.calculus));
            return refuse(format!("the method solves {class} noise; use `{other}`"));
        }
        match method.calculus {
            Some(calculus) if calculus != noise.calculus && !noise.additive => {
                let other = first_method(noise.calculus);
                refuse(format!("the method is for {calculus} noise; use `{other}`"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the numbers of a controller's [`Law`](crate::step::control::Law) for this method.
    ///
    /// They hold for `n` components of type `T` and the error estimate of this method.
    #[must_use]
    pub fn law<T: Scalar>(&self, controller: Controller, n: usize) -> [f32; LAW_NUMBERS] {
        let explicit = self.solves == 0 || self.switches_to.is_some();
        controller.law::<T>(n, self.error, explicit)
    }
}

/// Writes one row of [`table`](crate::methods::table), or its head.
pub(crate) fn row(f: &mut fmt::Formatter<'_>, cells: [&dyn fmt::Display; 11]) -> fmt::Result {
    let [name, order, embedded, adaptive, stages, fsal, evaluations, interpolant, extra, ..] =
        cells;
    let [.., solves, stability] = cells;
    write!(f, "{name:<12}{order:>6}{embedded:>10}{adaptive:>10}{stages:>8}{fsal:>6}")?;
    write!(f, "{evaluations:>13}{interpolant:>13}{extra:>7}{solves:>8}{stability:>11}")
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |yes| if yes { "yes" } else { "no" };
        let mut embedded: Vec<String> = self.embedded.iter().map(ToString::to_string).collect();
        if embedded.is_empty() {
            embedded.push("none".to_string());
        }
        let cells: [&dyn fmt::Display; 11] = [
            &self.name,
            &self.order,
            &embedded.join(", "),
            &yes(self.adaptive()),
            &self.stages,
            &yes(self.fsal),
            &self.evaluations,
            &self.interpolant,
            &self.extra,
            &self.solves,
            &self.stability,
        ];
        row(f, cells)
    }
}
