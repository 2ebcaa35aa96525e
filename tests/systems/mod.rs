//! Systems without meaning, which use the language.
//!
//! The models of the examples are systems as modellers write them.
//!
//! Each module has one system, with `U` and `P`, a state and parameters without zeros (tests scale
//! them at random). It also has `plain`, the same function compiled without fused operations.

// Not every test uses all of them.
#![allow(dead_code)]

/// Compiles a function twice: with fusing, and in the module `plain` without fusing.
macro_rules! systems {
    ($($item:tt)*) => {
        #[odes::ode_system]
        $($item)*

        /// Rounds every product separately.
        pub(crate) mod plain {
            #[allow(unused_imports)]
            use super::*;

            #[odes::ode_system(fusion = "off")]
            $($item)*
        }
    };
}

pub(crate) mod constants;
// The system uses every construct, including the clumsy ones.
#[allow(clippy::needless_late_init, clippy::assign_op_pattern)]
pub(crate) mod constructs;
pub(crate) mod control;
pub(crate) mod corners;
pub(crate) mod forced_oscillator;
pub(crate) mod functions;
pub(crate) mod helpers;
pub(crate) mod iteration;
pub(crate) mod remainders;
pub(crate) mod returning;
pub(crate) mod tables;
pub(crate) mod tuples;
