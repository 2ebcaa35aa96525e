//! Each unknown has an equation that it is in.

use odes::ode_system;

#[ode_system]
mod rule {
    #[mass_matrix]
    const M: [f64; 3] = [1.0, 0.0, 0.0];

    pub(crate) fn rhs(u: &[f64; 3]) -> [f64; 3] {
        let [x, v, force] = *u;
        [v + force, x * x - 1.0, 2.0 * x]
    }
}

fn main() {}
