//! Types and variables.

use std::rc::Rc;

/// A type, with the range of the integers in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    Float,
    /// `usize` or `i32`, between the two numbers.
    Integer(&'static str, i64, i64),
    /// A truth value known at compile time.
    Known,
    /// A truth value that depends on the state.
    Mask,
    Array(Box<Type>, usize),
    Tuple(Vec<Type>),
    Struct(Rc<Struct>),
    Function(Rc<Signature>),
}

/// A struct with named fields.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Struct {
    pub name: String,
    pub fields: Vec<(String, Type)>,
}

/// The type of a function or a closure, and the cost of a call.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Signature {
    pub parameters: Vec<Parameter>,
    pub result: Type,
    pub cost: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Parameter {
    pub ty: Type,
    pub reference: bool,
}

impl Type {
    pub(super) fn floats(length: usize) -> Type {
        Type::Array(Box::new(Type::Float), length)
    }

    /// Returns the type of an index below `length`.
    pub(super) fn index(length: usize) -> Type {
        Type::Integer("usize", 0, length as i64 - 1)
    }

    /// Returns the type in Rust's notation.
    pub(super) fn text(&self) -> String {
        match self {
            Type::Float => "f64".to_owned(),
            Type::Integer(name, ..) => (*name).to_owned(),
            Type::Known | Type::Mask => "bool".to_owned(),
            Type::Array(element, length) => format!("[{}; {length}]", element.text()),
            Type::Tuple(elements) => {
                let elements: Vec<String> = elements.iter().map(Type::text).collect();
                format!("({})", elements.join(", "))
            }
            Type::Struct(structure) => structure.name.clone(),
            Type::Function(signature) => {
                let parameters: Vec<String> =
                    signature.parameters.iter().map(Parameter::text).collect();
                format!("impl Fn({}) -> {}", parameters.join(", "), signature.result.text())
            }
        }
    }

    /// Returns whether a value contains a value of a kind, at any depth.
    pub(super) fn holds(&self, wanted: &dyn Fn(&Type) -> bool) -> bool {
        wanted(self)
            || match self {
                Type::Array(element, _) => element.holds(wanted),
                Type::Tuple(elements) => elements.iter().any(|element| element.holds(wanted)),
                Type::Struct(structure) => structure.fields.iter().any(|(_, ty)| ty.holds(wanted)),
                _ => false,
            }
    }

    /// Returns whether rustc considers the types equal; ranges do not matter.
    pub(super) fn same(&self, other: &Type) -> bool {
        self.text() == other.text()
    }

    /// Returns the number of floats in a value.
    pub(super) fn size(&self) -> usize {
        match self {
            Type::Array(element, length) => element.size() * length,
            Type::Tuple(elements) => elements.iter().map(Type::size).sum(),
            Type::Struct(structure) => structure.fields.iter().map(|(_, ty)| ty.size()).sum(),
            Type::Float => 1,
            _ => 0,
        }
    }
}

impl Parameter {
    pub(super) fn text(&self) -> String {
        format!("{}{}", if self.reference { "&" } else { "" }, self.ty.text())
    }
}

/// The role of a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    Local,
    /// A constant or a function, which functions can use too.
    Item,
    /// The derivatives, which closures cannot capture.
    Derivatives,
    /// A function among the arguments of a function; it cannot be copied.
    Callback,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub ty: Type,
    pub role: Role,
    /// Whether it can be assigned to.
    pub mutable: bool,
    /// Whether it is a reference to a value of the type.
    pub reference: bool,
    /// Whether the declaration determines its type: `for i in 0..3` does not.
    pub typed: bool,
    /// The number of branches on the state around its declaration.
    pub branches: usize,
}

impl Variable {
    pub(super) fn new(name: &str, ty: Type, branches: usize) -> Self {
        let (name, role) = (name.to_owned(), Role::Local);
        Variable { name, ty, role, mutable: false, reference: false, typed: true, branches }
    }

    pub(super) fn item(&mut self) {
        self.role = Role::Item;
    }

    pub(super) fn mutable(&mut self) {
        self.mutable = true;
    }

    pub(super) fn reference(&mut self, reference: bool) {
        self.reference = reference;
    }

    pub(super) fn can_be_shadowed(&self) -> bool {
        self.role == Role::Local && !matches!(self.name.as_str(), "u" | "p")
    }
}

/// The set of usable variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum View {
    All,
    /// In the value of a constant and at the head of a function.
    Items,
    /// In a closure that captures copies.
    Copies,
    /// In a closure that borrows.
    Unchanging,
    /// Local variables.
    Computed,
}

impl View {
    pub(super) fn shows(self, variable: &Variable) -> bool {
        match self {
            View::All => true,
            View::Items => variable.role == Role::Item,
            View::Copies => !matches!(variable.role, Role::Derivatives | Role::Callback),
            View::Unchanging => variable.role != Role::Derivatives && !variable.mutable,
            View::Computed => {
                variable.role == Role::Local && !matches!(variable.name.as_str(), "u" | "p" | "t")
            }
        }
    }
}
