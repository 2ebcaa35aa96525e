//! The values of expressions while the graph is built.

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
    /// A truth value per lane: a node of the graph.
    Mask(Id),
    Integer(Integer),
    /// An integer that differs between the branches of an `if` on lanes.
    LaneInteger,
    /// An array. It is shared, since arrays are passed to functions and compared after a branch.
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
    /// A function of floats.
    Function(Function),
    Unit,
    /// Declared and not assigned, or not on every path: then the `if` that differs.
    Unset(Option<Partly<'a>>),
    /// The result of a mistake that has been reported.
    Poison,
}

/// An `if` in only one branch of which a variable is assigned.
#[derive(Clone, Copy)]
pub(super) struct Partly<'a> {
    pub token: &'a syn::token::If,
    pub position: u32,
    /// Whether there is another branch.
    pub otherwise: bool,
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Most values that are compared share their elements, which is quicker to see than that
        // they are equal.
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

    /// The items of a loop over the value.
    pub(super) fn items(&self) -> Option<&[Value<'a>]> {
        match self {
            Value::Array(items) => Some(items),
            Value::Iterator(items) => Some(items),
            _ => None,
        }
    }

    /// The values that it is made of.
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

    /// All values in it that are made of no others, in order, each with where it is, as in
    /// `name.field[2]`.
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

    /// A description in words, with an article.
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
