use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    du[0] = t.floor() * u[0];
    du[1] = -u[1];
}
