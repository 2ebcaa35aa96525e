//! The arm of a `match` is known at compile time.

use odes::ode_system;

const FIRST: i32 = 0;
const LAST: i32 = 0;

#[ode_system]
fn states(du: &mut [f64; 4], u: &[f64; 4], p: &[f64; 1], _t: f64) {
    du[0] = match u[0] > 0.0 {
        true => u[0],
        false => -u[0],
    };
    du[1] = match p[0] {
        0.0 => 1.0,
        x if x > 1.0 => x,
        _ => 2.0,
    };
    let k = if u[0] > 0.0 { 1 } else { 2 };
    du[2] = match k {
        1 => u[0],
        _ => u[1],
    };
    for i in 0..4 {
        match (i, u[i]) {
            (0, _) => {}
            (1, x) if x > 0.0 => du[3] = x,
            (_, x) => du[3] = x,
        }
    }
}

#[ode_system]
fn patterns(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2], _t: f64) {
    for i in 0..2 {
        du[i] = match i {
            FIRST => u[0],
            _ => u[1],
        };
        du[i] += match p[i] {
            0..=3 => 1.0,
            _ => 2.0,
        };
    }
    du[0] += match 3 {
        0..3 => 1.0,
    };
    du[0] += match 3 {
        FIRST..=LAST => 1.0,
        f64::MIN..0.0 => 2.0,
        _ => 0.0,
    };
    match Some(1) {
        Some(i) => du[i] = 0.0,
        None => {}
    }
    if let 1 = 2 - 1 {
        du[0] = 1.0;
    }
}

fn main() {}
