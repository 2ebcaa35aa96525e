//! Step-size controllers as options, and their coefficients.
//!
//! The host's half of [step-size control](crate::step::control).

#[cfg(feature = "serde")]
mod written;

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::step::control::{
    KIND_PI, KIND_PID, KIND_PREDICTIVE, LAW_NUMBERS, PER_OCTAVE_DOUBLE, PER_OCTAVE_SINGLE,
    ROOT_ONE, ROOT_SLOPE,
};

/// A step-size controller: a law for the next step size.
///
/// `e` is the RMS norm of the estimated error in units of the tolerance, and `k` is the order of
/// that estimate plus one. `e₋₁` and `e₋₂` are the norms of the previous accepted steps:
///
/// | | factor between step sizes |
/// |---|---|
/// | [`i`](Controller::i) | `safety e^(-1/k)` |
/// | [`pi`](Controller::pi) | `safety e^(-β₁/k) e₋₁^(β₂/k)` (Gustafsson 1988; Hairer and Wanner II, IV.2) |
/// | [`pid`](Controller::pid) | `safety e^(-β₁/k) e₋₁^(-β₂/k) e₋₂^(-β₃/k)` (Söderlind 2003) |
/// | [`predictive`](Controller::predictive) | the smaller of the first one and `safety e^(-1/k) (h/h₋₁) (e₋₁/e)^(1/k)` (Gustafsson 1994; Hairer and Wanner II, IV.8) |
///
/// The factor is limited to [a range](Controller::factors). After a rejection, it depends on the
/// rejected step's error alone. Stored errors are at least `1e-4`. With explicit methods, they are
/// also large enough that the step after an accepted step has at least 0.52 times its size.
///
/// If the options contain no controller, each method uses its own,
/// [`Properties::controller`](crate::methods::Properties).
///
/// ```
/// use ode_core::{Controller, SolveOptions};
///
/// let controller = Controller::pi(0.7, 0.4).safety(0.8).factors(0.2, 5.0);
/// let options = SolveOptions::default().controller(controller);
/// ```
///
/// If a number is out of range, a solve returns [`SolveError::Controller`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "written::Written", into = "written::Written"))]
#[must_use]
pub struct Controller {
    kind: Kind,
    safety: f64,
    factors: [f64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Pi([f64; 2]),
    Pid([f64; 3]),
    Predictive,
}

impl Controller {
    const fn new(kind: Kind) -> Self {
        Controller { kind, safety: 0.9, factors: [0.2, 10.0] }
    }

    /// Returns the integrating controller, which uses the last step's error alone.
    pub const fn i() -> Self {
        Controller::pi(1.0, 0.0)
    }

    /// Returns the proportional-integral controller, which uses the last two errors.
    ///
    /// `pi(0.7, 0.4)` is usual for explicit methods.
    pub const fn pi(beta1: f64, beta2: f64) -> Self {
        Controller::new(Kind::Pi([beta1, beta2]))
    }

    /// Returns the proportional-integral-derivative controller, which uses the last three errors.
    ///
    /// In this convention, the usual `pi(0.7, 0.4)` is `pid(0.7, -0.4, 0.0)`.
    pub const fn pid(beta1: f64, beta2: f64, beta3: f64) -> Self {
        Controller::new(Kind::Pid([beta1, beta2, beta3]))
    }

    /// Returns Gustafsson's predictive controller, which follows a trend of the errors.
    ///
    /// It uses the errors and sizes of the last two steps. Such trends are typical of implicit
    /// methods.
    pub const fn predictive() -> Self {
        Controller::new(Kind::Predictive)
    }

    /// Sets the safety factor, which multiplies the step size from the error.
    ///
    /// It lies in (0, 1] and is 0.9 by default.
    pub const fn safety(self, safety: f64) -> Self {
        Controller { safety, ..self }
    }

    /// Sets the smallest and the greatest factor between successive step sizes.
    ///
    /// They are 0.2 and 10 by default. The smallest lies between 0.1 and 1, the greatest between 1
    /// and 10.
    pub const fn factors(self, least: f64, greatest: f64) -> Self {
        Controller { factors: [least, greatest], ..self }
    }

    /// Returns the number of the control law in lane programs.
    #[must_use]
    pub fn kind(&self) -> u32 {
        match self.kind {
            Kind::Pi(_) => KIND_PI,
            Kind::Pid(_) => KIND_PID,
            Kind::Predictive => KIND_PREDICTIVE,
        }
    }

    /// Checks the ranges of the controller's numbers.
    pub(crate) fn check(&self) -> Result<(), SolveError> {
        let wrong = |name, value| Err(SolveError::Controller { name, value });
        let [least, greatest] = self.factors;
        let exponents: &[f64] = match &self.kind {
            Kind::Pi(exponents) => exponents,
            Kind::Pid(exponents) => exponents,
            Kind::Predictive => &[],
        };
        if let Some(&value) = exponents.iter().find(|value| value.is_nan() || value.abs() > 4.0) {
            return wrong("an exponent", value);
        }
        if let Some(&first) = exponents.first().filter(|first| **first < 0.05) {
            return wrong("the exponent of this step's error", first);
        }
        if let Kind::Pi([_, second]) = self.kind
            && second < 0.0
        {
            return wrong("the second exponent of `pi`", second);
        }
        if !(self.safety > 0.0 && self.safety <= 1.0) {
            return wrong("the safety factor", self.safety);
        }
        if !(0.1..1.0).contains(&least) {
            return wrong("the smallest factor", least);
        }
        if !(greatest > 1.0 && greatest <= 10.0) {
            return wrong("the largest factor", greatest);
        }
        Ok(())
    }

    /// Returns the numbers of the controller's [`Law`](crate::step::control::Law).
    ///
    /// They hold for `n` components of type `T` and an error estimate of order `error`. An
    /// `explicit` method may take a step of no length; an implicit one divides by it.
    #[must_use]
    pub fn law<T: Scalar>(&self, n: usize, error: usize, explicit: bool) -> [f32; LAW_NUMBERS] {
        // The root of a factor, and of a binary logarithm.
        let root_of = |factor: f64| (factor.sqrt().sqrt() - 0.5).sqrt();
        let root = |log2: f64| ROOT_SLOPE * log2 + ROOT_ONE;
        // The norm is squared: half the exponents.
        let half = 0.5 / error as f64;
        let betas = match self.kind {
            Kind::Pi([beta1, beta2]) => [beta1, beta2, 0.0],
            Kind::Pid([beta1, beta2, beta3]) => [beta1, -beta2, -beta3],
            Kind::Predictive => [1.0, 0.0, 0.0],
        };
        let per_octave = if T::DOUBLE { PER_OCTAVE_DOUBLE } else { PER_OCTAVE_SINGLE };
        let one = f64::from(T::lit(n as f64).bits_to_single());
        let [beta1, beta2, beta3] = betas.map(|beta| beta * half * ROOT_SLOPE / per_octave);
        let safety = root(self.safety.log2());
        let [least, most] = self.factors;
        let falls = (safety - root_of(least)) / (beta1 * per_octave);
        // The largest shortening of the next step by small earlier errors.
        let shorten = match self.kind {
            Kind::Pi([_, beta2]) => beta2.max(0.0),
            Kind::Pid([_, beta2, beta3]) => (-beta2).max(0.0) + (-beta3).max(0.0),
            Kind::Predictive => 0.0,
        };
        let enough = (LEAST_ACCEPTED / self.safety).log2().min(0.0) / (shorten * half);
        let smallest = if explicit { enough.max(OLD_LOG2_MIN) } else { OLD_LOG2_MIN };
        let smallest = smallest * per_octave + one;
        let (base, fresh) = match self.kind {
            // An empty memory counts as the smallest error.
            Kind::Pi(_) => {
                let base = safety + (beta1 - beta2) * one;
                (base, base + beta2 * smallest)
            }
            Kind::Pid(_) => {
                let base = safety + (beta1 - beta2 - beta3) * one;
                (base, base + (beta2 + beta3) * smallest)
            }
            // No trend.
            Kind::Predictive => (0.0, NO_TREND),
        };
        let numbers: [f64; LAW_NUMBERS] = [
            // Greater errors would shrink the step by more than the limit. Accepted ones never do.
            falls.min(MOST_SQUARE_OCTAVES) * per_octave + one,
            beta1,
            beta2,
            beta3,
            safety + beta1 * one,
            base,
            fresh,
            smallest,
            root_of(least),
            root_of(most),
        ];
        numbers.map(|number| number as f32)
    }
}

/// The smallest factor to the step after an accepted step, with explicit methods.
///
/// It holds however small earlier errors are. It is more than half. So a step of one unit in the
/// last place of the time is followed by another such step, not by a step of no length. This ends
/// when errors grow and a step is rejected.
const LEAST_ACCEPTED: f64 = 0.52;
/// The binary logarithm of the square of the smallest norm in the memory, `1e-4`.
const OLD_LOG2_MIN: f64 = -26.575424759098898;
/// `f32` ends at 128 octaves.
const MOST_SQUARE_OCTAVES: f64 = 100.0;
/// A predictive controller's initial memory: a root that is never the smaller one.
const NO_TREND: f64 = 1e9;
