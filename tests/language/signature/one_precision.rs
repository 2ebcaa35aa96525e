use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f32; 1], u: &[f32; 1], p: &[f32; 1]) {
    du[0] = p[0] * u[0] + 0.1_f32;
}
