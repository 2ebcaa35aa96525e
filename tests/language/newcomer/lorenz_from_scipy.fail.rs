//! Lorenz's equations after the example of SciPy's `solve_ivp`, with slices and a `Vec`.

use odes::ode_system;

#[ode_system]
fn lorenz(t: f64, y: &[f64], sigma: f64, rho: f64, beta: f64) -> Vec<f64> {
    let x = y[0];
    let dx = sigma * (y[1] - x);
    let dy = x * (rho - y[2]) - y[1];
    let dz = x * y[1] - beta * y[2];
    vec![dx, dy, dz]
}

fn main() {}
