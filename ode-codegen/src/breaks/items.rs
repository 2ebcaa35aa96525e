//! The times of breaks as Rust expressions.

use proc_macro2::TokenStream;
use quote::quote;

use super::Breaks;
use crate::emit;
use crate::graph::{Binary, Graph, Id, Node, Unary};

/// The maximal number of operations of a time that rustc evaluates as a constant.
const MOST_OPERATIONS: usize = 100;

/// Returns whether rustc evaluates a time.
pub(super) fn is_constant(graph: &Graph, time: Id) -> bool {
    constant(graph, time, &|_| Some(quote!())).is_some()
}

impl Breaks {
    /// Returns a constant expression of the times that do not depend on parameters.
    ///
    /// The expression is a `&'static [f64]` in ascending order. `constants` are the expressions of
    /// constants from outside; `facade` contains the function that sorts unknown times.
    pub(crate) fn constant_times(
        &self,
        graph: &Graph,
        constants: &[TokenStream],
        facade: &syn::Path,
    ) -> TokenStream {
        let known: Option<Vec<f64>> =
            self.times.iter().map(|time| graph.literal_value(*time)).collect();
        match known {
            Some(mut times) => {
                times.sort_by(f64::total_cmp);
                // A zero may have either sign.
                times.dedup_by(|a, b| a == b);
                let times = times.iter().map(|time| emit::literal(time + 0.0));
                quote!(&[#(#times),*])
            }
            None => {
                let constant_of = |index: u32| constants.get(index as usize).cloned();
                let times: Vec<TokenStream> = (self.times.iter())
                    .filter_map(|time| constant(graph, *time, &constant_of))
                    .collect();
                let count = proc_macro2::Literal::usize_unsuffixed(times.len());
                quote!({
                    const ALL: &([f64; #count], usize) =
                        &#facade::__private::in_order([#(#times),*]);
                    ALL.0.split_at(ALL.1).0
                })
            }
        }
    }
}

/// Returns a number as a constant Rust expression, if it has few operations.
fn constant(
    graph: &Graph,
    id: Id,
    constants: &dyn Fn(u32) -> Option<TokenStream>,
) -> Option<TokenStream> {
    fn expression(
        graph: &Graph,
        id: Id,
        constants: &dyn Fn(u32) -> Option<TokenStream>,
        operations: &mut usize,
    ) -> Option<TokenStream> {
        *operations += 1;
        if *operations > MOST_OPERATIONS {
            return None;
        }
        let mut of = |id| expression(graph, id, constants, operations);
        Some(match graph.node(id) {
            Node::Literal(literal) => emit::literal(literal.value() + 0.0),
            Node::Constant(index) => {
                let constant = constants(index)?;
                quote!((#constant))
            }
            Node::Unary(Unary::Neg, a) => {
                let a = of(a)?;
                quote!((-#a))
            }
            Node::Binary(operation, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                match operation {
                    Binary::Add => quote!((#a + #b)),
                    Binary::Sub => quote!((#a - #b)),
                    Binary::Mul => quote!((#a * #b)),
                    Binary::Div => quote!((#a / #b)),
                    _ => return None,
                }
            }
            _ => return None,
        })
    }
    expression(graph, id, constants, &mut 0)
}
