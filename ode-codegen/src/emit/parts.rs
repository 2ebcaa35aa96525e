//! Long functions, split into parts that are functions themselves.
//!
//! LLVM's compile time grows faster than the length of a function. A part computes a number of
//! values, and stores in arrays the results and the values for later parts.
//!
//! ```text
//! let zero = R::lit(0.0);
//! let mut out = [zero; 400];
//! let mut kept = [zero; 17];
//! R::outline(#[inline(always)] || { let v0 = …; …; kept[0] = v7; out[3] = v9; });
//! R::outline(#[inline(always)] || { let v500 = kept[0] * …; … });
//! out
//! ```

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::{Results, Writer};
use crate::graph::{Id, Kind, Node, Unary};

/// The number of operations of a part. The rest of the code for a system is about as long.
pub(super) const LENGTH: usize = 400;

/// The position of a result in the array, and its node.
struct Place {
    place: TokenStream,
    value: Id,
}

impl Writer<'_> {
    /// Returns the body of a function with results in an array; `operations` are in order.
    pub(super) fn in_parts(&mut self, operations: &[Id]) -> TokenStream {
        let (zeros, places) = places(self.function.results);
        let graph = self.function.graph;
        let mut part_of = vec![None; graph.len()];
        for (count, id) in operations.iter().enumerate() {
            part_of[id.index()] = Some(count / LENGTH);
        }
        // For each value, the last part that needs it.
        let mut last_use = vec![0; graph.len()];
        for (count, id) in operations.iter().enumerate() {
            for operand in graph.node(*id).operands() {
                let value = self.variable_of(operand);
                last_use[value.index()] = last_use[value.index()].max(count / LENGTH);
            }
        }
        // A part stores the results that it computes, also negated.
        let count = operations.len().div_ceil(LENGTH);
        let mut results: Vec<Vec<&Place>> = (0..count).map(|_| Vec::new()).collect();
        for place in &places {
            let value = self.variable_of(place.value);
            results[part_of[value.index()].unwrap_or(0)].push(place);
        }

        let mut parts = TokenStream::new();
        let mut masks = TokenStream::new();
        let (mut free, mut slots, mut leaving) = (Vec::new(), 0, vec![Vec::new(); count]);
        for (part, ids) in operations.chunks(LENGTH).enumerate() {
            let mut lines = TokenStream::new();
            for id in ids {
                let operation = self.operation(graph.node(*id));
                let name = self.name(*id);
                lines.extend(quote!(let #name = #operation;));
            }
            for Place { place, value } in &results[part] {
                let value = self.argument(*value);
                lines.extend(quote!(out #place = #value;));
            }
            for id in ids.iter().filter(|id| last_use[id.index()] > part) {
                let value = self.argument(*id);
                let is_result = results[part].iter().find(|result| result.value == *id);
                let name = if let Some(Place { place, .. }) = is_result {
                    quote!(out #place)
                } else if graph.node(*id).kind() == Kind::Mask {
                    let name = format_ident!("kept_{}", value.to_string());
                    masks.extend(quote!(let mut #name = zero.lt(zero);));
                    lines.extend(quote!(#name = #value;));
                    quote!(#name)
                } else {
                    let slot = free.pop().unwrap_or_else(|| {
                        slots += 1;
                        slots - 1
                    });
                    leaving[last_use[id.index()]].push(slot);
                    let slot = Literal::usize_unsuffixed(slot);
                    lines.extend(quote!(kept[#slot] = #value;));
                    quote!(kept[#slot])
                };
                self.names[id.index()] = Some(name);
            }
            // Later parts reuse the slots of values that are no longer needed.
            free.append(&mut leaving[part]);
            parts.extend(quote!(R::outline(#[inline(always)] || { #lines });));
        }
        let kept = (slots > 0).then(|| {
            let slots = Literal::usize_unsuffixed(slots);
            quote!(let mut kept = [zero; #slots];)
        });
        quote! {
            let zero = R::lit(0.0);
            let mut out = #zeros;
            #kept
            #masks
            #parts
            out
        }
    }

    /// Returns the node without negations, which are emitted at each use.
    fn variable_of(&self, id: Id) -> Id {
        match self.function.graph.node(id) {
            Node::Unary(Unary::Neg, positive) => self.variable_of(positive),
            _ => id,
        }
    }
}

/// Returns an array of zeros for the results, and the positions of the nonzero results.
fn places(results: &Results) -> (TokenStream, Vec<Place>) {
    let index = |index| {
        let index = Literal::usize_unsuffixed(index);
        quote!([#index])
    };
    let row = |row: &[Option<Id>]| -> Vec<(TokenStream, Id)> {
        let entries = row.iter().enumerate();
        entries.filter_map(|(i, id)| Some((index(i), (*id)?))).collect()
    };
    match results {
        Results::Vector(all) => {
            let length = Literal::usize_unsuffixed(all.len());
            let places = row(all).into_iter().map(|(place, value)| Place { place, value });
            (quote!([zero; #length]), places.collect())
        }
        Results::Matrix(rows, columns) => {
            let height = Literal::usize_unsuffixed(rows.len());
            let columns = Literal::usize_unsuffixed(*columns);
            let places = rows.iter().enumerate().flat_map(|(i, entries)| {
                let i = index(i);
                let place = move |(j, value)| Place { place: quote!(#i #j), value };
                row(entries).into_iter().map(place)
            });
            (quote!([[zero; #columns]; #height]), places.collect())
        }
        Results::RowSum(_) | Results::Mask(_) => (TokenStream::new(), Vec::new()),
    }
}
