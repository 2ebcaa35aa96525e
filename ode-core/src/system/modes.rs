//! The modes of a system as the user's type.

use crate::lane::Scalar;
use crate::system::System;
use core::fmt::Debug;

/// A system with modes, which are among its parameters.
///
/// `#[ode_system]` implements this trait for modules with a struct `Modes`.
/// [`final_modes`](crate::EnsembleSolution::final_modes) of solutions returns it.
#[diagnostic::on_unimplemented(
    message = "this system has no modes",
    note = "modes are the fields of `pub struct Modes` in a module with `#[ode_system]`; \
            `Parameters` is a `pub` struct with a field of this type, or absent"
)]
pub trait WithModes<const N: usize, const P: usize>: System<N, P> {
    /// The struct `Modes` of the module.
    type Modes: Copy + Debug + PartialEq + Send + Sync + 'static;

    /// Returns the modes among parameters.
    fn modes<T: Scalar>(p: Self::Parameters<T>) -> Self::Modes;
}
