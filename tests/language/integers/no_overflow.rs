use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    let mut n: u8 = 200;
    n -= 100;
    du[0] = f64::from(n) * u[1];
    du[1] = -u[0];
}
