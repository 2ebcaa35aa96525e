use odes::ode_system;

#[ode_system]
pub(crate) fn rule(u: &[f64; 2]) -> [f64; 2] {
    let flow = if u[0] < 0.0 { 0.0 } else { u[0] };
    return [-flow, flow];
}
