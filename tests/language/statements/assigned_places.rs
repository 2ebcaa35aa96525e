use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    if u[0] > 0.0 {
        du[0] = 1.0;
    } else {
        du[0] = u[1];
    }
    du[1] = -u[0];
}
