//! Exact differentiation, on the graph itself.
//!
//! Each node gets its gradient: the inputs it depends on, each with the node that is its partial
//! derivative. Gradients are built operands first (forward mode), sparsely: an input that is not
//! in a gradient has no path to the node, and its derivative is a *structural* zero, which is not
//! computed, not stored and not in the sparsity pattern. Hash-consing shares what the derivatives
//! have in common with each other and with the right-hand side.
//!
//! # Rules
//!
//! | node | derivative |
//! |---|---|
//! | `a * b` | `a' b + a b'`, and `2 a a'` for a square |
//! | `a / b` | `a' / b - (q / b) b'` with `q` the quotient itself; `a' / b - q (b' / b)` below an exponential |
//! | `sqrt a` | `(0.5 / sqrt a) a'` |
//! | `a^n` (`powi`) | `n a^(n-1) a'` |
//! | `a^b` (`powf`) | `b a^(b-1) a' + ln a a^b b'` |
//! | `exp`, `ln` | `exp a a'`, `a' / a` |
//! | `sin`, `cos`, `tan`, `tanh` | `cos a a'`, `-sin a a'`, `(1 + tan² a) a'`, `(1 - tanh² a) a'` |
//! | `exp2`, `exp_m1` | `ln 2 exp2 a a'`, `(exp_m1 a + 1) a'` |
//! | `ln_1p`, `log2`, `log10` | `a' / (1 + a)`, `a' (1 / ln 2) / a`, `a' (1 / ln 10) / a` |
//! | `cbrt` | `(1/3 / cbrt² a) a'` |
//! | `asin`, `acos` | `a' / sqrt((1 - a)(1 + a))`, and that negated |
//! | `atan`, `atan2(a, b)` | `a' / (1 + a²)`, `(b / (a² + b²)) a' - (a / (a² + b²)) b'` |
//! | `hypot(a, b)` | `(a / h) a' + (b / h) b'` with `h` the value |
//! | `sinh`, `cosh` | `cosh a a'`, `sinh a a'` |
//! | `asinh`, `acosh`, `atanh` | `a' / sqrt(1 + a²)`, `a' / sqrt((a - 1)(a + 1))`, `a' / ((1 - a)(1 + a))` |
//! | `floor`, `round_even`, `lookup` | zero |
//! | `copysign(a, b)` | `a'` where the signs agree, else `-a'` |
//! | `abs a` | `a'` where `a >= 0`, else `-a'` |
//! | `min(a, b)`, `max(a, b)` | that of the side which is the value: `a'` where `a < b` (`a > b`), else `b'` |
//! | `select(m, a, b)` | `select(m, a', b')` |
//!
//! So at the seam of a conditional the derivative is that of the branch whose value is taken, and
//! the condition itself has none.
//!
//! # Divisors that overflow
//!
//! `1 / (1 + exp(z))` is zero where the exponential overflows, and so is its derivative; but `q / b` is zero there and
//! `b'` infinite, and their product is not a number. So of divisors with exponentials or hyperbolic cosines in them
//! `b' / b` is derived as a whole ([`Relative`]): of `exp z` it is `z'`, of `cosh z` `tanh z z'`, of a product the sum of
//! those of its factors, and of a sum the sum of `a' / b` of its terms `a`, of which each factor that may overflow is divided
//! by `b` first. All of these are finite where `q / b` is.
//!
//! # Zeros
//!
//! Unlike the rewritings of `simplify`, those of this module treat `0 * x` and `x - x` as zero:
//! here they arise from structure, where no infinity can be hidden that was not in the right-hand
//! side itself.

mod relative;

use crate::graph::{Binary, Comparison, Graph, Id, Input, Node, Unary};
use crate::simplify::Truth;
use relative::Relative;

/// The inputs that a node depends on, in order, each with the derivative by it.
pub(crate) type Gradient = Vec<(Input, Id)>;

/// The gradients of `roots`; `None` where they take more than `limit` nodes.
pub(crate) fn gradients(graph: &mut Graph, roots: &[Id], limit: usize) -> Option<Vec<Gradient>> {
    let needed = graph.reachable(roots);
    let limit = graph.len() + limit;
    let mut gradients: Vec<Gradient> = Vec::with_capacity(needed.len());
    let ids: Vec<Id> = graph.ids().collect();
    let mut relative = Relative::default();
    for (id, needed) in ids.into_iter().zip(needed) {
        relative.look_at(graph, id);
        let gradient = match needed {
            true => gradient(graph, &gradients, &mut relative, id),
            false => Gradient::new(),
        };
        gradients.push(gradient);
        if graph.len() > limit {
            return None;
        }
    }
    Some(roots.iter().map(|root| gradients[root.index()].clone()).collect())
}

/// The gradient of one node from those of its operands.
fn gradient(
    graph: &mut Graph,
    gradients: &[Gradient],
    relative: &mut Relative,
    id: Id,
) -> Gradient {
    let of = |id: Id| gradients[id.index()].as_slice();
    match graph.node(id) {
        Node::Literal(_)
        | Node::Constant(_)
        | Node::Lookup(..)
        | Node::Compare(..)
        | Node::And(..)
        | Node::Or(..)
        | Node::Not(_) => Gradient::new(),
        Node::Input(input) => vec![(input, graph.literal(1.0))],
        Node::Binary(Binary::Add, a, b) => {
            combine(graph, of(a), of(b), |graph, a, b| match (a, b) {
                (Some(a), Some(b)) => sum(graph, a, b),
                (Some(a), None) => a,
                (None, b) => b.unwrap_or_else(|| graph.literal(0.0)),
            })
        }
        Node::Binary(Binary::Sub, a, b) => {
            combine(graph, of(a), of(b), |graph, a, b| match (a, b) {
                (a, Some(b)) => {
                    let b = graph.neg(b);
                    a.map_or(b, |a| sum(graph, a, b))
                }
                (a, None) => a.unwrap_or_else(|| graph.literal(0.0)),
            })
        }
        Node::Binary(Binary::Mul, a, b) if a == b => {
            if of(a).is_empty() {
                return Gradient::new();
            }
            let twice = graph.add(a, a);
            scale(graph, of(a), twice)
        }
        Node::Binary(Binary::Mul, a, b) => {
            let left = scale(graph, of(a), b);
            let right = scale(graph, of(b), a);
            add(graph, &left, &right)
        }
        Node::MulAdd(a, b, c) => {
            let left = scale(graph, of(a), b);
            let right = scale(graph, of(b), a);
            let product = add(graph, &left, &right);
            add(graph, &product, of(c))
        }
        Node::Binary(Binary::Div, a, b) => match relative.of(graph, gradients, b) {
            Some(relative) => {
                let one = graph.literal(1.0);
                let by_numerator = match of(a) {
                    [] => Gradient::new(),
                    gradient => {
                        let reciprocal = graph.div(one, b);
                        scale(graph, gradient, reciprocal)
                    }
                };
                let minus = graph.neg(id);
                let by_denominator = scale(graph, &relative, minus);
                add(graph, &by_numerator, &by_denominator)
            }
            None => divide(graph, id, (a, of(a)), (b, of(b))),
        },
        Node::Binary(Binary::Powf, a, b) => {
            let by_base = if of(a).is_empty() {
                Gradient::new()
            } else {
                let one = graph.literal(1.0);
                let less = graph.sub(b, one);
                let power = graph.binary(Binary::Powf, a, less);
                let factor = graph.mul(b, power);
                scale(graph, of(a), factor)
            };
            let by_exponent = if of(b).is_empty() {
                Gradient::new()
            } else {
                let ln = graph.unary(Unary::Ln, a);
                let factor = graph.mul(ln, id);
                scale(graph, of(b), factor)
            };
            add(graph, &by_base, &by_exponent)
        }
        Node::Binary(Binary::Atan2, a, b) => {
            if of(a).is_empty() && of(b).is_empty() {
                return Gradient::new();
            }
            let squares = [graph.mul(a, a), graph.mul(b, b)];
            let sum = graph.add(squares[0], squares[1]);
            let by_a = graph.div(b, sum);
            let by_b = graph.div(a, sum);
            let by_b = graph.neg(by_b);
            let left = scale(graph, of(a), by_a);
            let right = scale(graph, of(b), by_b);
            add(graph, &left, &right)
        }
        Node::Binary(Binary::Hypot, a, b) => {
            let mut part = |operand: Id| {
                if of(operand).is_empty() {
                    return Gradient::new();
                }
                let factor = graph.div(operand, id);
                scale(graph, of(operand), factor)
            };
            let (left, right) = (part(a), part(b));
            add(graph, &left, &right)
        }
        Node::Binary(Binary::Copysign, a, b) => {
            if of(a).is_empty() {
                return Gradient::new();
            }
            let one = graph.literal(1.0);
            let signs = [a, b].map(|operand| graph.binary(Binary::Copysign, one, operand));
            let factor = graph.mul(signs[0], signs[1]);
            scale(graph, of(a), factor)
        }
        Node::Binary(Binary::Min, a, b) => {
            let mask = graph.compare(Comparison::Lt, a, b);
            select(graph, mask, of(a), of(b))
        }
        Node::Binary(Binary::Max, a, b) => {
            let mask = graph.compare(Comparison::Gt, a, b);
            select(graph, mask, of(a), of(b))
        }
        Node::Select(mask, a, b) => select(graph, Truth::Mask(mask), of(a), of(b)),
        Node::Unary(Unary::Abs, a) => {
            let zero = graph.literal(0.0);
            let mask = graph.compare(Comparison::Ge, a, zero);
            let minus: Gradient =
                of(a).iter().map(|&(input, derivative)| (input, graph.neg(derivative))).collect();
            select(graph, mask, of(a), &minus)
        }
        Node::Powi(a, exponent) => {
            if of(a).is_empty() {
                return Gradient::new();
            }
            if exponent < 0
                && let Some(relative) = relative.of(graph, gradients, a)
            {
                let count = graph.literal(exponent as f64);
                let factor = graph.mul(count, id);
                return scale(graph, &relative, factor);
            }
            let power = graph.powi(a, exponent - 1);
            let count = graph.literal(exponent as f64);
            let factor = graph.mul(count, power);
            scale(graph, of(a), factor)
        }
        Node::Unary(function, a) => {
            if of(a).is_empty() {
                return Gradient::new();
            }
            let factor = slope(graph, function, a, id);
            scale(graph, of(a), factor)
        }
    }
}

/// The derivative of `function` at `a`, where its value is `value`.
fn slope(graph: &mut Graph, function: Unary, a: Id, value: Id) -> Id {
    let one = graph.literal(1.0);
    match function {
        Unary::Neg => graph.literal(-1.0),
        Unary::Sqrt => {
            let half = graph.literal(0.5);
            graph.div(half, value)
        }
        Unary::Reciprocal => {
            let square = graph.mul(value, value);
            graph.neg(square)
        }
        Unary::Exp => value,
        Unary::Ln => graph.div(one, a),
        Unary::Sin => graph.unary(Unary::Cos, a),
        Unary::Cos => {
            let sine = graph.unary(Unary::Sin, a);
            graph.neg(sine)
        }
        Unary::Tan => {
            let square = graph.mul(value, value);
            graph.add(one, square)
        }
        Unary::Tanh => {
            let square = graph.mul(value, value);
            graph.sub(one, square)
        }
        Unary::Exp2 => {
            let ln_2 = graph.literal(std::f64::consts::LN_2);
            graph.mul(ln_2, value)
        }
        Unary::ExpM1 => graph.add(value, one),
        Unary::Ln1p => {
            let sum = graph.add(one, a);
            graph.div(one, sum)
        }
        Unary::Log2 => {
            let factor = graph.literal(std::f64::consts::LOG2_E);
            graph.div(factor, a)
        }
        Unary::Log10 => {
            let factor = graph.literal(std::f64::consts::LOG10_E);
            graph.div(factor, a)
        }
        Unary::Cbrt => {
            let third = graph.literal(1.0 / 3.0);
            let square = graph.mul(value, value);
            graph.div(third, square)
        }
        Unary::Asin | Unary::Acos => {
            let product = one_less_square(graph, a);
            let root = graph.unary(Unary::Sqrt, product);
            let slope = graph.div(one, root);
            if function == Unary::Asin { slope } else { graph.neg(slope) }
        }
        Unary::Atan => {
            let square = graph.mul(a, a);
            let sum = graph.add(one, square);
            graph.div(one, sum)
        }
        Unary::Sinh => graph.unary(Unary::Cosh, a),
        Unary::Cosh => graph.unary(Unary::Sinh, a),
        Unary::Asinh => {
            let square = graph.mul(a, a);
            let sum = graph.add(one, square);
            let root = graph.unary(Unary::Sqrt, sum);
            graph.div(one, root)
        }
        Unary::Acosh => {
            let (less, more) = (graph.sub(a, one), graph.add(a, one));
            let product = graph.mul(less, more);
            let root = graph.unary(Unary::Sqrt, product);
            graph.div(one, root)
        }
        Unary::Atanh => {
            let product = one_less_square(graph, a);
            graph.div(one, product)
        }
        Unary::Floor | Unary::RoundEven => graph.literal(0.0),
        // Not a product with a slope: `gradient` selects.
        Unary::Abs => one,
    }
}

/// `1 - a²` as `(1 - a)(1 + a)`, which loses nothing near 1.
fn one_less_square(graph: &mut Graph, a: Id) -> Id {
    let one = graph.literal(1.0);
    let (less, more) = (graph.sub(one, a), graph.add(one, a));
    graph.mul(less, more)
}

fn divide(
    graph: &mut Graph,
    quotient: Id,
    a: (Id, &[(Input, Id)]),
    b: (Id, &[(Input, Id)]),
) -> Gradient {
    let ((_, da), (b, db)) = (a, b);
    if db.is_empty() && graph.literal_value(b).is_some() {
        let divided = da.iter().map(|&(input, derivative)| (input, graph.div(derivative, b)));
        return divided.collect();
    }
    if da.is_empty() && db.is_empty() {
        return Gradient::new();
    }
    // One division for all inputs.
    let one = graph.literal(1.0);
    let reciprocal = graph.div(one, b);
    let by_numerator = scale(graph, da, reciprocal);
    if db.is_empty() {
        return by_numerator;
    }
    let factor = graph.mul(quotient, reciprocal);
    let factor = graph.neg(factor);
    let by_denominator = scale(graph, db, factor);
    add(graph, &by_numerator, &by_denominator)
}

/// `a + b` where a structural zero may come out.
fn sum(graph: &mut Graph, a: Id, b: Id) -> Id {
    let negated = |graph: &Graph, id| match graph.node(id) {
        Node::Unary(Unary::Neg, inner) => Some(inner),
        _ => None,
    };
    if negated(graph, a) == Some(b) || negated(graph, b) == Some(a) {
        return graph.literal(0.0);
    }
    graph.add(a, b)
}

fn scale(graph: &mut Graph, gradient: &[(Input, Id)], factor: Id) -> Gradient {
    if graph.is(factor, 0.0) {
        return Gradient::new();
    }
    gradient.iter().map(|&(input, derivative)| (input, scaled(graph, derivative, factor))).collect()
}

/// The product of a derivative with that of what it is an argument of. Where the argument does not change nothing
/// does, though the second may be infinite there: `x.max(0.0).sqrt()` for negative `x`.
fn scaled(graph: &mut Graph, derivative: Id, factor: Id) -> Id {
    match graph.node(derivative) {
        Node::Select(mask, some, none) if graph.is(none, 0.0) => {
            let some = scaled(graph, some, factor);
            graph.select(mask, some, none)
        }
        Node::Select(mask, none, some) if graph.is(none, 0.0) => {
            let some = scaled(graph, some, factor);
            graph.select(mask, none, some)
        }
        _ => graph.mul(derivative, factor),
    }
}

fn add(graph: &mut Graph, a: &[(Input, Id)], b: &[(Input, Id)]) -> Gradient {
    combine(graph, a, b, |graph, a, b| match (a, b) {
        (Some(a), Some(b)) => sum(graph, a, b),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => graph.literal(0.0),
    })
}

fn select(graph: &mut Graph, mask: Truth, a: &[(Input, Id)], b: &[(Input, Id)]) -> Gradient {
    combine(graph, a, b, |graph, a, b| {
        let a = a.unwrap_or_else(|| graph.literal(0.0));
        let b = b.unwrap_or_else(|| graph.literal(0.0));
        match mask {
            Truth::Known(true) => a,
            Truth::Known(false) => b,
            Truth::Mask(mask) => graph.select(mask, a, b),
        }
    })
}

/// Merges two gradients by input, dropping what comes out as zero.
fn combine(
    graph: &mut Graph,
    a: &[(Input, Id)],
    b: &[(Input, Id)],
    mut merge: impl FnMut(&mut Graph, Option<Id>, Option<Id>) -> Id,
) -> Gradient {
    let mut merged = Gradient::with_capacity(a.len().max(b.len()));
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let input = match (a.peek(), b.peek()) {
            (Some(&&(a, _)), Some(&&(b, _))) => a.min(b),
            (Some(&&(input, _)), None) | (None, Some(&&(input, _))) => input,
            (None, None) => return merged,
        };
        let left = a.next_if(|entry| entry.0 == input).map(|entry| entry.1);
        let right = b.next_if(|entry| entry.0 == input).map(|entry| entry.1);
        let derivative = merge(graph, left, right);
        if !graph.is(derivative, 0.0) {
            merged.push((input, derivative));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs() -> (Graph, Id, Id) {
        let mut graph = Graph::new();
        let x = graph.input(Input::State(0));
        let y = graph.input(Input::State(1));
        (graph, x, y)
    }

    fn gradient_of(graph: &mut Graph, root: Id) -> Gradient {
        gradients(graph, &[root], 1000).unwrap().remove(0)
    }

    #[test]
    fn what_cancels_is_not_in_the_pattern() {
        let (mut graph, x, y) = inputs();
        let difference = graph.sub(x, x);
        let sum = graph.add(difference, y);
        let gradient = gradient_of(&mut graph, sum);
        assert_eq!(gradient, [(Input::State(1), graph.literal(1.0))]);

        // The derivatives cancel as expressions, not as numbers.
        let product = graph.mul(x, y);
        let difference = graph.sub(product, product);
        assert_eq!(gradient_of(&mut graph, difference), []);

        let zero = graph.literal(0.0);
        let nothing = graph.mul(zero, x);
        assert_eq!(gradient_of(&mut graph, nothing), []);
    }

    #[test]
    fn a_condition_has_no_derivative() {
        let (mut graph, x, y) = inputs();
        let Truth::Mask(mask) = graph.compare(Comparison::Lt, x, y) else { unreachable!() };
        let (two, three) = (graph.literal(2.0), graph.literal(3.0));
        let step = graph.select(mask, two, three);
        assert_eq!(gradient_of(&mut graph, step), []);
    }

    #[test]
    fn derivatives_share_the_nodes_of_the_function() {
        let (mut graph, x, _) = inputs();
        let exp = graph.unary(Unary::Exp, x);
        assert_eq!(gradient_of(&mut graph, exp), [(Input::State(0), exp)]);
        let cube = graph.powi(x, 3);
        let gradient = gradient_of(&mut graph, cube);
        let square = graph.powi(x, 2);
        let three = graph.literal(3.0);
        assert_eq!(gradient, [(Input::State(0), graph.mul(three, square))]);
    }

    #[test]
    fn derivatives_beyond_the_limit_are_refused() {
        let (mut graph, x, y) = inputs();
        let quotient = graph.div(x, y);
        assert!(gradients(&mut graph, &[quotient], 1).is_none());
    }
}
