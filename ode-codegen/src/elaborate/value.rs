//! What an expression evaluates to while the graph is built.

use std::rc::Rc;

use super::call::Closure;
use super::integer::Integer;
use crate::graph::Id;

/// A value of the subset.
#[derive(Clone, PartialEq)]
pub(super) enum Value<'a> {
    /// A number of the lanes: a node of the graph.
    Real(Id),
    /// A truth value known at compile time.
    Bool(bool),
    /// A truth value per lane: a node of the graph.
    Mask(Id),
    Integer(Integer),
    /// An integer that differs between the branches of an `if` on lanes.
    LaneInteger,
    /// Shared: arrays are passed to functions, and looked at again after a branch.
    Array(Rc<Vec<Value<'a>>>),
    Tuple(Rc<Vec<Value<'a>>>),
    /// What an iterator gives, one after another.
    Iterator(Vec<Value<'a>>),
    /// A closure or a function.
    Closure(Closure<'a>),
    Unit,
    /// Declared and not assigned, or not on every path: then the `if` that differs.
    Unset(Option<Partly<'a>>),
    /// The result of a mistake that has been reported.
    Poison,
}

/// The `if` in only one branch of which a variable is assigned.
#[derive(Clone, Copy)]
pub(super) struct Partly<'a> {
    pub token: &'a syn::token::If,
    pub position: u32,
}

impl PartialEq for Partly<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.position == other.position
    }
}

impl<'a> Value<'a> {
    pub(super) fn array(elements: Vec<Value<'a>>) -> Self {
        Value::Array(Rc::new(elements))
    }

    pub(super) fn tuple(elements: Vec<Value<'a>>) -> Self {
        Value::Tuple(Rc::new(elements))
    }

    /// What a loop over it gives.
    pub(super) fn items(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(items) => Some(items),
            Value::Iterator(items) => Some(items),
            _ => None,
        }
    }

    /// In words, with an article.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Real(_) => "a float",
            Value::Bool(_) | Value::Mask(_) => "a truth value",
            Value::Integer(_) | Value::LaneInteger => "an integer",
            Value::Array(_) => "an array",
            Value::Tuple(_) => "a tuple",
            Value::Iterator(_) => "an iterator",
            Value::Closure(_) => "a function",
            Value::Unit => "nothing",
            Value::Unset(_) | Value::Poison => "an unknown value",
        }
    }
}
