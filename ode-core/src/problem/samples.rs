//! How the quantities of an ensemble are sampled: what a user says.

use crate::problem::sweep::{Quantity, Which};
use core::borrow::Borrow;

/// Values of parameters and of initial states that each trajectory gets by rules, for
/// [`EnsembleProblem::sample`](crate::EnsembleProblem::sample).
///
/// ```
/// use ode_core::{Choice, LogNormal, Normal, Samples, Uniform};
///
/// let samples = Samples::seed(42)
///     .p("rho", Uniform(0.0, 28.0))
///     .p("beta", LogNormal { mu: 1.0, sigma: 0.1 })
///     .p("mode", Choice([1.0, 2.0, 4.0]))
///     .u0(0, Normal { mean: 1.0, sd: 0.1 })
///     .u0(1, 0.5);
/// ```
///
/// | rule | the value of trajectory `i` of `n` |
/// |---|---|
/// | a number | that number |
/// | [`Linspace`], [`Logspace`] | number `i` of `n` numbers that are evenly apart |
/// | [`Uniform`], [`LogUniform`], [`Normal`], [`LogNormal`], [`Choice`] | random |
///
/// A random value is a function of the seed, the number of the trajectory in the whole ensemble,
/// and the quantity. It depends neither on the place that solves, nor on
/// [`part`](crate::EnsembleProblem::part), nor on how many trajectories there are, nor on the rules
/// of other quantities. (By a [`Design`] other than the first it does depend on some of these, as
/// said there.) It is drawn in `f64` and rounded to the precision of the solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub(super) seed: u64,
    pub(super) design: Design,
    pub(super) rules: Vec<(Quantity, Which, Rule)>,
}

impl Samples {
    /// No rules yet. Other seeds make other random values.
    #[must_use]
    pub fn seed(seed: u64) -> Self {
        Samples { seed, design: Design::default(), rules: Vec::new() }
    }

    /// Sets how the random values of trajectories lie together; independent by default.
    #[must_use]
    pub fn design(self, design: impl Into<Design>) -> Self {
        Samples { design: design.into(), ..self }
    }

    /// Samples a parameter, by name or by index.
    #[must_use]
    pub fn p(mut self, which: impl Into<Which>, rule: impl Into<Rule>) -> Self {
        self.rules.push((Quantity::Parameter, which.into(), rule.into()));
        self
    }

    /// Samples a component of the initial state, by name or by index.
    #[must_use]
    pub fn u0(mut self, which: impl Into<Which>, rule: impl Into<Rule>) -> Self {
        self.rules.push((Quantity::InitialState, which.into(), rule.into()));
        self
    }
}

/// How the random values of trajectories lie together. Each distribution combines with each design:
/// a design gives numbers between 0 and 1, and a value is a quantile of its distribution.
///
/// ```
/// use ode_core::{Design, Normal, Samples, Scrambling};
///
/// let samples = Samples::seed(1)
///     .design(Design::Sobol(Scrambling::Owen))
///     .p("rate", Normal { mean: 1.0, sd: 0.1 });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Design {
    /// Independent values, by the generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
    #[default]
    Random,
    /// Latin hypercube (McKay, Beckman, Conover 1979): of `n` trajectories each has another of `n`
    /// intervals that are equally likely, for each quantity in an order of its own. Values depend
    /// on `n`, which is at most `2^32`.
    LatinHypercube,
    /// Sobol' points, with the direction numbers of Joe and Kuo (2008): the error of a mean falls
    /// nearly as fast as `1/n`, or faster, if the function of the values is smooth. A number of
    /// trajectories that is a power of two is best, at most `2^32`. The quantities are the
    /// dimensions, in the order of their rules, at most 256; put those that matter most first.
    ///
    /// Numbers are in the middle of cells of length `2^-32`, so that none is 0.
    Sobol(Scrambling),
}

/// How [Sobol' points](Design::Sobol) are made random. By the spread of the means of several seeds
/// one learns how large their errors are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scrambling {
    /// Not at all. The first point is at the low end of all quantities, and the seed has no effect.
    None,
    /// A digital shift: the same bits are turned in all points.
    Shift,
    /// Nested uniform scrambling (Owen 1995), in which each bit is turned or not by a hash of those
    /// before it. The errors of smooth functions fall faster, nearly as `n^-1.5`.
    #[default]
    Owen,
}

/// How the values of a quantity are found. Numbers and distributions convert to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule(pub(super) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Constant(f64),
    Linspace(Linspace),
    Logspace(Logspace),
    Uniform(Uniform),
    LogUniform(LogUniform),
    Normal(Normal),
    LogNormal(LogNormal),
    Choice(Vec<f64>),
}

/// Numbers evenly apart, from the first, of trajectory 0, to the second, of the last trajectory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linspace(pub f64, pub f64);

/// Positive numbers whose logarithms are evenly apart, from the first, of trajectory 0, to the
/// second, of the last trajectory. (These are the numbers themselves, as in NumPy's `geomspace`, and
/// not exponents.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logspace(pub f64, pub f64);

/// The uniform distribution between two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform(pub f64, pub f64);

/// The distribution of positive numbers whose logarithm is uniform, between two numbers (not
/// exponents); also called reciprocal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogUniform(pub f64, pub f64);

/// The normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normal {
    /// The mean.
    pub mean: f64,
    /// The standard deviation, which is not negative.
    pub sd: f64,
}

/// The distribution of positive numbers whose logarithm is normal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    /// The mean of the logarithm; the median is `exp(mu)`.
    pub mu: f64,
    /// The standard deviation of the logarithm, which is not negative.
    pub sigma: f64,
}

/// One of some values, each as likely as the others: an array, a vector or an iterator of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice<V>(pub V);

impl From<f64> for Rule {
    fn from(value: f64) -> Self {
        Rule(Kind::Constant(value))
    }
}

macro_rules! rules {
    ($($name:ident)*) => { $(
        impl From<$name> for Rule {
            fn from(rule: $name) -> Self {
                Rule(Kind::$name(rule))
            }
        }
    )* };
}
rules! { Linspace Logspace Uniform LogUniform Normal LogNormal }

impl<V> From<Choice<V>> for Rule
where
    V: IntoIterator,
    V::Item: Borrow<f64>,
{
    fn from(Choice(values): Choice<V>) -> Self {
        Rule(Kind::Choice(values.into_iter().map(|value| *value.borrow()).collect()))
    }
}
