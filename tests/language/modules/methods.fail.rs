//! The structs of a module may have methods, which change nothing.

use odes::ode_system;

#[ode_system]
mod rule {
    pub struct Parameters {
        pub rate: f64,
        pub saturation: f64,
    }

    impl Parameters {
        fn uptake(&mut self, x: f64) -> f64 {
            self.rate *= 2.0;
            self.rate * x / (self.saturation + x.abs())
        }
    }

    pub fn rhs(u: &[f64; 1], p: &Parameters) -> [f64; 1] {
        [-p.uptake(u[0])]
    }
}

fn main() {}
