//! The linear equations of implicit methods, as functions of the system.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote};

use super::{arguments, counts, receiver};
use crate::compile::{Linear, Sizes};
use crate::emit::Language;
use crate::factor::{LIMIT, is_odd};
use crate::translate::SYSTEM;

impl Linear {
    /// Returns the type of the factors; `linear` is the path of the loops.
    pub(super) fn factors_type(&self, sizes: Sizes, linear: &TokenStream) -> TokenStream {
        let states = Literal::usize_unsuffixed(sizes.states);
        match self {
            Linear::Nonzeros { factors, full: false, .. } => {
                let factors = Literal::usize_unsuffixed(*factors);
                quote!([R; #factors])
            }
            Linear::Nonzeros { full: true, .. } | Linear::Loops { .. } => {
                quote!([[R; #states]; #states])
            }
            Linear::Pivoting => quote!(#linear::Pivoted<R, #states>),
        }
    }

    /// Returns the type of the factors in C++.
    pub(super) fn device_type(&self, sizes: Sizes) -> String {
        let states = sizes.states;
        match self {
            Linear::Nonzeros { factors, .. } => format!("Arr<R, {factors}>"),
            Linear::Loops { .. } => format!("Arr<Arr<R, {states}>, {states}>"),
            Linear::Pivoting => format!("linear::Pivoted<R, {states}>"),
        }
    }

    /// Returns the solution method of the equations, for reports.
    pub(super) fn described(&self) -> TokenStream {
        match self {
            Linear::Nonzeros { operations, .. } => {
                let [factor, solve] = operations.map(counts);
                quote! {
                    __LinearEquations::Nonzeros {
                        factor: __Operations::new([#factor]),
                        solve: __Operations::new([#solve]),
                    }
                }
            }
            Linear::Loops { full: true, .. } => quote!(__LinearEquations::Full),
            Linear::Loops { full: false, .. } => {
                let limit = Literal::usize_unsuffixed(LIMIT);
                quote!(__LinearEquations::Loops { limit: #limit })
            }
            Linear::Pivoting => quote!(__LinearEquations::Pivoting),
        }
    }

    /// Returns whether a function is only for devices.
    pub(super) fn is_for_devices(&self, function: &str) -> bool {
        matches!(self, Linear::Nonzeros { full: true, .. })
            && ["eliminate", "solve", "solve_transposed"].contains(&function)
    }

    /// Returns the functions in addition to those of the system.
    ///
    /// `loops` is the path of the loops, and `matrix` the function that computes a full matrix for
    /// them.
    pub(super) fn in_rust(
        &self,
        sizes: Sizes,
        loops: &TokenStream,
        matrix: Option<&TokenStream>,
    ) -> Vec<TokenStream> {
        let functions = match self {
            Linear::Nonzeros { full: false, .. } => {
                return vec![self.negative(sizes, loops, Language::Rust)];
            }
            Linear::Nonzeros { full: true, .. } => {
                let states = Literal::usize_unsuffixed(sizes.states);
                Functions {
                    factor: quote! {
                        #matrix
                        let mut lu = matrix::<R>(u, p, t, scale);
                        #loops::factor::<R, #states>(&mut lu);
                        lu
                    },
                    solve: quote!(#loops::solve::<R, #states>(w, b)),
                }
            }
            Linear::Loops { .. } | Linear::Pivoting => self.in_loops(sizes, loops, Language::Rust),
        };
        // For many unknowns, the loops are as long as straight-line code.
        let called = sizes.states > Linear::TINY;
        let ty = self.factors_type(sizes, loops);
        let mut functions = functions.emit(sizes, &ty, called, Language::Rust);
        functions.push(self.negative(sizes, loops, Language::Rust));
        functions
    }

    /// Returns the function that solves with the transposed matrix, if it uses loops.
    pub(super) fn transposed(
        &self,
        sizes: Sizes,
        loops: &TokenStream,
        language: Language,
    ) -> Option<TokenStream> {
        let (equation_of, pivoting): (&[usize], bool) = match self {
            Linear::Nonzeros { full: true, .. } if language == Language::Rust => (&[], false),
            Linear::Nonzeros { .. } => return None,
            Linear::Loops { equation_of, .. } => (equation_of, false),
            Linear::Pivoting => (&[], true),
        };
        let ty = self.factors_type(sizes, loops);
        let receiver = receiver(language, "solve_transposed");
        let states = Literal::usize_unsuffixed(sizes.states);
        let lu = if pivoting { quote!(w.lu) } else { quote!(w) };
        // The row exchanges, from the last to the first.
        let exchange = pivoting.then(|| {
            quote! {
                let mut k: usize = #states;
                while k > 0 {
                    k -= 1;
                    let mut i: usize = #states;
                    while i > k + 1 {
                        i -= 1;
                        let greater = w.exchanged[i][k].gt(R::lit(0.0));
                        let above = x[k];
                        x[k] = R::select(greater, x[i], above);
                        x[i] = R::select(greater, above, x[i]);
                    }
                }
            }
        });
        let moved = equation_of.iter().enumerate().any(|(unknown, row)| unknown != *row);
        let value = if moved {
            let mut unknown_of = vec![0; equation_of.len()];
            for (unknown, row) in equation_of.iter().enumerate() {
                unknown_of[*row] = unknown;
            }
            let places = unknown_of.into_iter().map(Literal::usize_unsuffixed);
            quote!([#(x[#places]),*])
        } else {
            quote!(x)
        };
        let inline = crate::inlined();
        Some(quote! {
            #inline
            fn solve_transposed<R: Real>(#receiver w: &#ty, u: &[R; #states]) -> [R; #states] {
                let mut x = *u;
                let mut i: usize = 0;
                while i < #states {
                    let mut k: usize = 0;
                    while k < i {
                        x[i] = (-#lu[k][i]).mul_add(x[k], x[i]);
                        k += 1;
                    }
                    x[i] = x[i] * #lu[i][i];
                    i += 1;
                }
                while i > 0 {
                    i -= 1;
                    let mut k: usize = i + 1;
                    while k < #states {
                        x[i] = (-#lu[k][i]).mul_add(x[k], x[i]);
                        k += 1;
                    }
                }
                #exchange
                #value
            }
        })
    }

    /// Returns the function for a negative determinant, from the factors on CPUs.
    fn negative(&self, sizes: Sizes, loops: &TokenStream, language: Language) -> TokenStream {
        let sign = match self {
            Linear::Nonzeros { pivots, odd, full: false, .. } => sign_of_product(pivots, *odd),
            // The loops do not permute.
            Linear::Nonzeros { full: true, .. } => sign_in_loops(sizes, loops, "negative", false),
            Linear::Loops { equation_of, .. } => {
                sign_in_loops(sizes, loops, "negative", is_odd(equation_of))
            }
            Linear::Pivoting => sign_in_loops(sizes, loops, "negative_pivoted", false),
        };
        negative(&self.factors_type(sizes, loops), &sign, language)
    }

    /// Returns the functions for devices, including the one for a negative determinant.
    pub(super) fn on_device(&self, sizes: Sizes) -> Vec<TokenStream> {
        let loops = quote!(linear);
        match self {
            Linear::Nonzeros { factors, pivots, odd, full, .. } => {
                let factors = Literal::usize_unsuffixed(*factors);
                let ty = quote!([R; #factors]);
                let negative = negative(&ty, &sign_of_product(pivots, *odd), Language::Device);
                let arguments = arguments(sizes, "factor", Language::Device);
                let this = this(Language::Device);
                let factor = full.then(|| {
                    quote! {
                        fn factor<R: Real>(#arguments) -> #ty {
                            #this::eliminate::<R>(&#this::matrix::<R>(u, p, t, scale))
                        }
                    }
                });
                factor.into_iter().chain([negative]).collect()
            }
            Linear::Loops { .. } | Linear::Pivoting => {
                let ty = self.factors_type(sizes, &loops);
                let functions = self.in_loops(sizes, &loops, Language::Device);
                let called = matches!(self, Linear::Loops { .. });
                let mut functions = functions.emit(sizes, &ty, called, Language::Device);
                functions.push(self.negative(sizes, &loops, Language::Device));
                functions
            }
        }
    }

    /// Returns functions with loops over all entries; `loops` is the path of the loops.
    fn in_loops(&self, sizes: Sizes, loops: &TokenStream, language: Language) -> Functions {
        let (equation_of, pivoting) = match self {
            Linear::Loops { equation_of, .. } => (&equation_of[..], false),
            // The search for pivots determines its own order.
            Linear::Nonzeros { .. } | Linear::Pivoting => (&[][..], true),
        };
        let states = Literal::usize_unsuffixed(sizes.states);
        let moved = equation_of.iter().enumerate().any(|(unknown, row)| unknown != *row);
        // Permutes equations so that each has its unknown on the diagonal.
        let ordered = |name: TokenStream| {
            let rows = equation_of.iter().map(|row| Literal::usize_unsuffixed(*row));
            quote!([#(#name[#rows]),*])
        };
        let order = moved.then(|| {
            let ordered = ordered(quote!(matrix));
            quote!(let mut matrix = #ordered;)
        });
        let side = if moved {
            let ordered = ordered(quote!(b));
            quote!(&#ordered)
        } else {
            quote!(b)
        };
        let [factor, solve] = match pivoting {
            true => [
                quote!(#loops::factor_pivoted::<R, #states>(&matrix)),
                quote!(#loops::solve_pivoted::<R, #states>(w, b)),
            ],
            false => [
                quote! {
                    #order
                    #loops::factor::<R, #states>(&mut matrix);
                    matrix
                },
                quote!(#loops::solve::<R, #states>(w, #side)),
            ],
        };
        let this = this(language);
        let (jacobian, system) = match language {
            Language::Rust => {
                (quote!(let mut matrix = self.jacobian::<R>(u, p, t);), quote!(*self))
            }
            Language::Device if pivoting => {
                (quote!(let mut matrix = #this::jacobian::<R>(u, p, t);), this.clone())
            }
            Language::Device => {
                let jacobian = quote! {
                    let mut matrix = R::blank::<#states, #states>();
                    #this::jacobian_into::<R>(&mut matrix, u, p, t);
                };
                (jacobian, this.clone())
            }
        };
        Functions {
            factor: quote! {
                #jacobian
                #loops::from_jacobian::<R, #this, #states>(#system, &mut matrix, scale);
                #factor
            },
            solve,
        }
    }
}

/// Returns the type of the system; in Rust `Self`, within its own implementation.
fn this(language: Language) -> TokenStream {
    match language {
        Language::Rust => quote!(Self),
        Language::Device => Ident::new(SYSTEM, Span::call_site()).into_token_stream(),
    }
}

/// Returns the attribute of a function that is inlined into its callers.
fn inline(language: Language) -> TokenStream {
    match language {
        Language::Rust => crate::inlined().into_token_stream(),
        Language::Device => quote!(#[inline(always)]),
    }
}

/// Returns the function `negative` for factors `w` of this type, with the value `sign`.
fn negative(ty: &TokenStream, sign: &TokenStream, language: Language) -> TokenStream {
    let receiver = receiver(language, "negative");
    let inline = inline(language);
    quote! {
        #inline
        fn negative<R: Real>(#receiver w: &#ty) -> R::Mask {
            #sign
        }
    }
}

/// Returns an expression for a negative product of the numbers at these positions.
///
/// If `odd`, the expression tests for a positive product.
fn sign_of_product(places: &[usize], odd: bool) -> TokenStream {
    let places = places.iter().map(|place| Literal::usize_unsuffixed(*place));
    let sign = if odd { quote!(gt) } else { quote!(lt) };
    quote! {
        let signs = #(w[#places].to_bits())^*;
        R::lit(1.0).copysign(R::from_bits(signs)).#sign(R::lit(0.0))
    }
}

/// Returns the same for factors in loops, by the function of this name.
fn sign_in_loops(sizes: Sizes, loops: &TokenStream, name: &str, odd: bool) -> TokenStream {
    let states = Literal::usize_unsuffixed(sizes.states);
    let name = Ident::new(name, Span::call_site());
    let not = odd.then(|| quote!(!));
    quote!(#not #loops::#name::<R, #states>(w))
}

/// The bodies of the functions `factor` and `solve`.
struct Functions {
    factor: TokenStream,
    solve: TokenStream,
}

impl Functions {
    /// Returns the functions; if `called`, they are not inlined.
    fn emit(
        self,
        sizes: Sizes,
        ty: &TokenStream,
        called: bool,
        language: Language,
    ) -> Vec<TokenStream> {
        let arguments = arguments(sizes, "factor", language);
        let receiver = receiver(language, "solve");
        let states = Literal::usize_unsuffixed(sizes.states);
        let outlines = called && language == Language::Rust;
        let [factor, solve] = [self.factor, self.solve].map(|body| match outlines {
            true => quote!(R::outline(#[inline(always)] || { #body })),
            false => body,
        });
        let inline = match called && language == Language::Device {
            true => quote!(#[cold]),
            false => inline(language),
        };
        vec![
            quote! {
                #inline
                fn factor<R: Real>(#arguments) -> #ty {
                    #factor
                }
            },
            quote! {
                #inline
                fn solve<R: Real>(#receiver w: &#ty, b: &[R; #states]) -> [R; #states] {
                    #solve
                }
            },
        ]
    }
}
