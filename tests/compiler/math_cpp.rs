//! The elementary functions in C++.
//!
//! The text that a GPU runs, compiled by the host's compiler, gives the bits of the Rust functions.

use crate::cpp::HostCpp;
use crate::random::Random;
use crate::special::special;
use ode_core::math;
use odes::lane::{Real, Scalar};
use odes_skipped::needs;
use std::fmt::Write as _;

/// A function of `n` pairs of numbers.
type Evaluate<T> = unsafe extern "C" fn(n: i32, x: *const T, y: *const T, out: *mut T);

macro_rules! functions {
    ($($(#[$_:meta])* $name:ident($x:ident $(, $y:ident)?) = $library:ident;)*) => {
        /// The functions' names, with a flag for functions of two numbers.
        const ALL: &[(&str, bool)] =
            &[$((stringify!($name), [stringify!($x) $(, stringify!($y))?].len() == 2)),*];

        /// Calls the Rust function of this name.
        fn rust<T: Real>(name: &str, first: T, second: T) -> T {
            match name {
                $(stringify!($name) => {
                    let ($x, _) = (first, second);
                    $(let $y = second;)?
                    math::$name($x $(, $y)?)
                })*
                _ => unreachable!("{name}"),
            }
        }
    };
}
ode_core::elementary_functions!(functions);

/// Returns numbers of every kind, in changing order.
fn arguments<T: Scalar>(seed: u64) -> Vec<T> {
    let mut random = Random(seed);
    let special = special::<T>();
    let numbers = (0..20_000).map(|i| match i % 8 {
        0 => special[random.uniform(0.0, special.len() as f64) as usize],
        1 => T::narrow(random.uniform(-750.0, 750.0)),
        2 => T::narrow(random.uniform(-1080.0, 1030.0).exp2()),
        3 => T::narrow(-random.uniform(-150.0, 130.0).exp2()),
        4 | 5 => T::narrow(random.uniform(-1.0, 1.0)),
        _ => T::narrow(random.uniform(-20.0, 20.0)),
    });
    numbers.collect()
}

fn compare<T: Scalar>(library: &libloading::Library, bits: fn(T) -> u64) {
    let (x, y) = (arguments::<T>(3), arguments::<T>(4));
    for (name, _) in ALL {
        let symbol = format!("{name}_{}", T::NAME);
        // SAFETY: the function has this type.
        let evaluate: libloading::Symbol<'_, Evaluate<T>> =
            unsafe { library.get(symbol.as_bytes()) }.unwrap();
        let mut out = vec![T::default(); x.len()];
        // SAFETY: the pointers are to as many numbers as the function reads and writes.
        unsafe { evaluate(x.len() as i32, x.as_ptr(), y.as_ptr(), out.as_mut_ptr()) };
        for ((x, y), computed) in x.iter().zip(&y).zip(out) {
            let expected = rust(name, *x, *y);
            let same = bits(computed) == bits(expected) || computed.is_nan() && expected.is_nan();
            assert!(same, "{symbol}({x}, {y}): {computed} instead of {expected}");
        }
    }
}

#[needs(cpp)]
#[test]
fn elementary_functions_have_the_same_bits() {
    let Some(cpp) = HostCpp::find() else {
        eprintln!("skipped: no C++ compiler (c++, g++ or clang++)");
        return;
    };
    let prelude = ode_core::kernel::Target::Host.prelude();
    let mut source = format!("{prelude}\nnamespace odes {{\n{}\n}}\n", math::device_source());
    for (suffix, number) in [("f32", "float"), ("f64", "double")] {
        for (name, of_two) in ALL {
            let arguments = if *of_two { "x[i], y[i]" } else { "x[i]" };
            let _ = write!(
                source,
                r#"
                extern "C" void {name}_{suffix}(int n, const {number}* x, const {number}* y, {number}* out) {{
                    for (int i = 0; i < n; i++) out[i] = odes::math::{name}({arguments});
                }}
                "#
            );
        }
    }
    let library = cpp.compile(&source);
    compare::<f64>(&library, f64::to_bits);
    compare::<f32>(&library, |x| u64::from(x.to_bits()));
}
