use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = u[1];
    x *= 2.0;
    du[0] = x;
    du[1] = -u[0];
}
