//! The attribute on a method of a struct, as a class has it.

use odes::ode_system;

struct Pendulum {
    length: f64,
}

impl Pendulum {
    #[ode_system]
    fn rhs(&mut self, u: &[f64; 2], t: f64) -> [f64; 2] {
        [u[1], -9.81 / self.length * u[0].sin()]
    }
}

fn main() {}
