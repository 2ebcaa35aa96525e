//! The properties of methods.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::step::control::LAW_NUMBERS;
use crate::step::controller::Controller;
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
    /// Each iteration of a stage takes an evaluation and a linear system. Both counts are then
    /// those of one iteration for each stage.
    pub iterates: bool,
    /// The implicit method of a method that [switches](crate::step::switching).
    ///
    /// The implicit method takes over stiff trajectories. All other fields describe the explicit
    /// method.
    pub switches_to: Option<&'static Properties>,
    /// The region of stability for `u' = λ u`.
    pub stability: Stability,
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
        let each = |count: usize| format!("{count}{}", if self.iterates { " each" } else { "" });
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
            &each(self.evaluations),
            &self.interpolant,
            &self.extra,
            &each(self.solves),
            &self.stability,
        ];
        row(f, cells)
    }
}
