//! The two forms of a right-hand side.

use odes::ode_system;

#[ode_system]
fn no_arguments() {}

#[ode_system]
fn slices(du: &mut [f64], u: &[f64], p: &[f64], t: f64) {}

#[ode_system]
fn lengths(du: &mut [f64; 2], u: &[f64; 3], p: &[f64; 1], t: f64) {}

const N: usize = 2;

#[ode_system]
fn constant_length(du: &mut [f64; N], u: &[f64; N], p: &[f64; 1], t: f64) {}

#[ode_system]
fn precisions(du: &mut [f64; 2], u: &[f32; 2], p: &[f64; 1], t: f64) {}

#[ode_system]
fn generic<const M: usize>(du: &mut [f64; M], u: &[f64; M], p: &[f64; 1], t: f64) {}

#[ode_system]
unsafe fn dangerous(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], t: f64) {}

#[ode_system]
fn by_value(du: &mut [f64; 1], u: [f64; 1], p: &[f64; 1], t: f64) {}

#[ode_system]
fn pattern(du: &mut [f64; 1], [x]: &[f64; 1], p: &[f64; 1], t: f64) {}

#[ode_system]
fn integers(du: &mut [i32; 1], u: &[i32; 1], p: &[i32; 1], t: i32) {}

#[ode_system(precision = "f32")]
fn argument(du: &mut [f64; 1], u: &[f64; 1], p: &[f64; 1], t: f64) {
    du[0] = u[0];
}

#[ode_system]
struct NotAFunction;

fn main() {}
