//! Elementary functions as lane programs: the same bits on every lane type and on a GPU.
//!
//! Library functions differ from each other in their last bits, so equal bits require functions of
//! this crate. They have no branches except one test each (is any lane's argument exceptional?).
//! They use no table that would need a gather, and write every fused multiply-add, so that a
//! compiler finds nothing to contract.
//!
//! # Accuracy
//!
//! The table lists the greatest error found, in units in the last place of the exact result (0.5 is
//! perfect rounding). It covers the whole range of arguments, with subnormal arguments and results.
//!
//! | function | `f64` | `f32` | asserted |
//! |---|---|---|---|
//! | [`exp`] | 1.01 | 1.06 | 1.1 |
//! | [`ln`] | 0.85 | 0.81 | 1 |
//! | [`sin`] | 1.49 | 1.53 | 1.6 |
//! | [`cos`] | 1.55 | 1.73 | 2 |
//! | [`tan`] | 3.36 | 3.33 | 4 |
//! | [`tanh`] | 1.60 | 1.57 | 1.7 |
//! | [`powf`] | 1.01 | 0.92 | 1.5 |
//! | [`exp2`] | 1.08 | 1.10 | 1.2 |
//! | [`exp_m1`] | 1.31 | 1.10 | 1.5 |
//! | [`ln_1p`] | 0.93 | 1.03 | 1.2 |
//! | [`log2`] | 0.99 | 1.04 | 1.2 |
//! | [`log10`] | 1.03 | 1.10 | 1.2 |
//! | [`cbrt`] | 0.51 | 0.51 | 0.6 |
//! | [`hypot`] | 0.97 | 1.00 | 1.2 |
//! | [`asin`] | 1.11 | 1.12 | 1.6 |
//! | [`acos`] | 1.11 | 1.11 | 1.6 |
//! | [`atan`] | 0.90 | 0.92 | 1 |
//! | [`atan2`] | 0.88 | 1.40 | 2 |
//! | [`sinh`] | 0.82 | 0.94 | 1 |
//! | [`cosh`] | 0.85 | 0.75 | 1 |
//! | [`asinh`] | 1.22 | 1.31 | 1.5 |
//! | [`acosh`] | 0.99 | 0.99 | 1.5 |
//! | [`atanh`] | 1.01 | 1.01 | 1.5 |
//!
//! Special values follow IEEE 754-2019 (9.2.1) and C99 (Annex F), including signs of zeros; the
//! sign and payload of a NaN are not defined. `tests/math_accuracy` measures all this. It tests
//! `f32` on every bit pattern (the exhaustive run is `#[ignore]`d, a sweep of every 997th pattern
//! is not). It tests `f64`, and functions of two numbers in both precisions, on samples against a
//! reference of 100 bits. The greatest errors of [`atan2`] occur for numbers so small that the
//! residual of their quotient is lost.
//!
//! # Method
//!
//! Each function reduces its argument exactly or in two parts (Cody and Waite, *Software Manual for
//! the Elementary Functions*, 1980), evaluates a minimax polynomial, and reconstructs the result.
//! Muller's *Elementary Functions* (3rd ed., 2016) describes all three steps. `tools/minimax.py`
//! derives the polynomials and every constant of this module. Polynomials are evaluated as two to
//! four interleaved Horner chains: the latency is shorter, with at most one operation more.

mod basic;
mod circular;
mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod root;
pub mod whole;

pub(crate) use basic::device::*;
pub use basic::device::{exp, infinity, ln, not_a_number, tanh};
pub use circular::device::{cos, sin, tan};
pub use exponential::device::{exp_m1, exp2};
pub use hyperbolic::device::{acosh, asinh, atanh, cosh, sinh};
pub use inverse::device::{acos, asin, atan, atan2};
pub(crate) use logarithm::device::ln_near_1;
pub use logarithm::device::{ln_1p, log2, log10};
use ode_macros::inlined;
pub use power::device::powf;
pub use root::device::{cbrt, hypot};

use crate::lane::{Functions, Real};

macro_rules! library {
    ($($(#[$documentation:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        concat!(
            "// CUDA's elementary functions in place of our own: an overload that is not a template is \
             preferred. Included in\n// namespace odes.\n\nnamespace math {\n",
            $(
                "DEVICE float ", stringify!($name),
                "(float ", stringify!($x), $(", float ", stringify!($y),)? ") { return ::",
                stringify!($library), "f(", stringify!($x), $(", ", stringify!($y),)? "); }\n",
                "DEVICE double ", stringify!($name),
                "(double ", stringify!($x), $(", double ", stringify!($y),)? ") { return ::",
                stringify!($library), "(", stringify!($x), $(", ", stringify!($y),)? "); }\n",
            )*
            "} // namespace math\n",
        )
    };
}

/// The functions of this module, for the methods of numbers.
#[derive(Clone, Copy, Debug)]
pub struct Programs;

macro_rules! programs {
    ($($(#[$documentation:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        impl Functions for Programs {
            $(
                #[inlined]
                fn $name<R: Real>($x: R $(, $y: R)?) -> R {
                    $name($x $(, $y)?)
                }
            )*
        }
    };
}
crate::elementary_functions! { programs }

/// The functions of CUDA's library, or of another C++ compiler's, under the names of this module.
pub(crate) const LIBRARY: &str = crate::elementary_functions!(library);

/// Returns all elementary functions as CUDA C++, in the order of their dependence.
///
/// The text of each submodule is in `namespace math`.
#[must_use]
pub fn device_source() -> String {
    [
        whole::DEVICE,
        basic::device::DEVICE,
        power::device::DEVICE,
        circular::device::DEVICE,
        exponential::device::DEVICE,
        logarithm::device::DEVICE,
        root::device::DEVICE,
        inverse::device::DEVICE,
        hyperbolic::device::DEVICE,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use crate::lane::Real;

    /// Each function is a lane program, a method of lane numbers and a function of C's library.
    #[test]
    fn the_list_is_of_the_functions_that_there_are() {
        macro_rules! check {
            ($($(#[$_:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
                $({
                    let ($x, $($y)?) = (0.75_f64, $({ let $y = 0.625; $y })?);
                    let own: f64 = super::$name($x $(, $y)?);
                    assert_eq!(own.to_bits(), Real::$name($x $(, $y)?).to_bits());
                    let name = stringify!($name);
                    let text = format!("DEVICE double {name}(double {}", stringify!($x));
                    assert!(super::LIBRARY.contains(&text), "{name} is not CUDA's");
                    let text = format!(" {name}(");
                    assert!(super::device_source().contains(&text), "{name} is no lane program");
                })*
            };
        }
        crate::elementary_functions!(check);
        let line = "DEVICE float atan2(float y, float x) { return ::atan2f(y, x); }\n";
        assert!(super::LIBRARY.contains(line));
    }
}
