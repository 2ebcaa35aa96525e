//! Systems of differential equations: the trait and a system's data.
//!
//! A system is a value, which the loop passes on. Systems of the macro have no size and cost
//! nothing, in Rust or in C++. A system that is made at run time can be a handle. The text for
//! devices also comes from the value, and identifies kernels together with the types (`TaskKey`).
//!
//! Constants of the traits are decided when the loop is compiled (`AUTONOMOUS`, `MASS`,
//! `HAS_DOMAIN`, …). All other facts (names, patterns, counts) are data, [`SystemInfo`]. Two
//! systems of the tests are models: `tests/support/observed.rs` is written by hand, and
//! `tests/support/counted.rs` wraps another system.

pub mod capabilities;
pub(crate) mod facts;
pub mod gradients;
pub mod info;
pub mod linear;
pub mod modes;
pub mod noise;
pub mod quantities;
pub mod report;
pub mod source;
pub mod table;

pub use capabilities::*;
pub use gradients::{Learn, Loss, PullBack, PullBackEvents};
pub use info::SystemInfo;
pub use modes::WithModes;
pub use noise::{Calculus, NoNoise, Noise, NoiseInfo, PullBackNoise};
pub use quantities::Quantities;
pub use source::DeviceSource;

use crate::lane::Scalar;

/// A system `M du/dt = f(u, p, t)` with `N` states and `P` parameters, and its exact derivatives.
///
/// The mass matrix `M` is constant, and the identity by default.
///
/// Each supertrait describes one property; defaults mean "absent" (see [`capabilities`]).
/// `#[ode_system]` implements all of them on a unit struct with the name of the user's function.
/// The functions are lane programs: they compute one value per lane, for any
/// [`Real`](crate::lane::Real).
#[diagnostic::on_unimplemented(
    message = "this is not a system of equations: `#[ode_system]` turns a function or a module \
               into one",
    label = "put `#[ode_system]` above this function, and pass its name",
    note = "write a closure as a function, `#[ode_system] fn name(u: &[f64; N], p: &[f64; P], t: \
            f64) -> [f64; N]`, and its captured values as parameters",
    note = "for `#[ode_system] mod name`, pass `name`, not `name::rhs`; for `#[ode_system] fn \
            name`, pass `name`, not `name::call`",
    note = "a function that is generic over systems needs a bound with the numbers of states and \
            parameters: `fn run<S: odes::System<2, 1>>(system: S)`"
)]
pub trait System<const N: usize, const P: usize>: Capabilities<N, P> {
    /// The user's type of the state in problems of precision `T`: `[T; N]` or a struct.
    type State<T: Scalar>: Quantities<N>;

    /// The user's type of the parameters in problems of precision `T`: `[T; P]` or a struct.
    type Parameters<T: Scalar>: Quantities<P>;

    /// The noise of the system, [`NoNoise`] if it has none.
    type Noise: Noise<N, P>;

    /// Returns the names of the system's states, parameters and outputs, and the compiler's
    /// findings.
    ///
    /// A system is compiled once in a process, so its data are `'static`.
    fn info(&self) -> &'static SystemInfo;

    /// Returns the generated Rust: the functions of all traits, one statement per line.
    #[must_use]
    fn rust_source(&self) -> &'static str {
        ""
    }

    /// Returns the system in C++, for devices.
    ///
    /// `None`, the default, means a system for the CPU only: a solve on a device fails with
    /// [`SolveError::NoDeviceSource`](crate::SolveError::NoDeviceSource).
    #[must_use]
    fn device_source(&self) -> Option<DeviceSource> {
        None
    }
}

/// Sorts times and returns the number of finite and different ones among them.
///
/// The times are constants of the user's crate: rustc evaluates these, but the macro cannot.
#[doc(hidden)]
#[must_use]
pub const fn in_order<const K: usize>(times: [f64; K]) -> ([f64; K], usize) {
    let mut sorted = times;
    let mut count = 0;
    let mut next = 0;
    while next < K {
        let time = times[next];
        next += 1;
        if !time.is_finite() {
            continue;
        }
        let mut place = count;
        while place > 0 && sorted[place - 1] > time {
            place -= 1;
        }
        if place > 0 && sorted[place - 1] == time {
            continue;
        }
        let mut from = count;
        while from > place {
            sorted[from] = sorted[from - 1];
            from -= 1;
        }
        sorted[place] = time;
        count += 1;
    }
    (sorted, count)
}

/// Returns a member of the device struct: a user's constant that the macro cannot evaluate.
///
/// The number is the shortest decimal that parses to the same `f64`. C++ has no literal for
/// non-finite values; the builtins are constant expressions for NVRTC, GCC and Clang.
#[doc(hidden)]
#[must_use]
pub fn device_constant(name: &str, value: f64) -> String {
    format!("    static constexpr double {name} = {};\n", device_number(value))
}

/// Returns a number as a C++ constant expression.
pub(crate) fn device_number(value: f64) -> String {
    if value.is_nan() {
        "__builtin_nan(\"\")".to_owned()
    } else if value.is_infinite() {
        let sign = if value < 0.0 { "-" } else { "" };
        format!("{sign}__builtin_huge_val()")
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::{device_constant, in_order};

    #[test]
    fn times_are_sorted_and_different() {
        let sorted = |times: [f64; 6]| {
            let (sorted, count) = in_order(times);
            sorted[..count].to_vec()
        };
        assert_eq!(sorted([3.0, 1.0, 2.0, 1.0, 3.0, 0.5]), [0.5, 1.0, 2.0, 3.0]);
        assert_eq!(sorted([f64::NAN, 1.0, f64::INFINITY, -1.0, 1.0, -1.0]), [-1.0, 1.0]);
        assert!(sorted([f64::NAN; 6]).is_empty());
        assert_eq!(in_order([]).1, 0);
    }

    #[test]
    fn device_constants_read_back_exactly() {
        for value in [0.1, -9.81, 8.0 / 3.0, 1e300, 5e-324, 0.0, -0.0, f64::MAX, 3.0] {
            let text = device_constant("G", value);
            let number = text.trim().strip_prefix("static constexpr double G = ").unwrap();
            let number = number.strip_suffix(';').unwrap();
            // C++ would read a number without a point or an exponent as an integer.
            assert!(number.contains(['.', 'e']), "{text}");
            assert_eq!(number.parse::<f64>().unwrap().to_bits(), value.to_bits());
        }
        assert!(device_constant("G", f64::NEG_INFINITY).contains("= -__builtin_huge_val()"));
        assert!(device_constant("G", f64::NAN).contains("__builtin_nan"));
    }
}
