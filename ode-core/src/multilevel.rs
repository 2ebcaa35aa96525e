//! Means of solutions of stochastic equations by several step sizes: multilevel Monte Carlo.
//!
//! The mean of a quantity at the finest step is a sum over levels: the mean at the coarsest step
//! `h`, plus the means of the differences between steps `h/2` and `h`, `h/4` and `h/2`, and so on.
//! The two solves of a difference have the same path
//! ([`noise_cell`](crate::SolveOptions::noise_cell())), so its variance falls with the step, and few
//! paths suffice at the fine steps. Each level has paths of its own.
//!
//! For a root mean square error `ε`, the cost grows as `ε^-2` if the variances of the differences
//! fall faster than the steps: methods of strong order 1 or more for smooth quantities. With a
//! strong order of 1/2, it grows as `ε^-2 ln(ε)^2`. A solve with one step size takes `ε^-3` for a
//! method of weak order 1, and `ε^-2.5` for one of weak order 2.
//!
//! M. B. Giles, *Multilevel Monte Carlo path simulation* (Operations Research 56, 2008), and
//! *Multilevel Monte Carlo methods* (Acta Numerica 24, 2015).

mod estimate;
mod request;
mod solve;

pub use crate::error::MultilevelError;
pub use estimate::{Level, MultilevelMean};
pub use request::Multilevel;
