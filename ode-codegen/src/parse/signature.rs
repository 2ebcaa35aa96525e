//! The signatures of right-hand sides and of the other functions of a system.

use quote::ToTokens;

use super::Parser;
use crate::ast::{Scalar, Shape};

/// The signatures of a right-hand side, for messages.
pub(crate) const FORMS: &str = "`fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` \
                     or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`";

/// The arguments and results of a signature.
pub(crate) struct Signature<'a> {
    /// The argument that receives the results.
    pub out: Option<Argument<'a>>,
    pub u: Argument<'a>,
    /// The parameters, if the function has and uses any.
    pub p: Option<Argument<'a>>,
    /// The modes, if the function has and uses any.
    pub m: Option<Argument<'a>>,
    pub t: Option<&'a syn::Ident>,
    /// The random number, the last argument of some actions.
    pub random: Option<&'a syn::Ident>,
    pub returns: Option<&'a syn::Type>,
}

impl<'a> Signature<'a> {
    /// Returns the type of the results.
    pub(crate) fn result(&self) -> &'a syn::Type {
        // `read` has checked that one of the two is present.
        self.out.as_ref().map(|out| out.ty).or(self.returns).unwrap_or(self.u.ty)
    }
}

/// An argument behind a reference.
#[derive(Clone, Copy)]
pub(crate) struct Argument<'a> {
    /// The name; `None` for `_`.
    pub name: Option<&'a syn::Ident>,
    /// The type without the reference.
    pub ty: &'a syn::Type,
}

/// Rejects functions that are not plain; `what` is, for example, "a right-hand side".
pub(crate) fn plain(sig: &syn::Signature, what: &str) -> syn::Result<()> {
    let refuse = |tokens: &dyn ToTokens, why: &str| {
        Err(syn::Error::new_spanned(tokens, format!("{what} cannot be {why}")))
    };
    if let Some(token) = &sig.asyncness {
        return refuse(token, "`async`: it is a pure function; remove `async`");
    }
    if let Some(token) = &sig.unsafety {
        return refuse(token, "`unsafe`: it computes only with numbers; remove `unsafe`");
    }
    if let Some(token) = &sig.abi {
        return refuse(token, "`extern`: it is compiled for lanes and devices; remove the ABI");
    }
    Ok(())
}

/// Rejects generics, except one type of numbers, `R: Real`.
fn only_real(sig: &syn::Signature, what: &str) -> syn::Result<()> {
    let mut types = 0;
    for parameter in &sig.generics.params {
        let real = match parameter {
            syn::GenericParam::Type(ty) => is_real(ty),
            syn::GenericParam::Lifetime(_) => continue,
            syn::GenericParam::Const(length) => {
                let message = format!(
                    "{what} cannot be generic over its lengths: each number of states is a \
                     separate system; write the number, or put `const {}: {} = 8;` and the \
                     function, as `fn rhs`, into `#[ode_system] mod name {{ … }}`",
                    length.ident,
                    length.ty.to_token_stream()
                );
                return Err(syn::Error::new_spanned(parameter, message));
            }
        };
        types += 1;
        if !real || types > 1 {
            let message = format!(
                "{what} can be generic only over one type of numbers: its arrays have fixed \
                 lengths; write `<R: Real>`, or `f64`, which stands for every precision"
            );
            return Err(syn::Error::new_spanned(parameter, message));
        }
    }
    match &sig.generics.where_clause {
        Some(clause) => {
            let message =
                format!("{what} cannot have a `where` clause: write the bound as `<R: Real>`");
            Err(syn::Error::new_spanned(clause, message))
        }
        None => Ok(()),
    }
}

/// Returns whether a type parameter is bounded by `Real`.
pub(super) fn is_real(parameter: &syn::TypeParam) -> bool {
    parameter.bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            bound.path.segments.last().is_some_and(|last| last.ident == "Real")
        }
        _ => false,
    })
}

/// Reads a signature.
///
/// The arguments are the results, unless they are returned; then the state; then the parameters and
/// the time, if they are used.
pub(crate) fn read<'a>(
    sig: &'a syn::Signature,
    what: &str,
    forms: &str,
) -> syn::Result<Signature<'a>> {
    of_part(sig, what, forms, false)
}

/// Reads a signature; with `has_random`, the last argument is a random number.
pub(crate) fn of_part<'a>(
    sig: &'a syn::Signature,
    what: &str,
    forms: &str,
    has_random: bool,
) -> syn::Result<Signature<'a>> {
    plain(sig, what)?;
    if let Some(token) = &sig.constness {
        let message = format!(
            "{what} cannot be `const`: rustc cannot evaluate mathematical functions at compile \
             time; remove `const`"
        );
        return Err(syn::Error::new_spanned(token, message));
    }
    only_real(sig, what)?;
    let refuse =
        |tokens: &dyn ToTokens, message: &str| Err(syn::Error::new_spanned(tokens, message));
    let unexpected = format!("expected the arguments of {forms}");
    let returns = match &sig.output {
        syn::ReturnType::Default => None,
        syn::ReturnType::Type(_, ty) => Some(&**ty),
    };
    let modes = sig.inputs.iter().any(|input| match input {
        syn::FnArg::Typed(input) => is_modes(&input.ty),
        syn::FnArg::Receiver(_) => false,
    });
    let most = if returns.is_some() { 3 } else { 4 } + usize::from(modes);
    let most = most + usize::from(has_random);
    if sig.inputs.len() > most {
        let message = format!(
            "there are {} arguments, and at most {most} are allowed here: all parameters are one \
             array; {unexpected}",
            sig.inputs.len()
        );
        return refuse(&sig.inputs, &message);
    }
    let mut arguments = Vec::with_capacity(4);
    for input in &sig.inputs {
        let syn::FnArg::Typed(input) = input else {
            return refuse(
                input,
                &format!(
                    "{what} cannot have `self`: its arguments are the state, the parameters and \
                     the time; write a function outside the `impl`, {forms}"
                ),
            );
        };
        let name = match &*input.pat {
            syn::Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
                Some(&name.ident)
            }
            syn::Pat::Wild(_) => None,
            other => {
                return refuse(
                    other,
                    "an argument must be a plain name here: destructure it inside, as in `let [x, \
                     y] = *u;`",
                );
            }
        };
        arguments.push((name, &*input.ty));
    }
    let mut random = None;
    if has_random {
        let is_number =
            |ty: &syn::Type| matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some());
        match arguments.pop() {
            Some((name, ty)) if is_number(ty) && !arguments.is_empty() => random = name,
            _ => {
                return refuse(
                    &sig.ident,
                    "this action receives a random number as its last argument: add `random: f64` \
                     after state, parameters, modes and time",
                );
            }
        }
    }
    if let Some(error) = misplaced(&arguments, returns, forms) {
        return Err(error);
    }
    let mut wrong: Option<syn::Error> = None;
    let mut reference = |ty: &'a syn::Type, mutable: bool| match ty {
        syn::Type::Reference(inner) if inner.mutability.is_some() == mutable => &*inner.elem,
        other => {
            let form = match (mutable, forms == FORMS) {
                (true, true) => "`&mut [f64; N]`",
                (false, true) => "`&[f64; N]`",
                (true, false) => "a mutable reference",
                (false, false) => "a reference",
            };
            let together = match other {
                syn::Type::Tuple(_) => ", because several numbers are one array,",
                _ => ",",
            };
            let message = format!("expected {form} here{together} as in {forms}");
            let error = syn::Error::new_spanned(other, message);
            match &mut wrong {
                Some(wrong) => wrong.combine(error),
                None => wrong = Some(error),
            }
            other
        }
    };

    let mut arguments = arguments.into_iter();
    let out = match returns {
        Some(_) => None,
        None => match arguments.next() {
            None => return refuse(&sig.ident, &unexpected),
            Some((None, ty)) => {
                return refuse(
                    ty,
                    "the array of derivatives needs a name: the function assigns to it; call it \
                     `du`",
                );
            }
            Some((name, ty)) => Some(Argument { name, ty: reference(ty, true) }),
        },
    };
    let u = match arguments.next() {
        Some((name, ty)) => Argument { name, ty: reference(ty, false) },
        None if sig.inputs.is_empty() => return refuse(&sig.ident, &unexpected),
        None => return refuse(&sig.inputs, &unexpected),
    };
    // A single remaining argument may be the time.
    let p = match arguments.as_slice() {
        [(_, syn::Type::Path(path))] if path.path.get_ident().is_some() => None,
        [] => None,
        [(_, ty), ..] if is_modes(ty) => None,
        _ => arguments.next(),
    };
    let p = p.map(|(name, ty)| Argument { name, ty: reference(ty, false) });
    let m = match arguments.as_slice() {
        [(_, ty), ..] if is_modes(ty) => arguments.next(),
        _ => None,
    };
    let m = m.map(|(name, ty)| Argument { name, ty: reference(ty, false) });
    let t = match arguments.next() {
        Some((name, ty)) => {
            match ty {
                syn::Type::Path(path) if path.path.get_ident().is_some() => {}
                other if m.is_some() && matches!(other, syn::Type::Reference(_)) => {
                    return refuse(
                        other,
                        "this argument follows the modes: the order is state, parameters, modes, \
                         time; move it, as in `(u: &State, p: &Parameters, m: &Modes, t: f64)`",
                    );
                }
                other => {
                    return refuse(
                        other,
                        "expected `f64` or `f32` here, the time: its type stands for the precision \
                         of the solve",
                    );
                }
            }
            name
        }
        None => None,
    };
    match wrong {
        Some(wrong) => Err(wrong),
        None if arguments.next().is_some() => refuse(&sig.inputs, &unexpected),
        None => Ok(Signature { out, u, p, m, t, random, returns }),
    }
}

/// The name of the struct for quantities that only actions change.
pub(crate) const MODES: &str = "Modes";

/// Returns whether an argument has the type of the modes.
fn is_modes(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Reference(reference) if is_named_modes(&reference.elem))
}

/// Returns whether a type is the type of the modes.
pub(crate) fn is_named_modes(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.is_ident(MODES))
}

/// The message if the number of derivatives shows that parameters precede the state.
pub(crate) const ORDER: &str = "if these are the parameters, put them after the state: the order \
                                is state, parameters, time";

/// Returns the message for another order of arguments, or another form of right-hand side.
fn misplaced(
    arguments: &[(Option<&syn::Ident>, &syn::Type)],
    returns: Option<&syn::Type>,
    forms: &str,
) -> Option<syn::Error> {
    let is_number = |ty: &syn::Type| match ty {
        syn::Type::Path(path) => {
            path.path.get_ident().is_some_and(|name| Scalar::from_name(&name.to_string()).is_some())
        }
        _ => false,
    };
    let is_reference = |ty: &syn::Type, mutable: bool| match ty {
        syn::Type::Reference(reference) => reference.mutability.is_some() == mutable,
        _ => false,
    };
    let error = |tokens: &dyn ToTokens, message: String| {
        Some(syn::Error::new_spanned(tokens, format!("{message}; expected {forms}")))
    };
    match (arguments, returns) {
        ([(_, first), ..], Some(result)) if is_number(first) && is_number(result) => error(
            first,
            "a single state is an array of length 1, and so are its derivative and a single \
             parameter: write `&[f64; 1]` here, and return `[f64; 1]`"
                .to_owned(),
        ),
        ([(_, time), (_, state), ..], _) if is_number(time) && !is_number(state) => {
            error(time, "the time comes last, after the state and the parameters".to_owned())
        }
        ([(_, _), between @ .., (_, last)], _)
            if is_reference(last, false)
                && let Some((_, time)) = between.iter().find(|(_, ty)| is_number(ty)) =>
        {
            error(time, "the time comes last, after the parameters".to_owned())
        }
        ([_, (_, rate), (_, time)], Some(_)) | ([_, _, (_, rate), (_, time)], None)
            if is_number(rate) && is_number(time) =>
        {
            let message = "parameters are an array, even if there is only one: write `&[f64; 1]`";
            error(rate, message.to_owned())
        }
        ([(_, out), (_, state), ..], Some(result))
            if is_reference(out, true) && is_reference(state, false) =>
        {
            error(
                result,
                "this function assigns the derivatives to its first argument, so it returns \
                 nothing: remove this type, or that argument"
                    .to_owned(),
            )
        }
        ([(_, out), (_, time)], None) if is_reference(out, true) && is_number(time) => error(
            time,
            "the state is missing: the first argument receives the derivatives, and the state \
             comes second, as `u: &[f64; N]`"
                .to_owned(),
        ),
        ([(_, state)] | [(_, state), (_, syn::Type::Path(_))], None)
            if is_reference(state, false) =>
        {
            error(
                state,
                "the derivatives are missing: return them, as `-> [f64; N]`, or assign them to a \
                 first argument `du: &mut [f64; N]`"
                    .to_owned(),
            )
        }
        _ => None,
    }
}

/// Returns the float type of a signature and its structs: the first that occurs.
pub(crate) fn scalar(signature: &syn::Signature, structs: &[&syn::ItemStruct]) -> Scalar {
    struct First(Option<Scalar>);
    impl syn::visit::Visit<'_> for First {
        fn visit_type_path(&mut self, path: &syn::TypePath) {
            if let (None, Some(name)) = (self.0, path.path.get_ident()) {
                self.0 = Scalar::from_name(&name.to_string());
            }
        }
    }
    let mut first = First(None);
    syn::visit::visit_signature(&mut first, signature);
    for item in structs {
        syn::visit::visit_item_struct(&mut first, item);
    }
    first.0.unwrap_or(Scalar::F64)
}

impl Parser<'_> {
    /// Parses a type into its full structure.
    pub(super) fn shape<'a>(&self, ty: &'a syn::Type) -> Shape<'a> {
        match ty {
            syn::Type::Paren(inner) => self.shape(&inner.elem),
            syn::Type::Group(inner) => self.shape(&inner.elem),
            syn::Type::Array(array) => {
                Shape::Array(Box::new(self.shape(&array.elem)), self.boxed(&array.len))
            }
            syn::Type::Path(path) => match path.path.get_ident() {
                Some(name) if self.is_float(&name.to_string()) => {
                    self.check_float(name);
                    Shape::Float
                }
                Some(name) if self.structs.contains(&name.to_string()) => Shape::Struct(name),
                _ => Shape::Other(ty),
            },
            other => Shape::Other(other),
        }
    }

    /// Returns whether a type is a float type of any precision.
    pub(super) fn is_float(&self, name: &str) -> bool {
        Scalar::from_name(name).is_some() || self.numbers.contains(name)
    }

    /// Reports a float type other than the system's.
    pub(super) fn check_float(&self, name: &syn::Ident) {
        let other = Scalar::from_name(&name.to_string());
        if other.is_some_and(|other| other != self.scalar) {
            let message = format!(
                "`{name}` here differs from `{}` before: one float type stands for the precision \
                 of the solve; use the same type everywhere",
                self.scalar.name()
            );
            self.error(name, message);
        }
    }

    /// Checks that the time has the float type of the system.
    pub(super) fn check_time(&self, sig: &syn::Signature) {
        let Some(syn::FnArg::Typed(last)) = sig.inputs.last() else { return };
        if let syn::Type::Path(path) = &*last.ty {
            match path.path.get_ident() {
                Some(name) if self.is_float(&name.to_string()) => self.check_float(name),
                _ => self.error(
                    path,
                    "expected `f64` or `f32` here: it stands for the precision of the solve",
                ),
            }
        }
    }
}
