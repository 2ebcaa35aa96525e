//! `#[ode_system] mod`: a system of several functions, with its constants and structs.

use std::rc::Rc;

use super::{Declared, Parser};
use super::{event, signature};
use crate::ast::{Block, Clause, Outside, Part, Purpose, System, Timetable};
use crate::ctxt::Ctxt;
use syn::visit::Visit;

/// Returns whether the parser reads an item; rustc alone compiles all others.
fn seen(item: &syn::Item) -> bool {
    matches!(item, syn::Item::Fn(_) | syn::Item::Const(_) | syn::Item::Struct(_))
}

/// Parses the module as a [`System`].
///
/// `outside` contains the functions from outside that it calls, `timetables` the times of its
/// scheduled actions, and `clauses` the delays of actions and the bounds of jumps.
pub(crate) fn parse<'a>(
    ctxt: &Ctxt,
    name: &'a syn::Ident,
    content: &'a [syn::Item],
    outside: &'a [Outside],
    timetables: &'a [Timetable],
    clauses: &'a [Clause],
) -> Option<System<'a>> {
    let functions = || {
        content.iter().filter_map(|item| match item {
            syn::Item::Fn(item) => Some((Purpose::of(item), item)),
            _ => None,
        })
    };
    let structs: Vec<&syn::ItemStruct> = content
        .iter()
        .filter_map(|item| match item {
            syn::Item::Struct(item) => Some(item),
            _ => None,
        })
        .collect();
    let Some((_, rhs)) = functions().find(|(purpose, _)| *purpose == Purpose::Rhs) else {
        // A function with a matching signature and another name.
        let candidate = functions().find(|(purpose, item)| {
            *purpose == Purpose::Helper
                && signature::read(&item.sig, "", Purpose::Rhs.forms()).is_ok()
        });
        match candidate {
            Some((_, item)) => ctxt.error(
                0,
                &item.sig.ident,
                "this system has no right-hand side: a module needs a function `rhs`; rename this \
                 function if it is the right-hand side",
            ),
            None => ctxt.error(
                0,
                name,
                format!("this system has no right-hand side: write {}", Purpose::Rhs.forms()),
            ),
        }
        return None;
    };

    let scalar = signature::scalar(&rhs.sig, &structs);
    let mut parser = Parser::new(ctxt, &rhs.sig.ident, scalar, true);
    for item in content.iter().filter(|item| seen(item)) {
        parser.survey(item);
    }
    parser.note_methods(functions().map(|(_, item)| item));
    for function in outside {
        parser.survey(&syn::Item::Fn(function.item.clone()));
        parser.declared.insert(function.name.to_string());
    }

    let mut items = Block::default();
    parser.outside(outside, &mut items);
    for item in content {
        match item {
            syn::Item::Struct(item) => items.structs.extend(parser.structure(item)),
            syn::Item::Const(item) => items.constants.push(parser.constant(item)),
            // The right-hand side may call observables. An invalid observable, which writes to an
            // argument, is omitted here, so that it causes one error only.
            syn::Item::Fn(item)
                if match Purpose::of(item) {
                    Purpose::Helper => true,
                    purpose => purpose.gives_numbers() && !writes(item),
                } =>
            {
                items.functions.push((&item.sig.ident, Rc::new(parser.function_item(item))));
            }
            _ => {}
        }
    }

    functions().for_each(|(_, item)| parser.one_purpose(item));
    let mass = parser.mass_matrix(content, &rhs.sig, &mut items);
    let mut jumps = parser.jumps(functions(), clauses);
    let (events, conditions) = parser.events(functions(), clauses, &mut jumps);
    let features = parser.features(functions());
    let noise = parser.noise(functions());
    let timed = parser.timed(timetables);
    let (mut rhs_part, mut others) = (None, Vec::new());
    for (purpose, item) in functions() {
        if purpose == Purpose::Helper {
            continue;
        }
        let Some(part) = parser.part_of(purpose, item) else { continue };
        match purpose {
            Purpose::Rhs => rhs_part = Some(part),
            _ => others.push((purpose, part)),
        }
    }
    Some(System {
        name,
        scalar,
        items,
        rhs: rhs_part?,
        others,
        events,
        timed,
        conditions,
        jumps,
        features,
        noise,
        mass,
        uses: Vec::new(),
        opaque: parser.opaque.get(),
        hidden_names: parser.hidden_names.get(),
    })
}

impl Parser<'_> {
    /// Rejects a second attribute that gives a function a purpose.
    fn one_purpose(&self, item: &syn::ItemFn) {
        let purposes = item.attrs.iter().filter_map(|attribute| {
            Purpose::of_attribute(attribute).map(|purpose| (purpose, attribute))
        });
        let purposes: Vec<_> = purposes.collect();
        for pair in purposes.windows(2) {
            let [(first, _), (second, attribute)] = pair else { continue };
            let instead = match (first, second) {
                (Purpose::At, Purpose::At) => {
                    "write all its times in one attribute, as in `#[at(1.0, 2.0)]`"
                }
                _ => "write a separate function for each purpose, and call shared code from both",
            };
            let (name, what) = (&item.sig.ident, first.what());
            self.error(attribute, format!("`{name}` is already {what}: {instead}"));
        }
    }

    /// Parses the function with this purpose, if its signature is valid.
    pub(super) fn part_of<'a>(&self, purpose: Purpose, item: &'a syn::ItemFn) -> Option<Part<'a>> {
        let nothing = matches!(item.sig.output, syn::ReturnType::Default);
        if purpose.gives_numbers() && nothing {
            let several = match purpose {
                Purpose::Loss | Purpose::Event | Purpose::Feature | Purpose::Jump => "",
                _ => "; the result may also be an array, a tuple or a struct",
            };
            let (what, form) = (purpose.what(), purpose.forms());
            self.error(
                &item.sig.ident,
                format!("{what} must return its value: write {form}{several}"),
            );
            return None;
        }
        let has_random = purpose == Purpose::Action && event::has_random(item);
        match signature::of_part(&item.sig, purpose.what(), purpose.forms(), has_random) {
            Ok(signature) if purpose.gives_truth() && !is_bool(signature.returns) => {
                let message = format!(
                    "{} must return a truth value: write {}",
                    purpose.what(),
                    purpose.forms()
                );
                self.error(&item.sig.ident, message);
                None
            }
            Ok(signature) => Some(self.part(item, &signature, None)),
            Err(error) => {
                self.ctxt.keep(self.id(), error);
                // The body may contain further errors.
                self.block(&item.block);
                None
            }
        }
    }
}

fn is_bool(ty: Option<&syn::Type>) -> bool {
    matches!(ty, Some(syn::Type::Path(path)) if path.path.is_ident("bool"))
}

/// Returns the declarations of a module; see [`crate::outside`].
pub(crate) fn declared(content: &[syn::Item]) -> Declared {
    let mut declared = Declared::default();
    for item in content.iter().filter(|item| seen(item)) {
        declared.visit_item(item);
    }
    declared
}

/// Returns the name of the type, trait, module or crate that an item declares.
///
/// Rust keeps these names apart from names of functions and constants.
pub(crate) fn type_name(item: &syn::Item) -> Option<&syn::Ident> {
    match item {
        syn::Item::Struct(item) => Some(&item.ident),
        syn::Item::Enum(item) => Some(&item.ident),
        syn::Item::Union(item) => Some(&item.ident),
        syn::Item::Type(item) => Some(&item.ident),
        syn::Item::Trait(item) => Some(&item.ident),
        syn::Item::TraitAlias(item) => Some(&item.ident),
        syn::Item::Mod(item) => Some(&item.ident),
        syn::Item::ExternCrate(item) => {
            Some(item.rename.as_ref().map_or(&item.ident, |(_, name)| name))
        }
        _ => None,
    }
}

/// Returns whether a function can assign to an argument.
fn writes(item: &syn::ItemFn) -> bool {
    item.sig.inputs.iter().any(|input| match input {
        syn::FnArg::Typed(typed) => {
            matches!(&*typed.ty, syn::Type::Reference(reference) if reference.mutability.is_some())
        }
        syn::FnArg::Receiver(_) => false,
    })
}
