use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    du[0] = u.iter().map(|x| if *x > 0.0 { *x } else { 0.0 }).sum::<f64>();
    du[1] = -u[0];
}
