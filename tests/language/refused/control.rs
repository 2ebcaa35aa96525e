// Branches, loops and `match`.

//# bounds_are_known
//! The bounds of a loop are integers known at compile time.

use odes::ode_system;

const N: usize = 2;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..N {
//~             ^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
        du[i] = -u[i];
    }
}

//# branches_of_one_kind
//! Both branches of an `if` on the state have the same type.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rates = if u[0] > 0.0 { [1.0, 2.0] } else { 0.0 };
//~             ^^
//~ error: the branches of this `if` have different types, an array and a float: one value is
//~ selected from both; end both branches with the same type
    du[0] = -rates[0] * u[0];
    du[1] = rates[1];
}

//# break_in_loops
//! `break` and `continue` occur only in loops.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = -u[0];
    du[1] = u[0];
    break;
//~ ^^^^^
//~ error: there is no enclosing loop: `break` and `continue` work only in loops; remove this one
}

//# break_on_known
//! A loop is left only under conditions that are known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    for i in 0..2 {
        if u[i] < 0.0 {
            break;
//~         ^^^^^
//~ error: this leaves the loop under a condition on the state: all lanes run the same iterations,
//~ so the condition must be known at compile time; put the rest of the body into an `if`, which
//~ computes both branches and selects (in the iteration `i` = 0)
        }
        sum += u[i];
    }
    du[0] = sum;
    du[1] = -u[0];
}

//# conditions_are_comparisons
//! A condition is a comparison, not a number.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = if u[0] { 1.0 } else { 0.0 };
//~            ^^^^
//~ error: expected a condition here, found a float: a branch needs a condition; write a comparison
    du[1] = u[0];
}

//# constants_of_match
//! A constant in a pattern is declared inside the function.

use odes::ode_system;

const LAST: usize = 1;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            LAST => -u[0],
//~         ^^^^
//~ error: the value of `LAST` is not visible here: a macro cannot see a constant from outside;
//~ write the number, or declare the constant inside the function (in the iteration `i` = 0)
            _ => u[1],
        };
    }
}

//# every_value_has_an_arm
//! A `match` has an arm for the actual value.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
//~                   ^
//~ error: no arm of this `match` matches its value here; add `_ => …` (in the iteration `i` = 1)
            0 => u[1],
            2 => -u[0],
        };
    }
}

//# guards_are_known
//! The guard of an arm is known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            k if u[k] > 0.0 => -u[0],
//~              ^^^^^^^^^^
//~ error: this guard depends on the state: the arm of a `match` must be known at compile time;
//~ write an `if` inside the arm (in the iteration `i` = 0)
            _ => u[1],
        };
    }
}

//# loops_end
//! A `while` or `loop` ends after at most 100 000 iterations.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut n = 1;
    while n > 0 {
//~ ^^^^^
//~ error: this loop has not ended after 100000 iterations: loops run at compile time, and each
//~ iteration adds its instructions; count an integer up to a bound, or write `for i in a..b`
        n = n % 2 + 1;
    }
    du[0] = n as f64 * u[1];
    du[1] = -u[0];
}

//# loops_over_items
//! A `for` runs over a range, an array or an iterator of these.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    for x in u[0] {
//~          ^^^^
//~ error: cannot loop over a float in a right-hand side: all lanes run the same iterations, known
//~ at compile time; loop over a range `a..b`, an array, or an iterator of these
        sum += x;
    }
    du[0] = sum;
    du[1] = -u[0];
}

//# match_not_on_floats
//! A `match` is on integers and truth values, not on floats.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = match u[0] {
        0.0 => 1.0,
//~     ^^^
//~ error: a float cannot be a pattern in a right-hand side: its value is not known at compile time;
//~ write comparisons, as in `if x < 1.0 { … } else { … }`
        x => x,
    };
    du[1] = -u[0];
}

//# match_on_known
//! A `match` is on values that are known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let n = if u[0] > 0.0 { 1 } else { 2 };
    du[0] = match n {
//~               ^
//~ error: this value depends on the state: the arm of a `match` must be known at compile time, and
//~ lanes would differ; write `if … { … } else { … }`, which computes both branches and selects
        1 => u[1],
        _ => -u[1],
    };
    du[1] = -u[0];
}

//# no_if_let
//! There are no options: the condition of an `if` is a comparison.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = if let 0.0 = p[0] { 0.0 } else { p[0] * u[0] };
//~            ^^^^^^^^^^^^^^
//~ error: `if let` cannot be used in a right-hand side: options and enums are not supported; write
//~ a comparison
    du[1] = u[0];
}

//# no_return
//! A function ends with its last expression or a `return` of it; there is no earlier `return`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    if u[0] < 0.0 {
        du[0] = 0.0;
        du[1] = 0.0;
        return;
//~     ^^^^^^
//~ error: `return` cannot be used in a right-hand side: both branches of an `if` are computed and
//~ one is selected; write `if … { … } else { … }`, with the value as its last expression
    }
    du[0] = -u[0];
    du[1] = u[0];
}

//# operations_are_limited
//! A right-hand side unrolls to at most 200 000 operations, or to at most `limit`.

use odes::ode_system;

#[ode_system(limit = 1000)]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = u[0];
    for _ in 0..2000 {
//~          ^^^^^^^
//~ error: this right-hand side has 6001 operations after its loops are unrolled, and the limit is
//~ 1000; use fewer iterations or fewer states, or raise the limit by `#[ode_system(limit = 6001)]`
        x += 1e-3 * x.sin();
    }
    du[0] = -x;
    du[1] = x;
}

//# patterns_of_match
//! The patterns of a `match` are numbers, ranges, `true` and `false`, constants, names, and arrays and tuples of these.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0..2 {
        du[i] = match i {
            usize::MAX => u[0],
//~         ^^^^^^^^^^
//~ error: a variant of an enum cannot be used in a right-hand side: enums are not supported, and a
//~ `match` accepts integers and truth values; write a condition, as in `let on = t < 5.0;` and `if
//~ on { … } else { … }`, or a parameter that is 0.0 or 1.0
            _ => 0.0,
        };
    }
}

//# ranges_end
//! A range has both ends.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in 0.. {
//~          ^^^
//~ error: a range needs both ends in a right-hand side: the iterations of a loop must be known at
//~ compile time; write `a..b`
        if i < 2 {
            du[i] = -u[i];
        }
    }
}

//# steps_are_not_zero
//! The step of a range is not zero.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in (0..2).step_by(0) {
//~                         ^
//~ error: a step of zero would panic in Rust: the loop would not end; use another step
        du[i] = -u[i];
    }
}

//# while_on_known
//! The condition of a `while` is known at compile time.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = u[0];
    while x.abs() > 1.0 {
//~       ^^^^^^^^^^^^^
//~ error: the condition of this `while` depends on the state: all lanes run the same iterations, so
//~ their number must be known at compile time; write `for i in 0..N` with the largest number of
//~ iterations, and an `if` inside
        x /= 2.0;
    }
    du[0] = -x;
    du[1] = x;
}
