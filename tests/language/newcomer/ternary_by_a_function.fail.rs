//! A choice by a function.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    [ifelse(t > 5.0, u[0], 0.0), max(u[1], 0.0), abs(u[2])]
}

fn main() {}
