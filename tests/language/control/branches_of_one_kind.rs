use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rates = if u[0] > 0.0 { [1.0, 2.0] } else { [0.0, 0.0] };
    du[0] = -rates[0] * u[0];
    du[1] = rates[1];
}
