//! The accepted subset of Rust as a syntax tree.
//!
//! The tree borrows from syn's tree, for the tokens that errors point at. Constructs outside the
//! subset are not represented. The parser has reported them and left an [`ExprKind::Error`]. Later
//! phases process [`ExprKind::Error`] silently, so that each mistake causes one error.
//!
//! A system is a function (`system/function.rs`) or a module (`system/module.rs`). After the parser
//! both are a set of functions with shared items.

mod event;
mod feature;
mod jump;
mod noise;
mod outside;
mod purpose;
mod timed;

use std::rc::Rc;

use proc_macro2::Ident;

use crate::functions::Function;
use crate::graph::Comparison;

pub(crate) use self::event::{Clause, Condition, Event};
pub(crate) use self::feature::{Feature, FeatureKind};
pub(crate) use self::jump::{Jump, Law};
pub(crate) use self::noise::{Calculus, Noise};
pub(crate) use self::outside::Outside;
pub(crate) use self::purpose::Purpose;
pub(crate) use self::timed::{Timed, Times, Timetable};

/// A system: its right-hand side and the other functions and items that belong to it.
pub(crate) struct System<'a> {
    /// The name of the function, or of the module.
    pub name: &'a Ident,
    pub scalar: Scalar,
    /// The constants, functions and structs of a module, which are visible to all parts.
    pub items: Block<'a>,
    pub rhs: Part<'a>,
    /// The other functions of the system, except those that only other parts call.
    pub others: Vec<(Purpose, Part<'a>)>,
    /// The events, in the order of their functions in `others`.
    pub events: Vec<Event<'a>>,
    /// The scheduled actions, in the order of their functions in `others`.
    pub timed: Vec<Timed<'a>>,
    /// The conditions at the ends of steps, in the order of their functions in `others`.
    pub conditions: Vec<Condition<'a>>,
    /// The jumps, in the order of their functions in `others`.
    pub jumps: Vec<Jump<'a>>,
    /// The functions with features, in the order of their functions in `others`.
    pub features: Vec<Feature<'a>>,
    /// The noise, if there is any.
    pub noise: Option<Noise<'a>>,
    pub mass: Option<MassMatrix<'a>>,
    /// The `use` declarations at the head of a function's body, which constants may need.
    pub uses: Vec<&'a syn::ItemUse>,
    /// Whether a rejected construct may contain assignments: missing assignments are then no
    /// errors.
    pub opaque: bool,
    /// Whether a rejected pattern may declare variables: unknown variables are then no errors.
    pub hidden_names: bool,
}

impl<'a> System<'a> {
    /// Returns the function of a purpose that at most one function has.
    pub(crate) fn other(&self, purpose: Purpose) -> Option<&Part<'a>> {
        self.others.iter().find(|(other, _)| *other == purpose).map(|(_, part)| part)
    }
}

/// The float type of a system. A type parameter counts as `f64`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scalar {
    F64,
    F32,
}

impl Scalar {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "f64" => Some(Scalar::F64),
            "f32" => Some(Scalar::F32),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Scalar::F64 => "f64",
            Scalar::F32 => "f32",
        }
    }
}

/// A function of state, parameters and time.
pub(crate) struct Part<'a> {
    pub name: &'a Ident,
    /// The types of state, parameters, modes and result; parameters and modes are optional.
    pub state: Typed<'a>,
    pub parameters: Option<Typed<'a>>,
    pub modes: Option<Typed<'a>>,
    pub result: Typed<'a>,
    /// The argument that receives the results; without it the function returns them.
    pub out: Option<&'a Ident>,
    /// The names of the arguments; `None` for `_`, which cannot be used.
    pub u: Option<&'a Ident>,
    pub p: Option<&'a Ident>,
    pub m: Option<&'a Ident>,
    pub t: Option<&'a Ident>,
    /// The random number that the action of a jump receives.
    pub random: Option<&'a Ident>,
    pub body: Block<'a>,
}

/// The constant matrix that multiplies the derivatives with respect to time.
pub(crate) struct MassMatrix<'a> {
    pub name: &'a Ident,
    pub ty: Typed<'a>,
    pub value: &'a syn::Expr,
}

/// A type in its original syntax, and its shape.
pub(crate) struct Typed<'a> {
    pub shape: Shape<'a>,
    pub syntax: &'a syn::Type,
}

/// A type with a fully known structure: a state's, or a struct field's.
pub(crate) enum Shape<'a> {
    Float,
    Array(Box<Shape<'a>>, Box<Expr<'a>>),
    Struct(&'a Ident),
    /// Any other type.
    Other(&'a syn::Type),
}

/// A struct with named fields.
pub(crate) struct Struct<'a> {
    pub name: &'a Ident,
    pub fields: Vec<Field<'a>>,
}

pub(crate) struct Field<'a> {
    pub name: &'a Ident,
    pub ty: Type,
    pub shape: Shape<'a>,
}

impl Struct<'_> {
    /// Returns the position of a field.
    pub(crate) fn position(&self, name: &Ident) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }
}

/// Statements, and the value of the last expression.
#[derive(Default)]
pub(crate) struct Block<'a> {
    pub structs: Vec<Rc<Struct<'a>>>,
    /// `fn` items, visible in the whole block.
    pub functions: Vec<(&'a Ident, Rc<Callable<'a>>)>,
    pub constants: Vec<Constant<'a>>,
    pub statements: Vec<Statement<'a>>,
    pub value: Option<Box<Expr<'a>>>,
}

/// `const NAME: type = value;` inside the function.
pub(crate) struct Constant<'a> {
    pub name: &'a Ident,
    pub ty: Type,
    pub value: Expr<'a>,
    /// The names in the constant's value.
    pub names: Vec<&'a Ident>,
}

impl Constant<'_> {
    pub(crate) fn mentions(&self, name: &Ident) -> bool {
        self.names.contains(&name)
    }
}

pub(crate) enum Statement<'a> {
    Let { pattern: Pattern<'a>, ty: Type, value: Option<Expr<'a>> },
    Expr(Expr<'a>),
}

pub(crate) enum Pattern<'a> {
    Ignore,
    Name(&'a Ident),
    /// `name @ pattern`, in a `match`.
    Bind(&'a Ident, Box<Pattern<'a>>),
    /// Elements of an array or a tuple.
    Sequence {
        elements: Vec<Pattern<'a>>,
        rest: Option<Rest<'a>>,
        position: u32,
        syntax: &'a syn::Pat,
    },
    /// `Name { a, b: pattern, .. }`
    Struct {
        name: &'a Ident,
        fields: Vec<(&'a Ident, Pattern<'a>)>,
        rest: bool,
        position: u32,
    },
    /// A number, in a `match`.
    Integer(i128, Option<IntegerType>, u32),
    /// A truth value, in a `match`.
    Bool(bool),
    /// A constant by its name, in a `match`.
    Constant(&'a Ident, u32),
    /// A range, in a `match`; the bounds are constants.
    Range {
        start: Option<Box<Expr<'a>>>,
        end: Option<Box<Expr<'a>>>,
        inclusive: bool,
    },
    /// One of several patterns, in a `match`.
    Or(Vec<Pattern<'a>>),
    /// A pattern that was rejected and reported: it matches nothing and everything.
    Error,
}

/// `..` among elements, or `name @ ..`.
pub(crate) struct Rest<'a> {
    pub position: usize,
    pub name: Option<&'a Ident>,
}

/// The numeric part of a type ascription; rustc checks the rest.
#[derive(Clone)]
pub(crate) enum Type {
    /// A type without numeric content: a truth value, `_`.
    Other,
    /// A float, or arrays of them.
    Float,
    /// An integer, or arrays of them.
    Integer(IntegerType),
    Tuple(Vec<Type>),
}

/// A user's function or closure.
pub(crate) struct Callable<'a> {
    /// The name of a function; closures have none.
    pub name: Option<&'a Ident>,
    pub parameters: Vec<(Pattern<'a>, Type)>,
    /// The parameter types that determine the function's const generics.
    pub lengths: Vec<(usize, &'a syn::Type)>,
    /// The names of the const generics.
    pub generics: Vec<&'a Ident>,
    pub result: Type,
    pub body: Block<'a>,
    /// The names in the body of a closure, which may be outer variables.
    pub names: Vec<&'a Ident>,
}

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct IntegerType {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
}

impl IntegerType {
    const fn new(name: &'static str, bits: u32, signed: bool) -> Self {
        IntegerType { name, bits, signed }
    }

    pub(crate) const USIZE: IntegerType = IntegerType::new("usize", 64, false);
    pub(crate) const I32: IntegerType = IntegerType::new("i32", 32, true);
    pub(crate) const U32: IntegerType = IntegerType::new("u32", 32, false);

    const ALL: [IntegerType; 12] = [
        IntegerType::new("u8", 8, false),
        IntegerType::new("u16", 16, false),
        IntegerType::U32,
        IntegerType::new("u64", 64, false),
        IntegerType::new("u128", 128, false),
        IntegerType::USIZE,
        IntegerType::new("i8", 8, true),
        IntegerType::new("i16", 16, true),
        IntegerType::I32,
        IntegerType::new("i64", 64, true),
        IntegerType::new("i128", 128, true),
        IntegerType::new("isize", 64, true),
    ];

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ty| ty.name == name)
    }
}

pub(crate) struct Expr<'a> {
    /// The number of the expression or assignment target, in source order.
    pub id: u32,
    pub kind: ExprKind<'a>,
    pub syntax: &'a syn::Expr,
}

pub(crate) enum ExprKind<'a> {
    /// An expression that was rejected and reported.
    Error,
    Float(f64),
    Integer(i128, Option<IntegerType>),
    Bool(bool),
    /// A variable, or a constant from outside the function.
    Path(&'a syn::Path),
    Neg(Box<Expr<'a>>),
    Not(Box<Expr<'a>>),
    Arithmetic(Arithmetic, Box<Expr<'a>>, Box<Expr<'a>>),
    Compare(Relation, Box<Expr<'a>>, Box<Expr<'a>>),
    /// `&&`
    And(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `||`
    Or(Box<Expr<'a>>, Box<Expr<'a>>),
    Cast(Box<Expr<'a>>, Cast),
    Index(Box<Expr<'a>>, Box<Expr<'a>>),
    /// `tuple.0`, `state.name`
    Field(Box<Expr<'a>>, Member<'a>),
    /// `Name { a, b: value, ..base }`
    Struct {
        name: &'a Ident,
        fields: Vec<(&'a Ident, Expr<'a>)>,
        base: Option<Box<Expr<'a>>>,
    },
    /// `R::select(condition, a, b)`
    Select(Box<Expr<'a>>, Box<Expr<'a>>, Box<Expr<'a>>),
    Tuple(Vec<Expr<'a>>),
    Array(Vec<Expr<'a>>),
    /// `[value; count]`
    Repeat(Box<Expr<'a>>, Box<Expr<'a>>),
    /// A numeric function, as a method or as `f64::name`; errors point at `name`.
    Call {
        function: Function,
        arguments: Vec<Expr<'a>>,
        name: &'a Ident,
    },
    /// `interp_linear(table, position)`
    Interpolate {
        interpolation: Interpolation,
        table: Box<Expr<'a>>,
        position: Box<Expr<'a>>,
        name: &'a Ident,
    },
    /// `interp_linear_at(abscissae, values, position)`
    InterpolateAt {
        abscissae: Box<Expr<'a>>,
        values: Box<Expr<'a>>,
        position: Box<Expr<'a>>,
        name: &'a Ident,
    },
    Block(Block<'a>),
    If {
        token: &'a syn::token::If,
        condition: Box<Expr<'a>>,
        then: Block<'a>,
        otherwise: Option<Box<Expr<'a>>>,
    },
    /// `place = value`, or `place op= value`.
    Assign {
        place: Place<'a>,
        operation: Option<Arithmetic>,
        value: Box<Expr<'a>>,
    },
    /// `[a, b] = value`, `(a, b) = value`.
    Destructure {
        target: Target<'a>,
        value: Box<Expr<'a>>,
    },
    /// `start..end`, `start..=end`
    Range {
        start: Box<Expr<'a>>,
        end: Box<Expr<'a>>,
        inclusive: bool,
    },
    /// A call of a method of arrays and iterators; `of` is the type in `sum::<f64>()`.
    Method {
        method: Method,
        receiver: Box<Expr<'a>>,
        arguments: Vec<Expr<'a>>,
        of: Type,
        name: &'a Ident,
    },
    /// A float function by its path, such as `f64::sqrt`, as a value.
    Function(Function),
    /// `std::array::from_fn(function)`
    FromFn {
        length: Option<Box<Expr<'a>>>,
        function: Box<Expr<'a>>,
    },
    Closure(Rc<Callable<'a>>),
    /// A call of a method of a user's struct.
    ///
    /// `otherwise` is the predeclared method of the same name.
    Methods {
        receiver: Box<Expr<'a>>,
        arguments: Vec<Expr<'a>>,
        name: &'a Ident,
        otherwise: Option<Known>,
    },
    /// `Struct::function(arguments)`
    Associated {
        function: Ident,
        arguments: Vec<Expr<'a>>,
        name: &'a Ident,
    },
    /// A call of a user's function or closure.
    Invoke {
        name: &'a Ident,
        arguments: Vec<Expr<'a>>,
    },
    Match {
        scrutinee: Box<Expr<'a>>,
        arms: Vec<Arm<'a>>,
    },
    For {
        label: Option<&'a Ident>,
        pattern: Pattern<'a>,
        iterated: Box<Expr<'a>>,
        body: Block<'a>,
    },
    /// `while condition { … }` or, without a condition, `loop { … }`.
    Loop {
        label: Option<&'a Ident>,
        condition: Option<Box<Expr<'a>>>,
        token: &'a dyn quote::ToTokens,
        body: Block<'a>,
    },
    Break {
        label: Option<&'a Ident>,
        value: Option<Box<Expr<'a>>>,
    },
    Continue {
        label: Option<&'a Ident>,
    },
}

/// A method that needs no declaration.
pub(crate) enum Known {
    Function(Function),
    Method(Method, Type),
}

/// An arm of a `match`.
pub(crate) struct Arm<'a> {
    pub pattern: Pattern<'a>,
    pub guard: Option<Expr<'a>>,
    pub body: Expr<'a>,
}

/// The target of an assignment: a variable, or an element of one.
pub(crate) struct Place<'a> {
    /// The number of the expression or assignment target, in source order.
    pub id: u32,
    pub root: &'a Ident,
    pub steps: Vec<Step<'a>>,
    pub syntax: &'a syn::Expr,
}

/// A step from a value to one of its elements.
pub(crate) enum Step<'a> {
    Index(Expr<'a>),
    Field(Member<'a>),
}

/// An element of a tuple, or a field of a struct.
#[derive(Clone, Copy)]
pub(crate) enum Member<'a> {
    Position(usize),
    Name(&'a Ident),
}

impl std::fmt::Display for Member<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Member::Position(position) => write!(f, "{position}"),
            Member::Name(name) => write!(f, "{name}"),
        }
    }
}

/// The left side of a destructuring assignment.
pub(crate) enum Target<'a> {
    Ignore,
    Place(Place<'a>),
    Sequence {
        elements: Vec<Target<'a>>,
        rest: Option<usize>,
        position: u32,
        syntax: &'a syn::Expr,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Is(Comparison),
    NotEqual,
}

#[derive(Clone, Copy)]
pub(crate) enum Cast {
    Float,
    Integer(IntegerType),
}

/// An interpolation between the entries of a table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Interpolation {
    Linear,
    Cubic,
    /// Linear, between points at uneven abscissae.
    LinearAt,
}

impl Interpolation {
    /// Returns the interpolation that the library's function of this name computes.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "interp_linear" => Some(Interpolation::Linear),
            "interp_cubic" => Some(Interpolation::Cubic),
            "interp_linear_at" => Some(Interpolation::LinearAt),
            _ => None,
        }
    }
}

/// Methods of arrays, iterators and integers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// Methods that have no effect, because references and copies are the same here.
    Iter,
    Rev,
    StepBy,
    Skip,
    Take,
    Enumerate,
    Zip,
    Map,
    Sum,
    Product,
    Fold,
    /// The methods of integers.
    Pow,
}

impl Method {
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "iter" | "into_iter" | "copied" | "cloned" => Method::Iter,
            "rev" => Method::Rev,
            "step_by" => Method::StepBy,
            "skip" => Method::Skip,
            "take" => Method::Take,
            "enumerate" => Method::Enumerate,
            "zip" => Method::Zip,
            "map" => Method::Map,
            "sum" => Method::Sum,
            "product" => Method::Product,
            "fold" => Method::Fold,
            "pow" => Method::Pow,
            _ => return None,
        })
    }

    /// Returns the number of arguments, without the receiver.
    pub(crate) fn arguments(self) -> usize {
        match self {
            Method::StepBy | Method::Skip | Method::Take | Method::Zip | Method::Map => 1,
            Method::Pow => 1,
            Method::Fold => 2,
            _ => 0,
        }
    }
}
