use odes::ode_system;

#[ode_system]
#[event(rising, up = u[0] - 0.5)]
#[event(rising, stop, high = u[0] - 0.75)]
pub(crate) fn rule(u: &[f64; 1]) -> [f64; 1] {
    [1.0 - u[0]]
}
