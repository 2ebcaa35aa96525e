//! Systems that tests solve and differentiate.
//!
//! Each module holds one system, as a modeller would write it, with `U` and `P`, a state and
//! parameters of typical size (no zeros: tests scale them at random), and `plain`, the same
//! function compiled without fused operations.

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

pub(crate) mod arenstorf;
pub(crate) mod brusselator;
// It is there to use every construct, the clumsy ones too.
#[allow(clippy::needless_late_init, clippy::assign_op_pattern)]
pub(crate) mod constructs;
pub(crate) mod control;
pub(crate) mod corners;
pub(crate) mod fitzhugh_nagumo;
pub(crate) mod forced_oscillator;
pub(crate) mod functions;
pub(crate) mod helpers;
pub(crate) mod hires;
pub(crate) mod iteration;
pub(crate) mod lorenz;
pub(crate) mod lorenz96;
pub(crate) mod morris_lecar;
pub(crate) mod network;
pub(crate) mod oregonator;
pub(crate) mod pendulum;
pub(crate) mod pleiades;
pub(crate) mod pollution;
pub(crate) mod remainders;
pub(crate) mod returning;
pub(crate) mod robertson;
pub(crate) mod tuples;
pub(crate) mod van_der_pol;
