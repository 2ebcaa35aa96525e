use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn scaled(x: f64, by: f64) -> f64 {
        by * x
    }
    du[0] = scaled(u[1], 2.0);
    du[1] = -u[0];
}
