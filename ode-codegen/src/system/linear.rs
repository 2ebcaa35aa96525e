//! The linear equations of implicit methods: straight-line code over the nonzeros, or loops.

use proc_macro2::{Literal, TokenStream};
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
}

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
            Linear::Loops { .. } => 0,
        }
    }

    /// What the trait asks for beside the functions; `linear` is where the loops are.
    pub(super) fn items(&self, sizes: Sizes, linear: &TokenStream) -> TokenStream {
        match self {
            Linear::Nonzeros { operations: [factor, solve], factors } => {
                let factors = Literal::usize_unsuffixed(*factors);
                quote! {
                    const LINEAR: LinearEquations = LinearEquations::Nonzeros {
                        factor: Operations::new([#factor]),
                        solve: Operations::new([#solve]),
                    };
                    type Factors<R: Real> = [R; #factors];
                }
            }
            Linear::Loops { .. } => {
                let limit = Literal::usize_unsuffixed(LIMIT);
                let states = Literal::usize_unsuffixed(sizes.states);
                quote! {
                    const LINEAR: LinearEquations = LinearEquations::Loops { limit: #limit };
                    type Factors<R: Real> = #linear::Dense<R, #states>;
                }
            }
        }
    }

    /// The functions in loops. `linear` is where these are, and `this` the system.
    pub(super) fn in_loops(
        &self,
        sizes: Sizes,
        linear: &TokenStream,
        this: &TokenStream,
    ) -> Vec<TokenStream> {
        let Linear::Loops { equation_of } = self else { return Vec::new() };
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
                fn factor<R: Real>(
                    u: &[R; #states],
                    p: &[R; #parameters],
                    t: R,
                    scale: R,
                ) -> #linear::Dense<R, #states> {
                    let jacobian = #this::jacobian::<R>(u, p, t);
                    let matrix =
                        #linear::matrix::<R, #this, #states, #parameters>(&jacobian, scale);
                    #linear::factor::<R, #states>(#matrix)
                }
            },
            quote! {
                fn solve<R: Real>(
                    w: &#linear::Dense<R, #states>,
                    b: &[R; #states],
                ) -> [R; #states] {
                    #linear::solve::<R, #states>(w, #side)
                }
            },
        ]
    }
}
