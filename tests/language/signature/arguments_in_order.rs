use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 1], u: &[f64; 1], t: f64) {
    du[0] = t.cos() * u[0];
}
