// Several mistakes in a program: functions and names.

//# allocation
//! A lane cannot allocate.

use odes::ode_system;

#[ode_system]
fn vectors(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let rates = vec![p[0]; 2];
//~             ^^^^^^^^^^^^^
//~ error: `vec!` cannot be used in a right-hand side: a lane cannot allocate; write an array of
//~ fixed size, such as `[0.0; 4]`
    let mut copy: Vec<f64> = Vec::with_capacity(2);
//~               ^^^^^^^^
//~ error: `Vec` cannot be used in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
//~                          ^^^^^^^^^^^^^^^^^^
//~ error: `Vec` cannot be used in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
    copy.push(u[0]);
//~      ^^^^
//~ error: cannot call `push` in a right-hand side: a lane cannot allocate; use an array of fixed
//~ size, such as `[0.0; 4]`
    du[0] = rates[0];
    du[1] = copy[0];
}

#[ode_system]
fn boxes(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let boxed = Box::new(u[0]);
//~             ^^^^^^^^
//~ error: `Box` cannot be used in a right-hand side: a lane cannot allocate; use the value itself
    du[0] = *boxed;
}

#[ode_system]
fn text(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let label = format!("{}", u[0]);
//~             ^^^^^^^^^^^^^^^^^^^
//~ error: `format!` cannot be used in a right-hand side: a lane cannot allocate; format text from
//~ the solution
    let other = String::from("x");
//~             ^^^^^^^^^^^^
//~ error: `String` cannot be used in a right-hand side: a lane cannot allocate; format text from
//~ the solution
    du[0] = u[0];
}

//# effects
//! A lane has no output and cannot stop.

use odes::ode_system;

#[ode_system]
fn output(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], t: f64) {
    println!("t = {t}");
//~ ^^^^^^^^^^^^^^^^^^^
//~ error: `println!` cannot be used in a right-hand side: a lane has no output; print from the
//~ solution
    du[0] = u[0];
}

#[ode_system]
fn stops(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    if u[0] < 0.0 {
        panic!("negative concentration");
//~     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: `panic!` cannot be used in a right-hand side: a lane cannot stop; let the value become
//~ `f64::NAN`, which ends the trajectory with the code `NonFinite`
    }
    assert!(u[1] > 0.0);
//~ ^^^^^^^^^^^^^^^^^^^
//~ error: `assert!` cannot be used in a right-hand side: a lane cannot stop; let the value become
//~ `f64::NAN`, which ends the trajectory with the code `NonFinite`
    du[0] = u[0];
    du[1] = Some(u[1]).unwrap();
//~         ^^^^
//~ error: `Some` cannot be used in a right-hand side: options and enums are not supported; use the
//~ number itself
}

#[ode_system]
fn unwraps(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = u.first().unwrap() + u[0].unwrap();
//~           ^^^^^
//~ error: cannot call `first` in a right-hand side: elements are read and written only by index;
//~ write `u[0]`
//~                                   ^^^^^^
//~ error: cannot call `unwrap` in a right-hand side: a lane cannot stop, and options are not
//~ supported; use the number itself
}

//# functions
//! Functions inside a right-hand side, and closures.

use odes::ode_system;

const LENGTH: usize = 2;

#[ode_system]
fn closures(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], t: f64) {
    let mut count = 0.0;
    let mut add = |x: f64| count += x;
//~                        ^^^^^
//~ error: a closure cannot assign to `count` in a right-hand side: it captures values at its
//~ creation; return the new value, and assign it at the call
    add(u[0]);
    let rate = p[0];
    du[0] = rate(u[0]);
//~         ^^^^
//~ error: cannot call a float: only functions and closures can be called; use the value itself
    let rates: [f64; LENGTH] = std::array::from_fn(|i| u[i]);
//~                  ^^^^^^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
    let sum = std::array::from_fn(|i| u[i]).iter().sum::<f64>();
//~           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: the length of this array is not known here: a macro cannot see inferred types; write the
//~ length, as in `let x: [f64; 3] = std::array::from_fn(…);`
    let far = |i: usize| u[i + 1];
//~                        ^^^^^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1 (in the iteration
//~ `i` = 1)
    for i in 0..2 {
        du[i] = far(i) + t.map(|x| x + 1.0);
//~                        ^^^
//~ error: `map` needs an array or a range, found a float: call it on an array, or use the value
//~ itself (in the iteration `i` = 0)
    }
    let exit = |x: f64| {
        if x > 0.0 {
            return 1.0;
//~         ^^^^^^
//~ error: `return` cannot be used in a right-hand side: both branches of an `if` are computed and
//~ one is selected; write `if … { … } else { … }`, with the value as its last expression
        }
        x
    };
    du[1] = exit(u[1]);
}

#[ode_system]
fn functions(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    fn factorial(n: u32) -> f64 {
        if n == 0 { 1.0 } else { n as f64 * factorial(n - 1) }
//~                                         ^^^^^^^^^
//~ error: this function calls itself: a lane has no stack for recursion; write `for i in 0..N`
    }
    fn even(n: u32) -> bool {
        n == 0 || odd(n - 1)
    }
    fn odd(n: u32) -> bool {
        n != 0 && even(n - 1)
//~               ^^^^
//~ error: `even` calls `odd`, which calls `even`: a lane has no stack for recursion; write `for i
//~ in 0..N`
    }
    fn double<const N: usize>(x: [f64; N]) -> [f64; N] {
        x.map(|x| 2.0 * x)
    }
    fn scale(x: &mut [f64; 2], by: f64) {
//~              ^^^
//~ error: a function inside a right-hand side cannot change its arguments: each value has only one
//~ name; return the new value, or a tuple of new values
        x[0] *= by;
    }
    unsafe fn dangerous(x: f64) -> f64 {
//~ ^^^^^^
//~ error: a function inside a right-hand side cannot be `unsafe`: it computes only with numbers;
//~ remove `unsafe`
        x
    }
    fn print(x: f64) -> f64 {
        println!("{x}");
//~     ^^^^^^^^^^^^^^^
//~ error: `println!` cannot be used in a right-hand side: a lane has no output; print from the
//~ solution
        outside(x)
//~     ^^^^^^^
//~ error: cannot call `outside` in a right-hand side: its body is not visible here; declare it as a
//~ `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::outside;` (both, even in the same file)
    }
    fn beyond(x: [f64; 2], i: usize) -> f64 {
        x[i - 1]
//~       ^^^^^
//~ error: index -1 is out of range: the array has 2 elements, with indices 0 to 1
    }
    let x = double(*u);
    let many = beyond(x, 1, 2);
//~            ^^^^^^
//~ error: this function takes 2 arguments, but is called with 3; pass as many as it takes
    du[0] = factorial(3) + print(x[0]);
    du[1] = if even(4) { beyond(*u, 0) } else { hidden(1.0) };
//~                                             ^^^^^^
//~ error: cannot call `hidden` in a right-hand side: its body is not visible here; declare it as a
//~ `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::hidden;` (both, even in the same file)
    {
        fn hidden(x: f64) -> f64 {
            x
        }
    }
}

fn outside(x: f64) -> f64 {
    x
}

//# unknown_function
//! Functions are found by name.

use odes::ode_system;

fn saturation(x: f64) -> f64 {
    x / (1.0 + x)
}

#[ode_system]
fn helper(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = saturation(u[0]);
//~         ^^^^^^^^^^
//~ error: cannot call `saturation` in a right-hand side: its body is not visible here; declare it
//~ as a `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::saturation;` (both, even in the same file)
}

#[ode_system]
fn methods(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 1], _t: f64) {
    du[0] = u[0].pow(2);
//~              ^^^
//~ error: `pow` needs an integer known at compile time, found a float; write `powi`, or multiply
    du[1] = u.iter().filter(|x| x > p[0]).sum();
//~                  ^^^^^^
//~ error: cannot call `filter` in a right-hand side: the supported methods of iterators are `iter`,
//~ `rev`, `step_by`, `skip`, `take`, `enumerate`, `zip`, `map`, `fold`, `sum` and `product`; write
//~ `for i in 0..N` with an index
    du[2] = u[2].gamma();
//~              ^^^^^
//~ error: cannot call `gamma` in a right-hand side: there is no such function; write an
//~ approximation of it as a function, `fn gamma(x: f64) -> f64`
}

//# unknown_variable
//! Variables belong to the function.

use odes::ode_system;

#[ode_system]
fn misspelled(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let [alpha, beta] = *p;
    du[0] = alpa * u[0];
//~         ^^^^
//~ error: cannot find the variable `alpa`: only arguments, variables and constants (in capitals)
//~ are visible in a right-hand side; did you mean `alpha`?
    du[1] = beta * gamma;
//~                ^^^^^
//~ error: cannot find the variable `gamma`: only arguments, variables and constants (in capitals)
//~ are visible in a right-hand side; declare it here by `let gamma = …`, make it a parameter, or
//~ use a constant `GAMMA`
}

//# actions_of_functions
//! Mistakes in the actions of a function.

use odes::ode_system;

#[ode_system]
#[event(falling, ground = u[0])]
#[action(ground, u[0] = 0.0, u[1] = -u[1], u[1] = 0.0)]
//~                                        ^^^^
//~ error: this component is assigned twice: all values refer to the state before the action; write
//~ one value
#[action(ground, p[0] = 0.0)]
//~              ^^^^^^^^^^
//~ error: expected an assignment to the state `u` here, as in `#[action(ground, u[0] = 0.0, u[1] =
//~ -u[1])]`; a delay is written as in `#[action(ground, after = p[0], u[0] = 0.0)]`
#[action(ground, u[0] = 0.0)]
#[action(ground, u[1] = 0.0)]
//~      ^^^^^^
//~ error: `ground` already has such an action: an event has one action without a delay, and one
//~ with `after = …`; put all assignments into one attribute
#[action(grond, u[0] = 0.0)]
#[at(kick, first = 1.0, evry = 2.0, u[2] = 1.0)]
#[at(push, u[0], u[0] += 1.0)]
fn rule(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
    [u[1], -p[0]]
}

//# places_of_actions_of_functions
//! Mistakes in the events, times and components of a function's actions.

use odes::ode_system;

#[ode_system]
#[event(falling, ground = u[0])]
#[action(grond, u[0] = 0.0)]
//~      ^^^^^
//~ error: there is no event `grond`: did you mean `ground`?
#[action(ground, u[2] = 1.0)]
//~                ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
#[at(kick, first = 1.0, evry = 2.0, u[1] = 1.0)]
//~                     ^^^^
//~ error: `evry` is not an argument of `#[at]`: did you mean `every`?
#[at(push, u[0], u[0] += 1.0)]
//~        ^^^^
//~ error: the times of an action cannot depend on the state, the time or modes: they are computed
//~ from the parameters before the solve; for an action that depends on the state, write an
//~ `#[event(…)]` with an `#[action(…)]`
fn rule(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    [u[1], -p[0] * t]
}
