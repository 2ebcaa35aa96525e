//! The attribute on a struct and on an `impl`.

use odes::ode_system;

#[ode_system]
struct Lorenz {
    sigma: f64,
}

#[ode_system]
impl Lorenz {
    fn rhs(&self, u: &[f64; 1]) -> [f64; 1] {
        [-u[0]]
    }
}

fn main() {}
