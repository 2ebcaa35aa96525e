use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let [first, rest @ ..] = *u;
    du[0] = rest.iter().sum::<f64>();
    du[1] = -first;
}
