//! The rows of the table of functions.
//!
//! In the documentation of a function, `x` (or `a` and `b`) stands for the arguments, `y` for the
//! value, and `'` for the derivative.

use super::{
    BinaryRow, Composed, Cost, Function, Growth, Middle, OtherRow, Predicate, Row, UnaryRow,
};
use crate::derive::{Derivation, Gradient, rules};
use crate::graph::{Graph, Id};

/// Generates the enums [`Unary`] and [`Binary`] from the rows, and the list of all rows.
macro_rules! functions {
    (@rows
        [$($(#[$unary_doc:meta])* $unary:ident = $unary_row:expr;)*]
        [$($(#[$binary_doc:meta])* $binary:ident = $binary_row:expr;)*]
        [$($row:expr;)*]
    ) => {
        /// A function of one real number.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Unary {
            $($(#[$unary_doc])* $unary,)*
        }

        /// A function of two real numbers.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Binary {
            $($(#[$binary_doc])* $binary,)*
        }

        impl Unary {
            /// Returns the row of the function.
            pub(crate) const fn row(self) -> &'static UnaryRow {
                match self {
                    $(Unary::$unary => const { &$unary_row },)*
                }
            }
        }

        impl Binary {
            /// Returns the row of the function.
            pub(crate) const fn row(self) -> &'static BinaryRow {
                match self {
                    $(Binary::$binary => const { &$binary_row },)*
                }
            }
        }

        /// All rows, in the order of functions in messages.
        pub(super) const ROWS: &[Row] = &[$($row),*];
    };
    (@rows [$($unary:tt)*] [$($binary:tt)*] [$($rows:tt)*]
        $(#[$doc:meta])* unary $name:ident = $row:expr; $($rest:tt)*
    ) => {
        functions! { @rows
            [$($unary)* $(#[$doc])* $name = $row;]
            [$($binary)*]
            [$($rows)* Row::unary(Unary::$name);]
            $($rest)*
        }
    };
    (@rows [$($unary:tt)*] [$($binary:tt)*] [$($rows:tt)*]
        $(#[$doc:meta])* binary $name:ident = $row:expr; $($rest:tt)*
    ) => {
        functions! { @rows
            [$($unary)*]
            [$($binary)* $(#[$doc])* $name = $row;]
            [$($rows)* Row::binary(Binary::$name);]
            $($rest)*
        }
    };
    (@rows [$($unary:tt)*] [$($binary:tt)*] [$($rows:tt)*] other $row:expr; $($rest:tt)*) => {
        functions! { @rows
            [$($unary)*]
            [$($binary)*]
            [$($rows)* Row::other($row);]
            $($rest)*
        }
    };
    ($(#[$doc:meta])* $kind:ident $($rows:tt)*) => {
        functions! { @rows [] [] [] $(#[$doc])* $kind $($rows)* }
    };
}

functions! {
    // Operators.

    /// `-x`
    unary Neg = UnaryRow {
        name: None,
        slope: Some(|graph, _, _| graph.literal(-1.0)),
        ..operation("neg", |x| -x, Cost::Free)
    };
    /// `1 / x`, but NaN for an infinity; used for pivots.
    unary Reciprocal = UnaryRow {
        name: None,
        slope: Some(|graph, _, y| {
            let square = graph.mul(y, y);
            graph.neg(square)
        }),
        middle: Middle::ZeroOrTurn,
        ..operation("reciprocal", |x| x.mul_add(0.0, x.recip()), Cost::Function)
    };
    /// `a + b`
    binary Add = operator("add", |a, b| a + b, rules::add, Cost::Sum);
    /// `a - b`
    binary Sub = operator("sub", |a, b| a - b, rules::sub, Cost::Sum);
    /// `a * b`
    binary Mul = operator("mul", |a, b| a * b, rules::mul, Cost::Product);
    /// `a / b`
    binary Div = operator("div", |a, b| a / b, rules::div, Cost::Quotient);

    // Functions of floats.

    /// Square root, correctly rounded, with derivative `0.5 / y`.
    unary Sqrt = UnaryRow {
        slope: Some(|graph, _, y| {
            let half = graph.literal(0.5);
            graph.div(half, y)
        }),
        folds: true,
        middle: Middle::Turn,
        ..operation("sqrt", f64::sqrt, Cost::Quotient)
    };
    /// Natural exponential, with derivative `y`.
    unary Exp = UnaryRow {
        growth: Some(Growth { relative: |_, _, _| None, size: |_, y| y, rate: |_, _| None }),
        middle: Middle::Turn,
        ..elementary("exp", f64::exp, |_, _, y| y)
    };
    /// Natural logarithm, with derivative `1 / x`.
    unary Ln = UnaryRow {
        elsewhere: &["log"],
        middle: Middle::Turn,
        ..elementary("ln", f64::ln, |graph, x, _| {
            let one = graph.literal(1.0);
            graph.div(one, x)
        })
    };
    /// Sine, with derivative `cos x`.
    unary Sin = elementary("sin", f64::sin, |graph, x, _| graph.unary(Unary::Cos, x));
    /// Cosine, with derivative `-sin x`.
    unary Cos = elementary("cos", f64::cos, |graph, x, _| {
        let sine = graph.unary(Unary::Sin, x);
        graph.neg(sine)
    });
    /// Tangent, with derivative `1 + y²`.
    unary Tan = elementary("tan", f64::tan, |graph, _, y| {
        let one = graph.literal(1.0);
        let square = graph.mul(y, y);
        graph.add(one, square)
    });
    /// Hyperbolic tangent, with derivative `1 - y²`.
    unary Tanh = UnaryRow {
        middle: Middle::ZeroOrTurn,
        ..elementary("tanh", f64::tanh, |graph, _, y| {
            let one = graph.literal(1.0);
            let square = graph.mul(y, y);
            graph.sub(one, square)
        })
    };
    /// `|x|`, with the derivative of `x` if `x >= 0`, else of `-x`.
    unary Abs = UnaryRow { elsewhere: &["fabs"], ..operation("abs", f64::abs, Cost::Free) };
    other OtherRow { name: "powi", elsewhere: &[], function: Function::Powi, arguments: 2 };
    /// `a` to the power `b`, with derivative `b a^(b-1) a' + ln a a^b b'`.
    binary Powf = BinaryRow {
        elsewhere: &["pow", "power"],
        middle: Middle::Turn,
        ..elementary_of_two("powf", f64::powf, rules::powf)
    };
    /// `if a < b { a } else { b }`, with the derivative of the selected side.
    binary Min = BinaryRow {
        elsewhere: &["fmin"],
        ..operation_of_two("min", |a, b| if a < b { a } else { b }, rules::min, Cost::Choice)
    };
    /// `if a > b { a } else { b }`, with the derivative of the selected side.
    binary Max = BinaryRow {
        elsewhere: &["fmax"],
        ..operation_of_two("max", |a, b| if a > b { a } else { b }, rules::max, Cost::Choice)
    };
    other OtherRow { name: "recip", elsewhere: &[], function: Function::Recip, arguments: 1 };
    other OtherRow { name: "mul_add", elsewhere: &[], function: Function::MulAdd, arguments: 3 };
    /// `2` to the power `x`, with derivative `ln 2 y`.
    unary Exp2 = UnaryRow {
        growth: Some(Growth {
            relative: |graph, _, _| Some(graph.literal(std::f64::consts::LN_2)),
            size: |_, y| y,
            rate: |graph, _| Some(graph.literal(std::f64::consts::LN_2)),
        }),
        middle: Middle::Turn,
        ..elementary("exp2", f64::exp2, |graph, _, y| {
            let ln_2 = graph.literal(std::f64::consts::LN_2);
            graph.mul(ln_2, y)
        })
    };
    /// Natural exponential minus 1, with derivative `y + 1`.
    unary ExpM1 = UnaryRow {
        elsewhere: &["expm1"],
        growth: Some(Growth {
            relative: |graph, _, y| {
                let one = graph.literal(1.0);
                let reciprocal = graph.div(one, y);
                Some(graph.add(one, reciprocal))
            },
            size: |graph, y| {
                let one = graph.literal(1.0);
                graph.add(y, one)
            },
            rate: |_, _| None,
        }),
        middle: Middle::Turn,
        ..elementary("exp_m1", f64::exp_m1, |graph, _, y| {
            let one = graph.literal(1.0);
            graph.add(y, one)
        })
    };
    /// Natural logarithm of `1 + x`, with derivative `1 / (1 + x)`.
    unary Ln1p = UnaryRow {
        elsewhere: &["log1p"],
        middle: Middle::TurnOfOneMore,
        ..elementary("ln_1p", f64::ln_1p, |graph, x, _| {
            let one = graph.literal(1.0);
            let sum = graph.add(one, x);
            graph.div(one, sum)
        })
    };
    /// Logarithm to base 2, with derivative `(1 / ln 2) / x`.
    unary Log2 = UnaryRow {
        middle: Middle::Turn,
        ..elementary("log2", f64::log2, |graph, x, _| {
            let factor = graph.literal(std::f64::consts::LOG2_E);
            graph.div(factor, x)
        })
    };
    /// Logarithm to base 10, with derivative `(1 / ln 10) / x`.
    unary Log10 = UnaryRow {
        middle: Middle::Turn,
        ..elementary("log10", f64::log10, |graph, x, _| {
            let factor = graph.literal(std::f64::consts::LOG10_E);
            graph.div(factor, x)
        })
    };
    /// Cube root, with derivative `(1/3) / y²`.
    unary Cbrt = UnaryRow {
        middle: Middle::ZeroOrTurn,
        ..elementary("cbrt", f64::cbrt, |graph, _, y| {
            let third = graph.literal(1.0 / 3.0);
            let square = graph.mul(y, y);
            graph.div(third, square)
        })
    };
    /// `sqrt(a * a + b * b)` without overflow, with derivative `(a / y) a' + (b / y) b'`.
    binary Hypot = BinaryRow {
        middle: Middle::ZeroOrTurn,
        ..elementary_of_two("hypot", f64::hypot, rules::hypot)
    };
    /// Arc sine, with derivative `1 / sqrt((1 - x)(1 + x))`.
    unary Asin = UnaryRow {
        elsewhere: &["arcsin"],
        ..elementary("asin", f64::asin, |graph, x, _| {
            let product = one_less_square(graph, x);
            one_over_root(graph, product)
        })
    };
    /// Arc cosine, with derivative `-1 / sqrt((1 - x)(1 + x))`.
    unary Acos = UnaryRow {
        elsewhere: &["arccos"],
        ..elementary("acos", f64::acos, |graph, x, _| {
            let product = one_less_square(graph, x);
            let slope = one_over_root(graph, product);
            graph.neg(slope)
        })
    };
    /// Arc tangent, with derivative `1 / (1 + x²)`.
    unary Atan = UnaryRow {
        elsewhere: &["arctan"],
        middle: Middle::ZeroOrTurn,
        ..elementary("atan", f64::atan, |graph, x, _| {
            let one = graph.literal(1.0);
            let square = graph.mul(x, x);
            let sum = graph.add(one, square);
            graph.div(one, sum)
        })
    };
    /// The angle of the point `(b, a)`.
    ///
    /// Its derivative is `(b / (a² + b²)) a' - (a / (a² + b²)) b'`.
    binary Atan2 = BinaryRow {
        elsewhere: &["arctan2"],
        middle: Middle::ZeroOrTurn,
        ..elementary_of_two("atan2", f64::atan2, rules::atan2)
    };
    /// Hyperbolic sine, with derivative `cosh x`.
    unary Sinh = UnaryRow {
        middle: Middle::ZeroOrTurn,
        ..elementary("sinh", f64::sinh, |graph, x, _| graph.unary(Unary::Cosh, x))
    };
    /// Hyperbolic cosine, with derivative `sinh x`.
    unary Cosh = UnaryRow {
        growth: Some(Growth {
            relative: |graph, x, _| Some(graph.unary(Unary::Tanh, x)),
            size: |_, y| y,
            rate: |graph, x| Some(graph.unary(Unary::Tanh, x)),
        }),
        middle: Middle::ZeroOrTurn,
        ..elementary("cosh", f64::cosh, |graph, x, _| graph.unary(Unary::Sinh, x))
    };
    /// Inverse hyperbolic sine, with derivative `1 / sqrt(1 + x²)`.
    unary Asinh = UnaryRow {
        elsewhere: &["arcsinh"],
        middle: Middle::ZeroOrTurn,
        ..elementary("asinh", f64::asinh, |graph, x, _| {
            let one = graph.literal(1.0);
            let square = graph.mul(x, x);
            let sum = graph.add(one, square);
            one_over_root(graph, sum)
        })
    };
    /// Inverse hyperbolic cosine, with derivative `1 / sqrt((x - 1)(x + 1))`.
    unary Acosh = UnaryRow {
        elsewhere: &["arccosh"],
        ..elementary("acosh", f64::acosh, |graph, x, _| {
            let one = graph.literal(1.0);
            let (less, more) = (graph.sub(x, one), graph.add(x, one));
            let product = graph.mul(less, more);
            one_over_root(graph, product)
        })
    };
    /// Inverse hyperbolic tangent, with derivative `1 / ((1 - x)(1 + x))`.
    unary Atanh = UnaryRow {
        elsewhere: &["arctanh"],
        ..elementary("atanh", f64::atanh, |graph, x, _| {
            let one = graph.literal(1.0);
            let product = one_less_square(graph, x);
            graph.div(one, product)
        })
    };
    /// The greatest integer not above `x`, with derivative zero.
    unary Floor = UnaryRow {
        slope: Some(|graph, _, _| graph.literal(0.0)),
        folds: true,
        ..operation("floor", f64::floor, Cost::Function)
    };
    /// The nearest integer, ties to even, with derivative zero.
    unary RoundEven = UnaryRow {
        name: Some("round_ties_even"),
        slope: Some(|graph, _, _| graph.literal(0.0)),
        folds: true,
        ..operation("round_even", f64::round_ties_even, Cost::Function)
    };
    /// `|a|` with the sign of `b`; the derivative is `a'` if the signs agree, else `-a'`.
    binary Copysign = BinaryRow {
        folds: true,
        ..operation_of_two("copysign", f64::copysign, rules::copysign, Cost::Function)
    };

    // Other functions: compositions of operations, predicates, and values known at compile time.

    other composed("log", Composed::Log, 2, &[]);
    other composed("clamp", Composed::Clamp, 3, &[]);
    other composed("signum", Composed::Signum, 1, &["sign", "sgn"]);
    other composed("ceil", Composed::Ceil, 1, &["ceiling"]);
    other composed("trunc", Composed::Trunc, 1, &[]);
    other composed("round", Composed::Round, 1, &[]);
    other composed("fract", Composed::Fract, 1, &[]);
    other composed("to_radians", Composed::ToRadians, 1, &["deg2rad"]);
    other composed("to_degrees", Composed::ToDegrees, 1, &["rad2deg"]);
    other composed("rem_euclid", Composed::RemEuclid, 2, &[]);
    other composed("div_euclid", Composed::DivEuclid, 2, &[]);
    other predicate("is_nan", Predicate::Nan);
    other predicate("is_finite", Predicate::Finite);
    other predicate("is_infinite", Predicate::Infinite);
    other predicate("is_sign_positive", Predicate::SignPositive);
    other predicate("is_sign_negative", Predicate::SignNegative);
    other OtherRow { name: "sin_cos", elsewhere: &[], function: Function::SinCos, arguments: 1 };
    other OtherRow { name: "len", elsewhere: &[], function: Function::Len, arguments: 1 };
}

/// Returns the row of an elementary function of one number, a lane program.
const fn elementary(
    name: &'static str,
    value: fn(f64) -> f64,
    slope: fn(&mut Graph, Id, Id) -> Id,
) -> UnaryRow {
    let row = operation(name, value, Cost::Function);
    UnaryRow { slope: Some(slope), program: true, ..row }
}

/// Returns the row of an operation of lane numbers, by the method of this name.
const fn operation(name: &'static str, value: fn(f64) -> f64, cost: Cost) -> UnaryRow {
    UnaryRow {
        name: Some(name),
        method: name,
        elsewhere: &[],
        value,
        slope: None,
        cost,
        program: false,
        folds: false,
        growth: None,
        middle: Middle::None,
    }
}

/// Returns the row of an elementary function of two numbers, a lane program.
const fn elementary_of_two(
    name: &'static str,
    value: fn(f64, f64) -> f64,
    rule: fn(&mut Derivation<'_>, Id, [Id; 2]) -> Gradient,
) -> BinaryRow {
    BinaryRow { program: true, ..operation_of_two(name, value, rule, Cost::Function) }
}

const fn operation_of_two(
    name: &'static str,
    value: fn(f64, f64) -> f64,
    rule: fn(&mut Derivation<'_>, Id, [Id; 2]) -> Gradient,
    cost: Cost,
) -> BinaryRow {
    BinaryRow {
        name: Some(name),
        method: name,
        elsewhere: &[],
        value,
        rule,
        cost,
        program: false,
        folds: false,
        middle: Middle::None,
    }
}

/// Returns the row of an operation with an operator.
const fn operator(
    name: &'static str,
    value: fn(f64, f64) -> f64,
    rule: fn(&mut Derivation<'_>, Id, [Id; 2]) -> Gradient,
    cost: Cost,
) -> BinaryRow {
    BinaryRow { name: None, ..operation_of_two(name, value, rule, cost) }
}

const fn composed(
    name: &'static str,
    function: Composed,
    arguments: usize,
    elsewhere: &'static [&'static str],
) -> OtherRow {
    OtherRow { name, elsewhere, function: Function::Composed(function), arguments }
}

const fn predicate(name: &'static str, predicate: Predicate) -> OtherRow {
    OtherRow { name, elsewhere: &[], function: Function::Predicate(predicate), arguments: 1 }
}

/// Returns `1 - x²` as `(1 - x)(1 + x)`, which is accurate near 1.
fn one_less_square(graph: &mut Graph, x: Id) -> Id {
    let one = graph.literal(1.0);
    let (less, more) = (graph.sub(one, x), graph.add(one, x));
    graph.mul(less, more)
}

/// Returns `1 / sqrt(x)`.
fn one_over_root(graph: &mut Graph, x: Id) -> Id {
    let one = graph.literal(1.0);
    let root = graph.unary(Unary::Sqrt, x);
    graph.div(one, root)
}
