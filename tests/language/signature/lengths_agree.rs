use odes::ode_system;

#[ode_system]
pub(crate) fn rule(u: &[f64; 3]) -> [f64; 3] {
    [u[1], u[2], -u[0]]
}
