//! Mass matrices.

use std::collections::HashSet;

use super::Elaborator;
use super::structs::Layout;
use super::value::Value;
use crate::ast::{MassMatrix, Shape};
use crate::factor::Rows;
use crate::graph::{Id, Node};

impl<'a> Elaborator<'a, '_> {
    /// Returns the nonzeros of the mass matrix.
    ///
    /// Returns `None` for the identity, and after an error.
    pub(super) fn mass(&mut self, mass: &MassMatrix<'a>, states: usize) -> Option<Rows> {
        let diagonal = match &mass.ty.shape {
            Shape::Array(element, _) => match &**element {
                Shape::Float => Some(true),
                Shape::Array(inner, _) if matches!(**inner, Shape::Float) => Some(false),
                _ => None,
            },
            _ => None,
        };
        let layout = match diagonal {
            Some(_) => Some(self.layout(&mass.ty)?),
            None => None,
        };
        let fits = match (&layout, diagonal) {
            (Some(Layout::Array(_, rows)), Some(true)) => *rows == states,
            (Some(layout @ Layout::Array(_, rows)), Some(false)) => {
                *rows == states && layout.size() == rows.saturating_mul(states)
            }
            _ => false,
        };
        if !fits {
            let scalar = self.system.scalar.name();
            let message = format!(
                "expected `[[{scalar}; {states}]; {states}]` here, or `[{scalar}; {states}]` for a \
                 diagonal matrix: each row belongs to the equation of a state, and each column to \
                 the derivative of a state"
            );
            self.error(0, &mass.ty.syntax, message);
            return None;
        }
        let index = self.find(mass.name)?;
        let entries = match self.variables[index].value.clone() {
            Value::Array(entries) => entries,
            Value::Real(_) => return self.hidden(mass),
            _ => return None,
        };
        let mut rows = Vec::with_capacity(states);
        for (row, entry) in entries.iter().enumerate() {
            let entries: Vec<(usize, Id)> = match entry {
                Value::Array(entries) => {
                    let real = |(column, entry): (usize, &Value<'a>)| match entry {
                        Value::Real(id) => Some((column, *id)),
                        _ => None,
                    };
                    entries.iter().enumerate().map(real).collect::<Option<_>>()?
                }
                Value::Real(id) if diagonal == Some(true) => vec![(row, *id)],
                Value::Real(_) => return self.hidden(mass),
                _ => return None,
            };
            rows.push(entries.into_iter().filter(|(_, id)| !self.graph.is(*id, 0.0)).collect());
        }
        let within = |row: &Vec<(usize, Id)>| row.iter().all(|(column, _)| *column < states);
        if rows.len() != states || !rows.iter().all(within) {
            // rustc rejects lengths that differ from the type.
            return None;
        }
        for &(_, entry) in rows.iter().flatten() {
            if !self.is_finite(entry) {
                self.error(
                    0,
                    mass.value,
                    "an entry of this mass matrix is not finite: it multiplies a derivative; write \
                     a finite number",
                );
                return None;
            }
        }
        let is_one = |(row, entries): (usize, &Vec<(usize, Id)>)| match entries[..] {
            [(column, entry)] => column == row && self.graph.is(entry, 1.0),
            _ => false,
        };
        let identity = rows.iter().enumerate().all(is_one);
        (!identity).then_some(rows)
    }

    /// Returns whether an entry is finite, unless it depends on constants from outside.
    ///
    /// Infinities and NaN come from quotients of known numbers.
    fn is_finite(&self, entry: Id) -> bool {
        let mut seen = HashSet::from([entry]);
        let mut left = vec![entry];
        while let Some(id) = left.pop() {
            let node = self.graph.node(id);
            if matches!(node, Node::Constant(_)) {
                return true;
            }
            left.extend(node.operands().filter(|operand| seen.insert(*operand)));
        }
        self.graph.literal_value(entry).is_some()
    }

    /// Rejects a matrix, or a row, that is a constant of another module.
    fn hidden<T>(&mut self, mass: &MassMatrix<'a>) -> Option<T> {
        self.error(
            0,
            mass.value,
            "the entries of a mass matrix must be written here: their zeros decide how equations \
             are solved, and a macro cannot see the value of a constant from outside; write the \
             entries, as in `[[1.0, 0.0], [0.0, 0.0]]`",
        );
        None
    }
}
