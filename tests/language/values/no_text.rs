use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let exponential = true;
    du[0] = if exponential { -u[0] } else { 1.0 };
    du[1] = u[0];
}
