//! A lane has no output and cannot stop.

use odes::ode_system;

#[ode_system]
fn output(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], t: f64) {
    println!("t = {t}");
    du[0] = u[0];
}

#[ode_system]
fn stops(du: &mut [f64; 2], u: &[f64; 2], _p: &[f64; 0], _t: f64) {
    if u[0] < 0.0 {
        panic!("negative concentration");
    }
    assert!(u[1] > 0.0);
    du[0] = u[0];
    du[1] = Some(u[1]).unwrap();
}

#[ode_system]
fn unwraps(du: &mut [f64; 1], u: &[f64; 1], _p: &[f64; 0], _t: f64) {
    du[0] = u.first().unwrap() + u[0].unwrap();
}

fn main() {}
