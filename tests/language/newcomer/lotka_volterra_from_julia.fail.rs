//! Lotka and Volterra's predators after Julia's tutorial: parameters and states by name, `2x`-style
//! integers, and a forgotten `&mut`.

use odes::ode_system;

#[ode_system]
fn lotka_volterra(du: [f64; 2], u: [f64; 2], p: [f64; 4], t: f64) {
    let (alpha, beta, delta, gamma) = p;
    du[0] = alpha * u.x - beta * u.x * u.y;
    du[1] = -delta * u.y + gamma * u.x * u.y;
}

fn main() {}
