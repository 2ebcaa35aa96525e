//! The functions of noise as solvers call them.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use crate::ast::Calculus;
use crate::compile::{CompiledSystem, NoiseKind};
use crate::hygiene::private;
use crate::translate::SYSTEM;

/// The printer of the functions of the trait `Noise`, which call the generated ones.
struct Printer<'a> {
    kind: NoiseKind,
    states: Literal,
    parameters: Literal,
    processes: Literal,
    /// Returns the generated function of a name, to nest in a body; nothing for devices.
    nested: &'a dyn Fn(&str) -> TokenStream,
    /// Returns whether there is a generated function of a name.
    has: &'a dyn Fn(&str) -> bool,
    /// The path of the generated functions.
    this: TokenStream,
    /// The paths of the lane programs of Brownian paths.
    path: TokenStream,
    brownian: TokenStream,
    nodes: TokenStream,
    chance: TokenStream,
    attribute: TokenStream,
}

impl Printer<'_> {
    /// Returns the functions of the trait `Noise`.
    fn functions(&self) -> Vec<TokenStream> {
        let Printer { states, parameters, processes, this, attribute, .. } = self;
        let Printer { path, brownian, nodes, .. } = self;
        let nested = |name: &str| (self.nested)(name);
        let arguments = quote!(u: &[R; #states], p: &[R; #parameters], t: R);
        let increments = quote! {
            #attribute
            fn increments<R: Real>(
                interval: &#path::Path<R>,
                areas: bool,
            ) -> [[R; #processes]; 2] {
                #brownian::increments::<R, #processes>(interval, areas)
            }
        };
        let stored = quote! {
            #attribute
            fn nodes<R: Real>() -> #nodes::Nodes<R, #processes> {
                #nodes::nodes::<R, #processes>()
            }
        };
        let approach = quote! {
            #attribute
            fn approach<R: Real>(
                stored: &mut #nodes::Nodes<R, #processes>,
                interval: &#path::Path<R>,
                length: R,
                moved: R::Mask,
                begins: R::Mask,
            ) -> R::Mask {
                #nodes::approach::<R, #processes>(stored, interval, length, moved, begins)
            }
        };
        let on_node = quote! {
            #attribute
            fn on_node<R: Real>(
                stored: &#nodes::Nodes<R, #processes>,
                interval: &#path::Path<R>,
            ) -> [[R; #processes]; 2] {
                #nodes::on_node::<R, #processes>(stored, interval)
            }
        };
        let all = nested("noise_sum");
        let diffuse = quote! {
            #attribute
            fn diffuse<R: Real>(
                #arguments,
                w: &[[R; #processes]; 2],
                a: R,
                b: R,
            ) -> [R; #states] {
                #all
                let mut sums = w[0];
                for j in 0..#processes {
                    sums[j] = a.mul_add(w[0][j], b * w[1][j]);
                }
                #this noise_sum::<R>(u, p, t, &sums)
            }
        };
        let (all, value) = match (self.has)("noise_milstein") {
            true => {
                (nested("noise_milstein"), quote!(#this noise_milstein::<R>(u, p, t, &w[0], scale)))
            }
            false => (TokenStream::new(), quote!([R::lit(0.0); #states])),
        };
        let milstein = quote! {
            #attribute
            fn milstein<R: Real>(
                #arguments,
                w: &[[R; #processes]; 2],
                scale: R,
            ) -> [R; #states] {
                #all
                #value
            }
        };
        let (all, value) = match (self.has)("noise_columns") {
            true => (nested("noise_columns"), quote!(#this noise_columns::<R>(u, p, t))),
            false => (TokenStream::new(), quote!([R::lit(0.0); #states])),
        };
        let columns = quote! {
            #attribute
            fn columns<R: Real>(#arguments) -> [R; #states] {
                #all
                #value
            }
        };
        let value = match self.kind {
            NoiseKind { of_each: true, .. } => quote!(*w),
            NoiseKind { processes: 1, .. } => {
                quote!([[w[0][0]; #states], [w[1][0]; #states]])
            }
            _ => quote!([[R::lit(0.0); #states]; 2]),
        };
        let of_components = quote! {
            #attribute
            fn of_components<R: Real>(w: &[[R; #processes]; 2]) -> [[R; #states]; 2] {
                #value
            }
        };
        let uniform = (self.has)("event_variances").then(|| {
            let chance = &self.chance;
            quote! {
                #attribute
                fn uniform<R: Real>(interval: &#path::Path<R>, index: R::Bits) -> R {
                    #chance::uniform::<R>(interval, index)
                }
            }
        });
        let all =
            [increments, stored, approach, on_node, diffuse, milstein, columns, of_components];
        all.into_iter().chain(uniform).collect()
    }

    /// Returns the functions of the trait `PullBackNoise`; none without gradients.
    fn pull_backs(&self) -> Vec<TokenStream> {
        let Printer { states, parameters, processes, this, attribute, .. } = self;
        if !(self.has)("noise_pull_back") {
            return Vec::new();
        }
        let arguments = quote!(u: &[R; #states], p: &[R; #parameters], t: R);
        let by = quote!(by: &[R; #states], by_p: &mut [R; #parameters]);
        let wiener = quote!(w: &[[R; #processes]; 2]);
        // The derivatives with respect to the parameters follow those with respect to the states.
        let of_parameters = (parameters.to_string() != "0").then(|| {
            quote! {
                for d in 0..#parameters {
                    by_p[d] = by_p[d] + all[#states + d];
                }
            }
        });
        let split = quote! {
            let mut out = *by;
            for d in 0..#states {
                out[d] = all[d];
            }
            #of_parameters
            out
        };
        let nothing = quote!([R::lit(0.0); #states]);
        let of_sums = (self.nested)("noise_pull_back");
        let diffuse = quote! {
            #attribute
            fn pull_back_diffuse<R: Real>(#arguments, #wiener, a: R, b: R, #by) -> [R; #states] {
                #of_sums
                let mut sums = w[0];
                for j in 0..#processes {
                    sums[j] = a.mul_add(w[0][j], b * w[1][j]);
                }
                let all = #this noise_pull_back::<R>(u, p, t, &sums, by);
                #split
            }
        };
        let value = match (self.has)("milstein_pull_back") {
            true => {
                let nested = (self.nested)("milstein_pull_back");
                quote! {
                    #nested
                    let all = #this milstein_pull_back::<R>(u, p, t, &w[0], by, scale);
                    #split
                }
            }
            false => nothing.clone(),
        };
        let milstein = quote! {
            #attribute
            fn pull_back_milstein<R: Real>(#arguments, #wiener, scale: R, #by) -> [R; #states] {
                #value
            }
        };
        // The factors are the sum for increments of one.
        let value = match (self.has)("noise_columns") {
            true => quote! {
                #of_sums
                let all = #this noise_pull_back::<R>(u, p, t, &[R::lit(1.0); #processes], by);
                #split
            },
            false => nothing,
        };
        let columns = quote! {
            #attribute
            fn pull_back_columns<R: Real>(#arguments, #by) -> [R; #states] {
                #value
            }
        };
        vec![diffuse, milstein, columns]
    }
}

/// Returns the functions for devices, in addition to the generated ones.
pub(super) fn on_device(compiled: &CompiledSystem) -> Vec<TokenStream> {
    let Some(kind) = compiled.info.noise else { return Vec::new() };
    let sizes = [compiled.sizes.states, compiled.sizes.parameters, kind.processes];
    let [states, parameters, processes] = sizes.map(Literal::usize_unsuffixed);
    let system = Ident::new(SYSTEM, Span::call_site());
    let printer = Printer {
        kind,
        states,
        parameters,
        processes,
        nested: &|_| TokenStream::new(),
        has: &|name| compiled.functions.iter().any(|function| function.name == name),
        this: quote!(#system::),
        path: quote!(path),
        brownian: quote!(brownian),
        nodes: quote!(nodes),
        chance: quote!(chance),
        attribute: TokenStream::new(),
    };
    printer.functions().into_iter().chain(printer.pull_backs()).collect()
}

/// Returns the types and the constant of a system's noise, as members of its struct in C++.
pub(super) fn device_members(compiled: &CompiledSystem) -> String {
    let Some(kind) = compiled.info.noise else {
        return "    typedef path::NoNodes Noise;\n".to_owned();
    };
    let stratonovich = kind.calculus == Calculus::Stratonovich;
    let processes = kind.processes;
    format!(
        "    typedef {SYSTEM} Noise;\n    \
         template<class R> using Wiener = Arr<Arr<R, {processes}>, 2>;\n    \
         static constexpr bool STRATONOVICH = {stratonovich};\n"
    )
}

/// Returns the implementation of the trait `Noise`, and the type of the system's noise.
///
/// `generated` returns the tokens of a generated function.
pub(super) fn implementation(
    compiled: &CompiledSystem,
    generated: &dyn Fn(&str) -> TokenStream,
    ty: &TokenStream,
    facade: &syn::Path,
) -> (TokenStream, TokenStream) {
    let Some(kind) = compiled.info.noise else {
        return (TokenStream::new(), quote!(#facade::__private::NoNoise));
    };
    let sizes = [compiled.sizes.states, compiled.sizes.parameters, kind.processes];
    let [states, parameters, processes] = sizes.map(Literal::usize_unsuffixed);
    let inline = crate::inlined();
    let printer = Printer {
        kind,
        states: states.clone(),
        parameters: parameters.clone(),
        processes: processes.clone(),
        nested: generated,
        has: &|name| compiled.functions.iter().any(|function| function.name == name),
        this: TokenStream::new(),
        path: quote!(#facade::__private::path),
        brownian: quote!(#facade::__private::brownian),
        nodes: quote!(#facade::__private::nodes),
        chance: quote!(#facade::__private::chance),
        attribute: quote!(#inline),
    };
    let functions = printer.functions().into_iter().map(private);
    let pull_backs: Vec<TokenStream> = printer.pull_backs().into_iter().map(private).collect();
    let pull_backs = (!pull_backs.is_empty()).then(|| {
        quote! {
            #[automatically_derived]
            impl #facade::__private::PullBackNoise<#states, #parameters> for #ty {
                #(#pull_backs)*
            }
        }
    });
    let stratonovich = kind.calculus == Calculus::Stratonovich;
    let implementation = quote! {
        #[automatically_derived]
        impl #facade::__private::Noise<#states, #parameters> for #ty {
            const NOISES: usize = #processes;
            const STRATONOVICH: bool = #stratonovich;
            type Wiener<R: __Real> = [[R; #processes]; 2];
            type Nodes<R: __Real> = #facade::__private::nodes::Nodes<R, #processes>;
            #(#functions)*
        }

        #pull_backs
    };
    (implementation, quote!(Self))
}

/// Returns the kind of the noise as an entry of `SystemInfo`.
pub(super) fn info(kind: Option<NoiseKind>, facade: &syn::Path) -> TokenStream {
    let Some(NoiseKind { processes, calculus, additive, diagonal, commutative, .. }) = kind else {
        return quote!(::core::option::Option::None);
    };
    let processes = Literal::usize_unsuffixed(processes);
    let calculus = match calculus {
        Calculus::Ito => quote!(Ito),
        Calculus::Stratonovich => quote!(Stratonovich),
    };
    quote! {
        ::core::option::Option::Some(#facade::__private::NoiseInfo {
            processes: #processes,
            calculus: #facade::__private::Calculus::#calculus,
            additive: #additive,
            diagonal: #diagonal,
            commutative: #commutative,
        })
    }
}
