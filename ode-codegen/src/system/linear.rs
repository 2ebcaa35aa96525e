//! The linear equations of implicit methods: straight-line code over the nonzeros, or loops.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use super::assemble::{Lowered, Sizes};
use crate::emit::Results;
use crate::factor::{Factorization, LIMIT};
use crate::fuse::Fusion;
use crate::graph::Id;

/// How the equations are solved.
pub(super) enum Linear {
    /// By functions of this system. The operations of both, and how many numbers factors are.
    Nonzeros { operations: [TokenStream; 2], factors: usize },
    /// By loops, with the equations in this order: unknown to equation.
    Loops { equation_of: Vec<usize> },
    /// By loops that search for pivots.
    Pivoting,
}

/// Algebraic equations of so few unknowns are solved with a search for pivots, which takes them some fifth more
/// time: no step is short enough to mend a pivot that vanishes there.
pub(super) const TINY: usize = 4;

impl Linear {
    /// With the functions that it takes.
    pub(super) fn new(made: Factorization, fusion: Fusion) -> (Self, Vec<Lowered>) {
        let Factorization { factor, factors, solve, solution } = made;
        let count = factors.len();
        let all = |ids: Vec<Id>| Results::Vector(ids.into_iter().map(Some).collect());
        let factor = Lowered::new("factor", &factor, all(factors), fusion);
        let solve = Lowered::new("solve", &solve, all(solution), fusion);
        let operations = [factor.operations(), solve.operations()];
        (Linear::Nonzeros { operations, factors: count }, vec![factor, solve])
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
            Linear::Nonzeros { factors, .. } => {
                let factors = Literal::usize_unsuffixed(*factors);
                quote!([R; #factors])
            }
            Linear::Loops { .. } => quote!(#linear::Dense<R, #states>),
            Linear::Pivoting => quote!(#linear::Pivoted<R, #states>),
        }
    }

    /// The same in C++.
    pub(super) fn device_type(&self, sizes: Sizes) -> String {
        let states = sizes.states;
        match self {
            Linear::Nonzeros { factors, .. } => format!("Arr<R, {factors}>"),
            Linear::Loops { .. } => format!("linear::Dense<R, {states}>"),
            Linear::Pivoting => format!("linear::Pivoted<R, {states}>"),
        }
    }

    /// What the trait asks for beside the functions; `linear` is where the loops are.
    pub(super) fn items(&self, sizes: Sizes, linear: &TokenStream) -> TokenStream {
        let ty = self.factors_type(sizes, linear);
        let how = match self {
            Linear::Nonzeros { operations: [factor, solve], .. } => quote! {
                LinearEquations::Nonzeros {
                    factor: Operations::new([#factor]),
                    solve: Operations::new([#solve]),
                }
            },
            Linear::Loops { .. } => {
                let limit = Literal::usize_unsuffixed(LIMIT);
                quote!(LinearEquations::Loops { limit: #limit })
            }
            Linear::Pivoting => quote!(LinearEquations::Pivoting),
        };
        quote! {
            const LINEAR: LinearEquations = #how;
            type Factors<R: Real> = #ty;
        }
    }

    /// The functions in loops. `linear` is where these are, and `this` the system.
    pub(super) fn in_loops(
        &self,
        sizes: Sizes,
        linear: &TokenStream,
        this: &TokenStream,
    ) -> Vec<TokenStream> {
        let (equation_of, [factor, solve]) = match self {
            Linear::Nonzeros { .. } => return Vec::new(),
            Linear::Loops { equation_of } => (&equation_of[..], ["factor", "solve"]),
            // The search finds its own order.
            Linear::Pivoting => (&[][..], ["factor_pivoted", "solve_pivoted"]),
        };
        let [factor, solve] = [factor, solve].map(|name| Ident::new(name, Span::call_site()));
        let ty = self.factors_type(sizes, linear);
        let [states, parameters] = [sizes.states, sizes.parameters].map(Literal::usize_unsuffixed);
        let moved = equation_of.iter().enumerate().any(|(unknown, row)| unknown != *row);
        // Equations in an order in which each has its unknown on the diagonal.
        let put = |name: TokenStream| {
            let rows = equation_of.iter().map(|row| Literal::usize_unsuffixed(*row));
            if moved { quote!(&[#(#name[#rows]),*]) } else { quote!(&#name) }
        };
        let matrix = put(quote!(matrix));
        let side = if moved { put(quote!(b)) } else { quote!(b) };
        vec![
            quote! {
                #[inline(always)]
                fn factor<R: Real>(
                    u: &[R; #states],
                    p: &[R; #parameters],
                    t: R,
                    scale: R,
                ) -> #ty {
                    let jacobian = #this::jacobian::<R>(u, p, t);
                    let matrix =
                        #linear::matrix::<R, #this, #states, #parameters>(&jacobian, scale);
                    #linear::#factor::<R, #states>(#matrix)
                }
            },
            quote! {
                #[inline(always)]
                fn solve<R: Real>(
                    w: &#ty,
                    b: &[R; #states],
                ) -> [R; #states] {
                    #linear::#solve::<R, #states>(w, #side)
                }
            },
        ]
    }
}
