//! Van der Pol's oscillator after MATLAB's `vdp1`: indices from 1, `^` for powers, integers.

use odes::ode_system;

#[ode_system]
fn vdp1(dydt: &mut [f64; 2], y: &[f64; 2], mu: &[f64; 1], t: f64) {
    dydt[1] = y[2];
    dydt[2] = mu[1] * (1 - y[1]^2) * y[2] - y[1];
}

fn main() {}
