//! The implementation of the trait `System`.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::outside::{self, Names};
use super::{DeviceText, counts, events, function, gradients, jumps, noise};
use crate::breaks::Breaks;
use crate::compile::{Capability, CompiledSystem, Fact, FactValue, Info, Lowered, Outside};
use crate::emit::Language;
use crate::hygiene::{private, private_name};
use crate::text;

/// Returns a block with the implementations of `System` and its supertraits for `ty`.
///
/// `device` is the text for devices. `structs` contains the structs of the state, the parameters,
/// the learnt parameters and the data of a trajectory; `None` stands for an array.
pub(crate) fn rust(
    compiled: &CompiledSystem,
    outside: &Outside,
    device: &DeviceText,
    ty: &TokenStream,
    structs: [Option<&Ident>; 4],
    facade: &syn::Path,
) -> TokenStream {
    let CompiledSystem { info, sizes, linear, mass, .. } = compiled;
    let names = Names::of(compiled, Language::Rust);
    let loops = quote!(#facade::__private::linear);

    let (mut functions, text_of_rust) = functions(compiled, &names, &loops);
    let arrivals = quote!(#facade::__private::arrivals);
    let random = jumps::random(&compiled.laws, &arrivals, Language::Rust);
    functions.extend(random.into_iter().map(|function| (Capability::Events, function)));
    let known: Vec<_> = names.constants.iter().cloned().map(private).collect();
    let breaks = compiled.breaks.constant_times(&compiled.graph, &known, facade);
    let info = self::info(info, &compiled.breaks, &breaks, &linear.described(), facade);
    let functions = functions.into_iter().map(|(of, function)| (of, private(function)));
    let mut items = facts(compiled, &linear.factors_type(*sizes, &loops));
    items.extend(functions);
    let assertions = mass.as_ref().zip(outside.mass.as_ref());
    let assertions = assertions.map(|(mass, name)| mass.assertions(name));
    let device_source = device_source(compiled, device, facade);
    let (imports, uses) = (imports(facade), &outside.uses);
    let values = outside::items(compiled, outside, facade);
    let [states, parameters] = [sizes.states, sizes.parameters].map(Literal::usize_unsuffixed);
    let [state, of_parameters, theta, item] = structs;
    let of_the_user = of_the_user([state, of_parameters], [&states, &parameters]);
    let array = |name: Option<&Ident>, size: usize| match name {
        Some(name) => name.to_token_stream(),
        None => {
            let size = Literal::usize_unsuffixed(size);
            quote!([f64; #size])
        }
    };
    let learnt = [&array(theta, sizes.learnt), &array(item, sizes.data)];
    let transposed = (sizes.curve > 0).then(|| linear.transposed(*sizes, &loops, Language::Rust));
    let transposed = transposed.flatten();
    let of_gradients =
        gradients::implementations(compiled, &items, transposed.as_ref(), ty, learnt);
    let of_gradients = gradients::with_imports(of_gradients, facade);
    let generated = |name: &str| {
        let lowered = compiled.functions.iter().find(|function| function.name == name);
        lowered.map_or(TokenStream::new(), |lowered| function(lowered, *sizes, &names, false))
    };
    let (of_noise, noise) = noise::implementation(compiled, &generated, ty, facade);
    let implementations = Capability::ALL.map(|(capability, name, generics)| {
        let name = private_name(&Ident::new(name, Span::call_site()));
        let generics = [&states, &parameters].into_iter().zip(generics);
        let generics = generics.filter(|(_, has)| *has).map(|(size, _)| size);
        let mine = |of: &Capability| *of == capability;
        let items = items.iter().filter(|(of, _)| mine(of)).map(|(_, item)| item);
        quote! {
            #[automatically_derived]
            impl #name<#(#generics),*> for #ty {
                #(#items)*
            }
        }
    });
    quote! {
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

            #(#implementations)*
            #of_gradients
            #of_noise

            #[automatically_derived]
            impl __System<#states, #parameters> for #ty {
                #of_the_user
                type Noise = #noise;
                fn info(&self) -> &'static __SystemInfo {
                    const INFO: &__SystemInfo = &#info;
                    INFO
                }

                fn rust_source(&self) -> &'static str {
                    #text_of_rust
                }

                fn device_source(&self) -> ::core::option::Option<__DeviceSource> {
                    #device_source
                }
            }
        };
    }
}

/// Returns the body of `device_source`.
fn device_source(compiled: &CompiledSystem, text: &DeviceText, facade: &syn::Path) -> TokenStream {
    let (text, CompiledSystem { info, sizes, .. }) =
        (outside::device_source(text, facade), compiled);
    let sizes = [sizes.states, sizes.parameters, info.observables.len()];
    let sizes = sizes.map(Literal::usize_unsuffixed);
    quote! {
        #text
        // SAFETY: the functions are straight-line code whose indices the macro checked, and loops
        // over arrays of these sizes; indices into tables are clamped.
        ::core::option::Option::Some(unsafe { __DeviceSource::new(__text, [#(#sizes),*]) })
    }
}

/// Returns the user's types of state and parameters: these structs, or arrays of these sizes.
fn of_the_user(structs: [Option<&Ident>; 2], sizes: [&dyn ToTokens; 2]) -> TokenStream {
    let quantities = |name: Option<&Ident>, size: &dyn ToTokens| match name {
        Some(name) => name.to_token_stream(),
        None => quote!([__T; #size]),
    };
    let state = quantities(structs[0], sizes[0]);
    let parameters = quantities(structs[1], sizes[1]);
    quote! {
        type State<__T: __Scalar> = #state;
        type Parameters<__T: __Scalar> = #parameters;
    }
}

/// Returns the `SystemInfo` of a system; `times` are its constant times of breaks.
fn info(
    info: &Info,
    breaks: &Breaks,
    times: &TokenStream,
    linear: &TokenStream,
    facade: &syn::Path,
) -> TokenStream {
    let noise = noise::info(info.noise, facade);
    let (moving, more) = (breaks.moving, breaks.more);
    let Info { name, states, parameters, observables, events, parameter_breaks, poles, .. } = info;
    let Info { features, modes, growing, steep, jumps, .. } = info;
    let jacobian_pattern = pattern(&info.jacobian_pattern);
    let parameter_pattern = pattern(&info.parameter_pattern);
    let time_pattern = info.time_pattern.iter().map(|row| Literal::usize_unsuffixed(*row));
    let operations = info.operations.map(counts);
    let written = Literal::u64_unsuffixed(info.written);
    let shared = Literal::usize_unsuffixed(info.shared);
    quote! {
        __SystemInfo {
            name: #name,
            states: &[#(#states),*],
            parameters: &[#(#parameters),*],
            observables: &[#(#observables),*],
            events: &[#(#events),*],
            features: &[#(#features),*],
            modes: &[#(#modes),*],
            noise: #noise,
            jacobian_pattern: #jacobian_pattern,
            parameter_pattern: #parameter_pattern,
            time_pattern: &[#(#time_pattern),*],
            time_breaks: #times,
            parameter_breaks: &[#(#parameter_breaks),*],
            moving_time_breaks: #moving,
            more_time_breaks: #more,
            poles: &[#(#poles),*],
            growing: &[#(#growing),*],
            steep: &[#(#steep),*],
            jumps: &[#(#jumps),*],
            operations: [#(__Operations::new([#operations])),*],
            written: #written,
            shared: #shared,
            linear: #linear,
        }
    }
}

/// Returns the positions of the nonzeros of a matrix.
fn pattern(nonzeros: &[(usize, usize)]) -> TokenStream {
    let entries = nonzeros.iter().map(|&(row, column)| {
        let (row, column) = (Literal::usize_unsuffixed(row), Literal::usize_unsuffixed(column));
        quote!((#row, #column))
    });
    quote!(&[#(#entries),*])
}

/// A constant, a type or a function as an item of a trait.
pub(super) type Item = (Capability, TokenStream);

/// Returns the constants and types of the traits; `factors` is the type of the factors.
fn facts(compiled: &CompiledSystem, factors: &TokenStream) -> Vec<Item> {
    let constant = |fact: &Fact| {
        let name = Ident::new(fact.name, Span::call_site());
        let (ty, value) = match fact.value {
            FactValue::Is(is) => (quote!(bool), quote!(#is)),
            FactValue::Count(count) => {
                (quote!(usize), Literal::usize_unsuffixed(count).into_token_stream())
            }
        };
        (fact.capability, quote!(const #name: #ty = #value;))
    };
    let operations = counts(compiled.info.operations[0]);
    let weight = quote!(const WEIGHT: u32 = __Operations::new([#operations]).weight(););
    let factors = quote!(type Factors<R: __Real> = #factors;);
    let others = [(Capability::Rhs, weight), (Capability::Linearised, factors)];
    let tables = Literal::usize_unsuffixed(compiled.info.abscissae.len());
    let tables = (Capability::TimeBreaks, quote!(const TABLES: usize = #tables;));
    let tables = compiled.abscissae.is_some().then_some(tables);
    compiled.facts.iter().map(constant).chain(others).chain(tables).collect()
}

/// Returns the functions of the traits, and their text for readers.
fn functions(compiled: &CompiledSystem, names: &Names, loops: &TokenStream) -> (Vec<Item>, String) {
    let CompiledSystem { sizes, linear, mass, .. } = compiled;
    let [states, parameters] = [sizes.states, sizes.parameters].map(Literal::usize_unsuffixed);
    let (mut functions, mut text) = (Vec::new(), String::new());
    let inline = crate::inlined();
    let mut matrix = None;
    let of_rust = |lowered: &&Lowered| !linear.is_for_devices(lowered.name);
    let CompiledSystem { break_times, action_times, abscissae, .. } = compiled;
    let on_host = break_times.iter().chain(action_times).chain(abscissae);
    for lowered in compiled.functions.iter().filter(of_rust).chain(on_host) {
        let tokens = function(lowered, *sizes, names, false);
        text.push_str(&text::of_function(&tokens));
        let tokens = match lowered.name {
            "matrix" => {
                matrix = Some(tokens);
                continue;
            }
            "observables" => quote! {
                #inline
                fn observe<R: Real>(
                    &self,
                    u: &[R; #states],
                    p: &[R; #parameters],
                    t: R,
                    mut put: impl ::core::ops::FnMut(usize, R),
                ) {
                    #tokens
                    for (index, value) in observables::<R>(u, p, t).into_iter().enumerate() {
                        put(index, value);
                    }
                }
            },
            "break_times" => quote! {
                fn parameter_breaks(
                    &self,
                    p: &[f64; #parameters],
                    put: impl ::core::ops::FnMut(f64),
                ) {
                    #tokens
                    break_times::<f64>(p).into_iter().for_each(put);
                }
            },
            "abscissae" => of_abscissae(compiled, &tokens),
            "action_times" => quote! {
                fn action_times<R: Real>(
                    &self,
                    p: &[R; #parameters],
                    put: impl ::core::ops::FnMut([R; 3]),
                ) {
                    #tokens
                    action_times::<R>(p).into_iter().for_each(put);
                }
            },
            "begun" => gradients::begun(compiled, &tokens),
            name => events::one_of(name, *sizes, Some(&tokens), Language::Rust).unwrap_or(tokens),
        };
        functions.push((Capability::of(lowered.name), tokens));
    }
    let of_linear = linear.in_rust(*sizes, loops, matrix.as_ref());
    functions.extend(of_linear.into_iter().map(|function| (Capability::Linearised, function)));
    let choices = mass.iter().flat_map(|mass| mass.choices(Language::Rust));
    functions.extend(choices.map(|choice| (Capability::MassMatrix, quote!(#inline #choice))));
    (functions, text)
}

/// Returns the function for the abscissae of all tables; `tokens` evaluates them.
fn of_abscissae(compiled: &CompiledSystem, tokens: &TokenStream) -> TokenStream {
    let parameters = Literal::usize_unsuffixed(compiled.sizes.parameters);
    let all = &compiled.info.abscissae;
    let mut from = 0;
    let tables = all.iter().map(|names| {
        let begin = Literal::usize_unsuffixed(from);
        from += names.len();
        let end = Literal::usize_unsuffixed(from);
        quote!(put(&[#(#names),*], &all[#begin..#end]);)
    });
    let tables: TokenStream = tables.collect();
    quote! {
        fn abscissae(
            &self,
            p: &[f64; #parameters],
            mut put: impl ::core::ops::FnMut(&'static [&'static str], &[f64]),
        ) {
            #tokens
            let all = abscissae::<f64>(p);
            #tables
        }
    }
}

/// Returns imports for an implementation, by [private names](private).
fn imports(facade: &syn::Path) -> TokenStream {
    let others =
        ["DeviceSource", "LinearEquations", "Operations", "Real", "Scalar", "System", "SystemInfo"];
    let names = Capability::ALL.map(|(_, name, _)| name).into_iter().chain(others).map(|name| {
        let name = Ident::new(name, Span::call_site());
        let private = private_name(&name);
        quote!(#name as #private)
    });
    quote!(use #facade::__private::{#(#names),*};)
}

/// Returns the body for a function with errors.
pub(crate) fn never() -> syn::Block {
    syn::parse_quote!({ ::core::unreachable!() })
}

/// Returns the implementation for a system with errors, which never runs.
///
/// If the numbers of states and parameters are unknown, the implementation is generic over them.
/// State and parameters are these structs, or else arrays; `learnt` is as in [`gradients::stub`].
pub(crate) fn stub(
    ty: &TokenStream,
    structs: [Option<&Ident>; 2],
    [states, parameters]: [Option<usize>; 2],
    learnt: Option<[(Option<&Ident>, usize); 2]>,
    facade: &syn::Path,
) -> TokenStream {
    let size = |known: Option<usize>, name: &str| match known {
        Some(size) => (TokenStream::new(), Literal::usize_unsuffixed(size).into_token_stream()),
        None => {
            let name = Ident::new(name, Span::call_site());
            // In braces, because a user's type may have the same name.
            (quote!(const #name: usize,), quote!({ #name }))
        }
    };
    let (of_states, states) = size(states, "N");
    let (of_parameters, parameters) = size(parameters, "P");
    let (imports, never) = (imports(facade), never());
    let of_the_user = of_the_user(structs, [&states, &parameters]);
    let [rhs, jacobian, parameter_jacobian, time_gradient] = [
        ("rhs", quote!([R; #states])),
        ("jacobian", quote!([[R; #states]; #states])),
        ("parameter_jacobian", quote!([[R; #parameters]; #states])),
        ("time_gradient", quote!([R; #states])),
    ]
    .map(|(name, ty)| {
        let name = Ident::new(name, Span::call_site());
        quote! {
            fn #name<R: __Real>(&self, _: &[R; #states], _: &[R; #parameters], _: R) -> #ty #never
        }
    });
    // Other implementations are empty: their functions have defaults.
    let implementations = Capability::ALL.map(|(capability, name, generic)| {
        let name = private_name(&Ident::new(name, Span::call_site()));
        let sizes = [(&of_states, &states), (&of_parameters, &parameters)].into_iter().zip(generic);
        let sizes = sizes.filter(|(_, has)| *has).map(|(size, _)| size);
        let (generics, sizes): (Vec<_>, Vec<_>) = sizes.unzip();
        let items = match capability {
            Capability::Rhs => quote! {
                const AUTONOMOUS: bool = false;
                const WEIGHT: u32 = 0;
                #rhs
            },
            Capability::Linearised => quote! {
                type Factors<R: __Real> = [R; #states];
                #jacobian
                #parameter_jacobian
                #time_gradient
                fn factor<R: __Real>(
                    &self,
                    _: &[R; #states],
                    _: &[R; #parameters],
                    _: R,
                    _: R,
                ) -> Self::Factors<R> #never
                fn solve<R: __Real>(
                    &self,
                    _: &Self::Factors<R>,
                    _: &[R; #states],
                ) -> [R; #states] #never
                fn negative<R: __Real>(&self, _: &Self::Factors<R>) -> R::Mask #never
            },
            _ => TokenStream::new(),
        };
        quote!(impl<#(#generics)*> #name<#(#sizes),*> for #ty { #items })
    });
    let sizes = [(&of_states, &states), (&of_parameters, &parameters)];
    let of_gradients = gradients::with_imports(gradients::stub(ty, sizes, learnt), facade);
    quote! {
        #[allow(deprecated)]
        const _: () = {
            #imports

            #(#implementations)*
            #of_gradients

            impl<#of_states #of_parameters> __System<#states, #parameters> for #ty {
                #of_the_user
                type Noise = #facade::__private::NoNoise;
                fn info(&self) -> &'static __SystemInfo #never
            }
        };
    }
}
