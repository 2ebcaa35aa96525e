use odes::ode_system;

#[ode_system]
pub(crate) mod rule {
    #[mass_matrix]
    const M: [f64; 2] = [2.0, 1.0];

    pub(crate) fn rhs(u: &[f64; 2], p: &[f64; 1]) -> [f64; 2] {
        [-u[0] / p[0], u[0]]
    }
}
