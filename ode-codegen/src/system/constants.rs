//! What a system takes from outside by name: its items in Rust, and its text for a device, where the
//! values are filled in at run time.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::device;
use crate::elaborate::table::{Constant, Table};
use crate::emit::{Language, literal};
use crate::graph::Node;
use crate::hygiene::private_name;

/// The entries of a constant array as `f64`, whatever numbers they are.
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

/// By which names functions mention constants and tables.
pub(super) struct Names {
    pub language: Language,
    pub constants: Vec<TokenStream>,
    pub tables: Vec<TokenStream>,
}

/// The constants and tables that functions need.
pub(super) struct Constants {
    pub in_rust: Names,
    pub in_device: Names,
    /// The items that functions mention, by their [private names](private_name).
    pub items: TokenStream,
    /// Names in the device text.
    constants: Vec<Ident>,
    tables: Vec<Ident>,
}

impl Constants {
    /// Those of `constants` and `tables` that are among `nodes`.
    pub(super) fn of(
        nodes: impl Iterator<Item = Node>,
        constants: &[Constant],
        tables: &[Table],
        facade: &syn::Path,
    ) -> Self {
        let mut needed = (vec![false; constants.len()], vec![false; tables.len()]);
        for node in nodes {
            match node {
                Node::Constant(index) => needed.0[index as usize] = true,
                Node::Lookup(index, _) => needed.1[index as usize] = true,
                _ => {}
            }
        }
        let names = |language| Names { language, constants: Vec::new(), tables: Vec::new() };
        let mut all = Constants {
            in_rust: names(Language::Rust),
            in_device: names(Language::Device),
            items: TokenStream::new(),
            constants: Vec::new(),
            tables: Vec::new(),
        };
        for (index, (constant, needed)) in constants.iter().zip(needed.0).enumerate() {
            all.constant(index, constant, needed);
        }
        for (index, (table, needed)) in tables.iter().zip(needed.1).enumerate() {
            all.table(index, table, needed, facade);
        }
        all
    }

    fn constant(&mut self, index: usize, constant: &Constant, needed: bool) {
        let (Constant::Value(outside) | Constant::Last(outside)) = constant;
        // A name that no other member has, and that still tells where it is from.
        let member = format_ident!("constant{index}_{}", outside.name);
        let tokens = &outside.tokens;
        let value = match constant {
            Constant::Value(_) => quote!(#tokens as f64),
            Constant::Last(_) => quote!((#tokens.len() - 1) as f64),
        };
        // As an item it is evaluated even if the function is never called, so that an index out of
        // range is an error in any case, and where no variable of a function has its name.
        if needed {
            let name = private_name(&member);
            self.items.extend(quote! {
                #[allow(non_upper_case_globals)]
                const #name: f64 = #value;
            });
            self.constants.push(member.clone());
        }
        self.in_rust.constants.push(member.to_token_stream());
        self.in_device.constants.push(member.into_token_stream());
    }

    fn table(&mut self, index: usize, table: &Table, needed: bool, facade: &syn::Path) {
        let (name, length, entries) = match table {
            Table::Known(values) => {
                let length = proc_macro2::Literal::usize_unsuffixed(values.len());
                let entries = values.iter().map(|value| literal(*value));
                (format_ident!("table{index}"), quote!(#length), quote!([#(#entries),*]))
            }
            Table::Outside { array, extended } => {
                let tokens = &array.tokens;
                let entries = entries_of(tokens);
                let (length, entries) = if *extended {
                    let entries = quote!(#facade::__private::extended(&#entries));
                    (quote!(#tokens.len() + 2), entries)
                } else {
                    (quote!(#tokens.len()), entries)
                };
                (format_ident!("table{index}_{}", array.name), length, entries)
            }
        };
        if needed {
            let item = private_name(&name);
            self.items.extend(quote! {
                #[allow(non_upper_case_globals)]
                static #item: [f64; #length] = #entries;
            });
            self.tables.push(name.clone());
        }
        self.in_rust.tables.push(name.to_token_stream());
        // A device has a table for each precision.
        self.in_device.tables.push(quote!(#name::<R>));
    }

    /// The body of `device_source`.
    pub(super) fn device_source(&self, text: &str, facade: &syn::Path) -> TokenStream {
        let (before, after) = text.split_once(device::CONSTANTS).unwrap_or((text, ""));
        if self.constants.is_empty() && self.tables.is_empty() {
            let text = format!("{before}{}", after.trim_start_matches('\n'));
            return quote!(::std::string::String::from(#text));
        }
        let private = quote!(#facade::__private);
        let tables = self.tables.iter().map(|name| {
            let (text, value) = (name.to_string(), private_name(name));
            quote!(__text.push_str(&#private::device_table(#text, &#value));)
        });
        let constants = self.constants.iter().map(|name| {
            let (text, value) = (name.to_string(), private_name(name));
            quote!(__text.push_str(&#private::device_constant(#text, #value));)
        });
        // The line of the constants goes where there are none.
        let after = if self.constants.is_empty() { after.trim_start_matches('\n') } else { after };
        quote! {
            let mut __text = ::std::string::String::new();
            #(#tables)*
            __text.push_str(#before);
            #(#constants)*
            __text.push_str(#after);
            __text
        }
    }
}
