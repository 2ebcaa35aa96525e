//! All mistakes of a function are reported at once, in the order of the source.

use odes::ode_system;

#[ode_system]
fn many(du: &mut [f64; 3], u: &[f64; 3], p: &[f64; 2], t: f64) {
    let [x, y] = *u;
    let sigma = p[0];
    let rates = vec![p[0], p[1]];
    if x > 0.0 {
        du[0] = 2 * u[0];
    } else {
        du[0] = p[2] * sgima;
    }
    u[1] = 0.0;
    du[1] = u[t as usize].erf();
    match p[0] {
        _ => println!("{x}"),
    }
}

fn main() {
    // What uses the system has no further errors.
    let system = many;
    let mut du = [0.0; 3];
    many::call(&mut du, &[0.0; 3], &[0.0; 2], 0.0);
    let _ = system;
}
