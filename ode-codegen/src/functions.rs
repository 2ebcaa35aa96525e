//! The functions of the language: one table for all phases.
//!
//! A row describes a function completely: its names here and elsewhere, value, derivative, cost and
//! growth, and the centres of pulses that it makes. The parser takes names from the table,
//! `simplify` and `check` take values, and `derive` takes derivatives. `emit` and `translate` take
//! the methods of lane numbers. A new elementary function needs a row here and a lane program in
//! `ode-core/src/math`; `docs/extending.md` lists the steps.
//!
//! The phases contain everything else: the identities of `+ - * /` and of powers (`simplify`), and
//! the points at which comparisons, absolute values and signs change (`breaks`).

mod table;
#[cfg(test)]
mod tests;

use self::table::ROWS;
pub use self::table::{Binary, Unary};
use crate::derive::{Derivation, Gradient};
use crate::graph::{Graph, Id};

/// A function of one number, as a node of the graph.
#[derive(Clone, Copy)]
pub(crate) struct UnaryRow {
    /// Its name in Rust, as a method of floats; operators have none.
    pub name: Option<&'static str>,
    /// The method of `Real`, and the name of the lane program if it [is one](Self::program).
    pub method: &'static str,
    /// Its names in other languages and libraries.
    pub elsewhere: &'static [&'static str],
    /// Its value in `f64`, for checks, the interpreter, and literals if it [folds](Self::folds).
    ///
    /// Rust's own function is used if it is the same.
    pub value: fn(f64) -> f64,
    /// Its derivative as a function of the argument and the value, in this order.
    ///
    /// `None` if `derive` has a rule for it.
    pub slope: Option<fn(&mut Graph, Id, Id) -> Id>,
    pub cost: Cost,
    /// Whether it is a lane program of the module `math`.
    ///
    /// Otherwise it is an operation of lane numbers.
    pub program: bool,
    /// Whether its value for a literal is a literal.
    ///
    /// This requires that [`value`](Self::value) is correctly rounded.
    pub folds: bool,
    /// The growth of a function that overflows for ordinary arguments.
    ///
    /// Derivatives of such a function are computed relative to its value.
    pub growth: Option<Growth>,
    pub middle: Middle,
}

/// A function of two numbers, as a node of the graph.
#[derive(Clone, Copy)]
pub(crate) struct BinaryRow {
    /// The same fields as for functions of one number; see [`UnaryRow`].
    pub name: Option<&'static str>,
    pub method: &'static str,
    pub elsewhere: &'static [&'static str],
    pub value: fn(f64, f64) -> f64,
    /// The gradient of the node `id` for its two arguments.
    pub rule: fn(&mut Derivation<'_>, Id, [Id; 2]) -> Gradient,
    pub cost: Cost,
    pub program: bool,
    pub folds: bool,
    /// The centres of pulses, for either argument.
    pub middle: Middle,
}

/// A function of the language that is not one node of the graph.
#[derive(Clone, Copy)]
pub(crate) struct OtherRow {
    pub name: &'static str,
    pub elsewhere: &'static [&'static str],
    pub function: Function,
    /// The number of arguments, including the receiver.
    pub arguments: usize,
}

/// The kind under which `ode_core::report::Operations` counts an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cost {
    /// No operation of its own, for example a change of sign.
    Free,
    Sum,
    Product,
    /// A fused multiply-add.
    Fused,
    /// A division or a square root.
    Quotient,
    /// An elementary function.
    Function,
    /// A comparison, a selection, a lookup, or a minimum.
    Choice,
}

impl Cost {
    /// Returns the index of the count of this kind.
    pub(crate) fn position(self) -> Option<usize> {
        Some(match self {
            Cost::Free => return None,
            Cost::Sum => 0,
            Cost::Product => 1,
            Cost::Fused => 2,
            Cost::Quotient => 3,
            Cost::Function => 4,
            Cost::Choice => 5,
        })
    }
}

/// The derivative of an overflowing function relative to its value (see `derive::relative`).
///
/// All fields are finite where the function overflows.
#[derive(Clone, Copy)]
pub(crate) struct Growth {
    /// The derivative divided by the value; `None` is one.
    ///
    /// It is a function of argument and value.
    pub relative: fn(&mut Graph, Id, Id) -> Option<Id>,
    /// The factor of the derivative that may overflow, as a function of the value.
    pub size: fn(&mut Graph, Id) -> Id,
    /// The factor of the derivative that cannot overflow; `None` is one.
    ///
    /// It is a function of the argument.
    pub rate: fn(&mut Graph, Id) -> Option<Id>,
}

/// The centre of a pulse or step in time that this function makes (`breaks::middles`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Middle {
    /// No centre, or too many.
    None,
    /// The times at which the derivative of the argument is zero.
    Turn,
    /// The times at which the argument or its derivative is zero.
    ZeroOrTurn,
    /// The times of `Turn`, and times at which terms of `1 + argument` are equal.
    TurnOfOneMore,
}

/// A function by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Function {
    Unary(Unary),
    Binary(Binary),
    Powi,
    Recip,
    MulAdd,
    /// A function that consists of a few operations, see `compose`.
    Composed(Composed),
    /// A function with a truth value.
    Predicate(Predicate),
    /// The sine and the cosine, as a tuple.
    SinCos,
    /// The length of an array.
    Len,
}

/// A function that consists of a few operations of the graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Composed {
    Log,
    Clamp,
    Signum,
    Ceil,
    Trunc,
    Round,
    Fract,
    ToRadians,
    ToDegrees,
    RemEuclid,
    DivEuclid,
}

/// A predicate of a float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predicate {
    Nan,
    Finite,
    Infinite,
    SignPositive,
    SignNegative,
}

/// The fields of a row that all kinds of functions share.
struct Row {
    name: Option<&'static str>,
    elsewhere: &'static [&'static str],
    function: Function,
    arguments: usize,
}

impl Row {
    const fn unary(function: Unary) -> Row {
        let UnaryRow { name, elsewhere, .. } = *function.row();
        Row { name, elsewhere, function: Function::Unary(function), arguments: 1 }
    }

    const fn binary(function: Binary) -> Row {
        let BinaryRow { name, elsewhere, .. } = *function.row();
        Row { name, elsewhere, function: Function::Binary(function), arguments: 2 }
    }

    const fn other(row: OtherRow) -> Row {
        let OtherRow { name, elsewhere, function, arguments } = row;
        Row { name: Some(name), elsewhere, function, arguments }
    }
}

impl Function {
    /// Returns the names of all functions, in order.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().filter_map(|row| row.name)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == Some(name)).map(|row| row.function)
    }

    /// Returns the name here of a function with the given name elsewhere.
    pub(crate) fn from_elsewhere(name: &str) -> Option<&'static str> {
        ROWS.iter().find(|row| row.elsewhere.contains(&name)).and_then(|row| row.name)
    }

    /// Returns the function if integers have it, too.
    pub(crate) fn of_integers(name: &str) -> Option<Self> {
        let names = ["min", "max", "abs", "rem_euclid", "div_euclid"];
        names.contains(&name).then(|| Self::from_name(name)).flatten()
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.function == self)
    }

    /// Returns the name; empty for operators.
    pub(crate) fn name(self) -> &'static str {
        self.row().and_then(|row| row.name).unwrap_or_default()
    }

    /// Returns the number of arguments, including the receiver.
    pub(crate) fn arguments(self) -> usize {
        self.row().map_or(0, |row| row.arguments)
    }
}

/// Returns the names of the lane programs of the module `math`, in order.
pub(crate) fn lane_programs() -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter_map(|row| match row.function {
        Function::Unary(function) if function.row().program => Some(function.row().method),
        Function::Binary(function) if function.row().program => Some(function.row().method),
        _ => None,
    })
}
