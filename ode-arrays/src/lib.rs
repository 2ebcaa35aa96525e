//! One large system of `odes`: a right-hand side over whole arrays.
//!
//! Ensembles solve many small systems, each in a lane. Here one system is so large that it needs a
//! machine by itself: its state is an [`Array`], its right-hand side an [`ArraySystem`] written in
//! operations of arrays, and an [`ArrayProblem`] is solved in a place: the CPU ([`ArrayCpu`]) or a GPU
//! ([`ArrayGpu`]). Methods, coefficients and step-size control are those of lanes: the loop is the one
//! of columns that go in step, and its clock is one lane.
//!
//! | module | subject |
//! |---|---|
//! | `shape`, `number`, `function` | what arrays hold, and functions of one number |
//! | `host` | loops over arrays in the host's memory |
//! | `device` | kernels over arrays in the memory of a device, and products by cuBLAS |
//! | `array` | arrays, wherever they are |
//! | `system`, `problem`, `place`, `solution` | what users write and get |
//! | `clock` | the lane that knows the time |
//! | `scheme`, `explicit`, `rosenbrock` | methods of arrays |
//! | `jacobian`, `lu` | derivatives, and linear equations |
//! | `linear`, `network` | systems that are ready made |
//! | `first_step`, `solve` | the solve of a problem |
//! | `persistent` | that of a linear system in one launch |

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
