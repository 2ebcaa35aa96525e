//! Systems of no meaning, which use the language. Systems as modellers write them are the models of
//! the examples.
//!
//! Each module holds one system, with `U` and `P`, a state and parameters (no zeros: tests scale
//! them at random), and `plain`, the same function compiled without fused operations.

// Not every test uses all of them.
#![allow(dead_code)]

/// Compiles a function twice: as it is, and in the module `plain` without fusing.
macro_rules! systems {
    ($($item:tt)*) => {
        #[odes::ode_system]
        $($item)*

        /// Rounds every product by itself.
        pub(crate) mod plain {
            #[allow(unused_imports)]
            use super::*;

            #[odes::ode_system(fusion = "off")]
            $($item)*
        }
    };
}

pub(crate) mod constants;
// It is there to use every construct, the clumsy ones too.
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
