//! The derivatives of functions of two numbers.
//!
//! Each rule takes the nodes of the function's value and of its arguments, and returns the gradient
//! of the value. Arguments that depend on no input need no computation.

use super::{Derivation, Gradient, add as sum_of, combine, scale, select, sum};
use crate::functions::{Binary, Unary};
use crate::graph::{Comparison, Id, InputNode};

pub(crate) fn add(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    combine(by.graph, by.of(a), by.of(b), |graph, a, b| match (a, b) {
        (Some(a), Some(b)) => sum(graph, a, b),
        (Some(a), None) => a,
        (None, b) => b.unwrap_or_else(|| graph.literal(0.0)),
    })
}

pub(crate) fn sub(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    combine(by.graph, by.of(a), by.of(b), |graph, a, b| match (a, b) {
        (a, Some(b)) => {
            let b = graph.neg(b);
            a.map_or(b, |a| sum(graph, a, b))
        }
        (a, None) => a.unwrap_or_else(|| graph.literal(0.0)),
    })
}

pub(crate) fn mul(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    if a == b {
        if by.of(a).is_empty() {
            return Gradient::new();
        }
        let twice = by.graph.add(a, a);
        return scale(by.graph, by.of(a), twice);
    }
    let left = scale(by.graph, by.of(a), b);
    let right = scale(by.graph, by.of(b), a);
    sum_of(by.graph, &left, &right)
}

pub(crate) fn div(by: &mut Derivation<'_>, quotient: Id, [a, b]: [Id; 2]) -> Gradient {
    let Some(relative) = by.relative(b) else { return divide(by, quotient, [a, b]) };
    let one = by.graph.literal(1.0);
    let by_numerator = match by.of(a) {
        [] => Gradient::new(),
        gradient => {
            let reciprocal = by.graph.div(one, b);
            scale(by.graph, gradient, reciprocal)
        }
    };
    let minus = by.graph.neg(quotient);
    let by_denominator = scale(by.graph, &relative, minus);
    sum_of(by.graph, &by_numerator, &by_denominator)
}

/// Returns the gradient of a quotient with a divisor that does not overflow.
fn divide(by: &mut Derivation<'_>, quotient: Id, [a, b]: [Id; 2]) -> Gradient {
    let (of_a, of_b): (&[(InputNode, Id)], _) = (by.of(a), by.of(b));
    let graph = &mut *by.graph;
    if of_b.is_empty() && graph.literal_value(b).is_some() {
        let divided = of_a.iter().map(|&(input, derivative)| (input, graph.div(derivative, b)));
        return divided.collect();
    }
    if of_a.is_empty() && of_b.is_empty() {
        return Gradient::new();
    }
    // All inputs share one division.
    let one = graph.literal(1.0);
    let reciprocal = graph.div(one, b);
    let by_numerator = scale(graph, of_a, reciprocal);
    if of_b.is_empty() {
        return by_numerator;
    }
    let factor = graph.mul(quotient, reciprocal);
    let factor = graph.neg(factor);
    let by_denominator = scale(graph, of_b, factor);
    sum_of(graph, &by_numerator, &by_denominator)
}

pub(crate) fn min(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    let mask = by.graph.compare(Comparison::Lt, a, b);
    select(by.graph, mask, by.of(a), by.of(b))
}

pub(crate) fn max(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    let mask = by.graph.compare(Comparison::Gt, a, b);
    select(by.graph, mask, by.of(a), by.of(b))
}

pub(crate) fn powf(by: &mut Derivation<'_>, value: Id, [a, b]: [Id; 2]) -> Gradient {
    let by_base = if by.of(a).is_empty() {
        Gradient::new()
    } else {
        let one = by.graph.literal(1.0);
        let less = by.graph.sub(b, one);
        let power = by.graph.binary(Binary::Powf, a, less);
        let factor = by.graph.mul(b, power);
        scale(by.graph, by.of(a), factor)
    };
    let by_exponent = if by.of(b).is_empty() {
        Gradient::new()
    } else {
        let ln = by.graph.unary(Unary::Ln, a);
        let factor = by.graph.mul(ln, value);
        scale(by.graph, by.of(b), factor)
    };
    sum_of(by.graph, &by_base, &by_exponent)
}

pub(crate) fn atan2(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    if by.of(a).is_empty() && by.of(b).is_empty() {
        return Gradient::new();
    }
    let squares = [by.graph.mul(a, a), by.graph.mul(b, b)];
    let sum = by.graph.add(squares[0], squares[1]);
    let by_a = by.graph.div(b, sum);
    let by_b = by.graph.div(a, sum);
    let by_b = by.graph.neg(by_b);
    let left = scale(by.graph, by.of(a), by_a);
    let right = scale(by.graph, by.of(b), by_b);
    sum_of(by.graph, &left, &right)
}

pub(crate) fn hypot(by: &mut Derivation<'_>, value: Id, arguments: [Id; 2]) -> Gradient {
    let [left, right] = arguments.map(|argument| {
        if by.of(argument).is_empty() {
            return Gradient::new();
        }
        let factor = by.graph.div(argument, value);
        scale(by.graph, by.of(argument), factor)
    });
    sum_of(by.graph, &left, &right)
}

pub(crate) fn copysign(by: &mut Derivation<'_>, _: Id, [a, b]: [Id; 2]) -> Gradient {
    if by.of(a).is_empty() {
        return Gradient::new();
    }
    let one = by.graph.literal(1.0);
    let signs = [a, b].map(|operand| by.graph.binary(Binary::Copysign, one, operand));
    let factor = by.graph.mul(signs[0], signs[1]);
    scale(by.graph, by.of(a), factor)
}
