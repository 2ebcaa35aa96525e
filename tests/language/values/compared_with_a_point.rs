use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = if u[0] > 0.0 { u[1] } else { 0.0 };
    du[1] = -u[0];
}
