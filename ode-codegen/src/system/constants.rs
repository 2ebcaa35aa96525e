//! What a system takes from outside by name: its items in Rust, and its text for a device, where the
//! values are filled in at run time.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use crate::device;
use crate::elaborate::table::{Constant, Table};
use crate::emit::{Language, literal};
use crate::graph::Node;

/// The entries of a constant array as `f64`, whatever numbers they are.
pub(crate) fn entries_of(array: &TokenStream) -> TokenStream {
    quote!({
        let mut all = [0.0; #array.len()];
        let mut k = 0;
        while k < all.len() {
            all[k] = #array[k] as f64;
            k += 1;
        }
        all
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
    items: TokenStream,
    /// Names in the device text, and values.
    constants: Vec<(Ident, TokenStream)>,
    tables: Vec<Ident>,
    extends: bool,
}

impl Constants {
    /// Those of `constants` and `tables` that are among `nodes`.
    pub(super) fn of(
        nodes: impl Iterator<Item = Node>,
        constants: &[Constant],
        tables: &[Table],
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
            extends: false,
        };
        for (index, (constant, needed)) in constants.iter().zip(needed.0).enumerate() {
            all.constant(index, constant, needed);
        }
        for (index, (table, needed)) in tables.iter().zip(needed.1).enumerate() {
            all.table(index, table, needed);
        }
        all
    }

    fn constant(&mut self, index: usize, constant: &Constant, needed: bool) {
        let (Constant::Value(outside) | Constant::Last(outside)) = constant;
        // A name that no other member has, and that still tells where it is from.
        let member = format_ident!("constant{index}_{}", outside.name);
        let tokens = &outside.tokens;
        let (value, by_name) = match constant {
            Constant::Value(outside) => (quote!(#tokens as f64), outside.element),
            Constant::Last(_) => (quote!((#tokens.len() - 1) as f64), true),
        };
        // As an item it is evaluated even if the function is never called, so that an index out of
        // range is an error in any case.
        if by_name && needed {
            self.items.extend(quote! {
                #[allow(non_upper_case_globals)]
                const #member: f64 = #value;
            });
        }
        let in_rust = if by_name { member.to_token_stream() } else { value };
        if needed {
            self.constants.push((member.clone(), in_rust.clone()));
        }
        self.in_rust.constants.push(in_rust);
        self.in_device.constants.push(member.into_token_stream());
    }

    fn table(&mut self, index: usize, table: &Table, needed: bool) {
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
                    self.extends |= needed;
                    (quote!(#tokens.len() + 2), quote!(extended(&#entries)))
                } else {
                    (quote!(#tokens.len()), entries)
                };
                (format_ident!("table{index}_{}", array.name), length, entries)
            }
        };
        if needed {
            self.items.extend(quote! {
                #[allow(non_upper_case_globals)]
                static #name: [f64; #length] = #entries;
            });
            self.tables.push(name.clone());
        }
        self.in_rust.tables.push(name.to_token_stream());
        // A device has a table for each precision.
        self.in_device.tables.push(quote!(#name::<R>));
    }

    /// The items that functions mention, and imports of what they and [`Self::device_source`] call.
    pub(super) fn items(&self, facade: &syn::Path) -> TokenStream {
        let names = [
            ("device_constant", !self.constants.is_empty()),
            ("device_table", !self.tables.is_empty()),
            ("extended", self.extends),
        ];
        let names = names.iter().filter(|(_, needed)| *needed);
        let names = names.map(|(name, _)| Ident::new(name, Span::call_site()));
        let imports = names.map(|name| quote!(use #facade::__private::#name;));
        let items = &self.items;
        quote!(#(#imports)* #items)
    }

    /// The body of `device_source`.
    pub(super) fn device_source(&self, text: &str) -> TokenStream {
        let (before, after) = text.split_once(device::CONSTANTS).unwrap_or((text, ""));
        if self.constants.is_empty() && self.tables.is_empty() {
            let text = format!("{before}{}", after.trim_start_matches('\n'));
            return quote!(::std::string::String::from(#text));
        }
        let (tables, table_names) = (&self.tables, self.tables.iter().map(Ident::to_string));
        let values = self.constants.iter().map(|(_, value)| value);
        let members = self.constants.iter().map(|(member, _)| member.to_string());
        // The line of the constants goes where there are none.
        let after = if self.constants.is_empty() { after.trim_start_matches('\n') } else { after };
        quote! {
            let mut text = ::std::string::String::new();
            #(text.push_str(&device_table(#table_names, &#tables));)*
            text.push_str(#before);
            #(text.push_str(&device_constant(#members, #values));)*
            text.push_str(#after);
            text
        }
    }
}
