//! The linear equations of implicit methods: straight-line code over the nonzeros, or loops.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::assemble::{self, Lowered, Sizes};
use crate::emit::Results;
use crate::factor::{Factorization, LIMIT, is_odd};
use crate::fuse::Fusion;
use crate::graph::Id;

/// How the equations are solved.
pub(super) enum Linear {
    /// By functions of this system. The operations of both, how many numbers factors are, and which of them are
    /// the reciprocals of the pivots; `odd`: whose product has not the sign of the determinant. `full`: in
    /// loops on a CPU, where `matrix` is what they eliminate.
    Nonzeros {
        operations: [TokenStream; 2],
        factors: usize,
        pivots: Vec<usize>,
        odd: bool,
        full: bool,
    },
    /// By loops, with the equations in this order: unknown to equation. `full`: since they have few zeros, not
    /// since straight-line code would be too long.
    Loops { equation_of: Vec<usize>, full: bool },
    /// By loops that search for pivots.
    Pivoting,
}

/// Algebraic equations of so few unknowns are solved with a search for pivots, which takes them some fifth more
/// time: no step is short enough to mend a pivot that vanishes there.
pub(super) const TINY: usize = 4;

impl Linear {
    /// With the functions that it takes.
    pub(super) fn new(made: Factorization, fusion: Fusion) -> (Self, Vec<Lowered>) {
        let Factorization { matrix, factor, factors, pivots, odd, solve, solution } = made;
        let count = factors.len();
        let all = |ids: Vec<Id>| Results::Vector(ids.into_iter().map(Some).collect());
        let solve = Lowered::new("solve", &solve, all(solution), fusion);
        let name = if matrix.is_some() { "eliminate" } else { "factor" };
        let factor = Lowered::new(name, &factor, all(factors), fusion);
        let matrix =
            matrix.map(|(graph, entries)| Lowered::new("matrix", &graph, all(entries), fusion));
        let mut counts = factor.counts();
        for (count, of_matrix) in counts.iter_mut().zip(matrix.iter().flat_map(Lowered::counts)) {
            *count += of_matrix;
        }
        let operations = [assemble::operations(counts), solve.operations()];
        let full = matrix.is_some();
        let linear = Linear::Nonzeros { operations, factors: count, pivots, odd, full };
        (linear, matrix.into_iter().chain([factor, solve]).collect())
    }

    /// How many numbers the factors are, in straight-line code.
    pub(super) fn factors(&self) -> usize {
        match self {
            Linear::Nonzeros { factors, .. } => *factors,
            Linear::Loops { .. } | Linear::Pivoting => 0,
        }
    }

    /// The type of the factors; `linear` is where the loops are.
    fn factors_type(&self, sizes: Sizes, linear: &TokenStream) -> TokenStream {
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

    /// The same in C++.
    pub(super) fn device_type(&self, sizes: Sizes) -> String {
        let states = sizes.states;
        match self {
            Linear::Nonzeros { factors, .. } => format!("Arr<R, {factors}>"),
            Linear::Loops { .. } => format!("Arr<Arr<R, {states}>, {states}>"),
            Linear::Pivoting => format!("linear::Pivoted<R, {states}>"),
        }
    }

    /// What the trait asks for beside the functions; `linear` is where the loops are.
    pub(super) fn items(&self, sizes: Sizes, linear: &TokenStream) -> TokenStream {
        let ty = self.factors_type(sizes, linear);
        let how = match self {
            Linear::Nonzeros { operations: [factor, solve], .. } => quote! {
                __LinearEquations::Nonzeros {
                    factor: __Operations::new([#factor]),
                    solve: __Operations::new([#solve]),
                }
            },
            Linear::Loops { full: true, .. } => quote!(__LinearEquations::Full),
            Linear::Loops { full: false, .. } => {
                let limit = Literal::usize_unsuffixed(LIMIT);
                quote!(__LinearEquations::Loops { limit: #limit })
            }
            Linear::Pivoting => quote!(__LinearEquations::Pivoting),
        };
        quote! {
            const LINEAR: __LinearEquations = #how;
            type Factors<R: __Real> = #ty;
        }
    }

    /// Whether a function is for devices only.
    pub(super) fn is_for_devices(&self, function: &str) -> bool {
        matches!(self, Linear::Nonzeros { full: true, .. })
            && ["eliminate", "solve"].contains(&function)
    }

    /// The functions beside those of the system's own; `loops` is where loops are, and `matrix` the
    /// function that they take a matrix without zeros from.
    pub(super) fn in_rust(
        &self,
        sizes: Sizes,
        loops: &TokenStream,
        matrix: Option<&TokenStream>,
    ) -> Vec<TokenStream> {
        let functions = match self {
            Linear::Nonzeros { full: false, .. } => return vec![self.negative(sizes, loops)],
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
            Linear::Loops { .. } | Linear::Pivoting => self.in_loops(sizes, loops, &quote!(Self)),
        };
        // They are as long as straight-line code for many unknowns.
        let called = sizes.states > TINY;
        let mut functions = functions.emit(sizes, &self.factors_type(sizes, loops), called);
        functions.push(self.negative(sizes, loops));
        functions
    }

    /// Whether the determinant is negative, for CPUs.
    fn negative(&self, sizes: Sizes, loops: &TokenStream) -> TokenStream {
        let ty = self.factors_type(sizes, loops);
        match self {
            Linear::Nonzeros { pivots, odd, full: false, .. } => {
                negative_product(pivots, *odd, &ty)
            }
            // The loops do not permute.
            Linear::Nonzeros { full: true, .. } => {
                negative_in_loops(sizes, loops, "negative", false, &ty)
            }
            Linear::Loops { equation_of, .. } => {
                negative_in_loops(sizes, loops, "negative", is_odd(equation_of), &ty)
            }
            Linear::Pivoting => negative_in_loops(sizes, loops, "negative_pivoted", false, &ty),
        }
    }

    /// The same for devices.
    pub(super) fn on_device(&self, sizes: Sizes) -> Vec<TokenStream> {
        // There the struct is always called so.
        let (loops, this) = (quote!(linear), quote!(System));
        match self {
            Linear::Nonzeros { factors, pivots, odd, full, .. } => {
                let factors = Literal::usize_unsuffixed(*factors);
                let negative = negative_product(pivots, *odd, &quote!([R; #factors]));
                let arguments = sizes.arguments("factor");
                let factor = full.then(|| {
                    quote! {
                        fn factor<R: Real>(#arguments) -> [R; #factors] {
                            #this::eliminate::<R>(&#this::matrix::<R>(u, p, t, scale))
                        }
                    }
                });
                factor.into_iter().chain([negative]).collect()
            }
            Linear::Loops { .. } | Linear::Pivoting => {
                let ty = self.factors_type(sizes, &loops);
                let mut functions = self.in_loops(sizes, &loops, &this).emit(sizes, &ty, false);
                functions.push(self.negative(sizes, &loops));
                functions
            }
        }
    }

    /// Loops over all entries. `loops` is where these are, and `this` the system.
    fn in_loops(&self, sizes: Sizes, loops: &TokenStream, this: &TokenStream) -> Functions {
        let (equation_of, pivoting) = match self {
            Linear::Loops { equation_of, .. } => (&equation_of[..], false),
            // The search finds its own order.
            Linear::Nonzeros { .. } | Linear::Pivoting => (&[][..], true),
        };
        let [states, parameters] = [sizes.states, sizes.parameters].map(Literal::usize_unsuffixed);
        let moved = equation_of.iter().enumerate().any(|(unknown, row)| unknown != *row);
        // Equations in an order in which each has its unknown on the diagonal.
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
        Functions {
            factor: quote! {
                let mut matrix = #this::jacobian::<R>(u, p, t);
                #loops::from_jacobian::<R, #this, #states, #parameters>(&mut matrix, scale);
                #factor
            },
            solve,
        }
    }
}

/// Whether the product of the numbers in these places is negative, or `odd`, whether it is positive.
fn negative_product(places: &[usize], odd: bool, ty: &TokenStream) -> TokenStream {
    let places = places.iter().map(|place| Literal::usize_unsuffixed(*place));
    let sign = if odd { quote!(gt) } else { quote!(lt) };
    quote! {
        #[inline(always)]
        fn negative<R: Real>(w: &#ty) -> R::Mask {
            let signs = #(w[#places].to_bits())^*;
            R::lit(1.0).copysign(R::from_bits(signs)).#sign(R::lit(0.0))
        }
    }
}

/// The same of factors in loops, where the function of this name finds it.
fn negative_in_loops(
    sizes: Sizes,
    loops: &TokenStream,
    name: &str,
    odd: bool,
    ty: &TokenStream,
) -> TokenStream {
    let states = Literal::usize_unsuffixed(sizes.states);
    let name = Ident::new(name, Span::call_site());
    let not = odd.then(|| quote!(!));
    quote! {
        #[inline(always)]
        fn negative<R: Real>(w: &#ty) -> R::Mask {
            #not #loops::#name::<R, #states>(w)
        }
    }
}

/// The bodies of two functions.
struct Functions {
    factor: TokenStream,
    solve: TokenStream,
}

impl Functions {
    /// The functions; `called`, they are not inlined.
    fn emit(self, sizes: Sizes, ty: &TokenStream, called: bool) -> Vec<TokenStream> {
        let states = Literal::usize_unsuffixed(sizes.states);
        let arguments = sizes.arguments("factor");
        let [factor, solve] = [self.factor, self.solve].map(|body| match called {
            true => quote!(R::outline(#[inline(always)] || { #body })),
            false => body,
        });
        vec![
            quote! {
                #[inline(always)]
                fn factor<R: Real>(#arguments) -> #ty {
                    #factor
                }
            },
            quote! {
                #[inline(always)]
                fn solve<R: Real>(w: &#ty, b: &[R; #states]) -> [R; #states] {
                    #solve
                }
            },
        ]
    }
}
