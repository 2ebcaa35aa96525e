//! The generated functions for a mass matrix.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::receiver;
use crate::compile::Mass;
use crate::emit::Language;

impl Mass {
    /// Returns the functions that select components from two vectors: by equations, and by
    /// unknowns.
    ///
    /// If the algebraic unknowns cannot be identified, all unknowns count as algebraic.
    pub(super) fn choices(&self, language: Language) -> [TokenStream; 2] {
        let columns = self.columns.iter().filter(|zero| **zero).count();
        let apart = columns == self.algebraic();
        let unknowns: Vec<bool> = self.columns.iter().map(|zero| *zero || !apart).collect();
        [
            choice("algebraic_rows", &self.rows, language),
            choice("algebraic_columns", &unknowns, language),
        ]
    }

    /// Returns assertions that make rustc reject an entry that is zero after all.
    pub(super) fn assertions(&self, name: &Ident) -> TokenStream {
        let entries = self.unknown.iter().map(|&(row, column)| {
            let [row, column] = [row, column].map(Literal::usize_unsuffixed);
            let entry = if self.is_diagonal { quote!(#name[#row]) } else { quote!(#name[#row][#column]) };
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

/// Returns a function that selects components from two vectors.
///
/// These components come from the first vector, the others from the second.
fn choice(name: &str, first: &[bool], language: Language) -> TokenStream {
    let receiver = receiver(language, name);
    let name = format_ident!("{name}");
    let length = Literal::usize_unsuffixed(first.len());
    let components = first.iter().enumerate().map(|(index, first)| {
        let index = Literal::usize_unsuffixed(index);
        if *first { quote!(a[#index]) } else { quote!(b[#index]) }
    });
    quote! {
        fn #name<R: Real>(#receiver a: &[R; #length], b: &[R; #length]) -> [R; #length] {
            [#(#components),*]
        }
    }
}
