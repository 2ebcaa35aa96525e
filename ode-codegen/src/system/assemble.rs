//! The implementation of the trait `System` and the device text.

use std::slice::from_ref;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::constants::{Constants, Names};
use super::dependent;
use super::linear::{Linear, TINY};
use super::mass::{self, Mass};
use super::{Options, never};
use crate::ast::System;
use crate::breaks::formula::Formula;
use crate::derive::{self, Gradient};
use crate::device::{self, Facts};
use crate::elaborate::Elaborated;
use crate::emit::{self, Language, Results};
use crate::factor::{self, Unsuitable};
use crate::fuse::{self, Fusion};
use crate::graph::{Binary, Graph, Id, Input, Node, Unary};
use crate::hygiene::{private, private_name};
use crate::{breaks, check, text};

/// How many nodes the derivatives may add to the graph: ten times the operations that a
/// right-hand side may have.
const DERIVATIVE_FACTOR: u64 = 10;

/// What the trait is implemented for.
pub(super) struct Target {
    pub ty: TokenStream,
    /// In messages and reports.
    pub name: String,
}

/// A system's derivatives, taken apart by what they are derivatives by.
pub(super) struct Derivatives {
    pub jacobian: Vec<Vec<Option<Id>>>,
    pub parameters: Vec<Vec<Option<Id>>>,
    pub time: Vec<Option<Id>>,
}

impl Derivatives {
    fn new(states: usize, parameters: usize, gradients: &[Gradient]) -> Self {
        let row = |gradient: &Gradient, count: usize, of: fn(Input) -> Option<u32>| {
            let mut row = vec![None; count];
            for &(input, derivative) in gradient {
                if let Some(entry) = of(input).and_then(|column| row.get_mut(column as usize)) {
                    *entry = Some(derivative);
                }
            }
            row
        };
        let state = |input| if let Input::State(index) = input { Some(index) } else { None };
        let parameter =
            |input| if let Input::Parameter(index) = input { Some(index) } else { None };
        let time = |input| (input == Input::Time).then_some(0);
        Derivatives {
            jacobian: gradients.iter().map(|g| row(g, states, state)).collect(),
            parameters: gradients.iter().map(|g| row(g, parameters, parameter)).collect(),
            time: gradients.iter().flat_map(|g| row(g, 1, time)).collect(),
        }
    }
}

/// The positions of the nonzeros of a matrix, as tokens.
fn pattern(rows: &[Vec<Option<Id>>]) -> TokenStream {
    let entries = rows.iter().enumerate().flat_map(|(row, entries)| {
        let columns = entries.iter().enumerate().filter(|(_, entry)| entry.is_some());
        columns.map(move |(column, _)| {
            let (row, column) = (Literal::usize_unsuffixed(row), Literal::usize_unsuffixed(column));
            quote!((#row, #column))
        })
    });
    quote!(&[#(#entries),*])
}

/// A block with the implementation of `System`.
pub(super) fn implementation(
    system: &System<'_>,
    mut elaborated: Elaborated<'_>,
    options: &Options,
    target: &Target,
) -> syn::Result<TokenStream> {
    let (states, parameters) = (elaborated.states(), elaborated.parameters());
    let limit = usize::try_from(DERIVATIVE_FACTOR.saturating_mul(options.limit));
    let limit = limit.unwrap_or(usize::MAX);
    let Some(gradients) = derive::gradients(&mut elaborated.graph, &elaborated.derivatives, limit)
    else {
        let message = format!(
            "the derivatives of this right-hand side take more than {limit} operations: they are \
             computed symbolically, for many small systems; use fewer operations or fewer states, \
             or raise the limit by `#[ode_system(limit = {})]`",
            options.limit.saturating_mul(10)
        );
        return Err(syn::Error::new_spanned(system.name, message));
    };
    let mut by = Derivatives::new(states, parameters, &gradients);
    by.take_by_hand(system, &elaborated, options)?;
    let breaks = breaks::breaks(&mut elaborated.graph, &elaborated.derivatives);
    let Elaborated {
        mut graph,
        derivatives,
        mut mass,
        out_of_domain,
        observables,
        operations: written,
        constants,
        tables,
        state_names,
        parameter_names,
        ..
    } = elaborated;
    let mut rhs: Vec<Option<Id>> = derivatives.into_iter().map(Some).collect();
    if let Some(mass) = &mut mass {
        dependent::combine(&mut graph, mass, &mut rhs, &mut by);
    }
    let jacobian_pattern = pattern(&by.jacobian);
    let parameter_pattern = pattern(&by.parameters);
    let time_pattern = by.time.iter().enumerate().filter(|(_, entry)| entry.is_some());
    let time_pattern: Vec<_> =
        time_pattern.map(|(row, _)| Literal::usize_unsuffixed(row)).collect();

    // What is compared with the time has no derivative by it.
    let roots: Vec<Id> = rhs.iter().flatten().copied().chain(out_of_domain).collect();
    let reachable = graph.reachable(&roots);
    let time = |id: &Id| graph.node(*id) == Node::Input(Input::Time);
    let timed = graph.ids().filter(time).any(|id| reachable[id.index()]);
    let stepwise = time_pattern.is_empty() && timed;

    let (observable_names, observed): (Vec<_>, Vec<_>) =
        observables.into_iter().map(|(name, id)| (name, Some(id))).unzip();
    let one = graph.literal(1.0);
    let identity = || (0..states).map(|state| vec![(state, one)]).collect();
    let entries = mass.clone().unwrap_or_else(identity);
    let (linear, solving) = match factor::factorization(&graph, &by.jacobian, &entries) {
        Ok(made) => Linear::new(made, options.fusion),
        Err(Unsuitable::Long { equation_of }) => {
            (Linear::Loops { equation_of, full: false }, Vec::new())
        }
        Err(Unsuitable::Full) => {
            (Linear::Loops { equation_of: (0..states).collect(), full: true }, Vec::new())
        }
        Err(Unsuitable::Singular { equations, unknowns }) => {
            return Err(mass::singular(system, &state_names, &equations, &unknowns));
        }
    };
    let mass = mass.map(|entries| Mass::new(&entries, &mut graph));
    let constrained = mass.as_ref().is_some_and(|mass| mass.algebraic() > 0);
    let (linear, solving) = match options.pivoting || (constrained && states <= TINY) {
        true => (Linear::Pivoting, Vec::new()),
        false => (linear, solving),
    };
    let mut functions = vec![
        ("rhs", Results::Vector(rhs)),
        ("jacobian", Results::Matrix(by.jacobian, states)),
        ("parameter_jacobian", Results::Matrix(by.parameters, parameters)),
        ("time_gradient", Results::Vector(by.time)),
    ];
    if !observed.is_empty() {
        functions.push(("observables", Results::Vector(observed)));
    }
    let lower = |(name, results)| Lowered::new(name, &graph, results, options.fusion);
    let mut functions: Vec<Lowered> = functions.into_iter().map(lower).chain(solving).collect();
    if let Some(mass) = &mass {
        functions.push(lower(("mass", Results::Vector(mass.product.clone()))));
    }
    if let Some(mask) = out_of_domain {
        functions.push(lower(("out_of_domain", Results::Mask(mask))));
    }
    let sizes = Sizes { states, parameters, factors: linear.factors() };
    let of_parameters = (!breaks.of_parameters.is_empty()).then(|| {
        let times = breaks.of_parameters.iter().copied().map(Some).collect();
        lower(("break_times", Results::Vector(times)))
    });

    let nodes = functions.iter().chain(&of_parameters).flat_map(Lowered::nodes);
    let outside = Constants::of(nodes, &constants, &tables, &options.facade);

    let mut text_of_rust = String::new();
    let mut rust = Vec::with_capacity(functions.len());
    let mut observables = None;
    let mut matrix = None;
    let mut device_functions = Vec::with_capacity(functions.len());
    for function in &functions {
        if !linear.is_for_devices(function.name) {
            let tokens = function.emit(sizes, &outside.in_rust);
            text_of_rust.push_str(&text::of_function(&tokens));
            match function.name {
                "observables" => observables = Some(tokens),
                "matrix" => matrix = Some(tokens),
                _ => rust.push(tokens),
            }
        }
        // There are no arrays of no elements in C++, and nothing to compute either.
        if function.name != "parameter_jacobian" || parameters > 0 {
            let tokens = function.emit(sizes, &outside.in_device);
            device_functions.push(syn::parse2(tokens)?);
        }
    }
    let facade = &options.facade;
    let loops = quote!(#facade::__private::linear);
    rust.extend(linear.in_rust(sizes, &loops, matrix.as_ref()));
    let choices = mass.as_ref().map(Mass::choices).into_iter().flatten();
    rust.extend(choices.clone().map(|choice| quote!(#[inline(always)] #choice)));
    for function in linear.on_device(sizes).into_iter().chain(choices) {
        device_functions.push(syn::parse2(function)?);
    }
    let facts = Facts {
        autonomous: time_pattern.is_empty(),
        stepwise,
        mass: mass.is_some(),
        algebraic: mass.as_ref().map_or(0, Mass::algebraic),
        domain: out_of_domain.is_some(),
        factors: linear.device_type(sizes),
    };
    let device_text = device::system_struct(facts, &device_functions)?;
    let device_source = outside.device_source(&device_text, facade);
    let written = Literal::u64_unsuffixed(written);
    let shared = Literal::usize_unsuffixed(functions.first().map_or(0, Lowered::shared));

    let (states, parameters) =
        (Literal::usize_unsuffixed(states), Literal::usize_unsuffixed(parameters));
    let operations = functions.iter().take(4).map(Lowered::operations);
    let Target { ty, name } = target;
    let values = &outside.items;
    let uses = &system.uses;
    rust.extend(observables.map(|observables| {
        quote! {
            #[inline(always)]
            fn observe<R: Real>(
                u: &[R; #states],
                p: &[R; #parameters],
                t: R,
                mut put: impl ::core::ops::FnMut(usize, R),
            ) {
                #observables
                for (index, value) in observables::<R>(u, p, t).into_iter().enumerate() {
                    put(index, value);
                }
            }
        }
    }));
    let observable_names = (!observable_names.is_empty())
        .then(|| quote!(const OBSERVABLES: &'static [&'static str] = &[#(#observable_names),*];));
    let linear = linear.items(sizes, &loops);
    let formula = Formula {
        graph: &graph,
        parameters: &parameter_names,
        constants: &constants,
        tables: &tables,
    };
    let breaks_of_parameters = of_parameters.map(|function| {
        let function = function.emit(sizes, &outside.in_rust);
        text_of_rust.push_str(&text::of_function(&function));
        let formulas = breaks.of_parameters.iter().map(|time| formula.text(*time));
        rust.push(quote! {
            fn parameter_breaks(p: &[f64; #parameters], put: impl ::core::ops::FnMut(f64)) {
                #function
                break_times::<f64>(p).into_iter().for_each(put);
            }
        });
        quote!(const PARAMETER_BREAKS: &'static [&'static str] = &[#(#formulas),*];)
    });
    let known: Vec<_> = outside.in_rust.constants.iter().cloned().map(private).collect();
    let breaks = breaks.items(&graph, &known, facade);
    let assertions = match (&mass, &system.mass) {
        (Some(mass), Some(constant)) => mass.assertions(constant),
        _ => TokenStream::new(),
    };
    let mass = mass.map(|mass| {
        let algebraic = Literal::usize_unsuffixed(mass.algebraic());
        quote! {
            const MASS: bool = true;
            const ALGEBRAIC: usize = #algebraic;
        }
    });
    let stepwise = stepwise.then(|| {
        quote!(
            const STEPWISE: bool = true;
        )
    });
    let domain = out_of_domain.map(|_| {
        quote!(
            const HAS_DOMAIN: bool = true;
        )
    });
    let imports = imports(facade);
    let functions = rust.into_iter().map(private);
    Ok(quote! {
        #[allow(
            deprecated,
            trivial_numeric_casts,
            unused_variables,
            clippy::all,
            clippy::pedantic
        )]
        const _: () = {
            #imports
            #(#[allow(unused_imports)] #uses)*
            #values
            #assertions

            #[automatically_derived]
            impl __System<#states, #parameters> for #ty {
                const NAME: &'static str = #name;
                const STATES: [&'static str; #states] = [#(#state_names),*];
                const PARAMETERS: [&'static str; #parameters] = [#(#parameter_names),*];
                const JACOBIAN_PATTERN: &'static [(usize, usize)] = #jacobian_pattern;
                const PARAMETER_PATTERN: &'static [(usize, usize)] = #parameter_pattern;
                const TIME_PATTERN: &'static [usize] = &[#(#time_pattern),*];
                const OPERATIONS: [__Operations; 4] = [#(__Operations::new([#operations])),*];
                const WRITTEN: u64 = #written;
                const SHARED: usize = #shared;
                #breaks
                #breaks_of_parameters

                #stepwise
                #mass
                #domain
                #linear
                #observable_names
                #(#functions)*

                fn rust_source() -> &'static str {
                    #text_of_rust
                }

                fn device_source() -> ::std::string::String {
                    #device_source
                }
            }
        };
    })
}

/// Numbers of states, parameters, and numbers of a factorised matrix.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub states: usize,
    pub parameters: usize,
    pub factors: usize,
}

impl Sizes {
    /// The parameters of the function of this name.
    pub(super) fn arguments(self, function: &str) -> TokenStream {
        let Sizes { states, parameters, factors } = self;
        let [states, parameters, factors] =
            [states, parameters, factors].map(Literal::usize_unsuffixed);
        match function {
            "solve" => quote!(w: &[R; #factors], b: &[R; #states]),
            "eliminate" => quote!(w: &[R; #factors]),
            "mass" => quote!(b: &[R; #states]),
            "break_times" => quote!(p: &[R; #parameters]),
            "factor" | "matrix" => quote!(u: &[R; #states], p: &[R; #parameters], t: R, scale: R),
            _ => quote!(u: &[R; #states], p: &[R; #parameters], t: R),
        }
    }
}

impl Derivatives {
    /// Puts derivatives by hand in place of those that were derived, which they must agree with.
    fn take_by_hand(
        &mut self,
        system: &System<'_>,
        elaborated: &Elaborated<'_>,
        options: &Options,
    ) -> syn::Result<()> {
        let graph = &elaborated.graph;
        // What is the number zero is a structural zero.
        let entry = |id: &Id| (!graph.is(*id, 0.0)).then_some(*id);
        if let (Some(part), Some(entries)) = (&system.jacobian, &elaborated.jacobian) {
            let states = elaborated.states();
            let rows = entries.chunks(states).map(|row| row.iter().map(entry).collect());
            let by_hand: Vec<Vec<Option<Id>>> = rows.collect();
            if options.check {
                let names = &elaborated.state_names;
                let place = |row: usize, column: usize| {
                    format!("the derivative of `{}` by `{}`", names[row], names[column])
                };
                check::agree(graph, &elaborated.tables, &by_hand, &self.jacobian, &place)
                    .map_err(|message| syn::Error::new_spanned(part.name, message))?;
            }
            self.jacobian = by_hand;
        }
        if let (Some(part), Some(entries)) = (&system.tgrad, &elaborated.tgrad) {
            let by_hand: Vec<Option<Id>> = entries.iter().map(entry).collect();
            if options.check {
                let names = &elaborated.state_names;
                let place = |_: usize, row: usize| {
                    format!("the derivative of `{}` by the time", names[row])
                };
                check::agree(
                    graph,
                    &elaborated.tables,
                    from_ref(&by_hand),
                    from_ref(&self.time),
                    &place,
                )
                .map_err(|message| syn::Error::new_spanned(part.name, message))?;
            }
            self.time = by_hand;
        }
        Ok(())
    }
}

/// A function in its last form.
pub(super) struct Lowered {
    name: &'static str,
    graph: Graph,
    results: Results,
}

impl Lowered {
    pub(super) fn new(name: &'static str, graph: &Graph, results: Results, fusion: Fusion) -> Self {
        let (graph, roots) = fuse::fuse(graph, &results.roots(), fusion);
        Lowered { name, graph, results: results.with_roots(roots) }
    }

    /// What it needs.
    fn nodes(&self) -> impl Iterator<Item = Node> {
        let reachable = self.graph.reachable(&self.results.roots());
        self.graph.ids().zip(reachable).filter(|(_, is)| *is).map(|(id, _)| self.graph.node(id))
    }

    /// How many of each kind of operation it takes, in the order of `ode_core::report::Operations`.
    pub(super) fn operations(&self) -> TokenStream {
        operations(self.counts())
    }

    /// How long it is: an elementary function counts as nine operations.
    fn weight(&self) -> u32 {
        let counts = self.counts();
        counts.iter().sum::<u32>() + 8 * counts[FUNCTIONS]
    }

    /// The same as numbers.
    pub(super) fn counts(&self) -> [u32; 6] {
        let reachable = self.graph.reachable(&self.results.roots());
        let mut counts = [0_u32; 6];
        for id in self.graph.ids().filter(|id| reachable[id.index()]) {
            if let Some(kind) = kind(self.graph.node(id)) {
                counts[kind] += 1;
            }
        }
        counts
    }

    /// How many operations have results that are used more than once.
    fn shared(&self) -> usize {
        let uses = fuse::count_uses(&self.graph, &self.results.roots());
        let shared = |id: &Id| uses[id.index()] > 1 && kind(self.graph.node(*id)).is_some();
        self.graph.ids().filter(shared).count()
    }

    fn emit(&self, sizes: Sizes, names: &Names) -> TokenStream {
        // Loops take it by rows.
        let by_rows = match &self.results {
            Results::Vector(all) if self.name == "matrix" && names.language == Language::Rust => {
                let rows = all.chunks(sizes.states).map(<[_]>::to_vec).collect();
                Some(Results::Matrix(rows, sizes.states))
            }
            _ => None,
        };
        emit::Function {
            name: self.name,
            graph: &self.graph,
            results: by_rows.as_ref().unwrap_or(&self.results),
            arguments: &sizes.arguments(self.name),
            constants: &names.constants,
            tables: &names.tables,
            language: names.language,
            // What calls the matrix is called itself.
            outlined: self.name != "matrix"
                && self.weight() >= least_weight(self.name, names.language),
        }
        .emit()
    }
}

/// Counts as tokens.
pub(super) fn operations(counts: [u32; 6]) -> TokenStream {
    let counts = counts.map(Literal::u32_unsuffixed);
    quote!(#(#counts),*)
}

/// From which weight on a function is called, not inlined: where that takes hardly more time, and much less
/// to compile. A call costs the copies of its arguments and results, so it depends on how often a step
/// calls it (measured, `bench/RESULTS.md`).
fn least_weight(function: &str, language: Language) -> u32 {
    match (language, function) {
        (Language::Rust, "factor" | "jacobian") => 1000,
        (Language::Rust, "solve" | "mass") => 300,
        (Language::Rust, _) => 250,
        // What a step evaluates for each of its stages. With 400 `tanh` a kernel takes a quarter of the time then, since
        // it fits the caches of instructions; with 100 it takes 5% more, as arguments and results go through memory.
        (Language::Device, "rhs") => 2000,
        (Language::Device, _) => u32::MAX,
    }
}

/// Which count is that of elementary functions.
const FUNCTIONS: usize = 4;

/// Which of the six counts of operations a node is counted in.
fn kind(node: Node) -> Option<usize> {
    Some(match node {
        Node::Literal(_) | Node::Constant(_) | Node::Input(_) => return None,
        // Signs cost nothing: they are part of the operations around them.
        Node::Unary(Unary::Neg | Unary::Abs, _) => return None,
        Node::Binary(Binary::Add | Binary::Sub, ..) => 0,
        Node::Binary(Binary::Mul, ..) | Node::Powi(..) => 1,
        Node::MulAdd(..) => 2,
        Node::Binary(Binary::Div, ..) | Node::Unary(Unary::Sqrt, _) => 3,
        Node::Binary(Binary::Min | Binary::Max, ..)
        | Node::Compare(..)
        | Node::And(..)
        | Node::Or(..)
        | Node::Not(_)
        | Node::Select(..)
        | Node::Lookup(..) => 5,
        Node::Unary(..) | Node::Binary(..) => FUNCTIONS,
    })
}

/// Imports of what an implementation mentions, by [private names](private).
fn imports(facade: &syn::Path) -> TokenStream {
    let names = ["LinearEquations", "Operations", "Real", "System"].map(|name| {
        let name = Ident::new(name, Span::call_site());
        let private = private_name(&name);
        quote!(#name as #private)
    });
    quote!(use #facade::__private::{#(#names),*};)
}

/// What stands in for the implementation of a system with errors: it is never run. Where the numbers
/// of states and parameters are not known it is for any.
pub(super) fn stub(
    ty: &TokenStream,
    [states, parameters]: [Option<usize>; 2],
    options: &Options,
) -> TokenStream {
    let mut generics = TokenStream::new();
    let mut size = |known: Option<usize>, name: &str| match known {
        Some(size) => Literal::usize_unsuffixed(size).into_token_stream(),
        None => {
            let name = Ident::new(name, Span::call_site());
            generics.extend(quote!(const #name: usize,));
            // In braces, since a type of the user may have this name.
            quote!({ #name })
        }
    };
    let (states, parameters) = (size(states, "N"), size(parameters, "P"));
    let (imports, never) = (imports(&options.facade), never());
    let functions = [
        ("rhs", quote!([R; #states])),
        ("jacobian", quote!([[R; #states]; #states])),
        ("parameter_jacobian", quote!([[R; #parameters]; #states])),
        ("time_gradient", quote!([R; #states])),
    ]
    .map(|(name, ty)| {
        let name = Ident::new(name, Span::call_site());
        quote!(fn #name<R: __Real>(_: &[R; #states], _: &[R; #parameters], _: R) -> #ty #never)
    });
    quote! {
        #[allow(deprecated)]
        const _: () = {
            #imports

            impl<#generics> __System<#states, #parameters> for #ty {
                const NAME: &'static str = "";
                const STATES: [&'static str; #states] = [""; #states];
                const PARAMETERS: [&'static str; #parameters] = [""; #parameters];
                const JACOBIAN_PATTERN: &'static [(usize, usize)] = &[];
                const PARAMETER_PATTERN: &'static [(usize, usize)] = &[];
                const TIME_PATTERN: &'static [usize] = &[];
                const OPERATIONS: [__Operations; 4] = [__Operations::new([0; 6]); 4];
                const LINEAR: __LinearEquations = __LinearEquations::Loops { limit: 0 };
                type Factors<R: __Real> = [R; #states];
                #(#functions)*
                fn factor<R: __Real>(
                    _: &[R; #states],
                    _: &[R; #parameters],
                    _: R,
                    _: R,
                ) -> Self::Factors<R> #never
                fn solve<R: __Real>(_: &Self::Factors<R>, _: &[R; #states]) -> [R; #states] #never
                fn negative<R: __Real>(_: &Self::Factors<R>) -> R::Mask #never
                fn device_source() -> ::std::string::String #never
            }
        };
    }
}
