use odes::ode_system;

#[ode_system]
pub(crate) fn rule(u: &[f64; 2], p: &[f64; 1], t: f64) -> [f64; 2] {
    [u[1], p[0] * t.sin() - u[0]]
}
