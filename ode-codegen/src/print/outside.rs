//! The constants and tables that a system takes from outside.
//!
//! They are items in Rust. The text for a device receives their values at run time.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};

use super::DeviceText;
use crate::compile::{CompiledSystem, Mentioned, Outside};
use crate::elaborate::table::{Constant, Table};
use crate::emit::{Language, literal};
use crate::hygiene::private_name;

/// Returns the entries of a constant array as `f64`, converted from any numeric type.
pub(crate) fn entries_of(array: &TokenStream) -> TokenStream {
    quote!({
        let mut __all = [0.0; #array.len()];
        let mut __k = 0;
        while __k < __all.len() {
            __all[__k] = #array[__k] as f64;
            __k += 1;
        }
        __all
    })
}

/// The names of constants and tables in functions.
pub(super) struct Names {
    pub language: Language,
    pub constants: Vec<TokenStream>,
    pub tables: Vec<TokenStream>,
}

impl Names {
    pub(super) fn of(compiled: &CompiledSystem, language: Language) -> Self {
        let constants = compiled.constants.iter().map(|constant| name(&constant.name));
        let tables = compiled.tables.iter().map(|table| name(&table.name));
        Names {
            language,
            constants: constants.map(Ident::into_token_stream).collect(),
            tables: match language {
                Language::Rust => tables.map(Ident::into_token_stream).collect(),
                // A device has a table for each precision.
                Language::Device => tables.map(|name| quote!(#name::<R>)).collect(),
            },
        }
    }
}

fn name(text: &str) -> Ident {
    Ident::new(text, Span::call_site())
}

/// Returns the names of the constants and tables that functions mention.
pub(super) fn needed(all: &[Mentioned]) -> Vec<String> {
    all.iter().filter(|one| one.needed).map(|one| one.name.clone()).collect()
}

/// Returns the items that functions mention, by their [private names](private_name).
pub(super) fn items(
    compiled: &CompiledSystem,
    outside: &Outside,
    facade: &syn::Path,
) -> TokenStream {
    let constants = compiled.constants.iter().zip(&outside.constants);
    let constants = constants
        .filter(|(mentioned, _)| mentioned.needed)
        .map(|(mentioned, constant)| item_of_constant(&mentioned.name, constant));
    let tables = compiled.tables.iter().zip(&outside.tables);
    let tables = tables
        .filter(|(mentioned, _)| mentioned.needed)
        .map(|(mentioned, table)| item_of_table(&mentioned.name, table, facade));
    constants.chain(tables).collect()
}

/// Returns a constant as an item.
///
/// An item is evaluated even if the function is never called, so that an index out of range is
/// always an error. No variable of a function can shadow its name.
fn item_of_constant(text: &str, constant: &Constant) -> TokenStream {
    let value = match constant {
        Constant::Value(outside) => {
            let tokens = &outside.tokens;
            quote!(#tokens as f64)
        }
        Constant::Last(outside) => {
            let tokens = &outside.tokens;
            quote!((#tokens.len() - 1) as f64)
        }
    };
    let name = private_name(&name(text));
    quote! {
        #[allow(non_upper_case_globals)]
        const #name: f64 = #value;
    }
}

fn item_of_table(text: &str, table: &Table, facade: &syn::Path) -> TokenStream {
    let (length, entries) = entries_of_table(table, facade);
    let name = private_name(&name(text));
    quote! {
        #[allow(non_upper_case_globals)]
        static #name: [f64; #length] = #entries;
    }
}

/// Returns the length and the entries of a table.
fn entries_of_table(table: &Table, facade: &syn::Path) -> (TokenStream, TokenStream) {
    match table {
        Table::Known(values) => {
            let length = proc_macro2::Literal::usize_unsuffixed(values.len());
            let entries = values.iter().map(|value| literal(*value));
            (quote!(#length), quote!([#(#entries),*]))
        }
        Table::Outside { array, extended } => {
            let tokens = &array.tokens;
            let entries = entries_of(tokens);
            if *extended {
                let entries = quote!(#facade::__private::extended(&#entries));
                (quote!(#tokens.len() + 2), entries)
            } else {
                (quote!(#tokens.len()), entries)
            }
        }
        Table::Knots { of, behind, cubic } => {
            let (length, entries) = entries_of_table(of, facade);
            (quote!(#length + 1), quote!(#facade::__private::knots(&#entries, #behind, #cubic)))
        }
    }
}

/// Returns code that builds `__text`, the text for devices.
///
/// The text contains the values of constants and tables.
pub(super) fn device_source(text: &DeviceText, facade: &syn::Path) -> TokenStream {
    if let Some(whole) = text.whole() {
        return quote!(let __text = ::std::string::String::from(#whole););
    }
    let DeviceText { before, after, tables, constants } = text;
    let private = quote!(#facade::__private);
    let tables = tables.iter().map(|text| {
        let value = private_name(&name(text));
        quote!(__text.push_str(&#private::device_table(#text, &#value));)
    });
    let constants = constants.iter().map(|text| {
        let value = private_name(&name(text));
        quote!(__text.push_str(&#private::device_constant(#text, #value));)
    });
    quote! {
        let mut __text = ::std::string::String::new();
        #(#tables)*
        __text.push_str(#before);
        #(#constants)*
        __text.push_str(#after);
    }
}
