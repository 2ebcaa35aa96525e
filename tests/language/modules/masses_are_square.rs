use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    const N: usize = 2;

    #[mass_matrix]
    const M: [[f64; N]; N] = [[2.0, 1.0], [0.0, 1.0]];

    pub(crate) fn rhs(u: &[f64; N]) -> [f64; N] {
        [-u[1], u[0]]
    }
}
