use odes::{interp_linear, ode_system};

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 5], _t: f64) {
    du[0] = interp_linear(p, u[1]);
    du[1] = -u[0];
}
