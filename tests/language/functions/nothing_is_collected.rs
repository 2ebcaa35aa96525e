use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let x: [f64; 2] = std::array::from_fn(|i| 2.0 * u[i]);
    du[0] = x[1];
    du[1] = -x[0];
}
