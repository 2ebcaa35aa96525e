// Several mistakes in a program: branches, loops and patterns.

//# loops
//! The number of iterations is known at compile time.

use odes::ode_system;

const ROUNDS: usize = 3;

#[ode_system]
fn conditional(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let mut x = u[0];
    while x > 1.0 {
//~       ^^^^^^^
//~ error: the condition of this `while` depends on the state: all lanes run the same iterations, so
//~ their number must be known at compile time; write `for i in 0..N` with the largest number of
//~ iterations, and an `if` inside
        x *= 0.5;
    }
    du[0] = x;
}

#[ode_system]
fn endless(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let mut x = u[0];
    loop {
        x *= 0.5;
        if x < 1.0 {
            break;
//~         ^^^^^
//~ error: this leaves the loop under a condition on the state: all lanes run the same iterations,
//~ so the condition must be known at compile time; put the rest of the body into an `if`, which
//~ computes both branches and selects
        }
    }
    du[0] = x;
}

#[ode_system]
fn forever(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let mut i = 0;
    while i < 10 {
//~ ^^^^^
//~ error: this loop has not ended after 100000 iterations: loops run at compile time, and each
//~ iteration adds its instructions; count an integer up to a bound, or write `for i in a..b`
        du[0] = u[0];
    }
    'outer: loop {
        loop {
            i += 1;
            if u[0] > 0.0 {
                continue 'outer;
//~             ^^^^^^^^^^^^^^^
//~ error: this leaves the loop under a condition on the state: all lanes run the same iterations,
//~ so the condition must be known at compile time; put the rest of the body into an `if`, which
//~ computes both branches and selects
            }
        }
    }
}

#[ode_system]
fn elements(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 2], t: f64) {
    du[0] = 0.0;
    for x in (u[0], t) {
//~          ^^^^^^^^^
//~ error: cannot loop over a tuple in a right-hand side: all lanes run the same iterations, known
//~ at compile time; loop over a range `a..b`, an array, or an iterator of these
        du[0] += x;
    }
    for i in (0..6).step_by(1 - 1).rev() {
//~                         ^^^^^
//~ error: a step of zero would panic in Rust: the loop would not end; use another step
        du[0] += p[i];
    }
    for x in p.iter().skip(t as usize) {
//~                        ^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
        du[0] += x;
    }
    for i in 0.. {
//~          ^^^
//~ error: a range needs both ends in a right-hand side: the iterations of a loop must be known at
//~ compile time; write `a..b`
        du[0] += p[i];
    }
    for x in &mut du {
//~          ^^^^^^^
//~ error: `&mut` cannot be used in a right-hand side: each value has only one name; assign to the
//~ variable itself
        x += 1.0;
    }
    for x in p.windows(2) {
//~            ^^^^^^^
//~ error: cannot call `windows` in a right-hand side: the supported methods of iterators are
//~ `iter`, `rev`, `step_by`, `skip`, `take`, `enumerate`, `zip`, `map`, `fold`, `sum` and
//~ `product`; write `for i in 0..N` with an index
        du[0] += x[0] * x[1];
    }
    for (i, [x]) in p.iter().enumerate() {
//~         ^^^
//~ error: cannot match a float against this pattern of length 1: the lengths must agree; name each
//~ element, or end with `..`
        du[0] += p[i + 1] * x;
//~                ^^^^^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1 (in the iteration
//~ `i` = 1)
    }
    break;
//~ ^^^^^
//~ error: there is no enclosing loop: `break` and `continue` work only in loops; remove this one
    for i in 0..2 {
        let out = |x: f64| {
            break 'outside;
//~         ^^^^^^^^^^^^^^
//~ error: no enclosing loop has the label `'outside` (in the iteration `i` = 0)
        };
        out(1.0);
    }
    let nothing = [0.0; 0].iter().sum();
//~                               ^^^
//~ error: the type of this sum or product is not known, because it has no terms; write
//~ `sum::<f64>()`
    let part = &p[0..1];
//~               ^^^^
//~ error: an array cannot be indexed by a range in a right-hand side: an index is one integer;
//~ write `let [a, rest @ ..] = array;`, or an array of the elements
}

#[ode_system]
fn outside(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], t: f64) {
    du[0] = 0.0;
    for _ in 0..ROUNDS {
//~             ^^^^^^
//~ error: the value of this constant is not visible here: a macro cannot see anything outside its
//~ item; declare the `const` inside this function, or in a module under `#[ode_system]`, or write
//~ the number
        du[0] += u[0];
    }
    for _ in 0..t as usize {
//~             ^^^^^^^^^^
//~ error: cannot convert a float to an integer in a right-hand side: integers must be known at
//~ compile time, and lanes would differ; select values by `if`, or interpolate in a table by
//~ `interp_linear(&TABLE, x)`
        du[0] += u[0];
    }
}

#[ode_system]
fn too_many(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = 0.0;
    for _ in 0..1000 {
        for _ in 0..1000 {
//~              ^^^^^^^
//~ error: this right-hand side has more than 597216 operations after its loops are unrolled, and
//~ the limit is 200000; use fewer iterations or fewer states, or raise the limit by
//~ `#[ode_system(limit = 5972160)]`
            du[0] += u[0];
        }
    }
}

#[ode_system]
fn endless_count(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = 0.0;
    for _ in 0..1_000_000_000_000_u64 {
//~          ^^^^^^^^^^^^^^^^^^^^^^^^
//~ error: this right-hand side takes too long to evaluate at compile time: each iteration of a loop
//~ and each element of an array is computed separately; use fewer iterations or smaller arrays
        du[0] += u[0];
    }
}

//# many_mistakes
//! All mistakes of a function are reported at once, in the order of the source.

use odes::ode_system;

#[ode_system]
fn many(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 2], t: f64) {
    let [x, y] = *u;
//~     ^^^^^^
//~ error: cannot match an array of 3 against this pattern of length 2: the lengths must agree; name
//~ each element, or end with `..`
    let sigma = p[0];
    let rates = vec![p[0], p[1]];
//~             ^^^^^^^^^^^^^^^^
//~ error: `vec!` cannot be used in a right-hand side: a lane cannot allocate; write an array of
//~ fixed size, such as `[0.0; 4]`
    if x > 0.0 {
        du[0] = 2 * u[0];
//~             ^^^^^^^^
//~ error: cannot mix a float and an integer: Rust has no implicit conversion; write the number with
//~ a point, as in `2.0`, or convert by `as f64`
    } else {
        du[0] = p[2] * sgima;
//~               ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
//~                    ^^^^^
//~ error: cannot find the variable `sgima`: only arguments, variables and constants (in capitals)
//~ are visible in a right-hand side; did you mean `sigma`?
    }
    u[1] = 0.0;
//~ ^^^^
//~ error: cannot assign to the state: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = u[0];`
    du[1] = u[t as usize].erf();
//~                       ^^^
//~ error: cannot call `erf` in a right-hand side: there is no such function; write an approximation
//~ of it as a function, `fn erf(x: f64) -> f64`
    match p[0] {
        _ => println!("{x}"),
//~          ^^^^^^^^^^^^^^^
//~ error: `println!` cannot be used in a right-hand side: a lane has no output; print from the
//~ solution
    }
}

fn main() {
    // What uses the system has no further errors.
    let system = many;
    let mut du = [0.0; 3];
    many::call(&mut du, &[0.0; 3], &[0.0; 2], 0.0);
    let _ = system;
}

//# matches
//! The arm of a `match` is known at compile time.

use odes::ode_system;

const FIRST: i32 = 0;
const LAST: i32 = 0;

#[ode_system]
fn states(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 1], _t: f64) {
    du[0] = match u[0] > 0.0 {
//~               ^^^^^^^^^^
//~ error: this value depends on the state: the arm of a `match` must be known at compile time, and
//~ lanes would differ; write `if … { … } else { … }`, which computes both branches and selects
        true => u[0],
        false => -u[0],
    };
    du[1] = match p[0] {
        0.0 => 1.0,
//~     ^^^
//~ error: a float cannot be a pattern in a right-hand side: its value is not known at compile time;
//~ write comparisons, as in `if x < 1.0 { … } else { … }`
        x if x > 1.0 => x,
        _ => 2.0,
    };
    let k = if u[0] > 0.0 { 1 } else { 2 };
    du[2] = match k {
//~               ^
//~ error: this value depends on the state: the arm of a `match` must be known at compile time, and
//~ lanes would differ; write `if … { … } else { … }`, which computes both branches and selects
        1 => u[0],
        _ => u[1],
    };
    for i in 0..4 {
        match (i, u[i]) {
            (0, _) => {}
            (1, x) if x > 0.0 => du[3] = x,
//~                   ^^^^^^^
//~ error: this guard depends on the state: the arm of a `match` must be known at compile time;
//~ write an `if` inside the arm (in the iteration `i` = 1)
            (_, x) => du[3] = x,
        }
    }
}

#[ode_system]
fn patterns(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    for i in 0..2 {
        du[i] = match i {
            FIRST => u[0],
//~         ^^^^^
//~ error: the value of `FIRST` is not visible here: a macro cannot see a constant from outside;
//~ write the number, or declare the constant inside the function (in the iteration `i` = 0)
            _ => u[1],
        };
        du[i] += match p[i] {
//~                    ^^^^
//~ error: cannot match a float against this pattern: a `match` accepts integers and truth values
//~ known at compile time; write `if … { … } else { … }` (in the iteration `i` = 0)
            0..=3 => 1.0,
            _ => 2.0,
        };
    }
    du[0] += match 3 {
//~                ^
//~ error: no arm of this `match` matches its value here; add `_ => …`
        0..3 => 1.0,
    };
    du[0] += match 3 {
        FIRST..=LAST => 1.0,
//~     ^^^^^
//~ error: this value is not visible here: a macro cannot see a constant from outside; write the
//~ number, or declare the constant inside the function
        f64::MIN..0.0 => 2.0,
        _ => 0.0,
    };
    match Some(1) {
//~       ^^^^
//~ error: `Some` cannot be used in a right-hand side: options and enums are not supported; use the
//~ number itself
        Some(i) => du[i] = 0.0,
//~     ^^^^^^^
//~ error: a variant of an enum cannot be used in a right-hand side: enums are not supported, and a
//~ `match` accepts integers and truth values; write a condition, as in `let on = t < 5.0;` and `if
//~ on { … } else { … }`, or a parameter that is 0.0 or 1.0
        None => {}
    }
    if let 1 = 2 - 1 {
//~    ^^^^^^^^^^^^^
//~ error: `if let` cannot be used in a right-hand side: options and enums are not supported; write
//~ a comparison
        du[0] = 1.0;
    }
}

//# patterns
//! Tuples, and patterns within patterns.

use odes::ode_system;

struct Pair {
    x: f64,
}

#[ode_system]
fn apart(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let (a, [b, c, d]) = (p[0], *u);
//~         ^^^^^^^^^
//~ error: cannot match an array of 2 against this pattern of length 3: the lengths must agree; name
//~ each element, or end with `..`
    let (e, f) = (1.0, 2.0, 3.0);
//~     ^^^^^^
//~ error: cannot match a tuple of 3 against this pattern of length 2: the lengths must agree; name
//~ each element, or end with `..`
    let Pair { x } = Pair { x: 1.0 };
//~     ^^^^^^^^^^
//~ error: this pattern is not supported in a right-hand side: patterns are names, `_`, arrays,
//~ tuples and structs of these; write one `let` for each value
//~                  ^^^^
//~ error: a struct from outside cannot be used in a right-hand side: its fields are not visible
//~ here; declare it in the same module under `#[ode_system]`, or use a tuple or an array
    let pair = (a, 2);
    du[0] = pair.2 + pair[0];
//~         ^^^^^^
//~ error: this tuple has no field `2`: it has 2 elements, and the first one is `.0`
//~                  ^^^^^^^
//~ error: cannot index a tuple: only arrays have elements; use the value itself
    du[1] = -pair;
//~         ^^^^^
//~ error: cannot negate a tuple: only numbers have a sign; negate each element, as in `v.map(|x|
//~ -x)`
    let far = u[pair.1];
//~             ^^^^^^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
    let sum = pair + pair;
//~           ^^^^^^^^^^^
//~ error: cannot compute with a tuple and a tuple: arithmetic needs numbers; write it for each
//~ element, as in `v.map(|x| 2.0 * x)`
    if pair { du[0] = u.0 }
//~    ^^^^
//~ error: expected a condition here, found a tuple: a branch needs a condition; write a comparison
//~                   ^^^
//~ error: an array has no field `0`: only tuples have numbered fields; write elements of arrays as
//~ `[0]`
}

#[ode_system]
fn assignments(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let (mut x, mut y) = (p[0], 1.0);
    [x, y] = [1.0, 2.0, 3.0];
//~ ^^^^^^
//~ error: cannot match an array of 3 against this pattern of length 2: the lengths must agree; name
//~ each element, or end with `..`
    (x, u[0]) = (y, x);
//~     ^^^^
//~ error: cannot assign to the state: it belongs to the solver, which chooses the points of its
//~ calls; make a copy first, as in `let mut x = u[0];`
    (x, du[2]) = (1.0, 2.0);
//~        ^
//~ error: index 2 is out of range: the array has 2 elements, with indices 0 to 1
    [x, y, ..] = [y];
//~ ^^^^^^^^^^
//~ error: cannot match an array of 1 against this pattern of length 2: the lengths must agree; name
//~ each element, or end with `..`
    (x, one()) = (y, 0.0);
//~     ^^^^^
//~ error: cannot assign to this in a right-hand side: only variables and elements of arrays and
//~ tuples can be assigned; write one assignment for each value
    pair.x = 1.0;
//~ ^^^^
//~ error: cannot find the variable `pair`: declare it by `let pair = …`
    let z;
    let late: (f64, f64);
    if u[0] > 0.0 {
        (z, _) = (1.0, 0.0);
        late = (1.0, 2.0);
    }
    [du[0], du[1]] = [z, late.1];
}

//# recursion
//! A lane has no stack.

use odes::ode_system;

#[ode_system]
fn itself(u: &[f64; 1], p: &[f64; 1], t: f64) -> [f64; 1] {
    if t > 1.0 { itself(u, p, t - 1.0) } else { [u[0]] }
//~              ^^^^^^
//~ error: `itself` cannot call itself: a lane has no stack for recursion; write `for i in 0..N`
}

//# return_in_the_middle
//! Both branches of an `if` are computed.

use odes::ode_system;

#[ode_system]
fn early(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
    if u[0] < 0.0 {
        return [0.0];
//~     ^^^^^^
//~ error: `return` cannot be used in a right-hand side: both branches of an `if` are computed and
//~ one is selected; write `if … { … } else { … }`, with the value as its last expression
    }
    [-u[0]]
}

#[ode_system]
fn nothing(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], t: f64) {
    du[0] = u[0];
    if t > 1.0 {
        return;
//~     ^^^^^^
//~ error: `return` cannot be used in a right-hand side: both branches of an `if` are computed and
//~ one is selected; write `if … { … } else { … }`, with the value as its last expression
    }
    du[0] = 0.0;
}
