//! An alias of a type is declared in the module.

use odes::ode_system;

type Pair = [f64; 2];

#[ode_system]
mod rule {
    use super::Pair;

    pub fn rhs(u: &Pair) -> Pair {
        [u[1], -u[0]]
    }
}

fn main() {}
