//! Functions composed of a few operations of the graph, with the values of std's namesakes.
//!
//! They are composed before differentiation, so that derivatives follow from the derivatives of the
//! operations.

use std::f64::consts::PI;

use crate::functions::{Composed, Predicate};
use crate::graph::{Binary, Comparison, Graph, Id, Unary};
use crate::simplify::Truth;

impl Graph {
    /// Returns a composed function, if the number of arguments is right.
    pub(crate) fn compose(&mut self, function: Composed, arguments: &[Id]) -> Option<Id> {
        Some(match (function, arguments) {
            (Composed::Log, &[a, base]) => {
                let (a, base) = (self.unary(Unary::Ln, a), self.unary(Unary::Ln, base));
                self.div(a, base)
            }
            (Composed::Clamp, &[a, low, high]) => self.clamped(a, low, high),
            (Composed::Signum, &[a]) => {
                let sign = self.sign(a);
                let nan = self.literal(f64::NAN);
                let number = self.compare(Comparison::Equals, a, a);
                self.choose(number, sign, nan)
            }
            (Composed::Ceil, &[a]) => {
                let minus = self.neg(a);
                let floor = self.unary(Unary::Floor, minus);
                self.neg(floor)
            }
            (Composed::Trunc, &[a]) => self.trunc(a),
            // Adding a half before truncation would round.
            (Composed::Round, &[a]) => {
                let trunc = self.trunc(a);
                let rest = self.sub(a, trunc);
                let rest = self.unary(Unary::Abs, rest);
                let half = self.literal(0.5);
                let up = self.compare(Comparison::Ge, rest, half);
                let sign = self.sign(a);
                let next = self.add(trunc, sign);
                let result = self.choose(up, next, trunc);
                self.rounds(result, [a; 2])
            }
            (Composed::Fract, &[a]) => {
                let trunc = self.trunc(a);
                self.sub(a, trunc)
            }
            (Composed::ToRadians, &[a]) => {
                let factor = self.literal(PI / 180.0);
                self.mul(a, factor)
            }
            (Composed::ToDegrees, &[a]) => {
                let factor = self.literal(180.0 / PI);
                self.mul(a, factor)
            }
            (Composed::RemEuclid, &[a, b]) => {
                let rest = self.remainder(a, b);
                let magnitude = self.unary(Unary::Abs, b);
                let above = self.add(rest, magnitude);
                let negative = self.is_negative(rest);
                let result = self.choose(negative, above, rest);
                self.rounds(result, [a, b])
            }
            (Composed::DivEuclid, &[a, b]) => {
                let rest = self.remainder(a, b);
                let quotient = self.div(a, b);
                let quotient = self.trunc(quotient);
                let one = self.sign(b);
                let below = self.sub(quotient, one);
                let negative = self.is_negative(rest);
                let result = self.choose(negative, below, quotient);
                self.rounds(result, [a, b])
            }
            _ => return None,
        })
    }

    /// Returns `a % b`: `a` minus `b` times their quotient rounded towards zero, with the sign of
    /// `a`.
    ///
    /// The computed quotient may have been rounded up to a whole number. The remainder is then
    /// negative, and one divisor too small. If the quotient is below `2^53` (`f32`: `2^24`), both
    /// numbers are exact, because a remainder has the last places of its operands. For larger
    /// quotients the result is not reduced below the divisor.
    pub(crate) fn remainder(&mut self, a: Id, b: Id) -> Id {
        let [size, divisor] = [a, b].map(|x| self.unary(Unary::Abs, x));
        let quotient = self.div(size, divisor);
        let count = self.unary(Unary::Floor, quotient);
        let minus = self.neg(count);
        let rest = self.mul_add(minus, divisor, size);
        let above = self.add(rest, divisor);
        let negative = self.is_negative(rest);
        let rest = self.choose(negative, above, rest);
        // A factor, so that the derivative is zero even if the remainder is zero.
        let sign = self.sign(a);
        let rest = self.mul(sign, rest);
        // For an infinite divisor, zero times the divisor is NaN.
        let less = self.compare(Comparison::Lt, size, divisor);
        let result = self.choose(less, a, rest);
        self.rounds(result, [a, b])
    }

    /// Returns `a` limited to the range from `low` to `high`; a NaN stays NaN.
    pub(crate) fn clamped(&mut self, a: Id, low: Id, high: Id) -> Id {
        let a = self.binary(Binary::Max, low, a);
        self.binary(Binary::Min, high, a)
    }

    /// Returns whether `predicate` holds for `a`.
    pub(crate) fn holds(&mut self, predicate: Predicate, a: Id) -> Truth {
        let number = self.compare(Comparison::Equals, a, a);
        let zero = self.literal(0.0);
        match predicate {
            Predicate::Nan => self.not(number),
            Predicate::Finite => {
                let difference = self.sub(a, a);
                self.compare(Comparison::Equals, difference, zero)
            }
            Predicate::Infinite => {
                let finite = self.holds(Predicate::Finite, a);
                let beyond = self.not(finite);
                self.and(number, beyond)
            }
            Predicate::SignPositive => {
                let sign = self.sign(a);
                self.compare(Comparison::Gt, sign, zero)
            }
            Predicate::SignNegative => {
                let sign = self.sign(a);
                self.compare(Comparison::Lt, sign, zero)
            }
        }
    }

    fn is_negative(&mut self, a: Id) -> Truth {
        let zero = self.literal(0.0);
        self.compare(Comparison::Lt, a, zero)
    }

    fn sign(&mut self, a: Id) -> Id {
        let one = self.literal(1.0);
        self.binary(Binary::Copysign, one, a)
    }

    fn trunc(&mut self, a: Id) -> Id {
        let magnitude = self.unary(Unary::Abs, a);
        let floor = self.unary(Unary::Floor, magnitude);
        let result = self.binary(Binary::Copysign, floor, a);
        self.rounds(result, [a; 2])
    }

    pub(crate) fn choose(&mut self, truth: Truth, a: Id, b: Id) -> Id {
        match truth {
            Truth::Known(true) => a,
            Truth::Known(false) => b,
            Truth::Mask(mask) => self.select(mask, a, b),
        }
    }
}
