//! Conversion of syn's tree to the accepted subset.
//!
//! The parser decides by syntax alone: the signature, the forms of statements and expressions, the
//! names of functions. Checks that need values (that an index is in range, that a component is
//! assigned) belong to `elaborate`. Errors go to the [`Ctxt`] and parsing continues, so that all
//! errors are reported.

mod call;
mod control;
mod elsewhere;
pub(crate) mod event;
mod expr;
mod feature;
pub(crate) mod jump;
pub(crate) mod mass;
pub(crate) mod module;
mod noise;
pub(crate) mod refuse;
pub(crate) mod signature;
mod statement;
pub(crate) mod timetable;

use std::cell::Cell;
use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Ident;
use syn::visit::Visit;

use self::signature::Signature;
use crate::ast::{Block, Clause, Outside, Part, Purpose, Scalar, System, Timetable, Typed};
use crate::ctxt::Ctxt;

pub(crate) use statement::is_seen;

/// Returns the name of the function that replaces a method of a struct.
pub(crate) fn method(of: &Ident, name: &Ident) -> Ident {
    Ident::new(&format!("{of}__{name}"), name.span())
}

/// The parser of one system.
pub(crate) struct Parser<'c> {
    ctxt: &'c Ctxt,
    next: Cell<u32>,
    opaque: Cell<bool>,
    hidden_names: Cell<bool>,
    /// Whether a variant of an enum has been rejected.
    variants: Cell<bool>,
    /// The names declared anywhere in the system, which calls may refer to.
    declared: HashSet<String>,
    /// The names of the structs declared anywhere in the system.
    structs: HashSet<String>,
    /// The names of the methods of structs.
    methods: HashSet<String>,
    /// The names of structs that right-hand sides cannot use.
    other_structs: HashSet<String>,
    /// The type parameters that stand for numbers.
    numbers: HashSet<String>,
    /// The name of the right-hand side.
    name: String,
    scalar: Scalar,
    /// Whether the system is a module, for messages about missing declarations.
    in_module: bool,
}

impl<'c> Parser<'c> {
    fn new(ctxt: &'c Ctxt, name: &Ident, scalar: Scalar, in_module: bool) -> Self {
        Parser {
            ctxt,
            next: Cell::new(1),
            opaque: Cell::new(false),
            hidden_names: Cell::new(false),
            variants: Cell::new(false),
            declared: HashSet::new(),
            structs: HashSet::new(),
            methods: HashSet::new(),
            other_structs: HashSet::new(),
            numbers: HashSet::new(),
            name: name.to_string(),
            scalar,
            in_module,
        }
    }

    /// Records the declarations in `item`, and rejects conditional compilation in it.
    fn survey(&mut self, item: &syn::Item) {
        self.declare(|declared| declared.visit_item(item));
        ConditionalCompilation { parser: self }.visit_item(item);
    }

    /// Records the declarations that `visit` finds.
    fn declare(&mut self, visit: impl FnOnce(&mut Declared)) {
        let mut declared = Declared::default();
        visit(&mut declared);
        self.declared.extend(declared.names);
        self.structs.extend(declared.structs);
        self.other_structs.extend(declared.other_structs);
        self.numbers.extend(declared.numbers);
    }

    /// Records the functions that replace methods, by the names from `system/desugar.rs`.
    fn note_methods<'a>(&mut self, functions: impl Iterator<Item = &'a syn::ItemFn>) {
        for item in functions {
            let name = item.sig.ident.to_string();
            let of_struct = self.structs.iter().find(|of| name.starts_with(&format!("{of}__")));
            if let Some(of) = of_struct {
                self.methods.insert(name[of.len() + 2..].to_owned());
            }
        }
    }

    /// Adds the called functions from outside to the outermost block.
    fn outside<'a>(&self, outside: &'a [Outside], items: &mut Block<'a>) {
        for function in outside {
            items.functions.push((&function.name, Rc::new(self.function_item(&function.item))));
        }
    }

    /// Parses a function of state, parameters and time.
    ///
    /// `uses` collects `use` declarations if the function may contain any.
    fn part<'a>(
        &self,
        item: &'a syn::ItemFn,
        signature: &Signature<'a>,
        uses: Option<&mut Vec<&'a syn::ItemUse>>,
    ) -> Part<'a> {
        self.check_time(&item.sig);
        let typed = |ty| Typed { shape: self.shape(ty), syntax: ty };
        let state = typed(signature.u.ty);
        let parameters = signature.p.as_ref().map(|p| typed(p.ty));
        let modes = signature.m.as_ref().map(|m| typed(m.ty));
        let result = typed(signature.result());
        let body = self.body(&item.block, uses, signature.returns);
        Part {
            name: &item.sig.ident,
            state,
            parameters,
            modes,
            result,
            out: signature.out.as_ref().and_then(|out| out.name),
            u: signature.u.name,
            p: signature.p.as_ref().and_then(|p| p.name),
            m: signature.m.as_ref().and_then(|m| m.name),
            t: signature.t,
            random: signature.random,
            body,
        }
    }
}

/// The maximal number of derivatives, of each state with respect to each state and parameter.
///
/// Code generation reserves an entry for each derivative.
const DERIVATIVE_LIMIT: usize = STATE_LIMIT * STATE_LIMIT;
/// The maximal number of states without parameters, from the same limit.
const STATE_LIMIT: usize = 4096;
const PARAMETER_LIMIT: usize = 16_384;

/// Returns an error message if a system is too large.
pub(crate) fn too_large(states: usize, parameters: usize) -> Option<String> {
    let derivatives = states.saturating_mul(states.saturating_add(parameters));
    if derivatives <= DERIVATIVE_LIMIT && parameters <= PARAMETER_LIMIT {
        return None;
    }
    Some(format!(
        "{states} states and {parameters} parameters are too many: each state has a derivative \
         with respect to each state and each parameter, and the limits are {DERIVATIVE_LIMIT} \
         derivatives ({STATE_LIMIT} states without parameters) and {PARAMETER_LIMIT} parameters; \
         use fewer"
    ))
}

/// Parses a function as a [`System`], if its signature is valid.
///
/// `watched` contains the functions of its attributes, with the times and the delays of actions, and
/// `outside` the functions from outside that it calls.
pub(crate) fn parse<'a>(
    ctxt: &Ctxt,
    item: &'a syn::ItemFn,
    watched: &'a [syn::ItemFn],
    (timetables, clauses): (&'a [Timetable], &'a [Clause]),
    outside: &'a [Outside],
) -> Option<System<'a>> {
    let name = &item.sig.ident;
    let mut parser = Parser::new(ctxt, name, signature::scalar(&item.sig, &[]), false);
    for function in outside {
        parser.survey(&syn::Item::Fn(function.item.clone()));
        parser.declared.insert(function.name.to_string());
    }
    for parameter in item.sig.generics.type_params() {
        parser.numbers.insert(parameter.ident.to_string());
    }
    for statement in &item.block.stmts {
        parser.declare(|declared| declared.visit_stmt(statement));
    }
    parser.declare(|declared| declared.visit_signature(&item.sig));
    parser.note_methods(item.block.stmts.iter().filter_map(|statement| match statement {
        syn::Stmt::Item(syn::Item::Fn(item)) => Some(item),
        _ => None,
    }));
    ConditionalCompilation { parser: &parser }.visit_block(&item.block);
    for function in watched {
        parser.declare(|declared| declared.visit_block(&function.block));
        ConditionalCompilation { parser: &parser }.visit_block(&function.block);
    }

    let signature = match signature(&item.sig) {
        Ok((signature, _)) => Some(signature),
        Err(error) => {
            ctxt.keep(0, error);
            None
        }
    };
    parser.no_mass_matrix(&item.attrs);
    let mut items = Block::default();
    parser.outside(outside, &mut items);
    let mut uses = Vec::new();
    let Some(signature) = signature else {
        // The body may contain further errors.
        parser.body(&item.block, Some(&mut uses), None);
        return None;
    };
    let rhs = parser.part(item, &signature, Some(&mut uses));
    let functions = || watched.iter().map(|item| (Purpose::of(item), item));
    let parts = functions()
        .filter_map(|(purpose, item)| parser.part_of(purpose, item).map(|part| (purpose, part)));
    let others = parts.collect();
    // A system with jumps is a module.
    let (events, conditions) = parser.events(functions(), clauses, &mut []);
    let timed = parser.timed(timetables);
    Some(System {
        name,
        scalar: parser.scalar,
        items,
        rhs,
        others,
        events,
        timed,
        conditions,
        jumps: Vec::new(),
        features: Vec::new(),
        noise: None,
        mass: None,
        uses,
        opaque: parser.opaque.get(),
        hidden_names: parser.hidden_names.get(),
    })
}

/// Returns the signature of a right-hand side that is a function, with its sizes.
///
/// Lengths must be literals. The sizes are the numbers of states and parameters.
pub(crate) fn signature(sig: &syn::Signature) -> syn::Result<(Signature<'_>, (usize, usize))> {
    let signature = signature::read(sig, "a right-hand side", signature::FORMS)?;
    let numbers: HashSet<String> =
        sig.generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
    let types =
        [Some(signature.result()), Some(signature.u.ty), signature.p.as_ref().map(|p| p.ty)];
    let mut lengths = [0; 3];
    let mut wrong: Option<syn::Error> = None;
    for (length, ty) in lengths.iter_mut().zip(types) {
        match ty.map_or(Ok(0), |ty| self::length(ty, &numbers)) {
            Ok(count) => *length = count,
            Err(error) => match &mut wrong {
                Some(wrong) => wrong.combine(error),
                None => wrong = Some(error),
            },
        }
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let [derivatives, states, parameters] = lengths;
    if derivatives != states {
        let message = format!(
            "the lengths must agree: the state has length {states}, and the derivatives have \
             length {derivatives}"
        );
        return Err(match signature.p {
            Some(_) if derivatives == parameters => {
                syn::Error::new_spanned(signature.u.ty, format!("{message}; {}", signature::ORDER))
            }
            _ => syn::Error::new_spanned(signature.result(), message),
        });
    }
    if states == 0 {
        return Err(syn::Error::new_spanned(
            signature.u.ty,
            "a system needs at least one state: there is nothing to solve",
        ));
    }
    if let Some(message) = too_large(states, parameters) {
        return Err(syn::Error::new_spanned(signature.u.ty, message));
    }
    Ok((signature, (states, parameters)))
}

/// Returns the number of floats in an array type with literal lengths.
fn length(ty: &syn::Type, numbers: &HashSet<String>) -> syn::Result<usize> {
    match ty {
        syn::Type::Paren(inner) => length(&inner.elem, numbers),
        syn::Type::Group(inner) => length(&inner.elem, numbers),
        syn::Type::Array(array) => {
            let inner = match &*array.elem {
                inner @ syn::Type::Array(_) => length(inner, numbers)?,
                syn::Type::Path(path)
                    if path.path.get_ident().is_some_and(|name| {
                        let name = name.to_string();
                        Scalar::from_name(&name).is_some() || numbers.contains(&name)
                    }) =>
                {
                    1
                }
                other => {
                    let hint = refuse::of_type(other)
                        .unwrap_or_else(|| "it stands for the precision of the solve".to_owned());
                    let message = format!("expected `f64` or `f32` here: {hint}");
                    return Err(syn::Error::new_spanned(other, message));
                }
            };
            match &array.len {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => {
                    Ok(inner.saturating_mul(length.base10_parse().unwrap_or(usize::MAX)))
                }
                other => Err(syn::Error::new_spanned(
                    other,
                    "the length must be a number here: a macro cannot see the value of a constant \
                     outside; write the number, such as `[f64; 3]`, or put the constant and the \
                     function, as `fn rhs`, into `#[ode_system] mod name { … }`",
                )),
            }
        }
        syn::Type::Slice(slice) => Err(syn::Error::new_spanned(
            slice,
            "a slice cannot be used here: the number of elements must be known at compile time; \
             write an array with its length, such as `[f64; 3]`",
        )),
        other => {
            let name = match other {
                syn::Type::Path(path) => path.path.segments.last(),
                _ => None,
            };
            let known = refuse::of_type(other);
            let hint = match name.map(|last| (last.ident.to_string(), last.arguments.is_none())) {
                Some((name, true)) if Scalar::from_name(&name).is_some() => {
                    "a single number is an array of length 1; write `[f64; 1]`"
                }
                Some((name, _)) if refuse::allocates(&name) => {
                    "the number of elements must be known at compile time, and a lane cannot \
                     allocate; write an array with its length, such as `[f64; 3]`"
                }
                _ if let Some(known) = &known => known,
                Some((_, true)) => {
                    "a macro cannot see the declaration of this type; write the array instead of \
                     an alias, and put a struct with named fields, and the function as `fn rhs`, \
                     into `#[ode_system] mod name { … }`"
                }
                _ => "types of libraries are not visible here",
            };
            let message =
                format!("expected `[f64; N]` here: {hint}; the forms are {}", signature::FORMS);
            Err(syn::Error::new_spanned(other, message))
        }
    }
}

/// Rejects `#[cfg]` inside the body: rustc would resolve it only in the plain function.
struct ConditionalCompilation<'p, 'c> {
    parser: &'p Parser<'c>,
}

impl Visit<'_> for ConditionalCompilation<'_, '_> {
    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            self.parser.ctxt.error(
                self.parser.id(),
                attribute,
                "conditional compilation cannot be used inside a right-hand side: a macro cannot \
                 see which configuration is active; put `#[cfg]` on the whole function",
            );
        }
    }
}

/// The declarations anywhere in an item.
#[derive(Default)]
pub(crate) struct Declared {
    /// The names of functions, constants and variables.
    pub names: HashSet<String>,
    structs: HashSet<String>,
    other_structs: HashSet<String>,
    /// The type parameters that stand for numbers.
    numbers: HashSet<String>,
}

impl Visit<'_> for Declared {
    fn visit_pat_ident(&mut self, pattern: &syn::PatIdent) {
        self.names.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }

    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.names.insert(item.sig.ident.to_string());
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        self.names.insert(item.ident.to_string());
        syn::visit::visit_item_const(self, item);
    }

    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        if statement::is_seen(item) {
            self.structs.insert(item.ident.to_string());
        } else {
            self.other_structs.insert(item.ident.to_string());
        }
    }

    fn visit_const_param(&mut self, parameter: &syn::ConstParam) {
        self.names.insert(parameter.ident.to_string());
    }

    fn visit_type_param(&mut self, parameter: &syn::TypeParam) {
        if signature::is_real(parameter) {
            self.numbers.insert(parameter.ident.to_string());
        }
    }

    // Modules inside a module are ignored.
    fn visit_item_mod(&mut self, _: &syn::ItemMod) {}
}
