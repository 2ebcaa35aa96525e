use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let open = if u[0] > 0.5 { 1.0 } else { 0.0 };
    du[0] = -open * u[0];
    du[1] = u[0];
}
