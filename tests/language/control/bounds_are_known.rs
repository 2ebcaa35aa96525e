use odes::ode_system;

#[ode_system]
pub(crate) fn rule(du: &mut [f64; 2], u: &[f64; 2]) {
    const N: usize = 2;
    for i in 0..N {
        du[i] = -u[i];
    }
}
