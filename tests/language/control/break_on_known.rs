use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut sum = 0.0;
    for i in 0..2 {
        if u[i] > 0.0 {
            sum += u[i];
        }
        if i == 5 {
            break;
        }
    }
    du[0] = sum;
    du[1] = -u[0];
}
