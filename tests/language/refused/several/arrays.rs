// Several mistakes in a program: indices, integers and assignments.

//# assignment_to_inputs
//! The state, the parameters and the time belong to the solver.

use odes::ode_system;

#[ode_system]
fn inputs(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], mut t: f64) {
    u[0] = 0.0;
//~ ^^^^
//~ error: cannot assign to the state: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = u[0];`
    p[0] += 1.0;
//~ ^^^^
//~ error: cannot assign to the parameters: they belong to the solver, which chooses the points of
//~ its calls; make a copy first, as in `let mut x = p[0];`
    t -= 1.0;
//~ ^
//~ error: cannot assign to the time: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = t;`
    du[0] = u[0] * t;
    du[1] = p[0];
}

//# index_not_constant
//! An index is known at compile time.

use odes::ode_system;

const FIRST: usize = 0;

#[ode_system]
fn from_a_float(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], t: f64) {
    let step = t as usize;
//~            ^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    du[0] = u[step];
    du[1] = u[u[0] as usize];
//~           ^^^^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
}

#[ode_system]
fn from_a_branch(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    let k = if u[0] > 0.0 { 0 } else { 1 };
    du[0] = u[k];
//~           ^
//~ error: this index depends on the state through an `if`: an index must be known at compile time,
//~ so that the compiler can prove that it is in range; select elements instead, as in `if x > 0.0 {
//~ u[0] } else { u[1] }`
    du[1] = u[1 - k];
//~           ^^^^^
//~ error: this integer depends on the state through an `if`: integers must be known at compile
//~ time; use floats, and select a float by the `if`
}

#[ode_system]
fn from_outside(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    du[0] = u[FIRST];
//~           ^^^^^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
    du[1] = u[0];
}

//# index_out_of_range
//! Every index is proved in range.

use odes::ode_system;

#[ode_system]
fn number(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    du[0] = p[1] * u[0];
//~           ^
//~ error: index 1 is out of range: the array has 1 element, with index 0
    du[1] = u[2];
//~           ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
}

#[ode_system]
fn chain(du: &mut [f64; 4], u: &[f64; 4], _p: &[f64; 0], _t: f64) {
    for i in 0..4 {
        du[i] = u[i + 1] - u[i];
//~               ^^^^^
//~ error: index 4 is out of range: the array has 4 elements, with indices 0 to 3 (in the iteration
//~ `i` = 3)
    }
}

#[ode_system]
fn underflow(du: &mut [f64; 4], u: &[f64; 4], _p: &[f64; 0], _t: f64) {
    for i in 0..4 {
        du[i] = u[(i - 1 + 4) % 4] - u[i];
//~                ^^^^^
//~ error: this integer is -1 here, which a `usize` cannot hold: Rust would panic; add before you
//~ subtract, as in `(i + n - 1) % n`
    }
}

#[ode_system]
fn written(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    for i in 0..=2 {
        du[i] = u[0];
//~        ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1 (in the iteration
//~ `i` = 2)
    }
}

//# integers
//! Integers are computed at compile time, with the panics of Rust.

use odes::ode_system;

#[ode_system]
fn overflows(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    let n: u32 = 3;
    let below = (n - 4) as f64;
//~              ^^^^^
//~ error: this integer is -1 here, which a `u32` cannot hold: Rust would panic; add before you
//~ subtract, as in `(i + n - 1) % n`
    let product = 65_536 * 65_536;
//~               ^^^^^^^^^^^^^^^
//~ error: this integer is 4294967296 here, which a `i32` cannot hold: Rust would panic; use a
//~ larger type
    let wide = 65_536_i64 * 65_536;
    let least = -2_147_483_647 - 1;
    let quotient = least / -1;
//~                ^^^^^^^^^^
//~ error: this integer is 2147483648 here, which a `i32` cannot hold: Rust would panic; use a
//~ larger type
    let remainder = (-128_i8) % -1;
//~                 ^^^^^^^^^^^^^^
//~ error: this integer is 128 here, which a `i8` cannot hold: Rust would panic; use a larger type
    let zero = wide / (n as i64 - 3);
//~            ^^^^^^^^^^^^^^^^^^^^^
//~ error: this divides an integer by zero: Rust would panic; use another divisor
    let rest = wide % 0;
//~            ^^^^^^^^
//~ error: this divides an integer by zero: Rust would panic; use another divisor
    let byte = 200_u8 + 100;
//~            ^^^^^^^^^^^^
//~ error: this integer is 300 here, which a `u8` cannot hold: Rust would panic; use a larger type
    let late: usize;
    late = 1 - 2;
//~        ^^^^^
//~ error: this integer is -1 here, which a `usize` cannot hold: Rust would panic; add before you
//~ subtract, as in `(i + n - 1) % n`
    fn before(i: usize) -> usize {
        i - 1
//~     ^^^^^
//~ error: this integer is -1 here, which a `usize` cannot hold: Rust would panic; add before you
//~ subtract, as in `(i + n - 1) % n`
    }
    for i in 0..2 {
        du[i] = u[(before(i) + 2) % 2];
    }
    let power = 10_i32.pow(10) + 2_i64.rem_euclid(n as i64 - 3);
//~             ^^^^^^^^^^^^^^
//~ error: this integer is 10000000000 here, which a `i32` cannot hold: Rust would panic; use a
//~ larger type
//~                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: this divides an integer by zero: Rust would panic; use another divisor
    let float = u[0].pow(2) + f64::from(true);
//~                  ^^^
//~ error: `pow` needs an integer known at compile time, found a float; write `powi`, or multiply
    let bits = 1 << 3 | 4;
//~              ^^
//~ error: this operator cannot be used in a right-hand side: bit operators are not supported; use
//~ arithmetic, and `&&`, `||`, `!` on conditions
//~                     ^
//~ error: expected a condition here, found an integer: `&` and `|` need conditions, because bit
//~ operators are not supported; write a comparison
}

#[ode_system]
fn casts(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], t: f64) {
    let step = (t * 2.0) as usize;
//~            ^^^^^^^^^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    let index = 1.5 as usize;
    let text = (1, 2) as f64;
//~            ^^^^^^^^^^^^^
//~ error: cannot cast a tuple: only numbers can be cast; cast each number in it
    du[0] = u[index];
    du[1] = u[2.0 as usize];
//~           ^^^^^^^^^^^^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
}

//# not_numbers
//! Types of values.

use odes::ode_system;

#[ode_system]
fn mixed(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let half = 1 / 2 * u[0];
//~            ^^^^^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
    if u[0] {
//~    ^^^^
//~ error: expected a condition here, found a float: a branch needs a condition; write a comparison
        du[0] = -u;
//~             ^^
//~ error: cannot negate an array: only numbers have a sign; negate each element, as in `v.map(|x|
//~ -x)`
    } else {
        du[0] = (u[0] > 0.0) + 1.0;
//~             ^^^^^^^^^^^^^^^^^^
//~ error: cannot compute with a truth value and a float: arithmetic needs numbers; write `if
//~ condition { 1.0 } else { 0.0 }`, or `f64::from(condition)`
    }
    du[1] = u[0][1] + 2.sqrt() + u[1] % 1.0;
//~         ^^^^^^^
//~ error: cannot index a float: only arrays have elements; use the value itself
//~                     ^^^^
//~ error: `sqrt` needs floats here: integers are known at compile time; write the number with a
//~ point, as in `2.0`, or convert by `as f64`
    let tuple = (1.0, 2.0);
    let text = "x";
//~            ^^^
//~ error: text cannot be used in a right-hand side: a lane computes only with numbers; format text
//~ from the solution
    let flag = u[0] == 1;
//~            ^^^^^^^^^
//~ error: cannot compare a float with an integer: Rust has no implicit conversion; write the number
//~ with a point, as in `2.0`, or convert by `as f64`
    let power = u[0].powi(u[1]);
//~                  ^^^^
//~ error: the exponent of `powi` must be an integer known at compile time: `powi` is unrolled into
//~ multiplications; use `powf` for other exponents
    let narrow = u[0] as f32;
//~                      ^^^
//~ error: `f32` cannot be used in this right-hand side: one float type, here `f64`, stands for the
//~ precision of the solve; write `f64`
    let zero = 1 / (2 - 2);
//~            ^^^^^^^^^^^
//~ error: this divides an integer by zero: Rust would panic; use another divisor
}

//# unassigned
//! Each derivative is assigned on every path, before it is read.

use odes::ode_system;

#[ode_system]
fn forgotten(du: &mut [f64; 3], u: &[f64; 3], _p: &[f64; 0], _t: f64) {
//~          ^^
//~ error: `du[0]` and `du[2]` are not assigned: each component needs a value on every path; assign
//~ each of them a value, such as 0.0
    du[1] = u[0];
}

#[ode_system]
fn one_branch(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    du[0] = u[1];
    if u[0] > 0.0 {
//~ ^^
//~ error: `du[1]` is assigned in only one branch of this `if`: each component needs a value on
//~ every path; assign it in the other branch or before
        du[1] = u[0];
    }
}

#[ode_system]
fn read_first(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    du[0] = du[1] + u[0];
//~         ^^^^^
//~ error: `du[1]` is read before it is assigned: it has no value yet; assign it first
    du[1] = u[1];
}

#[ode_system]
fn accumulated(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    for i in 0..2 {
        for j in 0..2 {
            du[i] += u[j];
//~         ^^^^^
//~ error: `du[i]` is read before it is assigned: it has no value yet; assign it first (in the
//~ iteration `i` = 0, `j` = 0)
        }
    }
}

#[ode_system]
fn late(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let rate;
    if u[0] < 1.0 {
        rate = 2.0;
    }
    du[0] = rate * u[0];
//~         ^^^^
//~ error: `rate` is read here, but assigned in only one branch of an `if`: it may have no value;
//~ assign it in the other branch or before
}

//# many_points
//! Mistakes in interpolations between many points.

use odes::{interp_linear_at, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 70], t: f64) {
    let at: [f64; 70] = std::array::from_fn(|k| (k / 2) as f64);
    let values: [f64; 70] = std::array::from_fn(|k| k as f64);
    du[0] = interp_linear_at(&at, &values, t);
//~                           ^^
//~ error: abscissae 0 and 1 are both 0.0: more than 64 points have no jumps; compare the position
//~ where the values jump
    du[1] = interp_linear_at(p, &values, t) + interp_linear_at(&values, &[0.0, u[0]], t);
//~                          ^
//~ error: `interp_linear_at` supports at most 64 points with parameters, states or constants from
//~ outside, found 70: each is selected by comparisons; use fewer points, or declare both arrays
//~ here as constants, which can have any length
//~                                                                      ^^^^^^^^^^^
//~ error: there are 70 abscissae and 2 values: each point needs one of both
}
