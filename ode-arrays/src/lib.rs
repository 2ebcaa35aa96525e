//! One large system of `odes`: a right-hand side over arrays.
//!
//! Ensembles solve many small systems, each in a lane. This crate solves one system that is so
//! large that it uses a whole device. Its state is an [`Array`], its right-hand side is an
//! [`ArraySystem`] written in array operations, and an [`ArrayProblem`] is solved by a backend: the
//! CPU ([`ArrayCpu`]) or a GPU ([`ArrayGpu`]). Methods, coefficients and step-size control are the
//! same as for lanes. The solver runs the lockstep loop, with one lane as its clock.
//!
//! | module | subject |
//! |---|---|
//! | `shape`, `number`, `function` | shapes and element types of arrays, and functions of one number |
//! | `host` | loops over arrays in host memory |
//! | `device` | kernels over arrays in device memory, and products by cuBLAS |
//! | `array` | arrays in host or device memory |
//! | `system`, `problem`, `place`, `solution` | the user's interface |
//! | `clock` | the lane with the time |
//! | `scheme`, `explicit`, `rosenbrock` | methods for arrays |
//! | `jacobian`, `lu` | derivatives, and linear equations |
//! | `linear`, `network` | predefined systems |
//! | `first_step`, `solve` | the solve of a problem |
//! | `persistent` | the solve of a linear system in one launch |

mod array;
mod clock;
mod device;
mod error;
mod explicit;
mod first_step;
mod function;
mod host;
mod jacobian;
mod linear;
mod lu;
mod network;
mod number;
mod persistent;
mod place;
mod problem;
mod rosenbrock;
mod scheme;
mod shape;
mod solution;
mod solve;
mod system;

pub use array::Array;
pub use error::ArrayError;
pub use function::Function;
pub use linear::Linear;
pub use network::Network;
pub use number::Number;
pub use place::{ArrayCpu, ArrayGpu, ArrayPlace};
pub use problem::ArrayProblem;
pub use shape::Shape;
pub use solution::{ArraySolution, Counts};
pub use system::ArraySystem;
