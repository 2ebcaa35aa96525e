// Mistakes of newcomers: numbers and elementary functions.

//# annotation_of_another_precision
//! A variable of the other precision.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let g: f32 = 9.81;
//~        ^^^
//~ error: `f32` here differs from `f64` before: one float type stands for the precision of the
//~ solve; use the same type everywhere
    [u[1], -g * u[0], t]
}

//# complex_numbers
//! Complex numbers.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let z = Complex64::new(u[0], u[1]);
//~         ^^^^^^^^^^^^^^
//~ error: cannot call `Complex64::new` in a right-hand side: complex numbers are not supported;
//~ write the real and the imaginary part as two floats
    let w = num_complex::Complex::new(0.0, p[0]);
//~         ^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: cannot call `num_complex::Complex::new` in a right-hand side: complex numbers are not
//~ supported; write the real and the imaginary part as two floats
    [z.re, z.im, t]
}

//# constant_without_a_type
//! A constant without a type.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    const K = 3.0;
//~        ^
//~ error: missing type for `const` item
//~         ^
//~ error: this cannot be read as Rust: expected `:`
    [K * u[0], 0.0, 0.0]
}

//# conversion_by_the_type
//! `f64(n)`, as Julia and Go have it.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut s = 0.0;
    for n in 0..3 {
        s += f64(n) * u[n];
//~          ^^^
//~ error: cannot call `f64` in a right-hand side: Rust has no such function; write `n as f64`; if
//~ it is your own function, declare it as a `fn` inside this function, or put `#[ode_fn]` above it
//~ and import it at the head of this function by `use self::f64;`
    }
    [s, u[1], t]
}

//# conversions_as_functions
//! `float(x)`, `int(x)`, `len(x)`, `range(n)`, `sum(x)`, `zeros(n)`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut a = zeros(3);
//~             ^^^^^
//~ error: cannot call `zeros` in a right-hand side: Rust has no such function; write an array, such
//~ as `[0.0; 3]`; if it is your own function, declare it as a `fn` inside this function, or put
//~ `#[ode_fn]` above it and import it at the head of this function by `use self::zeros;`
    let n = len(u);
//~         ^^^
//~ error: `len` is a method of arrays; write `u.len()`
    for i in range(3) {
//~          ^^^^^
//~ error: cannot call `range` in a right-hand side: Rust has no such function; write `for i in
//~ 0..n`; if it is your own function, declare it as a `fn` inside this function, or put `#[ode_fn]`
//~ above it and import it at the head of this function by `use self::range;`
        a[i] = float(i) * sum(u);
//~            ^^^^^
//~ error: cannot call `float` in a right-hand side: Rust has no such function; write `n as f64`; if
//~ it is your own function, declare it as a `fn` inside this function, or put `#[ode_fn]` above it
//~ and import it at the head of this function by `use self::float;`
//~                       ^^^
//~ error: cannot call `sum` in a right-hand side: it is a method of iterators; write
//~ `u.iter().sum::<f64>()`
    }
    a
}

//# derivatives_as_integers
//! A derivative that is zero, written as in C.

use odes::ode_system;

#[ode_system]
fn reservoir(du: &mut [f64; 3], u: &[f64; 3]) {
    du[0] = 0;
//~         ^
//~ error: expected a float here, found an integer: write `0.0`, with a point
    du[1] = -1;
//~         ^^
//~ error: expected a float here, found an integer: write `-1.0`, with a point
    du[2] = { u[0] > 1.0 };
//~           ^^^^^^^^^^
//~ error: expected a float here, found a truth value: write `if condition { 1.0 } else { 0.0 }`, or
//~ `f64::from(condition)`
}

#[ode_system]
fn pair(du: &mut [f64; 2], u: &[f64; 2]) {
    *du = [u[1], 0];
//~              ^
//~ error: expected a float here, found an integer: write `0.0`, with a point
}

#[ode_system]
fn mixed(du: &mut [f64; 1], u: &[f64; 1]) {
    let mut gain = 0.5;
    if u[0] > 1.0 {
        gain = 1;
//~            ^
//~ error: expected a float here, found an integer: write `1.0`, with a point
    }
    du[0] = gain * u[0];
}

//# exponent_with_a_point
//! `powi` of a float and `powf` of an integer.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].powi(2.0), u[1].powf(2), u[2].powi(0.5)]
//~       ^^^^
//~ error: the exponent of `powi` must be an integer known at compile time: `powi` is unrolled into
//~ multiplications; write it without a point, as in `powi(2)`
//~                       ^^^^
//~ error: `powf` needs floats here: integers are known at compile time; write the number with a
//~ point, as in `2.0`, or convert by `as f64`
//~                                     ^^^^
//~ error: the exponent of `powi` must be an integer known at compile time: `powi` is unrolled into
//~ multiplications; use `powf` for other exponents
}

//# function_without_parentheses
//! A method without parentheses.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [t.sin * u[0], u[1], u.len]
//~  ^^^^^
//~ error: `sin` is a function: a call needs parentheses; write `t.sin()`
//~                      ^^^^^
//~ error: `len` is a function: a call needs parentheses; write `u.len()`
}

//# hill_exponent_by_powi
//! Hill's exponent is a parameter.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].powi(p[0] as i32), -u[1], t]
//~            ^^^^^^^^^^^
//~ error: this exponent is a float that differs between lanes: `powi` is unrolled into
//~ multiplications; write `powf(p[0])`
}

//# integer_literals
//! Numbers without a point.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let k = 3;
    [k * u[0], u[1] / 2, 1 / 2 * u[2]]
//~  ^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
//~            ^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
//~                      ^^^^^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
}

//# logarithm_as_a_function
//! `log(x)`, as in C and NumPy.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [log(u[1]), -u[1].log(), t]
//~  ^^^
//~ error: `log` is not a free function: it is a method of floats; write `x.ln()`, or `f64::ln(x)`
//~                   ^^^
//~ error: `log` takes a base, as in `x.log(2.0)`; the natural logarithm is `x.ln()`, and the
//~ logarithm to base 10 is `x.log10()`
}

//# names_of_numpy
//! Methods by the names of NumPy.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].arctan2(u[1]), u[1].power(2.0), u[2].sign() + u[0].log()]
//~       ^^^^^^^
//~ error: cannot call `arctan2` in a right-hand side: there is no such function; did you mean
//~ `x.atan2(y)`, or `f64::atan2(x, y)`?
//~                           ^^^^^
//~ error: cannot call `power` in a right-hand side: there is no such function; did you mean
//~ `x.powf(y)`, or `f64::powf(x, y)`?
//~                                            ^^^^
//~ error: cannot call `sign` in a right-hand side: there is no such function; did you mean
//~ `x.signum()`, or `f64::signum(x)`?
//~                                                          ^^^
//~ error: `log` takes a base, as in `x.log(2.0)`; the natural logarithm is `x.ln()`, and the
//~ logarithm to base 10 is `x.log10()`
}

//# numbers_of_another_kind
//! Numbers beside the type that they are given.

use odes::ode_system;

#[ode_system]
fn lengths(u: &[f64; 1]) -> [f64; 1] {
    let n: usize = 3.0;
//~                ^^^
//~ error: expected `usize` here, found a float: write `3`
    [u[0] * n as f64]
}

#[ode_system]
fn rates(u: &[f64; 1]) -> [f64; 1] {
    const RATE: f64 = 2;
//~                   ^
//~ error: expected a float here, found an integer: write `2.0`, with a point
    let gain: f64 = 3;
//~                 ^
//~ error: expected a float here, found an integer: write `3.0`, with a point
    let weights: [f64; 2] = [1, 2.0];
//~                          ^
//~ error: expected a float here, found an integer: write `1.0`, with a point
    [u[0] * gain * RATE * weights[0]]
}

#[ode_system]
fn helpers(u: &[f64; 2]) -> [f64; 2] {
    fn square(x: f64) -> f64 {
        x * x;
//~     ^^^^^
//~ error: this value is not returned, because of the `;` after it: the value of a function is its
//~ last expression; remove the `;`
    }
    fn one(_x: f64) -> f64 {
        1
//~     ^
//~ error: expected a float here, found an integer: write `1.0`, with a point
    }
    [square(u[0]), one(2)]
//~                    ^
//~ error: expected a float here, found an integer: write `2.0`, with a point
}

//# pi_of_numpy
//! Pi by its names elsewhere.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [np.pi * u[0], math::pi * u[1], M_PI * t + PI]
//~  ^^^^^
//~ error: there is no `np.pi` in Rust; write `std::f64::consts::PI`
//~                ^^^^^^^^
//~ error: there is no `math::pi` in Rust; write `std::f64::consts::PI`
//~                                 ^^^^
//~ error: there is no `M_PI` in Rust; write `std::f64::consts::PI`
}

//# polynomial_by_powi
//! A polynomial, whose exponent is an index.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut s = 0.0;
    for n in 0..3 {
        s += u[n] * t.powi(n);
//~                   ^^^^
//~ error: the exponent of `powi` is an `i32`, and this is a `usize`: write `n as i32` (in the
//~ iteration `n` = 0)
    }
    [s, u[1], p[0]]
}

//# power_by_stars
//! `**`, as in Python.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0] ** 2, u[1] ** p[0], t]
//~       ^
//~ error: `**` is not a power in Rust: it multiplies by a dereferenced value; write `x.powi(2)` for
//~ known integers, or `x.powf(y)`
//~                  ^
//~ error: `**` is not a power in Rust: it multiplies by a dereferenced value; write `x.powi(2)` for
//~ known integers, or `x.powf(y)`
}

//# precision_of_a_constant
//! A constant of the other precision.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let w = 2.0 * std::f32::consts::PI;
//~               ^^^^^^^^^^^^^^^^^^^^
//~ error: `f32` cannot be used in this right-hand side: one float type, here `f64`, stands for the
//~ precision of the solve; write `f64`
    [u[1], -w * w * u[0], p[0] * t]
}

//# special_functions
//! Functions that other libraries have.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[0].erf(), u[1].sigmoid(), u[2].square() + u[0].heaviside(0.5)]
//~       ^^^
//~ error: cannot call `erf` in a right-hand side: there is no such function; write an approximation
//~ of it as a function, `fn erf(x: f64) -> f64`
//~                   ^^^^^^^
//~ error: cannot call `sigmoid` in a right-hand side: there is no such function; write `1.0 / (1.0
//~ + (-x).exp())`
//~                                   ^^^^^^
//~ error: cannot call `square` in a right-hand side: there is no such function; write `x * x`
//~                                                   ^^^^^^^^^
//~ error: cannot call `heaviside` in a right-hand side: there is no such function; write `if x <
//~ 0.0 { 0.0 } else { 1.0 }`
}

//# truth_as_number
//! A comparison as a factor.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let on = (t > 5.0) as f64;
//~          ^^^^^^^^^^^^^^^^
//~ error: cannot cast a truth value: only numbers can be cast; write `if condition { 1.0 } else {
//~ 0.0 }`, or `f64::from(condition)`
    let off = f64::from(t <= 5.0);
    [on * u[0], off * u[1], (t > 2.0) * u[2]]
//~                         ^^^^^^^^^^^^^^^^
//~ error: cannot compute with a truth value and a float: arithmetic needs numbers; write `if
//~ condition { 1.0 } else { 0.0 }`, or `f64::from(condition)`
}
