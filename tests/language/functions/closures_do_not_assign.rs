use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2], p: &[f64; 2]) {
    let rate = p[0];
    let decay = |x: f64| -rate * x;
    let mut sum = decay(u[0]);
    sum += decay(u[1]);
    du[0] = sum;
    du[1] = u[0];
}
