//! The bound of generic numbers is written where they are declared.

use odes::ode_system;

#[ode_system]
fn rule<R>(du: &mut [R; 1], u: &[R; 1])
where
    R: odes::lane::Real,
{
    du[0] = -u[0];
}

fn main() {}
