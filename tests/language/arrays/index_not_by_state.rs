use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], t: f64) {
    let x = if t < 10.0 { u[0] } else { u[1] };
    du[0] = x;
    du[1] = -x;
}
