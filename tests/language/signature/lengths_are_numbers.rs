use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    const N: usize = 3;

    pub(crate) fn rhs(du: &mut [f64; N], u: &[f64; N]) {
        for i in 0..N {
            du[i] = u[(i + 1) % N] - u[i];
        }
    }
}
