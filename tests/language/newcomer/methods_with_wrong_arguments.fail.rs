//! Methods of a struct with wrong arguments, of numbers, and unknown ones.

use odes::ode_system;

#[ode_system]
mod model {
    pub struct P {
        pub k: f64,
    }
    impl P {
        fn f(&self, x: f64) -> f64 {
            self.k * x
        }
    }
    pub fn rhs(u: &[f64; 1], p: &P) -> [f64; 1] {
        [-p.f() * u[0] + u[0].f(2.0) + P::f(p, 1.0) + P::h(p)]
    }
}

fn main() {}
