use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const N: i32 = 2_i32.pow(3);
    du[0] = f64::from(N) * u[1].powi(2);
    du[1] = -u[0];
}
