use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let rate;
    if u[0] < 1.0 {
        rate = 2.0;
    } else {
        rate = 0.5;
    }
    du[0] = -rate * u[0];
    du[1] = u[0];
}
