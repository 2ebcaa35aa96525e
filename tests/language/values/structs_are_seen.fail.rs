//! The fields of a struct are visible: it is declared in the function, or in the module under `#[ode_system]`.

use odes::ode_system;

struct Rates {
    growth: f64,
    decay: f64,
}

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rates = Rates { growth: p[0], decay: p[1] };
    du[0] = rates.growth * u[0];
    du[1] = -rates.decay * u[1];
}

fn main() {}
