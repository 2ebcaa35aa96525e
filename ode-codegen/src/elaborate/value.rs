//! The values of expressions during elaboration.

use std::rc::Rc;

use super::call::Closure;
use super::integer::Integer;
use crate::ast::Struct;
use crate::functions::Function;
use crate::graph::Id;

/// A value of the subset.
#[derive(Clone)]
pub(super) enum Value<'a> {
    /// A number of the lanes: a node of the graph.
    Real(Id),
    /// A truth value known at compile time.
    Bool(bool),
    /// A truth value for each lane: a node of the graph.
    Mask(Id),
    Integer(Integer),
    /// An integer that differs between the branches of an `if` on lanes.
    LaneInteger,
    /// An array, shared because arrays are passed to functions and compared after branches.
    Array(Rc<Vec<Value<'a>>>),
    Tuple(Rc<Vec<Value<'a>>>),
    /// The values of the fields, in the order of their declaration.
    Struct(Rc<Struct<'a>>, Rc<Vec<Value<'a>>>),
    /// The name of a struct.
    Type(Rc<Struct<'a>>),
    /// The items of an iterator, in order.
    Iterator(Vec<Value<'a>>),
    /// A closure or a function.
    Closure(Closure<'a>),
    /// A float function.
    Function(Function),
    Unit,
    /// A variable that is unassigned on some or all paths.
    ///
    /// If one side of an `if` assigns the variable, this is the `if`.
    Unset(Option<Partly<'a>>),
    /// The result of an error that has been reported.
    Poison,
}

/// An `if` that assigns a variable in only one branch.
#[derive(Clone, Copy)]
pub(super) struct Partly<'a> {
    pub token: &'a syn::token::If,
    pub position: u32,
    /// Whether the `if` has an `else`.
    pub otherwise: bool,
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Most compared values share their elements, and comparing pointers is faster than
        // comparing elements.
        let equal = |a: &Rc<Vec<_>>, b: &Rc<Vec<_>>| Rc::ptr_eq(a, b) || a == b;
        match (self, other) {
            (Value::Real(a), Value::Real(b)) | (Value::Mask(a), Value::Mask(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Integer(a), Value::Integer(b)) => a == b,
            (Value::Array(a), Value::Array(b)) | (Value::Tuple(a), Value::Tuple(b)) => equal(a, b),
            (Value::Struct(of_a, a), Value::Struct(of_b, b)) => {
                Rc::ptr_eq(of_a, of_b) && equal(a, b)
            }
            (Value::Type(a), Value::Type(b)) => Rc::ptr_eq(a, b),
            (Value::Iterator(a), Value::Iterator(b)) => a == b,
            (Value::Closure(a), Value::Closure(b)) => a == b,
            (Value::Function(a), Value::Function(b)) => a == b,
            (Value::Unset(a), Value::Unset(b)) => a == b,
            (Value::LaneInteger, Value::LaneInteger)
            | (Value::Unit, Value::Unit)
            | (Value::Poison, Value::Poison) => true,
            _ => false,
        }
    }
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

    /// Returns the items of a loop over the value.
    pub(super) fn items(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(items) => Some(items),
            Value::Iterator(items) => Some(items),
            _ => None,
        }
    }

    /// Returns the elements of an array, tuple or struct.
    pub(super) fn elements(&self) -> Option<&Rc<Vec<Value<'a>>>> {
        match self {
            Value::Array(elements) | Value::Tuple(elements) | Value::Struct(_, elements) => {
                Some(elements)
            }
            _ => None,
        }
    }

    pub(super) fn elements_mut(&mut self) -> Option<&mut Vec<Value<'a>>> {
        match self {
            Value::Array(elements) | Value::Tuple(elements) | Value::Struct(_, elements) => {
                Some(Rc::make_mut(elements))
            }
            _ => None,
        }
    }

    /// Collects all values without elements, in order, each with its path, such as `name.field[2]`.
    pub(super) fn leaves(&self, name: String, found: &mut Vec<(String, Value<'a>)>) {
        match self {
            Value::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    element.leaves(format!("{name}[{index}]"), found);
                }
            }
            Value::Tuple(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    element.leaves(format!("{name}.{index}"), found);
                }
            }
            Value::Struct(definition, elements) => {
                for (field, element) in definition.fields.iter().zip(elements.iter()) {
                    element.leaves(format!("{name}.{}", field.name), found);
                }
            }
            other => found.push((name, other.clone())),
        }
    }

    /// Returns a description in words, with an article.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Value::Real(_) => "a float",
            Value::Bool(_) | Value::Mask(_) => "a truth value",
            Value::Integer(_) | Value::LaneInteger => "an integer",
            Value::Array(_) => "an array",
            Value::Tuple(_) => "a tuple",
            Value::Struct(..) => "a struct",
            Value::Type(_) => "the name of a struct",
            Value::Iterator(_) => "an iterator",
            Value::Closure(_) | Value::Function(_) => "a function",
            Value::Unit => "nothing",
            Value::Unset(_) | Value::Poison => "an unknown value",
        }
    }
}
