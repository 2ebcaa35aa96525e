use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    fn twice(x: f64) -> f64 {
        2.0 * x
    }
    du[0] = twice(u[1]);
    du[1] = -u[0];
}
