//! Sampling rules for the quantities of an ensemble, as users write them.

use crate::error::SolveError;
use crate::problem::sweep::{Quantity, index_of};
use crate::problem::which::Which;
use crate::system::facts::Facts;
use core::borrow::Borrow;

/// Sampling rules for parameters and initial states.
///
/// The rules are the argument of [`EnsembleProblem::sample`](crate::EnsembleProblem::sample).
///
/// ```
/// # use ode_core::{EnsembleProblem, OdeProblem, system::System};
/// use ode_core::{Choice, LogNormal, Normal, Samples, Uniform};
///
/// let samples = Samples::seed(42)
///     .p("rho", Uniform(0.0, 28.0))
///     .p("beta", LogNormal { mu: 1.0, sigma: 0.1 })
///     .p("mode", Choice([1.0, 2.0, 4.0]))
///     .u0(0, Normal { mean: 1.0, sd: 0.1 })
///     .u0(1, 0.5);
/// # fn of<S: System<3, 3>>(problem: OdeProblem<S, f64, 3, 3>, samples: Samples) {
/// let ensemble = EnsembleProblem::new(problem).trajectories(1000).sample(samples);
/// # }
/// ```
///
/// | rule | the value of trajectory `i` of `n` |
/// |---|---|
/// | a number | that number |
/// | [`Linspace`] | number `i` of `n` evenly spaced numbers |
/// | [`Logspace`] | number `i` of `n` numbers with evenly spaced logarithms |
/// | [`Uniform`], [`LogUniform`], [`Normal`], [`LogNormal`], [`Choice`] | random |
///
/// A random value is a function of the seed, the index of the trajectory in the whole ensemble, and
/// the quantity. The value does not depend on the backend, on
/// [`shard`](crate::EnsembleProblem::shard), on the number of trajectories, or on the rules of
/// other quantities. The exceptions are designs other than [`Design::Random`]: their values depend
/// on the number of trajectories or on the order of the rules.
///
/// The value is drawn in `f64` and rounded to the precision of the solve.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    pub(super) seed: u64,
    pub(super) design: Design,
    pub(super) rules: Vec<(Quantity, Which, Rule)>,
    pub(super) arrangement: Arrangement,
}

/// The arrangement of trajectories in groups, one group for each base sample.
///
/// An **input** is a quantity with a distribution, in the order of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Each trajectory is a base sample.
    Single,
    /// The rows of Saltelli's matrices A and B, then A with the value of B in each one input.
    Saltelli,
    /// The points of a path of Morris's design, with this number of levels.
    Path { levels: usize },
}

impl Arrangement {
    /// Returns the number of trajectories of a base sample.
    pub(crate) fn group(self, inputs: usize) -> usize {
        match self {
            Arrangement::Single => 1,
            Arrangement::Saltelli => inputs + 2,
            Arrangement::Path { .. } => inputs + 1,
        }
    }
}

impl Samples {
    /// Creates an empty set of rules with this seed.
    ///
    /// A different seed gives different random values.
    #[must_use]
    pub fn seed(seed: u64) -> Self {
        let (design, rules) = (Design::default(), Vec::new());
        Samples { seed, design, rules, arrangement: Arrangement::Single }
    }

    /// Sets the joint design of the random values of all trajectories.
    ///
    /// By default the values are independent.
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

    /// Returns the rules with another arrangement of the trajectories.
    pub(crate) fn arranged(&self, arrangement: Arrangement) -> Self {
        Samples { arrangement, ..self.clone() }
    }

    /// Returns the number of inputs.
    pub(crate) fn count_inputs(&self) -> usize {
        self.rules.iter().filter(|(.., rule)| rule.is_random()).count()
    }

    /// Returns the names of the inputs, such as `p.rate` and `u0.amount`.
    ///
    /// # Errors
    /// [`SolveError::Axis`] if the system has no quantity of the name or index of a rule.
    pub(crate) fn inputs(&self, system: &Facts) -> Result<Vec<String>, SolveError> {
        let random = self.rules.iter().filter(|(.., rule)| rule.is_random());
        let name = |(quantity, which, _): &(Quantity, Which, Rule)| {
            let index = index_of(*quantity, which, system)?;
            Ok(format!("{}.{}", quantity.symbol(), quantity.of(system).1[index]))
        };
        random.map(name).collect()
    }

    /// Returns a rule whose values depend on the index of the trajectory, with its quantity.
    pub(crate) fn by_index(&self) -> Option<(&Which, &'static str)> {
        self.rules.iter().find_map(|(_, which, rule)| match rule.0 {
            Kind::Linspace(_) => Some((which, "Linspace")),
            Kind::Logspace(_) => Some((which, "Logspace")),
            _ => None,
        })
    }

    pub(crate) fn seed_of_values(&self) -> u64 {
        self.seed
    }
}

/// The joint design of the random values of all trajectories.
///
/// Every distribution works with every design. The design yields numbers between 0 and 1, and each
/// value is the quantile of its distribution at such a number.
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
    /// Latin hypercube (McKay, Beckman, Conover 1979).
    ///
    /// Each quantity has `n` equally likely intervals, and each of the `n` trajectories has its
    /// value in a different interval. The order of the intervals is random and differs between
    /// quantities. The values depend on `n`, which is at most `2^32`.
    LatinHypercube,
    /// Sobol' points, with the direction numbers of Joe and Kuo (2008).
    ///
    /// The error of a mean falls nearly as fast as `1/n`, or faster if the function of the values
    /// is smooth. The number of trajectories is at most `2^32`, and best a power of two.
    ///
    /// Each random quantity is a dimension, in the order of the rules. There are at most 256
    /// dimensions. Put the most important quantities first.
    ///
    /// Numbers are in the middle of cells of length `2^-32`, so no number is 0.
    Sobol(Scrambling),
}

/// The randomisation of [Sobol' points](Design::Sobol).
///
/// To estimate the error of a mean, solve with several seeds and take the spread of their means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scrambling {
    /// No randomisation.
    ///
    /// The first point is at the low end of every quantity. The seed has no effect.
    None,
    /// A digital shift: the same bits are flipped in all points.
    Shift,
    /// Nested uniform scrambling (Owen 1995).
    ///
    /// A hash of the preceding bits decides whether a bit is flipped. The error of the mean of a
    /// smooth function falls faster, nearly as `n^-1.5`.
    #[default]
    Owen,
}

/// The rule for the values of a quantity.
///
/// Numbers and distributions convert to a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule(pub(super) Kind);

impl Rule {
    /// Returns whether the rule is a distribution.
    pub(super) fn is_random(&self) -> bool {
        !matches!(self.0, Kind::Constant(_) | Kind::Linspace(_) | Kind::Logspace(_))
    }
}

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

/// Evenly spaced numbers from the first to the second.
///
/// Trajectory 0 has the first number, and the last trajectory has the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linspace(pub f64, pub f64);

/// Positive numbers with evenly spaced logarithms.
///
/// Trajectory 0 has the first number, and the last trajectory has the second. The two numbers are
/// the values themselves, as in NumPy's `geomspace`, and not exponents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Logspace(pub f64, pub f64);

/// The uniform distribution between two numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uniform(pub f64, pub f64);

/// The log-uniform (or reciprocal) distribution of positive numbers between two ends.
///
/// The logarithm of a value is uniformly distributed. The two numbers are the ends themselves, not
/// exponents.
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

/// The log-normal distribution of positive numbers.
///
/// The logarithm of a value is normally distributed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LogNormal {
    /// The mean of the logarithm; the median is `exp(mu)`.
    pub mu: f64,
    /// The standard deviation of the logarithm, which is not negative.
    pub sigma: f64,
}

/// A choice of several values, all equally likely.
///
/// The values are an array, a vector or an iterator of numbers.
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
