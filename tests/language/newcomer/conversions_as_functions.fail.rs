//! `float(x)`, `int(x)`, `len(x)`, `range(n)`, `sum(x)`, `zeros(n)`.

use odes::ode_system;

#[ode_system]
fn model(u: &[f64; 3], p: &[f64; 2], t: f64) -> [f64; 3] {
    let mut a = zeros(3);
    let n = len(u);
    for i in range(3) {
        a[i] = float(i) * sum(u);
    }
    a
}

fn main() {}
