use odes::ode_system;

#[ode_system]
#[event(rising, up = u[0] - 0.5)]
pub(crate) fn rule(u: &[f64; 1]) -> [f64; 1] {
    let rest = 1.0 - u[0];
    [rest]
}
