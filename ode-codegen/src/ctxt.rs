//! Collected errors, so that all errors of a function are reported at once.

use std::cell::RefCell;

use quote::ToTokens;

/// The errors of a phase, which continues after each error.
///
/// A context exists only inside [`Ctxt::scope`], which returns an error if any was reported. Errors
/// therefore cannot be lost.
pub(crate) struct Ctxt {
    errors: RefCell<Vec<(u32, syn::Error)>>,
}

impl Ctxt {
    /// Runs `f` and returns its result, or all reported errors in source order.
    pub(crate) fn scope<T>(f: impl FnOnce(&Ctxt) -> T) -> syn::Result<T> {
        let ctxt = Ctxt { errors: RefCell::new(Vec::new()) };
        let made = f(&ctxt);
        let mut errors = ctxt.errors.into_inner();
        errors.sort_by_key(|&(position, _)| position);
        let all = errors.into_iter().map(|(_, error)| error).reduce(|mut all, error| {
            all.combine(error);
            all
        });
        match all {
            None => Ok(made),
            Some(errors) => Err(errors),
        }
    }

    /// Reports an error on `tokens`.
    ///
    /// `position` orders the errors of different phases: the parser numbers the expressions that it
    /// reads.
    pub(crate) fn error(&self, position: u32, tokens: &dyn ToTokens, message: impl ToString) {
        let tokens = tokens.to_token_stream();
        let error = syn::Error::new_spanned(tokens, message.to_string());
        self.errors.borrow_mut().push((position, error));
    }

    /// Returns whether an error was reported.
    pub(crate) fn has_errors(&self) -> bool {
        !self.errors.borrow().is_empty()
    }

    /// Adds an error from syn.
    pub(crate) fn keep(&self, position: u32, error: syn::Error) {
        self.errors.borrow_mut().push((position, error));
    }
}
