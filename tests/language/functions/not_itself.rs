use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let half = u.map(|x| 0.5 * x);
    du[0] = half[1];
    du[1] = -half[0];
}
