use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut x = [0.0; 2];
    x[0] = u[1];
    du[0] = x[0];
    du[1] = x[1] - u[0];
}
