//! Sweeps: initial states and parameters that vary between trajectories, given as data.

use crate::error::SolveError;
use crate::lane::Scalar;
use crate::problem::ode::OdeProblem;
use crate::problem::which::Which;
use crate::system::System;
use crate::system::facts::Facts;
use crate::system::quantities::{Quantities, narrowed, quantities};
use core::borrow::Borrow;
use core::fmt;

/// The values along one axis of a [grid](crate::EnsembleProblem::grid).
///
/// The values belong to a parameter or to a component of the initial state, given by name or by
/// index.
///
/// ```
/// use ode_core::Axis;
///
/// let beta = Axis::p("beta", [0.2, 0.3, 0.4]);
/// let prey = Axis::u0(0, (0..100).map(f64::from));
/// ```
///
/// The values are rounded to the precision of the solve where they are used.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    quantity: Quantity,
    which: Which,
    values: Vec<f64>,
}

/// The kind of quantity along an [`Axis`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quantity {
    /// A parameter.
    Parameter,
    /// A component of the initial state.
    InitialState,
}

impl Quantity {
    /// Returns the word for such quantities in messages, and their names in a system.
    pub(super) fn of(self, system: &Facts) -> (&'static str, &'static [&'static str]) {
        match self {
            Quantity::Parameter => ("parameter", system.info.parameters),
            Quantity::InitialState => ("state", system.info.states),
        }
    }

    /// Returns the symbol of such quantities: `p` or `u0`.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Quantity::Parameter => "p",
            Quantity::InitialState => "u0",
        }
    }
}

/// The values along an [`Axis`].
///
/// Arrays, vectors and slices of `f64`, references to them, and iterators over numbers or
/// references to numbers implement this trait.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of values along an axis",
    label = "write a list of floats, as `[0.1, 0.2]`: an array, a vector, a reference to one, or an \
             iterator",
    note = "a range has no spacing: write eleven values from 0 to 1 as `(0..=10).map(|i| 0.1 * i \
            as f64)`"
)]
pub trait AxisValues {
    /// Returns the values, in their order.
    fn into_values(self) -> Vec<f64>;
}

#[diagnostic::do_not_recommend]
impl<I: IntoIterator<Item: Borrow<f64>>> AxisValues for I {
    fn into_values(self) -> Vec<f64> {
        self.into_iter().map(|value| *value.borrow()).collect()
    }
}

impl Axis {
    /// Creates an axis of values of a parameter.
    ///
    /// The values are a [list of numbers](AxisValues): an array, a vector, a reference to one, or
    /// an iterator.
    #[must_use]
    pub fn p(which: impl Into<Which>, values: impl AxisValues) -> Self {
        Self::new(Quantity::Parameter, which.into(), values)
    }

    /// Creates an axis of values of a component of the initial state.
    #[must_use]
    pub fn u0(which: impl Into<Which>, values: impl AxisValues) -> Self {
        Self::new(Quantity::InitialState, which.into(), values)
    }

    fn new(quantity: Quantity, which: Which, values: impl AxisValues) -> Self {
        Axis { quantity, which, values: values.into_values() }
    }

    /// Returns whether the values are of a parameter or of the initial state.
    #[must_use]
    pub fn quantity(&self) -> Quantity {
        self.quantity
    }

    /// Returns the component that the values are of.
    ///
    /// In the axes of a [solution](crate::EnsembleSolution::axes) it is always a name.
    #[must_use]
    pub fn which(&self) -> &Which {
        &self.which
    }

    /// Returns the values along the axis.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }
}

/// `p.beta` or `u0.prey`; `p[0]` or `u0[0]` for an axis given by index.
impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quantity = self.quantity.symbol();
        match &self.which {
            Which::Name(name) => write!(f, "{quantity}.{name}"),
            Which::Index(index) => write!(f, "{quantity}[{index}]"),
        }
    }
}

/// The data of a sweep, in the order in which they are applied: rows first, then axes.
#[derive(Clone, Debug)]
pub(crate) struct Sweep<T, const N: usize, const P: usize> {
    pub(super) u0: Option<Vec<[T; N]>>,
    pub(super) p: Option<Vec<[T; P]>>,
    pub(super) axes: Vec<Axis>,
}

impl<T, const N: usize, const P: usize> Default for Sweep<T, N, P> {
    fn default() -> Self {
        Sweep { u0: None, p: None, axes: Vec::new() }
    }
}

/// The numbers of rows of initial states and of parameters in a [`Sweep`], if any.
pub(crate) type Sizes = [Option<usize>; 2];

/// Axes of a grid, each with the index of its component.
pub(crate) type KnownAxes<'a> = Vec<(&'a Axis, usize)>;

/// Returns the index of a quantity of the system.
///
/// # Errors
/// If the system has no quantity of that name or index.
pub(super) fn index_of(
    quantity: Quantity,
    which: &Which,
    system: &Facts,
) -> Result<usize, SolveError> {
    let (kind, names) = quantity.of(system);
    which.among(names.iter().copied()).ok_or_else(|| SolveError::Axis {
        system: system.info.name,
        kind,
        which: which.to_string(),
        known: names.iter().map(|&name| name.to_owned()).collect(),
    })
}

/// Returns the axes of a grid with their indices, and the shape of an ensemble of `n` trajectories.
///
/// # Errors
/// If the system has no quantity of that name or index, if two axes have the same quantity, or if
/// the number of values is not the number of trajectories.
pub(crate) fn checked<'a>(
    all: &'a [Axis],
    sizes: Sizes,
    system: &Facts,
    n: usize,
) -> Result<(KnownAxes<'a>, Vec<usize>), SolveError> {
    let shape: Vec<usize> = match all {
        [] => vec![n],
        all => all.iter().map(|axis| axis.values.len()).collect(),
    };
    let along = shape.iter().fold(1, |n: usize, m| n.saturating_mul(*m));
    let [u0, p] = sizes;
    if let Some(values) = [u0, p, Some(along)].into_iter().flatten().find(|&values| values != n) {
        return Err(SolveError::Sweep { values, trajectories: n });
    }
    let mut axes: KnownAxes<'a> = Vec::with_capacity(all.len());
    for axis in all {
        let (kind, names) = axis.quantity.of(system);
        let index = index_of(axis.quantity, &axis.which, system)?;
        let same = |(other, i): &(&Axis, usize)| other.quantity == axis.quantity && *i == index;
        if let Some(first) = axes.iter().position(same) {
            return Err(SolveError::AxisTwice {
                system: system.info.name,
                kind,
                name: names[index],
                index,
                axes: [first, axes.len()],
            });
        }
        axes.push((axis, index));
    }
    Ok((axes, shape))
}

impl<T: Scalar, const N: usize, const P: usize> Sweep<T, N, P> {
    /// Converts the numbers of the data to the precision `U`.
    pub(super) fn cast<U: Scalar>(self) -> Sweep<U, N, P> {
        fn rows<T: Scalar, U: Scalar, const M: usize>(rows: Vec<[T; M]>) -> Vec<[U; M]> {
            rows.into_iter().map(|row| row.map(|x| U::narrow(x.widen()))).collect()
        }
        let Sweep { u0, p, axes } = self;
        Sweep { u0: u0.map(rows), p: p.map(rows), axes }
    }

    pub(crate) fn axes(&self) -> &[Axis] {
        &self.axes
    }

    pub(crate) fn sizes(&self) -> Sizes {
        [self.u0.as_ref().map(Vec::len), self.p.as_ref().map(Vec::len)]
    }

    /// Returns the problem of trajectory `i`; `axes` are the axes of the grid.
    pub(crate) fn problem<S: System<N, P>>(
        &self,
        axes: &[(&Axis, usize)],
        base: OdeProblem<S, T, N, P>,
        i: usize,
    ) -> OdeProblem<S, T, N, P> {
        let mut problem = base;
        if let Some(rows) = &self.u0 {
            problem.u0 = quantities(rows[i]);
        }
        if let Some(rows) = &self.p {
            problem.p = quantities(rows[i]);
        }
        if axes.is_empty() {
            return problem;
        }
        let (mut u0, mut p) = (problem.u0.to_numbers(), problem.p.to_numbers());
        // The last axis varies fastest.
        let mut rest = i;
        for &(axis, index) in axes.iter().rev() {
            let value = axis.values[rest % axis.values.len()];
            rest /= axis.values.len();
            match axis.quantity {
                Quantity::Parameter => p[index] = value,
                Quantity::InitialState => u0[index] = value,
            }
        }
        let (u0, p) = (narrowed::<T, N>(u0), narrowed::<T, P>(p));
        OdeProblem { u0: quantities(u0), p: quantities(p), ..problem }
    }
}

/// Returns the number of trajectories of rows and axes, if there are any.
pub(crate) fn trajectories([u0, p]: Sizes, axes: &[Axis]) -> Option<usize> {
    let lengths = axes.iter().map(|axis| axis.values.len());
    let along = lengths.reduce(|n: usize, m| n.saturating_mul(m));
    p.or(u0).or(along)
}

/// Returns the axes of a grid with their names in the system.
///
/// An index that is out of range stays an index.
pub(crate) fn named(axes: &[Axis], system: &Facts) -> Vec<Axis> {
    let named = |axis: &Axis| {
        let (_, names) = axis.quantity.of(system);
        let which = match &axis.which {
            Which::Index(index) if *index < names.len() => names[*index].into(),
            which => which.clone(),
        };
        Axis { which, ..axis.clone() }
    };
    axes.iter().map(named).collect()
}
