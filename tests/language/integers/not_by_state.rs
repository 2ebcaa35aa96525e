use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let n = if u[0] > 0.0 { 1.0 } else { 2.0 };
    du[0] = n * u[1];
    du[1] = -u[0];
}
