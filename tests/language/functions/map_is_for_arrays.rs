use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let twice = u.map(|x| 2.0 * x);
    du[0] = twice[1];
    du[1] = -twice[0];
}
