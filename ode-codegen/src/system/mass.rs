//! What a system with a mass matrix has more than others.

use std::collections::HashSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::ast::{MassMatrix, System};
use crate::factor::Rows;
use crate::graph::{Graph, Id, Input};

/// A mass matrix `M` that is not the identity.
pub(super) struct Mass {
    /// `M v`, zero where nothing is.
    pub product: Vec<Option<Id>>,
    /// The entries that only rustc knows.
    unknown: Vec<(usize, usize)>,
    /// Which rows and columns are zero.
    rows: Vec<bool>,
    columns: Vec<bool>,
}

impl Mass {
    pub(super) fn new(entries: &Rows, graph: &mut Graph) -> Self {
        let states = entries.len();
        let used: HashSet<usize> = entries.iter().flatten().map(|(column, _)| *column).collect();
        let all = entries.iter().enumerate();
        let all = all.flat_map(|(row, entries)| entries.iter().map(move |entry| (row, entry)));
        Mass {
            unknown: all
                .filter(|(_, (_, id))| graph.literal_value(*id).is_none())
                .map(|(row, (column, _))| (row, *column))
                .collect(),
            product: entries.iter().map(|row| product(row, graph)).collect(),
            rows: entries.iter().map(Vec::is_empty).collect(),
            columns: (0..states).map(|column| !used.contains(&column)).collect(),
        }
    }

    /// How many equations have no derivative by the time.
    pub(super) fn algebraic(&self) -> usize {
        self.rows.iter().filter(|zero| **zero).count()
    }

    /// The functions that choose between two vectors: by equations, and by unknowns, of which all are
    /// algebraic where none can be told from the others.
    pub(super) fn choices(&self) -> [TokenStream; 2] {
        let columns = self.columns.iter().filter(|zero| **zero).count();
        let apart = columns == self.algebraic();
        let unknowns: Vec<bool> = self.columns.iter().map(|zero| *zero || !apart).collect();
        [choice("algebraic_rows", &self.rows), choice("algebraic_columns", &unknowns)]
    }

    /// Makes rustc refuse an entry that is zero after all.
    pub(super) fn assertions(&self, mass: &MassMatrix<'_>) -> TokenStream {
        let is_diagonal = !matches!(mass.ty.syntax, syn::Type::Array(array) if matches!(*array.elem, syn::Type::Array(_)));
        let name = mass.name;
        let entries = self.unknown.iter().map(|&(row, column)| {
            let [row, column] = [row, column].map(Literal::usize_unsuffixed);
            let entry = if is_diagonal { quote!(#name[#row]) } else { quote!(#name[#row][#column]) };
            quote_spanned! {name.span()=>
                const _: () = ::core::assert!(
                    #entry != 0.0,
                    "an entry of this mass matrix is zero by a constant from outside: which are zero \
                     decides how equations are solved, and a macro does not see it; write `0.0`",
                );
            }
        });
        entries.collect()
    }
}

/// A row of `M v`.
fn product(row: &[(usize, Id)], graph: &mut Graph) -> Option<Id> {
    row.iter().fold(None, |sum, &(column, entry)| {
        let component = graph.input(Input::Vector(column as u32));
        let product = graph.mul(entry, component);
        Some(match sum {
            Some(sum) => graph.add(sum, product),
            None => product,
        })
    })
}

/// A function that takes these components from the first vector, and the others from the second.
fn choice(name: &str, first: &[bool]) -> TokenStream {
    let name = format_ident!("{name}");
    let length = Literal::usize_unsuffixed(first.len());
    let components = first.iter().enumerate().map(|(index, first)| {
        let index = Literal::usize_unsuffixed(index);
        if *first { quote!(a[#index]) } else { quote!(b[#index]) }
    });
    quote! {
        fn #name<R: Real>(a: &[R; #length], b: &[R; #length]) -> [R; #length] {
            [#(#components),*]
        }
    }
}

/// The mistake of equations that have too few unknowns in them.
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
        ([_], _) => format!("the equation of {} without an unknown", list(equations)),
        _ => {
            format!("the equations of {} with no unknown but {}", list(equations), list(unknowns))
        }
    };
    let message = format!(
        "this mass matrix leaves {few}, so that another unknown is determined by no \
         equation, or only by the derivative of one (an index above 1); write an algebraic equation \
         for each unknown that has no derivative: differentiate by hand, for example"
    );
    let name: &Ident = system.mass.as_ref().map_or(system.name, |mass| mass.name);
    syn::Error::new_spanned(name, message)
}
