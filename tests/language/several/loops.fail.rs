//! The number of rounds is known at compile time.

use odes::ode_system;

const ROUNDS: usize = 3;

#[ode_system]
fn conditional(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let mut x = u[0];
    while x > 1.0 {
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
        }
    }
    du[0] = x;
}

#[ode_system]
fn forever(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    let mut i = 0;
    while i < 10 {
        du[0] = u[0];
    }
    'outer: loop {
        loop {
            i += 1;
            if u[0] > 0.0 {
                continue 'outer;
            }
        }
    }
}

#[ode_system]
fn elements(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 2], t: f64) {
    du[0] = 0.0;
    for x in (u[0], t) {
        du[0] += x;
    }
    for i in (0..6).step_by(1 - 1).rev() {
        du[0] += p[i];
    }
    for x in p.iter().skip(t as usize) {
        du[0] += x;
    }
    for i in 0.. {
        du[0] += p[i];
    }
    for x in &mut du {
        x += 1.0;
    }
    for x in p.windows(2) {
        du[0] += x[0] * x[1];
    }
    for (i, [x]) in p.iter().enumerate() {
        du[0] += p[i + 1] * x;
    }
    break;
    for i in 0..2 {
        let out = |x: f64| {
            break 'outside;
        };
        out(1.0);
    }
    let nothing = [0.0; 0].iter().sum();
    let part = &p[0..1];
}

#[ode_system]
fn outside(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], t: f64) {
    du[0] = 0.0;
    for _ in 0..ROUNDS {
        du[0] += u[0];
    }
    for _ in 0..t as usize {
        du[0] += u[0];
    }
}

#[ode_system]
fn too_many(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = 0.0;
    for _ in 0..1000 {
        for _ in 0..1000 {
            du[0] += u[0];
        }
    }
}

#[ode_system]
fn endless_count(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = 0.0;
    for _ in 0..1_000_000_000_000_u64 {
        du[0] += u[0];
    }
}

fn main() {}
