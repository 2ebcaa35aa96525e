use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let pair = (u[1], -u[0]);
    du[0] = pair.0;
    du[1] = pair.1;
}
