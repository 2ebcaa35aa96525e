use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut n = 1;
    while n < 100 {
        n *= 2;
    }
    du[0] = n as f64 * u[1];
    du[1] = -u[0];
}
