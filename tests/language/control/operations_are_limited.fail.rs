//! A right-hand side unrolls to at most 200 000 operations, or those of `limit`.

use odes::ode_system;

#[ode_system(limit = 1000)]
fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = u[0];
    for _ in 0..2000 {
        x += 1e-3 * x.sin();
    }
    du[0] = -x;
    du[1] = x;
}

fn main() {}
