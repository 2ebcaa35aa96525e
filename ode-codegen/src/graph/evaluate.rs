//! An interpreter, which computes the values of a graph's nodes with Rust's own functions.
//!
//! Arithmetic has the same bits as in lanes, in `f64`. Elementary functions come from Rust's
//! standard library, and their last bits may differ from those of `odes`.

use super::{Comparison, Graph, Id, InputNode, Node};

/// The values of inputs, constants and tables.
///
/// The interpreter requests only values that a needed node mentions.
pub(crate) struct Given<'a> {
    pub input: &'a dyn Fn(InputNode) -> f64,
    /// The value of a user's constant, by its index.
    pub constant: &'a dyn Fn(u32) -> f64,
    /// The entry of a table, by the index of the table and of the entry.
    pub entry: &'a dyn Fn(u32, f64) -> f64,
}

/// Returns the entry of a table at an integer, as `Real::lookup` does.
pub(crate) fn entry_of(table: &[f64], index: f64) -> f64 {
    // The cast saturates, and converts NaN to zero.
    let last = table.len().saturating_sub(1);
    table.get((index as usize).min(last)).copied().unwrap_or(f64::NAN)
}

impl Graph {
    /// Returns the values of the `needed` nodes, and zeros for others.
    ///
    /// Truth values are 0 and 1.
    pub(crate) fn evaluate(&self, needed: &[bool], given: &Given<'_>) -> Vec<f64> {
        let mut values = vec![0.0; self.len()];
        for id in self.ids().filter(|id| needed[id.index()]) {
            let of = |operand: Id| values[operand.index()];
            values[id.index()] = match self.node(id) {
                Node::Literal(literal) => literal.value(),
                Node::Constant(index) => (given.constant)(index),
                Node::Input(which) => (given.input)(which),
                Node::Unary(function, a) => (function.row().value)(of(a)),
                Node::Binary(function, a, b) => (function.row().value)(of(a), of(b)),
                Node::MulAdd(a, b, c) => of(a).mul_add(of(b), of(c)),
                Node::Powi(a, exponent) => of(a).powf(exponent as f64),
                Node::Compare(comparison, a, b) => {
                    let (a, b) = (of(a), of(b));
                    f64::from(match comparison {
                        Comparison::Lt => a < b,
                        Comparison::Le => a <= b,
                        Comparison::Gt => a > b,
                        Comparison::Ge => a >= b,
                        Comparison::Equals => a == b,
                    })
                }
                Node::And(a, b) => of(a).min(of(b)),
                Node::Or(a, b) => of(a).max(of(b)),
                Node::Not(a) => 1.0 - of(a),
                Node::Select(mask, a, b) => of(if of(mask) == 1.0 { a } else { b }),
                Node::Lookup(table, index) => (given.entry)(table, of(index)),
            };
        }
        values
    }
}
