use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    for x in u {
        sum += x;
    }
    du[0] = sum;
    du[1] = -u[0];
}
