//! A function may be generic over lengths and numbers, and over nothing else.

use odes::ode_system;

#[ode_system]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn same<T>(x: T) -> T {
        x
    }
    du[0] = same(u[1]);
    du[1] = -u[0];
}

fn main() {}
