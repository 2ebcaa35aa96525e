//! The same with signed integers, whose remainders keep the sign.

use odes::ode_system;

#[ode_system]
fn ring(du: &mut [f64; 3], u: &[f64; 3]) {
    for i in 0..3_i32 {
        du[i as usize] = u[((i - 1) % 3) as usize] - u[i as usize];
    }
}

fn main() {}
