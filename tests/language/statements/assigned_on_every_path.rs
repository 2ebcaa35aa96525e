use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = -u[0];
    du[1] = 0.0;
    if u[0] > 1.0 {
        du[1] = u[0];
    }
}
