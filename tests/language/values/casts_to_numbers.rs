use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let even = 4 % 2 == 0;
    du[0] = if even { u[1] } else { 0.0 };
    du[1] = -u[0];
}
