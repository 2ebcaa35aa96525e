//! The functions of the language: one table, from which all phases read.
//!
//! A row has everything about a function: its name here and elsewhere, its value, its derivative,
//! its cost, its growth, and the middles of pulses made of it. The parser finds names here,
//! `simplify` and `check` values, `derive` derivatives, `emit` and `translate` the methods of lane
//! numbers. To add an elementary function is to add a row, and its lane program to
//! `ode-core/src/math`: `docs/extending.md` has the steps.
//!
//! What is left to the phases is what a row cannot say: the identities of `+ - * /` and of powers
//! (`simplify`), and what comparisons, absolute values and signs change at (`breaks`).

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
    /// The method of `Real`, and the lane program if it [is one](Self::program).
    pub method: &'static str,
    /// Its names in other languages and libraries.
    pub elsewhere: &'static [&'static str],
    /// Its value in `f64`, by Rust's own function where that is the same: for checks, the
    /// interpreter, and literals where it [folds](Self::folds).
    pub value: fn(f64) -> f64,
    /// Its derivative at `x`, where its value is `y`, of `x` and `y` in this order. `None`: it has
    /// a rule in `derive`.
    pub slope: Option<fn(&mut Graph, Id, Id) -> Id>,
    pub cost: Cost,
    /// Whether it is a lane program of the module `math`, not an operation of lane numbers.
    pub program: bool,
    /// Whether its value of a literal is a literal: only where [`value`](Self::value) is correctly
    /// rounded.
    pub folds: bool,
    /// Of functions that overflow for ordinary arguments, so that their derivatives are taken
    /// relative to them.
    pub growth: Option<Growth>,
    pub middle: Middle,
}

/// A function of two numbers, as a node of the graph.
#[derive(Clone, Copy)]
pub(crate) struct BinaryRow {
    /// The fields that functions of one number have, too; see [`UnaryRow`].
    pub name: Option<&'static str>,
    pub method: &'static str,
    pub elsewhere: &'static [&'static str],
    pub value: fn(f64, f64) -> f64,
    /// The gradient of the node, which is this function of the other two.
    pub rule: fn(&mut Derivation<'_>, Id, [Id; 2]) -> Gradient,
    pub cost: Cost,
    pub program: bool,
    pub folds: bool,
    /// The middles, by either argument.
    pub middle: Middle,
}

/// A function of the language that is not one node of the graph.
#[derive(Clone, Copy)]
pub(crate) struct OtherRow {
    pub name: &'static str,
    pub elsewhere: &'static [&'static str],
    pub function: Function,
    /// The number of arguments, the receiver included.
    pub arguments: usize,
}

/// The kind as which an operation is counted in `ode_core::report::Operations`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Cost {
    /// No operation of its own, such as a change of sign.
    Free,
    Sum,
    Product,
    /// A fused multiply-add.
    Fused,
    /// A division or a square root.
    Quotient,
    /// An elementary function.
    Function,
    /// A comparison, a selection, a look-up, a minimum.
    Choice,
}

impl Cost {
    /// The position of the count of this kind.
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

/// How a function that overflows has its derivative relative to itself (see `derive::relative`).
/// All are finite where the function is not.
#[derive(Clone, Copy)]
pub(crate) struct Growth {
    /// The derivative divided by the value, of the argument and the value; `None` is one.
    pub relative: fn(&mut Graph, Id, Id) -> Option<Id>,
    /// The derivative as a product: the factor that may overflow, of the value.
    pub size: fn(&mut Graph, Id) -> Id,
    /// The factor that does not overflow, of the argument; `None` is one.
    pub rate: fn(&mut Graph, Id) -> Option<Id>,
}

/// The place of the middle of a pulse or a step in time that is made by this function
/// (`breaks::middles`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Middle {
    /// Nowhere, or too often.
    None,
    /// The times at which the argument turns.
    Turn,
    /// The times at which the argument turns, and those at which it is zero.
    ZeroOrTurn,
    /// The times at which the argument turns, or exponentials in one more than it are equal.
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
    /// A function that is a few operations: `compose` says which.
    Composed(Composed),
    /// A truth value.
    Predicate(Predicate),
    /// The sine and the cosine, as a tuple.
    SinCos,
    /// The number of elements of an array.
    Len,
}

/// A function that is a few operations of the graph.
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

/// A question about a float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Predicate {
    Nan,
    Finite,
    Infinite,
    SignPositive,
    SignNegative,
}

/// The part of a row that all kinds of functions have.
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
    /// The names of all, in order.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        ROWS.iter().filter_map(|row| row.name)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        ROWS.iter().find(|row| row.name == Some(name)).map(|row| row.function)
    }

    /// The name here of a function that has the given name elsewhere.
    pub(crate) fn from_elsewhere(name: &str) -> Option<&'static str> {
        ROWS.iter().find(|row| row.elsewhere.contains(&name)).and_then(|row| row.name)
    }

    /// Whether integers have the function, too.
    pub(crate) fn of_integers(name: &str) -> Option<Self> {
        let names = ["min", "max", "abs", "rem_euclid", "div_euclid"];
        names.contains(&name).then(|| Self::from_name(name)).flatten()
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.function == self)
    }

    /// The name; empty for operators.
    pub(crate) fn name(self) -> &'static str {
        self.row().and_then(|row| row.name).unwrap_or_default()
    }

    /// The number of arguments, the receiver included.
    pub(crate) fn arguments(self) -> usize {
        self.row().map_or(0, |row| row.arguments)
    }
}

/// The names of the lane programs of the module `math`, in order.
pub(crate) fn lane_programs() -> impl Iterator<Item = &'static str> {
    ROWS.iter().filter_map(|row| match row.function {
        Function::Unary(function) if function.row().program => Some(function.row().method),
        Function::Binary(function) if function.row().program => Some(function.row().method),
        _ => None,
    })
}
