// Numbers, truth values, structs and tuples.

//# all_fields
//! A struct has a value for each of its fields.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    struct Rates {
        growth: f64,
        decay: f64,
    }
    let rates = Rates { growth: p[0] };
//~             ^^^^^
//~ error: the field `decay` is missing: a struct needs a value for each field; add it, for example
//~ with the value `0.0`
    du[0] = rates.growth * u[0];
    du[1] = -rates.decay * u[1];
}

//# arithmetic_by_element
//! Arithmetic is for numbers, not for arrays.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let scaled = 2.0 * *u;
//~              ^^^^^^^^
//~ error: cannot compute with a float and an array: arithmetic needs numbers; write it for each
//~ element, as in `v.map(|x| 2.0 * x)`
    du[0] = scaled[1];
    du[1] = -scaled[0];
}

//# casts_to_numbers
//! A cast is to a number.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let letter = 65 as char;
//~                    ^^^^
//~ error: cannot cast to this type in a right-hand side: only floats and integers are supported;
//~ write `as f64`
    du[0] = u[1];
    du[1] = -u[0];
}

//# compared_with_a_point
//! A float is compared with a float.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = if u[0] > 0 { u[1] } else { 0.0 };
//~            ^^^^^^^^
//~ error: cannot compare a float with an integer: Rust has no implicit conversion; write the number
//~ with a point, as in `2.0`, or convert by `as f64`
    du[1] = -u[0];
}

//# comparisons_of_numbers
//! Only numbers are compared.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let equal = *u == [0.0, 1.0];
//~             ^^^^^^^^^^^^^^^^
//~ error: cannot compare an array with an array: only numbers can be compared; compare their
//~ numbers one by one, joined by `&&` and `||`
    du[0] = if equal { 1.0 } else { 0.0 };
    du[1] = u[0];
}

//# constants_from_outside
//! A constant from outside is a float, or an array of floats; known integers are declared inside.

use odes::ode_system;

const FIRST: usize = 0;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[FIRST];
//~           ^^^^^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
    du[1] = -u[1];
}

//# fields_that_are_there
//! A field access names a field of the struct.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    struct Point {
        x: f64,
        y: f64,
    }
    let point = Point { x: u[0], y: u[1] };
    du[0] = point.z;
//~         ^^^^^^^
//~ error: `Point` has no field `z`: its fields are x, y
    du[1] = -point.x;
}

//# floats_have_a_point
//! Floats and integers do not mix: a float has a point.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = 2 * u[1];
//~         ^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
    du[1] = -u[0];
}

//# floats_stay_floats
//! A float does not become an integer: a lane's value is not known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    let day = t as usize;
//~           ^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    du[0] = day as f64 * u[0];
    du[1] = -u[1];
}

//# functions_of_floats
//! The arguments of functions of floats are floats.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].max(0);
//~              ^^^
//~ error: `max` needs floats here: integers are known at compile time; write the number with a
//~ point, as in `2.0`, or convert by `as f64`
    du[1] = -u[0];
}

//# integers_become_floats
//! An integer becomes a float by `as f64` or `f64::from`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = (i + 1) * u[i];
//~             ^^^^^^^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64` (in the iteration `i` = 0)
    }
}

//# known_names
//! Visible names are arguments, variables and constants.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rate = p[0];
    du[0] = raet * u[1];
//~         ^^^^
//~ error: cannot find the variable `raet`: only arguments, variables and constants (in capitals)
//~ are visible in a right-hand side; did you mean `rate`?
    du[1] = -u[0];
}

//# lengths_of_local_arrays
//! The length of a local array is known inside the function.

use odes::ode_system;

const N: usize = 2;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = [0.0; N];
//~                   ^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
    x[0] = u[1];
    du[0] = x[0];
    du[1] = x[1] - u[0];
}

//# no_bits
//! There are no operators on bits; a power is `powi`, or `powf`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1] ^ 2.0;
//~              ^
//~ error: `^` is not a power in Rust, and bit operators are not supported; write `x.powi(2)` for
//~ known integers, or `x.powf(y)`
    du[1] = -u[0];
}

//# no_boxes
//! There are no boxes; use the value itself.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = Box::new(u[1]);
//~         ^^^^^^^^
//~ error: `Box` cannot be used in a right-hand side: a lane cannot allocate; use the value itself
    du[0] = *x;
    du[1] = -u[0];
}

//# no_text
//! A lane computes with numbers, not with text.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let kind = "exponential";
//~            ^^^^^^^^^^^^^
//~ error: text cannot be used in a right-hand side: a lane computes only with numbers; format text
//~ from the solution
    du[0] = -u[0];
    du[1] = u[0];
}

//# no_types_that_allocate
//! There are no types that allocate.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rates = Vec::from([u[1], 0.0]);
//~             ^^^^^^^^^
//~ error: `Vec` cannot be used in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
    du[0] = rates[0];
    du[1] = -u[0];
}

//# no_vectors
//! Arrays have a fixed length: a lane cannot allocate.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rates = vec![p[0]; 2];
//~             ^^^^^^^^^^^^^
//~ error: `vec!` cannot be used in a right-hand side: a lane cannot allocate; write an array of
//~ fixed size, such as `[0.0; 4]`
    du[0] = rates[0] * u[1];
    du[1] = -rates[1] * u[0];
}

//# one_float_type
//! There is one float type, from the signature.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rate = 0.1_f32;
//~            ^^^^^^^
//~ error: `f32` cannot be used in this right-hand side: one float type, here `f64`, stands for the
//~ precision of the solve; write `f64`
    du[0] = rate as f64 * u[1];
    du[1] = -u[0];
}

//# plain_paths
//! The path of a constant has no type arguments.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].min(<f64>::MAX);
//~                  ^^^^^^^^^^
//~ error: a path with type arguments cannot be used in a right-hand side: only variables and
//~ constants of type `f64` are supported; name the value by a `const`
    du[1] = -u[0];
}

//# signs_of_numbers
//! Only numbers have a sign.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let [x, y] = -*u;
//~              ^^^
//~ error: cannot negate an array: only numbers have a sign; negate each element, as in `v.map(|x|
//~ -x)`
    du[0] = y;
    du[1] = x;
}

//# structs_are_seen
//! The fields of a struct are visible: it is declared in the function, or in the module under `#[ode_system]`.

use odes::ode_system;

struct Rates {
    growth: f64,
    decay: f64,
}

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rates = Rates { growth: p[0], decay: p[1] };
//~             ^^^^^
//~ error: a struct from outside cannot be used in a right-hand side: its fields are not visible
//~ here; declare it in the same module under `#[ode_system]`, or use a tuple or an array
    du[0] = rates.growth * u[0];
    du[1] = -rates.decay * u[1];
}

//# structs_with_named_fields
//! A struct that is declared in the function has named fields.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    struct Rates(f64, f64);
//~        ^^^^^
//~ error: a struct in a right-hand side must have named fields and no generics: the fields name its
//~ numbers; write `struct Point { x: f64, y: f64 }`
    let rates = Rates(p[0], p[1]);
    du[0] = rates.0 * u[0];
    du[1] = -rates.1 * u[1];
}

//# truth_values_select
//! A truth value of the state selects by `if`; it is not a number.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let open = (u[0] > 0.5) as u8 as f64;
//~            ^^^^^^^^^^^^^^^^^^
//~ error: cannot cast a truth value: only numbers can be cast; write `if condition { 1.0 } else {
//~ 0.0 }`, or `f64::from(condition)`
    du[0] = -open * u[0];
    du[1] = u[0];
}

//# tuples
//! The elements of tuples are counted from 0.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let pair = (u[1], -u[0]);
    du[0] = pair.1;
    du[1] = pair.2;
//~         ^^^^^^
//~ error: this tuple has no field `2`: it has 2 elements, and the first one is `.0`
}
