// Functions, methods and closures.

//# arguments_do_not_change
//! A function returns its results; it does not change its arguments.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn scale(x: &mut [f64; 2], by: f64) {
//~              ^^^
//~ error: a function inside a right-hand side cannot change its arguments: each value has only one
//~ name; return the new value, or a tuple of new values
        x[0] *= by;
        x[1] *= by;
    }
    let mut x = *u;
    scale(&mut x, 2.0);
//~       ^^^^^^
//~ error: `&mut` cannot be used in a right-hand side: each value has only one name; assign to the
//~ variable itself
    du[0] = x[1];
    du[1] = -x[0];
}

//# arguments_of_methods
//! Methods of floats also take a fixed number of arguments.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].sin(2.0);
//~              ^^^
//~ error: `sin` takes no arguments besides the number itself, found 1; correct the call
    du[1] = -u[0];
}

//# closures_do_not_assign
//! A closure captures values at its creation.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    let mut add = |x: f64| sum += x;
//~                        ^^^
//~ error: a closure cannot assign to `sum` in a right-hand side: it captures values at its
//~ creation; return the new value, and assign it at the call
    add(u[0]);
    add(u[1]);
    du[0] = sum;
    du[1] = u[0];
}

//# closures_have_names
//! A closure has a name before it is called.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = (|x: f64| x * x)(u[1]);
//~         ^^^^^^^^^^^^^^^^
//~ error: this cannot be called in a right-hand side: only functions known by name can be called;
//~ write the expression in place
    du[1] = -u[0];
}

//# elements_change_by_assignment
//! Assignments change the elements of an array; iterators do not.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du.iter_mut().zip(u).for_each(|(d, x)| *d = -x);
//~    ^^^^^^^^
//~ error: cannot call `iter_mut` in a right-hand side: only assignments change values; write `for i
//~ in 0..N` and assign to `x[i]`
}

//# functions_are_called
//! Functions and closures are called, values are not.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rate = p[0];
    du[0] = rate(u[0]);
//~         ^^^^
//~ error: cannot call a float: only functions and closures can be called; use the value itself
    du[1] = -u[1];
}

//# functions_as_values
//! A function of floats is a value by its path, and is called with as many arguments as it takes.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let sizes = u.map(f64::max);
//~                   ^^^^^^^^
//~ error: this function takes 2 arguments, but is called with 1; pass as many as it takes
    du[0] = -sizes[0];
    du[1] = f64::sin(u[1]);
}

//# functions_from_outside
//! A function from outside has `#[ode_fn]`, and a `use` names it.

use odes::ode_system;

fn saturation(x: f64) -> f64 {
    x / (1.0 + x.abs())
}

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = saturation(u[1]);
//~         ^^^^^^^^^^
//~ error: cannot call `saturation` in a right-hand side: its body is not visible here; declare it
//~ as a `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::saturation;` (both, even in the same file)
    du[1] = -u[0];
}

//# functions_inside
//! A function inside a block is called only where it is visible.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    {
        fn square(x: f64) -> f64 {
            x * x
        }
    }
    du[0] = square(u[1]);
//~         ^^^^^^
//~ error: cannot call `square` in a right-hand side: Rust has no such function; write `x * x`; if
//~ it is your own function, declare it as a `fn` inside this function, or put `#[ode_fn]` above it
//~ and import it at the head of this function by `use self::square;`
    du[1] = -u[0];
}

//# generic_over_lengths
//! A function inside may be generic only over lengths and numbers.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn same<T>(x: T) -> T {
//~         ^
//~ error: a function inside a right-hand side can be generic only over lengths and numbers: it is
//~ evaluated for the values of each call; write `const N: usize` or `R: Real`, or plain types, such
//~ as `f64` and `[f64; 3]`
        x
    }
    du[0] = same(u[1]);
    du[1] = -u[0];
}

//# iterators
//! The methods of iterators are those of the table above.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u.iter().filter(|x| **x > 0.0).sum::<f64>();
//~                  ^^^^^^
//~ error: cannot call `filter` in a right-hand side: the supported methods of iterators are `iter`,
//~ `rev`, `step_by`, `skip`, `take`, `enumerate`, `zip`, `map`, `fold`, `sum` and `product`; write
//~ `for i in 0..N` with an index
    du[1] = -u[0];
}

//# known_functions
//! The functions of floats are those of the table above.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].gamma();
//~              ^^^^^
//~ error: cannot call `gamma` in a right-hand side: there is no such function; write an
//~ approximation of it as a function, `fn gamma(x: f64) -> f64`
    du[1] = -u[0];
}

//# map_is_for_arrays
//! `map` and iterators need an array or a range.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].map(|x| 2.0 * x);
//~              ^^^
//~ error: `map` needs an array or a range, found a float: call it on an array, or use the value
//~ itself
    du[1] = -u[0];
}

//# methods_of_floats
//! Functions of floats are methods, or written `f64::name`.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = exp(-u[1]);
//~         ^^^
//~ error: `exp` is not a free function: it is a method of floats; write `x.exp()`, or `f64::exp(x)`
    du[1] = -u[0];
}

//# no_recursion
//! A function does not call itself.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn factorial(n: u32) -> f64 {
        if n == 0 { 1.0 } else { n as f64 * factorial(n - 1) }
//~                                         ^^^^^^^^^
//~ error: this function calls itself: a lane has no stack for recursion; write `for i in 0..N`
    }
    du[0] = u[1] / factorial(3);
    du[1] = -u[0];
}

//# not_itself
//! A right-hand side does not call itself.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    rule(du, u);
//~ ^^^^
//~ error: `rule` cannot call itself: a lane has no stack for recursion; write `for i in 0..N`
    du[0] = -u[0];
    du[1] = u[0];
}

//# nothing_is_collected
//! The items of an iterator are summed, or `map` makes an array.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x: Vec<f64> = u.iter().map(|x| 2.0 * x).collect();
//~        ^^^^^^^^
//~ error: `Vec` cannot be used in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
//~                                             ^^^^^^^
//~ error: cannot call `collect` in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
    du[0] = x[1];
    du[1] = -x[0];
}

//# number_of_arguments
//! A call passes as many arguments as the function has parameters.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn scaled(x: f64, by: f64) -> f64 {
        by * x
    }
    du[0] = scaled(u[1]);
//~         ^^^^^^
//~ error: this function takes 2 arguments, but is called with 1; pass as many as it takes
    du[1] = -u[0];
}

//# pow_is_for_integers
//! `pow` is for integers.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u[1].pow(2);
//~              ^^^
//~ error: `pow` needs an integer known at compile time, found a float; write `powi`, or multiply
    du[1] = -u[0];
}

//# powi_is_known
//! The exponent of `powi` is known at compile time; `powf` takes any other exponent.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = u[1].powi(p[0]);
//~              ^^^^
//~ error: the exponent of `powi` must be an integer known at compile time: `powi` is unrolled into
//~ multiplications; use `powf` for other exponents
    du[1] = -u[0];
}

//# safe_functions
//! A function inside is a plain function, not an `unsafe` one.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    unsafe fn twice(x: f64) -> f64 {
//~ ^^^^^^
//~ error: a function inside a right-hand side cannot be `unsafe`: it computes only with numbers;
//~ remove `unsafe`
        2.0 * x
    }
    du[0] = twice(u[1]);
    du[1] = -u[0];
}

//# sums_have_a_type
//! The type of an empty sum is written.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = (0..0).map(|i| u[i]).sum();
//~                              ^^^
//~ error: the type of this sum or product is not known, because it has no terms; write
//~ `sum::<f64>()`
    du[1] = -u[0];
}
