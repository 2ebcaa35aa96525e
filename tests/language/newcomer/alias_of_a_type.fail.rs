//! An alias of an array type.

use odes::ode_system;

type Vec3 = [f64; 3];

#[ode_system]
fn lorenz(u: &Vec3, p: &Vec3) -> Vec3 {
    [p[0] * (u[1] - u[0]), u[0] * (p[1] - u[2]) - u[1], u[0] * u[1] - p[2] * u[2]]
}

fn main() {}
