// Mistakes of newcomers: statements, branches and loops.

//# assignment_as_condition
//! One `=` in a condition.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let on = 1.0;
    if t = 5.0 { [0.0; 3] } else { [on; 3] }
//~      ^
//~ error: `=` assigns, and a condition compares: write `==`, or `<` and `>` for floats, which are
//~ seldom equal
}

//# cloning
//! `.clone()`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let v = u.clone();
//~           ^^^^^
//~ error: cannot call `clone` in a right-hand side: numbers and arrays are copied; remove
//~ `.clone()`
    [v[0], v[1], t]
}

//# delay
//! The state at an earlier time.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let past = u(t - 1.0);
//~            ^
//~ error: cannot call an array: only functions and closures can be called; use the value itself
//~ (the state is always that at the time `t`: delays are not supported)
    [past[0], u[1], t]
}

//# enum_of_phases
//! A phase as an enum.

use odes::ode_system;

enum Phase {
    On,
    Off,
}

#[ode_system]
fn model(u: &[f64; 1], t: f64) -> [f64; 1] {
    let phase = if t < 5.0 { Phase::On } else { Phase::Off };
//~                          ^^^^^^^^^
//~ error: a variant of an enum cannot be used in a right-hand side: enums are not supported, and a
//~ `match` accepts integers and truth values; write a condition, as in `let on = t < 5.0;` and `if
//~ on { … } else { … }`, or a parameter that is 0.0 or 1.0
    let rate = match phase {
        Phase::On => 1.0,
        Phase::Off => 0.0,
    };
    [rate - u[0]]
}

//# function_by_if
//! A function that an `if` chooses.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let wave = if p[0] > 0.5 { f64::sin } else { f64::cos };
//~            ^^
//~ error: the branches of this `if` are functions: only values can be selected; call the functions
//~ inside, as in `if … { x.sin() } else { x.cos() }`
    [wave(t) - u[0]]
}

#[ode_system]
fn closures(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    let law = if t < p[0] { |x: f64| x * x } else { |x: f64| x };
//~           ^^
//~ error: the branches of this `if` are functions: only values can be selected; call the functions
//~ inside, as in `if … { x.sin() } else { x.cos() }`
    [-law(u[0])]
}

//# if_let
//! `if let` with an option.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    if let Some(x) = u.get(0) { [*x, -u[1], 0.0] } else { [0.0; 3] }
//~    ^^^^^^^^^^^^^^^^^^^^^^
//~ error: `if let` cannot be used in a right-hand side: options and enums are not supported; write
//~ a comparison
}

//# if_without_else
//! An `if` without `else` as a value.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let k = if t > 5.0 {
//~         ^^
//~ error: this `if` gives a float, but no value if its condition is false: one value is selected
//~ from two; add the other value, as in `else { 0.0 }`
        1.0
    };
    [k * u[0], u[1], t]
}

//# loop_over_time
//! Loops up to the time.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], t: f64) -> [f64; 1] {
    let mut s = 0.0;
    let mut x = 0.0;
    while x < t {
//~       ^^^^^
//~ error: the condition of this `while` depends on the state: all lanes run the same iterations, so
//~ their number must be known at compile time; write `for i in 0..N` with the largest number of
//~ iterations, and an `if` inside
        s += x;
        x += 1.0;
    }
    for dose in 0..(t as usize) {
//~                 ^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
        s += 1.0;
    }
    [s - u[0]]
}

//# loop_to_a_float
//! A loop to a float.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let n = 3.0;
    let mut s = 0.0;
    for i in 0..n {
//~             ^
//~ error: the bound of a loop must be an integer, found a float: write it without a point, as in
//~ `0..3`
        s += u[i];
    }
    [s, u[1], t]
}

//# noise
//! Noise from a random generator.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut rng = rand::rng();
//~               ^^^^^^^^^
//~ error: cannot call `rand::rng` in a right-hand side: its value would differ between calls, and
//~ the solver chooses the points of its calls; make it a parameter
    [u[0] + rng.random::<f64>(), u[1], rng.sample(StandardNormal)]
//~             ^^^^^^
//~ error: cannot call `random` in a right-hand side: its value would differ between calls, and the
//~ solver chooses the points of its calls; make it a parameter
//~                                        ^^^^^^
//~ error: cannot call `sample` in a right-hand side: its value would differ between calls, and the
//~ solver chooses the points of its calls; make it a parameter
}

//# print_of_c
//! Output, as in C and Julia.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    printf(t);
//~ ^^^^^^
//~ error: cannot call `printf` in a right-hand side: a lane has no output; print from the solution
    println(u[0]);
//~ ^^^^^^^
//~ error: cannot call `println` in a right-hand side: a lane has no output; print from the solution
    [u[0], u[1], t]
}

//# shared_memory
//! A table behind a lock.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let k = TABLE.lock().unwrap()[0];
//~               ^^^^
//~ error: cannot call `lock` in a right-hand side: lanes share no mutable memory, and the solver
//~ chooses the points of its calls; make a varying quantity a state, and a constant one a parameter
    [k * u[0], COUNTER.fetch_add(1), t]
//~                    ^^^^^^^^^
//~ error: cannot call `fetch_add` in a right-hand side: lanes share no mutable memory, and the
//~ solver chooses the points of its calls; make a varying quantity a state, and a constant one a
//~ parameter
}

//# steps_of_time
//! Time steps counted by hand.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    static mut LAST: f64 = 0.0;
//~ ^^^^^^
//~ error: `static mut` cannot be declared in a right-hand side: lanes share no mutable memory, and
//~ the solver chooses the points of its calls; make a varying quantity a state
    let dt = t - unsafe { LAST };
//~              ^^^^^^
//~ error: `unsafe` cannot be used in a right-hand side: the compiler proves every index, and lanes
//~ share no mutable memory, such as a `static mut`; remove it, and make a varying quantity a state
    [dt, u[1], t]
}

//# ternary_by_a_function
//! A choice by a function.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [ifelse(t > 5.0, u[0], 0.0), max(u[1], 0.0), abs(u[2])]
//~  ^^^^^^
//~ error: cannot call `ifelse` in a right-hand side: Rust has no such function; write `if condition
//~ { a } else { b }`; if it is your own function, declare it as a `fn` inside this function, or put
//~ `#[ode_fn]` above it and import it at the head of this function by `use self::ifelse;`
//~                              ^^^
//~ error: `max` is not a free function: it is a method of floats; write `x.max(y)`, or `f64::max(x,
//~ y)`
//~                                              ^^^
//~ error: `abs` is not a free function: it is a method of floats; write `x.abs()`, or `f64::abs(x)`
}

//# variable_without_let
//! A variable without `let`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    x = u[0];
//~ ^
//~ error: cannot find the variable `x`: declare it by `let x = …`
    [x, u[1], t]
}

//# variant_of_an_enum
//! An enum without a `match`.

use odes::ode_system;

#[derive(PartialEq)]
enum Phase {
    On,
}

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let on = Phase::On;
//~          ^^^^^^^^^
//~ error: a variant of an enum cannot be used in a right-hand side: enums are not supported, and a
//~ `match` accepts integers and truth values; write a condition, as in `let on = t < 5.0;` and `if
//~ on { … } else { … }`, or a parameter that is 0.0 or 1.0
    [if on == Phase::On { u[0] } else { 0.0 }, u[1], t]
}
