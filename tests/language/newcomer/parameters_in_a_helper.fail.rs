//! A nested function that mentions an argument of the function around it, and a number of `main`.

use odes::ode_system;

#[ode_system]
fn decay(u: &[f64; 1], p: &[f64; 1], _t: f64) -> [f64; 1] {
    fn rate(x: f64) -> f64 {
        p[0] * x
    }
    [-rate(u[0])]
}

fn main() {
    let k = 2.0;

    #[ode_system]
    fn growth(u: &[f64; 1], _p: &[f64; 0], _t: f64) -> [f64; 1] {
        [k * u[0]]
    }

    let _ = (decay, growth);
}
