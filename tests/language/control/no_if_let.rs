use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    du[0] = if p[0] > 0.0 { p[0] * u[0] } else { 0.0 };
    du[1] = u[0];
}
