//! Functions that are a few operations of the graph, with the values of std's of the same name.
//!
//! They are composed before differentiation, so that derivatives follow from those of the parts.

use std::f64::consts::PI;

use crate::ast::Composed;
use crate::graph::{Binary, Comparison, Graph, Id, Unary};
use crate::simplify::Truth;

impl Graph {
    /// A function of as many numbers as it takes.
    pub(crate) fn compose(&mut self, function: Composed, arguments: &[Id]) -> Option<Id> {
        Some(match (function, arguments) {
            (Composed::Log, &[a, base]) => {
                let (a, base) = (self.unary(Unary::Ln, a), self.unary(Unary::Ln, base));
                self.div(a, base)
            }
            // In this order `a` is the result where it is a NaN.
            (Composed::Clamp, &[a, low, high]) => {
                let a = self.binary(Binary::Max, low, a);
                self.binary(Binary::Min, high, a)
            }
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
            // Half a unit more would round where it is added.
            (Composed::Round, &[a]) => {
                let trunc = self.trunc(a);
                let rest = self.sub(a, trunc);
                let rest = self.unary(Unary::Abs, rest);
                let half = self.literal(0.5);
                let up = self.compare(Comparison::Ge, rest, half);
                let sign = self.sign(a);
                let next = self.add(trunc, sign);
                self.choose(up, next, trunc)
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
            _ => return None,
        })
    }

    fn sign(&mut self, a: Id) -> Id {
        let one = self.literal(1.0);
        self.binary(Binary::Copysign, one, a)
    }

    fn trunc(&mut self, a: Id) -> Id {
        let magnitude = self.unary(Unary::Abs, a);
        let floor = self.unary(Unary::Floor, magnitude);
        self.binary(Binary::Copysign, floor, a)
    }

    fn choose(&mut self, truth: Truth, a: Id, b: Id) -> Id {
        match truth {
            Truth::Known(true) => a,
            Truth::Known(false) => b,
            Truth::Mask(mask) => self.select(mask, a, b),
        }
    }
}
