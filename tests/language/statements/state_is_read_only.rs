use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = u[0].max(0.0);
    du[0] = -x;
    du[1] = x;
}
