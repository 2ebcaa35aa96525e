use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let square = |x: f64| x * x;
    du[0] = square(u[1]);
    du[1] = -u[0];
}
