//! How step sizes follow from errors, as the options say it: the host's half of
//! [step-size control](crate::step::control).

#[cfg(feature = "serde")]
mod written;

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::step::control::{
    KIND_PI, KIND_PID, KIND_PREDICTIVE, LAW_NUMBERS, PER_OCTAVE_DOUBLE, PER_OCTAVE_SINGLE,
    ROOT_ONE, ROOT_SLOPE,
};

/// A step-size controller: the control law by which the next step size follows from the estimated
/// errors.
///
/// With `e` the RMS norm of the estimated error in units of the tolerance, `k` the order of that
/// estimate plus one, and `e₋₁`, `e₋₂` those of the accepted steps before:
///
/// | | factor between step sizes |
/// |---|---|
/// | [`i`](Controller::i) | `safety e^(-1/k)` |
/// | [`pi`](Controller::pi) | `safety e^(-β₁/k) e₋₁^(β₂/k)` (Gustafsson 1988; Hairer and Wanner II, IV.2) |
/// | [`pid`](Controller::pid) | `safety e^(-β₁/k) e₋₁^(-β₂/k) e₋₂^(-β₃/k)` (Söderlind 2003) |
/// | [`predictive`](Controller::predictive) | the lesser of the first one and `safety e^(-1/k) (h/h₋₁) (e₋₁/e)^(1/k)` (Gustafsson 1994; Hairer and Wanner II, IV.8) |
///
/// within [limits](Controller::factors). After a rejection the errors of steps before are left out.
/// Errors are remembered as `1e-4` at least, with explicit methods as so much that an accepted step
/// is followed by one of 0.52 times its size or more.
///
/// Without one of the options each method has its own,
/// [`Properties::controller`](crate::methods::Properties).
///
/// ```
/// use ode_core::{Controller, SolveOptions};
///
/// let controller = Controller::pi(0.7, 0.4).safety(0.8).factors(0.2, 5.0);
/// let options = SolveOptions::default().controller(controller);
/// ```
///
/// Numbers out of range are [`SolveError::Controller`] when a solve
/// begins.
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

    /// The integrating controller: by the error of the last step alone.
    pub const fn i() -> Self {
        Controller::pi(1.0, 0.0)
    }

    /// The proportional-integral controller, by the errors of the last two steps. `pi(0.7, 0.4)` is
    /// usual for explicit methods.
    pub const fn pi(beta1: f64, beta2: f64) -> Self {
        Controller::new(Kind::Pi([beta1, beta2]))
    }

    /// The proportional-integral-derivative controller, by the errors of the last three steps. In
    /// this convention the usual `pi(0.7, 0.4)` is `pid(0.7, -0.4, 0.0)`.
    pub const fn pid(beta1: f64, beta2: f64, beta3: f64) -> Self {
        Controller::new(Kind::Pid([beta1, beta2, beta3]))
    }

    /// Gustafsson's predictive controller, by the errors and sizes of the last two steps: it
    /// follows a trend of the errors, as implicit methods have it.
    pub const fn predictive() -> Self {
        Controller::new(Kind::Predictive)
    }

    /// The safety factor, by which the step size that the errors ask for is multiplied; 0.9 by
    /// default. It lies in (0, 1].
    pub const fn safety(self, safety: f64) -> Self {
        Controller { safety, ..self }
    }

    /// The least and the greatest factor between successive step sizes; 0.2 and 10 by default. The
    /// least lies between 0.1 and 1, the greatest between 1 and 10.
    pub const fn factors(self, least: f64, greatest: f64) -> Self {
        Controller { factors: [least, greatest], ..self }
    }

    /// The number by which lanes know the control law.
    #[must_use]
    pub fn kind(&self) -> u32 {
        match self.kind {
            Kind::Pi(_) => KIND_PI,
            Kind::Pid(_) => KIND_PID,
            Kind::Predictive => KIND_PREDICTIVE,
        }
    }

    /// Whether its numbers make sense.
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

    /// The numbers of its [`Law`](crate::step::control::Law), for `n` components of type `T` and
    /// an error estimate of order `error`. An `explicit` method may take a step of no length; an
    /// implicit one divides by it.
    #[must_use]
    pub fn law<T: Scalar>(&self, n: usize, error: usize, explicit: bool) -> [f32; LAW_NUMBERS] {
        // The root of the factor, and of a binary logarithm.
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
        // By how much small errors of steps before can shorten the next one.
        let shorten = match self.kind {
            Kind::Pi([_, beta2]) => beta2.max(0.0),
            Kind::Pid([_, beta2, beta3]) => (-beta2).max(0.0) + (-beta3).max(0.0),
            Kind::Predictive => 0.0,
        };
        let enough = (LEAST_ACCEPTED / self.safety).log2().min(0.0) / (shorten * half);
        let smallest = if explicit { enough.max(OLD_LOG2_MIN) } else { OLD_LOG2_MIN };
        let smallest = smallest * per_octave + one;
        let (base, fresh) = match self.kind {
            // Nothing is remembered as the smallest error.
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
            // Greater errors would shrink the step more than is allowed. Accepted ones never do.
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

/// However small the errors of steps before, with explicit methods that of an accepted step asks
/// for a next one of so many times its size at least: more than half. So a step of one unit of the
/// time in its last place is followed by another, until errors grow and one is refused, and not by
/// none.
const LEAST_ACCEPTED: f64 = 0.52;
/// Binary logarithm of the square of the smallest norm that is remembered, `1e-4`.
const OLD_LOG2_MIN: f64 = -26.575424759098898;
/// `f32` ends at 128 octaves.
const MOST_SQUARE_OCTAVES: f64 = 100.0;
/// A predictive controller's memory before it has one: a root that is never the lesser one.
const NO_TREND: f64 = 1e9;
