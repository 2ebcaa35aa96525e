//! Lyapunov exponents: the mean rates at which nearby solutions move apart.
//!
//! [`EnsembleProblem::lyapunov`](crate::EnsembleProblem::lyapunov) cuts the time span of each
//! trajectory into segments. Let `A_s` be the derivative of the state at the end of segment `s` with
//! respect to the state at its beginning. The exponents are the mean logarithms of the growth of
//! `k` orthonormal directions under the product of all `A_s`, which are made orthonormal after each
//! segment (G. Benettin, L. Galgani, A. Giorgilli, J.-M. Strelcyn, "Lyapunov characteristic exponents
//! for smooth dynamical systems and for Hamiltonian systems; a method for computing all of them",
//! Meccanica 15 (1980) 9-20).
//!
//! The [gradients](crate::gradient) of a segment multiply `k` directions by the transpose of `A_s`.
//! So the directions begin at the end of the span and go through the segments backwards. A matrix
//! and its transpose have the same singular values, so the exponents are the same. This costs `k`
//! gradients for each segment, and works on every backend and for stiff systems.

mod directions;
mod exponents;
mod request;
mod solve;

pub use crate::error::LyapunovError;
pub use exponents::LyapunovExponents;
pub use request::Lyapunov;
