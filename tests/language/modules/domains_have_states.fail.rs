//! There are states in the domain.

use odes::ode_system;

#[ode_system]
mod rule {
    const LIMIT: i32 = -1;

    pub(crate) fn rhs(u: &[f64; 2]) -> [f64; 2] {
        [-u[0] * u[1], u[0] - u[1]]
    }

    fn is_out_of_domain(_u: &[f64; 2]) -> bool {
        LIMIT < 0
    }
}

fn main() {}
