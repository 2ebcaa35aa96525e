//! Systems from text, compiled at run time and without a macro.

use std::fmt;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

use crate::compile::CompiledSystem;
use crate::depth;
use crate::elaborate::table::{Constant, Table};
use crate::graph::{Given, Graph, Id, InputNode, entry_of};
use crate::print::{DeviceText, Dialect, device};
use crate::system::{Options, function, module};

/// An error in a text, with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The line, counted from 1 as in editors.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// The message: the error, and the form to write instead.
    pub message: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Diagnostic {}

impl Diagnostic {
    fn at(span: Span, message: impl ToString) -> Self {
        let begin = span.start();
        Diagnostic { line: begin.line, column: begin.column + 1, message: message.to_string() }
    }
}

/// Compiles a system from text: a function, or a module with a function `rhs`.
///
/// The text has the form of an item below `#[ode_system]`, and may include the attribute and its
/// arguments. Constants and functions from outside the text are errors, because only rustc can
/// resolve them.
///
/// ```
/// let compiled = ode_codegen::compile_str(
///     "fn decay(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] { [-p[0] * u[0]] }",
/// )?;
/// assert_eq!(compiled.evaluate("rhs", &[3.0], &[2.0], 0.0).unwrap(), [-6.0]);
/// assert_eq!(compiled.evaluate("jacobian", &[3.0], &[2.0], 0.0).unwrap(), [-2.0]);
/// # Ok::<(), Vec<ode_codegen::Diagnostic>>(())
/// ```
///
/// # Errors
/// All errors at once, in the order of the text.
pub fn compile_str(text: &str) -> Result<CompiledSystem, Vec<Diagnostic>> {
    let tokens: TokenStream = text.parse().map_err(|error: proc_macro2::LexError| {
        let message = "this is not a token of Rust, or a bracket is not closed";
        vec![Diagnostic::at(error.span(), message)]
    })?;
    compiled(tokens).map_err(|errors| {
        let all = errors.into_iter().map(|error| Diagnostic::at(error.span(), error));
        let mut all: Vec<Diagnostic> = all.collect();
        all.sort_by_key(|mistake| (mistake.line, mistake.column));
        // An array from outside is reported both as a constant and as a table.
        all.dedup();
        all
    })
}

fn compiled(tokens: TokenStream) -> syn::Result<CompiledSystem> {
    depth::check_both(&TokenStream::new(), &tokens)?;
    let mut item: syn::Item = syn::parse2(tokens)?;
    let (compiled, outside) = match &mut item {
        syn::Item::Fn(item) => {
            let Options { settings, .. } = options(&mut item.attrs)?;
            function::compiled(item, &settings, &[])?
        }
        syn::Item::Mod(item) => {
            let Options { settings, .. } = options(&mut item.attrs)?;
            let Some((_, content)) = &item.content else {
                return Err(syn::Error::new_spanned(&item, "write the module's text here"));
            };
            module::compiled(&item.ident, content, &settings)?
        }
        other => {
            let message = "a system is a function, or a module with a function `rhs`";
            return Err(syn::Error::new_spanned(other, message));
        }
    };
    let constants = outside.constants.iter().map(|constant| match constant {
        Constant::Value(outside) | Constant::Last(outside) => &outside.tokens,
    });
    let tables = outside.tables.iter().filter_map(Table::outside).map(|array| &array.tokens);
    let errors = constants.chain(tables).map(|tokens| unknown(tokens));
    match errors.reduce(both) {
        Some(errors) => Err(errors),
        None => Ok(compiled),
    }
}

fn unknown(tokens: &dyn ToTokens) -> syn::Error {
    let tokens = tokens.to_token_stream();
    let name = tokens.to_string().replace(' ', "");
    let message = format!(
        "`{name}` is not declared in this text, which is compiled alone: write its value, or make \
         it a `const` of the text or a parameter"
    );
    syn::Error::new_spanned(tokens, message)
}

fn both(mut all: syn::Error, next: syn::Error) -> syn::Error {
    all.combine(next);
    all
}

/// Removes the attribute `#[ode_system]`, if present, and returns its arguments.
fn options(attributes: &mut Vec<syn::Attribute>) -> syn::Result<Options> {
    let is_ours = |attribute: &syn::Attribute| {
        attribute.path().segments.last().is_some_and(|last| last.ident == "ode_system")
    };
    let Some(position) = attributes.iter().position(is_ours) else {
        return Ok(Options::default());
    };
    match attributes.remove(position).meta {
        syn::Meta::List(list) => Options::parse(list.tokens),
        _ => Ok(Options::default()),
    }
}

/// The reason why a function was not evaluated.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The system has no function of this name that takes state, parameters and time.
    NoSuchFunction(String),
    /// The call has other numbers of states and parameters than the system.
    Sizes {
        /// The numbers of states and parameters of the system.
        expected: [usize; 2],
        /// The numbers of states and parameters of the call.
        found: [usize; 2],
    },
}

impl fmt::Display for EvaluateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvaluateError::NoSuchFunction(name) => write!(f, "there is no function `{name}`"),
            EvaluateError::Sizes { expected: [n, p], found: [u, q] } => {
                write!(f, "the system has {n} states and {p} parameters, found {u} and {q}")
            }
        }
    }
}

impl std::error::Error for EvaluateError {}

impl CompiledSystem {
    /// Returns the names of the states.
    #[must_use]
    pub fn states(&self) -> &[String] {
        &self.info.states
    }

    /// Returns the names of the parameters.
    #[must_use]
    pub fn parameters(&self) -> &[String] {
        &self.info.parameters
    }

    /// Returns the final graph of a function, and its results row by row.
    ///
    /// `None` is a structural zero. The functions are `rhs`, `jacobian`, `parameter_jacobian` and
    /// `time_gradient`. If the system has them, there are also `observables`, `mass`,
    /// `out_of_domain`, and the functions that solve linear equations.
    #[must_use]
    pub fn function(&self, name: &str) -> Option<(&Graph, Vec<Option<Id>>)> {
        let lowered = self.functions.iter().find(|lowered| lowered.name == name)?;
        Some((&lowered.graph, lowered.results.entries()))
    }

    /// Returns the text of the system for a device.
    ///
    /// # Errors
    /// An internal error of the compiler.
    pub fn device(&self, dialect: Dialect) -> Result<DeviceText, Diagnostic> {
        device::device(self, dialect).map_err(|error| Diagnostic::at(error.span(), &error))
    }

    /// Interprets a function in `f64` and returns its results, row by row.
    ///
    /// The functions are `rhs`, `jacobian`, `parameter_jacobian`, `time_gradient`, and, if the
    /// system has them, `observables` and `out_of_domain` (0 or 1). Elementary functions come from
    /// Rust's standard library.
    ///
    /// # Errors
    /// See [`EvaluateError`].
    pub fn evaluate(
        &self,
        function: &str,
        u: &[f64],
        p: &[f64],
        t: f64,
    ) -> Result<Vec<f64>, EvaluateError> {
        let expected = [self.sizes.states, self.sizes.parameters];
        let found = [u.len(), p.len()];
        if expected != found {
            return Err(EvaluateError::Sizes { expected, found });
        }
        let of_state = |name: &str| {
            !matches!(
                name,
                "matrix"
                    | "factor"
                    | "eliminate"
                    | "solve"
                    | "mass"
                    | "noise_sum"
                    | "noise_milstein"
            )
        };
        let lowered = self.functions.iter().find(|lowered| lowered.name == function);
        let Some(lowered) = lowered.filter(|lowered| of_state(lowered.name)) else {
            return Err(EvaluateError::NoSuchFunction(function.to_owned()));
        };
        let input = |input| match input {
            InputNode::State(index) => u[index as usize],
            InputNode::Parameter(index) => p[index as usize],
            InputNode::Time => t,
            // These functions have no other inputs.
            InputNode::Scale | InputNode::Factor(_) | InputNode::Vector(_) => f64::NAN,
        };
        let entry = |table: u32, index: f64| match &self.tables[table as usize].values {
            Some(values) => entry_of(values, index),
            None => f64::NAN,
        };
        // Constants from outside are errors in a text.
        let constant = |_| f64::NAN;
        let needed = lowered.graph.reachable(&lowered.results.roots());
        let given = Given { input: &input, constant: &constant, entry: &entry };
        let values = lowered.graph.evaluate(&needed, &given);
        let results = lowered.results.entries();
        Ok(results.into_iter().map(|id| id.map_or(0.0, |id| values[id.index()])).collect())
    }
}
