//! odes

pub use ode_macros::ode_system;

/// What the expansions of the macros name.
#[doc(hidden)]
pub mod __private {
    pub use ode_core::lane::Real;
    pub use ode_core::system::{System, device_constant};
}
