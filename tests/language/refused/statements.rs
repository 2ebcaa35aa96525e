// Assignments, declarations and patterns.

//# all_assigned
//! Every derivative is assigned.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
//~     ^^
//~ error: `du[1]` is not assigned: each component needs a value on every path; assign it a value,
//~ such as 0.0
    du[0] = -u[0];
}

//# arrays_are_assigned_whole
//! An array is assigned as a whole before its elements are assigned.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x: [f64; 2];
    x[0] = u[1];
//~ ^^^^
//~ error: this array is used before it is assigned: all its elements need values; assign the whole
//~ array first
    x[1] = 0.0;
    du[0] = x[0];
    du[1] = x[1] - u[0];
}

//# assigned_before_read
//! A derivative is assigned before it is read, also by `+=`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        for j in 0..2 {
            du[i] += u[j];
//~         ^^^^^
//~ error: `du[i]` is read before it is assigned: it has no value yet; assign it first (in the
//~ iteration `i` = 0, `j` = 0)
        }
    }
}

//# assigned_on_every_path
//! Every derivative is assigned on every path.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = -u[0];
    if u[0] > 1.0 {
//~ ^^
//~ error: `du[1]` is assigned in only one branch of this `if`: each component needs a value on
//~ every path; assign it in the other branch or before
        du[1] = u[0];
    }
}

//# assigned_places
//! Only variables, elements and fields are assigned.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    *(if u[0] > 0.0 { &mut du[0] } else { &mut du[1] }) = 1.0;
//~   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: cannot assign to this in a right-hand side: only variables and elements of arrays and
//~ tuples can be assigned; write one assignment for each value
    du[1] = -u[0];
}

//# configuration_outside
//! `#[cfg]` stands on the whole function.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    #[cfg(debug_assertions)]
//~ ^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: conditional compilation cannot be used inside a right-hand side: a macro cannot see which
//~ configuration is active; put `#[cfg]` on the whole function
    let x = u[1];
    #[cfg(not(debug_assertions))]
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: conditional compilation cannot be used inside a right-hand side: a macro cannot see which
//~ configuration is active; put `#[cfg]` on the whole function
    let x = 2.0 * u[1];
    du[0] = x;
    du[1] = -u[0];
}

//# items
//! A function holds constants, functions, structs with their methods and aliases, and no other items.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    trait Rate {
//~ column 5 to column 5, 2 lines below
//~ error: this item is not supported in a right-hand side: only constants, functions, structs with
//~ methods, type aliases and `use` are; move it out of the function
        fn rate(&self) -> f64;
    }
    du[0] = 0.5 * u[1];
    du[1] = -u[0];
}

//# late_on_every_path
//! A variable may be assigned later, on every path before it is read.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rate;
    if u[0] < 1.0 {
        rate = 2.0;
    }
    du[0] = -rate * u[0];
//~          ^^^^
//~ error: `rate` is read here, but assigned in only one branch of an `if`: it may have no value;
//~ assign it in the other branch or before
    du[1] = u[0];
}

//# no_let_else
//! A `let` always matches.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let [x, y] = *u else { panic!() };
//~                 ^^^^
//~ error: `let … else` cannot be used in a right-hand side: every pattern matches here; remove the
//~ `else`
    du[0] = y;
    du[1] = -x;
}

//# no_mutable_references
//! Each value has only one name: there is no `&mut` inside.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = &mut du[0];
//~         ^^^^^^^^^^
//~ error: `&mut` cannot be used in a right-hand side: each value has only one name; assign to the
//~ variable itself
    *x = u[1];
    du[1] = -u[0];
}

//# one_assignment_each
//! An assignment has no value.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = du[1] = u[0];
//~ ^^^^^
//~ error: `du[0]` gets no value here: an assignment, a loop and a block that ends with `;` have no
//~ value; write the value, and a separate assignment for each variable
}

//# parameters_are_read_only
//! The parameters are not assigned to.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    p[0] *= 2.0;
//~ ^^^^
//~ error: cannot assign to the parameters: they belong to the solver, which chooses the points of
//~ its calls; make a copy first, as in `let mut x = p[0];`
    du[0] = -p[0] * u[0];
    du[1] = u[0];
}

//# patterns_of_let
//! Patterns are names, `_`, arrays, tuples and structs of these.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let ref x = u[0];
//~     ^^^^^
//~ error: this pattern is not supported in a right-hand side: patterns are names, `_`, arrays,
//~ tuples and structs of these; write one `let` for each value
    du[0] = *x;
    du[1] = -u[0];
}

//# state_is_read_only
//! The state is not assigned to.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    u[0] = u[0].max(0.0);
//~ ^^^^
//~ error: cannot assign to the state: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = u[0];`
    du[0] = -u[0];
    du[1] = u[0];
}

//# time_is_read_only
//! The time is not assigned to.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], mut t: f64) {
    t /= 24.0;
//~ ^
//~ error: cannot assign to the time: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = t;`
    du[0] = -t * u[0];
    du[1] = u[0];
}

//# use_at_the_head
//! A `use` stands at the head of the function.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    {
        use std::f64::consts::PI;
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: `use` is not supported in an inner block: names are looked up in the outermost block of
//~ the function; move it there
        du[0] = PI * u[1];
    }
    du[1] = -u[0];
}
