//! An epidemic with a function outside, an early `return`, and output to debug it.

use odes::ode_system;

fn contacts(t: f64) -> f64 {
    1.0 + 0.3 * (t / 365.0).cos()
}

#[ode_system]
fn sir(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 2], t: f64) {
    let n = u.iter().sum();
    if n == 0 {
        return;
    }
    let infections = p[0] * contacts(t) * u[0] * u[1] / n;
    println!("{t}: {infections}");
    du[0] = -infections;
    du[1] = infections - p[1] * u[1];
    du[2] = p[1] * u[1];
}

fn main() {}
