use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    for i in (0..2).step_by(1).rev() {
        du[i] = -u[i];
    }
}
