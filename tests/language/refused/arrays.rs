// Arrays, indices and tables.

//# abscissae_are_known
//! Abscissae are constants or parameters.

use odes::{interp_linear_at, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 3], t: f64) {
    du[0] = interp_linear_at(&[0.0, u[0], 3.0], p, t) - u[0];
//~                           ^^^^^^^^^^^^^^^^
//~ error: abscissae cannot depend on the state, the time or modes: they are computed from constants
//~ and parameters before the solve; transform the position instead
    du[1] = u[0];
}

//# abscissae_ascend
//! Abscissae ascend; two points at one abscissa are a jump.

use odes::{interp_linear_at, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    const HOURS: [f64; 4] = [0.0, 1.5, 1.0, 6.0];
    const RAIN: [f64; 4] = [0.2, 1.7, 3.1, 0.0];
    du[0] = interp_linear_at(&HOURS, &RAIN, t) - u[0];
//~                           ^^^^^
//~ error: abscissae must be in ascending order: abscissa 2 is 1.0, and follows 1.5; sort the points
//~ (two points at one abscissa are a jump)
    du[1] = u[0];
}

//# arrays_have_elements
//! Only arrays have elements.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = t[0] * u[0];
//~         ^^^^
//~ error: cannot index a float: only arrays have elements; use the value itself
    du[1] = -u[1];
}

//# elements_by_index
//! An element is read by its index.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = *u.last().unwrap();
//~            ^^^^
//~ error: cannot call `last` in a right-hand side: elements are read only by index; write
//~ `u[u.len() - 1]`
    du[1] = -u[0];
}

//# elements_of_constants
//! Rustc checks the indices of constant arrays from outside.

use odes::ode_system;

const RATES: [f64; 3] = [0.5, 1.5, 2.5];

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = RATES[i + 2] * u[i];
//~             ^^^^^
//~ error[E0080]: index out of bounds: the length is 3 but the index is 3
    }
}

//# index_in_range
//! An index is in range: the first element has index 0.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1];
    du[1] = -u[2];
//~            ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
}

//# index_in_range_in_loops
//! An index is in range in every iteration of a loop.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = u[i + 1] - u[i];
//~               ^^^^^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1 (in the iteration
//~ `i` = 1)
    }
}

//# index_known
//! An index is an integer that is known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let i = p[0];
    du[0] = u[i];
//~           ^
//~ error: an index must be an integer known at compile time: the compiler proves that it is in
//~ range, and this value is not known; write a number or the variable of a `for` loop, or
//~ interpolate in a table by `interp_linear(&TABLE, x)`
    du[1] = -u[1];
}

//# index_not_by_state
//! An index does not depend on the state; the selected element may.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    let k = if t < 10.0 { 0 } else { 1 };
    let x = u[k];
//~           ^
//~ error: this index depends on the state through an `if`: an index must be known at compile time,
//~ so that the compiler can prove that it is in range; select elements instead, as in `if x > 0.0 {
//~ u[0] } else { u[1] }`
    du[0] = x;
    du[1] = -x;
}

//# index_not_negative
//! An index is not negative.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = u[i - 1] - u[i];
//~               ^^^^^
//~ error: index -1 is out of range: the array has 2 elements, with indices 0 to 1 (in the iteration
//~ `i` = 0)
    }
}

//# lengths_of_from_fn
//! If `from_fn` makes an array, its length is written.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = std::array::from_fn(|i| 2.0 * u[i]);
//~         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: the length of this array is not known here: a macro cannot see inferred types; write the
//~ length, as in `let x: [f64; 3] = std::array::from_fn(…);`
    [du[0], du[1]] = x;
}

//# no_parts_by_range
//! A pattern takes a part of an array.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rest = &u[1..];
//~               ^^^
//~ error: an array cannot be indexed by a range in a right-hand side: an index is one integer;
//~ write `let [a, rest @ ..] = array;`, or an array of the elements
    du[0] = rest.iter().sum::<f64>();
    du[1] = -u[0];
}

//# patterns_fit
//! A pattern has as many elements as the array, or `..`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let [x, y, z] = *u;
//~     ^^^^^^^^^
//~ error: cannot match an array of 2 against this pattern of length 3: the lengths must agree; name
//~ each element, or end with `..`
    du[0] = y + z;
    du[1] = -x;
}

//# points_are_pairs
//! A point has an abscissa and a value.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], _t: f64) {
    const RAIN: [f64; 3] = [0.2, 1.7, 0.0];
    du[0] = interp_linear(&[0.0, 1.5, 6.0], &RAIN, u[1]);
//~         ^^^^^^^^^^^^^
//~ error: `interp_linear` takes a table and a position, as in `interp_linear(&TABLE, x)`; with
//~ abscissae, write `interp_linear_at(&ABSCISSAE, &VALUES, x)`
    du[1] = -u[0];
}

//# positions_are_floats
//! A position in a table is a float; an index takes an element.

use odes::{interp_linear, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const SHAPE: [f64; 3] = [1.0, 4.0, 2.0];
    for i in 0..2 {
        du[i] = interp_linear(&SHAPE, i) * u[i];
//~                                   ^
//~ error: the position in a table must be a float, found an integer: the first entry is at 0.0, and
//~ the second at 1.0 (in the iteration `i` = 0)
    }
}

//# short_tables_of_lanes
//! A table of values that differ between lanes is short; a table of constants may have any length.

use odes::{interp_linear, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 500], _t: f64) {
    du[0] = interp_linear(p, u[1]);
//~                       ^
//~ error: `interp_linear` supports at most 64 values that differ between lanes, found 500: each
//~ value and its derivative are selected by comparisons; use fewer values, or a table of constants,
//~ which can have any length
    du[1] = -u[0];
}

//# tables
//! A table of equally spaced points is looked up at a position that is a float.

use odes::ode_system;

const WIND: [f64; 4] = [0.2, 1.7, -0.9, 3.1];

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = WIND[0.2 * t] - u[0];
//~              ^^^^^^^
//~ error: an index must be an integer known at compile time: the compiler proves that it is in
//~ range, and this value is not known; write a number or the variable of a `for` loop, or
//~ interpolate in a table by `interp_linear(&TABLE, x)`
    du[1] = u[0];
}

//# tables_have_entries
//! A table is an array of floats.

use odes::{interp_linear, ode_system};

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = interp_linear(&u[0], t);
//~                        ^^^^
//~ error: `interp_linear` needs an array of floats, found a float: write `interp_linear(&TABLE,
//~ x)`, with a constant or a variable `TABLE`
    du[1] = -u[1];
}
