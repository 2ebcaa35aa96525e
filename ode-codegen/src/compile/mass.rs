//! The mass matrix, as far as the macro can evaluate it.

use std::collections::HashSet;

use proc_macro2::Ident;

use crate::ast::{MassMatrix, System};
use crate::factor::Rows;
use crate::graph::{Graph, Id, InputNode};

/// A mass matrix `M` that is not the identity.
#[derive(Debug)]
pub(crate) struct Mass {
    /// Whether the constant contains only the diagonal.
    pub is_diagonal: bool,
    /// The entries with values that only rustc can compute.
    pub unknown: Vec<(usize, usize)>,
    /// For each row and each column, whether it is zero.
    pub rows: Vec<bool>,
    pub columns: Vec<bool>,
}

impl Mass {
    pub(super) fn new(entries: &Rows, graph: &Graph, constant: &MassMatrix<'_>) -> Self {
        let states = entries.len();
        let used: HashSet<usize> = entries.iter().flatten().map(|(column, _)| *column).collect();
        let all = entries.iter().enumerate();
        let all = all.flat_map(|(row, entries)| entries.iter().map(move |entry| (row, entry)));
        let is_array = |ty: &syn::Type| matches!(ty, syn::Type::Array(_));
        let is_matrix =
            matches!(constant.ty.syntax, syn::Type::Array(rows) if is_array(&rows.elem));
        Mass {
            is_diagonal: !is_matrix,
            unknown: all
                .filter(|(_, (_, id))| graph.literal_value(*id).is_none())
                .map(|(row, (column, _))| (row, *column))
                .collect(),
            rows: entries.iter().map(Vec::is_empty).collect(),
            columns: (0..states).map(|column| !used.contains(&column)).collect(),
        }
    }

    /// Returns the number of equations without a time derivative.
    pub(crate) fn algebraic(&self) -> usize {
        self.rows.iter().filter(|zero| **zero).count()
    }
}

/// Returns `M v`; `None` is a structural zero.
pub(super) fn product(entries: &Rows, graph: &mut Graph) -> Vec<Option<Id>> {
    entries.iter().map(|row| product_of(row, graph)).collect()
}

/// Returns the product of a row of the matrix with the vector.
fn product_of(row: &[(usize, Id)], graph: &mut Graph) -> Option<Id> {
    row.iter().fold(None, |sum, &(column, entry)| {
        let component = graph.input(InputNode::Vector(column as u32));
        let product = graph.mul(entry, component);
        Some(match sum {
            Some(sum) => graph.add(sum, product),
            None => product,
        })
    })
}

/// Returns the error for equations with too few unknowns.
pub(super) fn singular(
    system: &System<'_>,
    names: &[String],
    equations: &[usize],
    unknowns: &[usize],
) -> syn::Error {
    let list = |indices: &[usize]| {
        let names: Vec<String> =
            indices.iter().map(|index| format!("`{}`", names[*index])).collect();
        match &names[..] {
            [only] => only.clone(),
            [most @ .., last] if names.len() <= 4 => format!("{} and {last}", most.join(", ")),
            [first, second, third, ..] => {
                format!("{first}, {second}, {third} and {} more", names.len() - 3)
            }
            [..] => String::new(),
        }
    };
    let few = match (equations, unknowns) {
        ([_], _) => format!("the equation of {} has no unknown", list(equations)),
        _ => {
            format!(
                "the equations of {} have no unknown except {}",
                list(equations),
                list(unknowns)
            )
        }
    };
    let message = format!(
        "with this mass matrix, {few}: another unknown has no equation, or only the derivative of \
         one (an index above 1); write an algebraic equation for each unknown without a \
         derivative, for example by differentiating by hand"
    );
    let name: &Ident = system.mass.as_ref().map_or(system.name, |mass| mass.name);
    syn::Error::new_spanned(name, message)
}
