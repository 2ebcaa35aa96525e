// Mistakes of newcomers: whole models after programs in other languages.

//# bouncing_ball_with_state
//! A ball that bounces by changes of the state within the right-hand side, with a Newton iteration
//! until it converges, and random gusts.

use odes::ode_system;

#[ode_system]
fn ball(du: &mut [f64; 2], u: &mut [f64; 2], p: &[f64; 2], t: f64) {
//~                           ^^^^^^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    if u[0] < 0.0 {
        u[0] = -u[0];
        u[1] *= -p[1];
    }
    let mut speed = u[1].abs();
    while (speed * speed - p[0]).abs() > 1e-9 {
        speed -= (speed * speed - p[0]) / (2 * speed);
    }
    let gust: f64 = rand::random();
//~                 ^^^^^^^^^^^^
//~ error: cannot call `rand::random` in a right-hand side: its value would differ between calls,
//~ and the solver chooses the points of its calls; make it a parameter
    du[0] = u[1];
    du[1] = -9.81 + gust * speed;
}

//# day_of_the_year
//! The day as an index.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let day = t.floor() as usize % 7;
//~           ^^^^^^^^^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    let table = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0];
    [table[day], u[1], if t % 24 < 8 { 1.0 } else { 0.0 }]
//~                       ^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
}

//# heat_equation_by_parts
//! The heat equation in one dimension with the length as a constant, slices of the state, and
//! neighbours beyond the ends.

use odes::ode_system;

const N: usize = 16;

#[ode_system]
fn heat(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1], _t: f64) {
//~                    ^
//~ error: the length must be a number here: a macro cannot see the value of a constant outside;
//~ write the number, such as `[f64; 3]`, or put the constant and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
//~                                  ^
//~ error: the length must be a number here: a macro cannot see the value of a constant outside;
//~ write the number, such as `[f64; 3]`, or put the constant and the function, as `fn rhs`, into
//~ `#[ode_system] mod name { … }`
    let dx = 1.0 / (N - 1);
    for i in 0..N {
        du[i] = p[0] * (u[i + 1] - 2.0 * u[i] + u[i - 1]) / dx.powi(2);
    }
    let inner = &u[1..N - 1];
//~                ^^^^^^^^
//~ error: an array cannot be indexed by a range in a right-hand side: an index is one integer;
//~ write `let [a, rest @ ..] = array;`, or an array of the elements
    du[0] = inner.first().unwrap() - u[0];
//~               ^^^^^
//~ error: cannot call `first` in a right-hand side: elements are read and written only by index;
//~ write `u[0]`
}

//# heating_by_a_table
//! A house heated after a table of the weather, looked up by the hour.

use odes::ode_system;

const WEATHER: [f64; 24] = [8.0; 24];

#[ode_system]
fn house(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 2], t: f64) {
    let hour = (t / 3600.0) as usize % 24;
//~            ^^^^^^^^^^^^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    let outside = WEATHER[hour];
    let heating = match u[0] < 18.0 {
//~                     ^^^^^^^^^^^
//~ error: this value depends on the state: the arm of a `match` must be known at compile time, and
//~ lanes would differ; write `if … { … } else { … }`, which computes both branches and selects
        true => p[1],
        false => 0.0,
    };
    du[0] = p[0] * (outside - u[0]) + heating;
}

//# hodgkin_huxley_from_javascript
//! A gate of Hodgkin and Huxley's after a page in JavaScript: `Math.exp`, and a ternary operator's
//! `if` on a number.

use odes::ode_system;

#[ode_system]
fn gate(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], t: f64) {
    let v = u[0];
    let alpha = 0.1 * (v + 40.0) / (1.0 - Math.exp(-(v + 40.0) / 10.0));
//~                                       ^^^^
//~ error: `Math` is not a module of Rust: mathematical functions are methods of floats; write
//~ `x.exp()`, or `f64::exp(x)`
    let beta = 4.0 * Math.exp(-(v + 65.0) / 18.0);
//~                  ^^^^
//~ error: `Math` is not a module of Rust: mathematical functions are methods of floats; write
//~ `x.exp()`, or `f64::exp(x)`
    let current = if p[0] { 10.0 } else { 0.0 };
//~                  ^^^^
//~ error: expected a condition here, found a float: a branch needs a condition; write a comparison
    du[0] = current - 0.3 * (v + 54.4);
    du[1] = alpha * (1.0 - u[1]) - beta * u[1];
}

//# hours_of_the_day
//! Hours of the day as integers.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 1], t: f64) -> [f64; 1] {
    let day = (t / 24.0) as i32;
//~           ^^^^^^^^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    let hour = t as i64 % 24;
//~            ^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
    [if day == 3 { 1.0 } else { hour as f64 } - u[0]]
}

//# lorenz_from_scipy
//! Lorenz's equations after the example of SciPy's `solve_ivp`, with slices and a `Vec`.

use odes::ode_system;

#[ode_system]
fn lorenz(t: f64, y: &[f64], sigma: f64, rho: f64, beta: f64) -> Vec<f64> {
//~       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: there are 5 arguments, and at most 3 are allowed here: all parameters are one array;
//~ expected the arguments of `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t: f64)` or
//~ `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    let x = y[0];
    let dx = sigma * (y[1] - x);
    let dy = x * (rho - y[2]) - y[1];
    let dz = x * y[1] - beta * y[2];
    vec![dx, dy, dz]
//~ ^^^^^^^^^^^^^^^^
//~ error: `vec!` cannot be used in a right-hand side: a lane cannot allocate; write an array of
//~ fixed size, such as `[0.0; 4]`
}

//# lotka_volterra_from_julia
//! Lotka and Volterra's predators after Julia's tutorial: parameters and states by name, `2x`-style
//! integers, and a forgotten `&mut`.

use odes::ode_system;

#[ode_system]
fn lotka_volterra(du: [f64; 2], u: [f64; 2], p: [f64; 4], t: f64) {
//~                   ^^^^^^^^
//~ error: expected `&mut [f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64;
//~ P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                                ^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
//~                                             ^^^^^^^^
//~ error: expected `&[f64; N]` here, as in `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P],
//~ t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    let (alpha, beta, delta, gamma) = p;
    du[0] = alpha * u.x - beta * u.x * u.y;
    du[1] = -delta * u.y + gamma * u.x * u.y;
}

//# pendulum_from_c
//! A driven pendulum after a program in C: free functions, `M_PI`, `pow`, one expression for two
//! assignments.

use odes::ode_system;

const M_PI: f64 = 3.14159265358979;

#[ode_system]
fn pendulum(dydt: &mut [f64; 2], y: &[f64; 2], p: &[f64; 3], t: f64) {
    let mut drive = 0;
    drive = p[0] * cos(2 * M_PI * p[1] * t);
//~                ^^^
//~ error: `cos` is not a free function: it is a method of floats; write `x.cos()`, or `f64::cos(x)`
    dydt[0] = y[1];
    dydt[1] = -sin(y[0]) - p[2] * y[1] + drive - pow(fabs(y[1]), 2.0);
//~            ^^^
//~ error: `sin` is not a free function: it is a method of floats; write `x.sin()`, or `f64::sin(x)`
//~                                              ^^^
//~ error: `pow` is not a free function: it is a method of floats; write `x.powf(y)`, or
//~ `f64::powf(x, y)`
}

//# robertson_with_fields
//! Robertson's reactions with a struct of rates from outside.

use odes::ode_system;

struct Rates {
    k1: f64,
    k2: f64,
    k3: f64,
}

#[ode_system]
fn robertson(du: &mut [f64; 3], u: &[f64; 3], p: &Rates, _t: f64) {
//~                                               ^^^^^
//~ error: expected `[f64; N]` here: a macro cannot see the declaration of this type; write the
//~ array instead of an alias, and put a struct with named fields, and the function as `fn rhs`,
//~ into `#[ode_system] mod name { … }`; the forms are `fn name(du: &mut [f64; N], u: &[f64; N], p:
//~ &[f64; P], t: f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    let [a, b, c] = *u;
    du[0] = -p.k1 * a + p.k3 * b * c;
    du[1] = p.k1 * a - p.k2 * b.pow(2) - p.k3 * b * c;
    du[2] = p.k2 * b.pow(2);
}

//# sir_with_helpers
//! An epidemic with a function outside, an early `return`, and output to debug it.

use odes::ode_system;

fn contacts(t: f64) -> f64 {
    1.0 + 0.3 * (t / 365.0).cos()
}

#[ode_system]
fn sir(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 2], t: f64) {
    let n = u.iter().sum();
    if n == 0 {
//~    ^^^^^^
//~ error: cannot compare a float with an integer: Rust has no implicit conversion; write the number
//~ with a point, as in `2.0`, or convert by `as f64`
        return;
//~     ^^^^^^
//~ error: `return` cannot be used in a right-hand side: both branches of an `if` are computed and
//~ one is selected; write `if … { … } else { … }`, with the value as its last expression
    }
    let infections = p[0] * contacts(t) * u[0] * u[1] / n;
//~                         ^^^^^^^^
//~ error: cannot call `contacts` in a right-hand side: its body is not visible here; declare it as
//~ a `fn` inside this function, or put `#[ode_fn]` above it and import it at the head of this
//~ function by `use self::contacts;` (both, even in the same file)
    println!("{t}: {infections}");
//~ ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: `println!` cannot be used in a right-hand side: a lane has no output; print from the
//~ solution
    du[0] = -infections;
    du[1] = infections - p[1] * u[1];
    du[2] = p[1] * u[1];
}

//# van_der_pol_from_matlab
//! Van der Pol's oscillator after MATLAB's `vdp1`: indices from 1, `^` for powers, integers.

use odes::ode_system;

#[ode_system]
fn vdp1(dydt: &mut [f64; 2], y: &[f64; 2], mu: &[f64; 1], t: f64) {
    dydt[1] = y[2];
//~             ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
    dydt[2] = mu[1] * (1 - y[1]^2) * y[2] - y[1];
//~      ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
//~              ^
//~ error: index 1 is out of range: the array has 1 element, with index 0
//~                            ^
//~ error: `^` is not a power in Rust, and bit operators are not supported; write `x.powi(2)` for
//~ known integers, or `x.powf(y)`
//~                                    ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
}
