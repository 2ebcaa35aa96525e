// Mistakes of newcomers: arrays and indices.

//# copy_into_the_state
//! The state clipped in place.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    u[0] = u[0].max(0.0);
//~ ^^^^
//~ error: cannot assign to the state: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = u[0];`
    [u[0], u[1], t]
}

//# counted_from_one
//! Counted from one, as in MATLAB, Julia and R.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[1], u[2], u[3]]
//~                ^
//~ error: index 3 is out of range: the array has 3 elements, with indices 0 to 2
}

//# counted_from_one_in_a_loop
//! A loop from one, as in MATLAB, Julia and R.

use odes::ode_system;

#[ode_system]
fn chain(du: &mut [f64; 3], u: &[f64; 3]) {
    for i in 1..=3 {
        du[i] = -u[i];
//~        ^
//~ error: index 3 is out of range: the array has 3 elements, with indices 0 to 2 (in the iteration
//~ `i` = 3)
//~                ^
//~ error: index 3 is out of range: the array has 3 elements, with indices 0 to 2 (in the iteration
//~ `i` = 3)
    }
}

//# derivatives_by_parentheses
//! Derivatives by parentheses, as MATLAB and Fortran have them.

use odes::ode_system;

#[ode_system]
fn model(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1]) {
    du(1) = u[1];
//~ ^^^^^
//~ error: cannot assign to a call: indices are in brackets and start at 0; write the first element
//~ as `du[0]`
    du(2) = -p[0] * u[0];
//~ ^^^^^
//~ error: cannot assign to a call: indices are in brackets and start at 0; write the first element
//~ as `du[0]`
}

#[ode_system]
fn adds(du: &mut [f64; 1], u: &[f64; 1]) {
    du[0] = 0.0;
    du(1) += -u[0];
//~ ^^^^^
//~ error: cannot assign to a call: indices are in brackets and start at 0; write the first element
//~ as `du[0]`
}

//# elements_by_parentheses
//! Elements by parentheses, as MATLAB and Fortran have them.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u(1), u(2), u(3)]
//~  ^
//~ error: cannot call an array: indices are in brackets and start at 0, as in `u[0]`
//~        ^
//~ error: cannot call an array: indices are in brackets and start at 0, as in `u[0]`
//~              ^
//~ error: cannot call an array: indices are in brackets and start at 0, as in `u[0]`
}

//# elements_by_slice
//! Parts of the state by ranges.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let position = &u[0..2];
//~                   ^^^^
//~ error: an array cannot be indexed by a range in a right-hand side: an index is one integer;
//~ write `let [a, rest @ ..] = array;`, or an array of the elements
    let v = &u[2..];
//~            ^^^
//~ error: an array cannot be indexed by a range in a right-hand side: an index is one integer;
//~ write `let [a, rest @ ..] = array;`, or an array of the elements
    [v[0], position[1], t]
}

//# enumerate_without_iter
//! `enumerate` on an array.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut s = 0.0;
    for (i, x) in u.enumerate() {
//~                 ^^^^^^^^^
//~ error: an array has no `enumerate`: it is a method of iterators; write `.iter().enumerate()`
        s += x * i as f64;
    }
    [s, u[1], t]
}

//# fields_of_an_array
//! Fields of an array.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u.x, u.y, u[2]]
//~  ^^^
//~ error: an array has no field `x`: only structs have named fields; write `[0]`, or declare a
//~ struct with named fields in `#[ode_system] mod name { … }`
//~       ^^^
//~ error: an array has no field `y`: only structs have named fields; write `[0]`, or declare a
//~ struct with named fields in `#[ode_system] mod name { … }`
}

//# greatest_and_last
//! The greatest element and the last one, as options.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], p: &[f64; 2]) -> [f64; 2] {
    let m = u.iter().cloned().max_by(|a, b| a.partial_cmp(b).unwrap()).unwrap();
//~                           ^^^^^^
//~ error: cannot call `max_by` in a right-hand side: the supported methods of iterators are `iter`,
//~ `rev`, `step_by`, `skip`, `take`, `enumerate`, `zip`, `map`, `fold`, `sum` and `product`; write
//~ `for i in 0..N` with an index
    let last = p.last().unwrap();
//~              ^^^^
//~ error: cannot call `last` in a right-hand side: elements are read only by index; write
//~ `u[u.len() - 1]`
    [m, *last]
}

//# last_element_by_minus_one
//! The last element as `u[-1]`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [u[-1], u[1], t]
//~    ^^
//~ error: index -1 is out of range: the array has 3 elements, with indices 0 to 2; the last element
//~ has the index 2
}

//# linear_algebra
//! Vectors and matrices of a library.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let a = Matrix3::identity();
//~         ^^^^^^^^^^^^^^^^^
//~ error: cannot call `Matrix3::identity` in a right-hand side: vectors and matrices of libraries
//~ are not visible here; use arrays, such as `[f64; 3]` and `[[f64; 3]; 3]`
    let v = Vector3::new(u[0], u[1], u[2]);
//~         ^^^^^^^^^^^^
//~ error: cannot call `Vector3::new` in a right-hand side: vectors and matrices of libraries are
//~ not visible here; use arrays, such as `[f64; 3]` and `[[f64; 3]; 3]`
    let w = a * v;
    [w[0], w[1], w[2]]
}

//# mean_of_the_state
//! Statistics, as NumPy has them.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let m = u.iter().mean();
//~                  ^^^^
//~ error: cannot call `mean` in a right-hand side: there is no such function; write
//~ `u.iter().sum::<f64>() / u.len() as f64`
    let top = u.iter().max();
//~                    ^^^
//~ error: `max` takes two floats, `x.max(y)`; for an array write
//~ `v.iter().copied().fold(f64::NEG_INFINITY, f64::max)`
    let most = u.iter().copied().reduce(f64::max).unwrap();
//~                              ^^^^^^
//~ error: cannot call `reduce` in a right-hand side: the supported methods of iterators are `iter`,
//~ `rev`, `step_by`, `skip`, `take`, `enumerate`, `zip`, `map`, `fold`, `sum` and `product`; write
//~ `for i in 0..N` with an index
    [m, top, most]
}

//# new_array_for_derivatives
//! An array of the same name hides the derivatives.

use odes::ode_system;

#[ode_system]
fn model(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut du = [0.0; 2];
//~         ^^
//~ error: this variable hides the argument `du`, so `du[0]` and `du[1]` are not assigned: remove
//~ the `let`, and assign to `du[0]` and the other elements
    du[0] = u[1];
    du[1] = -u[0];
}

//# parameters_by_name
//! A parameter by text, as in a dict.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [p["k"] * u[0], u[1], t]
//~    ^^^
//~ error: elements have no names: an array is indexed by integers; write `p[0]`, or `let [a, b] =
//~ *p;`, or declare a struct with named fields in `#[ode_system] mod name { … }`
}

//# products_of_vectors
//! Products of vectors and norms, as libraries have them.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let a = u.dot(u);
//~           ^^^
//~ error: cannot call `dot` in a right-hand side: there is no such function; write
//~ `a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>()`
    let b = u.norm();
//~           ^^^^
//~ error: cannot call `norm` in a right-hand side: there is no such function; write
//~ `u.iter().map(|x| x * x).sum::<f64>().sqrt()`
    [a, b, u.sum()]
//~          ^^^
//~ error: an array has no `sum`: it is a method of iterators; write `.iter().sum::<f64>()`
}

//# ring_by_signed_remainder
//! The same with signed integers, whose remainders keep the sign.

use odes::ode_system;

#[ode_system]
fn ring(du: &mut [f64; 3], u: &[f64; 3]) {
    for i in 0..3_i32 {
        du[i as usize] = u[((i - 1) % 3) as usize] - u[i as usize];
//~                        ^^^^^^^^^^^^^^^^^^^^^^
//~ error: index -1 is out of range: the array has 3 elements, with indices 0 to 2; `as usize`
//~ converts a negative number to a huge one, and `%` keeps the sign: for a ring write `(i + n - 1)
//~ % n`, or `.rem_euclid(n)`, which is never negative (in the iteration `i` = 0)
    }
}

//# ring_by_unsigned_remainder
//! A ring of cells, with an index that goes below zero.

use odes::ode_system;

#[ode_system]
fn ring(du: &mut [f64; 3], u: &[f64; 3]) {
    for i in 0..3 {
        du[i] = u[(i - 1) % 3] - u[i];
//~                ^^^^^
//~ error: this integer is -1 here, which a `usize` cannot hold: Rust would panic; add before you
//~ subtract, as in `(i + n - 1) % n`
    }
}

//# rows_by_semicolon
//! Elements separated as in MATLAB.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 2], p: &[f64; 2], t: f64) -> [f64; 2] {
    [u[1]; -u[0]]
//~        ^^^^^
//~ error: `[x; n]` is an array of `n` elements `x`, and `n` must be an integer known at compile
//~ time: separate elements by commas, as in `[a, b]`
}

//# sorting
//! Methods that there are in Rust, and not here.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let mut v = *u;
    v.sort_by(|a, b| a.total_cmp(b));
//~   ^^^^^^^
//~ error: cannot call `sort_by` in a right-hand side: the order of floats differs between lanes,
//~ which run the same operations; compare by `<`, or write `let (low, high) = (x.min(y),
//~ x.max(y));` for each pair
    [v[0], v[1], v[2]]
}

//# state_in_place
//! The state overwritten in place.

use odes::ode_system;

#[ode_system]
fn model(u: &mut [f64; 1], t: f64) {
//~                           ^^^
//~ error: the state is missing: the first argument receives the derivatives, and the state comes
//~ second, as `u: &[f64; N]`; expected `fn name(du: &mut [f64; N], u: &[f64; N], p: &[f64; P], t:
//~ f64)` or `fn name(u: &[f64; N], p: &[f64; P], t: f64) -> [f64; N]`
    u[0] = -u[0];
}

//# sums_of_arrays
//! Sums of arrays without an iterator.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3]) -> [f64; 3] {
    let total = u.iter().sum();
    let m: f64 = u.sum();
//~                ^^^
//~ error: an array has no `sum`: it is a method of iterators; write `.iter().sum::<f64>()`
    let q = u.iter().map(|x| x * x).sum() / 3.0;
    [total, m, q]
}

//# swap
//! `std::mem::swap` and `&mut`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let (mut a, mut b) = (u[0], u[1]);
    std::mem::swap(&mut a, &mut b);
//~ ^^^^^^^^^^^^^^
//~ error: cannot call `std::mem::swap` in a right-hand side: only assignments change values; write
//~ `(a, b) = (b, a);`
    [a, b, t]
}

//# tuple_of_an_array
//! A state taken apart as a tuple.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let (x, y, z) = u;
//~     ^^^^^^^^^
//~ error: the pattern of an array has brackets: write `[x, y, z]`
    [x, y, z]
}

//# two_indices
//! The indices of NumPy and Julia.

use odes::ode_system;

#[ode_system]
fn rotation(u: &[f64; 2], _p: &[f64; 0], _t: f64) -> [f64; 2] {
    let a = [[0.0, 1.0], [-1.0, 0.0]];
    [a[0, 1] * u[1], a[1, 0] * u[0]]
//~     ^
//~ error: expected one of `.`, `?`, `]`, or an operator, found `,`
//~     ^
//~ error: this cannot be read as Rust: unexpected token, expected `]`; each index needs its own
//~ brackets, as in `a[i][j]`
}
