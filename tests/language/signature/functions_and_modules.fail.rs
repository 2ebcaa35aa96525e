//! The attribute stands on a function, or on a module with a function `rhs`.

use odes::ode_system;

#[ode_system]
struct Rule {
    rate: f64,
}

fn main() {}
