//! Items: functions, structs, constants and impl blocks as C++.

use std::collections::HashMap;
use std::fmt::Write as _;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, FnArg, ImplItem, Item, Pat, ReturnType, Signature};

use super::names::{Scope, mangle};
use super::types::Parameter;

/// Prints items, collecting every error.
#[derive(Default)]
pub(super) struct Printer {
    errors: Vec<syn::Error>,
    /// The generic parameters in scope.
    pub(super) parameters: HashMap<String, Parameter>,
    pub(super) scope: Scope,
    /// The names of parameters with a generic type of struct kind.
    ///
    /// For these, `feed.load(i)` is a member call.
    pub(super) objects: Vec<String>,
    /// The structs of this module: name, and field names in order.
    pub(super) structs: HashMap<String, Vec<String>>,
    /// Whether `items` and `structs` are complete: in a module, but not in a system's text.
    names_are_known: bool,
    /// Functions and constants of this module.
    pub(super) items: Vec<String>,
    pub(super) indent: usize,
    /// Whether a float literal has a type in this position: in constants and in `lit(…)`.
    pub(super) float_literals: bool,
    /// Whether a float literal has the type `f32` in this position.
    pub(super) single_literals: bool,
    /// The variables of the enclosing `for` loops.
    ///
    /// They are constants in Rust's unrolled form, but not in C++.
    pub(super) loop_variables: Vec<String>,
}

impl Printer {
    pub(super) fn error(&mut self, tokens: impl ToTokens, message: &str) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Returns all errors as one, in the order of the source.
    pub(super) fn finish(mut self) -> syn::Result<()> {
        self.errors.sort_by_key(|error| {
            let start = error.span().start();
            (start.line, start.column)
        });
        let all = self.errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        all.map_or(Ok(()), Err)
    }

    /// Prints all items: structs and constants first, then prototypes, then bodies.
    ///
    /// Functions may thus call each other in any order (`float` has no argument-dependent lookup).
    pub(super) fn module(&mut self, items: &[Item]) -> String {
        self.names_are_known = true;
        for item in items {
            match item {
                Item::Fn(item) => self.items.push(item.sig.ident.to_string()),
                Item::Const(item) => self.items.push(item.ident.to_string()),
                _ => {}
            }
            if let Item::Struct(item) = item {
                let fields = item.fields.iter().filter_map(|f| f.ident.as_ref());
                self.structs
                    .insert(item.ident.to_string(), fields.map(ToString::to_string).collect());
            }
        }
        let (mut types, mut prototypes, mut bodies) = (String::new(), String::new(), String::new());
        for item in items {
            match item {
                Item::Use(_) => {}
                Item::Struct(item) if item.fields.is_empty() => {
                    // The static members come from the impl blocks, as one struct.
                    bodies.push_str(&self.unit_struct(item, items));
                    let _ = writeln!(types, "struct {};", mangle(&item.ident.to_string()));
                }
                Item::Struct(item) => types.push_str(&self.data_struct(item)),
                Item::Const(item) => types.push_str(&self.constant(item)),
                Item::Fn(item) => {
                    let place = linkage(&item.attrs);
                    let head = self.function_head(&item.sig, place);
                    let _ = writeln!(prototypes, "{head};");
                    let body = self.defined(&head, &item.sig, &item.block);
                    bodies.push_str(&comment(&item.attrs, item.sig.span()));
                    bodies.push_str(&body);
                }
                Item::Impl(item) => {
                    let target = item.self_ty.to_token_stream().to_string();
                    if !self.structs.contains_key(&target) {
                        self.error(
                            &item.self_ty,
                            "an impl block must be of a unit struct of this module",
                        );
                    }
                }
                // rustc checks the declarations of a trait; C++ finds the members by name.
                Item::Trait(_) => {}
                Item::Type(item) => {
                    self.error(item, "a type alias cannot be translated; write the type");
                }
                other => self.error(
                    other,
                    "this item cannot be translated; a device module contains functions, structs, \
                     constants, and impl blocks of unit structs",
                ),
            }
        }
        format!("{types}{prototypes}{bodies}")
    }

    /// Reports an unqualified name that this module does not declare.
    ///
    /// `use` is not translated, so a name of another module must contain the module.
    pub(super) fn require_known(&mut self, ident: &syn::Ident) {
        let name = ident.to_string();
        let known = self.items.contains(&name)
            || self.structs.contains_key(&name)
            || self.parameters.contains_key(&name);
        if self.names_are_known && !known {
            let message = format!(
                "`{name}` is not an item of this module; write an item of another device module \
                 with the module's name, as `math::exp`"
            );
            self.error(ident, &message);
        }
    }

    fn unit_struct(&mut self, item: &syn::ItemStruct, items: &[Item]) -> String {
        let name = item.ident.to_string();
        let mut text = comment(&item.attrs, item.span());
        let _ = writeln!(text, "struct {} {{", mangle(&name));
        for item in items {
            let Item::Impl(item) = item else { continue };
            if item.self_ty.to_token_stream().to_string() != name {
                continue;
            }
            for member in &item.items {
                match member {
                    ImplItem::Const(c) => {
                        let ty = self.ty(&c.ty);
                        let value = self.initializer(&c.expr, &ty);
                        let ident = mangle(&c.ident.to_string());
                        let _ = writeln!(text, "    static constexpr {ty} {ident} = {value};");
                    }
                    ImplItem::Fn(f) => {
                        self.indent = 1;
                        text.push_str(&self.function(&f.sig, &f.block, "static DEVICE"));
                        self.indent = 0;
                    }
                    ImplItem::Type(t) => {
                        self.parameters.clear();
                        let template = self.template(&t.generics);
                        let (ident, ty) = (mangle(&t.ident.to_string()), self.ty(&t.ty));
                        let _ = writeln!(text, "    {template}using {ident} = {ty};");
                    }
                    other => {
                        self.error(other, "only constants, functions and types can be translated");
                    }
                }
            }
        }
        text.push_str("};\n");
        text
    }

    /// Prints functions as static member templates.
    pub(super) fn static_members(&mut self, functions: &[syn::ItemFn]) -> String {
        self.indent = 1;
        let text = functions
            .iter()
            .map(|f| self.function(&f.sig, &f.block, &format!("static {}", linkage(&f.attrs))))
            .collect::<String>();
        self.indent = 0;
        text
    }

    fn data_struct(&mut self, item: &syn::ItemStruct) -> String {
        self.parameters.clear();
        let template = self.template(&item.generics);
        let rust_name = item.ident.to_string();
        let name = mangle(&rust_name);
        let fields: Vec<(String, String)> = item
            .fields
            .iter()
            .filter_map(|f| Some((f.ident.as_ref()?.to_string(), self.ty(&f.ty))))
            .collect();
        if fields.len() != item.fields.len() {
            self.error(item, "a tuple struct cannot be translated; name the fields");
        }
        let arguments = if item.generics.params.is_empty() {
            String::new()
        } else {
            let names: Vec<String> = item
                .generics
                .params
                .iter()
                .map(|p| match p {
                    syn::GenericParam::Type(t) => mangle(&t.ident.to_string()),
                    syn::GenericParam::Const(c) => mangle(&c.ident.to_string()),
                    syn::GenericParam::Lifetime(_) => String::new(),
                })
                .collect();
            format!("<{}>", names.join(", "))
        };
        let mut text = comment(&item.attrs, item.span());
        let members: String =
            fields.iter().map(|(n, t)| format!("    {t} {};\n", mangle(n))).collect();
        let parameters: Vec<String> =
            fields.iter().map(|(n, t)| format!("const {t}& {}", mangle(n))).collect();
        let values: Vec<String> = fields.iter().map(|(n, _)| mangle(n)).collect();
        let _ = write!(
            text,
            "{template}struct {name} {{\n{members}}};\n{template}DEVICE {name}{arguments} \
             make_{name}({}) {{ return {{{}}}; }}\n",
            parameters.join(", "),
            values.join(", ")
        );
        text
    }

    fn constant(&mut self, item: &syn::ItemConst) -> String {
        self.parameters.clear();
        let (element, extents) = self.array_of(&item.ty);
        let value = self.initializer(&item.expr, &element);
        let name = mangle(&item.ident.to_string());
        let table = element == "double" && !extents.is_empty();
        let kind = if table { "TABLE" } else { "CONSTANT" };
        format!("{kind} {element} {name}{extents} = {value};\n")
    }

    /// Prints the value of a constant of C++ type `element`: arrays in braces.
    fn initializer(&mut self, expr: &Expr, element: &str) -> String {
        match expr {
            Expr::Array(array) => {
                let elements: Vec<String> =
                    array.elems.iter().map(|e| self.initializer(e, element)).collect();
                format!("{{{}}}", elements.join(", "))
            }
            Expr::Reference(r) => self.initializer(&r.expr, element),
            other => {
                self.float_literals = true;
                self.single_literals = element == "float";
                let text = self.const_expr(other);
                self.float_literals = false;
                self.single_literals = false;
                text
            }
        }
    }

    fn function_head(&mut self, sig: &Signature, place: &str) -> String {
        self.parameters.clear();
        self.scope = Scope::default();
        self.objects.clear();
        self.scope.enter();
        let template = self.template(&sig.generics);
        // A local must not hide a name that its own value may mention: `let level = level(x);`.
        for name in self.parameters.keys().chain(&self.items) {
            self.scope.reserve(name);
        }
        let mut parameters = Vec::new();
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(r) => {
                    self.error(r, "methods cannot be translated; write a free function");
                }
                FnArg::Typed(typed) => {
                    let Pat::Ident(ident) = &*typed.pat else {
                        self.error(&typed.pat, "a parameter must be a plain name");
                        continue;
                    };
                    let ty = self.parameter_type(&typed.ty);
                    let rust = ident.ident.to_string();
                    if self.is_struct_parameter(&typed.ty) {
                        self.objects.push(rust.clone());
                    }
                    let name = self.scope.bind(&rust);
                    parameters.push(format!("{ty} {name}"));
                }
            }
        }
        let result = match &sig.output {
            ReturnType::Default => "void".to_string(),
            ReturnType::Type(_, ty) => self.ty(ty),
        };
        let name = mangle(&sig.ident.to_string());
        let pad = "    ".repeat(self.indent);
        format!("{pad}{template}{place} {result} {name}({})", parameters.join(", "))
    }

    fn is_struct_parameter(&self, ty: &syn::Type) -> bool {
        match ty {
            syn::Type::Reference(r) => self.is_struct_parameter(&r.elem),
            syn::Type::Path(p) => p
                .path
                .get_ident()
                .is_some_and(|i| self.parameters.get(&i.to_string()) == Some(&Parameter::Struct)),
            _ => false,
        }
    }

    fn function(&mut self, sig: &Signature, block: &syn::Block, place: &str) -> String {
        let head = self.function_head(sig, place);
        self.defined(&head, sig, block)
    }

    /// Prints the function after its printed head.
    fn defined(&mut self, head: &str, sig: &Signature, block: &syn::Block) -> String {
        let returns = !matches!(sig.output, ReturnType::Default);
        let body = self.body(block, returns);
        let pad = "    ".repeat(self.indent);
        format!("{head} {{\n{body}{pad}}}\n")
    }
}

/// Returns the linkage of a function.
///
/// A `#[cold]` function is called instead of inlined, because inlining would only enlarge the hot
/// path. For `#[elementary]` functions, the surrounding text decides.
fn linkage(attrs: &[syn::Attribute]) -> &'static str {
    let is = |name| attrs.iter().any(|a| a.path().is_ident(name));
    if is("cold") {
        "COLD"
    } else if is("elementary") {
        "ELEMENTARY"
    } else {
        "DEVICE"
    }
}

/// Returns a comment that refers to the Rust item.
///
/// It contains the position and the first line of documentation.
fn comment(attrs: &[syn::Attribute], span: Span) -> String {
    let first_line = attrs.iter().find_map(|a| match &a.meta {
        syn::Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                text.value().trim().lines().next().map(|l| l.trim_end_matches('\\').to_string())
            }
            _ => None,
        },
        _ => None,
    });
    let path = span.file();
    // Without folders: they differ between machines, and the text is a cache key.
    let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
    format!("\n// {file}:{}  {}\n", span.start().line, first_line.unwrap_or_default())
}
