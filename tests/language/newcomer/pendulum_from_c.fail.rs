//! A driven pendulum after a program in C: free functions, `M_PI`, `pow`, one expression for two
//! assignments.

use odes::ode_system;

const M_PI: f64 = 3.14159265358979;

#[ode_system]
fn pendulum(dydt: &mut [f64; 2], y: &[f64; 2], p: &[f64; 3], t: f64) {
    let mut drive = 0;
    drive = p[0] * cos(2 * M_PI * p[1] * t);
    dydt[0] = y[1];
    dydt[1] = -sin(y[0]) - p[2] * y[1] + drive - pow(fabs(y[1]), 2.0);
}

fn main() {}
