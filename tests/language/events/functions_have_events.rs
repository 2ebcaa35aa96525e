use odes::ode_system;

#[ode_system]
#[event(rising, stop, escaped = u[0] - p[0])]
pub(crate) fn rule(u: &[f64; 1], p: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0] * p[0]]
}
