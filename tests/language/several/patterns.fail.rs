//! Tuples, and patterns within patterns.

use odes::ode_system;

struct Pair {
    x: f64,
}

#[ode_system]
fn apart(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    let (a, [b, c, d]) = (p[0], *u);
    let (e, f) = (1.0, 2.0, 3.0);
    let Pair { x } = Pair { x: 1.0 };
    let pair = (a, 2);
    du[0] = pair.2 + pair[0];
    du[1] = -pair;
    let far = u[pair.1];
    let sum = pair + pair;
    if pair { du[0] = u.0 }
}

#[ode_system]
fn assignments(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 1], _t: f64) {
    let (mut x, mut y) = (p[0], 1.0);
    [x, y] = [1.0, 2.0, 3.0];
    (x, u[0]) = (y, x);
    (x, du[2]) = (1.0, 2.0);
    [x, y, ..] = [y];
    (x, one()) = (y, 0.0);
    pair.x = 1.0;
    let z;
    let late: (f64, f64);
    if u[0] > 0.0 {
        (z, _) = (1.0, 0.0);
        late = (1.0, 2.0);
    }
    [du[0], du[1]] = [z, late.1];
}

fn main() {}
