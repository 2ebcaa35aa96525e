use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x = if u[0] < 0.0 { f64::NAN } else { u[0] };
    du[0] = -x.sqrt();
    du[1] = u[0];
}
