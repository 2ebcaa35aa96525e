//! A ball that bounces by changes of the state within the right-hand side, with a Newton iteration
//! until it converges, and random gusts.

use odes::ode_system;

#[ode_system]
fn ball(du: &mut [f64; 2], u: &mut [f64; 2], p: &[f64; 2], t: f64) {
    if u[0] < 0.0 {
        u[0] = -u[0];
        u[1] *= -p[1];
    }
    let mut speed = u[1].abs();
    while (speed * speed - p[0]).abs() > 1e-9 {
        speed -= (speed * speed - p[0]) / (2 * speed);
    }
    let gust: f64 = rand::random();
    du[0] = u[1];
    du[1] = -9.81 + gust * speed;
}

fn main() {}
